#include "report/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "report/figure_internal.h"
#include "report/plot_draw.h"

#define LABEL_SIZE 40 /* letters that an axis has room for */
#define TITLE_SIZE 64 /* letters that fit; of longer titles what is in brackets is left out */

/* --- cells -------------------------------------------------------------------------------------------------------- */

size_t cw_figure_column_of(const struct cw_table *table, const char *name)
{
    return name ? cw_table_find_column(table, name) : CW_NO_COLUMN;
}

double cw_figure_value(const struct cw_table *table, size_t row, size_t column)
{
    return column == CW_NO_COLUMN ? (double)NAN : cw_table_cell_real(table, row, column);
}

/* A cell as it stands in a legend or beside a bar. */
const char *cw_figure_words(const struct cw_table *table, size_t row, size_t column, char buffer[CW_FIGURE_WORDS])
{
    const struct cw_column *is = cw_table_column(table, column);
    const char *text = cw_table_cell_text(table, row, column);
    if (cw_table_cell_missing(table, row, column))
        snprintf(buffer, CW_FIGURE_WORDS, "-");
    else if (is->type == CW_COLUMN_TEXT)
        snprintf(buffer, CW_FIGURE_WORDS, "%s", text);
    else if (is->type == CW_COLUMN_INT && is->unit && strcmp(is->unit, "byte") == 0)
        cw_format_bytes((uint64_t)cw_table_cell_int(table, row, column), buffer, CW_FIGURE_WORDS);
    else
        snprintf(buffer, CW_FIGURE_WORDS, "%.10g", cw_table_cell_real(table, row, column));
    return buffer;
}

bool cw_figure_alike(const struct cw_table *table, size_t a, size_t b, size_t column)
{
    char one[CW_FIGURE_WORDS], other[CW_FIGURE_WORDS];
    return strcmp(cw_figure_words(table, a, column, one), cw_figure_words(table, b, column, other)) == 0;
}

