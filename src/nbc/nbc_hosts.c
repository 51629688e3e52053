#include "nbc/nbc_hosts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "traffic/schedule.h"

/* Numbers hosts in the order of their first ranks. */
static int number_hosts(const int *leaders, struct cw_nbc_hosts *hosts)
{
    int most = 0;
    for (int rank = 0; rank < hosts->n_ranks; rank++)
        if (leaders[rank] > most) most = leaders[rank];
    int *number = cw_new_array((size_t)most + 1, sizeof *number, "hosts"); /* of the host of each leader, from 1 */
    if (!number) return CW_ENOMEM;
    for (int rank = 0; rank < hosts->n_ranks; rank++) {
        int *host = &number[leaders[rank]];
        if (*host == 0) {
            hosts->leaders[hosts->n++] = leaders[rank];
            *host = hosts->n;
        }
        hosts->of_rank[rank] = *host - 1;
    }
    free(number);
    return 0;
}

/* By place, of those without one the last; equals in the order of first ranks. */
static int compare_places(const void *a, const void *b, void *place_of)
{
    const int *places = place_of, x = *(const int *)a, y = *(const int *)b;
    const unsigned at_x = (unsigned)places[x], at_y = (unsigned)places[y]; /* -1: the last */
    return at_x != at_y ? (at_x > at_y) - (at_x < at_y) : (x > y) - (x < y);
}

/* PLACES: by leader, or NULL. */
static void order_by_fabric(const int *places, struct cw_nbc_hosts *hosts)
{
    for (int host = 0; host < hosts->n; host++) {
        hosts->by_fabric[host] = host;
        hosts->places[host] = places ? places[hosts->leaders[host]] : -1; /* of the whole fabric */
    }
    qsort_r(hosts->by_fabric, (size_t)hosts->n, sizeof *hosts->by_fabric, compare_places, hosts->places);
    for (int i = 0; i < hosts->n; i++) hosts->places[hosts->by_fabric[i]] = i;
}

int cw_nbc_hosts_new(int n_ranks, const int *leaders, int leader, const int *places, struct cw_nbc_hosts *out)
{
    const size_t n = (size_t)n_ranks;
    struct cw_nbc_hosts hosts = {.me = -1,
                                 .n_ranks = n_ranks,
                                 .leaders = cw_new_array(n, sizeof(int), "hosts"),
                                 .of_rank = cw_new_array(n, sizeof(int), "hosts of ranks"),
                                 .among_host = cw_new_array(n, sizeof(int), "ranks of hosts"),
                                 .first = cw_new_array(n + 1, sizeof(int), "ranks of hosts"),
                                 .ranks = cw_new_array(n, sizeof(int), "ranks of hosts"),
                                 .by_fabric = cw_new_array(n, sizeof(int), "order of hosts"),
                                 .places = cw_new_array(n, sizeof(int), "order of hosts")};
    int *counts = cw_new_array(n, sizeof *counts, "ranks of hosts");
    if (!hosts.leaders || !hosts.of_rank || !hosts.among_host || !hosts.first || !hosts.ranks || !hosts.by_fabric ||
        !hosts.places || !counts || number_hosts(leaders, &hosts) != 0) {
        cw_nbc_hosts_free(&hosts);
        free(counts);
        return CW_ENOMEM;
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        const int host = hosts.of_rank[rank];
        hosts.among_host[rank] = counts[host]++;
        if (leaders[rank] == leader) hosts.me = host;
    }
    for (int host = 0; host < hosts.n; host++) hosts.first[host + 1] = hosts.first[host] + counts[host];
    for (int rank = 0; rank < n_ranks; rank++)
        hosts.ranks[hosts.first[hosts.of_rank[rank]] + hosts.among_host[rank]] = rank;
    free(counts);
    order_by_fabric(places, &hosts);
    *out = hosts;
    return 0;
}

int cw_nbc_hosts_next(const struct cw_nbc_hosts *hosts, bool by_fabric, int host, int steps)
{
    const int n = hosts->n, place = by_fabric ? hosts->places[host] : host, next = ((place + steps) % n + n) % n;
    return by_fabric ? hosts->by_fabric[next] : next;
}

