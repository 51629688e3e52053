/*
 * Minimal routing that lowers the load of the busiest channel when every endpoint sends to every other, or for traffic
 * of which it is known who sends how much to whom.
 *
 * One destination after another takes the ways that are least loaded in sum, as by min-contention, but each switch
 * counts as soon as it has chosen. Then prices rise so
 * steeply with the load that a way is as dear as its busiest channel, and all routes are laid again and again, each
 * destination beside all others, as long as that lowers the busiest channel between switches, or, with that as it is,
 * the sum of squares. A local search: nothing is proven of the result, but the mean, which shortest routes cannot
 * change, bounds it from below.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/balanced/balanced_trees.h"
#include "route/routes_internal.h"

/*
 * How low the busiest channel can be.
 *
 * Whatever shortest ways all pairs of endpoints take, one or several each: with any weights of the channels between
 * switches, the weight of all routes together is at least that of the lightest shortest ways, and at most the load of
 * the busiest channel times the sum of the weights. (The dual of the linear programme that balances best.) Weights that
 * rise steeply with the load of good routes give a good bound.
 */

/* The bound is by sums of rounded numbers: so much is taken off. */
#define ROUNDING 1e-9

/* The lightest way from V to a switch HOPS from the destination: its first channel and all behind it. */
static double lightest(const struct cw_balanced_trees *trees, uint32_t v, uint32_t hops, const double *weight,
                       const double *sum)
{
    const struct cw_network *net = trees->net;
    double least = INFINITY;
    for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
        const uint32_t u = net->head[c];
        if (u < net->n_endpoints || trees->hops[u - net->n_endpoints] != hops) continue;
        const double way = weight[c] + sum[u - net->n_endpoints];
        if (way < least) least = way;
    }
    return least;
}

/* The weight of the lightest routes from all endpoints to DST. */
static double weigh(struct cw_balanced_trees *trees, uint32_t dst, const double *weight, double *sum)
{
    const uint32_t base = trees->net->n_endpoints;
    double all = 0;
    cw_trees_search(trees, dst);
    for (uint32_t i = 0; i < trees->n_reached; i++) {
        const uint32_t v = trees->reached[i], hops = trees->hops[v];
        sum[v] = hops == 0 ? 0 : lightest(trees, v + base, hops - 1, weight, sum);
        all += (double)cw_trees_sources(trees, v) * sum[v];
    }
    for (uint32_t i = 0; i < trees->n_several; i++) {
        const uint32_t hops = cw_trees_nearest(trees, trees->several[i]);
        if (trees->several[i] != dst && hops != CW_TREES_FAR)
            all += (double)cw_trees_source(trees, i) * lightest(trees, trees->several[i], hops, weight, sum);
    }
    return all;
}

/* The bound by weights that are the POWERth of the loads, relative to the greatest, MOST. */
static int bound_by(struct cw_balanced_trees *trees, double power, double most, double *weight, double *sum,
                    uint64_t *bound)
{
    const struct cw_network *net = trees->net;
    double routes = 0, weights = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool between = !cw_network_is_host_channel(net, c);
        weight[c] = between ? pow((double)trees->load[c] / most, power) : 0;
        weights += weight[c];
    }
    for (uint32_t i = 0; i < trees->n_order; i++) {
        const int rc = cw_interrupt_check();
        if (rc) return rc;
        routes += weigh(trees, trees->order[i], weight, sum);
    }
    const double found = weights > 0 ? ceil(routes / weights * (1 - ROUNDING)) : 0;
    if (found > (double)*bound) *bound = (uint64_t)found;
    return 0;
}

/* *BOUND: no shortest routes of all pairs (of those that have weights, counted by them) have fewer on the busiest
 * channel between switches. Weights are powers of the loads of TREES, whose current tree is lost. O(endpoints ·
 * channels). */
static int bound_load(struct cw_balanced_trees *trees, uint64_t *bound)
{
    static const double powers[] = {0, 2, 4, 8, 16, 32, 64};
    const struct cw_network *net = trees->net;
    double *weight = cw_new_array(net->n_channels, sizeof *weight, "a bound of loads");
    double *sum = cw_new_array(cw_network_switches(net), sizeof *sum, "a bound of loads");
    int rc = weight && sum ? 0 : CW_ENOMEM;
    double most = 1;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (!cw_network_is_host_channel(net, c) && (double)trees->load[c] > most) most = (double)trees->load[c];
    *bound = 0;
    for (size_t i = 0; i < sizeof powers / sizeof *powers && rc == 0; i++)
        rc = bound_by(trees, powers[i], most, weight, sum, bound);
    free(weight);
    free(sum);
    return rc;
}

static void raise_to(uint64_t *bound, uint64_t to)
{
    if (to > *bound) *bound = to;
}

/* Raises *BOUND to what holds for tables alone: all that a switch has for a destination elsewhere leaves it by one
 * channel. O(endpoints · channels). */
static void bound_of_tables(struct cw_balanced_trees *trees, uint64_t *bound)
{
    for (uint32_t i = 0; i < trees->n_order; i++) {
        cw_trees_search(trees, trees->order[i]);
        for (uint32_t r = 0; r < trees->n_reached; r++)
            if (trees->hops[trees->reached[r]] > 0) raise_to(bound, cw_trees_sources(trees, trees->reached[r]));
        for (uint32_t s = 0; s < trees->n_several; s++) {
            const uint32_t hops = cw_trees_nearest(trees, trees->several[s]);
            if (hops > 0 && hops != CW_TREES_FAR) raise_to(bound, cw_trees_source(trees, s));
        }
    }
}

#define BEGIN    2u /* rounds by load */
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
                                            .help = "after two rounds by load, lay all at most so many times again"},
                                           {.name = NULL}};

/* How good routes are: the smaller the better. */
struct score {
    uint64_t busiest;
    double squares;
};

struct rounds {
    struct cw_balanced_trees trees;
    struct cw_lft *tables;
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

static void *entries_of(struct cw_lft *tables)
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
        if (cw_network_is_host_channel(net, c)) continue;
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
    if (rc == 0) rc = bound_load(&rounds->trees, &rounds->bound);
    if (rc == 0 && rounds->trees.first_pair) bound_of_tables(&rounds->trees, &rounds->bound);
    if (rc == 0) memcpy(entries_of(rounds->tables), rounds->kept, rounds->bytes);
    return rc;
}

static int new_rounds(const struct cw_network *net, struct rounds *rounds)
{
    int rc = cw_lft_new(net, &rounds->tables);
    if (rc == 0) rc = cw_trees_new(net, &rounds->trees);
    if (rc) return rc;
    rounds->trees.at_once = true;
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
        rc = cw_lft_finish_as(rounds.tables, "min-max-load", rounds.longest, n_threads, out);
        rounds.tables = NULL;
    }
    if (rc == 0) *bound = rounds.bound;
    cw_trees_free(&rounds.trees);
    cw_lft_free(rounds.tables);
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
