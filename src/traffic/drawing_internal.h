/* Choosing a destination by 64 random bits, and how shares of traffic are counted. */
#ifndef CW_TRAFFIC_DRAWING_INTERNAL_H
#define CW_TRAFFIC_DRAWING_INTERNAL_H

#include <stdint.h>

#define CW_ALL_TRAFFIC (UINT64_C(1) << 32) /* of a rank, in shares */

/* One of N, by the upper half of 64 random bits: the lower half is free for another choice. */
static inline uint32_t cw_draw(uint64_t random, uint32_t n)
{
    return (uint32_t)((random >> 32) * n >> 32);
}

/* One of the numbers 0 … N-1 but RANK, if that is among them. */
static inline uint32_t cw_draw_other(uint64_t random, uint32_t n, uint32_t rank)
{
    if (rank >= n) return cw_draw(random, n);
    const uint32_t other = cw_draw(random, n - 1);
    return other < rank ? other : other + 1;
}

#endif
