/* Deadlocks, and routings that do not do what they should. */
#include "base/interrupt.h"
#include "base/memory.h"
#include "flit_test.h"
#include "net/network_internal.h"
#include "sim/flit/flit_internal.h"

static void assert_says(const char *part)
{
    if (!strstr(cw_error_message(), part)) fail_msg("\"%s\" does not say \"%s\"", cw_error_message(), part);
}

/* Rings of one lane lock up. */
static void deadlock_is_found_and_explained(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:6x6", "dor:lanes=1", "uniform");
    struct cw_flit_simulation *simulation = NULL;
    struct cw_flit_window window = {0};
    c.setup.jobs = &c.job;
    c.setup.hardware.input_flits = c.setup.hardware.output_flits = 2;
    assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EROUTE);
    assert_null(simulation);
    for (c.setup.n_threads = 1; c.setup.n_threads <= 3; c.setup.n_threads++) {
        c.setup.hardware.implementation = c.setup.n_threads <= 2 ? "tuned" : "plain";
        c.setup.allow_deadlock = true;
        assert_int_equal(cw_flit_new(&c.setup, &simulation), 0);
        int code = 0;
        cw_fail(CW_EUSAGE, "not a word"); /* whichever thread finds it, the caller hears of it */
        for (int i = 0; i < 100 && !code; i++) code = cw_flit_run(simulation, 1000, &window);
        assert_int_equal(code, CW_EROUTE);
        assert_true(window.stalled);
        assert_says("deadlock: ");
        assert_says(" lane 0 waits for ");
        assert_says(" lane 0 again");
        assert_int_equal(cw_flit_drain_and_check(simulation), CW_EROUTE);
        cw_flit_free(simulation);
    }
    close_flit_case(&c);
}

/* A ring that is locked up beside one that moves: that does not show as long as the other has something to do, and
 * shows when that is gone. */
static void deadlock_of_a_part_shows_when_the_rest_is_gone(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:9x4", "dor:lanes=1", "uniform");
    struct cw_flit_simulation *simulation = NULL;
    c.setup.allow_deadlock = true;
    c.setup.hardware.input_flits = c.setup.hardware.output_flits = 2;
    /* Ring 0 sends four steps ahead around itself, ring 1 to the next. */
    const struct cw_ranks ranks = {.n = 9, .per_group = 1};
    struct cw_workload *far, *near;
    assert_int_equal(cw_workload_new("shift:4", &ranks, 1, &far), 0);
    assert_int_equal(cw_workload_new("shift:1", &ranks, 1, &near), 0);
    struct cw_flit_job jobs[] = {c.job, c.job};
    for (int i = 0; i < 2; i++) {
        jobs[i].n_ranks = 9;
        jobs[i].endpoints = c.endpoints + 9 * i;
        jobs[i].workload = i == 0 ? far : near;
    }
    c.setup.jobs = jobs;
    c.setup.n_jobs = 2;
    for (int i = 0; i < 2; i++) {
        c.setup.hardware.implementation = i == 0 ? "tuned" : "plain";
        assert_int_equal(cw_flit_new(&c.setup, &simulation), 0);
        run_flits(simulation, 1000);
        const uint64_t before = cw_flit_job_accepted(simulation, 0);
        run_flits(simulation, 4000);
        assert_int_equal(cw_flit_job_accepted(simulation, 0), before);
        assert_true(cw_flit_job_accepted(simulation, 1) > 9 * 1000);
        /* Not within a few cycles; but when it is drained. */
        assert_int_equal(cw_flit_drain_within(simulation, 0), 0);
        assert_int_equal(cw_flit_drain_and_check(simulation), CW_EROUTE);
        assert_says(", and so on in a circle of 9");
        cw_flit_free(simulation);
    }
    cw_workload_free(far);
    cw_workload_free(near);
    close_flit_case(&c);
}

/* Draining that may take few cycles simulates about as many, and calls nothing wrong that is still under way; with
 * enough of them it checks what is left, and is the same as draining without limit. */
