#include "topo/halving.h"

#include "base/random.h"
#include "net/places.h"

#define SMALL 100000 /* channels */

static uint32_t shape_halvings(const struct cw_shape *shape)
{
    switch (shape->kind) {
    case CW_SHAPE_XGFT:
        return shape->xgft.h;
    case CW_SHAPE_TORUS:
        return shape->torus.n;
    case CW_SHAPE_DRAGONFLY:
        return 1;
    case CW_SHAPE_CROSSBAR:
    case CW_SHAPE_NONE:
        break;
    }
    return 0;
}

uint32_t cw_halvings(const struct cw_network *net)
{
    const uint32_t by_chance = net->n_channels < SMALL ? 16 : 4;
    return 1 + shape_halvings(cw_network_regular_shape(net)) + by_chance;
}

/* The place of endpoint E in the network's shape; beside it, that of the first. */
static uint32_t place_of(const struct cw_network *net, uint32_t e)
{
    if (!net->places) return e;
    return net->places->place[e] == CW_NONE ? 0 : net->places->place[e];
}

/* Odd subtrees of level LEVEL against even ones. */
static void halve_xgft(const struct cw_network *net, const struct cw_xgft *xgft, uint32_t level, uint8_t *side)
{
    uint32_t below = 1;
    for (uint32_t l = 1; l <= level; l++) below *= xgft->m[l];
    for (uint32_t e = 0; e < net->n_endpoints; e++) side[e] = place_of(net, e) / below % xgft->m[level + 1] % 2;
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
static void halve_torus(const struct cw_network *net, const struct cw_torus *torus, uint32_t first, uint8_t *side)
{
    uint32_t order[CW_TORUS_DIMENSIONS], stride[CW_TORUS_DIMENSIONS], nodes = 1;
    order_dimensions(torus, first, order);
    for (uint32_t d = 0; d < torus->n; nodes *= torus->k[d++]) stride[d] = nodes;
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        const uint32_t node = place_of(net, e);
        uint32_t rank = 0;
        for (uint32_t i = 0; i < torus->n; i++)
            rank = rank * torus->k[order[i]] + node / stride[order[i]] % torus->k[order[i]];
        side[e] = rank >= nodes / 2;
    }
}

static void halve_dragonfly(const struct cw_dragonfly *shape, uint32_t n, uint8_t *side)
{
    for (uint32_t e = 0; e < n; e++) {
        const uint32_t s = e / shape->p % shape->a, mirror = shape->a - 1 - s;
        side[e] = 4 * (s < mirror ? s : mirror) >= shape->a;
    }
}

/* The endpoints nearest to START; where it reaches no more, those nearest to the lowest vertex not reached. SCRATCH
 * holds the queue, and a mark for each vertex. */
static void halve_by_distance(const struct cw_network *net, uint32_t start, uint32_t *scratch, uint8_t *side)
{
    uint32_t *queue = scratch, *seen = scratch + net->n_vertices;
    uint32_t head = 0, tail = 0, endpoints = 0, lowest = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) seen[v] = 0;
    while (head < net->n_vertices) {
        if (head == tail) {
            if (head > 0)
                for (start = lowest; seen[start]; start++) lowest = start + 1;
            seen[start] = 1;
            queue[tail++] = start;
        }
        const uint32_t v = queue[head++];
        if (cw_network_is_endpoint(net, v)) side[v] = endpoints++ >= net->n_endpoints / 2;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            const uint32_t u = net->head[c];
            if (seen[u]) continue;
            seen[u] = 1;
            queue[tail++] = u;
        }
    }
}

void cw_halving(const struct cw_network *net, uint64_t seed, uint32_t i, uint32_t *scratch, uint8_t *side)
{
    const struct cw_shape *shape = cw_network_regular_shape(net);
    const uint32_t n = net->n_endpoints, by_shape = shape_halvings(shape);
    if (i == 0) {
        for (uint32_t e = 0; e < n; e++) side[e] = e >= n / 2;
    } else if (i > by_shape) {
        struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, i);
        halve_by_distance(net, cw_random_below(&random, net->n_vertices), scratch, side);
    } else if (shape->kind == CW_SHAPE_XGFT) {
        halve_xgft(net, &shape->xgft, i - 1, side);
    } else if (shape->kind == CW_SHAPE_TORUS) {
        halve_torus(net, &shape->torus, i - 1, side);
    } else {
        halve_dragonfly(&shape->dragonfly, n, side);
    }
}
