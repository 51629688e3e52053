/*
 * Minhop's routes of any network, with a lane for each hop between switches: the first takes lane 0, the next lane 1.
 * Packets that always wait for a higher lane cannot wait for one another in a circle (Gopal 1985). As many lanes as the
 * longest route has hops between switches, so it is for networks of small diameter: Slim Fly needs two.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/routes_internal.h"

struct hop_lanes {
    struct cw_routes *tables; /* minhop's */
};

/* One route into CHANNELS and, unless NULL, LANES; its hops, 0 if there is none (or SRC is DST). */
static uint32_t walk(const struct cw_lft *tables, uint32_t src, uint32_t dst, uint32_t *channels, uint8_t *lanes)
{
    const struct cw_network *net = tables->net;
    uint32_t hops = 0;
    for (uint32_t v = src; v != dst; v = net->head[channels[hops - 1]]) {
        channels[hops] = cw_lft_channel(tables, v, dst);
        if (channels[hops] == CW_NONE) return 0;
        const bool last = net->head[channels[hops]] == dst;
        if (lanes) lanes[hops] = hops == 0 || last ? 0 : (uint8_t)(hops - 1);
        hops++;
    }
    return hops;
}

static int paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    const struct hop_lanes *routes = state;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        hops[i] = walk(routes->tables->tables, src[i], dst[i], channels + at, lanes ? lanes + at : NULL);
        if (hops[i] == 0 && src[i] != dst[i]) return cw_fail_hole(routes->tables->net, src[i], dst[i]);
        at += stride > 0 ? stride : hops[i];
    }
    return 0;
}

static void free_state(void *state)
{
    struct hop_lanes *routes = state;
    cw_routes_free(routes->tables);
    free(routes);
}

static int hop_lanes_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                             struct cw_routes **out)
{
    (void)values;
    static const struct cw_formula formula = {.name = "hop-lanes", .paths = paths, .free_state = free_state};
    struct hop_lanes *routes = cw_new_array(1, sizeof *routes, "routes with a lane for each hop");
    if (!routes) return CW_ENOMEM;
    int rc = cw_engine_route(net, "minhop", seed, n_threads, &routes->tables);
    const uint32_t hops = rc ? 0 : cw_routes_max_hops(routes->tables);
    if (!rc && hops > UINT8_MAX)
        rc = cw_fail(CW_ELIMIT, "routes have up to %u hops and need as many lanes; at most %d are possible", hops,
                     UINT8_MAX);
    if (rc) {
        free_state(routes);
        return rc;
    }
    return cw_routes_from_formula(net, &formula, routes, hops, hops > 3 ? hops - 2 : 1, true, out);
}

static bool hop_lanes_made_for(const struct cw_shape *shape)
{
    return shape->kind && shape->kind->low_diameter;
}

const struct cw_engine cw_engine_hop_lanes = {
    .name = "hop-lanes",
    .help = "minhop's routes; the lane increases at every hop between switches, which prevents deadlock",
    .needs = "cables that work in both directions",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .by_default = true,
    .made_for = hop_lanes_made_for,
    .compile = hop_lanes_compile};
