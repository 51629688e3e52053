#include "cli/flit_collective.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/flit_case.h"
#include "cli/flit_options.h"
#include "cli/flit_study.h"

#define TRIALS 20 /* if nothing is said of them */

static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all that take part"},
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
    const struct flit_mode *mode;
    const struct flit_options *values;
    struct flit_jobs jobs; /* the collective, then the perturbation if there is any */
    size_t trials;
    double *clean, *perturbed, *slowdown, *congestion; /* [trials] */
    struct cw_table *table;                            /* the result's */
};

static int add_row(const struct study *study, const struct flit_study *of)
{
    struct cw_table *table = study->table;
    cw_table_text(table, cw_packet_routing_name(of->routing));
    cw_table_real(table, study->values->ratio);
    cw_table_int(table, (int64_t)study->trials);
    int error = flit_study_add_figure(table, study->clean, study->trials);
    if (!error) error = flit_study_add_figure(table, study->perturbed, study->trials);
    if (!error) error = flit_study_add_figure(table, study->slowdown, study->trials);
    if (!error) error = flit_study_add_figure(table, study->congestion, study->trials);
    return error;
}

static int run_trials(const struct study *study, const struct flit_study *of)
{
    struct cw_progress *progress =
        invocation_progress(study->mode->invocation, cw_packet_routing_name(of->routing), study->trials);
    int error = 0;
    for (size_t i = 0; i < study->trials && !error; i++) {
        struct flit_outcome outcomes[2] = {{0}};
        error = flit_study_run(of, i, outcomes);
        study->clean[i] = outcomes[0].alone;
        study->perturbed[i] = outcomes[0].time;
        study->slowdown[i] = outcomes[0].slowdown;
        study->congestion[i] = outcomes[0].congestion_slowdown;
        cw_progress_step(progress, 1);
    }
    cw_progress_free(progress);
    return error;
}

static int run_routing(void *context, const char *routing)
{
    struct study *study = context;
    const struct flit_mode *mode = study->mode;
    struct flit_study of;
    int error = flit_mode_study(mode, &study->jobs, routing, &of);
    if (!error) error = run_trials(study, &of);
    if (!error) error = add_row(study, &of);
    if (!error && of.warmup > 0)
        cw_result_note(mode->invocation->result,
                       "%s: the perturbation ran for %llu cycles before each collective began.",
                       cw_packet_routing_name(of.routing), (unsigned long long)of.warmup);
    flit_study_free(&of);
    return error;
}

/* The collective and its perturbation on random endpoints. */
static int make_jobs(struct study *study)
{
    const struct flit_options *values = study->values;
    struct cw_result *result = study->mode->invocation->result;
    const uint32_t n = study->mode->selection->n, perturbing = (uint32_t)floor(values->ratio * n + 0.5);
    const struct flit_job collective = {.collective = true, .ranks = n - perturbing, .bytes = values->bytes};
    const struct flit_job perturbation = {.ranks = perturbing, .load = values->loads.values[0]};
    if (collective.ranks < 2)
        return cw_fail(CW_EUSAGE, "ratio %g of %u endpoints leaves %u to the application, expected at least 2",
                       values->ratio, n, collective.ranks);
    cw_result_set_context(result, CW_CONTEXT_PLACEMENT, "random");
    cw_result_set_context(result, CW_CONTEXT_TRAFFIC, values->schedule);
    int error = flit_jobs_add(&study->jobs, values->schedule, "random", collective);
    if (error || perturbing < 2) return error;
    cw_result_set_context(result, CW_CONTEXT_BACKGROUND, "permutation");
    return flit_jobs_add(&study->jobs, "permutation", "random", perturbation);
}

int flit_collective(const struct flit_mode *mode)
{
    const struct flit_options *values = mode->invocation->values;
    struct study study = {
        .mode = mode, .values = values, .trials = values->trials > 0 ? (size_t)values->trials : TRIALS};
    int error = make_jobs(&study);
    if (!error)
        error = cw_table_new("collective", "Time of a collective, flit by flit", columns,
                             sizeof columns / sizeof *columns, &study.table);
    if (!error) error = cw_result_add_table(mode->invocation->result, study.table);
    if (!error) cw_table_expect(study.table, mode->n_routings);
    study.clean = error ? NULL : cw_new_array(4 * study.trials, sizeof *study.clean, "results of trials");
    if (!error && !study.clean) error = CW_ENOMEM;
    if (!error) {
        study.perturbed = study.clean + study.trials;
        study.slowdown = study.clean + 2 * study.trials;
        study.congestion = study.clean + 3 * study.trials;
        error = flit_each_routing(mode->routings, run_routing, &study);
    }
    flit_jobs_free(&study.jobs);
    free(study.clean);
    return error;
}
