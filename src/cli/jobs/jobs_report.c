#include "cli/jobs/jobs_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "traffic/schedule.h"

#define HALF_WIDTH "half width of its 95 % confidence interval"

/* By flits all; by flows and counts those from `job` to `slowdown`, of one job to `busbw`. */
static const struct cw_column columns[] = {
    {"routing", CW_COLUMN_TEXT, NULL, "packet routing"},
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"traffic", CW_COLUMN_TEXT, NULL, "its collective, or where its messages go"},
    {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on; hosts: on those that are named"},
    {"ranks", CW_COLUMN_INT, NULL, "endpoints of the job"},
    {"bytes", CW_COLUMN_INT, "byte",
     "the collective's message size, or what each rank sends; none of a program, and of a job that never ends"},
    {"trials", CW_COLUMN_INT, NULL, "repetitions with other random choices", .detail = true},
    {"time_mean", CW_COLUMN_REAL, "s", "from its own beginning to its last arrival, with all its repetitions"},
    {"time_ci95", CW_COLUMN_REAL, "s", HALF_WIDTH, .interval = true},
    {"algbw", CW_COLUMN_REAL, "GB/s",
     "of a collective, as NCCL's tests state it: data of a rank / mean time; the whole vector, or all blocks"},
    {"busbw", CW_COLUMN_REAL, "GB/s",
     "the same times what a rank must send at least for each byte: 2(n-1)/n of an allreduce, (n-1)/n with blocks, "
     "else 1"},
    {"alone_mean", CW_COLUMN_REAL, "s", "its time without the other jobs"},
    {"alone_ci95", CW_COLUMN_REAL, "s", HALF_WIDTH, .interval = true},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "time / time alone, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, HALF_WIDTH, .interval = true},
    {"counts_slowdown_mean", CW_COLUMN_REAL, NULL, "the same by counting messages, in the same trials"},
    {"counts_slowdown_ci95", CW_COLUMN_REAL, NULL, HALF_WIDTH, .interval = true},
    {"offered", CW_COLUMN_REAL, NULL, "offered load; none of a collective"},
    {"accepted_mean", CW_COLUMN_REAL, NULL,
     "accepted load while the job ran; of a job that never ends, while the others ran"},
    {"accepted_ci95", CW_COLUMN_REAL, NULL, HALF_WIDTH, .interval = true},
    {"cycles_mean", CW_COLUMN_REAL, "cycle", "time_mean in cycles"},
    {"cycles_ci95", CW_COLUMN_REAL, "cycle", HALF_WIDTH, .interval = true},
};
#define BEYOND_FLOWS 7 /* columns after slowdown */
#define BEYOND_ONE   4 /* columns of others beside it */

static const struct cw_column check_columns[] = {
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"trials", CW_COLUMN_INT, NULL, "that were simulated flit by flit"},
    {"flows_mean", CW_COLUMN_REAL, "s", "time beside the others, by flows without o and L"},
    {"flits_mean", CW_COLUMN_REAL, "s", "the same flit by flit"},
    {"ratio", CW_COLUMN_REAL, NULL, "flows / flits"},
};

/* Data of a rank, each time again, and what it must send at least for each byte, of a collective with data; else false.
 */
static bool find_volume(const struct cw_job_request *job, double *bytes, double *factor)
{
    struct cw_schedule *schedule;
    uint64_t total;
    if (!job->collective || cw_schedule_new(job->what, &schedule)) return false;
    const struct cw_collective_traits *traits = &cw_collectives[cw_schedule_result(schedule)];
    const bool blocks = traits->gives_blocks || traits->takes_blocks, rooted = traits->root_gives || traits->root_takes;
    const double n = job->ranks;
    const bool known = !traits->no_data && !cw_schedule_total_bytes(schedule, job->ranks, job->bytes, &total);
    if (known) {
        *bytes = (double)total / (traits->gives_blocks && traits->takes_blocks ? n : 1) * job->repeat;
        *factor = blocks ? (n - 1) / n : rooted ? 1 : 2 * (n - 1) / n;
    }
    cw_schedule_free(schedule);
    return known;
}

int jobs_report_begin(struct jobs_run *run, size_t rows)
{
    static const char *const titles[] = {"Jobs side by side, by counts", "Jobs side by side, by flows",
                                         "Jobs side by side, flit by flit"}; /* as enum jobs_model has them */
    const size_t all = sizeof columns / sizeof *columns;
    const size_t of_flows = all - 1 - BEYOND_FLOWS - (run->jobs.n == 1 ? BEYOND_ONE : 0);
    const bool flits = run->values->model == JOBS_FLITS;
    const int rc = cw_result_new_table(run->invocation->result, "jobs", titles[run->values->model],
                                       flits ? columns : columns + 1, flits ? all : of_flows, &run->table);
    if (!rc) cw_table_expect(run->table, rows);
    return rc;
}

int jobs_report_figure(const struct jobs_run *run)
{
    static const struct cw_figure_panel panels[] = {{.y = "slowdown_mean", .ci95 = "slowdown_ci95"},
                                                    {.y = "time_mean", .ci95 = "time_ci95"}};
    const bool flits = run->values->model == JOBS_FLITS;
    return cw_result_figure(run->invocation->result, &(struct cw_figure){.kind = CW_FIGURE_BARS,
                                                                         .table = "jobs",
                                                                         .rows = flits ? "routing" : "job",
                                                                         .series = "traffic",
                                                                         .panels = panels,
                                                                         .n_panels = 2});
}

static void add_mean(struct cw_table *table, const struct cw_summary *of)
{
    cw_table_real(table, of->n > 0 ? of->mean : (double)NAN);
    cw_table_real(table, of->n > 0 ? of->ci95 : (double)NAN);
}

