/* Verdicts on points whose figures are planted: such that hold, hold in part, do not, and cannot be tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "net/network_internal.h"
#include "paper_example.h"
#include "study/papers/optiq_paper.h"

static const struct cw_network small = {.n_endpoints = 512}, large = {.n_endpoints = 1024};
static struct cw_optiq_point items[128];
static struct cw_points points = {.items = items, .size = sizeof *items};

static void begin(void)
{
    points.n = 0;
}

static struct cw_optiq_point *plant(enum cw_optiq_figure figure, const struct cw_network *net, const char *pattern,
                                    enum cw_optiq_method method, double z, double rate)
{
    struct cw_optiq_point *point = &items[points.n++];
    *point = (struct cw_optiq_point){.point = {.figure = figure, .done = true},
                                     .net = net,
                                     .method = method,
                                     .variants = {{.bytes = 1000, .chunk = 64 << 10, .bytes_per_second = rate}},
                                     .n_variants = 1,
                                     .z = z};
    snprintf(point->pattern, sizeof point->pattern, "%s", pattern);
    return point;
}

static void check(enum cw_optiq_figure figure, size_t index, enum cw_verdict verdict, double value, const char *found)
{
    check_claim(&cw_paper_optiq, figure, index, &points, verdict, value, found);
}

static void test_nothing(void **state)
{
    (void)state;
    begin();
    for (int figure = 0; figure < CW_OPTIQ_FIGURES; figure++)
        for (size_t i = 0; i < cw_optiq_figures[figure].n_claims; i++)
            check((enum cw_optiq_figure)figure, i, CW_NOT_TESTED, NAN, "too few");
}

/* 3 with 512 nodes: 1.5 and 4 times; 27 with 1,024: 0.5 times. */
static void test_gains(void **state)
{
    (void)state;
    begin();
    struct cw_optiq_gain gain = cw_optiq_gain_of(&points, CW_OPTIQ_GROWING, NULL, CW_OPTIQ_LP);
    assert_true(gain.cases == 0 && gain.slower == 0 && isnan(gain.speedup) && isnan(gain.speedup_max));
    struct cw_optiq_point *machine = plant(CW_OPTIQ_GROWING, &small, "3", CW_OPTIQ_DEFAULT, 0.125, 10);
    machine->n_variants = 2;
    machine->variants[1].bytes_per_second = 20;
    struct cw_optiq_point *lp = plant(CW_OPTIQ_GROWING, &small, "3", CW_OPTIQ_LP, 0.5, 15);
    lp->n_variants = 2;
    lp->variants[1].bytes_per_second = 80;
    plant(CW_OPTIQ_GROWING, &large, "27", CW_OPTIQ_DEFAULT, 0.1, 10);
    plant(CW_OPTIQ_GROWING, &large, "27", CW_OPTIQ_LP, 0.1, 5);
    plant(CW_OPTIQ_GROWING, &large, "87", CW_OPTIQ_LP, 0.1, 500);                    /* nothing to compare with */
    plant(CW_OPTIQ_FIXED, &small, "3", CW_OPTIQ_LP, 0.1, 500);                       /* another figure's */
    plant(CW_OPTIQ_GROWING, &small, "3", CW_OPTIQ_LP, 0.1, 500)->point.done = false; /* has not run */
    gain = cw_optiq_gain_of(&points, CW_OPTIQ_GROWING, &small, CW_OPTIQ_LP);
    assert_true(gain.cases == 2 && gain.slower == 0 && gain.speedup_min == 1.5 && gain.speedup_max == 4);
    assert_true(fabs(gain.speedup - sqrt(6)) < 1e-12 && fabs(gain.z_ratio - 4) < 1e-12);
    gain = cw_optiq_gain_of(&points, CW_OPTIQ_GROWING, NULL, CW_OPTIQ_LP);
    assert_true(gain.cases == 3 && gain.slower == 1 && gain.speedup_min == 0.5 && gain.speedup_max == 4);
    assert_true(fabs(gain.speedup - cbrt(3)) < 1e-12 && fabs(gain.z_ratio - cbrt(16)) < 1e-12);
}

