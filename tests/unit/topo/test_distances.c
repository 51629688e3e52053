/* Distances: formula, bit-parallel search and a plain search of every endpoint must agree. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/random.h"
#include "net/builder.h"
#include "topo/metrics.h"

/* One source at a time, one vertex at a time. */
static struct cw_distances plain_search(const struct cw_network *net)
{
    struct cw_distances out = {0};
    uint32_t *distance = calloc(net->n_vertices, sizeof *distance), *queue = calloc(net->n_vertices, sizeof *queue);
    double sum = 0, pairs = 0;
    for (uint32_t source = 0; source < net->n_endpoints; source++) {
        for (uint32_t v = 0; v < net->n_vertices; v++) distance[v] = CW_NONE;
        uint32_t head = 0, tail = 0;
        queue[tail++] = source;
        distance[source] = 0;
        while (head < tail) {
            const uint32_t v = queue[head++];
            if (v != source && cw_network_is_endpoint(net, v)) continue;
            for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) {
                const uint32_t u = net->head[c];
                if (distance[u] != CW_NONE) continue;
                distance[u] = distance[v] + 1;
                queue[tail++] = u;
            }
        }
        for (uint32_t e = 0; e < net->n_endpoints; e++) {
            if (e == source) continue;
            if (distance[e] == CW_NONE) {
                out.unreachable++;
                continue;
            }
            sum += distance[e];
            pairs++;
            if (distance[e] > out.diameter) out.diameter = distance[e];
        }
    }
    out.mean_distance = pairs > 0 ? sum / pairs : 0;
    free(distance);
    free(queue);
    return out;
}

static struct cw_distances search(const struct cw_network *net, unsigned n_threads)
{
    struct cw_distances out = {0};
    assert_int_equal(cw_network_distances_by_search(net, n_threads, 1, CW_DISTANCES_STEPS, &out), 0);
    assert_true(out.exact);
    return out;
}

static void assert_same(const char *what, const struct cw_distances *a, const struct cw_distances *b)
{
    if (a->diameter != b->diameter || a->unreachable != b->unreachable ||
        fabs(a->mean_distance - b->mean_distance) > 1e-9 * b->mean_distance)
        fail_msg("%s: diameter %u, mean %.12g, unreachable %llu; expected %u, %.12g, %llu", what, a->diameter,
                 a->mean_distance, (unsigned long long)a->unreachable, b->diameter, b->mean_distance,
                 (unsigned long long)b->unreachable);
}

/* Pairs by distance, each counted by a search from its first endpoint; any number of threads. */
static void check_counts(const struct cw_network *net, const struct cw_distances *plain)
{
    uint64_t *pairs, all = 0, steps = 0;
    uint32_t n;
    struct cw_distances found;
    assert_int_equal(cw_network_distance_counts(net, 3, 1, INFINITY, &pairs, &n, &found), 0);
    assert_same("counted", &found, plain);
    assert_int_equal(n, plain->diameter + 1);
    for (uint32_t d = 0; d < n; d++) {
        all += pairs[d];
        steps += d * pairs[d];
    }
    assert_int_equal(all, (uint64_t)net->n_endpoints * (net->n_endpoints - 1) - plain->unreachable);
    assert_true(fabs((double)steps - plain->mean_distance * (double)all) < 1e-6 * (double)steps + 1e-9);
    assert_true(n == 1 || pairs[n - 1] > 0);
    free(pairs);
}

static void check_spec(const char *spec)
{
    struct cw_network *net = build(spec);
    const struct cw_distances plain = plain_search(net), found = search(net, 2);
    struct cw_distances formula, either;
    assert_same(spec, &found, &plain);
    check_counts(net, &plain);
    const int rc = cw_network_distances_by_formula(net, &formula);
    if (rc == 0) assert_same(spec, &formula, &plain);
    assert_int_equal(cw_network_distances(net, 1, 1, &either), 0);
    assert_same(spec, &either, &plain);
    assert_true(rc == 0 ? either.sources == 0 : either.sources > 0);
    cw_network_free(net);
}

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; cw_topologies[i]; i++)
        for (size_t j = 0; cw_topologies[i]->examples[j]; j++) check_spec(cw_topologies[i]->examples[j]);
}

static void test_more_shapes(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "dragonfly:1,3,3",    "dragonfly:1,5,2", "dragonfly:3,2,3",    "dragonfly:1,2,2", "dragonfly:2,1,4",
        "dragonfly:1,6,1",    "dragonfly:1,4,4", "mesh:2x2x2x5",       "torus:7x6",       "torus:9",
        "xgft:3:1,3,1:1,1,2", "xgft:2:1,1:1,1",  "xgft:3:3,2,2:3,1,2", "torus:3x3x3",     "dragonfly:2,5,3,g=9"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_spec(specs[i]);
}

