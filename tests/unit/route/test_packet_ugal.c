/* Adaptive packet routing of dragonflies: what it decides for given queues. */
#include "net/network_internal.h"
#include "packet_test.h"

struct bench {
    struct cw_network *net;
    uint32_t *flits;
    struct queues queues;
    struct cw_queue_view view;
    struct cw_packet_routing *minimal;
    struct cw_random random;
};

static struct bench bench_of(const char *spec)
{
    struct bench bench = {.net = network_of(spec), .random = cw_random_of(9, CW_STREAM_TEST, 0)};
    bench.flits = zeros(bench.net->n_channels, sizeof *bench.flits);
    bench.minimal = packet_routing_of(bench.net, "minimal");
    return bench;
}

/* To be called where `bench` stays. */
static void set_view(struct bench *bench)
{
    bench->queues = (struct queues){.flits = bench->flits};
    bench->view = view_of(&bench->queues);
}

static void free_bench(struct bench *bench)
{
    cw_packet_routing_free(bench->minimal);
    cw_network_free(bench->net);
    free(bench->flits);
}

/* The minimal way between two endpoints. */
static struct trip way(struct bench *bench, uint32_t src, uint32_t dst)
{
    return send_packet(bench->minimal, NULL, &bench->random, src, dst);
}

static uint32_t first_global(const struct cw_network *net, const struct trip *trip)
{
    for (uint32_t i = 0;; i++) {
        const uint32_t c = trip->hop[i].channel;
        if (group_of(net, net->tail[c]) != group_of(net, net->head[c])) return c;
    }
}

static const char *const names[] = {"ugal-l", "ugal-g", "par"};

static void empty_queues_mean_minimal(void **state)
{
    (void)state;
    struct bench bench = bench_of("dragonfly:2,3,2");
    set_view(&bench);
    for (size_t i = 0; i < 3; i++) {
        struct cw_packet_routing *routing = packet_routing_of(bench.net, names[i]);
        assert_int_equal(cw_packet_routing_operations(routing)->choices(cw_packet_routing_state(routing), 42, 40), 0);
        for (uint32_t src = 0; src < bench.net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < bench.net->n_endpoints; dst++) {
                if (src == dst) continue;
                const struct trip trip = send_packet(routing, &bench.view, &bench.random, src, dst);
                const struct trip expected = way(&bench, src, dst);
                assert_int_equal(trip.injected.via, CW_VIA_NONE);
                assert_int_equal(trip.hops, expected.hops);
                for (uint32_t h = 0; h <= trip.hops; h++)
                    assert_int_equal(trip.hop[h].channel, expected.hop[h].channel);
            }
        cw_packet_routing_free(routing);
    }
    free_bench(&bench);
}

/* By the formula, with the lengths and first channels that minimal routing has. */
static bool goes_minimally(struct bench *bench, bool global, uint32_t src, uint32_t dst, uint32_t via,
                           int64_t threshold)
{
    const uint32_t p = bench->net->shape.dragonfly.p;
    const struct trip straight = way(bench, src, dst), there = way(bench, src, via * p), on = way(bench, via * p, dst);
    const uint32_t a = global ? first_global(bench->net, &straight) : straight.hop[0].channel;
    const uint32_t b = global ? first_global(bench->net, &there) : there.hop[0].channel;
    return (int64_t)bench->flits[a] * straight.hops <= (int64_t)bench->flits[b] * (there.hops + on.hops) + threshold;
}

