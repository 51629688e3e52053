#include "sim/split_tree_sim.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"

/* What a core does in one go. Operation i is chunk i % chunks of edge i / chunks; behind all these comes the
 * computation of each rank. */
struct task {
    size_t core; /* 0 … P - 1: communication; behind them the application core of each rank */
    double time; /* that it takes */
    double ready;
    size_t waits_for; /* so many tasks that are not done */
    size_t first;     /* after[first … first of the next task - 1] wait for it */
};

struct entry {
    double ready;
    size_t task;
};

struct simulation {
    const struct cw_split_plan *plan;
    const struct cw_split_run *run;
    size_t computing, rounds; /* the first computation, and the end of the first round */
    struct task *tasks;       /* [n + 1] */
    size_t n;
    size_t *after;
    double *free_at;    /* [cores] */
    struct entry *heap; /* of tasks that may begin: by time, then by number */
    size_t n_heap;
};

double cw_split_edge_time(const struct cw_split_plan *plan, const struct cw_split_edge *edge)
{
    return plan->blocks == 1 ? 1 : edge->message.n_blocks;
}

static bool is_earlier(const struct entry *a, const struct entry *b)
{
    return a->ready != b->ready ? a->ready < b->ready : a->task < b->task;
}

#define IS_EARLIER(simulation, a, b) is_earlier(a, b)
CW_HEAP(heap, struct entry, 2, struct simulation *, IS_EARLIER, CW_HEAP_PUT)

static void enter(struct simulation *s, double ready, size_t task)
{
    heap_push(s, s->heap, &s->n_heap, (struct entry){ready, task});
}

/* LATER waits for EARLIER: counted, or entered where there is room for it. */
static void link(struct simulation *s, size_t earlier, size_t later)
{
    if (s->after)
        s->after[--s->tasks[earlier].first] = later;
    else {
        s->tasks[earlier].first++;
        s->tasks[later].waits_for++;
    }
}

/* A rank computes after its own edges towards the root, as child and as parent, and before those away from it. */
static void link_own(struct simulation *s, const struct cw_split_edge *edge, size_t i)
{
    if (edge->up) {
        link(s, i, s->computing + edge->message.src);
        link(s, i, s->computing + edge->message.dst);
    } else
        link(s, s->computing + edge->rank, i);
}

static void link_all(struct simulation *s)
{
    const struct cw_split_plan *plan = s->plan;
    const size_t chunks = s->run->chunks;
    for (size_t e = 0; e < plan->n_edges; e++) {
        const struct cw_split_edge *edge = &plan->edges[e];
        for (size_t c = 0; c < chunks; c++) {
            const size_t i = e * chunks + c;
            for (size_t d = 0; d < edge->n_depends; d++) link(s, plan->depends[edge->depends + d] * chunks + c, i);
            if (edge->core == CW_SPLIT_OWN) link_own(s, edge, i);
            if (!s->run->in_levels) continue;
            link(s, i, s->rounds + edge->round);
            if (edge->round > 0) link(s, s->rounds + edge->round - 1, i);
        }
    }
}

static void enter_tasks(struct simulation *s)
{
    const struct cw_split_plan *plan = s->plan;
    const size_t ranks = plan->communication; /* the first application core */
    for (size_t i = 0; i < s->computing; i++) {
        const struct cw_split_edge *edge = &plan->edges[i / s->run->chunks];
        s->tasks[i] = (struct task){.core = edge->core == CW_SPLIT_OWN ? ranks + edge->rank : edge->core,
                                    .time = cw_split_edge_time(plan, edge) / s->run->chunks};
    }
    for (uint32_t rank = 0; rank < plan->n; rank++)
        s->tasks[s->computing + rank] = (struct task){.core = ranks + rank, .time = s->run->compute};
    for (size_t i = s->rounds; i < s->n; i++) s->tasks[i].core = ranks + plan->n; /* a core of its own */
}

static int prepare(struct simulation *s)
{
    const struct cw_split_plan *plan = s->plan;
    s->computing = plan->n_edges * s->run->chunks;
    s->rounds = s->computing + plan->n;
    s->n = s->rounds + (plan->n_edges > 0 ? plan->edges[plan->n_edges - 1].round + 1 : 0);
    s->tasks = cw_new_array(s->n + 1, sizeof *s->tasks, "tasks");
    s->heap = cw_new_array(s->n, sizeof *s->heap, "tasks");
    s->free_at = cw_new_array((size_t)plan->communication + plan->n + 1, sizeof *s->free_at, "cores");
    if (!s->tasks || !s->heap || !s->free_at) return CW_ENOMEM;
    enter_tasks(s);
    link_all(s);
    size_t links = 0;
    for (size_t i = 0; i < s->n; i++) s->tasks[i].first = links += s->tasks[i].first;
    s->tasks[s->n].first = links;
    s->after = cw_new_array(links, sizeof *s->after, "dependencies");
    if (!s->after) return CW_ENOMEM;
    link_all(s);
    return 0;
}

/* Operations come out of the heap in the order in which they became ready: what one makes ready comes later. */
static double execute(struct simulation *s)
{
    double end = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->tasks[i].waits_for == 0) enter(s, 0, i);
    while (s->n_heap > 0) {
        const size_t i = heap_pop(s, s->heap, &s->n_heap).task;
        const struct task *task = &s->tasks[i];
        const double done = fmax(task->ready, s->free_at[task->core]) + task->time;
        s->free_at[task->core] = done;
        end = fmax(end, done);
        for (size_t a = task->first; a < s->tasks[i + 1].first; a++) {
            struct task *next = &s->tasks[s->after[a]];
            next->ready = fmax(next->ready, done);
            if (--next->waits_for == 0) enter(s, next->ready, s->after[a]);
        }
    }
    return end;
}

int cw_split_tree_simulate(const struct cw_split_plan *plan, const struct cw_split_run *run, double *time)
{
    if (run->chunks == 0 || !(run->compute >= 0))
        return cw_fail(CW_EUSAGE, "a split tree is simulated with 1 chunk or more, and computation of 0 or more");
    struct simulation s = {.plan = plan, .run = run};
    const int rc = prepare(&s);
    if (!rc) *time = execute(&s);
    free(s.tasks);
    free(s.after);
    free(s.free_at);
    free(s.heap);
    return rc;
}