static void test_several(void **state)
{
    (void)state;
    begin();
    plant(CW_OPTIQ_MESSAGES, &small, "3", CW_OPTIQ_DEFAULT, 0.1, 10);
    plant(CW_OPTIQ_MESSAGES, &small, "3", CW_OPTIQ_OPTIMUM, 0.1, 90); /* not the manuscript's own */
    check(CW_OPTIQ_MESSAGES, 0, CW_NOT_TESTED, NAN, "");
    struct cw_optiq_point *heuristic = plant(CW_OPTIQ_MESSAGES, &small, "3", CW_OPTIQ_HEURISTIC, 0.1, 21);
    check(CW_OPTIQ_MESSAGES, 0, CW_HOLDS, 2.1, "the heuristic carries 2.10 to 2.10 times");
    struct cw_optiq_point *lp = plant(CW_OPTIQ_MESSAGES, &small, "3", CW_OPTIQ_LP, 0.1, 30);
    check(CW_OPTIQ_MESSAGES, 0, CW_HOLDS, 3, "the linear program carries 3.00");
    lp->variants[0].bytes_per_second = 5;
    heuristic->variants[0].bytes_per_second = 19;
    check(CW_OPTIQ_MESSAGES, 0, CW_HOLDS_IN_PART, 1.9, "less in 0 of 1 cases; the optimum over all paths 9.00");
    heuristic->variants[0].bytes_per_second = 9;
    check(CW_OPTIQ_MESSAGES, 0, CW_HOLDS_NOT, 0.9, "less in 1 of 1");
}

static void plant_room(enum cw_optiq_figure figure, uint32_t n, double distance, double room)
{
    char pattern[48];
    snprintf(pattern, sizeof pattern, "%g %u", distance, n);
    plant(figure, &small, pattern, CW_OPTIQ_DEFAULT, 0.1, 1);
    struct cw_optiq_point *optimum = plant(figure, &small, pattern, CW_OPTIQ_OPTIMUM, 0.1 * room, 1);
    optimum->n = n;
    optimum->distance = distance;
}

static void test_room(void **state)
{
    (void)state;
    begin();
    plant_room(CW_OPTIQ_DESTINATIONS, 8, 0, 6);
    check(CW_OPTIQ_DESTINATIONS, 1, CW_NOT_TESTED, NAN, "");
    plant_room(CW_OPTIQ_DESTINATIONS, 16, 0, 4);
    plant_room(CW_OPTIQ_DESTINATIONS, 32, 0, 4.05); /* within 2 % */
    check(CW_OPTIQ_DESTINATIONS, 1, CW_HOLDS, 4.05, "6.00 times that of the default routes at 8 destinations");
    plant_room(CW_OPTIQ_DESTINATIONS, 64, 0, 5);
    check(CW_OPTIQ_DESTINATIONS, 1, CW_HOLDS_IN_PART, 5, "rises over 2 pairs of points and falls over 3");
    plant_room(CW_OPTIQ_DESTINATIONS, 128, 0, 9);
    check(CW_OPTIQ_DESTINATIONS, 1, CW_HOLDS_NOT, 9, "rises over 6");

    plant_room(CW_OPTIQ_DISTANCE, 1, 5.5, 3);
    plant_room(CW_OPTIQ_DISTANCE, 2, 2.5, 2);
    plant_room(CW_OPTIQ_DISTANCE, 3, 2.5, 9); /* at one distance nothing rises */
    check(CW_OPTIQ_DISTANCE, 1, CW_HOLDS_NOT, 3, "rises over 1 pairs of points and falls over 1");
    points.n -= 2;
    check(CW_OPTIQ_DISTANCE, 1, CW_HOLDS, 3, "2.00 times that of the default routes at 2.5 hops, 3.00 times at 5.5");
    plant_room(CW_OPTIQ_DISTANCE, 4, 7, 3.0);
    plant_room(CW_OPTIQ_DISTANCE, 5, 8, 2.5);
    check(CW_OPTIQ_DISTANCE, 1, CW_HOLDS_IN_PART, 2.5, "");
}

