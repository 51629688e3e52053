/* Patterns of a grid of ranks: the halo exchange of a stencil code, one round a direction, and tornado. */
#include "base/error.h"
#include "base/units.h"
#include "traffic/pattern.h"

/* --- grids: rank x + X·(y + Y·z), x fastest ----------------------------------------------------------------------- */

#define MOST_DIMENSIONS 8

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

/* The SIZE in each of DIMENSIONS of the grid of N ranks: GRID, or, where that is empty, the most nearly square or cubic
 * one of up to 3, the smallest size first. CW_EUSAGE, in the name of OWNER, if GRID is not one of N ranks or has more
 * than MOST_DIMENSIONS. */
static int grid_of(const char *owner, const struct cw_ints *grid, uint32_t dimensions, uint32_t n, uint32_t *size)
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
    if (grid->n > MOST_DIMENSIONS)
        return cw_fail(CW_EUSAGE, "%s: the grid has %zu sizes, expected at most %d", owner, grid->n, MOST_DIMENSIONS);
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

/* The rank next to I, up or down in DIMENSION; I itself where the grid ends there. A periodic one goes on at the
 * opposite face, and so a size of 1 leads back to I. */
static uint32_t neighbour(const uint32_t *size, uint32_t i, uint32_t dimension, bool up, bool periodic)
{
    const uint32_t k = size[dimension];
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dimension; d++) stride *= size[d];
    const bool edge = i / stride % k == (up ? k - 1 : 0);
    if (edge && !periodic) return i;
    const uint32_t step = edge ? (k - 1) * stride : stride;
    return up == edge ? i - step : i + step;
}

/* --- halo --------------------------------------------------------------------------------------------------------- */

enum { HALO_BOTH, HALO_UP, HALO_DOWN };

struct halo {
    struct cw_ints grid; /* empty: chosen by the number of ranks */
    int64_t dimensions;  /* … in so many dimensions */
    int axis;            /* 0: all; d + 1: dimension d only */
    int direction;
    bool periodic;
};

static const char *const axes[] = {"all", "x", "y", "z", "4", "5", "6", "7", "8", NULL};
static const char *const directions[] = {"both", "up", "down", NULL};

static const struct cw_option halo_options[] = {
    {.name = "grid",
     .type = CW_OPTION_DIMENSIONS,
     .offset = offsetof(struct halo, grid),
     .value_name = "XxYx...",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help =
         "the grid of ranks, x fastest, of 1 to 8 dimensions; by default the most nearly cubic one of `dimensions`, "
         "the smallest size first"},
    {.name = "dimensions",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct halo, dimensions),
     .value_name = "D",
     .default_text = "3",
     .min = 1,
     .max = 3,
     .help = "dimensions of the default grid: 1, 2 (nearly square) or 3 (nearly cubic)"},
    {.name = "axis",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct halo, axis),
     .default_text = "all",
     .choices = axes,
     .help = "only the rounds along this axis; neighbours along the last axis are the most distant ranks"},
    {.name = "direction",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct halo, direction),
     .default_text = "both",
     .choices = directions,
     .help = "up: only the rounds to x + 1, y + 1, ...; down: only those to x - 1, y - 1, ..."},
    {.name = "periodic",
     .type = CW_OPTION_FLAG,
     .offset = offsetof(struct halo, periodic),
     .help = "ranks at opposite faces are neighbours, too"},
    {.name = NULL},
};

/* SIZE of the grid of N ranks in each of *DIMENSIONS. */
static int halo_size(const struct halo *halo, uint32_t n, uint32_t size[MOST_DIMENSIONS], uint32_t *dimensions)
{
    *dimensions = halo->grid.n > 0 ? (uint32_t)halo->grid.n : (uint32_t)halo->dimensions;
    const int rc = grid_of("halo", &halo->grid, *dimensions, n, size);
    if (!rc && halo->axis > (int)*dimensions)
        return cw_fail(CW_EUSAGE, "halo: a grid of %u dimensions has no axis %s", *dimensions, axes[halo->axis]);
    return rc;
}

