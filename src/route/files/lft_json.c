
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "route/files/lft_file.h"
#include "route/files/lft_internal.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

struct cw_lft_json {
    const char *file;
    const struct cw_lft_names *names;
    struct cw_lft_content content;
    json_t *root, *lids;
    uint32_t *lid; /* [items of `lids`] */
};

bool cw_lft_json_recognises(const char *data, size_t length)
{
    static const char format[] = "\"" CW_LFT_JSON_FORMAT "\"";
    size_t at = length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
    while (at < length && strchr(" \t\r\n", data[at]) && data[at] != 0) at++;
    if (at == length || data[at] != '{') return false;
    return memmem(data + at, length - at < 256 ? length - at : 256, format, sizeof format - 1) != NULL;
}

const struct cw_lft_content *cw_lft_json_content(const struct cw_lft_json *json)
{
    return &json->content;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Where a value is: "list[index].key", and [item] of that if it is not negative. */
struct place {
    const struct cw_lft_json *json;
    const char *list;
    size_t index;
    const char *key;
    long item;
};

static int fail_value(const struct place *place, const json_t *value, const char *expected)
{
    char item[32] = "";
    if (place->item >= 0) snprintf(item, sizeof item, "[%ld]", place->item);
    char *found = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    const int rc = cw_fail_at(place->json->file, 0, "%s[%zu].%s%s is %.60s, expected %s", place->list, place->index,
                              place->key, item, found ? found : "missing", expected);
    free(found);
    return rc;
}

static int get_number(const struct place *place, const json_t *value, uint32_t max, const char *expected, uint32_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > max)
        return fail_value(place, value, expected);
    *out = (uint32_t)json_integer_value(value);
    return 0;
}

