/* The k shortest paths: every order of ties against all simple paths by brute force, in that order. */
#include "k_paths_test.h"
#include "net/network_internal.h"

/* --- against brute force ------------------------------------------------------------------------------------------ */

/* Paths of demand D are simple, contiguous, over channels that exist, and all different. */
static void check_paths(const struct cw_flow_problem *problem, const struct cw_k_paths *paths, size_t d)
{
    const struct cw_network *net = problem->net;
    const struct cw_demand *demand = &problem->demands->items[d];
    for (size_t i = paths->first[d]; i < paths->first[d + 1]; i++) {
        const uint32_t *channel = paths->channel + paths->begin[i], n = length_of(paths, i);
        assert_int_equal(net->tail[channel[0]], demand->src);
        assert_int_equal(net->head[channel[n - 1]], demand->dst);
        for (uint32_t j = 0; j < n; j++) {
            assert_true(problem->capacity[channel[j]] > 0);
            if (j + 1 < n) {
                assert_int_equal(net->head[channel[j]], net->tail[channel[j + 1]]);
                assert_false(cw_network_is_endpoint(net, net->head[channel[j]]));
            }
            for (uint32_t h = 0; h < j; h++) assert_int_not_equal(net->tail[channel[h]], net->tail[channel[j]]);
        }
        for (size_t o = paths->first[d]; o < i; o++) {
            const bool as_long = length_of(paths, o) == n;
            assert_false(as_long && memcmp(paths->channel + paths->begin[o], channel, n * sizeof *channel) == 0);
        }
    }
}

/* The paths found for demand D are the first of the brute force's, in every channel (rotated: in length). */
static void compare_demand(const struct test_problem *test, const struct cw_k_paths *paths, size_t d,
                           const struct cw_k_paths_setup *setup, uint32_t *use)
{
    struct brute brute = brute_force(&test->problem, &test->demands.items[d], setup->max_hops);
    const size_t found = paths->first[d + 1] - paths->first[d];
    assert_int_equal(found, brute.n < setup->k ? brute.n : setup->k);
    for (size_t i = paths->first[d]; i < paths->first[d + 1]; i++) {
        const struct brute_path *expected = take_next(&brute, use);
        assert_non_null(expected);
        assert_int_equal(length_of(paths, i), expected->n);
        if (setup->ties != CW_TIES_ROTATED)
            assert_memory_equal(paths->channel + paths->begin[i], expected->channel, expected->n * sizeof(uint32_t));
    }
    free(brute.items);
}

static void compare_order(const struct test_problem *test, struct cw_k_paths_setup setup)
{
    const size_t size = test->net->n_channels * sizeof(uint32_t);
    uint32_t *use = calloc(1, size);
    assert_non_null(use);
    struct cw_k_paths paths = find(test, setup.k, setup.ties, setup.max_hops, 1);
    assert_int_equal(paths.n_demands, test->demands.n);
    assert_int_equal(paths.first[0], 0);
    assert_int_equal(paths.begin[0], 0);
    assert_int_equal(paths.first[paths.n_demands], paths.n_paths);
    for (size_t d = 0; d < paths.n_demands; d++) {
        const bool counts = setup.ties == CW_TIES_DISJOINT || setup.ties == CW_TIES_PENALISED;
        if (setup.ties == CW_TIES_DISJOINT) memset(use, 0, size);
        compare_demand(test, &paths, d, &setup, counts ? use : NULL);
        check_paths(&test->problem, &paths, d);
    }
    cw_k_paths_free(&paths);
    free(use);
}

static void compare_all_orders(const struct test_problem *test, uint32_t k, uint32_t max_hops)
{
    for (int ties = CW_TIES_PLAIN; ties <= CW_TIES_PENALISED; ties++)
        compare_order(test, (struct cw_k_paths_setup){.k = k, .ties = (enum cw_ties)ties, .max_hops = max_hops});
}

/* So small that no simple path is longer than BRUTE_LENGTH: every path there is, and the first few. */
static void all_paths_of_small_networks(void **state)
{
    static const char *const specs[] = {"torus:3x3",      "mesh:3x3",          "torus:2x2x2,doubled", "torus:8",
                                        "hypercube:3",    "dragonfly:1,2,1",   "dragonfly:2,2,1",     "crossbar:3",
                                        "xgft:2:2,2:1,3", "xgft:2:2,2:1,2:1,3"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (int host_limit = 0; host_limit <= 1; host_limit++) {
            struct test_problem test;
            open_topology(specs[i], host_limit, false, &test);
            const uint32_t n = test.net->n_endpoints;
            for (uint32_t d = 1; d < n; d++) add_demand(&test.demands, d % 3 == 0 ? n - 1 : 0, d == n - 1 ? 1 : d);
            compare_all_orders(&test, 7, 0);
            compare_all_orders(&test, 100, 0);
            close_problem(&test);
        }
    }
}

