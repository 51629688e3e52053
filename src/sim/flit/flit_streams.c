/*
 * Streams as a simulation needs them: for each hop how many chunks have come and gone, and for each rank whose turn it
 * is. A message's index is twice the number of its hop, and one more for a credit, which goes back by it, or for what
 * asks for a sum.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "sim/flit/flit_task.h"

#define NO_HOP SIZE_MAX

/* Hops of a rank: by which it sends its own data; by which it sends what it got; by which it gets sums. */
enum { OWN, PASSED, ASKED, KINDS };

static const char what[] = "hops of streams";

/* --- setting up --------------------------------------------------------------------------------------------------- */

/* Whether what BEFORE brings may go on by HOP, which adds it to what others bring if it JOINS them. Who relays gives
 * its credits itself; a sum is not added to before it is there. */
static bool may_follow(const struct cw_flit_task *task, const struct cw_flit_hop *before, const struct cw_flit_hop *hop)
{
    const bool same =
        before->kept ? cw_flit_same_memory(task, before->dst, hop->src) : before->dst == hop->src && hop->joined == 0;
    return same && before->bytes == hop->bytes && before->sum == hop->sum && before->returns == hop->returns;
}

static int check_hop(const struct cw_flit_task *task, size_t index, size_t h)
{
    const struct cw_flit_streams *streams = task->job.streams;
    const struct cw_flit_hop *hop = &streams->hops[h];
    if (hop->src >= task->job.n_ranks || hop->dst >= task->job.n_ranks || hop->src == hop->dst || hop->bytes == 0)
        return cw_fail(CW_EUSAGE, "job %zu: hop %zu has no bytes, or is not between two of %u ranks", index, h,
                       task->job.n_ranks);
    if (hop->sum > 0 ? !hop->kept : hop->returns)
        return cw_fail(CW_EUSAGE, "job %zu: hop %zu is of a sum that is not kept, or returns one and is of none", index,
                       h);
    if (hop->before == NO_HOP && hop->joined == 0) return 0;
    bool follows = hop->before < h && hop->joined < h - hop->before;
    for (uint32_t i = 0; i <= hop->joined && follows; i++)
        follows =
            may_follow(task, &streams->hops[hop->before + i], hop) && task->stages[hop->before + i].next == CW_NONE;
    if (follows) return 0;
    return cw_fail(CW_EUSAGE,
                   "job %zu: hop %zu does not follow earlier ones, each as the only one, with the same bytes and rank",
                   index, h);
}

/* Ranks that share a memory are looked at together: they are on one switch. Who is on none is refused elsewhere. */
static int check_memory(const struct cw_flit_task *task, const struct cw_network *net, size_t index)
{
    const uint32_t *memory = task->job.streams->memory;
    for (uint32_t r = 0; memory && r < task->job.n_ranks; r++) {
        const uint32_t m = memory[r];
        if (m > r || memory[m] != m)
            return cw_fail(CW_EUSAGE, "job %zu: rank %u has the memory of rank %u, expected the first that has it",
                           index, r, m);
        const uint32_t e = task->endpoints[r], first = task->endpoints[m];
        if (e >= net->n_endpoints || first >= net->n_endpoints || cw_network_degree(net, e) == 0 ||
            cw_network_degree(net, first) == 0)
            continue;
        if (net->head[net->first[e]] != net->head[net->first[first]])
            return cw_fail(CW_EUSAGE, "job %zu: ranks %u and %u share a memory and are not on one switch", index, m, r);
    }
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
        stage->due = hop->returns; /* DST asks once */
        task->flits += (stage->chunks - 1) * stage->flits + stage->last + stage->due;
        if (hop->sum > task->n_sums) task->n_sums = hop->sum;
        if (!is_relayed(streams, hop)) continue;
        task->stages[hop->before].next = (uint32_t)h;
        task->flits += credits_of(stage->chunks, streams->credits);
    }
    return rc;
}

/* Where a rank's hops of KIND are listed. */
static size_t list_of(uint32_t rank, unsigned kind)
{
    return KINDS * (size_t)rank + kind;
}

static size_t list_of_sender(const struct cw_flit_hop *hop)
{
    return list_of(hop->src, hop->before == NO_HOP ? OWN : PASSED);
}

/* A hop, and when it is its turn. */
struct turn {
    uint32_t turn, hop;
};

static int compare_turns(const void *a, const void *b)
{
    const struct turn *one = a, *two = b;
    if (one->turn != two->turn) return one->turn < two->turn ? -1 : 1;
    return one->hop < two->hop ? -1 : one->hop > two->hop;
}

