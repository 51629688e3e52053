/* crosswind collective: trees that carry a collective as fast as any cut allows, or plans of an all-to-all, beside the
 * usual schedules. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/fabric.h"
#include "cli/jobs/jobs_run.h"
#include "flow/forest/forest.h"
#include "flow/forest/msccl.h"
#include "flow/method.h"
#include "flow/moves/moves.h"
#include "flow/proof.h"
#include "net/network_internal.h"
#include "report/rows.h"
#include "route/packets/packet_routing.h"
#include "sim/flows/flow_sim.h"
#include "study/jobs/flit_jobs_case.h"
#include "study/jobs/flit_moves_case.h"
#include "study/move/plan_case.h"
#include "topo/topology.h"
#include "traffic/goal_file.h"
#include "traffic/schedule.h"

#define TRIES        9 /* of chunks: 1, 2, 4, … 256 */
#define MUCH_SLOWER  1.25
#define SCHEDULES    3   /* at most, beside trees */
#define MOST_ACTIONS 1e6 /* of a program whose chunks are only tried: some seconds by flows */

struct collective_options {
    uint64_t bytes;
    int64_t chunks, trees;
    double overhead, budget;
    char *root, *goal, *xml, *moves;
    int64_t instances;
    int model; /* enum model */
};

enum model { FLOWS, FLITS };
static const char *const models[] = {"flows", "flits", NULL};

/* What can be asked for, and the schedules beside it. */
static const struct collective {
    enum cw_collective_kind kind;
    const char *schedules[SCHEDULES + 1];
} collectives[] = {
    {CW_COLLECTIVE_ALLGATHER, {"ring-allgather", "bruck"}},
    {CW_COLLECTIVE_REDUCE_SCATTER, {"ring-reduce-scatter"}},
    {CW_COLLECTIVE_ALLREDUCE, {"ring-allreduce", "rabenseifner", "recursive-doubling"}},
    {CW_COLLECTIVE_BCAST, {"binomial-bcast", "pipeline-bcast"}},
    {CW_COLLECTIVE_REDUCE, {"binomial-reduce", "pipeline-reduce"}},
    {CW_COLLECTIVE_ALLTOALL, {"alltoall"}}, /* no trees: nobody needs what another gets */
};
static const char *const collective_names[] = {"allgather", "reduce-scatter", "allreduce", "bcast",
                                               "reduce",    "alltoall",       NULL};

static const struct cw_option arguments[] = {
    {.name = "NETWORK",
     .type = CW_OPTION_INPUT,
     .names = &cw_topology_registry,
     .required = true,
     .help = NETWORK_HELP},
    {.name = "COLLECTIVE",
     .type = CW_OPTION_CHOICE,
     .choices = collective_names,
     .required = true,
     .help = "allgather, reduce-scatter, allreduce, bcast, reduce or alltoall"},
    {.name = NULL},
};

static const struct cw_option options[] = {
    {.name = "bytes",
     .type = CW_OPTION_BYTES,
     .offset = offsetof(struct collective_options, bytes),
     .value_name = "SIZE",
     .default_text = "1GB",
     .min = 1,
     .max = 0x1p50,
     .help = "all data together, as NCCL's tests count them: of an allgather what each rank has at the end, "
             "of an all-to-all what it has for all"},
    {.name = "root",
     .type = CW_OPTION_TEXT,
     .offset = offsetof(struct collective_options, root),
     .value_name = "ENDPOINT",
     .help = "of bcast and reduce, an endpoint's name; by default the first that takes part"},
    {.name = "chunks",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct collective_options, chunks),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 65536,
     .help = "that the data of each tree are cut into; 0: the power of two up to 256 that takes least by flows"},
    {.name = "trees",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct collective_options, trees),
     .value_name = "N",
     .default_text = "0",
     .min = 0,
     .max = 64,
     .help = "of each root, at most, if that costs some speed; 0: as many as the cut takes"},
    {.name = "o",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct collective_options, overhead),
     .value_name = "TIME",
     .default_text = "1us",
     .min = 0,
     .max = 1e6,
     .help = "time a message costs its sender's processor, software and adapters of both ends together"},
    {.name = "budget",
     .type = CW_OPTION_TIME,
     .offset = offsetof(struct collective_options, budget),
     .value_name = "TIME",
     .default_text = "0",
     .min = 0,
     .max = 1e9,
     .help = "of alltoall: stop the search for a plan after this time with the best so far and its bound, so that "
             "results depend on the machine; 0: no limit"},
    {.name = "model",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct collective_options, model),
     .default_text = "flows",
     .choices = models,
     .help =
         "flits: schedules, trees, own-routes and plan are also moved flit by flit, beside flows without --o. That is "
         "for small networks and sizes, and endpoints with one cable"},
    {.name = "goal",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct collective_options, goal),
     .value_name = "FILE",
     .help = "write what ranks do as GOAL text, as crosswind jobs reads it (goal:FILE)"},
    {.name = "moves",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct collective_options, moves),
     .help = "write what ranks do in the faster trees, the plan or own-routes, as crosswind plan does (JSON); "
             "crosswind-mpi move carries it out. What is reduced is added up, in numbers of 8 bytes"},
    {.name = "xml",
     .type = CW_OPTION_OUTPUT,
     .offset = offsetof(struct collective_options, xml),
     .value_name = "FILE",
     .help = "write the trees as an algorithm of MSCCL, which GPUs carry out, once symbols have been through it"},
    {.name = "instances",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct collective_options, instances),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = CW_MSCCL_CHANNELS,
     .help = "of --xml: copies of all thread blocks, each for a part of the data, where one cannot fill a link"},
    {.name = NULL},
};

