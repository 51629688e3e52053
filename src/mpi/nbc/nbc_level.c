/* Which thread level to ask MPI for, before it is initialised: only its launcher can say what there will be. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/nbc/nbc.h"

static bool is(const char *variable, const char *value)
{
    const char *has = getenv(variable);
    return has && strcmp(has, value) == 0;
}

/* 0: not said. */
static long number(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strtol(value, NULL, 10) : 0;
}

static bool has_several_hosts(void)
{
    static const char *const launchers[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                               {"PMI_SIZE", "MPI_LOCALNRANKS"}};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const long all = number(launchers[i][0]), here = number(launchers[i][1]);
        if (all > 0 && here > 0) return here < all;
    }
    return number("SLURM_STEP_NUM_NODES") > 1;
}

int cw_nbc_thread_level(void)
{
    if (is("CROSSWIND_NBC", "off") || is("CROSSWIND_NBC_HOSTS", "native")) return MPI_THREAD_SINGLE;
    return has_several_hosts() ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
}
