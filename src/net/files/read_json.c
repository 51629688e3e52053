#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "net/builder.h"
#include "net/files/formats_internal.h"

/* Where in the file a value is: "list[index].key", without the parts that are NULL. */
struct place {
    const char *file, *list;
    size_t index;
    const char *key;
};

/* Says in WHERE (of SIZE bytes) what PLACE says. */
static const char *describe(const struct place *place, char *where, size_t size)
{
    if (place->list)
        snprintf(where, size, "%s[%zu]%s%s", place->list, place->index, place->key ? "." : "",
                 place->key ? place->key : "");
    else
        snprintf(where, size, "\"%s\"", place->key);
    return where;
}

static int fail_value(const struct place *place, const json_t *value, const char *expected)
{
    char where[128];
    describe(place, where, sizeof where);
    if (!value) return cw_fail_at(place->file, 0, "%s is missing, expected %s", where, expected);
    char *found = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    const int rc = cw_fail_at(place->file, 0, "%s is %.60s, expected %s", where, found ? found : "?", expected);
    free(found);
    return rc;
}

static int get_integer(const struct place *place, const json_t *value, uint32_t min, uint32_t max, uint32_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) >= min && json_integer_value(value) <= max) {
        *out = (uint32_t)json_integer_value(value);
        return 0;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "a whole number from %u to %u", min, max);
    return fail_value(place, value, expected);
}

static int get_number(const struct place *place, const json_t *value, const char *expected, double *out)
{
    if (!json_is_number(value)) return fail_value(place, value, expected);
    *out = json_number_value(value);
    return 0;
}

static void list_words(const char *const *words, struct cw_text *list)
{
    cw_text_add(list, "one of");
    for (const char *const *word = words; *word; word++)
        cw_text_printf(list, "%s\"%s\"", word == words ? " " : ", ", *word);
}

/* Which of the WORDS VALUE is. */
static int get_word(const struct place *place, const json_t *value, const char *const *words, uint32_t *out)
{
    for (uint32_t i = 0; words[i] && json_is_string(value); i++) {
        if (strcmp(json_string_value(value), words[i]) != 0) continue;
        *out = i;
        return 0;
    }
    struct cw_text expected = {0};
    list_words(words, &expected);
    int rc = cw_text_check(&expected);
    if (!rc) rc = fail_value(place, value, expected.data);
    cw_text_free(&expected);
    return rc;
}

static int fail_key(const struct place *place, const char *key, const char *const *known)
{
    struct cw_text expected = {0};
    char where[128];
    list_words(known, &expected);
    int rc = cw_text_check(&expected);
    if (!rc)
        rc = cw_fail_at(place->file, 0, "%s has the unknown key \"%.60s\", expected %s",
                        describe(place, where, sizeof where), key, expected.data);
    cw_text_free(&expected);
    return rc;
}

/* OBJECT is an object and has no keys but KNOWN ones: a misspelt key must not be ignored. */
static int check_keys(const struct place *place, json_t *object, const char *const *known)
{
    if (!json_is_object(object)) return fail_value(place, object, "an object");
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        const char *const *candidate = known;
        while (*candidate && strcmp(*candidate, key) != 0) candidate++;
        if (!*candidate) return fail_key(place, key, known);
    }
    return 0;
}

/* The LENGTH (min … max) whole numbers ≥ 1 of the list KEY of OBJECT. */
static int get_list(const char *file, const json_t *object, const char *key, uint32_t min, uint32_t max, uint32_t *list,
                    uint32_t *length)
{
    const json_t *values = json_object_get(object, key);
    if (!json_is_array(values) || json_array_size(values) < min || json_array_size(values) > max) {
        char expected[64];
        snprintf(expected, sizeof expected, "a list of %u to %u numbers", min, max);
        return fail_value(&(struct place){.file = file, .key = key}, values, expected);
    }
    int rc = 0;
    *length = (uint32_t)json_array_size(values);
    for (uint32_t i = 0; i < *length && !rc; i++)
        rc = get_integer(&(struct place){file, key, i, NULL}, json_array_get(values, i), 1, UINT32_MAX, list + i);
    return rc;
}

