/* Trials: what they give and tally is the same whoever runs them, and the error is that of the lowest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../block_executor.h"
#include "base/random.h"
#include "base/trials.h"

enum { N = 500, BOXES = 7 };

struct experiment {
    size_t bad;         /* trials from here on fail; N: none */
    int bad_make;       /* no state can be made */
    atomic_int states;  /* made and not released */
    atomic_bool shared; /* a state was not zeroed, or ran a trial that was not its own */
};

struct state {
    struct experiment *experiment;
    struct cw_tally tally;
};

struct outcome {
    uint64_t drawn;
    size_t trial;
};

static int make(const void *context, void *state)
{
    struct experiment *experiment = (struct experiment *)(uintptr_t)context;
    struct state *made = state;
    if (made->experiment) atomic_store(&experiment->shared, true);
    made->experiment = experiment;
    atomic_fetch_add(&experiment->states, 1);
    if (experiment->bad_make) return cw_fail(CW_ENOMEM, "no state");
    return cw_tally_new_maxima(&made->tally, BOXES);
}

static void release(void *state)
{
    struct state *made = state;
    if (made->experiment) atomic_fetch_sub(&made->experiment->states, 1);
    cw_tally_free(&made->tally);
}

static struct cw_tally *tally_of(void *state)
{
    return &((struct state *)state)->tally;
}

static int run(const void *context, void *state, size_t trial, void *outcome)
{
    const struct experiment *experiment = context;
    struct state *own = state;
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, trial);
    ((struct outcome *)outcome)->trial = N; /* half an outcome, if it fails */
    if (trial >= experiment->bad) return cw_fail(CW_EROUTE, "trial %zu fails", trial);
    const uint32_t box = cw_random_below(&random, BOXES);
    *(struct outcome *)outcome = (struct outcome){cw_random_u64(&random), trial};
    if ((double)trial > own->tally.maxima[box]) own->tally.maxima[box] = (double)trial;
    int rc = cw_counts_add(&own->tally.counts[0], box);
    if (!rc) rc = cw_counts_add(&own->tally.counts[2], N - 1 - trial); /* longest where the first trial is */
    return rc;
}

static struct cw_trials trials_of(const struct experiment *experiment)
{
    return (struct cw_trials){.n = N,
                              .outcome_size = sizeof(struct outcome),
                              .state_size = sizeof(struct state),
                              .context = experiment,
                              .make = make,
                              .release = release,
                              .run = run,
                              .tally = tally_of,
                              .n_threads = 1};
}

static void check(const struct cw_trials *trials, const struct experiment *experiment)
{
    void *results;
    struct cw_tally tally;
    assert_int_equal(cw_trials_run(trials, &results, &tally), 0);
    const struct outcome *outcomes = results;
    uint64_t count[BOXES] = {0};
    double last[BOXES] = {0};
    for (size_t t = 0; t < N; t++) {
        struct cw_random random = cw_random_of(1, CW_STREAM_TEST, t);
        const uint32_t box = cw_random_below(&random, BOXES);
        count[box]++;
        last[box] = (double)t;
        assert_true(outcomes[t].trial == t && outcomes[t].drawn == cw_random_u64(&random));
    }
    assert_memory_equal(tally.counts[0].items, count, sizeof count);
    assert_true(tally.counts[2].n >= N);
    assert_int_equal(tally.n_maxima, BOXES);
    assert_memory_equal(tally.maxima, last, sizeof last);
    for (size_t i = BOXES; i < tally.counts[0].n; i++) assert_int_equal(tally.counts[0].items[i], 0);
    for (size_t i = 0; i < tally.counts[2].n; i++) assert_int_equal(tally.counts[2].items[i], i < N);
    assert_int_equal(tally.counts[1].n, 0);
    assert_int_equal(atomic_load(&experiment->states), 0);
    assert_false(atomic_load(&experiment->shared));
    free(results);
    cw_tally_free(&tally);
}

static void test_same_whoever_runs(void **state)
{
    (void)state;
    struct experiment experiment = {.bad = N};
    struct cw_trials trials = trials_of(&experiment);
    for (trials.n_threads = 1; trials.n_threads <= 5; trials.n_threads++) {
        trials.executor = NULL;
        check(&trials, &experiment);
        for (size_t blocks = 1; blocks < 5; blocks++) {
            struct block_executor executor = block_executor(blocks);
            trials.executor = &executor.executor;
            check(&trials, &experiment);
            assert_int_equal(executor.calls, 1);
        }
    }
    struct block_executor many = block_executor(N + 3); /* some have nothing to do */
    trials.executor = &many.executor;
    check(&trials, &experiment);
}

static void test_lowest_error(void **state)
{
    (void)state;
    struct experiment experiment = {.bad = 123};
    struct cw_trials trials = trials_of(&experiment);
    struct block_executor executor = block_executor(3);
    void *outcomes = NULL;
    struct cw_tally tally = {.n_maxima = 99};
    for (trials.n_threads = 1; trials.n_threads <= 8; trials.n_threads++) {
        for (int blocks = 0; blocks < 2; blocks++) {
            trials.executor = blocks ? &executor.executor : NULL;
            assert_int_equal(cw_trials_run(&trials, &outcomes, &tally), CW_EROUTE);
            assert_string_equal(cw_error_message(), "trial 123 fails");
            assert_true(outcomes == NULL && tally.n_maxima == 99);
            assert_int_equal(atomic_load(&experiment.states), 0);
        }
    }
}

/* What ran before an error is kept, and only that. */
static void test_kept_after_error(void **state)
{
    (void)state;
    struct experiment experiment = {.bad = 123};
    struct cw_trials trials = trials_of(&experiment);
    struct block_executor executor = block_executor(3);
    for (trials.n_threads = 1; trials.n_threads <= 4; trials.n_threads++) {
        for (int blocks = 0; blocks < 2; blocks++) {
            struct outcome outcomes[N] = {{0}};
            trials.executor = blocks ? &executor.executor : NULL;
            assert_int_equal(cw_trials_run_into(&trials, outcomes, NULL), CW_EROUTE);
            for (size_t t = 0; t < N; t++) {
                struct cw_random random = cw_random_of(1, CW_STREAM_TEST, t);
                (void)cw_random_below(&random, BOXES);
                assert_int_equal(outcomes[t].drawn, t < experiment.bad ? cw_random_u64(&random) : 0);
                assert_int_equal(outcomes[t].trial, t < experiment.bad ? t : 0);
            }
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    struct experiment experiment = {.bad = N, .bad_make = 1};
    struct cw_trials trials = trials_of(&experiment);
    void *outcomes;
    struct cw_tally tally;
    trials.n_threads = 3;
    assert_int_equal(cw_trials_run(&trials, &outcomes, &tally), CW_ENOMEM);
    assert_string_equal(cw_error_message(), "no state");
    assert_int_equal(atomic_load(&experiment.states), 0);
    trials.n = 0;
    assert_int_equal(cw_trials_run(&trials, &outcomes, &tally), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "0 trials, expected at least 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_whoever_runs),
        cmocka_unit_test(test_lowest_error),
        cmocka_unit_test(test_kept_after_error),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
