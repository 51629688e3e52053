/* Figures of a result, which columns of its tables make a picture: checks, copies, JSON. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/results/result_content.h"

static const char *const kinds[CW_FIGURE_KINDS] = /* as JSON has them */
    {"lines", "bars", "heat-map", "sorted", "histogram", "timeline"};

#define OF(KIND)  (1u << CW_FIGURE_##KIND)
#define AT(FIELD) offsetof(struct cw_figure, FIELD)

/* The columns that a figure may name; ended by one without a key. */
static const struct field {
    const char *key; /* in JSON */
    size_t offset;
    unsigned kinds, needed; /* bits of enum cw_figure_kind: which have it, and which cannot do without */
    bool number;            /* not text */
} fields[] = {
    {"x", AT(x), OF(LINES) | OF(HISTOGRAM), OF(LINES) | OF(HISTOGRAM), true},
    {"y", AT(y), OF(LINES) | OF(SORTED) | OF(HISTOGRAM), OF(LINES) | OF(SORTED) | OF(HISTOGRAM), true},
    {"ci95", AT(ci95), OF(LINES), 0, true},
    {"low", AT(low), OF(LINES), 0, true},
    {"median", AT(median), OF(LINES), 0, true},
    {"high", AT(high), OF(LINES), 0, true},
    {"min", AT(min), OF(LINES), 0, true},
    {"max", AT(max), OF(LINES), 0, true},
    {"samples", AT(samples), OF(LINES), 0, true},
    {"series", AT(series), OF(LINES) | OF(BARS), 0, false},
    {"marked", AT(marked), OF(LINES), 0, false},
    {"rows", AT(rows), OF(BARS), OF(BARS), false},
    {"row", AT(row), OF(HEAT_MAP), OF(HEAT_MAP), false},
    {"column", AT(column), OF(HEAT_MAP), OF(HEAT_MAP), false},
    {"value", AT(value), OF(HEAT_MAP), OF(HEAT_MAP), true},
    {"who", AT(who), OF(TIMELINE), OF(TIMELINE), false},
    {"from", AT(from), OF(TIMELINE), OF(TIMELINE), true},
    {"to", AT(to), OF(TIMELINE), OF(TIMELINE), true},
    {.key = NULL},
};

/* The name that FIGURE gives for field I, or NULL. */
static const char *column_of(const struct cw_figure *figure, size_t i)
{
    const char *name;
    memcpy(&name, (const char *)figure + fields[i].offset, sizeof name);
    return name;
}

