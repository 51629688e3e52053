#include "flow/transport/carrier.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/network_internal.h"

#define MAX_CHUNK_HOPS 4e9 /* what asks for more has mistaken its units; so 32 bits count a path's chunks */

#define NOTHING                                                                                                        \
    {                                                                                                                  \
        CW_NONE, CW_NONE                                                                                               \
    }

static uint64_t chunks_of(const struct cw_carrier *carrier, uint64_t bytes)
{
    return bytes / carrier->transport.chunk_bytes + (bytes % carrier->transport.chunk_bytes > 0);
}

static bool is_cost(double value)
{
    return value >= 0 && isfinite(value);
}

int cw_carrier_check(const struct cw_transport *transport)
{
    if (transport->chunk_bytes == 0) return cw_fail(CW_EUSAGE, "transport: chunks of 0 bytes; expected more");
    if (transport->credits <= 0)
        return cw_fail(CW_EUSAGE, "transport: %" PRId64 " credits; expected at least 1, or relays can take nothing in",
                       transport->credits);
    if (!(transport->efficiency > 0 && transport->efficiency <= 1))
        return cw_fail(CW_EUSAGE, "transport: an efficiency of %g; expected more than 0, at most 1",
                       transport->efficiency);
    char overhead[32], latency[32], search[32];
    if (!is_cost(transport->chunk_overhead) || !is_cost(transport->hop_latency) || !is_cost(transport->list_search))
        return cw_fail(CW_EUSAGE, "transport: overhead %s, latency %s, search %s; expected 0 or more",
                       cw_format_time(transport->chunk_overhead, overhead, sizeof overhead),
                       cw_format_time(transport->hop_latency, latency, sizeof latency),
                       cw_format_time(transport->list_search, search, sizeof search));
    if (!is_cost(transport->copy) || !is_cost(transport->node_copy) || !is_cost(transport->injection) ||
        !is_cost(transport->reception) || !is_cost(transport->message_rate))
        return cw_fail(CW_EUSAGE,
                       "transport: copies at %g byte/s, of a node at %g byte/s, injection of %g byte/s, reception of "
                       "%g byte/s, messages at %g "
                       "byte/s; expected 0 (no limit) or more",
                       transport->copy, transport->node_copy, transport->injection, transport->reception,
                       transport->message_rate);
    return 0;
}

/* Counts the plan's stages and chunks. */
static int measure(struct cw_carrier *carrier)
{
    const struct cw_plan *plan = carrier->plan;
    double chunk_hops = 0;
    size_t stages = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        const uint64_t chunks = chunks_of(carrier, path->bytes);
        const uint32_t hops = cw_flow_hops(carrier->problem, plan->channels + path->first, path->n);
        chunk_hops += (double)chunks * hops;
        bytes += path->bytes;
        carrier->result.chunks += chunks;
        if (chunks > 0) stages += hops;
    }
    if (bytes == 0) return cw_fail(CW_EUSAGE, "transport: the plan's paths have no bytes; it must be rounded first");
    if (chunk_hops > MAX_CHUNK_HOPS || stages >= UINT32_MAX)
        return cw_fail(CW_ELIMIT, "transport: %.3g chunks on all hops, more than %.3g; expected larger chunks",
                       chunk_hops, MAX_CHUNK_HOPS);
    carrier->n_stages = stages;
    return 0;
}

static int allocate(struct cw_carrier *carrier)
{
    const struct cw_network *net = carrier->problem->net;
    carrier->stages = cw_new_array(carrier->n_stages, sizeof *carrier->stages, "stages of paths");
    carrier->legs = cw_new_array(carrier->n_stages, sizeof *carrier->legs, "legs of paths");
    carrier->channels = cw_new_array(net->n_channels, sizeof *carrier->channels, "channels of a transport");
    carrier->nodes = cw_new_array(net->n_vertices, sizeof *carrier->nodes, "nodes of a transport");
    carrier->arrived = cw_new_array(carrier->problem->demands->n, sizeof *carrier->arrived, "demands of a transport");
    carrier->done = cw_new_array(carrier->problem->demands->n, sizeof *carrier->done, "demands of a transport");
    if (!carrier->stages || !carrier->legs || !carrier->channels || !carrier->nodes || !carrier->arrived ||
        !carrier->done)
        return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++)
        carrier->channels[c] =
            (struct cw_carrier_channel){.rate = carrier->problem->capacity[c] * carrier->transport.efficiency,
                                        .of = {NOTHING, NOTHING},
                                        .chosen = CW_NONE,
                                        .next = CW_NONE};
    for (uint32_t v = 0; v < net->n_vertices; v++)
        carrier->nodes[v] = (struct cw_carrier_node){.of = {NOTHING, NOTHING}};
    return 0;
}

/* How far stages and legs have been laid. */
struct laying {
    uint32_t stages, legs;
};

/* True if what comes over the channels before hop HOP of PATH is handled by a vertex before it goes on. */
static bool is_handled(const struct cw_carrier *carrier, const struct cw_plan_path *path, uint32_t hop)
{
    const uint32_t *channels = carrier->plan->channels + path->first;
    return hop == 0 || (!carrier->direct && cw_flow_is_relay(carrier->problem, channels[hop - 1], channels[hop]));
}

/* Begins a leg of path INDEX at VERTEX; the one before, unless this is the FIRST, ends there. */
static void begin_leg(struct cw_carrier *carrier, uint32_t index, uint32_t vertex, bool first, struct laying *at)
{
    if (!first) {
        carrier->legs[at->legs - 1].to = vertex;
        carrier->legs[at->legs - 1].last = false;
        carrier->stages[at->stages - 1].ends = true;
    }
    carrier->legs[at->legs++] =
        (struct cw_carrier_leg){.from = vertex,
                                .path = index,
                                .begin = at->stages,
                                .credits = (uint32_t)fmin((double)carrier->transport.credits, UINT32_MAX),
                                .first = first,
                                .last = true};
}

