#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/opensm/ftree_fabric.h"
#include "route/files/lft_internal.h"
#include "route/guid_order.h"

/* Says why TREE is refused; CW_EUSAGE. */
static int refuse(struct cw_ftree *tree, const char *format, ...) CW_PRINTF(2, 3);

static int refuse(struct cw_ftree *tree, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tree->why, sizeof tree->why, format, arguments);
    va_end(arguments);
    return CW_EUSAGE;
}

/* The name of switch S. */
static const char *name_of(const struct cw_ftree *tree, uint32_t s, char *name, size_t size)
{
    return cw_network_name(tree->net, s + tree->net->n_endpoints, name, size);
}

/*
 * Tuples: breadth first from the first leaf switch, which is all zeros. A neighbour that has none yet gets that of the
 * switch it is found from, with the number changed that belongs to the two ranks: the least that makes it new.
 */

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
            return refuse(tree, "%s has neighbours with more than 255 others at the same place in the tree",
                          name_of(tree, s, name, sizeof name));
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

static int give_tuples(struct cw_ftree *tree)
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

/*
 * What OpenSM calls a pure fat tree: switches of one rank have equally many neighbours above and, but for leaf
 * switches, below, and equally many cables to each.
 */

/* Compares S with FIRST, the first switch of its rank. */
static int compare(struct cw_ftree *tree, uint32_t first, uint32_t s)
{
    const struct cw_ftree_switch *a = &tree->switches[first], *b = &tree->switches[s];
    const bool leaf = a->rank == tree->leaf_rank;
    char x[CW_NAME_SIZE], y[CW_NAME_SIZE];
    name_of(tree, first, x, sizeof x);
    name_of(tree, s, y, sizeof y);
    if (a->n_up != b->n_up)
        return refuse(tree, "%s has cables up to %u switches, and %s to %u; expected as many of all at rank %u", x,
                      a->n_up, y, b->n_up, a->rank);
    if (!leaf && a->n_down + a->n_hosts != b->n_down + b->n_hosts)
        return refuse(tree,
                      "%s has cables down to %u switches and hosts, and %s to %u; expected as many of all at rank %u",
                      x, a->n_down + a->n_hosts, y, b->n_down + b->n_hosts, a->rank);
    return 0;
}

/* The cables of group G of S are as many as those of group EXPECTED of FIRST. */
static int compare_cables(struct cw_ftree *tree, uint32_t first, uint32_t expected, uint32_t s, uint32_t g)
{
    const struct cw_ftree_group *x = &tree->groups[expected], *y = &tree->groups[g];
    char name_a[CW_NAME_SIZE], name_b[CW_NAME_SIZE], to_a[CW_NAME_SIZE], to_b[CW_NAME_SIZE];
    if (x->n == y->n) return 0;
    return refuse(tree, "%s has %u cables to %s, and %s %u to %s; expected as many of all at rank %u",
                  name_of(tree, first, name_a, sizeof name_a), x->n, name_of(tree, x->peer, to_a, sizeof to_a),
                  name_of(tree, s, name_b, sizeof name_b), y->n, name_of(tree, y->peer, to_b, sizeof to_b),
                  tree->switches[s].rank);
}

/* OpenSM looks at all groups that lead up, but at the first only of those that lead down. */
static int compare_groups(struct cw_ftree *tree, uint32_t first, uint32_t s)
{
    const struct cw_ftree_switch *a = &tree->switches[first], *b = &tree->switches[s];
    int rc = 0;
    for (uint32_t i = 0; i < b->n_up && rc == 0; i++) rc = compare_cables(tree, first, a->up, s, b->up + i);
    if (rc == 0 && a->n_down > 0 && b->n_down > 0) rc = compare_cables(tree, first, a->down, s, b->down);
    return rc;
}

static int validate(struct cw_ftree *tree)
{
    uint32_t first[CW_FTREE_RANKS];
    for (uint32_t rank = 0; rank < CW_FTREE_RANKS; rank++) first[rank] = CW_NONE;
    int rc = 0;
    for (uint32_t i = 0; i < cw_network_switches(tree->net) && rc == 0; i++) {
        const uint32_t s = tree->by_guid[i], rank = tree->switches[s].rank;
        if (rank == CW_FTREE_UNRANKED) continue;
        if (first[rank] == CW_NONE) first[rank] = s;
        if (first[rank] == s) continue;
        rc = compare(tree, first[rank], s);
        if (rc == 0) rc = compare_groups(tree, first[rank], s);
    }
    return rc;
}

