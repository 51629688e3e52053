/*
 * Closed forms tell of all their routes at once what walking them one by one tells: loads of every channel, lengths,
 * which are shortest, and every dependency.
 */
#include "net/network_internal.h"
#include "route_test.h"

#include "net/selection.h"
#include "route/check.h"
#include "route/routes_internal.h"

#define MOST_ENDPOINTS 300

static const char *const networks[] = {
    "xgft:1:5:1",
    "xgft:1:4:2",
    "xgft:2:4,3:2,2",
    "xgft:3:3,3,3:1,2,2",
    "xgft:3:2,3,4:2,1,3",
    "xgft:3:3,4,3:1,3,2:1,1,2",
    "xgft:2:5,3:1,3:1,2",
    "xgft:3:4,1,3:1,2,2",
    "xgft:2:4,4:1,2:radix=8",
    "xgft(3,3,4,3,2)",
    "xgft:4:2,2,2,2:1,2,2,2",
    "torus:4",
    "torus:5",
    "torus:2x2",
    "torus:4x6",
    "torus:4x4x4",
    "torus:6x2x3",
    "mesh:4x3x2",
    "hypercube:4",
    "dragonfly:2,4,2",
    "dragonfly:1,4,2,g=1",
    "dragonfly:2,4,2,g=2",
    "dragonfly:2,4,2,g=5",
    "dragonfly:2,4,2,g=8,arrangement=random",
    "dragonfly:2,1,4,g=3",
    "dragonfly:3,4,2,g=6,arrangement=relative",
    "dragonfly:1,8,4,g=4,arrangement=consecutive",
    "hyperx:5,3",
    "hyperx:2x2,1",
    "hyperx:3x4,2,k=2x1",
    "hyperx:4x3,2,k=1x5",
    "hyperx:2x3x4,1,k=7x3x2",
    "hyperx:3x2x3,5,k=3x4x2",
    "hyperx:2x2x2x2,2,k=1x3x1x2",
    "megafly:2,3,2,2",
    "megafly:1,1,4,1",
    "megafly:3,2,3,2,g=1",
    "megafly:4,1,3,2,g=1",
    "megafly:2,3,4,3,g=2",
    "megafly:3,2,4,2,g=3",
    "megafly:2,2,2,5,g=4",
    "megafly:5,3,3,4,g=3",
    "rail:4,4,4",
    "rail:4,4,2,pods=2,spines=2",
    "rail:6,3,2,pods=3,spines=1",
    "rail:6,5,3,pods=2,spines=5",
    "rail:9,2,4,pods=3,spines=2",
    "rail:8,1,2,pods=4,spines=3",
    "rail:1,4,1",
    "rail:5,3,2,spines=2",
};

static const char *const engines[] = {
    "dmodk",
    "smodk",
    "dor",
    "dor:tie=minus",
    "dor:lanes=1",
    "dor:tie=balanced",
    "dor:tie=even-odd",
    "minimal",
    "hyperx-dor",
    "megafly-minimal",
    "rail-local",
    NULL,
};

/* What walking finds. */
struct found {
    uint64_t *load, histogram[CW_SURVEY_LENGTHS], hops, minimal, pairs;
    uint32_t hops_max;
    struct cw_dependencies graph;
};

/* Hops from SRC to every vertex, endpoints forwarding nothing. */
static void measure(const struct cw_network *net, uint32_t src, uint32_t *distance, uint32_t *queue)
{
    uint32_t n = 1;
    for (uint32_t v = 0; v < net->n_vertices; v++) distance[v] = CW_NONE;
    distance[src] = 0;
    queue[0] = src;
    for (uint32_t done = 0; done < n; done++) {
        const uint32_t v = queue[done];
        if (v != src && v < net->n_endpoints) continue;
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
            if (distance[net->head[c]] != CW_NONE) continue;
            distance[net->head[c]] = distance[v] + 1;
            queue[n++] = net->head[c];
        }
    }
}

