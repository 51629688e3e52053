/* Placements drawn from the generator. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/placement.h"

static int order_random(const void *values, const struct cw_network *net, struct cw_random *random, uint32_t *endpoints)
{
    (void)values;
    cw_random_permutation(random, net->n_endpoints, endpoints);
    return 0;
}

const struct cw_placement_kind cw_placement_random = {
    .name = "random",
    .help = "all endpoints in uniformly random order",
    .random = true,
    .order = order_random,
};

/* The vertex that ENDPOINT hangs on: a switch, or itself where it has no cable. Of several rails the first counts. */
static uint32_t vertex_of(const struct cw_network *net, uint32_t endpoint)
{
    const uint32_t channel = net->first[endpoint];
    return channel < net->first[endpoint + 1] ? net->head[channel] : endpoint;
}

/* WHERE and VERTICES have room for all vertices. */
static void fill_by_switch(const struct cw_network *net, struct cw_random *random, uint32_t *where, uint32_t *vertices,
                           uint32_t *endpoints)
{
    for (uint32_t e = 0; e < net->n_endpoints; e++) where[vertex_of(net, e)]++; /* how many endpoints */
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++)
        if (where[v] > 0) vertices[n++] = v;
    cw_random_shuffle(random, vertices, n);
    uint32_t begin = 0;
    for (uint32_t i = 0; i < n; i++) { /* where the next endpoint goes */
        const uint32_t size = where[vertices[i]];
        where[vertices[i]] = begin;
        begin += size;
    }
    for (uint32_t e = 0; e < net->n_endpoints; e++) endpoints[where[vertex_of(net, e)]++] = e;
}

static int order_random_switches(const void *values, const struct cw_network *net, struct cw_random *random,
                                 uint32_t *endpoints)
{
    (void)values;
    uint32_t *where = cw_new_array(net->n_vertices, sizeof *where, "a placement");
    uint32_t *vertices = cw_new_array(net->n_vertices, sizeof *vertices, "a placement");
    const int rc = where && vertices ? 0 : CW_ENOMEM;
    if (!rc) fill_by_switch(net, random, where, vertices, endpoints);
    free(where);
    free(vertices);
    return rc;
}

const struct cw_placement_kind cw_placement_random_switches = {
    .name = "random-switches",
    .help = "switches in uniformly random order, the endpoints of each together and in order",
    .random = true,
    .order = order_random_switches,
};
