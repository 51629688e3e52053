/* What is rare in routing: several hops to choose among, and routings that do not do what they should. */
#include "sim/flit/flit_queues.h"

uint32_t cw_flit_choose(struct cw_flit_worker *worker, uint32_t q, uint32_t sw, const struct cw_packet *packet,
                        const struct cw_hop *hops, int n)
{
    const struct cw_flit_tuned *simulation = worker->simulation;
    const struct cw_flit_unit *unit = worker->unit;
    const uint32_t need = unit->claims ? unit->claims[q].need : 1;
    uint32_t chosen = CW_FLIT_NONE, first = CW_FLIT_NONE;
    for (int i = 0; i < (n > 0 ? n : 1); i++) {
        if (n <= 0 || !leaves(unit, sw, &hops[i])) {
            cw_flit_worker_fail(worker, unit, cw_flit_fail_routing(simulation->routing, sw, packet, n, &hops[i]));
            return CW_FLIT_NONE;
        }
        const uint32_t out = cw_flit_queue(unit, hops[i].channel - unit->first, hops[i].lane);
        if (i == 0) first = out;
        if (chosen == CW_FLIT_NONE && cw_flit_has_room(simulation, unit, out, need)) chosen = out;
    }
    return chosen == CW_FLIT_NONE ? first : chosen;
}
