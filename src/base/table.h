/*
 * Results are tables: typed columns with a name, a unit and a line of documentation.
 *
 * A table is filled cell by cell, row by row; a cell of the wrong type or a row left unfinished is an error when the
 * table is written. Like a builder it remembers its first error.
 */
#ifndef CW_BASE_TABLE_H
#define CW_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/text.h"

CW_BEGIN_DECLS

enum cw_column_type { CW_COLUMN_TEXT, CW_COLUMN_INT, CW_COLUMN_REAL };

struct cw_column {
    const char *name; /* as in CSV and JSON: lower case, underscores */
    enum cw_column_type type;
    const char *unit; /* "byte", "s" (which text shows as ms, µs, …), "hop"; NULL: a plain number or text */
    const char *help; /* one line */
    bool detail;      /* for programs: in CSV and JSON, not in text */
    bool measured;    /* of this run, such as the time it took: text shows it, rows of CSV and JSON, which do not differ
                       * from run to run, leave it out, and the metadata of a result has it (base/result.h) */
    bool interval;    /* real: half width of the confidence interval of the real column before; text: "1.45 ± 0.02" */
};

struct cw_table;

/* A table NAME (a key in JSON) with TITLE (a heading in text; NULL: none) and N columns, all borrowed for the table's
 * life. CW_EINTERNAL if the columns break a rule: at least one, names all different, the first no interval, at
 * least one that text shows and one that is not measured, intervals as said above. */
int cw_table_new(const char *name, const char *title, const struct cw_column *columns, size_t n_columns,
                 struct cw_table **out);
void cw_table_free(struct cw_table *table);

/* TABLE takes over MEMORY, in which its columns are, and frees it with itself. Once at most. */
void cw_table_keep(struct cw_table *table, void *memory);

/* From now on text shows the first ROWS rows only, and says how many more there are; of no rows no head either. */
void cw_table_cut_text(struct cw_table *table, size_t rows);

/* Fill the next cell, left to right; after the last column a new row begins. Text is copied. */
void cw_table_text(struct cw_table *table, const char *text);
void cw_table_int(struct cw_table *table, int64_t value);
void cw_table_real(struct cw_table *table, double value); /* a NaN or infinity is written as missing */
void cw_table_none(struct cw_table *table);               /* missing: "-" in text, empty in CSV, null in JSON */

/* Says how many rows the table will have, so that a result that ends early can say how many are missing. */
void cw_table_expect(struct cw_table *table, size_t rows);
size_t cw_table_expected(const struct cw_table *table); /* 0: nobody said */

/* Has FINISHED(CONTEXT) called after each row; NULL ends that. */
void cw_table_watch(struct cw_table *table, void (*finished)(void *context), void *context);

/* Drops a last row that is not finished, and forgets the table's error: the rows before it are right. */
void cw_table_cut(struct cw_table *table);

const char *cw_table_name(const struct cw_table *table);
const char *cw_table_title(const struct cw_table *table);
size_t cw_table_rows(const struct cw_table *table);
size_t cw_table_text_rows(const struct cw_table *table); /* those that text shows */
size_t cw_table_columns(const struct cw_table *table);
const struct cw_column *cw_table_column(const struct cw_table *table, size_t column);
size_t cw_table_find_column(const struct cw_table *table,
                            const char *name);           /* cw_table_columns(table): there is none */
bool cw_table_is_measured(const struct cw_table *table); /* some of its columns are */

/* Whether a cell is missing; its text (CW_COLUMN_TEXT; NULL if missing), its number (as a real; NaN if missing), or its
 * whole number (CW_COLUMN_INT; 0 if missing). */
bool cw_table_cell_missing(const struct cw_table *table, size_t row, size_t column);
const char *cw_table_cell_text(const struct cw_table *table, size_t row, size_t column);
double cw_table_cell_real(const struct cw_table *table, size_t row, size_t column);
int64_t cw_table_cell_int(const struct cw_table *table, size_t row, size_t column);

/* 0, or the table's first error. */
int cw_table_check(const struct cw_table *table);

/* Append the table to TEXT.
 * text: aligned columns under a heading, units below the names, numbers aligned at their point; reals to 4 significant
 *       digits (the whole part is never rounded below 10 million), whole numbers with thousands separators (10,368);
 *       a column whose cells are all equal is still shown. When TERMINAL_WIDTH > 0 and the table is wider, columns
 *       without a value are left out, and the rest is broken into blocks of columns that repeat the leading text
 *       columns, or the first column where it is not text. Where these alone take more than half of the width, or a
 *       column beside them has no room, rows are records: a line for each column. A number with an interval is rounded
 * to the interval's first significant digit (its second where that is 1). All times (reals in s that are not measured)
 * have one prefix, the one that suits the median of the column with the longest times, and no exponent: 0.0063 µs
 * beside 12 µs. WHOLE names the formats that have the rows which are cut ("csv or json"). csv:  RFC 4180 with "\n" line
 * ends, header first; reals with 10 significant digits; quotes where needed; the empty text is "" and a missing cell
 * empty; without measured columns. The JSON form, an array of objects, is written by base/result.h. */
int cw_table_write_text(const struct cw_table *table, unsigned terminal_width, const char *whole, struct cw_text *text);
int cw_table_write_csv(const struct cw_table *table, struct cw_text *text);

/* Writes the table to the file PATH as CSV. Nothing is written if the table has an error. */
int cw_table_save_csv(const struct cw_table *table, const char *path);

CW_END_DECLS

#endif
