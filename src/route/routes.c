#include "route/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/shortest_ways.h"
#include "route/packets/ways.h"
#include "route/routes_internal.h"

#define BLOCK_CHANNELS 4096 /* channels of a block of routes that is counted: they stay in the first cache */
#define NAME_SIZE      256  /* in messages */

int cw_routes_new(const struct cw_network *net, const char *name, enum cw_routes_kind kind, struct cw_routes **out)
{
    struct cw_routes *routes = cw_new_array(1, sizeof *routes, "routes");
    if (!routes) return CW_ENOMEM;
    *routes = (struct cw_routes){.net = net, .kind = kind, .lanes = 1};
    routes->name = cw_copy_text(name, strlen(name));
    if (!routes->name) {
        cw_routes_free(routes);
        return CW_ENOMEM;
    }
    *out = routes;
    return 0;
}

int cw_routes_from_formula(const struct cw_network *net, const struct cw_formula *formula, void *state,
                           uint32_t max_hops, uint32_t lanes, bool by_destination, struct cw_routes **out)
{
    struct cw_routes *routes;
    const int rc = cw_routes_new(net, formula->name, CW_ROUTES_FORMULA, &routes);
    if (rc) {
        formula->free_state(state);
        return rc;
    }
    routes->formula = formula;
    routes->state = state;
    routes->max_hops = max_hops;
    routes->lanes = lanes;
    routes->by_destination = by_destination;
    *out = routes;
    return 0;
}

int cw_routes_from_packets(struct cw_packet_routing *packets, bool by_round, struct cw_routes **out)
{
    struct cw_routes *routes;
    const int rc =
        cw_routes_new(cw_packet_routing_network(packets), cw_packet_routing_name(packets), CW_ROUTES_WAYS, &routes);
    if (rc) {
        cw_packet_routing_free(packets);
        return rc;
    }
    routes->packets = packets;
    routes->by_round = by_round;
    *out = routes;
    return 0;
}

int cw_routes_over_lids(struct cw_routes *routes, struct cw_routes **out)
{
    struct cw_routes *made;
    const int rc = cw_routes_new(routes->net, routes->name, CW_ROUTES_WAYS, &made);
    if (rc) {
        cw_routes_free(routes);
        return rc;
    }
    made->lids = routes;
    for (const struct cw_routes *to = routes; to; to = to->next_lid) {
        if (to->lanes > made->lanes) made->lanes = to->lanes;
        made->lanes_unknown |= to->lanes_unknown;
    }
    *out = made;
    return 0;
}

void cw_routes_free(struct cw_routes *routes)
{
    if (!routes) return;
    if (routes->formula) routes->formula->free_state(routes->state);
    cw_lft_free(routes->tables);
    cw_paths_free(routes->paths);
    cw_packet_routing_free(routes->packets);
    cw_routes_free(routes->lids);
    cw_service_levels_free(routes->levels);
    cw_routes_free(routes->next_lid);
    free(routes->switch_ways);
    free(routes->name);
    free(routes);
}

void cw_routes_add_lid(struct cw_routes *routes, struct cw_routes *next)
{
    while (routes->next_lid) routes = routes->next_lid;
    routes->next_lid = next;
}

uint32_t cw_routes_lids(const struct cw_routes *routes)
{
    uint32_t n = 1;
    if (routes->lids) routes = routes->lids;
    while ((routes = routes->next_lid)) n++;
    return n;
}

const struct cw_routes *cw_routes_to_lid(const struct cw_routes *routes, uint32_t i)
{
    if (routes->lids) routes = routes->lids;
    while (i-- > 0) routes = routes->next_lid;
    return routes;
}

int cw_routes_need_paths(const struct cw_routes *routes)
{
    if (routes->kind != CW_ROUTES_WAYS) return 0;
    return cw_fail(CW_EUSAGE, "packets of one pair take several ways with %s, so that it has no one route",
                   routes->name);
}

bool cw_routes_by_traffic(const struct cw_routes *routes)
{
    return routes->packets && cw_packet_routing_by_traffic(routes->packets);
}

bool cw_routes_by_round(const struct cw_routes *routes)
{
    return routes->by_round;
}

