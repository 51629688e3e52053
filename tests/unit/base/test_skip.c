/* What the exit status of a program says whose cases are skipped (../skip.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../skip.h"

static void passes(void **state)
{
    (void)state;
}

static void fails(void **state)
{
    (void)state;
    fail();
}

static void is_skipped(void **state)
{
    (void)state;
    skip_because("there is nothing to see");
}

/* The exit status of a program with the cases A and B, which runs silently. */
static int status_of(CMUnitTestFunction a, CMUnitTestFunction b)
{
    const struct CMUnitTest tests[] = {{"a", a, NULL, NULL, NULL}, {"b", b, NULL, NULL, NULL}};
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int silent = open("/dev/null", O_WRONLY);
        dup2(silent, STDOUT_FILENO);
        dup2(silent, STDERR_FILENO);
        _exit(run_cases(tests));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_statuses(void **state)
{
    (void)state;
    assert_int_equal(status_of(passes, passes), 0);
    assert_int_equal(status_of(passes, is_skipped), SKIPPED_STATUS);
    assert_int_equal(status_of(is_skipped, fails), 1);
    assert_int_equal(status_of(fails, is_skipped), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_statuses)};
    return run_cases(tests);
}
