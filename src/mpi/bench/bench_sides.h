/*
 * Where the ranks of a run are, and the communicators of a split.
 */
#ifndef CW_MPI_BENCH_SIDES_H
#define CW_MPI_BENCH_SIDES_H

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/together.h"
#include "study/bench/bench_run.h"
#include "study/bench/splits.h"

/* What every rank knows of each. */
struct rank_facts {
    char host[MPI_MAX_PROCESSOR_NAME];
    cpu_set_t cpus; /* on which it may run */
};

struct bench_sites {
    struct cw_rank_places places;
    struct rank_facts *facts; /* [n_ranks] */
    const char **hosts;       /* [n_ranks] names */
    uint32_t *host_of;        /* [n_ranks] */
    uint32_t *leaf_of;        /* [n_hosts]; NULL: not known */
    char **host_names;        /* [n_hosts] borrowed */
    bool oversubscribed;      /* a machine has more ranks than processors for them */
};

/* Collective. LEAVES: a file with a line for each leaf switch, the names of its hosts; NULL: not known. */
int bench_sites_find(struct ranks *ranks, const char *leaves, struct bench_sites *out);
void bench_sites_free(struct bench_sites *sites);

/* The two sides of a split, as one rank sees them. Starts zeroed. */
struct bench_sides {
    enum cw_bench_role role;
    MPI_Comm comm;   /* those of the same role */
    int rank;        /* in it */
    int application; /* rank of the whole run that leads the application */
    int perturbing;  /* ... that leads the perturbation */
};

/* Collective over ALL. */
void bench_sides_make(MPI_Comm all, const struct cw_bench_split *split, uint32_t n_ranks, struct bench_sides *out);
void bench_sides_free(struct bench_sides *sides);

#endif
