/* Case files: what they say, what is wrong with malformed ones, and a replay held against their figures. */
#include <stdio.h>

#include "net/network_internal.h"
#include "sim/noise_case.h"
#include "sim_test.h"

static struct cw_noise_case parse(const char *text)
{
    struct cw_noise_case result;
    if (cw_noise_case_parse("case", text, strlen(text), &result)) fail_msg("%s", cw_error_message());
    return result;
}

static void test_reads_everything(void **state)
{
    (void)state;
    struct cw_noise_case c = parse("# a comment\r\n\tnet  xgft 2 4 3 1 2 8 # another\n\napp 3 5 0 7\npert 2 1 2 2 1\n"
                                   "level 1 1 2 3 4 5\nlevel 2 6 7 8 9 10\nperturbation_only 2 3 4\ntime 1.5 2e1\n"
                                   "bisect 1 11 3\nbisect_result 0.5 2");
    assert_string_equal(c.file, "case");
    assert_string_equal(c.network, "xgft:2:4,3:1,2:radix=8");
    assert_int_equal(c.ranks, 3);
    assert_int_equal(c.endpoints[0], 5);
    assert_int_equal(c.endpoints[2], 7);
    assert_int_equal(c.perturbation.n, 2);
    assert_int_equal(c.perturbation.src[1], 2);
    assert_int_equal(c.perturbation.dst[1], 1);
    assert_int_equal(c.n_levels, 2);
    assert_int_equal(c.level_lines[1], 7);
    assert_int_equal(c.levels[1].messages, 6);
    assert_int_equal(c.levels[1].clean_sum, 7);
    assert_int_equal(c.levels[1].clean_max, 8);
    assert_int_equal(c.levels[1].perturbed_sum, 9);
    assert_int_equal(c.levels[1].perturbed_max, 10);
    assert_int_equal(c.perturbation_only.sum, 3);
    assert_int_equal(c.perturbation_line, 8);
    assert_true(c.times.clean == 1.5 && c.times.perturbed == 20);
    assert_int_equal(c.times_line, 9);
    assert_true(c.has_bisection && c.bisection.n == 1 && c.bisection.src[0] == 11 && c.bisection.dst[0] == 3);
    assert_true(c.bisection_result.inverse_sum == 0.5 && c.bisection_result.max == 2);
    assert_int_equal(c.bisection_line, 11);
    cw_noise_case_free(&c);
    cw_noise_case_free(NULL);
}

static void test_reads_little(void **state)
{
    (void)state;
    struct cw_noise_case c = parse("app 1 0\npert 0\nnet torus 5 3");
    assert_string_equal(c.network, "torus:5x5x5");
    assert_int_equal(c.perturbation.n, 0);
    assert_true(!c.has_bisection && c.n_levels == 0 && c.times_line == 0);
    cw_noise_case_free(&c);
    c = parse("app 1 0");
    assert_null(c.network);
    cw_noise_case_free(&c);
    c = parse("app 1 0\nnet dragonfly:2,4,2 # any specification, or a file\n");
    assert_string_equal(c.network, "dragonfly:2,4,2");
    cw_noise_case_free(&c);
}

#define LEVEL "expected 'level l messages clean_sum clean_max perturbed_sum perturbed_max'"
#define XGFT  "expected 'net xgft h m1 .. mh w1 .. wh radix', 'net torus k n' or 'net' and one word"

