/*
 * Cables that are not like their peers: what an operator wants to see first on a map that was once a regular network.
 *
 * Peers are cables between the same two roles (net/roles.h).
 *
 * - Slow: its capacity is below that of most peers, and so is that of a quarter of them at most. What more of them have
 *   in common is another generation, not a fault. A link of fewer lanes is slow, too.
 * - Fewer, more: a bundle of parallel cables from a switch to one of a higher level has another number of them than
 *   three quarters of the bundles between these levels; or it is not there, though three quarters of the switch's peers
 *   have one to that switch. Peers of a switch are those of its level that share half of its higher neighbours.
 * - Where bundles have no usual size (of several, odd numbers of parallel cables), and among leaves (a torus),
 *   switches are compared: one has fewer cables in all than three quarters of its level have.
 *
 * Numbers of cables are not compared where the network has all that its shape promises.
 */
#ifndef CW_TOPO_ODD_CABLES_H
#define CW_TOPO_ODD_CABLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "net/roles.h"

CW_BEGIN_DECLS

enum cw_odd_fault { CW_ODD_SLOW, CW_ODD_FEWER, CW_ODD_MORE };

struct cw_odd_cable {
    enum cw_odd_fault fault;
    uint32_t a, b;           /* its ends, the lower role first; b is CW_NONE for all cables of switch a to ROLE_B */
    uint32_t role_a, role_b; /* role_b is CW_NONE for all higher levels */
    uint32_t channel;        /* slow: from a to b; else CW_NONE */
    double capacity, usual_capacity; /* byte/s, slow */
    uint32_t cables, usual_cables;   /* fewer, more: of the bundle, or of the switch */
};

/* Owned by the caller; cw_odd_cables_free. */
struct cw_odd_cables {
    struct cw_odd_cable *items; /* by fault, then by roles, then by vertices */
    size_t n, capacity;
    uint32_t levels; /* of switches */
};

/* Finds them all. About O(channels · ports of a switch); memory O(channels). */
int cw_odd_cables_find(const struct cw_network *net, struct cw_odd_cables *out);
void cw_odd_cables_free(struct cw_odd_cables *odd);

/* The pairs of vertices between which cables are missing: of a network that is a shape with gaps those that the shape
 * has (net/places.h), in the order of its places, the end with the lower place as `a`; else the switches with fewer
 * than most, as above, in that order. All are CW_ODD_FEWER. Switches that are missing are none of them. */
int cw_missing_cables_find(const struct cw_network *net, struct cw_odd_cables *out);

CW_END_DECLS

#endif
