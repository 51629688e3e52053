/* Binomial trees: ⌈log2 n⌉ rounds, a message for every rank but the root. */
#include "traffic/schedule.h"
#include "traffic/schedule_internal.h"

static int plan_whole(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = cw_schedule_levels(n);
    *blocks = 1;
    return 0;
}

/* The tree of the papers: in round k = 0, 1, …, with s = 2^k, rank r sends to r + s for every r < s. */
static int round_bcast(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    const uint32_t s = UINT32_C(1) << round;
    int rc = 0;
    for (uint32_t r = 0; !rc && r < s && r < n - s; r++)
        rc = cw_messages_add(messages, (struct cw_message){.src = r, .dst = r + s, .n_blocks = 1});
    return rc;
}

const struct cw_schedule_kind cw_schedule_binomial_bcast = {
    .name = "binomial-bcast",
    .help =
        "broadcast by a binomial tree: in steps s = 1, 2, 4, … every rank r < s sends the whole vector to rank r + s",
    .result = CW_COLLECTIVE_BCAST,
    .plan = plan_whole,
    .round = round_bcast,
};

/* The mirror image: rounds and directions reversed. */
static int round_reduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    const uint32_t s = UINT32_C(1) << (cw_schedule_levels(n) - 1 - round);
    int rc = 0;
    for (uint32_t r = 0; !rc && r < s && r < n - s; r++)
        rc = cw_messages_add(messages, (struct cw_message){.src = r + s, .dst = r, .n_blocks = 1, .reduce = true});
    return rc;
}

const struct cw_schedule_kind cw_schedule_binomial_reduce = {
    .name = "binomial-reduce",
    .help =
        "reduction by a binomial tree: in steps s = …, 4, 2, 1 every rank r + s sends its partial result to rank r < s",
    .result = CW_COLLECTIVE_REDUCE,
    .plan = plan_whole,
    .round = round_reduce,
};

static int plan_twice(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = 2 * cw_schedule_levels(n);
    *blocks = 1;
    return 0;
}

/* Neighbours first on the way to the root, as libraries reduce; then the broadcast. */
static int round_allreduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    const uint32_t levels = cw_schedule_levels(n);
    if (round >= levels) return round_bcast(values, n, round - levels, messages);
    const uint32_t s = UINT32_C(1) << round;
    int rc = 0;
    for (uint64_t r = 0; !rc && r + s < n; r += 2 * (uint64_t)s)
        rc = cw_messages_add(
            messages, (struct cw_message){.src = (uint32_t)r + s, .dst = (uint32_t)r, .n_blocks = 1, .reduce = true});
    return rc;
}

const struct cw_schedule_kind cw_schedule_binomial_allreduce = {
    .name = "binomial-allreduce",
    .help = "allreduce by a reduction and a broadcast: in steps s = 1, 2, 4, … rank r + s sends its partial result to "
            "every rank r that is a multiple of 2s; then binomial-bcast",
    .result = CW_COLLECTIVE_ALLREDUCE,
    .plan = plan_twice,
    .round = round_allreduce,
};

static int plan_parts(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = cw_schedule_levels(n);
    *blocks = n;
    return 0;
}

/* The edges of level s of the tree whose subtrees are contiguous: between each i = 0, 2s, 4s, … and i + s, which stands
 * for ranks i + s … i + 2s - 1, with the blocks of all these. */
static int add_level(uint32_t n, uint64_t s, bool up, struct cw_messages *messages)
{
    int rc = 0;
    for (uint64_t i = 0; !rc && i + s < n; i += 2 * s) {
        const uint32_t parent = (uint32_t)i, child = (uint32_t)(i + s);
        const uint64_t below = n - child < s ? n - child : s;
        rc = cw_messages_add(messages, (struct cw_message){.src = up ? child : parent,
                                                           .dst = up ? parent : child,
                                                           .block = child,
                                                           .n_blocks = (uint32_t)below});
    }
    return rc;
}

static int round_scatter(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    return add_level(n, UINT64_C(1) << (cw_schedule_levels(n) - 1 - round), false, messages);
}

const struct cw_schedule_kind cw_schedule_binomial_scatter = {
    .name = "binomial-scatter",
    .help = "scatter by a binomial tree: in steps s = …, 4, 2, 1 a rank i that holds the blocks of ranks i … i + 2s - "
            "1 sends the upper half of them to rank i + s",
    .result = CW_COLLECTIVE_SCATTER,
    .plan = plan_parts,
    .round = round_scatter,
};

static int round_gather(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    return add_level(n, UINT64_C(1) << round, true, messages);
}

const struct cw_schedule_kind cw_schedule_binomial_gather = {
    .name = "binomial-gather",
    .help = "gather by a binomial tree: in steps s = 1, 2, 4, … rank i + s sends the blocks of ranks i + s … i + 2s - "
            "1 to rank i, a multiple of 2s",
    .result = CW_COLLECTIVE_GATHER,
    .plan = plan_parts,
    .round = round_gather,
};
