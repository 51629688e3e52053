/*
 * Explicit paths: for chosen pairs of endpoints, lists of channels with weights.
 */
#ifndef CW_ROUTE_PATHS_H
#define CW_ROUTE_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_paths;

/* Begins without any; NET must outlive them. 0 or CW_ENOMEM. */
CW_API int cw_paths_new(const struct cw_network *net, struct cw_paths **out);
CW_API void cw_paths_free(struct cw_paths *paths);

/* Adds a path SRC → DST with WEIGHT > 0: N channels, each beginning where the one before ends (checked: CW_EUSAGE). */
CW_API int cw_paths_add(struct cw_paths *paths, uint32_t src, uint32_t dst, double weight, const uint32_t *channels,
                        size_t n);

/* Makes routes called NAME; takes PATHS over (also on failure). SEED chooses among several paths of a pair. A pair
 * without a path is a hole. */
CW_API int cw_paths_finish(struct cw_paths *paths, const char *name, uint64_t seed, struct cw_routes **out);

/* Reads them from a file: a line a path, "SRC DST WEIGHT : VERTEX[/PORT] VERTEX[/PORT] … DST" with names of vertices,
 * in order, from SRC on; a port number chooses among parallel cables (without it the first); a name with spaces, '/' or
 * ':' is written in double quotes; '#' begins a comment. */
CW_API int cw_paths_read(const struct cw_network *net, const char *path, uint64_t seed, struct cw_routes **out);

CW_END_DECLS

#endif
