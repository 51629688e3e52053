/*
 * OpenSM's opensm-subnet.lst (and ibdiagnet's list of the same form): one line for each end of a cable.
 *
 *     { CA-SM Ports:02 SystemGUID:0002c9… NodeGUID:0002c9… PortGUID:0002c9… VenID:0002C9 DevID:1017 Rev:000000A1
 *       {node7 HCA-1} LID:0004 PN:01 } { SW Ports:24 … {leaf 1} LID:0009 PN:0E } PHY=4x LOG=ACT SPD=25
 *
 * All numbers are hexadecimal. "-SM" marks the subnet manager's port. Of the peer's end only kind, GUIDs, LID, port and
 * description are taken: OpenSM prints its vendor and device in other digits than the node's own. Link states: ACT, ARM
 * and INI are cables; DWN is a cable that is left out, with a remark. SPD is the speed of a lane, in Gbit/s without
 * their fraction (2.5, 5, 10, 14, 25, 50, …), by name (FDR10, EDR), or unknown (?, ??); older files lack it.
 *
 * What the list does not have: switches and adapters without a cable, and LMCs (but ibdiagnet may print LMC: behind
 * the LID).
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/files/stray_lines.h"
#include "base/input.h"
#include "net/files/formats_internal.h"
#include "net/files/infiniband/ib_blocks.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/files/infiniband/ib_rows.h"
#include "net/files/infiniband/ib_speed.h"

#define LINES 100 /* that are looked at: a prompt may stand above the first record */

struct parser {
    struct cw_lines lines;
    struct cw_ib_fabric fabric;
    bool begun;
    struct cw_stray_lines strays;
    unsigned long down, first_down; /* cables that are down, and the line of the first */
};

/* "{ CA-SM " */
static bool read_kind(struct cw_ib_scan *scan, uint8_t *kind)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } words[] = {{"CA", CW_KIND_HOST}, {"SW", CW_KIND_SWITCH}, {"Rt", CW_KIND_ROUTER}, {"RT", CW_KIND_ROUTER}};
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (!cw_ib_char(&s, '{')) return false;
    cw_ib_blanks(&s);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct cw_ib_scan behind = s;
        if (!cw_ib_word(&behind, words[i].word)) continue;
        cw_ib_word(&behind, "-SM");
        if (!cw_ib_char(&behind, ' ')) continue;
        *kind = words[i].kind;
        *scan = behind;
        return true;
    }
    return false;
}

static bool recognises(const char *data, size_t length)
{
    struct cw_lines lines = cw_lines_of("", data, length);
    while (lines.number < LINES && cw_lines_next(&lines)) {
        struct cw_ib_scan scan = {lines.line, lines.line + lines.length};
        uint8_t kind;
        if (read_kind(&scan, &kind) && cw_ib_word(&scan, "Ports:")) return true;
    }
    return false;
}

/* " NAME:value" in hexadecimal. */
static int read_field(const struct cw_lines *lines, struct cw_ib_scan *scan, const char *name, uint64_t max,
                      uint64_t *out)
{
    char expected[64];
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (cw_ib_word(&s, name) && cw_ib_char(&s, ':') && cw_ib_hex(&s, out) && *out <= max) {
        *scan = s;
        return 0;
    }
    snprintf(expected, sizeof expected, "%s: and a hexadecimal number up to %llx", name, (unsigned long long)max);
    return cw_ib_expected(lines, scan, expected);
}

/* "{leaf 1}": braces inside are part of it. Old lists of ibdiagnet have none. */
static void read_description(struct cw_ib_scan *scan, struct cw_ib_span *out)
{
    static const char behind[] = "} LID:";
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (!cw_ib_char(&s, '{')) return;
    const char *end = memmem(s.at, (size_t)(s.end - s.at), behind, sizeof behind - 1);
    if (!end) return;
    *out = (struct cw_ib_span){s.at, (size_t)(end - s.at)};
    scan->at = end + 1;
}