static void draining_ends_in_time(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct flit_case c = open_flit_case("crossbar:8", "minhop", "hotspot:1,share=1");
        c.setup.hardware.input_flits = c.setup.hardware.output_flits = 500;
        c.setup.hardware.implementation = i % 2 == 0 ? "tuned" : "plain";
        struct cw_flit_simulation *simulation = begin_flit_case(&c);
        run_flits(simulation, 3000);
        assert_int_equal(cw_flit_drain_within(simulation, i < 2 ? 100 : 1000000), 0);
        const uint64_t before = cw_flit_job_accepted(simulation, 0);
        if (i < 2) assert_in_range(before, 3000, 2 * 3200); /* of two endpoints: one does not send to itself */
        assert_int_equal(cw_flit_drain_and_check(simulation), 0);
        const uint64_t after = cw_flit_job_accepted(simulation, 0);
        if (i < 2)
            assert_true(after > before + 1000);
        else
            assert_int_equal(after, before);
        cw_flit_free(simulation);
        close_flit_case(&c);
    }
}

/* An interruption is no failure of the simulation, which goes on afterwards as if nothing had been. */
static void interruption_ends_a_run(void **state)
{
    (void)state;
    uint64_t accepted[2];
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++)
        for (int interrupted = 0; interrupted <= 1; interrupted++) {
            struct flit_case c = open_flit_case("torus:6x6", "dor", "uniform");
            struct cw_flit_simulation *simulation = NULL;
            struct cw_flit_window window = {0};
            c.setup.jobs = &c.job;
            c.setup.n_threads = n_threads;
            assert_int_equal(cw_flit_new(&c.setup, &simulation), 0);
            uint64_t cycles = 0;
            if (interrupted) {
                cw_interrupt();
                assert_int_equal(cw_flit_run(simulation, 1000000000, &window), CW_EINTERRUPTED);
                assert_says("interrupted");
                cw_interrupt_clear();
                cycles = cw_flit_tuned_of(simulation)->cycle;
                assert_in_range(cycles, 1, 999);
            }
            assert_int_equal(cw_flit_run(simulation, 1000 - cycles, &window), 0);
            accepted[interrupted] = cw_flit_sum(cw_flit_tuned_of(simulation)).accepted;
            cw_interrupt();
            assert_int_equal(cw_flit_drain_and_check(simulation), CW_EINTERRUPTED);
            cw_interrupt_clear();
            assert_int_equal(cw_flit_drain_and_check(simulation), 0);
            cw_flit_free(simulation);
            close_flit_case(&c);
        }
    assert_int_equal(accepted[0], accepted[1]);
    assert_int_not_equal(accepted[0], 0);
}

/* --- routings that misbehave: all endpoints are at one switch ----------------------------------------------------- */

struct misbehaviour {
    const struct cw_network *net;
    int result;     /* of `next` */
    uint32_t aside; /* channels beside the right one */
    uint8_t lane;
};

static int misbehave_next(const void *state, uint32_t sw, uint32_t in, uint8_t lane, const struct cw_queue_view *view,
                          uint64_t random, struct cw_packet *packet, struct cw_hop *out, int max)
{
    (void)in, (void)lane, (void)view, (void)random, (void)max;
    const struct misbehaviour *misbehaviour = state;
    if (misbehaviour->result < 0) return cw_fail(misbehaviour->result, "the routing has had enough");
    *out = (struct cw_hop){misbehaviour->net->first[sw] + packet->dst + misbehaviour->aside, misbehaviour->lane};
    return misbehaviour->result;
}

static const struct cw_packet_routing_ops misbehave = {.next = misbehave_next, .free_state = free};

