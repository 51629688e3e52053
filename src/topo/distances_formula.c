/*
 * Distances of regular shapes, without a search. The endpoints of a pair are both channels away from their switches.
 */
#include <inttypes.h>

#include "base/error.h"
#include "net/places.h"
#include "topo/dragonfly.h"
#include "topo/metrics.h"

/* Endpoints whose lowest common subtree has level l are 2·l apart. */
static void xgft_distances(const struct cw_xgft *xgft, struct cw_distances *out)
{
    double below = 1, sum = 0; /* endpoints below a vertex of level l; sum over the others of one endpoint */
    for (uint32_t l = 1; l <= xgft->h; l++) {
        sum += 2.0 * l * below * (xgft->m[l] - 1.0);
        if (xgft->m[l] > 1) out->diameter = 2 * l;
        below *= xgft->m[l];
    }
    out->mean_distance = below > 1 ? sum / (below - 1) : 0;
}

/* Dimensions add up. The mean of one over all pairs of coordinates, equal ones included, is k/4 in an even ring,
 * (k² - 1)/4k in an odd one, and (k² - 1)/3k in a row. */
static void torus_distances(const struct cw_torus *torus, struct cw_distances *out)
{
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
}

/* All groups present, so one cable a pair of groups: from switch s to switch a - 1 - s of the other, whatever the
 * groups (palmtree and relative; in what order the groups are does not matter). Of the targets in other groups seen
 * from one switch, h are a global channel away, 2·h·(a-1) a local one more at one end, and h·(a-1)² two more. But two
 * global channels join switch s to switch s of the h - 1 groups on either side, where the local way takes three, unless
 * s is the first or last, which have it in two. */
static void dragonfly_sums(const struct cw_dragonfly *shape, struct cw_distances *out)
{
    const double p = shape->p, a = shape->a, h = shape->h;
    const double shortcuts = a > 2 ? 2 * (h - 1) * (a - 2) : 0;
    /* Ordered pairs of switches, the first in one group, by the number of channels between them. */
    const double near[] = {a, a * (a - 1) + a * h, a * 2 * h * (a - 1) + shortcuts,
                           a * h * (a - 1) * (a - 1) - shortcuts};
    double pairs = -a * p, sum = -2 * a * p; /* an endpoint and itself would be 2 apart */
    for (uint32_t d = 0; d < 4; d++) {
        pairs += near[d] * p * p;
        sum += (2.0 + d) * near[d] * p * p;
        if (near[d] > 0 && (d > 0 || p > 1)) out->diameter = 2 + d;
    }
    out->mean_distance = pairs > 0 ? sum / pairs : 0;
}

static int dragonfly_distances(const struct cw_network *net, struct cw_distances *out)
{
    const struct cw_dragonfly *shape = &net->shape.dragonfly;
    const uint64_t full = (uint64_t)shape->a * shape->h + 1;
    if (shape->arrangement != CW_ARRANGEMENT_PALMTREE && shape->arrangement != CW_ARRANGEMENT_RELATIVE)
        return cw_fail(CW_EUSAGE, "distances in a dragonfly of the %s arrangement have no formula",
                       cw_arrangement_names[shape->arrangement]);
    if (shape->g != full)
        return cw_fail(CW_EUSAGE, "distances in a dragonfly of %u groups have no formula; %" PRIu64 " groups would",
                       shape->g, full);
    const int rc = cw_dragonfly_check_wiring(net);
    if (!rc) dragonfly_sums(shape, out);
    return rc;
}

int cw_network_distances_by_formula(const struct cw_network *net, struct cw_distances *out)
{
    const struct cw_shape *shape = cw_network_whole_shape(net);
    struct cw_distances distances = {.exact = true};
    int rc = 0;
    switch (shape->kind) {
    case CW_SHAPE_XGFT:
        xgft_distances(&shape->xgft, &distances);
        break;
    case CW_SHAPE_TORUS:
        torus_distances(&shape->torus, &distances);
        break;
    case CW_SHAPE_CROSSBAR:
        distances.diameter = net->n_endpoints > 1 ? 2 : 0;
        distances.mean_distance = distances.diameter;
        break;
    case CW_SHAPE_DRAGONFLY:
        rc = dragonfly_distances(net, &distances);
        break;
    case CW_SHAPE_NONE:
        return cw_fail(CW_EUSAGE, "distances in a network without a regular shape have no formula");
    }
    if (!rc) *out = distances;
    return rc;
}
