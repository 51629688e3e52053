/* Results do not depend on the number of threads, on the kind of processor, nor on how a run is cut into pieces. */
#include <sched.h>

#include "net/network_internal.h"
#include "sim/flit/flit_internal.h"

#include "flit_test.h"

#include "../skip.h"

/* Everything that a run says. */
struct outcome {
    struct cw_flit_window windows[4];
    uint64_t *channels, *accepted, *injected, *latencies;
    size_t memory;
};

static uint64_t *copy(const uint64_t *items, size_t n)
{
    uint64_t *copied = new_array(n, sizeof *items);
    memcpy(copied, items, n * sizeof *items);
    return copied;
}

/* By CODE, unless that is NULL. */
static struct outcome run_by(struct flit_case *c, unsigned threads, cw_flit_code *code)
{
    static const uint64_t cycles[] = {250, 1, 37, 112};
    struct outcome outcome = {0};
    c->setup.n_threads = threads;
    struct cw_flit_simulation *simulation = begin_flit_case(c);
    if (code) cw_flit_tuned_of(simulation)->code = code;
    for (size_t i = 0; i < 4; i++) outcome.windows[i] = run_flits(simulation, cycles[i]);
    outcome.channels = copy(cw_flit_channel_flits(simulation), c->net->n_channels);
    outcome.accepted = copy(cw_flit_accepted_by(simulation), c->net->n_endpoints);
    outcome.injected = copy(cw_flit_injected_by(simulation), c->net->n_endpoints);
    outcome.latencies = copy(cw_flit_latency_histogram(simulation), CW_FLIT_LATENCY_BINS);
    outcome.memory = cw_flit_memory(simulation);
    end_flit_case(simulation);
    return outcome;
}

static struct outcome run(struct flit_case *c, unsigned threads)
{
    return run_by(c, threads, NULL);
}

static void release(struct outcome *outcome)
{
    free(outcome->channels);
    free(outcome->accepted);
    free(outcome->injected);
    free(outcome->latencies);
}

static void check_alike(const struct flit_case *c, const struct outcome *a, const struct outcome *b)
{
    assert_memory_equal(a->windows, b->windows, sizeof a->windows);
    assert_memory_equal(a->channels, b->channels, c->net->n_channels * sizeof(uint64_t));
    assert_memory_equal(a->accepted, b->accepted, c->net->n_endpoints * sizeof(uint64_t));
    assert_memory_equal(a->injected, b->injected, c->net->n_endpoints * sizeof(uint64_t));
    assert_memory_equal(a->latencies, b->latencies, CW_FLIT_LATENCY_BINS * sizeof(uint64_t));
    assert_int_equal(a->memory, b->memory);
}

/* LIDS: over all of them. */
static void check_threads_of(const char *network, const char *routing, const char *workload, uint32_t message,
                             bool lids)
{
    struct flit_case c = open_flit_case(network, routing, workload);
    const struct cw_routes *over = NULL;
    if (lids) {
        cw_packet_routing_free(c.routing);
        assert_int_equal(cw_packet_routing_over_lids(c.net, routing, 1, 1, &c.routing, &over), 0);
        assert_non_null(over);
        c.setup.routing = c.routing;
    }
    c.job.load = 0.9;
    c.job.message_flits = message;
    c.setup.hardware.global_latency = 11;
    struct outcome one = run(&c, 1);
    for (unsigned threads = 2; threads <= 4; threads++) {
        struct outcome many = run(&c, threads);
        check_alike(&c, &many, &one);
        release(&many);
    }
    release(&one);
    close_flit_case(&c);
}

static void check_threads(const char *network, const char *routing, const char *workload, uint32_t message)
{
    check_threads_of(network, routing, workload, message, false);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    check_threads("dragonfly:2,4,2", "valiant-any", "group-shift:3", 1);
    check_threads("dragonfly:2,4,2", "ugal-g", "group-shift:3", 3);
    check_threads("dragonfly:2,4,2", "par", "bitcomp", 1);
    check_threads("torus:6x6", "dor", "uniform", 2);
    check_threads("xgft:2:4,8:1,4", "adaptive-up", "permutation", 1);
    check_threads_of("xgft:2:4,8:1,4", "minhop:lmc=2", "permutation", 2, true);
}

