/*
 * Files that describe networks: the formats, and opening one without being told which it is.
 *
 * Adding a format: one file (net/files/read_NAME.c or net/files/write_NAME.c) with one descriptor, one line in
 * net/files/formats_internal.h. Parsers report malformed input as "file:line: what is wrong, what was expected"
 * (CW_EPARSE) and never crash: each is fuzzed.
 */
#ifndef CW_NET_FORMATS_H
#define CW_NET_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "base/registry.h"
#include "net/files/node_names.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_reader {
    const char *name; /* "ibnetdiscover", "json", "edges", … */
    const char *help; /* one sentence */
    /* True if the LENGTH bytes at DATA look like this format. Readers are asked in the order of the registry. */
    bool (*recognises)(const char *data, size_t length);
    /* Builds the network in DATA; FILE is its name, for messages. */
    int (*read)(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                struct cw_network **net);
    bool names_nodes; /* `read` takes NAMES for nodes (NULL: none are given); else they are always NULL */
};

struct cw_writer {
    const char *name;      /* "json", "ibsim", … */
    const char *extension; /* ".json", ".net", … */
    const char *help;
    int (*write)(const struct cw_network *net, struct cw_text *text);
    bool directed; /* it keeps capacities and latencies that differ between the directions of a cable, or needs neither
                    */
    const char *remark; /* a sentence for whoever writes it: what it makes of a network; NULL: what it is */
};

CW_API extern const struct cw_reader *const cw_readers[]; /* ended by NULL */
CW_API extern const struct cw_writer *const cw_writers[]; /* ended by NULL */
CW_API extern const struct cw_registry cw_reader_registry;
CW_API extern const struct cw_registry
    cw_writer_registry; /* for lists: a writer is chosen by the ending of a file's name */

/* Reads file PATH ("-": standard input), recognising its format by content; what it seems to be is said if it is none.
 * The title is PATH. */
CW_API int cw_network_read(const char *path, struct cw_network **net);
/* The same for content in memory; FILE for messages. */
CW_API int cw_network_parse(const char *file, const char *data, size_t length, struct cw_network **net);

#define CW_FORMAT_TABLES "forwarding tables" /* the guess for these */

/* Appends to GUESS what the LENGTH bytes at DATA seem to be, a network or something else: "a list of nodes (ibhosts)".
 * False if there is no telling. For messages of those who expected another file. */
CW_API bool cw_format_guess(const char *data, size_t length, struct cw_text *guess);

/* How a file is to be read; zeroed: as it says itself. */
struct cw_reading {
    const char *format;     /* its format by name; NULL: recognised by content */
    const char *node_names; /* path of a node name map (net/files/node_names.h), whose names nodes get; NULL: none. For
                               InfiniBand fabrics: other formats are CW_EUSAGE */
};

/* The same, read as HOW says. */
CW_API int cw_network_read_as(const struct cw_reading *how, const char *path, struct cw_network **net);
CW_API int cw_network_parse_as(const struct cw_reading *how, const char *file, const char *data, size_t length,
                               struct cw_network **net);

/* The writer whose extension PATH has, .gz and the like aside, or NULL. */
CW_API const struct cw_writer *cw_writer_of(const char *path);

/* Writes NET to PATH in the format of PATH's extension; as base/buffer.h does, compressed if .gz or the like follows.
 */
CW_API int cw_network_write(const struct cw_network *net, const char *path);

CW_END_DECLS

#endif
