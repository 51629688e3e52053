/* Continuous loads: every pattern of the registry draws what its shares say; each does what its formula says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/builder.h"
#include "topo/topology.h"
#include "traffic/workload.h"
#include "traffic_test_file.h"
#include "traffic_test_pattern.h"

#define WHOLE (UINT64_C(1) << 32)

static const struct cw_ranks dragonfly = {.n = 72, .per_group = 8, .h = 2}; /* dragonfly:2,4,2 */
static const struct cw_ranks partial = {.n = 69, .per_group = 8, .h = 2};   /* not all of its last group */
static const struct cw_ranks others = {.n = 36, .per_group = 1};
static const struct cw_ranks one_group = {.n = 8, .per_group = 8, .h = 2};
static const struct cw_ranks two = {.n = 2, .per_group = 1};
static const struct cw_ranks square = {.n = 64, .per_group = 8, .h = 2};
static const struct cw_ranks lonely = {.n = 1, .per_group = 1};

static struct cw_workload *workload_of(const char *spec, const struct cw_ranks *ranks, uint64_t seed)
{
    struct cw_workload *workload = NULL;
    if (cw_workload_new(spec, ranks, seed, &workload)) fail_msg("%s: %s", spec, cw_error_message());
    assert_string_equal(cw_workload_spec(workload), spec);
    assert_int_equal(cw_workload_ranks(workload), ranks->n);
    return workload;
}

/* SHARE[i · n + j]: how much of i's traffic goes to j. Each rank has shares of 1 together, or none. */
static double *shares_of(const struct cw_workload *workload)
{
    const uint32_t n = cw_workload_ranks(workload);
    struct cw_flows flows = {0};
    double *share = calloc((size_t)n * n, sizeof *share);
    uint64_t *sum = calloc(n, sizeof *sum);
    assert_true(share && sum);
    assert_int_equal(cw_workload_flows(workload, &flows), 0);
    for (size_t i = 0; i < flows.n; i++) {
        const struct cw_flow *flow = &flows.items[i];
        assert_true(flow->src < n && flow->dst < n && flow->bytes > 0);
        share[flow->src * n + flow->dst] += (double)flow->bytes / (double)WHOLE;
        sum[flow->src] += flow->bytes;
    }
    for (uint32_t i = 0; i < n; i++) assert_true(sum[i] == 0 || (sum[i] <= WHOLE && WHOLE - sum[i] <= n));
    free(sum);
    cw_flows_free(&flows);
    return share;
}

/* Draws MESSAGES of RANK and compares where they go with its SHARES among N: nowhere else, and by chi-square. */
static void check_rank(const struct cw_workload *workload, uint32_t rank, const double *share, uint32_t messages)
{
    const uint32_t n = cw_workload_ranks(workload);
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, rank);
    uint32_t *count = calloc(n, sizeof *count), receivers = 0;
    double chi = 0;
    assert_non_null(count);
    for (uint32_t i = 0; i < messages; i++) {
        const uint32_t to = cw_workload_destination(workload, rank, cw_random_u64(&random));
        assert_true(to < n);
        count[to]++;
    }
    for (uint32_t to = 0; to < n; to++) {
        const double expected = share[to] * messages;
        receivers += expected > 0;
        if (expected > 0) chi += (count[to] - expected) * (count[to] - expected) / expected;
        if (expected <= 0 && to != rank) assert_int_equal(count[to], 0);
    }
    if (receivers == 0) assert_int_equal(count[rank], messages); /* silent */
    if (receivers > 0 && share[rank] <= 0) assert_int_equal(count[rank], 0);
    const double freedom = receivers > 1 ? receivers - 1 : 0;
    /* About normal (Wilson and Hilferty), few degrees of freedom included. */
    const double spread = freedom > 0 ? 2 / (9 * freedom) : 1;
    if (freedom > 0 ? cbrt(chi / freedom) > 1 - spread + 4.5 * sqrt(spread) : chi > 1e-6)
        fail_msg("%s, rank %u: chi-square %g, %g degrees of freedom", cw_workload_spec(workload), rank, chi, freedom);
    free(count);
}

