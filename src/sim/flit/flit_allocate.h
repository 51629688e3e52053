/*
 * Separable, input-first allocation, and the crossbar; to be inlined. Not installed.
 */
#ifndef CW_SIM_FLIT_FLIT_ALLOCATE_H
#define CW_SIM_FLIT_FLIT_ALLOCATE_H

#include "sim/flit/flit_queues.h"

CW_BEGIN_DECLS

/* --- asking ------------------------------------------------------------------------------------------------------- */

/* The input ports that ask for LANE of output port OUT. */
ALWAYS_INLINE uint64_t *requests_of(const struct context *c, uint32_t out, uint32_t lane)
{
    return c->requests + (size_t)(out * CW_FLIT_LANES + lane) * c->words;
}

/* Input PORT asks for LANE of output port OUT. */
ALWAYS_INLINE void ask(const struct context *c, uint32_t port, uint32_t out, uint32_t lane)
{
    requests_of(c, out, lane)[word(c, port)] |= bit(port);
    c->asked_lanes[out] |= (uint8_t)(1u << lane);
    c->asked[word(c, out)] |= bit(out);
}

/* Every input port asks for the output of the first of its lanes, round-robin, whose head can go. False if none does.
 */
ALWAYS_INLINE bool ask_together(const struct context *c)
{
    uint8_t open[CW_FLIT_BLOCK] = {0}, ready[CW_FLIT_BLOCK] = {0};
    uint8_t out[CW_FLIT_BLOCK] = {0}, out_lane[CW_FLIT_BLOCK] = {0};
    uint8_t *choices = c->choices;
    const uint8_t *in_lanes = c->in_lanes;
    for (uint32_t lane = 0; lane < c->lanes; lane++)
        find_below(c, c->queued, lane * CW_FLIT_BLOCK, c->simulation->hardware.output_flits, open,
                   (uint8_t)(1u << lane));
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        const uint8_t *want_lane = c->want_lane + lane * CW_FLIT_BLOCK, lane_bit = (uint8_t)(1u << lane);
        uint8_t found[CW_FLIT_BLOCK];
        look_up(found, open, c->want_port + lane * CW_FLIT_BLOCK);
        ALL_PLACES (i) ready[i] |= bits_if((found[i] & want_lane[i]) != 0, lane_bit);
    }
    ALL_PLACES (i) ready[i] &= in_lanes[i];
    uint64_t ports = places_of(ready);
    if (ports == 0) return false;
    round_robin(choices, ready, c->in_lane_pointers);
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        const uint8_t *want_port = c->want_port + lane * CW_FLIT_BLOCK, lane_bit = (uint8_t)(1u << lane);
        const uint8_t *want_lane = c->want_lane + lane * CW_FLIT_BLOCK;
        ALL_PLACES (i) {
            out[i] |= bits_if((choices[i] & lane_bit) != 0, want_port[i]);
            out_lane[i] |= bits_if((choices[i] & lane_bit) != 0, want_lane[i]);
        }
    }
    for (; ports != 0; ports &= ports - 1) {
        const uint32_t port = (uint32_t)__builtin_ctzll(ports);
        ask(c, port, out[port], (uint32_t)__builtin_ctz(out_lane[port]));
    }
    return true;
}

/* True if the head of input queue Q can go. */
ALWAYS_INLINE bool can_go(const struct context *c, uint32_t q)
{
    const uint32_t out = c->in_queues[q].out, need = c->single ? 1 : c->unit->claims[q].need;
    return out != CW_FLIT_NONE && cw_flit_has_room(c->simulation, c->unit, out, need);
}

/* The same port by port: messages need room for all their flits, or ports are too many for one block. */
ALWAYS_INLINE bool ask_each(const struct context *c)
{
    bool some = false;
    for (uint32_t w = 0; w < c->words; w++)
        for (uint64_t ports = places_of(c->in_lanes + 64 * w); ports != 0; ports &= ports - 1) {
            const uint32_t port = 64 * w + (uint32_t)__builtin_ctzll(ports);
            uint32_t ready = 0;
            for (uint32_t lanes = c->in_lanes[port]; lanes != 0; lanes &= lanes - 1) {
                const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
                ready |= (uint32_t)can_go(c, queue_of(c, port, lane)) << lane;
            }
            if (ready == 0) continue;
            const uint32_t from_here = ready & c->in_lane_pointers[port], candidates = from_here ? from_here : ready;
            const uint32_t lane = (uint32_t)__builtin_ctz(candidates);
            c->choices[port] = (uint8_t)(1u << lane);
            const uint32_t out = c->in_queues[queue_of(c, port, lane)].out;
            ask(c, port, port_of(c, out), lane_of(c, out));
            some = true;
        }
    return some;
}

