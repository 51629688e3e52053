#include "mpi/bench/bench_pingpong.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"

enum pingpong_tag { TAG_READY = 20, TAG_THERE, TAG_BACK };

int pingpong_reserve(struct pingpong *pingpong)
{
    const size_t n = (size_t)pingpong->messages;
    pingpong->buffer = cw_new_array(n, pingpong->bytes, "messages");
    pingpong->requests = cw_new_array(n + 1, sizeof *pingpong->requests, "messages");
    return pingpong->buffer && pingpong->requests ? 0 : CW_ENOMEM;
}

void pingpong_free(struct pingpong *pingpong)
{
    free(pingpong->buffer);
    free(pingpong->requests);
    pingpong->buffer = NULL;
    pingpong->requests = NULL;
}

/* Keeps the processor: what is paced must not be late. */
static void pause_until(double moment)
{
    while (cw_stopwatch_now() < moment) {
    }
}

static int measure(struct pingpong *pingpong, int messages, double delay, int bytes, double *seconds)
{
    MPI_Request ready;
    MPI_Irecv(NULL, 0, MPI_BYTE, pingpong->peer, TAG_READY, pingpong->comm, &ready);
    MPI_Irecv(pingpong->buffer, bytes, MPI_BYTE, pingpong->peer, TAG_BACK, pingpong->comm, &pingpong->requests[0]);
    int rc = wait_for(pingpong->mode, &ready);
    if (rc) return rc;
    const double begin = cw_stopwatch_now(); /* the first place is for the answer */
    for (int i = 0; i < messages; i++) {
        MPI_Isend(pingpong->buffer + pingpong->bytes, bytes, MPI_BYTE, pingpong->peer, TAG_THERE, pingpong->comm,
                  &pingpong->requests[i + 1]);
        if (delay > 0 && i + 1 < messages) pause_until(cw_stopwatch_now() + delay);
    }
    rc = wait_for_all(pingpong->mode, messages + 1, pingpong->requests);
    *seconds = cw_stopwatch_now() - begin;
    return rc;
}

static int answer(struct pingpong *pingpong, int messages, int bytes)
{
    MPI_Request last[2];
    for (int i = 0; i < messages; i++)
        MPI_Irecv(pingpong->buffer + (size_t)i * pingpong->bytes, bytes, MPI_BYTE, pingpong->peer, TAG_THERE,
                  pingpong->comm, &pingpong->requests[i]);
    MPI_Isend(NULL, 0, MPI_BYTE, pingpong->peer, TAG_READY, pingpong->comm, &last[0]);
    int rc = wait_for_all(pingpong->mode, messages, pingpong->requests);
    if (rc) return rc;
    MPI_Isend(pingpong->buffer, bytes, MPI_BYTE, pingpong->peer, TAG_BACK, pingpong->comm, &last[1]);
    return wait_for_all(pingpong->mode, 2, last);
}

int pingpong_run(struct pingpong *pingpong, int messages, double delay, size_t bytes, double *seconds)
{
    if (!pingpong->client) return answer(pingpong, messages, (int)bytes);
    return measure(pingpong, messages, delay, (int)bytes, seconds);
}
