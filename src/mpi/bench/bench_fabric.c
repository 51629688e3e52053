#include "mpi/bench/bench_fabric.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/bench/bench_prediction.h"

#define ROUNDS   200  /* of the perturbation that are simulated for each split */
#define OVERHEAD 1e-6 /* [s] of a message: crosswind analyse --o sets others */

/* Hosts are numbered in the order of their lowest ranks, and a leaf has the number of its first host. */
static int find_leaves(const struct bench_fabric *fabric, struct bench_sites *sites)
{
    const struct cw_network *net = fabric->fabric.net;
    const uint32_t n_hosts = sites->places.n_hosts;
    uint32_t *leaves = cw_new_array(n_hosts, sizeof *leaves, "leaf switches");
    sites->leaf_of = cw_new_array(n_hosts, sizeof *sites->leaf_of, "leaf switches");
    const int rc = leaves && sites->leaf_of ? 0 : CW_ENOMEM;
    for (uint32_t rank = 0; !rc && rank < sites->places.n_ranks; rank++)
        leaves[sites->host_of[rank]] = net->head[net->first[fabric->endpoints[rank]]];
    for (uint32_t host = 0; !rc && host < n_hosts; host++)
        while (leaves[sites->leaf_of[host]] != leaves[host]) sites->leaf_of[host]++;
    sites->places.leaf_of = sites->leaf_of;
    free(leaves);
    return rc;
}

int bench_fabric_open(struct invocation *invocation, const char *network, const char *map, struct bench_sites *sites,
                      struct bench_fabric *fabric)
{
    struct cw_bench_run run = {0}; /* for the names of the hosts */
    int rc = fabric_open(invocation, network, &fabric->fabric);
    if (!rc) rc = cw_bench_run_begin(&run, sites->places.n_ranks, sites->hosts, json_object(), json_object());
    if (!rc) {
        fabric->endpoints = cw_new_array(run.n_ranks, sizeof *fabric->endpoints, "endpoints of ranks");
        rc = fabric->endpoints ? cw_bench_hosts(&run, fabric->fabric.net, map, fabric->endpoints) : CW_ENOMEM;
    }
    if (!rc && !sites->leaf_of) rc = find_leaves(fabric, sites);
    cw_bench_run_free(&run);
    return rc;
}

void bench_fabric_free(struct bench_fabric *fabric)
{
    fabric_free(&fabric->fabric);
    free(fabric->endpoints);
}

int bench_fabric_predict(struct invocation *invocation, const struct bench_fabric *fabric,
                         const struct cw_bench_analysis *analysis)
{
    const struct cw_bench_prediction_setup setup = {
        .routes = fabric->fabric.routes,
        .endpoints = fabric->endpoints,
        .timing = {.loggp = true, .latency = CW_TIMING_OF_CHANNELS, .overhead = OVERHEAD, .gap = CW_TIMING_OF_CHANNELS},
        .rounds = ROUNDS,
        .seed = (uint64_t)invocation->common.seed,
        .n_threads = (unsigned)invocation->common.threads,
    };
    struct cw_bench_prediction prediction;
    int rc = cw_bench_predict(analysis, &setup, &prediction);
    if (rc) return rc;
    rc = cw_bench_prediction_report(analysis, &prediction, invocation->result);
    cw_bench_prediction_free(&prediction);
    return rc;
}
