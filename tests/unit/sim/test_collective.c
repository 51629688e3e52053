/* Every registered collective on small networks, against a second simulation that is written as plainly as can be. */
#include "naive_collective.h"
#include "net/network_internal.h"
#include "sim/collective.h"

static const struct {
    const char *network;
    const char *engine;
    uint32_t ranks;
} machines[] = {
    {"xgft:2:4,4:1,2", NULL, 10},       {"xgft:2:4,3:2,2", "minhop", 7}, {"torus:4x4", NULL, 9},
    {"torus:3x2x2", NULL, 8},           {"mesh:4x3", "minhop", 7},       {"dragonfly:1,4,2,g=5", NULL, 12},
    {"hypercube:4", "dor:lanes=1", 16},
};

#define MACHINES (sizeof machines / sizeof *machines)

/* Random endpoints for the ranks, and messages between the others that do not mind how many they are. */
struct traffic {
    uint32_t *endpoints;
    uint32_t *src, *dst; /* [levels · per_level] */
    size_t per_level, levels;
};

static struct traffic draw_traffic(const struct cw_network *net, uint32_t n_ranks, size_t n_levels, uint64_t index)
{
    struct traffic traffic = {.per_level = net->n_endpoints - n_ranks, .levels = n_levels};
    struct cw_random random = cw_random_of(7, CW_STREAM_TEST, index);
    const size_t n = traffic.per_level * n_levels;
    traffic.endpoints = new_array(net->n_endpoints, sizeof *traffic.endpoints);
    traffic.src = new_array(n, sizeof *traffic.src);
    traffic.dst = new_array(n, sizeof *traffic.dst);
    cw_random_permutation(&random, net->n_endpoints, traffic.endpoints);
    for (size_t i = 0; i < n; i++) {
        traffic.src[i] = traffic.endpoints[n_ranks + i % traffic.per_level];
        traffic.dst[i] = traffic.endpoints[n_ranks + cw_random_below(&random, (uint32_t)traffic.per_level)];
    }
    return traffic;
}

static void free_traffic(struct traffic *traffic)
{
    free(traffic->endpoints);
    free(traffic->src);
    free(traffic->dst);
}

static struct naive_background background_of(const struct traffic *traffic, size_t level)
{
    const size_t at = level * traffic->per_level;
    return (struct naive_background){traffic->src + at, traffic->dst + at, traffic->per_level};
}

static int change_background(void *context, struct cw_collective *collective, uint32_t level)
{
    const struct naive_background background = background_of(context, level);
    cw_collective_clear_background(collective);
    return cw_collective_add_background(collective, background.n, background.src, background.dst);
}

static void compare_times(const struct cw_times *is, const struct naive *naive)
{
    assert_close(is->clean, naive->time[NAIVE_CLEAN], "clean time");
    assert_close(is->perturbed, naive->time[NAIVE_PERTURBED], "perturbed time");
    assert_true(is->perturbed >= is->clean);
}

/* Messages one by one. Their channels are looked at by hand in test_worked_example.c. */
static void compare_messages(const struct cw_trace *trace, const struct naive *naive)
{
    assert_true(trace->complete);
    assert_int_equal(trace->n_messages, naive->n);
    for (size_t i = 0; i < naive->n; i++) {
        const struct cw_traced_message *message = &trace->messages[i];
        assert_int_equal(message->level, naive->nodes[i].level);
        assert_int_equal(message->src, naive->nodes[i].message.src);
        assert_int_equal(message->dst, naive->nodes[i].message.dst);
        assert_int_equal(message->congestion.own, naive->nodes[i].congestion[NAIVE_CLEAN]);
        assert_int_equal(message->congestion.with_background, naive->nodes[i].congestion[NAIVE_PERTURBED]);
    }
}

