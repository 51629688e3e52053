#include "mpi/move/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/stopwatch.h"
#include "base/units.h"
#include "flow/moves/mover.h"
#include "mpi/move/move_wire.h"
#include "mpi/together.h"

#define LARGEST_CHUNK (UINT64_C(1) << 30) /* MPI counts with int */
#define BEATS         4                   /* in the time of patience */
#define FAREWELL      0.5                 /* s to tell others of a failure */

struct cw_move {
    struct cw_move_setup setup;
    uint32_t *ranks; /* [moves->n_ranks] */
    uint32_t self;   /* this rank's number in the moves; CW_NONE: it has none */
    struct wire wire;
    bool found;
    /* of a run */
    struct cw_mover *mover; /* NULL: this rank has no part */
    const uint32_t *peers;  /* [n_peers] of the moves */
    uint32_t n_peers;
    double *heard; /* [n_peers] when */
    double begin, end, beat;
};

/* --- making ------------------------------------------------------------------------------------------------------- */

static int check_setup(const struct cw_move *move)
{
    const struct cw_moves *moves = move->setup.moves;
    int *most, there;
    MPI_Comm_get_attr(move->wire.data, MPI_TAG_UB, &most, &there);
    if (moves->n_ranks > (uint32_t)move->wire.n)
        return cw_fail(CW_EUSAGE, "these moves are for %u ranks, and there are %d", moves->n_ranks, move->wire.n);
    if (moves->chunk_bytes > LARGEST_CHUNK)
        return cw_fail(CW_ELIMIT, "chunks of %llu bytes; expected at most 1 GiB",
                       (unsigned long long)moves->chunk_bytes);
    if (there && moves->n_streams > (uint32_t)*most)
        return cw_fail(CW_ELIMIT, "%u streams; this MPI has tags for %d", moves->n_streams, *most);
    return 0;
}

static int find_self(struct cw_move *move)
{
    const struct cw_moves *moves = move->setup.moves;
    move->ranks = cw_new_array(moves->n_ranks, sizeof *move->ranks, "ranks of moves");
    if (!move->ranks) return CW_ENOMEM;
    for (uint32_t r = 0; r < moves->n_ranks; r++) {
        move->ranks[r] = move->setup.ranks ? move->setup.ranks[r] : r;
        if (move->ranks[r] == (uint32_t)move->wire.rank) move->self = r;
    }
    move->wire.ranks = move->ranks;
    return 0;
}

int cw_move_new(const struct cw_move_setup *setup, struct cw_move **out)
{
    struct cw_move *move = cw_new_array(1, sizeof *move, "a move");
    if (!move) return CW_ENOMEM;
    move->setup = *setup;
    move->self = CW_NONE;
    if (!(setup->patience > 0)) move->setup.patience = CW_MOVE_PATIENCE;
    int rc = wire_open(&move->wire, setup->comm);
    if (rc) return rc; /* what MPI has of it is lost, as MPI is */
    rc = check_setup(move);
    if (!rc) rc = find_self(move);
    rc = ranks_agree_in(move->wire.data, rc);
    if (rc)
        cw_move_free(move);
    else
        *out = move;
    return rc;
}

void cw_move_free(struct cw_move *move)
{
    if (!move) return;
    wire_close(&move->wire);
    free(move->ranks);
    free(move);
}

/* --- others ------------------------------------------------------------------------------------------------------- */

static uint32_t peer_of(const struct cw_move *move, int rank)
{
    for (uint32_t i = 0; i < move->n_peers; i++)
        if (move->ranks[move->peers[i]] == (uint32_t)rank) return i;
    return CW_NONE;
}

static int take_note(struct cw_move *move, const struct note *note, int rank, double now)
{
    const uint32_t peer = peer_of(move, rank);
    if (peer != CW_NONE) move->heard[peer] = now;
    if (note->kind == NOTE_FAILURE) {
        move->found = false;
        return cw_fail(note->code, "%s", note->text);
    }
    if (note->kind == NOTE_ROOM && peer != CW_NONE)
        return cw_mover_room(move->mover, move->peers[peer], note->stream, note->chunks);
    return 0;
}

static int take_notes(struct cw_move *move, bool *any)
{
    struct note note;
    int rank, rc = wire_listen(&move->wire, &note, &rank);
    while (!rc && rank >= 0) {
        *any = true;
        rc = take_note(move, &note, rank, cw_stopwatch_now());
        if (!rc) rc = wire_listen(&move->wire, &note, &rank);
    }
    return rc;
}

static int send_beats(struct cw_move *move, double now)
{
    const struct note note = {.kind = NOTE_BEAT};
    int rc = 0;
    if (now < move->beat) return 0;
    move->beat = now + move->setup.patience / BEATS;
    for (uint32_t i = 0; i < move->n_peers && !rc; i++)
        rc = wire_note(&move->wire, (int)move->ranks[move->peers[i]], &note);
    return rc;
}

/* A rank that something is awaited from, and that is silent, is an error. Once this rank has done its part it awaits
 * that all others have. */
