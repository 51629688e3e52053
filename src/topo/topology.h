/*
 * Topologies: generators of networks, by name and parameters.
 *
 *     xgft:3:12,12,8:1,12,4[:1,1,3 | :radix=24]    xgft(3,12,8,12,4)    torus:10x10    mesh:8x8    hypercube:10
 *     bgq:2048[,merge2]    dragonfly:8,16,8[,g=33]    crossbar:16    hyperx:8x8,8[,k=1x2]    slimfly:19[,15]
 *     megafly:8,8,8,8[,g=33]    jellyfish:200,24,24[,seed=3]    rail:64,8,8[,pods=4,spines=16][,nvlink=3600Gbit/s]
 *     nvl72:8[,pods=2,spines=16]
 *
 * Upper and lower case are the same in names, and name(parameters) is the same as name:parameters, except that xgft(…)
 * is the notation of published tables (topo/xgft.c). Any specification may end in the capacity of its links, and their
 * latency: torus:10x10@20Gbit/s, xgft:2:4,4:1,4@100Gbit/s,250ns.
 *
 * Adding one: a file topo/NAME.c with one descriptor at its end, and one line in topo/topology.c; a shape of its own is
 * net/shapes/NAME_shape.[ch] and one line in net/shape.h. The generic tests then build it from its examples, and check
 * graph, connectivity, names, closed forms, files and help.
 */
#ifndef CW_TOPO_TOPOLOGY_H
#define CW_TOPO_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/parameters.h"
#include "base/registry.h"
#include "net/files/formats.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Capacity and latency of the channels a generator makes. */
struct cw_link {
    double capacity; /* byte/s */
    double latency;  /* s */
};

struct cw_formulas;

struct cw_topology {
    const char *name;
    const char *help;                   /* one sentence */
    const char *synopsis;               /* how its parameters are written */
    const char *const *examples;        /* small specifications, ended by NULL; the generic tests build each */
    const struct cw_option *options;    /* parameters; NULL if `parse` does it all */
    size_t size;                        /* of the parameters' structure */
    const struct cw_formulas *formulas; /* of its shape; NULL: none */
    double capacity;                    /* byte/s of its links unless stated; 0: CW_DEFAULT_CAPACITY */
    /* Parses what follows "name:" (NULL if nothing does), or "(…)" with its parentheses, where the option table cannot
     * (colons in xgft). NULL: cw_options_parse_parameters. */
    int (*parse)(const char *parameters, void *values);
    /* Builds it. Refusal of impossible parameters says which and why (CW_EUSAGE); of too large ones CW_ELIMIT. */
    int (*build)(const void *values, const struct cw_link *link, struct cw_network **net);
};

CW_API extern const struct cw_topology *const *const cw_topologies; /* ended by NULL */
CW_API extern const struct cw_registry cw_topology_registry;        /* of them, by names in lower case */

/* Adds TOPOLOGY, which is borrowed for as long as the program runs: CW_EUSAGE and CW_ELIMIT as cw_registry_add has it.
 */
static inline int cw_topology_register(const struct cw_topology *topology)
{
    return cw_registry_add(&cw_topology_registry, topology, CW_INTERFACE, sizeof *topology);
}

/* The network that SPEC describes, with the default link. An unknown name names the nearest. *NET is owned by the
 * caller; its title is SPEC. */
CW_API int cw_topology_build(const char *spec, struct cw_network **net);

/* The network of SPEC_OR_FILE: a specification if it begins with a topology's name and ':' or '(', else a file (see
 * net/files/formats.h). A file of that name wins if it exists. */
CW_API int cw_network_open(const char *spec_or_file, struct cw_network **net);
/* The same, a file read as HOW says; with a format it is a file in any case. Node names for a specification are
 * CW_EUSAGE. */
CW_API int cw_network_open_as(const struct cw_reading *how, const char *spec_or_file, struct cw_network **net);

/* True if TEXT is a topology specification by its beginning. */
CW_API int cw_topology_is_spec(const char *text);

CW_END_DECLS

#endif
