/* Maps of colours: which cells are drawn, in which colour, with which numbers; and gnuplot makes a picture of them. */
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
#include "report/heat_map.h"
#include "report/plot.h"

static const double values[] = {NAN, 1.5, 2, 1, NAN, 3.25};
static const char *const rows[] = {"1 alltoall", "2 it's"}, *const columns[] = {"1", "2", "all"};
static const struct cw_heat_map slowdowns = {.title = "Who slows down whom",
                                             .row = "job",
                                             .column = "beside",
                                             .value = "slowdown",
                                             .unit = "times",
                                             .row_names = rows,
                                             .column_names = columns,
                                             .rows = 2,
                                             .columns = 3,
                                             .values = values,
                                             .least = 1};

static char *script_of(const struct cw_heat_map *map)
{
    struct cw_text text = {0};
    if (cw_heat_map_script(map, &text)) fail_msg("%s", cw_error_message());
    return text.data;
}

static void assert_has(const char *script, const char *part)
{
    if (!strstr(script, part)) fail_msg("no '%s' in\n%s", part, script);
}

static void test_cells(void **state)
{
    (void)state;
    char *script = script_of(&slowdowns);
    assert_has(script, "set cbrange [1:3.25]");
    assert_has(script, "set xrange [-0.5:2.5]\nset yrange [1.5:-0.5]\n");
    assert_has(script, "$cells << END\n1 0 1.5\n2 0 2\n0 1 1\n2 1 3.25\nEND\n"); /* column, row; none without value */
    assert_has(script, "$dark << END\n2 1 3.25\nEND\n");
    assert_has(script, "$light << END\n1 0 1.5\n2 0 2\n0 1 1\nEND\n");
    assert_has(script, "set ytics ('1 alltoall' 0, '2 it''s' 1)");
    assert_has(script, "set cblabel 'slowdown [times]'");
    free(script);
}

/* Many cells have no numbers, and names that have room; a thousand are dots. */
static void test_many(void **state)
{
    (void)state;
    static double many[200 * 200];
    struct cw_heat_map map = {.rows = 17, .columns = 17, .values = many};
    for (size_t i = 0; i < 200 * 200; i++) many[i] = (double)i;
    char *script = script_of(&map);
    assert_null(strstr(script, "labels"));
    assert_has(script, "boxxyerror");
    assert_has(script, "'16' 16)");
    free(script);
    map.rows = map.columns = 200;
    script = script_of(&map);
    assert_has(script, "with image");
    assert_null(strstr(script, "tics (")); /* numbered as gnuplot does */
    free(script);
}

static void test_alike(void **state)
{
    (void)state;
    static const double same[] = {1, 1, 1 + 1e-12, 1}, none[] = {NAN, INFINITY};
    struct cw_text text = {0};
    char *script = script_of(&(struct cw_heat_map){.rows = 2, .columns = 2, .values = same, .least = 1});
    assert_has(script, "set cbrange [1:2]");
    free(script);
    assert_int_equal(cw_heat_map_script(&(struct cw_heat_map){.rows = 1, .columns = 2, .values = none}, &text),
                     CW_EUSAGE);
    cw_text_free(&text);
}

static void test_picture(void **state)
{
    (void)state;
    char directory[] = "/tmp/crosswind-heat-XXXXXX", picture[64], script[64], content[1 << 16];
    if (cw_plot_check()) skip_because("gnuplot is missing");
    assert_non_null(mkdtemp(directory));
    snprintf(picture, sizeof picture, "%s/map.svg", directory);
    snprintf(script, sizeof script, "%s/map.gp", directory);
    if (cw_heat_map_write(&slowdowns, picture)) fail_msg("%s", cw_error_message());
    FILE *file = fopen(picture, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = 0;
    fclose(file);
    assert_has(content, "2 it's");
    assert_has(content, ">3.25<");
    assert_has(content, "</svg>");
    unlink(picture);
    unlink(script);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
