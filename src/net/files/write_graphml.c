#include <inttypes.h>

#include "net/files/formats_internal.h"
#include "net/network_internal.h"

/* NAME as character data of XML, which has no control characters, not even escaped. */
static void write_escaped(struct cw_text *text, const char *name)
{
    for (; *name; name++) {
        if (*name == '&')
            cw_text_add(text, "&amp;");
        else if (*name == '<')
            cw_text_add(text, "&lt;");
        else if (*name == '>')
            cw_text_add(text, "&gt;");
        else
            cw_text_append(text, (unsigned char)*name < ' ' ? " " : name, 1);
    }
}

static void write_head(struct cw_text *text, bool identities)
{
    cw_text_add(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                      "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
                      "  <key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n");
    if (identities)
        cw_text_add(text, "  <key id=\"guid\" for=\"node\" attr.name=\"guid\" attr.type=\"string\"/>\n"
                          "  <key id=\"lid\" for=\"node\" attr.name=\"lid\" attr.type=\"long\"/>\n");
    cw_text_add(text, "  <key id=\"from\" for=\"edge\" attr.name=\"source_port\" attr.type=\"long\"/>\n"
                      "  <key id=\"to\" for=\"edge\" attr.name=\"target_port\" attr.type=\"long\"/>\n"
                      "  <key id=\"capacity\" for=\"edge\" attr.name=\"capacity\" attr.type=\"double\"/>\n"
                      "  <key id=\"latency\" for=\"edge\" attr.name=\"latency\" attr.type=\"double\"/>\n"
                      "  <graph edgedefault=\"undirected\">\n");
}

static const char *kind_of(const struct cw_network *net, uint32_t v)
{
    if (net->identity) return cw_vertex_kind_names[net->identity[v].kind];
    return cw_vertex_kind_names[cw_network_is_endpoint(net, v) ? CW_KIND_HOST : CW_KIND_SWITCH];
}

static void write_vertex(struct cw_text *text, const struct cw_network *net, uint32_t v)
{
    char name[CW_NAME_SIZE];
    cw_text_printf(text, "    <node id=\"n%u\"><data key=\"name\">", v);
    write_escaped(text, cw_network_name(net, v, name, sizeof name));
    cw_text_printf(text, "</data><data key=\"kind\">%s</data>", kind_of(net, v));
    if (net->identity && net->identity[v].node_guid != 0)
        cw_text_printf(text, "<data key=\"guid\">0x%016" PRIx64 "</data>", net->identity[v].node_guid);
    if (net->identity && net->identity[v].lid != 0)
        cw_text_printf(text, "<data key=\"lid\">%u</data>", net->identity[v].lid);
    cw_text_add(text, "</node>\n");
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    write_head(text, net->identity != NULL);
    for (uint32_t v = 0; v < net->n_vertices; v++) write_vertex(text, net, v);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t twin = net->twin[c];
        if (c > twin) continue;
        cw_text_printf(text,
                       "    <edge source=\"n%u\" target=\"n%u\"><data key=\"from\">%u</data><data key=\"to\">%u</data>"
                       "<data key=\"capacity\">%.17g</data><data key=\"latency\">%.17g</data></edge>\n",
                       net->tail[c], net->head[c], cw_network_port(net, c), cw_network_port(net, twin),
                       net->capacity[c], net->latency[c]);
    }
    cw_text_add(text, "  </graph>\n</graphml>\n");
    return cw_text_check(text);
}

const struct cw_writer cw_writer_graphml = {.name = "graphml",
                                            .extension = ".graphml",
                                            .help = "A graph in XML, for Gephi, yEd, igraph or NetworkX.",
                                            .write = write_network};
