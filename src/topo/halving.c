#include "topo/halving.h"

#include "base/random.h"
#include "net/places.h"
#include "topo/formulas_internal.h"

#define SMALL 100000 /* channels */

static uint32_t shape_halvings(const struct cw_shape *shape)
{
    const struct cw_formulas *formulas = cw_formulas_of(shape);
    return formulas && formulas->halvings ? formulas->halvings(shape) : 0;
}

uint32_t cw_halvings(const struct cw_network *net)
{
    const uint32_t by_chance = net->n_channels < SMALL ? 16 : 4;
    return 1 + shape_halvings(cw_network_regular_shape(net)) + by_chance;
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
    } else {
        cw_formulas_of(shape)->halve(net, shape, i - 1, side);
    }
}
