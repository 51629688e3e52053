/*
 * Which endpoint of a network each host is.
 *
 * A map is a file of lines "HOST ENDPOINT", where ENDPOINT is a name, a GUID or an id, and '#' begins a comment.
 * Without one, or where it is silent, hosts are the endpoints of their own name: a node description "node7 HCA-1" is of
 * the host node7.
 */
#ifndef CW_STUDY_HOST_MAP_H
#define CW_STUDY_HOST_MAP_H

#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"
#include "net/name_index.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Gets a line of a map: HOST is ENDPOINT, which is any text but nothing. 0 or an error, for which LINES say where. */
typedef int cw_host_map_line(void *context, const struct cw_lines *lines, const char *host, const char *endpoint);

/* Tells LINE of each line of the LENGTH bytes at DATA, FILE is for messages; or of the file PATH. CW_EPARSE, CW_EIO,
 * CW_ENOMEM, or what LINE returns. */
int cw_host_map_parse(const char *file, const char *data, size_t length, cw_host_map_line *line, void *context);
int cw_host_map_read(const char *path, cw_host_map_line *line, void *context);

/* For LINE: the endpoint that is called NAME. CW_EPARSE: there is none. */
int cw_host_map_find(const struct cw_lines *lines, const struct cw_network *net, const struct cw_name_index *names,
                     const char *name, uint32_t *endpoint);

/* For LINE: *NAME, that of an endpoint's host, is HOST. CW_EPARSE if it has one; CW_ENOMEM. The caller frees it. */
int cw_host_map_set(const struct cw_lines *lines, const char *host, char **name);

/* NAMES[n] gets the host of each of the N different ENDPOINTS, by the file MAP (NULL: none) or by its own name; NULL
 * for an endpoint that has its name with one before it, as another rail of the same host. The names are the caller's to
 * free, also after an error. */
int cw_host_names(const struct cw_network *net, const char *map, uint32_t n, const uint32_t *endpoints, char **names);

CW_END_DECLS

#endif
