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

enum { SPINS = 2000, QUIET_LIMIT = 10000 }; /* spins take some 40 µs */

struct part {
    _Alignas(128) _Atomic uint64_t left; /* units to be simulated; processors fetch two lines at a time */
    uint32_t begin, end;
};

struct crew {
    struct cw_flit_simulation *simulation;
    uint64_t end;      /* cycle in which the run ends */
    uint64_t patience; /* cycles without a movement that are a stall */
    unsigned n;
    struct part *parts; /* [n] */
    uint64_t from, to;  /* the window */
    bool over;
    int code;
    char *message; /* of the code; whichever thread met it */
    atomic_uint arrived, turn;
    pthread_mutex_t lock;   /* of those who have waited long for the next turn, */
    pthread_cond_t changed; /* and sleep */
};

struct member {
    struct crew *crew;
    struct cw_flit_worker *worker;
    pthread_t thread;
};

struct cw_flit_counts cw_flit_sum(const struct cw_flit_simulation *simulation)
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

static bool task_is_done(const struct cw_flit_simulation *simulation, size_t index, uint64_t *last)
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
    if (task->job.kind == CW_FLIT_SCHEDULE) return sum.accepted == task->flits;
    return sum.exhausted == task->job.n_ranks && sum.accepted == sum.injected;
}

static void look_for_done_tasks(struct cw_flit_simulation *simulation)
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
static int look_for_failure(struct cw_flit_simulation *simulation)
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
static bool is_stalled(struct crew *crew)
{
    struct cw_flit_simulation *simulation = crew->simulation;
    const struct cw_flit_counts sum = cw_flit_sum(simulation);
    const uint64_t moved = sum.hops + sum.injected + sum.accepted;
    simulation->quiet = moved == simulation->moved ? simulation->quiet + (crew->to - crew->from) : 0;
    simulation->moved = moved;
    return sum.injected > sum.accepted && simulation->quiet >= crew->patience;
}

/* BEGIN … END - 1, in one number. */
static uint64_t range(uint32_t begin, uint32_t end)
{
    return (uint64_t)end << 32 | begin;
}

static void begin_window(struct crew *crew)
{
    const uint64_t window = crew->simulation->window;
    crew->from = crew->simulation->cycle;
    crew->to = crew->from / window * window + window; /* windows begin at their multiples */
    if (crew->to > crew->end) crew->to = crew->end;
    for (unsigned i = 0; i < crew->n; i++)
        atomic_store_explicit(&crew->parts[i].left, range(crew->parts[i].begin, crew->parts[i].end),
                              memory_order_relaxed);
}