static int read_address(const struct cw_lines *lines, struct cw_ib_scan *scan, struct cw_ib_end *end)
{
    uint64_t lid, lmc, number = 0;
    int rc = read_field(lines, scan, "LID", UINT16_MAX, &lid);
    if (rc) return rc;
    if (lid > CW_IB_MAX_LID && lid < UINT16_MAX)
        return cw_fail_at(lines->file, lines->number, "LID %llx, expected one of unicast: 1 to %x",
                          (unsigned long long)lid, CW_IB_MAX_LID);
    end->lid = lid <= CW_IB_MAX_LID ? (uint32_t)lid : 0;
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (cw_ib_word(&s, "LMC:")) {
        rc = read_field(lines, scan, "LMC", 7, &lmc);
        if (rc) return rc;
        end->lmc = (uint8_t)lmc;
    }
    const struct cw_ib_scan before = *scan;
    rc = read_field(lines, scan, "PN", CW_IB_MAX_PORTS, &number);
    if (!rc && number == 0) rc = cw_ib_expected(lines, &before, "PN: and a port number from 1 to ff");
    end->number = (uint32_t)number;
    return rc;
}

static int read_end(const struct cw_lines *lines, struct cw_ib_scan *scan, bool own, struct cw_ib_end *end)
{
    uint64_t ports, system_guid, vendor = 0, device = 0, revision;
    if (!read_kind(scan, &end->kind)) return cw_ib_expected(lines, scan, "{ and CA, SW or Rt, each perhaps with -SM");
    int rc = read_field(lines, scan, "Ports", CW_IB_MAX_PORTS, &ports);
    if (!rc) rc = read_field(lines, scan, "SystemGUID", UINT64_MAX, &system_guid);
    const struct cw_ib_scan guids = *scan;
    if (!rc) rc = read_field(lines, scan, "NodeGUID", UINT64_MAX, &end->node_guid);
    if (!rc && end->node_guid == 0) rc = cw_ib_expected(lines, &guids, "a NodeGUID other than 0");
    if (!rc) rc = read_field(lines, scan, "PortGUID", UINT64_MAX, &end->guid);
    if (!rc) rc = read_field(lines, scan, "VenID", UINT32_MAX, &vendor);
    if (!rc) rc = read_field(lines, scan, "DevID", UINT32_MAX, &device);
    if (!rc) rc = read_field(lines, scan, "Rev", UINT32_MAX, &revision);
    if (rc) return rc;
    end->system_guid = system_guid;
    end->ports = (uint32_t)ports;
    if (own) {
        end->vendor = (uint32_t)vendor;
        end->device = (uint32_t)device;
    }
    read_description(scan, &end->description);
    rc = read_address(lines, scan, end);
    if (rc) return rc;
    cw_ib_blanks(scan);
    return cw_ib_char(scan, '}') ? 0 : cw_ib_expected(lines, scan, "'}'");
}

/* "4x" and "25" are 4xEDR. False if they are no rate; *CAPACITY is 0 where OpenSM did not know it. */
static bool rate_of(struct cw_ib_span width, struct cw_ib_span speed, double *capacity)
{
    static const struct {
        const char *figure, *name;
    } speeds[] = {{"2.5", "SDR"}, {"5", "DDR"},   {"10", "QDR"},  {"14", "FDR"},  {"25", "EDR"}, {"50", "HDR"},
                  {"53", "HDR"},  {"100", "NDR"}, {"106", "NDR"}, {"200", "XDR"}, {"212", "XDR"}};
    const bool unknown = speed.length == 0 || speed.text[0] == '?' || (width.length > 0 && width.text[0] == '?');
    char rate[48];
    *capacity = 0;
    if (unknown || width.length + speed.length > sizeof rate - sizeof " Gbps") return unknown;
    const char *unit = memchr(speed.text, '.', speed.length) ? " Gbps" : "";
    int length =
        snprintf(rate, sizeof rate, "%.*s%.*s%s", (int)width.length, width.text, (int)speed.length, speed.text, unit);
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (cw_ib_is(speed, speeds[i].figure))
            length = snprintf(rate, sizeof rate, "%.*s%s", (int)width.length, width.text, speeds[i].name);
    return cw_ib_rate_read(rate, (size_t)length, capacity) == (size_t)length;
}

