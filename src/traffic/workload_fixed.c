/* Workloads that give each rank one destination. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/shares.h"
#include "traffic/workload.h"

/* Rank i sends to TO, or to nobody if that is itself. */
static int add(struct cw_flows *flows, uint32_t i, uint32_t to)
{
    return to == i ? 0 : cw_flows_add(flows, i, to, 1);
}

static int prepare_bitcomp(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)values;
    (void)random;
    struct cw_flows flows = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < ranks->n; i++) rc = add(&flows, i, ranks->n - 1 - i);
    return cw_shares_prepare(rc, ranks->n, &flows, state);
}

const struct cw_workload_kind cw_workload_bitcomp = {
    .name = "bitcomp",
    .help = "bit complement: rank k sends to n - k - 1; the middle one of an odd number of ranks is silent",
    .prepare = prepare_bitcomp,
    .release = cw_shares_free,
    .destination = cw_shares_destination,
    .flows = cw_shares_flows,
};

struct shift {
    int64_t groups;
};

static const struct cw_option shift_options[] = {
    {.name = "groups",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct shift, groups),
     .value_name = "M",
     .min = 1,
     .max = UINT32_MAX,
     .positional = true,
     .help =
         "distance in groups, by default h + 1; one of h groups or less is not adversarial, since traffic may leave "
         "an intermediate group by the switch it came in on"},
    {.name = NULL},
};

static int prepare_shift(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)random;
    const struct shift *shift = values;
    const uint64_t groups = shift->groups ? (uint64_t)shift->groups : (uint64_t)ranks->h + 1;
    const uint64_t by = groups * ranks->per_group % ranks->n;
    if (by == 0)
        return cw_fail(CW_EUSAGE, "a shift by %llu groups of %u among %u ranks would have every rank send to itself",
                       (unsigned long long)groups, ranks->per_group, ranks->n);
    struct cw_flows flows = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < ranks->n; i++) rc = add(&flows, i, (uint32_t)((i + by) % ranks->n));
    return cw_shares_prepare(rc, ranks->n, &flows, state);
}

const struct cw_workload_kind cw_workload_shift = {
    .name = "shift",
    .help =
        "rank k sends to (k + M·G) mod n, G being the ranks of a group (dragonfly, megafly, slimfly), and 1 elsewhere",
    .options = shift_options,
    .size = sizeof(struct shift),
    .prepare = prepare_shift,
    .release = cw_shares_free,
    .destination = cw_shares_destination,
    .flows = cw_shares_flows,
};

static int prepare_permutation(const void *values, const struct cw_ranks *ranks, struct cw_random *random, void **state)
{
    (void)values;
    uint32_t *to = cw_new_array(ranks->n, sizeof *to, "a permutation");
    if (!to) return CW_ENOMEM;
    cw_random_permutation(random, ranks->n, to);
    struct cw_flows flows = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < ranks->n; i++) rc = add(&flows, i, to[i]);
    free(to);
    return cw_shares_prepare(rc, ranks->n, &flows, state);
}

const struct cw_workload_kind cw_workload_permutation = {
    .name = "permutation",
    .help = "rank k sends to p(k), p uniform among all permutations and drawn once; a rank with p(k) = k is silent",
    .prepare = prepare_permutation,
    .release = cw_shares_free,
    .destination = cw_shares_destination,
    .flows = cw_shares_flows,
};
