#include "flow/transport/transport.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/units.h"
#include "flow/transport/adaptive_torus.h"
#include "net/network_internal.h"
#include "net/places.h"

#define LOOK_UP        4096 /* events between two reports of progress */
#define MAX_CHUNK_HOPS 4e9  /* what asks for more has mistaken its units; so 32 bits count a path's chunks */

/* --- what has arrived --------------------------------------------------------------------------------------------- */

#define SHORTEST 1e-9 /* s: the first width of intervals */

static void merge_pairs(struct cw_arrivals *arrivals)
{
    for (size_t i = 0; i < CW_ARRIVALS; i++) {
        const double both = 2 * i < CW_ARRIVALS ? arrivals->bytes[2 * i] + arrivals->bytes[2 * i + 1] : 0;
        arrivals->bytes[i] = both;
    }
    arrivals->width *= 2;
}

void cw_arrivals_add(struct cw_arrivals *arrivals, double time, double bytes)
{
    if (arrivals->width == 0) arrivals->width = SHORTEST;
    while (time > arrivals->width * CW_ARRIVALS) merge_pairs(arrivals);
    const double at = ceil(time / arrivals->width) - 1;
    arrivals->bytes[at < 0 ? 0 : at < CW_ARRIVALS ? (size_t)at : CW_ARRIVALS - 1] += bytes;
}

/* --- the state ---------------------------------------------------------------------------------------------------- */

/* What came is there before what is free asks for work. */
enum event_kind { EVENT_ARRIVAL, EVENT_CHANNEL_FREE, EVENT_NODE_FREE };

struct event {
    double time;
    double tail;    /* arrival: when the chunk's last byte is there; else unused */
    uint64_t order; /* kind in the two highest bits, then a serial number */
    uint32_t item;  /* stage, channel or node */
};

static enum event_kind event_kind(const struct event *event)
{
    return (enum event_kind)(event->order >> 62);
}

/* A first-in first-out list of stages or channels, linked through their `next`. Empty: both CW_NONE. */
struct queue {
    uint32_t head, tail;
};

/* Channels of a path between two vertices that handle its chunks: its source, its relays and its destination. The legs
 * of a path follow one another. */
struct leg {
    uint32_t from, to; /* vertices */
    uint32_t path;     /* in the plan */
    uint32_t begin;    /* its first stage */
    uint32_t credits;  /* free buffers at its end */
    bool inside;       /* a host, all of it */
    bool first, last;  /* of the path: at its source; leads to its destination */
};

/* One channel with a limit on one path: where its chunks wait to be sent. The stages of a path follow one another. */
struct stage {
    double tail; /* when the last byte of the chunk that came last is there */
    uint32_t channel, leg;
    uint32_t came, sent; /* chunks */
    uint32_t next;       /* in the channel's queue */
    bool begins, ends;   /* its leg */
    bool queued;
};

struct channel {
    double rate;        /* byte/s */
    struct queue of[2]; /* stages that could send, the preferred ones and the others */
    uint32_t chosen;    /* the stage that sends or waits for the node to let it; CW_NONE: idle */
    uint32_t next;      /* in the node's queue */
};

/* The lists in which a node keeps its chunks: its own, those it relays, and those that are for it. */
enum list { LIST_OWN, LIST_RELAYED, LIST_RECEIVED, LISTS };

struct node {
    struct queue of[2];      /* channels whose chosen stage waits, the preferred ones and the others */
    double receives;         /* until then, with the chunks that are on their last channel to here */
    double works;            /* until then, on chunks that it handles */
    uint64_t handled[LISTS]; /* so far */
    uint32_t buffered;       /* chunks under way that are here */
    bool busy;
};

