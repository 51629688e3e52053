#include "cli/flit/flit_completion.h"

#include <math.h>

#include "base/error.h"
#include "cli/flit/flit_outcomes.h"
#include "report/rows.h"

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
    for (size_t i = 0; i < n && !rc; i++) rc = flit_outcomes_add(trials, index, quantities[i], table);
    return rc;
}

static int report_routing(void *context, const struct flit_routing *routing)
{
    struct report *report = context;
    struct cw_flit_trials trials;
    uint64_t warmup;
    int rc = flit_outcomes_run(report->mode, report->jobs, routing, report->trials, &trials, &warmup);
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
