/*
 * The ranks of MPI_COMM_WORLD as one program (cli/program.h): how they agree, wait for each other, and end together.
 *
 * Agreeing: each rank brings 0 or its error, and all leave with the same: 0, or the error of the lowest rank that has
 * one, with that rank's message. Where only some have failed, the message begins with the rank and its host, unless it
 * is an interruption: who sends signals means the program. All of these are collective.
 *
 * Ending: a rank that others do not answer any more cannot agree with them. It leaves, and what it has come to is its
 * own; in the end it takes all others with it.
 */
#ifndef CW_MPI_TOGETHER_H
#define CW_MPI_TOGETHER_H

#include <mpi.h>
#include <stdbool.h>

#include "cli/program.h"
#include "mpi/wait_mode.h"

/* Those of this process; between MPI_Init and MPI_Finalize. */
struct ranks {
    struct program_ranks program; /* first */
    MPI_Comm comm;                /* a copy of MPI_COMM_WORLD, for what is said here and for blocking collectives */
    int rc;                       /* what was agreed on for good: 0 so far, or the error of all */
    bool stops;                   /* all have agreed to stop, for a signal (ranks_agree_or_stop) */
    bool alone;                   /* this rank has left (ranks_leave) */
};

/* Collective. */
int ranks_begin(struct ranks *ranks);

/* Collective; but if this rank has left, it ends all with exit status STATUS instead, and does not return: rank 0 at
 * once, others when it has had time to write what there is. */
void ranks_end(struct ranks *ranks, int status);

/* The struct ranks of a verb's invocation. */
struct ranks *ranks_of(const struct program_ranks *program);

/* --- agreeing ----------------------------------------------------------------------------------------------------- */

/* Agrees for good, as program_ranks.agree states: once there is an error, later calls return it and wait for nobody. */
int ranks_agree(struct ranks *ranks, int rc);

/* The same among the ranks of COMM alone, by their numbers there, and not for good. */
int ranks_agree_in(MPI_Comm comm, int rc);

/* The same where the ranks that have an error have agreed on it before, or where it is not about the lowest of them:
 * the message stays as it is there. Not for good. */
int ranks_pass_on(struct ranks *ranks, int rc);

/* As ranks_agree, and a rank that got a signal stops all with CW_EINTERRUPTED, as ranks->stops says. Where others do
 * not answer after a signal that is the result, too, but was not agreed on: then this rank must leave. MODE: how to
 * wait. */
int ranks_agree_or_stop(struct ranks *ranks, enum cw_wait_mode mode, int rc);

/* --- waiting ------------------------------------------------------------------------------------------------------ */

/* Values of the option --wait: "auto", then those of cw_wait_names; ended by NULL. */
extern const char *const wait_choices[];

/* The mode that CHOICE, the index of a value, stands for among the ranks of COMM. Collective if it is auto. */
enum cw_wait_mode wait_chosen(int choice, MPI_Comm comm);

/* Until all N requests are done. All waiting but that of blocking collectives (bench_operation.h) goes through here, so
 * that a signal ends it: ranks agree to end at the next occasion, if all still answer. So CW_EINTERRUPTED is only what
 * it comes to where they are not done half a second after it. */
int wait_for_all(enum cw_wait_mode mode, int n, MPI_Request *requests);
int wait_for(enum cw_wait_mode mode, MPI_Request *request);

/* Collective: until all ranks of COMM have come. */
int wait_for_others(enum cw_wait_mode mode, MPI_Comm comm);

/* Waits for REQUEST without using a core all the time, as MPI_Wait does, however long it takes. */
void ranks_rest(MPI_Request *request);

/* Ranks that have a limited time to come, where MPI's own barrier would wait for ever. */
struct meeting {
    struct ranks *ranks;
    enum cw_wait_mode wait;
    double patience; /* s */
    bool lost;       /* ranks may be missing: all that can follow is ranks_give_up */
    bool found;      /* … which this rank has found itself, so that it speaks of it */
};

/* All come and agree, not for good, also to end if any of them got a signal. *MOST, unless NULL, becomes the greatest
 * of all ranks if there is no error. CW_EIO if one is not there within `patience`: "rank 3 has not answered for 10 s",
 * and CW_EINTERRUPTED if not soon after a signal; the meeting is lost then. */
int ranks_meet(struct meeting *meeting, int rc, double *most);

/* A call of MPI that waits for others for ever, such as a collective when a rank is stuck, has so many SECONDS: after
 * that the process says so and ends, and with it, by the launcher, all others. Ranks do so one after the other, so that
 * one of them speaks. CALL is its name, a literal; NULL: it has returned. */
void ranks_watch(const struct ranks *ranks, const char *call, double seconds);

/* --- ending ------------------------------------------------------------------------------------------------------- */

/* This rank was told to stop where others wait for its messages, or it for theirs: from now on it agrees with nobody,
 * and RC is what it has come to. Returns RC. */
int ranks_leave(struct ranks *ranks, int rc);

/* Ends all ranks of a meeting that is lost. Who has found RC says it and ends all at once, others do so after a while.
 * Of an interruption, which may come to one or to all, rank 0 speaks. */
_Noreturn void ranks_give_up(const struct meeting *meeting, int rc);

#endif
