/* The least time of the busiest channel: against all divisions in steps of a twentieth, where each flow has two ways,
 * and where it is known; the ways are shortest, nothing is lost on them, and the bound is below what they reach. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "route/engine.h"
#include "route/packets/least_busy.h"
#include "route_test.h"

enum { STEPS = 20, MESSAGES = 4 };

static struct cw_routes *adaptive_routes(const struct cw_network *net, bool any)
{
    struct cw_routes *routes = NULL;
    must(cw_engine_route(net, any ? "adaptive:ways=any" : "adaptive", 1, 1, &routes));
    assert_true(cw_routes_by_round(routes));
    assert_int_equal(cw_routes_by_any_ways(routes), any);
    return routes;
}

/* The busiest time of messages by the ways that were found; what enters a switch leaves it, by channels that lead
 * nearer, or by ANY between switches. */
static double time_of_ways(const struct cw_network *net, const struct cw_least_busy *least, size_t n,
                           const uint32_t *src, const uint32_t *dst, const double *bytes, bool any)
{
    double *time = zeros(net->n_channels, sizeof *time), *held = zeros(net->n_vertices, sizeof *held), most = 0;
    struct cw_ways ways;
    must(cw_ways_init(&ways, net));
    for (size_t i = 0; i < n; i++) {
        uint32_t *distance = distances_to(net, dst[i]);
        cw_least_busy_ways(least, i, &ways);
        assert_int_equal(ways.n == 0, src[i] == dst[i]);
        for (size_t w = 0; w < ways.n; w++) {
            const uint32_t c = ways.channels[w];
            const bool host = net->tail[c] == src[i] || net->head[c] == dst[i];
            if (!any) assert_int_equal(distance[net->tail[c]], distance[net->head[c]] + 1);
            assert_true(host || (net->tail[c] >= net->n_endpoints && net->head[c] >= net->n_endpoints));
            time[c] += ways.shares[w] * bytes[i] / net->capacity[c];
            held[net->tail[c]] -= ways.shares[w];
            held[net->head[c]] += ways.shares[w];
        }
        held[src[i]] += src[i] != dst[i];
        held[dst[i]] -= src[i] != dst[i];
        for (uint32_t v = 0; v < net->n_vertices; v++) {
            assert_true(fabs(held[v]) < 1e-9);
            held[v] = 0;
        }
        free(distance);
    }
    for (uint32_t c = 0; c < net->n_channels; c++) most = fmax(most, time[c]);
    free(time);
    free(held);
    cw_ways_free(&ways);
    return most;
}

/* A ring of four switches with two endpoints each, no cable as fast as another. */
static struct cw_network *uneven_ring(struct cw_random *random)
{
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(8, 4, 12);
    for (uint32_t v = 0; v < 8; v++) cw_builder_cable(builder, v, 1, 8 + v / 2, 3 + v % 2, 9, 0);
    for (uint32_t s = 0; s < 4; s++)
        cw_builder_cable(builder, 8 + s, 1, 8 + (s + 1) % 4, 2, 1 + cw_random_below(random, 5), 0);
    must(cw_builder_finish(builder, &net));
    return net;
}

static uint32_t channel_between(const struct cw_network *net, uint32_t from, uint32_t to)
{
    for (uint32_t c = net->first[from]; c < net->first[from + 1]; c++)
        if (net->head[c] == to) return c;
    fail();
    return CW_NONE;
}

/* Adds BYTES to TIME on the way from switch FROM to TO, over the next or the one before, to neighbours only if ANY way
 * may be taken. */
static void put(const struct cw_network *net, uint32_t from, uint32_t to, bool next, bool any, double bytes,
                double *time)
{
    for (uint32_t at = from; at != to;) {
        const uint32_t to_next = (at + 1) % 4, to_last = (at + 3) % 4;
        const uint32_t on = !any && (to == to_next || to == to_last) ? to : next ? to_next : to_last;
        const uint32_t c = channel_between(net, 8 + at, 8 + on);
        time[c] += bytes / net->capacity[c];
        at = on;
    }
}

/* The least busiest time of all divisions of messages from number I on, in steps; TIME has those before. Longer ways
 * only if ANY may be taken. */
