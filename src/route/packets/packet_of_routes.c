/*
 * Routes as a packet routing: one candidate at each hop, with the routes' lane.
 *
 * Forwarding tables are looked up, with the lanes of their service levels if they have any. Closed forms with one lane
 * whose routes depend on the destination only become tables first where that takes about a second or less. For all
 * other routes a packet carries its source endpoint in `via`, and its path is found again at every switch; where it is
 * on the path is told by the channel it arrived by.
 *
 * Of routes over all LIDs a packet draws one at its source, every one equally likely, and keeps it in the lowest bits
 * of `via`. It then follows the tables to that LID, on their lanes.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engines/shortest_ways.h"
#include "route/packets/packet_routing.h"
#include "route/routes_internal.h"

#define MOST_LANES      8
#define MOST_HOPS       256   /* of a path that is found at every switch: it is kept on the stack */
#define TABLE_ENDPOINTS 32768 /* most for which tables are made of a closed form */

struct follower {
    const struct cw_network *net;
    struct cw_routes *routes;
    const struct cw_routes **to_lid; /* [n_lids] of the routes, or these alone */
    uint32_t n_lids, lid_bits;       /* of `via`: the least that hold a LID's place */
    uint32_t n_switches;
    uint32_t *one_of; /* [n_switches] an endpoint there with no other cable, CW_NONE if there is none */
};

static void follower_free(void *state)
{
    struct follower *follower = state;
    cw_routes_free(follower->routes);
    free(follower->to_lid);
    free(follower->one_of);
    free(follower);
}

/* The routes that PACKET has drawn. */
static const struct cw_routes *drawn_routes(const struct follower *follower, const struct cw_packet *packet)
{
    return follower->to_lid[packet->via & ((1u << follower->lid_bits) - 1)];
}

static uint32_t lid_choices(const void *state, uint32_t sw, uint32_t dst)
{
    (void)sw, (void)dst;
    return ((const struct follower *)state)->n_lids;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static uint32_t lid_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                           struct cw_packet packet)
{
    (void)sw, (void)view, (void)packet;
    return cw_choice(random, ((const struct follower *)state)->n_lids);
}

static int table_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                      uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)in, (void)lane, (void)view, (void)random, (void)max;
    const struct follower *follower = state;
    const uint32_t channel = cw_lft_channel(drawn_routes(follower, packet)->tables, sw, packet->dst);
    if (channel == CW_NONE) return cw_fail_hole(follower->net, sw, packet->dst);
    *out = (struct cw_hop){channel, 0};
    return 1;
}

/* Those of the route from switch V to DST by TABLES. A hole ends it: no packet is sent on such a route. A loop is an
 * error: a packet on it would never arrive, nor be waited for. */
static int table_route_dependencies(const struct follower *follower, const struct cw_lft *tables, uint32_t v,
                                    uint32_t dst, int (*edge)(void *, struct cw_hop, struct cw_hop), void *context)
{
    const struct cw_network *net = follower->net;
    const uint32_t start = v;
    uint32_t before = CW_NONE;
    for (uint32_t hops = 0; v != dst; hops++) {
        if (!cw_network_forwards(net, v) || hops > follower->n_switches)
            return cw_fail_loop(net, follower->one_of[start - net->n_endpoints], v, dst);
        const uint32_t channel = cw_lft_channel(tables, v, dst);
        if (channel == CW_NONE) return 0;
        v = net->head[channel];
        if (v == dst) return 0;
        const int rc = before == CW_NONE ? 0 : edge(context, (struct cw_hop){before, 0}, (struct cw_hop){channel, 0});
        if (rc) return rc;
        before = channel;
    }
    return 0;
}