static void plant_paths(uint32_t k, enum cw_ties ties, double z)
{
    struct cw_optiq_point *point = plant(CW_OPTIQ_PATHS, &small, "3", CW_OPTIQ_LP, z, 1);
    point->k = k;
    point->ties = ties;
}

/* Each order of ties for itself. */
static void test_paths(void **state)
{
    (void)state;
    begin();
    plant_paths(1, CW_TIES_PLAIN, 0.3);
    plant_paths(4, CW_TIES_DISJOINT, 0.2);
    check(CW_OPTIQ_PATHS, 0, CW_NOT_TESTED, NAN, "");
    plant_paths(8, CW_TIES_DISJOINT, 0.4);
    plant_paths(8, CW_TIES_PLAIN, 0.35);
    plant(CW_OPTIQ_PATHS, &small, "3", CW_OPTIQ_OPTIMUM, 0.5, 1);
    check(CW_OPTIQ_PATHS, 0, CW_HOLDS, 0.4, "0.200 with k = 4 and ties disjoint, 0.400 with k = 8");
    plant_paths(16, CW_TIES_DISJOINT, 0.3);
    check(CW_OPTIQ_PATHS, 0, CW_HOLDS_IN_PART, 0.4, "optimum over all paths is 0.500; it rises over 3");
    plant_paths(32, CW_TIES_DISJOINT, 0.1);
    plant_paths(50, CW_TIES_DISJOINT, 0.05);
    check(CW_OPTIQ_PATHS, 0, CW_HOLDS_NOT, 0.4, "");
}

/* The chunk of BEST KiB is the fastest of 32 to 512. */
static void plant_chunks(unsigned pattern, unsigned best)
{
    char name[16];
    snprintf(name, sizeof name, "%u", pattern);
    struct cw_optiq_point *point = plant(CW_OPTIQ_CHUNKS, &small, name, CW_OPTIQ_GREEDY, 0.1, 1);
    point->n_variants = 5;
    for (unsigned v = 0; v < 5; v++)
        point->variants[v] = (struct cw_optiq_variant){
            .bytes = 1, .chunk = (uint64_t)32768 << v, .bytes_per_second = 32u << v == best ? 20 : 10 + v};
}

static void test_chunks(void **state)
{
    (void)state;
    begin();
    plant_chunks(0, 64);
    plant_chunks(63, 128);
    plant_chunks(20, 32);
    plant_chunks(64, 128);
    check(CW_OPTIQ_CHUNKS, 0, CW_HOLDS, 2.0 / 3,
          "2 of 3 patterns they are the fastest by more than 2 %, for 1 another");
    check(CW_OPTIQ_CHUNKS, 1, CW_HOLDS, 1, "1 of 1");
    plant_chunks(21, 512);
    plant_chunks(90, 64); /* right for others, not for these */
    check(CW_OPTIQ_CHUNKS, 0, CW_HOLDS_NOT, 0.5, "for 2 another");
    check(CW_OPTIQ_CHUNKS, 1, CW_HOLDS_NOT, 0.5, "1 of 2");

    /* Others do as well. */
    begin();
    plant_chunks(64, 128);
    plant_chunks(15, 64);
    items[0].variants[1].bytes_per_second = items[1].variants[4].bytes_per_second = 19.7;
    check(CW_OPTIQ_CHUNKS, 0, CW_HOLDS_IN_PART, 0, "for 1 others do as well");
    check(CW_OPTIQ_CHUNKS, 1, CW_HOLDS_IN_PART, 0, "for 0 another size is");
    items[0].variants[1].bytes_per_second = items[1].variants[4].bytes_per_second = 20.5;
    check(CW_OPTIQ_CHUNKS, 0, CW_HOLDS_NOT, 0, "for 1 another size is");
    check(CW_OPTIQ_CHUNKS, 1, CW_HOLDS_NOT, 0, "0 of 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing), cmocka_unit_test(test_gains),
                                       cmocka_unit_test(test_several), cmocka_unit_test(test_room),
                                       cmocka_unit_test(test_paths),   cmocka_unit_test(test_chunks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
