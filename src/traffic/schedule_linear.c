/* Messages straight from source to destination: nothing is passed on. Those of a single round are `free`; the pairwise
 * exchange is a send and a receive in each round, which ends with both. */
#include "base/error.h"
#include "traffic/schedule.h"

static int plan_whole(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = n > 1 ? 1 : 0;
    *blocks = 1;
    return 0;
}

static int plan_parts(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = n > 1 ? 1 : 0;
    *blocks = n;
    return 0;
}

static int round_bcast(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    (void)round;
    int rc = 0;
    for (uint32_t i = 1; !rc && i < n; i++)
        rc = cw_messages_add(messages, (struct cw_message){.src = 0, .dst = i, .n_blocks = 1, .free = true});
    return rc;
}

const struct cw_schedule_kind cw_schedule_linear_bcast = {
    .name = "linear-bcast",
    .help = "broadcast: the root sends the whole vector to every other rank, in one round",
    .result = CW_COLLECTIVE_BCAST,
    .ports = CW_PORTS_ROOT,
    .plan = plan_whole,
    .round = round_bcast,
};

static int round_reduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    (void)round;
    int rc = 0;
    for (uint32_t i = 1; !rc && i < n; i++)
        rc = cw_messages_add(messages,
                             (struct cw_message){.src = i, .dst = 0, .n_blocks = 1, .reduce = true, .free = true});
    return rc;
}

const struct cw_schedule_kind cw_schedule_linear_reduce = {
    .name = "linear-reduce",
    .help = "reduction: every other rank sends its whole vector to the root, in one round",
    .result = CW_COLLECTIVE_REDUCE,
    .ports = CW_PORTS_ROOT,
    .plan = plan_whole,
    .round = round_reduce,
};

static int round_scatter(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    (void)round;
    int rc = 0;
    for (uint32_t i = 1; !rc && i < n; i++)
        rc =
            cw_messages_add(messages, (struct cw_message){.src = 0, .dst = i, .block = i, .n_blocks = 1, .free = true});
    return rc;
}

const struct cw_schedule_kind cw_schedule_linear_scatter = {
    .name = "linear-scatter",
    .help = "scatter: the root sends every other rank its block, in one round",
    .result = CW_COLLECTIVE_SCATTER,
    .ports = CW_PORTS_ROOT,
    .plan = plan_parts,
    .round = round_scatter,
};

static int round_gather(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    (void)round;
    int rc = 0;
    for (uint32_t i = 1; !rc && i < n; i++)
        rc =
            cw_messages_add(messages, (struct cw_message){.src = i, .dst = 0, .block = i, .n_blocks = 1, .free = true});
    return rc;
}

const struct cw_schedule_kind cw_schedule_linear_gather = {
    .name = "linear-gather",
    .help = "gather: every other rank sends its block to the root, in one round",
    .result = CW_COLLECTIVE_GATHER,
    .ports = CW_PORTS_ROOT,
    .plan = plan_parts,
    .round = round_gather,
};

static int plan_alltoall(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    if (n > UINT16_MAX)
        return cw_fail(CW_EUSAGE, "alltoall: %u ranks are more than the %u whose n² blocks can be numbered", n,
                       UINT16_MAX);
    *rounds = n - 1;
    *blocks = n * n;
    return 0;
}

static int round_alltoall(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++) {
        const uint32_t to = (i + round + 1) % n;
        rc = cw_messages_add(messages, (struct cw_message){.src = i, .dst = to, .block = i * n + to, .n_blocks = 1});
    }
    return rc;
}

const struct cw_schedule_kind cw_schedule_alltoall = {
    .name = "alltoall",
    .help = "all-to-all by pairwise exchange in n - 1 rounds: in round r = 0, 1, … rank i sends to rank (i + r + 1) "
            "mod n; the next round begins when it has received",
    .result = CW_COLLECTIVE_ALLTOALL,
    .plan = plan_alltoall,
    .round = round_alltoall,
};
