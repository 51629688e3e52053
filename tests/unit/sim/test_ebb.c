/* Effective bisection bandwidth: by counting walks over the same draws, and where the answer is known. */
#include "base/statistics.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "sim/congestion.h"
#include "sim/ebb.h"
#include "sim_test.h"

#define SEED 5

static struct cw_ebb_result run_among(const struct test_fabric *fabric, const struct cw_selection *selection, bool both,
                                      size_t trials, unsigned n_threads)
{
    const struct cw_ebb_setup setup = {.routes = fabric->routes,
                                       .selection = selection,
                                       .both_directions = both,
                                       .trials = trials,
                                       .seed = SEED,
                                       .n_threads = n_threads};
    struct cw_ebb_result result;
    if (cw_ebb_run(&setup, &result)) fail_msg("%s", cw_error_message());
    return result;
}

static struct cw_ebb_result run(const struct test_fabric *fabric, bool both, size_t trials, unsigned n_threads)
{
    return run_among(fabric, NULL, both, trials, n_threads);
}

/* The mean of 1/congestion and the greatest congestion of one trial among the N endpoints of LIST (NULL: all). */
static double naive_trial(const struct test_fabric *fabric, const uint32_t *list, uint32_t n, bool both, uint64_t trial,
                          uint32_t *max)
{
    const uint32_t half = n / 2;
    uint32_t *order = new_array(n, sizeof *order), *count = new_array(fabric->net->n_channels, sizeof *count);
    struct cw_random random = cw_random_of(SEED, CW_STREAM_PATTERN, trial);
    cw_random_permutation(&random, n, order);
    for (uint32_t i = 0; list && i < n; i++) order[i] = list[order[i]];
    for (uint32_t i = 0; i < half; i++) {
        count_walk(fabric->routes, order[i], order[half + i], count);
        if (both) count_walk(fabric->routes, order[half + i], order[i], count);
    }
    double sum = 0;
    *max = 0;
    for (uint32_t i = 0; i < half; i++) {
        const uint32_t there = greatest_on_walk(fabric->routes, order[i], order[half + i], count, NULL);
        const uint32_t back = both ? greatest_on_walk(fabric->routes, order[half + i], order[i], count, NULL) : 0;
        sum += 1.0 / there + (both ? 1.0 / back : 0);
        if (there > *max) *max = there;
        if (back > *max) *max = back;
    }
    free(order);
    free(count);
    return sum / (both ? 2 * half : half);
}

/* Each trial is counted by walks over the whole network's routes. */
static void compare_with_walks(const struct test_fabric *fabric, struct cw_selection *selection, bool both)
{
    const size_t trials = 20;
    const struct cw_ebb_result result = run_among(fabric, selection, both, trials, 1);
    const uint32_t n = selection ? selection->n : fabric->net->n_endpoints;
    double sum = 0, max_sum = 0, least = 2;
    for (uint64_t trial = 0; trial < trials; trial++) {
        uint32_t max;
        const double ebb = naive_trial(fabric, selection ? selection->endpoints : NULL, n, both, trial, &max);
        sum += ebb;
        max_sum += max;
        least = fmin(least, ebb);
    }
    assert_true(fabs(result.ebb.mean - sum / (double)trials) < 1e-12);
    assert_true(fabs(result.ebb.min - least) < 1e-12);
    assert_true(fabs(result.max_congestion.mean - max_sum / (double)trials) < 1e-12);
    assert_true(result.ebb.max <= 1 && result.ebb.min > 0);
}

/* Among all endpoints, and among some; those that take part keep the routes they have in the whole network. */
static void test_agrees_with_walks(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:4,4:1,2", "torus:5x3", "mesh:4x3", "dragonfly:2,4,2,g=3",
                                        "hypercube:4"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct test_fabric fabric = open_fabric(specs[s], NULL);
        uint32_t some[] = {0, 2, 3, 4, 7, 8, 10, 11};
        struct cw_selection selection = {sizeof some / sizeof *some, some};
        for (int both = 0; both < 2; both++) {
            compare_with_walks(&fabric, NULL, both);
            compare_with_walks(&fabric, &selection, both);
        }
        close_fabric(&fabric);
    }
}

