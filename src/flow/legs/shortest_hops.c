#include "flow/legs/shortest_hops.h"

uint32_t cw_shortest_hops(const struct cw_flow_problem *problem, uint32_t dst, uint32_t *hops, uint32_t *order)
{
    const struct cw_network *net = problem->net;
    uint32_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) hops[v] = CW_NONE;
    hops[dst] = 0;
    order[n++] = dst;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = order[i];
        if (v != dst && cw_network_is_endpoint(net, v)) continue;
        for (uint32_t port = net->first[v]; port < net->first[v + 1]; port++) {
            const uint32_t from = net->head[port];
            if (hops[from] != CW_NONE || !(problem->capacity[net->twin[port]] > 0)) continue;
            hops[from] = hops[v] + 1;
            order[n++] = from;
        }
    }
    return n;
}
