/*
 * Tables in fewer words: whole rows, all columns of an array, and tables that belong to a result from the beginning.
 *
 *     rc = cw_result_new_table(result, "lids", "Routes to each LID", CW_ITEMS(columns), &table);
 *     if (!rc) cw_table_row(table, "%s %u %g -", name, n, mean);
 */
#ifndef CW_REPORT_ROWS_H
#define CW_REPORT_ROWS_H

#include "base/decls.h"
#include "base/result.h"
#include "base/table.h"

CW_BEGIN_DECLS

/* An array and the number of its items, as functions want them. */
#define CW_ITEMS(ARRAY) (ARRAY), sizeof(ARRAY) / sizeof *(ARRAY)

/* Fills the next cells, one for each word of FORMAT: a whole number (%d or %u, also with l, ll or z), a real (%g), a
 * text (%s, not NULL) or a missing cell (-). The compiler checks the arguments as those of printf. */
void cw_table_row(struct cw_table *table, const char *format, ...) CW_PRINTF(2, 3);

/* A new table of RESULT, which owns it: base/table.h. */
int cw_result_new_table(struct cw_result *result, const char *name, const char *title, const struct cw_column *columns,
                        size_t n_columns, struct cw_table **out);

/* The same, left out of CSV. */
int cw_result_new_detail(struct cw_result *result, const char *name, const char *title, const struct cw_column *columns,
                         size_t n_columns, struct cw_table **out);

CW_END_DECLS

#endif
