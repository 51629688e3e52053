#include "traffic/flows.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

int cw_flows_reserve(struct cw_flows *flows, size_t more)
{
    void *items = flows->items;
    const int rc = cw_grow_array(&items, &flows->capacity, flows->n + more, sizeof *flows->items, "flows");
    flows->items = items;
    return rc;
}

int cw_flows_add(struct cw_flows *flows, uint32_t src, uint32_t dst, uint64_t bytes)
{
    if (src == dst) {
        if (__builtin_add_overflow(flows->self_bytes, bytes, &flows->self_bytes))
            return cw_fail(CW_EUSAGE, "the bytes of ranks to themselves are more than 64 bits can count");
        flows->self++;
        return 0;
    }
    const int rc = flows->n < flows->capacity ? 0 : cw_flows_reserve(flows, 1);
    if (!rc) flows->items[flows->n++] = (struct cw_flow){.src = src, .dst = dst, .bytes = bytes};
    return rc;
}

void cw_flows_free(struct cw_flows *flows)
{
    if (!flows) return;
    free(flows->items);
    *flows = (struct cw_flows){0};
}
