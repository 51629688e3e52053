/*
 * Minimal routing of rail clusters: within the source's node over NVLink to the rail of the destination's GPU, along
 * that rail, and by a spine only between pods, as collective libraries send on rail-optimised clusters. Up from the
 * node to a spine at most and down again: one lane is free of deadlock. The spine is that of the destination's node.
 */
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"

/* Ways up from a node, and down from a spine, are in order of rails. */
static uint32_t rail_of_destination(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_network *net = context;
    const struct cw_rail *shape = &net->shape.rail;
    const bool leaf = v >= net->n_endpoints + shape->n && v < net->n_endpoints + shape->n + shape->l * shape->r;
    return channels[(leaf ? dst / shape->g : dst % shape->g) % n];
}

static int rail_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                        struct cw_routes **out)
{
    (void)values, (void)seed;
    return cw_minimal_tables(net, "rail-local", rail_of_destination, (void *)(uintptr_t)net, n_threads, out);
}

const struct cw_engine cw_engine_rail_local = {
    .name = "rail-local",
    .help = "rail clusters: along the rail of the destination's GPU, through a spine between pods only",
    .needs = "a rail cluster made by the generator",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .shape = &cw_shape_rail,
    .maps = CW_MAPS_CARRIED,
    .by_default = true,
    .compile = rail_compile};
