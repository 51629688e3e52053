#include "flow/moves/mover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#define SUM_BYTES sizeof(uint64_t)

/* One direction of a step: chunks that were begun, and those of them that have ended, in order and beyond. */
struct flow {
    uint64_t begun, ended;
    uint64_t beyond; /* bit i: chunk `ended` + i has ended, too */
};

/* A step that is being carried out. */
struct part {
    const struct cw_step *step;
    uint64_t n_chunks;
    struct flow in, out;
    uint64_t allowed;     /* chunks that may be sent in all, as far as the next rank has said */
    uint64_t told;        /* chunks that the rank before knows to have been sent on */
    bool held;            /* its sends wait for a receive */
    unsigned char *home;  /* of its first byte; NULL: it forwards */
    unsigned char *slots; /* a sum, and of a relay or who combines a chunk, for each chunk under way */
    bool of_result;       /* it sends or receives what was added up before */
    size_t slot_bytes;
    uint32_t n_slots;
    uint32_t next; /* in the queue */
    bool queued;
};

struct cw_mover {
    const struct cw_moves *moves;
    uint32_t rank, n_parts, n_unfinished;
    struct part *parts;
    uint32_t *adding;    /* [demands] steps that add up data and are not finished */
    uint32_t head, tail; /* the parts that may have a job, first come first */
    uint32_t *peers, n_peers;
};

/* --- making ------------------------------------------------------------------------------------------------------- */

static uint32_t room_of(const struct cw_moves *moves)
{
    return moves->credits < CW_MOVER_ROOM ? moves->credits : CW_MOVER_ROOM;
}

/* Chunks of a step that a rank takes in before it has combined them. */
static uint32_t combining_room(const struct cw_moves *moves)
{
    return moves->credits < CW_MOVER_AHEAD ? moves->credits : CW_MOVER_AHEAD;
}

static void enqueue(struct cw_mover *mover, uint32_t p)
{
    struct part *part = &mover->parts[p];
    if (part->queued) return;
    part->queued = true;
    part->next = CW_NONE;
    if (mover->head == CW_NONE)
        mover->head = p;
    else
        mover->parts[mover->tail].next = p;
    mover->tail = p;
}

static void dequeue(struct cw_mover *mover)
{
    struct part *part = &mover->parts[mover->head];
    part->queued = false;
    mover->head = part->next;
}

static int make_slots(const struct cw_moves *moves, struct part *part)
{
    const bool forwards = part->step->kind == CW_STEP_FORWARD, combines = part->step->kind == CW_STEP_COMBINE;
    const uint64_t most = forwards ? room_of(moves) : combines ? combining_room(moves) : CW_MOVER_AHEAD;
    const uint64_t chunk = moves->chunk_bytes < part->step->bytes ? moves->chunk_bytes : part->step->bytes;
    if (chunk > SIZE_MAX / 2) return cw_fail(CW_ELIMIT, "chunks of %" PRIu64 " bytes do not fit into memory", chunk);
    part->n_slots = (uint32_t)(part->n_chunks < most ? part->n_chunks : most);
    part->slot_bytes = SUM_BYTES + (forwards || combines ? ((size_t)chunk + SUM_BYTES - 1) / SUM_BYTES * SUM_BYTES : 0);
    part->slots = cw_new_array(part->n_slots, part->slot_bytes, "buffers of a relay");
    return part->slots ? 0 : CW_ENOMEM;
}

/* Rank TO takes its chunks of STREAM into buffers, not to where they belong. */
static bool is_relay(const struct cw_moves *moves, uint32_t to, uint32_t stream)
{
    return moves->steps[cw_moves_find(moves, to, stream)].kind == CW_STEP_FORWARD;
}

/* The first part of the stream of part P. */
static uint32_t first_of(const struct cw_mover *mover, uint32_t p)
{
    const struct cw_step *steps = &mover->moves->steps[mover->moves->first_step[mover->rank]];
    while (p > 0 && steps[p - 1].stream == steps[p].stream) p--;
    return p;
}

/* Part P sends what an earlier part of the same stream takes in. */
static bool sends_on(const struct cw_mover *mover, uint32_t p)
{
    const struct cw_step *steps = &mover->moves->steps[mover->moves->first_step[mover->rank]];
    return steps[p].kind == CW_STEP_SEND && steps[first_of(mover, p)].kind != CW_STEP_SEND;
}