bool cw_ftree_is_compute(const struct cw_ftree *tree, uint32_t e)
{
    const struct cw_ftree_roles *roles = tree->roles;
    if (roles->compute) return roles->compute[e];
    return !(roles->io && roles->io[e]);
}

/* --- the order of switches ---------------------------------------------------------------------------------------- */

struct keyed {
    uint64_t key;
    uint32_t id;
};

static int compare_keys(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int sort_by_guid(struct cw_ftree *tree)
{
    const int rc = cw_guid_order(tree->net, &tree->by_guid);
    for (uint32_t i = 0; rc == 0 && i < cw_network_switches(tree->net); i++) tree->by_guid[i] -= tree->net->n_endpoints;
    return rc;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

/* Breadth first from the N switches in QUEUE, which have rank 0, on to those that are CW_FTREE_UNRANKED. The highest
 * rank. */
static uint32_t rank_from(struct cw_ftree *tree, uint32_t *queue, uint32_t n)
{
    const struct cw_network *net = tree->net;
    uint32_t highest = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = queue[i] + net->n_endpoints, rank = tree->switches[queue[i]].rank;
        highest = rank;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            if (cw_network_is_endpoint(net, net->head[c])) continue;
            struct cw_ftree_switch *next = &tree->switches[net->head[c] - net->n_endpoints];
            if (next->rank != CW_FTREE_UNRANKED) continue;
            next->rank = rank + 1;
            queue[n++] = net->head[c] - net->n_endpoints;
        }
    }
    return highest;
}

static bool has_host(const struct cw_network *net, uint32_t s)
{
    const uint32_t v = s + net->n_endpoints;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
        if (cw_ftree_is_host(net, net->head[c])) return true;
    return false;
}

/* Unless they are given, the roots are the switches farthest from all hosts. */
static void rank_switches(struct cw_ftree *tree, uint32_t *queue)
{
    const struct cw_network *net = tree->net;
    const uint32_t n = cw_network_switches(net);
    uint32_t in_queue = 0;
    for (uint32_t s = 0; s < n; s++) tree->switches[s].rank = CW_FTREE_UNRANKED;
    if (!tree->roles->roots) {
        for (uint32_t i = 0; i < n; i++) {
            if (!has_host(net, tree->by_guid[i])) continue;
            tree->switches[tree->by_guid[i]].rank = 0;
            queue[in_queue++] = tree->by_guid[i];
        }
        const uint32_t farthest = rank_from(tree, queue, in_queue);
        in_queue = 0;
        for (uint32_t i = 0; i < n; i++) {
            struct cw_ftree_switch *s = &tree->switches[tree->by_guid[i]];
            const bool root = s->rank == farthest;
            s->rank = root ? 0 : CW_FTREE_UNRANKED;
            if (root) queue[in_queue++] = tree->by_guid[i];
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            if (!tree->roles->roots[tree->by_guid[i] + net->n_endpoints]) continue;
            tree->switches[tree->by_guid[i]].rank = 0;
            queue[in_queue++] = tree->by_guid[i];
        }
    }
    tree->max_rank = rank_from(tree, queue, in_queue);
}

static int find_ranks(struct cw_ftree *tree)
{
    uint32_t *queue = cw_new_array(cw_network_switches(tree->net), sizeof *queue, "the ranks of switches");
    if (!queue) return CW_ENOMEM;
    rank_switches(tree, queue);
    free(queue);
    if (tree->max_rank + 1 < 2 || tree->max_rank + 1 > CW_FTREE_RANKS)
        return refuse(tree, "switches have ranks 0 to %u, counted from the roots; expected 0 to 1 … %d", tree->max_rank,
                      CW_FTREE_RANKS - 1);
    return 0;
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

/* Makes the groups of switch S that lead to rank RANK, from AT on; the end of them. */
static uint32_t add_groups(struct cw_ftree *tree, uint32_t s, uint32_t rank, uint32_t at, uint32_t *next_cable)
{
    const struct cw_network *net = tree->net;
    const uint32_t v = s + net->n_endpoints, begin = at;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        if (cw_network_is_endpoint(net, net->head[c])) continue;
        const uint32_t peer = net->head[c] - net->n_endpoints;
        uint32_t g = begin;
        if (tree->switches[peer].rank != rank) continue;
        while (g < at && tree->groups[g].peer != peer) g++;
        if (g < at) continue;
        struct cw_ftree_group *group = &tree->groups[at++];
        *group = (struct cw_ftree_group){.peer = peer, .first = *next_cable};
        for (uint32_t other = c; other < net->first[v + 1]; other++)
            if (net->head[other] == net->head[c]) tree->cables[(*next_cable)++].channel = other;
        group->n = *next_cable - group->first;
    }
    return at;
}

