#include <stdio.h>

#include "base/saturate.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

#define NUMBER(KEY, MIN)                                                                                               \
    {                                                                                                                  \
        .key = #KEY, .type = CW_SHAPE_NUMBER, .offset = offsetof(struct cw_shape, slimfly.KEY), .min = MIN             \
    }

static const struct cw_shape_field fields[] = {NUMBER(q, 3), NUMBER(p, 1), {.key = NULL}};

static uint64_t switches(const struct cw_shape *shape)
{
    return cw_saturating_multiply(2 * (uint64_t)shape->slimfly.q, shape->slimfly.q);
}

static uint64_t endpoints(const struct cw_shape *shape)
{
    return cw_saturating_multiply(switches(shape), shape->slimfly.p);
}

static void name_switch(const struct cw_shape *shape, uint32_t index, char *name, size_t size)
{
    const uint32_t q = shape->slimfly.q;
    snprintf(name, size, "s(%u,%u,%u)", index / q / q, index / q % q, index % q);
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    cw_text_printf(text, "a Slim Fly of q = %u", shape->slimfly.q);
}

static struct cw_groups groups(const struct cw_shape *shape)
{
    const uint32_t q = shape->slimfly.q;
    return (struct cw_groups){2 * q, q, q * shape->slimfly.p, q};
}

/* The next channel leads to switch HEAD_GROUP·q … by whichever port is free there: the field is not known here. */
static int expect_group(struct cw_shape_cursor *cursor, uint64_t port, uint64_t head_group)
{
    const struct cw_network *net = cursor->net;
    const uint32_t c = cursor->channel, q = net->shape.slimfly.q;
    if (c == net->first[cursor->v + 1] || cw_network_port(net, c) != port || net->head[c] < net->n_endpoints ||
        (net->head[c] - net->n_endpoints) / q != head_group || net->head[c] == cursor->v)
        return cw_shape_differs(cursor);
    cursor->channel++;
    return 0;
}

static int check(const struct cw_network *net)
{
    const uint32_t q = net->shape.slimfly.q, p = net->shape.slimfly.p, within = cw_slimfly_within(q);
    struct cw_shape_cursor cursor = {.net = net};
    int rc = cw_shape_expect_hosts(&cursor, p);
    for (uint32_t index = 0; !rc && index < cw_network_switches(net); index++) {
        const uint32_t group = index / q, other = group < q ? q : 0;
        rc = cw_shape_expect_endpoints(&cursor, (uint64_t)index * p, p);
        for (uint32_t i = 0; i < within && !rc; i++) rc = expect_group(&cursor, (uint64_t)p + i + 1, group);
        for (uint32_t i = 0; i < q && !rc; i++)
            rc = expect_group(&cursor, (uint64_t)p + within + i + 1, (uint64_t)other + i);
        if (!rc) rc = cw_shape_expect_end(&cursor);
    }
    return rc;
}

const struct cw_shape_kind cw_shape_slimfly = {.name = "slimfly",
                                               .fields = fields,
                                               .endpoints = endpoints,
                                               .switches = switches,
                                               .name_switch = name_switch,
                                               .describe = describe,
                                               .groups = groups,
                                               .low_diameter = true,
                                               .check = check};
