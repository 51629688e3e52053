/*
 * What iblinkinfo prints (infiniband-diags), a line for each port, in two forms. Plain, under headlines of nodes, peers
 * named by their LIDs:
 *
 *     Switch: 0x0008f10500200b50 leaf 1:
 *                8    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       1    1[  ] "node01" (Could be 12X )
 *                8    4[  ] ==(                Down/ Polling)==>             [  ] "" ( )
 *     CA: node01:
 *           0x0002c90300080d29  1  1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>   8    1[  ] "leaf 1" ( )
 *
 * With -l, without headlines:
 *
 *     0x0008f10500200b50 "  leaf 1"  8  1[  ] ==( 4X … Active/  LinkUp)==>  0x0002c90300080d29  1  1[  ] "node01" ( )
 *
 * LID, port, its place in a chassis, width and speed of a lane, states; the same of the peer; what the link could be.
 * -p adds "(HOQ:16 VL_Stall:7)". Neither form tells node GUIDs of adapters: identities have 0 there. -l does not tell
 * routers from hosts. Who the peers are: net/files/infiniband/ib_peers.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files/stray_lines.h"
#include "base/input.h"
#include "base/memory.h"
#include "net/files/formats_internal.h"
#include "net/files/infiniband/ib_blocks.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/files/infiniband/ib_peers.h"
#include "net/files/infiniband/ib_rows.h"
#include "net/files/infiniband/ib_speed.h"

#define LINES 100 /* that are looked at: a prompt or warnings may stand above the first record */

struct parser {
    struct cw_lines lines;
    struct cw_ib_row *rows;
    size_t n_rows, capacity;
    struct cw_ib_end node; /* of the last headline */
    bool has_node, first_of_node;
    bool by_guid;                       /* of the form of -l */
    unsigned long silent, first_silent; /* ports whose peers did not answer, and the line of the first */
    struct cw_stray_lines strays;
};

/* The three parts of a line: own ==(link)==> peer. */
struct parts {
    struct cw_ib_scan own, link, peer;
};

static bool split(const struct cw_lines *lines, struct parts *parts)
{
    const char *end = lines->line + lines->length;
    if (lines->length == 0) return false;
    const char *link = memmem(lines->line, lines->length, "==(", 3);
    const char *arrow = link ? memmem(link, (size_t)(end - link), "==>", 3) : NULL;
    if (!arrow) return false;
    parts->own = (struct cw_ib_scan){lines->line, link};
    parts->link = (struct cw_ib_scan){link + 3, arrow};
    parts->peer = (struct cw_ib_scan){arrow + 3, end};
    return true;
}

static bool read_guid(struct cw_ib_scan *scan, uint64_t *guid)
{
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (!cw_ib_word(&s, "0x")) return false;
    if (!cw_ib_hex(&s, guid) || *guid == 0) return false;
    *scan = s;
    return true;
}

/* "8  1[  ]": LID, port, and the port's number on the outside of a chassis. */
static bool read_address(struct cw_ib_scan *scan, struct cw_ib_end *end)
{
    uint32_t external;
    struct cw_ib_scan s = *scan;
    if (!cw_ib_lid_and_port(&s, end)) return false;
    cw_ib_blanks(&s);
    if (!cw_ib_char(&s, '[')) return false;
    cw_ib_blanks(&s);
    cw_ib_decimal(&s, UINT16_MAX, &external);
    cw_ib_blanks(&s);
    if (!cw_ib_char(&s, ']')) return false;
    cw_ib_blanks(&s);
    *scan = s;
    return true;
}

/* A description in quotes, which -l fills up with blanks in front. */
static bool read_description(struct cw_ib_scan *scan, struct cw_ib_span *out)
{
    cw_ib_blanks(scan);
    if (!cw_ib_quoted(scan, true, out)) return false;
    while (out->length > 0 && *out->text == ' ') {
        out->text++;
        out->length--;
    }
    return true;
}

/* The own end of a line; *BY_GUID says in which form it is. */
static bool read_own(struct cw_ib_scan *scan, struct cw_ib_end *end, bool *by_guid)
{
    read_guid(scan, &end->guid);
    *by_guid = end->guid && read_description(scan, &end->description);
    return read_address(scan, end) && cw_ib_end(scan);
}

static bool recognises(const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of("", data, length);
    while (lines.number < LINES && cw_lines_next(&lines)) {
        struct parts parts;
        struct cw_ib_end end = {0};
        bool by_guid;
        if (split(&lines, &parts) && read_own(&parts.own, &end, &by_guid)) return true;
    }
    return false;
}

