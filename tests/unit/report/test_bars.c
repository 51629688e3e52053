/* Bars side by side: which are drawn, from where, with which interval and colour; and gnuplot makes a picture of them.
 */
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
#include "report/bars.h"
#include "report/plot.h"

static const char *const names[] = {"it's now", "/a/long/path/to/some/other/folder/of/forwarding/tables.lfts", "minhop"};
static const struct cw_bar ebb[] = {{.5, .01, false}, {NAN, NAN, false}, {.75, .02, true}},
                           nothing[] = {{NAN, NAN, false}, {INFINITY, 0, false}, {NAN, 1, false}},
                           lanes[] = {{1, 0, true}, {8, NAN, false}, {1, 0, true}};
static const struct cw_bar_panel panels[] = {{"none", NULL, nothing}, {"ebb", NULL, ebb}, {"time", "s", lanes}};
static const struct cw_bars sample = {
    .title = "side by side", .row_names = names, .rows = 3, .panels = 3, .panel = panels};

static char *script_of(const struct cw_bars *bars)
{
    struct cw_text text = {0};
    if (cw_bars_script(bars, &text)) fail_msg("%s", cw_error_message());
    return text.data;
}

static void assert_has(const char *script, const char *part)
{
    if (!strstr(script, part)) fail_msg("no '%s' in\n%s", part, script);
}

static void test_script(void **state)
{
    (void)state;
    char *script = script_of(&sample);
    assert_has(script, "$other1 << END\n0 0.5 0.01\nEND\n"); /* row, value, half width; none without a value */
    assert_has(script, "$best1 << END\n2 0.75 0.02\nEND\n");
    assert_has(script, "$interval1 << END\n0 0.5 0.01\n2 0.75 0.02\nEND\n");
    assert_has(script, "$best2 << END\n0 1 0\n2 1 0\nEND\n");
    assert_null(strstr(script, "$interval2"));
    assert_null(strstr(script, "none")); /* nothing is there to be drawn */
    assert_has(script, "set title 'time [s]'");
    assert_has(script, "set xrange [0:8.32]\nset xtics 0,2\n");     /* 8 and 4 % */
    assert_has(script, "set xrange [0:0.8008]\nset xtics 0,0.2\n"); /* .77 with the interval */
    assert_has(script, "('it''s now' 0, '…path/to/some/other/folder/of/forwarding/tables.lfts' 1, 'minhop' 2)");
    assert_has(script, "('' 0, '' 1, '' 2)"); /* names stand once */
    free(script);
}

static void test_nothing(void **state)
{
    (void)state;
    struct cw_text text = {0};
    assert_int_equal(
        cw_bars_script(&(struct cw_bars){.row_names = names, .rows = 3, .panels = 1, .panel = panels}, &text),
        CW_EUSAGE);
    cw_text_free(&text);
}

static void test_picture(void **state)
{
    (void)state;
    char directory[] = "/tmp/crosswind-bars-XXXXXX", picture[64], script[64], content[1 << 16];
    if (cw_plot_check()) skip_because("gnuplot is missing");
    assert_non_null(mkdtemp(directory));
    snprintf(picture, sizeof picture, "%s/bars.svg", directory);
    snprintf(script, sizeof script, "%s/bars.gp", directory);
    if (cw_bars_write(&sample, picture)) fail_msg("%s", cw_error_message());
    FILE *file = fopen(picture, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = 0;
    fclose(file);
    assert_has(content, "it's now");
    assert_has(content, "time [s]");
    assert_has(content, "</svg>");
    unlink(picture);
    unlink(script);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
