/*
 * Minhop's routes of any network, with a lane for each hop between switches: the first takes lane 0, the next lane 1.
 * Packets that always wait for a higher lane cannot wait for one another in a circle (Gopal 1985). As many lanes as the
 * longest route has hops between switches, so it is for networks of small diameter: Slim Fly needs two.
 */
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/laned_tables.h"

static int hop_lanes_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                             struct cw_routes **out)
{
    (void)values;
    struct cw_routes *tables;
    const int rc = cw_engine_route(net, "minhop", seed, n_threads, &tables);
    return rc ? rc : cw_routes_with_places(tables, "hop-lanes", NULL, 1, n_threads, out);
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
