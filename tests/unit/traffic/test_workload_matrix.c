/* The workload of a traffic matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "traffic/workload.h"
#include "traffic_test_file.h"

#define WHOLE (UINT64_C(1) << 32)

static int new_matrix(const char *content, uint32_t n, struct cw_workload **workload)
{
    char path[TEST_PATH_SIZE], spec[TEST_PATH_SIZE + 16];
    write_test_file(content, strlen(content), path);
    snprintf(spec, sizeof spec, "matrix:%s", path);
    const struct cw_ranks ranks = {.n = n, .per_group = 1};
    const int rc = cw_workload_new(spec, &ranks, 1, workload);
    unlink(path);
    return rc;
}

static struct cw_workload *matrix_of(const char *content, uint32_t n)
{
    struct cw_workload *workload = NULL;
    if (new_matrix(content, n, &workload)) fail_msg("%s", cw_error_message());
    return workload;
}

/* The least random bits of which RANK's destination is not TO, when it is TO up to there. */
static double share_below(const struct cw_workload *workload, uint32_t rank, uint32_t to)
{
    uint64_t low = 0, high = UINT64_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (cw_workload_destination(workload, rank, middle) == to)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low * 0x1p-64;
}

/* Entries in any order, with the same pair twice; ranks 2 and 4 are silent. */
static void test_shares(void **state)
{
    (void)state;
    struct cw_workload *workload = matrix_of("3 0 5\n0 1 100\n0 2 250\n1 0 1KiB\n0 4 50\n0 1 100\n2 2 9\n", 5);
    static const struct cw_flow expected[] = {{0, 1, WHOLE / 5}, {0, 2, WHOLE / 2}, {0, 4, WHOLE / 10},
                                              {0, 1, WHOLE / 5}, {1, 0, WHOLE},     {3, 0, WHOLE}};
    struct cw_flows flows = {0};
    assert_int_equal(cw_workload_flows(workload, &flows), 0);
    assert_int_equal(flows.n, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < flows.n; i++) {
        assert_int_equal(flows.items[i].src, expected[i].src);
        assert_int_equal(flows.items[i].dst, expected[i].dst);
        assert_true(flows.items[i].bytes - expected[i].bytes + 1 <= 2); /* to the last bit or one more or less */
    }
    cw_flows_free(&flows);
    assert_true(fabs(share_below(workload, 0, 1) - 0.2) < 1e-12);
    for (uint64_t random = 0; random < UINT64_MAX - UINT64_MAX / 7; random += UINT64_MAX / 7) {
        assert_int_equal(cw_workload_destination(workload, 1, random), 0);
        assert_int_equal(cw_workload_destination(workload, 2, random), 2);
        assert_int_equal(cw_workload_destination(workload, 3, random), 0);
        assert_int_equal(cw_workload_destination(workload, 4, random), 4);
    }
    cw_workload_free(workload);
}

/* By drawing: chi-square of 100 receivers with shares from 1 to 100. */
static void test_draws(void **state)
{
    (void)state;
    enum { N = 101, MESSAGES = 100000 };
    char content[4096];
    size_t length = 0;
    for (uint32_t to = 1; to < N; to++)
        length += (size_t)snprintf(content + length, sizeof content - length, "0,%u,%u\n", to, to);
    struct cw_workload *workload = matrix_of(content, N);
    struct cw_random random = cw_random_of(2, CW_STREAM_TEST, 0);
    double count[N] = {0}, chi = 0;
    for (uint32_t i = 0; i < MESSAGES; i++) count[cw_workload_destination(workload, 0, cw_random_u64(&random))]++;
    assert_true(count[0] <= 0);
    for (uint32_t to = 1; to < N; to++) {
        const double expected = to * (double)MESSAGES / 5050;
        chi += (count[to] - expected) * (count[to] - expected) / expected;
    }
    assert_true(chi < 99 + 5 * sqrt(2 * 99.0));
    cw_workload_free(workload);
}

/* Sizes of all magnitudes: a small one beside a great one keeps its chance, and is left out of the flows only if it is
 * less than 2^-32 of its sender's. */
static void test_extremes(void **state)
{
    (void)state;
    struct cw_workload *workload = matrix_of("0 1 1\n0 2 9000000000000000000\n1 0 1\n1 2 1000000000\n", 3);
    struct cw_flows flows = {0};
    assert_int_equal(cw_workload_destination(workload, 0, 0), 1);
    assert_int_equal(cw_workload_destination(workload, 0, 3), 2);
    assert_int_equal(cw_workload_destination(workload, 0, UINT64_MAX), 2);
    assert_int_equal(cw_workload_flows(workload, &flows), 0);
    assert_int_equal(flows.n, 3);
    assert_int_equal(flows.items[0].dst, 2);
    assert_int_equal(flows.items[1].dst, 0);
    assert_int_equal(flows.items[1].bytes, 4); /* 2^32 / 1000000001, rounded down */
    cw_flows_free(&flows);
    cw_workload_free(workload);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *content;
        int code;
        const char *words;
    } cases[] = {
        {"", CW_EPARSE, "no messages"},
        {"0 1\n", CW_EPARSE, ":1: 2 fields; expected 3"},
        {"0 1 5\n0 3 5\n", CW_EUSAGE, ":2: there is no rank 3 among 3"},
        {"0 1 9223372036854775807\n0 2 9223372036854775807\n0 2 2\n", CW_EUSAGE, "rank 0 sends 2^64 bytes or more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_workload *workload = NULL;
        assert_int_equal(new_matrix(cases[i].content, 3, &workload), cases[i].code);
        assert_null(workload);
        if (!strstr(cw_error_message(), cases[i].words)) fail_msg("case %zu: %s", i, cw_error_message());
    }
    struct cw_workload *workload = NULL;
    const struct cw_ranks ranks = {.n = 3, .per_group = 1};
    assert_int_equal(cw_workload_new("matrix:/nonexistent/matrix", &ranks, 1, &workload), CW_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares), cmocka_unit_test(test_draws),
                                       cmocka_unit_test(test_extremes), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
