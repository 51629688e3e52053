/* Pricing against Bellman and Ford's algorithm, whatever the lengths, and the bound it proves. */
#include "method_test.h"

#include "flow/pricing/path_search.h"
#include "flow/pricing/pricing.h"
#include "net/network_internal.h"

/* --- distances ---------------------------------------------------------------------------------------------------- */

/* From SRC to all, by relaxing every channel until nothing changes. Endpoints forward nothing. */
static void relax_all(const struct cw_flow_problem *problem, const double *length, uint32_t src, double *distance)
{
    const struct cw_network *net = problem->net;
    for (uint32_t v = 0; v < net->n_vertices; v++) distance[v] = INFINITY;
    distance[src] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const uint32_t tail = net->tail[c];
            if (!(problem->capacity[c] > 0) || (cw_network_is_endpoint(net, tail) && tail != src)) continue;
            const double through = distance[tail] + length[c];
            if (through >= distance[net->head[c]]) continue;
            distance[net->head[c]] = through;
            changed = true;
        }
    }
}

static void same_distance(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fmax(a, b))) fail_msg("distance %.17g, not %.17g", a, b);
}

/* Path I of a demand is a path of its own, over channels that exist, through no vertex twice; its length. */
static double check_way(const struct scene *scene, const struct cw_pricing *pricing, size_t d, uint32_t i_path,
                        const double *length)
{
    const struct cw_network *net = scene->net;
    const struct cw_demand *demand = &scene->demands.items[d];
    uint32_t n, at = demand->src;
    double sum = 0;
    const uint32_t *path = cw_pricing_path(pricing, d, i_path, &n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++) assert_true(net->head[path[j]] != net->head[path[i]]);
        assert_int_equal(net->tail[path[i]], at);
        assert_true(scene->problem.capacity[path[i]] > 0);
        assert_true(i == 0 || !cw_network_is_endpoint(net, at));
        at = net->head[path[i]];
        sum += length[path[i]];
    }
    assert_int_equal(at, demand->dst);
    return sum;
}

/* The first path is as long as the distance. */
static void check_path(const struct scene *scene, const struct cw_pricing *pricing, size_t d, const double *length)
{
    same_distance(check_way(scene, pricing, d, 0, length), cw_pricing_distance(pricing, d));
}

static void check_all(const struct scene *scene, struct cw_pricing *pricing, const double *length)
{
    double *distance = zeros(scene->net->n_vertices, sizeof *distance);
    must(cw_pricing_run(pricing, length));
    for (size_t d = 0; d < scene->demands.n; d++) {
        relax_all(&scene->problem, length, scene->demands.items[d].src, distance);
        same_distance(cw_pricing_distance(pricing, d), distance[scene->demands.items[d].dst]);
        check_path(scene, pricing, d, length);
    }
    free(distance);
}

/* Lengths of several kinds: all 0; all alike; uniform; mostly 0; over twelve orders of magnitude. */
static double draw(struct cw_random *random, int kind)
{
    const double unit = cw_random_unit(random);
    switch (kind) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return unit;
    case 3:
        return unit < 0.9 ? 0 : unit;
    default:
        return exp(28 * (unit - 1));
    }
}

static void against_relaxation(void **state)
{
    (void)state;
    static const char *const patterns[] = {"aggregation:3", "alltoall", "overlap:2x8,1"}; /* searches from either end */
    for (size_t p = 0; p < 3; p++) {
        struct scene *scene = scene_of(p == 1 ? "xgft:2:3,3:1,2:1,2" : "torus:4x4", patterns[p], NULL, 1);
        double *length = zeros(scene->net->n_channels, sizeof *length);
        struct cw_pricing *pricing = NULL;
        must(cw_pricing_make(&scene->problem, NULL, 1 + (unsigned)p, &pricing));
        for (int kind = 0; kind < 5; kind++) {
            struct cw_random random = cw_random_of(3, CW_STREAM_TEST, (uint64_t)kind);
            for (uint32_t c = 0; c < scene->net->n_channels; c++)
                if (isfinite(scene->problem.capacity[c])) length[c] = draw(&random, kind);
            check_all(scene, pricing, length);
        }
        cw_pricing_free(pricing);
        free(length);
        scene_free(scene);
    }
}

/* Endpoints on two switches, parallel cables, uneven lengths. */
static void on_random_networks(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 10; trial++) {
        struct scene *scene = scene_random(trial, 9, 20, 1);
        struct cw_random random = cw_random_of(4, CW_STREAM_TEST, trial);
        double *length = zeros(scene->net->n_channels, sizeof *length);
        struct cw_pricing *pricing = NULL;
        for (uint32_t c = 0; c < scene->net->n_channels; c++) length[c] = draw(&random, 2 + (int)(trial % 3));
        must(cw_pricing_make(&scene->problem, NULL, 2, &pricing));
        check_all(scene, pricing, length);
        cw_pricing_free(pricing);
        free(length);
        scene_free(scene);
    }
}

