/*
 * The network that a measurement runs on, where the user names it: it says which hosts are on one leaf switch, for the
 * control. Predictions on it are those of crosswind analyse (cli/analyse/analyse_prediction.h).
 */
#ifndef CW_MPI_BENCH_FABRIC_H
#define CW_MPI_BENCH_FABRIC_H

#include "cli/analyse/analyse_prediction.h"
#include "mpi/bench/bench_sides.h"

/* Opens the network of OPTIONS, and finds the hosts of SITES on it. If SITES does not know leaves, it gets those of the
 * network. Free SITE with prediction_site_free, also after an error. */
int bench_fabric_open(struct invocation *invocation, const struct prediction_options *options,
                      struct bench_sites *sites, struct prediction_site *site);

#endif
