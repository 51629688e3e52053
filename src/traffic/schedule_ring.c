/* Rings: in every round each rank sends one of n blocks to the next. */
#include "traffic/schedule.h"

/* Rank i sends block (i - LAG) mod n to i + 1, LAG < n. */
static int add_step(uint32_t n, uint32_t lag, bool reduce, struct cw_messages *messages)
{
    uint32_t block = n - lag; /* of rank 0, modulo n */
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++, block++) {
        if (block == n) block = 0;
        rc = cw_messages_add(
            messages, (struct cw_message){
                          .src = i, .dst = i == n - 1 ? 0 : i + 1, .block = block, .n_blocks = 1, .reduce = reduce});
    }
    return rc;
}

static int plan_once(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = n - 1;
    *blocks = n;
    return 0;
}

/* Block b sets out from rank b + 1, and is complete when it comes to rank b. */
static int round_reduce_scatter(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    return add_step(n, round + 1, true, messages);
}

const struct cw_schedule_kind cw_schedule_ring_reduce_scatter = {
    .name = "ring-reduce-scatter",
    .help = "reduce-scatter in n - 1 rounds: in round r rank i sends its partial result of block i - r - 1 to rank i + "
            "1, which adds its own",
    .result = CW_COLLECTIVE_REDUCE_SCATTER,
    .plan = plan_once,
    .round = round_reduce_scatter,
};

static int round_allgather(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    return add_step(n, round, false, messages);
}

const struct cw_schedule_kind cw_schedule_ring_allgather = {
    .name = "ring-allgather",
    .help = "allgather in n - 1 rounds: in round r rank i sends block i - r to rank i + 1",
    .result = CW_COLLECTIVE_ALLGATHER,
    .plan = plan_once,
    .round = round_allgather,
};

static int plan_allreduce(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = 2 * (n - 1);
    *blocks = n;
    return 0;
}

static int round_allreduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    if (round < n - 1) return round_reduce_scatter(values, n, round, messages);
    return round_allgather(values, n, round - (n - 1), messages);
}

const struct cw_schedule_kind cw_schedule_ring_allreduce = {
    .name = "ring-allreduce",
    .help = "allreduce: ring-reduce-scatter, then ring-allgather; 2(n - 1) rounds, each with 1/n of the vector",
    .result = CW_COLLECTIVE_ALLREDUCE,
    .plan = plan_allreduce,
    .round = round_allreduce,
};
