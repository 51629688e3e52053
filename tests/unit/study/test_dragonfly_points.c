/* The points of figure 3: which they are, and that running them gives what the network's channels allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/papers/dragonfly_paper.h"

static void test_which(void **state)
{
    (void)state;
    static const size_t sizes[] = {[CW_DRAGONFLY_QUICK] = 2, [CW_DRAGONFLY_SMALL] = 4, [CW_DRAGONFLY_ALL] = 8};
    for (int scale = CW_DRAGONFLY_QUICK; scale <= CW_DRAGONFLY_ALL; scale++) {
        struct cw_dragonfly_points points = {0};
        for (int panel = 0; panel < CW_DRAGONFLY_PANELS; panel++)
            assert_int_equal(cw_dragonfly_points_add(&points, panel, (enum cw_dragonfly_sizes)scale), 0);
        const size_t n = sizes[scale];
        assert_int_equal(points.n, 6 * 3 * n);
        for (size_t i = 0; i < points.n; i++) {
            const struct cw_dragonfly_point *point = &points.items[i];
            assert_int_equal(point->panel, i / (3 * n));
            assert_int_equal(cw_dragonfly_ways[point->curve].right, point->panel % 2);
            assert_int_equal(point->nodes, point->p * point->a * (point->a * point->h + 1));
            assert_true(point->estimate == 0.75 / point->p);
            assert_true(point->share == (scale == CW_DRAGONFLY_QUICK ? 0.05 : 1));
            if (i % n > 0) assert_true(point->nodes > points.items[i - 1].nodes);
        }
        assert_int_equal(points.items[0].nodes, 42);
        if (scale == CW_DRAGONFLY_ALL) assert_int_equal(points.items[7].nodes, 16512);
        assert_string_equal(points.items[n - 1].traffic, "bitcomp");
        cw_dragonfly_points_free(&points);
    }
    struct cw_dragonfly_points points = {0};
    assert_int_equal(cw_dragonfly_points_add(&points, 2, CW_DRAGONFLY_SMALL), 0);
    assert_string_equal(points.items[3].traffic, "group-shift:5");
    assert_int_equal(cw_dragonfly_points_add(&points, 5, CW_DRAGONFLY_SMALL), 0);
    assert_string_equal(points.items[12].traffic, "halo:14x1x3,axis=z,direction=up");
    assert_string_equal(points.items[12].network, "dragonfly:2,3,2");
    assert_int_equal(cw_dragonfly_points_add(&points, 6, CW_DRAGONFLY_SMALL), CW_EUSAGE);
    assert_int_equal(cw_dragonfly_points_add(&points, -1, CW_DRAGONFLY_SMALL), CW_EUSAGE);
    cw_dragonfly_points_free(&points);
}

struct seen {
    const struct cw_dragonfly_points *points;
    size_t begun, finished;
};

static void count(void *context, size_t begun, size_t point)
{
    struct seen *seen = context;
    assert_int_equal(begun, ++seen->begun);
    assert_false(seen->points->items[point].done);
}

static int end(void *context, size_t first, size_t n, bool complete)
{
    struct seen *seen = context;
    assert_int_equal(first, seen->finished);
    assert_true(complete);
    seen->finished += n;
    return 0;
}

static void run(struct cw_dragonfly_points *points, unsigned n_threads)
{
    struct seen seen = {.points = points};
    const struct cw_figure_study study = {
        .seed = 1, .n_threads = n_threads, .before = count, .after = end, .context = &seen};
    *points = (struct cw_dragonfly_points){0};
    assert_int_equal(cw_dragonfly_points_add(points, 2, CW_DRAGONFLY_QUICK), 0);
    for (size_t i = 0; i < points->n; i++) points->items[i].share = 0.02;
    if (cw_dragonfly_points_run(&study, points)) fail_msg("%s", cw_error_message());
    assert_true(seen.begun == points->n && seen.finished == points->n);
}

/* Under shortest paths a group shares one channel: 1/(ap). Nothing passes its bound, on any number of threads. */
static void test_run(void **state)
{
    (void)state;
    struct cw_dragonfly_points one, two;
    run(&one, 1);
    run(&two, 2);
    for (size_t i = 0; i < one.n; i++) {
        const struct cw_dragonfly_point *point = &one.items[i];
        assert_true(point->done);
        assert_true(point->accepted == two.items[i].accepted && point->accepted_ci99 == two.items[i].accepted_ci99);
        assert_true(point->accepted <= point->bound + 0.01);
        if (point->curve == CW_DRAGONFLY_MINIMAL)
            assert_true(fabs(point->accepted - 1.0 / (point->a * point->p)) < 0.002);
        else if (point->curve == CW_DRAGONFLY_RESTRICTED)
            assert_true(point->accepted > 0.2 && point->accepted < 0.3);
        assert_true(point->warmup_cycles <= 1200 && point->cycles <= 4000);
    }
    cw_dragonfly_points_free(&one);
    cw_dragonfly_points_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which), cmocka_unit_test(test_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
