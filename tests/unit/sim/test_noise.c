/* Noise: trials against a second simulation drawn from the same streams, and what holds for any of them. */
#include <stdio.h>

#include "naive_collective.h"
#include "sim/noise.h"

#define SEED   11
#define TRIALS 3

/* A setup and what it borrows. */
struct study {
    struct test_fabric fabric;
    struct cw_schedule *schedule;
    struct cw_pattern *perturbation;
    struct cw_placement *placement;
    struct cw_noise_setup setup;
};

static struct study open_study_among(const char *network, const char *schedule, const char *perturbation,
                                     const char *placement, const struct cw_selection *selection)
{
    struct study study = {.fabric = open_fabric(network, NULL),
                          .schedule = open_schedule(schedule),
                          .perturbation = open_pattern(perturbation)};
    study.placement = open_placement_among(placement, study.fabric.net, selection);
    study.setup = (struct cw_noise_setup){
        .collective = {.routes = study.fabric.routes,
                       .schedule = study.schedule,
                       .bytes = 1000,
                       .timing = {.latency = 1e-6, .overhead = 0.5e-6, .gap = 2e-10}},
        .background = study.perturbation,
        .placement = study.placement,
        .ratio = 0.5,
        .trials = TRIALS,
        .seed = SEED,
        .n_threads = 1,
    };
    return study;
}

static struct study open_study(const char *network, const char *schedule, const char *perturbation,
                               const char *placement)
{
    return open_study_among(network, schedule, perturbation, placement, NULL);
}

static void close_study(struct study *study)
{
    cw_placement_free(study->placement);
    cw_pattern_free(study->perturbation);
    cw_schedule_free(study->schedule);
    close_fabric(&study->fabric);
}

/* Ranks of the application. */
static uint32_t applying(const struct cw_noise_setup *setup)
{
    const uint32_t n = cw_placement_count(setup->placement);
    return n - (uint32_t)(setup->ratio * n + 0.5);
}

static struct cw_noise_result run(const struct cw_noise_setup *setup)
{
    struct cw_noise_result result;
    if (cw_noise_run(setup, &result)) fail_msg("%s", cw_error_message());
    return result;
}

/* --- the same trials, simulated otherwise ------------------------------------------------------------------------- */

/* The backgrounds of a trial, drawn as noise.h says: one, or one a level. None of the patterns here has a round without
 * messages. */
static void draw_backgrounds(const struct cw_noise_setup *setup, uint64_t trial, const uint32_t *perturbing, uint32_t y,
                             struct naive_background *backgrounds, uint32_t levels)
{
    struct cw_random random = cw_random_of(setup->seed, CW_STREAM_PERTURBATION, trial);
    uint32_t rounds = 0;
    assert_int_equal(cw_pattern_rounds(setup->background, y, &rounds), 0);
    const uint32_t first = rounds > 1 ? cw_random_below(&random, rounds) : 0;
    for (uint32_t level = 0; level < (setup->perturbation == CW_PERTURBATION_PER_ROUND ? levels : 1); level++) {
        struct cw_flows flows = {0};
        assert_int_equal(cw_pattern_append(setup->background, y, (first + level) % rounds, 1, &random, &flows), 0);
        uint32_t *src = new_array(flows.n, sizeof *src), *dst = new_array(flows.n, sizeof *dst);
        for (size_t i = 0; i < flows.n; i++) {
            src[i] = perturbing[flows.items[i].src];
            dst[i] = perturbing[flows.items[i].dst];
        }
        backgrounds[level] = (struct naive_background){src, dst, flows.n};
        cw_flows_free(&flows);
    }
}

