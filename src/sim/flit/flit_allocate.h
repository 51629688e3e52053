/*
 * Separable, input-first allocation, and the crossbar; to be inlined. Not installed.
 *
 * What an input port asks for is kept until it is served or may have changed: when a lane that was empty has a flit,
 * when a queue that a lane waits for gets room, and when the queue that it asks for loses it. Where all messages are
 * single flits, room for one is room for all, and a port with a single lane just goes on asking for a queue that is
 * full: it counts (in `requests`) while there is room.
 */
#ifndef CW_SIM_FLIT_FLIT_ALLOCATE_H
#define CW_SIM_FLIT_FLIT_ALLOCATE_H

#include "sim/flit/flit_queues.h"

CW_BEGIN_DECLS

/* --- asking ------------------------------------------------------------------------------------------------------- */

/* Input port PORT asks for QUEUE no more. */
ALWAYS_INLINE void withdraw(const struct context *c, uint32_t port, uint32_t queue)
{
    const uint32_t out = queue >> CW_FLIT_LANE_BITS;
    uint64_t *requests = requests_for(c, out);
    asks_for(c, queue)[word(c, port)] &= ~bit(port);
    requests[word(c, port)] &= ~bit(port);
    c->asked[word(c, out)] &= ~((uint64_t)!any(c, requests) << (out & 63));
    c->in_ports[port].asking = CW_FLIT_NONE;
}

/* Input port PORT asks for the output of the first of its lanes, in turn, whose head can go. */
ALWAYS_INLINE void request(const struct context *c, uint32_t port, uint64_t port_bit)
{
    struct cw_flit_in_port *in = &c->in_ports[port];
    const struct cw_flit_in_queue *queues = &c->in_queues[port << CW_FLIT_LANE_BITS];
    const uint32_t lanes = in->lanes, behind = lanes & ((1u << in->next_lane) - 1), before = in->asking;
    const bool alone = c->single && (lanes & (lanes - 1)) == 0;
    if (c->single) {
        uint64_t *several = &c->unit->several[word(c, port)];
        *several = (*several & ~port_bit) | (alone ? 0 : port_bit);
    }
    /* Those from next_lane on, and then, one byte higher, those before it. */
    for (uint32_t left = (lanes ^ behind) | behind << 8; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left) & 7, queue = queues[lane].out;
        const bool can = c->out_queues[queue].room >= (c->single ? 1 : queues[lane].need);
        if (!can && !alone) {
            c->out_queues[queue].waiting |= port_bit;
            continue;
        }
        const uint32_t out = queue >> CW_FLIT_LANE_BITS;
        __builtin_prefetch(&c->flits[queues[lane].head + 1]);
        in->choice = (uint8_t)lane;
        if (queue == before) return;
        if (before != CW_FLIT_NONE) withdraw(c, port, before);
        in->asking = queue;
        asks_for(c, queue)[word(c, port)] |= port_bit;
        if (!can) return;
        requests_for(c, out)[word(c, port)] |= port_bit;
        c->asked[word(c, out)] |= bit(out);
        return;
    }
    if (before != CW_FLIT_NONE) withdraw(c, port, before);
}

/* QUEUE of output port OUT does not have room for every message any more: who asks for it must decide again. */
ALWAYS_INLINE void close_queue(const struct context *c, uint32_t out, uint32_t queue)
{
    uint64_t *requests = requests_for(c, out), *asks = asks_for(c, queue);
    for (uint32_t w = 0; w < c->words; w++) {
        requests[w] &= ~asks[w];
        c->dirty[w] |= asks[w] & (c->single ? c->unit->several[w] : UINT64_MAX);
        if (c->single) continue;
        for (uint64_t left = asks[w]; left != 0; left &= left - 1)
            c->in_ports[64 * w + (uint32_t)__builtin_ctzll(left)].asking = CW_FLIT_NONE;
        asks[w] = 0;
    }
}

/* --- the crossbar ------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void begin_chunk(const struct context *c, uint32_t q)
{
    const struct cw_flit_out_port *out = &c->out_ports[q >> CW_FLIT_LANE_BITS];
    const uint32_t under_way = out->credited ? 0 : out->flits.delay + 1; /* to an endpoint, which gives no credits */
    cw_flit_begin_chunk(c->simulation, c->unit, &c->out_queues[q].tail,
                        cw_flit_left(c->simulation, c->unit, q) + under_way);
}

