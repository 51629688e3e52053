#include "mpi/together.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/stopwatch.h"

#define MESSAGE_SIZE 1024
#define LATER        3   /* s after which a rank ends all that is not the one to do so */
#define MOMENT       0.5 /* s for others after a signal */
#define STAGGER      0.2 /* s between the ends of two ranks whose calls do not return */

enum meeting_tag { TAG_REPORT = 1, TAG_ANSWER };

/* --- the error of one rank, for all ------------------------------------------------------------------------------- */

struct failure {
    int rc, rank;
    char host[MPI_MAX_PROCESSOR_NAME];
    char message[MESSAGE_SIZE];
};

static void describe(int rank, int rc, struct failure *failure)
{
    int length;
    failure->rc = rc;
    failure->rank = rank;
    MPI_Get_processor_name(failure->host, &length);
    snprintf(failure->message, sizeof failure->message, "%s", cw_error_message());
}

/* Makes it this rank's. NAMED: with whose it is. */
static int take_over(const struct failure *failure, bool named)
{
    if (!named || failure->rc == CW_EINTERRUPTED) return cw_fail(failure->rc, "%s", failure->message);
    return cw_fail(failure->rc, "rank %d on %s: %s", failure->rank, failure->host, failure->message);
}

/* --- agreeing ----------------------------------------------------------------------------------------------------- */

void ranks_rest(MPI_Request *request)
{
    static const long soonest = 20000, latest = 1000000; /* ns */
    struct timespec pause = {.tv_nsec = soonest};
    for (int done;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        nanosleep(&pause, NULL);
        pause.tv_nsec = 2 * pause.tv_nsec < latest ? 2 * pause.tv_nsec : latest;
    }
}

/* NAME: say whose error it is where only some have one. */
static int agree(MPI_Comm comm, int rc, bool name)
{
    int rank, all[2]; /* the lowest rank that failed; whether all have */
    MPI_Request agreeing;
    struct failure failure = {0};
    MPI_Comm_rank(comm, &rank);
    const int mine[2] = {rc ? rank : INT_MAX, rc != 0};
    MPI_Iallreduce(mine, all, 2, MPI_INT, MPI_MIN, comm, &agreeing);
    ranks_rest(&agreeing); /* for a rank that writes a figure, say */
    if (all[0] == INT_MAX) return 0;
    if (rank == all[0]) describe(rank, rc, &failure);
    MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, all[0], comm);
    return take_over(&failure, name && !all[1]);
}

int ranks_agree(struct ranks *ranks, int rc)
{
    if (ranks->rc) return ranks->rc;
    return ranks->rc = agree(ranks->comm, rc, true);
}

int ranks_agree_in(MPI_Comm comm, int rc)
{
    return agree(comm, rc, true);
}

int ranks_pass_on(struct ranks *ranks, int rc)
{
    return agree(ranks->comm, rc, false);
}

int ranks_agree_or_stop(struct ranks *ranks, enum cw_wait_mode mode, int rc)
{
    const int mine = rc ? rc : cw_interrupt_check();
    int worst;
    MPI_Request agreeing;
    MPI_Iallreduce(&mine, &worst, 1, MPI_INT, MPI_MIN, ranks->comm, &agreeing);
    rc = wait_for(mode, &agreeing);
    if (rc || !worst) return rc;
    ranks->stops = worst == CW_EINTERRUPTED;
    return ranks->stops ? cw_fail(worst, "interrupted") : ranks_agree(ranks, mine);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

const char *const wait_choices[] = {"auto", "spin", "yield", "sleep", NULL};

enum cw_wait_mode wait_chosen(int choice, MPI_Comm comm)
{
    return choice > 0 ? (enum cw_wait_mode)(choice - 1) : cw_wait_choose(comm);
}

/* Until all N requests are done, messages to or from RANK, for which there are `patience` seconds after BEGIN;
 * INFINITY: it may take for ever. After a signal only for a moment, in which all may come. */
static int wait_within(enum cw_wait_mode mode, int n, MPI_Request *requests, double begin, double patience, int rank)
{
    double end = 0; /* once there was a signal */
    for (int done = 0;;) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (done) return 0;
        if (cw_interrupted()) {
            if (end == 0) end = cw_stopwatch_deadline(MOMENT);
            if (cw_stopwatch_now() > end) return cw_interrupt_check();
        }
        if (patience < INFINITY && cw_stopwatch_now() - begin > patience)
            return cw_fail(CW_EIO, "rank %d has not answered for %.3g s", rank, patience);
        cw_wait_idle(mode, begin);
    }
}

int wait_for_all(enum cw_wait_mode mode, int n, MPI_Request *requests)
{
    return wait_within(mode, n, requests, mode == CW_WAIT_SLEEP ? cw_stopwatch_now() : 0, INFINITY, 0);
}

int wait_for(enum cw_wait_mode mode, MPI_Request *request)
{
    return wait_for_all(mode, 1, request);
}

int wait_for_others(enum cw_wait_mode mode, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    return wait_for(mode, &request);
}

/* What ranks tell each other when they meet. */
struct note {
    double value;
    int n_failed;
    struct failure failure; /* of the lowest of these; sent if there is one */
};

