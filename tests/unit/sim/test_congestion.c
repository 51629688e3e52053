/* Congestion of patterns: by counting walks, by sums that must agree, and by formula. */
#include "base/text.h"
#include "net/network_internal.h"
#include "sim/congestion.h"
#include "sim_test.h"

#include <stdio.h>
#include <unistd.h>

#include "../one_way_network.h"

#define SEED 3

static struct cw_congestion_result run(const struct test_fabric *fabric, const struct cw_pattern *pattern,
                                       const struct cw_placement *placement, uint32_t ranks, size_t trials,
                                       unsigned n_threads)
{
    const struct cw_congestion_setup setup = {.routes = fabric->routes,
                                              .pattern = pattern,
                                              .placement = placement,
                                              .ranks = ranks,
                                              .trials = trials,
                                              .seed = SEED,
                                              .n_threads = n_threads};
    struct cw_congestion_result result;
    if (cw_congestion_run(&setup, &result))
        fail_msg("%s on %s: %s", cw_pattern_spec(pattern), fabric->net->title, cw_error_message());
    return result;
}

/* --- the same, walked --------------------------------------------------------------------------------------------- */

struct naive {
    uint64_t messages, hops, sum;
    double bandwidth, equal, time; /* equal: bandwidth if all channels were equally fast */
    uint32_t max;
    uint32_t *channel_max;
    uint64_t *channel_messages, *of_channels, *of_messages; /* histograms of 1000 */
};

/* The capacity of the fastest cable of an endpoint. */
static double reference_of(const struct cw_network *net)
{
    double fastest = 0;
    for (uint32_t v = 0; v < net->n_endpoints; v++)
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++) fastest = fmax(fastest, net->capacity[c]);
    return fastest;
}

/* What a message gets of it, on the channels from SRC to DST with COUNT messages. */
static double bandwidth_of(const struct test_fabric *fabric, uint32_t src, uint32_t dst, const uint32_t *count)
{
    uint32_t hops, *channels = new_array(cw_routes_max_hops(fabric->routes), sizeof *channels);
    double least = INFINITY;
    assert_int_equal(cw_routes_paths(fabric->routes, 1, &src, &dst, &hops, channels, NULL), 0);
    for (uint32_t h = 0; h < hops; h++) least = fmin(least, fabric->net->capacity[channels[h]] / count[channels[h]]);
    free(channels);
    return least / reference_of(fabric->net);
}

static void count_round(struct naive *naive, const struct test_fabric *fabric, const struct cw_flows *flows,
                        const uint32_t *endpoints)
{
    const uint32_t n_channels = fabric->net->n_channels;
    uint32_t *count = new_array(n_channels, sizeof *count);
    double slowest = 0;
    for (size_t i = 0; i < flows->n; i++)
        naive->hops +=
            count_walk(fabric->routes, endpoints[flows->items[i].src], endpoints[flows->items[i].dst], count);
    for (size_t i = 0; i < flows->n; i++) {
        const uint32_t congestion = greatest_on_walk(fabric->routes, endpoints[flows->items[i].src],
                                                     endpoints[flows->items[i].dst], count, NULL);
        naive->messages++;
        naive->sum += congestion;
        naive->equal += 1.0 / congestion;
        naive->bandwidth += bandwidth_of(fabric, endpoints[flows->items[i].src], endpoints[flows->items[i].dst], count);
        naive->of_messages[congestion]++;
    }
    for (uint32_t c = 0; c < n_channels; c++) {
        if (cw_network_is_closed(fabric->net, c)) continue;
        if (count[c] > naive->max) naive->max = count[c];
        if (count[c] > naive->channel_max[c]) naive->channel_max[c] = count[c];
        naive->channel_messages[c] += count[c];
        naive->of_channels[count[c]]++;
        slowest = fmax(slowest, count[c] / fabric->net->capacity[c]); /* s, of messages of 1 byte */
    }
    naive->time += slowest;
    free(count);
}

