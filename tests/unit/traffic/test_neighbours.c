/* Neighbours in a grid, against brute force over all pairs of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "traffic_test_pattern.h"

/* Whether a and b are one step apart in the grid, and in which dimension. */
static bool neighbours(const uint32_t size[3], bool periodic, uint32_t a, uint32_t b, uint32_t *dimension)
{
    uint32_t different = 0;
    for (uint32_t d = 0; d < 3; d++) {
        const uint32_t x = a % size[d], y = b % size[d], k = size[d];
        a /= k;
        b /= k;
        if (x == y) continue;
        const uint32_t gap = x > y ? x - y : y - x;
        if (gap != 1 && !(periodic && gap == k - 1)) return false;
        *dimension = d;
        different++;
    }
    return different == 1;
}

/* All rounds together against brute force over pairs: each pair of neighbours once each way (twice across a periodic
 * dimension of size 2), in a round of its dimension. */
static void check_grid(const char *spec, const uint32_t size[3], bool periodic, uint32_t dimensions)
{
    const uint32_t n = size[0] * size[1] * size[2];
    struct cw_pattern *pattern = new_pattern(spec);
    uint32_t count[MAX_RANKS][MAX_RANKS] = {{0}}, dimension = 9;
    const uint32_t rounds = rounds_of(pattern, n);
    assert_int_equal(rounds, 2 * dimensions);
    for (uint32_t round = 0; round < rounds; round++) {
        struct cw_flows flows = round_of(pattern, n, round, 0);
        bool sent[MAX_RANKS] = {false};
        for (size_t i = 0; i < flows.n; i++) {
            const uint32_t a = flows.items[i].src, b = flows.items[i].dst;
            assert_true(neighbours(size, periodic, a, b, &dimension));
            assert_int_equal(dimension, round / 2);
            assert_false(sent[a]);
            if (!periodic) assert_int_equal(a < b, round % 2 == 0);
            sent[a] = true;
            count[a][b]++;
        }
        cw_flows_free(&flows);
    }
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            const bool near = neighbours(size, periodic, a, b, &dimension);
            const uint32_t expected = !near ? 0 : periodic && size[dimension] == 2 ? 2 : 1;
            assert_int_equal(count[a][b], expected);
        }
    cw_pattern_free(pattern);
}

static void test_neighbours(void **state)
{
    (void)state;
    for (uint32_t x = 1; x <= 7; x++)
        for (uint32_t y = 1; x * y <= MAX_RANKS && y <= 5; y++)
            for (uint32_t z = 1; x * y * z <= MAX_RANKS && z <= 4; z++) {
                const uint32_t size[3] = {x, y, z};
                char spec[64];
                if (x * y * z < 2) continue;
                snprintf(spec, sizeof spec, "halo:%ux%ux%u", x, y, z);
                check_grid(spec, size, false, 3);
                snprintf(spec, sizeof spec, "halo:grid=%ux%ux%u,periodic", x, y, z);
                check_grid(spec, size, true, 3);
                if (z > 1) continue;
                snprintf(spec, sizeof spec, "halo:%ux%u", x, y);
                check_grid(spec, size, false, 2);
                snprintf(spec, sizeof spec, "halo:%ux%u,periodic", x, y);
                check_grid(spec, size, true, 2);
            }
}

/* The default grid is the best of all, by brute force. */
static void test_default_grids(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        uint32_t square[3] = {1, n, 1}, cube[3] = {1, 1, n}, least = UINT32_MAX;
        for (uint32_t x = 1; x * x <= n; x++)
            if (n % x == 0) {
                square[0] = x;
                square[1] = n / x;
            }
        for (uint32_t x = 1; x <= n; x++)
            for (uint32_t y = x; x * y <= n; y++) {
                const uint32_t z = n / (x * y), surface = x * y + y * z + z * x;
                if (x * y * z != n || z < y || surface >= least) continue;
                least = surface;
                cube[0] = x;
                cube[1] = y;
                cube[2] = z;
            }
        check_grid("halo:dimensions=2", square, false, 2);
        check_grid("halo", cube, false, 3);
        check_grid("halo:periodic", cube, true, 3);
    }
}

