/* crosswind-mpi: the program of MPI ranks. */
#include <mpi.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/verb.h"
#include "mpi/mpi_ranks.h"

const char program_name[] = "crosswind-mpi";

/* One line a verb, in the order of help: verb_NAME is its descriptor. */
#define VERBS(EACH)                                                                                                    \
    EACH(noise)                                                                                                        \
    EACH(ebb)                                                                                                          \
    EACH(congestion)                                                                                                   \
    EACH(flit)                                                                                                         \
    EACH(help)                                                                                                         \
    EACH(man)

#define DECLARE(NAME) extern const struct verb verb_##NAME;
#define ENTER(NAME)   &verb_##NAME,

VERBS(DECLARE)

const struct verb *const verbs[] = {VERBS(ENTER) NULL};

/* Only rank 0 writes: what others print goes nowhere. Their errors come to rank 0 (ranks_agree). */
static int silence(void)
{
    return freopen("/dev/null", "w", stdout) ? 0 : cw_fail(CW_EIO, "/dev/null cannot be opened");
}

int main(int argc, char **argv)
{
    int level;
    struct ranks ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    int rc = ranks_begin(&ranks);
    if (!rc) rc = ranks_agree(&ranks, program_speaks(&ranks.program) ? 0 : silence());
    int status = 1;
    if (!rc)
        status = program_main(&ranks.program, argc, argv);
    else
        fprintf(stderr, "%s: %s\n", program_name, cw_error_message());
    ranks_end(&ranks);
    MPI_Finalize();
    return status;
}
