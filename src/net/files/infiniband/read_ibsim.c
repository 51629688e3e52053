/*
 * The net files of ibsim, the InfiniBand simulator (ibsim-utils). Its rules, found by running it:
 *   - A node's GUID is the last "switchguid=", "caguid=" or "rtguid=" of its kind; each switch moves it on by 1, each
 *     adapter with p ports by p + 1. "caguid+5" counts from the last "caguid=". They begin at 0x200000, 0x100000 and 0.
 *     Port n of an adapter has the node GUID plus n, all ports of a switch have the node GUID.
 *   - "devid=" holds until the next one, "vendid=" and "sysimgguid=" for the next node. Without the latter it is the
 * node GUID.
 *   - Link width and speed are masks of what an end offers ("w=2 s=4", or "width=" and "speed=" for all that follow);
 * the best that both ends offer is taken.
 *   - Ids and GUIDs are unique, every cable is listed by both of its ends, and all nodes have a block.
 * Vertices keep the order of the file. Where neither width nor speed is stated, capacities are CW_DEFAULT_CAPACITY.
 *
 * Comments that ibsim ignores carry what its format cannot say: a port GUID in parentheses and, at the end of a port
 * line,
 * "# lid 4 lmc 0 \"\" lid 0 39Gbit/s 250ns" (each part may be missing); the shape as in
 * net/files/shape_text.h. Its commands (include, module, do, aliases) are refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/files/formats_internal.h"
#include "net/files/infiniband/ib_blocks.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/files/infiniband/ib_recognise.h"
#include "net/files/infiniband/ib_speed.h"
#include "net/files/shape_text.h"

#define N_KINDS (CW_KIND_ROUTER + 1)

struct parser {
    struct cw_lines lines;
    struct cw_ib_fabric fabric;
    uint64_t base[N_KINDS], next[N_KINDS]; /* GUIDs, by enum cw_vertex_kind */
    uint64_t switch_port_guid, system_guid;
    bool has_port_guid, has_system_guid; /* for the next node */
    uint32_t vendor, device;
    struct cw_ib_offer offer; /* of all ports that follow */
    uint32_t node;            /* whose ports are being read, or CW_NONE */
    struct cw_ib_span shape;
};

static bool recognises(const char *data, size_t length)
{
    return cw_ib_recognise(data, length) == CW_IB_NET;
}

static int set_guid(struct parser *parser, const struct cw_ib_id_line *id, uint8_t kind)
{
    if (!id->relative) parser->base[kind] = id->value;
    parser->next[kind] = parser->base[kind] + (id->relative ? id->value : 0);
    parser->has_port_guid = id->has_port_guid;
    parser->switch_port_guid = id->port_guid;
    return 0;
}

static int set_number(const struct parser *parser, const struct cw_ib_id_line *id, uint32_t min, uint32_t max,
                      uint32_t *out)
{
    if (id->value < min || id->value > max)
        return cw_fail_at(parser->lines.file, parser->lines.number, "%.*s is 0x%llx; expected %u to %u",
                          (int)id->key.length, id->key.text, (unsigned long long)id->value, min, max);
    *out = (uint32_t)id->value;
    return 0;
}

static int read_id(struct parser *parser)
{
    struct cw_ib_id_line id;
    const int rc = cw_ib_id_line_read(&parser->lines, &id);
    if (rc) return rc;
    parser->node = CW_NONE;
    if (cw_ib_is(id.key, "switchguid")) return set_guid(parser, &id, CW_KIND_SWITCH);
    if (cw_ib_is(id.key, "caguid") || cw_ib_is(id.key, "hcaguid") || cw_ib_is(id.key, "hcaguids"))
        return set_guid(parser, &id, CW_KIND_HOST);
    if (cw_ib_is(id.key, "rtguid")) return set_guid(parser, &id, CW_KIND_ROUTER);
    if (cw_ib_is(id.key, "vendid")) return set_number(parser, &id, 0, UINT32_MAX, &parser->vendor);
    if (cw_ib_is(id.key, "devid")) return set_number(parser, &id, 0, UINT32_MAX, &parser->device);
    if (cw_ib_is(id.key, "width")) return set_number(parser, &id, 1, CW_IB_MAX_WIDTH, &parser->offer.width);
    if (cw_ib_is(id.key, "speed")) return set_number(parser, &id, 1, CW_IB_MAX_SPEED, &parser->offer.speed);
    if (cw_ib_is(id.key, "extspeed")) return set_number(parser, &id, 0, CW_IB_MAX_EXTENDED, &parser->offer.extended);
    if (cw_ib_is(id.key, "sysimgguid")) {
        parser->system_guid = id.value;
        parser->has_system_guid = true;
        return 0;
    }
    return cw_fail_at(
        parser->lines.file, parser->lines.number,
        "'%.*s' is unknown; expected switchguid, caguid, rtguid, sysimgguid, vendid, devid, width, speed or extspeed",
        (int)(id.key.length < 40 ? id.key.length : 40), id.key.text);
}

