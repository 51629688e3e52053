/* crosswind noise: how much background traffic slows a collective down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/interval_note.h"
#include "cli/noise/noise_options.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "topo/topology.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"
#include "traffic/schedule.h"

static const char *const perturbations[] = {"constant", "per-round", NULL}; /* as enum cw_perturbation has them */
static const char *const sends[] = {"at-once", "in-order", NULL};           /* as enum cw_sends has them */
static const char *const models[] = {"counts", "flows", NULL};              /* as enum cw_noise_model has them */
static const char *const timings[] = {"unit", "loggp", NULL};

static const struct cw_option options[] = {
    {.name = "ratio",
     .type = CW_OPTION_REALS,
     .offset = offsetof(struct noise_options, ratios),
     .value_name = "R[,R...]|FROM..TO[:STEP]",
     .default_text = "0.1..0.9:0.1",
     .min = 0,
     .max = 1,
     .help = "perturbing endpoints as a share of all that take part"},
    {.name = "schedule",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct noise_options, schedule),
     .value_name = "SCHEDULE",
     .default_text = "binomial-bcast",
     .names = &cw_schedule_registry,
     .help = "the collective that the application runs (see crosswind help schedules)"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct noise_options, trials),
     .value_name = "N",
     .default_text = "1000",
     .min = 1,
     .max = 1e9,
     .help = "random trials for each ratio"},
    {.name = "background",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct noise_options, background),
     .value_name = "PATTERN",
     .default_text = "derangement",
     .names = &cw_pattern_registry,
     .help = "what the perturbing endpoints send one another (see crosswind help patterns); its rounds repeat without "
             "end, and each trial meets one of them at random"},
    {.name = "perturbation",
     .rare = true,
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct noise_options, perturbation),
     .default_text = "constant",
     .choices = perturbations,
     .help = "the same background during the whole collective (constant), or a new draw or the pattern's next round at "
             "each of its levels (per-round)"},
    {.name = "model",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct noise_options, model),
     .default_text = "counts",
     .choices = models,
     .help = "messages of a round are counted on channels, as in the papers (counts), or share channels in time, in "
             "seconds, so that rounds may drift apart (flows)"},
    {.name = "placement",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct noise_options, placement),
     .value_name = "PLACEMENT",
     .default_text = "random",
     .names = &cw_placement_registry,
     .help = "which endpoints run the application; the others perturb it (see crosswind help placements)"},
    {.name = "sends",
     .rare = true,
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct noise_options, sends),
     .choices = sends,
     .help =
         "a rank sends all messages that are ready at once, and each round counts its messages by itself, as in the "
         "papers (at-once; the default in units); or it sends one after another, and messages wait for channels "
         "that are busy with those of earlier rounds (in-order; the default in seconds)"},
    {.name = "equal-speeds",
     .rare = true,
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct noise_options, equal_speeds),
     .help = "in units: take all channels as equally fast, as in the papers"},
    {.name = "time",
     .rare = true,
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct noise_options, time),
     .choices = timings,
     .help = "a message takes as many units as its congestion, which holds where bandwidth alone decides (unit; the "
             "default), or o + L + bytes * G * congestion seconds (loggp; the default with --bytes, --L, --o or --G)"},
    {.name = "bytes",
     .type = CW_OPTION_SIZES,
     .offset = offsetof(struct noise_options, bytes),
     .value_name = "SIZE[,SIZE...]",
     .default_text = "8B",
     .min = 0,
     .max = 0x1p62,
     .help = "loggp: message size of each rank, as MPI benchmarks state it: the vector of a broadcast, reduction, "
             "allreduce or reduce-scatter, a rank's part of a scatter, gather or allgather, a pair's of an all-to-all; "
             "a row for each"},
    {.name = "L",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct noise_options, latency),
     .value_name = "TIME",
     .min = 0,
     .max = 1e6,
     .help = "loggp: latency of a message; by default the sum of the latencies of the channels on its route"},
    {.name = "o",
     .rare = true,
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct noise_options, overhead),
     .value_name = "TIME",
     .default_text = "1us",
     .min = 0,
     .max = 1e6,
     .help = "loggp: time a message costs in software and adapters, both ends together"},
    {.name = "G",
     .type = CW_OPTION_BYTE_TIME,
     .offset = offsetof(struct noise_options, gap),
     .value_name = "TIME|RATE",
     .min = 0,
     .max = 1e-3,
     .help = "loggp: time for each byte (0.2ns), or the rate (40Gbit/s); by default that of the channels on its "
             "route, so that slow ones count"},
    {.name = "samples",
     .rare = true,
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct noise_options, samples),
     .help = "write the times of every trial to FILE as CSV"},
    {.name = "case",
     .rare = true,
     .type = CW_OPTION_INT,
     .offset = offsetof(struct noise_options, trial_number),
     .value_name = "N",
     .min = 1,
     .max = 1e9,
     .help = "run only trial N (from 1), and write it to FILE, the second argument, as a case for --trial"},
    {.name = "trial",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct noise_options, trial),
     .help = "replay the case in this file instead of random trials, and compare the result with the figures there; "
             "NETWORK may be left out if the file names it"},
    {.name = NULL},
};