static int fail_without_capacity(const struct cw_carrier *carrier, uint32_t index, uint32_t c)
{
    char name[2 * CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "transport: path %u uses channel %s, which has no capacity", index,
                   cw_network_channel_name(carrier->problem->net, c, name, sizeof name));
}

/* The stages and legs of path INDEX, behind those that are there. The inside of a node, a channel without a limit, is
 * none. A vertex that handles data is the endpoint where paths consist of legs, else the node at the channel. */
static int lay_path(struct cw_carrier *carrier, uint32_t index, struct laying *at)
{
    const struct cw_network *net = carrier->problem->net;
    const struct cw_plan_path *path = &carrier->plan->paths[index];
    const uint32_t *channels = carrier->plan->channels + path->first, begin = at->stages;
    bool handled = false;
    uint32_t vertex = CW_NONE;
    for (uint32_t hop = 0; hop < path->n; hop++) {
        const uint32_t c = channels[hop];
        if (is_handled(carrier, path, hop)) {
            handled = true;
            vertex = net->tail[c];
        }
        if (isinf(carrier->problem->capacity[c])) continue;
        if (!(carrier->problem->capacity[c] > 0)) return fail_without_capacity(carrier, index, c);
        if (handled) begin_leg(carrier, index, carrier->problem->legs ? vertex : net->tail[c], at->stages == begin, at);
        carrier->stages[at->stages++] =
            (struct cw_carrier_stage){.channel = c, .leg = at->legs - 1, .begins = handled, .next = CW_NONE};
        handled = false;
    }
    if (at->stages == begin) { /* nowhere a limit: it is there at once */
        carrier->arrived[path->demand] += path->bytes;
        return 0;
    }
    struct cw_carrier_stage *last = &carrier->stages[at->stages - 1];
    last->ends = true;
    carrier->legs[last->leg].to = net->head[carrier->problem->legs ? channels[path->n - 1] : last->channel];
    carrier->stages[begin].came = (uint32_t)chunks_of(carrier, path->bytes);
    return 0;
}

static int lay_paths(struct cw_carrier *carrier)
{
    struct laying at = {0, 0};
    int rc = 0;
    for (size_t i = 0; i < carrier->plan->n_paths && !rc; i++)
        if (carrier->plan->paths[i].bytes > 0) rc = lay_path(carrier, (uint32_t)i, &at);
    return rc;
}

/* What N chunks that are simulated as one cost. */
static void group_chunks(struct cw_transport *transport, uint32_t n)
{
    transport->chunk_bytes = transport->chunk_bytes <= UINT64_MAX / n ? transport->chunk_bytes * n : UINT64_MAX;
    transport->chunk_overhead *= n;
    transport->hop_latency *= n;             /* with one credit, each chunk waits for it */
    transport->list_search *= (double)n * n; /* for each, among all */
}

/* Chunks become their pieces. */
static void divide_chunks(struct cw_carrier *carrier)
{
    struct cw_transport *transport = &carrier->transport;
    if (transport->chunk_bytes % transport->pieces != 0 || transport->chunk_bytes == 0) return;
    carrier->pieces = transport->pieces;
    transport->chunk_bytes /= transport->pieces;
    transport->credits *= transport->pieces;
}

int cw_carrier_begin(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                     const struct cw_transport *transport, struct cw_carrier *carrier)
{
    *carrier = (struct cw_carrier){.problem = problem, .plan = plan, .transport = *transport, .pieces = 1};
    carrier->direct = transport->direct_is_free && plan->network_routes;
    carrier->forwards = carrier->direct || problem->legs;
    if (carrier->direct && transport->whole_messages)
        carrier->transport.chunk_bytes = UINT64_MAX;
    else if (transport->together > 1)
        group_chunks(&carrier->transport, transport->together);
    else if (transport->pieces > 1)
        divide_chunks(carrier);
    int rc = measure(carrier);
    if (!rc) rc = allocate(carrier);
    return rc ? rc : lay_paths(carrier);
}

void cw_carrier_free(struct cw_carrier *carrier)
{
    free(carrier->stages);
    free(carrier->legs);
    free(carrier->channels);
    free(carrier->nodes);
    free(carrier->arrived);
    free(carrier->done);
    free(carrier->events);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static bool comes_before(const struct cw_carrier_event *a, const struct cw_carrier_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

#define COMES_BEFORE(carrier, a, b) comes_before(a, b)
CW_HEAP(event, struct cw_carrier_event, 4, struct cw_carrier *, COMES_BEFORE, CW_HEAP_PUT)

int cw_carrier_put_event(struct cw_carrier *carrier, double time, enum cw_carrier_event_kind kind, uint32_t item,
                         double tail)
{
    if (carrier->n_events == carrier->events_capacity) {
        const int rc = cw_grow_array((void **)&carrier->events, &carrier->events_capacity, carrier->n_events + 1,
                                     sizeof *carrier->events, "events");
        if (rc) return rc;
    }
    const struct cw_carrier_event event = {
        .time = time, .tail = tail, .order = (uint64_t)kind << 62 | carrier->serial++, .item = item};
    event_push(carrier, carrier->events, &carrier->n_events, event);
    return 0;
}

bool cw_carrier_take_event(struct cw_carrier *carrier, struct cw_carrier_event *out)
{
    if (carrier->n_events == 0) return false;
    *out = event_pop(carrier, carrier->events, &carrier->n_events);
    return true;
}
