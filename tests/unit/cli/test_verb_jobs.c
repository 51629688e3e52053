/* crosswind jobs: bandwidths as NCCL's tests define them, jobs in files, and the second opinion. */
#include "cli_test.h"
#include "sim/flows/flow_path.h"

extern const struct verb verb_jobs;
const struct verb *const verbs[] = {&verb_jobs, NULL};

static double number(const struct ran *ran, const char *table, size_t row, const char *column)
{
    return json_number_value(cell(ran, table, row, column));
}

/* COLLECTIVE of 1 MB among 8 ranks has DATA bytes a rank, of which each must be sent FACTOR times. */
static void check_volume(const char *collective, double data, double factor)
{
    char line[256];
    snprintf(line, sizeof line, "jobs crossbar:8@100Gbit/s --o 0us --jobs '%s bytes=1MB'", collective);
    struct ran ran = result_of(line);
    const double time = number(&ran, "jobs", 0, "time_mean");
    assert_true(time > 0);
    assert_true(fabs(number(&ran, "jobs", 0, "algbw") * time * 1e9 / data - 1) < 1e-9);
    assert_true(fabs(number(&ran, "jobs", 0, "busbw") * time * 1e9 / (data * factor) - 1) < 1e-9);
    ran_free(&ran);
}

static void test_bandwidths(void **state)
{
    (void)state;
    check_volume("ring-allreduce", 1e6, 2 * 7 / 8.0);
    check_volume("ring-allreduce repeat=4", 4e6, 2 * 7 / 8.0);
    check_volume("rabenseifner", 1e6, 2 * 7 / 8.0);
    check_volume("ring-reduce-scatter", 1e6, 7 / 8.0);
    check_volume("ring-allgather", 8e6, 7 / 8.0);
    check_volume("alltoall", 8e6, 7 / 8.0);
    check_volume("linear-gather", 8e6, 7 / 8.0);
    check_volume("binomial-bcast", 1e6, 1);
    check_volume("linear-reduce", 1e6, 1);
}

static void test_jobs_in_a_file(void **state)
{
    (void)state;
    write_text("jobs.txt", "shift:1 ranks=2 bytes=1MB\n\nallreduce ranks=4 bytes=1KiB\nuniform load=0.5\n");
    struct ran ran = result_of("jobs crossbar:9 --jobs jobs.txt"),
               same = result_of("jobs crossbar:9 --jobs 'shift:1 ranks=2 bytes=1MB; allreduce ranks=4 bytes=1KiB; "
                                "uniform load=0.5'");
    assert_int_equal(rows_of(&ran, "jobs"), 3);
    assert_int_equal(rows_of(&ran, "pairs"), 4);
    assert_true(json_equal(table_of(&ran, "jobs"), table_of(&same, "jobs")));
    check_note(&ran, "allreduce is recursive-doubling here");
    ran_free(&ran);
    ran_free(&same);
}

/* A program says itself how long its messages are: no bytes, no bandwidths. It waits, computes, and sends two times. */
static void test_program(void **state)
{
    (void)state;
    write_text("two.goal", "num_ranks 2\nrank 0 {\na: calc 3000\nb: send 125000b to 1\nb requires a\n}\n"
                           "rank 1 {\nrecv 125000b from 0\n}\n");
    struct ran ran = result_of("jobs crossbar:4@100Gbit/s --jobs 'shift:1 bytes=1MB; goal:two.goal start=1s repeat=2'");
    assert_int_equal(json_integer_value(cell(&ran, "jobs", 1, "ranks")), 2);
    assert_true(json_is_null(cell(&ran, "jobs", 1, "bytes")) && json_is_null(cell(&ran, "jobs", 1, "algbw")));
    assert_true(fabs(number(&ran, "jobs", 1, "alone_mean") - (3e-6 + 1e-6 + 2 * 10e-6 + 2 * 100e-9)) < 1e-15);
    assert_true(fabs(number(&ran, "jobs", 1, "slowdown_mean") - 1) < 1e-9);
    ran_free(&ran);
}

