#include "cli/interval_note.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of means only: the value that decides a claim may be exact. */
static bool lacks_interval(const struct cw_table *table, size_t row)
{
    for (size_t i = 1; i < cw_table_columns(table); i++)
        if (cw_table_column(table, i)->interval && strstr(cw_table_column(table, i - 1)->name, "_mean") &&
            cw_table_cell_missing(table, row, i) && !cw_table_cell_missing(table, row, i - 1))
            return true;
    return false;
}

void note_missing_intervals(struct cw_result *result)
{
    for (size_t t = 0; t < cw_result_tables(result); t++) {
        const struct cw_table *table = cw_result_table(result, t);
        for (size_t row = 0; row < cw_table_rows(table); row++) {
            if (!lacks_interval(table, row)) continue;
            cw_result_note(
                result,
                "A mean without ± has no confidence interval: it rests on fewer than %d samples, or on samples that "
                "are all equal.",
                CW_INTERVAL_SAMPLES);
            return;
        }
    }
}

const char *confidence_words(const struct cw_summary *summary, double scale, int places, char *buffer, size_t size)
{
    const double low = scale * (summary->mean - summary->ci95), high = scale * (summary->mean + summary->ci95);
    *buffer = 0;
    if (!isnan(summary->ci95)) snprintf(buffer, size, " (95 %% confidence %.*f to %.*f)", places, low, places, high);
    return buffer;
}
