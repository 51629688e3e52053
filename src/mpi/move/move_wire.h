/*
 * The messages of cw_move: chunks, by a mover's jobs, and notes between ranks, all of them nonblocking. Private to
 * mpi/move/.
 */
#ifndef CW_MPI_MOVE_WIRE_H
#define CW_MPI_MOVE_WIRE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/moves/mover.h"

#define NOTE_TEXT 400

/* ROOM: the sender has sent on `chunks` of `stream`. BEAT: it is there. FAILURE: it has found `code`, `text`. */
enum note_kind { NOTE_ROOM, NOTE_BEAT, NOTE_FAILURE };

struct note {
    uint64_t chunks;
    uint32_t kind, stream;
    int32_t code;
    char text[NOTE_TEXT]; /* only of a failure is it sent */
};

/* What is under way: a job of the mover, or a note that is being sent. */
struct post {
    struct cw_job job;
    struct note note;
    struct post *next; /* of those that are free */
};

struct wire {
    MPI_Comm data, notes;  /* copies of the user's */
    int rank, n;           /* in both */
    const uint32_t *ranks; /* [moves->n_ranks] */
    struct post **posts;   /* [n_requests] */
    MPI_Request *requests;
    int *ended; /* [capacity] for MPI_Testsome, as what follows */
    MPI_Status *statuses;
    int n_requests;
    size_t capacity;
    struct post *free_posts;
    MPI_Request listening; /* for any rank's note */
    struct note heard;
};

/* Collective. What MPI refuses is CW_EIO, with its reason. */
int wire_open(struct wire *wire, MPI_Comm comm);
void wire_close(struct wire *wire); /* collective; all that was posted must have ended */

/* Begins to send or to receive JOB's chunk, or to send its note of room. */
int wire_post(struct wire *wire, const struct cw_job *job);

/* Begins to send NOTE to RANK of the communicator. */
int wire_note(struct wire *wire, int rank, const struct note *note);

/* Tells MOVER of what has ended; *ANY is true if that was something. */
int wire_progress(struct wire *wire, struct cw_mover *mover, bool *any);

/* A note that has come, and who sent it; *rank is -1 if there is none. */
int wire_listen(struct wire *wire, struct note *note, int *rank);

int wire_check(int code, const char *what); /* 0, or CW_EIO if CODE is an error of MPI */

#endif