static int find_groups(struct cw_ftree *tree)
{
    const struct cw_network *net = tree->net;
    uint32_t next_group = 0, next_cable = 0, next_host = 0;
    tree->groups = cw_new_array(net->n_channels, sizeof *tree->groups, "the groups of cables");
    tree->cables = cw_new_array(net->n_channels, sizeof *tree->cables, "the groups of cables");
    tree->hosts = cw_new_array(net->n_endpoints, sizeof *tree->hosts, "the hosts of switches");
    if (!tree->groups || !tree->cables || !tree->hosts) return CW_ENOMEM;
    for (uint32_t s = 0; s < cw_network_switches(net); s++) {
        struct cw_ftree_switch *t = &tree->switches[s];
        const uint32_t v = s + net->n_endpoints;
        if (t->rank == CW_FTREE_UNRANKED) continue;
        t->down = next_group;
        next_group = add_groups(tree, s, t->rank + 1, next_group, &next_cable);
        t->n_down = next_group - t->down;
        t->up = next_group;
        if (t->rank > 0) next_group = add_groups(tree, s, t->rank - 1, next_group, &next_cable);
        t->n_up = next_group - t->up;
        t->side = next_group;
        next_group = add_groups(tree, s, t->rank, next_group, &next_cable);
        t->n_side = next_group - t->side;
        t->host = next_host;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            if (cw_ftree_is_host(net, net->head[c])) tree->hosts[next_host++] = net->head[c];
        t->n_hosts = next_host - t->host;
    }
    return 0;
}

/* --- leaves ------------------------------------------------------------------------------------------------------- */

uint32_t cw_ftree_compute_nodes(const struct cw_ftree *tree, uint32_t s)
{
    const struct cw_ftree_switch *t = &tree->switches[s];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_hosts; i++) n += cw_ftree_is_compute(tree, tree->hosts[t->host + i]);
    return n;
}

/* All compute nodes are to be at switches of one rank: the highest, or if the roots are given, that of the first. */
static int check_leaves(struct cw_ftree *tree)
{
    const uint32_t n = cw_network_switches(tree->net);
    bool found = false;
    tree->leaf_rank = tree->max_rank;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t s = tree->by_guid[i], rank = tree->switches[s].rank;
        char name[CW_NAME_SIZE];
        if (cw_ftree_compute_nodes(tree, s) == 0) continue;
        if (!found && tree->roles->roots) tree->leaf_rank = rank;
        found = true;
        if (rank == tree->leaf_rank) continue;
        return refuse(tree, "%s, at rank %u, has compute nodes; expected them at rank %u only, that of leaf switches",
                      name_of(tree, s, name, sizeof name), rank, tree->leaf_rank);
    }
    if (!found) return refuse(tree, "no host is a compute node; expected some at 2 or more leaf switches");
    if (tree->leaf_rank > 0) return 0;
    return refuse(tree, "the roots have the compute nodes; expected them at leaf switches, rank 1 or more");
}