static const struct cw_column columns[] = {
    {"method", CW_COLUMN_TEXT, NULL,
     "cut: what no schedule is faster than; deep-trees, wide-trees: the faster are those below; else a schedule of "
     "crosswind help schedules. Of alltoall, bound: what no plan is faster than whose data take the network's routes, "
     "where that is more than a cut says; plan: that of crosswind plan; own-routes: all messages at once on the "
     "network's routes"},
    {"chunks", CW_COLUMN_INT, NULL, "of each tree's data"},
    {"time", CW_COLUMN_REAL, "s", "by flows, with latencies and --o; of the cut without them"},
    {"stream_time", CW_COLUMN_REAL, "s",
     "without latencies and --o: of trees in chunks without end, of plans and own-routes by their most loaded channel"},
    {"algbw", CW_COLUMN_REAL, "GB/s", "bytes / time, as NCCL's tests have it"},
    {"busbw", CW_COLUMN_REAL, "GB/s",
     "algbw times (n - 1) / n, of an allreduce 2 (n - 1) / n, of bcast and reduce 1, as NCCL's tests have it"},
    {"to_cut", CW_COLUMN_REAL, NULL, "time / time of the first row"},
};

static const struct cw_column tree_columns[] = {
    {"phase", CW_COLUMN_TEXT, NULL, "gather: from the root to all; reduce: from all to the root"},
    {"root", CW_COLUMN_TEXT, NULL, "an endpoint"},
    {"depth", CW_COLUMN_INT, NULL, "messages one after another from the root to the farthest, or back"},
    {"share", CW_COLUMN_REAL, NULL, "of the root's data"},
    {"hops", CW_COLUMN_INT, "hop", "channels that one byte crosses, on all edges together"},
};

static const struct cw_column check_columns[] = {
    {"method", CW_COLUMN_TEXT, NULL, "as above"},
    {"flows_time", CW_COLUMN_REAL, "s", "by flows without --o, which flits have not"},
    {"flits_time", CW_COLUMN_REAL, "s", "flit by flit"},
    {"ratio", CW_COLUMN_REAL, NULL, "flows / flits"},
};

/* Trees for all of a collective. */
struct trees {
    const char *name;
    struct cw_forest_setup setups[2];
    struct cw_forest forests[2];
    size_t n;                         /* of them */
    struct cw_forest_program program; /* the best so far */
    double time;                      /* it takes */
    uint32_t chunks;
    double times[TRIES]; /* in 1, 2, 4 … chunks; 0: not tried */
};

enum { DEEP, WIDE, SHAPES };

/* Plans for an all-to-all, whatever carries their data. */
enum { OWN, PLAN, PLANS };
static const char *const plan_names[PLANS] = {"own-routes", "plan"};

struct plans {
    struct cw_plan_case made;
    struct cw_plan_run runs[PLANS];
    bool has[PLANS];
    double times[PLANS]; /* [s] by flows */
    double cut, bound;   /* of z: of the cut that was found without a search, and the least */
};

struct collecting {
    struct invocation *invocation;
    const struct collective_options *values;
    const struct collective *what;
    struct fabric fabric;
    struct trees shapes[SHAPES];
    const struct trees *trees; /* the shape that takes least */
    struct plans plans;        /* of an all-to-all, which has no trees */
    struct flit_mode mode;     /* of --model flits */
    const char *bound_method;
    double bound;     /* [s] NAN: none is known */
    const char *best; /* the method that takes least, in best_time */
    double best_time;
};

static const struct cw_collective_traits *traits_of(const struct collecting *collecting)
{
    return &cw_collectives[collecting->what->kind];
}

static bool is_rooted(const struct collecting *collecting)
{
    return cw_collective_is_rooted(collecting->what->kind);
}

static bool has_plans(const struct collecting *collecting)
{
    return collecting->what->kind == CW_COLLECTIVE_ALLTOALL;
}

/* One forest, or two of an allreduce: what is combined flows to the roots, and what all take is theirs from there. */
static int find_forests(struct collecting *collecting, bool wide, struct trees *trees)
{
    const struct cw_selection *selection = collecting->fabric.selection;
    const struct cw_collective_traits *traits = traits_of(collecting);
    const bool stays = traits->root_takes || traits->gives_blocks; /* what is combined */
    uint32_t root = CW_NONE;
    int rc = 0;
    if (is_rooted(collecting)) {
        const char *name = collecting->values->root;
        root = name ? cw_network_find(collecting->fabric.net, name) : selection->endpoints[0];
        if (root == CW_NONE) return cw_fail(CW_EUSAGE, "--root %s: expected the name of an endpoint", name);
    }
    for (int turn = 0; turn < 2 && rc == 0; turn++) {
        if (turn == 0 ? !traits->reduces : traits->reduces && stays) continue;
        struct cw_forest_setup *setup = &trees->setups[trees->n];
        struct cw_forest *forest = &trees->forests[trees->n];
        *setup = (struct cw_forest_setup){collecting->fabric.net,
                                          selection->endpoints,
                                          selection->n,
                                          root,
                                          turn == 0,
                                          wide,
                                          (uint32_t)collecting->values->trees};
        rc = cw_forest_find(setup, forest);
        if (rc) return rc;
        trees->n++;
        rc = cw_forest_check(setup, forest);
    }
    return rc;
}

/* --- plans of an all-to-all --------------------------------------------------------------------------------------- */

#define ALIKE 1e-9 /* rounding */
#define STEPS 1000 /* of the progress bar */

/* What belongs to each rank of what one has. */
static uint64_t rank_part(const struct collecting *collecting)
{
    const uint32_t n = collecting->fabric.selection->n;
    return (collecting->values->bytes + n - 1) / n;
}

static int find_plan(struct collecting *collecting, int which)
{
    struct plans *plans = &collecting->plans;
    const int rc =
        cw_plan_case_solve(&plans->made, cw_method_find(which == OWN ? "default" : "auto"), &plans->runs[which]);
    plans->has[which] = rc == 0;
    return rc;
}