static double best_division(const struct cw_network *net, size_t i, const uint32_t *src, const uint32_t *dst,
                            const double *bytes, const double *time, bool any)
{
    double best = INFINITY, after[24];
    assert_int_equal(net->n_channels, 24);
    if (i == MESSAGES) {
        best = 0;
        for (uint32_t c = 0; c < net->n_channels; c++) best = fmax(best, time[c]);
        return best;
    }
    const uint32_t from = src[i] / 2, to = dst[i] / 2;
    for (unsigned step = 0; step <= STEPS; step++) {
        for (uint32_t c = 0; c < net->n_channels; c++) after[c] = time[c];
        put(net, from, to, true, any, bytes[i] * step / STEPS, after);
        put(net, from, to, false, any, bytes[i] * (STEPS - step) / STEPS, after);
        if ((from == to || (!any && (from + 2) % 4 != to)) && step > 0) break; /* there is one way */
        best = fmin(best, best_division(net, i + 1, src, dst, bytes, after, any));
    }
    return best;
}

static void all_divisions(void **state)
{
    (void)state;
    unsigned better = 0, longer = 0;
    for (uint64_t trial = 0; trial < 24; trial++) {
        const bool any = trial >= 12;
        struct cw_random random = cw_random_of(11, CW_STREAM_TEST, trial);
        struct cw_network *net = uneven_ring(&random);
        struct cw_routes *routes = adaptive_routes(net, any);
        struct cw_least_busy *least;
        must(cw_least_busy_new(routes, &least));
        uint32_t src[MESSAGES], dst[MESSAGES];
        double bytes[MESSAGES], time[24] = {0}, bound = 0, sprayed[24] = {0}, spray = 0;
        for (size_t i = 0; i < MESSAGES; i++) {
            const bool twice = cw_random_below(&random, 3) > 0;
            src[i] = cw_random_below(&random, 8);
            do dst[i] = twice ? (src[i] + 4) % 8 : cw_random_below(&random, 8);
            while (dst[i] == src[i]);
            bytes[i] = 1 + cw_random_below(&random, 4);
            time[net->first[src[i]]] += bytes[i] / 9;
            time[net->twin[net->first[dst[i]]]] += bytes[i] / 9;
        }
        const double best = best_division(net, 0, src, dst, bytes, time, any);
        if (any) longer += best < 0.9 * best_division(net, 0, src, dst, bytes, time, false);
        for (size_t i = 0; i < MESSAGES; i++)
            for (int next = 0; next < 2; next++) put(net, src[i] / 2, dst[i] / 2, next, false, bytes[i] / 2, sprayed);
        for (uint32_t c = 0; c < 24; c++) spray = fmax(spray, sprayed[c]);
        must(cw_least_busy_find(least, MESSAGES, src, dst, bytes, &bound));
        const double found = time_of_ways(net, least, MESSAGES, src, dst, bytes, any);
        if (bound > best * (1 + 1e-9)) fail_msg("%g is a bound, but %g was found", bound, best);
        assert_true(found <= bound * (any ? 1.02 : 1.01) + 1e-9);
        assert_true(found >= bound * (1 - 1e-9));
        better += !any && found < 0.9 * spray;
        cw_least_busy_free(least);
        cw_routes_free(routes);
        cw_network_free(net);
    }
    assert_true(better >= 3 && longer >= 3);
}

/* Rounds on many networks, one after another in one workspace, with messages within a switch, too, that all have one
 * size or different ones. */
