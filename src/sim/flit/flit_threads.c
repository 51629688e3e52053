/*
 * Windows of cycles on several threads. In a window no unit sees what another does in it, so any thread may take any
 * unit; each takes first those of its own part of the network, which its caches hold, and then helps the others. The
 * last to be through concludes the window while the others wait.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "sim/flit/flit_internal.h"

enum { SPINS = 2000, IDLE_LIMIT = 10000 }; /* spins take some 40 µs */

struct part {
    _Alignas(128) _Atomic uint64_t left; /* units to be simulated; processors fetch two lines at a time */
    uint32_t begin, end;
};

struct run {
    struct cw_flit_tuned *simulation;
    uint64_t end;       /* cycle in which the run ends */
    uint64_t patience;  /* cycles without a movement that are a stall */
    unsigned n;         /* threads */
    struct part *parts; /* [n] */
    uint64_t from, to;  /* the window */
    bool over;
    int code;
    char *message; /* of the code; whichever thread found it */
    atomic_uint arrived, phase;
    pthread_mutex_t lock;   /* of those that sleep, having waited long for the next phase */
    pthread_cond_t changed; /* wakes them */
};

struct thread {
    struct run *run;
    struct cw_flit_worker *worker;
    pthread_t handle;
};

struct cw_flit_counts cw_flit_sum(const struct cw_flit_tuned *simulation)
{
    struct cw_flit_counts sum = {0};
    for (unsigned w = 0; w < simulation->n_workers; w++) {
        const struct cw_flit_counts *counts = &simulation->workers[w]->counts;
        sum.injected += counts->injected;
        sum.accepted += counts->accepted;
        sum.messages += counts->messages;
        sum.latency += counts->latency;
        sum.network_latency += counts->network_latency;
        sum.hops += counts->hops;
        sum.injected_sum += counts->injected_sum;
        sum.accepted_sum += counts->accepted_sum;
    }
    return sum;
}

/* --- between windows ---------------------------------------------------------------------------------------------- */

static bool task_is_done(const struct cw_flit_tuned *simulation, size_t index, uint64_t *last)
{
    const struct cw_flit_task *task = &simulation->tasks[index];
    struct cw_flit_task_counts sum = {0};
    for (unsigned w = 0; w < simulation->n_workers; w++) {
        const struct cw_flit_task_counts *counts = &simulation->workers[w]->tasks[index];
        sum.injected += counts->injected;
        sum.accepted += counts->accepted;
        sum.exhausted += counts->exhausted;
        if (counts->last > sum.last) sum.last = counts->last;
    }
    *last = sum.last;
    if (cw_flit_task_waits(task)) return sum.accepted == task->flits;
    return sum.exhausted == task->job.n_ranks && sum.accepted == sum.injected;
}

static void look_for_done_tasks(struct cw_flit_tuned *simulation)
{
    simulation->finished = !simulation->endless;
    for (size_t i = 0; i < simulation->n_tasks; i++) {
        struct cw_flit_task *task = &simulation->tasks[i];
        uint64_t last;
        if (task->job.kind == CW_FLIT_CONTINUOUS || task->done != UINT64_MAX) continue;
        if (task_is_done(simulation, i, &last))
            task->done = last > task->job.start ? last : task->job.start;
        else
            simulation->finished = false;
    }
}

/* The failure of the least unit: the same for any number of threads. */
static int look_for_failure(struct cw_flit_tuned *simulation)
{
    const struct cw_flit_worker *first = NULL;
    for (unsigned w = 0; w < simulation->n_workers; w++) {
        const struct cw_flit_worker *worker = simulation->workers[w];
        if (worker->failure && (!first || worker->failed_unit < first->failed_unit)) first = worker;
    }
    if (!first) return 0;
    simulation->failure = first->failure;
    return cw_fail(first->failure, "%s", first->failure_text ? first->failure_text : "out of memory for a message");
}

/* Flits are in the network, and none has moved for too long. */
static bool is_stalled(struct run *run)
{
    struct cw_flit_tuned *simulation = run->simulation;
    const struct cw_flit_counts sum = cw_flit_sum(simulation);
    const uint64_t moved = sum.hops + sum.injected + sum.accepted;
    simulation->idle_cycles = moved == simulation->moved ? simulation->idle_cycles + (run->to - run->from) : 0;
    simulation->moved = moved;
    return sum.injected > sum.accepted && simulation->idle_cycles >= run->patience;
}

/* BEGIN … END - 1, in one number. */
static uint64_t range(uint32_t begin, uint32_t end)
{
    return (uint64_t)end << 32 | begin;
}

static void begin_window(struct run *run)
{
    const uint64_t window = run->simulation->window;
    run->from = run->simulation->cycle;
    run->to = run->from / window * window + window; /* windows begin at their multiples */
    if (run->to > run->end) run->to = run->end;
    for (unsigned i = 0; i < run->n; i++)
        atomic_store_explicit(&run->parts[i].left, range(run->parts[i].begin, run->parts[i].end), memory_order_relaxed);
}

