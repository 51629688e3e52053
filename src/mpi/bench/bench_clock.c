#include "mpi/bench/bench_clock.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "mpi/host_cores.h"

#define EXCHANGES 20 /* of one comparison */

double bench_clock_now(const struct bench_clock *clock)
{
    return 1e-9 * (double)(cw_stopwatch_ns() - clock->base);
}

/* --- who shares a clock ------------------------------------------------------------------------------------------- */

/* A hash of what makes a clock: host, boot, time namespace. */
static uint64_t identity(void)
{
    char text[512] = "", place[128] = "", kernel[KERNEL_IDENTITY];
    kernel_identity(kernel);
    size_t length = (size_t)snprintf(text, sizeof text, "%s", kernel);
    const ssize_t linked = readlink("/proc/self/ns/time", place, sizeof place - 1);
    length += (size_t)snprintf(text + length, sizeof text - length, "|%s|", linked > 0 ? place : "");
    gethostname(text + length, sizeof text - length - 1);
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return hash;
}

/* The lowest rank with this rank's clock; and on rank 0 the other such ranks. */
static int find_leaders(struct ranks *ranks, struct bench_clock *clock, int *leader)
{
    const uint64_t mine = identity();
    const size_t n = (size_t)clock->n;
    uint64_t *all = cw_new_array(n, sizeof *all, "clocks");
    int *leads = cw_new_array(n, sizeof *leads, "clocks");
    clock->leaders = cw_new_array(n, sizeof *clock->leaders, "clocks");
    const int rc = ranks_agree(ranks, all && leads && clock->leaders ? 0 : CW_ENOMEM);
    if (rc) {
        free(leads);
        free(all);
        return rc;
    }
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, clock->comm);
    for (*leader = 0; all[*leader] != mine;) ++*leader;
    clock->leads = *leader == clock->rank;
    const int flag = clock->leads;
    MPI_Allgather(&flag, 1, MPI_INT, leads, 1, MPI_INT, clock->comm);
    for (int rank = 1; rank < clock->n; rank++)
        if (leads[rank]) clock->leaders[clock->n_leaders++] = rank;
    free(leads);
    free(all);
    return 0;
}

int bench_clock_init(struct ranks *ranks, MPI_Comm comm, enum cw_wait_mode mode, struct bench_clock *out)
{
    struct bench_clock clock = {.comm = comm,
                                .mode = mode,
                                .rank = (int)ranks->program.rank,
                                .n = (int)ranks->program.n,
                                .base = cw_stopwatch_ns()};
    int leader;
    const int rc = find_leaders(ranks, &clock, &leader);
    if (rc) {
        free(clock.leaders);
        return rc;
    }
    MPI_Comm_split(comm, leader, clock.rank, &clock.shared);
    MPI_Bcast(&clock.base, 1, MPI_INT64_T, 0, clock.shared);
    *out = clock;
    return 0;
}

void bench_clock_free(struct bench_clock *clock)
{
    if (clock->leaders) MPI_Comm_free(&clock->shared);
    free(clock->leaders);
    *clock = (struct bench_clock){0};
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

/* Ranks that sleep answer late; these two are quick, while all others wait. */
static enum cw_wait_mode quick(const struct bench_clock *clock)
{
    return clock->mode == CW_WAIT_SLEEP ? CW_WAIT_YIELD : clock->mode;
}

static int receive_time(const struct bench_clock *clock, int from, double *time)
{
    MPI_Request request;
    MPI_Irecv(time, 1, MPI_DOUBLE, from, 0, clock->comm, &request);
    return wait_for(quick(clock), &request);
}

static int send_time(const struct bench_clock *clock, int to)
{
    MPI_Request request;
    const double now = bench_clock_now(clock);
    MPI_Isend(&now, 1, MPI_DOUBLE, to, 0, clock->comm, &request);
    return wait_for(quick(clock), &request);
}

static int answer(const struct bench_clock *clock, int leader)
{
    double ignored;
    int rc = 0;
    for (int i = 0; !rc && i < EXCHANGES; i++) {
        rc = receive_time(clock, leader, &ignored);
        if (!rc) rc = send_time(clock, leader);
    }
    return rc;
}

/* The first exchange takes as long as rank 0 is busy with others. */
static int ask(const struct bench_clock *clock, struct cw_clock_point *point)
{
    struct cw_clock_exchange all[EXCHANGES];
    int rc = 0;
    for (int i = 0; !rc && i < EXCHANGES; i++) {
        all[i].sent = bench_clock_now(clock);
        rc = send_time(clock, 0);
        if (!rc) rc = receive_time(clock, 0, &all[i].remote);
        all[i].received = bench_clock_now(clock);
    }
    if (!rc) *point = cw_clock_best(all, EXCHANGES);
    return rc;
}

int bench_clock_sync(struct bench_clock *clock)
{
    struct cw_clock_point point = {0};
    MPI_Request request;
    int rc = wait_for_others(clock->mode, clock->comm);
    if (!rc && clock->rank == 0)
        for (int i = 0; !rc && i < clock->n_leaders; i++) rc = answer(clock, clock->leaders[i]);
    else if (!rc && clock->leads)
        rc = ask(clock, &point);
    if (rc) return rc;
    MPI_Ibcast(&point, (int)sizeof point, MPI_BYTE, 0, clock->shared, &request);
    rc = wait_for(clock->mode, &request);
    if (rc) return rc;
    /* Those who share rank 0's clock have its time as it is: a zeroed model. */
    if (point.error > 0) cw_clock_add(&clock->model, &point);
    clock->synchronised = bench_clock_now(clock);
    clock->n_syncs++;
    return wait_for_others(clock->mode, clock->comm);
}
