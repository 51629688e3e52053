/* Verdicts on points whose figures are planted: such that hold, hold in part, do not, and cannot be tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "paper_example.h"
#include "study/papers/noise_paper.h"

#define SURE 0.01 /* half width of the intervals: differences up to 0.014 are none */

static struct cw_noise_point items[64];
static struct cw_points points = {.items = items, .size = sizeof *items};

static void begin(void)
{
    points.n = 0;
}

static void plant(size_t figure, const char *curve, uint32_t endpoints, double ratio, double mean)
{
    struct cw_noise_point *point = &items[points.n++];
    *point = (struct cw_noise_point){.point = {.figure = figure, .done = true},
                                     .curve = curve,
                                     .network = curve,
                                     .ratio = ratio,
                                     .endpoints = endpoints};
    point->result.slowdown.mean = mean;
    point->result.slowdown.ci95 = SURE;
    point->result.application = endpoints - (uint32_t)(ratio * endpoints + 0.5);
}

#define RATIO               CW_NOISE_FABRICS, 0 /* a figure and one of its claims */
#define FABRIC_SIZE         CW_NOISE_FABRICS, 1
#define TREE_SIZE           CW_NOISE_TREES, 0
#define TWELVE_TIMES        CW_NOISE_RATIOS, 0
#define DIMENSIONS_BY_RATIO CW_NOISE_RATIOS, 1
#define DIMENSIONS_BY_SIZE  CW_NOISE_CUBES, 0
#define TORUS_SIZE          CW_NOISE_CUBES, 1

static void check(size_t figure, size_t claim, enum cw_verdict verdict, double value, const char *found)
{
    check_claim(&cw_paper_noise, figure, claim, &points, verdict, value, found);
}

static void test_ratio(void **state)
{
    (void)state;
    begin();
    check(RATIO, CW_NOT_TESTED, NAN, "no fabric");
    plant(CW_NOISE_FABRICS, "a", 100, 0.1, 1.1);
    check(RATIO, CW_NOT_TESTED, 1.1, "1.10");
    plant(CW_NOISE_FABRICS, "a", 100, 0.5, 1.5);
    plant(CW_NOISE_FABRICS, "b", 200, 0.1, 1.2);
    plant(CW_NOISE_FABRICS, "b", 200, 0.5, 1.8);
    plant(CW_NOISE_TREES, "fat trees", 100, 0.5, 9); /* another figure's */
    check(RATIO, CW_HOLDS, 1.8, "1.80 at ratio 0.5 on b");
    plant(CW_NOISE_FABRICS, "b", 200, 0.9, 1.79); /* no difference */
    check(RATIO, CW_HOLDS, 1.8, "1.80");
    items[points.n - 1].result.slowdown.mean = 1.7;
    check(RATIO, CW_HOLDS_IN_PART, 1.8, "falls after ratio 0.5 on b");
    items[points.n - 1].result.slowdown.mean = 1.2;
    check(RATIO, CW_HOLDS_NOT, 1.8, "falls");

    /* Trials that were all the same, at the beginning and everywhere. */
    begin();
    plant(CW_NOISE_FABRICS, "a", 16, 0.1, 1);
    plant(CW_NOISE_FABRICS, "a", 16, 0.9, 1.5);
    items[0].result.slowdown.ci95 = NAN;
    check(RATIO, CW_HOLDS, 1.5, "");
    items[1].result.slowdown = items[0].result.slowdown;
    check(RATIO, CW_HOLDS_NOT, 1, "");
}

static void test_fabric_size(void **state)
{
    (void)state;
    begin();
    plant(CW_NOISE_FABRICS, "a", 100, 0.5, 1.5);
    plant(CW_NOISE_FABRICS, "a", 100, 0.9, 2.5);
    check(FABRIC_SIZE, CW_NOT_TESTED, 1.5, "not public");
    plant(CW_NOISE_FABRICS, "b", 300, 0.5, 1.8);
    check(FABRIC_SIZE, CW_HOLDS, 1.8, "1 of 1 pairs: 1.50 at 100 endpoints, 1.80 at 300 endpoints");
    plant(CW_NOISE_FABRICS, "c", 200, 0.5, 1.9);
    check(FABRIC_SIZE, CW_HOLDS_IN_PART, 1.8, "2 of 3 pairs");
    points.n = 3;
    items[2].result.slowdown.mean = 1.51;
    check(FABRIC_SIZE, CW_HOLDS_NOT, 1.51, "0 of 1 pairs");
}

static void test_tree_size(void **state)
{
    (void)state;
    begin();
    check(TREE_SIZE, CW_NOT_TESTED, NAN, "no points");
    plant(CW_NOISE_TREES, "fat trees", 144, 0.5, 1.45);
    plant(CW_NOISE_TREES, "fat trees", 2304, 0.5, 1.80);
    check(TREE_SIZE, CW_HOLDS, 1.80, "from 1.45 at 144 endpoints to 1.80 at 2304 endpoints");
    plant(CW_NOISE_TREES, "fat trees", 3456, 0.5, 1.79);
    plant(CW_NOISE_TREES, "fat trees", 20736, 0.5, 1.94);
    check(TREE_SIZE, CW_HOLDS, 1.94, "flat from 2304 to 3456 endpoints, where the collective has 11 and 11 levels");
    items[2].result.slowdown.mean = 1.70;
    check(TREE_SIZE, CW_HOLDS_IN_PART, 1.94, "falls from 1.80 at 2304 endpoints to 1.70 at 3456");
    items[3].result.slowdown.mean = 1.45;
    check(TREE_SIZE, CW_HOLDS_NOT, 1.45, "");
}