bool cw_routes_by_any_ways(const struct cw_routes *routes)
{
    const struct cw_shortest_ways *ways = routes->by_round ? cw_packet_routing_state(routes->packets) : NULL;
    return ways && ways->any;
}

int cw_routes_ways(const struct cw_routes *routes, uint32_t src, uint32_t dst, struct cw_ways *ways)
{
    return routes->lids ? cw_ways_find_lids(routes->lids, src, dst, ways)
                        : cw_ways_find(routes->packets, src, dst, ways);
}

const struct cw_network *cw_routes_network(const struct cw_routes *routes)
{
    return routes->net;
}

const char *cw_routes_name(const struct cw_routes *routes)
{
    return routes->name;
}

uint32_t cw_routes_max_hops(const struct cw_routes *routes)
{
    return routes->max_hops;
}

uint32_t cw_routes_lanes(const struct cw_routes *routes)
{
    return routes->lanes;
}

bool cw_routes_lanes_known(const struct cw_routes *routes)
{
    return !routes->lanes_unknown;
}

uint64_t cw_routes_load_bound(const struct cw_routes *routes)
{
    return routes->load_bound;
}

enum cw_routes_kind cw_routes_kind(const struct cw_routes *routes)
{
    return routes->kind;
}

bool cw_routes_by_destination(const struct cw_routes *routes)
{
    return routes->by_destination;
}

int cw_fail_hole(const struct cw_network *net, uint32_t v, uint32_t dst)
{
    char at[NAME_SIZE], to[NAME_SIZE];
    bool closed = false;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) closed |= cw_network_is_closed(net, c);
    return cw_fail(CW_EROUTE, "%s has no route to %s%s", cw_network_name(net, v, at, sizeof at),
                   cw_network_name(net, dst, to, sizeof to),
                   closed ? ", or one by a cable that works in the other direction only" : "");
}

int cw_fail_loop(const struct cw_network *net, uint32_t src, uint32_t v, uint32_t dst)
{
    char from[NAME_SIZE], at[NAME_SIZE], to[NAME_SIZE];
    cw_network_name(net, src, from, sizeof from);
    cw_network_name(net, v, at, sizeof at);
    cw_network_name(net, dst, to, sizeof to);
    if (!cw_network_forwards(net, v))
        return cw_fail(CW_EROUTE, "the route from %s to %s ends at endpoint %s, which forwards nothing", from, to, at);
    return cw_fail(CW_EROUTE, "the route from %s to %s is a loop through %s", from, to, at);
}

int cw_fail_discarded(const struct cw_network *net, uint32_t before, uint32_t channel, uint32_t sl)
{
    char at[NAME_SIZE], out[2 * NAME_SIZE];
    cw_network_name(net, net->tail[channel], at, sizeof at);
    cw_network_channel_name(net, channel, out, sizeof out);
    if (before == CW_NONE)
        return cw_fail(CW_EROUTE, "%s discards its packets of service level %u to %s: they are mapped to lane %u", at,
                       sl, out, CW_LANE_DISCARDED);
    return cw_fail(CW_EROUTE, "%s discards packets of service level %u from port %u to %s: they are mapped to lane %u",
                   at, sl, cw_network_port(net, net->twin[before]), out, CW_LANE_DISCARDED);
}

/* --- in batches -------------------------------------------------------------------------------------------------- */

/* The lane of a hop of tables from SRC to DST, which is CHANNEL after BEFORE. */
static int hop_lane(const struct cw_routes *routes, uint32_t src, uint32_t dst, uint32_t before, uint32_t channel,
                    uint8_t *lane)
{
    const uint32_t sl = cw_service_levels_of(routes->levels, src, dst);
    if (sl >= CW_SERVICE_LEVELS) return cw_fail_hole(routes->net, src, dst);
    const uint32_t found = cw_service_levels_lane(routes->levels, before, channel, sl);
    if (found == CW_LANE_DISCARDED) return cw_fail_discarded(routes->net, before, channel, sl);
    *lane = (uint8_t)found;
    return 0;
}