/* Threads that wait for one another let each other compute. */
static void threads_share_a_core(void **state)
{
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    check_threads("dragonfly:2,4,2", "valiant-any", "uniform", 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* MESSAGE is the length of messages, BUFFER that of all queues, in flits. */
static void check_processors(const char *network, const char *routing, const char *workload, uint32_t message,
                             uint32_t buffer)
{
    cw_flit_code *codes[CW_FLIT_CODES];
    const size_t n = cw_flit_codes(codes);
    struct flit_case c = open_flit_case(network, routing, workload);
    c.job.load = 0.9;
    c.job.message_flits = message;
    c.setup.hardware.input_flits = c.setup.hardware.output_flits = buffer;
    struct outcome any = run_by(&c, 1, cw_flit_simulate);
    for (size_t i = 0; i < n; i++) {
        struct outcome outcome = run_by(&c, 1, codes[i]);
        check_alike(&c, &outcome, &any);
        release(&outcome);
    }
    release(&any);
    close_flit_case(&c);
}

/* The code for each kind of processor does the same, as far as this one can run it. */
static void processors_do_not_matter(void **state)
{
    (void)state;
    check_processors("dragonfly:2,4,2", "valiant-any", "bitcomp", 1, 64);
    check_processors("dragonfly:2,4,2", "par", "uniform", 5, 64);
    check_processors("dragonfly:2,4,2", "valiant-any", "bitcomp", 1, 255);
    check_processors("dragonfly:2,4,2", "valiant-any", "bitcomp", 1, 256);
    check_processors("crossbar:130", "minhop", "uniform", 1, 8);
    check_processors("torus:4x4", "dor", "uniform", 255, 1000);
}

/* Routings that look at no queues far away do not feel where a run is cut. */
static void cuts_do_not_matter(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("dragonfly:2,4,2", "valiant-any", "bitcomp");
    struct outcome cut = run(&c, 1);
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    const struct cw_flit_window whole = run_flits(simulation, 400);
    uint64_t latency_sum = 0;
    for (size_t i = 0; i < 4; i++) latency_sum += cut.windows[i].latency_sum;
    assert_int_equal(whole.latency_sum, latency_sum);
    assert_memory_equal(cw_flit_channel_flits(simulation), cut.channels, c.net->n_channels * sizeof(uint64_t));
    end_flit_case(simulation);
    release(&cut);
    close_flit_case(&c);
}

static void threads_end_alike(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:8x4", "dor", NULL);
    uint64_t done[2];
    c.schedule = open_schedule("recursive-doubling");
    c.job.kind = CW_FLIT_SCHEDULE;
    c.job.schedule = c.schedule;
    c.job.bytes = 5000;
    c.job.message_flits = 8;
    for (unsigned i = 0; i < 2; i++) {
        c.setup.n_threads = 1 + 3 * i;
        struct cw_flit_simulation *simulation = begin_flit_case(&c);
        assert_true(run_flits(simulation, 100000).finished);
        done[i] = cw_flit_job_done(simulation, 0);
        end_flit_case(simulation);
    }
    assert_int_equal(done[0], done[1]);
    close_flit_case(&c);
}

/* Another seed gives other traffic. */
static void seeds_matter(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("dragonfly:2,4,2", "minimal", "uniform");
    c.job.load = 0.3;
    struct outcome one = run(&c, 1);
    c.setup.seed++;
    struct outcome other = run(&c, 1);
    assert_true(memcmp(one.injected, other.injected, c.net->n_endpoints * sizeof(uint64_t)) != 0);
    release(&one);
    release(&other);
    close_flit_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),    cmocka_unit_test(threads_share_a_core),
        cmocka_unit_test(processors_do_not_matter), cmocka_unit_test(cuts_do_not_matter),
        cmocka_unit_test(threads_end_alike),        cmocka_unit_test(seeds_matter),
    };
    return run_cases(tests);
}
