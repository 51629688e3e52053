/*
 * An Ethernet fabric, as lldpd knows it: what `lldpcli show chassis -f json0` and `lldpcli show neighbors -f json0`
 * print on each device, one behind the other. A cable is known to the devices at both of its ends, and is one all the
 * same.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/json.h"
#include "base/units.h"
#include "net/files/formats_internal.h"
#include "net/files/named_graph.h"

struct lldp {
    struct cw_named_graph graph;
    struct cw_name_table *cables; /* by both ends, as `key` has them */
    struct cw_text key;
    unsigned long line; /* of the document that is read */
    uint32_t device;    /* whose neighbours follow; CW_NONE: nobody's */
    bool speed_unknown; /* of some cable */
};

static int fail(const struct lldp *lldp, const char *expected)
{
    return cw_fail_at(lldp->graph.file, lldp->line, "expected %s, as lldpcli prints it with -f json0", expected);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* The first of the array that OBJECT has under KEY; NULL: there is none. */
static const json_t *first_of(const json_t *object, const char *key)
{
    return json_array_get(json_object_get(object, key), 0);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(first_of(object, key), "value"));
}

/* Whether CHASSIS says that it forwards (1), or that it does not (0); -1: it says nothing. */
static int forwards(const json_t *chassis)
{
    const json_t *capability;
    size_t i;
    int out = -1;
    json_array_foreach(json_object_get(chassis, "capability"), i, capability)
    {
        const char *type = json_string_value(json_object_get(capability, "type"));
        const bool enabled = json_is_true(json_object_get(capability, "enabled"));
        if (out < 0) out = 0;
        if (enabled && type && (strcmp(type, "Bridge") == 0 || strcmp(type, "Router") == 0)) out = 1;
    }
    return out;
}

/* The device that CHASSIS is about, by its name or else its id. */
static int add_device(struct lldp *lldp, const json_t *chassis, uint32_t *id)
{
    const char *name = text_of(chassis, "name");
    if (!name) name = text_of(chassis, "id");
    if (!name) return fail(lldp, "a chassis with a name or an id");
    const int rc = cw_named_graph_vertex(&lldp->graph, lldp->line, name, strlen(name), id);
    if (!rc && forwards(chassis) == 0) lldp->graph.roles[*id] = CW_NAMED_ENDPOINT;
    return rc;
}

/* How its own device calls PORT: by its id, unless that is an address. */
static const char *port_name(const json_t *port)
{
    const char *type = json_string_value(json_object_get(first_of(port, "id"), "type")), *id = text_of(port, "id");
    const char *description = text_of(port, "descr");
    return type && description && (strcmp(type, "mac") == 0 || strcmp(type, "ip") == 0) ? description : id;
}

/* The speed that PORT has agreed on [byte/s], from "10GigBaseLR - …", "100GbaseCR4" or "1000BaseTFD"; 0: not known. */
static double speed_of(const json_t *port)
{
    const char *current = text_of(first_of(port, "auto-negotiation"), "current");
    char *end = NULL;
    const double number = current && isdigit((unsigned char)*current) ? strtod(current, &end) : 0;
    return number <= 0 ? 0 : number * (*end == 'G' ? 1e9 : 1e6) / 8;
}

/* --- cables ------------------------------------------------------------------------------------------------------- */

static void add_end(struct lldp *lldp, uint32_t device, const char *port)
{
    cw_text_printf(&lldp->key, "%u %zu %s ", device, strlen(port), port);
}

/* Whether the cable between these ports is there already is what *CABLE says, below their number. */
static int find_cable(struct lldp *lldp, uint32_t a, const char *port_a, uint32_t b, const char *port_b,
                      uint32_t *cable)
{
    const bool turned = b < a || (a == b && strcmp(port_b, port_a) < 0);
    lldp->key.length = 0;
    add_end(lldp, turned ? b : a, turned ? port_b : port_a);
    add_end(lldp, turned ? a : b, turned ? port_a : port_b);
    const int rc = cw_text_check(&lldp->key);
    return rc ? rc : cw_name_table_add(lldp->cables, lldp->key.data, lldp->key.length, cable);
}

