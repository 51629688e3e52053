/*
 * Which endpoints of a fabric take part.
 */
#ifndef CW_NET_SELECTION_H
#define CW_NET_SELECTION_H

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* NET reduced to the endpoints that WHICH names: "all"; "hca" (hosts only: no aggregation nodes, no routers); or a file
 * with one name or GUID ("0x…"; a port's, or a node's, which means all of its endpoints) a line, with comments from a
 * '#' at the beginning or after a blank. A line that names no endpoint is an error with file and line. */
int cw_network_select(const struct cw_network *net, const char *which, struct cw_network **out);

CW_END_DECLS

#endif
