#include "topo/metrics.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "topo/formulas_internal.h"
#include "topo/topology.h"

/* The vertex that stands for V's component; the path to it is halved on the way. */
static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

uint32_t cw_components(const struct cw_network *net)
{
    uint32_t *parent = cw_new_array(net->n_vertices, sizeof *parent, "components");
    if (!parent) return 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) parent[v] = v;
    uint32_t components = net->n_vertices;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t a = find_root(parent, net->tail[c]), b = find_root(parent, net->head[c]);
        if (a == b) continue;
        /* The smaller id stands for both, so that paths point down and stay short. */
        parent[a < b ? b : a] = a < b ? a : b;
        components--;
    }
    free(parent);
    return components;
}

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

const struct cw_formulas *cw_formulas_of(const struct cw_shape *shape)
{
    for (const struct cw_topology *const *topology = cw_topologies; *topology && shape->kind; topology++)
        if ((*topology)->formulas && (*topology)->formulas->shape == shape->kind) return (*topology)->formulas;
    return NULL;
}

int cw_network_distances_by_formula(const struct cw_network *net, struct cw_distances *out)
{
    const struct cw_shape *shape = cw_network_whole_shape(net);
    const struct cw_formulas *formulas = cw_formulas_of(shape);
    struct cw_distances distances = {.exact = true};
    if (!shape->kind) return cw_fail(CW_EUSAGE, "distances in a network without a regular shape have no formula");
    if (!formulas || !formulas->distances)
        return cw_fail(CW_EUSAGE, "distances in a network of shape %s have no formula", shape->kind->name);
    const int rc = formulas->distances(net, shape, &distances);
    if (!rc) *out = distances;
    return rc;
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
    const struct cw_formulas *formulas = cw_formulas_of(shape);
    double channels;
    const int known = formulas && formulas->bisection ? formulas->bisection(net, shape, &channels) : 0;
    if (known < 0) return known;
    if (!known) return cw_fail(CW_EUSAGE, "the bisection of this network has no known formula");
    if (!equal_capacities(net)) return cw_fail(CW_EUSAGE, "formulas of bisections need channels of equal capacity");
    const double capacity = net->n_channels > 0 ? channels * net->capacity[0] : 0;
    *out = (struct cw_bisection){
        .channels = channels, .capacity = capacity, .exact = true, .how = formulas->bisection_how};
    return 0;
}

int cw_network_bisection(const struct cw_network *net, uint64_t seed, struct cw_bisection *out)
{
    const int rc = cw_network_bisection_by_formula(net, out);
    return rc == CW_EUSAGE ? cw_network_bisection_by_search(net, seed, out) : rc;
}
