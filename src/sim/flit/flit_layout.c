/* Lays out the network as units: queues, lines, hosts. What a unit needs at once lies together. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "sim/flit/flit_internal.h"

static const char what[] = "the flit simulator";

void *cw_flit_allocate(struct cw_flit_simulation *simulation, size_t n, size_t size, const char *name)
{
    void *items = cw_new_array(n, size, name);
    if (!items) return NULL;
    simulation->arenas[simulation->n_arenas++] = items;
    simulation->bytes += n * size;
    return items;
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

static bool between_groups(const struct cw_network *net, uint32_t channel)
{
    if (net->shape.kind != CW_SHAPE_DRAGONFLY) return false;
    const uint32_t a = net->shape.dragonfly.a, first = net->n_endpoints;
    return (net->tail[channel] - first) / a != (net->head[channel] - first) / a;
}

/* Cycles that a flit is under way on CHANNEL. */
static uint32_t latency_of(const struct cw_flit_simulation *simulation, uint32_t channel)
{
    const struct cw_network *net = simulation->net;
    const struct cw_flit_hardware *hardware = &simulation->hardware;
    const bool host =
        cw_network_is_endpoint(net, net->tail[channel]) || cw_network_is_endpoint(net, net->head[channel]);
    const uint32_t given = host                           ? hardware->host_latency
                           : between_groups(net, channel) ? hardware->global_latency
                                                          : hardware->local_latency;
    if (given > 0) return given;
    const double cycles = net->latency[channel] * hardware->reference_capacity / hardware->flit_bytes;
    if (cycles > CW_FLIT_LATENCY_MAX) return CW_FLIT_LATENCY_MAX + 1;
    return cycles < 1.5 ? 1 : (uint32_t)lround(cycles);
}

/* 2^-20 cycles in which CHANNEL moves a flit. */
static uint64_t period_of(const struct cw_flit_simulation *simulation, uint32_t channel)
{
    return (uint64_t)llround(simulation->hardware.reference_capacity / simulation->net->capacity[channel] *
                             (double)CW_FLIT_CYCLE);
}

static int check_channel(struct cw_flit_simulation *simulation, uint32_t channel)
{
    const struct cw_network *net = simulation->net;
    char name[2 * CW_NAME_SIZE + 32];
    const double capacity = net->capacity[channel], reference = simulation->hardware.reference_capacity;
    const uint32_t latency = latency_of(simulation, channel);
    cw_network_channel_name(net, channel, name, sizeof name);
    if (capacity > reference * (1 + 1e-9))
        return cw_fail(CW_EUSAGE, "channel %s moves %g byte/s, more than the reference capacity of %g byte/s: raise it",
                       name, capacity, reference);
    if (reference / capacity > 1e6)
        return cw_fail(CW_EUSAGE, "channel %s moves %g byte/s, less than a millionth of the reference capacity", name,
                       capacity);
    if (latency + simulation->hardware.pipeline > CW_FLIT_LATENCY_MAX)
        return cw_fail(CW_EUSAGE, "channel %s has more than %d cycles of latency and pipeline", name,
                       CW_FLIT_LATENCY_MAX);
    if (latency + simulation->hardware.pipeline > simulation->max_delay)
        simulation->max_delay = latency + simulation->hardware.pipeline;
    if (period_of(simulation, channel) > simulation->max_period)
        simulation->max_period = period_of(simulation, channel);
    if (!cw_network_is_endpoint(net, net->tail[channel]) && !cw_network_is_endpoint(net, net->head[channel]) &&
        latency < simulation->window)
        simulation->window = latency;
    return 0;
}

/* Latencies, lanes, and from them how far ahead units may run. */
static int look_at_channels(struct cw_flit_simulation *simulation)
{
    const struct cw_network *net = simulation->net;
    simulation->lanes = cw_flit_allocate(simulation, net->n_channels, sizeof *simulation->lanes, what);
    if (!simulation->lanes) return CW_ENOMEM;
    simulation->window = CW_FLIT_WINDOW_MAX;
    simulation->max_period = CW_FLIT_CYCLE;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const int rc = check_channel(simulation, c);
        if (rc) return rc;
        simulation->lanes[c] =
            (uint8_t)(cw_network_is_endpoint(net, net->tail[c]) ? simulation->hardware.injection_lanes
                                                                : cw_packet_routing_lanes(simulation->routing, c));
    }
    uint32_t window = 1;
    while (2 * window <= simulation->window) window *= 2;
    simulation->window = window;
    simulation->rows = 8; /* eight bytes of a line are read at once */
    while (simulation->rows < simulation->max_delay - 1 + simulation->window) simulation->rows *= 2;
    simulation->pairs = (simulation->hardware.speedup + 1) / 2;
    return 0;
}

