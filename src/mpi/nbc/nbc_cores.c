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

/* The last cores of ALLOWED beyond one for each of N ranks. */
static void last_cores(const cpu_set_t *allowed, int n, cpu_set_t *cores)
{
    CPU_ZERO(cores);
    for (int core = CPU_SETSIZE - 1, spare = CPU_COUNT(allowed) - n; core >= 0 && spare > 0; core--) {
        if (!CPU_ISSET((size_t)core, allowed)) continue;
        CPU_SET((size_t)core, cores);
        spare--;
    }
}

void nbc_cores_choose(MPI_Comm host, bool works, const struct cw_nbc_settings *settings, struct nbc_cores *out)
{
    cpu_set_t bound, own, used, allowed, both;
    int n_ranks = works;
    CPU_ZERO(&bound);
    sched_getaffinity(0, sizeof bound, &bound);
    allowed_cores(&bound, &own);
    if (!works) CPU_ZERO(&bound);
    unite(host, &bound, &used);
    unite(host, &own, &allowed);
    PMPI_Allreduce(MPI_IN_PLACE, &n_ranks, 1, MPI_INT, MPI_SUM, host);
    if (settings->cores_given)
        out->set = settings->cores;
    else if (!CPU_EQUAL(&used, &allowed))
        CPU_XOR(&out->set, &allowed, &used);
    else
        last_cores(&allowed, n_ranks, &out->set);
    out->n = (unsigned)CPU_COUNT(&out->set);
    CPU_AND(&both, &used, &out->set);
    out->crowded = n_ranks > CPU_COUNT(&used) - CPU_COUNT(&both);
    out->shared = out->crowded && CPU_COUNT(&both) > 0;
}
