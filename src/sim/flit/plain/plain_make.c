/* From a setup to a plain simulation at cycle 0. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "sim/flit/plain/plain.h"

enum { WINDOW_MAX = 16 };

static const char what[] = "the plain flit simulator";

static void *new_array(struct cw_flit_plain *plain, size_t n, size_t size)
{
    plain->bytes += n * size;
    return cw_new_array(n, size, what);
}

/* --- modules ------------------------------------------------------------------------------------------------------ */

static int choose_modules(struct cw_flit_plain *plain, uint32_t longest)
{
    const struct cw_flit_hardware *hardware = &plain->hardware;
    int rc = 0;
    for (int kind = 0; kind < CW_FLIT_MODULE_KINDS && !rc; kind++)
        rc =
            cw_flit_module_choose((enum cw_flit_module_kind)kind,
                                  cw_flit_module_spec(hardware, (enum cw_flit_module_kind)kind), &plain->modules[kind]);
    if (rc) return rc;
    plain->allocator = plain->modules[CW_FLIT_ALLOCATOR].module->operations;
    plain->queues = plain->modules[CW_FLIT_QUEUES].module->operations;
    plain->buffers = plain->modules[CW_FLIT_BUFFERS].module->operations;
    plain->marking = plain->modules[CW_FLIT_MARKING].module->operations;
    plain->rate_control = plain->modules[CW_FLIT_RATE_CONTROL].module->operations;
    cw_flit_module_scale(&plain->modules[CW_FLIT_RATE_CONTROL], hardware);
    if (hardware->transit_first && !plain->allocator->can_prefer_transit)
        return cw_fail(CW_EUSAGE, "the allocator %s cannot prefer flits in transit",
                       plain->modules[CW_FLIT_ALLOCATOR].module->name);
    if (plain->rate_control->begin && !plain->marking->marks)
        return cw_fail(CW_EUSAGE, "a rate control, %s, without a marking: nothing would tell it of congestion",
                       plain->modules[CW_FLIT_RATE_CONTROL].module->name);
    if (plain->buffers->check)
        rc = plain->buffers->check(plain->modules[CW_FLIT_BUFFERS].values, hardware->input_flits, longest);
    if (!rc && plain->marking->check) rc = plain->marking->check(plain->modules[CW_FLIT_MARKING].values);
    return rc;
}

/* --- channels and switches ---------------------------------------------------------------------------------------- */

static int make_channel(struct cw_flit_plain *plain, uint32_t c)
{
    const struct cw_network *net = plain->net;
    struct cw_plain_channel *channel = &plain->channels[c];
    const bool from_host = cw_network_is_endpoint(net, net->tail[c]);
    const int rc = cw_flit_check_channel(net, &plain->hardware, c);
    if (rc) return rc;
    channel->lanes = from_host ? plain->hardware.injection_lanes : cw_packet_routing_lanes(plain->routing, c);
    channel->latency = cw_flit_latency(net, &plain->hardware, c);
    channel->period = cw_flit_period(net, &plain->hardware, c);
    for (uint32_t lane = 0; lane < CW_FLIT_LANES; lane++) channel->owner[lane].channel = CW_NONE;
    if (channel->latency + plain->hardware.pipeline > plain->max_delay)
        plain->max_delay = channel->latency + plain->hardware.pipeline;
    if (channel->period > plain->max_period) plain->max_period = channel->period;
    if (cw_network_is_endpoint(net, net->head[c])) return 0;
    if (!from_host && channel->latency < plain->window) plain->window = channel->latency;
    channel->queues = plain->queues->count(cw_network_degree(net, net->head[c]));
    channel->n_in = channel->lanes * channel->queues;
    channel->in = new_array(plain, channel->n_in, sizeof *channel->in);
    return channel->in ? 0 : CW_ENOMEM;
}

static int make_channels(struct cw_flit_plain *plain)
{
    int rc = 0;
    plain->window = WINDOW_MAX;
    plain->max_period = CW_FLIT_CYCLE;
    for (uint32_t c = 0; c < plain->net->n_channels && !rc; c++) rc = make_channel(plain, c);
    uint64_t window = 1;
    while (2 * window <= plain->window) window *= 2;
    plain->window = window;
    return rc;
}

