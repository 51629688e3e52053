/*
 * What ibnetdiscover prints (infiniband-diags): the topology file, and its ports listing (-p).
 *
 * The order of blocks is an accident of the discovery, so vertices are ordered by name in natural order, then by node
 * GUID and port. Everything else about consistency and names: net/files/infiniband/ib_fabric.h. Also read: -f (link
 * state in figures) and -g (by chassis), and files of old and of other tools that print `Hca`, no rates, or no
 * descriptions.
 */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/files/stray_lines.h"
#include "base/text.h"
#include "net/files/formats_internal.h"
#include "net/files/infiniband/ib_blocks.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/files/infiniband/ib_recognise.h"
#include "net/files/infiniband/ib_rows.h"
#include "net/files/infiniband/ib_speed.h"
#include "net/files/node_names.h"
#include "net/network.h"

/* --- the ports listing -------------------------------------------------------------------------------------------- */

/*
 * ibnetdiscover -p: one row a port.
 *
 *     SW  1719 10 0x7cfe9003009ce5b0 4x EDR - CA   134  1 0x7cfe9003003b4bde ( 'ib-i1l1s01' - 'o0001 HCA-1' )
 *     SW  1719 37 0x7cfe9003009ce5b0 4x ???                                    'ib-i1l1s01'
 *
 * Kind, LID, port, port GUID, rate; the same of the peer; both descriptions. A switch's port GUID is its own. Of an
 * adapter the listing does not tell the node GUID: identities have 0 there (net/files/infiniband/ib_rows.h).
 */
static bool read_end(struct cw_ib_scan *scan, struct cw_ib_end *end)
{
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (cw_ib_word(&s, "SW "))
        end->kind = CW_KIND_SWITCH;
    else if (cw_ib_word(&s, "CA "))
        end->kind = CW_KIND_HOST;
    else if (cw_ib_word(&s, "RT "))
        end->kind = CW_KIND_ROUTER;
    else
        return false;
    if (!cw_ib_lid_and_port(&s, end)) return false;
    cw_ib_blanks(&s);
    if (!cw_ib_word(&s, "0x") || !cw_ib_hex(&s, &end->guid)) return false;
    *scan = s;
    return true;
}

/* ( 'a' - 'b' ): apostrophes inside are part of the descriptions, as far as that can be told. */
static bool read_descriptions(struct cw_ib_scan *scan, struct cw_ib_row *row)
{
    static const char between[] = "' - '";
    struct cw_ib_scan s = *scan;
    const char *end = s.end;
    cw_ib_blanks(&s);
    while (end > s.at && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (!cw_ib_word(&s, "( '") || end - s.at < 3 || memcmp(end - 3, "' )", 3) != 0) return false;
    end -= 3;
    const char *middle = memmem(s.at, (size_t)(end - s.at), between, sizeof between - 1);
    if (!middle) return false;
    const char *second = middle + sizeof between - 1;
    row->own.description = (struct cw_ib_span){s.at, (size_t)(middle - s.at)};
    row->peer.description = (struct cw_ib_span){second, (size_t)(end - second)};
    scan->at = scan->end;
    return true;
}

/* 'a', for a port without a cable. */
static bool read_description(struct cw_ib_scan *scan, struct cw_ib_row *row)
{
    const char *end = scan->end;
    while (end > scan->at && end[-1] != '\'') end--;
    if (end - scan->at < 2 || *scan->at != '\'') return false;
    row->own.description = (struct cw_ib_span){scan->at + 1, (size_t)(end - scan->at) - 2};
    scan->at = end;
    cw_ib_blanks(scan);
    return cw_ib_end(scan);
}

static int read_row(const struct cw_lines *lines, struct cw_ib_row *row)
{
    static const char end_example[] =
        "CA, SW or RT, a LID, a port from 1 to 255 and a GUID such as SW 1719 10 0x7cfe90";
    struct cw_ib_scan scan = {lines->line, lines->line + lines->length};
    *row = (struct cw_ib_row){.line = lines->number};
    if (!read_end(&scan, &row->own)) return cw_ib_expected(lines, &scan, end_example);
    cw_ib_blanks(&scan);
    const size_t used = cw_ib_rate_read(scan.at, (size_t)(scan.end - scan.at), &row->capacity);
    if (used == 0) return cw_ib_expected(lines, &scan, "a rate such as 4x EDR");
    scan.at += used;
    cw_ib_blanks(&scan);
    row->connected = cw_ib_word(&scan, "- ");
    if (!row->connected) {
        if (read_description(&scan, row)) return 0;
        return cw_ib_expected(lines, &scan, "'-' and the peer, or the node's description in apostrophes");
    }
    if (!read_end(&scan, &row->peer)) return cw_ib_expected(lines, &scan, end_example);
    if (read_descriptions(&scan, row)) return 0;
    return cw_ib_expected(lines, &scan, "both descriptions such as ( 'leaf1' - 'node7 HCA-1' )");
}

static int read_cable(struct cw_ib_fabric *fabric, const struct cw_lines *lines, struct cw_stray_lines *strays)
{
    struct cw_ib_row row;
    const enum cw_ib_line kind = cw_ib_line_kind(lines);
    if (kind == CW_IB_BLANK || kind == CW_IB_COMMENT) return 0;
    if (cw_is_stray(lines->line, lines->length)) {
        cw_stray_lines_add(strays, lines->line, lines->length, lines->number);
        return 0;
    }
    const int rc = read_row(lines, &row);
    return rc ? rc : cw_ib_row_add(fabric, &row);
}

static int read_listing(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                        struct cw_network **net)
{
    struct cw_lines lines = cw_lines_of(file, data, length);
    struct cw_ib_fabric fabric = {
        .file = file, .names = names, .hosts_may_lack_blocks = true, .host_guids_unknown = true, .ids_are_guids = true};
    struct cw_stray_lines strays = {0};
    int rc = cw_ib_fabric_open(&fabric);
    while (!rc && cw_lines_next(&lines)) rc = read_cable(&fabric, &lines, &strays);
    if (!rc) cw_stray_lines_remark(&strays, file, "map");
    if (!rc) rc = cw_ib_fabric_build(&fabric, net);
    cw_ib_fabric_free(&fabric);
    return rc;
}

/* --- the topology file -------------------------------------------------------------------------------------------- */

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
    return cw_ib_recognise(data, length) == CW_IB_LISTING ? read_listing(file, data, length, names, net)
                                                          : read_topology(file, data, length, names, net);
}

const struct cw_reader cw_reader_ibnetdiscover = {
    .name = "ibnetdiscover",
    .help = "InfiniBand fabric as ibnetdiscover prints it, plain or as ports listing (-p)",
    .names_nodes = true,
    .recognises = recognises,
    .read = read_either};