/* The search is left out where the network's own routes carry what the cut lets through. */
static int search_plan(struct collecting *collecting)
{
    struct plans *plans = &collecting->plans;
    struct cw_progress *progress = invocation_progress(collecting->invocation, "plan", STEPS);
    plans->made.progress = (struct cw_progress_part){progress, 0, STEPS};
    const int rc = find_plan(collecting, PLAN);
    cw_progress_free(progress);
    if (rc) return rc;
    const struct cw_proof *proof = &plans->runs[PLAN].found.proof;
    if (proof->n > 0 && proof->verified) plans->bound = fmin(plans->bound, proof->bound);
    if (!plans->runs[PLAN].found.network_routes) return 0;
    cw_plan_run_free(&plans->runs[PLAN]); /* it has found nothing else */
    plans->has[PLAN] = false;
    return 0;
}

static int list_demands(const struct collecting *collecting, struct cw_demands *demands)
{
    const struct cw_selection *selection = collecting->fabric.selection;
    const uint32_t n = selection->n;
    int rc = n < 2 ? cw_fail(CW_EUSAGE, "%u endpoints take part: expected 2 or more", n) : 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n && !rc; k++)
            if (k != i)
                rc = cw_demands_add(demands, selection->endpoints[i], selection->endpoints[k], rank_part(collecting));
    return rc;
}

static int find_plans(struct collecting *collecting)
{
    const struct fabric *fabric = &collecting->fabric;
    const struct common *common = &collecting->invocation->common;
    struct plans *plans = &collecting->plans;
    struct cw_demands demands = {0};
    struct cw_proof proof = {0};
    int rc = list_demands(collecting, &demands);
    if (!rc)
        rc = cw_plan_case_usual(fabric->routes, fabric->selection, &demands, (uint64_t)common->seed,
                                (unsigned)common->threads, &plans->made);
    cw_demands_free(&demands);
    if (!rc) rc = cw_proof_by_cut(&plans->made.problem, &proof);
    plans->made.setup.seconds = collecting->values->budget;
    plans->cut = plans->bound = proof.bound;
    cw_proof_free(&proof);
    if (!rc) rc = find_plan(collecting, OWN);
    if (rc == CW_EROUTE && plans->made.legs) { /* other plans relay between such pairs */
        cw_result_note(collecting->invocation->result, "No time of own-routes: %s.", cw_error_message());
        rc = 0;
    }
    if (!rc && !(plans->has[OWN] && plans->runs[OWN].z >= plans->bound * (1 - ALIKE))) rc = search_plan(collecting);
    return rc;
}

/* How long it takes to move all at the rate Z of the problem. */
static double seconds_at(const struct collecting *collecting, double z)
{
    const struct cw_plan plan = {.z = z};
    return isfinite(z) ? cw_plan_bandwidth_seconds(&collecting->plans.made.problem, &plan) : (double)NAN;
}

/* --- times -------------------------------------------------------------------------------------------------------- */

/* Ranks of schedules send one message after another. Trees, which WAYS are of, share cables, one chunk of each at a
 * time: a slow edge would hold up the fast ones. So their sends end when their bytes are through. */
static int run_flows(const struct collecting *collecting, const struct cw_program *program,
                     const struct cw_flow_ways *ways, double overhead, double *time)
{
    const struct cw_flow_job job = {.program = program,
                                    .endpoints = collecting->fabric.selection->endpoints,
                                    .sends = ways ? CW_FLOW_AT_ONCE : CW_FLOW_IN_ORDER};
    const struct cw_flow_setup setup = {.routes = collecting->fabric.routes,
                                        .jobs = &job,
                                        .n_jobs = 1,
                                        .overhead = overhead,
                                        .rendezvous = ways ? 1 : 0,
                                        .ways = ways};
    struct cw_flow_result result;
    return cw_flow_run(&setup, time, &result);
}

static int try_chunks(const struct collecting *collecting, struct trees *trees, uint32_t chunks, double *time)
{
    struct cw_forest_program made;
    int rc = cw_forest_program_new(trees->setups, trees->forests, trees->n, collecting->values->bytes, chunks, &made);
    if (rc) return rc;
    const struct cw_flow_ways ways = {made.first, made.channels, made.shares};
    rc = run_flows(collecting, made.program, &ways, collecting->values->overhead, time);
    if (rc || (trees->program.program && *time >= trees->time)) {
        cw_forest_program_free(&made);
        return rc;
    }
    cw_forest_program_free(&trees->program);
    trees->program = made;
    trees->time = *time;
    trees->chunks = chunks;
    return 0;
}

/* More chunks wait less for each other, and cost more overhead: once they take longer twice, still more do. Trees that
 * are much slower than OTHERS (NULL: none) in as many chunks get no more: these would make the two alike at best. */
static int choose_chunks(const struct collecting *collecting, struct trees *trees, const struct trees *others)
{
    double actions = 0, time;
    int rc = 0;
    if (collecting->values->chunks > 0)
        return try_chunks(collecting, trees, (uint32_t)collecting->values->chunks, &time);
    for (size_t f = 0; f < trees->n; f++) actions += 2. * (double)trees->forests[f].n_edges;
    for (uint32_t i = 0; i < TRIES && rc == 0; i++) {
        const uint32_t chunks = 1U << i;
        if (chunks > 1 && (actions * chunks > MOST_ACTIONS || chunks > 4 * trees->chunks)) break;
        rc = try_chunks(collecting, trees, chunks, &trees->times[i]);
        if (others && others->times[i] > 0 && trees->times[i] > MUCH_SLOWER * others->times[i]) break;
    }
    return rc;
}

