/*
 * Dimension-order routing of any network whose cabling says what its dimensions are, with the tables of OpenSM's dor: a
 * port is a dimension, and a switch sends towards a destination out of its lowest port on a shortest path; where
 * several cables lead to the switch there, out of the one with the fewest destinations so far, in minhop's order. On
 * meshes and hypercubes it is free from deadlocks if every switch has the same dimension at the same port; on tori,
 * whose ports the generator orders by dimension, routes are those of `dor`, without its second lane.
 */
#include <stddef.h>

#include "route/engine.h"
#include "route/engines/minhop.h"

struct options {
    struct cw_opensm_options opensm;
};

static int dor_ports_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                             struct cw_routes **out)
{
    (void)seed;
    const struct options *options = values;
    return cw_opensm_minimal(net, "dor-ports", &options->opensm, true, n_threads, out);
}

static int dor_ports_to_switches(const struct cw_network *net, const void *values, const struct cw_routes *routes,
                                 unsigned n_threads, uint8_t *ports)
{
    const struct options *options = values;
    return cw_opensm_minimal_to_switches(net, &options->opensm, true, routes, n_threads, ports);
}

static const struct cw_option options[] = {
    CW_OPENSM_OPTIONS(struct options), CW_OPENSM_WEIGHTS(struct options), {.name = NULL}};

const struct cw_engine cw_engine_dor_ports = {
    .name = "dor-ports",
    .opensm = "dor",
    .help =
        "any network: the shortest path of the lowest ports, which stand for dimensions; the tables of OpenSM's dor",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct options),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .one_way = true,
    .compile = dor_ports_compile,
    .to_switches = dor_ports_to_switches};
