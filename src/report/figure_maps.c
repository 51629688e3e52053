/* Figures as bars, as maps of colours and as time-lines. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/bars.h"
#include "report/figure_internal.h"
#include "report/heat_map.h"
#include "report/plot_draw.h"

#define MOST_BARS   40   /* that fit on a page */
#define MOST_CELLS  2048 /* rows and columns: a picture of more has more dots than a screen */
#define TIME_WIDTH  900  /* pixels of a time-line, as the next */
#define LINE_HEIGHT 26
#define TIME_AROUND 110 /* the lines */

/* --- bars --------------------------------------------------------------------------------------------------------- */

/* Room for all of a figure of bars. */
struct bars_room {
    struct cw_bar *bars; /* [panels][rows] */
    struct cw_bar_panel *panels;
    struct panel_words {
        char label[CW_FIGURE_WORDS];
        struct cw_figure_scale scale;
    } * words;
    char (*texts)[CW_FIGURE_TITLE]; /* [rows] */
    const char **names;
};

/* A column's name as words: "accepted_mean" is "accepted". */
static void name_panel(const char *column, char label[CW_FIGURE_WORDS])
{
    static const char mean[] = "_mean";
    size_t n = strlen(column);
    if (n >= sizeof mean && strcmp(column + n - strlen(mean), mean) == 0) n -= strlen(mean);
    snprintf(label, CW_FIGURE_WORDS, "%.*s", (int)n, column);
    for (char *c = label; *c; c++)
        if (*c == '_') *c = ' ';
}

/* "bcast", or of two columns "bcast, updn"; a number says of what it is: "bcast, hosts 16". */
static void name_bars(const struct cw_figure *figure, const struct cw_table *table, size_t rows, struct bars_room *room)
{
    const size_t name = cw_figure_column_of(table, figure->rows), other = cw_figure_column_of(table, figure->series);
    char one[CW_FIGURE_WORDS], two[CW_FIGURE_WORDS], what[CW_FIGURE_WORDS] = "";
    if (other != CW_NO_COLUMN && cw_table_column(table, other)->type != CW_COLUMN_TEXT)
        name_panel(figure->series, what);
    for (size_t r = 0; r < rows; r++) {
        const bool both = other != CW_NO_COLUMN && !cw_table_cell_missing(table, r, other);
        snprintf(room->texts[r], sizeof room->texts[r], "%s", cw_figure_words(table, r, name, one));
        if (both)
            snprintf(room->texts[r], sizeof room->texts[r], "%.100s, %s%s%.100s", one, what, *what ? " " : "",
                     cw_figure_words(table, r, other, two));
        room->names[r] = room->texts[r];
    }
}

static void fill_panel(const struct cw_figure *figure, const struct cw_table *table, size_t p, size_t rows,
                       struct bars_room *room)
{
    const struct cw_figure_panel *panel = &figure->panels[p];
    const size_t y = cw_figure_column_of(table, panel->y), ci95 = cw_figure_column_of(table, panel->ci95);
    struct panel_words *words = &room->words[p];
    words->scale = cw_figure_scale_of(table, y, false);
    name_panel(panel->label ? panel->label : panel->y, words->label);
    for (size_t r = 0; r < rows; r++)
        room->bars[p * rows + r] = (struct cw_bar){.value = cw_figure_value(table, r, y) * words->scale.factor,
                                                   .half_width = cw_figure_value(table, r, ci95) * words->scale.factor,
                                                   .best = panel->best && panel->best[r]};
    room->panels[p] = (struct cw_bar_panel){
        .label = words->label, .unit = *words->scale.unit ? words->scale.unit : NULL, .bars = room->bars + p * rows};
}

int cw_figure_bars(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script)
{
    const size_t all = cw_table_rows(table), rows = all < MOST_BARS ? all : MOST_BARS, panels = figure->n_panels;
    struct bars_room room = {
        cw_new_array(rows * panels, sizeof *room.bars, "bars"), cw_new_array(panels, sizeof *room.panels, "bars"),
        cw_new_array(panels, sizeof *room.words, "bars"), cw_new_array(rows, sizeof *room.texts, "bars"),
        cw_new_array(rows, sizeof *room.names, "bars")};
    char title[CW_FIGURE_TITLE];
    int rc = room.bars && room.panels && room.words && room.texts && room.names ? 0 : CW_ENOMEM;
    if (!rc) {
        name_bars(figure, table, rows, &room);
        for (size_t p = 0; p < panels; p++) fill_panel(figure, table, p, rows, &room);
        rc = cw_bars_script(&(struct cw_bars){.title = cw_figure_title(figure, rows, all, title),
                                              .row_names = room.names,
                                              .rows = rows,
                                              .panels = panels,
                                              .panel = room.panels},
                            script);
    }
    free(room.bars);
    free(room.panels);
    free(room.words);
    free(room.texts);
    free(room.names);
    return rc;
}

/* --- maps of colours ---------------------------------------------------------------------------------------------- */

