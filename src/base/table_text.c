#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "base/units.h"

#define GAP         2 /* blanks between columns */
#define NUMBER_SIZE 64

#define MOST_READABLE  1e7   /* greater numbers have an exponent */
#define LEAST_READABLE 1e-15 /* and lesser ones, of times */

/* How numbers are aligned: columns before the point, and from the point on. */
struct point_layout {
    size_t before, after;
};

/* The layout of one column as it is shown: text to the left, or a number and perhaps its interval. */
struct column_layout {
    size_t column; /* in the table */
    size_t width;
    bool left;
    bool time;    /* whose numbers have no exponent */
    double scale; /* of its numbers as shown: 1e6 for µs */
    char unit[80];
    struct point_layout number, interval;
};

/* The unit of all times of a table. */
struct time_unit {
    double scale;
    const char *prefix;
};

/* Puts separators between the thousands of the whole part of NUMBER (sign, digits, perhaps a point and more), if it has
 * more than four digits. */
static void add_separators(char *number, size_t size)
{
    const size_t sign = *number == '-', digits = strspn(number + sign, "0123456789");
    if (digits <= 4) return;
    for (size_t at = digits; at > 3;) {
        at -= 3;
        char *rest = number + sign + at;
        const size_t length = strlen(rest) + 1;
        if ((size_t)(rest - number) + length + 1 > size) return;
        memmove(rest + 1, rest, length);
        *rest = ',';
    }
}

static bool has_interval(const struct cw_table *table, size_t column)
{
    if (column + 1 >= cw_table_columns(table)) return false;
    const struct cw_column *next = cw_table_column(table, column + 1);
    return next->interval && !next->detail;
}

static bool is_shown(const struct cw_column *column)
{
    return !column->detail && !column->interval;
}

static bool is_time(const struct cw_column *column)
{
    return column->type == CW_COLUMN_REAL && column->unit && strcmp(column->unit, "s") == 0;
}

/* A time that has the prefix of its table. How long the run itself took is another matter: that stays in s. */
static bool is_prefixed(const struct cw_column *column)
{
    return is_time(column) && !column->measured;
}

/* A magnitude in (0, 1) with so many significant DIGITS without an exponent: 0.0000063. */
static void format_small(double value, int digits, char *buffer, size_t size)
{
    char rounded[32];
    snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
    const int exponent = (int)strtol(strchr(rounded, 'e') + 1, NULL, 10);
    snprintf(buffer, size, "%.*f", digits - 1 - exponent, value);
    size_t length = strlen(buffer);
    while (buffer[length - 1] == '0') buffer[--length] = '\0';
}

/* So many significant DIGITS without trailing zeros; small times without an exponent. */
static void format_digits(double value, int digits, bool time, char *buffer, size_t size)
{
    const double magnitude = fabs(value);
    if (time && magnitude >= LEAST_READABLE && magnitude < 0.001)
        format_small(value, digits, buffer, size);
    else
        snprintf(buffer, size, "%.*g", digits, value);
}

/* 4 significant digits without trailing zeros, but a whole part is shown in full as long as it can be read. */
static void format_real(double value, bool time, char *buffer, size_t size)
{
    value += 0.0; /* no negative zero */
    const double magnitude = fabs(value);
    if (magnitude >= 9999.5 && magnitude < MOST_READABLE) {
        snprintf(buffer, size, "%.0f", value);
        add_separators(buffer, size);
    } else {
        format_digits(value, 4, time, buffer, size);
    }
}

static void format_number(const struct cw_table *table, size_t row, const struct column_layout *layout, char *buffer,
                          size_t size)
{
    const size_t column = layout->column;
    if (cw_table_cell_missing(table, row, column)) {
        snprintf(buffer, size, "-");
    } else if (cw_table_column(table, column)->type == CW_COLUMN_INT) {
        snprintf(buffer, size, "%" PRId64, cw_table_cell_int(table, row, column));
        add_separators(buffer, size);
    } else {
        format_real(layout->scale * cw_table_cell_real(table, row, column), layout->time, buffer, size);
    }
}

