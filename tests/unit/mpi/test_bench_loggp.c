/* bench loggp (mpi/bench/verb_bench_loggp.c) on ranks of a machine that is known: those of ranks_test.h, whose sends
 * keep the sender for o, and whose messages pass one by one, each for g and G a byte, and take L to come. */
#include "program_of_ranks.h"

extern const struct verb verb_bench_loggp;
const struct verb *const verbs[] = {&verb_bench_loggp, NULL};

#define TICK 2e-5 /* s that a look at the clock takes */
static const int hosts[] = {0, 0, 1, 2, 2};
static const double o = 1e-3, g = 4e-3, G = 1e-6, L = 2e-3;

static struct {
    int client, server;               /* who is to send */
    double free_at[RANKS];            /* the wire of whose sends is */
    size_t sent[RANKS], bytes[RANKS]; /* messages of the measurement */
    size_t interrupts;                /* after so many messages of the client there is a signal; 0: none */
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

/* On N ranks. */
static struct ran run(int n, const char *options)
{
    char line[300];
    memset(test.free_at, 0, sizeof test.free_at);
    memset(test.sent, 0, sizeof test.sent);
    memset(test.bytes, 0, sizeof test.bytes);
    set_up(n);
    job.eager = true;
    job.hosts = n > 2 ? hosts : NULL;
    job.look = TICK;
    job.leap = 0.05;
    job.limit = START + 1000;
    job.send_takes = keeps;
    job.message_takes = takes;
    snprintf(line, sizeof line, "bench loggp --quiet --wait spin %s", options);
    struct ran ran = run_on_ranks(line);
    assert_int_equal(tear_down(), 0);
    return ran;
}

static struct ran result(int n, const char *options)
{
    struct ran ran = run(n, options);
    check_well(&ran);
    return ran;
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

static void check_machine(const struct ran *ran)
{
    static const char *const names[] = {"L", "o", "g", "G"};
    const double wanted[] = {L + g - o, o, g + G, G}, within[] = {2e-4, 1e-4, 1e-4, 2e-8};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(json_string_value(cell(ran, "loggp", i, "parameter")), names[i]);
        check_near(json_number_value(cell(ran, "loggp", i, "value")), wanted[i], within[i]);
    }
}

/* The parameters are the machine's, whichever ranks of it measure, and all messages are those of the method. By default
 * they are between two hosts. */
static void test_machine(void **state)
{
    static const struct {
        const char *pair;
        int n, client, server;
    } pairs[] = {{"--pair 3,1", 5, 3, 1}, {"--pair 0,4", 5, 0, 4}, {"", 5, 0, 2}, {"", 2, 0, 1}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char said[200], options[200];
        test.client = pairs[i].client;
        test.server = pairs[i].server;
        snprintf(options, sizeof options, "--bytes 4kB,1000 --messages 3 --rounds 2 --time 0 %s", pairs[i].pair);
        struct ran ran = result(pairs[i].n, options);
        check_sent(3, 2);
        check_machine(&ran);
        assert_true(job.now - START < 2); /* most of it is what is measured */
        snprintf(said, sizeof said, "rank %d on host%d and rank %d on host%d, which wait by spin, in 2 rounds",
                 test.client, pairs[i].n > 2 ? hosts[test.client] : 0, test.server,
                 pairs[i].n > 2 ? hosts[test.server] : 0);
        if (!strstr(ran.out, said)) fail_msg("nobody says \"%s\": %s", said, ran.out);
        ran_free(&ran);
    }
}

/* However short the time is there are six rounds; where there is enough, there are as many as were asked for, and one
 * that ends in it begins no other. */
static void test_time(void **state)
{
    static const struct {
        const char *options;
        size_t n;
    } all[] = {{"--time 1us --rounds 9", 6},
               {"--time 100s --rounds 7", 7},
               {"--time 1us --rounds 1", 1},
               {"--time 20s --rounds 99", 0}};
    (void)state;
    test.client = 0;
    test.server = 1;
    for (int i = 0; i < 4; i++) {
        char options[200];
        snprintf(options, sizeof options, "--bytes 4kB,1000 --messages 2 %s", all[i].options);
        struct ran ran = result(2, options);
        size_t n = all[i].n;
        if (n == 0) { /* until the first that ends after it */
            const double took = job.now - START;
            while (test.sent[1] > 6 + 31 * n) n++;
            assert_true(n > 6 && took > 20 && took - took / (double)n < 20);
        }
        check_sent(2, n);
        ran_free(&ran);
    }
}

static void test_refused(void **state)
{
    static const struct {
        int n;
        const char *options, *said;
    } all[] = {{1, "", "needs two ranks, but there is one"}, {3, "--pair 1,1", "two different ranks"},
               {3, "--pair 0,1,2", "two different ranks"},   {3, "--pair 0,3", "there is no rank 3; the last one is 2"},
               {3, "--bytes 8,8", "two different sizes"},    {3, "--seed 3", "means nothing here"}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct ran ran = run(all[i].n, all[i].options);
        if (ran.status != 2 || !strstr(ran.err, all[i].said))
            fail_msg("'%s' ends with %d: %s", all[i].options, ran.status, ran.err);
        ran_free(&ran);
    }
}

/* Who is told to stop ends with the round, and all others with it. */
static void test_interrupted(void **state)
{
    (void)state;
    test.client = 2;
    test.server = 0;
    test.interrupts = 80;
    struct ran ran = run(3, "--bytes 4kB,1000 --messages 2 --rounds 99 --pair 2,0");
    assert_int_not_equal(ran.status, 0);
    assert_non_null(strstr(ran.err, "interrupted"));
    for (int r = 0; r < 3; r++) assert_int_equal(job.statuses[r], -1); /* nobody was aborted */
    check_sent(2, 2);
    test.interrupts = 0;
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_machine), cmocka_unit_test(test_time),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_interrupted)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