static struct naive naive_run(const struct test_fabric *fabric, const struct cw_pattern *pattern,
                              const struct cw_placement *placement, uint32_t ranks, size_t trials)
{
    const uint32_t n_channels = fabric->net->n_channels;
    struct naive naive = {.channel_max = new_array(n_channels, sizeof *naive.channel_max),
                          .channel_messages = new_array(n_channels, sizeof *naive.channel_messages),
                          .of_channels = new_array(1000, sizeof *naive.of_channels),
                          .of_messages = new_array(1000, sizeof *naive.of_messages)};
    uint32_t *endpoints = new_array(fabric->net->n_endpoints, sizeof *endpoints);
    uint32_t rounds = 0;
    assert_int_equal(cw_pattern_rounds(pattern, ranks, &rounds), 0);
    for (uint64_t trial = 0; trial < trials; trial++) {
        struct cw_random order = cw_random_of(SEED, CW_STREAM_PLACEMENT, trial);
        struct cw_random random = cw_random_of(SEED, CW_STREAM_PATTERN, trial);
        assert_int_equal(cw_placement_order(placement, &order, endpoints), 0);
        for (uint32_t r = 0; r < rounds; r++) {
            struct cw_flows flows = {0};
            assert_int_equal(cw_pattern_append(pattern, ranks, r, 1, &random, &flows), 0);
            count_round(&naive, fabric, &flows, endpoints);
            cw_flows_free(&flows);
        }
    }
    free(endpoints);
    return naive;
}

static void naive_free(struct naive *naive)
{
    free(naive->channel_max);
    free(naive->channel_messages);
    free(naive->of_channels);
    free(naive->of_messages);
}

static void compare(const struct cw_congestion_result *result, const struct naive *naive, const struct cw_network *net,
                    size_t trials)
{
    const uint32_t n_channels = net->n_channels;
    const double fastest = reference_of(net);
    assert_close(result->time.mean, naive->time * fastest / (double)trials, "time");
    uint64_t on_channels = 0, channels = 0, messages = 0;
    assert_int_equal(result->messages, naive->messages);
    assert_int_equal(result->message_max, naive->max);
    assert_true(result->max.max == naive->max && result->max.n == trials);
    assert_close(result->message_mean, (double)naive->sum / (double)naive->messages, "mean congestion");
    assert_true(fabs(result->bandwidth_mean - naive->bandwidth / (double)naive->messages) < 1e-12);
    for (uint32_t c = 0; c < n_channels; c++) {
        assert_int_equal(result->channel_max[c], naive->channel_max[c]);
        assert_int_equal(result->channel_messages[c], naive->channel_messages[c]);
        const double slowness = cw_network_is_closed(net, c) ? 0 : fastest / net->capacity[c];
        assert_close(result->channel_time[c], naive->channel_max[c] * slowness, "time of a channel");
        on_channels += (uint64_t)result->channel_messages[c];
    }
    for (uint32_t i = 0; i <= result->message_max; i++) {
        assert_int_equal(result->of_channels[i], naive->of_channels[i]);
        assert_int_equal(result->of_messages[i], naive->of_messages[i]);
        channels += result->of_channels[i];
        messages += result->of_messages[i];
    }
    /* every hop of every message is on one channel; every channel counts once a round; every message once */
    assert_int_equal(on_channels, naive->hops);
    assert_int_equal(channels, (uint64_t)(n_channels - net->n_closed) * result->rounds * trials);
    assert_int_equal(messages, result->messages);
}

/* As the papers count: channels differ in nothing. */
static void check_equal_speeds(const struct test_fabric *fabric, const struct cw_pattern *pattern,
                               const struct cw_placement *placement, uint32_t ranks, const struct naive *naive)
{
    const struct cw_congestion_setup setup = {.routes = fabric->routes,
                                              .pattern = pattern,
                                              .placement = placement,
                                              .ranks = ranks,
                                              .equal_speeds = true,
                                              .trials = 3,
                                              .seed = SEED};
    struct cw_congestion_result result;
    assert_int_equal(cw_congestion_run(&setup, &result), 0);
    assert_close(result.bandwidth_mean, naive->equal / (double)naive->messages, "1/congestion");
    for (uint32_t c = 0; c < fabric->net->n_channels; c++) assert_true(result.channel_time[c] == naive->channel_max[c]);
    cw_congestion_free(&result);
}

