/*
 * The channels of a problem that exist, packed for searches.
 *
 * An arc is a channel with a capacity, called by its index here. Those leaving v are first[v] … first[v+1]-1: up to
 * switch_end[v]-1 those to switches, then those to endpoints, both by port. Two paths of equal length never part by an
 * arc to a switch and one to an endpoint, since endpoints only end paths: so ascending arcs order such paths as
 * ascending ports do.
 */
#ifndef CW_FLOW_LIVE_ARCS_H
#define CW_FLOW_LIVE_ARCS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

struct cw_live_arcs {
    uint32_t n_vertices, n_arcs, max_degree;
    uint32_t *first;      /* [n_vertices + 1] */
    uint32_t *switch_end; /* [n_vertices] */
    uint32_t *head;       /* [n_arcs] */
    uint32_t *channel;    /* [n_arcs] of the network */
    uint32_t *into;       /* [n_vertices + 1] the switches with an arc into v are from[into[v]] … from[into[v+1]-1] */
    uint32_t *from;
};

int cw_live_arcs_make(const struct cw_flow_problem *problem, struct cw_live_arcs *out);
void cw_live_arcs_free(struct cw_live_arcs *arcs);

CW_END_DECLS

#endif
