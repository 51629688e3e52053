#include <stdio.h>

#include "base/saturate.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

#define DIMENSIONS(KEY)                                                                                                \
    .key = #KEY, .type = CW_SHAPE_LIST, .offset = offsetof(struct cw_shape, hyperx.KEY),                               \
    .length = offsetof(struct cw_shape, hyperx.n), .min = 1, .max = CW_HYPERX_DIMENSIONS

static const struct cw_shape_field fields[] = {
    {DIMENSIONS(s)},
    {DIMENSIONS(k)},
    {.key = "t", .type = CW_SHAPE_NUMBER, .offset = offsetof(struct cw_shape, hyperx.t), .min = 1},
    {.key = NULL}};

static uint64_t switches(const struct cw_shape *shape)
{
    uint64_t n = 1;
    for (uint32_t d = 0; d < shape->hyperx.n; d++) n = cw_saturating_multiply(n, shape->hyperx.s[d]);
    return n;
}

static uint64_t endpoints(const struct cw_shape *shape)
{
    return cw_saturating_multiply(switches(shape), shape->hyperx.t);
}

static void name_switch(const struct cw_shape *shape, uint32_t index, char *name, size_t size)
{
    const struct cw_hyperx *hyperx = &shape->hyperx;
    size_t used = 0;
    for (uint32_t d = 0; d < hyperx->n && used < size; d++) {
        used += (size_t)snprintf(name + used, size - used, "%s%u", d == 0 ? "s(" : ",", index % hyperx->s[d]);
        index /= hyperx->s[d];
    }
    if (used < size) snprintf(name + used, size - used, ")");
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    cw_text_add(text, "a HyperX");
    cw_shape_add_numbers(text, " ", "x", shape->hyperx.s, shape->hyperx.n);
    cw_text_printf(text, " with %u endpoints at a switch", shape->hyperx.t);
}

/* The cables of switch INDEX in dimension D, whose neighbours there are STRIDE apart. */
static int check_dimension(struct cw_shape_cursor *cursor, uint32_t index, uint32_t d, uint64_t stride)
{
    const struct cw_hyperx *hyperx = &cursor->net->shape.hyperx;
    const uint32_t x = (uint32_t)(index / stride % hyperx->s[d]);
    const uint64_t line = cursor->net->n_endpoints + index - x * stride;
    int rc = 0;
    for (uint32_t y = 0; y < hyperx->s[d] && !rc; y++)
        for (uint32_t j = 0; j < hyperx->k[d] && y != x && !rc; j++)
            rc = cw_shape_expect(cursor, cw_hyperx_port(hyperx, d, x, y) + j, line + y * stride,
                                 cw_hyperx_port(hyperx, d, y, x) + j);
    return rc;
}

static int check(const struct cw_network *net)
{
    const struct cw_hyperx *hyperx = &net->shape.hyperx;
    struct cw_shape_cursor cursor = {.net = net};
    int rc = cw_shape_expect_hosts(&cursor, hyperx->t);
    for (uint32_t index = 0; !rc && index < cw_network_switches(net); index++) {
        uint64_t stride = 1;
        rc = cw_shape_expect_endpoints(&cursor, (uint64_t)index * hyperx->t, hyperx->t);
        for (uint32_t d = 0; d < hyperx->n && !rc; stride *= hyperx->s[d++])
            rc = check_dimension(&cursor, index, d, stride);
        if (!rc) rc = cw_shape_expect_end(&cursor);
    }
    return rc;
}

static uint32_t partitions(const struct cw_shape *shape)
{
    return cw_grid_halves(shape->hyperx.s, shape->hyperx.n, true);
}

static uint32_t part(const struct cw_shape *shape, uint32_t partition, uint32_t index)
{
    return cw_grid_half(shape->hyperx.s, true, partition, index);
}

const struct cw_shape_kind cw_shape_hyperx = {.name = "hyperx",
                                              .fields = fields,
                                              .endpoints = endpoints,
                                              .switches = switches,
                                              .name_switch = name_switch,
                                              .describe = describe,
                                              .partitions = partitions,
                                              .part = part,
                                              .check = check};
