/*
 * What ibnetdiscover prints (infiniband-diags): the topology file; its ports listing (-p) is
 * read_ibnetdiscover_ports.c.
 *
 * The order of blocks is an accident of the discovery, so vertices are ordered by name in natural order, then by node
 * GUID and port. Everything else about consistency and names: net/files/ib_fabric.h. Also read: -f (link state in
 * figures) and -g (by chassis), and files of old and of other tools that print `Hca`, no rates, or no descriptions.
 */
#include <string.h>

#include "base/error.h"
#include "base/stray_lines.h"
#include "net/files/formats_internal.h"
#include "net/files/ib_blocks.h"
#include "net/files/ib_fabric.h"
#include "net/files/ib_readers.h"
#include "net/files/ib_recognise.h"

/* The ids that stand in front of a node. */
struct ids {
    uint64_t guid, port_guid, system_guid;
    uint32_t vendor, device;
    unsigned long line;      /* of the first, 0: none */
    unsigned long guid_line; /* of the node GUID, 0: none */
};

struct parser {
    struct cw_lines lines;
    struct cw_ib_fabric fabric;
    struct ids ids;
    uint32_t node;           /* whose ports are being read, or CW_NONE */
    unsigned long bare_line; /* of a switch without any port so far, 0: none */
    bool rated;              /* the last port line ended with a rate */
    bool begun;              /* a record was read */
    struct cw_stray_lines strays;
};

static bool recognises(const char *data, size_t length)
{
    const enum cw_ib_format format = cw_ib_recognise(data, length);
    return format == CW_IB_TOPOLOGY || format == CW_IB_LISTING;
}

static int read_id(struct parser *parser)
{
    struct cw_ib_id_line id;
    const struct cw_lines *lines = &parser->lines;
    const int rc = cw_ib_id_line_read(lines, &id);
    if (rc) return rc;
    struct ids *ids = &parser->ids;
    if (!ids->line) ids->line = lines->number;
    parser->node = CW_NONE;
    if (cw_ib_is(id.key, "vendid") || cw_ib_is(id.key, "devid")) {
        if (id.value > UINT32_MAX)
            return cw_fail_at(lines->file, lines->number, "an id of more than 32 bits: 0x%llx",
                              (unsigned long long)id.value);
        *(cw_ib_is(id.key, "devid") ? &ids->device : &ids->vendor) = (uint32_t)id.value;
    } else if (cw_ib_is(id.key, "sysimgguid")) {
        ids->system_guid = id.value;
    } else if (cw_ib_is(id.key, "switchguid") || cw_ib_is(id.key, "caguid") || cw_ib_is(id.key, "hcaguid") ||
               cw_ib_is(id.key, "rtguid")) {
        ids->guid = id.value;
        ids->port_guid = id.port_guid;
        ids->guid_line = lines->number;
    } else {
        return cw_fail_at(lines->file, lines->number,
                          "'%.*s' is unknown; expected vendid, devid, sysimgguid, switchguid, caguid or rtguid",
                          (int)(id.key.length < 40 ? id.key.length : 40), id.key.text);
    }
    return 0;
}

/* The GUID and kind that an id such as "H-0002c90300080d28" tells. */
static int decode_id(const struct cw_lines *lines, struct cw_ib_span id, uint64_t *guid, uint8_t *kind)
{
    struct cw_ib_scan scan = {id.text, id.text + id.length};
    if (!cw_ib_is_guid_id(id))
        return cw_ib_expected(lines, &scan, "S-, H- or R- and the node GUID, 16 hexadecimal digits");
    *kind = id.text[0] == 'S' ? CW_KIND_SWITCH : id.text[0] == 'H' ? CW_KIND_HOST : CW_KIND_ROUTER;
    scan.at += 2;
    cw_ib_hex(&scan, guid);
    return 0;
}

