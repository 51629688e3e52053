/*
 * Lists of demands, and reading them from CSV (RFC 4180: fields may be quoted, a quote in one is doubled).
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "flow/flow_problem.h"
#include "net/name_index.h"

#define COLUMNS  3
#define EXPECTED "expected src,dst,bytes"

void cw_demands_free(struct cw_demands *demands)
{
    if (!demands) return;
    free(demands->items);
    *demands = (struct cw_demands){0};
}

int cw_demands_add(struct cw_demands *demands, uint32_t src, uint32_t dst, uint64_t bytes)
{
    if (bytes == 0) return cw_fail(CW_EUSAGE, "a demand of 0 bytes; expected more");
    if (src == dst) {
        if (__builtin_add_overflow(demands->self_bytes, bytes, &demands->self_bytes))
            return cw_fail(CW_EUSAGE, "the bytes of endpoints to themselves are more than 64 bits can count");
        demands->self_pairs++;
        return 0;
    }
    void *items = demands->items;
    const int rc = cw_grow_array(&items, &demands->capacity, demands->n + 1, sizeof *demands->items, "demands");
    demands->items = items;
    if (!rc) demands->items[demands->n++] = (struct cw_demand){.src = src, .dst = dst, .bytes = bytes};
    return rc;
}

/* --- a line ------------------------------------------------------------------------------------------------------- */

struct entry {
    struct cw_demand demand;
    unsigned long line;
};

/* While a file is read. */
struct reading {
    const struct cw_network *net;
    struct cw_name_index *names;
    struct cw_lines lines;
    struct entry *entries;
    size_t n, capacity;
};

typedef char fields[COLUMNS][CW_NAME_SIZE];

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What to add to a message: the last line of a file that does not end with a newline may have lost its end. */
static const char *cut_off(const struct cw_lines *lines)
{
    return lines->line + lines->length == lines->end ? " (the file ends within this line)" : "";
}

/* Where the field ends that begins at P, a quote if QUOTED: at a comma, at the quote that closes it, or at END. */
static const char *field_end(const char *p, const char *end, bool quoted)
{
    if (!quoted) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        return comma ? comma : end;
    }
    for (p++; p < end; p++) {
        if (*p != '"') continue;
        if (p + 1 == end || p[1] != '"') return p;
        p++; /* one of two stands for itself */
    }
    return end;
}

/* Copies the text from FROM to END into FIELD, of two quotes one. */
static int copy_field(const struct cw_lines *lines, const char *from, const char *end, char field[CW_NAME_SIZE])
{
    size_t n = 0;
    for (; from < end; from += *from == '"' && end - from > 1 && from[1] == '"' ? 2 : 1) {
        if (n + 1 == CW_NAME_SIZE)
            return cw_fail_at(lines->file, lines->number, "a field is longer than any name; " EXPECTED);
        field[n++] = *from;
    }
    field[n] = '\0';
    if (n > 0) return 0;
    return cw_fail_at(lines->file, lines->number, "a field is empty; " EXPECTED "%s", cut_off(lines));
}

/* The field at *AT into FIELD, without the blanks around it; *AT is then at the comma behind it, or at END. */
static int take_field(const struct cw_lines *lines, const char **at, const char *end, char field[CW_NAME_SIZE])
{
    const char *from = *at;
    while (from < end && is_blank(*from)) from++;
    const bool quoted = from < end && *from == '"';
    const char *stop = field_end(from, end, quoted), *next = stop;
    if (quoted && stop == end) return cw_fail_at(lines->file, lines->number, "a quote is not closed%s", cut_off(lines));
    if (quoted) {
        from++;
        for (next++; next < end && is_blank(*next);) next++;
    } else {
        while (stop > from && is_blank(stop[-1])) stop--;
    }
    if (next < end && *next != ',')
        return cw_fail_at(lines->file, lines->number, "text behind a quoted field; expected a comma");
    *at = next;
    return copy_field(lines, from, stop, field);
}

static int split(const struct cw_lines *lines, fields out)
{
    const char *at = lines->line, *end = at + lines->length;
    for (size_t n = 0; n < COLUMNS; n++, at++) {
        const int rc = take_field(lines, &at, end, out[n]);
        if (rc) return rc;
        if (at == end && n + 1 < COLUMNS)
            return cw_fail_at(lines->file, lines->number, "%s; " EXPECTED "%s", n == 0 ? "1 field" : "2 fields",
                              cut_off(lines));
        if (at < end && n + 1 == COLUMNS)
            return cw_fail_at(lines->file, lines->number, "more than 3 fields; " EXPECTED);
    }
    return 0;
}

static bool is_header(fields row)
{
    static const char *const names[COLUMNS] = {"src", "dst", "bytes"};
    for (size_t i = 0; i < COLUMNS; i++)
        if (strcasecmp(row[i], names[i]) != 0) return false;
    return true;
}

/* --- its meaning -------------------------------------------------------------------------------------------------- */

