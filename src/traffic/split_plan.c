#include "traffic/split_plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/setup.h"

const char *const cw_split_placement_names[] = {"block", "round-robin", NULL};
const char *const cw_split_executor_names[] = {"child", "parent", NULL};

uint32_t cw_split_core(enum cw_split_placement placement, uint32_t rank, uint32_t n, uint32_t communication)
{
    if (placement == CW_SPLIT_ROUND_ROBIN) return rank % communication;
    return (uint32_t)((uint64_t)rank * communication / n);
}

/* What is going on while edges are entered. */
struct work {
    const struct cw_split_setup *setup;
    struct cw_split_plan *plan;
    const struct cw_collective_traits *result;
    struct cw_messages messages; /* of all rounds */
    uint32_t *first;             /* [rounds + 1] of `messages` */
    uint32_t rounds;
    uint32_t *into;     /* [n] + 1 the last edge into a rank, 0: none */
    uint32_t *previous; /* [edges] + 1 the edge into the same receiver before this one */
};

static bool is_up(const struct work *work, const struct cw_message *message)
{
    return message->reduce || (work->result->root_takes && !work->result->reduces);
}

static int refuse(const struct work *work)
{
    return cw_fail(CW_EUSAGE,
                   "%s among %u ranks is not a tree, which a split tree needs; expected a broadcast, "
                   "reduction, scatter, gather or allreduce along a tree, such as knomial-bcast:2",
                   cw_schedule_spec(work->setup->schedule), work->setup->n);
}

/* In each direction every rank but the root is the child of one edge. */
static int check_tree(const struct work *work)
{
    const bool up = !work->result->root_gives, down = !work->result->root_takes;
    const uint32_t n = work->setup->n;
    if (!work->result->tree) return refuse(work);
    uint8_t *seen = cw_new_array(n, 2, "ranks");
    if (!seen) return CW_ENOMEM;
    bool tree = work->messages.n == (size_t)(n - 1) * (up && down ? 2 : 1);
    for (size_t i = 0; tree && i < work->messages.n; i++) {
        const struct cw_message *message = &work->messages.items[i];
        const bool rises = is_up(work, message);
        const uint32_t child = rises ? message->src : message->dst;
        tree = (rises ? up : down) && child != 0 && !seen[2 * (size_t)child + rises]++;
    }
    free(seen);
    return tree ? 0 : refuse(work);
}

static int read_schedule(struct work *work)
{
    const struct cw_schedule *schedule = work->setup->schedule;
    int rc = cw_schedule_plan(schedule, work->setup->n, &work->rounds, &work->plan->blocks);
    if (rc) return rc;
    work->result = &cw_collectives[cw_schedule_result(schedule)];
    work->first = cw_new_array(work->rounds + 1, sizeof *work->first, "rounds");
    if (!work->first) return CW_ENOMEM;
    for (uint32_t round = 0; !rc && round < work->rounds; round++) {
        rc = cw_schedule_round(schedule, work->setup->n, round, &work->messages);
        /* Trees are small: a schedule of more messages is none. */
        if (!rc && work->messages.n > 2 * (size_t)work->setup->n) return refuse(work);
        work->first[round + 1] = (uint32_t)work->messages.n;
    }
    return rc ? rc : check_tree(work);
}

/* Whether ROUND is one of the last S levels, seen from the root. */
static bool is_low(const struct work *work, uint32_t round, bool up)
{
    const uint32_t levels = work->plan->levels, steps = work->setup->steps;
    const uint32_t from_leaves = up ? round : work->rounds - 1 - round;
    return steps >= levels || from_leaves < steps;
}

static void add_edge(struct work *work, uint32_t round, const struct cw_message *message)
{
    const struct cw_split_setup *setup = work->setup;
    const bool up = is_up(work, message);
    const uint32_t child = up ? message->src : message->dst, parent = up ? message->dst : message->src;
    const uint32_t rank = setup->executor == CW_SPLIT_CHILD ? child : parent;
    work->plan->edges[work->plan->n_edges++] = (struct cw_split_edge){
        .message = *message,
        .round = round,
        .rank = rank,
        .up = up,
        .core = is_low(work, round, up) ? CW_SPLIT_OWN
                                        : cw_split_core(setup->placement, rank, setup->n, setup->communication)};
}

