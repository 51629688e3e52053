/* Tables with a column for each measure, of compare, what-if and study. */
#ifndef CW_CLI_MEASURE_COLUMNS_H
#define CW_CLI_MEASURE_COLUMNS_H

#include "base/result.h"
#include "study/compare/measures.h"

#define COLUMN_NAME_SIZE 64
#define COLUMN_HELP_SIZE 192

struct measure_columns {
    const struct cw_measure *measures; /* borrowed */
    size_t n_measures;
    struct last_column {
        const char *name, *help;
    } last;                    /* of texts, behind those of the measures; NULL: none */
    struct cw_column *columns; /* the table's, once there is one, with the texts behind them */
    struct column_words {
        char name[COLUMN_NAME_SIZE], help[COLUMN_HELP_SIZE];
    } * words;
    size_t n;
};

/* Room for OTHERS columns before those of MEASURES (borrowed). */
int measure_columns_begin(struct measure_columns *columns, size_t others, const struct cw_measure *measures, size_t n);

/* The next of the others. */
void measure_columns_add(struct measure_columns *columns, enum cw_column_type type, const char *name, const char *help);

/* Adds those of the measures, whose ratios are to BASE ("the first row"), and makes a table of RESULT, which takes the
 * columns over, also on failure. CW_EUSAGE if two measures would have columns of the same name. */
int measure_columns_end(struct measure_columns *columns, const char *base, struct cw_result *result, const char *name,
                        const char *title, struct cw_table **out);

/* Measure I, which is a number, as a panel of bars; names are borrowed of the table. */
struct cw_figure_panel measure_panel(const struct measure_columns *columns, size_t i);

/* Declares BARS, a figure of the table of COLUMNS, in RESULT, with a panel for each measure that is a number; before
 * them one of the column FIRST, unless it is NULL. BEST [measures][rows] may be NULL. */
int measure_figure(const struct measure_columns *columns, struct cw_result *result, const struct cw_figure *bars,
                   const char *first, const bool *best);

/* Why N MEASURES have no such figure, as struct verb has it; NULL: they have one. */
const char *measures_undrawn(const struct cw_measure *measures, size_t n);

/* The cells of FIGURES [n_measures] beside those of the base. */
void measure_cells(const struct measure_columns *columns, struct cw_table *table, const struct cw_measured *figures,
                   const struct cw_measured *base);

/* Adds to RESULT the table `best`: which of ROWS, called NAMES, are the best by each of N MEASURES, as cw_measured_best
 * has it. FIGURES [rows][n]. */
int measures_add_best(struct cw_result *result, const struct cw_measure *measures, size_t n,
                      const struct cw_measured *figures, char *const *names, size_t rows);

/* The same for measure_figure: *BEST [n][rows] is the caller's. */
int measures_find_best(const struct cw_measure *measures, size_t n, const struct cw_measured *figures, size_t rows,
                       bool **best);

/* Says what each of N MEASURES is, and which verb gives it alone. */
void measures_note(struct cw_result *result, const struct cw_measure *measures, size_t n);

#endif
