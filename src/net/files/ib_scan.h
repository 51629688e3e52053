/*
 * Reading a line piece by piece. Every function looks at what comes next and moves behind it only if it is what was
 * asked for; nothing is copied and nothing need end with a 0.
 */
#ifndef CW_NET_IB_SCAN_H
#define CW_NET_IB_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_ib_scan {
    const char *at, *end;
};

/* A piece of the file; text is NULL where there is none. */
struct cw_ib_span {
    const char *text;
    size_t length;
};

static inline bool cw_ib_end(const struct cw_ib_scan *scan)
{
    return scan->at == scan->end;
}

static inline bool cw_ib_char(struct cw_ib_scan *scan, char c)
{
    if (scan->at == scan->end || *scan->at != c) return false;
    scan->at++;
    return true;
}

static inline bool cw_ib_word(struct cw_ib_scan *scan, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) return false;
    scan->at += length;
    return true;
}

static inline void cw_ib_blanks(struct cw_ib_scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t')) scan->at++;
}

/* A decimal number up to MAX. */
static inline bool cw_ib_decimal(struct cw_ib_scan *scan, uint32_t max, uint32_t *out)
{
    const char *p = scan->at;
    uint64_t value = 0;
    for (; p < scan->end && *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (uint64_t)(*p - '0');
        if (value > max) return false;
    }
    if (p == scan->at) return false;
    scan->at = p;
    *out = (uint32_t)value;
    return true;
}

/* A hexadecimal number of at most 64 bits, "0x" allowed in front. */
static inline bool cw_ib_hex(struct cw_ib_scan *scan, uint64_t *out)
{
    const char *p = scan->at;
    if (scan->end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) p += 2;
    const char *first = p;
    uint64_t value = 0;
    for (; p < scan->end; p++) {
        unsigned digit;
        if (*p >= '0' && *p <= '9')
            digit = (unsigned)(*p - '0');
        else if ((*p | 32) >= 'a' && (*p | 32) <= 'f')
            digit = (unsigned)((*p | 32) - 'a') + 10;
        else
            break;
        if (value >> 60) return false;
        value = value << 4 | digit;
    }
    if (p == first) return false;
    scan->at = p;
    *out = value;
    return true;
}

/* Text between quotes: to the next quote, or to the LAST of the line, for descriptions, which may contain quotes. */
static inline bool cw_ib_quoted(struct cw_ib_scan *scan, bool to_last, struct cw_ib_span *out)
{
    if (scan->at == scan->end || *scan->at != '"') return false;
    const char *text = scan->at + 1;
    const size_t rest = (size_t)(scan->end - text);
    const char *quote = (const char *)(to_last ? memrchr(text, '"', rest) : memchr(text, '"', rest));
    if (!quote) return false;
    *out = (struct cw_ib_span){text, (size_t)(quote - text)};
    scan->at = quote + 1;
    return true;
}

CW_END_DECLS

#endif
