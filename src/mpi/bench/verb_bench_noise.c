/* crosswind-mpi bench noise: how much neighbours slow an application down, measured. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/analyse/analyse_prediction.h"
#include "cli/verb.h"
#include "mpi/bench/bench_block.h"
#include "mpi/bench/bench_environment.h"
#include "mpi/together.h"
#include "net/network.h"
#include "study/bench/bench_file.h"
#include "study/bench/bench_pace.h"
#include "study/bench/bench_plan.h"
#include "study/bench/bench_report.h"

#define DEFAULT_BYTES              8
#define DEFAULT_PERTURBATION_BYTES ((uint64_t)10 << 20)
#define LEAST_SAMPLES              8 /* of a block, whatever time says */

enum { BY_RANK, BY_NODE };
enum { CONTROL_AUTO, CONTROL_NONE, CONTROL_NODE, CONTROL_LEAF };

struct noise_options {
    char *op;
    char *perturb;
    struct cw_reals ratio;
    int64_t root, splits, samples, idle;
    int by, wait, sync, control;
    char *leaves;
    struct prediction_options prediction;
    double time, ci;
    bool dry_run;
    char *save;
};

static const char *const ways_to_split[] = {"rank", "node", NULL};
static const char *const controls[] = {"auto", "none", "node", "leaf", NULL};

#define OPTION(NAME, TYPE, MEMBER) .name = NAME, .type = TYPE, .offset = offsetof(struct noise_options, MEMBER)

static const struct cw_option options[] = {
    {OPTION("op", CW_OPTION_TEXT, op), .value_name = "OPERATION[:SIZE][,...]", .default_text = "allreduce:8B",
     .help = "what the application calls: allreduce, reduce, bcast, barrier, alltoall, scatter, gather or allgather, "
             "and the size that MPI is given (8B)"},
    {OPTION("ratio", CW_OPTION_REALS, ratio), .value_name = "R[,...]|R..R", .default_text = "0.5", .min = 1e-6,
     .max = 1 - 1e-6, .help = "perturbation ratios: perturbing ranks / all that take part"},
    {OPTION("perturb", CW_OPTION_TEXT, perturb), .value_name = "PATTERN[:SIZE][,...]",
     .default_text = "permutation:10MiB",
     .help = "what the others exchange: permutation, shift, bisection, incast or neighbour, and the size of a message "
             "(10MiB)"},
    {OPTION("splits", CW_OPTION_INT, splits), .value_name = "N", .default_text = "30", .min = 1, .max = 1e6,
     .help = "random splits of each ratio, at most"},
    {OPTION("samples", CW_OPTION_INT, samples), .value_name = "N", .default_text = "100", .min = 1, .max = 1e6,
     .help = "calls of a block, at most"},
    {OPTION("time", CW_OPTION_TIME, time), .default_text = "60s", .min = 0, .max = 1e6,
     .help = "time to measure for, shared out among all blocks; when it is over, what is measured counts; 0: no limit"},
    {OPTION("ci", CW_OPTION_REAL, ci), .rare = true, .value_name = "R", .default_text = "0", .min = 0, .max = 10,
     .help =
         "end when the 95 % confidence interval of every slowdown is within this part of it, such as 0.05; 0: never"},
    {OPTION("by", CW_OPTION_CHOICE, by), .rare = true, .default_text = "rank", .choices = ways_to_split,
     .help = "draw ranks, or nodes with all their ranks"},
    {OPTION("idle", CW_OPTION_INT, idle), .rare = true, .value_name = "N", .default_text = "0", .min = 0, .max = 1e9,
     .help = "ranks (nodes, by node), drawn for each split, that do neither"},
    {OPTION("root", CW_OPTION_INT, root), .rare = true, .value_name = "RANK", .default_text = "0", .min = 0, .max = 1e9,
     .help = "root of bcast and reduce, among the ranks of the application"},
    {OPTION("control", CW_OPTION_CHOICE, control), .rare = true, .default_text = "auto", .choices = controls,
     .help = "measure the effect of perturbation that shares no cable with the application, too: among ranks of a "
             "node, or of nodes on one leaf switch (needs --leaves or --fabric); auto: what can be had"},
    {OPTION("leaves", CW_OPTION_INPUT, leaves), .rare = true,
     .help = "file with a line for each leaf switch: the names of its hosts, or lists such as node[001-016]"},
    PREDICTION_OPTIONS(struct noise_options, prediction),
    {OPTION("sync", CW_OPTION_CHOICE, sync), .rare = true, .default_text = "window", .choices = bench_starts,
     .help = "begin calls at an agreed moment of the common clock, or after a barrier"},
    {OPTION("wait", CW_OPTION_CHOICE, wait), .rare = true, .default_text = "auto", .choices = wait_choices,
     .help = "how ranks wait for messages; auto: sleep where ranks share processors, else spin"},
    {OPTION("dry-run", CW_OPTION_FLAG, dry_run),
     .help = "show what would be measured, on which ranks and for how long, and end"},
    {OPTION("save", CW_OPTION_OUTPUT, save), .value_name = "FILE.csv", .incidental = true,
     .help = "write every sample to FILE as soon as its block is measured, and what is known of the run to "
             "FILE-metadata.json, for crosswind analyse"},
    {.name = NULL},
};

