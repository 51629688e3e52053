/* What messages feel of routes: measures by walks over every route, bounds by all forwarding tables that there are. */
#include <stdio.h>

#include "net/faults.h"
#include "net/network_internal.h"
#include "route/lft.h"
#include "sim/quality.h"
#include "sim_test.h"

#define CLOSE 1e-9

static struct cw_quality run(const struct cw_routes *routes, const struct cw_selection *selection, uint64_t max_routes,
                             unsigned n_threads)
{
    const struct cw_quality_setup setup = {
        .routes = routes, .selection = selection, .max_routes = max_routes, .seed = 3, .n_threads = n_threads};
    struct cw_quality quality;
    if (cw_quality_run(&setup, &quality)) fail_msg("%s", cw_error_message());
    return quality;
}

static void assert_within(double got, double expected, double within)
{
    if (!(fabs(got - expected) <= within)) fail_msg("%.10g, expected %.10g", got, expected);
}

/* --- measures ----------------------------------------------------------------------------------------------------- */

static bool is_inner(const struct cw_network *net, uint32_t c)
{
    return !cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]);
}

/* The channels of the route from SRC to DST. */
static uint32_t walk(const struct cw_routes *routes, uint32_t src, uint32_t dst, uint32_t *channels)
{
    uint32_t hops;
    if (cw_routes_paths(routes, 1, &src, &dst, &hops, channels, NULL)) fail_msg("%s", cw_error_message());
    return hops;
}

static double slowness(const struct cw_network *net, uint32_t c)
{
    double fastest = 0;
    for (uint32_t i = 0; i < net->n_channels; i++)
        if (cw_network_is_endpoint(net, net->tail[i])) fastest = fmax(fastest, net->capacity[i]);
    return fastest / net->capacity[c];
}

/* Destinations on each channel, one destination after the other and one source after the other. */
static void compare_destinations(const struct cw_routes *routes, const struct cw_quality *quality)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t *channels = new_array(cw_routes_max_hops(routes), sizeof *channels);
    uint32_t *last = new_array(net->n_channels, sizeof *last), *count = new_array(net->n_channels, sizeof *count);
    double sum = 0, most = 0, inner = 0;
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
        for (uint32_t src = 0; src < net->n_endpoints; src++) {
            const uint32_t hops = walk(routes, src, dst, channels);
            for (uint32_t k = 0; k < hops; k++)
                if (last[channels[k]] != dst + 1) {
                    last[channels[k]] = dst + 1;
                    count[channels[k]]++;
                }
        }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (!is_inner(net, c)) continue;
        inner++;
        sum += count[c];
        most = fmax(most, count[c]);
    }
    assert_within(quality->destinations.value, sum / inner, CLOSE);
    assert_within(quality->most_destinations.value, most, CLOSE);
    free(channels);
    free(last);
    free(count);
}

static double time_of_shift(const struct cw_routes *routes, const uint32_t *order, uint32_t n, uint32_t by)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t *channels = new_array(cw_routes_max_hops(routes), sizeof *channels);
    double *time = new_array(net->n_channels, sizeof *time), most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t hops = walk(routes, order[i], order[(i + by) % n], channels);
        for (uint32_t k = 0; k < hops; k++) time[channels[k]] += slowness(net, channels[k]);
    }
    for (uint32_t c = 0; c < net->n_channels; c++) most = fmax(most, time[c]);
    free(channels);
    free(time);
    return most;
}

static void compare_shifts(const struct cw_routes *routes, const struct cw_quality *quality)
{
    const struct cw_network *net = cw_routes_network(routes);
    const uint32_t n = net->n_endpoints;
    uint32_t *order = new_array(n, sizeof *order), placed = 0;
    double sum = 0, worst = 0;
    for (uint32_t s = n; s < net->n_vertices; s++)
        for (uint32_t e = 0; e < n; e++)
            if (net->head[net->first[e]] == s) order[placed++] = e;
    assert_int_equal(placed, n);
    for (uint32_t by = 1; by < n; by++) {
        const double time = time_of_shift(routes, order, n, by);
        sum += time;
        worst = fmax(worst, time);
    }
    assert_within(quality->alltoall.value, sum, 1e-6);
    assert_within(quality->shift.value, sum / (n - 1), CLOSE * n);
    assert_within(quality->worst_shift.value, worst, CLOSE);
    free(order);
}

