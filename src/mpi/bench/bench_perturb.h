/*
 * What perturbing ranks do during a block: exchange large messages, round by round with new partners, until the
 * application's leader says stop.
 *
 * All must end with the same round, or one would wait for a message that nobody sends. So with each round begins a
 * reduction, which the leader of the perturbation tells whether stop was said, and which all await before the next
 * round: all learn it in the same one. Two rounds after stop at the latest they end. That reduction of 4 bytes is also
 * what the first round waits for before the application may begin: then all messages of the round are under way.
 */
#ifndef CW_MPI_BENCH_PERTURB_H
#define CW_MPI_BENCH_PERTURB_H

#include <mpi.h>
#include <stddef.h>

#include "mpi/bench/bench_clock.h"
#include "mpi/bench/bench_sides.h"
#include "mpi/bench/bench_wait.h"
#include "study/bench/partners.h"

/* Tags of messages between ranks of the whole run. */
enum bench_tag { TAG_EXCHANGE = 1, TAG_BEGUN, TAG_STOP };

/* Starts zeroed; its buffers stay for the next block. */
struct perturber {
    MPI_Comm all; /* the whole run; exchanges go over it */
    enum cw_wait_mode mode;
    const struct bench_clock *clock;
    size_t capacity; /* bytes of each message that the buffers have room for */
    unsigned char *send, *receive;
    MPI_Request *requests;
    uint32_t *to; /* [n_ranks] */
};

/* Room for messages of BYTES among N_RANKS. 0 or CW_ENOMEM. */
int perturber_reserve(struct perturber *perturber, size_t bytes, uint32_t n_ranks);
void perturber_free(struct perturber *perturber);

struct perturbation_done {
    double began, ended; /* by the own clock: all of its messages of the first round sent off; last round over */
    double received;     /* bytes */
    uint32_t rounds;
    bool exchanges; /* it had partners at all */
};

/* 0 or CW_EINTERRUPTED. */
int perturb(struct perturber *perturber, const struct bench_sides *sides, const struct cw_partners *partners,
            size_t bytes, struct perturbation_done *out);

#endif
