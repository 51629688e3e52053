/* Lists of hosts: what they stand for, and what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "net/host_list.h"

/* What was taken, and one name that is known, brackets and all. */
struct taken {
    const char *known;
    struct cw_text names;
    size_t n;
};

static int take_name(void *context, const char *name, bool last)
{
    struct taken *taken = context;
    if (!last && !(taken->known && strcmp(name, taken->known) == 0)) return CW_HOST_UNKNOWN;
    if (taken->n++ < 100) cw_text_printf(&taken->names, "%s%s", taken->n > 1 ? "|" : "", name);
    return cw_text_check(&taken->names);
}

static void assert_known(const char *list, const char *known, const char *expected)
{
    struct taken taken = {.known = known};
    if (cw_host_list_each(list, take_name, &taken)) fail_msg("%s: %s", list, cw_error_message());
    assert_string_equal(taken.names.data, expected);
    cw_text_free(&taken.names);
}

static void assert_names(const char *list, const char *expected)
{
    assert_known(list, NULL, expected);
}

static void test_names(void **state)
{
    (void)state;
    assert_names("node7", "node7");
    assert_names("node[8-11]", "node8|node9|node10|node11");
    assert_names("node[008-011]", "node008|node009|node010|node011");
    assert_names("node[08-11]x", "node08x|node09x|node10x|node11x");
    assert_names("node[98-101]", "node98|node99|node100|node101");
    assert_names("node[098-101]", "node098|node099|node100|node101");
    assert_names("n[001-3]", "n001|n002|n003");
    assert_names("n[0-2]", "n0|n1|n2");
    assert_names("n[7]", "n7");
    assert_names("n[4,1,007-008,4]", "n4|n1|n007|n008|n4"); /* in the order that is written, twice if it says so */
    assert_names("rack[1-2]n[01-02]", "rack1n01|rack1n02|rack2n01|rack2n02");
    assert_names("a[1-2],b, c[3]\t,d[4-5]", "a1|a2|b|c3|d4|d5");
    assert_names("node[1-2] HCA-[1,2]", "node1 HCA-1|node1 HCA-2|node2 HCA-1|node2 HCA-2");
    assert_names("s(0,1)", "s(0,1)");
    assert_names("s([0-1],2),h3", "s(0,2)|s(1,2)|h3");
    assert_names("n[999999999999999998-999999999999999999]", "n999999999999999998|n999999999999999999");
    assert_names("n[1][2][3][4][5][6][7][8]", "n12345678");
}

/* Brackets that readers of maps put behind a blank, and any at the beginning, are part of the name. */
static void test_literal_brackets(void **state)
{
    (void)state;
    assert_names("ConnectX [0002c903]", "ConnectX [0002c903]");
    assert_names("[1-2]", "[1-2]");
    assert_names("node[1-2] [x]/P1", "node1 [x]/P1|node2 [x]/P1");
    assert_names("a,[1-2]", "a|[1-2]");
}

/* What is called so goes first: the whole, then an item, even one whose brackets are wrong. */
static void test_known(void **state)
{
    (void)state;
    assert_known("n[1-2]", "n[1-2]", "n[1-2]");
    assert_known("n[1-2],m[1-2]", "n[1-2]", "n[1-2]|m1|m2");
    assert_known("m[1-2], n[2-1] ", "n[2-1]", "m1|m2|n[2-1]");
    assert_known("rack 1, node[7-8]", "rack 1, node[7-8]", "rack 1, node[7-8]");
    assert_known(" n ", " n ", " n ");
    assert_known(" n ", NULL, "n");
    assert_known("n]", "n]", "n]");
}

static void assert_wrong(const char *list, size_t n, const char *message)
{
    struct taken taken = {0};
    assert_int_equal(cw_host_list_each(list, take_name, &taken), CW_EUSAGE);
    if (!strstr(cw_error_message(), message)) fail_msg("%s: %s", list, cw_error_message());
    assert_int_equal(taken.n, n);
    cw_text_free(&taken.names);
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const malformed[][2] = {
        {"node[1-4", "'node[1-4': '[' without ']'; expected numbers in brackets, such as node[001-064]"},
        {"node1-4]", "'node1-4]': ']' without '['"},
        {"node[1]]", "']' without '['"},
        {"a [x]]", "']' without '['"},
        {"n[]", "'n[]': a number is missing"},
        {"n[1,]", "a number is missing"},
        {"n[,1]", "a number is missing"},
        {"n[1-]", "a number is missing"},
        {"n[-1]", "a number is missing"},
        {"n[1--2]", "a number is missing"},
        {"n[1-2-3]", "other characters than digits, '-' and ','"},
        {"n[a-c]", "other characters"},
        {"n[1 ]", "other characters"},
        {"n[[1]]", "other characters"},
        {"n[2-1]", "a range goes down"},
        {"n[01-001]", "the numbers of a range are written with different widths"},
        {"n[1-01]", "different widths"},
        {"n[1234567890123456789]", "a number has more than 18 digits"},
        {"n[1][2][3][4][5][6][7][8][9]", "more than 8 pairs of brackets"},
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) assert_wrong(malformed[i][0], 0, malformed[i][1]);
    assert_wrong("a,b[1-2],c[2-1]", 3, "'c[2-1]': a range goes down");
    assert_wrong("", 0, "an empty name");
    assert_wrong("a,,b", 1, "an empty name");
    assert_wrong("a,b, ", 2, "an empty name");
}

