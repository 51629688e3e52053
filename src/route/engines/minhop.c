/*
 * Minimum-hop routing of any network, balanced as OpenSM's minhop does: every switch sends each destination, in an
 * order that puts those of the fullest switches first, out of the port with the fewest destinations so far among those
 * on shortest paths, the lowest of equals. The counts are a switch's own. It promises nothing about deadlock.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"

/* CONTEXT: destinations that leave by each channel so far. */
static uint32_t least_assigned(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    (void)v, (void)dst;
    uint32_t *assigned = context, best = channels[0];
    for (uint32_t i = 1; i < n; i++)
        if (assigned[channels[i]] < assigned[best]) best = channels[i];
    assigned[best]++;
    return best;
}

static int minhop_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                          struct cw_routes **out)
{
    (void)values, (void)seed;
    uint32_t *assigned = cw_new_array(net->n_channels, sizeof *assigned, "minhop's counts");
    if (!assigned) return CW_ENOMEM;
    const int rc = cw_minimal_tables(net, "minhop", least_assigned, assigned, n_threads, out);
    free(assigned);
    return rc;
}

const struct cw_engine cw_engine_minhop = {
    .name = "minhop",
    .help = "any network: shortest paths; each switch spreads the destinations evenly over its ports",
    .needs = "any network",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .one_way = true,
    .compile = minhop_compile};
