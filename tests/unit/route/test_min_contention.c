/*
 * min-contention: how often routes meet, by counting pairs of routes; how long shifts take, by counting messages;
 * regular networks, slow channels, several LIDs.
 */
#include <math.h>
#include <stdio.h>

#include "net/network_internal.h"
#include "route_test.h"

#include "route/engines/balanced/shift_search.h"
#include "route/service_levels.h"

/* The channels between switches of every route, one after another. */
struct paths {
    uint32_t n, max_hops;
    uint32_t *hops;     /* [n · n] */
    uint32_t *channels; /* [n · n · max_hops] */
};

static struct paths paths_of(const struct cw_routes *routes)
{
    struct paths paths = {.n = cw_routes_network(routes)->n_endpoints, .max_hops = cw_routes_max_hops(routes)};
    const size_t n = (size_t)paths.n * paths.n;
    uint32_t *src = zeros(n, sizeof *src), *dst = zeros(n, sizeof *dst);
    paths.hops = zeros(n, sizeof *paths.hops);
    paths.channels = zeros(n * paths.max_hops, sizeof *paths.channels);
    for (size_t i = 0; i < n; i++) {
        src[i] = (uint32_t)(i / paths.n);
        dst[i] = (uint32_t)(i % paths.n);
    }
    must(cw_routes_paths(routes, n, src, dst, paths.hops, paths.channels, NULL));
    free(src);
    free(dst);
    return paths;
}

static void free_paths(struct paths *paths)
{
    free(paths->hops);
    free(paths->channels);
}

static bool has(const struct paths *paths, size_t route, uint32_t channel)
{
    for (uint32_t k = 1; k + 1 < paths->hops[route]; k++)
        if (paths->channels[route * paths->max_hops + k] == channel) return true;
    return false;
}

/* Pairs of routes that share neither source nor destination, once for each channel between switches that they share. */
static double meetings_of(const struct cw_routes *routes)
{
    struct paths paths = paths_of(routes);
    double meetings = 0;
    for (uint32_t c = 0; c < cw_routes_network(routes)->n_channels; c++) {
        uint32_t *from = zeros(paths.n, sizeof *from), *to = zeros(paths.n, sizeof *to);
        double all = 0;
        for (size_t i = 0; i < (size_t)paths.n * paths.n; i++) {
            if (!has(&paths, i, c)) continue;
            all++;
            from[i / paths.n]++;
            to[i % paths.n]++;
        }
        meetings += all * all + all;
        for (uint32_t e = 0; e < paths.n; e++) meetings -= (double)from[e] * from[e] + (double)to[e] * to[e];
        free(from);
        free(to);
    }
    free_paths(&paths);
    return meetings;
}

static double meetings_by(const struct cw_network *net, const char *engine)
{
    struct cw_routes *routes = routes_of(net, engine);
    const double meetings = meetings_of(routes);
    cw_routes_free(routes);
    return meetings;
}

struct times {
    double all, worst;
};

/* All shifts between endpoints in the order of their switches: each takes its busiest channel's time, 1 at least. */
static struct times shifts_of(const struct cw_routes *routes)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct paths paths = paths_of(routes);
    struct times times = {0};
    uint32_t *order = zeros(paths.n, sizeof *order), n = 0;
    double fastest = 0;
    for (uint32_t c = 0; c < net->n_channels; c++) fastest = fmax(fastest, net->capacity[c]);
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t e = 0; e < paths.n; e++)
            if (net->head[net->first[e]] == v) order[n++] = e;
    for (uint32_t k = 1; k < n; k++) {
        double *time = zeros(net->n_channels, sizeof *time), most = 1;
        for (uint32_t i = 0; i < n; i++) {
            const size_t route = (size_t)order[i] * paths.n + order[(i + k) % n];
            for (uint32_t h = 1; h + 1 < paths.hops[route]; h++) {
                const uint32_t c = paths.channels[route * paths.max_hops + h];
                most = fmax(most, time[c] += fastest / net->capacity[c]);
            }
        }
        times.all += most;
        times.worst = fmax(times.worst, most);
        free(time);
    }
    free(order);
    free_paths(&paths);
    return times;
}

static struct times shifts_by(const struct cw_network *net, const char *engine)
{
    struct cw_routes *routes = routes_of(net, engine);
    const struct times times = shifts_of(routes);
    cw_routes_free(routes);
    return times;
}