/* --- units -------------------------------------------------------------------------------------------------------- */

enum { MASKS = 6 }; /* of a unit */

/* What all units have of everything. */
struct totals {
    uint64_t ports, lines, chunks, hosts, queues, request_words, masks;
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
    return n / CW_FLIT_CHUNK + 2;
}

/* … that the queues need which CHANNEL leads away from, and, from an endpoint, that of its twin. */
static uint64_t chunks_behind(const struct cw_flit_simulation *simulation, uint32_t channel)
{
    const struct cw_flit_hardware *hardware = &simulation->hardware;
    const uint64_t lanes = simulation->lanes[channel];
    if (!cw_network_is_endpoint(simulation->net, simulation->net->head[channel]))
        return lanes * chunks_of((uint64_t)hardware->output_flits + hardware->input_flits);
    return lanes * chunks_of((uint64_t)hardware->output_flits + simulation->max_delay) +
           hardware->injection_lanes * chunks_of(hardware->input_flits);
}

/* Makes the switches from VERTEX on, as many as there is place for, UNIT. Returns the one after them. */
static uint32_t fill_unit(struct cw_flit_simulation *simulation, struct cw_flit_unit *unit, uint32_t vertex)
{
    const struct cw_network *net = simulation->net;
    unit->vertex = vertex;
    unit->first = net->first[vertex];
    for (; vertex < net->n_vertices; vertex++) {
        const uint32_t ports = cw_network_degree(net, vertex), hosts = hosts_at(net, vertex);
        if (vertex > unit->vertex && unit->radix + unit->n_hosts + ports + hosts > CW_FLIT_PLACES) break;
        struct cw_random random = cw_random_of(simulation->seed, CW_STREAM_ROUTING, vertex - net->n_endpoints);
        simulation->keys[vertex - net->n_endpoints] = cw_random_u64(&random);
        simulation->unit_of[vertex] = unit;
        unit->radix += ports;
        unit->n_hosts += hosts;
    }
    unit->host_place = unit->radix;
    unit->places = unit->host_place + unit->n_hosts;
    unit->words = (unit->places + 63) / 64;
    if (unit->radix > simulation->max_radix) simulation->max_radix = unit->radix;
    if (unit->words > simulation->max_words) simulation->max_words = unit->words;
    unit->free = CW_FLIT_NONE;
    unit->next_wake = UINT64_MAX;
    return vertex;
}

static int size_unit(struct cw_flit_simulation *simulation, struct cw_flit_unit *unit, struct totals *totals)
{
    uint64_t chunks = 0;
    unit->line = (uint32_t)totals->lines;
    for (uint32_t c = unit->first; c < unit->first + unit->radix; c++) chunks += chunks_behind(simulation, c);
    if (totals->chunks + chunks > UINT32_MAX / CW_FLIT_CHUNK)
        return cw_fail(CW_ELIMIT, "the buffers of all switches would hold more than %u flits", UINT32_MAX);
    unit->chunks = (uint32_t)totals->chunks;
    unit->n_chunks = (uint32_t)chunks;
    totals->ports += unit->radix;
    totals->lines += (uint64_t)unit->places * simulation->rows * (1 + simulation->pairs);
    totals->chunks += chunks;
    totals->hosts += unit->n_hosts;
    totals->queues += (uint64_t)unit->radix << CW_FLIT_LANE_BITS;
    totals->request_words += unit->radix * (uint64_t)unit->words;
    if (unit->words > 1) totals->request_words += ((uint64_t)unit->radix << CW_FLIT_LANE_BITS) * unit->words;
    totals->masks += MASKS * (uint64_t)unit->words;
    return 0;
}

/* The arrays of all units, of which each is given its part. */
struct arrays {
    struct cw_flit_in_queue *in_queues;
    struct cw_flit_out_queue *out_queues;
    struct cw_flit_departure *departing;
    uint64_t *requests;
    struct cw_flit_in_port *in_ports;
    struct cw_flit_out_port *out_ports;
    struct cw_flit_pace *paces;
    struct cw_flit_host *hosts;
    uint64_t *masks;
};

