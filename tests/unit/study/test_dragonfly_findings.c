/* Verdicts on points whose figures are planted: such that hold, hold in part, do not, and cannot be tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "paper_example.h"
#include "study/papers/dragonfly_paper.h"

#define SURE 0.001

static struct cw_dragonfly_point items[64];
static struct cw_points points = {.items = items, .size = sizeof *items};

static void begin(void)
{
    points.n = 0;
}

/* Networks are told apart by p: the estimate is 3/(4p). */
static struct cw_dragonfly_point *plant(size_t panel, enum cw_dragonfly_curve curve, uint32_t p, double accepted)
{
    struct cw_dragonfly_point *point = &items[points.n++];
    *point = (struct cw_dragonfly_point){.point = {.figure = panel, .done = true},
                                         .curve = curve,
                                         .p = p,
                                         .nodes = 100 * p,
                                         .switches = 100 * (p + 1),
                                         .estimate = 3 / (4.0 * p),
                                         .accepted = accepted,
                                         .accepted_ci99 = SURE};
    return point;
}

static void check(size_t panel, size_t index, enum cw_verdict verdict, double value, const char *found)
{
    check_claim(&cw_paper_dragonfly_fig3, panel, index, &points, verdict, value, found);
}

static void test_nothing(void **state)
{
    (void)state;
    begin();
    for (size_t panel = 0; panel < CW_DRAGONFLY_PANELS; panel++)
        for (size_t i = 0; i < (panel % 2 == 0 ? 4 : 2); i++) check(panel, i, CW_NOT_TESTED, NAN, "");
    plant(0, CW_DRAGONFLY_RESTRICTED, 2, 0.3)->point.done = false; /* has not run */
    check(0, 2, CW_NOT_TESTED, NAN, "no points");
}

static void test_adversarial(void **state)
{
    (void)state;
    begin();
    plant(0, CW_DRAGONFLY_MINIMAL, 2, 0.1);
    plant(0, CW_DRAGONFLY_RESTRICTED, 2, 0.3);
    plant(2, CW_DRAGONFLY_MINIMAL, 2, 0.9); /* another panel's */
    check(0, 0, CW_HOLDS, 0.1, "1 of 1");
    plant(0, CW_DRAGONFLY_MINIMAL, 3, 0.2);
    plant(0, CW_DRAGONFLY_MINIMAL, 4, 0.05); /* without a rival */
    struct cw_dragonfly_point *rival = plant(0, CW_DRAGONFLY_RESTRICTED, 3, 0.2005);
    check(0, 0, CW_HOLDS_IN_PART, 0.2, "1 of 2");
    rival->accepted_ci99 = 0.1; /* too wide to tell */
    check(0, 0, CW_HOLDS, 0.1, "too wide");
    rival->accepted_ci99 = SURE;
    items[0].accepted = 0.4;
    check(0, 0, CW_HOLDS_NOT, 0.2, "0 of 2");
}

static void test_falling(void **state)
{
    (void)state;
    begin();
    struct cw_dragonfly_point *first = plant(4, CW_DRAGONFLY_RESTRICTED, 2, 0.3);
    check(4, 1, CW_NOT_TESTED, NAN, "not two");
    struct cw_dragonfly_point *middle = plant(4, CW_DRAGONFLY_RESTRICTED, 3, 0.2);
    check(4, 1, CW_HOLDS, 0.2, "300 nodes");
    struct cw_dragonfly_point *last = plant(4, CW_DRAGONFLY_RESTRICTED, 4, 0.201); /* no difference */
    check(4, 1, CW_HOLDS, 0.201, "0.201");
    last->accepted = 0.25;
    check(4, 1, CW_HOLDS_IN_PART, 0.25, "rises from 300 nodes (0.200) to 400 (0.250)");
    middle->accepted = 0.35;
    check(4, 1, CW_HOLDS_IN_PART, 0.25, "rises from 200 nodes (0.300) to 300 (0.350)");
    middle->accepted = 0.2;
    last->accepted = 0.31;
    check(4, 1, CW_HOLDS_NOT, 0.31, "");
    last->accepted = 0.2995; /* certainly as much */
    middle->accepted = 0.3;
    check(4, 1, CW_HOLDS_NOT, 0.2995, "");
    first->accepted_ci99 = 0.2;
    check(4, 1, CW_NOT_TESTED, 0.2995, "too wide");
}

