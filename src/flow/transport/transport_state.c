#include "flow/transport/transport_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "net/places.h"

#define MAX_CHUNK_HOPS 4e9 /* what asks for more has mistaken its units; so 32 bits count a path's chunks */

#define NOTHING                                                                                                        \
    {                                                                                                                  \
        CW_NONE, CW_NONE                                                                                               \
    }

static uint64_t chunks_of(const struct cw_transport_state *state, uint64_t bytes)
{
    return bytes / state->transport.chunk_bytes + (bytes % state->transport.chunk_bytes > 0);
}

static bool is_cost(double value)
{
    return value >= 0 && isfinite(value);
}

int cw_transport_state_check(const struct cw_transport *transport)
{
    if (transport->chunk_bytes == 0) return cw_fail(CW_EUSAGE, "transport: chunks of 0 bytes; expected more");
    if (transport->credits <= 0)
        return cw_fail(CW_EUSAGE, "transport: %" PRId64 " credits; expected at least 1, or relays can take nothing in",
                       transport->credits);
    if (!(transport->efficiency > 0 && transport->efficiency <= 1))
        return cw_fail(CW_EUSAGE, "transport: an efficiency of %g; expected more than 0, at most 1",
                       transport->efficiency);
    if (!(transport->inside_efficiency >= 0 && transport->inside_efficiency <= 1))
        return cw_fail(CW_EUSAGE, "transport: an efficiency inside hosts of %g; expected 0 to 1",
                       transport->inside_efficiency);
    char overhead[32], latency[32], search[32];
    if (!is_cost(transport->inside_latency) || !is_cost(transport->nic_latency))
        return cw_fail(CW_EUSAGE, "transport: latencies of %s inside hosts, %s by a NIC; expected 0 or more",
                       cw_format_time(transport->inside_latency, latency, sizeof latency),
                       cw_format_time(transport->nic_latency, search, sizeof search));
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
static int measure(struct cw_transport_state *state)
{
    const struct cw_plan *plan = state->plan;
    double chunk_hops = 0;
    size_t stages = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        const uint64_t chunks = chunks_of(state, path->bytes);
        const uint32_t hops = cw_flow_hops(state->problem, plan->channels + path->first, path->n);
        chunk_hops += (double)chunks * hops;
        bytes += path->bytes;
        state->result.chunks += chunks;
        if (chunks > 0) stages += hops;
    }
    if (bytes == 0) return cw_fail(CW_EUSAGE, "transport: the plan's paths have no bytes; it must be rounded first");
    if (chunk_hops > MAX_CHUNK_HOPS || stages >= UINT32_MAX)
        return cw_fail(CW_ELIMIT, "transport: %.3g chunks on all hops, more than %.3g; expected larger chunks",
                       chunk_hops, MAX_CHUNK_HOPS);
    state->n_stages = stages;
    return 0;
}

static int allocate(struct cw_transport_state *state)
{
    const struct cw_network *net = state->problem->net;
    const struct cw_transport *transport = &state->transport;
    const double inside = transport->inside_efficiency > 0 ? transport->inside_efficiency : transport->efficiency;
    state->stages = cw_new_array(state->n_stages, sizeof *state->stages, "stages of paths");
    state->legs = cw_new_array(state->n_stages, sizeof *state->legs, "legs of paths");
    state->channels = cw_new_array(net->n_channels, sizeof *state->channels, "channels of a transport");
    state->nodes = cw_new_array(net->n_vertices, sizeof *state->nodes, "nodes of a transport");
    state->arrived = cw_new_array(state->problem->demands->n, sizeof *state->arrived, "demands of a transport");
    state->done = cw_new_array(state->problem->demands->n, sizeof *state->done, "demands of a transport");
    if (!state->stages || !state->legs || !state->channels || !state->nodes || !state->arrived || !state->done)
        return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++)
        state->channels[c] = (struct cw_transport_channel){
            .rate = state->problem->capacity[c] * (cw_network_is_inside(net, c) ? inside : transport->efficiency),
            .of = {NOTHING, NOTHING},
            .chosen = CW_NONE,
            .next = CW_NONE};
    for (uint32_t v = 0; v < net->n_vertices; v++)
        state->nodes[v] = (struct cw_transport_node){.of = {NOTHING, NOTHING}};
    return 0;
}

/* How far stages and legs have been laid. */
struct laying {
    uint32_t stages, legs;
};

/* True if what comes over the channels before hop HOP of PATH is handled by a vertex before it goes on. */
static bool is_handled(const struct cw_transport_state *state, const struct cw_plan_path *path, uint32_t hop)
{
    const uint32_t *channels = state->plan->channels + path->first;
    return hop == 0 || (!state->direct && cw_flow_is_relay(state->problem, channels[hop - 1], channels[hop]));
}

/* Begins a leg of path INDEX at VERTEX; the one before, unless this is the FIRST, ends there. */
static void begin_leg(struct cw_transport_state *state, uint32_t index, uint32_t vertex, bool first, struct laying *at)
{
    if (!first) {
        state->legs[at->legs - 1].to = vertex;
        state->legs[at->legs - 1].last = false;
        state->stages[at->stages - 1].ends = true;
    }
    state->legs[at->legs++] =
        (struct cw_transport_leg){.from = vertex,
                                  .path = index,
                                  .begin = at->stages,
                                  .credits = (uint32_t)fmin((double)state->transport.credits, UINT32_MAX),
                                  .inside = true,
                                  .first = first,
                                  .last = true};
}

