/*
 * What ranks do beside a collective, for a given time: compute, or wait for a device.
 */
#ifndef CW_MPI_OVERLAP_COMPUTE_H
#define CW_MPI_OVERLAP_COMPUTE_H

#include <mpi.h>

enum overlap_kind {
    OVERLAP_CPU,        /* a loop of so many rounds: it takes longer if somebody else uses the core */
    OVERLAP_ACCELERATOR /* sleeps, as a rank whose device computes */
};
extern const char *const overlap_kinds[]; /* "cpu", "accelerator"; ended by NULL */

/* Rounds of the loop in a second on the fastest rank of COMM, if it has a core of its own. Collective. */
double overlap_calibrate(MPI_Comm comm);

/* Makes sleeps of the calling thread end within a microsecond or so of their time, instead of 50. */
void overlap_be_punctual(void);

/* Computes as much as takes SECONDS with RATE rounds in a second. */
void overlap_compute(enum overlap_kind kind, double seconds, double rate);

#endif
