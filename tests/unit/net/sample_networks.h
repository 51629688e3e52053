/*
 * Small networks for the tests of this folder, made through the builder.
 */
#ifndef CW_TEST_SAMPLE_NETWORKS_H
#define CW_TEST_SAMPLE_NETWORKS_H

#include <stdio.h>

#include "base/error.h"
#include "net/builder.h"

static inline struct cw_network *sample_finish(struct cw_builder *builder)
{
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    if (cw_network_check(net)) fail_msg("%s", cw_error_message());
    return net;
}

/* Three levels, 6 hosts and an aggregation node, with parallel cables, gaps between ports, a degraded link, two rails
 * of one node, and an identity for each vertex.
 *
 *     h0 h1 on leaf 7; h2 h3 (one node) on leaf 8; h4 h5 on leaf 9; the aggregation node h6 on spine 10 */
static inline struct cw_network *sample_fabric(void)
{
    static const char *const names[] = {"node1 HCA-1",   "node2 HCA-1", "node3 \"a\" \\",   "node3 mlx5_1",
                                        "knoten-\u00fc", "node<5>&'x'", "Aggregation Node", "leaf1",
                                        "leaf2",         "leaf3",       "spine1",           "core"};
    struct cw_builder *builder = cw_builder_new(7, 5, 0);
    for (uint32_t v = 0; v < 12; v++) {
        struct cw_identity identity = {.node_guid = 0x2c90300000000 + 16 * v,
                                       .port_guid = 0x2c90300000001 + 16 * v,
                                       .system_guid = v == 5 ? 0 : 0x2c90300000003 + 16 * v,
                                       .lid = 4 * v + 4,
                                       .lmc = (uint8_t)(v % 3),
                                       .kind = v < 6    ? CW_KIND_HOST
                                               : v == 6 ? CW_KIND_AGGREGATION
                                                        : CW_KIND_SWITCH,
                                       .ports = v < 7 ? 1 : 36,
                                       .device = 0x1017,
                                       .vendor = 0x2c9};
        if (v == 3) identity.node_guid = 0x2c90300000000 + 16 * 2; /* the same node as v == 2, its second rail */
        cw_builder_name(builder, v, names[v]);
        cw_builder_identity(builder, v, &identity);
    }
    for (uint32_t v = 0; v < 6; v++) cw_builder_cable(builder, v, 1 + v % 2, 7 + v / 2, 3 + 5 * (v % 2), 12.5e9, 80e-9);
    cw_builder_cable(builder, 6, 1, 10, 37, 12.5e9, 80e-9);
    for (uint32_t leaf = 7; leaf < 10; leaf++) {
        cw_builder_cable(builder, leaf, 20, 10, 2 * leaf, 12.5e9, 1.0 / 3e7);
        cw_builder_cable(builder, 10, 2 * leaf + 1, leaf, 19, leaf == 8 ? 2.5e9 / 3 : 12.5e9, 1.0 / 3e7);
    }
    cw_builder_cable(builder, 10, 1, 11, 4, 25e9, 0);
    cw_builder_title(builder, "sample");
    return sample_finish(builder);
}

/* XGFT(h; m; w) with UP cables a vertex, as net/shape.h numbers it: each child, in order, lays its cables. */
static inline struct cw_network *sample_xgft(uint32_t h, const uint32_t *m, const uint32_t *w, const uint32_t *up)
{
    struct cw_shape shape = {.kind = &cw_shape_xgft, .xgft = {.h = h}};
    for (uint32_t l = 1; l <= h; l++) {
        shape.xgft.m[l] = m[l - 1];
        shape.xgft.w[l] = w[l - 1];
        shape.xgft.up[l - 1] = up[l - 1];
    }
    struct cw_builder *builder = cw_builder_new(cw_shape_endpoints(&shape), cw_shape_switches(&shape), 0);
    cw_builder_shape(builder, &shape);
    uint32_t begin = 0, below = 1; /* of the level; W_l */
    for (uint32_t l = 0; l < h; l++) {
        const uint32_t size = (uint32_t)cw_xgft_level_size(&shape.xgft, l);
        for (uint32_t i = 0; i < size; i++) {
            const uint32_t a = i / below, b = i % below;
            for (uint32_t k = 0; k < up[l]; k++) {
                const uint32_t digit = (up[l] * (a % m[l]) + k) % w[l];
                const uint32_t parent = begin + size + (a / m[l] * below + b) * w[l] + digit;
                cw_builder_cable(builder, begin + i, 0, parent, 0, 5e9, 1e-7);
            }
        }
        begin += size;
        below *= w[l];
    }
    return sample_finish(builder);
}

/* A torus or mesh as net/shape.h numbers it. */
static inline struct cw_network *sample_torus(const struct cw_torus *torus)
{
    const struct cw_shape shape = {.kind = &cw_shape_torus, .torus = *torus};
    const uint32_t n = (uint32_t)cw_shape_endpoints(&shape);
    struct cw_builder *builder = cw_builder_new(n, n, 0);
    cw_builder_shape(builder, &shape);
    uint32_t stride = 1;
    for (uint32_t node = 0; node < n; node++) cw_builder_cable(builder, node, 1, n + node, 1, 5e9, 1e-7);
    for (uint32_t d = 0; d < torus->n; d++) {
        const uint32_t k = torus->k[d], plus = 2 + 2 * d;
        for (uint32_t node = 0; node < n && k > 1; node++) {
            const uint32_t x = node / stride % k;
            const bool last = x + 1 == k;
            if (last && (!torus->wrap || (k == 2 && !torus->doubled))) continue;
            const uint32_t next = last ? node - x * stride : node + stride;
            const bool single = k == 2 && !(torus->wrap && torus->doubled);
            cw_builder_cable(builder, n + node, plus, n + next, single ? plus : plus + 1, 5e9, 1e-7);
        }
        stride *= k;
    }
    return sample_finish(builder);
}

static inline struct cw_network *sample_crossbar(uint32_t n)
{
    struct cw_builder *builder = cw_builder_new(n, 1, n);
    for (uint32_t i = 0; i < n; i++) cw_builder_cable(builder, i, 0, n, 0, 5e9, 1e-7);
    cw_builder_shape(builder, &(struct cw_shape){.kind = &cw_shape_crossbar});
    return sample_finish(builder);
}

#endif
