/*
 * Readers of SL2VL tables:
 *
 *     Switch 0x0000000000200000, base LID 2, "name"     opensm-sl2vl.dump; also "Channel Adapter 0x…", by port GUID
 *     #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
 *     1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
 *
 *     # SL2VL table: Lid 2                              smpquery sl2vl
 *     #                 SL: | 0| 1| 2| …
 *     ports: in  1, out  2: | 0| 1| 2| …
 *
 * An adapter's ports are both given as 0. Rows from and to port 0 of a switch are about management and are passed over.
 */
#include "base/error.h"
#include "base/text.h"
#include "net/files/ib_scan.h"
#include "net/network_internal.h"
#include "route/service_levels_internal.h"

#define SMPQUERY_HEAD "# SL2VL table:"
#define EXPECTED_HEAD                                                                                                  \
    "expected \"Switch 0x0123456789abcdef, base LID 2, ...\" (opensm-sl2vl.dump) or \"" SMPQUERY_HEAD                  \
    " Lid 2\" (smpquery sl2vl)"

struct reader {
    const struct cw_lft_names *names;
    struct cw_lines lines;
    struct cw_service_levels *levels;
    bool in_table;
    uint32_t at; /* whose table it is, or CW_NONE: not in the fabric */
};

static int fail_row(const struct reader *reader)
{
    return cw_fail_at(
        reader->lines.file, reader->lines.number,
        "malformed row, expected two ports and 16 lanes from 0 to 15, as in \"1 2 : 0 1 2 3 4 5 6 7 0 1 2 "
        "3 4 5 6 7\" or \"ports: in  1, out  2: | 0| 1| ...\"");
}

/* The lanes after the ports, each with a separator around it or not. */
static bool scan_lanes(struct cw_ib_scan *scan, uint64_t *row)
{
    *row = 0;
    for (uint32_t sl = 0; sl < CW_SERVICE_LEVELS; sl++) {
        uint32_t lane;
        cw_ib_blanks(scan);
        if (cw_ib_char(scan, '|')) cw_ib_blanks(scan);
        if (!cw_ib_decimal(scan, 15, &lane)) return false;
        if (!cw_ib_end(scan) && *scan->at != ' ' && *scan->at != '\t' && *scan->at != '|') return false;
        *row |= (uint64_t)lane << 4 * sl;
    }
    cw_ib_blanks(scan);
    if (cw_ib_char(scan, '|')) cw_ib_blanks(scan);
    return cw_ib_end(scan);
}

static bool scan_ports(struct cw_ib_scan *scan, uint32_t *in, uint32_t *out)
{
    const bool smpquery = cw_ib_word(scan, "ports: in");
    cw_ib_blanks(scan);
    if (!cw_ib_decimal(scan, 255, in)) return false;
    cw_ib_blanks(scan);
    if (smpquery && !cw_ib_word(scan, ", out")) return false;
    cw_ib_blanks(scan);
    if (!cw_ib_decimal(scan, 255, out)) return false;
    cw_ib_blanks(scan);
    return cw_ib_char(scan, ':');
}

static int read_row(struct reader *reader)
{
    struct cw_service_levels *levels = reader->levels;
    const struct cw_network *net = levels->net;
    struct cw_ib_scan scan = {reader->lines.line, reader->lines.line + reader->lines.length};
    uint32_t in, out;
    uint64_t lanes;
    if (!scan_ports(&scan, &in, &out) || !scan_lanes(&scan, &lanes)) return fail_row(reader);
    if (reader->at == CW_NONE || cw_network_degree(net, reader->at) == 0) return 0;
    size_t row = levels->first_row[reader->at];
    if (!cw_network_is_endpoint(net, reader->at)) {
        const uint32_t from = cw_network_channel_at(net, reader->at, in),
                       to = cw_network_channel_at(net, reader->at, out);
        if (in == 0 || out == 0 || from == CW_NONE || to == CW_NONE) return 0;
        row = cw_level_row(levels, net->twin[from], to);
    }
    if (levels->given[row])
        return cw_fail_at(reader->lines.file, reader->lines.number,
                          "a second row from port %u to port %u of this table, expected one", in, out);
    levels->given[row] = true;
    levels->row[row] = lanes;
    return 0;
}

/* The head of a table of OpenSM: "TYPE 0xGUID, base LID N, …". */
static int dump_head(struct reader *reader)
{
    struct cw_ib_scan scan = {reader->lines.line, reader->lines.line + reader->lines.length};
    uint64_t guid;
    const bool good =
        (cw_ib_word(&scan, "Switch ") || cw_ib_word(&scan, "Channel Adapter ") || cw_ib_word(&scan, "Router ")) &&
        cw_ib_hex(&scan, &guid) && cw_ib_char(&scan, ',');
    if (!good)
        return cw_fail_at(reader->lines.file, reader->lines.number,
                          "neither a table of lanes nor a row of it, " EXPECTED_HEAD);
    reader->in_table = true;
    reader->at = cw_lft_find_port(reader->names, guid);
    return 0;
}

static int smpquery_head(struct reader *reader, struct cw_ib_scan scan)
{
    uint32_t lid;
    cw_ib_blanks(&scan);
    if (!cw_ib_word(&scan, "Lid ") || !cw_ib_decimal(&scan, CW_LFT_LIDS - 1, &lid))
        return cw_fail_at(reader->lines.file, reader->lines.number,
                          "a table without a LID, expected \"" SMPQUERY_HEAD " Lid 2\" (smpquery sl2vl LID)");
    if (!reader->names->has_lids)
        return cw_fail_at(reader->lines.file, reader->lines.number,
                          "a table of LID %u, but the network has no LIDs, expected a fabric with LIDs (ibnetdiscover) "
                          "or opensm-sl2vl.dump",
                          lid);
    reader->in_table = true;
    reader->at = cw_lft_find_lid(reader->names, lid);
    return 0;
}

static int read_line(struct reader *reader)
{
    struct cw_ib_scan scan = {reader->lines.line, reader->lines.line + reader->lines.length};
    if (cw_ib_word(&scan, SMPQUERY_HEAD)) return smpquery_head(reader, scan);
    cw_ib_blanks(&scan);
    if (cw_ib_end(&scan) || *scan.at == '#') return 0;
    const bool row = (*scan.at >= '0' && *scan.at <= '9') || *scan.at == 'p';
    return row && reader->in_table ? read_row(reader) : dump_head(reader);
}

int cw_levels_read_maps(const struct cw_lft_names *names, const struct cw_levels_file *file,
                        struct cw_service_levels *levels)
{
    struct reader reader = {
        .names = names, .lines = cw_lines_of(file->name, file->data, file->length), .levels = levels, .at = CW_NONE};
    int rc = 0;
    while (rc == 0 && cw_lines_next(&reader.lines)) rc = read_line(&reader);
    if (rc == 0 && !reader.in_table) rc = cw_fail_at(file->name, 0, "there are no tables in it, " EXPECTED_HEAD);
    return rc;
}
