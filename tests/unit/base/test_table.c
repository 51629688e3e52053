/* Tables: cells, errors, and their text and CSV forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/random.h"
#include "base/table.h"

static const struct cw_column columns[] = {
    {"pattern", CW_COLUMN_TEXT, NULL, "Who sends to whom"},
    {"endpoints", CW_COLUMN_INT, NULL, "Endpoints of the fabric"},
    {"time", CW_COLUMN_REAL, "s", "Time of a round"},
};

static struct cw_table *new_table(void)
{
    struct cw_table *table = NULL;
    assert_int_equal(cw_table_new("rounds", "Rounds of the pattern", columns, 3, &table), 0);
    return table;
}

static void test_cells(void **state)
{
    (void)state;
    struct cw_table *table = new_table();
    cw_table_text(table, "ring");
    cw_table_int(table, INT64_MAX);
    cw_table_real(table, 0.5);
    cw_table_none(table);
    cw_table_none(table);
    cw_table_real(table, (double)NAN);
    cw_table_text(table, NULL);
    cw_table_int(table, -3);
    cw_table_real(table, (double)INFINITY);
    assert_int_equal(cw_table_check(table), 0);
    assert_int_equal(cw_table_rows(table), 3);
    assert_int_equal(cw_table_columns(table), 3);
    assert_ptr_equal(cw_table_column(table, 1), &columns[1]);
    assert_string_equal(cw_table_name(table), "rounds");
    assert_string_equal(cw_table_title(table), "Rounds of the pattern");
    assert_string_equal(cw_table_cell_text(table, 0, 0), "ring");
    assert_int_equal(cw_table_cell_int(table, 0, 1), INT64_MAX);
    assert_true(cw_table_cell_real(table, 0, 2) == 0.5);
    assert_true(cw_table_cell_real(table, 2, 1) == -3);
    assert_true(isnan(cw_table_cell_real(table, 0, 0)));
    assert_null(cw_table_cell_text(table, 0, 1));
    assert_int_equal(cw_table_cell_int(table, 0, 2), 0);
    for (size_t column = 0; column < 3; column++) assert_true(cw_table_cell_missing(table, 1, column));
    assert_true(isnan(cw_table_cell_real(table, 1, 1)));
    assert_null(cw_table_cell_text(table, 2, 0));
    assert_true(cw_table_cell_missing(table, 2, 2));
    assert_false(cw_table_cell_missing(table, 2, 1));
    cw_table_free(table);
    cw_table_free(NULL);
}

static void test_errors(void **state)
{
    (void)state;
    struct cw_text text = {0};
    struct cw_table *table = new_table();
    cw_table_text(table, "ring");
    cw_table_int(table, 4);
    assert_int_equal(cw_table_check(table), CW_EINTERNAL); /* unfinished so far */
    assert_string_equal(cw_error_message(), "table 'rounds': the last row has 2 of 3 cells");
    cw_table_int(table, 4);
    cw_table_text(table, "a later error");
    assert_int_equal(cw_table_write_text(table, 0, "json", &text), CW_EINTERNAL);
    assert_int_equal(cw_table_write_csv(table, &text), CW_EINTERNAL);
    assert_string_equal(cw_error_message(),
                        "table 'rounds', row 1: column 'time' takes a real number, not a whole number");
    assert_null(text.data);
    cw_table_free(table);
}

static void assert_text(const struct cw_table *table, unsigned width, const char *expected)
{
    struct cw_text text = {0};
    assert_int_equal(cw_table_write_text(table, width, "json", &text), 0);
    assert_string_equal(text.data, expected);
    cw_text_free(&text);
}

static void test_text(void **state)
{
    (void)state;
    struct cw_table *table = new_table();
    static const double times[] = {0.00123456, 1.5, 12345.6, 9999.7, 1e10, -0.0, 123.456, 2.5e-7};
    assert_text(table, 0,
                "Rounds of the pattern\n\n"
                "pattern  endpoints  time\n"
                "                     [s]\n"
                "-------  ---------  ----\n"
                "(no rows)\n");
    for (size_t i = 0; i < 8; i++) {
        if (i == 1)
            cw_table_none(table);
        else
            cw_table_text(table, i == 2 ? "é\nx" : "ring");
        cw_table_int(table, i == 0 ? 10368 : i == 1 ? 1024 : i == 2 ? -1234567 : (int64_t)i);
        cw_table_real(table, times[i]);
    }
    cw_table_text(table, "none");
    cw_table_none(table);
    cw_table_none(table);
    assert_text(table, 0,
                "Rounds of the pattern\n\n"
                "pattern   endpoints             time\n"
                "                                 [s]\n"
                "-------  ----------  ---------------\n"
                "ring         10,368       0.001235\n"
                "-              1024       1.5\n"
                "é\\x0ax   -1,234,567  12,346\n"
                "ring              3  10,000\n"
                "ring              4   1e+10\n"
                "ring              5       0\n"
                "ring              6     123.5\n"
                "ring              7       0.00000025\n"
                "none              -       -\n");
    cw_table_free(table);
}

