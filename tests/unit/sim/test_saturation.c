/* The search finds any threshold to 5 %, in few tries. */
#include <math.h>

#include "sim/flit/saturation.h"
#include "sim_test.h"

/* What a network accepts of LOAD that saturates at LIMIT, seen with so many MESSAGES. */
static struct cw_steady_result offer(double load, double limit, uint64_t messages)
{
    return (struct cw_steady_result){
        .offered = load, .accepted = fmin(load, limit), .latency_mean = 30, .messages = messages};
}

static struct cw_saturation search(double limit, int *tries)
{
    struct cw_saturation found = {0};
    *tries = 0;
    for (double load; (load = cw_saturation_next(&found)) > 0; ++*tries) {
        const struct cw_steady_result result = offer(load, limit, 1000000);
        assert_true(load <= 1 && load >= 0.001);
        assert_int_equal(cw_saturation_add(&found, &result), limit >= CW_SATURATION_SHARE * load);
        assert_true(*tries < 30);
    }
    return found;
}

static void any_limit_is_found(void **state)
{
    (void)state;
    for (double limit = 0.002; limit < 0.97; limit *= 1.013) {
        int tries;
        const struct cw_saturation found = search(limit, &tries);
        assert_true(CW_SATURATION_SHARE * found.accepted <= limit && limit < CW_SATURATION_SHARE * found.refused);
        assert_true(found.refused - found.accepted <= 0.0501 * found.refused);
        assert_true(found.most <= limit && found.most > 0.9 * limit);
        assert_true(tries <= 16);
    }
}

static void ends_of_the_range(void **state)
{
    (void)state;
    int tries;
    struct cw_saturation found = search(1, &tries);
    assert_true(found.accepted == 1 && found.refused == 0 && tries == 6);
    found = search(1e-5, &tries);
    assert_true(found.accepted == 0 && found.refused > 0 && found.refused < 0.0021);
}

/* Whatever the next tries show, what the search asks for is among the loads ahead: half of them a round, at least. */
static void loads_ahead(void **state)
{
    (void)state;
    for (double limit = 0.002; limit < 1.2; limit *= 1.1) {
        struct cw_saturation found = {0};
        double ahead[CW_SATURATION_AHEAD];
        for (size_t n; (n = cw_saturation_ahead(&found, 3, ahead)) > 0;) {
            assert_true(n <= 3 && ahead[0] == cw_saturation_next(&found));
            assert_true(n < 2 || (ahead[0] != ahead[1] && (n < 3 || (ahead[2] != ahead[1] && ahead[2] != ahead[0]))));
            for (int asked = 0; asked < 2; asked++) {
                const double load = cw_saturation_next(&found);
                const struct cw_steady_result result = offer(load, limit, 1000000);
                if (load <= 0) break;
                assert_true(load == ahead[0] || (n > 1 && load == ahead[1]) || (n > 2 && load == ahead[2]));
                cw_saturation_add(&found, &result);
            }
        }
        int tries;
        const struct cw_saturation alone = search(limit, &tries);
        assert_memory_equal(&found, &alone, sizeof found);
        assert_int_equal(cw_saturation_ahead(&found, CW_SATURATION_AHEAD, ahead), 0);
    }
    double many[CW_SATURATION_AHEAD];
    assert_int_equal(cw_saturation_ahead(&(struct cw_saturation){0}, CW_SATURATION_AHEAD, many), CW_SATURATION_AHEAD);
}

/* What is missing may be chance. */
static void chance_is_no_saturation(void **state)
{
    (void)state;
    struct cw_saturation found = {0};
    struct cw_steady_result result = offer(0.1, 0.091, 1000);
    assert_true(cw_saturation_add(&found, &result));
    result = offer(0.2, 0.19, 10000);
    assert_false(cw_saturation_add(&found, &result));
    assert_true(found.accepted == 0.1 && found.refused == 0.2 && found.most == 0.19);
}

/* A load under which latencies grow is none that is accepted, though nearly all of it arrives. */
static void long_latencies_are_saturation(void **state)
{
    (void)state;
    struct cw_saturation found = {0};
    struct cw_steady_result result = offer(0.1, 1, 1000000);
    assert_true(cw_saturation_add(&found, &result));
    result = offer(0.2, 1, 1000000);
    result.latency_mean = 89;
    assert_true(cw_saturation_add(&found, &result));
    assert_true(cw_saturation_next(&found) == 0.4);
    result = offer(0.4, 1, 1000000);
    result.latency_mean = 91;
    assert_false(cw_saturation_add(&found, &result));
    assert_true(fabs(cw_saturation_next(&found) - 0.3) < 1e-9);
}

/* The most that was accepted may have been at a load that was not the last. */
static void the_most_is_of_all_loads(void **state)
{
    (void)state;
    static const double loads[] = {0.1, 0.6, 0.3}, accepted[] = {0.1, 0.42, 0.3};
    struct cw_saturation found = {0};
    for (int i = 0; i < 3; i++) {
        const struct cw_steady_result result = offer(loads[i], accepted[i], 1000000);
        cw_saturation_add(&found, &result);
    }
    assert_true(found.most == 0.42 && found.accepted == 0.3 && found.refused == 0.6);
}

/* The least latency need not be the first. */
static void latencies_are_compared_with_the_least(void **state)
{
    (void)state;
    static const double latencies[] = {40, 20, 70};
    struct cw_saturation found = {0};
    for (int i = 0; i < 3; i++) {
        struct cw_steady_result result = offer(0.1 * (i + 1), 1, 1000000);
        result.latency_mean = latencies[i];
        assert_int_equal(cw_saturation_add(&found, &result), i < 2); /* 70 is more than thrice 20, not than thrice 40 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_limit_is_found),
                                       cmocka_unit_test(ends_of_the_range),
                                       cmocka_unit_test(loads_ahead),
                                       cmocka_unit_test(chance_is_no_saturation),
                                       cmocka_unit_test(long_latencies_are_saturation),
                                       cmocka_unit_test(the_most_is_of_all_loads),
                                       cmocka_unit_test(latencies_are_compared_with_the_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
