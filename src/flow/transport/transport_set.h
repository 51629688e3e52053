/*
 * Sets of parameters of the simulated transport, each of one kind of machine: who relays there, and over which
 * channels. Adding one: a file flow/transport/transport_NAME.c with one descriptor that says where its numbers come
 * from, one line in flow/transport/transport_set.c. Who has measured a machine keeps its set in a file
 * (doc/formats/transport.md).
 */
#ifndef CW_FLOW_TRANSPORT_SET_H
#define CW_FLOW_TRANSPORT_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/decls.h"
#include "base/parameters.h"
#include "base/registry.h"
#include "flow/flow_problem.h"
#include "flow/transport/transport.h"
#include "net/shape.h"

CW_BEGIN_DECLS

struct cw_transport_set {
    const char *name; /* "bgq", "infiniband-host", "nvlink-gpu", "gpu-host", "ideal" */
    const char *help; /* whose it is, and whether it was fitted, published or assumed */
    struct cw_transport transport;
    /* It is the default where it was made for (NULL: nowhere), on networks of this shape (NULL: any). */
    bool (*made_for)(const struct cw_flow_problem *problem);
    const struct cw_shape_kind *shape;
    const char *note; /* what users should know where it is the default; NULL: nothing */
};

CW_API extern const struct cw_transport_set *const cw_transport_sets[]; /* ended by NULL */
CW_API extern const struct cw_registry cw_transport_registry;

/* The parameters that sets and files consist of, values in a struct cw_transport: "chunk", "credits", … */
CW_API extern const struct cw_option cw_transport_options[];

/* The set called NAME; NULL, without a message, if there is none. */
CW_API const struct cw_transport_set *cw_transport_set_find(const char *name);

/* The set that was made for PROBLEM; where nobody knows what relaying costs, cw_transport_set_ideal. */
CW_API const struct cw_transport_set *cw_transport_set_for(const struct cw_flow_problem *problem);
CW_API extern const struct cw_transport_set cw_transport_set_ideal;

/* The transport that SPEC means: a set or a file, whose name has a '.' or a '/'; "auto" and "none" leave *OUT as it is.
 * ":PARAMETER=VALUE,..." behind it replaces single ones. CW_EUSAGE for an unknown name or parameter, which names the
 * nearest; as cw_transport_parse for a file. *GIVEN gets a bit for each of these, 1 << I for cw_transport_options[I];
 * NULL: nobody asks. Both are set on success only. */
CW_API int cw_transport_get(const char *spec, struct cw_transport *out, uint32_t *given);

/* Where the parameters of SPEC begin; NULL: it has none. */
CW_API const char *cw_transport_parameters(const char *spec);

/* Reads a set of the LENGTH bytes at DATA; FILE is for messages. CW_EPARSE for a file that is malformed, has an unknown
 * key, or lacks one that is needed. */
CW_API int cw_transport_parse(const char *file, const char *data, size_t length, struct cw_transport *out);

/* Appends a file of TRANSPORT, which cw_transport_parse reads. ABOUT is for people. */
CW_API int cw_transport_write(const struct cw_transport *transport, const char *about, struct cw_text *text);

CW_END_DECLS

#endif
