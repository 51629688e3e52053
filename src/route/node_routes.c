/*
 * Routes between GPUs, over those of the fabric between their hosts (net/nodes.h).
 *
 * They wait for one another only as those of the fabric do: NVLink and PCI Express are left before it is entered, and
 * what comes from it goes to a GPU, in a lane of its own where sockets forward both ways. The link between two sockets
 * is passed only where no NVLink leads to a GPU on the other side.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/nodes.h"
#include "route/routes_internal.h"

/* The most channels before and behind the fabric: GPU, to NVLink and back, to PCI Express, to the HCA; and the way
 * from there. Those inside a host are no more than both together. */
#define BEFORE 5
#define BEHIND 5

struct state {
    const struct cw_network *net;
    struct cw_routes *inner;
    uint8_t behind; /* lane of the channels behind the fabric: another one where sockets forward both ways */
};

/* The HCA by which endpoint E leaves its host, or NULL. */
static const struct cw_node_hca *hca_of(const struct cw_nodes *nodes, uint32_t e)
{
    return e < nodes->n_gpus ? nodes->hcas + nodes->gpus[e].hca : NULL;
}

/* A GPU near HCA, for one of its host. Those that share an HCA share its work. */
static uint32_t neighbour(const struct cw_nodes *nodes, const struct cw_node_hca *hca, uint32_t gpu)
{
    return hca->gpu + (gpu - nodes->hcas[hca->first].gpu) % hca->gpus;
}

/* The GPU by which GPU reaches its HCA: itself, or by NVLink one that is near it. */
static uint32_t by_nvlink(const struct cw_nodes *nodes, uint32_t gpu)
{
    const struct cw_node_gpu *is = nodes->gpus + gpu;
    return is->near || is->nvlink == CW_NONE ? gpu : neighbour(nodes, nodes->hcas + is->hca, gpu);
}

/* The GPU by which SRC sends to DST, itself or one of its host. */
static uint32_t sender(const struct cw_nodes *nodes, uint32_t src, uint32_t dst)
{
    const struct cw_node_hca *own = hca_of(nodes, src), *to = hca_of(nodes, dst);
    if (!own) return src;
    if (!to || !own->pxn || own->rail == to->rail) return by_nvlink(nodes, src);
    for (uint32_t i = own->first; i < own->end; i++)
        if (nodes->hcas[i].rail == to->rail) return neighbour(nodes, nodes->hcas + i, src);
    return by_nvlink(nodes, src);
}

/* Adds the link from socket FROM to socket TO of a host, if they are two. */
static uint32_t cross(const struct cw_network *net, uint32_t from, uint32_t to, uint32_t *channel)
{
    if (from == to) return 0;
    *channel = net->first[from];
    while (net->head[*channel] != to) ++*channel;
    return 1;
}

/* The socket of GPU. */
static uint32_t socket_of(const struct cw_network *net, uint32_t gpu)
{
    const struct cw_node_gpu *is = net->nodes->gpus + gpu;
    return net->head[is->near ? net->nodes->hcas[is->hca].up : is->pcie];
}

static uint32_t inside_domain(const struct cw_network *net, uint32_t src, uint32_t dst, uint32_t *channels)
{
    const struct cw_node_gpu *from = net->nodes->gpus + src, *to = net->nodes->gpus + dst;
    const struct cw_node_hca *hcas = net->nodes->hcas;
    uint32_t n = 0;
    channels[n++] = from->begin;
    if (from->nvlink != CW_NONE) {
        channels[n++] = from->nvlink;
        channels[n++] = net->twin[to->nvlink];
    } else {
        channels[n++] = from->pcie;
        if (net->head[from->pcie] != net->head[to->pcie]) {
            if (from->near) channels[n++] = hcas[from->hca].up;
            n += cross(net, socket_of(net, src), socket_of(net, dst), channels + n);
            if (to->near) channels[n++] = net->twin[hcas[to->hca].up];
        }
        channels[n++] = net->twin[to->pcie];
    }
    channels[n++] = net->twin[to->begin];
    return n;
}

static uint32_t way_out(const struct cw_network *net, uint32_t src, uint32_t by, uint32_t *channels)
{
    const struct cw_nodes *nodes = net->nodes;
    uint32_t n = 0;
    if (src >= nodes->n_gpus) return 0;
    const struct cw_node_hca *hca = hca_of(nodes, by);
    channels[n++] = nodes->gpus[src].begin;
    if (by != src) {
        channels[n++] = nodes->gpus[src].nvlink;
        channels[n++] = net->twin[nodes->gpus[by].nvlink];
    }
    channels[n++] = nodes->gpus[by].pcie;
    if (!nodes->gpus[by].near) {
        n += cross(net, socket_of(net, by), net->head[hca->up], channels + n);
        channels[n++] = net->twin[hca->up];
    }
    channels[n++] = hca->in;
    return n;
}

static uint32_t way_in(const struct cw_network *net, uint32_t dst, uint32_t *channels)
{
    const struct cw_nodes *nodes = net->nodes;
    uint32_t n = 0;
    if (dst >= nodes->n_gpus) return 0;
    const struct cw_node_hca *hca = hca_of(nodes, dst);
    const uint32_t by = by_nvlink(nodes, dst);
    channels[n++] = net->twin[hca->in];
    if (!nodes->gpus[by].near) {
        channels[n++] = hca->up;
        n += cross(net, net->head[hca->up], socket_of(net, by), channels + n);
    }
    channels[n++] = net->twin[nodes->gpus[by].pcie];
    if (by != dst) {
        channels[n++] = nodes->gpus[by].nvlink;
        channels[n++] = net->twin[nodes->gpus[dst].nvlink];
    }
    channels[n++] = net->twin[nodes->gpus[dst].begin];
    return n;
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
            const uint32_t behind = length + between[i], in = way_in(net, dst[i], channels + behind);
            if (lanes) {
                memset(lanes, 0, length);
                memcpy(lanes + length, middle_lanes + i * most, between[i]);
                memset(lanes + behind, state->behind, in);
            }
            length = behind + in;
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
    const uint8_t behind = net->nodes->sockets ? 1 : 0;
    *state = (struct state){net, inner, behind};
    rc = cw_routes_from_formula(net, &formula, state, inner->max_hops + BEFORE + BEHIND,
                                inner->lanes > behind ? inner->lanes : behind + 1U,
                                inner->by_destination && !pxn && !net->nodes->sockets, &routes);
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
