#include "nbc/nbc_hosts.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

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

int cw_nbc_hosts_place(const struct cw_nbc_hosts *hosts, bool by_fabric, int first, int host)
{
    const int n = hosts->n;
    return by_fabric ? (hosts->places[host] - hosts->places[first] + n) % n : (host - first + n) % n;
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