static const struct {
    const char *text, *message;
} malformed[] = {
    {"", "case: no 'app' line, expected one"},
    {"# only a comment\n\n", "case: no 'app' line, expected one"},
    {"\n\nfoo 1\n",
     "case:3: unknown statement 'foo', expected net, app, pert, level, perturbation_only, time, bisect or "
     "bisect_result"},
    {"app\n", "case:1: expected the number of ranks, then the endpoint of each"},
    {"app x\n", "case:1: expected the number of ranks, then the endpoint of each"},
    {"app 0\n", "case:1: expected at least one rank"},
    {"app 3 0 1\n", "case:1: expected as many endpoints as the line says"},
    {"app 2 0 1 # 2\napp 1 0", "case:2: a second 'app' line"},
    {"app 2 0 1 2\n", "case:1: unexpected '2', expected the end of the line"},
    {"app 2 0 -1\n", "case:1: expected as many endpoints as the line says"},
    {"app 2 0 4294967295\n", "case:1: expected as many endpoints as the line says"},
    {"app 99999999999999999999999 0\n", "case:1: expected the number of ranks, then the endpoint of each"},
    {"app 18446744073709551617 0\n", "case:1: expected the number of ranks, then the endpoint of each"},
    {"app 100 0 1\n", "case:1: expected the number of ranks, then the endpoint of each"},
    {"net\n", "case:1: " XGFT},
    {"net ring 4\n", "case:1: " XGFT},
    {"net torus 4\n", "case:1: " XGFT},
    {"net torus 4 0\n", "case:1: " XGFT},
    {"net torus 4 32\n", "case:1: " XGFT},
    {"net torus 4 x\n", "case:1: expected a number"},
    {"net torus 1000000001 1\n", "case:1: expected a number"},
    {"net xgft 2 4 4 1 2\n", "case:1: " XGFT},
    {"net xgft 2 4 4 1 2 8 9\n", "case:1: " XGFT},
    {"net xgft 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
     "1 "
     "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
     "case:1: expected at most 64 numbers"},
    {"net torus 4 2\nnet torus 4 2\n", "case:2: a second 'net' line"},
    {"pert\n", "case:1: expected the number of pairs, then as many pairs 'source destination'"},
    {"pert 1 2\n", "case:1: expected as many pairs 'source destination' as the line says"},
    {"pert 1 2 3 4\n", "case:1: unexpected '4', expected the end of the line"},
    {"pert 0\npert 0\n", "case:2: a second 'pert' line"},
    {"level\n", "case:1: " LEVEL},
    {"level 2 1 1 1 1 1\n", "case:1: level 2, expected level 1"},
    {"level 1 1 1 1 1 1\nlevel 1 1 1 1 1 1\n", "case:2: level 1, expected level 2"},
    {"level 1 1 1 1 1\n", "case:1: " LEVEL},
    {"level 1 1 1 1 1 1 1\n", "case:1: unexpected '1', expected the end of the line"},
    {"level 1 1 1 4294967296 1 1\n", "case:1: " LEVEL},
    {"level 1 1 99999999999999999999 1 1 1\n", "case:1: " LEVEL},
    {"level 1 18446744073709551617 1 1 1 1\n", "case:1: " LEVEL}, /* 2^64 + 1 */
    {"time 3\n", "case:1: expected 'time clean perturbed'"},
    {"time 3 nan\n", "case:1: expected 'time clean perturbed'"},
    {"time 3 -1\n", "case:1: expected 'time clean perturbed'"},
    {"time 3 4x\n", "case:1: expected 'time clean perturbed'"},
    {"time 3 4 5\n", "case:1: unexpected '5', expected the end of the line"},
    {"time 3 4\ntime 3 4\n", "case:2: a second 'time' line"},
    {"perturbation_only 1 2\n", "case:1: expected 'perturbation_only messages sum max'"},
    {"perturbation_only 1 2 3\nperturbation_only 1 2 3\n", "case:2: a second 'perturbation_only' line"},
    {"bisect 2 0 1\n", "case:1: expected as many pairs 'source destination' as the line says"},
    {"bisect 0\nbisect 0\n", "case:2: a second 'bisect' line"},
    {"bisect_result x 1\n", "case:1: expected 'bisect_result sum_of_1/c max'"},
    {"bisect_result 1\n", "case:1: expected 'bisect_result sum_of_1/c max'"},
    {"bisect_result 1 1\nbisect_result 1 1\n", "case:2: a second 'bisect_result' line"},
    {"applications 1 0\n", "case:1: unknown statement 'applications', expected net, app, pert, level, "
                           "perturbation_only, time, bisect or bisect_result"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        const char *text = malformed[i].text;
        struct cw_noise_case result = {.ranks = 77};
        const int error = cw_noise_case_parse("case", text, strlen(text), &result);
        if (error != CW_EPARSE || strcmp(cw_error_message(), malformed[i].message) != 0)
            fail_msg("%s: '%s' (%d), expected '%s'", text, error ? cw_error_message() : "accepted", error,
                     malformed[i].message);
        assert_int_equal(result.ranks, 77);
    }
}