static struct cw_times naive_trial(const struct cw_noise_setup *setup, uint64_t trial)
{
    const uint32_t n = cw_placement_count(setup->placement), x = applying(setup), y = n - x;
    struct cw_random random = cw_random_of(setup->seed, CW_STREAM_PLACEMENT, trial);
    uint32_t *endpoints = new_array(n, sizeof *endpoints), levels = 0, blocks = 0;
    assert_int_equal(cw_placement_order(setup->placement, &random, endpoints), 0);
    assert_int_equal(cw_schedule_plan(setup->collective.schedule, x, &levels, &blocks), 0);
    struct naive_background *backgrounds = new_array(levels, sizeof *backgrounds);
    if (y > 1) draw_backgrounds(setup, trial, endpoints + x, y, backgrounds, levels);
    struct naive naive = naive_run(&setup->collective, x, endpoints, backgrounds,
                                   setup->perturbation == CW_PERTURBATION_PER_ROUND ? levels : 1);
    const struct cw_times times = {naive.time[NAIVE_CLEAN], naive.time[NAIVE_PERTURBED]};
    for (uint32_t i = 0; i < levels; i++) {
        free((void *)(uintptr_t)backgrounds[i].src);
        free((void *)(uintptr_t)backgrounds[i].dst);
    }
    naive_free(&naive);
    free(backgrounds);
    free(endpoints);
    return times;
}

/* TOLERANCE is absolute: a difference of times is as inexact as they are. */
static void compare_summary(const struct cw_summary *is, const double *values, double tolerance, const char *what)
{
    double sum = 0, min = values[0], max = values[0];
    for (size_t i = 0; i < TRIALS; i++) {
        sum += values[i];
        min = fmin(min, values[i]);
        max = fmax(max, values[i]);
    }
    assert_int_equal(is->n, TRIALS);
    if (fabs(is->mean - sum / TRIALS) > tolerance || fabs(is->min - min) > tolerance || fabs(is->max - max) > tolerance)
        fail_msg("%s: mean %g, min %g, max %g; expected %g, %g, %g", what, is->mean, is->min, is->max, sum / TRIALS,
                 min, max);
}

static void compare_with_naive(const struct cw_noise_setup *setup)
{
    const struct cw_noise_result result = run(setup);
    double clean[TRIALS], perturbed[TRIALS], slowdown[TRIALS], overhead[TRIALS];
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        const struct cw_times times = naive_trial(setup, trial);
        clean[trial] = times.clean;
        perturbed[trial] = times.perturbed;
        slowdown[trial] = times.perturbed / times.clean;
        overhead[trial] = times.perturbed - times.clean;
    }
    const double tolerance = 1e-12 * result.perturbed.max;
    compare_summary(&result.clean, clean, tolerance, "clean");
    compare_summary(&result.perturbed, perturbed, tolerance, "perturbed");
    compare_summary(&result.overhead, overhead, tolerance, "overhead");
    compare_summary(&result.slowdown, slowdown, 1e-12 * result.slowdown.max, "slowdown");
    assert_true(result.slowdown.min >= 1 && result.overhead.min >= 0);
}

static void test_agrees_with_naive(void **state)
{
    (void)state;
    static const char *const networks[] = {"xgft:2:4,4:1,2", "torus:4x3", "dragonfly:1,4,1,g=3"};
    static const char *const perturbations[] = {"derangement", "alltoall", "uniform"};
    for (size_t i = 0; i < 3; i++)
        for (size_t s = 0; cw_schedule_kinds[s]; s++) {
            struct study study = open_study(networks[i], cw_schedule_kinds[s]->name, perturbations[i], "random");
            for (int bits = 0; bits < 8; bits++) {
                study.setup.perturbation = (bits & 1) ? CW_PERTURBATION_PER_ROUND : CW_PERTURBATION_CONSTANT;
                study.setup.collective.sends = bits & 2 ? CW_SENDS_IN_ORDER : CW_SENDS_AT_ONCE;
                study.setup.collective.timing.loggp = bits & 4;
                study.setup.ratio = bits & 2 ? 0.3 : 0.6;
                if (is_defined(study.schedule, applying(&study.setup))) compare_with_naive(&study.setup);
            }
            close_study(&study);
        }
}

