#include "mpi/bench/bench_block.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "mpi/together.h"
#include "net/network.h"
#include "study/bench/bench_pace.h"

#define WARM_UP_CALLS 3

/* Tags of messages between ranks of the whole run. */
enum bench_tag { TAG_EXCHANGE = 1, TAG_BEGUN, TAG_STOP };

/* --- the sides of a split ----------------------------------------------------------------------------------------- */

static int lowest(const struct cw_bench_split *split, uint32_t n_ranks, enum cw_bench_role role)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        if (split->roles[rank] == role) return (int)rank;
    return MPI_PROC_NULL;
}

void bench_sides_make(MPI_Comm all, const struct cw_bench_split *split, uint32_t n_ranks, struct bench_sides *out)
{
    int rank;
    MPI_Comm_rank(all, &rank);
    out->role = (enum cw_bench_role)split->roles[rank];
    out->application = lowest(split, n_ranks, CW_BENCH_APPLICATION);
    out->perturbing = lowest(split, n_ranks, CW_BENCH_PERTURBING);
    MPI_Comm_split(all, (int)out->role, rank, &out->comm);
    MPI_Comm_rank(out->comm, &out->rank);
}

void bench_sides_free(struct bench_sides *sides)
{
    MPI_Comm_free(&sides->comm);
    *sides = (struct bench_sides){0};
}

/* --- the application ---------------------------------------------------------------------------------------------- */

/* How the calls of the application begin together:
 *
 *   window    before each call ranks agree on a moment of the common clock a little later than the last of them is
 *             ready, and wait for it, each by its own clock. A rank that learns of the moment too late makes the sample
 *             late; the time that is left for learning it is doubled then, and shortens slowly. The next moment is
 *             agreed on when the last rank is ready again, so that no call is cut off, however long it takes: dropping
 *             slow calls would hide what is measured.
 *   barrier   each call begins when MPI_Barrier lets a rank go, which is not at the same time everywhere. */
const char *const bench_starts[] = {"window", "barrier", NULL};

static void wait_until(const struct call *call, const struct bench_clock *clock, double moment)
{
    double left;
    while ((left = moment - bench_clock_now(clock)) > 0) {
        const double nap = call->mode == CW_WAIT_SLEEP ? cw_bench_nap(left) : 0;
        if (nap > 0) {
            nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * nap)}, NULL);
        } else if (call->mode != CW_WAIT_SPIN) {
            sched_yield();
        }
    }
}

static int start_by_window(const struct call *call, struct sampling *sampling, bool *late)
{
    const struct bench_clock *clock = sampling->clock;
    const double mine[] = {cw_clock_global(&clock->model, bench_clock_now(clock)), sampling->margin,
                           sampling->lateness};
    double all[3];
    MPI_Request request;
    MPI_Iallreduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, call->comm, &request);
    const int rc = wait_for(call->mode, &request);
    if (rc) return rc;
    sampling->margin = cw_bench_margin(all[1], all[2]); /* ranks may have been in different applications before */
    const double moment = cw_clock_local(&clock->model, all[0] + sampling->margin);
    sampling->lateness = fmax(0, bench_clock_now(clock) - moment);
    *late = sampling->lateness > 0;
    wait_until(call, clock, moment);
    return 0;
}

static int start_by_barrier(const struct call *call)
{
    if (call->mode != CW_WAIT_SPIN) return wait_for_others(call->mode, call->comm);
    MPI_Barrier(call->comm);
    return 0;
}

/* The application's leader knows the time. */
static int agree_on_end(const struct call *call, const struct bench_limits *limits, double since,
                        const struct sampling *sampling, int *end)
{
    const size_t n = sampling->n;
    MPI_Request request;
    if (!cw_bench_asks_for_end(n)) return 0;
    *end = cw_interrupted() || (n >= limits->least && bench_clock_now(sampling->clock) - since > limits->time);
    MPI_Ibcast(end, 1, MPI_INT, 0, call->comm, &request);
    return wait_for(call->mode, &request);
}

/* Collective over the application. 0 or CW_EINTERRUPTED. */
static int sample_calls(const struct call *call, const struct bench_limits *limits, struct sampling *sampling)
{
    const double since = bench_clock_now(sampling->clock);
    int rc = 0, end = 0;
    sampling->lateness = 0;
    for (sampling->n = 0; !rc && !end && sampling->n < limits->samples;) {
        struct cw_bench_moment *moment = &sampling->moments[sampling->n];
        moment->late = false;
        rc = sampling->start == START_WINDOW ? start_by_window(call, sampling, &moment->late) : start_by_barrier(call);
        if (rc) break;
        moment->began = bench_clock_now(sampling->clock);
        rc = call_run(call);
        moment->ended = bench_clock_now(sampling->clock);
        sampling->n++;
        if (!rc) rc = agree_on_end(call, limits, since, sampling, &end);
    }
    return rc;
}