/* Input queues of switch SW. */
static size_t queues_at(const struct cw_flit_plain *plain, uint32_t sw)
{
    size_t n = 0;
    for (uint32_t c = plain->net->first[sw]; c < plain->net->first[sw + 1]; c++)
        n += plain->channels[plain->net->twin[c]].n_in;
    return n;
}

/* Pointers of all switches, room for the work at one, and its random streams. */
static int make_switches(struct cw_flit_plain *plain)
{
    const struct cw_network *net = plain->net;
    size_t most = 1;
    uint32_t *store = plain->pointer_store =
        new_array(plain, (size_t)(3 + CW_FLIT_LANES) * net->n_channels, sizeof *store);
    if (!store) return CW_ENOMEM;
    for (uint32_t sw = net->n_endpoints; sw < net->n_vertices; sw++) {
        const uint32_t radix = cw_network_degree(net, sw);
        const size_t queues = queues_at(plain, sw);
        struct cw_random routing = cw_random_of(plain->seed, CW_STREAM_ROUTING, sw - net->n_endpoints);
        struct cw_random marking = cw_random_of(plain->seed, CW_STREAM_MARKING, sw - net->n_endpoints);
        plain->keys[sw] = cw_random_u64(&routing);
        plain->mark_keys[sw] = cw_random_u64(&marking);
        plain->pointers[sw] = (struct cw_plain_pointers){.in_queue = store,
                                                         .out_any = store + radix,
                                                         .accept = store + (size_t)2 * radix,
                                                         .out_lane = store + (size_t)3 * radix};
        store += (size_t)(3 + CW_FLIT_LANES) * radix;
        if (radix > plain->max_radix) plain->max_radix = radix;
        if (queues > most) most = queues;
    }
    plain->requests = new_array(plain, most, sizeof *plain->requests);
    plain->places = new_array(plain, (size_t)5 * plain->max_radix + 1, sizeof *plain->places);
    return plain->requests && plain->places ? 0 : CW_ENOMEM;
}

/* --- jobs --------------------------------------------------------------------------------------------------------- */

static int seat_rank(struct cw_flit_plain *plain, size_t index, uint32_t rank)
{
    struct cw_flit_task *task = &plain->tasks[index];
    const uint32_t e = task->endpoints[rank];
    struct cw_plain_endpoint *endpoint = e < plain->net->n_endpoints ? &plain->endpoints[e] : NULL;
    int rc = cw_flit_check_seat(plain->net, index, rank, e, endpoint ? endpoint->task : CW_NONE,
                                endpoint ? endpoint->rank : CW_NONE);
    if (!rc)
        rc = cw_flit_task_source(task, &plain->hardware, rank, plain->channels[plain->net->first[e]].period,
                                 plain->seed, &endpoint->source);
    if (rc) return rc;
    endpoint->task = (uint32_t)index;
    endpoint->rank = rank;
    if (cw_flit_task_waits(task)) cw_flit_waiting_begin(task, rank, &endpoint->progress);
    if (!plain->rate_control->begin) return 0;
    endpoint->waiting = new_array(plain, CW_PLAIN_LOOKAHEAD, sizeof *endpoint->waiting);
    return endpoint->waiting ? 0 : CW_ENOMEM;
}

