#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define EXPECT_REAL  "a number such as 0.5, 50% or 1e-3"
#define EXPECT_BYTES "a size such as 8, 64kB, 1M or 10MiB"
#define EXPECT_RATE  "a rate such as 40Gbit/s or 2GB/s"
#define EXPECT_TIME  "a time such as 10ms, 1.5us, 2s or 5min"
#define EXPECT_GAP   "a time for each byte such as 0.2ns, or a rate such as 40Gbit/s"

static int fail_text(const char *what, const char *text, const char *expected)
{
    return cw_fail(CW_EUSAGE, "%s: '%s' is not %s", what, text, expected);
}

int cw_parse_int(const char *what, const char *text, int64_t *out)
{
    static const char expected[] = "a whole number such as 12";
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits)) return fail_text(what, text, expected);
    char *end;
    errno = 0;
    const intmax_t value = strtoimax(text, &end, 10);
    if (*end) return fail_text(what, text, expected);
    if (errno || value < INT64_MIN || value > INT64_MAX)
        return cw_fail(CW_EUSAGE, "%s: %s does not fit in 64 bits", what, text);
    *out = value;
    return 0;
}

/* A number in decimal notation, as its parts: DIGITS (sign, digits, point) of LENGTH bytes, then an exponent. */
struct decimal {
    const char *digits;
    int length;
    long exponent;
    int places;       /* digits behind the point */
    const char *rest; /* what follows in the text */
};

#define MAX_DIGITS 400 /* more than any double needs to be written exactly in the ranges people use */

static bool scan_decimal(const char *text, struct decimal *out)
{
    const char *p = text + (*text == '-' || *text == '+');
    const size_t whole = strspn(p, "0123456789");
    p += whole;
    size_t places = 0;
    if (*p == '.') {
        places = strspn(p + 1, "0123456789");
        p += 1 + places;
    }
    if (whole + places == 0 || p - text > MAX_DIGITS) return false;
    *out = (struct decimal){.digits = text, .length = (int)(p - text), .places = (int)places, .rest = p};
    if (*p != 'e' && *p != 'E') return true;
    const char *power = p + 1 + (p[1] == '-' || p[1] == '+');
    if (!isdigit((unsigned char)*power)) return true; /* the E of a unit */
    char *end;
    out->exponent = strtol(p + 1, &end, 10);
    if (out->exponent > 9999) out->exponent = 9999;
    if (out->exponent < -9999) out->exponent = -9999;
    out->rest = end;
    return true;
}

/* The double nearest to DECIMAL · 10^POWER: the unit's power is read together with the digits, so that 12.8ns is
 * exactly 12.8e-9. False if it overflows, or underflows. */
static bool decimal_value(const struct decimal *decimal, int power, double *out)
{
    char text[MAX_DIGITS + 16];
    snprintf(text, sizeof text, "%.*se%ld", decimal->length, decimal->digits, decimal->exponent + power);
    errno = 0;
    const double value = strtod(text, NULL);
    if (errno == ERANGE || !isfinite(value)) return false;
    *out = value;
    return true;
}

/* A number, perhaps in percent, and nothing else. */
static bool scan_real(const char *text, struct decimal *out)
{
    if (!scan_decimal(text, out)) return false;
    if (*out->rest == '%') {
        out->exponent -= 2;
        out->rest++;
    }
    return !*out->rest;
}

int cw_parse_real(const char *what, const char *text, double *out)
{
    struct decimal decimal;
    double value;
    if (!scan_real(text, &decimal)) return fail_text(what, text, EXPECT_REAL);
    if (!decimal_value(&decimal, 0, &value)) return cw_fail(CW_EUSAGE, "%s: %s does not fit in a double", what, text);
    *out = value;
    return 0;
}

/* A unit, or the prefix of one: ·10^decimal ·2^binary, or of a unit without prefixes · `alone`. Tables end with a NULL
 * name. */
