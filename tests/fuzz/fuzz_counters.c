/* Counters of ports: what is accepted has each port once, with counters that fit their bits. */
#include <stdlib.h>

#include "base/error.h"
#include "fuzz.h"
#include "net/files/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_ib_counters *counters;
    if (cw_ib_counters_parse("counters", (const char *)data, size, &counters) != 0) {
        if (*cw_error_message() == 0) abort();
        return 0;
    }
    if (counters->n == 0) abort();
    for (size_t i = 0; i < counters->n; i++) {
        const struct cw_port_counters *port = &counters->ports[i], *last = port - 1;
        if (i > 0 && last->guid == port->guid && last->lid == port->lid && last->port == port->port) abort();
        for (int k = 0; k < CW_IB_COUNTERS; k++)
            if (port->bits[k] == 32 && port->value[k] > UINT32_MAX) abort();
    }
    cw_ib_counters_free(counters);
    return 0;
}
