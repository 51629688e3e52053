/* From a setup to a simulation at cycle 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/division.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "sim/flit/flit_module.h"
#include "sim/flit/flit_unit.h"

enum { SWITCHES_A_THREAD = 4, SWITCHES_WORTH_A_THREAD = 24 };

/* --- jobs --------------------------------------------------------------------------------------------------------- */

/* Gives RANK of task INDEX its endpoint. */
static int seat_rank(struct cw_flit_tuned *simulation, size_t index, uint32_t rank)
{
    struct cw_flit_task *task = &simulation->tasks[index];
    const uint32_t endpoint = task->endpoints[rank];
    struct cw_flit_host *host = endpoint < simulation->net->n_endpoints ? simulation->host_of[endpoint] : NULL;
    int rc = cw_flit_check_seat(simulation->net, index, rank, endpoint, host ? host->job : CW_NONE,
                                host ? host->rank : CW_NONE);
    if (!rc)
        rc = cw_flit_task_source(task, &simulation->hardware, rank, host->pace.period, simulation->seed, &host->source);
    if (rc) return rc;
    struct cw_flit_unit *unit = simulation->unit_of[endpoint];
    const bool waits = cw_flit_task_waits(task);
    host->job = (uint32_t)index;
    host->rank = rank;
    if (waits) cw_flit_waiting_begin(task, rank, &host->progress);
    host->wake = waits ? task->job.start : host->source.ready;
    if (host->wake < unit->next_wake) unit->next_wake = host->wake;
    return 0;
}

static int add_job(struct cw_flit_tuned *simulation, const struct cw_flit_job *job, size_t index)
{
    struct cw_flit_task *task = &simulation->tasks[index];
    if (job->kind == CW_FLIT_CONTINUOUS) simulation->endless = true;
    int rc = cw_flit_task_make(task, simulation->net, &simulation->hardware, job, index);
    for (uint32_t rank = 0; rank < job->n_ranks && !rc; rank++) rc = seat_rank(simulation, index, rank);
    return rc;
}

static int add_jobs(struct cw_flit_tuned *simulation, const struct cw_flit_setup *setup)
{
    int rc = 0;
    if (setup->n_jobs == 0) return cw_fail(CW_EUSAGE, "no jobs, expected at least 1");
    simulation->tasks = cw_new_array(setup->n_jobs, sizeof *simulation->tasks, "jobs");
    if (!simulation->tasks) return CW_ENOMEM;
    for (size_t i = 0; i < setup->n_jobs && !rc; i++) {
        simulation->n_tasks = i + 1;
        rc = add_job(simulation, &setup->jobs[i], i);
    }
    return rc;
}

/* --- workers ------------------------------------------------------------------------------------------------------ */

/* What a packet routing sees of the queues: its own switch's as they are, others' as they were a window ago. */
static uint32_t occupancy(const void *simulator, uint32_t channel)
{
    const struct cw_flit_worker *worker = simulator;
    const struct cw_flit_tuned *simulation = worker->simulation;
    const struct cw_flit_unit *unit = worker->unit;
    const uint32_t port = channel - unit->first;
    if (port < unit->radix && unit->in_ports[port].sw == worker->here) return cw_flit_occupancy(simulation, unit, port);
    return simulation->snapshot[(simulation->windows + 1) & 1][channel];
}

/* Gives WORKER its arrays from behind itself on, at BASE; NULL: none. Returns how many bytes they and it take. */
static size_t divide_worker(const struct cw_flit_tuned *simulation, struct cw_flit_worker *worker, char *base)
{
    const size_t words = simulation->max_words, places = words * CW_FLIT_BLOCK;
    const size_t rows = simulation->kinds * CW_FLIT_WINDOW_MAX * places;
    struct cw_division memory = {.base = base};
    cw_divide(&memory, 1, sizeof *worker);
    worker->rows = cw_divide(&memory, rows, sizeof *worker->rows);
    worker->sent = cw_divide(&memory, rows, sizeof *worker->sent);
    worker->choices = cw_divide(&memory, places, sizeof *worker->choices);
    worker->asked = cw_divide(&memory, words, sizeof *worker->asked);
    worker->asked_lanes = cw_divide(&memory, places, sizeof *worker->asked_lanes);
    worker->requests = cw_divide(&memory, places * CW_FLIT_LANES * words, sizeof *worker->requests);
    worker->waking = cw_divide(&memory, CW_FLIT_WINDOW_MAX * words, sizeof *worker->waking);
    worker->turns = cw_divide(&memory, simulation->max_radix + 1, sizeof *worker->turns);
    worker->tasks = cw_divide(&memory, simulation->n_tasks, sizeof *worker->tasks);
    worker->histogram = cw_divide(&memory, CW_FLIT_LATENCY_BINS, sizeof *worker->histogram);
    return memory.used;
}