struct state {
    const struct cw_flow_problem *problem;
    const struct cw_plan *plan;
    struct cw_transport transport;
    bool direct;     /* carried by the network: each path is one leg */
    uint32_t pieces; /* of a chunk: each is simulated as a chunk is */
    bool forwards;   /* switches forward within legs, which take the latency of cables */
    struct stage *stages;
    struct leg *legs; /* at most one a stage */
    size_t n_stages;
    struct channel *channels; /* [channels of the network] */
    struct node *nodes;       /* [vertices] */
    uint64_t *arrived;        /* [demands] bytes at their destination */
    double *done;             /* [demands] s */
    double delivered;         /* bytes that have arrived, all told */
    struct event *events;     /* a heap, by time, then order */
    size_t n_events, events_capacity;
    uint64_t serial;
    double now;
    struct cw_transport_result result;
};

#define NOTHING                                                                                                        \
    {                                                                                                                  \
        CW_NONE, CW_NONE                                                                                               \
    }

static uint64_t chunks_of(const struct state *state, uint64_t bytes)
{
    return bytes / state->transport.chunk_bytes + (bytes % state->transport.chunk_bytes > 0);
}

static bool is_cost(double value)
{
    return value >= 0 && isfinite(value);
}

static int check_costs(const struct cw_transport *transport)
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
        !is_cost(transport->reception) || !is_cost(transport->messages.rate))
        return cw_fail(CW_EUSAGE,
                       "transport: copies at %g byte/s, of a node at %g byte/s, injection of %g byte/s, reception of "
                       "%g byte/s, messages at %g byte/s; expected 0 (no limit) or more",
                       transport->copy, transport->node_copy, transport->injection, transport->reception,
                       transport->messages.rate);
    return 0;
}

/* Counts the plan's stages and chunks. */
static int measure(struct state *state)
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

static int allocate(struct state *state)
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
        state->channels[c] = (struct channel){.rate = state->problem->capacity[c] *
                                                      (cw_network_is_inside(net, c) ? inside : transport->efficiency),
                                              .of = {NOTHING, NOTHING},
                                              .chosen = CW_NONE,
                                              .next = CW_NONE};
    for (uint32_t v = 0; v < net->n_vertices; v++) state->nodes[v] = (struct node){.of = {NOTHING, NOTHING}};
    return 0;
}

/* How far stages and legs have been laid. */
struct laying {
    uint32_t stages, legs;
};

/* True if what comes over the channels before hop HOP of PATH is handled by a vertex before it goes on. */
static bool is_handled(const struct state *state, const struct cw_plan_path *path, uint32_t hop)
{
    const uint32_t *channels = state->plan->channels + path->first;
    return hop == 0 || (!state->direct && cw_flow_is_relay(state->problem, channels[hop - 1], channels[hop]));
}

/* Begins a leg of path INDEX at VERTEX; the one before, unless this is the FIRST, ends there. */
static void begin_leg(struct state *state, uint32_t index, uint32_t vertex, bool first, struct laying *at)
{
    if (!first) {
        state->legs[at->legs - 1].to = vertex;
        state->legs[at->legs - 1].last = false;
        state->stages[at->stages - 1].ends = true;
    }
    state->legs[at->legs++] = (struct leg){.from = vertex,
                                           .path = index,
                                           .begin = at->stages,
                                           .credits = (uint32_t)fmin((double)state->transport.credits, UINT32_MAX),
                                           .inside = true,
                                           .first = first,
                                           .last = true};
}

static int fail_without_capacity(const struct state *state, uint32_t index, uint32_t c)
{
    char name[2 * CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "transport: path %u uses channel %s, which has no capacity", index,
                   cw_network_channel_name(state->problem->net, c, name, sizeof name));
}

/* The stages and legs of path INDEX, behind those that are there. The inside of a node, a channel without a limit, is
 * none. A vertex that handles data is the endpoint where paths consist of legs, else the node at the channel. */
