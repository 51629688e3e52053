/*
 * How low the busiest channel can be. Not installed.
 *
 * Whatever shortest ways all pairs of endpoints take, one or several each: with any weights of the channels between
 * switches, the weight of all routes together is at least that of the lightest shortest ways, and at most the load of
 * the busiest channel times the sum of the weights. (The dual of the linear programme that balances best.) Weights that
 * rise steeply with the load of good routes give a good bound.
 */
#ifndef CW_ROUTE_LOAD_BOUND_H
#define CW_ROUTE_LOAD_BOUND_H

#include <stdint.h>

#include "base/decls.h"
#include "route/engines/balanced/balanced_trees.h"

CW_BEGIN_DECLS

/* *BOUND: no shortest routes of all pairs (of those that have weights, counted by them) have fewer on the busiest
 * channel between switches. Weights are powers of the loads of TREES, whose current tree is lost. O(endpoints ·
 * channels). */
int cw_load_bound(struct cw_balanced_trees *trees, uint64_t *bound);

/* Raises *BOUND to what holds for tables alone: all that a switch has for a destination elsewhere leaves it by one
 * channel. O(endpoints · channels). */
void cw_load_bound_of_tables(struct cw_balanced_trees *trees, uint64_t *bound);

CW_END_DECLS

#endif