/* The edges into RANK of rounds before ROUND, from the last one back. One that is combined there waits for all before
 * it, and stands for them. */
static size_t count_into(const struct work *work, uint32_t rank, uint32_t round, uint32_t *depends)
{
    size_t n = 0;
    for (uint32_t at = work->into[rank]; at > 0; at = work->previous[at - 1]) {
        const struct cw_split_edge *edge = &work->plan->edges[at - 1];
        if (edge->round >= round) continue;
        if (depends) depends[n] = at - 1;
        n++;
        if (edge->message.reduce) break;
    }
    return n;
}

/* Appends what edge I depends on, or only counts it. */
static size_t depend(const struct work *work, uint32_t i, uint32_t *depends)
{
    const struct cw_split_edge *edge = &work->plan->edges[i];
    const struct cw_message *message = &edge->message;
    size_t n = message->free ? 0 : count_into(work, message->src, edge->round, depends);
    if (!message->reduce || work->into[message->dst] == 0) return n;
    if (depends) depends[n] = work->into[message->dst] - 1;
    return n + 1;
}

/* Goes through all edges in order, as data arrive. */
static void enter_depends(struct work *work, uint32_t *depends)
{
    struct cw_split_plan *plan = work->plan;
    size_t at = 0;
    for (uint32_t rank = 0; rank < work->setup->n; rank++) work->into[rank] = 0;
    for (uint32_t i = 0; i < plan->n_edges; i++) {
        struct cw_split_edge *edge = &plan->edges[i];
        edge->depends = at;
        edge->n_depends = depend(work, i, depends ? depends + at : NULL);
        at += edge->n_depends;
        work->previous[i] = work->into[edge->message.dst];
        work->into[edge->message.dst] = i + 1;
    }
}

static int fill(struct work *work)
{
    struct cw_split_plan *plan = work->plan;
    int rc = read_schedule(work);
    if (rc) return rc;
    plan->levels = work->result->root_gives || work->result->root_takes ? work->rounds : work->rounds / 2;
    const size_t n = work->messages.n;
    plan->edges = cw_new_array(n, sizeof *plan->edges, "edges");
    work->into = cw_new_array(work->setup->n, sizeof *work->into, "ranks");
    work->previous = cw_new_array(n, sizeof *work->previous, "edges");
    if (!plan->edges || !work->into || !work->previous) return CW_ENOMEM;
    for (uint32_t round = 0; round < work->rounds; round++)
        for (uint32_t i = work->first[round]; i < work->first[round + 1]; i++)
            add_edge(work, round, &work->messages.items[i]);
    enter_depends(work, NULL);
    const struct cw_split_edge *last = n > 0 ? &plan->edges[n - 1] : NULL;
    plan->depends = cw_new_array(last ? last->depends + last->n_depends : 0, sizeof *plan->depends, "dependencies");
    if (!plan->depends) return CW_ENOMEM;
    enter_depends(work, plan->depends);
    return 0;
}

int cw_split_plan_new_sized(const struct cw_split_setup *given, size_t size, struct cw_split_plan **out)
{
    struct cw_split_setup whole;
    const struct cw_split_setup *setup = &whole;
    const int read = cw_setup_read(given, size, &whole, sizeof whole);
    if (read) return read;
    if (setup->communication == 0) return cw_fail(CW_EUSAGE, "a split tree needs at least 1 communication core");
    struct cw_split_plan *plan = cw_new_array(1, sizeof *plan, "a split tree");
    if (!plan) return CW_ENOMEM;
    plan->n = setup->n;
    plan->communication = setup->communication;
    struct work work = {.setup = setup, .plan = plan};
    const int rc = fill(&work);
    cw_messages_free(&work.messages);
    free(work.first);
    free(work.into);
    free(work.previous);
    if (rc)
        cw_split_plan_free(plan);
    else
        *out = plan;
    return rc;
}

void cw_split_plan_free(struct cw_split_plan *plan)
{
    if (!plan) return;
    free(plan->edges);
    free(plan->depends);
    free(plan);
}