/* A command under way. */
struct measurement {
    struct invocation *invocation;
    const struct noise_options *values;
    struct ranks *ranks;
    struct bench_sites sites;
    struct prediction_site site; /* where --fabric is given */
    struct cw_bench_load *operations, *perturbations;
    struct cw_bench_request request;
    struct cw_bench_plan plan;
    struct cw_bench_run run;
};

static bool speaks(const struct measurement *measurement)
{
    return measurement->ranks->program.rank == 0;
}

/* --- the network -------------------------------------------------------------------------------------------------- */

static int find_leaves(const struct prediction_site *site, struct bench_sites *sites)
{
    sites->leaf_of = cw_new_array(sites->places.n_hosts, sizeof *sites->leaf_of, "leaf switches");
    sites->places.leaf_of = sites->leaf_of;
    return sites->leaf_of
               ? cw_rank_places_find_leaves(&sites->places, site->fabric.net, site->endpoints, sites->leaf_of)
               : CW_ENOMEM;
}

/* The network on which the hosts are. It says which of them are on one leaf switch, unless the user has, too. */
static int open_fabric(struct measurement *measurement)
{
    struct bench_sites *sites = &measurement->sites;
    struct cw_bench_run run = {0}; /* for the names of the hosts */
    int rc = cw_bench_run_begin(&run, sites->places.n_ranks, sites->hosts, json_object(), json_object());
    if (!rc)
        rc = prediction_site_open(measurement->invocation, &measurement->values->prediction, &run, &measurement->site);
    if (!rc && !sites->leaf_of) rc = find_leaves(&measurement->site, sites);
    cw_bench_run_free(&run);
    return rc;
}

/* --- what is asked for -------------------------------------------------------------------------------------------- */

static int check_sizes(const struct measurement *measurement)
{
    const struct cw_bench_request *request = &measurement->request;
    char size[32];
    for (size_t i = 0; i < request->n_perturbations; i++)
        if (request->perturbations[i].bytes == 0 || request->perturbations[i].bytes > INT32_MAX)
            return cw_fail(CW_EUSAGE, "--perturb: a message of %s, expected from 1 B to 2 GiB - 1 B",
                           cw_format_bytes(request->perturbations[i].bytes, size, sizeof size));
    return 0;
}

static int read_loads(struct measurement *measurement)
{
    const struct noise_options *values = measurement->values;
    struct cw_bench_request *request = &measurement->request;
    int rc = cw_bench_parse_loads("--op", &operation_registry, DEFAULT_BYTES, values->op, &measurement->operations,
                                  &request->n_operations);
    if (!rc)
        rc = cw_bench_parse_loads("--perturb", &cw_perturbation_registry, DEFAULT_PERTURBATION_BYTES, values->perturb,
                                  &measurement->perturbations, &request->n_perturbations);
    if (rc) return rc;
    for (size_t i = 0; i < request->n_operations; i++) {
        const struct cw_collective_traits *operation = measurement->operations[i].kind;
        if (operation->no_data) measurement->operations[i].bytes = 0;
    }
    request->operations = measurement->operations;
    request->perturbations = measurement->perturbations;
    return check_sizes(measurement);
}