static double bus_factor(const struct collecting *collecting)
{
    const double n = collecting->fabric.selection->n;
    if (is_rooted(collecting)) return 1;
    return (collecting->what->kind == CW_COLLECTIVE_ALLREDUCE ? 2 : 1) * (n - 1) / n;
}

static void add_row(struct collecting *collecting, struct cw_table *table, const char *method, double time)
{
    const double algbw = (double)collecting->values->bytes / time / 1e9;
    cw_table_row(table, "%s - %g - %g %g %g", method, time, algbw, algbw * bus_factor(collecting),
                 time / collecting->bound);
}

static void keep_best(struct collecting *collecting, const char *method, double time)
{
    if (collecting->best && time >= collecting->best_time) return;
    collecting->best = method;
    collecting->best_time = time;
}

static int add_trees_time(struct collecting *collecting, struct cw_table *table, struct trees *trees)
{
    const struct trees *deep = &collecting->shapes[DEEP];
    const double bytes = (double)collecting->values->bytes;
    double stream = 0;
    int rc = choose_chunks(collecting, trees, trees == deep ? NULL : deep);
    if (rc) return rc;
    for (size_t f = 0; f < trees->n; f++) stream += bytes / trees->forests[f].n_roots / trees->forests[f].rate;
    const double algbw = bytes / trees->time / 1e9;
    cw_table_row(table, "%s %u %g %g %g %g %g", trees->name, trees->chunks, trees->time, stream, algbw,
                 algbw * bus_factor(collecting), trees->time / collecting->bound);
    if (!collecting->trees || trees->time < collecting->trees->time) collecting->trees = trees;
    keep_best(collecting, trees->name, trees->time);
    return 0;
}

static int make_moves(const struct collecting *collecting, int which, struct cw_moves *moves)
{
    const struct cw_plan_case *made = &collecting->plans.made;
    return cw_moves_make(&made->problem, &collecting->plans.runs[which].plan, made->transport.chunk_bytes,
                         (uint32_t)made->transport.credits, moves);
}

static int tree_moves(const struct collecting *collecting, struct cw_moves *moves)
{
    const struct trees *trees = collecting->trees;
    const int rc =
        cw_forest_moves(trees->setups, trees->forests, trees->n, collecting->values->bytes, trees->chunks, moves);
    if (!rc) snprintf(moves->method, sizeof moves->method, "%s", trees->name);
    return rc;
}

static int add_plan_time(struct collecting *collecting, struct cw_table *table, int which)
{
    struct cw_flit_moves_result found;
    struct cw_moves moves;
    int rc = make_moves(collecting, which, &moves);
    if (rc) return rc;
    rc = cw_flow_moves_run(collecting->fabric.routes, &moves, collecting->values->overhead, &found);
    cw_moves_free(&moves);
    if (rc) return rc;
    collecting->plans.times[which] = found.seconds;
    const double algbw = (double)collecting->values->bytes / found.seconds / 1e9;
    cw_table_row(table, "%s - %g %g %g %g %g", plan_names[which], found.seconds,
                 seconds_at(collecting, collecting->plans.runs[which].plan.z), algbw, algbw * bus_factor(collecting),
                 found.seconds / collecting->bound);
    keep_best(collecting, plan_names[which], found.seconds);
    return 0;
}

/* MPI counts a rank's part where all parts are taken, not all data. */
static uint64_t schedule_bytes(const struct collecting *collecting)
{
    return traits_of(collecting)->takes_blocks ? rank_part(collecting) : collecting->values->bytes;
}

/* *TIME is that of the schedule NAME by flows. */
static int time_schedule(const struct collecting *collecting, const char *name, double overhead, double *time)
{
    struct cw_schedule *schedule;
    struct cw_program *program = NULL;
    int rc = cw_schedule_new(name, &schedule);
    if (rc) return rc;
    rc = cw_program_of_schedule(schedule, collecting->fabric.selection->n, schedule_bytes(collecting), &program);
    if (rc == 0) rc = run_flows(collecting, program, NULL, overhead, time);
    cw_program_free(program);
    cw_schedule_free(schedule);
    return rc;
}

static int add_schedule(struct collecting *collecting, struct cw_table *table, const char *name)
{
    double time;
    const int rc = time_schedule(collecting, name, collecting->values->overhead, &time);
    if (rc == CW_EROUTE) {
        cw_result_note(collecting->invocation->result,
                       "No time of %s: %s. Its messages take routes through switches; of trees, endpoints pass on.",
                       name, cw_error_message());
        return 0;
    }
    if (rc) return rc;
    add_row(collecting, table, name, time);
    keep_best(collecting, name, time);
    return 0;
}

static void find_bound(struct collecting *collecting)
{
    const struct plans *plans = &collecting->plans;
    collecting->bound = seconds_at(collecting, plans->bound);
    if (plans->bound < plans->cut * (1 - ALIKE)) collecting->bound_method = "bound";
}

static int add_times(struct collecting *collecting)
{
    const double bytes = (double)collecting->values->bytes;
    struct cw_table *table = NULL;
    struct cw_text title = {0};
    char count[FABRIC_COUNT_SIZE], size[64];
    const struct trees *trees = &collecting->shapes[DEEP];
    for (size_t f = 0; f < trees->n; f++)
        collecting->bound +=
            bytes / trees->forests[f].n_roots * trees->forests[f].cut_roots / trees->forests[f].cut_capacity;
    cw_text_printf(&title, "%s of %s on %s (%s)", traits_of(collecting)->name,
                   cw_format_bytes(collecting->values->bytes, size, sizeof size), collecting->fabric.net->title,
                   fabric_count(collecting->fabric.net, collecting->fabric.selection, count));
    int rc = cw_text_check(&title);
    if (!rc)
        rc = cw_result_new_table(collecting->invocation->result, "collective", title.data, CW_ITEMS(columns), &table);
    cw_text_free(&title);
    if (rc) return rc;
    if (has_plans(collecting)) find_bound(collecting);
    add_row(collecting, table, collecting->bound_method, collecting->bound);
    for (int which = 0; which < PLANS && !rc; which++)
        if (collecting->plans.has[which]) rc = add_plan_time(collecting, table, which);
    for (int shape = 0; shape < SHAPES && !rc; shape++)
        if (collecting->shapes[shape].n > 0) rc = add_trees_time(collecting, table, &collecting->shapes[shape]);
    for (size_t i = 0; collecting->what->schedules[i] && !rc; i++)
        rc = add_schedule(collecting, table, collecting->what->schedules[i]);
    return rc;
}