/* Only those that take part are split, and they keep the routes they have in the whole network. */
static void test_selection(void **state)
{
    (void)state;
    static const char *const networks[] = {"xgft:2:4,4:1,2", "torus:4x3", "dragonfly:1,4,1,g=3"};
    static const char *const placements[] = {"random", "contiguous", "random-switches"};
    uint32_t some[] = {0, 1, 3, 4, 6, 7, 8, 9, 11};
    const struct cw_selection selection = {sizeof some / sizeof *some, some};
    for (size_t i = 0; i < 3; i++)
        for (size_t p = 0; p < 3; p++) {
            struct study study =
                open_study_among(networks[i], "binomial-bcast", "derangement", placements[p], &selection);
            study.setup.ratio = 0.44;
            const struct cw_noise_result result = run(&study.setup);
            assert_int_equal(result.perturbing, 4); /* of 9 */
            assert_int_equal(result.application, 5);
            compare_with_naive(&study.setup);
            close_study(&study);
        }
}

/* Two endpoints that send to one another are enough to perturb. */
static void test_two_perturb(void **state)
{
    (void)state;
    struct study study = open_study("torus:12", "ring-allgather", "derangement", "random");
    study.setup.ratio = 2.0 / 12;
    compare_with_naive(&study.setup);
    const struct cw_noise_result result = run(&study.setup);
    assert_int_equal(result.perturbing, 2);
    assert_true(result.slowdown.max > 1);
    close_study(&study);
}

/* --- rounds of a perturbation ------------------------------------------------------------------------------------- */

/* Ranks 0 to 5 on endpoints 0-3 of one leaf switch and 4-5 of the next, six perturbing endpoints behind them on 6-7 and
 * 8-11 of a third; one cable from each leaf to the top. */
static struct cw_noise_result perturbed_by(const char *pattern, size_t trials, bool per_round)
{
    struct study study = open_study("xgft:2:4,3:1,1", "tree", pattern, "contiguous");
    study.setup.trials = trials;
    study.setup.perturbation = per_round ? CW_PERTURBATION_PER_ROUND : CW_PERTURBATION_CONSTANT;
    const struct cw_noise_result result = run(&study.setup);
    close_study(&study);
    return result;
}

/* By hand: rank 0 sends to 1 (1), and at level 3 both send over the cable to the second leaf (2), 3 clean. Of the
 * perturbation, those from the third leaf to endpoints 6 and 7 share it, too: 1, 2, 2, 2 and 1 of shifts by 1 to 5. An
 * all-to-all is these five rounds: 4, 5, 5, 5 or 4, each as often. */
static void test_all_rounds_perturb(void **state)
{
    (void)state;
    enum { N = 2000 };
    for (int by = 1; by < 6; by++) {
        char shift[32];
        snprintf(shift, sizeof shift, "shift:by=%d", by);
        assert_true(perturbed_by(shift, 1, false).perturbed.mean == (by == 1 || by == 5 ? 4 : 5));
    }
    for (int per_round = 0; per_round < 2; per_round++) {
        const struct cw_noise_result result = perturbed_by("alltoall", N, per_round);
        assert_true(result.clean.min == 3 && result.clean.max == 3);
        assert_true(result.perturbed.min == 4 && result.perturbed.max == 5);
        assert_true(fabs(result.perturbed.mean - 4.6) < 4 * sqrt(0.24 / N));
        assert_int_equal(result.perturbation_messages, N * 6 * (per_round ? 3 : 1));
    }
}

/* Rounds without messages take no time: of a grid of one column, those along the other axis are never met. */
static void test_empty_rounds_are_passed_over(void **state)
{
    (void)state;
    for (int per_round = 0; per_round < 2; per_round++) {
        struct study study = open_study("torus:12", "tree", "halo:grid=1x6", "random");
        study.setup.trials = 100;
        study.setup.perturbation = per_round ? CW_PERTURBATION_PER_ROUND : CW_PERTURBATION_CONSTANT;
        const uint64_t levels = per_round ? 3 : 1;
        assert_int_equal(run(&study.setup).perturbation_messages, 100 * levels * 5);
        close_study(&study);
    }
}