/* What the rows, or the columns, of a map are: whole numbers from LEAST on, or the cells of rows. */
struct side {
    size_t column;
    bool numbered;
    int64_t least;
    size_t n;
    size_t *first; /* owned; not of numbers */
    char (*texts)[CW_FIGURE_WORDS];
    const char **names; /* [n]; NULL: numbers from 0 */
};

static void free_side(struct side *side)
{
    free(side->first);
    free(side->texts);
    free(side->names);
}

static void widen(const struct cw_table *table, size_t column, int64_t *least, int64_t *most)
{
    for (size_t r = 0; r < cw_table_rows(table); r++) {
        if (cw_table_cell_missing(table, r, column)) continue;
        const int64_t value = cw_table_cell_int(table, r, column);
        if (value < *least) *least = value;
        if (value > *most) *most = value;
    }
}

/* The name that FIGURE has for the number VALUE. */
static void name_number(const struct cw_result *result, const struct cw_figure *figure, int64_t value,
                        char text[CW_FIGURE_WORDS])
{
    const int n = snprintf(text, CW_FIGURE_WORDS, "%" PRId64, value);
    if (!figure->names) return;
    const struct cw_table *table = cw_result_find_table(result, figure->names_table);
    const size_t key = cw_figure_column_of(table, figure->names_key), name = cw_figure_column_of(table, figure->names);
    for (size_t r = 0; r < cw_table_rows(table); r++)
        if (cw_table_cell_real(table, r, key) == (double)value && cw_table_cell_text(table, r, name)) {
            snprintf(text + n, CW_FIGURE_WORDS - (size_t)n, " %s", cw_table_cell_text(table, r, name));
            return;
        }
}

static int name_side(const struct cw_result *result, const struct cw_figure *figure, const struct cw_table *table,
                     struct side *side)
{
    if (side->numbered && side->least == 0 && !figure->names) return 0;
    side->texts = cw_new_array(side->n, sizeof *side->texts, "names of a map");
    side->names = cw_new_array(side->n, sizeof *side->names, "names of a map");
    if (!side->texts || !side->names) return CW_ENOMEM;
    for (size_t i = 0; i < side->n; i++) {
        if (side->numbered)
            name_number(result, figure, side->least + (int64_t)i, side->texts[i]);
        else
            cw_figure_words(table, side->first[i], side->column, side->texts[i]);
        side->names[i] = side->texts[i];
    }
    return 0;
}

static int find_side(const struct cw_table *table, struct side *side)
{
    if (side->numbered) return 0;
    side->first = cw_new_array(cw_table_rows(table), sizeof *side->first, "names of a map");
    if (!side->first) return CW_ENOMEM;
    side->n = cw_figure_different(table, side->column, side->first);
    return 0;
}

/* Both sides of whole numbers have the same: who sends and who receives. */
static int find_sides(const struct cw_result *result, const struct cw_figure *figure, const struct cw_table *table,
                      struct side sides[2])
{
    const size_t columns[] = {cw_figure_column_of(table, figure->row), cw_figure_column_of(table, figure->column)};
    int64_t least = INT64_MAX, most = INT64_MIN;
    int rc = 0;
    for (int s = 0; s < 2; s++) {
        sides[s].column = columns[s];
        sides[s].numbered = cw_table_column(table, columns[s])->type == CW_COLUMN_INT;
        if (sides[s].numbered) widen(table, columns[s], &least, &most);
    }
    for (int s = 0; !rc && s < 2; s++) {
        sides[s].least = least;
        sides[s].n = sides[s].numbered && least <= most ? (size_t)((uint64_t)most - (uint64_t)least) + 1 : 0;
        rc = find_side(table, &sides[s]);
        if (!rc && sides[s].n > MOST_CELLS)
            rc = cw_fail(CW_EUSAGE, "%zu rows or columns are more than the %d that a picture shows", sides[s].n,
                         MOST_CELLS);
        if (!rc) rc = name_side(result, figure, table, &sides[s]);
    }
    return rc;
}

/* Which of SIDE's the cell of ROW is; n: none. */
static size_t place_of(const struct cw_table *table, const struct side *side, size_t row)
{
    size_t i = 0;
    if (cw_table_cell_missing(table, row, side->column)) return side->n;
    if (side->numbered) return (size_t)(cw_table_cell_int(table, row, side->column) - side->least);
    while (i < side->n && !cw_figure_alike(table, side->first[i], row, side->column)) i++;
    return i;
}

