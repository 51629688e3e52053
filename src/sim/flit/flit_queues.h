/*
 * What a switch does to its queues for every hop of every flit, to be inlined. Not installed.
 */
#ifndef CW_SIM_FLIT_FLIT_QUEUES_H
#define CW_SIM_FLIT_FLIT_QUEUES_H

#include "base/random.h"
#include "sim/flit/flit_internal.h"

CW_BEGIN_DECLS

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What a unit's cycles use all the time, so that the compiler need not look it up again after each store. Where masks
 * have one WORD, where all messages are SINGLE flits, and where nothing is SPECIAL, neither the pace of channels nor
 * the order of allocation, that is a constant. */
struct context {
    struct cw_flit_simulation *simulation;
    struct cw_flit_worker *worker;
    struct cw_flit_unit *unit;
    struct cw_flit *flits;
    struct cw_flit_in_queue *in_queues;
    struct cw_flit_out_queue *out_queues;
    struct cw_flit_in_port *in_ports;
    struct cw_flit_out_port *out_ports;
    uint64_t *dirty, *asked, *sendable, *requests, *asks;
    uint8_t *lines;
    uint64_t *arrivals, *returned;
    struct cw_packet_turn *turns;
    uint64_t from, to;
    uint32_t rows_mask, pairs, words;
    bool single, special;
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

ALWAYS_INLINE bool any(const struct context *c, const uint64_t *mask)
{
    uint64_t all = 0;
    for (uint32_t w = 0; w < c->words; w++) all |= mask[w];
    return all != 0;
}

ALWAYS_INLINE uint32_t lane_of(uint32_t queue)
{
    return queue & ((1u << CW_FLIT_LANE_BITS) - 1);
}

/* The first of LANES (not 0) from NEXT on, cyclically. */
ALWAYS_INLINE uint32_t in_turn(uint32_t lanes, uint32_t next)
{
    return ((uint32_t)__builtin_ctz((lanes | lanes << 8) >> next) + next) & 7;
}

/* Notes in MASKS what is due on LINE in this window: it can only be one of the unit's own. */
ALWAYS_INLINE void note(const struct context *c, const struct cw_flit_line *line, uint64_t due, uint64_t *masks)
{
    if (due < c->to) masks[(due - c->from) * c->words + word(c, line->place)] |= bit(line->place);
}

/* --- routing ------------------------------------------------------------------------------------------------------ */

/* Of N hops from switch SW the first whose queue has room now, else the best; or remembers the failure (flit_choose.c).
 */
void cw_flit_choose(struct cw_flit_worker *worker, struct cw_flit_in_queue *queue, uint32_t sw,
                    const struct cw_packet *packet, const struct cw_hop *hops, int n);

/* True if HOP leaves switch SW of UNIT. */
ALWAYS_INLINE bool leaves(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit, uint32_t sw,
                          const struct cw_hop *hop)
{
    const uint32_t port = hop->channel - unit->first;
    return port < unit->radix && unit->in_ports[port].sw == sw && hop->lane < simulation->lanes[hop->channel];
}

ALWAYS_INLINE uint32_t out_queue(const struct cw_flit_unit *unit, const struct cw_hop *hop)
{
    return ((hop->channel - unit->first) << CW_FLIT_LANE_BITS | hop->lane) & 0xffffff;
}

/* The message in SLOT at the head of QUEUE, of input port IN, is to be routed, if SO. */
ALWAYS_INLINE void note_head(const struct context *c, const struct cw_flit_in_port *in, struct cw_flit_in_queue *queue,
                             uint32_t slot, bool so)
{
    struct cw_packet_turn *turn = &c->turns[c->worker->n_turns];
    turn->packet = &c->flits[slot].packet;
    turn->user = queue;
    turn->sw = in->sw;
    turn->in = in->channel;
    c->worker->n_turns += so;
}

/* One after the other: a routing may look at queues, draw, and name several hops. */
ALWAYS_INLINE void route_each(const struct context *c, uint32_t n)
{
    struct cw_flit_simulation *simulation = c->simulation;
    for (uint32_t i = 0; i < n; i++) {
        struct cw_flit_in_queue *queue = c->turns[i].user;
        struct cw_packet *packet = c->turns[i].packet;
        const uint32_t in = c->turns[i].in, lane = in == CW_NONE ? 0 : lane_of((uint32_t)(queue - c->in_queues));
        struct cw_hop hops[CW_PACKET_CANDIDATES];
        const uint32_t sw = c->worker->here = c->turns[i].sw, index = sw - simulation->net->n_endpoints;
        const uint64_t random = cw_random_word(simulation->keys[index], simulation->draws[index]++);
        queue->need = packet->flits;
        const int found = simulation->ops->next(simulation->routing_state, sw, in, (uint8_t)lane, &c->worker->view,
                                                random, packet, hops, CW_PACKET_CANDIDATES);
        if (found == 1 && leaves(simulation, c->unit, sw, &hops[0]))
            queue->out = out_queue(c->unit, &hops[0]) & 0xffffff;
        else
            cw_flit_choose(c->worker, queue, sw, packet, hops, found);
    }
}

/* All at once. */
ALWAYS_INLINE void route_together(const struct context *c, uint32_t n)
{
    const struct cw_packet_turn *turns = c->turns;
    c->simulation->ops->turn(c->simulation->routing_state, c->turns, n);
    for (uint32_t i = 0; i < n; i++) {
        struct cw_flit_in_queue *queue = c->turns[i].user;
        if (!c->single) queue->need = turns[i].packet->flits;
        if (leaves(c->simulation, c->unit, turns[i].sw, &turns[i].out))
            queue->out = out_queue(c->unit, &turns[i].out) & 0xffffff;
        else
            cw_flit_choose(c->worker, queue, turns[i].sw, turns[i].packet, &turns[i].out, 1);
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

/* --- queues ------------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE uint64_t *requests_for(const struct context *c, uint32_t out)
{
    return c->requests + (size_t)out * c->words;
}

ALWAYS_INLINE uint64_t *asks_for(const struct context *c, uint32_t queue)
{
    return c->words == 1 ? &c->out_queues[queue].asks : c->asks + (size_t)queue * c->words;
}

/* Input ports that wait for room in QUEUE decide again. */
ALWAYS_INLINE void wake_inputs(const struct context *c, struct cw_flit_out_queue *queue)
{
    for (uint32_t w = 0; w < c->words; w++) c->dirty[w] |= queue->waiting;
    queue->waiting = 0;
}

/* Queue Q of output port OUT has more room. */
ALWAYS_INLINE void open_queue(const struct context *c, uint32_t out, uint32_t q)
{
    struct cw_flit_out_queue *queue = &c->out_queues[q];
    if (c->single && queue->room > 1) return;
    wake_inputs(c, queue);
    if (!c->single) return;
    uint64_t *requests = requests_for(c, out);
    for (uint32_t w = 0; w < c->words; w++) requests[w] |= asks_for(c, q)[w];
    c->asked[word(c, out)] |= (uint64_t)any(c, requests) << (out & 63);
}

CW_END_DECLS

#endif
