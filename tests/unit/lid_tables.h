/* Tables to several LIDs by hand: on a tree of two levels, each LID by a spine of its own. */
#ifndef CW_TESTS_LID_TABLES_H
#define CW_TESTS_LID_TABLES_H

#include "net/network_internal.h"
#include "route/lft.h"
#include "route/routes_internal.h"

/* A channel from vertex V to HEAD. */
static inline uint32_t channel_between(const struct cw_network *net, uint32_t v, uint32_t head)
{
    uint32_t c = net->first[v];
    while (net->head[c] != head) c++;
    return c;
}

/* Spine S of NET, an XGFT of two levels with LEAVES. */
static inline uint32_t spine_of(const struct cw_network *net, uint32_t leaves, uint32_t s)
{
    return net->n_endpoints + leaves + s;
}

/* Routes to N_LIDS of each endpoint over all of them, those to LID i by spine i. */
static inline int lids_by_spines(const struct cw_network *net, uint32_t leaves, uint32_t n_lids, struct cw_routes **out)
{
    struct cw_routes *all = NULL;
    for (uint32_t lid = 0; lid < n_lids; lid++) {
        struct cw_lft *tables;
        struct cw_routes *made;
        int rc = cw_lft_new(net, &tables);
        for (uint32_t dst = 0; !rc && dst < net->n_endpoints; dst++) {
            const uint32_t leaf = net->head[net->first[dst]], spine = spine_of(net, leaves, lid);
            for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
                const bool down = v >= net->n_endpoints + leaves;
                const uint32_t to = v == leaf ? dst : down ? leaf : spine;
                cw_lft_set(tables, v, dst, channel_between(net, v, to) - net->first[v]);
            }
        }
        if (!rc) rc = cw_lft_finish_as(tables, "by spines", 4, 1, &made);
        if (rc) {
            cw_routes_free(all);
            return rc;
        }
        if (all)
            cw_routes_add_lid(all, made);
        else
            all = made;
    }
    return cw_routes_over_lids(all, out);
}

#endif
