#include "nbc/nbc_emulate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "nbc/nbc_segment_internal.h"
#include "nbc/nbc_worker.h"

#define SLICES 64  /* pieces of a message that ranks and workers share; an edge of a tree is one */
#define NAP    .02 /* s; whoever waits is woken earlier */

enum { WAIT, GO, GIVE_UP };

struct emulation {
    const struct cw_nbc_emulation *setup;
    struct cw_nbc_node *node;
    uint32_t comm;
    _Atomic uint32_t start; /* WAIT, GO or GIVE_UP */
};

struct rank {
    struct emulation *emulation;
    uint32_t me;
    double end; /* s */
    pthread_t thread;
};

static void compute(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void *run(void *argument)
{
    struct rank *rank = argument;
    struct emulation *e = rank->emulation;
    const struct cw_nbc_emulation *setup = e->setup;
    const struct cw_nbc_executor executor = {.node = e->node, .core = UINT32_MAX};
    const struct cw_nbc_work work = {.collective = setup->collective,
                                     .bytes = setup->schedule == CW_NBC_SPLIT_TREE ? 1 : SLICES,
                                     .chunk = 1,
                                     .schedule = setup->schedule,
                                     .radix = setup->radix,
                                     .steps = setup->steps,
                                     .fraction = setup->fraction};
    bool done = false;
    while (e->start == WAIT) cw_nbc_futex_wait(&e->start, WAIT, 0);
    if (e->start == GIVE_UP) return NULL;
    cw_nbc_post(e->node, e->comm, rank->me, 0, &work, &(struct cw_nbc_part){.in_place = true}, &done);
    while (cw_nbc_has_start(&work) && cw_nbc_advance(&executor, e->comm, rank->me, 0)) {
    }
    compute(setup->compute * setup->unit);
    for (;;) {
        const uint32_t bell = cw_nbc_bell(e->node, e->comm, rank->me, 0);
        cw_nbc_poll(e->node, e->comm, rank->me, 0, &done);
        if (done) break;
        if (!cw_nbc_advance(&executor, e->comm, rank->me, 0)) cw_nbc_sleep(e->node, e->comm, rank->me, 0, bell, NAP);
    }
    rank->end = cw_stopwatch_now();
    return NULL;
}

/* Nobody starts before all are there; this thread says when, or that some could not be made. */
static int run_ranks(struct emulation *e, struct rank *ranks, double *seconds)
{
    uint32_t started = 0;
    int error = 0;
    while (started < e->setup->n && !error) {
        ranks[started] = (struct rank){.emulation = e, .me = started};
        error = pthread_create(&ranks[started].thread, NULL, run, &ranks[started]);
        if (!error) started++;
    }
    compute(0.01); /* until they wait */
    const double begin = cw_stopwatch_now();
    e->start = error ? GIVE_UP : GO;
    cw_nbc_futex_wake(&e->start);
    *seconds = 0;
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(ranks[i].thread, NULL);
        if (ranks[i].end - begin > *seconds) *seconds = ranks[i].end - begin;
    }
    return error ? cw_fail(CW_EIO, "%u threads cannot be had: %s", e->setup->n, strerror(error)) : 0;
}

static int emulate(struct emulation *e, struct cw_nbc_worker **workers, struct rank *ranks, double *seconds)
{
    const uint32_t n = e->setup->n;
    int rc = cw_nbc_node_new(n, e->setup->communication, &e->node);
    if (rc) return rc;
    uint32_t *members = cw_new_array(n, sizeof *members, "ranks");
    if (!members) return CW_ENOMEM;
    e->node->delay = e->setup->unit;
    for (uint32_t i = 0; i < n; i++) cw_nbc_node_join(e->node, members[i] = i);
    rc = cw_nbc_comm_join(e->node, 1, n, members, &e->comm);
    free(members);
    for (uint32_t i = 0; i < e->setup->communication && !rc; i++)
        rc = cw_nbc_worker_start(e->node, i, -1, 0, &workers[i]);
    return rc ? rc : run_ranks(e, ranks, seconds);
}

int cw_nbc_emulate(const struct cw_nbc_emulation *setup, double *time)
{
    struct emulation e = {.setup = setup};
    double seconds;
    if (!cw_collectives[setup->collective].tree)
        return cw_fail(CW_EUSAGE, "%s has no tree, and is not emulated", cw_collectives[setup->collective].name);
    if (setup->n < 1 || setup->communication < 1 || !(setup->unit > 0) || !(setup->compute >= 0))
        return cw_fail(CW_EUSAGE,
                       "an emulation needs a rank, a communication core, a unit above 0 and computation ≥ 0");
    struct cw_nbc_worker **workers = cw_new_array(setup->communication, sizeof(struct cw_nbc_worker *), "workers");
    struct rank *ranks = cw_new_array(setup->n, sizeof *ranks, "ranks");
    int rc = workers && ranks ? emulate(&e, workers, ranks, &seconds) : CW_ENOMEM;
    for (uint32_t i = 0; workers && i < setup->communication; i++) cw_nbc_worker_stop(workers[i]);
    free(workers);
    free(ranks);
    cw_nbc_node_free(e.node);
    if (!rc) *time = seconds / setup->unit;
    return rc;
}
