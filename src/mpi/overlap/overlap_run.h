/*
 * Measuring one collective among the first N ranks, by several methods in turn, so that whatever disturbs the machine
 * disturbs all of them.
 *
 * In each repetition, each method does three things, each in a loop of 4 to 10 rounds, as the Intel MPI Benchmarks do:
 * the collective alone; the computation alone; and the collective started, the computation, the end of the collective.
 * Times are those of a round in the mean. Ranks begin a loop together. Data are known, and what has arrived is checked
 * after both loops with collectives.
 *
 * Methods of MPI itself have the cores that the others leave to ranks, or all that the launcher gave.
 */
#ifndef CW_MPI_OVERLAP_RUN_H
#define CW_MPI_OVERLAP_RUN_H

#include "mpi/overlap/overlap_compute.h"
#include "mpi/overlap/overlap_method.h"
#include "mpi/overlap/overlap_places.h"
#include "study/bench/overlap_metrics.h"

/* Of one repetition: as the slowest rank of each part has it, and the metrics of the rank whose total is the largest.
 */
struct overlap_sample {
    struct cw_overlap_times most;
    double imb, osu;
};

struct overlap_samples {
    struct overlap_sample *items; /* [n][methods]; the same on all ranks */
    size_t n;
};

/* Whether SAMPLES of so many METHODS say enough; asked after each repetition on all ranks, which have the same. */
typedef bool overlap_enough(const struct overlap_samples *samples, size_t methods);

struct overlap_setup {
    MPI_Comm comm; /* those that take part */
    const struct operation *operation;
    size_t bytes;
    const struct overlap_methods *methods;
    enum overlap_kind kind;
    double seconds, rate; /* of the computation of a rank */
    struct overlap_places places;
    size_t repetitions;
    double time;            /* [s] no repetition begins after that, but one does; 0: no limit */
    overlap_enough *enough; /* NULL: there is no such thing */
};

/* Collective over the communicator. CW_EINTERNAL for a wrong result. Free with overlap_samples_free. */
int overlap_run(const struct overlap_setup *setup, struct overlap_samples *out);
void overlap_samples_free(struct overlap_samples *samples);

/* How long the collective alone takes by each of the methods, which are MPI's, in turn: a round of the fastest loop,
 * for disturbances only lengthen it. SECONDS [methods]. Collective. */
int overlap_alone(const struct overlap_setup *setup, double seconds[]);

#endif