static void test_agrees_with_walks(void **state)
{
    (void)state;
    static const char *const networks[] = {"xgft:2:4,4:1,2", "torus:4x4", "dragonfly:2,4,1,g=2", "crossbar:16"};
    static const char *const patterns[] = {"permutation",       "derangement", "uniform",   "bisection:bi",
                                           "shift:3",           "bitcomp",     "transpose", "ring:direction=bi",
                                           "halo:dimensions=2", "incast:3",    "alltoall"};
    static const char *const placements[] = {"contiguous:5", "random", "random-switches"};
    for (size_t n = 0; n < 4; n++) {
        struct test_fabric fabric = open_fabric(networks[n], NULL);
        assert_int_equal(fabric.net->n_endpoints, 16);
        for (uint32_t c = 0; n > 0 && c < fabric.net->n_channels; c++) /* of three speeds, in all but one network */
            fabric.net->capacity[c] = 1e9 * (1 + (c + c / 7) % 3);
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            struct cw_pattern *pattern = open_pattern(patterns[p]);
            struct cw_placement *placement = open_placement(placements[(n + p) % 3], fabric.net);
            for (uint32_t ranks = 9; ranks <= 16; ranks += 7) {
                struct cw_congestion_result result = run(&fabric, pattern, placement, ranks == 16 ? 0 : ranks, 3, 2);
                struct naive naive = naive_run(&fabric, pattern, placement, ranks, 3);
                assert_int_equal(result.ranks, ranks);
                compare(&result, &naive, fabric.net, 3);
                check_equal_speeds(&fabric, pattern, placement, ranks, &naive);
                naive_free(&naive);
                cw_congestion_free(&result);
            }
            cw_placement_free(placement);
            cw_pattern_free(pattern);
        }
        close_fabric(&fabric);
    }
}

/* Where cables work in one direction only, closed channels are not counted. */
/* Random sizes, byte by byte: what a channel carries, what a message has of it, and how long that takes. */
static void check_bytes(const char *spec, const char *engine, uint64_t seed)
{
    struct test_fabric fabric = open_fabric(spec, engine);
    const struct cw_network *net = fabric.net;
    for (uint32_t c = 0; seed % 2 && c < net->n_channels; c++) /* of three speeds */
        fabric.net->capacity[c] *= 1 + (double)((c + c / 5) % 3);
    struct cw_text file = {0};
    char path[] = "bytes-test-XXXXXX", traffic[64];
    struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, 0);
    double *bytes = new_array(net->n_channels, sizeof *bytes), sum = 0, share = 0, most = 0, time = 0;
    uint32_t src[60], dst[60], hops, *channels = new_array(cw_routes_max_hops(fabric.routes), sizeof *channels);
    double size[60];
    for (uint32_t i = 0; i < 60; i++) {
        src[i] = cw_random_below(&random, net->n_endpoints);
        dst[i] = (src[i] + 1 + cw_random_below(&random, net->n_endpoints - 1)) % net->n_endpoints;
        size[i] = 1 + cw_random_below(&random, i % 3 == 0 ? 1u << 30 : 1000);
        cw_text_printf(&file, "%u %u %.0f\n", src[i], dst[i], size[i]);
        assert_int_equal(cw_routes_paths(fabric.routes, 1, &src[i], &dst[i], &hops, channels, NULL), 0);
        for (uint32_t h = 0; h < hops; h++) bytes[channels[h]] += size[i];
    }
    for (uint32_t i = 0; i < 60; i++) {
        double here = 0;
        assert_int_equal(cw_routes_paths(fabric.routes, 1, &src[i], &dst[i], &hops, channels, NULL), 0);
        for (uint32_t h = 0; h < hops; h++)
            here = fmax(here, bytes[channels[h]] * reference_of(net) / net->capacity[channels[h]]);
        share += size[i] * size[i] / here;
        sum += size[i];
    }
    for (uint32_t c = 0; c < net->n_channels; c++) {
        most = fmax(most, bytes[c]);
        time = fmax(time, bytes[c] / net->capacity[c]);
    }
    close(mkstemp(path));
    assert_int_equal(cw_file_write(path, &file), 0);
    snprintf(traffic, sizeof traffic, "matrix:%s", path);
    struct cw_pattern *pattern = open_pattern(traffic);
    struct cw_placement *placement = open_placement("contiguous", net);
    struct cw_congestion_result result = run(&fabric, pattern, placement, 0, 2, 2);
    assert_true(result.by_bytes);
    assert_null(result.of_messages);
    assert_int_equal(result.messages, 2 * 60);
    assert_true(result.bytes == 2 * sum);
    assert_true(result.message_max == most);
    assert_true(fabs(result.time.mean / time - 1) < 1e-12);
    assert_true(fabs(result.bandwidth_mean / (share / sum) - 1) < 1e-12);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        assert_true(result.channel_max[c] == bytes[c]);
        assert_true(result.channel_messages[c] == 2 * bytes[c]);
        assert_true(fabs(result.channel_time[c] - bytes[c] / net->capacity[c]) <= 1e-12 * time);
    }
    cw_congestion_free(&result);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    unlink(path);
    cw_text_free(&file);
    free(channels);
    free(bytes);
    close_fabric(&fabric);
}

