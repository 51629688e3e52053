/* Lays out the network as units: queues, delay lines, hosts. What a unit needs at once lies together. */
#include <stdlib.h>

#include "base/division.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "sim/flit/flit_unit.h"

static const char what[] = "the flit simulator";

/* Zeroed memory that is freed with the simulation. */
static void *keep_array(struct cw_flit_tuned *simulation, size_t n, size_t size, const char *name)
{
    void *items = cw_new_array(n, size, name);
    if (!items) return NULL;
    cw_use_large_pages(items, n * size);
    simulation->arenas[simulation->n_arenas++] = items;
    simulation->bytes += n * size;
    return items;
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

static uint32_t latency_of(const struct cw_flit_tuned *simulation, uint32_t channel)
{
    return cw_flit_latency(simulation->net, &simulation->hardware, channel);
}

static uint64_t period_of(const struct cw_flit_tuned *simulation, uint32_t channel)
{
    return cw_flit_period(simulation->net, &simulation->hardware, channel);
}

static int look_at_channel(struct cw_flit_tuned *simulation, uint32_t channel)
{
    const struct cw_network *net = simulation->net;
    const uint32_t latency = latency_of(simulation, channel);
    const int rc = cw_flit_check_channel(net, &simulation->hardware, channel);
    if (rc) return rc;
    if (latency + simulation->hardware.pipeline > simulation->max_delay)
        simulation->max_delay = latency + simulation->hardware.pipeline;
    if (period_of(simulation, channel) > simulation->max_period)
        simulation->max_period = period_of(simulation, channel);
    if (!cw_network_is_host_channel(net, channel) && latency < simulation->window) simulation->window = latency;
    if (latency < simulation->min_latency) simulation->min_latency = latency;
    return 0;
}

/* Latencies, lanes, and from them how far ahead units may run. */
static int look_at_channels(struct cw_flit_tuned *simulation)
{
    const struct cw_network *net = simulation->net;
    simulation->lanes = keep_array(simulation, net->n_channels, sizeof *simulation->lanes, what);
    if (!simulation->lanes) return CW_ENOMEM;
    simulation->window = CW_FLIT_WINDOW_MAX;
    simulation->max_period = CW_FLIT_CYCLE;
    simulation->min_latency = UINT32_MAX;
    uint32_t most = 1;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const int rc = look_at_channel(simulation, c);
        if (rc) return rc;
        simulation->lanes[c] =
            (uint8_t)(cw_network_is_endpoint(net, net->tail[c]) ? simulation->hardware.injection_lanes
                                                                : cw_packet_routing_lanes(simulation->routing, c));
        if (simulation->lanes[c] > most) most = simulation->lanes[c];
    }
    uint32_t window = 1;
    while (2 * window <= simulation->window) window *= 2;
    simulation->window = window;
    simulation->rows = 8; /* eight bytes of a delay line are read at once */
    while (simulation->rows < simulation->max_delay - 1 + simulation->window) simulation->rows *= 2;
    simulation->is_short =
        simulation->hardware.input_flits <= UINT8_MAX && simulation->hardware.output_flits <= UINT8_MAX;
    simulation->is_narrow = most <= 4;
    simulation->kinds =
        1 + (simulation->is_narrow ? (simulation->hardware.speedup + 1) / 2 : simulation->hardware.speedup);
    return 0;
}

/* --- units -------------------------------------------------------------------------------------------------------- */

/* What all units have of everything. */
struct totals {
    uint64_t delay_lines, chunks, state;
};

static uint32_t hosts_at(const struct cw_network *net, uint32_t vertex)
{
    uint32_t n = 0;
    for (uint32_t c = net->first[vertex]; c < net->first[vertex + 1]; c++)
        n += cw_network_is_endpoint(net, net->head[c]);
    return n;
}

/* Chunks that N flits of a queue need: the first and the last one may be used in part. */
static uint64_t chunks_of(uint64_t n)
{
    return n / CW_FLIT_CHUNK_FLITS + 2;
}