static int get_guid(struct place place, const json_t *object, uint64_t *out)
{
    place.key = "guid";
    const json_t *value = json_object_get(object, place.key);
    const char *text = json_string_value(value); /* NULL if it is no text */
    const size_t length = text ? strlen(text) : 0;
    if (length < 3 || length > 18 || strncmp(text, "0x", 2) != 0 ||
        strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
        return fail_value(&place, value, "a text of 0x and 1 to 16 hexadecimal digits");
    *out = strtoull(text, NULL, 16);
    return 0;
}

/* The list KEY of the document; *LIST is NULL if it is not there and need not be. */
static int get_list(const struct cw_lft_json *json, const char *key, bool required, json_t **list)
{
    *list = json_object_get(json->root, key);
    if ((!*list && !required) || json_is_array(*list)) return 0;
    return cw_fail_at(json->file, 0, "\"%s\" is %s, expected a list", key, *list ? "something else" : "missing");
}

/* The list of OBJECT at PLACE that has an item for each LID. */
static int get_items(const struct place *place, const json_t *object, json_t **items)
{
    char expected[64];
    *items = json_object_get(object, place->key);
    if (json_array_size(*items) == json_array_size(place->json->lids) && json_is_array(*items)) return 0;
    snprintf(expected, sizeof expected, "a list of as many as there are \"lids\": %zu",
             json_array_size(place->json->lids));
    return fail_value(place, *items, expected);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static int read_lid(struct cw_lft_json *json, size_t i)
{
    const json_t *object = json_array_get(json->lids, i);
    const struct place place = {json, "lids", i, "lid", -1};
    uint64_t guid = 0;
    uint32_t lid = 0;
    int rc = get_number(&place, json_object_get(object, "lid"), CW_LFT_LIDS - 1, "a unicast LID, 1 to 49151", &lid);
    if (rc == 0) rc = get_guid(place, object, &guid);
    if (rc) return rc;
    struct cw_lft_lid *known = &json->content.lids[lid];
    if (lid == 0 || known->line != 0)
        return fail_value(&place, json_object_get(object, "lid"), "a unicast LID that no other item has");
    *known =
        (struct cw_lft_lid){.port_guid = guid, .line = 1, .of_switch = json_is_true(json_object_get(object, "switch"))};
    json->lid[i] = lid;
    return 0;
}

static int read_lids(struct cw_lft_json *json)
{
    int rc = get_list(json, "lids", true, &json->lids);
    if (rc) return rc;
    json->lid = cw_new_array(json_array_size(json->lids), sizeof *json->lid, "LIDs");
    if (!json->lid) return CW_ENOMEM;
    for (size_t i = 0; rc == 0 && i < json_array_size(json->lids); i++) rc = read_lid(json, i);
    return rc;
}

/* The row of the table of GUID and NAME (NULL: it has none), or NULL if the fabric has no such switch. */
static int new_row(struct cw_lft_json *json, size_t index, uint64_t guid, const char *name, uint8_t **row)
{
    struct cw_lft_content *content = &json->content;
    const uint32_t v = cw_lft_find_table(json->names, guid, name, &content->by_number);
    *row = NULL;
    content->n_tables++;
    if (v == CW_NONE) {
        if (content->n_unknown < CW_LFT_NAMED) content->unknown[content->n_unknown] = guid;
        content->n_unknown++;
        return 0;
    }
    uint8_t **at = &content->ports[v - json->names->net->n_endpoints];
    if (*at)
        return cw_fail_at(json->file, 0, "tables[%zu] is a second table of switch 0x%016llx, expected one", index,
                          (unsigned long long)guid);
    content->guids[v - json->names->net->n_endpoints] = guid;
    *at = *row = cw_new_array(CW_LFT_LIDS, 1, "a forwarding table");
    return *row ? 0 : CW_ENOMEM;
}

static int read_table(struct cw_lft_json *json, size_t index, const json_t *object)
{
    struct place place = {json, "tables", index, "ports", -1};
    uint64_t guid = 0;
    uint8_t *row = NULL;
    json_t *ports;
    int rc = get_guid(place, object, &guid);
    if (rc == 0) rc = get_items(&place, object, &ports);
    if (rc == 0) rc = new_row(json, index, guid, json_string_value(json_object_get(object, "name")), &row);
    for (size_t i = 0; rc == 0 && i < json_array_size(ports); i++) {
        const json_t *value = json_array_get(ports, i);
        uint32_t port = 0;
        if (json_is_null(value)) continue;
        place.item = (long)i;
        rc = get_number(&place, value, CW_LFT_MAX_PORT, "a port from 0 to 254, or null", &port);
        if (row) row[json->lid[i]] = (uint8_t)(port + 1);
    }
    return rc;
}

static int read_all(struct cw_lft_json *json)
{
    json_t *tables, *version = json_object_get(json->root, "version");
    if (!json_is_integer(version) || json_integer_value(version) != 1)
        return cw_fail_at(json->file, 0, "\"version\" is not 1, expected 1: is the file of a later Crosswind?");
    int rc = read_lids(json);
    if (rc == 0) rc = get_list(json, "tables", true, &tables);
    for (size_t i = 0; rc == 0 && i < json_array_size(tables); i++) rc = read_table(json, i, json_array_get(tables, i));
    if (rc == 0 && json_array_size(tables) == 0)
        rc = cw_fail_at(json->file, 0, "\"tables\" is empty, expected a table for each switch");
    return rc;
}

int cw_lft_json_new(const char *file, const char *data, size_t length, const struct cw_lft_names *names,
                    struct cw_lft_json **out)
{
    const uint32_t n_switches = cw_network_switches(names->net);
    const size_t mark = length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    struct cw_lft_json *json = cw_new_array(1, sizeof *json, "forwarding tables");
    if (!json) return CW_ENOMEM;
    *json = (struct cw_lft_json){.file = file, .names = names, .content = {.format = "JSON"}};
    json->content.lids = cw_new_array(CW_LFT_LIDS, sizeof *json->content.lids, "LIDs");
    json->content.ports = cw_new_array(n_switches, sizeof *json->content.ports, "forwarding tables");
    json->content.guids = cw_new_array(n_switches, sizeof *json->content.guids, "forwarding tables");
    int rc = json->content.lids && json->content.ports && json->content.guids ? 0 : CW_ENOMEM;
    if (rc == 0) rc = cw_json_read(file, data + mark, length - mark, &json->root);
    if (rc == 0) rc = read_all(json);
    if (rc)
        cw_lft_json_free(json);
    else
        *out = json;
    return rc;
}

void cw_lft_json_free(struct cw_lft_json *json)
{
    if (!json) return;
    for (uint32_t i = 0; json->content.ports && i < cw_network_switches(json->names->net); i++)
        free(json->content.ports[i]);
    free(json->content.ports);
    free(json->content.lids);
    free(json->content.guids);
    free(json->lid);
    json_decref(json->root);
    free(json);
}

/* --- service levels ----------------------------------------------------------------------------------------------- */

#define NO_ENDPOINT CW_NONE

/* The endpoint whose base LID is the I-th, or NO_ENDPOINT. */
static uint32_t endpoint_of(const struct cw_lft_json *json, const struct cw_lft_names *names, size_t i)
{
    const uint32_t lid = json->lid[i];
    const uint64_t guid = json->content.lids[lid].port_guid;
    const uint32_t v = cw_lft_find_port(names, guid);
    const bool base = json->content.lids[lid - 1].port_guid != guid;
    return v < names->net->n_endpoints && base ? v : NO_ENDPOINT;
}

static int read_levels(const struct cw_lft_json *json, const struct cw_lft_names *names, size_t index,
                       const json_t *object, struct cw_service_levels *levels)
{
    struct place place = {json, "service_levels", index, "levels", -1};
    uint64_t guid = 0;
    json_t *items;
    int rc = get_guid(place, object, &guid);
    if (rc == 0) rc = get_items(&place, object, &items);
    const uint32_t src = rc == 0 ? cw_lft_find_port(names, guid) : CW_NONE;
    for (size_t i = 0; rc == 0 && src < names->net->n_endpoints && i < json_array_size(items); i++) {
        const uint32_t dst = endpoint_of(json, names, i);
        uint32_t level = CW_LEVEL_NO_PATH;
        place.item = (long)i;
        const json_t *value = json_array_get(items, i);
        if (!json_is_null(value))
            rc = get_number(&place, value, CW_SERVICE_LEVELS - 1, "a service level from 0 to 15, or null", &level);
        if (dst != NO_ENDPOINT) cw_service_levels_set(levels, src, dst, level);
    }
    return rc;
}

static int read_row(const struct cw_lft_json *json, const struct cw_lft_names *names, size_t index,
                    const json_t *object, struct cw_service_levels *levels)
{
    const struct cw_network *net = names->net;
    struct place place = {json, "lanes_of_levels", index, "lanes", -1};
    const json_t *lanes = json_object_get(object, "lanes"), *in = json_object_get(object, "in");
    uint64_t guid = 0, row = 0;
    uint32_t ports[2] = {0, 0};
    int rc = get_guid(place, object, &guid);
    if (rc == 0 && json_array_size(lanes) != CW_SERVICE_LEVELS) rc = fail_value(&place, lanes, "a list of 16 lanes");
    for (uint32_t sl = 0; rc == 0 && sl < CW_SERVICE_LEVELS; sl++) {
        uint32_t lane = 0;
        place.item = sl;
        rc = get_number(&place, json_array_get(lanes, sl), CW_LANE_DISCARDED, "a lane from 0 to 15", &lane);
        row |= (uint64_t)lane << 4 * sl;
    }
    place.item = -1;
    for (int i = 0; rc == 0 && in && i < 2; i++) {
        place.key = i == 0 ? "in" : "out";
        rc = get_number(&place, json_object_get(object, place.key), CW_LFT_MAX_PORT, "a port's number", &ports[i]);
    }
    if (rc) return rc;
    const uint32_t v = in ? cw_lft_find_switch(names, guid) : cw_lft_find_port(names, guid);
    if (v == CW_NONE || cw_network_is_endpoint(net, v) == (in != NULL) || cw_network_degree(net, v) == 0) return 0;
    const uint32_t from = in ? cw_network_channel_at(net, v, ports[0]) : CW_NONE;
    const uint32_t to = in ? cw_network_channel_at(net, v, ports[1]) : net->first[v];
    if (in && (from == CW_NONE || to == CW_NONE)) return 0;
    const size_t at = cw_level_row(levels, in ? net->twin[from] : CW_NONE, to);
    levels->given[at] = true;
    levels->row[at] = row;
    return 0;
}

static int fill_levels(void *context, const struct cw_lft_names *names, struct cw_service_levels *levels)
{
    const struct cw_lft_json *json = context;
    const size_t n_rows = levels->first_row[names->net->n_vertices];
    json_t *pairs, *rows;
    int rc = get_list(json, "service_levels", true, &pairs);
    if (rc == 0) rc = get_list(json, "lanes_of_levels", false, &rows);
    for (size_t i = 0; rc == 0 && i < json_array_size(pairs); i++)
        rc = read_levels(json, names, i, json_array_get(pairs, i), levels);
    for (size_t i = 0; rc == 0 && rows && i < json_array_size(rows); i++)
        rc = read_row(json, names, i, json_array_get(rows, i), levels);
    for (size_t i = 0; rc == 0 && !rows && i < n_rows; i++) {
        levels->given[i] = true;
        levels->row[i] = CW_LANE_IS_LEVEL;
    }
    return rc;
}

int cw_lft_json_levels(const struct cw_lft_json *json, struct cw_routes *routes)
{
    const struct cw_levels_source source = {json->file, json->file, fill_levels, (void *)json};
    const json_t *lanes = json_object_get(json->root, "lanes");
    struct cw_service_levels *levels;
    if (!json_object_get(json->root, "service_levels")) {
        if (json_is_integer(lanes) && json_integer_value(lanes) == 1)
            for (; routes; routes = routes->next_lid) routes->lanes_unknown = false;
        return 0;
    }
    const int rc = cw_service_levels_make(routes->net, &source, &levels);
    return rc ? rc : cw_routes_set_service_levels(routes, levels);
}

/* Forwarding tables as JSON: doc/formats/tables-json.md. Composed here, as jansson's tree would take many times the
 * memory. */

static void write_name(const struct cw_network *net, uint32_t v, struct cw_text *text)
{
    char name[CW_NAME_SIZE];
    cw_text_add(text, "\"name\": ");
    cw_json_add_string(text, cw_network_name(net, v, name, sizeof name));
}

static const char *separator(bool *first)
{
    const char *said = *first ? "\n  " : ",\n  ";
    *first = false;
    return said;
}

static void write_lids(const struct cw_lft_writer *writer, struct cw_text *text)
{
    bool first = true;
    cw_text_add(text, ",\n\"lids\": [");
    for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
        const uint32_t v = writer->vertex[lid];
        if (v == CW_NONE) continue;
        cw_text_printf(text, "%s{\"lid\": %u, \"guid\": \"0x%016llx\", ", separator(&first), lid,
                       (unsigned long long)cw_lft_port_guid(writer->net, v));
        if (!cw_network_is_endpoint(writer->net, v)) cw_text_add(text, "\"switch\": true, ");
        write_name(writer->net, v, text);
        cw_text_add(text, "}");
    }
    cw_text_add(text, "]");
}

static void write_tables(const struct cw_lft_writer *writer, struct cw_text *text)
{
    bool first = true;
    cw_text_add(text, ",\n\"tables\": [");
    for (uint32_t i = 0; i < cw_network_switches(writer->net); i++) {
        const uint32_t v = writer->order[i];
        const char *comma = "";
        cw_text_printf(text, "%s{\"guid\": \"0x%016llx\", ", separator(&first),
                       (unsigned long long)cw_lft_switch_guid(writer->net, v));
        write_name(writer->net, v, text);
        cw_text_add(text, ", \"ports\": [");
        for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
            if (writer->vertex[lid] == CW_NONE) continue;
            const uint32_t port = cw_lft_writer_port(writer, v, lid);
            if (port == CW_LFT_NO_PORT)
                cw_text_printf(text, "%snull", comma);
            else
                cw_json_add_item(text, comma, port);
            comma = ", ";
        }
        cw_text_add(text, "]}");
    }
    cw_text_add(text, "]");
}