static void test_bytes(void **state)
{
    (void)state;
    check_bytes("xgft:2:4,4:1,2", NULL, 1);
    check_bytes("xgft:2:4,4:1,2@100Gbit/s", "minhop", 2);
    check_bytes("torus:5x3", NULL, 3);
    check_bytes("dragonfly:2,4,2,g=3", NULL, 4);
}

/* What MATRIX, the content of a file, takes on NETWORK. */
static struct cw_congestion_result run_matrix(const char *network, const char *engine, const char *matrix)
{
    struct test_fabric fabric = open_fabric(network, engine);
    struct cw_text file = {0};
    char path[] = "matrix-test-XXXXXX", traffic[64];
    cw_text_add(&file, matrix);
    close(mkstemp(path));
    assert_int_equal(cw_file_write(path, &file), 0);
    snprintf(traffic, sizeof traffic, "matrix:%s", path);
    struct cw_pattern *pattern = open_pattern(traffic);
    struct cw_placement *placement = open_placement("contiguous", fabric.net);
    struct cw_congestion_result result = run(&fabric, pattern, placement, 0, 1, 1);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    unlink(path);
    cw_text_free(&file);
    close_fabric(&fabric);
    return result;
}

/* One cable in, whatever the routing: messages that are alike are counted, and others are not like them. */
static void test_sizes_that_differ(void **state)
{
    (void)state;
    static const char *const engines[] = {"dmodk", "spray"};
    for (int i = 0; i < 2; i++) {
        const char *net = "xgft:2:2,2:1,2@8Gbit/s"; /* 1e9 byte/s */
        struct cw_congestion_result alike = run_matrix(net, engines[i], "0 3 7\n1 3 7\n"),
                                    unlike = run_matrix(net, engines[i], "0 3 1e9\n1 3 1\n");
        assert_false(alike.by_bytes);
        assert_true(fabs(alike.bandwidth_mean - 0.5) < 1e-9);
        assert_true(fabs(alike.time.mean - 2) < 1e-9);
        assert_true(unlike.by_bytes);
        assert_true(unlike.bandwidth_mean > 0.999);
        assert_true(fabs(unlike.time.mean - 1.000000001) < 1e-12);
        assert_true(fabs(unlike.message_max - 1000000001) < 1e-3);
        double carried = 0; /* every byte over four channels, however many ways it may take */
        for (uint32_t c = 0; c < 16; c++) carried += unlike.channel_messages[c];
        assert_true(fabs(carried - 4 * 1000000001.0) < 16);
        cw_congestion_free(&alike);
        cw_congestion_free(&unlike);
    }
}

