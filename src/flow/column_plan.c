#include "flow/column_plan.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "flow/columns.h"
#include "flow/master_lp.h"
#include "flow/potential_reduction.h"
#include "flow/pricing/pricing.h"
#include "flow/quotient.h"
#include "net/network_internal.h"

/*
 * The optimum over all paths that can be priced, proven: potential reduction for good columns and lengths
 * (flow/potential_reduction.h), then column generation to the end, if the gap wanted is smaller than what potential
 * reduction reached.
 *
 * A round: solve the master (flow/master_lp.h), price with its duals, which proves a bound, add the paths that are
 * cheaper than what their demand pays. Duals jump about, so lengths between them and those of the best bound so far are
 * priced (Wentges, Int. Trans. Opl Res. 4(2), 1997), and the duals themselves where that finds nothing.
 */

#define ROUGH       1e-2  /* gap that potential reduction is to reach before linear programs take over, */
#define MODEST      1e-4  /* unless none smaller than this is wanted: that it reaches itself, as a rule */
#define SMOOTH      0.5   /* weight of the best lengths so far */
#define CLOSED      0.6   /* of the progress: the gap is closed, and paths are shortened */
#define RELAY       64    /* hops for which a plan does without a relay */
#define SLACK       1e-10 /* by which the most loaded channel may be loaded more for that, relative */
#define SHORTENINGS 50    /* rounds at most */
#define ALIKE       1e-9  /* z may lose this much for fewer hops, relative, but not leave the wanted gap */

#define LARGE 4e6 /* demands × switches */

bool cw_is_large(const struct cw_flow_problem *problem)
{
    const double n_switches = problem->net->n_vertices - problem->net->n_endpoints;
    return (double)problem->demands->n * n_switches > LARGE;
}

struct generation {
    struct cw_columns *columns;
    struct cw_pricing *pricing;
    struct cw_master master;
    double *best;     /* [channels] lengths of the best bound; borrowed */
    double *dual;     /* [channels] lengths of the master's duals */
    double *length;   /* [channels] priced */
    double *load;     /* [channels] */
    double *distance; /* [demands] of the master's duals */
    double *hop;      /* [channels] 1 with a limit; into an endpoint that may relay RELAY more */
    double *flow;     /* [columns] */
    size_t flow_capacity;
    double z, bound;
    double seconds; /* of a pricing */
};

/* Makes the lengths of all capacity together 1; returns what it was. */
static double normalise(const struct cw_columns *columns, double *length)
{
    const size_t n_channels = columns->problem->net->n_channels;
    double sum = 0;
    for (size_t c = 0; c < n_channels; c++)
        if (length[c] > 0) sum += length[c] / columns->inverse_capacity[c];
    for (size_t c = 0; c < n_channels && sum > 0; c++) length[c] /= sum;
    return sum;
}

/* Takes the master's flows if their z is LEAST or more. */
static int take_flows(struct generation *g, double least)
{
    struct cw_columns *columns = g->columns;
    const int rc = cw_grow_array((void **)&g->flow, &g->flow_capacity, columns->n, sizeof *g->flow, "flows");
    if (rc || !cw_master_flows(&g->master, g->flow)) return rc;
    for (size_t j = 0; j < columns->n; j++) {
        const double flow = columns->items[j].flow;
        columns->items[j].flow = g->flow[j];
        g->flow[j] = flow;
    }
    const double z = 1 / cw_columns_load(columns, g->load);
    if (z >= least) {
        g->z = z;
        return 0;
    }
    for (size_t j = 0; j < columns->n; j++) columns->items[j].flow = g->flow[j];
    return 0;
}

/* Prices SMOOTHING · best + (1 - SMOOTHING) · dual; *ADDED columns of the pool then cost less than their demand pays.
 */
static int price(struct generation *g, double smoothing, size_t *added)
{
    const size_t n_channels = g->columns->problem->net->n_channels;
    for (size_t c = 0; c < n_channels; c++) g->length[c] = smoothing * g->best[c] + (1 - smoothing) * g->dual[c];
    int rc = cw_pricing_run(g->pricing, g->length);
    if (rc) return rc;
    const double bound = cw_pricing_bound(g->pricing, g->length);
    if (bound < g->bound) {
        g->bound = bound;
        memcpy(g->best, g->length, n_channels * sizeof *g->best);
        normalise(g->columns, g->best);
    }
    rc = cw_columns_add_priced(g->columns, g->pricing);
    return rc ? rc : cw_master_add_columns(&g->master, g->dual, g->distance, added);
}

static bool enough(const struct generation *g, double gap)
{
    return 1 - g->z / g->bound <= gap;
}