/* Trial by trial, the bandwidth is that of the congestion of the pattern bisection, in which channels are counted, too.
 */
static void compare_with_congestion(const struct test_fabric *fabric, const struct cw_selection *selection, bool both)
{
    enum { TRIALS = 20 };
    struct cw_pattern *pattern = open_pattern(both ? "bisection:bi" : "bisection");
    struct cw_placement *placement = open_placement_among("contiguous", fabric->net, selection);
    const struct cw_congestion_setup setup = {
        .routes = fabric->routes, .pattern = pattern, .placement = placement, .trials = TRIALS, .seed = SEED};
    struct cw_congestion_result congestion;
    double bandwidth[TRIALS], max[TRIALS];
    assert_int_equal(cw_congestion_run(&setup, &congestion), 0);
    for (size_t t = 0; t < TRIALS; t++) {
        const struct cw_congestion_sample *sample = &congestion.samples[t];
        assert_int_equal(sample->messages, cw_placement_count(placement) / 2 * (both ? 2 : 1));
        bandwidth[t] = sample->bandwidth / (double)sample->messages;
        max[t] = sample->max;
        /* one trial more or less changes none of the others */
        const struct cw_ebb_result ebb = run_among(fabric, selection, both, t + 1, 2);
        struct cw_summary expected;
        assert_int_equal(cw_summarise(bandwidth, t + 1, &expected), 0);
        assert_memory_equal(&ebb.ebb, &expected, sizeof expected);
        assert_int_equal(cw_summarise(max, t + 1, &expected), 0);
        assert_memory_equal(&ebb.max_congestion, &expected, sizeof expected);
    }
    cw_congestion_free(&congestion);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
}

static void test_is_congestion_of_bisections(void **state)
{
    (void)state;
    static const char *const specs[][2] = {
        {"xgft:2:4,4:1,2", NULL}, {"torus:5x3", NULL}, {"dragonfly:2,4,2,g=3", "valiant-any"}};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct test_fabric fabric = open_fabric(specs[s][0], specs[s][1]);
        uint32_t some[] = {0, 2, 3, 4, 7, 8, 10};
        const struct cw_selection selection = {sizeof some / sizeof *some, some};
        for (int both = 0; both < 2; both++) {
            compare_with_congestion(&fabric, NULL, both);
            compare_with_congestion(&fabric, &selection, both);
        }
        close_fabric(&fabric);
    }
}

/* Packets that are sprayed meet nobody in trees with as many channels up as down, whatever the number of spines. */
static void test_sprayed_trees(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft:2:8,8:1,8", "xgft:2:6,5:1,6", "xgft:2:6,4:1,2:1,3", "xgft:3:3,3,4:1,3,3"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct test_fabric fabric = open_fabric(specs[s], "spray");
        for (int both = 0; both < 2; both++) {
            const struct cw_ebb_result result = run(&fabric, both, 20, 2);
            assert_float_equal(result.ebb.mean, 1, 1e-12);
            assert_float_equal(result.max_congestion.mean, 1, 1e-12);
        }
        close_fabric(&fabric);
    }
}

/* In a crossbar, and in a fat tree of which one switch is all, nobody meets. */
/* --- what has failed ---------------------------------------------------------------------------------------------- */

static struct test_fabric open_damaged(const char *spec, const char *failed)
{
    struct test_fabric fabric = {0};
    struct cw_network *whole = NULL;
    struct cw_faults *faults = NULL;
    int rc = cw_topology_build(spec, &whole);
    if (!rc) rc = cw_faults_new(whole, &faults);
    if (!rc) rc = cw_faults_fail(faults, "--failed", failed, 1);
    if (!rc) rc = cw_network_with_faults(faults, &fabric.net);
    if (!rc) rc = cw_engine_route(fabric.net, "minhop", 1, 1, &fabric.routes);
    if (rc) fail_msg("%s without %s: %s", spec, failed, cw_error_message());
    cw_faults_free(faults);
    cw_network_free(whole);
    return fabric;
}

