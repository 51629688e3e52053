/* crosswind-mpi: the program of MPI ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/verb.h"
#include "mpi/host_cores.h"
#include "mpi/nbc/nbc.h"
#include "mpi/rank_executor.h"
#include "mpi/together.h"

const char program_name[] = "crosswind-mpi";

/* One line a verb, in the order of help: verb_NAME is its descriptor. */
#define VERBS(EACH)                                                                                                    \
    EACH(noise)                                                                                                        \
    EACH(ebb)                                                                                                          \
    EACH(congestion)                                                                                                   \
    EACH(bench_noise)                                                                                                  \
    EACH(bench_loggp)                                                                                                  \
    EACH(bench_ebb)                                                                                                    \
    EACH(overlap)                                                                                                      \
    EACH(jobs)                                                                                                         \
    EACH(flit)                                                                                                         \
    EACH(reproduce)                                                                                                    \
    EACH(study)                                                                                                        \
    EACH(move)                                                                                                         \
    EACH(help)                                                                                                         \
    EACH(man)                                                                                                          \
    EACH(completion)

#define DECLARE(NAME) extern const struct verb verb_##NAME;
#define ENTER(NAME)   &verb_##NAME,

VERBS(DECLARE)

const struct verb *const verbs[] = {VERBS(ENTER) NULL};

/* Only rank 0 writes: what others print goes nowhere. Their errors come to rank 0 (ranks_agree). */
static int silence(void)
{
    cw_files_mute();
    return freopen("/dev/null", "w", stdout) ? 0 : cw_fail(CW_EIO, "/dev/null cannot be opened");
}

static int prepare(struct ranks *ranks, int level)
{
    ranks->program.threads = host_cores(ranks->comm);
    if (level < MPI_THREAD_FUNNELED) return cw_fail(CW_EIO, "this MPI allows no threads (MPI_THREAD_FUNNELED)");
    return program_speaks(&ranks->program) ? 0 : silence();
}

/* Communication cores may have to exchange messages while ranks compute. */
static int level_for(int argc, char **argv)
{
    const int least = argc > 1 && strcmp(argv[1], "overlap") == 0 ? cw_nbc_thread_level() : MPI_THREAD_SINGLE;
    return least > MPI_THREAD_FUNNELED ? least : MPI_THREAD_FUNNELED;
}

int main(int argc, char **argv)
{
    int level;
    struct ranks ranks;
    struct rank_executor executor;
    if (argc > 1 && strcmp(argv[1], "completion") == 0)
        return program_main(NULL, argc, argv); /* a shell asks: no rank */
    MPI_Init_thread(&argc, &argv, level_for(argc, argv), &level);
    int rc = ranks_begin(&ranks);
    if (!rc) rc = rank_executor_begin(&executor, &ranks);
    if (!rc) rc = ranks_agree(&ranks, prepare(&ranks, level));
    int status = 1;
    if (!rc)
        status = program_main(&ranks.program, argc, argv);
    else if (program_speaks(&ranks.program))
        fprintf(stderr, "%s: %s\n", program_name, cw_error_message());
    ranks_end(&ranks, status);
    rank_executor_end(&executor);
    MPI_Finalize();
    return status;
}
