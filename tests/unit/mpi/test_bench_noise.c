/* bench noise (mpi/bench/verb_bench_noise.c) on the ranks of ranks_test.h, on two hosts: a call takes 2 ms, and three
 * times as long while messages of perturbation pass from one host to the other. */
#include "program_of_ranks.h"

extern const struct verb verb_bench_noise;
const struct verb *const verbs[] = {&verb_bench_noise, NULL};

enum { N = 6, BYTES = 1000 };

#define CALL     2e-3
#define MESSAGE  5e-3
#define SLOWDOWN 3

static const int hosts[N] = {0, 0, 0, 1, 1, 1};

/* Which processors each may use. */
static const char *const processors[N] = {"0", "0-1", "1,3", "2-4,6,8-9", "0,1023", "7"};

int sched_getaffinity(pid_t process, size_t room, cpu_set_t *set)
{
    (void)process;
    CPU_ZERO_S(room, set);
    for (const char *at = processors[self < 0 ? 0 : self]; *at; at += *at == ',') {
        char *end;
        const unsigned long first = strtoul(at, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long i = first; i <= last; i++) CPU_SET_S(i, room, set);
        at = end;
    }
    return 0;
}

static struct {
    double crossing;      /* until when messages are between the hosts */
    bool within, crossed; /* messages of perturbation were on a host; between hosts */
    int calls;            /* of any rank */
    int senders, callers; /* ranks that sent, and that called, by bits */
    size_t steps;         /* of progress */
} test;

static int stop_after; /* so many calls there is a signal; 0: none */

static double lasts(enum kind kind, int rank)
{
    if (kind != ALLTOALL) return 0;
    test.callers |= 1 << rank;
    if (++test.calls == stop_after) cw_interrupt();
    return job.now < test.crossing ? SLOWDOWN * CALL : CALL;
}

static double takes(int from, int to, int tag, size_t bytes)
{
    if (tag != 1 || bytes != BYTES) return 0;
    test.senders |= 1 << from;
    if (hosts[from] == hosts[to]) test.within = true;
    if (hosts[from] != hosts[to]) test.crossed = true;
    if (hosts[from] != hosts[to]) test.crossing = job.now + 2 * MESSAGE;
    return MESSAGE;
}

void __wrap_cw_progress_step(struct cw_progress *progress, size_t steps);
void __wrap_cw_progress_step(struct cw_progress *progress, size_t steps)
{
    (void)progress;
    test.steps += self == 0 ? steps : 0;
}

static struct ran run(const char *line)
{
    char whole[500];
    memset(&test, 0, sizeof test);
    set_up(N);
    job.eager = true;
    job.leap = 1;
    job.look = 5e-6;
    job.hosts = hosts;
    job.limit = START + 10000;
    job.message_takes = takes;
    job.collective_takes = lasts;
    for (int r = 3; r < N; r++) job.offset[r] = 50;
    snprintf(whole, sizeof whole, "bench noise --quiet --wait spin %s %s %s", line,
             strstr(line, "--op") ? "" : "--op alltoall:8B",
             strstr(line, "--perturb") ? "" : "--perturb permutation:1kB");
    struct ran ran = run_on_ranks(whole);
    for (int r = 0; r < N; r++) assert_int_equal(open_comms(r), 0);
    assert_int_equal(tear_down(), 0);
    return ran;
}

static double value(const struct ran *ran, const char *table, size_t row, const char *column)
{
    return json_number_value(cell(ran, table, row, column));
}

static size_t row_of(const struct ran *ran, const char *comparison)
{
    for (size_t i = 0; i < rows_of(ran, "slowdown"); i++)
        if (strcmp(json_string_value(cell(ran, "slowdown", i, "comparison")), comparison) == 0) return i;
    fail_msg("there is no %s", comparison);
    return 0;
}

static void near(double got, double wanted, double part)
{
    check_near(got, wanted, part * wanted);
}

