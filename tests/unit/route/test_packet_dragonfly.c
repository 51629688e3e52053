/* Oblivious packet routings of dragonflies: the shapes of their paths, where they go in between, and that minimal ones
 * are those of the engine. */
#include "net/network_internal.h"
#include "packet_test.h"

#include <math.h>

#include "route/engine.h"
#include "route/packets/ways.h"

static const struct queues no_queues = {.salt = 1};

static void assert_shape(const char *kinds, const char *most)
{
    const char *at = kinds;
    for (; *most; most++) { /* locals may be left out, globals not */
        if (*most == *at)
            at++;
        else
            assert_int_equal(*most, 'L');
    }
    if (*at) fail_msg("a path %s", kinds);
}

/* The lane of a global hop is the number of global hops before; so is that of a local one, except that valiant-any
 * counts the intermediate switch, too. */
static void assert_lanes(const struct cw_network *net, const struct trip *trip, const char *kinds, bool counts_via)
{
    uint32_t globals = 0, via = 0;
    for (uint32_t i = 0; i < trip->hops; i++) {
        assert_int_equal(trip->hop[i].lane, kinds[i] == 'G' ? globals : globals + via);
        globals += kinds[i] == 'G';
        via = via || (counts_via && net->head[trip->hop[i].channel] - net->n_endpoints == trip->injected.via);
    }
}

static uint32_t via_group(const struct cw_network *net, const char *name, const struct trip *trip)
{
    if (strcmp(name, "valiant-restricted") == 0) return trip->injected.via;
    return group_of(net, net->n_endpoints + trip->injected.via);
}

/* A packet between two groups passes through its intermediate group between its two global hops. */
static void check_via(const struct cw_network *net, const char *name, const struct trip *trip, uint32_t src,
                      uint32_t dst)
{
    const uint32_t group = via_group(net, name, trip), last = net->head[trip->hop[trip->hops].channel];
    uint32_t seen[3] = {0}, globals = 0;
    assert_true(group != group_of(net, src) && group != group_of(net, dst) && last == dst);
    bool at_via = strcmp(name, "valiant-restricted") == 0;
    for (uint32_t i = 0; i < trip->hops; i++) {
        const uint32_t from = net->tail[trip->hop[i].channel], to = net->head[trip->hop[i].channel];
        globals += group_of(net, from) != group_of(net, to);
        seen[globals] = group_of(net, to);
        at_via = at_via || to - net->n_endpoints == trip->injected.via;
    }
    assert_int_equal(globals, 2);
    assert_int_equal(seen[1], group);
    assert_int_equal(seen[2], group_of(net, dst));
    assert_true(at_via);
}

static void shapes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *most;
        bool via;
    } cases[] = {{"minimal", "LGL", false}, {"valiant-restricted", "LGLGL", true}, {"valiant-any", "LGLLGL", true}};
    static const char *const networks[] = {"dragonfly:2,3,2", "dragonfly:1,4,2,g=4", "dragonfly:1,2,1"};
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    const struct cw_queue_view view = view_of(&no_queues);
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct cw_network *net = network_of(networks[n]);
            struct cw_packet_routing *routing = packet_routing_of(net, cases[i].name);
            for (uint32_t k = 0, all = net->n_endpoints * net->n_endpoints; k < 3 * all; k++) {
                const uint32_t src = k % net->n_endpoints, dst = k % all / net->n_endpoints;
                char kinds[MOST_HOPS + 1];
                if (src == dst) continue;
                const struct trip trip = send_packet(routing, &view, &random, src, dst);
                const bool within = group_of(net, src) == group_of(net, dst);
                kinds_of(net, &trip, kinds);
                const bool there = switch_of(net, src) == switch_of(net, dst);
                /* The switch by which a packet leaves its group may be its destination's: then it is there. */
                const bool met = within && strcmp(cases[i].name, "valiant-restricted") == 0 && trip.hops == 1;
                const bool direct = there || met || (within && !cases[i].via);
                assert_shape(kinds, direct ? "L" : cases[i].most);
                if (direct) {
                    assert_int_equal(trip.hops, !there);
                    assert_true(met || !cases[i].via || trip.injected.via == CW_VIA_NONE);
                } else if (cases[i].via)
                    check_via(net, cases[i].name, &trip, src, dst);
                assert_lanes(net, &trip, kinds, strcmp(cases[i].name, "valiant-any") == 0);
            }
            cw_packet_routing_free(routing);
            cw_network_free(net);
        }
}