static int send_note(const struct meeting *meeting, const struct note *note, int to, int tag, double begin,
                     double patience)
{
    const size_t size = note->n_failed > 0 ? sizeof *note : offsetof(struct note, failure);
    MPI_Request request;
    MPI_Isend(note, (int)size, MPI_BYTE, to, tag, meeting->ranks->comm, &request);
    return wait_within(meeting->wait, 1, &request, begin, patience, to);
}

static int receive_note(const struct meeting *meeting, int from, int tag, double begin, double patience,
                        struct note *note)
{
    MPI_Request request;
    MPI_Irecv(note, (int)sizeof *note, MPI_BYTE, from, tag, meeting->ranks->comm, &request);
    return wait_within(meeting->wait, 1, &request, begin, patience, from);
}

static int lead(const struct meeting *meeting, struct note *note)
{
    const double begin = cw_stopwatch_now(), patience = meeting->patience;
    const int n = (int)meeting->ranks->program.n;
    int rc = 0;
    for (int r = 1; r < n && !rc; r++) {
        struct note other;
        rc = receive_note(meeting, r, TAG_REPORT, begin, patience, &other);
        if (rc) break;
        if (note->n_failed == 0 && other.n_failed > 0) note->failure = other.failure;
        note->n_failed += other.n_failed;
        if (other.value > note->value) note->value = other.value;
    }
    for (int r = 1; r < n && !rc; r++) rc = send_note(meeting, note, r, TAG_ANSWER, begin, 2 * patience);
    return rc;
}

/* Rank 0 is given the time in which it finds out who else is missing. */
static int follow(const struct meeting *meeting, struct note *note)
{
    const double begin = cw_stopwatch_now(), patience = 2 * meeting->patience;
    const int rc = send_note(meeting, note, 0, TAG_REPORT, begin, patience);
    return rc ? rc : receive_note(meeting, 0, TAG_ANSWER, begin, patience, note);
}

int ranks_meet(struct meeting *meeting, int rc, double *most)
{
    const struct program_ranks *program = &meeting->ranks->program;
    if (!rc) rc = cw_interrupt_check();
    struct note note = {.value = most ? *most : 0, .n_failed = rc != 0};
    if (rc) describe((int)program->rank, rc, &note.failure);
    rc = program->rank == 0 ? lead(meeting, &note) : follow(meeting, &note);
    meeting->lost = meeting->found = rc != 0;
    if (rc) return rc;
    if (note.n_failed > 0) return take_over(&note.failure, note.n_failed < (int)program->n);
    if (most) *most = note.value;
    return 0;
}

static char stuck[256]; /* what the handler says, which can make nothing */

static void end_stuck(int number)
{
    (void)number;
    const ssize_t written = write(STDERR_FILENO, stuck, strlen(stuck));
    _exit(written < 0 ? 2 : 1);
}

void ranks_watch(const struct ranks *ranks, const char *call, double seconds)
{
    struct itimerval timer = {0}; /* which sets none */
    if (call) {
        const struct sigaction action = {.sa_handler = end_stuck};
        const double end = seconds + STAGGER * ranks->program.rank;
        snprintf(stuck, sizeof stuck, "crosswind-mpi: %s has not returned to rank %u for %.3g s: a rank is stuck\n",
                 call, ranks->program.rank, seconds);
        sigaction(SIGALRM, &action, NULL);
        timer.it_value.tv_sec = (time_t)end;
        timer.it_value.tv_usec = (suseconds_t)(1e6 * (end - (double)timer.it_value.tv_sec));
    }
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- ending ------------------------------------------------------------------------------------------------------- */

int ranks_leave(struct ranks *ranks, int rc)
{
    ranks->alone = true;
    return ranks->rc = rc;
}

static _Noreturn void end_all(bool at_once, int status)
{
    fflush(NULL);
    if (!at_once) sleep(LATER);
    MPI_Abort(MPI_COMM_WORLD, status);
    abort();
}

_Noreturn void ranks_give_up(const struct meeting *meeting, int rc)
{
    const bool speaks = rc == CW_EINTERRUPTED ? meeting->ranks->program.rank == 0 : meeting->found;
    if (speaks) fprintf(stderr, "crosswind-mpi: %s\n", cw_error_message());
    end_all(speaks, 1);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static int agree_as_program(const struct program_ranks *program, int rc)
{
    return ranks_agree(ranks_of(program), rc);
}

struct ranks *ranks_of(const struct program_ranks *program)
{
    return (struct ranks *)(uintptr_t)program;
}

int ranks_begin(struct ranks *ranks)
{
    int rank, n;
    *ranks = (struct ranks){.program.agree = agree_as_program};
    if (MPI_Comm_dup(MPI_COMM_WORLD, &ranks->comm) != MPI_SUCCESS) return cw_fail(CW_EIO, "MPI cannot copy its world");
    MPI_Comm_rank(ranks->comm, &rank);
    MPI_Comm_size(ranks->comm, &n);
    ranks->program.rank = (unsigned)rank;
    ranks->program.n = (unsigned)n;
    return 0;
}

void ranks_end(struct ranks *ranks, int status)
{
    if (ranks->alone) end_all(ranks->program.rank == 0, status);
    MPI_Comm_free(&ranks->comm);
}
