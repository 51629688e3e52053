/* What the kinds of figures share (report/figure.h): cells of tables as words and numbers, labels, titles, axes. */
#ifndef CW_REPORT_FIGURE_INTERNAL_H
#define CW_REPORT_FIGURE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/result.h"
#include "report/plot.h"

CW_BEGIN_DECLS

#define CW_FIGURE_WORDS 160 /* of a buffer for a name or a label */
#define CW_FIGURE_TITLE 320 /* … for a title */
#define CW_NO_COLUMN    SIZE_MAX

/* The place of the column NAME, or of none for NULL. */
size_t cw_figure_column_of(const struct cw_table *table, const char *name);

/* NaN of no column. */
double cw_figure_value(const struct cw_table *table, size_t row, size_t column);

/* A cell as it stands in a legend or beside a bar. */
const char *cw_figure_words(const struct cw_table *table, size_t row, size_t column, char buffer[CW_FIGURE_WORDS]);
bool cw_figure_alike(const struct cw_table *table, size_t a, size_t b, size_t column);

/* FIRST [rows] gets a row for each different cell of COLUMN, in order; of no column the first row. Their number. */
size_t cw_figure_different(const struct cw_table *table, size_t column, size_t *first);

/* How the values of a column are written: VALUE * factor, in UNIT ("": none). */
struct cw_figure_scale {
    double factor;
    char unit[16];
};

struct cw_figure_scale cw_figure_scale_of(const struct cw_table *table, size_t column, bool logarithmic);

/* LABEL, or what help says of the column up to its first semicolon or colon; if that is long, without what follows
 * commas. */
const char *cw_figure_label(const struct cw_table *table, size_t column, const char *label,
                            char buffer[CW_FIGURE_WORDS]);

/* Its title, with which part of what there is is shown: "first 12 of 40". */
const char *cw_figure_title(const struct cw_figure *figure, size_t shown, size_t all, char buffer[CW_FIGURE_TITLE]);

/* --- the scripts of each kind; as cw_figure_script ---------------------------------------------------------------- */

int cw_figure_lines(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script);
int cw_figure_histogram(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script);
int cw_figure_sorted(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script);
int cw_figure_bars(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script);
int cw_figure_timeline(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script);
int cw_figure_heat_map(const struct cw_result *result, const struct cw_figure *figure, const struct cw_table *table,
                       struct cw_text *script);

CW_END_DECLS

#endif
