/* bench loggp (mpi/bench/verb_bench_loggp.c) on ranks of a machine that is known: those of ranks_test.h, whose sends keep
 * the sender for o, and whose messages pass one by one, each for g and G a byte, and take L to come. */
#include "ranks_test_messages.h"

#include <jansson.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/result.h"
#include "base/table.h"
#include "cli/verb.h"
#include "mpi/together.h"

const char program_name[] = "crosswind-mpi";
const struct verb *const verbs[] = {NULL};
extern const struct verb verb_bench_loggp;

#define TICK 2e-5 /* s that a look at the clock takes */
static const int hosts[] = {0, 0, 1, 2, 2};
static const double o = 1e-3, g = 4e-3, G = 1e-6, L = 2e-3;

static struct {
    int n;
    const char *options[10][2]; /* ended by NULL */
    int client, server;         /* who is to send */
    int rc[RANKS];
    char message[RANKS][200];
    struct cw_result *result;
    double free_at[RANKS]; /* the wire of whose sends is */
    size_t sent[RANKS], bytes[RANKS]; /* messages of the measurement */
    size_t interrupts; /* after so many messages of the client there is a signal; 0: none */
    int left;          /* ranks that have left the others */
    double end[RANKS]; /* when each ends */
} test;

static double keeps(int from, int to, size_t bytes)
{
    (void)to;
    (void)bytes;
    (void)from;
    return o;
}

static double takes(int from, int to, int tag, size_t bytes)
{
    assert_true((from == test.client && to == test.server) || (from == test.server && to == test.client));
    if (tag == 20 || tag == 0) return 0; /* "ready", and whether there is another round, are not measured */
    if (++test.sent[from] == test.interrupts && from == test.client) cw_interrupt();
    test.bytes[from] += bytes;
    test.free_at[from] = fmax(job.now, test.free_at[from]) + g + G * (double)bytes;
    return test.free_at[from] + L - job.now;
}

static void rank(int r)
{
    void *values = calloc(1, verb_bench_loggp.size);
    struct ranks ranks;
    assert_int_equal(ranks_begin(&ranks), 0);
    int rc = cw_options_init(verb_bench_loggp.options, values);
    for (int i = 0; !rc && test.options[i][0]; i++)
        rc = cw_options_set("bench loggp", verb_bench_loggp.options, values, test.options[i][0], test.options[i][1]);
    assert_int_equal(rc, 0);
    struct invocation invocation = {
        .verb = &verb_bench_loggp, .values = values, .ranks = &ranks.program, .result = r == 0 ? test.result : NULL};
    test.rc[r] = verb_bench_loggp.run(&invocation);
    if (test.rc[r]) snprintf(test.message[r], sizeof test.message[r], "%s", cw_error_message());
    test.left += ranks.alone;
    test.end[r] = job.now - START;
    cw_options_free(verb_bench_loggp.options, values);
    free(values);
    if (!ranks.alone) {
        MPI_Comm_free(&ranks.comm);
        assert_int_equal(open_comms(r), 0);
    }
}

/* Returns the text of the result; the caller's. */
static char *run(void)
{
    struct cw_text text = {0};
    assert_int_equal(cw_result_new(&test.result), 0);
    set_up(test.n);
    job.eager = true;
    job.hosts = test.n > 2 ? hosts : NULL;
    job.look = TICK;
    job.leap = 0.05;
    job.limit = START + 1000;
    job.send_takes = keeps;
    job.message_takes = takes;
    memset(test.free_at, 0, sizeof test.free_at);
    memset(test.sent, 0, sizeof test.sent);
    memset(test.bytes, 0, sizeof test.bytes);
    test.left = 0;
    run_ranks(rank);
    assert_true(tear_down() == 0 || test.left > 0);
    assert_int_equal(cw_result_write(test.result, CW_FORMAT_JSON, 0, &text), 0);
    cw_result_free(test.result);
    return text.data;
}

static json_t *row_of(const json_t *result, const char *table, size_t row)
{
    return json_array_get(json_object_get(json_object_get(json_object_get(result, "tables"), table), "rows"), row);
}

static void check_near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within)) fail_msg("%g instead of %g", got, wanted);
}

/* Messages of 1 byte: some to begin with, then 9 times one alone, some with pauses, some without; and of each size. */
static void check_sent(size_t n, size_t rounds)
{
    const size_t sizes = 1000 + 4000;
    assert_int_equal(test.sent[test.client], n + 5 + rounds * (9 * (1 + 2 * n) + 2 * (1 + n)));
    assert_int_equal(test.bytes[test.client], n * 4000 + 5 + rounds * (9 * (1 + 2 * n) + (1 + n) * sizes));
    assert_int_equal(test.sent[test.server], 1 + 5 + rounds * (27 + 4));
    assert_int_equal(test.bytes[test.server], 4000 + 5 + rounds * (27 + 2 * sizes));
}

