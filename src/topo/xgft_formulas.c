/* Fat trees: distances, bisection and halvings by formula. */
#include "topo/formulas_internal.h"
#include "topo/xgft.h"

/* Endpoints whose lowest common subtree has level l are 2·l apart. */
static int distances(const struct cw_network *net, const struct cw_shape *shape, struct cw_distances *out)
{
    (void)net;
    const struct cw_xgft *xgft = &shape->xgft;
    double below = 1, sum = 0; /* endpoints below a vertex of level l; sum over the others of one endpoint */
    for (uint32_t l = 1; l <= xgft->h; l++) {
        sum += 2.0 * l * below * (xgft->m[l] - 1.0);
        if (xgft->m[l] > 1) out->diameter = 2 * l;
        below *= xgft->m[l];
    }
    out->mean_distance = below > 1 ? sum / (below - 1) : 0;
    return 0;
}

/* With whole cables a pair, all traffic in or out of a subtree can be spread evenly over its U_l = W_l·up[l] cables to
 * the level above, so that only the sums count and the tree behaves like a simple tree with these capacities. Pairing
 * the halves off needs U_l / M_l at most, M_l being the endpoints of a subtree: the bisection is at least ⌊n/2⌋ times
 * the least of these, and cutting off whole subtrees of that level reaches it, if ⌊n/2⌋ is a multiple of M_l. */
static int bisection(const struct cw_network *net, const struct cw_shape *shape, double *out)
{
    (void)net;
    const struct cw_xgft *xgft = &shape->xgft;
    uint64_t n = 1, endpoints = 1, vertices = 1;
    for (uint32_t l = 1; l <= xgft->h; l++) n *= xgft->m[l];
    double least = 0;
    bool whole = false;
    for (uint32_t l = 0; l < xgft->h; l++) {
        if (l > 0) {
            endpoints *= xgft->m[l];
            vertices *= xgft->w[l];
        }
        if (xgft->up[l] % xgft->w[l + 1] != 0) return 0;
        const double share = (double)vertices * xgft->up[l] / (double)endpoints;
        const bool divides = n / 2 % endpoints == 0;
        if (l == 0 || share < least) {
            least = share;
            whole = divides;
        } else if (share <= least) {
            whole = whole || divides;
        }
    }
    *out = least * (double)(n / 2);
    return whole;
}

static uint32_t halvings(const struct cw_shape *shape)
{
    return shape->xgft.h;
}

/* Odd subtrees of level LEVEL against even ones. */
static void halve(const struct cw_network *net, const struct cw_shape *shape, uint32_t level, uint8_t *side)
{
    const struct cw_xgft *xgft = &shape->xgft;
    uint32_t below = 1;
    for (uint32_t l = 1; l <= level; l++) below *= xgft->m[l];
    for (uint32_t e = 0; e < net->n_endpoints; e++) side[e] = cw_formula_place(net, e) / below % xgft->m[level + 1] % 2;
}

const struct cw_formulas cw_formulas_xgft = {.shape = &cw_shape_xgft,
                                             .distances = distances,
                                             .bisection = bisection,
                                             .bisection_how = "by formula: subtrees of the narrowest level",
                                             .halvings = halvings,
                                             .halve = halve};