/* --- service levels ----------------------------------------------------------------------------------------------- */

static void write_pairs(const struct cw_lft_writer *writer, const struct cw_service_levels *levels,
                        struct cw_text *text)
{
    bool first = true;
    cw_text_add(text, ",\n\"service_levels\": [");
    for (uint32_t src = 0; src < writer->net->n_endpoints; src++) {
        const char *comma = "";
        cw_text_printf(text, "%s{\"guid\": \"0x%016llx\", \"levels\": [", separator(&first),
                       (unsigned long long)cw_lft_port_guid(writer->net, src));
        for (uint32_t lid = 1; lid <= writer->max_lid; lid++) {
            const uint32_t dst = writer->vertex[lid];
            if (dst == CW_NONE) continue;
            const uint32_t level =
                cw_network_is_endpoint(writer->net, dst) ? cw_service_levels_of(levels, src, dst) : CW_LEVEL_NO_PATH;
            if (level < CW_SERVICE_LEVELS)
                cw_json_add_item(text, comma, level);
            else
                cw_text_printf(text, "%snull", comma);
            comma = ", ";
        }
        cw_text_add(text, "]}");
    }
    cw_text_add(text, "]");
}

/* The lanes of packets that came by BEFORE, or begin, and leave by CHANNEL. */
static void write_lanes(const struct cw_service_levels *levels, uint32_t before, uint32_t channel, bool *first,
                        struct cw_text *text)
{
    const struct cw_network *net = levels->net;
    const uint32_t v = net->tail[channel];
    const uint64_t guid = cw_network_is_endpoint(net, v) ? cw_lft_port_guid(net, v) : cw_lft_switch_guid(net, v);
    cw_text_printf(text, "%s{\"guid\": \"0x%016llx\"", separator(first), (unsigned long long)guid);
    if (before != CW_NONE)
        cw_text_printf(text, ", \"in\": %u, \"out\": %u", cw_network_port(net, net->twin[before]),
                       cw_network_port(net, channel));
    cw_text_add(text, ", \"lanes\": [");
    for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS; sl++)
        cw_text_printf(text, "%s%u", sl > 0 ? ", " : "", cw_service_levels_lane(levels, before, channel, sl));
    cw_text_add(text, "]}");
}

