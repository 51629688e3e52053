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
    cw_flit_gaps_fill(&gaps, &job, 64, period);
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
    cw_flit_gaps_fill(&gaps, &job, 64, CW_FLIT_CYCLE);
    for (int i = 0; i < 256; i++) sure += gaps.sure[i] > 0;
    assert_in_range(sure, 235, 255);
    assert_int_equal(gaps.sure[0], 0); /* up to for ever */
    assert_int_equal(gaps.sure[255], 1);
}

/* The bits that route a message say nothing of where it goes: destinations drawn by them are others. */
static void routing_draws_are_no_destinations(void **state)
{
    (void)state;
    enum { RANKS = 64, MESSAGES = 6400 };
    const struct cw_ranks ranks = {.n = RANKS, .per_group = 1};
    struct cw_workload *workload;
    assert_int_equal(cw_workload_new("uniform", &ranks, 1, &workload), 0);
    uint32_t endpoints[RANKS], same = 0;
    const struct cw_flit_job job = {
        .n_ranks = RANKS, .endpoints = endpoints, .workload = workload, .load = 1, .message_flits = 1};
    struct cw_flit_gaps gaps;
    cw_flit_gaps_fill(&gaps, &job, 64, CW_FLIT_CYCLE);
    for (uint32_t i = 0; i < RANKS; i++) endpoints[i] = i;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        struct cw_flit_source source = cw_flit_source_of(&job, &gaps, i % RANKS, i);
        struct cw_flit_message message;
        cw_flit_source_take(&source, &message);
        same += cw_workload_destination(workload, source.rank, message.random) == message.rank;
    }
    assert_in_range(same, 50, 155); /* of 6400 / 63 that are so by chance, five standard deviations */
    cw_workload_free(workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_geometric),
        cmocka_unit_test(most_gaps_are_looked_up),
        cmocka_unit_test(routing_draws_are_no_destinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