/* … that the queues need which CHANNEL leads away from, and, from an endpoint, that of its twin. */
static uint64_t chunks_behind(const struct cw_flit_tuned *simulation, uint32_t channel)
{
    const struct cw_flit_hardware *hardware = &simulation->hardware;
    const uint64_t lanes = simulation->lanes[channel];
    if (!cw_network_is_endpoint(simulation->net, simulation->net->head[channel]))
        return lanes * chunks_of((uint64_t)hardware->output_flits + hardware->input_flits);
    return lanes * chunks_of((uint64_t)hardware->output_flits + simulation->max_delay) +
           hardware->injection_lanes * chunks_of(hardware->input_flits);
}

/* Most lanes that a channel to or from a switch of UNIT has. */
static uint32_t lanes_of(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit)
{
    uint32_t most = 1;
    for (uint32_t c = unit->first; c < unit->first + unit->radix; c++) {
        const uint32_t in = simulation->net->twin[c];
        if (simulation->lanes[c] > most) most = simulation->lanes[c];
        if (simulation->lanes[in] > most) most = simulation->lanes[in];
    }
    return most;
}

/* Makes the switches from VERTEX on, as many as there is place for, UNIT. Returns the one after them. */
static uint32_t fill_unit(struct cw_flit_tuned *simulation, struct cw_flit_unit *unit, uint32_t vertex)
{
    const struct cw_network *net = simulation->net;
    unit->vertex = vertex;
    unit->first = net->first[vertex];
    for (; vertex < net->n_vertices; vertex++) {
        const uint32_t ports = cw_network_degree(net, vertex), hosts = hosts_at(net, vertex);
        if (vertex > unit->vertex && unit->radix + unit->n_hosts + ports + hosts > CW_FLIT_BLOCK) break;
        struct cw_random random = cw_random_of(simulation->seed, CW_STREAM_ROUTING, vertex - net->n_endpoints);
        simulation->keys[vertex - net->n_endpoints] = cw_random_u64(&random);
        simulation->unit_of[vertex] = unit;
        unit->radix += ports;
        unit->n_hosts += hosts;
    }
    unit->places = unit->radix + unit->n_hosts;
    unit->words = (unit->places + CW_FLIT_BLOCK - 1) / CW_FLIT_BLOCK;
    unit->stride = unit->words * CW_FLIT_BLOCK;
    unit->lanes = lanes_of(simulation, unit);
    if (unit->radix > simulation->max_radix) simulation->max_radix = unit->radix;
    if (unit->words > simulation->max_words) simulation->max_words = unit->words;
    unit->free = CW_FLIT_NONE;
    unit->next_wake = UINT64_MAX;
    return vertex;
}

/* Gives UNIT its arrays from BASE on, zeroed memory of which a cache line begins there; NULL: none. Returns how many
 * bytes they take. */