static int table_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                              void *context)
{
    const struct follower *follower = state;
    const struct cw_network *net = follower->net;
    int rc = 0;
    for (uint32_t lid = 0; lid < follower->n_lids; lid++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            for (uint32_t i = 0; i < follower->n_switches && rc == 0; i++)
                if (follower->one_of[i] != CW_NONE)
                    rc = table_route_dependencies(follower, follower->to_lid[lid]->tables, net->n_endpoints + i, dst,
                                                  edge, context);
    return rc;
}

static const struct cw_packet_routing_ops table_ops = {
    .next = table_next, .dependencies = table_dependencies, .free_state = follower_free};

static const struct cw_packet_routing_ops lid_ops = {.choices = lid_choices,
                                                     .inject = lid_inject,
                                                     .next = table_next,
                                                     .dependencies = table_dependencies,
                                                     .free_state = follower_free};

/* --- tables with service levels ----------------------------------------------------------------------------------- */

/* The hop by ROUTES of a packet from SRC at switch SW to which it came by BEFORE; channels into endpoints have one
 * lane. */
static int levels_hop(const struct cw_routes *routes, uint32_t sw, uint32_t before, uint32_t src, uint32_t dst,
                      struct cw_hop *out)
{
    const struct cw_network *net = routes->net;
    const uint32_t channel = cw_lft_channel(routes->tables, sw, dst);
    const uint32_t level = channel == CW_NONE ? CW_SERVICE_LEVELS : cw_service_levels_of(routes->levels, src, dst);
    if (level >= CW_SERVICE_LEVELS) return cw_fail_hole(net, sw, dst);
    const uint32_t lane = cw_service_levels_lane(routes->levels, before, channel, level);
    if (lane == CW_LANE_DISCARDED) return cw_fail_discarded(net, before, channel, level);
    *out = (struct cw_hop){channel, cw_network_is_endpoint(net, net->head[channel]) ? 0 : (uint8_t)lane};
    return 0;
}

static int levels_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                       uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)view, (void)random, (void)max;
    const struct follower *follower = state;
    const uint32_t via = packet->via, src = via >> follower->lid_bits;
    const uint32_t before = in == CW_NONE ? cw_network_first(follower->net, src) : in;
    const int rc = levels_hop(drawn_routes(follower, packet), sw, before, src, packet->dst, out);
    return rc ? rc : 1;
}

/* Those of the route from SRC to DST by ROUTES, as table_route_dependencies has them. */
static int levels_route_dependencies(const struct cw_routes *routes, uint32_t src, uint32_t dst,
                                     int (*edge)(void *, struct cw_hop, struct cw_hop), void *context)
{
    const struct cw_network *net = routes->net;
    const uint32_t n_switches = cw_network_switches(net);
    struct cw_hop before = {net->first[src], 0}, hop;
    for (uint32_t hops = 0;; hops++) {
        const uint32_t v = net->head[before.channel];
        if (v == dst) return 0;
        if (!cw_network_forwards(net, v) || hops > n_switches) return cw_fail_loop(net, src, v, dst);
        if (cw_lft_channel(routes->tables, v, dst) == CW_NONE ||
            levels_hop(routes, v, before.channel, src, dst, &hop) != 0)
            return 0; /* no packet is sent on such a route */
        if (hops > 0 && net->head[hop.channel] != dst) {
            const int rc = edge(context, before, hop);
            if (rc) return rc;
        }
        before = hop;
    }
}

static int levels_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                               void *context)
{
    const struct follower *follower = state;
    const struct cw_network *net = follower->net;
    int rc = 0;
    for (uint32_t lid = 0; lid < follower->n_lids; lid++)
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < net->n_endpoints && rc == 0; dst++)
                if (src != dst && cw_network_degree(net, src) > 0)
                    rc = levels_route_dependencies(follower->to_lid[lid], src, dst, edge, context);
    return rc;
}

/* --- paths and closed forms --------------------------------------------------------------------------------------- */

/* A path: explicit ones stay where they are, closed forms are put into the room. */
struct path {
    const uint32_t *channels;
    const uint8_t *lanes; /* NULL: 0 everywhere */
    uint32_t length;
    uint32_t channel_room[MOST_HOPS];
    uint8_t lane_room[MOST_HOPS];
};

