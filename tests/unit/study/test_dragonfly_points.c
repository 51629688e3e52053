/* The points of figure 3: which they are, and that running them gives what the network's channels allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "paper_example.h"
#include "study/papers/dragonfly_paper.h"

static struct cw_paper_run begin(enum cw_paper_sizes sizes, struct cw_paper_setup *setup)
{
    *setup = (struct cw_paper_setup){.sizes = sizes, .seed = 1};
    return begin_run(&cw_paper_dragonfly_fig3, setup);
}

static void test_which(void **state)
{
    (void)state;
    static const size_t sizes[] = {[CW_SIZES_QUICK] = 2, [CW_SIZES_SMALL] = 4, [CW_SIZES_ALL] = 8};
    struct cw_paper_setup setup;
    for (int scale = CW_SIZES_QUICK; scale <= CW_SIZES_ALL; scale++) {
        struct cw_paper_run run = begin((enum cw_paper_sizes)scale, &setup);
        for (size_t panel = 0; panel < CW_DRAGONFLY_PANELS; panel++) assert_int_equal(run.paper->add(&run, panel), 0);
        const size_t n = sizes[scale];
        const struct cw_dragonfly_point *items = run.points.items;
        assert_int_equal(run.points.n, 6 * 3 * n);
        for (size_t i = 0; i < run.points.n; i++) {
            const struct cw_dragonfly_point *point = &items[i];
            assert_int_equal(point->point.figure, i / (3 * n));
            assert_int_equal(cw_dragonfly_ways[point->curve].right, point->point.figure % 2);
            assert_int_equal(point->nodes, point->p * point->a * (point->a * point->h + 1));
            assert_true(point->estimate == 0.75 / point->p);
            assert_true(point->share == (scale == CW_SIZES_QUICK ? 0.05 : 1));
            if (i % n > 0)
                assert_true(point->nodes > items[i - 1].nodes && point->point.cost > items[i - 1].point.cost);
        }
        assert_int_equal(items[0].nodes, 42);
        if (scale == CW_SIZES_ALL) assert_int_equal(items[7].nodes, 16512);
        assert_string_equal(items[n - 1].traffic, "bitcomp");
        end_run(&run);
    }
    struct cw_paper_run run = begin(CW_SIZES_SMALL, &setup);
    assert_int_equal(run.paper->add(&run, 2), 0);
    assert_int_equal(run.paper->add(&run, 5), 0);
    const struct cw_dragonfly_point *items = run.points.items;
    assert_string_equal(items[3].traffic, "group-shift:5");
    assert_string_equal(items[12].traffic, "halo:14x1x3,axis=z,direction=up");
    assert_string_equal(items[12].network, "dragonfly:2,3,2");
    end_run(&run);
}

/* Under shortest paths a group shares one channel: 1/(ap). Nothing passes its bound. */
static void test_run(void **state)
{
    (void)state;
    struct cw_paper_setup setup;
    struct cw_paper_run run = begin(CW_SIZES_QUICK, &setup);
    assert_int_equal(run.paper->add(&run, 2), 0);
    struct cw_dragonfly_point *items = run.points.items;
    for (size_t i = 0; i < run.points.n; i++) items[i].share = 0.02;
    compute_points(&run, 0, run.points.n);
    for (size_t i = 0; i < run.points.n; i++) {
        const struct cw_dragonfly_point *point = &items[i];
        assert_true(point->accepted <= point->bound + 0.01);
        if (point->curve == CW_DRAGONFLY_MINIMAL)
            assert_true(fabs(point->accepted - 1.0 / (point->a * point->p)) < 0.002);
        else if (point->curve == CW_DRAGONFLY_RESTRICTED)
            assert_true(point->accepted > 0.2 && point->accepted < 0.3);
        assert_true(point->warmup_cycles <= 1200 && point->cycles <= 4000);
    }
    end_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which), cmocka_unit_test(test_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
