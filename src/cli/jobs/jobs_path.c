/* Which computations, sends and ways through the network decided when a job ended. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/jobs/jobs_run.h"
#include "net/network_internal.h"
#include "report/rows.h"

static const struct cw_column part_columns[] = {
    {"part", CW_COLUMN_TEXT, NULL, "what the longest path consists of"},
    {"time", CW_COLUMN_REAL, "s", "of the path, in the first trial; all parts together take as long as the job"},
    {"share", CW_COLUMN_REAL, NULL, "of the job's time"},
};

static const struct cw_column channel_columns[] = {
    {"channel", CW_COLUMN_INT, NULL, "id"},
    {"from", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"to", CW_COLUMN_TEXT, NULL, "switch or endpoint, and port"},
    {"speed", CW_COLUMN_TEXT, NULL, "capacity, for people"},
    {"carries", CW_COLUMN_REAL, "s",
     "for which it carries the path's messages at their full rate, where no other channel of their ways is slower"},
    {"waits", CW_COLUMN_REAL, "s", "that others sharing the channel cost these messages"},
};

static const struct cw_column stretch_columns[] = {
    {"begin", CW_COLUMN_REAL, "s", "since the first job began"},
    {"time", CW_COLUMN_REAL, "s", "until the next one begins"},
    {"waits", CW_COLUMN_REAL, "s", "of this, for channels that others share"},
    {"part", CW_COLUMN_TEXT, NULL, "computation, overhead of a send, latency, or the bytes of a message"},
    {"rank", CW_COLUMN_INT, NULL, "that computes or sends"},
    {"peer", CW_COLUMN_INT, NULL, "rank that the message is for"},
    {"bytes", CW_COLUMN_INT, "byte", "of the message"},
};

static const char *const parts[] = {"computation", "overhead", "latency", "bytes at full rate",
                                    "waiting for shared channels"}; /* as enum cw_flow_part has them */

static int add_parts(struct cw_result *result, const struct cw_flow_path *path)
{
    struct cw_table *table;
    const double time = path->end - path->begin;
    const int rc = cw_result_new_detail(result, "path", "What decided the end", CW_ITEMS(part_columns), &table);
    for (int p = 0; !rc && p < CW_FLOW_PARTS; p++)
        cw_table_row(table, "%s %g %g", parts[p], path->parts[p], time > 0 ? path->parts[p] / time : 0);
    return rc;
}

/* The channels of the path, those where it spends most time first; `share` is that time. */
static int add_channels(const struct jobs_run *run, const struct cw_flow_path *path, struct cw_channel_use *uses,
                        size_t *n)
{
    struct cw_table *table;
    for (uint32_t c = 0; c < run->fabric.net->n_channels; c++) {
        const double time = path->carried[c] + path->waited[c];
        if (time > 0) uses[(*n)++] = (struct cw_channel_use){.share = time, .channel = c};
    }
    cw_channel_uses_sort(uses, *n);
    const int rc = cw_result_new_detail(run->invocation->result, "path_channels", "Where its messages took longest",
                                        CW_ITEMS(channel_columns), &table);
    if (rc) return rc;
    cw_table_cut_text(table, (size_t)run->values->top);
    for (size_t i = 0; i < *n; i++) {
        jobs_report_channel(run->fabric.net, uses[i].channel, table);
        cw_table_row(table, "%g %g", path->carried[uses[i].channel], path->waited[uses[i].channel]);
    }
    return 0;
}

/* The longest first; of equal ones the first. */
static int compare_stretches(const void *a, const void *b)
{
    const struct cw_flow_stretch *x = a, *y = b;
    const double of_x = x->end - x->begin, of_y = y->end - y->begin;
    if (of_x != of_y) return of_x > of_y ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int add_stretches(const struct jobs_run *run, const struct cw_flow_path *path)
{
    struct cw_table *table;
    const int rc = cw_result_new_detail(run->invocation->result, "path_stretches", "Its longest stretches",
                                        CW_ITEMS(stretch_columns), &table);
    if (rc) return rc;
    cw_table_cut_text(table, (size_t)run->values->top);
    if (path->n > 0) qsort(path->stretches, path->n, sizeof *path->stretches, compare_stretches);
    for (size_t i = 0; i < path->n; i++) {
        const struct cw_flow_stretch *at = &path->stretches[i];
        cw_table_row(table, "%g %g %g %s %u", at->begin, at->end - at->begin, at->waits, parts[at->part], at->rank);
        if (at->part == CW_FLOW_COMPUTES)
            cw_table_row(table, "- -");
        else
            cw_table_row(table, "%u %" PRIu64, at->peer, at->bytes);
    }
    return 0;
}

static void note(const struct jobs_run *run, const struct cw_flow_path *path, const struct cw_channel_use *uses,
                 size_t n)
{
    char name[2 * CW_NAME_SIZE], time[32];
    struct cw_text text = {0};
    uint32_t most = CW_NONE;
    for (size_t i = 0; i < n; i++)
        if (path->waited[uses[i].channel] > (most == CW_NONE ? 0 : path->waited[most])) most = uses[i].channel;
    cw_text_printf(&text,
                   "Job %" PRId64 " ends when it does because of %zu computations, sends and ways through the "
                   "network, each of which began when the one before it had ended.",
                   run->values->path, path->n);
    if (most != CW_NONE)
        cw_text_printf(&text, " Their messages wait longest for %s, %s in all.",
                       cw_network_channel_name(run->fabric.net, most, name, sizeof name),
                       cw_format_time(path->waited[most], time, sizeof time));
    else
        cw_text_add(&text, " Their messages wait for no channel that others share.");
    cw_text_add(&text, " What is saved on this path is a gain until another one is longer.");
    cw_result_note_text(run->invocation->result, &text);
}

int jobs_longest_path(const struct jobs_run *run, const struct cw_flow_jobs_setup *setup)
{
    struct cw_flow_path path;
    size_t n = 0;
    int rc = cw_flow_jobs_path(setup, 0, (size_t)run->values->path - 1, &path);
    if (rc) return rc;
    struct cw_channel_use *uses = cw_new_array(run->fabric.net->n_channels, sizeof *uses, "channels of a path");
    rc = uses ? add_parts(run->invocation->result, &path) : CW_ENOMEM;
    if (!rc) rc = add_channels(run, &path, uses, &n);
    if (!rc) rc = add_stretches(run, &path);
    if (!rc) note(run, &path, uses, n);
    free(uses);
    cw_flow_path_free(&path);
    return rc;
}
