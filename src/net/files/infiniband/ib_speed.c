#include "net/files/infiniband/ib_speed.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "net/files/ib_scan.h"

static const struct speed {
    const char *name;
    double signalling, data; /* Gbit/s of one lane */
} speeds[] = {
    {"SDR", 2.5, 2.5 * 8 / 10},
    {"DDR", 5, 5.0 * 8 / 10},
    {"QDR", 10, 10.0 * 8 / 10},
    {"FDR10", 10.3125, 10.3125 * 64 / 66}, /* before FDR, whose name it begins with */
    {"FDR", 14.0625, 14.0625 * 64 / 66},
    {"EDR", 25.78125, 25.78125 * 64 / 66},
    {"HDR", 53.125, 50},
    {"NDR", 106.25, 100},
    {"XDR", 212.5, 200},
};
#define N_SPEEDS (sizeof speeds / sizeof *speeds)

static const uint32_t widths[] = {4, 1, 2, 8, 12};
#define N_WIDTHS (sizeof widths / sizeof *widths)

static double rate(uint32_t width, const struct speed *speed)
{
    return width * (speed->data * 1e9 / 8);
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "4x", or "??" for an unknown width (*WIDTH = 0). */
static bool read_width(struct cw_ib_scan *scan, uint32_t *width)
{
    struct cw_ib_scan s = *scan;
    *width = 0;
    if (cw_ib_word(&s, "??")) {
        *scan = s;
        return true;
    }
    if (!cw_ib_decimal(&s, 12, width) || !(cw_ib_char(&s, 'x') || cw_ib_char(&s, 'X'))) return false;
    for (size_t i = 0; i < N_WIDTHS; i++) {
        if (widths[i] != *width) continue;
        *scan = s;
        return true;
    }
    return false;
}

/* "2.5 Gbps" or "25.78125 Gbps": compared by value, so that "5.0" and "5" are the same. */
static const struct speed *read_signalling(struct cw_ib_scan *scan)
{
    struct cw_ib_scan s = *scan;
    double value = 0, unit = 1;
    bool point = false;
    const char *first = s.at;
    for (; s.at < s.end && (is_digit(*s.at) || (*s.at == '.' && !point)) && s.at - first < 12; s.at++) {
        if (*s.at == '.') {
            point = true;
        } else {
            value = value * 10 + (*s.at - '0');
            if (point) unit *= 10;
        }
    }
    if (s.at == first) return NULL;
    cw_ib_blanks(&s);
    if (!cw_ib_word(&s, "Gbps")) return NULL;
    for (size_t i = 0; i < N_SPEEDS; i++) {
        if (speeds[i].signalling != value / unit) continue;
        *scan = s;
        return &speeds[i];
    }
    return NULL;
}

static const struct speed *read_speed(struct cw_ib_scan *scan)
{
    for (size_t i = 0; i < N_SPEEDS; i++)
        if (cw_ib_word(scan, speeds[i].name)) return &speeds[i];
    return read_signalling(scan);
}

size_t cw_ib_rate_read(const char *text, size_t length, double *capacity)
{
    struct cw_ib_scan scan = {text, text + length};
    uint32_t width;
    const bool lanes = read_width(&scan, &width);
    if (lanes) cw_ib_blanks(&scan);
    double value = 0;
    if (!lanes || !cw_ib_word(&scan, "???")) {
        const struct speed *speed = read_speed(&scan);
        if (!speed) return 0;
        value = rate(lanes ? width : 1, speed);
    }
    if (scan.at < scan.end && (is_letter(*scan.at) || is_digit(*scan.at))) return 0;
    *capacity = value;
    return (size_t)(scan.at - text);
}

bool cw_ib_rate_name(double capacity, char *name, size_t size)
{
    for (size_t w = 0; w < N_WIDTHS; w++) {
        for (size_t i = 0; i < N_SPEEDS; i++) {
            if (rate(widths[w], &speeds[i]) != capacity) continue;
            snprintf(name, size, "%ux%s", (unsigned)widths[w], speeds[i].name);
            return true;
        }
    }
    return false;
}

size_t cw_ib_rate_names(double capacity, char *names, size_t size)
{
    size_t n = 0, length = 0;
    for (size_t w = 0; w < N_WIDTHS && (widths[w] <= 4 || n == 0); w++) {
        for (size_t i = 0; i < N_SPEEDS; i++) {
            if (rate(widths[w], &speeds[i]) != capacity || length >= size) continue;
            const int more = snprintf(names + length, size - length, "%s%ux%s", n > 0 ? ", " : "", (unsigned)widths[w],
                                      speeds[i].name);
            length += (size_t)more;
            n++;
        }
    }
    return n;
}
