/*
 * A result: tables, the sentences that say what they mean, and where all of it came from.
 *
 * A table is added before it is filled, so that what is finished is there whatever happens later: rows added to it
 * afterwards belong to the result, and with cw_result_stream they leave as CSV one by one.
 *
 * The context is what the whole result is about (enum cw_context). It stands in front of each row of CSV and once in
 * JSON; text has it in its headings.
 *
 * Everything needed to compute a result again is in the result: version, command line, seed and a SHA-256 hash of each
 * input file, pipes included. Text carries the tables, then the sentences, then provenance; JSON is one object {"tool",
 * "version", "command", "seed", "configuration": {"path", "options"}, "inputs": [{"path", "sha256"}], "context": {name:
 * value}, "complete": true, "tables": {name: {"columns": [{name, type, unit, help}], "rows": […]}}, "figures": […],
 * "notes": […]}. CSV has tables only, the header on the first line, an empty line between tables; its provenance and
 * column documentation go to FILE-metadata.json beside it, in the form of W3C "CSV on the Web". Measured columns are in
 * text, and elsewhere apart from the rows, which are the same in each run: JSON has a member "measured" after the
 * notes, with tables of these columns alone; the metadata of CSV has them among the properties of the run, as
 * TABLE.COLUMN with the values by row. The number of threads, the output and the format are left out of the command
 * line: they do not change results.
 */
#ifndef CW_BASE_RESULT_H
#define CW_BASE_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/decls.h"
#include "base/input.h"
#include "base/table.h"

CW_BEGIN_DECLS

enum cw_format { CW_FORMAT_TEXT, CW_FORMAT_CSV, CW_FORMAT_JSON };

/* What a result can be about, in the order of their columns. */
enum cw_context {
    CW_CONTEXT_NETWORK,
    CW_CONTEXT_ENDPOINTS,
    CW_CONTEXT_ROUTES,
    CW_CONTEXT_PLACEMENT,
    CW_CONTEXT_TRAFFIC,
    CW_CONTEXT_BACKGROUND,
    CW_CONTEXT_SEED,
    CW_CONTEXTS
};

enum cw_figure_kind {
    CW_FIGURE_LINES,     /* y by x, with what is known of how y varies: an interval, or quartiles and range */
    CW_FIGURE_BARS,      /* a panel a measure, in it a bar from 0 for each row */
    CW_FIGURE_HEAT_MAP,  /* value by row and column */
    CW_FIGURE_SORTED,    /* y of all rows, the greatest first */
    CW_FIGURE_HISTOGRAM, /* y, how many, by x */
    CW_FIGURE_TIMELINE,  /* a bar for each row, of `who`, from one moment to another */
    CW_FIGURE_KINDS
};

struct cw_figure_panel {
    const char *y, *ci95; /* columns; CI95 may be NULL */
    const char *label;    /* NULL: the name of the column */
    const bool *best;     /* [rows of the table]: those that no other is better than, where the table gets no
                           * more rows; NULL: not known */
};

/* A picture of a table: which of its columns are what. Fields that are not needed are 0. */
struct cw_figure {
    enum cw_figure_kind kind;
    const char *table, *title; /* TITLE: NULL for the table's */

    /* Columns. All but those whose kind is said are of lines. */
    const char *x;                                         /* lines, histograms */
    const char *y;                                         /* lines, sorted, histograms */
    const char *ci95;                                      /* half width of the interval of y */
    const char *low, *median, *high, *min, *max, *samples; /* quartiles, range and size of the sample: all or none */
    const char *series;               /* what tells lines apart; of bars, the other half of a row's name */
    const char *marked;               /* text: where it is "yes", y is marked, and no line leads there */
    const char *rows;                 /* bars: names of the rows */
    const char *row, *column, *value; /* heat maps; whole numbers count all between the least and the greatest */
    const char *who, *from, *to;      /* time-lines */

    const struct cw_figure_panel *panels; /* bars: [n_panels], 1 or more */
    size_t n_panels;
    const char *names_table, *names_key,
        *names;                    /* heat maps: NAMES of the numbers NAMES_KEY, columns of another table */
    const char *x_label, *y_label; /* NULL: what help says of the column */
    const char *level_label;       /* what LEVEL is, a line across the plot; NULL: there is none; */
    double level;                  /* … of a heat map, the value of the lightest colour at most */
    double x_from, x_to;           /* of the axis; both 0: as the data have it */
    bool log_x, log_y;
    bool equal; /* lines: x and y are of one kind: y = x is drawn */
};

struct cw_result;

int cw_result_new(struct cw_result **out);
void cw_result_free(struct cw_result *result); /* its tables too */

