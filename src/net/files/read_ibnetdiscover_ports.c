/*
 * The ports listing of ibnetdiscover -p: one row a port.
 *
 *     SW  1719 10 0x7cfe9003009ce5b0 4x EDR - CA   134  1 0x7cfe9003003b4bde ( 'ib-i1l1s01' - 'o0001 HCA-1' )
 *     SW  1719 37 0x7cfe9003009ce5b0 4x ???                                    'ib-i1l1s01'
 *
 * Kind, LID, port, port GUID, rate; the same of the peer; both descriptions. A switch's port GUID is its own. Of an
 * adapter the listing does not tell the node GUID: identities have 0 there (net/files/ib_rows.h).
 */
#include <string.h>

#include "base/error.h"
#include "base/stray_lines.h"
#include "base/text.h"
#include "net/files/ib_blocks.h"
#include "net/files/ib_fabric.h"
#include "net/files/ib_readers.h"
#include "net/files/ib_rows.h"
#include "net/files/ib_speed.h"

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
    cw_ib_blanks(&s);
    if (!cw_ib_decimal(&s, UINT16_MAX, &end->lid)) return false;
    if (end->lid == UINT16_MAX) end->lid = 0; /* has none */
    if (end->lid > CW_IB_MAX_LID) return false;
    cw_ib_blanks(&s);
    if (!cw_ib_decimal(&s, CW_IB_MAX_PORTS, &end->number) || end->number == 0) return false;
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

static int read_line(struct cw_ib_fabric *fabric, const struct cw_lines *lines, struct cw_stray_lines *strays)
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

int cw_ib_listing_read(const char *file, const char *data, size_t length, const struct cw_node_names *names,
                       struct cw_network **net)
{
    struct cw_lines lines = cw_lines_of(file, data, length);
    struct cw_ib_fabric fabric = {
        .file = file, .names = names, .hosts_may_lack_blocks = true, .host_guids_unknown = true, .ids_are_guids = true};
    struct cw_stray_lines strays = {0};
    int rc = cw_ib_fabric_open(&fabric);
    while (!rc && cw_lines_next(&lines)) rc = read_line(&fabric, &lines, &strays);
    if (!rc) cw_stray_lines_remark(&strays, file, "map");
    if (!rc) rc = cw_ib_fabric_build(&fabric, net);
    cw_ib_fabric_free(&fabric);
    return rc;
}
