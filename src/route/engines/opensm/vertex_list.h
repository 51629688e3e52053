/*
 * Files that list vertices, as a subnet manager's do: a GUID in each line (a node's, or a port's), or a name; '#'
 * begins a comment. Not installed.
 */
#ifndef CW_ROUTE_VERTEX_LIST_H
#define CW_ROUTE_VERTEX_LIST_H

#include <stdbool.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* *LISTED[v] is true of the vertices that FILE lists; of an adapter's node GUID, all of its ports. They are to be
 * switches or else endpoints. Lines that are not found are remarked (base/input.h), for fabrics lose nodes; none found
 * is CW_EPARSE. The caller frees *LISTED, [n_vertices]. */
int cw_vertex_list_read(const struct cw_network *net, const char *file, bool switches, bool **listed);

CW_END_DECLS

#endif
