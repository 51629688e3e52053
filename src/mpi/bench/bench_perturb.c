#include "mpi/bench/bench_perturb.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network.h"

/* Messages that one rank receives at a time, if it has the room (incast): at least 1, and no more than that. */
#define RECEIVED_AT_ONCE ((size_t)64 << 20) /* bytes */

static size_t slots(size_t bytes, uint32_t n_ranks)
{
    const size_t fit = RECEIVED_AT_ONCE / (bytes > 0 ? bytes : 1);
    return fit < 1 ? 1 : fit < n_ranks ? fit : n_ranks;
}

int perturber_reserve(struct perturber *perturber, size_t bytes, uint32_t n_ranks)
{
    if (perturber->capacity >= bytes && perturber->to) return 0;
    free(perturber->send);
    free(perturber->receive);
    perturber->capacity = bytes;
    perturber->send = cw_new_array(bytes, 1, "a message");
    perturber->receive = cw_new_array(slots(bytes, n_ranks), bytes, "messages");
    if (!perturber->to) perturber->to = cw_new_array(n_ranks, sizeof *perturber->to, "partners");
    if (!perturber->requests) perturber->requests = cw_new_array((size_t)n_ranks + 1, sizeof(MPI_Request), "requests");
    return perturber->send && perturber->receive && perturber->to && perturber->requests ? 0 : CW_ENOMEM;
}

void perturber_free(struct perturber *perturber)
{
    free(perturber->send);
    free(perturber->receive);
    free(perturber->to);
    free(perturber->requests);
    *perturber = (struct perturber){0};
}

/* One rank's part of a round. */
struct round {
    struct perturber *perturber;
    size_t bytes;
    uint32_t rank, n_ranks;
    uint32_t next;   /* who sends to this rank is sought from here on */
    int n;           /* requests: the message that is sent, and those that are received at the moment */
    uint32_t wanted; /* messages that were asked for */
};

/* Asks for the messages of as many senders as there is room for. */
static void receive_some(struct round *round)
{
    struct perturber *perturber = round->perturber;
    const size_t room = slots(perturber->capacity, round->n_ranks);
    for (size_t slot = 0; slot < room && round->next < round->n_ranks; round->next++) {
        if (perturber->to[round->next] != round->rank) continue;
        MPI_Irecv(perturber->receive + slot * round->bytes, (int)round->bytes, MPI_BYTE, (int)round->next, TAG_EXCHANGE,
                  perturber->all, &perturber->requests[round->n++]);
        slot++;
        round->wanted++;
    }
}

static void begin_round(struct round *round)
{
    struct perturber *perturber = round->perturber;
    receive_some(round);
    if (perturber->to[round->rank] == CW_NONE) return;
    MPI_Isend(perturber->send, (int)round->bytes, MPI_BYTE, (int)perturber->to[round->rank], TAG_EXCHANGE,
              perturber->all, &perturber->requests[round->n++]);
}

static int end_round(struct round *round)
{
    int rc = 0;
    while (!rc && round->n > 0) {
        rc = wait_for_all(round->perturber->mode, round->n, round->perturber->requests);
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

static int tell_begun(const struct perturber *perturber, const struct bench_sides *sides)
{
    MPI_Request request;
    MPI_Isend(NULL, 0, MPI_BYTE, sides->application, TAG_BEGUN, perturber->all, &request);
    return wait_for(perturber->mode, &request);
}

int perturb(struct perturber *perturber, const struct bench_sides *sides, const struct cw_partners *partners,
            size_t bytes, struct perturbation_done *out)
{
    MPI_Request stop = MPI_REQUEST_NULL, agreed;
    int said = 0, all_know = 0, rank, rc = 0;
    struct perturbation_done done = {0};
    MPI_Comm_rank(perturber->all, &rank);
    if (sides->rank == 0) MPI_Irecv(NULL, 0, MPI_BYTE, sides->application, TAG_STOP, perturber->all, &stop);
    for (; !rc && !all_know; done.rounds++) {
        struct round round = {
            .perturber = perturber, .bytes = bytes, .rank = (uint32_t)rank, .n_ranks = partners->n_ranks};
        cw_partners_of_round(partners, done.rounds, perturber->to);
        begin_round(&round);
        if (done.rounds == 0) done.began = bench_clock_now(perturber->clock);
        if (!said) said = stop_was_said(&stop);
        MPI_Iallreduce(&said, &all_know, 1, MPI_INT, MPI_MAX, sides->comm, &agreed);
        rc = wait_for(perturber->mode, &agreed);
        if (!rc) rc = end_round(&round);
        /* Only now are queues as full as they get: the first messages find windows closed. */
        if (!rc && done.rounds == 0 && sides->rank == 0) rc = tell_begun(perturber, sides);
        done.received += (double)round.wanted * (double)bytes;
        done.exchanges |= round.wanted > 0 || perturber->to[rank] != CW_NONE;
    }
    done.ended = bench_clock_now(perturber->clock);
    *out = done;
    return rc;
}
