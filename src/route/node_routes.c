/*
 * Routes between GPUs, over those of the fabric between their hosts (net/nodes.h).
 *
 * They wait for one another only as those of the fabric do: NVLink and PCI Express are left before it is entered, and
 * NVLink is not entered again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/nodes.h"
#include "route/routes_internal.h"

/* The most channels before and behind the fabric: GPU, to NVLink and back, to PCI Express, to the HCA; and the way
 * from there. */
#define BEFORE 5
#define BEHIND 3

struct state {
    const struct cw_network *net;
    struct cw_routes *inner;
};

/* The HCA behind endpoint E, or NULL. */
static const struct cw_node_hca *hca_of(const struct cw_nodes *nodes, uint32_t e)
{
    return e < nodes->n_gpus ? nodes->hcas + nodes->gpus[e].hca : NULL;
}

/* The GPU by which SRC sends to DST, itself or one of its host. Those that share an HCA share its work. */
static uint32_t sender(const struct cw_nodes *nodes, uint32_t src, uint32_t dst)
{
    const struct cw_node_hca *own = hca_of(nodes, src), *to = hca_of(nodes, dst);
    if (!own || !to || !own->pxn || own->rail == to->rail) return src;
    for (uint32_t i = own->first; i < own->end; i++) {
        const struct cw_node_hca *hca = nodes->hcas + i;
        if (hca->rail == to->rail) return hca->gpu + (src - nodes->hcas[own->first].gpu) % hca->gpus;
    }
    return src;
}

static uint32_t inside_domain(const struct cw_network *net, uint32_t src, uint32_t dst, uint32_t *channels)
{
    const struct cw_node_gpu *gpus = net->nodes->gpus;
    channels[0] = gpus[src].begin;
    channels[1] = gpus[src].nvlink;
    channels[2] = net->twin[gpus[dst].nvlink];
    channels[3] = net->twin[gpus[dst].begin];
    return 4;
}

static uint32_t way_out(const struct cw_network *net, uint32_t src, uint32_t by, uint32_t *channels)
{
    const struct cw_nodes *nodes = net->nodes;
    uint32_t n = 0;
    if (src >= nodes->n_gpus) return 0;
    channels[n++] = nodes->gpus[src].begin;
    if (by != src) {
        channels[n++] = nodes->gpus[src].nvlink;
        channels[n++] = net->twin[nodes->gpus[by].nvlink];
    }
    channels[n++] = nodes->gpus[by].pcie;
    channels[n++] = hca_of(nodes, by)->in;
    return n;
}

static uint32_t way_in(const struct cw_network *net, uint32_t dst, uint32_t *channels)
{
    const struct cw_nodes *nodes = net->nodes;
    if (dst >= nodes->n_gpus) return 0;
    channels[0] = net->twin[hca_of(nodes, dst)->in];
    channels[1] = net->twin[nodes->gpus[dst].pcie];
    channels[2] = net->twin[nodes->gpus[dst].begin];
    return 3;
}

/* Pairs without a route in the fabric are an error, as there. */
static int paths(const void *data, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    const struct state *state = data;
    const struct cw_network *net = state->net;
    const struct cw_nodes *nodes = net->nodes;
    const uint32_t most = state->inner->max_hops;
    uint32_t from[CW_FORMULA_BLOCK], to[CW_FORMULA_BLOCK], by[CW_FORMULA_BLOCK], between[CW_FORMULA_BLOCK];
    for (size_t i = 0; i < n; i++) {
        const struct cw_node_hca *a = hca_of(nodes, src[i]), *b = hca_of(nodes, dst[i]);
        const bool inside = src[i] == dst[i] || (a && b && a->domain == b->domain);
        by[i] = inside ? src[i] : sender(nodes, src[i], dst[i]);
        to[i] = cw_nodes_endpoint(nodes, dst[i]);
        from[i] = inside ? to[i] : cw_nodes_endpoint(nodes, by[i]); /* which is no way at all */
    }
    uint32_t *middle = cw_new_array(n * most, sizeof *middle, "routes of a fabric");
    uint8_t *middle_lanes = cw_new_array(lanes ? n * most : 1, sizeof *middle_lanes, "routes of a fabric");
    int rc = middle && middle_lanes ? 0 : CW_ENOMEM;
    if (!rc) rc = cw_routes_paths(state->inner, n, from, to, between, middle, lanes ? middle_lanes : NULL);
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t length = 0;
        if (from[i] != to[i]) {
            length = way_out(net, src[i], by[i], channels);
            for (uint32_t h = 0; h < between[i]; h++) channels[length + h] = nodes->channel[middle[i * most + h]];
            const uint32_t behind = length + between[i];
            if (lanes) {
                memset(lanes, 0, length);
                memcpy(lanes + length, middle_lanes + i * most, between[i]);
                memset(lanes + behind, 0, BEHIND);
            }
            length = behind + way_in(net, dst[i], channels + behind);
        } else if (src[i] != dst[i]) {
            length = inside_domain(net, src[i], dst[i], channels);
            if (lanes) memset(lanes, 0, length);
        }
        hops[i] = length;
        channels += stride > 0 ? stride : length;
        if (lanes) lanes += stride > 0 ? stride : length;
    }
    free(middle);
    free(middle_lanes);
    return rc;
}

static void free_state(void *data)
{
    struct state *state = data;
    cw_routes_free(state->inner);
    free(state);
}

static const struct cw_formula formula = {.name = "nodes", .paths = paths, .free_state = free_state};

const struct cw_routes *cw_routes_of_fabric(const struct cw_routes *routes)
{
    const bool are = routes->kind == CW_ROUTES_FORMULA && routes->formula == &formula;
    return are ? ((const struct state *)routes->state)->inner : NULL;
}

int cw_routes_of_nodes(struct cw_routes *inner, const struct cw_network *net, struct cw_routes **out)
{
    struct cw_routes *routes = NULL;
    bool pxn = false;
    for (uint32_t i = 0; i < net->nodes->n_hcas; i++) pxn |= net->nodes->hcas[i].pxn;
    int rc = cw_routes_need_paths(inner);
    struct state *state = rc ? NULL : cw_new_array(1, sizeof *state, "routes between GPUs");
    char *name = rc ? NULL : cw_copy_text(inner->name, strlen(inner->name));
    if (!rc && (!state || !name)) rc = CW_ENOMEM;
    if (rc) {
        free(state);
        free(name);
        cw_routes_free(inner);
        return rc;
    }
    *state = (struct state){net, inner};
    rc = cw_routes_from_formula(net, &formula, state, inner->max_hops + BEFORE + BEHIND, inner->lanes,
                                inner->by_destination && !pxn, &routes);
    if (rc) {
        free(name);
        return rc;
    }
    free(routes->name);
    routes->name = name;
    routes->lanes_unknown = inner->lanes_unknown;
    *out = routes;
    return 0;
}
