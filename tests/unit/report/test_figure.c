/* Figures that results declare: the scripts of each kind, from tables with gaps and hostile names, what is left out and
 * said to be, and where several figures go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../skip.h"
#include "base/error.h"
#include "base/result.h"
#include "report/figure.h"
#include "report/plot.h"
#include "report/rows.h"

static const struct cw_column columns[] = {
    {"name", CW_COLUMN_TEXT, NULL, "who"},
    {"rank", CW_COLUMN_INT, NULL, "rank that sends, or would"},
    {"bytes", CW_COLUMN_INT, "byte", "message size: of one"},
    {"load", CW_COLUMN_REAL, NULL, "offered load, of what can be injected by an endpoint alone"},
    {"time_mean", CW_COLUMN_REAL, "s", "its time"},
    {"time_ci95", CW_COLUMN_REAL, "s", "half width of its interval", .interval = true},
    {"full", CW_COLUMN_TEXT, NULL, "saturated"},
    {"seconds", CW_COLUMN_REAL, "s", "of computing", .measured = true},
};

static struct cw_result *new_result(struct cw_table **table)
{
    struct cw_result *result;
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_result_new_table(result, "rows", "All rows", CW_ITEMS(columns), table), 0);
    return result;
}

/* Two lines, not in order, with a gap, a marked point and names that mean something to gnuplot. */
static struct cw_result *sample(void)
{
    struct cw_table *table;
    struct cw_result *result = new_result(&table);
    cw_table_row(table, "%s %d %d %g %g %g %s %g", "it's `ls`", 0, 1024, 0.9, 0.004, NAN, "yes", 1.0);
    cw_table_row(table, "%s %d %d %g %g %g %s %g", "it's `ls`", 2, 2048, 0.1, 0.001, 0.0005, "no", 1.0);
    cw_table_row(table, "%s %d %d %g %g %g %s %g", "it's `ls`", 1, 3072, 0.5, NAN, NAN, "no", 1.0);
    cw_table_row(table, "%s %d %d %g %g %g %s %g", "plain", 3, 1048576, 0.1, 0.002, NAN, "no", 1.0);
    return result;
}

static struct cw_text script_of(struct cw_result *result, const struct cw_figure *figure)
{
    struct cw_text script = {0};
    if (cw_result_figure(result, figure)) fail_msg("%s", cw_error_message());
    const struct cw_figure *kept = cw_result_figure_at(result, cw_result_figures(result) - 1);
    if (cw_figure_script(result, kept, &script)) fail_msg("%s", cw_error_message());
    return script;
}

