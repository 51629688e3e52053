/*
 * The network that a measurement runs on, where the user names it: it says which hosts are on one leaf switch, for the
 * control, and predicts the slowdown of each split.
 */
#ifndef CW_MPI_BENCH_FABRIC_H
#define CW_MPI_BENCH_FABRIC_H

#include "cli/fabric.h"
#include "mpi/bench/bench_sides.h"
#include "study/bench/bench_analysis.h"

/* Starts zeroed. */
struct bench_fabric {
    struct fabric fabric;
    uint32_t *endpoints; /* [ranks] on which each is */
};

/* Opens NETWORK as the options of INVOCATION say, and finds the hosts of SITES on it, as the file MAP says (NULL: by
 * their names). If SITES does not know leaves, it gets those of the network. */
int bench_fabric_open(struct invocation *invocation, const char *network, const char *map, struct bench_sites *sites,
                      struct bench_fabric *fabric);
void bench_fabric_free(struct bench_fabric *fabric);

/* Adds to the result what the simulator says of the splits of ANALYSIS. */
int bench_fabric_predict(struct invocation *invocation, const struct bench_fabric *fabric,
                         const struct cw_bench_analysis *analysis);

#endif
