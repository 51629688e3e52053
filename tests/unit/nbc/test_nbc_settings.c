/* What users say in the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_settings.h"

static void test_schedules(void **state)
{
    (void)state;
    struct cw_nbc_way way;
    assert_int_equal(cw_nbc_way_parse("S", "split-tree:3", &way), 0);
    assert_int_equal(way.schedule, CW_NBC_SPLIT_TREE);
    assert_int_equal(way.radix, 2);
    assert_int_equal(way.steps, 3);
    assert_int_equal(cw_nbc_way_parse("S", "k-nomial:4", &way), 0);
    assert_int_equal(way.schedule, CW_NBC_SPLIT_TREE);
    assert_int_equal(way.radix, 4);
    assert_int_equal(way.steps, 0);
    assert_int_equal(cw_nbc_way_parse("S", "binomial", &way), 0);
    assert_int_equal(way.radix, 2);
    assert_int_equal(cw_nbc_way_parse("S", "slices:0.25", &way), 0);
    assert_int_equal(way.schedule, CW_NBC_SLICES);
    assert_true(way.fraction == .25);
    assert_int_equal(cw_nbc_way_parse("S", "auto", &way), 0);
    assert_int_equal(way.schedule, CW_NBC_AUTO);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"k-nomial:1", "the number of ranks, 1, is not between 2 and 1024"},
                                           {"k-nomial", "is not a schedule"},
                                           {"split-tree:32", "the number of levels, 32, is not between 0 and 31"},
                                           {"slices:1.5", "the fraction 1.5 is not between 0 and 1"},
                                           {"binomial:2", "is not a schedule"}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cw_nbc_way way;
        assert_int_equal(cw_nbc_way_parse("S", wrong[i][0], &way), CW_EUSAGE);
        assert_non_null(strstr(cw_error_message(), wrong[i][1]));
    }
}

static void test_names(void **state)
{
    (void)state;
    static struct cw_nbc_settings settings;
    setenv("CROSSWIND_NBC_TUNING", "off", 1);
    setenv("CROSSWIND_NBC_COREZ", "1", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "did you mean CROSSWIND_NBC_CORES?"));
    unsetenv("CROSSWIND_NBC_COREZ");
    setenv("CROSSWIND_NBCX", "1", 1); /* somebody else's */
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    unsetenv("CROSSWIND_NBCX");
}

static void test_copy(void **state)
{
    (void)state;
    static struct cw_nbc_settings settings;
    setenv("CROSSWIND_NBC_TUNING", "off", 1);
    unsetenv("CROSSWIND_NBC_COPY");
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    assert_int_equal(settings.copy, CW_NBC_COPY_AUTO);
    setenv("CROSSWIND_NBC_COPY", "attach", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    assert_int_equal(settings.copy, CW_NBC_COPY_ATTACH);
    setenv("CROSSWIND_NBC_COPY", "segment", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), 0);
    assert_int_equal(settings.copy, CW_NBC_COPY_SEGMENT);
    setenv("CROSSWIND_NBC_COPY", "carrier", 1);
    assert_int_equal(cw_nbc_settings_read("MPICH", &settings), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "CROSSWIND_NBC_COPY"));
}

/* Numbers and ranges, of which the last number there is belongs to the list, too. */
static void test_cores(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",    "a",   "-1",   "1-",   "1-a", "1--3",   "+1",    "1,+2", "1 ",
                                        "1;2", "3-2", "1024", "5000", ",1",  "0-1024", "1-2-3", "1,,2", "1025-1024"};
    char all[32];
    cpu_set_t set;
    assert_int_equal(cw_nbc_cores_parse("C", "0,4-7,2-2", &set), 0);
    for (size_t core = 0; core < CPU_SETSIZE; core++)
        assert_true(!CPU_ISSET(core, &set) == !(core == 0 || core == 2 || (core >= 4 && core <= 7)));
    snprintf(all, sizeof all, "0-%d", CPU_SETSIZE - 1);
    assert_int_equal(cw_nbc_cores_parse("C", all, &set), 0);
    assert_int_equal(CPU_COUNT(&set), CPU_SETSIZE);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (cw_nbc_cores_parse("C", wrong[i], &set) != CW_EUSAGE) fail_msg("'%s' is a list of cores", wrong[i]);
        assert_non_null(strstr(cw_error_message(), "C: '"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_schedules), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_copy),
                                       cmocka_unit_test(test_cores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
