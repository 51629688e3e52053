/* What a noise measurement will do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
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
    fixture.ratios[0] = 1. / 6; /* two ranks, on one host or on two */
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
        /* Blocks of a case are counted from 0 on. */
        assert_int_equal(step->order, i > 0 && step[-1].case_index == step->case_index ? step[-1].order + 1 : 0);
    }
    for (size_t c = 0; c < 12; c++)
        for (size_t split = 0; split < 10; split++)
            for (int s = 0; s < CW_BENCH_CONTROL; s++) assert_int_equal(seen[c][split][s], c / 6 == split % 2 ? 1 : 0);
    size_t n_controls = 0;
    for (uint32_t split = 0; split < 10; split++) { /* where there is a control, every case has it */
        uint32_t groups[RANKS], exchanging;
        assert_int_equal(
            cw_split_control(&fixture.places, plan.splits[split].roles, CW_CONTROL_NODE, groups, &exchanging), 0);
        for (size_t c = 0; c < 12; c++)
            assert_int_equal(seen[c][split][CW_BENCH_CONTROL], exchanging > 0 && c / 6 == split % 2 ? 1 : 0);
        n_controls += exchanging > 0;
    }
    assert_true(n_controls > 5 && n_controls < 10 && plan.n_controls == n_controls);
    for (int s = 0; s < CW_BENCH_CONTROL; s++) assert_true(first[s] >= 10); /* of 60 each comes first about 20 times */
    assert_true(begins[0] < 10);
    cw_bench_plan_free(&plan);
}

/* Split i is the one that was drawn for its ratio and repetition: no two of them are the same, and another seed has
 * others. */
static void test_splits(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    uint8_t roles[RANKS];
    prepare(&fixture, 1);
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    for (uint32_t i = 0; i < plan.n_splits; i++) {
        struct cw_bench_split *split = &plan.splits[i];
        assert_int_equal(cw_split_draw(&fixture.places, &fixture.request.rule, fixture.ratios[i % 2], i / 2, roles), 0);
        assert_memory_equal(split->roles, roles, RANKS);
        for (uint32_t k = 0; k < i; k++) assert_memory_not_equal(split->roles, plan.splits[k].roles, RANKS);
        assert_int_equal(split->n_application + split->n_perturbing, RANKS);
    }
    memcpy(roles, plan.splits[0].roles, RANKS);
    cw_bench_plan_free(&plan);
    fixture.request.rule.seed++;
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    assert_memory_not_equal(plan.splits[0].roles, roles, RANKS);
    cw_bench_plan_free(&plan);
}

/* Each split has an order of its own. */
static void test_orders_differ(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    prepare(&fixture, 1);
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    size_t alike = 0;
    for (size_t i = 24; i < plan.n_steps; i++) /* 12 steps a split, of two ratios in turn */
        alike += plan.steps[i].case_index == plan.steps[i % 24].case_index &&
                 plan.steps[i].state == plan.steps[i % 24].state;
    assert_int_equal(plan.n_steps, 120);
    assert_true(alike < 48); /* of 96; 8 if all orders are as likely */
    cw_bench_plan_free(&plan);
}

