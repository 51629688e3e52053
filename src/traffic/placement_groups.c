/* Placements that keep the endpoints of a switch, or of a dragonfly's group, together. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "traffic/placement.h"

/* The block of ENDPOINT, among n_vertices of NET at most. */
typedef uint32_t block_of(const struct cw_network *net, uint32_t endpoint);

/* While the order is made. */
struct blocks {
    uint32_t *members; /* [n] a copy of the endpoints */
    uint32_t *where;   /* [n_vertices] how many endpoints a block has, then where its next one goes */
    uint32_t *order;   /* [n_vertices] blocks that have any */
};

static void arrange_blocks(const struct cw_network *net, block_of *block, uint32_t n, struct cw_random *random,
                           struct blocks *blocks, uint32_t *endpoints)
{
    uint32_t *where = blocks->where, *order = blocks->order, n_blocks = 0, begin = 0;
    for (uint32_t i = 0; i < n; i++) {
        blocks->members[i] = endpoints[i];
        where[block(net, endpoints[i])]++;
    }
    for (uint32_t b = 0; b < net->n_vertices; b++)
        if (where[b] > 0) order[n_blocks++] = b;
    if (random) cw_random_shuffle(random, order, n_blocks);
    for (uint32_t i = 0; i < n_blocks; i++) {
        const uint32_t size = where[order[i]];
        where[order[i]] = begin;
        begin += size;
    }
    for (uint32_t i = 0; i < n; i++) endpoints[where[block(net, blocks->members[i])]++] = blocks->members[i];
}

/* Blocks in order, or, with RANDOM, in uniformly random order; the endpoints of each together and in order. */
static int order_blocks(const struct cw_network *net, block_of *block, uint32_t n, struct cw_random *random,
                        uint32_t *endpoints)
{
    struct blocks blocks = {
        .members = cw_new_array(n, sizeof *blocks.members, "a placement"),
        .where = cw_new_array(net->n_vertices, sizeof *blocks.where, "a placement"),
        .order = cw_new_array(net->n_vertices, sizeof *blocks.order, "a placement"),
    };
    const int rc = blocks.members && blocks.where && blocks.order ? 0 : CW_ENOMEM;
    if (!rc) arrange_blocks(net, block, n, random, &blocks, endpoints);
    free(blocks.members);
    free(blocks.where);
    free(blocks.order);
    return rc;
}

/* --- switches ----------------------------------------------------------------------------------------------------- */

/* The vertex that ENDPOINT hangs on: a switch, or itself where it has no cable. Of several rails the first counts. */
static uint32_t vertex_of(const struct cw_network *net, uint32_t endpoint)
{
    const uint32_t channel = net->first[endpoint];
    return channel < net->first[endpoint + 1] ? net->head[channel] : endpoint;
}

static int order_random_switches(const void *values, const struct cw_network *net, uint32_t n, struct cw_random *random,
                                 uint32_t *endpoints)
{
    (void)values;
    return order_blocks(net, vertex_of, n, random, endpoints);
}

static int order_switches(const void *values, const struct cw_network *net, uint32_t n, struct cw_random *random,
                          uint32_t *endpoints)
{
    (void)values;
    (void)random;
    return order_blocks(net, vertex_of, n, NULL, endpoints);
}

const struct cw_placement_kind cw_placement_switches = {
    .name = "switches",
    .help = "switch by switch, in the order of the network; the endpoints of a switch stay together and in order: as a "
            "scheduler fills a machine",
    .order = order_switches,
};

const struct cw_placement_kind cw_placement_random_switches = {
    .name = "random-switches",
    .help = "switches in uniformly random order; the endpoints of a switch stay together and in order",
    .random = true,
    .order = order_random_switches,
};

/* --- groups, which published studies compare with the contiguous placement ---------------------------------------- */

static int prepare_random_groups(void *values, const struct cw_network *net, const struct cw_selection *selection)
{
    (void)values;
    (void)selection;
    if (cw_shape_groups(&net->shape).n > 0) return 0;
    return cw_fail(
        CW_EUSAGE,
        "random-groups: the network has no groups, as dragonflies, Megafly and Slim Fly of known shape have");
}

static uint32_t group_of(const struct cw_network *net, uint32_t endpoint)
{
    return endpoint / cw_shape_groups(&net->shape).endpoints;
}

static int order_random_groups(const void *values, const struct cw_network *net, uint32_t n, struct cw_random *random,
                               uint32_t *endpoints)
{
    (void)values;
    return order_blocks(net, group_of, n, random, endpoints);
}

const struct cw_placement_kind cw_placement_random_groups = {
    .name = "random-groups",
    .help = "networks with groups (dragonfly, megafly, slimfly): groups in uniformly random order; the endpoints of a "
            "group stay together and in order",
    .random = true,
    .prepare = prepare_random_groups,
    .order = order_random_groups,
};