static void decisions(void **state)
{
    (void)state;
    static const char *const specs[] = {"ugal-l", "ugal-g", "ugal-l:threshold=25", "ugal-g:threshold=-9", "par"};
    static const int64_t thresholds[] = {0, 0, 25, -9, 0};
    struct bench bench = bench_of("dragonfly:1,4,2");
    const uint32_t n = 7 * 4;
    unsigned taken[2] = {0};
    set_view(&bench);
    struct cw_packet_routing *any = packet_routing_of(bench.net, "valiant-any");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_packet_routing *routing = packet_routing_of(bench.net, specs[i]);
        for (unsigned k = 0; k < 2000; k++) {
            const uint32_t src = cw_random_below(&bench.random, 36), dst = cw_random_below(&bench.random, 36);
            if (group_of(bench.net, src) == group_of(bench.net, dst)) continue;
            for (uint32_t c = 0; k % 16 == 0 && c < bench.net->n_channels; c++)
                bench.flits[c] = cw_random_below(&bench.random, 40);
            const uint64_t random = cw_random_for_choice(cw_random_below(&bench.random, n), n);
            const uint32_t other = inject(any, NULL, random, src, dst).via;
            const uint32_t via = inject(routing, &bench.view, random, src, dst).via;
            const bool minimal = goes_minimally(&bench, i == 1 || i == 3, src, dst, other, thresholds[i]);
            assert_int_equal(via, minimal ? CW_VIA_NONE : other);
            taken[minimal]++;
        }
        cw_packet_routing_free(routing);
    }
    assert_true(taken[0] > 1000 && taken[1] > 1000);
    cw_packet_routing_free(any);
    free_bench(&bench);
}

/* The minimal way is full: at the source's switch, or only at its global channel, which ugal-l cannot see there. */
static void full_channels_are_avoided(void **state)
{
    (void)state;
    struct bench bench = bench_of("dragonfly:2,4,2");
    const struct cw_network *net = bench.net;
    set_view(&bench);
    unsigned avoided[3] = {0}, remote = 0;
    for (uint32_t src = 0; src < 8; src++)
        for (uint32_t dst = 8; dst < net->n_endpoints; dst++) {
            const struct trip straight = way(&bench, src, dst);
            const uint32_t full = first_global(net, &straight);
            const bool local_first = full != straight.hop[0].channel;
            remote += local_first;
            bench.flits[full] = 64;
            for (size_t i = 0; i < 3; i++) {
                struct cw_packet_routing *routing = packet_routing_of(net, names[i]);
                const struct trip trip = send_packet(routing, &bench.view, &bench.random, src, dst);
                char kinds[MOST_HOPS + 1];
                kinds_of(net, &trip, kinds);
                const bool sees = i == 1 || !local_first;
                assert_int_equal(trip.injected.via != CW_VIA_NONE, sees);
                bool used = false;
                for (uint32_t h = 0; h < trip.hops; h++) used = used || trip.hop[h].channel == full;
                assert_int_equal(used, i == 0 && local_first);
                if (i == 2 && local_first) { /* par notices at the second switch */
                    assert_int_equal(trip.hop[0].channel, straight.hop[0].channel);
                    assert_true(strncmp(kinds, "LG", 2) == 0 || strncmp(kinds, "LLG", 3) == 0);
                    if (kinds[1] == 'L') assert_int_equal(trip.hop[1].lane, 1);
                }
                avoided[i] += !used;
                cw_packet_routing_free(routing);
            }
            bench.flits[full] = 0;
        }
    assert_true(remote > 100 && avoided[0] > 100 && avoided[1] == avoided[2]);
    free_bench(&bench);
}

/* Of several cables between two groups the one with the shortest queue is taken. */
static void the_emptier_cable(void **state)
{
    (void)state;
    struct bench bench = bench_of("dragonfly:1,2,4,g=3"); /* each switch has two cables to each other group */
    const struct cw_network *net = bench.net;
    set_view(&bench);
    struct cw_packet_routing *routing = packet_routing_of(net, "ugal-l");
    for (uint32_t free_one = 0; free_one < 2; free_one++) {
        uint32_t cable[2], n = 0;
        const uint32_t v = switch_of(net, 0);
        for (uint32_t c = net->first[v]; c < net->first[v + 1]; c++)
            if (net->head[c] >= net->n_endpoints && group_of(net, net->head[c]) == 2) cable[n++] = c;
        assert_int_equal(n, 2);
        bench.flits[cable[free_one]] = 0;
        bench.flits[cable[!free_one]] = 5;
        for (uint32_t dst = 4; dst < 6; dst++)
            assert_int_equal(send_packet(routing, &bench.view, &bench.random, 0, dst).hop[0].channel, cable[free_one]);
    }
    cw_packet_routing_free(routing);
    free_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(empty_queues_mean_minimal), cmocka_unit_test(decisions),
                                       cmocka_unit_test(full_channels_are_avoided),
                                       cmocka_unit_test(the_emptier_cable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
