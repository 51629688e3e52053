/*
 * Minimal routing of Megafly: up to a spine, over a global channel to the destination's group, and down (Flajslik et
 * al., ISC 2018). Up, across and down is an order of channels that no route goes against: one lane is free of deadlock.
 * Of several spines, and of several channels to a group, the destination chooses.
 */
#include "base/error.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"

#define LONGEST 5 /* host, up, across, down, host */

static uint32_t by_destination(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_network *net = context;
    const struct cw_megafly *shape = &net->shape.megafly;
    const bool spine = v >= net->n_endpoints && (v - net->n_endpoints) % (shape->l + shape->s) >= shape->l;
    return channels[(spine ? dst / shape->s : dst) % n];
}

static int megafly_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                           struct cw_routes **out)
{
    (void)values, (void)seed;
    struct cw_routes *routes;
    const int rc =
        cw_minimal_tables(net, "megafly-minimal", by_destination, (void *)(uintptr_t)net, n_threads, &routes);
    if (rc) return rc;
    if (cw_routes_max_hops(routes) > LONGEST) {
        cw_routes_free(routes);
        return cw_fail(CW_EUSAGE, "megafly-minimal: two groups are not joined by a global channel");
    }
    *out = routes;
    return 0;
}

const struct cw_engine cw_engine_megafly_minimal = {
    .name = "megafly-minimal",
    .help = "Megafly (Dragonfly+): up to a spine, across to the destination's group, and down",
    .needs = "a Megafly made by the generator",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .shape = &cw_shape_megafly,
    .maps = CW_MAPS_CARRIED,
    .by_default = true,
    .compile = megafly_compile};