static const struct cw_option arguments[] = {
    {.name = "NETWORK",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .help = NETWORK_HELP "; with --trial, by default that of its file"},
    {.name = "FILE", .type = CW_OPTION_OUTPUT, .help = "with --case: where to write the trial"},
    {.name = NULL},
};

/* --- rows, and the sentences on them ------------------------------------------------------------------------------ */

#define HALF_WIDTH "half width of its 95 % confidence interval"

/* The columns of both times: what differs is the unit of times, and that messages have a size in seconds only. */
#define COLUMNS(UNIT, SECONDS)                                                                                         \
    {                                                                                                                  \
        {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all that take part"},                                  \
            {"bytes", CW_COLUMN_INT, "byte", "each rank's message (--bytes); missing in unit time",                    \
             .detail = !(SECONDS)},                                                                                    \
            {"trials", CW_COLUMN_INT, NULL, "random trials", .detail = true},                                          \
            {"slowdown_mean", CW_COLUMN_REAL, NULL, "perturbed time / clean time, mean over trials"},                  \
            {"slowdown_ci95", CW_COLUMN_REAL, NULL, HALF_WIDTH, .interval = true},                                     \
            {"slowdown_min", CW_COLUMN_REAL, NULL, "least slowdown of a trial"},                                       \
            {"slowdown_q25", CW_COLUMN_REAL, NULL, "first quartile of the slowdown"},                                  \
            {"slowdown_median", CW_COLUMN_REAL, NULL, "median of the slowdown"},                                       \
            {"slowdown_q75", CW_COLUMN_REAL, NULL, "third quartile of the slowdown"},                                  \
            {"slowdown_max", CW_COLUMN_REAL, NULL, "greatest slowdown of a trial"},                                    \
            {"clean_mean", CW_COLUMN_REAL, UNIT, "time without perturbation, mean over trials"},                       \
            {"clean_ci95", CW_COLUMN_REAL, UNIT, HALF_WIDTH, .interval = true},                                        \
            {"perturbed_mean", CW_COLUMN_REAL, UNIT, "time with perturbation, mean over trials"},                      \
            {"perturbed_ci95", CW_COLUMN_REAL, UNIT, HALF_WIDTH, .interval = true},                                    \
            {"overhead_mean", CW_COLUMN_REAL, UNIT, "perturbed - clean time, mean over trials"},                       \
            {"overhead_ci95", CW_COLUMN_REAL, UNIT, HALF_WIDTH, .interval = true},                                     \
    }

#define SAMPLE_COLUMNS(UNIT)                                                                                           \
    {                                                                                                                  \
        {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all that take part"},                                  \
            {"bytes", CW_COLUMN_INT, "byte", "each rank's message (--bytes); missing in unit time"},                   \
            {"trial", CW_COLUMN_INT, NULL, "number of the trial, from 1, for --case"},                                 \
            {"clean", CW_COLUMN_REAL, UNIT, "time without perturbation"},                                              \
            {"perturbed", CW_COLUMN_REAL, UNIT, "time with perturbation"},                                             \
            {"slowdown", CW_COLUMN_REAL, NULL, "perturbed / clean"},                                                   \
    }

/* clang-format off */
static const struct cw_column unit_columns[] = COLUMNS(NULL, false);
static const struct cw_column loggp_columns[] = COLUMNS("s", true);
static const struct cw_column unit_sample_columns[] = SAMPLE_COLUMNS(NULL);
static const struct cw_column loggp_sample_columns[] = SAMPLE_COLUMNS("s");
/* clang-format on */

/* The empty table. TITLE is borrowed. */
static int table_new(const struct noise_plan *plan, const char *title, struct cw_table **out)
{
    const bool loggp = plan->values->time == NOISE_LOGGP;
    return cw_table_new("noise", title, loggp ? loggp_columns : unit_columns,
                        sizeof unit_columns / sizeof *unit_columns, out);
}

static void add_bytes(struct cw_table *table, const struct noise_plan *plan)
{
    if (plan->values->time == NOISE_LOGGP)
        cw_table_int(table, (int64_t)plan->setup.collective.bytes);
    else
        cw_table_none(table);
}

static void table_add(struct cw_table *table, const struct noise_plan *plan, const struct cw_noise_result *row)
{
    cw_table_real(table, plan->setup.ratio);
    add_bytes(table, plan);
    cw_table_row(table, "%zu %g %g %g %g %g %g %g", plan->setup.trials, row->slowdown.mean, row->slowdown.ci95,
                 row->slowdown.min, row->slowdown.q25, row->slowdown.median, row->slowdown.q75, row->slowdown.max);
    const struct cw_summary *times[] = {&row->clean, &row->perturbed, &row->overhead};
    for (int i = 0; i < 3; i++) {
        cw_table_real(table, times[i]->mean);
        cw_table_real(table, times[i]->ci95);
    }
}

/* The empty table of --samples; a row of it is a trial. */
static int samples_new(const struct noise_plan *plan, struct cw_table **out)
{
    const bool loggp = plan->values->time == NOISE_LOGGP;
    return cw_table_new("samples", NULL, loggp ? loggp_sample_columns : unit_sample_columns,
                        sizeof unit_sample_columns / sizeof *unit_sample_columns, out);
}

static void samples_add(struct cw_table *table, const struct noise_plan *plan)
{
    for (size_t i = 0; i < plan->setup.trials; i++) {
        const struct cw_times *times = &plan->setup.samples[i];
        cw_table_real(table, plan->setup.ratio);
        add_bytes(table, plan);
        cw_table_row(table, "%zu %g %g %g", i + 1, times->clean, times->perturbed, times->perturbed / times->clean);
    }
}

/* "ratio 0.5", or "ratio 0.5 and 8 B". */
static const char *row_words(const struct noise_plan *plan, char *buffer, size_t size)
{
    char bytes[32];
    const bool loggp = plan->values->time == NOISE_LOGGP;
    snprintf(buffer, size, "ratio %g%s%s", plan->setup.ratio, loggp ? " and " : "",
             loggp ? cw_format_bytes(plan->setup.collective.bytes, bytes, sizeof bytes) : "");
    return buffer;
}

static void note_row(struct cw_result *result, const struct noise_plan *plan, const struct cw_noise_result *row)
{
    const struct cw_summary *slowdown = &row->slowdown;
    char confidence[64], words[80], quarter[80] = "";
    /* Of small messages bandwidth is a small part of the time. */
    const int places = plan->values->time == NOISE_LOGGP && slowdown->mean < 1.01 ? 4 : 2;
    if (slowdown->n < 2) return; /* one trial says nothing of the others */
    if (slowdown->n >= CW_INTERVAL_SAMPLES)
        snprintf(quarter, sizeof quarter, " In one trial in four, it takes at least %.*f times as long.", places,
                 slowdown->q75);
    cw_result_note(result,
                   "At %s, the traffic of %u perturbing endpoints makes %s among the other %u take %.*f times as "
                   "long on average%s.%s",
                   row_words(plan, words, sizeof words), row->perturbing, cw_schedule_spec(plan->schedule),
                   row->application, places, slowdown->mean,
                   confidence_words(slowdown, 1, places, confidence, sizeof confidence), quarter);
}

/* A row in which nothing perturbed. */
static void note_silence(struct cw_result *result, const struct noise_plan *plan, const struct cw_noise_result *row)
{
    if (row->perturbing > 1)
        cw_result_note(result, "At ratio %g, nothing perturbs: %s among %u endpoints has no messages.",
                       plan->setup.ratio, cw_pattern_spec(plan->background), row->perturbing);
    else
        cw_result_note(result, "At ratio %g, %s of %u endpoints perturbs%s.", plan->setup.ratio,
                       row->perturbing == 1 ? "only one" : "none", row->application + row->perturbing,
                       row->perturbing == 1 ? ", and it has nobody to send to" : "");
}

/* --- plans of trials ---------------------------------------------------------------------------------------------- */

static void plan_free(struct noise_plan *plan)
{
    cw_schedule_free(plan->schedule);
    cw_pattern_free(plan->background);
    cw_placement_free(plan->placement);
    free(plan->setup.samples);
}

static int make_plan(struct invocation *invocation, const struct fabric *fabric, struct noise_plan *plan)
{
    const struct noise_options *values = invocation->values;
    int rc = cw_schedule_new(values->schedule, &plan->schedule);
    struct cw_ranks ranks; /* on other endpoints in every trial */
    cw_ranks_of(fabric->net, fabric->net->n_endpoints, &ranks);
    if (!rc) rc = cw_pattern_new(values->background, &ranks, &plan->background);
    if (!rc) rc = cw_placement_new(values->placement, fabric->net, fabric->selection, &plan->placement);
    if (!rc && cw_collectives[cw_schedule_result(plan->schedule)].no_data && invocation_refuses(invocation, "bytes"))
        rc = cw_fail(CW_EUSAGE, "--bytes: %s is a barrier, which carries no data", values->schedule);
    if (rc) return rc;
    cw_result_set_context(invocation->result, CW_CONTEXT_PLACEMENT, values->placement);
    cw_result_set_context(invocation->result, CW_CONTEXT_TRAFFIC, cw_schedule_spec(plan->schedule));
    cw_result_set_context(invocation->result, CW_CONTEXT_BACKGROUND, values->background);
    plan->setup = (struct cw_noise_setup){
        .collective = noise_collective(values, fabric->routes, plan->schedule, 0),
        .background = plan->background,
        .placement = plan->placement,
        .perturbation = (enum cw_perturbation)values->perturbation,
        .model = (enum cw_noise_model)values->model,
        .trials = (size_t)values->trials,
        .seed = (uint64_t)invocation->common.seed,
        .n_threads = (unsigned)invocation->common.threads,
        .executor = invocation_executor(invocation),
    };
    if (!values->samples) return 0;
    plan->setup.samples = cw_new_array(plan->setup.trials, sizeof *plan->setup.samples, "samples");
    return plan->setup.samples ? 0 : CW_ENOMEM;
}

/* The ratio that the sentence speaks of: ½ if it is there, as in the papers, else the middle one. */
static size_t telling_ratio(const struct cw_reals *ratios)
{
    for (size_t i = 0; i < ratios->n; i++)
        if (ratios->values[i] == 0.5) return i;
    return ratios->n / 2;
}

/* --- flows beside counts ------------------------------------------------------------------------------------------ */

#define DISAGREEMENT   1.3  /* of two models: from here on it is said */
#define FLOWS_TRIALS   3    /* that are asked of flows, too, … */
#define FLOWS_MESSAGES 4096 /* … of collectives of no more, which takes no time worth speaking of */

static int is_small(const struct cw_schedule *schedule, uint32_t n, bool *small)
{
    struct cw_messages messages = {0};
    uint32_t rounds, blocks;
    int rc = n > FLOWS_MESSAGES / 4 ? 0 : cw_schedule_plan(schedule, n, &rounds, &blocks);
    *small = n <= FLOWS_MESSAGES / 4;
    for (uint32_t r = 0; !rc && *small && r < rounds; r++) {
        rc = cw_schedule_round(schedule, n, r, &messages);
        *small = messages.n <= FLOWS_MESSAGES;
    }
    cw_messages_free(&messages);
    return rc;
}

/* Of the row's first trials, where flows know all that was asked for and say another time than counts. */
static int note_flows(struct invocation *invocation, const struct noise_plan *plan, uint32_t application)
{
    const struct cw_timing *timing = &plan->setup.collective.timing;
    struct cw_noise_setup setup = plan->setup;
    struct cw_noise_result counts, flows;
    char by_counts[32], by_flows[32];
    bool small;
    if (setup.model == CW_NOISE_FLOWS || !timing->loggp || timing->gap >= 0 || timing->latency >= 0 ||
        setup.collective.sends != CW_SENDS_IN_ORDER || setup.perturbation != CW_PERTURBATION_CONSTANT)
        return 0;
    int rc = is_small(plan->schedule, application, &small);
    if (rc || !small) return rc;
    setup.samples = NULL;
    setup.progress = NULL;
    if (setup.trials > FLOWS_TRIALS) setup.trials = FLOWS_TRIALS;
    rc = cw_noise_run(&setup, &counts);
    setup.model = CW_NOISE_FLOWS;
    if (!rc) rc = cw_noise_run(&setup, &flows);
    if (rc) return rc == CW_EUSAGE ? 0 : rc; /* flows do not know these routes */
    const double apart = flows.perturbed.mean / counts.perturbed.mean;
    if (apart <= DISAGREEMENT && apart >= 1 / DISAGREEMENT) return 0;
    cw_result_note(invocation->result,
                   "Flows, which share channels in time, say another time: in the first %zu trial%s, %s with the "
                   "perturbation and a slowdown of %.3g, where counts say %s and %.3g (--model flows).",
                   setup.trials, cw_plural(setup.trials),
                   cw_format_time(flows.perturbed.mean, by_flows, sizeof by_flows), flows.slowdown.mean,
                   cw_format_time(counts.perturbed.mean, by_counts, sizeof by_counts), counts.slowdown.mean);
    return 0;
}

/* Where rows go. */
struct tables {
    struct cw_table *rows;    /* the result's */
    struct cw_table *samples; /* owned; NULL unless asked for */
};

/* The row of the plan's setup. */
static int simulate_row(struct invocation *invocation, const struct noise_plan *plan, bool telling,
                        struct tables *tables)
{
    struct cw_noise_result row;
    int rc = cw_noise_run(&plan->setup, &row);
    if (rc) return rc;
    table_add(tables->rows, plan, &row);
    if (tables->samples) samples_add(tables->samples, plan);
    if (row.perturbation_messages > 0 && telling) note_row(invocation->result, plan, &row);
    if (telling) rc = note_flows(invocation, plan, row.application);
    if (row.perturbation_messages == 0 && plan->setup.collective.bytes == plan->values->bytes.values[0])
        note_silence(invocation->result, plan, &row);
    return rc;
}

static size_t count_sizes(const struct noise_options *values)
{
    return values->time == NOISE_LOGGP ? values->bytes.n : 1;
}

static int simulate(struct invocation *invocation, struct noise_plan *plan, struct tables *tables)
{
    const struct cw_reals *ratios = &plan->values->ratios;
    const size_t n_sizes = count_sizes(plan->values);
    struct cw_progress *progress = invocation_progress(invocation, "noise", plan->setup.trials * ratios->n * n_sizes);
    plan->setup.progress = progress;
    cw_table_expect(tables->rows, ratios->n * n_sizes);
    int rc = 0;
    /* The last ratio is refused before the first has taken its time. */
    for (size_t i = 0; !rc && i < ratios->n; i++) {
        plan->setup.ratio = ratios->values[i];
        rc = cw_noise_check(&plan->setup);
    }
    for (size_t i = 0; !rc && i < ratios->n * n_sizes; i++) {
        plan->setup.ratio = ratios->values[i / n_sizes];
        plan->setup.collective.bytes = plan->values->bytes.values[i % n_sizes];
        rc = simulate_row(invocation, plan, i / n_sizes == telling_ratio(ratios), tables);
    }
    cw_progress_free(progress);
    if (!rc) noise_note_regime(invocation->result, plan->values, cw_routes_network(plan->setup.collective.routes));
    return rc;
}

static int make_tables(struct cw_result *result, const struct fabric *fabric, const struct noise_plan *plan,
                       struct tables *tables)
{
    const struct noise_options *values = plan->values;
    struct cw_text title = {0};
    char count[FABRIC_COUNT_SIZE];
    cw_text_printf(&title, "Slowdown of %s on %s (%s, routed by %s, %zu trials a row)",
                   cw_schedule_spec(plan->schedule), fabric->net->title,
                   fabric_count(fabric->net, fabric->selection, count), cw_routes_name(fabric->routes),
                   plan->setup.trials);
    int rc = cw_text_check(&title);
    if (!rc) rc = table_new(plan, title.data, &tables->rows);
    cw_text_free(&title);
    if (!rc) rc = cw_result_add_table(result, tables->rows);
    if (!rc && values->samples) rc = samples_new(plan, &tables->samples);
    return rc;
}

/* A line for each size; or of a single ratio, one by sizes. */
static int declare_figure(struct cw_result *result, const struct noise_plan *plan)
{
    const struct noise_options *values = plan->values;
    const bool sizes = count_sizes(values) > 1, by_size = values->ratios.n == 1 && sizes;
    const char *network = cw_routes_network(plan->setup.collective.routes)->title, *folder = strrchr(network, '/');
    char title[256];
    snprintf(title, sizeof title, "Slowdown of %s on %s", cw_schedule_spec(plan->schedule),
             folder ? folder + 1 : network);
    return cw_result_figure(
        result, &(struct cw_figure){.kind = CW_FIGURE_LINES,
                                    .table = "noise",
                                    .title = title,
                                    .x = by_size ? "bytes" : "ratio",
                                    .y = "slowdown_mean",
                                    .ci95 = "slowdown_ci95",
                                    .min = "slowdown_min",
                                    .low = "slowdown_q25",
                                    .median = "slowdown_median",
                                    .high = "slowdown_q75",
                                    .max = "slowdown_max",
                                    .samples = "trials",
                                    .series = sizes && !by_size ? "bytes" : NULL,
                                    .log_x = by_size,
                                    .x_to = by_size ? 0 : 1,
                                    .x_label = by_size ? "message size" : "perturbing endpoints / all",
                                    .y_label = sizes && !by_size ? "quartiles and range of perturbed / clean"
                                                                 : "quartiles, range and mean of perturbed / clean",
                                    .level_label = "no slowdown",
                                    .level = 1});
}

static int run_trials(struct invocation *invocation, const struct fabric *fabric, struct noise_plan *plan)
{
    struct tables tables = {0};
    int rc = make_tables(invocation->result, fabric, plan, &tables);
    if (!rc) rc = declare_figure(invocation->result, plan);
    if (!rc) rc = simulate(invocation, plan, &tables);
    if (tables.samples && cw_table_rows(tables.samples) > 0) {
        const int written = cw_result_save_csv(invocation->result, tables.samples, plan->values->samples);
        if (!rc) rc = written;
    }
    cw_table_free(tables.samples);
    return rc;
}

/* --case is one trial of one row, and needs a second argument, which means nothing else. */
static int check_case(const struct invocation *invocation)
{
    static const char *const of_many[] = {"trials", "samples", NULL};
    const struct noise_options *values = invocation->values;
    if (values->trial_number == 0 && invocation->n_positional == 2)
        return cw_fail(CW_EUSAGE, "unexpected argument '%s': a second one is for --case", invocation->positional[1]);
    if (values->trial_number == 0) return 0;
    if (invocation->n_positional < 2)
        return cw_fail(CW_EUSAGE,
                       "--case: expected a network and the file to write: crosswind noise NETWORK --case N FILE");
    if (values->ratios.n != 1 || values->bytes.n != 1)
        return cw_fail(CW_EUSAGE, "--case: expected one --ratio and at most one of --bytes");
    return invocation_refuse(invocation, of_many, "is for many trials, not for --case");
}

static const char *undrawn(const struct invocation *invocation)
{
    const struct noise_options *values = invocation->values;
    if (values->trial) return "is for many trials, not for --trial";
    return values->trial_number > 0 ? "is for many trials, not for --case" : NULL;
}

static int run(struct invocation *invocation)
{
    const struct noise_options *values = invocation->values;
    int rc = noise_settle(invocation);
    if (!rc) rc = check_case(invocation);
    if (rc) return rc;
    if (values->trial) return noise_replay(invocation);
    if (invocation->n_positional == 0)
        return cw_fail(CW_EUSAGE, "crosswind noise: expected NETWORK or --trial FILE, see 'crosswind noise --help'");
    struct fabric fabric;
    struct noise_plan plan = {.values = values};
    rc = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!rc) rc = make_plan(invocation, &fabric, &plan);
    if (!rc)
        rc = values->trial_number > 0 ? noise_write_trial(invocation, &fabric, &plan, invocation->positional[1])
                                      : run_trials(invocation, &fabric, &plan);
    plan_free(&plan);
    fabric_free(&fabric);
    return rc;
}

const struct verb verb_noise = {
    .name = "noise",
    .help = "How much the background traffic of others slows a collective down",
    .arguments = arguments,
    .description =
        "NETWORK is a specification (xgft:2:12,12:1,6:radix=24, torus:10x10, ...) or a file (see "
        "crosswind help formats). Each trial places the application on random endpoints and lets all "
        "others send to one another, each to one partner. A message of the collective takes one unit of time "
        "for each message on the busiest channel of its route in that level. The collective takes as long as "
        "its longest chain of dependent messages. The slowdown is the time with the background traffic "
        "divided by the time without (Hoefler, Schneider, Lumsdaine 2009). This holds for messages so large "
        "that bandwidth alone decides. For a given message size, --bytes gives seconds, with the latencies "
        "and speeds of the network (LogGP); crosswind jobs --model flits simulates queues, too.",
    .examples = "  crosswind noise fabric.ibnetdiscover --lft opensm-lfts.dump --ratio 0.1..0.9\n"
                "  crosswind noise 'xgft(3,12,8,12,4)' --ratio 0.5 --schedule ring-allreduce --trials 10\n"
                "  crosswind noise torus:100x100 --ratio 0.5 --bytes 8B,4KiB,1MiB\n"
                "  crosswind noise torus:10x10 --plot noise.svg\n"
                "  crosswind noise torus:100x100 --ratio 0.5 --samples samples.csv\n"
                "  crosswind noise torus:100x100 --ratio 0.5 --case 17 case.txt\n"
                "  crosswind noise --trial case.txt\n",
    .options = options,
    .size = sizeof(struct noise_options),
    .network = true,
    .nodes = true,
    .stores = STORES_RESULT,
    .routes = true,
    .lids = true,
    .pictures = PICTURES_DECLARED,
    .undrawn = undrawn,
    .run = run,
};