void cw_result_set_command(struct cw_result *result, const char *command, uint64_t seed); /* copied */
const char *cw_result_command(const struct cw_result *result);                            /* NULL: not set */
/* Which defaults of options it has from the file PATH of the user's, "--seed=7 --threads=2": all of them that are part
 * of the command are there, too. PATH NULL: none. Copied. */
void cw_result_set_configuration(struct cw_result *result, const char *path, const char *options);
/* The files it was made from. Give this to cw_inputs_record, and what is read from then on is in the result. */
struct cw_inputs *cw_result_inputs(struct cw_result *result);
int cw_result_add_table(struct cw_result *result, struct cw_table *table);  /* takes it over, also on failure */
int cw_result_add_detail(struct cw_result *result, struct cw_table *table); /* the same, but left out of CSV */
/* Says that FIGURE shows something of a table that RESULT has. It is copied with its title, panels and rows that are
 * best; names of columns and labels are borrowed for the life of RESULT. CW_EINTERNAL if the kind needs a column that
 * is not named, has none like one that is, or the table has no such column, with numbers where they are needed. */
int cw_result_figure(struct cw_result *result, const struct cw_figure *figure);
size_t cw_result_figures(const struct cw_result *result);
const struct cw_figure *cw_result_figure_at(const struct cw_result *result, size_t i);
/* A sentence, or several lines; said again, it is there once. After two blanks an element of a list; after four, such
 * as commands to type, one that stays whole in text, too. */
void cw_result_note(struct cw_result *result, const char *format, ...) CW_PRINTF(2, 3);
/* The same of what TEXT holds, which is freed; one that found no memory is the result's failure. */
void cw_result_note_text(struct cw_result *result, struct cw_text *text);
size_t cw_result_notes(const struct cw_result *result);
const char *cw_result_note_at(const struct cw_result *result, size_t i); /* borrowed */

/* Keeps VALUE, a JSON value that is taken over (NULL: there was no memory for it), under NAME among what is known of
 * the run: the metadata of CSV have it. A value of that name is replaced. */
struct json_t;
void cw_result_set_property(struct cw_result *result, const char *name, struct json_t *value);

/* Says what the result is about; VALUE is copied, a whole number for endpoints and seed; NULL: nothing. Before the
 * first row of a stream. A table that has a column of the same name keeps its own instead. */
void cw_result_set_context(struct cw_result *result, enum cw_context what, const char *value);
void cw_result_set_context_number(struct cw_result *result, enum cw_context what, uint64_t value);

/* From now on each row of CSV is given to WRITE(CONTEXT) as soon as it is finished, the header with the first; rows of
 * further tables follow when the one before has the rows it expects. What WRITE refuses with an error is not repeated:
 * cw_result_end_stream returns its first error. That writes what is left, headers of empty tables, too. */
void cw_result_stream(struct cw_result *result, int (*write)(void *context, const struct cw_text *text), void *context);
int cw_result_end_stream(struct cw_result *result);

/* Says that the result ends early, and REASON: rows that are not finished are dropped, and every format tells what is
 * missing. Returns that sentence (borrowed), e.g. "interrupted; table noise has 2 of 9 rows". */
const char *cw_result_end_early(struct cw_result *result, const char *reason);

/* 0, or the first error of the result or one of its tables. */
int cw_result_check(const struct cw_result *result);

size_t cw_result_rows(const struct cw_result *result); /* finished, of all tables */
size_t cw_result_tables(const struct cw_result *result);
const struct cw_table *cw_result_table(const struct cw_result *result, size_t i);
const struct cw_table *cw_result_find_table(const struct cw_result *result, const char *name); /* NULL: there is none */

/* Appends the result in FORMAT to TEXT. TERMINAL_WIDTH as in cw_table_write_text. */
int cw_result_write(const struct cw_result *result, enum cw_format format, unsigned terminal_width,
                    struct cw_text *text);
/* Appends the metadata of a CSV file called URL: {"@context": "http://www.w3.org/ns/csvw", "url": …}. */
int cw_result_write_metadata(const struct cw_result *result, const char *url, struct cw_text *text);
/* Writes it to the file PATH-metadata.json. */
int cw_result_save_metadata(const struct cw_result *result, const char *path);

/* Writes TABLE, which is none of the result's tables but about the same, to the file PATH as CSV: each row begins with
 * the context. If columns of it are measured, PATH-metadata.json is written, too. */
int cw_result_save_csv(const struct cw_result *result, const struct cw_table *table, const char *path);
/* The same, with PATH-metadata.json in any case. */
int cw_result_save_described(const struct cw_result *result, const struct cw_table *table, const char *path);

CW_END_DECLS

#endif
