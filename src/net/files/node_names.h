/*
 * A node name map: names for nodes by their GUID, in the format of infiniband-diags and OpenSM (--node-name-map).
 *
 *     # rack 7
 *     0x0008f10500200b50 "leaf 1"       # what stands behind the name is a comment
 *     0x0002c90300080d28 node7
 *
 * One node a line: its GUID, "0x" and hexadecimal digits, then its name, in quotes or else up to a '#' or the end of
 * the line. Stricter than the tools: a line that is none of these is an error, and so is a GUID with two names.
 */
#ifndef CW_NET_NODE_NAMES_H
#define CW_NET_NODE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_node_name {
    uint64_t guid;
    const char *name; /* of LENGTH bytes, not ended by a 0 */
    size_t length;
    unsigned long line;
};

struct cw_node_names {
    char *file;                 /* for messages */
    struct cw_text text;        /* the file's content, which names point into */
    struct cw_node_name *items; /* by GUID */
    size_t n, capacity;
};

/* Reads PATH ("-": standard input), entered like all inputs (base/input.h). *OUT is the caller's. 0, CW_EIO, CW_EPARSE,
 * CW_ELIMIT or CW_ENOMEM. */
CW_API int cw_node_names_read(const char *path, struct cw_node_names **out);
/* The same for LENGTH bytes in memory, which are copied; FILE for messages. */
CW_API int cw_node_names_parse(const char *file, const char *data, size_t length, struct cw_node_names **out);
CW_API void cw_node_names_free(struct cw_node_names *names);

/* The name of the node GUID, or NULL. O(log n). */
CW_API const struct cw_node_name *cw_node_names_find(const struct cw_node_names *names, uint64_t guid);

CW_END_DECLS

#endif
