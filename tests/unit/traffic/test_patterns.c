/* Every registered pattern for every small number of ranks, then what each one promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "traffic/pattern.h"
#include "traffic/schedule.h"
#include "traffic_test_file.h"
#include "traffic_test_pattern.h"

/* Round 0 of SPEC. */
static struct cw_flows flows_of(const char *spec, uint32_t n, uint64_t index)
{
    struct cw_pattern *pattern = new_pattern(spec);
    struct cw_flows flows = round_of(pattern, n, 0, index);
    cw_pattern_free(pattern);
    return flows;
}

/* Checks the rounds of PATTERN among N ranks: flows in range, appended, reproducible, no generator but where promised.
 */
static void check_rounds(const struct cw_pattern *pattern, uint32_t n, uint32_t rounds, bool own_sizes)
{
    assert_true(rounds >= 1);
    for (uint32_t round = 0; round < rounds; round++) {
        struct cw_flows once = round_of(pattern, n, round, n), again = round_of(pattern, n, round, n);
        assert_true(same_flows(&once, &again));
        for (size_t i = 0; i < once.n; i++) {
            assert_true(once.items[i].src < n && once.items[i].dst < n);
            assert_true(once.items[i].src != once.items[i].dst);
            if (!own_sizes) assert_int_equal(once.items[i].bytes, BYTES);
        }
        struct cw_random random = stream(n);
        struct cw_random *given = cw_pattern_is_random(pattern) ? &random : NULL;
        assert_int_equal(cw_pattern_append(pattern, n, round, BYTES, given, &again), 0);
        assert_int_equal(again.n, 2 * once.n);
        if (once.n > 0) assert_memory_equal(again.items + once.n, again.items, once.n * sizeof *once.items);
        cw_flows_free(&once);
        cw_flows_free(&again);
    }
    struct cw_flows none = {0};
    struct cw_random random = stream(0);
    assert_int_equal(cw_pattern_append(pattern, n, rounds, BYTES, &random, &none), CW_EUSAGE);
    assert_int_equal(none.n, 0);
}

static void test_every_pattern(void **state)
{
    (void)state;
    static const char lines[] = "0 1 10\n1 2 20\n2 0 30\n";
    char matrix[TEST_PATH_SIZE];
    write_test_file(lines, sizeof lines - 1, matrix);
    for (const struct cw_pattern_kind *const *kind = cw_pattern_kinds; *kind; kind++) {
        assert_non_null((*kind)->help);
        char spec[TEST_PATH_SIZE + 16];
        example_of(*kind, matrix, spec, sizeof spec);
        struct cw_pattern *pattern = new_pattern(spec);
        assert_int_equal(cw_pattern_is_random(pattern), (*kind)->random);
        uint32_t defined = 0, rounds = 77;
        assert_int_equal(cw_pattern_rounds(pattern, 0, &rounds), CW_EUSAGE);
        assert_int_equal(cw_pattern_rounds(pattern, 1, &rounds), CW_EUSAGE);
        assert_int_equal(rounds, 77);
        for (uint32_t n = 2; n <= MAX_RANKS; n++) {
            const int rc = cw_pattern_rounds(pattern, n, &rounds);
            assert_true(rc == 0 || rc == CW_EUSAGE);
            if (rc) continue;
            check_rounds(pattern, n, rounds, (*kind)->sized);
            defined++;
        }
        assert_true(defined > 0);
        cw_pattern_free(pattern);
    }
    unlink(matrix);
}

