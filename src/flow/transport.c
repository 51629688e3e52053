#include "flow/transport.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "flow/transport_events.h"

#define LOOK_UP 4096 /* events between two reports of progress */

#define MAX_CHUNK_HOPS 4e9 /* what asks for more has mistaken its units; so 32 bits count a path's chunks */

/* A first-in first-out list of stages or channels, linked through their `next`. */
struct queue {
    uint32_t head, tail;
};

/* One channel with a limit on one path: where its chunks wait to be sent. The stages of a path follow one another. */
struct stage {
    double tail;            /* when the last byte of the chunk that came last is there */
    uint32_t channel, path; /* path: in the plan */
    uint32_t came, sent;    /* chunks */
    uint32_t credits;       /* free buffers behind the channel */
    uint32_t next;          /* in the channel's queue */
    bool first, last;       /* of the path: at its source; leads to its destination */
    bool queued;
};

struct channel {
    double rate;        /* byte/s */
    struct queue of[2]; /* stages that could send, the preferred ones and the others */
    uint32_t chosen;    /* the stage that sends or waits for the node to let it; CW_NONE: idle */
    uint32_t next;      /* in the node's queue */
};

struct node {
    struct queue of[2]; /* channels whose chosen stage waits, the preferred ones and the others */
    uint32_t buffered;  /* chunks under way that are here */
    bool busy;
};

struct run {
    const struct cw_flow_problem *problem;
    const struct cw_plan *plan;
    struct cw_transport transport;
    bool direct; /* carried by the network: only the source has costs, nothing is buffered by software */
    bool cut_through;
    struct stage *stages;
    size_t n_stages;
    struct channel *channels; /* [channels of the network] */
    struct node *nodes;       /* [vertices] */
    uint64_t *arrived;        /* [demands] bytes at their destination */
    double *done;             /* [demands] s */
    double delivered;         /* bytes that have arrived, all told */
    struct cw_transport_events events;
    double now;
    struct cw_transport_result result;
};

/* --- queues ------------------------------------------------------------------------------------------------------- */

static const struct queue empty = {.head = CW_NONE, .tail = CW_NONE};

static void append_stage(struct run *run, struct queue *queue, uint32_t s)
{
    run->stages[s].next = CW_NONE;
    if (queue->tail == CW_NONE)
        queue->head = s;
    else
        run->stages[queue->tail].next = s;
    queue->tail = s;
}

static void append_channel(struct run *run, struct queue *queue, uint32_t c)
{
    run->channels[c].next = CW_NONE;
    if (queue->tail == CW_NONE)
        queue->head = c;
    else
        run->channels[queue->tail].next = c;
    queue->tail = c;
}

/* 0: preferred; 1: the others. */
static unsigned preference(const struct run *run, const struct stage *stage)
{
    switch (run->transport.order) {
    case CW_ORDER_LOCAL_FIRST:
        return stage->first ? 0 : 1;
    case CW_ORDER_FORWARD_FIRST:
        return stage->first ? 1 : 0;
    case CW_ORDER_FIRST_COME:
        break;
    }
    return 0;
}

/* --- moving chunks ------------------------------------------------------------------------------------------------ */

static uint64_t chunks_of(const struct run *run, uint64_t bytes)
{
    return bytes / run->transport.chunk_bytes + (bytes % run->transport.chunk_bytes > 0);
}

/* The bytes of the next chunk: all are full but the last one of a path. */
static uint64_t next_chunk(const struct run *run, const struct stage *stage)
{
    const uint64_t left = run->plan->paths[stage->path].bytes - (uint64_t)stage->sent * run->transport.chunk_bytes;
    return left < run->transport.chunk_bytes ? left : run->transport.chunk_bytes;
}

/* The chunk has reached its destination at TIME. */
static void deliver(struct run *run, const struct stage *stage, uint64_t bytes, double time)
{
    const uint32_t demand = run->plan->paths[stage->path].demand;
    run->arrived[demand] += bytes;
    run->delivered += (double)bytes;
    run->done[demand] = fmax(run->done[demand], time);
}

/* The chunk takes one of the next relay's buffers and is announced there. */
static int announce(struct run *run, uint32_t s, double head, double tail)
{
    struct stage *stage = &run->stages[s];
    if (!run->direct) {
        struct node *relay = &run->nodes[run->problem->net->head[stage->channel]];
        stage->credits--;
        relay->buffered++;
        if (relay->buffered > run->result.buffers_max) run->result.buffers_max = relay->buffered;
    }
    return cw_transport_events_put(&run->events, head, CW_EVENT_ARRIVAL, s + 1, tail);
}

