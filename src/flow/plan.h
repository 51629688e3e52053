/*
 * Plans: every demand split over paths, and what such a plan is worth.
 */
#ifndef CW_FLOW_PLAN_H
#define CW_FLOW_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "flow/flow_problem.h"
#include "flow/proof.h"
#include "net/faults.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* A path with its share of one demand. Channels are those of all paths one behind another, from the source endpoint's
 * to the destination's. */
struct cw_plan_path {
    uint32_t demand;   /* index */
    uint32_t first, n; /* its channels */
    double share;      /* of the demand, > 0; the shares of a demand add up to 1 */
    uint64_t bytes;    /* of the demand; 0 until cw_plan_round */
};

struct cw_plan {
    struct cw_plan_path *paths; /* sorted by demand */
    size_t n_paths, paths_capacity;
    uint32_t *channels;
    size_t n_channels, channels_capacity;
    char method[32];
    bool network_routes;   /* these are the network's own routes: it carries the plan, and nobody relays */
    double z;              /* of this plan, computed from shares and capacities by cw_plan_evaluate */
    double bound;          /* proven upper bound of z over all plans the method may choose among; NaN if it has none */
    struct cw_proof proof; /* of a bound that holds for every plan whatever; the only one that plan files keep */
    uint32_t k;            /* paths a pair it chose among; 0: all paths */
    double seconds;        /* of searching; not in plan files, which depend on nothing but inputs and seed */
    char untried[40];      /* auto: the methods that its budget left no time for, "greedy, lp" */
    uint64_t chunk_bytes;  /* size of the chunks in which bytes are to move; 0: left to who carries the plan out */
};

CW_API void cw_plan_free(struct cw_plan *plan);

/* A plan that says the same of itself as PLAN, its bound included, but has no paths. */
CW_API int cw_plan_without_paths(const struct cw_plan *plan, struct cw_plan *out);

/* Gives PLAN the paths of FROM, which is left without any, in place of its own. */
CW_API void cw_plan_take_paths(struct cw_plan *plan, struct cw_plan *from);
CW_API int cw_plan_add(struct cw_plan *plan, uint32_t demand, double share, const uint32_t *channels, size_t n);

/* Of a plan sorted by demand: the paths of one demand are those from BEGIN up to the result. */
CW_API size_t cw_plan_end_of_demand(const struct cw_plan *plan, size_t begin);

/* Sorts by demand, drops paths with a share below 1e-12, makes each demand's shares add up to 1 exactly enough, and
 * computes z: the least over channels of capacity / load, in units of the problem. */
CW_API int cw_plan_evaluate(const struct cw_flow_problem *problem, struct cw_plan *plan);

/* How long the hottest channel of an evaluated plan needs for its bytes, in s: no transport is faster. */
CW_API double cw_plan_bandwidth_seconds(const struct cw_flow_problem *problem, const struct cw_plan *plan);

/* Whether A is better than B, both evaluated, which are predicted to take SECONDS_A and SECONDS_B (INFINITY: nobody
 * knows). The one rule by which plans are chosen: the faster, or where neither time is known that of the greater z; of
 * equally fast ones the network's own routes, then that of the greater z, then that with a proof, then that of fewer
 * paths. What differs by less than a millionth is the same: so near come methods to what they look for. */
CW_API bool cw_plan_is_better(const struct cw_plan *a, double seconds_a, const struct cw_plan *b, double seconds_b);

/* Gives each path of an evaluated plan whole bytes (largest remainders), so that those of a demand add up to it
 * exactly. */
CW_API int cw_plan_round(const struct cw_flow_problem *problem, struct cw_plan *plan);

/* Paths that got no bytes in rounding do not count. */
struct cw_plan_figures {
    size_t pairs, paths_used;
    double hops_mean; /* weighted by bytes */
    uint32_t hops_max;
    uint32_t copies_max; /* most paths that any one vertex relays: memory copies in store-and-forward by software */
    double max_channel_bytes; /* most bytes on any one channel with a limit */
    uint32_t hottest;         /* the channel with most bytes for its capacity; CW_NONE if none has a limit */
    double hottest_bytes;     /* on that one: where capacities differ, others may carry more */
};
CW_API int cw_plan_figures_compute(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                                   struct cw_plan_figures *out);

/* An independent checker, which shares no code with the methods: paths are contiguous, loopless and from source to
 * destination over channels that have capacity; where a problem has legs, every leg is walked on the network's routes,
 * and those between two legs may relay; the shares of a demand add up to 1, its bytes (unless no path has any
 * yet) to all of it, and each path's are its share to the byte; no channel carries more than its capacity at rate z
 * (1e-9 relative); z is the plan's and not above its bound; the proof's lengths prove its. CW_EINTERNAL says which
 * promise is broken, with the name the element has in a plan file: "plan: demands[7].paths[0], h3 to h9: …". */
CW_API int cw_plan_verify(const struct cw_flow_problem *problem, const struct cw_plan *plan);

/* --- plan files: JSON, version 1, doc/formats/plan.md ------------------------------------------------------------- */

/* Appends the file of a rounded plan, which must be one that cw_plan_verify accepts. FAULTS are those that made the
 * problem's network of another one; NULL: it is whole. */
CW_API int cw_plan_write(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                         const struct cw_channel_changes *faults, struct cw_text *text);

/* Checks that the paths of PLAN, which FILE says are the network's own (`network_routes`), are ROUTES: CW_EPARSE if one
 * is not. cw_plan_parse believes it, for it knows no routes. */
CW_API int cw_plan_check_routes(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                                const struct cw_routes *routes, const char *file);

/* Only the faults of a plan file, before its network is there; free their `items`. CW_EPARSE. */
CW_API int cw_plan_parse_faults(const char *file, const char *data, size_t length, struct cw_channel_changes *out);

/* Reads a plan for PROBLEM, of which FILE says the name, and checks everything as cw_plan_verify does. CW_EPARSE with
 * "FILE: demands[7].bytes is …, expected …" for a file that is malformed, or of another network or other demands, or
 * breaks a promise. */
CW_API int cw_plan_parse(const struct cw_flow_problem *problem, const char *file, const char *data, size_t length,
                         struct cw_plan *out);

/* Only the demands of a plan file for NET, in their order: who has no other list of them makes the problem of these. */
CW_API int cw_plan_parse_demands(const struct cw_network *net, const char *file, const char *data, size_t length,
                                 struct cw_demands *out);

CW_END_DECLS

#endif
