#include "route/engines/opensm/ftree_fabric.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engines/opensm/ftree_internal.h"
#include "route/files/lft_internal.h"
#include "route/guid_order.h"

int cw_ftree_refuse(struct cw_ftree *tree, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tree->why, sizeof tree->why, format, arguments);
    va_end(arguments);
    return CW_EUSAGE;
}

const char *cw_ftree_name(const struct cw_ftree *tree, uint32_t s, char *name, size_t size)
{
    return cw_network_name(tree->net, s + tree->net->n_endpoints, name, size);
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
        return cw_ftree_refuse(tree, "switches have ranks 0 to %u, counted from the roots; expected 0 to 1 … %d",
                               tree->max_rank, CW_FTREE_RANKS - 1);
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
        return cw_ftree_refuse(
            tree, "%s, at rank %u, has compute nodes; expected them at rank %u only, that of leaf switches",
            cw_ftree_name(tree, s, name, sizeof name), rank, tree->leaf_rank);
    }
    if (!found) return cw_ftree_refuse(tree, "no host is a compute node; expected some at 2 or more leaf switches");
    if (tree->leaf_rank > 0) return 0;
    return cw_ftree_refuse(tree, "the roots have the compute nodes; expected them at leaf switches, rank 1 or more");
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
    if (tree->n_leaves < 2) return cw_ftree_refuse(tree, "fewer than 2 leaf switches have compute nodes");
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
        return cw_ftree_refuse(tree, "%s has not one cable to a switch, as a port of InfiniBand has",
                               cw_network_name(net, v, name, sizeof name));
    }
    if (cw_network_switches(net) < 2)
        return cw_ftree_refuse(tree, "there are %u switches; expected 2 or more", cw_network_switches(net));
    return hosts < 2 ? cw_ftree_refuse(tree, "there are %u hosts; expected 2 or more", hosts) : 0;
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
    if (rc == 0) rc = cw_ftree_index(tree);
    if (rc == 0) rc = find_leaves(tree);
    if (rc == 0) rc = find_others(tree);
    if (rc == 0 && !roles->roots) rc = cw_ftree_validate(tree);
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
