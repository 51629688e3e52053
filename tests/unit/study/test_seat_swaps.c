/* Swaps of a job's endpoints: what is found is compared with every single change of it, and with what is known. */
#include "study/jobs/seat_swaps.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "topo/topology.h"

#define MOST 64 /* endpoints */

static const char two_leaves[] = "# crosswind edge list\n"
                                 "n0 a 100Gbit/s\nn1 a 100Gbit/s\nn2 a 100Gbit/s\nn3 a 100Gbit/s\n"
                                 "n4 b 100Gbit/s\nn5 b 100Gbit/s\nn6 b 100Gbit/s\nn7 b 100Gbit/s\n"
                                 "a b 10Gbit/s\n";

struct bench {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_jobs jobs;
    struct cw_flow_jobs_setup setup;
    struct cw_flow_jobs own;
    uint32_t n, endpoints[MOST]; /* of the last job */
    size_t swaps;
    double crowding;
};

/* NETWORK is a specification, or an edge list; jobs begin where contiguous has them. */
static void make(struct bench *bench, const char *network, const char *routing, const char *jobs)
{
    struct cw_flows matrix = {0};
    *bench = (struct bench){.swaps = 1000, .crowding = -1};
    const int rc = network[0] == '#' ? cw_network_parse("two leaves", network, strlen(network), &bench->net)
                                     : cw_topology_build(network, &bench->net);
    if (rc || cw_engine_route(bench->net, routing, 1, 1, &bench->routes)) fail_msg("%s", cw_error_message());
    if (cw_jobs_parse(jobs, "contiguous", bench->net->n_endpoints, bench->net, &bench->jobs))
        fail_msg("%s", cw_error_message());
    bench->setup = (struct cw_flow_jobs_setup){
        .routes = bench->routes, .jobs = &bench->jobs, .trials = 1, .seed = 1, .n_threads = 1};
    assert_int_equal(cw_flow_jobs_run(&bench->setup, &bench->own), 0);
    bench->n = bench->jobs.items[bench->jobs.n - 1].ranks;
    assert_int_equal(cw_flow_jobs_matrix(&bench->setup, 0, bench->jobs.n - 1, 1, &matrix, bench->endpoints), 0);
    cw_flows_free(&matrix);
}

static int swap(struct bench *bench)
{
    return cw_seats_swap(&bench->setup, &bench->own, bench->endpoints, &bench->swaps, &bench->crowding);
}

static void free_bench(struct bench *bench)
{
    cw_flow_jobs_free(&bench->own);
    cw_jobs_free(&bench->jobs);
    cw_routes_free(bench->routes);
    cw_network_free(bench->net);
}

static void add_path(const struct bench *bench, uint32_t src, uint32_t dst, double bytes, double *channels)
{
    uint32_t hops, path[MOST];
    assert_int_equal(cw_routes_paths(bench->routes, 1, &src, &dst, &hops, path, NULL), 0);
    for (uint32_t i = 0; i < hops; i++) channels[path[i]] += bytes;
}

/* Σ (bytes / capacity)² with the last job on ENDPOINTS, all of its messages from the first to the last. */
static double crowding_on(const struct bench *bench, const uint32_t *endpoints)
{
    double *channels = calloc(bench->net->n_channels, sizeof *channels), sum = 0;
    const size_t last = bench->jobs.n - 1;
    const double time = cw_flow_jobs_time(&bench->own, 0, last);
    for (size_t j = 0; j <= last; j++) {
        struct cw_flows matrix = {0};
        uint32_t own[MOST];
        const bool ends = cw_job_ends(&bench->jobs.items[j]);
        const double share = ends ? fmin(1, time / cw_flow_jobs_time(&bench->own, 0, j)) : 1;
        assert_int_equal(cw_flow_jobs_matrix(&bench->setup, 0, j, time, &matrix, own), 0);
        for (size_t i = 0; i < matrix.n; i++) {
            const uint32_t *at = j == last ? endpoints : own;
            add_path(bench, at[matrix.items[i].src], at[matrix.items[i].dst],
                     floor(share * (double)matrix.items[i].bytes), channels);
        }
        cw_flows_free(&matrix);
    }
    for (uint32_t c = 0; c < bench->net->n_channels; c++)
        if (channels[c] > 0) sum += pow(channels[c] / bench->net->capacity[c], 2);
    free(channels);
    return sum;
}

