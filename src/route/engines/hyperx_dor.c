/*
 * Dimension-order routing of HyperX: one hop in each dimension in which source and destination differ, in ascending
 * order (Ahn et al., SC 2009). Since there is at most one hop in a dimension, one lane is free of deadlock. Among
 * parallel cables the destination chooses, so that all are used alike.
 */
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"

/* CHANNELS begin with those to the one switch that is nearer in the lowest of the dimensions that differ. Of a bundle
 * of parallel ones the destinations behind it, counted in order, take one after another: they agree in this dimension
 * and all below. */
static uint32_t lowest_dimension(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct cw_network *net = context;
    const struct cw_hyperx *shape = &net->shape.hyperx;
    uint32_t parallel = 1;
    while (parallel < n && net->head[channels[parallel]] == net->head[channels[0]]) parallel++;
    if (parallel == 1) return channels[0];
    uint64_t behind = shape->t, ports = shape->t; /* endpoints that differ up to dimension d, ports before its end */
    for (uint32_t d = 0; ports <= channels[0] - net->first[v]; d++) {
        ports += (uint64_t)(shape->s[d] - 1) * shape->k[d];
        behind *= shape->s[d];
    }
    return channels[(dst / behind * shape->t + dst % shape->t) % parallel];
}

static int hyperx_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                          struct cw_routes **out)
{
    (void)values, (void)seed;
    return cw_minimal_tables(net, "hyperx-dor", lowest_dimension, (void *)(uintptr_t)net, n_threads, out);
}

const struct cw_engine cw_engine_hyperx_dor = {.name = "hyperx-dor",
                                               .help = "HyperX: one hop in each dimension, in ascending order",
                                               .needs = "a HyperX made by the generator",
                                               .minimal = true,
                                               .deadlock_freedom = CW_CLAIM_ACYCLIC,
                                               .shape = &cw_shape_hyperx,
                                               .maps = CW_MAPS_CARRIED,
                                               .by_default = true,
                                               .compile = hyperx_compile};
