/*
 * Minimal routing that lowers the load of the busiest channel when every endpoint sends to every other, or for traffic
 * of which it is known who sends how much to whom.
 *
 * The routes of sssp, with prices that rise so steeply with the load that a way is as dear as its busiest channel; all
 * routes are laid again and again, each destination beside all others, as long as that lowers the busiest channel
 * between switches, or, with that as it is, the sum of squares. A local search: nothing is proven of the result, but
 * the mean, which shortest routes cannot change, bounds it from below.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "route/engine.h"
#include "route/engines/balanced/balanced_trees.h"
#include "route/engines/balanced/load_bound.h"
#include "route/routes_internal.h"

#define BEGIN    2u /* rounds as sssp */
#define PATIENCE 3u /* rounds without a gain after which it ends */

struct parameters {
    int64_t rounds;
};

static const struct cw_option options[] = {{.name = "rounds",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct parameters, rounds),
                                            .value_name = "N",
                                            .default_text = "30",
                                            .min = 1,
                                            .max = 1e6,
                                            .help = "after the routes of sssp, lay all at most so many times again"},
                                           {.name = NULL}};

/* How good routes are: the smaller the better. */
struct score {
    uint64_t busiest;
    double squares;
};

struct rounds {
    struct cw_balanced_trees trees;
    struct cw_tables *tables;
    uint32_t longest;
    struct score best;
    uint64_t bound;
    uint8_t *kept; /* the entries of the best tables */
    size_t bytes;
};

/* The eighth power of the load. */
static double steep(uint64_t load)
{
    const double x = (double)load * (double)load, y = x * x;
    return y * y;
}

static void *entries_of(struct cw_tables *tables)
{
    return tables->narrow ? (void *)tables->narrow : (void *)tables->wide;
}

static int lay_round(struct rounds *rounds, bool again)
{
    struct cw_balanced_trees *trees = &rounds->trees;
    int rc = 0;
    for (uint32_t i = 0; i < trees->n_order && rc == 0; i++) {
        if (again) cw_trees_lift(trees, trees->order[i], rounds->tables);
        cw_trees_search(trees, trees->order[i]);
        cw_trees_lay(trees);
        cw_trees_enter(trees, rounds->tables);
        if (cw_trees_longest(trees) > rounds->longest) rounds->longest = cw_trees_longest(trees);
        rc = cw_interrupt_check();
    }
    return rc;
}

static struct score score_of(const struct cw_balanced_trees *trees)
{
    const struct cw_network *net = trees->net;
    struct score score = {0, 0};
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_endpoint(net, net->head[c]) || cw_network_is_endpoint(net, net->tail[c])) continue;
        if (trees->load[c] > score.busiest) score.busiest = trees->load[c];
        score.squares += (double)trees->load[c] * (double)trees->load[c];
    }
    return score;
}

/* Keeps the tables if they are better than those that were kept. */
static bool keep_better(struct rounds *rounds)
{
    const struct score score = score_of(&rounds->trees), best = rounds->best;
    if (score.busiest > best.busiest || (score.busiest == best.busiest && score.squares >= best.squares)) return false;
    rounds->best = score;
    memcpy(rounds->kept, entries_of(rounds->tables), rounds->bytes);
    return true;
}

static int improve(struct rounds *rounds, uint32_t most)
{
    uint32_t gained = 0;
    int rc = 0;
    for (uint32_t round = 0; round < BEGIN + most && round - gained <= PATIENCE && rc == 0; round++) {
        if (round == BEGIN) cw_trees_reprice(&rounds->trees, steep);
        rc = lay_round(rounds, round > 0);
        if (rc == 0 && keep_better(rounds)) gained = round;
    }
    if (rc == 0) rc = cw_load_bound(&rounds->trees, &rounds->bound);
    if (rc == 0 && rounds->trees.first_pair) cw_load_bound_of_tables(&rounds->trees, &rounds->bound);
    if (rc == 0) memcpy(entries_of(rounds->tables), rounds->kept, rounds->bytes);
    return rc;
}

static int new_rounds(const struct cw_network *net, struct rounds *rounds)
{
    int rc = cw_tables_new(net, &rounds->tables);
    if (rc == 0) rc = cw_trees_new(net, &rounds->trees);
    if (rc) return rc;
    rounds->bytes = (size_t)net->n_endpoints * rounds->tables->rows *
                    (rounds->tables->narrow ? sizeof *rounds->tables->narrow : sizeof *rounds->tables->wide);
    rounds->kept = cw_new_array(rounds->bytes, 1, "forwarding tables");
    return rounds->kept ? 0 : CW_ENOMEM;
}

/* PAIRS may be NULL: all. */
static int route(const struct cw_network *net, const struct parameters *parameters, const struct cw_pair_weights *pairs,
                 unsigned n_threads, uint64_t *bound, struct cw_routes **out)
{
    struct rounds rounds = {.best = {UINT64_MAX, 0}};
    int rc = new_rounds(net, &rounds);
    if (rc == 0 && pairs) rc = cw_trees_weigh(&rounds.trees, pairs);
    if (rc == 0) rc = improve(&rounds, (uint32_t)parameters->rounds);
    if (rc == 0) {
        rc = cw_tables_finish_as(rounds.tables, "min-max-load", rounds.longest, n_threads, out);
        rounds.tables = NULL;
    }
    if (rc == 0) *bound = rounds.bound;
    cw_trees_free(&rounds.trees);
    cw_tables_free(rounds.tables);
    free(rounds.kept);
    return rc;
}

static int min_max_load_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                                struct cw_routes **out)
{
    (void)seed;
    uint64_t bound;
    const int rc = route(net, values, NULL, n_threads, &bound, out);
    if (rc == 0) (*out)->load_bound = bound;
    return rc;
}

static int min_max_load_compile_for(const struct cw_network *net, const void *values,
                                    const struct cw_pair_weights *pairs, unsigned n_threads, uint64_t *bound,
                                    struct cw_routes **out)
{
    return route(net, values, pairs, n_threads, bound, out);
}

const struct cw_engine cw_engine_min_max_load = {
    .name = "min-max-load",
    .help = "any network: shortest paths, laid again and again to lower the load of the busiest channel when every "
            "endpoint sends to every other, or for the traffic of crosswind route --traffic",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct parameters),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_NONE,
    .compile = min_max_load_compile,
    .compile_for = min_max_load_compile_for};
