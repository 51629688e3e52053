/*
 * Graphs as general files give them: vertices that have names and no numbers, and cables between them; who is an
 * endpoint may not be said. Private to net/: shared by the readers of edge lists, GraphML and SimGrid.
 *
 * A reader adds vertices (by name, in the order of the file) and cables, and says what it knows of roles;
 * cw_named_graph_build then decides:
 *   - Where the file names an endpoint, those that it names are, and all others are switches.
 *   - Else a vertex of exactly one cable is an endpoint, unless it was said to be a switch.
 *   - If that leaves no endpoint at all, it is a plain graph of switches: each gets an endpoint NAME.h of its own, on
 *     its port 1, whose cable is as fast as the switch's fastest, so that it does not limit what the graph can do.
 * Of cables that are given one way, two in opposite directions are one cable. Where there are such pairs, one that is
 * left works in one direction only; where there are none, direction means nothing, as in drawings, unless the format says
 * otherwise. Endpoints and switches are numbered in the order in which they were added.
 */
#ifndef CW_NET_NAMED_GRAPH_H
#define CW_NET_NAMED_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/builder.h"
#include "net/name_table.h"

CW_BEGIN_DECLS

enum cw_named_role { CW_NAMED_UNSAID, CW_NAMED_ENDPOINT, CW_NAMED_SWITCH };

/* From A to B and back; ports may be 0, "the next". */
struct cw_named_cable {
    uint32_t a, port_a, b, port_b; /* vertices by number */
    double capacity, latency, back_capacity, back_latency;
    bool one_way; /* the file gives the direction from A to B only; then what is said of the way back does not count */
};

struct cw_named_graph {
    const char *file;
    bool ways_count;             /* what is given one way works so, even if no two are opposite */
    struct cw_name_table *names; /* of vertices, by their numbers */
    uint8_t *roles;              /* [names] enum cw_named_role */
    struct cw_named_cable *cables;
    size_t n_cables, n_roles, roles_capacity, cables_capacity;
    uint32_t *vertex; /* [names] after cw_named_graph_build: the vertex of the network that each is */
};

/* GRAPH must be zeroed but for `file` and `ways_count`. Free it in any case. */
int cw_named_graph_open(struct cw_named_graph *graph);
void cw_named_graph_free(struct cw_named_graph *graph);

/* The vertex called by the LENGTH bytes at NAME in line LINE; it is added if it is new: *ID was then the count. */
int cw_named_graph_vertex(struct cw_named_graph *graph, unsigned long line, const char *name, size_t length,
                          uint32_t *id);

/* CABLE, which line LINE gives, is checked and added. */
int cw_named_graph_cable(struct cw_named_graph *graph, unsigned long line, const struct cw_named_cable *cable);

/* A builder that has all of it, for cw_builder_finish. 0 or CW_ENOMEM. */
int cw_named_graph_build(struct cw_named_graph *graph, struct cw_builder **builder);

CW_END_DECLS

#endif
