#include "nbc/nbc_hosts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/schedule.h"

/* The host of LEADER, a new one if it is not known yet. */
static int host_of(struct cw_nbc_hosts *hosts, int leader)
{
    int host = 0;
    while (host < hosts->n && hosts->leaders[host] != leader) host++;
    if (host == hosts->n) hosts->leaders[hosts->n++] = leader;
    return host;
}

int cw_nbc_hosts_new(int n_ranks, const int *leaders, int leader, struct cw_nbc_hosts *out)
{
    const size_t n = (size_t)n_ranks;
    struct cw_nbc_hosts hosts = {.me = -1,
                                 .n_ranks = n_ranks,
                                 .leaders = cw_new_array(n, sizeof(int), "hosts"),
                                 .of_rank = cw_new_array(n, sizeof(int), "hosts of ranks"),
                                 .among_host = cw_new_array(n, sizeof(int), "ranks of hosts"),
                                 .first = cw_new_array(n + 1, sizeof(int), "ranks of hosts"),
                                 .ranks = cw_new_array(n, sizeof(int), "ranks of hosts")};
    int *counts = cw_new_array(n, sizeof *counts, "ranks of hosts");
    if (!hosts.leaders || !hosts.of_rank || !hosts.among_host || !hosts.first || !hosts.ranks || !counts) {
        cw_nbc_hosts_free(&hosts);
        free(counts);
        return CW_ENOMEM;
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        const int host = host_of(&hosts, leaders[rank]);
        hosts.of_rank[rank] = host;
        hosts.among_host[rank] = counts[host]++;
        if (leaders[rank] == leader) hosts.me = host;
    }
    for (int host = 0; host < hosts.n; host++) hosts.first[host + 1] = hosts.first[host] + counts[host];
    for (int rank = 0; rank < n_ranks; rank++)
        hosts.ranks[hosts.first[hosts.of_rank[rank]] + hosts.among_host[rank]] = rank;
    free(counts);
    *out = hosts;
    return 0;
}

void cw_nbc_hosts_free(struct cw_nbc_hosts *hosts)
{
    free(hosts->leaders);
    free(hosts->of_rank);
    free(hosts->among_host);
    free(hosts->first);
    free(hosts->ranks);
    *hosts = (struct cw_nbc_hosts){0};
}

/* In times of a segment, the slowest host: along a chain each sends every segment once, and the last begins late; in a
 * binomial tree the root sends every segment to each of its children. */
static bool chain_is_faster(int hosts, uint32_t segments)
{
    uint32_t children = 0;
    while (1 << children < hosts) children++;
    return (uint64_t)segments + (uint64_t)hosts - 2 <= (uint64_t)segments * children;
}

static void take_chain(int n, int me, struct cw_nbc_branch *branch)
{
    branch->parent = me - 1;
    branch->n_children = me + 1 < n;
    branch->children[0] = me + 1;
}

/* Of all rounds the messages from and to ME. */
static int take_knomial(int n, int me, unsigned radix, struct cw_nbc_branch *branch)
{
    char spec[32];
    struct cw_schedule *schedule;
    struct cw_messages messages = {0};
    uint32_t rounds, blocks;
    snprintf(spec, sizeof spec, "knomial-bcast:%u", radix);
    int rc = cw_schedule_new(spec, &schedule);
    if (rc) return rc;
    rc = cw_schedule_plan(schedule, (uint32_t)n, &rounds, &blocks);
    for (uint32_t round = 0; !rc && round < rounds; round++)
        rc = cw_schedule_round(schedule, (uint32_t)n, round, &messages);
    branch->parent = -1;
    for (size_t i = 0; !rc && i < messages.n; i++) {
        if ((int)messages.items[i].dst == me) branch->parent = (int)messages.items[i].src;
        if ((int)messages.items[i].src == me) branch->children[branch->n_children++] = (int)messages.items[i].dst;
    }
    cw_messages_free(&messages);
    cw_schedule_free(schedule);
    return rc;
}

int cw_nbc_branch_new(const struct cw_nbc_hosts *hosts, const struct cw_nbc_between *between, int root,
                      uint32_t segments, struct cw_nbc_branch *out)
{
    const int n = hosts->n, me = (hosts->me - root + n) % n;
    const bool any = between->shape == CW_NBC_SHAPE_AUTO || between->shape == CW_NBC_HOST_RING;
    const bool chain = between->shape == CW_NBC_CHAIN || (any && chain_is_faster(n, segments));
    struct cw_nbc_branch branch = {.children = cw_new_array((size_t)n, sizeof(int), "hosts")};
    if (!branch.children) return CW_ENOMEM;
    int rc = 0;
    if (chain)
        take_chain(n, me, &branch);
    else
        rc = take_knomial(n, me, between->shape == CW_NBC_KNOMIAL ? between->radix : 2, &branch);
    if (rc) {
        free(branch.children);
        return rc;
    }
    if (branch.parent >= 0) branch.parent = (branch.parent + root) % n;
    for (int i = 0; i < branch.n_children; i++) branch.children[i] = (branch.children[i] + root) % n;
    *out = branch;
    return 0;
}
