/* Verdicts on points whose figures are planted: such that hold, hold in part, do not, and cannot be tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/papers/noise_paper.h"

#define SURE 0.01 /* half width of the intervals: differences up to 0.014 are none */

static struct cw_noise_points points;
static struct cw_noise_point items[64];

static void begin(void)
{
    points = (struct cw_noise_points){.items = items};
}

static void plant(int figure, const char *curve, uint32_t endpoints, double ratio, double mean)
{
    struct cw_noise_point *point = &points.items[points.n++];
    *point = (struct cw_noise_point){
        .figure = figure, .curve = curve, .network = curve, .ratio = ratio, .endpoints = endpoints};
    point->result.slowdown.mean = mean;
    point->result.slowdown.ci95 = SURE;
    point->result.application = endpoints - (uint32_t)(ratio * endpoints + 0.5);
}

typedef int finder(const struct cw_noise_points *, struct cw_findings *);

static void check(finder *find, enum cw_verdict verdict, double value, const char *found)
{
    struct cw_findings findings = {0};
    assert_int_equal(find(&points, &findings), 0);
    assert_int_equal(findings.n, 1);
    const struct cw_finding *finding = &findings.items[0];
    if (finding->verdict != verdict || !strstr(finding->found, found))
        fail_msg("holds: %s: %s; expected %s, with \"%s\"", cw_verdict_names[finding->verdict], finding->found,
                 cw_verdict_names[verdict], found);
    assert_true(isnan(value) ? isnan(finding->value) : finding->value == value);
    cw_findings_free(&findings);
}

static void test_ratio(void **state)
{
    (void)state;
    begin();
    check(cw_find_ratio, CW_NOT_TESTED, NAN, "no fabric");
    plant(11, "a", 100, 0.1, 1.1);
    check(cw_find_ratio, CW_NOT_TESTED, 1.1, "1.10");
    plant(11, "a", 100, 0.5, 1.5);
    plant(11, "b", 200, 0.1, 1.2);
    plant(11, "b", 200, 0.5, 1.8);
    plant(13, "fat trees", 100, 0.5, 9); /* another figure's */
    check(cw_find_ratio, CW_HOLDS, 1.8, "1.80 at ratio 0.5 on b");
    plant(11, "b", 200, 0.9, 1.79); /* no difference */
    check(cw_find_ratio, CW_HOLDS, 1.8, "1.80");
    points.items[points.n - 1].result.slowdown.mean = 1.7;
    check(cw_find_ratio, CW_HOLDS_IN_PART, 1.8, "falls after ratio 0.5 on b");
    points.items[points.n - 1].result.slowdown.mean = 1.2;
    check(cw_find_ratio, CW_HOLDS_NOT, 1.8, "falls");

    /* Trials that were all the same, at the beginning and everywhere. */
    begin();
    plant(11, "a", 16, 0.1, 1);
    plant(11, "a", 16, 0.9, 1.5);
    points.items[0].result.slowdown.ci95 = NAN;
    check(cw_find_ratio, CW_HOLDS, 1.5, "");
    points.items[1].result.slowdown = points.items[0].result.slowdown;
    check(cw_find_ratio, CW_HOLDS_NOT, 1, "");
}

static void test_fabric_size(void **state)
{
    (void)state;
    begin();
    plant(11, "a", 100, 0.5, 1.5);
    plant(11, "a", 100, 0.9, 2.5);
    check(cw_find_fabric_size, CW_NOT_TESTED, 1.5, "not public");
    plant(11, "b", 300, 0.5, 1.8);
    check(cw_find_fabric_size, CW_HOLDS, 1.8, "1 of 1 pairs: 1.50 at 100 endpoints, 1.80 at 300 endpoints");
    plant(11, "c", 200, 0.5, 1.9);
    check(cw_find_fabric_size, CW_HOLDS_IN_PART, 1.8, "2 of 3 pairs");
    points.n = 3;
    points.items[2].result.slowdown.mean = 1.51;
    check(cw_find_fabric_size, CW_HOLDS_NOT, 1.51, "0 of 1 pairs");
}

static void test_tree_size(void **state)
{
    (void)state;
    begin();
    check(cw_find_tree_size, CW_NOT_TESTED, NAN, "no points");
    plant(13, "fat trees", 144, 0.5, 1.45);
    plant(13, "fat trees", 2304, 0.5, 1.80);
    check(cw_find_tree_size, CW_HOLDS, 1.80, "from 1.45 at 144 endpoints to 1.80 at 2304 endpoints");
    plant(13, "fat trees", 3456, 0.5, 1.79);
    plant(13, "fat trees", 20736, 0.5, 1.94);
    check(cw_find_tree_size, CW_HOLDS, 1.94,
          "flat from 2304 to 3456 endpoints, where the collective has 11 and 11 levels");
    points.items[2].result.slowdown.mean = 1.70;
    check(cw_find_tree_size, CW_HOLDS_IN_PART, 1.94, "falls from 1.80 at 2304 endpoints to 1.70 at 3456");
    points.items[3].result.slowdown.mean = 1.45;
    check(cw_find_tree_size, CW_HOLDS_NOT, 1.45, "");
}