static void test_missing_file(void **state)
{
    (void)state;
    struct cw_noise_case result;
    assert_int_equal(cw_noise_case_read("/nowhere/case.txt", &result), CW_EIO);
}

/* --- replays ------------------------------------------------------------------------------------------------------ */

/* TEXT replayed on NETWORK (NULL: its own) as a binomial tree; the result's or the error's code. */
static int replay(const char *text, const char *network, struct cw_noise_case *c, struct cw_noise_replay *result)
{
    *c = parse(text);
    struct test_fabric fabric = open_fabric(network ? network : c->network, NULL);
    struct cw_schedule *schedule = open_schedule("tree");
    const struct cw_collective_setup setup = {.routes = fabric.routes, .schedule = schedule};
    const int error = cw_noise_case_run(c, &setup, result);
    cw_schedule_free(schedule);
    close_fabric(&fabric);
    return error;
}

static void test_impossible_roles(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"app 2 0 4\n", "case: endpoint 4, but crossbar:4 has endpoints 0 to 3"},
        {"app 2 1 1\n", "case: endpoint 1 runs two ranks"},
        {"app 2 0 1\npert 1 1 2\n", "case: endpoint 1 both runs the application and perturbs it"},
        {"app 2 0 1\npert 1 2 0\n", "case: endpoint 0 both runs the application and perturbs it"},
        {"app 2 0 1\npert 1 2 9\n", "case: endpoint 9, but crossbar:4 has endpoints 0 to 3"},
        {"app 2 0 1\npert 1 9 2\n", "case: endpoint 9, but crossbar:4 has endpoints 0 to 3"},
        {"app 2 0 1\nbisect 1 7 0\n", "case: endpoint 7, but crossbar:4 has endpoints 0 to 3"},
        {"app 2 0 1\nbisect 1 0 7\n", "case: endpoint 7, but crossbar:4 has endpoints 0 to 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_noise_case c;
        struct cw_noise_replay result = {.trace.n_levels = 77};
        assert_int_equal(replay(cases[i].text, "crossbar:4", &c, &result), CW_EUSAGE);
        assert_string_equal(cw_error_message(), cases[i].message);
        assert_int_equal(result.trace.n_levels, 77);
        cw_noise_case_free(&c);
    }
}

/* Ring of 8 by hand: first 0 to 2, by 1; then 0 to 5 the short way, by 7 and 6, and 2 to 3. The perturbation 1 to 4
 * shares 1-2 with the first and 2-3 with the last, 6 to 4 shares 6-5. */
#define RING                                                                                                           \
    "net torus 8 1\napp 4 0 2 5 3\npert 2 1 4 6 4\n"                                                                   \
    "level 1 1 1 1 2 2\nlevel 2 2 2 1 4 2\nperturbation_only 2 4 2\ntime 2 4\n"                                        \
    "bisect 3 0 2 1 3 5 4\nbisect_result 2 2\n"

static void test_ring_by_hand(void **state)
{
    (void)state;
    struct cw_noise_case c;
    struct cw_noise_replay result;
    struct cw_text differences = {0};
    assert_int_equal(replay(RING, NULL, &c, &result), 0);
    assert_int_equal(cw_noise_case_compare(&c, &result, &differences), 0);
    assert_int_equal(differences.length, 0);
    assert_int_equal(result.trace.n_levels, 2);
    assert_true(result.times.clean == 2 && result.times.perturbed == 4);
    assert_int_equal(result.path_length, 3);
    assert_int_equal(result.path[0], 0);
    assert_int_equal(result.path[1], 1);
    assert_int_equal(result.path[2], 3);
    assert_int_equal(result.perturbation_only.messages, 2);
    assert_int_equal(result.bisection.messages, 3);
    cw_noise_replay_free(&result);
    cw_noise_replay_free(NULL);
    cw_noise_case_free(&c);
}

