#include "mpi/nbc/nbc_cores.h"

/* The cores of ONE rank, ORed over the ranks of HOST. */
static void unite(MPI_Comm host, const cpu_set_t *one, cpu_set_t *all)
{
    PMPI_Allreduce(one, all, (int)sizeof *one, MPI_BYTE, MPI_BOR, host);
}

/* Beyond those a launcher has bound this process to: asked for all, the kernel gives those that the cgroup allows. */
static void allowed_cores(const cpu_set_t *bound, cpu_set_t *allowed)
{
    cpu_set_t every;
    for (size_t core = 0; core < CPU_SETSIZE; core++) CPU_SET(core, &every);
    *allowed = *bound;
    if (sched_setaffinity(0, sizeof every, &every) != 0) return;
    sched_getaffinity(0, sizeof *allowed, allowed);
    sched_setaffinity(0, sizeof *bound, bound);
}

unsigned nbc_cores(MPI_Comm host, const struct cw_nbc_settings *settings, cpu_set_t *cores, bool *crowded)
{
    cpu_set_t bound, own, used, allowed;
    int n_ranks;
    CPU_ZERO(&bound);
    sched_getaffinity(0, sizeof bound, &bound);
    allowed_cores(&bound, &own);
    unite(host, &bound, &used);
    unite(host, &own, &allowed);
    PMPI_Comm_size(host, &n_ranks);
    if (settings->cores_given) {
        *cores = settings->cores;
    } else if (!CPU_EQUAL(&used, &allowed)) {
        CPU_XOR(cores, &allowed, &used);
    } else {
        CPU_ZERO(cores);
        for (int core = CPU_SETSIZE - 1, spare = CPU_COUNT(&allowed) - n_ranks; core >= 0 && spare > 0; core--) {
            if (!CPU_ISSET((size_t)core, &allowed)) continue;
            CPU_SET((size_t)core, cores);
            spare--;
        }
    }
    const int n = CPU_COUNT(cores);
    *crowded = n_ranks + n > CPU_COUNT(&allowed);
    return (unsigned)n;
}