/* PART stands in the script of FIGURE of the sample; NOT, unless it is NULL, does not. */
static void check_script(const struct cw_figure *figure, const char *const *parts, const char * not )
{
    struct cw_result *result = sample();
    struct cw_text script = script_of(result, figure);
    for (; *parts; parts++)
        if (!strstr(script.data, *parts)) fail_msg("no '%s' in\n%s", *parts, script.data);
    if (not &&strstr(script.data, not )) fail_msg("'%s' in\n%s", not, script.data);
    cw_text_free(&script);
    cw_result_free(result);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* --- kinds -------------------------------------------------------------------------------------------------------- */

static const struct cw_figure lines = {.kind = CW_FIGURE_LINES,
                                       .table = "rows",
                                       .title = "Times",
                                       .x = "load",
                                       .y = "time_mean",
                                       .ci95 = "time_ci95",
                                       .series = "name",
                                       .marked = "full",
                                       .level_label = "limit",
                                       .level = 0.003};

/* By x, in ms; the gap and what is marked break the line; the marker of the latter is open, in the line's colour. */
static void test_lines(void **state)
{
    (void)state;
    static const char whole[] =
        "\n$series0 << END\n0.1 1\n\n\nEND\n$errors0 << END\n0.1 1 0.5 1.5\nEND\n"
        "\n$series1 << END\n0.1 2\nEND\n"
        "\n$series2 << END\n0.9 4\nEND\n"
        "\nplot 3 with lines linecolor rgb '#595959' linewidth 1.5 dashtype 2 title 'limit', \\\n"
        "     $errors0 using 1:2:3:4 with yerrorbars linecolor rgb '#0072B2' linewidth 1.5 pointtype -1 notitle, \\\n"
        "     $series0 using 1:2 with linespoints linecolor rgb '#0072B2' linewidth 2 dashtype 1 pointtype 7 pointsize "
        "0.8 title 'it''s `ls`', \\\n"
        "     $series1 using 1:2 with linespoints linecolor rgb '#D55E00' linewidth 2 dashtype 1 pointtype 5 pointsize "
        "0.8 title 'plain', \\\n"
        "     $series2 using 1:2 with points linecolor rgb '#0072B2' pointtype 6 pointsize 0.8 title 'full'\n";
    check_script(
        &lines, PARTS("set title 'Times'", "set xlabel 'offered load'\n", "set ylabel 'its time [ms]'\n", whole), NULL);
    struct cw_figure figure = lines;
    figure.series = figure.marked = figure.ci95 = figure.level_label = NULL;
    figure.x = "bytes";
    figure.log_x = figure.log_y = true;
    check_script(&figure,
                 PARTS("set xlabel 'message size [byte]'\n", "set logscale x 10\n", "set logscale y 10\n",
                       "set xtics ('1 KiB' 1024, '2 KiB' 2048, '3 KiB' 3072, '1 MiB' 1048576)\n",
                       "$series0 << END\n1024 0.004\n2048 0.001\n\n1048576 0.002\nEND\n", "with linespoints"),
                 " title 'it");
}

static void test_bars(void **state)
{
    (void)state;
    static const bool best[] = {false, true, false, false};
    static const struct cw_figure_panel panels[] = {{.y = "time_mean", .ci95 = "time_ci95", .best = best},
                                                    {.y = "bytes", .label = "a_size"}};
    const struct cw_figure figure = {
        .kind = CW_FIGURE_BARS, .table = "rows", .rows = "name", .series = "rank", .panels = panels, .n_panels = 2};
    check_script(&figure,
                 PARTS("title 'All rows'", "set title 'time [ms]'", "set title 'a size [MB]'",
                       "('it''s `ls`, rank 0' 0, 'it''s `ls`, rank 2' 1, 'it''s `ls`, rank 1' 2, 'plain, rank 3' 3)",
                       "$other0 << END\n0 4 0\n3 2 0\nEND\n$best0 << END\n1 1 0.5\nEND\n"
                       "$interval0 << END\n1 1 0.5\nEND\n",
                       "$other1 << END\n0 0.001024 0\n", "set xrange [0:"),
                 "$best1");
}

/* Numbers of both sides together, gaps left blank; and names. */
static void test_heat_map(void **state)
{
    (void)state;
    struct cw_figure figure = {
        .kind = CW_FIGURE_HEAT_MAP, .table = "rows", .row = "rank", .column = "name", .value = "time_mean"};
    check_script(&figure,
                 PARTS("set ylabel 'rank that sends, or would'\n", "set xlabel 'who'\n",
                       "set cblabel 'its time [ms]'\n", "set xtics rotate by 45 right ('it''s `ls`' 0, 'plain' 1)",
                       "set ytics ('0' 0, '1' 1, '2' 2, '3' 3)", "$cells << END\n0 0 4\n0 2 1\n1 3 2\nEND\n"),
                 NULL);
    figure.row = figure.column = "rank";
    figure.names_table = "rows";
    figure.names_key = "rank";
    figure.names = "name";
    figure.level = 0.5;
    check_script(&figure,
                 PARTS("set cbrange [0.5:4]", "('0 it''s `ls`' 0, '1 it''s `ls`' 1, '2 it''s `ls`' 2, '3 plain' 3)",
                       "$cells << END\n0 0 4\n2 2 1\n3 3 2\nEND\n"),
                 NULL);
}

static void test_distributions(void **state)
{
    (void)state;
    check_script(&(struct cw_figure){.kind = CW_FIGURE_SORTED, .table = "rows", .y = "time_mean"},
                 PARTS("$series0 << END\n1 4\n2 2\n3 1\nEND\n", "set xrange [1:3]\n", "set yrange [0:*]\n",
                       "set xlabel 'place, the greatest first'\n"),
                 NULL);
    check_script(&(struct cw_figure){.kind = CW_FIGURE_HISTOGRAM, .table = "rows", .x = "rank", .y = "bytes"},
                 PARTS("set boxwidth 0.9\n", "set xrange [-1:4]\n", "set yrange [0:*]\n", "with boxes fillstyle solid",
                       "$series0 << END\n0 0.001024\n2 0.002048\n1 0.003072\n3 1.048576\nEND\n"),
                 NULL);
    check_script(
        &(struct cw_figure){.kind = CW_FIGURE_HISTOGRAM, .table = "rows", .x = "rank", .y = "bytes", .log_y = true},
        PARTS("set yrange [0.5:*]\n", "set logscale y 10\n"), NULL);
}

static void test_timeline(void **state)
{
    (void)state;
    const struct cw_figure figure = {
        .kind = CW_FIGURE_TIMELINE, .table = "rows", .who = "name", .from = "time_ci95", .to = "time_mean"};
    check_script(&figure,
                 PARTS("set title 'All rows'", "set xlabel 'time [ms]'\n", "set yrange [1.5:-0.5]\n",
                       "set ytics scale 0 ('it''s `ls`' 0, 'plain' 1)\n", "$spans << END\n0 0.5 1\nEND\n",
                       "plot $spans using 2:1:2:3:"),
                 "first");
}

static const struct cw_column quartiles[] = {
    {"x", CW_COLUMN_REAL, NULL, "x"},   {"series", CW_COLUMN_INT, NULL, "y"}, {"mean", CW_COLUMN_REAL, NULL, "y"},
    {"min", CW_COLUMN_REAL, NULL, "y"}, {"q25", CW_COLUMN_REAL, NULL, "y"},   {"q50", CW_COLUMN_REAL, NULL, "y"},
    {"q75", CW_COLUMN_REAL, NULL, "y"}, {"max", CW_COLUMN_REAL, NULL, "y"},   {"n", CW_COLUMN_INT, NULL, "y"},
};

/* Boxes, with the mean among them unless there are several series. */
static void test_quartiles(void **state)
{
    (void)state;
    struct cw_table *table;
    struct cw_result *result = new_result(&table);
    struct cw_figure figure = {.kind = CW_FIGURE_LINES,
                               .table = "boxes",
                               .x = "x",
                               .y = "mean",
                               .min = "min",
                               .low = "q25",
                               .median = "q50",
                               .high = "q75",
                               .max = "max",
                               .samples = "n",
                               .x_to = 1};
    assert_int_equal(cw_result_new_table(result, "boxes", "Boxes", CW_ITEMS(quartiles), &table), 0);
    cw_table_row(table, "%g %d %g %g %g %g %g %g %d", 0.5, 1, 2.5, 1.0, 2.0, 3.0, 4.0, 5.0, 4);
    cw_table_row(table, "%g %d %g %g %g %g %g %g %d", 0.6, 1, NAN, NAN, NAN, NAN, NAN, NAN, 0);
    struct cw_text script = script_of(result, &figure);
    assert_non_null(strstr(script.data, "set xrange [0:1]\n"));
    assert_non_null(strstr(script.data, "$series0 << END\n0.5 2.5\n\nEND\n"));
    assert_non_null(strstr(script.data, "$boxes0 << END\n0.42 2\n0.58 2\n")); /* without a notch: four are too few */
    assert_non_null(strstr(script.data, "$whiskers0 << END\n0.5 1\n0.5 2\n"));
    cw_text_free(&script);
    cw_table_row(table, "%g %d %g %g %g %g %g %g %d", 0.5, 2, 2.5, 1.0, 2.0, 3.0, 4.0, 5.0, 4);
    figure.series = "series";
    script = script_of(result, &figure);
    assert_null(strstr(script.data, "$series0"));
    assert_non_null(strstr(script.data, "$boxes1"));
    cw_text_free(&script);
    cw_result_free(result);
}

/* --- too much, and nothing ---------------------------------------------------------------------------------------- */

/* Of 60 points each has a marker, of more none. A range that is given has the unit of the axis: seconds in ms here. */
static void test_dense(void **state)
{
    (void)state;
    for (int n = 60; n <= 61; n++) {
        struct cw_table *table;
        struct cw_result *result = new_result(&table);
        for (int i = 0; i < n; i++)
            cw_table_row(table, "%s %d %d %g %g %g %s %g", "a", i, 1, 0.5, 1e-3 * (i + 1), NAN, "no", 1.0);
        struct cw_text script = script_of(
            result,
            &(struct cw_figure){.kind = CW_FIGURE_LINES, .table = "rows", .x = "time_mean", .y = "load", .x_to = 0.08});
        assert_non_null(strstr(script.data, "set xrange [0:80]\n"));
        assert_true((strstr(script.data, "with linespoints") != NULL) == (n == 60));
        assert_non_null(strstr(script.data, n == 60 ? "pointtype" : "using 1:2 with lines"));
        cw_text_free(&script);
        cw_result_free(result);
    }
}

static void test_many(void **state)
{
    (void)state;
    struct cw_table *table;
    struct cw_result *result = new_result(&table);
    static const struct cw_figure_panel panel = {.y = "load"};
    const struct cw_figure bars = {
        .kind = CW_FIGURE_BARS, .table = "rows", .rows = "name", .panels = &panel, .n_panels = 1};
    for (int i = 0; i < 41; i++) {
        char name[16];
        snprintf(name, sizeof name, "row %d", i);
        cw_table_row(table, "%s %d %d %g %g %g %s %g", name, i, i, i + 1.0, 1.0, 1.0, "no", 1.0);
    }
    struct cw_text script = script_of(result, &lines);
    assert_non_null(strstr(script.data, "'Times (first 12 of 41)'"));
    assert_non_null(strstr(script.data, "title 'row 11'"));
    assert_null(strstr(script.data, "row 12"));
    cw_text_free(&script);
    script = script_of(result, &bars);
    assert_non_null(strstr(script.data, "'All rows (first 40 of 41)'"));
    assert_non_null(strstr(script.data, "'row 39' 39)"));
    cw_text_free(&script);
    cw_result_free(result);
}

static void test_nothing(void **state)
{
    (void)state;
    struct cw_table *table;
    struct cw_result *result = new_result(&table);
    struct cw_text script = {0};
    assert_int_equal(cw_figures_draw(result, true, "none.svg"), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "this result has no figure"));
    assert_int_equal(cw_result_figure(result, &lines), 0);
    assert_int_equal(cw_figures_draw(result, true, "none.svg"), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "table 'rows' has no rows to draw"));
    assert_int_equal(cw_figures_draw(result, true, "none.jpg"), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "NAME.svg, NAME.png or NAME.pdf"));
    cw_table_row(table, "- - - - - - - -");
    static const struct cw_figure_panel panel = {.y = "load"};
    const struct cw_figure all[] = {
        {.kind = CW_FIGURE_BARS, .table = "rows", .rows = "name", .panels = &panel, .n_panels = 1},
        {.kind = CW_FIGURE_HEAT_MAP, .table = "rows", .row = "rank", .column = "rank", .value = "load"},
        {.kind = CW_FIGURE_HEAT_MAP, .table = "rows", .row = "name", .column = "name", .value = "load"},
        {.kind = CW_FIGURE_SORTED, .table = "rows", .y = "load"},
        {.kind = CW_FIGURE_TIMELINE, .table = "rows", .who = "name", .from = "load", .to = "load"},
        {.kind = CW_FIGURE_HISTOGRAM, .table = "rows", .x = "rank", .y = "load"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) assert_int_equal(cw_result_figure(result, &all[i]), 0);
    for (size_t i = 0; i < cw_result_figures(result); i++)
        assert_int_equal(cw_figure_script(result, cw_result_figure_at(result, i), &script), CW_EUSAGE);
    cw_text_free(&script);
    cw_result_free(result);
}