/* The endpoints that other jobs have. */
static void mark_others(const struct bench *bench, bool used[MOST])
{
    for (size_t j = 0; j + 1 < bench->jobs.n; j++) {
        struct cw_flows matrix = {0};
        uint32_t endpoints[MOST];
        assert_int_equal(cw_flow_jobs_matrix(&bench->setup, 0, j, 1, &matrix, endpoints), 0);
        for (uint32_t r = 0; r < bench->jobs.items[j].ranks; r++) used[endpoints[r]] = true;
        cw_flows_free(&matrix);
    }
}

/* No rank is better off on an endpoint that nobody has, and no two on each other's. */
static void check_no_change_is_better(const struct bench *bench)
{
    bool used[MOST] = {false};
    uint32_t other[MOST];
    mark_others(bench, used);
    for (uint32_t r = 0; r < bench->n; r++) {
        assert_false(used[bench->endpoints[r]]); /* each once, and none that others have */
        used[bench->endpoints[r]] = true;
    }
    const double least = crowding_on(bench, bench->endpoints);
    assert_true(fabs(bench->crowding - least) <= 1e-9 * least);
    for (uint32_t r = 0; r < bench->n; r++) {
        for (uint32_t e = 0; e < bench->net->n_endpoints; e++) {
            memcpy(other, bench->endpoints, bench->n * sizeof *other);
            uint32_t sits = 0;
            while (sits < bench->n && other[sits] != e) sits++;
            if (sits == r || (sits == bench->n && used[e])) continue;
            if (sits < bench->n) other[sits] = other[r];
            other[r] = e;
            if (crowding_on(bench, other) < least * (1 - 1e-9))
                fail_msg("rank %u is better on endpoint %u: %g, %g", r, e, crowding_on(bench, other), least);
        }
    }
}

/* Ranks 0 and 2 send to each other, and 1 and 3: two of them change places, and nothing is on the trunk any more. */
static void test_one_swap(void **state)
{
    (void)state;
    struct bench bench;
    make(&bench, two_leaves, NULL, "bcast hosts=n0,n1,n4 bytes=1KB; shift:2 ranks=4 bytes=12500000");
    assert_true(cw_flow_jobs_time(&bench.own, 0, 1) > 19e-3); /* two messages of 10 ms each way */
    assert_int_equal(swap(&bench), 0);
    assert_true(bench.swaps >= 1);
    assert_true((bench.endpoints[0] < 4) == (bench.endpoints[2] < 4));
    assert_true((bench.endpoints[1] < 4) == (bench.endpoints[3] < 4));
    check_no_change_is_better(&bench);
    const double before = bench.crowding;
    assert_int_equal(swap(&bench), 0);
    assert_int_equal(bench.swaps, 0); /* it is found once */
    assert_true(bench.crowding == before);
    free_bench(&bench);
}

/* A neighbour that never ends is on the trunk for as long as the job takes; one that takes longer, for its share. */
static void test_others_count(void **state)
{
    (void)state;
    static const char *const jobs[] = {
        "shift:1 load=0.25 hosts=n0,n1,n4; shift:1 ranks=5 bytes=12500000",
        "shift:1 hosts=n0,n1,n4 bytes=500000000; shift:1 ranks=4 bytes=1250000",
        "bcast hosts=n0,n1 bytes=1KB; alltoall hosts=n4,n2 bytes=10MB; ring-allreduce ranks=3 bytes=1MB",
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct bench bench;
        make(&bench, two_leaves, NULL, jobs[i]);
        assert_int_equal(swap(&bench), 0);
        check_no_change_is_better(&bench);
        free_bench(&bench);
    }
}