/* No measure is beyond its bound; ebb is drawn, and may be by as much as its interval leaves open. */
static void hold_bounds(const struct cw_quality *quality)
{
    const double uni = isnan(quality->ebb_uni.ci95) ? CLOSE : 2 * quality->ebb_uni.ci95;
    const double bi = isnan(quality->ebb_bi.ci95) ? CLOSE : 2 * quality->ebb_bi.ci95;
    assert_true(quality->ebb_uni.value <= quality->ebb_uni.best + uni);
    assert_true(quality->ebb_bi.value <= quality->ebb_bi.best + bi);
    assert_true(quality->shift.value >= quality->shift.best - CLOSE);
    assert_true(quality->worst_shift.value >= quality->worst_shift.best - CLOSE);
    assert_true(quality->alltoall.value >= quality->alltoall.best - CLOSE * quality->endpoints);
    if (!isnan(quality->destinations.best)) {
        assert_true(quality->destinations.value >= quality->destinations.best - CLOSE);
        assert_true(quality->most_destinations.value >= quality->most_destinations.best - CLOSE);
    }
}

static const struct {
    const char *spec, *engine;
} fabrics[] = {{"xgft:2:4,5:1,3", "random-minimal"},
               {"xgft:2:4,5:1,3", "smodk"},
               {"xgft:3:3,2,4:1,2,2", "dmodk"},
               {"torus:4x3", "dor"},
               {"mesh:3x4", "updn"},
               {"dragonfly:2,4,2", "minimal"},
               {"hypercube:3", "sssp"},
               {"slimfly:5", "hop-lanes"},
               {"jellyfish:12,4,2", "minhop"},
               {"crossbar:6", "minhop"},
               {"xgft:2:6,4:1,3", "minhop"},
               {"hyperx:3x3,2", "hyperx-dor"}};

static void test_walks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        struct test_fabric fabric = open_fabric(fabrics[i].spec, fabrics[i].engine);
        const struct cw_quality quality = run(fabric.routes, NULL, 0, 1);
        if (!isnan(quality.destinations.value)) compare_destinations(fabric.routes, &quality);
        compare_shifts(fabric.routes, &quality);
        hold_bounds(&quality);
        close_fabric(&fabric);
    }
}

/* Cables fail, and cables are slow: figures are still those of walks, and the bounds hold. */
static void test_faults(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct test_fabric fabric = open_fabric("xgft:2:4,5:1,3", "minhop"), broken = {0};
        struct cw_faults *faults;
        struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 0);
        char failed[64], slow[64];
        snprintf(failed, sizeof failed, "s1.%u-s2.%u", cw_random_below(&random, 5), cw_random_below(&random, 3));
        snprintf(slow, sizeof slow, "s1.%u=10Gbit/s", cw_random_below(&random, 5));
        if (cw_faults_new(fabric.net, &faults) || cw_faults_fail(faults, "failed", failed, seed) ||
            cw_faults_degrade(faults, "slow", slow, seed) || cw_network_with_faults(faults, &broken.net))
            fail_msg("%s", cw_error_message());
        if (cw_engine_route(broken.net, "minhop", 1, 1, &broken.routes)) fail_msg("%s", cw_error_message());
        const struct cw_quality quality = run(broken.routes, NULL, 0, 1);
        compare_destinations(broken.routes, &quality);
        compare_shifts(broken.routes, &quality);
        hold_bounds(&quality);
        cw_faults_free(faults);
        close_fabric(&broken);
        close_fabric(&fabric);
    }
}

/* On a whole tree D-mod-K has nothing to gain: every bound is reached, that of matchings within the interval. */
static void test_whole_tree(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("xgft(2,24,12)", "dmodk");
    const struct cw_quality quality = run(fabric.routes, NULL, 0, 1);
    assert_within(quality.destinations.value, quality.destinations.best, CLOSE);
    assert_within(quality.most_destinations.value, quality.most_destinations.best, CLOSE);
    assert_within(quality.alltoall.value, 287, CLOSE);
    assert_within(quality.alltoall.best, 287, CLOSE);
    assert_within(quality.worst_shift.best, 1, CLOSE);
    assert_true(fabs(quality.ebb_uni.value - quality.ebb_uni.best) < 2 * quality.ebb_uni.ci95);
    assert_true(fabs(quality.ebb_bi.value - quality.ebb_bi.best) < 2 * quality.ebb_bi.ci95);
    close_fabric(&fabric);
}

/* --- bounds, by brute force --------------------------------------------------------------------------------------- */

#define HOSTS 6

/* All tables of a tree of two levels in which each leaf may send to each destination elsewhere by each of its spines;
 * and all matchings of its hosts, with each direction of each pair. */
struct search {
    const struct cw_network *net;
    uint32_t n, leaf_of[HOSTS]; /* those that take part */
    uint32_t spines;
    uint32_t spine[HOSTS][HOSTS]; /* [leaf][destination] */
    double best_uni, best_bi, least_alltoall, least_worst;
    double sum_uni, sum_bi, count_uni, count_bi;
};

