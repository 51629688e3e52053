/*
 * Which endpoints of a fabric take part: run ranks, send and receive. The network and its routes stay whole, for the
 * cables are there and the subnet manager routes to every endpoint, whoever takes part.
 */
#ifndef CW_NET_SELECTION_H
#define CW_NET_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Not changed once made, and shared by threads. */
struct cw_selection {
    uint32_t n;
    uint32_t *endpoints; /* [n] ascending; owned */
    /* Where some that were asked for are cut off and left out: all that were (borrowed), among which files count, so
     * that a number means the same endpoint whatever has failed. NULL: these. */
    const struct cw_selection *asked;
    /* [endpoints of the network] the parts that it has fallen into (cw_selection_find_parts); owned. NULL: one, or
     * nobody looked */
    uint32_t *parts;
};

/* The endpoints of NET that WHICH names: "all"; "hca" (hosts only: no aggregation nodes, no routers); a file with names
 * in its lines, and comments from a '#' at the beginning or after a blank; or names. A name is that of an endpoint; a
 * GUID ("0x…"; a port's, or a node's, which means all of its endpoints); a host's, for all of its endpoints; or a list
 * of those (net/host_list.h). The first of these that it is counts. What names no endpoint is CW_EUSAGE, in a file
 * CW_EPARSE with the line. */
CW_API int cw_selection_new(const struct cw_network *net, const char *which, struct cw_selection **out);
CW_API void cw_selection_free(struct cw_selection *selection);

/* The place of ENDPOINT among them, or CW_NONE; logarithmic. */
CW_API uint32_t cw_selection_index(const struct cw_selection *selection, uint32_t endpoint);

/* Those of SELECTION that are connected with each other, and those that are cut off from them: of the parts into which
 * NET falls, the one with the most of them counts (of several the one with the lowest endpoint). Endpoints pass nothing
 * on, unless RELAYED. Both are owned by the caller. O(channels). */
CW_API int cw_selection_connected(const struct cw_network *net, const struct cw_selection *selection, bool relayed,
                                  struct cw_selection **connected, struct cw_selection **cut_off);

/* Sets SELECTION->parts: endpoints that can send to each other have the same number, those of others another. *CUT_OFF
 * gets how many ordered pairs of different endpoints of SELECTION are in two parts; if there are none, parts stays
 * NULL. O(channels). */
CW_API int cw_selection_find_parts(const struct cw_network *net, struct cw_selection *selection, bool relayed,
                                   uint64_t *cut_off);

/* NET without the endpoints that are not in SELECTION: what is left where the others are taken out with their cables,
 * whose routes may be other ones. */
CW_API int cw_selection_cut(const struct cw_network *net, const struct cw_selection *selection,
                            struct cw_network **out);

CW_END_DECLS

#endif
