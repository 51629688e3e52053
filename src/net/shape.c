#include "net/shape.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "net/shape_check_internal.h"

#define ENTER(NAME) &cw_shape_##NAME,

const struct cw_shape_kind *const cw_shape_kinds[] = {CW_SHAPES(ENTER) NULL};

uint64_t cw_shape_endpoints(const struct cw_shape *shape)
{
    return shape->kind && shape->kind->endpoints ? shape->kind->endpoints(shape) : 0;
}

uint64_t cw_shape_switches(const struct cw_shape *shape)
{
    return shape->kind ? shape->kind->switches(shape) : 0;
}

bool cw_shape_fits(const struct cw_shape *shape, uint64_t n_endpoints, uint64_t n_switches)
{
    if (!shape->kind) return true;
    return n_switches == shape->kind->switches(shape) &&
           (!shape->kind->endpoints || n_endpoints == shape->kind->endpoints(shape));
}

static uint32_t number_at(const struct cw_shape *shape, size_t offset)
{
    uint32_t number;
    memcpy(&number, (const char *)shape + offset, sizeof number);
    return number;
}

static bool field_equal(const struct cw_shape_field *field, const struct cw_shape *a, const struct cw_shape *b)
{
    size_t size = sizeof(uint32_t);
    if (field->type == CW_SHAPE_FLAG) size = sizeof(bool);
    if (field->type == CW_SHAPE_LIST) {
        const uint32_t length = number_at(a, field->length);
        if (length != number_at(b, field->length)) return false;
        size *= length;
    }
    return memcmp((const char *)a + field->offset, (const char *)b + field->offset, size) == 0;
}

bool cw_shape_equal(const struct cw_shape *a, const struct cw_shape *b)
{
    if (a->kind != b->kind) return false;
    for (const struct cw_shape_field *field = a->kind ? a->kind->fields : NULL; field && field->key; field++)
        if (!field_equal(field, a, b)) return false;
    return true;
}

struct cw_groups cw_shape_groups(const struct cw_shape *shape)
{
    return shape->kind && shape->kind->groups ? shape->kind->groups(shape) : (struct cw_groups){0};
}

uint32_t cw_shape_partitions(const struct cw_shape *shape)
{
    return (cw_shape_groups(shape).n > 1) +
           (shape->kind && shape->kind->partitions ? shape->kind->partitions(shape) : 0);
}

uint32_t cw_shape_part(const struct cw_shape *shape, uint32_t partition, uint32_t index)
{
    const struct cw_groups groups = cw_shape_groups(shape);
    if (groups.n > 1 && partition == 0) return index / groups.switches;
    return shape->kind->part(shape, partition - (groups.n > 1), index);
}

/* Half the coordinates of an even K in a row, and the others, part the same points. */
static uint32_t halves_along(uint32_t k, bool wrap)
{
    return wrap && k % 2 == 0 ? k / 2 : wrap && k > 1 ? k : k - 1;
}

uint32_t cw_grid_halves(const uint32_t *k, uint32_t n, bool wrap)
{
    uint32_t halves = 0;
    for (uint32_t d = 0; d < n; d++) halves += halves_along(k[d], wrap);
    return halves;
}

uint32_t cw_grid_half(const uint32_t *k, bool wrap, uint32_t half, uint32_t index)
{
    for (; half >= halves_along(*k, wrap); k++) {
        half -= halves_along(*k, wrap);
        index /= *k;
    }
    const uint32_t x = index % *k;
    return wrap ? (x + *k - half) % *k < *k / 2 : x <= half;
}

void cw_shape_name(const struct cw_shape *shape, uint32_t n_endpoints, uint32_t v, char *name, size_t size)
{
    if (v < n_endpoints)
        snprintf(name, size, "h%u", v);
    else if (shape->kind && shape->kind->name_switch)
        shape->kind->name_switch(shape, v - n_endpoints, name, size);
    else
        snprintf(name, size, "s%u", v - n_endpoints);
}

void cw_shape_add_numbers(struct cw_text *text, const char *first, const char *separator, const uint32_t *values,
                          uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) cw_text_printf(text, "%s%u", i == 0 ? first : separator, values[i]);
}

/* --- comparing a network with its shape --------------------------------------------------------------------------- */

int cw_shape_differs(const struct cw_shape_cursor *cursor)
{
    char name[CW_NAME_SIZE];
    return cw_fail(CW_EUSAGE, "%s (vertex %u) has other cables than its place in the shape, expected %s",
                   cw_network_name(cursor->net, cursor->v, name, sizeof name), cursor->v,
                   "the cables and port numbers of a generated network");
}

int cw_shape_expect(struct cw_shape_cursor *cursor, uint64_t port, uint64_t head, uint64_t port_there)
{
    const struct cw_network *net = cursor->net;
    const uint32_t c = cursor->channel;
    if (c == net->first[cursor->v + 1] || cw_network_port(net, c) != port || net->head[c] != head ||
        cw_network_port(net, net->twin[c]) != port_there)
        return cw_shape_differs(cursor);
    cursor->channel++;
    return 0;
}

int cw_shape_expect_end(struct cw_shape_cursor *cursor)
{
    if (cursor->channel != cursor->net->first[cursor->v + 1]) return cw_shape_differs(cursor);
    cursor->v++;
    return 0;
}

int cw_shape_expect_hosts(struct cw_shape_cursor *cursor, uint32_t per_switch)
{
    const uint32_t n = cursor->net->n_endpoints;
    int rc = 0;
    while (cursor->v < n && !rc) {
        rc = cw_shape_expect(cursor, 1, (uint64_t)n + cursor->v / per_switch, cursor->v % per_switch + 1);
        if (!rc) rc = cw_shape_expect_end(cursor);
    }
    return rc;
}

int cw_shape_expect_endpoints(struct cw_shape_cursor *cursor, uint64_t first, uint32_t n)
{
    int rc = 0;
    for (uint32_t i = 0; i < n && !rc; i++) rc = cw_shape_expect(cursor, (uint64_t)i + 1, first + i, 1);
    return rc;
}

int cw_network_check_shape(const struct cw_network *net)
{
    if (!cw_shape_fits(&net->shape, net->n_endpoints, cw_network_switches(net)))
        return cw_fail(CW_EUSAGE, "%u endpoints and %u switches are not those of the shape", net->n_endpoints,
                       cw_network_switches(net));
    return net->shape.kind ? net->shape.kind->check(net) : 0;
}
