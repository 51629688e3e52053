/* bench ebb (mpi/bench/verb_bench_ebb.c) on the ranks of ranks_test.h, of which the lowest of each host take part. A
 * message takes 5 ms alone, and twice as long in a bisection. */
#include "program_of_ranks.h"

extern const struct verb verb_bench_ebb;
const struct verb *const verbs[] = {&verb_bench_ebb, NULL};

enum { N = 6, BYTES = 250000, PAIRS = 2 }; /* of four hosts */

#define ALONE 5e-3

static const int hosts[N] = {0, 0, 1, 2, 2, 3}, together[N] = {0, 0, 0, 0, 0, 0};
static const int members[] = {0, 2, 3, 5};

static struct {
    bool both;      /* halves send */
    int interrupts; /* after so many messages in bisections there is a signal; 0: none */
    int sent[3];    /* messages: to make connections, alone, in bisections */
    int phase;
    double began; /* the first in a bisection */
} test;

static bool is_member(int rank)
{
    for (int i = 0; i < 4; i++)
        if (members[i] == rank) return true;
    return false;
}

/* Of each direction first come the messages of a bisection, then each of them alone. */
static double takes(int from, int to, int tag, size_t bytes)
{
    if (bytes != BYTES) return 0;
    const int n = test.both ? 2 * PAIRS : PAIRS;
    assert_true(is_member(from) && is_member(to) && from != to);
    assert_int_equal(tag, 0);
    if (test.phase < 2 && test.sent[test.phase] == n) test.phase++;
    if (test.phase == 2 && test.began == 0) test.began = job.now;
    if (++test.sent[test.phase] == test.interrupts) cw_interrupt();
    return test.phase == 1 ? ALONE : 2 * ALONE;
}

static struct ran run(const int *where, const char *options)
{
    char line[300];
    set_up(N);
    job.eager = true;
    job.leap = 0.1;
    job.hosts = where;
    job.limit = START + 1000;
    for (int r = 0; r < N; r++) { /* clocks of hosts */
        job.offset[r] = 100 * where[r];
        job.drift[r] = 50e-6 * where[r];
    }
    job.message_takes = takes;
    test.both = strstr(options, "--direction bi");
    memset(test.sent, 0, sizeof test.sent);
    test.phase = 0;
    test.began = 0;
    snprintf(line, sizeof line, "bench ebb --quiet --bytes 250kB --seed 3 %s", options);
    struct ran ran = run_on_ranks(line);
    assert_int_equal(tear_down(), 0);
    return ran;
}

static struct ran result(const char *options)
{
    struct ran ran = run(hosts, options);
    check_well(&ran);
    return ran;
}

static void near(const struct ran *ran, const char *table, size_t row, const char *column, double wanted, double part)
{
    const double got = json_number_value(cell(ran, table, row, column));
    if (!(fabs(got - wanted) <= part * fabs(wanted))) fail_msg("%s: %g instead of %g", column, got, wanted);
}

/* Each gets half of what it gets alone; there are as many messages as there should be. */
static void test_measured(void **state)
{
    static const char *const directions[] = {"uni", "bi"}, *const waits[] = {"spin", "yield"};
    (void)state;
    for (int d = 0; d < 2; d++)
        for (int w = 0; w < 2; w++) {
            const int n = (d + 1) * PAIRS;
            char options[200];
            snprintf(options, sizeof options, "--direction %s --wait %s --trials 40 --time 0", directions[d], waits[w]);
            struct ran ran = result(options);
            assert_int_equal(rows_of(&ran, "ebb"), 1);
            assert_string_equal(json_string_value(cell(&ran, "ebb", 0, "direction")), directions[d]);
            assert_int_equal(json_integer_value(cell(&ran, "ebb", 0, "trials")), 40);
            near(&ran, "ebb", 0, "bandwidth_alone", BYTES / ALONE, 0.01);
            near(&ran, "ebb", 0, "ebb_mean", 0.5, 0.01);
            near(&ran, "ebb", 0, "bandwidth_mean", BYTES / ALONE / 2, 0.02);
            assert_false(has_table(&ran, "prediction"));
            const int wanted[] = {n, n, 40 * n};
            assert_memory_equal(test.sent, wanted, sizeof wanted);
            ran_free(&ran);
        }
}