static bool takes_part(const struct cw_selection *selection, uint32_t v)
{
    return !selection || cw_selection_index(selection, v) != CW_NONE;
}

static struct found walk_all(const struct cw_routes *routes, const struct cw_selection *selection)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct found found = {.load = zeros(net->n_channels, sizeof *found.load)};
    uint32_t *distance = zeros(net->n_vertices, sizeof *distance), *queue = zeros(net->n_vertices, sizeof *queue);
    uint32_t *path = zeros(cw_routes_max_hops(routes), sizeof *path);
    uint8_t *lanes = zeros(cw_routes_max_hops(routes), sizeof *lanes);
    must(cw_dependencies_new(net, cw_routes_lanes(routes), &found.graph));
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        measure(net, src, distance, queue);
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            uint32_t hops;
            if (src == dst || !takes_part(selection, src) || !takes_part(selection, dst)) continue;
            must(cw_routes_paths(routes, 1, &src, &dst, &hops, path, lanes));
            found.pairs++;
            found.hops += hops;
            found.minimal += hops == distance[dst];
            found.histogram[hops < CW_SURVEY_LENGTHS ? hops : CW_SURVEY_LENGTHS - 1]++;
            if (hops > found.hops_max) found.hops_max = hops;
            for (uint32_t h = 0; h < hops; h++) found.load[path[h]]++;
            for (uint32_t h = 1; h < hops; h++)
                cw_dependencies_add(&found.graph, path[h - 1], lanes[h - 1], path[h], lanes[h]);
        }
    }
    free(distance);
    free(queue);
    free(path);
    free(lanes);
    return found;
}

static void check_survey(const struct cw_routes *routes, const struct cw_selection *selection)
{
    const struct cw_network *net = cw_routes_network(routes);
    struct found found = walk_all(routes, selection);
    struct cw_dependencies graph;
    struct cw_survey survey = {.selection = selection, .load = zeros(net->n_channels, sizeof *survey.load)};
    assert_true(cw_routes_can_survey(routes, &survey));
    must(cw_dependencies_new(net, cw_routes_lanes(routes), &graph));
    if (!selection) survey.graph = &graph;
    must(routes->formula->survey(routes->state, &survey));
    assert_memory_equal(survey.load, found.load, net->n_channels * sizeof *survey.load);
    assert_memory_equal(survey.histogram, found.histogram, sizeof found.histogram);
    assert_int_equal(survey.hops, found.hops);
    assert_int_equal(survey.hops_max, found.hops_max);
    assert_int_equal(survey.minimal, found.minimal);
    if (!selection)
        assert_memory_equal(graph.words, found.graph.words,
                            graph.row[(size_t)net->n_channels * graph.lanes] * sizeof *graph.words);
    cw_dependencies_free(&graph);
    cw_dependencies_free(&found.graph);
    free(survey.load);
    free(found.load);
}

static void test_all(void **state)
{
    (void)state;
    unsigned n = 0;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct cw_network *net = network_of(networks[i]);
        assert_true(net->n_endpoints <= MOST_ENDPOINTS);
        for (const char *const *engine = engines; *engine; engine++) {
            struct cw_routes *routes;
            if (cw_engine_route(net, *engine, 1, 1, &routes) != 0) continue;
            check_survey(routes, NULL);
            cw_routes_free(routes);
            n++;
        }
        cw_network_free(net);
    }
    assert_int_equal(n, 11 * 2 + 8 * 5 + 8 + 7 + 8 + 8);
}

