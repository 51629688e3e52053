/* When the messages of a continuous load come. */
#include <math.h>

#include "base/random.h"
#include "flit_test.h"
#include "sim/flit/flit_source.h"

/* The number of cycles is what the logarithm says, whether it was looked up or not, and its mean is that of the load.
 */
static void check_gaps(double load, uint32_t message, uint64_t period)
{
    enum { N = 200000 };
    const struct cw_flit_job job = {.load = load, .message_flits = message};
    struct cw_random random = cw_random_of(1, CW_STREAM_SAMPLE, message);
    struct cw_flit_gaps gaps;
    const double begins = load * (double)CW_FLIT_CYCLE / (double)period / message;
    double sum = 0;
    cw_flit_gaps_fill(&gaps, &job, period);
    for (int i = 0; i < N; i++) {
        const uint64_t bits = cw_random_u64(&random);
        const double unit = ((double)(bits >> 11) + 1) * 0x1p-53;
        const uint64_t gap = cw_flit_gap(&gaps, bits);
        assert_int_equal(gap, 1 + (uint64_t)(log(unit) / log1p(-begins)));
        sum += (double)gap;
    }
    assert_true(fabs(sum / N * begins - 1) < 5 * sqrt((1 - begins) / N)); /* five standard deviations */
}

static void gaps_are_geometric(void **state)
{
    (void)state;
    check_gaps(0.4, 1, CW_FLIT_CYCLE);
    check_gaps(0.999, 1, CW_FLIT_CYCLE);
    check_gaps(0.9, 7, 3 * CW_FLIT_CYCLE);
    check_gaps(1e-6, 1, CW_FLIT_CYCLE);
}

/* Numbers whose first byte decides are looked up: with a load of .4 most are. */
static void most_gaps_are_looked_up(void **state)
{
    (void)state;
    const struct cw_flit_job job = {.load = 0.4, .message_flits = 1};
    struct cw_flit_gaps gaps;
    int sure = 0;
    cw_flit_gaps_fill(&gaps, &job, CW_FLIT_CYCLE);
    for (int i = 0; i < 256; i++) sure += gaps.sure[i] > 0;
    assert_in_range(sure, 235, 255);
    assert_int_equal(gaps.sure[0], 0); /* up to for ever */
    assert_int_equal(gaps.sure[255], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_geometric),
        cmocka_unit_test(most_gaps_are_looked_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
