/* Numbers with units, ranges and lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/units.h"

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

/* The message names the thing and quotes the text. */
static void assert_refused(int rc, const char *text)
{
    if (rc != CW_EUSAGE) fail_msg("'%s' gives %d", text, rc);
    assert_non_null(strstr(cw_error_message(), "--x"));
    assert_non_null(strstr(cw_error_message(), text));
}

static void test_int(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    " 1", "1 ", "1e6", "0x10", "1.0", "-", "+", "9223372036854775808",
                                      "nan", "٣"};
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"12", 12},
                {"-3", -3},
                {"+7", 7},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN}};
    int64_t value = 0;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(cw_parse_int("--x", good[i].text, &value), 0);
        assert_int_equal(value, good[i].value);
    }
    value = 5;
    for (size_t i = 0; i < COUNT(bad); i++) assert_refused(cw_parse_int("--x", bad[i], &value), bad[i]);
    assert_int_equal(value, 5);
}

static void test_real(void **state)
{
    (void)state;
    static const char *const good[] = {"0", "0.5", "-2.5", "1e-3", "1E3", ".25", "5.", "1.7976931348623157e308", "-0"};
    static const char *const bad[] = {"",   "nan", "inf",  "-inf", "1e999", "1e-999", "0x1p3", "1 ",      " 1",
                                      "1e", "1,5", "1..2", "e5",   ".",     "-",      "1e5x",  "infinity"};
    double value = 0;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(cw_parse_real("--x", good[i], &value), 0);
        assert_true(value == strtod(good[i], NULL));
    }
    value = 5;
    for (size_t i = 0; i < COUNT(bad); i++) assert_refused(cw_parse_real("--x", bad[i], &value), bad[i]);
    assert_true(value == 5);
}

static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"8", 8},
                {"8B", 8},
                {"8 B", 8},
                {"64kB", 64000},
                {"64k", 65536},
                {"1M", 1048576},
                {"2G", UINT64_C(2) << 30},
                {"64KB", 64000},
                {"1KiB", 1024},
                {"10MiB", 10485760},
                {"1.5KiB", 1536},
                {"1.001kB", 1001},
                {"0.3kB", 300},
                {"1e6", 1000000},
                {"1EB", 1000000000000000000},
                {"2GB", 2000000000},
                {"3TiB", 3298534883328},
                {"18446744073709551615", UINT64_MAX},
                {"9007199254740993", 9007199254740993},
                {"15EiB", 15ull << 60}};
    static const char *const bad[] = {"",    "-1",  "8 ",   "8b",    "64ki",
                                      "1kM", "50%", "1.5",  "1.5B",  "0.1KiB",
                                      "B",   "8BB", "8 B ", "16EiB", "18446744073709551616",
                                      "nan", "0x8", "1e30", "8bit"};
    uint64_t value = 0;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(cw_parse_bytes("--x", good[i].text, &value), 0);
        if (value != good[i].value) fail_msg("'%s' gives %llu", good[i].text, (unsigned long long)value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) assert_refused(cw_parse_bytes("--x", bad[i], &value), bad[i]);
}

static void test_rate_and_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } rates[] =
        {{"40Gbit/s", 5e9},     {"2GB/s", 2e9}, {"1GiB/s", 1073741824.},   {"8bit/s", 1},    {"100 Gb/s", 12.5e9},
         {"0.1Gbps", 0.0125e9}, {"5e9", 5e9},   {"8Gibit/s", 1073741824.}, {"3.3kB/s", 3300}},
      times[] = {{"10ms", 10e-3},   {"1.5us", 1.5e-6}, {"12.8ns", 12.8e-9}, {"2s", 2},
                 {"2", 2},          {"1.5µs", 1.5e-6}, {"3ps", 3e-12},      {"1e-3ms", 1e-6},
                 {"0.7us", 0.7e-6}, {"5min", 300},     {"1.5 h", 5400}};
    static const char *const bad[] = {"",      "fast",  "5x",  "-1", "1 Gbit/s per port", "1e999", "s",
                                      "1 s s", "1mmin", "1kh", "1m", "1e308h"};
    double value = 0;
    for (size_t i = 0; i < COUNT(rates); i++) {
        assert_int_equal(cw_parse_rate("--x", rates[i].text, &value), 0);
        if (value != rates[i].value) fail_msg("'%s' gives %.17g", rates[i].text, value);
    }
    for (size_t i = 0; i < COUNT(times); i++) {
        assert_int_equal(cw_parse_time("--x", times[i].text, &value), 0);
        if (value != times[i].value) fail_msg("'%s' gives %.17g", times[i].text, value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_refused(cw_parse_rate("--x", bad[i], &value), bad[i]);
        assert_refused(cw_parse_time("--x", bad[i], &value), bad[i]);
    }
}

