/* The best share of minimal packets: against brute force over shares, on lines and on networks, and by formula. */
#include <stdio.h>

#include "net/network_internal.h"
#include "route/packets/minimal_share.h"
#include "route/packets/ways.h"
#include "sim/congestion.h"
#include "sim_test.h"

#define STEPS 200 /* shares that brute force tries */

/* --- on lines ----------------------------------------------------------------------------------------------------- */

static double busiest_at(double share, size_t n, const double *valiant, const double *minimal)
{
    double busiest = 0;
    for (size_t c = 0; c < n; c++) busiest = fmax(busiest, (1 - share) * valiant[c] + share * minimal[c]);
    return busiest;
}

static void random_lines(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        struct cw_random random = cw_random_of(5, CW_STREAM_TEST, i);
        double valiant[12], minimal[12];
        const size_t n = 1 + cw_random_below(&random, 12);
        for (size_t c = 0; c < n; c++) {
            valiant[c] = cw_random_below(&random, 8);
            minimal[c] = cw_random_below(&random, 8); /* few values: many ties and level lines */
        }
        const double best = cw_minimal_share(n, valiant, minimal), least = busiest_at(best, n, valiant, minimal);
        assert_true(best >= 0 && best <= 1);
        for (unsigned s = 0; s <= STEPS; s++) {
            const double share = (double)s / STEPS, there = busiest_at(share, n, valiant, minimal);
            assert_true(least <= there + 1e-9);
            if (share > best + 1e-9) assert_true(least < there - 1e-12); /* the greatest of the best */
        }
    }
}

static void ends(void **state)
{
    (void)state;
    const double rising[] = {1, 3}, high[] = {2, 4}, low[] = {1, 1};
    assert_true(cw_minimal_share(2, rising, high) == 0);
    assert_true(cw_minimal_share(2, high, rising) == 1);
    assert_true(cw_minimal_share(2, low, low) == 1); /* it makes no difference: the shortest ways */
    assert_true(cw_minimal_share(0, NULL, NULL) == 1);
}

/* --- on networks -------------------------------------------------------------------------------------------------- */

static struct cw_congestion_result run(const char *network, const char *pattern, const char *routing)
{
    struct test_fabric fabric = open_fabric(network, routing);
    struct cw_pattern *traffic = NULL;
    struct cw_ranks ranks;
    cw_ranks_of(fabric.net, fabric.net->n_endpoints, &ranks);
    if (cw_pattern_new(pattern, &ranks, &traffic)) fail_msg("%s: %s", pattern, cw_error_message());
    struct cw_placement *placement = open_placement_among("contiguous", fabric.net, NULL);
    const struct cw_congestion_setup setup = {
        .routes = fabric.routes, .pattern = traffic, .placement = placement, .trials = 1, .seed = 2, .n_threads = 1};
    struct cw_congestion_result result;
    if (cw_congestion_run(&setup, &result)) fail_msg("%s on %s: %s", pattern, network, cw_error_message());
    cw_placement_free(placement);
    cw_pattern_free(traffic);
    close_fabric(&fabric);
    return result;
}

static double time_at(const char *network, const char *pattern, double share)
{
    char routing[64];
    snprintf(routing, sizeof routing, "ugal-mix:minimal=%.17g", share);
    struct cw_congestion_result result = run(network, pattern, routing);
    const double time = result.time.mean;
    cw_congestion_free(&result);
    return time;
}

/* No share is better, and the one that is told gives the time that is told. */
static void networks(void **state)
{
    (void)state;
    static const struct {
        const char *network, *pattern;
    } cases[] = {{"dragonfly:4,4,2", "group-shift"},
                 {"dragonfly:2,4,2", "permutation"},
                 {"dragonfly:2,3,2,g=4", "group-shift:groups=1"},
                 {"torus:8", "tornado"},
                 {"torus:5x4", "permutation"},
                 {"hyperx:8,4", "tornado"},
                 {"hyperx:3x4,3", "permutation"},
                 {"megafly:4,2,2,2", "group-shift:groups=1"},
                 {"slimfly:5", "permutation"},
                 {"jellyfish:12,4,4,seed=3", "bitcomp"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_congestion_result best = run(cases[i].network, cases[i].pattern, "ugal-mix");
        const char *const where = cases[i].network;
        for (unsigned s = 0; s <= 20; s++) {
            const double there = time_at(where, cases[i].pattern, s / 20.0);
            if (best.time.mean > there + 1e-9) fail_msg("%s: %g at %g, %g", where, there, s / 20.0, best.time.mean);
        }
        const double again = time_at(where, cases[i].pattern, best.minimal.mean);
        if (fabs(again - best.time.mean) > 1e-9) fail_msg("%s: %g, not %g", where, again, best.time.mean);
        cw_congestion_free(&best);
    }
}

/* Every group sends to one other: of the a·p messages a share s is on the one cable to it, and each other cable has
 * (1 - s)·a·p/(g - 2) on their way out of their group and as much on their way in. Both are equal at s = 2/g. */
static void adversarial(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        uint32_t p, a, g;
    } cases[] = {{"dragonfly:4,4,2", 4, 4, 9}, {"dragonfly:8,4,2", 8, 4, 9}, {"dragonfly:6,6,3", 6, 6, 19}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_congestion_result result = run(cases[i].network, "group-shift", "ugal-mix");
        assert_true(fabs(result.minimal.mean - 2.0 / cases[i].g) < 1e-9);
        assert_true(fabs(result.time.mean - 2.0 * cases[i].a * cases[i].p / cases[i].g) < 1e-9);
        cw_congestion_free(&result);
    }
}

