/* Patterns that draw a destination for every message of a continuous load: uniform, hotspot. */
#include "base/error.h"
#include "traffic/pattern.h"
#include "traffic/pattern_internal.h"

/* --- uniform ------------------------------------------------------------------------------------------------------ */

uint32_t cw_pattern_uniform_destination(const void *values, uint32_t n, uint32_t rank, uint64_t random)
{
    (void)values;
    return cw_draw_other(random, n, rank);
}

int cw_pattern_uniform_shares(const void *values, uint32_t n, uint32_t rank, struct cw_flows *flows)
{
    (void)values;
    const uint64_t each = CW_ALL_TRAFFIC / (n - 1);
    int rc = 0;
    for (uint32_t to = 0; !rc && to < n; to++)
        if (to != rank && each > 0) rc = cw_flows_add(flows, rank, to, each);
    return rc;
}

/* Rank i → u(i), each u(i) uniform among the n - 1 other ranks, independently: no permutation. */
static int append_uniform(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                          struct cw_flows *flows)
{
    (void)values;
    (void)round;
    int rc = cw_flows_reserve(flows, n);
    for (uint32_t i = 0; !rc && i < n; i++) {
        const uint32_t other = cw_random_below(random, n - 1);
        rc = cw_flows_add(flows, i, other < i ? other : other + 1, bytes);
    }
    return rc;
}

const struct cw_pattern_kind cw_pattern_uniform = {
    .name = "uniform",
    .help = "every rank sends to another rank, drawn uniformly and independently (not a permutation); a continuous "
            "load draws for every message",
    .random = true,
    .rounds = cw_pattern_one_round,
    .append = append_uniform,
    .destination = cw_pattern_uniform_destination,
    .shares = cw_pattern_uniform_shares,
};

/* --- hotspot ------------------------------------------------------------------------------------------------------ */

struct hotspot {
    int64_t ranks;
    double share;
};

static const struct cw_option hotspot_options[] = {
    {.name = "ranks",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct hotspot, ranks),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help = "how many ranks are hot: 0 … N-1"},
    {.name = "share",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct hotspot, share),
     .default_text = "0.2",
     .min = 0,
     .max = 1,
     .help = "share of the messages that go to the hot ranks only"},
    {.name = NULL},
};

static int hotspot_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct hotspot *hotspot = values;
    if (hotspot->ranks > n)
        return cw_fail(CW_EUSAGE, "hotspot: %lld hot ranks; there are %u ranks", (long long)hotspot->ranks, n);
    *rounds = 1;
    return 0;
}

/* How much of RANK's traffic goes to the hot ranks, of CW_ALL_TRAFFIC: the only one has no other to send to. */
static uint64_t hot_share(const struct hotspot *hotspot, uint32_t rank)
{
    if (hotspot->ranks == 1 && rank == 0) return 0;
    return (uint64_t)(hotspot->share * (double)CW_ALL_TRAFFIC + 0.5);
}

static uint32_t hotspot_destination(const void *values, uint32_t n, uint32_t rank, uint64_t random)
{
    const struct hotspot *hotspot = values;
    const bool hot = (uint32_t)random < hot_share(hotspot, rank);
    return cw_draw_other(random, hot ? (uint32_t)hotspot->ranks : n, rank);
}

static int hotspot_shares(const void *values, uint32_t n, uint32_t rank, struct cw_flows *flows)
{
    const struct hotspot *hotspot = values;
    const uint32_t hot_ranks = (uint32_t)hotspot->ranks;
    const uint64_t hot = hot_share(hotspot, rank), rest = (CW_ALL_TRAFFIC - hot) / (n - 1);
    const uint64_t each = hot > 0 ? hot / (hot_ranks - (rank < hot_ranks)) : 0;
    int rc = 0;
    for (uint32_t to = 0; !rc && to < n; to++) {
        const uint64_t bytes = rest + (to < hot_ranks ? each : 0);
        if (to != rank && bytes > 0) rc = cw_flows_add(flows, rank, to, bytes);
    }
    return rc;
}

static int append_hotspot(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                          struct cw_flows *flows)
{
    (void)round;
    int rc = cw_flows_reserve(flows, n);
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = cw_flows_add(flows, i, hotspot_destination(values, n, i, cw_random_u64(random)), bytes);
    return rc;
}

/* After Pfister and Norton, "Hot spot" contention and combining in multistage interconnection networks, IEEE
 * Transactions on Computers C-34(10), 1985: the rest of the traffic is uniform, and reaches the hot ranks, too. */
const struct cw_pattern_kind cw_pattern_hotspot = {
    .name = "hotspot",
    .help =
        "every rank sends one message: a share of them to one of N hot ranks, uniformly at random, the others to any "
        "rank, hot ones included; the only hot rank sends its own to any rank; a continuous load draws for every "
        "message",
    .options = hotspot_options,
    .size = sizeof(struct hotspot),
    .random = true,
    .rounds = hotspot_rounds,
    .append = append_hotspot,
    .destination = hotspot_destination,
    .shares = hotspot_shares,
};
