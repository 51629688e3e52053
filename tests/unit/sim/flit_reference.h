/*
 * The rules of sim/flit/flit.h once more: plain structures, one flit after another, one cycle after another, one
 * thread, every queue an array whose head is moved out by copying. Slow and easy to believe; for small networks.
 */
#ifndef CW_TESTS_FLIT_REFERENCE_H
#define CW_TESTS_FLIT_REFERENCE_H

#include "base/random.h"
#include "sim/flit/flit_source.h"
#include "sim_test.h"

enum { REFERENCE_LANES = 8 };

struct reference_flit {
    struct cw_packet packet;
    uint32_t length;          /* of the message, of its head; 0 of the others */
    uint32_t number;          /* flits of the message behind it */
    uint64_t ready, injected; /* of the message */
    uint64_t arrives;         /* while on a channel */
    uint8_t lane;             /* while on a channel */
};

struct reference_queue {
    struct reference_flit *items;
    size_t n, capacity;
};

/* A channel with the queues at both ends of it. */
struct reference_channel {
    struct reference_queue wire, credit_wire; /* of credits only `arrives` and `lane` matter */
    struct reference_queue in[REFERENCE_LANES], out[REFERENCE_LANES];
    bool routed[REFERENCE_LANES]; /* by lane of the input queue: the message at its head knows its hop */
    struct cw_hop hop[REFERENCE_LANES];
    struct cw_hop owner[REFERENCE_LANES]; /* by lane of the output queue: input that a message is still coming from */
    uint32_t credits[REFERENCE_LANES];
    uint32_t next_out_lane, next_in_lane;
    uint32_t next_in_any;                   /* as an output: which input port's turn it is, whatever the lane, */
    uint32_t next_in_port[REFERENCE_LANES]; /* and by lane */
    uint64_t latency, period, free_at, flits;
    uint32_t lanes;
};

struct reference_endpoint {
    struct cw_flit_gaps gaps;
    struct cw_flit_source source;
    const struct cw_flit_job *job; /* NULL: none */
    uint32_t rank;
    struct reference_flit flit; /* next to send */
    bool sending;
    uint32_t lane; /* of the last message */
    uint64_t random;
};

struct reference {
    const struct cw_network *net;
    const struct cw_packet_routing *routing;
    struct cw_flit_hardware hardware;
    struct reference_channel *channels;
    struct reference_endpoint *endpoints;
    uint64_t *draws, *keys; /* by switch */
    uint32_t *snapshot;     /* occupancy of channels at the end of the last cycle */
    uint32_t here;          /* switch that decides */
    uint64_t cycle;
    /* of the last cycle: */
    uint64_t injected, accepted, messages, latency_sum, network_latency_sum, hops;
    uint64_t *accepted_by; /* all cycles */
};

/* --- queues ------------------------------------------------------------------------------------------------------- */

static inline void reference_push(struct reference_queue *queue, struct reference_flit flit)
{
    if (queue->n == queue->capacity) {
        queue->capacity = 2 * queue->capacity + 4;
        queue->items = realloc(queue->items, queue->capacity * sizeof *queue->items);
        assert_non_null(queue->items);
    }
    queue->items[queue->n++] = flit;
}

