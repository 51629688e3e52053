/* What ends flit by flit: jobs, a finite amount of traffic, a collective. */
#include "cli/flit/flit_mode.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "report/rows.h"
#include "study/flit/flit_jobs_case.h"

/* --- trials ------------------------------------------------------------------------------------------------------- */

/* A trial that fails must not go unsaid: it would have been the slowest. */
static void note_failures(struct invocation *invocation, const char *routing, const struct cw_flit_trials *trials)
{
    if (!trials->why) return;
    cw_result_note(invocation->result,
                   "%s: %zu of %zu trials failed and are left out, so the means are too low. Trial %zu: %s.", routing,
                   trials->wanted - trials->kept, trials->wanted, trials->failed + 1, trials->why);
    invocation->failed = true;
}

/* Runs N trials of JOBS with ROUTING. If some fail, a note says how many and why, and the invocation has failed.
 * *WARMUP: as in struct cw_flit_jobs_case, also after an error. Free with cw_flit_trials_free. */
static int run_trials(const struct flit_mode *mode, const struct cw_flit_jobs *jobs, const struct flit_routing *routing,
                      size_t n, struct cw_flit_trials *out, uint64_t *warmup)
{
    const char *name = cw_packet_routing_spec(routing->packets);
    struct cw_flit_jobs_case made = {.net = mode->net,
                                     .selection = mode->selection,
                                     .hardware = mode->hardware,
                                     .messages = &mode->messages,
                                     .seed = (uint64_t)mode->invocation->common.seed,
                                     .n_threads = (unsigned)mode->invocation->common.threads,
                                     .allow_deadlock = mode->values->allow_deadlock,
                                     .jobs = jobs,
                                     .routing = routing->packets,
                                     .routes = routing->routes};
    int rc = cw_flit_jobs_case_make(&made, routing->spec, &mode->steady);
    if (!rc) {
        struct cw_progress *progress = invocation_progress(mode->invocation, name, n);
        rc = cw_flit_trials_run(&made, n, invocation_executor(mode->invocation), progress, out);
        cw_progress_free(progress);
    }
    if (!rc) note_failures(mode->invocation, name, out);
    *warmup = made.warmup;
    cw_flit_jobs_case_free(&made);
    return rc;
}

/* Two cells: the mean of QUANTITY over the trials of job JOB, and the half width of its 95 % confidence interval. */
static int add_mean(const struct cw_flit_trials *trials, size_t job, enum cw_outcome_quantity quantity,
                    struct cw_table *table)
{
    struct cw_summary summary;
    const int rc = cw_flit_trials_summarise(trials, job, quantity, &summary);
    if (rc) return rc;
    cw_table_real(table, summary.mean);
    cw_table_real(table, summary.ci95);
    return 0;
}

/* --- jobs that end, or a finite amount of traffic ----------------------------------------------------------------- */