/* The smallest number of ranks whose best grid, 11x16x18, has not the largest possible X (12x12x22). */
static void test_default_grid_is_no_greedy_choice(void **state)
{
    (void)state;
    struct cw_pattern *pattern = new_pattern("halo");
    static const uint32_t strides[] = {1, 11, 11 * 16};
    for (uint32_t d = 0; d < 3; d++) {
        struct cw_flows flows = round_of(pattern, 3168, 2 * d, 0);
        assert_true(flows.n > 0);
        for (size_t i = 0; i < flows.n; i++) assert_int_equal(flows.items[i].dst - flows.items[i].src, strides[d]);
        cw_flows_free(&flows);
    }
    cw_pattern_free(pattern);
}

static void test_axis(void **state)
{
    (void)state;
    struct cw_pattern *all = new_pattern("halo:2x3x4"), *one = new_pattern("halo:2x3x4,axis=z");
    assert_int_equal(rounds_of(one, 24), 2);
    for (uint32_t round = 0; round < 2; round++) {
        struct cw_flows expected = round_of(all, 24, 4 + round, 0), flows = round_of(one, 24, round, 0);
        assert_int_equal(flows.n, 18);
        assert_true(same_flows(&expected, &flows));
        cw_flows_free(&expected);
        cw_flows_free(&flows);
    }
    cw_pattern_free(all);
    cw_pattern_free(one);
}

/* The rounds of one direction are every other one of both. */
static void test_direction(void **state)
{
    (void)state;
    static const char *const specs[] = {"halo:2x3x4,direction=up", "halo:2x3x4,direction=down"};
    struct cw_pattern *all = new_pattern("halo:2x3x4");
    for (uint32_t down = 0; down < 2; down++) {
        struct cw_pattern *one = new_pattern(specs[down]);
        assert_int_equal(rounds_of(one, 24), 3);
        for (uint32_t d = 0; d < 3; d++) {
            struct cw_flows expected = round_of(all, 24, 2 * d + down, 0), flows = round_of(one, 24, d, 0);
            assert_true(same_flows(&expected, &flows));
            cw_flows_free(&expected);
            cw_flows_free(&flows);
        }
        cw_pattern_free(one);
    }
    cw_pattern_free(all);
}

/* In five dimensions each rank of a periodic grid of threes has ten neighbours, which differ in one coordinate. */
static void test_five_dimensions(void **state)
{
    (void)state;
    enum { N = 243 };
    struct cw_pattern *pattern = new_pattern("halo:3x3x3x3x3,periodic");
    static bool seen[N][N];
    assert_int_equal(rounds_of(pattern, N), 10);
    for (uint32_t round = 0; round < 10; round++) {
        struct cw_flows flows = round_of(pattern, N, round, 0);
        assert_int_equal(flows.n, N);
        for (size_t i = 0; i < flows.n; i++) seen[flows.items[i].src][flows.items[i].dst] = true;
        cw_flows_free(&flows);
    }
    for (uint32_t a = 0; a < N; a++)
        for (uint32_t b = 0; b < N; b++) {
            uint32_t different = 0;
            for (uint32_t d = 0, x = a, y = b; d < 5; d++, x /= 3, y /= 3) different += x % 3 != y % 3;
            assert_int_equal(seen[a][b], different == 1);
        }
    cw_pattern_free(pattern);
}

/* Tornado: hand-made for rings of 8 and 7, and digit by digit in a grid; no way is longer than half a ring less one. */
static void test_tornado(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t n, from, to;
    } cases[] = {
        {"tornado", 8, 0, 3},
        {"tornado", 8, 6, 1},
        {"tornado", 7, 0, 3},
        {"tornado", 7, 5, 1},
        {"tornado:8x4", 32, 0, 3 + 8},
        {"tornado:8x4", 32, 7 + 3 * 8, 2},
        {"tornado:2x5x3", 30, 1, 1 + 2 * 2 + 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_pattern *pattern = new_pattern(cases[i].spec);
        struct cw_flows flows = round_of(pattern, cases[i].n, 0, 0);
        bool received[MAX_RANKS] = {false};
        assert_int_equal(flows.n, cases[i].n);
        for (size_t f = 0; f < flows.n; f++) {
            assert_false(received[flows.items[f].dst]);
            received[flows.items[f].dst] = true;
        }
        assert_int_equal(flows.items[cases[i].from].dst, cases[i].to);
        cw_flows_free(&flows);
        cw_pattern_free(pattern);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_default_grids),
        cmocka_unit_test(test_default_grid_is_no_greedy_choice),
        cmocka_unit_test(test_axis),
        cmocka_unit_test(test_direction),
        cmocka_unit_test(test_five_dimensions),
        cmocka_unit_test(test_tornado),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
