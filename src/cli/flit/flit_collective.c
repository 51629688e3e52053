#include "cli/flit/flit_collective.h"

#include <math.h>

#include "base/error.h"
#include "cli/flit/flit_trials.h"

#define TRIALS 20 /* if nothing is said of them */

static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all that take part"},
    {"trials", CW_COLUMN_INT, NULL, "random trials that ended"},
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
    struct flit_jobs jobs; /* the collective, then the perturbation if there is any */
    struct flit_trials trials;
    struct cw_table *table; /* the result's */
};

static int add_row(const struct study *study, const struct flit_routing *routing)
{
    static const size_t figures[] = {offsetof(struct flit_outcome, alone), offsetof(struct flit_outcome, time),
                                     offsetof(struct flit_outcome, slowdown),
                                     offsetof(struct flit_outcome, congestion_slowdown)};
    struct cw_table *table = study->table;
    cw_table_text(table, cw_packet_routing_name(routing->packets));
    cw_table_real(table, study->mode->values->ratio);
    cw_table_int(table, (int64_t)study->trials.kept);
    int rc = 0;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !rc; i++)
        rc = flit_trials_add_figure(&study->trials, table, 0, figures[i], 1);
    return rc;
}

static int run_routing(void *context, const struct flit_routing *routing)
{
    struct study *study = context;
    uint64_t warmup;
    int rc = flit_trials_run(&study->trials, &study->jobs, routing, &warmup);
    if (!rc) rc = add_row(study, routing);
    if (!rc && warmup > 0)
        cw_result_note(study->mode->invocation->result,
                       "%s: the perturbation ran for %llu cycles before each collective began.",
                       cw_packet_routing_name(routing->packets), (unsigned long long)warmup);
    return rc;
}

/* The collective and its perturbation on random endpoints. */
static int make_jobs(struct study *study)
{
    const struct flit_options *values = study->mode->values;
    struct cw_result *result = study->mode->invocation->result;
    const uint32_t n = study->mode->selection->n, perturbing = (uint32_t)floor(values->ratio * n + 0.5);
    const struct flit_job collective = {.collective = true, .ranks = n - perturbing, .bytes = values->bytes};
    const struct flit_job perturbation = {.ranks = perturbing, .load = flit_options_loads(values).values[0]};
    if (collective.ranks < 2)
        return cw_fail(CW_EUSAGE, "ratio %g of %u endpoints leaves %u to the application, expected at least 2",
                       values->ratio, n, collective.ranks);
    cw_result_set_context(result, CW_CONTEXT_PLACEMENT, "random");
    cw_result_set_context(result, CW_CONTEXT_TRAFFIC, values->schedule);
    int rc = flit_jobs_add(&study->jobs, values->schedule, "random", collective);
    if (rc || perturbing < 2) return rc;
    cw_result_set_context(result, CW_CONTEXT_BACKGROUND, "permutation");
    return flit_jobs_add(&study->jobs, "permutation", "random", perturbation);
}

int flit_collective(const struct flit_mode *mode)
{
    struct study study = {.mode = mode};
    int rc = make_jobs(&study);
    if (!rc)
        rc = cw_table_new("collective", "Time of a collective, flit by flit", columns, sizeof columns / sizeof *columns,
                          &study.table);
    if (!rc) rc = cw_result_add_table(mode->invocation->result, study.table);
    if (!rc) cw_table_expect(study.table, mode->n_routings);
    const size_t trials = mode->values->trials > 0 ? (size_t)mode->values->trials : TRIALS;
    if (!rc) rc = flit_trials_new(mode, trials, 2, &study.trials);
    if (!rc) rc = flit_each_routing(mode, run_routing, &study);
    flit_trials_free(&study.trials);
    flit_jobs_free(&study.jobs);
    return rc;
}
