/*
 * Which cores of a host carry out collectives.
 */
#ifndef CW_MPI_NBC_CORES_H
#define CW_MPI_NBC_CORES_H

#include <mpi.h>

#include "nbc/nbc_settings.h"

struct nbc_cores {
    cpu_set_t set; /* communication cores */
    unsigned n;
    bool crowded; /* ranks are more than the other cores that they may use: who waits sleeps at once */
    bool shared;  /* for that, ranks may run on communication cores, too: workers sleep at once */
};

/* WORKS: this rank computes; the cores of others are as if they were not there. Those that SETTINGS name; else those
 * that this job may use and no rank is bound to or, if ranks are not bound, the last ones beyond a core for each rank;
 * none if there are no such cores. Collective over HOST, the ranks of a host; all get the same. */
void nbc_cores_choose(MPI_Comm host, bool works, const struct cw_nbc_settings *settings, struct nbc_cores *out);

#endif
