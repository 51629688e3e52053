/*
 * Counts that stay at UINT64_MAX once they overflow, so that a network of any size can be counted before it is refused.
 */
#ifndef CW_BASE_SATURATE_H
#define CW_BASE_SATURATE_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

static inline uint64_t cw_saturating_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t cw_saturating_multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

CW_END_DECLS

#endif
