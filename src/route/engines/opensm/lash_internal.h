/*
 * The parts of the engine lash: the fabric as OpenSM numbers it, shortest paths, virtual lanes. Not installed.
 */
#ifndef CW_ROUTE_LASH_INTERNAL_H
#define CW_ROUTE_LASH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

#define CW_LASH_NO_LINK UINT16_MAX
#define CW_LASH_NO_LANE UINT8_MAX /* of a switch and itself, and where there is no way */

/* Switches have numbers 0 … n-1, in OpenSM's order. A link is all cables from one switch to another; its first cable
 * stands for all. */
struct cw_lash {
    const struct cw_network *net;
    uint32_t n;
    uint32_t *vertex;      /* [n] which switch has a number */
    uint32_t *number;      /* [n] of each switch, counted from 0 */
    uint32_t *first;       /* [n + 1] links of each, in order of ports or axes */
    uint32_t *tail, *head; /* [links] numbers of switches */
    uint32_t *channel;     /* [links] the first cable's */
    uint16_t *next;        /* [n · n] of (destination, switch): which of its links leads there */
    uint8_t *lane;         /* [n · n] of (source, destination) */
    uint32_t longest;      /* links of the longest path between switches with endpoints */
    uint32_t lanes;        /* that are used */
};

int cw_lash_open(const struct cw_network *net, struct cw_lash *lash);
void cw_lash_free(struct cw_lash *lash);

/* Where switches are a mesh or torus, numbers them and orders their links by its coordinates, as OpenSM does.
 * O(n · links), and n² to compare. */
int cw_lash_order_as_mesh(struct cw_lash *lash);

/* Sets `next`. O(n · links + n² · distances), shared by N_THREADS. */
int cw_lash_find_paths(struct cw_lash *lash, unsigned n_threads);

/* The link by which switch V is left towards D, or CW_NONE. */
static inline uint32_t cw_lash_link(const struct cw_lash *lash, uint32_t v, uint32_t d)
{
    const uint16_t next = lash->next[(size_t)d * lash->n + v];
    return next == CW_LASH_NO_LINK ? CW_NONE : lash->first[v] + next;
}

/* Sets `lane`, `lanes` and `longest` so that no lane's dependencies have a cycle, with MOST lanes at most: CW_ELIMIT if
 * that is too few. O(n² · distances · lanes), and searches for cycles. */
int cw_lash_assign_lanes(struct cw_lash *lash, uint32_t most);

CW_END_DECLS

#endif
