/* Paths of legs in the simulated transport: exact times by hand. */
#include "transport_test.h"

#include "flow/legs/legs.h"

#define L 1e-7 /* s: a cable */

/* Endpoints 0 and 1 at switch 4, 2 and 3 at switch 5; 3 has a cable to 4, too, its second. */
static struct sketch *leaves(void)
{
    static const struct cw_legs legs; /* the transport asks only whether there are any */
    struct sketch *sketch = sketch_new(NULL);
    struct cw_builder *builder = cw_builder_new(4, 2, 6);
    for (uint32_t e = 0; e < 4; e++) cw_builder_cable(builder, e, 0, 4 + e / 2, 0, 1e9, L);
    cw_builder_cable(builder, 4, 0, 5, 0, 1e9, L);
    cw_builder_cable(builder, 3, 0, 4, 0, 1e9, L);
    must(cw_builder_finish(builder, &sketch->net));
    sketch->problem.legs = &legs;
    return sketch;
}

static void begin_legs(struct sketch *sketch)
{
    const struct cw_legs *legs = sketch->problem.legs;
    sketch_begin(sketch);
    sketch->problem.legs = legs;
}

/* Adds the path over the N vertices at VERTICES with all of DEMAND. */
static void add_path(struct sketch *sketch, uint32_t demand, const uint32_t *vertices, size_t n)
{
    uint32_t channels[16];
    for (size_t i = 0; i + 1 < n; i++) channels[i] = channel_between(sketch->net, vertices[i], vertices[i + 1]);
    must(cw_plan_add(&sketch->plan, demand, 1, channels, n - 1));
}

static void finish(struct sketch *sketch)
{
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
}

/* BYTES from VERTICES[0] to the last of N. */
static struct sketch *one_path(uint64_t bytes, const uint32_t *vertices, size_t n)
{
    struct sketch *sketch = leaves();
    sketch_demand(sketch, vertices[0], vertices[n - 1], bytes);
    begin_legs(sketch);
    add_path(sketch, 0, vertices, n);
    finish(sketch);
    return sketch;
}

/* Every cost there is: O for a chunk, C for a copy, H until a relay knows. */
#define O (0.25 * T)
#define C (0.5 * T)
#define H (3 * T)

static struct cw_transport costly(void)
{
    struct cw_transport transport = plain();
    transport.chunk_overhead = O;
    transport.copy = 2e9;
    transport.hop_latency = H;
    transport.credits = 100;
    return transport;
}

/* Switches forward for nothing, between nodes and within one; the network's own routes take as long. */
static void switches_cut_through(void **state)
{
    (void)state;
    for (uint32_t chunks = 1; chunks <= 5; chunks++) {
        struct sketch *far = one_path(1000 * chunks, NODES(0, 4, 5, 2));
        struct sketch *near = one_path(1000 * chunks, NODES(0, 4, 1));
        const struct cw_transport transport = costly();
        assert_near(run(far, &transport).seconds, chunks * (O + T) + 3 * L);
        assert_near(run(near, &transport).seconds, chunks * (O + T) + 2 * L);
        assert_int_equal(run(far, &transport).buffers_max, 0);
        far->plan.network_routes = true;
        assert_near(run(far, &transport).seconds, chunks * (O + T) + 3 * L);
        sketch_free(far);
        sketch_free(near);
    }
}

static void one_relay(void **state)
{
    (void)state;
    for (uint32_t chunks = 1; chunks <= 5; chunks++) {
        struct sketch *sketch = one_path(1000 * chunks, NODES(0, 4, 1, 4, 5, 2));
        struct cw_transport transport = costly();
        const double there = O + T + 2 * L + H, on = O + C + T;
        assert_near(run(sketch, &transport).seconds, there + chunks * on + 3 * L);
        transport.credits = 1; /* the buffer is busy from the source's beginning to the relay's end */
        assert_near(run(sketch, &transport).seconds, chunks * (there + on) + 3 * L);
        assert_int_equal(run(sketch, &transport).buffers_max, 1);
        transport.credits = 100;
        transport.cut_through = true; /* a chunk is sent on when its head is known of */
        assert_near(run(sketch, &transport).seconds, 2 * L + H + chunks * (O + T) + O + 3 * L);
        sketch_free(sketch);
    }
}

static void two_relays(void **state)
{
    (void)state;
    for (uint32_t chunks = 1; chunks <= 5; chunks++) {
        struct sketch *sketch = one_path(1000 * chunks, NODES(0, 4, 1, 4, 5, 2, 5, 3));
        const struct cw_transport transport = costly();
        const double first = O + T + 2 * L + H, second = O + C + T + 3 * L + H;
        assert_near(run(sketch, &transport).seconds, first + second + chunks * (O + C + T) + 2 * L);
        sketch_free(sketch);
    }
}

/* Buffers are the relay's, not the switches': behind a relay that sends as fast as it receives chunks wait for a slow
 * channel without holding any but those on the way to it, on the way from it, and in it. */
static void credits_are_the_relays(void **state)
{
    (void)state;
    struct sketch *sketch = one_path(50000, NODES(0, 4, 1, 4, 5, 2));
    struct cw_transport transport = plain();
    sketch->problem.capacity[channel_between(sketch->net, 5, 2)] = 0.25e9; /* the leg's last channel, not its first */
    transport.credits = 10;
    const struct cw_transport_result result = run(sketch, &transport);
    assert_int_equal(result.buffers_max, 3);
    assert_near(result.seconds, T + 2 * L + 50 * 4 * T + 3 * L);
    sketch_free(sketch);
}