static const struct cw_column wide[] = {{.name = "name", .type = CW_COLUMN_TEXT},
                                        {.name = "aaaaaa", .type = CW_COLUMN_INT},
                                        {.name = "bbbbbb", .type = CW_COLUMN_INT, .unit = "hop"},
                                        {.name = "cccccc", .type = CW_COLUMN_INT},
                                        {.name = "dddddd", .type = CW_COLUMN_INT},
                                        {.name = "too_wide_for_any_block", .type = CW_COLUMN_INT}};

static void test_wide_table_is_broken_into_blocks(void **state)
{
    (void)state;
    struct cw_table *table = NULL;
    assert_int_equal(cw_table_new("wide", "A title that has no room", wide, 5, &table), 0);
    cw_table_text(table, "x");
    for (int64_t i = 1; i <= 3; i++) cw_table_int(table, i);
    cw_table_none(table); /* a column without a value is left out; */
    assert_text(table, 20,
                "A title that has no\nroom\n\n"
                "name  aaaaaa  bbbbbb\n"
                "               [hop]\n"
                "----  ------  ------\n"
                "x          1       2\n"
                "\n"
                "name  cccccc\n"
                "----  ------\n"
                "x          3\n");
    assert_text(table, 36, /* … not where it has room */
                "A title that has no room\n\n"
                "name  aaaaaa  bbbbbb  cccccc  dddddd\n"
                "               [hop]\n"
                "----  ------  ------  ------  ------\n"
                "x          1       2       3       -\n");
    assert_text(table, 35,
                "A title that has no room\n\n"
                "name  aaaaaa  bbbbbb  cccccc\n"
                "               [hop]\n"
                "----  ------  ------  ------\n"
                "x          1       2       3\n");
    cw_table_free(table);
    assert_int_equal(cw_table_new("numbers", NULL, wide + 1, 3, &table), 0); /* the first column labels the rows */
    for (int64_t i = 1; i <= 3; i++) cw_table_int(table, i);
    assert_text(table, 15,
                "aaaaaa  bbbbbb\n         [hop]\n------  ------\n     1       2\n\n"
                "aaaaaa  cccccc\n------  ------\n     1       3\n");
    cw_table_free(table);
}

static void test_wide_rows_are_records(void **state)
{
    (void)state;
    struct cw_table *table = NULL;
    assert_int_equal(cw_table_new("wide", NULL, wide, 6, &table), 0);
    for (int64_t row = 0; row < 2; row++) {
        cw_table_text(table, row > 0 ? "many words in a row" : "x");
        for (int64_t i = 1; i <= 4; i++) i == 3 ? cw_table_none(table) : cw_table_int(table, 1000000 * row + i);
        cw_table_int(table, 5);
    }
    assert_text(table, 40, /* the last column has no room beside the labels */
                "name                    x\n"
                "aaaaaa                  1\n"
                "bbbbbb                  2 [hop]\n"
                "dddddd                  4\n"
                "too_wide_for_any_block  5\n"
                "\n"
                "name                    many words in a\n"
                "                        row\n"
                "aaaaaa                  1,000,001\n"
                "bbbbbb                  1,000,002 [hop]\n"
                "dddddd                  1,000,004\n"
                "too_wide_for_any_block  5\n");
    cw_table_free(table);
    assert_int_equal(cw_table_new("labels", NULL, wide, 3, &table), 0);
    cw_table_text(table, "a label of some length");
    for (int64_t i = 1; i <= 2; i++) cw_table_int(table, i);
    assert_text(table, 37, "name    a label of some length\naaaaaa  1\nbbbbbb  2 [hop]\n");
    assert_text(table, 38,
                "name                    aaaaaa  bbbbbb\n"
                "                                 [hop]\n"
                "----------------------  ------  ------\n"
                "a label of some length       1       2\n");
    cw_table_free(table);
}

static const struct cw_column measured[] = {{.name = "ratio", .type = CW_COLUMN_REAL},
                                            {.name = "slowdown", .type = CW_COLUMN_REAL, .unit = "x"},
                                            {.name = "slowdown_ci95", .type = CW_COLUMN_REAL, .interval = true},
                                            {.name = "trials", .type = CW_COLUMN_INT, .detail = true},
                                            {.name = "all", .type = CW_COLUMN_INT}};

