#include "cli/compare/measure_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/rows.h"

#define SUFFIX_SIZE 8 /* "_ratio" */

int measure_columns_begin(struct measure_columns *columns, size_t others, const struct cw_measure *measures, size_t n)
{
    const size_t most = others + 3 * n + 1;
    *columns = (struct measure_columns){.measures = measures, .n_measures = n};
    columns->columns = cw_new_array(most, sizeof *columns->columns + sizeof *columns->words, "columns");
    if (!columns->columns) return CW_ENOMEM;
    columns->words = (struct column_words *)(columns->columns + most);
    return 0;
}

static struct column_words *add(struct measure_columns *columns, enum cw_column_type type, const char *unit)
{
    struct column_words *words = &columns->words[columns->n];
    columns->columns[columns->n++] =
        (struct cw_column){.name = words->name, .type = type, .unit = unit, .help = words->help};
    return words;
}

void measure_columns_add(struct measure_columns *columns, enum cw_column_type type, const char *name, const char *help)
{
    struct column_words *words = add(columns, type, NULL);
    snprintf(words->name, sizeof words->name, "%s", name);
    snprintf(words->help, sizeof words->help, "%s", help);
}

/* "noise:0.25" as the name of a column. */
static void column_name(const char *spec, char *name)
{
    size_t n = 0;
    for (const char *c = spec; *c && n + SUFFIX_SIZE < COLUMN_NAME_SIZE; c++) {
        const bool plain = isalnum((unsigned char)*c);
        if (plain || (n > 0 && name[n - 1] != '_')) name[n++] = plain ? (char)tolower((unsigned char)*c) : '_';
    }
    while (n > 0 && name[n - 1] == '_') n--;
    name[n] = 0;
}

static void add_measure(struct measure_columns *columns, const struct cw_measure *measure, const char *base)
{
    const struct cw_measure_kind *kind = measure->kind;
    struct column_words *words = add(columns, kind->in_words ? CW_COLUMN_TEXT : CW_COLUMN_REAL, kind->unit), *of;
    const int room = COLUMN_NAME_SIZE - SUFFIX_SIZE;
    column_name(measure->spec, words->name);
    snprintf(words->help, sizeof words->help, "%s", kind->help);
    if (kind->uncertain) {
        of = add(columns, CW_COLUMN_REAL, kind->unit);
        columns->columns[columns->n - 1].interval = true;
        snprintf(of->name, sizeof of->name, "%.*s_ci95", room, words->name);
        snprintf(of->help, sizeof of->help, "%s", kind->uncertain);
    }
    if (!kind->ratio) return;
    of = add(columns, CW_COLUMN_REAL, NULL);
    snprintf(of->name, sizeof of->name, "%.*s_ratio", room, words->name);
    snprintf(of->help, sizeof of->help, "the same / that of %s", base);
}

static int check_names(const struct measure_columns *columns)
{
    for (size_t i = 0; i < columns->n; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(columns->words[i].name, columns->words[j].name) == 0)
                return cw_fail(CW_EUSAGE, "--measure: two measures would have columns called %s",
                               columns->words[i].name);
    return 0;
}

int measure_columns_end(struct measure_columns *columns, const char *base, struct cw_result *result, const char *name,
                        const char *title, struct cw_table **out)
{
    for (size_t i = 0; i < columns->n_measures; i++) add_measure(columns, &columns->measures[i], base);
    if (columns->last.name) measure_columns_add(columns, CW_COLUMN_TEXT, columns->last.name, columns->last.help);
    int rc = check_names(columns);
    if (!rc) rc = cw_result_new_table(result, name, title, columns->columns, columns->n, out);
    if (rc)
        free(columns->columns);
    else
        cw_table_keep(*out, columns->columns);
    return rc;
}

struct cw_figure_panel measure_panel(const struct measure_columns *columns, size_t i)
{
    char name[COLUMN_NAME_SIZE];
    size_t at = 0;
    column_name(columns->measures[i].spec, name);
    while (strcmp(columns->words[at].name, name) != 0) at++;
    return (struct cw_figure_panel){.y = columns->words[at].name,
                                    .ci95 = columns->measures[i].kind->uncertain ? columns->words[at + 1].name : NULL};
}

int measure_figure(const struct measure_columns *columns, struct cw_result *result, const struct cw_figure *bars,
                   const char *first, const bool *best)
{
    const size_t rows = cw_table_rows(cw_result_find_table(result, bars->table));
    struct cw_figure_panel *panels = cw_new_array(columns->n_measures + 1, sizeof *panels, "panels of a figure");
    struct cw_figure figure = *bars;
    if (!panels) return CW_ENOMEM;
    if (first) panels[figure.n_panels++].y = first;
    for (size_t i = 0; i < columns->n_measures; i++) {
        if (columns->measures[i].kind->in_words) continue;
        panels[figure.n_panels] = measure_panel(columns, i);
        panels[figure.n_panels++].best = best ? best + i * rows : NULL;
    }
    figure.panels = panels;
    const int rc = figure.n_panels > 0 ? cw_result_figure(result, &figure) : 0;
    free(panels);
    return rc;
}