/* The node called ID, which a block or a port line mentions. */
static int find_node(struct parser *parser, struct cw_ib_span id, uint32_t *node)
{
    uint64_t guid;
    uint8_t kind;
    int rc = decode_id(&parser->lines, id, &guid, &kind);
    if (!rc) rc = cw_ib_fabric_node(&parser->fabric, id, kind, node);
    if (!rc) parser->fabric.nodes[*node].guid = guid;
    return rc;
}

/* The same node again, as ibnetdiscover -g prints parts of a chassis: nothing may differ. */
static int check_repeated(const struct parser *parser, const struct cw_ib_header *header)
{
    const struct cw_ib_node *node = &parser->fabric.nodes[parser->node];
    const struct cw_ib_span a = node->description, b = header->description;
    const bool same = a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
    if (node->ports == header->ports && same) return 0;
    return cw_fail_at(parser->lines.file, parser->lines.number,
                      "'%s' has %u ports and the description \"%.*s\" here, but %u ports and \"%.*s\" in line %lu",
                      cw_ib_fabric_label(&parser->fabric, parser->node), header->ports, (int)b.length,
                      b.length ? b.text : "", node->ports, (int)a.length, a.length ? a.text : "", node->line);
}

/* ibdiagnet writes the system's GUID in front of the parenthesis, where ibnetdiscover has the node's: switches of one
 * chassis share it. The port GUID of a switch is its node GUID. */
static bool is_system_guid(const struct ids *ids, uint64_t node_guid)
{
    return (ids->port_guid != 0 && ids->guid == ids->system_guid) || ids->port_guid == node_guid;
}

static int read_header(struct parser *parser)
{
    struct cw_ib_header header;
    const struct cw_lines *lines = &parser->lines;
    int rc = cw_ib_header_read(lines, false, &header);
    if (!rc) rc = find_node(parser, header.id, &parser->node);
    if (rc) return rc;
    struct cw_ib_node *node = &parser->fabric.nodes[parser->node];
    const struct ids ids = parser->ids;
    parser->ids = (struct ids){0};
    if (header.kind != node->kind)
        return cw_fail_at(lines->file, lines->number,
                          "'%s' does not fit the word in front of it; expected Switch "
                          "\"S-…\", Ca \"H-…\" or Rt \"R-…\"",
                          cw_ib_fabric_label(&parser->fabric, parser->node));
    if (ids.guid_line && ids.guid != node->guid && !is_system_guid(&ids, node->guid))
        return cw_fail_at(lines->file, lines->number, "'%s' is not the node GUID 0x%llx of line %lu",
                          cw_ib_fabric_label(&parser->fabric, parser->node), (unsigned long long)ids.guid,
                          ids.guid_line);
    parser->bare_line = header.kind == CW_KIND_SWITCH ? lines->number : 0;
    if (node->line) return check_repeated(parser, &header);
    node->line = lines->number;
    node->description = header.description;
    node->ports = (uint16_t)header.ports;
    node->lid = header.lid;
    node->lmc = (uint8_t)header.lmc;
    node->vendor = ids.vendor;
    node->device = ids.device;
    node->system_guid = ids.system_guid;
    node->port_guid = ids.port_guid;
    return 0;
}

static int read_port(struct parser *parser)
{
    struct cw_ib_port_line line;
    const struct cw_lines *lines = &parser->lines;
    if (parser->node == CW_NONE)
        return cw_fail_at(lines->file, lines->number,
                          "a port without a node; expected a line such as Switch 36 \"S-…\" before it");
    int rc = cw_ib_port_line_read(lines, false, &line);
    if (rc) return rc;
    struct cw_ib_port port = {.node = parser->node,
                              .number = (uint16_t)line.number,
                              .peer_number = (uint16_t)line.peer_number,
                              .lid = line.lid,
                              .lmc = (uint8_t)line.lmc,
                              .peer_lid = line.peer_lid,
                              .guid = line.guid,
                              .peer_guid = line.peer_guid,
                              .capacity = line.capacity,
                              .latency = -1,
                              .line = lines->number};
    rc = find_node(parser, line.peer, &port.peer);
    if (rc) return rc;
    struct cw_ib_node *peer = &parser->fabric.nodes[port.peer];
    if (!peer->line && line.description.length > 0) peer->description = line.description;
    parser->rated = line.has_rate;
    parser->bare_line = 0;
    return cw_ib_fabric_port(&parser->fabric, &port);
}

