/*
 * Finds vertices by name or GUID in constant time, by LID in O(log n). Borrows the network.
 *
 * A host has an endpoint for each port of its adapters, which InfiniBand describes as "node001 HCA-1", "node001
 * mlx5_0", or "node001" alone; readers of maps add " [GUID]" where several have one description, and "/P2" for the
 * port. The host's name, "node001", is the first word. Other descriptions, "MT25408 ConnectX Mellanox Technologies",
 * name no host: they do not have two words with a number at the end.
 */
#ifndef CW_NET_NAME_INDEX_H
#define CW_NET_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_name_index;

/* Makes the index of NET, which must outlive it. O(n log n). 0 or CW_ENOMEM. */
CW_API int cw_name_index_new(const struct cw_network *net, struct cw_name_index **out);
CW_API void cw_name_index_free(struct cw_name_index *index);

/* A vertex, or CW_NONE. A node GUID shared by several endpoints (rails) gives the first; a LID anywhere in
 * lid … lid + 2^lmc - 1 gives its vertex. */
CW_API uint32_t cw_name_index_name(const struct cw_name_index *index, const char *name);
CW_API uint32_t cw_name_index_node_guid(const struct cw_name_index *index, uint64_t guid);
CW_API uint32_t cw_name_index_port_guid(const struct cw_name_index *index, uint64_t guid);
CW_API uint32_t cw_name_index_lid(const struct cw_name_index *index, uint32_t lid);

/* The vertex that TEXT means in the files of users: a name, a GUID ("0x…", a port's before a node's), or the id of an
 * endpoint; CW_NONE if it is none of these. A name goes before a number, for names may be numbers. */
CW_API uint32_t cw_name_index_vertex(const struct cw_name_index *index, const char *text);

/* A misspelt NAME: the nearest of all vertices' names goes to NEAREST[CW_NAME_SIZE] (base/text.h, cw_guess). False if
 * none is near. O(n_vertices). */
CW_API bool cw_name_index_nearest(const struct cw_name_index *index, const char *name, char *nearest);

/* The endpoints of the host called NAME, for those who have found no vertex of this name: the first, then the next one
 * of the same host; CW_NONE behind the last. Their order is that of the network. */
CW_API uint32_t cw_name_index_host(const struct cw_name_index *index, const char *name);
CW_API uint32_t cw_name_index_host_next(const struct cw_name_index *index, uint32_t endpoint);

/* Where one endpoint is needed: *ENDPOINT gets that of the host called NAME, CW_NONE if there is no such host.
 * CW_EUSAGE if it has several, which the message lists. */
CW_API int cw_name_index_host_only(const struct cw_name_index *index, const char *name, uint32_t *endpoint);

/* The length of the host's name in NAME, an endpoint's; 0 if it names no host. */
CW_API size_t cw_host_name_length(const char *name);

CW_END_DECLS

#endif