static void compare_levels(struct cw_collective *collective, const struct naive *naive)
{
    struct cw_trace trace;
    cw_collective_take_trace(collective, &trace);
    const struct cw_level *levels = trace.levels;
    assert_int_equal(trace.n_levels, naive->n_levels);
    for (size_t i = 0; i < trace.n_levels; i++) {
        assert_int_equal(levels[i].messages, naive->levels[i].messages);
        assert_int_equal(levels[i].clean_sum, naive->levels[i].clean_sum);
        assert_int_equal(levels[i].clean_max, naive->levels[i].clean_max);
        assert_int_equal(levels[i].perturbed_sum, naive->levels[i].perturbed_sum);
        assert_int_equal(levels[i].perturbed_max, naive->levels[i].perturbed_max);
    }
    compare_messages(&trace, naive);
    cw_trace_free(&trace);
}

static void compare_path(const struct cw_collective *collective, const struct naive *naive)
{
    uint32_t *path = NULL;
    size_t length = 0;
    assert_int_equal(cw_collective_longest_path(collective, &path, &length), 0);
    if (!naive_is_longest(naive, path, length))
        fail_msg("%s: the path of %zu ranks to %u is not one of the longest%s",
                 cw_schedule_spec(naive->setup->schedule), length, path[length - 1],
                 naive->setup->sends == CW_SENDS_IN_ORDER ? ", sends in order" : "");
    free(path);
}

/* The same run, untraced and twice traced with one workspace, with one background for all levels or one for each. */
static void check_setup(const struct cw_collective_setup *setup, uint32_t ranks, const struct traffic *traffic,
                        bool per_round)
{
    struct naive_background *backgrounds = new_array(traffic->levels, sizeof *backgrounds);
    for (size_t i = 0; i < traffic->levels; i++) backgrounds[i] = background_of(traffic, i);
    struct naive naive = naive_run(setup, ranks, traffic->endpoints, backgrounds, per_round ? traffic->levels : 1);
    struct cw_collective *collective = NULL;
    struct cw_times times;
    assert_int_equal(cw_collective_new(setup, &collective), 0);
    for (int run = 0; run < 3; run++) {
        if (!per_round)
            assert_int_equal(
                cw_collective_add_background(collective, backgrounds->n, backgrounds->src, backgrounds->dst), 0);
        assert_int_equal(cw_collective_run(collective, ranks, traffic->endpoints, per_round ? change_background : NULL,
                                           (void *)(uintptr_t)traffic, &times),
                         0);
        compare_times(&times, &naive);
        if (run > 0) {
            compare_levels(collective, &naive);
            compare_path(collective, &naive);
        }
        cw_collective_clear_background(collective);
        cw_collective_trace(collective);
    }
    cw_collective_free(collective);
    naive_free(&naive);
    free(backgrounds);
}

static void check_schedule(const struct test_fabric *fabric, const char *spec, uint32_t ranks, uint64_t index)
{
    struct cw_schedule *schedule = open_schedule(spec);
    uint32_t levels = 0, blocks = 0;
    if (!is_defined(schedule, ranks)) {
        cw_schedule_free(schedule);
        return;
    }
    assert_int_equal(cw_schedule_plan(schedule, ranks, &levels, &blocks), 0);
    struct traffic traffic = draw_traffic(fabric->net, ranks, levels, index);
    for (int i = 0; i < 32; i++) {
        const bool stated = i & 8;
        const struct cw_collective_setup setup = {
            .routes = fabric->routes,
            .schedule = schedule,
            .bytes = 1009,
            .timing = {.loggp = i & 1,
                       .latency = stated ? 1e-6 : CW_TIMING_OF_CHANNELS,
                       .overhead = 0.5e-6,
                       .gap = stated ? 3e-9 : CW_TIMING_OF_CHANNELS},
            .equal_speeds = i & 16,
            .sends = i & 2 ? CW_SENDS_IN_ORDER : CW_SENDS_AT_ONCE,
        };
        check_setup(&setup, ranks, &traffic, i & 4);
    }
    free_traffic(&traffic);
    cw_schedule_free(schedule);
}

