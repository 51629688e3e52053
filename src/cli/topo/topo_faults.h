/* What `crosswind topo` says of a map that is not as it should be: what its shape lacks, and cables unlike others. */
#ifndef CW_CLI_TOPO_FAULTS_H
#define CW_CLI_TOPO_FAULTS_H

#include "cli/verb.h"
#include "net/network.h"

/* Adds a note on the shape of NET if it came from a file, and the table "missing" if it is a shape with gaps. */
int topo_add_shape(struct invocation *invocation, const struct cw_network *net);

/* Cables that are not like their peers: makes a table of them, *OUT, which is the caller's, and says a sentence for
 * each sort; NULL where there are none. Of a map that was recognised, the cables it lacks are in "missing". */
int topo_find_odd_cables(struct invocation *invocation, const struct cw_network *net, struct cw_table **out);

#endif