void cw_figure_free(struct cw_figure *figure)
{
    for (size_t i = 0; figure->panels && i < figure->n_panels; i++) free((void *)figure->panels[i].best);
    free((void *)figure->panels);
    free((void *)figure->title);
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* TABLE has a column NAME; of numbers if NUMBER; and in each run, as all formats show it. */
static int check_column(const struct cw_table *table, const char *name, bool number)
{
    const size_t at = cw_table_find_column(table, name);
    if (at == cw_table_columns(table))
        return cw_fail(CW_EINTERNAL, "a figure: table '%s' has no column '%s'", cw_table_name(table), name);
    const struct cw_column *column = cw_table_column(table, at);
    if (column->measured || (number && column->type == CW_COLUMN_TEXT))
        return cw_fail(CW_EINTERNAL, "a figure: column '%s' of table '%s' is %s", name, cw_table_name(table),
                       column->measured ? "measured" : "text, not numbers");
    return 0;
}

static int check_columns(const struct cw_figure *figure, const struct cw_table *table)
{
    const unsigned kind = 1u << figure->kind;
    int rc = 0;
    for (size_t i = 0; !rc && fields[i].key; i++) {
        const struct field *field = &fields[i];
        const char *name = column_of(figure, i);
        if (name ? !(field->kinds & kind) : (field->needed & kind) != 0)
            return cw_fail(CW_EINTERNAL, "a figure of %s: %s %s", kinds[figure->kind], field->key,
                           name ? "means nothing there" : "is needed");
        if (name) rc = check_column(table, name, field->number);
    }
    return rc;
}

static int check_others(const struct cw_result *result, const struct cw_figure *figure, const struct cw_table *table)
{
    const bool some = figure->low || figure->median || figure->high || figure->min || figure->max || figure->samples;
    const bool all = figure->low && figure->median && figure->high && figure->min && figure->max && figure->samples;
    if (some && !all) return cw_fail(CW_EINTERNAL, "a figure with some of low, median, high, min, max and samples");
    if ((figure->kind == CW_FIGURE_BARS) != (figure->n_panels > 0))
        return cw_fail(CW_EINTERNAL, "a figure of %s with %zu panels", kinds[figure->kind], figure->n_panels);
    int rc = 0;
    for (size_t i = 0; !rc && i < figure->n_panels; i++) {
        rc = check_column(table, figure->panels[i].y, true);
        if (!rc && figure->panels[i].ci95) rc = check_column(table, figure->panels[i].ci95, true);
    }
    if (rc || !figure->names) return rc;
    const struct cw_table *names = cw_result_find_table(result, figure->names_table);
    if (!names || figure->kind != CW_FIGURE_HEAT_MAP)
        return cw_fail(CW_EINTERNAL, "a figure of %s with names of table '%s'", kinds[figure->kind],
                       figure->names_table);
    rc = check_column(names, figure->names_key, true);
    return rc ? rc : check_column(names, figure->names, false);
}

/* --- a copy ------------------------------------------------------------------------------------------------------- */

static int copy_panels(struct cw_figure *figure, const struct cw_figure *from, size_t rows)
{
    struct cw_figure_panel *panels = cw_new_array(from->n_panels, sizeof *panels, "panels of a figure");
    figure->panels = panels;
    if (!panels) return CW_ENOMEM;
    for (size_t i = 0; i < from->n_panels; i++) {
        panels[i] = from->panels[i];
        if (!from->panels[i].best) continue;
        bool *best = cw_new_array(rows, sizeof *best, "panels of a figure");
        panels[i].best = best;
        if (!best) return CW_ENOMEM;
        memcpy(best, from->panels[i].best, rows * sizeof *best);
    }
    return 0;
}

int cw_result_figure(struct cw_result *result, const struct cw_figure *figure)
{
    const struct cw_table *table = cw_result_find_table(result, figure->table);
    if (!table) return cw_fail(CW_EINTERNAL, "a figure of table '%s', which the result does not have", figure->table);
    int rc = check_columns(figure, table);
    if (!rc) rc = check_others(result, figure, table);
    if (!rc)
        rc = cw_grow_array((void **)&result->figures, &result->capacity_figures, result->n_figures + 1,
                           sizeof *result->figures, "figures of a result");
    if (rc) return rc;
    struct cw_figure copy = *figure;
    const char *title = figure->title ? figure->title : cw_table_title(table);
    copy.panels = NULL;
    copy.title = cw_copy_text(title ? title : "", title ? strlen(title) : 0);
    if (!copy.title) rc = CW_ENOMEM;
    if (!rc && figure->n_panels > 0) rc = copy_panels(&copy, figure, cw_table_rows(table));
    if (rc) {
        cw_figure_free(&copy);
        return rc;
    }
    result->figures[result->n_figures++] = copy;
    return 0;
}

size_t cw_result_figures(const struct cw_result *result)
{
    return result->n_figures;
}

const struct cw_figure *cw_result_figure_at(const struct cw_result *result, size_t i)
{
    return &result->figures[i];
}

/* --- as JSON ------------------------------------------------------------------------------------------------------ */

static void set_text(json_t **object, const char *key, const char *text)
{
    if (text) cw_json_set(object, key, cw_json_string(text));
}

/* The numbers of the rows that are BEST. */
static json_t *best_json(const bool *best, size_t rows)
{
    json_t *array = json_array();
    for (size_t r = 0; r < rows; r++)
        if (best[r]) cw_json_append(&array, json_integer((json_int_t)r));
    return array;
}

static json_t *panels_json(const struct cw_result *result, const struct cw_figure *figure)
{
    const size_t rows = cw_table_rows(cw_result_find_table(result, figure->table));
    json_t *panels = json_array();
    for (size_t i = 0; i < figure->n_panels; i++) {
        json_t *panel = json_object();
        set_text(&panel, "y", figure->panels[i].y);
        set_text(&panel, "ci95", figure->panels[i].ci95);
        set_text(&panel, "label", figure->panels[i].label);
        if (figure->panels[i].best) cw_json_set(&panel, "best_rows", best_json(figure->panels[i].best, rows));
        cw_json_append(&panels, panel);
    }
    return panels;
}

static json_t *names_json(const struct cw_figure *figure)
{
    json_t *names = json_object();
    set_text(&names, "table", figure->names_table);
    set_text(&names, "key", figure->names_key);
    set_text(&names, "name", figure->names);
    return names;
}

static json_t *range_json(double from, double to)
{
    json_t *range = json_array();
    cw_json_append(&range, json_real(from));
    cw_json_append(&range, json_real(to));
    return range;
}

/* What is not said is left out. */
static json_t *figure_json(const struct cw_result *result, const struct cw_figure *figure)
{
    json_t *object = json_object();
    set_text(&object, "kind", kinds[figure->kind]);
    set_text(&object, "table", figure->table);
    set_text(&object, "title", figure->title);
    for (size_t i = 0; fields[i].key; i++) set_text(&object, fields[i].key, column_of(figure, i));
    if (figure->n_panels > 0) cw_json_set(&object, "panels", panels_json(result, figure));
    if (figure->names) cw_json_set(&object, "names", names_json(figure));
    set_text(&object, "x_label", figure->x_label);
    set_text(&object, "y_label", figure->y_label);
    set_text(&object, "level_label", figure->level_label);
    if (figure->level_label) cw_json_set(&object, "level", json_real(figure->level));
    if (figure->x_from < figure->x_to) cw_json_set(&object, "x_range", range_json(figure->x_from, figure->x_to));
    if (figure->log_x) cw_json_set(&object, "log_x", json_true());
    if (figure->log_y) cw_json_set(&object, "log_y", json_true());
    if (figure->equal) cw_json_set(&object, "equal", json_true());
    return object;
}

json_t *cw_result_figures_json(const struct cw_result *result)
{
    json_t *figures = json_array();
    for (size_t i = 0; i < result->n_figures; i++) cw_json_append(&figures, figure_json(result, &result->figures[i]));
    return figures;
}
