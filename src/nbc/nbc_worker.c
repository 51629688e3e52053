#include "nbc/nbc_worker.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "nbc/nbc_segment_internal.h"
#include "nbc/nbc_thread_internal.h"

#define GLANCE 20e-6 /* s of sleep between two looks aside, where cores are shared; … */
#define DOZE   0.25  /* … and where there is nothing to wait for */

struct cw_nbc_worker {
    struct cw_nbc_executor executor;
    _Atomic bool stop;
    double spin;
    pthread_t thread;
    cw_nbc_aside *_Atomic aside; /* set after its state */
    void *aside_state;
};

/* One piece of each operation that has one to give, the oldest first. */
static bool scan(const struct cw_nbc_executor *executor)
{
    struct cw_nbc_node *node = executor->node;
    bool any = false;
    for (uint32_t index = 0; index < node->segment->n_comms; index++) {
        const struct comm *comm = comm_at(node, index);
        const uint64_t active = comm->active, oldest = comm->latest + 1; /* + 1 - CW_NBC_RING: the same slot */
        for (uint64_t i = 0; active && i < CW_NBC_RING; i++) {
            const uint64_t bit = (oldest + i) % CW_NBC_RING;
            if (active >> bit & 1) any |= cw_nbc_serve(executor, index, bit);
        }
    }
    return any;
}

/* Until there is news, or the time for polling is over. */
static void await_news(const struct cw_nbc_worker *worker, uint32_t news)
{
    struct segment *segment = worker->executor.node->segment;
    const double end = cw_stopwatch_now() + worker->spin;
    while (worker->spin > 0 && segment->news == news && !worker->stop && cw_stopwatch_now() < end)
        for (volatile int i = 0; i < 20; i++) {
        }
    if (segment->news != news || worker->stop) return;
    segment->sleepers++;
    cw_nbc_futex_wait(&segment->news, news, worker->aside ? DOZE : 0);
    segment->sleepers--;
}

/* Until there is news, or at most so long. */
static void glance(const struct cw_nbc_worker *worker, uint32_t news)
{
    struct segment *segment = worker->executor.node->segment;
    if (worker->spin > 0) return;
    segment->sleepers++;
    cw_nbc_futex_wait(&segment->news, news, GLANCE);
    segment->sleepers--;
}

static void *work(void *argument)
{
    struct cw_nbc_worker *worker = argument;
    while (!worker->stop) {
        const uint32_t news = worker->executor.node->segment->news;
        cw_nbc_aside *aside = worker->aside;
        const bool any = scan(&worker->executor);
        const enum cw_nbc_beside beside = aside ? aside(worker->aside_state) : CW_NBC_NOTHING;
        if (any || beside == CW_NBC_SOMETHING) continue;
        if (beside == CW_NBC_WAITING)
            glance(worker, news);
        else
            await_news(worker, news);
    }
    return NULL;
}

void cw_nbc_worker_also(struct cw_nbc_worker *worker, cw_nbc_aside *aside, void *state)
{
    worker->aside_state = state;
    worker->aside = aside;
    cw_nbc_tell(worker->executor.node);
}

int cw_nbc_worker_start(struct cw_nbc_node *node, uint32_t core, int cpu, double spin, struct cw_nbc_worker **out)
{
    struct cw_nbc_worker *worker = cw_new_array(1, sizeof *worker, "a worker");
    if (!worker) return CW_ENOMEM;
    worker->spin = spin;
    worker->executor = (struct cw_nbc_executor){node, core, cw_nbc_worker_buffers(node, core)};
    cpu_set_t one;
    CPU_ZERO(&one);
    if (cpu >= 0) CPU_SET((size_t)cpu, &one);
    int rc = cw_nbc_thread_start(work, worker, cpu >= 0 ? &one : NULL, &worker->thread);
    if (!rc) *out = worker;
    if (rc) free(worker);
    return rc;
}

void cw_nbc_worker_stop(struct cw_nbc_worker *worker)
{
    if (!worker) return;
    worker->stop = true;
    cw_nbc_tell(worker->executor.node);
    pthread_join(worker->thread, NULL);
    free(worker);
}
