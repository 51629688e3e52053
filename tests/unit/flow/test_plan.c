/* Plans: what they are worth, whole bytes, figures, and the checker. */
#include "net/network_internal.h"
#include "plan_test.h"

#include "base/random.h"

/* In units of the largest demand, channel 0 → 1 carries 1/2 + 1/4 and both of 0 → 3 → 2 carry 3/4. */
static void evaluates_by_hand(void **state)
{
    (void)state;
    struct sketch *sketch = small_sketch();
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    assert_near(sketch->plan.z, 4.0 / 3);
    must(cw_plan_verify(&sketch->problem, &sketch->plan));
    sketch_free(sketch);
}

/* Where cables differ, the one that is the most loaded for its capacity decides, in units of the widest. */
static void capacities_count(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new(NULL);
    sketch->net = parallel_cables((const double[]){4e9, 1e9}, 2);
    sketch_demand(sketch, 0, 1, 1000);
    sketch_begin(sketch);
    const uint32_t up = channel_between(sketch->net, 0, 2), down = channel_between(sketch->net, 3, 1);
    const uint32_t wide = channel_between(sketch->net, 2, 3), narrow = wide + 1;
    must(cw_plan_add(&sketch->plan, 0, 0.7, (uint32_t[]){up, wide, down}, 3));
    must(cw_plan_add(&sketch->plan, 0, 0.3, (uint32_t[]){up, narrow, down}, 3));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    assert_near(sketch->plan.z, 1 / 8.0 / 0.3);
    struct cw_plan_figures figures;
    must(cw_plan_figures_compute(&sketch->problem, &sketch->plan, &figures));
    assert_int_equal(figures.hottest, narrow);
    assert_near(figures.hottest_bytes, 300);
    assert_near(figures.max_channel_bytes, 1000); /* to and from hosts */
    assert_int_equal(figures.hops_max, 3);        /* cables to hosts count here */
    assert_int_equal(figures.copies_max, 2);
    must(cw_plan_verify(&sketch->problem, &sketch->plan));
    sketch_free(sketch);
}

/* Paths come in any order, with shares of any scale, and some that carry nothing. */
static void evaluation_tidies(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("torus:4x4@1GB/s"), *prune = small_sketch();
    sketch_demand(sketch, 0, 1, 100);
    sketch_demand(sketch, 0, 2, 200);
    sketch_begin(sketch);
    sketch_path(sketch, 1, 2, NODES(0, 1, 2));
    sketch_path(sketch, 0, -1e-18, NODES(0, 4, 5, 1));
    sketch_path(sketch, 1, 6, NODES(0, 3, 2));
    sketch_path(sketch, 0, 0.3, NODES(0, 1));
    sketch_path(sketch, 1, 7e-12, NODES(0, 4, 5, 6, 2));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_evaluate(&prune->problem, &prune->plan));
    assert_int_equal(sketch->plan.n_paths, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(sketch->plan.paths[i].demand, prune->plan.paths[i].demand);
        assert_int_equal(sketch->plan.paths[i].first, prune->plan.paths[i].first);
        assert_int_equal(sketch->plan.paths[i].n, prune->plan.paths[i].n);
        assert_near(sketch->plan.paths[i].share, prune->plan.paths[i].share);
    }
    assert_int_equal(sketch->plan.n_channels, prune->plan.n_channels);
    assert_memory_equal(sketch->plan.channels, prune->plan.channels, prune->plan.n_channels * sizeof(uint32_t));
    assert_near(sketch->plan.z, prune->plan.z);
    sketch_free(sketch);
    sketch_free(prune);
}

