/* Arrays that cannot overflow, pages of one's own, and memory divided into arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/division.h"
#include "base/error.h"
#include "base/memory.h"

static void test_arrays(void **state)
{
    (void)state;
    int *zeroed = cw_new_array(100, sizeof *zeroed, "numbers");
    assert_non_null(zeroed);
    for (size_t i = 0; i < 100; i++) assert_int_equal(zeroed[i], 0);
    free(zeroed);
    void *none = cw_new_array(0, 8, "nothing");
    assert_non_null(none);
    free(none);
    char *copy = cw_copy_text("abcdef", 3);
    assert_string_equal(copy, "abc");
    free(copy);
}

static void test_sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_null(cw_new_array(SIZE_MAX / 4, 8, "routes"));
    assert_non_null(strstr(cw_error_message(), "routes"));
    assert_null(cw_new_array(SIZE_MAX / 16 + 1, 8, "routes")); /* fits size_t, but no object is that large */
    void *items = NULL;
    size_t capacity = 0;
    assert_int_equal(cw_grow_array(&items, &capacity, SIZE_MAX / 2, 8, "flows"), CW_ENOMEM);
    assert_null(items);
    assert_int_equal(capacity, 0);
}

static void test_growth_keeps_items_and_doubles(void **state)
{
    (void)state;
    void *items = NULL;
    size_t capacity = 0, growths = 0;
    for (size_t n = 0; n < 10000; n++) {
        const size_t before = capacity;
        assert_int_equal(cw_grow_array(&items, &capacity, n + 1, sizeof(size_t), "numbers"), 0);
        assert_true(capacity > n);
        if (capacity != before) {
            assert_true(capacity >= 2 * before);
            growths++;
        }
        ((size_t *)items)[n] = n;
    }
    assert_true(growths < 16);
    for (size_t n = 0; n < 10000; n++) assert_int_equal(((size_t *)items)[n], n);
    free(items);
}

static void test_pages_are_shared_with_nothing(void **state)
{
    (void)state;
    enum { PAGE = 4096, N = 3 };
    static const size_t bytes[N] = {1, PAGE, PAGE + 1};
    char *pages[N];
    for (int i = 0; i < N; i++) {
        pages[i] = cw_new_pages(bytes[i], "threads");
        assert_non_null(pages[i]);
        assert_int_equal((uintptr_t)pages[i] % PAGE, 0);
        for (size_t k = 0; k < (bytes[i] + PAGE - 1) / PAGE * PAGE; k++) assert_int_equal(pages[i][k], 0);
        memset(pages[i], 1, bytes[i]);
    }
    for (int i = 0; i < N; i++) free(pages[i]);
    assert_null(cw_new_pages(SIZE_MAX, "threads"));
    assert_non_null(strstr(cw_error_message(), "threads"));
}

static void test_division_measures_and_divides(void **state)
{
    (void)state;
    struct cw_division measured = {0};
    assert_null(cw_divide(&measured, 3, 8));
    assert_null(cw_divide(&measured, 65, 1));
    assert_null(cw_divide(&measured, 0, 8));
    assert_null(cw_divide(&measured, 1, 4));
    assert_int_equal(measured.used, 64 + 128 + 0 + 64);
    char *memory = cw_new_pages(measured.used, "arrays");
    assert_non_null(memory);
    struct cw_division divided = {.base = memory};
    assert_ptr_equal(cw_divide(&divided, 3, 8), memory);
    assert_ptr_equal(cw_divide(&divided, 65, 1), memory + 64);
    assert_ptr_equal(cw_divide(&divided, 0, 8), memory + 192);
    assert_ptr_equal(cw_divide(&divided, 1, 4), memory + 192);
    assert_int_equal(divided.used, measured.used);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_sizes_that_overflow_are_refused),
        cmocka_unit_test(test_growth_keeps_items_and_doubles),
        cmocka_unit_test(test_pages_are_shared_with_nothing),
        cmocka_unit_test(test_division_measures_and_divides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
