/*
 * Graphs in GraphML: our own, which is read back as it was, and those of NetworkX, igraph, yEd or the Internet Topology
 * Zoo. Nodes are vertices, edges cables. Of attributes those of net/files/graphml.h are known, and names that others
 * use for them; all else is passed over.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/files/formats_internal.h"
#include "net/files/graphml.h"
#include "net/files/ib_scan.h"
#include "net/files/named_graph.h"
#include "net/files/shape_text.h"
#include "net/files/xml.h"
#include "net/network_internal.h"

/* What others call NAME and CAPACITY. */
enum { LABEL = CW_GRAPHML_N, RATE, FIELDS };

static const struct {
    const char *of, *name;
} fields[FIELDS] = {
#define ENTER(WHAT, OF, NAME, TYPE) [CW_GRAPHML_##WHAT] = {OF, NAME},
    CW_GRAPHML_ATTRIBUTES(ENTER)[LABEL] = {"node", "label"}, [RATE] = {"edge", "LinkSpeedRaw"}, /* bit/s: the Topology
                                                                                                   Zoo's */
};

struct node {
    unsigned long line; /* 0: an edge names it, and that is all */
    bool is_group;      /* a box around others, as yEd has them */
    bool joined;        /* an edge has it */
    uint8_t role;
    size_t label; /* in `texts` */
    uint32_t id;  /* in the graph */
    struct cw_identity identity;
};

struct edge {
    struct cw_named_cable cable; /* between nodes */
    unsigned long line;
};

/* A <key> of the file. */
struct key {
    size_t field;  /* FIELDS: one that means nothing here */
    size_t preset; /* its default, in `texts` */
};

struct graphml {
    const char *file;
    struct cw_name_table *key_ids, *node_ids;
    struct key *keys;
    struct node *nodes;
    struct edge *edges;
    struct cw_text texts; /* each followed by a 0; 0 is none */
    size_t n_keys, n_nodes, n_edges, keys_capacity, nodes_capacity, edges_capacity;
    /* what is open */
    enum { NOTHING, NODE, EDGE } open;
    uint32_t node;
    struct edge edge;
    size_t field, values[FIELDS]; /* in `texts` */
    bool in_label;
    unsigned depth; /* graphs in graphs */
    /* what has been seen */
    bool has_graph, directed, has_kinds, has_identities;
    size_t shape;
};

static int keep_text(struct graphml *graphml, const char *text, size_t *at)
{
    if (graphml->texts.length == 0) cw_text_append(&graphml->texts, "", 1);
    *at = graphml->texts.length;
    cw_text_append(&graphml->texts, text, strlen(text) + 1);
    return cw_text_check(&graphml->texts);
}

