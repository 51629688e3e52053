#include "mpi/mpi_ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define MESSAGE_SIZE 1024

/* What is said of an error: its code, and the message with who has it, if not all have. */
struct failure {
    int rc;
    char message[MESSAGE_SIZE];
};

/* Only for its leading rank. */
static void describe(const struct ranks *ranks, int rc, bool all, struct failure *failure)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    failure->rc = rc;
    if (all || rc == CW_EINTERRUPTED) { /* who sends signals means the program */
        snprintf(failure->message, sizeof failure->message, "%s", cw_error_message());
        return;
    }
    MPI_Get_processor_name(host, &length);
    snprintf(failure->message, sizeof failure->message, "rank %u on %s: %s", ranks->program.rank, host,
             cw_error_message());
}

void ranks_wait(MPI_Request *request)
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

int ranks_adopt(struct ranks *ranks, int leader, int rc)
{
    const bool leads = (int)ranks->program.rank == leader;
    struct failure failure = {0};
    if (leads) describe(ranks, rc, true, &failure);
    MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, leader, ranks->comm);
    return leads ? rc : cw_fail(failure.rc, "%s", failure.message);
}

int ranks_agree(struct ranks *ranks, int rc)
{
    if (ranks->rc) return ranks->rc;
    const int rank = (int)ranks->program.rank, n = (int)ranks->program.n;
    int mine[2] = {rc ? rank : INT_MAX, rc ? -1 : 0}, all[2]; /* the lowest that failed, minus how many did not */
    MPI_Request agreeing;
    MPI_Iallreduce(&mine[0], &all[0], 1, MPI_INT, MPI_MIN, ranks->comm, &agreeing);
    ranks_wait(&agreeing); /* for a rank that writes a figure, say */
    if (all[0] == INT_MAX) return 0;
    MPI_Allreduce(&mine[1], &all[1], 1, MPI_INT, MPI_SUM, ranks->comm);
    struct failure failure = {0};
    if (rank == all[0]) describe(ranks, rc, -all[1] == n, &failure);
    MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, all[0], ranks->comm);
    ranks->rc = failure.rc;
    return rank == all[0] && -all[1] == n ? failure.rc : cw_fail(failure.rc, "%s", failure.message);
}

int ranks_leave(struct ranks *ranks, int rc)
{
    ranks->alone = true;
    return ranks->rc = rc;
}

_Noreturn void ranks_abort(const struct ranks *ranks, int status)
{
    fflush(NULL);
    if (ranks->program.rank > 0) sleep(2);
    MPI_Abort(MPI_COMM_WORLD, status);
    abort();
}

static int agree(const struct program_ranks *program, int rc)
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
    *ranks = (struct ranks){.program.agree = agree};
    if (MPI_Comm_dup(MPI_COMM_WORLD, &ranks->comm) != MPI_SUCCESS) return cw_fail(CW_EIO, "MPI cannot copy its world");
    MPI_Comm_rank(ranks->comm, &rank);
    MPI_Comm_size(ranks->comm, &n);
    ranks->program.rank = (unsigned)rank;
    ranks->program.n = (unsigned)n;
    return 0;
}

void ranks_end(struct ranks *ranks)
{
    MPI_Comm_free(&ranks->comm);
}