/* Written with the figures of its replay, the ring is the ring again, to the word. */
static void test_writes_what_it_reads(void **state)
{
    (void)state;
    struct cw_noise_case c;
    struct cw_noise_replay result;
    struct cw_text text = {0};
    assert_int_equal(replay(RING, NULL, &c, &result), 0);
    cw_noise_case_write(&c, "torus:8", &result, &text);
    assert_string_equal(text.data, "net torus:8\napp 4 0 2 5 3\npert 2 1 4 6 4\n"
                                   "level 1 1 1 1 2 2\nlevel 2 2 2 1 4 2\nperturbation_only 2 4 2\ntime 2 4\n"
                                   "bisect 3 0 2 1 3 5 4\nbisect_result 2 2\n");
    cw_text_free(&text);
    cw_noise_case_write(&c, "a file with blanks", &result, &text);
    assert_int_equal(strncmp(text.data, "app 4 ", 6), 0);
    cw_text_free(&text);
    cw_noise_replay_free(&result);
    cw_noise_case_free(&c);
}

/* Messages and channels of the ring: 0 to 2 goes by 0>1 and 1>2, which the perturbation's 1 to 4 shares. */
static void test_ring_channels(void **state)
{
    (void)state;
    static const struct {
        uint32_t level, src, dst, own, with_background;
        uint32_t from, to; /* hottest channel: switch i is vertex 8 + i */
    } messages[] = {{0, 0, 1, 1, 2, 8 + 1, 8 + 2}, {1, 0, 2, 1, 2, 8 + 6, 8 + 5}, {1, 1, 3, 1, 2, 8 + 2, 8 + 3}};
    struct cw_noise_case c = parse(RING);
    struct test_fabric fabric = open_fabric(c.network, NULL);
    struct cw_noise_replay result;
    struct cw_schedule *schedule = open_schedule("tree");
    const struct cw_collective_setup setup = {.routes = fabric.routes, .schedule = schedule};
    assert_int_equal(cw_noise_case_run(&c, &setup, &result), 0);
    assert_int_equal(result.trace.n_messages, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct cw_traced_message *message = &result.trace.messages[i];
        assert_true(message->level == messages[i].level && message->src == messages[i].src);
        assert_true(message->dst == messages[i].dst && message->congestion.own == messages[i].own);
        assert_int_equal(message->congestion.with_background, messages[i].with_background);
        assert_int_equal(fabric.net->tail[message->bottleneck], messages[i].from);
        assert_int_equal(fabric.net->head[message->bottleneck], messages[i].to);
    }
    /* level 1: h0, 0>1, 1>2, h2; level 2: h0, 0>7, 7>6, 6>5, h5, and h2, 2>3, h3 */
    assert_int_equal(result.trace.n_channels, 4 + 5 + 3);
    size_t shared = 0;
    for (size_t i = 0; i < result.trace.n_channels; i++) {
        assert_int_equal(result.trace.channels[i].own, 1);
        shared += result.trace.channels[i].background;
    }
    assert_int_equal(shared, 3);
    cw_noise_replay_free(&result);
    cw_noise_case_free(&c);
    cw_schedule_free(schedule);
    close_fabric(&fabric);
}