static void check_machine(const char *text)
{
    static const char *const names[] = {"L", "o", "g", "G"};
    const double wanted[] = {L + g - o, o, g + G, G}, within[] = {2e-4, 1e-4, 1e-4, 2e-8};
    json_t *result = json_loads(text, 0, NULL);
    assert_non_null(result);
    for (size_t i = 0; i < 4; i++) {
        const json_t *row = row_of(result, "loggp", i);
        assert_string_equal(json_string_value(json_object_get(row, "parameter")), names[i]);
        check_near(json_number_value(json_object_get(row, "value")), wanted[i], within[i]);
    }
    json_decref(result);
}

#define OPTIONS(...) set_options((const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

static void set_options(const char *const given[][2])
{
    int n = 0;
    for (; given[n][0]; n++) memcpy(test.options[n], given[n], sizeof given[n]);
    test.options[n][0] = NULL;
}

static void check_all(int rc)
{
    for (int r = 0; r < test.n; r++) assert_int_equal(test.rc[r], rc);
}

/* The parameters are the machine's, whichever ranks of it measure, and all messages are those of the method. By default
 * they are between two hosts. */
static void test_machine(void **state)
{
    static const struct {
        const char *pair;
        int n, client, server;
    } pairs[] = {{"3,1", 5, 3, 1}, {"0,4", 5, 0, 4}, {NULL, 5, 0, 2}, {NULL, 2, 0, 1}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char said[200];
        test.n = pairs[i].n;
        test.client = pairs[i].client;
        test.server = pairs[i].server;
        OPTIONS({"bytes", "4kB,1000"}, {"messages", "3"}, {"rounds", "2"}, {"time", "0"}, {"wait", "spin"},
                {pairs[i].pair ? "pair" : NULL, pairs[i].pair});
        char *text = run();
        check_all(0);
        check_sent(3, 2);
        check_machine(text);
        snprintf(said, sizeof said, "rank %d on host%d and rank %d on host%d, which wait by spin, in 2 rounds",
                 test.client, job.hosts ? hosts[test.client] : 0, test.server, job.hosts ? hosts[test.server] : 0);
        if (!strstr(text, said)) fail_msg("nobody says \"%s\": %s", said, text);
        free(text);
    }
}

/* However short the time is there are six rounds; where there is enough, there are as many as were asked for, and one that
 * ends in it begins no other. */
static void test_time(void **state)
{
    static const struct {
        const char *time, *rounds;
        size_t n;
    } all[] = {{"1us", "9", 6}, {"100s", "7", 7}, {"1us", "1", 1}, {"20s", "99", 0}};
    (void)state;
    test.n = 2;
    test.client = 0;
    test.server = 1;
    for (int i = 0; i < 4; i++) {
        OPTIONS({"bytes", "4kB,1000"}, {"messages", "2"}, {"rounds", all[i].rounds}, {"time", all[i].time},
                {"wait", "spin"});
        free(run());
        check_all(0);
        size_t n = all[i].n;
        if (n == 0) { /* until the first that ends after it */
            while (test.sent[1] > 6 + 31 * n) n++;
            assert_true(n > 6 && test.end[0] > 20 && test.end[0] - test.end[0] / (double)n < 20);
        }
        check_sent(2, n);
    }
}

static void test_refused(void **state)
{
    static const struct {
        int n;
        const char *pair, *bytes, *said;
    } all[] = {{1, NULL, "1,2", "needs two ranks, but there is one"},
               {3, "1,1", "1,2", "two different ranks"},
               {3, "0,1,2", "1,2", "two different ranks"},
               {3, "0,3", "1,2", "there is no rank 3; the last one is 2"},
               {3, "0,1", "8,8", "two different sizes"}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        test.n = all[i].n;
        OPTIONS({"bytes", all[i].bytes}, {all[i].pair ? "pair" : NULL, all[i].pair});
        free(run());
        check_all(CW_EUSAGE);
        for (int r = 0; r < test.n; r++)
            if (!strstr(test.message[r], all[i].said)) fail_msg("rank %d says '%s'", r, test.message[r]);
    }
}

/* Who is told to stop ends with the round, and all others with it. */
static void test_interrupted(void **state)
{
    (void)state;
    test.n = 3;
    test.client = 2;
    test.server = 0;
    OPTIONS({"bytes", "4kB,1000"}, {"messages", "2"}, {"rounds", "99"}, {"wait", "spin"}, {"pair", "2,0"});
    test.interrupts = 80;
    free(run());
    check_all(CW_EINTERRUPTED);
    check_sent(2, 2);
    assert_int_equal(test.left, 0);
    test.interrupts = 0;
    cw_interrupt_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_machine), cmocka_unit_test(test_time),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_interrupted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
