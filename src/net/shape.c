#include "net/shape.h"

#include <stdio.h>
#include <string.h>

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
