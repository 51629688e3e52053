/* Pictures of a network as crosswind topo describes it. */
#ifndef CW_CLI_TOPO_FIGURES_H
#define CW_CLI_TOPO_FIGURES_H

#include "cli/verb.h"
#include "net/network.h"

/* Adds how many pairs of endpoints of NET are how far apart, as a table and its figure, where somebody looks at
 * figures. Large networks are sampled, which a note says. */
int topo_add_distances(struct invocation *invocation, const struct cw_network *net);

/* Declares what the tables `levels`, if there is one, or else `cables` have to show. */
int topo_declare_figures(struct cw_result *result);

#endif