static int lay_path(struct state *state, uint32_t index, struct laying *at)
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
            (struct stage){.channel = c, .leg = at->legs - 1, .begins = handled, .next = CW_NONE};
        handled = false;
    }
    if (at->stages == begin) { /* nowhere a limit: it is there at once */
        state->arrived[path->demand] += path->bytes;
        return 0;
    }
    struct stage *last = &state->stages[at->stages - 1];
    last->ends = true;
    state->legs[last->leg].to = net->head[state->problem->legs ? channels[path->n - 1] : last->channel];
    state->stages[begin].came = (uint32_t)chunks_of(state, path->bytes);
    return 0;
}

static int lay_paths(struct state *state)
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
static void divide_chunks(struct state *state)
{
    struct cw_transport *transport = &state->transport;
    if (transport->chunk_bytes % transport->pieces != 0 || transport->chunk_bytes == 0) return;
    state->pieces = transport->pieces;
    transport->chunk_bytes /= transport->pieces;
    transport->credits *= transport->pieces;
}

static int set_up(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                  const struct cw_transport *transport, struct state *state)
{
    *state = (struct state){.problem = problem, .plan = plan, .transport = *transport, .pieces = 1};
    state->direct = plan->network_routes;
    state->forwards = state->direct || problem->legs;
    if (state->direct && transport->messages.whole)
        state->transport.chunk_bytes = UINT64_MAX;
    else if (transport->together > 1)
        group_chunks(&state->transport, transport->together);
    else if (transport->pieces > 1)
        divide_chunks(state);
    int rc = measure(state);
    if (!rc) rc = allocate(state);
    return rc ? rc : lay_paths(state);
}

static void tear_down(struct state *state)
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

static bool comes_before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

#define COMES_BEFORE(state, a, b) comes_before(a, b)
CW_HEAP(event, struct event, 4, struct state *, COMES_BEFORE, CW_HEAP_PUT)

static int put_event(struct state *state, double time, enum event_kind kind, uint32_t item, double tail)
{
    if (state->n_events == state->events_capacity) {
        const int rc = cw_grow_array((void **)&state->events, &state->events_capacity, state->n_events + 1,
                                     sizeof *state->events, "events");
        if (rc) return rc;
    }
    const struct event event = {
        .time = time, .tail = tail, .order = (uint64_t)kind << 62 | state->serial++, .item = item};
    event_push(state, state->events, &state->n_events, event);
    return 0;
}

