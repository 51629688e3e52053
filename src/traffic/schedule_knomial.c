/*
 * k-nomial trees whose subtrees are contiguous ranks, the order of MPI libraries: with strides s = k^j, each rank i
 * that is a multiple of k·s has the children i + s, i + 2s, … i + (k - 1)s, each of which stands for s ranks from
 * itself on. ⌈log_k n⌉ rounds. With k = 2, a round of stride s has ⌊(n - 1 + s)/(2s)⌋ messages, and scatter and gather
 * are the binomial ones.
 */
#include "traffic/schedule.h"

struct knomial {
    int64_t radix;
};

static const struct cw_option options[] = {
    {.name = "radix",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct knomial, radix),
     .value_name = "K",
     .default_text = "4",
     .min = 2,
     .max = 1024,
     .positional = true,
     .help = "ranks that have the data after a round, for each that had it before"},
    {.name = NULL},
};

static uint32_t levels_of(const struct knomial *values, uint32_t n)
{
    uint32_t levels = 0;
    for (uint64_t reached = 1; reached < n; reached *= (uint64_t)values->radix) levels++;
    return levels;
}

static uint64_t stride_of(const struct knomial *values, uint32_t level)
{
    uint64_t stride = 1;
    while (level-- > 0) stride *= (uint64_t)values->radix;
    return stride;
}

struct direction {
    bool up, reduce; /* towards the root; combined there */
    bool parts;      /* blocks of the ranks that the child stands for, else one block which is the whole vector */
};

/* The edges of LEVEL, counted from the leaves. */
static int add_level(const struct knomial *values, uint32_t n, uint32_t level, struct direction direction,
                     struct cw_messages *messages)
{
    const uint64_t radix = (uint64_t)values->radix, s = stride_of(values, level);
    int rc = 0;
    for (uint64_t i = 0; i < n; i += radix * s)
        for (uint64_t j = i + s; !rc && j < n && j < i + radix * s; j += s) {
            const uint32_t parent = (uint32_t)i, child = (uint32_t)j;
            const uint64_t below = n - j < s ? n - j : s;
            rc = cw_messages_add(messages, (struct cw_message){.src = direction.up ? child : parent,
                                                               .dst = direction.up ? parent : child,
                                                               .block = direction.parts ? child : 0,
                                                               .n_blocks = direction.parts ? (uint32_t)below : 1,
                                                               .reduce = direction.reduce});
        }
    return rc;
}

static int plan_whole(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    *rounds = levels_of(values, n);
    *blocks = 1;
    return 0;
}

static int plan_parts(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    *rounds = levels_of(values, n);
    *blocks = n;
    return 0;
}

static int plan_twice(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    *rounds = 2 * levels_of(values, n);
    *blocks = 1;
    return 0;
}

static int round_bcast(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    return add_level(values, n, levels_of(values, n) - 1 - round, (struct direction){0}, messages);
}

static int round_reduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    return add_level(values, n, round, (struct direction){.up = true, .reduce = true}, messages);
}

static int round_allreduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    const uint32_t levels = levels_of(values, n);
    return round < levels ? round_reduce(values, n, round, messages) : round_bcast(values, n, round - levels, messages);
}

static int round_scatter(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    return add_level(values, n, levels_of(values, n) - 1 - round, (struct direction){.parts = true}, messages);
}

static int round_gather(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    return add_level(values, n, round, (struct direction){.up = true, .parts = true}, messages);
}

const struct cw_schedule_kind cw_schedule_knomial_bcast = {
    .name = "knomial-bcast",
    .help = "broadcast by a k-nomial tree: in steps s = …, k², k, 1 every rank i that is a multiple of k·s sends the "
            "whole vector to ranks i + s, i + 2s, … i + (k - 1)s",
    .result = CW_COLLECTIVE_BCAST,
    .ports = CW_PORTS_MANY,
    .options = options,
    .size = sizeof(struct knomial),
    .plan = plan_whole,
    .round = round_bcast,
};

const struct cw_schedule_kind cw_schedule_knomial_reduce = {
    .name = "knomial-reduce",
    .help = "reduction by a k-nomial tree: knomial-bcast with rounds and directions reversed",
    .result = CW_COLLECTIVE_REDUCE,
    .ports = CW_PORTS_MANY,
    .options = options,
    .size = sizeof(struct knomial),
    .plan = plan_whole,
    .round = round_reduce,
};

const struct cw_schedule_kind cw_schedule_knomial_allreduce = {
    .name = "knomial-allreduce",
    .help = "allreduce by knomial-reduce, then knomial-bcast",
    .result = CW_COLLECTIVE_ALLREDUCE,
    .ports = CW_PORTS_MANY,
    .options = options,
    .size = sizeof(struct knomial),
    .plan = plan_twice,
    .round = round_allreduce,
};

const struct cw_schedule_kind cw_schedule_knomial_scatter = {
    .name = "knomial-scatter",
    .help = "scatter by the tree of knomial-bcast: a message carries the blocks of all ranks that the receiver stands "
            "for",
    .result = CW_COLLECTIVE_SCATTER,
    .ports = CW_PORTS_MANY,
    .options = options,
    .size = sizeof(struct knomial),
    .plan = plan_parts,
    .round = round_scatter,
};

const struct cw_schedule_kind cw_schedule_knomial_gather = {
    .name = "knomial-gather",
    .help = "gather by a k-nomial tree: knomial-scatter with rounds and directions reversed",
    .result = CW_COLLECTIVE_GATHER,
    .ports = CW_PORTS_MANY,
    .options = options,
    .size = sizeof(struct knomial),
    .plan = plan_parts,
    .round = round_gather,
};