/* Every schedule is a pattern: what its ranks give and take are the bytes that the collective must move. */
static void test_collectives(void **state)
{
    (void)state;
    for (const struct cw_schedule_kind *const *kind = cw_schedule_kinds; *kind; kind++) {
        const struct cw_collective_traits *traits = &cw_collectives[(*kind)->result];
        if (traits->no_data) continue;
        char spec[64];
        snprintf(spec, sizeof spec, "collective:%s,bytes=7KiB", (*kind)->name);
        struct cw_pattern *pattern = new_pattern(spec);
        for (uint32_t n = 2; n <= 9; n++) {
            struct cw_flows flows = {0};
            uint64_t taken[9] = {0};
            uint32_t rounds;
            if (cw_pattern_rounds(pattern, n, &rounds)) continue;
            assert_int_equal(cw_pattern_append_all(pattern, n, 1, 1, &flows, NULL), 0);
            for (size_t i = 0; i < flows.n; i++) taken[flows.items[i].dst] += flows.items[i].bytes;
            for (uint32_t rank = 0; rank < n; rank++) {
                if (traits->root_takes ? rank > 0 : traits->root_gives && rank == 0) continue;
                uint64_t least = 7 << 10; /* a block, or the vector */
                if (traits->takes_blocks) least *= n - 1;
                if (traits->reduces && !traits->root_takes) least = least / n * (n - 1);
                if (taken[rank] < least)
                    fail_msg("%s, n = %u: rank %u takes %lu", spec, n, rank, (unsigned long)taken[rank]);
            }
            cw_flows_free(&flows);
        }
        cw_pattern_free(pattern);
    }
    struct cw_pattern *pattern = new_pattern("collective:schedule=pipeline-bcast:radix=2;segments=4,bytes=4KiB");
    assert_int_equal(cw_pattern_is_sized(pattern), true);
    struct cw_flows flows = round_of(pattern, 4, 0, 0);
    assert_true(flows.n > 0);
    assert_int_equal(flows.items[0].bytes, 1024);
    cw_flows_free(&flows);
    cw_pattern_free(pattern);
}

static void test_random_patterns_differ(void **state)
{
    (void)state;
    for (const struct cw_pattern_kind *const *kind = cw_pattern_kinds; *kind; kind++) {
        if (!(*kind)->random) continue;
        static const struct cw_ranks in_fours = {.n = MAX_RANKS, .per_group = 4, .h = 1};
        struct cw_pattern *pattern = NULL;
        assert_int_equal(cw_pattern_new((*kind)->name, &in_fours, &pattern), 0);
        struct cw_flows one = round_of(pattern, MAX_RANKS, 0, 1), two = round_of(pattern, MAX_RANKS, 0, 2);
        assert_false(same_flows(&one, &two));
        cw_pattern_free(pattern);
        cw_flows_free(&one);
        cw_flows_free(&two);
    }
}

/* Every rank sends at most once and receives at most once; returns the flows, and in TO where each rank sends (n:
 * nowhere). */
static size_t check_injective(const char *spec, uint32_t n, uint64_t index, uint32_t to[MAX_RANKS])
{
    struct cw_flows flows = flows_of(spec, n, index);
    bool received[MAX_RANKS] = {false};
    for (uint32_t i = 0; i < n; i++) to[i] = n;
    for (size_t i = 0; i < flows.n; i++) {
        const struct cw_flow *flow = &flows.items[i];
        assert_int_equal(to[flow->src], n);
        assert_false(received[flow->dst]);
        to[flow->src] = flow->dst;
        received[flow->dst] = true;
    }
    const size_t count = flows.n;
    cw_flows_free(&flows);
    return count;
}

static void test_permutations(void **state)
{
    (void)state;
    uint32_t to[MAX_RANKS];
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        /* whoever does not send does not receive either: a fixed point */
        bool received[MAX_RANKS] = {false};
        check_injective("permutation", n, n, to);
        for (uint32_t i = 0; i < n; i++)
            if (to[i] < n) received[to[i]] = true;
        for (uint32_t i = 0; i < n; i++) assert_int_equal(received[i], to[i] < n);
        assert_int_equal(check_injective("derangement", n, n, to), n);
        assert_int_equal(check_injective("bitcomp", n, n, to), n - n % 2);
        for (uint32_t i = 0; i < n; i++) assert_int_equal(to[i], n % 2 && i == n / 2 ? n : n - i - 1);
    }
}