static int check_id(const struct cw_lines *lines, struct cw_ib_span id)
{
    const struct cw_ib_scan scan = {id.text, id.text + id.length};
    for (size_t i = 0; i < id.length; i++)
        if (id.text[i] == '#' || id.text[i] == '@' || (unsigned char)id.text[i] < ' ')
            return cw_ib_expected(lines, &scan, "a node id without '#', '@' and control characters");
    return 0;
}

static int read_header(struct parser *parser)
{
    struct cw_ib_header header;
    const struct cw_lines *lines = &parser->lines;
    int rc = cw_ib_header_read(lines, true, &header);
    if (!rc) rc = check_id(lines, header.id);
    if (!rc) rc = cw_ib_fabric_node(&parser->fabric, header.id, header.kind, &parser->node);
    if (rc) return rc;
    struct cw_ib_node *node = &parser->fabric.nodes[parser->node];
    if (node->line)
        return cw_fail_at(lines->file, lines->number, "a second node '%s'; the first is in line %lu",
                          cw_ib_fabric_label(&parser->fabric, parser->node), node->line);
    const uint64_t guid = parser->next[header.kind];
    parser->next[header.kind] += header.kind == CW_KIND_SWITCH ? 1 : header.ports + 1;
    *node = (struct cw_ib_node){.description = header.description,
                                .guid = guid,
                                .port_guid = parser->has_port_guid ? parser->switch_port_guid : guid,
                                .system_guid = parser->has_system_guid ? parser->system_guid : guid,
                                .line = lines->number,
                                .vendor = parser->vendor,
                                .device = parser->device,
                                .lid = header.lid,
                                .ports = (uint16_t)header.ports,
                                .lmc = (uint8_t)header.lmc,
                                .kind = header.kind};
    parser->has_port_guid = parser->has_system_guid = false;
    parser->vendor = 0;
    return 0;
}

/* The best rate of what an end offers, 0 if it says nothing. The lower of both ends' is what ibsim takes, unless one
 * end offers more width and the other more speed. */
static double best_rate(const struct cw_ib_offer *offer)
{
    static const struct {
        uint32_t mask;
        const char *word;
    } widths[] = {{8, "12x"}, {4, "8x"}, {2, "4x"}, {16, "2x"}, {1, "1x"}},
      extended[] = {{8, "NDR"}, {4, "HDR"}, {2, "EDR"}, {1, "FDR"}}, speeds[] = {{4, "QDR"}, {2, "DDR"}, {1, "SDR"}};
    if (offer->width == 0 && offer->speed == 0 && offer->extended == 0) return 0;
    const char *width = NULL, *speed = NULL;
    for (size_t i = 0; i < sizeof widths / sizeof *widths && !width; i++)
        if (offer->width & widths[i].mask) width = widths[i].word;
    for (size_t i = 0; i < sizeof extended / sizeof *extended && !speed; i++)
        if (offer->extended & extended[i].mask) speed = extended[i].word;
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds && !speed; i++)
        if (offer->speed & speeds[i].mask) speed = speeds[i].word;
    char rate[16];
    double capacity = 0;
    const int length = snprintf(rate, sizeof rate, "%s%s", width ? width : "4x", speed ? speed : "SDR");
    cw_ib_rate_read(rate, (size_t)length, &capacity);
    return capacity;
}