/* Fills the lists, each by turns; NEXT is where the next hop of each goes. */
static void fill_lists(struct cw_flit_task *task, struct turn *turns, size_t *next)
{
    const struct cw_flit_hop *hops = task->job.streams->hops;
    const size_t n = task->job.streams->n;
    for (size_t h = 0; h < n; h++) turns[h] = (struct turn){hops[h].turn, (uint32_t)h};
    qsort(turns, n, sizeof *turns, compare_turns);
    for (size_t i = 0; i < n; i++) {
        const uint32_t h = turns[i].hop;
        task->hops_of[next[list_of_sender(&hops[h])]++] = h;
        if (hops[h].returns) task->hops_of[next[list_of(hops[h].dst, ASKED)]++] = h;
    }
}

static int list_hops(struct cw_flit_task *task)
{
    const struct cw_flit_hop *hops = task->job.streams->hops;
    const size_t n = task->job.streams->n, lists = list_of(task->job.n_ranks, OWN);
    for (size_t h = 0; h < n; h++) {
        task->first_of[list_of_sender(&hops[h]) + 1]++;
        if (hops[h].returns) task->first_of[list_of(hops[h].dst, ASKED) + 1]++;
    }
    for (size_t i = 0; i < lists; i++) task->first_of[i + 1] += task->first_of[i];
    size_t *next = cw_new_array(lists, sizeof *next, what);
    struct turn *turns = cw_new_array(n, sizeof *turns, what);
    task->hops_of = cw_new_array(task->first_of[lists], sizeof *task->hops_of, what);
    const bool enough = next && turns && task->hops_of;
    if (enough) {
        memcpy(next, task->first_of, lists * sizeof *next);
        fill_lists(task, turns, next);
    }
    free(next);
    free(turns);
    return enough ? 0 : CW_ENOMEM;
}

/* What RANK's memory does for the sum of HOP. */
static struct cw_flit_share *share_of(const struct cw_flit_task *task, const struct cw_flit_hop *hop, uint32_t rank)
{
    const uint32_t *memory = task->job.streams->memory;
    return &task->shares[(memory ? memory[rank] : rank) * (size_t)task->n_sums + hop->sum - 1];
}

static int make_shares(struct cw_flit_task *task)
{
    const struct cw_flit_streams *streams = task->job.streams;
    if (task->n_sums == 0) return 0;
    task->shares = cw_new_array(task->job.n_ranks * (size_t)task->n_sums, sizeof *task->shares, what);
    if (!task->shares) return CW_ENOMEM;
    for (size_t h = 0; h < streams->n; h++) {
        const struct cw_flit_hop *hop = &streams->hops[h];
        if (hop->sum == 0 || hop->returns) continue;
        share_of(task, hop, hop->src)->left++;
        share_of(task, hop, hop->dst)->left++;
    }
    return 0;
}