static void test_twelve_times(void **state)
{
    (void)state;
    begin();
    check(cw_find_twelve_times, CW_NOT_TESTED, NAN, "no points");
    plant(15, "100-ary 2-cube", 10000, 0.9, 10.2);
    plant(15, "20-ary 3-cube", 8000, 0.9, 4.4);
    check(cw_find_twelve_times, CW_HOLDS_NOT, 10.2, "the most is at ratio 0.9: 10.20");
    plant(15, "100-ary 2-cube", 10000, 0.95, 11.98);
    check(cw_find_twelve_times, CW_HOLDS_NOT, 11.98, "11.98");
    points.items[2].result.slowdown.mean = 11.995; /* 12 is within its interval */
    check(cw_find_twelve_times, CW_HOLDS_IN_PART, 11.995,
          "only at ratio 0.95: 11.99 ± 0.01 on the 100-ary 2-cube; at ratios to 0.9 it is 10.20");
    points.items[0].result.slowdown.mean = 12.5;
    check(cw_find_twelve_times, CW_HOLDS, 12.5, "");
}

static void test_dimensions_by_ratio(void **state)
{
    (void)state;
    begin();
    check(cw_find_dimensions_by_ratio, CW_NOT_TESTED, NAN, "no points");
    plant(15, "100-ary 2-cube", 10000, 0.1, 1.8);
    plant(15, "100-ary 2-cube", 10000, 0.5, 4.9);
    plant(15, "100-ary 2-cube", 10000, 0.9, 10.2);
    plant(15, "20-ary 3-cube", 8000, 0.1, 1.5);
    plant(15, "20-ary 3-cube", 8000, 0.5, 2.6);
    plant(15, "20-ary 3-cube", 8000, 0.9, 4.4);
    check(cw_find_dimensions_by_ratio, CW_HOLDS, 2.6, "at 3 of 3 ratios; at 0.5 it is 4.90 against 2.60");
    points.items[3].result.slowdown.mean = 1.79;
    check(cw_find_dimensions_by_ratio, CW_HOLDS_IN_PART, 2.6, "at 2 of 3 ratios");
    points.items[3].result.slowdown.mean = 3;
    points.items[5].result.slowdown.mean = 11;
    check(cw_find_dimensions_by_ratio, CW_HOLDS_NOT, 2.6, "at 1 of 3 ratios");
}

static void test_dimensions_by_size(void **state)
{
    (void)state;
    begin();
    plant(16, "2-cubes", 100, 0.5, 1.8);
    plant(16, "3-cubes", 64, 0.5, 1.4); /* too small to compare */
    check(cw_find_dimensions_by_size, CW_NOT_TESTED, NAN, "no points");
    plant(16, "2-cubes", 1936, 0.5, 3.22);
    plant(16, "3-cubes", 1728, 0.5, 2.21);
    plant(16, "2-cubes", 7921, 0.5, 4.3);
    plant(16, "3-cubes", 8000, 0.5, 2.6);
    check(cw_find_dimensions_by_size, CW_HOLDS, 2.21,
          "in 2 of 2 pairs of like size; 3.22 at 1936 endpoints (2-cube) against 2.21 at 1728 endpoints (3-cube)");
    points.items[5].result.slowdown.mean = 5;
    check(cw_find_dimensions_by_size, CW_HOLDS_NOT, 2.21, "in 1 of 2 pairs");
}

static void test_torus_size(void **state)
{
    (void)state;
    begin();
    plant(16, "2-cubes", 100, 0.5, 1.8);
    plant(16, "2-cubes", 900, 0.5, 2.8);
    check(cw_find_torus_size, CW_NOT_TESTED, 2.8, "no points");
    plant(16, "3-cubes", 64, 0.5, 1.4);
    plant(16, "3-cubes", 512, 0.5, 1.8);
    plant(16, "3-cubes", 729, 0.5, 1.9);
    check(cw_find_torus_size, CW_HOLDS, 2.8, "3-cubes from 1.40 at 64 endpoints to 1.90 at 729");
    points.items[4].result.slowdown.mean = 1.7;
    check(cw_find_torus_size, CW_HOLDS_IN_PART, 2.8, "it falls from 1.80 at 512 endpoints to 1.70 at 729");
    points.items[4].result.slowdown.mean = 1.4;
    check(cw_find_torus_size, CW_HOLDS_NOT, 2.8, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_fabric_size),
        cmocka_unit_test(test_tree_size),
        cmocka_unit_test(test_twelve_times),
        cmocka_unit_test(test_dimensions_by_ratio),
        cmocka_unit_test(test_dimensions_by_size),
        cmocka_unit_test(test_torus_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
