/* The beginning and the end of a job under the preload library. */
#include <stdio.h>

#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_handles.h"
#include "mpi/nbc/preload_requests.h"

static bool is_first(void)
{
    int rank = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

static _Atomic uint32_t quiet;
_Atomic uint32_t *cw_preload_alarm = &quiet;

int cw_preload_heard(int code)
{
    MPI_Comm comm = MPI_COMM_NULL;
    const int rc = cw_nbc_hear_alarm(&comm);
    return rc ? preload_failed(comm, rc) : code;
}

/* The settings are read by one rank and told to all, so that this fails on all or on none. */
static void begin_job(void)
{
    if (cw_nbc_init() && is_first())
        fprintf(stderr, "crosswind-nbc: collectives are left to MPI: %s\n", cw_nbc_error_message());
    if (nbc_job.active) cw_preload_alarm = cw_nbc_alarm(nbc_job.node, (uint32_t)nbc_job.local_rank);
}

/* On one host the level is the program's: our threads call no function of MPI, and Open MPI needs twice the time for
 * short messages at MPI_THREAD_FUNNELED. */
int cw_preload_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int needed = cw_nbc_thread_level();
    int code = PMPI_Init_thread(argc, argv, required < needed ? needed : required, provided);
    if (code == MPI_SUCCESS) begin_job();
    return code;
}

int cw_preload_Init(int *argc, char ***argv)
{
    int provided;
    if (cw_nbc_thread_level() > MPI_THREAD_SINGLE)
        return cw_preload_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
    int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS) begin_job();
    return code;
}

int cw_preload_Finalize(void)
{
    if (nbc_job.settings.verbose && is_first())
        fprintf(stderr, "crosswind-nbc: rank 0: %llu collectives overlapped, %llu left to MPI\n",
                preload_requests_started(), preload_calls_left());
    cw_preload_alarm = &quiet;
    cw_nbc_finalize();
    preload_handles_free();
    return PMPI_Finalize();
}