/* Decimal places that show the half width of an interval: one significant digit, or two where the first is 1. */
static int interval_places(double interval)
{
    char digits[32]; /* as rounded to two digits: d.de±dd */
    snprintf(digits, sizeof digits, "%.1e", interval);
    const int exponent = (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
    const int places = (digits[0] == '1' ? 1 : 0) - exponent;
    return places > 0 ? places : 0;
}

/* A real and the half width of its interval, both rounded to the same place. What is too large or too exact for that
 * keeps four and two digits. */
static void format_interval(double value, double interval, bool time, char *number, char *half, size_t size)
{
    const double magnitude = fmax(fabs(value), interval);
    const int places = interval > 0 ? interval_places(interval) : 0;
    if (interval <= 0 || magnitude >= MOST_READABLE || magnitude * pow(10, places) >= MOST_READABLE) {
        format_real(value, time, number, size);
        format_digits(interval, 2, time, half, size);
        return;
    }
    snprintf(number, size, "%.*f", places, value);
    snprintf(half, size, "%.*f", places, interval);
    add_separators(number, size);
    add_separators(half, size);
}

/* The texts of a shown cell that is a number; HALF is empty where there is no interval. */
static void format_cell(const struct cw_table *table, size_t row, const struct column_layout *layout, char *number,
                        char *half)
{
    const size_t column = layout->column;
    *half = '\0';
    if (has_interval(table, column) && !cw_table_cell_missing(table, row, column) &&
        !cw_table_cell_missing(table, row, column + 1))
        format_interval(layout->scale * cw_table_cell_real(table, row, column),
                        layout->scale * cw_table_cell_real(table, row, column + 1), layout->time, number, half,
                        NUMBER_SIZE);
    else
        format_number(table, row, layout, number, NUMBER_SIZE);
}

/* The part of a number before its point. One with an exponent has none: it stands to the left of the others' points. */
static size_t before_point(const char *number)
{
    return strchr(number, 'e') ? strlen(number) : strcspn(number, ".");
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median (the lower of two) of the times of COLUMN but 0, or 0; *GREATEST grows to the greatest. TIMES has room
 * for the rows that are shown. */
static double median_time(const struct cw_table *table, size_t column, double *times, double *greatest)
{
    size_t n = 0;
    for (size_t row = 0; row < cw_table_text_rows(table); row++) {
        const double time = fabs(cw_table_cell_real(table, row, column));
        if (time > 0) times[n++] = time; /* a missing one is no number */
    }
    if (n == 0) return 0;
    qsort(times, n, sizeof *times, compare_reals);
    *greatest = fmax(*greatest, times[n - 1]);
    return times[(n - 1) / 2];
}

/* The prefix of all times of a table, which are there to be compared: the one that makes the median of the column with
 * the longest times 1 … 1000, or the next that the greatest time can still be read in. */
static int choose_prefix(const struct cw_table *table, struct time_unit *unit)
{
    double *times = cw_new_array(cw_table_text_rows(table), sizeof *times, "the times of a table");
    if (!times) return CW_ENOMEM;
    double typical = 0, greatest = 0;
    for (size_t i = 0; i < cw_table_columns(table); i++)
        if (is_shown(cw_table_column(table, i)) && is_prefixed(cw_table_column(table, i)))
            typical = fmax(typical, median_time(table, i, times, &greatest));
    free(times);
    int power = cw_time_prefix(typical, &unit->prefix);
    while (greatest * pow(10, -power) >= MOST_READABLE && power < 0) {
        typical *= 1000;
        power = cw_time_prefix(typical, &unit->prefix);
    }
    unit->scale = pow(10, -power);
    return 0;
}

/* The unit as shown, and the scale it needs. */
static void choose_unit(const struct cw_column *described, const struct time_unit *unit, struct column_layout *layout)
{
    layout->time = is_time(described);
    layout->scale = is_prefixed(described) ? unit->scale : 1;
    const char *prefix = is_prefixed(described) ? unit->prefix : "";
    if (described->unit) snprintf(layout->unit, sizeof layout->unit, "[%s%s]", prefix, described->unit);
}

static void extend(struct point_layout *layout, const char *number)
{
    const size_t before = before_point(number);
    layout->before = larger(layout->before, before);
    layout->after = larger(layout->after, strlen(number) - before);
}

/* The columns that numbers take: "number ± interval", the latter where there is one. */
static size_t numbers_width(const struct column_layout *layout)
{
    const size_t interval = layout->interval.before + layout->interval.after;
    return layout->number.before + layout->number.after + (interval > 0 ? 3 + interval : 0);
}

static struct column_layout layout_column(const struct cw_table *table, const struct time_unit *unit, size_t column)
{
    const struct cw_column *described = cw_table_column(table, column);
    struct column_layout layout = {.column = column, .left = described->type == CW_COLUMN_TEXT};
    char number[NUMBER_SIZE], half[NUMBER_SIZE];
    choose_unit(described, unit, &layout);
    for (size_t row = 0; row < cw_table_text_rows(table); row++) {
        if (layout.left) {
            const char *cell = cw_table_cell_text(table, row, column);
            layout.width = larger(layout.width, cell ? cw_text_width(cell) : 1);
        } else {
            format_cell(table, row, &layout, number, half);
            extend(&layout.number, number);
            extend(&layout.interval, half);
        }
    }
    layout.width = larger(layout.width, numbers_width(&layout));
    layout.width = larger(layout.width, cw_text_width(described->name));
    layout.width = larger(layout.width, cw_text_width(layout.unit));
    return layout;
}

static void add_blanks(struct cw_text *text, size_t n)
{
    cw_text_printf(text, "%*s", (int)n, "");
}

/* Trailing blanks are removed when the line ends. */
static void end_line(struct cw_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ') text->data[--text->length] = '\0';
    cw_text_add(text, "\n");
}

static void add_aligned(struct cw_text *text, const char *string, const struct column_layout *layout)
{
    const size_t width = cw_text_width(string), blanks = layout->width > width ? layout->width - width : 0;
    if (!layout->left) add_blanks(text, blanks);
    cw_text_add_visible(text, string, strlen(string));
    if (layout->left) add_blanks(text, blanks);
}

static void add_number(struct cw_text *text, const char *number, const struct point_layout *layout)
{
    const size_t before = before_point(number), after = strlen(number) - before;
    add_blanks(text, layout->before - before);
    cw_text_add(text, number);
    add_blanks(text, layout->after - after);
}

static void add_cell(const struct cw_table *table, size_t row, const struct column_layout *layout, struct cw_text *text)
{
    if (layout->left) {
        const char *cell = cw_table_cell_text(table, row, layout->column);
        add_aligned(text, cell ? cell : "-", layout);
        return;
    }
    char number[NUMBER_SIZE], half[NUMBER_SIZE];
    format_cell(table, row, layout, number, half);
    add_blanks(text, layout->width - numbers_width(layout));
    add_number(text, number, &layout->number);
    if (layout->interval.before + layout->interval.after == 0) return;
    cw_text_add(text, *half ? " ± " : "   ");
    add_number(text, half, &layout->interval);
}

/* A block of the shown columns: the LABELS first ones, then FIRST … LAST-1. */
struct block {
    const struct cw_table *table;
    const struct column_layout *layouts;
    size_t labels, first, last;
};

/* The column at POSITION of the block, or NULL behind its end. */
static const struct column_layout *block_column(const struct block *block, size_t position)
{
    if (position < block->labels) return &block->layouts[position];
    const size_t shown = block->first + position - block->labels;
    return shown < block->last ? &block->layouts[shown] : NULL;
}

enum header_line { NAMES, UNITS, RULE };

static void add_header_line(const struct block *block, enum header_line line, struct cw_text *text)
{
    const struct column_layout *layout;
    for (size_t i = 0; (layout = block_column(block, i)); i++) {
        add_blanks(text, i > 0 ? GAP : 0);
        if (line == NAMES)
            add_aligned(text, cw_table_column(block->table, layout->column)->name, layout);
        else if (line == UNITS)
            add_aligned(text, layout->unit, layout);
        else
            for (size_t k = 0; k < layout->width; k++) cw_text_add(text, "-");
    }
    end_line(text);
}

static void add_block(const struct block *block, struct cw_text *text)
{
    bool units = false;
    const struct column_layout *layout;
    for (size_t i = 0; (layout = block_column(block, i)); i++) units = units || *layout->unit;
    add_header_line(block, NAMES, text);
    if (units) add_header_line(block, UNITS, text);
    add_header_line(block, RULE, text);
    for (size_t row = 0; row < cw_table_text_rows(block->table); row++) {
        for (size_t i = 0; (layout = block_column(block, i)); i++) {
            add_blanks(text, i > 0 ? GAP : 0);
            add_cell(block->table, row, layout, text);
        }
        end_line(text);
    }
    if (cw_table_rows(block->table) == 0) cw_text_add(text, "(no rows)\n");
}

/* The columns that N of them take. */
static size_t total_width(const struct column_layout *layouts, size_t n)
{
    size_t width = 0;
    for (size_t i = 0; i < n; i++) width += layouts[i].width + (i > 0 ? GAP : 0);
    return width;
}

/* The columns that every block repeats: the leading text columns, or the first column where it is not text. */
static size_t count_labels(const struct column_layout *layouts, size_t n)
{
    size_t labels = 0;
    while (labels < n && layouts[labels].left) labels++;
    return labels > 0 ? labels : 1;
}

static void add_blocks(const struct cw_table *table, const struct column_layout *layouts, size_t n,
                       size_t terminal_width, struct cw_text *text)
{
    const size_t labels = count_labels(layouts, n), label_width = total_width(layouts, labels);
    struct block block = {table, layouts, labels, labels, labels};
    do {
        size_t width = label_width;
        if (block.first > labels) cw_text_add(text, "\n");
        while (block.last < n) {
            width += GAP + layouts[block.last].width;
            if (terminal_width > 0 && width > terminal_width && block.last > block.first) break;
            block.last++;
        }
        add_block(&block, text);
        block.first = block.last;
    } while (block.last < n);
}

/* Rows one below the other, a line for each column that has a value there. */
static void add_records(const struct cw_table *table, const struct column_layout *layouts, size_t n,
                        size_t terminal_width, struct cw_text *text)
{
    size_t names = 0;
    for (size_t i = 0; i < n; i++)
        names = larger(names, cw_text_width(cw_table_column(table, layouts[i].column)->name));
    for (size_t row = 0; row < cw_table_text_rows(table); row++) {
        cw_text_add(text, row > 0 ? "\n" : "");
        for (size_t i = 0; i < n; i++) {
            const char *name = cw_table_column(table, layouts[i].column)->name;
            struct cw_text cell = {0};
            char number[NUMBER_SIZE], half[NUMBER_SIZE];
            if (cw_table_cell_missing(table, row, layouts[i].column)) continue;
            if (layouts[i].left) {
                cw_text_add(&cell, cw_table_cell_text(table, row, layouts[i].column));
            } else {
                format_cell(table, row, &layouts[i], number, half);
                cw_text_printf(&cell, "%s%s%s%s%s", number, *half ? " ± " : "", half, *layouts[i].unit ? " " : "",
                               layouts[i].unit);
            }
            cw_text_add(text, name);
            add_blanks(text, names + GAP - cw_text_width(name));
            if (cell.data) cw_text_wrap(text, cell.data, names + GAP, names + GAP, terminal_width);
            end_line(text);
            text->failed |= cell.failed;
            cw_text_free(&cell);
        }
    }
}

/* Whether blocks would be wider than the terminal, or mostly labels that are repeated. */
static bool needs_records(const struct column_layout *layouts, size_t n, size_t terminal_width)
{
    const size_t labels = count_labels(layouts, n), label_width = total_width(layouts, labels);
    size_t widest = 0;
    for (size_t i = labels; i < n; i++) widest = larger(widest, layouts[i].width);
    return label_width > terminal_width || label_width + GAP + widest > terminal_width ||
           2 * label_width > terminal_width;
}

static bool is_empty(const struct cw_table *table, size_t column)
{
    for (size_t row = 0; row < cw_table_text_rows(table); row++)
        if (!cw_table_cell_missing(table, row, column)) return false;
    return true;
}

/* On a terminal that is too narrow: without columns that have no value, then as blocks or records. */
static void add_narrow(const struct cw_table *table, struct column_layout *layouts, size_t n, size_t terminal_width,
                       struct cw_text *text)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !is_empty(table, layouts[i].column)) layouts[kept++] = layouts[i];
    if (total_width(layouts, kept) <= terminal_width || !needs_records(layouts, kept, terminal_width))
        add_blocks(table, layouts, kept, terminal_width, text);
    else
        add_records(table, layouts, kept, terminal_width, text);
}

