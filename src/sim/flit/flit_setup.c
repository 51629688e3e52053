/* From a setup to a simulation at cycle 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/division.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "sim/flit/flit_unit.h"

enum { SPEEDUP_MAX = 8, SWITCHES_A_THREAD = 4, SWITCHES_WORTH_A_THREAD = 24 };

/* --- checks ------------------------------------------------------------------------------------------------------- */

static int check_count(const char *name, uint32_t value, uint32_t max)
{
    if (value >= 1 && value <= max) return 0;
    return cw_fail(CW_EUSAGE, "%s of %u, expected 1 to %u", name, value, max);
}

static int check_hardware(const struct cw_flit_hardware *hardware)
{
    int rc = check_count("flits", hardware->flit_bytes, 1u << 20);
    if (!rc) rc = check_count("input queues", hardware->input_flits, CW_FLIT_BUFFER_MAX);
    if (!rc) rc = check_count("output queues", hardware->output_flits, CW_FLIT_BUFFER_MAX);
    if (!rc) rc = check_count("a crossbar speed-up", hardware->speedup, SPEEDUP_MAX);
    if (!rc) rc = check_count("injection lanes", hardware->injection_lanes, CW_FLIT_LANES);
    if (!rc) rc = check_count("a switch pipeline", hardware->pipeline, CW_FLIT_LATENCY_MAX);
    if (!rc && hardware->host_latency > 0)
        rc = check_count("a host latency", hardware->host_latency, CW_FLIT_LATENCY_MAX);
    if (!rc && hardware->local_latency > 0)
        rc = check_count("a local latency", hardware->local_latency, CW_FLIT_LATENCY_MAX);
    if (!rc && hardware->global_latency > 0)
        rc = check_count("a global latency", hardware->global_latency, CW_FLIT_LATENCY_MAX);
    if (!rc && hardware->allocator != CW_FLIT_ROUND_ROBIN && hardware->allocator != CW_FLIT_AGE)
        rc = cw_fail(CW_EUSAGE, "an allocator %d, which there is not", (int)hardware->allocator);
    if (!rc && !(hardware->reference_capacity > 0))
        rc = cw_fail(CW_EUSAGE, "a reference capacity of %g byte/s, expected a positive one",
                     hardware->reference_capacity);
    return rc;
}

static int check_message(const struct cw_flit_hardware *hardware, size_t job, uint32_t flits)
{
    const uint32_t least =
        hardware->input_flits < hardware->output_flits ? hardware->input_flits : hardware->output_flits;
    if (flits == 0) return cw_fail(CW_EUSAGE, "job %zu sends messages of 0 flits, expected at least 1", job);
    if (flits > CW_FLIT_MESSAGE_MAX)
        return cw_fail(CW_EUSAGE, "job %zu sends messages of %u flits, expected at most %d", job, flits,
                       CW_FLIT_MESSAGE_MAX);
    if (flits > least)
        return cw_fail(CW_EUSAGE, "job %zu sends messages of %u flits, but queues hold %u: a message must fit into one",
                       job, flits, least);
    return 0;
}

static int check_workload(const struct cw_flit_job *job, size_t index)
{
    if (!(job->load > 0 && job->load <= 1))
        return cw_fail(CW_EUSAGE, "job %zu offers a load of %g, expected more than 0 and at most 1", index, job->load);
    if (!job->workload) return cw_fail(CW_EUSAGE, "job %zu has no workload", index);
    if (cw_workload_ranks(job->workload) != job->n_ranks)
        return cw_fail(CW_EUSAGE, "job %zu has %u ranks, but its workload %s is for %u", index, job->n_ranks,
                       cw_workload_spec(job->workload), cw_workload_ranks(job->workload));
    if (job->kind == CW_FLIT_FINITE && job->bytes == 0)
        return cw_fail(CW_EUSAGE, "job %zu sends 0 bytes a rank, expected at least 1", index);
    return 0;
}

