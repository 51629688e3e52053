/*
 * Who sends how much to whom, for routes that are made for it: plain numbers, whatever traffic they come from.
 */
#ifndef CW_ROUTE_PAIR_WEIGHTS_H
#define CW_ROUTE_PAIR_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* Endpoints; the route between them counts WEIGHT times. */
struct cw_pair_weight {
    uint32_t src, dst;
    uint64_t weight;
};

/* Pairs may occur again: then their weights add up. Those of an endpoint with itself mean nothing. Borrowed. */
struct cw_pair_weights {
    const struct cw_pair_weight *items;
    size_t n;
};

CW_END_DECLS

#endif
