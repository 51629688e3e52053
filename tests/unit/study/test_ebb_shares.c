/* What given messages get of a channel: by hand, and as crosswind ebb has it on average. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/random.h"
#include "route/engine.h"
#include "study/bench/ebb_shares.h"
#include "topo/topology.h"

/* Hosts 0 to 3 on one leaf, 4 to 7 on the other, one cable up: two messages across share it, one within does not, one
 * on a host takes no channel. */
static void test_tree(void **state)
{
    (void)state;
    static const uint32_t endpoints[] = {0, 1, 2, 3, 4, 5, 6, 6};
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_flows flows = {0};
    double shares[4];
    assert_int_equal(cw_topology_build("xgft:2:4,2:1,1", &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    assert_int_equal(cw_flows_add(&flows, 0, 4, 1), 0);
    assert_int_equal(cw_flows_add(&flows, 1, 5, 1), 0);
    assert_int_equal(cw_flows_add(&flows, 2, 3, 1), 0);
    assert_int_equal(cw_flows_add(&flows, 6, 7, 1), 0);
    assert_int_equal(cw_ebb_shares(routes, &flows, endpoints, shares), 0);
    assert_true(shares[0] == 0.5 && shares[1] == 0.5 && shares[2] == 1 && shares[3] == 1);
    cw_flows_free(&flows);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* --- bisections that were measured -------------------------------------------------------------------------------- */

enum { RANKS = 12, MEMBERS = 6, TRIALS = 25, STRIDE = 27 };

static const uint32_t members[MEMBERS] = {1, 2, 5, 7, 8, 11};

/* How many times as long as alone a message of TRIAL takes. */
static double factor_of(const struct cw_flow *message, size_t trial)
{
    return 1 + 0.25 * (double)(message->src % 5) + 0.125 * (double)(trial % 3);
}

/* A message begins at 10 + its sender's number, and takes 2 s alone. */
static void plant(const struct cw_ebb_bisections *bisections, struct cw_ebb_times *times)
{
    struct cw_flows flows = {0};
    for (size_t t = 0; t < times->n; t++) {
        assert_int_equal(cw_ebb_messages(bisections, t, &flows), 0);
        for (size_t i = 0; i < flows.n; i++) {
            const struct cw_flow *message = &flows.items[i];
            times->all[message->src * STRIDE + t].begun = 10 + message->src;
            times->all[message->dst * STRIDE + t].ended = 10 + message->src + 2 * factor_of(message, t);
        }
    }
    cw_flows_free(&flows);
}

/* The mean over trials of the mean over messages: of what was planted, or of what ROUTES predict. */
static double mean_share(const struct cw_ebb_bisections *bisections, const struct cw_routes *routes,
                         const uint32_t *endpoints)
{
    struct cw_flows flows = {0};
    double sum = 0, shares[MEMBERS];
    for (size_t t = 0; t < TRIALS; t++) {
        assert_int_equal(cw_ebb_messages(bisections, t, &flows), 0);
        assert_true(flows.n > 0 && flows.n <= MEMBERS);
        if (routes) assert_int_equal(cw_ebb_shares(routes, &flows, endpoints, shares), 0);
        for (size_t i = 0; i < flows.n; i++)
            sum += (routes ? shares[i] : 1 / factor_of(&flows.items[i], t)) / (double)flows.n;
    }
    cw_flows_free(&flows);
    return sum / TRIALS;
}

static struct cw_ebb_bisections bisections_of(const char *direction)
{
    struct cw_ebb_bisections bisections = {.members = members, .n_members = MEMBERS, .seed = 3, .bytes = 1000};
    struct cw_pattern *pattern;
    assert_int_equal(cw_pattern_new(direction, NULL, &pattern), 0);
    bisections.pattern = pattern;
    return bisections;
}

/* Trial by trial as the pattern draws it, but between members. */
static void test_messages(void **state)
{
    (void)state;
    const struct cw_ebb_bisections bisections = bisections_of("bisection:uni");
    struct cw_flows flows = {0}, drawn = {0};
    for (size_t t = 0; t < TRIALS; t++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_PATTERN, t);
        drawn.n = 0;
        assert_int_equal(cw_pattern_append(bisections.pattern, MEMBERS, 0, 1000, &random, &drawn), 0);
        assert_int_equal(cw_ebb_messages(&bisections, t, &flows), 0);
        assert_true(flows.n == MEMBERS / 2 && drawn.n == flows.n);
        for (size_t i = 0; i < flows.n; i++) {
            assert_int_equal(flows.items[i].src, members[drawn.items[i].src]);
            assert_int_equal(flows.items[i].dst, members[drawn.items[i].dst]);
            assert_int_equal(flows.items[i].bytes, 1000);
        }
    }
    cw_flows_free(&flows);
    cw_flows_free(&drawn);
    cw_pattern_free((struct cw_pattern *)(uintptr_t)bisections.pattern);
}

static void test_found(void **state)
{
    (void)state;
    static const char *const directions[] = {"bisection:uni", "bisection:bi"};
    uint32_t endpoints[RANKS];
    struct cw_network *net;
    struct cw_routes *routes;
    for (uint32_t r = 0; r < RANKS; r++) endpoints[r] = RANKS - 1 - r;
    assert_int_equal(cw_topology_build("xgft:2:4,3:1,1", &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    for (size_t d = 0; d < 2; d++) {
        const struct cw_ebb_bisections bisections = bisections_of(directions[d]);
        struct cw_ebb_moments moments[RANKS * STRIDE] = {{0, 0}};
        struct cw_ebb_times times = {
            .n = TRIALS, .all = moments, .stride = STRIDE, .alone = {9, 1, 2, 2.5, 1.5, 0.001}, .n_alone = 5};
        struct cw_ebb_found found, alike;
        plant(&bisections, &times);
        assert_int_equal(cw_ebb_find(&bisections, &times, NULL, NULL, &found), 0);
        assert_true(found.alone == 500 && times.alone[0] == 9); /* of the first five, whose median is 2 */
        assert_true(fabs(found.measured.mean - mean_share(&bisections, NULL, NULL)) < 1e-12);
        assert_true(found.measured.ci95 > 0 && found.predicted.mean == 0 && found.correlation == 0);
        assert_int_equal(cw_ebb_find(&bisections, &times, routes, endpoints, &alike), 0);
        assert_true(alike.measured.mean == found.measured.mean && alike.alone == 500);
        assert_true(fabs(alike.predicted.mean - mean_share(&bisections, routes, endpoints)) < 1e-12);
        assert_true(alike.predicted.ci95 > 0 && fabs(alike.correlation) < 1);
        cw_pattern_free((struct cw_pattern *)(uintptr_t)bisections.pattern);
    }
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Where each message gets what was predicted of it, the correlation is 1. */
static void test_correlation(void **state)
{
    (void)state;
    const struct cw_ebb_bisections bisections = bisections_of("bisection:bi");
    struct cw_ebb_moments moments[RANKS * STRIDE] = {{0, 0}};
    struct cw_ebb_times times = {.n = TRIALS, .all = moments, .stride = STRIDE, .alone = {1}, .n_alone = 1};
    struct cw_ebb_found found;
    struct cw_flows flows = {0};
    struct cw_network *net;
    struct cw_routes *routes;
    uint32_t endpoints[RANKS];
    double shares[MEMBERS];
    for (uint32_t r = 0; r < RANKS; r++) endpoints[r] = r;
    assert_int_equal(cw_topology_build("xgft:2:4,3:1,1", &net), 0);
    assert_int_equal(cw_engine_route(net, NULL, 1, 1, &routes), 0);
    for (size_t t = 0; t < TRIALS; t++) {
        assert_int_equal(cw_ebb_messages(&bisections, t, &flows), 0);
        assert_int_equal(cw_ebb_shares(routes, &flows, endpoints, shares), 0);
        for (size_t i = 0; i < flows.n; i++) moments[flows.items[i].dst * STRIDE + t].ended = 1 / shares[i];
    }
    assert_int_equal(cw_ebb_find(&bisections, &times, routes, endpoints, &found), 0);
    assert_true(fabs(found.correlation - 1) < 1e-12 && fabs(found.predicted.mean - found.measured.mean) < 1e-12);
    assert_true(found.measured.ci95 == found.predicted.ci95);
    cw_flows_free(&flows);
    cw_pattern_free((struct cw_pattern *)(uintptr_t)bisections.pattern);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree), cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_found), cmocka_unit_test(test_correlation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