static int add_worker(struct cw_flit_tuned *simulation)
{
    struct cw_flit_worker measured, *worker = cw_new_pages(divide_worker(simulation, &measured, NULL), "a thread");
    if (!worker) return CW_ENOMEM;
    divide_worker(simulation, worker, (char *)worker);
    worker->simulation = simulation;
    worker->number = simulation->n_workers;
    worker->view = (struct cw_queue_view){.simulator = worker, .occupancy = occupancy};
    simulation->workers[simulation->n_workers++] = worker;
    return 0;
}

static int add_workers(struct cw_flit_tuned *simulation, unsigned n_threads)
{
    const uint32_t least = n_threads == 0 ? SWITCHES_WORTH_A_THREAD : SWITCHES_A_THREAD;
    const unsigned n = cw_parallel_threads(n_threads, cw_network_switches(simulation->net) / least);
    int rc = 0;
    simulation->workers = cw_new_array(n, sizeof(struct cw_flit_worker *), "threads");
    if (!simulation->workers) return CW_ENOMEM;
    while (simulation->n_workers < n && !rc) rc = add_worker(simulation);
    return rc;
}

void cw_flit_worker_fail(struct cw_flit_worker *worker, const struct cw_flit_unit *unit, int code)
{
    const uint32_t index = (uint32_t)(unit - worker->simulation->units);
    if (worker->failure && worker->failed_unit <= index) return;
    free(worker->failure_text);
    worker->failure = code;
    worker->failed_unit = index;
    worker->failure_text = strdup(cw_error_message());
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static int look_at_allocator(struct cw_flit_tuned *simulation)
{
    struct cw_flit_chosen chosen;
    const int rc = cw_flit_module_choose(CW_FLIT_ALLOCATOR, simulation->hardware.allocator, &chosen);
    if (rc) return rc;
    simulation->by_age = strcmp(chosen.module->name, "age") == 0;
    cw_flit_chosen_free(&chosen);
    return 0;
}

static int fill(struct cw_flit_tuned *simulation, const struct cw_flit_setup *setup)
{
    cw_flit_code *codes[CW_FLIT_CODES];
    int rc;
    simulation->code = codes[cw_flit_codes(codes) - 1];
    simulation->routing = setup->routing;
    simulation->net = cw_packet_routing_network(setup->routing);
    simulation->ops = cw_packet_routing_operations(setup->routing);
    simulation->routing_state = cw_packet_routing_state(setup->routing);
    simulation->hardware = setup->hardware;
    simulation->seed = setup->seed;
    simulation->longest = cw_flit_longest_message(setup);
    rc = look_at_allocator(simulation);
    if (!rc) rc = cw_flit_lay_out(simulation);
    if (!rc) rc = add_jobs(simulation, setup);
    if (!rc) rc = add_workers(simulation, setup->n_threads);
    return rc;
}

static void free_tuned(struct cw_flit_simulation *base)
{
    struct cw_flit_tuned *simulation = cw_flit_tuned_of(base);
    for (size_t i = 0; i < simulation->n_arenas; i++) free(simulation->arenas[i]);
    for (size_t i = 0; i < simulation->n_tasks; i++) cw_flit_task_free(&simulation->tasks[i]);
    for (unsigned i = 0; i < simulation->n_workers; i++) {
        free(simulation->workers[i]->failure_text);
        free(simulation->workers[i]);
    }
    free(simulation->tasks);
    free(simulation->workers);
    free(simulation);
}

static int new_tuned(const struct cw_flit_setup *setup, struct cw_flit_simulation **out)
{
    struct cw_flit_tuned *simulation = cw_new_array(1, sizeof *simulation, "a flit simulator");
    if (!simulation) return CW_ENOMEM;
    simulation->base.by = &cw_flit_tuned_implementation;
    const int rc = fill(simulation, setup);
    if (rc)
        free_tuned(&simulation->base);
    else
        *out = &simulation->base;
    return rc;
}

const struct cw_flit_implementation cw_flit_tuned_implementation = {
    .name = "tuned",
    .help = "on several threads, with vector instructions: for all networks, switches as in published dragonflies",
    .new = new_tuned,
    .free = free_tuned,
    .run = cw_flit_tuned_run,
    .reset_counters = cw_flit_tuned_reset_counters,
    .channel_flits = cw_flit_tuned_channel_flits,
    .accepted_by = cw_flit_tuned_accepted_by,
    .injected_by = cw_flit_tuned_injected_by,
    .latency_histogram = cw_flit_tuned_latency_histogram,
    .task = cw_flit_tuned_task,
    .cycle_seconds = cw_flit_tuned_cycle_seconds,
    .memory = cw_flit_tuned_memory,
    .drain_within = cw_flit_tuned_drain_within,
};