struct unit {
    const char *name;
    int decimal, binary;
    unsigned alone; /* 0: it takes prefixes */
};

static const struct unit prefixes[] = {{"", 0, 0},    {"k", 3, 0},   {"K", 3, 0},   {"M", 6, 0},   {"G", 9, 0},
                                       {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
                                       {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60}, {NULL, 0, 0}};
static const struct unit byte_units[] = {{"B", 0, 0}, {NULL, 0, 0}};
static const struct unit size_letters[] = {{"k", 0, 10}, {"K", 0, 10}, {"M", 0, 20}, {"G", 0, 30},
                                           {"T", 0, 40}, {"P", 0, 50}, {NULL, 0, 0}}; /* as MPI's benchmarks have it */
static const struct unit no_units[] = {{"", 0, 0}, {NULL, 0, 0}};
static const struct unit rate_units[] = {{"bit/s", 0, -3}, {"b/s", 0, -3}, {"bps", 0, -3}, {"B/s", 0, 0}, {NULL, 0, 0}};
static const struct unit time_prefixes[] = {{"", 0, 0},        {"m", -3, 0}, {"u", -6, 0},  {"\u00b5", -6, 0},
                                            {"\u03bc", -6, 0}, {"n", -9, 0}, {"p", -12, 0}, {NULL, 0, 0}};
static const struct unit time_units[] = {{"s", 0, 0}, {"min", .alone = 60}, {"h", .alone = 3600}, {NULL, 0, 0}};

/* Reads TEXT as prefix and unit; the empty text is the base unit. */
static bool find_unit(const char *text, const struct unit *prefix, const struct unit *units, struct unit *out)
{
    *out = (struct unit){.name = ""};
    if (!*text) return true;
    for (; prefix->name; prefix++) {
        const size_t length = strlen(prefix->name);
        if (strncmp(text, prefix->name, length) != 0) continue;
        for (const struct unit *unit = units; unit->name; unit++) {
            if (strcmp(text + length, unit->name) != 0 || (unit->alone && length > 0)) continue;
            *out = (struct unit){text, prefix->decimal + unit->decimal, prefix->binary + unit->binary, unit->alone};
            return true;
        }
    }
    return false;
}

/* A number, perhaps blanks, and a unit; not negative. EXPECTED says what was, for the message. */
static int parse_quantity(const char *what, const char *text, const struct unit *prefix, const struct unit *units,
                          const char *expected, double *out)
{
    struct decimal decimal;
    struct unit unit;
    if (!scan_decimal(text, &decimal)) return fail_text(what, text, expected);
    const char *name = decimal.rest + strspn(decimal.rest, " ");
    const bool letter = units == byte_units && find_unit(name, size_letters, no_units, &unit);
    if ((name > decimal.rest && !*name) || !(letter || find_unit(name, prefix, units, &unit)))
        return fail_text(what, text, expected);
    double value;
    const bool fits = decimal_value(&decimal, unit.decimal, &value);
    if (fits) value = ldexp(value, unit.binary) * (unit.alone ? unit.alone : 1);
    if (!fits || !isfinite(value))
        return cw_fail(CW_EUSAGE, "%s: %s does not fit in a double", what, text);
    if (value < 0) return cw_fail(CW_EUSAGE, "%s: %s is negative; expected %s", what, text, expected);
    *out = value;
    return 0;
}

int cw_parse_bytes(const char *what, const char *text, uint64_t *out)
{
    static const double limit = 18446744073709551616.0; /* 2^64 */
    double value;
    const int rc = parse_quantity(what, text, prefixes, byte_units, EXPECT_BYTES, &value);
    if (rc) return rc;
    if (value != floor(value)) return cw_fail(CW_EUSAGE, "%s: %s is not a whole number of bytes", what, text);
    errno = 0;
    char *end;
    const uintmax_t exact = strtoumax(text, &end, 10); /* a plain number need not fit the 53 bits of a double */
    const bool plain = *end == '\0';
    if (plain ? errno != 0 || exact > UINT64_MAX : value >= limit)
        return cw_fail(CW_EUSAGE, "%s: %s is more than 64 bits can count", what, text);
    *out = plain ? (uint64_t)exact : (uint64_t)value;
    return 0;
}

int cw_parse_rate(const char *what, const char *text, double *out)
{
    return parse_quantity(what, text, prefixes, rate_units, EXPECT_RATE, out);
}

int cw_parse_time(const char *what, const char *text, double *out)
{
    return parse_quantity(what, text, time_prefixes, time_units, EXPECT_TIME, out);
}

int cw_parse_byte_time(const char *what, const char *text, double *out)
{
    struct decimal decimal;
    double value = 0;
    if (!scan_decimal(text, &decimal)) return fail_text(what, text, EXPECT_GAP);
    if (!*decimal.rest) {
        if (decimal_value(&decimal, 0, &value) && value == 0) {
            *out = 0;
            return 0;
        }
        return cw_fail(CW_EUSAGE, "%s: %s without a unit would be seconds for each byte; expected %s", what, text,
                       EXPECT_GAP);
    }
    const bool rate = strchr(decimal.rest, '/') || strstr(decimal.rest, "bps");
    const int rc = rate ? parse_quantity(what, text, prefixes, rate_units, EXPECT_GAP, &value)
                        : parse_quantity(what, text, time_prefixes, time_units, EXPECT_GAP, &value);
    if (rc) return rc;
    if (rate && value == 0) return cw_fail(CW_EUSAGE, "%s: %s takes forever; expected %s", what, text, EXPECT_GAP);
    *out = rate ? 1 / value : value;
    return 0;
}

#define MAX_VALUES 1000000

/* FIRST, FIRST + STEP … LAST: a range of whole numbers, or of reals in units of their last decimal place. */
struct range {
    int64_t first, last, step;
};

/* Splits "first..last:step" in place. The number of parts: 1 (no range), 2 or 3. */
static int split_range(char *item, const char *parts[3])
{
    parts[0] = item;
    char *dots = strstr(item, "..");
    if (!dots) return 1;
    *dots = '\0';
    parts[1] = dots + 2;
    char *colon = strchr(dots + 2, ':');
    if (!colon) return 2;
    *colon = '\0';
    parts[2] = colon + 1;
    return 3;
}

/* The number of values in RANGE, written as PARTS. */
static int count_range(const char *what, const struct range *range, const char *const parts[3], size_t *out)
{
    if (range->first > range->last)
        return cw_fail(CW_EUSAGE, "%s: the range %s..%s goes down; expected the lower end first", what, parts[0],
                       parts[1]);
    if (range->step <= 0) return cw_fail(CW_EUSAGE, "%s: the step %s is not above 0", what, parts[2]);
    const uint64_t span = (uint64_t)range->last - (uint64_t)range->first, step = (uint64_t)range->step;
    if (span / step >= MAX_VALUES)
        return cw_fail(CW_EUSAGE, "%s: the range %s..%s has more than %d values", what, parts[0], parts[1], MAX_VALUES);
    *out = (size_t)(span / step) + 1;
    return 0;
}

/* Makes room for COUNT more values of 8 bytes in *VALUES, which has N of them. */
static int grow_list(const char *what, void **values, size_t *capacity, size_t n, size_t count)
{
    if (n + count > MAX_VALUES) return cw_fail(CW_EUSAGE, "%s: the list has more than %d values", what, MAX_VALUES);
    return cw_grow_array(values, capacity, n + count, 8, "a list of numbers");
}

/* Calls ADD for each item of the list TEXT. */
static int parse_list(const char *what, const char *text,
                      int (*add)(const char *what, const char *const parts[3], int n_parts, void *list), void *list)
{
    char *copy = cw_copy_text(text, strlen(text)), *rest = copy;
    if (!copy) return CW_ENOMEM;
    int rc = 0;
    while (rc == 0 && rest) {
        char *item = strsep(&rest, ",");
        const char *parts[3];
        if (*item) {
            const int n_parts = split_range(item, parts);
            rc = add(what, parts, n_parts, list);
        } else {
            rc = cw_fail(CW_EUSAGE, "%s: '%s' has an empty item; expected numbers such as 1,2,4 or 1..4", what, text);
        }
    }
    free(copy);
    return rc;
}

struct int_list {
    struct cw_ints ints;
    size_t capacity;
};

static int add_ints(const char *what, const char *const parts[3], int n_parts, void *list)
{
    struct int_list *l = list;
    struct range range = {.step = 1};
    size_t count = 1;
    int rc = cw_parse_int(what, parts[0], &range.first);
    if (!rc && n_parts > 1) rc = cw_parse_int(what, parts[1], &range.last);
    if (!rc && n_parts > 2) rc = cw_parse_int(what, parts[2], &range.step);
    if (!rc && n_parts > 1) rc = count_range(what, &range, parts, &count);
    void *values = l->ints.values;
    if (!rc) rc = grow_list(what, &values, &l->capacity, l->ints.n, count);
    if (rc) return rc;
    l->ints.values = values;
    for (size_t i = 0; i < count; i++) /* unsigned: i · step may exceed 63 bits where the sum does not */
        l->ints.values[l->ints.n++] = (int64_t)((uint64_t)range.first + i * (uint64_t)range.step);
    return 0;
}

int cw_parse_ints(const char *what, const char *text, struct cw_ints *out)
{
    struct int_list list = {0};
    const int rc = parse_list(what, text, add_ints, &list);
    if (rc)
        cw_ints_free(&list.ints);
    else
        *out = list.ints;
    return rc;
}

#define MAX_PLACES 15

/* Reads the parts of a real range as whole multiples of 10^-PLACES, the last decimal place written. Such a multiple
 * divided by 10^PLACES is the double nearest to the decimal number, since both are exact. */
static int scale_range(const char *what, const char *const parts[3], int n_parts, struct range *range, int *places)
{
    struct decimal decimals[3];
    int64_t scaled[3];
    *places = 0;
    for (int i = 0; i < n_parts; i++) {
        double value;
        const int rc = cw_parse_real(what, parts[i], &value);
        if (rc) return rc;
        scan_real(parts[i], &decimals[i]);
        const long here = decimals[i].places - decimals[i].exponent;
        if (here > MAX_PLACES)
            return cw_fail(CW_EUSAGE, "%s: %s has more than %d decimal places", what, parts[i], MAX_PLACES);
        if (here > *places) *places = (int)here;
    }
    for (int i = 0; i < n_parts; i++) {
        double value;
        if (!decimal_value(&decimals[i], *places, &value) || fabs(value) > 0x1p53)
            return cw_fail(CW_EUSAGE, "%s: %s has too many digits for a range", what, parts[i]);
        scaled[i] = (int64_t)value;
    }
    *range = (struct range){scaled[0], scaled[1], n_parts > 2 ? scaled[2] : 1};
    return 0;
}

struct real_list {
    struct cw_reals reals;
    size_t capacity;
};

static int add_reals(const char *what, const char *const parts[3], int n_parts, void *list)
{
    struct real_list *l = list;
    struct range range;
    double value = 0, unit = 1;
    size_t count = 1;
    int places = 0;
    int rc = n_parts > 1 ? scale_range(what, parts, n_parts, &range, &places) : cw_parse_real(what, parts[0], &value);
    if (!rc && n_parts > 1) rc = count_range(what, &range, parts, &count);
    void *values = l->reals.values;
    if (!rc) rc = grow_list(what, &values, &l->capacity, l->reals.n, count);
    if (rc) return rc;
    l->reals.values = values;
    while (places-- > 0) unit *= 10;
    for (size_t i = 0; i < count; i++)
        l->reals.values[l->reals.n++] = n_parts > 1 ? (double)(range.first + (int64_t)i * range.step) / unit : value;
    return 0;
}

int cw_parse_reals(const char *what, const char *text, struct cw_reals *out)
{
    struct real_list list = {0};
    const int rc = parse_list(what, text, add_reals, &list);
    if (rc)
        cw_reals_free(&list.reals);
    else
        *out = list.reals;
    return rc;
}

int cw_parse_sizes(const char *what, const char *text, struct cw_sizes *out)
{
    size_t n = 1, i = 0;
    for (const char *c = text; *c; c++) n += *c == ',';
    char *copy = cw_copy_text(text, strlen(text)), *rest = copy;
    uint64_t *values = copy ? cw_new_array(n, sizeof *values, "a list of sizes") : NULL;
    int rc = values ? 0 : CW_ENOMEM;
    while (rc == 0 && rest) {
        const char *item = strsep(&rest, ",");
        rc = *item ? cw_parse_bytes(what, item, &values[i++])
                   : cw_fail(CW_EUSAGE, "%s: '%s' has an empty item; expected sizes such as 8B,4KiB", what, text);
    }
    free(copy);
    if (rc)
        free(values);
    else
        *out = (struct cw_sizes){values, n};
    return rc;
}

void cw_sizes_free(struct cw_sizes *sizes)
{
    if (!sizes) return;
    free(sizes->values);
    *sizes = (struct cw_sizes){0};
}

void cw_reals_free(struct cw_reals *reals)
{
    if (!reals) return;
    free(reals->values);
    *reals = (struct cw_reals){0};
}

void cw_ints_free(struct cw_ints *ints)
{
    if (!ints) return;
    free(ints->values);
    *ints = (struct cw_ints){0};
}

/* VALUE with four significant digits, without trailing zeros, and a unit: 1.5 KiB. STEP between two units. */
static const char *format_scaled(double value, double step, const char *const *units, size_t n_units, char *buffer,
                                 size_t size)
{
    size_t unit = 0;
    while (unit + 1 < n_units && value >= step - 0.05) { /* what would be printed as 1024 KiB is 1 MiB */
        value /= step;
        unit++;
    }
    char number[400];
    snprintf(number, sizeof number, "%.*f", value < 9.9995 ? 3 : value < 99.995 ? 2 : 1, value);
    if (strchr(number, '.')) {
        size_t length = strlen(number);
        while (number[length - 1] == '0') length--;
        if (number[length - 1] == '.') length--;
        number[length] = '\0';
    }
    snprintf(buffer, size, "%s %s", number, units[unit]);
    return buffer;
}

const char *cw_format_bytes(uint64_t bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return format_scaled((double)bytes, 1024, units, sizeof units / sizeof *units, buffer, size);
}

const char *cw_format_rate(double bytes_per_second, char *buffer, size_t size)
{
    static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s", "Ebit/s"};
    return format_scaled(bytes_per_second * 8, 1000, units, sizeof units / sizeof *units, buffer, size);
}

int cw_time_prefix(double seconds, const char **prefix)
{
    static const char *const prefixes_down[] = {"", "m", "µ", "n", "p"};
    int step = 0;
    while (step < 4 && seconds > 0 && seconds * pow(10, 3 * step) < 1) step++;
    *prefix = prefixes_down[step];
    return -3 * step;
}

const char *cw_format_time(double seconds, char *buffer, size_t size)
{
    const char *prefix;
    const double magnitude = fabs(seconds), shown = seconds * pow(10, -cw_time_prefix(magnitude, &prefix));
    snprintf(buffer, size, magnitude >= 9999.5 && magnitude < 1e7 ? "%.0f %ss" : "%.4g %ss", shown, prefix);
    return buffer;
}