static void refuses_what_is_no_plan(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("torus:4x4@1GB/s");
    sketch_demand(sketch, 0, 1, 100);
    sketch_demand(sketch, 0, 2, 200);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1));
    assert_int_equal(cw_plan_evaluate(&sketch->problem, &sketch->plan), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "plan: demand 1 has no path");
    sketch_path(sketch, 1, 0, NODES(0, 1, 2));
    assert_int_equal(cw_plan_evaluate(&sketch->problem, &sketch->plan), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "plan: the shares of demand 1 are not valid");
    sketch_path(sketch, 1, NAN, NODES(0, 1, 2));
    assert_int_equal(cw_plan_evaluate(&sketch->problem, &sketch->plan), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "plan: the shares of demand 1 are not valid");
    sketch_path(sketch, 2, 1, NODES(0, 1));
    assert_int_equal(cw_plan_evaluate(&sketch->problem, &sketch->plan), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "plan: there is no demand 2");
    sketch_free(sketch);
}

/* --- whole bytes -------------------------------------------------------------------------------------------------- */

static void rounds_by_largest_remainder(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("torus:4x4@1GB/s");
    sketch_demand(sketch, 0, 2, 10);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 0.14, NODES(0, 1, 2));
    sketch_path(sketch, 0, 0.28, NODES(0, 3, 2));
    sketch_path(sketch, 0, 0.58, NODES(0, 4, 5, 6, 2));
    must(cw_plan_round(&sketch->problem, &sketch->plan)); /* 1.4, 2.8 and 5.8 */
    assert_int_equal(sketch->plan.paths[0].bytes, 1);
    assert_int_equal(sketch->plan.paths[1].bytes, 3);
    assert_int_equal(sketch->plan.paths[2].bytes, 6);
    sketch_free(sketch);
}

/* Random shares of random demands up to 64 bits: all bytes are there, and each path is within one of its share where
 * doubles can tell. */
static void rounding_loses_nothing(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 300; trial++) {
        struct cw_random random = cw_random_of(1, CW_STREAM_TEST, trial);
        struct sketch *sketch = sketch_new("torus:4@1GB/s");
        const uint64_t bytes = (cw_random_u64(&random) >> cw_random_below(&random, 64)) | 1;
        const uint32_t n = 1 + cw_random_below(&random, 40);
        sketch_demand(sketch, 0, 2, bytes);
        sketch_begin(sketch);
        for (uint32_t i = 0; i < n; i++) {
            const double share = pow(cw_random_unit(&random), 1 + cw_random_below(&random, 8)) + 1e-6;
            if (i % 2 == 0)
                sketch_path(sketch, 0, share, NODES(0, 1, 2));
            else
                sketch_path(sketch, 0, share, NODES(0, 3, 2));
        }
        must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
        must(cw_plan_round(&sketch->problem, &sketch->plan));
        uint64_t sum = 0;
        for (size_t i = 0; i < sketch->plan.n_paths; i++) {
            const struct cw_plan_path *path = &sketch->plan.paths[i];
            assert_true(path->bytes <= bytes - sum);
            sum += path->bytes;
            if (bytes < UINT64_C(1) << 50) assert_true(fabs((double)path->bytes - path->share * (double)bytes) < 1);
        }
        assert_true(sum == bytes);
        must(cw_plan_verify(&sketch->problem, &sketch->plan));
        sketch_free(sketch);
    }
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static void figures_by_hand(void **state)
{
    (void)state;
    struct sketch *sketch = small_sketch();
    struct cw_plan_figures figures;
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    must(cw_plan_figures_compute(&sketch->problem, &sketch->plan, &figures));
    assert_int_equal(figures.pairs, 2);
    assert_int_equal(figures.paths_used, 3);
    assert_near(figures.hops_mean, (100 * 1 + 200 * 2) / 300.0); /* channels inside nodes do not count */
    assert_int_equal(figures.hops_max, 2);
    assert_int_equal(figures.copies_max, 1);
    assert_near(figures.max_channel_bytes, 150);
    assert_near(figures.hottest_bytes, 150);
    assert_true(sketch->net->tail[figures.hottest] >= sketch->net->n_endpoints);
    sketch_free(sketch);
}