static void check_draws(const char *spec, const struct cw_ranks *ranks)
{
    struct cw_workload *workload = workload_of(spec, ranks, 3);
    double *share = shares_of(workload), all = 0;
    for (size_t i = 0; i < (size_t)ranks->n * ranks->n; i++) all += share[i];
    assert_true(all > 0);
    for (uint32_t rank = 0; rank < ranks->n; rank += rank % 5 + 1)
        check_rank(workload, rank, share + rank * ranks->n, 3000);
    free(share);
    cw_workload_free(workload);
}

/* Whether SPEC is defined among RANKS, which a refusal without a reason is not. */
static bool is_defined(const char *spec, const struct cw_ranks *ranks)
{
    struct cw_workload *workload = NULL;
    const int rc = cw_workload_new(spec, ranks, 3, &workload);
    cw_workload_free(workload);
    assert_true(rc == 0 || rc == CW_EUSAGE);
    return rc == 0;
}

static void test_every_pattern(void **state)
{
    (void)state;
    static const char lines[] = "0 1 10\n1 0 20\n0 1 30\n";
    const struct cw_ranks *const among[] = {&dragonfly, &partial, &others, &two, &square};
    char matrix[TEST_PATH_SIZE], spec[TEST_PATH_SIZE + 16];
    write_test_file(lines, sizeof lines - 1, matrix);
    for (const struct cw_pattern_kind *const *kind = cw_pattern_kinds; *kind; kind++) {
        uint32_t defined = 0;
        example_of(*kind, matrix, spec, sizeof spec);
        for (size_t i = 0; i < sizeof among / sizeof *among; i++) {
            if (!is_defined(spec, among[i])) continue;
            check_draws(spec, among[i]);
            defined++;
        }
        assert_true(defined > 0);
    }
    unlink(matrix);
}

/* SENT[i · n + j]: flows from i to j in all rounds of PATTERN among N, in TRIALS draws. */
static void count_flows(const struct cw_pattern *pattern, uint32_t n, uint32_t trials, double *sent)
{
    const uint32_t rounds = rounds_of(pattern, n);
    for (size_t i = 0; i < (size_t)n * n; i++) sent[i] = 0;
    for (uint32_t trial = 0; trial < trials; trial++)
        for (uint32_t round = 0; round < rounds; round++) {
            struct cw_flows flows = round_of(pattern, n, round, trial);
            for (size_t i = 0; i < flows.n; i++) sent[flows.items[i].src * n + flows.items[i].dst]++;
            cw_flows_free(&flows);
        }
}

/* The continuous load of a pattern that is no draw goes where its rounds go, in the same proportions; and a round of
 * one that draws for every message is a draw from its continuous load. */
static void test_rounds_and_loads_agree(void **state)
{
    (void)state;
    enum { N = 16, TRIALS = 3000 };
    static const struct cw_ranks ranks = {.n = N, .per_group = 4, .h = 1};
    static double sent[N * N];
    for (const struct cw_pattern_kind *const *kind = cw_pattern_kinds; *kind; kind++) {
        if ((*kind)->sized || ((*kind)->random && !(*kind)->destination)) continue;
        char spec[64];
        struct cw_pattern *pattern = NULL;
        example_of(*kind, "", spec, sizeof spec);
        assert_int_equal(cw_pattern_new(spec, &ranks, &pattern), 0);
        struct cw_workload *workload = workload_of(spec, &ranks, 1);
        double *share = shares_of(workload);
        count_flows(pattern, N, (*kind)->random ? TRIALS : 1, sent);
        for (uint32_t i = 0; i < N; i++) {
            double all = 0, chi = 0;
            for (uint32_t j = 0; j < N; j++) all += sent[i * N + j];
            for (uint32_t j = 0; j < N; j++) {
                const double expected = all * share[i * N + j], found = sent[i * N + j];
                if (!(*kind)->random) assert_true(fabs(found - expected) < 1e-6);
                if (expected <= 0) assert_true(found <= 0);
                if (expected > 0) chi += (found - expected) * (found - expected) / expected;
            }
            if (chi > 15 + 6 * sqrt(2 * 15.0)) fail_msg("%s, rank %u: chi-square %g", spec, i, chi);
        }
        free(share);
        cw_workload_free(workload);
        cw_pattern_free(pattern);
    }
}

