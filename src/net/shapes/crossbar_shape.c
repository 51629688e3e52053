#include "net/network_internal.h"
#include "net/shape_check_internal.h"

static const struct cw_shape_field fields[] = {{.key = NULL}};

static uint64_t switches(const struct cw_shape *shape)
{
    (void)shape;
    return 1;
}

static void describe(const struct cw_shape *shape, struct cw_text *text)
{
    (void)shape;
    cw_text_add(text, "one switch");
}

static int check_crossbar(const struct cw_network *net)
{
    struct cw_shape_cursor cursor = {.net = net};
    int rc = 0;
    while (cursor.v < net->n_endpoints && !rc) {
        rc = cw_shape_expect(&cursor, 1, net->n_endpoints, (uint64_t)cursor.v + 1);
        if (!rc) rc = cw_shape_expect_end(&cursor);
    }
    for (uint32_t i = 0; i < net->n_endpoints && !rc; i++) rc = cw_shape_expect(&cursor, (uint64_t)i + 1, i, 1);
    return rc ? rc : cw_shape_expect_end(&cursor);
}

const struct cw_shape_kind cw_shape_crossbar = {
    .name = "crossbar", .fields = fields, .switches = switches, .describe = describe, .check = check_crossbar};
