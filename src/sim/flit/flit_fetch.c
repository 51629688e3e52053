/* Fetching into the caches, ahead of time, what a window has displaced from them. */
#include "sim/flit/flit_internal.h"

enum { LINE = 64 };

static void fetch(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch((const char *)from + i, 1);
}

void cw_flit_fetch_state(const struct cw_flit_simulation *simulation, const struct cw_flit_unit *unit, uint64_t from)
{
    const uint32_t rows = simulation->rows, row = (uint32_t)from & (rows - 1), speedup = simulation->hardware.speedup;
    const size_t lines = (size_t)unit->places * rows;
    if (!__atomic_load_n(&unit->busy, __ATOMIC_RELAXED)) return;
    fetch(unit->in_ports, unit->radix * sizeof *unit->in_ports);
    fetch(unit->out_ports, unit->radix * sizeof *unit->out_ports);
    for (uint32_t port = 0; port < unit->radix; port++) {
        __builtin_prefetch(&unit->in_queues[port << CW_FLIT_LANE_BITS], 1);
        fetch(&unit->out_queues[port << CW_FLIT_LANE_BITS], 2 * LINE);
    }
    if (rows > LINE) return; /* too far apart */
    fetch(simulation->present + unit->line, lines);
    fetch(simulation->returned + (size_t)speedup * unit->line, speedup * lines);
    for (uint32_t place = 0; place < unit->places; place++)
        fetch(&simulation->arriving[unit->line + place * rows + row], 2 * LINE);
}

void cw_flit_fetch_flits(const struct cw_flit_unit *unit)
{
    if (!unit->busy) return;
    for (uint32_t port = 0; port < unit->radix; port++) {
        const uint32_t q = port << CW_FLIT_LANE_BITS;
        for (uint32_t lanes = unit->out_ports[port].ready; lanes != 0; lanes &= lanes - 1) {
            const uint32_t f = unit->out_queues[q | (uint32_t)__builtin_ctz(lanes)].head;
            __builtin_prefetch(&unit->flits[f]);
            __builtin_prefetch(&unit->links[f], 1);
        }
        for (uint32_t lanes = unit->in_ports[port].lanes; lanes != 0; lanes &= lanes - 1)
            __builtin_prefetch(&unit->links[unit->in_queues[q | (uint32_t)__builtin_ctz(lanes)].head], 1);
    }
}
