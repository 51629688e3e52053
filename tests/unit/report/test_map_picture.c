/* Maps: colours by load, widths by capacity, marks, what is written where and what is left out, in SVG and in JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "report/map_picture.h"

static const char *format(double load, char *buffer, size_t size)
{
    snprintf(buffer, size, "%g units", load);
    return buffer;
}

static const char *channel(const void *context, size_t line, size_t i, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%zu.%zu", (const char *)context, line, i);
    return buffer;
}

static const struct cw_map_box boxes[] = {
    {50, 20, 100, 34, "a<b>&\"c\"", "the switch a<b>&\"c\"", 0, 1, 2, 0, NAN},
    {50, 220, 100, 34, "a very long name of a switch", "a very long name of a switch", 3, 1, 1, 0, 2},
    {250, 220, 100, 34, "bad\xff\x01", "bad\xff\x01", 0, 1, 1, 1, NAN},
    {350, 20, 16, 16, "small", "small: in full", 0, 4, 1, 0, NAN},
    {450, 220, 100, 20, "2 endpoints", "2 endpoints", 2, 0, 0, 0, NAN},
};
static const struct cw_map_line lines[] = {
    {0, 1, 0, "first", 10, 4e9, 3, 0, 0},
    {0, 2, 0, "second", NAN, 0, 1, 1, 0},
    {0, 3, 20, "third", 4, 1e9, 1, 0, 1},
    {1, 2, 0, "fourth, of no load", 0, 1e9, 1, 0, 0},
    {2, 4, 0, "half of it failed", 1.9, 1e9, 2, 1, 0},
};
static const struct cw_map_panel panels[] = {{300, 100, 200, 40, "rail 0"}, {100, 100, 0, 0, "a word"}};
static const char *const captions[] = {"How it was counted.", "What was put together."};
static const struct cw_map_picture sample = {.form = "levels",
                                             .title = "a title & more",
                                             .captions = captions,
                                             .n_captions = 2,
                                             .quantity = "units on a channel",
                                             .width = 500,
                                             .height = 240,
                                             .boxes = boxes,
                                             .lines = lines,
                                             .panels = panels,
                                             .n_boxes = 5,
                                             .n_lines = 5,
                                             .n_panels = 2,
                                             .format_load = format,
                                             .channel_name = channel,
                                             .context = "c"};

static char *svg_of(const struct cw_map_picture *picture)
{
    struct cw_text text = {0};
    if (cw_map_svg(picture, &text)) fail_msg("%s", cw_error_message());
    return text.data;
}

static const char *find(const char *svg, const char *part)
{
    const char *at = strstr(svg, part);
    if (!at) fail_msg("no '%s' in\n%s", part, svg);
    return at;
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word)) n++;
    return n;
}

/* The start of the group that has TITLE, by what is in front of it on its line. */
static void check_group(const char *svg, const char *title, const char *part)
{
    char whole[256], line[1024];
    snprintf(whole, sizeof whole, "<title>%s</title></g>", title);
    const char *end = find(svg, whole), *start = end;
    while (start > svg && strncmp(start, "<g>", 3) != 0) start--;
    snprintf(line, sizeof line, "%.*s", (int)(end - start), start);
    if (!strstr(line, part)) fail_msg("no '%s' in '%s'", part, line);
}

