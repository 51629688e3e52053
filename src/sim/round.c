#include "sim/round.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/packets/minimal_share.h"

#define BLOCK 128 /* messages routed before they are counted: their paths stay in the first cache */

int cw_round_init(struct cw_round *round, const struct cw_routes *routes)
{
    *round = (struct cw_round){.routes = routes};
    const struct cw_network *net = cw_routes_network(routes);
    int rc = cw_round_has_ways(round) ? cw_ways_init(&round->ways, net) : 0;
    if (!rc && cw_routes_by_traffic(routes)) {
        round->minimal = cw_new_array(net->n_channels, sizeof *round->minimal, "times of channels");
        round->valiant = cw_new_array(net->n_channels, sizeof *round->valiant, "times of channels");
        rc = round->minimal && round->valiant ? 0 : CW_ENOMEM;
    }
    if (!rc && cw_routes_by_round(routes)) rc = cw_least_busy_new(routes, &round->least);
    return rc ? rc : cw_round_begin(round, BLOCK);
}

bool cw_round_has_ways(const struct cw_round *round)
{
    return cw_routes_kind(round->routes) == CW_ROUTES_WAYS;
}

int cw_round_find_ways(struct cw_round *round, size_t i)
{
    if (!round->least) return cw_routes_ways(round->routes, round->src[i], round->dst[i], &round->ways);
    cw_least_busy_ways(round->least, i, &round->ways);
    return 0;
}

void cw_round_free(struct cw_round *round)
{
    free(round->src);
    free(round->dst);
    free(round->hops);
    free(round->channels);
    cw_ways_free(&round->ways);
    cw_least_busy_free(round->least);
    free(round->minimal);
    free(round->valiant);
    *round = (struct cw_round){0};
}

int cw_round_begin(struct cw_round *round, size_t n)
{
    size_t capacity[3] = {round->capacity, round->capacity, round->capacity};
    int rc = cw_grow_array((void **)&round->src, &capacity[0], n, sizeof *round->src, "messages");
    if (!rc) rc = cw_grow_array((void **)&round->dst, &capacity[1], n, sizeof *round->dst, "messages");
    if (!rc) rc = cw_grow_array((void **)&round->hops, &capacity[2], n, sizeof *round->hops, "messages");
    if (rc) return rc;
    round->capacity = capacity[0];
    round->n = n;
    round->n_channels = 0;
    return 0;
}

/* Routes N ≤ BLOCK messages behind those that are there; *LENGTH gets the number of channels they take. */
static int route_block(struct cw_round *round, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                       size_t *length)
{
    const size_t room = BLOCK * (size_t)cw_routes_max_hops(round->routes);
    int rc = cw_grow_array((void **)&round->channels, &round->channels_capacity, round->n_channels + room,
                           sizeof *round->channels, "the paths of a round");
    if (!rc) rc = cw_routes_packed_paths(round->routes, n, src, dst, hops, round->channels + round->n_channels);
    if (rc) return rc;
    *length = 0;
    for (size_t i = 0; i < n; i++) *length += hops[i];
    return 0;
}

/* TIME[channels] of the round's messages if a share of MINIMAL goes minimally. */
static int add_times(struct cw_round *round, double minimal, double *time)
{
    const struct cw_network *net = cw_routes_network(round->routes);
    const struct cw_ways *ways = &round->ways;
    int rc = 0;
    memset(time, 0, net->n_channels * sizeof *time);
    round->ways.minimal = minimal;
    for (size_t i = 0; !rc && i < round->n; i++) {
        rc = cw_round_find_ways(round, i);
        for (size_t k = 0; !rc && k < ways->n; k++)
            time[ways->channels[k]] +=
                ways->shares[k] * (round->bytes ? round->bytes[i] : 1) / net->capacity[ways->channels[k]];
    }
    return rc;
}

static int find_minimal_share(struct cw_round *round)
{
    int rc = add_times(round, 0, round->valiant);
    if (!rc) rc = add_times(round, 1, round->minimal);
    if (!rc)
        round->ways.minimal =
            cw_minimal_share(cw_routes_network(round->routes)->n_channels, round->valiant, round->minimal);
    return rc;
}

static int share_out(struct cw_round *round, struct cw_load *load)
{
    const struct cw_ways *ways = &round->ways;
    int rc = cw_routes_by_traffic(round->routes) ? find_minimal_share(round) : 0;
    if (round->least) rc = cw_least_busy_find(round->least, round->n, round->src, round->dst, round->bytes, NULL);
    for (size_t i = 0; !rc && i < round->n; i++) {
        rc = cw_round_find_ways(round, i);
        if (!rc) rc = cw_load_share_own(load, ways->channels, ways->shares, ways->n);
    }
    return rc;
}

int cw_round_route(struct cw_round *round, struct cw_load *load)
{
    if (cw_round_has_ways(round)) return share_out(round, load);
    for (size_t i = 0; i < round->n; i += BLOCK) {
        const size_t n = round->n - i < BLOCK ? round->n - i : BLOCK;
        size_t length;
        int rc = route_block(round, n, round->src + i, round->dst + i, round->hops + i, &length);
        if (!rc) rc = cw_load_add_own(load, round->channels + round->n_channels, length);
        if (rc) return rc;
        round->n_channels += length;
    }
    return 0;
}

int cw_round_congestion(struct cw_round *round, const struct cw_load *load, struct cw_congestion *congestion)
{
    int rc = 0;
    if (!cw_round_has_ways(round)) cw_load_congestion(load, round->n, round->hops, round->channels, congestion);
    for (size_t i = 0; !rc && cw_round_has_ways(round) && i < round->n; i++) {
        rc = cw_round_find_ways(round, i);
        if (!rc) congestion[i] = cw_load_congestion_on(load, round->ways.channels, round->ways.n);
    }
    return rc;
}

void cw_round_remove(const struct cw_round *round, struct cw_load *load)
{
    if (cw_round_has_ways(round))
        cw_load_clear_all_own(load);
    else
        cw_load_clear_own(load, round->channels, round->n_channels);
}

int cw_round_add_background(struct cw_round *round, size_t n, const uint32_t *src, const uint32_t *dst,
                            struct cw_load *load)
{
    uint32_t hops[BLOCK];
    round->n = round->n_channels = 0;
    for (size_t i = 0; cw_round_has_ways(round) && i < n; i++) {
        const struct cw_ways *ways = &round->ways;
        int rc = cw_routes_ways(round->routes, src[i], dst[i], &round->ways);
        if (!rc) rc = cw_load_share_background(load, ways->channels, ways->shares, ways->n);
        if (rc) return rc;
    }
    if (cw_round_has_ways(round)) return 0;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t length;
        int rc = route_block(round, n - i < BLOCK ? n - i : BLOCK, src + i, dst + i, hops, &length);
        if (!rc) rc = cw_load_add_background(load, round->channels, length);
        if (rc) return rc;
    }
    return 0;
}
