/* Any file whatever: recognition, reading, and writing it again in every format. */
#include <stdlib.h>

#include "base/error.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_network *net;
    if (cw_network_parse("input", (const char *)data, size, &net) != 0) return 0;
    if (cw_network_check(net) != 0) abort();
    for (size_t i = 0; cw_writers[i]; i++) {
        struct cw_text text = {0};
        if (cw_writers[i]->write(net, &text) != 0 && *cw_error_message() == 0) abort();
        cw_text_free(&text);
    }
    cw_network_free(net);
    return 0;
}