/* One thread does this while the others wait. */
static void conclude_window(struct crew *crew)
{
    struct cw_flit_simulation *simulation = crew->simulation;
    simulation->cycle = crew->to;
    simulation->windows++;
    crew->code = look_for_failure(simulation);
    look_for_done_tasks(simulation);
    if (!crew->code && is_stalled(crew)) crew->code = cw_flit_stall(simulation);
    if (!crew->code) crew->code = cw_interrupt_check();
    if (crew->code) crew->message = strdup(cw_error_message());
    crew->over = crew->code || (simulation->finished && !simulation->draining) || simulation->cycle == crew->end;
    if (!crew->over) begin_window(crew);
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

static bool is_over(struct crew *crew, unsigned turn)
{
    return atomic_load_explicit(&crew->turn, memory_order_acquire) != turn;
}

/* Waits until TURN is over. Mostly that is soon; but where others compute, one who is late may be waiting for this very
 * core. */
static void wait_out(struct crew *crew, unsigned turn)
{
    for (int i = 0; i < SPINS; i++) {
        if (is_over(crew, turn)) return;
        relax();
    }
    pthread_mutex_lock(&crew->lock);
    while (!is_over(crew, turn)) pthread_cond_wait(&crew->changed, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

static void begin_turn(struct crew *crew, unsigned turn)
{
    pthread_mutex_lock(&crew->lock);
    atomic_store_explicit(&crew->turn, turn, memory_order_release);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

/* The last to arrive concludes the window. */
static void meet(struct crew *crew)
{
    const unsigned turn = atomic_load_explicit(&crew->turn, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&crew->arrived, 1, memory_order_acq_rel) + 1 < crew->n) {
        wait_out(crew, turn);
        return;
    }
    atomic_store_explicit(&crew->arrived, 0, memory_order_relaxed);
    conclude_window(crew);
    begin_turn(crew, turn + 1);
}

/* Simulates units of PART as long as there are some left: from the front, if it is the worker's own, else from the
 * back, where it disturbs the owner least. */
static void simulate_part(struct crew *crew, struct cw_flit_worker *worker, struct part *part, bool own)
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
        struct cw_flit_unit *unit = &crew->simulation->units[own ? begin : end - 1];
        worker->next = n > 1 ? unit + step : NULL;
        worker->after = n > 2 ? unit + 2 * step : NULL;
        cw_flit_advance(worker, unit, crew->from, crew->to);
    }
}

static void simulate(struct crew *crew, struct cw_flit_worker *worker)
{
    while (!crew->over) {
        for (unsigned k = 0; k < crew->n; k++)
            simulate_part(crew, worker, &crew->parts[(worker->number + k) % crew->n], k == 0);
        meet(crew);
    }
}

static void *work(void *argument)
{
    const struct member *member = argument;
    struct crew *crew = member->crew;
    wait_out(crew, 0);
    if (member->worker->number < crew->n) simulate(crew, member->worker);
    return NULL;
}

/* Contiguous parts of about as many ports each. */
static void divide(struct crew *crew)
{
    const struct cw_flit_simulation *simulation = crew->simulation;
    uint64_t total = 0, passed = 0;
    for (uint32_t i = 0; i < simulation->n_units; i++) total += simulation->units[i].radix;
    uint32_t unit = 0;
    for (unsigned k = 0; k < crew->n; k++) {
        crew->parts[k].begin = unit;
        while (unit < simulation->n_units && (passed < total * (k + 1) / crew->n || k + 1 == crew->n))
            passed += simulation->units[unit++].radix;
        crew->parts[k].end = unit;
    }
}

/* Runs CREW on its members; where the system refuses threads those there are do all the work. */
static void run_crew(struct crew *crew, struct member *members)
{
    struct cw_flit_simulation *simulation = crew->simulation;
    unsigned started = 1;
    for (; started < simulation->n_workers; started++) {
        struct member *member = &members[started];
        *member = (struct member){.crew = crew, .worker = simulation->workers[started]};
        if (pthread_create(&member->thread, NULL, work, member) != 0) break;
    }
    crew->n = started;
    divide(crew);
    begin_window(crew);
    begin_turn(crew, 1);
    simulate(crew, simulation->workers[0]);
    for (unsigned i = 1; i < started; i++) pthread_join(members[i].thread, NULL);
}

int cw_flit_run_windows(struct cw_flit_simulation *simulation, uint64_t cycles)
{
    struct crew crew = {.simulation = simulation,
                        .end = simulation->cycle + cycles,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER};
    const uint64_t settle = 2 * (uint64_t)simulation->max_delay + simulation->max_period / CW_FLIT_CYCLE + 2;
    crew.patience = cycles < QUIET_LIMIT ? cycles : QUIET_LIMIT;
    if (crew.patience < settle) crew.patience = settle;
    if (cycles == 0) return 0;
    crew.parts = cw_new_pages(simulation->n_workers * sizeof *crew.parts, "threads");
    struct member *members = cw_new_array(simulation->n_workers, sizeof *members, "threads");
    if (crew.parts && members) run_crew(&crew, members);
    const int code = crew.parts && members ? crew.code : CW_ENOMEM;
    free(crew.parts);
    free(members);
    if (crew.message) cw_fail(code, "%s", crew.message);
    free(crew.message);
    return code;
}
