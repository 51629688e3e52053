#include "cli/jobs/jobs_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/interval_note.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "study/jobs/advice.h"
#include "traffic/schedule.h"

#define DISAGREEMENT 1.3 /* of flows and flits: from here on it is said in words */

/* With one job only, the table ends before `slowdown_mean`. */
static const struct cw_column job_columns[] = {
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"traffic", CW_COLUMN_TEXT, NULL, "its collective, or where its messages go"},
    {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on"},
    {"ranks", CW_COLUMN_INT, NULL, "endpoints of the job"},
    {"bytes", CW_COLUMN_INT, "byte",
     "the collective's message size, or what each rank sends; none of a program, and of a job that never ends"},
    {"trials", CW_COLUMN_INT, NULL, "repetitions with other random choices", .detail = true},
    {"time_mean", CW_COLUMN_REAL, "s", "from its own beginning to its last arrival, with all its repetitions"},
    {"time_ci95", CW_COLUMN_REAL, "s", "half width of its 95 % confidence interval", .interval = true},
    {"algbw", CW_COLUMN_REAL, "GB/s",
     "of a collective, as NCCL's tests state it: data of a rank / mean time; the whole vector, or all blocks"},
    {"busbw", CW_COLUMN_REAL, "GB/s",
     "the same times what a rank must send at least for each byte: 2(n-1)/n of an allreduce, (n-1)/n with blocks, else "
     "1"},
    {"alone_mean", CW_COLUMN_REAL, "s", "its time without the other jobs"},
    {"alone_ci95", CW_COLUMN_REAL, "s", "half width of its 95 % confidence interval", .interval = true},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "time / time alone, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};
#define ONE_JOB_ONLY (sizeof job_columns / sizeof *job_columns - 4)

static const struct cw_column pair_columns[] = {
    {"job", CW_COLUMN_INT, NULL, "number of the job that is slowed down"},
    {"beside", CW_COLUMN_INT, NULL, "number of the only other job"},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "time / time alone, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

static const struct cw_column check_columns[] = {
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"trials", CW_COLUMN_INT, NULL, "that were simulated flit by flit"},
    {"flows_mean", CW_COLUMN_REAL, "s", "time beside the others, by flows without o and L"},
    {"flits_mean", CW_COLUMN_REAL, "s", "the same flit by flit"},
    {"ratio", CW_COLUMN_REAL, NULL, "flows / flits"},
};

static const struct cw_column advice_columns[] = {
    {"kind", CW_COLUMN_TEXT, NULL, "what is changed: placement, collective, routing or cable"},
    {"change", CW_COLUMN_TEXT, NULL, "the last job's placement or algorithm, all routes, or a cable's speed"},
    {"time_mean", CW_COLUMN_REAL, "s", "the job's time beside the others"},
    {"time_ci95", CW_COLUMN_REAL, "s", "half width of its 95 % confidence interval", .interval = true},
    {"slowed_mean", CW_COLUMN_REAL, NULL, "by the others: time / time alone"},
    {"slowed_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"slows_mean", CW_COLUMN_REAL, NULL, "the others: their time beside this job alone / alone, mean of all that end"},
    {"slows_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"gain_mean", CW_COLUMN_REAL, NULL, "the job's time as it was asked for / with this change"},
    {"gain_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"all_gain_mean", CW_COLUMN_REAL, NULL, "the same of all jobs that end, geometric mean"},
    {"all_gain_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"proof_mean", CW_COLUMN_REAL, NULL,
     "the gain with other seeds, of routing and cable that of all jobs; only of what is a gain"},
    {"proof_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

static const struct cw_column channel_columns[] = {
    {"channel", CW_COLUMN_INT, NULL, "id"},
    {"from", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"to", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"speed", CW_COLUMN_TEXT, NULL, "capacity, for people"},
    {"bytes", CW_COLUMN_REAL, "byte", "of all jobs that end, in the first trial"},
    {"use", CW_COLUMN_REAL, NULL, "share of its capacity that these need until the last of the jobs has ended"},
};

static int summarise(const struct jobs_report *report, size_t job,
                     double of(const struct cw_flow_jobs *, size_t, size_t), struct cw_summary *out)
{
    for (size_t t = 0; t < report->times.trials; t++) report->values[t] = of(&report->times, t, job);
    return cw_summarise(report->values, report->times.trials, out);
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

/* Data of a rank, each time again, and what it must send at least for each byte, of a collective with data; else false.
 */
static bool find_volume(const struct cw_flit_request *job, double *bytes, double *factor)
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

static int add_job(const struct jobs_report *report, size_t index, struct cw_table *table)
{
    const struct cw_flit_request *job = &report->jobs->items[index];
    struct cw_summary time, alone, slowdown;
    double bytes, factor;
    cw_table_row(table, "%zu %s %s %u", index + 1, job->what, job->placement, job->ranks);
    if (!cw_flit_request_ends(job)) {
        for (size_t i = 4; i < cw_table_columns(table); i++) cw_table_none(table);
        return 0;
    }
    if (job->program)
        cw_table_none(table);
    else
        cw_table_int(table, (int64_t)job->bytes);
    cw_table_int(table, (int64_t)report->times.trials);
    int rc = summarise(report, index, cw_flow_jobs_time, &time);
    if (!rc) rc = summarise(report, index, cw_flow_jobs_alone, &alone);
    if (!rc) rc = summarise(report, index, slowdown_of, &slowdown);
    if (rc) return rc;
    cw_table_row(table, "%g %g", time.mean, time.ci95);
    if (time.mean > 0 && find_volume(job, &bytes, &factor))
        cw_table_row(table, "%g %g", 1e-9 * bytes / time.mean, 1e-9 * factor * bytes / time.mean);
    else
        cw_table_row(table, "- -");
    if (report->jobs->n > 1) cw_table_row(table, "%g %g %g %g", alone.mean, alone.ci95, slowdown.mean, slowdown.ci95);
    return 0;
}

static int add_jobs(const struct jobs_report *report)
{
    struct cw_table *table;
    const size_t columns = report->jobs->n > 1 ? sizeof job_columns / sizeof *job_columns : ONE_JOB_ONLY;
    int rc = cw_result_new_table(report->invocation->result, "jobs", "Jobs side by side, by flows", job_columns,
                                 columns, &table);
    if (!rc) cw_table_expect(table, report->jobs->n);
    for (size_t i = 0; !rc && i < report->jobs->n; i++) rc = add_job(report, i, table);
    return rc;
}

static int add_pairs(const struct jobs_report *report)
{
    struct cw_table *table;
    const size_t n = report->jobs->n;
    int rc = cw_result_new_detail(report->invocation->result, "pairs", "Who slows whom down", CW_ITEMS(pair_columns),
                                  &table);
    for (size_t i = 0; !rc && i < n; i++)
        for (size_t j = 0; !rc && j < n; j++) {
            struct cw_summary slowdown;
            if (i == j || !cw_flit_request_ends(&report->jobs->items[i])) continue;
            for (size_t t = 0; t < report->times.trials; t++)
                report->values[t] =
                    ratio(cw_flow_jobs_beside(&report->times, t, i, j), cw_flow_jobs_alone(&report->times, t, i));
            rc = cw_summarise(report->values, report->times.trials, &slowdown);
            if (!rc) cw_table_row(table, "%zu %zu %g %g", i + 1, j + 1, slowdown.mean, slowdown.ci95);
        }
    return rc;
}

static void add_channel(const struct cw_network *net, const struct cw_channel_use *use, struct cw_table *table)
{
    char name[2 * CW_NAME_SIZE + 32], speed[32], *to;
    cw_network_channel_name(net, use->channel, name, sizeof name);
    to = strchr(name, '>');
    *to++ = 0;
    cw_table_row(table, "%u %s %s %s %g %g", use->channel, name, to,
                 cw_format_rate(net->capacity[use->channel], speed, sizeof speed), use->bytes, use->share);
}

static int add_channels(const struct jobs_report *report, size_t top)
{
    struct cw_channel_use *uses = NULL;
    struct cw_table *table = NULL;
    size_t n = 0;
    int rc = cw_flow_jobs_uses(report->setup, 0, &uses, &n);
    if (!rc)
        rc = cw_result_new_detail(report->invocation->result, "busiest", "The channels that are used most",
                                  CW_ITEMS(channel_columns), &table);
    for (size_t i = 0; !rc && i < n && i < top; i++) add_channel(report->fabric->net, &uses[i], table);
    free(uses);
    return rc;
}

/* What flits say of the first trials; where they disagree, the reader is told. */
int jobs_report_check(const struct jobs_report *report, const struct cw_flow_jobs_check *check)
{
    struct cw_table *table;
    struct cw_result *result = report->invocation->result;
    int rc = cw_result_new_detail(result, "check", "The same flit by flit", CW_ITEMS(check_columns), &table);
    for (size_t i = 0; !rc && i < report->jobs->n; i++) {
        struct cw_summary flits;
        double flows = 0;
        if (!cw_flit_request_ends(&report->jobs->items[i])) continue;
        rc = cw_flit_trials_summarise(&check->flits, i, CW_OUTCOME_SECONDS, &flits);
        if (rc) break;
        for (size_t t = 0; t < check->flows.trials; t++)
            flows += cw_flow_jobs_time(&check->flows, t, i) / (double)check->flows.trials;
        const double apart = ratio(flows, flits.mean);
        cw_table_row(table, "%zu %zu %g %g %g", i + 1, check->flits.kept, flows, flits.mean, apart);
        if (apart > DISAGREEMENT || apart < 1 / DISAGREEMENT)
            cw_result_note(
                result,
                "Flit by flit, job %zu takes %.2f times as long as by flows, which know no buffers: a full one "
                "also holds up messages that are not for the busy channel. Rely on the flits here.",
                i + 1, 1 / apart);
    }
    if (!rc && check->flits.why)
        cw_result_note(result, "Flit by flit, %zu of %zu trials failed; trial %zu: %s.",
                       check->flits.wanted - check->flits.kept, check->flits.wanted, check->flits.failed + 1,
                       check->flits.why);
    return rc;
}

/* What the names of collectives stand for. */
static void note_schedules(const struct jobs_report *report)
{
    for (size_t i = 0; i < report->jobs->n; i++) {
        const struct cw_flit_request *job = &report->jobs->items[i];
        const struct cw_schedule_kind *kind = job->collective ? cw_schedule_find(job->what) : NULL;
        bool said = false;
        for (size_t k = 0; k < i; k++) said |= strcmp(report->jobs->items[k].what, job->what) == 0;
        if (kind && !said && strcmp(kind->name, job->what) != 0)
            cw_result_note(report->invocation->result,
                           "%s is %s here, which is usual for short messages (crosswind help schedules).", job->what,
                           kind->name);
    }
}

/* Who suffers most, and what the figures leave out. */
static int add_notes(const struct jobs_report *report)
{
    struct cw_result *result = report->invocation->result;
    double most = 0;
    size_t worst = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < report->jobs->n; i++) {
        struct cw_summary slowdown;
        if (!cw_flit_request_ends(&report->jobs->items[i])) continue;
        rc = summarise(report, i, slowdown_of, &slowdown);
        if (!rc && slowdown.mean > most) {
            most = slowdown.mean;
            worst = i;
        }
    }
    if (!rc && report->jobs->n > 1 && most > 1.005)
        cw_result_note(result, "Job %zu (%s) suffers most from the others: it takes %.2f times as long as alone.",
                       worst + 1, report->jobs->items[worst].what, most);
    else if (!rc && report->jobs->n > 1)
        cw_result_note(result, "No job takes noticeably longer beside the others than alone.");
    if (rc) return rc;
    note_schedules(report);
    cw_result_note(
        result,
        "Messages share the channels of their routes, those of %s, max-min fairly at every moment. A rank of a "
        "collective or a program sends one message after another; a traffic mixes its messages. There are no packets, "
        "buffers or queues: --check N simulates these.",
        cw_routes_name(report->fabric->routes));
    return 0;
}

/* One name a line. */
static int write_hosts(const struct jobs_report *report, const char *path, const char *placement)
{
    const uint32_t n = report->jobs->items[report->jobs->n - 1].ranks;
    struct cw_text text = {0};
    uint32_t *endpoints = NULL;
    char name[CW_NAME_SIZE];
    int rc = cw_advice_endpoints(report->setup, placement, &endpoints);
    for (uint32_t r = 0; !rc && r < n; r++)
        cw_text_printf(&text, "%s\n", cw_network_name(report->fabric->net, endpoints[r], name, sizeof name));
    if (!rc) rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    free(endpoints);
    return rc;
}

static const char *const advice_kinds[CW_ADVICE_KINDS] = {"placement", "collective", "routing", "cable"};

/* The first change of KIND that is advised, or NULL. */
static const struct cw_advice_trial *best_of(const struct cw_advice *advice, enum cw_advice_kind kind)
{
    for (size_t i = 0; i < advice->n; i++)
        if (advice->trials[i].kind == kind && advice->trials[i].advised) return &advice->trials[i];
    return NULL;
}

static void note_best(const struct jobs_report *report, const struct cw_advice_trial *best)
{
    static const char *const before[CW_ADVICE_KINDS] = {"Placement ", "The algorithm ", "Routing ", "Cable "};
    const struct cw_flit_request *job = &report->jobs->items[report->jobs->n - 1];
    const struct cw_summary *gain = cw_advice_gain(best);
    const char *instead = best->kind == CW_ADVISE_PLACEMENT    ? job->placement
                          : best->kind == CW_ADVISE_COLLECTIVE ? job->what
                          : best->kind == CW_ADVISE_ROUTING    ? cw_routes_name(report->fabric->routes)
                                                               : NULL;
    char found[64], proven[64];
    struct cw_text note = {0};
    cw_text_printf(&note, "%s%s makes ", before[best->kind], best->change);
    if (gain == &best->all && report->jobs->n > 1)
        cw_text_printf(&note, "all jobs %.2f times as fast, in geometric mean", gain->mean);
    else
        cw_text_printf(&note, "job %zu (%s) %.2f times as fast", report->jobs->n, job->what, gain->mean);
    if (instead) cw_text_printf(&note, " as %s", instead);
    cw_text_printf(&note, "%s; with other seeds, %.2f times%s.", confidence_words(gain, 1, 2, found, sizeof found),
                   best->proof.mean, confidence_words(&best->proof, 1, 2, proven, sizeof proven));
    if (best->kind == CW_ADVISE_ROUTING)
        cw_text_printf(&note, " crosswind route %s --routing %s --write FILE writes its tables.",
                       report->invocation->positional[0], best->change);
    if (!cw_text_check(&note)) cw_result_note(report->invocation->result, "%s", note.data);
    cw_text_free(&note);
}

static void note_advice(const struct jobs_report *report, const struct cw_advice *advice,
                        const bool kinds[CW_ADVICE_KINDS])
{
    static const char *const none[CW_ADVICE_KINDS] = {"placement", "other algorithm", "other routing", "faster cable"};
    const char *jobs = report->jobs->n > 1 ? "the jobs" : "the job";
    const struct cw_flit_request *job = &report->jobs->items[report->jobs->n - 1];
    for (enum cw_advice_kind k = 0; k < CW_ADVICE_KINDS; k++) {
        const struct cw_advice_trial *best = best_of(advice, k);
        if (best)
            note_best(report, best);
        else if (kinds[k] && k == CW_ADVISE_COLLECTIVE && !job->collective)
            cw_result_note(report->invocation->result, "Job %zu (%s) is no collective: it has one algorithm.",
                           report->jobs->n, job->what);
        else if (kinds[k] && (k == CW_ADVISE_ROUTING || k == CW_ADVISE_CABLE))
            cw_result_note(report->invocation->result, "No %s that was tried makes %s faster, beyond the interval.",
                           none[k], jobs);
        else if (kinds[k])
            cw_result_note(report->invocation->result,
                           "No %s that was tried makes job %zu (%s) faster, beyond the interval.", none[k],
                           report->jobs->n, job->what);
    }
}

static size_t count_kinds(const struct cw_advice *advice)
{
    bool seen[CW_ADVICE_KINDS] = {false};
    size_t n = 0;
    for (size_t i = 0; i < advice->n; i++) seen[advice->trials[i].kind] = true;
    for (size_t k = 0; k < CW_ADVICE_KINDS; k++) n += seen[k];
    return n;
}

static int add_advice(const struct jobs_report *report, const struct cw_advice *advice)
{
    struct cw_table *table;
    const int rc =
        cw_result_new_detail(report->invocation->result, "advice",
                             count_kinds(advice) > 1 ? "What would make jobs faster" : "What there could be instead",
                             CW_ITEMS(advice_columns), &table);
    for (size_t i = 0; !rc && i < advice->n; i++) {
        const struct cw_advice_trial *at = &advice->trials[i];
        const double proof = at->proof.n > 0 ? at->proof.mean : NAN, interval = at->proof.n > 0 ? at->proof.ci95 : NAN;
        cw_table_row(table, "%s %s %g %g %g %g %g %g %g %g %g %g %g %g", advice_kinds[at->kind], at->change,
                     at->time.mean, at->time.ci95, at->slowed.mean, at->slowed.ci95, at->slows.mean, at->slows.ci95,
                     at->gain.mean, at->gain.ci95, at->all.mean, at->all.ci95, proof, interval);
    }
    return rc;
}

int jobs_report_advise(const struct jobs_report *report, const bool kinds[CW_ADVICE_KINDS], const char *hosts)
{
    struct cw_flow_jobs_setup setup = *report->setup;
    struct cw_advice advice = {0};
    const struct cw_flit_request *job = &report->jobs->items[report->jobs->n - 1];
    setup.progress = invocation_progress(report->invocation, "advice", cw_advice_steps(&setup, kinds));
    int rc = cw_advice_find(&setup, kinds, &advice);
    cw_progress_free(setup.progress);
    if (!rc) rc = add_advice(report, &advice);
    if (!rc) note_advice(report, &advice, kinds);
    if (!rc && hosts) {
        const struct cw_advice_trial *best = best_of(&advice, CW_ADVISE_PLACEMENT);
        rc = write_hosts(report, hosts, best ? best->change : job->placement);
    }
    cw_advice_free(&advice);
    return rc;
}

int jobs_report_add(const struct jobs_report *report, size_t top)
{
    int rc = add_jobs(report);
    if (!rc && report->setup->pairs) rc = add_pairs(report);
    if (!rc && top > 0) rc = add_channels(report, top);
    return rc ? rc : add_notes(report);
}
