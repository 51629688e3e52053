#include "report/rows.h"

#include <stdarg.h>
#include <string.h>

int cw_result_new_table(struct cw_result *result, const char *name, const char *title, const struct cw_column *columns,
                        size_t n_columns, struct cw_table **out)
{
    const int rc = cw_table_new(name, title, columns, n_columns, out);
    return rc ? rc : cw_result_add_table(result, *out);
}

int cw_result_new_detail(struct cw_result *result, const char *name, const char *title, const struct cw_column *columns,
                         size_t n_columns, struct cw_table **out)
{
    const int rc = cw_table_new(name, title, columns, n_columns, out);
    return rc ? rc : cw_result_add_detail(result, *out);
}

void cw_table_row(struct cw_table *table, const char *format, ...)
{
    va_list cells;
    va_start(cells, format);
    for (const char *word = format; *word; word += strspn(word, " ")) {
        const bool wide = word[1] == 'l' || word[1] == 'z'; /* long, long long, size_t: 64 bits, all of them */
        const size_t length = strcspn(word, " ");
        switch (word[length - 1]) {
        case 's':
            cw_table_text(table, va_arg(cells, const char *));
            break;
        case 'g':
            cw_table_real(table, va_arg(cells, double));
            break;
        case 'd':
            cw_table_int(table, wide ? va_arg(cells, int64_t) : va_arg(cells, int));
            break;
        case 'u':
            cw_table_int(table, wide ? (int64_t)va_arg(cells, uint64_t) : (int64_t)va_arg(cells, unsigned));
            break;
        default:
            cw_table_none(table);
        }
        word += length;
    }
    va_end(cells);
}
