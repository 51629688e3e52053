/* Points of split trees, and verdicts on points whose figures are planted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper_example.h"
#include "study/papers/split_tree_points.h"

static struct cw_split_points points;

static void begin(uint32_t cores, bool simulated)
{
    const struct cw_split_case about = {.model = {.cores = cores, .ratio = 1}, .simulated = simulated, .chunks = 1};
    assert_int_equal(cw_split_points_new(&about, 1, &points), 0);
}

static struct cw_split_point *at(uint32_t n, uint32_t steps)
{
    return points.items + (cw_split_point_of(&points, n, steps) - points.items);
}

static void end(void)
{
    cw_split_points_free(&points);
}

static void expect(enum cw_split_figure figure, size_t claim, enum cw_verdict verdict, const char *found)
{
    check_claim(&cw_paper_split_tree, figure, claim, &points, verdict, INFINITY, found);
}

/* A claim with other numbers. */
static void expect_of(enum cw_split_figure figure, size_t which, const uint32_t *numbers, enum cw_verdict verdict,
                      const char *found)
{
    struct cw_paper_claim claim = cw_paper_split_tree.figures[figure].claims[which];
    struct cw_finding finding = {.claim = &claim};
    memcpy(claim.numbers, numbers, sizeof claim.numbers);
    assert_int_equal(claim.find(&points, &finding), 0);
    if (finding.verdict != verdict || !strstr(finding.found, found))
        fail_msg("holds: %s: %s", cw_verdict_names[finding.verdict], finding.found);
}

static void test_points(void **state)
{
    (void)state;
    begin(64, true);
    size_t n = 0, best = 0;
    for (uint32_t ranks = 1; ranks < 64; ranks++) n += cw_split_height(ranks) + 1;
    assert_int_equal(points.n, n);
    for (size_t i = 0; i < n; i++) {
        best += points.items[i].best;
        assert_true(points.items[i].simulated_overlapped <= points.items[i].times.overlapped + 1e-9);
        assert_true(points.items[i].simulated <= points.items[i].times.non_blocking + 1e-9);
        assert_true(points.items[i].simulated_overlapped >= points.items[i].times.compute - 1e-9);
    }
    assert_int_equal(best, 63);
    assert_int_equal(points.items[points.least].n, 51);
    assert_null(cw_split_point_of(&points, 64, 0));
    assert_null(cw_split_point_of(&points, 4, 3));
    end();
}

static void test_cost(void **state)
{
    (void)state;
    begin(64, false);
    expect(CW_SPLIT_FIG2, 0, CW_HOLDS, "S = 0 takes 62 transfers, S = 3 10, blocking 6");
    expect(CW_SPLIT_FIG3, 0, CW_HOLDS_CORRECTED, "from 12.00 transfers");
    expect(CW_SPLIT_FIG5, 0, CW_HOLDS_CORRECTED, "10.00 transfers (model), blocking 12.10");
    at(63, 3)->times.overlapped = 12.2;
    expect(CW_SPLIT_FIG5, 0, CW_HOLDS_NOT, "12.20");
    at(63, 2)->times.non_blocking = 9;
    expect(CW_SPLIT_FIG2, 0, CW_HOLDS_NOT, "S = 3 10");
    at(32, 1)->times.overlapped = 11;
    expect(CW_SPLIT_FIG3, 0, CW_HOLDS_NOT, "15.00");
    end();
    begin(4, false);
    expect(CW_SPLIT_FIG5, 0, CW_NOT_TESTED, "fewer than 3 levels");
    end();
}

static void test_least(void **state)
{
    (void)state;
    static const uint32_t beside[4] = {37, 0}, apart[4] = {40, 0}, other[4] = {38, 1};
    begin(48, false);
    expect(CW_SPLIT_FIG6, 4, CW_HOLDS_CORRECTED, "N = 38 and S = 0: 7.579");
    expect_of(CW_SPLIT_FIG6, 4, beside, CW_HOLDS_IN_PART, "N = 38");
    expect_of(CW_SPLIT_FIG6, 4, apart, CW_HOLDS_NOT, "N = 38");
    expect_of(CW_SPLIT_FIG6, 4, other, CW_HOLDS_NOT, "N = 38");
    end();
}

