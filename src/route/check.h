/*
 * What can be proven of routes.
 */
#ifndef CW_ROUTE_CHECK_H
#define CW_ROUTE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "net/selection.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_reach {
    uint64_t pairs;    /* ordered pairs of different endpoints looked at */
    uint64_t reached;  /* … whose route arrives */
    uint64_t holes;    /* … that end in a missing entry, or at another endpoint */
    uint64_t loops;    /* … that never end */
    uint32_t hops_max; /* longest route that arrives, in channels */
    double hops_mean;
    uint64_t minimal;                           /* routes no longer than the distance */
    uint64_t histogram[64];                     /* routes by length; the last entry holds all longer ones */
    double load_mean, load_max, load_deviation; /* routes per switch-to-switch channel, all ordered pairs */
    uint32_t load_max_channel;
    uint64_t *load; /* [n_channels] counted on each of these, not scaled up; owned by the caller */
    bool sampled; /* more pairs than MAX_PAIRS to be walked: an even random sample (seed 0) was looked at and loads are
                     scaled up */
    struct cw_text first_problem; /* names switch and destination of the first hole or loop; owned by the caller */
};

/* Every ordered pair of different endpoints of SELECTION (NULL: all). Routes of tables, also of such whose lanes follow
 * a rule (hop-lanes), are counted by destination, in O(endpoints · switches); those of closed forms by their structure,
 * where they can be (route/survey.h): a million endpoints take seconds. All other routes are walked, or about MAX_PAIRS
 * of them (0: no limit). */
CW_API int cw_routes_reach(const struct cw_routes *routes, const struct cw_selection *selection, uint64_t max_pairs,
                           unsigned n_threads, struct cw_reach *out);
CW_API void cw_reach_free(struct cw_reach *reach);

struct cw_deadlock {
    bool acyclic; /* the channel-dependency graph over (channel, lane) has no cycle: deadlock-free (Dally and Seitz
                     1987) */
    bool sampled; /* only a sample of the pairs was looked at: acyclic is then not a proof */
    /* Lanes are not known (cw_routes_lanes_known) and all routes were taken to use the same one. Without a cycle the
     * routes are free of deadlocks whatever the lanes are: a cycle over (channel, lane) would be one over channels,
     * too. With a cycle nothing is known. */
    bool lanes_unknown;
    bool first_lids; /* the routes to LIDs behind the first are left out: their lanes are not known, those to the first
                        are */
    bool by_rule;    /* acyclic because (channel, lane) rise along each route in an order that all routes share: the
                        graph was not made */
    uint64_t dependencies; /* edges of that graph; 0 by rule */
    uint32_t *cycle;       /* channels of one cycle, in order, shortest found; NULL if acyclic */
    uint8_t *cycle_lanes;
    uint32_t cycle_length;
    struct cw_text discarded; /* names the first port at which packets are discarded because their service level is
                                 mapped to lane 15; else empty */
};

/* Dependencies of all routes between different endpoints that arrive, whoever takes part: the switches have them, and
 * one message over any of them is enough. Those to all LIDs of an endpoint count together. Found like the routes above.
 */
CW_API int cw_routes_deadlock(const struct cw_routes *routes, uint64_t max_pairs, unsigned n_threads,
                              struct cw_deadlock *out);
CW_API void cw_deadlock_free(struct cw_deadlock *deadlock);

/* "yes", "no", "unknown" (service levels) or "unproven" (a sample): whether routes are free of deadlocks. */
CW_API const char *cw_deadlock_verdict(const struct cw_deadlock *deadlock);

CW_END_DECLS

#endif
