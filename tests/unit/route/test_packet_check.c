/* The proof that packets cannot deadlock finds what is wrong with routings that can. */
#include "net/network_internal.h"
#include "packet_test.h"

#include "base/memory.h"

/* A routing that goes as another one does, but on other lanes. */
struct relaned {
    struct cw_packet_routing *inner;
    uint8_t (*lane)(uint8_t lane);
};

static uint32_t relaned_inject(const void *state, uint32_t sw, const struct cw_queue_view *view, uint64_t random,
                               struct cw_packet packet)
{
    const struct relaned *relaned = state;
    return cw_packet_inject(cw_packet_routing_operations(relaned->inner), cw_packet_routing_state(relaned->inner), sw,
                            view, random, packet)
        .via;
}

static int relaned_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                        uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    const struct relaned *relaned = state;
    const int n = cw_packet_routing_operations(relaned->inner)
                      ->next(cw_packet_routing_state(relaned->inner), sw, in, lane, view, random, packet, out, max);
    for (int i = 0; i < n; i++) out[i].lane = relaned->lane(out[i].lane);
    return n;
}

struct edges {
    const struct relaned *relaned;
    int (*edge)(void *context, struct cw_hop from, struct cw_hop to);
    void *context;
};

static int relaned_edge(void *context, struct cw_hop from, struct cw_hop to)
{
    const struct edges *edges = context;
    from.lane = edges->relaned->lane(from.lane);
    to.lane = edges->relaned->lane(to.lane);
    return edges->edge(edges->context, from, to);
}

static int relaned_dependencies(const void *state, int (*edge)(void *context, struct cw_hop from, struct cw_hop to),
                                void *context)
{
    const struct relaned *relaned = state;
    struct edges edges = {relaned, edge, context};
    return cw_packet_routing_operations(relaned->inner)
        ->dependencies(cw_packet_routing_state(relaned->inner), relaned_edge, &edges);
}

static void relaned_free(void *state)
{
    struct relaned *relaned = state;
    cw_packet_routing_free(relaned->inner);
    free(relaned);
}

static const struct cw_packet_routing_ops relaned_ops = {
    .inject = relaned_inject, .next = relaned_next, .dependencies = relaned_dependencies, .free_state = relaned_free};
static const struct cw_packet_routing_ops derived_ops = {
    .inject = relaned_inject, .next = relaned_next, .free_state = relaned_free};

/* ROUTING as SPEC but with LANE as its lanes, of which it says to have N on all channels. */
static struct cw_packet_routing *relane(const struct cw_network *net, const char *spec, uint8_t (*lane)(uint8_t),
                                        uint8_t n, const struct cw_packet_routing_ops *ops)
{
    struct relaned *relaned = zeros(1, sizeof *relaned);
    struct cw_packet_routing *routing = NULL;
    uint8_t *lanes = zeros(net->n_channels, sizeof *lanes);
    *relaned = (struct relaned){packet_routing_of(net, spec), lane};
    memset(lanes, n, net->n_channels);
    must(cw_packet_routing_make(net, "broken", ops, relaned, lanes, &routing));
    return routing;
}

static uint8_t same(uint8_t lane)
{
    return lane;
}
static uint8_t one(uint8_t lane)
{
    (void)lane;
    return 0;
}
static uint8_t two(uint8_t lane)
{
    return lane < 1 ? lane : 1;
}
static uint8_t three(uint8_t lane)
{
    return lane < 2 ? lane : 2;
}

/* The message tells a cycle: each channel begins where the one before ends, and the last is the first. */
static void assert_cycle(const struct cw_packet_routing *routing)
{
    assert_int_equal(cw_packet_routing_check(routing), CW_EROUTE);
    const char *message = cw_error_message(), *at = strstr(message, "can deadlock: ");
    assert_non_null(at);
    at += strlen("can deadlock: ");
    const char *end = strstr(at, " waits for ");
    assert_non_null(end);
    const size_t first = (size_t)(end - at), length = strlen(at);
    assert_memory_equal(at, at + length - first, first);
    for (const char *hop = at; (hop = strstr(hop, " waits for ")) != NULL;) {
        const char *head = hop; /* "TAIL/PORT>HEAD/PORT lane L waits for TAIL/…" */
        while (head[-1] != '>') head--;
        hop += strlen(" waits for ");
        const size_t name = strcspn(head, "/");
        assert_memory_equal(head, hop, name + 1);
    }
}

