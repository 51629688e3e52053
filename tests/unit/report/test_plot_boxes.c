/* Notched boxes: corners worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/plot.h"

static char *script_of(const struct cw_plot *plot)
{
    struct cw_text text = {0};
    if (cw_plot_script(plot, &text) != 0) fail_msg("%s", cw_error_message());
    return text.data;
}

static void expect(const char *script, const char *part)
{
    if (!strstr(script, part)) fail_msg("not in the script: %s\n%s", part, script);
}

/* Boxes at 1 and 3 leave 2 between them: 0.4 · 0.8 · 2 to either side. The notch of 100 values with quartiles 2 and 4
 * is 1.57 · 2 / 10; that of 10 would leave the box downwards; 9 values
 * have none. */
static void test_outline(void **state)
{
    (void)state;
    const struct cw_plot_box boxes[] = {{1, 0, 2, 3, 4, 9, 100}, {3, 1, 2.5, 3, 4, 5, 10}, {5, 1, 2, 3, 4, 5, 9}};
    const struct cw_plot_series series = {.label = "sample", .boxes = boxes, .n_boxes = 3};
    const struct cw_plot plot = {.series = &series, .n_series = 1};
    char *script = script_of(&plot);
    expect(script,
           "$boxes0 << END\n0.36 2\n1.64 2\n1.64 2.686\n1.32 3\n1.64 3.314\n1.64 4\n0.36 4\n0.36 3.314\n0.68 3\n"
           "0.36 2.686\n0.36 2\n\n2.36 2.5\n3.64 2.5\n3.64 2.5\n3.32 3\n3.64 3.744716389\n3.64 4\n");
    expect(script, "4.36 2\n5.64 2\n5.64 3\n5.64 3\n5.64 3\n5.64 4\n4.36 4\n4.36 3\n4.36 3\n4.36 3\n4.36 2\n\nEND\n");
    expect(script, "$whiskers0 << END\n1 0\n1 2\n\n1 4\n1 9\n\n0.68 0\n1.32 0\n\n0.68 9\n1.32 9\n\n0.68 3\n1.32 3\n\n");
    expect(script, "filledcurves closed");
    expect(script, "title 'sample'");
    free(script);
}

/* Two series that share their x stand side by side; two that do not stand at their own, however near. */
static void test_side_by_side(void **state)
{
    (void)state;
    const struct cw_plot_box boxes[] = {{10, 1, 2, 3, 4, 5, 0}, {1000, 1, 2, 3, 4, 5, 0}};
    const struct cw_plot_box others[] = {{10, 1, 2, 3, 4, 5, 0}, {100, 1, 2, 3, 4, 5, 0}};
    const struct cw_plot_box apart[] = {{100, 1, 2, 3, 4, 5, 0}};
    struct cw_plot_series series[] = {{.boxes = boxes, .n_boxes = 2}, {.boxes = others, .n_boxes = 2}};
    const struct cw_plot plot = {.x = {.logarithmic = true}, .series = series, .n_series = 2};
    char *script = script_of(&plot);
    expect(script, "$whiskers0 << END\n6.309573445 1\n"); /* 10^(1 - 0.2): the least distance, 1, · 0.8 / 2 / 2 */
    expect(script, "$whiskers1 << END\n15.84893192 1\n");
    free(script);
    series[1] = (struct cw_plot_series){.boxes = apart, .n_boxes = 1};
    script = script_of(&plot);
    expect(script, "$whiskers0 << END\n10 1\n");
    expect(script, "$whiskers1 << END\n100 1\n");
    free(script);
}

/* Points of the same series lie over its boxes, and have the legend. */
static void test_with_points(void **state)
{
    (void)state;
    const struct cw_plot_box box = {2, 1, 2, 3, 4, 5, 10};
    const struct cw_plot_point point = {2, 3.5, 0};
    const struct cw_plot_series series = {
        .label = "both", .boxes = &box, .n_boxes = 1, .points = &point, .n_points = 1};
    const struct cw_plot plot = {.series = &series, .n_series = 1};
    char *script = script_of(&plot);
    const char *boxes = strstr(script, "$boxes0 using"), *points = strstr(script, "$series0 using");
    assert_true(boxes && points && boxes < points);
    const char *title = strstr(script, "title 'both'");
    assert_true(title > points);
    assert_null(strstr(title + 1, "title 'both'"));
    assert_true(strstr(boxes, "notitle") && strstr(boxes, "notitle") < points); /* else gnuplot shows what was typed */
    free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outline), cmocka_unit_test(test_side_by_side),
                                       cmocka_unit_test(test_with_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
