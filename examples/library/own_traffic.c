/*
 * A pattern and a collective as one plug-in.
 *     cc -shared -fPIC $(pkg-config --cflags crosswind) own_traffic.c -o traffic.so
 *     crosswind congestion torus:8x8 --traffic mirror --plugin traffic.so
 *     crosswind noise torus:8x8 --schedule chain-bcast --plugin traffic.so
 */
#include <crosswind.h>

/* --- the pattern: rank r sends to the one that is as far from the other end -----------------------------------------
 */

static int one_round(const void *values, uint32_t n, uint32_t *rounds)
{
    (void)values, (void)n;
    *rounds = 1;
    return 0;
}

static int append(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                  struct cw_flows *flows)
{
    int rc = 0;
    (void)values, (void)round, (void)random;
    for (uint32_t r = 0; r < n && !rc; r++) rc = cw_flows_add(flows, r, n - 1 - r, bytes);
    return rc;
}

static const struct cw_pattern_kind mirror = {
    .name = "mirror", .help = "Rank r of n sends to rank n - 1 - r", .rounds = one_round, .append = append};

/* --- the collective: each rank hands all data on to the next --------------------------------------------------------
 */

static int plan(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    (void)values;
    *rounds = n - 1;
    *blocks = 1;
    return 0;
}

static int hand_on(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    (void)values, (void)n;
    return cw_messages_add(messages, (struct cw_message){.src = round, .dst = round + 1, .n_blocks = 1});
}

static const struct cw_schedule_kind chain = {.name = "chain-bcast",
                                              .help = "A broadcast that each rank hands on to the next",
                                              .result = CW_COLLECTIVE_BCAST,
                                              .ports = CW_PORTS_ONE,
                                              .plan = plan,
                                              .round = hand_on};

CW_PLUGIN
{
    const int rc = cw_pattern_register(&mirror);
    return rc ? rc : cw_schedule_register(&chain);
}