/* Finds the path from SRC to DST, two different endpoints. False if there is none. */
static bool find_path(const struct cw_routes *routes, uint32_t src, uint32_t dst, struct path *path)
{
    path->lanes = NULL;
    if (routes->kind == CW_ROUTES_PATHS) {
        path->channels = cw_paths_of_pair(routes->paths, src, dst, &path->length);
        return path->channels != NULL;
    }
    path->channels = path->channel_room;
    if (routes->lanes > 1) path->lanes = path->lane_room;
    return cw_routes_paths(routes, 1, &src, &dst, &path->length, path->channel_room,
                           routes->lanes > 1 ? path->lane_room : NULL) == 0;
}

/* The hop of a path at place I; channels from and to endpoints have one lane. */
static struct cw_hop hop_at(const struct cw_network *net, const struct path *path, uint32_t i)
{
    const uint32_t channel = path->channels[i];
    const bool lanes = path->lanes && !cw_network_is_endpoint(net, net->head[channel]);
    return (struct cw_hop){channel, lanes ? path->lanes[i] : 0};
}

/* The source stays in `via`. Where it is not known, one endpoint of the switch stands for all. */
static uint32_t path_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                            struct cw_packet packet)
{
    (void)view, (void)random;
    const struct follower *follower = state;
    const struct cw_network *net = follower->net;
    const uint32_t src = packet.via;
    if (src >= net->n_endpoints || cw_network_degree(net, src) == 0 || net->head[net->first[src]] != sw)
        return follower->one_of[sw - net->n_endpoints];
    return src;
}

/* The LID that is drawn stays below it. */
static uint32_t levels_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                              struct cw_packet packet)
{
    const struct follower *follower = state;
    return path_inject(state, sw, view, random, packet) << follower->lid_bits | cw_choice(random, follower->n_lids);
}

/* A path that returns to a channel is cut short: the last time counts. */
static int path_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                     uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)lane, (void)view, (void)random, (void)max;
    const struct follower *follower = state;
    struct path path;
    if (!find_path(follower->to_lid[0], packet->via, packet->dst, &path))
        return cw_fail_hole(follower->net, sw, packet->dst);
    uint32_t i = in == CW_NONE ? 1 : path.length;
    while (i > 1 && path.channels[i - 1] != in) i--;
    if (i >= path.length || follower->net->tail[path.channels[i]] != sw)
        return cw_fail_hole(follower->net, sw, packet->dst);
    *out = hop_at(follower->net, &path, i);
    return 1;
}

static int path_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                             void *context)
{
    const struct follower *follower = state;
    const struct cw_network *net = follower->net;
    const bool by_destination = follower->to_lid[0]->by_destination;
    struct path path;
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        if (cw_network_degree(net, src) == 0) continue;
        const uint32_t sw = net->head[net->first[src]] - net->n_endpoints;
        if (by_destination && follower->one_of[sw] != src) continue;
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            int rc = 0;
            if (src == dst || !find_path(follower->to_lid[0], src, dst, &path)) continue;
            for (uint32_t i = 1; i + 2 < path.length && rc == 0; i++)
                rc = edge(context, hop_at(net, &path, i), hop_at(net, &path, i + 1));
            if (rc) return rc;
        }
    }
    return 0;
}

static const struct cw_packet_routing_ops levels_ops = {.choices = lid_choices,
                                                        .inject = levels_inject,
                                                        .next = levels_next,
                                                        .dependencies = levels_dependencies,
                                                        .free_state = follower_free};

static const struct cw_packet_routing_ops path_ops = {
    .inject = path_inject, .next = path_next, .dependencies = path_dependencies, .free_state = follower_free};

/* --- making one --------------------------------------------------------------------------------------------------- */

static int check_limits(const struct cw_routes *routes)
{
    if (routes->kind == CW_ROUTES_WAYS && !routes->lids) return cw_routes_need_paths(routes);
    if (routes->lanes > MOST_LANES)
        return cw_fail(CW_ELIMIT, "%s uses %u lanes, expected at most %d", routes->name, routes->lanes, MOST_LANES);
    if (routes->lids) routes = routes->lids;
    if (routes->kind == CW_ROUTES_FORMULA && routes->max_hops > MOST_HOPS)
        return cw_fail(CW_ELIMIT, "routes of %s have up to %u hops, expected at most %d", routes->name,
                       routes->max_hops, MOST_HOPS);
    return 0;
}

