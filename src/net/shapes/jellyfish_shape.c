#include "base/saturate.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

#define NUMBER(KEY, MIN)                                                                                               \
    .key = #KEY, .type = CW_SHAPE_NUMBER, .offset = offsetof(struct cw_shape, jellyfish.KEY), .min = MIN

static const struct cw_shape_field fields[] = {
    {NUMBER(n, 1)}, {NUMBER(r, 0)}, {NUMBER(p, 1)}, {NUMBER(seed, 0), .optional = true}, {.key = NULL}};

static uint64_t switches(const struct cw_shape *shape)
{
    return shape->jellyfish.n;
}

static uint64_t endpoints(const struct cw_shape *shape)
{
    return cw_saturating_multiply(shape->jellyfish.n, shape->jellyfish.p);
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    cw_text_printf(text, "a Jellyfish of %u switches of %u channels", shape->jellyfish.n, shape->jellyfish.r);
}

/* Every switch has r cables to others, in ascending order. */
static int check(const struct cw_network *net)
{
    const struct cw_jellyfish *jellyfish = &net->shape.jellyfish;
    struct cw_shape_cursor cursor = {.net = net};
    int rc = cw_shape_expect_hosts(&cursor, jellyfish->p);
    for (uint32_t index = 0; !rc && index < jellyfish->n; index++) {
        uint32_t least = net->n_endpoints;
        rc = cw_shape_expect_endpoints(&cursor, (uint64_t)index * jellyfish->p, jellyfish->p);
        for (uint32_t i = 0; i < jellyfish->r && !rc; i++, cursor.channel++) {
            const uint32_t c = cursor.channel;
            if (c == net->first[cursor.v + 1] || cw_network_port(net, c) != jellyfish->p + i + 1 ||
                net->head[c] < least)
                rc = cw_shape_differs(&cursor);
            else
                least = net->head[c] + 1;
        }
        if (!rc) rc = cw_shape_expect_end(&cursor);
    }
    return rc;
}

const struct cw_shape_kind cw_shape_jellyfish = {.name = "jellyfish",
                                                 .fields = fields,
                                                 .endpoints = endpoints,
                                                 .switches = switches,
                                                 .describe = describe,
                                                 .low_diameter = true,
                                                 .check = check};
