/*
 * What messages get of a channel when all are sent at once: 1/congestion, as in sim/ebb.h, but for given messages; and
 * what those of random bisections got that ranks have sent, beside that.
 */
#ifndef CW_STUDY_BENCH_EBB_SHARES_H
#define CW_STUDY_BENCH_EBB_SHARES_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/statistics.h"
#include "route/routes.h"
#include "traffic/flows.h"
#include "traffic/pattern.h"

CW_BEGIN_DECLS

/* SHARES[i] of each of FLOWS between ranks, of which rank r is on ENDPOINTS[r]; 1 for a message that takes no channel.
 * 0, CW_ENOMEM or CW_EROUTE. O(hops + channels). */
int cw_ebb_shares(const struct cw_routes *routes, const struct cw_flows *flows, const uint32_t *endpoints,
                  double *shares);

/* --- bisections that were measured -------------------------------------------------------------------------------- */

/* Which messages there are. All is borrowed. */
struct cw_ebb_bisections {
    const struct cw_pattern *pattern; /* bisection:uni or :bi */
    const uint32_t *members;          /* [n_members] the ranks that take part */
    uint32_t n_members;
    uint64_t seed;
    size_t bytes; /* of a message, at least 1 */
};

/* The messages of TRIAL, between ranks, which replace those of FLOWS. The same whoever asks. */
int cw_ebb_messages(const struct cw_ebb_bisections *bisections, size_t trial, struct cw_flows *flows);

/* When, on the clock of all in s, a rank began to send its message and had the one that it received; -INFINITY where it
 * sent or received none. */
struct cw_ebb_moments {
    double begun, ended;
};

#define CW_EBB_ALONE 8 /* messages sent alone at most, to know what a message gets then */

struct cw_ebb_times {
    size_t n;                   /* trials, at least 1 */
    struct cw_ebb_moments *all; /* [ranks][stride] of each trial */
    size_t stride;
    double alone[CW_EBB_ALONE]; /* [s] of messages alone */
    size_t n_alone;             /* at least 1 */
};

/* What messages got. Means are over trials, of the means over their messages. */
struct cw_ebb_found {
    double alone;               /* byte/s: the median of messages alone */
    struct cw_summary measured; /* as shares of that */
    struct cw_summary predicted;
    double correlation; /* Spearman's, of what was measured and predicted of each message */
};

/* ROUTES: what is predicted, of ranks that are on ENDPOINTS; NULL: nothing is, and both are zero. CW_ENOMEM, CW_EROUTE.
 */
int cw_ebb_find(const struct cw_ebb_bisections *bisections, const struct cw_ebb_times *times,
                const struct cw_routes *routes, const uint32_t *endpoints, struct cw_ebb_found *out);

CW_END_DECLS

#endif