/* --- the crossbar ------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) uint32_t begin_chunk(const struct context *c, uint32_t q, uint32_t at)
{
    struct cw_flit_unit *unit = c->unit;
    const uint32_t port = port_of(c, q);
    const uint32_t under_way = unit->spends[port] ? 0 : c->out_ports[port].flits.delay + 1; /* no credits tell */
    return cw_flit_begin_chunk(c->simulation, unit, &unit->kept[q], at,
                               cw_flit_left(c->simulation, unit, q) + under_way);
}

/* The flit in SLOT, of LENGTH if it is a head, goes to output queue Q. */
ALWAYS_INLINE void enqueue(const struct context *c, uint32_t q, uint32_t slot, uint32_t length)
{
    const uint32_t at = c->ends[q];
    uint32_t next = at + 1;
    memcpy(&c->flits[at], &c->flits[slot], sizeof *c->flits); /* in one piece, unlike an assignment */
    if (change(c, c->queued, q, 1) == 1 && !c->single) {
        c->unit->next_out[q] = at;
        c->unit->needs[q] = (uint8_t)(length > 1 ? length : 1);
    }
    if (next % CW_FLIT_CHUNK == CW_FLIT_CHUNK_FLITS) next = begin_chunk(c, q, next);
    c->ends[q] = next;
}

/* Input PORT gives back a credit of ROUND in cycle T for the lane of LANE_BIT. */
ALWAYS_INLINE void give_credit(const struct context *c, uint32_t port, uint64_t t, uint32_t round, uint32_t lane_bit)
{
    const struct cw_flit_in_port *in = &c->in_ports[port];
    const uint32_t kind = 1 + (c->is_narrow ? round / 2 : round);
    uint8_t *sent = sent_row(c, kind, t) + port;
    if (c->is_near && t + in->credits.delay < c->to)
        sent = cw_flit_row_byte(c->worker, c->unit, &in->credits, kind, t + in->credits.delay);
    *sent |= (uint8_t)(c->is_narrow ? lane_bit << round % 2 * 4 : lane_bit);
}

/* A message of several flits keeps its output queue to itself from its head to its tail. */
ALWAYS_INLINE void own(const struct context *c, struct cw_flit_claim *from, uint32_t to, uint32_t length)
{
    if (length == 0) {
        if (--from->left == 0) c->unit->owned[to] = 0;
    } else if (length > 1) {
        from->left = length - 1;
        from->need = CW_FLIT_BODY;
        c->unit->owned[to] = 1;
    }
}

/* Moves the flit that input PORT has chosen to the output queue it wants. */
ALWAYS_INLINE void cross(const struct context *c, uint32_t port, uint64_t t, uint32_t round)
{
    const struct cw_flit_in_port *in = &c->in_ports[port];
    const uint8_t chosen = c->choices[port];
    const uint32_t q = queue_of(c, port, (uint32_t)__builtin_ctz(chosen));
    struct cw_flit_in_queue *queue = &c->in_queues[q];
    struct cw_flit_claim *claim = c->single ? NULL : &c->unit->claims[q];
    const uint32_t slot = queue->head, length = claim ? claim->need : 0, left = change(c, c->arrived, q, -1);
    enqueue(c, queue->out, slot, length);
    if (claim) own(c, claim, queue->out, length);
    give_credit(c, port, t, round, chosen);
    c->in_lane_pointers[port] = pointer_after(chosen);
    c->in_lanes[port] &= (uint8_t) ~(left == 0 ? chosen : 0);
    const uint32_t next = queue->head = cw_flit_next_slot(c->simulation, slot);
    note_head(c, in, q, next, left > 0 && (!claim || claim->left == 0));
}

/* --- serving ------------------------------------------------------------------------------------------------------ */

/* Of the input ports that ask for LANES of output port OUT, of those in FILTER unless that is NULL, the one whose
 * flit's message was injected first; of equal ones the least. */
