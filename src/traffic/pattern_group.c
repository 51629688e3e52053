/* Patterns of groups of ranks: those of a dragonfly's group, if ranks run on its endpoints in order. Where the network
 * has no groups, each rank is one. */
#include "base/error.h"
#include "traffic/pattern.h"
#include "traffic/pattern_internal.h"

struct group {
    int64_t by;            /* groups */
    uint32_t per_group, h; /* of struct cw_ranks */
};

static int prepare_group(void *values, const struct cw_ranks *ranks)
{
    struct group *group = values;
    group->per_group = ranks && ranks->per_group > 0 ? ranks->per_group : 1;
    group->h = ranks ? ranks->h : 0;
    return 0;
}

/* --- shift -------------------------------------------------------------------------------------------------------- */

static const struct cw_option shift_options[] = {
    {.name = "groups",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct group, by),
     .value_name = "M",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help =
         "distance in groups, by default h + 1; one of h groups or less is not adversarial, since traffic may leave "
         "an intermediate group by the switch it came in on"},
    {.name = NULL},
};

static uint64_t shift_groups(const struct group *group)
{
    return group->by ? (uint64_t)group->by : (uint64_t)group->h + 1;
}

static int shift_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct group *group = values;
    const uint64_t groups = shift_groups(group);
    if (groups * group->per_group % n == 0)
        return cw_fail(CW_EUSAGE, "a shift by %llu groups of %u among %u ranks would have every rank send to itself",
                       (unsigned long long)groups, group->per_group, n);
    *rounds = 1;
    return 0;
}

static int append_shift(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                        struct cw_flows *flows)
{
    (void)round;
    (void)random;
    const struct group *group = values;
    const uint64_t by = shift_groups(group) * group->per_group % n;
    int rc = cw_flows_reserve(flows, n);
    for (uint32_t i = 0; !rc && i < n; i++) rc = cw_flows_add(flows, i, (uint32_t)((i + by) % n), bytes);
    return rc;
}

const struct cw_pattern_kind cw_pattern_group_shift = {
    .name = "group-shift",
    .help =
        "rank k sends to rank (k + M·G) mod n; G is the number of ranks in a group of a dragonfly, 1 on other networks",
    .options = shift_options,
    .size = sizeof(struct group),
    .prepare = prepare_group,
    .rounds = shift_rounds,
    .append = append_shift,
};

/* --- adversarial -------------------------------------------------------------------------------------------------- */

static const struct cw_option adversarial_options[] = {
    {.name = "groups",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct group, by),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help = "distance in groups"},
    {.name = NULL},
};

static int adversarial_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct group *group = values;
    const uint32_t groups = (n - 1) / group->per_group + 1;
    if (group->by % groups == 0)
        return cw_fail(CW_EUSAGE, "group-adversarial: %lld groups on from each of %u groups is the group itself",
                       (long long)group->by, groups);
    *rounds = 1;
    return 0;
}

/* The group that RANK sends to: its first rank, and its size, which is less where the last group is not full. */
static uint32_t target_of(const struct group *group, uint32_t n, uint32_t rank, uint32_t *size)
{
    const uint32_t groups = (n - 1) / group->per_group + 1, by = (uint32_t)(group->by % groups);
    const uint32_t own = rank / group->per_group, left = groups - own;
    const uint32_t target = by < left ? own + by : by - left;
    const uint32_t first = target * group->per_group, rest = n - first;
    *size = rest < group->per_group ? rest : group->per_group;
    return first;
}

static uint32_t adversarial_destination(const void *values, uint32_t n, uint32_t rank, uint64_t random)
{
    uint32_t size;
    const uint32_t first = target_of(values, n, rank, &size);
    return first + cw_draw(random, size);
}

static int adversarial_shares(const void *values, uint32_t n, uint32_t rank, struct cw_flows *flows)
{
    uint32_t size;
    const uint32_t first = target_of(values, n, rank, &size);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < size; i++) rc = cw_flows_add(flows, rank, first + i, CW_ALL_TRAFFIC / size);
    return rc;
}

static int append_adversarial(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                              struct cw_flows *flows)
{
    (void)round;
    int rc = cw_flows_reserve(flows, n);
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = cw_flows_add(flows, i, adversarial_destination(values, n, i, cw_random_u64(random)), bytes);
    return rc;
}

const struct cw_pattern_kind cw_pattern_group_adversarial = {
    .name = "group-adversarial",
    .help =
        "every rank of group i sends to one of the ranks of group i + N (modulo the number of groups), uniformly at "
        "random; a continuous load draws for every message; without a dragonfly each rank is a group",
    .options = adversarial_options,
    .size = sizeof(struct group),
    .random = true,
    .prepare = prepare_group,
    .rounds = adversarial_rounds,
    .append = append_adversarial,
    .destination = adversarial_destination,
    .shares = adversarial_shares,
};