/* "4X 25.78125 Gbps", "4X 10.0 Gbps (FDR10)", "4X undefined (16)". */
static bool read_rate(struct cw_ib_scan scan, double *capacity)
{
    const size_t length = (size_t)(scan.end - scan.at);
    const size_t used = cw_ib_rate_read(scan.at, length, capacity);
    if (length && (memmem(scan.at, length, "undefined", 9) || memmem(scan.at, length, "xtended", 7))) {
        *capacity = 0;
        return true;
    }
    if (used == 0) return false;
    const struct cw_ib_scan lanes = scan;
    scan.at += used;
    cw_ib_blanks(&scan);
    if (cw_ib_end(&scan)) return true;
    if (!cw_ib_word(&scan, "(FDR10)")) return false;
    cw_ib_blanks(&scan);
    double ten, one;
    cw_ib_rate_read("10.0 Gbps", 9, &ten);
    cw_ib_rate_read("FDR10", 5, &one);
    *capacity *= one / ten;
    return cw_ib_end(&scan) && lanes.at < scan.at;
}

/* What stands between "==(" and "==>"; *UP is false if the port is down. */
static int read_link(const struct cw_lines *lines, const struct cw_ib_scan *link, bool *up, double *capacity)
{
    static const char *const states[] = {"Down", "Initialize", "Armed", "Active"};
    static const char expected[] = "a width, a speed and states such as 4X 25.78125 Gbps Active/ LinkUp";
    const size_t length = (size_t)(link->end - link->at);
    const char *slash = length ? memchr(link->at, '/', length) : NULL;
    if (!slash) return cw_ib_expected(lines, link, expected);
    const char *end = slash;
    while (end > link->at && end[-1] == ' ') end--;
    const char *state = end;
    while (state > link->at && state[-1] != ' ') state--;
    size_t i = 0;
    while (i < 4 && !cw_ib_is((struct cw_ib_span){state, (size_t)(end - state)}, states[i])) i++;
    if (i == 4) return cw_ib_expected(lines, link, expected);
    *up = i > 0;
    struct cw_ib_scan rate = {link->at, state};
    cw_ib_blanks(&rate);
    if (cw_ib_end(&rate)) return 0;
    return read_rate(rate, capacity) ? 0 : cw_ib_expected(lines, link, expected);
}

/* What stands behind "==>". *CABLED is false if there is none. */
static int read_peer(struct parser *parser, struct cw_ib_scan *scan, struct cw_ib_end *peer, bool *cabled)
{
    static const char expected[] = "the peer's LID, port and description such as 9 5[  ] \"leaf2\" ( )";
    const struct cw_lines *lines = &parser->lines;
    cw_ib_blanks(scan);
    const struct cw_ib_scan before = *scan;
    struct cw_ib_scan s = *scan;
    *cabled = false;
    if (cw_ib_char(&s, '[')) return 0;
    if (cw_ib_word(&s, "\"Port not available\"")) {
        if (parser->silent++ == 0) parser->first_silent = lines->number;
        return 0;
    }
    const bool has_guid = read_guid(scan, &peer->guid);
    if (has_guid != parser->by_guid || !read_address(scan, peer) || !read_description(scan, &peer->description))
        return cw_ib_expected(lines, &before, expected);
    cw_ib_blanks(scan);
    if (!cw_ib_end(scan) && *scan->at != '(') return cw_ib_expected(lines, scan, "what the link could be, such as ( )");
    *cabled = true;
    return 0;
}

/* The own end has what its headline tells. */
static int take_headline(struct parser *parser, struct cw_ib_end *own)
{
    const struct cw_lines *lines = &parser->lines;
    struct cw_ib_end *node = &parser->node;
    if (!parser->has_node)
        return cw_fail_at(
            lines->file, lines->number,
            "a port without a node; expected a line such as Switch: 0x0008f10500200b50 leaf 1: before it");
    if ((node->kind == CW_KIND_SWITCH) != (own->guid == 0))
        return cw_fail_at(lines->file, lines->number,
                          "expected a GUID in front of the LID of an adapter's port, and none of a switch's");
    if (node->kind != CW_KIND_SWITCH && parser->first_of_node) node->node_guid = own->guid;
    parser->first_of_node = false;
    if (node->kind == CW_KIND_SWITCH) own->guid = node->guid;
    own->node_guid = node->node_guid;
    own->kind = node->kind;
    own->description = node->description;
    return 0;
}

static int read_row(struct parser *parser, struct parts *parts)
{
    const struct cw_lines *lines = &parser->lines;
    const struct cw_ib_scan before = parts->own;
    struct cw_ib_row row = {.line = lines->number};
    bool by_guid, up = false, cabled = false;
    if (!read_own(&parts->own, &row.own, &by_guid))
        return cw_ib_expected(lines, &before, "a LID and a port such as 8 1[  ] in front of ==(");
    if (parser->n_rows > 0 && by_guid != parser->by_guid)
        return cw_fail_at(lines->file, lines->number,
                          "a line of iblinkinfo %s among others; expected one form throughout",
                          by_guid ? "-l" : "without -l");
    parser->by_guid = by_guid;
    int rc = read_link(lines, &parts->link, &up, &row.capacity);
    if (!rc) rc = read_peer(parser, &parts->peer, &row.peer, &cabled);
    if (!rc && !by_guid) rc = take_headline(parser, &row.own);
    if (rc) return rc;
    row.connected = up && cabled;
    void *rows = parser->rows;
    rc = cw_grow_array(&rows, &parser->capacity, parser->n_rows + 1, sizeof row, "the ports of a fabric");
    if (rc) return rc;
    parser->rows = rows;
    parser->rows[parser->n_rows++] = row;
    return 0;
}

