/* What the files of patterns share. */
#ifndef CW_TRAFFIC_PATTERN_INTERNAL_H
#define CW_TRAFFIC_PATTERN_INTERNAL_H

#include <stdint.h>

#include "base/decls.h"
#include "traffic/pattern.h"

CW_BEGIN_DECLS

struct cw_pattern {
    const struct cw_pattern_kind *kind;
    char *spec;
    void *values;
};

/* The `rounds` of a pattern that is defined for any number of ranks and has one round. */
int cw_pattern_one_round(const void *values, uint32_t n, uint32_t *rounds);

/* Choices of a `direction` option. */
enum { CW_DIRECTION_UNI, CW_DIRECTION_BI };
extern const char *const cw_pattern_directions[];

/* Of uniform traffic, and so of all-to-all. */
uint32_t cw_pattern_uniform_destination(const void *values, uint32_t n, uint32_t rank, uint64_t random);
int cw_pattern_uniform_shares(const void *values, uint32_t n, uint32_t rank, struct cw_flows *flows);

/* --- choosing a destination by 64 random bits, and how shares of traffic are counted ------------------------------ */

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

CW_END_DECLS

#endif
