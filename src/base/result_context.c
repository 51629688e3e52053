/* What a result is about, and that it ended early. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/result_content.h"

const struct cw_column cw_context_columns[CW_CONTEXTS] = {
    [CW_CONTEXT_NETWORK] = {"network", CW_COLUMN_TEXT, NULL, "network, as given"},
    [CW_CONTEXT_ENDPOINTS] = {"endpoints", CW_COLUMN_INT, NULL, "endpoints that take part"},
    [CW_CONTEXT_ROUTES] = {"routes", CW_COLUMN_TEXT, NULL, "routing engine, or file of tables or paths"},
    [CW_CONTEXT_PLACEMENT] = {"placement", CW_COLUMN_TEXT, NULL, "which endpoint each rank runs on"},
    [CW_CONTEXT_TRAFFIC] = {"traffic", CW_COLUMN_TEXT, NULL, "pattern, collective or checked plan"},
    [CW_CONTEXT_BACKGROUND] = {"background", CW_COLUMN_TEXT, NULL, "what the perturbing endpoints send"},
    [CW_CONTEXT_SEED] = {"seed", CW_COLUMN_INT, NULL, "of all random choices"},
};

void cw_result_set_context(struct cw_result *result, enum cw_context what, const char *value)
{
    char *copy = value ? cw_copy_text(value, strlen(value)) : NULL;
    if (value && !copy) result->failed = true;
    if (result->streamed.any) result->late = true;
    free(result->context[what]);
    result->context[what] = copy;
}

void cw_result_set_context_number(struct cw_result *result, enum cw_context what, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    cw_result_set_context(result, what, digits);
}

bool cw_result_shows_context(const struct cw_result *result, const struct cw_table *table, enum cw_context what)
{
    if (!result->context[what]) return false;
    for (size_t c = 0; c < cw_table_columns(table); c++)
        if (strcmp(cw_table_column(table, c)->name, cw_context_columns[what].name) == 0) return false;
    return true;
}

const char *cw_result_end_early(struct cw_result *result, const char *reason)
{
    struct cw_text text = {0};
    cw_text_add(&text, reason);
    for (size_t i = 0; i < result->n_tables; i++) {
        struct cw_table *table = result->tables[i].table;
        cw_table_cut(table);
        if (cw_table_rows(table) < cw_table_expected(table))
            cw_text_printf(&text, "; table %s has %zu of %zu rows", cw_table_name(table), cw_table_rows(table),
                           cw_table_expected(table));
    }
    free(result->missing);
    result->missing = text.data;
    result->failed |= cw_text_check(&text) != 0;
    return result->missing ? result->missing : "";
}