/* A channel between switches, the Nth and so on round; CW_NONE: there are none. */
static uint32_t inner_channel(const struct cw_network *net, uint32_t n)
{
    uint32_t inner = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        inner += !cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]);
    if (inner == 0) return CW_NONE;
    n %= inner;
    for (uint32_t c = 0;; c++)
        if (!cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_endpoint(net, net->head[c]) && n-- == 0)
            return c;
}

/* It meets no more often than any other engine's routes of shortest ways, on whole networks and broken ones; it is a
 * local search, so a fifth more is allowed, which happens on small tori with gaps. */
static void meets_most_rarely(void **state)
{
    (void)state;
    static const char *const networks[] = {"torus:4x3",    "xgft:2:4,4:1,2",   "xgft:2:3,3:1,3",     "dragonfly:2,4,2",
                                           "hypercube:4",  "jellyfish:12,4,3", "xgft:3:3,2,3:1,2,2", "mesh:4x4",
                                           "hyperx:3x3,2", "slimfly:3,2",      "torus:3x3x3",        "crossbar:5"};
    static const char *const engines[] = {"minhop", "min-max-load", "random-minimal", "sssp", "dor-ports", NULL};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint32_t failed = 0; failed < 3; failed++) {
            struct cw_network *whole = network_of(networks[i]);
            const uint32_t cable = inner_channel(whole, 7 * failed);
            char name[16];
            snprintf(name, sizeof name, "%u", cable);
            struct cw_network *net = damaged(whole, failed > 0 && cable != CW_NONE ? name : NULL, 1);
            const double here = meetings_by(net, "min-contention");
            for (const char *const *engine = engines; *engine; engine++) {
                if (!cw_registry_find(&cw_engine_registry, *engine)) continue;
                const double there = meetings_by(net, *engine);
                if (here > there * 1.2)
                    fail_msg("%s, failure %u: %g meetings, by %s %g", networks[i], failed, here, *engine, there);
            }
            cw_network_free(net);
            cw_network_free(whole);
        }
}

/* On whole trees it meets as rarely as D-mod-K, and on other regular networks at most as often as their own engine, or
 * a little more where shifts are done sooner for it. */
static void regular_networks(void **state)
{
    (void)state;
    static const char *const networks[][2] = {{"xgft:2:4,6:1,4", "dmodk"},           {"xgft:3:3,3,3:1,3,3", "dmodk"},
                                              {"hyperx:4x4,2", "hyperx-dor"},        {"torus:5x4", "dor"},
                                              {"rail:4,4,4", "rail-local"},          {"dragonfly:2,4,2", "minimal"},
                                              {"megafly:2,2,2,2", "megafly-minimal"}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct cw_network *net = network_of(networks[i][0]);
        const struct times here = shifts_by(net, "min-contention"), there = shifts_by(net, networks[i][1]);
        const double more = here.all < there.all ? 0.02 : 1e-9;
        assert_true(meetings_by(net, "min-contention") <= meetings_by(net, networks[i][1]) * (1 + more));
        assert_true(here.all <= there.all && here.worst <= there.worst);
        cw_network_free(net);
    }
}

/* The search, from ROUTES, finds tables with all routes, as short, and shifts that are done
 * sooner, the same again; or none, if IN_VAIN. */
static void search(const struct cw_network *net, const struct cw_routes *routes, bool in_vain)
{
    static const struct cw_shift_setup setup = {.by_shifts = 0.12, .steepest = 2};
    struct cw_balanced_trees trees;
    struct cw_routes *out = NULL, *again = NULL;
    must(cw_trees_new(net, &trees));
    must(cw_trees_count_speeds(&trees));
    must(cw_shift_search(&trees, routes, &setup, 1, &out));
    must(cw_shift_search(&trees, routes, &setup, 1, &again));
    if (in_vain != !out) fail_msg("%s: shifts are%s done sooner", net->title, out ? "" : " not");
    if (out) {
        const struct times before = shifts_of(routes), after = shifts_of(out);
        struct paths first = paths_of(routes), second = paths_of(out), third = paths_of(again);
        const size_t n = (size_t)first.n * first.n;
        assert_true(after.all < before.all && after.worst <= before.worst);
        assert_memory_equal(first.hops, second.hops, n * sizeof *first.hops);
        for (size_t i = 0; i < n; i++)
            assert_memory_equal(second.channels + i * second.max_hops, third.channels + i * third.max_hops,
                                second.hops[i] * sizeof *second.channels);
        free_paths(&first);
        free_paths(&second);
        free_paths(&third);
    }
    cw_routes_free(out);
    cw_routes_free(again);
    cw_trees_free(&trees);
}

