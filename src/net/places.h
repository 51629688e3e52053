/*
 * Where the vertices of a network stand in a regular shape whose numbering is not theirs.
 *
 * A map read from a file may be a fat tree or a torus and yet number its vertices and ports in its own way, and lack a
 * few cables. The shape is then kept as a network of its own, `ideal`, as the generator would have made it, beside what
 * stands where: a place is a vertex of `ideal`. Closed forms are computed on `ideal` and carried over channel by
 * channel. topo/recognise.h finds the places; the network itself is not changed.
 *
 * Endpoints beside the shape have no place (CW_NONE): aggregation nodes inside switches, routers, and what is not
 * connected. All switches have one.
 */
#ifndef CW_NET_PLACES_H
#define CW_NET_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_places {
    struct cw_network *ideal; /* owned; has a shape and no names */
    uint32_t *vertex;         /* [ideal->n_vertices] who stands there, or CW_NONE */
    uint32_t *place;          /* [n_vertices] or CW_NONE */
    uint32_t *channel;        /* [ideal->n_channels] or CW_NONE */
    uint32_t missing_endpoints, missing_switches;
    uint32_t missing_cables; /* between two that are there */
    uint32_t cables;         /* of `ideal` between two that are there, but for those that are an endpoint's only one */
    uint32_t extra_cables;   /* between two places where the shape has none, or no more */
    uint32_t beside;         /* endpoints beside the shape */
};

/* The places of NET: vertex v stands at PLACE[v] of IDEAL. Of parallel cables the first of NET's, in the order of the
 * ports of the end with the lower place, are the first of IDEAL's. Takes IDEAL and PLACE over, also on failure. Two
 * vertices at one place are CW_EUSAGE. O(channels of both · log degree). */
int cw_places_new(const struct cw_network *net, struct cw_network *ideal, uint32_t *place, struct cw_places **out);
void cw_places_free(struct cw_places *places);

/* True if every route of `ideal` between places that are taken is one of the network: no switch and no cable is
 * missing. Endpoints may be, and there may be more than the shape has. */
bool cw_places_have_all_routes(const struct cw_places *places);

/* True if the network is the shape, nothing missing and nothing beside it. */
bool cw_places_are_exact(const struct cw_places *places);

/* The shape of NET: its own, or the one it was recognised as, be it with gaps. Its kind is NULL if there is neither. */
const struct cw_shape *cw_network_regular_shape(const struct cw_network *net);

/* The same if nothing is missing and nothing stands beside it, else none: what formulas may rely on. */
const struct cw_shape *cw_network_whole_shape(const struct cw_network *net);

/* True if CHANNEL is inside hosts, NVLink or PCI Express, and not of the fabric between them: what net/nodes.h has
 * added, and the cables from GPUs to the NVLink switch of their node in a rail-optimised cluster. */
bool cw_network_has_inside(const struct cw_network *net); /* some may be */
bool cw_network_is_inside(const struct cw_network *net, uint32_t channel);

/* True if each endpoint of NET is one with its switch, a node: Blue Gene's machines, tori of their shape that are no
 * map of an InfiniBand fabric. A node feeds and drains all its cables at once, so the channels between endpoint and
 * switch limit nothing; and it relays, so that a path may take any cables. Everywhere else an endpoint has a cable to
 * its switch, over which all bytes go that it sends, receives or relays, and switches only forward. This is the one
 * place that decides it. */
bool cw_network_node_is_switch(const struct cw_network *net);

/* Appends the shape, "XGFT(2; 19, 31; 1, 9)", "torus 4x4x4", "mesh 8x8", "hypercube of 6 dimensions", "dragonfly …" or
 * "one switch", and of one that was recognised what is missing and what stands beside it. Nothing if there is none. */
void cw_network_describe(const struct cw_network *net, struct cw_text *text);

CW_END_DECLS

#endif
