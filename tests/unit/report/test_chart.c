/* Charts: points and boxes belong to the series that was the last one; a series that stays empty is taken back. */
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

#include "base/error.h"
#include "report/chart.h"

static void test_series(void **state)
{
    (void)state;
    struct cw_chart chart = {0};
    double least, greatest;
    cw_chart_range(&chart, &least, &greatest);
    assert_true(isinf(least) && isinf(greatest) && least > greatest);
    cw_chart_begin(&chart, "first of %d", 2)->dashed = true;
    for (int i = 0; i < 40; i++) cw_chart_point(&chart, 40 - i, i, 0, 0);
    assert_true(cw_chart_keep(&chart));
    cw_chart_begin(&chart, "empty");
    assert_false(cw_chart_keep(&chart));
    cw_chart_begin(&chart, "second")->style = CW_PLOT_POINTS;
    cw_chart_box(&chart, &(struct cw_plot_box){50, 1, 2, 3, 4, 5, 9});
    cw_chart_point(&chart, 51, 1, 0, 2);
    assert_true(cw_chart_keep(&chart));
    cw_chart_range(&chart, &least, &greatest);
    assert_true(least == 1 && greatest == 51);
    assert_true(chart.n_series == 2 && chart.series[0].dashed && chart.series[1].style == CW_PLOT_POINTS);
    assert_true(chart.series[0].n_points == 40 && chart.series[0].n_boxes == 0);
    assert_true(chart.series[1].n_points == 1 && chart.series[1].n_boxes == 1);
    cw_chart_free(&chart);
    assert_true(chart.n_series == 0 && !chart.points);
}

/* What is drawn has labels, points and boxes where they belong. */
static void test_drawn(void **state)
{
    (void)state;
    char path[] = "/tmp/crosswind-chart-XXXXXX.svg", script[sizeof path], text[8192] = "";
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    struct cw_chart chart = {0};
    cw_chart_begin(&chart, "nothing");
    cw_chart_keep(&chart);
    for (int series = 1; series <= 3; series++) {
        cw_chart_begin(&chart, "series %d", series);
        for (int i = 0; i < series; i++) cw_chart_point(&chart, i + 1, 10 * series + i, 0, 0);
    }
    const int rc = cw_chart_draw(&chart, (struct cw_plot){.title = "three"}, path);
    snprintf(script, sizeof script, "%.*s.gp", (int)strlen(path) - 4, path);
    FILE *written = fopen(script, "r");
    assert_non_null(written);
    const size_t length = fread(text, 1, sizeof text - 1, written);
    fclose(written);
    remove(script);
    remove(path);
    assert_true(length > 0 && (rc == 0 || rc == CW_EIO)); /* without gnuplot the script is there all the same */
    assert_null(strstr(text, "nothing"));
    const char *second = strstr(text, "1 20\n2 21\nEND");
    assert_true(second && strstr(text, "1 10\nEND") < second && strstr(second, "1 30\n2 31\n3 32\nEND"));
    assert_true(strstr(text, "'series 1'") < strstr(text, "'series 3'"));
    assert_int_equal(chart.n_series, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_series), cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
