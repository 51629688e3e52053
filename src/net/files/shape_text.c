#include "net/files/shape_text.h"

#include <inttypes.h>
#include <string.h>

#include "net/network_internal.h"

/* A hash (FNV-1a over 32-bit words) of which port leads where. */
static uint64_t wiring(const struct cw_network *net)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t words[] = {net->tail[c], cw_network_port(net, c), net->head[c],
                                  cw_network_port(net, net->twin[c])};
        for (size_t i = 0; i < 4; i++) hash = (hash ^ words[i]) * 0x100000001b3u;
    }
    return hash ^ hash >> 32;
}

/* What has its default, 0, is not stated if it is optional; neither is a flag that is not set. */
static void write_field(struct cw_text *text, const struct cw_shape_field *field, const struct cw_shape *shape)
{
    const void *value = (const char *)shape + field->offset;
    if (field->type == CW_SHAPE_FLAG) {
        if (*(const bool *)value) cw_text_printf(text, " %s", field->key);
        return;
    }
    const uint32_t *numbers = value;
    const uint32_t n = field->type == CW_SHAPE_LIST ? *(const uint32_t *)((const char *)shape + field->length) : 1;
    if (field->optional && numbers[0] == 0) return;
    cw_text_printf(text, " %s=", field->key);
    if (field->words)
        cw_text_add(text, field->words[numbers[0]]);
    else
        cw_shape_add_numbers(text, "", ",", numbers, n);
}

void cw_shape_text_write(const struct cw_network *net, struct cw_text *text)
{
    const struct cw_shape *shape = &net->shape;
    cw_text_add(text, shape->kind->name);
    for (const struct cw_shape_field *field = shape->kind->fields; field->key; field++) write_field(text, field, shape);
    cw_text_printf(text, "; wiring %016" PRIx64, wiring(net));
}

/* At most MAX numbers of at least MIN with commas between; their count, 0 if there are more or other ones. */
static uint32_t read_numbers(struct cw_ib_scan *scan, uint32_t min, uint32_t max, uint32_t *values)
{
    uint32_t n = 0;
    do {
        if (n == max || !cw_ib_decimal(scan, UINT32_MAX, &values[n]) || values[n] < min) return 0;
        n++;
    } while (cw_ib_char(scan, ','));
    return n;
}

static bool read_word(struct cw_ib_scan *scan, const char *const *words, uint32_t *out)
{
    for (uint32_t i = 0; words[i]; i++) {
        if (!cw_ib_word(scan, words[i])) continue;
        *out = i;
        return true;
    }
    return false;
}

/* FIELD, behind whose key SCAN is. */
static bool read_value(struct cw_ib_scan *scan, const struct cw_shape_field *field, struct cw_shape *shape)
{
    void *out = (char *)shape + field->offset;
    if (field->type == CW_SHAPE_FLAG) {
        *(bool *)out = true;
        return true;
    }
    if (!cw_ib_char(scan, '=')) return false;
    if (field->type == CW_SHAPE_WORD) return read_word(scan, field->words, out);
    if (field->type == CW_SHAPE_NUMBER) return read_numbers(scan, field->min, 1, out) == 1;
    uint32_t *length = (uint32_t *)((char *)shape + field->length); /* not 0: an earlier list has given it */
    const uint32_t n = read_numbers(scan, 1, field->max, out);
    if (n < field->min || (*length != 0 && *length != n)) return false;
    *length = n;
    return true;
}

/* The parameters of SHAPE, whose kind is given. */
static bool read_fields(struct cw_ib_scan *scan, struct cw_shape *shape)
{
    for (const struct cw_shape_field *field = shape->kind->fields; field->key; field++) {
        struct cw_ib_scan ahead = *scan;
        if (cw_ib_char(&ahead, ' ') && cw_ib_word(&ahead, field->key)) {
            if (!read_value(&ahead, field, shape)) return false;
            *scan = ahead;
        } else if (!field->optional && field->type != CW_SHAPE_FLAG) {
            return false;
        }
    }
    return true;
}

/* The shape that SCAN begins with, if there is one. */
static struct cw_shape read_shape(struct cw_ib_scan *scan)
{
    const struct cw_ib_scan begin = *scan;
    for (const struct cw_shape_kind *const *kind = cw_shape_kinds; *kind; kind++) {
        struct cw_shape shape = {.kind = *kind};
        *scan = begin;
        if (cw_ib_word(scan, (*kind)->name) && read_fields(scan, &shape)) return shape;
    }
    return (struct cw_shape){.kind = NULL};
}

void cw_shape_text_apply(struct cw_ib_span line, struct cw_network *net)
{
    if (!line.text) return;
    struct cw_ib_scan scan = {line.text, line.text + line.length};
    uint64_t stated;
    const struct cw_shape shape = read_shape(&scan);
    if (!shape.kind || !cw_ib_word(&scan, "; wiring ") || !cw_ib_hex(&scan, &stated) || !cw_ib_end(&scan) ||
        stated != wiring(net))
        return;
    net->shape = shape;
    if (cw_network_check_shape(net) != 0) net->shape = (struct cw_shape){.kind = NULL};
}
