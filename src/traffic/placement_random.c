/* Placements of endpoints one by one, drawn from the generator. */
#include "traffic/placement.h"

static int order_random(const void *values, const struct cw_network *net, uint32_t n, struct cw_random *random,
                        uint32_t *endpoints)
{
    (void)values;
    (void)net;
    cw_random_shuffle(random, endpoints, n);
    return 0;
}

const struct cw_placement_kind cw_placement_random = {
    .name = "random",
    .help = "all endpoints in uniformly random order",
    .random = true,
    .order = order_random,
};

const struct cw_placement_kind cw_placement_random_nodes = {
    .name = "random-nodes",
    .help = "another name for random",
    .random = true,
    .order = order_random,
};