static int check_job(const struct cw_flit_simulation *simulation, const struct cw_flit_job *job, size_t index)
{
    if (job->n_ranks == 0) return cw_fail(CW_EUSAGE, "job %zu has 0 ranks, expected at least 1", index);
    if (job->kind != CW_FLIT_SCHEDULE) {
        const int rc = check_workload(job, index);
        if (rc) return rc;
    } else if (!job->schedule) {
        return cw_fail(CW_EUSAGE, "job %zu has no schedule", index);
    }
    return check_message(&simulation->hardware, index, job->message_flits);
}

/* --- jobs --------------------------------------------------------------------------------------------------------- */

/* The gaps between messages of TASK on channels of PERIOD; NULL without memory. */
static const struct cw_flit_gaps *gaps_for(struct cw_flit_task *task, uint64_t period)
{
    for (const struct cw_flit_gaps *gaps = task->gaps; gaps; gaps = gaps->next)
        if (gaps->period == period) return gaps;
    struct cw_flit_gaps *gaps = cw_new_array(1, sizeof *gaps, "times between messages");
    if (!gaps) return NULL;
    cw_flit_gaps_fill(gaps, &task->job, period);
    gaps->next = task->gaps;
    task->gaps = gaps;
    return gaps;
}

/* Gives RANK of task INDEX its endpoint. */
static int seat_rank(struct cw_flit_simulation *simulation, size_t index, uint32_t rank)
{
    struct cw_flit_task *task = &simulation->tasks[index];
    const uint32_t endpoint = task->endpoints[rank];
    if (endpoint >= simulation->net->n_endpoints)
        return cw_fail(CW_EUSAGE, "rank %u of job %zu is on endpoint %u, but the network has %u endpoints", rank, index,
                       endpoint, simulation->net->n_endpoints);
    struct cw_flit_host *host = simulation->host_of[endpoint];
    struct cw_flit_unit *unit = simulation->unit_of[endpoint];
    char name[CW_NAME_SIZE];
    cw_network_name(simulation->net, endpoint, name, sizeof name);
    if (!host)
        return cw_fail(CW_EUSAGE, "rank %u of job %zu is on %s, which has no cable to a switch", rank, index, name);
    if (host->job != CW_NONE)
        return cw_fail(CW_EUSAGE, "rank %u of job %zu is on %s, where rank %u of job %u is already", rank, index, name,
                       host->rank, host->job);
    host->job = (uint32_t)index;
    host->rank = rank;
    if (task->job.kind == CW_FLIT_SCHEDULE) {
        struct cw_random random = cw_random_of(simulation->seed, CW_STREAM_SAMPLE, endpoint);
        host->source = (struct cw_flit_source){.ready = UINT64_MAX, .key = cw_random_u64(&random)};
        cw_flit_schedule_begin(task, host);
        host->wake = task->job.start;
    } else {
        const struct cw_flit_gaps *gaps = gaps_for(task, host->pace.period);
        if (!gaps) return CW_ENOMEM;
        host->source = cw_flit_source_of(&task->job, gaps, rank, simulation->hardware.flit_bytes, simulation->seed);
        host->wake = host->source.ready;
    }
    if (host->wake < unit->next_wake) unit->next_wake = host->wake;
    return 0;
}

static int add_job(struct cw_flit_simulation *simulation, const struct cw_flit_job *job, size_t index)
{
    struct cw_flit_task *task = &simulation->tasks[index];
    *task = (struct cw_flit_task){.job = *job, .done = UINT64_MAX};
    if (job->kind == CW_FLIT_SCHEDULE && job->message_flits == 0) task->job.message_flits = 1;
    if (job->kind == CW_FLIT_CONTINUOUS) simulation->endless = true;
    int rc = check_job(simulation, &task->job, index);
    if (rc) return rc;
    task->endpoints = cw_new_array(job->n_ranks, sizeof *task->endpoints, "endpoints of a job");
    if (!task->endpoints) return CW_ENOMEM;
    memcpy(task->endpoints, job->endpoints, job->n_ranks * sizeof *task->endpoints);
    task->job.endpoints = task->endpoints;
    if (job->kind == CW_FLIT_SCHEDULE) rc = cw_flit_plan(task, simulation->hardware.flit_bytes);
    for (uint32_t rank = 0; rank < job->n_ranks && !rc; rank++) rc = seat_rank(simulation, index, rank);
    return rc;
}