/* Fills in the lanes of routes that are tables with service levels. */
static int fill_lanes(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                      const uint32_t *hops, const uint32_t *channels, uint8_t *lanes)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++, channels += routes->max_hops, lanes += routes->max_hops)
        for (uint32_t h = 0; h < hops[i] && rc == 0; h++)
            rc = hop_lane(routes, src[i], dst[i], h > 0 ? channels[h - 1] : CW_NONE, channels[h], &lanes[h]);
    return rc;
}

static int formula_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                         uint32_t *hops, uint32_t *channels, uint8_t *lanes)
{
    const uint32_t stride = routes->max_hops;
    for (size_t i = 0; i < n; i += CW_FORMULA_BLOCK) {
        const size_t block = n - i < CW_FORMULA_BLOCK ? n - i : CW_FORMULA_BLOCK;
        const int rc = routes->formula->paths(routes->state, block, src + i, dst + i, hops + i, channels + i * stride,
                                              stride, lanes ? lanes + i * stride : NULL);
        if (rc) return rc;
    }
    return 0;
}

static int explicit_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                          uint32_t *hops, uint32_t *channels)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t length = 0;
        if (src[i] != dst[i]) {
            const uint32_t *path = cw_paths_of_pair(routes->paths, src[i], dst[i], &length);
            if (!path) return cw_fail_hole(routes->net, src[i], dst[i]);
            memcpy(channels + i * routes->max_hops, path, length * sizeof *path);
        }
        hops[i] = length;
    }
    return 0;
}

int cw_routes_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                    uint32_t *channels, uint8_t *lanes)
{
    if (lanes && routes->lanes == 1 && !routes->levels) {
        memset(lanes, 0, n * routes->max_hops);
        lanes = NULL;
    }
    int rc;
    switch (routes->kind) {
    case CW_ROUTES_TABLE:
        rc = cw_lft_paths(routes, n, src, dst, hops, channels);
        return rc || !lanes ? rc : fill_lanes(routes, n, src, dst, hops, channels, lanes);
    case CW_ROUTES_PATHS:
        return explicit_paths(routes, n, src, dst, hops, channels);
    case CW_ROUTES_FORMULA:
        return formula_paths(routes, n, src, dst, hops, channels, lanes);
    case CW_ROUTES_WAYS:
        return cw_routes_need_paths(routes);
    }
    return cw_fail(CW_EINTERNAL, "routes of unknown kind %d", (int)routes->kind);
}

static int packed_formula_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                                uint32_t *hops, uint32_t *channels)
{
    for (size_t i = 0; i < n; i += CW_FORMULA_BLOCK) {
        const size_t block = n - i < CW_FORMULA_BLOCK ? n - i : CW_FORMULA_BLOCK;
        const int rc = routes->formula->paths(routes->state, block, src + i, dst + i, hops + i, channels, 0, NULL);
        if (rc) return rc;
        for (size_t k = 0; k < block; k++) channels += hops[i + k];
    }
    return 0;
}

int cw_routes_packed_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                           uint32_t *hops, uint32_t *channels)
{
    if (routes->kind == CW_ROUTES_FORMULA) return packed_formula_paths(routes, n, src, dst, hops, channels);
    const int rc = cw_routes_paths(routes, n, src, dst, hops, channels, NULL);
    const uint32_t *path = channels;
    for (size_t i = 0; rc == 0 && i < n; i++, path += routes->max_hops) {
        if (channels != path) memmove(channels, path, hops[i] * sizeof *path);
        channels += hops[i];
    }
    return rc;
}

/* Counts N routes, BLOCK at a time; CHANNELS has room for a block. */
static int count_blocks(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                        size_t block, uint32_t *channels, uint32_t *load)
{
    uint32_t hops[BLOCK_CHANNELS];
    for (size_t i = 0; i < n; i += block) {
        if (block > n - i) block = n - i;
        const int rc = cw_routes_packed_paths(routes, block, src + i, dst + i, hops, channels);
        if (rc) return rc;
        size_t total = 0;
        for (size_t j = 0; j < block; j++) total += hops[j];
        for (size_t h = 0; h < total; h++) load[channels[h]]++;
    }
    return 0;
}