/* With one job only, the table ends before `alone_mean`. */
static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"traffic", CW_COLUMN_TEXT, NULL, "where its messages go, or its collective"},
    {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on"},
    {"ranks", CW_COLUMN_INT, NULL, "endpoints of the job"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load; none of a collective"},
    {"bytes", CW_COLUMN_INT, "byte",
     "sent by each rank, or the collective's message size; none of a job that never ends"},
    {"trials", CW_COLUMN_INT, NULL, "random trials that ended", .detail = true},
    {"accepted_mean", CW_COLUMN_REAL, NULL,
     "accepted load while the job ran; of a job that never ends, while the others ran"},
    {"accepted_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"time_mean", CW_COLUMN_REAL, "cycle", "from its beginning to the arrival of its last flit"},
    {"time_ci95", CW_COLUMN_REAL, "cycle", "half width of its 95 % confidence interval", .interval = true},
    {"seconds_mean", CW_COLUMN_REAL, "s", "the same"},
    {"seconds_ci95", CW_COLUMN_REAL, "s", "half width of its 95 % confidence interval", .interval = true},
    {"alone_mean", CW_COLUMN_REAL, "cycle", "its time without the other jobs"},
    {"alone_ci95", CW_COLUMN_REAL, "cycle", "half width of its 95 % confidence interval", .interval = true},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "time / time alone, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"congestion_slowdown_mean", CW_COLUMN_REAL, NULL, "the congestion model's slowdown in the same trials"},
    {"congestion_slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

#define COLUMNS      (sizeof columns / sizeof *columns)
#define ONE_JOB_ONLY (COLUMNS - 6)

struct report {
    const struct flit_mode *mode;
    size_t trials;
    const struct cw_flit_jobs *jobs;
    struct cw_table *table; /* the result's */
    uint64_t warmup;        /* the longest */
};

static int add_row(const struct report *report, const struct flit_routing *routing, const struct cw_flit_trials *trials,
                   size_t index)
{
    static const enum cw_outcome_quantity quantities[] = {CW_OUTCOME_ACCEPTED, CW_OUTCOME_TIME,
                                                          CW_OUTCOME_SECONDS,  CW_OUTCOME_ALONE,
                                                          CW_OUTCOME_SLOWDOWN, CW_OUTCOME_CONGESTION_SLOWDOWN};
    const struct cw_flit_request *job = &report->jobs->items[index];
    struct cw_table *table = report->table;
    cw_table_row(table, "%s %zu %s %s %u %g", cw_packet_routing_spec(routing->packets), index + 1, job->what,
                 job->placement, job->ranks, job->collective ? (double)NAN : job->load);
    if (job->bytes > 0)
        cw_table_int(table, (int64_t)job->bytes);
    else
        cw_table_none(table);
    cw_table_int(table, (int64_t)trials->kept);
    const size_t n = cw_table_columns(table) < COLUMNS ? 3 : sizeof quantities / sizeof *quantities;
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) rc = add_mean(trials, index, quantities[i], table);
    return rc;
}

static int report_routing(void *context, const struct flit_routing *routing)
{
    struct report *report = context;
    struct cw_flit_trials trials;
    uint64_t warmup;
    int rc = run_trials(report->mode, report->jobs, routing, report->trials, &trials, &warmup);
    if (warmup > report->warmup) report->warmup = warmup;
    if (rc) return rc;
    for (size_t i = 0; i < report->jobs->n && !rc; i++) rc = add_row(report, routing, &trials, i);
    cw_flit_trials_free(&trials);
    return rc;
}

static int begin_report(const struct flit_mode *mode, const char *title, size_t n_columns, struct report *report)
{
    *report = (struct report){.mode = mode, .trials = mode->values->trials > 0 ? (size_t)mode->values->trials : 1};
    const int rc = cw_table_new("jobs", title, columns, n_columns, &report->table);
    return rc ? rc : cw_result_add_table(mode->invocation->result, report->table);
}

static void note_warmup(const struct report *report)
{
    if (report->warmup > 0)
        cw_result_note(report->mode->invocation->result,
                       "Jobs that never end ran for %llu cycles before the others began.",
                       (unsigned long long)report->warmup);
}

int flit_completion_jobs(const struct flit_mode *mode, const struct cw_flit_jobs *jobs)
{
    struct report report;
    int rc = begin_report(mode, "Jobs side by side, flit by flit", COLUMNS, &report);
    report.jobs = jobs;
    if (!rc) cw_table_expect(report.table, jobs->n * mode->n_routings);
    if (!rc) rc = flit_each_routing(mode, report_routing, &report);
    note_warmup(&report);
    return rc;
}

int flit_completion_finite(const struct flit_mode *mode)
{
    struct report report;
    int rc = begin_report(mode, "Time of a finite amount of traffic, flit by flit", ONE_JOB_ONLY, &report);
    const struct flit_options *values = mode->values;
    const struct cw_reals loads = flit_options_loads(values);
    if (!rc) cw_table_expect(report.table, loads.n * mode->n_routings);
    for (size_t i = 0; i < loads.n && !rc; i++) {
        struct cw_flit_jobs jobs = {0};
        const struct cw_flit_request job = {
            .ranks = mode->selection->n, .load = loads.values[i], .bytes = values->finite};
        rc = cw_flit_jobs_add(&jobs, values->traffic, values->placement, job);
        report.jobs = &jobs;
        if (!rc) rc = flit_each_routing(mode, report_routing, &report);
        cw_flit_jobs_free(&jobs);
    }
    return rc;
}

/* --- a collective, alone and perturbed, beside the model of congestion -------------------------------------------- */

#define TRIALS   20  /* if nothing is said of them */
#define DISAGREE 1.3 /* slowdowns of two models that differ by more are said to */

static const struct cw_column collective_columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all endpoints"},
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
    size_t trials;
    struct cw_flit_jobs jobs; /* the collective, then the perturbation if there is any */
    struct cw_table *table;   /* the result's */
};

static int add_collective(const struct study *study, const struct flit_routing *routing,
                          const struct cw_flit_trials *trials)
{
    static const enum cw_outcome_quantity quantities[] = {CW_OUTCOME_ALONE, CW_OUTCOME_TIME, CW_OUTCOME_SLOWDOWN,
                                                          CW_OUTCOME_CONGESTION_SLOWDOWN};
    struct cw_table *table = study->table;
    cw_table_row(table, "%s %g %zu", cw_packet_routing_spec(routing->packets), study->mode->values->ratio,
                 trials->kept);
    int rc = 0;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities && !rc; i++)
        rc = add_mean(trials, 0, quantities[i], table);
    return rc;
}

/* What `crosswind noise` would have said of the same trials, where that is another answer. */
static int note_disagreement(const struct study *study, const struct flit_routing *routing,
                             const struct cw_flit_trials *trials)
{
    struct cw_summary flits, counts;
    int rc = cw_flit_trials_summarise(trials, 0, CW_OUTCOME_SLOWDOWN, &flits);
    if (!rc) rc = cw_flit_trials_summarise(trials, 0, CW_OUTCOME_CONGESTION_SLOWDOWN, &counts);
    if (rc || !(counts.mean > 0) || study->jobs.n == 1) return rc;
    const double ratio = flits.mean / counts.mean;
    if (ratio <= DISAGREE && ratio >= 1 / DISAGREE) return 0;
    cw_result_note(study->mode->invocation->result,
                   "%s: flit by flit the slowdown is %.3g, and %.3g by counting messages, as crosswind noise does. "
                   "Its model leaves out queues, which fill from one channel to the next.",
                   cw_packet_routing_spec(routing->packets), flits.mean, counts.mean);
    return 0;
}

static int run_routing(void *context, const struct flit_routing *routing)
{
    struct study *study = context;
    struct cw_flit_trials trials;
    uint64_t warmup;
    int rc = run_trials(study->mode, &study->jobs, routing, study->trials, &trials, &warmup);
    if (rc) return rc;
    rc = add_collective(study, routing, &trials);
    if (!rc) rc = note_disagreement(study, routing, &trials);
    cw_flit_trials_free(&trials);
    if (!rc && warmup > 0)
        cw_result_note(study->mode->invocation->result,
                       "%s: the perturbation ran for %llu cycles before each collective began.",
                       cw_packet_routing_spec(routing->packets), (unsigned long long)warmup);
    return rc;
}

/* The collective and its perturbation on random endpoints. */
static int make_jobs(struct study *study)
{
    const struct flit_options *values = study->mode->values;
    struct cw_result *result = study->mode->invocation->result;
    const int rc = cw_flit_jobs_perturb(values->schedule, values->bytes, values->ratio,
                                        flit_options_loads(values).values[0], study->mode->selection->n, &study->jobs);
    if (rc) return rc;
    cw_result_set_context(result, CW_CONTEXT_PLACEMENT, "random");
    cw_result_set_context(result, CW_CONTEXT_TRAFFIC, values->schedule);
    if (study->jobs.n > 1) cw_result_set_context(result, CW_CONTEXT_BACKGROUND, "permutation");
    return 0;
}

int flit_collective(const struct flit_mode *mode)
{
    struct study study = {.mode = mode, .trials = mode->values->trials > 0 ? (size_t)mode->values->trials : TRIALS};
    int rc = make_jobs(&study);
    if (!rc)
        rc = cw_table_new("collective", "Time of a collective, flit by flit", CW_ITEMS(collective_columns),
                          &study.table);
    if (!rc) rc = cw_result_add_table(mode->invocation->result, study.table);
    if (!rc) cw_table_expect(study.table, mode->n_routings);
    if (!rc) rc = flit_each_routing(mode, run_routing, &study);
    cw_flit_jobs_free(&study.jobs);
    return rc;
}
