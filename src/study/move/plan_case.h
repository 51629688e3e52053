/*
 * One data movement: a network, demands, the machine's own routes, k paths, and a transport. What `crosswind plan` and
 * `crosswind reproduce` have in common.
 */
#ifndef CW_STUDY_MOVE_PLAN_CASE_H
#define CW_STUDY_MOVE_PLAN_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"
#include "flow/legs/legs.h"
#include "flow/method.h"
#include "flow/paths/k_paths.h"
#include "flow/plan.h"
#include "flow/transport/transport_set.h"
#include "net/network.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* --- what legs may be --------------------------------------------------------------------------------------------- */

/* From names: by which ways a leg goes. */

#define CW_LEG_WAYS_MAX 128 /* as many as a port may have LIDs */

/* Ways from each endpoint to each other. */
struct cw_leg_ways {
    const struct cw_routes *routes[CW_LEG_WAYS_MAX];
    size_t n;
    struct cw_routes *made[CW_LEG_WAYS_MAX]; /* those that were made here */
    size_t n_made;
    bool adaptive; /* or any shortest way */
};

/* Adds ROUTES, which are borrowed, those to all LIDs. CW_ELIMIT if there are too many. */
int cw_leg_ways_add(struct cw_leg_ways *ways, const struct cw_routes *routes);

/* Adds the ways to N LIDs of every endpoint beyond the first, as a subnet manager spreads them: at every switch each
 * goes by another one of the ports on shortest paths, as long as there are others. */
int cw_leg_ways_add_lids(struct cw_leg_ways *ways, const struct cw_network *net, uint32_t n, uint64_t seed,
                         unsigned n_threads);

/* Adds those that LIST says, items separated by ';': a routing (route/engine.h); "lft:FILE", forwarding tables to all
 * LIDs that they have; or "adaptive", for switches that choose among all shortest ways. */
int cw_leg_ways_add_list(struct cw_leg_ways *ways, const struct cw_network *net, const char *list, uint64_t seed,
                         unsigned n_threads);

/* --- the case ----------------------------------------------------------------------------------------------------- */

/* Whoever fills it in sets net, demands, problem, and what is not said to be found. It stays where it is once the
 * problem is made, which points to the demands. */
struct cw_plan_case {
    const struct cw_network *net; /* borrowed */
    struct cw_demands demands;
    struct cw_leg_ways ways;     /* of legs; none: paths are free */
    struct cw_selection *relays; /* NULL: as the legs say */
    struct cw_legs *legs;
    struct cw_flow_problem problem;
    struct cw_k_paths_setup wanted;       /* paths for the methods that need them … */
    struct cw_k_paths paths;              /* … found for the first of these */
    double paths_seconds;                 /* of finding them */
    struct cw_method_setup setup;         /* its routes are borrowed; its paths are found */
    bool has_transport;                   /* else no times are predicted */
    const struct cw_transport_set *usual; /* the default, whose costs are taken as they are; NULL: others were given */
    struct cw_transport transport;        /* its chunks and credits hold in any case */
    struct cw_arrivals *arrivals;         /* of the next plan that is evaluated: borrowed; NULL: nobody asks */
    struct cw_progress_part progress; /* of the next plan: finding paths, if there are none, search, and transport */
};

void cw_plan_case_free(struct cw_plan_case *made);

/* Finds the paths, unless they are there. CW_ELIMIT if they need more memory than can be had. */
int cw_plan_case_find_paths(struct cw_plan_case *made);

/* Lets the transport simulate chunks in fewer pieces if those of all demands take many hops; and, if it may GROUP them,
 * several as one if they are very many. */
int cw_plan_case_group_chunks(struct cw_plan_case *made, bool group);

/* A plan, what it is worth and how long it takes. */
struct cw_plan_run {
    struct cw_plan found; /* by the method; empty if the plan was read */
    struct cw_plan plan;  /* the same in whole chunks, as it is carried out */
    double z;             /* of the one that was found */
    struct cw_plan_figures figures;
    double bandwidth_seconds; /* that the hottest channel needs: no transport is faster */
    struct cw_transport_result moved;
    bool predicted; /* false: `moved` is not known, for no transport is, or chunks are too many to be simulated */
};

/* Makes a plan by METHOD, and no more. Its seconds include finding the paths it chooses among. */
int cw_plan_case_solve(struct cw_plan_case *made, const struct cw_method *method, struct cw_plan_run *run);

/* What the plan of RUN is worth, and how long it takes by the simulated transport. */
int cw_plan_case_evaluate(const struct cw_plan_case *made, struct cw_plan_run *run);

/* How long the demands take on the network's own routes, as the transport predicts; NaN where no transport is known, a
 * pair has no route, or chunks are too many to be simulated. */
int cw_plan_case_default_seconds(struct cw_plan_case *made, double *out);

/* Whether A is better than B by the times that are predicted, as cw_plan_is_better says. */
bool cw_plan_run_is_better(const struct cw_plan_run *a, const struct cw_plan_run *b);
/* Which of N runs, at least 1, is the best; of equally good ones the first. */
size_t cw_plan_runs_best(const struct cw_plan_run *runs, size_t n);

void cw_plan_run_free(struct cw_plan_run *run);

/* Makes the case that `crosswind plan` has unless told otherwise, of DEMANDS, which are taken over and left empty, on
 * ROUTES: all of SELECTION may relay, once; on Blue Gene every node, on any path. CW_EUSAGE for routes of several ways
 * a pair, and whatever legs give. Free with cw_plan_case_free in any case. */
int cw_plan_case_usual(const struct cw_routes *routes, const struct cw_selection *selection, struct cw_demands *demands,
                       uint64_t seed, unsigned n_threads, struct cw_plan_case *made);

/* What `crosswind plan` predicts then for TRAFFIC, a pattern of the endpoints of SELECTION: *OUT are the seconds [s] of
 * the fastest plan. Pairs of patterns without sizes exchange 8 MiB. CW_EROUTE if there is no plan, CW_ELIMIT if what it
 * takes cannot be simulated, and whatever patterns, cw_plan_case_usual, paths and methods give. Time: that of the verb.
 */
int cw_plan_usual_seconds(const struct cw_routes *routes, const struct cw_selection *selection, const char *traffic,
                          uint64_t seed, unsigned n_threads, double *out);

CW_END_DECLS

#endif
