/* Fetching into the caches, ahead of time, what a window has displaced from them: while a unit is simulated, the state
 * of the second after it, and the flits that the next one will move first, which its state tells. A part is fetched
 * with each cycle, since a processor waits for a dozen lines of memory at once, and with those after them it stands
 * still. */
#include "sim/flit/flit_internal.h"

enum { LINE = 64 };

static inline void fetch(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch((const char *)from + i, 1);
}

/* The first of N things that belongs to PART of PARTS. */
static inline uint32_t begin_of(uint32_t n, uint32_t part, uint32_t parts)
{
    return n * part / parts;
}

static void fetch_state(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit, uint32_t part,
                        uint32_t parts)
{
    const uint32_t bytes = simulation->rows * (1 + simulation->pairs);
    const uint32_t place = begin_of(unit->places, part, parts), end = begin_of(unit->places, part + 1, parts);
    if (simulation->rows <= LINE) /* else they are too far apart */
        fetch(simulation->lines + unit->line + place * bytes, (size_t)(end - place) * bytes);
    if (!__atomic_load_n(&unit->busy, __ATOMIC_RELAXED)) return;
    const uint32_t last = begin_of(unit->radix, part + 1, parts);
    for (uint32_t port = begin_of(unit->radix, part, parts); port < last; port++) {
        const uint32_t q = port << CW_FLIT_LANE_BITS, lanes = simulation->lanes[unit->first + port];
        fetch(&unit->in_ports[port], 1);
        fetch(&unit->out_ports[port], sizeof *unit->out_ports);
        fetch(&unit->in_queues[q], lanes * sizeof *unit->in_queues);
        fetch(&unit->out_queues[q], lanes * sizeof *unit->out_queues);
    }
    fetch(&unit->requests[begin_of(unit->radix, part, parts) * unit->words], 1);
    const uint32_t hosts = begin_of(unit->n_hosts, part + 1, parts);
    for (uint32_t h = begin_of(unit->n_hosts, part, parts); h < hosts; h++)
        fetch(&unit->hosts[h], offsetof(struct cw_flit_host, tails[1]));
}

/* The flit in SLOT and those behind it in its chunk that a window may reach. */
static inline void fetch_flits(const struct cw_flit_simulation *simulation, uint32_t slot)
{
    enum { AHEAD = 3 };
    const uint32_t last = slot | (CW_FLIT_CHUNK - 1), next = slot + AHEAD < last ? slot + AHEAD : last;
    __builtin_prefetch(&simulation->flits[slot], 1);
    __builtin_prefetch(&simulation->flits[next], 1);
}

static void fetch_all_flits(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit, uint32_t part,
                            uint32_t parts)
{
    if (!__atomic_load_n(&unit->busy, __ATOMIC_RELAXED)) return;
    const uint32_t last = begin_of(unit->radix, part + 1, parts);
    for (uint32_t port = begin_of(unit->radix, part, parts); port < last; port++)
        for (uint32_t lane = 0; lane < simulation->lanes[unit->first + port]; lane++) {
            const uint32_t q = port << CW_FLIT_LANE_BITS | lane;
            fetch_flits(simulation, unit->in_queues[q].head);
            fetch_flits(simulation, unit->out_queues[q].tail.at);
        }
    const uint32_t hosts = begin_of(unit->n_hosts, part + 1, parts);
    for (uint32_t h = begin_of(unit->n_hosts, part, parts); h < hosts; h++)
        __builtin_prefetch(&simulation->flits[unit->hosts[h].head]);
}

void cw_flit_fetch(const struct cw_flit_worker *worker, uint32_t part, uint32_t parts)
{
    if (worker->after) fetch_state(worker->simulation, worker->after, part, parts);
    if (worker->next) fetch_all_flits(worker->simulation, worker->next, part, parts);
}
