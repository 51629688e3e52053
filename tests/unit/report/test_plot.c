/* Plots: the script is what was asked for, and gnuplot makes of it a well-formed picture that holds all labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../skip.h"
#include "base/error.h"
#include "base/input.h"
#include "report/plot.h"

static const struct cw_plot_point falling[] = {
    {42, 0.35, 0.33, 0.38}, {72, 0.25, 0.24, 0.26}, {1056, 0.159, 0.155, 0.163}, {16512, 0.097}};
static const struct cw_plot_point broken[] = {{42, 0.4, 0}, {72, NAN, 0}, {1056, 0.42, NAN, NAN}, {16512, 0.40, 0}};

/* What would be markup, quotes, commands or variables to gnuplot, to a shell or to SVG. */
#define NASTY "a<b> & 'c' \"d\" `touch pwned` $(touch pwned) ^x_y{z} \\n @m %s #! é λ"

/* For one plot: a directory that is removed with its files. */
struct figure {
    char directory[64], picture[96], script[96];
};

static void begin(struct figure *figure)
{
    *figure = (struct figure){.directory = "/tmp/crosswind-plot-XXXXXX"};
    assert_non_null(mkdtemp(figure->directory));
    snprintf(figure->picture, sizeof figure->picture, "%s/a figure.svg", figure->directory);
    snprintf(figure->script, sizeof figure->script, "%s/a figure.gp", figure->directory);
}

static void end(const struct figure *figure)
{
    unlink(figure->picture);
    unlink(figure->script);
    assert_int_equal(rmdir(figure->directory), 0); /* nothing else was left there */
}

static void set_path(const char *path)
{
    assert_int_equal(setenv("PATH", path, 1), 0);
}