static void test_real_ranges_are_the_nearest_doubles(void **state)
{
    (void)state;
    static const double tenths[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    static const char *const same[] = {"0.1..0.9:0.1",          "0.1..0.9",       "1e-1..9e-1",
                                       "0.1,0.2..0.8,0.9",      "0.1..0.90:0.10", "10%..90%:10%",
                                       "10%,0.2..80e0%:10%,90%"};
    for (size_t i = 0; i < COUNT(same); i++) {
        struct cw_reals reals;
        assert_int_equal(cw_parse_reals("--x", same[i], &reals), 0);
        assert_int_equal(reals.n, 9);
        assert_memory_equal(reals.values, tenths, sizeof tenths);
        cw_reals_free(&reals);
        assert_null(reals.values);
    }
}

/* first..last:step with random decimals has the values that their decimal texts have. */
static void test_real_ranges_agree_with_strtod(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 300; trial++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, trial);
        const int places = (int)cw_random_below(&random, 7);
        const long step = 1 + (long)cw_random_below(&random, 300), first = (long)cw_random_below(&random, 5000) - 2500;
        const size_t n = 1 + cw_random_below(&random, 100);
        char text[200], item[60];
        snprintf(text, sizeof text, "%lde-%d..%lde-%d:%lde-%d", first, places, first + step * (long)(n - 1), places,
                 step, places);
        struct cw_reals reals;
        assert_int_equal(cw_parse_reals("--x", text, &reals), 0);
        assert_int_equal(reals.n, n);
        for (size_t i = 0; i < n; i++) {
            snprintf(item, sizeof item, "%lde-%d", first + (long)i * step, places);
            assert_true(reals.values[i] == strtod(item, NULL));
        }
        cw_reals_free(&reals);
    }
}

static void assert_ints(const char *text, const int64_t *expected, size_t n)
{
    struct cw_ints ints;
    if (cw_parse_ints("--x", text, &ints)) fail_msg("%s", cw_error_message());
    assert_int_equal(ints.n, n);
    assert_memory_equal(ints.values, expected, n * sizeof *expected);
    cw_ints_free(&ints);
}

static void test_ints(void **state)
{
    (void)state;
    assert_ints("4,8", (const int64_t[]){4, 8}, 2);
    assert_ints("1..10:3", (const int64_t[]){1, 4, 7, 10}, 4);
    assert_ints("1..4", (const int64_t[]){1, 2, 3, 4}, 4);
    assert_ints("-2..1,7,3..3", (const int64_t[]){-2, -1, 0, 1, 7, 3}, 6);
    assert_ints("-9223372036854775808..9223372036854775806:9223372036854775807",
                (const int64_t[]){INT64_MIN, -1, INT64_MAX - 1}, 3);
}

static void test_bad_lists(void **state)
{
    (void)state;
    static const char *const bad[] = {"",           ",",       "1,",    ",1",
                                      "1,,2",       "1..",     "..4",   "4..1",
                                      "1..4:0",     "1..4:-1", "1..4:", "1..4:x",
                                      "1..2000000", "1:2",     "1 2",   "1..999999,2..3",
                                      "nan"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct cw_reals reals = {0};
        struct cw_ints ints = {0};
        if (cw_parse_ints("--x", bad[i], &ints) != CW_EUSAGE) fail_msg("'%s' is accepted", bad[i]);
        if (cw_parse_reals("--x", bad[i], &reals) != CW_EUSAGE) fail_msg("'%s' is accepted", bad[i]);
        assert_null(reals.values);
        assert_null(ints.values);
    }
    struct cw_reals reals = {0};
    assert_int_equal(cw_parse_reals("--x", "0.0000000000000001..1", &reals), CW_EUSAGE);
    assert_int_equal(cw_parse_reals("--x", "1e300..1.5e300", &reals), CW_EUSAGE);
    assert_int_equal(cw_parse_reals("--x", "0.1..0.9:0.3", &reals), 0);
    assert_int_equal(reals.n, 3);
    assert_true(reals.values[2] == 0.7);
    cw_reals_free(&reals);
    assert_int_equal(cw_parse_reals("--x", "1..1000000", &reals), 0);
    assert_int_equal(reals.n, 1000000);
    cw_reals_free(&reals);
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } sizes[] = {
        {0, "0 B"},        {8, "8 B"},           {1000, "1000 B"},    {1023, "1023 B"},   {1024, "1 KiB"},
        {1536, "1.5 KiB"}, {10485760, "10 MiB"}, {1500, "1.465 KiB"}, {1048575, "1 MiB"}, {UINT64_MAX, "16 EiB"}};
    static const struct {
        double rate;
        const char *text;
    } rates[] = {
        {5e9, "40 Gbit/s"}, {0, "0 bit/s"}, {12.890625e9, "103.1 Gbit/s"}, {7.03125e9, "56.25 Gbit/s"}, {1, "8 bit/s"}};
    char buffer[40];
    for (size_t i = 0; i < COUNT(sizes); i++)
        assert_string_equal(cw_format_bytes(sizes[i].bytes, buffer, sizeof buffer), sizes[i].text);
    for (size_t i = 0; i < COUNT(rates); i++)
        assert_string_equal(cw_format_rate(rates[i].rate, buffer, sizeof buffer), rates[i].text);
    assert_string_equal(cw_format_bytes(1536, buffer, 4), "1.5");
}