static inline struct reference_flit reference_pop(struct reference_queue *queue)
{
    assert_true(queue->n > 0);
    const struct reference_flit flit = queue->items[0];
    queue->n--;
    memmove(queue->items, queue->items + 1, queue->n * sizeof *queue->items);
    return flit;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static inline uint64_t reference_latency(const struct reference *r, uint32_t c)
{
    const struct cw_network *net = r->net;
    const uint32_t first = net->n_endpoints, a = net->shape.dragonfly.a;
    if (net->tail[c] < first || net->head[c] < first) return r->hardware.host_latency;
    if (net->shape.kind == &cw_shape_dragonfly && (net->tail[c] - first) / a != (net->head[c] - first) / a)
        return r->hardware.global_latency;
    return r->hardware.local_latency;
}

/* SETUP's latencies must be given, and its jobs be continuous or finite. */
static inline struct reference *reference_new(const struct cw_flit_setup *setup)
{
    struct reference *r = new_array(1, sizeof *r);
    r->routing = setup->routing;
    r->net = cw_packet_routing_network(setup->routing);
    r->hardware = setup->hardware;
    r->channels = new_array(r->net->n_channels, sizeof *r->channels);
    r->endpoints = new_array(r->net->n_endpoints, sizeof *r->endpoints);
    r->accepted_by = new_array(r->net->n_endpoints, sizeof *r->accepted_by);
    r->draws = new_array(r->net->n_vertices, sizeof *r->draws);
    r->keys = new_array(r->net->n_vertices, sizeof *r->keys);
    r->snapshot = new_array(r->net->n_channels, sizeof *r->snapshot);
    for (uint32_t c = 0; c < r->net->n_channels; c++) {
        struct reference_channel *channel = &r->channels[c];
        channel->lanes = cw_packet_routing_lanes(r->routing, c);
        channel->latency = reference_latency(r, c);
        channel->period =
            (uint64_t)llround(r->hardware.reference_capacity / r->net->capacity[c] * (double)CW_FLIT_CYCLE);
        for (uint32_t lane = 0; lane < REFERENCE_LANES; lane++) {
            channel->credits[lane] = r->hardware.input_flits;
            channel->owner[lane].channel = CW_NONE;
        }
    }
    for (uint32_t v = r->net->n_endpoints; v < r->net->n_vertices; v++) {
        struct cw_random random = cw_random_of(setup->seed, CW_STREAM_ROUTING, v - r->net->n_endpoints);
        r->keys[v] = cw_random_u64(&random);
    }
    for (size_t j = 0; j < setup->n_jobs; j++)
        for (uint32_t rank = 0; rank < setup->jobs[j].n_ranks; rank++) {
            const uint32_t e = setup->jobs[j].endpoints[rank];
            r->endpoints[e].job = &setup->jobs[j];
            r->endpoints[e].rank = rank;
            cw_flit_gaps_fill(&r->endpoints[e].gaps, &setup->jobs[j], r->channels[r->net->first[e]].period);
            r->endpoints[e].source = cw_flit_source_of(&setup->jobs[j], &r->endpoints[e].gaps, rank,
                                                       setup->hardware.flit_bytes, setup->seed);
        }
    return r;
}

static inline void reference_free(struct reference *r)
{
    for (uint32_t c = 0; c < r->net->n_channels; c++) {
        free(r->channels[c].wire.items);
        free(r->channels[c].credit_wire.items);
        for (uint32_t lane = 0; lane < REFERENCE_LANES; lane++) {
            free(r->channels[c].in[lane].items);
            free(r->channels[c].out[lane].items);
        }
    }
    free(r->channels);
    free(r->endpoints);
    free(r->accepted_by);
    free(r->draws);
    free(r->keys);
    free(r->snapshot);
    free(r);
}

/* --- routing ------------------------------------------------------------------------------------------------------ */

static inline uint32_t reference_behind(const struct reference *r, uint32_t c)
{
    const struct reference_channel *channel = &r->channels[c];
    uint32_t behind = 0;
    for (uint32_t lane = 0; lane < channel->lanes; lane++) {
        behind += (uint32_t)channel->out[lane].n;
        if (r->net->head[c] >= r->net->n_endpoints) behind += r->hardware.input_flits - channel->credits[lane];
    }
    return behind;
}

static inline uint32_t reference_occupancy(const void *simulator, uint32_t c)
{
    const struct reference *r = simulator;
    return r->net->tail[c] == r->here ? reference_behind(r, c) : r->snapshot[c];
}

/* True if the head of the input queue of IN and LANE may go to HOP's output queue. */
static inline bool reference_may_cross(const struct reference *r, uint32_t in, uint32_t lane, struct cw_hop hop)
{
    const struct reference_channel *out = &r->channels[hop.channel];
    const struct reference_flit *flit = &r->channels[in].in[lane].items[0];
    if (flit->length == 0) return true; /* there was room for all of its message */
    return out->owner[hop.lane].channel == CW_NONE && r->hardware.output_flits - out->out[hop.lane].n >= flit->length;
}

/* Asks the routing about the head of an input queue that it has not been asked about. */
static inline void reference_route(struct reference *r, uint32_t in, uint8_t lane)
{
    struct reference_channel *channel = &r->channels[in];
    if (channel->in[lane].n == 0 || channel->routed[lane]) return;
    const uint32_t sw = r->net->head[in];
    const bool source = r->net->tail[in] < r->net->n_endpoints;
    struct cw_hop hops[CW_PACKET_CANDIDATES];
    const struct cw_queue_view view = {r, reference_occupancy};
    r->here = sw;
    const int n = cw_packet_routing_operations(r->routing)
                      ->next(cw_packet_routing_state(r->routing), sw, source ? CW_NONE : in, source ? 0 : lane, &view,
                             cw_random_word(r->keys[sw], r->draws[sw]++), &channel->in[lane].items[0].packet, hops,
                             CW_PACKET_CANDIDATES);
    assert_true(n > 0);
    int chosen = 0;
    for (int i = n; i-- > 0;)
        if (reference_may_cross(r, in, lane, hops[i])) chosen = i;
    channel->hop[lane] = hops[chosen];
    channel->routed[lane] = true;
}

/* --- the steps of a cycle ----------------------------------------------------------------------------------------- */

static inline void reference_take_in(struct reference *r, uint32_t endpoint, const struct reference_flit *flit)
{
    assert_int_equal(flit->packet.dst, endpoint);
    r->accepted++;
    r->accepted_by[endpoint]++;
    if (flit->number > 0) return;
    r->messages++;
    r->latency_sum += r->cycle + 1 - flit->ready;
    r->network_latency_sum += r->cycle + 1 - flit->injected;
}

static inline void reference_arrivals(struct reference *r)
{
    for (uint32_t c = 0; c < r->net->n_channels; c++) {
        struct reference_channel *channel = &r->channels[r->net->twin[c]]; /* in the order of the heads' ports */
        while (channel->wire.n > 0 && channel->wire.items[0].arrives == r->cycle) {
            const struct reference_flit flit = reference_pop(&channel->wire);
            if (r->net->tail[c] < r->net->n_endpoints) {
                reference_take_in(r, r->net->tail[c], &flit);
                continue;
            }
            assert_true(channel->in[flit.lane].n < r->hardware.input_flits);
            reference_push(&channel->in[flit.lane], flit);
        }
    }
    for (uint32_t c = 0; c < r->net->n_channels; c++)
        for (uint8_t lane = 0; lane < REFERENCE_LANES; lane++)
            if (r->net->tail[c] >= r->net->n_endpoints) reference_route(r, r->net->twin[c], lane);
    for (uint32_t c = 0; c < r->net->n_channels; c++) {
        struct reference_channel *channel = &r->channels[c];
        while (channel->credit_wire.n > 0 && channel->credit_wire.items[0].arrives == r->cycle)
            channel->credits[reference_pop(&channel->credit_wire).lane]++;
    }
}

static inline bool reference_is_free(struct reference *r, struct reference_channel *channel)
{
    return channel->free_at < (r->cycle + 1) * CW_FLIT_CYCLE;
}

static inline void reference_send(struct reference *r, uint32_t c, uint8_t lane, struct reference_flit flit)
{
    struct reference_channel *channel = &r->channels[c];
    const bool to_switch = r->net->head[c] >= r->net->n_endpoints;
    flit.lane = lane;
    flit.arrives = r->cycle + channel->latency + (to_switch ? r->hardware.pipeline - 1 : 0);
    reference_push(&channel->wire, flit);
    if (to_switch) channel->credits[lane]--;
    channel->flits++;
    const uint64_t now = r->cycle * CW_FLIT_CYCLE;
    channel->free_at = (channel->free_at > now ? channel->free_at : now) + channel->period;
}

static inline void reference_outputs(struct reference *r)
{
    for (uint32_t c = 0; c < r->net->n_channels; c++) {
        struct reference_channel *channel = &r->channels[c];
        if (r->net->tail[c] < r->net->n_endpoints || !reference_is_free(r, channel)) continue;
        for (uint32_t i = 0; i < REFERENCE_LANES; i++) {
            const uint32_t lane = (channel->next_out_lane + i) % REFERENCE_LANES;
            if (channel->out[lane].n == 0) continue;
            const uint32_t length = channel->out[lane].items[0].length, needed = length > 1 ? length : 1;
            if (r->net->head[c] >= r->net->n_endpoints && channel->credits[lane] < needed) continue;
            reference_send(r, c, (uint8_t)lane, reference_pop(&channel->out[lane]));
            channel->next_out_lane = (lane + 1) % REFERENCE_LANES;
            break;
        }
    }
}

static inline void reference_cross(struct reference *r, uint32_t in, uint8_t lane)
{
    struct reference_channel *from = &r->channels[in];
    const struct cw_hop hop = from->hop[lane];
    struct reference_channel *to = &r->channels[hop.channel];
    const struct reference_flit flit = reference_pop(&from->in[lane]);
    reference_push(&to->out[hop.lane], flit);
    assert_true(to->out[hop.lane].n <= r->hardware.output_flits);
    to->owner[hop.lane].channel = flit.number > 0 ? in : CW_NONE;
    from->routed[lane] = flit.number > 0;
    reference_push(&from->credit_wire, (struct reference_flit){.arrives = r->cycle + from->latency, .lane = lane});
    r->hops++;
}

/* The lane that the input port of channel IN asks with, or REFERENCE_LANES. */
static inline uint32_t reference_choice(struct reference *r, uint32_t in)
{
    const struct reference_channel *channel = &r->channels[in];
    for (uint32_t i = 0; i < REFERENCE_LANES; i++) {
        const uint32_t lane = (channel->next_in_lane + i) % REFERENCE_LANES;
        if (channel->in[lane].n > 0 && reference_may_cross(r, in, lane, channel->hop[lane])) return lane;
    }
    return REFERENCE_LANES;
}

/* The lane of output port OUT that input port P of the switch whose first channel is FIRST asks for with CHOICE, or
 * REFERENCE_LANES. */
static inline uint32_t reference_asks(const struct reference *r, uint32_t first, uint32_t p, uint32_t choice,
                                      uint32_t out)
{
    if (choice == REFERENCE_LANES) return REFERENCE_LANES;
    const struct cw_hop hop = r->channels[r->net->twin[first + p]].hop[choice];
    return hop.channel == first + out ? hop.lane : REFERENCE_LANES;
}

/* By input port the lane of an output port that it asks for: the port whose flit is the oldest, or CW_NONE. */
static inline uint32_t reference_oldest(const struct reference *r, uint32_t first, uint32_t radix,
                                        const uint32_t *choice, const uint32_t *asks)
{
    uint32_t winner = CW_NONE;
    uint64_t since = UINT64_MAX;
    for (uint32_t p = 0; p < radix; p++) {
        if (asks[p] == REFERENCE_LANES) continue;
        const uint64_t injected = r->channels[r->net->twin[first + p]].in[choice[p]].items[0].injected;
        if (injected >= since) continue;
        winner = p;
        since = injected;
    }
    return winner;
}

/* … and the one whose turn it is at the output port TO. */
static inline uint32_t reference_turn(struct reference_channel *to, uint32_t radix, const uint32_t *asks)
{
    for (uint32_t i = 0; i < radix; i++) {
        const uint32_t lane = asks[(to->next_in_any + i) % radix];
        if (lane == REFERENCE_LANES) continue;
        uint32_t p = to->next_in_port[lane];
        while (asks[p] != lane) p = (p + 1) % radix;
        to->next_in_any = to->next_in_port[lane] = (p + 1) % radix;
        return p;
    }
    return CW_NONE;
}

static inline void reference_allocate(struct reference *r, uint32_t sw)
{
    const uint32_t first = r->net->first[sw], radix = cw_network_degree(r->net, sw);
    uint32_t choice[64];
    struct cw_hop served[64];
    size_t n_served = 0;
    assert_true(radix <= 64);
    for (uint32_t p = 0; p < radix; p++) choice[p] = reference_choice(r, r->net->twin[first + p]);
    for (uint32_t out = 0; out < radix; out++) {
        uint32_t asks[64];
        bool transit_asks = false;
        for (uint32_t p = 0; p < radix; p++) {
            asks[p] = reference_asks(r, first, p, choice[p], out);
            transit_asks |= asks[p] < REFERENCE_LANES && r->net->tail[r->net->twin[first + p]] >= r->net->n_endpoints;
        }
        for (uint32_t p = 0; p < radix; p++)
            if (r->hardware.transit_first && transit_asks &&
                r->net->tail[r->net->twin[first + p]] < r->net->n_endpoints)
                asks[p] = REFERENCE_LANES;
        const uint32_t winner = r->hardware.allocator == CW_FLIT_AGE
                                    ? reference_oldest(r, first, radix, choice, asks)
                                    : reference_turn(&r->channels[first + out], radix, asks);
        if (winner == CW_NONE) continue;
        const uint32_t in = r->net->twin[first + winner];
        r->channels[in].next_in_lane = (choice[winner] + 1) % REFERENCE_LANES;
        const uint8_t lane = (uint8_t)choice[winner];
        choice[winner] = REFERENCE_LANES;
        reference_cross(r, in, lane);
        served[n_served++] = (struct cw_hop){in, lane};
    }
    for (size_t i = 0; i < n_served; i++) reference_route(r, served[i].channel, served[i].lane);
}

static inline void reference_inject(struct reference *r, uint32_t e)
{
    struct reference_endpoint *endpoint = &r->endpoints[e];
    if (!endpoint->job || r->cycle < endpoint->job->start) return;
    const uint32_t c = r->net->first[e];
    struct reference_channel *channel = &r->channels[c];
    while (!endpoint->sending && endpoint->source.ready <= r->cycle) {
        struct cw_flit_message message;
        cw_flit_source_take(&endpoint->source, &message);
        if (message.rank == endpoint->rank) continue;
        endpoint->sending = true;
        endpoint->random = message.random;
        endpoint->flit = (struct reference_flit){.packet = cw_packet_of(e, endpoint->job->endpoints[message.rank]),
                                                 .length = message.flits,
                                                 .number = message.flits - 1,
                                                 .ready = message.ready};
    }
    struct reference_flit *flit = &endpoint->flit;
    if (!endpoint->sending || !reference_is_free(r, channel)) return;
    if (flit->length > 0) {
        const uint32_t lanes = r->hardware.injection_lanes;
        uint32_t i = 1;
        while (i <= lanes && channel->credits[(endpoint->lane + i) % lanes] < flit->length) i++;
        if (i > lanes) return;
        endpoint->lane = (endpoint->lane + i) % lanes;
        const struct cw_queue_view view = {r, reference_occupancy};
        r->here = r->net->head[c];
        flit->injected = r->cycle;
        flit->packet = cw_packet_inject(cw_packet_routing_operations(r->routing), cw_packet_routing_state(r->routing),
                                        r->here, &view, endpoint->random, flit->packet);
    }
    reference_send(r, c, (uint8_t)endpoint->lane, *flit);
    r->injected++;
    flit->length = 0;
    if (flit->number-- == 0) endpoint->sending = false;
}

static inline void reference_step(struct reference *r)
{
    r->injected = r->accepted = r->messages = r->latency_sum = r->network_latency_sum = r->hops = 0;
    reference_arrivals(r);
    reference_outputs(r);
    for (uint32_t v = r->net->n_endpoints; v < r->net->n_vertices; v++)
        for (uint32_t i = 0; i < r->hardware.speedup; i++) reference_allocate(r, v);
    for (uint32_t e = 0; e < r->net->n_endpoints; e++) reference_inject(r, e);
    for (uint32_t c = 0; c < r->net->n_channels; c++) r->snapshot[c] = reference_behind(r, c);
    r->cycle++;
}

#endif
