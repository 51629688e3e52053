/* The points of the figures: which they are, in which order they run, and that their means are those of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "net/selection.h"
#include "route/engine.h"
#include "study/papers/noise_paper.h"
#include "topo/topology.h"

static void test_which(void **state)
{
    (void)state;
    struct cw_noise_points points = {0};
    assert_int_equal(cw_noise_points_add(&points, 13), 0);
    assert_int_equal(points.n, 7);
    assert_string_equal(points.items[6].network, "xgft(4,12,12,12,12,12,6)");
    assert_string_equal(points.items[6].curve, "fat trees");
    assert_int_equal(cw_noise_points_add(&points, 15), 0);
    assert_int_equal(points.n, 7 + 2 * 10);
    assert_true(points.items[7].ratio == 0.1 && points.items[16].ratio == 0.95);
    assert_string_equal(points.items[16].network, "torus:100x100");
    assert_string_equal(points.items[17].network, "torus:20x20x20");
    assert_int_equal(cw_noise_points_add(&points, 16), 0);
    assert_int_equal(points.n, 27 + 30);
    for (size_t i = 27; i < points.n; i++) {
        assert_true(points.items[i].ratio == 0.5);
        assert_string_equal(points.items[i].curve, i < 27 + 16 ? "2-cubes" : "3-cubes");
    }
    assert_int_equal(cw_noise_points_add(&points, 14), CW_EUSAGE);
    cw_noise_points_free(&points);
}

struct seen {
    size_t before, after, stop;
};

static void count_before(void *context, size_t index, const struct cw_noise_point *point)
{
    struct seen *seen = context;
    assert_int_equal(index, seen->before++);
    assert_int_equal(point->endpoints, 0); /* has not run */
}

static int count_after(void *context, size_t index, const struct cw_noise_point *point)
{
    struct seen *seen = context;
    assert_int_equal(index, seen->after++);
    assert_true(point->result.slowdown.n > 0);
    return seen->after == seen->stop ? CW_EIO : 0;
}

/* Means of an independent program, 1000 trials: 1.453, 6.37 and 9.22; ours of 400 are within three standard errors. */
static void test_means(void **state)
{
    (void)state;
    struct cw_noise_points points = {0};
    struct seen seen = {0};
    assert_int_equal(cw_noise_points_add(&points, 13), 0);
    points.n = 1;
    const struct cw_noise_study study = {
        .trials = 400, .seed = 1, .n_threads = 1, .before = count_before, .after = count_after, .context = &seen};
    if (cw_noise_points_run(&study, &points)) fail_msg("%s", cw_error_message());
    assert_true(seen.before == 1 && seen.after == 1);
    const struct cw_noise_result *result = &points.items[0].result;
    const struct cw_summary *is[] = {&result->slowdown, &result->clean, &result->perturbed};
    static const double expected[] = {1.453, 6.37, 9.22};
    for (int i = 0; i < 3; i++) {
        const double allowed = 3 * is[i]->standard_error * sqrt(1.4) + 0.005;
        if (fabs(is[i]->mean - expected[i]) > allowed)
            fail_msg("%g, expected %g ± %g", is[i]->mean, expected[i], allowed);
    }
    assert_int_equal(points.items[0].endpoints, 144);
    assert_int_equal(result->application, 72);
    cw_noise_points_free(&points);
}

/* A fabric brings its routes; of its endpoints only those selected take part; an error of `after` ends the study. */
static void test_fabric(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_routes *routes;
    uint32_t taking[] = {0, 1, 2, 3, 4, 5, 8, 9, 12, 13};
    const struct cw_selection selection = {.n = 10, .endpoints = taking};
    assert_int_equal(cw_topology_build("xgft:2:4,4:1,4", &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    struct cw_noise_points points = {0};
    assert_int_equal(cw_noise_points_add_fabric(&points, "mine", routes, &selection), 0);
    assert_int_equal(points.n, 9);
    struct seen seen = {.stop = 3};
    const struct cw_noise_study study = {
        .trials = 10, .seed = 1, .n_threads = 1, .before = count_before, .after = count_after, .context = &seen};
    assert_int_equal(cw_noise_points_run(&study, &points), CW_EIO);
    assert_int_equal(seen.after, 3);
    assert_int_equal(points.items[1].endpoints, 10);
    assert_int_equal(points.items[1].result.perturbing, 2);
    assert_int_equal(points.items[3].endpoints, 0);
    cw_noise_points_free(&points);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which), cmocka_unit_test(test_means),
                                       cmocka_unit_test(test_fabric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