static void rounds_by(bool any)
{
    static const char *const specs[] = {"hyperx:4x4,2",   "jellyfish:16,4,2",   "dragonfly:2,4,2", "torus:4x4",
                                        "xgft:2:4,6:1,2", "xgft:3:3,3,2:1,2,2", "slimfly:5,2"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct cw_network *net = network_of(specs[s]);
        struct cw_routes *routes = adaptive_routes(net, any);
        struct cw_least_busy *least;
        const uint32_t n = net->n_endpoints;
        uint32_t *src = zeros(2 * n, sizeof *src), *dst = zeros(2 * n, sizeof *dst);
        double *bytes = zeros(2 * n, sizeof *bytes);
        must(cw_least_busy_new(routes, &least));
        for (uint64_t round = 0; round < 4; round++) {
            struct cw_random random = cw_random_of(12, CW_STREAM_TEST, round);
            const size_t messages = round == 2 ? 2 * n : n;
            for (size_t i = 0; i < messages; i++) {
                src[i] = cw_random_below(&random, n);
                dst[i] = cw_random_below(&random, n);
                bytes[i] = round == 3 ? 1 + cw_random_below(&random, 1000) : 1;
            }
            double bound = 0;
            must(cw_least_busy_find(least, messages, src, dst, round == 3 ? bytes : NULL, &bound));
            const double found = time_of_ways(net, least, messages, src, dst, bytes, any);
            if (found > bound * (any ? 1.02 : 1.01) || found < bound * (1 - 1e-9))
                fail_msg("%s: %g, although %g is a bound", specs[s], found, bound);
        }
        must(cw_least_busy_find(least, 0, src, dst, NULL, NULL)); /* a round of nothing */
        free(src);
        free(dst);
        free(bytes);
        cw_least_busy_free(least);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

static void rounds(void **state)
{
    (void)state;
    rounds_by(false);
    rounds_by(true);
}

/* Two leaves and two spines, with cables of speeds 3 and 1: 8 bytes take 2 where they are divided by speed, 4 where
 * they are sprayed. */
static void by_speed(void **state)
{
    (void)state;
    struct cw_network *net = NULL;
    struct cw_builder *builder = cw_builder_new(2, 4, 6);
    const uint32_t src = 0, dst = 1;
    const double bytes = 8;
    double bound = 0;
    for (uint32_t v = 0; v < 2; v++) cw_builder_cable(builder, v, 1, 2 + v, 3, 100, 0);
    for (uint32_t i = 0; i < 4; i++)
        cw_builder_cable(builder, 2 + i / 2, 1 + i % 2, 4 + i % 2, 1 + i / 2, i % 2 ? 1 : 3, 0);
    must(cw_builder_finish(builder, &net));
    struct cw_routes *routes = adaptive_routes(net, false);
    struct cw_least_busy *least;
    must(cw_least_busy_new(routes, &least));
    must(cw_least_busy_find(least, 1, &src, &dst, &bytes, &bound));
    const double found = time_of_ways(net, least, 1, &src, &dst, &bytes, false);
    assert_true(bound <= 2 + 1e-9 && found >= 2 - 1e-9 && found <= 2.02);
    cw_least_busy_free(least);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

static uint32_t waiting(const void *salt, uint32_t channel)
{
    return (uint32_t)(cw_random_hash(*(const uint64_t *)salt, channel) & 7);
}

/* Packets are offered all channels that lead nearer, those with the fewest flits waiting first; of equal ones not
 * always the same. */
static void fewest_first(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:2,4:1,12");
    struct cw_packet_routing *routing = NULL;
    must(cw_packet_routing_new(net, "adaptive", 1, 1, &routing));
    const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
    const void *of = cw_packet_routing_state(routing);
    const uint32_t sw = net->head[net->first[0]];
    uint32_t changed = 0, before = CW_NONE;
    for (uint64_t salt = 0; salt < 100; salt++) {
        const uint64_t alike = salt / 10; /* ten draws for the same queues */
        const struct cw_queue_view view = {.simulator = &alike, .occupancy = waiting};
        struct cw_packet packet = cw_packet_of(0, 7);
        struct cw_hop all[CW_PACKET_CANDIDATES], some[3];
        const uint64_t random = cw_random_hash(salt, 3);
        packet = cw_packet_inject(ops, of, sw, &view, random, packet);
        assert_int_equal(ops->next(of, sw, CW_NONE, 0, &view, random, &packet, all, CW_PACKET_CANDIDATES), 12);
        assert_int_equal(ops->next(of, sw, CW_NONE, 0, &view, random, &packet, some, 3), 3);
        for (int i = 0; i < 12; i++) {
            assert_true(net->tail[all[i].channel] == sw && net->head[all[i].channel] >= net->n_endpoints + 4);
            if (i > 0) assert_true(waiting(&alike, all[i - 1].channel) <= waiting(&alike, all[i].channel));
            if (i < 3) assert_int_equal(some[i].channel, all[i].channel);
            for (int k = 0; k < i; k++) assert_true(all[k].channel != all[i].channel);
        }
        changed += salt % 10 > 0 && all[0].channel != before;
        before = all[0].channel;
    }
    assert_in_range(changed, 5, 80);
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_divisions), cmocka_unit_test(rounds),
                                       cmocka_unit_test(by_speed), cmocka_unit_test(fewest_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
