/* The points of the figures: which they are, and that their means are those of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/selection.h"
#include "paper_example.h"
#include "route/engine.h"
#include "study/papers/noise_paper.h"
#include "topo/topology.h"

static void test_which(void **state)
{
    (void)state;
    const struct cw_paper_setup setup = {.trials = 10};
    struct cw_paper_run run = begin_run(&cw_paper_noise, &setup);
    assert_int_equal(run.paper->add(&run, CW_NOISE_TREES), 0);
    assert_int_equal(run.points.n, 7);
    assert_int_equal(run.paper->add(&run, CW_NOISE_RATIOS), 0);
    assert_int_equal(run.points.n, 7 + 2 * 10);
    assert_int_equal(run.paper->add(&run, CW_NOISE_CUBES), 0);
    assert_int_equal(run.points.n, 27 + 30);
    assert_int_equal(run.paper->add(&run, CW_NOISE_FABRICS), 0); /* of which there are none */
    assert_int_equal(run.points.n, 27 + 30);
    const struct cw_noise_point *items = run.points.items;
    assert_string_equal(items[6].network, "xgft(4,12,12,12,12,12,6)");
    assert_string_equal(items[6].curve, "fat trees");
    assert_true(items[7].ratio == 0.1 && items[16].ratio == 0.95);
    assert_string_equal(items[16].network, "torus:100x100");
    assert_string_equal(items[17].network, "torus:20x20x20");
    for (size_t i = 27; i < run.points.n; i++) {
        assert_true(items[i].ratio == 0.5);
        assert_string_equal(items[i].curve, i < 27 + 16 ? "2-cubes" : "3-cubes");
    }
    end_run(&run);
}

/* Means of an independent program, 1000 trials: 1.453, 6.37 and 9.22; ours of 400 are within three standard errors. */
static void test_means(void **state)
{
    (void)state;
    const struct cw_paper_setup setup = {.trials = 400, .seed = 1, .n_threads = 1};
    struct cw_paper_run run = begin_run(&cw_paper_noise, &setup);
    assert_int_equal(run.paper->add(&run, CW_NOISE_TREES), 0);
    compute_points(&run, 0, 1);
    const struct cw_noise_point *point = run.points.items;
    const struct cw_noise_result *result = &point->result;
    const struct cw_summary *is[] = {&result->slowdown, &result->clean, &result->perturbed};
    static const double expected[] = {1.453, 6.37, 9.22};
    for (int i = 0; i < 3; i++) {
        const double allowed = 3 * is[i]->standard_error * sqrt(1.4) + 0.005;
        if (fabs(is[i]->mean - expected[i]) > allowed)
            fail_msg("%g, expected %g ± %g", is[i]->mean, expected[i], allowed);
    }
    assert_int_equal(point->endpoints, 144);
    assert_int_equal(result->application, 72);
    end_run(&run);
}

/* A fabric brings its routes; of its endpoints only those selected take part. */
static void test_fabric(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_routes *routes;
    uint32_t taking[] = {0, 1, 2, 3, 4, 5, 8, 9, 12, 13};
    const struct cw_selection selection = {.n = 10, .endpoints = taking};
    assert_int_equal(cw_topology_build("xgft:2:4,4:1,4", &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    const struct cw_paper_fabric fabric = {"mine", routes, &selection};
    const struct cw_paper_setup setup = {.trials = 10, .seed = 1, .n_threads = 1, .fabrics = &fabric, .n_fabrics = 1};
    struct cw_paper_run run = begin_run(&cw_paper_noise, &setup);
    assert_int_equal(run.paper->add(&run, CW_NOISE_FABRICS), 0);
    assert_int_equal(run.points.n, 9);
    compute_points(&run, 0, 2);
    const struct cw_noise_point *items = run.points.items;
    assert_string_equal(items[1].curve, "mine");
    assert_int_equal(items[1].endpoints, 10);
    assert_int_equal(items[1].result.perturbing, 2);
    end_run(&run);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which), cmocka_unit_test(test_means),
                                       cmocka_unit_test(test_fabric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
