/* The simulated transport: exact times by hand, credits, order, injection, and what it refuses. */
#include "net/network_internal.h"
#include "transport_test.h"

static void one_chunk(void **state)
{
    (void)state;
    struct sketch *sketch = row(1, 700);
    struct cw_transport transport = plain();
    assert_near(run(sketch, &transport).seconds, 0.7e-6);
    transport.efficiency = 0.5;
    transport.chunk_overhead = 0.3e-6;
    transport.hop_latency = 0.02e-6;
    const struct cw_transport_result result = run(sketch, &transport);
    assert_near(result.seconds, 0.3e-6 + 1.4e-6 + 0.02e-6);
    assert_near(result.bytes_per_second, 700 / result.seconds);
    assert_int_equal(result.chunks, 1);
    assert_int_equal(result.buffers_max, 0);
    sketch_free(sketch);
}

static void last_chunk_is_shorter(void **state)
{
    (void)state;
    struct sketch *sketch = row(1, 2500);
    struct cw_transport transport = plain();
    transport.chunk_overhead = 0.1e-6;
    const struct cw_transport_result result = run(sketch, &transport);
    assert_near(result.seconds, 2.5e-6 + 3 * 0.1e-6);
    assert_int_equal(result.chunks, 3);
    sketch_free(sketch);
}

/* Chunks are there after (chunks + hops - 1) steps where one is received while another one is sent, and after
 * 2 (chunks - 1) + hops where a relay has one buffer for both. */
static void store_and_forward_is_a_pipeline(void **state)
{
    (void)state;
    for (uint32_t hops = 1; hops <= 5; hops++) {
        for (uint32_t chunks = 1; chunks <= 6; chunks++) {
            struct sketch *sketch = row(hops, 1000 * chunks);
            struct cw_transport transport = plain();
            transport.chunk_overhead = 0.25e-6;
            assert_near(run(sketch, &transport).seconds, (chunks + hops - 1) * 1.25e-6);
            transport.credits = 2;
            transport.chunk_overhead = 0;
            assert_near(run(sketch, &transport).seconds, (chunks + hops - 1) * T);
            transport.credits = 1;
            assert_near(run(sketch, &transport).seconds, (hops == 1 ? chunks : 2 * (chunks - 1) + hops) * T);
            sketch_free(sketch);
        }
    }
}

/* A chunk in pieces is stored and sent on as a whole: along one path nothing changes. */
static void pieces_are_stored_as_chunks(void **state)
{
    (void)state;
    for (uint32_t hops = 1; hops <= 4; hops++)
        for (uint64_t bytes = 500; bytes <= 6000; bytes += 500)
            for (int64_t credits = 1; credits <= 3; credits++) {
                struct sketch *sketch = row(hops, bytes);
                struct cw_transport transport = plain();
                transport.credits = credits;
                const double whole = run(sketch, &transport).seconds;
                transport.pieces = 4;
                assert_near(run(sketch, &transport).seconds, whole);
                sketch_free(sketch);
            }
}

/* What arrives by when: of one hop a chunk every T, however narrow the intervals were at first. */
static void arrivals_add_up(void **state)
{
    (void)state;
    for (uint32_t chunks = 1; chunks <= 700; chunks = chunks * 3 + 1) {
        struct sketch *sketch = row(1, 1000 * chunks - 400);
        struct cw_arrivals arrivals = {0};
        struct cw_transport transport = plain();
        transport.arrivals = &arrivals;
        const double seconds = run(sketch, &transport).seconds;
        double sum = 0;
        size_t last = 0;
        for (size_t i = 0; i < CW_ARRIVALS; i++) {
            sum += arrivals.bytes[i];
            if (arrivals.bytes[i] > 0) last = i;
            /* chunks that end with an interval are in it, or by rounding in the next */
            const double even = fmin((double)(i + 1) * arrivals.width / T * 1000, 1000.0 * chunks - 400);
            assert_true(sum <= even + 1 && sum >= even - 1001);
        }
        assert_near(sum, 1000.0 * chunks - 400);
        assert_true(last >= CW_ARRIVALS / 2 - 1);
        assert_true((double)last * arrivals.width < seconds &&
                    seconds <= (double)(last + 1) * arrivals.width * (1 + 1e-9));
        sketch_free(sketch);
    }
    struct cw_arrivals at_once = {0};
    cw_arrivals_add(&at_once, 0, 5);
    assert_true(at_once.bytes[0] == 5);
}