/* One thread does this while the others wait. */
static void conclude_window(struct run *run)
{
    struct cw_flit_tuned *simulation = run->simulation;
    simulation->cycle = run->to;
    simulation->windows++;
    run->code = look_for_failure(simulation);
    look_for_done_tasks(simulation);
    if (!run->code && is_stalled(run)) run->code = cw_flit_stall(simulation);
    if (!run->code) run->code = cw_interrupt_check();
    if (run->code) run->message = strdup(cw_error_message());
    run->over = run->code || (simulation->finished && !simulation->draining) || simulation->cycle == run->end;
    if (!run->over) begin_window(run);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool phase_is_over(struct run *run, unsigned phase)
{
    return atomic_load_explicit(&run->phase, memory_order_acquire) != phase;
}

/* Waits until TURN is over. Mostly that is soon; but where others compute, one who is late may be waiting for this very
 * core. */
static void wait_for_phase(struct run *run, unsigned phase)
{
    for (int i = 0; i < SPINS; i++) {
        if (phase_is_over(run, phase)) return;
        relax();
    }
    pthread_mutex_lock(&run->lock);
    while (!phase_is_over(run, phase)) pthread_cond_wait(&run->changed, &run->lock);
    pthread_mutex_unlock(&run->lock);
}

static void begin_phase(struct run *run, unsigned phase)
{
    pthread_mutex_lock(&run->lock);
    atomic_store_explicit(&run->phase, phase, memory_order_release);
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

/* The last to arrive concludes the window. */
static void wait_at_barrier(struct run *run)
{
    const unsigned phase = atomic_load_explicit(&run->phase, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&run->arrived, 1, memory_order_acq_rel) + 1 < run->n) {
        wait_for_phase(run, phase);
        return;
    }
    atomic_store_explicit(&run->arrived, 0, memory_order_relaxed);
    conclude_window(run);
    begin_phase(run, phase + 1);
}

/* Simulates units of PART as long as there are some left: from the front, if it is the worker's own, else from the
 * back, where it disturbs the owner least. */
static void simulate_part(struct run *run, struct cw_flit_worker *worker, struct part *part, bool own)
{
    const int step = own ? 1 : -1;
    for (;;) {
        uint64_t left = atomic_load_explicit(&part->left, memory_order_relaxed);
        const uint32_t begin = (uint32_t)left, end = (uint32_t)(left >> 32), n = begin < end ? end - begin : 0;
        const uint64_t rest = own ? range(begin + 1, end) : range(begin, end - 1);
        if (n == 0) return;
        if (!atomic_compare_exchange_weak_explicit(&part->left, &left, rest, memory_order_relaxed,
                                                   memory_order_relaxed))
            continue;
        struct cw_flit_unit *unit = &run->simulation->units[own ? begin : end - 1];
        worker->next = n > 1 ? unit + step : NULL;
        worker->after = n > 2 ? unit + 2 * step : NULL;
        cw_flit_advance(worker, unit, run->from, run->to);
    }
}

static void simulate(struct run *run, struct cw_flit_worker *worker)
{
    while (!run->over) {
        for (unsigned k = 0; k < run->n; k++)
            simulate_part(run, worker, &run->parts[(worker->number + k) % run->n], k == 0);
        wait_at_barrier(run);
    }
}

static void *work(void *argument)
{
    const struct thread *thread = argument;
    struct run *run = thread->run;
    wait_for_phase(run, 0);
    if (thread->worker->number < run->n) simulate(run, thread->worker);
    return NULL;
}

/* Contiguous parts of about as many ports each. */
static void divide(struct run *run)
{
    const struct cw_flit_tuned *simulation = run->simulation;
    uint64_t total = 0, passed = 0;
    for (uint32_t i = 0; i < simulation->n_units; i++) total += simulation->units[i].radix;
    uint32_t unit = 0;
    for (unsigned k = 0; k < run->n; k++) {
        run->parts[k].begin = unit;
        while (unit < simulation->n_units && (passed < total * (k + 1) / run->n || k + 1 == run->n))
            passed += simulation->units[unit++].radix;
        run->parts[k].end = unit;
    }
}

/* Runs RUN on THREADS; where the system refuses some, those there are do all the work. */
static void run_threads(struct run *run, struct thread *threads)
{
    struct cw_flit_tuned *simulation = run->simulation;
    unsigned started = 1;
    for (; started < simulation->n_workers; started++) {
        struct thread *thread = &threads[started];
        *thread = (struct thread){.run = run, .worker = simulation->workers[started]};
        if (pthread_create(&thread->handle, NULL, work, thread) != 0) break;
    }
    run->n = started;
    divide(run);
    begin_window(run);
    begin_phase(run, 1);
    simulate(run, simulation->workers[0]);
    for (unsigned i = 1; i < started; i++) pthread_join(threads[i].handle, NULL);
}

int cw_flit_run_windows(struct cw_flit_tuned *simulation, uint64_t cycles)
{
    struct run run = {.simulation = simulation,
                      .end = simulation->cycle + cycles,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER};
    const uint64_t settle = 2 * (uint64_t)simulation->max_delay + simulation->max_period / CW_FLIT_CYCLE + 2;
    run.patience = cycles < IDLE_LIMIT ? cycles : IDLE_LIMIT;
    if (run.patience < settle) run.patience = settle;
    if (cycles == 0) return 0;
    run.parts = cw_new_pages(simulation->n_workers * sizeof *run.parts, "threads");
    struct thread *threads = cw_new_array(simulation->n_workers, sizeof *threads, "threads");
    if (run.parts && threads) run_threads(&run, threads);
    const int code = run.parts && threads ? run.code : CW_ENOMEM;
    free(run.parts);
    free(threads);
    if (run.message) cw_fail(code, "%s", run.message);
    free(run.message);
    return code;
}