static void test_colours(void **state)
{
    (void)state;
    char *svg = svg_of(&sample);
    assert_true(cw_map_greatest_load(&sample) == 10);
    check_group(svg, "first", "class=\"c3\"");              /* 10, where 5.3 is the mean */
    check_group(svg, "third", "class=\"c2\"");              /* about the mean */
    check_group(svg, "fourth, of no load", "class=\"c0\""); /* none is no little */
    check_group(svg, "half of it failed", "class=\"c1\"");
    check_group(svg, "half of it failed", "class=\"f\"");
    check_group(svg, "second", "<g><path class=\"f\""); /* nothing is left of it */
    check_group(svg, "a very long name of a switch", "<path class=\"c1\" stroke-width=\"3\""); /* load within */
    find(svg, ">2.65 units … 6.625 units<"); /* ½ and 1¼ of the mean */
    find(svg, ">6.625 units … 10.6 units<");
    assert_null(strstr(svg, ">10.6 units …"));                                           /* nothing has so much */
    assert_true(strstr(svg, "<title>fourth, of no load") < strstr(svg, "<title>third")); /* the most is on top */
    assert_true(strstr(svg, "<title>third") < strstr(svg, "<title>first"));
    assert_true(strstr(svg, "<title>first") < strstr(svg, "<title>second")); /* failed ones over all */
    free(svg);
}

/* What all lines have is no reason for alarm; what one has alone, is. */
static void test_alarm(void **state)
{
    (void)state;
    struct cw_map_line loads[5];
    struct cw_map_picture picture = sample;
    picture.lines = loads;
    memcpy(loads, lines, sizeof loads);
    for (size_t i = 0; i < 5; i++) loads[i].load = 7;
    char *svg = svg_of(&picture);
    check_group(svg, "first", "class=\"c2\"");
    assert_null(strstr(svg, "class=\"c3\""));
    free(svg);
    loads[0].load = 70; /* 3.6 times the mean of 19.6 */
    svg = svg_of(&picture);
    check_group(svg, "first", "class=\"c5\"");
    check_group(svg, "third", "class=\"c1\"");
    find(svg, ">58.8 units … 70 units<");
    free(svg);
}

/* Changes: red of more, blue of less, by size; the legend from the greatest decrease to the greatest increase. */
static void test_changes(void **state)
{
    (void)state;
    struct cw_map_line changes[5];
    struct cw_map_box within[5];
    struct cw_map_picture picture = sample;
    struct cw_text text = {0};
    memcpy(changes, lines, sizeof changes);
    memcpy(within, boxes, sizeof within);
    picture.lines = changes;
    picture.boxes = within;
    picture.against = "what it was";
    changes[0].load = -10; /* of the mean of 6.2 */
    changes[4].load = 4.6;
    within[1].load = 25;
    char *svg = svg_of(&picture);
    assert_true(cw_map_greatest_load(&picture) == 25);
    assert_true(cw_map_greatest(&picture, -1) == 10);
    check_group(svg, "first", "class=\"l3\"");
    check_group(svg, "third", "class=\"m2\"");
    check_group(svg, "half of it failed", "class=\"m2\"");
    check_group(svg, "fourth, of no load", "class=\"c0\"");
    check_group(svg, "a very long name of a switch", "<path class=\"m5\" stroke-width=\"3\"");
    assert_null(strstr(svg, "class=\"c1\""));
    const char *const legend[] = {">−12.4 units … −7.75 units<", ">−7.75 units … −3.1 units<",
                                  ">−3.1 units … 0 units<",    ">no change<",
                                  ">0 units … +3.1 units<",    ">+18.6 units … +25 units<"};
    for (size_t i = 1; i < 6; i++) assert_true(find(svg, legend[i - 1]) < find(svg, legend[i]));
    assert_true(strstr(svg, "<title>third") < strstr(svg, "<title>first")); /* the greatest change is on top */
    find(svg, "mean size of the changes");
    free(svg);
    assert_int_equal(cw_map_json(&picture, &text), 0);
    json_t *map = json_loads(text.data, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(map, "against")), "what it was");
    assert_true(json_number_value(json_object_get(map, "greatest_load")) == 25);
    assert_true(fabs(json_number_value(json_array_get(json_object_get(map, "shades"), 2)) - 1.25 * 6.2) < 1e-9);
    json_decref(map);
    cw_text_free(&text);
}

