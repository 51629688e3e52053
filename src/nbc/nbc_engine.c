/* Posting, taking pieces, finishing them, waiting. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "nbc/nbc_segment_internal.h"
#include "nbc/nbc_tree.h"

/* A strand for each rank; else all ranks share one. */
static bool has_strands(const struct cw_nbc_work *work)
{
    if (work->relayed) return false;
    return is_apart(work->collective) || is_tree(work);
}

static struct operation operation_at(struct cw_nbc_node *node, uint32_t comm, uint64_t number)
{
    return (struct operation){node, comm, comm_at(node, comm)->n, slot_at(node, comm, number),
                              posts_at(node, comm, number)};
}

static uint32_t chunks_of_strand(const struct operation *o, uint32_t rank)
{
    return is_tree(&o->slot->work) ? cw_nbc_strand_chunks(o, rank) : o->slot->n_chunks;
}

bool cw_nbc_has_start(const struct cw_nbc_work *work)
{
    return is_tree(work) && !cw_collectives[work->collective].root_gives;
}

/* What is of no strand's business: the root's own vector, and its block where it has that already. */
static bool has_nothing_to_do(const struct cw_nbc_work *work, const struct cw_nbc_part *part, uint32_t rank)
{
    if (work->collective == CW_COLLECTIVE_BCAST && part->absent) return true;
    return rank == work->root && (!cw_collective_has_blocks(work->collective) || part->in_place);
}

static void mark_done(struct post *post, const struct slot *slot)
{
    post->error = slot->error;
    post->error_rank = slot->error_rank;
    post->done = (uint32_t)(slot->number + 1);
    ring(post);
}

static bool is_done(const struct post *post, uint64_t number)
{
    return (int32_t)(post->done - (uint32_t)(number + 1)) >= 0;
}

/* Leaves the slot to the next operation. */
static void retire(const struct operation *o)
{
    struct slot *slot = o->slot;
    for (uint32_t rank = 0; rank < o->n; rank++) {
        if (!is_done(&o->posts[rank], slot->number)) mark_done(&o->posts[rank], slot);
        o->posts[rank].posted = false;
        o->posts[rank].strand = (struct strand){0};
    }
    slot->strand = (struct strand){0};
    slot->told = false;
    slot->n_posted = slot->n_finished = 0;
    comm_at(o->node, o->comm)->active &= ~(1ull << slot->number % CW_NBC_RING);
    slot->retired = slot->number + 1;
}

/* In a tree others need what has arrived. */
static void finish_strand(const struct operation *o, uint32_t rank)
{
    struct slot *slot = o->slot;
    slot->n_finished++;
    if (rank != slot->work.root && !is_tree(&slot->work)) mark_done(&o->posts[rank], slot);
    if (slot->n_finished == o->n) retire(o);
}

static void begin(const struct operation *o, uint64_t number, const struct cw_nbc_work *work)
{
    struct slot *slot = o->slot;
    struct comm *comm = comm_at(o->node, o->comm);
    slot->number = number;
    slot->work = *work;
    slot->n_chunks = cw_nbc_chunks(work, o->n);
    slot->error = 0;
    comm->active |= 1ull << number % CW_NBC_RING;
    comm->latest = number;
}

/* --- ranks that do not ask for the same -------------------------------------------------------------------------- */

struct cw_nbc_said *cw_nbc_said_of(const struct cw_nbc_node *node, uint32_t comm, uint32_t me)
{
    const struct comm *here = comm_at(node, comm);
    char *said = node->heap + here->block + members_bytes(here->room) + CW_NBC_RING * here->room * sizeof(struct post);
    return (struct cw_nbc_said *)(void *)said + me;
}

const _Atomic uint64_t *cw_nbc_broken(const struct cw_nbc_node *node, uint32_t comm)
{
    return &comm_at(node, comm)->broken;
}