static size_t divide_state(const struct cw_flit_tuned *simulation, struct cw_flit_unit *unit, char *base)
{
    const size_t places = unit->stride, queues = places * unit->lanes, words = unit->words;
    const size_t count = simulation->is_short ? sizeof(uint8_t) : sizeof(uint16_t);
    struct cw_division state = {.base = base};
    unit->arrived = cw_divide(&state, queues, count);
    unit->queued = cw_divide(&state, queues, count);
    unit->credits = cw_divide(&state, queues, count);
    unit->want_port = cw_divide(&state, queues, sizeof *unit->want_port);
    unit->want_lane = cw_divide(&state, queues, sizeof *unit->want_lane);
    unit->in_lanes = cw_divide(&state, places, sizeof *unit->in_lanes);
    unit->in_lane_pointers = cw_divide(&state, places, sizeof *unit->in_lane_pointers);
    unit->out_lane_pointers = cw_divide(&state, places, sizeof *unit->out_lane_pointers);
    unit->is_port = cw_divide(&state, places, sizeof *unit->is_port);
    unit->spends = cw_divide(&state, places, sizeof *unit->spends);
    unit->in_queues = cw_divide(&state, queues, sizeof *unit->in_queues);
    unit->ends = cw_divide(&state, queues, sizeof *unit->ends);
    unit->in_ports = cw_divide(&state, unit->radix, sizeof *unit->in_ports);
    unit->out_ports = cw_divide(&state, unit->radix, sizeof *unit->out_ports);
    unit->port_pointers = cw_divide(&state, queues, sizeof *unit->port_pointers);
    unit->state = base;
    unit->state_bytes = state.used;
    unit->hosts = cw_divide(&state, unit->n_hosts, sizeof *unit->hosts);
    unit->hosts_of = cw_divide(&state, words, sizeof *unit->hosts_of);
    unit->active_hosts = cw_divide(&state, words, sizeof *unit->active_hosts);
    unit->blocked_hosts = cw_divide(&state, words, sizeof *unit->blocked_hosts);
    unit->transit = cw_divide(&state, words, sizeof *unit->transit);
    unit->kept = cw_divide(&state, queues, sizeof *unit->kept);
    if (simulation->max_period != CW_FLIT_CYCLE) unit->paces = cw_divide(&state, unit->radix, sizeof *unit->paces);
    if (simulation->longest == 1) return state.used;
    unit->claims = cw_divide(&state, queues, sizeof *unit->claims);
    unit->next_out = cw_divide(&state, queues, sizeof *unit->next_out);
    unit->needs = cw_divide(&state, queues, sizeof *unit->needs);
    unit->owned = cw_divide(&state, queues, sizeof *unit->owned);
    return state.used;
}

static int size_unit(struct cw_flit_tuned *simulation, struct cw_flit_unit *unit, struct totals *totals)
{
    uint64_t chunks = 0;
    unit->delay_lines = (uint32_t)totals->delay_lines;
    for (uint32_t c = unit->first; c < unit->first + unit->radix; c++) chunks += chunks_behind(simulation, c);
    chunks = (chunks + CW_FLIT_BATCH - 1) / CW_FLIT_BATCH * CW_FLIT_BATCH;
    if (totals->chunks + chunks > UINT32_MAX / CW_FLIT_CHUNK)
        return cw_fail(CW_ELIMIT, "the buffers of all switches would hold more than %u flits", UINT32_MAX);
    totals->delay_lines += (unit->places + 7) / 8 * 8 * (uint64_t)simulation->kinds * simulation->rows;
    totals->chunks += chunks;
    totals->state += divide_state(simulation, unit, NULL);
    if (totals->delay_lines > UINT32_MAX)
        return cw_fail(CW_ELIMIT, "latencies and the speed-up need more than %u places for what is under way",
                       UINT32_MAX);
    return 0;
}

static int allocate(struct cw_flit_tuned *simulation, const struct totals *totals)
{
    char *state;
#define NEW(N, ITEMS) ((ITEMS) = keep_array(simulation, N, sizeof *(ITEMS), what))
    const bool enough = NEW(totals->state + CW_CACHE_LINE, state) &&
                        NEW(totals->delay_lines, simulation->delay_lines) &&
                        NEW(totals->chunks * CW_FLIT_CHUNK, simulation->flits);
#undef NEW
    if (!enough) return CW_ENOMEM;
    simulation->bytes -= totals->chunks * (CW_FLIT_CHUNK * sizeof *simulation->flits);
    state += CW_CACHE_LINE - (uintptr_t)state % CW_CACHE_LINE;
    for (uint32_t i = 0; i < simulation->n_units; i++) {
        struct cw_flit_unit *unit = &simulation->units[i];
        state += divide_state(simulation, unit, state);
        unit->channel_flits = simulation->channel_flits + unit->first;
    }
    return 0;
}

/* --- wiring ------------------------------------------------------------------------------------------------------- */

/* The place of CHANNEL in the rows of its unit: where its flits arrive (HEAD) or its credits return to. */
static uint32_t place_of(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit, uint32_t channel,
                         bool head)
{
    const struct cw_network *net = simulation->net;
    const uint32_t own = head ? net->twin[channel] : channel; /* leaves the vertex in question */
    const uint32_t vertex = net->tail[own];
    if (!cw_network_is_endpoint(net, vertex)) return own - unit->first;
    return unit->radix + (uint32_t)(simulation->host_of[vertex] - unit->hosts);
}

