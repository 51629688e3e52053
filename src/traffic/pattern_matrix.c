/*
 * A traffic matrix from a file: one message a line, "src dst bytes" separated by blanks or by commas (a line with a
 * comma is CSV), with or without a header of these words first. Bytes may have a unit. A field may stand in double
 * quotes, of which two within it mean one (RFC 4180). '#' begins a comment where a line begins or behind a blank.
 * Entries on the diagonal or of 0 bytes are no messages; a pair that occurs twice sends twice.
 *
 * src and dst are ranks, whole numbers from 0 (of which some may be cut off: `numbers` of struct cw_ranks). Where each
 * rank stays on one endpoint (`net` of struct cw_ranks) they may also be the name or the GUID ("0x…") of that; a name
 * goes before a number.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "net/name_index.h"
#include "net/network_internal.h"
#include "traffic/pattern.h"

#define COLUMNS  3
#define EXPECTED "expected 3: src, dst and bytes"

typedef char fields[COLUMNS][CW_NAME_SIZE];

struct matrix {
    struct cw_flows flows; /* in the file's order; freed with cw_flows_free */
    uint32_t highest;      /* rank that occurs */
    unsigned long line;    /* where it occurs first */
};

/* While a file is read. */
struct reading {
    struct matrix matrix;
    struct cw_lines lines;
    const struct cw_network *net; /* NULL: there are only numbers */
    struct cw_name_index *names;
    uint32_t *ranks;         /* [endpoints of the network] that run there; CW_NONE */
    const uint32_t *numbers; /* the endpoints that numbers mean; NULL: numbers are ranks */
    uint32_t n_numbers;
};

/* --- fields ------------------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What to add to a message: the last line of a file that does not end with a newline may have lost its end. */
static const char *cut_off(const struct cw_lines *lines)
{
    return lines->line + lines->length == lines->end ? " (the file ends within this line)" : "";
}

/* Where the current line ends for us: before a comment, and the blanks before that. *CSV: it has a comma. Neither
 * counts within quotes, which open where a field begins. */
static const char *content_end(const struct cw_lines *lines, bool *csv)
{
    const char *p = lines->line, *end = p + lines->length;
    bool quoted = false;
    char before = ' ';
    *csv = false;
    for (; p < end; before = *p++) {
        if (*p == '"' && (quoted || is_blank(before) || before == ',' || before == '"')) quoted = !quoted;
        if (quoted) continue;
        if (*p == ',') *csv = true;
        if (*p == '#' && is_blank(before)) break;
    }
    while (p > lines->line && is_blank(p[-1])) p--;
    return p;
}

/* The quote that closes what begins at P, behind the opening one; END if there is none. */
static const char *closing_quote(const char *p, const char *end)
{
    for (; p < end; p++) {
        if (*p != '"') continue;
        if (p + 1 == end || p[1] != '"') return p;
        p++; /* one of two stands for itself */
    }
    return end;
}

/* Copies the text from FROM to END into FIELD, of two quotes one. */
static int copy_field(const struct cw_lines *lines, const char *from, const char *end, bool quoted,
                      char field[CW_NAME_SIZE])
{
    size_t n = 0;
    for (; from < end; from += quoted && *from == '"' ? 2 : 1) {
        if (n + 1 == CW_NAME_SIZE)
            return cw_fail_at(lines->file, lines->number, "a field is longer than any name; " EXPECTED);
        field[n++] = *from;
    }
    field[n] = '\0';
    if (n > 0) return 0;
    return cw_fail_at(lines->file, lines->number, "a field is empty; " EXPECTED "%s", cut_off(lines));
}

/* The field at *AT into FIELD, without the blanks around it; *AT is then at what separates it from the next, or END. */
static int take_field(const struct cw_lines *lines, bool csv, const char **at, const char *end,
                      char field[CW_NAME_SIZE])
{
    const char *from = *at, *stop, *next;
    while (from < end && is_blank(*from)) from++;
    const bool quoted = from < end && *from == '"';
    if (quoted) {
        stop = closing_quote(++from, end);
        if (stop == end) return cw_fail_at(lines->file, lines->number, "a quote is not closed%s", cut_off(lines));
        for (next = stop + 1; csv && next < end && is_blank(*next);) next++;
        if (next < end && !(csv ? *next == ',' : is_blank(*next)))
            return cw_fail_at(lines->file, lines->number, "text behind a quoted field; expected a %s",
                              csv ? "comma" : "blank");
    } else {
        for (stop = from; stop < end && !(csv ? *stop == ',' : is_blank(*stop));) stop++;
        next = stop;
        while (stop > from && is_blank(stop[-1])) stop--;
    }
    *at = next;
    return copy_field(lines, from, stop, quoted, field);
}

