/* Ranks as one program (mpi/together.h): what they agree on, for whom they wait and for how long, and how they end. The
 * ranks are those of ranks_test.h. */
#include "ranks_test.h"

#include <sched.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "mpi/together.h"

enum { N = 4 };

#define PATIENCE 0.25
#define NEVER    1e9

/* What each rank brings, and comes to. */
static struct {
    int (*agree)(struct ranks *ranks, int rc);
    int brings[RANKS], rc[RANKS], again[RANKS];
    double late[RANKS], value[RANKS], end[RANKS];
    bool stops[RANKS], lost[RANKS], found[RANKS];
    char message[RANKS][256];
    enum cw_wait_mode mode;
} test;

static void begin(int n)
{
    memset(&test, 0, sizeof test);
    set_up(n);
    job.eager = true;
    test.mode = CW_WAIT_SLEEP;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 2e-3) fail_msg("%g, expected %g", value, expected);
}

/* Its error, if it has one. */
static int error_of(int rank)
{
    return test.brings[rank] ? cw_fail(test.brings[rank], "of %d", rank) : 0;
}

static void keep(int rank, int rc)
{
    test.rc[rank] = rc;
    test.end[rank] = job.now - START;
    snprintf(test.message[rank], sizeof test.message[rank], "%s", rc ? cw_error_message() : "");
}

static void assert_all(int rc, const char *message)
{
    for (int r = 0; r < job.n; r++) {
        assert_int_equal(test.rc[r], rc);
        assert_string_equal(test.message[r], message);
    }
}

/* --- agreeing ----------------------------------------------------------------------------------------------------- */

static int agree_as_program(struct ranks *ranks, int rc)
{
    return ranks->program.agree(&ranks->program, rc);
}

static int agree_in_world(struct ranks *ranks, int rc)
{
    return ranks_agree_in(ranks->comm, rc);
}

