#include "cli/optiq_jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "study/plan_case.h"

#define LARGE   4096 /* nodes from which the optimum is approximated */
#define EPSILON 0.02
#define MAXLOAD 16

const char *const optiq_role_labels[OPTIQ_ROLES] = {"default route", "heuristic", "greedy", "linear program",
                                                    "optimum"};

static const char *const tie_labels[] = {"plain", "rotated", "disjoint", "penalised"};

/* --- one job ------------------------------------------------------------------------------------------------------ */

/* M sources from 0 on, each with N/M destinations from `first` on. */
static int add_pairs(const struct optiq_job *job, uint64_t bytes, struct cw_demands *demands)
{
    const uint32_t each = job->n / job->m;
    int error = 0;
    for (uint32_t i = 0; !error && i < job->n; i++) error = cw_demands_add(demands, i / each, job->first + i, bytes);
    return error;
}

static int make_case(const struct optiq_job *job, struct cw_plan_case *made)
{
    const uint64_t bytes = job->variants[0].bytes;
    *made =
        (struct cw_plan_case){.net = job->net,
                              .wanted = {.k = job->k, .ties = job->ties},
                              .setup = {.routes = job->routes, .maxload = MAXLOAD, .epsilon = EPSILON, .n_threads = 1},
                              .transport = cw_transport_default()};
    made->transport.chunk_bytes = job->variants[0].chunk;
    int error = job->m > 0 ? add_pairs(job, bytes, &made->demands)
                           : cw_demands_pattern(job->net, NULL, job->pattern, bytes, 1, &made->demands);
    if (!error) error = cw_flow_problem_make(job->net, &made->demands, 0, NULL, 0, &made->problem);
    return error;
}

static const char *method_of(const struct optiq_job *job)
{
    static const char *const methods[OPTIQ_ROLES] = {"default", "heuristic", "greedy", "lp", "optimum"};
    return job->role == OPTIQ_OPTIMUM && job->net->n_endpoints >= LARGE ? "approx" : methods[job->role];
}

/* All demands are equal, so that shares hold for messages of any size. */
static int carry(struct cw_plan_case *made, struct cw_plan_run *run, struct optiq_variant *variant)
{
    struct cw_transport_result moved;
    for (size_t d = 0; d < made->demands.n; d++) made->demands.items[d].bytes = variant->bytes;
    made->problem.unit_bytes = variant->bytes;
    made->transport.chunk_bytes = variant->chunk;
    int error = cw_plan_round(&made->problem, &run->plan);
    if (!error) error = cw_transport_run(&made->problem, &run->plan, &made->transport, &moved);
    if (error) return error;
    variant->seconds = moved.seconds;
    variant->bytes_per_second = moved.bytes_per_second;
    return 0;
}

/* The mean hops by default routes. */
static int find_distance(struct cw_plan_case *made, double *out)
{
    struct cw_plan plan = {.k = 0};
    struct cw_plan_figures figures;
    int error = cw_method_solve(cw_method_find("default"), &made->problem, &made->setup, &plan);
    if (!error) error = cw_plan_figures_compute(&made->problem, &plan, &figures);
    if (!error) *out = figures.hops_mean;
    cw_plan_free(&plan);
    return error;
}

static int run_job(struct optiq_job *job)
{
    struct cw_plan_case made;
    struct cw_plan_run run = {.predicted = false};
    int error = make_case(job, &made);
    if (!error) error = find_distance(&made, &job->distance);
    if (!error) error = cw_plan_case_solve(&made, cw_method_find(method_of(job)), &run);
    if (!error) {
        snprintf(job->method, sizeof job->method, "%s", run.plan.method);
        job->pairs = run.figures.pairs;
        job->z = run.plan.z;
        job->bound = run.plan.bound;
        job->hops_mean = run.figures.hops_mean;
        job->search_seconds = run.plan.seconds;
        job->variants[0].seconds = run.moved.seconds;
        job->variants[0].bytes_per_second = run.moved.bytes_per_second;
    }
    for (size_t i = 1; !error && i < job->n_variants; i++) error = carry(&made, &run, &job->variants[i]);
    cw_plan_run_free(&run);
    cw_plan_case_free(&made);
    return error;
}

/* --- all jobs ----------------------------------------------------------------------------------------------------- */

