/* bench ebb (mpi/bench/verb_bench_ebb.c) on the ranks of ranks_test.h, of which the lowest of each host take part. A
 * message takes 5 ms alone, and twice as long in a bisection. */
#include "ranks_test_messages.h"

#include <jansson.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/result.h"
#include "cli/verb.h"
#include "mpi/together.h"

const char program_name[] = "crosswind-mpi";
const struct verb *const verbs[] = {NULL};
extern const struct verb verb_bench_ebb;

enum { N = 6, BYTES = 250000, PAIRS = 2 }; /* of four hosts */

#define ALONE 5e-3

static const int hosts[N] = {0, 0, 1, 2, 2, 3}, together[N] = {0, 0, 0, 0, 0, 0};
static const int members[] = {0, 2, 3, 5};

int gethostname(char *name, size_t room)
{
    snprintf(name, room, "host%d", job.hosts[self]);
    return 0;
}

/* The same where the compiler checks sizes. */
int __gethostname_chk(char *name, size_t room, size_t all);
int __gethostname_chk(char *name, size_t room, size_t all)
{
    assert_true(room <= all);
    return gethostname(name, room);
}

static struct {
    const char *direction, *trials, *time, *wait, *network, *hosts;
    int interrupts; /* after so many messages there is a signal; 0: none */
    int sent[3];    /* messages: to make connections, alone, in bisections */
    int phase, left;
    double began;  /* the first in a bisection */
    int rc[N];
    char message[N][200];
    struct cw_result *result;
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
    const bool both = test.direction[0] == 'b' && test.direction[1] == 'i';
    const int n = both ? 2 * PAIRS : PAIRS;
    assert_true(is_member(from) && is_member(to) && from != to);
    assert_int_equal(tag, 0);
    if (test.phase < 2 && test.sent[test.phase] == n) test.phase++;
    if (test.phase == 2 && test.began == 0) test.began = job.now;
    if (++test.sent[test.phase] == test.interrupts) cw_interrupt();
    return test.phase == 1 ? ALONE : 2 * ALONE;
}

static void rank(int r)
{
    const char *const given[][2] = {{"direction", test.direction}, {"bytes", "250kB"},  {"trials", test.trials},
                                    {"time", test.time},           {"wait", test.wait}};
    void *values = calloc(1, verb_bench_ebb.size);
    struct ranks ranks;
    struct cw_result *mine;
    assert_int_equal(ranks_begin(&ranks), 0);
    assert_int_equal(cw_result_new(&mine), 0);
    assert_int_equal(cw_options_init(verb_bench_ebb.options, values), 0);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        assert_int_equal(cw_options_set("bench ebb", verb_bench_ebb.options, values, given[i][0], given[i][1]), 0);
    if (test.hosts) assert_int_equal(cw_options_set("bench ebb", verb_bench_ebb.options, values, "hosts", test.hosts), 0);
    struct invocation invocation = {.verb = &verb_bench_ebb,
                                    .values = values,
                                    .ranks = &ranks.program,
                                    .positional = &test.network,
                                    .n_positional = test.network != NULL,
                                    .common = {.quiet = true, .seed = 3},
                                    .result = r == 0 ? test.result : mine};
    test.rc[r] = verb_bench_ebb.run(&invocation);
    if (test.rc[r]) snprintf(test.message[r], sizeof test.message[r], "%s", cw_error_message());
    cw_result_free(mine);
    cw_options_free(verb_bench_ebb.options, values);
    free(values);
    test.left += ranks.alone;
    if (ranks.alone) return;
    MPI_Comm_free(&ranks.comm);
    assert_int_equal(open_comms(r), 0);
}

/* Returns the result; the caller's. */
static json_t *run(int n, const int *where)
{
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&test.result), 0);
    set_up(n);
    job.eager = true;
    job.leap = 0.1;
    job.hosts = where;
    job.limit = START + 1000;
    for (int r = 0; r < n; r++) { /* clocks of hosts */
        job.offset[r] = 100 * where[r];
        job.drift[r] = 50e-6 * where[r];
    }
    job.message_takes = takes;
    memset(test.sent, 0, sizeof test.sent);
    test.phase = test.left = 0;
    test.began = 0;
    run_ranks(rank);
    assert_true(tear_down() == 0 || test.rc[0]);
    assert_int_equal(cw_result_write(test.result, CW_FORMAT_JSON, 0, &text), 0);
    cw_result_free(test.result);
    json_t *json = json_loads(text.data, 0, NULL);
    cw_text_free(&text);
    return json;
}

static const json_t *cell(const json_t *result, const char *table, size_t row, const char *column)
{
    const json_t *rows = json_object_get(json_object_get(json_object_get(result, "tables"), table), "rows");
    return json_object_get(json_array_get(rows, row), column);
}

