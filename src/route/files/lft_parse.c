#include "net/network_internal.h"
#include "route/files/lft_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files/stray_lines.h"
#include "base/memory.h"

typedef int parse_line(struct cw_lft_parser *parser, const char *line, const char *end);

#define LONGEST 128 /* bytes of a line that is kept */

/* How an entry is laid out: "0x0005", what stands BETWEEN, three digits of the port, the rest. */
struct layout {
    char between[4];
    uint8_t port, rest; /* where these begin */
    bool by_lid;        /* the rest goes with the LID, and not with its own sixth byte, the last digit of hops */
};

#define HOPS 16 /* different ones */

struct rest {
    uint8_t length; /* with the line end; 0: none is kept */
    char bytes[LONGEST - 1];
};

struct cw_lft_parser {
    const char *file;
    const struct cw_lft_names *names;
    struct cw_lft_content content;
    parse_line *parse; /* NULL until the first line tells the format */
    unsigned long line;
    struct cw_stray_lines strays;
    const struct layout *layout; /* of the format */
    uint64_t *heads;    /* [65536] of a LID some line of which was good, its first 8 bytes before the port; or 0 */
    struct rest *rests; /* [n_rests] what has stood behind ports of good lines */
    size_t n_rests;

    /* the current table */
    uint64_t guid;
    unsigned long table_line;       /* where it began; 0: there is none */
    uint8_t *ports;                 /* its row */
    uint8_t *stranger;              /* the row of any switch that is not in the fabric */
    uint32_t range_end;             /* the last LID that its header announces */
    uint32_t last_lid, longest_lid; /* the greatest LID in it; in the table before it */
    uint32_t entries;
};

/* --- pieces of lines ---------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    return p;
}

static bool begins(const char *p, const char *end, const char *with)
{
    const size_t length = strlen(with);
    return (size_t)(end - p) >= length && memcmp(p, with, length) == 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Moves *P behind "0x" and 1 to 16 hexadecimal digits. */
static bool take_hex(const char **p, const char *end, uint64_t *value)
{
    if (!begins(*p, end, "0x")) return false;
    const char *at = *p + 2, *first = at;
    uint64_t sum = 0;
    for (int digit; at < end && (digit = hex_digit(*at)) >= 0; at++) sum = sum << 4 | (unsigned)digit;
    if (at == first || at - first > 16) return false;
    *p = at;
    *value = sum;
    return true;
}

/* Moves *P behind 1 to 9 decimal digits. */
static bool take_decimal(const char **p, const char *end, uint32_t *value)
{
    const char *at = *p, *first = at;
    uint32_t sum = 0;
    for (; at < end && at - first < 10 && *at >= '0' && *at <= '9'; at++) sum = 10 * sum + (uint32_t)(*at - '0');
    if (at == first || at - first > 9) return false;
    *p = at;
    *value = sum;
    return true;
}

/* Moves *P behind WORD and the blanks around it. */
static bool take_word(const char **p, const char *end, const char *word)
{
    const char *at = skip_blanks(*p, end);
    if (!begins(at, end, word)) return false;
    *p = skip_blanks(at + strlen(word), end);
    return true;
}

/* --- tables and entries, whatever the format ---------------------------------------------------------------------- */

static int begin_table(struct cw_lft_parser *parser, uint64_t guid, const char *name, uint32_t range_end)
{
    struct cw_lft_content *content = &parser->content;
    const uint32_t v = cw_lft_find_table(parser->names, guid, name, &content->by_number);
    if (v == CW_NONE) {
        if (content->n_unknown < CW_LFT_NAMED) content->unknown[content->n_unknown] = guid;
        content->n_unknown++;
        memset(parser->stranger, 0, CW_LFT_LIDS);
        parser->ports = parser->stranger;
    } else {
        const uint32_t i = v - parser->names->net->n_endpoints;
        if (content->ports[i])
            return cw_fail_at(parser->file, parser->line,
                              "a second table of switch 0x%016llx, expected one: the first is on line %lu",
                              (unsigned long long)guid, content->table_line[i]);
        content->ports[i] = cw_new_array(CW_LFT_LIDS, 1, "a forwarding table");
        if (!content->ports[i]) return CW_ENOMEM;
        content->table_line[i] = parser->line;
        content->guids[i] = guid;
        parser->ports = content->ports[i];
    }
    content->n_tables++;
    parser->guid = guid;
    parser->table_line = parser->line;
    parser->range_end = range_end;
    parser->longest_lid = parser->last_lid;
    parser->last_lid = 0;
    parser->entries = 0;
    return 0;
}