static int add_jobs(struct cw_flit_simulation *simulation, const struct cw_flit_setup *setup)
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

static uint32_t longest_message(const struct cw_flit_setup *setup)
{
    uint32_t longest = 1;
    for (size_t i = 0; i < setup->n_jobs; i++)
        if (setup->jobs[i].message_flits > longest) longest = setup->jobs[i].message_flits;
    return longest;
}

/* --- workers ------------------------------------------------------------------------------------------------------ */

/* What a packet routing sees of the queues: its own switch's as they are, others' as they were a window ago. */
static uint32_t occupancy(const void *simulator, uint32_t channel)
{
    const struct cw_flit_worker *worker = simulator;
    const struct cw_flit_simulation *simulation = worker->simulation;
    const struct cw_flit_unit *unit = worker->unit;
    const uint32_t port = channel - unit->first;
    if (port < unit->radix && unit->in_ports[port].sw == worker->here) return cw_flit_occupancy(simulation, unit, port);
    return simulation->snapshot[(simulation->windows + 1) & 1][channel];
}

/* Gives WORKER its arrays from behind itself on, at BASE; NULL: none. Returns how many bytes they and it take. */
static size_t divide_worker(const struct cw_flit_simulation *simulation, struct cw_flit_worker *worker, char *base)
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

static int add_worker(struct cw_flit_simulation *simulation)
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

static int add_workers(struct cw_flit_simulation *simulation, unsigned n_threads)
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

static int fill(struct cw_flit_simulation *simulation, const struct cw_flit_setup *setup)
{
    cw_flit_code *codes[CW_FLIT_CODES];
    int rc = check_hardware(&setup->hardware);
    if (rc) return rc;
    simulation->code = codes[cw_flit_codes(codes) - 1];
    simulation->routing = setup->routing;
    simulation->net = cw_packet_routing_network(setup->routing);
    simulation->ops = cw_packet_routing_operations(setup->routing);
    simulation->routing_state = cw_packet_routing_state(setup->routing);
    simulation->hardware = setup->hardware;
    simulation->seed = setup->seed;
    simulation->longest = longest_message(setup);
    rc = cw_flit_lay_out(simulation);
    if (!rc) rc = add_jobs(simulation, setup);
    if (!rc) rc = add_workers(simulation, setup->n_threads);
    return rc;
}

int cw_flit_new_unchecked(const struct cw_flit_setup *setup, struct cw_flit_simulation **out)
{
    const int given = cw_check_given(setup->routing, "routing");
    if (given) return given;
    struct cw_flit_simulation *simulation = cw_new_array(1, sizeof *simulation, "a flit simulator");
    if (!simulation) return CW_ENOMEM;
    const int rc = fill(simulation, setup);
    if (rc)
        cw_flit_free(simulation);
    else
        *out = simulation;
    return rc;
}

int cw_flit_new(const struct cw_flit_setup *setup, struct cw_flit_simulation **out)
{
    struct cw_flit_simulation *simulation;
    int rc = cw_flit_new_unchecked(setup, &simulation);
    if (rc) return rc;
    rc = cw_packet_routing_check(setup->routing);
    if (rc)
        cw_flit_free(simulation);
    else
        *out = simulation;
    return rc;
}

static void free_gaps(struct cw_flit_gaps *gaps)
{
    while (gaps) {
        struct cw_flit_gaps *next = gaps->next;
        free(gaps);
        gaps = next;
    }
}

void cw_flit_free(struct cw_flit_simulation *simulation)
{
    if (!simulation) return;
    for (size_t i = 0; i < simulation->n_arenas; i++) free(simulation->arenas[i]);
    for (size_t i = 0; i < simulation->n_tasks; i++) {
        struct cw_flit_task *task = &simulation->tasks[i];
        free_gaps(task->gaps);
        free(task->endpoints);
        free(task->orders);
        free(task->first_order);
        free(task->receives);
        free(task->first_receive);
        free(task->end_receive);
    }
    for (unsigned i = 0; i < simulation->n_workers; i++) {
        free(simulation->workers[i]->failure_text);
        free(simulation->workers[i]);
    }
    free(simulation->tasks);
    free(simulation->workers);
    free(simulation);
}