/* The first byte of the delay lines of KIND that are read at the head of CHANNEL, or at its tail. */
static uint32_t delay_line_at(const struct cw_flit_tuned *simulation, uint32_t channel, bool head, uint32_t kind)
{
    const struct cw_network *net = simulation->net;
    const struct cw_flit_unit *unit = simulation->unit_of[head ? net->head[channel] : net->tail[channel]];
    const uint32_t place = place_of(simulation, unit, channel, head);
    return unit->delay_lines + (place * simulation->kinds + kind) * simulation->rows;
}

static struct cw_flit_delay_line flit_delay_line(const struct cw_flit_tuned *simulation, uint32_t channel)
{
    const bool host = cw_network_is_endpoint(simulation->net, simulation->net->head[channel]);
    const uint32_t before_queue = host ? 0 : simulation->hardware.pipeline - 1;
    return (struct cw_flit_delay_line){.at = delay_line_at(simulation, channel, true, 0),
                                       .delay = latency_of(simulation, channel) + before_queue};
}

static struct cw_flit_delay_line credit_delay_line(const struct cw_flit_tuned *simulation, uint32_t channel)
{
    return (struct cw_flit_delay_line){.at = delay_line_at(simulation, channel, false, 1),
                                       .delay = latency_of(simulation, channel)};
}

/* Queue Q of UNIT, to which nothing has been written, gets its first chunk. */
static void begin_queue(struct cw_flit_tuned *simulation, struct cw_flit_unit *unit, uint32_t q)
{
    const uint32_t chunk = cw_flit_take_chunk(simulation, unit);
    unit->ends[q] = chunk * CW_FLIT_CHUNK;
    unit->kept[q] = (struct cw_flit_kept){.oldest = chunk, .n = 1};
    cw_flit_set_count(simulation->is_short, unit->credits, q, simulation->hardware.input_flits);
}

static void wire_port(struct cw_flit_tuned *simulation, struct cw_flit_unit *unit, uint32_t port)
{
    const struct cw_network *net = simulation->net;
    const uint32_t out = unit->first + port, in = net->twin[out];
    const bool host = cw_network_is_endpoint(net, net->head[out]);
    unit->in_ports[port] = (struct cw_flit_in_port){
        .credits = credit_delay_line(simulation, in), .channel = host ? CW_NONE : in, .sw = net->tail[out]};
    unit->out_ports[port].flits = flit_delay_line(simulation, out);
    unit->out_ports[port].lanes = simulation->lanes[out];
    unit->is_port[port] = UINT8_MAX;
    unit->spends[port] = host ? 0 : UINT8_MAX; /* endpoints give no credits */
    unit->in_lane_pointers[port] = unit->out_lane_pointers[port] = UINT8_MAX;
    if (!host) unit->transit[port / 64] |= UINT64_C(1) << port % 64;
    if (unit->paces) unit->paces[port].period = period_of(simulation, out);
    for (uint32_t lane = 0; lane < simulation->lanes[out]; lane++) {
        const uint32_t q = cw_flit_queue(unit, port, lane);
        begin_queue(simulation, unit, q);
        if (unit->needs) unit->needs[q] = 1;
    }
}

static void wire_host(struct cw_flit_tuned *simulation, struct cw_flit_unit *unit, uint32_t index)
{
    struct cw_flit_host *host = &unit->hosts[index];
    const uint32_t channel = simulation->net->first[host->endpoint], place = unit->radix + index;
    host->channel = channel;
    host->flits = flit_delay_line(simulation, channel);
    host->port = simulation->net->twin[channel] - unit->first;
    unit->in_queues[place].head = unit->ends[cw_flit_queue(unit, host->port, 0)];
    unit->hosts_of[place / 64] |= UINT64_C(1) << place % 64;
    for (uint32_t lane = 0; lane < simulation->hardware.injection_lanes; lane++)
        begin_queue(simulation, unit, cw_flit_queue(unit, place, lane));
    host->pace.period = period_of(simulation, channel);
    host->job = CW_NONE;
    host->wake = UINT64_MAX;
}