static void test_parameters(void **state)
{
    (void)state;
    static const char *const specs[] = {"shift:1",
                                        "shift:3",
                                        "group-shift:groups=20",
                                        "halo:3x3x4,axis=z,direction=up",
                                        "halo",
                                        "halo:6x1x6,periodic",
                                        "halo:3x6x2,periodic=yes",
                                        "group-adversarial:4",
                                        "hotspot:3",
                                        "hotspot:36",
                                        "hotspot:1,share=1",
                                        "hotspot:5,share=0.75",
                                        "hotspot:2,share=0"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) check_draws(specs[i], &others);
    check_draws("group-shift:20", &dragonfly);
    check_draws("group-adversarial:7", &partial);
}

/* Each rank has one destination, or none: TO(i), with whatever random bits. */
static void check_fixed(const char *spec, const struct cw_ranks *ranks, uint32_t (*to)(uint32_t i, uint32_t n))
{
    static const uint64_t bits[] = {0, 1, UINT32_MAX, WHOLE, UINT64_MAX / 3, UINT64_MAX - 1, UINT64_MAX};
    struct cw_workload *workload = workload_of(spec, ranks, 1);
    for (uint32_t i = 0; i < ranks->n; i++)
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
            assert_int_equal(cw_workload_destination(workload, i, bits[b]), to(i, ranks->n));
    double *share = shares_of(workload);
    for (uint32_t i = 0; i < ranks->n; i++)
        if (to(i, ranks->n) != i) assert_true(share[i * ranks->n + to(i, ranks->n)] >= 1);
    free(share);
    cw_workload_free(workload);
}

static uint32_t complement(uint32_t i, uint32_t n)
{
    return n - i - 1;
}

static uint32_t default_shift(uint32_t i, uint32_t n)
{
    return (i + 3 * 8) % n;
}

static uint32_t five_groups(uint32_t i, uint32_t n)
{
    return (i + 5 * 8) % n;
}

static uint32_t five_ranks(uint32_t i, uint32_t n)
{
    return (i + 5) % n;
}

static uint32_t next_rank(uint32_t i, uint32_t n)
{
    return (i + 1) % n;
}

/* The third dimension of 3 x 4 x 6 and of the nearly cubic grid of 36 ranks, 3 x 3 x 4. */
static uint32_t up_by_12(uint32_t i, uint32_t n)
{
    return i + 12 < n ? i + 12 : i;
}

static uint32_t around_by_12(uint32_t i, uint32_t n)
{
    return (i + 12) % n;
}

static uint32_t up_by_9(uint32_t i, uint32_t n)
{
    return i + 9 < n ? i + 9 : i;
}

static void test_fixed(void **state)
{
    (void)state;
    check_fixed("bitcomp", &dragonfly, complement);
    check_fixed("bitcomp", &partial, complement); /* rank 34 is silent */
    check_fixed("group-shift", &dragonfly, default_shift);
    check_fixed("group-shift", &partial, default_shift);
    check_fixed("group-shift:5", &dragonfly, five_groups);
    check_fixed("shift:5", &others, five_ranks);
    check_fixed("shift", &others, next_rank);
    check_fixed("group-shift", &others, next_rank);
    check_fixed("group-adversarial", &others, next_rank);
    check_fixed("shift:5", &dragonfly, five_ranks);
    check_fixed("halo:3x4x6,axis=z,direction=up", &dragonfly, up_by_12);
    check_fixed("halo:3x4x6,axis=z,direction=up,periodic", &dragonfly, around_by_12);
    check_fixed("halo:axis=z,direction=up", &others, up_by_9);
}