static void write_maps(const struct cw_service_levels *levels, struct cw_text *text)
{
    const struct cw_network *net = levels->net;
    bool first = true;
    cw_text_add(text, ",\n\"lanes_of_levels\": [");
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t v = net->tail[c];
        if (cw_network_is_endpoint(net, v)) write_lanes(levels, CW_NONE, c, &first, text);
        for (uint32_t in = net->first[v]; !cw_network_is_endpoint(net, v) && in < net->first[v + 1]; in++)
            if (in != c) write_lanes(levels, net->twin[in], c, &first, text);
    }
    cw_text_add(text, "]");
}

int cw_lft_write_json(const struct cw_routes *routes, struct cw_text *text)
{
    struct cw_lft_writer writer;
    const int rc = cw_lft_writer_new(routes, &writer);
    if (rc == 0) {
        cw_text_add(text, "{\"format\": \"" CW_LFT_JSON_FORMAT "\", \"version\": 1, \"routing\": ");
        cw_json_add_string(text, cw_routes_name(routes));
        if (cw_routes_lanes_known(routes)) cw_text_printf(text, ", \"lanes\": %u", cw_routes_lanes(routes));
        write_lids(&writer, text);
        write_tables(&writer, text);
        if (routes->levels) write_pairs(&writer, routes->levels, text);
        if (routes->levels && routes->levels->row) write_maps(routes->levels, text);
        cw_text_add(text, "}\n");
    }
    cw_lft_writer_free(&writer);
    return rc ? rc : cw_text_check(text);
}