/* What is measured is what was made: on each split the same, as far as messages between hosts go. */
static void test_slowdown(void **state)
{
    (void)state;
    struct ran ran = run("--by rank --splits 12 --samples 20 --time 0 --seed 4");
    check_well(&ran);
    const size_t perturbed = row_of(&ran, "perturbed/clean"), control = row_of(&ran, "control/clean");
    const double splits = value(&ran, "slowdown", perturbed, "splits"); /* a few are drawn twice */
    assert_true(splits > 8 && splits <= 12);
    assert_int_equal(value(&ran, "slowdown", perturbed, "application_ranks"), 3);
    assert_int_equal(value(&ran, "slowdown", perturbed, "perturbing_ranks"), 3);
    near(value(&ran, "slowdown", perturbed, "slowdown_max"), SLOWDOWN, 0.02);
    near(value(&ran, "slowdown", control, "slowdown_max"), 1, 0.02);
    near(value(&ran, "times", 0, "median"), CALL, 0.02);
    assert_int_equal(value(&ran, "times", 0, "calls"), 12 * 20);
    assert_int_equal(test.steps, 12 * 3);
    assert_true(test.within && test.crossed);
    assert_int_equal(test.callers, 63); /* on some split each rank does either */
    assert_int_equal(test.senders, 63);
    ran_free(&ran);
}

/* By node one host is the application, the other perturbs: nothing crosses. */
static void test_by_node(void **state)
{
    (void)state;
    struct ran ran = run("--by node --splits 4 --samples 10 --time 0");
    check_well(&ran);
    near(value(&ran, "slowdown", row_of(&ran, "perturbed/clean"), "slowdown_max"), 1, 0.02);
    assert_false(test.crossed);
    ran_free(&ran);
}

/* Without a control there is none; ratios and idle ranks are as asked for. */
static void test_asked(void **state)
{
    (void)state;
    struct ran ran = run("--control none --splits 2 --samples 8 --time 0 --idle 1 --ratio 0.4 --sync barrier");
    check_well(&ran);
    assert_int_equal(rows_of(&ran, "slowdown"), 1);
    assert_int_equal(value(&ran, "slowdown", 0, "application_ranks"), 3);
    assert_int_equal(value(&ran, "slowdown", 0, "perturbing_ranks"), 2);
    near(value(&ran, "slowdown", 0, "ratio"), 0.4, 1e-9);
    ran_free(&ran);
    ran = run("--control none --splits 12 --samples 8 --time 0");
    assert_int_equal(test.senders, 63);
    ran_free(&ran);
}

static json_t *find(json_t *node, const char *name)
{
    const char *key;
    size_t i;
    json_t *value, *found;
    if (json_is_object(node)) {
        const char *called = json_string_value(json_object_get(node, "schema:name"));
        if (called && strcmp(called, name) == 0) return json_object_get(node, "schema:value");
        if (json_object_get(node, name)) return json_object_get(node, name);
        json_object_foreach(node, key, value) if ((found = find(value, name))) return found;
    }
    json_array_foreach(node, i, value) if ((found = find(value, name))) return found;
    return NULL;
}

/* The file has a row for each call, and says what is known of the run. */
static void test_saved(void **state)
{
    (void)state;
    setenv("UCX_OF_A_TEST", "1=2", 1);
    setenv("OMPI_OF_A_TEST", "", 1);
    setenv("XUCX_OF_A_TEST", "no", 1);
    struct ran ran = run("--splits 2 --samples 10 --time 0 --save saved.csv");
    check_well(&ran);
    char *saved = content_of("saved.csv"), *known = content_of("saved.csv-metadata.json");
    int lines = 0;
    for (const char *at = saved; *at; at++) lines += *at == '\n';
    assert_int_equal(lines, 1 + 2 * 3 * 10);
    json_t *all = json_loads(known, 0, NULL);
    assert_non_null(all);
    assert_string_equal(json_string_value(find(all, "start")), "window");
    assert_string_equal(json_string_value(find(all, "wait")), "spin");
    assert_string_equal(json_string_value(find(find(all, "variables"), "UCX_OF_A_TEST")), "1=2");
    assert_string_equal(json_string_value(find(find(all, "variables"), "OMPI_OF_A_TEST")), "");
    assert_null(find(all, "XUCX_OF_A_TEST"));
    assert_string_equal(json_string_value(find(all, "library")), "Open MPI v9.9, of a test");
    assert_string_equal(json_string_value(find(all, "standard")), "3.1");
    const json_t *bound = find(all, "processors_of_ranks"), *clocks = find(all, "clocks_of_ranks");
    assert_int_equal(json_array_size(bound), N);
    for (size_t r = 0; r < N; r++) assert_string_equal(json_string_value(json_array_get(bound, r)), processors[r]);
    assert_int_equal(json_array_size(clocks), N);
    for (int r = 0; r < N; r++) {
        const json_t *clock = json_array_get(clocks, (size_t)r);
        const double offset = json_number_value(json_object_get(clock, "offset_ns"));
        assert_true(fabs(offset + 50e9 * hosts[r]) < 1e5);
        assert_true(fabs(json_number_value(json_object_get(clock, "drift"))) < 1e-3);
        const double at = json_number_value(json_object_get(clock, "at_ns")) / 1e9 - 50 * hosts[r];
        assert_true(at > START && at < job.now);
        assert_true((json_number_value(json_object_get(clock, "error")) == 0) == (hosts[r] == 0));
    }
    json_decref(all);
    free(saved);
    free(known);
    ran_free(&ran);
}