/* --- limits of a vertex ------------------------------------------------------------------------------------------- */

/* Four chunks each from 0 and 2 to 3, by a cable of their own. */
static struct sketch *two_cables(void)
{
    struct sketch *sketch = leaves();
    sketch_demand(sketch, 0, 3, 4000);
    sketch_demand(sketch, 2, 3, 4000);
    begin_legs(sketch);
    add_path(sketch, 0, NODES(0, 4, 3));
    add_path(sketch, 1, NODES(2, 5, 3));
    finish(sketch);
    return sketch;
}

static void reception_limits_a_vertex(void **state)
{
    (void)state;
    struct sketch *sketch = two_cables();
    struct cw_transport transport = plain();
    assert_near(run(sketch, &transport).seconds, 4 * T + 2 * L);
    transport.reception = 4e9; /* the other cable begins a quarter of a chunk late */
    assert_near(run(sketch, &transport).seconds, 4 * T + T / 4 + 2 * L);
    transport.reception = 1e9; /* both cables together are as fast as one */
    assert_near(run(sketch, &transport).seconds, 8 * T + 2 * L);
    transport.reception = 0.5e9;
    assert_near(run(sketch, &transport).seconds, 16 * T + 2 * L);
    sketch_free(sketch);
}

/* A relay receives and sends, each at its own limit. */
static void limits_are_the_relays(void **state)
{
    (void)state;
    struct sketch *sketch = one_path(4000, NODES(0, 4, 1, 4, 5, 2));
    struct cw_transport transport = plain();
    transport.reception = 0.5e9; /* at the relay, and at the destination */
    assert_near(run(sketch, &transport).seconds, 4 * 2 * T + 2 * L + 2 * T + 3 * L);
    transport.reception = 0;
    transport.injection = 0.5e9;
    assert_near(run(sketch, &transport).seconds, 4 * 2 * T + 2 * L + 2 * T + 3 * L);
    sketch_free(sketch);
}

/* --- the inside of hosts ------------------------------------------------------------------------------------------ */

/* Two nodes 4 and 5 with GPUs 0, 1 and 2, 3, whose NVLink is twice as fast as rails 6 and 7. */
static struct sketch *gpus(uint64_t bytes, const uint32_t *vertices, size_t n)
{
    static const struct cw_legs legs;
    struct sketch *sketch = sketch_new("rail:2,2,2,nvlink=2GB/s@1GB/s");
    sketch->problem.legs = &legs;
    sketch_demand(sketch, vertices[0], vertices[n - 1], bytes);
    begin_legs(sketch);
    add_path(sketch, 0, vertices, n);
    finish(sketch);
    return sketch;
}

/* Each leg has the latency of its kind, the last one too, and each channel the rate of its own. */
static void legs_are_of_two_kinds(void **state)
{
    (void)state;
    struct cw_transport transport = plain();
    transport.inside_latency = 3 * T;
    transport.nic_latency = 14 * T;
    transport.efficiency = 0.5;
    transport.inside_efficiency = 0.25; /* 2 T for a chunk by a NIC, and by NVLink */
    for (uint32_t chunks = 1; chunks <= 3; chunks++) {
        const uint64_t bytes = 1000 * chunks;
        struct sketch *inside = gpus(bytes, NODES(0, 4, 1)), *out = gpus(bytes, NODES(0, 4, 6, 5, 2));
        struct sketch *relayed = gpus(bytes, NODES(0, 4, 1, 4, 7, 5, 3));
        const double cable = cw_network_latency(inside->net, 0), sending = 2 * T * chunks;
        for (int direct = 0; direct < 2; direct++) {
            inside->plan.network_routes = out->plan.network_routes = direct == 1;
            assert_near(run(inside, &transport).seconds, sending + 2 * cable + 3 * T);
            assert_near(run(out, &transport).seconds, sending + 4 * cable + 14 * T);
        }
        assert_near(run(relayed, &transport).seconds, 2 * T + sending + 6 * cable + 17 * T);
        transport.hop_latency = T; /* of the relay alone */
        assert_near(run(relayed, &transport).seconds, 2 * T + sending + 6 * cable + 18 * T);
        transport.hop_latency = 0;
        transport.together = 2; /* a group has the latencies of all */
        if (chunks == 2) assert_near(run(relayed, &transport).seconds, 2 * sending + 6 * cable + 34 * T);
        transport.together = 0;
        transport.inside_efficiency = 0; /* as elsewhere: T for a chunk */
        assert_near(run(inside, &transport).seconds, T * chunks + 2 * cable + 3 * T);
        transport.inside_efficiency = 0.25;
        sketch_free(inside);
        sketch_free(out);
        sketch_free(relayed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_cut_through),
        cmocka_unit_test(one_relay),
        cmocka_unit_test(two_relays),
        cmocka_unit_test(credits_are_the_relays),
        cmocka_unit_test(reception_limits_a_vertex),
        cmocka_unit_test(limits_are_the_relays),
        cmocka_unit_test(legs_are_of_two_kinds),
    };
    return cmocka_run_group_tests_name("transport_legs", tests, NULL, NULL);
}