/* Where chunks of two senders meet in the network their pieces take turns, so that both come late; one sender's chunks
 * do not mix. */
static void pieces_take_turns(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:3x3@1GB/s,0ns");
    sketch_demand(sketch, 0, 7, 1000);
    sketch_demand(sketch, 2, 7, 1000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1, 4, 7));
    sketch_path(sketch, 1, 1, NODES(2, 1, 4, 7));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    sketch->plan.network_routes = true;
    struct cw_transport transport = plain();
    struct cw_transport_result result = run(sketch, &transport);
    assert_near(result.first_done, T);
    assert_near(result.seconds, 2 * T);
    transport.pieces = 4;
    result = run(sketch, &transport);
    assert_near(result.first_done, 1.75 * T);
    assert_near(result.seconds, 2 * T);
    sketch_free(sketch);
    sketch = sketch_new("mesh:3@1GB/s,0ns");
    sketch_demand(sketch, 0, 1, 1000);
    sketch_demand(sketch, 0, 2, 1000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1));
    sketch_path(sketch, 1, 1, NODES(0, 1, 2));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    assert_near(run(sketch, &transport).first_done, T);
    sketch_free(sketch);
}

/* Relays, not the source, copy a chunk in C before they send it in T. A buffer is taken when the sender begins with a
 * chunk, its own copy included, and free once the relay has sent the chunk on. */
static void relays_copy(void **state)
{
    (void)state;
    const double c = 0.25 * T;
    for (uint32_t hops = 1; hops <= 5; hops++) {
        for (uint32_t chunks = 1; chunks <= 6; chunks++) {
            struct sketch *sketch = row(hops, 1000 * chunks);
            struct cw_transport transport = plain();
            transport.copy = 4e9;
            const double first = T + (hops - 1) * (c + T), again = hops == 1 ? T : c + T;
            assert_near(run(sketch, &transport).seconds, first + (chunks - 1) * again);
            transport.credits = 1;
            const double alone = hops == 1 ? T : hops == 2 ? T + c + T : 2 * (c + T);
            assert_near(run(sketch, &transport).seconds, first + (chunks - 1) * alone);
            transport.cut_through = true; /* copies nothing */
            transport.credits = 2;
            assert_near(run(sketch, &transport).seconds, chunks * T);
            sketch_free(sketch);
        }
    }
}

/* A second credit doubles the rate of a long stream; more change nothing where all channels are equal, even as many as
 * fit into 32 bits. */
static void second_credit_doubles_the_rate(void **state)
{
    (void)state;
    struct sketch *sketch = row(3, 1000 * 1000);
    struct cw_transport transport = plain();
    double seconds[5];
    for (uint32_t credits = 1; credits <= 4; credits++) {
        transport.credits = credits;
        seconds[credits] = run(sketch, &transport).seconds;
    }
    assert_true(fabs(seconds[1] / seconds[2] - 2) < 0.01);
    assert_near(seconds[2], seconds[3]);
    assert_near(seconds[2], seconds[4]);
    transport.credits = UINT32_MAX;
    assert_near(seconds[2], run(sketch, &transport).seconds);
    sketch_free(sketch);
}

static void latency_counts_once_a_hop(void **state)
{
    (void)state;
    struct sketch *sketch = row(4, 5000);
    struct cw_transport transport = plain();
    transport.hop_latency = 0.5e-6;
    assert_near(run(sketch, &transport).seconds, (5 + 4 - 1) * T + 4 * 0.5e-6);
    sketch_free(sketch);
}

/* Four chunks that are simulated as one cost what four do, each time. */
static void groups_have_the_costs_of_all(void **state)
{
    (void)state;
    struct sketch *sketch = row(3, 8000);
    struct cw_transport transport = plain();
    transport.together = 4;
    transport.chunk_overhead = 0.25e-6;
    transport.hop_latency = 0.5e-6;
    assert_near(run(sketch, &transport).seconds, (2 + 3 - 1) * 4 * (T + 0.25e-6) + 3 * 4 * 0.5e-6);
    sketch_free(sketch);
}

