/* Tori, meshes and hypercubes: distances, bisection and halvings by formula. */
#include "topo/formulas_internal.h"
#include "topo/torus.h"

/* Dimensions add up. The mean of one over all pairs of coordinates, equal ones included, is k/4 in an even ring,
 * (k² - 1)/4k in an odd one, and (k² - 1)/3k in a row. */
static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    (void)net;
    const struct cw_torus *torus = &shape->torus;
    double nodes = 1, mean = 0;
    out->diameter = 2;
    for (uint32_t d = 0; d < torus->n; d++) {
        const double k = torus->k[d];
        if (!torus->wrap)
            mean += (k * k - 1) / (3 * k);
        else
            mean += torus->k[d] % 2 == 0 ? k / 4 : (k * k - 1) / (4 * k);
        out->diameter += torus->wrap ? torus->k[d] / 2 : torus->k[d] - 1;
        nodes *= k;
    }
    out->mean_distance = 2 + mean * nodes / (nodes - 1);
    return 0;
}

/* The greatest load of all-to-all traffic in dimension d is N·κ/8 on N nodes: κ = k in an even ring (two cables where
 * k = 2), 2k in an even row (or one cable where k = 2), and (k² - 1)/k and twice that in odd ones. The cut across the
 * middle of an even dimension has 2N/κ channels. */
static int bisection(const struct cw_network *net, const struct cw_shape *shape, double *out)
{
    (void)net;
    const struct cw_torus *torus = &shape->torus;
    double nodes = 1, longest = 0;
    bool even = false;
    for (uint32_t d = 0; d < torus->n; d++) {
        const double k = torus->k[d], effective = torus->k[d] % 2 == 0 ? k : (k * k - 1) / k;
        const bool ring = torus->wrap && (torus->k[d] > 2 || torus->doubled);
        const double kappa = ring ? effective : 2 * effective;
        nodes *= k;
        if (kappa < longest) continue;
        even = torus->k[d] % 2 == 0 || (even && kappa <= longest);
        longest = kappa;
    }
    const double across = 2 * nodes / longest, hosts = nodes / 2;
    *out = across < hosts ? across : hosts;
    return even;
}

static uint32_t halvings(const struct cw_shape *shape)
{
    return shape->torus.n;
}

/* Puts the dimensions into ORDER: FIRST, then the others from the longest to the shortest. */
static void order_dimensions(const struct cw_torus *torus, uint32_t first, uint32_t *order)
{
    uint32_t n = 0;
    order[n++] = first;
    for (uint32_t d = 0; d < torus->n; d++) {
        if (d == first) continue;
        uint32_t at = n++;
        for (; at > 1 && torus->k[order[at - 1]] < torus->k[d]; at--) order[at] = order[at - 1];
        order[at] = d;
    }
}

/* Orders the nodes by their coordinates in ORDER, and divides them in the middle. */
static void halve(const struct cw_network *net, const struct cw_shape *shape, uint32_t first, uint8_t *side)
{
    const struct cw_torus *torus = &shape->torus;
    uint32_t order[CW_TORUS_DIMENSIONS], stride[CW_TORUS_DIMENSIONS], nodes = 1;
    order_dimensions(torus, first, order);
    for (uint32_t d = 0; d < torus->n; nodes *= torus->k[d++]) stride[d] = nodes;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t node = cw_formula_place(net, e);
        uint32_t rank = 0;
        for (uint32_t i = 0; i < torus->n; i++)
            rank = rank * torus->k[order[i]] + node / stride[order[i]] % torus->k[order[i]];
        side[e] = rank >= nodes / 2;
    }
}

const struct cw_formulas cw_formulas_torus = {.shape = &cw_shape_torus,
                                              .distances = distances,
                                              .bisection = bisection,
                                              .bisection_how =
                                                  "by formula: across the longest dimension, or half the endpoints",
                                              .halvings = halvings,
                                              .halve = halve};
