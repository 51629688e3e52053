#include "mpi/bench/bench_block.h"

#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"

#define WARM_UP_CALLS 3
#define SYNC_EVERY    0.25 /* [s] at least, as long as blocks are shorter; the first ones are between two each */

int bench_crew_begin(struct ranks *ranks, enum cw_wait_mode mode, enum bench_start start, size_t most_samples,
                     struct bench_crew *crew)
{
    *crew = (struct bench_crew){.ranks = ranks, .mode = mode, .most_samples = most_samples};
    prctl(PR_SET_TIMERSLACK, 1000L); /* [ns]: sleeps end when they should */
    MPI_Comm_dup(ranks->comm, &crew->all);
    crew->sampling.start = start;
    crew->sampling.clock = crew->perturber.clock = &crew->clock;
    crew->sampling.moments = cw_new_array(most_samples, sizeof *crew->sampling.moments, "samples");
    crew->samples = cw_new_array(most_samples, sizeof *crew->samples, "samples");
    crew->perturber.all = crew->all;
    crew->perturber.mode = mode;
    int rc = ranks_agree(ranks, crew->sampling.moments && crew->samples ? 0 : CW_ENOMEM);
    if (!rc) rc = bench_clock_init(ranks, crew->all, mode, &crew->clock);
    return rc ? rc : bench_clock_sync(&crew->clock);
}

void bench_crew_end(struct bench_crew *crew)
{
    bench_clock_free(&crew->clock);
    perturber_free(&crew->perturber);
    free(crew->sampling.moments);
    free(crew->samples);
    if (crew->ranks) MPI_Comm_free(&crew->all);
}

/* --- before ------------------------------------------------------------------------------------------------------- */

/* What one rank needs for a block. */
struct preparation {
    struct call call;
    struct cw_partners partners;
};

static int make_ready(struct bench_crew *crew, const struct bench_sides *sides, const struct bench_order *order,
                      struct preparation *ready)
{
    const uint32_t n = crew->ranks->program.n;
    if (sides->role == CW_BENCH_APPLICATION)
        return call_new(order->operation, order->bytes, order->root, sides->comm, crew->mode, &ready->call);
    if (sides->role != CW_BENCH_PERTURBING || order->state == CW_BENCH_CLEAN) return 0;
    const int rc = perturber_reserve(&crew->perturber, order->perturbation_bytes, n);
    return rc ? rc
              : cw_partners_init(order->perturbation, order->groups, n, order->seed, order->number, &ready->partners);
}

static int warm_up(const struct call *call)
{
    int rc = call_run(call);
    if (!rc) rc = call_check(call);
    for (int i = 1; !rc && i < WARM_UP_CALLS; i++) rc = call_run(call);
    return rc;
}

/* --- the two sides ------------------------------------------------------------------------------------------------ */

static int await_perturbation(const struct bench_crew *crew, const struct bench_sides *sides)
{
    MPI_Request request;
    MPI_Irecv(NULL, 0, MPI_BYTE, sides->perturbing, TAG_BEGUN, crew->all, &request);
    return wait_for(crew->mode, &request);
}

static int say_stop(const struct bench_crew *crew, const struct bench_sides *sides)
{
    MPI_Request request;
    MPI_Isend(NULL, 0, MPI_BYTE, sides->perturbing, TAG_STOP, crew->all, &request);
    return wait_for(crew->mode, &request);
}

static int apply(struct bench_crew *crew, const struct bench_sides *sides, const struct bench_order *order,
                 const struct call *call)
{
    const bool leads = sides->rank == 0 && order->state != CW_BENCH_CLEAN;
    int rc = leads ? await_perturbation(crew, sides) : 0;
    if (!rc) rc = wait_for_others(crew->mode, sides->comm);
    crew->sampling.margin = crew->margins[order->state];
    if (!rc) rc = sample_calls(call, &order->limits, &crew->sampling);
    crew->margins[order->state] = crew->sampling.margin;
    if (!rc) rc = wait_for_others(crew->mode, sides->comm); /* the last call ends for all before anybody stops */
    return !rc && leads ? say_stop(crew, sides) : rc;
}

/* --- after -------------------------------------------------------------------------------------------------------- */

/* Minima over all ranks; what is wanted of a maximum stands here with the other sign. */
enum of_sample { BEGAN, MINUS_ENDED, MINUS_TOOK, MINUS_LATE, OF_SAMPLE };
enum of_block { MINUS_PERTURBING_FROM, PERTURBING_TO, MINUS_CLOCK_ERROR, OF_BLOCK };

static void enter_moments(const struct bench_crew *crew, double *minima)
{
    const struct cw_clock_model *model = &crew->clock.model;
    for (size_t i = 0; i < crew->sampling.n; i++) {
        const struct bench_moment *moment = &crew->sampling.moments[i];
        double *sample = minima + OF_BLOCK + i * OF_SAMPLE;
        sample[BEGAN] = cw_clock_global(model, moment->began);
        sample[MINUS_ENDED] = -cw_clock_global(model, moment->ended);
        sample[MINUS_TOOK] = moment->began - moment->ended;
        sample[MINUS_LATE] = moment->late ? -1 : 0;
    }
    const double from = crew->sampling.moments[0].began, to = crew->sampling.moments[crew->sampling.n - 1].ended;
    minima[MINUS_CLOCK_ERROR] = -fmax(cw_clock_error(model, from), cw_clock_error(model, to));
}

