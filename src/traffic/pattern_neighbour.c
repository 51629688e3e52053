/* Nearest neighbours in a grid of ranks: the halo exchange of a stencil code, one round a direction. */
#include "traffic/grid.h"
#include "traffic/pattern.h"

struct neighbour {
    struct cw_ints grid; /* empty: chosen by the number of ranks */
    int axis;            /* 0: all; d + 1: dimension d only */
    bool periodic;
};

/* SIZE of the grid of N ranks in each of DIMENSIONS. */
static int grid_of(const struct neighbour *neighbour, uint32_t dimensions, uint32_t n,
                   uint32_t size[CW_GRID_DIMENSIONS])
{
    return cw_grid_of(dimensions == 2 ? "neighbour2d" : "neighbour3d", &neighbour->grid, dimensions, n, size);
}

static int rounds_in(const struct neighbour *neighbour, uint32_t dimensions, uint32_t n, uint32_t *rounds)
{
    uint32_t size[CW_GRID_DIMENSIONS];
    const int rc = grid_of(neighbour, dimensions, n, size);
    if (!rc) *rounds = neighbour->axis ? 2 : 2 * dimensions;
    return rc;
}

/* Round 2d goes up in dimension d, round 2d + 1 down. */
static int append_in(const struct neighbour *neighbour, uint32_t dimensions, uint32_t n, uint32_t round, uint64_t bytes,
                     struct cw_flows *flows)
{
    uint32_t size[CW_GRID_DIMENSIONS];
    int rc = grid_of(neighbour, dimensions, n, size);
    if (rc) return rc;
    const uint32_t dimension = neighbour->axis ? (uint32_t)neighbour->axis - 1 : round / 2;
    for (uint32_t i = 0; !rc && i < n; i++) {
        const uint32_t to = cw_grid_neighbour(size, i, dimension, round % 2 == 0, neighbour->periodic);
        if (to != i) rc = cw_flows_add(flows, i, to, bytes);
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