/* Of 3 bytes over 5 paths two get none: they are in the plan, but not used. */
static void paths_without_bytes_do_not_count(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("torus:4x4@1GB/s");
    struct cw_plan_figures figures;
    sketch_demand(sketch, 0, 2, 3);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 0.3, NODES(0, 1, 2));
    sketch_path(sketch, 0, 0.3, NODES(0, 3, 2));
    sketch_path(sketch, 0, 0.05, NODES(0, 4, 5, 6, 2));
    sketch_path(sketch, 0, 0.3, NODES(0, 12, 13, 14, 2));
    sketch_path(sketch, 0, 0.05, NODES(0, 4, 8, 9, 10, 6, 2));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_figures_compute(&sketch->problem, &sketch->plan, &figures));
    assert_int_equal(figures.paths_used, 5);
    assert_int_equal(figures.hops_max, 6);
    assert_int_equal(figures.copies_max, 2); /* at 4 and 6 */
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    must(cw_plan_verify(&sketch->problem, &sketch->plan));
    must(cw_plan_figures_compute(&sketch->problem, &sketch->plan, &figures));
    assert_int_equal(figures.paths_used, 3);
    assert_near(figures.hops_mean, (2 + 2 + 4) / 3.0);
    assert_int_equal(figures.hops_max, 4);
    assert_int_equal(figures.copies_max, 1);
    assert_near(figures.max_channel_bytes, 1);
    sketch_free(sketch);
}

static void without_limits_nothing_is_hot(void **state)
{
    (void)state;
    struct sketch *sketch = small_sketch();
    struct cw_plan_figures figures;
    for (uint32_t c = 0; c < sketch->net->n_channels; c++) sketch->problem.capacity[c] = INFINITY;
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_figures_compute(&sketch->problem, &sketch->plan, &figures));
    assert_true(isinf(sketch->plan.z));
    assert_int_equal(figures.hottest, CW_NONE);
    assert_int_equal(figures.hops_max, 0);
    must(cw_plan_verify(&sketch->problem, &sketch->plan));
    sketch_free(sketch);
}

/* --- the checker -------------------------------------------------------------------------------------------------- */

/* Each breaks a good, rounded plan of small_sketch in one way. Its paths: h0 to h1; h0 to h2 by s1; h0 to h2 by s3. */
static void skip_a_channel(struct sketch *sketch)
{
    struct cw_plan_path *path = &sketch->plan.paths[1];
    sketch->plan.channels[path->first + 1] = sketch->plan.channels[path->first];
}

static void end_early(struct sketch *sketch)
{
    sketch->plan.paths[1].n--;
}

static void end_elsewhere(struct sketch *sketch)
{
    struct cw_plan_path *path = &sketch->plan.paths[1];
    sketch->plan.channels[path->first + 3] =
        channel_between(sketch->net, sketch->net->n_endpoints + 2, sketch->net->n_endpoints + 3);
}

static void begin_elsewhere(struct sketch *sketch)
{
    sketch->plan.channels[sketch->plan.paths[1].first] = channel_between(sketch->net, 5, sketch->net->n_endpoints + 5);
}

/* 0 → 1 → 0 is as long as 0 → 1 → 2 is without its last channel. */
static void turn_back(struct sketch *sketch)
{
    struct cw_plan_path *path = &sketch->plan.paths[1];
    sketch->plan.channels[path->first + 2] = sketch->net->twin[sketch->plan.channels[path->first + 1]];
}

/* 0 → h1 → 1 → 2: endpoints forward nothing. */
static void pass_an_endpoint(struct sketch *sketch)
{
    const struct cw_network *net = sketch->net;
    uint32_t channels[6] = {channel_between(net, 0, 16), channel_between(net, 16, 17), channel_between(net, 17, 1),
                            channel_between(net, 1, 17)};
    must(cw_plan_add(&sketch->plan, 1, 0.1, channels, 4));
}

static void invent_a_channel(struct sketch *sketch)
{
    sketch->plan.channels[sketch->plan.paths[2].first + 1] = sketch->net->n_channels;
}

