/* How ranks end together (mpi/together.h): who says why, who ends all and when, and what becomes of a call that does
 * not return. The ranks are those of ranks_test.h. */
#include "ranks_test.h"

#include <sys/time.h>
#include <sys/wait.h>

#include "base/error.h"
#include "mpi/together.h"

/* What ranks come to. */
static struct {
    int brings, rc[RANKS], again[RANKS];
} test;

static void begin(int n)
{
    memset(&test, 0, sizeof test);
    set_up(n);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 2e-3) fail_msg("%g, expected %g", value, expected);
}

/* --- watching ----------------------------------------------------------------------------------------------------- */

/* Each rank has a little longer than the one before. */
static void watches_are_set_and_stopped(void **state)
{
    struct itimerval timer;
    (void)state;
    for (unsigned rank = 0; rank < 8; rank += 3) {
        const struct ranks ranks = {.program.rank = rank};
        ranks_watch(&ranks, "MPI_Test", 1000.5);
        getitimer(ITIMER_REAL, &timer);
        assert_near((double)timer.it_value.tv_sec + 1e-6 * (double)timer.it_value.tv_usec, 1000.5 + 0.2 * rank);
        assert_true(timer.it_interval.tv_sec == 0 && timer.it_interval.tv_usec == 0);
        ranks_watch(&ranks, NULL, 0);
        getitimer(ITIMER_REAL, &timer);
        assert_true(timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0);
    }
}

/* A process whose call does not return: its exit status, and what it says; QUIET: nobody can hear it. */
static int stick(bool quiet, char said[256])
{
    const struct ranks ranks = {.program.rank = 1};
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        if (quiet) close(STDERR_FILENO);
        close(pipes[0]);
        ranks_watch(&ranks, "MPI_Test", 0.01);
        for (;;) pause();
    }
    close(pipes[1]);
    waitpid(child, &status, 0);
    const ssize_t n = read(pipes[0], said, 255);
    said[n > 0 ? n : 0] = 0;
    close(pipes[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_call_that_does_not_return_ends_the_process(void **state)
{
    char said[256];
    (void)state;
    assert_int_equal(stick(false, said), 1);
    assert_string_equal(said, "crosswind-mpi: MPI_Test has not returned to rank 1 for 0.01 s: a rank is stuck\n");
    assert_int_equal(stick(true, said), 2);
    assert_string_equal(said, "");
}

/* --- ending ------------------------------------------------------------------------------------------------------- */

static FILE *unwritten;

static void leave_others(int rank)
{
    struct ranks ranks;
    must_be(!ranks_begin(&ranks), "it cannot begin");
    test.rc[rank] = ranks_leave(&ranks, CW_EPARSE);
    test.again[rank] = ranks_agree(&ranks, 0);
    ranks_end(&ranks, 5 + rank);
}

/* Rank 0 ends all at once, others when it has not for 3 s. What was to be written is. */
static void who_has_left_ends_all(void **state)
{
    char there[8] = "";
    (void)state;
    begin(2);
    unwritten = tmpfile();
    fputs("there", unwritten);
    run_ranks(leave_others);
    assert_int_equal(pread(fileno(unwritten), there, sizeof there - 1, 0), 5);
    fclose(unwritten);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(job.statuses[r], 5 + r);
        assert_true(test.rc[r] == CW_EPARSE && test.again[r] == CW_EPARSE);
        assert_near(job.aborted_at[r] - START, r * 3);
    }
    tear_down();
}

static void give_up(int rank)
{
    struct ranks ranks;
    must_be(!ranks_begin(&ranks), "it cannot begin");
    const struct meeting meeting = {.ranks = &ranks, .lost = true, .found = rank == 1};
    ranks_give_up(&meeting, cw_fail(test.brings, "of %d", rank));
}

/* What all ranks say as they give up with RC. */
static void assert_says(int rc, const char *expected, int speaker)
{
    char said[256] = "";
    FILE *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    begin(3);
    test.brings = rc;
    dup2(fileno(file), STDERR_FILENO);
    run_ranks(give_up);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_true(pread(fileno(file), said, sizeof said - 1, 0) > 0);
    fclose(file);
    assert_string_equal(said, expected);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(job.statuses[r], 1);
        assert_near(job.aborted_at[r] - START, r == speaker ? 0 : 3);
    }
    tear_down();
}

/* Who has found an error says it; of an interruption rank 0 speaks. */
static void one_rank_says_why_it_ends(void **state)
{
    (void)state;
    assert_says(CW_EIO, "crosswind-mpi: of 1\n", 1);
    assert_says(CW_EINTERRUPTED, "crosswind-mpi: of 0\n", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watches_are_set_and_stopped),
        cmocka_unit_test(a_call_that_does_not_return_ends_the_process),
        cmocka_unit_test(who_has_left_ends_all),
        cmocka_unit_test(one_rank_says_why_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
