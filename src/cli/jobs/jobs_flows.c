#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/jobs/jobs_run.h"
#include "cli/program/program_report.h"
#include "net/network_internal.h"
#include "report/rows.h"

static const struct cw_column pair_columns[] = {
    {"job", CW_COLUMN_INT, NULL, "number of the job that is slowed down"},
    {"beside", CW_COLUMN_INT, NULL, "number of the only other job"},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "time / time alone, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

static const struct cw_column channel_columns[] = {
    {"channel", CW_COLUMN_INT, NULL, "id"},
    {"from", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"to", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"speed", CW_COLUMN_TEXT, NULL, "capacity, for people"},
    {"bytes", CW_COLUMN_REAL, "byte", "of all jobs that end, in the first trial"},
    {"use", CW_COLUMN_REAL, NULL, "share of its capacity that these need until the last of the jobs has ended"},
};

/* Times of all trials. */
struct flows {
    struct jobs_run *run;
    struct cw_flow_jobs_setup setup;
    struct cw_flow_jobs times;
    double *values; /* [trials] */
};

static int summarise(const struct flows *flows, size_t job, double of(const struct cw_flow_jobs *, size_t, size_t),
                     struct cw_summary *out)
{
    for (size_t t = 0; t < flows->times.trials; t++) flows->values[t] = of(&flows->times, t, job);
    return cw_summarise(flows->values, flows->times.trials, out);
}

/* 1 of a job that takes no time. */
static double ratio(double time, double alone)
{
    return alone > 0 ? time / alone : 1;
}

static double slowdown_of(const struct cw_flow_jobs *times, size_t trial, size_t job)
{
    return ratio(cw_flow_jobs_time(times, trial, job), cw_flow_jobs_alone(times, trial, job));
}

static int add_jobs(const struct flows *flows)
{
    struct jobs_run *run = flows->run;
    struct jobs_figures *figures = cw_new_array(run->jobs.n, sizeof *figures, "figures of jobs");
    int rc = figures ? jobs_report_begin(run, run->jobs.n) : CW_ENOMEM;
    for (size_t i = 0; !rc && i < run->jobs.n; i++) {
        if (!cw_job_ends(&run->jobs.items[i])) continue;
        figures[i].trials = run->trials;
        rc = summarise(flows, i, cw_flow_jobs_time, &figures[i].time);
        if (!rc) rc = summarise(flows, i, cw_flow_jobs_alone, &figures[i].alone);
        if (!rc) rc = summarise(flows, i, slowdown_of, &figures[i].slowdown);
    }
    if (!rc) jobs_report_rows(run, NULL, figures);
    free(figures);
    return rc;
}

static int add_pairs(const struct flows *flows)
{
    struct cw_table *table;
    const size_t n = flows->run->jobs.n;
    int rc = cw_result_new_detail(flows->run->invocation->result, "pairs", "Who slows whom down",
                                  CW_ITEMS(pair_columns), &table);
    for (size_t i = 0; !rc && i < n; i++)
        for (size_t j = 0; !rc && j < n; j++) {
            struct cw_summary slowdown;
            if (i == j || !cw_job_ends(&flows->run->jobs.items[i])) continue;
            for (size_t t = 0; t < flows->times.trials; t++)
                flows->values[t] =
                    ratio(cw_flow_jobs_beside(&flows->times, t, i, j), cw_flow_jobs_alone(&flows->times, t, i));
            rc = cw_summarise(flows->values, flows->times.trials, &slowdown);
            if (!rc) cw_table_row(table, "%zu %zu %g %g", i + 1, j + 1, slowdown.mean, slowdown.ci95);
        }
    return rc;
}

/* Who slows whom down; how much each job suffers from all others, with intervals; and what is in their way. */
static int declare_figures(const struct flows *flows, bool channels)
{
    struct cw_result *result = flows->run->invocation->result;
    static const struct cw_figure map = {.kind = CW_FIGURE_HEAT_MAP,
                                         .table = "pairs",
                                         .title = "Who slows down whom",
                                         .row = "job",
                                         .column = "beside",
                                         .value = "slowdown_mean",
                                         .x_label = "beside this job alone",
                                         .y_label = "job that is slowed down",
                                         .names_table = "jobs",
                                         .names_key = "job",
                                         .names = "traffic",
                                         .level = 1};
    static const struct cw_figure_panel use = {.y = "use"};
    static const struct cw_figure busiest = {
        .kind = CW_FIGURE_BARS, .table = "busiest", .rows = "from", .series = "to", .panels = &use, .n_panels = 1};
    int rc = flows->setup.pairs ? cw_result_figure(result, &map) : 0;
    if (!rc && flows->run->jobs.n > 1) rc = jobs_report_figure(flows->run);
    return rc || !channels ? rc : cw_result_figure(result, &busiest);
}

static void add_channel(const struct cw_network *net, const struct cw_channel_use *use, struct cw_table *table)
{
    jobs_report_channel(net, use->channel, table);
    cw_table_row(table, "%g %g", use->bytes, use->share);
}

static int add_channels(const struct flows *flows, size_t top)
{
    struct cw_channel_use *uses = NULL;
    struct cw_table *table = NULL;
    size_t n = 0;
    int rc = cw_flow_jobs_uses(&flows->setup, 0, &uses, &n);
    if (!rc)
        rc = cw_result_new_detail(flows->run->invocation->result, "busiest", "The channels that are used most",
                                  CW_ITEMS(channel_columns), &table);
    for (size_t i = 0; !rc && i < n && i < top; i++) add_channel(flows->run->fabric.net, &uses[i], table);
    free(uses);
    return rc;
}

/* What recorded programs took when they were recorded. */
static int note_recorded(const struct flows *flows)
{
    const struct jobs_run *run = flows->run;
    int rc = 0;
    for (size_t i = 0; !rc && i < run->jobs.n; i++) {
        const struct cw_job_request *job = &run->jobs.items[i];
        const double recorded = job->recorded * (job->repeat > 1 ? job->repeat : 1);
        char then[32], now[32];
        struct cw_summary alone;
        if (recorded <= 0) continue;
        rc = summarise(flows, i, cw_flow_jobs_alone, &alone);
        if (!rc)
            cw_result_note(
                run->invocation->result,
                "Job %zu (%s) took %s when it was recorded, MPI_Init and MPI_Finalize apart. Alone on this "
                "network it takes %s, %.3g times as long: ranks compute for as long as they did, and wait for "
                "messages as this network has them.",
                i + 1, job->what, cw_format_time(recorded, then, sizeof then),
                cw_format_time(alone.mean, now, sizeof now), alone.mean / recorded);
        if (!rc) program_note_processors(run->invocation->result, job->crowd, job->processors, job->waited);
    }
    return rc;
}

/* What the figures leave out. */
static void note_model(const struct flows *flows)
{
    struct cw_result *result = flows->run->invocation->result;
    const char *routes = cw_routes_name(flows->setup.routes);
    jobs_report_names(flows->run);
    if (flows->setup.by_counts)
        cw_result_note(
            result,
            "Messages of a round share the channels of their routes, those of %s; a message also waits for "
            "channels that are busy with those of earlier rounds. A traffic has a message of each rank under "
            "way, whatever its load. There is no time that rounds share: --model flows has it.",
            routes);
    else
        cw_result_note(
            result,
            "Messages share the channels of their routes, those of %s, max-min fairly at every moment. A rank of a "
            "collective or a program sends one message after another; a traffic mixes its messages. There are no "
            "packets, buffers or queues: --check N simulates these.",
            routes);
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static struct cw_flow_jobs_setup setup_of(const struct jobs_run *run, const struct cw_routes *routes, size_t trials)
{
    const struct jobs_options *values = run->values;
    const struct common *common = &run->invocation->common;
    return (struct cw_flow_jobs_setup){.routes = routes,
                                       .selection = run->fabric.selection,
                                       .jobs = &run->jobs,
                                       .overhead = values->overhead,
                                       .latency = values->latency,
                                       .rendezvous = values->rendezvous,
                                       .seed = (uint64_t)common->seed,
                                       .trials = trials,
                                       .n_threads = (unsigned)common->threads,
                                       .executor = invocation_executor(run->invocation)};
}

int jobs_try_flows(const struct jobs_run *run, const struct cw_routes *routes, size_t trials, struct cw_flow_jobs *out)
{
    struct cw_flow_jobs_setup setup = setup_of(run, routes, trials);
    setup.overhead = setup.latency = 0;
    return cw_flow_jobs_run(&setup, out);
}

static int check(struct jobs_run *run, size_t trials)
{
    struct cw_flow_jobs flows = {0};
    struct cw_flit_trials flits = {0};
    int rc = jobs_try_flows(run, run->fabric.routes, trials, &flows);
    if (!rc) rc = jobs_try_flits(run, trials, &flits);
    if (!rc) rc = jobs_report_check(run, &flows, &flits);
    cw_flow_jobs_free(&flows);
    cw_flit_trials_free(&flits);
    return rc;
}

/* Counts of the same trials, where there are any and they say another time. */
static int note_counts(const struct flows *flows)
{
    const struct jobs_run *run = flows->run;
    struct cw_flow_jobs_setup setup = flows->setup;
    struct cw_flow_jobs times;
    struct cw_summary by_flows, by_counts;
    char counted[32], shared[32];
    size_t job = 0;
    if (setup.by_counts || setup.latency > 0 || setup.rendezvous > 0 || cw_jobs_check_counts(&run->jobs)) return 0;
    while (!cw_job_ends(&run->jobs.items[job])) job++;
    setup.by_counts = true;
    setup.pairs = CW_PAIRS_NONE;
    int rc = cw_flow_jobs_run(&setup, &times);
    if (rc) return rc;
    rc = summarise(flows, job, cw_flow_jobs_time, &by_flows);
    for (size_t t = 0; t < times.trials; t++) flows->values[t] = cw_flow_jobs_time(&times, t, job);
    if (!rc) rc = cw_summarise(flows->values, times.trials, &by_counts);
    cw_flow_jobs_free(&times);
    const double apart = by_counts.mean > 0 ? by_flows.mean / by_counts.mean : 1;
    if (rc || (apart <= JOBS_DISAGREEMENT && apart >= 1 / JOBS_DISAGREEMENT)) return rc;
    cw_result_note(run->invocation->result,
                   "By counting the messages of each round (--model counts), job %zu takes %s, and %s by flows: counts "
                   "do not know %s.",
                   job + 1, cw_format_time(by_counts.mean, counted, sizeof counted),
                   cw_format_time(by_flows.mean, shared, sizeof shared),
                   run->jobs.n > 1 ? "loads, and how rounds drift apart" : "how rounds drift apart");
    return 0;
}

static int report(const struct flows *flows)
{
    const struct jobs_options *values = flows->run->values;
    int rc = add_jobs(flows);
    if (!rc && flows->setup.pairs) rc = add_pairs(flows);
    const bool channels = values->top > 0 && !flows->setup.by_counts;
    if (!rc && channels) rc = add_channels(flows, (size_t)values->top);
    if (!rc) rc = declare_figures(flows, channels);
    if (!rc && values->path > 0) rc = jobs_longest_path(flows->run, &flows->setup);
    if (!rc) rc = note_recorded(flows);
    if (!rc) note_model(flows);
    if (!rc) rc = note_counts(flows);
    if (!rc && values->counters) rc = jobs_add_counters(flows->run, &flows->setup, &flows->times);
    if (!rc && values->advise != JOBS_ADVISE_NONE) rc = jobs_advise(flows->run, &flows->setup);
    return rc;
}

int jobs_by_flows(struct jobs_run *run)
{
    struct flows flows = {.run = run, .setup = setup_of(run, run->fabric.routes, run->trials)};
    flows.setup.pairs = run->jobs.n > 2 ? CW_PAIRS_ALL : CW_PAIRS_NONE; /* two have only each other */
    flows.setup.by_counts = run->values->model == JOBS_COUNTS;
    flows.setup.progress = invocation_progress(run->invocation, "jobs", cw_flow_jobs_steps(&flows.setup));
    int rc = cw_flow_jobs_run(&flows.setup, &flows.times);
    cw_progress_free(flows.setup.progress);
    flows.setup.progress = NULL;
    if (rc) return rc;
    flows.values = cw_new_array(run->trials, sizeof *flows.values, "times of jobs");
    rc = flows.values ? report(&flows) : CW_ENOMEM;
    free(flows.values);
    cw_flow_jobs_free(&flows.times);
    return !rc && run->values->check > 0 ? check(run, (size_t)run->values->check) : rc;
}
