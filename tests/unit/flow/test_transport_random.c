/* The simulated transport on random plans and on rings: it ends, loses nothing, and keeps its bounds. */
#include "transport_test.h"

#include "base/random.h"

/* Every node of a ring sends all but once round it: a circle of full buffers, if paths shared them. */
static void rings_do_not_deadlock(void **state)
{
    (void)state;
    enum { N = 9, HOPS = 7 };
    struct sketch *sketch = sketch_new("torus:9@1GB/s");
    struct cw_transport transport = plain();
    for (uint32_t src = 0; src < N; src++) sketch_demand(sketch, src, (src + HOPS) % N, 20000);
    sketch_begin(sketch);
    for (uint32_t src = 0; src < N; src++) {
        uint32_t nodes[HOPS + 1];
        for (uint32_t i = 0; i <= HOPS; i++) nodes[i] = (src + i) % N;
        sketch_path(sketch, src, 1, nodes, HOPS + 1);
    }
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    for (int order = CW_ORDER_LOCAL_FIRST; order <= CW_ORDER_FIRST_COME; order++) {
        for (uint32_t credits = 1; credits <= 3; credits++) {
            transport.order = (enum cw_chunk_order)order;
            transport.credits = credits;
            const struct cw_transport_result result = run(sketch, &transport);
            assert_true(result.seconds >= (HOPS * 20 - 1e-6) * T); /* what each channel carries */
            assert_in_range(result.buffers_max, 1, credits * (HOPS - 1));
        }
    }
    sketch_free(sketch);
}

/* --- random plans ------------------------------------------------------------------------------------------------- */

/* A path from SRC to DST in a 4x4 torus that in each dimension goes either way round, hops mixed at random. */
static uint32_t random_path(struct cw_random *random, uint32_t src, uint32_t dst, uint32_t *nodes)
{
    uint32_t n = 0, left[2], step[2];
    for (uint32_t d = 0; d < 2; d++) {
        const uint32_t ahead = ((dst >> 2 * d) - (src >> 2 * d)) & 3;
        step[d] = cw_random_below(random, 2) ? 1 : 3;
        left[d] = step[d] == 1 || ahead == 0 ? ahead : 4 - ahead;
        if (ahead == 0) step[d] = 0;
    }
    nodes[n++] = src;
    while (left[0] + left[1] > 0) {
        const uint32_t d = cw_random_below(random, left[0] + left[1]) < left[0] ? 0 : 1;
        const uint32_t last = nodes[n - 1], x = last >> 2 * d & 3;
        nodes[n++] = (last & ~(3u << 2 * d)) | ((x + step[d]) & 3) << 2 * d;
        left[d]--;
    }
    return n;
}

static struct sketch *random_plan(struct cw_random *random)
{
    struct sketch *sketch = sketch_new("torus:4x4@1GB/s");
    const uint32_t n = 1 + cw_random_below(random, 20);
    uint32_t nodes[8];
    for (uint32_t d = 0; d < n; d++) {
        const uint32_t src = cw_random_below(random, 16);
        sketch_demand(sketch, src, (src + 1 + cw_random_below(random, 15)) % 16, 1 + cw_random_below(random, 40000));
    }
    sketch_begin(sketch);
    for (uint32_t d = 0; d < n; d++) {
        const struct cw_demand *demand = &sketch->demands.items[d];
        for (uint32_t paths = 1 + cw_random_below(random, 5); paths > 0; paths--) {
            const uint32_t length = random_path(random, demand->src, demand->dst, nodes);
            sketch_path(sketch, d, 0.001 + cw_random_unit(random), nodes, length);
        }
    }
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    must(cw_plan_verify(&sketch->problem, &sketch->plan));
    return sketch;
}

static struct cw_transport random_transport(struct cw_random *random)
{
    return (struct cw_transport){.chunk_bytes = 1 + cw_random_below(random, 5000),
                                 .credits = 1 + cw_random_below(random, 5),
                                 .order = (enum cw_chunk_order)cw_random_below(random, 3),
                                 .cut_through = cw_random_below(random, 2),
                                 .chunk_overhead = cw_random_below(random, 2) * 1e-7,
                                 .copy = cw_random_below(random, 2) * 2e9,
                                 .node_copy = cw_random_below(random, 2) * 1.5e9,
                                 .hop_latency = cw_random_below(random, 2) * 1e-6,
                                 .list_search = cw_random_below(random, 2) * 1e-10,
                                 .injection = cw_random_below(random, 3) * 0.7e9,
                                 .reception = cw_random_below(random, 3) * 0.7e9,
                                 .efficiency = 0.1 + 0.9 * cw_random_unit(random),
                                 .messages.whole = cw_random_below(random, 2)};
}

/* Whatever the plan, the run ends with all bytes where they belong (or fails), no faster than the hottest channel
 * allows, with no more buffers than the credits of the paths through a node. */