/* Every choice is a different one, they are all there are, and random draws choose evenly. */
static void intermediates_are_uniform(void **state)
{
    (void)state;
    static const char *const names[] = {"valiant-restricted", "valiant-any"};
    struct cw_network *net = network_of("dragonfly:2,4,2");
    const uint32_t g = net->shape.dragonfly.g, a = net->shape.dragonfly.a, src = 11, dst = 50;
    for (size_t i = 0; i < 2; i++) {
        struct cw_packet_routing *routing = packet_routing_of(net, names[i]);
        const struct cw_packet_routing_ops *ops = cw_packet_routing_operations(routing);
        const uint32_t n = ops->choices(cw_packet_routing_state(routing), switch_of(net, src), dst);
        uint32_t seen[64] = {0}, met = 0;
        assert_int_equal(n, (g - 2) * (i ? a : 1));
        assert_int_equal(ops->choices(cw_packet_routing_state(routing), switch_of(net, src), src - 1), 1);
        assert_int_equal(ops->choices(cw_packet_routing_state(routing), switch_of(net, src), src + 1),
                         (g - 1) * (i ? a : 1));
        for (uint32_t k = 0; k < n; k++)
            assert_int_equal(seen[inject(routing, NULL, cw_random_for_choice(k, n), src, dst).via]++, 0);
        for (uint32_t via = 0; via < g * (i ? a : 1); via++) {
            const uint32_t group = i ? via / a : via;
            assert_int_equal(seen[via], group != group_of(net, src) && group != group_of(net, dst));
        }
        struct cw_random random = cw_random_of(5, CW_STREAM_TEST, i);
        const uint32_t draws = 400 * n;
        for (uint32_t k = 0; k < draws; k++) seen[inject(routing, NULL, cw_random_u64(&random), src, dst).via]++;
        double chi_square = 0;
        for (uint32_t via = 0; via < 64; via++)
            if (seen[via] > 0) {
                const double difference = (double)seen[via] - 1 - 400;
                chi_square += difference * difference / 400;
                met++;
            }
        assert_int_equal(met, n);
        assert_true(chi_square < n - 1 + 4 * sqrt(2.0 * (n - 1)));
        cw_packet_routing_free(routing);
    }
    cw_network_free(net);
}

/* Packets take the routes of the closed form, and the same lanes, also where several cables join two groups. */
static void minimal_is_the_engine(void **state)
{
    (void)state;
    static const struct cw_dragonfly full = {.p = 2, .a = 4, .h = 2, .g = 9}, part = {.p = 3, .a = 4, .h = 3, .g = 4};
    struct cw_network *nets[] = {network_of("dragonfly:2,4,2"),
                                 network_of("dragonfly:1,1,3"),
                                 any_dragonfly(full, 4),
                                 network_of("dragonfly:2,4,2,g=5"),
                                 network_of("dragonfly:2,6,2,g=4"),
                                 network_of("dragonfly:3,4,2,g=2"),
                                 network_of("dragonfly:2,6,1,g=3"),
                                 any_dragonfly(part, 1)};
    struct cw_random random = cw_random_of(2, CW_STREAM_TEST, 0);
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        const struct cw_network *net = nets[i];
        struct cw_packet_routing *routing = packet_routing_of(net, "minimal");
        struct cw_routes *routes = NULL;
        must(cw_engine_route(net, "minimal", 0, 1, &routes));
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
                uint32_t hops, channels[8];
                uint8_t lanes[8];
                if (src == dst) continue;
                const struct trip trip = send_packet(routing, NULL, &random, src, dst);
                must(cw_routes_paths(routes, 1, &src, &dst, &hops, channels, lanes));
                assert_int_equal(trip.hops + 2, hops);
                for (uint32_t h = 0; h <= trip.hops; h++) assert_int_equal(trip.hop[h].channel, channels[h + 1]);
                for (uint32_t h = 0; h < trip.hops; h++) assert_int_equal(trip.hop[h].lane, lanes[h + 1]);
            }
        cw_routes_free(routes);
        cw_packet_routing_free(routing);
        cw_network_free(nets[i]);
    }
}

