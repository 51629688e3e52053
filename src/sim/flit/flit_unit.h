/*
 * What all do with the slots, queues, delay lines and channels of a unit. Not installed.
 */
#ifndef CW_SIM_FLIT_FLIT_UNIT_H
#define CW_SIM_FLIT_FLIT_UNIT_H

#include "sim/flit/flit_internal.h"

CW_BEGIN_DECLS

/* --- slots -------------------------------------------------------------------------------------------------------- */

/* The chunk after CHUNK in its queue, or in the list of free ones. */
static inline uint32_t *cw_flit_link(const struct cw_flit_tuned *simulation, uint32_t chunk)
{
    return &simulation->flits[chunk * CW_FLIT_CHUNK + CW_FLIT_CHUNK_FLITS].info;
}

static inline uint32_t cw_flit_next_slot(const struct cw_flit_tuned *simulation, uint32_t slot)
{
    const uint32_t next = slot + 1;
    if (next % CW_FLIT_CHUNK < CW_FLIT_CHUNK_FLITS) return next;
    return *cw_flit_link(simulation, slot / CW_FLIT_CHUNK) * CW_FLIT_CHUNK;
}

static inline uint32_t cw_flit_take_chunk(struct cw_flit_tuned *simulation, struct cw_flit_unit *unit)
{
    const uint32_t chunk = unit->free;
    if (chunk != CW_FLIT_NONE) {
        unit->free = *cw_flit_link(simulation, chunk);
        return chunk;
    }
    if (unit->fresh == unit->fresh_end) {
        unit->fresh = CW_FLIT_BATCH * atomic_fetch_add_explicit(&simulation->batches, 1, memory_order_relaxed);
        unit->fresh_end = unit->fresh + CW_FLIT_BATCH;
    }
    unit->used++;
    return unit->fresh++;
}

/* The slot after the last one before AT, at which a chunk ends: the first of another chunk, which the queue's readers
 * must find. Those KEPT of which the reader still wants none, because LEFT flits at most are under way to it or wait
 * there, are free. */
static inline uint32_t cw_flit_begin_chunk(struct cw_flit_tuned *simulation, struct cw_flit_unit *unit,
                                           struct cw_flit_kept *kept, uint32_t at, uint32_t left)
{
    const uint32_t full = at / CW_FLIT_CHUNK;
    for (; kept->n > (left + CW_FLIT_CHUNK_FLITS - 1) / CW_FLIT_CHUNK_FLITS && kept->oldest != full; kept->n--) {
        const uint32_t chunk = kept->oldest;
        kept->oldest = kept->n == 2 ? full : *cw_flit_link(simulation, chunk); /* which is not in the caches */
        *cw_flit_link(simulation, chunk) = unit->free;
        unit->free = chunk;
    }
    const uint32_t chunk = cw_flit_take_chunk(simulation, unit);
    *cw_flit_link(simulation, full) = chunk;
    kept->n++;
    __builtin_prefetch(cw_flit_link(simulation, kept->oldest)); /* for the next time */
    return chunk * CW_FLIT_CHUNK;
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

static inline uint32_t cw_flit_queue(const struct cw_flit_unit *unit, uint32_t place, uint32_t lane)
{
    return lane * unit->stride + place;
}

/* Number Q of COUNTS of a unit. */
static inline uint32_t cw_flit_count(bool is_short, const void *counts, uint32_t q)
{
    return is_short ? ((const uint8_t *)counts)[q] : ((const uint16_t *)counts)[q];
}
static inline void cw_flit_set_count(bool is_short, void *counts, uint32_t q, uint32_t count)
{
    if (is_short)
        ((uint8_t *)counts)[q] = (uint8_t)count;
    else
        ((uint16_t *)counts)[q] = (uint16_t)count;
}

/* Flits in queue Q of UNIT, under way from it, or at the other end, as far as is known. */
static inline uint32_t cw_flit_left(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit, uint32_t q)
{
    const uint32_t spent = simulation->hardware.input_flits - cw_flit_count(simulation->is_short, unit->credits, q);
    return cw_flit_count(simulation->is_short, unit->queued, q) + (unit->spends[q % unit->stride] ? spent : 0);
}

/* How full output PORT of UNIT is, as routings see it: flits of all lanes. */
static inline uint32_t cw_flit_occupancy(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit,
                                         uint32_t port)
{
    uint32_t sum = 0;
    for (uint32_t lane = 0; lane < simulation->lanes[unit->first + port]; lane++)
        sum += cw_flit_left(simulation, unit, cw_flit_queue(unit, port, lane));
    return sum;
}

/* True if output queue Q has room for a head that needs NEED, or for what comes behind one. */
static inline bool cw_flit_has_room(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit, uint32_t q,
                                    uint32_t need)
{
    const bool free = !unit->owned || !unit->owned[q];
    const uint32_t room = simulation->hardware.output_flits - cw_flit_count(simulation->is_short, unit->queued, q);
    return need == CW_FLIT_BODY || (free && room >= need);
}

/* --- delay lines ------------------------------------------------------------------------------------------------ */

/* The place of UNIT to which LINE leads, one of its own. */
static inline uint32_t cw_flit_place(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit,
                                     const struct cw_flit_delay_line *line)
{
    return (line->at - unit->delay_lines) / (simulation->kinds * simulation->rows);
}

/* The byte of LINE, of KIND and to a place of UNIT itself, for cycle DUE of the window being simulated: what is on
 * delay lines has been taken from there already. */
static inline uint8_t *cw_flit_row_byte(const struct cw_flit_worker *worker, const struct cw_flit_unit *unit,
                                        const struct cw_flit_delay_line *line, uint32_t kind, uint64_t due)
{
    const size_t row = kind * CW_FLIT_WINDOW_MAX + (due - worker->from);
    return &worker->rows[row * unit->stride + cw_flit_place(worker->simulation, unit, line)];
}

/* The byte of LINE for cycle DUE of a later one. */
static inline uint8_t *cw_flit_byte(const struct cw_flit_tuned *simulation, const struct cw_flit_delay_line *line,
                                    uint64_t due)
{
    return &simulation->delay_lines[line->at + ((uint32_t)due & (simulation->rows - 1))];
}

/* --- channels ----------------------------------------------------------------------------------------------------- */

static inline bool cw_flit_may_go(const struct cw_flit_pace *pace, uint64_t t)
{
    return pace->free_at < (t + 1) * CW_FLIT_CYCLE;
}

static inline void cw_flit_go(struct cw_flit_pace *pace, uint64_t t)
{
    const uint64_t now = t * CW_FLIT_CYCLE;
    pace->free_at = (pace->free_at > now ? pace->free_at : now) + pace->period;
}

CW_END_DECLS

#endif
