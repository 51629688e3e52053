/*
 * Streams as a simulation needs them: for each hop how many chunks have come and gone, and for each rank whose turn it
 * is. A message's index is twice the number of its hop, and one more for a credit, which goes back by it.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/flit/flit_task.h"

#define NO_HOP SIZE_MAX

static const char what[] = "hops of streams";

/* --- setting up --------------------------------------------------------------------------------------------------- */

static int check_hop(const struct cw_flit_task *task, size_t index, size_t h)
{
    const struct cw_flit_streams *streams = task->job.streams;
    const struct cw_flit_hop *hop = &streams->hops[h];
    if (hop->src >= task->job.n_ranks || hop->dst >= task->job.n_ranks || hop->src == hop->dst || hop->bytes == 0)
        return cw_fail(CW_EUSAGE, "job %zu: hop %zu has no bytes, or is not between two of %u ranks", index, h,
                       task->job.n_ranks);
    if (hop->before == NO_HOP) return 0;
    if (hop->before >= h || streams->hops[hop->before].dst != hop->src ||
        streams->hops[hop->before].bytes != hop->bytes || task->stages[hop->before].next != CW_NONE)
        return cw_fail(CW_EUSAGE,
                       "job %zu: hop %zu does not follow an earlier one, as the only one, with the same bytes and rank",
                       index, h);
    return 0;
}

/* Whether what HOP sends came into the room of a relay, which then has credits to give. */
static bool is_relayed(const struct cw_flit_streams *streams, const struct cw_flit_hop *hop)
{
    return hop->before != NO_HOP && !streams->hops[hop->before].kept;
}

/* How many chunks a hop of a stream of BYTES has, and how long they are. */
static struct cw_flit_stage stage_of(const struct cw_flit_hop *hop, uint64_t chunk_bytes, uint32_t flit_bytes)
{
    const uint64_t chunks = (hop->bytes - 1) / chunk_bytes + 1, last = hop->bytes - (chunks - 1) * chunk_bytes;
    return (struct cw_flit_stage){.hop = *hop,
                                  .next = CW_NONE,
                                  .chunks = chunks,
                                  .flits = chunks > 1 ? (uint32_t)cw_flit_flits_of(chunk_bytes, flit_bytes) : 0,
                                  .last = (uint32_t)cw_flit_flits_of(last, flit_bytes)};
}

/* Credits that the relay behind a hop of CHUNKS sends back: none for what is not waited for any more. */
static uint64_t credits_of(uint64_t chunks, uint32_t credits)
{
    return chunks > credits ? chunks - credits : 0;
}

static int make_stages(struct cw_flit_task *task, uint32_t flit_bytes, size_t index)
{
    const struct cw_flit_streams *streams = task->job.streams;
    int rc = 0;
    for (size_t h = 0; h < streams->n && !rc; h++) {
        const struct cw_flit_hop *hop = &streams->hops[h];
        struct cw_flit_stage *stage = &task->stages[h];
        rc = check_hop(task, index, h);
        if (rc) return rc;
        *stage = stage_of(hop, streams->chunk_bytes, flit_bytes);
        task->flits += (stage->chunks - 1) * stage->flits + stage->last;
        if (!is_relayed(streams, hop)) continue;
        task->stages[hop->before].next = (uint32_t)h;
        task->flits += credits_of(stage->chunks, streams->credits);
    }
    return rc;
}

/* A rank's own hops, then those of what it relays, each in their order. */
static int list_outs(struct cw_flit_task *task)
{
    const struct cw_flit_streams *streams = task->job.streams;
    const size_t n = 2 * (size_t)task->job.n_ranks;
    size_t *next = cw_new_array(n, sizeof *next, what);
    if (!next) return CW_ENOMEM;
    for (size_t h = 0; h < streams->n; h++)
        task->first_out[2 * (size_t)streams->hops[h].src + (streams->hops[h].before != NO_HOP) + 1]++;
    for (size_t i = 0; i < n; i++) {
        task->first_out[i + 1] += task->first_out[i];
        next[i] = task->first_out[i];
    }
    for (size_t h = 0; h < streams->n; h++)
        task->outs[next[2 * (size_t)streams->hops[h].src + (streams->hops[h].before != NO_HOP)]++] = (uint32_t)h;
    free(next);
    return 0;
}