/* A pattern that sends nothing at all among so many is told apart from one that disturbs nobody. */
static void test_silence_is_told(void **state)
{
    (void)state;
    for (int per_round = 0; per_round < 2; per_round++) {
        static const char *const silent[] = {"derangement", "halo:grid=1x6,axis=x"};
        for (size_t i = 0; i < 2; i++) {
            struct study study = open_study("torus:12", "tree", silent[i], "random");
            if (i == 0) study.setup.ratio = 0.1;
            study.setup.perturbation = per_round ? CW_PERTURBATION_PER_ROUND : CW_PERTURBATION_CONSTANT;
            const struct cw_noise_result result = run(&study.setup);
            assert_int_equal(result.perturbation_messages, 0);
            assert_true(result.slowdown.max == 1);
            close_study(&study);
        }
        struct study study = open_study("crossbar:12", "tree", "derangement", "random");
        const struct cw_noise_result result = run(&study.setup);
        assert_int_equal(result.perturbation_messages, TRIALS * 6);
        assert_true(result.slowdown.max == 1);
        close_study(&study);
    }
}

/* --- what always holds -------------------------------------------------------------------------------------------- */

static void test_split(void **state)
{
    (void)state;
    static const struct {
        double ratio;
        uint32_t perturbing;
    } cases[] = {{0, 0}, {0.03, 0}, {0.042, 1}, {0.1, 1}, {0.125, 2}, {0.5, 6}, {0.79, 9}, {0.833, 10}};
    struct study study = open_study("torus:4x3", "tree", "derangement", "random");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        study.setup.ratio = cases[i].ratio;
        const struct cw_noise_result result = run(&study.setup);
        if (result.perturbing != cases[i].perturbing) fail_msg("ratio %g: %u", cases[i].ratio, result.perturbing);
        assert_int_equal(result.application, 12 - cases[i].perturbing);
    }
    close_study(&study);
}

/* Nobody to perturb, or nobody to perturb with. */
static void test_without_perturbation(void **state)
{
    (void)state;
    for (size_t s = 0; cw_schedule_kinds[s]; s++) {
        struct study study = open_study("torus:4x3", cw_schedule_kinds[s]->name, "derangement", "random");
        for (int i = 0; i < 4; i++) {
            study.setup.ratio = i & 1 ? 1.0 / 12 : 0;
            study.setup.perturbation = (i & 2) ? CW_PERTURBATION_PER_ROUND : CW_PERTURBATION_CONSTANT;
            if (!is_defined(study.schedule, applying(&study.setup))) continue;
            const struct cw_noise_result result = run(&study.setup);
            assert_true(result.slowdown.min == 1 && result.slowdown.max == 1 && result.slowdown.mean == 1);
            assert_true(result.overhead.min == 0 && result.overhead.max == 0);
            assert_true(result.clean.mean == result.perturbed.mean && result.clean.mean > 0);
        }
        close_study(&study);
    }
}

/* A perturbation by others never shares a channel of a crossbar with the application. */
static void test_crossbar_is_never_disturbed(void **state)
{
    (void)state;
    struct study study = open_study("crossbar:20", "binomial-bcast", "derangement", "random");
    study.setup.trials = 20;
    for (study.setup.ratio = 0.1; study.setup.ratio < 0.9; study.setup.ratio += 0.1)
        assert_true(run(&study.setup).slowdown.max == 1);
    close_study(&study);
}

static void assert_same(const struct cw_noise_result *a, const struct cw_noise_result *b)
{
    const struct cw_summary *const left[] = {&a->slowdown, &a->clean, &a->perturbed, &a->overhead};
    const struct cw_summary *const right[] = {&b->slowdown, &b->clean, &b->perturbed, &b->overhead};
    assert_int_equal(a->application, b->application);
    assert_int_equal(a->perturbing, b->perturbing);
    for (int i = 0; i < 4; i++) assert_memory_equal(left[i], right[i], sizeof *left[i]);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    static const char *const schedules[] = {"tree", "ring-allreduce", "rabenseifner", "linear-gather"};
    for (size_t s = 0; s < 4; s++) {
        struct study study = open_study("torus:5x5", schedules[s], "derangement", "random-switches");
        study.setup.trials = 50;
        for (int bits = 0; bits < 4; bits++) {
            study.setup.perturbation = (bits & 1) ? CW_PERTURBATION_PER_ROUND : CW_PERTURBATION_CONSTANT;
            study.setup.collective.timing.loggp = bits & 2;
            study.setup.n_threads = 1;
            const struct cw_noise_result one = run(&study.setup);
            for (study.setup.n_threads = 2; study.setup.n_threads <= 4; study.setup.n_threads += 2) {
                const struct cw_noise_result many = run(&study.setup);
                assert_same(&one, &many);
            }
        }
        close_study(&study);
    }
}

