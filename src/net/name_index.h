/*
 * Finds vertices by name or GUID in constant time, by LID in O(log n). Borrows the network.
 */
#ifndef CW_NET_NAME_INDEX_H
#define CW_NET_NAME_INDEX_H

#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_name_index;

int cw_name_index_new(const struct cw_network *net, struct cw_name_index **out);
void cw_name_index_free(struct cw_name_index *index);

/* A vertex, or CW_NONE. A node GUID shared by several endpoints (rails) gives the first; a LID anywhere in
 * lid … lid + 2^lmc - 1 gives its vertex. */
uint32_t cw_name_index_name(const struct cw_name_index *index, const char *name);
uint32_t cw_name_index_node_guid(const struct cw_name_index *index, uint64_t guid);
uint32_t cw_name_index_port_guid(const struct cw_name_index *index, uint64_t guid);
uint32_t cw_name_index_lid(const struct cw_name_index *index, uint32_t lid);

/* The vertex that TEXT means in the files of users: a name, a GUID ("0x…", a port's before a node's), or the id of an
 * endpoint; CW_NONE if it is none of these. A name goes before a number, for names may be numbers. */
uint32_t cw_name_index_vertex(const struct cw_name_index *index, const char *text);

CW_END_DECLS

#endif