/* The width of buckets decides how long a search takes, not what it finds: one bucket for all, one for each vertex, or
 * far more than there are, so that the last is spread again and again. */
static void any_width_of_buckets(void **state)
{
    (void)state;
    static const double widths[] = {1e9, 1, 1e-2, 1e-6, 1e-12};
    struct scene *scene = scene_of("torus:6x6", "permutation", NULL, 1);
    const struct cw_network *net = scene->net;
    struct cw_random random = cw_random_of(6, CW_STREAM_TEST, 0);
    double *length = zeros(net->n_channels, sizeof *length), *expected = zeros(net->n_vertices, sizeof *expected);
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (isfinite(scene->problem.capacity[c])) length[c] = cw_random_unit(&random);
    relax_all(&scene->problem, length, 0, expected);
    struct cw_path_search search;
    must(cw_path_search_make(&scene->problem, false, &search));
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        cw_path_search_set(&search, length);
        cw_path_search_begin(&search);
        for (uint32_t e = 1; e < net->n_endpoints; e++) cw_path_search_want(&search, e);
        cw_path_search_run(&search, cw_path_search_root(&scene->problem, 0), widths[w]);
        for (uint32_t e = 1; e < net->n_endpoints; e++) {
            uint32_t channel = CW_NONE;
            same_distance(cw_path_search_distance(&search, e, length, &channel), expected[e]);
        }
    }
    cw_path_search_free(&search);
    free(length);
    free(expected);
    scene_free(scene);
}

/* In a large network, each demand gets further paths, nearly as short, and most of them are others. */
static void further_paths(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct scene *scene =
            scene_of("torus:8x8x16", kind ? "shift:by=100" : "hotspot", NULL, 1); /* from sources; to one */
        struct cw_random random = cw_random_of(9, CW_STREAM_TEST, (uint64_t)kind);
        double *length = zeros(scene->net->n_channels, sizeof *length);
        for (uint32_t c = 0; c < scene->net->n_channels; c++)
            if (isfinite(scene->problem.capacity[c]))
                length[c] = kind ? 1 + 0.1 * cw_random_unit(&random) : pow(100, cw_random_unit(&random));
        struct cw_pricing *pricing = NULL;
        size_t others = 0, all = 0;
        must(cw_pricing_make(&scene->problem, NULL, 2, &pricing));
        must(cw_pricing_run(pricing, length));
        for (size_t d = 0; d < scene->demands.n; d++) {
            uint32_t n, m;
            check_path(scene, pricing, d, length);
            const uint32_t *path = cw_pricing_path(pricing, d, 0, &n);
            for (uint32_t i = 1; i < cw_pricing_n_paths(pricing, d); i++) {
                const uint32_t *other = cw_pricing_path(pricing, d, i, &m);
                assert_true(check_way(scene, pricing, d, i, length) <= 1.3001 * cw_pricing_distance(pricing, d));
                others += m != n || memcmp(path, other, n * sizeof *path) != 0;
                all++;
            }
        }
        assert_true(all >= 3 * scene->demands.n && others > all / (kind ? 2 : 4));
        cw_pricing_free(pricing);
        free(length);
        scene_free(scene);
    }
}

/* The parts of a large network's demands are all of them, each once; a part finds the distances that the whole does,
 * and says nothing of the others. A small network has one part, which is the whole. */