/* Trials are keyed by their number: the first ones of many are those of few, and another seed gives others. */
static void test_keys(void **state)
{
    (void)state;
    struct study study = open_study("torus:6x6", "tree", "derangement", "random");
    study.setup.trials = 40;
    const struct cw_noise_result first = run(&study.setup), again = run(&study.setup);
    assert_same(&first, &again);
    study.setup.ratio = 0.25;
    run(&study.setup);
    study.setup.ratio = 0.5;
    const struct cw_noise_result after_another = run(&study.setup);
    assert_same(&first, &after_another);
    study.setup.seed++;
    assert_true(run(&study.setup).perturbed.mean != first.perturbed.mean);
    close_study(&study);
}

/* The clean time does not depend on what perturbs, nor how. */
static void test_clean_time_is_clean(void **state)
{
    (void)state;
    struct study a = open_study("torus:6x6", "dissemination", "derangement", "random");
    struct study b = open_study("torus:6x6", "dissemination", "incast:3", "random");
    a.setup.trials = b.setup.trials = 20;
    b.setup.perturbation = CW_PERTURBATION_PER_ROUND;
    const struct cw_noise_result left = run(&a.setup), right = run(&b.setup);
    assert_memory_equal(&left.clean, &right.clean, sizeof left.clean);
    assert_true(left.perturbed.mean != right.perturbed.mean);
    close_study(&a);
    close_study(&b);
}

/* --- trials one by one -------------------------------------------------------------------------------------------- */

/* Samples are the trials that the summary sums up, and a trial drawn as a case replays to the same times, with patterns
 * of one round and of several, in any time. */
static void test_samples_and_cases(void **state)
{
    (void)state;
    static const char *const patterns[] = {"derangement", "alltoall", "halo:grid=1x6,axis=x"};
    enum { N = 20 };
    for (int i = 0; i < 12; i++) {
        struct study study = open_study("torus:4x3", i & 1 ? "rabenseifner" : "tree", patterns[i / 4], "random");
        struct cw_times samples[N];
        double slowdown = 0, clean = 0;
        study.setup.trials = N;
        study.setup.samples = samples;
        study.setup.collective.timing.loggp = i & 2;
        const struct cw_noise_result result = run(&study.setup);
        for (size_t trial = 0; trial < N; trial++) {
            struct cw_noise_case drawn;
            struct cw_noise_replay replay;
            assert_int_equal(cw_noise_draw(&study.setup, trial, &drawn), 0);
            assert_int_equal(drawn.ranks, 6);
            assert_int_equal(drawn.perturbation.n, i < 8 ? 6 : 0);
            assert_int_equal(cw_noise_case_run(&drawn, &study.setup.collective, &replay), 0);
            assert_true(replay.times.clean == samples[trial].clean);
            assert_true(replay.times.perturbed == samples[trial].perturbed);
            slowdown += samples[trial].perturbed / samples[trial].clean;
            clean += samples[trial].clean;
            cw_noise_replay_free(&replay);
            cw_noise_case_free(&drawn);
        }
        assert_true(fabs(slowdown / N - result.slowdown.mean) < 1e-12 * slowdown);
        assert_true(fabs(clean / N - result.clean.mean) < 1e-12 * clean);
        study.setup.perturbation = CW_PERTURBATION_PER_ROUND;
        struct cw_noise_case drawn = {.ranks = 99};
        assert_int_equal(cw_noise_draw(&study.setup, 0, &drawn), CW_EUSAGE);
        assert_int_equal(drawn.ranks, 99);
        close_study(&study);
    }
}