static void check_machine(size_t m)
{
    struct test_fabric fabric = open_fabric(machines[m].network, machines[m].engine);
    for (uint32_t c = 0; c < fabric.net->n_channels; c++) { /* no two cables alike, nor its two channels */
        fabric.net->capacity[c] = 1e9 * (1 + c % 5);
        fabric.net->latency[c] = 1e-8 * (1 + c % 7);
    }
    for (size_t s = 0; cw_schedule_kinds[s]; s++)
        check_schedule(&fabric, cw_schedule_kinds[s]->name, machines[m].ranks, s);
    close_fabric(&fabric);
}

static void test_agrees_with_naive_trees(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2; m++) check_machine(m);
}

static void test_agrees_with_naive_grids(void **state)
{
    (void)state;
    for (size_t m = 2; m < MACHINES; m++) check_machine(m);
}

/* A few ranks more and less on one workspace: the plan is made anew for each number. */
static void test_workspace_serves_any_number(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {5, 12, 1, 2, 12, 3};
    struct test_fabric fabric = open_fabric("xgft:2:4,4:1,2", NULL);
    for (size_t s = 0; cw_schedule_kinds[s]; s++) {
        struct cw_schedule *schedule = open_schedule(cw_schedule_kinds[s]->name);
        const struct cw_collective_setup setup = {.routes = fabric.routes, .schedule = schedule};
        struct cw_collective *collective = NULL;
        assert_int_equal(cw_collective_new(&setup, &collective), 0);
        cw_collective_trace(collective);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            if (!is_defined(schedule, numbers[i])) continue;
            struct traffic traffic = draw_traffic(fabric.net, numbers[i], 1, i);
            const struct naive_background none = {0};
            struct naive naive = naive_run(&setup, numbers[i], traffic.endpoints, &none, 1);
            struct cw_times times;
            assert_int_equal(cw_collective_run(collective, numbers[i], traffic.endpoints, NULL, NULL, &times), 0);
            compare_times(&times, &naive);
            compare_levels(collective, &naive);
            compare_path(collective, &naive);
            assert_true(times.clean == times.perturbed);
            naive_free(&naive);
            free_traffic(&traffic);
        }
        cw_collective_free(collective);
        cw_schedule_free(schedule);
    }
    close_fabric(&fabric);
}

static void test_no_ranks_are_refused(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4", NULL);
    struct cw_schedule *schedule = open_schedule("ring-allreduce");
    const struct cw_collective_setup setup = {.routes = fabric.routes, .schedule = schedule};
    struct cw_collective *collective = NULL;
    struct cw_times times = {-1, -1};
    const uint32_t none[1] = {0};
    assert_int_equal(cw_collective_new(&setup, &collective), 0);
    assert_int_equal(cw_collective_run(collective, 0, none, NULL, NULL, &times), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "collective ring-allreduce needs at least 1 rank");
    assert_true(times.clean == -1 && times.perturbed == -1);
    cw_collective_free(collective);
    cw_collective_free(NULL);
    cw_schedule_free(schedule);
    close_fabric(&fabric);
}

/* What a schedule takes at least and at most where only ranks' own cables are shared. */
struct depth {
    uint32_t chain;   /* the longest chain of dependent messages, in messages */
    uint32_t busiest; /* the most messages that a rank sends, or receives, in one round */
    uint32_t sum;     /* of the same over all rounds */
};

