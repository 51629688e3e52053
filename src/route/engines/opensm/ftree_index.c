/*
 * Tuples: breadth first from the first leaf switch, which is all zeros. A neighbour that has none yet gets that of the
 * switch it is found from, with the number changed that belongs to the two ranks: the least that makes it new.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engines/opensm/ftree_internal.h"

#define NO_TUPLE UINT64_MAX

/* The tuples that are given. */
struct tuples {
    uint64_t *slots; /* [mask + 1] */
    uint64_t mask;
};

static uint64_t *slot_of(const struct tuples *tuples, uint64_t tuple)
{
    uint64_t at = (tuple * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
    while (tuples->slots[at & tuples->mask] != NO_TUPLE && tuples->slots[at & tuples->mask] != tuple) at++;
    return &tuples->slots[at & tuples->mask];
}

static uint64_t new_tuple(const struct tuples *tuples, const struct cw_ftree_switch *from, uint32_t rank)
{
    const uint32_t place = rank > from->rank ? rank : from->rank; /* byte 0 is the rank */
    const int shift = 8 * (7 - (int)place), top = 56;
    uint64_t tuple = from->tuple & ~(UINT64_C(0xff) << top) & ~(UINT64_C(0xff) << shift);
    tuple |= (uint64_t)rank << top;
    for (uint64_t number = 0; number < 255; number++) {
        uint64_t *slot = slot_of(tuples, tuple | number << shift);
        if (*slot != NO_TUPLE) continue;
        return *slot = tuple | number << shift;
    }
    return NO_TUPLE;
}

/* Gives tuples to the peers of the N groups from FIRST on. */
static int index_peers(struct cw_ftree *tree, const struct tuples *tuples, uint32_t s, uint32_t first, uint32_t n,
                       uint32_t *queue, uint32_t *in_queue)
{
    for (uint32_t g = first; g < first + n; g++) {
        struct cw_ftree_switch *peer = &tree->switches[tree->groups[g].peer];
        char name[CW_NAME_SIZE];
        if (peer->tuple != NO_TUPLE) continue;
        peer->tuple = new_tuple(tuples, &tree->switches[s], peer->rank);
        if (peer->tuple == NO_TUPLE)
            return cw_ftree_refuse(tree, "%s has neighbours with more than 255 others at the same place in the tree",
                                   cw_ftree_name(tree, s, name, sizeof name));
        queue[(*in_queue)++] = tree->groups[g].peer;
    }
    return 0;
}

static int index_from(struct cw_ftree *tree, const struct tuples *tuples, uint32_t start, uint32_t *queue)
{
    uint32_t in_queue = 0;
    int rc = 0;
    tree->switches[start].tuple = (uint64_t)tree->switches[start].rank << 56;
    *slot_of(tuples, tree->switches[start].tuple) = tree->switches[start].tuple;
    queue[in_queue++] = start;
    for (uint32_t i = 0; i < in_queue && rc == 0; i++) {
        const struct cw_ftree_switch *s = &tree->switches[queue[i]];
        if (s->rank < tree->leaf_rank) rc = index_peers(tree, tuples, queue[i], s->down, s->n_down, queue, &in_queue);
        if (rc == 0) rc = index_peers(tree, tuples, queue[i], s->up, s->n_up, queue, &in_queue);
    }
    return rc;
}

static void sort_groups(struct cw_ftree *tree, uint32_t first, uint32_t n)
{
    struct cw_ftree_group *groups = tree->groups + first;
    for (uint32_t i = 0; i < n; i++) groups[i].order = tree->switches[groups[i].peer].tuple;
    for (uint32_t i = 1; i < n; i++) {
        const struct cw_ftree_group group = groups[i];
        uint32_t at = i;
        for (; at > 0 && groups[at - 1].order > group.order; at--) groups[at] = groups[at - 1];
        groups[at] = group;
    }
}

/* The first leaf switch with compute nodes in the order of GUIDs. */
static uint32_t first_leaf(const struct cw_ftree *tree)
{
    uint32_t i = 0;
    while (cw_ftree_compute_nodes(tree, tree->by_guid[i]) == 0) i++;
    return tree->by_guid[i];
}

int cw_ftree_index(struct cw_ftree *tree)
{
    const uint32_t n = cw_network_switches(tree->net);
    struct tuples tuples = {.mask = 1};
    while (tuples.mask < 2 * (uint64_t)n) tuples.mask = 2 * tuples.mask + 1;
    tuples.slots = cw_new_array(tuples.mask + 1, sizeof *tuples.slots, "the tuples of switches");
    uint32_t *queue = cw_new_array(n, sizeof *queue, "the tuples of switches");
    int rc = tuples.slots && queue ? 0 : CW_ENOMEM;
    for (uint64_t i = 0; i <= tuples.mask && rc == 0; i++) tuples.slots[i] = NO_TUPLE;
    for (uint32_t s = 0; s < n; s++) tree->switches[s].tuple = NO_TUPLE;
    if (rc == 0) rc = index_from(tree, &tuples, first_leaf(tree), queue);
    for (uint32_t s = 0; s < n && rc == 0; s++) {
        sort_groups(tree, tree->switches[s].down, tree->switches[s].n_down);
        sort_groups(tree, tree->switches[s].up, tree->switches[s].n_up);
        sort_groups(tree, tree->switches[s].side, tree->switches[s].n_side);
    }
    free(tuples.slots);
    free(queue);
    return rc;
}
