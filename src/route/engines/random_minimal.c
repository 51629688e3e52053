/*
 * Random shortest paths for any network: at every switch, each destination leaves by a port that a hash of (seed,
 * switch, destination) chooses among those on shortest paths. What oblivious routing without any thought for balance
 * gives; a base line.
 */
#include "base/random.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"

/* CONTEXT: the seed. The high half of the hash times N, divided by 2^32, is a fair choice to within 2^-32. */
static uint32_t any_of(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const uint64_t *seed = context;
    const uint64_t hash = cw_random_hash(*seed, (uint64_t)v << 32 | dst);
    return channels[(hash >> 32) * n >> 32];
}

static bool random_minimal_accepts(const struct cw_network *net, const void *values)
{
    (void)net, (void)values;
    return true;
}

static int random_minimal_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                                  struct cw_routes **out)
{
    (void)values;
    return cw_minimal_tables(net, "random-minimal", any_of, &seed, n_threads, out);
}

const struct cw_engine cw_engine_random_minimal = {
    .name = "random-minimal",
    .help = "any network: a random one of the shortest paths at every switch, for each destination",
    .needs = "any network",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .accepts = random_minimal_accepts,
    .compile = random_minimal_compile};