static int fail_without_capacity(const struct cw_transport_state *state, uint32_t index, uint32_t c)
{
    char name[2 * CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "transport: path %u uses channel %s, which has no capacity", index,
                   cw_network_channel_name(state->problem->net, c, name, sizeof name));
}

/* The stages and legs of path INDEX, behind those that are there. The inside of a node, a channel without a limit, is
 * none. A vertex that handles data is the endpoint where paths consist of legs, else the node at the channel. */
static int lay_path(struct cw_transport_state *state, uint32_t index, struct laying *at)
{
    const struct cw_network *net = state->problem->net;
    const struct cw_plan_path *path = &state->plan->paths[index];
    const uint32_t *channels = state->plan->channels + path->first, begin = at->stages;
    bool handled = false;
    uint32_t vertex = CW_NONE;
    for (uint32_t hop = 0; hop < path->n; hop++) {
        const uint32_t c = channels[hop];
        if (is_handled(state, path, hop)) {
            handled = true;
            vertex = net->tail[c];
        }
        if (isinf(state->problem->capacity[c])) continue;
        if (!(state->problem->capacity[c] > 0)) return fail_without_capacity(state, index, c);
        if (handled) begin_leg(state, index, state->problem->legs ? vertex : net->tail[c], at->stages == begin, at);
        state->legs[at->legs - 1].inside &= cw_network_is_inside(net, c);
        state->stages[at->stages++] =
            (struct cw_transport_stage){.channel = c, .leg = at->legs - 1, .begins = handled, .next = CW_NONE};
        handled = false;
    }
    if (at->stages == begin) { /* nowhere a limit: it is there at once */
        state->arrived[path->demand] += path->bytes;
        return 0;
    }
    struct cw_transport_stage *last = &state->stages[at->stages - 1];
    last->ends = true;
    state->legs[last->leg].to = net->head[state->problem->legs ? channels[path->n - 1] : last->channel];
    state->stages[begin].came = (uint32_t)chunks_of(state, path->bytes);
    return 0;
}

static int lay_paths(struct cw_transport_state *state)
{
    struct laying at = {0, 0};
    int rc = 0;
    for (size_t i = 0; i < state->plan->n_paths && !rc; i++)
        if (state->plan->paths[i].bytes > 0) rc = lay_path(state, (uint32_t)i, &at);
    return rc;
}

/* What N chunks that are simulated as one cost. */
static void group_chunks(struct cw_transport *transport, uint32_t n)
{
    transport->chunk_bytes = transport->chunk_bytes <= UINT64_MAX / n ? transport->chunk_bytes * n : UINT64_MAX;
    transport->chunk_overhead *= n;
    transport->hop_latency *= n; /* with one credit, each chunk waits for it */
    transport->inside_latency *= n;
    transport->nic_latency *= n;
    transport->list_search *= (double)n * n; /* for each, among all */
}

/* Chunks become their pieces. */
static void divide_chunks(struct cw_transport_state *state)
{
    struct cw_transport *transport = &state->transport;
    if (transport->chunk_bytes % transport->pieces != 0 || transport->chunk_bytes == 0) return;
    state->pieces = transport->pieces;
    transport->chunk_bytes /= transport->pieces;
    transport->credits *= transport->pieces;
}

int cw_transport_state_begin(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                             const struct cw_transport *transport, struct cw_transport_state *state)
{
    *state = (struct cw_transport_state){.problem = problem, .plan = plan, .transport = *transport, .pieces = 1};
    state->direct = transport->direct_is_free && plan->network_routes;
    state->forwards = state->direct || problem->legs;
    if (state->direct && transport->whole_messages)
        state->transport.chunk_bytes = UINT64_MAX;
    else if (transport->together > 1)
        group_chunks(&state->transport, transport->together);
    else if (transport->pieces > 1)
        divide_chunks(state);
    int rc = measure(state);
    if (!rc) rc = allocate(state);
    return rc ? rc : lay_paths(state);
}

void cw_transport_state_free(struct cw_transport_state *state)
{
    free(state->stages);
    free(state->legs);
    free(state->channels);
    free(state->nodes);
    free(state->arrived);
    free(state->done);
    free(state->events);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static bool comes_before(const struct cw_transport_event *a, const struct cw_transport_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

#define COMES_BEFORE(state, a, b) comes_before(a, b)
CW_HEAP(event, struct cw_transport_event, 4, struct cw_transport_state *, COMES_BEFORE, CW_HEAP_PUT)

int cw_transport_put_event(struct cw_transport_state *state, double time, enum cw_transport_event_kind kind,
                           uint32_t item, double tail)
{
    if (state->n_events == state->events_capacity) {
        const int rc = cw_grow_array((void **)&state->events, &state->events_capacity, state->n_events + 1,
                                     sizeof *state->events, "events");
        if (rc) return rc;
    }
    const struct cw_transport_event event = {
        .time = time, .tail = tail, .order = (uint64_t)kind << 62 | state->serial++, .item = item};
    event_push(state, state->events, &state->n_events, event);
    return 0;
}

bool cw_transport_take_event(struct cw_transport_state *state, struct cw_transport_event *out)
{
    if (state->n_events == 0) return false;
    *out = event_pop(state, state->events, &state->n_events);
    return true;
}