/* Of ibnetdiscover -g. */
static bool is_headline(const struct cw_lines *lines)
{
    struct cw_ib_scan scan = {lines->line, lines->line + lines->length};
    return cw_ib_word(&scan, "Chassis ") || cw_ib_word(&scan, "Non-Chassis Nodes") || cw_ib_word(&scan, "Hostname:");
}

static int read_other(const struct parser *parser)
{
    const struct cw_ib_scan line = {parser->lines.line, parser->lines.line + parser->lines.length};
    if (is_headline(&parser->lines)) return 0;
    return cw_ib_expected(&parser->lines, &line,
                          "a node (Switch, Ca, Rt), a port ([1] …), an id (vendid=0x…), a comment or an empty line");
}

/* No part of the map: what stands above the first record, and what terminals and errors leave anywhere. */
static bool is_stray(const struct parser *parser, enum cw_ib_line kind)
{
    const struct cw_lines *lines = &parser->lines;
    if (cw_is_stray(lines->line, lines->length)) return true;
    if (parser->begun) return false;
    return (kind == CW_IB_OTHER && !is_headline(lines)) || (kind == CW_IB_ID && !cw_ib_is_known_key(lines));
}

static int read_line(struct parser *parser)
{
    const enum cw_ib_line kind = cw_ib_line_kind(&parser->lines);
    if (is_stray(parser, kind)) {
        cw_stray_lines_add(&parser->strays, parser->lines.line, parser->lines.length, parser->lines.number);
        return 0;
    }
    parser->begun |= kind == CW_IB_HEADER || kind == CW_IB_PORT || kind == CW_IB_ID;
    switch (kind) {
    case CW_IB_COMMENT:
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

/* The end of a file that was cut off. LENGTH > 0. */
static int check_end(const struct parser *parser, const char *data, size_t length)
{
    const struct cw_lines *lines = &parser->lines;
    if (parser->ids.line)
        return cw_fail_at(lines->file, parser->ids.line,
                          "the file ends before the node that has this id; is it truncated?");
    if (parser->bare_line)
        return cw_fail_at(lines->file, parser->bare_line,
                          "the file ends before the first port of this switch; is it truncated?");
    if (length > 0 && data[length - 1] != '\n' && parser->node != CW_NONE && !parser->rated)
        return cw_fail_at(lines->file, lines->number, "the file ends in the middle of this line; is it truncated?");
    return 0;
}

static int read_topology(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                         struct cw_network **net)
{
    struct parser parser = {
        .lines = cw_lines_of(file, data, length),
        .fabric = {.file = file, .names = names, .hosts_may_lack_blocks = true, .ids_are_guids = true},
        .node = CW_NONE};
    int rc = cw_ib_fabric_open(&parser.fabric);
    while (!rc && cw_lines_next(&parser.lines)) {
        parser.rated = false;
        rc = read_line(&parser);
    }
    if (!rc) rc = check_end(&parser, data, length);
    if (!rc) cw_stray_lines_remark(&parser.strays, file, "map");
    if (!rc) rc = cw_ib_fabric_build(&parser.fabric, net);
    cw_ib_fabric_free(&parser.fabric);
    return rc;
}

static int read_either(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                       struct cw_network **net)
{
    return cw_ib_recognise(data, length) == CW_IB_LISTING ? cw_ib_listing_read(file, data, length, names, net)
                                                          : read_topology(file, data, length, names, net);
}

const struct cw_reader cw_reader_ibnetdiscover = {
    .name = "ibnetdiscover",
    .help = "InfiniBand fabric as ibnetdiscover prints it, plain or as ports listing (-p)",
    .names_nodes = true,
    .recognises = recognises,
    .read = read_either};