/* Slow and rare: what is wrong with an entry of LID and PORT. */
static int fail_entry(const struct cw_lft_parser *parser, uint64_t lid, uint32_t port)
{
    if (lid >= CW_LFT_LIDS)
        return cw_fail_at(parser->file, parser->line, "0x%llx is not a unicast LID, expected 0x1 to 0x%x",
                          (unsigned long long)lid, CW_LFT_LIDS - 1);
    if (port > CW_LFT_NO_PORT)
        return cw_fail_at(parser->file, parser->line, "there is no port %u, expected 0 to %u, or %u for none", port,
                          CW_LFT_MAX_PORT, CW_LFT_NO_PORT);
    if (lid > parser->range_end)
        return cw_fail_at(parser->file, parser->line,
                          "LID 0x%04llx is beyond the range of this table, expected at most 0x%04x",
                          (unsigned long long)lid, parser->range_end);
    return cw_fail_at(parser->file, parser->line, "LID 0x%04llx is in this table twice, expected it once",
                      (unsigned long long)lid);
}

static int set_guid(const struct cw_lft_parser *parser, uint32_t lid, uint64_t guid)
{
    struct cw_lft_lid *known = &parser->content.lids[lid];
    if (known->port_guid != 0)
        return cw_fail_at(parser->file, parser->line,
                          "LID 0x%04x has port GUID 0x%016llx here, expected 0x%016llx as before", lid,
                          (unsigned long long)guid, (unsigned long long)known->port_guid);
    known->port_guid = guid;
    return 0;
}

/* An entry of the current table. GUID: the port GUID given with it, or 0. */
static inline int add_entry(struct cw_lft_parser *parser, uint64_t lid64, uint32_t port, uint64_t guid, bool of_switch)
{
    parser->entries++;
    if (lid64 >= CW_LFT_LIDS || port > CW_LFT_NO_PORT || lid64 > parser->range_end || parser->ports[lid64] != 0)
        return fail_entry(parser, lid64, port);
    const uint32_t lid = (uint32_t)lid64;
    if (lid > parser->last_lid) parser->last_lid = lid;
    if (lid == 0) return 0; /* reserved: nobody's */
    struct cw_lft_lid *known = &parser->content.lids[lid];
    if (port != CW_LFT_NO_PORT) {
        parser->ports[lid] = (uint8_t)(port + 1);
        if (known->line == 0) known->line = parser->line;
    }
    if (of_switch) known->of_switch = true;
    return guid != 0 && guid != known->port_guid ? set_guid(parser, lid, guid) : 0;
}

/* --- opensm-lfts.dump, dump_fts, ibroute -------------------------------------------------------------------------- */

/* The name in what follows the GUID, "('leaf 0'):" or "(leaf-0):"; empty if there is none. */
static void take_name(const char *p, const char *end, char name[CW_NAME_SIZE])
{
    const char *from = memchr(p, '(', (size_t)(end - p)), *stop = end;
    while (stop > p && stop[-1] != ')') stop--;
    name[0] = 0;
    if (!from || stop <= from + 1) return;
    from++;
    stop--;
    if (stop - from >= 2 && *from == '\'' && stop[-1] == '\'') {
        from++;
        stop--;
    }
    if ((size_t)(stop - from) >= CW_NAME_SIZE) return;
    memcpy(name, from, (size_t)(stop - from));
    name[stop - from] = 0;
}