static void priced_in_parts(void **state)
{
    (void)state;
    struct scene *large = scene_of("mesh:8x8x16", "shift:by=100", NULL, 1),
                 *small = scene_of("torus:4", "ring", NULL, 1);
    struct cw_random random = cw_random_of(9, CW_STREAM_TEST, 7);
    const size_t n = large->demands.n;
    double *length = zeros(large->net->n_channels, sizeof *length), *distance = zeros(n, sizeof *distance);
    uint32_t *priced = zeros(n, sizeof *priced);
    struct cw_pricing *pricing = NULL;
    for (uint32_t c = 0; c < large->net->n_channels; c++)
        if (isfinite(large->problem.capacity[c])) length[c] = 1 + cw_random_unit(&random);
    must(cw_pricing_make(&small->problem, NULL, 1, &pricing));
    assert_int_equal(cw_pricing_parts(pricing), 1);
    must(cw_pricing_run_part(pricing, length, 0));
    for (size_t d = 0; d < small->demands.n; d++) assert_int_equal(cw_pricing_n_paths(pricing, d), 1);
    cw_pricing_free(pricing);
    must(cw_pricing_make(&large->problem, NULL, 2, &pricing));
    must(cw_pricing_run(pricing, length));
    for (size_t d = 0; d < n; d++) distance[d] = cw_pricing_distance(pricing, d);
    must(cw_pricing_measure(pricing, length));
    for (size_t d = 0; d < n; d++) {
        assert_true(cw_pricing_distance(pricing, d) == distance[d]);
        assert_int_equal(cw_pricing_n_paths(pricing, d), 0);
    }
    assert_true(cw_pricing_parts(pricing) > 1);
    for (uint32_t part = 0; part < cw_pricing_parts(pricing); part++) {
        size_t before = 0;
        must(cw_pricing_run_part(pricing, length, part));
        for (size_t d = 0; d < n; d++) {
            before += priced[d];
            if (cw_pricing_n_paths(pricing, d) == 0) continue;
            priced[d]++;
            check_path(large, pricing, d, length);
            assert_true(cw_pricing_distance(pricing, d) == distance[d]);
        }
        assert_true(before == (size_t)part * n / cw_pricing_parts(pricing));
    }
    for (size_t d = 0; d < n; d++) assert_int_equal(priced[d], 1);
    cw_pricing_free(pricing);
    free(length);
    free(distance);
    free(priced);
    scene_free(large);
    scene_free(small);
}

/* --- bound and given paths ---------------------------------------------------------------------------------------- */

/* Equal lengths: all channels together carry what there is, so z ≤ capacity / Σ shortest distances. */
static void the_bound_by_hand(void **state)
{
    (void)state;
    struct scene *scene = scene_of("torus:4", "alltoall", NULL, 4);
    double *length = zeros(scene->net->n_channels, sizeof *length);
    struct cw_pricing *all = NULL, *given = NULL;
    for (uint32_t c = 0; c < scene->net->n_channels; c++) length[c] = isfinite(scene->problem.capacity[c]);
    must(cw_pricing_make(&scene->problem, NULL, 1, &all));
    must(cw_pricing_make(&scene->problem, &scene->paths, 1, &given));
    must(cw_pricing_run(all, length));
    must(cw_pricing_run(given, length));
    assert_digits(cw_pricing_bound(all, length), 8.0 / (4 * (1 + 2 + 1)), 12, "8 channels, 16 hops");
    assert_true(cw_pricing_bound(all, length) == cw_pricing_bound(given, length));
    for (uint32_t c = 0; c < scene->net->n_channels; c++) length[c] = 0;
    must(cw_pricing_run(all, length));
    assert_true(isinf(cw_pricing_bound(all, length)));
    cw_pricing_free(all);
    cw_pricing_free(given);
    free(length);
    scene_free(scene);
}

/* Among given paths the first of the shortest is taken, and nothing is shorter than among all paths. */
static void among_given_paths(void **state)
{
    (void)state;
    struct scene *scene = scene_random(3, 8, 16, 5);
    struct cw_random random = cw_random_of(8, CW_STREAM_TEST, 0);
    double *length = zeros(scene->net->n_channels, sizeof *length);
    struct cw_pricing *all = NULL, *given = NULL;
    for (uint32_t c = 0; c < scene->net->n_channels; c++) length[c] = cw_random_unit(&random);
    must(cw_pricing_make(&scene->problem, NULL, 1, &all));
    must(cw_pricing_make(&scene->problem, &scene->paths, 1, &given));
    must(cw_pricing_run(all, length));
    must(cw_pricing_run(given, length));
    for (size_t d = 0; d < scene->demands.n; d++) {
        double least = INFINITY;
        for (size_t p = scene->paths.first[d]; p < scene->paths.first[d + 1]; p++) {
            double sum = 0;
            for (size_t i = scene->paths.begin[p]; i < scene->paths.begin[p + 1]; i++)
                sum += length[scene->paths.channel[i]];
            least = fmin(least, sum);
        }
        same_distance(cw_pricing_distance(given, d), least);
        assert_true(cw_pricing_distance(all, d) <= least * (1 + 1e-12));
        check_path(scene, given, d, length);
    }
    cw_pricing_free(all);
    cw_pricing_free(given);
    free(length);
    scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_relaxation),   cmocka_unit_test(on_random_networks),
                                       cmocka_unit_test(any_width_of_buckets), cmocka_unit_test(further_paths),
                                       cmocka_unit_test(priced_in_parts),      cmocka_unit_test(the_bound_by_hand),
                                       cmocka_unit_test(among_given_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