struct batch {
    struct optiq_job *jobs;
    size_t *order;
    struct cw_progress *progress;
};

static int run_item(void *context, size_t index, unsigned thread)
{
    const struct batch *batch = context;
    (void)thread;
    const int error = run_job(&batch->jobs[batch->order[index]]);
    cw_progress_step(batch->progress, 1);
    return error;
}

int optiq_jobs_run(struct optiq_job *jobs, size_t n, unsigned n_threads, struct cw_progress *progress)
{
    struct batch batch = {.jobs = jobs, .order = cw_new_array(n, sizeof *batch.order, "jobs"), .progress = progress};
    if (!batch.order) return CW_ENOMEM;
    /* by size, stable: what takes longest must not begin last */
    size_t at = 0;
    for (uint32_t limit = UINT32_MAX; at < n;) {
        uint32_t largest = 0;
        for (size_t i = 0; i < n; i++) {
            const uint32_t nodes = jobs[i].net->n_endpoints;
            if (nodes < limit && nodes > largest) largest = nodes;
        }
        for (size_t i = 0; i < n; i++)
            if (jobs[i].net->n_endpoints == largest) batch.order[at++] = i;
        limit = largest;
    }
    const int error = cw_parallel_for(n_threads, n, run_item, &batch);
    free(batch.order);
    return error;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network"},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints"},
    {"pattern", CW_COLUMN_TEXT, NULL, "demands"},
    {"pairs", CW_COLUMN_INT, NULL, "demands over the network"},
    {"distance", CW_COLUMN_REAL, "hop", "mean hops by default routes"},
    {"method", CW_COLUMN_TEXT, NULL, "how the plan was made"},
    {"k", CW_COLUMN_INT, NULL, "paths a pair; missing: the default one or all there are"},
    {"ties", CW_COLUMN_TEXT, NULL, "which of equally long paths come first"},
    {"bytes", CW_COLUMN_INT, "byte", "of each pair"},
    {"chunk_bytes", CW_COLUMN_INT, "byte", "size of the chunks that are relayed"},
    {"z", CW_COLUMN_REAL, NULL, "fraction of all demands moved in the time a channel moves the largest"},
    {"z_bound", CW_COLUMN_REAL, NULL, "proven bound of z over the paths chosen among"},
    {"hops_mean", CW_COLUMN_REAL, "hop", "mean over bytes"},
    {"predicted_seconds", CW_COLUMN_REAL, "s", "until all has arrived, by a simulated transport"},
    {"predicted_GBps", CW_COLUMN_REAL, "GB/s", "bytes of all demands in that time"},
    {"search_seconds", CW_COLUMN_REAL, "s", "of searching", .measured = true},
};

static void add_row(struct cw_table *table, const struct optiq_job *job, const struct optiq_variant *variant)
{
    const bool listed = job->role != OPTIQ_DEFAULT && job->role != OPTIQ_OPTIMUM;
    cw_table_text(table, job->net->title);
    cw_table_int(table, job->net->n_endpoints);
    cw_table_text(table, job->pattern);
    cw_table_int(table, (int64_t)job->pairs);
    cw_table_real(table, job->distance);
    cw_table_text(table, job->method);
    if (listed) {
        cw_table_int(table, job->k);
        cw_table_text(table, tie_labels[job->ties]);
    } else {
        cw_table_none(table);
        cw_table_none(table);
    }
    cw_table_int(table, (int64_t)variant->bytes);
    cw_table_int(table, (int64_t)variant->chunk);
    cw_table_real(table, job->z);
    cw_table_real(table, job->bound);
    cw_table_real(table, job->hops_mean);
    cw_table_real(table, variant->seconds);
    cw_table_real(table, variant->bytes_per_second * 1e-9);
    cw_table_real(table, job->search_seconds);
}

int optiq_jobs_table(const char *figure, const struct optiq_job *jobs, size_t n, struct cw_table **out)
{
    struct cw_table *table;
    const int error = cw_table_new("optiq", NULL, columns, sizeof columns / sizeof *columns, &table);
    if (error) return error;
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; strcmp(jobs[i].figure, figure) == 0 && v < jobs[i].n_variants; v++)
            add_row(table, &jobs[i], &jobs[i].variants[v]);
    *out = table;
    return 0;
}