static int allocate(struct cw_flit_simulation *simulation, const struct totals *totals, struct arrays *arrays)
{
    if (totals->lines > UINT32_MAX)
        return cw_fail(CW_ELIMIT,
                       "latencies and the speed-up need %" PRIu64
                       " slots for what is under way; at most %u are possible",
                       totals->lines, UINT32_MAX);
#define NEW(N, ITEMS) ((ITEMS) = cw_flit_allocate(simulation, N, sizeof *(ITEMS), what))
    const bool enough = NEW(totals->queues, arrays->in_queues) && NEW(totals->queues, arrays->out_queues) &&
                        NEW(totals->request_words, arrays->requests) && NEW(totals->ports, arrays->in_ports) &&
                        NEW(totals->ports, arrays->out_ports) && NEW(totals->hosts, arrays->hosts) &&
                        NEW(totals->masks, arrays->masks) && NEW(totals->lines, simulation->lines) &&
                        (simulation->longest == 1 || NEW(totals->queues, arrays->departing)) &&
                        (simulation->max_period == CW_FLIT_CYCLE || NEW(totals->ports, arrays->paces)) &&
                        NEW(totals->chunks, simulation->links) &&
                        NEW(totals->chunks * CW_FLIT_CHUNK, simulation->flits);
#undef NEW
    if (!enough) return CW_ENOMEM;
    simulation->bytes -= totals->chunks * (CW_FLIT_CHUNK * sizeof *simulation->flits + sizeof *simulation->links);
    return 0;
}

static void hand_out(struct cw_flit_simulation *simulation, struct arrays *arrays)
{
    for (uint32_t i = 0; i < simulation->n_units; i++) {
        struct cw_flit_unit *unit = &simulation->units[i];
        const size_t queues = (size_t)unit->radix << CW_FLIT_LANE_BITS;
        unit->in_queues = arrays->in_queues;
        unit->out_queues = arrays->out_queues;
        unit->departing = arrays->departing;
        unit->requests = arrays->requests;
        unit->asks = unit->requests + unit->radix * unit->words; /* there if there are several words */
        unit->in_ports = arrays->in_ports;
        unit->out_ports = arrays->out_ports;
        unit->paces = arrays->paces;
        unit->hosts = arrays->hosts;
        unit->dirty = arrays->masks;
        unit->asked = unit->dirty + unit->words;
        unit->sendable = unit->asked + unit->words;
        unit->transit = unit->sendable + unit->words;
        unit->willing = unit->transit + unit->words;
        unit->several = unit->willing + unit->words;
        unit->channel_flits = simulation->channel_flits + unit->first;
        arrays->in_queues += queues;
        arrays->out_queues += queues;
        if (arrays->departing) arrays->departing += queues;
        arrays->requests += (unit->radix + (unit->words > 1 ? queues : 0)) * unit->words;
        arrays->in_ports += unit->radix;
        arrays->out_ports += unit->radix;
        if (arrays->paces) arrays->paces += unit->radix;
        arrays->hosts += unit->n_hosts;
        arrays->masks += MASKS * (size_t)unit->words;
    }
}

/* --- wiring ------------------------------------------------------------------------------------------------------- */

/* The place of CHANNEL in the rows of its unit: where its flits arrive (HEAD) or its credits return to. */
static uint32_t place_of(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit, uint32_t channel,
                         bool head)
{
    const struct cw_network *net = simulation->net;
    const uint32_t own = head ? net->twin[channel] : channel; /* leaves the vertex in question */
    const uint32_t vertex = net->tail[own];
    if (!cw_network_is_endpoint(net, vertex)) return own - unit->first;
    return unit->host_place + (uint32_t)(simulation->host_of[vertex] - unit->hosts);
}

static struct cw_flit_line flit_line(const struct cw_flit_simulation *simulation, uint32_t channel)
{
    const uint32_t head = simulation->net->head[channel];
    const struct cw_flit_unit *unit = simulation->unit_of[head];
    const uint32_t place = place_of(simulation, unit, channel, true);
    const uint32_t before_queue = cw_network_is_endpoint(simulation->net, head) ? 0 : simulation->hardware.pipeline - 1;
    return (struct cw_flit_line){.at = unit->line + place * simulation->rows * (1 + simulation->pairs),
                                 .delay = latency_of(simulation, channel) + before_queue,
                                 .place = place};
}

static struct cw_flit_line credit_line(const struct cw_flit_simulation *simulation, uint32_t channel)
{
    const struct cw_flit_unit *unit = simulation->unit_of[simulation->net->tail[channel]];
    const uint32_t place = place_of(simulation, unit, channel, false);
    return (struct cw_flit_line){.at = unit->line + (place * (1 + simulation->pairs) + 1) * simulation->rows,
                                 .delay = latency_of(simulation, channel),
                                 .place = place};
}

/* A queue that nothing has been written to, with its first chunk. */
static struct cw_flit_tail new_tail(struct cw_flit_simulation *simulation, struct cw_flit_unit *unit)
{
    const uint32_t chunk = cw_flit_take_chunk(simulation, unit);
    return (struct cw_flit_tail){.at = chunk * CW_FLIT_CHUNK, .oldest = chunk, .kept = 1};
}