static int map_script(const struct cw_figure *figure, const struct cw_table *table, const struct side sides[2],
                      struct cw_text *script)
{
    const size_t cells = sides[0].n * sides[1].n, value = cw_figure_column_of(table, figure->value);
    const struct cw_figure_scale scale = cw_figure_scale_of(table, value, false);
    char title[CW_FIGURE_TITLE], labels[3][CW_FIGURE_WORDS];
    if (cells == 0) return cw_fail(CW_EUSAGE, "a map of colours without a row");
    double *values = cw_new_array(cells, sizeof *values, "a map of colours");
    if (!values) return CW_ENOMEM;
    for (size_t i = 0; i < cells; i++) values[i] = (double)NAN;
    for (size_t r = 0; r < cw_table_rows(table); r++) {
        const size_t row = place_of(table, &sides[0], r), column = place_of(table, &sides[1], r);
        if (row < sides[0].n && column < sides[1].n)
            values[row * sides[1].n + column] = cw_figure_value(table, r, value) * scale.factor;
    }
    const struct cw_heat_map map = {.title = cw_figure_title(figure, 0, 0, title),
                                    .row = cw_figure_label(table, sides[0].column, figure->y_label, labels[0]),
                                    .column = cw_figure_label(table, sides[1].column, figure->x_label, labels[1]),
                                    .value = cw_figure_label(table, value, NULL, labels[2]),
                                    .unit = *scale.unit ? scale.unit : NULL,
                                    .row_names = sides[0].names,
                                    .column_names = sides[1].names,
                                    .rows = sides[0].n,
                                    .columns = sides[1].n,
                                    .values = values,
                                    .least = figure->level};
    const int rc = cw_heat_map_script(&map, script);
    free(values);
    return rc;
}

int cw_figure_heat_map(const struct cw_result *result, const struct cw_figure *figure, const struct cw_table *table,
                       struct cw_text *script)
{
    struct side sides[2] = {{0}, {0}};
    int rc = find_sides(result, figure, table, sides);
    if (!rc) rc = map_script(figure, table, sides, script);
    free_side(&sides[0]);
    free_side(&sides[1]);
    return rc;
}

/* --- time-lines --------------------------------------------------------------------------------------------------- */

/* The bars of those who are on the first N lines; false if there are none. gnuplot takes no block without a line. */
static bool add_spans(const struct cw_figure *figure, const struct cw_table *table, const size_t *first, size_t n,
                      double factor, struct cw_text *script)
{
    const size_t who = cw_figure_column_of(table, figure->who), from = cw_figure_column_of(table, figure->from),
                 to = cw_figure_column_of(table, figure->to);
    bool any = false;
    cw_text_add(script, "$spans << END\n");
    for (size_t r = 0; r < cw_table_rows(table); r++) {
        const double begin = cw_figure_value(table, r, from), end = cw_figure_value(table, r, to);
        size_t line = 0;
        while (line < n && !cw_figure_alike(table, first[line], r, who)) line++;
        if (line == n || isnan(begin) || isnan(end)) continue;
        cw_text_printf(script, "%zu %.10g %.10g\n", line, begin * factor, end * factor);
        any = true;
    }
    cw_text_add(script, "END\n");
    return any;
}

static int add_timeline(const struct cw_figure *figure, const struct cw_table *table, const size_t *first, size_t all,
                        struct cw_text *script)
{
    const size_t who = cw_figure_column_of(table, figure->who), to = cw_figure_column_of(table, figure->to);
    const size_t n = all < MOST_BARS ? all : MOST_BARS;
    const struct cw_figure_scale scale = cw_figure_scale_of(table, to, false);
    char title[CW_FIGURE_TITLE], words[CW_FIGURE_WORDS];
    cw_plot_begin(script, TIME_WIDTH, n * LINE_HEIGHT + TIME_AROUND, 14);
    cw_text_printf(script,
                   "unset key\nset border 3 linecolor rgb '#404040'\nset tics nomirror\n"
                   "set grid xtics linecolor rgb '#DDDDDD' linewidth 1\nset yrange [%zu.5:-0.5]\nset ",
                   n - 1);
    cw_plot_title(script, cw_figure_title(figure, n, all, title), 17, TIME_WIDTH);
    cw_text_add(script, "set xlabel ");
    cw_plot_quote(script, figure->x_label ? figure->x_label : "time", *scale.unit ? scale.unit : NULL);
    for (size_t i = 0; i < n; i++) {
        cw_text_add(script, i == 0 ? "\nset ytics scale 0 (" : ", ");
        cw_plot_quote(script, cw_figure_words(table, first[i], who, words), NULL);
        cw_text_printf(script, " %zu", i);
    }
    cw_text_add(script, ")\n");
    if (!add_spans(figure, table, first, n, scale.factor, script))
        return cw_fail(CW_EUSAGE, "a time-line of nothing that has a beginning and an end");
    cw_text_add(script, "plot $spans using 2:1:2:3:($1-0.36):($1+0.36) with boxxyerror fillstyle solid border "
                        "linecolor rgb '#0072B2' linecolor rgb '#0072B2'\n");
    return cw_text_check(script);
}

int cw_figure_timeline(const struct cw_figure *figure, const struct cw_table *table, struct cw_text *script)
{
    size_t *first = cw_new_array(cw_table_rows(table), sizeof *first, "lines of a figure");
    if (!first) return CW_ENOMEM;
    const size_t all = cw_figure_different(table, cw_figure_column_of(table, figure->who), first);
    const int rc = add_timeline(figure, table, first, all, script);
    free(first);
    return rc;
}