/* --- flit by flit ------------------------------------------------------------------------------------------------- */

/* What is both by flows and by flits. */
struct check {
    struct cw_table *table;
    const char *by_flows, *by_flits; /* the methods that take least */
    double least_flows, least_flits;
};

static void add_check_row(const struct collecting *collecting, struct check *check, const char *method, double by_flows,
                          double by_flits)
{
    cw_table_row(check->table, "%s %g %g %g", method, by_flows, by_flits, by_flows / by_flits);
    jobs_note_apart(collecting->invocation->result, method, by_flows / by_flits);
    if (!check->by_flows || by_flows < check->least_flows) {
        check->by_flows = method;
        check->least_flows = by_flows;
    }
    if (!check->by_flits || by_flits < check->least_flits) {
        check->by_flits = method;
        check->least_flits = by_flits;
    }
}

/* MOVES take BY_FLOWS seconds, and by flits? */
static int check_moves(const struct collecting *collecting, const char *method, const struct cw_moves *moves,
                       double by_flows, struct check *check)
{
    const struct common *common = &collecting->invocation->common;
    const struct flit_mode *mode = &collecting->mode;
    struct cw_flit_moves_result by_flits;
    struct cw_progress *progress = invocation_progress(collecting->invocation, method, STEPS);
    const struct cw_flit_moves_case made = {.net = mode->net,
                                            .moves = moves,
                                            .hardware = mode->hardware,
                                            .message_flits = mode->messages.flits,
                                            .seed = (uint64_t)common->seed,
                                            .n_threads = (unsigned)common->threads,
                                            .progress = {progress, 0, STEPS}};
    const int rc = cw_flit_moves_case_run(&made, &by_flits);
    if (!rc) add_check_row(collecting, check, method, by_flows, by_flits.seconds);
    cw_progress_free(progress);
    return rc;
}

static int check_plan(const struct collecting *collecting, int which, struct check *check)
{
    struct cw_flit_moves_result by_flows;
    struct cw_moves moves;
    int rc = make_moves(collecting, which, &moves);
    if (rc) return rc;
    rc = cw_flow_moves_run(collecting->fabric.routes, &moves, 0, &by_flows);
    if (!rc) rc = check_moves(collecting, plan_names[which], &moves, by_flows.seconds, check);
    cw_moves_free(&moves);
    return rc;
}

/* The faster trees. Some have no moves, or cannot be simulated, while schedules can. */
static int check_trees(const struct collecting *collecting, struct check *check)
{
    const struct trees *trees = collecting->trees;
    const struct cw_flow_ways ways = {trees->program.first, trees->program.channels, trees->program.shares};
    struct cw_moves moves = {0};
    double by_flows;
    int rc = run_flows(collecting, trees->program.program, &ways, 0, &by_flows);
    if (rc) return rc;
    rc = tree_moves(collecting, &moves);
    if (!rc) rc = check_moves(collecting, trees->name, &moves, by_flows, check);
    cw_moves_free(&moves);
    if (rc != CW_EUSAGE && rc != CW_ELIMIT) return rc;
    cw_result_note(collecting->invocation->result, "Trees are not moved flit by flit: %s.", cw_error_message());
    return 0;
}

/* The schedule NAME on the endpoints that take part. */
static int ask_for(const struct collecting *collecting, const char *name, struct cw_jobs *jobs)
{
    const struct cw_selection *selection = collecting->fabric.selection;
    struct cw_job_request job = {.collective = true, .ranks = selection->n, .bytes = schedule_bytes(collecting)};
    job.endpoints = cw_new_array(selection->n, sizeof *job.endpoints, "endpoints of a schedule");
    if (!job.endpoints) return CW_ENOMEM;
    memcpy(job.endpoints, selection->endpoints, selection->n * sizeof *job.endpoints);
    return cw_jobs_add(jobs, name, "contiguous", job);
}

static int run_flits(const struct collecting *collecting, const struct cw_packet_routing *packets, const char *name,
                     double *time)
{
    const struct flit_mode *mode = &collecting->mode;
    const struct common *common = &collecting->invocation->common;
    struct cw_jobs jobs = {0};
    struct cw_flit_outcome outcome;
    const struct cw_steady_setup steady = {0}; /* of jobs that never end */
    struct cw_flit_jobs_case made = {.net = mode->net,
                                     .selection = mode->selection,
                                     .hardware = mode->hardware,
                                     .messages = &mode->messages,
                                     .seed = (uint64_t)common->seed,
                                     .n_threads = (unsigned)common->threads,
                                     .jobs = &jobs,
                                     .routing = packets};
    int rc = ask_for(collecting, name, &jobs);
    if (!rc) rc = cw_flit_jobs_case_make(&made, cw_packet_routing_spec(packets), &steady);
    if (!rc) rc = cw_flit_jobs_case_run(&made, 0, &outcome);
    if (!rc) *time = outcome.of[CW_OUTCOME_SECONDS];
    cw_flit_jobs_case_free(&made);
    cw_jobs_free(&jobs);
    return rc;
}

