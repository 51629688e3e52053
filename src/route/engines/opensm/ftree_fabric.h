/*
 * A fabric as OpenSM's fat-tree engine sees it: which switches there are, their ranks, what leads up and down, in which
 * order everything is taken. Not installed.
 *
 * Ranks count from the roots, 0, to the leaf switches. All cables from one switch to another are a group. Switches are
 * taken in ascending order of their node GUID read backwards, byte by byte, and, once they have an index, by that: a
 * tuple of the rank and a number for each level, equal in all places but one for switches that are neighbours.
 *
 * Found by experiments on OpenSM 3.3.23 under ibsim; tests/oracle/live_ftree.py repeats them.
 */
#ifndef CW_ROUTE_FTREE_FABRIC_H
#define CW_ROUTE_FTREE_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"
#include "route/lft.h"

CW_BEGIN_DECLS

#define CW_FTREE_RANKS    8          /* at most */
#define CW_FTREE_UNRANKED UINT32_MAX /* of switches that no cables join to the roots: OpenSM knows nothing of them */

/* What the user says of the fabric: a flag for each vertex, or NULL where no file was given. */
struct cw_ftree_roles {
    bool *roots;               /* switches */
    bool *compute;             /* endpoints */
    bool *io;                  /* likewise; where `compute` is NULL, no compute nodes */
    uint32_t max_reverse_hops; /* of ways to an I/O node: how often they may turn down and climb again */
};

/* All cables of a switch to one neighbouring switch. */
struct cw_ftree_group {
    uint32_t peer;     /* the switch */
    uint32_t first, n; /* in `cables`: in order of ports */
    uint32_t load;     /* of all cables */
    uint64_t order;    /* the peer's tuple */
};

struct cw_ftree_cable {
    uint32_t channel; /* out of the switch */
    uint32_t load;    /* routes that count, towards the switch */
    uint32_t across;  /* those that climb on from the switch, of a cable within a rank */
};

struct cw_ftree_switch {
    uint64_t tuple; /* rank and index, the rank in the highest byte */
    uint32_t rank;
    uint32_t down, n_down, up, n_up, side, n_side; /* in `groups`, in order of tuples */
    uint32_t host, n_hosts;                        /* in `hosts`, in order of ports */
};

/* Switches are counted from 0: vertex - n_endpoints. */
struct cw_ftree {
    const struct cw_network *net;
    const struct cw_ftree_roles *roles;
    struct cw_ftree_switch *switches;
    struct cw_ftree_group *groups;
    struct cw_ftree_cable *cables;
    uint32_t *hosts;   /* endpoints at switches */
    uint32_t *by_guid; /* [switches] in OpenSM's order */
    uint32_t *leaves;  /* [n_leaves] switches of the leaf rank in order of tuples, from the first with a compute node to
                        * the last */
    uint32_t *others;  /* [n_others] endpoints that are no compute nodes, by the GUIDs of adapters */
    uint32_t n_leaves, n_others, leaf_rank, max_rank;
    char why[512]; /* why it is refused, once it is */
};

/* Sees NET so. CW_EUSAGE where OpenSM refuses: TREE->why says why, no message is set. CW_ENOMEM. Free TREE in any case.
 */
int cw_ftree_new(const struct cw_network *net, const struct cw_ftree_roles *roles, struct cw_ftree *tree);
void cw_ftree_free(struct cw_ftree *tree);

/* Whether endpoint E is a compute node: it is listed as one, or there is no list, and it is not listed for I/O. */
bool cw_ftree_is_compute(const struct cw_ftree *tree, uint32_t e);
/* The compute nodes at switch S. */
uint32_t cw_ftree_compute_nodes(const struct cw_ftree *tree, uint32_t s);

/* True if V is a port of an adapter. OpenSM's engine knows no routers. */
static inline bool cw_ftree_is_host(const struct cw_network *net, uint32_t v)
{
    return cw_network_is_endpoint(net, v) && !(net->identity && net->identity[v].kind == CW_KIND_ROUTER);
}

/* Fills TABLES and, unless NULL, the ways TO_SWITCHES (route/switch_ways.h). (ftree_route.c) */
int cw_ftree_route(struct cw_ftree *tree, struct cw_lft *tables, uint8_t *to_switches);

CW_END_DECLS

#endif