static void check_near(const json_t *cell, double wanted, double within)
{
    const double got = json_number_value(cell);
    if (!(fabs(got - wanted) <= within * fabs(wanted))) fail_msg("%g instead of %g", got, wanted);
}

static void usual(const char *direction)
{
    test.direction = direction;
    test.trials = "40";
    test.time = "0";
    test.wait = "spin";
    test.network = test.hosts = NULL;
    test.interrupts = 0;
}

/* Each gets half of what it gets alone; there are as many messages as there should be. */
static void test_measured(void **state)
{
    static const char *const directions[] = {"uni", "bi"}, *const waits[] = {"spin", "yield"};
    (void)state;
    for (int d = 0; d < 2; d++)
        for (int w = 0; w < 2; w++) {
            const int n = (d + 1) * PAIRS;
            usual(directions[d]);
            test.wait = waits[w];
            json_t *result = run(N, hosts);
            for (int r = 0; r < N; r++) assert_int_equal(test.rc[r], 0);
            assert_string_equal(json_string_value(cell(result, "ebb", 0, "direction")), directions[d]);
            assert_int_equal(json_integer_value(cell(result, "ebb", 0, "trials")), 40);
            check_near(cell(result, "ebb", 0, "bandwidth_alone"), BYTES / ALONE, 0.01);
            check_near(cell(result, "ebb", 0, "ebb_mean"), 0.5, 0.01);
            check_near(cell(result, "ebb", 0, "bandwidth_mean"), BYTES / ALONE / 2, 0.02);
            assert_null(cell(result, "ebb", 1, "direction"));
            assert_null(cell(result, "prediction", 0, "direction"));
            const int wanted[] = {n, n, 40 * n};
            assert_memory_equal(test.sent, wanted, sizeof wanted);
            json_decref(result);
        }
}

/* With the network the same matchings are predicted: on a crossbar nothing disturbs. */
static void test_predicted(void **state)
{
    (void)state;
    char path[] = "/tmp/hosts-XXXXXX";
    const int file = mkstemp(path);
    usual("uni");
    test.network = "crossbar:5";
    test.hosts = path;
    assert_true(dprintf(file, "host0 h4\nhost1 h1\nhost2 h0\nhost3 h2\n") > 0);
    json_t *result = run(N, hosts);
    close(file);
    unlink(path);
    for (int r = 0; r < N; r++)
        if (test.rc[r]) fail_msg("%s", test.message[r]);
    assert_string_equal(json_string_value(cell(result, "prediction", 0, "direction")), "uni");
    check_near(cell(result, "prediction", 0, "ebb_mean"), 1, 1e-9);
    check_near(cell(result, "prediction", 0, "error"), 1, 0.02);
    json_decref(result);
}

/* Clocks are compared again, and no trial begins when the time is over. */
static void test_time(void **state)
{
    (void)state;
    usual("bi");
    test.trials = "5000";
    test.time = "5s";
    json_t *result = run(N, hosts);
    const int trials = (int)json_integer_value(cell(result, "ebb", 0, "trials"));
    assert_int_equal(test.sent[2], 4 * trials);
    const double each = (job.now - test.began) / trials;
    assert_true(trials * each + 3 * ALONE > 4.9 && (trials - 1) * each < 5.1);
    check_near(cell(result, "ebb", 0, "ebb_mean"), 0.5, 0.02);
    int asked = 0;
    for (int r = 1; r < N; r++) asked += (int)job.sent[r][0];
    assert_true(asked > 2 * 3 * 20); /* three leaders */
    json_decref(result);
}

static void test_both(void **state)
{
    (void)state;
    usual("both");
    test.trials = "3";
    json_t *result = run(N, hosts);
    assert_string_equal(json_string_value(cell(result, "ebb", 0, "direction")), "uni");
    assert_string_equal(json_string_value(cell(result, "ebb", 1, "direction")), "bi");
    assert_int_equal(json_integer_value(cell(result, "ebb", 1, "trials")), 3);
    assert_int_equal(test.sent[0] + test.sent[1] + test.sent[2], 2 * 2 + 3 * 2 + 2 * 4 + 3 * 4);
    json_decref(result);
}

static void test_interrupted(void **state)
{
    (void)state;
    usual("uni");
    test.interrupts = 8;
    json_decref(run(N, hosts));
    for (int r = 0; r < N; r++) assert_int_equal(test.rc[r], CW_EINTERRUPTED);
    assert_true(test.sent[2] <= 10 && test.left == 0);
    cw_interrupt_clear();
}

static void test_refused(void **state)
{
    (void)state;
    usual("uni");
    json_decref(run(N, together));
    for (int r = 0; r < N; r++) {
        assert_int_equal(test.rc[r], CW_EUSAGE);
        assert_non_null(strstr(test.message[r], "ranks on two hosts or more, but all are on host0"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured), cmocka_unit_test(test_predicted),   cmocka_unit_test(test_time),
        cmocka_unit_test(test_both),     cmocka_unit_test(test_interrupted), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
