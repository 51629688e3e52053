/* Placements that published studies of dragonflies compare with the contiguous one. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/placement.h"

static int prepare_random_groups(void *values, const struct cw_network *net)
{
    (void)values;
    if (net->shape.kind == CW_SHAPE_DRAGONFLY) return 0;
    return cw_fail(CW_EUSAGE, "random-groups: the network is no dragonfly of known shape, and so has no groups");
}

static int order_random_groups(const void *values, const struct cw_network *net, struct cw_random *random,
                               uint32_t *endpoints)
{
    (void)values;
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    const uint32_t per_group = shape->a * shape->p;
    uint32_t *groups = cw_new_array(shape->g, sizeof *groups, "a placement");
    if (!groups) return CW_ENOMEM;
    cw_random_permutation(random, shape->g, groups);
    for (uint32_t i = 0; i < net->n_endpoints; i++) endpoints[i] = groups[i / per_group] * per_group + i % per_group;
    free(groups);
    return 0;
}

const struct cw_placement_kind cw_placement_random_groups = {
    .name = "random-groups",
    .help =
        "dragonflies: groups in uniformly random order, the endpoints of each together and in order, as if the groups "
        "had been numbered at random before they were wired",
    .random = true,
    .prepare = prepare_random_groups,
    .order = order_random_groups,
};

static int order_random_nodes(const void *values, const struct cw_network *net, struct cw_random *random,
                              uint32_t *endpoints)
{
    (void)values;
    cw_random_permutation(random, net->n_endpoints, endpoints);
    return 0;
}

const struct cw_placement_kind cw_placement_random_nodes = {
    .name = "random-nodes",
    .help = "the same as random: all endpoints in uniformly random order",
    .random = true,
    .order = order_random_nodes,
};
