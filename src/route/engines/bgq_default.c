/*
 * The routes that Blue Gene/Q gives a message by default, one dimension after another. The letters are the dimensions
 * from the last to the first: A is the one with the greatest stride.
 *
 * The i-th dimension is the longest of those left; of several equally long ones the one with the i-th letter, or the
 * first if that is not among them. (So 4x4x4x16x2 is routed D, B, C, A, E. This is the order in which the programs of
 * Bui et al. reconstruct routes; taking the first throughout gives six of the runs they recorded on 2048 nodes another
 * load.) On partitions of 128 and 256 nodes B goes before an A that is as long.
 *
 * In each dimension a message goes the shorter way round. Half-way round, it leaves an even coordinate in the direction
 * of the difference of the coordinates, not crossing the edge of the ring, and an odd one in the opposite direction. In
 * a dimension of size 2 with two cables the direction decides, as in every other ring, which one is taken.
 *
 * All this is dimension order (dor.c) with an order and a rule for ties of its own. Half-way round, the destination has
 * the greater coordinate exactly if the source's is in the lower half, so the rule needs the source's coordinate only.
 */
#include "base/error.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/engines/dor_internal.h"
#include "route/routes_internal.h"

static uint32_t letter_size(const struct cw_torus *torus, uint32_t letter)
{
    return torus->k[torus->n - 1 - letter];
}

/* Numbers of the dimensions of TORUS, which has P nodes, in the order of routing. */
static void choose_order(const struct cw_torus *torus, uint32_t p, uint32_t *order)
{
    const uint32_t n = torus->n;
    const bool small = n == 5 && (p == 128 || p == 256);
    bool taken[CW_TORUS_DIMENSIONS] = {false};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = taken[i] ? n : i;
        for (uint32_t letter = 0; letter < n; letter++)
            if (!taken[letter] && (best == n || letter_size(torus, letter) > letter_size(torus, best))) best = letter;
        if (small && best == 0 && !taken[1] && letter_size(torus, 0) == letter_size(torus, 1)) best = 1;
        taken[best] = true;
        order[i] = n - 1 - best;
    }
}

static int bgq_compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                       struct cw_routes **out)
{
    (void)values, (void)seed, (void)n_threads;
    static const struct cw_formula formula = CW_DOR_FORMULA("bgq");
    uint32_t order[CW_TORUS_DIMENSIONS];
    choose_order(&net->shape.torus, net->n_endpoints, order);
    return cw_dor_compile(net, &formula, order, CW_DOR_TIE_BGQ, 2, out);
}

static bool bgq_accepts(const struct cw_network *net, const void *values)
{
    return cw_dor_accepts(net, values) && net->shape.torus.wrap;
}

static bool bgq_made_for(const struct cw_shape *shape)
{
    return cw_torus_is_bgq(&shape->torus);
}

const struct cw_engine cw_engine_bgq = {
    .name = "bgq",
    .help = "tori: Blue Gene/Q's default routing, the longest dimension first; the parity of the coordinate decides "
            "where both ways around a ring are equally long",
    .needs = "a torus, generated or recognised in a map",
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .shape = &cw_shape_torus,
    .maps = CW_MAPS_CARRIED,
    .by_default = true,
    .made_for = bgq_made_for,
    .accepts = bgq_accepts,
    .compile = bgq_compile};
