/* crosswind tree: in which order and along which trees the hosts of a job should pass on collectives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "study/host_map.h"
#include "study/overlap/host_order.h"
#include "study/overlap/host_trees.h"

struct tree_options {
    struct cw_sizes bytes;
    struct cw_ints jobs;
    char *placement, *hosts, *save;
    int64_t trials;
    int model; /* enum model */
    double latency, overhead, gap;
};

enum model { COUNTS, FLOWS };
static const char *const models[] = {"counts", "flows", NULL}; /* as enum model has them */

static const struct cw_option options[] = {
    {.name = "job",
     .type = CW_OPTION_INTS,
     .offset = offsetof(struct tree_options, jobs),
     .value_name = "N[,N...]",
     .min = 2,
     .max = 1e6,
     .help = "hosts of a job; by default powers of four, and all"},
    {.name = "bytes",
     .type = CW_OPTION_SIZES,
     .offset = offsetof(struct tree_options, bytes),
     .value_name = "SIZE[,SIZE...]",
     .default_text = "32KiB,128KiB,512KiB,2MiB,8MiB",
     .min = 1,
     .max = 0x1p40,
     .help = "message sizes, as MPI counts them"},
    {.name = "placement",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct tree_options, placement),
     .default_text = "random",
     .names = &cw_placement_registry,
     .help = "which hosts a job has, and in which order its ranks are on them: the first ones of crosswind help "
             "placements"},
    {.name = "trials",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct tree_options, trials),
     .value_name = "N",
     .default_text = "5",
     .min = 1,
     .max = 1e6,
     .help = "jobs that are drawn for each number of hosts, if the placement is random"},
    {.name = "model",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct tree_options, model),
     .default_text = "counts",
     .choices = models,
     .help =
         "messages of a round are counted on channels (counts), or share channels in time, so that rounds may drift "
         "apart (flows), which takes longer"},
    {.name = "hosts",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct tree_options, hosts),
     .help = "which endpoint each host is, a line \"HOST ENDPOINT\" each; by default hosts are endpoints of their own "
             "name, the first word of a node description"},
    {.name = "L",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct tree_options, latency),
     .value_name = "TIME",
     .min = 0,
     .max = 1e6,
     .help = "LogGP's latency of a message; by default the sum of the latencies of the channels on its route"},
    {.name = "o",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct tree_options, overhead),
     .value_name = "TIME",
     .default_text = "5us",
     .min = 0,
     .max = 1e6,
     .help = "LogGP's time that a message costs in software and adapters, both ends together (crosswind-mpi bench "
             "loggp measures it)"},
    {.name = "G",
     .type = CW_OPTION_BYTE_TIME,
     .offset = offsetof(struct tree_options, gap),
     .value_name = "TIME|RATE",
     .min = 0,
     .max = 1e-3,
     .help = "LogGP's time for each byte, or the rate; by default that of the channels on the route, so that slow ones "
             "count"},
    {.name = "save",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct tree_options, save),
     .value_name = "FILE|auto",
     .help = "write the order of hosts and the best trees for libcrosswind-nbc (CROSSWIND_NBC_FABRIC=FILE); auto: "
             "where it looks by itself"},
    {.name = NULL},
};

static const struct cw_column choice_columns[] = {
    {"collective", CW_COLUMN_TEXT, NULL, "bcast, reduce or allreduce; scatters and gathers go straight"},
    {"hosts_from", CW_COLUMN_INT, NULL, "the fewest of a job, of those that were predicted, ..."},
    {"hosts_to", CW_COLUMN_INT, NULL, "... and the most"},
    {"trees", CW_COLUMN_TEXT, NULL,
     "that take least, and from which size on; with hosts in the order of the fabric, unless it says by ranks"},
    {"gain_least", CW_COLUMN_REAL, NULL, "started_time / time, the least over these hosts and sizes, ..."},
    {"gain_most", CW_COLUMN_REAL, NULL, "... and the most"},
};

