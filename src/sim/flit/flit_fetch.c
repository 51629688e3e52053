/* Fetching into the caches, ahead of time, what a window has displaced from them. */
#include "sim/flit/flit_internal.h"

enum { LINE = 64 };

static inline void fetch(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch((const char *)from + i, 1);
}

void cw_flit_fetch_state(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit)
{
    if (simulation->rows <= LINE) /* else they are too far apart */
        fetch(simulation->lines + unit->line, (size_t)unit->places * simulation->rows * (1 + simulation->pairs));
    if (!__atomic_load_n(&unit->busy, __ATOMIC_RELAXED)) return;
    fetch(unit->in_ports, unit->radix * sizeof *unit->in_ports);
    fetch(unit->out_ports, unit->radix * sizeof *unit->out_ports);
    fetch(unit->requests, unit->radix * unit->words * sizeof *unit->requests);
    for (uint32_t h = 0; h < unit->n_hosts; h++) fetch(&unit->hosts[h], offsetof(struct cw_flit_host, tails[1]));
    for (uint32_t port = 0; port < unit->radix; port++) {
        const uint32_t q = port << CW_FLIT_LANE_BITS, lanes = simulation->lanes[unit->first + port];
        fetch(&unit->in_queues[q], lanes * sizeof *unit->in_queues);
        fetch(&unit->out_queues[q], lanes * sizeof *unit->out_queues);
    }
}

/* The flit in SLOT and those behind it in its chunk that a window may reach. */
static inline void fetch_flits(const struct cw_flit_simulation *simulation, uint32_t slot)
{
    enum { AHEAD = 3 };
    const uint32_t last = slot | (CW_FLIT_CHUNK - 1), next = slot + AHEAD < last ? slot + AHEAD : last;
    __builtin_prefetch(&simulation->flits[slot], 1);
    __builtin_prefetch(&simulation->flits[next], 1);
}

void cw_flit_fetch_flits(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit)
{
    if (!__atomic_load_n(&unit->busy, __ATOMIC_RELAXED)) return;
    for (uint32_t port = 0; port < unit->radix; port++)
        for (uint32_t lane = 0; lane < simulation->lanes[unit->first + port]; lane++) {
            const uint32_t q = port << CW_FLIT_LANE_BITS | lane;
            fetch_flits(simulation, unit->in_queues[q].head);
            fetch_flits(simulation, unit->out_queues[q].tail.at);
        }
    for (uint32_t h = 0; h < unit->n_hosts; h++) __builtin_prefetch(&simulation->flits[unit->hosts[h].head]);
}
