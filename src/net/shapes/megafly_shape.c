#include <stdio.h>

#include "base/saturate.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

#define NUMBER(KEY, MIN)                                                                                               \
    {                                                                                                                  \
        .key = #KEY, .type = CW_SHAPE_NUMBER, .offset = offsetof(struct cw_shape, megafly.KEY), .min = MIN             \
    }

static const struct cw_shape_field fields[] = {NUMBER(p, 1), NUMBER(l, 1), NUMBER(s, 1),
                                               NUMBER(h, 0), NUMBER(g, 1), {.key = NULL}};

static uint64_t switches(const struct cw_shape *shape)
{
    return cw_saturating_multiply((uint64_t)shape->megafly.l + shape->megafly.s, shape->megafly.g);
}

static uint64_t endpoints(const struct cw_shape *shape)
{
    const struct cw_megafly *megafly = &shape->megafly;
    return cw_saturating_multiply(cw_saturating_multiply(megafly->p, megafly->l), megafly->g);
}

static void name_switch(const struct cw_shape *shape, uint32_t index, char *name, size_t size)
{
    const uint32_t l = shape->megafly.l, all = l + shape->megafly.s, i = index % all;
    snprintf(name, size, i < l ? "g%ul%u" : "g%us%u", index / all, i < l ? i : i - l);
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    const struct cw_megafly *megafly = &shape->megafly;
    cw_text_printf(text, "a Megafly of %u groups of %u leaves and %u spines", megafly->g, megafly->l, megafly->s);
}

static struct cw_groups groups(const struct cw_shape *shape)
{
    const struct cw_megafly *megafly = &shape->megafly;
    return (struct cw_groups){megafly->g, megafly->l + megafly->s, megafly->l * megafly->p, megafly->h};
}

static int check_leaf(struct cw_shape_cursor *cursor, const struct cw_megafly *megafly, uint64_t group, uint32_t leaf)
{
    const uint64_t first = cursor->net->n_endpoints + group * (megafly->l + megafly->s);
    int rc = cw_shape_expect_endpoints(cursor, (group * megafly->l + leaf) * megafly->p, megafly->p);
    for (uint32_t j = 0; j < megafly->s && !rc; j++)
        rc = cw_shape_expect(cursor, (uint64_t)megafly->p + j + 1, first + megafly->l + j, (uint64_t)leaf + 1);
    return rc ? rc : cw_shape_expect_end(cursor);
}

/* The next channel joins a global port to a global port of a spine in another group. */
static int expect_global(struct cw_shape_cursor *cursor, const struct cw_megafly *megafly)
{
    const struct cw_network *net = cursor->net;
    const uint32_t c = cursor->channel, head = net->head[c], all = megafly->l + megafly->s;
    const uint32_t port = cw_network_port(net, c), there = cw_network_port(net, net->twin[c]);
    const uint64_t last = (uint64_t)megafly->l + megafly->h;
    if (head < net->n_endpoints || (head - net->n_endpoints) % all < megafly->l || port <= megafly->l || port > last ||
        there <= megafly->l || there > last || (head - net->n_endpoints) / all == (cursor->v - net->n_endpoints) / all)
        return cw_shape_differs(cursor);
    cursor->channel++;
    return 0;
}

static int check_spine(struct cw_shape_cursor *cursor, const struct cw_megafly *megafly, uint64_t group, uint32_t spine)
{
    const struct cw_network *net = cursor->net;
    const uint64_t first = net->n_endpoints + group * (megafly->l + megafly->s);
    int rc = 0;
    for (uint32_t i = 0; i < megafly->l && !rc; i++)
        rc = cw_shape_expect(cursor, (uint64_t)i + 1, first + i, (uint64_t)megafly->p + spine + 1);
    while (!rc && cursor->channel < net->first[cursor->v + 1]) rc = expect_global(cursor, megafly);
    return rc ? rc : cw_shape_expect_end(cursor);
}

static int check(const struct cw_network *net)
{
    const struct cw_megafly *megafly = &net->shape.megafly;
    struct cw_shape_cursor cursor = {.net = net};
    int rc = 0;
    for (uint32_t e = 0; e < net->n_endpoints && !rc; e++) {
        const uint32_t leaf = e / megafly->p, group = leaf / megafly->l;
        const uint64_t index = (uint64_t)group * (megafly->l + megafly->s) + leaf % megafly->l;
        rc = cw_shape_expect(&cursor, 1, net->n_endpoints + index, e % megafly->p + 1);
        if (!rc) rc = cw_shape_expect_end(&cursor);
    }
    for (uint64_t group = 0; group < megafly->g && !rc; group++) {
        for (uint32_t i = 0; i < megafly->l && !rc; i++) rc = check_leaf(&cursor, megafly, group, i);
        for (uint32_t j = 0; j < megafly->s && !rc; j++) rc = check_spine(&cursor, megafly, group, j);
    }
    return rc;
}

const struct cw_shape_kind cw_shape_megafly = {.name = "megafly",
                                               .fields = fields,
                                               .endpoints = endpoints,
                                               .switches = switches,
                                               .name_switch = name_switch,
                                               .describe = describe,
                                               .groups = groups,
                                               .check = check};
