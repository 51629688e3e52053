#include "traffic/grid.h"

#include "base/error.h"

/* The largest divisor of N that is at most its root. */
static uint32_t lower_divisor(uint32_t n)
{
    uint32_t best = 1;
    for (uint64_t x = 1; x * x <= n; x++)
        if (n % x == 0) best = (uint32_t)x;
    return best;
}

static void nearly_square(uint32_t n, uint32_t size[2])
{
    size[0] = lower_divisor(n);
    size[1] = n / size[0];
}

/* X ≤ Y ≤ Z with the least surface XY + YZ + ZX. For a given X the most nearly square Y·Z has it. */
static void nearly_cubic(uint32_t n, uint32_t size[3])
{
    uint64_t least = UINT64_MAX;
    for (uint64_t x = 1; x * x * x <= n; x++) {
        if (n % x != 0) continue;
        uint32_t rest[2];
        nearly_square((uint32_t)(n / x), rest);
        if (x > rest[0]) continue; /* the same three numbers came in order before */
        const uint64_t surface = x * rest[0] + x * rest[1] + (uint64_t)rest[0] * rest[1];
        if (surface >= least) continue;
        least = surface;
        size[0] = (uint32_t)x;
        size[1] = rest[0];
        size[2] = rest[1];
    }
}

int cw_grid_of(const char *owner, const struct cw_ints *grid, uint32_t dimensions, uint32_t n, uint32_t *size)
{
    if (grid->n == 0) {
        if (dimensions == 1)
            size[0] = n;
        else if (dimensions == 2)
            nearly_square(n, size);
        else
            nearly_cubic(n, size);
        return 0;
    }
    if (grid->n > CW_GRID_DIMENSIONS)
        return cw_fail(CW_EUSAGE, "%s: the grid has %zu sizes, expected at most %d", owner, grid->n,
                       CW_GRID_DIMENSIONS);
    uint64_t ranks = 1;
    for (uint32_t d = 0; d < dimensions; d++) {
        size[d] = (uint32_t)grid->values[d]; /* the option's limits: 1 … 2^32 - 1 */
        ranks *= size[d];
        if (ranks > UINT32_MAX) break; /* and so more than n */
    }
    if (ranks == n) return 0;
    return cw_fail(CW_EUSAGE, "%s: the grid has %s%llu places for %u ranks", owner,
                   ranks > UINT32_MAX ? "at least " : "", (unsigned long long)ranks, n);
}

uint32_t cw_grid_neighbour(const uint32_t *size, uint32_t i, uint32_t dimension, bool up, bool periodic)
{
    const uint32_t k = size[dimension];
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dimension; d++) stride *= size[d];
    const bool edge = i / stride % k == (up ? k - 1 : 0);
    if (edge && !periodic) return i;
    const uint32_t step = edge ? (k - 1) * stride : stride;
    return up == edge ? i - step : i + step;
}
