/*
 * Readers of path records, for their service levels:
 *
 *     Channel Adapter 0x0000000100000001, base LID 1, "name", port 1      opensm-path-records.dump (plug-in dump_pr)
 *     # LID  : SL : MTU : RATE
 *     0x0004 : 2  : 4   : 3
 *     0x0005 : UNREACHABLE
 *
 *     PathRecord dump:                                                    saquery -p
 *             dgid....................fe80::1:0:101
 *             sgid....................fe80::1:0:1
 *             sl......................0x2
 *
 * In the first a destination is a LID: the base LID of a port with a head of its own in the file, else of one in the
 * fabric. In the second ports are told by the lower half of their GID, which is the port GUID. Paths from and to
 * switches are passed over.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "net/files/ib_scan.h"
#include "net/network_internal.h"
#include "route/service_levels_internal.h"

#define SAQUERY_HEAD "PathRecord dump:"
#define EXPECTED_HEAD                                                                                                  \
    "expected \"Channel Adapter 0x0123456789abcdef, base LID 1, ...\" (opensm-path-records.dump) or \"" SAQUERY_HEAD   \
    "\" (saquery -p)"

/* A record of saquery, as far as it was read. */
struct record {
    unsigned long line; /* where it begins; 0: none */
    bool has_src, has_dst, has_level;
    uint64_t src, dst;         /* port GUIDs */
    uint32_t src_lid, dst_lid; /* 0: not said */
    uint32_t level;
};

struct reader {
    const struct cw_lft_names *names;
    struct cw_lines lines;
    struct cw_service_levels *levels;
    uint32_t *owner; /* [CW_LFT_LIDS] the vertex with this base LID, or CW_NONE */
    bool in_table;
    uint32_t src; /* whose paths these are, or CW_NONE: not in the fabric */
    struct record record;
};

static int set_level(const struct reader *reader, uint32_t src, uint32_t dst, uint32_t level)
{
    const struct cw_network *net = reader->levels->net;
    char from[CW_NAME_SIZE], to[CW_NAME_SIZE];
    if (src >= net->n_endpoints || dst >= net->n_endpoints) return 0; /* CW_NONE or a switch */
    uint8_t *known = &reader->levels->level[(size_t)src * net->n_endpoints + dst];
    if (*known != CW_LEVEL_UNKNOWN && *known != level)
        return cw_fail_at(reader->lines.file, reader->lines.number,
                          "a second path record from %s to %s with another service level, expected one",
                          cw_network_name(net, src, from, sizeof from), cw_network_name(net, dst, to, sizeof to));
    *known = (uint8_t)level;
    return 0;
}

static struct cw_ib_scan scan_of(const struct cw_lines *lines)
{
    struct cw_ib_scan scan = {lines->line, lines->line + lines->length};
    cw_ib_blanks(&scan);
    return scan;
}

/* --- opensm-path-records.dump ------------------------------------------------------------------------------------- */

static bool scan_head(struct cw_ib_scan scan, uint64_t *guid, uint32_t *lid)
{
    if (!cw_ib_word(&scan, "Switch ") && !cw_ib_word(&scan, "Channel Adapter ") && !cw_ib_word(&scan, "Router "))
        return false;
    return cw_ib_hex(&scan, guid) && cw_ib_word(&scan, ", base LID ") && cw_ib_decimal(&scan, CW_LFT_LIDS - 1, lid) &&
           (cw_ib_end(&scan) || *scan.at == ',');
}

static int fail_head(const struct reader *reader)
{
    return cw_fail_at(reader->lines.file, reader->lines.number,
                      "neither a head of path records nor one of them, " EXPECTED_HEAD);
}

/* "0x0004 : 2  : 4   : 3   ", "0x0005 : UNREACHABLE" */
static int read_entry(struct reader *reader, struct cw_ib_scan scan)
{
    uint64_t lid;
    uint32_t level, ignored;
    bool good = cw_ib_hex(&scan, &lid) && lid > 0 && lid < CW_LFT_LIDS;
    cw_ib_blanks(&scan);
    good = good && cw_ib_char(&scan, ':');
    cw_ib_blanks(&scan);
    if (good && cw_ib_word(&scan, "UNREACHABLE")) {
        level = CW_LEVEL_NO_PATH;
    } else {
        good = good && cw_ib_decimal(&scan, CW_SERVICE_LEVELS - 1, &level);
        for (int i = 0; i < 2; i++) { /* MTU and rate, which say that the line is whole */
            cw_ib_blanks(&scan);
            good = good && cw_ib_char(&scan, ':');
            cw_ib_blanks(&scan);
            good = good && cw_ib_decimal(&scan, 255, &ignored);
        }
    }
    cw_ib_blanks(&scan);
    if (!good || !cw_ib_end(&scan))
        return cw_fail_at(
            reader->lines.file, reader->lines.number,
            "malformed path record, expected LID, service level, MTU and rate as in \"0x0004 : 2  : 4   : "
            "3\", or \"0x0004 : UNREACHABLE\"");
    const uint32_t dst = reader->owner[lid];
    return reader->src == dst ? 0 : set_level(reader, reader->src, dst, level);
}

static int dump_line(struct reader *reader, struct cw_ib_scan scan)
{
    uint64_t guid;
    uint32_t lid;
    if (reader->in_table && !cw_ib_end(&scan) && *scan.at == '0') return read_entry(reader, scan);
    if (!scan_head(scan, &guid, &lid)) return fail_head(reader);
    reader->in_table = true;
    reader->src = cw_lft_find_port(reader->names, guid);
    return 0;
}

