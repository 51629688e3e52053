#include "flow/transport/transport.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "flow/transport/bgq/bgq_adaptive.h"
#include "flow/transport/transport_state.h"
#include "net/network_internal.h"

#define LOOK_UP 4096 /* events between two reports of progress */

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

/* --- queues ------------------------------------------------------------------------------------------------------- */

static void append_stage(struct cw_transport_state *state, struct cw_transport_queue *queue, uint32_t s)
{
    state->stages[s].next = CW_NONE;
    if (queue->tail == CW_NONE)
        queue->head = s;
    else
        state->stages[queue->tail].next = s;
    queue->tail = s;
}

static void append_channel(struct cw_transport_state *state, struct cw_transport_queue *queue, uint32_t c)
{
    state->channels[c].next = CW_NONE;
    if (queue->tail == CW_NONE)
        queue->head = c;
    else
        state->channels[queue->tail].next = c;
    queue->tail = c;
}

/* 0: preferred; 1: the others. */
static unsigned preference(const struct cw_transport_state *state, const struct cw_transport_stage *stage)
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
static uint64_t next_chunk(const struct cw_transport_state *state, const struct cw_transport_stage *stage)
{
    const struct cw_plan_path *path = &state->plan->paths[state->legs[stage->leg].path];
    const uint64_t left = path->bytes - (uint64_t)stage->sent * state->transport.chunk_bytes;
    return left < state->transport.chunk_bytes ? left : state->transport.chunk_bytes;
}

/* How many of the chunks, or pieces of them, that came may leave: a relay sends whole chunks. */
static uint32_t ready(const struct cw_transport_state *state, const struct cw_transport_stage *stage)
{
    const struct cw_transport_leg *leg = &state->legs[stage->leg];
    if (state->pieces == 1 || !stage->begins || leg->first) return stage->came;
    const uint64_t there = (uint64_t)stage->came * state->transport.chunk_bytes;
    return there >= state->plan->paths[leg->path].bytes ? stage->came : stage->came - stage->came % state->pieces;
}

/* A chunk of PATH has reached its destination at TIME. */
static void deliver(struct cw_transport_state *state, uint32_t path, uint64_t bytes, double time)
{
    const uint32_t demand = state->plan->paths[path].demand;
    state->arrived[demand] += bytes;
    state->delivered += (double)bytes;
    state->done[demand] = fmax(state->done[demand], time);
    if (state->transport.arrivals) cw_arrivals_add(state->transport.arrivals, time, (double)bytes);
}

/* A chunk that sets out on LEG takes one of the buffers at its end. */
static void take_buffer(struct cw_transport_state *state, struct cw_transport_leg *leg)
{
    struct cw_transport_node *relay = &state->nodes[leg->to];
    leg->credits--;
    relay->buffered++;
    if (relay->buffered > state->result.buffers_max) state->result.buffers_max = relay->buffered;
}

/* True if the chunks of STAGE count against what its node may send. */
static bool is_injected(const struct cw_transport_state *state, const struct cw_transport_stage *stage)
{
    return stage->begins && state->transport.injection > 0;
}

/* When NODE is done with one more chunk, of BYTES and of LIST, which it handles after those it has begun with: it
 * searches the list, and copies what it relays. The network handles its own. */
static double handle_chunk(const struct cw_transport_state *state, struct cw_transport_node *node,
                           enum cw_transport_state_list list, uint64_t bytes)
{
    const struct cw_transport *transport = &state->transport;
    const bool copies = transport->node_copy > 0 && !transport->cut_through;
    if (state->direct || (transport->list_search <= 0 && !copies)) return state->now;
    node->works = fmax(state->now, node->works) + transport->list_search * (double)node->handled[list]++;
    if (copies && list == CW_LIST_RELAYED) node->works += (double)bytes / transport->node_copy;
    return node->works;
}

/* What the channel of STAGE does for a chunk of BYTES before it sends it, in s. Switches forward for nothing. */
static double preparation(const struct cw_transport_state *state, const struct cw_transport_stage *stage,
                          uint64_t bytes)
{
    const struct cw_transport *transport = &state->transport;
    if (!stage->begins) return 0;
    const bool copied = !state->legs[stage->leg].first && !transport->cut_through && transport->copy > 0;
    return transport->chunk_overhead + (copied ? (double)bytes / transport->copy : 0);
}

/* Until a chunk on channel C, sent from STAGE, is there and known to be, in s. */
static double latency_of(const struct cw_transport_state *state, const struct cw_transport_stage *stage, uint32_t c)
{
    const struct cw_transport *transport = &state->transport;
    const struct cw_transport_leg *leg = &state->legs[stage->leg];
    const double of_leg = !stage->ends ? 0 : leg->inside ? transport->inside_latency : transport->nic_latency;
    if (!state->forwards) return transport->hop_latency + of_leg;
    const bool relayed = stage->ends && !leg->last;
    return state->problem->net->latency[c] + of_leg + (relayed ? transport->hop_latency : 0);
}

/* NODE receives a chunk of BYTES after those that came before. It could begin at *START, which is put off if it must
 * be, and end at END; returns when it does. */
static double receive(const struct cw_transport_state *state, struct cw_transport_node *node, uint64_t bytes,
                      double *start, double end)
{
    if (state->transport.reception <= 0) return end;
    const double begin = fmax(*start, node->receives);
    node->receives = begin + (double)bytes / state->transport.reception;
    end = fmax(end + (begin - *start), node->receives);
    *start = begin;
    return end;
}

