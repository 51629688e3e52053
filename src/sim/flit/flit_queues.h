/*
 * What a switch does to its queues for every hop of every flit, to be inlined. Not installed.
 */
#ifndef CW_SIM_FLIT_FLIT_QUEUES_H
#define CW_SIM_FLIT_FLIT_QUEUES_H

#include "base/random.h"
#include "net/network_internal.h"
#include "sim/flit/flit_places.h"
#include "sim/flit/flit_unit.h"

CW_BEGIN_DECLS

/* What a unit's cycles use all the time, so that the compiler need not look it up again after each store. Where a unit
 * has one block of places, where all messages are SINGLE flits, where nothing is SPECIAL, neither the pace of channels
 * nor the order of allocation, and where queues are short, that is a constant. */
struct context {
    struct cw_flit_tuned *simulation;
    struct cw_flit_worker *worker;
    struct cw_flit_unit *unit;
    struct cw_flit *flits;
    void *arrived, *queued, *credits;
    uint8_t *want_port, *want_lane, *in_lanes, *in_lane_pointers, *out_lane_pointers;
    uint64_t *requests, *asked;
    uint8_t *rows, *sent, *choices, *asked_lanes;
    struct cw_flit_in_queue *in_queues;
    uint32_t *ends, *port_pointers;
    struct cw_flit_in_port *in_ports;
    struct cw_flit_out_port *out_ports;
    struct cw_packet_turn *turns;
    uint64_t from, to;
    uint8_t *delay_lines;
    uint32_t rows_mask, words, stride, lanes, kinds, rounds;
    bool single, special, is_short, is_narrow, is_near;
};

ALWAYS_INLINE uint64_t bit(uint32_t i)
{
    return UINT64_C(1) << (i & 63);
}

/* The word of a mask in which port I is. */
ALWAYS_INLINE uint32_t word(const struct context *c, uint32_t i)
{
    return c->words == 1 ? 0 : i / 64;
}

ALWAYS_INLINE uint32_t queue_of(const struct context *c, uint32_t port, uint32_t lane)
{
    return lane * c->stride + port;
}
ALWAYS_INLINE uint32_t port_of(const struct context *c, uint32_t queue)
{
    return c->words == 1 ? queue & 63 : queue % c->stride;
}
ALWAYS_INLINE uint32_t lane_of(const struct context *c, uint32_t queue)
{
    return c->words == 1 ? queue / 64 : queue / c->stride;
}

/* All output queues are looked up at once. */
ALWAYS_INLINE bool is_simple(const struct context *c)
{
    return c->single && c->words == 1;
}

/* What arrives in cycle T of the window on delay lines of KIND, 0 those of flits, then those of credits: bytes by
 * place. */
ALWAYS_INLINE uint8_t *row(const struct context *c, uint32_t kind, uint64_t t)
{
    return c->rows + (kind * CW_FLIT_WINDOW_MAX + (t - c->from)) * c->stride;
}

/* What is sent in cycle T of the window, likewise: by port, where it leaves or, a credit, where its flit came in. */
ALWAYS_INLINE uint8_t *sent_row(const struct context *c, uint32_t kind, uint64_t t)
{
    return c->sent + (kind * CW_FLIT_WINDOW_MAX + (t - c->from)) * c->stride;
}

/* If the flit that PORT sends in cycle T arrives before the window ends, which only one to an endpoint does, it is
 * given to the receiver at once. */
ALWAYS_INLINE void send_nearby(const struct context *c, uint32_t port, uint64_t t)
{
    const struct cw_flit_delay_line *line = &c->out_ports[port].flits;
    uint8_t *sent = sent_row(c, 0, t) + port;
    if (t + line->delay >= c->to) return;
    *cw_flit_row_byte(c->worker, c->unit, line, 0, t + line->delay) = *sent;
    *sent = 0;
}

/* --- counts ------------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE uint32_t count(const struct context *c, const void *counts, uint32_t q)
{
    return cw_flit_count(c->is_short, counts, q);
}

/* Adds BY. Returns the new count. */
ALWAYS_INLINE uint32_t change(const struct context *c, void *counts, uint32_t q, int by)
{
    const uint32_t now = count(c, counts, q) + (uint32_t)by;
    cw_flit_set_count(c->is_short, counts, q, now);
    return now;
}

/* Adds BY to the counts, from queue FIRST on, of those of 64 places whose byte of LANES has LANE_BIT. */
ALWAYS_INLINE void change_all(const struct context *c, void *counts, uint32_t first, const uint8_t *lanes,
                              uint8_t lane_bit, int by)
{
    if (c->is_short) {
        uint8_t *some = (uint8_t *)counts + first;
        ALL_PLACES (i) some[i] = (uint8_t)(some[i] + bits_if((lanes[i] & lane_bit) != 0, (uint8_t)by));
    } else {
        uint16_t *some = (uint16_t *)counts + first;
        ALL_PLACES (i) some[i] = (uint16_t)(some[i] + by * ((lanes[i] & lane_bit) != 0));
    }
}