/* "Unicast lids [0x0-0x16] of switch Lid 11 guid 0x00000000005000a0 (leaf-0):" */
static int dump_header(struct cw_lft_parser *parser, const char *line, const char *end)
{
    const char *p = line;
    uint64_t from, to, guid;
    uint32_t decimal_from, decimal_to;
    char name[CW_NAME_SIZE];
    if (parser->table_line != 0)
        return cw_fail_at(parser->file, parser->line,
                          "a new table, expected \"N lids dumped\" at the end of the one from line %lu",
                          parser->table_line);
    bool good = take_word(&p, end, "Unicast lids") && take_word(&p, end, "[");
    if (good && take_hex(&p, end, &from)) {
        good = take_word(&p, end, "-") && take_hex(&p, end, &to);
    } else {
        good = good && take_decimal(&p, end, &decimal_from) && take_word(&p, end, "-") &&
               take_decimal(&p, end, &decimal_to);
        to = good ? decimal_to : 0;
    }
    good = good && take_word(&p, end, "]") && take_word(&p, end, "of switch");
    const char *word = good ? memmem(p, (size_t)(end - p), " guid ", 6) : NULL;
    if (!word || !take_word(&word, end, "guid") || !take_hex(&word, end, &guid))
        return cw_fail_at(parser->file, parser->line,
                          "malformed head of a table, expected \"Unicast lids [0-22] of switch Lid 2 guid "
                          "0x0123456789abcdef ('name'):\"");
    take_name(word, end, name);
    return begin_table(parser, guid, name, to < CW_LFT_LIDS ? (uint32_t)to : CW_LFT_LIDS - 1);
}

/* What follows the port: nothing, "# Switch portguid 0x…: 'name'", ": (path #2 out of 2: portguid 0x…)", … */
static bool dump_remark(const char *p, const char *end, uint64_t *guid, bool *of_switch)
{
    static const char key[] = "portguid ";
    const char *at = skip_blanks(p, end);
    *guid = 0;
    *of_switch = false;
    if (at == end) return true;
    if (at == p || (*at != '#' && *at != ':')) return false;
    at = skip_blanks(at + 1, end);
    if (at < end && *at == '(') at++;
    *of_switch = begins(at, end, "Switch");
    const char *found = memmem(at, (size_t)(end - at), key, sizeof key - 1);
    if (!found) return true;
    found += sizeof key - 1;
    return take_hex(&found, end, guid) && found < end && (*found == ':' || *found == ')' || *found == ' ');
}

/* "0x0005 012 # Channel Adapter portguid 0x0000000000700041: 'node-04'" */
static int dump_entry(struct cw_lft_parser *parser, const char *line, const char *end)
{
    const char *p = line;
    uint64_t lid, guid;
    uint32_t port;
    bool of_switch, good = take_hex(&p, end, &lid) && p < end && *p == ' ';
    if (good) {
        p = skip_blanks(p, end);
        good = take_decimal(&p, end, &port) && dump_remark(p, end, &guid, &of_switch);
    }
    if (!good)
        return cw_fail_at(parser->file, parser->line,
                          "malformed entry, expected LID and port as in \"0x0005 012\", then perhaps \"# Channel "
                          "Adapter portguid 0x0123456789abcdef: 'name'\"");
    return add_entry(parser, lid, port, guid, of_switch);
}

/* "22 valid lids dumped": ibroute counts the lines above it; OpenSM's "22 lids dumped" repeats the last LID of the
 * header, and ibroute -a says the same of all its lines. */
static int dump_trailer(struct cw_lft_parser *parser, const char *line, const char *end)
{
    const char *p = line;
    uint32_t said;
    bool good = take_decimal(&p, end, &said);
    const bool valid = good && take_word(&p, end, "valid");
    good = good && take_word(&p, end, "lids dumped") && p == end;
    if (!good)
        return cw_fail_at(parser->file, parser->line,
                          "unknown line in a table, expected an entry as \"0x0005 012\" or \"N lids dumped\"");
    if (said != parser->entries && (valid || said != parser->range_end))
        return cw_fail_at(parser->file, parser->line, "%u %slids were dumped, expected %u as in the table above", said,
                          valid ? "valid " : "", parser->entries);
    parser->table_line = 0;
    return 0;
}

static int dump_line(struct cw_lft_parser *parser, const char *line, const char *end)
{
    if (begins(line, end, "Unicast lids")) return dump_header(parser, line, end);
    if (parser->table_line == 0 && begins(line, end, "*** WARNING ***")) return 0; /* of dump_lfts: it has a new name */
    if (parser->table_line == 0) return cw_fail_at(parser->file, parser->line, "text between tables, " CW_LFT_EXPECTED);
    if (begins(line, end, "0x")) return dump_entry(parser, line, end);
    const char *p = line;
    if (parser->entries == 0 && (take_word(&p, end, "Lid") || take_word(&p, end, "Port"))) return 0; /* column titles */
    return dump_trailer(parser, line, end);
}

