/*
 * The numbers that rand() of the GNU C library gives a program that never calls srand(), as OpenSM: an additive
 * feedback generator with the trinomial x^31 + x^3 + 1 (Knuth, "The Art of Computer Programming" 2, 3.2.2), started
 * with the multiplicative one of Park and Miller. Not installed.
 */
#ifndef CW_ROUTE_GLIBC_RANDOM_H
#define CW_ROUTE_GLIBC_RANDOM_H

#include <stdint.h>

#define CW_GLIBC_LONG  31u
#define CW_GLIBC_SHORT 3u

struct cw_glibc_random {
    uint32_t last[CW_GLIBC_LONG]; /* the sums before, in a circle */
    uint32_t at;
};

/* 0 … 2^31 - 1 */
static inline uint32_t cw_glibc_random_next(struct cw_glibc_random *random)
{
    const uint32_t at = random->at;
    random->at = at + 1 == CW_GLIBC_LONG ? 0 : at + 1;
    random->last[at] += random->last[at < CW_GLIBC_SHORT ? at + CW_GLIBC_LONG - CW_GLIBC_SHORT : at - CW_GLIBC_SHORT];
    return random->last[at] >> 1;
}

static inline void cw_glibc_random_begin(struct cw_glibc_random *random)
{
    uint64_t value = 1;
    for (uint32_t i = 0; i < CW_GLIBC_LONG; i++) {
        random->last[i] = (uint32_t)value;
        value = value * 16807 % 2147483647;
    }
    random->at = CW_GLIBC_SHORT;
    for (uint32_t i = 0; i < 10 * CW_GLIBC_LONG; i++) (void)cw_glibc_random_next(random);
}

#endif