static int begin_part(struct cw_mover *mover, uint32_t p, void *const *data)
{
    const struct cw_moves *moves = mover->moves;
    struct part *part = &mover->parts[p];
    const struct cw_step *step = &moves->steps[moves->first_step[mover->rank] + p];
    const bool adds = step->kind == CW_STEP_COMBINE || cw_moves_adds(moves, step);
    part->step = step;
    part->of_result = moves->demands[step->demand].src == CW_NONE && !adds;
    mover->adding[step->demand] += adds;
    part->n_chunks = part->allowed = cw_moves_chunks(moves, step->bytes);
    if (step->kind != CW_STEP_FORWARD) part->home = (unsigned char *)data[step->demand] + step->offset;
    if (step->kind == CW_STEP_SEND) part->in.begun = part->in.ended = part->n_chunks;
    if (sends_on(mover, p)) part->in.ended = 0;
    if (step->to == CW_NONE) {
        part->out.begun = part->out.ended = part->n_chunks;
    } else {
        if (!is_relay(moves, step->to, step->stream))
            part->held = part->n_chunks > (adds ? combining_room(moves) : CW_MOVER_AHEAD);
        else if (room_of(moves) < part->n_chunks)
            part->allowed = room_of(moves);
    }
    enqueue(mover, p);
    return make_slots(moves, part);
}

static int compare_ranks(const void *a, const void *b)
{
    const uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return one < two ? -1 : one > two;
}

static int find_peers(struct cw_mover *mover)
{
    uint32_t n = 0, kept = 0;
    mover->peers = cw_new_array(2 * (size_t)mover->n_parts + 1, sizeof *mover->peers, "peers of a rank");
    if (!mover->peers) return CW_ENOMEM;
    for (uint32_t p = 0; p < mover->n_parts; p++) {
        const struct cw_step *step = mover->parts[p].step;
        if (step->from != CW_NONE) mover->peers[n++] = step->from;
        if (step->to != CW_NONE) mover->peers[n++] = step->to;
    }
    qsort(mover->peers, n, sizeof *mover->peers, compare_ranks);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || mover->peers[kept - 1] != mover->peers[i]) mover->peers[kept++] = mover->peers[i];
    mover->n_peers = kept;
    return 0;
}

int cw_mover_new(const struct cw_moves *moves, uint32_t rank, void *const *data, struct cw_mover **out)
{
    struct cw_mover *mover = cw_new_array(1, sizeof *mover, "a mover");
    if (!mover) return CW_ENOMEM;
    const size_t n = moves->first_step[rank + 1] - moves->first_step[rank];
    *mover = (struct cw_mover){.moves = moves, .rank = rank, .head = CW_NONE};
    mover->n_parts = mover->n_unfinished = (uint32_t)n;
    mover->parts = cw_new_array(n + 1, sizeof *mover->parts, "steps of a mover");
    mover->adding = cw_new_array(moves->n_demands + 1, sizeof *mover->adding, "steps of a mover");
    int rc = mover->parts && mover->adding ? 0 : CW_ENOMEM;
    for (uint32_t p = 0; p < n && !rc; p++) rc = begin_part(mover, p, data);
    if (!rc) rc = find_peers(mover);
    if (rc)
        cw_mover_free(mover);
    else
        *out = mover;
    return rc;
}

void cw_mover_free(struct cw_mover *mover)
{
    if (!mover) return;
    for (uint32_t p = 0; mover->parts && p < mover->n_parts; p++) free(mover->parts[p].slots);
    free(mover->parts);
    free(mover->adding);
    free(mover->peers);
    free(mover);
}

/* --- jobs --------------------------------------------------------------------------------------------------------- */

static uint64_t sum_of(const struct cw_mover *mover, const struct cw_job *job)
{
    const struct cw_step *step = mover->parts[job->part].step;
    const uint64_t place = step->offset + job->chunk * mover->moves->chunk_bytes;
    return XXH3_64bits_withSeed(job->data, job->bytes, cw_random_hash(step->demand, place));
}

static struct cw_job job_of(const struct cw_mover *mover, uint32_t p, enum cw_job_kind kind, uint64_t chunk)
{
    const struct part *part = &mover->parts[p];
    const struct cw_step *step = part->step;
    const uint64_t size = mover->moves->chunk_bytes, begin = chunk * size;
    struct cw_job job = {.kind = kind,
                         .peer = kind == CW_JOB_SEND ? step->to : step->from,
                         .stream = step->stream,
                         .part = p,
                         .chunk = chunk};
    if (kind == CW_JOB_ROOM) return job;
    job.held = kind == CW_JOB_SEND && part->held;
    job.sum = part->slots + chunk % part->n_slots * part->slot_bytes;
    job.data = part->home && step->kind != CW_STEP_COMBINE ? part->home + begin : job.sum + SUM_BYTES;
    job.bytes = (size_t)(step->bytes - begin < size ? step->bytes - begin : size);
    return job;
}

