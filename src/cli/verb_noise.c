/* crosswind noise: how much background traffic slows a collective down. */
#include <string.h>

#include "base/error.h"
#include "cli/fabric.h"
#include "cli/interval_note.h"
#include "cli/noise_options.h"
#include "cli/noise_replay.h"
#include "sim/noise.h"

static const char *const perturbations[] = {"constant", "per-round", NULL};
static const char *const timings[] = {"unit", "loggp", NULL};

static const struct cw_option options[] = {
    {.name = "ratio",
     .type = CW_OPTION_REALS,
     .offset = offsetof(struct noise_options, ratios),
     .value_name = "R[,R...]|FROM..TO[:STEP]",
     .default_text = "0.1..0.9:0.1",
     .min = 0,
     .max = 1,
     .help = "perturbing endpoints / all that take part"},
    {.name = "schedule",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct noise_options, schedule),
     .value_name = "SCHEDULE",
     .default_text = "binomial-bcast",
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
     .help = "what the perturbing endpoints send one another (see crosswind help patterns); its rounds follow one "
             "another, and a trial meets any of them"},
    {.name = "perturbation",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct noise_options, perturbation),
     .default_text = "constant",
     .choices = perturbations,
     .help = "one perturbation for the whole collective, or another one (or the pattern's next round) at each of its "
             "levels"},
    {.name = "placement",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct noise_options, placement),
     .value_name = "PLACEMENT",
     .default_text = "random",
     .help = "which endpoints the application gets, the others perturb (see crosswind help placements)"},
    {.name = "serialise-sends",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct noise_options, serialise_sends),
     .help = "a rank sends one message after another instead of all at once"},
    {.name = "time",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct noise_options, time),
     .default_text = "unit",
     .choices = timings,
     .help = "a message takes its congestion (unit), or L + o + bytes G congestion seconds (loggp)"},
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct noise_options, bytes),
     .value_name = "SIZE",
     .default_text = "8B",
     .help = "loggp: data of the collective"},
    {.name = "L",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct noise_options, latency),
     .value_name = "TIME",
     .default_text = "1us",
     .min = 0,
     .max = 1e6,
     .help = "loggp: latency of a message"},
    {.name = "o",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct noise_options, overhead),
     .value_name = "TIME",
     .default_text = "0.5us",
     .min = 0,
     .max = 1e6,
     .help = "loggp: processor time a message costs"},
    {.name = "G",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct noise_options, gap),
     .value_name = "TIME",
     .default_text = "0.2ns",
     .min = 0,
     .max = 1e6,
     .help = "loggp: time for each byte; 0.2ns is 40 Gbit/s"},
    {.name = "trial",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct noise_options, trial),
     .value_name = "FILE",
     .help = "replay one explicit case instead of random trials, and compare it with the figures in the file; the "
             "network is the argument's, or else the file's"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"network", CW_COLUMN_TEXT, NULL, "network, as given", .detail = true},
    {"endpoints", CW_COLUMN_INT, NULL, "endpoints that take part", .detail = true},
    {"schedule", CW_COLUMN_TEXT, NULL, "the application's collective", .detail = true},
    {"ratio", CW_COLUMN_REAL, NULL, "perturbing endpoints / all that take part"},
    {"trials", CW_COLUMN_INT, NULL, "random trials", .detail = true},
    {"slowdown_mean", CW_COLUMN_REAL, NULL, "perturbed time / clean time, mean over trials"},
    {"slowdown_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"slowdown_q25", CW_COLUMN_REAL, NULL, "first quartile of the slowdown"},
    {"slowdown_median", CW_COLUMN_REAL, NULL, "median of the slowdown"},
    {"slowdown_q75", CW_COLUMN_REAL, NULL, "third quartile of the slowdown"},
    {"slowdown_max", CW_COLUMN_REAL, NULL, "greatest slowdown of a trial"},
    {"clean_mean", CW_COLUMN_REAL, NULL, "time without perturbation, mean over trials (s for loggp)"},
    {"clean_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"perturbed_mean", CW_COLUMN_REAL, NULL, "time with perturbation, mean over trials (s for loggp)"},
    {"perturbed_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
    {"overhead_mean", CW_COLUMN_REAL, NULL, "perturbed - clean time, mean over trials (s for loggp)"},
    {"overhead_ci95", CW_COLUMN_REAL, NULL, "half width of its 95 % confidence interval", .interval = true},
};

/* What the options name, made. */
struct plan {
    struct cw_noise_setup setup;
    struct cw_schedule *schedule;
    struct cw_pattern *background;
    struct cw_placement *placement;
};

static void plan_free(struct plan *plan)
{
    cw_schedule_free(plan->schedule);
    cw_pattern_free(plan->background);
    cw_placement_free(plan->placement);
}

static int make_plan(struct invocation *invocation, const struct fabric *fabric, struct plan *plan)
{
    const struct noise_options *values = invocation->values;
    int error = cw_schedule_new(values->schedule, &plan->schedule);
    if (!error) error = cw_pattern_new(values->background, &plan->background);
    if (!error) error = fabric_add_pattern(invocation, values->background);
    if (!error) error = cw_placement_new(values->placement, fabric->net, fabric->selection, &plan->placement);
    if (!error) error = fabric_add_placement(invocation, values->placement);
    if (error) return error;
    plan->setup = (struct cw_noise_setup){
        .collective = noise_collective(values, fabric->routes, plan->schedule),
        .perturbation = plan->background,
        .placement = plan->placement,
        .per_round = values->perturbation == 1,
        .trials = (size_t)values->trials,
        .seed = (uint64_t)invocation->common.seed,
        .n_threads = (unsigned)invocation->common.threads,
    };
    return 0;
}

static void add_row(struct cw_table *table, const struct fabric *fabric, const struct plan *plan,
                    const struct cw_noise_result *row)
{
    cw_table_text(table, fabric->net->title);
    cw_table_int(table, fabric->selection->n);
    cw_table_text(table, cw_schedule_spec(plan->schedule));
    cw_table_real(table, plan->setup.ratio);
    cw_table_int(table, (int64_t)plan->setup.trials);
    cw_table_real(table, row->slowdown.mean);
    cw_table_real(table, row->slowdown.ci95);
    cw_table_real(table, row->slowdown.q25);
    cw_table_real(table, row->slowdown.median);
    cw_table_real(table, row->slowdown.q75);
    cw_table_real(table, row->slowdown.max);
    const struct cw_summary *times[] = {&row->clean, &row->perturbed, &row->overhead};
    for (int i = 0; i < 3; i++) {
        cw_table_real(table, times[i]->mean);
        cw_table_real(table, times[i]->ci95);
    }
}

static void note_meaning(struct cw_result *result, const struct plan *plan, const struct cw_noise_result *row)
{
    const struct cw_summary *slowdown = &row->slowdown;
    char confidence[64];
    if (slowdown->n < 2) return; /* one trial says nothing of the others */
    cw_result_note(result,
                   "At ratio %g, the traffic of %u perturbing endpoints makes %s among the other %u take %.2f times as "
                   "long on average%s; one trial in four is slower than %.2f times.",
                   plan->setup.ratio, row->perturbing, cw_schedule_spec(plan->schedule), row->application,
                   slowdown->mean, confidence_words(slowdown, 1, 2, confidence, sizeof confidence), slowdown->q75);
}

/* Says that a row is no measurement: nothing perturbed. */
static void note_silence(struct cw_result *result, const struct plan *plan, const struct cw_noise_result *row)
{
    if (row->perturbing > 1)
        cw_result_note(result, "At ratio %g nothing perturbs: %s among %u endpoints has no messages.",
                       plan->setup.ratio, cw_pattern_spec(plan->background), row->perturbing);
    else
        cw_result_note(result, "At ratio %g nothing perturbs: %s of %u endpoints is to%s.", plan->setup.ratio,
                       row->perturbing == 1 ? "only one" : "none", row->application + row->perturbing,
                       row->perturbing == 1 ? ", and it has nobody to send to" : "");
}

/* The ratio that the sentence speaks of: ½ if it is there, as in the papers, else the middle one. */
static size_t telling_ratio(const struct cw_reals *ratios)
{
    for (size_t i = 0; i < ratios->n; i++)
        if (ratios->values[i] == 0.5) return i;
    return ratios->n / 2;
}

static int simulate(struct invocation *invocation, const struct fabric *fabric, struct plan *plan,
                    struct cw_table *table)
{
    const struct cw_reals *ratios = &((const struct noise_options *)invocation->values)->ratios;
    struct cw_progress *progress = invocation_progress(invocation, "noise", plan->setup.trials * ratios->n);
    plan->setup.progress = progress;
    int error = 0;
    /* The last ratio is refused before the first has taken its time. */
    for (size_t i = 0; !error && i < ratios->n; i++) {
        plan->setup.ratio = ratios->values[i];
        error = cw_noise_check(&plan->setup);
    }
    for (size_t i = 0; !error && i < ratios->n; i++) {
        struct cw_noise_result row;
        plan->setup.ratio = ratios->values[i];
        error = cw_noise_run(&plan->setup, &row);
        if (error) break;
        add_row(table, fabric, plan, &row);
        if (row.perturbation_messages == 0)
            note_silence(invocation->result, plan, &row);
        else if (i == telling_ratio(ratios))
            note_meaning(invocation->result, plan, &row);
    }
    cw_progress_free(progress);
    return error;
}

static int run_trials(struct invocation *invocation, const struct fabric *fabric)
{
    struct plan plan = {0};
    struct cw_table *table = NULL;
    struct cw_text title = {0};
    char count[FABRIC_COUNT_SIZE];
    int error = make_plan(invocation, fabric, &plan);
    if (!error) {
        cw_text_printf(&title, "Slowdown of %s on %s (%s, routed by %s, %zu trials a row)",
                       cw_schedule_spec(plan.schedule), fabric->net->title,
                       fabric_count(fabric->net, fabric->selection, count), cw_routes_name(fabric->routes),
                       plan.setup.trials);
        error = cw_text_check(&title);
    }
    if (!error) error = cw_table_new("noise", title.data, columns, sizeof columns / sizeof *columns, &table);
    if (!error) {
        error = simulate(invocation, fabric, &plan, table);
        if (!error)
            error = cw_result_add_table(invocation->result, table);
        else
            cw_table_free(table);
    }
    cw_text_free(&title);
    plan_free(&plan);
    return error;
}

static int run(struct invocation *invocation)
{
    const struct noise_options *values = invocation->values;
    if (values->time == 0) {
        static const char *const loggp[] = {"bytes", "L", "o", "G", NULL};
        const int error = invocation_refuse(invocation, loggp, "is for --time loggp");
        if (error) return error;
    }
    if (values->trial) return noise_replay(invocation);
    if (invocation->n_positional == 0)
        return cw_fail(CW_EUSAGE, "crosswind noise: expected NETWORK or --trial FILE, see 'crosswind noise --help'");
    struct fabric fabric;
    int error = fabric_open(invocation, invocation->positional[0], &fabric);
    if (!error) error = run_trials(invocation, &fabric);
    fabric_free(&fabric);
    return error;
}

const struct verb verb_noise = {
    .name = "noise",
    .help = "How much the background traffic of others slows a collective down",
    .arguments = "NETWORK",
    .description = "NETWORK is a specification (xgft:2:12,12:1,6:radix=24, torus:10x10, ...) or a file (ibnetdiscover, "
                   "ibsim net, JSON, edge list). Each trial places the application on random endpoints and lets all "
                   "others send to one another, each to one partner. A message of the collective takes as long as the "
                   "busiest channel on its way has messages in that level; the collective takes as long as its longest "
                   "chain of dependent messages. The slowdown is that time with the background traffic divided by the "
                   "time without (Hoefler, Schneider, Lumsdaine 2009).",
    .examples = "  crosswind noise fabric.ibnetdiscover --lft opensm-lfts.dump --ratio 0.1..0.9\n"
                "  crosswind noise 'xgft(3,12,8,12,4)' --ratio 0.5 --schedule ring-allreduce --trials 10\n"
                "  crosswind noise torus:100x100 --ratio 0.5 --time loggp --bytes 1MiB --format csv\n"
                "  crosswind noise --trial case.txt\n",
    .options = options,
    .size = sizeof(struct noise_options),
    .max_positional = 1,
    .network = true,
    .routes = true,
    .run = run,
};