static void test_twelve_times(void **state)
{
    (void)state;
    begin();
    check(TWELVE_TIMES, CW_NOT_TESTED, NAN, "no points");
    plant(CW_NOISE_RATIOS, "100-ary 2-cube", 10000, 0.9, 10.2);
    plant(CW_NOISE_RATIOS, "20-ary 3-cube", 8000, 0.9, 4.4);
    check(TWELVE_TIMES, CW_HOLDS_NOT, 10.2, "the most is at ratio 0.9: 10.20");
    plant(CW_NOISE_RATIOS, "100-ary 2-cube", 10000, 0.95, 11.98);
    check(TWELVE_TIMES, CW_HOLDS_NOT, 11.98, "11.98");
    items[2].result.slowdown.mean = 11.995; /* 12 is within its interval */
    check(TWELVE_TIMES, CW_HOLDS_IN_PART, 11.995,
          "only at ratio 0.95: 11.99 ± 0.01 on the 100-ary 2-cube; at ratios to 0.9 it is 10.20");
    items[0].result.slowdown.mean = 12.5;
    check(TWELVE_TIMES, CW_HOLDS, 12.5, "");
}

static void test_dimensions_by_ratio(void **state)
{
    (void)state;
    begin();
    check(DIMENSIONS_BY_RATIO, CW_NOT_TESTED, NAN, "no points");
    plant(CW_NOISE_RATIOS, "100-ary 2-cube", 10000, 0.1, 1.8);
    plant(CW_NOISE_RATIOS, "100-ary 2-cube", 10000, 0.5, 4.9);
    plant(CW_NOISE_RATIOS, "100-ary 2-cube", 10000, 0.9, 10.2);
    plant(CW_NOISE_RATIOS, "20-ary 3-cube", 8000, 0.1, 1.5);
    plant(CW_NOISE_RATIOS, "20-ary 3-cube", 8000, 0.5, 2.6);
    plant(CW_NOISE_RATIOS, "20-ary 3-cube", 8000, 0.9, 4.4);
    check(DIMENSIONS_BY_RATIO, CW_HOLDS, 2.6, "at 3 of 3 ratios; at 0.5 it is 4.90 against 2.60");
    items[3].result.slowdown.mean = 1.79;
    check(DIMENSIONS_BY_RATIO, CW_HOLDS_IN_PART, 2.6, "at 2 of 3 ratios");
    items[3].result.slowdown.mean = 3;
    items[5].result.slowdown.mean = 11;
    check(DIMENSIONS_BY_RATIO, CW_HOLDS_NOT, 2.6, "at 1 of 3 ratios");
}

static void test_dimensions_by_size(void **state)
{
    (void)state;
    begin();
    plant(CW_NOISE_CUBES, "2-cubes", 100, 0.5, 1.8);
    plant(CW_NOISE_CUBES, "3-cubes", 64, 0.5, 1.4); /* too small to compare */
    check(DIMENSIONS_BY_SIZE, CW_NOT_TESTED, NAN, "no points");
    plant(CW_NOISE_CUBES, "2-cubes", 1936, 0.5, 3.22);
    plant(CW_NOISE_CUBES, "3-cubes", 1728, 0.5, 2.21);
    plant(CW_NOISE_CUBES, "2-cubes", 7921, 0.5, 4.3);
    plant(CW_NOISE_CUBES, "3-cubes", 8000, 0.5, 2.6);
    check(DIMENSIONS_BY_SIZE, CW_HOLDS, 2.21,
          "in 2 of 2 pairs of like size; 3.22 at 1936 endpoints (2-cube) against 2.21 at 1728 endpoints (3-cube)");
    items[5].result.slowdown.mean = 5;
    check(DIMENSIONS_BY_SIZE, CW_HOLDS_NOT, 2.21, "in 1 of 2 pairs");
}

static void test_torus_size(void **state)
{
    (void)state;
    begin();
    plant(CW_NOISE_CUBES, "2-cubes", 100, 0.5, 1.8);
    plant(CW_NOISE_CUBES, "2-cubes", 900, 0.5, 2.8);
    check(TORUS_SIZE, CW_NOT_TESTED, 2.8, "no points");
    plant(CW_NOISE_CUBES, "3-cubes", 64, 0.5, 1.4);
    plant(CW_NOISE_CUBES, "3-cubes", 512, 0.5, 1.8);
    plant(CW_NOISE_CUBES, "3-cubes", 729, 0.5, 1.9);
    check(TORUS_SIZE, CW_HOLDS, 2.8, "3-cubes from 1.40 at 64 endpoints to 1.90 at 729");
    items[4].result.slowdown.mean = 1.7;
    check(TORUS_SIZE, CW_HOLDS_IN_PART, 2.8, "it falls from 1.80 at 512 endpoints to 1.70 at 729");
    items[4].result.slowdown.mean = 1.4;
    check(TORUS_SIZE, CW_HOLDS_NOT, 2.8, "");
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
