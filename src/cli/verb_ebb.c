/* crosswind ebb: effective bisection bandwidth. */
#include "base/error.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/interval_note.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "sim/ebb.h"

enum direction { DIRECTION_BOTH, DIRECTION_UNI, DIRECTION_BI };

struct ebb_options {
    int direction;
    int64_t trials;
    bool equal_speeds;
};

static const char *const directions[] = {"both", "uni", "bi", NULL};

static const struct cw_option options[] = {
    {.name = "direction",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct ebb_options, direction),
     .default_text = "both",
     .choices = directions,
     .help = "one half sends to the other (uni), both halves send (bi), or a row for each (both)"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct ebb_options, trials),
     .value_name = "N",
     .default_text = "1000",
     .min = 1,
     .max = 1e9,
     .help = "random bisections"},
    {.name = "equal-speeds",
     .rare = true,
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct ebb_options, equal_speeds),
     .help = "take all channels as equally fast, as the publications do: 1/congestion"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"direction", CW_COLUMN_TEXT, NULL, "uni: one half sends; bi: both do"},
    {"trials", CW_COLUMN_INT, NULL, "random bisections"},
    {"ebb_mean", CW_COLUMN_REAL, NULL,
     "mean over messages and trials of what each gets of the fastest endpoint's cable, 1/congestion where all channels "
     "are equally fast: 1 is full bandwidth; 0 for a message between endpoints that have no path to each other"},
    {"ebb_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"max_congestion_mean", CW_COLUMN_REAL, NULL, "greatest congestion of a trial, mean over trials"},
};

static int add_row(struct invocation *invocation, const struct fabric *fabric, bool both, struct cw_table *table)
{
    const struct ebb_options *values = invocation->values;
    struct cw_progress *progress = invocation_progress(invocation, both ? "ebb bi" : "ebb uni", (size_t)values->trials);
    const struct cw_ebb_setup setup = {.routes = fabric->routes,
                                       .selection = fabric->selection,
                                       .both_directions = both,
                                       .equal_speeds = values->equal_speeds,
                                       .trials = (size_t)values->trials,
                                       .seed = (uint64_t)invocation->common.seed,
                                       .n_threads = (unsigned)invocation->common.threads,
                                       .progress = progress,
                                       .executor = invocation_executor(invocation)};
    struct cw_ebb_result result;
    const int rc = cw_ebb_run(&setup, &result);
    cw_progress_free(progress);
    if (rc) return rc;
    cw_table_row(table, "%s %ld %g %g %g", both ? "bi" : "uni", values->trials, result.ebb.mean, result.ebb.ci95,
                 result.max_congestion.mean);
    if (result.ebb.n < 2) return 0; /* one trial says nothing of the others */
    char confidence[64];
    cw_result_note(invocation->result,
                   "When random halves of the endpoints are paired and %s, a message gets %.1f %% of the bandwidth of "
                   "a channel on average%s.",
                   both ? "both halves send" : "one half sends to the other", 100 * result.ebb.mean,
                   confidence_words(&result.ebb, 100, 1, confidence, sizeof confidence));
    return 0;
}

/* What the figures leave out, and what they are shares of. */
static void note_regime(struct invocation *invocation, const struct fabric *fabric)
{
    const struct ebb_options *values = invocation->values;
    cw_result_note(
        invocation->result,
        "All messages have the same size and are sent at once, over the routes of %s. Latencies are ignored.",
        cw_routes_name(fabric->routes));
    fabric_note_speeds(invocation->result, fabric->net, values->equal_speeds);
}

static int declare_figure(struct cw_result *result)
{
    static const struct cw_figure_panel panels[] = {{.y = "ebb_mean", .ci95 = "ebb_ci95"},
                                                    {.y = "max_congestion_mean"}};
    return cw_result_figure(
        result, &(struct cw_figure){
                    .kind = CW_FIGURE_BARS, .table = "ebb", .rows = "direction", .panels = panels, .n_panels = 2});
}

static int run(struct invocation *invocation)
{
    const struct ebb_options *values = invocation->values;
    struct fabric fabric;
    struct cw_table *table = NULL;
    struct cw_text title = {0};
    char count[FABRIC_COUNT_SIZE];
    int rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc) {
        cw_text_printf(&title, "Effective bisection bandwidth of %s (%s, routed by %s)", fabric.net->title,
                       fabric_count(fabric.net, fabric.selection, count), cw_routes_name(fabric.routes));
        rc = cw_text_check(&title);
    }
    if (!rc) rc = cw_result_new_table(invocation->result, "ebb", title.data, CW_ITEMS(columns), &table);
    if (!rc) rc = declare_figure(invocation->result);
    if (!rc) cw_table_expect(table, values->direction == DIRECTION_BOTH ? 2 : 1);
    if (!rc && values->direction != DIRECTION_BI) rc = add_row(invocation, &fabric, false, table);
    if (!rc && values->direction != DIRECTION_UNI) rc = add_row(invocation, &fabric, true, table);
    if (!rc) note_regime(invocation, &fabric);
    cw_text_free(&title);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_ebb = {
    .name = "ebb",
    .help = "Effective bisection bandwidth: what a message gets between random halves",
    .arguments = network_argument,
    .description =
        "In each trial, random halves of the endpoints are matched at random. A message gets its part of the slowest "
        "channel of its route, whose capacity all messages there share equally. The mean over all messages and trials, "
        "as "
        "a share of the fastest cable of an endpoint, is the effective bisection bandwidth (Hoefler, Schneider, "
        "Lumsdaine "
        "2008, where all channels are equally fast): 1 for a network without contention. Of a network in one piece it "
        "is the "
        "bandwidth_mean of crosswind congestion --traffic bisection, with a confidence interval. A message between "
        "endpoints that have no path to each other gets 0: those that --failed cuts off, with a switch for example, "
        "were "
        "in the network and count. The exit status is then 1.",
    .examples = "  crosswind ebb 'xgft(2,12,6)'\n"
                "  crosswind ebb fabric.ibnetdiscover --lft opensm-lfts.dump --direction bi --trials 5000\n",
    .options = options,
    .size = sizeof(struct ebb_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .counts_cut_off = true,
    .routes = true,
    .lids = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
