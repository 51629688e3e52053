/* Sets of parameters of the simulated transport. What is accepted carries a plan. */
#include <stdlib.h>

#include "base/error.h"
#include "flow/transport/transport_set.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_transport transport;
    if (cw_transport_parse("fuzz", (const char *)data, size, &transport) != 0) {
        if (*cw_error_message() == 0) abort(); /* every failure says why */
        return 0;
    }
    if (transport.chunk_bytes == 0 || transport.credits < 1 || !(transport.efficiency > 0)) abort();
    if (!(transport.copy >= 0) || !(transport.node_copy >= 0) || !(transport.list_search >= 0) ||
        !(transport.reception >= 0))
        abort();
    return 0;
}
