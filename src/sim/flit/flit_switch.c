/* Simulates a unit in a window by the code for this processor. */
#define CW_FLIT_SIMULATE cw_flit_simulate
#include "sim/flit/flit_switch.h"

enum { FETCH_HOPS = 4 };

size_t cw_flit_codes(cw_flit_code *codes[CW_FLIT_CODES])
{
    size_t n = 0;
    codes[n++] = cw_flit_simulate;
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) return n;
    codes[n++] = cw_flit_simulate_avx2;
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vbmi")) return n;
    codes[n++] = cw_flit_simulate_avx512;
#endif
    return n;
}

/* Others see the queues as they were at the end of the window before: there are two copies. */
static void publish(struct cw_flit_tuned *simulation, const struct cw_flit_unit *unit)
{
    uint32_t *occupancy = simulation->snapshot[simulation->windows & 1];
    if (!occupancy) return;
    for (uint32_t port = 0; port < unit->radix; port++)
        occupancy[unit->first + port] = cw_flit_occupancy(simulation, unit, port);
}

void cw_flit_advance(struct cw_flit_worker *worker, struct cw_flit_unit *unit, uint64_t from, uint64_t to)
{
    const uint64_t hops = worker->counts.hops;
    worker->unit = unit;
    worker->from = from;
    worker->to = to;
    const bool active = worker->simulation->code(worker, unit);
    if (active || unit->was_active) publish(worker->simulation, unit);
    unit->was_active = active;
    /* Others look at this to see whether fetching is worth its while: no result depends on it. */
    __atomic_store_n(&unit->busy, worker->counts.hops - hops > FETCH_HOPS, __ATOMIC_RELAXED);
}
