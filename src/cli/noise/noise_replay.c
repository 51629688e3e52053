#include "cli/noise/noise_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/fabric.h"
#include "net/network_internal.h"
#include "report/rows.h"

static const struct cw_column level_columns[] = {
    {"level", CW_COLUMN_INT, NULL, "level of the schedule, from 1"},
    {"messages", CW_COLUMN_INT, NULL, "messages of the application in it"},
    {"clean_sum", CW_COLUMN_INT, NULL, "sum of their congestions without perturbation"},
    {"clean_max", CW_COLUMN_INT, NULL, "greatest of them"},
    {"perturbed_sum", CW_COLUMN_INT, NULL, "sum of their congestions with perturbation"},
    {"perturbed_max", CW_COLUMN_INT, NULL, "greatest of them"},
};

#define TIME_COLUMNS(UNIT)                                                                                             \
    {                                                                                                                  \
        {"clean_time", CW_COLUMN_REAL, UNIT, "time of the collective without perturbation"},                           \
            {"perturbed_time", CW_COLUMN_REAL, UNIT, "time with perturbation"},                                        \
            {"longest_path", CW_COLUMN_TEXT, NULL, "ranks on the longest path with perturbation"},                     \
    }

/* clang-format off */
static const struct cw_column unit_time_columns[] = TIME_COLUMNS(NULL);
static const struct cw_column loggp_time_columns[] = TIME_COLUMNS("s");
/* clang-format on */

static const struct cw_column perturbation_columns[] = {
    {"perturbation_messages", CW_COLUMN_INT, NULL, "messages of the perturbation"},
    {"perturbation_sum", CW_COLUMN_INT, NULL, "sum of their congestions with nothing else on the network"},
    {"perturbation_max", CW_COLUMN_INT, NULL, "greatest of them"},
};

static const struct cw_column bisection_columns[] = {
    {"bisection_messages", CW_COLUMN_INT, NULL, "messages of the bisection"},
    {"bisection_inverse_sum", CW_COLUMN_REAL, NULL, "sum of 1/congestion with nothing else on the network"},
    {"bisection_max", CW_COLUMN_INT, NULL, "greatest congestion"},
};

static int add_levels(struct cw_result *result, const struct cw_noise_replay *replay)
{
    struct cw_table *table;
    const int rc = cw_table_new("levels", "Congestion by level", CW_ITEMS(level_columns), &table);
    if (rc) return rc;
    for (size_t i = 0; i < replay->trace.n_levels; i++) {
        const struct cw_level *level = &replay->trace.levels[i];
        cw_table_row(table, "%zu %lu %lu %u %lu %u", i + 1, level->messages, level->clean_sum, level->clean_max,
                     level->perturbed_sum, level->perturbed_max);
    }
    return cw_result_add_table(result, table);
}

static int add_times(struct cw_result *result, const struct noise_options *values, const struct cw_noise_replay *replay)
{
    const struct cw_column *columns = values->time == NOISE_LOGGP ? loggp_time_columns : unit_time_columns;
    struct cw_table *table;
    struct cw_text path = {0};
    for (size_t i = 0; i < replay->path_length; i++) cw_text_printf(&path, "%s%u", i ? "-" : "", replay->path[i]);
    int rc = cw_text_check(&path);
    if (!rc)
        rc = cw_table_new("time", "Time of the collective", columns,
                          sizeof unit_time_columns / sizeof *unit_time_columns, &table);
    if (!rc) {
        cw_table_row(table, "%g %g %s", replay->times.clean, replay->times.perturbed, path.data);
        rc = cw_result_add_table(result, table);
    }
    cw_text_free(&path);
    return rc;
}

static int add_alone(struct cw_result *result, const struct cw_noise_case *noise_case,
                     const struct cw_noise_replay *replay)
{
    struct cw_table *table;
    int rc = cw_table_new("perturbation", "The perturbation alone", CW_ITEMS(perturbation_columns), &table);
    if (rc) return rc;
    cw_table_row(table, "%lu %lu %u", replay->perturbation_only.messages, replay->perturbation_only.sum,
                 replay->perturbation_only.max);
    rc = cw_result_add_table(result, table);
    if (rc || !noise_case->has_bisection) return rc;
    rc = cw_table_new("bisection", "The bisection alone", CW_ITEMS(bisection_columns), &table);
    if (rc) return rc;
    cw_table_row(table, "%lu %g %u", replay->bisection.messages, replay->bisection.inverse_sum, replay->bisection.max);
    return cw_result_add_table(result, table);
}

/* --- messages and channels ---------------------------------------------------------------------------------------- */

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
    cw_table_text(table, channel == CW_NONE ? NULL : cw_network_channel_name(net, channel, name, sizeof name));
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
    const int rc = cw_table_new("messages", "Congestion by message", CW_ITEMS(message_columns), &table);
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
static int compare_channels(const void *left, const void *right)
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
    qsort(sorted, trace->n_channels, sizeof *sorted, compare_channels);
    int rc = cw_table_new("channels", "Messages by channel", CW_ITEMS(channel_columns), &table);
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