/* Larger ones, with paths of a few hops only: max_hops counts channels with a limit. */
static void short_paths_of_larger_networks(void **state)
{
    static const struct {
        const char *spec;
        bool host_limit;
        uint32_t max_hops;
    } cases[] = {{"torus:4x4", false, 6},       {"torus:4x4", true, 7},       {"torus:5x3x2", false, 5},
                 {"dragonfly:1,4,1", false, 5}, {"dragonfly:1,4,1", true, 6}, {"xgft:3:2,2,3:1,2,2", true, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_problem test;
        open_topology(cases[i].spec, cases[i].host_limit, false, &test);
        const uint32_t n = test.net->n_endpoints;
        for (uint32_t d = 1; d < n; d += 2) add_demand(&test.demands, n - 1 - d, d);
        compare_all_orders(&test, 60, cases[i].max_hops);
        close_problem(&test);
    }
}

/* Hosts on several switches and beside one another, parallel cables, pieces that are not connected. */
static struct cw_network *irregular(struct cw_random *random, uint32_t n_endpoints, uint32_t n_switches)
{
    const uint32_t cables = n_switches + cw_random_below(random, n_switches);
    struct cw_builder *builder = cw_builder_new(n_endpoints, n_switches, cables);
    for (uint32_t h = 0; h < n_endpoints; h++)
        for (uint32_t i = 0; i <= h % 2; i++)
            cw_builder_cable(builder, h, 0, n_endpoints + cw_random_below(random, n_switches), 0, 1, 1e-7);
    cw_builder_cable(builder, 0, 0, 1, 0, 1, 1e-7);
    for (uint32_t i = 0; i < cables; i++) {
        const uint32_t a = cw_random_below(random, n_switches), b = cw_random_below(random, n_switches);
        const uint32_t parallel = 1 + (i % 4 == 0);
        for (uint32_t j = 0; a != b && j < parallel; j++)
            cw_builder_cable(builder, n_endpoints + a, 0, n_endpoints + b, 0, 1, 1e-7);
    }
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net)) fail_msg("%s", cw_error_message());
    return net;
}

static void irregular_networks_with_failures(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < 40; trial++) {
        struct cw_random random = cw_random_of(7, CW_STREAM_TEST, trial);
        struct test_problem test;
        open_problem(irregular(&random, 5, 6 + trial % 4), trial % 2, true, &test);
        for (uint32_t c = 0; c < test.net->n_channels; c++)
            if (cw_random_below(&random, 8) == 0) test.problem.capacity[c] = 0;
        compare_all_orders(&test, 1 + cw_random_below(&random, 30), trial % 3 == 0 ? 5 : 0);
        close_problem(&test);
    }
}

/* --- properties --------------------------------------------------------------------------------------------------- */

/* The first paths do not depend on k. */
static void more_paths_begin_with_fewer(void **state)
{
    struct test_problem test;
    (void)state;
    open_topology("torus:6x5x4", false, false, &test);
    for (uint32_t d = 1; d < 120; d += 17) add_demand(&test.demands, 0, d);
    for (int ties = CW_TIES_PLAIN; ties <= CW_TIES_DISJOINT; ties++) {
        struct cw_k_paths few = find(&test, 20, (enum cw_ties)ties, 0, 1);
        struct cw_k_paths many = find(&test, 70, (enum cw_ties)ties, 0, 1);
        for (size_t d = 0; d < few.n_demands; d++) {
            const size_t a = few.begin[few.first[d]], b = many.begin[many.first[d]];
            const size_t n = few.begin[few.first[d + 1]] - a;
            assert_memory_equal(few.channel + a, many.channel + b, n * sizeof *few.channel);
        }
        cw_k_paths_free(&few);
        cw_k_paths_free(&many);
    }
    close_problem(&test);
}

/* Adds up how many channels with a limit each two paths of a demand share; returns the paths before the first that
 * shares one. */