/* Between 2/3 and 4/3 of the estimate. */
static void test_estimate(void **state)
{
    (void)state;
    begin();
    plant(2, CW_DRAGONFLY_RESTRICTED, 1, 0.51);
    check(2, 2, CW_HOLDS, 0.51 / 0.75, "1 of 1");
    plant(2, CW_DRAGONFLY_RESTRICTED, 3, 0.32);
    check(2, 2, CW_HOLDS, 0.51 / 0.75, "2 of 2");
    items[0].accepted = 0.49;
    check(2, 2, CW_HOLDS_IN_PART, 0.49 / 0.75, "1 of 2");
    items[1].accepted = 0.34;
    check(2, 2, CW_HOLDS_NOT, 0.34 / 0.25, "0 of 2");
}

/* p = 4 has 500 switches, p = 5 has 600. */
static void test_low(void **state)
{
    (void)state;
    for (size_t panel = 0; panel < CW_DRAGONFLY_PANELS; panel += 2) {
        const double limit = panel == 4 ? 0.2 : 0.15;
        begin();
        plant(panel, CW_DRAGONFLY_RESTRICTED, 4, 0.9);
        check(panel, 3, CW_NOT_TESTED, NAN, "--sizes all");
        plant(panel, CW_DRAGONFLY_RESTRICTED, 5, limit - 0.01);
        check(panel, 3, CW_HOLDS, limit - 0.01, "1 of 1");
        plant(panel, CW_DRAGONFLY_RESTRICTED, 6, limit + 0.01);
        check(panel, 3, CW_HOLDS_IN_PART, limit + 0.01, "1 of 2");
        items[1].accepted = limit + 0.02;
        check(panel, 3, CW_HOLDS_NOT, limit + 0.02, "0 of 2");
    }
}

static void test_any(void **state)
{
    (void)state;
    begin();
    plant(1, CW_DRAGONFLY_ANY, 2, 0.326);
    plant(1, CW_DRAGONFLY_ANY, 3, 0.434);
    plant(1, CW_DRAGONFLY_ANY_RANDOM, 3, 0.9);
    check(1, 0, CW_HOLDS, 0.326, "2 of 2");
    items[0].accepted = 0.324;
    check(1, 0, CW_HOLDS_IN_PART, 0.324, "1 of 2");
    items[1].accepted = 0.436;
    check(1, 0, CW_HOLDS_NOT, 0.324, "to 0.436");
}

static void test_random(void **state)
{
    (void)state;
    begin();
    plant(3, CW_DRAGONFLY_RESTRICTED_RANDOM, 2, 0.3);
    plant(0, CW_DRAGONFLY_RESTRICTED, 2, 0.2); /* of another traffic */
    check(3, 1, CW_NOT_TESTED, NAN, "panel before");
    struct cw_dragonfly_point *first = plant(2, CW_DRAGONFLY_RESTRICTED, 2, 0.29);
    struct cw_dragonfly_point *last = plant(2, CW_DRAGONFLY_RESTRICTED, 3, 0.1);
    struct cw_dragonfly_point *random = plant(3, CW_DRAGONFLY_RESTRICTED_RANDOM, 3, 0.25);
    check(3, 1, CW_HOLDS, 0.15, "+1.0 points at 200 nodes, +15.0");
    first->accepted = 0.35;
    check(3, 1, CW_HOLDS_IN_PART, 0.15, "take away");
    first->accepted = 0.29;
    random->accepted = 0.18;
    check(3, 1, CW_HOLDS_IN_PART, 0.08, "+8.0");
    random->accepted = 0.1005;
    check(3, 1, CW_HOLDS_NOT, 0.0005, "");
    random->accepted_ci99 = 0.2;
    check(3, 1, CW_NOT_TESTED, 0.0005, "too wide");
    random->accepted_ci99 = SURE;
    last->accepted = 0.2;
    check(3, 1, CW_HOLDS_NOT, -0.0995, "-10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing), cmocka_unit_test(test_adversarial),
                                       cmocka_unit_test(test_falling), cmocka_unit_test(test_estimate),
                                       cmocka_unit_test(test_low),     cmocka_unit_test(test_any),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