static void cut_through_hides_the_hops(void **state)
{
    (void)state;
    for (uint32_t hops = 1; hops <= 5; hops++) {
        struct sketch *sketch = row(hops, 3500);
        struct cw_transport transport = plain();
        transport.cut_through = true;
        assert_near(run(sketch, &transport).seconds, 3.5e-6);
        transport.hop_latency = 0.1e-6;
        assert_near(run(sketch, &transport).seconds, 3.5e-6 + hops * 0.1e-6);
        transport.chunk_overhead = 0.05e-6;
        assert_near(run(sketch, &transport).seconds, 3.5e-6 + 4 * 0.05e-6 + (hops - 1) * 0.05e-6 + hops * 0.1e-6);
        sketch_free(sketch);
    }
}

/* A faster channel cannot send what has not come yet; behind it, a slower one decides. */
static void cut_through_waits_for_the_end(void **state)
{
    (void)state;
    struct sketch *sketch = row(2, 1000);
    struct cw_transport transport = plain();
    transport.cut_through = true;
    transport.hop_latency = 0.1e-6;
    const uint32_t second = channel_between(sketch->net, 4, 5);
    sketch->problem.capacity[second] = 4e9;
    assert_near(run(sketch, &transport).seconds, T + 2 * 0.1e-6);
    sketch->problem.capacity[second] = 0.5e9;
    assert_near(run(sketch, &transport).seconds, 2 * T + 2 * 0.1e-6);
    sketch_free(sketch);
}

/* --- sharing ------------------------------------------------------------------------------------------------------ */

/* Nodes 0, 1 and 2 in a row: FORWARDED bytes 0 → 2 and LOCAL bytes 1 → 2 share the channel 1 → 2. */
static struct sketch *shared(uint64_t forwarded, uint64_t local)
{
    struct sketch *sketch = sketch_new("mesh:3@1GB/s");
    sketch_demand(sketch, 0, 2, forwarded);
    sketch_demand(sketch, 1, 2, local);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1, 2));
    sketch_path(sketch, 1, 1, NODES(1, 2));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    return sketch;
}

/* With l, f for local and forwarded chunks, the channel 1 → 2 carries: local first l l l l f f f f; forward first
 * l f f f f l l l; first come l f l f l f l f. */
static void orders_by_hand(void **state)
{
    (void)state;
    static const double first_done[] = {
        [CW_ORDER_LOCAL_FIRST] = 4 * T, [CW_ORDER_FORWARD_FIRST] = 5 * T, [CW_ORDER_FIRST_COME] = 7 * T};
    struct sketch *sketch = shared(4000, 4000);
    struct cw_transport transport = plain();
    for (int order = CW_ORDER_LOCAL_FIRST; order <= CW_ORDER_FIRST_COME; order++) {
        transport.order = (enum cw_chunk_order)order;
        const struct cw_transport_result result = run(sketch, &transport);
        assert_near(result.first_done, first_done[order]);
        assert_near(result.last_done, 8 * T);
        assert_near(result.seconds, result.last_done);
    }
    sketch_free(sketch);
}

/* Two local flows of four chunks take turns on their common channel. */
static void equals_take_turns(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:3@1GB/s");
    const struct cw_transport transport = plain();
    sketch_demand(sketch, 0, 1, 4000);
    sketch_demand(sketch, 0, 2, 4000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1));
    sketch_path(sketch, 1, 1, NODES(0, 1, 2));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    const struct cw_transport_result result = run(sketch, &transport);
    assert_near(result.first_done, 7 * T);
    assert_near(result.last_done, 9 * T); /* at node 1 after 8 T, one hop further after 9 */
    assert_near(result.bytes_per_second, 8000 / (9 * T));
    sketch_free(sketch);
}