/* Every third endpoint, and none but two. Where a form cannot count some, the routes are walked. */
static void test_selection(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"xgft:3:3,4,3:1,3,2:1,1,2", "dmodk"},
                                           {"xgft:3:3,4,3:1,3,2:1,1,2", "smodk"},
                                           {"xgft:3:3,3,3:1,2,2", "dmodk"},
                                           {"torus:4x6", "dor"},
                                           {"dragonfly:2,4,2", "minimal"},
                                           {"hyperx:3x4,2,k=2x1", "hyperx-dor"},
                                           {"megafly:3,2,4,2,g=3", "megafly-minimal"},
                                           {"rail:6,5,3,pods=2,spines=5", "rail-local"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i][0]);
        struct cw_routes *routes;
        must(cw_engine_route(net, cases[i][1], 1, 1, &routes));
        struct cw_selection thirds = {.endpoints = zeros(net->n_endpoints, sizeof(uint32_t))};
        for (uint32_t v = 0; v < net->n_endpoints; v += 3) thirds.endpoints[thirds.n++] = v;
        uint32_t ends[] = {1, net->n_endpoints - 1};
        const struct cw_selection two = {.n = 2, .endpoints = ends};
        const struct cw_selection *const selections[] = {&thirds, &two};
        for (int k = 0; k < 2; k++) {
            struct cw_survey survey = {.selection = selections[k]};
            struct found found = walk_all(routes, selections[k]);
            struct cw_reach reach;
            if (cw_routes_can_survey(routes, &survey)) check_survey(routes, selections[k]);
            must(cw_routes_reach(routes, selections[k], 0, 2, &reach));
            assert_int_equal(reach.pairs, found.pairs);
            assert_int_equal(reach.reached, found.pairs);
            assert_int_equal(reach.minimal, found.minimal);
            assert_memory_equal(reach.histogram, found.histogram, sizeof found.histogram);
            cw_reach_free(&reach);
            cw_dependencies_free(&found.graph);
            free(found.load);
        }
        free(thirds.endpoints);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* Closed forms that can make tables by another rule give the routes of these. */
static void test_tables(void **state)
{
    (void)state;
    unsigned n = 0;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct cw_network *net = network_of(networks[i]);
        struct cw_routes *routes, *tables;
        must(cw_engine_route(net, NULL, 1, 1, &routes));
        assert_int_equal(cw_routes_kind(routes), CW_ROUTES_FORMULA);
        if (routes->formula->make_tables) {
            must(routes->formula->make_tables(routes->state, 2, &tables));
            assert_int_equal(cw_routes_kind(tables), CW_ROUTES_TABLE);
            assert_string_equal(cw_routes_name(tables), cw_routes_name(routes));
            assert_int_equal(cw_routes_max_hops(tables), cw_routes_max_hops(routes));
            struct all_routes a = all_routes_of(routes), b = all_routes_of(tables);
            assert_int_equal(a.n, b.n);
            assert_memory_equal(a.hops, b.hops, a.n * sizeof *a.hops);
            for (size_t k = 0; k < a.n; k++)
                assert_memory_equal(a.channels + k * a.stride, b.channels + k * b.stride,
                                    a.hops[k] * sizeof *a.channels);
            free_all_routes(&a);
            free_all_routes(&b);
            cw_routes_free(tables);
            n++;
        }
        cw_routes_free(routes);
        cw_network_free(net);
    }
    assert_int_equal(n, 7 + 8 + 8);
}

/* A quarter of a million endpoints, at once and not by a sample: the numbers of pairs by the level of their common
 * ancestor. */
static void test_large(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:3:64,64,64:1,32,32");
    struct cw_routes *routes;
    struct cw_reach reach;
    must(cw_engine_route(net, "dmodk", 1, 1, &routes));
    must(cw_routes_reach(routes, NULL, 1000, 1, &reach));
    const uint64_t n = 64 * 64 * 64;
    assert_false(reach.sampled);
    assert_int_equal(reach.pairs, n * (n - 1));
    assert_int_equal(reach.histogram[2], n * 63);
    assert_int_equal(reach.histogram[4], n * (64 * 64 - 64));
    assert_int_equal(reach.histogram[6], n * (n - 64 * 64));
    cw_reach_free(&reach);
    cw_routes_free(routes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
