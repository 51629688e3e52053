#include "net/files/infiniband/ib_blocks.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "net/files/infiniband/ib_fabric.h"
#include "net/files/infiniband/ib_speed.h"
#include "net/network_internal.h"

bool cw_ib_is(struct cw_ib_span key, const char *word)
{
    return key.length == strlen(word) && memcmp(key.text, word, key.length) == 0;
}

int cw_ib_expected(const struct cw_lines *lines, const struct cw_ib_scan *scan, const char *expected)
{
    if (cw_ib_end(scan))
        return cw_fail_at(lines->file, lines->number, "expected %s, found the end of the line", expected);
    char found[33];
    const size_t rest = (size_t)(scan->end - scan->at);
    const size_t length = rest < sizeof found - 1 ? rest : sizeof found - 1;
    for (size_t i = 0; i < length; i++) found[i] = (unsigned char)scan->at[i] < ' ' ? ' ' : scan->at[i];
    found[length] = '\0';
    return cw_fail_at(lines->file, lines->number, "expected %s, found '%s'%s", expected, found,
                      length < rest ? "…" : "");
}

static struct cw_ib_scan scan_of(const struct cw_lines *lines)
{
    return (struct cw_ib_scan){lines->line, lines->line + lines->length};
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static const struct {
    const char *word;
    uint8_t kind;
} node_words[] = {{"Switch", CW_KIND_SWITCH}, {"Ca", CW_KIND_HOST}, {"Hca", CW_KIND_HOST}, {"Rt", CW_KIND_ROUTER}};
#define N_NODE_WORDS (sizeof node_words / sizeof *node_words)

/* The word that begins a header, and its kind. */
static bool read_node_word(struct cw_ib_scan *scan, uint8_t *kind)
{
    for (size_t i = 0; i < N_NODE_WORDS; i++) {
        struct cw_ib_scan s = *scan;
        if (!cw_ib_word(&s, node_words[i].word) || cw_ib_end(&s) || (*s.at != ' ' && *s.at != '\t')) continue;
        *scan = s;
        *kind = node_words[i].kind;
        return true;
    }
    return false;
}

enum cw_ib_line cw_ib_line_kind(const struct cw_lines *lines)
{
    struct cw_ib_scan scan = scan_of(lines);
    if (cw_ib_char(&scan, '[')) return CW_IB_PORT;
    if (cw_ib_char(&scan, '#')) return CW_IB_COMMENT;
    struct cw_ib_scan blanks = scan;
    cw_ib_blanks(&blanks);
    if (cw_ib_end(&blanks)) return CW_IB_BLANK;
    uint8_t kind;
    if (read_node_word(&scan, &kind)) return CW_IB_HEADER;
    while (!cw_ib_end(&scan) && is_letter(*scan.at)) scan.at++;
    const bool key = scan.at > lines->line && !cw_ib_end(&scan) && (*scan.at == '=' || *scan.at == '+');
    return key ? CW_IB_ID : CW_IB_OTHER;
}

/* " WORD number": true if read. */
static bool read_field(struct cw_ib_scan *scan, const char *word, uint32_t max, uint32_t *out)
{
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (!cw_ib_word(&s, word)) return false;
    cw_ib_blanks(&s);
    if (!cw_ib_decimal(&s, max, out)) return false;
    *scan = s;
    return true;
}

/* " lid NUMBER": an error if no port can have it. 65535 is what a port without one says. */
static int read_lid(const struct cw_lines *lines, struct cw_ib_scan *scan, bool ibsim, uint32_t *lid)
{
    uint32_t read;
    if (!read_field(scan, "lid", UINT16_MAX, &read)) return 0;
    if (read > CW_IB_MAX_LID && read < UINT16_MAX && !ibsim)
        return cw_fail_at(lines->file, lines->number, "LID %u, expected one of unicast: 1 to %u", read, CW_IB_MAX_LID);
    *lid = read <= CW_IB_MAX_LID ? read : 0;
    return 0;
}

/* A node's id in quotes. */
static int read_node_id(const struct cw_lines *lines, struct cw_ib_scan *scan, struct cw_ib_span *id)
{
    struct cw_ib_scan s = *scan;
    if (!cw_ib_quoted(&s, false, id) || id->length == 0)
        return cw_ib_expected(lines, scan, "a node id in quotes such as \"S-0008f10500200b50\"");
    *scan = s;
    return 0;
}

/* ibsim: a comment without quotes is the description, as far as " base port 0", " lid" and the like. */
static struct cw_ib_span unquoted_description(struct cw_ib_scan *scan)
{
    static const char *const ends[] = {" enhanced port ", " base port ", " lid ", " lmc "};
    const char *end = scan->end;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *found = memmem(scan->at, (size_t)(end - scan->at), ends[i], strlen(ends[i]));
        if (found) end = found;
    }
    const struct cw_ib_span span = {scan->at, (size_t)(end - scan->at)};
    scan->at = end;
    return span;
}

