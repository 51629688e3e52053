/* crosswind jobs --counters: what ports have counted beside what the jobs send. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/jobs/jobs_run.h"
#include "net/files/counters.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "study/jobs/load_fit.h"

#define NOTICED 0.05 /* of the busiest channel's bytes, and of its own: less beyond what jobs explain is not listed */

static const struct cw_column run_columns[] = {
    {"job", CW_COLUMN_INT, NULL, "number of the job"},
    {"traffic", CW_COLUMN_TEXT, NULL, "its collective, or where its messages go"},
    {"runs", CW_COLUMN_REAL, NULL, "how often it has run between the readings, as the counters are explained best"},
    {"interval", CW_COLUMN_REAL, "s", "time between the readings / runs; none if it has not run, or no time is known"},
    {"time_mean", CW_COLUMN_REAL, "s", "what one run takes beside the others, simulated"},
};

static const struct cw_column counted_columns[] = {
    {"channel", CW_COLUMN_INT, NULL, "id"},
    {"from", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"to", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"speed", CW_COLUMN_TEXT, NULL, "capacity, for people"},
    {"counted", CW_COLUMN_REAL, "byte", "sent between the readings"},
    {"explained", CW_COLUMN_REAL, "byte", "what the jobs send in their runs"},
    {"beyond", CW_COLUMN_REAL, "byte", "counted - explained"},
    {"use", CW_COLUMN_REAL, NULL, "counted, of what it could carry in that time; none if no time is known"},
    {"wait", CW_COLUMN_REAL, NULL, "ticks of the hardware in which there was something to send and it could not"},
};

struct comparison {
    const struct jobs_run *run;
    const struct cw_flow_jobs *times;
    const struct cw_channel_counts *counts;
    struct cw_load_fit fit;
    double seconds; /* NAN: unknown */
};

static int read_difference(const struct cw_network *net, const char *before_path, const char *after_path,
                           struct cw_channel_counts *counts)
{
    struct cw_ib_counters *before = NULL, *after = NULL;
    int rc = cw_ib_counters_read(before_path, &before);
    if (!rc) rc = cw_ib_counters_read(after_path, &after);
    if (!rc) rc = cw_ib_counters_difference(net, before, after, counts);
    cw_ib_counters_free(before);
    cw_ib_counters_free(after);
    return rc;
}

/* Between the times of two files; NAN if these do not say it. */
static double time_between(const char *before, const char *after)
{
    struct stat first, second;
    if (stat(before, &first) || stat(after, &second) || !S_ISREG(first.st_mode) || !S_ISREG(second.st_mode)) return NAN;
    const double seconds = (double)(second.st_mtim.tv_sec - first.st_mtim.tv_sec) +
                           1e-9 * (double)(second.st_mtim.tv_nsec - first.st_mtim.tv_nsec);
    return seconds > 0 ? seconds : NAN;
}

int jobs_read_counters(struct jobs_run *run)
{
    const char *files = run->values->counters, *comma = strchr(files, ',');
    if (!comma || comma == files || !comma[1] || strchr(comma + 1, ','))
        return cw_fail(CW_EUSAGE, "--counters '%s': expected two files, BEFORE,AFTER", files);
    struct cw_text before = {0};
    const double seconds = run->values->counters_seconds;
    cw_text_append(&before, files, (size_t)(comma - files));
    int rc = cw_text_check(&before);
    if (!rc) rc = read_difference(run->fabric.net, before.data, comma + 1, &run->counters.counts);
    if (!rc) run->counters.seconds = seconds > 0 ? seconds : time_between(before.data, comma + 1);
    cw_text_free(&before);
    return rc;
}

static int add_runs(const struct comparison *comparison)
{
    const struct jobs_run *run = comparison->run;
    const struct cw_flow_jobs *times = comparison->times;
    struct cw_table *table;
    const int rc = cw_result_new_table(run->invocation->result, "runs", "How often jobs have run, by the counters",
                                       CW_ITEMS(run_columns), &table);
    for (size_t i = 0; !rc && i < run->jobs.n; i++) {
        const double runs = comparison->fit.runs[i];
        double time = 0;
        for (size_t t = 0; t < times->trials; t++) time += cw_flow_jobs_time(times, t, i) / (double)times->trials;
        cw_table_row(table, "%zu %s %g %g %g", i + 1, run->jobs.items[i].what, runs,
                     runs > 0 ? comparison->seconds / runs : NAN, time);
    }
    return rc;
}

