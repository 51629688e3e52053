/* The lengths of the k shortest paths against those of igraph's implementation of Yen's algorithm, on Blue Gene/Q. */
#include <igraph.h>

#include "k_paths_test.h"
#include "net/network_internal.h"

#define K     50
#define PAIRS 30

/* Every channel between switches is an edge from one node to another; vertex i is node i. */
static igraph_t graph_of(const struct cw_network *net)
{
    igraph_vector_int_t edges;
    igraph_t graph;
    assert_int_equal(igraph_vector_int_init(&edges, 0), IGRAPH_SUCCESS);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        if (net->tail[c] < net->n_endpoints || net->head[c] < net->n_endpoints) continue;
        assert_int_equal(igraph_vector_int_push_back(&edges, net->tail[c] - net->n_endpoints), IGRAPH_SUCCESS);
        assert_int_equal(igraph_vector_int_push_back(&edges, net->head[c] - net->n_endpoints), IGRAPH_SUCCESS);
    }
    assert_int_equal(igraph_create(&graph, &edges, net->n_endpoints, IGRAPH_DIRECTED), IGRAPH_SUCCESS);
    igraph_vector_int_destroy(&edges);
    return graph;
}

static void compare_lengths(const igraph_t *graph, const struct cw_demand *demand, const struct cw_k_paths *paths,
                            size_t d)
{
    igraph_vector_int_list_t expected;
    assert_int_equal(igraph_vector_int_list_init(&expected, 0), IGRAPH_SUCCESS);
    assert_int_equal(igraph_get_k_shortest_paths(graph, NULL, NULL, &expected, K, demand->src, demand->dst, IGRAPH_OUT),
                     IGRAPH_SUCCESS);
    assert_int_equal(igraph_vector_int_list_size(&expected), K);
    assert_int_equal(paths->first[d + 1] - paths->first[d], K);
    for (size_t i = 0; i < K; i++) {
        const igraph_vector_int_t *edges = igraph_vector_int_list_get_ptr(&expected, (igraph_integer_t)i);
        assert_int_equal(length_of(paths, paths->first[d] + i), igraph_vector_int_size(edges) + 2);
    }
    igraph_vector_int_list_destroy(&expected);
}

/* Pairs close by, which need paths longer than their shortest, and pairs anywhere. */
static void compare_partition(const char *spec, enum cw_ties ties)
{
    struct test_problem test;
    struct cw_random random = cw_random_of(3, CW_STREAM_TEST, 0);
    open_topology(spec, false, false, &test);
    for (uint32_t bit = 0; bit < 5; bit++) add_demand(&test.demands, 511, 511 ^ 1u << bit);
    while (test.demands.n < PAIRS / 2) {
        const uint32_t src = cw_random_below(&random, 512), dst = cw_random_below(&random, 512);
        if (src != dst) add_demand(&test.demands, src, dst);
    }
    igraph_t graph = graph_of(test.net);
    struct cw_k_paths paths = find(&test, K, ties, 0, 1);
    for (size_t d = 0; d < test.demands.n; d++) compare_lengths(&graph, &test.demands.items[d], &paths, d);
    cw_k_paths_free(&paths);
    igraph_destroy(&graph);
    close_problem(&test);
}

static void one_cable_in_dimension_e(void **state)
{
    (void)state;
    compare_partition("bgq:512,merge2", CW_TIES_PLAIN);
}

static void two_cables_in_dimension_e(void **state)
{
    (void)state;
    compare_partition("bgq:512", CW_TIES_DISJOINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cable_in_dimension_e),
        cmocka_unit_test(two_cables_in_dimension_e),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
