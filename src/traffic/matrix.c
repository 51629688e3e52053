#include "traffic/matrix.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

#define COLUMNS    3
#define FIELD_SIZE 64

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int copy_field(const struct cw_lines *lines, const char *begin, const char *end, char field[FIELD_SIZE])
{
    while (begin < end && is_blank(*begin)) begin++;
    while (begin < end && is_blank(end[-1])) end--;
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
    }
    const size_t length = (size_t)(end - begin);
    if (length == 0) return cw_fail_at(lines->file, lines->number, "a field is empty; expected src, dst and bytes");
    if (length >= FIELD_SIZE)
        return cw_fail_at(lines->file, lines->number, "a field is no number; expected src, dst and bytes");
    memcpy(field, begin, length);
    field[length] = '\0';
    return 0;
}

/* Cuts the line from BEGIN to END (not blank at either) into FIELDS: at commas if it has any, else at blanks. */
static int split(const struct cw_lines *lines, const char *begin, const char *end, char fields[COLUMNS][FIELD_SIZE])
{
    const bool csv = memchr(begin, ',', (size_t)(end - begin)) != NULL;
    size_t n = 0;
    for (const char *next = begin; next; n++) {
        const char *stop = next;
        while (stop < end && !(csv ? *stop == ',' : is_blank(*stop))) stop++;
        const int rc = n < COLUMNS ? copy_field(lines, next, stop, fields[n]) : 0;
        if (rc) return rc;
        next = stop < end ? stop + 1 : NULL;
        while (next && !csv && is_blank(*next)) next++;
    }
    if (n == COLUMNS) return 0;
    return cw_fail_at(lines->file, lines->number, "%zu field%s; expected 3: src, dst and bytes", n, n == 1 ? "" : "s");
}

static int parse_rank(const struct cw_lines *lines, const char *what, const char *field, uint32_t *rank)
{
    int64_t number;
    if (cw_parse_int(what, field, &number) || number < 0 || number >= UINT32_MAX)
        return cw_fail_at(lines->file, lines->number, "%s '%s' is no rank; expected a whole number from 0", what,
                          field);
    *rank = (uint32_t)number;
    return 0;
}

static bool is_header(char fields[COLUMNS][FIELD_SIZE])
{
    static const char *const names[COLUMNS] = {"src", "dst", "bytes"};
    for (size_t i = 0; i < COLUMNS; i++)
        if (strcasecmp(fields[i], names[i]) != 0) return false;
    return true;
}

static int parse_entry(struct cw_matrix *matrix, const struct cw_lines *lines, char fields[COLUMNS][FIELD_SIZE])
{
    uint32_t src, dst;
    uint64_t bytes;
    int rc = parse_rank(lines, "src", fields[0], &src);
    if (!rc) rc = parse_rank(lines, "dst", fields[1], &dst);
    if (rc) return rc;
    if (cw_parse_bytes("bytes", fields[2], &bytes))
        return cw_fail_at(lines->file, lines->number, "'%s' is no number of bytes; expected one like 4096 or 4KiB",
                          fields[2]);
    const uint32_t higher = src > dst ? src : dst;
    if (matrix->line == 0 || higher > matrix->highest) {
        matrix->highest = higher;
        matrix->line = lines->number;
    }
    return src == dst || bytes == 0 ? 0 : cw_flows_add(&matrix->flows, src, dst, bytes);
}

static int parse_matrix(struct cw_matrix *matrix, struct cw_lines lines)
{
    bool first = true;
    while (cw_lines_next(&lines)) {
        const char *begin = lines.line;
        const char *comment = memchr(begin, '#', lines.length);
        const char *end = comment ? comment : begin + lines.length;
        while (begin < end && is_blank(*begin)) begin++;
        while (begin < end && is_blank(end[-1])) end--;
        if (begin == end) continue;
        char fields[COLUMNS][FIELD_SIZE];
        int rc = split(&lines, begin, end, fields);
        if (!rc && !(first && is_header(fields))) rc = parse_entry(matrix, &lines, fields);
        if (rc) return rc;
        first = false;
    }
    if (matrix->line == 0) return cw_fail_at(lines.file, 0, "no messages; expected lines of 'src dst bytes'");
    return 0;
}

int cw_matrix_read(const char *file, struct cw_matrix *out)
{
    struct cw_text text = {0};
    int rc = cw_file_read(file, &text);
    if (rc) return rc;
    struct cw_matrix matrix = {0};
    rc = parse_matrix(&matrix, cw_lines_of(file, text.data, text.length));
    cw_text_free(&text);
    if (rc)
        cw_flows_free(&matrix.flows);
    else
        *out = matrix;
    return rc;
}

int cw_matrix_check(const struct cw_matrix *matrix, const char *file, uint32_t n)
{
    if (matrix->highest < n) return 0;
    return cw_fail(CW_EUSAGE, "%s:%lu: there is no rank %u among %u (they are 0 to %u)", file, matrix->line,
                   matrix->highest, n, n - 1);
}