/* Where several cables join two groups: a switch takes its own, and all are used. */
static void parallel_cables(void **state)
{
    (void)state;
    static const struct cw_dragonfly shape = {.p = 1, .a = 4, .h = 3, .g = 4};
    struct cw_network *nets[] = {network_of("dragonfly:2,6,2,g=4"), any_dragonfly(shape, 1)};
    struct cw_random random = cw_random_of(2, CW_STREAM_TEST, 0);
    for (size_t i = 0; i < 2; i++) {
        const struct cw_network *net = nets[i];
        struct cw_packet_routing *routing = packet_routing_of(net, "minimal");
        uint32_t *load = zeros(net->n_channels, sizeof *load);
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
                if (group_of(net, src) == group_of(net, dst)) continue;
                const struct trip trip = send_packet(routing, NULL, &random, src, dst);
                const uint32_t first = switch_of(net, src);
                bool own = false;
                for (uint32_t c = net->first[first]; c < net->first[first + 1]; c++)
                    own =
                        own || (net->head[c] >= net->n_endpoints && group_of(net, net->head[c]) == group_of(net, dst));
                assert_int_equal(group_of(net, net->head[trip.hop[0].channel]) == group_of(net, dst), own);
                for (uint32_t h = 0; h < trip.hops; h++) load[trip.hop[h].channel]++;
            }
        for (uint32_t c = 0; c < net->n_channels; c++)
            if (net->tail[c] >= net->n_endpoints && group_of(net, net->tail[c]) != group_of(net, net->head[c]))
                assert_true(load[c] > 0);
        free(load);
        cw_packet_routing_free(routing);
        cw_network_free(nets[i]);
    }
}

/* --- draws that are counted --------------------------------------------------------------------------------------- */

static void keep_state(void *state)
{
    (void)state;
}

/* ROUTING, but each draw is followed by itself. */
static struct cw_packet_routing *one_by_one(const struct cw_packet_routing *routing, struct cw_packet_routing_ops *ops)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    struct cw_packet_routing *plain = NULL;
    uint8_t *lanes = zeros(net->n_channels, sizeof *lanes);
    for (uint32_t c = 0; c < net->n_channels; c++) lanes[c] = (uint8_t)cw_packet_routing_lanes(routing, c);
    *ops = *cw_packet_routing_operations(routing);
    assert_non_null(ops->draws);
    ops->draws = NULL;
    ops->free_state = keep_state;
    must(cw_packet_routing_make(net, "plain", ops, (void *)(uintptr_t)cw_packet_routing_state(routing), lanes, &plain));
    return plain;
}

static void compare_ways(const struct cw_packet_routing *routing, const struct cw_packet_routing *plain,
                         struct cw_ways *ways)
{
    const struct cw_network *net = cw_packet_routing_network(routing);
    double *share = zeros(net->n_channels, sizeof *share);
    for (uint32_t src = 0; src < net->n_endpoints; src += net->shape.dragonfly.p)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            must(cw_ways_find(plain, src, dst, ways));
            const size_t n = ways->n;
            for (size_t i = 0; i < n; i++) share[ways->channels[i]] = ways->shares[i];
            must(cw_ways_find(routing, src, dst, ways));
            assert_int_equal(ways->n, n);
            for (size_t i = 0; i < n; i++) {
                assert_memory_equal(&ways->shares[i], &share[ways->channels[i]], sizeof *share);
                share[ways->channels[i]] = 0;
            }
        }
    free(share);
}

static void draws_are_counted(void **state)
{
    (void)state;
    static const char *const specs[] = {"dragonfly:2,4,2", "dragonfly:1,3,1", "dragonfly:2,4,3,g=5",
                                        "dragonfly:1,4,2,g=3,arrangement=random"};
    static const char *const routings[] = {"valiant-restricted", "valiant-any", "ugal-mix:minimal=.3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        for (size_t j = 0; j < sizeof routings / sizeof *routings; j++) {
            struct cw_packet_routing_ops ops;
            struct cw_packet_routing *routing = packet_routing_of(net, routings[j]);
            struct cw_packet_routing *plain = one_by_one(routing, &ops);
            struct cw_ways ways;
            must(cw_ways_init(&ways, net));
            compare_ways(routing, plain, &ways);
            cw_ways_free(&ways);
            cw_packet_routing_free(plain);
            cw_packet_routing_free(routing);
        }
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(intermediates_are_uniform),
                                       cmocka_unit_test(minimal_is_the_engine), cmocka_unit_test(parallel_cables),
                                       cmocka_unit_test(draws_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
