/*
 * Minimum-hop routing of any network with the tables of OpenSM's minhop: every switch sends each destination, in an
 * order that puts those of the fullest switches first, out of the port with the fewest destinations so far among those
 * on shortest paths, the lowest of equals. The counts are a switch's own. It promises nothing about deadlock.
 */
#include <stddef.h>

#include "route/engine.h"
#include "route/engines/opensm/opensm.h"

struct options {
    struct cw_opensm_options opensm;
};

static int minhop_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                          struct cw_routes **out)
{
    (void)seed;
    const struct options *options = values;
    return cw_opensm_minimal(net, "minhop", &options->opensm, false, n_threads, out);
}

static int minhop_to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                              unsigned n_threads, uint8_t *ports)
{
    const struct options *options = values;
    return cw_opensm_minimal_to_switches(net, &options->opensm, false, routes, n_threads, ports);
}

static const struct cw_option options[] = {
    CW_OPENSM_OPTIONS(struct options), CW_OPENSM_WEIGHTS(struct options), {.name = NULL}};

const struct cw_engine cw_engine_minhop = {
    .name = "minhop",
    .help = "any network: shortest paths; each switch spreads the destinations evenly over its ports; OpenSM's tables",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct options),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .one_way = true,
    .compile = minhop_compile,
    .to_switches = minhop_to_switches};