/* Packets follow the routes of the fabric, which are given away. */
static int take_routes(struct collecting *collecting, struct cw_packet_routing **packets)
{
    struct fabric *fabric = &collecting->fabric;
    const struct common *common = &collecting->invocation->common;
    struct cw_routes *routes = fabric->routes;
    if (cw_routes_kind(routes) == CW_ROUTES_WAYS)
        return cw_packet_routing_new(fabric->net, cw_routes_name(routes), (uint64_t)common->seed,
                                     (unsigned)common->threads, packets);
    fabric->routes = NULL;
    return cw_packet_routing_of_routes(routes, packets);
}

/* What needs the fabric's routes comes first. A schedule whose messages have no route has had its note. */
static int check_methods(struct collecting *collecting, struct check *check)
{
    const char *const *schedules = collecting->what->schedules;
    struct cw_packet_routing *packets = NULL;
    double by_flows[SCHEDULES], by_flits;
    int rc = 0;
    for (int which = 0; which < PLANS && !rc; which++)
        if (collecting->plans.has[which]) rc = check_plan(collecting, which, check);
    if (!rc && !has_plans(collecting)) rc = check_trees(collecting, check);
    for (size_t i = 0; schedules[i] && !rc; i++) {
        rc = time_schedule(collecting, schedules[i], 0, &by_flows[i]);
        if (rc != CW_EROUTE) continue;
        by_flows[i] = (double)NAN;
        rc = 0;
    }
    if (!rc) rc = take_routes(collecting, &packets);
    for (size_t i = 0; schedules[i] && !rc; i++) {
        if (isnan(by_flows[i])) continue;
        rc = run_flits(collecting, packets, schedules[i], &by_flits);
        if (!rc) add_check_row(collecting, check, schedules[i], by_flows[i], by_flits);
    }
    cw_packet_routing_free(packets);
    return rc;
}

static int add_check(struct collecting *collecting)
{
    struct check check = {0};
    int rc = cw_result_new_detail(collecting->invocation->result, "check", "The same flit by flit",
                                  CW_ITEMS(check_columns), &check.table);
    if (rc) return rc;
    rc = check_methods(collecting, &check);
    if (!rc && check.by_flits != check.by_flows)
        cw_result_note(collecting->invocation->result, "Flit by flit, %s takes least, and not %s. Rely on that.",
                       check.by_flits, check.by_flows);
    if (!rc) flit_mode_note_buffers(&collecting->mode);
    return rc;
}

/* What flits cannot simulate is refused before anything else is. */
static int open_flits(struct collecting *collecting)
{
    struct flit_mode *mode = &collecting->mode;
    int rc = cw_packet_routing_check_network(collecting->fabric.net);
    if (!rc) rc = flit_mode_open(collecting->invocation, &collecting->fabric, mode);
    if (!rc && mode->messages.n_sizes > 0)
        rc = cw_fail(CW_EUSAGE, "--message: chunks are sent in messages of one size, expected no mix");
    return rc;
}

/* --- trees and cuts ----------------------------------------------------------------------------------------------- */

static int add_trees(struct collecting *collecting)
{
    const struct cw_network *net = collecting->fabric.net;
    struct cw_table *table;
    char name[CW_NAME_SIZE];
    int rc = cw_result_new_detail(collecting->invocation->result, "trees", "Trees", CW_ITEMS(tree_columns), &table);
    if (rc) return rc;
    cw_table_cut_text(table, 16);
    for (size_t f = 0; f < collecting->trees->n; f++) {
        const struct cw_forest *forest = &collecting->trees->forests[f];
        for (size_t t = 0; t < forest->n_trees; t++) {
            const struct cw_forest_tree *tree = &forest->trees[t];
            size_t hops = 0;
            for (size_t e = tree->first; e < tree->first + forest->n_members - 1; e++)
                hops += forest->path_first[forest->edges[e].path + 1] - forest->path_first[forest->edges[e].path];
            cw_table_row(table, "%s %s %u %g %zu", collecting->trees->setups[f].to_roots ? "reduce" : "gather",
                         cw_network_name(net, tree->root, name, sizeof name), tree->depth,
                         (double)tree->weight / (double)forest->root_weight, hops);
        }
    }
    return 0;
}

/* The side of the cut that has fewer members, by name. */
static int note_cut(struct collecting *collecting, size_t f)
{
    const struct cw_network *net = collecting->fabric.net;
    const struct cw_forest_setup *setup = &collecting->trees->setups[f];
    const struct cw_forest *forest = &collecting->trees->forests[f];
    struct cw_text names = {0};
    char name[CW_NAME_SIZE], rate[64];
    uint32_t inside = 0, n = 0;
    for (uint32_t i = 0; i < setup->n_members; i++) inside += forest->cut[setup->members[i]];
    const bool side = 2 * inside <= setup->n_members;
    const uint32_t size = side ? inside : setup->n_members - inside;
    for (uint32_t i = 0; i < setup->n_members && n < 8; i++) {
        if (forest->cut[setup->members[i]] != side) continue;
        cw_text_printf(&names, "%s%s", n++ ? ", " : "", cw_network_name(net, setup->members[i], name, sizeof name));
    }
    if (size > n) cw_text_printf(&names, " and %u more", size - n);
    const int rc = cw_text_check(&names);
    if (rc == 0)
        cw_result_note(collecting->invocation->result,
                       "The cut%s: what %s %s %s must share %s, the data of %u of %u roots.",
                       collecting->trees->n < 2 ? ""
                       : setup->to_roots        ? " of the reduction"
                                                : " of the gathering",
                       side == setup->to_roots ? "enters" : "leaves", size == 1 ? "endpoint" : "endpoints", names.data,
                       cw_format_rate(forest->cut_capacity, rate, sizeof rate), forest->cut_roots, forest->n_roots);
    cw_text_free(&names);
    return rc;
}