/* What is not stated keeps its default, 0. */
static int read_field(const char *file, const json_t *object, const struct cw_shape_field *field,
                      struct cw_shape *shape)
{
    const struct place place = {.file = file, .key = field->key};
    const json_t *value = json_object_get(object, field->key);
    void *out = (char *)shape + field->offset;
    if (!value && field->optional) return 0;
    switch (field->type) {
    case CW_SHAPE_NUMBER:
        return get_integer(&place, value, field->min, UINT32_MAX, out);
    case CW_SHAPE_WORD:
        return get_word(&place, value, field->words, out);
    case CW_SHAPE_FLAG:
        if (!json_is_boolean(value)) return fail_value(&place, value, "true or false");
        *(bool *)out = json_is_true(value);
        return 0;
    case CW_SHAPE_LIST:
        break;
    }
    uint32_t *length = (uint32_t *)((char *)shape + field->length); /* not 0: an earlier list has given it */
    return get_list(file, object, field->key, *length ? *length : field->min, *length ? *length : field->max, out,
                    length);
}

#define MAX_KEYS 16

/* The keys of KIND (NULL: none) besides "kind", into KEYS of MAX_KEYS. */
static void list_keys(const struct cw_shape_kind *kind, const char **keys)
{
    size_t n = 0;
    keys[n++] = "kind";
    for (const struct cw_shape_field *field = kind ? kind->fields : NULL; field && field->key && n + 1 < MAX_KEYS;
         field++)
        keys[n++] = field->key;
    keys[n] = NULL;
}

#define NAME_OF(NAME) cw_shape_##NAME.name,

static int read_kind(const char *file, json_t *object, const struct cw_shape_kind **kind)
{
    const char *names[] = {"none", CW_SHAPES(NAME_OF) NULL};
    uint32_t i;
    const int rc =
        get_word(&(struct place){.file = file, .key = "shape.kind"}, json_object_get(object, "kind"), names, &i);
    if (!rc) *kind = i > 0 ? cw_shape_kinds[i - 1] : NULL;
    return rc;
}

static int read_shape(const char *file, json_t *object, struct cw_builder *builder)
{
    const char *keys[MAX_KEYS];
    struct cw_shape shape = {0};
    if (!object) return 0;
    int rc = read_kind(file, object, &shape.kind);
    if (rc) return rc;
    list_keys(shape.kind, keys);
    rc = check_keys(&(struct place){.file = file, .key = "shape"}, object, keys);
    for (const struct cw_shape_field *field = shape.kind ? shape.kind->fields : NULL; field && field->key && !rc;
         field++)
        rc = read_field(file, object, field, &shape);
    if (!rc) cw_builder_shape(builder, &shape);
    return rc;
}

/* The list KEY of ROOT into *LIST; NULL if there is none. Its length must be LENGTH unless that is SIZE_MAX. */
static int get_array(const char *file, const json_t *root, const char *key, size_t length, json_t **list)
{
    *list = json_object_get(root, key);
    if (!*list) return 0;
    const struct place place = {.file = file, .key = key};
    if (!json_is_array(*list)) return fail_value(&place, *list, "a list");
    if (length == SIZE_MAX || json_array_size(*list) == length) return 0;
    return cw_fail_at(file, 0, "\"%s\" has %zu items, expected %zu: one for each vertex", key, json_array_size(*list),
                      length);
}

static int read_names(const char *file, const json_t *root, size_t n_vertices, struct cw_builder *builder)
{
    json_t *names;
    int rc = get_array(file, root, "names", n_vertices, &names);
    for (size_t v = 0; !rc && names && v < n_vertices; v++) {
        const json_t *name = json_array_get(names, v);
        if (json_is_string(name))
            cw_builder_name(builder, (uint32_t)v, json_string_value(name));
        else
            rc = fail_value(&(struct place){file, "names", v, NULL}, name, "a text");
    }
    return rc;
}

