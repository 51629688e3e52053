#include "mpi/nbc/nbc_cores.h"

#include <unistd.h>

/* The cores of ONE rank, ORed over the ranks of HOST. */
static void unite(MPI_Comm host, const cpu_set_t *one, cpu_set_t *all)
{
    PMPI_Allreduce(one, all, (int)sizeof *one, MPI_BYTE, MPI_BOR, host);
}

/* Whether all ranks of HOST are bound to the same cores. */
static bool are_alike(MPI_Comm host, const cpu_set_t *bound)
{
    cpu_set_t all;
    unite(host, bound, &all);
    int alike = CPU_EQUAL(bound, &all);
    PMPI_Allreduce(MPI_IN_PLACE, &alike, 1, MPI_INT, MPI_LAND, host);
    return alike;
}

/* Asked for every core, the kernel gives those that the control group allows. */
static void grouped_cores(const cpu_set_t *bound, cpu_set_t *grouped)
{
    cpu_set_t every;
    for (size_t core = 0; core < CPU_SETSIZE; core++) CPU_SET(core, &every);
    *grouped = *bound;
    if (sched_setaffinity(0, sizeof every, &every) != 0) return;
    sched_getaffinity(0, sizeof *grouped, grouped);
    sched_setaffinity(0, sizeof *bound, bound);
}

/* Those of the job: of its control group those that the launcher, our parent, has, which may have bound this process to
 * some of them. If it has no others, and ranks are bound apart all the same, a script between the two did it, or the
 * launcher bound that: then all of the group. */
static void allowed_cores(const cpu_set_t *bound, bool alike, cpu_set_t *allowed)
{
    cpu_set_t launcher;
    const pid_t parent = getppid(); /* 0: in another PID namespace */
    grouped_cores(bound, allowed);
    if (parent == 0 || sched_getaffinity(parent, sizeof launcher, &launcher) != 0) return;
    CPU_OR(&launcher, &launcher, bound);
    if (alike || !CPU_EQUAL(&launcher, bound)) CPU_AND(allowed, allowed, &launcher);
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
    allowed_cores(&bound, are_alike(host, &bound), &own);
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
