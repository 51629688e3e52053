#include <stdio.h>

#include "base/saturate.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

static const struct cw_shape_field fields[] = {
    {.key = "k",
     .type = CW_SHAPE_LIST,
     .offset = offsetof(struct cw_shape, torus.k),
     .length = offsetof(struct cw_shape, torus.n),
     .min = 1,
     .max = CW_TORUS_DIMENSIONS},
    {.key = "wrap", .type = CW_SHAPE_FLAG, .offset = offsetof(struct cw_shape, torus.wrap)},
    {.key = "doubled", .type = CW_SHAPE_FLAG, .offset = offsetof(struct cw_shape, torus.doubled)},
    {.key = NULL}};

static uint64_t nodes(const struct cw_shape *shape)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < shape->torus.n; d++) n = cw_saturating_multiply(n, shape->torus.k[d]);
    return n;
}

/* "s(x_0,x_1,…)". The pieces that do not fit are left out. */
static void name_switch(const struct cw_shape *shape, uint32_t index, char *name, size_t size)
{
    const struct cw_torus *torus = &shape->torus;
    size_t used = 0;
    for (uint32_t d = 0; d < torus->n && used < size; d++) {
        const int length = snprintf(name + used, size - used, "%s%u", d == 0 ? "s(" : ",", index % torus->k[d]);
        index /= torus->k[d];
        used += (size_t)length;
    }
    if (used < size) snprintf(name + used, size - used, ")");
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    const struct cw_torus *torus = &shape->torus;
    bool cube = torus->wrap && !torus->doubled;
    for (uint32_t d = 0; d < torus->n; d++) cube = cube && torus->k[d] == 2;
    if (cube) {
        cw_text_printf(text, "a hypercube of %u dimension%s", torus->n, cw_plural(torus->n));
        return;
    }
    cw_text_add(text, torus->wrap ? "a torus" : "a mesh");
    cw_shape_add_numbers(text, " ", "x", torus->k, torus->n);
    if (torus->doubled) cw_text_add(text, " with two cables in dimensions of size 2");
}

/* The cables of NODE in dimension D, whose coordinate there is X and whose neighbours are STRIDE away. */
static int check_torus_dimension(struct cw_shape_cursor *cursor, uint32_t node, uint32_t d, uint32_t x, uint64_t stride)
{
    const struct cw_torus *torus = &cursor->net->shape.torus;
    const uint64_t n = cursor->net->n_endpoints, k = torus->k[d], line = n + node - x * stride;
    const uint64_t plus = 2 + 2 * d, minus = 3 + 2 * d;
    if (k == 1) return 0;
    if (k == 2 && !(torus->wrap && torus->doubled)) return cw_shape_expect(cursor, plus, line + (1 - x) * stride, plus);
    int rc = 0;
    if (torus->wrap || x + 1 < k) rc = cw_shape_expect(cursor, plus, line + (x + 1) % k * stride, minus);
    if (!rc && (torus->wrap || x > 0)) rc = cw_shape_expect(cursor, minus, line + (x + k - 1) % k * stride, plus);
    return rc;
}

static int check_torus(const struct cw_network *net)
{
    const struct cw_torus *torus = &net->shape.torus;
    const uint32_t n = net->n_endpoints;
    struct cw_shape_cursor cursor = {.net = net};
    int rc = 0;
    for (uint32_t node = 0; node < n && !rc; node++) {
        rc = cw_shape_expect(&cursor, 1, (uint64_t)n + node, 1);
        if (!rc) rc = cw_shape_expect_end(&cursor);
    }
    for (uint32_t node = 0; node < n && !rc; node++) {
        rc = cw_shape_expect(&cursor, 1, node, 1);
        uint64_t stride = 1;
        for (uint32_t d = 0; d < torus->n && !rc; d++) {
            rc = check_torus_dimension(&cursor, node, d, (uint32_t)(node / stride % torus->k[d]), stride);
            stride *= torus->k[d];
        }
        if (!rc) rc = cw_shape_expect_end(&cursor);
    }
    return rc;
}

static uint32_t partitions(const struct cw_shape *shape)
{
    return cw_grid_halves(shape->torus.k, shape->torus.n, shape->torus.wrap);
}

static uint32_t part(const struct cw_shape *shape, uint32_t partition, uint32_t index)
{
    return cw_grid_half(shape->torus.k, shape->torus.wrap, partition, index);
}

static uint32_t lattice(const struct cw_shape *shape, const uint32_t **k)
{
    *k = shape->torus.k;
    return shape->torus.wrap ? shape->torus.n : 0;
}

/* Of all machines that are tori, those of Blue Gene. */
static bool node_is_switch(const struct cw_shape *shape)
{
    return cw_torus_is_bgq(&shape->torus);
}

const struct cw_shape_kind cw_shape_torus = {.name = "torus",
                                             .fields = fields,
                                             .endpoints = nodes,
                                             .switches = nodes,
                                             .name_switch = name_switch,
                                             .describe = describe,
                                             .partitions = partitions,
                                             .part = part,
                                             .lattice = lattice,
                                             .node_is_switch = node_is_switch,
                                             .check = check_torus};