/* The TOP channels by VALUES. */
static int add_channels(const struct comparison *comparison, const char *name, const char *title, const double *values,
                        size_t top)
{
    const struct cw_network *net = comparison->run->fabric.net;
    struct cw_table *table;
    uint32_t *channels = NULL;
    size_t n = 0;
    int rc = cw_load_greatest(values, net->n_channels, top, &channels, &n);
    if (!rc && n > 0)
        rc = cw_result_new_detail(comparison->run->invocation->result, name, title, CW_ITEMS(counted_columns), &table);
    for (size_t i = 0; !rc && i < n; i++) {
        const uint32_t c = channels[i];
        const double counted = comparison->counts->bytes[c], explained = comparison->fit.explained[c];
        jobs_report_channel(net, c, table);
        cw_table_row(table, "%g %g %g %g %g", counted, explained, counted - explained,
                     counted / (net->capacity[c] * comparison->seconds), comparison->counts->wait[c]);
    }
    free(channels);
    return rc;
}

/* What is noticed of what no job explains, VALUES [channels] of zeros; how many channels that is. */
static uint32_t find_beyond(const struct comparison *comparison, double *values)
{
    const uint32_t channels = comparison->run->fabric.net->n_channels;
    double most = 0;
    uint32_t n = 0;
    for (uint32_t c = 0; c < channels; c++)
        if (comparison->counts->bytes[c] > most) most = comparison->counts->bytes[c];
    for (uint32_t c = 0; c < channels; c++) {
        const double counted = comparison->counts->bytes[c], beyond = counted - comparison->fit.explained[c];
        if (!(beyond > NOTICED * most) || !(beyond > NOTICED * counted)) continue;
        values[c] = beyond;
        n++;
    }
    return n;
}

/* What of the counters cannot be relied on. */
static void note_faults(const struct comparison *comparison)
{
    struct cw_result *result = comparison->run->invocation->result;
    const struct cw_channel_counts *counts = comparison->counts;
    if (counts->full > 0)
        cw_result_note(
            result,
            "Counters of 32 bits that are at their end and say nothing: %zu. Clear them (perfquery -R), or read "
            "those of 64 bits (perfquery -x).",
            counts->full);
    if (counts->wrapped > 0)
        cw_result_note(
            result,
            "Counters of 32 bits that are less than before: %zu. It is assumed that they have begun anew once; "
            "where they were cleared, or more has passed, this is wrong.",
            counts->wrapped);
    if (counts->cleared > 0)
        cw_result_note(
            result,
            "%zu counters of 64 bits are less than before: they were cleared, and what they had counted until "
            "then is missing.",
            counts->cleared);
    if (counts->once > 0 || counts->elsewhere > 0)
        cw_result_note(result, "Ports that are not used: %zu in one reading only, %zu at no cable of the map.",
                       counts->once, counts->elsewhere);
}

static void note_fit(const struct comparison *comparison, uint32_t beyond)
{
    struct cw_result *result = comparison->run->invocation->result;
    const struct cw_load_fit *fit = &comparison->fit;
    const double whole = fit->counted > 0 ? fit->counted : 1;
    cw_result_note(result,
                   "The jobs explain %.1f %% of the bytes that %zu ports have counted; they would have sent %.1f %% "
                   "more on cables where fewer were counted.",
                   100 * (fit->counted - fit->beyond) / whole, comparison->counts->ports, 100 * fit->missing / whole);
    if (fit->missing > 0.2 * fit->counted || fit->beyond > 0.5 * fit->counted)
        cw_result_note(result,
                       "So placements, routes or messages are not as they were described, or much of the load is "
                       "not of these jobs.");
    if (beyond > 0)
        cw_result_note(result, "Channels that carry noticeably more than the jobs explain: %u.", beyond);
    else
        cw_result_note(result, "No channel carries noticeably more than the jobs explain.");
    if (isnan(comparison->seconds))
        cw_result_note(result, "The times of the files do not say how much time is between the readings; "
                               "--counters-seconds does.");
}

static int add_comparison(const struct comparison *comparison, size_t top)
{
    const uint32_t channels = comparison->run->fabric.net->n_channels;
    double *values = cw_new_array(channels, sizeof *values, "counters");
    int rc = values ? add_runs(comparison) : CW_ENOMEM;
    if (!rc) {
        note_fit(comparison, find_beyond(comparison, values));
        note_faults(comparison);
        rc = add_channels(comparison, "unexplained", "Busy for no job's sake", values, top);
    }
    if (!rc) rc = add_channels(comparison, "waiting", "Where ports have waited most", comparison->counts->wait, top);
    free(values);
    return rc;
}

int jobs_add_counters(const struct jobs_run *run, const struct cw_flow_jobs_setup *setup,
                      const struct cw_flow_jobs *times)
{
    const struct jobs_counters *counters = &run->counters;
    struct comparison comparison = {
        .run = run, .times = times, .counts = &counters->counts, .seconds = counters->seconds};
    int rc = cw_load_fit_find(setup, counters->counts.bytes, &comparison.fit);
    if (!rc) rc = add_comparison(&comparison, (size_t)run->values->top);
    cw_load_fit_free(&comparison.fit);
    return rc;
}
