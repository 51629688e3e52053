/*
 * What OpenSM calls a pure fat tree: switches of one rank have equally many neighbours above and, but for leaf
 * switches, below, and equally many cables to each.
 */
#include "route/engines/opensm/ftree_internal.h"

/* Compares S with FIRST, the first switch of its rank. */
static int compare(struct cw_ftree *tree, uint32_t first, uint32_t s)
{
    const struct cw_ftree_switch *a = &tree->switches[first], *b = &tree->switches[s];
    const bool leaf = a->rank == tree->leaf_rank;
    char x[CW_NAME_SIZE], y[CW_NAME_SIZE];
    cw_ftree_name(tree, first, x, sizeof x);
    cw_ftree_name(tree, s, y, sizeof y);
    if (a->n_up != b->n_up)
        return cw_ftree_refuse(tree,
                               "%s has cables up to %u switches, and %s to %u; expected as many of all at rank %u", x,
                               a->n_up, y, b->n_up, a->rank);
    if (!leaf && a->n_down + a->n_hosts != b->n_down + b->n_hosts)
        return cw_ftree_refuse(
            tree, "%s has cables down to %u switches and hosts, and %s to %u; expected as many of all at rank %u", x,
            a->n_down + a->n_hosts, y, b->n_down + b->n_hosts, a->rank);
    return 0;
}

/* The cables of group G of S are as many as those of group EXPECTED of FIRST. */
static int compare_cables(struct cw_ftree *tree, uint32_t first, uint32_t expected, uint32_t s, uint32_t g)
{
    const struct cw_ftree_group *x = &tree->groups[expected], *y = &tree->groups[g];
    char name_a[CW_NAME_SIZE], name_b[CW_NAME_SIZE], to_a[CW_NAME_SIZE], to_b[CW_NAME_SIZE];
    if (x->n == y->n) return 0;
    return cw_ftree_refuse(tree, "%s has %u cables to %s, and %s %u to %s; expected as many of all at rank %u",
                           cw_ftree_name(tree, first, name_a, sizeof name_a), x->n,
                           cw_ftree_name(tree, x->peer, to_a, sizeof to_a),
                           cw_ftree_name(tree, s, name_b, sizeof name_b), y->n,
                           cw_ftree_name(tree, y->peer, to_b, sizeof to_b), tree->switches[s].rank);
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

int cw_ftree_validate(struct cw_ftree *tree)
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