/* Cuts the current line, whose content ends at END, at commas or at blanks. */
static int split(const struct cw_lines *lines, const char *end, bool csv, fields out)
{
    const char *at = lines->line;
    for (size_t n = 0; n < COLUMNS; n++, at++) {
        const int rc = take_field(lines, csv, &at, end, out[n]);
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

/* --- ranks -------------------------------------------------------------------------------------------------------- */

/* Which rank runs on the endpoint that TEXT names, at the vertex V. */
static int rank_at(const struct reading *reading, const char *what, const char *text, uint32_t v, uint32_t *rank)
{
    const struct cw_lines *lines = &reading->lines;
    if (!cw_network_is_endpoint(reading->net, v))
        return cw_fail_at(lines->file, lines->number, "%s: '%s' is a switch; expected an endpoint", what, text);
    *rank = reading->ranks[v];
    if (*rank != CW_NONE) return 0;
    return cw_fail_at(lines->file, lines->number, "%s: no rank runs on '%s'; expected an endpoint that takes part",
                      what, text);
}

/* The rank that the file calls NUMBER. */
static int rank_of_number(const struct reading *reading, const char *what, uint32_t number, uint32_t *rank)
{
    const struct cw_lines *lines = &reading->lines;
    char name[CW_NAME_SIZE];
    *rank = number;
    if (!reading->numbers) return 0;
    if (number >= reading->n_numbers)
        return cw_fail_at(lines->file, lines->number, "%s: there is no rank %u among %u (they are 0 to %u)", what,
                          number, reading->n_numbers, reading->n_numbers - 1);
    const uint32_t e = reading->numbers[number];
    *rank = reading->ranks[e];
    if (*rank != CW_NONE) return 0;
    return cw_fail_at(lines->file, lines->number, "%s: rank %u is on '%s', which is cut off and does not take part",
                      what, number, cw_network_name(reading->net, e, name, sizeof name));
}

static int find_rank(const struct reading *reading, const char *what, const char *text, uint32_t *rank)
{
    const struct cw_lines *lines = &reading->lines;
    int64_t number;
    const uint32_t named = reading->net ? cw_name_index_name(reading->names, text) : CW_NONE;
    if (named != CW_NONE) return rank_at(reading, what, text, named, rank);
    if (cw_parse_int(what, text, &number) == 0 && number >= 0 && number < UINT32_MAX)
        return rank_of_number(reading, what, (uint32_t)number, rank);
    const bool guid = reading->net && strncmp(text, "0x", 2) == 0;
    uint32_t v = guid ? cw_name_index_vertex(reading->names, text) : CW_NONE;
    if (v != CW_NONE) return rank_at(reading, what, text, v, rank);
    const int rc = reading->net ? cw_name_index_host_only(reading->names, text, &v) : 0;
    if (rc == CW_EUSAGE) return cw_fail_at(lines->file, lines->number, "%s: %s", what, cw_error_message());
    if (rc) return rc;
    if (v != CW_NONE) return rank_at(reading, what, text, v, rank);
    return cw_fail_at(lines->file, lines->number, "%s '%s' is not a rank; expected a whole number from 0%s%s", what,
                      text, reading->net ? ", or the name or GUID (0x…) of an endpoint" : "", cut_off(lines));
}

static int names_init(struct reading *reading, const struct cw_ranks *ranks)
{
    if (!ranks || !ranks->net) return 0;
    const uint32_t n = ranks->net->n_endpoints;
    reading->net = ranks->net;
    reading->numbers = ranks->numbers;
    reading->n_numbers = ranks->n_numbers;
    reading->ranks = cw_new_array(n, sizeof *reading->ranks, "ranks by endpoint");
    if (!reading->ranks) return CW_ENOMEM;
    for (uint32_t e = 0; e < n; e++) reading->ranks[e] = CW_NONE;
    for (uint32_t r = 0; r < ranks->n; r++) reading->ranks[ranks->endpoints ? ranks->endpoints[r] : r] = r;
    return cw_name_index_new(ranks->net, &reading->names);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static int add_entry(struct reading *reading, fields row)
{
    const struct cw_lines *lines = &reading->lines;
    struct matrix *matrix = &reading->matrix;
    uint32_t src, dst;
    uint64_t bytes;
    int rc = find_rank(reading, "src", row[0], &src);
    if (!rc) rc = find_rank(reading, "dst", row[1], &dst);
    if (rc) return rc;
    if (cw_parse_bytes("bytes", row[2], &bytes))
        return cw_fail_at(lines->file, lines->number, "%s%s", cw_error_message(), cut_off(lines));
    const uint32_t higher = src > dst ? src : dst;
    if (matrix->line == 0 || higher > matrix->highest) {
        matrix->highest = higher;
        matrix->line = lines->number;
    }
    return bytes == 0 ? 0 : cw_flows_add(&matrix->flows, src, dst, bytes);
}

static int read_lines(struct reading *reading)
{
    struct cw_lines *lines = &reading->lines;
    bool first = true;
    while (cw_lines_next(lines)) {
        bool csv;
        fields row;
        const char *end = content_end(lines, &csv);
        if (end == lines->line) continue;
        int rc = split(lines, end, csv, row);
        if (!rc && !(first && is_header(row))) rc = add_entry(reading, row);
        if (rc) return rc;
        first = false;
    }
    if (reading->matrix.line > 0) return 0;
    return cw_fail_at(lines->file, 0, "no messages; expected lines of 'src dst bytes'");
}

/* RANKS: NULL or without a network if only numbers make sense; their number is not looked at (check_matrix). CW_EPARSE
 * with file and line. Time: linear; with names, in the endpoints, too. */
static int read_matrix(const char *file, const struct cw_ranks *ranks, struct matrix *out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(file, &text);
    if (rc) return rc;
    struct reading reading = {.lines = cw_lines_of(file, text.data, text.length)};
    rc = names_init(&reading, ranks);
    if (!rc) rc = read_lines(&reading);
    cw_text_free(&text);
    cw_name_index_free(reading.names);
    free(reading.ranks);
    if (rc)
        cw_flows_free(&reading.matrix.flows);
    else
        *out = reading.matrix;
    return rc;
}

/* CW_EUSAGE if the matrix of FILE has a rank that N ranks have not. */
static int check_matrix(const struct matrix *matrix, const char *file, uint32_t n)
{
    if (matrix->highest < n) return 0;
    return cw_fail(CW_EUSAGE, "%s:%lu: there is no rank %u among %u (they are 0 to %u)", file, matrix->line,
                   matrix->highest, n, n - 1);
}

/* --- the pattern -------------------------------------------------------------------------------------------------- */

struct parameters {
    char *file;
    struct matrix matrix;
};

static const struct cw_option matrix_options[] = {
    {.name = "file",
     .type = CW_OPTION_INPUT,
     .offset = offsetof(struct parameters, file),
     .positional = true,
     .required = true,
     .help = "file with lines 'src dst bytes', or the same as CSV; '#' begins a comment (doc/formats/matrix.md)"},
    {.name = NULL},
};

static int prepare_matrix(void *values, const struct cw_ranks *ranks)
{
    struct parameters *parameters = values;
    return read_matrix(parameters->file, ranks, &parameters->matrix);
}

static void release_matrix(void *values)
{
    struct parameters *parameters = values;
    cw_flows_free(&parameters->matrix.flows);
}

static int matrix_rounds(const void *values, uint32_t n, uint32_t *rounds)
{
    const struct parameters *parameters = values;
    const int rc = check_matrix(&parameters->matrix, parameters->file, n);
    if (!rc) *rounds = 1;
    return rc;
}

static int append_matrix(const void *values, uint32_t n, uint32_t round, uint64_t bytes, struct cw_random *random,
                         struct cw_flows *flows)
{
    (void)n;
    (void)round;
    (void)bytes;
    (void)random;
    const struct parameters *parameters = values;
    const struct cw_flows *entries = &parameters->matrix.flows;
    int rc = cw_flows_reserve(flows, entries->n);
    for (size_t i = 0; !rc && i < entries->n; i++)
        rc = cw_flows_add(flows, entries->items[i].src, entries->items[i].dst, entries->items[i].bytes);
    flows->self += entries->self;
    flows->self_bytes += entries->self_bytes;
    return rc;
}

const struct cw_pattern_kind cw_pattern_matrix = {
    .name = "matrix",
    .help = "the messages of a file, each with its own size: rank src sends bytes to rank dst, all in one round",
    .options = matrix_options,
    .size = sizeof(struct parameters),
    .sized = true,
    .prepare = prepare_matrix,
    .release = release_matrix,
    .rounds = matrix_rounds,
    .append = append_matrix,
};