/* Idle ranks are on neither side, and cases keep the root. */
static void test_idle_and_root(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    prepare(&fixture, 1);
    fixture.request.rule.idle = 4;
    fixture.request.root = 2;
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    for (size_t i = 0; i < plan.n_splits; i++)
        assert_true(plan.splits[i].n_application == (i % 2 ? 4 : 6) && plan.splits[i].n_perturbing == (i % 2 ? 4 : 2));
    for (size_t c = 0; c < plan.n_cases; c++) assert_int_equal(plan.cases[c].root, 2);
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

/* It may end where all steps of some numbers of splits are done, and none of others. */
static void test_may_end(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    size_t ends = 0;
    prepare(&fixture, 1);
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    for (size_t step = 0; step < plan.n_steps; step++) {
        const uint32_t split = plan.steps[step].split;
        bool may = step > 0 && split % 2 == 0;
        for (size_t i = 0; i < plan.n_steps; i++)
            if (i < step ? plan.steps[i].split >= split : plan.steps[i].split < split) may = false;
        assert_int_equal(cw_bench_plan_may_end(&plan, step, 2), may);
        ends += may;
    }
    assert_int_equal(ends, 5 - 1);
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

/* "0-2,5": the ranks of ROLE. */
static void list(const struct cw_bench_split *split, enum cw_bench_role role, char text[64])
{
    *text = '\0';
    for (int rank = 0; rank < RANKS; rank++) {
        if (split->roles[rank] != role || (rank > 0 && split->roles[rank - 1] == role)) continue;
        int end = rank;
        while (end < RANKS && split->roles[end] == role) end++;
        if (*text) strcat(text, ",");
        sprintf(text + strlen(text), end > rank + 1 ? "%d-%d" : "%d", rank, end - 1);
    }
}

static void check_notes(const struct cw_bench_request *request, const struct cw_bench_plan *plan, double time,
                        bool oversubscribed, const char *expected)
{
    struct cw_result *result;
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_bench_plan_show(request, plan, 7, time, oversubscribed, result), 0);
    assert_int_equal(cw_result_write(result, CW_FORMAT_TEXT, 0, &text), 0);
    for (char *c = text.data; *c; c++)
        if (*c == '\n') *c = ' ';
    if (!strstr(text.data, expected)) fail_msg("expected '%s' in %s", expected, text.data);
    cw_text_free(&text);
    cw_result_free(result);
}

static void test_shown(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    struct cw_result *result;
    for (int control = 0; control < 2; control++) {
        prepare(&fixture, 4);
        fixture.request.rule.idle = 1;
        fixture.request.control = control == 1;
        assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
        assert_int_equal(cw_result_new(&result), 0);
        assert_int_equal(cw_bench_plan_show(&fixture.request, &plan, 7, 0, false, result), 0);
        assert_int_equal(cw_result_check(result), 0);
        const struct cw_table *table = cw_result_table(result, 0);
        assert_int_equal(cw_table_rows(table), 10);
        for (size_t i = 0; i < 10; i++) {
            char text[64];
            uint32_t groups[RANKS], exchanging = 0;
            const struct cw_bench_split *split = &plan.splits[i];
            if (control)
                assert_int_equal(cw_split_control(&fixture.places, split->roles, CW_CONTROL_NODE, groups, &exchanging),
                                 0);
            assert_true(cw_table_cell_real(table, i, 0) == fixture.ratios[i % 2]);
            assert_int_equal(cw_table_cell_int(table, i, 1), i / 2);
            assert_int_equal(cw_table_cell_int(table, i, 2), split->n_application);
            assert_int_equal(cw_table_cell_int(table, i, 3), split->n_perturbing);
            assert_int_equal(cw_table_cell_int(table, i, 4), 1);
            assert_int_equal(cw_table_cell_int(table, i, 5), exchanging);
            list(split, CW_BENCH_APPLICATION, text);
            assert_string_equal(cw_table_cell_text(table, i, 6), text);
            list(split, CW_BENCH_PERTURBING, text);
            assert_string_equal(cw_table_cell_text(table, i, 7), text);
        }
        cw_result_free(result);
        if (!control) {
            assert_int_equal(plan.n_steps, 120);
            check_notes(
                &fixture.request, &plan, 0, false,
                "12 ranks on 3 hosts. 12 cases on 5 splits of each ratio: 120 blocks of up to 7 calls. There is no "
                "time limit: it takes as long as 840 calls do.");
            check_notes(
                &fixture.request, &plan, 60, true,
                "12 ranks on 3 hosts, more than there are processors. 12 cases on 5 splits of each ratio: 120 blocks "
                "of up to 7 calls. This takes at most 60 s (500 ms for each block), and less where 7 calls need "
                "less.");
        }
        cw_bench_plan_free(&plan);
    }
}

/* Text shows twenty splits, and says how many more there are. */
static void test_many_shown(void **state)
{
    (void)state;
    struct fixture fixture;
    struct cw_bench_plan plan;
    prepare(&fixture, 4);
    fixture.request.n_splits = 11;
    assert_int_equal(cw_bench_plan_make(&fixture.request, &plan), 0);
    struct cw_result *result;
    assert_int_equal(cw_result_new(&result), 0);
    assert_int_equal(cw_bench_plan_show(&fixture.request, &plan, 7, 0, false, result), 0);
    assert_int_equal(cw_table_text_rows(cw_result_table(result, 0)), 20);
    assert_int_equal(cw_table_rows(cw_result_table(result, 0)), 22);
    cw_result_free(result);
    cw_bench_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads),         cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_orders_differ), cmocka_unit_test(test_idle_and_root),
                                       cmocka_unit_test(test_splits),        cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_may_end),       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_shown),         cmocka_unit_test(test_many_shown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
