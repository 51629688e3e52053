/* Messages that nobody plans, on tori that route them adaptively. */
#include "net/network_internal.h"
#include "transport_test.h"

#include "base/random.h"
#include "flow/method.h"
#include "route/engine.h"

#define BYTES 64000 /* a message: 64 T on a channel of 1 GB/s */

/* The default routes of DEMANDS (src, dst in turn, ended by an equal pair) on a network. */
struct moved {
    struct cw_network *net;
    struct cw_demands demands;
    struct cw_flow_problem problem;
    struct cw_plan plan;
};

static struct moved *moved_of(const char *spec, const uint32_t *pairs, uint64_t bytes)
{
    struct moved *moved = zeros(1, sizeof *moved);
    moved->net = network_of(spec);
    struct cw_routes *routes = NULL;
    while (pairs[2 * moved->demands.n] != pairs[2 * moved->demands.n + 1]) moved->demands.n++;
    moved->demands.items = zeros(moved->demands.n, sizeof *moved->demands.items);
    for (size_t i = 0; i < moved->demands.n; i++)
        moved->demands.items[i] = (struct cw_demand){pairs[2 * i], pairs[2 * i + 1], bytes};
    must(cw_engine_route(moved->net, "dor", 1, 1, &routes));
    must(cw_flow_problem_make(moved->net, &moved->demands, -1, NULL, 0, &moved->problem));
    const struct cw_method_setup setup = {.routes = routes, .n_threads = 1, .seed = 1};
    must(cw_method_solve(cw_method_find("default"), &moved->problem, &setup, &moved->plan));
    cw_routes_free(routes);
    return moved;
}

static void moved_free(struct moved *moved)
{
    cw_plan_free(&moved->plan);
    cw_flow_problem_free(&moved->problem);
    cw_demands_free(&moved->demands);
    cw_network_free(moved->net);
    free(moved);
}

static struct cw_transport adaptive(void)
{
    struct cw_transport transport = plain();
    transport.messages.whole = transport.messages.adaptive = true;
    return transport;
}

/* Seconds, without the latencies of HOPS cables. CHOSEN: packets must choose their ways, else they must not. */
static double seconds_of(const struct moved *moved, const struct cw_transport *transport, uint32_t hops, bool chosen)
{
    struct cw_transport_result result;
    must(cw_transport_run(&moved->problem, &moved->plan, transport, &result));
    assert_true(result.adaptive == chosen);
    return result.seconds - hops * 100e-9;
}

static double seconds_on(const char *spec, const uint32_t *pairs, const struct cw_transport *transport, uint32_t hops)
{
    struct moved *moved = moved_of(spec, pairs, BYTES);
    const double seconds = seconds_of(moved, transport, hops, transport->messages.adaptive);
    moved_free(moved);
    return seconds;
}

#define PAIRS(...) ((const uint32_t[]){__VA_ARGS__, 0, 0})

/* One message has a channel in each dimension that it has to go, of those of one size. */
static void packets_spread_over_dimensions(void **state)
{
    (void)state;
    struct cw_transport transport = adaptive();
    assert_near(seconds_on("torus:5x5x5@1GB/s", PAIRS(0, 1), &transport, 1), 64 * T);
    assert_near(seconds_on("torus:5x5x5@1GB/s", PAIRS(0, 2), &transport, 2), 64 * T);
    assert_near(seconds_on("torus:5x5x5@1GB/s", PAIRS(0, 6), &transport, 2), 32 * T);
    assert_in_range((long)(seconds_on("torus:5x5x5@1GB/s", PAIRS(0, 31), &transport, 3) / T), 21, 24);
    assert_near(seconds_on("torus:3x5@1GB/s", PAIRS(0, 4), &transport, 2), 64 * T); /* the longer one first */
    transport.messages.adaptive = false;
    assert_near(seconds_on("torus:5x5x5@1GB/s", PAIRS(0, 6), &transport, 2), 64 * T);
}

/* What a node sends and receives is limited, however many channels it has. */
static void nodes_have_limits(void **state)
{
    (void)state;
    struct cw_transport transport = adaptive();
    transport.messages.rate = 1.6e9;
    assert_near(seconds_on("torus:5x5@1GB/s", PAIRS(0, 6), &transport, 2), 40 * T);
    transport.messages.rate = 1e3; /* so slow that nothing happens in most steps */
    assert_in_range((long)seconds_on("torus:5x5@1GB/s", PAIRS(0, 6), &transport, 2), 62, 64);
    transport = adaptive();
    transport.injection = 1.6e9;
    assert_near(seconds_on("torus:5x5@1GB/s", PAIRS(0, 6), &transport, 2), 40 * T);
    transport = adaptive();
    transport.reception = 0.5e9;
    const double slow = seconds_on("torus:5x5@1GB/s", PAIRS(0, 1, 2, 1), &transport, 1);
    assert_true(slow >= 254 * T && slow <= 256 * T);
    transport = adaptive();
    transport.efficiency = 0.5;
    transport.chunk_overhead = 3 * T;
    assert_near(seconds_on("torus:5x5@1GB/s", PAIRS(0, 1), &transport, 1), 131 * T);
}

