/*
 * What OpenSM's engines minhop, updn, dnup and dor have in common: each switch counts the destinations that it sends
 * out of each port, and of the ports of least hops takes the one with the fewest, the first of equals; and the files
 * that change this. Found by experiment with OpenSM 3.3.23. Not installed.
 */
#ifndef CW_ROUTE_MINHOP_H
#define CW_ROUTE_MINHOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/option.h"
#include "route/engines/minimal_tables.h"

CW_BEGIN_DECLS

/* What the engines are told. Files are as OpenSM reads them, with names where it expects GUIDs if one likes, and
 * comments from '#'. NULL: none. */
struct cw_opensm_options {
    char *order;   /* guid_routing_order_file: a GUID of a port or a switch a line */
    char *ports;   /* port_search_ordering_file: a switch and its ports, those that come first, a line */
    char *weights; /* hop_weights_file: a switch, a port and how many hops it counts for, a line */
    int lmc;       /* index into cw_opensm_lmcs: CW_OPENSM_LMC_MAP, or one more than the LMC */
};

#define CW_OPENSM_LMC_MAP 0 /* as the network file says */
extern const char *const cw_opensm_lmcs[];
#define CW_OPENSM_LMC(STRUCT, FIELD)                                                                                   \
    {                                                                                                                  \
        .name = "lmc", .type = CW_OPTION_CHOICE, .offset = offsetof(STRUCT, FIELD), .default_text = "map",             \
        .choices = cw_opensm_lmcs,                                                                                     \
        .help = "tables to 2^N LIDs of each endpoint, as opensm -l N; map: as many as the network file says, else one" \
    }

/* LIDs of each endpoint by LMC, an index into cw_opensm_lmcs. */
uint32_t cw_opensm_lids(const struct cw_network *net, int lmc);

/* Their options, of a structure that has them as `files`. */
#define CW_OPENSM_OPTIONS(STRUCT)                                                                                      \
    {.name = "order",                                                                                                  \
     .type = CW_OPTION_INPUT,                                                                                          \
     .offset = offsetof(STRUCT, opensm.order),                                                                         \
     .help = "endpoints and switches that are routed before all others, in this order, one name or GUID a line; as "   \
             "OpenSM's guid_routing_order_file"},                                                                      \
        CW_OPENSM_LMC(STRUCT, opensm.lmc),                                                                             \
    {                                                                                                                  \
        .name = "ports", .type = CW_OPTION_INPUT, .offset = offsetof(STRUCT, opensm.ports),                            \
        .help = "lines of a switch and the numbers of those of its ports that come first, in this order; as OpenSM's " \
                "port_search_ordering_file"                                                                            \
    }
#define CW_OPENSM_WEIGHTS(STRUCT)                                                                                      \
    {                                                                                                                  \
        .name = "weights", .type = CW_OPTION_INPUT, .offset = offsetof(STRUCT, opensm.weights),                        \
        .help = "lines of a switch, a port and how many hops leaving by it counts for, 1 where nothing is said; as "   \
                "OpenSM's hop_weights_file"                                                                            \
    }

/* An engine at work: CHOICE is ready for cw_minimal_tables_by, but for a search of its own. */
struct cw_opensm {
    struct cw_minimal_choice choice;
    const struct cw_network *net;
    bool by_neighbour;
    uint32_t lids;          /* of each endpoint */
    struct cw_routes *laid; /* those to the LIDs before the one that is routed; NULL: it is the first */
    uint32_t *assigned;     /* [n_channels] LIDs that leave by it so far */
    uint32_t *channels;
    uint32_t *first; /* [n_first] endpoints and switches that are routed before all others */
    uint32_t n_first;
    uint32_t *first_endpoints; /* those of them */
    uint8_t *place;  /* [n_channels] the place of its port, from 1, in the order of ports; NULL: the port's number */
    uint8_t *weight; /* [n_channels] hops it counts for; NULL: 1 */
};

/* BY_NEIGHBOUR: of the ports of least hops only those to the neighbour of the first count. Free it in any case. 0, or
 * an error of the files. */
int cw_opensm_open(const struct cw_network *net, const char *name, const struct cw_opensm_options *options,
                   bool by_neighbour, struct cw_opensm *opensm);
void cw_opensm_free(struct cw_opensm *opensm);

/* Its tables, to all LIDs. */
int cw_opensm_tables(struct cw_opensm *opensm, unsigned n_threads, struct cw_routes **out);

/* For cw_engine.to_switches: a switch goes to another by the channel that the rule gives when all first LIDs of
 * endpoints are laid, or for a switch in the list of the first those before it, and that does not count. The switches
 * are taken with the same search as destinations. */
int cw_opensm_to_switches(struct cw_opensm *opensm, const struct cw_routes *routes, unsigned n_threads, uint8_t *ports);

/* The tables of such an engine on shortest paths, and its ways to switches. */
int cw_opensm_minimal_to_switches(const struct cw_network *net, const struct cw_opensm_options *options,
                                  bool by_neighbour, const struct cw_routes *routes, unsigned n_threads,
                                  uint8_t *ports);
int cw_opensm_minimal(const struct cw_network *net, const char *name, const struct cw_opensm_options *options,
                      bool by_neighbour, unsigned n_threads, struct cw_routes **out);

/* For cw_engine.accepts: no endpoint has several cables, as a LID belongs to one port. */
bool cw_opensm_accepts(const struct cw_network *net, const void *values);

/* Files name vertices as OpenSM does, by GUID (a switch's, or an endpoint's port's), or by name, one a line; '#' begins
 * a comment. As with OpenSM, lines of what the network does not have are passed over; they are remarked
 * (base/input.h). Where all are, that is CW_EPARSE with file and line, as are lines without a GUID in a file without
 * names. */
enum cw_opensm_kind {
    CW_OPENSM_SWITCHES = 1,
    CW_OPENSM_ENDPOINTS = 2,
    CW_OPENSM_NAMED_ENDPOINTS = 4 /* but not by their GUIDs */
};

/* The vertices of KINDS (enum cw_opensm_kind, added) that the lines of FILE name, in order: *OUT [*N] is the
 * caller's. */
int cw_opensm_vertices(const struct cw_network *net, const char *file, unsigned kinds, uint32_t **out, uint32_t *n);

/* Calls TAKE for every line of FILE that has a switch, by its GUID or its name, which has no blanks then. TAKE gets the
 * up to MOST NUMBERS [N] behind it, decimal, or hexadecimal with 0x, or octal with 0, and returns what is wrong with
 * them, or NULL. What follows MOST is passed over. */
typedef const char *cw_opensm_take(void *context, uint32_t v, const uint64_t *numbers, uint32_t n);
int cw_opensm_numbers(const struct cw_network *net, const char *file, uint32_t most, cw_opensm_take *take,
                      void *context);

CW_END_DECLS

#endif
