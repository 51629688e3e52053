/* Setups of another size than the library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "base/setup.h"

struct setup {
    uint64_t a, b, c;
};

static const struct setup given = {1, 2, 3};

static void test_same(void **state)
{
    struct setup read = {7, 7, 7};
    (void)state;
    assert_int_equal(cw_setup_read(&given, sizeof given, &read, sizeof read), 0);
    assert_memory_equal(&read, &given, sizeof read);
}

/* Of a caller who knew fewer fields: the others are zero. */
static void test_shorter(void **state)
{
    struct setup read = {7, 7, 7};
    (void)state;
    assert_int_equal(cw_setup_read(&given, offsetof(struct setup, c), &read, sizeof read), 0);
    assert_int_equal(read.a, 1);
    assert_int_equal(read.b, 2);
    assert_int_equal(read.c, 0);
}

/* Of one who knew more: they may be there, but must mean nothing. */
static void test_longer(void **state)
{
    struct {
        struct setup known;
        unsigned char more[9];
    } longer = {given, {0}};
    struct setup read = {7, 7, 7};
    (void)state;
    assert_int_equal(cw_setup_read(&longer, sizeof given + 9, &read, sizeof read), 0);
    assert_memory_equal(&read, &given, sizeof read);
    longer.more[8] = 1;
    assert_int_equal(cw_setup_read(&longer, sizeof given + 8, &read, sizeof read), 0);
    read = (struct setup){7, 7, 7};
    assert_int_equal(cw_setup_read(&longer, sizeof given + 9, &read, sizeof read), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "something in byte 32"));
    assert_int_equal(read.a, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_shorter),
                                       cmocka_unit_test(test_longer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