_Atomic uint32_t *cw_nbc_alarm(const struct cw_nbc_node *node, uint32_t rank)
{
    return &node->doors[rank].alarm;
}

/* What RANK left to MPI by its call INDEX. Nobody keeps it from going on meanwhile. */
static bool has_left(const struct cw_nbc_node *node, uint32_t comm, uint32_t rank, uint64_t index,
                     struct cw_nbc_asked *out)
{
    const struct cw_nbc_said *said = cw_nbc_said_of(node, comm, rank);
    const uint64_t calls = atomic_load_explicit(&said->calls, memory_order_acquire);
    if (calls <= index || calls - index > CW_NBC_SAID) return false;
    *out = said->left[index % CW_NBC_SAID];
    atomic_thread_fence(memory_order_acquire);
    return said->calls - index <= CW_NBC_SAID;
}

bool cw_nbc_left_call(const struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t index,
                      struct cw_nbc_asked *out)
{
    for (uint32_t rank = 0; rank < comm_at(node, comm)->n; rank++)
        if (rank != me && has_left(node, comm, rank, index, out)) return true;
    return false;
}

/* All that have made their call INDEX without us. */
static void raise_alarms(const struct operation *o, uint64_t index)
{
    for (uint32_t rank = 0; rank < o->n; rank++) {
        struct cw_nbc_said *said = cw_nbc_said_of(o->node, o->comm, rank);
        if (o->posts[rank].posted || said->calls <= index) continue;
        said->alarm = 1;
        *cw_nbc_alarm(o->node, host_rank(o, rank)) = 1;
    }
}

/* Keeps the first NOTE, of operation NUMBER. INDEX: of the call that was left to MPI. */
static void keep_clash(const struct operation *o, uint64_t number, const struct cw_nbc_clash_note *note, uint64_t index)
{
    struct comm *comm = comm_at(o->node, o->comm);
    cw_nbc_acquire(&comm->lock);
    if (!comm->broken) {
        comm->clash = *note;
        comm->clashed = number + 1;
        if (note->left) comm->broken = index + 1;
    }
    cw_nbc_release(&comm->lock);
    if (note->left) raise_alarms(o, index);
}

/* All that have posted it hear at once; others when they do. */
static void fail(const struct operation *o, const struct cw_nbc_clash_note *note, uint64_t index)
{
    struct slot *slot = o->slot;
    slot->error = -(int)note->clash;
    keep_clash(o, slot->number, note, index);
    for (uint32_t rank = 0; rank < o->n; rank++)
        if (o->posts[rank].posted) mark_done(&o->posts[rank], slot);
}

bool cw_nbc_clash_of(const struct cw_nbc_node *node, uint32_t place, uint64_t number, struct cw_nbc_clash_note *out)
{
    struct comm *comm = comm_at(node, place);
    cw_nbc_acquire(&comm->lock);
    const bool known = comm->broken || comm->clashed == number + 1;
    if (known) *out = comm->clash;
    cw_nbc_release(&comm->lock);
    return known;
}

/* The two posted one operation by calls that are not the same: by the one that came first for one of them, the other
 * left something to MPI. */
static void fail_of_order(const struct operation *o, const struct cw_nbc_part *one, const struct cw_nbc_part *other)
{
    const struct cw_nbc_part *first = one->index < other->index ? one : other, *last = first == one ? other : one;
    struct cw_nbc_clash_note note = {CW_NBC_OTHER_SIDE, true, first->asked, last->asked};
    for (uint32_t rank = 0; rank < o->n; rank++)
        if (&o->posts[rank].part == last) has_left(o->node, o->comm, rank, first->index, &note.b);
    const enum cw_nbc_clash clash = cw_nbc_asked_compare(&note.a, &note.b);
    if (clash) note.clash = clash;
    fail(o, &note, first->index);
}