static __attribute__((noinline)) uint32_t oldest_port(const struct context *c, uint32_t out, uint32_t lanes,
                                                      const uint64_t *filter)
{
    uint32_t oldest = CW_NONE, since = 0;
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t asking = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            asking |= requests_of(c, out, (uint32_t)__builtin_ctz(left))[w];
        for (uint64_t left = filter ? asking & filter[w] : asking; left != 0; left &= left - 1) {
            const uint32_t port = 64 * w + (uint32_t)__builtin_ctzll(left);
            const uint32_t q = queue_of(c, port, (uint32_t)__builtin_ctz(c->choices[port]));
            const uint32_t injected = c->flits[c->in_queues[q].head].injected;
            if (oldest != CW_NONE && injected - since < UINT32_C(1) << 31) continue; /* cycles are modulo 2^32 */
            oldest = port;
            since = injected;
        }
    }
    return oldest;
}

/* Those of LANES of output port OUT for which an input port in FILTER asks. */
static __attribute__((noinline)) uint32_t lanes_within(const struct context *c, uint32_t out, uint32_t lanes,
                                                       const uint64_t *filter)
{
    uint32_t within = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        for (uint32_t w = 0; w < c->words; w++)
            if (requests_of(c, out, (uint32_t)__builtin_ctz(left))[w] & filter[w]) within |= left & -left;
    return within;
}

/* The first of the input ports REQUESTS (not none), of those in FILTER unless that is NULL, from NEXT on, cyclically.
 */
ALWAYS_INLINE uint32_t round_robin_port(const struct context *c, const uint64_t *requests, const uint64_t *filter,
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

/* Ports from NEXT on, cyclically, to PORT. */
ALWAYS_INLINE uint32_t distance(const struct context *c, uint32_t next, uint32_t port)
{
    return c->words == 1 ? (port - next) & 63 : port >= next ? port - next : port + c->stride - next;
}

/* Of LANES of output port OUT the one that the first input port asks for, round-robin, of those in FILTER unless that
 * is NULL. */
ALWAYS_INLINE uint32_t round_robin_lane(const struct context *c, uint32_t out, uint32_t lanes, const uint64_t *filter)
{
    const uint32_t next = c->out_ports[out].port_pointer;
    uint32_t found = 0, least = UINT32_MAX;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const uint32_t after = distance(c, next, round_robin_port(c, requests_of(c, out, lane), filter, next));
        if (after < least) found = lane;
        if (after < least) least = after;
    }
    return found;
}

/* Of the input ports that ask for LANES of output port OUT, of those in FILTER unless that is NULL, the first from the
 * pointer of the lane on that is served. */
ALWAYS_INLINE uint32_t first_port(const struct context *c, uint32_t out, uint32_t lanes, const uint64_t *filter)
{
    const uint32_t lane =
        (lanes & (lanes - 1)) == 0 ? (uint32_t)__builtin_ctz(lanes) : round_robin_lane(c, out, lanes, filter);
    uint32_t *next = &c->port_pointers[queue_of(c, out, lane)];
    const uint32_t winner = round_robin_port(c, requests_of(c, out, lane), filter, *next);
    c->out_ports[out].port_pointer = *next = winner + 1;
    return winner;
}

/* Output port OUT serves an input port: round-robin, or the one whose flit is the oldest. */
ALWAYS_INLINE void serve(const struct context *c, uint32_t out, uint64_t t, uint32_t round)
{
    const uint64_t *filter = NULL;
    uint32_t lanes = c->asked_lanes[out];
    if (c->special && c->simulation->hardware.transit_first) {
        const uint32_t transit = lanes_within(c, out, lanes, c->unit->transit);
        if (transit) filter = c->unit->transit;
        if (transit) lanes = transit;
    }
    const bool by_age = c->special && c->simulation->by_age;
    const uint32_t winner = by_age ? oldest_port(c, out, lanes, filter) : first_port(c, out, lanes, filter);
    for (lanes = c->asked_lanes[out]; lanes != 0; lanes &= lanes - 1)
        memset(requests_of(c, out, (uint32_t)__builtin_ctz(lanes)), 0, c->words * sizeof *c->requests);
    c->asked_lanes[out] = 0;
    cross(c, winner, t, round);
}

/* A round of allocation in cycle T. False if no flit could go. */
ALWAYS_INLINE bool allocate(const struct context *c, uint64_t t, uint32_t round)
{
    if (!(is_simple(c) ? ask_together(c) : ask_each(c))) return false;
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t outs = c->asked[w];
        c->asked[w] = 0;
        c->worker->counts.hops += (uint64_t)__builtin_popcountll(outs);
        for (; outs != 0; outs &= outs - 1) serve(c, 64 * w + (uint32_t)__builtin_ctzll(outs), t, round);
    }
    route_heads(c);
    return true;
}

CW_END_DECLS

#endif
