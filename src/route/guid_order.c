#include "route/guid_order.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/files/lft_internal.h"

struct place {
    uint64_t key;
    uint32_t v;
};

uint64_t cw_guid_reversed(uint64_t guid)
{
    uint64_t result = 0;
    for (int byte = 0; byte < 8; byte++) result = result << 8 | (guid >> 8 * byte & 0xff);
    return result;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->v > y->v) - (x->v < y->v);
}

int cw_guid_order(const struct cw_network *net, uint32_t **out)
{
    const uint32_t n = cw_network_switches(net);
    struct place *places = cw_new_array(n, sizeof *places, "the GUIDs of switches");
    uint32_t *order = cw_new_array(n, sizeof *order, "the GUIDs of switches");
    if (!places || !order) {
        free(places);
        free(order);
        return CW_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        places[i] =
            (struct place){cw_guid_reversed(cw_lft_switch_guid(net, net->n_endpoints + i)), net->n_endpoints + i};
    qsort(places, n, sizeof *places, compare_places);
    for (uint32_t i = 0; i < n; i++) order[i] = places[i].v;
    free(places);
    *out = order;
    return 0;
}