/* One demand over two paths of two hops: over nodes of their own in half the time, over the same ones in the whole. */
static void paths_that_share_take_longer(void **state)
{
    (void)state;
    const struct cw_transport transport = plain();
    for (int shared_path = 0; shared_path < 2; shared_path++) {
        struct sketch *sketch = sketch_new("mesh:2x2@1GB/s");
        sketch_demand(sketch, 0, 3, 40000);
        sketch_begin(sketch);
        sketch_path(sketch, 0, 0.5, NODES(0, 1, 3));
        sketch_path(sketch, 0, 0.5, shared_path ? (const uint32_t[]){0, 1, 3} : (const uint32_t[]){0, 2, 3}, 3);
        must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
        must(cw_plan_round(&sketch->problem, &sketch->plan));
        assert_near(run(sketch, &transport).seconds, shared_path ? 41 * T : 21 * T);
        sketch_free(sketch);
    }
}

/* Which goes first decides when all is done, too, where what waits has still far to go: node 1 sends 20 chunks to 2,
 * and forwards 20 from 0 which then go two hops further. */
static void orders_differ_in_the_end(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:5@1GB/s");
    struct cw_transport transport = plain();
    sketch_demand(sketch, 0, 4, 20000);
    sketch_demand(sketch, 1, 2, 20000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1, 2, 3, 4));
    sketch_path(sketch, 1, 1, NODES(1, 2));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    assert_near(run(sketch, &transport).seconds, 42 * T); /* 1 → 2 is busy for 40 T, then two hops */
    transport.order = CW_ORDER_FORWARD_FIRST;
    assert_near(run(sketch, &transport).seconds, 40 * T); /* the last chunk is one for 2 */
    assert_near(run(sketch, &transport).first_done, 23 * T);
    transport.order = CW_ORDER_FIRST_COME;
    assert_near(run(sketch, &transport).first_done, 39 * T);
    sketch_free(sketch);
}

/* --- injection ---------------------------------------------------------------------------------------------------- */

/* Node 0 of a 4x4 torus sends four chunks to each of its neighbours. */
static struct sketch *star(void)
{
    static const uint32_t neighbours[] = {1, 3, 4, 12};
    struct sketch *sketch = sketch_new("torus:4x4@1GB/s");
    for (size_t i = 0; i < 4; i++) sketch_demand(sketch, 0, neighbours[i], 4000);
    sketch_begin(sketch);
    for (uint32_t i = 0; i < 4; i++) sketch_path(sketch, i, 1, NODES(0, neighbours[i]));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    return sketch;
}

static void injection_limits_a_node(void **state)
{
    (void)state;
    struct sketch *sketch = star();
    struct cw_transport transport = plain();
    assert_near(run(sketch, &transport).seconds, 4 * T);
    transport.injection = 8e9; /* the last channel begins 3/8 of a chunk late */
    assert_near(run(sketch, &transport).seconds, 4 * T + 3 * T / 8);
    transport.injection = 2e9; /* half a chunk's time each: the last of 16 begins after 15 halves */
    assert_near(run(sketch, &transport).seconds, 15 * T / 2 + T);
    transport.injection = 0.5e9; /* slower than a channel */
    assert_near(run(sketch, &transport).seconds, 16 * 2 * T);
    transport.injection = 0;
    transport.chunk_overhead = T; /* each channel prepares its own chunks */
    assert_near(run(sketch, &transport).seconds, 4 * 2 * T);
    sketch_free(sketch);
}

/* Under the limit of node 1, its own chunks go first to other channels, too. */
static void order_holds_for_the_node(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:3x3@1GB/s"); /* 3 → 4 → 5 is forwarded at 4, which sends to 1 and 7 */
    struct cw_transport transport = plain();
    sketch_demand(sketch, 3, 5, 2000);
    sketch_demand(sketch, 4, 1, 4000);
    sketch_demand(sketch, 4, 7, 4000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(3, 4, 5));
    sketch_path(sketch, 1, 1, NODES(4, 1));
    sketch_path(sketch, 2, 1, NODES(4, 7));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    transport.injection = 1e9;
    assert_near(run(sketch, &transport).last_done, 10 * T);
    assert_near(run(sketch, &transport).first_done, 7 * T); /* 1 7 1 7 1 7 1 7, then 5 5 */
    transport.order = CW_ORDER_FORWARD_FIRST;
    assert_near(run(sketch, &transport).first_done, 3 * T); /* 1, then 5 5 */
    sketch_free(sketch);
}