static void rings(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:4x4");
    struct cw_packet_routing *routing = packet_routing_of(net, "dor:lanes=1");
    assert_cycle(routing);
    cw_packet_routing_free(routing);
    routing = packet_routing_of(net, "dor:lanes=2");
    must(cw_packet_routing_check(routing));
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

/* A long cycle is told in a few words. */
static void long_cycles(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:200");
    struct cw_packet_routing *routing = packet_routing_of(net, "dor:lanes=1");
    assert_int_equal(cw_packet_routing_check(routing), CW_EROUTE);
    const char *message = cw_error_message();
    unsigned told = 0;
    for (const char *at = message; (at = strstr(at, ">s(")) != NULL; at++) told++;
    assert_int_equal(told, 12);
    assert_non_null(strstr(message, " 189 more "));
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

static void too_few_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint8_t (*lane)(uint8_t);
        bool sound;
    } cases[] = {{"minimal", same, true},
                 {"minimal", one, false},
                 {"valiant-restricted", same, true},
                 {"valiant-restricted", two, false},
                 {"valiant-any", same, true},
                 {"valiant-any", three, false},
                 {"ugal-g", three, false},
                 {"par", same, true},
                 {"par", three, false},
                 {"valiant-any", one, false}};
    struct cw_network *net = network_of("dragonfly:2,4,2");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_packet_routing *routing = relane(net, cases[i].spec, cases[i].lane, 8, &relaned_ops);
        if (cases[i].sound)
            must(cw_packet_routing_check(routing));
        else
            assert_cycle(routing);
        cw_packet_routing_free(routing);
    }
    cw_network_free(net);
}

/* The same verdicts where the dependencies are derived from packets that are sent. */
static void derived(void **state)
{
    (void)state;
    struct cw_network *torus = network_of("torus:4x4"), *dragonfly = network_of("dragonfly:2,4,2");
    struct cw_packet_routing *routing = relane(dragonfly, "minimal", same, 2, &derived_ops);
    must(cw_packet_routing_check(routing));
    cw_packet_routing_free(routing);
    routing = relane(dragonfly, "minimal", one, 1, &derived_ops);
    assert_cycle(routing);
    cw_packet_routing_free(routing);
    routing = relane(torus, "dor", same, 2, &derived_ops);
    must(cw_packet_routing_check(routing));
    cw_packet_routing_free(routing);
    routing = relane(torus, "dor", one, 1, &derived_ops);
    assert_cycle(routing);
    cw_packet_routing_free(routing);
    cw_network_free(torus);
    cw_network_free(dragonfly);
}

static void lanes_that_do_not_exist(void **state)
{
    (void)state;
    struct cw_network *net = network_of("dragonfly:2,4,2");
    const struct cw_packet_routing_ops *const ops[] = {&relaned_ops, &derived_ops};
    for (int i = 0; i < 2; i++) {
        struct cw_packet_routing *routing = relane(net, "minimal", same, 1, ops[i]);
        assert_int_equal(cw_packet_routing_check(routing), CW_EINTERNAL);
        assert_non_null(strstr(cw_error_message(), "broken uses lane 1 of"));
        cw_packet_routing_free(routing);
    }
    cw_network_free(net);
}

static int round_and_round(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                           uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)in, (void)lane, (void)view, (void)random, (void)packet, (void)max;
    const struct relaned *relaned = state;
    *out = (struct cw_hop){cw_packet_routing_network(relaned->inner)->first[sw] + 1, 0};
    return 1;
}

/* Packets that never arrive, by a routing of its own and by tables. */
static void loops(void **state)
{
    (void)state;
    static const struct cw_packet_routing_ops ops = {
        .inject = relaned_inject, .next = round_and_round, .free_state = relaned_free};
    struct cw_network *net = network_of("torus:5");
    struct cw_packet_routing *routing = relane(net, "dor", same, 1, &ops);
    assert_int_equal(cw_packet_routing_check(routing), CW_EROUTE);
    assert_non_null(strstr(cw_error_message(), "broken never brings a packet from"));
    cw_packet_routing_free(routing);

    struct cw_lft *tables = NULL;
    struct cw_routes *routes = NULL;
    must(cw_lft_new(net, &tables));
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) cw_lft_set(tables, v, dst, 1);
    must(cw_lft_finish(tables, "round", &routes));
    must(cw_packet_routing_of_routes(routes, &routing));
    assert_int_equal(cw_packet_routing_check(routing), CW_EROUTE);
    assert_non_null(strstr(cw_error_message(), "is a loop through"));
    cw_packet_routing_free(routing);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rings),
                                       cmocka_unit_test(long_cycles),
                                       cmocka_unit_test(too_few_lanes),
                                       cmocka_unit_test(derived),
                                       cmocka_unit_test(lanes_that_do_not_exist),
                                       cmocka_unit_test(loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