static int check_peers(struct cw_move *move, double now)
{
    const struct cw_moves *moves = move->setup.moves;
    /* one after the other, so that the first to find out tells the others before they do */
    const double patience = move->setup.patience * (1 + 0.1 * move->wire.rank / move->wire.n);
    char detail[NOTE_TEXT / 2] = "its end is awaited", time[32];
    for (uint32_t i = 0; i < move->n_peers; i++) {
        const uint32_t peer = move->peers[i];
        if (now - move->heard[i] < patience) continue;
        if (!cw_mover_waits(move->mover, peer, detail, sizeof detail) && !cw_mover_finished(move->mover)) continue;
        return cw_fail(CW_EIO, "%s (rank %u) has not answered %s for %s: %s", moves->names[peer], move->ranks[peer],
                       moves->names[move->self], cw_format_time(move->setup.patience, time, sizeof time), detail);
    }
    return 0;
}

/* Tells all ranks of this one's failure. */
static void tell_failure(struct cw_move *move, int rc)
{
    struct note note = {.kind = NOTE_FAILURE, .code = rc};
    const double deadline = cw_stopwatch_now() + FAREWELL;
    int told = 0, done = 0;
    snprintf(note.text, sizeof note.text, "%s", cw_error_message());
    move->found = true;
    const int first = move->wire.n_requests;
    for (int r = 0; r < move->wire.n && !told; r++)
        if (r != move->wire.rank) told = wire_note(&move->wire, r, &note);
    for (int i = first; i < move->wire.n_requests && cw_stopwatch_now() < deadline; i += done) {
        if (MPI_Test(&move->wire.requests[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
        if (!done) cw_wait_idle(CW_WAIT_SLEEP, deadline - FAREWELL);
    }
    cw_fail(rc, "%s", note.text);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static int begin_run(struct cw_move *move, void *const *data)
{
    int rc = 0;
    if (move->self != CW_NONE) rc = cw_mover_new(move->setup.moves, move->self, data, &move->mover);
    if (!rc && move->mover) {
        move->peers = cw_mover_peers(move->mover, &move->n_peers);
        move->heard = cw_new_array((size_t)move->n_peers + 1, sizeof *move->heard, "peers of a rank");
        if (!move->heard) rc = CW_ENOMEM;
    }
    move->begin = cw_stopwatch_now();
    move->beat = move->begin + move->setup.patience / BEATS;
    for (uint32_t i = 0; i < move->n_peers && !rc; i++) move->heard[i] = move->begin;
    return rc;
}

static void end_run(struct cw_move *move)
{
    cw_mover_free(move->mover);
    free(move->heard);
    move->mover = NULL;
    move->heard = NULL;
    move->peers = NULL;
    move->n_peers = 0;
}

/* Begins what can be begun, and ends what has ended. */
static int go_on(struct cw_move *move, bool *any)
{
    struct cw_job job;
    int rc = 0;
    while (!rc && move->mover && cw_mover_next(move->mover, &job)) {
        *any = true;
        rc = wire_post(&move->wire, &job);
    }
    if (!rc) rc = wire_progress(&move->wire, move->mover, any);
    return rc ? rc : take_notes(move, any);
}

static bool is_finished(const struct cw_move *move)
{
    return (!move->mover || cw_mover_finished(move->mover)) && move->wire.n_requests == 0;
}

/* Carries out this rank's part, and then answers others until all have done theirs. */
static int carry_out(struct cw_move *move)
{
    MPI_Request barrier = MPI_REQUEST_NULL;
    double since = move->begin;
    bool finished = false;
    for (int all = 0; !all;) {
        bool any = false;
        int rc = go_on(move, &any);
        if (!rc && !finished && is_finished(move)) {
            finished = true;
            move->end = cw_stopwatch_now();
            rc = wire_check(MPI_Ibarrier(move->wire.notes, &barrier), "meet others");
        }
        if (!rc && finished) rc = wire_check(MPI_Test(&barrier, &all, MPI_STATUS_IGNORE), "meet others");
        all = all && move->wire.n_requests == 0; /* beats */
        const double now = cw_stopwatch_now();
        if (!rc && !all) rc = send_beats(move, now); /* also of a rank that is never idle */
        if (!rc && !any && !all) {
            rc = check_peers(move, now);
            if (!rc) rc = cw_interrupt_check();
            if (!rc) cw_wait_idle(move->setup.wait, since);
        } else {
            since = now;
        }
        if (rc) return rc;
    }
    return 0;
}

int cw_move_run(struct cw_move *move, void *const *data, double *seconds)
{
    move->found = true; /* unless told otherwise */
    int rc = begin_run(move, data);
    if (!rc) rc = carry_out(move);
    if (rc && move->found) tell_failure(move, rc);
    if (!rc) *seconds = move->end - move->begin;
    if (!rc) end_run(move);
    return rc;
}

bool cw_move_found(const struct cw_move *move)
{
    return move->found;
}