static int run_rounds(struct generation *g, const struct cw_termination *termination)
{
    const double gap = termination->gap;
    bool solved = true;
    size_t added = 1;
    while (added > 0) {
        int rc = cw_master_solve(&g->master, termination->deadline, &solved);
        if (rc == 0) rc = take_flows(g, g->z);
        cw_termination_report(termination, g->z, g->bound);
        if (rc || !solved || enough(g, gap) || cw_stopwatch_now() + g->seconds > termination->deadline) return rc;
        cw_master_duals(&g->master, g->dual, g->distance);
        const double sum = normalise(g->columns, g->dual);
        for (size_t d = 0; d < g->columns->problem->demands->n; d++) g->distance[d] /= sum;
        rc = price(g, SMOOTH, &added);
        if (rc == 0 && added == 0 && !enough(g, gap)) rc = price(g, 0, &added);
        if (rc || enough(g, gap)) return rc;
    }
    return 0;
}

/* What a path costs is its hops, and RELAY for each relay: where switches relay, the hops count these. */
static void price_hops(struct generation *g)
{
    const struct cw_flow_problem *problem = g->columns->problem;
    for (uint32_t c = 0; c < problem->net->n_channels; c++)
        g->hop[c] = !isinf(problem->capacity[c]) +
                    (problem->legs && cw_network_is_endpoint(problem->net, problem->net->head[c]) ? (double)RELAY : 0);
}

/* Adds the paths that would be cheaper than those there are, by the duals of the master's optimum. */
static int price_shorter(struct generation *g, size_t *added)
{
    const size_t n_channels = g->columns->problem->net->n_channels;
    cw_master_duals(&g->master, g->dual, g->distance);
    for (size_t c = 0; c < n_channels; c++) g->length[c] = g->hop[c] + g->dual[c];
    int rc = cw_pricing_run(g->pricing, g->length);
    if (rc == 0) rc = cw_columns_add_priced(g->columns, g->pricing);
    return rc ? rc : cw_master_add_columns(&g->master, g->length, g->distance, added);
}

/* Among plans of equal z, goes to one with the fewest relays, then hops. */
static int shorten(struct generation *g, const struct cw_termination *termination)
{
    const struct cw_progress_part rest = cw_progress_within(&termination->progress, CLOSED, 1);
    const double least = fmin(fmax(g->z * (1 - ALIKE), g->bound * (1 - termination->gap)), g->z),
                 most = (1 + SLACK) / g->z;
    enum cw_clp_end end = CW_CLP_OPTIMAL;
    size_t added = 1;
    price_hops(g);
    for (unsigned round = 0; round < SHORTENINGS && added > 0 && end == CW_CLP_OPTIMAL; round++) {
        int rc = cw_master_shorten(&g->master, g->hop, most, termination->deadline, &rest, &end);
        if (rc || end == CW_CLP_GAVE_UP) return rc;
        rc = take_flows(g, least);
        if (!rc && end == CW_CLP_OPTIMAL) rc = price_shorter(g, &added);
        if (rc) return rc;
    }
    return 0;
}

static int generate(struct generation *g, const struct cw_termination *termination)
{
    const double gap = termination->gap;
    struct cw_potential_reduction reduced;
    struct cw_termination first = *termination, rest = *termination;
    if (gap < MODEST) first.progress = cw_progress_within(&termination->progress, 0, CLOSED);
    int rc = cw_potential_reduction(g->columns, g->pricing, gap < MODEST ? ROUGH : gap, &first, g->best, &reduced);
    if (rc) return rc;
    g->z = reduced.z;
    g->bound = reduced.bound;
    g->seconds = reduced.seconds;
    first.deadline = rest.deadline = reduced.deadline;
    if (isinf(g->z) || (gap >= MODEST && enough(g, gap)) || reduced.late) return 0;
    normalise(g->columns, g->best);
    rc = cw_master_make(g->columns, &g->master);
    if (rc == 0 && !enough(g, gap)) rc = run_rounds(g, &first);
    if (rc == 0 && enough(g, gap)) rc = shorten(g, &rest);
    cw_master_free(&g->master);
    return rc;
}

/* Finds flows for COLUMNS (empty before) until bound - z ≤ gap · bound or the deadline of TERMINATION, which is told
 * how far it is. *BOUND is proven, over the paths that are priced, by LENGTH [channels], which is zeroed before. */
static int generate_columns(struct cw_columns *columns, struct cw_pricing *pricing,
                            const struct cw_termination *termination, double *length, double *bound)
{
    const struct cw_flow_problem *problem = columns->problem;
    struct generation g = {.columns = columns, .pricing = pricing, .best = length};
    g.dual = cw_new_array(problem->net->n_channels, sizeof *g.dual, "channel lengths");
    g.length = cw_new_array(problem->net->n_channels, sizeof *g.length, "channel lengths");
    g.load = cw_new_array(problem->net->n_channels, sizeof *g.load, "channel loads");
    g.hop = cw_new_array(problem->net->n_channels, sizeof *g.hop, "channel lengths");
    g.distance = cw_new_array(problem->demands->n, sizeof *g.distance, "distances");
    int rc = g.dual && g.length && g.load && g.hop && g.distance ? generate(&g, termination) : CW_ENOMEM;
    free(g.dual);
    free(g.length);
    free(g.load);
    free(g.hop);
    free(g.distance);
    free(g.flow);
    if (rc == 0) *bound = g.bound;
    return rc;
}

