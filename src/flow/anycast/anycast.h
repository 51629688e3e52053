/*
 * Anycast: demands whose destination is any of a set of endpoints, such as the I/O nodes of a machine or the servers of
 * a file system, each of which can take so many bytes, or takes them at such a rate.
 *
 * Who sends to whom is chosen first, together with the paths, so that the data are moved as fast as can be; a demand
 * may be split over several members of its set. What comes out are demands like any other, and every method plans them.
 *
 * The choice is Model 1 with a channel more for each member that has a limit, from the member to a destination that the
 * set has in common: column generation (flow/column_plan.h), in which the path of a demand is the shortest to any
 * member, by way of that channel. A rate is the capacity of the channel. A number of bytes is one, too, once it is
 * known how long all takes: bytes / time. That time is found by Newton's method from below. Let lengths l of channels
 * prove that no plan is faster with these capacities (flow/proof.h); then the same lengths prove, whatever time T it is
 * that bytes are divided by,
 *
 *     T ≥ (Σ demand · distance - Σ bytes · l) / Σ capacity · l
 *
 * with the bytes of members that are limited by them, and the capacities of all other channels. Each such T is a lower
 * bound, and the next to try.
 */
#ifndef CW_FLOW_ANYCAST_H
#define CW_FLOW_ANYCAST_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"
#include "flow/method.h"
#include "net/selection.h"

CW_BEGIN_DECLS

struct cw_anycast_member {
    uint32_t endpoint, set;
    uint64_t bytes; /* that it can take; UINT64_MAX: any number */
    double rate;    /* at which it takes them [byte/s]; INFINITY: any */
};

struct cw_anycast_set {
    char *name;
    uint32_t first, n; /* its members */
};

struct cw_anycast_demand {
    uint32_t src, set; /* not a member of it */
    uint64_t bytes;    /* > 0 */
};

/* Starts zeroed. No endpoint is a member of two sets, and the members of a set have room for all that is sent to it.
 * A destination that is no set is one of a single member without a limit. */
struct cw_anycast {
    struct cw_anycast_set *sets;
    struct cw_anycast_member *members; /* set by set */
    struct cw_anycast_demand *demands; /* by source, then set, each pair once */
    size_t n_sets, sets_capacity, n_members, members_capacity, n_demands, demands_capacity;
};

void cw_anycast_free(struct cw_anycast *anycast);

/* Reads LENGTH bytes of DATA, those of FILE (doc/formats/anycast.md), for the endpoints of NET; "all" are those of
 * SELECTION (NULL: of NET). CW_EPARSE with file and line. */
int cw_anycast_parse(const struct cw_network *net, const struct cw_selection *selection, const char *file,
                     const char *data, size_t length, struct cw_anycast *out);

/* Every demand to every member of its set: the demands of the problem that is to be made for cw_anycast_choose. */
int cw_anycast_pairs(const struct cw_anycast *anycast, struct cw_demands *out);

struct cw_anycast_choice {
    struct cw_demands demands; /* to members; those of a demand add up to it */
    uint64_t *taken;           /* [members] bytes; never more than it can take */
    uint64_t *nearest;         /* [members] the same if every sender took the nearest that has room */
    double seconds;            /* that channels and members need at best for this choice, */
    double bound_seconds;      /* for any choice at least (proven by lengths), */
    double nearest_seconds;    /* and at best if every sender took the nearest that has room */
};

/* Chooses for PAIRS, the problem of cw_anycast_pairs, by the threads, epsilon and seconds of SETUP; the seconds are
 * those of each of some searches. Nearest means fewest hops, of equally near ones the first; who comes first in the
 * list of demands takes first, and where there is room for a part only, a part. Time: some times that of the method
 * optimum. */
int cw_anycast_choose(const struct cw_anycast *anycast, const struct cw_flow_problem *pairs,
                      const struct cw_method_setup *setup, struct cw_anycast_choice *out);
void cw_anycast_choice_free(struct cw_anycast_choice *choice);

/* Checks that DEMANDS are a choice: what each source sends to members of a set is what it has for the set, and no
 * member gets more than it can take. CW_EUSAGE says what is wrong. */
int cw_anycast_check(const struct cw_anycast *anycast, const struct cw_network *net, const struct cw_demands *demands);

/* --- pricing, asked by flow/pricing/pricing.h --------------------------------------------------------------------- */

struct cw_anycast_pricing;

int cw_anycast_pricing_make(const struct cw_flow_problem *problem, unsigned n_threads, struct cw_anycast_pricing **out);
void cw_anycast_pricing_free(struct cw_anycast_pricing *pricing);
void cw_anycast_pricing_limit(struct cw_anycast_pricing *pricing, double deadline);
int cw_anycast_pricing_run(struct cw_anycast_pricing *pricing, const double *length);
double cw_anycast_pricing_distance(const struct cw_anycast_pricing *pricing, size_t demand);
const uint32_t *cw_anycast_pricing_path(const struct cw_anycast_pricing *pricing, size_t demand, uint32_t *n);

/* --- asked of flow/proof.c ---------------------------------------------------------------------------------------- */

/* How far every demand of PROBLEM has to go by LENGTH [channels], into OUT [demands], as the checker of proofs finds
 * it, which shares no code with pricing. */
int cw_proof_distances(const struct cw_flow_problem *problem, const double *length, unsigned n_threads, double *out);

CW_END_DECLS

#endif