static void wire_port(struct cw_flit_simulation *simulation, struct cw_flit_unit *unit, uint32_t port)
{
    const struct cw_network *net = simulation->net;
    const uint32_t out = unit->first + port, in = net->twin[out];
    const bool host = cw_network_is_endpoint(net, net->head[out]);
    unit->in_ports[port].credits = credit_line(simulation, in);
    unit->in_ports[port].channel = host ? CW_NONE : in;
    unit->in_ports[port].sw = net->tail[out];
    unit->in_ports[port].asking = CW_FLIT_NONE;
    unit->out_ports[port].flits = flit_line(simulation, out);
    unit->out_ports[port].credited = !host;
    unit->out_ports[port].creditable = (uint8_t)((1u << simulation->lanes[out]) - 1);
    if (!host) unit->transit[port / 64] |= UINT64_C(1) << port % 64;
    if (unit->paces) unit->paces[port].period = period_of(simulation, out);
    for (uint32_t lane = 0; lane < simulation->lanes[out]; lane++) {
        struct cw_flit_out_queue *queue = &unit->out_queues[port << CW_FLIT_LANE_BITS | lane];
        queue->tail = new_tail(simulation, unit);
        if (unit->departing) unit->departing[port << CW_FLIT_LANE_BITS | lane].need = 1;
        queue->room = (int32_t)simulation->hardware.output_flits;
        unit->out_ports[port].credits[lane + 1] = host ? UINT32_MAX : simulation->hardware.input_flits;
    }
}

static void wire_host(struct cw_flit_simulation *simulation, struct cw_flit_unit *unit, struct cw_flit_host *host)
{
    const uint32_t channel = simulation->net->first[host->endpoint];
    host->channel = channel;
    host->flits = flit_line(simulation, channel);
    host->port = simulation->net->twin[channel] - unit->first;
    host->head = unit->out_queues[host->port << CW_FLIT_LANE_BITS].tail.at;
    for (uint32_t lane = 0; lane < simulation->hardware.injection_lanes; lane++) {
        host->tails[lane] = new_tail(simulation, unit);
        host->credits[lane + 1] = simulation->hardware.input_flits;
    }
    host->pace.period = period_of(simulation, channel);
    host->job = CW_NONE;
    host->wake = UINT64_MAX;
}

/* The input queues at the head of CHANNEL are read where they are written. */
static void join(struct cw_flit_simulation *simulation, uint32_t channel)
{
    const struct cw_network *net = simulation->net;
    const uint32_t tail = net->tail[channel], head = net->head[channel];
    if (cw_network_is_endpoint(net, head)) return;
    const struct cw_flit_unit *unit = simulation->unit_of[head], *from = simulation->unit_of[tail];
    struct cw_flit_in_queue *queues = &unit->in_queues[(net->twin[channel] - unit->first) << CW_FLIT_LANE_BITS];
    const bool host = cw_network_is_endpoint(net, tail);
    for (uint32_t lane = 0; lane < simulation->lanes[channel]; lane++) {
        const uint32_t q = (channel - from->first) << CW_FLIT_LANE_BITS | lane;
        queues[lane].head = host ? simulation->host_of[tail]->tails[lane].at : from->out_queues[q].tail.at;
        queues[lane].need = 1;
    }
}

static void find_hosts(struct cw_flit_simulation *simulation)
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

static int allocate_counters(struct cw_flit_simulation *simulation)
{
    const struct cw_network *net = simulation->net;
    const uint32_t switches = cw_network_switches(net);
#define NEW(N, ITEMS) ((ITEMS) = cw_flit_allocate(simulation, N, sizeof *(ITEMS), what))
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

int cw_flit_lay_out(struct cw_flit_simulation *simulation)
{
    struct totals totals = {0};
    struct arrays arrays = {0};
    int rc = look_at_channels(simulation);
    if (!rc) rc = allocate_counters(simulation);
    if (rc) return rc;
    simulation->units =
        cw_flit_allocate(simulation, cw_network_switches(simulation->net), sizeof *simulation->units, what);
    if (!simulation->units) return CW_ENOMEM;
    for (uint32_t v = simulation->net->n_endpoints; v < simulation->net->n_vertices && !rc;) {
        struct cw_flit_unit *unit = &simulation->units[simulation->n_units++];
        v = fill_unit(simulation, unit, v);
        rc = size_unit(simulation, unit, &totals);
    }
    if (!rc) rc = allocate(simulation, &totals, &arrays);
    if (rc) return rc;
    hand_out(simulation, &arrays);
    find_hosts(simulation);
    for (uint32_t i = 0; i < simulation->n_units; i++) {
        struct cw_flit_unit *unit = &simulation->units[i];
        for (uint32_t port = 0; port < unit->radix; port++) wire_port(simulation, unit, port);
        for (uint32_t h = 0; h < unit->n_hosts; h++) wire_host(simulation, unit, &unit->hosts[h]);
    }
    for (uint32_t c = 0; c < simulation->net->n_channels; c++) join(simulation, c);
    return 0;
}