static void test_intervals_and_details(void **state)
{
    (void)state;
    static const double values[][2] = {{1.448, 0.0213},  {1.448, 0.0151},  {12345.6, 24.4}, {0.5, 0},
                                       {2, (double)NAN}, {(double)NAN, 1}, {1.0, 1e-12},    {5e9, 123456.0},
                                       {9.96, 0.0996},   {3.4, 1234.5}};
    struct cw_table *table = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_table_new("measured", NULL, measured, 5, &table), 0);
    for (size_t i = 0; i < 10; i++) {
        cw_table_real(table, (double)(i + 1) / 10);
        cw_table_real(table, values[i][0]);
        cw_table_real(table, values[i][1]);
        cw_table_int(table, 100);
        cw_table_int(table, 7);
    }
    assert_text(table, 0,
                "ratio                  slowdown  all\n"
                "                            [x]\n"
                "-----  ------------------------  ---\n"
                "  0.1       1.45  ±       0.02     7\n"
                "  0.2       1.448 ±       0.015    7\n"
                "  0.3  12,346     ±      24        7\n"
                "  0.4       0.5   ±       0        7\n"
                "  0.5       2                      7\n"
                "  0.6       -                      7\n"
                "  0.7       1     ±   1e-12        7\n"
                "  0.8   5e+09     ± 1.2e+05        7\n"
                "  0.9       9.96  ±       0.10     7\n"
                "  1         3     ±    1234        7\n");
    assert_int_equal(cw_table_write_csv(table, &text), 0);
    assert_int_equal(strncmp(text.data, "ratio,slowdown,slowdown_ci95,trials,all\n0.1,1.448,0.0213,100,7\n", 63), 0);
    cw_text_free(&text);
    cw_table_free(table);
}

static const struct cw_column timed[] = {{.name = "clean", .type = CW_COLUMN_REAL, .unit = "s"},
                                         {.name = "clean_ci95", .type = CW_COLUMN_REAL, .unit = "s", .interval = true},
                                         {.name = "overhead", .type = CW_COLUMN_REAL, .unit = "s"},
                                         {.name = "search", .type = CW_COLUMN_REAL, .unit = "s", .measured = true}};

/* Times of ROWS rows, each with an interval of a tenth. */
static void assert_times(const double *times, size_t rows, const char *expected)
{
    struct cw_table *table = NULL;
    assert_int_equal(cw_table_new("timed", NULL, timed, 2, &table), 0);
    for (size_t i = 0; i < rows; i++) {
        cw_table_real(table, times[i]);
        cw_table_real(table, times[i] / 10);
    }
    assert_text(table, 0, expected);
    cw_table_free(table);
}

/* The prefix is that of the median (the lower of two), or as near to it as the greatest can still be read. CSV is in
 * s. */
static void test_prefix_of_times(void **state)
{
    (void)state;
    struct cw_table *table = NULL;
    struct cw_text text = {0};
    assert_times((const double[]){8e-6, 0.13}, 2,
                 "               clean\n                [µs]\n--------------------\n"
                 "      8.0 ±      0.8\n130,000   ± 13,000\n");
    assert_times((const double[]){0, 8e-6, 0.13, 0.25}, 4,
                 "             clean\n              [ms]\n------------------\n"
                 "  0      ±  0\n  0.0080 ±  0.0008\n130      ± 13\n250      ± 25\n");
    assert_times((const double[]){2e-9, 50}, 2,
                 "                        clean\n                         [ms]\n-----------------------------\n"
                 "     0.0000020 ±    0.0000002\n50,000         ± 5000\n");
    assert_times((const double[]){0}, 1, "clean\n  [s]\n-----\n0 ± 0\n");
    assert_int_equal(cw_table_new("timed", NULL, timed, 2, &table), 0);
    for (int i = 0; i < 2; i++) cw_table_real(table, 8.5e-6);
    assert_int_equal(cw_table_write_csv(table, &text), 0);
    assert_string_equal(text.data, "clean,clean_ci95\n8.5e-06,8.5e-06\n");
    cw_text_free(&text);
    cw_table_free(table);
}

/* All times have the prefix of the column whose median is greatest; small ones keep their digits and have no exponent,
 * be they negative. What the run itself took stays in s. */
