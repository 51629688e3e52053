#include "mpi/bench/bench_sites.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/wait_mode.h"

static void describe_rank(struct rank_facts *facts)
{
    int length;
    MPI_Get_processor_name(facts->host, &length);
    CPU_ZERO(&facts->cpus);
    sched_getaffinity(0, sizeof facts->cpus, &facts->cpus);
}

static int read_leaves(const char *path, struct bench_sites *sites)
{
    sites->leaf_of = cw_new_array(sites->places.n_hosts, sizeof *sites->leaf_of, "leaves");
    sites->places.leaf_of = sites->leaf_of;
    return sites->leaf_of ? cw_rank_places_read_leaves(path, sites->host_names, sites->places.n_hosts, sites->leaf_of)
                          : CW_ENOMEM;
}

int bench_sites_find(struct ranks *ranks, const char *leaves, struct bench_sites *out)
{
    const uint32_t n = ranks->program.n;
    struct bench_sites sites = {.places.n_ranks = n};
    struct rank_facts *mine = cw_new_array(1, sizeof *mine, "facts of a rank");
    sites.facts = cw_new_array(n, sizeof *sites.facts, "facts of ranks");
    sites.hosts = cw_new_array(n, sizeof *sites.hosts, "hosts of ranks");
    sites.host_names = cw_new_array(n, sizeof *sites.host_names, "hosts");
    sites.host_of = cw_new_array(n, sizeof *sites.host_of, "hosts of ranks");
    int rc = mine && sites.facts && sites.hosts && sites.host_names && sites.host_of ? 0 : CW_ENOMEM;
    rc = ranks_agree(ranks, rc);
    if (!rc) {
        describe_rank(mine);
        MPI_Allgather(mine, (int)sizeof *mine, MPI_BYTE, sites.facts, (int)sizeof *mine, MPI_BYTE, ranks->comm);
        for (uint32_t rank = 0; rank < n; rank++) sites.hosts[rank] = sites.facts[rank].host;
        sites.places.n_hosts = cw_rank_places_number(sites.hosts, n, sites.host_of, sites.host_names);
        sites.places.host_of = sites.host_of;
        sites.oversubscribed = cw_wait_choose(ranks->comm) == CW_WAIT_SLEEP;
        rc = ranks_agree(ranks, leaves ? read_leaves(leaves, &sites) : 0);
    }
    free(mine);
    if (rc)
        bench_sites_free(&sites);
    else
        *out = sites;
    return rc;
}

void bench_sites_free(struct bench_sites *sites)
{
    free(sites->facts);
    free(sites->hosts);
    free(sites->host_names);
    free(sites->host_of);
    free(sites->leaf_of);
    *sites = (struct bench_sites){0};
}