static char *script_of(const struct cw_plot *plot)
{
    struct cw_text text = {0};
    if (cw_plot_script(plot, &text) != 0) fail_msg("%s", cw_error_message());
    return text.data;
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* A series that belongs to another one has its colour and the open form of its marker; sizes that are not powers of ten
 * have labels. */
static void test_partner_and_sizes(void **state)
{
    (void)state;
    static const struct cw_plot_point sizes[] = {{512, 1, 0}, {2048, 2, 0}, {1024, 3, 0}};
    static const struct cw_plot_point wide[] = {{10, 1, 0}, {2048, 2, 0}};
    struct cw_plot_series series[] = {{.points = sizes, .n_points = 3},
                                      {.points = sizes, .n_points = 2},
                                      {.style = CW_PLOT_POINTS, .partner = 2, .points = sizes, .n_points = 1}};
    struct cw_plot plot = {.x = {.logarithmic = true}, .series = series, .n_series = 3};
    char *script = script_of(&plot);
    assert_true(has(script, "set xtics (512, 2048, 1024)\n"));
    assert_true(
        has(script, "$series1 using 1:2 with linespoints linecolor rgb '#D55E00' linewidth 2 dashtype 1 pointtype 5"));
    assert_true(has(script, "$series2 using 1:2 with points linecolor rgb '#D55E00' pointtype 4"));
    free(script);
    series[0].points = wide;
    series[0].n_points = 2;
    script = script_of(&plot);
    assert_false(has(script, "xtics"));
    free(script);
    series[0].points = sizes;
    plot.x.logarithmic = false;
    script = script_of(&plot);
    assert_false(has(script, "xtics"));
    free(script);
}

/* The plot of N points from XY, whose script must have PART. */
static void check_points(struct cw_plot plot, const struct cw_plot_point *points, size_t n, const char *part)
{
    const struct cw_plot_series series = {.points = points, .n_points = n};
    plot.series = &series;
    plot.n_series = 1;
    char *script = script_of(&plot);
    if (!has(script, part)) fail_msg("'%s' is not in:\n%s", part, script);
    free(script);
}

/* A single value is not an axis of a per cent around it; limits and several values stay as they are. */
static void test_single_values(void **state)
{
    (void)state;
    static const struct cw_plot_point one[] = {{4, 3, 0}, {4, 3, 0}, {NAN, 9, 0}}, zero[] = {{0, -2, 0}};
    static const struct cw_plot_point barred[] = {{4, 3, 2, 5}};
    const struct cw_plot plain = {.title = NULL}, fixed = {.x = {.min = 1, .max = 9}};
    const struct cw_plot logarithmic = {.x = {.logarithmic = true}};
    check_points(plain, one, 3, "set xrange [2:6]\nset yrange [1.5:4.5]\n");
    check_points(plain, zero, 1, "set xrange [-1:1]\nset yrange [-3:-1]\n");
    check_points(logarithmic, one, 2, "set xrange [1.333333333:12]\n");
    check_points(fixed, one, 2, "set xrange [1:9]\n");
    check_points(plain, barred, 1, "set xrange [2:6]\n\n"); /* the bar spans an axis */
}

/* Both axes have one range, from 0 on, that holds all points with their bars; and y = x is drawn. */
static void test_equal_axes(void **state)
{
    (void)state;
    static const struct cw_plot_point points[] = {{1, 3, 2, 4}, {2, 2}}, wide[] = {{10, 2, 0}, {3, 600, 0}};
    static const struct cw_plot_point low[] = {{-1, 1, 0}};
    const struct cw_plot equal = {.equal = true, .x = {.min = 1, .max = 2}};
    const struct cw_plot logarithmic = {.equal = true, .x = {.logarithmic = true}, .y = {.logarithmic = true}};
    struct cw_plot mixed = {.equal = true, .x = {.logarithmic = true}};
    check_points(equal, points, 2, "set xrange [0:4.2]\nset yrange [0:4.2]\nset size ratio 1\n");
    check_points(equal, points, 2, "plot x with lines linecolor rgb '#595959' linewidth 1.5 dashtype 2 title 'y = x'");
    check_points(equal, low, 1, "set xrange [-1.1:1.1]\nset yrange [-1.1:1.1]\n");
    check_points(logarithmic, wide, 2, "set yrange [1.666666667:720]\n");
    check_points(logarithmic, wide, 2, "set xrange [1.666666667:720]\n");
    check_points(logarithmic, wide, 2, "set ytics (0.1, 0.2, 0.5, 1, 2");
    check_points(logarithmic, wide, 2, "set xtics (0.1, 0.2, 0.5, 1, 2");
    const struct cw_plot_series series = {.points = points, .n_points = 2};
    struct cw_text text = {0};
    mixed.series = &series;
    mixed.n_series = 1;
    assert_int_equal(cw_plot_script(&mixed, &text), CW_EUSAGE);
    assert_true(has(cw_error_message(), "of which one is logarithmic; expected both or none"));
    assert_null(text.data);
}

/* Labels where they were asked for, and notches for samples that are large enough. */
static void test_marks_and_notches(void **state)
{
    (void)state;
    const double marks[] = {2, 16};
    const struct cw_plot marked = {.x = {.marks = marks, .n_marks = 2, .logarithmic = true}};
    check_points(marked, falling, 4, "set logscale x 10\nset xtics (2, 16)\n\n");
    struct cw_plot_box box = {5, 1, 2, 3, 4, 5, 9};
    const struct cw_plot_series series = {.boxes = &box, .n_boxes = 1};
    const struct cw_plot plot = {.x = {.min = 0, .max = 10}, .series = &series, .n_series = 1};
    char *script = script_of(&plot);
    assert_true(has(script, "\n5.8 3\n")); /* as wide at the median as elsewhere: 0.4 of a fifth of the axis */
    free(script);
    box.n = 16;
    script = script_of(&plot);
    assert_false(has(script, "\n5.8 3\n"));
    assert_true(has(script, "\n5.4 3\n5.8 3.785\n"));
    free(script);
}

static void test_script(void **state)
{
    (void)state;
    const struct cw_plot_series series[] = {
        {.label = "measured", .points = falling, .n_points = 4},
        {.label = NULL, .style = CW_PLOT_LINES, .dashed = true, .points = broken, .n_points = 4},
        {.label = "dots", .style = CW_PLOT_POINTS, .points = broken, .n_points = 4},
    };
    const struct cw_plot_level level = {.label = "half", .y = 0.5};
    const struct cw_plot plot = {.title = "It's",
                                 .x = {.label = "size", .unit = "endpoints", .logarithmic = true},
                                 .y = {.label = "accepted", .min = 0, .max = NAN},
                                 .series = series,
                                 .n_series = 3,
                                 .levels = &level,
                                 .n_levels = 1};
    char *script = script_of(&plot), *again = script_of(&plot);
    assert_string_equal(script, again);
    assert_true(has(script, "set title 'It''s'"));
    assert_true(has(script, "set xlabel 'size [endpoints]'\nset logscale x 10\n"));
    assert_true(has(script, "set ylabel 'accepted'\nset yrange [0:*]\n"));
    assert_false(has(script, "set xrange"));
    assert_true(has(script, "$series0 << END\n42 0.35\n72 0.25\n1056 0.159\n16512 0.097\nEND\n"));
    assert_true(has(script, "$errors0 << END\n42 0.35 0.33 0.38\n72 0.25 0.24 0.26\n1056 0.159 0.155 0.163\nEND\n"));
    assert_true(has(script, "$series1 << END\n42 0.4\n\n1056 0.42\n16512 0.4\nEND\n"));
    assert_false(has(script, "$errors1"));
    assert_true(has(script, "plot 0.5 with lines"));
    assert_true(has(script, "$series0 using 1:2 with linespoints"));
    assert_true(has(script, "$series1 using 1:2 with lines linecolor rgb '#D55E00' linewidth 2 dashtype 2 notitle"));
    assert_true(has(script, "$series2 using 1:2 with points"));
    free(script);
    free(again);
}

/* On a logarithmic axis what is not positive is left out, lines and points alike. */
static void test_logarithmic(void **state)
{
    (void)state;
    const struct cw_plot_point points[] = {{1, 0, 0}, {-1, 2, 0}, {3, 4, 0}};
    const struct cw_plot_series series = {.points = points, .n_points = 3};
    const struct cw_plot_level levels[] = {{.label = "gone", .y = 0}, {.label = "kept", .y = 2}};
    const struct cw_plot plot = {.x = {.logarithmic = true},
                                 .y = {.logarithmic = true},
                                 .series = &series,
                                 .n_series = 1,
                                 .levels = levels,
                                 .n_levels = 2};
    char *script = script_of(&plot);
    assert_true(has(script, "$series0 << END\n\n\n3 4\nEND\n"));
    assert_false(has(script, "gone"));
    assert_true(has(script, "kept"));
    free(script);
}

/* Text that no XML file may hold. */
static void test_text_is_made_legal(void **state)
{
    (void)state;
    const struct cw_plot_series series = {
        .label =
            "tab\there\nline\x01 \xc3\xa9 bad\xff\xc3( \xe2\x82 \xed\xa0\x80 \xf0\x9f\x8c\x8d \xc0\x80 \xef\xbf\xbf",
        .points = falling,
        .n_points = 4};
    const struct cw_plot plot = {.series = &series, .n_series = 1};
    char *script = script_of(&plot);
    assert_true(has(script, "title 'tab here line  \xc3\xa9 bad?\?( ?\? ??\? \xf0\x9f\x8c\x8d ?\? ?'"));
    free(script);
}

static void check_refused(const struct cw_plot *plot, const char *part)
{
    struct cw_text text = {0};
    assert_int_equal(cw_plot_script(plot, &text), CW_EUSAGE);
    if (!has(cw_error_message(), part)) fail_msg("\"%s\" does not say \"%s\"", cw_error_message(), part);
    assert_null(text.data);
}

static void test_refusals(void **state)
{
    (void)state;
    const struct cw_plot_series empty = {.label = "none", .points = falling, .n_points = 0};
    const struct cw_plot_series series = {.points = falling, .n_points = 4};
    check_refused(&(struct cw_plot){.series = &empty, .n_series = 1}, "without a point");
    check_refused(&(struct cw_plot){0}, "without a point");
    struct cw_plot plot = {.series = &series, .n_series = 1, .x = {.min = 2, .max = 1}};
    check_refused(&plot, "x axis of a plot from 2 to 1");
    plot.x = (struct cw_plot_axis){0};
    plot.y = (struct cw_plot_axis){.logarithmic = true, .min = 0, .max = 1};
    check_refused(&plot, "logarithmic y axis");
    plot.y = (struct cw_plot_axis){.min = 0, .max = INFINITY};
    check_refused(&plot, "y axis");
    plot.y = (struct cw_plot_axis){0};
    assert_int_equal(cw_plot_write(&plot, "figure.jpg"), CW_EUSAGE);
    assert_int_equal(cw_plot_write(&plot, "/does/not/exist/figure.svg"), CW_EIO);
}

/* Python's XML parser, which is not ours, reads the picture and finds every label as written. */
static const char *const checker =
    "import sys, xml.etree.ElementTree as t\n"
    "texts = [''.join(e.itertext()).split() for e in t.parse(sys.argv[1]).iter() if e.tag.endswith('}text')]\n"
    "missing = [l for l in sys.argv[2:] if l.split() not in texts]\n"
    "sys.exit('not in the picture: %s; but %s' % (missing, texts) if missing else 0)\n";

static int run_checker(const char *picture, const char *const *labels)
{
    const pid_t child = fork();
    if (child == 0) {
        const char *argv[16] = {"python3", "-c", checker, picture};
        for (size_t i = 0; labels[i] && i < 10; i++) argv[4 + i] = labels[i];
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void test_picture(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1 && python3 --version >/dev/null 2>&1") != 0)
        skip_because("gnuplot or python3 is missing");
    const struct cw_plot_series series[] = {
        {.label = "1 " NASTY, .points = falling, .n_points = 4},
        {.label = "2 " NASTY, .style = CW_PLOT_LINES, .dashed = true, .points = broken, .n_points = 4},
    };
    const struct cw_plot_level level = {.label = "3 " NASTY, .y = 0.5};
    const struct cw_plot plot = {.title = "4 " NASTY,
                                 .x = {.label = "5 " NASTY, .unit = "u" NASTY, .logarithmic = true},
                                 .y = {.label = "6 " NASTY},
                                 .series = series,
                                 .n_series = 2,
                                 .levels = &level,
                                 .n_levels = 1};
    struct figure figure;
    assert_int_equal(cw_plot_check(), 0);
    begin(&figure);
    if (cw_plot_write(&plot, figure.picture) != 0) fail_msg("%s", cw_error_message());
    const char *const labels[] = {"1 " NASTY, "2 " NASTY, "3 " NASTY, "4 " NASTY, "5 " NASTY " [u" NASTY "]",
                                  "6 " NASTY, NULL};
    assert_int_equal(run_checker(figure.picture, labels), 0);
    assert_int_not_equal(access("pwned", F_OK), 0);
    end(&figure);
}

static void test_without_gnuplot(void **state)
{
    (void)state;
    const struct cw_plot_series series = {.points = falling, .n_points = 4};
    const struct cw_plot plot = {.series = &series, .n_series = 1};
    struct figure figure;
    begin(&figure);
    char *path = strdup(getenv("PATH"));
    set_path(figure.directory);
    const int rc = cw_plot_write(&plot, figure.picture);
    assert_int_equal(rc, CW_EIO);
    assert_true(has(cw_error_message(), "gnuplot is not installed"));
    assert_true(has(cw_error_message(), figure.script));
    assert_int_equal(access(figure.script, R_OK), 0);
    assert_int_not_equal(access(figure.picture, F_OK), 0);
    assert_int_equal(cw_plot_check(), CW_EIO);
    assert_true(has(cw_error_message(), "gnuplot is not installed"));
    set_path(path);
    free(path);
    end(&figure);
}

/* A gnuplot that fails leaves no half picture, and its complaint is told. */
static void test_failing_gnuplot(void **state)
{
    (void)state;
    const struct cw_plot_series series = {.points = falling, .n_points = 4};
    const struct cw_plot plot = {.series = &series, .n_series = 1};
    struct figure figure;
    char program[128];
    begin(&figure);
    snprintf(program, sizeof program, "%s/gnuplot", figure.directory);
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\necho '<svg>'\nprintf '\\n     ^\\n\"f.gp\" line 7: warp core\\n' >&2\nexit 3\n", file);
    fclose(file);
    assert_int_equal(chmod(program, 0755), 0);
    char *path = strdup(getenv("PATH"));
    set_path(figure.directory);
    const int rc = cw_plot_write(&plot, figure.picture);
    set_path(path);
    free(path);
    unlink(program);
    assert_int_equal(rc, CW_EIO);
    assert_true(has(cw_error_message(), "line 7: warp core"));
    end(&figure);
}

static void write_text(const char *path, const char *mode, const char *text)
{
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *path)
{
    struct cw_text text = {0};
    assert_int_equal(cw_file_read(path, &text), 0);
    return text.data;
}

/* A script is written again with its picture; one that somebody has touched is not, which is said. */
static void test_edited_script(void **state)
{
    (void)state;
    const struct cw_plot_series series = {.points = falling, .n_points = 4};
    const struct cw_plot plot = {.series = &series, .n_series = 1};
    struct cw_inputs inputs = {0};
    struct figure figure;
    char next[2][128];
    begin(&figure);
    snprintf(next[0], sizeof next[0], "%s/a figure.new.gp", figure.directory);
    snprintf(next[1], sizeof next[1], "%s/a figure.new2.gp", figure.directory);
    cw_plot_write(&plot, figure.picture);
    char *script = read_text(figure.script);
    cw_plot_write(&plot, figure.picture); /* ours: replaced */
    assert_int_not_equal(access(next[0], F_OK), 0);
    write_text(figure.script, "a", "# mine\n");
    char *edited = read_text(figure.script);
    cw_inputs_record(&inputs);
    for (int i = 0; i < 2; i++) cw_plot_write(&plot, figure.picture);
    cw_inputs_record(NULL);
    char *kept = read_text(figure.script), *new = read_text(next[0]);
    assert_string_equal(kept, edited);
    assert_string_equal(new, script);
    assert_true(has(inputs.remarks.data, "was edited, and is kept"));
    assert_true(has(inputs.remarks.data, next[0]));
    assert_int_equal(inputs.n, 0);        /* it is no input */
    write_text(next[0], "w", "plot x\n"); /* somebody's own, without our line; an empty one too */
    write_text(figure.script, "w", "");
    cw_plot_write(&plot, figure.picture);
    free(new);
    new = read_text(next[1]);
    assert_string_equal(new, script);
    cw_inputs_free(&inputs);
    free(script), free(edited), free(kept), free(new);
    unlink(next[0]), unlink(next[1]);
    end(&figure);
}

/* Nothing is written through links that somebody has put where files might be made. */
static void test_planted_links(void **state)
{
    (void)state;
    const struct cw_plot_series series = {.points = falling, .n_points = 4};
    const struct cw_plot plot = {.series = &series, .n_series = 1};
    static const char *const planted[] = {".part", ".tmp", ".new.gp"};
    struct figure figure;
    char link[128], victim[128];
    begin(&figure);
    snprintf(victim, sizeof victim, "%s/victim", figure.directory);
    write_text(victim, "w", "precious");
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        snprintf(link, sizeof link, "%s%s", figure.picture, planted[i]);
        assert_int_equal(symlink(victim, link), 0);
    }
    assert_int_equal(symlink(victim, figure.script), 0); /* taken for a script that was edited */
    cw_plot_write(&plot, figure.picture);
    char *kept = read_text(victim);
    assert_string_equal(kept, "precious");
    free(kept);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        snprintf(link, sizeof link, "%s%s", figure.picture, planted[i]);
        unlink(link);
    }
    unlink(victim);
    snprintf(link, sizeof link, "%s/a figure.new.gp", figure.directory);
    unlink(link);
    end(&figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_values),
        cmocka_unit_test(test_equal_axes),
        cmocka_unit_test(test_marks_and_notches),
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_partner_and_sizes),
        cmocka_unit_test(test_logarithmic),
        cmocka_unit_test(test_text_is_made_legal),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_without_gnuplot),
        cmocka_unit_test(test_failing_gnuplot),
        cmocka_unit_test(test_edited_script),
        cmocka_unit_test(test_planted_links),
    };
    return run_cases(tests);
}
