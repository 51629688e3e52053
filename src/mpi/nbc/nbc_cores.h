/*
 * Which cores of a host carry out collectives.
 */
#ifndef CW_MPI_NBC_CORES_H
#define CW_MPI_NBC_CORES_H

#include <mpi.h>

#include "nbc/nbc_settings.h"

/* How many, and which: those that SETTINGS name; else those that this job may use and no rank is bound to or, if ranks
 * are not bound, the last ones beyond a core for each rank; none if there are no such cores. *CROWDED: ranks and
 * workers are more than cores. Collective over HOST, the ranks of a host; all get the same. */
unsigned nbc_cores(MPI_Comm host, const struct cw_nbc_settings *settings, cpu_set_t *cores, bool *crowded);

#endif
