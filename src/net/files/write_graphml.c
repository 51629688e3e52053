#include <inttypes.h>

#include "base/json.h"
#include "net/files/formats_internal.h"
#include "net/files/graphml.h"
#include "net/files/shape_text.h"
#include "net/files/xml.h"
#include "net/network_internal.h"

/* Whether NET has something of it. */
static bool is_used(const struct cw_network *net, enum cw_graphml_attribute attribute)
{
    if (attribute == CW_GRAPHML_SHAPE) return net->shape.kind != NULL;
    return net->identity || attribute < CW_GRAPHML_NODE_GUID || attribute > CW_GRAPHML_VENDOR;
}

static void write_head(struct cw_text *text, const struct cw_network *net)
{
    cw_text_add(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
#define WRITE_KEY(WHAT, OF, NAME, TYPE)                                                                                \
    if (is_used(net, CW_GRAPHML_##WHAT))                                                                               \
        cw_text_add(text, "  <key id=\"" NAME "\" for=\"" OF "\" attr.name=\"" NAME "\" attr.type=\"" TYPE "\"/>\n");
    CW_GRAPHML_ATTRIBUTES(WRITE_KEY)
    cw_text_add(text, "  <graph edgedefault=\"undirected\">\n");
    if (!net->shape.kind) return;
    cw_text_add(text, "    <data key=\"shape\">");
    cw_shape_text_write(net, text);
    cw_text_add(text, "</data>\n");
}

static void write_parts(struct cw_text *text, const struct cw_identity *identity)
{
    struct cw_identity_part parts[CW_IDENTITY_PARTS];
    const size_t n = cw_identity_parts(identity, parts);
    for (size_t i = 0; i < n; i++)
        cw_text_printf(
            text, parts[i].guid ? "<data key=\"%s\">0x%016" PRIx64 "</data>" : "<data key=\"%s\">%" PRIu64 "</data>",
            parts[i].name, parts[i].value);
}

static void write_vertex(struct cw_text *text, const struct cw_network *net, uint32_t v)
{
    char name[CW_NAME_SIZE];
    const struct cw_identity *identity = cw_network_identity(net, v);
    const uint8_t kind = identity ? identity->kind : cw_network_is_endpoint(net, v) ? CW_KIND_HOST : CW_KIND_SWITCH;
    cw_text_printf(text, "    <node id=\"n%" PRIu32 "\"><data key=\"name\">", v);
    cw_xml_add(text, cw_network_name(net, v, name, sizeof name));
    cw_text_printf(text, "</data><data key=\"kind\">%s</data>", cw_vertex_kind_names[kind]);
    if (identity) write_parts(text, identity);
    cw_text_add(text, "</node>\n");
}

static void write_link(struct cw_text *text, const char *back, double capacity, double latency)
{
    cw_text_printf(text, "<data key=\"%scapacity\">", back);
    cw_json_add_real(text, capacity);
    cw_text_printf(text, "</data><data key=\"%slatency\">", back);
    cw_json_add_real(text, latency);
    cw_text_add(text, "</data>");
}

static void write_cable(struct cw_text *text, const struct cw_network *net, uint32_t c)
{
    const uint32_t twin = net->twin[c];
    cw_text_printf(text,
                   "    <edge source=\"n%" PRIu32 "\" target=\"n%" PRIu32 "\"><data key=\"source_port\">%" PRIu32
                   "</data><data key=\"target_port\">%" PRIu32 "</data>",
                   net->tail[c], net->head[c], cw_network_port(net, c), cw_network_port(net, twin));
    write_link(text, "", net->capacity[c], net->latency[c]);
    if (net->capacity[c] != net->capacity[twin] || net->latency[c] != net->latency[twin])
        write_link(text, "back_", net->capacity[twin], net->latency[twin]);
    cw_text_add(text, "</edge>\n");
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    write_head(text, net);
    for (uint32_t v = 0; v < net->n_vertices; v++) write_vertex(text, net, v);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (c < net->twin[c]) write_cable(text, net, c);
    cw_text_add(text, "  </graph>\n</graphml>\n");
    return cw_text_check(text);
}

const struct cw_writer cw_writer_graphml = {.name = "graphml",
                                            .extension = ".graphml",
                                            .help = "A graph in XML, for Gephi, yEd, igraph or NetworkX.",
                                            .write = write_network,
                                            .directed = true};
