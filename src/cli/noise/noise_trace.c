#include "cli/noise/noise_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define TEXT_ROWS 100 /* enough for cases that people follow by eye */

static const struct cw_column message_columns[] = {
    {"level", CW_COLUMN_INT, NULL, "level of the schedule, from 1"},
    {"src", CW_COLUMN_INT, NULL, "rank that sends"},
    {"src_endpoint", CW_COLUMN_TEXT, NULL, "endpoint it runs on"},
    {"dst", CW_COLUMN_INT, NULL, "rank that receives"},
    {"dst_endpoint", CW_COLUMN_TEXT, NULL, "endpoint it runs on"},
    {"clean", CW_COLUMN_INT, NULL, "congestion of the message without perturbation"},
    {"perturbed", CW_COLUMN_INT, NULL, "congestion of the message with perturbation"},
    {"hottest", CW_COLUMN_TEXT, NULL, "the channel on its route that decides its time with perturbation"},
};

static const struct cw_column channel_columns[] = {
    {"level", CW_COLUMN_INT, NULL, "level of the schedule, from 1"},
    {"channel", CW_COLUMN_TEXT, NULL, "a channel with messages of the application, as TAIL/PORT>HEAD/PORT"},
    {"own", CW_COLUMN_INT, NULL, "messages of the application on it"},
    {"background", CW_COLUMN_INT, NULL, "messages of the perturbation on it"},
};

static void add_channel_name(struct cw_table *table, const struct cw_network *net, uint32_t channel)
{
    char name[2 * CW_NAME_SIZE + 32];
    if (channel == CW_NONE)
        cw_table_none(table);
    else
        cw_table_text(table, cw_network_channel_name(net, channel, name, sizeof name));
}

static void add_rank(struct cw_table *table, const struct cw_network *net, const struct cw_noise_case *noise_case,
                     uint32_t rank)
{
    char name[CW_NAME_SIZE];
    cw_table_int(table, rank);
    cw_table_text(table, cw_network_name(net, noise_case->endpoints[rank], name, sizeof name));
}

static int add_messages(struct cw_result *result, const struct cw_network *net, const struct cw_noise_case *noise_case,
                        const struct cw_trace *trace)
{
    struct cw_table *table;
    const int rc = cw_table_new("messages", "Congestion by message", message_columns,
                                sizeof message_columns / sizeof *message_columns, &table);
    if (rc) return rc;
    cw_table_cut_text(table, TEXT_ROWS);
    for (size_t i = 0; i < trace->n_messages; i++) {
        const struct cw_traced_message *message = &trace->messages[i];
        cw_table_int(table, (int64_t)message->level + 1);
        add_rank(table, net, noise_case, message->src);
        add_rank(table, net, noise_case, message->dst);
        cw_table_int(table, (int64_t)message->congestion.own);
        cw_table_int(table, (int64_t)message->congestion.with_background);
        add_channel_name(table, net, message->bottleneck);
    }
    return cw_result_add_table(result, table);
}

/* By level, then the fullest first. */
static int compare(const void *left, const void *right)
{
    const struct cw_traced_channel *a = left, *b = right;
    const uint32_t of_a = a->own + a->background, of_b = b->own + b->background;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (of_a != of_b) return of_a > of_b ? -1 : 1;
    return (a->channel > b->channel) - (a->channel < b->channel);
}

static int add_channels(struct cw_result *result, const struct cw_network *net, const struct cw_trace *trace)
{
    struct cw_table *table;
    struct cw_traced_channel *sorted = cw_new_array(trace->n_channels, sizeof *sorted, "channels in order");
    if (!sorted) return CW_ENOMEM;
    if (trace->n_channels > 0) memcpy(sorted, trace->channels, trace->n_channels * sizeof *sorted);
    qsort(sorted, trace->n_channels, sizeof *sorted, compare);
    int rc = cw_table_new("channels", "Messages by channel", channel_columns,
                          sizeof channel_columns / sizeof *channel_columns, &table);
    if (!rc) cw_table_cut_text(table, TEXT_ROWS);
    for (size_t i = 0; !rc && i < trace->n_channels; i++) {
        cw_table_int(table, (int64_t)sorted[i].level + 1);
        add_channel_name(table, net, sorted[i].channel);
        cw_table_int(table, sorted[i].own);
        cw_table_int(table, sorted[i].background);
    }
    free(sorted);
    return rc ? rc : cw_result_add_table(result, table);
}

int noise_add_trace(struct cw_result *result, const struct cw_network *net, const struct cw_noise_case *noise_case,
                    const struct cw_trace *trace)
{
    if (!trace->complete) {
        cw_result_note(result, "There are more than %d messages, so they and their channels are not listed.",
                       CW_TRACE_MESSAGES);
        return 0;
    }
    if (trace->n_messages == 0) return 0;
    const int rc = add_messages(result, net, noise_case, trace);
    return rc ? rc : add_channels(result, net, trace);
}
