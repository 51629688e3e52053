/*
 * Division by a number that is known beforehand, by a multiplication and a shift (Granlund and Montgomery, PLDI 1994).
 * Not installed.
 */
#ifndef CW_ROUTE_FAST_DIVIDE_H
#define CW_ROUTE_FAST_DIVIDE_H

#include <stdint.h>

struct cw_divisor {
    uint64_t factor;
    uint32_t shift;
};

/* For DIVISOR from 1 to 2^31. */
static inline struct cw_divisor cw_divisor_of(uint32_t divisor)
{
    uint32_t shift = 31; /* 31 + ⌈log2 divisor⌉: then factor · divisor exceeds 2^shift by at most 2^(shift - 31) */
    while ((UINT64_C(1) << (shift - 31)) < divisor) shift++;
    const struct cw_divisor result = {((UINT64_C(1) << shift) + divisor - 1) / divisor, shift};
    return result;
}

/* ⌊n / divisor⌋ for N below 2^31, which every endpoint is: 2^32 channels allow no more of them. */
static inline uint32_t cw_fast_divide(uint32_t n, struct cw_divisor divisor)
{
    return (uint32_t)(n * divisor.factor >> divisor.shift);
}

#endif