/* Or its endpoint's channels are cables. They are alike at all nodes: those of the first one tell. */
static void endpoints_have_cables(void **state)
{
    (void)state;
    static const struct {
        double out, in;
        long steps; /* in which a node sends a message of 64 packets to two dimensions, … */
        long two;   /* … and in which one receives two such from neighbours; 0: in no even number */
    } cases[] = {{INFINITY, INFINITY, 32, 64}, {1, 4, 64, 64}, {4, 1, 64, 128},  {0.5, 4, 128, 128},
                 {4, 0.5, 128, 256},           {2, 2, 32, 64}, {1.6, 4, 40, 64}, {4, 1.6, 40, 0}};
    const struct cw_transport transport = adaptive();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int two = 0; two < 2 && (!two || cases[i].two > 0); two++) {
            struct moved *moved = two ? moved_of("torus:5x5@1GB/s", PAIRS(0, 1, 2, 1), BYTES)
                                      : moved_of("torus:5x5@1GB/s", PAIRS(0, 6), BYTES);
            moved->problem.capacity[moved->net->first[0]] = cases[i].out * 1e9;
            moved->problem.capacity[moved->net->first[25]] = cases[i].in * 1e9;
            const double expected = (double)(two ? cases[i].two : cases[i].steps);
            const double steps = seconds_of(moved, &transport, two ? 1 : 2, true) / T;
            if (!(fabs(steps - expected) <= 2))
                fail_msg("case %zu, %d: %g steps, expected %g", i, two, steps, expected);
            moved_free(moved);
        }
    }
}

/* Two messages that need one channel have half of it each; a node's own follow one another. */
static void messages_share(void **state)
{
    (void)state;
    const struct cw_transport transport = adaptive();
    const double shared = seconds_on("torus:9@1GB/s", PAIRS(0, 3, 1, 3), &transport, 1);
    assert_true(shared > 127 * T && shared < 129.5 * T);
    assert_near(seconds_on("torus:9@1GB/s", PAIRS(0, 1, 0, 2), &transport, 2), 128 * T);
    struct moved *two = moved_of("torus:9@1GB/s", PAIRS(3, 2, 3, 4), BYTES);
    struct cw_transport_result result;
    must(cw_transport_run(&two->problem, &two->plan, &transport, &result));
    assert_int_equal(result.chunks, 2);
    assert_near(result.first_done, 64 * T + 100e-9); /* to node 4, the next one */
    moved_free(two);
}

/* Everything arrives though queues are full and rings are closed, as fast as the hottest node allows at most, and twice
 * alike. */
static void crowds_arrive(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:8@1GB/s", "torus:4x4@1GB/s", "torus:2x4x3@1GB/s", "torus:4x6@1GB/s"};
    for (uint64_t trial = 0; trial < 40; trial++) {
        struct cw_random random = cw_random_of(4, CW_STREAM_TEST, trial);
        uint32_t pairs[2 * 200 + 2] = {0}, n = 20 + cw_random_below(&random, 180);
        const uint32_t nodes = trial % 4 == 0 ? 8 : trial % 4 == 1 ? 16 : 24;
        for (uint32_t i = 0; i < n; i++) {
            pairs[2 * i] = cw_random_below(&random, nodes);
            pairs[2 * i + 1] = (pairs[2 * i] + 1 + cw_random_below(&random, nodes - 1)) % nodes;
        }
        struct moved *moved = moved_of(specs[trial % 4], pairs, 1 + cw_random_below(&random, BYTES));
        struct cw_transport transport = adaptive();
        transport.messages.rate = 1e9;
        double most = 0, sent[24] = {0};
        for (size_t i = 0; i < moved->demands.n; i++) {
            const struct cw_demand *demand = &moved->demands.items[i];
            sent[demand->src] += (double)demand->bytes;
            if (sent[demand->src] > most) most = sent[demand->src];
        }
        const double seconds = seconds_of(moved, &transport, 0, true);
        assert_true(seconds * (1 + 1e-9) >= most / 1e9);
        assert_true(seconds == seconds_of(moved, &transport, 0, true));
        moved_free(moved);
    }
}

/* Where a channel has failed, or paths are a plan's, each message keeps to its route. */
static void others_keep_to_their_routes(void **state)
{
    (void)state;
    const struct cw_transport transport = adaptive();
    struct moved *moved = moved_of("torus:5x5@1GB/s", PAIRS(0, 6), BYTES);
    moved->problem.capacity[moved->net->n_channels - 1] = 0;
    assert_near(seconds_of(moved, &transport, 2, false), 64 * T);
    moved->problem.capacity[moved->net->n_channels - 1] = 1e9;
    assert_near(seconds_of(moved, &transport, 2, true), 32 * T);
    moved->plan.network_routes = false;
    assert_near(seconds_of(moved, &transport, 0, false), 65 * T);
    moved_free(moved);
    struct moved *mesh = moved_of("mesh:5x5@1GB/s", PAIRS(0, 6), BYTES);
    assert_near(seconds_of(mesh, &transport, 2, false), 64 * T);
    moved_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_spread_over_dimensions),
        cmocka_unit_test(nodes_have_limits),
        cmocka_unit_test(endpoints_have_cables),
        cmocka_unit_test(messages_share),
        cmocka_unit_test(crowds_arrive),
        cmocka_unit_test(others_keep_to_their_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
