/* How the points of study/optiq_points.h are run. */
#include <stdio.h>

#include "base/error.h"
#include "flow/chunking.h"
#include "flow/transport/transport_set.h"
#include "study/batch.h"
#include "study/optiq_points.h"
#include "study/plan_case.h"

#define LARGE   4096 /* nodes from which the optimum is approximated */
#define EPSILON 0.02
#define MAXLOAD 16

/* --- one point ---------------------------------------------------------------------------------------------------- */

/* m sources from 0 on, each with n/m destinations from `first` on. */
static int add_pairs(const struct cw_optiq_point *point, uint64_t bytes, struct cw_demands *demands)
{
    const uint32_t each = point->n / point->m;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < point->n; i++) rc = cw_demands_add(demands, i / each, point->first + i, bytes);
    return rc;
}

static int make_case(const struct cw_optiq_point *point, struct cw_plan_case *made)
{
    const uint64_t bytes = point->variants[0].bytes;
    *made = (struct cw_plan_case){
        .net = point->net,
        .wanted = {.k = point->k, .ties = point->ties},
        .setup = {.routes = point->routes, .maxload = MAXLOAD, .epsilon = EPSILON, .n_threads = 1},
        .has_transport = true,
        .transport = cw_transport_set_find("bgq")->transport};
    made->transport.chunk_bytes = point->variants[0].chunk;
    int rc = point->m > 0 ? add_pairs(point, bytes, &made->demands)
                          : cw_demands_pattern(point->net, NULL, point->pattern, bytes, 1, &made->demands);
    if (!rc) rc = cw_flow_problem_make(point->net, &made->demands, 0, NULL, 0, &made->problem);
    return rc;
}

static const char *method_of(const struct cw_optiq_point *point)
{
    static const char *const methods[CW_OPTIQ_METHODS] = {"default", "heuristic", "greedy", "lp", "optimum"};
    return point->method == CW_OPTIQ_OPTIMUM && point->net->n_endpoints >= LARGE ? "approx" : methods[point->method];
}

/* All demands are equal, so that shares hold for messages of any size. */
static int carry(struct cw_plan_case *made, struct cw_plan_run *run, struct cw_optiq_variant *variant)
{
    struct cw_transport_result moved;
    for (size_t d = 0; d < made->demands.n; d++) made->demands.items[d].bytes = variant->bytes;
    made->problem.unit_bytes = variant->bytes;
    made->transport.chunk_bytes = variant->chunk;
    cw_plan_free(&run->plan);
    int rc = cw_plan_in_chunks(&made->problem, &run->found, variant->chunk, &run->plan);
    if (!rc) rc = cw_transport_run(&made->problem, &run->plan, &made->transport, &moved);
    if (rc) return rc;
    variant->seconds = moved.seconds;
    variant->bytes_per_second = moved.bytes_per_second;
    return 0;
}

/* The mean hops by default routes. */
static int find_distance(struct cw_plan_case *made, double *out)
{
    struct cw_plan plan = {.k = 0};
    struct cw_plan_figures figures;
    int rc = cw_method_solve(cw_method_find("default"), &made->problem, &made->setup, &plan);
    if (!rc) rc = cw_plan_figures_compute(&made->problem, &plan, &figures);
    if (!rc) *out = figures.hops_mean;
    cw_plan_free(&plan);
    return rc;
}

static int run_point(struct cw_optiq_point *point)
{
    struct cw_plan_case made;
    struct cw_plan_run run = {.predicted = false};
    int rc = make_case(point, &made);
    if (!rc) rc = find_distance(&made, &point->distance);
    if (!rc) rc = cw_plan_case_solve(&made, cw_method_find(method_of(point)), &run);
    if (!rc) rc = cw_plan_case_evaluate(&made, &run);
    if (!rc) {
        snprintf(point->solved_by, sizeof point->solved_by, "%s", run.plan.method);
        point->pairs = run.figures.pairs;
        point->z = run.z;
        point->bound = run.plan.bound;
        point->hops_mean = run.figures.hops_mean;
        point->search_seconds = run.plan.seconds;
        point->variants[0].seconds = run.moved.seconds;
        point->variants[0].bytes_per_second = run.moved.bytes_per_second;
    }
    for (size_t i = 1; !rc && i < point->n_variants; i++) rc = carry(&made, &run, &point->variants[i]);
    if (!rc) point->done = true;
    cw_plan_run_free(&run);
    cw_plan_case_free(&made);
    return rc;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int compute(void *context, size_t index, void *outcome)
{
    const struct cw_optiq_points *points = context;
    struct cw_optiq_point *point = outcome;
    *point = points->items[index];
    return run_point(point);
}

/* Network and routes are this process's. */
static void keep(void *context, size_t index, const void *outcome)
{
    const struct cw_optiq_points *points = context;
    struct cw_optiq_point *point = &points->items[index];
    const struct cw_optiq_point own = *point;
    *point = *(const struct cw_optiq_point *)outcome;
    point->net = own.net;
    point->routes = own.routes;
}

static int figure_of(void *context, size_t index)
{
    const struct cw_optiq_points *points = context;
    return (int)points->items[index].figure;
}

static double cost_of(void *context, size_t index)
{
    const struct cw_optiq_points *points = context;
    return points->items[index].net->n_endpoints;
}

int cw_optiq_points_run(const struct cw_figure_study *study, struct cw_optiq_points *points)
{
    const struct cw_figure_points batches = {.n = points->n,
                                             .figure_of = figure_of,
                                             .cost_of = cost_of,
                                             .outcome_size = sizeof *points->items,
                                             .compute = compute,
                                             .keep = keep,
                                             .context = points};
    return cw_figure_points_run(study, &batches);
}