/* The value of FIELD of the element that is open, or NULL. */
static const char *value_of(const struct graphml *graphml, size_t field)
{
    return graphml->values[field] ? graphml->texts.data + graphml->values[field] : NULL;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* A number, up to MAX, in hexadecimal digits if it is a GUID. */
static int get_number(const struct graphml *graphml, unsigned long line, size_t field, uint64_t max, uint64_t *out)
{
    const char *value = value_of(graphml, field);
    if (!value) return 0;
    struct cw_ib_scan scan = {value, value + strlen(value)};
    uint32_t number;
    if (max == UINT64_MAX) {
        if (cw_ib_hex(&scan, out) && cw_ib_end(&scan)) return 0;
        return cw_fail_at(graphml->file, line, "%s '%.60s', expected at most 16 hexadecimal digits", fields[field].name,
                          value);
    }
    if (!cw_ib_decimal(&scan, (uint32_t)max, &number) || !cw_ib_end(&scan))
        return cw_fail_at(graphml->file, line, "%s '%.60s', expected a number from 0 to %" PRIu64, fields[field].name,
                          value, max);
    *out = number;
    return 0;
}

static int get_kind(struct graphml *graphml, unsigned long line, struct node *node)
{
    const char *value = value_of(graphml, CW_GRAPHML_KIND);
    if (!value) return 0;
    uint8_t kind = 0;
    while (cw_vertex_kind_names[kind] && strcmp(cw_vertex_kind_names[kind], value) != 0) kind++;
    if (!cw_vertex_kind_names[kind])
        return cw_fail_at(graphml->file, line, "kind '%.60s', expected switch, host, aggregation or router", value);
    node->role = kind == CW_KIND_SWITCH ? CW_NAMED_SWITCH : CW_NAMED_ENDPOINT;
    node->identity.kind = kind;
    graphml->has_kinds = true;
    graphml->has_identities |= kind == CW_KIND_AGGREGATION || kind == CW_KIND_ROUTER;
    return 0;
}

/* A capacity or a latency, which PARSE reads. */
static int get_quantity(const struct graphml *graphml, unsigned long line, size_t field,
                        int (*parse)(const char *, const char *, double *), double *out)
{
    const char *value = value_of(graphml, field);
    return value && parse(fields[field].name, value, out) ? cw_fail_at(graphml->file, line, "%s", cw_error_message())
                                                          : 0;
}

/* --- elements ----------------------------------------------------------------------------------------------------- */

static int begin_key(struct graphml *graphml, unsigned long line, const char *const *attributes)
{
    const char *id = cw_xml_attribute(attributes, "id"), *of = cw_xml_attribute(attributes, "for");
    const char *name = cw_xml_attribute(attributes, "attr.name");
    uint32_t number;
    if (!id) return cw_fail_at(graphml->file, line, "a key without an id, expected <key id=\"…\">");
    int rc = cw_name_table_add(graphml->key_ids, id, strlen(id), &number);
    if (rc) return rc;
    if (number < graphml->n_keys)
        return cw_fail_at(graphml->file, line, "key '%.60s' a second time, expected once", id);
    rc = cw_grow_array((void **)&graphml->keys, &graphml->keys_capacity, graphml->n_keys + 1, sizeof *graphml->keys,
                       "keys");
    if (rc) return rc;
    size_t field = 0;
    while (field < FIELDS && (!name || strcmp(name, fields[field].name) != 0 ||
                              (of && strcmp(of, "all") != 0 && strcmp(of, fields[field].of) != 0)))
        field++;
    graphml->keys[graphml->n_keys++] = (struct key){.field = field};
    return 0;
}

/* Forgets the values of the element before. */
static void open_element(struct graphml *graphml, int open, const char *of)
{
    graphml->open = open;
    memset(graphml->values, 0, sizeof graphml->values);
    for (size_t k = 0; k < graphml->n_keys; k++)
        if (graphml->keys[k].field < FIELDS && strcmp(fields[graphml->keys[k].field].of, of) == 0)
            graphml->values[graphml->keys[k].field] = graphml->keys[k].preset;
}

static int find_node(struct graphml *graphml, const char *id, uint32_t *number)
{
    int rc = cw_name_table_add(graphml->node_ids, id, strlen(id), number);
    if (rc || *number < graphml->n_nodes) return rc;
    rc = cw_grow_array((void **)&graphml->nodes, &graphml->nodes_capacity, graphml->n_nodes + 1, sizeof *graphml->nodes,
                       "nodes");
    if (!rc) graphml->nodes[graphml->n_nodes++] = (struct node){0};
    return rc;
}

static int begin_node(struct graphml *graphml, unsigned long line, const char *const *attributes)
{
    const char *id = cw_xml_attribute(attributes, "id");
    if (!id) return cw_fail_at(graphml->file, line, "a node without an id, expected <node id=\"…\">");
    const int rc = find_node(graphml, id, &graphml->node);
    if (rc) return rc;
    struct node *node = &graphml->nodes[graphml->node];
    if (node->line > 0)
        return cw_fail_at(graphml->file, line, "node '%.60s' is in line %lu, too; expected it once", id, node->line);
    node->line = line;
    open_element(graphml, NODE, "node");
    return 0;
}

static int get_identity(struct graphml *graphml, struct node *node)
{
    static const struct {
        size_t field;
        uint64_t max;
    } numbers[] = {{CW_GRAPHML_NODE_GUID, UINT64_MAX},
                   {CW_GRAPHML_PORT_GUID, UINT64_MAX},
                   {CW_GRAPHML_SYSTEM_GUID, UINT64_MAX},
                   {CW_GRAPHML_LID, UINT32_MAX},
                   {CW_GRAPHML_LMC, 31},
                   {CW_GRAPHML_PORTS, UINT16_MAX},
                   {CW_GRAPHML_DEVICE, UINT32_MAX},
                   {CW_GRAPHML_VENDOR, UINT32_MAX}};
    uint64_t values[FIELDS] = {0};
    int rc = get_kind(graphml, node->line, node);
    for (size_t i = 0; !rc && i < sizeof numbers / sizeof *numbers; i++) {
        rc = get_number(graphml, node->line, numbers[i].field, numbers[i].max, &values[numbers[i].field]);
        graphml->has_identities |= graphml->values[numbers[i].field] != 0;
    }
    node->identity = (struct cw_identity){.node_guid = values[CW_GRAPHML_NODE_GUID],
                                          .port_guid = values[CW_GRAPHML_PORT_GUID],
                                          .system_guid = values[CW_GRAPHML_SYSTEM_GUID],
                                          .lid = (uint32_t)values[CW_GRAPHML_LID],
                                          .lmc = (uint8_t)values[CW_GRAPHML_LMC],
                                          .kind = node->identity.kind,
                                          .ports = (uint16_t)values[CW_GRAPHML_PORTS],
                                          .device = (uint32_t)values[CW_GRAPHML_DEVICE],
                                          .vendor = (uint32_t)values[CW_GRAPHML_VENDOR]};
    return rc;
}

/* The node that is open has all its data. */
static int end_node(struct graphml *graphml, bool is_group)
{
    struct node *node = &graphml->nodes[graphml->node];
    graphml->open = NOTHING;
    node->is_group = is_group;
    node->label = graphml->values[CW_GRAPHML_NAME] ? graphml->values[CW_GRAPHML_NAME] : graphml->values[LABEL];
    return get_identity(graphml, node);
}

static int begin_edge(struct graphml *graphml, unsigned long line, const char *const *attributes)
{
    const char *source = cw_xml_attribute(attributes, "source"), *target = cw_xml_attribute(attributes, "target");
    const char *directed = cw_xml_attribute(attributes, "directed");
    if (!source || !target)
        return cw_fail_at(graphml->file, line, "an edge without its ends, expected <edge source=\"…\" target=\"…\">");
    const bool one_way = directed ? strcmp(directed, "true") == 0 : graphml->directed;
    graphml->edge = (struct edge){.line = line, .cable.one_way = one_way};
    open_element(graphml, EDGE, "edge");
    int rc = find_node(graphml, source, &graphml->edge.cable.a);
    if (!rc) rc = find_node(graphml, target, &graphml->edge.cable.b);
    return rc;
}

static int end_edge(struct graphml *graphml)
{
    struct edge *edge = &graphml->edge;
    struct cw_named_cable *cable = &edge->cable;
    double rate = 8 * CW_DEFAULT_CAPACITY;
    uint64_t ports[2] = {0};
    int rc = get_quantity(graphml, edge->line, RATE, cw_parse_real, &rate);
    cable->capacity = rate / 8;
    cable->latency = CW_DEFAULT_LATENCY;
    if (!rc) rc = get_quantity(graphml, edge->line, CW_GRAPHML_CAPACITY, cw_parse_rate, &cable->capacity);
    if (!rc) rc = get_quantity(graphml, edge->line, CW_GRAPHML_LATENCY, cw_parse_time, &cable->latency);
    cable->back_capacity = cable->capacity;
    cable->back_latency = cable->latency;
    if (!rc) rc = get_quantity(graphml, edge->line, CW_GRAPHML_BACK_CAPACITY, cw_parse_rate, &cable->back_capacity);
    if (!rc) rc = get_quantity(graphml, edge->line, CW_GRAPHML_BACK_LATENCY, cw_parse_time, &cable->back_latency);
    if (!rc) rc = get_number(graphml, edge->line, CW_GRAPHML_SOURCE_PORT, UINT16_MAX, &ports[0]);
    if (!rc) rc = get_number(graphml, edge->line, CW_GRAPHML_TARGET_PORT, UINT16_MAX, &ports[1]);
    cable->port_a = (uint32_t)ports[0];
    cable->port_b = (uint32_t)ports[1];
    if (!rc && !(rate > 0))
        rc = cw_fail_at(graphml->file, edge->line, "LinkSpeedRaw %g, expected more than 0 bit/s", rate);
    if (!rc)
        rc = cw_grow_array((void **)&graphml->edges, &graphml->edges_capacity, graphml->n_edges + 1, sizeof *edge,
                           "edges");
    if (rc) return rc;
    graphml->edges[graphml->n_edges++] = *edge;
    graphml->nodes[cable->a].joined = graphml->nodes[cable->b].joined = true;
    graphml->open = NOTHING;
    return 0;
}

static int begin_graph(struct graphml *graphml, unsigned long line, const char *const *attributes)
{
    const char *direction = cw_xml_attribute(attributes, "edgedefault");
    if (graphml->depth++ > 0) return graphml->open == NODE ? end_node(graphml, true) : 0;
    if (graphml->has_graph) return cw_fail_at(graphml->file, line, "a second graph, expected one");
    graphml->has_graph = true;
    graphml->directed = direction && strcmp(direction, "directed") == 0;
    return 0;
}

/* A label that yEd draws ends where the next tag is. */
static int take_label(struct graphml *graphml, const char *text)
{
    const bool wanted = graphml->in_label && graphml->open == NODE && *text && !graphml->values[LABEL];
    graphml->in_label = false;
    return wanted ? keep_text(graphml, text, &graphml->values[LABEL]) : 0;
}

static int on_begin(void *context, unsigned long line, const char *element, const char *text,
                    const char *const *attributes)
{
    struct graphml *graphml = context;
    const int rc = take_label(graphml, text);
    if (rc) return rc;
    if (strcmp(element, "key") == 0) return begin_key(graphml, line, attributes);
    if (strcmp(element, "graph") == 0) return begin_graph(graphml, line, attributes);
    if (strcmp(element, "node") == 0) return begin_node(graphml, line, attributes);
    if (strcmp(element, "edge") == 0) return begin_edge(graphml, line, attributes);
    if (strcmp(element, "hyperedge") == 0)
        return cw_fail_at(graphml->file, line, "a hyperedge, expected edges between two nodes");
    graphml->in_label = strcmp(element, "y:NodeLabel") == 0;
    if (strcmp(element, "data") == 0) {
        const char *key = cw_xml_attribute(attributes, "key");
        const uint32_t number = key ? cw_name_table_find(graphml->key_ids, key, strlen(key)) : CW_NONE;
        graphml->field = number == CW_NONE ? FIELDS : graphml->keys[number].field;
    }
    return 0;
}

static int on_end(void *context, unsigned long line, const char *element, const char *text)
{
    static const char *const names[] = {[NOTHING] = "graph", [NODE] = "node", [EDGE] = "edge"};
    struct graphml *graphml = context;
    const int rc = take_label(graphml, text);
    (void)line;
    if (rc) return rc;
    if (strcmp(element, "node") == 0) return graphml->open == NODE ? end_node(graphml, false) : 0;
    if (strcmp(element, "edge") == 0) return end_edge(graphml);
    if (strcmp(element, "graph") == 0) graphml->depth--;
    if (strcmp(element, "default") == 0 && graphml->n_keys > 0 && *text)
        return keep_text(graphml, text, &graphml->keys[graphml->n_keys - 1].preset);
    const size_t field = graphml->field;
    if (strcmp(element, "data") != 0 || field == FIELDS || !*text) return 0;
    if (strcmp(fields[field].of, names[graphml->open]) != 0) return 0;
    return keep_text(graphml, text, field == CW_GRAPHML_SHAPE ? &graphml->shape : &graphml->values[field]);
}

/* --- the network -------------------------------------------------------------------------------------------------- */

/* Nodes become vertices: by their names, where several share one with " (ID)" behind it, else by their ids. */
static int add_nodes(struct graphml *graphml, struct cw_named_graph *graph)
{
    struct cw_name_table *labels = NULL;
    uint32_t *first = cw_new_array(graphml->n_nodes, sizeof *first, "names"); /* node of a label, plus 1 */
    bool *shared = cw_new_array(graphml->n_nodes, sizeof *shared, "names");
    int rc = first && shared ? cw_name_table_new(&labels) : CW_ENOMEM;
    uint32_t label;
    for (size_t i = 0; !rc && i < graphml->n_nodes; i++) {
        if (graphml->nodes[i].label == 0) continue;
        const char *name = graphml->texts.data + graphml->nodes[i].label;
        rc = cw_name_table_add(labels, name, strlen(name), &label);
        if (rc) break;
        if (first[label] > 0) shared[i] = shared[first[label] - 1] = true;
        first[label] = (uint32_t)i + 1;
    }
    struct cw_text text = {0};
    for (uint32_t i = 0; !rc && i < graphml->n_nodes; i++) {
        struct node *node = &graphml->nodes[i];
        const char *id = cw_name_table_name(graphml->node_ids, i);
        if (node->is_group && !node->joined) continue;
        text.length = 0;
        cw_text_add(&text, node->label ? graphml->texts.data + node->label : id);
        if (shared[i]) cw_text_printf(&text, " (%s)", id);
        rc = cw_text_check(&text);
        const uint32_t next = cw_name_table_count(graph->names);
        if (!rc) rc = cw_named_graph_vertex(graph, node->line, text.data, text.length, &node->id);
        if (!rc && node->id != next)
            rc = cw_fail_at(graphml->file, node->line, "a second node called '%s', expected another name", text.data);
        if (!rc) graph->roles[node->id] = graphml->has_kinds && node->role == 0 ? CW_NAMED_SWITCH : node->role;
    }
    cw_text_free(&text);
    cw_name_table_free(labels);
    free(first);
    free(shared);
    return rc;
}

static int add_edges(const struct graphml *graphml, struct cw_named_graph *graph)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < graphml->n_edges; i++) {
        struct cw_named_cable cable = graphml->edges[i].cable;
        const uint32_t ends[] = {cable.a, cable.b};
        for (unsigned k = 0; !rc && k < 2; k++)
            if (graphml->nodes[ends[k]].line == 0)
                rc = cw_fail_at(graphml->file, graphml->edges[i].line,
                                "an edge of '%.60s', which is no node; expected "
                                "<node id=\"…\">",
                                cw_name_table_name(graphml->node_ids, ends[k]));
        cable.a = graphml->nodes[ends[0]].id;
        cable.b = graphml->nodes[ends[1]].id;
        if (!rc) rc = cw_named_graph_cable(graph, graphml->edges[i].line, &cable);
    }
    return rc;
}

