/*
 * Schedules as a simulation needs them: the messages of each rank in the order of rounds, and for each rank and round
 * how many flits it receives. A message of a round is ready once all that its sender receives in rounds before is
 * there.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "sim/flit/flit_task.h"

static const char what[] = "messages of a schedule";

/* --- expanding ---------------------------------------------------------------------------------------------------- */

/* A schedule while its rounds are expanded into messages. */
struct expansion {
    struct cw_flit_task *task;
    uint32_t blocks, flit_bytes;
    uint64_t bytes;                    /* of all blocks */
    size_t *next_order, *next_receive; /* by rank */
};

/* Calls VISIT for every message of every round in order. */
static int each_message(struct expansion *expansion, uint32_t rounds,
                        void visit(struct expansion *expansion, uint32_t round, const struct cw_message *message))
{
    const struct cw_flit_job *job = &expansion->task->job;
    struct cw_messages messages = {0};
    int rc = 0;
    for (uint32_t round = 0; round < rounds && !rc; round++) {
        messages.n = 0;
        rc = cw_schedule_round(job->schedule, job->n_ranks, round, &messages);
        for (size_t i = 0; i < messages.n && !rc; i++)
            if (messages.items[i].src != messages.items[i].dst) visit(expansion, round, &messages.items[i]);
    }
    cw_messages_free(&messages);
    return rc;
}

static void count_message(struct expansion *expansion, uint32_t round, const struct cw_message *message)
{
    (void)round;
    expansion->task->first_order[message->src + 1]++;
    expansion->task->first_receive[message->dst + 1]++; /* at most: those of one round are put together */
}

static void write_message(struct expansion *expansion, uint32_t round, const struct cw_message *message)
{
    struct cw_flit_task *task = expansion->task;
    const uint64_t bytes = cw_schedule_bytes(expansion->bytes, expansion->blocks, message->block, message->n_blocks);
    const uint64_t flits = cw_flit_flits_of(bytes, expansion->flit_bytes);
    size_t *receive = &expansion->next_receive[message->dst];
    if (*receive == task->first_receive[message->dst] || task->receives[*receive - 1].round != round)
        task->receives[(*receive)++] = (struct cw_flit_receive){.round = round};
    task->receives[*receive - 1].left += flits;
    task->flits += flits;
    task->orders[expansion->next_order[message->src]++] = (struct cw_flit_order){.dst = message->dst,
                                                                                 .round = round,
                                                                                 .flits = (uint32_t)flits,
                                                                                 .free = message->free,
                                                                                 .receive = *receive - 1,
                                                                                 .ready = task->job.start};
}

static int expand(struct expansion *expansion, uint32_t rounds)
{
    struct cw_flit_task *task = expansion->task;
    const uint32_t n = task->job.n_ranks;
    int rc = each_message(expansion, rounds, count_message);
    if (rc) return rc;
    for (uint32_t rank = 0; rank < n; rank++) {
        task->first_order[rank + 1] += task->first_order[rank];
        task->first_receive[rank + 1] += task->first_receive[rank];
        expansion->next_order[rank] = task->first_order[rank];
        expansion->next_receive[rank] = task->first_receive[rank];
    }
    const size_t total = task->first_order[n];
    if (total >= UINT32_MAX)
        return cw_fail(CW_ELIMIT, "a schedule of %zu messages; at most %u are possible", total, UINT32_MAX);
    task->orders = cw_new_array(total, sizeof *task->orders, what);
    task->receives = cw_new_array(total, sizeof *task->receives, what);
    if (!task->orders || !task->receives) return CW_ENOMEM;
    rc = each_message(expansion, rounds, write_message);
    for (uint32_t rank = 0; rank < n && !rc; rank++) task->end_receive[rank] = expansion->next_receive[rank];
    return rc;
}

