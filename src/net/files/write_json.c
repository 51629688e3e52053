#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/files/formats_internal.h"
#include "net/network_internal.h"

/* The file is composed here and not by jansson because a tree of all cables would take several times the memory of the
 * network, and because one cable a line is what people can read and compare. */

/* VALUE with as few digits as give the same number when read. */
static void write_real(struct cw_text *text, double value)
{
    char number[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value) break;
    }
    cw_text_add(text, number);
}

static void write_list(struct cw_text *text, const char *key, const uint32_t *values, uint32_t n)
{
    cw_text_printf(text, ", \"%s\": [", key);
    cw_shape_add_numbers(text, "", ", ", values, n);
    cw_text_add(text, "]");
}

/* What has its default, 0, is not stated if it is optional. */
static void write_field(struct cw_text *text, const struct cw_shape_field *field, const struct cw_shape *shape)
{
    const void *value = (const char *)shape + field->offset;
    switch (field->type) {
    case CW_SHAPE_LIST:
        write_list(text, field->key, value, *(const uint32_t *)((const char *)shape + field->length));
        break;
    case CW_SHAPE_FLAG:
        cw_text_printf(text, ", \"%s\": %s", field->key, *(const bool *)value ? "true" : "false");
        break;
    case CW_SHAPE_NUMBER:
    case CW_SHAPE_WORD: {
        const uint32_t number = *(const uint32_t *)value;
        if (number == 0 && field->optional) break;
        cw_text_printf(text, ", \"%s\": ", field->key);
        if (field->words)
            cw_text_printf(text, "\"%s\"", field->words[number]);
        else
            cw_text_printf(text, "%u", number);
        break;
    }
    }
}

static void write_shape(struct cw_text *text, const struct cw_shape *shape)
{
    if (!shape->kind) return;
    cw_text_printf(text, ",\n  \"shape\": {\"kind\": \"%s\"", shape->kind->name);
    for (const struct cw_shape_field *field = shape->kind->fields; field->key; field++) write_field(text, field, shape);
    cw_text_add(text, "}");
}

static int write_names(struct cw_text *text, const struct cw_network *net)
{
    if (!net->names) return 0;
    cw_text_add(text, ",\n  \"names\": [");
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        json_t *string = json_string(net->names + net->name_at[v]);
        char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
        json_decref(string);
        if (!quoted)
            return cw_fail(CW_EUSAGE, "the name of vertex %u, '%s', is not UTF-8, which JSON asks for", v,
                           net->names + net->name_at[v]);
        cw_text_printf(text, "%s    %s", v == 0 ? "\n" : ",\n", quoted);
        free(quoted);
    }
    cw_text_add(text, "\n  ]");
    return 0;
}

static void write_parts(struct cw_text *text, const struct cw_identity *identity)
{
    struct cw_identity_part parts[CW_IDENTITY_PARTS];
    const size_t n = cw_identity_parts(identity, parts);
    for (size_t i = 0; i < n; i++)
        cw_text_printf(text, parts[i].guid ? ", \"%s\": \"0x%016" PRIx64 "\"" : ", \"%s\": %" PRIu64, parts[i].name,
                       parts[i].value);
}

static void write_identities(struct cw_text *text, const struct cw_network *net)
{
    if (!net->identity) return;
    cw_text_add(text, ",\n  \"identities\": [");
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const struct cw_identity *identity = net->identity + v;
        cw_text_printf(text, "%s    {\"kind\": \"%s\"", v == 0 ? "\n" : ",\n", cw_vertex_kind_names[identity->kind]);
        write_parts(text, identity);
        cw_text_add(text, "}");
    }
    cw_text_add(text, "\n  ]");
}

static bool same_link(const struct cw_network *net, uint32_t c, uint32_t other)
{
    return net->capacity[c] == net->capacity[other] && net->latency[c] == net->latency[other];
}

/* A channel with the capacity and latency that most open ones have, if any have the majority (Boyer and Moore's vote).
 */
static uint32_t usual_channel(const struct cw_network *net)
{
    uint32_t usual = 0, votes = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (cw_network_is_closed(net, c)) continue;
        if (votes == 0) usual = c;
        if (same_link(net, c, usual))
            votes++;
        else
            votes--;
    }
    return usual;
}

static void write_link(struct cw_text *text, const struct cw_network *net, uint32_t c)
{
    cw_text_add(text, ", ");
    write_real(text, net->capacity[c]);
    cw_text_add(text, ", ");
    write_real(text, net->latency[c]);
}

static void write_cables(struct cw_text *text, const struct cw_network *net)
{
    if (net->n_channels == 0) {
        cw_text_add(text, ",\n  \"cables\": []");
        return;
    }
    const uint32_t usual = usual_channel(net);
    cw_text_add(text, ",\n  \"capacity\": ");
    write_real(text, net->capacity[usual]);
    cw_text_add(text, ",\n  \"latency\": ");
    write_real(text, net->latency[usual]);
    cw_text_add(text, ",\n  \"cables\": [");
    const char *separator = "\n";
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (c > net->twin[c]) continue;
        cw_text_printf(text, "%s    [%u, %u, %u, %u", separator, net->tail[c], cw_network_port(net, c), net->head[c],
                       cw_network_port(net, net->twin[c]));
        const bool two = !same_link(net, c, net->twin[c]);
        if (two || !same_link(net, c, usual)) write_link(text, net, c);
        if (two) write_link(text, net, net->twin[c]);
        cw_text_add(text, "]");
        separator = ",\n";
    }
    cw_text_add(text, "\n  ]");
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    cw_text_printf(text, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"endpoints\": %u,\n  \"switches\": %u",
                   CW_JSON_FORMAT, CW_JSON_VERSION, net->n_endpoints, cw_network_switches(net));
    write_shape(text, &net->shape);
    const int rc = write_names(text, net);
    if (rc) return rc;
    write_identities(text, net);
    write_cables(text, net);
    cw_text_add(text, "\n}\n");
    return cw_text_check(text);
}

const struct cw_writer cw_writer_json = {.name = "json",
                                         .extension = ".json",
                                         .help = "Crosswind's own format, which keeps everything.",
                                         .write = write_network,
                                         .directed = true};
