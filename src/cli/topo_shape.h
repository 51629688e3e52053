/*
 * What a map was recognised as, and what is missing in it.
 */
#ifndef CW_CLI_TOPO_SHAPE_H
#define CW_CLI_TOPO_SHAPE_H

#include "cli/verb.h"
#include "net/network.h"

/* Adds a note on the shape of NET if it came from a file, and the table "missing" if it is a shape with gaps. */
int topo_add_shape(struct invocation *invocation, const struct cw_network *net);

#endif