static void test_byte_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0.2ns", 0.2e-9},
                {"1us", 1e-6},
                {"0.5 ns", 0.5e-9},
                {"1s", 1},
                {"0", 0},
                {"0.0", 0},
                {"0s", 0},
                {"40Gbit/s", 0.2e-9},
                {"100Gbit/s", 0.08e-9},
                {"8bps", 1},
                {"2GB/s", 0.5e-9},
                {"1GiB/s", 0x1p-30}};
    static const char *const bad[] = {"",     "0.2",   "1e-9",   "-1ns", "0bit/s", "-40Gbit/s", "ns",
                                      "0.2 ", "0.2xs", "40Gbit", "40/s", "nan",    "1e999"};
    double value = 5;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(cw_parse_byte_time("--G", good[i].text, &value), 0);
        if (fabs(value - good[i].value) > 1e-15 * good[i].value) fail_msg("'%s' gives %g", good[i].text, value);
    }
    value = 5;
    for (size_t i = 0; i < COUNT(bad); i++) assert_refused(cw_parse_byte_time("--x", bad[i], &value), bad[i]);
    assert_true(value == 5);
    assert_int_equal(cw_parse_byte_time("--G", "0.2", &value), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "--G: 0.2 without a unit would be seconds for each byte; expected a time for "
                        "each byte such as 0.2ns, or a rate such as 40Gbit/s");
}

static void test_sizes(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ",", "8B,", ",8B", "8B,,9B", "8B,x", "1..4", "8B, 9B,-1"};
    struct cw_sizes sizes = {0};
    assert_int_equal(cw_parse_sizes("--x", "8B,4KiB,1MiB,0", &sizes), 0);
    assert_int_equal(sizes.n, 4);
    assert_true(sizes.values[0] == 8 && sizes.values[1] == 4096 && sizes.values[2] == 1 << 20 && sizes.values[3] == 0);
    cw_sizes_free(&sizes);
    assert_true(!sizes.values && sizes.n == 0);
    cw_sizes_free(NULL);
    for (size_t i = 0; i < COUNT(bad); i++) assert_int_equal(cw_parse_sizes("--x", bad[i], &sizes), CW_EUSAGE);
    assert_int_equal(cw_parse_sizes("--x", "8B,,9B", &sizes), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "--x: '8B,,9B' has an empty item; expected sizes such as 8B,4KiB");
    assert_true(!sizes.values && sizes.n == 0);
}

static void test_formatted_times(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } times[] = {{1e-6, "1 µs"},  {1.5e-6, "1.5 µs"}, {0.999e-6, "999 ns"}, {0.2e-9, "200 ps"}, {2e-15, "0.002 ps"},
                 {0, "0 s"},      {12, "12 s"},       {0.012, "12 ms"},     {1e-3, "1 ms"},     {1e-9, "1 ns"},
                 {1e-12, "1 ps"}, {1e6, "1000000 s"}, {-1e-7, "-100 ns"}};
    char buffer[32];
    for (size_t i = 0; i < COUNT(times); i++)
        assert_string_equal(cw_format_time(times[i].seconds, buffer, sizeof buffer), times[i].text);
}

/* What is written can be read: sizes of whole units are exact. */
static void test_formatted_sizes_are_read_back(void **state)
{
    (void)state;
    for (int shift = 0; shift < 64; shift++) {
        char buffer[40];
        uint64_t value = 0;
        cw_format_bytes(1ull << shift, buffer, sizeof buffer);
        assert_int_equal(cw_parse_bytes("--x", buffer, &value), 0);
        assert_int_equal(value, 1ull << shift);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int),
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_rate_and_time),
        cmocka_unit_test(test_real_ranges_are_the_nearest_doubles),
        cmocka_unit_test(test_real_ranges_agree_with_strtod),
        cmocka_unit_test(test_ints),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_byte_time),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_formatted_times),
        cmocka_unit_test(test_formatted_sizes_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