static int agree_on_host(struct ranks *ranks, int rc)
{
    MPI_Comm host;
    MPI_Comm_split_type(ranks->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    rc = ranks_agree_in(host, rc);
    MPI_Comm_free(&host);
    return rc;
}

static int agree_or_stop(struct ranks *ranks, int rc)
{
    return ranks_agree_or_stop(ranks, test.mode, rc);
}

/* Agrees, and then again, when rank 0 alone has an error. */
static void agree_twice(int rank)
{
    struct ranks ranks;
    must_be(!ranks_begin(&ranks), "it cannot begin");
    assert_true(ranks.program.rank == (unsigned)rank && ranks.program.n == (unsigned)job.n);
    assert_ptr_equal(ranks_of(&ranks.program), &ranks);
    pause_for(test.late[rank]);
    keep(rank, test.agree(&ranks, error_of(rank)));
    test.stops[rank] = ranks.stops;
    test.again[rank] = test.agree(&ranks, rank == 0 ? cw_fail(CW_ELIMIT, "later") : 0);
    ranks_end(&ranks, 0);
}

static void agree(int (*how)(struct ranks *ranks, int rc))
{
    test.agree = how;
    run_ranks(agree_twice);
    for (int r = 0; r < job.n; r++) assert_int_equal(open_comms(r), 0);
    assert_int_equal(tear_down(), 0);
}

/* The error of the lowest rank that has one is that of all, for good, with its rank and host. */
static void all_have_the_error_of_the_lowest(void **state)
{
    static int (*const ways[])(struct ranks *, int) = {ranks_agree, agree_as_program, agree_or_stop, agree_in_world,
                                                       ranks_pass_on};
    (void)state;
    for (int way = 0; way < 5; way++) {
        const int later = way < 3 ? CW_EPARSE : CW_ELIMIT;
        begin(N);
        test.brings[1] = CW_EPARSE;
        test.brings[2] = CW_EUSAGE;
        test.late[1] = 0.5;
        agree(ways[way]);
        assert_all(CW_EPARSE, way == 4 ? "of 1" : "rank 1 on host0: of 1");
        for (int r = 0; r < N; r++) {
            assert_int_equal(test.again[r], later);
            assert_near(test.end[r], 0.5);
            assert_false(test.stops[r]);
        }
        begin(N);
        for (int r = 0; r < N; r++) test.brings[r] = CW_EIO;
        agree(ways[way]);
        assert_all(CW_EIO, "of 0"); /* of all */
        begin(N);
        agree(ways[way]);
        assert_all(0, "");
        assert_int_equal(test.again[N - 1], CW_ELIMIT);
    }
}

/* Numbers are those of the communicator. */
static void hosts_agree_on_their_own(void **state)
{
    static const int hosts[] = {0, 7, 0, 7};
    (void)state;
    begin(N);
    job.hosts = hosts;
    test.brings[3] = CW_EIO;
    agree(agree_on_host);
    for (int r = 0; r < N; r++) {
        assert_int_equal(test.rc[r], r % 2 ? CW_EIO : 0);
        assert_string_equal(test.message[r], r % 2 ? "rank 1 on host7: of 3" : "");
        assert_int_equal(test.again[r], r % 2 ? 0 : CW_ELIMIT);
    }
}

/* An interruption has no rank; others hear of it, and that they are to stop, but not for good. */
static void an_interruption_is_of_all(void **state)
{
    (void)state;
    begin(N);
    test.brings[2] = CW_EINTERRUPTED;
    agree(ranks_agree);
    assert_all(CW_EINTERRUPTED, "of 2");
    for (int mode = 0; mode < 3; mode++) {
        begin(N);
        test.mode = (enum cw_wait_mode)mode;
        test.brings[2] = CW_EINTERRUPTED;
        agree(agree_or_stop);
        for (int r = 0; r < N; r++) assert_true(test.stops[r]);
        assert_all(CW_EINTERRUPTED, "interrupted");
        assert_int_equal(test.again[1], CW_ELIMIT);
    }
    begin(N); /* a signal; an error of its own goes before */
    cw_interrupt();
    agree(agree_or_stop);
    assert_all(CW_EINTERRUPTED, "interrupted");
    begin(1);
    test.brings[0] = CW_EUSAGE;
    agree(agree_or_stop);
    cw_interrupt_clear();
    assert_all(CW_EUSAGE, "of 0");
    assert_false(test.stops[0]);
}

static void come_unless_lost(int rank)
{
    struct ranks ranks;
    must_be(!ranks_begin(&ranks), "it cannot begin");
    if (rank == 2) pause_for(NEVER);
    keep(rank, ranks_agree_or_stop(&ranks, test.mode, 0));
    test.stops[rank] = ranks.stops;
    test.again[rank] = ranks.rc;
}

/* Half a second after a signal nobody waits any longer. */
static void after_a_signal_others_have_a_moment(void **state)
{
    (void)state;
    begin(N);
    job.stops[2] = 1;
    cw_interrupt();
    run_ranks(come_unless_lost);
    cw_interrupt_clear();
    for (int r = 0; r < N; r++) {
        if (r == 2) continue;
        assert_int_equal(test.rc[r], CW_EINTERRUPTED);
        assert_true(!test.stops[r] && !test.again[r]);
        assert_near(test.end[r], 0.5);
    }
    tear_down();
}

static void begin_without_world(int rank)
{
    struct ranks ranks;
    keep(rank, ranks_begin(&ranks));
}

static void a_world_that_cannot_be_copied(void **state)
{
    (void)state;
    begin(1);
    job.fails = "Comm_dup";
    run_ranks(begin_without_world);
    assert_all(CW_EIO, "MPI cannot copy its world");
    tear_down();
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static void await_all(int rank)
{
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    char bytes[3] = "ab";
    for (int i = 0; i < 2; i++)
        if (rank == 0)
            MPI_Irecv(&bytes[i], 1, MPI_BYTE, 1 + i, 5, MPI_COMM_WORLD, &requests[i]);
        else if (rank == 1 + i)
            pause_for(test.late[rank]), MPI_Isend(&bytes[i], 1, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &requests[i]);
    const double before = job.now;
    keep(rank, rank == 1 ? wait_for(test.mode, &requests[0]) : wait_for_all(test.mode, 3, requests));
    assert_true(before <= job.now);
    test.value[rank] = job.now;
    assert_int_equal(wait_for_others(test.mode, MPI_COMM_WORLD), 0);
    test.end[rank] = job.now - START;
}

/* Each mode waits for all, and who sleeps begins with short naps. */
static void all_are_awaited(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        begin(3);
        test.mode = (enum cw_wait_mode)mode;
        test.late[1] = 0.01;
        test.late[2] = 0.01 + 25e-6;
        run_ranks(await_all);
        assert_all(0, "");
        for (int r = 0; r < 3; r++) assert_true(test.end[r] >= test.late[2] && test.end[r] < test.late[2] + 1e-3);
        assert_int_equal(tear_down(), 0);
        begin(3);
        test.mode = (enum cw_wait_mode)mode;
        test.late[1] = test.late[2] = 5e-6;
        run_ranks(await_all);
        assert_true(test.value[0] - START < 30e-6);
        assert_int_equal(tear_down(), 0);
    }
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    CPU_ZERO_S(size, set);
    CPU_SET_S(3, size, set);
    return 0;
}

static int chosen[4];

static void choose(int rank)
{
    for (int i = 0; i < 4; i++) chosen[i] = wait_chosen(i, MPI_COMM_WORLD);
    (void)rank;
}

static void modes_have_their_names(void **state)
{
    (void)state;
    begin(2); /* who have one processor */
    run_ranks(choose);
    assert_int_equal(chosen[0], CW_WAIT_SLEEP);
    assert_int_equal(chosen[1], CW_WAIT_SPIN);
    assert_string_equal(wait_choices[0], "auto");
    for (int i = 1; i < 4; i++) assert_string_equal(wait_choices[i], cw_wait_names[chosen[i]]);
    assert_null(wait_choices[4]);
    tear_down();
}

/* --- meeting ------------------------------------------------------------------------------------------------------ */

static void meet_others(int rank)
{
    struct ranks ranks;
    must_be(!ranks_begin(&ranks), "it cannot begin");
    struct meeting meeting = {.ranks = &ranks, .wait = test.mode, .patience = PATIENCE};
    double most = test.value[rank];
    pause_for(test.late[rank]);
    keep(rank, ranks_meet(&meeting, error_of(rank), test.value[rank] < 0 ? NULL : &most));
    test.lost[rank] = meeting.lost;
    test.found[rank] = meeting.found;
    test.value[rank] = most;
    if (!meeting.lost) assert_int_equal(ranks_agree(&ranks, 0), 0); /* it was not for good */
    if (!meeting.lost) ranks_end(&ranks, 0);
}

static void come_together(void)
{
    run_ranks(meet_others);
    for (int r = 0; r < job.n; r++) assert_false(test.lost[r] || test.found[r]);
    assert_int_equal(tear_down(), 0);
}

/* Where nobody has an error, none is sent. */
static void keep_short(int from, int to, int tag, char *data, size_t bytes)
{
    (void)from;
    (void)to;
    (void)tag;
    (void)data;
    must_be(bytes < 64, "a long message");
}

static void who_meets_learns_the_most(void **state)
{
    (void)state;
    for (int first = 0; first < N; first++)
        for (int eager = 0; eager < 2; eager++) {
            begin(N);
            job.eager = eager;
            job.tamper = keep_short;
            for (int r = 0; r < N; r++) test.value[r] = (r + first) % N + 1;
            test.late[first] = 0.9 * PATIENCE;
            come_together();
            assert_all(0, "");
            for (int r = 0; r < N; r++) {
                assert_true(test.value[r] == N);
                assert_near(test.end[r], 0.9 * PATIENCE);
            }
        }
    begin(N);
    test.value[0] = -1; /* it does not ask, and brings nothing */
    for (int r = 1; r < N; r++) test.value[r] = 0.5;
    come_together();
    assert_all(0, "");
    for (int r = 0; r < N; r++) assert_true(test.value[r] == (r ? 0.5 : -1));
}

static void who_meets_learns_of_errors(void **state)
{
    (void)state;
    for (int lowest = 0; lowest < N; lowest++) {
        char expected[64];
        begin(N);
        for (int r = 0; r < N; r++) test.value[r] = r;
        test.brings[N - 1] = CW_EUSAGE;
        test.brings[lowest] = CW_EPARSE;
        come_together();
        snprintf(expected, sizeof expected, "rank %d on host0: of %d", lowest, lowest);
        assert_all(CW_EPARSE, expected);
        for (int r = 0; r < N; r++) assert_true(test.value[r] == r); /* as before */
    }
    begin(N);
    for (int r = 0; r < N; r++) test.brings[r] = CW_EIO;
    come_together();
    assert_all(CW_EIO, "of 0");
    begin(N);
    cw_interrupt();
    come_together();
    assert_all(CW_EINTERRUPTED, "interrupted");
    begin(1);
    test.brings[0] = CW_EUSAGE;
    come_together();
    cw_interrupt_clear();
    assert_all(CW_EUSAGE, "of 0");
}

static void assert_lost(int rank, int rc, double end, const char *message)
{
    assert_int_equal(test.rc[rank], rc);
    assert_true(test.lost[rank] && test.found[rank]);
    assert_near(test.end[rank], end);
    assert_string_equal(test.message[rank], message);
}

/* Rank 0 finds it out; the others, who have twice the time, cannot know of whom. */
static void who_is_missing_is_named(void **state)
{
    (void)state;
    begin(N);
    job.stops[2] = test.late[2] = 0.01;
    test.late[1] = 0.1;
    run_ranks(meet_others);
    assert_lost(0, CW_EIO, PATIENCE, "rank 2 has not answered for 0.25 s");
    assert_lost(1, CW_EIO, 0.1 + 2 * PATIENCE, "rank 0 has not answered for 0.5 s");
    assert_lost(3, CW_EIO, 2 * PATIENCE, "rank 0 has not answered for 0.5 s");
    tear_down();

    begin(N); /* it reports, and hears no answer */
    job.eager = false;
    job.stops[1] = 0.05;
    test.late[0] = 0.1;
    run_ranks(meet_others);
    assert_lost(0, CW_EIO, 0.1 + 2 * PATIENCE, "rank 1 has not answered for 0.5 s");
    tear_down();

    begin(N); /* nobody takes the report */
    job.eager = false;
    job.stops[0] = test.late[0] = 0.01;
    run_ranks(meet_others);
    assert_lost(1, CW_EIO, 2 * PATIENCE, "rank 0 has not answered for 0.5 s");
    tear_down();
}

static void interrupt_soon(int rank)
{
    if (rank == 1) {
        pause_for(0.02);
        cw_interrupt();
        pause_for(NEVER);
    }
    meet_others(rank);
}

/* A signal shortens that to half a second, where there was more. */
static void after_a_signal_nobody_waits_long(void **state)
{
    (void)state;
    begin(2);
    job.stops[1] = 900;
    job.limit = START + 1e4;
    run_ranks(interrupt_soon);
    assert_lost(0, CW_EIO, PATIENCE, "rank 1 has not answered for 0.25 s");
    cw_interrupt_clear();
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_have_the_error_of_the_lowest), cmocka_unit_test(hosts_agree_on_their_own),
        cmocka_unit_test(an_interruption_is_of_all),        cmocka_unit_test(after_a_signal_others_have_a_moment),
        cmocka_unit_test(a_world_that_cannot_be_copied),    cmocka_unit_test(all_are_awaited),
        cmocka_unit_test(modes_have_their_names),           cmocka_unit_test(who_meets_learns_the_most),
        cmocka_unit_test(who_meets_learns_of_errors),       cmocka_unit_test(who_is_missing_is_named),
        cmocka_unit_test(after_a_signal_nobody_waits_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