/* Of all permutations of 3 the mean number of fixed points is 1: sampled, each of the 3! arises. */
static void test_permutation_has_fixed_points(void **state)
{
    (void)state;
    size_t silent = 0;
    const size_t trials = 3000;
    uint32_t to[MAX_RANKS];
    for (size_t t = 0; t < trials; t++) silent += 3 - check_injective("permutation", 3, t, to);
    /* variance of the number of fixed points is 1 */
    assert_true(fabs((double)silent - (double)trials) < 5 * sqrt((double)trials));
}

static void test_shift(void **state)
{
    (void)state;
    static const int shifts[] = {1, 5, 41, 83, -1, -7, 1000000007};
    uint32_t to[MAX_RANKS];
    for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++)
        for (int n = 2; n <= MAX_RANKS; n++) {
            char spec[32];
            snprintf(spec, sizeof spec, "shift:%d", shifts[s]);
            if (shifts[s] % n == 0) {
                struct cw_pattern *pattern = new_pattern(spec);
                uint32_t rounds;
                assert_int_equal(cw_pattern_rounds(pattern, (uint32_t)n, &rounds), CW_EUSAGE);
                cw_pattern_free(pattern);
                continue;
            }
            assert_int_equal(check_injective(spec, (uint32_t)n, 0, to), n);
            for (int i = 0; i < n; i++) assert_int_equal(((int)to[i] - i - shifts[s]) % n, 0);
        }
    check_injective("shift:by=3", 10, 0, to);
    assert_int_equal(to[8], 1);
}

static void test_transpose(void **state)
{
    (void)state;
    uint32_t to[MAX_RANKS];
    for (uint32_t rows = 2; rows < MAX_RANKS / 2; rows++)
        for (uint32_t columns = 2; rows * columns <= MAX_RANKS; columns++) {
            char spec[32];
            snprintf(spec, sizeof spec, "transpose:%u", rows);
            check_injective(spec, rows * columns, 0, to);
            for (uint32_t i = 0; i < rows; i++)
                for (uint32_t j = 0; j < columns; j++) {
                    const uint32_t from = i * columns + j, there = j * rows + i;
                    assert_int_equal(to[from], from == there ? rows * columns : there);
                }
        }
    struct cw_pattern *pattern = new_pattern("transpose");
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        const bool square = n == 4 || n == 9 || n == 16 || n == 25 || n == 36;
        uint32_t rounds;
        assert_int_equal(cw_pattern_rounds(pattern, n, &rounds), square ? 0 : CW_EUSAGE);
    }
    cw_pattern_free(pattern);
    assert_int_equal(check_injective("transpose", 36, 0, to), 30);
    assert_int_equal(to[1 * 6 + 4], 4 * 6 + 1);
}

static void test_bisection(void **state)
{
    (void)state;
    uint32_t to[MAX_RANKS];
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        assert_int_equal(check_injective("bisection", n, n, to), n / 2);
        for (uint32_t i = 0; i < n; i++)
            if (to[i] < n) assert_int_equal(to[to[i]], n); /* a receiver does not send */
        assert_int_equal(check_injective("bisection:bi", n, n, to), n - n % 2);
        for (uint32_t i = 0; i < n; i++)
            if (to[i] < n) assert_int_equal(to[to[i]], i);
    }
}

/* Of the n(n-1) ordered pairs all are equally frequent in the random patterns without fixed points. */
static void test_pairs_are_uniform(void **state)
{
    (void)state;
    static const char *const specs[] = {"derangement", "bisection", "bisection:direction=bi", "uniform", "permutation"};
    enum { N = 5, TRIALS = 4000 };
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct cw_pattern *pattern = new_pattern(specs[s]);
        double count[N][N] = {{0}}, total = 0;
        for (uint64_t t = 0; t < TRIALS; t++) {
            struct cw_flows flows = round_of(pattern, N, 0, t);
            for (size_t i = 0; i < flows.n; i++) count[flows.items[i].src][flows.items[i].dst]++;
            total += (double)flows.n;
            cw_flows_free(&flows);
        }
        const double expected = total / (N * (N - 1));
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < N; j++)
                if (i != j) assert_true(fabs(count[i][j] - expected) < 5 * sqrt(expected));
        cw_pattern_free(pattern);
    }
}