static void test_switches(void **state)
{
    (void)state;
    static const uint32_t wrong[4] = {52, 58, 61}, fewer[4] = {52, 58};
    begin(64, false);
    expect(CW_SPLIT_FIG3, 2, CW_HOLDS_CORRECTED, "S = 1 from N = 52, S = 2 from N = 58, S = 3 from N = 62");
    expect(CW_SPLIT_FIG4, 1, CW_HOLDS_CORRECTED, "S = 1 from N = 52");
    expect_of(CW_SPLIT_FIG3, 2, wrong, CW_HOLDS_IN_PART, "62");
    expect_of(CW_SPLIT_FIG3, 2, fewer, CW_HOLDS_IN_PART, "62");
    at(55, 1)->best = false; /* back and forth */
    at(55, 0)->best = true;
    expect(CW_SPLIT_FIG4, 1, CW_HOLDS_NOT, "S = 0 from N = 55");
    end();
    begin(4, false);
    at(3, 1)->best = at(3, 0)->best = false;
    at(3, 0)->best = true;
    expect(CW_SPLIT_FIG4, 1, CW_HOLDS_NOT, "S = 0 everywhere");
    end();
}

static void test_simulated(void **state)
{
    (void)state;
    begin(64, true);
    for (size_t i = 0; i < points.n; i++) points.items[i].simulated_overlapped = points.items[i].times.overlapped;
    expect(CW_SPLIT_FIG6, 0, CW_HOLDS_CORRECTED, "simulated on 64 cores");
    expect(CW_SPLIT_FIG6, 1, CW_HOLDS_CORRECTED, "for 63 of 63 N; the model's S costs more than 5 % for 0");
    at(60, 2)->simulated_overlapped *= 1.15;
    at(60, 3)->simulated_overlapped = at(60, 2)->simulated_overlapped / 1.14;
    expect(CW_SPLIT_FIG6, 0, CW_HOLDS_IN_PART, "9.66 instead of 8.40 transfers at N = 60");
    expect(CW_SPLIT_FIG6, 1, CW_HOLDS_IN_PART, "for 62 of 63 N; the model's S costs more than 5 % for 1");
    for (uint32_t n = 10; n < 20; n++) at(n, 0)->simulated_overlapped *= 2;
    expect(CW_SPLIT_FIG6, 0, CW_HOLDS_NOT, "instead of");
    expect(CW_SPLIT_FIG6, 1, CW_HOLDS_NOT, "for 52 of 63 N");
    end();
}

/* One communication core moves the blocks of a scatter or gather one after the other: 9 along the edges of 7 ranks. Of
 * an allreduce 2 · 6 vectors; a broadcast would be done before the computation. */
static void test_emulated(void **state)
{
    (void)state;
    static const enum cw_collective_kind collectives[] = {CW_COLLECTIVE_SCATTER, CW_COLLECTIVE_GATHER,
                                                          CW_COLLECTIVE_ALLREDUCE};
    for (unsigned i = 0; i < 3; i++) {
        const struct cw_split_case about = {.model = {.cores = 8, .collective = collectives[i], .ratio = .5},
                                            .simulated = true,
                                            .chunks = 1,
                                            .unit = 1e-3};
        assert_int_equal(cw_split_points_new(&about, 1, &points), 0);
        assert_true(at(7, 0)->times.compute < 5);
        assert_true(at(7, 0)->emulated_overlapped >= (i < 2 ? 9 : 12));
        cw_split_points_free(&points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),   cmocka_unit_test(test_cost),      cmocka_unit_test(test_least),
        cmocka_unit_test(test_switches), cmocka_unit_test(test_simulated), cmocka_unit_test(test_emulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