/* Widths go by the root of the capacity. */
static void test_widths(void **state)
{
    (void)state;
    char *svg = svg_of(&sample);
    check_group(svg, "first", "stroke-width=\"5.0\"");
    check_group(svg, "third", "stroke-width=\"2.5\"");
    find(svg, "width: capacity, this is 32 Gbit/s");
    free(svg);
}

static void test_marks(void **state)
{
    (void)state;
    char *svg = svg_of(&sample);
    assert_int_equal(count(svg, "class=\"s\""), 2); /* one, and its meaning */
    find(svg, "class=\"b x\"");                     /* a switch that failed */
    find(svg, "slower than most of its kind");
    find(svg, ">failed<");
    find(svg, ">3</text>"); /* cables of the first */
    assert_null(strstr(svg, ">1</text>"));
    find(svg, "Q"); /* what bends */
    find(svg, ">rail 0</text>");
    find(svg, ">a word</text>");
    assert_int_equal(count(svg, "class=\"p\""), 1); /* a word has no panel */
    find(svg, "prefers-color-scheme:dark");
    struct cw_map_picture whole = sample;
    whole.n_lines = 1;
    whole.n_boxes = 2;
    char *plain = svg_of(&whole);
    assert_null(strstr(plain, "slower than"));
    assert_null(strstr(plain, ">failed<"));
    free(plain);
    free(svg);
}

/* Text is literal, and no longer than its box; all of it is where the pointer rests. */
static void test_text(void **state)
{
    (void)state;
    char *svg = svg_of(&sample);
    assert_null(strstr(svg, "<b>"));
    find(svg, "<title>the switch a&lt;b&gt;&amp;\"c\"</title>");
    find(svg, "<title>a title &amp; more</title>");
    find(svg, ">a ve… a switch</text>");
    find(svg, "<title>a very long name of a switch</title>");
    find(svg, "<title>bad\xef\xbf\xbd </title>"); /* no UTF-8, and a control character */
    assert_null(strstr(svg, ">small</text>"));
    find(svg, "<title>small: in full</title>");
    find(svg, ">3 endpoints</text>");
    assert_int_equal(count(svg, ">2 endpoints</text>"), 1); /* not twice */
    find(svg, ">How it was counted.</text>");
    assert_int_equal(count(svg, "<svg"), 1);
    assert_int_equal(count(svg, "<g"), count(svg, "</g>"));
    assert_int_equal(count(svg, "<text"), count(svg, "</text>"));
    assert_int_equal(count(svg, "<title>"), count(svg, "</title>"));
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
    char *again = svg_of(&sample);
    assert_string_equal(svg, again);
    free(again);
    free(svg);
}

/* The number of cables stands where it cannot be taken for another line's, or nowhere. */
static void test_numbers(void **state)
{
    (void)state;
    for (double apart = 4; apart < 50; apart += 40) {
        const struct cw_map_box ends[] = {{20, 50, 10, 10, "", "", 0, 1, 1, 0, NAN},
                                          {480, 50, 10, 10, "", "", 0, 1, 1, 0, NAN},
                                          {20, 50 + apart, 10, 10, "", "", 0, 1, 1, 0, NAN},
                                          {480, 50 + apart, 10, 10, "", "", 0, 1, 1, 0, NAN}};
        const struct cw_map_line two[] = {{0, 1, 0, "a", 1, 1e9, 77, 0, 0}, {2, 3, 0, "b", 1, 1e9, 77, 0, 0}};
        struct cw_map_picture picture = sample;
        picture.boxes = ends;
        picture.lines = two;
        picture.n_boxes = 4;
        picture.n_lines = 2;
        char *svg = svg_of(&picture);
        assert_int_equal(count(svg, ">77</text>"), apart < 10 ? 0 : 2);
        free(svg);
    }
}