/* Holds what ME has just posted against what others have. */
static void compare(const struct operation *o, uint32_t me)
{
    const struct cw_nbc_part *own = &o->posts[me].part, *other = own;
    for (uint32_t rank = 0; rank < o->n && other == own; rank++)
        if (o->posts[rank].posted) other = &o->posts[rank].part;
    struct cw_nbc_clash_note note = {.a = own->asked, .b = own->asked};
    note.clash = cw_nbc_asked_compare(&own->asked, &own->asked); /* what it gives itself, and takes */
    if (!note.clash && own->index != other->index) {
        fail_of_order(o, own, other);
        return;
    }
    if (!note.clash) {
        note.a = other->asked;
        note.clash = cw_nbc_asked_compare(&note.a, &note.b);
    }
    if (note.clash) fail(o, &note, 0);
}

void cw_nbc_say_aside(struct cw_nbc_node *node, uint32_t me, uint64_t key, uint64_t calls, uint32_t rank,
                      uint8_t collective)
{
    struct door *door = &node->doors[me];
    if (atomic_exchange_explicit(&door->aside.busy, 1, memory_order_acquire)) return; /* another thread is at it */
    atomic_store_explicit(&door->aside.key, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&door->aside.calls, calls, memory_order_relaxed);
    atomic_store_explicit(&door->aside.rank, rank, memory_order_relaxed);
    atomic_store_explicit(&door->aside.collective, collective, memory_order_relaxed);
    atomic_store_explicit(&door->aside.key, key, memory_order_release);
    atomic_store_explicit(&door->aside.busy, 0, memory_order_release);
}

/* Whether RANK of the host, which has not joined the communicator KEY, has made its call INDEX; *OUT: what that was. */
static bool has_said_aside(const struct cw_nbc_node *node, uint32_t rank, uint64_t key, uint64_t index,
                           struct cw_nbc_asked *out)
{
    const struct door *door = &node->doors[rank];
    if (atomic_load_explicit(&door->aside.key, memory_order_acquire) != key) return false;
    const uint64_t calls = atomic_load_explicit(&door->aside.calls, memory_order_relaxed);
    out->rank = atomic_load_explicit(&door->aside.rank, memory_order_relaxed);
    if (calls == index + 1) out->collective = (uint8_t)door->aside.collective;
    atomic_thread_fence(memory_order_acquire);
    return calls > index && atomic_load_explicit(&door->aside.key, memory_order_relaxed) == key;
}

/* Whether RANK has made its call INDEX; *OUT: what that was, if it was left to MPI not long ago. */
static bool has_called(const struct operation *o, uint32_t rank, uint64_t index, struct cw_nbc_asked *out)
{
    const struct cw_nbc_said *said = cw_nbc_said_of(o->node, o->comm, rank);
    *out = (struct cw_nbc_asked){.rank = rank, .collective = CW_NBC_UNKNOWN};
    if (atomic_load_explicit(&said->calls, memory_order_acquire) <= index)
        return has_said_aside(o->node, host_rank(o, rank), comm_at(o->node, o->comm)->key, index, out);
    has_left(o->node, o->comm, rank, index, out);
    return true;
}

/* NOTE->b was left to MPI, for which who asks for NOTE->a waits. */
static void note_left(struct cw_nbc_clash_note *note)
{
    note->clash = CW_NBC_OTHER_SIDE;
    if (note->b.collective != CW_NBC_UNKNOWN) note->clash = cw_nbc_asked_compare(&note->a, &note->b);
    if (!note->clash) note->clash = CW_NBC_OTHER_SIDE;
    note->left = true;
}

/* The first rank that has not posted operation NUMBER and made its call INDEX all the same. */
static bool find_left(const struct operation *o, uint64_t number, uint64_t index, struct cw_nbc_clash_note *note)
{
    for (uint32_t rank = 0; rank < o->n; rank++) {
        if (o->posts[rank].posted || !has_called(o, rank, index, &note->b)) continue;
        if (cw_nbc_said_of(o->node, o->comm, rank)->next > number) continue; /* it had no room yet */
        note_left(note);
        return true;
    }
    return false;
}