int cw_flit_streams_make(struct cw_flit_task *task, uint32_t flit_bytes, size_t index)
{
    const struct cw_flit_streams *streams = task->job.streams;
    if (streams->n == 0 || streams->n >= CW_NONE / 2 || streams->chunk_bytes == 0 || streams->credits == 0 ||
        streams->chunk_bytes / flit_bytes >= UINT32_MAX)
        return cw_fail(CW_EUSAGE, "job %zu has %zu hops, chunks of %llu bytes and %u credits; expected some of each",
                       index, streams->n, (unsigned long long)streams->chunk_bytes, streams->credits);
    task->stages = cw_new_array(streams->n, sizeof *task->stages, what);
    task->outs = cw_new_array(streams->n, sizeof *task->outs, what);
    task->first_out = cw_new_array(2 * (size_t)task->job.n_ranks + 1, sizeof *task->first_out, what);
    if (!task->stages || !task->outs || !task->first_out) return CW_ENOMEM;
    const int rc = make_stages(task, flit_bytes, index);
    return rc ? rc : list_outs(task);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

void cw_flit_streams_begin(const struct cw_flit_task *task, uint32_t rank, struct cw_flit_progress *progress)
{
    *progress =
        (struct cw_flit_progress){.rank = rank,
                                  .turn = {task->first_out[2 * (size_t)rank], task->first_out[2 * (size_t)rank + 1]},
                                  .changed = task->job.start};
}

/* True if the sender of STAGE has a chunk to begin in cycle T, and room for it at the relay. What came at the end of
 * this cycle counts from the next one. */
static bool can_send(const struct cw_flit_task *task, const struct cw_flit_stage *stage, uint64_t t)
{
    uint64_t there = stage->chunks;
    if (stage->hop.before != NO_HOP) {
        const struct cw_flit_stage *before = &task->stages[stage->hop.before];
        there = before->came - (before->came_at > t);
    }
    const uint64_t freed = stage->freed - (stage->freed_at > t);
    return stage->sent < there && (stage->next == CW_NONE || stage->sent - freed < task->job.streams->credits);
}

/* Chooses the next of the hops that KIND of PROGRESS's rank can send by: 0 its own, 1 those it relays. */
static bool next_chunk(const struct cw_flit_task *task, struct cw_flit_progress *progress, unsigned kind, uint64_t t)
{
    const size_t place = 2 * (size_t)progress->rank + kind;
    const size_t begin = task->first_out[place], end = task->first_out[place + 1];
    for (size_t i = 0; i < end - begin; i++) {
        const size_t at = begin + (progress->turn[kind] - begin + i) % (end - begin);
        struct cw_flit_stage *stage = &task->stages[task->outs[at]];
        if (!can_send(task, stage, t)) continue;
        progress->order = task->outs[at];
        progress->order_left = ++stage->sent == stage->chunks ? stage->last : stage->flits;
        progress->turn[kind] = at + 1;
        return true;
    }
    return false;
}

/* A credit that the rank owes. */
static bool take_credit(struct cw_flit_task *task, const struct cw_flit_progress *progress, uint64_t t,
                        struct cw_flit_message *message, uint32_t *index)
{
    const size_t place = 2 * (size_t)progress->rank + 1;
    for (size_t i = task->first_out[place]; i < task->first_out[place + 1]; i++) {
        const size_t before = task->stages[task->outs[i]].hop.before;
        struct cw_flit_stage *stage = &task->stages[before];
        if (stage->due == 0) continue;
        stage->due--;
        *message = (struct cw_flit_message){.ready = t, .rank = stage->hop.src, .flits = 1, .random = stage->hop.back};
        *index = 2 * (uint32_t)before + 1;
        return true;
    }
    return false;
}

bool cw_flit_streams_take(struct cw_flit_task *task, struct cw_flit_progress *progress, uint64_t t,
                          struct cw_flit_message *message, uint32_t *index)
{
    if (progress->order_left == 0) {
        if (take_credit(task, progress, t, message, index)) return true;
        if (!next_chunk(task, progress, 0, t) && !next_chunk(task, progress, 1, t)) return false;
    }
    const struct cw_flit_stage *stage = &task->stages[progress->order];
    const uint32_t flits =
        progress->order_left < task->job.message_flits ? progress->order_left : task->job.message_flits;
    *message = (struct cw_flit_message){.ready = t, .rank = stage->hop.dst, .flits = flits, .random = stage->hop.path};
    *index = 2 * (uint32_t)progress->order;
    progress->order_left -= flits;
    if (is_relayed(task->job.streams, &stage->hop) && progress->order_left == 0 &&
        stage->sent <= credits_of(stage->chunks, task->job.streams->credits))
        task->stages[stage->hop.before].due++;
    return true;
}

/* --- receiving ---------------------------------------------------------------------------------------------------- */

void cw_flit_streams_receive(struct cw_flit_task *task, struct cw_flit_progress *progress, uint32_t index, uint64_t t)
{
    struct cw_flit_stage *stage = &task->stages[index / 2];
    if (index % 2 == 1) {
        stage->freed++;
        stage->freed_at = t;
        progress->changed = t;
        return;
    }
    const uint32_t chunk = stage->came + 1 == stage->chunks ? stage->last : stage->flits;
    if (++stage->flits_of_next < chunk) return;
    stage->flits_of_next = 0;
    stage->came++;
    stage->came_at = t;
    if (stage->next != CW_NONE || stage->hop.kept) progress->changed = t;
}
