/* Patterns that are a formula of the rank's number. */
#include "base/error.h"
#include "traffic/pattern.h"
#include "traffic/pattern_internal.h"

struct shift {
    int64_t by;
};

static const struct cw_option shift_options[] = {
    {.name = "by",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct shift, by),
     .value_name = "K",
     .default_text = "1",
     .positional = true,
     .help = "distance in ranks; a negative one shifts down"},
    {.name = NULL},
};

/* K modulo N, 0 … n-1. */
static uint32_t offset_of(const struct shift *shift, uint32_t n)
{
    const int64_t remainder = shift->by % (int64_t)n;
    return (uint32_t)(remainder < 0 ? remainder + (int64_t)n : remainder);
}

static int shift_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct shift *shift = values;
    if (offset_of(shift, n) == 0)
        return cw_fail(CW_EUSAGE, "a shift by %lld among %u ranks would have every rank send to itself",
                       (long long)shift->by, n);
    *rounds = 1;
    return 0;
}

static int append_shift(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                        struct cw_flows *flows)
{
    (void)round;
    (void)random;
    const uint64_t offset = offset_of(values, n);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++) rc = cw_flows_add(flows, i, (uint32_t)((i + offset) % n), bytes);
    return rc;
}

const struct cw_pattern_kind cw_pattern_shift = {
    .name = "shift",
    .help = "rank i sends to (i + K) mod n",
    .options = shift_options,
    .size = sizeof(struct shift),
    .rounds = shift_rounds,
    .append = append_shift,
};

static int append_bitcomp(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                          struct cw_flows *flows)
{
    (void)values;
    (void)round;
    (void)random;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++) rc = cw_flows_add(flows, i, n - 1 - i, bytes);
    return rc;
}

/* Where n is a power of two, n - k - 1 inverts every bit of k, whence the name. */
const struct cw_pattern_kind cw_pattern_bitcomp = {
    .name = "bitcomp",
    .help = "bit complement: rank k sends to n - k - 1; the middle one of an odd number of ranks is silent",
    .rounds = cw_pattern_one_round,
    .append = append_bitcomp,
};

struct transpose {
    int64_t rows; /* 0: the ranks are a square */
};

static const struct cw_option transpose_options[] = {
    {.name = "rows",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct transpose, rows),
     .value_name = "R",
     .min = 2,
     .max = UINT32_MAX,
     .positional = true,
     .help = "rows of the matrix, a divisor of the number of ranks (default: a square matrix)"},
    {.name = NULL},
};

static uint64_t square_root(uint32_t n)
{
    uint64_t root = 0;
    for (uint64_t bit = 1u << 15; bit > 0; bit /= 2)
        if ((root + bit) * (root + bit) <= n) root += bit;
    return root;
}

/* Rows of the matrix of N ranks. */
static int rows_of(const struct transpose *transpose, uint32_t n, uint64_t *rows)
{
    if (transpose->rows > 0) {
        *rows = (uint64_t)transpose->rows;
        if (*rows < n && n % *rows == 0) return 0;
        return cw_fail(CW_EUSAGE, "transpose: %u ranks cannot be cut into %llu rows of 2 or more", n,
                       (unsigned long long)*rows);
    }
    *rows = square_root(n);
    if (*rows * *rows == n) return 0;
    return cw_fail(CW_EUSAGE,
                   "transpose: %u ranks are not a square number; give a divisor as rows=R, or a square number of ranks",
                   n);
}

static int transpose_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    uint64_t rows;
    const int rc = rows_of(values, n, &rows);
    if (!rc) *rounds = 1;
    return rc;
}

static int append_transpose(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                            struct cw_flows *flows)
{
    (void)round;
    (void)random;
    uint64_t rows;
    int rc = rows_of(values, n, &rows);
    const uint64_t columns = rc ? 1 : n / rows;
    for (uint32_t i = 0; !rc && i < n; i++) {
        const uint32_t to = (uint32_t)(i % columns * rows + i / columns);
        rc = cw_flows_add(flows, i, to, bytes);
    }
    return rc;
}

const struct cw_pattern_kind cw_pattern_transpose = {
    .name = "transpose",
    .help =
        "the ranks are an R x C matrix row by row: rank i·C + j sends to j·R + i; those that stay in place are silent",
    .options = transpose_options,
    .size = sizeof(struct transpose),
    .rounds = transpose_rounds,
    .append = append_transpose,
};

struct ring {
    int direction;
};

static const struct cw_option ring_options[] = {
    {.name = "direction",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct ring, direction),
     .default_text = "uni",
     .choices = cw_pattern_directions,
     .positional = true,
     .help = "uni: to the next rank only; bi: to the one before, too, in the same round"},
    {.name = NULL},
};

static int append_ring(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                       struct cw_flows *flows)
{
    (void)round;
    (void)random;
    const struct ring *ring = values;
    const bool both = ring->direction == CW_DIRECTION_BI && n > 2; /* of two ranks, both neighbours are the same */
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++) {
        rc = cw_flows_add(flows, i, i == n - 1 ? 0 : i + 1, bytes);
        if (!rc && both) rc = cw_flows_add(flows, i, i == 0 ? n - 1 : i - 1, bytes);
    }
    return rc;
}

const struct cw_pattern_kind cw_pattern_ring = {
    .name = "ring",
    .help = "rank i sends to (i + 1) mod n, with direction=bi also to (i - 1) mod n",
    .options = ring_options,
    .size = sizeof(struct ring),
    .rounds = cw_pattern_one_round,
    .append = append_ring,
};

struct incast {
    int64_t receivers;
};

static const struct cw_option incast_options[] = {
    {.name = "receivers",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct incast, receivers),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help = "how many ranks receive: 0 … N-1"},
    {.name = NULL},
};

static int incast_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct incast *incast = values;
    if (incast->receivers >= n)
        return cw_fail(CW_EUSAGE, "incast: with %lld receivers among %u ranks nobody is left to send",
                       (long long)incast->receivers, n);
    *rounds = 1;
    return 0;
}

static int append_incast(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                         struct cw_flows *flows)
{
    (void)round;
    (void)random;
    const struct incast *incast = values;
    const uint32_t receivers = (uint32_t)incast->receivers;
    int rc = 0;
    for (uint32_t i = receivers; !rc && i < n; i++) rc = cw_flows_add(flows, i, i % receivers, bytes);
    return rc;
}

const struct cw_pattern_kind cw_pattern_incast = {
    .name = "incast",
    .help = "every rank i ≥ N sends to rank i mod N, so that the senders are spread evenly over N receivers",
    .options = incast_options,
    .size = sizeof(struct incast),
    .rounds = incast_rounds,
    .append = append_incast,
};

static int alltoall_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    (void)values;
    *rounds = n - 1;
    return 0;
}

static int append_alltoall(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                           struct cw_flows *flows)
{
    (void)values;
    (void)random;
    const uint64_t offset = (uint64_t)round + 1;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++) rc = cw_flows_add(flows, i, (uint32_t)((i + offset) % n), bytes);
    return rc;
}

const struct cw_pattern_kind cw_pattern_alltoall = {
    .name = "alltoall",
    .help = "n - 1 rounds: in round r = 0, 1, … rank i sends to (i + r + 1) mod n; as a continuous load the same as "
            "uniform",
    .rounds = alltoall_rounds,
    .append = append_alltoall,
    .destination = cw_pattern_uniform_destination,
    .shares = cw_pattern_uniform_shares,
};
