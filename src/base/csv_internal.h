/* Pieces of CSV, for tables (base/table_csv.c) and results, whose rows begin with their context. */
#ifndef CW_BASE_CSV_INTERNAL_H
#define CW_BASE_CSV_INTERNAL_H

#include "base/table.h"

void cw_csv_field(struct cw_text *text, const char *field); /* in quotes where needed */
void cw_csv_header(const struct cw_table *table, struct cw_text *text);
void cw_csv_row(const struct cw_table *table, size_t row, struct cw_text *text);

#endif
