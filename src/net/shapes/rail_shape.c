#include <stdio.h>

#include "base/error.h"
#include "base/saturate.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

#define NUMBER(KEY, MIN)                                                                                               \
    {                                                                                                                  \
        .key = #KEY, .type = CW_SHAPE_NUMBER, .offset = offsetof(struct cw_shape, rail.KEY), .min = MIN                \
    }

static const struct cw_shape_field fields[] = {NUMBER(n, 1), NUMBER(g, 1), NUMBER(r, 1),
                                               NUMBER(l, 1), NUMBER(s, 0), {.key = NULL}};

static uint64_t switches(const struct cw_shape *shape)
{
    const struct cw_rail *rail = &shape->rail;
    return cw_saturating_add(cw_saturating_multiply(rail->l, rail->r), (uint64_t)rail->n + rail->s);
}

static uint64_t endpoints(const struct cw_shape *shape)
{
    return cw_saturating_multiply(shape->rail.n, shape->rail.g);
}

static void name_switch(const struct cw_shape *shape, uint32_t index, char *name, size_t size)
{
    const struct cw_rail *rail = &shape->rail;
    const uint32_t leaves = rail->l * rail->r;
    if (index < rail->n)
        snprintf(name, size, "n%u", index);
    else if (index - rail->n < leaves)
        snprintf(name, size, "p%ur%u", (index - rail->n) / rail->r, (index - rail->n) % rail->r);
    else
        snprintf(name, size, "s%u", index - rail->n - leaves);
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    const struct cw_rail *rail = &shape->rail;
    cw_text_printf(text, "a rail cluster of %u nodes of %u GPUs with %u rails", rail->n, rail->g, rail->r);
}

static int check_node(struct cw_shape_cursor *cursor, const struct cw_rail *rail, uint32_t node)
{
    const uint64_t m = rail->n / rail->l, leaf = (uint64_t)cursor->net->n_endpoints + rail->n + node / m * rail->r;
    int rc = cw_shape_expect_endpoints(cursor, (uint64_t)node * rail->g, rail->g);
    for (uint32_t j = 0; j < rail->r && !rc; j++)
        rc = cw_shape_expect(cursor, (uint64_t)rail->g + j + 1, leaf + j, node % m + 1);
    return rc ? rc : cw_shape_expect_end(cursor);
}

static int check_leaf(struct cw_shape_cursor *cursor, const struct cw_rail *rail, uint32_t leaf)
{
    const uint64_t m = rail->n / rail->l, nodes = cursor->net->n_endpoints;
    const uint64_t spines = nodes + rail->n + (uint64_t)rail->l * rail->r;
    int rc = 0;
    for (uint64_t i = 0; i < m && !rc; i++)
        rc = cw_shape_expect(cursor, i + 1, nodes + leaf / rail->r * m + i, (uint64_t)rail->g + leaf % rail->r + 1);
    for (uint32_t k = 0; k < rail->s && !rc; k++)
        rc = cw_shape_expect(cursor, m + k + 1, spines + k, (uint64_t)leaf + 1);
    return rc ? rc : cw_shape_expect_end(cursor);
}

static int check_spine(struct cw_shape_cursor *cursor, const struct cw_rail *rail, uint32_t spine)
{
    const uint64_t m = rail->n / rail->l, leaves = (uint64_t)cursor->net->n_endpoints + rail->n;
    int rc = 0;
    for (uint64_t i = 0; i < (uint64_t)rail->l * rail->r && !rc; i++)
        rc = cw_shape_expect(cursor, i + 1, leaves + i, m + spine + 1);
    return rc ? rc : cw_shape_expect_end(cursor);
}

static int check(const struct cw_network *net)
{
    const struct cw_rail *rail = &net->shape.rail;
    struct cw_shape_cursor cursor = {.net = net};
    if (rail->n % rail->l != 0)
        return cw_fail(CW_EUSAGE, "%u nodes are not the same number in each of %u pods", rail->n, rail->l);
    int rc = cw_shape_expect_hosts(&cursor, rail->g);
    for (uint32_t i = 0; i < rail->n && !rc; i++) rc = check_node(&cursor, rail, i);
    for (uint32_t i = 0; i < rail->l * rail->r && !rc; i++) rc = check_leaf(&cursor, rail, i);
    for (uint32_t i = 0; i < rail->s && !rc; i++) rc = check_spine(&cursor, rail, i);
    return rc;
}

const struct cw_shape_kind cw_shape_rail = {.name = "rail",
                                            .fields = fields,
                                            .endpoints = endpoints,
                                            .switches = switches,
                                            .name_switch = name_switch,
                                            .describe = describe,
                                            .check = check};