void cw_nbc_watch(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number)
{
    const struct operation o = operation_at(node, comm, number);
    const struct cw_nbc_part *part = &o.posts[me].part;
    const uint64_t broken = comm_at(node, comm)->broken;
    cw_nbc_acquire(&o.slot->lock);
    const bool waits = o.slot->n_posted > 0 && o.slot->number == number && o.slot->n_posted < o.n && !o.slot->error;
    struct cw_nbc_clash_note note = {.a = part->asked};
    if (waits && ((broken && part->index >= broken - 1 && cw_nbc_clash_of(node, comm, number, &note)) ||
                  find_left(&o, number, part->index, &note)))
        fail(&o, &note, part->index);
    cw_nbc_release(&o.slot->lock);
}

/* No rank of the host has joined the communicator KEY. */
static bool find_left_aside(const struct cw_nbc_node *node, uint64_t key, uint64_t index,
                            struct cw_nbc_clash_note *note)
{
    for (uint32_t rank = 0; rank < node->segment->n_ranks; rank++) {
        note->b = (struct cw_nbc_asked){.collective = CW_NBC_UNKNOWN};
        if (!has_said_aside(node, rank, key, index, &note->b)) continue;
        note_left(note);
        return true;
    }
    return false;
}

/* All ranks of COMM have begun operation NUMBER, or are about to. */
static bool is_begun(const struct operation *o, uint64_t number)
{
    uint32_t rank = 0;
    while (rank < o->n && cw_nbc_said_of(o->node, o->comm, rank)->next > number) rank++;
    return rank == o->n || (o->slot->n_posted > 0 && o->slot->number == number);
}

/* The node's lock keeps the place from being another communicator's meanwhile. */
static enum cw_nbc_turn find_turn(struct cw_nbc_node *node, uint64_t key, uint64_t number, uint64_t index,
                                  struct cw_nbc_clash_note *note)
{
    uint32_t place = 0;
    while (place < node->segment->n_comms && comm_at(node, place)->key != key) place++;
    if (place == node->segment->n_comms)
        return find_left_aside(node, key, index, note) ? CW_NBC_LEFT_BY_US : CW_NBC_TO_COME;
    const struct operation o = operation_at(node, place, number);
    enum cw_nbc_turn turn = CW_NBC_TO_COME;
    cw_nbc_acquire(&o.slot->lock);
    if (is_begun(&o, number)) turn = CW_NBC_BEGUN;
    if (turn == CW_NBC_TO_COME && find_left(&o, number, index, note)) {
        turn = CW_NBC_LEFT_BY_US;
        if (!comm_at(node, place)->broken) keep_clash(&o, number, note, index); /* else its ranks know */
    }
    cw_nbc_release(&o.slot->lock);
    return turn;
}

enum cw_nbc_turn cw_nbc_relay_turn(struct cw_nbc_node *node, uint64_t key, uint64_t number, uint64_t index,
                                   struct cw_nbc_clash_note *note)
{
    cw_nbc_acquire(&node->segment->lock);
    const enum cw_nbc_turn turn = find_turn(node, key, number, index, note);
    cw_nbc_release(&node->segment->lock);
    return turn;
}

/* --- posting ----------------------------------------------------------------------------------------------------- */

/* All are here and ask for the same: now bytes may move. */
static void open_strands(const struct operation *o)
{
    struct slot *slot = o->slot;
    if (!has_strands(&slot->work)) return;
    for (uint32_t rank = 0; rank < o->n; rank++) {
        struct strand *strand = &o->posts[rank].strand;
        if (!has_nothing_to_do(&slot->work, &o->posts[rank].part, rank)) continue;
        strand->finished = strand->front = slot->n_chunks;
        finish_strand(o, rank);
    }
    if (is_tree(&slot->work) && slot->n_posted > 0) cw_nbc_rouse(o);
}