static int add_notes(struct collecting *collecting)
{
    int rc = 0;
    double missing = 1;
    const struct trees *trees = collecting->trees;
    if (collecting->best == trees->name)
        cw_result_note(collecting->invocation->result, "At this size use %s: %.3g times what the cut allows, by flows.",
                       trees->name, trees->time / collecting->bound);
    else
        cw_result_note(collecting->invocation->result,
                       "At this size use %s: %s take %.3g times as long, for their messages follow one another.",
                       collecting->best, trees->name, trees->time / collecting->best_time);
    for (size_t f = 0; f < collecting->trees->n && !rc; f++) {
        const struct cw_forest *forest = &collecting->trees->forests[f];
        missing = fmax(missing, forest->cut_capacity / forest->cut_roots / forest->rate);
        rc = note_cut(collecting, f);
    }
    if (rc) return rc;
    char gap[64] = "that rate is what the cut allows";
    if (missing > 1 + 1e-9) snprintf(gap, sizeof gap, "the cut allows at most %.4g times that rate", missing);
    cw_result_note(collecting->invocation->result,
                   "Each tree spans all endpoints that take part, no channel carries more than it can at the trees' "
                   "rate, and %s: all this was checked anew.",
                   gap);
    if (collecting->trees->n == 2)
        cw_result_note(collecting->invocation->result,
                       "The bound is that of a reduce-scatter and then an allgather; other ways of an allreduce may be "
                       "faster.");
    return 0;
}

static void note_plans(struct collecting *collecting)
{
    const struct plans *plans = &collecting->plans;
    struct cw_result *result = collecting->invocation->result;
    if (isnan(collecting->bound))
        cw_result_note(result, "At this size use %s. No bound is known.", collecting->best);
    else
        cw_result_note(result, "At this size use %s: %.3g times what the %s allows, by flows.", collecting->best,
                       collecting->best_time / collecting->bound, collecting->bound_method);
    if (plans->has[PLAN])
        cw_result_note(result, "The plan was found by method %s: data go by the network's routes%s.",
                       plans->runs[PLAN].found.method,
                       plans->made.legs ? ", and one endpoint may pass them on" : " or past any node");
    else if (plans->runs[OWN].z >= plans->cut * (1 - ALIKE))
        cw_result_note(result,
                       "The network's own routes carry what the cut lets through: no plan was searched for, and "
                       "none is faster.");
    else
        cw_result_note(result, "No plan is predicted to be faster than the network's own routes.");
}

/* MOVES of METHOD, which take SECONDS by flows, into the file at PATH; they are freed. */
static int write_moves(const struct collecting *collecting, const char *path, const char *method, double seconds,
                       struct cw_moves *moves)
{
    struct cw_text text = {0};
    moves->seconds = seconds;
    snprintf(moves->model, sizeof moves->model, "%s", models[FLOWS]);
    int rc = cw_moves_write(moves, &text);
    if (!rc) rc = cw_file_write(path, &text);
    if (!rc)
        cw_result_note(collecting->invocation->result, "Written to %s: what each of %u ranks does in %s.", path,
                       moves->n_ranks, method);
    cw_text_free(&text);
    cw_moves_free(moves);
    return rc;
}

static int write_plan(const struct collecting *collecting, const char *path)
{
    const struct plans *plans = &collecting->plans;
    const int which = plans->has[OWN] && (!plans->has[PLAN] || plans->times[OWN] <= plans->times[PLAN]) ? OWN : PLAN;
    struct cw_moves moves;
    const int rc = make_moves(collecting, which, &moves);
    if (rc) return rc;
    if (plans->has[OWN]) moves.default_seconds = plans->times[OWN];
    return write_moves(collecting, path, plan_names[which], plans->times[which], &moves);
}

static int write_trees(const struct collecting *collecting, const char *path)
{
    const struct trees *trees = collecting->trees;
    struct cw_moves moves;
    const int rc = tree_moves(collecting, &moves);
    return rc ? rc : write_moves(collecting, path, trees->name, trees->time, &moves);
}

static int write_goal(const struct collecting *collecting, const char *path)
{
    struct cw_text text = {0};
    int rc = cw_goal_write(collecting->trees->program.program, &text);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    return rc;
}

/* The file takes its name only when it was carried out. */
static int write_xml(const struct collecting *collecting, const char *path)
{
    const struct cw_forest_setup *setup = &collecting->trees->setups[0];
    const enum cw_collective_kind kind = collecting->what->kind;
    struct cw_text text = {0};
    struct cw_msccl_size size;
    uint32_t root = 0;
    while (is_rooted(collecting) && setup->members[root] != setup->root) root++;
    int rc = cw_msccl_write(collecting->trees->setups, collecting->trees->forests, collecting->trees->n, kind,
                            (uint32_t)collecting->values->instances, &text, &size);
    if (!rc) rc = cw_msccl_check(path, text.data, text.length, kind, root);
    if (!rc) rc = cw_file_write(path, &text);
    cw_text_free(&text);
    if (rc) return rc;
    cw_result_note(collecting->invocation->result,
                   "%s: the data of a root are %u chunk%s, and a rank has up to %u thread block%s, on %u channel%s. "
                   "Symbols went through it, in several orders, and came out as they should.",
                   path, size.chunks, cw_plural(size.chunks), size.blocks, cw_plural(size.blocks), size.channels,
                   cw_plural(size.channels));
    if (size.loss > 0)
        cw_result_note(collecting->invocation->result,
                       "Its chunks are whole, which the trees' shares are not: that takes %.2g %% longer.",
                       100 * size.loss);
    return 0;
}