static bool take_event(struct state *state, struct event *out)
{
    if (state->n_events == 0) return false;
    *out = event_pop(state, state->events, &state->n_events);
    return true;
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

static void append_stage(struct state *state, struct queue *queue, uint32_t s)
{
    state->stages[s].next = CW_NONE;
    if (queue->tail == CW_NONE)
        queue->head = s;
    else
        state->stages[queue->tail].next = s;
    queue->tail = s;
}

static void append_channel(struct state *state, struct queue *queue, uint32_t c)
{
    state->channels[c].next = CW_NONE;
    if (queue->tail == CW_NONE)
        queue->head = c;
    else
        state->channels[queue->tail].next = c;
    queue->tail = c;
}

/* 0: preferred; 1: the others. */
static unsigned preference(const struct state *state, const struct stage *stage)
{
    const bool local = stage->begins && state->legs[stage->leg].first;
    switch (state->transport.order) {
    case CW_ORDER_LOCAL_FIRST:
        return local ? 0 : 1;
    case CW_ORDER_FORWARD_FIRST:
        return local ? 1 : 0;
    case CW_ORDER_FIRST_COME:
        break;
    }
    return 0;
}

/* --- moving chunks ------------------------------------------------------------------------------------------------ */

/* The bytes of the next chunk: all are full but the last one of a path. */
static uint64_t next_chunk(const struct state *state, const struct stage *stage)
{
    const struct cw_plan_path *path = &state->plan->paths[state->legs[stage->leg].path];
    const uint64_t left = path->bytes - (uint64_t)stage->sent * state->transport.chunk_bytes;
    return left < state->transport.chunk_bytes ? left : state->transport.chunk_bytes;
}

/* How many of the chunks, or pieces of them, that came may leave: a relay sends whole chunks. */
static uint32_t ready(const struct state *state, const struct stage *stage)
{
    const struct leg *leg = &state->legs[stage->leg];
    if (state->pieces == 1 || !stage->begins || leg->first) return stage->came;
    const uint64_t there = (uint64_t)stage->came * state->transport.chunk_bytes;
    return there >= state->plan->paths[leg->path].bytes ? stage->came : stage->came - stage->came % state->pieces;
}

/* A chunk of PATH has reached its destination at TIME. */
static void deliver(struct state *state, uint32_t path, uint64_t bytes, double time)
{
    const uint32_t demand = state->plan->paths[path].demand;
    state->arrived[demand] += bytes;
    state->delivered += (double)bytes;
    state->done[demand] = fmax(state->done[demand], time);
    if (state->transport.arrivals) cw_arrivals_add(state->transport.arrivals, time, (double)bytes);
}

/* A chunk that sets out on LEG takes one of the buffers at its end. */
static void take_buffer(struct state *state, struct leg *leg)
{
    struct node *relay = &state->nodes[leg->to];
    leg->credits--;
    relay->buffered++;
    if (relay->buffered > state->result.buffers_max) state->result.buffers_max = relay->buffered;
}

/* True if the chunks of STAGE count against what its node may send. */
static bool is_injected(const struct state *state, const struct stage *stage)
{
    return stage->begins && state->transport.injection > 0;
}

/* When NODE is done with one more chunk, of BYTES and of LIST, which it handles after those it has begun with: it
 * searches the list, and copies what it relays. The network handles its own. */
static double handle_chunk(const struct state *state, struct node *node, enum list list, uint64_t bytes)
{
    const struct cw_transport *transport = &state->transport;
    const bool copies = transport->node_copy > 0 && !transport->cut_through;
    if (state->direct || (transport->list_search <= 0 && !copies)) return state->now;
    node->works = fmax(state->now, node->works) + transport->list_search * (double)node->handled[list]++;
    if (copies && list == LIST_RELAYED) node->works += (double)bytes / transport->node_copy;
    return node->works;
}

/* What the channel of STAGE does for a chunk of BYTES before it sends it, in s. Switches forward for nothing. */
static double preparation(const struct state *state, const struct stage *stage, uint64_t bytes)
{
    const struct cw_transport *transport = &state->transport;
    if (!stage->begins) return 0;
    const bool copied = !state->legs[stage->leg].first && !transport->cut_through && transport->copy > 0;
    return transport->chunk_overhead + (copied ? (double)bytes / transport->copy : 0);
}

/* Until a chunk on channel C, sent from STAGE, is there and known to be, in s. */
static double latency_of(const struct state *state, const struct stage *stage, uint32_t c)
{
    const struct cw_transport *transport = &state->transport;
    const struct leg *leg = &state->legs[stage->leg];
    const double of_leg = !stage->ends ? 0 : leg->inside ? transport->inside_latency : transport->nic_latency;
    if (!state->forwards) return transport->hop_latency + of_leg;
    const bool relayed = stage->ends && !leg->last;
    return state->problem->net->latency[c] + of_leg + (relayed ? transport->hop_latency : 0);
}

/* NODE receives a chunk of BYTES after those that came before. It could begin at *START, which is put off if it must
 * be, and end at END; returns when it does. */
static double receive(const struct state *state, struct node *node, uint64_t bytes, double *start, double end)
{
    if (state->transport.reception <= 0) return end;
    const double begin = fmax(*start, node->receives);
    node->receives = begin + (double)bytes / state->transport.reception;
    end = fmax(end + (begin - *start), node->receives);
    *start = begin;
    return end;
}

/* The chosen stage of channel C sends a chunk now. */
static int begin(struct state *state, uint32_t c)
{
    const struct cw_transport *transport = &state->transport;
    struct channel *channel = &state->channels[c];
    struct stage *stage = &state->stages[channel->chosen];
    struct leg *leg = &state->legs[stage->leg];
    const uint64_t bytes = next_chunk(state, stage);
    const double latency = latency_of(state, stage, c);
    const double inject = is_injected(state, stage) ? (double)bytes / transport->injection : 0;
    struct node *receiver = stage->ends ? &state->nodes[leg->to] : NULL;
    double start = state->now;
    if (stage->begins)
        start = handle_chunk(state, &state->nodes[leg->from], leg->first ? LIST_OWN : LIST_RELAYED, bytes);
    start += preparation(state, stage, bytes);
    double end = start + fmax((double)bytes / channel->rate, inject);
    if (receiver) end = receive(state, receiver, bytes, &start, end);
    if (receiver && leg->last) end = fmax(end, handle_chunk(state, receiver, LIST_RECEIVED, bytes));
    stage->sent++;
    /* in cut-through the end of a chunk cannot leave before it came */
    if (stage->sent == stage->came && stage->tail > end) end = stage->tail;
    int rc = put_event(state, end, EVENT_CHANNEL_FREE, c, 0);
    if (stage->begins && !leg->last) take_buffer(state, leg);
    if (stage->ends && leg->last)
        deliver(state, leg->path, bytes, end + latency);
    else if (!rc)
        rc = put_event(state, (stage->ends && !transport->cut_through ? end : start) + latency, EVENT_ARRIVAL,
                       channel->chosen + 1, end + latency);
    if (!rc && inject > 0) {
        state->nodes[leg->from].busy = true;
        rc = put_event(state, state->now + inject, EVENT_NODE_FREE, leg->from, 0);
    }
    return rc;
}

/* Lets waiting channels of node V send while it can. */
static int offer_node(struct state *state, uint32_t v)
{
    struct node *node = &state->nodes[v];
    int rc = 0;
    while (!rc && !node->busy) {
        struct queue *queue = &node->of[node->of[0].head == CW_NONE];
        const uint32_t c = queue->head;
        if (c == CW_NONE) break;
        queue->head = state->channels[c].next;
        if (queue->head == CW_NONE) queue->tail = CW_NONE;
        rc = begin(state, c);
    }
    return rc;
}

/* If channel C is idle, chooses the stage that sends next. */
static int offer_channel(struct state *state, uint32_t c)
{
    struct channel *channel = &state->channels[c];
    struct queue *queue = &channel->of[channel->of[0].head == CW_NONE];
    const uint32_t s = queue->head;
    if (channel->chosen != CW_NONE || s == CW_NONE) return 0;
    struct stage *stage = &state->stages[s];
    queue->head = stage->next;
    if (queue->head == CW_NONE) queue->tail = CW_NONE;
    stage->queued = false;
    channel->chosen = s;
    if (!is_injected(state, stage)) return begin(state, c);
    const uint32_t v = state->legs[stage->leg].from;
    append_channel(state, &state->nodes[v].of[preference(state, stage)], c);
    return offer_node(state, v);
}

/* If stage S could send, and is not at it already, it joins its channel's queue: paths take turns. */
static int offer_stage(struct state *state, uint32_t s)
{
    struct stage *stage = &state->stages[s];
    struct channel *channel = &state->channels[stage->channel];
    if (stage->queued || channel->chosen == s) return 0;
    const struct leg *leg = &state->legs[stage->leg];
    if (ready(state, stage) == stage->sent || (stage->begins && !leg->last && leg->credits == 0)) return 0;
    stage->queued = true;
    append_stage(state, &channel->of[preference(state, stage)], s);
    return offer_channel(state, stage->channel);
}

/* Channel C has sent its chunk: the buffer the chunk had is free, the channel idle, and the path's next chunk goes to
 * the end of the queue. */
static int end_sending(struct state *state, uint32_t c)
{
    const uint32_t s = state->channels[c].chosen;
    const struct stage *stage = &state->stages[s];
    const struct leg *leg = &state->legs[stage->leg];
    state->channels[c].chosen = CW_NONE;
    int rc = 0;
    if (stage->begins && !leg->first) {
        struct leg *before = &state->legs[stage->leg - 1];
        if (stage->sent % state->pieces == 0) before->credits += state->pieces;
        state->nodes[leg->from].buffered--;
        rc = offer_stage(state, before->begin);
    }
    if (!rc && stage->begins && stage->sent % state->pieces != 0 && ready(state, stage) > stage->sent) {
        state->channels[c].chosen = s; /* the pieces of a chunk follow one another */
        return begin(state, c);
    }
    if (!rc) rc = offer_stage(state, s);
    return rc ? rc : offer_channel(state, c);
}

static int handle(struct state *state, const struct event *event)
{
    state->now = event->time;
    switch (event_kind(event)) {
    case EVENT_ARRIVAL:
        state->stages[event->item].came++;
        state->stages[event->item].tail = event->tail;
        return offer_stage(state, event->item);
    case EVENT_CHANNEL_FREE:
        return end_sending(state, event->item);
    case EVENT_NODE_FREE:
        state->nodes[event->item].busy = false;
        return offer_node(state, event->item);
    }
    return 0;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* All bytes must have arrived, and nothing may be left on the way. */
static int settle(struct state *state)
{
    const struct cw_demands *demands = state->problem->demands;
    struct cw_transport_result *result = &state->result;
    double bytes = 0;
    result->first_done = INFINITY;
    for (size_t d = 0; d < demands->n; d++) {
        if (state->arrived[d] != demands->items[d].bytes)
            return cw_fail(CW_EINTERNAL, "transport: %" PRIu64 " of the %" PRIu64 " bytes of demand %zu arrived",
                           state->arrived[d], demands->items[d].bytes, d);
        bytes += (double)state->arrived[d];
        result->first_done = fmin(result->first_done, state->done[d]);
        result->last_done = fmax(result->last_done, state->done[d]);
    }
    for (uint32_t v = 0; v < state->problem->net->n_vertices; v++)
        if (state->nodes[v].buffered != 0)
            return cw_fail(CW_EINTERNAL, "transport: %u chunks are left at vertex %u", state->nodes[v].buffered, v);
    result->seconds = result->last_done;
    result->bytes_per_second = result->seconds > 0 ? bytes / result->seconds : INFINITY;
    return 0;
}

static int move_all(struct state *state)
{
    struct event event;
    double bytes = 0;
    int rc = 0;
    for (size_t i = 0; i < state->plan->n_paths; i++) bytes += (double)state->plan->paths[i].bytes;
    for (uint32_t s = 0; s < state->n_stages && !rc; s++)
        if (state->stages[s].came > 0) rc = offer_stage(state, s);
    for (uint64_t i = 0; !rc && take_event(state, &event); i++) {
        rc = handle(state, &event);
        if (!rc) rc = cw_interrupt_check();
        if (i % LOOK_UP == 0) cw_progress_reach(&state->transport.progress, state->delivered / bytes);
    }
    return rc ? rc : settle(state);
}

int cw_transport_run(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                     const struct cw_transport *transport, struct cw_transport_result *out)
{
    int rc = cw_flow_problem_check(problem);
    if (!rc) rc = check_costs(transport);
    if (rc) return rc;
    if (cw_adaptive_torus_applies(problem, plan, transport))
        return cw_adaptive_torus_run(problem, plan, transport, out);
    struct state state;
    rc = set_up(problem, plan, transport, &state);
    if (!rc) rc = move_all(&state);
    if (!rc) *out = state.result;
    tear_down(&state);
    return rc;
}
