/* `crosswind topo`: the cables that are not like their peers. */
#ifndef CW_CLI_TOPO_ODD_CABLES_H
#define CW_CLI_TOPO_ODD_CABLES_H

#include "cli/verb.h"
#include "net/network.h"

/* Makes a table of them, *OUT, and says a sentence for each sort; NULL where there are none.
 * Of a map that was recognised, the cables it lacks are left to topo_shape.h. */
int topo_odd_cables(struct invocation *invocation, const struct cw_network *net, struct cw_table **out);

#endif