/* With the network the same matchings are predicted: on a crossbar nothing disturbs. */
static void test_predicted(void **state)
{
    (void)state;
    write_text("hosts", "host0 h4\nhost1 h1\nhost2 h0\nhost3 h2\n");
    struct ran ran = result("--direction uni crossbar:5 --hosts hosts --trials 40 --time 0 --wait spin");
    assert_string_equal(json_string_value(cell(&ran, "prediction", 0, "direction")), "uni");
    near(&ran, "prediction", 0, "ebb_mean", 1, 1e-9);
    near(&ran, "prediction", 0, "error", 1, 0.02);
    ran_free(&ran);
}

/* Clocks are compared again, and no trial begins when the time is over. */
static void test_time(void **state)
{
    (void)state;
    struct ran ran = result("--direction bi --trials 5000 --time 5s --wait spin");
    const int trials = (int)json_integer_value(cell(&ran, "ebb", 0, "trials"));
    assert_int_equal(test.sent[2], 4 * trials);
    const double each = (job.now - test.began) / trials;
    assert_true(trials * each + 3 * ALONE > 4.9 && (trials - 1) * each < 5.1);
    near(&ran, "ebb", 0, "ebb_mean", 0.5, 0.02);
    int asked = 0;
    for (int r = 1; r < N; r++) asked += (int)job.sent[r][0];
    assert_true(asked > 2 * 3 * 20); /* three leaders */
    ran_free(&ran);
}

static void test_both(void **state)
{
    (void)state;
    struct ran ran = result("--trials 3 --wait spin");
    assert_string_equal(json_string_value(cell(&ran, "ebb", 0, "direction")), "uni");
    assert_string_equal(json_string_value(cell(&ran, "ebb", 1, "direction")), "bi");
    assert_int_equal(json_integer_value(cell(&ran, "ebb", 1, "trials")), 3);
    assert_int_equal(test.sent[0] + test.sent[1] + test.sent[2], 2 * 2 + 3 * 2 + 2 * 4 + 3 * 4);
    ran_free(&ran);
}

static void test_interrupted(void **state)
{
    (void)state;
    test.interrupts = 8;
    struct ran ran = run(hosts, "--direction uni --trials 40 --time 0 --wait spin");
    assert_int_not_equal(ran.status, 0);
    assert_non_null(strstr(ran.err, "interrupted"));
    for (int r = 0; r < N; r++) assert_int_equal(job.statuses[r], -1); /* nobody was aborted */
    assert_true(test.sent[2] <= 10);
    test.interrupts = 0;
    ran_free(&ran);
}

static void test_refused(void **state)
{
    static const char *const cases[][2] = {
        {"--hosts hosts", "is about NETWORK, which is missing"},
        {"--routing minhop", "is about NETWORK, which is missing"},
        {"--endpoints all crossbar:4", "hosts of the ranks measure"},
    };
    (void)state;
    write_text("hosts", "host0 h4\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ran ran = run(hosts, cases[i][0]);
        if (ran.status != 2 || !strstr(ran.err, cases[i][1])) fail_msg("'%s': %s", cases[i][0], ran.err);
        ran_free(&ran);
    }
    struct ran ran = run(together, "");
    assert_int_equal(ran.status, 2);
    assert_non_null(strstr(ran.err, "ranks on two hosts or more, but all are on host0"));
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured), cmocka_unit_test(test_predicted),   cmocka_unit_test(test_time),
        cmocka_unit_test(test_both),     cmocka_unit_test(test_interrupted), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