static double share_of(const struct cw_ways *ways, uint32_t channel)
{
    for (size_t i = 0; i < ways->n; i++)
        if (ways->channels[i] == channel) return ways->shares[i];
    return 0;
}

/* All packets take the endpoints' channels; a quarter, and what Valiant's own ways add, the minimal one between. */
static void shares_of_a_pair(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("hyperx:4,1", "ugal-mix:minimal=0.25");
    const struct cw_network *net = fabric.net;
    struct cw_ways ways;
    double to = 0, away = 0;
    assert_int_equal(cw_ways_init(&ways, net), 0);
    assert_int_equal(cw_routes_ways(fabric.routes, 0, 3, &ways), 0);
    assert_true(share_of(&ways, net->first[0]) == 1 && share_of(&ways, net->twin[net->first[3]]) == 1);
    for (uint32_t c = net->first[net->n_endpoints]; c < net->first[net->n_endpoints + 1]; c++)
        *(net->head[c] == net->n_endpoints + 3 ? &to : &away) += share_of(&ways, c);
    assert_true(fabs(to - (0.25 + 0.75 * 2 / 4)) < 1e-12); /* two of the four switches lead there directly */
    assert_true(fabs(to + away - 1) < 1e-12);
    cw_ways_free(&ways);
    close_fabric(&fabric);
}

/* Packets that are drawn: a quarter directly, the others by all places alike. */
static void drawn(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("hyperx:8,1", NULL);
    struct cw_packet_routing *routing = NULL;
    assert_int_equal(cw_packet_routing_new(fabric.net, "ugal-mix:minimal=0.25", 1, 1, &routing), 0);
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    struct cw_random random = cw_random_of(7, CW_STREAM_TEST, 0);
    unsigned directly = 0, by[8] = {0};
    for (unsigned i = 0; i < 32000; i++) {
        const struct cw_packet packet = cw_packet_inject(ops, cw_packet_routing_state(routing), fabric.net->n_endpoints,
                                                         NULL, cw_random_u64(&random), cw_packet_of(0, 5));
        if (packet.via == CW_VIA_NONE)
            directly++;
        else
            by[packet.via]++;
    }
    assert_in_range(directly, 7600, 8400); /* 5 standard deviations */
    for (unsigned place = 0; place < 8; place++) assert_in_range(by[place], 2730, 3270);
    cw_packet_routing_free(routing);
    close_fabric(&fabric);
}

/* Packets of one group go there directly, as UGAL's do; Valiant's go round. */
static void within_a_group(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("dragonfly:2,4,2", "ugal-mix:minimal=0");
    struct cw_ways ways;
    assert_int_equal(cw_ways_init(&ways, fabric.net), 0);
    assert_int_equal(cw_routes_ways(fabric.routes, 0, 7, &ways), 0);
    assert_int_equal(ways.n, 3);
    assert_int_equal(cw_routes_ways(fabric.routes, 0, 8, &ways), 0);
    assert_true(ways.n > 3);
    cw_ways_free(&ways);
    close_fabric(&fabric);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"ugal-mix:minimal=1.5", "expected a share from 0 to 1, or best"},
                                           {"ugal-mix:minimal=-0.1", "expected a share from 0 to 1, or best"},
                                           {"ugal-mix:minimal=most", "minimal"}};
    struct cw_network *net = NULL, *line = NULL;
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_topology_build("dragonfly:2,4,2", &net), 0);
    assert_int_equal(cw_topology_build("torus:12x12", &line), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cw_engine_route(net, cases[i][0], 1, 1, &routes), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i][1])) fail_msg("%s", cw_error_message());
    }
    assert_int_equal(cw_engine_route(line, "ugal-mix", 1, 1, &routes), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "ugal-mix cannot route torus:12x12; it needs"));
    cw_network_free(net);
    cw_network_free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lines),     cmocka_unit_test(ends),
        cmocka_unit_test(networks),         cmocka_unit_test(adversarial),
        cmocka_unit_test(shares_of_a_pair), cmocka_unit_test(drawn),
        cmocka_unit_test(within_a_group),   cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
