/* Link rates against the table of the standard, and every way of writing them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "net/files/infiniband/ib_speed.h"

static double rate_of(const char *text)
{
    double capacity = -1;
    if (cw_ib_rate_read(text, strlen(text), &capacity) != strlen(text)) fail_msg("'%s' is not read as a rate", text);
    return capacity;
}

/* Data rates of four lanes in byte/s as vendors quote them: 8, 16, 32, 40, 54.5, 100, 200, 400, 800 Gbit/s. */
static void four_lanes(void **state)
{
    (void)state;
    assert_true(rate_of("4xSDR") == 1e9);
    assert_true(rate_of("4xDDR") == 2e9);
    assert_true(rate_of("4xQDR") == 4e9);
    assert_true(rate_of("4xFDR10") == 5e9);
    assert_true(fabs(rate_of("4xFDR") * 8e-9 - 54.5454545) < 1e-6);
    assert_true(rate_of("4xEDR") == 12.5e9);
    assert_true(rate_of("4xHDR") == 25e9);
    assert_true(rate_of("4xNDR") == 50e9);
    assert_true(rate_of("4xXDR") == 100e9);
}

/* HDR and later: 256b/257b and RS(544,514) leave just that much of the signalling rate. */
static void line_codes(void **state)
{
    (void)state;
    const double left = 256.0 / 257 * 514 / 544;
    assert_true(fabs(rate_of("1xHDR") * 8 - 53.125e9 * left) < 1);
    assert_true(fabs(rate_of("1xNDR") * 8 - 106.25e9 * left) < 1);
    assert_true(fabs(rate_of("1xXDR") * 8 - 212.5e9 * left) < 1);
    assert_true(fabs(rate_of("1xEDR") * 8 - 25.78125e9 * 64 / 66) < 1);
}

static void widths(void **state)
{
    (void)state;
    static const unsigned lanes[] = {1, 2, 4, 8, 12};
    for (size_t i = 0; i < 5; i++) {
        char text[16];
        snprintf(text, sizeof text, "%uxEDR", lanes[i]);
        assert_true(rate_of(text) == lanes[i] * rate_of("EDR"));
    }
}

static void other_ways_of_writing(void **state)
{
    (void)state;
    assert_true(rate_of("4x QDR") == 4e9);
    assert_true(rate_of("4x 2.5 Gbps") == 1e9);
    assert_true(rate_of("4x 5.0 Gbps") == 2e9);
    assert_true(rate_of("4x 10.0 Gbps") == 4e9);
    assert_true(rate_of("4x 25.78125 Gbps") == 12.5e9);
    assert_true(rate_of("12x 106.25 Gbps") == 150e9);
    assert_true(rate_of("2.5 Gbps") == 0.25e9);
    assert_true(rate_of("4x???") == 0);
    assert_true(rate_of("4x ???") == 0);
    assert_true(rate_of("?????") == 0);
    assert_true(rate_of("??SDR") == 0);
}

static void stops_behind_the_rate(void **state)
{
    (void)state;
    double capacity = 0;
    assert_int_equal(cw_ib_rate_read("4x EDR - SW", 11, &capacity), 6);
    assert_true(capacity == 12.5e9);
    assert_int_equal(cw_ib_rate_read("4xFDR10", 5, &capacity), 5); /* the text ends there */
    assert_true(fabs(capacity * 8e-9 - 54.5454545) < 1e-6);
}

static void no_rates(void **state)
{
    (void)state;
    static const char *const texts[] = {"",      "4x",           "x4QDR",        "3xQDR",          "16xQDR", "0xQDR",
                                        "4xODR", "4xQDR2",       "4xqdr",        "4x 3.5 Gbps",    "4x 2.5", "40Gbit/s",
                                        "QDRx4", "4x -2.5 Gbps", "4x 2..5 Gbps", "99999999999xSDR"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double capacity = 7;
        if (cw_ib_rate_read(texts[i], strlen(texts[i]), &capacity) != 0) fail_msg("'%s' is read as a rate", texts[i]);
        assert_true(capacity == 7);
    }
}

/* A name is read back as exactly the rate it names; four lanes are preferred. */
static void names(void **state)
{
    (void)state;
    static const char *const speeds[] = {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"};
    static const unsigned lanes[] = {1, 2, 4, 8, 12};
    char text[16], name[16];
    for (size_t i = 0; i < 9; i++) {
        for (size_t j = 0; j < 5; j++) {
            snprintf(text, sizeof text, "%ux%s", lanes[j], speeds[i]);
            assert_true(cw_ib_rate_name(rate_of(text), name, sizeof name));
            assert_true(rate_of(name) == rate_of(text));
        }
        snprintf(text, sizeof text, "4x%s", speeds[i]);
        cw_ib_rate_name(rate_of(text), name, sizeof name);
        assert_string_equal(name, text);
    }
    assert_false(cw_ib_rate_name(4.9e9, name, sizeof name));
    assert_false(cw_ib_rate_name(0, name, sizeof name));
}

/* All that a capacity may be; eight and twelve lanes only where nothing else is. */
static void all_names(void **state)
{
    (void)state;
    static const struct {
        const char *rate, *names;
        size_t n;
    } cases[] = {{"4xSDR", "4xSDR, 1xQDR, 2xDDR", 3},
                 {"4xQDR", "4xQDR", 1},
                 {"2xEDR", "1xHDR, 2xEDR", 2},
                 {"1xSDR", "1xSDR", 1},
                 {"12xFDR", "12xFDR", 1}};
    char names[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cw_ib_rate_names(rate_of(cases[i].rate), names, sizeof names), cases[i].n);
        assert_string_equal(names, cases[i].names);
    }
    assert_int_equal(cw_ib_rate_names(4.9e9, names, sizeof names), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_lanes),
        cmocka_unit_test(line_codes),
        cmocka_unit_test(widths),
        cmocka_unit_test(other_ways_of_writing),
        cmocka_unit_test(stops_behind_the_rate),
        cmocka_unit_test(no_rates),
        cmocka_unit_test(names),
        cmocka_unit_test(all_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