static int read_header_comment(const struct cw_lines *lines, struct cw_ib_scan *scan, bool ibsim,
                               struct cw_ib_header *out)
{
    cw_ib_blanks(scan);
    if (!cw_ib_quoted(scan, true, &out->description)) {
        if (!ibsim) return cw_ib_expected(lines, scan, "the node's description in quotes");
        out->description = unquoted_description(scan);
    }
    cw_ib_blanks(scan);
    if (cw_ib_word(scan, "base port 0") || cw_ib_word(scan, "enhanced port 0") || cw_ib_word(scan, "port 0"))
        cw_ib_blanks(scan);
    const int rc = read_lid(lines, scan, ibsim, &out->lid);
    if (rc) return rc;
    read_field(scan, "lmc", 7, &out->lmc);
    cw_ib_blanks(scan);
    cw_ib_word(scan, "(scp)");
    cw_ib_blanks(scan);
    if (cw_ib_end(scan) || ibsim) return 0;
    return cw_ib_expected(lines, scan, "\"base port 0 lid 9 lmc 0\" or the end of the line");
}

int cw_ib_header_read(const struct cw_lines *lines, bool ibsim, struct cw_ib_header *out)
{
    struct cw_ib_scan scan = scan_of(lines);
    *out = (struct cw_ib_header){0};
    read_node_word(&scan, &out->kind);
    cw_ib_blanks(&scan);
    const struct cw_ib_scan before = scan;
    if (!cw_ib_decimal(&scan, CW_IB_MAX_PORTS, &out->ports) || out->ports == 0)
        return cw_ib_expected(lines, &before, "the number of ports, 1 to 255");
    cw_ib_blanks(&scan);
    const int rc = read_node_id(lines, &scan, &out->id);
    if (rc) return rc;
    cw_ib_blanks(&scan);
    if (cw_ib_char(&scan, '#')) return read_header_comment(lines, &scan, ibsim, out);
    return cw_ib_end(&scan) ? 0 : cw_ib_expected(lines, &scan, "'#' and the node's description");
}

/* "[12]", and "[ext 3]" behind it, which says where a chassis has the port. */
static int read_number(const struct cw_lines *lines, struct cw_ib_scan *scan, uint32_t *number)
{
    struct cw_ib_scan s = *scan;
    if (!cw_ib_char(&s, '[') || !cw_ib_decimal(&s, CW_IB_MAX_PORTS, number) || *number == 0 || !cw_ib_char(&s, ']'))
        return cw_ib_expected(lines, scan, "a port number from 1 to 255 in brackets such as [12]");
    struct cw_ib_scan external = s;
    uint32_t ignored;
    if (cw_ib_word(&external, "[ext ") && cw_ib_decimal(&external, UINT16_MAX, &ignored) && cw_ib_char(&external, ']'))
        s = external;
    *scan = s;
    return 0;
}

/* "(2c90300080d29)", if there is one. */
static int read_guid(const struct cw_lines *lines, struct cw_ib_scan *scan, uint64_t *guid)
{
    struct cw_ib_scan s = *scan;
    cw_ib_blanks(&s);
    if (!cw_ib_char(&s, '(')) return 0;
    if (!cw_ib_hex(&s, guid) || !cw_ib_char(&s, ')'))
        return cw_ib_expected(lines, scan, "a port GUID in parentheses such as (2c90300080d29)");
    *scan = s;
    return 0;
}

/* The peer's part: its id, its port, its port GUID. */
static int read_peer(const struct cw_lines *lines, struct cw_ib_scan *scan, bool ibsim, struct cw_ib_port_line *out)
{
    int rc = read_node_id(lines, scan, &out->peer);
    if (rc) return rc;
    struct cw_ib_scan next = *scan;
    cw_ib_blanks(&next);
    if (ibsim && (cw_ib_end(&next) || *next.at != '['))
        out->peer_number = 1;
    else
        rc = read_number(lines, scan, &out->peer_number);
    return rc ? rc : read_guid(lines, scan, &out->peer_guid);
}

/* ibsim's options: "w=2 s=4 e=3". */
static int read_options(const struct cw_lines *lines, struct cw_ib_scan *scan, struct cw_ib_offer *out)
{
    for (;;) {
        cw_ib_blanks(scan);
        if (cw_ib_end(scan) || *scan->at == '#') return 0;
        struct cw_ib_scan s = *scan;
        const bool read = (cw_ib_word(&s, "w=") && cw_ib_decimal(&s, CW_IB_MAX_WIDTH, &out->width) && out->width > 0) ||
                          (cw_ib_word(&s, "s=") && cw_ib_decimal(&s, CW_IB_MAX_SPEED, &out->speed) && out->speed > 0) ||
                          (cw_ib_word(&s, "e=") && cw_ib_decimal(&s, CW_IB_MAX_EXTENDED, &out->extended));
        if (!read)
            return cw_ib_expected(lines, scan, "w=1 to w=31, s=1 to s=7, e=0 to e=15, '#' or the end of the line");
        *scan = s;
    }
}