/* Segments of a message, if they are neither too short nor too long: each host on the way adds the time of those that
 * are under way. */
#define PIECES   128
#define SHORTEST (16u << 10) /* bytes, a multiple of the size of any number; MPIs send them without asking first */
#define LONGEST  (1024u << 10)

uint64_t cw_nbc_hosts_segment(uint64_t bytes)
{
    const uint64_t segment = (bytes / PIECES + SHORTEST - 1) / SHORTEST * SHORTEST;
    return segment < SHORTEST ? SHORTEST : segment > LONGEST ? LONGEST : segment;
}

uint32_t cw_nbc_hosts_segments(uint64_t bytes, uint32_t n_blocks)
{
    const uint64_t most = n_blocks * cw_nbc_hosts_segment(bytes);
    return (uint32_t)((bytes + most - 1) / most);
}

void cw_nbc_hosts_free(struct cw_nbc_hosts *hosts)
{
    free(hosts->leaders);
    free(hosts->of_rank);
    free(hosts->among_host);
    free(hosts->first);
    free(hosts->ranks);
    free(hosts->by_fabric);
    free(hosts->places);
    *hosts = (struct cw_nbc_hosts){0};
}

/* --- trees -------------------------------------------------------------------------------------------------------- */

/* In times of a segment, the slowest host: along a chain each sends every segment once, and the last begins late; in a
 * binomial tree the root sends every segment to each of its children. */
enum cw_nbc_shape cw_nbc_hosts_shape(int hosts, uint32_t segments)
{
    uint32_t children = 0;
    while (1 << children < hosts) children++;
    const bool chain = (uint64_t)segments + (uint64_t)hosts - 2 <= (uint64_t)segments * children;
    return chain ? CW_NBC_CHAIN : CW_NBC_KNOMIAL;
}

#define BLOCK (8u << 10) /* bytes: the shortest of a ring, unless one is asked for */

/* In a ring each host sends 2(n - 1)/n of the vector, in a tree many of them twice the vector, but in fewer rounds. */
bool cw_nbc_hosts_go_round(const struct cw_nbc_between *between, enum cw_collective_kind collective, int hosts,
                           uint64_t bytes)
{
    if (collective != CW_COLLECTIVE_ALLREDUCE || bytes == 0) return false;
    return between->shape == CW_NBC_HOST_RING ||
           (between->shape == CW_NBC_SHAPE_AUTO && bytes >= (uint64_t)hosts * BLOCK);
}

/* Of all messages of SPEC, a broadcast among N, those from and to ME. */
static int take(const char *spec, int n, int me, struct cw_nbc_branch *branch)
{
    struct cw_schedule *schedule;
    struct cw_messages messages = {0};
    uint32_t rounds, blocks;
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
    const bool by_fabric = between->by_fabric;
    const int n = hosts->n;
    const int me = by_fabric ? (hosts->places[hosts->me] - hosts->places[root] + n) % n : (hosts->me - root + n) % n;
    const enum cw_nbc_shape shape = between->shape == CW_NBC_SHAPE_AUTO || between->shape == CW_NBC_HOST_RING
                                        ? cw_nbc_hosts_shape(n, segments)
                                        : between->shape;
    struct cw_nbc_branch branch = {.children = cw_new_array((size_t)n, sizeof(int), "hosts")};
    if (!branch.children) return CW_ENOMEM;
    char spec[32];
    snprintf(spec, sizeof spec, "knomial-bcast:%u", between->shape == CW_NBC_KNOMIAL ? between->radix : 2);
    const int rc = take(shape == CW_NBC_CHAIN ? "pipeline-bcast:1,1" : spec, n, me, &branch);
    if (rc) {
        free(branch.children);
        return rc;
    }
    if (branch.parent >= 0) branch.parent = cw_nbc_hosts_next(hosts, by_fabric, root, branch.parent);
    for (int i = 0; i < branch.n_children; i++)
        branch.children[i] = cw_nbc_hosts_next(hosts, by_fabric, root, branch.children[i]);
    *out = branch;
    return 0;
}