static void test_large_map(void **state)
{
    (void)state;
    struct cw_table *table;
    struct cw_result *result = new_result(&table);
    struct cw_text script = {0};
    const struct cw_figure map = {
        .kind = CW_FIGURE_HEAT_MAP, .table = "rows", .row = "rank", .column = "rank", .value = "load"};
    cw_table_row(table, "- %d - %g - - - -", 1, 1.0);
    cw_table_row(table, "- %d - %g - - - -", 2049, 2.0);
    assert_int_equal(cw_result_figure(result, &map), 0);
    assert_int_equal(cw_figure_script(result, cw_result_figure_at(result, 0), &script), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "2049 rows or columns are more than the 2048 that a picture shows");
    cw_text_free(&script);
    cw_result_free(result);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* What FILE begins and ends with. */
static void check_file(const char *file, const char *begin, const char *end)
{
    static char content[1 << 18];
    FILE *stream = fopen(file, "r");
    if (!stream) fail_msg("no %s", file);
    const size_t n = fread(content, 1, sizeof content, stream), last = strlen(end);
    fclose(stream);
    assert_true(n > 100);
    assert_memory_equal(content, begin, strlen(begin));
    assert_memory_equal(content + n - last, end, last);
    assert_int_equal(unlink(file), 0);
}

/* Three figures, of which the second has no value, in all forms. */
static void test_files(void **state)
{
    (void)state;
    static const struct {
        const char *file, *second, *begin, *end;
    } forms[] = {{"f.svg", "f-2.svg", "<?xml", "</svg>\n"},
                 {"f.png", "f-2.png", "\x89PNG", "IEND\xae\x42\x60\x82"},
                 {"f.pdf", "f-2.pdf", "%PDF", "%%EOF\n"}};
    char directory[] = "/tmp/crosswind-figures-XXXXXX";
    if (cw_plot_check()) skip_because("gnuplot is missing");
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    for (int i = 0; i < 3; i++) {
        struct cw_table *empty;
        struct cw_text text = {0};
        struct cw_result *result = sample();
        assert_int_equal(cw_result_new_table(result, "none", "Nothing", CW_ITEMS(columns), &empty), 0);
        struct cw_figure none = lines;
        none.table = "none";
        none.title = "Nothing";
        const struct cw_figure third = {.kind = CW_FIGURE_SORTED, .table = "rows", .y = "load"};
        assert_int_equal(cw_result_figure(result, &lines), 0);
        assert_int_equal(cw_result_figure(result, &none), 0);
        assert_int_equal(cw_result_figure(result, &third), 0);
        if (cw_figures_draw(result, true, forms[i].file)) fail_msg("%s", cw_error_message());
        check_file(forms[i].file, forms[i].begin, forms[i].end);
        check_file(forms[i].second, forms[i].begin, forms[i].end);
        check_file("f.gp", "# Made by crosswind", " title 'full'\n");
        assert_int_equal(unlink("f-2.gp"), 0);
        assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 0, &text), 0);
        char wanted[200];
        snprintf(wanted, sizeof wanted,
                 "Figures:\n  %s: Times\n  not drawn: Nothing: table 'none' has no rows to draw\n  %s: All rows\n",
                 forms[i].file, forms[i].second);
        if (!strstr(text.data, wanted)) fail_msg("no '%s' in\n%s", wanted, text.data);
        cw_text_free(&text);
        cw_result_free(result);
    }
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(directory), 0);
}