static int ask(struct measurement *measurement)
{
    const struct noise_options *values = measurement->values;
    struct cw_bench_request *request = &measurement->request;
    const bool leaf =
        values->control == CONTROL_LEAF || (values->control == CONTROL_AUTO && measurement->sites.leaf_of);
    request->places = &measurement->sites.places;
    request->rule = (struct cw_split_rule){.by_node = values->by == BY_NODE,
                                           .idle = (uint32_t)values->idle,
                                           .seed = (uint64_t)measurement->invocation->common.seed};
    request->ratios = values->ratio.values;
    request->n_ratios = values->ratio.n;
    request->n_splits = (uint32_t)values->splits;
    request->root = (uint32_t)values->root;
    request->control = values->control != CONTROL_NONE;
    request->control_as_it_is = values->control == CONTROL_AUTO;
    request->control_kind = leaf ? CW_CONTROL_LEAF : CW_CONTROL_NODE;
    if (values->control == CONTROL_LEAF && !measurement->sites.leaf_of)
        return cw_fail(CW_EUSAGE,
                       "--control leaf needs --leaves or --fabric, which say what hosts are on one leaf switch");
    return read_loads(measurement);
}

/* --- the blocks of a plan ----------------------------------------------------------------------------------------- */

/* All blocks, until they are done, precise enough, or time is over. */
struct bench_noise {
    const struct cw_bench_request *request;
    const struct cw_bench_plan *plan;
    size_t samples;                 /* of a block */
    double time;                    /* [s] for all; INFINITY: no limit */
    double precision;               /* relative half width of the interval of the slowdown that is enough; 0: none is */
    struct cw_progress *progress;   /* on rank 0; may be NULL */
    struct cw_bench_writer *writer; /* the same */
};

/* What rank 0 decides before each block. */
struct decision {
    double time; /* [s] that the block may take */
    int go_on;
};

struct progress_of_run {
    const struct bench_noise *noise;
    struct bench_crew *crew;
    struct cw_bench_run *run;
    struct bench_sides sides;
    uint32_t split;   /* whose sides these are; CW_NONE: none */
    uint32_t *groups; /* [n_ranks] */
    double deadline;
};

static struct decision decide(const struct progress_of_run *state, size_t step)
{
    const struct bench_noise *noise = state->noise;
    const struct cw_bench_plan *plan = noise->plan;
    const double left = state->deadline - cw_stopwatch_now();
    struct decision decision = {.time = cw_bench_share(left, step, plan->n_steps), .go_on = step == 0 || left > 0};
    if (noise->precision > 0 && cw_bench_plan_may_end(plan, step, noise->request->n_ratios) &&
        cw_bench_precision(state->run) <= noise->precision)
        decision.go_on = 0;
    return decision;
}

static int agree_on(struct progress_of_run *state, size_t step, struct decision *decision)
{
    MPI_Request request;
    *decision = (struct decision){0};
    if (state->crew->clock.rank == 0) *decision = decide(state, step);
    MPI_Ibcast(decision, (int)sizeof *decision, MPI_BYTE, 0, state->crew->all, &request);
    return wait_for(state->crew->mode, &request);
}

/* Among whom perturbing ranks exchange. */
static int find_groups(const struct progress_of_run *state, const struct cw_bench_split *split,
                       enum cw_bench_state bench_state)
{
    const struct cw_bench_request *request = state->noise->request;
    uint32_t first = CW_NONE, exchanging;
    if (bench_state == CW_BENCH_CONTROL)
        return cw_split_control(request->places, split->roles, request->control_kind, state->groups, &exchanging);
    for (uint32_t rank = 0; rank < request->places->n_ranks; rank++) {
        const bool perturbs = split->roles[rank] == CW_BENCH_PERTURBING;
        if (perturbs && first == CW_NONE) first = rank;
        state->groups[rank] = perturbs ? first : CW_NONE;
    }
    return 0;
}

static int record(const struct progress_of_run *state, const struct cw_bench_step *step, struct cw_bench_block *block)
{
    const struct cw_bench_plan *plan = state->noise->plan;
    int rc = cw_bench_run_case(state->run, &plan->cases[step->case_index], &block->case_index);
    if (!rc) rc = cw_bench_run_split(state->run, plan->splits[step->split].roles, &block->split);
    if (!rc) rc = cw_bench_run_block(state->run, block, state->crew->samples, block->n_samples);
    if (!rc && state->noise->writer) rc = cw_bench_writer_add(state->noise->writer);
    cw_progress_step(state->noise->progress, 1);
    return rc;
}

