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
#include "study/core_plan.h"

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
    struct cw_core_plan plan;
    if (cw_core_plan_new(cores, &model, ranks, &plan)) fail_msg("%s", cw_error_message());
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
    assert_int_equal(cw_core_plan_new(&knl, &model, 17, &plan), CW_EUSAGE);
    cw_machine_cores_free(&knl);
    struct cw_machine_cores two = machine("core:2 pu:1");
    plan = plan_of(&two, 1, 0);
    assert_int_equal(plan.advice, CW_CORES_NO_SPARE);
    cw_core_plan_free(&plan);
    cw_machine_cores_free(&two);
}

/* The last cores of each NUMA node in turn. */
static void test_places(void **state)
{
    (void)state;
    struct cw_machine_cores cores = machine("pack:2 [numa] core:4 pu:1");
    struct cw_core_plan plan = plan_of(&cores, 1, 5);
    for (size_t i = 0; i < 8; i++) assert_int_equal(plan.communicates[i], i == 7 || i == 3 || i == 6);
    cw_core_plan_free(&plan);
    cw_machine_cores_free(&cores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_described),
        cmocka_unit_test(test_quota),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