/* Adds LANE_BIT to the bytes of LANES of those of 64 places whose count, from queue FIRST on, is below LIMIT. */
ALWAYS_INLINE void find_below(const struct context *c, const void *counts, uint32_t first, uint32_t limit,
                              uint8_t *lanes, uint8_t lane_bit)
{
    if (c->is_short) {
        const uint8_t *some = (const uint8_t *)counts + first, least = (uint8_t)limit;
        ALL_PLACES (i) lanes[i] |= bits_if(some[i] < least, lane_bit);
    } else {
        const uint16_t *some = (const uint16_t *)counts + first, least = (uint16_t)limit;
        ALL_PLACES (i) lanes[i] |= bits_if(some[i] < least, lane_bit);
    }
}

/* --- routing ------------------------------------------------------------------------------------------------------ */

/* Of N hops from switch SW the first whose queue has room now for the head of input queue Q, else the best; or
 * remembers the failure (flit_choose.c). The output queue, or CW_FLIT_NONE. */
uint32_t cw_flit_choose(struct cw_flit_worker *worker, uint32_t q, uint32_t sw, const struct cw_packet *packet,
                        const struct cw_hop *hops, int n);

/* True if HOP leaves switch SW of UNIT. */
ALWAYS_INLINE bool leaves(const struct cw_flit_unit *unit, uint32_t sw, const struct cw_hop *hop)
{
    const uint32_t port = hop->channel - unit->first;
    return port < unit->radix && unit->in_ports[port].sw == sw && hop->lane < unit->out_ports[port].lanes;
}

/* The message in SLOT at the head of input queue Q, of port IN, is to be routed, if SO. */
ALWAYS_INLINE void note_head(const struct context *c, const struct cw_flit_in_port *in, uint32_t q, uint32_t slot,
                             bool so)
{
    struct cw_packet_turn *turn = &c->turns[c->worker->n_turns];
    turn->packet = &c->flits[slot].packet;
    turn->user = &c->in_queues[q];
    turn->sw = in->sw;
    turn->in = in->channel;
    c->worker->n_turns += so;
}

/* The head of input queue Q goes to output queue OUT. */
ALWAYS_INLINE void go_to(const struct context *c, uint32_t q, uint32_t out)
{
    c->in_queues[q].out = out;
    if (!is_simple(c)) return;
    c->want_port[q] = (uint8_t)(out & 63);
    c->want_lane[q] = (uint8_t)(out == CW_FLIT_NONE ? 0 : 1u << out / 64);
}

/* One after the other: a routing may look at queues, draw, and name several hops. */
ALWAYS_INLINE void route_each(const struct context *c, uint32_t n)
{
    struct cw_flit_tuned *simulation = c->simulation;
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_packet_turn *turn = &c->turns[i];
        const struct cw_flit_in_queue *queue = turn->user;
        const uint32_t q = (uint32_t)(queue - c->in_queues), lane = turn->in == CW_NONE ? 0 : lane_of(c, q);
        struct cw_hop hops[CW_PACKET_CANDIDATES];
        const uint32_t sw = c->worker->here = turn->sw, index = sw - simulation->net->n_endpoints;
        const uint64_t random = cw_random_word(simulation->keys[index], simulation->draws[index]++);
        if (!c->single) c->unit->claims[q].need = turn->packet->flits;
        const int found = simulation->ops->next(simulation->routing_state, sw, turn->in, (uint8_t)lane,
                                                &c->worker->view, random, turn->packet, hops, CW_PACKET_CANDIDATES);
        go_to(c, q, cw_flit_choose(c->worker, q, sw, turn->packet, hops, found));
    }
}

/* All at once. */
ALWAYS_INLINE void route_together(const struct context *c, uint32_t n)
{
    const struct cw_packet_turn *turns = c->turns;
    c->simulation->ops->turn(c->simulation->routing_state, c->turns, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_packet_turn *turn = &turns[i];
        const struct cw_flit_in_queue *queue = turn->user;
        const uint32_t q = (uint32_t)(queue - c->in_queues);
        if (!c->single) c->unit->claims[q].need = turn->packet->flits;
        if (leaves(c->unit, turn->sw, &turn->out))
            go_to(c, q, queue_of(c, turn->out.channel - c->unit->first, turn->out.lane));
        else
            go_to(c, q, cw_flit_choose(c->worker, q, turn->sw, turn->packet, &turn->out, 1));
    }
}

/* Decides where the messages go whose heads have come to the heads of their queues. */
ALWAYS_INLINE void route_heads(const struct context *c)
{
    const uint32_t n = c->worker->n_turns;
    if (n == 0) return;
    c->worker->n_turns = 0;
    if (c->simulation->ops->turn)
        route_together(c, n);
    else
        route_each(c, n);
}

CW_END_DECLS

#endif