/* " NAME=word" */
static bool read_word(struct cw_ib_scan *scan, const char *name, struct cw_ib_span *out)
{
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (!cw_ib_word(&s, name) || !cw_ib_char(&s, '=')) return false;
    const char *text = s.at;
    while (!cw_ib_end(&s) && *s.at != ' ' && *s.at != '\t') s.at++;
    if (s.at == text) return false;
    *out = (struct cw_ib_span){text, (size_t)(s.at - text)};
    *scan = s;
    return true;
}

static int read_link(const struct cw_lines *lines, struct cw_ib_scan *scan, struct cw_ib_row *row)
{
    static const char *const states[] = {"ACT", "ARM", "INI", "DWN"};
    struct cw_ib_span width, state, speed = {0};
    struct cw_ib_scan before = *scan;
    if (!read_word(scan, "PHY", &width)) return cw_ib_expected(lines, &before, "a width such as PHY=4x");
    const struct cw_ib_scan at_state = *scan;
    size_t i = 0;
    const bool has_state = read_word(scan, "LOG", &state);
    while (has_state && i < 4 && !cw_ib_is(state, states[i])) i++;
    if (!has_state || i == 4) return cw_ib_expected(lines, &at_state, "LOG= and ACT, ARM, INI or DWN");
    row->connected = i < 3;
    read_word(scan, "SPD", &speed);
    if (!rate_of(width, speed, &row->capacity))
        return cw_ib_expected(lines, &before, "a width and a speed such as PHY=4x … SPD=25, SPD=EDR or SPD=??");
    cw_ib_blanks(scan);
    return cw_ib_end(scan) ? 0 : cw_ib_expected(lines, scan, "SPD= and a speed, or the end of the line");
}

static int read_record(struct parser *parser)
{
    const struct cw_lines *lines = &parser->lines;
    struct cw_ib_scan scan = {lines->line, lines->line + lines->length};
    struct cw_ib_row row = {.line = lines->number};
    int rc = read_end(lines, &scan, true, &row.own);
    if (!rc) rc = read_end(lines, &scan, false, &row.peer);
    if (!rc) rc = read_link(lines, &scan, &row);
    if (rc) return rc;
    if (!row.connected && parser->down++ == 0) parser->first_down = row.line;
    parser->begun = true;
    return cw_ib_row_add(&parser->fabric, &row);
}

static int read_line(struct parser *parser)
{
    const struct cw_lines *lines = &parser->lines;
    struct cw_ib_scan scan = {lines->line, lines->line + lines->length}, blanks = scan;
    uint8_t kind;
    cw_ib_blanks(&blanks);
    if (cw_ib_end(&blanks) || *blanks.at == '#') return 0;
    if (cw_is_stray(lines->line, lines->length) || (!parser->begun && !read_kind(&scan, &kind))) {
        cw_stray_lines_add(&parser->strays, lines->line, lines->length, lines->number);
        return 0;
    }
    return read_record(parser);
}

static int read_subnet(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                       struct cw_network **net)
{
    struct parser parser = {.lines = cw_lines_of(file, data, length),
                            .fabric = {.file = file, .names = names, .ids_are_guids = true}};
    int rc = cw_ib_fabric_open(&parser.fabric);
    while (!rc && cw_lines_next(&parser.lines)) rc = read_line(&parser);
    if (!rc) cw_stray_lines_remark(&parser.strays, file, "map");
    if (!rc && parser.down > 0)
        cw_inputs_remark(file, parser.first_down, "%lu port%s down (LOG=DWN), the first here: the cable is left out.",
                         parser.down, parser.down > 1 ? "s are" : " is");
    if (!rc) rc = cw_ib_fabric_build(&parser.fabric, net);
    cw_ib_fabric_free(&parser.fabric);
    return rc;
}

const struct cw_reader cw_reader_subnet = {.name = "opensm-subnet",
                                           .help = "InfiniBand fabric as OpenSM's opensm-subnet.lst",
                                           .names_nodes = true,
                                           .recognises = recognises,
                                           .read = read_subnet};