static void test_one_way_cables(void **state)
{
    (void)state;
    struct cw_pattern *pattern = open_pattern("permutation");
    for (uint64_t trial = 0; trial < 6; trial++) {
        struct test_fabric fabric = {.net = trial == 0 ? one_way_ring(9) : one_way_random(trial, 9, false)};
        if (cw_engine_route(fabric.net, "minhop", 1, 1, &fabric.routes)) fail_msg("%s", cw_error_message());
        struct cw_placement *placement = open_placement("random", fabric.net);
        struct cw_congestion_result result = run(&fabric, pattern, placement, 9, 5, 2);
        struct naive naive = naive_run(&fabric, pattern, placement, 9, 5);
        assert_true(fabric.net->n_closed > 0);
        compare(&result, &naive, fabric.net, 5);
        naive_free(&naive);
        cw_congestion_free(&result);
        cw_placement_free(placement);
        close_fabric(&fabric);
    }
    cw_pattern_free(pattern);
}

/* --- by formula --------------------------------------------------------------------------------------------------- */

/* All to all among the N endpoints of XGFT(2; 4, 6; 1, 4) by D-mod-k. All pairs pass a host's channel N - 1 times each
 * way. A leaf's 4 endpoints send to the 20 outside by 4 up channels that the destination's last digit selects, evenly:
 * 4·20 / 4. The down channels carry the same. */
static void test_all_to_all_on_fat_tree(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("xgft:2:4,6:1,4", "dmodk");
    const struct cw_network *net = fabric.net;
    struct cw_pattern *pattern = open_pattern("alltoall");
    struct cw_placement *placement = open_placement("contiguous", net);
    struct cw_congestion_result result = run(&fabric, pattern, placement, 0, 1, 1);
    assert_int_equal(result.messages, 24 * 23);
    assert_int_equal(result.rounds, 23);
    assert_true(result.time.mean == 23); /* every round is free of contention: D-mod-k and shifts */
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const bool host = cw_network_is_endpoint(net, net->tail[c]) || cw_network_is_endpoint(net, net->head[c]);
        assert_int_equal(result.channel_messages[c], host ? 23 : 20);
    }
    cw_congestion_free(&result);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    close_fabric(&fabric);
}

/* Every rank sends to one drawn at random: a channel's expected load is the probability that a pair uses it times the
 * number of senders. In XGFT(2; 4, 6; 1, 4): each up channel of a leaf has 4 senders · 5 of the 23 destinations. */
static void test_uniform_on_fat_tree(void **state)
{
    (void)state;
    const size_t trials = 2000;
    struct test_fabric fabric = open_fabric("xgft:2:4,6:1,4", "dmodk");
    const struct cw_network *net = fabric.net;
    struct cw_pattern *pattern = open_pattern("uniform");
    struct cw_placement *placement = open_placement("contiguous", net);
    struct cw_congestion_result result = run(&fabric, pattern, placement, 0, trials, 2);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double mean = (double)result.channel_messages[c] / (double)trials;
        const double expected = 4 * 5 / 23.0;
        if (cw_network_is_endpoint(net, net->tail[c]))
            assert_true(mean == 1);
        else if (cw_network_is_endpoint(net, net->head[c]))
            assert_true(fabs(mean - 1) < 5 / sqrt((double)trials));
        else /* a sum of independent draws, with a variance below its mean */
            assert_true(fabs(mean - expected) < 5 * sqrt(expected / (double)trials));
    }
    cw_congestion_free(&result);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    close_fabric(&fabric);
}

/* Routes of tori are counted by runs; the last case needs counters of more than a byte. */
static void test_runs_agree_with_walks(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"torus:6x5", "permutation"},
                                           {"torus:4x3x5", "alltoall"},
                                           {"torus:7", "bisection:bi"},
                                           {"torus:4x2,doubled", "uniform"},
                                           {"torus:600", "shift:299"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_fabric fabric = open_fabric(cases[i][0], "dor");
        struct cw_pattern *pattern = open_pattern(cases[i][1]);
        struct cw_placement *placement = open_placement("contiguous", fabric.net);
        struct cw_congestion_result result = run(&fabric, pattern, placement, 0, 2, 2);
        struct naive naive = naive_run(&fabric, pattern, placement, fabric.net->n_endpoints, 2);
        compare(&result, &naive, fabric.net, 2);
        naive_free(&naive);
        cw_congestion_free(&result);
        cw_placement_free(placement);
        cw_pattern_free(pattern);
        close_fabric(&fabric);
    }
}

