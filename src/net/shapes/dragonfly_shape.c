#include <stdio.h>

#include "base/saturate.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

const char *const cw_arrangement_names[] = {[CW_ARRANGEMENT_PALMTREE] = "palmtree",
                                            [CW_ARRANGEMENT_RELATIVE] = "relative",
                                            [CW_ARRANGEMENT_CONSECUTIVE] = "consecutive",
                                            [CW_ARRANGEMENT_RANDOM] = "random",
                                            NULL};

#define NUMBER(KEY, MIN)                                                                                               \
    .key = #KEY, .type = CW_SHAPE_NUMBER, .offset = offsetof(struct cw_shape, dragonfly.KEY), .min = MIN

static const struct cw_shape_field fields[] = {{NUMBER(p, 1)},
                                               {NUMBER(a, 1)},
                                               {NUMBER(h, 0)},
                                               {NUMBER(g, 1)},
                                               {.key = "arrangement",
                                                .type = CW_SHAPE_WORD,
                                                .optional = true,
                                                .offset = offsetof(struct cw_shape, dragonfly.arrangement),
                                                .words = cw_arrangement_names},
                                               {NUMBER(seed, 0), .optional = true},
                                               {NUMBER(shuffle, 0), .optional = true},
                                               {.key = NULL}};

static uint64_t switches(const struct cw_shape *shape)
{
    return cw_saturating_multiply(shape->dragonfly.a, shape->dragonfly.g);
}

static uint64_t endpoints(const struct cw_shape *shape)
{
    return cw_saturating_multiply(switches(shape), shape->dragonfly.p);
}

static void name_switch(const struct cw_shape *shape, uint32_t index, char *name, size_t size)
{
    snprintf(name, size, "g%us%u", index / shape->dragonfly.a, index % shape->dragonfly.a);
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    cw_text_printf(text, "a dragonfly of %u groups of %u switches", shape->dragonfly.g, shape->dragonfly.a);
}

static struct cw_groups groups(const struct cw_shape *shape)
{
    const struct cw_dragonfly *dragonfly = &shape->dragonfly;
    return (struct cw_groups){dragonfly->g, dragonfly->a, dragonfly->a * dragonfly->p, dragonfly->h};
}

/* The next channel joins a global port to a global port in another group. */
static int expect_global(struct cw_shape_cursor *cursor)
{
    const struct cw_network *net = cursor->net;
    const struct cw_dragonfly *dragonfly = &net->shape.dragonfly;
    const uint32_t c = cursor->channel, head = net->head[c];
    const uint64_t last_local = (uint64_t)dragonfly->p + dragonfly->a - 1, last = last_local + dragonfly->h;
    const uint32_t port = cw_network_port(net, c), port_there = cw_network_port(net, net->twin[c]);
    if (head < net->n_endpoints || port <= last_local || port > last || port_there <= last_local || port_there > last ||
        (head - net->n_endpoints) / dragonfly->a == (cursor->v - net->n_endpoints) / dragonfly->a)
        return cw_shape_differs(cursor);
    cursor->channel++;
    return 0;
}

static int check_dragonfly_switch(struct cw_shape_cursor *cursor)
{
    const struct cw_network *net = cursor->net;
    const struct cw_dragonfly *dragonfly = &net->shape.dragonfly;
    const uint64_t index = cursor->v - net->n_endpoints, p = dragonfly->p, a = dragonfly->a;
    const uint64_t own = index % a, group = net->n_endpoints + index - own;
    int rc = cw_shape_expect_endpoints(cursor, index * p, (uint32_t)p);
    for (uint64_t t = 0; t < a && !rc; t++) { /* port index p + t, less one past the switch itself */
        if (t == own) continue;
        rc = cw_shape_expect(cursor, p + t + (t < own), group + t, p + own + (own < t));
    }
    while (!rc && cursor->channel < net->first[cursor->v + 1]) rc = expect_global(cursor);
    return rc ? rc : cw_shape_expect_end(cursor);
}

static int check_dragonfly(const struct cw_network *net)
{
    struct cw_shape_cursor cursor = {.net = net};
    int rc = cw_shape_expect_hosts(&cursor, net->shape.dragonfly.p);
    while (cursor.v < net->n_vertices && !rc) rc = check_dragonfly_switch(&cursor);
    return rc;
}

const struct cw_shape_kind cw_shape_dragonfly = {.name = "dragonfly",
                                                 .fields = fields,
                                                 .endpoints = endpoints,
                                                 .switches = switches,
                                                 .name_switch = name_switch,
                                                 .describe = describe,
                                                 .groups = groups,
                                                 .check = check_dragonfly};