/* A recorded program computes for as long as it did, and waits for as long as its messages take here. */
static void test_recorded(void **state)
{
    (void)state;
    write_text("two.rec", "crosswind-recording 1 rank 0 of 2 block 0\ncommunicator 0 0 c0 0-1\n"
                          "Send 3000 5000 > 0 1 0 125000\nend 0 0\n"
                          "crosswind-recording 1 rank 1 of 2 block 0\ncommunicator 0 0 c0 0-1\n"
                          "Recv 0 20000 < 0 0 0\nend 4000 0\n");
    struct ran ran = result_of("jobs crossbar:4@100Gbit/s --jobs 'recorded:two.rec repeat=2'");
    const double once = 3e-6 + 1e-6 + 10e-6 + 2 * 100e-9 + 4e-6;
    check_note(&ran, "took 48 µs when it was recorded");
    ran_free(&ran);
    ran = result_of("jobs crossbar:4@100Gbit/s --jobs recorded:two.rec");
    assert_int_equal(json_integer_value(cell(&ran, "jobs", 0, "ranks")), 2);
    assert_true(fabs(number(&ran, "jobs", 0, "time_mean") - once) < 1e-15);
    check_note(&ran, "Job 1 (recorded:two.rec) took 24 µs when it was recorded");
    check_note(&ran, "it takes 18.2 µs, 0.758 times as long");
    ran_free(&ran);
    ran = result_of("jobs crossbar:4@100Gbit/s --jobs 'uniform ranks=2; recorded:two.rec' --longest-path 2");
    const double parts[] = {3e-6 + 4e-6, 1e-6, 2 * 100e-9, 10e-6, 0}; /* in the order of enum cw_flow_part */
    assert_int_equal(rows_of(&ran, "path"), CW_FLOW_PARTS);
    for (size_t p = 0; p < CW_FLOW_PARTS; p++) {
        assert_true(fabs(number(&ran, "path", p, "time") - parts[p]) < 1e-15);
        assert_true(fabs(number(&ran, "path", p, "share") - parts[p] / once) < 1e-9);
    }
    assert_int_equal(rows_of(&ran, "path_stretches"), 5);
    assert_true(fabs(number(&ran, "path_stretches", 0, "begin") - 4e-6) < 1e-15); /* the longest: the message */
    ran_free(&ran);
}

/* Both verbs say that ranks had too few processors when they were recorded, if they had. */
static void test_processors(void **state)
{
    (void)state;
    static const char crowded[] = "crosswind-recording 1 rank 0 of 2 block 0\nprocessors 0 0 p5 3:3\n%s"
                                  "Barrier 3000 1000\nend 0 0\n"
                                  "crosswind-recording 1 rank 1 of 2 block 0\nprocessors 0 0 p5 3:3\n%s"
                                  "Barrier 3000 1000\nend 0 0\n";
    static const char *const said[] = {"2 ranks had 1 processor of one machine when they were recorded.",
                                       "For 25 % of their time the ranks could have run and had no processor"};
    char text[512];
    for (int waited = 0; waited < 2; waited++) {
        const char *line = waited ? "processors 0 0 w1000\n" : "";
        snprintf(text, sizeof text, crowded, line, line);
        write_text("few.rec", text);
        struct ran ran = result_of("jobs crossbar:4 --jobs recorded:few.rec");
        check_note(&ran, said[0]);
        assert_int_equal(notes_with(&ran, said[1]), waited);
        ran_free(&ran);
    }
}

#define BCAST(R)                                                                                                       \
    "crosswind-recording 1 rank " R " of 4 block 0\ncommunicator 0 0 c0 0-3\nBcast 0 1 * 0 bcast 0 1000000\nend 0 0\n"

