#include "cli/compare/install_column.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

int install_add(struct install_column *column, struct cw_compared *of, const char *spec)
{
    const char *verdict;
    int rc = cw_grow_array((void **)&column->rows, &column->capacity, column->n + 1, sizeof *column->rows, "rows");
    if (rc) return rc;
    struct cw_install *row = &column->rows[column->n];
    *row = (struct cw_install){.is_done = of != NULL};
    if (of && spec) rc = cw_compared_deadlock(of, &verdict);
    if (!rc && of && spec) rc = cw_install_find(of->routes, spec, verdict, row);
    if (!rc) column->n++;
    return rc;
}

void install_free(struct install_column *column)
{
    for (size_t i = 0; i < column->n; i++) cw_text_free(&column->rows[i].words);
    free(column->rows);
}

void install_cell(const struct install_column *column, struct cw_table *table)
{
    const char *words = column->rows[column->n - 1].words.data;
    if (words)
        cw_table_text(table, words);
    else
        cw_table_none(table);
}

static int note_best(const struct install_column *column, struct cw_result *result, const struct cw_measure *measure,
                     struct cw_measured *figures, char *const *names)
{
    struct cw_text text = {0};
    bool *best = cw_new_array(column->n, sizeof *best, "rows");
    if (!best) return CW_ENOMEM;
    for (size_t i = 0; i < column->n; i++)
        if (!column->rows[i].is_done) figures[i] = (struct cw_measured){.value = (double)NAN, .ci95 = (double)NAN};
    const size_t lead = cw_measured_best(measure->kind->better, figures, column->n, best);
    for (size_t i = 0; i < column->n; i++)
        if (best[i])
            cw_text_printf(&text, "%s%s", text.length > 0 ? ", " : "Best of what can be installed: ", names[i]);
    cw_text_printf(&text, ", by %s.", measure->spec);
    if (lead < column->n)
        cw_result_note_text(result, &text);
    else
        cw_text_free(&text);
    free(best);
    return 0;
}

int install_notes(const struct install_column *column, struct cw_result *result, const struct cw_measure *measure,
                  struct cw_measured *figures, char *const *names)
{
    bool file = false, levels = false, roots = false;
    const int rc = measure ? note_best(column, result, measure, figures, names) : 0;
    for (size_t i = 0; i < column->n; i++) {
        file |= column->rows[i].by_file;
        levels |= column->rows[i].by_levels;
        roots |= column->rows[i].by_roots;
    }
    cw_result_note(
        result, "install: routing_engine and what follows it go into opensm.conf.%s%s%s",
        file ? " FILE of opensm -R file is what crosswind route --routing NAME --write FILE writes." : "",
        roots ? " FILE of root_guid_file and cn_guid_file is what its --write-roots and --write-compute write." : "",
        levels ? " That engine of OpenSM sets no service levels: whoever loads tables that need lanes must "
                 "set those of --write-path-records and --write-sl2vl, too."
               : "");
    return rc;
}