/* A job of part P that could be begun. */
static bool find_job(struct cw_mover *mover, uint32_t p, struct cw_job *out)
{
    struct part *part = &mover->parts[p];
    /* the sum comes where what is added is, and was */
    if (part->of_result && mover->adding[part->step->demand] > 0) return false;
    /* a slot is in use from the receive to the end of the send; one of an end of the stream while its chunk is under
     * way */
    const uint64_t freed = part->home ? part->in.ended : part->out.ended;
    if (part->in.begun < part->n_chunks && part->in.begun - freed < part->n_slots) {
        *out = job_of(mover, p, CW_JOB_RECEIVE, part->in.begun++);
        return true;
    }
    if (!part->home && part->told < part->out.ended && part->told + part->n_slots < part->n_chunks) {
        *out = job_of(mover, p, CW_JOB_ROOM, part->told = part->out.ended);
        return true;
    }
    if (part->out.begun < part->in.ended && part->out.begun < part->allowed &&
        part->out.begun - part->out.ended < (part->n_slots < CW_MOVER_AHEAD ? part->n_slots : CW_MOVER_AHEAD)) {
        *out = job_of(mover, p, CW_JOB_SEND, part->out.begun++);
        return true;
    }
    return false;
}

bool cw_mover_next(struct cw_mover *mover, struct cw_job *out)
{
    while (mover->head != CW_NONE) {
        const uint32_t p = mover->head;
        const bool found = find_job(mover, p, out);
        dequeue(mover);
        if (!found) continue;
        enqueue(mover, p);
        if (out->kind == CW_JOB_SEND && mover->parts[p].home) {
            const uint64_t sum = sum_of(mover, out);
            memcpy(out->sum, &sum, sizeof sum);
        }
        return true;
    }
    return false;
}

static void end_chunk(struct flow *flow, uint64_t chunk)
{
    flow->beyond |= UINT64_C(1) << (chunk - flow->ended);
    while (flow->beyond & 1) {
        flow->ended++;
        flow->beyond >>= 1;
    }
}

/* "chunk 3 of stream 1 (bytes 196608 to 262143 of demand 0, h0 to h2)" */
static int describe(const struct cw_mover *mover, const struct part *part, uint64_t chunk, char *text, size_t size)
{
    const struct cw_moves *moves = mover->moves;
    const struct cw_step *step = part->step;
    const struct cw_moves_demand *demand = &moves->demands[step->demand];
    const uint64_t begin = chunk * moves->chunk_bytes, left = step->bytes - begin;
    const uint64_t first = step->offset + begin, bytes = left < moves->chunk_bytes ? left : moves->chunk_bytes;
    return snprintf(text, size,
                    "chunk %" PRIu64 " of stream %u (bytes %" PRIu64 " to %" PRIu64 " of demand %u, %s to %s)", chunk,
                    step->stream, first, first + (bytes - 1), step->demand,
                    demand->src == CW_NONE ? "the sum" : moves->names[demand->src],
                    demand->dst != CW_NONE   ? moves->names[demand->dst]
                    : demand->src == CW_NONE ? "all"
                                             : "all others");
}

static int check_chunk(const struct cw_mover *mover, const struct cw_job *job)
{
    char chunk[256];
    uint64_t sum;
    memcpy(&sum, job->sum, sizeof sum);
    if (sum == sum_of(mover, job)) return 0;
    describe(mover, &mover->parts[job->part], job->chunk, chunk, sizeof chunk);
    return cw_fail(CW_EIO, "%s came corrupted to %s from %s", chunk, mover->moves->names[mover->rank],
                   mover->moves->names[job->peer]);
}

/* What part P has received can be sent by the parts of its stream that follow; what is combined, once all is. */
static void pass_on(struct cw_mover *mover, uint32_t p)
{
    const uint32_t stream = mover->parts[p].step->stream;
    uint64_t ended = mover->parts[p].in.ended;
    for (uint32_t q = first_of(mover, p); q < mover->n_parts && mover->parts[q].step->stream == stream; q++) {
        struct part *part = &mover->parts[q];
        if (part->step->kind != CW_STEP_SEND) {
            if (part->in.ended < ended) ended = part->in.ended;
            continue;
        }
        part->in.ended = ended;
        enqueue(mover, q);
    }
}

