/*
 * Exchanges with the partner at distance 1, 2, 4, … among a power of two of ranks, the core. The others are folded into
 * it: of the first 2·extra ranks every even one first hands its data to the odd one after it, and gets the result at
 * the end.
 */
#include "traffic/schedule.h"

struct core {
    uint32_t levels, size; /* 2^levels ≤ n */
    uint32_t extra;        /* ranks outside */
};

static struct core core_of(uint32_t n)
{
    const uint32_t levels = 31 - (uint32_t)__builtin_clz(n);
    const uint32_t size = UINT32_C(1) << levels;
    return (struct core){.levels = levels, .size = size, .extra = n - size};
}

/* The rank of the core's member I. */
static uint32_t rank_of(const struct core *core, uint32_t i)
{
    return i < core->extra ? 2 * i + 1 : i + core->extra;
}

/* Rounds of N ranks whose core needs INNER. */
static uint32_t folded_rounds(const struct core *core, uint32_t inner)
{
    return core->extra ? inner + 2 : inner;
}

/* The round before those of the core (INWARD) or after: N_BLOCKS between each extra rank and its neighbour. */
static int add_fold(const struct core *core, bool inward, uint32_t n_blocks, struct cw_messages *messages)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < core->extra; i++) {
        const uint32_t outside = 2 * i, inside = 2 * i + 1;
        rc = cw_messages_add(messages, (struct cw_message){.src = inward ? outside : inside,
                                                           .dst = inward ? inside : outside,
                                                           .n_blocks = n_blocks,
                                                           .reduce = inward && n_blocks > 0});
    }
    return rc;
}

/* Everybody in the core exchanges N_BLOCKS with the member at DISTANCE. */
static int add_exchange(const struct core *core, uint32_t distance, uint32_t n_blocks, struct cw_messages *messages)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < core->size; i++)
        rc = cw_messages_add(messages, (struct cw_message){.src = rank_of(core, i),
                                                           .dst = rank_of(core, i ^ distance),
                                                           .n_blocks = n_blocks,
                                                           .reduce = n_blocks > 0});
    return rc;
}

static int plan_doubling(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    const struct core core = core_of(n);
    *rounds = folded_rounds(&core, core.levels);
    *blocks = 1;
    return 0;
}

static int add_doubling(uint32_t n, uint32_t round, uint32_t n_blocks, struct cw_messages *messages)
{
    const struct core core = core_of(n);
    if (core.extra && round == 0) return add_fold(&core, true, n_blocks, messages);
    const uint32_t level = round - (core.extra ? 1 : 0);
    if (level == core.levels) return add_fold(&core, false, n_blocks, messages);
    return add_exchange(&core, UINT32_C(1) << level, n_blocks, messages);
}

static int round_doubling(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    return add_doubling(n, round, 1, messages);
}

const struct cw_schedule_kind cw_schedule_recursive_doubling = {
    .name = "recursive-doubling",
    .help = "allreduce: partners at distance 1, 2, 4, … exchange and combine whole vectors; ranks beyond a power of "
            "two send theirs to a partner before and receive the result after",
    .result = CW_COLLECTIVE_ALLREDUCE,
    .plan = plan_doubling,
    .round = round_doubling,
};

static int round_barrier(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    return add_doubling(n, round, 0, messages);
}

const struct cw_schedule_kind cw_schedule_recursive_doubling_barrier = {
    .name = "recursive-doubling-barrier",
    .help = "barrier: recursive-doubling without data",
    .result = CW_COLLECTIVE_BARRIER,
    .plan = plan_doubling,
    .round = round_barrier,
};

static int plan_rabenseifner(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    const struct core core = core_of(n);
    *rounds = folded_rounds(&core, 2 * core.levels);
    *blocks = core.size;
    return 0;
}

/* Member I's part of the blocks after HALVINGS of them: bit k of I says which half it kept at distance 2^k. It begins
 * here and is size / 2^HALVINGS blocks long. */
static uint32_t part_of(const struct core *core, uint32_t i, uint32_t halvings)
{
    uint32_t begin = 0;
    for (uint32_t k = 0; k < halvings; k++)
        if (i >> k & 1) begin += core->size >> (k + 1);
    return begin;
}

/* Level k of the reduce-scatter: partners at distance 2^k share the part they have in common, each gives the other the
 * half that the other keeps. The allgather goes the same way back, and each gives the half that it has. */
static int add_halves(const struct core *core, uint32_t k, bool gather, struct cw_messages *messages)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < core->size; i++) {
        const uint32_t partner = i ^ UINT32_C(1) << k;
        rc = cw_messages_add(messages, (struct cw_message){.src = rank_of(core, i),
                                                           .dst = rank_of(core, partner),
                                                           .block = part_of(core, gather ? i : partner, k + 1),
                                                           .n_blocks = core->size >> (k + 1),
                                                           .reduce = !gather});
    }
    return rc;
}

static int round_rabenseifner(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    const struct core core = core_of(n);
    if (core.extra && round == 0) return add_fold(&core, true, core.size, messages);
    const uint32_t level = round - (core.extra ? 1 : 0);
    if (level == 2 * core.levels) return add_fold(&core, false, core.size, messages);
    if (level < core.levels) return add_halves(&core, level, false, messages);
    return add_halves(&core, 2 * core.levels - 1 - level, true, messages);
}

const struct cw_schedule_kind cw_schedule_rabenseifner = {
    .name = "rabenseifner",
    .help = "allreduce of long vectors (Rabenseifner, ICCS 2004): a reduce-scatter that halves the vector and doubles "
            "the distance in every round, then an allgather in reverse; ranks beyond a power of two send theirs to a "
            "partner before and receive the result after",
    .result = CW_COLLECTIVE_ALLREDUCE,
    .plan = plan_rabenseifner,
    .round = round_rabenseifner,
};