/* --- the perturbation --------------------------------------------------------------------------------------------- */

struct perturbation_done {
    double began, ended; /* by the own clock: all of its messages of the first round sent off; last round over */
    double received;     /* bytes */
    uint32_t rounds;
    bool exchanges; /* it had partners at all */
};

/* Room for messages of BYTES among N_RANKS. 0 or CW_ENOMEM. */
static int perturber_reserve(struct perturber *perturber, size_t bytes, uint32_t n_ranks)
{
    if (perturber->capacity >= bytes && perturber->to) return 0;
    free(perturber->send);
    free(perturber->receive);
    perturber->capacity = bytes;
    perturber->send = cw_new_array(bytes, 1, "a message");
    perturber->receive = cw_new_array(cw_bench_messages_at_once(bytes, n_ranks), bytes, "messages");
    if (!perturber->to) perturber->to = cw_new_array(n_ranks, sizeof *perturber->to, "partners");
    if (!perturber->requests) perturber->requests = cw_new_array((size_t)n_ranks + 1, sizeof(MPI_Request), "requests");
    return perturber->send && perturber->receive && perturber->to && perturber->requests ? 0 : CW_ENOMEM;
}

static void perturber_free(struct perturber *perturber)
{
    free(perturber->send);
    free(perturber->receive);
    free(perturber->to);
    free(perturber->requests);
    *perturber = (struct perturber){0};
}

/* One rank's part of a round. */
struct round {
    const struct bench_crew *crew;
    size_t bytes;
    uint32_t rank, n_ranks;
    uint32_t next;   /* who sends to this rank is sought from here on */
    int n;           /* requests: the message that is sent, and those that are received at the moment */
    uint32_t wanted; /* messages that were asked for */
};

/* Asks for the messages of as many senders as there is room for. */
static void receive_some(struct round *round)
{
    const struct perturber *perturber = &round->crew->perturber;
    const size_t room = cw_bench_messages_at_once(perturber->capacity, round->n_ranks);
    for (size_t slot = 0; slot < room && round->next < round->n_ranks; round->next++) {
        if (perturber->to[round->next] != round->rank) continue;
        MPI_Irecv(perturber->receive + slot * round->bytes, (int)round->bytes, MPI_BYTE, (int)round->next, TAG_EXCHANGE,
                  round->crew->all, &perturber->requests[round->n++]);
        slot++;
        round->wanted++;
    }
}

static void begin_round(struct round *round)
{
    const struct perturber *perturber = &round->crew->perturber;
    receive_some(round);
    if (perturber->to[round->rank] == CW_NONE) return;
    MPI_Isend(perturber->send, (int)round->bytes, MPI_BYTE, (int)perturber->to[round->rank], TAG_EXCHANGE,
              round->crew->all, &perturber->requests[round->n++]);
}

static int end_round(struct round *round)
{
    int rc = 0;
    while (!rc && round->n > 0) {
        rc = wait_for_all(round->crew->mode, round->n, round->crew->perturber.requests);
        round->n = 0;
        if (!rc) receive_some(round);
    }
    return rc;
}

/* The leader's ear. Of others: never. */
static int stop_was_said(MPI_Request *stop)
{
    int said = 0;
    if (*stop != MPI_REQUEST_NULL) MPI_Test(stop, &said, MPI_STATUS_IGNORE);
    return said;
}

static int tell_begun(const struct bench_crew *crew, const struct bench_sides *sides)
{
    MPI_Request request;
    MPI_Isend(NULL, 0, MPI_BYTE, sides->application, TAG_BEGUN, crew->all, &request);
    return wait_for(crew->mode, &request);
}

/* Perturbing ranks exchange large messages, round by round with new partners, until the application's leader says stop.
 *
 * All must end with the same round, or one would wait for a message that nobody sends. So with each round begins a
 * reduction, which the leader of the perturbation tells whether stop was said, and which all await before the next
 * round: all learn it in the same one. Two rounds after stop at the latest they end. That reduction of 4 bytes is also
 * what the first round waits for before the application may begin: then all messages of the round are under way.
 * 0 or CW_EINTERRUPTED. */
