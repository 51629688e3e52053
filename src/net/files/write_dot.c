#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/files/formats_internal.h"
#include "net/network_internal.h"
#include "net/roles.h"

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

static void write_vertices(struct cw_text *text, const struct cw_network *net)
{
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[CW_NAME_SIZE];
        cw_text_printf(text, "  %u [label=", v);
        write_quoted(text, cw_network_name(net, v, name, sizeof name));
        cw_text_add(text, cw_network_is_endpoint(net, v) ? ", shape=ellipse];\n" : "];\n");
    }
}

/* The switches of each level side by side, where there are several. */
static void write_levels(struct cw_text *text, const struct cw_network *net, const uint32_t *roles, uint32_t levels)
{
    for (uint32_t l = 0; levels > 1 && l < levels; l++) {
        cw_text_add(text, "  { rank=same;");
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
            if (roles[v] == CW_ROLE_LEAF + l) cw_text_printf(text, " %u;", v);
        cw_text_add(text, " }\n");
    }
}

/* Cables slower than the fastest are orange, from half of it down red; those of one direction dashed, with an arrow. */
static void write_look(struct cw_text *text, double capacity, double back, double fastest)
{
    const double slower = capacity > 0 && (back > capacity || !(back > 0)) ? capacity : back;
    if (slower < fastest) cw_text_printf(text, ", color=\"%s\"", slower <= fastest / 2 ? "red" : "orange");
    if (!(capacity > 0) || !(back > 0))
        cw_text_printf(text, ", style=dashed, dir=%s", capacity > 0 ? "forward" : "back");
}

/* Cables of NET from the lower level to the higher, which is drawn above. */
static void write_cables(struct cw_text *text, const struct cw_network *net, const uint32_t *roles)
{
    double slowest, fastest;
    cw_network_capacities(net, &slowest, &fastest);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (c > net->twin[c]) continue;
        const uint32_t up = roles[net->tail[c]] > roles[net->head[c]] ? net->twin[c] : c, down = net->twin[up];
        cw_text_printf(text, "  %u -- %u [taillabel=\"%u\", headlabel=\"%u\", capacity=\"%.17g\", latency=\"%.17g\"",
                       net->tail[up], net->head[up], cw_network_port(net, up), cw_network_port(net, down),
                       net->capacity[up], net->latency[up]);
        write_look(text, net->capacity[up], net->capacity[down], fastest);
        cw_text_add(text, "];\n");
    }
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    uint32_t *roles = cw_new_array(net->n_vertices, sizeof *roles, "levels of switches"), levels;
    int rc = roles ? cw_network_roles(net, roles, &levels) : CW_ENOMEM;
    if (!rc) {
        cw_text_add(text, "graph ");
        write_quoted(text, net->title ? net->title : "network");
        cw_text_add(text, " {\n  rankdir=BT;\n  node [shape=box];\n");
        write_vertices(text, net);
        write_levels(text, net, roles, levels);
        write_cables(text, net, roles);
        cw_text_add(text, "}\n");
        rc = cw_text_check(text);
    }
    free(roles);
    return rc;
}

const struct cw_writer cw_writer_dot = {
    .name = "dot", .extension = ".dot", .help = "A graph for Graphviz.", .write = write_network};