void cw_nbc_post(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, const struct cw_nbc_work *work,
                 const struct cw_nbc_part *part, bool *posted)
{
    const struct operation o = operation_at(node, comm, number);
    struct slot *slot = o.slot;
    cw_nbc_acquire(&slot->lock);
    *posted = number < CW_NBC_RING || slot->retired == number - CW_NBC_RING + 1;
    if (*posted) {
        if (slot->n_posted++ == 0) begin(&o, number, work);
        o.posts[me].part = *part;
        o.posts[me].posted = true;
        if (slot->error)
            mark_done(&o.posts[me], slot);
        else
            compare(&o, me);
        const bool all = slot->n_posted == o.n;
        if (all && !slot->error) open_strands(&o);
        if (all && slot->error && (!work->relayed || slot->told)) retire(&o); /* else the relay tells others first */
    }
    cw_nbc_release(&slot->lock);
    if (*posted) cw_nbc_tell(node);
}

/* --- pieces ------------------------------------------------------------------------------------------------------ */

/* Chunks of STRAND that workers may take from the front. */
static bool has_front(const struct slot *slot, const struct strand *strand)
{
    if (strand->front + strand->back >= slot->n_chunks) return false;
    return slot->work.schedule != CW_NBC_SLICES || strand->front < slot->work.fraction * slot->n_chunks;
}

static bool have_front(const struct operation *o, const struct piece *piece)
{
    for (uint32_t i = 0; i < piece->n_strands; i++)
        if (!has_front(o->slot, &o->posts[piece->strands[i]].strand)) return false;
    return true;
}

/* Chunks that a worker takes at once, from CHUNK on: a batch where agents are woken for each piece, but no more than
 * its share. */
static uint32_t batch_of(const struct operation *o, uint32_t chunk)
{
    const struct slot *slot = o->slot;
    const uint32_t workers = o->node->segment->n_workers, share = (slot->n_chunks + workers - 1) / workers;
    const uint32_t message = cw_nbc_message_chunks(&slot->work), rest = message - chunk % message;
    const uint32_t batch = CW_NBC_BATCH / slot->work.chunk, most = share < rest ? share : rest;
    return !o->node->agents ? 1 : batch < most ? batch : most;
}

/* For a worker: the chunk that most of the ranks lack; broadcasts serve all who lack it. */
static bool take_front(const struct operation *o, struct piece *piece)
{
    const struct slot *slot = o->slot;
    uint32_t front = UINT32_MAX;
    piece->n_strands = 0;
    for (uint32_t rank = 0; rank < o->n; rank++) {
        const struct post *post = &o->posts[rank];
        if (post->posted && has_front(slot, &post->strand) && post->strand.front < front) front = post->strand.front;
    }
    const uint32_t fan = cw_collective_has_blocks(slot->work.collective) ? 1 : FAN;
    for (uint32_t rank = 0; rank < o->n && front < UINT32_MAX && piece->n_strands < fan; rank++) {
        struct post *post = &o->posts[rank];
        if (!post->posted || post->strand.front != front || !has_front(slot, &post->strand)) continue;
        post->strand.front++;
        piece->strands[piece->n_strands++] = rank;
    }
    piece->chunk = front;
    piece->n_chunks = 1;
    if (piece->n_strands == 0) return false;
    for (const uint32_t most = batch_of(o, front); piece->n_chunks < most && have_front(o, piece); piece->n_chunks++)
        for (uint32_t i = 0; i < piece->n_strands; i++) o->posts[piece->strands[i]].strand.front++;
    return true;
}