/* --- opensm.fdbs -------------------------------------------------------------------------------------------------- */

/* OpenSM writes the name of the function in front, which was not always the same: "osm_ucast_mgr_dump_ucast_routes:".
 */
static bool begins_fdbs(const char *line, const char *end)
{
    while (line < end && *line == '_') line++;
    if (begins(line, end, "osm_ucast_mgr_")) line += strlen("osm_ucast_mgr_");
    return begins(line, end, "dump_ucast_routes:");
}

static int fdbs_header(struct cw_lft_parser *parser, const char *line, const char *end)
{
    const char *p = memchr(line, 'd', (size_t)(end - line));
    uint64_t guid;
    if (!take_word(&p, end, "dump_ucast_routes:") || !take_word(&p, end, "Switch") || !take_hex(&p, end, &guid))
        return cw_fail_at(parser->file, parser->line,
                          "malformed head of a table, expected \"dump_ucast_routes: Switch 0x0123456789abcdef\"");
    return begin_table(parser, guid, NULL, CW_LFT_LIDS - 1);
}

/* The last column: hops and whether they are the fewest. It is read only to see that the line is whole. */
static bool fdbs_remark(const char *p, const char *end)
{
    uint32_t hops;
    if (take_word(&p, end, "HOPS UNKNOWN")) return p == end;
    if (!take_decimal(&p, end, &hops) || !take_word(&p, end, ":")) return false;
    return begins(p, end, "No ") || (take_word(&p, end, "yes") && p == end);
}

/* "0x0001 : 001  : 01   : yes", "0x0009 : UNREACHABLE", "0x0009 : 003  : HOPS UNKNOWN" */
static int fdbs_entry(struct cw_lft_parser *parser, const char *line, const char *end)
{
    const char *p = line;
    uint64_t lid;
    uint32_t port = CW_LFT_NO_PORT;
    bool good = take_hex(&p, end, &lid) && take_word(&p, end, ":");
    if (good && take_word(&p, end, "UNREACHABLE"))
        good = p == end;
    else
        good = good && take_decimal(&p, end, &port) && take_word(&p, end, ":") && fdbs_remark(p, end);
    if (!good)
        return cw_fail_at(parser->file, parser->line,
                          "malformed entry, expected LID, port, hops and remark as in \"0x0005 : 012  : 03   : yes\", "
                          "or \"0x0005 : UNREACHABLE\"");
    return add_entry(parser, lid, port, 0, false);
}

static int fdbs_line(struct cw_lft_parser *parser, const char *line, const char *end)
{
    if (begins_fdbs(line, end)) return fdbs_header(parser, line, end);
    const char *p = line;
    if (parser->entries == 0 && take_word(&p, end, "LID")) return 0; /* column titles */
    return fdbs_entry(parser, line, end);
}

/* --- entries that are like earlier ones --------------------------------------------------------------------------- */

/* Tables are alike but for their ports: an entry is compared with what has been read, and only its port is read. So
 * what such a line says is known, and where it ends. */

static const struct layout dump_layout = {" ", 7, 10, true}, fdbs_layout = {" : ", 9, 12, false};

static uint32_t head_lid(const char *line)
{
    uint32_t lid = 0;
    for (int i = 2; i < 6; i++) {
        const unsigned char c = (unsigned char)line[i];
        lid = lid << 4 | ((c & 15u) + 9u * (c >> 6 & 1u)); /* if it is a digit */
    }
    return lid & 0xffff;
}

static inline uint64_t head_of(const char *line, const struct layout *layout)
{
    char bytes[8] = {0};
    uint64_t head;
    memcpy(bytes, line, sizeof bytes);
    if (layout->port < sizeof bytes) bytes[layout->port] = 0;
    memcpy(&head, bytes, sizeof head);
    return head;
}

/* Which of the rests a line of LID can have. */
static inline uint32_t rest_of(const struct layout *layout, uint32_t lid, const char *line)
{
    return layout->by_lid ? lid : (uint8_t)line[layout->rest + 5] & (HOPS - 1u);
}

