#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"

struct loop {
    cw_task *task;
    void *context;
    cw_next *next; /* hands out the indices; NULL: … */
    size_t n;
    atomic_size_t handed; /* … those below n in their order, and every index below this one was */
    atomic_bool failed;   /* no more are handed out */

    pthread_mutex_t lock; /* of the failure with the lowest index so far: */
    int code;
    size_t index;
    char *message;
};

struct worker {
    struct loop *loop;
    unsigned number;
    pthread_t thread;
};

static unsigned usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)CPU_COUNT(&set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN); /* a machine with more cores than a cpu_set_t holds */
    return online > 0 ? (unsigned)online : 1;
}

unsigned cw_parallel_threads(unsigned n_threads, size_t n)
{
    const unsigned wanted = n_threads > 0 ? n_threads : usable_cores();
    if (wanted <= n) return wanted;
    return n > 0 ? (unsigned)n : 1;
}

static void keep_lowest_failure(struct loop *loop, size_t index, int code)
{
    const char *message = cw_error_message();
    atomic_store(&loop->failed, true);
    pthread_mutex_lock(&loop->lock);
    if (loop->code == 0 || index < loop->index) {
        free(loop->message);
        loop->message = strdup(message);
        loop->code = code;
        loop->index = index;
    }
    pthread_mutex_unlock(&loop->lock);
}

static bool next_index(struct loop *loop, size_t *index)
{
    if (loop->next) return loop->next(loop->context, index);
    *index = atomic_fetch_add_explicit(&loop->handed, 1, memory_order_relaxed);
    return *index < loop->n;
}

/* Whoever was given an index runs it, even after a failure elsewhere: so all below the lowest failure have run, and
 * it is the same for any number of threads. */
static void *work(void *argument)
{
    const struct worker *worker = argument;
    struct loop *loop = worker->loop;
    size_t index;
    while (!atomic_load_explicit(&loop->failed, memory_order_relaxed) && next_index(loop, &index)) {
        int code = cw_interrupt_check();
        if (code == 0) code = loop->task(loop->context, index, worker->number);
        if (code != 0) keep_lowest_failure(loop, index, code);
    }
    return NULL;
}

/* The calling thread is worker 0. Where the system refuses a thread, those there are do all the work. */
static void run_workers(struct loop *loop, struct worker *workers, unsigned n_workers)
{
    unsigned started = 1;
    workers[0] = (struct worker){.loop = loop};
    for (; started < n_workers; started++) {
        struct worker *worker = &workers[started];
        *worker = (struct worker){.loop = loop, .number = started};
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) break;
    }
    work(&workers[0]);
    for (unsigned i = 1; i < started; i++) pthread_join(workers[i].thread, NULL);
}

static int run_parallel(struct loop *loop, unsigned n_workers)
{
    struct worker *workers = cw_new_array(n_workers, sizeof *workers, "threads");
    if (!workers) return CW_ENOMEM;
    pthread_mutex_init(&loop->lock, NULL);
    run_workers(loop, workers, n_workers);
    pthread_mutex_destroy(&loop->lock);
    free(workers);
    if (loop->code != 0) cw_fail(loop->code, "%s", loop->message ? loop->message : "out of memory for a message");
    free(loop->message);
    return loop->code;
}

int cw_parallel_for(unsigned n_threads, size_t n, cw_task *task, void *context)
{
    const unsigned n_workers = cw_parallel_threads(n_threads, n);
    if (n_workers > 1) {
        struct loop loop = {.task = task, .context = context, .n = n};
        return run_parallel(&loop, n_workers);
    }
    for (size_t i = 0; i < n; i++) {
        int code = cw_interrupt_check();
        if (code == 0) code = task(context, i, 0);
        if (code != 0) return code;
    }
    return 0;
}

int cw_parallel_each(unsigned n_threads, cw_next *next, cw_task *task, void *context, size_t *failed)
{
    struct loop loop = {.task = task, .context = context, .next = next, .index = SIZE_MAX};
    const int rc = run_parallel(&loop, n_threads);
    if (rc) *failed = loop.index;
    return rc;
}