/* Adds JOB's numbers to the rank's own. */
static void combine(const struct cw_mover *mover, const struct cw_job *job)
{
    unsigned char *own = mover->parts[job->part].home + job->chunk * mover->moves->chunk_bytes;
    for (size_t i = 0; i < job->bytes; i += CW_MOVES_ELEMENT) {
        uint64_t sum, more;
        memcpy(&sum, own + i, CW_MOVES_ELEMENT);
        memcpy(&more, job->data + i, CW_MOVES_ELEMENT);
        sum += more;
        memcpy(own + i, &sum, CW_MOVES_ELEMENT);
    }
}

/* PART has done all that it had to do. Of what adds up a demand the last lets its sum be sent and received. */
static void finish(struct cw_mover *mover, const struct part *part)
{
    const uint32_t demand = part->step->demand;
    mover->n_unfinished--;
    if (mover->moves->demands[demand].src != CW_NONE || part->of_result || --mover->adding[demand] > 0) return;
    for (uint32_t q = 0; q < mover->n_parts; q++)
        if (mover->parts[q].of_result && mover->parts[q].step->demand == demand) enqueue(mover, q);
}

int cw_mover_done(struct cw_mover *mover, const struct cw_job *job)
{
    if (job->kind == CW_JOB_ROOM) return 0;
    struct part *part = &mover->parts[job->part];
    if (job->kind == CW_JOB_RECEIVE) {
        const int rc = check_chunk(mover, job);
        if (rc) return rc;
        if (part->step->kind == CW_STEP_COMBINE) combine(mover, job);
    }
    end_chunk(job->kind == CW_JOB_SEND ? &part->out : &part->in, job->chunk);
    if (part->in.ended == part->n_chunks && part->out.ended == part->n_chunks) finish(mover, part);
    enqueue(mover, job->part);
    if (job->kind == CW_JOB_RECEIVE) pass_on(mover, job->part);
    return 0;
}

int cw_mover_room(struct cw_mover *mover, uint32_t peer, uint32_t stream, uint64_t chunks)
{
    const struct cw_moves *moves = mover->moves;
    size_t step = cw_moves_find(moves, mover->rank, stream);
    const size_t end = step == SIZE_MAX ? step : cw_moves_end(moves, mover->rank, step);
    while (step < end && moves->steps[step].to != peer) step++;
    if (step == end || chunks > cw_moves_chunks(moves, moves->steps[step].bytes))
        return cw_fail(CW_EIO, "%s tells %s of room for chunks of stream %u that it does not get from there",
                       moves->names[peer], moves->names[mover->rank], stream);
    const uint32_t p = (uint32_t)(step - moves->first_step[mover->rank]);
    struct part *part = &mover->parts[p];
    const uint64_t allowed = chunks + room_of(moves);
    if (allowed > part->allowed) part->allowed = allowed < part->n_chunks ? allowed : part->n_chunks;
    enqueue(mover, p);
    return 0;
}

bool cw_mover_finished(const struct cw_mover *mover)
{
    return mover->n_unfinished == 0;
}

/* --- who waits for whom ------------------------------------------------------------------------------------------- */

const uint32_t *cw_mover_peers(const struct cw_mover *mover, uint32_t *n)
{
    *n = mover->n_peers;
    return mover->peers;
}

bool cw_mover_waits(const struct cw_mover *mover, uint32_t peer, char *detail, size_t size)
{
    char chunk[256];
    for (uint32_t p = 0; p < mover->n_parts; p++) {
        const struct part *part = &mover->parts[p];
        const char *what = NULL;
        if (part->step->from == peer && part->in.ended < part->in.begun) {
            describe(mover, part, part->in.ended, chunk, sizeof chunk);
            what = "is awaited from";
        } else if (part->step->to == peer && part->out.ended < part->out.begun) {
            describe(mover, part, part->out.ended, chunk, sizeof chunk);
            what = "is being sent to";
        } else if (part->step->to == peer && part->out.begun < part->in.ended && part->out.begun == part->allowed) {
            describe(mover, part, part->out.begun, chunk, sizeof chunk);
            what = "waits for room at";
        }
        if (!what) continue;
        snprintf(detail, size, "%s %s %s", chunk, what, mover->moves->names[peer]);
        return true;
    }
    return false;
}
