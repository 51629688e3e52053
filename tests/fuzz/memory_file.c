#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "fuzz.h"

int memory_file(const uint8_t *data, size_t size, char path[64])
{
    const int file = memfd_create("fuzz", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

int fuzz_reader(const struct cw_reader *reader, const uint8_t *data, size_t size)
{
    struct cw_network *net;
    if (reader->read("input", (const char *)data, size, NULL, &net) != 0) {
        if (*cw_error_message() == 0) abort(); /* every failure says why */
        return 0;
    }
    if (cw_network_check(net) != 0) {
        puts(cw_error_message());
        abort();
    }
    cw_network_free(net);
    return 0;
}
