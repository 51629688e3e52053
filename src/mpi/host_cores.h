/*
 * Which machine a rank runs on, which of its cores it may keep busy, and with how many others it shares them.
 */
#ifndef CW_MPI_HOST_CORES_H
#define CW_MPI_HOST_CORES_H

#include <mpi.h>

#define KERNEL_IDENTITY 40 /* bytes, with the 0 */

/* What tells this kernel, since it started, from any other, whatever the host calls itself; network namespaces and
 * containers of one machine have the same. "" where /proc does not say. */
void kernel_identity(char identity[KERNEL_IDENTITY]);

/* Cores for this process, at least 1: of those it may run on, the ones that are left to it when each is given to one of
 * the ranks of COMM on the same host that may run there. Ranks that are bound to cores of their own get these; where
 * none is bound, each gets its part. Collective. */
unsigned host_cores(MPI_Comm comm);

/* How many ranks of COMM share a core where all of them compute at once: of the rank of which there are most, with each
 * rank spread evenly over the cores where it may run; 1 if each has one. The same for all. Collective. */
double host_sharing(MPI_Comm comm);

#endif