/* A result that has ended early says so in every picture. */
static void test_incomplete(void **state)
{
    (void)state;
    char directory[] = "/tmp/crosswind-figures-XXXXXX", content[1 << 14];
    if (cw_plot_check()) skip_because("gnuplot is missing");
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    struct cw_result *result = sample();
    assert_int_equal(cw_result_figure(result, &lines), 0);
    if (cw_figures_draw(result, false, "early.svg")) fail_msg("%s", cw_error_message());
    FILE *stream = fopen("early.gp", "r");
    assert_non_null(stream);
    content[fread(content, 1, sizeof content - 1, stream)] = 0;
    fclose(stream);
    assert_non_null(strstr(content, "set title 'INCOMPLETE: Times' "));
    cw_result_free(result);
    assert_int_equal(unlink("early.gp"), 0);
    assert_int_equal(unlink("early.svg"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),         cmocka_unit_test(test_bars),      cmocka_unit_test(test_heat_map),
        cmocka_unit_test(test_distributions), cmocka_unit_test(test_quartiles), cmocka_unit_test(test_timeline),
        cmocka_unit_test(test_dense),         cmocka_unit_test(test_many),      cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_large_map),     cmocka_unit_test(test_files),     cmocka_unit_test(test_incomplete),
    };
    return run_cases(tests);
}