static void check_misbehaviour_of(const char *implementation, struct misbehaviour misbehaviour, int code,
                                  const char *part)
{
    struct flit_case c = open_flit_case("crossbar:4", "minhop", "bitcomp");
    c.setup.hardware.implementation = implementation;
    struct misbehaviour *kept = new_array(1, sizeof *kept);
    uint8_t *lanes = new_array(c.net->n_channels, 1);
    struct cw_packet_routing *routing = NULL;
    struct cw_flit_simulation *simulation = NULL;
    struct cw_flit_window window = {0};
    memset(lanes, 1, c.net->n_channels);
    *kept = misbehaviour;
    kept->net = c.net;
    assert_int_equal(cw_packet_routing_make(c.net, "bad", &misbehave, kept, lanes, &routing), 0);
    c.setup.routing = routing;
    c.setup.jobs = &c.job;
    c.setup.allow_deadlock = true;
    assert_int_equal(cw_flit_new(&c.setup, &simulation), 0);
    assert_int_equal(cw_flit_run(simulation, 100, &window), code);
    assert_says(part);
    assert_false(window.stalled);
    assert_int_equal(cw_flit_run(simulation, 100, &window), code);
    assert_says("failed before");
    assert_int_equal(cw_flit_drain_and_check(simulation), code);
    cw_flit_free(simulation);
    cw_packet_routing_free(routing);
    close_flit_case(&c);
}

static void check_misbehaviour(struct misbehaviour misbehaviour, int code, const char *part)
{
    check_misbehaviour_of("tuned", misbehaviour, code, part);
    check_misbehaviour_of("plain", misbehaviour, code, part);
}

static void misbehaviour_is_found(void **state)
{
    (void)state;
    check_misbehaviour((struct misbehaviour){.result = 0}, CW_EROUTE, "routing bad knows no hop from s0 to h3");
    check_misbehaviour((struct misbehaviour){.result = CW_ELIMIT}, CW_ELIMIT, "the routing has had enough");
    check_misbehaviour((struct misbehaviour){.result = 1, .aside = 100}, CW_EROUTE,
                       "routing bad sends a packet from s0 to h3 by channel 107, lane 0, which is not there");
    check_misbehaviour((struct misbehaviour){.result = 1, .lane = 1}, CW_EROUTE, "lane 1, which is not there");
}

/* Destination 3 stays out: one port further is another endpoint. */
static void check_strangers(const char *implementation)
{
    struct flit_case c = open_flit_case("crossbar:4", "minhop", NULL);
    const struct cw_ranks ranks = {.n = 3, .per_group = 1};
    assert_int_equal(cw_workload_new("bitcomp", &ranks, 1, &c.workload), 0);
    struct misbehaviour *kept = new_array(1, sizeof *kept);
    uint8_t *lanes = new_array(c.net->n_channels, 1);
    struct cw_packet_routing *routing = NULL;
    struct cw_flit_simulation *simulation = NULL;
    struct cw_flit_window window;
    memset(lanes, 1, c.net->n_channels);
    *kept = (struct misbehaviour){.net = c.net, .result = 1, .aside = 1};
    assert_int_equal(cw_packet_routing_make(c.net, "bad", &misbehave, kept, lanes, &routing), 0);
    c.setup.hardware.implementation = implementation;
    c.job.n_ranks = 3;
    c.job.workload = c.workload;
    c.setup.routing = routing;
    c.setup.jobs = &c.job;
    c.setup.allow_deadlock = true;
    assert_int_equal(cw_flit_new(&c.setup, &simulation), 0);
    assert_int_equal(cw_flit_run(simulation, 100, &window), CW_EROUTE);
    assert_says("routing bad delivered a packet to h1 that was meant for h0");
    cw_flit_free(simulation);
    cw_packet_routing_free(routing);
    close_flit_case(&c);
}

static void strangers_are_found(void **state)
{
    (void)state;
    check_strangers("tuned");
    check_strangers("plain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadlock_is_found_and_explained),
        cmocka_unit_test(deadlock_of_a_part_shows_when_the_rest_is_gone),
        cmocka_unit_test(draining_ends_in_time),
        cmocka_unit_test(interruption_ends_a_run),
        cmocka_unit_test(misbehaviour_is_found),
        cmocka_unit_test(strangers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