static void test_json(void **state)
{
    (void)state;
    struct cw_text text = {0};
    assert_int_equal(cw_map_json(&sample, &text), 0);
    json_error_t error;
    json_t *map = json_loads(text.data, 0, &error);
    if (!map) fail_msg("%s in\n%s", error.text, text.data);
    assert_string_equal(json_string_value(json_object_get(map, "form")), "levels");
    assert_true(json_number_value(json_object_get(map, "greatest_load")) == 10);
    const json_t *array = json_object_get(map, "boxes");
    assert_int_equal(json_array_size(array), 5);
    assert_string_equal(json_string_value(json_object_get(json_array_get(array, 0), "label")), "a<b>&\"c\"");
    assert_true(json_is_null(json_object_get(json_array_get(array, 0), "load")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(array, 2), "state")), "failed");
    assert_string_equal(json_string_value(json_object_get(json_array_get(array, 1), "state")), "whole");
    array = json_object_get(map, "lines");
    static const char *const states[] = {"whole", "failed", "slow", "whole", "partly failed"};
    assert_int_equal(json_array_size(array), 5);
    for (size_t i = 0; i < 5; i++) {
        const json_t *line = json_array_get(array, i), *channels = json_object_get(line, "channels");
        char name[16];
        assert_string_equal(json_string_value(json_object_get(line, "state")), states[i]);
        assert_int_equal(json_array_size(channels), lines[i].cables);
        snprintf(name, sizeof name, "c%zu.%u", i, lines[i].cables - 1);
        assert_string_equal(json_string_value(json_array_get(channels, lines[i].cables - 1)), name);
        assert_int_equal(json_integer_value(json_object_get(line, "b")), lines[i].b);
    }
    assert_int_equal(json_array_size(json_object_get(map, "panels")), 2);
    assert_int_equal(json_array_size(json_object_get(map, "captions")), 2);
    static const double times[] = {0, .5, 1.25, 2, 3}; /* of the mean of 10, 4 and 1.9 */
    array = json_object_get(map, "shades");
    assert_int_equal(json_array_size(array), 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(fabs(json_number_value(json_array_get(array, i)) - times[i] * 5.3) < 1e-9);
    json_decref(map);
    cw_text_free(&text);
}

/* Who has the channels elsewhere does without their names. */
static void test_without_channels(void **state)
{
    (void)state;
    struct cw_map_picture picture = sample;
    struct cw_text text = {0};
    picture.channel_name = NULL;
    assert_int_equal(cw_map_json(&picture, &text), 0);
    json_t *map = json_loads(text.data, 0, NULL);
    const json_t *line = json_array_get(json_object_get(map, "lines"), 0);
    assert_null(json_object_get(line, "channels"));
    assert_int_equal(json_integer_value(json_object_get(line, "cables")), 3);
    json_decref(map);
    cw_text_free(&text);
}

static void test_nothing(void **state)
{
    (void)state;
    struct cw_map_picture empty = sample;
    empty.n_boxes = empty.n_lines = empty.n_panels = empty.n_captions = 0;
    char *svg = svg_of(&empty);
    assert_null(strstr(svg, "<g><"));
    assert_true(cw_map_greatest_load(&empty) == 0);
    free(svg);
}

static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/cw_map_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    static const char *const wrong[] = {"map.png", "map", ".svg", "svg"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(cw_map_write(&sample, wrong[i]), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), "NAME.svg, NAME.html or NAME.json"));
    }
    snprintf(path, sizeof path, "%s/map.svg", folder);
    assert_int_equal(cw_map_write(&sample, path), 0);
    struct cw_text read = {0};
    char *svg = svg_of(&sample);
    assert_int_equal(cw_file_read(path, &read), 0);
    assert_string_equal(read.data, svg);
    cw_text_free(&read);
    free(svg);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_colours), cmocka_unit_test(test_alarm),
                                       cmocka_unit_test(test_changes), cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_marks),   cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_json),    cmocka_unit_test(test_without_channels),
                                       cmocka_unit_test(test_nothing), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
