#include "nbc/nbc_tree.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "nbc/nbc_reach.h"

/* One for each size, direction and S that has been asked for: few, and they stay. */
struct kept {
    struct kept *next;
    uint32_t n, steps;
    bool up;
    struct cw_split_plan *plan; /* NULL: it could not be made */
};

struct plans {
    pthread_mutex_t lock;
    struct kept *first;
};

struct plans *cw_nbc_plans_new(void)
{
    struct plans *plans = cw_new_array(1, sizeof *plans, "plans of split trees");
    if (plans) pthread_mutex_init(&plans->lock, NULL);
    return plans;
}

void cw_nbc_plans_free(struct plans *plans)
{
    if (!plans) return;
    for (struct kept *kept = plans->first, *next; kept; kept = next) {
        next = kept->next;
        cw_split_plan_free(kept->plan);
        free(kept);
    }
    pthread_mutex_destroy(&plans->lock);
    free(plans);
}

/* Subtrees of contiguous ranks, block placement and children that execute: the edges of a level are spread over the
 * communication cores, and it is never slower than the model (Denis et al., section 3). */
static struct kept *make(const struct operation *o, bool up)
{
    struct cw_schedule *schedule;
    struct kept *kept = cw_new_array(1, sizeof *kept, "a plan of a split tree");
    if (!kept) return NULL;
    *kept = (struct kept){.n = o->n, .steps = o->slot->work.steps, .up = up};
    if (cw_schedule_new(up ? "knomial-reduce:2" : "knomial-bcast:2", &schedule) != 0) return kept;
    const struct cw_split_setup setup = {.schedule = schedule,
                                         .n = o->n,
                                         .communication = o->node->segment->n_workers,
                                         .steps = kept->steps,
                                         .placement = CW_SPLIT_BLOCK,
                                         .executor = CW_SPLIT_CHILD};
    if (cw_split_plan_new(&setup, &kept->plan) != 0) kept->plan = NULL;
    cw_schedule_free(schedule);
    return kept;
}

static const struct cw_split_plan *plan_of(const struct operation *o)
{
    struct plans *plans = o->node->plans;
    const bool up = o->slot->work.collective == CW_NBC_REDUCE;
    pthread_mutex_lock(&plans->lock);
    struct kept *kept = plans->first;
    while (kept && (kept->n != o->n || kept->steps != o->slot->work.steps || kept->up != up)) kept = kept->next;
    if (!kept && (kept = make(o, up))) {
        kept->next = plans->first;
        plans->first = kept;
    }
    pthread_mutex_unlock(&plans->lock);
    return kept ? kept->plan : NULL;
}

/* The rank of the communicator that is RELATIVE to the root. */
static uint32_t rank_of(const struct operation *o, uint32_t relative)
{
    return (uint32_t)(((uint64_t)relative + o->slot->work.root) % o->n);
}

static uint32_t child_of(const struct operation *o, const struct cw_split_edge *edge)
{
    return rank_of(o, edge->up ? edge->message.src : edge->message.dst);
}

static bool is_ready(const struct operation *o, const struct cw_split_plan *plan, const struct cw_split_edge *edge,
                     uint32_t chunk)
{
    if (!o->posts[rank_of(o, edge->message.src)].posted || !o->posts[rank_of(o, edge->message.dst)].posted)
        return false;
    for (size_t i = 0; i < edge->n_depends; i++) {
        const struct cw_split_edge *before = &plan->edges[plan->depends[edge->depends + i]];
        if (o->posts[child_of(o, before)].lane.finished <= chunk) return false;
    }
    return true;
}

/* A rank executes its own edges away from the root when it waits. Those towards the root are due before ranks compute:
 * whoever comes last, or has just made one possible, executes it, and nobody waits for others. */
static bool is_due(const struct cw_nbc_executor *executor, const struct operation *o, const struct cw_split_edge *edge,
                   uint32_t me)
{
    if (edge->core != CW_SPLIT_OWN) return edge->core == executor->core;
    return executor->core == UINT32_MAX && (edge->up || rank_of(o, edge->rank) == me);
}

