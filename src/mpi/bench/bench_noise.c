#include "mpi/bench/bench_noise.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "net/network.h"
#include "study/bench/bench_run.h"

#define LEAST_SAMPLES 8 /* of a block, whatever time says */

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

/* Time that is left is shared out among the blocks that are left. */
static struct decision decide(const struct progress_of_run *state, size_t step)
{
    const struct bench_noise *noise = state->noise;
    const struct cw_bench_plan *plan = noise->plan;
    const double left = state->deadline - cw_stopwatch_now();
    struct decision decision = {.time = left / (double)(plan->n_steps - step), .go_on = step == 0 || left > 0};
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

int bench_noise_run(const struct bench_noise *noise, struct bench_crew *crew, struct cw_bench_run *run)
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
