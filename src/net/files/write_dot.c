#include "net/files/formats_internal.h"
#include "net/network_internal.h"

/* "NAME" as a quoted string of the DOT language. */
static void write_quoted(struct cw_text *text, const char *name)
{
    cw_text_add(text, "\"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') cw_text_add(text, "\\");
        cw_text_append(text, (unsigned char)*name < ' ' ? " " : name, 1);
    }
    cw_text_add(text, "\"");
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    cw_text_add(text, "graph ");
    write_quoted(text, net->title ? net->title : "network");
    cw_text_add(text, " {\n  node [shape=box];\n");
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[CW_NAME_SIZE];
        cw_text_printf(text, "  %u [label=", v);
        write_quoted(text, cw_network_name(net, v, name, sizeof name));
        cw_text_add(text, cw_network_is_endpoint(net, v) ? ", shape=ellipse];\n" : "];\n");
    }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t twin = net->twin[c];
        if (c > twin) continue;
        cw_text_printf(text,
                       "  %u -- %u [taillabel=\"%u\", headlabel=\"%u\", capacity=\"%.17g\", latency=\"%.17g\"];\n",
                       net->tail[c], net->head[c], cw_network_port(net, c), cw_network_port(net, twin),
                       net->capacity[c], net->latency[c]);
    }
    cw_text_add(text, "}\n");
    return cw_text_check(text);
}

const struct cw_writer cw_writer_dot = {
    .name = "dot", .extension = ".dot", .help = "A graph for Graphviz.", .write = write_network};