/* The shift by half a ring goes half way round for everybody: k/2 on each channel of the direction that takes it. */
static void test_half_way_round_a_ring(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("torus:8", "dor");
    struct cw_pattern *pattern = open_pattern("shift:4");
    struct cw_placement *placement = open_placement("contiguous", fabric.net);
    struct cw_congestion_result result = run(&fabric, pattern, placement, 0, 1, 1);
    assert_int_equal(result.message_max, 4);
    assert_true(result.message_mean == 4 && result.bandwidth_mean == 0.25);
    assert_int_equal(result.of_channels[4], 8);
    assert_int_equal(result.of_channels[1], 16);
    assert_int_equal(result.of_channels[0], 8);
    assert_int_equal(result.of_messages[4], 8);
    assert_true(result.time.mean == 4 && result.time.n == 1);
    cw_congestion_free(&result);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    close_fabric(&fabric);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("torus:5x4", NULL);
    struct cw_pattern *pattern = open_pattern("uniform");
    struct cw_placement *placement = open_placement("random", fabric.net);
    struct cw_congestion_result one = run(&fabric, pattern, placement, 0, 31, 1);
    for (unsigned n = 2; n <= 4; n += 2) {
        struct cw_congestion_result many = run(&fabric, pattern, placement, 0, 31, n);
        const size_t channels = fabric.net->n_channels, bins = (size_t)one.message_max + 1;
        assert_int_equal(one.message_max, many.message_max);
        assert_int_equal(one.messages, many.messages);
        assert_true(one.message_mean == many.message_mean && one.bandwidth_mean == many.bandwidth_mean);
        assert_memory_equal(&one.max, &many.max, sizeof one.max);
        assert_memory_equal(&one.time, &many.time, sizeof one.time);
        assert_memory_equal(one.channel_max, many.channel_max, channels * sizeof *one.channel_max);
        assert_memory_equal(one.channel_messages, many.channel_messages, channels * sizeof *one.channel_messages);
        assert_memory_equal(one.of_channels, many.of_channels, bins * sizeof *one.of_channels);
        assert_memory_equal(one.of_messages, many.of_messages, bins * sizeof *one.of_messages);
        cw_congestion_free(&many);
    }
    cw_congestion_free(&one);
    cw_congestion_free(NULL);
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    close_fabric(&fabric);
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_fabric fabric = open_fabric("crossbar:4", NULL);
    struct cw_pattern *pattern = open_pattern("bitcomp");
    struct cw_placement *placement = open_placement("contiguous", fabric.net);
    struct cw_congestion_setup setup = {
        .routes = fabric.routes, .pattern = pattern, .placement = placement, .ranks = 5, .trials = 1, .n_threads = 1};
    struct cw_congestion_result result;
    assert_int_equal(cw_congestion_run(&setup, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "5 ranks on 4 endpoints, expected at most one on each");
    setup.ranks = 1;
    assert_int_equal(cw_congestion_run(&setup, &result), CW_EUSAGE);
    setup.ranks = 4;
    setup.trials = 0;
    assert_int_equal(cw_congestion_run(&setup, &result), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "0 trials, expected at least 1");
    cw_placement_free(placement);
    cw_pattern_free(pattern);
    close_fabric(&fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_walks),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_sizes_that_differ),      cmocka_unit_test(test_one_way_cables),
        cmocka_unit_test(test_all_to_all_on_fat_tree), cmocka_unit_test(test_uniform_on_fat_tree),
        cmocka_unit_test(test_half_way_round_a_ring),  cmocka_unit_test(test_runs_agree_with_walks),
        cmocka_unit_test(test_threads_change_nothing), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
