/* Tables 1 and 2: what is printed is copied right, and what is counted is what formulas say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "paper_example.h"
#include "study/papers/noise_paper.h"

/* Reads the layout as printed, by the papers' own notation: not the specification that the generator is given. */
static struct cw_network_size by_formula(const char *layout)
{
    struct cw_network_size size = {0};
    unsigned k, n, h, numbers[7] = {0}, m[5] = {0, 12}, w[5] = {0, 1};
    if (sscanf(layout, "%u-ary %u-cube", &k, &n) == 2) {
        for (size.endpoints = 1; n > 0; n--) size.endpoints *= k;
        size.switches = size.endpoints;
        return size;
    }
    assert_true(sscanf(layout, "XGFT(%u,%u,%u,%u,%u,%u,%u)", &h, &numbers[0], &numbers[1], &numbers[2], &numbers[3],
                       &numbers[4], &numbers[5]) >= 3);
    for (unsigned i = 2; i <= h; i++) {
        m[i] = numbers[i - 2];
        w[i] = numbers[h - 1 + i - 2];
    }
    size.endpoints = 1;
    for (unsigned i = 1; i <= h; i++) size.endpoints *= m[i];
    for (unsigned level = 1; level <= h; level++) {
        unsigned product = 1;
        for (unsigned i = level + 1; i <= h; i++) product *= m[i];
        for (unsigned i = 1; i <= level; i++) product *= w[i];
        size.switches += product;
    }
    return size;
}

static void check_table(const struct cw_published_network *table, size_t rows, uint64_t sum_of_printed)
{
    size_t n = 0;
    for (; table->layout; table++, n++) {
        const struct cw_network_size expected = by_formula(table->layout);
        struct cw_network_size size;
        if (cw_published_network_size(table, &size)) fail_msg("%s: %s", table->layout, cw_error_message());
        if (size.endpoints != expected.endpoints || size.switches != expected.switches)
            fail_msg("%s: %u endpoints and %u switches, expected %u and %u", table->layout, size.endpoints,
                     size.switches, expected.endpoints, expected.switches);
        sum_of_printed -= table->endpoints + table->switches;
    }
    assert_int_equal(n, rows);
    assert_int_equal(sum_of_printed, 0); /* added up by hand from the paper */
}

static void test_counts(void **state)
{
    (void)state;
    check_table(cw_published_trees, 7, 38448 + 10566);
    check_table(cw_published_cubes, 30, 35857 + 36438);
}

static void test_cables(void **state)
{
    (void)state;
    /* 12 cables up from a switch, to w switches: of the last w each, below it w = 12. */
    static const char *const expected[] = {"2", "1", "1 to 3", "1 to 2", "1", "1 to 4", "1 to 2"};
    for (size_t i = 0; i < 7; i++) {
        struct cw_network_size size;
        assert_int_equal(cw_published_network_size(&cw_published_trees[i], &size), 0);
        assert_string_equal(size.cables, expected[i]);
    }
}

/* One row right, one with other endpoints, one with other switches. */
static void test_findings(void **state)
{
    (void)state;
    const struct cw_published_network rows[] = {{"A", "", 10, 3}, {"B", "", 20, 5}, {"C", "", 30, 7}};
    const struct cw_network_size sizes[] = {
        {.endpoints = 10, .switches = 3}, {.endpoints = 21, .switches = 5}, {.endpoints = 30, .switches = 8}};
    const struct cw_published_network cubes[] = {{"9-ary 3-cube", "", 728, 0}, {"4-ary 2-cube", "", 15, 0}};
    const struct cw_network_size of_cubes[] = {{.endpoints = 729}, {.endpoints = 17}};
    const struct cw_published_table misprint = {cubes, of_cubes, 1}, both = {cubes, of_cubes, 2};
    const struct cw_published_table all = {rows, sizes, 3}, right = {rows, sizes, 1}, wrong = {rows + 1, sizes + 1, 2};
    check_claim(&cw_paper_noise, CW_NOISE_TABLE1, 0, &all, CW_HOLDS_IN_PART, 1,
                "1 of 3 rows are as printed; B has 21 endpoints, printed 20; C has 8 switches, printed 7");
    check_claim(&cw_paper_noise, CW_NOISE_TABLE2, 0, &right, CW_HOLDS, 1, "1 of 1");
    check_claim(&cw_paper_noise, CW_NOISE_TABLE2, 0, &wrong, CW_HOLDS_NOT, 0, "0 of 2");
    /* What a cube's own name says is a misprint of its size; another size than that is ours to explain. */
    check_claim(&cw_paper_noise, CW_NOISE_TABLE2, 0, &misprint, CW_HOLDS_CORRECTED, 0, "0 of 1");
    check_claim(&cw_paper_noise, CW_NOISE_TABLE2, 0, &both, CW_HOLDS_IN_PART, 0, "0 of 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_cables),
                                       cmocka_unit_test(test_findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
