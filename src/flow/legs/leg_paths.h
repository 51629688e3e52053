/*
 * The k shortest paths of legs for every demand: with none or one relay, fewest relays first, then fewest channels with
 * a limit, then by the order of ties (flow/paths/k_paths.h), in which "plain" is by relay and route, and "rotated"
 * begins with a relay that a hash of the pair chooses. Private to flow/.
 */
#ifndef CW_FLOW_LEG_PATHS_H
#define CW_FLOW_LEG_PATHS_H

#include "base/decls.h"
#include "flow/paths/k_paths.h"

CW_BEGIN_DECLS

/* As cw_k_paths_find, for a problem with legs. Time: for each demand, relays · routes², and for orders by use k times
 * that at worst. */
int cw_leg_paths_find(const struct cw_flow_problem *problem, const struct cw_k_paths_setup *setup,
                      struct cw_k_paths *out);

CW_END_DECLS

#endif