int cw_flit_streams_make(struct cw_flit_task *task, const struct cw_network *net, uint32_t flit_bytes, size_t index)
{
    const struct cw_flit_streams *streams = task->job.streams;
    if (streams->n == 0 || streams->n >= CW_NONE / 2 || streams->chunk_bytes == 0 || streams->credits == 0 ||
        streams->chunk_bytes / flit_bytes >= UINT32_MAX)
        return cw_fail(CW_EUSAGE, "job %zu has %zu hops, chunks of %llu bytes and %u credits; expected some of each",
                       index, streams->n, (unsigned long long)streams->chunk_bytes, streams->credits);
    task->stages = cw_new_array(streams->n, sizeof *task->stages, what);
    task->first_of = cw_new_array(list_of(task->job.n_ranks, OWN) + 1, sizeof *task->first_of, what);
    if (!task->stages || !task->first_of) return CW_ENOMEM;
    int rc = check_memory(task, net, index);
    if (!rc) rc = make_stages(task, flit_bytes, index);
    if (!rc) rc = list_hops(task);
    return rc ? rc : make_shares(task);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* RANK has all of HOP, or has sent it, from cycle T on. */
static void do_part(struct cw_flit_task *task, struct cw_flit_progress *progress, const struct cw_flit_hop *hop,
                    uint32_t rank, uint64_t t)
{
    struct cw_flit_share *share = share_of(task, hop, rank);
    if (--share->left > 0) return;
    share->done = t;
    progress->changed = t;
}

/* Whether RANK's part in the sum of HOP, which returns it, is done in cycle T. */
static bool has_done(const struct cw_flit_task *task, const struct cw_flit_hop *hop, uint32_t rank, uint64_t t)
{
    const struct cw_flit_share *share = share_of(task, hop, rank);
    return share->left == 0 && share->done <= t;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

void cw_flit_streams_begin(const struct cw_flit_task *task, uint32_t rank, struct cw_flit_progress *progress)
{
    *progress =
        (struct cw_flit_progress){.rank = rank,
                                  .turn = {task->first_of[list_of(rank, OWN)], task->first_of[list_of(rank, PASSED)]},
                                  .changed = task->job.start};
}

/* True if the sender of STAGE has a chunk to begin in cycle T, and room for it at the relay. What came at the end of
 * this cycle counts from the next one. */
static bool can_send(const struct cw_flit_task *task, const struct cw_flit_stage *stage, uint64_t t)
{
    uint64_t there = stage->chunks;
    if (stage->hop.before != NO_HOP)
        for (size_t h = stage->hop.before; h <= stage->hop.before + stage->hop.joined; h++) {
            const struct cw_flit_stage *before = &task->stages[h];
            const uint64_t came = before->came - (before->came_at > t);
            if (came < there) there = came;
        }
    const uint64_t freed = stage->freed - (stage->freed_at > t);
    if (stage->sent >= there) return false;
    if (stage->hop.returns) return freed > 0 && has_done(task, &stage->hop, stage->hop.src, t);
    return stage->next == CW_NONE || stage->sent - freed < task->job.streams->credits;
}

/* Chooses the next of the hops of KIND that PROGRESS's rank can send by. */
static bool next_chunk(const struct cw_flit_task *task, struct cw_flit_progress *progress, unsigned kind, uint64_t t)
{
    const size_t list = list_of(progress->rank, kind), begin = task->first_of[list], end = task->first_of[list + 1];
    for (size_t i = 0; i < end - begin; i++) {
        const size_t at = begin + (progress->turn[kind] - begin + i) % (end - begin);
        struct cw_flit_stage *stage = &task->stages[task->hops_of[at]];
        if (!can_send(task, stage, t)) continue;
        progress->order = task->hops_of[at];
        progress->order_left = ++stage->sent == stage->chunks ? stage->last : stage->flits;
        progress->turn[kind] = at + 1;
        return true;
    }
    return false;
}

/* A credit that the rank owes, or what asks for a sum: those of the two lists from PASSED on. */
static bool take_credit(struct cw_flit_task *task, const struct cw_flit_progress *progress, uint64_t t,
                        struct cw_flit_message *message, uint32_t *index)
{
    const size_t list = list_of(progress->rank, PASSED), asked = task->first_of[list + 1];
    for (size_t i = task->first_of[list]; i < task->first_of[list + 2]; i++) {
        const size_t h = i < asked ? task->stages[task->hops_of[i]].hop.before : task->hops_of[i];
        struct cw_flit_stage *stage = &task->stages[h];
        if (stage->due == 0 || (stage->hop.returns && (i < asked || !has_done(task, &stage->hop, progress->rank, t))))
            continue;
        stage->due--;
        *message = (struct cw_flit_message){.ready = t, .rank = stage->hop.src, .flits = 1, .random = stage->hop.back};
        *index = 2 * (uint32_t)h + 1;
        return true;
    }
    return false;
}

bool cw_flit_streams_take(struct cw_flit_task *task, struct cw_flit_progress *progress, uint64_t t,
                          struct cw_flit_message *message, uint32_t *index)
{
    if (progress->order_left == 0) {
        if (take_credit(task, progress, t, message, index)) return true;
        if (!next_chunk(task, progress, OWN, t) && !next_chunk(task, progress, PASSED, t)) return false;
    }
    const struct cw_flit_stage *stage = &task->stages[progress->order];
    const struct cw_flit_hop *hop = &stage->hop;
    const uint32_t flits =
        progress->order_left < task->job.message_flits ? progress->order_left : task->job.message_flits;
    *message = (struct cw_flit_message){.ready = t, .rank = hop->dst, .flits = flits, .random = hop->path};
    *index = 2 * (uint32_t)progress->order;
    progress->order_left -= flits;
    if (progress->order_left > 0) return true;
    if (is_relayed(task->job.streams, hop) && stage->sent <= credits_of(stage->chunks, task->job.streams->credits))
        task->stages[hop->before].due++;
    if (hop->sum > 0 && !hop->returns && stage->sent == stage->chunks) do_part(task, progress, hop, hop->src, t + 1);
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
    if (stage->hop.sum > 0 && !stage->hop.returns && stage->came == stage->chunks)
        do_part(task, progress, &stage->hop, stage->hop.dst, t);
}