/* Instead of a table of which text shows no row. */
static int write_where(const struct cw_table *table, const char *whole, struct cw_text *text)
{
    if (cw_table_title(table)) cw_text_printf(text, "%s: ", cw_table_title(table));
    cw_text_printf(text, "%zu row%s with --format %s\n", cw_table_rows(table), cw_plural(cw_table_rows(table)), whole);
    return cw_text_check(text);
}

int cw_table_write_text(const struct cw_table *table, unsigned terminal_width, const char *whole, struct cw_text *text)
{
    const int rc = cw_table_check(table);
    if (rc) return rc;
    const size_t shown = cw_table_text_rows(table), more = cw_table_rows(table) - shown;
    if (shown == 0 && more > 0) return write_where(table, whole, text);
    const size_t n_columns = cw_table_columns(table);
    struct time_unit unit;
    const int no_memory = choose_prefix(table, &unit);
    if (no_memory) return no_memory;
    struct column_layout *layouts = cw_new_array(n_columns, sizeof *layouts, "the layout of a table");
    if (!layouts) return CW_ENOMEM;
    size_t n = 0; /* shown columns */
    for (size_t i = 0; i < n_columns; i++)
        if (is_shown(cw_table_column(table, i))) layouts[n++] = layout_column(table, &unit, i);
    if (cw_table_title(table) && terminal_width > 0)
        cw_text_wrap(text, cw_table_title(table), 0, 0, terminal_width);
    else if (cw_table_title(table))
        cw_text_add(text, cw_table_title(table));
    cw_text_add(text, cw_table_title(table) ? "\n\n" : "");
    if (terminal_width > 0 && shown > 0 && total_width(layouts, n) > terminal_width)
        add_narrow(table, layouts, n, terminal_width, text);
    else
        add_blocks(table, layouts, n, terminal_width, text);
    if (more > 0) cw_text_printf(text, "(%zu more row%s with --format %s)\n", more, cw_plural(more), whole);
    free(layouts);
    return cw_text_check(text);
}