/* Σ of bandwidths where the pairs (src[i], dst[i]) send. */
static double bandwidth(const struct search *search, const uint32_t *src, const uint32_t *dst, uint32_t n,
                        double *greatest)
{
    uint32_t up[HOSTS][HOSTS] = {{0}}, down[HOSTS][HOSTS] = {{0}};
    double sum = 0;
    *greatest = 1;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = search->leaf_of[src[i]], b = search->leaf_of[dst[i]], s = search->spine[a][dst[i]];
        if (a == b) continue;
        up[a][s]++;
        down[s][b]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t a = search->leaf_of[src[i]], b = search->leaf_of[dst[i]], s = search->spine[a][dst[i]];
        const double here = a == b ? 1 : fmax(up[a][s], down[s][b]);
        sum += 1 / here;
        *greatest = fmax(*greatest, here);
    }
    return sum;
}

static void try_directions(struct search *search, const uint32_t *one, const uint32_t *other, uint32_t n)
{
    uint32_t src[HOSTS], dst[HOSTS];
    double greatest;
    for (uint32_t way = 0; way < 1u << n; way++) {
        for (uint32_t i = 0; i < n; i++) {
            src[i] = way >> i & 1 ? one[i] : other[i];
            dst[i] = way >> i & 1 ? other[i] : one[i];
        }
        search->sum_uni += bandwidth(search, src, dst, n, &greatest) / n;
        search->count_uni++;
    }
    for (uint32_t i = 0; i < n; i++) {
        src[i] = dst[n + i] = one[i];
        src[n + i] = dst[i] = other[i];
    }
    search->sum_bi += bandwidth(search, src, dst, 2 * n, &greatest) / (2 * n);
    search->count_bi++;
}

/* The lowest host that is free gets each partner in turn; of an odd number, each stays out in turn. */
static void try_matchings(struct search *search, uint32_t used, bool left_out, uint32_t *one, uint32_t *other,
                          uint32_t n)
{
    uint32_t a = 0;
    while (a < search->n && used >> a & 1) a++;
    if (a == search->n) {
        try_directions(search, one, other, n);
        return;
    }
    for (uint32_t b = a + 1; b < search->n; b++) {
        if (used >> b & 1) continue;
        one[n] = a;
        other[n] = b;
        try_matchings(search, used | 1u << a | 1u << b, left_out, one, other, n + 1);
    }
    if (search->n % 2 == 1 && !left_out) try_matchings(search, used | 1u << a, true, one, other, n);
}

static void try_shifts(struct search *search)
{
    double sum = 0, worst = 0;
    for (uint32_t by = 1; by < search->n; by++) {
        uint32_t src[HOSTS], dst[HOSTS];
        double greatest;
        for (uint32_t i = 0; i < search->n; i++) {
            src[i] = i;
            dst[i] = (i + by) % search->n;
        }
        bandwidth(search, src, dst, search->n, &greatest);
        sum += greatest;
        worst = fmax(worst, greatest);
    }
    search->least_alltoall = fmin(search->least_alltoall, sum);
    search->least_worst = fmin(search->least_worst, worst);
}

/* Chooses for PLACE, a pair of leaf and destination, and all behind it. */
static void try_tables(struct search *search, uint32_t place)
{
    const uint32_t leaf = place / search->n, dst = place % search->n;
    uint32_t one[HOSTS], other[HOSTS];
    if (leaf > search->leaf_of[search->n - 1]) {
        search->sum_uni = search->sum_bi = search->count_uni = search->count_bi = 0;
        try_matchings(search, 0, false, one, other, 0);
        search->best_uni = fmax(search->best_uni, search->sum_uni / search->count_uni);
        search->best_bi = fmax(search->best_bi, search->sum_bi / search->count_bi);
        try_shifts(search);
        return;
    }
    for (uint32_t s = 0; s < (search->leaf_of[dst] == leaf ? 1 : search->spines); s++) {
        search->spine[leaf][dst] = s;
        try_tables(search, place + 1);
    }
}

/* Of all tables, none is better than the bounds, and the best are as good. */
static void search_tables(const char *spec, uint32_t hosts, uint32_t n, uint32_t spines)
{
    struct test_fabric fabric = open_fabric(spec, "dmodk");
    struct cw_selection *selection = NULL;
    struct search search = {
        .net = fabric.net, .n = n, .spines = spines, .least_alltoall = INFINITY, .least_worst = INFINITY};
    char which[64] = "h0";
    for (uint32_t i = 0; i < n; i++) {
        search.leaf_of[i] = i / hosts;
        if (i > 0) snprintf(which + strlen(which), sizeof which - strlen(which), ",h%u", i);
    }
    try_tables(&search, 0);
    if (cw_selection_new(fabric.net, which, &selection)) fail_msg("%s", cw_error_message());
    const struct cw_quality quality = run(fabric.routes, selection, 0, 1);
    assert_within(quality.ebb_uni.best, search.best_uni, CLOSE);
    assert_within(quality.ebb_bi.best, search.best_bi, CLOSE);
    assert_within(quality.alltoall.best, search.least_alltoall, CLOSE);
    assert_within(quality.worst_shift.best, search.least_worst, CLOSE);
    cw_selection_free(selection);
    close_fabric(&fabric);
}