ALWAYS_INLINE void give_credit(const struct context *c, const struct cw_flit_in_port *in, uint32_t lane, uint64_t t,
                               uint32_t round)
{
    const uint64_t due = t + in->credits.delay;
    const uint32_t row = ((uint32_t)due & c->rows_mask) + (round >> 1) * (c->rows_mask + 1);
    c->lines[in->credits.at + row] |= (uint8_t)((lane + 1) << (round & 1) * 4);
    note(c, &in->credits, due, c->returned);
}

/* The flit in SLOT, of LENGTH if it is a head, goes to output queue Q. */
ALWAYS_INLINE void enqueue(const struct context *c, uint32_t q, uint32_t slot, uint32_t length)
{
    struct cw_flit_out_queue *queue = &c->out_queues[q];
    const uint32_t port = q >> CW_FLIT_LANE_BITS, lane = lane_of(q), at = queue->tail.at;
    struct cw_flit_out_port *out = &c->out_ports[port];
    if (!c->single && !(out->lanes >> lane & 1)) {
        const uint32_t need = length > 1 ? length : 1;
        c->unit->departing[q] = (struct cw_flit_departure){at, need};
        out->creditable &= (uint8_t) ~(1u << lane);
        out->creditable |= (uint8_t)((uint32_t)(out->credits[lane + 1] >= need) << lane);
    }
    memcpy(&c->flits[at], &c->flits[slot], sizeof *c->flits); /* in one piece, unlike an assignment */
    queue->room--;
    queue->tail.at = at + 1;
    if ((at + 1) % CW_FLIT_CHUNK == 0) begin_chunk(c, q);
    const uint32_t lanes = out->lanes | 1u << lane;
    out->lanes = (uint8_t)lanes;
    c->sendable[word(c, port)] |= (uint64_t)((lanes & out->creditable) != 0) << (port & 63);
}

/* A message of several flits keeps its output queue to itself from its head to its tail. */
ALWAYS_INLINE void own(const struct context *c, struct cw_flit_in_queue *from, struct cw_flit_out_queue *to,
                       uint32_t length)
{
    if (length == 0) {
        if (--from->left > 0) return;
        to->room += CW_FLIT_OWNED;
        wake_inputs(c, to);
    } else if (length > 1) {
        from->left = (length - 1) & 0xff;
        from->need = CW_FLIT_BODY;
        to->room -= CW_FLIT_OWNED;
    }
}

/* Moves the flit that input port PORT has chosen to output queue Q. */
ALWAYS_INLINE void cross(const struct context *c, uint32_t port, uint32_t q, uint64_t t, uint32_t round)
{
    struct cw_flit_in_port *in = &c->in_ports[port];
    const uint32_t lane = in->choice;
    struct cw_flit_in_queue *queue = &c->in_queues[port << CW_FLIT_LANE_BITS | lane];
    const uint32_t slot = queue->head, length = c->single || queue->need <= 0 ? 0 : (uint32_t)queue->need;
    enqueue(c, q, slot, length);
    give_credit(c, in, lane, t, round);
    c->worker->counts.hops++;
    const uint32_t left = --queue->n;
    const uint32_t next = queue->head = cw_flit_next_slot(c->simulation, slot);
    if (!c->single) own(c, queue, &c->out_queues[q], length);
    const uint32_t lanes = in->lanes & ~((uint32_t)(left == 0) << lane);
    in->lanes = (uint8_t)lanes;
    in->next_lane = (uint8_t)((lane + 1) & 7);
    in->asking = CW_FLIT_NONE;
    c->dirty[word(c, port)] |= (uint64_t)(lanes != 0) << (port & 63);
    note_head(c, in, queue, next, left > 0 && (c->single || queue->left == 0));
}

/* --- serving ------------------------------------------------------------------------------------------------------ */

/* The input port among REQUESTS (not none), of those in FILTER unless that is NULL, whose flit's message was injected
 * first; of equal ones the least. */
