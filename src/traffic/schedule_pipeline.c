/*
 * Long messages along a tree, in segments that follow one another: while a rank passes a segment on, it receives the
 * next. The tree is a chain (radix 1), or the k-nomial one of knomial-bcast, whose ranks serve one child a round. With
 * c children of the root, no rank has more, and a segment leaves the root every c rounds: where segment 0 reaches rank
 * i in round a(i), segment s does in round a(i) + s·c.
 *
 * It is how libcrosswind-nbc passes a message from host to host (nbc/nbc_between.h).
 */
#include "base/error.h"
#include "traffic/schedule.h"

struct pipeline {
    int64_t radix, segments;
};

static const struct cw_option options[] = {
    {.name = "radix",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct pipeline, radix),
     .value_name = "K",
     .default_text = "1",
     .min = 1,
     .max = 1024,
     .positional = true,
     .help = "of the k-nomial tree; 1: a chain"},
    {.name = "segments",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct pipeline, segments),
     .value_name = "N",
     .default_text = "16",
     .min = 1,
     .max = 65536,
     .positional = true,
     .help = "that a message is cut into"},
    {.name = NULL},
};

/* Rank I > 0 in the tree: its parent, the distance of the ranks that it stands for, and of which of those with this
 * distance it is. */
struct seat {
    uint32_t parent;
    uint64_t stride;
    uint32_t digit;
};

static struct seat seat_of(const struct pipeline *values, uint32_t i)
{
    const uint64_t radix = (uint64_t)values->radix;
    struct seat seat = {.stride = 1};
    if (radix == 1) return (struct seat){i - 1, 1, 1};
    while (i / seat.stride % radix == 0) seat.stride *= radix;
    seat.digit = (uint32_t)(i / seat.stride % radix);
    seat.parent = i - (uint32_t)(seat.digit * seat.stride);
    return seat;
}

/* Children of rank I, among N, at STRIDE and above. */
static uint32_t n_children(const struct pipeline *values, uint32_t n, uint32_t i, uint64_t stride)
{
    const uint64_t radix = (uint64_t)values->radix;
    uint32_t count = 0;
    if (radix == 1) return i + 1 < n;
    for (uint64_t s = stride; i + s < n && i / s % radix == 0; s *= radix) {
        const uint64_t reached = (n - 1 - i) / s;
        count += (uint32_t)(reached < radix - 1 ? reached : radix - 1);
    }
    return count;
}

/* In which round segment 0 is sent to rank I > 0: parents serve the child that stands for most first. */
static uint32_t round_of(const struct pipeline *values, uint32_t n, uint32_t i)
{
    uint32_t round = 0;
    if (values->radix == 1) return i - 1;
    while (i > 0) {
        const struct seat seat = seat_of(values, i);
        const uint64_t above = seat.stride * (uint64_t)values->radix;
        round += n_children(values, n, seat.parent, above) + seat.digit;
        i = seat.parent;
    }
    return round - 1;
}

/* The round in which the last rank gets segment 0. */
static uint32_t last_round(const struct pipeline *values, uint32_t n)
{
    uint32_t last = 0;
    if (values->radix == 1) return n > 1 ? n - 2 : 0;
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t round = round_of(values, n, i);
        if (round > last) last = round;
    }
    return last;
}

static uint32_t period_of(const struct pipeline *values, uint32_t n)
{
    return n_children(values, n, 0, 1);
}

/* Of one direction. */
static uint64_t n_rounds(const struct pipeline *values, uint32_t n)
{
    if (n < 2) return 0;
    return (uint64_t)last_round(values, n) + (uint64_t)(values->segments - 1) * period_of(values, n) + 1;
}

static int add_edge(const struct pipeline *values, uint32_t i, uint32_t segment, bool up, struct cw_messages *messages)
{
    const uint32_t parent = seat_of(values, i).parent;
    return cw_messages_add(
        messages, (struct cw_message){
                      .src = up ? i : parent, .dst = up ? parent : i, .block = segment, .n_blocks = 1, .reduce = up});
}

/* What is sent in ROUND of a broadcast; or UP the tree, in that round counted from the end, where the last segment of
 * the broadcast is the first. */
static int add_round(const struct pipeline *values, uint32_t n, uint64_t round, bool up, struct cw_messages *messages)
{
    const uint32_t period = period_of(values, n), segments = (uint32_t)values->segments;
    const bool chain = values->radix == 1;
    /* of a chain only those who have a segment by then, and not yet all */
    const uint64_t first = chain && round + 2 > segments ? round + 2 - segments : 1;
    const uint64_t end = chain && round + 2 < n ? round + 2 : n;
    int rc = 0;
    for (uint64_t i = first; !rc && i < end; i++) {
        const uint64_t begin = round_of(values, n, (uint32_t)i);
        if (round < begin || (round - begin) % period != 0 || (round - begin) / period >= segments) continue;
        const uint32_t segment = (uint32_t)((round - begin) / period);
        rc = add_edge(values, (uint32_t)i, up ? segments - 1 - segment : segment, up, messages);
    }
    return rc;
}

static int plan(const struct pipeline *values, uint64_t rounds, uint32_t *n_rounds_out, uint32_t *blocks)
{
    if (rounds > UINT32_MAX)
        return cw_fail(CW_EUSAGE, "a pipeline of %llu rounds is too long", (unsigned long long)rounds);
    *n_rounds_out = (uint32_t)rounds;
    *blocks = (uint32_t)values->segments;
    return 0;
}

static int plan_once(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    return plan(values, n_rounds(values, n), rounds, blocks);
}

/* The root passes a segment on as soon as it has all of it. */
static int plan_twice(const void *values, uint32_t n, uint32_t *rounds, uint32_t *blocks)
{
    return plan(values, n < 2 ? 0 : n_rounds(values, n) + last_round(values, n) + 1, rounds, blocks);
}

static int round_bcast(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    return add_round(values, n, round, false, messages);
}

static int round_reduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    return add_round(values, n, n_rounds(values, n) - 1 - round, true, messages);
}

static int round_allreduce(const void *values, uint32_t n, uint32_t round, struct cw_messages *messages)
{
    const uint32_t turn = last_round(values, n) + 1; /* segment 0 has come to the root */
    int rc = round < n_rounds(values, n) ? round_reduce(values, n, round, messages) : 0;
    if (!rc && round >= turn) rc = round_bcast(values, n, round - turn, messages);
    return rc;
}

const struct cw_schedule_kind cw_schedule_pipeline_bcast = {
    .name = "pipeline-bcast",
    .help = "broadcast of segments that follow one another along a chain or a k-nomial tree",
    .result = CW_COLLECTIVE_BCAST,
    .options = options,
    .size = sizeof(struct pipeline),
    .plan = plan_once,
    .round = round_bcast,
};

const struct cw_schedule_kind cw_schedule_pipeline_reduce = {
    .name = "pipeline-reduce",
    .help =
        "reduction of segments along a chain or a k-nomial tree: pipeline-bcast with rounds and directions reversed",
    .result = CW_COLLECTIVE_REDUCE,
    .options = options,
    .size = sizeof(struct pipeline),
    .plan = plan_once,
    .round = round_reduce,
};

const struct cw_schedule_kind cw_schedule_pipeline_allreduce = {
    .name = "pipeline-allreduce",
    .help = "allreduce of segments: pipeline-reduce, and pipeline-bcast of each segment as soon as the root has it",
    .result = CW_COLLECTIVE_ALLREDUCE,
    .ports = CW_PORTS_TWO,
    .options = options,
    .size = sizeof(struct pipeline),
    .plan = plan_twice,
    .round = round_allreduce,
};
