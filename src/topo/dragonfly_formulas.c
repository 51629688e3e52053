/* Dragonflies: distances, bisection and a halving by formula. */
#include <inttypes.h>

#include "base/error.h"
#include "topo/dragonfly.h"
#include "topo/formulas_internal.h"

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

static int distances(const struct cw_network *net, const struct cw_shape *whole, struct cw_distances *out)
{
    const struct cw_dragonfly *shape = &whole->dragonfly;
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

/* With all groups one cable joins each pair of them, in every arrangement, and carries (a·p)² of all-to-all traffic; a
 * local channel carries p²·(1 + 2·a·h). Unless that is more, n²/4L = g²/4, the cut between two halves of the groups. */
static int bisection(const struct cw_network *net, const struct cw_shape *whole, double *out)
{
    const struct cw_dragonfly *shape = &whole->dragonfly;
    const double a = shape->a, h = shape->h, g = shape->g;
    if (shape->g != (uint64_t)shape->a * shape->h + 1 || shape->g % 2 != 0) return 0;
    if (shape->a > 1 && 1 + 2 * a * h > a * a) return 0;
    const double across = g * g / 4, hosts = a * g * shape->p / 2;
    *out = across < hosts ? across : hosts;
    const int rc = cw_dragonfly_check_wiring(net);
    return rc ? rc : 1;
}

static uint32_t halvings(const struct cw_shape *shape)
{
    (void)shape;
    return 1;
}

static void halve(const struct cw_network *net, const struct cw_shape *whole, uint32_t i, uint8_t *side)
{
    (void)i; /* there is one */
    const struct cw_dragonfly *shape = &whole->dragonfly;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t s = e / shape->p % shape->a, mirror = shape->a - 1 - s;
        side[e] = 4 * (s < mirror ? s : mirror) >= shape->a;
    }
}

const struct cw_formulas cw_formulas_dragonfly = {.shape = &cw_shape_dragonfly,
                                                  .distances = distances,
                                                  .bisection = bisection,
                                                  .bisection_how = "by formula: between two halves of the groups",
                                                  .halvings = halvings,
                                                  .halve = halve};
