/* Workloads that draw a destination for every message. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/workload.h"

#define WHOLE (UINT64_C(1) << 32) /* all traffic of a rank, in flows */

/* One of N, by the upper half of 64 random bits: the lower half is free for another choice. */
static uint32_t choose(uint64_t random, uint32_t n)
{
    return (uint32_t)((random >> 32) * n >> 32);
}

/* One of the numbers 0 … N-1 but RANK, if that is among them. */
static uint32_t choose_other(uint64_t random, uint32_t n, uint32_t rank)
{
    if (rank >= n) return choose(random, n);
    const uint32_t other = choose(random, n - 1);
    return other < rank ? other : other + 1;
}

static int new_state(const void *from, size_t size, void **state)
{
    void *copy = cw_new_array(1, size, "a workload");
    if (!copy) return CW_ENOMEM;
    memcpy(copy, from, size);
    *state = copy;
    return 0;
}

/* Uniform traffic is that of no hot ranks. */
struct hotspot {
    uint32_t n, hot;
    uint64_t share; /* of 2^32 */
};

/* How much of RANK's traffic goes to the hot ranks: the only one has no other to send to. */
static uint64_t hot_share(const struct hotspot *hotspot, uint32_t rank)
{
    return hotspot->hot == 1 && rank == 0 ? 0 : hotspot->share;
}

static uint32_t hotspot_destination(const void *state, uint32_t rank, uint64_t random)
{
    const struct hotspot *hotspot = state;
    const bool hot = (uint32_t)random < hot_share(hotspot, rank);
    return choose_other(random, hot ? hotspot->hot : hotspot->n, rank);
}

static int hotspot_flows(const void *state, uint32_t rank, struct cw_flows *flows)
{
    const struct hotspot *hotspot = state;
    const uint32_t n = hotspot->n;
    const uint64_t hot = hot_share(hotspot, rank), rest = (WHOLE - hot) / (n - 1);
    const uint64_t each = hot > 0 ? hot / (hotspot->hot - (rank < hotspot->hot)) : 0;
    int rc = 0;
    for (uint32_t to = 0; !rc && to < n; to++) {
        const uint64_t bytes = rest + (to < hotspot->hot ? each : 0);
        if (to != rank && bytes > 0) rc = cw_flows_add(flows, rank, to, bytes);
    }
    return rc;
}

static int prepare_uniform(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)values;
    (void)random;
    return new_state(&(struct hotspot){.n = ranks->n}, sizeof(struct hotspot), state);
}

const struct cw_workload_kind cw_workload_uniform = {
    .name = "uniform",
    .help = "every message goes to one of the n - 1 other ranks, uniformly at random",
    .prepare = prepare_uniform,
    .destination = hotspot_destination,
    .flows = hotspot_flows,
};

struct hotspot_values {
    int64_t ranks;
    double share;
};

static const struct cw_option hotspot_options[] = {
    {.name = "ranks",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct hotspot_values, ranks),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help = "how many ranks are hot: 0 … N-1"},
    {.name = "share",
     .type = CW_OPTION_REAL,
     .offset = offsetof(struct hotspot_values, share),
     .default_text = "0.2",
     .min = 0,
     .max = 1,
     .help = "part of the messages that is for the hot ranks only"},
    {.name = NULL},
};

static int prepare_hotspot(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)random;
    const struct hotspot_values *hotspot = values;
    if (hotspot->ranks > ranks->n)
        return cw_fail(CW_EUSAGE, "hotspot: %lld hot ranks; there are %u ranks", (long long)hotspot->ranks, ranks->n);
    const struct hotspot made = {
        .n = ranks->n, .hot = (uint32_t)hotspot->ranks, .share = (uint64_t)(hotspot->share * (double)WHOLE + 0.5)};
    return new_state(&made, sizeof made, state);
}

/* After Pfister and Norton, "Hot spot" contention and combining in multistage interconnection networks, IEEE
 * Transactions on Computers C-34(10), 1985: the rest of the traffic is uniform, and reaches the hot ranks, too. */
const struct cw_workload_kind cw_workload_hotspot = {
    .name = "hotspot",
    .help = "a share of the messages goes to one of N hot ranks, uniformly at random, the others to any rank, hot ones "
            "included; the only hot rank sends all its own to any rank",
    .options = hotspot_options,
    .size = sizeof(struct hotspot_values),
    .prepare = prepare_hotspot,
    .destination = hotspot_destination,
    .flows = hotspot_flows,
};

struct adversarial_values {
    int64_t groups;
};

static const struct cw_option adversarial_options[] = {
    {.name = "groups",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct adversarial_values, groups),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help = "distance in groups"},
    {.name = NULL},
};

struct adversarial {
    uint32_t n, per_group, groups, by;
};

static int prepare_adversarial(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)random;
    const int64_t by = ((const struct adversarial_values *)values)->groups;
    struct adversarial made = {.n = ranks->n, .per_group = ranks->per_group};
    made.groups = (made.n - 1) / made.per_group + 1;
    made.by = (uint32_t)(by % made.groups);
    if (made.by == 0)
        return cw_fail(CW_EUSAGE, "adversarial: %lld groups on from each of %u groups is the group itself",
                       (long long)by, made.groups);
    return new_state(&made, sizeof made, state);
}

/* The group that RANK sends to: its first rank, and its size, which is less where the last group is not full. */
static uint32_t target_of(const struct adversarial *adversarial, uint32_t rank, uint32_t *size)
{
    const uint32_t group = rank / adversarial->per_group, left = adversarial->groups - group;
    const uint32_t target = adversarial->by < left ? group + adversarial->by : adversarial->by - left;
    const uint32_t first = target * adversarial->per_group, rest = adversarial->n - first;
    *size = rest < adversarial->per_group ? rest : adversarial->per_group;
    return first;
}

static uint32_t adversarial_destination(const void *state, uint32_t rank, uint64_t random)
{
    uint32_t size;
    const uint32_t first = target_of(state, rank, &size);
    return first + choose(random, size);
}

static int adversarial_flows(const void *state, uint32_t rank, struct cw_flows *flows)
{
    uint32_t size;
    const uint32_t first = target_of(state, rank, &size);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < size; i++) rc = cw_flows_add(flows, rank, first + i, WHOLE / size);
    return rc;
}

const struct cw_workload_kind cw_workload_adversarial = {
    .name = "adversarial",
    .help = "every message of a rank in group i goes to one of the ranks in group i + N (modulo the number of groups), "
            "uniformly at random; in a network without groups each rank is one",
    .options = adversarial_options,
    .size = sizeof(struct adversarial_values),
    .prepare = prepare_adversarial,
    .destination = adversarial_destination,
    .flows = adversarial_flows,
};