static int perturb(const struct bench_crew *crew, const struct bench_sides *sides, const struct cw_partners *partners,
                   size_t bytes, struct perturbation_done *out)
{
    MPI_Request stop = MPI_REQUEST_NULL, agreed;
    const uint32_t rank = crew->ranks->program.rank;
    uint32_t *to = crew->perturber.to;
    int said = 0, all_know = 0, rc = 0;
    struct perturbation_done done = {0};
    if (sides->rank == 0) MPI_Irecv(NULL, 0, MPI_BYTE, sides->application, TAG_STOP, crew->all, &stop);
    for (; !rc && !all_know; done.rounds++) {
        struct round round = {.crew = crew, .bytes = bytes, .rank = rank, .n_ranks = partners->n_ranks};
        cw_partners_of_round(partners, done.rounds, to);
        begin_round(&round);
        if (done.rounds == 0) done.began = bench_clock_now(&crew->clock);
        if (!said) said = stop_was_said(&stop);
        MPI_Iallreduce(&said, &all_know, 1, MPI_INT, MPI_MAX, sides->comm, &agreed);
        rc = wait_for(crew->mode, &agreed);
        if (!rc) rc = end_round(&round);
        /* Only now are queues as full as they get: the first messages find windows closed. */
        if (!rc && done.rounds == 0 && sides->rank == 0) rc = tell_begun(crew, sides);
        done.received += (double)round.wanted * (double)bytes;
        done.exchanges |= round.wanted > 0 || to[rank] != CW_NONE;
    }
    done.ended = bench_clock_now(&crew->clock);
    *out = done;
    return rc;
}

/* --- the crew ----------------------------------------------------------------------------------------------------- */

int bench_crew_begin(struct ranks *ranks, enum cw_wait_mode mode, enum bench_start start, size_t most_samples,
                     struct bench_crew *crew)
{
    *crew = (struct bench_crew){.ranks = ranks, .mode = mode, .most_samples = most_samples};
    prctl(PR_SET_TIMERSLACK, 1000L); /* [ns]: sleeps end when they should */
    MPI_Comm_dup(ranks->comm, &crew->all);
    crew->sampling.start = start;
    crew->sampling.clock = &crew->clock;
    crew->sampling.moments = cw_new_array(most_samples, sizeof *crew->sampling.moments, "samples");
    crew->samples = cw_new_array(most_samples, sizeof *crew->samples, "samples");
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

/* A rank that has received something wrong goes on all the same: the others would wait for it. */
static int warm_up(const struct call *call)
{
    int rc = call_check(call);
    for (int i = 1; i < WARM_UP_CALLS; i++) {
        const int ran = call_run(call);
        if (!rc) rc = ran;
    }
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

static int reduce(struct bench_crew *crew, double *minima, size_t n, double sums[2])
{
    MPI_Request requests[2];
    const bool root = crew->clock.rank == 0;
    MPI_Ireduce(root ? MPI_IN_PLACE : minima, root ? minima : NULL, (int)cw_bench_minima_size(n), MPI_DOUBLE, MPI_MIN,
                0, crew->all, &requests[0]);
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
    double *minima = cw_new_array(cw_bench_minima_size((size_t)most), sizeof *minima, "samples"), sums[2] = {0};
    rc = ranks_agree_or_stop(crew->ranks, crew->mode, minima ? 0 : CW_ENOMEM);
    if (!rc) cw_bench_minima_clear(minima, (size_t)most);
    if (!rc && n > 0) cw_bench_minima_enter(&crew->clock.model, crew->sampling.moments, crew->sampling.n, minima);
    if (!rc && done->exchanges) {
        cw_bench_minima_perturb(&crew->clock.model, done->began, done->ended, minima);
        sums[0] = done->received / (done->ended - done->began);
        sums[1] = 1;
    }
    if (!rc) rc = reduce(crew, minima, (size_t)most, sums);
    if (!rc && crew->clock.rank == 0) {
        block->clock_error =
            cw_bench_minima_samples(minima, (size_t)most, order->state != CW_BENCH_CLEAN, crew->samples);
        block->n_samples = (size_t)most;
        block->goodput = sums[1] > 0 ? sums[0] / sums[1] : NAN;
    }
    free(minima);
    return rc;
}

/* Rank 0 says whether clocks are compared again: a long block is then between two comparisons. */
static int sync_if_due(struct bench_crew *crew)
{
    MPI_Request request;
    const double age = bench_clock_now(&crew->clock) - crew->clock.synchronised;
    int due = cw_bench_is_sync_due(age, crew->clock.n_syncs);
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
        rc = perturb(crew, sides, &ready.partners, order->perturbation_bytes, &done);
    if (!rc) rc = wait_for_others(crew->mode, crew->all);
    if (!rc) rc = sync_if_due(crew);
    if (!rc) rc = collect(crew, sides, order, &done, block);
    call_free(&ready.call);
    cw_partners_free(&ready.partners);
    return rc;
}
