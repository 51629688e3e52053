/*
 * The shortest ways to an endpoint, all of them: what switches that route adaptively may use. Private to flow/.
 */
#ifndef CW_FLOW_LEGS_SHORTEST_HOPS_H
#define CW_FLOW_LEGS_SHORTEST_HOPS_H

#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

/* HOPS [vertices] from each vertex to the endpoint DST over channels with capacity, CW_NONE where no way leads; and the
 * vertices with one in ORDER [vertices], nearest first. Returns their number. Endpoints forward nothing. */
uint32_t cw_shortest_hops(const struct cw_flow_problem *problem, uint32_t dst, uint32_t *hops, uint32_t *order);

/* True if channel C is the first of a shortest way. */
static inline bool cw_is_shortest(const struct cw_flow_problem *problem, const uint32_t *hops, uint32_t c)
{
    const struct cw_network *net = problem->net;
    return problem->capacity[c] > 0 && hops[net->tail[c]] != CW_NONE && hops[net->head[c]] + 1 == hops[net->tail[c]];
}

CW_END_DECLS

#endif