static struct depth depth_of(const struct cw_schedule *schedule, uint32_t n, uint32_t levels)
{
    struct depth depth = {0};
    uint32_t reached[32] = {0};
    for (uint32_t level = 0; level < levels; level++) {
        struct cw_messages messages = {0};
        uint32_t arriving[32] = {0}, sent[32] = {0}, received[32] = {0}, most = 0;
        assert_int_equal(cw_schedule_round(schedule, n, level, &messages), 0);
        for (size_t i = 0; i < messages.n; i++) {
            const struct cw_message *message = &messages.items[i];
            const uint32_t at = 1 + (message->free ? 0 : reached[message->src]);
            if (at > arriving[message->dst]) arriving[message->dst] = at;
            if (++sent[message->src] > most) most = sent[message->src];
            if (++received[message->dst] > most) most = received[message->dst];
        }
        for (uint32_t r = 0; r < n; r++) {
            if (arriving[r] > reached[r]) reached[r] = arriving[r];
            if (reached[r] > depth.chain) depth.chain = reached[r];
        }
        if (most > depth.busiest) depth.busiest = most;
        depth.sum += most;
        cw_messages_free(&messages);
    }
    return depth;
}

/* True if the time is known: all but where a rank has several messages in a round, and one in several rounds. */
static bool check_depth(const struct test_fabric *fabric, const char *spec, uint32_t n)
{
    struct cw_schedule *schedule = open_schedule(spec);
    const struct cw_collective_setup setup = {.routes = fabric->routes, .schedule = schedule};
    struct cw_collective *collective = NULL;
    struct cw_times times;
    struct depth depth = {0};
    uint32_t levels = 0, blocks = 0, endpoints[32];
    for (uint32_t i = 0; i < 32; i++) endpoints[i] = 31 - i;
    if (is_defined(schedule, n)) {
        assert_int_equal(cw_schedule_plan(schedule, n, &levels, &blocks), 0);
        assert_int_equal(cw_collective_new(&setup, &collective), 0);
        assert_int_equal(cw_collective_run(collective, n, endpoints, NULL, NULL, &times), 0);
        depth = depth_of(schedule, n, levels);
        const double least = fmax(depth.chain, depth.busiest), most = depth.busiest == 1 ? depth.chain : depth.sum;
        assert_true(times.clean >= least && times.clean <= most && times.perturbed == times.clean);
        cw_collective_free(collective);
    }
    cw_schedule_free(schedule);
    return depth.busiest == 1;
}

/* On a crossbar, messages of a permutation do not meet: the time is the depth. */
static void test_crossbar_shows_depth(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:32", NULL);
    size_t permuting = 0;
    for (uint32_t n = 2; n <= 32; n += 6)
        for (size_t s = 0; cw_schedule_kinds[s]; s++) permuting += check_depth(&fabric, cw_schedule_kinds[s]->name, n);
    assert_true(permuting > 60);
    close_fabric(&fabric);
}

/* The root of a linear scatter sends one message after the other; the last one takes longest to arrive. */
static void test_ordered_path_by_hand(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4", NULL);
    struct cw_schedule *schedule = open_schedule("linear-scatter");
    const struct cw_collective_setup setup = {
        .routes = fabric.routes, .schedule = schedule, .bytes = 4, .sends = CW_SENDS_IN_ORDER};
    const uint32_t endpoints[] = {0, 1, 2, 3};
    struct cw_collective *collective = NULL;
    struct cw_times times;
    uint32_t *path = NULL;
    size_t length = 0;
    assert_int_equal(cw_collective_new(&setup, &collective), 0);
    cw_collective_trace(collective);
    assert_int_equal(cw_collective_run(collective, 4, endpoints, NULL, NULL, &times), 0);
    assert_true(times.clean == 3 && times.perturbed == 3); /* the root's cable counts once */
    assert_int_equal(cw_collective_longest_path(collective, &path, &length), 0);
    assert_int_equal(length, 2);
    assert_int_equal(path[0], 0);
    assert_int_equal(path[1], 3);
    free(path);
    cw_collective_free(collective);
    cw_schedule_free(schedule);
    close_fabric(&fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_naive_trees),     cmocka_unit_test(test_agrees_with_naive_grids),
        cmocka_unit_test(test_workspace_serves_any_number), cmocka_unit_test(test_no_ranks_are_refused),
        cmocka_unit_test(test_crossbar_shows_depth),        cmocka_unit_test(test_ordered_path_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