/* The intervals that are printed hold the mean of very many trials: of 400 experiments with 10 or 30 trials each. */
static void test_intervals_hold_the_mean(void **state)
{
    (void)state;
    enum { MANY = 20000, EXPERIMENTS = 400 };
    struct study study = open_study("xgft:2:4,4:1,2", "tree", "derangement", "random");
    study.setup.trials = MANY;
    const struct cw_noise_result all = run(&study.setup);
    for (study.setup.trials = 5; study.setup.trials <= 30; study.setup.trials += study.setup.trials == 5 ? 5 : 20) {
        int printed[3] = {0}, held[3] = {0};
        for (study.setup.seed = 1000; study.setup.seed < 1000 + EXPERIMENTS; study.setup.seed++) {
            const struct cw_noise_result few = run(&study.setup);
            const struct cw_summary *of_few[] = {&few.clean, &few.perturbed, &few.slowdown};
            const struct cw_summary *of_all[] = {&all.clean, &all.perturbed, &all.slowdown};
            for (int i = 0; i < 3; i++) {
                printed[i] += !isnan(of_few[i]->ci95);
                held[i] += fabs(of_few[i]->mean - of_all[i]->mean) <= of_few[i]->ci95;
            }
        }
        for (int i = 0; i < 3; i++) {
            if (study.setup.trials < 10) assert_int_equal(printed[i], 0);
            if (study.setup.trials < 10) continue;
            assert_true(printed[i] > 0.8 * EXPERIMENTS);
            if (held[i] < 0.9 * printed[i])
                fail_msg("%zu trials: %d of %d intervals hold the mean", study.setup.trials, held[i], printed[i]);
        }
    }
    close_study(&study);
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void refuse(const struct cw_noise_setup *setup, const char *message)
{
    struct cw_noise_result result = {.application = 99};
    assert_int_equal(cw_noise_run(setup, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(), message);
    assert_int_equal(result.application, 99);
}

static void test_refusals(void **state)
{
    (void)state;
    struct study study = open_study("torus:4x3", "tree", "derangement", "random");
    struct cw_noise_setup *setup = &study.setup;
    setup->ratio = -0.1;
    refuse(setup, "the perturbation ratio is -0.1, expected at least 0 and less than 1");
    setup->ratio = 1;
    refuse(setup, "the perturbation ratio is 1, expected at least 0 and less than 1");
    assert_int_equal(cw_noise_check(setup), CW_EUSAGE);
    setup->ratio = (double)NAN;
    refuse(setup, "the perturbation ratio is nan, expected at least 0 and less than 1");
    setup->ratio = 0.9;
    refuse(setup, "ratio 0.9 of 12 endpoints leaves 1 to the application, expected at least 2");
    setup->ratio = 0.99;
    refuse(setup, "ratio 0.99 of 12 endpoints leaves 0 to the application, expected at least 2");
    setup->ratio = 0.5;
    assert_int_equal(cw_noise_check(setup), 0);
    setup->trials = 0;
    refuse(setup, "0 trials, expected at least 1");
    setup->trials = 1;
    setup->collective.timing = (struct cw_timing){.loggp = true};
    refuse(setup, "tree takes no time, so nothing can slow it down; expected an L, o or G above 0");
    close_study(&study);
}

/* Before the first trial, whatever the pattern says of the number of perturbing endpoints. */
static void test_pattern_refusal(void **state)
{
    (void)state;
    struct study study = open_study("torus:4x3", "tree", "transpose:rows=4", "random");
    study.setup.ratio = 0.25; /* 3 endpoints */
    assert_int_equal(cw_noise_check(&study.setup), CW_EUSAGE);
    struct cw_noise_result result;
    assert_int_equal(cw_noise_run(&study.setup, &result), CW_EUSAGE);
    study.setup.ratio = 8.0 / 12;
    assert_int_equal(cw_noise_check(&study.setup), 0);
    close_study(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_naive),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_two_perturb),
        cmocka_unit_test(test_all_rounds_perturb),
        cmocka_unit_test(test_empty_rounds_are_passed_over),
        cmocka_unit_test(test_silence_is_told),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_without_perturbation),
        cmocka_unit_test(test_crossbar_is_never_disturbed),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_clean_time_is_clean),
        cmocka_unit_test(test_samples_and_cases),
        cmocka_unit_test(test_intervals_hold_the_mean),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_pattern_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