/* The plan that needs no search: the network's own routes, with the proof of a cut. */
static int take_own_routes(const struct cw_flow_problem *problem, const struct cw_method_setup *setup,
                           struct cw_plan *plan)
{
    struct cw_plan own = {.bound = NAN};
    int rc = cw_method_find("default")->solve(problem, setup, &own);
    if (rc == 0) rc = cw_plan_evaluate(problem, &own);
    if (rc == 0) rc = cw_proof_by_cut(problem, &plan->proof);
    if (rc == 0) {
        cw_plan_take_paths(plan, &own);
        plan->network_routes = own.network_routes;
        plan->z = own.z;
        plan->bound = plan->proof.bound;
    }
    cw_plan_free(&own);
    return rc;
}

int cw_own_routes_plan(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *plan)
{
    struct cw_plan own = {.bound = NAN};
    memcpy(own.method, plan->method, sizeof own.method);
    int rc = take_own_routes(problem, setup, &own);
    if (rc == 0 && !(own.z >= own.bound * (1 - ALIKE)))
        rc = cw_fail(CW_ELIMIT, "the network's own routes carry less than any cut lets through");
    if (rc == 0)
        *plan = own;
    else
        cw_plan_free(&own);
    return rc;
}

/* A proof prices once more, a little slower than the first pricing, whose lengths are all alike. */
#define PROOF 1.5

/* Proves BOUND by LENGTH of the quotient, or by the least cut if that is what it is: no pricing is needed then, nor if
 * there is no time. */
static int prove(const struct cw_quotient *quotient, const double *length, double bound, unsigned n_threads,
                 double deadline, struct cw_proof *out)
{
    int rc = cw_proof_by_cut(quotient->whole, out);
    if (rc || out->bound <= bound * (1 + ALIKE)) return rc;
    struct cw_proof priced;
    rc = cw_proof_make_until(&quotient->problem, length, n_threads, deadline, &priced);
    if (rc == CW_ELIMIT) return 0;
    cw_proof_free(out);
    if (!rc) *out = priced;
    return rc;
}

/* Paths for PROBLEM, or what it is the quotient of. */
static int search(const struct cw_flow_problem *problem, const struct cw_k_paths *paths,
                  const struct cw_method_setup *setup, const struct cw_termination *termination, double *length,
                  double *bound, struct cw_plan *plan)
{
    struct cw_columns columns = {.problem = NULL};
    struct cw_pricing *pricing = NULL;
    int rc = cw_columns_make(problem, &columns);
    if (rc == 0) rc = cw_pricing_make(problem, paths, setup->n_threads, &pricing);
    if (rc == 0) rc = generate_columns(&columns, pricing, termination, length, bound);
    if (rc == 0) rc = cw_columns_prune(&columns);
    if (rc == 0) rc = cw_columns_plan(&columns, plan);
    cw_pricing_free(pricing);
    cw_columns_free(&columns);
    return rc;
}

/* As cw_column_plan, but CW_ELIMIT if there was not even time for a pricing until TERMINATION's first moment. */
static int search_and_prove(const struct cw_flow_problem *problem, const struct cw_k_paths *paths,
                            const struct cw_method_setup *setup, const struct cw_termination *termination,
                            double *length, struct cw_plan *plan)
{
    struct cw_quotient quotient = {.whole = problem, .problem = *problem, .n = 1};
    double bound;
    int rc = paths ? 0 : cw_quotient_make(problem, &quotient);
    if (rc == 0) rc = search(&quotient.problem, paths, setup, termination, length, &bound, plan);
    if (rc == 0)
        rc = prove(&quotient, length, paths ? 0 : bound, setup->n_threads, termination->deadline, &plan->proof);
    if (rc == 0) plan->bound = paths ? bound : plan->proof.bound;
    cw_quotient_free(&quotient);
    return rc;
}

int cw_column_plan(const struct cw_flow_problem *problem, const struct cw_k_paths *paths,
                   const struct cw_method_setup *setup, double gap, struct cw_plan *plan)
{
    struct cw_termination termination = {.gap = fmax(gap, cw_clp_least_gap()),
                                         .begin = cw_stopwatch_now(),
                                         .deadline = cw_stopwatch_deadline(setup->seconds),
                                         .after = PROOF,
                                         .progress = setup->progress};
    int rc = setup->routes && !paths ? cw_own_routes_plan(problem, setup, plan) : CW_ELIMIT;
    if (!cw_error_stops_one(rc)) return rc; /* 0, too */
    double *length = cw_new_array(problem->net->n_channels, sizeof *length, "channel lengths");
    if (!length) return CW_ENOMEM;
    if (setup->routes && !paths) termination.first = termination.deadline;
    rc = search_and_prove(problem, paths, setup, &termination, length, plan);
    if (rc == CW_ELIMIT) {
        rc = take_own_routes(problem, setup, plan);
        if (cw_error_stops_one(rc)) { /* the network's own routes will not do: it takes the time that it takes */
            termination.first = 0;
            rc = search_and_prove(problem, paths, setup, &termination, length, plan);
        }
    }
    if (rc == 0) plan->k = paths ? setup->k : 0;
    free(length);
    return rc;
}