/* True if STAGE's chunks count against what the node may send. */
static bool is_injected(const struct run *run, const struct stage *stage)
{
    return run->transport.injection > 0 && (stage->first || !run->direct);
}

/* What the channel of STAGE does for a chunk of BYTES before it sends it, in s. */
static double preparation(const struct run *run, const struct stage *stage, uint64_t bytes)
{
    const struct cw_transport *transport = &run->transport;
    if (run->direct && !stage->first) return 0;
    const bool copied = !stage->first && !run->cut_through && transport->copy > 0;
    return transport->chunk_overhead + (copied ? (double)bytes / transport->copy : 0);
}

/* The chosen stage of channel C sends a chunk now. */
static int begin(struct run *run, uint32_t c)
{
    const struct cw_network *net = run->problem->net;
    struct channel *channel = &run->channels[c];
    struct stage *stage = &run->stages[channel->chosen];
    const uint64_t bytes = next_chunk(run, stage);
    const double ready = run->now + preparation(run, stage, bytes), wire = (double)bytes / channel->rate;
    const double inject = is_injected(run, stage) ? (double)bytes / run->transport.injection : 0;
    const double latency = run->direct ? net->latency[c] : run->transport.hop_latency;
    double end = ready + fmax(wire, inject);
    stage->sent++;
    /* in cut-through the end of a chunk cannot leave before it came */
    if (stage->sent == stage->came && stage->tail > end) end = stage->tail;
    int rc = cw_transport_events_put(&run->events, end, CW_EVENT_CHANNEL_FREE, c, 0);
    if (stage->last)
        deliver(run, stage, bytes, end + latency);
    else if (!rc)
        rc = announce(run, channel->chosen, (run->cut_through ? ready : end) + latency, end + latency);
    if (!rc && inject > 0) {
        run->nodes[net->tail[c]].busy = true;
        rc = cw_transport_events_put(&run->events, run->now + inject, CW_EVENT_NODE_FREE, net->tail[c], 0);
    }
    return rc;
}

/* Lets waiting channels of node V send while it can. */
static int offer_node(struct run *run, uint32_t v)
{
    struct node *node = &run->nodes[v];
    int rc = 0;
    while (!rc && !node->busy) {
        struct queue *queue = &node->of[node->of[0].head == CW_NONE];
        const uint32_t c = queue->head;
        if (c == CW_NONE) break;
        queue->head = run->channels[c].next;
        if (queue->head == CW_NONE) queue->tail = CW_NONE;
        rc = begin(run, c);
    }
    return rc;
}

/* If channel C is idle, chooses the stage that sends next. */
static int offer_channel(struct run *run, uint32_t c)
{
    struct channel *channel = &run->channels[c];
    struct queue *queue = &channel->of[channel->of[0].head == CW_NONE];
    const uint32_t s = queue->head, v = run->problem->net->tail[c];
    if (channel->chosen != CW_NONE || s == CW_NONE) return 0;
    struct stage *stage = &run->stages[s];
    queue->head = stage->next;
    if (queue->head == CW_NONE) queue->tail = CW_NONE;
    stage->queued = false;
    channel->chosen = s;
    if (!is_injected(run, stage)) return begin(run, c);
    append_channel(run, &run->nodes[v].of[preference(run, stage)], c);
    return offer_node(run, v);
}

/* If stage S could send, and is not at it already, it joins its channel's queue: paths take turns. */
static int offer_stage(struct run *run, uint32_t s)
{
    struct stage *stage = &run->stages[s];
    struct channel *channel = &run->channels[stage->channel];
    if (stage->queued || channel->chosen == s) return 0;
    if (stage->came == stage->sent || (!stage->last && !run->direct && stage->credits == 0)) return 0;
    stage->queued = true;
    append_stage(run, &channel->of[preference(run, stage)], s);
    return offer_channel(run, stage->channel);
}

/* Channel C has sent its chunk: the buffer the chunk had is free, the channel idle, and the path's next chunk goes to
 * the end of the queue. */
