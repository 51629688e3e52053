/* Patterns drawn from the generator. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/pattern.h"
#include "traffic/pattern_internal.h"

/* Rank i sends to to[i]. */
static int append_mapping(const uint32_t *to, uint32_t n, uint64_t bytes, struct cw_flows *flows)
{
    int rc = cw_flows_reserve(flows, n);
    for (uint32_t i = 0; !rc && i < n; i++) rc = cw_flows_add(flows, i, to[i], bytes);
    return rc;
}

/* Rank i → p(i), p uniform among the n! permutations; a fixed point is silent. */
static int append_permutation(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                              struct cw_flows *flows)
{
    (void)values;
    (void)round;
    uint32_t *to = cw_new_array(n, sizeof *to, "a permutation");
    if (!to) return CW_ENOMEM;
    cw_random_permutation(random, n, to);
    const int rc = append_mapping(to, n, bytes, flows);
    free(to);
    return rc;
}

const struct cw_pattern_kind cw_pattern_permutation = {
    .name = "permutation",
    .help = "rank i sends to p(i), where p is a uniformly random permutation; a rank with p(i) = i is silent",
    .random = true,
    .rounds = cw_pattern_one_round,
    .append = append_permutation,
};

/* Rank i → p(i), p uniform among the permutations without a fixed point. */
static int append_derangement(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                              struct cw_flows *flows)
{
    (void)values;
    (void)round;
    uint32_t *to = cw_new_array(n, sizeof *to, "a derangement");
    if (!to) return CW_ENOMEM;
    int rc = cw_random_derangement(random, n, to);
    if (!rc) rc = append_mapping(to, n, bytes, flows);
    free(to);
    return rc;
}

const struct cw_pattern_kind cw_pattern_derangement = {
    .name = "derangement",
    .help = "rank i sends to p(i), where p is a uniformly random permutation without fixed points; every rank sends "
            "one message and receives one",
    .random = true,
    .rounds = cw_pattern_one_round,
    .append = append_derangement,
};

struct bisection {
    int direction;
};

static const struct cw_option bisection_options[] = {
    {.name = "direction",
     .type = CW_OPTION_CHOICE,
     .offset = offsetof(struct bisection, direction),
     .default_text = "uni",
     .choices = cw_pattern_directions,
     .positional = true,
     .help = "uni: one half sends to the other; bi: each pair sends both ways"},
    {.name = NULL},
};

/* For a uniform permutation p and h = ⌊n/2⌋: p(i) → p(h + i) for i < h, and back for `bi`. So the halves are uniform,
 * and so is the matching between them; of an odd number of ranks one, uniformly chosen, is silent. */
static int append_bisection(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                            struct cw_flows *flows)
{
    (void)round;
    const struct bisection *bisection = values;
    int rc = cw_flows_reserve(flows, n);
    uint32_t *order = rc ? NULL : cw_new_array(n, sizeof *order, "a bisection");
    if (!order) return CW_ENOMEM;
    cw_random_permutation(random, n, order);
    const uint32_t half = n / 2;
    for (uint32_t i = 0; i < half; i++) {
        const uint32_t a = order[i], b = order[half + i];
        flows->items[flows->n++] = (struct cw_flow){.src = a, .dst = b, .bytes = bytes};
        if (bisection->direction == CW_DIRECTION_BI)
            flows->items[flows->n++] = (struct cw_flow){.src = b, .dst = a, .bytes = bytes};
    }
    free(order);
    return 0;
}

const struct cw_pattern_kind cw_pattern_bisection = {
    .name = "bisection",
    .help =
        "random halves A and B of ⌊n/2⌋ ranks and a random perfect matching: A_i sends to B_i, with direction=bi also "
        "B_i to A_i; of an odd number of ranks one is silent",
    .options = bisection_options,
    .size = sizeof(struct bisection),
    .random = true,
    .rounds = cw_pattern_one_round,
    .append = append_bisection,
};
