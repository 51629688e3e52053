/* Cores of machines that are described, limits of control groups in a folder, and what is planned on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "study/overlap/core_plan.h"

static struct cw_machine_cores machine(const char *words)
{
    struct cw_machine_cores cores;
    if (cw_machine_cores_read(words, &cores)) fail_msg("%s: %s", words ? words : "this machine", cw_error_message());
    return cores;
}

static void test_described(void **state)
{
    (void)state;
    struct cw_machine_cores cores = machine("pack:2 [numa] core:3 pu:2");
    assert_int_equal(cores.n, 6);
    assert_int_equal(cores.all, 6);
    assert_true(isinf(cores.quota));
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(cores.items[i].cpu, 2 * i);
        assert_int_equal(cores.items[i].package, i / 3);
        assert_int_equal(cores.items[i].node, i / 3);
    }
    cw_machine_cores_free(&cores);
    assert_int_equal(cw_machine_cores_read("two sockets", &cores), CW_EUSAGE);
    /* this one has a core, wherever the test runs */
    struct cw_machine_cores own = machine(NULL);
    assert_true(own.n >= 1 && own.n <= own.all && own.quota > 0);
    cw_machine_cores_free(&own);
}

static void write_file(const char *root, const char *name, const char *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *c = path + strlen(root) + 1; (c = strchr(c, '/')); c++) {
        *c = '\0';
        mkdir(path, 0700);
        *c = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void test_quota(void **state)
{
    (void)state;
    char root[] = "/tmp/cw_quota_XXXXXX", command[64];
    assert_non_null(mkdtemp(root));
    assert_true(isinf(cw_machine_quota(root, "0::/job/step\n")));
    write_file(root, "job/step/cpu.max", "max 100000\n");
    assert_true(isinf(cw_machine_quota(root, "0::/job/step\n")));
    write_file(root, "job/cpu.max", "250000 100000\n"); /* of the group above */
    assert_true(cw_machine_quota(root, "0::/job/step\n") == 2.5);
    write_file(root, "cpu/old/cpu.cfs_quota_us", "-1\n");
    write_file(root, "cpu/old/cpu.cfs_period_us", "100000\n");
    assert_true(isinf(cw_machine_quota(root, "5:memory:/old\n4:cpu,cpuacct:/old\n")));
    write_file(root, "cpu/old/cpu.cfs_quota_us", "400000\n");
    assert_true(cw_machine_quota(root, "5:memory:/old\n4:cpu,cpuacct:/old\n") == 4);
    assert_true(isinf(cw_machine_quota(root, "4:cpuset:/old\n")));
    assert_true(cw_machine_quota(root, "4:cpu:/old\n0::/job/step\n") == 2.5);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static struct cw_core_plan plan_of(const struct cw_machine_cores *cores, double ratio, uint32_t ranks)
{
    const struct cw_split_model model = {.ratio = ratio};
    const struct cw_core_costs costs = cw_core_costs_default();
    struct cw_core_plan plan;
    if (cw_core_plan_new(cores, &model, &costs, ranks, &plan)) fail_msg("%s", cw_error_message());
    uint32_t given = 0;
    for (size_t i = 0; i < cores->n; i++) given += plan.communicates[i];
    assert_int_equal(given, plan.advice == CW_CORES_OVERLAP ? plan.usable - plan.ranks : 0);
    return plan;
}

static void test_plans(void **state)
{
    (void)state;
    struct cw_machine_cores knl = machine("core:64 pu:1");
    struct cw_core_plan plan = plan_of(&knl, 1, 0); /* the published model's machine: slices */
    assert_int_equal(plan.advice, CW_CORES_OVERLAP);
    assert_int_equal(plan.ranks, 56);
    assert_true(plan.slices && fabs(plan.time - 6.860) < 5e-4 && plan.all_cores == 12);
    cw_core_plan_free(&plan);
    plan = plan_of(&knl, 1, 40); /* enough communication cores for the whole tree */
    assert_true(!plan.slices && plan.steps == 0 && plan.ranks == 40);
    cw_core_plan_free(&plan);
    plan = plan_of(&knl, 1000, 0); /* a core given away costs more than there is to hide */
    assert_int_equal(plan.advice, CW_CORES_STAY);
    assert_int_equal(plan.ranks, 64);
    cw_core_plan_free(&plan);
    plan = plan_of(&knl, 1, 64);
    assert_int_equal(plan.advice, CW_CORES_NO_SPARE);
    cw_core_plan_free(&plan);
    knl.quota = 16.9; /* time of a control group */
    plan = plan_of(&knl, 1, 0);
    assert_true(plan.usable == 16 && plan.ranks < 16 && plan.ranks > 8);
    cw_core_plan_free(&plan);
    const struct cw_split_model model = {.ratio = 1};
    const struct cw_core_costs costs = cw_core_costs_default();
    assert_int_equal(cw_core_plan_new(&knl, &model, &costs, 17, &plan), CW_EUSAGE);
    cw_machine_cores_free(&knl);
    struct cw_machine_cores two = machine("core:2 pu:1");
    plan = plan_of(&two, 1, 0);
    assert_int_equal(plan.advice, CW_CORES_NO_SPARE);
    cw_core_plan_free(&plan);
    cw_machine_cores_free(&two);
}

/* Which cores of MACHINE, of which QUOTA count, communicate beside RANKS: positions, in their order. */
static void check_places(const char *words, double quota, uint32_t ranks, const char *expected)
{
    struct cw_machine_cores cores = machine(words);
    char places[256] = "";
    if (quota > 0) cores.quota = quota;
    struct cw_core_plan plan = plan_of(&cores, 1, ranks);
    for (size_t i = 0; i < cores.n; i++)
        if (plan.communicates[i]) snprintf(places + strlen(places), sizeof places - strlen(places), " %zu", i);
    assert_string_equal(places, expected);
    cw_core_plan_free(&plan);
    cw_machine_cores_free(&cores);
}

/* The last cores of each package and NUMA node, as many of each as its size says. */
static void test_places(void **state)
{
    (void)state;
    check_places("pack:2 [numa] core:4 pu:1", 0, 5, " 3 6 7");
    check_places("pack:2 core:4 pu:1", 0, 5, " 3 6 7"); /* packages on one NUMA node */
    check_places("pack:2 core:4 pu:1", 0, 4, " 2 3 6 7");
    check_places("[numa] pack:1 l3:2 [numa] core:4 pu:1", 0, 6, " 3 7"); /* NUMA nodes in one package */
    check_places("pack:4 [numa] core:4 pu:2", 0, 12, " 3 7 11 15");
    check_places("pack:2 core:8 pu:1", 8, 6, " 6 7");       /* ranks are on the first package: so are these */
    check_places("pack:2 core:8 pu:1", 12.5, 9, " 6 7 11"); /* eight cores of one, four of the other */
}

/* What was measured: a communication core moves a transfer in 1 ms, twice as fast as a level of MPI's own. */
static void test_costs(void **state)
{
    (void)state;
    static struct cw_nbc_tuning tuning;
    struct cw_nbc_choice choice = {.collective = CW_COLLECTIVE_BCAST,
                                   .ranks = 60,
                                   .cores = 4,
                                   .bytes = 1 << 20,
                                   .native_total = 21e-3,
                                   .total = 13e-3,
                                   .blocking = 12e-3,
                                   .workers = 59e-3 / 4};
    assert_int_equal(cw_nbc_tuning_put(&tuning, &choice), 0);
    struct cw_core_costs costs = cw_core_costs_of(&tuning, CW_COLLECTIVE_BCAST, 40, 2 << 20);
    assert_true(fabs(costs.transfer - 1e-3) < 1e-12 && fabs(costs.level - 2) < 1e-12);
    assert_true(fabs(costs.hidden - .25) < 1e-12 && costs.measured);
    assert_null(cw_core_costs_of(&tuning, CW_COLLECTIVE_REDUCE, 40, 2 << 20).measured);
    assert_null(cw_core_costs_of(&tuning, CW_COLLECTIVE_BCAST, 40, 1000).measured);

    struct cw_machine_cores knl = machine("core:64 pu:1");
    const struct cw_split_model model = {.ratio = 1};
    struct cw_core_plan plan, slower = plan_of(&knl, 1, 0);
    assert_int_equal(cw_core_plan_new(&knl, &model, &costs, 0, &plan), 0);
    /* 6 levels of 2 transfers, the computation as long, of which a quarter of the collective is hidden */
    assert_true(plan.advice == CW_CORES_OVERLAP && fabs(plan.all_cores - (24 - 3)) < 1e-9);
    assert_true(plan.ranks > slower.ranks); /* faster cores, relative to the computation: fewer are needed */
    cw_core_plan_free(&plan);
    cw_core_plan_free(&slower);
    tuning.items[0].native = true;
    costs = cw_core_costs_of(&tuning, CW_COLLECTIVE_BCAST, 60, 2 << 20);
    assert_int_equal(cw_core_plan_new(&knl, &model, &costs, 0, &plan), 0);
    assert_int_equal(plan.advice, CW_CORES_MEASURED);
    assert_int_equal(plan.ranks, 64);
    cw_core_plan_free(&plan);
    cw_machine_cores_free(&knl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_described), cmocka_unit_test(test_quota), cmocka_unit_test(test_plans),
        cmocka_unit_test(test_places),    cmocka_unit_test(test_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