/* Both tables unless nothing is sent, or that there are too many messages for them. */
static int add_trace(struct cw_result *result, const struct cw_network *net, const struct cw_noise_case *noise_case,
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

/* ------------------------------------------------------------------------------------------------------------------ */

static int compare(struct invocation *invocation, const struct cw_noise_case *noise_case,
                   const struct cw_noise_replay *replay)
{
    struct cw_text differences = {0};
    const size_t n = cw_noise_case_compare(noise_case, replay, &differences);
    const int rc = cw_text_check(&differences);
    if (!rc && n > 0) {
        cw_result_note(invocation->result, "%zu figures differ from those in the file:\n%s", n, differences.data);
        if (invocation->common.format == CW_FORMAT_CSV) fputs(differences.data, stderr); /* it has no notes */
        invocation->failed = true;
    } else if (!rc && (noise_case->n_levels > 0 || noise_case->times_line > 0 || noise_case->perturbation_line > 0 ||
                       noise_case->bisection_line > 0)) {
        cw_result_note(invocation->result, "All figures equal those in the file.");
    }
    cw_text_free(&differences);
    return rc;
}

/* The tables of a replay. */
static int show(struct invocation *invocation, const struct cw_noise_case *noise_case, const struct fabric *fabric,
                const struct cw_noise_replay *replay)
{
    const struct noise_options *values = invocation->values;
    int rc = add_levels(invocation->result, replay);
    if (!rc) rc = add_times(invocation->result, values, replay);
    if (!rc) rc = add_alone(invocation->result, noise_case, replay);
    if (!rc) rc = add_trace(invocation->result, fabric->net, noise_case, &replay->trace);
    if (!rc && values->time == NOISE_LOGGP) noise_note_regime(invocation->result, values, fabric->net);
    return rc;
}

static int replay_on(struct invocation *invocation, const struct cw_noise_case *noise_case, const struct fabric *fabric)
{
    const struct noise_options *values = invocation->values;
    struct cw_schedule *schedule = NULL;
    struct cw_noise_replay replay = {0};
    int rc = cw_schedule_new(values->schedule, &schedule);
    if (!rc) {
        cw_result_set_context(invocation->result, CW_CONTEXT_TRAFFIC, cw_schedule_spec(schedule));
        const struct cw_collective_setup setup =
            noise_collective(values, fabric->routes, schedule, values->bytes.values[0]);
        rc = cw_noise_case_run(noise_case, &setup, &replay);
    }
    if (!rc) rc = show(invocation, noise_case, fabric, &replay);
    if (!rc) rc = compare(invocation, noise_case, &replay);
    cw_noise_replay_free(&replay);
    cw_schedule_free(schedule);
    return rc;
}

int noise_replay(struct invocation *invocation)
{
    static const char *const drawn[] = {"ratio",   "trials", "background", "perturbation", "placement", "endpoints",
                                        "samples", "case",   NULL};
    const struct noise_options *values = invocation->values;
    struct cw_noise_case noise_case;
    struct fabric fabric = {0};
    int rc = invocation_refuse(invocation, drawn, "is for random trials, not for --trial");
    if (!rc && values->bytes.n > 1)
        rc = cw_fail(CW_EUSAGE, "--bytes: %zu sizes, but --trial is one trial; expected one", values->bytes.n);
    if (!rc) rc = cw_noise_case_read(values->trial, &noise_case);
    if (rc) return rc;
    const char *network = invocation->n_positional > 0 ? invocation->positional[0] : noise_case.network;
    if (!network)
        rc = cw_fail(CW_EUSAGE, "%s names no network, expected a 'net' line or NETWORK on the command line",
                     values->trial);
    invocation->routing.named = true;
    if (!rc) rc = fabric_open(invocation, network, &fabric);
    if (!rc) rc = replay_on(invocation, &noise_case, &fabric);
    fabric_free(&fabric);
    cw_noise_case_free(&noise_case);
    return rc;
}

/* --- a random trial as a case ------------------------------------------------------------------------------------ */

static int write_case(const struct noise_plan *plan, const struct fabric *fabric,
                      const struct cw_noise_case *noise_case, const struct cw_noise_replay *replay, const char *path)
{
    struct cw_text text = {0};
    cw_text_printf(&text, "# Trial %lld of %s at ratio %g on %s, routed by %s, seed %llu\n",
                   (long long)plan->values->trial_number, cw_schedule_spec(plan->schedule), plan->setup.ratio,
                   fabric->net->title, cw_routes_name(fabric->routes), (unsigned long long)plan->setup.seed);
    cw_noise_case_write(noise_case, fabric->net->title, replay, &text);
    int rc = cw_text_check(&text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}

int noise_write_trial(struct invocation *invocation, const struct fabric *fabric, struct noise_plan *plan,
                      const char *path)
{
    struct cw_noise_case noise_case = {0};
    struct cw_noise_replay replay = {0};
    plan->setup.ratio = plan->values->ratios.values[0];
    plan->setup.collective.bytes = plan->values->bytes.values[0];
    int rc = cw_noise_draw(&plan->setup, (size_t)plan->values->trial_number - 1, &noise_case);
    if (!rc) rc = cw_noise_case_run(&noise_case, &plan->setup.collective, &replay);
    if (!rc) rc = write_case(plan, fabric, &noise_case, &replay, path);
    if (!rc) rc = show(invocation, &noise_case, fabric, &replay);
    if (!rc)
        cw_result_note(
            invocation->result,
            "%s is trial %lld. To replay it, run crosswind noise --trial %s with the options for routes, collective "
            "and time of this command.",
            path, (long long)plan->values->trial_number, path);
    cw_noise_replay_free(&replay);
    cw_noise_case_free(&noise_case);
    return rc;
}
