/*
 * How low the busiest channel between switches can be, whatever routes carry the traffic: of any length, any number of
 * them for each pair, in any shares. Every channel between switches counts alike, whatever its capacity, as when routes
 * are counted; those of endpoints do not count.
 *
 * By the lengths of channels that potential reduction finds (flow/potential_reduction.h): the busiest channel carries
 * at least the demands times their distances, divided by the sum of all lengths. Endpoints with one cable to the same
 * switch are one.
 */
#ifndef CW_FLOW_CONGESTION_BOUND_H
#define CW_FLOW_CONGESTION_BOUND_H

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

#define CW_CONGESTION_BOUND_PAIRS 100000 /* of switches with traffic for each other; it is not computed for more */

/* *BOUND, in the units of DEMANDS (NULL: 1 from every endpoint to every other): no routes have less on the busiest
 * channel between switches; mostly within a thousandth of the best such bound. 0 if nothing need pass one. CW_EUSAGE
 * says why it was not computed: too many pairs, or one that is not connected. Deterministic for any number of threads.
 * Time: some dozens of pricings (flow/pricing/pricing.h). */
int cw_congestion_bound(const struct cw_network *net, const struct cw_demands *demands, unsigned n_threads,
                        double *bound);

CW_END_DECLS

#endif