static void fail_a_channel(struct sketch *sketch)
{
    sketch->problem.capacity[channel_between(sketch->net, 16 + 3, 16 + 2)] = 0;
}

static void narrow_a_channel(struct sketch *sketch)
{
    sketch->problem.capacity[channel_between(sketch->net, 16 + 3, 16 + 2)] /= 2;
}

static void boast(struct sketch *sketch)
{
    sketch->plan.z *= 1 + 1e-6;
}

static void be_modest(struct sketch *sketch)
{
    sketch->plan.z *= 1 - 1e-6;
}

static void know_nothing(struct sketch *sketch)
{
    sketch->plan.z = NAN;
}

static void beat_the_bound(struct sketch *sketch)
{
    sketch->plan.bound = 1.25;
}

static void prove_less(struct sketch *sketch)
{
    sketch_proof(sketch);
    sketch->plan.proof.bound = 1.34;
}

static void share_less(struct sketch *sketch)
{
    sketch->plan.paths[1].share -= 1e-6;
}

static void share_nothing(struct sketch *sketch)
{
    sketch->plan.paths[1].share = 0;
}

static void lose_a_byte(struct sketch *sketch)
{
    sketch->plan.paths[1].bytes--;
}

static void find_a_byte(struct sketch *sketch)
{
    sketch->plan.paths[2].bytes++;
}

static void shift_bytes(struct sketch *sketch)
{
    sketch->plan.paths[1].bytes += 2;
    sketch->plan.paths[2].bytes -= 2;
}

static void limit_nothing(struct sketch *sketch)
{
    for (uint32_t c = 0; c < sketch->net->n_channels; c++) sketch->problem.capacity[c] = INFINITY;
}

static void forget_a_demand(struct sketch *sketch)
{
    sketch->plan.n_paths = 1;
}

static void swap_paths(struct sketch *sketch)
{
    const struct cw_plan_path path = sketch->plan.paths[0];
    sketch->plan.paths[0] = sketch->plan.paths[2];
    sketch->plan.paths[2] = path;
}

static void invent_a_demand(struct sketch *sketch)
{
    sketch->plan.paths[2].demand = 2;
}

static void lie_about_channels(struct sketch *sketch)
{
    sketch->plan.paths[2].n = UINT32_MAX;
}

static void checker_catches_each_breach(void **state)
{
    (void)state;
    static const struct {
        void (*breach)(struct sketch *);
        const char *message;
    } breaches[] = {
        {skip_a_channel, "plan: demands[1].paths[0], h0 to h2: channel h0/1>s(0,0)/1 does not begin where the path is"},
        {begin_elsewhere,
         "plan: demands[1].paths[0], h0 to h2: channel h5/1>s(1,1)/1 does not begin where the path is"},
        {end_early, "plan: demands[1].paths[0], h0 to h2: it ends at s(2,0)"},
        {end_elsewhere, "plan: demands[1].paths[0], h0 to h2: it ends at s(3,0)"},
        {turn_back, "plan: demands[1].paths[0], h0 to h2: it comes to s(0,0) twice"},
        {pass_an_endpoint, "plan: demands[1].paths[2], h0 to h2: it passes through the endpoint h1"},
        {invent_a_channel, "plan: demands[1].paths[1], h0 to h2: there is no channel 96"},
        {fail_a_channel, "plan: demands[1].paths[1], h0 to h2: channel s(3,0)/3>s(2,0)/2 has no capacity"},
        {narrow_a_channel, "plan: channel s(3,0)/3>s(2,0)/2 carries 2 of its capacity at rate z = 1.33333333333"},
        {boast, "plan: channel s(0,0)/2>s(1,0)/3 carries 1 of its capacity at rate z = 1.33333466667"},
        {be_modest, "plan: z is 1.333332, but the channels allow 1.33333333333"},
        {know_nothing, "plan: z is nan, expected more than 0"},
        {beat_the_bound, "plan: z is 1.33333333333 and so above its bound 1.25"},
        {prove_less, "plan: bound is 1.34, but its lengths prove no less than 2.66666666667"},
        {share_less, "plan: the shares of demands[1] add up to 0.999999, expected 1"},
        {share_nothing, "plan: demands[1].paths[0], h0 to h2: its share is 0, expected more than 0 and at most 1"},
        {lose_a_byte, "plan: the bytes of demands[1] add up to less than its 200"},
        {find_a_byte, "plan: the bytes of demands[1] add up to more than its 200"},
        {shift_bytes, "plan: demands[1].paths[0], h0 to h2: it has 52 bytes, but its share is 0.25 of 200"},
        {limit_nothing, "plan: z is 1.33333333333, but the channels allow inf"},
        {forget_a_demand, "plan: demands[1] has no path, or the paths are not sorted by demand"},
        {swap_paths, "plan: demands[0] has no path, or the paths are not sorted by demand"},
        {invent_a_demand, "plan: path 2 is of demand 2, expected less than 2"},
        {lie_about_channels, "plan: demands[1].paths[1], h0 to h2: its channels are beyond those of the plan"},
    };
    for (size_t i = 0; i < sizeof breaches / sizeof *breaches; i++) {
        struct sketch *sketch = small_sketch();
        must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
        must(cw_plan_round(&sketch->problem, &sketch->plan));
        must(cw_plan_verify(&sketch->problem, &sketch->plan));
        breaches[i].breach(sketch);
        assert_int_equal(cw_plan_verify(&sketch->problem, &sketch->plan), CW_EINTERNAL);
        assert_string_equal(cw_error_message(), breaches[i].message);
        sketch_free(sketch);
    }
}

