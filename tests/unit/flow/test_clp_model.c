/* CLP behind its guard: a program solved by hand, an interruption, and no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "flow/clp_model.h"

/* gcc has a macro for each sanitizer, clang features. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

/* Minimise x + y with x + 2 y >= 4 and 3 x + y >= 6: both hold exactly at (1.6, 1.2), and the rows cost 0.4 and 0.2,
 * for 0.4 + 3 · 0.2 = 1 and 2 · 0.4 + 0.2 = 1. */
static struct cw_clp *program(void)
{
    struct cw_clp *clp = NULL;
    const double lower[] = {4, 6}, upper[] = {INFINITY, INFINITY}, zero[] = {0, 0}, cost[] = {1, 1};
    const int no_entries[] = {0, 0, 0}, start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
    const double value[] = {1, 3, 2, 1};
    assert_int_equal(cw_clp_new(1e-9, &clp), 0);
    const struct cw_clp_items rows = {
        .n = 2, .lower = lower, .upper = upper, .start = no_entries, .index = index, .value = value};
    assert_int_equal(cw_clp_add_rows(clp, &rows), 0);
    const struct cw_clp_items columns = {
        .n = 2, .lower = zero, .upper = upper, .cost = cost, .start = start, .index = index, .value = value};
    assert_int_equal(cw_clp_add_columns(clp, &columns), 0);
    return clp;
}

/* From a point that is feasible but not the best. */
static void start(struct cw_clp *clp)
{
    const double x[] = {4, 4};
    const unsigned char places[] = {CW_CLP_SUPERBASIC, CW_CLP_SUPERBASIC, CW_CLP_BASIC, CW_CLP_BASIC};
    assert_int_equal(cw_clp_start(clp, x, places), 0);
}

static void assert_solution(struct cw_clp *clp)
{
    enum cw_clp_end end;
    assert_int_equal(cw_clp_solve(clp, INFINITY, &end), 0);
    assert_int_equal(end, CW_CLP_OPTIMAL);
    const double *x = cw_clp_solution(clp), *price = cw_clp_prices(clp);
    assert_true(fabs(x[0] - 1.6) < 1e-9 && fabs(x[1] - 1.2) < 1e-9);
    assert_true(fabs(price[0] - 0.4) < 1e-9 && fabs(price[1] - 0.2) < 1e-9);
}

static void solved_by_hand(void **state)
{
    (void)state;
    struct cw_clp *clp = program();
    start(clp);
    assert_solution(clp);
    cw_clp_free(clp);
    cw_clp_free(NULL);
}

static void interrupted(void **state)
{
    (void)state;
    struct cw_clp *clp = program();
    enum cw_clp_end end;
    start(clp);
    cw_interrupt();
    assert_int_equal(cw_clp_solve(clp, INFINITY, &end), CW_EINTERRUPTED);
    assert_string_equal(cw_error_message(), "interrupted");
    assert_true(fabs(cw_clp_solution(clp)[0] - 1.6) > 0.1); /* it did not go on to the end */
    cw_interrupt_clear();
    start(clp);
    assert_solution(clp);
    cw_clp_free(clp);
}

static void stopped(void **state)
{
    (void)state;
    struct cw_clp *clp = program();
    enum cw_clp_end end;
    const double cost[] = {1, 1}, upper[] = {INFINITY, INFINITY};
    assert_int_equal(cw_clp_change(clp, cost, upper, 0, NULL), 0);
    start(clp);
    assert_int_equal(cw_clp_solve(clp, INFINITY, &end), 0);
    assert_int_equal(end, CW_CLP_STOPPED);
    cw_clp_free(clp);
}

/* What this process has of its address space, in bytes. */
static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A million columns, for which CLP wants some 100 MB, where a tenth of that can be had: an error, no abort. */
static void out_of_memory(void **state)
{
    (void)state;
    if (SANITIZED) {
        print_message("sanitizers need more address space than can be limited\n");
        skip();
    }
    enum { MANY = 1000000 };
    double *bounds = cw_new_array(MANY, sizeof *bounds, "a test"), *value = cw_new_array(MANY, sizeof *value, "a test");
    int *start = cw_new_array(MANY + 1, sizeof *start, "a test"), *index = cw_new_array(MANY, sizeof *index, "a test");
    assert_true(bounds && value && start && index);
    for (int i = 0; i <= MANY; i++) start[i] = i;
    const struct cw_clp_items columns = {
        .n = MANY, .lower = bounds, .upper = bounds, .cost = bounds, .start = start, .index = index, .value = value};
    struct cw_clp *clp = program();
    struct rlimit limit, tight;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    tight = limit;
    tight.rlim_cur = address_space() + 10000000;
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    const int code = cw_clp_add_columns(clp, &columns);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    assert_int_equal(code, CW_ENOMEM);
    assert_string_equal(cw_error_message(), "out of memory in the linear program");
    cw_clp_free(clp);
    free(bounds);
    free(value);
    free(start);
    free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solved_by_hand),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(stopped),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
