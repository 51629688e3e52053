/* Every rank sends over distance 1, 2, 4, … around the circle: ⌈log2 n⌉ rounds for any number of ranks. */
#include "traffic/schedule.h"
#include "traffic/schedule_internal.h"

static int plan_barrier(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = cw_schedule_levels(n);
    *blocks = 1;
    return 0;
}

static int round_barrier(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    const uint64_t distance = UINT64_C(1) << round;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = cw_messages_add(messages, (struct cw_message){.src = i, .dst = (uint32_t)((i + distance) % n)});
    return rc;
}

const struct cw_schedule_kind cw_schedule_dissemination = {
    .name = "dissemination",
    .help = "barrier: in round k = 0, 1, … rank i notifies rank (i + 2^k) mod n",
    .result = CW_COLLECTIVE_BARRIER,
    .plan = plan_barrier,
    .round = round_barrier,
};

static int plan_bruck(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = cw_schedule_levels(n);
    *blocks = n;
    return 0;
}

/* Before round k rank i has the 2^k blocks from its own on; the receiver has the 2^k before these. */
static int round_bruck(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values;
    const uint32_t have = UINT32_C(1) << round;
    const uint32_t wanted = n - have < have ? n - have : have;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = cw_messages_add(
            messages, (struct cw_message){
                          .src = i, .dst = i >= have ? i - have : i + (n - have), .block = i, .n_blocks = wanted});
    return rc;
}

const struct cw_schedule_kind cw_schedule_bruck = {
    .name = "bruck",
    .help = "allgather: in round k = 0, 1, … rank i sends 2^k blocks, its own first, to rank (i - 2^k) mod n; in the "
            "last round only the missing ones",
    .result = CW_COLLECTIVE_ALLGATHER,
    .plan = plan_bruck,
    .round = round_bruck,
};
