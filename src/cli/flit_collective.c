#include "cli/flit_collective.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/statistics.h"
#include "cli/flit_options.h"
#include "route/engine.h"
#include "sim/collective.h"
#include "traffic/placement.h"
#include "traffic/workload.h"

#define RUN_CYCLES 500 /* between looks at whether the collective is done; the perturbation never is */

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network, as given", .detail = true},
    {"nodes", CW_COLUMN_INT, NULL, "endpoints", .detail = true},
    {"schedule", CW_COLUMN_TEXT, NULL, "the collective", .detail = true},
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing", .detail = true},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all endpoints"},
    {"trials", CW_COLUMN_INT, NULL, "random trials"},
    {"clean_mean", CW_COLUMN_REAL, "cycle", "time of the collective alone"},
    {"clean_ci95", CW_COLUMN_REAL, "cycle", "half width of its 95 % confidence interval", .interval = true},
    {"perturbed_mean", CW_COLUMN_REAL, "cycle", "time beside the perturbation"},
    {"perturbed_ci95", CW_COLUMN_REAL, "cycle", "half width of its 95 % confidence interval", .interval = true},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "perturbed / clean, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"congestion_slowdown_mean", CW_COLUMN_REAL, NULL, "the congestion model's slowdown in the same trials"},
    {"congestion_slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

struct study {
    const struct flit_options *values;
    const struct cw_network *net;
    const struct cw_flit_hardware *hardware;
    uint32_t message_flits, application, perturbing;
    uint64_t seed;
    unsigned n_threads;
    struct cw_packet_routing *routing;
    struct cw_routes *routes; /* of the congestion model; NULL where the routing is none of an engine */
    struct cw_schedule *schedule;
    struct cw_placement *placement;
    struct cw_collective *model; /* NULL without routes */
    uint32_t *endpoints;
    double *clean, *perturbed, *slowdown, *model_slowdown; /* [trials] */
};

/* Runs JOBS until the collective, the first of them, is done. */
static int run_jobs(const struct study *study, const struct cw_flit_job *jobs, size_t n_jobs, double *cycles)
{
    const struct cw_flit_setup setup = {.routing = study->routing,
                                        .hardware = *study->hardware,
                                        .jobs = jobs,
                                        .n_jobs = n_jobs,
                                        .seed = study->seed,
                                        .n_threads = study->n_threads};
    struct cw_flit_simulation *simulation;
    struct cw_flit_window window;
    int error = cw_flit_new(&setup, &simulation);
    if (error) return error;
    while (!error && cw_flit_job_done(simulation, 0) == UINT64_MAX)
        error = cw_flit_run(simulation, RUN_CYCLES, &window);
    if (!error) *cycles = (double)cw_flit_job_done(simulation, 0);
    if (!error) error = cw_flit_drain_and_check(simulation);
    cw_flit_free(simulation);
    return error;
}

/* The same trial in the congestion model: one message of the perturbation for each of its senders. */
static int run_model(const struct study *study, const struct cw_workload *perturbation, double *slowdown)
{
    struct cw_flows flows = {0};
    int error = perturbation ? cw_workload_flows(perturbation, &flows) : 0;
    for (size_t i = 0; !error && i < flows.n; i++) {
        const uint32_t src = study->endpoints[study->application + flows.items[i].src];
        const uint32_t dst = study->endpoints[study->application + flows.items[i].dst];
        error = cw_collective_add_background(study->model, 1, &src, &dst);
    }
    struct cw_times times;
    if (!error) error = cw_collective_run(study->model, study->application, study->endpoints, NULL, NULL, &times);
    if (!error) *slowdown = times.perturbed / times.clean;
    cw_collective_clear_background(study->model);
    cw_flows_free(&flows);
    return error;
}

static int run_trial(const struct study *study, size_t trial)
{
    struct cw_random random = cw_random_of(study->seed, CW_STREAM_PLACEMENT, trial);
    int error = cw_placement_order(study->placement, &random, study->endpoints);
    if (error) return error;
    struct cw_flit_job jobs[2] = {{.kind = CW_FLIT_SCHEDULE,
                                   .n_ranks = study->application,
                                   .endpoints = study->endpoints,
                                   .schedule = study->schedule,
                                   .bytes = study->values->bytes}};
    struct cw_workload *perturbation = NULL;
    if (study->perturbing > 1) {
        const struct cw_ranks ranks = {.n = study->perturbing, .per_group = 1};
        error = cw_workload_new("permutation", &ranks, cw_random_hash(study->seed, trial), &perturbation);
        jobs[1] = (struct cw_flit_job){.kind = CW_FLIT_CONTINUOUS,
                                       .n_ranks = study->perturbing,
                                       .endpoints = study->endpoints + study->application,
                                       .workload = perturbation,
                                       .load = study->values->loads.values[0],
                                       .message_flits = study->message_flits};
    }
    if (!error) error = run_jobs(study, jobs, 1, &study->clean[trial]);
    study->perturbed[trial] = study->clean[trial];
    if (!error && perturbation) error = run_jobs(study, jobs, 2, &study->perturbed[trial]);
    study->slowdown[trial] = study->perturbed[trial] / study->clean[trial];
    if (!error && study->model) error = run_model(study, perturbation, &study->model_slowdown[trial]);
    cw_workload_free(perturbation);
    return error;
}

static int add_figures(struct cw_table *table, const double *values, size_t n)
{
    struct cw_summary summary;
    const int error = cw_summarise(values, n, &summary);
    if (error) return error;
    cw_table_real(table, summary.mean);
    cw_table_real(table, summary.ci95);
    return 0;
}

static int report(const struct study *study, struct cw_result *result)
{
    const size_t trials = (size_t)study->values->trials;
    struct cw_table *table;
    int error = cw_table_new("collective", "Time of a collective, flit by flit", columns,
                             sizeof columns / sizeof *columns, &table);
    if (error) return error;
    cw_table_text(table, study->net->title);
    cw_table_int(table, study->net->n_endpoints);
    cw_table_text(table, cw_schedule_spec(study->schedule));
    cw_table_text(table, cw_packet_routing_name(study->routing));
    cw_table_real(table, study->values->ratio);
    cw_table_int(table, (int64_t)trials);
    error = add_figures(table, study->clean, trials);
    if (!error) error = add_figures(table, study->perturbed, trials);
    if (!error) error = add_figures(table, study->slowdown, trials);
    if (!error && study->model) error = add_figures(table, study->model_slowdown, trials);
    if (!error && !study->model) {
        cw_table_none(table);
        cw_table_none(table);
    }
    if (error) {
        cw_table_free(table);
        return error;
    }
    return cw_result_add_table(result, table);
}

/* --- making it --------------------------------------------------------------------------------------------------- */

static int split(struct study *study)
{
    const uint32_t n = study->net->n_endpoints;
    study->perturbing = (uint32_t)floor(study->values->ratio * n + 0.5);
    study->application = n - study->perturbing;
    if (study->application < 2)
        return cw_fail(CW_EUSAGE, "ratio %g of %u endpoints leaves %u to the application, expected at least 2",
                       study->values->ratio, n, study->application);
    return 0;
}

static int make(struct study *study, const char *route)
{
    const size_t trials = (size_t)study->values->trials;
    int error = split(study);
    if (!error) error = cw_packet_routing_new(study->net, route, study->seed, study->n_threads, &study->routing);
    if (!error) error = cw_schedule_new(study->values->schedule, &study->schedule);
    if (!error) error = cw_placement_new("random", study->net, &study->placement);
    if (error) return error;
    study->endpoints = cw_new_array(study->net->n_endpoints, sizeof *study->endpoints, "a placement");
    study->clean = cw_new_array(4 * trials, sizeof *study->clean, "results of trials");
    if (!study->endpoints || !study->clean) return CW_ENOMEM;
    study->perturbed = study->clean + trials;
    study->slowdown = study->clean + 2 * trials;
    study->model_slowdown = study->clean + 3 * trials;
    if (cw_engine_route(study->net, route, study->seed, study->n_threads, &study->routes) != 0) return 0;
    const struct cw_collective_setup setup = {
        .routes = study->routes, .schedule = study->schedule, .bytes = study->values->bytes};
    return cw_collective_new(&setup, &study->model);
}

static void release(struct study *study)
{
    cw_collective_free(study->model);
    cw_placement_free(study->placement);
    cw_schedule_free(study->schedule);
    cw_packet_routing_free(study->routing);
    cw_routes_free(study->routes);
    free(study->endpoints);
    free(study->clean);
}

int flit_collective(struct invocation *invocation, const struct fabric *fabric, const struct cw_flit_hardware *hardware,
                    uint32_t message_flits)
{
    const struct flit_options *values = invocation->values;
    struct study study = {.values = values,
                          .net = fabric->net,
                          .hardware = hardware,
                          .message_flits = message_flits,
                          .seed = (uint64_t)invocation->common.seed,
                          .n_threads = (unsigned)invocation->common.threads};
    int error = make(&study, values->routes ? values->routes : cw_engine_default(fabric->net));
    struct cw_progress *progress = error ? NULL : invocation_progress(invocation, "collective", (size_t)values->trials);
    for (size_t trial = 0; !error && trial < (size_t)values->trials; trial++) {
        error = run_trial(&study, trial);
        cw_progress_step(progress, 1);
    }
    cw_progress_free(progress);
    if (!error) error = report(&study, invocation->result);
    release(&study);
    return error;
}
