/* Fetching into the caches, ahead of time, what a window has displaced from them: while a unit is simulated, the state
 * of the second after it, and the flits that the next one will move first, which its state tells. A little is fetched
 * at a time, since a processor waits for a dozen lines of memory at once, and with those after them it stands still. */
#include "base/division.h"
#include "sim/flit/flit_unit.h"

static uint32_t share(size_t n, uint32_t parts)
{
    return (uint32_t)((n + parts - 1) / parts);
}

static struct cw_flit_range range_of(const void *from, size_t bytes, uint32_t parts)
{
    const char *at = from;
    return (struct cw_flit_range){at, at + bytes, share(bytes, parts * CW_CACHE_LINE) * CW_CACHE_LINE};
}

/* Others change `busy`, but no result depends on it. */
static bool is_busy(const struct cw_flit_unit *unit)
{
    return __atomic_load_n(&unit->busy, __ATOMIC_RELAXED);
}

void cw_flit_fetch_begin(struct cw_flit_worker *worker, uint32_t cycles)
{
    const struct cw_flit_tuned *simulation = worker->simulation;
    const struct cw_flit_unit *unit = worker->after;
    struct cw_flit_fetch *fetch = &worker->fetch;
    const bool all = (unit && is_busy(unit)) || (worker->next && is_busy(worker->next));
    const uint32_t parts = all ? cycles * CW_FLIT_FETCHES : CW_FLIT_FETCHES;
    *fetch = (struct cw_flit_fetch){.parts = parts};
    if (is_busy(worker->unit)) { /* else it sends little */
        fetch->late = parts / 4;
        fetch->ports = share(worker->unit->radix, fetch->late);
    }
    if (unit && simulation->rows <= CW_CACHE_LINE) /* else they are too far apart */
        fetch->ranges[0] = range_of(simulation->delay_lines + unit->delay_lines,
                                    (size_t)unit->places * simulation->kinds * simulation->rows, parts);
    if (unit && is_busy(unit)) {
        fetch->ranges[1] = range_of(unit->state, unit->state_bytes, parts);
        fetch->ranges[2] = range_of(unit->hosts, unit->n_hosts * sizeof *unit->hosts, parts);
    }
    if (!worker->next || !is_busy(worker->next)) return;
    fetch->places = worker->next->places;
    fetch->step = share(worker->next->places, parts);
}

/* The flit in SLOT and those behind it in its chunk that a window may reach. */
static inline void fetch_flits(const struct cw_flit_tuned *simulation, uint32_t slot)
{
    enum { AHEAD = 3 };
    const uint32_t last = slot | (CW_FLIT_CHUNK - 1), next = slot + AHEAD < last ? slot + AHEAD : last;
    __builtin_prefetch(&simulation->flits[slot], 1);
    __builtin_prefetch(&simulation->flits[next], 1);
}

/* The flits at PLACE of UNIT. */
static inline void fetch_place(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit, uint32_t place)
{
    if (place >= unit->radix) {
        fetch_flits(simulation, unit->in_queues[place].head);
        fetch_flits(simulation, unit->ends[place]);
        return;
    }
    for (uint32_t lane = 0; lane < simulation->lanes[unit->first + place]; lane++) {
        const uint32_t q = cw_flit_queue(unit, place, lane);
        fetch_flits(simulation, unit->in_queues[q].head);
        fetch_flits(simulation, unit->ends[q]);
    }
}

/* The delay lines to which UNIT will write what it has sent, when the window ends: not sooner, for others read them. */
static inline void fetch_delay_lines(const struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit,
                                     struct cw_flit_fetch *fetch)
{
    const uint32_t end = fetch->port + fetch->ports < unit->radix ? fetch->port + fetch->ports : unit->radix;
    for (; fetch->port < end; fetch->port++)
        __builtin_prefetch(&simulation->delay_lines[unit->out_ports[fetch->port].flits.at], 1);
}

void cw_flit_fetch_part(struct cw_flit_worker *worker)
{
    struct cw_flit_fetch *fetch = &worker->fetch;
    fetch->parts--;
    for (int i = 0; i < 3; i++) {
        struct cw_flit_range *range = &fetch->ranges[i];
        if (range->at == range->end) continue; /* nothing, perhaps nowhere */
        const char *end = range->at + range->step < range->end ? range->at + range->step : range->end;
        for (; range->at < end; range->at += CW_CACHE_LINE) __builtin_prefetch(range->at, 1);
    }
    if (fetch->parts < fetch->late) fetch_delay_lines(worker->simulation, worker->unit, fetch);
    const uint32_t end = fetch->place + fetch->step < fetch->places ? fetch->place + fetch->step : fetch->places;
    for (; fetch->place < end; fetch->place++) fetch_place(worker->simulation, worker->next, fetch->place);
}