bool cw_nbc_take_edge(const struct cw_nbc_executor *executor, const struct operation *o, uint32_t me,
                      struct piece *piece)
{
    const struct cw_split_plan *plan = plan_of(o);
    for (size_t i = 0; plan && i < plan->n_edges; i++) {
        const struct cw_split_edge *edge = &plan->edges[i];
        if (!is_due(executor, o, edge, me)) continue;
        struct lane *lane = &o->posts[child_of(o, edge)].lane;
        if (lane->busy || lane->front >= o->slot->n_chunks || !is_ready(o, plan, edge, lane->front)) continue;
        lane->busy = true;
        *piece = (struct piece){.chunk = lane->front++, .n_lanes = 1, .lanes = {child_of(o, edge)}};
        return true;
    }
    return false;
}

void cw_nbc_rouse(const struct operation *o)
{
    const struct cw_split_plan *plan = plan_of(o);
    for (size_t i = 0; plan && i < plan->n_edges; i++) {
        const struct cw_split_edge *edge = &plan->edges[i];
        const struct lane *lane = &o->posts[child_of(o, edge)].lane;
        struct post *post = &o->posts[rank_of(o, edge->rank)];
        if (edge->core == CW_SPLIT_OWN && !lane->busy && lane->front < o->slot->n_chunks &&
            is_ready(o, plan, edge, lane->front))
            ring(post);
    }
}

/* The edge whose child is CHILD, and whether it is the first into its parent; *INNER: edges lead into the child. */
static const struct cw_split_edge *edge_of(const struct operation *o, uint32_t child, bool *first, bool *inner)
{
    const struct cw_split_plan *plan = plan_of(o);
    const struct cw_split_edge *edge = plan->edges;
    while (child_of(o, edge) != child) edge++;
    *first = true;
    *inner = false;
    for (const struct cw_split_edge *before = plan->edges; before < edge; before++) {
        if (before->message.dst == edge->message.dst) *first = false;
        if (before->message.dst == edge->message.src) *inner = true;
    }
    return edge;
}

/* What the child has, with all below it, into what its parent has. */
static int combine(const struct cw_nbc_executor *executor, const struct operation *o, uint32_t child, uint64_t offset,
                   size_t bytes, uint32_t *error_rank)
{
    const struct cw_nbc_work *work = &o->slot->work;
    bool first, inner;
    const uint32_t parent = rank_of(o, edge_of(o, child, &first, &inner)->message.dst);
    const struct cw_nbc_part *into = &o->posts[parent].part, *from = &o->posts[child].part;
    char *left = executor->buffers, *right = executor->buffers + CW_NBC_CHUNK;
    int error = cw_nbc_read(o->node, host_rank(o, parent), left, (first ? into->send : into->recv) + offset, bytes);
    *error_rank = parent;
    if (error) return error;
    error = cw_nbc_read(o->node, host_rank(o, child), right, (inner ? from->recv : from->send) + offset, bytes);
    if (error) *error_rank = child;
    if (error) return error;
    cw_nbc_combine_for(work->type, work->op)(left, right, bytes / cw_nbc_type_size(work->type));
    return cw_nbc_write(o->node, host_rank(o, parent), left, into->recv + offset, bytes);
}

static int copy(const struct cw_nbc_executor *executor, const struct operation *o, uint32_t child, uint64_t offset,
                size_t bytes, uint32_t *error_rank)
{
    bool first, inner;
    const uint32_t parent = rank_of(o, edge_of(o, child, &first, &inner)->message.src);
    const struct cw_nbc_part *from = &o->posts[parent].part, *into = &o->posts[child].part;
    const uint64_t source = (parent == o->slot->work.root ? from->send : from->recv) + offset;
    int error = cw_nbc_read(o->node, host_rank(o, parent), executor->buffers, source, bytes);
    *error_rank = parent;
    if (error) return error;
    *error_rank = child;
    return cw_nbc_write(o->node, host_rank(o, child), executor->buffers, into->recv + offset, bytes);
}

int cw_nbc_execute_edge(const struct cw_nbc_executor *executor, const struct operation *o, const struct piece *piece,
                        uint32_t *error_rank)
{
    const struct cw_nbc_work *work = &o->slot->work;
    const uint64_t offset = (uint64_t)piece->chunk * work->chunk;
    const size_t bytes = work->bytes - offset < work->chunk ? work->bytes - offset : work->chunk;
    return (work->collective == CW_NBC_BCAST ? copy : combine)(executor, o, piece->lanes[0], offset, bytes, error_rank);
}