/* A permutation, which is another with another seed. */
static void test_permutation(void **state)
{
    (void)state;
    enum { SEEDS = 50 };
    uint32_t first[72] = {0}, fixed = 0, changed = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct cw_workload *workload = workload_of("permutation", &dragonfly, seed);
        struct cw_workload *again = workload_of("permutation", &dragonfly, seed);
        bool reached[72] = {false};
        for (uint32_t i = 0; i < 72; i++) {
            const uint32_t to = cw_workload_destination(workload, i, seed * i);
            assert_int_equal(cw_workload_destination(again, i, ~seed), to);
            assert_false(reached[to]);
            reached[to] = true;
            fixed += to == i;
            changed += to != first[i];
            first[i] = to;
        }
        cw_workload_free(workload);
        cw_workload_free(again);
    }
    assert_true(fixed > SEEDS / 2 && fixed < 2 * SEEDS); /* one is expected of each */
    assert_true(changed > 69 * SEEDS);
}

/* All six neighbours of an inner rank in equal shares; at a corner three. */
static void test_neighbours(void **state)
{
    (void)state;
    static const struct cw_ranks ranks = {.n = 60, .per_group = 1};
    static const uint32_t near[] = {27, 29, 25, 31, 16, 40}; /* to rank 28, (1, 1, 2) */
    static const uint32_t around[] = {1, 2, 3, 9, 12, 48};
    struct cw_workload *workload = workload_of("halo:3x4x5", &ranks, 1);
    double *share = shares_of(workload);
    for (uint32_t d = 0; d < 6; d++) assert_true(fabs(share[28 * 60 + near[d]] - 1.0 / 6) < 1e-9);
    assert_true(fabs(share[1] - 1.0 / 3) < 1e-9 && fabs(share[3] - 1.0 / 3) < 1e-9 && fabs(share[12] - 1.0 / 3) < 1e-9);
    free(share);
    cw_workload_free(workload);
    workload = workload_of("halo:3x4x5,periodic", &ranks, 1);
    share = shares_of(workload);
    for (uint32_t d = 0; d < 6; d++) assert_true(fabs(share[around[d]] - 1.0 / 6) < 1e-9);
    free(share);
    cw_workload_free(workload);
}

/* 72 ranks: shares by hand. */
static void test_random_shares(void **state)
{
    (void)state;
    struct cw_workload *workload = workload_of("uniform", &dragonfly, 1);
    double *share = shares_of(workload);
    for (uint32_t i = 0; i < 72 * 72; i++) assert_true(fabs(share[i] - (i % 73 == 0 ? 0 : 1.0 / 71)) < 1e-8);
    free(share);
    cw_workload_free(workload);

    workload = workload_of("group-adversarial:2", &partial, 1);
    share = shares_of(workload);
    for (uint32_t i = 0; i < 69; i++)
        for (uint32_t j = 0; j < 69; j++) {
            const double expected = j / 8 != (i / 8 + 2) % 9 ? 0 : j / 8 == 8 ? 1.0 / 5 : 1.0 / 8;
            assert_true(fabs(share[i * 69 + j] - expected) < 1e-8);
        }
    free(share);
    cw_workload_free(workload);

    workload = workload_of("hotspot:3,share=0.5", &dragonfly, 1);
    share = shares_of(workload);
    assert_true(fabs(share[10 * 72 + 2] - (0.5 / 3 + 0.5 / 71)) < 1e-8);
    assert_true(fabs(share[10 * 72 + 3] - 0.5 / 71) < 1e-8);
    assert_true(fabs(share[1 * 72 + 2] - (0.5 / 2 + 0.5 / 71)) < 1e-8); /* one hot rank to another */
    free(share);
    cw_workload_free(workload);

    workload = workload_of("hotspot", &dragonfly, 1); /* one rank, a share of 0.2 */
    share = shares_of(workload);
    assert_true(fabs(share[5 * 72] - (0.2 + 0.8 / 71)) < 1e-8);
    assert_true(fabs(share[7] - 1.0 / 71) < 1e-8);
    free(share);
    cw_workload_free(workload);
}