/* More than 999 if there are not three digits at P. */
static inline uint32_t three_digits(const char *p)
{
    const uint32_t a = (uint32_t)p[0] - '0', b = (uint32_t)p[1] - '0', c = (uint32_t)p[2] - '0';
    return a > 9 || b > 9 || c > 9 ? UINT32_MAX : 100 * a + 10 * b + c;
}

/* Keeps an entry that has been read, from LINE to NEXT, the line after it. */
static int keep_entry(struct cw_lft_parser *parser, const char *line, const char *next)
{
    const struct layout *layout = parser->layout;
    const size_t length = (size_t)(next - line);
    if (length <= layout->rest + 5u || length > LONGEST || !begins(line, next, "0x") ||
        !begins(line + 6, next, layout->between) || three_digits(line + layout->port) > 999 ||
        (line[layout->rest] >= '0' && line[layout->rest] <= '9'))
        return 0;
    const uint32_t lid = head_lid(line), at = rest_of(layout, lid, line);
    if (parser->content.lids[lid].line == 0) return 0; /* that is still to be found */
    void *rests = parser->rests;
    const int rc = cw_grow_array(&rests, &parser->n_rests, at + 1, sizeof *parser->rests, "lines");
    if (rc) return rc;
    parser->rests = rests;
    struct rest *rest = &parser->rests[at];
    parser->heads[lid] = head_of(line, layout);
    rest->length = (uint8_t)(length - layout->rest);
    memcpy(rest->bytes, line + layout->rest, rest->length);
    return 0;
}

/* memcmp of N bytes is 0. Those of opensm.fdbs are a few, which two words hold. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
    uint64_t words[4];
    if (n < 8 || n > 16) return memcmp(a, b, n) == 0;
    memcpy(&words[0], a, 8);
    memcpy(&words[1], b, 8);
    memcpy(&words[2], a + n - 8, 8);
    memcpy(&words[3], b + n - 8, 8);
    return words[0] == words[1] && words[2] == words[3];
}

/* Takes entries like those that are kept, up to the first other line, which it returns. */
static const char *take_like_entries(struct cw_lft_parser *parser, const char *line, const char *end)
{
    const struct layout *layout = parser->layout;
    uint8_t *const ports = parser->ports;
    uint32_t n = 0, last_lid = parser->last_lid, lid = last_lid;
    while (end - line >= LONGEST) {
        const uint32_t port = three_digits(line + layout->port);
        const uint64_t head = head_of(line, layout);
        lid = (lid + 1) & 0xffff; /* the head has the digits: if it is that of the next LID, they need not be read */
        if (head != parser->heads[lid]) lid = head_lid(line);
        if (head == 0 || head != parser->heads[lid] || line[layout->port - 1] != ' ' || port > CW_LFT_MAX_PORT ||
            lid > parser->range_end || ports[lid] != 0)
            break;
        const struct rest *rest = &parser->rests[rest_of(layout, lid, line)];
        if (rest->length == 0 || !same_bytes(line + layout->rest, rest->bytes, rest->length)) break;
        ports[lid] = (uint8_t)(port + 1);
        if (lid > last_lid) last_lid = lid;
        line += layout->rest + rest->length;
        n++;
    }
    parser->last_lid = last_lid;
    parser->entries += n;
    parser->line += n;
    return line;
}

/* --- whole files -------------------------------------------------------------------------------------------------- */

static int first_line(struct cw_lft_parser *parser, const char *line, const char *end)
{
    const char *p = line;
    if (begins_fdbs(line, end)) {
        parser->parse = fdbs_line;
        parser->layout = &fdbs_layout;
        parser->content.format = "opensm.fdbs";
    } else if (begins(line, end, "Unicast lids")) {
        parser->parse = dump_line;
        parser->layout = &dump_layout;
        take_word(&p, end, "Unicast lids");
        parser->content.format = begins(p, end, "[0x") ? "dump_fts" : "opensm-lfts.dump";
    } else {
        return cw_fail_at(parser->file, parser->line, "no table of forwarding entries, " CW_LFT_EXPECTED);
    }
    return parser->parse(parser, line, end);
}