static bool has_route(const struct cw_routes *routes, uint32_t src, uint32_t dst)
{
    uint32_t hops, *channels = new_array(cw_routes_max_hops(routes), sizeof *channels);
    const int rc = cw_routes_paths(routes, 1, &src, &dst, &hops, channels, NULL);
    free(channels);
    return rc == 0;
}

/* Messages that no route carries are there and get nothing; the others are walked. A fabric that loses something never
 * gains by it. */
static void check_damaged(const char *spec, const char *failed, uint64_t cut_pairs)
{
    enum { TRIALS = 40 };
    struct test_fabric fabric = open_damaged(spec, failed), intact = open_fabric(spec, "minhop");
    const uint32_t n = fabric.net->n_endpoints, half = n / 2;
    struct cw_selection *all;
    uint64_t pairs = 0, brute = 0;
    assert_int_equal(cw_selection_new(fabric.net, "all", &all), 0);
    assert_int_equal(cw_selection_find_parts(fabric.net, all, false, &pairs), 0);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = 0; d < n; d++) {
            const bool cut = all->parts && all->parts[s] != all->parts[d];
            if (s != d) assert_int_equal(cut, !has_route(fabric.routes, s, d));
            brute += cut;
        }
    assert_int_equal(pairs, brute);
    assert_int_equal(pairs, cut_pairs);
    assert_int_equal(all->parts == NULL, pairs == 0);
    uint32_t *order = new_array(n, sizeof *order);
    double sum = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        uint32_t *count = new_array(fabric.net->n_channels, sizeof *count);
        struct cw_random random = cw_random_of(SEED, CW_STREAM_PATTERN, trial);
        cw_random_permutation(&random, n, order);
        for (uint32_t i = 0; i < half; i++)
            if (has_route(fabric.routes, order[i], order[half + i]))
                count_walk(fabric.routes, order[i], order[half + i], count);
        for (uint32_t i = 0; i < half; i++)
            if (has_route(fabric.routes, order[i], order[half + i]))
                sum += 1.0 / greatest_on_walk(fabric.routes, order[i], order[half + i], count, NULL) / half;
        free(count);
    }
    const struct cw_ebb_result result = run_among(&fabric, all, false, TRIALS, 2);
    assert_true(fabs(result.ebb.mean - sum / TRIALS) < 1e-12);
    assert_true(result.ebb.mean <= run(&intact, false, TRIALS, 1).ebb.mean);
    free(order);
    cw_selection_free(all);
    close_fabric(&fabric);
    close_fabric(&intact);
}

static void test_what_is_cut_off_gets_nothing(void **state)
{
    (void)state;
    check_damaged("xgft:2:4,6:1,2", "s2.0,s2.1", 24 * 20);    /* all spines: each leaf is alone */
    check_damaged("xgft:2:4,6:1,2", "s1.3", 2 * 4 * 20 + 12); /* a leaf takes its four hosts down, each alone */
    check_damaged("xgft:2:4,6:1,2", "h7", 2 * 23);
    check_damaged("xgft:2:4,6:1,2", "s2.1", 0);
    check_damaged("torus:4x4", "s(0,0),s(2,2),h5", 16 * 15 - 13 * 12);
    check_damaged("mesh:6", "s(1)-s(2)", 2 * 2 * 4); /* two parts, both of which go on */
}

static void test_crossbar_is_full(void **state)
{
    (void)state;
    static const char *const specs[] = {"crossbar:2", "crossbar:9", "crossbar:40", "xgft:1:8:1"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct test_fabric fabric = open_fabric(specs[s], NULL);
        for (int both = 0; both < 2; both++) {
            const struct cw_ebb_result result = run(&fabric, both, 30, 2);
            assert_true(result.ebb.mean == 1 && result.ebb.min == 1);
            assert_true(result.max_congestion.max == 1);
        }
        close_fabric(&fabric);
    }
}