static int end_sending(struct run *run, uint32_t c)
{
    const uint32_t s = run->channels[c].chosen;
    run->channels[c].chosen = CW_NONE;
    int rc = 0;
    if (!run->stages[s].first && !run->direct) {
        run->stages[s - 1].credits++;
        run->nodes[run->problem->net->tail[c]].buffered--;
        rc = offer_stage(run, s - 1);
    }
    if (!rc) rc = offer_stage(run, s);
    return rc ? rc : offer_channel(run, c);
}

static int handle(struct run *run, const struct cw_transport_event *event)
{
    run->now = event->time;
    switch (cw_transport_event_kind(event)) {
    case CW_EVENT_ARRIVAL:
        run->stages[event->item].came++;
        run->stages[event->item].tail = event->tail;
        return offer_stage(run, event->item);
    case CW_EVENT_CHANNEL_FREE:
        return end_sending(run, event->item);
    case CW_EVENT_NODE_FREE:
        run->nodes[event->item].busy = false;
        return offer_node(run, event->item);
    }
    return 0;
}

/* --- setting up --------------------------------------------------------------------------------------------------- */

static bool is_cost(double value)
{
    return value >= 0 && isfinite(value);
}

static int check_transport(const struct cw_transport *transport)
{
    if (transport->chunk_bytes == 0) return cw_fail(CW_EUSAGE, "transport: chunks of 0 bytes; expected more");
    if (transport->credits == 0)
        return cw_fail(CW_EUSAGE, "transport: 0 credits; expected at least 1, or relays can take nothing in");
    if (!(transport->efficiency > 0 && transport->efficiency <= 1))
        return cw_fail(CW_EUSAGE, "transport: an efficiency of %g; expected more than 0, at most 1",
                       transport->efficiency);
    if (!is_cost(transport->chunk_overhead) || !is_cost(transport->hop_latency))
        return cw_fail(CW_EUSAGE, "transport: overhead %g s, latency %g s; expected 0 or more",
                       transport->chunk_overhead, transport->hop_latency);
    if (!is_cost(transport->copy) || !is_cost(transport->injection))
        return cw_fail(CW_EUSAGE,
                       "transport: copies at %g byte/s, injection of %g byte/s; expected 0 (no limit) or more",
                       transport->copy, transport->injection);
    return 0;
}

/* Counts the plan's stages and chunks. */
static int measure(struct run *run)
{
    const struct cw_plan *plan = run->plan;
    double chunk_hops = 0;
    size_t stages = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        const uint64_t chunks = chunks_of(run, path->bytes);
        const uint32_t hops = cw_flow_hops(run->problem, plan->channels + path->first, path->n);
        chunk_hops += (double)chunks * hops;
        bytes += path->bytes;
        run->result.chunks += chunks;
        if (chunks > 0) stages += hops;
    }
    if (bytes == 0) return cw_fail(CW_EUSAGE, "transport: the plan's paths have no bytes; it must be rounded first");
    if (chunk_hops > MAX_CHUNK_HOPS || stages >= UINT32_MAX)
        return cw_fail(CW_ELIMIT, "transport: %.3g chunks on all hops, more than %.3g; expected larger chunks",
                       chunk_hops, MAX_CHUNK_HOPS);
    run->n_stages = stages;
    return 0;
}

static int allocate(struct run *run)
{
    const struct cw_network *net = run->problem->net;
    run->stages = cw_new_array(run->n_stages, sizeof *run->stages, "stages of paths");
    run->channels = cw_new_array(net->n_channels, sizeof *run->channels, "channels of a transport");
    run->nodes = cw_new_array(net->n_vertices, sizeof *run->nodes, "nodes of a transport");
    run->arrived = cw_new_array(run->problem->demands->n, sizeof *run->arrived, "demands of a transport");
    run->done = cw_new_array(run->problem->demands->n, sizeof *run->done, "demands of a transport");
    if (!run->stages || !run->channels || !run->nodes || !run->arrived || !run->done) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++)
        run->channels[c] = (struct channel){.rate = run->problem->capacity[c] * run->transport.efficiency,
                                            .of = {empty, empty},
                                            .chosen = CW_NONE,
                                            .next = CW_NONE};
    for (uint32_t v = 0; v < net->n_vertices; v++) run->nodes[v] = (struct node){.of = {empty, empty}};
    return 0;
}