static int add_neighbour(struct lldp *lldp, const json_t *interface)
{
    const json_t *chassis = first_of(interface, "chassis"), *port = first_of(interface, "port");
    const char *name = json_string_value(json_object_get(interface, "name")), *there = port_name(port);
    struct cw_named_cable cable = {
        .a = lldp->device, .latency = CW_DEFAULT_LATENCY, .back_latency = CW_DEFAULT_LATENCY};
    uint32_t number;
    if (!name || !there) return fail(lldp, "an interface with a name, a chassis and a port");
    int rc = add_device(lldp, chassis, &cable.b);
    if (!rc) rc = find_cable(lldp, cable.a, name, cable.b, there, &number);
    if (rc) return rc;
    const double speed = speed_of(port);
    if (number < lldp->graph.n_cables) { /* its other end has told of it */
        struct cw_named_cable *known = &lldp->graph.cables[number];
        if (known->capacity == 0) known->capacity = known->back_capacity = speed;
        return 0;
    }
    cable.capacity = cable.back_capacity = speed > 0 ? speed : CW_DEFAULT_CAPACITY;
    rc = cw_named_graph_cable(&lldp->graph, lldp->line, &cable);
    if (!rc && speed == 0) lldp->graph.cables[number].capacity = lldp->graph.cables[number].back_capacity = 0;
    return rc;
}

/* What neither end knows of cables is the default. */
static void set_speeds(struct lldp *lldp)
{
    for (size_t i = 0; i < lldp->graph.n_cables; i++) {
        struct cw_named_cable *cable = &lldp->graph.cables[i];
        if (cable->capacity > 0) continue;
        cable->capacity = cable->back_capacity = CW_DEFAULT_CAPACITY;
        lldp->speed_unknown = true;
    }
}

/* --- documents ---------------------------------------------------------------------------------------------------- */

static int read_document(struct lldp *lldp, const json_t *document)
{
    const json_t *local = first_of(document, "local-chassis"), *neighbours = first_of(document, "lldp"), *interface;
    size_t i;
    if (local) return add_device(lldp, first_of(local, "chassis"), &lldp->device);
    if (!neighbours) return fail(lldp, "{\"local-chassis\": […]} or {\"lldp\": […]}");
    if (lldp->device == CW_NONE) return fail(lldp, "the device itself before its neighbours (show chassis)");
    int rc = 0;
    json_array_foreach(json_object_get(neighbours, "interface"), i, interface)
    {
        if (!rc) rc = add_neighbour(lldp, interface);
    }
    lldp->device = CW_NONE;
    return rc;
}

static int read_documents(struct lldp *lldp, const char *data, size_t length)
{
    struct cw_json_place place = {0};
    json_t *document;
    int rc = cw_json_read_next(lldp->graph.file, data, length, &place, &document);
    while (!rc && document) {
        lldp->line = place.line;
        rc = read_document(lldp, document);
        json_decref(document);
        if (!rc) rc = cw_json_read_next(lldp->graph.file, data, length, &place, &document);
    }
    return rc;
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    struct lldp lldp = {.graph.file = file, .device = CW_NONE};
    struct cw_builder *builder;
    int rc = cw_named_graph_open(&lldp.graph);
    if (!rc) rc = cw_name_table_new(&lldp.cables);
    if (!rc) rc = read_documents(&lldp, data, length);
    if (!rc && lldp.graph.n_cables == 0) rc = cw_fail_at(file, 0, "no neighbour, expected some (show neighbors)");
    set_speeds(&lldp);
    if (!rc) rc = cw_named_graph_build(&lldp.graph, &builder);
    if (!rc) rc = cw_builder_finish(builder, net);
    if (!rc && lldp.speed_unknown)
        cw_inputs_remark(file, 0, "The speed of some ports is not said; they have that of generated networks.");
    cw_named_graph_free(&lldp.graph);
    cw_name_table_free(lldp.cables);
    cw_text_free(&lldp.key);
    return rc;
}

static bool recognises(const char *data, size_t length)
{
    static const char *const keys[] = {"\"local-chassis\"", "\"lldp\""};
    size_t at = 0;
    while (at < length && strchr(" \t\r\n{", data[at])) at++;
    for (size_t i = 0; i < 2; i++)
        if (length - at > strlen(keys[i]) && memcmp(data + at, keys[i], strlen(keys[i])) == 0) return true;
    return false;
}

const struct cw_reader cw_reader_lldp = {
    .name = "lldp",
    .help = "An Ethernet fabric: of each device what lldpcli shows as its chassis and its neighbors, with -f json0.",
    .recognises = recognises,
    .read = read_network};
