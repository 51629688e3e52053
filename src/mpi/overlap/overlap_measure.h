/*
 * A command under way: what is measured of which collectives, among which ranks, beside which communication cores.
 */
#ifndef CW_MPI_OVERLAP_MEASURE_H
#define CW_MPI_OVERLAP_MEASURE_H

#include "base/units.h"
#include "cli/verb.h"
#include "mpi/overlap/overlap_run.h"
#include "mpi/together.h"
#include "nbc/nbc_tuning.h"

/* What the user wants (verb_overlap.c). */
struct overlap_options {
    char *op, *methods, *cores, *plot, *save;
    uint64_t bytes;
    struct cw_ints ranks;
    int beside;
    double compute, time;
    int64_t repetitions, emulate;
    bool dry_run, tune;
};

#define OVERLAP_OPERATIONS CW_COLLECTIVES /* at most */

/* The computation beside a collective. */
struct overlap_size {
    double seconds;                   /* of all ranks together */
    char method[CW_NBC_SHARING_SIZE]; /* of MPI, which takes as long alone; "": the user has named it */
};

struct overlap {
    struct invocation *invocation;
    const struct overlap_options *values;
    struct ranks *ranks;
    const struct cw_collective_traits *operations[OVERLAP_OPERATIONS];
    size_t n_operations;
    struct cw_ints numbers; /* of ranks, rising */
    int64_t all;            /* what `numbers` are by default */
    double rate;            /* of the computation, where all ranks compute at once, … */
    double sharing;         /* … so many on a core; of ranks that take part */
    struct overlap_size sizes[OVERLAP_OPERATIONS];
    struct overlap_places places;
    struct cw_progress *progress;
};

/* What options say of collectives ("": all with data) and ranks. CW_EUSAGE. */
int overlap_prepare(struct overlap *overlap, const char *operations);

/* Finds the rate of the computation, by which it takes the first N ranks, all at once, as long as it is to. Collective.
 */
void overlap_find_rate(struct overlap *overlap, int n);

/* N ranks are to work, away from communication cores: makes the cores of the others, or those that the user has named,
 * communication cores; *CORES: how many of this host, 0: none is to spare. Collective. */
int overlap_start_cores(struct overlap *overlap, int n, unsigned *cores);

/* OPERATION among the first N ranks, with a computation that takes all of them SECONDS together; the others sleep until
 * these are done. POINT gets what was measured, on ranks that take part; an interruption ends it early. Collective. */
int overlap_measure(const struct overlap *overlap, const struct overlap_setup *setup, int n, double seconds,
                    struct cw_overlap_measurement *point);

/* How long the collective alone takes among the first N ranks with all cores: the blocking one, and whichever of MPI's
 * own takes least. To be known by all. Collective. */
int overlap_measure_blocking(const struct overlap *overlap, const struct overlap_setup *setup, int n, double *seconds);
int overlap_measure_least(const struct overlap *overlap, const struct overlap_setup *setup, int n, double *seconds,
                          char method[CW_NBC_SHARING_SIZE]);

/* What a short measurement of all collectives and a few sizes says is best, in the file of this machine and MPI
 * (nbc/nbc_tuning.h). Collective. In overlap_tune.c. */
int overlap_tune(struct overlap *overlap);

/* As this program has it of MPI: "Open MPI v4.1.4". */
struct cw_nbc_site overlap_site(void);

#endif