/* From the routes of several engines, where channels are as fast as others and where one is slow. Routes that are
 * longer than the shortest stay as long as they are. On whole trees nothing is left to do. */
static void sooner_shifts(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"jellyfish:12,4,3", "random-minimal"},
                                           {"dragonfly:2,4,2", "sssp"},
                                           {"xgft:2:4,4:1,4", "random-minimal"},
                                           {"torus:4x4", "dor-ports"},
                                           {"mesh:5x4", "random-minimal"},
                                           {"torus:5x5", "updn"},
                                           {"xgft:2:4,4:1,4", "dmodk"},
                                           {"xgft:2:4,4:2,2", "dmodk"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int slow = 0; slow < 2; slow++) {
            struct cw_network *whole = network_of(cases[i][0]), *net = NULL;
            struct cw_faults *faults = NULL;
            char name[32];
            snprintf(name, sizeof name, "%u=20Gbit/s", inner_channel(whole, 3));
            must(cw_faults_new(whole, &faults));
            if (slow) must(cw_faults_degrade(faults, "--degraded", name, 1));
            must(cw_network_with_faults(faults, &net));
            if (cw_registry_find(&cw_engine_registry, cases[i][1])) {
                struct cw_routes *routes = routes_of(net, cases[i][1]);
                search(net, routes, i > 5);
                cw_routes_free(routes);
            }
            cw_faults_free(faults);
            cw_network_free(net);
            cw_network_free(whole);
        }
}

/* A spine that is half as fast gets half as many routes: 4, 8 and 8 destinations of a leaf's 20. */
static void slow_channels(void **state)
{
    (void)state;
    struct cw_network *whole = network_of("xgft:2:20,4:1,3"), *net = NULL;
    struct cw_faults *faults = NULL;
    double load[3] = {0};
    must(cw_faults_new(whole, &faults));
    must(cw_faults_degrade(faults, "--degraded", "s2.0=20Gbit/s", 1));
    must(cw_network_with_faults(faults, &net));
    struct cw_routes *routes = routes_of(net, "min-contention");
    struct paths paths = paths_of(routes);
    for (uint32_t c = 0; c < net->n_channels; c++)
        for (uint32_t s = 0; s < 3; s++)
            for (size_t i = 0; net->head[c] == net->n_vertices - 3 + s && i < (size_t)paths.n * paths.n; i++)
                load[s] += has(&paths, i, c);
    assert_true(load[0] == load[1] / 2 && load[2] == load[1]);
    free_paths(&paths);
    cw_routes_free(routes);
    cw_faults_free(faults);
    cw_network_free(net);
    cw_network_free(whole);
}

/* The routes to a second LID go by other spines where there are others. */
static void second_lid(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:4,4:1,4");
    struct cw_routes *routes = routes_of(net, "min-contention:lmc=1");
    assert_int_equal(cw_routes_lids(routes), 2);
    struct paths first = paths_of(routes), second = paths_of(cw_routes_to_lid(routes, 1));
    size_t same = 0, far = 0;
    for (size_t i = 0; i < (size_t)first.n * first.n; i++) {
        if (first.hops[i] < 4) continue;
        far++;
        same += has(&second, i, first.channels[i * first.max_hops + 1]);
    }
    assert_int_equal(far, 16 * 12);
    assert_int_equal(same, 0);
    free_paths(&first);
    free_paths(&second);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* Rings of five need two lanes: with one it refuses, and says what would do. */
static void lanes(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:5x5");
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_engine_route(net, "min-contention:lanes=1", 1, 1, &routes), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), "virtual lane"));
    routes = routes_of(net, "min-contention");
    assert_true(cw_routes_lanes(routes) > 1 && cw_routes_lanes(routes) <= 4);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(meets_most_rarely), cmocka_unit_test(regular_networks),
                                       cmocka_unit_test(sooner_shifts),     cmocka_unit_test(slow_channels),
                                       cmocka_unit_test(second_lid),        cmocka_unit_test(lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