static int find_endpoint(const struct reading *reading, const char *what, const char *text, uint32_t *out)
{
    const struct cw_lines *lines = &reading->lines;
    const uint32_t v = cw_name_index_vertex(reading->names, text);
    if (v == CW_NONE)
        return cw_fail_at(lines->file, lines->number,
                          "%s: there is no endpoint '%s'; expected an id below %u, a name or a GUID (0x…)", what, text,
                          reading->net->n_endpoints);
    if (!cw_network_is_endpoint(reading->net, v))
        return cw_fail_at(lines->file, lines->number, "%s: '%s' is a switch; expected an endpoint", what, text);
    *out = v;
    return 0;
}

static int add_line(struct reading *reading, fields row)
{
    const struct cw_lines *lines = &reading->lines;
    struct entry entry = {.line = lines->number};
    int rc = find_endpoint(reading, "src", row[0], &entry.demand.src);
    if (!rc) rc = find_endpoint(reading, "dst", row[1], &entry.demand.dst);
    if (rc) return rc;
    if (entry.demand.src == entry.demand.dst)
        return cw_fail_at(lines->file, lines->number, "'%s' sends to itself; expected another endpoint as dst", row[0]);
    if (cw_parse_bytes("bytes", row[2], &entry.demand.bytes))
        return cw_fail_at(lines->file, lines->number, "%s%s", cw_error_message(), cut_off(lines));
    if (entry.demand.bytes == 0) return cw_fail_at(lines->file, lines->number, "0 bytes; expected more");
    void *entries = reading->entries;
    rc = cw_grow_array(&entries, &reading->capacity, reading->n + 1, sizeof entry, "demands");
    reading->entries = entries;
    if (!rc) reading->entries[reading->n++] = entry;
    return rc;
}

static int read_lines(struct reading *reading)
{
    struct cw_lines *lines = &reading->lines;
    bool first = true;
    while (cw_lines_next(lines)) {
        size_t blanks = 0;
        while (blanks < lines->length && is_blank(lines->line[blanks])) blanks++;
        if (blanks == lines->length || lines->line[blanks] == '#') continue;
        fields row;
        int rc = split(lines, row);
        if (!rc && !(first && is_header(row))) rc = add_line(reading, row);
        if (rc) return rc;
        first = false;
    }
    return reading->n > 0 ? 0 : cw_fail_at(lines->file, 0, "no demands; expected lines of src,dst,bytes");
}

/* --- all lines ---------------------------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_pair(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->demand.src != y->demand.src) return x->demand.src < y->demand.src ? -1 : 1;
    if (x->demand.dst != y->demand.dst) return x->demand.dst < y->demand.dst ? -1 : 1;
    return by_line(a, b);
}

/* Adds the bytes of entries with the same pair to the first of them; *N entries become fewer. */
static int merge(struct entry *entries, size_t *n, const char *file)
{
    size_t kept = 0;
    if (*n > 1) qsort(entries, *n, sizeof *entries, by_pair);
    for (size_t i = 0; i < *n; i++) {
        const struct entry *entry = &entries[i];
        struct entry *last = kept > 0 ? &entries[kept - 1] : NULL;
        if (!last || last->demand.src != entry->demand.src || last->demand.dst != entry->demand.dst)
            entries[kept++] = *entry;
        else if (__builtin_add_overflow(last->demand.bytes, entry->demand.bytes, &last->demand.bytes))
            return cw_fail_at(file, entry->line,
                              "with those of line %lu, the bytes of this pair are more than 64 bits can count",
                              last->line);
    }
    *n = kept;
    if (kept > 1) qsort(entries, kept, sizeof *entries, by_line);
    return 0;
}

int cw_demands_merge(struct cw_demands *demands, const char *file)
{
    size_t n = demands->n;
    struct entry *entries = cw_new_array(n, sizeof *entries, "demands");
    if (!entries) return CW_ENOMEM;
    for (size_t i = 0; i < n; i++) entries[i] = (struct entry){.demand = demands->items[i], .line = i + 1};
    const int rc = merge(entries, &n, file);
    if (!rc) {
        for (size_t i = 0; i < n; i++) demands->items[i] = entries[i].demand;
        demands->merged_pairs += demands->n - n;
        demands->n = n;
    }
    free(entries);
    return rc;
}

static int finish(struct reading *reading, struct cw_demands *out)
{
    const size_t n_lines = reading->n;
    int rc = merge(reading->entries, &reading->n, reading->lines.file);
    struct cw_demands demands = {.merged_pairs = n_lines - reading->n};
    for (size_t i = 0; i < reading->n && !rc; i++) {
        const struct cw_demand *demand = &reading->entries[i].demand;
        rc = cw_demands_add(&demands, demand->src, demand->dst, demand->bytes);
    }
    if (rc)
        cw_demands_free(&demands);
    else
        *out = demands;
    return rc;
}

int cw_demands_read(const struct cw_network *net, const char *path, struct cw_demands *out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(path, &text);
    if (rc) return rc;
    struct reading reading = {.net = net, .lines = cw_lines_of(path, text.data, text.length)};
    rc = cw_name_index_new(net, &reading.names);
    if (!rc) rc = read_lines(&reading);
    if (!rc) rc = finish(&reading, out);
    cw_name_index_free(reading.names);
    free(reading.entries);
    cw_text_free(&text);
    return rc;
}
