/*
 * Random shortest paths for any network: at every switch, each destination leaves by a port that a hash of (seed,
 * switch, destination) chooses among those on shortest paths. What oblivious routing without any thought for balance
 * gives; a base line. With several LIDs for each endpoint (LMC) the ports of one destination follow one another, so
 * that its LIDs part wherever there are ports enough.
 */
#include "base/random.h"
#include "route/engine.h"
#include "route/engines/minimal_tables.h"

struct parameters {
    int64_t lid;
};

static const struct cw_option options[] = {{.name = "lid",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct parameters, lid),
                                            .value_name = "N",
                                            .default_text = "0",
                                            .min = 0,
                                            .max = 127,
                                            .help = "routes to the N-th LID of each endpoint, which take the N-th port "
                                                    "after the random one"},
                                           {.name = NULL}};

struct choice {
    uint64_t seed;
    uint32_t lid;
};

/* The high half of the hash times N, divided by 2^32, is a fair choice to within 2^-32. */
static uint32_t any_of(void *context, uint32_t v, uint32_t dst, const uint32_t *channels, uint32_t n)
{
    const struct choice *choice = context;
    const uint64_t hash = cw_random_hash(choice->seed, (uint64_t)v << 32 | dst);
    return channels[(((hash >> 32) * n >> 32) + choice->lid) % n];
}

static int random_minimal_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                                  struct cw_routes **out)
{
    const struct parameters *parameters = values;
    struct choice choice = {.seed = seed, .lid = (uint32_t)parameters->lid};
    return cw_minimal_tables(net, "random-minimal", any_of, &choice, n_threads, out);
}

const struct cw_engine cw_engine_random_minimal = {
    .name = "random-minimal",
    .help = "any network: shortest paths; each switch picks a random port for each destination",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct parameters),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .one_way = true,
    .compile = random_minimal_compile};