static void test_one_prefix(void **state)
{
    (void)state;
    static const double rows[][4] = {
        {1.5e-3, 1e-6, 6.3e-9, 1e-5}, {2e-3, 1e-12, -6.34567e-8, 20}, {4e-2, 1e-3, 0, 0}, {0.5, 0.1, NAN, 1.5}};
    struct cw_table *table = NULL;
    assert_int_equal(cw_table_new("timed", NULL, timed, 4, &table), 0);
    for (int i = 0; i < 16; i++) cw_table_real(table, rows[i / 4][i % 4]);
    assert_text(table, 0,
                "                   clean     overhead    search\n"
                "                    [ms]         [ms]       [s]\n"
                "------------------------  -----------  --------\n"
                "  1.5000 ±   0.0010        0.0000063    0.00001\n"
                "  2      ±   0.000000001  -0.00006346  20\n"
                " 40.0    ±   1.0           0            0\n"
                "500      ± 100             -            1.5\n");
    cw_table_free(table);
}

/* Text may show the first rows only; CSV has all. */
static void test_cut_text(void **state)
{
    (void)state;
    struct cw_table *table = NULL;
    struct cw_text text = {0};
    assert_int_equal(cw_table_new("timed", NULL, timed, 1, &table), 0);
    cw_table_cut_text(table, 2);
    for (int i = 1; i < 3; i++) cw_table_real(table, i);
    assert_text(table, 0, "clean\n  [s]\n-----\n    1\n    2\n");
    for (int i = 3; i < 6; i++) cw_table_real(table, 1000 * i);
    assert_text(table, 0, "clean\n  [s]\n-----\n    1\n    2\n(3 more rows with --format json)\n");
    cw_table_cut_text(table, 0);
    assert_text(table, 0, "5 rows with --format json\n");
    assert_int_equal(cw_table_write_csv(table, &text), 0);
    assert_string_equal(text.data, "clean\n1\n2\n3000\n4000\n5000\n");
    cw_text_free(&text);
    cw_table_free(table);
}

static void test_column_rules(void **state)
{
    (void)state;
    struct cw_table *table = NULL;
    const struct cw_column good[] = {measured[0], measured[2]}, after_int[] = {measured[4], measured[2]},
                           only_details[] = {measured[3]}, twice[] = {measured[0], measured[0]},
                           intervals[] = {measured[0],
                                          measured[2],
                                          {.name = "b", .type = CW_COLUMN_REAL, .interval = true}},
                           only_measured[] = {{.name = "took", .type = CW_COLUMN_REAL, .measured = true}};
    assert_int_equal(cw_table_new("t", "T", good, 2, &table), 0);
    cw_table_free(table);
    assert_int_equal(cw_table_new("t", "T", after_int, 2, &table), CW_EINTERNAL);
    assert_int_equal(cw_table_new("t", "T", only_details, 1, &table), CW_EINTERNAL);
    assert_int_equal(cw_table_new("t", "T", measured + 2, 1, &table), CW_EINTERNAL);
    assert_int_equal(cw_table_new("t", "T", intervals, 3, &table), CW_EINTERNAL);
    assert_int_equal(cw_table_new("t", "T", only_measured, 1, &table), CW_EINTERNAL);
    assert_int_equal(cw_table_new("t", "T", twice, 2, &table), CW_EINTERNAL);
    assert_int_equal(cw_table_new("t", "T", good, 0, &table), CW_EINTERNAL);
}

static void test_csv(void **state)
{
    (void)state;
    struct cw_table *table = new_table();
    struct cw_text text = {0};
    cw_table_text(table, "a,\"b\"\nc");
    cw_table_int(table, 10368);
    cw_table_real(table, 1.0 / 3);
    cw_table_text(table, "");
    cw_table_none(table);
    cw_table_real(table, 5e9);
    cw_table_none(table);
    cw_table_int(table, -9007199254740993);
    cw_table_real(table, 0.3);
    assert_int_equal(cw_table_write_csv(table, &text), 0);
    assert_string_equal(text.data, "pattern,endpoints,time\n"
                                   "\"a,\"\"b\"\"\nc\",10368,0.3333333333\n"
                                   "\"\",,5000000000\n"
                                   ",-9007199254740993,0.3\n");
    cw_text_free(&text);
    cw_table_free(table);
    assert_int_equal(cw_table_new("one", NULL, columns, 1, &table), 0);
    cw_table_none(table);
    assert_int_equal(cw_table_write_csv(table, &text), 0);
    assert_string_equal(text.data, "pattern\n\"\"\n");
    cw_text_free(&text);
    cw_table_free(table);
}

/* Reads the CSV field at *P as RFC 4180 says and moves behind it, also behind the comma or line end. Returns whether
 * the field was the last of its line; VALUE gets its text, and *QUOTED whether it had quotes. */