static void test_limit(void **state)
{
    (void)state;
    struct taken taken = {0};
    assert_int_equal(cw_host_list_each("n[1-999999],m[1]", take_name, &taken), 0);
    assert_int_equal(taken.n, CW_HOST_LIST_LIMIT);
    cw_text_free(&taken.names);
    assert_wrong("n[1-1000000],m[1]", CW_HOST_LIST_LIMIT, "'m[1]': more than 1000000 names");
    assert_wrong("n[0-999][0-999][0-1]", 0, "more than 1000000 names");
    assert_wrong("n[0-99999999999999999][0-99999999999999999][0-99999999999999999]", 0, "more than 1000000 names");
}

static int fail_second(void *context, const char *name, bool last)
{
    size_t *n = context;
    (void)name;
    if (!last) return CW_HOST_UNKNOWN;
    return ++*n == 2 ? CW_EIO : 0;
}

static void test_end(void **state)
{
    (void)state;
    size_t n = 0;
    assert_int_equal(cw_host_list_each("n[1-2]m[1-2],o", fail_second, &n), CW_EIO);
    assert_int_equal(n, 2);
    n = 0;
    assert_int_equal(cw_host_list_each("n,m,o", fail_second, &n), CW_EIO);
    assert_int_equal(n, 2);
}

static void test_items(void **state)
{
    (void)state;
    assert_int_equal(cw_host_list_item("a,b"), 1);
    assert_int_equal(cw_host_list_item("a[1,2]b,c"), 7);
    assert_int_equal(cw_host_list_item("s(1,2)-s(1,3),c"), 13);
    assert_int_equal(cw_host_list_item("a[1,b"), 3); /* nothing closes it */
    assert_int_equal(cw_host_list_item("a [1,2]"), 4);
    assert_int_equal(cw_host_list_item(""), 0);
}

/* What is written for NAMES, up to a NULL, which is read again. */
static void assert_list(const char *const *names, const char *expected)
{
    struct cw_text list = {0}, joined = {0};
    size_t n = 0;
    while (names[n]) n++;
    for (size_t i = 0; i < n; i++) cw_text_printf(&joined, "%s%s", i > 0 ? "|" : "", names[i]);
    cw_host_list_write(names, n, &list);
    assert_string_equal(list.data, expected);
    assert_names(list.data, joined.data);
    cw_text_free(&list);
    cw_text_free(&joined);
}

#define LIST(...)                                                                                                      \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

static void test_written(void **state)
{
    (void)state;
    assert_list(LIST("node7"), "node7");
    assert_list(LIST("login", "node7"), "login,node7");
    assert_list(LIST("n8", "n9", "n10", "n12"), "n[8-10,12]");
    assert_list(LIST("n098", "n099", "n100", "n0101"), "n[098-100,0101]");
    assert_list(LIST("n09", "n10", "n010", "n11"), "n[09-10,010,11]");
    assert_list(LIST("n0", "n1", "n01", "n02"), "n[0-1,01-02]");
    assert_list(LIST("n3", "n2", "n2", "n1"), "n[3,2,2,1]");
    assert_list(LIST("a1", "b2", "b3-ib", "b4-ib"), "a1,b2,b3-ib,b4-ib");
    assert_list(LIST("r1n1", "r1n2", "r2n1", "r2n2"), "r1n[1-2],r2n[1-2]");
    assert_list(LIST("12", "13"), "12,13");                     /* brackets at the beginning are none */
    assert_list(LIST("node 12", "node 13"), "node 12,node 13"); /* nor are those behind a blank */
    assert_list(LIST("n999999999999999999", "n1000000000000000000"), "n999999999999999999,n1000000000000000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written), cmocka_unit_test(test_names),  cmocka_unit_test(test_literal_brackets),
        cmocka_unit_test(test_known),   cmocka_unit_test(test_faults), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_end),     cmocka_unit_test(test_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
