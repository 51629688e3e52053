/*
 * Pricing of paths that consist of legs (flow/legs/legs.h): for every demand the cheapest sequence of legs, when
 * channels have lengths. A leg costs what its cheapest way does; a path with at most r relays is a leg followed by the
 * cheapest path with at most r - 1. Private to flow/.
 *
 * Time of a run: the channels of all legs once, then relays² · ends for each relay allowed beyond one, then demands ·
 * relays. Memory: a number for each (beginning, end), and for each relay beyond one.
 */
#ifndef CW_FLOW_LEG_PRICING_H
#define CW_FLOW_LEG_PRICING_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

struct cw_leg_pricing;

int cw_leg_pricing_make(const struct cw_flow_problem *problem, unsigned n_threads, struct cw_leg_pricing **out);
void cw_leg_pricing_free(struct cw_leg_pricing *pricing);

/* Finds the path of every demand by LENGTH [channels]; the same for any number of threads: of equal ones that with the
 * fewest relays, of these the first. No path has a channel twice; where the cheapest has, another is given, but the
 * distance is still that of the cheapest, which is a lower bound. CW_EUSAGE where a demand has no path. */
int cw_leg_pricing_run(struct cw_leg_pricing *pricing, const double *length);

double cw_leg_pricing_distance(const struct cw_leg_pricing *pricing, size_t demand);
const uint32_t *cw_leg_pricing_path(const struct cw_leg_pricing *pricing, size_t demand, uint32_t *n);

CW_END_DECLS

#endif