/* --- credits ------------------------------------------------------------------------------------------------------ */

static void credits_bound_buffers(void **state)
{
    (void)state;
    struct sketch *sketch = row(3, 50000);
    struct cw_transport transport = plain();
    sketch->problem.capacity[channel_between(sketch->net, 6, 7)] = 0.25e9;
    for (uint32_t credits = 1; credits <= 9; credits++) {
        transport.credits = credits;
        const struct cw_transport_result result = run(sketch, &transport);
        assert_int_equal(result.buffers_max, credits);
        if (credits > 1) assert_near(result.seconds, 2 * T + 50 * 4 * T);
    }
    sketch_free(sketch);
}

/* --- the network's own routing ------------------------------------------------------------------------------------ */

static void network_routes_are_not_relayed(void **state)
{
    (void)state;
    struct sketch *sketch = row(3, 2000);
    struct cw_transport transport = plain();
    transport.chunk_overhead = 0.25e-6;
    transport.hop_latency = 5e-6;
    assert_near(run(sketch, &transport).seconds, (2 + 3 - 1) * 1.25e-6 + 3 * 5e-6);
    sketch->plan.network_routes = true;
    const struct cw_transport_result result = run(sketch, &transport);
    assert_near(result.seconds, 2 * 1.25e-6 + 3 * 100e-9); /* overhead at the source, the cables' own latency */
    assert_int_equal(result.buffers_max, 0);
    sketch_free(sketch);
}

/* Messages to nodes 1 and 2 share a channel: in turn, chunk by chunk, or one after the other. */
static void whole_messages_follow_one_another(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:3@1GB/s");
    struct cw_transport transport = plain();
    sketch_demand(sketch, 0, 1, 4000);
    sketch_demand(sketch, 0, 2, 4000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(0, 1));
    sketch_path(sketch, 1, 1, NODES(0, 1, 2));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    sketch->plan.network_routes = true;
    assert_near(run(sketch, &transport).first_done, 7 * T + 100e-9);
    transport.messages.whole = true;
    transport.together = 2; /* is for chunks */
    const struct cw_transport_result result = run(sketch, &transport);
    assert_near(result.first_done, 4 * T + 100e-9);
    assert_near(result.last_done, 8 * T + 200e-9);
    assert_int_equal(result.chunks, 2);
    sketch_free(sketch);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* Chunk k = 0, 1, … costs its source k S before it is sent, and a relay as much again; the destination searches while
 * chunks come in, unless that takes longer. */
static void lists_are_searched(void **state)
{
    (void)state;
    const double s = 0.01 * T;
    for (uint32_t n = 1; n <= 8; n++) {
        struct sketch *one = row(1, 1000 * n), *two = row(2, 1000 * n);
        struct cw_transport transport = plain();
        transport.credits = 100;
        transport.list_search = s;
        const double all = n * T + s * n * (n - 1) / 2;
        assert_near(run(one, &transport).seconds, all);
        assert_near(run(two, &transport).seconds, all + s * (n - 1) + T);
        one->plan.network_routes = true; /* software handles nothing */
        assert_near(run(one, &transport).seconds, n * T + 100e-9);
        sketch_free(one);
        sketch_free(two);
    }
}

/* A node works on one chunk after the other for all its channels: to four neighbours, 16 chunks at 0, S, 2 S, … */
static void a_node_searches_one_list(void **state)
{
    (void)state;
    struct sketch *sketch = star();
    struct cw_transport transport = plain();
    transport.list_search = 10 * T; /* channels are idle in between */
    assert_near(run(sketch, &transport).seconds, 10 * T * (16 * 15 / 2) + T);
    sketch_free(sketch);
}

/* Node 1 sends a chunk of its own, relays one, and receives one: the first of each list, which need no search. */
static void lists_are_apart(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:3@1GB/s");
    struct cw_transport transport = plain();
    sketch_demand(sketch, 1, 0, 1000);
    sketch_demand(sketch, 0, 2, 1000);
    sketch_demand(sketch, 2, 1, 1000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(1, 0));
    sketch_path(sketch, 1, 1, NODES(0, 1, 2));
    sketch_path(sketch, 2, 1, NODES(2, 1));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    transport.list_search = 10 * T;
    assert_near(run(sketch, &transport).seconds, 2 * T);
    sketch_free(sketch);
}

/* --- a node's copies ---------------------------------------------------------------------------------------------- */

/* A relay of one path copies as it does by `copy`: nothing else wants its thread. Cut-through copies nothing. */
static void one_path_is_copied_alike(void **state)
{
    (void)state;
    for (uint32_t hops = 1; hops <= 5; hops++)
        for (int64_t credits = 1; credits <= 2; credits++) {
            struct sketch *sketch = row(hops, 6000);
            struct cw_transport transport = plain();
            transport.credits = credits;
            transport.copy = 4e9;
            const double seconds = run(sketch, &transport).seconds;
            transport.copy = 0;
            transport.node_copy = 4e9;
            assert_near(run(sketch, &transport).seconds, seconds);
            transport.cut_through = true;
            transport.credits = 2;
            assert_near(run(sketch, &transport).seconds, 6 * T);
            transport.cut_through = false;
            sketch->plan.network_routes = true; /* software copies nothing */
            assert_near(run(sketch, &transport).seconds, 6 * T + 100e-9 * hops);
            sketch_free(sketch);
        }
}

/* A chunk from each of two neighbours to the opposite one, by way of node 4, which has 2 C to do for two channels. Its
 * own chunk, which comes last in time, is not copied. */
static void a_node_copies_one_chunk_at_a_time(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("mesh:3x3@1GB/s");
    struct cw_transport transport = plain();
    const double c = 0.25 * T;
    sketch_demand(sketch, 1, 7, 1000);
    sketch_demand(sketch, 3, 5, 1000);
    sketch_demand(sketch, 4, 1, 1000);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1, NODES(1, 4, 7));
    sketch_path(sketch, 1, 1, NODES(3, 4, 5));
    sketch_path(sketch, 2, 1, NODES(4, 1));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    transport.copy = 4e9; /* each channel for itself */
    assert_near(run(sketch, &transport).seconds, T + c + T);
    transport.copy = 0;
    transport.node_copy = 4e9;
    const struct cw_transport_result result = run(sketch, &transport);
    assert_near(result.seconds, T + 2 * c + T);
    assert_near(result.first_done, T);
    sketch_free(sketch);
}