/* The greatest and the least random bits choose the last and the first. */
static void test_ends(void **state)
{
    (void)state;
    struct cw_workload *workload = workload_of("uniform", &dragonfly, 1);
    assert_int_equal(cw_workload_destination(workload, 9, 0), 0);
    assert_int_equal(cw_workload_destination(workload, 0, 0), 1);
    assert_int_equal(cw_workload_destination(workload, 9, UINT64_MAX), 71);
    assert_int_equal(cw_workload_destination(workload, 71, UINT64_MAX), 70);
    cw_workload_free(workload);
    workload = workload_of("halo:3x3x4", &others, 1);
    assert_int_equal(cw_workload_destination(workload, 0, 0), 1);
    assert_int_equal(cw_workload_destination(workload, 0, UINT64_MAX), 9);
    assert_int_equal(cw_workload_destination(workload, 0, UINT64_MAX / 2), 3);
    cw_workload_free(workload);
}

static void test_ranks_of(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_ranks ranks;
    assert_int_equal(cw_topology_build("dragonfly:2,3,4,g=5", &net), 0);
    cw_ranks_of(net, 25, &ranks);
    assert_int_equal(ranks.n, 25);
    assert_int_equal(ranks.per_group, 6);
    assert_int_equal(ranks.h, 4);
    cw_network_free(net);
    assert_int_equal(cw_topology_build("torus:4x4", &net), 0);
    cw_ranks_of(net, 16, &ranks);
    assert_int_equal(ranks.n, 16);
    assert_int_equal(ranks.per_group, 1);
    assert_int_equal(ranks.h, 0);
    cw_network_free(net);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const struct cw_ranks *ranks;
        const char *words;
    } cases[] = {
        {"unifrom", &others, "unknown pattern 'unifrom'; did you mean uniform?"},
        {"gravity", &others, "expected one of permutation, derangement"},
        {"uniform:3", &others, "uniform"},
        {"bitcomp", &lonely, "at least 2 ranks, not 1"},
        {"group-shift:0", &others, "'groups'"},
        {"group-shift:36", &others, "shift by 36 groups of 1 among 36 ranks"},
        {"shift:36", &others, "shift by 36 among 36 ranks"},
        {"group-shift:9", &dragonfly, "shift by 9 groups of 8 among 72 ranks"},
        {"group-adversarial:9", &dragonfly, "9 groups on from each of 9 groups"},
        {"group-adversarial:18", &partial, "18 groups on from each of 9 groups"},
        {"group-adversarial", &one_group, "each of 1 groups"},
        {"group-adversarial:0", &dragonfly, "'groups'"},
        {"halo:3x3x3", &others, "27 places for 36 ranks"},
        {"halo:6x6x1,axis=z", &others, "nobody among 36 ranks sends to another"},
        {"halo:6x6x1,axis=z,periodic", &others, "nobody among 36 ranks sends to another"},
        {"halo:direction=near", &others, "'near'"},
        {"hotspot:37", &others, "37 hot ranks; there are 36"},
        {"hotspot:1,share=1.5", &others, "'share'"},
        {"matrix", &others, "file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_workload *workload = NULL;
        assert_int_equal(cw_workload_new(cases[i].spec, cases[i].ranks, 1, &workload), CW_EUSAGE);
        assert_null(workload);
        if (!strstr(cw_error_message(), cases[i].words)) fail_msg("%s: %s", cases[i].spec, cw_error_message());
    }
    cw_workload_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pattern), cmocka_unit_test(test_rounds_and_loads_agree),
        cmocka_unit_test(test_parameters),    cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_permutation),   cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_random_shares), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_ranks_of),      cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