/* The stages of path INDEX, which begin at *AT; leaves *AT behind them. */
static int lay_stages(struct run *run, uint32_t index, uint32_t *at)
{
    const struct cw_plan_path *path = &run->plan->paths[index];
    const uint32_t begin = *at;
    for (uint32_t hop = 0; hop < path->n; hop++) {
        const uint32_t c = run->plan->channels[path->first + hop];
        if (isinf(run->problem->capacity[c])) continue; /* the inside of a node */
        if (!(run->problem->capacity[c] > 0)) {
            char name[2 * CW_NAME_SIZE];
            return cw_fail(CW_EUSAGE, "transport: path %u uses channel %s, which has no capacity", index,
                           cw_network_channel_name(run->problem->net, c, name, sizeof name));
        }
        run->stages[(*at)++] =
            (struct stage){.channel = c, .path = index, .credits = run->transport.credits, .next = CW_NONE};
    }
    if (*at == begin) { /* nowhere a limit: it is there at once */
        run->arrived[path->demand] += path->bytes;
        return 0;
    }
    run->stages[begin].first = true;
    run->stages[begin].came = (uint32_t)chunks_of(run, path->bytes);
    run->stages[*at - 1].last = true;
    return 0;
}

static int set_up(struct run *run)
{
    uint32_t at = 0;
    int rc = check_transport(&run->transport);
    if (!rc) rc = measure(run);
    if (!rc) rc = allocate(run);
    for (size_t i = 0; i < run->plan->n_paths && !rc; i++)
        if (run->plan->paths[i].bytes > 0) rc = lay_stages(run, (uint32_t)i, &at);
    return rc;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* All bytes must have arrived, and nothing may be left on the way. */
static int settle(struct run *run)
{
    const struct cw_demands *demands = run->problem->demands;
    struct cw_transport_result *result = &run->result;
    double bytes = 0;
    result->first_done = INFINITY;
    for (size_t d = 0; d < demands->n; d++) {
        if (run->arrived[d] != demands->items[d].bytes)
            return cw_fail(CW_EINTERNAL, "transport: %" PRIu64 " of the %" PRIu64 " bytes of demand %zu arrived",
                           run->arrived[d], demands->items[d].bytes, d);
        bytes += (double)run->arrived[d];
        result->first_done = fmin(result->first_done, run->done[d]);
        result->last_done = fmax(result->last_done, run->done[d]);
    }
    for (uint32_t v = 0; v < run->problem->net->n_vertices; v++)
        if (run->nodes[v].buffered != 0)
            return cw_fail(CW_EINTERNAL, "transport: %u chunks are left at vertex %u", run->nodes[v].buffered, v);
    result->seconds = result->last_done;
    result->bytes_per_second = result->seconds > 0 ? bytes / result->seconds : INFINITY;
    return 0;
}

static int move_all(struct run *run)
{
    struct cw_transport_event event;
    double bytes = 0;
    int rc = 0;
    for (size_t i = 0; i < run->plan->n_paths; i++) bytes += (double)run->plan->paths[i].bytes;
    for (uint32_t s = 0; s < run->n_stages && !rc; s++)
        if (run->stages[s].first) rc = offer_stage(run, s);
    for (uint64_t i = 0; !rc && cw_transport_events_take(&run->events, &event); i++) {
        rc = handle(run, &event);
        if (!rc) rc = cw_interrupt_check();
        if (i % LOOK_UP == 0) cw_progress_reach(&run->transport.progress, run->delivered / bytes);
    }
    return rc ? rc : settle(run);
}

int cw_transport_run(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                     const struct cw_transport *transport, struct cw_transport_result *out)
{
    int rc = cw_flow_problem_check(problem);
    if (rc) return rc;
    struct run run = {.problem = problem, .plan = plan, .transport = *transport};
    if (transport->together > 1) {
        const bool fits = transport->chunk_bytes <= UINT64_MAX / transport->together;
        run.transport.chunk_bytes = fits ? transport->chunk_bytes * transport->together : UINT64_MAX;
        run.transport.chunk_overhead *= transport->together;
        run.transport.hop_latency *= transport->together; /* with one credit, each chunk waits for it */
    }
    run.direct = transport->direct_is_free && plan->network_routes;
    run.cut_through = transport->cut_through || run.direct;
    rc = set_up(&run);
    if (!rc) rc = move_all(&run);
    if (!rc) *out = run.result;
    free(run.stages);
    free(run.channels);
    free(run.nodes);
    free(run.arrived);
    free(run.done);
    cw_transport_events_free(&run.events);
    return rc;
}
