#include "mpi/bench/bench_bisection.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "mpi/bench/bench_clock.h"

#define SYNC_INTERVAL 2 /* s; clocks drift */

struct exchange {
    const struct bisections *bisections;
    struct bench_clock clock;
    unsigned char *sent, *received; /* [bytes] */
    uint32_t rank;
};

int bisections_flows(const struct bisections *bisections, size_t trial, struct cw_flows *flows)
{
    struct cw_random random = cw_random_of(bisections->seed, CW_STREAM_PATTERN, trial);
    flows->n = 0;
    const int rc = cw_pattern_append(bisections->pattern, bisections->n_members, 0, bisections->bytes, &random, flows);
    for (size_t i = 0; i < flows->n; i++) {
        flows->items[i].src = bisections->members[flows->items[i].src];
        flows->items[i].dst = bisections->members[flows->items[i].dst];
    }
    return rc;
}

static double now(const struct exchange *exchange)
{
    return cw_clock_global(&exchange->clock.model, bench_clock_now(&exchange->clock));
}

/* Collective: the messages of ITEMS [n], of which a rank sends and receives one at most. */
static int send_all(const struct exchange *exchange, const struct cw_flow *items, size_t n, struct moments *out)
{
    const struct bisections *bisections = exchange->bisections;
    const int bytes = (int)bisections->bytes;
    MPI_Request received = MPI_REQUEST_NULL, sent = MPI_REQUEST_NULL;
    *out = (struct moments){-INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++)
        if (items[i].dst == exchange->rank)
            MPI_Irecv(exchange->received, bytes, MPI_BYTE, (int)items[i].src, 0, bisections->comm, &received);
    int rc = wait_for_others(bisections->mode, bisections->comm);
    const bool receives = received != MPI_REQUEST_NULL;
    for (size_t i = 0; !rc && i < n; i++) {
        if (items[i].src != exchange->rank) continue;
        out->begun = now(exchange);
        MPI_Isend(exchange->sent, bytes, MPI_BYTE, (int)items[i].dst, 0, bisections->comm, &sent);
    }
    if (!rc) rc = wait_for(bisections->mode, &received);
    if (receives) out->ended = now(exchange);
    return rc ? rc : wait_for(bisections->mode, &sent);
}

/* Messages of a bisection one after another. Their times come to rank 0. */
static int measure_alone(const struct exchange *exchange, const struct cw_flows *flows, struct bisection_times *out)
{
    const struct bisections *bisections = exchange->bisections;
    out->n_alone = flows->n < ALONE ? flows->n : ALONE;
    for (size_t i = 0; i < out->n_alone; i++) {
        struct moments mine;
        MPI_Request request;
        int rc = send_all(exchange, &flows->items[i], 1, &mine);
        if (rc) return rc;
        const bool sends = flows->items[i].src == exchange->rank;
        const double moments[2] = {sends ? -mine.begun : -INFINITY, mine.ended};
        double all[2];
        MPI_Ireduce(moments, all, 2, MPI_DOUBLE, MPI_MAX, 0, bisections->comm, &request);
        rc = wait_for(bisections->mode, &request);
        if (rc) return rc;
        out->alone[i] = all[0] + all[1];
    }
    return 0;
}

/* What rank 0 says after a trial. */
enum next { NEXT_NONE, NEXT_TRIAL, NEXT_SYNC };

static int go_on(struct exchange *exchange, double end, bool *more)
{
    const struct bisections *bisections = exchange->bisections;
    MPI_Request request;
    int next = NEXT_TRIAL;
    if (cw_stopwatch_now() >= end)
        next = NEXT_NONE;
    else if (bench_clock_now(&exchange->clock) > exchange->clock.synchronised + SYNC_INTERVAL)
        next = NEXT_SYNC;
    MPI_Ibcast(&next, 1, MPI_INT, 0, bisections->comm, &request);
    int rc = wait_for(bisections->mode, &request);
    if (!rc) rc = ranks_agree_or_stop(bisections->ranks, bisections->mode, 0);
    *more = next != NEXT_NONE;
    return rc || next != NEXT_SYNC ? rc : bench_clock_sync(&exchange->clock);
}

static int measure(struct exchange *exchange, struct cw_flows *flows, struct moments *mine, struct bisection_times *out)
{
    const struct bisections *bisections = exchange->bisections;
    const double end = cw_stopwatch_deadline(bisections->time);
    struct moments ignored;
    int rc = bench_clock_sync(&exchange->clock);
    if (!rc) rc = bisections_flows(bisections, 0, flows);
    if (!rc) rc = send_all(exchange, flows->items, flows->n, &ignored); /* makes connections */
    if (!rc) rc = measure_alone(exchange, flows, out);
    for (bool more = true; !rc && more && out->n < bisections->trials;) {
        rc = bisections_flows(bisections, out->n, flows);
        if (!rc) rc = send_all(exchange, flows->items, flows->n, &mine[out->n]);
        if (rc) break;
        out->n++;
        cw_progress_step(bisections->progress, 1);
        rc = go_on(exchange, end, &more);
    }
    return rc;
}

/* Collective. On rank 0 ALL [ranks · trials] gets what each rank has in MINE [trials]. */
static int run(struct exchange *exchange, struct moments *mine, struct moments *all, struct bisection_times *times)
{
    const struct bisections *bisections = exchange->bisections;
    const int size = (int)(bisections->trials * sizeof *mine);
    struct cw_flows flows = {0};
    int rc = bench_clock_init(bisections->ranks, bisections->comm, bisections->mode, &exchange->clock);
    if (rc) return rc;
    rc = measure(exchange, &flows, mine, times);
    cw_flows_free(&flows);
    if (rc && !bisections->ranks->stops) return ranks_leave(bisections->ranks, rc);
    if (!rc) MPI_Gather(mine, size, MPI_BYTE, all, size, MPI_BYTE, 0, bisections->comm);
    bench_clock_free(&exchange->clock);
    return rc;
}

int bisections_run(const struct bisections *bisections, struct bisection_times *out)
{
    struct exchange exchange = {.bisections = bisections, .rank = bisections->ranks->program.rank};
    struct bisection_times times = {.stride = bisections->trials};
    const size_t n = exchange.rank == 0 ? bisections->ranks->program.n : 1;
    struct moments *mine = cw_new_array(bisections->trials, sizeof *mine, "times");
    times.all = cw_new_array(n * bisections->trials, sizeof *times.all, "times");
    exchange.sent = cw_new_array(bisections->bytes, 1, "a message");
    exchange.received = cw_new_array(bisections->bytes, 1, "a message");
    int rc = mine && times.all && exchange.sent && exchange.received ? 0 : CW_ENOMEM;
    rc = ranks_agree(bisections->ranks, rc);
    if (!rc) rc = run(&exchange, mine, times.all, &times);
    free(mine);
    free(exchange.sent);
    free(exchange.received);
    if (rc)
        bisections_free(&times);
    else
        *out = times;
    return rc;
}

double bisections_seconds(const struct bisection_times *times, const struct cw_flow *message, size_t trial)
{
    return times->all[message->dst * times->stride + trial].ended -
           times->all[message->src * times->stride + trial].begun;
}

void bisections_free(struct bisection_times *times)
{
    free(times->all);
    times->all = NULL;
}
