/*
 * The greatest common divisor.
 */
#ifndef CW_BASE_COMMON_DIVISOR_H
#define CW_BASE_COMMON_DIVISOR_H

#include <stdint.h>

/* Of A and B; that of a number and 0 is the number. O(log of the smaller). */
static inline uint64_t cw_common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
