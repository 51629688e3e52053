#include "cli/flit_completion.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/flit_case.h"
#include "cli/flit_options.h"
#include "cli/flit_study.h"

/* With one job only, the table ends before `alone_mean`. */
static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"traffic", CW_COLUMN_TEXT, NULL, "where its messages go, or its collective"},
    {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on"},
    {"ranks", CW_COLUMN_INT, NULL, "endpoints of the job"},
    {"offered", CW_COLUMN_REAL, NULL, "offered load; none of a collective"},
    {"bytes", CW_COLUMN_INT, "byte", "sent by each rank, or the collective's message size; none without end"},
    {"trials", CW_COLUMN_INT, NULL, "random trials", .detail = true},
    {"accepted_mean", CW_COLUMN_REAL, NULL,
     "accepted load while it ran; of a job without end, while one that ends was running"},
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

int flit_mode_study(const struct flit_mode *mode, const struct flit_jobs *jobs, const char *routing,
                    struct flit_study *study)
{
    *study = (struct flit_study){.net = mode->net,
                                 .selection = mode->selection,
                                 .hardware = mode->hardware,
                                 .message_flits = mode->message_flits,
                                 .seed = (uint64_t)mode->invocation->common.seed,
                                 .n_threads = (unsigned)mode->invocation->common.threads,
                                 .jobs = jobs};
    return flit_study_make(study, routing, &mode->steady);
}

struct report {
    const struct flit_mode *mode;
    const struct flit_jobs *jobs;
    const struct flit_options *values;
    struct cw_table *table;        /* the result's */
    struct flit_outcome *outcomes; /* [trials][jobs] */
    double *figures;               /* [trials], work space */
    size_t trials;
    uint64_t warmup; /* the longest */
};

/* Mean and interval of the figure at OFFSET of job JOB's outcomes, times SCALE; missing where it does not apply. */
static int add_figure(const struct report *report, size_t job, size_t offset, double scale)
{
    for (size_t i = 0; i < report->trials; i++) {
        const char *outcome = (const char *)&report->outcomes[i * report->jobs->n + job];
        report->figures[i] = scale * *(const double *)(const void *)(outcome + offset);
    }
    return flit_study_add_figure(report->table, report->figures, report->trials);
}

static int add_row(const struct report *report, const struct flit_study *study, size_t index)
{
    const struct flit_job *job = &report->jobs->items[index];
    struct cw_table *table = report->table;
    const double second = study->hardware.flit_bytes / study->hardware.reference_capacity;
    cw_table_text(table, cw_packet_routing_name(study->routing));
    cw_table_int(table, (int64_t)index + 1);
    cw_table_text(table, job->what);
    cw_table_text(table, job->placement);
    cw_table_int(table, job->ranks);
    cw_table_real(table, job->collective ? (double)NAN : job->load);
    if (job->bytes > 0)
        cw_table_int(table, (int64_t)job->bytes);
    else
        cw_table_none(table);
    cw_table_int(table, (int64_t)report->trials);
    int error = add_figure(report, index, offsetof(struct flit_outcome, accepted), 1);
    if (!error) error = add_figure(report, index, offsetof(struct flit_outcome, time), 1);
    if (!error) error = add_figure(report, index, offsetof(struct flit_outcome, time), second);
    if (error || cw_table_columns(table) < COLUMNS) return error;
    error = add_figure(report, index, offsetof(struct flit_outcome, alone), 1);
    if (!error) error = add_figure(report, index, offsetof(struct flit_outcome, slowdown), 1);
    if (!error) error = add_figure(report, index, offsetof(struct flit_outcome, congestion_slowdown), 1);
    return error;
}

static int run_trials(struct report *report, const struct flit_study *study)
{
    struct cw_progress *progress =
        invocation_progress(report->mode->invocation, cw_packet_routing_name(study->routing), report->trials);
    int error = 0;
    for (size_t i = 0; i < report->trials && !error; i++) {
        error = flit_study_run(study, i, &report->outcomes[i * report->jobs->n]);
        cw_progress_step(progress, 1);
    }
    cw_progress_free(progress);
    for (size_t i = 0; i < report->jobs->n && !error; i++) error = add_row(report, study, i);
    return error;
}

static int report_routing(void *context, const char *routing)
{
    struct report *report = context;
    const struct flit_mode *mode = report->mode;
    struct flit_study study;
    int error = flit_mode_study(mode, report->jobs, routing, &study);
    if (!error) error = run_trials(report, &study);
    if (study.warmup > report->warmup) report->warmup = study.warmup;
    flit_study_free(&study);
    return error;
}

static int begin_report(const struct flit_mode *mode, const char *title, size_t n_columns, size_t most_jobs,
                        struct report *report)
{
    const struct flit_options *values = mode->invocation->values;
    *report =
        (struct report){.mode = mode, .values = values, .trials = values->trials > 0 ? (size_t)values->trials : 1};
    report->outcomes = cw_new_array(report->trials * most_jobs, sizeof *report->outcomes, "results of trials");
    report->figures = cw_new_array(report->trials, sizeof *report->figures, "results of trials");
    if (!report->outcomes || !report->figures) return CW_ENOMEM;
    const int error = cw_table_new("jobs", title, columns, n_columns, &report->table);
    return error ? error : cw_result_add_table(mode->invocation->result, report->table);
}

static int end_report(struct report *report, int error)
{
    if (report->warmup > 0)
        cw_result_note(report->mode->invocation->result,
                       "Jobs without end ran for %llu cycles before the others began.",
                       (unsigned long long)report->warmup);
    free(report->outcomes);
    free(report->figures);
    return error;
}

int flit_completion_jobs(const struct flit_mode *mode, const struct flit_jobs *jobs)
{
    struct report report;
    int error = begin_report(mode, "Jobs side by side, flit by flit", COLUMNS, jobs->n, &report);
    report.jobs = jobs;
    if (!error) cw_table_expect(report.table, jobs->n * mode->n_routings);
    if (!error) error = flit_each_routing(mode->routings, report_routing, &report);
    return end_report(&report, error);
}

int flit_completion_finite(const struct flit_mode *mode)
{
    struct report report;
    int error = begin_report(mode, "Time of a finite amount of traffic, flit by flit", ONE_JOB_ONLY, 1, &report);
    const struct flit_options *values = report.values;
    if (!error) cw_table_expect(report.table, values->loads.n * mode->n_routings);
    for (size_t i = 0; i < values->loads.n && !error; i++) {
        struct flit_jobs jobs = {0};
        const struct flit_job job = {
            .ranks = mode->selection->n, .load = values->loads.values[i], .bytes = values->finite};
        error = flit_jobs_add(&jobs, values->traffic, values->placement, job);
        report.jobs = &jobs;
        if (!error) error = flit_each_routing(mode->routings, report_routing, &report);
        flit_jobs_free(&jobs);
    }
    return end_report(&report, error);
}