static void test_known_formulas(void **state)
{
    (void)state;
    static const char *const with[] = {"xgft:2:4,4:1,4", "torus:5x4",  "mesh:3x3",
                                       "hypercube:4",    "crossbar:9", "dragonfly:2,4,2"};
    struct cw_distances out;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        struct cw_network *net = build(with[i]);
        assert_int_equal(cw_network_distances_by_formula(net, &out), 0);
        cw_network_free(net);
    }
    struct cw_network *net = build("dragonfly:2,4,2,g=5");
    assert_int_equal(cw_network_distances_by_formula(net, &out), CW_EUSAGE);
    cw_network_free(net);
}

/* Random graphs: some endpoints with two ports, some cabled to each other, some to nothing; several components. */
static struct cw_network *random_network(uint64_t index)
{
    struct cw_random random = cw_random_of(7, CW_STREAM_TEST, index);
    const uint32_t n = 5 + cw_random_below(&random, 150), switches = 1 + cw_random_below(&random, 40);
    struct cw_builder *builder = cw_builder_new(n, switches, 0);
    for (uint32_t e = 0; e < n; e++) {
        const uint32_t kind = cw_random_below(&random, 10);
        for (uint32_t rail = 0; rail < (kind == 0 ? 0 : kind < 8 ? 1 : 2); rail++)
            cw_builder_cable(builder, e, 0, n + cw_random_below(&random, switches), 0, 1e9, 0);
        if (kind == 9 && e > 0) cw_builder_cable(builder, e, 0, cw_random_below(&random, e), 0, 1e9, 0);
    }
    const uint32_t cables = cw_random_below(&random, 2 * switches + 1);
    for (uint32_t i = 0; i < cables; i++) {
        const uint32_t a = cw_random_below(&random, switches), b = cw_random_below(&random, switches);
        if (a != b) cw_builder_cable(builder, n + a, 0, n + b, 0, 1e9, 0);
    }
    struct cw_network *net = NULL;
    if (cw_builder_finish(builder, &net) != 0) fail_msg("%s", cw_error_message());
    return net;
}

static void test_random_networks(void **state)
{
    (void)state;
    uint64_t unreachable = 0;
    for (uint64_t i = 0; i < 60; i++) {
        struct cw_network *net = random_network(i);
        const struct cw_distances plain = plain_search(net), found = search(net, 1);
        assert_same("a random network", &found, &plain);
        unreachable += plain.unreachable;
        cw_network_free(net);
    }
    assert_true(unreachable > 0);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    struct cw_network *net = build("torus:20x17");
    const struct cw_distances one = search(net, 1), four = search(net, 4);
    assert_memory_equal(&one.mean_distance, &four.mean_distance, sizeof one.mean_distance);
    assert_int_equal(one.diameter, four.diameter);
    assert_int_equal(one.sources, 340);
    cw_network_free(net);
}

/* A sample is said to be one, and is near: sums over 64 of 1600 sources, here all alike, even agree. */
static void test_sample(void **state)
{
    (void)state;
    struct cw_network *net = build("torus:40x40");
    const struct cw_distances all = search(net, 2);
    struct cw_distances sample, again;
    assert_int_equal(cw_network_distances_by_search(net, 2, 5, 1000, &sample), 0);
    assert_false(sample.exact);
    assert_int_equal(sample.sources, 64);
    assert_same("a sample of a torus", &sample, &all);
    cw_network_free(net);

    net = build("mesh:60x20");
    const struct cw_distances mesh = search(net, 2);
    assert_int_equal(cw_network_distances_by_search(net, 1, 5, 1000, &sample), 0);
    assert_int_equal(cw_network_distances_by_search(net, 3, 5, 1000, &again), 0);
    assert_same("the same sample", &again, &sample);
    assert_true(fabs(sample.mean_distance / mesh.mean_distance - 1) < 0.15);
    assert_true(sample.diameter <= mesh.diameter);
    cw_network_free(net);
}

/* Two endpoints cabled to a third have the same neighbours, but it forwards nothing. */
static void test_endpoints_forward_nothing(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(3, 0, 2);
    cw_builder_cable(builder, 0, 0, 2, 0, 1e9, 0);
    cw_builder_cable(builder, 1, 0, 2, 0, 1e9, 0);
    struct cw_network *net = NULL;
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    const struct cw_distances found = search(net, 1);
    assert_int_equal(found.diameter, 1);
    assert_int_equal(found.unreachable, 2);
    cw_network_free(net);
}

static void test_components(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(4, 3, 3);
    cw_builder_cable(builder, 0, 0, 4, 0, 1e9, 0);
    cw_builder_cable(builder, 1, 0, 4, 0, 1e9, 0);
    cw_builder_cable(builder, 2, 0, 5, 0, 1e9, 0);
    struct cw_network *net = NULL;
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(cw_components(net), 4); /* 0-4-1, 2-5, 3, 6 */
    const struct cw_distances found = search(net, 1);
    assert_int_equal(found.diameter, 2);
    assert_int_equal(found.unreachable, 10);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_more_shapes),
        cmocka_unit_test(test_known_formulas),
        cmocka_unit_test(test_random_networks),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_endpoints_forward_nothing),
        cmocka_unit_test(test_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
