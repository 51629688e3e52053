#include "net/files/infiniband/ib_recognise.h"

#include <string.h>

#include "net/files/infiniband/ib_blocks.h"

#define LINES 100 /* that are looked at: a prompt or warnings may stand above the first record */

bool cw_ib_is_guid_id(struct cw_ib_span id)
{
    if (id.length != 18 || id.text[1] != '-' || !memchr("SHR", id.text[0], 3)) return false;
    for (size_t i = 2; i < id.length; i++)
        if (!strchr("0123456789abcdef", id.text[i]) || id.text[i] == '\0') return false;
    return true;
}

/* "SW  1719 10 0x…": a row of ibnetdiscover -p. */
static bool is_listing_row(struct cw_ib_scan scan)
{
    uint32_t number;
    if (!cw_ib_word(&scan, "CA ") && !cw_ib_word(&scan, "SW ") && !cw_ib_word(&scan, "RT ")) return false;
    cw_ib_blanks(&scan);
    if (!cw_ib_decimal(&scan, UINT16_MAX, &number)) return false;
    cw_ib_blanks(&scan);
    if (!cw_ib_decimal(&scan, UINT16_MAX, &number)) return false;
    cw_ib_blanks(&scan);
    return cw_ib_word(&scan, "0x");
}

bool cw_ib_is_known_key(const struct cw_lines *lines)
{
    static const char *const keys[] = {"vendid", "devid",    "sysimgguid", "switchguid", "caguid",
                                       "rtguid", "hcaguids", "width",      "speed",      NULL};
    for (const char *const *key = keys; *key; key++)
        if (lines->length > strlen(*key) && memcmp(lines->line, *key, strlen(*key)) == 0) return true;
    return false;
}

/* ibsim's: include "file" and module "prefix". */
static bool is_ibsim_word(struct cw_ib_scan scan)
{
    if (!cw_ib_word(&scan, "include") && !cw_ib_word(&scan, "module")) return false;
    return memchr(scan.at, '"', (size_t)(scan.end - scan.at)) != NULL;
}

/* The header's first quoted word. A word without a number behind it is another list's ("Switch : 0x…"). */
static enum cw_ib_format format_of_header(const struct cw_lines *lines)
{
    struct cw_ib_scan ports = {lines->line, lines->line + lines->length};
    while (!cw_ib_end(&ports) && *ports.at != ' ' && *ports.at != '\t') ports.at++;
    cw_ib_blanks(&ports);
    if (cw_ib_end(&ports) || *ports.at < '0' || *ports.at > '9') return CW_IB_NONE;
    const char *quote = memchr(lines->line, '"', lines->length);
    if (!quote) return CW_IB_NONE;
    struct cw_ib_scan scan = {quote, lines->line + lines->length};
    struct cw_ib_span id;
    return cw_ib_quoted(&scan, false, &id) && cw_ib_is_guid_id(id) ? CW_IB_TOPOLOGY : CW_IB_NET;
}

enum cw_ib_format cw_ib_recognise(const char *data, size_t length)
{
    static const char title[] = "# Topology file";
    struct cw_lines lines = cw_lines_of("", data, length);
    enum cw_ib_format format = CW_IB_NONE;
    while (cw_lines_next(&lines) && lines.number <= LINES) {
        switch (cw_ib_line_kind(&lines)) {
        case CW_IB_HEADER:
            return format_of_header(&lines);
        case CW_IB_ID: /* only the node that follows tells whose it is */
            if (cw_ib_is_known_key(&lines)) format = CW_IB_TOPOLOGY;
            break;
        case CW_IB_COMMENT:
            if (lines.length >= sizeof title - 1 && memcmp(lines.line, title, sizeof title - 1) == 0)
                return CW_IB_TOPOLOGY;
            break;
        case CW_IB_PORT:
            if (format != CW_IB_NONE) return format; /* behind a key: a file whose header is damaged */
            break;                                   /* else perhaps a prompt: "[root@node ~]# " */
        case CW_IB_OTHER:
            if (is_listing_row((struct cw_ib_scan){lines.line, lines.line + lines.length})) return CW_IB_LISTING;
            if (is_ibsim_word((struct cw_ib_scan){lines.line, lines.line + lines.length})) return CW_IB_NET;
            break;
        case CW_IB_BLANK:
            break;
        }
    }
    return format;
}