/* --- the edges ---------------------------------------------------------------------------------------------------- */

/* Paths without bytes need no time, nor do channels without a limit. */
static void nothing_takes_no_time(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("torus:4@1GB/s");
    struct cw_transport transport = plain();
    transport.chunk_overhead = 1;
    sketch_demand(sketch, 0, 1, 1);
    sketch_begin(sketch);
    sketch_path(sketch, 0, 1e-3, NODES(0, 3, 2, 1));
    sketch_path(sketch, 0, 0.999, NODES(0, 1));
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    assert_near(run(sketch, &transport).seconds, 1 + 1e-9);
    for (uint32_t c = 0; c < sketch->net->n_channels; c++) sketch->problem.capacity[c] = INFINITY;
    assert_near(run(sketch, &transport).seconds, 0);
    assert_true(isinf(run(sketch, &transport).bytes_per_second));
    sketch_free(sketch);
}

static void refuse(const struct sketch *sketch, const struct cw_transport *transport, int code, const char *message)
{
    struct cw_transport_result result;
    assert_int_equal(cw_transport_run(&sketch->problem, &sketch->plan, transport, &result), code);
    assert_string_equal(cw_error_message(), message);
}

static void refuses_what_cannot_run(void **state)
{
    (void)state;
    struct sketch *sketch = row(2, 1 << 30);
    struct cw_transport transport = plain();
    transport.chunk_bytes = 0;
    refuse(sketch, &transport, CW_EUSAGE, "transport: chunks of 0 bytes; expected more");
    transport = plain();
    transport.credits = 0;
    refuse(sketch, &transport, CW_EUSAGE, "transport: 0 credits; expected at least 1, or relays can take nothing in");
    transport = plain();
    transport.efficiency = 1.5;
    refuse(sketch, &transport, CW_EUSAGE, "transport: an efficiency of 1.5; expected more than 0, at most 1");
    transport = plain();
    transport.hop_latency = -1;
    refuse(sketch, &transport, CW_EUSAGE, "transport: overhead 0 s, latency -1 s, search 0 s; expected 0 or more");
    transport = plain();
    transport = plain();
    transport.inside_efficiency = 1.5;
    refuse(sketch, &transport, CW_EUSAGE, "transport: an efficiency inside hosts of 1.5; expected 0 to 1");
    transport = plain();
    transport.nic_latency = -1;
    refuse(sketch, &transport, CW_EUSAGE,
           "transport: latencies of 0 s inside hosts, -1 s by a NIC; expected 0 or more");
    transport = plain();
    transport.copy = NAN;
    refuse(sketch, &transport, CW_EUSAGE,
           "transport: copies at nan byte/s, of a node at 0 byte/s, injection of 0 byte/s, reception of 0 byte/s, "
           "messages at 0 byte/s; expected 0 (no limit) or more");
    transport.copy = 0;
    transport.injection = -2;
    transport.node_copy = -3;
    refuse(sketch, &transport, CW_EUSAGE,
           "transport: copies at 0 byte/s, of a node at -3 byte/s, injection of -2 byte/s, reception of 0 byte/s, "
           "messages at 0 byte/s; expected 0 (no limit) or more");
    transport = plain();
    sketch->problem.capacity[channel_between(sketch->net, 4, 5)] = 0;
    refuse(sketch, &transport, CW_EUSAGE, "transport: path 0 uses channel s(1)/2>s(2)/3, which has no capacity");
    sketch->plan.paths[0].bytes = UINT64_C(1) << 50;
    transport.chunk_bytes = 1;
    refuse(sketch, &transport, CW_ELIMIT,
           "transport: 2.25e+15 chunks on all hops, more than 4e+09; expected larger chunks");
    sketch->plan.paths[0].bytes = 0;
    refuse(sketch, &transport, CW_EUSAGE, "transport: the plan's paths have no bytes; it must be rounded first");
    sketch_free(sketch);
}

