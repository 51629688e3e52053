/*
 * Parametrised round trips between two ranks (study/bench/loggp_fit.h says what they are for).
 */
#ifndef CW_MPI_BENCH_PINGPONG_H
#define CW_MPI_BENCH_PINGPONG_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi/bench/bench_wait.h"

/* One side of a pair. */
struct pingpong {
    MPI_Comm comm;
    enum cw_wait_mode mode;
    bool client; /* this rank measures; else it answers */
    int peer;
    int messages;          /* most at a time, 2 or more */
    size_t bytes;          /* of a message, at most */
    unsigned char *buffer; /* [messages · bytes] */
    MPI_Request *requests; /* [messages + 1] */
};

/* Makes room in PINGPONG, whose other members are set. 0 or CW_ENOMEM. */
int pingpong_reserve(struct pingpong *pingpong);
void pingpong_free(struct pingpong *pingpong);

/* By both sides: MESSAGES of BYTES from the client, DELAY [s] between two, then one of BYTES back. All receives wait
 * for their messages, and sends are not waited for before the last one. *SECONDS, on the client: from the first send to
 * the answer. 0 or CW_EINTERRUPTED. */
int pingpong_run(struct pingpong *pingpong, int messages, double delay, size_t bytes, double *seconds);

#endif