int cw_routes_count(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *load)
{
    const int several = cw_routes_need_paths(routes);
    if (several) return several;
    const uint32_t stride = routes->max_hops;
    if (stride <= BLOCK_CHANNELS) {
        uint32_t channels[BLOCK_CHANNELS];
        return count_blocks(routes, n, src, dst, BLOCK_CHANNELS / stride, channels, load);
    }
    uint32_t *channels = cw_new_array(stride, sizeof *channels, "a route");
    if (!channels) return CW_ENOMEM;
    const int rc = count_blocks(routes, n, src, dst, 1, channels, load);
    free(channels);
    return rc;
}

uint32_t cw_routes_most_runs(const struct cw_routes *routes)
{
    const struct cw_formula *formula = routes->formula;
    return formula && formula->most_runs ? formula->most_runs(routes->state) : 0;
}

size_t cw_routes_runs(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                      uint32_t *n_runs, struct cw_run *runs)
{
    return routes->formula->runs(routes->state, n, src, dst, n_runs, runs);
}

void cw_routes_places(const struct cw_routes *routes, uint32_t *place)
{
    routes->formula->places(routes->state, place);
}

/* --- one step at a time ------------------------------------------------------------------------------------------ */

/* Fills the whole path of a walk whose routes are not tables. A pair without one has a path of no hops. */
static int fill_path(struct cw_walk *walk)
{
    const struct cw_routes *routes = walk->routes;
    if (!walk->path) walk->path = cw_new_array(routes->max_hops, sizeof *walk->path, "a route");
    if (!walk->lanes) walk->lanes = cw_new_array(routes->max_hops, sizeof *walk->lanes, "a route");
    if (!walk->path || !walk->lanes) return CW_ENOMEM;
    walk->length = 0;
    const bool has_path = routes->kind != CW_ROUTES_PATHS || walk->src == walk->dst ||
                          cw_paths_of_pair(routes->paths, walk->src, walk->dst, &walk->length);
    if (!has_path) return 0;
    return cw_routes_paths(routes, 1, &walk->src, &walk->dst, &walk->length, walk->path, walk->lanes);
}

int cw_walk_begin(struct cw_walk *walk, const struct cw_routes *routes, uint32_t src, uint32_t dst)
{
    if (src >= routes->net->n_endpoints || dst >= routes->net->n_endpoints)
        return cw_fail(CW_EUSAGE, "a route from vertex %u to vertex %u; endpoints are 0 to %u", src, dst,
                       routes->net->n_endpoints - 1);
    const int several = cw_routes_need_paths(routes);
    if (several) return several;
    if (walk->routes != routes) cw_walk_end(walk);
    walk->routes = routes;
    walk->src = walk->vertex = src;
    walk->dst = dst;
    walk->hops = 0;
    walk->before = CW_NONE;
    return routes->kind == CW_ROUTES_TABLE ? 0 : fill_path(walk);
}

void cw_walk_end(struct cw_walk *walk)
{
    free(walk->path);
    free(walk->lanes);
    *walk = (struct cw_walk){0};
}

int cw_walk_candidates(struct cw_walk *walk, struct cw_hop *out, int max)
{
    const struct cw_network *net = walk->routes->net;
    if (walk->vertex == walk->dst || max < 1) return 0;
    if (walk->routes->kind != CW_ROUTES_TABLE) {
        if (walk->hops >= walk->length) return cw_fail_hole(net, walk->vertex, walk->dst);
        *out = (struct cw_hop){.channel = walk->path[walk->hops], .lane = walk->lanes[walk->hops]};
        return 1;
    }
    const bool through_endpoint = walk->hops > 0 && !cw_network_forwards(net, walk->vertex);
    if (through_endpoint || walk->hops >= net->n_vertices) return cw_fail_loop(net, walk->src, walk->vertex, walk->dst);
    const uint32_t channel = cw_lft_channel(walk->routes->tables, walk->vertex, walk->dst);
    if (channel == CW_NONE) return cw_fail_hole(net, walk->vertex, walk->dst);
    *out = (struct cw_hop){.channel = channel};
    if (!walk->routes->levels) return 1;
    const int rc = hop_lane(walk->routes, walk->src, walk->dst, walk->before, channel, &out->lane);
    return rc ? rc : 1;
}

void cw_walk_take(struct cw_walk *walk, struct cw_hop hop)
{
    walk->vertex = walk->routes->net->head[hop.channel];
    walk->before = hop.channel;
    walk->hops++;
}