/* Finds the owners of base LIDs, first by the fabric, then by the heads in the file. */
static void find_owners(struct reader *reader)
{
    const struct cw_network *net = reader->names->net;
    struct cw_lines lines = reader->lines;
    memset(reader->owner, 0xff, CW_LFT_LIDS * sizeof *reader->owner); /* CW_NONE */
    for (uint32_t v = 0; reader->names->has_lids && v < net->n_vertices; v++)
        if (net->identity[v].lid < CW_LFT_LIDS) reader->owner[net->identity[v].lid] = v;
    while (cw_lines_next(&lines)) {
        uint64_t guid;
        uint32_t lid;
        if (scan_head(scan_of(&lines), &guid, &lid)) reader->owner[lid] = cw_lft_find_port(reader->names, guid);
    }
}

/* --- saquery ------------------------------------------------------------------------------------------------------ */

/* True if LID is one of V, but not its first. */
static bool is_further_lid(const struct reader *reader, uint32_t v, uint32_t lid)
{
    if (v == CW_NONE || !reader->names->has_lids) return false;
    const struct cw_identity *known = &reader->names->net->identity[v];
    return lid > known->lid && lid - known->lid < 1u << known->lmc;
}

/* Those of further LIDs (LMC) are passed over: their levels may be others. */
static int end_record(struct reader *reader)
{
    const struct record *record = &reader->record;
    if (record->line == 0) return 0;
    if (!record->has_src || !record->has_dst || !record->has_level)
        return cw_fail_at(reader->lines.file, reader->lines.number,
                          "the record from line %lu has no %s, expected sgid, dgid and sl in each", record->line,
                          !record->has_src   ? "sgid"
                          : !record->has_dst ? "dgid"
                                             : "sl");
    const uint32_t src = cw_lft_find_port(reader->names, record->src);
    const uint32_t dst = cw_lft_find_port(reader->names, record->dst);
    if (is_further_lid(reader, src, record->src_lid) || is_further_lid(reader, dst, record->dst_lid)) return 0;
    return set_level(reader, src, dst, record->level);
}

/* "fe80::1:0:101": the lower 64 bits. */
static bool scan_gid(const struct cw_ib_scan *scan, uint64_t *guid)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char bytes[16];
    const size_t length = (size_t)(scan->end - scan->at);
    if (length >= sizeof text) return false;
    memcpy(text, scan->at, length);
    text[length] = '\0';
    if (inet_pton(AF_INET6, text, bytes) != 1) return false;
    *guid = 0;
    for (int i = 8; i < 16; i++) *guid = *guid << 8 | bytes[i];
    return true;
}

/* Moves SCAN behind "KEY......". */
static bool take_key(struct cw_ib_scan *scan, const char *key)
{
    struct cw_ib_scan at = *scan;
    if (!cw_ib_word(&at, key) || !cw_ib_char(&at, '.')) return false;
    while (cw_ib_char(&at, '.')) continue;
    *scan = at;
    return true;
}

static int saquery_line(struct reader *reader, struct cw_ib_scan scan)
{
    struct record *record = &reader->record;
    uint64_t level;
    bool good = true;
    if (cw_ib_word(&scan, SAQUERY_HEAD)) {
        const int rc = end_record(reader);
        *record = (struct record){.line = reader->lines.number};
        return rc;
    }
    while (scan.end > scan.at && (scan.end[-1] == ' ' || scan.end[-1] == '\t')) scan.end--;
    if (take_key(&scan, "sgid")) {
        good = record->has_src = scan_gid(&scan, &record->src);
    } else if (take_key(&scan, "dgid")) {
        good = record->has_dst = scan_gid(&scan, &record->dst);
    } else if (take_key(&scan, "slid")) {
        good = cw_ib_decimal(&scan, CW_LFT_LIDS - 1, &record->src_lid) && cw_ib_end(&scan);
    } else if (take_key(&scan, "dlid")) {
        good = cw_ib_decimal(&scan, CW_LFT_LIDS - 1, &record->dst_lid) && cw_ib_end(&scan);
    } else if (take_key(&scan, "sl")) {
        good = record->has_level = cw_ib_hex(&scan, &level) && cw_ib_end(&scan) && level < CW_SERVICE_LEVELS;
        record->level = good ? (uint32_t)level : 0;
    }
    return good ? 0
                : cw_fail_at(
                      reader->lines.file, reader->lines.number,
                      "malformed value, expected a GID as in \"sgid....fe80::1:0:1\", a LID as in \"slid....4\" or a "
                      "service level as in \"sl....0x2\"");
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static int read_lines(struct reader *reader)
{
    typedef int line_reader(struct reader * reader, struct cw_ib_scan scan);
    line_reader *read = NULL;
    int rc = 0;
    while (rc == 0 && cw_lines_next(&reader->lines)) {
        const struct cw_ib_scan scan = scan_of(&reader->lines);
        struct cw_ib_scan start = scan;
        if (cw_ib_end(&scan) || *scan.at == '#') continue;
        if (!read) read = cw_ib_word(&start, SAQUERY_HEAD) ? saquery_line : dump_line;
        rc = read(reader, scan);
    }
    if (rc == 0 && !read) return cw_fail_at(reader->lines.file, 0, "there are no path records in it, " EXPECTED_HEAD);
    return rc ? rc : end_record(reader);
}

int cw_levels_read_paths(const struct cw_lft_names *names, const struct cw_levels_file *file,
                         struct cw_service_levels *levels)
{
    struct reader reader = {.names = names,
                            .lines = cw_lines_of(file->name, file->data, file->length),
                            .levels = levels,
                            .owner = cw_new_array(CW_LFT_LIDS, sizeof(uint32_t), "LIDs"),
                            .src = CW_NONE};
    if (!reader.owner) return CW_ENOMEM;
    find_owners(&reader);
    const int rc = read_lines(&reader);
    free(reader.owner);
    return rc;
}