static int run_step(struct progress_of_run *state, size_t index, double time)
{
    const struct bench_noise *noise = state->noise;
    const struct cw_bench_request *request = noise->request;
    const struct cw_bench_step *step = &noise->plan->steps[index];
    const struct cw_bench_split *split = &noise->plan->splits[step->split];
    const uint32_t load = noise->plan->load_of[step->case_index];
    const struct cw_bench_load *operation = &request->operations[load / request->n_perturbations];
    const struct cw_bench_load *perturbation = &request->perturbations[load % request->n_perturbations];
    struct bench_crew *crew = state->crew;
    struct cw_bench_block block = {.state = step->state, .order = step->order};
    if (state->split != step->split) {
        if (state->split != CW_NONE) bench_sides_free(&state->sides);
        bench_sides_make(crew->all, split, request->places->n_ranks, &state->sides);
        state->split = step->split;
    }
    int rc = ranks_agree_or_stop(crew->ranks, crew->mode, find_groups(state, split, step->state));
    if (rc) return rc;
    rc = bench_block_run(crew, &state->sides,
                         &(struct bench_order){.operation = operation->kind,
                                               .bytes = operation->bytes,
                                               .perturbation = perturbation->kind,
                                               .perturbation_bytes = perturbation->bytes,
                                               .root = (int)request->root,
                                               .state = step->state,
                                               .groups = state->groups,
                                               .seed = request->rule.seed,
                                               .number = (uint32_t)index,
                                               .limits = {noise->samples, LEAST_SAMPLES, time}},
                         &block);
    if (rc) return rc;
    return ranks_agree_or_stop(crew->ranks, crew->mode, crew->clock.rank == 0 ? record(state, step, &block) : 0);
}

/* Collective. RUN, which was begun, gets the blocks on rank 0, each when it is measured. Errors as of bench_block_run.
 */