static void random_plans_arrive(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 200; trial++) {
        struct cw_random random = cw_random_of(2, CW_STREAM_TEST, trial);
        struct sketch *sketch = random_plan(&random);
        struct cw_transport transport = random_transport(&random);
        struct cw_plan_figures figures;
        uint64_t chunks = 0;
        double bytes = 0;
        sketch->plan.network_routes = trial % 4 == 0;
        must(cw_plan_figures_compute(&sketch->problem, &sketch->plan, &figures));
        const bool whole = sketch->plan.network_routes && transport.messages.whole;
        for (size_t i = 0; i < sketch->plan.n_paths; i++) {
            const uint64_t own = sketch->plan.paths[i].bytes;
            bytes += (double)own;
            chunks += whole ? own > 0 : (own + transport.chunk_bytes - 1) / transport.chunk_bytes;
        }
        const struct cw_transport_result result = run(sketch, &transport), again = run(sketch, &transport);
        assert_true(result.seconds * (1 + 1e-9) >= figures.max_channel_bytes / (transport.efficiency * 1e9));
        assert_near(result.bytes_per_second * result.seconds, bytes);
        assert_true(result.chunks == chunks);
        assert_true(result.buffers_max <= (uint64_t)transport.credits * figures.copies_max);
        assert_true(result.first_done <= result.last_done);
        assert_true(result.seconds == again.seconds && result.first_done == again.first_done);
        sketch_free(sketch);
    }
}

/* Chunks simulated in groups take as long as one by one, but for a group's time on each hop. */
static void groups_are_as_fast(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, trial);
        struct sketch *sketch = random_plan(&random);
        struct cw_transport transport = random_transport(&random);
        transport.chunk_bytes = 4;
        transport.chunk_overhead *= 0.01;
        transport.hop_latency *= 0.01;
        sketch->plan.network_routes = trial % 4 == 0;
        const struct cw_transport_result each = run(sketch, &transport);
        transport.together = 8;
        const struct cw_transport_result groups = run(sketch, &transport);
        assert_in_range(groups.chunks, each.chunks / 8, each.chunks / 8 + sketch->plan.n_paths);
        if (fabs(groups.seconds - each.seconds) > 0.06 * each.seconds) /* a relay's channels wait for whole groups */
            fail_msg("trial %d: %g s in groups, %g s one by one", (int)trial, groups.seconds, each.seconds);
        sketch_free(sketch);
    }
}

/* With costs that are all half as large, everything happens in half the time: exactly, as only exponents change. */
static void time_scales(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        struct cw_random random = cw_random_of(3, CW_STREAM_TEST, trial);
        struct sketch *sketch = random_plan(&random);
        struct cw_transport transport = random_transport(&random);
        transport.efficiency /= 2;
        const struct cw_transport_result slow = run(sketch, &transport);
        transport.efficiency *= 2;
        transport.injection *= 2;
        transport.reception *= 2;
        transport.list_search /= 2;
        transport.copy *= 2;
        transport.node_copy *= 2;
        transport.chunk_overhead /= 2;
        transport.hop_latency /= 2;
        const struct cw_transport_result fast = run(sketch, &transport);
        assert_true(slow.seconds == 2 * fast.seconds && slow.first_done == 2 * fast.first_done);
        assert_true(slow.buffers_max == fast.buffers_max);
        sketch_free(sketch);
    }
}

static double seconds_of(uint32_t hops, uint64_t bytes, const struct cw_transport *transport)
{
    struct sketch *sketch = row(hops, bytes);
    const double seconds = run(sketch, transport).seconds;
    sketch_free(sketch);
    return seconds;
}

/* On one path, which leaves no choice of order, nothing gets faster with more bytes, hops or costs, nor slower with
 * more credits or cut-through. */
static void one_path_is_monotonic(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        struct cw_random random = cw_random_of(4, CW_STREAM_TEST, trial);
        const struct cw_transport transport = random_transport(&random);
        const uint32_t hops = 1 + cw_random_below(&random, 6);
        const uint64_t bytes = 1 + cw_random_below(&random, 40000);
        const double least = seconds_of(hops, bytes, &transport), rounding = 1 + 1e-9;
        assert_true(least > 0);
        assert_true(seconds_of(hops, bytes + 100, &transport) * rounding >= least);
        assert_true(seconds_of(hops + 1, bytes, &transport) * rounding >= least);
        struct cw_transport other = transport;
        other.chunk_overhead += 1e-7;
        other.hop_latency += 1e-7;
        assert_true(seconds_of(hops, bytes, &other) >= least);
        other = transport;
        other.efficiency *= 0.9;
        assert_true(seconds_of(hops, bytes, &other) >= least);
        other = transport;
        other.credits++;
        assert_true(seconds_of(hops, bytes, &other) <= least * rounding);
        other = transport;
        other.cut_through = true;
        assert_true(seconds_of(hops, bytes, &other) <= least * rounding);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_do_not_deadlock), cmocka_unit_test(random_plans_arrive),
        cmocka_unit_test(groups_are_as_fast),    cmocka_unit_test(time_scales),
        cmocka_unit_test(one_path_is_monotonic),
    };
    return cmocka_run_group_tests_name("transport_random", tests, NULL, NULL);
}