static void test_uniform_is_no_permutation(void **state)
{
    (void)state;
    struct cw_flows flows = flows_of("uniform", MAX_RANKS, 3);
    uint32_t received[MAX_RANKS] = {0}, most = 0;
    assert_int_equal(flows.n, MAX_RANKS);
    for (size_t i = 0; i < flows.n; i++) {
        assert_int_equal(flows.items[i].src, i);
        if (++received[flows.items[i].dst] > most) most = received[flows.items[i].dst];
    }
    assert_true(most > 1);
    cw_flows_free(&flows);
}

static void test_ring(void **state)
{
    (void)state;
    uint32_t to[MAX_RANKS];
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        assert_int_equal(check_injective("ring", n, 0, to), n);
        for (uint32_t i = 0; i < n; i++) assert_int_equal(to[i], (i + 1) % n);
        struct cw_flows flows = flows_of("ring:bi", n, 0);
        assert_int_equal(flows.n, n == 2 ? 2 : 2 * n);
        bool seen[MAX_RANKS][MAX_RANKS] = {{false}};
        for (size_t i = 0; i < flows.n; i++) {
            const uint32_t a = flows.items[i].src, b = flows.items[i].dst;
            assert_true((a + 1) % n == b || (b + 1) % n == a);
            assert_false(seen[a][b]);
            seen[a][b] = true;
        }
        cw_flows_free(&flows);
    }
}

static void test_alltoall(void **state)
{
    (void)state;
    struct cw_pattern *pattern = new_pattern("alltoall");
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        bool seen[MAX_RANKS][MAX_RANKS] = {{false}};
        size_t total = 0;
        const uint32_t rounds = rounds_of(pattern, n);
        assert_int_equal(rounds, n - 1);
        for (uint32_t round = 0; round < rounds; round++) {
            struct cw_flows flows = round_of(pattern, n, round, 0);
            for (size_t i = 0; i < flows.n; i++) {
                assert_int_equal(flows.items[i].dst, (flows.items[i].src + round + 1) % n);
                assert_false(seen[flows.items[i].src][flows.items[i].dst]);
                seen[flows.items[i].src][flows.items[i].dst] = true;
            }
            total += flows.n;
            cw_flows_free(&flows);
        }
        assert_int_equal(total, n * (n - 1));
    }
    cw_pattern_free(pattern);
}

