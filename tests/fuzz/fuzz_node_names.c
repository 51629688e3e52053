/* Node name maps: what is accepted is found again. */
#include <stdlib.h>

#include "base/error.h"
#include "fuzz.h"
#include "net/files/node_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_node_names *names;
    if (cw_node_names_parse("names", (const char *)data, size, &names) != 0) {
        if (*cw_error_message() == 0) abort();
        return 0;
    }
    for (size_t i = 0; i < names->n; i++)
        if (names->items[i].length == 0 || cw_node_names_find(names, names->items[i].guid) != &names->items[i]) abort();
    cw_node_names_free(names);
    return 0;
}
