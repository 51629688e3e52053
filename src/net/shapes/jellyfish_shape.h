/*
 * Jellyfish (Singla et al., "Jellyfish: networking data centers randomly", NSDI 2012): n switches joined at random by r
 * channels each, no two by more than one cable, with p endpoints each. Endpoint switch·p + i. Ports: p hosts, then the
 * r neighbours in order. Which are joined is the generator's affair (topo/jellyfish.c), by `seed`.
 */
#ifndef CW_NET_JELLYFISH_SHAPE_H
#define CW_NET_JELLYFISH_SHAPE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_jellyfish {
    uint32_t n, r, p, seed;
};

CW_END_DECLS

#endif