/* Time that is over, a signal, and precision that is reached end it; what was measured until then counts. */
static void test_ended(void **state)
{
    (void)state;
    struct ran ran = run("--splits 1000 --samples 10 --time 5s");
    check_well(&ran);
    assert_true(value(&ran, "slowdown", 0, "splits") > 2 && value(&ran, "slowdown", 0, "splits") < 1000);
    assert_true(job.now < START + 8);
    ran_free(&ran);

    ran = run("--splits 3 --time 1us --control none --save saved.csv"); /* one block, which has 8 calls at least */
    check_well(&ran);
    assert_int_equal(test.steps, 1);
    assert_int_equal(rows_of(&ran, "times"), 1);
    assert_int_equal(value(&ran, "times", 0, "calls"), 8);
    ran_free(&ran);

    ran = run("--splits 1000 --samples 10 --time 0 --seed 4 --control none --by node --ci 0.3");
    check_well(&ran);
    assert_true(test.steps >= 20 && test.steps < 200);
    ran_free(&ran);

    ran = run("--splits 3 --samples 10 --time 0 --dry-run --save dry.csv");
    check_well(&ran);
    assert_int_equal(rows_of(&ran, "splits"), 3);
    assert_true(test.calls == 0 && access("dry.csv", F_OK) != 0);
    ran_free(&ran);
}

/* A signal ends it; what was measured until then is told, if there is any. */
static void test_interrupted(void **state)
{
    (void)state;
    for (int after = 4; after < 1000; after += 800) {
        stop_after = after;
        struct ran ran = run("--splits 1000 --samples 10 --time 0");
        assert_int_equal(ran.status, 1);
        assert_non_null(strstr(ran.err, "interrupted"));
        assert_true((ran.json && has_table(&ran, "times")) == (after > 4));
        for (int r = 0; r < N; r++) assert_int_equal(job.statuses[r], -1); /* nobody was aborted */
        ran_free(&ran);
    }
    stop_after = 0;
}

/* The network says what is on one leaf switch, and what it predicts stands beside. */
static void test_predicted(void **state)
{
    (void)state;
    write_text("hosts", "host0 h0\nhost1 h1\n");
    struct ran ran = run("--fabric crossbar:2 --hosts hosts --splits 6 --samples 10 --time 0 --threads 1");
    check_well(&ran);
    assert_true(has_table(&ran, "prediction"));
    near(value(&ran, "slowdown", row_of(&ran, "perturbed/clean"), "slowdown_max"), SLOWDOWN, 0.02);
    ran_free(&ran);
}

/* A barrier has no bytes. */
static void test_barrier(void **state)
{
    (void)state;
    struct ran ran = run("--op barrier:9B --splits 1 --samples 8 --time 0 --control none");
    check_well(&ran);
    assert_int_equal(value(&ran, "times", 0, "bytes"), 0);
    ran_free(&ran);
}

static void test_refused(void **state)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"--control leaf", "--control leaf needs --leaves or --fabric"},
        {"--perturb permutation:0B", "--perturb: a message of 0 B, expected from 1 B to 2 GiB - 1 B"},
        {"--perturb permutation:2GiB", "--perturb: a message of 2 GiB, expected"},
        {"--threads 2", "is for --fabric NETWORK"},
        {"--op nothing", "unknown operation 'nothing'"},
        {"--op alreduce:8B", "unknown operation 'alreduce'; did you mean allreduce?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ran ran = run(cases[i].line);
        if (ran.status != 2 || !strstr(ran.err, cases[i].part))
            fail_msg("'%s' ends with %d: %s", cases[i].line, ran.status, ran.err);
        ran_free(&ran);
    }
}

int MPI_Get_version(int *version, int *part)
{
    *version = 3;
    *part = 1;
    return MPI_SUCCESS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slowdown),    cmocka_unit_test(test_by_node),   cmocka_unit_test(test_asked),
        cmocka_unit_test(test_saved),       cmocka_unit_test(test_ended),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_predicted), cmocka_unit_test(test_barrier),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