/* Each collectives= of a recording is a rule, as for crosswind program: the last one that fits counts. */
static void test_rules(void **state)
{
    (void)state;
    static const char linear[] = "bcast=linear-bcast",
                      both[] = "bcast=binomial-bcast collectives=bcast>999kB=linear-bcast";
    static const char longer[] = "bcast=binomial-bcast collectives=bcast>1MB=linear-bcast";
    const double whole = 80e-6, hop = 2 * 100e-9, o = 1e-6;
    const struct {
        const char *rules;
        double time;
    } cases[] = {{linear, o + 3 * whole + hop}, {both, o + 3 * whole + hop}, {longer, 2 * (o + whole + hop)}};
    write_text("four.rec", BCAST("0") BCAST("1") BCAST("2") BCAST("3"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        snprintf(line, sizeof line, "jobs crossbar:4@100Gbit/s --jobs 'recorded:four.rec collectives=%s'",
                 cases[i].rules);
        struct ran ran = result_of(line);
        assert_true(fabs(number(&ran, "jobs", 0, "time_mean") - cases[i].time) < 1e-12);
        ran_free(&ran);
    }
    check_refused("jobs crossbar:4 --jobs 'recorded:four.rec collectives=bcast=alltoall'", 2, "is a schedule of");
    check_refused("jobs crossbar:4 --jobs 'bcast collectives=bcast=linear-bcast'", 2, "job 1: bcast is no recording");
}

/* By flits, a job is as long as by flows on a crossbar; behind a full slow cable it is not, and that is said. */
static void test_second_opinion(void **state)
{
    (void)state;
    struct ran ran = result_of("jobs crossbar:4 --jobs 'ring-allreduce bytes=64KiB' --check 1");
    assert_true(fabs(number(&ran, "check", 0, "ratio") - 1) < 0.05);
    assert_int_equal(notes_with(&ran, "Rely on the flits"), 0);
    ran_free(&ran);
    write_text("slow.txt", "# crosswind edge list\n"
                           "n0 a 40Gbit/s\nn1 a 40Gbit/s\nn2 b 40Gbit/s\nn3 b 2Gbit/s\na b 40Gbit/s\n");
    write_text("some", "n0\nn2\n");
    write_text("others", "n1\nn3\n");
    /* from n0 to n2 is not over the slow cable to n3, but stands behind what is */
    ran = result_of("jobs slow.txt --check 1 --jobs 'shift:1 ranks=2 bytes=64KiB placement=file:some; "
                    "shift:1 ranks=2 placement=file:others'");
    assert_true(number(&ran, "jobs", 0, "slowdown_mean") < 1.1);
    assert_true(number(&ran, "check", 0, "ratio") < 0.5);
    assert_int_equal(rows_of(&ran, "check"), 1);
    check_note(&ran, "Flit by flit, job 1 takes");
    ran_free(&ran);
}

/* Hosts that are named are those, and a number is so many. */
static void test_hosts(void **state)
{
    (void)state;
    struct ran ran =
        result_of("jobs torus:4x4 --jobs 'shift:1 hosts=h[8-11] bytes=1MB; alltoall hosts=25% bytes=1KiB' --top 0");
    check_text(&ran, "jobs", 0, "placement", "hosts");
    check_int(&ran, "jobs", 0, "ranks", 4);
    check_int(&ran, "jobs", 0, "trials", 1);
    check_int(&ran, "jobs", 1, "ranks", 4);
    ran_free(&ran);
    check_refused("jobs torus:4x4 --jobs 'alltoall hosts=h[8-99]'", 2, "job 1: hosts= names no endpoint 'h16'");
    ran = result_of("jobs torus:4x4 --jobs 'alltoall hosts=h[8-9]' --advise placement");
    check_note(&ran, "Job 1 (alltoall) names its hosts");
    assert_null(json_object_get(json_object_get(ran.json, "tables"), "advice"));
    ran_free(&ran);
    ran = result_of("jobs torus:4x4 --jobs 'shift:1 ranks=4 placement=random; alltoall ranks=4' --advise placement");
    check_note(&ran, "Swaps of single hosts were not tried: another job is placed anew in each trial.");
    ran_free(&ran);
}

/* Whoever has an InfiniBand fabric is told what makes the routes that are advised. */
static void test_routes_to_install(void **state)
{
    (void)state;
    struct ran ran = result_of("jobs " CW_TEST_DATA "/golden/fabric/two-level.ibnetdiscover --routing lash --advise "
                               "routing --jobs 'alltoall bytes=64KiB'");
    check_note(&ran, "For OpenSM to have these routes: routing_engine dfsssp, qos TRUE.");
    ran_free(&ran);
}

/* What counts say of the same trials is said where it is another time, and only where there is something to count. */
static void test_counts_beside(void **state)
{
    (void)state;
    static const char jobs[] =
        "jobs xgft:2:4,4:1,1 --placement random --top 0 --jobs 'bruck ranks=50% bytes=64KiB; uniform "
        "load=0.05'";
    static const char said[] = "By counting the messages of each round (--model counts), job 1 takes";
    char line[300];
    struct ran flows = result_of(jobs);
    snprintf(line, sizeof line, "%s --model counts", jobs);
    for (char *at = strstr(line, "--top 0"); at; at = NULL) memset(at, ' ', strlen("--top 0"));
    struct ran counts = result_of(line), alike = result_of("jobs crossbar:8 --jobs 'bruck bytes=64KiB'"),
               two = result_of("jobs xgft:2:4,4:1,1 --jobs 'bruck ranks=8; alltoall' --placement random");
    const double apart = number(&counts, "jobs", 0, "time_mean") / number(&flows, "jobs", 0, "time_mean");
    assert_true(apart > 1.3);
    assert_int_equal(notes_with(&flows, said), 1);
    assert_int_equal(notes_with(&counts, said), 0);
    assert_int_equal(notes_with(&alike, said), 0);
    assert_int_equal(notes_with(&two, said), 0);
    check_int(&counts, "jobs", 0, "trials", 20);
    ran_free(&flows);
    ran_free(&counts);
    ran_free(&alike);
    ran_free(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bandwidths),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_routes_to_install),
        cmocka_unit_test(test_counts_beside),
        cmocka_unit_test_setup_teardown(test_jobs_in_a_file, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_program, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_recorded, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_rules, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_processors, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_second_opinion, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
