/* What a noise measurement will do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/bench/bench_plan.h"
#include "study/bench/partners.h"

static void test_loads(void **state)
{
    (void)state;
    struct cw_bench_load *loads;
    size_t n;
    assert_int_equal(cw_bench_parse_loads("--perturb", &cw_perturbation_registry, 77, "shift:2KiB,incast", &loads, &n),
                     0);
    assert_int_equal(n, 2);
    assert_string_equal(cw_registry_name_of(loads[0].kind), "shift");
    assert_int_equal(loads[0].bytes, 2048);
    assert_string_equal(cw_registry_name_of(loads[1].kind), "incast");
    assert_int_equal(loads[1].bytes, 77);
    free(loads);
    static const char *const wrong[] = {"shft:8B", "shift:x", "shift,", "", "shift:8B:9B"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(cw_bench_parse_loads("--perturb", &cw_perturbation_registry, 77, wrong[i], &loads, &n),
                         CW_EUSAGE);
}

#define RANKS 12

struct fixture {
    uint32_t host_of[RANKS];
    struct cw_rank_places places;
    double ratios[2];
    struct cw_bench_load operations[2], perturbations[3];
    struct cw_bench_request request;
};

static void prepare(struct fixture *fixture, uint32_t per_host)
{
    *fixture = (struct fixture){.ratios = {0.25, 0.5}};
    for (uint32_t rank = 0; rank < RANKS; rank++) fixture->host_of[rank] = rank / per_host;
    fixture->places = (struct cw_rank_places){
        .n_ranks = RANKS, .n_hosts = (RANKS + per_host - 1) / per_host, .host_of = fixture->host_of};
    for (size_t i = 0; i < 2; i++)
        fixture->operations[i] = (struct cw_bench_load){.kind = &cw_perturbations[i], .bytes = 8 + i};
    for (size_t i = 0; i < 3; i++)
        fixture->perturbations[i] = (struct cw_bench_load){.kind = &cw_perturbations[i], .bytes = 100 + i};
    fixture->request = (struct cw_bench_request){.places = &fixture->places,
                                                 .rule = {.seed = 9},
                                                 .ratios = fixture->ratios,
                                                 .n_ratios = 2,
                                                 .operations = fixture->operations,
                                                 .n_operations = 2,
                                                 .perturbations = fixture->perturbations,
                                                 .n_perturbations = 3,
                                                 .n_splits = 5};
}

/* Every case is measured once in every state on every split of its ratio, split by split. */
static void test_order(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    prepare(&fixture, 6);
    fixture.request.control = true;
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    assert_int_equal(plan.n_cases, 12);
    assert_int_equal(plan.n_splits, 10);
    unsigned seen[12][10][CW_BENCH_STATES] = {0}, first[CW_BENCH_STATES] = {0}, begins[12] = {0};
    for (size_t i = 0; i < plan.n_steps; i++) {
        const struct cw_bench_step *step = &plan.steps[i];
        seen[step->case_index][step->split][step->state]++;
        if (step->order == 0) first[step->state]++;
        if (i == 0 || step->split != step[-1].split) begins[step->case_index % 6]++;
        if (i > 0) assert_true(step->split >= step[-1].split && step->split <= step[-1].split + 1);
        if (i > 0 && step->order > 0) assert_int_equal(step->case_index, step[-1].case_index);
        assert_true(fixture.ratios[step->split % 2] == plan.cases[step->case_index].ratio);
    }
    for (size_t c = 0; c < 12; c++)
        for (size_t split = 0; split < 10; split++)
            for (int s = 0; s < CW_BENCH_CONTROL; s++) assert_int_equal(seen[c][split][s], c / 6 == split % 2 ? 1 : 0);
    assert_true(plan.n_controls > 0);
    for (int s = 0; s < CW_BENCH_CONTROL; s++) assert_true(first[s] >= 10); /* of 60 each comes first about 20 times */
    assert_true(begins[0] < 10);
    cw_bench_plan_free(&plan);
}

static void test_cases(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    prepare(&fixture, 1);
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    const struct cw_bench_case *one = &plan.cases[6 + 3 + 2];
    assert_string_equal(one->operation, "shift");
    assert_int_equal(one->bytes, 9);
    assert_string_equal(one->perturbation, "bisection");
    assert_int_equal(one->perturbation_bytes, 102);
    assert_true(one->ratio == 0.5 && plan.load_of[11] == 5);
    assert_int_equal(plan.splits[0].n_perturbing, 3);
    assert_int_equal(plan.splits[1].n_perturbing, 6);
    assert_int_equal(plan.n_steps, 2 * 12 * 5);
    cw_bench_plan_free(&plan);
}

static void test_refusals(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    prepare(&fixture, 1);
    fixture.request.root = 6;
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "root 6, but the application has 6 ranks at ratio 0.5, from 0 on");
    prepare(&fixture, 1);
    fixture.request.control = true;
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "no control can be had: no host has two perturbing ranks in any of the 10 splits");
    prepare(&fixture, 1);
    fixture.ratios[1] = 0.01;
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "ratio 0.01 of 12 ranks"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_cases), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