/* "40Gbit/s" or "100ns": our own way of writing what InfiniBand's rates cannot say. */
static bool read_quantity(struct cw_ib_scan *scan, int (*parse)(const char *what, const char *text, double *out),
                          double *out)
{
    char word[40];
    struct cw_ib_scan s = *scan;
    while (!cw_ib_end(&s) && *s.at != ' ' && *s.at != '\t') s.at++;
    const size_t length = (size_t)(s.at - scan->at);
    if (length == 0 || length >= sizeof word || *scan->at < '0' || *scan->at > '9') return false;
    memcpy(word, scan->at, length);
    word[length] = '\0';
    double value;
    if (parse("rate", word, &value)) return false;
    *out = value;
    *scan = s;
    return true;
}

static void read_rate(struct cw_ib_scan *scan, bool ibsim, struct cw_ib_port_line *out)
{
    cw_ib_blanks(scan);
    const size_t used = cw_ib_rate_read(scan->at, (size_t)(scan->end - scan->at), &out->capacity);
    scan->at += used;
    out->has_rate = used > 0;
    if (!ibsim) return;
    if (used == 0) read_quantity(scan, cw_parse_rate, &out->capacity);
    cw_ib_blanks(scan);
    read_quantity(scan, cw_parse_time, &out->latency);
}

/* What ibnetdiscover may add behind the rate: " s=1 w=2 v=4" (-f), " slot 3" and " (scp)" (chassis of one vendor). */
static void read_extras(struct cw_ib_scan *scan)
{
    uint32_t ignored;
    read_field(scan, "s=", UINT16_MAX, &ignored);
    read_field(scan, "w=", UINT16_MAX, &ignored);
    read_field(scan, "v=", UINT16_MAX, &ignored);
    read_field(scan, "slot", UINT16_MAX, &ignored);
    cw_ib_blanks(scan);
    cw_ib_word(scan, "(scp)");
    cw_ib_blanks(scan);
}

/* lid 4 lmc 0 "peer's description" lid 7 4xQDR: each part may be missing. */
static int read_port_comment(const struct cw_lines *lines, struct cw_ib_scan *scan, bool ibsim,
                             struct cw_ib_port_line *out)
{
    struct cw_ib_port_line said = *out;
    int rc = read_lid(lines, scan, ibsim, &said.lid);
    read_field(scan, "lmc", 7, &said.lmc);
    cw_ib_blanks(scan);
    cw_ib_quoted(scan, true, &said.description);
    if (!rc) rc = read_lid(lines, scan, ibsim, &said.peer_lid);
    if (rc) return rc;
    read_rate(scan, ibsim, &said);
    read_extras(scan);
    if (cw_ib_end(scan)) {
        *out = said;
        return 0;
    }
    if (ibsim) return 0; /* free text */
    return cw_ib_expected(lines, scan, "a description in quotes, a lid and a rate such as \"node7\" lid 4 4xQDR");
}

int cw_ib_port_line_read(const struct cw_lines *lines, bool ibsim, struct cw_ib_port_line *out)
{
    struct cw_ib_scan scan = scan_of(lines);
    *out = (struct cw_ib_port_line){.latency = -1};
    int rc = read_number(lines, &scan, &out->number);
    if (!rc) rc = read_guid(lines, &scan, &out->guid);
    cw_ib_blanks(&scan);
    if (!rc) rc = read_peer(lines, &scan, ibsim, out);
    if (!rc && ibsim) rc = read_options(lines, &scan, &out->offer);
    if (rc) return rc;
    cw_ib_blanks(&scan);
    if (cw_ib_char(&scan, '#')) return read_port_comment(lines, &scan, ibsim, out);
    return cw_ib_end(&scan) ? 0 : cw_ib_expected(lines, &scan, "'#' and the peer's description");
}

/* As C writes numbers: 0x1f or 31. */
static bool read_value(struct cw_ib_scan *scan, uint64_t *value)
{
    struct cw_ib_scan s = *scan;
    if (cw_ib_word(&s, "0x")) return cw_ib_hex(scan, value);
    uint32_t decimal;
    if (!cw_ib_decimal(scan, UINT32_MAX, &decimal)) return false;
    *value = decimal;
    return true;
}

int cw_ib_id_line_read(const struct cw_lines *lines, struct cw_ib_id_line *out)
{
    struct cw_ib_scan scan = scan_of(lines);
    *out = (struct cw_ib_id_line){.key = {.text = scan.at}};
    while (is_letter(*scan.at)) scan.at++;
    out->key.length = (size_t)(scan.at - out->key.text);
    out->relative = *scan.at == '+';
    scan.at++;
    const struct cw_ib_scan number = scan;
    if (!read_value(&scan, &out->value))
        return cw_ib_expected(lines, &number, "a number of at most 64 bits such as 0x2c9");
    const struct cw_ib_scan behind = scan;
    const int rc = read_guid(lines, &scan, &out->port_guid);
    out->has_port_guid = scan.at != behind.at;
    if (rc) return rc;
    cw_ib_blanks(&scan);
    if (cw_ib_end(&scan) || *scan.at == '#') return 0;
    return cw_ib_expected(lines, &scan, "the end of the line");
}