/* Those from the first to the last with compute nodes, in order of tuples. */
static int find_leaves(struct cw_ftree *tree)
{
    const uint32_t n = cw_network_switches(tree->net);
    struct keyed *keyed = cw_new_array(n, sizeof *keyed, "leaf switches");
    tree->leaves = cw_new_array(n, sizeof *tree->leaves, "leaf switches");
    if (!keyed || !tree->leaves) {
        free(keyed);
        return CW_ENOMEM;
    }
    uint32_t all = 0, first, last;
    for (uint32_t i = 0; i < n; i++) { /* those without a tuple come last, in order of GUIDs */
        const struct cw_ftree_switch *s = &tree->switches[tree->by_guid[i]];
        if (s->rank == tree->leaf_rank) keyed[all++] = (struct keyed){s->tuple, i};
    }
    qsort(keyed, all, sizeof *keyed, compare_keys);
    for (uint32_t i = 0; i < all; i++) keyed[i].id = tree->by_guid[keyed[i].id];
    for (first = 0; first < all && cw_ftree_compute_nodes(tree, keyed[first].id) == 0;) first++;
    for (last = all; last > first && cw_ftree_compute_nodes(tree, keyed[last - 1].id) == 0;) last--;
    for (uint32_t i = first; i < last; i++) tree->leaves[tree->n_leaves++] = keyed[i].id;
    free(keyed);
    if (tree->n_leaves < 2) return refuse(tree, "fewer than 2 leaf switches have compute nodes");
    return 0;
}

/* --- what is no compute node ------------------------------------------------------------------------------------- */

static uint64_t adapter_guid(const struct cw_network *net, uint32_t e)
{
    const uint64_t guid = net->identity ? net->identity[e].node_guid : 0;
    return guid ? guid : cw_lft_port_guid(net, e) - cw_network_port(net, net->first[e]);
}

static int find_others(struct cw_ftree *tree)
{
    const struct cw_network *net = tree->net;
    struct keyed *keyed = cw_new_array(net->n_endpoints, sizeof *keyed, "the GUIDs of hosts");
    tree->others = cw_new_array(net->n_endpoints, sizeof *tree->others, "the GUIDs of hosts");
    if (!keyed || !tree->others) {
        free(keyed);
        return CW_ENOMEM;
    }
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (cw_ftree_is_host(net, e) && cw_network_degree(net, e) > 0 && !cw_ftree_is_compute(tree, e))
            keyed[tree->n_others++] = (struct keyed){cw_guid_reversed(adapter_guid(net, e)), e};
    qsort(keyed, tree->n_others, sizeof *keyed, compare_keys);
    for (uint32_t i = 0; i < tree->n_others; i++) tree->others[i] = keyed[i].id;
    free(keyed);
    return 0;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int check_size(struct cw_ftree *tree)
{
    const struct cw_network *net = tree->net;
    uint32_t hosts = 0;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        char name[CW_NAME_SIZE];
        if (cw_network_degree(net, v) == 0) continue; /* OpenSM does not find it */
        hosts += cw_ftree_is_host(net, v);
        if (cw_network_degree(net, v) == 1 && !cw_network_is_endpoint(net, net->head[net->first[v]])) continue;
        return refuse(tree, "%s has not one cable to a switch, as a port of InfiniBand has",
                      cw_network_name(net, v, name, sizeof name));
    }
    if (cw_network_switches(net) < 2)
        return refuse(tree, "there are %u switches; expected 2 or more", cw_network_switches(net));
    return hosts < 2 ? refuse(tree, "there are %u hosts; expected 2 or more", hosts) : 0;
}

int cw_ftree_new(const struct cw_network *net, const struct cw_ftree_roles *roles, struct cw_ftree *tree)
{
    *tree = (struct cw_ftree){.net = net, .roles = roles};
    tree->switches = cw_new_array(cw_network_switches(net), sizeof *tree->switches, "the switches of a fat tree");
    int rc = tree->switches ? check_size(tree) : CW_ENOMEM;
    if (rc == 0) rc = sort_by_guid(tree);
    if (rc == 0) rc = find_ranks(tree);
    if (rc == 0) rc = find_groups(tree);
    if (rc == 0) rc = check_leaves(tree);
    if (rc == 0) rc = give_tuples(tree);
    if (rc == 0) rc = find_leaves(tree);
    if (rc == 0) rc = find_others(tree);
    if (rc == 0 && !roles->roots) rc = validate(tree);
    return rc;
}

void cw_ftree_free(struct cw_ftree *tree)
{
    free(tree->switches);
    free(tree->groups);
    free(tree->cables);
    free(tree->hosts);
    free(tree->by_guid);
    free(tree->leaves);
    free(tree->others);
}