/* 0.25 of 100 Gbit/s for 2 s, each rank. */
static void test_matrix_of_endless(void **state)
{
    (void)state;
    struct bench bench;
    struct cw_flows matrix = {0};
    uint32_t endpoints[MOST];
    make(&bench, two_leaves, NULL, "shift:1 load=0.25 hosts=n0,n1,n4; shift:1 ranks=2 bytes=1KB");
    assert_int_equal(cw_flow_jobs_matrix(&bench.setup, 0, 0, 2, &matrix, endpoints), 0);
    assert_int_equal(matrix.n, 3);
    for (size_t i = 0; i < matrix.n; i++) {
        assert_int_equal(matrix.items[i].bytes, 6250000000);
        assert_int_equal(matrix.items[i].dst, (matrix.items[i].src + 1) % 3);
    }
    assert_true(endpoints[0] == 0 && endpoints[1] == 1 && endpoints[2] == 4);
    cw_flows_free(&matrix);
    free_bench(&bench);
}

static void test_no_change_is_better(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"torus:4x4", "alltoall hosts=h[0,3,9] bytes=64KB; halo:2x4 ranks=8 bytes=1MB"},
        {"jellyfish:8,6,3", "ring-allreduce ranks=6 bytes=1MB; recursive-doubling ranks=8 bytes=1MB"},
        {"dragonfly:1,2,1", "alltoall ranks=4 bytes=1MB"},
        {"xgft:2:4,4:1,2", "alltoall hosts=h[0-2,9] bytes=1MB; ring-allreduce ranks=7 bytes=1MB"},
    };
    size_t swaps = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        make(&bench, cases[i][0], NULL, cases[i][1]);
        assert_int_equal(swap(&bench), 0);
        check_no_change_is_better(&bench);
        swaps += bench.swaps;
        free_bench(&bench);
    }
    assert_true(swaps > 0);
}

/* More flows of a rank than are routed together. */
static void test_many_flows(void **state)
{
    (void)state;
    struct bench bench;
    make(&bench, "torus:7x7", NULL, "alltoall ranks=40 bytes=64KB");
    const double before = crowding_on(&bench, bench.endpoints);
    assert_int_equal(swap(&bench), 0);
    assert_true(bench.swaps > 0 && bench.crowding < before);
    const double after = crowding_on(&bench, bench.endpoints);
    assert_true(fabs(bench.crowding - after) <= 1e-9 * after);
    free_bench(&bench);
}

/* Only endpoints that may run jobs. */
static void test_selection(void **state)
{
    (void)state;
    struct bench bench;
    struct cw_selection *selection;
    make(&bench, two_leaves, NULL, "ring-allreduce hosts=n0 bytes=1KB; shift:2 ranks=4 bytes=12500000");
    assert_int_equal(cw_selection_new(bench.net, "n0,n1,n2,n3,n7", &selection), 0);
    bench.setup.selection = selection;
    memcpy(bench.endpoints, (uint32_t[]){1, 2, 3, 7}, 4 * sizeof *bench.endpoints);
    assert_int_equal(swap(&bench), 0);
    uint32_t sum = 0;
    for (int r = 0; r < 4; r++) sum += bench.endpoints[r];
    assert_int_equal(sum, 1 + 2 + 3 + 7);
    cw_selection_free(selection);
    free_bench(&bench);
}

static void test_none_is_looked_for(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"torus:4x4", NULL, "alltoall ranks=3 bytes=1KB; bcast hosts=h[9,3,5] bytes=1MB"},
        {"torus:4x4", NULL, "alltoall ranks=3 bytes=1KB placement=random; bcast ranks=3 bytes=1MB"},
        {"dragonfly:1,2,1", "valiant-any", "alltoall ranks=3 bytes=1KB; bcast ranks=3 bytes=1MB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        uint32_t before[MOST];
        make(&bench, cases[i][0], cases[i][1], cases[i][2]);
        memcpy(before, bench.endpoints, sizeof before);
        assert_int_equal(swap(&bench), 0);
        assert_true(bench.swaps == 1000 && bench.crowding == -1); /* nothing is set */
        assert_memory_equal(before, bench.endpoints, sizeof before);
        free_bench(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_swap),           cmocka_unit_test(test_others_count),
        cmocka_unit_test(test_matrix_of_endless),  cmocka_unit_test(test_no_change_is_better),
        cmocka_unit_test(test_many_flows),         cmocka_unit_test(test_selection),
        cmocka_unit_test(test_none_is_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