static int bench_noise_run(const struct bench_noise *noise, struct bench_crew *crew, struct cw_bench_run *run)
{
    const uint32_t n = noise->request->places->n_ranks;
    struct progress_of_run state = {.noise = noise,
                                    .crew = crew,
                                    .run = run,
                                    .split = CW_NONE,
                                    .groups = cw_new_array(n, sizeof *state.groups, "groups of ranks"),
                                    .deadline = cw_stopwatch_now() + noise->time};
    struct decision decision = {.go_on = 1};
    int rc = ranks_agree_or_stop(crew->ranks, crew->mode, state.groups ? 0 : CW_ENOMEM);
    for (size_t step = 0; !rc && step < noise->plan->n_steps; step++) {
        rc = agree_on(&state, step, &decision);
        if (rc || !decision.go_on) break;
        rc = run_step(&state, step, decision.time);
    }
    if ((!rc || crew->ranks->stops) && state.split != CW_NONE) bench_sides_free(&state.sides);
    free(state.groups);
    return rc;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static int begin_run(struct measurement *measurement, const struct bench_crew *crew)
{
    const struct bench_sites *sites = &measurement->sites;
    struct cw_bench_run *run = &measurement->run;
    run->seed = measurement->request.rule.seed;
    return cw_bench_run_begin(run, sites->places.n_ranks, sites->hosts, bench_conditions(crew, sites),
                              bench_environment(sites));
}

static int measure_with(struct measurement *measurement, struct bench_crew *crew)
{
    const struct noise_options *values = measurement->values;
    struct bench_noise noise = {.request = &measurement->request,
                                .plan = &measurement->plan,
                                .samples = (size_t)values->samples,
                                .time = values->time > 0 ? values->time : INFINITY,
                                .precision = values->ci};
    int rc = speaks(measurement) ? begin_run(measurement, crew) : 0;
    if (!rc && speaks(measurement) && values->save)
        rc = cw_bench_writer_open(values->save, &measurement->run, &noise.writer);
    rc = ranks_agree(measurement->ranks, rc);
    if (rc) return rc;
    if (speaks(measurement))
        noise.progress = invocation_progress(measurement->invocation, "bench noise", measurement->plan.n_steps);
    rc = bench_noise_run(&noise, crew, &measurement->run);
    cw_progress_free(noise.progress);
    if (!rc) rc = bench_environment_clocks(crew, measurement->run.environment);
    measurement->run.complete = !rc;
    const int closed = cw_bench_writer_close(noise.writer);
    return rc ? rc : closed;
}

/* What there is, also of a run that was ended. */
static int report(const struct measurement *measurement)
{
    struct cw_bench_analysis analysis;
    struct cw_bench_prediction prediction = {0};
    int rc = cw_bench_analyse(&measurement->run, measurement->run.seed, &analysis);
    if (rc) return rc;
    rc = cw_bench_report(&analysis, measurement->invocation->result);
    if (!rc && measurement->values->prediction.fabric)
        rc = prediction_report(measurement->invocation, &measurement->values->prediction, &measurement->site, &analysis,
                               &prediction);
    cw_bench_prediction_free(&prediction);
    cw_bench_analysis_free(&analysis);
    return rc;
}

static int measure(struct measurement *measurement)
{
    struct bench_crew crew;
    const struct noise_options *values = measurement->values;
    int rc = bench_crew_begin(measurement->ranks, wait_chosen(measurement->values->wait, measurement->ranks->comm),
                              (enum bench_start)values->sync, (size_t)values->samples, &crew);
    if (!rc) rc = measure_with(measurement, &crew);
    if (rc == CW_EINTERRUPTED && !measurement->ranks->stops)
        ranks_leave(measurement->ranks, rc);
    else
        bench_crew_end(&crew);
    if (speaks(measurement) && measurement->run.n_blocks > 0) {
        const int reported = report(measurement);
        if (!rc) rc = reported;
    }
    return rc;
}

static int check_options(const struct invocation *invocation)
{
    static const char *const of_network[] = {"threads", NULL};
    const struct noise_options *values = invocation->values;
    const int rc = prediction_check(invocation, &values->prediction);
    return rc || values->prediction.fabric ? rc : invocation_refuse(invocation, of_network, "is for --fabric NETWORK");
}

static int prepare(struct measurement *measurement)
{
    int rc = measurement->values->prediction.fabric ? open_fabric(measurement) : 0;
    if (!rc) rc = ask(measurement);
    return rc ? rc : cw_bench_plan_make(&measurement->request, &measurement->plan);
}

static int run(struct invocation *invocation)
{
    struct measurement measurement = {
        .invocation = invocation, .values = invocation->values, .ranks = ranks_of(invocation->ranks)};
    const struct noise_options *values = measurement.values;
    int rc = check_options(invocation);
    if (!rc) rc = bench_sites_find(measurement.ranks, values->leaves, &measurement.sites);
    if (!rc) rc = ranks_agree(measurement.ranks, prepare(&measurement));
    if (!rc && values->dry_run)
        rc = cw_bench_plan_show(&measurement.request, &measurement.plan, (size_t)values->samples, values->time,
                                measurement.sites.oversubscribed, invocation->result);
    else if (!rc)
        rc = measure(&measurement);
    cw_bench_run_free(&measurement.run);
    cw_bench_plan_free(&measurement.plan);
    free(measurement.operations);
    free(measurement.perturbations);
    prediction_site_free(&measurement.site);
    bench_sites_free(&measurement.sites);
    return rc;
}

const struct verb verb_bench_noise = {
    .name = "bench noise",
    .help = "Measures how much neighbours slow an application's collectives down",
    .description = "All ranks of the MPI job are split at random into an application and a perturbation, which share "
                   "no process. The "
                   "application calls a collective operation again and again, once while the others are silent and "
                   "once while they "
                   "exchange large messages, in random order, on many splits. The time of a call is that from its "
                   "first rank's start "
                   "to its last rank's end, on a clock that all ranks share (offsets and drifts are measured, and the "
                   "error that is "
                   "left is stated). Calls that were not perturbed all the time are dropped and counted.",
    .examples = "  mpirun -n 64 crosswind-mpi bench noise\n"
                "  mpirun -n 64 crosswind-mpi bench noise --op allreduce:8B --ratio 0.1..0.9 --save noise.csv\n"
                "  mpirun -n 64 crosswind-mpi bench noise --fabric fabric.ibnetdiscover --lft opensm-lfts.dump\n",
    .options = options,
    .size = sizeof(struct noise_options),
    .network = true,
    .routes = true,
    .ranks = true,
    .run = run,
};
