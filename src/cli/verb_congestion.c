/* crosswind congestion: the channels and messages of a traffic pattern. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/map/map_page.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "sim/congestion.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"

struct congestion_options {
    char *traffic, *placement, *channels;
    int64_t ranks, trials, top;
    bool equal_speeds;
};

static const struct cw_option options[] = {
    {.name = "traffic",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct congestion_options, traffic),
     .value_name = "PATTERN",
     .default_text = "permutation",
     .names = &cw_pattern_registry,
     .help = "who sends to whom (see crosswind help patterns)"},
    {.name = "placement",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct congestion_options, placement),
     .value_name = "PLACEMENT",
     .default_text = "contiguous",
     .names = &cw_placement_registry,
     .help = "which endpoint each rank runs on (see crosswind help placements)"},
    {.name = "ranks",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct congestion_options, ranks),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 4e9,
     .help = "ranks of the pattern, 0 for one on every endpoint that takes part"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct congestion_options, trials),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 1e9,
     .help = "repetitions with new random choices; 0: 100 if the pattern or the placement is random, else 1"},
    {.name = "top",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct congestion_options, top),
     .value_name = "N",
     .default_text = "10",
     .min = 0,
     .max = 1e6,
     .help = "how many of the hottest channels to list, by the time of their worst round"},
    {.name = "channels",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct congestion_options, channels),
     .help = "write the figures of every channel to FILE as CSV"},
    {.name = "equal-speeds",
     .rare = true,
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct congestion_options, equal_speeds),
     .help = "take all channels as equally fast, as the publications do, for messages of one size"},
    {.name = NULL},
};

/* NUMBER is the type of what is a whole number unless messages are shared out over several ways. */
#define SUMMARY_COLUMNS(NUMBER)                                                                                        \
    {"ranks", CW_COLUMN_INT, NULL, "ranks of the pattern"}, {"rounds", CW_COLUMN_INT, NULL, "rounds of the pattern"},  \
        {"trials", CW_COLUMN_INT, NULL, "repetitions with other random choices"},                                      \
        {"messages", CW_COLUMN_INT, NULL, "messages of all rounds and trials"},                                        \
        {"congestion_mean", CW_COLUMN_REAL, NULL, "mean congestion of a message"},                                     \
        {"bandwidth_mean", CW_COLUMN_REAL, NULL,                                                                       \
         "what a message gets of the fastest endpoint's cable, mean; 1/congestion where channels are equally fast"},   \
        {"max_congestion_mean", CW_COLUMN_REAL, NULL, "greatest congestion of a trial, mean over trials"},             \
        {"max_congestion_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true}, \
        {"max_congestion", NUMBER, NULL, "greatest congestion of all"},                                                \
        {"time_mean", CW_COLUMN_REAL, NULL,                                                                            \
         "time of all rounds, each as long as its slowest channel, mean over trials; 1 is a message alone on the "     \
         "fastest cable of an endpoint"},                                                                              \
        {"time_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
#define SUMMARY_LENGTH 11

static const struct cw_column histogram_columns[] = {
    {"congestion", CW_COLUMN_INT, NULL, "messages on a channel in one round"},
    {"channels", CW_COLUMN_INT, NULL, "times a channel had it, over all rounds and trials"},
    {"messages", CW_COLUMN_INT, NULL, "messages with this congestion on the busiest channel of their route"},
};

#define CHANNEL_COLUMNS(NUMBER)                                                                                        \
    {"channel", CW_COLUMN_INT, NULL, "id"}, {"tail", CW_COLUMN_TEXT, NULL, "where it comes from"},                     \
        {"tail_port", CW_COLUMN_INT, NULL, "port number there"}, {"head", CW_COLUMN_TEXT, NULL, "where it leads"},     \
        {"head_port", CW_COLUMN_INT, NULL, "port number there"},                                                       \
        {"speed", CW_COLUMN_TEXT, NULL, "capacity, for people"},                                                       \
        {"capacity", CW_COLUMN_REAL, "byte/s", "capacity", .detail = true},                                            \
        {"congestion", NUMBER, NULL, "greatest congestion in any round"},                                              \
        {"time", CW_COLUMN_REAL, NULL, "the same times the capacity of the fastest endpoint's cable / its own"},       \
        {"messages", NUMBER, NULL, "messages of all rounds and trials"},
#define CHANNEL_LENGTH 10

/* Where the messages have different sizes: bytes in place of messages, seconds in place of times of one message. */
static const struct cw_column bytes_columns[] = {
    {"ranks", CW_COLUMN_INT, NULL, "ranks of the pattern"},
    {"rounds", CW_COLUMN_INT, NULL, "rounds of the pattern"},
    {"trials", CW_COLUMN_INT, NULL, "repetitions with other random choices"},
    {"messages", CW_COLUMN_INT, NULL, "messages of all rounds and trials"},
    {"bytes", CW_COLUMN_INT, "byte", "their bytes"},
    {"bandwidth_mean", CW_COLUMN_REAL, NULL,
     "what a message gets of the fastest endpoint's cable, mean over bytes: its share of the bytes on its slowest "
     "channel, "
     "times the capacity of that"},
    {"channel_bytes_mean", CW_COLUMN_REAL, "byte",
     "bytes on the busiest channel of a trial's rounds, mean over trials"},
    {"channel_bytes_ci95", CW_COLUMN_REAL, "byte", "half width of its 95 % confidence interval", .interval = true},
    {"channel_bytes_max", CW_COLUMN_REAL, "byte", "the most of all trials"},
    {"time_mean", CW_COLUMN_REAL, "s",
     "time of all rounds, each as long as the bytes of its slowest channel / its capacity, mean over trials"},
    {"time_ci95", CW_COLUMN_REAL, "s", "half width of its 95 % confidence interval", .interval = true},
};

static const struct cw_column channel_bytes_columns[] = {
    {"channel", CW_COLUMN_INT, NULL, "id"},
    {"tail", CW_COLUMN_TEXT, NULL, "where it comes from"},
    {"tail_port", CW_COLUMN_INT, NULL, "port number there"},
    {"head", CW_COLUMN_TEXT, NULL, "where it leads"},
    {"head_port", CW_COLUMN_INT, NULL, "port number there"},
    {"speed", CW_COLUMN_TEXT, NULL, "capacity, for people"},
    {"capacity", CW_COLUMN_REAL, "byte/s", "capacity", .detail = true},
    {"bytes_max", CW_COLUMN_REAL, "byte", "most bytes in any round"},
    {"time", CW_COLUMN_REAL, "s", "the same / the capacity"},
    {"bytes", CW_COLUMN_REAL, "byte", "bytes of all rounds and trials"},
};

static const struct cw_column summary_columns[][SUMMARY_LENGTH] = {{SUMMARY_COLUMNS(CW_COLUMN_INT)},
                                                                   {SUMMARY_COLUMNS(CW_COLUMN_REAL)}};
static const struct cw_column channel_columns[][CHANNEL_LENGTH] = {{CHANNEL_COLUMNS(CW_COLUMN_INT)},
                                                                   {CHANNEL_COLUMNS(CW_COLUMN_REAL)}};

static bool has_ways(const struct fabric *fabric)
{
    return cw_routes_kind(fabric->routes) == CW_ROUTES_WAYS;
}

/* A number of messages, or of bytes: a whole one unless each message is shared out. */
static void add_number(struct cw_table *table, const struct fabric *fabric, const struct cw_congestion_result *result,
                       double value)
{
    if (has_ways(fabric) || result->by_bytes)
        cw_table_real(table, value);
    else
        cw_table_int(table, (int64_t)value);
}

static int add_summary(struct invocation *invocation, const struct fabric *fabric, const char *pattern, size_t trials,
                       const struct cw_congestion_result *result)
{
    struct cw_table *table;
    struct cw_text title = {0};
    char count[FABRIC_COUNT_SIZE];
    cw_text_printf(&title, "Congestion of %s on %s (%s, routed by %s)", pattern, fabric->net->title,
                   fabric_count(fabric->net, fabric->selection, count), cw_routes_name(fabric->routes));
    int rc = cw_text_check(&title);
    if (!rc)
        rc = cw_table_new("congestion", title.data,
                          result->by_bytes ? bytes_columns : summary_columns[has_ways(fabric)], SUMMARY_LENGTH, &table);
    cw_text_free(&title);
    if (rc) return rc;
    cw_table_row(table, "%u %u %zu %lu", result->ranks, result->rounds, trials, result->messages);
    if (result->by_bytes)
        cw_table_int(table, (int64_t)result->bytes);
    else
        cw_table_real(table, result->message_mean);
    cw_table_row(table, "%g %g %g", result->bandwidth_mean, result->max.mean, result->max.ci95);
    add_number(table, fabric, result, result->message_max);
    cw_table_real(table, result->time.mean);
    cw_table_real(table, result->time.ci95);
    return cw_result_add_table(invocation->result, table);
}

static int add_histogram(struct invocation *invocation, const struct cw_congestion_result *result)
{
    struct cw_table *table;
    const int rc = cw_table_new("histogram", "How often each congestion occurred", CW_ITEMS(histogram_columns), &table);
    if (rc) return rc;
    for (uint32_t i = 0; i <= result->bin_max; i++) {
        if (result->of_channels[i] == 0 && result->of_messages[i] == 0) continue;
        cw_table_row(table, "%u %lu %lu", i, result->of_channels[i], result->of_messages[i]);
    }
    const int added = cw_result_add_detail(invocation->result, table);
    return added ? added
                 : cw_result_figure(invocation->result, &(struct cw_figure){.kind = CW_FIGURE_HISTOGRAM,
                                                                            .table = "histogram",
                                                                            .x = "congestion",
                                                                            .y = "channels",
                                                                            .log_y = true});
}

static void add_channel(struct cw_table *table, const struct fabric *fabric, const struct cw_congestion_result *result,
                        uint32_t channel)
{
    const struct cw_network *net = fabric->net;
    char tail[CW_NAME_SIZE], head[CW_NAME_SIZE], speed[32];
    cw_table_row(table, "%u %s %u %s %u %s %g", channel, cw_network_name(net, net->tail[channel], tail, sizeof tail),
                 cw_network_port(net, channel), cw_network_name(net, net->head[channel], head, sizeof head),
                 cw_network_port(net, net->twin[channel]), cw_format_rate(net->capacity[channel], speed, sizeof speed),
                 net->capacity[channel]);
    add_number(table, fabric, result, result->channel_max[channel]);
    cw_table_real(table, result->channel_time[channel]);
    add_number(table, fabric, result, result->channel_messages[channel]);
}

static int new_channels(const char *name, const char *title, const struct fabric *fabric,
                        const struct cw_congestion_result *result, struct cw_table **table)
{
    return cw_table_new(name, title, result->by_bytes ? channel_bytes_columns : channel_columns[has_ways(fabric)],
                        CHANNEL_LENGTH, table);
}

/* A channel and what it is ranked by. */
struct heat {
    double time, all; /* of the worst round, and of all messages */
    uint32_t channel;
};

static int compare_heat(const void *a, const void *b)
{
    const struct heat *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? 1 : -1;
    if (x->all != y->all) return x->all < y->all ? 1 : -1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static bool is_cooler(const void *context, const struct heat *a, const struct heat *b)
{
    (void)context;
    return compare_heat(a, b) > 0;
}

CW_HEAP(heat, struct heat, 4, const void *, is_cooler, CW_HEAP_PUT)

/* The TOP hottest channels, the hottest first: a few of perhaps millions. *N of them, in HEAT, which has room. */
static void find_hottest(const struct cw_network *net, const struct cw_congestion_result *result, size_t top,
                         struct heat *heat, size_t *n)
{
    for (uint32_t c = 0; c < net->n_channels && top > 0; c++) {
        const struct heat here = {result->channel_time[c], result->channel_messages[c] / net->capacity[c], c};
        if (cw_network_is_closed(net, c)) continue;
        if (*n < top)
            heat_push(NULL, heat, n, here);
        else if (is_cooler(NULL, &heat[0], &here))
            heat_sink(NULL, heat, top, 0, here);
    }
    if (*n > 0) qsort(heat, *n, sizeof *heat, compare_heat);
}

static int add_hottest(struct invocation *invocation, const struct fabric *fabric,
                       const struct cw_congestion_result *result, size_t top)
{
    struct cw_table *table;
    const struct cw_network *net = fabric->net;
    struct heat *heat = cw_new_array(top < net->n_channels ? top : net->n_channels, sizeof *heat, "hottest channels");
    if (!heat) return CW_ENOMEM;
    size_t n = 0;
    find_hottest(net, result, top, heat, &n);
    int rc = new_channels("hottest", "The hottest channels, by time", fabric, result, &table);
    if (!rc) {
        for (size_t i = 0; i < n; i++) add_channel(table, fabric, result, heat[i].channel);
        rc = cw_result_add_detail(invocation->result, table);
    }
    free(heat);
    if (rc) return rc;
    const struct cw_figure_panel panels[] = {{.y = "time"}, {.y = result->by_bytes ? "bytes" : "messages"}};
    return cw_result_figure(invocation->result, &(struct cw_figure){.kind = CW_FIGURE_BARS,
                                                                    .table = "hottest",
                                                                    .rows = "tail",
                                                                    .series = "head",
                                                                    .panels = panels,
                                                                    .n_panels = 2});
}

static int write_channels(const struct invocation *invocation, const char *path, const struct fabric *fabric,
                          const struct cw_congestion_result *result)
{
    struct cw_table *table;
    int rc = new_channels("channels", "Channels", fabric, result, &table);
    if (rc) return rc;
    for (uint32_t c = 0; c < fabric->net->n_channels; c++) add_channel(table, fabric, result, c);
    rc = cw_result_save_csv(invocation->result, table, path);
    cw_table_free(table);
    return rc;
}

/* What congestion and time are, and are not. */
static void note_regime(struct invocation *invocation, const struct fabric *fabric)
{
    const struct congestion_options *values = invocation->values;
    cw_result_note(invocation->result,
                   "All messages of a round have the same size and are sent at once, over the routes of %s. Latencies "
                   "are ignored. A time of 1 is that of a message alone on the fastest cable of an endpoint.",
                   cw_routes_name(fabric->routes));
    fabric_note_speeds(invocation->result, fabric->net, values->equal_speeds);
}

/* The same where bytes count. */
static void note_bytes(struct invocation *invocation, const struct fabric *fabric, const char *pattern,
                       const struct cw_congestion_result *result)
{
    char most[32], time[32];
    cw_result_note(invocation->result,
                   "On average over bytes, a message of %s gets %.1f %% of the bandwidth of an endpoint's cable. "
                   "A channel carries at most %s in a round. All rounds take %s.",
                   pattern, 100 * result->bandwidth_mean,
                   cw_format_bytes((uint64_t)(result->message_max + 0.5), most, sizeof most),
                   cw_format_time(result->time.mean, time, sizeof time));
    cw_result_note(invocation->result,
                   "The messages have different sizes, so channels are loaded with bytes. All messages of a round are "
                   "sent at once, over the routes of %s; a channel takes its bytes / its capacity, and a round as long "
                   "as its slowest channel. Latencies are ignored.",
                   cw_routes_name(fabric->routes));
}

static const struct cw_column minimal_columns[] = {
    {"minimal_mean", CW_COLUMN_REAL, NULL,
     "share of the packets that go minimally: mean over rounds, then over trials"},
    {"minimal_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"minimal_min", CW_COLUMN_REAL, NULL, "least mean of a trial"},
    {"minimal_max", CW_COLUMN_REAL, NULL, "greatest mean of a trial"},
};

/* The share that was found, where the routing leaves it to the traffic. */
static int add_minimal(struct invocation *invocation, const struct fabric *fabric,
                       const struct cw_congestion_result *result)
{
    struct cw_table *table;
    if (!cw_routes_by_traffic(fabric->routes)) return 0;
    const int rc = cw_table_new("minimal", "The share of packets that go minimally", CW_ITEMS(minimal_columns), &table);
    if (rc) return rc;
    cw_table_row(table, "%g %g %g %g", result->minimal.mean, result->minimal.ci95, result->minimal.min,
                 result->minimal.max);
    return cw_result_add_table(invocation->result, table);
}

static int report(struct invocation *invocation, const struct fabric *fabric, const char *pattern, size_t trials,
                  const struct cw_congestion_result *result)
{
    const struct congestion_options *values = invocation->values;
    int rc = add_summary(invocation, fabric, pattern, trials, result);
    if (!rc) rc = add_minimal(invocation, fabric, result);
    if (!rc && !result->by_bytes) rc = add_histogram(invocation, result);
    if (!rc && values->top > 0) rc = add_hottest(invocation, fabric, result, (size_t)values->top);
    if (!rc && values->channels) rc = write_channels(invocation, values->channels, fabric, result);
    if (!rc && result->by_bytes) {
        note_bytes(invocation, fabric, pattern, result);
    } else if (!rc) {
        char most[32];
        snprintf(most, sizeof most, has_ways(fabric) ? "%.4g" : "%.0f", result->message_max);
        cw_result_note(
            invocation->result,
            "A message of %s shares the busiest channel of its route with %.2f others on average, and gets %.1f %% "
            "of the bandwidth of an endpoint's cable. The worst channel carries %s message%s at once.",
            pattern, result->message_mean > 1 ? result->message_mean - 1 : 0, 100 * result->bandwidth_mean, most,
            result->message_max == 1 ? "" : "s");
        note_regime(invocation, fabric);
    }
    return rc;
}

static int simulate(struct invocation *invocation, const struct fabric *fabric, const struct cw_pattern *pattern,
                    const struct cw_placement *placement)
{
    const struct congestion_options *values = invocation->values;
    const bool random = cw_pattern_is_random(pattern) || cw_placement_is_random(placement);
    const size_t trials = values->trials ? (size_t)values->trials : random ? 100 : 1;
    struct cw_progress *progress = invocation_progress(invocation, "congestion", trials);
    const struct cw_congestion_setup setup = {.routes = fabric->routes,
                                              .pattern = pattern,
                                              .placement = placement,
                                              .ranks = (uint32_t)values->ranks,
                                              .equal_speeds = values->equal_speeds,
                                              .trials = trials,
                                              .seed = (uint64_t)invocation->common.seed,
                                              .n_threads = (unsigned)invocation->common.threads,
                                              .progress = progress,
                                              .executor = invocation_executor(invocation)};
    struct cw_congestion_result result;
    int rc = cw_congestion_run(&setup, &result);
    cw_progress_free(progress);
    if (rc) return rc;
    rc = report(invocation, fabric, cw_pattern_spec(pattern), trials, &result);
    if (!rc) rc = map_page_of_congestion(invocation, fabric, &setup, &result);
    cw_congestion_free(&result);
    return rc;
}

static int run(struct invocation *invocation)
{
    const struct congestion_options *values = invocation->values;
    struct fabric fabric;
    struct cw_pattern *pattern = NULL;
    struct cw_placement *placement = NULL;
    int rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc) rc = cw_placement_new(values->placement, fabric.net, fabric.selection, &placement);
    if (!rc) rc = cw_placement_pattern(placement, values->traffic, &pattern);
    if (!rc && values->top == 0 && cw_pattern_is_sized(pattern))
        rc = invocation_refuse_plot(invocation,
                                    "shows messages of several sizes by the hottest channels, of which --top 0 "
                                    "has none");
    if (!rc) {
        cw_result_set_context(invocation->result, CW_CONTEXT_PLACEMENT, values->placement);
        cw_result_set_context(invocation->result, CW_CONTEXT_TRAFFIC, cw_pattern_spec(pattern));
        rc = simulate(invocation, &fabric, pattern, placement);
    }
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_congestion = {
    .name = "congestion",
    .help = "Which channels a traffic pattern congests, and what its messages get",
    .arguments = network_argument,
    .description =
        "Routes every message of the pattern, round by round, and counts the messages on each channel. The "
        "congestion of a message is that of the busiest channel of its route. The time of a channel is its "
        "messages times the capacity of the fastest cable of an endpoint / its own, so that 1 is a message "
        "alone on such a cable. A round takes as long as its slowest channel. Where messages have different sizes "
        "(--traffic matrix:FILE), their bytes count instead, and times are seconds: bytes / capacity. Latencies are "
        "ignored.",
    .examples = "  crosswind congestion 'xgft(2,12,6)' --traffic shift:12\n"
                "  crosswind congestion torus:8x8x8 --traffic bitcomp --top 3\n"
                "  crosswind congestion fabric.net --traffic matrix:traffic.csv --channels channels.csv\n",
    .options = options,
    .size = sizeof(struct congestion_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .routes = true,
    .lids = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