static void test_incast(void **state)
{
    (void)state;
    for (uint32_t receivers = 1; receivers < 6; receivers++)
        for (uint32_t n = receivers + 1; n <= MAX_RANKS; n++) {
            char spec[32];
            snprintf(spec, sizeof spec, "incast:%u", receivers);
            struct cw_flows flows = flows_of(spec, n, 0);
            uint32_t received[MAX_RANKS] = {0}, least = n, most = 0;
            assert_int_equal(flows.n, n - receivers);
            for (size_t i = 0; i < flows.n; i++) {
                assert_int_equal(flows.items[i].src, receivers + i);
                received[flows.items[i].dst]++;
            }
            for (uint32_t i = 0; i < n; i++) {
                if (i >= receivers) assert_int_equal(received[i], 0);
                if (i < receivers && received[i] < least) least = received[i];
                if (received[i] > most) most = received[i];
            }
            assert_true(most - least <= 1);
            cw_flows_free(&flows);
        }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *message; /* a part of it */
    } bad[] = {
        {"permutatoin", "did you mean permutation?"},
        {"frobnicate", "expected one of permutation, derangement"},
        {"", "unknown pattern ''"},
        {"shift:x", "'by'"},
        {"shift:1,2", "unexpected '2'"},
        {"incast:0", "'receivers'"},
        {"bisection:both", "'direction'"},
        {"permutation:3", "permutation"},
        {"halo:0x4", "'grid'"},
        {"halo:axis=w", "'axis'"},
        {"tornado:0", "'grid'"},
        {"bui:91", "'number'"},
        {"91", "'number'"},
        {"3x", "'number'"},
        {"disjoint", "sizes"},
        {"overlap:2x2", "overlap"},
        {"transpose:1", "'rows'"},
        {"matrix", "file"},
        {"collective", "needs schedule"},
        {"collective:ring", "unknown"},
        {"collective:barrier", "moves no data"},
        {"collective:bcast,bytes=0", "'bytes'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cw_pattern *pattern = NULL;
        assert_int_equal(cw_pattern_new(bad[i].spec, NULL, &pattern), CW_EUSAGE);
        assert_null(pattern);
        if (!strstr(cw_error_message(), bad[i].message)) fail_msg("%s: %s", bad[i].spec, cw_error_message());
    }
    static const struct {
        const char *spec;
        uint32_t n;
        const char *message;
    } impossible[] = {
        {"incast:8", 8, "nobody is left"},
        {"shift:6", 3, "send to itself"},
        {"transpose", 12, "12 ranks are not a square"},
        {"transpose:5", 12, "cannot be cut"},
        {"transpose:12", 12, "cannot be cut"},
        {"halo:3x4", 13, "12 places for 13 ranks"},
        {"halo:2x2x2x2x2x2x2x2x2", 512, "9 sizes, expected at most 8"},
        {"halo:dimensions=2,axis=z", 12, "a grid of 2 dimensions has no axis z"},
        {"halo:4294967295x4294967295x4294967295", 12, "at least"},
        {"tornado:2x2x2", 8, "rings of 2 ranks"},
        {"hotspot:9", 8, "9 hot ranks; there are 8"},
        {"group-shift:4", 2, "a shift by 4 groups"},
        {"group-adversarial:8", 8, "8 groups on from each of 8 groups"},
        {"bui:3", 12, "12 ranks have no such parts"},
        {"ring", 1, "at least 2 ranks"},
    };
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        struct cw_pattern *pattern = new_pattern(impossible[i].spec);
        struct cw_flows flows = {0};
        uint32_t rounds = 0;
        assert_int_equal(cw_pattern_rounds(pattern, impossible[i].n, &rounds), CW_EUSAGE);
        if (!strstr(cw_error_message(), impossible[i].message))
            fail_msg("%s: %s", impossible[i].spec, cw_error_message());
        assert_int_equal(cw_pattern_append(pattern, impossible[i].n, 0, BYTES, NULL, &flows), CW_EUSAGE);
        cw_pattern_free(pattern);
    }
    cw_pattern_free(NULL);
    cw_flows_free(NULL);
}

static void test_flows(void **state)
{
    (void)state;
    struct cw_flows flows = {0};
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(cw_flows_add(&flows, i, i + 1, 7u * i), 0);
    assert_int_equal(flows.n, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(flows.items[i].src, i);
        assert_int_equal(flows.items[i].dst, i + 1);
        assert_int_equal(flows.items[i].bytes, 7u * i);
    }
    assert_int_equal(cw_flows_add(&flows, 4, 4, 9), 0);
    assert_int_equal(flows.n, 1000);
    assert_int_equal(flows.self, 1);
    assert_int_equal(flows.self_bytes, 9);
    assert_int_equal(cw_flows_add(&flows, 5, 5, UINT64_MAX), CW_EUSAGE);
    assert_int_equal(cw_flows_reserve(&flows, 5000), 0);
    assert_int_equal(flows.n, 1000);
    assert_true(flows.capacity >= 6000);
    cw_flows_free(&flows);
    assert_null(flows.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pattern),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_random_patterns_differ),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_permutation_has_fixed_points),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_bisection),
        cmocka_unit_test(test_pairs_are_uniform),
        cmocka_unit_test(test_uniform_is_no_permutation),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_alltoall),
        cmocka_unit_test(test_incast),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