#define BY_FABRIC(WORD, NAME, CONSTANT, RADIX, NOTE)                                                                   \
    {#WORD, CW_COLUMN_REAL, "s", "time of this tree with hosts in the order of the fabric" NOTE, .detail = true},
#define BY_RANKS(WORD, NAME, CONSTANT, RADIX, NOTE)                                                                    \
    {#WORD "_by_ranks", CW_COLUMN_REAL, "s", "time with hosts in the order of the job's ranks" NOTE, .detail = true},

static const struct cw_column columns[] = {
    {"collective", CW_COLUMN_TEXT, NULL, "bcast, reduce, allreduce, scatter or gather"},
    {"hosts", CW_COLUMN_INT, NULL, "of the job"},
    {"bytes", CW_COLUMN_INT, "byte", "its size, as MPI counts it"},
    {"order", CW_COLUMN_TEXT, NULL, "of hosts that takes least: fabric, or ranks, that of the job"},
    {"tree", CW_COLUMN_TEXT, NULL, "that takes least; straight: there is none, and order changes nothing"},
    {"time", CW_COLUMN_REAL, "s", "its time, mean over trials"},
    {"started_tree", CW_COLUMN_TEXT, NULL, "what libcrosswind-nbc takes when nothing is known of the network"},
    {"started_time", CW_COLUMN_REAL, "s", "its time, with hosts in the order of the job's ranks"},
    CW_HOST_TREE_LIST(BY_FABRIC) CW_HOST_TREE_LIST(BY_RANKS)};

static const struct cw_column order_columns[] = {
    {"place", CW_COLUMN_INT, NULL, "in the order of the fabric, from 0"},
    {"host", CW_COLUMN_TEXT, NULL, "its name"},
    {"endpoint", CW_COLUMN_INT, NULL, "its number in the network"},
};

struct planning {
    struct invocation *invocation;
    const struct tree_options *values;
    struct fabric fabric;
    struct cw_placement *placement;
    uint32_t n;
    uint32_t *order; /* [n] endpoints */
    char **names;    /* [n] of hosts, in this order */
    bool nearest;
    struct cw_ints jobs;
    struct cw_host_tree_points points;
};

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int choose_jobs(struct planning *planning)
{
    size_t n = 0;
    planning->jobs = planning->values->jobs;
    if (planning->jobs.n > 0) return 0;
    planning->jobs.values = cw_new_array(16, sizeof(int64_t), "numbers of hosts"); /* of 4^16 - 1 at most */
    if (!planning->jobs.values) return CW_ENOMEM;
    for (int64_t hosts = 4; hosts < planning->n; hosts *= 4) planning->jobs.values[n++] = hosts;
    planning->jobs.values[n++] = planning->n;
    planning->jobs.n = n;
    return 0;
}

static int prepare(struct planning *planning)
{
    const struct tree_options *values = planning->values;
    struct invocation *invocation = planning->invocation;
    int rc = fabric_open(invocation, invocation->positional[0], &planning->fabric);
    if (rc) return rc;
    const struct fabric *fabric = &planning->fabric;
    cw_result_set_context(invocation->result, CW_CONTEXT_PLACEMENT, values->placement);
    planning->n = fabric->selection->n;
    if (planning->n < 2) return cw_fail(CW_EUSAGE, "there is no tree of one host");
    planning->order = cw_new_array(planning->n, sizeof *planning->order, "hosts");
    planning->names = cw_new_array(planning->n, sizeof *planning->names, "names of hosts");
    if (!planning->order || !planning->names) return CW_ENOMEM;
    memcpy(planning->order, fabric->selection->endpoints, planning->n * sizeof *planning->order);
    rc = cw_placement_new(values->placement, fabric->net, fabric->selection, &planning->placement);
    return rc ? rc : choose_jobs(planning);
}

/* --- predicting --------------------------------------------------------------------------------------------------- */

static int predict(struct planning *planning)
{
    const struct tree_options *values = planning->values;
    struct invocation *invocation = planning->invocation;
    const size_t trials = cw_placement_is_random(planning->placement) ? (size_t)values->trials : 1;
    struct cw_progress *progress = invocation_progress(invocation, "tree", planning->jobs.n * trials);
    const struct cw_host_trees_setup setup = {
        .routes = planning->fabric.routes,
        .placement = planning->placement,
        .order = planning->order,
        .n_order = planning->n,
        .timing = {.loggp = true,
                   .latency = invocation_has(invocation, "L") ? values->latency : CW_TIMING_OF_CHANNELS,
                   .overhead = values->overhead,
                   .gap = invocation_has(invocation, "G") ? values->gap : CW_TIMING_OF_CHANNELS},
        .bytes = values->bytes,
        .jobs = planning->jobs,
        .trials = trials,
        .seed = (uint64_t)invocation->common.seed,
        .n_threads = (unsigned)invocation->common.threads,
        .progress = progress,
        .by_flows = values->model == FLOWS,
    };
    const int rc = cw_host_trees_predict(&setup, &planning->points);
    cw_progress_free(progress);
    return rc;
}

/* --- what is shown ------------------------------------------------------------------------------------------------ */

static const char *tree_name(uint32_t tree, bool straight, char *text)
{
    return straight ? "straight" : cw_nbc_between_format(&cw_host_trees[tree], text);
}

/* "binomial, chain by ranks from 256 KiB" */
static void name_trees(const struct cw_host_choice *choice, struct cw_text *text)
{
    for (size_t i = 0; i < choice->n_steps; i++) {
        const struct cw_host_step *step = &choice->steps[i];
        char tree[CW_NBC_BETWEEN_SIZE], bytes[32];
        cw_text_printf(text, "%s%s%s", i > 0 ? ", " : "", tree_name(step->tree, false, tree),
                       cw_host_trees[step->tree].by_fabric ? "" : " by ranks");
        if (i > 0) cw_text_printf(text, " from %s", cw_format_bytes(step->bytes, bytes, sizeof bytes));
    }
}

static int add_choice(const struct cw_host_choice *choice, struct cw_table *table)
{
    struct cw_text trees = {0};
    name_trees(choice, &trees);
    const int rc = cw_text_check(&trees);
    if (rc) return rc;
    cw_table_row(table, "%s %u %u %s %g %g", cw_collectives[choice->collective].name, choice->first, choice->last,
                 trees.data, choice->least, choice->most);
    cw_text_free(&trees);
    return 0;
}

static int show_choices(const struct planning *planning)
{
    struct cw_host_choices choices;
    struct cw_table *table;
    int rc = cw_host_choices_of(&planning->points, &choices);
    if (rc) return rc;
    rc = cw_result_new_detail(planning->invocation->result, "choices",
                              "Trees of hosts that take least, and how many times as long it takes without them",
                              CW_ITEMS(choice_columns), &table);
    for (size_t i = 0; !rc && i < choices.n; i++) rc = add_choice(&choices.items[i], table);
    cw_host_choices_free(&choices);
    static const struct cw_figure_panel gains[] = {{.y = "gain_least"}, {.y = "gain_most"}};
    static const struct cw_figure figure = {.kind = CW_FIGURE_BARS,
                                            .table = "choices",
                                            .title = "Gain by trees of hosts, of all sizes",
                                            .rows = "collective",
                                            .series = "hosts_to",
                                            .panels = gains,
                                            .n_panels = 2};
    return rc ? rc : cw_result_figure(planning->invocation->result, &figure);
}

static void add_row(const struct cw_host_tree_point *point, struct cw_table *table)
{
    char best[CW_NBC_BETWEEN_SIZE], started[CW_NBC_BETWEEN_SIZE];
    const bool straight = point->straight;
    cw_table_row(table, "%s %u %lu", cw_collectives[point->collective].name, point->hosts, point->bytes);
    cw_table_text(table, straight ? NULL : cw_host_trees[point->best].by_fabric ? "fabric" : "ranks");
    cw_table_row(table, "%s %g %s %g", tree_name(point->best, straight, best), point->time[point->best],
                 tree_name(point->started, straight, started), point->time[point->started]);
    for (uint32_t tree = 0; tree < CW_HOST_TREES; tree++) cw_table_real(table, straight ? NAN : point->time[tree]);
}

static int show_trees(const struct planning *planning)
{
    struct cw_table *table;
    int rc = cw_table_new("trees", "Every prediction", CW_ITEMS(columns), &table);
    if (!rc) cw_table_cut_text(table, 0);
    if (!rc) rc = cw_result_add_table(planning->invocation->result, table);
    for (size_t i = 0; !rc && i < planning->points.n; i++) add_row(&planning->points.items[i], table);
    return rc;
}

static int show_order(const struct planning *planning)
{
    struct cw_table *table;
    int rc = cw_result_new_detail(planning->invocation->result, "order", "Hosts in the order of the fabric",
                                  CW_ITEMS(order_columns), &table);
    if (rc) return rc;
    cw_table_cut_text(table, planning->nearest ? 16 : 0);
    for (uint32_t i = 0, place = 0; i < planning->n; i++) {
        if (!planning->names[i]) continue;
        cw_table_row(table, "%u %s %u", place++, planning->names[i], planning->order[i]);
    }
    return 0;
}

static int show(const struct planning *planning)
{
    int rc = show_choices(planning);
    if (!rc) rc = show_trees(planning);
    return rc ? rc : show_order(planning);
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

static int note_order(const struct planning *planning)
{
    struct cw_result *result = planning->invocation->result;
    uint32_t *started = cw_new_array(planning->n, sizeof *started, "hosts");
    struct cw_random random = cw_random_of((uint64_t)planning->invocation->common.seed, CW_STREAM_PLACEMENT, 0);
    struct cw_host_load ordered, placed;
    int rc = started ? cw_placement_order(planning->placement, &random, started) : CW_ENOMEM;
    if (!rc) rc = cw_host_load_of_round(planning->fabric.routes, planning->n, planning->order, &ordered);
    if (!rc) rc = cw_host_load_of_round(planning->fabric.routes, planning->n, started, &placed);
    free(started);
    if (rc) return rc;
    cw_result_note(result,
                   "Where all %u hosts pass a message on, each to the next, the busiest channel carries %.3g of these "
                   "messages at once in the order of the fabric (%s), and %.3g in that of placement %s.",
                   planning->n, ordered.crossings, planning->nearest ? "the nearest next" : "that of their numbers",
                   placed.crossings, cw_placement_spec(planning->placement));
    return 0;
}

static void note_regime(const struct planning *planning)
{
    const struct tree_options *values = planning->values;
    char overhead[32];
    cw_result_note(planning->invocation->result,
                   "Predicted for the routes of %s: a message takes o + L + %s, o = %s, and meets "
                   "those of its own collective, one a host. Left out: other traffic, queues and congestion control, "
                   "and %s. MPI's own collectives are not predicted. What is best is so on average over jobs of "
                   "placement %s; a gain of 1 means that nothing is better than what the library does by itself.",
                   cw_routes_name(planning->fabric.routes),
                   values->model == FLOWS ? "latencies + bytes / rate (--model flows)"
                                          : "bytes · G · congestion (LogGP)",
                   cw_format_time(values->overhead, overhead, sizeof overhead),
                   planning->invocation->routing.nodes ? "costs of GPUs' own; each GPU counts as a host"
                                                       : "what happens within hosts",
                   cw_placement_spec(planning->placement));
}

/* --- keeping it --------------------------------------------------------------------------------------------------- */

static int save(const struct planning *planning)
{
    const bool kept = strcmp(planning->values->save, "auto") == 0;
    struct cw_text path = {0};
    struct cw_nbc_fabric fabric = {.hosts = cw_new_array(planning->n, sizeof(char *), "hosts")};
    int rc = fabric.hosts ? cw_host_trees_keep(&planning->points, &fabric.trees) : CW_ENOMEM;
    snprintf(fabric.network, sizeof fabric.network, "%s", planning->fabric.net->title);
    snprintf(fabric.routes, sizeof fabric.routes, "%s", cw_routes_name(planning->fabric.routes));
    snprintf(fabric.placement, sizeof fabric.placement, "%s", cw_placement_spec(planning->placement));
    for (uint32_t i = 0; !rc && i < planning->n; i++)
        if (planning->names[i]) fabric.hosts[fabric.n++] = planning->names[i]; /* borrowed */
    if (!rc && kept) rc = cw_nbc_fabric_path(&path);
    if (!kept) cw_text_add(&path, planning->values->save);
    if (!rc) rc = cw_text_check(&path);
    if (!rc) rc = cw_nbc_fabric_write(path.data, &fabric);
    if (!rc)
        cw_result_note(planning->invocation->result,
                       "Written to %s. libcrosswind-nbc goes by it in jobs on these hosts%s. Sums of floating-point "
                       "numbers keep the order of ranks unless CROSSWIND_NBC_HOSTS=fabric.",
                       path.data, kept ? "" : ", if CROSSWIND_NBC_FABRIC names it");
    free(fabric.hosts);
    cw_text_free(&path);
    return rc;
}

static void planning_free(struct planning *planning)
{
    for (uint32_t i = 0; planning->names && i < planning->n; i++) free(planning->names[i]);
    free(planning->names);
    free(planning->order);
    if (planning->values->jobs.n == 0) free(planning->jobs.values);
    cw_host_trees_free(&planning->points);
    cw_placement_free(planning->placement);
    fabric_free(&planning->fabric);
}

static int run(struct invocation *invocation)
{
    static const char *const gap[] = {"G", NULL}, *const saving[] = {"save", NULL};
    struct planning planning = {.invocation = invocation, .values = invocation->values};
    int rc = planning.values->model == FLOWS ? invocation_refuse(invocation, gap, "is for --model counts") : 0;
    if (!rc && invocation->routing.nodes)
        rc = invocation_refuse(invocation, saving,
                               "is without --nodes: libcrosswind-nbc needs trees of hosts, not of GPUs");
    if (!rc) rc = prepare(&planning);
    if (!rc) rc = cw_host_order(planning.fabric.routes, planning.n, planning.order, &planning.nearest);
    if (!rc)
        rc = cw_host_names(planning.fabric.net, planning.values->hosts, planning.n, planning.order, planning.names);
    if (!rc) rc = predict(&planning);
    if (!rc) rc = show(&planning);
    if (!rc) rc = note_order(&planning);
    if (!rc) note_regime(&planning);
    if (!rc && planning.values->save) rc = save(&planning);
    planning_free(&planning);
    return rc;
}

const struct verb verb_tree = {
    .name = "tree",
    .help = "In which order, and along which trees, the hosts of a job should pass on collectives",
    .arguments = network_argument,
    .description =
        "Puts the hosts of a network into an order in which neighbours are near each other, so that a message which is "
        "passed on from each to the next crosses no channel more often than needed, and predicts for jobs of several "
        "sizes how long broadcasts, reductions and allreduces take along a chain, a binomial and k-nomial trees of "
        "hosts, and allreduces round a ring, in this order and in that of the job's ranks, in segments that follow one "
        "another, as libcrosswind-nbc sends them; and scatters and gathers, which go straight. It says what takes "
        "least, and how many times as long it takes as the library does it by itself. With --save it keeps order and "
        "best trees for the library. Needs no MPI, and is done once for a network: jobs on any of its hosts use it.",
    .examples = "  crosswind tree fabric.ibnetdiscover --lft opensm-lfts.dump --save auto\n"
                "  crosswind tree xgft:2:16,8:1,8 --job 8,32 --bytes 1MiB\n"
                "  crosswind tree torus:8x8 --placement contiguous --format csv\n",
    .options = options,
    .size = sizeof(struct tree_options),
    .computes = true,
    .stores = STORES_RESULT,
    .network = true,
    .nodes = true,
    .routes = true,
    .pictures = PICTURES_DECLARED,
    .run = run,
};