int cw_flit_task_expand(struct cw_flit_task *task, uint32_t flit_bytes)
{
    const struct cw_flit_job *job = &task->job;
    uint32_t rounds, blocks;
    int rc = cw_schedule_plan(job->schedule, job->n_ranks, &rounds, &blocks);
    uint64_t bytes = 0;
    if (!rc) rc = cw_schedule_total_bytes(job->schedule, job->n_ranks, job->bytes, &bytes);
    if (rc) return rc;
    if (bytes / flit_bytes >= UINT32_MAX)
        return cw_fail(CW_ELIMIT, "a collective of %" PRIu64 " bytes has messages of more than %u flits", bytes,
                       UINT32_MAX);
    struct expansion expansion = {.task = task, .blocks = blocks, .flit_bytes = flit_bytes, .bytes = bytes};
    task->first_order = cw_new_array((size_t)job->n_ranks + 1, sizeof *task->first_order, what);
    task->first_receive = cw_new_array((size_t)job->n_ranks + 1, sizeof *task->first_receive, what);
    task->end_receive = cw_new_array(job->n_ranks, sizeof *task->end_receive, what);
    expansion.next_order = cw_new_array(job->n_ranks, sizeof *expansion.next_order, what);
    expansion.next_receive = cw_new_array(job->n_ranks, sizeof *expansion.next_receive, what);
    const bool enough =
        task->first_order && task->first_receive && task->end_receive && expansion.next_order && expansion.next_receive;
    rc = enough ? expand(&expansion, rounds) : CW_ENOMEM;
    free(expansion.next_order);
    free(expansion.next_receive);
    return rc;
}

/* --- sending and receiving ---------------------------------------------------------------------------------------- */

/* The first message from I on that is FREE, or is not. */
static size_t skip(const struct cw_flit_task *task, size_t i, size_t end, bool is_free)
{
    while (i < end && task->orders[i].free != is_free) i++;
    return i;
}

/* Bound messages up to the first round that is not complete are ready from cycle T on. */
static void stamp(struct cw_flit_task *task, struct cw_flit_progress *progress, uint64_t t)
{
    const bool all = progress->receive == progress->receives_end;
    const uint32_t round = all ? UINT32_MAX : task->receives[progress->receive].round;
    const size_t before = progress->stamped;
    while (progress->stamped < progress->orders_end && task->orders[progress->stamped].round <= round) {
        task->orders[progress->stamped].ready = t;
        progress->stamped = skip(task, progress->stamped + 1, progress->orders_end, false);
    }
    if (progress->stamped != before) progress->changed = t;
}

void cw_flit_schedule_begin(struct cw_flit_task *task, uint32_t rank, struct cw_flit_progress *progress)
{
    *progress = (struct cw_flit_progress){.rank = rank};
    progress->orders_end = task->first_order[progress->rank + 1];
    progress->free = skip(task, task->first_order[progress->rank], progress->orders_end, true);
    progress->bound = progress->stamped = skip(task, task->first_order[progress->rank], progress->orders_end, false);
    progress->receive = task->first_receive[progress->rank];
    progress->receives_end = task->end_receive[progress->rank];
    stamp(task, progress, task->job.start);
}

/* Chooses the earlier of the next free and the next bound message, if that one is ready in cycle T. */
static bool next_order(const struct cw_flit_task *task, struct cw_flit_progress *progress, uint64_t t)
{
    const bool bound = progress->bound < progress->stamped && task->orders[progress->bound].ready <= t;
    if (bound && progress->bound < progress->free) {
        progress->order = progress->bound;
        progress->bound = skip(task, progress->bound + 1, progress->orders_end, false);
    } else if (progress->free < progress->orders_end) {
        progress->order = progress->free;
        progress->free = skip(task, progress->free + 1, progress->orders_end, true);
    } else {
        return false;
    }
    progress->order_left = task->orders[progress->order].flits;
    return true;
}

bool cw_flit_schedule_take(struct cw_flit_task *task, struct cw_flit_progress *progress, struct cw_flit_source *source,
                           uint64_t t, struct cw_flit_message *message, uint32_t *index)
{
    if (progress->order_left == 0 && !next_order(task, progress, t)) return false;
    const struct cw_flit_order *order = &task->orders[progress->order];
    const uint32_t flits = order->flits < task->job.message_flits ? order->flits : task->job.message_flits;
    *message = (struct cw_flit_message){.ready = order->ready,
                                        .rank = order->dst,
                                        .flits = progress->order_left < flits ? progress->order_left : flits,
                                        .random = cw_random_word(source->key, source->number++)};
    progress->order_left -= message->flits;
    *index = (uint32_t)progress->order;
    return true;
}

void cw_flit_schedule_receive(struct cw_flit_task *task, struct cw_flit_progress *progress, uint32_t index, uint64_t t)
{
    struct cw_flit_receive *receives = task->receives;
    receives[task->orders[index].receive].left--;
    const size_t before = progress->receive;
    while (progress->receive < progress->receives_end && receives[progress->receive].left == 0) progress->receive++;
    if (progress->receive != before) stamp(task, progress, t);
}