/* The input queues at the head of CHANNEL are read where they are written. */
static void join(struct cw_flit_tuned *simulation, uint32_t channel)
{
    const struct cw_network *net = simulation->net;
    const uint32_t tail = net->tail[channel], head = net->head[channel];
    if (cw_network_is_endpoint(net, head)) return;
    const struct cw_flit_unit *unit = simulation->unit_of[head], *from = simulation->unit_of[tail];
    const uint32_t port = net->twin[channel] - unit->first, place = place_of(simulation, from, channel, false);
    for (uint32_t lane = 0; lane < simulation->lanes[channel]; lane++) {
        const uint32_t q = cw_flit_queue(unit, port, lane);
        unit->in_queues[q].head = from->ends[cw_flit_queue(from, place, lane)];
    }
}

static void find_hosts(struct cw_flit_tuned *simulation)
{
    const struct cw_network *net = simulation->net;
    for (uint32_t i = 0; i < simulation->n_units; i++) {
        struct cw_flit_unit *unit = &simulation->units[i];
        struct cw_flit_host *host = unit->hosts;
        for (uint32_t c = unit->first; c < unit->first + unit->radix; c++) {
            const uint32_t v = net->head[c];
            if (!cw_network_is_endpoint(net, v)) continue;
            host->endpoint = v;
            simulation->host_of[v] = host++;
            simulation->unit_of[v] = unit;
        }
    }
}

static int allocate_counters(struct cw_flit_tuned *simulation)
{
    const struct cw_network *net = simulation->net;
    const uint32_t switches = cw_network_switches(net);
#define NEW(N, ITEMS) ((ITEMS) = keep_array(simulation, N, sizeof *(ITEMS), what))
    const bool enough =
        NEW(net->n_endpoints, simulation->host_of) && NEW(net->n_vertices, simulation->unit_of) &&
        NEW(net->n_endpoints, simulation->accepted_by) && NEW(net->n_endpoints, simulation->injected_by) &&
        NEW(net->n_channels, simulation->channel_flits) && NEW(switches, simulation->keys) &&
        NEW(switches, simulation->draws) && NEW(CW_FLIT_LATENCY_BINS, simulation->histogram) &&
        (simulation->ops->turn ||
         (NEW(net->n_channels, simulation->snapshot[0]) && NEW(net->n_channels, simulation->snapshot[1])));
#undef NEW
    return enough ? 0 : CW_ENOMEM;
}

int cw_flit_lay_out(struct cw_flit_tuned *simulation)
{
    struct totals totals = {0};
    int rc = look_at_channels(simulation);
    if (!rc) rc = allocate_counters(simulation);
    if (rc) return rc;
    simulation->units = keep_array(simulation, cw_network_switches(simulation->net), sizeof *simulation->units, what);
    if (!simulation->units) return CW_ENOMEM;
    for (uint32_t v = simulation->net->n_endpoints; v < simulation->net->n_vertices && !rc;) {
        struct cw_flit_unit *unit = &simulation->units[simulation->n_units++];
        v = fill_unit(simulation, unit, v);
        rc = size_unit(simulation, unit, &totals);
    }
    if (!rc) rc = allocate(simulation, &totals);
    if (rc) return rc;
    find_hosts(simulation);
    for (uint32_t i = 0; i < simulation->n_units; i++) {
        struct cw_flit_unit *unit = &simulation->units[i];
        for (uint32_t port = 0; port < unit->radix; port++) wire_port(simulation, unit, port);
        for (uint32_t h = 0; h < unit->n_hosts; h++) wire_host(simulation, unit, h);
    }
    for (uint32_t c = 0; c < simulation->net->n_channels; c++) join(simulation, c);
    return 0;
}