/* A plan whose bytes are not the demand's does not pass for one. */
static void lost_bytes_are_noticed(void **state)
{
    (void)state;
    struct sketch *sketch = row(2, 5000);
    const struct cw_transport transport = plain();
    sketch->plan.paths[0].bytes--;
    refuse(sketch, &transport, CW_EINTERNAL, "transport: 4999 of the 5000 bytes of demand 0 arrived");
    sketch_free(sketch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_chunk),
        cmocka_unit_test(last_chunk_is_shorter),
        cmocka_unit_test(store_and_forward_is_a_pipeline),
        cmocka_unit_test(pieces_are_stored_as_chunks),
        cmocka_unit_test(pieces_take_turns),
        cmocka_unit_test(relays_copy),
        cmocka_unit_test(arrivals_add_up),
        cmocka_unit_test(second_credit_doubles_the_rate),
        cmocka_unit_test(latency_counts_once_a_hop),
        cmocka_unit_test(groups_have_the_costs_of_all),
        cmocka_unit_test(cut_through_hides_the_hops),
        cmocka_unit_test(cut_through_waits_for_the_end),
        cmocka_unit_test(orders_by_hand),
        cmocka_unit_test(equals_take_turns),
        cmocka_unit_test(paths_that_share_take_longer),
        cmocka_unit_test(orders_differ_in_the_end),
        cmocka_unit_test(injection_limits_a_node),
        cmocka_unit_test(order_holds_for_the_node),
        cmocka_unit_test(credits_bound_buffers),
        cmocka_unit_test(network_routes_are_not_relayed),
        cmocka_unit_test(whole_messages_follow_one_another),
        cmocka_unit_test(lists_are_searched),
        cmocka_unit_test(a_node_searches_one_list),
        cmocka_unit_test(one_path_is_copied_alike),
        cmocka_unit_test(a_node_copies_one_chunk_at_a_time),
        cmocka_unit_test(lists_are_apart),
        cmocka_unit_test(nothing_takes_no_time),
        cmocka_unit_test(refuses_what_cannot_run),
        cmocka_unit_test(lost_bytes_are_noticed),
    };
    return cmocka_run_group_tests_name("transport", tests, NULL, NULL);
}
