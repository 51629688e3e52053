#include "topo/metrics.h"

#include <stdlib.h>

#include "base/memory.h"

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