static inline int any_line(struct cw_lft_parser *parser, const char *line, const char *end)
{
    while (end > line && end[-1] == '\r') end--;
    line = skip_blanks(line, end);
    if (line == end || *line == '#') return 0;
    if (*line != '0' && cw_is_stray(line, (size_t)(end - line))) {
        cw_stray_lines_add(&parser->strays, line, (size_t)(end - line), parser->line);
        return 0;
    }
    return parser->parse ? parser->parse(parser, line, end) : first_line(parser, line, end);
}

int cw_lft_parser_feed(struct cw_lft_parser *parser, const char *data, size_t length, bool last, size_t *used)
{
    if (length == 0) {
        *used = 0;
        return 0;
    }
    const char *at = data, *end = data + length;
    for (;;) {
        if (parser->table_line != 0) at = take_like_entries(parser, at, end);
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (at == end || (!newline && !last)) break;
        const char *stop = newline ? newline : end;
        const uint32_t entries = parser->entries;
        parser->line++;
        if (parser->line == 1 && begins(at, stop, "\xef\xbb\xbf")) at += 3;
        const int rc = any_line(parser, at, stop);
        if (rc) return rc;
        if (newline && parser->entries > entries && keep_entry(parser, at, newline + 1)) return CW_ENOMEM;
        at = newline ? newline + 1 : end;
    }
    *used = (size_t)(at - data);
    return 0;
}

bool cw_lft_parser_began(const struct cw_lft_parser *parser)
{
    return parser->parse != NULL;
}

int cw_lft_parser_finish(struct cw_lft_parser *parser, const struct cw_lft_content **out)
{
    if (!parser->parse) return cw_fail_at(parser->file, 0, "there are no tables in it, " CW_LFT_EXPECTED);
    if (parser->parse == dump_line && parser->table_line != 0)
        return cw_fail_at(parser->file, parser->line,
                          "the file is cut off, expected \"N lids dumped\" at the end of the table from line %lu",
                          parser->table_line);
    if (parser->parse == fdbs_line && parser->entries == 0)
        return cw_fail_at(parser->file, parser->line,
                          "the file is cut off, expected entries in the table from line %lu", parser->table_line);
    if (parser->parse == fdbs_line && parser->last_lid < parser->longest_lid)
        return cw_fail_at(parser->file, parser->line,
                          "the file is cut off, expected the table from line %lu to end with LID 0x%04x as the one "
                          "before it",
                          parser->table_line, parser->longest_lid);
    cw_stray_lines_remark(&parser->strays, parser->file, "tables");
    *out = &parser->content;
    return 0;
}

int cw_lft_parser_new(const char *file, const struct cw_lft_names *names, struct cw_lft_parser **out)
{
    const uint32_t n_switches = cw_network_switches(names->net);
    struct cw_lft_parser *parser = cw_new_array(1, sizeof *parser, "a parser");
    if (!parser) return CW_ENOMEM;
    parser->file = file;
    parser->names = names;
    struct cw_lft_content *content = &parser->content;
    content->lids = cw_new_array(CW_LFT_LIDS, sizeof *content->lids, "LIDs");
    content->ports = cw_new_array(n_switches, sizeof *content->ports, "forwarding tables");
    content->table_line = cw_new_array(n_switches, sizeof *content->table_line, "forwarding tables");
    content->guids = cw_new_array(n_switches, sizeof *content->guids, "forwarding tables");
    parser->stranger = cw_new_array(CW_LFT_LIDS, 1, "a forwarding table");
    parser->heads = cw_new_array(UINT16_MAX + 1u, sizeof *parser->heads, "LIDs");
    parser->n_rests = HOPS;
    parser->rests = cw_new_array(HOPS, sizeof *parser->rests, "lines");
    if (!content->lids || !content->ports || !content->table_line || !content->guids || !parser->stranger ||
        !parser->heads || !parser->rests) {
        cw_lft_parser_free(parser);
        return CW_ENOMEM;
    }
    *out = parser;
    return 0;
}

void cw_lft_parser_free(struct cw_lft_parser *parser)
{
    if (!parser) return;
    struct cw_lft_content *content = &parser->content;
    for (uint32_t i = 0; content->ports && i < cw_network_switches(parser->names->net); i++) free(content->ports[i]);
    free(content->ports);
    free(content->table_line);
    free(content->guids);
    free(content->lids);
    free(parser->stranger);
    free(parser->heads);
    free(parser->rests);
    free(parser);
}
