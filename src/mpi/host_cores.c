#include "mpi/host_cores.h"

#include <sched.h>

/* A core goes to one of the ranks that may run there, the next one to the next: rank k of a core's, from 0 on, gets
 * those whose number among its own is k, round and round. */
unsigned host_cores(MPI_Comm comm)
{
    MPI_Comm host;
    cpu_set_t own;
    unsigned runs[CPU_SETSIZE], before[CPU_SETSIZE] = {0}, all[CPU_SETSIZE], number = 0, cores = 0;
    if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_ZERO(&own); /* more cores than a cpu_set_t holds */
    for (size_t core = 0; core < CPU_SETSIZE; core++) runs[core] = CPU_ISSET(core, &own) ? 1 : 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Exscan(runs, before, CPU_SETSIZE, MPI_UNSIGNED, MPI_SUM, host); /* leaves that of rank 0 as it is */
    MPI_Allreduce(runs, all, CPU_SETSIZE, MPI_UNSIGNED, MPI_SUM, host);
    MPI_Comm_free(&host);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (runs[core]) cores += number++ % all[core] == before[core];
    return cores > 0 ? cores : 1;
}
