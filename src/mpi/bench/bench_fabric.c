#include "mpi/bench/bench_fabric.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* Hosts are numbered in the order of their lowest ranks, and a leaf has the number of its first host. */
static int find_leaves(const struct prediction_site *site, struct bench_sites *sites)
{
    const struct cw_network *net = site->fabric.net;
    const uint32_t n_hosts = sites->places.n_hosts;
    uint32_t *leaves = cw_new_array(n_hosts, sizeof *leaves, "leaf switches");
    sites->leaf_of = cw_new_array(n_hosts, sizeof *sites->leaf_of, "leaf switches");
    const int rc = leaves && sites->leaf_of ? 0 : CW_ENOMEM;
    for (uint32_t rank = 0; !rc && rank < sites->places.n_ranks; rank++)
        leaves[sites->host_of[rank]] = net->head[net->first[site->endpoints[rank]]];
    for (uint32_t host = 0; !rc && host < n_hosts; host++)
        while (leaves[sites->leaf_of[host]] != leaves[host]) sites->leaf_of[host]++;
    sites->places.leaf_of = sites->leaf_of;
    free(leaves);
    return rc;
}

int bench_fabric_open(struct invocation *invocation, const struct prediction_options *options,
                      struct bench_sites *sites, struct prediction_site *site)
{
    struct cw_bench_run run = {0}; /* for the names of the hosts */
    int rc = cw_bench_run_begin(&run, sites->places.n_ranks, sites->hosts, json_object(), json_object());
    if (!rc) rc = prediction_site_open(invocation, options, &run, site);
    if (!rc && !sites->leaf_of) rc = find_leaves(site, sites);
    cw_bench_run_free(&run);
    return rc;
}