static void enter_perturbation(const struct bench_crew *crew, const struct perturbation_done *done, double *minima,
                               double sums[2])
{
    if (!done->exchanges) return;
    minima[MINUS_PERTURBING_FROM] = -cw_clock_global(&crew->clock.model, done->began);
    minima[PERTURBING_TO] = cw_clock_global(&crew->clock.model, done->ended);
    sums[0] = done->received / (done->ended - done->began);
    sums[1] = 1;
}

/* What rank 0 makes of the minima. */
static void make_samples(const double *minima, size_t n, bool perturbed, struct cw_bench_sample *samples)
{
    for (size_t i = 0; i < n; i++) {
        const double *all = minima + OF_BLOCK + i * OF_SAMPLE;
        struct cw_bench_sample *sample = &samples[i];
        /* No call is over before its slowest rank, whatever the clocks say. */
        *sample = (struct cw_bench_sample){.start = all[BEGAN],
                                           .time = fmax(-all[MINUS_ENDED] - all[BEGAN], -all[MINUS_TOOK]),
                                           .slowest = -all[MINUS_TOOK]};
        const bool covered = all[BEGAN] >= -minima[MINUS_PERTURBING_FROM] && -all[MINUS_ENDED] <= minima[PERTURBING_TO];
        sample->status = all[MINUS_LATE] < 0 ? CW_BENCH_LATE : perturbed && !covered ? CW_BENCH_UNCOVERED : CW_BENCH_OK;
    }
}

static int reduce(struct bench_crew *crew, double *minima, size_t n, double sums[2])
{
    MPI_Request requests[2];
    const bool root = crew->clock.rank == 0;
    MPI_Ireduce(root ? MPI_IN_PLACE : minima, root ? minima : NULL, (int)(OF_BLOCK + n * OF_SAMPLE), MPI_DOUBLE,
                MPI_MIN, 0, crew->all, &requests[0]);
    MPI_Ireduce(root ? MPI_IN_PLACE : sums, root ? sums : NULL, 2, MPI_DOUBLE, MPI_SUM, 0, crew->all, &requests[1]);
    return wait_for_all(crew->mode, 2, requests);
}

static int collect(struct bench_crew *crew, const struct bench_sides *sides, const struct bench_order *order,
                   const struct perturbation_done *done, struct cw_bench_block *block)
{
    MPI_Request request;
    int n = sides->role == CW_BENCH_APPLICATION ? (int)crew->sampling.n : 0, most;
    MPI_Iallreduce(&n, &most, 1, MPI_INT, MPI_MAX, crew->all, &request);
    int rc = wait_for(crew->mode, &request);
    if (rc) return rc;
    const size_t n_minima = OF_BLOCK + (size_t)most * OF_SAMPLE;
    double *minima = cw_new_array(n_minima, sizeof *minima, "samples"), sums[2] = {0};
    rc = ranks_agree_or_stop(crew->ranks, crew->mode, minima ? 0 : CW_ENOMEM);
    for (size_t i = 0; !rc && i < n_minima; i++) minima[i] = INFINITY;
    if (!rc && n > 0) enter_moments(crew, minima);
    if (!rc) enter_perturbation(crew, done, minima, sums);
    if (!rc) rc = reduce(crew, minima, (size_t)most, sums);
    if (!rc && crew->clock.rank == 0) {
        make_samples(minima, (size_t)most, order->state != CW_BENCH_CLEAN, crew->samples);
        block->n_samples = (size_t)most;
        block->goodput = sums[1] > 0 ? sums[0] / sums[1] : NAN;
        block->clock_error = -minima[MINUS_CLOCK_ERROR];
    }
    free(minima);
    return rc;
}

/* Rank 0 says whether clocks are compared again: a long block is then between two comparisons. */
static int sync_if_due(struct bench_crew *crew)
{
    MPI_Request request;
    const double age = bench_clock_now(&crew->clock) - crew->clock.synchronised;
    int due = age > SYNC_EVERY || crew->clock.n_syncs <= CW_CLOCK_POINTS;
    MPI_Ibcast(&due, 1, MPI_INT, 0, crew->all, &request);
    const int rc = wait_for(crew->mode, &request);
    return rc || !due ? rc : bench_clock_sync(&crew->clock);
}

int bench_block_run(struct bench_crew *crew, const struct bench_sides *sides, const struct bench_order *order,
                    struct cw_bench_block *block)
{
    struct preparation ready = {0};
    struct perturbation_done done = {0};
    const bool applies = sides->role == CW_BENCH_APPLICATION;
    int rc = ranks_agree_or_stop(crew->ranks, crew->mode, make_ready(crew, sides, order, &ready));
    if (!rc) rc = ranks_agree_or_stop(crew->ranks, crew->mode, applies ? warm_up(&ready.call) : 0);
    if (!rc && applies)
        rc = apply(crew, sides, order, &ready.call);
    else if (!rc && sides->role == CW_BENCH_PERTURBING && order->state != CW_BENCH_CLEAN)
        rc = perturb(&crew->perturber, sides, &ready.partners, order->perturbation_bytes, &done);
    if (!rc) rc = wait_for_others(crew->mode, crew->all);
    if (!rc) rc = sync_if_due(crew);
    if (!rc) rc = collect(crew, sides, order, &done, block);
    call_free(&ready.call);
    cw_partners_free(&ready.partners);
    return rc;
}