/* Every figure of a case, made wrong, is reported with its line, and nothing else. */
static void test_wrong_figures_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *expected, *differences;
    } cases[] = {
        {"level 1 2 1 1 2 2\nlevel 2 2 2 1 4 2\n", "case:4: level 1: messages is 1, expected 2\n"},
        {"level 1 1 2 1 2 2\nlevel 2 2 2 1 4 2\n", "case:4: level 1: clean_sum is 1, expected 2\n"},
        {"level 1 1 1 2 2 2\nlevel 2 2 2 1 4 2\n", "case:4: level 1: clean_max is 1, expected 2\n"},
        {"level 1 1 1 1 2 2\nlevel 2 2 2 1 3 2\n", "case:5: level 2: perturbed_sum is 4, expected 3\n"},
        {"level 1 1 1 1 2 2\nlevel 2 2 2 1 4 3\n", "case:5: level 2: perturbed_max is 2, expected 3\n"},
        {"level 1 1 1 1 2 2\n", "case:4: the number of levels is 2, expected 1\n"},
        {"level 1 1 1 1 2 2\nlevel 2 2 2 1 4 2\nlevel 3 0 0 0 0 0\n",
         "case:6: the number of levels is 2, expected 3\n"},
        {"perturbation_only 3 4 2\n", "case:4: perturbation_only: messages is 2, expected 3\n"},
        {"perturbation_only 2 5 2\n", "case:4: perturbation_only: sum is 4, expected 5\n"},
        {"perturbation_only 2 4 0\n", "case:4: perturbation_only: max is 2, expected 0\n"},
        {"time 3 4\n", "case:4: clean time is 2, expected 3\n"},
        {"time 2 4.00000001\n", "case:4: perturbed time is 4, expected 4.00000001\n"},
        {"time 2 4.000000001\n", NULL},
        {"bisect 3 0 2 1 3 5 4\nbisect_result 2.00001 2\n",
         "case:5: bisection: sum of 1/congestion is 2, expected 2.00001\n"},
        {"bisect 3 0 2 1 3 5 4\nbisect_result 2.000001 2\n", NULL},
        {"bisect 3 0 2 1 3 5 4\nbisect_result 2 1\n", "case:5: bisection: max is 2, expected 1\n"},
        {"bisect_result 2 0\n", "case:4: bisection: sum of 1/congestion is 0, expected 2\n"},
        {"time 1 2\nperturbation_only 2 4 1\n",
         "case:5: perturbation_only: max is 2, expected 1\ncase:4: clean time is 2, expected 1\n"
         "case:4: perturbed time is 4, expected 2\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        struct cw_noise_case c;
        struct cw_noise_replay result;
        struct cw_text differences = {0};
        snprintf(text, sizeof text, "net torus 8 1\napp 4 0 2 5 3\npert 2 1 4 6 4\n%s", cases[i].expected);
        assert_int_equal(replay(text, NULL, &c, &result), 0);
        const size_t n = cw_noise_case_compare(&c, &result, &differences);
        if (cases[i].differences) assert_string_equal(differences.data, cases[i].differences);
        size_t lines = 0;
        for (size_t at = 0; at < differences.length; at++) lines += differences.data[at] == '\n';
        assert_int_equal(n, lines);
        assert_true((n > 0) == (cases[i].differences != NULL));
        cw_text_free(&differences);
        cw_noise_replay_free(&result);
        cw_noise_case_free(&c);
    }
}

/* Times of microseconds are compared as closely as those of rounds. */
static void test_small_times_are_compared(void **state)
{
    (void)state;
    struct cw_noise_case c = parse("app 2 0 1\ntime 1.5e-6 1.5e-6\n");
    struct cw_noise_replay result = {.times = {1.5e-6, 1.500001e-6}};
    struct cw_text differences = {0};
    assert_int_equal(cw_noise_case_compare(&c, &result, &differences), 1);
    assert_string_equal(differences.data, "case:2: perturbed time is 1.500001e-06, expected 1.5e-06\n");
    cw_text_free(&differences);
    cw_noise_case_free(&c);
}

/* Cases of another implementation. */
static void test_golden_cases(void **state)
{
    (void)state;
    static const char *const names[] = {"torus-6x6", "xgft-parallel", "xgft-uneven"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        struct cw_text text = {0}, differences = {0};
        struct cw_noise_case c;
        struct cw_noise_replay result;
        snprintf(path, sizeof path, "%s/golden/noise/%s.txt", CW_TEST_DATA, names[i]);
        if (cw_file_read(path, &text)) fail_msg("%s", cw_error_message());
        assert_int_equal(replay(text.data, NULL, &c, &result), 0);
        assert_true(c.n_levels > 3 && c.times_line > 0 && c.bisection_line > 0);
        if (cw_noise_case_compare(&c, &result, &differences)) fail_msg("%s: %s", names[i], differences.data);
        cw_text_free(&differences);
        cw_text_free(&text);
        cw_noise_replay_free(&result);
        cw_noise_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_everything),
        cmocka_unit_test(test_reads_little),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_impossible_roles),
        cmocka_unit_test(test_ring_by_hand),
        cmocka_unit_test(test_writes_what_it_reads),
        cmocka_unit_test(test_ring_channels),
        cmocka_unit_test(test_wrong_figures_are_reported),
        cmocka_unit_test(test_small_times_are_compared),
        cmocka_unit_test(test_golden_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