static int refuse_options(const struct collecting *collecting)
{
    static const char *const of_rooted[] = {"root", NULL}, *const of_xml[] = {"instances", NULL};
    static const char *const of_trees[] = {"chunks", "trees", "goal", "xml", "instances", NULL};
    static const char *const of_plans[] = {"budget", NULL};
    const struct invocation *invocation = collecting->invocation;
    int rc = 0;
    if (!is_rooted(collecting)) rc = invocation_refuse(invocation, of_rooted, "is for bcast and reduce");
    if (!rc && has_plans(collecting))
        rc = invocation_refuse(invocation, of_trees, "is for trees, which an all-to-all has none of");
    if (!rc && !has_plans(collecting)) rc = invocation_refuse(invocation, of_plans, "is for alltoall");
    if (!rc && traits_of(collecting)->reduces && collecting->values->moves &&
        collecting->values->bytes % CW_MOVES_ELEMENT > 0)
        rc = cw_fail(CW_EUSAGE, "--bytes %llu: moves add up numbers of %d bytes; expected whole ones",
                     (unsigned long long)collecting->values->bytes, CW_MOVES_ELEMENT);
    if (!rc && collecting->values->model == FLOWS) rc = flit_mode_refuse(invocation, "is for --model flits");
    if (!rc && !collecting->values->xml) rc = invocation_refuse(invocation, of_xml, "is for --xml");
    return rc;
}

static int run_trees(struct collecting *collecting)
{
    const bool few = collecting->fabric.selection->n <= CW_FOREST_WIDE;
    int rc = 0;
    for (int shape = 0; shape < (few ? SHAPES : SHAPES - 1) && !rc; shape++) {
        collecting->shapes[shape].name = shape == WIDE ? "wide-trees" : "deep-trees";
        rc = find_forests(collecting, shape == WIDE, &collecting->shapes[shape]);
    }
    if (!rc) rc = add_times(collecting);
    if (!rc) rc = add_trees(collecting);
    if (!rc) rc = add_notes(collecting);
    if (!rc && collecting->values->goal) rc = write_goal(collecting, collecting->values->goal);
    if (!rc && collecting->values->xml) rc = write_xml(collecting, collecting->values->xml);
    if (!rc && collecting->values->moves) rc = write_trees(collecting, collecting->values->moves);
    return rc;
}

static int run_plans(struct collecting *collecting)
{
    int rc = find_plans(collecting);
    if (!rc) rc = add_times(collecting);
    if (!rc) note_plans(collecting);
    if (!rc && collecting->values->moves) rc = write_plan(collecting, collecting->values->moves);
    return rc;
}

static void free_all(struct collecting *collecting)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        struct trees *trees = &collecting->shapes[shape];
        for (size_t f = 0; f < trees->n; f++) cw_forest_free(&trees->forests[f]);
        cw_forest_program_free(&trees->program);
    }
    for (int which = 0; which < PLANS; which++)
        if (collecting->plans.has[which]) cw_plan_run_free(&collecting->plans.runs[which]);
    cw_plan_case_free(&collecting->plans.made);
    flit_mode_free(&collecting->mode);
    fabric_free(&collecting->fabric);
}

static int run(struct invocation *invocation)
{
    struct collecting collecting = {.invocation = invocation, .values = invocation->values, .bound_method = "cut"};
    for (size_t i = 0; collective_names[i]; i++)
        if (strcmp(invocation->positional[1], cw_collectives[collectives[i].kind].name) == 0)
            collecting.what = &collectives[i];
    if (!collecting.what)
        return cw_fail(CW_EUSAGE,
                       "COLLECTIVE %s: expected allgather, reduce-scatter, allreduce, bcast, reduce or alltoall",
                       invocation->positional[1]);
    int rc = refuse_options(&collecting);
    if (rc) return rc;
    invocation->routing.relayed = true; /* endpoints pass on what they have */
    rc = fabric_open(invocation, invocation->positional[0], &collecting.fabric);
    if (!rc && collecting.values->model == FLITS) rc = open_flits(&collecting);
    if (!rc) rc = has_plans(&collecting) ? run_plans(&collecting) : run_trees(&collecting);
    if (!rc && collecting.values->model == FLITS) rc = add_check(&collecting);
    free_all(&collecting);
    return rc;
}

const struct verb verb_collective = {
    .name = "collective",
    .help = "Trees that carry a collective as fast as any cut allows, and how far schedules are from it",
    .arguments = arguments,
    .description =
        "What must leave a part of the network crosses the channels that leave it: the worst such cut is a bound for "
        "every schedule. Spanning trees that are packed into the network reach it (Edmonds 1973; as ForestColl, Zhao "
        "et al. 2024), wherever as much capacity leads into each switch as out of it; elsewhere they may fall short, "
        "and the table says by how much. Endpoints pass on, and reduce, in chunks; switches only forward. The times of "
        "trees and of the usual schedules are simulated by flows: trees take the channels that they were packed into, "
        "schedules the routes of the network, with ranks in the order of endpoints. For small sizes latency decides, "
        "and schedules with few rounds may win. --xml writes the faster trees for GPUs, and carries the file out on "
        "symbols before. The file of --goal has who sends what and when, but no channels: "
        "crosswind jobs sends it along its routes. An all-to-all has no trees: crosswind plan's search finds how its "
        "data "
        "go fastest, and proves a bound.",
    .examples = "  crosswind collective rail:2,8,8,nvlink=2400Gbit/s@200Gbit/s allgather --bytes 1GB\n"
                "  crosswind collective fabric.ibnetdiscover bcast --bytes 64MiB --root node001\n"
                "  crosswind collective torus:4x4 alltoall --bytes 64MiB\n",
    .options = options,
    .size = sizeof(struct collective_options),
    .flits = FLITS_OF_PLANS,
    .network = true,
    .nodes = true,
    .routes = true,
    .stores = STORES_RESULT,
    .run = run,
};