/* Two switches with four endpoints each and one cable: a messages one way and b the other get 1 in all each way, so
 * that the mean is (4 - a - b + [a > 0] + [b > 0]) / 4. All 70 ways to put four of eight places on one switch are
 * equally likely. */
static void test_one_cable_between(void **state)
{
    (void)state;
    double sum = 0;
    unsigned ways = 0;
    for (unsigned sides = 0; sides < 256; sides++) {
        unsigned there = 0, back = 0;
        if (__builtin_popcount(sides) != 4) continue;
        for (unsigned i = 0; i < 4; i++) {
            const bool from = sides >> i & 1, to = sides >> (4 + i) & 1;
            there += from && !to;
            back += to && !from;
        }
        sum += (4.0 - there - back + (there > 0) + (back > 0)) / 4;
        ways++;
    }
    assert_int_equal(ways, 70);
    struct test_fabric fabric = open_fabric("xgft:2:4,2:1,1", NULL);
    const struct cw_ebb_result result = run(&fabric, false, 4000, 1);
    assert_true(fabs(result.ebb.mean - sum / ways) < 4 * result.ebb.standard_error);
    assert_true(result.ebb.standard_error < 0.005);
    assert_true(result.ebb.max == 1 && result.ebb.min == 0.25);
    assert_true(result.max_congestion.max == 4 && result.max_congestion.min == 1);
    close_fabric(&fabric);
}

/* Trunks of other speeds than the cables of hosts: faster ones are shared less, one beside many is no limit, and by
 * equal speeds nothing changes. */
static void test_speeds_count(void **state)
{
    (void)state;
    static const double speeds[] = {0.25, 0.5, 1, 2, 4, 64};
    struct test_fabric fabric = open_fabric("xgft:2:8,4:1,4", NULL);
    const struct cw_network *net = fabric.net;
    const double alike = run(&fabric, true, 50, 1).ebb.mean;
    double before = 0;
    for (size_t i = 0; i < 6; i++) {
        for (uint32_t c = 0; c < net->n_channels; c++)
            if (!cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]))
                fabric.net->capacity[c] = speeds[i] * net->capacity[0];
        const double here = run(&fabric, true, 50, 1).ebb.mean;
        assert_true(here > before);
        before = here;
        if (speeds[i] == 1) assert_true(here == alike);
        if (speeds[i] == 64) assert_true(here == 1);
        const struct cw_ebb_setup equal = {
            .routes = fabric.routes, .both_directions = true, .equal_speeds = true, .trials = 50, .seed = SEED};
        struct cw_ebb_result result;
        assert_int_equal(cw_ebb_run(&equal, &result), 0);
        assert_true(result.ebb.mean == alike);
    }
    close_fabric(&fabric);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("torus:6x5", NULL);
    const struct cw_ebb_result one = run(&fabric, true, 64, 1);
    for (unsigned n = 2; n <= 4; n += 2) {
        const struct cw_ebb_result many = run(&fabric, true, 64, n);
        assert_memory_equal(&one.ebb, &many.ebb, sizeof one.ebb);
        assert_memory_equal(&one.max_congestion, &many.max_congestion, sizeof one.max_congestion);
    }
    close_fabric(&fabric);
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:1", "minhop");
    struct cw_ebb_setup setup = {.routes = fabric.routes, .trials = 1, .n_threads = 1};
    struct cw_ebb_result result;
    assert_int_equal(cw_ebb_run(&setup, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "a bisection needs at least 2 endpoints, but crossbar:1 has 1 that take part");
    close_fabric(&fabric);
    fabric = open_fabric("crossbar:2", "minhop");
    setup.routes = fabric.routes;
    setup.trials = 0;
    assert_int_equal(cw_ebb_run(&setup, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "0 trials, expected at least 1");
    close_fabric(&fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sprayed_trees),
        cmocka_unit_test(test_agrees_with_walks),
        cmocka_unit_test(test_is_congestion_of_bisections),
        cmocka_unit_test(test_what_is_cut_off_gets_nothing),
        cmocka_unit_test(test_crossbar_is_full),
        cmocka_unit_test(test_one_cable_between),
        cmocka_unit_test(test_speeds_count),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