static int read_port(struct parser *parser)
{
    struct cw_ib_port_line line;
    const struct cw_lines *lines = &parser->lines;
    if (parser->node == CW_NONE)
        return cw_fail_at(lines->file, lines->number,
                          "a port without a node; expected a line such as Switch 36 \"leaf1\" before it");
    int rc = cw_ib_port_line_read(lines, true, &line);
    if (!rc) rc = check_id(lines, line.peer);
    if (rc) return rc;
    const struct cw_ib_offer all = parser->offer, offer = {line.offer.width ? line.offer.width : all.width,
                                                           line.offer.speed ? line.offer.speed : all.speed,
                                                           line.offer.extended ? line.offer.extended : all.extended};
    const struct cw_ib_node *node = &parser->fabric.nodes[parser->node];
    struct cw_ib_port port = {.node = parser->node,
                              .number = (uint16_t)line.number,
                              .peer_number = (uint16_t)line.peer_number,
                              .lid = line.lid,
                              .lmc = (uint8_t)line.lmc,
                              .guid = line.guid ? line.guid : node->guid + line.number,
                              .capacity = line.capacity > 0 ? line.capacity : best_rate(&offer),
                              .latency = line.latency,
                              .line = lines->number};
    rc = cw_ib_fabric_node(&parser->fabric, line.peer, CW_KIND_HOST, &port.peer);
    return rc ? rc : cw_ib_fabric_port(&parser->fabric, &port);
}

static int read_other(const struct parser *parser)
{
    static const char *const commands[] = {"include", "module", "do ", "pdebug", "@"};
    const struct cw_ib_scan line = {parser->lines.line, parser->lines.line + parser->lines.length};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct cw_ib_scan scan = line;
        if (cw_ib_word(&scan, commands[i]))
            return cw_fail_at(parser->lines.file, parser->lines.number,
                              "ibsim's commands (include, module, do, pdebug, @alias) are not supported; expected a "
                              "file with nodes and ports only");
    }
    return cw_ib_expected(
        &parser->lines, &line,
        "a node (Switch, Ca, Hca, Rt), a port ([1] …), an id (caguid=0x…), a comment or an empty line");
}

static int read_line(struct parser *parser)
{
    const struct cw_ib_span line = {parser->lines.line, parser->lines.length};
    static const char shape[] = "# shape: ";
    switch (cw_ib_line_kind(&parser->lines)) {
    case CW_IB_COMMENT:
        if (line.length >= sizeof shape - 1 && memcmp(line.text, shape, sizeof shape - 1) == 0)
            parser->shape = (struct cw_ib_span){line.text + sizeof shape - 1, line.length - (sizeof shape - 1)};
        return 0;
    case CW_IB_BLANK:
        parser->node = CW_NONE;
        return 0;
    case CW_IB_HEADER:
        return read_header(parser);
    case CW_IB_PORT:
        return read_port(parser);
    case CW_IB_ID:
        return read_id(parser);
    case CW_IB_OTHER:
        break;
    }
    return read_other(parser);
}

static int compare_guids(const void *a, const void *b)
{
    const struct cw_ib_node *x = *(const struct cw_ib_node *const *)a, *y = *(const struct cw_ib_node *const *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* GUIDs that were counted on may run into one another. */
static int check_guids(const struct cw_ib_fabric *fabric)
{
    const struct cw_ib_node **sorted = cw_new_array(fabric->n_nodes, sizeof *sorted, "GUIDs");
    if (!sorted) return CW_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < fabric->n_nodes; i++)
        if (fabric->nodes[i].line) sorted[n++] = &fabric->nodes[i];
    qsort(sorted, n, sizeof *sorted, compare_guids);
    int rc = 0;
    for (size_t i = 1; i < n && !rc; i++)
        if (sorted[i]->guid == sorted[i - 1]->guid)
            rc = cw_fail_at(fabric->file, sorted[i]->line,
                            "this node has the GUID 0x%llx, as the one in line %lu; expected another",
                            (unsigned long long)sorted[i]->guid, sorted[i - 1]->line);
    free(sorted);
    return rc;
}

static int read_net(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                    struct cw_network **net)
{
    struct parser parser = {.lines = cw_lines_of(file, data, length),
                            .fabric = {.file = file, .names = names, .file_order = true},
                            .base = {[CW_KIND_SWITCH] = 0x200000, [CW_KIND_HOST] = 0x100000},
                            .next = {[CW_KIND_SWITCH] = 0x200000, [CW_KIND_HOST] = 0x100000},
                            .node = CW_NONE};
    int rc = cw_ib_fabric_open(&parser.fabric);
    while (!rc && cw_lines_next(&parser.lines)) rc = read_line(&parser);
    if (!rc) rc = check_guids(&parser.fabric);
    if (!rc) rc = cw_ib_fabric_build(&parser.fabric, net);
    if (!rc) cw_shape_text_apply(parser.shape, *net);
    cw_ib_fabric_free(&parser.fabric);
    return rc;
}

const struct cw_reader cw_reader_ibsim = {.name = "ibsim",
                                          .help = "InfiniBand fabric as a net file of the simulator ibsim",
                                          .names_nodes = true,
                                          .recognises = recognises,
                                          .read = read_net};