/* The chosen stage of channel C sends a chunk now. */
static int begin(struct cw_transport_state *state, uint32_t c)
{
    const struct cw_transport *transport = &state->transport;
    struct cw_transport_channel *channel = &state->channels[c];
    struct cw_transport_stage *stage = &state->stages[channel->chosen];
    struct cw_transport_leg *leg = &state->legs[stage->leg];
    const uint64_t bytes = next_chunk(state, stage);
    const double latency = latency_of(state, stage, c);
    const double inject = is_injected(state, stage) ? (double)bytes / transport->injection : 0;
    struct cw_transport_node *receiver = stage->ends ? &state->nodes[leg->to] : NULL;
    double start = state->now;
    if (stage->begins)
        start = handle_chunk(state, &state->nodes[leg->from], leg->first ? CW_LIST_OWN : CW_LIST_RELAYED, bytes);
    start += preparation(state, stage, bytes);
    double end = start + fmax((double)bytes / channel->rate, inject);
    if (receiver) end = receive(state, receiver, bytes, &start, end);
    if (receiver && leg->last) end = fmax(end, handle_chunk(state, receiver, CW_LIST_RECEIVED, bytes));
    stage->sent++;
    /* in cut-through the end of a chunk cannot leave before it came */
    if (stage->sent == stage->came && stage->tail > end) end = stage->tail;
    int rc = cw_transport_put_event(state, end, CW_EVENT_CHANNEL_FREE, c, 0);
    if (stage->begins && !leg->last) take_buffer(state, leg);
    if (stage->ends && leg->last)
        deliver(state, leg->path, bytes, end + latency);
    else if (!rc)
        rc = cw_transport_put_event(state, (stage->ends && !transport->cut_through ? end : start) + latency,
                                    CW_EVENT_ARRIVAL, channel->chosen + 1, end + latency);
    if (!rc && inject > 0) {
        state->nodes[leg->from].busy = true;
        rc = cw_transport_put_event(state, state->now + inject, CW_EVENT_NODE_FREE, leg->from, 0);
    }
    return rc;
}

/* Lets waiting channels of node V send while it can. */
static int offer_node(struct cw_transport_state *state, uint32_t v)
{
    struct cw_transport_node *node = &state->nodes[v];
    int rc = 0;
    while (!rc && !node->busy) {
        struct cw_transport_queue *queue = &node->of[node->of[0].head == CW_NONE];
        const uint32_t c = queue->head;
        if (c == CW_NONE) break;
        queue->head = state->channels[c].next;
        if (queue->head == CW_NONE) queue->tail = CW_NONE;
        rc = begin(state, c);
    }
    return rc;
}

/* If channel C is idle, chooses the stage that sends next. */
static int offer_channel(struct cw_transport_state *state, uint32_t c)
{
    struct cw_transport_channel *channel = &state->channels[c];
    struct cw_transport_queue *queue = &channel->of[channel->of[0].head == CW_NONE];
    const uint32_t s = queue->head;
    if (channel->chosen != CW_NONE || s == CW_NONE) return 0;
    struct cw_transport_stage *stage = &state->stages[s];
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
static int offer_stage(struct cw_transport_state *state, uint32_t s)
{
    struct cw_transport_stage *stage = &state->stages[s];
    struct cw_transport_channel *channel = &state->channels[stage->channel];
    if (stage->queued || channel->chosen == s) return 0;
    const struct cw_transport_leg *leg = &state->legs[stage->leg];
    if (ready(state, stage) == stage->sent || (stage->begins && !leg->last && leg->credits == 0)) return 0;
    stage->queued = true;
    append_stage(state, &channel->of[preference(state, stage)], s);
    return offer_channel(state, stage->channel);
}

/* Channel C has sent its chunk: the buffer the chunk had is free, the channel idle, and the path's next chunk goes to
 * the end of the queue. */
static int end_sending(struct cw_transport_state *state, uint32_t c)
{
    const uint32_t s = state->channels[c].chosen;
    const struct cw_transport_stage *stage = &state->stages[s];
    const struct cw_transport_leg *leg = &state->legs[stage->leg];
    state->channels[c].chosen = CW_NONE;
    int rc = 0;
    if (stage->begins && !leg->first) {
        struct cw_transport_leg *before = &state->legs[stage->leg - 1];
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

static int handle(struct cw_transport_state *state, const struct cw_transport_event *event)
{
    state->now = event->time;
    switch (cw_transport_event_kind(event)) {
    case CW_EVENT_ARRIVAL:
        state->stages[event->item].came++;
        state->stages[event->item].tail = event->tail;
        return offer_stage(state, event->item);
    case CW_EVENT_CHANNEL_FREE:
        return end_sending(state, event->item);
    case CW_EVENT_NODE_FREE:
        state->nodes[event->item].busy = false;
        return offer_node(state, event->item);
    }
    return 0;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* All bytes must have arrived, and nothing may be left on the way. */
static int settle(struct cw_transport_state *state)
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

static int move_all(struct cw_transport_state *state)
{
    struct cw_transport_event event;
    double bytes = 0;
    int rc = 0;
    for (size_t i = 0; i < state->plan->n_paths; i++) bytes += (double)state->plan->paths[i].bytes;
    for (uint32_t s = 0; s < state->n_stages && !rc; s++)
        if (state->stages[s].came > 0) rc = offer_stage(state, s);
    for (uint64_t i = 0; !rc && cw_transport_take_event(state, &event); i++) {
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
    if (!rc) rc = cw_transport_state_check(transport);
    if (rc) return rc;
    if (cw_bgq_adaptive_applies(problem, plan, transport)) return cw_bgq_adaptive_run(problem, plan, transport, out);
    struct cw_transport_state state;
    rc = cw_transport_state_begin(problem, plan, transport, &state);
    if (!rc) rc = move_all(&state);
    if (!rc) *out = state.result;
    cw_transport_state_free(&state);
    return rc;
}
