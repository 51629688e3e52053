#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "net/files/formats_internal.h"
#include "net/files/xml.h"
#include "net/network_internal.h"

static void write_name(struct cw_text *text, const struct cw_network *net, const char *attribute, uint32_t v)
{
    char name[CW_NAME_SIZE];
    cw_text_printf(text, " %s=\"", attribute);
    cw_xml_add(text, cw_network_name(net, v, name, sizeof name));
    cw_text_add(text, "\"");
}

/* Channel C as a link of its own, or with its twin as one that is split into both directions. */
static void write_link(struct cw_text *text, const struct cw_network *net, uint32_t c, bool split)
{
    cw_text_printf(text, "    <link id=\"c%" PRIu32 "\" bandwidth=\"", c);
    cw_json_add_real(text, net->capacity[c]);
    cw_text_add(text, "Bps\" latency=\"");
    cw_json_add_real(text, net->latency[c]);
    cw_text_printf(text, "s\"%s/>\n", split ? " sharing_policy=\"SPLITDUPLEX\"" : "");
}

static void write_route(struct cw_text *text, const struct cw_network *net, uint32_t c, bool split)
{
    cw_text_add(text, "    <route");
    write_name(text, net, "src", net->tail[c]);
    write_name(text, net, "dst", net->head[c]);
    cw_text_printf(text, "%s><link_ctn id=\"c%" PRIu32 "\"%s/></route>\n", split ? "" : " symmetrical=\"NO\"", c,
                   split ? " direction=\"UP\"" : "");
}

/* Calls WRITE for each channel that has a link of its own. */
static void write_each(struct cw_text *text, const struct cw_network *net,
                       void (*write)(struct cw_text *, const struct cw_network *, uint32_t, bool))
{
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t twin = net->twin[c];
        const bool split = net->capacity[c] == net->capacity[twin] && net->latency[c] == net->latency[twin];
        if (cw_network_is_closed(net, c) || (split && twin < c)) continue;
        write(text, net, c, split);
    }
}

/* SEEN [n_vertices]: the vertex plus 1 that a channel led there from last. */
static int check(const struct cw_network *net, uint32_t *seen)
{
    char a[CW_NAME_SIZE], b[CW_NAME_SIZE];
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (seen[net->head[c]] == net->tail[c] + 1)
            return cw_fail(CW_EUSAGE,
                           "several cables between %s and %s; in a zone of SimGrid there is at most one "
                           "between two vertices",
                           cw_network_name(net, net->tail[c], a, sizeof a),
                           cw_network_name(net, net->head[c], b, sizeof b));
        seen[net->head[c]] = net->tail[c] + 1;
    }
    return 0;
}

static int write_network(const struct cw_network *net, struct cw_text *text)
{
    uint32_t *seen = cw_new_array(net->n_vertices, sizeof *seen, "neighbours");
    const int rc = seen ? check(net, seen) : CW_ENOMEM;
    free(seen);
    if (rc) return rc;
    cw_text_add(text, "<?xml version=\"1.0\"?>\n"
                      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                      "<platform version=\"4.1\">\n"
                      "  <zone id=\"_network\" routing=\"Dijkstra\">\n");
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        const bool endpoint = cw_network_is_endpoint(net, v);
        cw_text_add(text, endpoint ? "    <host" : "    <router");
        write_name(text, net, "id", v);
        cw_text_add(text, endpoint ? " speed=\"1Gf\"/>\n" : "/>\n");
    }
    write_each(text, net, write_link);
    write_each(text, net, write_route);
    cw_text_add(text, "  </zone>\n</platform>\n");
    return cw_text_check(text);
}

const struct cw_writer cw_writer_simgrid = {
    .name = "simgrid",
    .extension = ".xml",
    .help = "A platform for SimGrid: hosts, routers and a link for each cable.",
    .write = write_network,
    .directed = true,
    .remark = "SimGrid routes by shortest paths of its own, and its hosts get a speed of 1 Gf."};