static __attribute__((noinline)) uint32_t oldest_port(const struct context *c, const uint64_t *requests,
                                                      const uint64_t *filter)
{
    uint32_t oldest = CW_NONE, since = 0;
    for (uint32_t w = 0; w < c->words; w++)
        for (uint64_t left = filter ? requests[w] & filter[w] : requests[w]; left != 0; left &= left - 1) {
            const uint32_t port = 64 * w + (uint32_t)__builtin_ctzll(left);
            const uint32_t q = port << CW_FLIT_LANE_BITS | c->in_ports[port].choice;
            const uint32_t injected = c->flits[c->in_queues[q].head].injected;
            if (oldest != CW_NONE && injected - since < UINT32_C(1) << 31) continue; /* cycles are modulo 2^32 */
            oldest = port;
            since = injected;
        }
    return oldest;
}

/* The first of the input ports REQUESTS (not none), of those in FILTER unless that is NULL, from NEXT on, cyclically.
 */
ALWAYS_INLINE uint32_t port_in_turn(const struct context *c, const uint64_t *requests, const uint64_t *filter,
                                    uint32_t next)
{
    if (c->words == 1) {
        const uint64_t asking = filter ? *requests & *filter : *requests;
        return ((uint32_t)__builtin_ctzll(asking >> (next & 63) | asking << (-next & 63)) + next) & 63;
    }
    uint32_t port = CW_NONE, first = CW_NONE;
    for (uint32_t w = c->words; w-- > 0;) {
        const uint64_t asking = filter ? requests[w] & filter[w] : requests[w];
        const uint64_t later = w > next / 64 ? asking : w == next / 64 ? asking >> next % 64 << next % 64 : 0;
        if (asking) first = 64 * w + (uint32_t)__builtin_ctzll(asking);
        if (later) port = 64 * w + (uint32_t)__builtin_ctzll(later);
    }
    return port != CW_NONE ? port : first;
}

/* The second of the input ports that ask, if several do; FIRST is the first. */
ALWAYS_INLINE uint32_t out_of_turn(const struct context *c, struct cw_flit_out_port *port, const uint64_t *requests,
                                   const uint64_t *filter, uint32_t first)
{
    const uint32_t second = port_in_turn(c, requests, filter, first + 1);
    if (second != first) port->turns = 0;
    return second;
}

/* Output port OUT serves the input port that is first in turn, or whose flit is the oldest. */
ALWAYS_INLINE void serve(const struct context *c, uint32_t out, uint64_t t, uint32_t round)
{
    struct cw_flit_out_port *port = &c->out_ports[out];
    uint64_t *requests = requests_for(c, out);
    const uint64_t *filter = NULL;
    if (c->special && c->simulation->hardware.transit_first)
        for (uint32_t w = 0; w < c->words; w++)
            if (requests[w] & c->unit->transit[w]) filter = c->unit->transit;
    const bool by_age = c->special && c->simulation->hardware.allocator == CW_FLIT_AGE;
    uint32_t winner = by_age ? oldest_port(c, requests, filter) : port_in_turn(c, requests, filter, port->next_in);
    if (port->turns < CW_FLIT_TURNS)
        port->turns++;
    else if (!by_age)
        winner = out_of_turn(c, port, requests, filter, winner);
    const uint32_t q = c->in_ports[winner].asking;
    requests[word(c, winner)] &= ~bit(winner);
    asks_for(c, q)[word(c, winner)] &= ~bit(winner);
    port->next_in = winner + 1;
    cross(c, winner, q, t, round);
    if (c->out_queues[q].room < (int32_t)(c->single ? 1 : c->simulation->longest)) close_queue(c, out, q);
    c->asked[word(c, out)] &= ~((uint64_t)!any(c, requests) << (out & 63));
}

ALWAYS_INLINE void allocate(const struct context *c, uint64_t t, uint32_t round)
{
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t ports = c->dirty[w];
        c->dirty[w] = 0;
        for (; ports != 0; ports &= ports - 1) {
            const uint32_t port = 64 * w + (uint32_t)__builtin_ctzll(ports);
            if (c->words > 1 && port >= c->unit->radix) break; /* `waiting` is modulo 64 */
            request(c, port, ports & (0 - ports));
        }
    }
    for (uint32_t w = 0; w < c->words; w++)
        for (uint64_t outs = c->asked[w]; outs != 0; outs &= outs - 1)
            serve(c, 64 * w + (uint32_t)__builtin_ctzll(outs), t, round);
    route_heads(c);
}

CW_END_DECLS

#endif
