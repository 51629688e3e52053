/*
 * What a switch does to its queues for every hop of every flit, to be inlined. Not installed.
 */
#ifndef CW_SIM_FLIT_FLIT_QUEUES_H
#define CW_SIM_FLIT_FLIT_QUEUES_H

#include "base/random.h"
#include "sim/flit/flit_internal.h"

CW_BEGIN_DECLS

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { LENGTH_SHIFT = 24 };

/* What a unit's cycles use all the time, so that the compiler need not look it up again after each store. WORDS is a
 * constant where masks have one word. */
struct context {
    struct cw_flit_simulation *simulation;
    struct cw_flit_worker *worker;
    struct cw_flit_unit *unit;
    struct cw_flit *flits;
    uint32_t *links;
    struct cw_flit_in_queue *in_queues;
    struct cw_flit_out_queue *out_queues;
    struct cw_flit_in_port *in_ports;
    struct cw_flit_out_port *out_ports;
    uint64_t *active, *sendable, *requests, *asked;
    uint8_t *choice, *asked_lanes, *present, *returned;
    struct cw_flit *arriving;
    uint64_t *arrivals, *credits;
    uint64_t from, to;
    uint32_t rows_mask, speedup, words;
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

/* A if CONDITION, else B, where a branch would be mispredicted often. */
ALWAYS_INLINE uint32_t pick(bool condition, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0u - (uint32_t)condition));
}

/* --- pool --------------------------------------------------------------------------------------------------------- */

/* Stores FLIT in the pool. */
ALWAYS_INLINE uint32_t pool_take(const struct context *c, const struct cw_flit *flit)
{
    uint32_t f = c->unit->free;
    if (f == CW_FLIT_NO_FLIT)
        f = c->unit->used++;
    else
        c->unit->free = c->links[f];
    c->flits[f] = *flit;
    return f;
}

ALWAYS_INLINE void pool_give(const struct context *c, uint32_t f)
{
    c->links[f] = c->unit->free;
    c->unit->free = f;
}

/* Links flit F, of LENGTH if it is a head, behind TAIL; if its queue is empty, it is linked to itself, and nobody will
 * ask what follows a last flit. */
ALWAYS_INLINE void append(const struct context *c, uint32_t tail, bool empty, uint32_t f, uint32_t length)
{
    c->links[pick(empty, f, tail)] = length << LENGTH_SHIFT | f;
}

/* --- routing ------------------------------------------------------------------------------------------------------ */

/* Of several hops the first whose queue has room now, else the best; or remembers the failure (flit_choose.c). */
void cw_flit_choose(struct cw_flit_worker *worker, struct cw_flit_in_queue *queue, const struct cw_packet *packet,
                    const struct cw_hop *hops, int n);

ALWAYS_INLINE bool leaves(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit,
                          const struct cw_hop *hop)
{
    return hop->channel - unit->first < unit->radix && hop->lane < simulation->lanes[hop->channel];
}

ALWAYS_INLINE uint32_t out_queue(const struct cw_flit_unit *unit, const struct cw_hop *hop)
{
    return ((hop->channel - unit->first) << CW_FLIT_LANE_BITS | hop->lane) & 0xffffff;
}

/* Decides where the message goes whose head is at the head of QUEUE. */
ALWAYS_INLINE void route(const struct context *c, struct cw_flit_in_queue *queue, uint32_t port, uint32_t lane)
{
    struct cw_flit_simulation *simulation = c->simulation;
    struct cw_flit *flit = &c->flits[queue->head];
    struct cw_packet packet = cw_flit_packet(flit);
    struct cw_hop hops[CW_PACKET_CANDIDATES];
    const uint64_t random = cw_random_hash(c->unit->key, c->unit->draws++);
    const int n = simulation->ops->next(simulation->routing_state, c->unit->vertex, c->in_ports[port].channel,
                                        (uint8_t)lane, &c->worker->view, random, &packet, hops, CW_PACKET_CANDIDATES);
    cw_flit_set_packet(flit, &packet);
    queue->need = flit->length;
    if (n == 1 && leaves(simulation, c->unit, &hops[0]))
        queue->out = out_queue(c->unit, &hops[0]) & 0xffffff;
    else
        cw_flit_choose(c->worker, queue, &packet, hops, n);
}

CW_END_DECLS

#endif