static void add_row(const struct jobs_run *run, const char *routing, size_t index, const struct jobs_figures *figures)
{
    const struct cw_job_request *job = &run->jobs.items[index];
    struct cw_table *table = run->table;
    double bytes, factor;
    if (routing) cw_table_text(table, routing);
    cw_table_row(table, "%zu %s %s %u", index + 1, job->what, job->endpoints ? "hosts" : job->placement, job->ranks);
    if (job->bytes > 0)
        cw_table_int(table, (int64_t)job->bytes);
    else
        cw_table_none(table);
    if (figures->trials > 0)
        cw_table_int(table, (int64_t)figures->trials);
    else
        cw_table_none(table);
    add_mean(table, &figures->time);
    if (figures->time.n > 0 && figures->time.mean > 0 && find_volume(job, &bytes, &factor))
        cw_table_row(table, "%g %g", 1e-9 * bytes / figures->time.mean, 1e-9 * factor * bytes / figures->time.mean);
    else
        cw_table_row(table, "- -");
    if (!routing && run->jobs.n == 1) return;
    add_mean(table, &figures->alone);
    add_mean(table, &figures->slowdown);
    if (!routing) return;
    add_mean(table, &figures->counts_slowdown);
    cw_table_real(table, job->collective ? (double)NAN : job->load);
    add_mean(table, &figures->accepted);
    add_mean(table, &figures->cycles);
}

void jobs_report_rows(const struct jobs_run *run, const char *routing, const struct jobs_figures *figures)
{
    double most = 0;
    size_t worst = 0;
    for (size_t i = 0; i < run->jobs.n; i++) {
        add_row(run, routing, i, &figures[i]);
        if (figures[i].slowdown.n == 0 || figures[i].slowdown.mean <= most) continue;
        most = figures[i].slowdown.mean;
        worst = i;
    }
    if (run->jobs.n == 1) return;
    const char *separator = routing ? ": " : "";
    if (!routing) routing = "";
    if (most > 1.005)
        cw_result_note(run->invocation->result,
                       "%s%sJob %zu (%s) suffers most from the others: it takes %.2f times as long as alone.", routing,
                       separator, worst + 1, run->jobs.items[worst].what, most);
    else
        cw_result_note(run->invocation->result, "%s%sNo job takes noticeably longer beside the others than alone.",
                       routing, separator);
}

void jobs_note_apart(struct cw_result *result, const char *what, double apart)
{
    if (apart > JOBS_DISAGREEMENT || apart < 1 / JOBS_DISAGREEMENT)
        cw_result_note(result,
                       "Flit by flit, %s takes %.2f times as long as by flows, which know no buffers: a full one also "
                       "holds up messages that are not for the busy channel. Rely on the flits here.",
                       what, 1 / apart);
}

/* Of job JOB in the trials of both. */
static int compare(const struct jobs_run *run, size_t job, const struct cw_flow_jobs *flows,
                   const struct cw_flit_trials *flits, struct cw_table *table)
{
    struct cw_summary by_flits;
    double by_flows = 0;
    const int rc = cw_flit_trials_summarise(flits, job, CW_OUTCOME_SECONDS, &by_flits);
    if (rc) return rc;
    for (size_t t = 0; t < flows->trials; t++) by_flows += cw_flow_jobs_time(flows, t, job) / (double)flows->trials;
    const double apart = by_flits.mean > 0 ? by_flows / by_flits.mean : 1;
    cw_table_row(table, "%zu %zu %g %g %g", job + 1, flits->kept, by_flows, by_flits.mean, apart);
    char what[32];
    snprintf(what, sizeof what, "job %zu", job + 1);
    jobs_note_apart(run->invocation->result, what, apart);
    return 0;
}

int jobs_report_check(const struct jobs_run *run, const struct cw_flow_jobs *flows, const struct cw_flit_trials *flits)
{
    struct cw_table *table;
    struct cw_result *result = run->invocation->result;
    const char *title = run->values->model == JOBS_FLITS ? "The same by flows" : "The same flit by flit";
    int rc = cw_result_new_detail(result, "check", title, CW_ITEMS(check_columns), &table);
    for (size_t i = 0; !rc && i < run->jobs.n; i++)
        if (cw_job_ends(&run->jobs.items[i])) rc = compare(run, i, flows, flits, table);
    if (!rc && flits->why && run->values->model != JOBS_FLITS)
        cw_result_note(result, "Flit by flit, %zu of %zu trials failed; trial %zu: %s.", flits->wanted - flits->kept,
                       flits->wanted, flits->failed + 1, flits->why);
    return rc;
}

/* What the names of collectives stand for. */
void jobs_report_names(const struct jobs_run *run)
{
    for (size_t i = 0; i < run->jobs.n; i++) {
        const struct cw_job_request *job = &run->jobs.items[i];
        const struct cw_schedule_kind *kind = job->collective ? cw_schedule_find(job->what) : NULL;
        bool said = false;
        for (size_t k = 0; k < i; k++) said |= strcmp(run->jobs.items[k].what, job->what) == 0;
        if (kind && !said && strcmp(kind->name, job->what) != 0)
            cw_result_note(run->invocation->result,
                           "%s is %s here, which is usual for short messages (crosswind help schedules).", job->what,
                           kind->name);
    }
}

void jobs_report_channel(const struct cw_network *net, uint32_t channel, struct cw_table *table)
{
    char from[2 * CW_NAME_SIZE + 32], speed[32], *to;
    cw_network_channel_name(net, channel, from, sizeof from);
    to = strchr(from, '>');
    *to++ = 0;
    cw_table_row(table, "%u %s %s %s", channel, from, to, cw_format_rate(net->capacity[channel], speed, sizeof speed));
}