/* FIRST [rows] gets a row for each different cell of COLUMN, in order; of no column the first row. */
size_t cw_figure_different(const struct cw_table *table, size_t column, size_t *first)
{
    size_t n = 0;
    for (size_t r = 0; r < cw_table_rows(table); r++) {
        size_t i = 0;
        while (i < n && column != CW_NO_COLUMN && !cw_figure_alike(table, first[i], r, column)) i++;
        if (i == n) first[n++] = r;
        if (column == CW_NO_COLUMN) break;
    }
    return n;
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

static double greatest_of(const struct cw_table *table, size_t column)
{
    double greatest = 0;
    for (size_t r = 0; r < cw_table_rows(table); r++)
        greatest = fmax(greatest, fabs(cw_figure_value(table, r, column)));
    return greatest;
}

struct cw_figure_scale cw_figure_scale_of(const struct cw_table *table, size_t column, bool logarithmic)
{
    static const char *const bytes[] = {"byte", "kB", "MB", "GB", "TB"};
    const char *unit = cw_table_column(table, column)->unit, *prefix;
    const double greatest = greatest_of(table, column);
    struct cw_figure_scale scale = {.factor = 1};
    snprintf(scale.unit, sizeof scale.unit, "%s", unit ? unit : "");
    if (!unit || logarithmic || greatest == 0) return scale;
    if (strcmp(unit, "s") == 0) {
        scale.factor = pow(10, -cw_time_prefix(greatest, &prefix));
        snprintf(scale.unit, sizeof scale.unit, "%ss", prefix);
    } else if (strncmp(unit, "byte", 4) == 0 && (!unit[4] || strcmp(unit, "byte/s") == 0)) {
        size_t power = 0;
        for (double left = greatest; left >= 1000 && power < 4; left /= 1000) power++;
        scale.factor = pow(1000, -(double)power);
        snprintf(scale.unit, sizeof scale.unit, "%s%s", bytes[power], unit + 4);
    }
    return scale;
}

/* LABEL, or what help says of the column up to its first semicolon. */
const char *cw_figure_label(const struct cw_table *table, size_t column, const char *label,
                            char buffer[CW_FIGURE_WORDS])
{
    const char *help = cw_table_column(table, column)->help;
    snprintf(buffer, CW_FIGURE_WORDS, "%.*s", (int)(label ? strlen(label) : strcspn(help, ";:")), label ? label : help);
    for (char *comma; !label && strlen(buffer) > LABEL_SIZE && (comma = strrchr(buffer, ','));) *comma = 0;
    return buffer;
}

/* Its title, with which part of what there is is shown: "first 12 of 40". */
const char *cw_figure_title(const struct cw_figure *figure, size_t shown, size_t all, char buffer[CW_FIGURE_TITLE])
{
    char part[64] = "";
    const char *brackets = strstr(figure->title, " (");
    const int length =
        (int)(strlen(figure->title) > TITLE_SIZE && brackets ? brackets - figure->title : CW_FIGURE_WORDS);
    if (shown < all) snprintf(part, sizeof part, " (first %zu of %zu)", shown, all);
    snprintf(buffer, CW_FIGURE_TITLE, "%.*s%s", length, figure->title, part);
    return buffer;
}

/* --- all of a result ---------------------------------------------------------------------------------------------- */

int cw_figure_script(const struct cw_result *result, const struct cw_figure *figure, struct cw_text *script)
{
    const struct cw_table *table = cw_result_find_table(result, figure->table);
    if (cw_table_rows(table) == 0) return cw_fail(CW_EUSAGE, "table '%s' has no rows to draw", figure->table);
    switch (figure->kind) {
    case CW_FIGURE_LINES:
        return cw_figure_lines(figure, table, script);
    case CW_FIGURE_BARS:
        return cw_figure_bars(figure, table, script);
    case CW_FIGURE_HEAT_MAP:
        return cw_figure_heat_map(result, figure, table, script);
    case CW_FIGURE_SORTED:
        return cw_figure_sorted(figure, table, script);
    case CW_FIGURE_HISTOGRAM:
        return cw_figure_histogram(figure, table, script);
    case CW_FIGURE_TIMELINE:
        return cw_figure_timeline(figure, table, script);
    case CW_FIGURE_KINDS:
        break;
    }
    return cw_fail(CW_EINTERNAL, "there is no kind %d of figures", (int)figure->kind);
}

/* The script of FIGURE, whose title says that it is not COMPLETE. */
static int make_script(const struct cw_result *result, const struct cw_figure *figure, bool complete,
                       struct cw_text *script)
{
    struct cw_figure entitled = *figure;
    struct cw_text title = {0};
    if (complete) return cw_figure_script(result, figure, script);
    cw_text_printf(&title, "INCOMPLETE: %s", figure->title);
    int rc = cw_text_check(&title);
    entitled.title = title.data;
    if (!rc) rc = cw_figure_script(result, &entitled, script);
    cw_text_free(&title);
    return rc;
}

/* Draws SCRIPT to PATH, or with a NUMBER above 1 beside it. What TITLE is where is appended to PLACES. */
static int draw(const struct cw_text *script, const char *path, size_t number, const char *title,
                struct cw_text *places)
{
    struct cw_text name = {0};
    const int stem = (int)strlen(path) - 4;
    if (number > 1)
        cw_text_printf(&name, "%.*s-%zu%s", stem, path, number, path + stem);
    else
        cw_text_add(&name, path);
    int rc = cw_text_check(&name);
    if (!rc) rc = cw_plot_draw(script, name.data);
    if (!rc) cw_text_printf(places, "\n  %s: %s", name.data, title);
    cw_text_free(&name);
    return rc;
}

int cw_figures_draw(struct cw_result *result, bool complete, const char *path)
{
    struct cw_text places = {0};
    size_t drawn = 0, left_out = 0;
    int rc = cw_plot_check_name(path);
    cw_text_add(&places, "Figures:");
    for (size_t i = 0; !rc && i < cw_result_figures(result); i++) {
        const struct cw_figure *figure = cw_result_figure_at(result, i);
        struct cw_text script = {0};
        rc = make_script(result, figure, complete, &script);
        if (rc == CW_EUSAGE) {
            cw_text_printf(&places, "\n  not drawn: %s: %s", figure->title, cw_error_message());
            left_out++;
            rc = 0;
        } else if (!rc) {
            rc = draw(&script, path, ++drawn, figure->title, &places);
        }
        cw_text_free(&script);
    }
    if (!rc && drawn == 0 && left_out == 0) rc = cw_fail(CW_EUSAGE, "--plot: this result has no figure");
    if (!rc && drawn == 0) rc = CW_EUSAGE; /* as the last one said */
    if (!rc && drawn + left_out > 1)
        cw_result_note_text(result, &places);
    else
        cw_text_free(&places);
    return rc;
}
