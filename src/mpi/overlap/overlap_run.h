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

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>

#include "study/overlap/overlap_measured.h"

/* --- where ranks compute, and what -------------------------------------------------------------------------------- */

/* Which cores this rank may use: those that the launcher gave, or those of them that are not for communication. */
struct overlap_places {
    cpu_set_t all, own;
};

/* As the launcher has it: both are the same. */
void overlap_places_find(struct overlap_places *places);

/* Back to what the launcher gave, for another choice of communication cores. */
void overlap_places_reset(struct overlap_places *places);

/* Takes CORES from the rank's own, unless that would leave none, and moves it there. */
void overlap_places_avoid(struct overlap_places *places, const cpu_set_t *cores);

/* The same with those of CROSSWIND_NBC_CORES, if it is set, before threads start on them. CW_EUSAGE. */
int overlap_places_avoid_given(struct overlap_places *places);

/* Rounds of the loop in a second on the fastest rank of COMM, if it has a core of its own. Collective. */
double overlap_calibrate(MPI_Comm comm);

/* --- measuring ---------------------------------------------------------------------------------------------------- */

/* Whether SAMPLES of so many METHODS say enough; asked after each repetition on all ranks, which have the same. */
typedef bool overlap_enough(const struct cw_overlap_samples *samples, size_t methods);

struct overlap_setup {
    MPI_Comm comm; /* those that take part */
    const struct cw_collective_traits *operation;
    size_t bytes;
    const struct cw_overlap_methods *methods;
    enum cw_overlap_kind kind;
    double seconds, rate; /* of the computation of a rank */
    struct overlap_places places;
    size_t repetitions;
    double time;            /* [s] no repetition begins after that, but one does; 0: no limit */
    overlap_enough *enough; /* NULL: there is no such thing */
};

/* Collective over the communicator. CW_EINTERNAL for a wrong result. Free with cw_overlap_samples_free. */
int overlap_run(const struct overlap_setup *setup, struct cw_overlap_samples *out);

/* How long the collective alone takes by each of the methods, which are MPI's, in turn: a round of the fastest loop,
 * for disturbances only lengthen it. SECONDS [methods]. Collective. */
int overlap_alone(const struct overlap_setup *setup, double seconds[]);

#endif