/* --- the better one ----------------------------------------------------------------------------------------------- */

/* Each is better than all after it: by its time, whose routes it has, z, a proof, the number of its paths. */
static void one_rule_orders_plans(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        bool network_routes;
        double z;
        uint32_t lengths;
        size_t paths;
    } order[] = {{1, false, 1, 0, 900},
                 {1.00001, false, 1, 0, 9},
                 {2, true, 1, 0, 9},
                 {2 * (1 - 1e-9), false, 3, 0, 9},
                 {2, false, 2 * (1 - 1e-7), 7, 146},
                 {2, false, 2, 7, 147},
                 {2 * (1 - 1e-8), false, 2, 0, 5},
                 {2, false, 2 * (1 + 1e-9), 0, 6},
                 {INFINITY, false, 9, 0, 1},
                 {INFINITY, false, 8 * (1 - 1e-8), 1, 146},
                 {INFINITY, false, 8, 0, 582},
                 {INFINITY, true, 7, 0, 1},
                 {INFINITY, false, 7, 1, 1},
                 {INFINITY, true, 6, 1, 1}};
    const size_t n = sizeof order / sizeof *order;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const struct cw_plan a = {.network_routes = order[i].network_routes,
                                      .z = order[i].z,
                                      .proof.n = order[i].lengths,
                                      .n_paths = order[i].paths};
            const struct cw_plan b = {.network_routes = order[j].network_routes,
                                      .z = order[j].z,
                                      .proof.n = order[j].lengths,
                                      .n_paths = order[j].paths};
            if (cw_plan_is_better(&a, order[i].seconds, &b, order[j].seconds) != (i < j))
                fail_msg("%zu and %zu are in the wrong order", i, j);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluates_by_hand),
        cmocka_unit_test(one_rule_orders_plans),
        cmocka_unit_test(capacities_count),
        cmocka_unit_test(evaluation_tidies),
        cmocka_unit_test(refuses_what_is_no_plan),
        cmocka_unit_test(rounds_by_largest_remainder),
        cmocka_unit_test(rounding_loses_nothing),
        cmocka_unit_test(figures_by_hand),
        cmocka_unit_test(paths_without_bytes_do_not_count),
        cmocka_unit_test(without_limits_nothing_is_hot),
        cmocka_unit_test(checker_catches_each_breach),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
