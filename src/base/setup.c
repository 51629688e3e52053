#include "base/setup.h"

#include <string.h>

#include "base/error.h"

int cw_setup_read(const void *given, size_t given_size, void *setup, size_t size)
{
    const char *bytes = given;
    for (size_t i = size; i < given_size; i++)
        if (bytes[i] != 0)
            return cw_fail(CW_EUSAGE, "a setup of %zu bytes has something in byte %zu, and this version knows %zu",
                           given_size, i, size);
    memset(setup, 0, size);
    memcpy(setup, given, given_size < size ? given_size : size);
    return 0;
}
