/* Nearest neighbours in a grid of ranks: the halo exchange of a stencil code, one round a direction. */
#include "base/error.h"
#include "traffic/pattern.h"

#define MAX_DIMENSIONS 3

struct neighbour {
    struct cw_ints grid; /* empty: chosen by the number of ranks */
    int axis;            /* 0: all; d + 1: dimension d only */
    bool periodic;
};

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

/* SIZE of the grid of N ranks in each of DIMENSIONS. */
static int grid_of(const struct neighbour *neighbour, uint32_t dimensions, uint32_t n, uint32_t size[MAX_DIMENSIONS])
{
    const struct cw_ints *grid = &neighbour->grid;
    if (grid->n == 0) {
        if (dimensions == 2)
            nearly_square(n, size);
        else
            nearly_cubic(n, size);
        return 0;
    }
    if (grid->n != dimensions)
        return cw_fail(CW_EUSAGE, "neighbour%ud: the grid has %zu sizes, expected %u", dimensions, grid->n, dimensions);
    uint64_t ranks = 1;
    for (uint32_t d = 0; d < dimensions; d++) {
        size[d] = (uint32_t)grid->values[d]; /* the option's limits: 1 … 2^32 - 1 */
        ranks *= size[d];
        if (ranks > UINT32_MAX) break; /* and so more than n */
    }
    if (ranks == n) return 0;
    return cw_fail(CW_EUSAGE, "neighbour%ud: the grid has %s%llu places for %u ranks", dimensions,
                   ranks > UINT32_MAX ? "at least " : "", (unsigned long long)ranks, n);
}

static int rounds_in(const struct neighbour *neighbour, uint32_t dimensions, uint32_t n, uint32_t *rounds)
{
    uint32_t size[MAX_DIMENSIONS];
    const int rc = grid_of(neighbour, dimensions, n, size);
    if (!rc) *rounds = neighbour->axis ? 2 : 2 * dimensions;
    return rc;
}

/* Round 2d goes up in dimension d, round 2d + 1 down. */
static int append_in(const struct neighbour *neighbour, uint32_t dimensions, uint32_t n, uint32_t round, uint64_t bytes,
                     struct cw_flows *flows)
{
    uint32_t size[MAX_DIMENSIONS];
    int rc = grid_of(neighbour, dimensions, n, size);
    if (rc) return rc;
    const uint32_t dimension = neighbour->axis ? (uint32_t)neighbour->axis - 1 : round / 2;
    const bool up = round % 2 == 0;
    const uint32_t k = size[dimension];
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dimension; d++) stride *= size[d];
    for (uint32_t i = 0; !rc && k > 1 && i < n; i++) {
        const uint32_t x = i / stride % k;
        const bool edge = x == (up ? k - 1 : 0);
        if (edge && !neighbour->periodic) continue;
        const uint32_t step = edge ? (k - 1) * stride : stride;
        rc = cw_flows_add(flows, i, up == edge ? i - step : i + step, bytes);
    }
    return rc;
}

static int rounds_2d(const void *values, uint32_t n, uint32_t *rounds)
{
    return rounds_in(values, 2, n, rounds);
}

static int rounds_3d(const void *values, uint32_t n, uint32_t *rounds)
{
    return rounds_in(values, 3, n, rounds);
}

static int append_2d(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                     struct cw_flows *flows)
{
    (void)random;
    return append_in(values, 2, n, round, bytes, flows);
}

static int append_3d(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                     struct cw_flows *flows)
{
    (void)random;
    return append_in(values, 3, n, round, bytes, flows);
}

static const char *const axes_2d[] = {"all", "x", "y", NULL};
static const char *const axes_3d[] = {"all", "x", "y", "z", NULL};

#define GRID_OPTION(SIZES, SHAPE)                                                                                      \
    {                                                                                                                  \
        .name = "grid", .type = CW_OPTION_DIMENSIONS, .offset = offsetof(struct neighbour, grid), .value_name = SIZES, \
        .min = 1, .max = UINT32_MAX, .positional = true,                                                               \
        .help = "the grid of ranks, x fastest; by default the most nearly " SHAPE " one, the smallest size first"      \
    }
#define AXIS_OPTION(AXES)                                                                                              \
    {                                                                                                                  \
        .name = "axis", .type = CW_OPTION_CHOICE, .offset = offsetof(struct neighbour, axis), .default_text = "all",   \
        .choices = AXES, .help = "only the two rounds along this axis; the last axis is the most remote"               \
    }
#define PERIODIC_OPTION                                                                                                \
    {                                                                                                                  \
        .name = "periodic", .type = CW_OPTION_FLAG, .offset = offsetof(struct neighbour, periodic),                    \
        .help = "ranks at opposite faces are neighbours, too"                                                          \
    }

static const struct cw_option options_2d[] = {
    GRID_OPTION("XxY", "square"), AXIS_OPTION(axes_2d), PERIODIC_OPTION, {.name = NULL}};
static const struct cw_option options_3d[] = {
    GRID_OPTION("XxYxZ", "cubic"), AXIS_OPTION(axes_3d), PERIODIC_OPTION, {.name = NULL}};

const struct cw_pattern_kind cw_pattern_neighbour2d = {
    .name = "neighbour2d",
    .help = "rank x + X·y of a grid sends to its neighbours in 4 rounds: x + 1, x - 1, y + 1, y - 1",
    .options = options_2d,
    .size = sizeof(struct neighbour),
    .rounds = rounds_2d,
    .append = append_2d,
};

const struct cw_pattern_kind cw_pattern_neighbour3d = {
    .name = "neighbour3d",
    .help =
        "rank x + X·(y + Y·z) of a grid sends to its neighbours in 6 rounds: x + 1, x - 1, y + 1, y - 1, z + 1, z - 1",
    .options = options_3d,
    .size = sizeof(struct neighbour),
    .rounds = rounds_3d,
    .append = append_3d,
};
