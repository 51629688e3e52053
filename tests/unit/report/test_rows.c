/* Rows of tables by a format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "report/rows.h"

static const struct cw_column columns[] = {{"pattern", CW_COLUMN_TEXT, NULL, "who sends to whom"},
                                           {"endpoints", CW_COLUMN_INT, NULL, "of the fabric"},
                                           {"time", CW_COLUMN_REAL, "s", "of a round"}};

/* Cells of a row by a format are those of single calls, whatever their width. */
static void test_rows(void **state)
{
    (void)state;
    struct cw_table *table;
    assert_int_equal(cw_table_new("rounds", NULL, CW_ITEMS(columns), &table), 0);
    const uint64_t large = 5000000000;
    const size_t size = 5000000001;
    const uint32_t most = UINT32_MAX;
    cw_table_row(table, "%s %d %g", "ring", -7, 0.5);
    cw_table_row(table, "- %lu -", large);
    cw_table_row(table, "%s %zu", "tree", size);
    cw_table_row(table, "%g", (double)NAN);
    cw_table_row(table, "%s %u %g %s %ld -", "star", most, 2.0, "mesh", (int64_t)-5000000002);
    assert_int_equal(cw_table_check(table), 0);
    assert_int_equal(cw_table_rows(table), 5);
    static const int64_t whole[] = {-7, 5000000000, 5000000001, UINT32_MAX, -5000000002};
    for (size_t row = 0; row < 5; row++) assert_int_equal(cw_table_cell_int(table, row, 1), whole[row]);
    assert_string_equal(cw_table_cell_text(table, 0, 0), "ring");
    assert_string_equal(cw_table_cell_text(table, 4, 0), "mesh");
    assert_true(cw_table_cell_missing(table, 1, 0) && cw_table_cell_missing(table, 1, 2));
    assert_true(cw_table_cell_missing(table, 2, 2) && cw_table_cell_missing(table, 4, 2));
    assert_true(cw_table_cell_real(table, 0, 2) == 0.5 && cw_table_cell_real(table, 3, 2) == 2);
    cw_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