/* For the rank ME: from the back of its own strand, else of another's. */
static bool take_back(const struct operation *o, uint32_t me, struct piece *piece)
{
    for (uint32_t i = 0; i < o->n; i++) {
        const uint32_t rank = (me + i) % o->n;
        struct post *post = &o->posts[rank];
        if (!post->posted || post->strand.front + post->strand.back >= o->slot->n_chunks) continue;
        piece->chunk = o->slot->n_chunks - ++post->strand.back;
        piece->n_chunks = piece->n_strands = 1;
        piece->strands[0] = rank;
        return true;
    }
    return false;
}

/* All ranks have posted: the next chunk of all. */
static bool take_shared(const struct operation *o, bool worker, struct piece *piece)
{
    struct slot *slot = o->slot;
    struct strand *strand = &slot->strand;
    if (worker ? !has_front(slot, strand) : strand->front + strand->back >= slot->n_chunks) return false;
    piece->chunk = worker ? strand->front++ : slot->n_chunks - ++strand->back;
    piece->n_strands = 0;
    piece->n_chunks = 1;
    if (!worker) return true;
    for (const uint32_t most = batch_of(o, piece->chunk); piece->n_chunks < most && has_front(slot, strand);
         strand->front++)
        piece->n_chunks++;
    return true;
}

static bool take(const struct cw_nbc_executor *executor, const struct operation *o, uint32_t me, struct piece *piece)
{
    const struct cw_nbc_work *work = &o->slot->work;
    const bool worker = executor->core != UINT32_MAX;
    if (work->relayed || o->slot->n_posted < o->n) return false; /* what others ask for is not known yet */
    if (is_tree(work)) return cw_nbc_take_edge(executor, o, me, piece);
    if (!is_apart(work->collective)) return take_shared(o, worker, piece);
    return worker ? take_front(o, piece) : take_back(o, me, piece);
}

static void finish(const struct operation *o, const struct piece *piece, int error, uint32_t error_rank)
{
    struct slot *slot = o->slot;
    if (error && !slot->error) {
        slot->error = error;
        slot->error_rank = error_rank;
    }
    if (piece->n_strands == 0 && (slot->strand.finished += piece->n_chunks) == slot->n_chunks) retire(o);
    for (uint32_t i = 0; i < piece->n_strands; i++) {
        struct strand *strand = &o->posts[piece->strands[i]].strand;
        strand->busy = false;
        strand->finished += piece->n_chunks;
        if (strand->finished == chunks_of_strand(o, piece->strands[i])) finish_strand(o, piece->strands[i]);
    }
}

/* Emulation: the core is busy as long as if bytes were moved. */
static void hold(const struct operation *o, const struct piece *piece)
{
    const struct slot *slot = o->slot;
    const double shared = (cw_collective_is_rooted(slot->work.collective) ? 1 : 2) * (o->n - 1);
    const double share = is_tree(&slot->work) ? 1 : piece->n_strands > 0 ? piece->n_strands : shared;
    const double seconds = o->node->delay * share * piece->n_chunks / slot->n_chunks;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double last = (double)end.tv_nsec + 1e9 * (seconds - floor(seconds));
    end.tv_sec += (time_t)floor(seconds) + (last >= 1e9);
    end.tv_nsec = (long)(last >= 1e9 ? last - 1e9 : last);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {
    }
}

/* Whatever operation is in the slot, or only NUMBER. Until the lock is held, another communicator may come to that
 * place, with another number of ranks; an operation keeps its own there. */