static size_t count_shared(const struct test_problem *test, const struct cw_k_paths *paths, size_t d, uint64_t *shared)
{
    uint32_t *use = calloc(test->net->n_channels, sizeof *use);
    size_t alone = 0;
    bool disjoint = true;
    assert_non_null(use);
    *shared = 0;
    for (size_t i = paths->first[d]; i < paths->first[d + 1]; i++) {
        for (size_t j = paths->begin[i]; j < paths->begin[i + 1]; j++) {
            const uint32_t c = paths->channel[j];
            if (isinf(test->problem.capacity[c])) continue;
            disjoint &= use[c] == 0;
            *shared += use[c]++;
        }
        alone += disjoint;
    }
    free(use);
    return alone;
}

static void disjoint_paths_share_less(void **state)
{
    static const char *const specs[] = {"torus:4x4x4", "torus:8x8", "bgq:512,merge2"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct test_problem test;
        open_topology(specs[s], false, false, &test);
        const uint32_t n = test.net->n_endpoints;
        for (uint32_t d = 1; d < n; d += n / 16) add_demand(&test.demands, 0, d);
        for (uint32_t k = 4; k <= 32; k *= 2) {
            struct cw_k_paths plain = find(&test, k, CW_TIES_PLAIN, 0, 1);
            struct cw_k_paths disjoint = find(&test, k, CW_TIES_DISJOINT, 0, 1);
            for (size_t d = 0; d < test.demands.n; d++) {
                uint64_t plain_shared, disjoint_shared;
                const size_t plain_alone = count_shared(&test, &plain, d, &plain_shared);
                assert_true(count_shared(&test, &disjoint, d, &disjoint_shared) >= plain_alone);
                assert_true(disjoint_shared <= plain_shared);
            }
            cw_k_paths_free(&plain);
            cw_k_paths_free(&disjoint);
        }
        close_problem(&test);
    }
}

/* The load of the busiest channel when every pair has K paths: what the orders other than plain are for. */
static uint32_t busiest(const struct test_problem *test, enum cw_ties ties, uint32_t k)
{
    struct cw_k_paths paths = find(test, k, ties, 0, 2);
    uint32_t *use = calloc(test->net->n_channels, sizeof *use), most = 0;
    assert_non_null(use);
    for (size_t i = 0; i < paths.begin[paths.n_paths]; i++) {
        const uint32_t c = paths.channel[i];
        if (!isinf(test->problem.capacity[c]) && ++use[c] > most) most = use[c];
    }
    free(use);
    cw_k_paths_free(&paths);
    return most;
}

/* A few sources, each to its share of the last half of all nodes. */
static void less_used_paths_spread(void **state)
{
    struct test_problem test;
    (void)state;
    open_topology("torus:4x4x4x2", false, false, &test);
    for (uint32_t d = 0; d < 64; d++) add_demand(&test.demands, d / 8, 64 + d);
    const uint32_t plain = busiest(&test, CW_TIES_PLAIN, 4);
    assert_true(busiest(&test, CW_TIES_DISJOINT, 4) < plain);
    assert_true(busiest(&test, CW_TIES_PENALISED, 4) < plain);
    close_problem(&test);
}

/* Which ports the first paths leave the first switch by, a bit each. */
static uint32_t first_ports(const struct test_problem *test, enum cw_ties ties)
{
    uint32_t ports = 0;
    struct cw_k_paths paths = find(test, 1, ties, 0, 1);
    for (size_t i = 0; i < paths.n_paths; i++) {
        const uint32_t channel = paths.channel[paths.begin[i] + 1];
        ports |= 1u << (channel - test->net->first[test->net->tail[channel]]);
    }
    cw_k_paths_free(&paths);
    return ports;
}

/* To the node furthest away every port but the host's begins a shortest path: plain takes the first, rotated any. */
static void rotated_paths_begin_anywhere(void **state)
{
    struct test_problem test;
    (void)state;
    open_topology("torus:4x4x4", false, false, &test);
    for (uint32_t s = 0; s < 64; s++) add_demand(&test.demands, s, s ^ 42); /* 2 in every coordinate */
    assert_int_equal(first_ports(&test, CW_TIES_PLAIN), 2);
    assert_int_equal(first_ports(&test, CW_TIES_ROTATED), 126);
    close_problem(&test);
}