static int build(struct graphml *graphml, struct cw_network **net)
{
    struct cw_named_graph graph = {.file = graphml->file};
    struct cw_builder *builder;
    int rc = cw_named_graph_open(&graph);
    if (!rc) rc = add_nodes(graphml, &graph);
    if (!rc) rc = add_edges(graphml, &graph);
    if (!rc) rc = cw_named_graph_build(&graph, &builder);
    for (size_t i = 0; !rc && graphml->has_identities && i < graphml->n_nodes; i++)
        cw_builder_identity(builder, graph.vertex[graphml->nodes[i].id], &graphml->nodes[i].identity);
    if (!rc) rc = cw_builder_finish(builder, net);
    cw_named_graph_free(&graph);
    if (rc) return rc;
    const char *shape = graphml->shape ? graphml->texts.data + graphml->shape : "";
    cw_shape_text_apply((struct cw_ib_span){shape, strlen(shape)}, *net);
    if (!graphml->has_kinds)
        cw_inputs_remark(graphml->file, 0, "No node has a kind, host or switch, so %s.",
                         (*net)->n_vertices > graphml->n_nodes ? "each is a switch with an endpoint of its own"
                                                               : "those with one edge are endpoints");
    return 0;
}

static int read_network(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    (void)names; /* refused: names_nodes is not set */
    static const struct cw_xml_handlers handlers = {on_begin, on_end};
    struct graphml graphml = {.file = file};
    int rc = cw_name_table_new(&graphml.key_ids);
    if (!rc) rc = cw_name_table_new(&graphml.node_ids);
    if (!rc) rc = cw_xml_read(file, data, length, &handlers, &graphml);
    if (!rc && graphml.n_nodes == 0) rc = cw_fail_at(file, 0, "no node, expected <node id=\"…\">");
    if (!rc) rc = build(&graphml, net);
    cw_name_table_free(graphml.key_ids);
    cw_name_table_free(graphml.node_ids);
    cw_text_free(&graphml.texts);
    free(graphml.keys);
    free(graphml.nodes);
    free(graphml.edges);
    return rc;
}

static bool recognises(const char *data, size_t length)
{
    return cw_xml_is(data, length, "graphml");
}

const struct cw_reader cw_reader_graphml = {
    .name = "graphml",
    .help = "A graph in GraphML, as Crosswind, NetworkX, igraph, yEd and the Topology Zoo write it.",
    .recognises = recognises,
    .read = read_network};
