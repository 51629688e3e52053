/*
 * What has changed between the forwarding tables of a fabric at two times, whose maps may differ, too.
 */
#ifndef CW_ROUTE_ROUTE_CHANGES_H
#define CW_ROUTE_ROUTE_CHANGES_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network_match.h"
#include "net/selection.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* Of the routes from all sources to one destination, or to all: sources and destination are in both networks. */
struct cw_pair_changes {
    uint64_t before, after; /* that arrived, that arrive */
    uint64_t moved;         /* … both, over other channels */
    uint64_t lost;          /* arrived, and do not */
    uint64_t gained;        /* arrive, and did not */
};

struct cw_route_changes {
    /* Entries of a switch for an endpoint, for each LID that it has on both sides. One is the same if it names the same
     * port for the same endpoint and LID. */
    uint64_t entries_before, entries_after;
    uint64_t entries_moved;         /* name another port */
    uint64_t entries_came;          /* there was none, or not the switch or the endpoint */
    uint64_t entries_went;          /* there is none now */
    struct cw_pair_changes pairs;   /* of the routes to first LIDs */
    struct cw_pair_changes further; /* … to all LIDs behind them */
    uint64_t *at_switch;        /* [switches of AFTER] entries that moved or came, or went and the switch is there */
    uint64_t *to;               /* [endpoints of AFTER] … towards this endpoint */
    struct cw_pair_changes *of; /* [endpoints of AFTER] routes to its first LID */
};

/* From the tables BEFORE and AFTER of the networks of MATCH. Pairs are those AMONG endpoints of AFTER. CW_EUSAGE if
 * they are no tables. O(endpoints · (endpoints + switches)), shared by the threads. Free with cw_route_changes_free.
 * Both may also be routes between GPUs over tables of their fabric: entries are those of the fabric, which a GPU shares
 * with all behind its HCA; pairs are of GPUs, whose routes are walked: O(pairs · hops). */
CW_API int cw_route_changes_find(const struct cw_routes *before, const struct cw_routes *after,
                                 const struct cw_network_match *match, const struct cw_selection *among,
                                 unsigned n_threads, struct cw_route_changes *out);
CW_API void cw_route_changes_free(struct cw_route_changes *changes);

CW_END_DECLS

#endif
