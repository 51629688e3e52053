#include "report/heat_map.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "report/plot_draw.h"

#define FEW_NUMBERS 16 /* rows and columns whose cells have their numbers in them */
#define FEW_CELLS   96 /* rows and columns that are drawn as shapes; more are one picture of dots */
#define FEW_NAMES   48 /* that have room */

struct range {
    double least, greatest;
    size_t n;
};

static struct range range_of(const struct cw_heat_map *map)
{
    struct range range = {INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        if (!isfinite(map->values[i])) continue;
        range.least = fmin(range.least, map->values[i]);
        range.greatest = fmax(range.greatest, map->values[i]);
        range.n++;
    }
    if (range.n == 0) return range;
    range.least = fmin(range.least, map->least);
    const double room = 1e-6 * fmax(fabs(range.least), fabs(range.greatest));
    if (!(range.greatest - range.least > room)) range.greatest = range.least + 1; /* all are alike */
    return range;
}

static void add_label(struct cw_text *script, const char *which, const char *label, const char *unit)
{
    if (!label) return;
    cw_text_printf(script, "set %slabel ", which);
    cw_plot_quote(script, label, unit);
    cw_text_add(script, "\n");
}

/* The names of an axis: all, or every so many that there is room for. */
static void add_names(struct cw_text *script, char axis, const char *const *names, size_t n)
{
    const size_t step = (n + FEW_NAMES - 1) / FEW_NAMES;
    if (!names && n > FEW_NAMES) return; /* gnuplot numbers them itself */
    cw_text_printf(script, "set %ctics %s(", axis, axis == 'x' && names ? "rotate by 45 right " : "");
    for (size_t i = 0; i < n; i += step) {
        if (i > 0) cw_text_add(script, ", ");
        if (names)
            cw_plot_quote(script, names[i], NULL);
        else
            cw_text_printf(script, "'%zu'", i);
        cw_text_printf(script, " %zu", i);
    }
    cw_text_add(script, ")\n");
}

/* From white to a dark blue over the lightness that all see alike. */
static void add_header(struct cw_text *script, const struct cw_heat_map *map, const struct range *range)
{
    cw_plot_begin(script, 800, 720, 15);
    cw_text_add(script,
                "unset key\n"
                "set border linecolor rgb '#404040'\n"
                "set tics scale 0 nomirror\n"
                "set size ratio -1\n"
                "set palette defined (0 '#F7FBFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B')\n");
    cw_text_printf(script, "set cbrange [%.10g:%.10g]\nset xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\n",
                   range->least, range->greatest, map->columns - 1, map->rows - 1);
    if (map->title) {
        cw_text_add(script, "set ");
        cw_plot_title(script, map->title, 18, 780);
    }
    add_label(script, "x", map->column, NULL);
    add_label(script, "y", map->row, NULL);
    add_label(script, "cb", map->value, map->unit);
    add_names(script, 'x', map->column_names, map->columns);
    add_names(script, 'y', map->row_names, map->rows);
}

/* Whether VALUE's colour is so dark that what is written on it is white. */
static bool is_dark(const struct range *range, double value)
{
    return value - range->least > 0.6 * (range->greatest - range->least);
}

/* A line for each cell that has a value: all, or those that are DARK or not with what is written on them. */
static void add_cells(struct cw_text *script, const struct cw_heat_map *map, const struct range *range,
                      const char *name, bool numbers, bool dark)
{
    cw_text_printf(script, "\n$%s << END\n", name);
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        const double value = map->values[i];
        if (!isfinite(value) || (numbers && is_dark(range, value) != dark)) continue;
        cw_text_printf(script, numbers ? "%zu %zu %.3g\n" : "%zu %zu %.10g\n", i % map->columns, i / map->columns,
                       value);
    }
    cw_text_add(script, "END\n");
}

/* gnuplot takes no block without a line. */
static bool has_numbers(const struct cw_heat_map *map, const struct range *range, bool dark)
{
    if (map->rows > FEW_NUMBERS || map->columns > FEW_NUMBERS) return false;
    for (size_t i = 0; i < map->rows * map->columns; i++)
        if (isfinite(map->values[i]) && is_dark(range, map->values[i]) == dark) return true;
    return false;
}

int cw_heat_map_script(const struct cw_heat_map *map, struct cw_text *script)
{
    const struct range range = range_of(map);
    if (range.n == 0) return cw_fail(CW_EUSAGE, "a map of colours without a value that can be drawn");
    const bool shapes = map->rows <= FEW_CELLS && map->columns <= FEW_CELLS;
    const bool dark = has_numbers(map, &range, true), light = has_numbers(map, &range, false);
    add_header(script, map, &range);
    add_cells(script, map, &range, "cells", false, false);
    if (dark) add_cells(script, map, &range, "dark", true, true);
    if (light) add_cells(script, map, &range, "light", true, false);
    cw_text_printf(
        script, "\nplot $cells using 1:2:%s",
        shapes ? "(0.5):(0.5):3 with boxxyerror fillstyle solid border linecolor rgb '#FFFFFF' linecolor palette"
               : "3 with image");
    if (dark) cw_text_add(script, ", \\\n     $dark using 1:2:3 with labels textcolor rgb 'white'");
    if (light) cw_text_add(script, ", \\\n     $light using 1:2:3 with labels textcolor rgb 'black'");
    cw_text_add(script, "\n");
    return cw_text_check(script);
}

int cw_heat_map_write(const struct cw_heat_map *map, const char *path)
{
    struct cw_text script = {0};
    int rc = cw_heat_map_script(map, &script);
    if (!rc) rc = cw_plot_draw(&script, path);
    cw_text_free(&script);
    return rc;
}
