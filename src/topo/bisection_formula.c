/*
 * Bisections that can be proved, for networks whose channels all have one capacity.
 *
 * Upper bounds are cuts. Lower bounds come from flows: if every pair of endpoints that a cut separates can be given one
 * unit of flow, with no channel carrying more than L, then the cut has at least as many channels as it separates pairs,
 * over L.
 *
 * Let the endpoints of a torus or dragonfly follow their switches at first. Sides of s and n - s endpoints have a cut
 * of at least s·(n - s)/L channels between switches, L being the greatest load of uniform all-to-all traffic on one;
 * and n/2 - s host channels must be cut to make the halves equal. The sum is concave in s, so its least value is at an
 * end: n/2 with all switches on one side, or n²/4L. Wherever a cut reaches that second figure the answer is the smaller
 * of the two.
 */
#include <stdbool.h>

#include "base/error.h"
#include "net/places.h"
#include "topo/dragonfly.h"
#include "topo/metrics.h"

/* With whole cables a pair, all traffic in or out of a subtree can be spread evenly over its U_l = W_l·up[l] cables to
 * the level above, so that only the sums count and the tree behaves like a simple tree with these capacities. Pairing
 * the halves off needs U_l / M_l at most, M_l being the endpoints of a subtree: the bisection is at least ⌊n/2⌋ times
 * the least of these, and cutting off whole subtrees of that level reaches it, if ⌊n/2⌋ is a multiple of M_l. */
static bool xgft_channels(const struct cw_xgft *xgft, double *out)
{
    uint64_t n = 1, endpoints = 1, vertices = 1;
    for (uint32_t l = 1; l <= xgft->h; l++) n *= xgft->m[l];
    double least = 0;
    bool whole = false;
    for (uint32_t l = 0; l < xgft->h; l++) {
        if (l > 0) {
            endpoints *= xgft->m[l];
            vertices *= xgft->w[l];
        }
        if (xgft->up[l] % xgft->w[l + 1] != 0) return false;
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

/* The greatest load of all-to-all traffic in dimension d is N·κ/8 on N nodes: κ = k in an even ring (two cables where
 * k = 2), 2k in an even row (or one cable where k = 2), and (k² - 1)/k and twice that in odd ones. The cut across the
 * middle of an even dimension has 2N/κ channels. */
static bool torus_channels(const struct cw_torus *torus, double *out)
{
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

/* With all groups one cable joins each pair of them, in every arrangement, and carries (a·p)² of all-to-all traffic; a
 * local channel carries p²·(1 + 2·a·h). Unless that is more, n²/4L = g²/4, the cut between two halves of the groups. */
static bool dragonfly_channels(const struct cw_dragonfly *shape, double *out)
{
    const double a = shape->a, h = shape->h, g = shape->g;
    if (shape->g != (uint64_t)shape->a * shape->h + 1 || shape->g % 2 != 0) return false;
    if (shape->a > 1 && 1 + 2 * a * h > a * a) return false;
    const double across = g * g / 4, hosts = a * g * shape->p / 2;
    *out = across < hosts ? across : hosts;
    return true;
}

static bool equal_capacities(const struct cw_network *net)
{
    for (uint32_t c = 1; c < net->n_channels; c++)
        if (net->capacity[c] < net->capacity[0] || net->capacity[c] > net->capacity[0]) return false;
    return true;
}

int cw_network_bisection_by_formula(const struct cw_network *net, struct cw_bisection *out)
{
    const struct cw_shape *shape = cw_network_whole_shape(net);
    double channels = net->n_endpoints / 2;
    bool known = false;
    int rc = 0;
    const char *how = "by formula: half the endpoints";
    switch (shape->kind) {
    case CW_SHAPE_XGFT:
        known = xgft_channels(&shape->xgft, &channels);
        how = "by formula: subtrees of the narrowest level";
        break;
    case CW_SHAPE_TORUS:
        known = torus_channels(&shape->torus, &channels);
        how = "by formula: across the longest dimension, or half the endpoints";
        break;
    case CW_SHAPE_DRAGONFLY:
        known = dragonfly_channels(&shape->dragonfly, &channels);
        if (known) rc = cw_dragonfly_check_wiring(net);
        how = "by formula: between two halves of the groups";
        break;
    case CW_SHAPE_CROSSBAR:
        known = true;
        break;
    case CW_SHAPE_NONE:
        break;
    }
    if (rc) return rc;
    if (!known) return cw_fail(CW_EUSAGE, "the bisection of this network has no known formula");
    if (!equal_capacities(net)) return cw_fail(CW_EUSAGE, "formulas of bisections need channels of equal capacity");
    const double capacity = net->n_channels > 0 ? channels * net->capacity[0] : 0;
    *out = (struct cw_bisection){.channels = channels, .capacity = capacity, .exact = true, .how = how};
    return 0;
}