static int halo_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct halo *halo = values;
    uint32_t size[MOST_DIMENSIONS], dimensions;
    const int rc = halo_size(halo, n, size, &dimensions);
    if (!rc) *rounds = (halo->axis ? 1 : dimensions) * (halo->direction == HALO_BOTH ? 2 : 1);
    return rc;
}

/* Dimension after dimension; in each a round up, then one down. */
static int append_halo(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                       struct cw_flows *flows)
{
    (void)random;
    const struct halo *halo = values;
    const bool both = halo->direction == HALO_BOTH, up = both ? round % 2 == 0 : halo->direction == HALO_UP;
    uint32_t size[MOST_DIMENSIONS], dimensions;
    int rc = halo_size(halo, n, size, &dimensions);
    if (rc) return rc;
    const uint32_t dimension = halo->axis ? (uint32_t)halo->axis - 1 : both ? round / 2 : round;
    for (uint32_t i = 0; !rc && i < n; i++) {
        const uint32_t to = neighbour(size, i, dimension, up, halo->periodic);
        if (to != i) rc = cw_flows_add(flows, i, to, bytes);
    }
    return rc;
}

const struct cw_pattern_kind cw_pattern_halo = {
    .name = "halo",
    .help = "rank x + X·(y + Y·(z + ...)) of a grid sends to its neighbours, with one round for each direction: x + 1, "
            "x - 1, y + 1, y - 1, ...; a rank without a neighbour there is silent. A continuous load goes to all "
            "neighbours in equal shares",
    .options = halo_options,
    .size = sizeof(struct halo),
    .rounds = halo_rounds,
    .append = append_halo,
};

/* --- tornado ------------------------------------------------------------------------------------------------------ */

struct tornado {
    struct cw_ints grid;
};

static const struct cw_option tornado_options[] = {
    {.name = "grid",
     .type = CW_OPTION_DIMENSIONS,
     .offset = offsetof(struct tornado, grid),
     .value_name = "XxYx...",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help = "the grid of ranks, x fastest, of 1 to 8 dimensions; by default one ring of all"},
    {.name = NULL},
};

static int tornado_size(const struct tornado *tornado, uint32_t n, uint32_t size[MOST_DIMENSIONS], uint32_t *dimensions)
{
    *dimensions = tornado->grid.n > 0 ? (uint32_t)tornado->grid.n : 1;
    return grid_of("tornado", &tornado->grid, *dimensions, n, size);
}

static int tornado_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    uint32_t size[MOST_DIMENSIONS], dimensions, most = 1;
    const int rc = tornado_size(values, n, size, &dimensions);
    if (rc) return rc;
    for (uint32_t d = 0; d < dimensions; d++)
        if (size[d] > most) most = size[d];
    if (most < 3) return cw_fail(CW_EUSAGE, "tornado: in rings of %u ranks everybody would send to itself", most);
    *rounds = 1;
    return 0;
}

static int append_tornado(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                          struct cw_flows *flows)
{
    (void)round;
    (void)random;
    uint32_t size[MOST_DIMENSIONS], dimensions;
    int rc = tornado_size(values, n, size, &dimensions);
    for (uint32_t i = 0; !rc && i < n; i++) {
        uint32_t to = 0, stride = 1;
        for (uint32_t d = 0; d < dimensions; d++) {
            const uint64_t k = size[d], x = i / stride % k;
            to += (uint32_t)((x + (k + 1) / 2 - 1) % k) * stride;
            stride *= size[d];
        }
        rc = cw_flows_add(flows, i, to, bytes);
    }
    return rc;
}

/* Dally and Towles, Principles and Practices of Interconnection Networks, 2004, table 3.1. */
const struct cw_pattern_kind cw_pattern_tornado = {
    .name = "tornado",
    .help = "nearly half-way around the ring, in each dimension of a grid: coordinate x of k sends to (x + ⌈k/2⌉ - 1) "
            "mod k; the worst case of minimal routing on a torus of that grid",
    .options = tornado_options,
    .size = sizeof(struct tornado),
    .rounds = tornado_rounds,
    .append = append_tornado,
};
