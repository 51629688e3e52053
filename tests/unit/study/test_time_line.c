/* The time-lines of figure 1, against the times that follow from the paper's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/network.h"
#include "paper_example.h"
#include "study/papers/noise_paper.h"

static void run_all(struct cw_time_line lines[CW_TIME_LINES])
{
    for (int noise = 0; noise < CW_TIME_LINES; noise++)
        assert_int_equal(cw_time_line_run((enum cw_time_line_noise)noise, &lines[noise]), 0);
}

static void check_message(const struct cw_time_line *line, uint32_t src, uint32_t dst, double sent, double arrived)
{
    for (size_t i = 0; i < CW_TIME_LINE_PROCESSES - 1; i++)
        if (line->messages[i].src == src && line->messages[i].dst == dst) {
            assert_true(line->messages[i].sent == sent && line->messages[i].arrived == arrived);
            assert_true(line->messages[i].clean == sent + 2);
            return;
        }
    fail_msg("no message from %u to %u", src, dst);
}

/* One slice of computation, latency 2, gap 1; noise adds 2. */
static void test_times(void **state)
{
    (void)state;
    struct cw_time_line lines[CW_TIME_LINES];
    run_all(lines);
    check_message(&lines[CW_NOISELESS], 0, 1, 1, 3);
    check_message(&lines[CW_NOISELESS], 0, 2, 2, 4);
    check_message(&lines[CW_NOISELESS], 1, 3, 3, 5);
    assert_int_equal(lines[CW_NOISELESS].interrupted, CW_NONE);
    check_message(&lines[CW_OS_NOISE], 0, 1, 1, 3);
    check_message(&lines[CW_OS_NOISE], 0, 2, 2, 4);
    check_message(&lines[CW_OS_NOISE], 1, 3, 5, 7);
    assert_int_equal(lines[CW_OS_NOISE].interrupted, 1);
    assert_true(lines[CW_OS_NOISE].from == 3 && lines[CW_OS_NOISE].to == 5);
    check_message(&lines[CW_NETWORK_NOISE], 0, 1, 1, 5);
    check_message(&lines[CW_NETWORK_NOISE], 0, 2, 2, 4);
    check_message(&lines[CW_NETWORK_NOISE], 1, 3, 5, 7);
    static const double finish[CW_TIME_LINES][CW_TIME_LINE_PROCESSES] = {{3, 4, 4, 5}, {3, 6, 4, 7}, {3, 6, 4, 7}};
    for (int noise = 0; noise < CW_TIME_LINES; noise++)
        for (int p = 0; p < CW_TIME_LINE_PROCESSES; p++) assert_true(lines[noise].finish[p] == finish[noise][p]);
}

static void test_findings(void **state)
{
    (void)state;
    struct cw_time_line lines[CW_TIME_LINES];
    run_all(lines);
    for (size_t claim = 0; claim < 2; claim++)
        check_claim(&cw_paper_noise, CW_NOISE_TIME_LINE, claim, lines, CW_HOLDS, 2,
                    "finish 0, 2, 0 and 2 slices later");
    lines[CW_OS_NOISE].finish[2] += 1;      /* planted: rank 3 would be late as well */
    lines[CW_NETWORK_NOISE].finish[3] -= 2; /* … and rank 4 not */
    check_claim(&cw_paper_noise, CW_NOISE_TIME_LINE, 0, lines, CW_HOLDS_NOT, 2,
                "ranks 1 to 4 finish 0, 2, 1 and 2 slices later than without noise");
    check_claim(&cw_paper_noise, CW_NOISE_TIME_LINE, 1, lines, CW_HOLDS_NOT, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_times), cmocka_unit_test(test_findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