/* Puts tables in the place of a closed form where it pays. */
static int to_tables(struct follower *follower)
{
    const struct cw_routes *routes = follower->routes;
    struct cw_routes *tables;
    if (routes->kind != CW_ROUTES_FORMULA || !routes->by_destination || routes->lanes > 1 ||
        routes->net->n_endpoints > TABLE_ENDPOINTS)
        return 0;
    const int rc = cw_routes_to_tables(routes, 1, &tables);
    if (rc) return rc;
    cw_routes_free(follower->routes);
    follower->routes = tables;
    return 0;
}

/* Lists the routes to each LID. */
static int find_lids(struct follower *follower)
{
    const struct cw_routes *routes = follower->routes;
    follower->n_lids = routes->kind == CW_ROUTES_WAYS ? cw_routes_lids(routes) : 1;
    follower->to_lid = cw_new_array(follower->n_lids, sizeof *follower->to_lid, "routes to LIDs");
    if (!follower->to_lid) return CW_ENOMEM;
    while (1u << follower->lid_bits < follower->n_lids) follower->lid_bits++;
    if (follower->lid_bits > 0 && routes->net->n_endpoints > (uint32_t)CW_VIA_NONE >> follower->lid_bits)
        return cw_fail(CW_ELIMIT, "%u endpoints with %u LIDs each, expected at most %d LIDs", routes->net->n_endpoints,
                       follower->n_lids, CW_VIA_NONE);
    for (uint32_t i = 0; i < follower->n_lids; i++) {
        follower->to_lid[i] = routes->kind == CW_ROUTES_WAYS ? cw_routes_to_lid(routes, i) : routes;
        if (!follower->to_lid[i]->levels != !follower->to_lid[0]->levels)
            return cw_fail(
                CW_EUSAGE,
                "%s: service levels are known for some LIDs only, so that lanes of packets to the others are "
                "not; expected them for all, or packets to first LIDs",
                routes->name);
    }
    return 0;
}

static int find_sources(struct follower *follower)
{
    const struct cw_network *net = follower->net;
    follower->one_of = cw_new_array(follower->n_switches, sizeof *follower->one_of, "sources of packets");
    if (!follower->one_of) return CW_ENOMEM;
    for (uint32_t i = 0; i < follower->n_switches; i++) follower->one_of[i] = CW_NONE;
    for (uint32_t v = net->n_endpoints; v-- > 0;) {
        if (cw_network_degree(net, v) != 1) continue;
        const uint32_t head = net->head[net->first[v]];
        if (!cw_network_is_endpoint(net, head)) follower->one_of[head - net->n_endpoints] = v;
    }
    return 0;
}

static int make(struct follower *follower, struct cw_packet_routing **out)
{
    const struct cw_network *net = follower->net;
    const struct cw_routes *routes = follower->routes;
    uint8_t *lanes = cw_new_array(net->n_channels, sizeof *lanes, "lanes");
    if (lanes) cw_lanes_between_switches(net, routes->lanes, lanes);
    const struct cw_packet_routing_ops *ops = follower->to_lid[0]->kind != CW_ROUTES_TABLE ? &path_ops
                                              : follower->to_lid[0]->levels                ? &levels_ops
                                              : follower->n_lids > 1                       ? &lid_ops
                                                                                           : &table_ops;
    return cw_packet_routing_make(net, routes->name, ops, follower, lanes, out);
}

int cw_packet_routing_of_routes(struct cw_routes *routes, struct cw_packet_routing **out)
{
    struct follower *follower = cw_new_array(1, sizeof *follower, "a packet routing");
    if (!follower) {
        cw_routes_free(routes);
        return CW_ENOMEM;
    }
    *follower = (struct follower){.net = routes->net, .routes = routes, .n_switches = cw_network_switches(routes->net)};
    int rc = check_limits(routes);
    if (rc == 0) rc = to_tables(follower);
    if (rc == 0) rc = find_lids(follower);
    if (rc == 0) rc = find_sources(follower);
    if (rc) {
        follower_free(follower);
        return rc;
    }
    return make(follower, out);
}
