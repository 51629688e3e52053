/*
 * Slim Fly (Besta and Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014): the graphs of
 * McKay, Miller and Širáň over the field of q elements, q a prime power of the form 4w + d with d in {-1, 0, 1}. 2·q²
 * switches of (3q - d)/2 channels among them, any two at most two hops apart; p endpoints at a switch.
 *
 * Switch x·q + y is (0, x, y), switch q² + m·q + c is (1, m, c). (0, x, y) and (0, x, y') are joined where y - y' is in
 * the generator set X, (1, m, c) and (1, m, c') where c - c' is in X', and (0, x, y) and (1, m, c) where y = m·x + c.
 * Elements of the field are numbered, and X and X' chosen, as topo/slimfly.c says. Endpoint switch·p + i. Ports: p
 * hosts, the channels within the group (same x, or same m) in order of their switch, then one to each group of the
 * other half, in order.
 */
#ifndef CW_NET_SLIMFLY_SHAPE_H
#define CW_NET_SLIMFLY_SHAPE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_slimfly {
    uint32_t q; /* elements of the field */
    uint32_t p; /* endpoints of a switch */
};

/* Channels of a switch within its group: (q - d)/2. */
static inline uint32_t cw_slimfly_within(uint32_t q)
{
    return q % 4 == 1 ? (q - 1) / 2 : q % 4 == 3 ? (q + 1) / 2 : q / 2;
}

CW_END_DECLS

#endif
