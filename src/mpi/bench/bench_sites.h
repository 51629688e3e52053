/* Where the ranks of a run are. */
#ifndef CW_MPI_BENCH_SITES_H
#define CW_MPI_BENCH_SITES_H

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
    const char **host_names;  /* [n_hosts] borrowed */
    bool oversubscribed;      /* a machine has more ranks than processors for them */
};

/* Collective. LEAVES: a file with a line for each leaf switch, the names of its hosts; NULL: not known. */
int bench_sites_find(struct ranks *ranks, const char *leaves, struct bench_sites *out);
void bench_sites_free(struct bench_sites *sites);

#endif