static int add_jobs(struct cw_flit_plain *plain, const struct cw_flit_setup *setup)
{
    if (setup->n_jobs == 0) return cw_fail(CW_EUSAGE, "no jobs, expected at least 1");
    plain->tasks = new_array(plain, setup->n_jobs, sizeof *plain->tasks);
    plain->task_counts = new_array(plain, setup->n_jobs, sizeof *plain->task_counts);
    if (!plain->tasks || !plain->task_counts) return CW_ENOMEM;
    for (uint32_t e = 0; e < plain->net->n_endpoints; e++) plain->endpoints[e].task = CW_NONE;
    int rc = 0;
    for (size_t i = 0; i < setup->n_jobs && !rc; i++) {
        plain->n_tasks = i + 1;
        if (setup->jobs[i].kind == CW_FLIT_CONTINUOUS) plain->endless = true;
        rc = cw_flit_task_make(&plain->tasks[i], plain->net, &plain->hardware, &setup->jobs[i], i);
        for (uint32_t rank = 0; rank < setup->jobs[i].n_ranks && !rc; rank++) rc = seat_rank(plain, i, rank);
    }
    return rc;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

/* What a packet routing sees of the queues: its own switch's as they are, others' as they were a window ago. */
static uint32_t occupancy(const void *simulator, uint32_t channel)
{
    const struct cw_flit_plain *plain = simulator;
    return plain->net->tail[channel] == plain->here ? cw_plain_occupancy(plain, channel) : plain->snapshot[channel];
}

static int allocate(struct cw_flit_plain *plain)
{
    const struct cw_network *net = plain->net;
#define NEW(N, ITEMS) ((ITEMS) = new_array(plain, N, sizeof *(ITEMS)))
    const bool enough = NEW(net->n_channels, plain->channels) && NEW(net->n_endpoints, plain->endpoints) &&
                        NEW(net->n_vertices, plain->pointers) && NEW(net->n_vertices, plain->keys) &&
                        NEW(net->n_vertices, plain->draws) && NEW(net->n_vertices, plain->mark_keys) &&
                        NEW(net->n_vertices, plain->mark_draws) && NEW(net->n_channels, plain->snapshot) &&
                        NEW(net->n_channels, plain->channel_flits) && NEW(net->n_endpoints, plain->accepted_by) &&
                        NEW(net->n_endpoints, plain->injected_by) && NEW(CW_FLIT_LATENCY_BINS, plain->histogram);
#undef NEW
    return enough ? 0 : CW_ENOMEM;
}

static int fill(struct cw_flit_plain *plain, const struct cw_flit_setup *setup)
{
    plain->routing = setup->routing;
    plain->net = cw_packet_routing_network(setup->routing);
    plain->ops = cw_packet_routing_operations(setup->routing);
    plain->routing_state = cw_packet_routing_state(setup->routing);
    plain->hardware = setup->hardware;
    plain->seed = setup->seed;
    plain->view = (struct cw_queue_view){.simulator = plain, .occupancy = occupancy};
    int rc = allocate(plain);
    if (!rc) rc = choose_modules(plain, cw_flit_longest_message(setup));
    if (!rc) rc = make_channels(plain);
    if (!rc) rc = make_switches(plain);
    return rc ? rc : add_jobs(plain, setup);
}

static void free_channel(struct cw_plain_channel *channel)
{
    for (uint32_t q = 0; channel->in && q < channel->n_in; q++) free(channel->in[q].flits.items);
    for (uint32_t lane = 0; lane < CW_FLIT_LANES; lane++) free(channel->out[lane].items);
    free(channel->in);
    free(channel->wire.items);
    free(channel->credit_wire.items);
}

static void free_endpoint(struct cw_plain_endpoint *endpoint, uint32_t n_endpoints)
{
    for (uint32_t e = 0; endpoint->flows && e < n_endpoints; e++) free(endpoint->flows[e]);
    free(endpoint->flows);
    free(endpoint->waiting);
    free(endpoint->notices.items);
}

static void free_plain(struct cw_flit_simulation *base)
{
    struct cw_flit_plain *plain = cw_flit_plain_of(base);
    for (uint32_t c = 0; plain->channels && c < plain->net->n_channels; c++) free_channel(&plain->channels[c]);
    for (uint32_t e = 0; plain->endpoints && e < plain->net->n_endpoints; e++)
        free_endpoint(&plain->endpoints[e], plain->net->n_endpoints);
    for (size_t i = 0; i < plain->n_tasks; i++) cw_flit_task_free(&plain->tasks[i]);
    for (int kind = 0; kind < CW_FLIT_MODULE_KINDS; kind++) cw_flit_chosen_free(&plain->modules[kind]);
    void *const arrays[] = {plain->channels,  plain->endpoints,     plain->pointers,    plain->pointer_store,
                            plain->tasks,     plain->task_counts,   plain->keys,        plain->draws,
                            plain->mark_keys, plain->mark_draws,    plain->snapshot,    plain->requests,
                            plain->places,    plain->channel_flits, plain->accepted_by, plain->injected_by,
                            plain->histogram};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(plain);
}

static int new_plain(const struct cw_flit_setup *setup, struct cw_flit_simulation **out)
{
    struct cw_flit_plain *plain = cw_new_array(1, sizeof *plain, what);
    if (!plain) return CW_ENOMEM;
    plain->base.by = &cw_flit_plain_implementation;
    const int rc = fill(plain, setup);
    if (rc)
        free_plain(&plain->base);
    else
        *out = &plain->base;
    return rc;
}

/* --- counters ----------------------------------------------------------------------------------------------------- */

static void reset_counters(struct cw_flit_simulation *base)
{
    struct cw_flit_plain *plain = cw_flit_plain_of(base);
    for (uint32_t c = 0; c < plain->net->n_channels; c++) plain->channel_flits[c] = 0;
    for (uint32_t e = 0; e < plain->net->n_endpoints; e++) plain->accepted_by[e] = 0;
    for (size_t i = 0; i < CW_FLIT_LATENCY_BINS; i++) plain->histogram[i] = 0;
}

static const uint64_t *channel_flits(struct cw_flit_simulation *base)
{
    return cw_flit_plain_of(base)->channel_flits;
}

static const uint64_t *accepted_by(struct cw_flit_simulation *base)
{
    return cw_flit_plain_of(base)->accepted_by;
}

static const uint64_t *injected_by(struct cw_flit_simulation *base)
{
    struct cw_flit_plain *plain = cw_flit_plain_of(base);
    for (uint32_t e = 0; e < plain->net->n_endpoints; e++)
        if (cw_network_degree(plain->net, e) > 0) plain->injected_by[e] = plain->channel_flits[plain->net->first[e]];
    return plain->injected_by;
}

static const uint64_t *latency_histogram(struct cw_flit_simulation *base)
{
    return cw_flit_plain_of(base)->histogram;
}

static const struct cw_flit_task *task(const struct cw_flit_simulation *base, size_t job)
{
    return &cw_flit_plain_of(base)->tasks[job];
}

static double cycle_seconds(const struct cw_flit_simulation *base)
{
    return cw_flit_cycle(&cw_flit_plain_of(base)->hardware);
}

static size_t memory(const struct cw_flit_simulation *base)
{
    const struct cw_flit_plain *plain = cw_flit_plain_of(base);
    size_t bytes = sizeof *plain + plain->bytes, flits = 0;
    for (uint32_t c = 0; c < plain->net->n_channels; c++) {
        const struct cw_plain_channel *channel = &plain->channels[c];
        flits += channel->wire.capacity + channel->credit_wire.capacity;
        for (uint32_t q = 0; q < channel->n_in; q++) flits += channel->in[q].flits.capacity;
        for (uint32_t lane = 0; lane < CW_FLIT_LANES; lane++) flits += channel->out[lane].capacity;
    }
    for (size_t i = 0; i < plain->n_tasks; i++) bytes += cw_flit_task_bytes(&plain->tasks[i]);
    return bytes + flits * sizeof(struct cw_plain_flit);
}

const struct cw_flit_implementation cw_flit_plain_implementation = {
    .name = "plain",
    .help = "one flit after another, on one thread: slow, for small networks, and for switches of all modules",
    .new = new_plain,
    .free = free_plain,
    .run = cw_plain_run,
    .reset_counters = reset_counters,
    .channel_flits = channel_flits,
    .accepted_by = accepted_by,
    .injected_by = injected_by,
    .latency_histogram = latency_histogram,
    .task = task,
    .cycle_seconds = cycle_seconds,
    .memory = memory,
    .drain_within = cw_plain_drain_within,
};