static int get_guid(const struct place *place, const json_t *value, uint64_t *out)
{
    if (!value) return 0;
    const char *text = json_string_value(value); /* NULL if it is no text */
    const size_t length = text ? strlen(text) : 0;
    if (length < 3 || length > 18 || strncmp(text, "0x", 2) != 0 ||
        strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
        return fail_value(place, value, "a text of 0x and 1 to 16 hexadecimal digits");
    *out = strtoull(text, NULL, 16);
    return 0;
}

static int get_identity(struct place place, json_t *object, struct cw_identity *identity)
{
    static const char *const known[] = {"kind", "node_guid", "port_guid", "system_guid", "lid",
                                        "lmc",  "ports",     "device",    "vendor",      NULL};
    uint32_t kind = 0, lmc = 0, ports = 0;
    const struct {
        const char *key;
        uint64_t *value;
    } guids[] = {{"node_guid", &identity->node_guid},
                 {"port_guid", &identity->port_guid},
                 {"system_guid", &identity->system_guid}};
    const struct {
        const char *key;
        uint32_t max, *value;
    } numbers[] = {{"lid", UINT32_MAX, &identity->lid},
                   {"lmc", 31, &lmc},
                   {"ports", UINT16_MAX, &ports},
                   {"device", UINT32_MAX, &identity->device},
                   {"vendor", UINT32_MAX, &identity->vendor}};
    int rc = check_keys(&place, object, known);
    place.key = "kind";
    if (!rc) rc = get_word(&place, json_object_get(object, "kind"), cw_vertex_kind_names, &kind);
    for (size_t i = 0; i < sizeof guids / sizeof *guids && !rc; i++) {
        place.key = guids[i].key;
        rc = get_guid(&place, json_object_get(object, place.key), guids[i].value);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++) {
        place.key = numbers[i].key;
        const json_t *value = json_object_get(object, place.key);
        if (value) rc = get_integer(&place, value, 0, numbers[i].max, numbers[i].value);
    }
    identity->kind = (uint8_t)kind;
    identity->lmc = (uint8_t)lmc;
    identity->ports = (uint16_t)ports;
    return rc;
}

static int read_identities(const char *file, const json_t *root, size_t n_vertices, struct cw_builder *builder)
{
    json_t *identities;
    int rc = get_array(file, root, "identities", n_vertices, &identities);
    for (size_t v = 0; !rc && identities && v < n_vertices; v++) {
        struct cw_identity identity = {0};
        rc = get_identity((struct place){file, "identities", v, NULL}, json_array_get(identities, v), &identity);
        if (!rc) cw_builder_identity(builder, (uint32_t)v, &identity);
    }
    return rc;
}

#define EXPECT_CAPACITY "a capacity in byte/s, more than 0"
#define EXPECT_ONE_WAY  "a capacity in byte/s, more than 0 in one direction at least"
#define EXPECT_LATENCY  "a latency in s, 0 or more"

/* A capacity, which may be 0 if CLOSED, and a latency; VALUES may be NULL, then *CAPACITY and *LATENCY stay. */
static int get_link(const struct place *places, const json_t *const *values, bool closed, double *capacity,
                    double *latency)
{
    double numbers[2] = {*capacity, *latency};
    int rc = 0;
    if (values[0]) rc = get_number(&places[0], values[0], EXPECT_CAPACITY, &numbers[0]);
    if (!rc && values[1]) rc = get_number(&places[1], values[1], EXPECT_LATENCY, &numbers[1]);
    if (!rc && !(numbers[0] > 0 || (closed && numbers[0] >= 0)))
        rc = fail_value(&places[0], values[0], EXPECT_CAPACITY);
    if (!rc && !(numbers[1] >= 0)) rc = fail_value(&places[1], values[1], EXPECT_LATENCY);
    if (rc) return rc;
    *capacity = numbers[0];
    *latency = numbers[1];
    return 0;
}

/* Those of one direction of CABLE, its items AT and the next. */
static int get_numbers(const struct place *place, const json_t *cable, size_t at, bool closed, double *capacity,
                       double *latency)
{
    return get_link((struct place[]){*place, *place},
                    (const json_t *[]){json_array_get(cable, at), json_array_get(cable, at + 1)}, closed, capacity,
                    latency);
}

struct counts {
    uint32_t endpoints, vertices;
};

static int read_cable(const struct place *place, const json_t *cable, const struct counts *n, double capacity,
                      double latency, struct cw_builder *builder)
{
    const size_t size = json_array_size(cable); /* 0 if it is no list */
    if (size != 4 && size != 6 && size != 8)
        return fail_value(place, cable,
                          "[vertex, port, vertex, port] and perhaps capacity and latency, once or for each direction");
    uint32_t ends[4] = {0};
    int rc = 0;
    for (size_t i = 0; i < 4 && !rc; i++)
        rc = get_integer(place, json_array_get(cable, i), 0, i % 2 == 0 ? n->vertices - 1 : UINT32_MAX - 1, ends + i);
    if (!rc && ends[0] == ends[2]) rc = fail_value(place, cable, "two different vertices");
    const bool closed = size == 8 && ends[0] >= n->endpoints && ends[2] >= n->endpoints; /* one direction may be */
    if (!rc && size > 4) rc = get_numbers(place, cable, 4, closed, &capacity, &latency);
    if (!rc) cw_builder_cable(builder, ends[0], ends[1], ends[2], ends[3], capacity, latency);
    const double there = capacity;
    if (!rc && size > 6) rc = get_numbers(place, cable, 6, closed, &capacity, &latency);
    if (!rc && !(there > 0 || capacity > 0)) rc = fail_value(place, cable, EXPECT_ONE_WAY);
    if (!rc && size > 6) cw_builder_back(builder, capacity, latency);
    return rc;
}

static int read_cables(const char *file, const json_t *root, const json_t *cables, const struct counts *n,
                       struct cw_builder *builder)
{
    double capacity = CW_DEFAULT_CAPACITY, latency = CW_DEFAULT_LATENCY;
    const struct place places[] = {{.file = file, .key = "capacity"}, {.file = file, .key = "latency"}};
    int rc = get_link(places, (const json_t *[]){json_object_get(root, "capacity"), json_object_get(root, "latency")},
                      false, &capacity, &latency);
    for (size_t i = 0; i < json_array_size(cables) && !rc; i++)
        rc = read_cable(&(struct place){file, "cables", i, NULL}, json_array_get(cables, i), n, capacity, latency,
                        builder);
    return rc;
}

static int check_head(const char *file, json_t *root)
{
    static const char *const known[] = {"format",     "version",  "endpoints", "switches", "shape", "names",
                                        "identities", "capacity", "latency",   "cables",   NULL};
    static const char *const formats[] = {CW_JSON_FORMAT, NULL};
    if (!json_is_object(root))
        return cw_fail_at(file, 1, "no object, expected { \"format\": \"%s\", …", CW_JSON_FORMAT);
    if (!json_object_get(root, "format"))
        return cw_fail_at(file, 0,
                          "this seems to be JSON of another tool: it has no \"format\", expected \"%s\"; ibnetdiscover "
                          "prints the map of an InfiniBand fabric",
                          CW_JSON_FORMAT);
    uint32_t number;
    int rc =
        get_word(&(struct place){.file = file, .key = "format"}, json_object_get(root, "format"), formats, &number);
    if (!rc)
        rc = get_integer(&(struct place){.file = file, .key = "version"}, json_object_get(root, "version"),
                         CW_JSON_VERSION, CW_JSON_VERSION, &number);
    if (!rc) rc = check_keys(&(struct place){.file = file, .key = "network"}, root, known);
    return rc;
}

static int build(const char *file, json_t *root, size_t length, struct cw_network **net)
{
    uint32_t n_endpoints = 0, n_switches = 0;
    json_t *cables = NULL;
    int rc = check_head(file, root);
    if (!rc)
        rc = get_integer(&(struct place){.file = file, .key = "endpoints"}, json_object_get(root, "endpoints"), 0,
                         UINT32_MAX, &n_endpoints);
    if (!rc)
        rc = get_integer(&(struct place){.file = file, .key = "switches"}, json_object_get(root, "switches"), 0,
                         UINT32_MAX, &n_switches);
    if (!rc) rc = get_array(file, root, "cables", SIZE_MAX, &cables);
    if (rc) return rc;
    const uint64_t n_vertices = (uint64_t)n_endpoints + n_switches;
    if (n_vertices > length) /* a few words must not ask for gigabytes */
        return cw_fail_at(file, 0,
                          "%u endpoints and %u switches in a file of %zu bytes, expected a description of each",
                          n_endpoints, n_switches, length);
    struct cw_builder *builder = cw_builder_new(n_endpoints, n_switches, json_array_size(cables));
    rc = read_shape(file, json_object_get(root, "shape"), builder);
    if (!rc) rc = read_names(file, root, n_vertices, builder);
    if (!rc) rc = read_identities(file, root, n_vertices, builder);
    if (!rc) rc = read_cables(file, root, cables, &(struct counts){n_endpoints, (uint32_t)n_vertices}, builder);
    if (rc) cw_builder_fail(builder, rc);
    struct cw_network *built = NULL;
    rc = cw_builder_finish(builder, &built);
    if (!rc) rc = cw_network_check_shape(built);
    if (rc)
        cw_network_free(built);
    else
        *net = built;
    return rc;
}

static size_t mark_length(const char *data, size_t length)
{
    return length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
}

/* An object begins with a brace and a key; other formats begin with a brace, too. */
static bool recognises(const char *data, size_t length)
{
    static const char begin[] = "{\"";
    size_t found = 0;
    for (size_t i = mark_length(data, length); i < length && found < 2; i++) {
        if (data[i] == begin[found])
            found++;
        else if (data[i] != ' ' && data[i] != '\t' && data[i] != '\r' && data[i] != '\n')
            return false;
    }
    return found == 2;
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    const size_t mark = mark_length(data, length);
    json_t *root;
    int rc = cw_json_read(file, data + mark, length - mark, &root);
    if (rc) return rc;
    rc = build(file, root, length, net);
    json_decref(root);
    return rc;
}

const struct cw_reader cw_reader_json = {.name = "json",
                                         .help = "Crosswind's own format, which keeps everything.",
                                         .recognises = recognises,
                                         .read = read_network};
