/* The bar of a search shows how much of the way to the wanted gap is done, or of its time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../skip.h"
#include "base/progress.h"
#include "base/stopwatch.h"
#include "flow/potential_reduction.h"

/* The percentage that a bar of 1000 steps shows after TERMINATION's report of Z and BOUND, "50 %". */
static void assert_shows(struct cw_termination termination, double z, double bound, const char *expected)
{
    const struct winsize size = {.ws_row = 24, .ws_col = 100};
    char shown[4096];
    size_t length = 0;
    int master, slave;
    if (openpty(&master, &slave, NULL, NULL, &size) != 0) skip_because("this system gives no pseudo-terminal");
    FILE *stream = fdopen(slave, "w");
    struct cw_progress *progress = cw_progress_new(stream, "plan", 1000);
    assert_non_null(progress);
    termination.progress = (struct cw_progress_part){progress, 0, 1000};
    cw_termination_report(&termination, z, bound);
    cw_progress_label(progress, "plan"); /* draws at once */
    fcntl(master, F_SETFL, O_NONBLOCK);
    for (ssize_t n; (n = read(master, shown + length, sizeof shown - 1 - length)) > 0;) length += (size_t)n;
    shown[length] = '\0';
    const char *last = strrchr(shown, ']');
    assert_non_null(last);
    if (!strstr(last, expected)) fail_msg("the bar shows '%s', expected %s", last, expected);
    cw_progress_free(progress);
    fclose(stream);
    close(master);
}

/* From a gap of 1 to one of 0.01 a gap of just less than 0.1 is half the way, on a logarithmic scale; one that is less
 * is all of it. */
static void gaps(void **state)
{
    (void)state;
    const struct cw_termination termination = {.gap = 0.01, .begin = cw_stopwatch_now(), .deadline = INFINITY};
    assert_shows(termination, 0.9001, 1, "]   50 %");
    assert_shows(termination, 3.96, 4, "]  100 %");
    assert_shows(termination, 4, 4, "]  100 %");
}

/* With half its time gone a search is half done, whatever the gap, unless that is closed further. */
static void budgets(void **state)
{
    (void)state;
    const double now = cw_stopwatch_now();
    const struct cw_termination termination = {.gap = 0.01, .begin = now - 505, .deadline = now + 495};
    assert_shows(termination, 1e-9, 1, "]   50 %");
    assert_shows(termination, 0.995, 1, "]  100 %");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps), cmocka_unit_test(budgets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
