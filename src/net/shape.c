#include "net/shape.h"

#include <stdio.h>

const char *const cw_shape_kind_names[] = {
    [CW_SHAPE_NONE] = "none",           [CW_SHAPE_XGFT] = "xgft",         [CW_SHAPE_TORUS] = "torus",
    [CW_SHAPE_DRAGONFLY] = "dragonfly", [CW_SHAPE_CROSSBAR] = "crossbar", NULL};

const char *const cw_arrangement_names[] = {[CW_ARRANGEMENT_PALMTREE] = "palmtree",
                                            [CW_ARRANGEMENT_RELATIVE] = "relative",
                                            [CW_ARRANGEMENT_CONSECUTIVE] = "consecutive",
                                            [CW_ARRANGEMENT_RANDOM] = "random",
                                            NULL};

/* A·B, or UINT64_MAX if that is more than 64 bits. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t cw_xgft_level_size(const struct cw_xgft *xgft, uint32_t level)
{
    uint64_t size = 1;
    for (uint32_t l = 1; l <= xgft->h; l++) size = multiply(size, l <= level ? xgft->w[l] : xgft->m[l]);
    return size;
}

static uint64_t torus_nodes(const struct cw_torus *torus)
{
    uint64_t nodes = 1;
    for (uint32_t d = 0; d < torus->n; d++) nodes = multiply(nodes, torus->k[d]);
    return nodes;
}

uint64_t cw_shape_endpoints(const struct cw_shape *shape)
{
    switch (shape->kind) {
    case CW_SHAPE_XGFT:
        return cw_xgft_level_size(&shape->xgft, 0);
    case CW_SHAPE_TORUS:
        return torus_nodes(&shape->torus);
    case CW_SHAPE_DRAGONFLY:
        return multiply(cw_shape_switches(shape), shape->dragonfly.p);
    case CW_SHAPE_NONE:
    case CW_SHAPE_CROSSBAR:
        break;
    }
    return 0;
}

uint64_t cw_shape_switches(const struct cw_shape *shape)
{
    uint64_t switches = 0;
    switch (shape->kind) {
    case CW_SHAPE_XGFT:
        for (uint32_t l = 1; l <= shape->xgft.h; l++) switches = add(switches, cw_xgft_level_size(&shape->xgft, l));
        break;
    case CW_SHAPE_TORUS:
        return torus_nodes(&shape->torus);
    case CW_SHAPE_DRAGONFLY:
        return multiply(shape->dragonfly.a, shape->dragonfly.g);
    case CW_SHAPE_NONE:
    case CW_SHAPE_CROSSBAR:
        break;
    }
    return switches;
}

bool cw_shape_fits(const struct cw_shape *shape, uint64_t n_endpoints, uint64_t n_switches)
{
    if (shape->kind == CW_SHAPE_NONE) return true;
    if (shape->kind == CW_SHAPE_CROSSBAR) return n_switches == 1;
    return n_endpoints == cw_shape_endpoints(shape) && n_switches == cw_shape_switches(shape);
}

/* "s(x_0,x_1,…)". The pieces that do not fit are left out. */
static void torus_name(const struct cw_torus *torus, uint32_t node, char *name, size_t size)
{
    size_t used = 0;
    for (uint32_t d = 0; d < torus->n && used < size; d++) {
        const int length = snprintf(name + used, size - used, "%s%u", d == 0 ? "s(" : ",", node % torus->k[d]);
        node /= torus->k[d];
        used += (size_t)length;
    }
    if (used < size) snprintf(name + used, size - used, ")");
}

static void xgft_name(const struct cw_xgft *xgft, uint32_t index, char *name, size_t size)
{
    uint32_t level = 1;
    while (level < xgft->h && index >= cw_xgft_level_size(xgft, level)) {
        index -= (uint32_t)cw_xgft_level_size(xgft, level);
        level++;
    }
    snprintf(name, size, "s%u.%u", level, index);
}

void cw_shape_name(const struct cw_shape *shape, uint32_t n_endpoints, uint32_t v, char *name, size_t size)
{
    if (v < n_endpoints) {
        snprintf(name, size, "h%u", v);
        return;
    }
    const uint32_t index = v - n_endpoints; /* among the switches */
    switch (shape->kind) {
    case CW_SHAPE_XGFT:
        xgft_name(&shape->xgft, index, name, size);
        break;
    case CW_SHAPE_TORUS:
        torus_name(&shape->torus, index, name, size);
        break;
    case CW_SHAPE_DRAGONFLY:
        snprintf(name, size, "g%us%u", index / shape->dragonfly.a, index % shape->dragonfly.a);
        break;
    case CW_SHAPE_NONE:
    case CW_SHAPE_CROSSBAR:
        snprintf(name, size, "s%u", index);
        break;
    }
}