static void same_for_any_number_of_threads(void **state)
{
    struct test_problem test;
    (void)state;
    open_topology("torus:4x4x4x2,doubled", false, false, &test);
    for (uint32_t s = 0; s < 128; s++) add_demand(&test.demands, s, (s * 37 + 11) % 128);
    for (int ties = CW_TIES_PLAIN; ties <= CW_TIES_PENALISED; ties++) {
        struct cw_k_paths one = find(&test, 20, (enum cw_ties)ties, 0, 1);
        struct cw_k_paths four = find(&test, 20, (enum cw_ties)ties, 0, 4);
        assert_int_equal(one.n_paths, 128 * 20);
        assert_int_equal(one.n_paths, four.n_paths);
        assert_memory_equal(one.first, four.first, (one.n_demands + 1) * sizeof *one.first);
        assert_memory_equal(one.begin, four.begin, (one.n_paths + 1) * sizeof *one.begin);
        assert_memory_equal(one.channel, four.channel, one.begin[one.n_paths] * sizeof *one.channel);
        cw_k_paths_free(&one);
        cw_k_paths_free(&four);
    }
    close_problem(&test);
}

/* --- ends --------------------------------------------------------------------------------------------------------- */

/* A row of switches whose far part is a dead end, and nothing but a dead end once its cable to the target failed. */
static void long_dead_ends(void **state)
{
    const uint32_t n_switches = 5000;
    struct cw_builder *builder = cw_builder_new(2, n_switches, n_switches);
    struct cw_network *net = NULL;
    struct test_problem test;
    (void)state;
    cw_builder_cable(builder, 0, 0, 2, 0, 1, 1e-7);
    cw_builder_cable(builder, 1, 0, 3, 0, 1, 1e-7);
    for (uint32_t i = 1; i < n_switches; i++) cw_builder_cable(builder, i + 1, 0, i + 2, 0, 1, 1e-7);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    open_problem(net, false, true, &test);
    for (int ties = CW_TIES_PLAIN; ties <= CW_TIES_PENALISED; ties++) {
        struct cw_k_paths paths = find(&test, 50, (enum cw_ties)ties, 0, 1);
        assert_int_equal(paths.n_paths, 2);
        assert_int_equal(length_of(&paths, 0), 3);
        cw_k_paths_free(&paths);
    }
    test.problem.capacity[net->twin[net->first[1]]] = 0;
    struct cw_k_paths paths = find(&test, 50, CW_TIES_PLAIN, 0, 1);
    assert_int_equal(paths.first[1], 0);
    assert_int_equal(paths.first[2], 1);
    cw_k_paths_free(&paths);
    close_problem(&test);
}

static void rings_have_two_paths(void **state)
{
    struct test_problem test;
    (void)state;
    open_topology("torus:40", false, false, &test);
    for (uint32_t d = 1; d < 40; d++) add_demand(&test.demands, 0, d);
    struct cw_k_paths paths = find(&test, 1000, CW_TIES_DISJOINT, 0, 1);
    struct cw_k_paths half = find(&test, 1000, CW_TIES_DISJOINT, 20, 1);
    for (uint32_t d = 0; d < 39; d++) {
        const uint32_t hops = d + 1 < 20 ? d + 1 : 40 - (d + 1);
        assert_int_equal(paths.first[d + 1] - paths.first[d], 2);
        assert_int_equal(length_of(&paths, paths.first[d]), hops + 2);
        assert_int_equal(length_of(&paths, paths.first[d] + 1), 40 - hops + 2);
        assert_int_equal(half.first[d + 1] - half.first[d], hops == 20 ? 2 : 1);
    }
    cw_k_paths_free(&paths);
    cw_k_paths_free(&half);
    close_problem(&test);
}

static void no_paths_are_refused(void **state)
{
    const struct cw_k_paths_setup setup = {.k = 0};
    struct cw_k_paths paths = {.n_paths = 77};
    struct test_problem test;
    (void)state;
    open_topology("torus:4", false, true, &test);
    assert_int_equal(cw_k_paths_find(&test.problem, &setup, 1, &paths), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "at least 1"));
    assert_int_equal(paths.n_paths, 77);
    close_problem(&test);
    cw_k_paths_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_paths_of_small_networks),
        cmocka_unit_test(short_paths_of_larger_networks),
        cmocka_unit_test(irregular_networks_with_failures),
        cmocka_unit_test(more_paths_begin_with_fewer),
        cmocka_unit_test(disjoint_paths_share_less),
        cmocka_unit_test(less_used_paths_spread),
        cmocka_unit_test(rotated_paths_begin_anywhere),
        cmocka_unit_test(same_for_any_number_of_threads),
        cmocka_unit_test(long_dead_ends),
        cmocka_unit_test(rings_have_two_paths),
        cmocka_unit_test(no_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