static void test_all_tables(void **state)
{
    (void)state;
    search_tables("xgft:2:2,3:1,2", 2, 6, 2);
    search_tables("xgft:2:2,3:1,2", 2, 5, 2);
    search_tables("xgft:2:3,2:1,2", 3, 6, 2);
    search_tables("xgft:2:3,2:1,2", 3, 5, 2);
    search_tables("xgft:2:3,2:1,1", 3, 6, 1);
}

/* By hand. */
static void expect_best(const char *spec, const char *failed, const char *engine, double bi)
{
    struct test_fabric fabric = {0};
    struct cw_network *whole;
    struct cw_faults *faults;
    if (cw_topology_build(spec, &whole) || cw_faults_new(whole, &faults) ||
        (failed && cw_faults_fail(faults, "failed", failed, 1)) || cw_network_with_faults(faults, &fabric.net) ||
        cw_engine_route(fabric.net, engine, 1, 1, &fabric.routes))
        fail_msg("%s", cw_error_message());
    const struct cw_quality quality = run(fabric.routes, NULL, 0, 1);
    assert_within(quality.ebb_bi.best, bi, CLOSE);
    hold_bounds(&quality);
    cw_faults_free(faults);
    cw_network_free(whole);
    close_fabric(&fabric);
}

/* Of a leaf's 4 messages 3.2 leave it on average: all, where 4 channels do; one, where 3 of the 4 have failed, in both
 * directions or in that into the leaf. On a ring of 8 the 16 channels carry the nearest pairs, and half of those that
 * are opposite. */
static void test_bounds_by_hand(void **state)
{
    (void)state;
    expect_best("xgft:2:4,4:1,4", NULL, "spray", 1);
    expect_best("xgft:2:4,4:1,4", "s1.0-s2.0,s1.0-s2.1,s1.0-s2.2", "spray", (4 * .8 + 3 * 3.2 + 1) / 16);
    expect_best("xgft:2:4,4:1,4", "s2.0>s1.0,s2.1>s1.0,s2.2>s1.0", "spray", (4 * .8 + 3 * 3.2 + 1) / 16);
    expect_best("torus:8", NULL, "dor", 13.0 / 14);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* A sample says so; it is the same for any number of threads, and its interval holds what all shifts give. */
static void test_samples(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("xgft(2,24,12)", "random-minimal");
    const struct cw_quality all = run(fabric.routes, NULL, 0, 2), some = run(fabric.routes, NULL, 288 * 60, 1);
    const struct cw_quality again = run(fabric.routes, NULL, 288 * 60, 3);
    assert_int_equal(all.n_shifts, 287);
    assert_int_equal(all.n_destinations, 288);
    assert_true(isnan(all.shift.ci95));
    assert_int_equal(some.n_shifts, 60);
    assert_int_equal(some.n_destinations, 60);
    assert_int_equal(some.trials, 60);
    assert_true(isnan(some.most_destinations.value));
    assert_within(some.destinations.value, all.destinations.value, .1 * all.destinations.value);
    assert_true(fabs(some.shift.value - all.shift.value) < 2 * some.shift.ci95);
    assert_true(some.worst_shift.value <= all.worst_shift.value);
    assert_memory_equal(&some.shift, &again.shift, sizeof some.shift);
    assert_memory_equal(&some.ebb_bi, &again.ebb_bi, sizeof some.ebb_bi);
    close_fabric(&fabric);
}

/* Packets that take all ways meet no more than the capacities ask. */
static void test_ways(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("xgft:2:4,4:1,4", "spray");
    const struct cw_quality quality = run(fabric.routes, NULL, 0, 1);
    assert_true(isnan(quality.destinations.best));
    hold_bounds(&quality);
    close_fabric(&fabric);
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4", NULL);
    struct cw_quality quality;
    struct cw_selection *one = NULL;
    if (cw_selection_new(fabric.net, "h2", &one)) fail_msg("%s", cw_error_message());
    const struct cw_quality_setup none = {.seed = 1}, alone = {.routes = fabric.routes, .selection = one};
    assert_int_equal(cw_quality_run(&none, &quality), CW_EUSAGE);
    assert_int_equal(cw_quality_run(&alone, &quality), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "at least 2 endpoints"));
    cw_selection_free(one);
    close_fabric(&fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks),      cmocka_unit_test(test_faults),         cmocka_unit_test(test_whole_tree),
        cmocka_unit_test(test_all_tables), cmocka_unit_test(test_bounds_by_hand), cmocka_unit_test(test_samples),
        cmocka_unit_test(test_ways),       cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
