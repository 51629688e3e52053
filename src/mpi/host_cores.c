#include "mpi/host_cores.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>

void kernel_identity(char identity[KERNEL_IDENTITY])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(identity, KERNEL_IDENTITY, file)) identity[0] = 0;
    if (file) fclose(file);
}

/* None if there are more than a cpu_set_t holds. */
static cpu_set_t own_cores(void)
{
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_ZERO(&own);
    return own;
}

/* A core goes to one of the ranks that may run there, the next one to the next: rank k of a core's, from 0 on, gets
 * those whose number among its own is k, round and round. */
unsigned host_cores(MPI_Comm comm)
{
    MPI_Comm host;
    unsigned runs[CPU_SETSIZE], before[CPU_SETSIZE] = {0}, all[CPU_SETSIZE], number = 0, cores = 0;
    const cpu_set_t own = own_cores();
    for (size_t core = 0; core < CPU_SETSIZE; core++) runs[core] = CPU_ISSET(core, &own) ? 1 : 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Exscan(runs, before, CPU_SETSIZE, MPI_UNSIGNED, MPI_SUM, host); /* leaves that of rank 0 as it is */
    MPI_Allreduce(runs, all, CPU_SETSIZE, MPI_UNSIGNED, MPI_SUM, host);
    MPI_Comm_free(&host);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (runs[core]) cores += number++ % all[core] == before[core];
    return cores > 0 ? cores : 1;
}

double host_sharing(MPI_Comm comm)
{
    MPI_Comm host;
    const cpu_set_t own = own_cores();
    const int n = CPU_COUNT(&own);
    double parts[CPU_SETSIZE] = {0}, mine = 0, most;
    for (size_t core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &own)) parts[core] = 1. / n;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Allreduce(MPI_IN_PLACE, parts, CPU_SETSIZE, MPI_DOUBLE, MPI_SUM, host);
    MPI_Comm_free(&host);
    for (size_t core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &own)) mine += parts[core] / n;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    return fmax(1, most);
}