static bool advance(const struct cw_nbc_executor *executor, struct operation *o, uint32_t me, const uint64_t *number)
{
    struct piece piece;
    uint32_t error_rank = 0;
    cw_nbc_acquire(&o->slot->lock);
    const bool here = o->slot->n_posted > 0 && (!number || o->slot->number == *number);
    if (here) o->n = comm_at(o->node, o->comm)->n;
    if (here) o->posts = posts_at(o->node, o->comm, o->slot->number);
    const bool taken = here && take(executor, o, me, &piece);
    cw_nbc_release(&o->slot->lock);
    if (!taken) return false;

    const bool tree = is_tree(&o->slot->work); /* the slot is another's once the last piece is finished */
    int error = 0;
    if (o->node->delay > 0)
        hold(o, &piece);
    else
        error = (tree ? cw_nbc_execute_edge : cw_nbc_execute)(executor, o, &piece, &error_rank);
    cw_nbc_acquire(&o->slot->lock);
    finish(o, &piece, error, error_rank);
    if (tree && o->slot->n_posted > 0) cw_nbc_rouse(o);
    cw_nbc_release(&o->slot->lock);
    if (tree) cw_nbc_tell(o->node); /* edges may begin that workers are to execute */
    return true;
}

bool cw_nbc_advance(const struct cw_nbc_executor *executor, uint32_t comm, uint32_t me, uint64_t number)
{
    struct operation o = operation_at(executor->node, comm, number);
    if (o.node->agents) cw_nbc_run_errands(o.node, host_rank(&o, me));
    return advance(executor, &o, me, &number);
}

bool cw_nbc_serve(const struct cw_nbc_executor *executor, uint32_t comm, uint64_t slot)
{
    struct operation o = {executor->node, comm, 0, slot_at(executor->node, comm, slot), NULL};
    return advance(executor, &o, 0, NULL);
}

void cw_nbc_relay_fail(struct cw_nbc_node *node, uint32_t comm, uint64_t number, const struct cw_nbc_clash_note *note)
{
    const struct operation o = operation_at(node, comm, number);
    uint32_t rank = 0;
    cw_nbc_acquire(&o.slot->lock);
    while (rank + 1 < o.n && !o.posts[rank].posted) rank++;
    if (!o.slot->error) fail(&o, note, o.posts[rank].part.index);
    o.slot->told = true;
    if (o.slot->n_posted == o.n) retire(&o);
    cw_nbc_release(&o.slot->lock);
}

void cw_nbc_relay_end(struct cw_nbc_node *node, uint32_t comm, uint64_t number, int error, uint32_t error_rank)
{
    const struct operation o = operation_at(node, comm, number);
    cw_nbc_acquire(&o.slot->lock);
    o.slot->error = error;
    o.slot->error_rank = error_rank;
    retire(&o);
    cw_nbc_release(&o.slot->lock);
}

static int fail_of_clash(const struct cw_nbc_node *node, uint32_t comm, uint64_t number)
{
    struct cw_nbc_clash_note note;
    if (!cw_nbc_clash_of(node, comm, number, &note)) return cw_fail(CW_EUSAGE, "ranks call different collectives");
    return cw_nbc_fail_of_clash(&note);
}

int cw_nbc_poll(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, bool *done)
{
    const struct post *post = &posts_at(node, comm, number)[me];
    *done = is_done(post, number);
    if (!*done || !post->error) return 0;
    if (post->error < 0) return fail_of_clash(node, comm, number);
    return cw_fail(
        CW_EIO, "a nonblocking collective could not reach a buffer of rank %u: %s%s", post->error_rank,
        strerror(post->error),
        post->error == EFAULT ? "; it is not there, or it is memory of a device, which the library cannot use" : "");
}

uint32_t cw_nbc_bell(const struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number)
{
    return posts_at(node, comm, number)[me].bell;
}

double cw_nbc_nap(unsigned round, bool crowded)
{
    const unsigned spins = crowded ? 1 : 1000;
    if (round < spins) return 0;
    return round - spins < 4 ? 50e-6 * (1 << (round - spins)) : 1e-3;
}

void cw_nbc_sleep(struct cw_nbc_node *node, uint32_t comm, uint32_t me, uint64_t number, uint32_t bell, double seconds)
{
    struct post *post = &posts_at(node, comm, number)[me];
    post->waiting = 1;
    if (post->bell == bell) cw_nbc_futex_wait(&post->bell, bell, seconds);
    post->waiting = 0;
}
