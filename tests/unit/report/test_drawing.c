/* Drawings: gnuplot makes of the script a well-formed picture with every primitive in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../skip.h"
#include "base/error.h"
#include "report/drawing.h"

#define NASTY "a<b> & 'c' \"d\" \\n %d é"

/* Draws into a file of its own; the caller frees what was written there. */
static int draw(const struct cw_drawing_page *page, const char *path)
{
    struct cw_drawing drawing;
    cw_drawing_begin(&drawing, page);
    cw_drawing_line(&drawing, 1, 1, 9, 1, CW_INK_BLUE, 2);
    cw_drawing_arrow(&drawing, 1, 2, 9, 8, CW_INK_RED, 3);
    cw_drawing_rectangle(&drawing, 2, 3, 4, 5, CW_INK_GREEN, CW_INK_BLACK);
    cw_drawing_circle(&drawing, 7, 3, 1, CW_INK_LIGHT, CW_INK_GREY);
    cw_drawing_text(&drawing, 5, 5, CW_ALIGN_CENTRE, 12, CW_INK_BLACK, true, "%s", NASTY);
    return cw_drawing_end(&drawing, path);
}

static const char *const checker =
    "import sys, xml.etree.ElementTree as t\n"
    "root = t.parse(sys.argv[1]).getroot()\n"
    "texts = [' '.join(''.join(e.itertext()).split()) for e in root.iter() if e.tag.endswith('}text')]\n"
    "drawn = t.tostring(root, encoding='unicode').replace(' ', '').lower()\n"
    "colours = ('0,114,178', '213,94,0', '0,158,115', '217,217,217')\n"
    "sys.exit(not (sys.argv[2] in texts and 'A title' in texts and 'time [slices]' in texts\n"
    "              and all(c in drawn for c in colours)))\n";

static void test_picture(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1 && python3 --version >/dev/null 2>&1") != 0)
        skip_because("gnuplot or python3 is missing");
    char folder[] = "/tmp/crosswind-drawing-XXXXXX", path[64], command[2048];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/drawing.svg", folder);
    const struct cw_drawing_page page = {.title = "A title",
                                         .width = 400,
                                         .height = 300,
                                         .x = {.label = "time", .unit = "slices", .min = 0, .max = 10},
                                         .y_max = 10};
    if (draw(&page, path)) fail_msg("%s", cw_error_message());
    snprintf(command, sizeof command, "%s/check.py", folder);
    FILE *script = fopen(command, "w");
    assert_non_null(script);
    fputs(checker, script);
    fclose(script);
    assert_int_equal(setenv("NASTY", NASTY, 1), 0);
    snprintf(command, sizeof command, "python3 %s/check.py %s \"$NASTY\"", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "grep -q 'set arrow from 1,2 to 9,8 head' %s/drawing.gp && rm -r %s", folder,
             folder);
    assert_int_equal(system(command), 0);
}

static void test_refusals(void **state)
{
    (void)state;
    const struct cw_drawing_page page = {.width = 100, .height = 100, .x = {.min = 0, .max = 10}, .y_max = 10};
    assert_int_equal(draw(&page, "drawing.jpg"), CW_EUSAGE);
    assert_int_equal(draw(&page, "/does/not/exist/drawing.svg"), CW_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_picture), cmocka_unit_test(test_refusals)};
    return run_cases(tests);
}