const char *measures_undrawn(const struct cw_measure *measures, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!measures[i].kind->in_words) return NULL;
    return "is for figures, and all measures are words";
}

void measure_cells(const struct measure_columns *columns, struct cw_table *table, const struct cw_measured *figures,
                   const struct cw_measured *base)
{
    for (size_t i = 0; i < columns->n_measures; i++) {
        const struct cw_measure_kind *kind = columns->measures[i].kind;
        const struct cw_measured *is = &figures[i];
        if (kind->in_words && is->word)
            cw_table_text(table, is->word);
        else if (kind->in_words)
            cw_table_none(table);
        else
            cw_table_real(table, is->value);
        if (kind->uncertain) cw_table_real(table, is->ci95 > 0 ? is->ci95 : (double)NAN);
        if (kind->ratio) cw_table_real(table, base[i].value != 0 ? is->value / base[i].value : (double)NAN);
    }
}

void measures_note(struct cw_result *result, const struct cw_measure *measures, size_t n)
{
    struct cw_text text = {0};
    cw_text_add(&text, "Each figure is the one that the verb gives for the network by itself, with its usual "
                       "parameters:");
    for (size_t i = 0; i < n; i++) cw_text_printf(&text, "\n  %s: %s", measures[i].spec, measures[i].kind->help);
    cw_result_note_text(result, &text);
}

/* --- what is best ------------------------------------------------------------------------------------------------- */

static const struct cw_column best_columns[] = {
    {"measure", CW_COLUMN_TEXT, NULL, "what is compared"},
    {"best", CW_COLUMN_TEXT, NULL,
     "the rows that no other is better than by more than chance; missing if nothing is known to differ"},
    {"value", CW_COLUMN_REAL, NULL, "the best value"},
    {"next", CW_COLUMN_TEXT, NULL, "the best of the others"},
    {"next_value", CW_COLUMN_REAL, NULL, "its value"},
};

/* Gathers the figures [rows] of measure I, and which are BEST; as cw_measured_best. */
static size_t gather(const struct cw_measure *measures, size_t n, size_t i, const struct cw_measured *figures,
                     size_t rows, struct cw_measured *gathered, bool *best)
{
    for (size_t r = 0; r < rows; r++) gathered[r] = figures[r * n + i];
    return cw_measured_best(measures[i].kind->better, gathered, rows, best);
}

/* The row of MEASURE, of whose N FIGURES the one at LEAD is the best, and those in BEST are no worse. */
static int add_best(struct cw_table *table, const struct cw_measure *measure, const struct cw_measured *figures,
                    const bool *best, size_t lead, char *const *names, size_t n)
{
    const bool more = measure->kind->better == CW_BETTER_MORE;
    struct cw_text text = {0};
    size_t next = n;
    cw_table_text(table, measure->spec);
    if (lead == n) {
        for (int i = 0; i < 4; i++) cw_table_none(table);
        return 0;
    }
    for (size_t r = 0; r < n; r++) {
        if (best[r]) cw_text_printf(&text, "%s%s", text.length > 0 ? ", " : "", names[r]);
        if (best[r] || isnan(figures[r].value)) continue;
        if (next == n || (more ? figures[r].value > figures[next].value : figures[r].value < figures[next].value))
            next = r;
    }
    const int rc = cw_text_check(&text);
    if (!rc) cw_table_row(table, "%s %g %s %g", text.data, figures[lead].value, names[next], figures[next].value);
    cw_text_free(&text);
    return rc;
}

int measures_add_best(struct cw_result *result, const struct cw_measure *measures, size_t n,
                      const struct cw_measured *figures, char *const *names, size_t rows)
{
    struct cw_table *table;
    struct cw_measured *gathered = cw_new_array(rows, sizeof *gathered, "figures");
    bool *best = cw_new_array(rows, sizeof *best, "figures");
    int rc = gathered && best ? 0 : CW_ENOMEM;
    if (!rc)
        rc =
            cw_result_new_detail(result, "best", "Which are best, by more than chance", CW_ITEMS(best_columns), &table);
    for (size_t i = 0; !rc && i < n; i++) {
        if (measures[i].kind->better == CW_BETTER_NEITHER) continue;
        const size_t lead = gather(measures, n, i, figures, rows, gathered, best);
        rc = add_best(table, &measures[i], gathered, best, lead, names, rows);
    }
    free(gathered);
    free(best);
    return rc;
}

int measures_find_best(const struct cw_measure *measures, size_t n, const struct cw_measured *figures, size_t rows,
                       bool **best)
{
    struct cw_measured *gathered = cw_new_array(rows, sizeof *gathered, "figures");
    bool *found = cw_new_array(rows * n, sizeof *found, "figures");
    if (!gathered || !found) {
        free(gathered);
        free(found);
        return CW_ENOMEM;
    }
    for (size_t i = 0; i < n; i++) gather(measures, n, i, figures, rows, gathered, found + i * rows);
    free(gathered);
    *best = found;
    return 0;
}