/* "Switch: 0x0008f10500200b50 leaf 1:" (old versions: "Switch 0x…") or "CA: node01:". False if it is none. */
static bool read_headline(struct parser *parser)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } words[] = {
        {"Switch:", CW_KIND_SWITCH}, {"Switch 0x", CW_KIND_SWITCH}, {"CA:", CW_KIND_HOST}, {"Router:", CW_KIND_ROUTER}};
    const struct cw_ib_scan line = {parser->lines.line, parser->lines.line + parser->lines.length};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct cw_ib_scan scan = line;
        struct cw_ib_end node = {.kind = words[i].kind};
        if (!cw_ib_word(&scan, words[i].word)) continue;
        if (words[i].word[strlen(words[i].word) - 1] == 'x') scan.at -= 2;
        if (node.kind == CW_KIND_SWITCH && !read_guid(&scan, &node.guid)) return false;
        cw_ib_blanks(&scan);
        while (scan.end > scan.at && scan.end[-1] == ' ') scan.end--;
        if (scan.end > scan.at && scan.end[-1] == ':') scan.end--;
        node.description = (struct cw_ib_span){scan.at, (size_t)(scan.end - scan.at)};
        parser->node = node;
        parser->has_node = parser->first_of_node = true;
        return true;
    }
    return false;
}

static int read_line(struct parser *parser)
{
    const struct cw_lines *lines = &parser->lines;
    struct cw_ib_scan line = {lines->line, lines->line + lines->length}, scan = line;
    struct parts parts;
    cw_ib_blanks(&scan);
    if (cw_ib_end(&scan) || *scan.at == '#') return 0;
    if (cw_ib_word(&scan, "< ") || cw_ib_word(&scan, "> "))
        return cw_fail_at(lines->file, lines->number,
                          "a difference of two maps (iblinkinfo --diff); expected what iblinkinfo prints without it");
    if (split(lines, &parts)) return read_row(parser, &parts);
    if (read_headline(parser)) return 0;
    if (parser->n_rows > 0 && !cw_is_stray(lines->line, lines->length))
        return cw_ib_expected(lines, &line,
                              "a node (Switch: 0x…, CA:, Router:), a port (8 1[  ] ==(…)==>) or an empty line");
    cw_stray_lines_add(&parser->strays, lines->line, lines->length, lines->number);
    return 0;
}

static int complete(struct parser *parser)
{
    const char *file = parser->lines.file;
    bool any = false;
    for (size_t i = 0; i < parser->n_rows && !any; i++) any = parser->rows[i].connected;
    if (!any)
        return cw_fail_at(file, 0,
                          "no port here has a cable (iblinkinfo -d lists only such); expected what iblinkinfo prints "
                          "without -d");
    cw_stray_lines_remark(&parser->strays, file, "map");
    if (parser->silent > 0)
        cw_inputs_remark(file, parser->first_silent,
                         "%lu port%s up but not followed (\"Port not available\"), the first here: left out.",
                         parser->silent, parser->silent > 1 ? "s are" : " is");
    return parser->by_guid ? cw_ib_peers_by_guid(file, parser->rows, parser->n_rows)
                           : cw_ib_peers_by_lid(file, parser->rows, parser->n_rows);
}

static int build(const struct parser *parser, const struct cw_node_names *names, struct cw_network **net)
{
    struct cw_ib_fabric fabric = {.file = parser->lines.file,
                                  .names = names,
                                  .hosts_may_lack_blocks = true,
                                  .host_guids_unknown = true,
                                  .ids_are_guids = true};
    int rc = cw_ib_fabric_open(&fabric);
    for (size_t i = 0; i < parser->n_rows && !rc; i++) rc = cw_ib_row_add(&fabric, &parser->rows[i]);
    if (!rc) rc = cw_ib_fabric_build(&fabric, net);
    cw_ib_fabric_free(&fabric);
    return rc;
}

static int read_linkinfo(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                         struct cw_network **net)
{
    struct parser parser = {.lines = cw_lines_of(file, data, length)};
    int rc = 0;
    while (!rc && cw_lines_next(&parser.lines)) rc = read_line(&parser);
    if (!rc) rc = complete(&parser);
    if (!rc) rc = build(&parser, names, net);
    free(parser.rows);
    return rc;
}

const struct cw_reader cw_reader_iblinkinfo = {
    .name = "iblinkinfo",
    .help = "InfiniBand fabric as iblinkinfo prints it, plain or a link a line (-l)",
    .names_nodes = true,
    .recognises = recognises,
    .read = read_linkinfo};