static bool read_field(const char **p, struct cw_text *value, bool *quoted)
{
    *quoted = **p == '"';
    if (*quoted) ++*p;
    for (;; ++*p) {
        if (*quoted && **p == '"' && (*p)[1] != '"') {
            ++*p;
            break;
        }
        if (*quoted && **p == '"') ++*p;
        if (!*quoted && (**p == ',' || **p == '\n')) break;
        assert_int_not_equal(**p, '\0');
        cw_text_append(value, *p, 1);
    }
    const char end = *(*p)++;
    assert_true(end == ',' || end == '\n');
    return end == '\n';
}

/* A table of random cells: what was written is what a reader of RFC 4180 sees. */
static void check_random_table(uint64_t trial)
{
    static const char letters[] = "ab,\"\n\r é-";
    struct cw_random random = cw_random_of(11, CW_STREAM_TEST, trial);
    struct cw_table *table = new_table();
    const uint32_t rows = cw_random_below(&random, 8);
    for (uint32_t row = 0; row < rows; row++) {
        char name[12] = "";
        const uint32_t length = cw_random_below(&random, sizeof name);
        for (uint32_t k = 0; k < length; k++) name[k] = letters[cw_random_below(&random, sizeof letters - 1)];
        if (cw_random_below(&random, 5) == 0)
            cw_table_none(table);
        else
            cw_table_text(table, name);
        cw_table_int(table, (int64_t)cw_random_u64(&random));
        cw_table_real(table, (cw_random_unit(&random) - 0.5) * pow(10, cw_random_below(&random, 40) - 20.0));
    }
    struct cw_text csv = {0};
    assert_int_equal(cw_table_write_csv(table, &csv), 0);
    const char *p = csv.data;
    for (size_t row = 0; row <= rows; row++) {
        for (size_t column = 0; column < 3; column++) {
            struct cw_text value = {0};
            bool quoted;
            cw_text_add(&value, "");
            assert_int_equal(read_field(&p, &value, &quoted), column == 2);
            if (row == 0) {
                assert_string_equal(value.data, columns[column].name);
            } else if (column == 0) {
                const char *cell = cw_table_cell_text(table, row - 1, 0);
                assert_string_equal(value.data, cell ? cell : "");
                assert_true(cell || !quoted);
                assert_true(!cell || *cell || quoted);
            } else if (column == 1) {
                assert_true(strtoimax(value.data, NULL, 10) == cw_table_cell_int(table, row - 1, 1));
            } else {
                const double real = cw_table_cell_real(table, row - 1, 2);
                assert_true(fabs(strtod(value.data, NULL) - real) <= 5e-10 * fabs(real));
            }
            cw_text_free(&value);
        }
    }
    assert_ptr_equal(p, csv.data + csv.length);
    cw_text_free(&csv);
    cw_table_free(table);
}

static void test_csv_round_trip(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 300; trial++) check_random_table(trial);
}

/* A file gets what the text gets; of a table with an error, nothing. */
static void test_csv_file(void **state)
{
    (void)state;
    char path[] = "/tmp/crosswind-table-XXXXXX";
    const int descriptor = mkstemp(path);
    struct cw_text text = {0}, saved = {0};
    struct cw_table *table = new_table();
    assert_true(descriptor >= 0);
    close(descriptor);
    cw_table_text(table, "ring");
    cw_table_int(table, 4);
    assert_int_equal(cw_table_save_csv(table, path), CW_EINTERNAL);
    assert_int_equal(cw_file_read(path, &saved), 0);
    assert_int_equal(saved.length, 0);
    cw_text_free(&saved);
    cw_table_real(table, 0.25);
    assert_int_equal(cw_table_save_csv(table, path), 0);
    assert_int_equal(cw_table_write_csv(table, &text), 0);
    assert_int_equal(cw_file_read(path, &saved), 0);
    assert_string_equal(saved.data, text.data);
    assert_int_equal(cw_table_save_csv(table, "/nonexistent/table.csv"), CW_EIO);
    assert_int_equal(remove(path), 0);
    cw_text_free(&text);
    cw_text_free(&saved);
    cw_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_wide_table_is_broken_into_blocks),
        cmocka_unit_test(test_wide_rows_are_records),
        cmocka_unit_test(test_intervals_and_details),
        cmocka_unit_test(test_prefix_of_times),
        cmocka_unit_test(test_one_prefix),
        cmocka_unit_test(test_cut_text),
        cmocka_unit_test(test_column_rules),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_file),
        cmocka_unit_test(test_csv_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
