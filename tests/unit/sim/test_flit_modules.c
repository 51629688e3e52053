/* Modules of switches and sources: where one can do no more than the default it does exactly what that does, and where
 * it can it does what is known of it. */
#include <stdio.h>
#include <unistd.h>

#include "base/random.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "sim/flit/plain/plain.h"

#include "flit_twins.h"

/* The first cycle, of 250, in which C differs from the same with the module SPEC; 0: none. */
static uint32_t differs(struct flit_case *c, const char *kind, const char *spec)
{
    struct flit_case other = *c;
    struct cw_flit_hardware *hardware = &other.setup.hardware;
    if (strcmp(kind, "allocator") == 0) hardware->allocator = spec;
    if (strcmp(kind, "queues") == 0) hardware->queues = spec;
    if (strcmp(kind, "buffers") == 0) hardware->buffers = spec;
    if (strcmp(kind, "marking") == 0) hardware->marking = spec;
    c->setup.jobs = other.setup.jobs = NULL;
    return compare_twins(c, &other, 250);
}

/* Who sends to whom is what LINES say, "src dst bytes". */
static struct flit_case open_matrix(const char *network, const char *routing, const char *lines)
{
    char path[] = "/tmp/matrix-XXXXXX", workload[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(dprintf(file, "%s", lines) > 0);
    assert_int_equal(close(file), 0);
    snprintf(workload, sizeof workload, "matrix:%s", path);
    const struct flit_case c = open_flit_case(network, routing, workload);
    assert_int_equal(unlink(path), 0);
    return c;
}

/* All ranks but 0 send to 0: at every switch one output is in use. */
static struct flit_case open_incast(const char *network, const char *routing, uint32_t message)
{
    struct flit_case c = open_flit_case(network, routing, NULL);
    struct cw_text lines = {0};
    for (uint32_t e = 1; e < c.net->n_endpoints; e++) cw_text_printf(&lines, "%u 0 1\n", e);
    close_flit_case(&c);
    c = open_matrix(network, routing, lines.data);
    cw_text_free(&lines);
    c.job.message_flits = message;
    c.setup.hardware.input_flits = c.setup.hardware.output_flits = 12;
    return c;
}

/* --- virtual output queues ---------------------------------------------------------------------------------------- */

static void one_output_needs_no_virtual_queues(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"crossbar:8", "minhop"}, {"torus:4x4", "dor"}, {"xgft:2:4,4:1,2", "dmodk"}, {"dragonfly:2,3,2", "minimal"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t message = 1; message <= 5; message += 2) {
            struct flit_case c = open_incast(cases[i][0], cases[i][1], message);
            assert_int_equal(differs(&c, "queues", "voq"), 0);
            close_flit_case(&c);
        }
    struct flit_case c = open_flit_case("crossbar:8", "minhop", "permutation");
    assert_int_equal(differs(&c, "queues", "voq"), 0);
    close_flit_case(&c);
    c = open_flit_case("crossbar:8", "minhop", "uniform");
    assert_int_not_equal(differs(&c, "queues", "voq"), 0);
    close_flit_case(&c);
}

/* What a crossbar of 8 ports, no faster than its channels, accepts of a uniform load of 0.85 in single flits. */
static double accepted(const char *queues, const char *allocator)
{
    struct flit_case c = open_flit_case("crossbar:8", "minhop", "uniform");
    c.job.load = 0.85;
    c.setup.hardware.speedup = 1;
    c.setup.hardware.input_flits = 4000;
    c.setup.hardware.queues = queues;
    c.setup.hardware.allocator = allocator;
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    run_flits(simulation, 2000);
    const struct cw_flit_window window = run_flits(simulation, 2000);
    const double share = (double)window.accepted_flits / (2000.0 * c.net->n_endpoints);
    end_flit_case(simulation);
    close_flit_case(&c);
    return share;
}

/* M. J. Karol, M. G. Hluchyj, S. P. Morgan, "Input versus output queueing on a space-division packet switch", IEEE
 * Transactions on Communications 35 (12), 1987, table I: saturated inputs that are first in, first out pass .6184 of
 * their load at 8 ports (.5858 at infinitely many) if outputs serve at random. Outputs here serve round-robin, and
 * nobody sends to itself, which changes little. McKeown 1999, section III: with virtual output queues one iteration of
 * iSLIP passes any uniform load, here below 7/8, for when the pointers have come apart each output spends one of eight
 * cycles on the input that never sends to it. */
static void virtual_queues_end_blocking_of_others(void **state)
{
    (void)state;
    const double fifo = accepted("fifo", "round-robin"), islip = accepted("voq", "islip");
    if (fifo < 0.58 || fifo > 0.68) fail_msg("first in, first out: %g", fifo);
    if (islip < 0.83) fail_msg("virtual output queues, iSLIP: %g", islip);
    assert_true(accepted("voq", "wavefront") > 0.83);
    assert_true(accepted("voq", "islip:iterations=3") > 0.83);
    assert_true(accepted("voq", "round-robin") > fifo);
}

/* --- allocators --------------------------------------------------------------------------------------------------- */

static void islip_of_single_queues_is_round_robin(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"crossbar:8", "minhop", "uniform"},
                                           {"crossbar:8", "minhop", "hotspot:1"},
                                           {"xgft:2:4,4:1,2", "dmodk", "uniform"},
                                           {"xgft:2:4,4:1,2", "adaptive-up", "uniform"},
                                           {"mesh:3x3", "dor", "uniform"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t message = 1; message <= 4; message += 3) {
            struct flit_case c = open_flit_case(cases[i][0], cases[i][1], cases[i][2]);
            c.job.message_flits = message;
            c.setup.hardware.transit_first = i == 1;
            assert_int_equal(differs(&c, "allocator", "islip"), 0);
            assert_int_equal(differs(&c, "allocator", "islip:iterations=4"), 0);
            close_flit_case(&c);
        }
    struct flit_case c = open_flit_case("dragonfly:2,3,2", "valiant-any", "uniform");
    assert_int_not_equal(differs(&c, "allocator", "islip"), 0);
    close_flit_case(&c);
}

/* Where no two inputs want the same output there is nothing to choose. */
static void allocators_agree_where_nobody_competes(void **state)
{
    (void)state;
    static const char *const allocators[] = {"age", "wavefront", "islip", "islip:iterations=2"};
    for (size_t i = 0; i < 4; i++) {
        struct flit_case c = open_flit_case("crossbar:8", "minhop", "permutation");
        c.job.message_flits = 3;
        assert_int_equal(differs(&c, "allocator", allocators[i]), 0);
        close_flit_case(&c);
        c = open_flit_case("torus:8", "dor:lanes=2", "shift:1");
        assert_int_equal(differs(&c, "allocator", allocators[i]), 0);
        close_flit_case(&c);
    }
    struct flit_case c = open_flit_case("crossbar:8", "minhop", "uniform");
    assert_int_not_equal(differs(&c, "allocator", "wavefront"), 0);
    close_flit_case(&c);
}

/* --- shared buffers ----------------------------------------------------------------------------------------------- */

static void nothing_shared_is_separate(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"torus:4x4", "dor", "uniform"},
                                           {"dragonfly:2,3,2", "valiant-any", "bitcomp"},
                                           {"dragonfly:2,3,2", "par", "uniform"}};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t message = 1; message <= 5; message += 4) {
            struct flit_case c = open_flit_case(cases[i][0], cases[i][1], cases[i][2]);
            c.job.message_flits = message;
            c.setup.hardware.injection_lanes = 1 + (uint32_t)i;
            c.setup.hardware.input_flits = c.setup.hardware.output_flits = 10;
            assert_int_equal(differs(&c, "buffers", "shared:reserve=10"), 0);
            assert_int_not_equal(differs(&c, "buffers", "shared:reserve=6"), 0);
            close_flit_case(&c);
        }
}

/* The longest channel's round trip is 2 · 20 cycles. Of two lanes one is in use: its share of a buffer of 2 · 24 flits
 * covers 24 of them, and all but the other's reserve of 4 more than all. */
static void idle_lanes_lend_their_space(void **state)
{
    (void)state;
    double share[2];
    for (int shared = 0; shared < 2; shared++) {
        struct flit_case c = open_flit_case("torus:4", "dor", "shift:1");
        c.setup.hardware.local_latency = 20;
        c.setup.hardware.input_flits = 24;
        c.setup.hardware.buffers = shared ? "shared:reserve=4" : "separate";
        struct cw_flit_simulation *simulation = begin_flit_case(&c);
        run_flits(simulation, 1000);
        share[shared] = (double)run_flits(simulation, 1200).accepted_flits / 4800;
        end_flit_case(simulation);
        close_flit_case(&c);
    }
    assert_true(share[0] > 0.59 && share[0] < 0.61); /* 24 / 40 */
    assert_true(share[1] > 0.99);
}

static void small_reserves_are_refused(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:4x4", "dor", "uniform");
    struct cw_flit_simulation *simulation = NULL;
    c.setup.jobs = &c.job;
    c.job.message_flits = 9;
    c.setup.hardware.buffers = "shared:reserve=8";
    assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "expected a reserve of 9 or more"));
    c.setup.hardware.buffers = "shared:reserve=65";
    assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "input buffers have 64"));
    assert_null(simulation);
    close_flit_case(&c);
}

/* --- marks and rates ---------------------------------------------------------------------------------------------- */

/* The same without marks that are ever set, whatever would react to them. */
static void no_marks_change_nothing(void **state)
{
    (void)state;
    static const char *const controls[] = {"none", "aimd", "dcqcn"};
    for (int i = 0; i < 6; i++) {
        struct flit_case c =
            open_flit_case(i < 3 ? "dragonfly:2,3,2" : "mesh:3x3", i < 3 ? "ugal-l" : "dor", "uniform");
        if (i >= 3)
            for (uint32_t k = 0; k < c.net->n_channels; k += 2) c.net->capacity[k] = 5e9 / (1 + k % 7 * 0.3);
        c.job.message_flits = 3;
        struct flit_case other = c;
        other.setup.hardware.marking = i % 2 ? "threshold:flits=1000000" : "red:min=1000000,max=2000000";
        other.setup.hardware.rate_control = controls[i % 3];
        assert_int_equal(compare_twins(&c, &other, 400), 0);
        close_flit_case(&c);
    }
}

/* A collective's messages depend on each other, and on nobody's rate. */
static void collectives_do_not_feel_unused_control(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("torus:4x4", "dor", NULL);
    c.schedule = open_schedule("recursive-doubling");
    c.job.kind = CW_FLIT_SCHEDULE;
    c.job.schedule = c.schedule;
    c.job.bytes = 3000;
    c.job.message_flits = 4;
    struct flit_case other = c;
    other.setup.hardware.marking = "threshold:flits=1000000";
    other.setup.hardware.rate_control = "aimd";
    assert_int_equal(compare_twins(&c, &other, 4000), 0);
    close_flit_case(&c);
}

/* A threshold of 0 marks everything, and nobody tells a source that does not listen. */
static void marks_are_counted(void **state)
{
    (void)state;
    static const char *const markings[] = {"threshold:0", "threshold:0", "threshold:1000000", "none"};
    for (int i = 0; i < 4; i++) {
        struct flit_case c = open_flit_case("torus:4x4", "dor", "uniform");
        c.job.load = 0.3;
        c.job.message_flits = 2;
        c.setup.hardware.marking = markings[i];
        c.setup.hardware.rate_control = i == 1 ? "aimd:pause=0" : "none";
        struct cw_flit_simulation *simulation = begin_flit_case(&c);
        const struct cw_flit_window window = run_flits(simulation, 1000);
        assert_true(window.messages > 500);
        assert_int_equal(window.marked, i < 2 ? window.messages : 0);
        if (i == 1)
            assert_true(window.notices > window.messages / 2 && window.notices <= window.messages);
        else
            assert_int_equal(window.notices, 0);
        end_flit_case(simulation);
        close_flit_case(&c);
    }
}

/* Flits that endpoint 0 sends to 7 in 5,000 cycles. It shares the cable to the other leaf with 1, which sends to 4, as
 * do 5 and 6, which are there. */
static uint64_t victim_gets(const char *marking, const char *control)
{
    struct flit_case c = open_matrix("xgft:2:4,2:1,1", "dmodk", "0 7 1\n1 4 1\n5 4 1\n6 4 1\n");
    c.setup.hardware.marking = marking;
    c.setup.hardware.rate_control = control;
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    run_flits(simulation, 4000);
    cw_flit_reset_counters(simulation);
    run_flits(simulation, 5000);
    const uint64_t flits = cw_flit_accepted_by(simulation)[7], hot = cw_flit_accepted_by(simulation)[4];
    assert_in_range(hot, 4500, 5000); /* the channel to it stays busy */
    end_flit_case(simulation);
    close_flit_case(&c);
    return flits;
}

/* Zhu et al. 2015, section 2.2: where the network may not drop, a flow suffers from congestion that it has no part in:
 * the three that meet at 4 get a third of its channel each, and 0 no more than 1, which is before it in the queue.
 * Section 6: with DCQCN it gets what 1 leaves of the cable, which would be two thirds. */
static void rate_control_saves_the_victim(void **state)
{
    (void)state;
    const uint64_t none = victim_gets("none", "none"), marked = victim_gets("threshold:flits=16", "none");
    const uint64_t aimd = victim_gets("threshold:flits=16", "aimd");
    const uint64_t dcqcn =
        victim_gets("red:min=8,max=48,most=0.1", "dcqcn:timer=100,alpha-timer=110,pause=90,additive=0.01,g=0.0625");
    assert_in_range(none, 1650, 1700);
    assert_int_equal(marked, none); /* nobody reacts */
    assert_in_range(aimd, 2750, 3500);
    assert_in_range(dcqcn, 3000, 3750);
}

static void assert_same(double is, double expected)
{
    assert_true(fabs(is - expected) < 1e-12);
}

/* The equations, step by step, of a flow that has its first notice in cycle 1000. */
static void dcqcn_follows_its_equations(void **state)
{
    (void)state;
    struct cw_flit_chosen chosen;
    struct cw_plain_flow flow = {0};
    assert_int_equal(cw_flit_module_choose(CW_FLIT_RATE_CONTROL,
                                           "dcqcn:g=0.25,timer=100,alpha-timer=70,flits=1000,recovery=3,additive=0.01,"
                                           "hyper=0.05",
                                           &chosen),
                     0);
    const struct cw_plain_rate_control *control = chosen.module->operations;
    control->begin(chosen.values, &flow, 0);
    assert_true(flow.rate == 1);
    control->notice(chosen.values, &flow, 1000); /* (1), α = 1 */
    assert_same(flow.target, 1);
    assert_same(flow.rate, 0.5);
    assert_same(flow.alpha, 1);
    control->advance(chosen.values, &flow, 1070); /* (2) */
    assert_same(flow.alpha, 0.75);
    control->notice(chosen.values, &flow, 1080);
    assert_same(flow.target, 0.5);
    assert_same(flow.rate, 0.5 * (1 - 0.375));
    assert_same(flow.alpha, 0.75 * 0.75 + 0.25);
    double rate = flow.rate, target = flow.target;
    for (int i = 1; i <= 6; i++) { /* (3), then (4): the byte counter has not expired */
        control->advance(chosen.values, &flow, 1080 + 100 * (uint64_t)i);
        if (i >= 3) target += 0.01;
        rate = (target + rate) / 2;
        assert_same(flow.rate, rate);
        assert_same(flow.target, target);
    }
    for (int i = 1; i <= 5; i++) { /* figure 7: hyper increase, where both have expired more often than F */
        control->sent(chosen.values, &flow, 1000);
        target += i > 3 ? (i - 3) * 0.05 : 0.01;
        rate = (target + rate) / 2;
        assert_same(flow.rate, rate);
    }
    cw_flit_chosen_free(&chosen);
}

/* Times of 55 µs and 50 µs and an amount of 10 MB are more cycles, and fewer flits, where the network is faster and
 * flits are longer; shares of the channel stay, and so does what was given. */
static void dcqcn_goes_by_the_clock(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct flit_case c = open_flit_case("crossbar:4", "minhop", "uniform");
        struct cw_flit_hardware *hardware = &c.setup.hardware;
        const double bytes = i % 2 ? 256 : 64, rate = i < 2 ? 5e9 : 50e9;
        hardware->flit_bytes = (uint32_t)bytes;
        hardware->reference_capacity = rate;
        for (uint32_t k = 0; k < c.net->n_channels; k++) c.net->capacity[k] = rate;
        hardware->marking = "red:min=8,max=48,most=0.1";
        char given[128];
        snprintf(given, sizeof given, "dcqcn:timer=%ld,alpha-timer=%ld,pause=%ld,flits=%ld",
                 lround(55e-6 * rate / bytes), lround(55e-6 * rate / bytes), lround(50e-6 * rate / bytes),
                 lround(10e6 / bytes));
        hardware->rate_control = "dcqcn";
        double lasts;
        assert_int_equal(cw_flit_control_lasts(hardware, &lasts), 0);
        assert_same(lasts, 256.0 * (double)lround(55e-6 * rate / bytes));
        struct cw_flit_simulation *by_default = begin_flit_case(&c);
        hardware->rate_control = given;
        struct cw_flit_simulation *by_hand = begin_flit_case(&c);
        const struct cw_flit_chosen *chosen[] = {&cw_flit_plain_of(by_default)->modules[CW_FLIT_RATE_CONTROL],
                                                 &cw_flit_plain_of(by_hand)->modules[CW_FLIT_RATE_CONTROL]};
        assert_memory_equal(chosen[0]->values, chosen[1]->values, chosen[0]->module->size);
        cw_flit_free(by_default);
        cw_flit_free(by_hand);
        close_flit_case(&c);
    }
    struct cw_flit_hardware hardware = cw_flit_default_hardware();
    const char *const specs[] = {"none", "aimd", "aimd:period=50,increase=0.1",
                                 "dcqcn:alpha-timer=110,g=0.0625,timer=300,recovery=5",
                                 "dcqcn:alpha-timer=110,g=0.0625,timer=400,recovery=5"};
    const double right[] = {0, 10000, 500, 1760, 2000};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        double lasts;
        hardware.rate_control = specs[i];
        assert_int_equal(cw_flit_control_lasts(&hardware, &lasts), 0);
        assert_true(fabs(lasts - right[i]) < 1e-6);
    }
}

/* Zhu et al. 2015, figure 5. */
static void red_marks_by_chance(void **state)
{
    (void)state;
    struct cw_flit_chosen chosen;
    assert_int_equal(cw_flit_module_choose(CW_FLIT_MARKING, "red:10,30,0.2", &chosen), 0);
    const struct cw_plain_marking *marking = chosen.module->operations;
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    static const uint32_t queued[] = {0, 10, 15, 20, 30, 31};
    static const double expected[] = {0, 0, 0.05, 0.1, 0.2, 1};
    for (size_t i = 0; i < 6; i++) {
        uint32_t marked = 0;
        for (int n = 0; n < 20000; n++) marked += marking->marks(chosen.values, queued[i], cw_random_u64(&random));
        assert_true(fabs(marked / 20000.0 - expected[i]) < 0.01);
    }
    cw_flit_chosen_free(&chosen);
}

static void controls_need_marks(void **state)
{
    (void)state;
    struct flit_case c = open_flit_case("crossbar:4", "minhop", "uniform");
    struct cw_flit_simulation *simulation = NULL;
    c.setup.jobs = &c.job;
    c.setup.hardware.rate_control = "dcqcn";
    assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "without a marking"));
    c.setup.hardware.rate_control = NULL;
    c.setup.hardware.marking = "red:30,30";
    assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EUSAGE);
    c.setup.hardware.marking = NULL;
    c.setup.hardware.allocator = "wavefront";
    c.setup.hardware.implementation = "tuned";
    assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "the tuned implementation does not have wavefront; the plain one has");
    c.setup.hardware.implementation = NULL;
    c.setup.hardware.transit_first = true;
    assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EUSAGE);
    assert_null(simulation);
    close_flit_case(&c);
}

/* McKeown 1999, section III: pointers move by what the first iteration matches. Both outputs grant input 0, which
 * accepts output 0; the second iteration gives output 1 to input 1, and leaves its pointer and the input's where they
 * are. */
static void islip_moves_pointers_in_its_first_iteration(void **state)
{
    (void)state;
    struct cw_flit_chosen chosen;
    assert_int_equal(cw_flit_module_choose(CW_FLIT_ALLOCATOR, "islip:2", &chosen), 0);
    const struct cw_plain_request requests[] = {
        {.in = 0, .out = 0, .queue = 0}, {.in = 0, .out = 1, .queue = 1}, {.in = 1, .out = 0}, {.in = 1, .out = 1}};
    const uint32_t first[] = {0, 2, 4, 4};
    uint32_t in[3] = {0}, any[3] = {0}, lane[3 * CW_FLIT_LANES] = {0}, accept[3] = {0}, winner[3], scratch[9];
    struct cw_plain_pointers pointers = {.in_queue = in, .out_any = any, .out_lane = lane, .accept = accept};
    struct cw_plain_match match = {.radix = 3,
                                   .requests = requests,
                                   .n = 4,
                                   .first = first,
                                   .pointers = &pointers,
                                   .winner = winner,
                                   .scratch = scratch};
    winner[0] = winner[1] = winner[2] = CW_NONE;
    const struct cw_plain_allocator *islip = chosen.module->operations;
    islip->match(chosen.values, &match);
    assert_int_equal(requests[winner[0]].in, 0);
    assert_int_equal(requests[winner[1]].in, 1);
    assert_int_equal(any[0], 1);
    assert_int_equal(accept[0], 1);
    assert_int_equal(any[1], 0);
    assert_int_equal(accept[1], 0);
    cw_flit_chosen_free(&chosen);
}

/* Two lanes of 8 flits, reserves of 4 and 8 for both: of a message of 12 one is under way and the others follow. Lane 1
 * has its reserve, and no more. */
static void messages_keep_the_room_they_were_promised(void **state)
{
    (void)state;
    struct cw_flit_chosen chosen;
    assert_int_equal(cw_flit_module_choose(CW_FLIT_BUFFERS, "shared:4", &chosen), 0);
    const struct cw_plain_buffers *shared = chosen.module->operations;
    const struct cw_plain_channel channel = {.lanes = 2, .unreturned = {1}, .promised = {11}};
    assert_int_equal(shared->most(chosen.values, &channel, 8), 12);
    assert_true(shared->has_room(chosen.values, &channel, 8, 1, 4));
    assert_false(shared->has_room(chosen.values, &channel, 8, 1, 5));
    assert_false(shared->has_room(chosen.values, &channel, 8, 0, 1));
    cw_flit_chosen_free(&chosen);
}

/* --- mixes of lengths --------------------------------------------------------------------------------------------- */

/* A mix of one length is no mix, in both implementations, whatever the load. */
static void one_length_is_no_mix(void **state)
{
    (void)state;
    const struct cw_flit_size size = {3, 0.7};
    for (int i = 0; i < 6; i++) {
        struct flit_case c = open_flit_case("torus:4x4", "dor", "uniform");
        c.setup.hardware.implementation = i % 2 ? "plain" : "tuned";
        c.job.kind = i < 4 ? CW_FLIT_CONTINUOUS : CW_FLIT_FINITE;
        c.job.bytes = 5000;
        c.job.load = i < 2 ? 0.3 : 1;
        c.job.message_flits = 3;
        struct flit_case other = c;
        other.job.message_flits = 0;
        other.job.sizes = &size;
        other.job.n_sizes = 1;
        assert_int_equal(compare_twins(&c, &other, 250), 0);
        close_flit_case(&c);
    }
}

/* A twentieth of the messages has half of the flits. */
static void mixes_offer_their_load(void **state)
{
    (void)state;
    static const struct cw_flit_size sizes[] = {{1, 19}, {20, 1}};
    struct flit_case c = open_flit_case("crossbar:16", "minhop", "uniform");
    c.job.load = 0.4;
    c.job.sizes = sizes;
    c.job.n_sizes = 2;
    assert_true(fabs(cw_flit_mean_message(&c.job) - 39.0 / 20) < 1e-12);
    struct cw_flit_simulation *simulation = begin_flit_case(&c);
    run_flits(simulation, 1000);
    const struct cw_flit_window window = run_flits(simulation, 20000);
    assert_true(fabs((double)window.accepted_flits / (16 * 20000.0) - 0.4) < 0.01);
    assert_true(fabs((double)window.accepted_flits / (double)window.messages - 39.0 / 20) < 0.05);
    end_flit_case(simulation);
    close_flit_case(&c);
}

static void impossible_mixes_are_refused(void **state)
{
    (void)state;
    static const struct cw_flit_size sizes[][2] = {{{1, 1}, {65, 1}}, {{1, 1}, {2, 0}}, {{1, 1}, {0, 1}}};
    static const char *const says[] = {"messages of 65 flits, but queues hold 64", "a share of 0",
                                       "messages of 0 flits"};
    struct flit_case c = open_flit_case("crossbar:4", "minhop", "uniform");
    struct cw_flit_simulation *simulation = NULL;
    c.setup.jobs = &c.job;
    c.job.n_sizes = 2;
    for (int i = 0; i < 3; i++) {
        c.job.sizes = sizes[i];
        assert_int_equal(cw_flit_new(&c.setup, &simulation), CW_EUSAGE);
        if (!strstr(cw_error_message(), says[i])) fail_msg("%s", cw_error_message());
    }
    assert_null(simulation);
    close_flit_case(&c);
}

/* --- matchings ---------------------------------------------------------------------------------------------------- */

enum { RADIX = 6, QUEUES = 4 };

/* Fills REQUESTS and FIRST at random; their number. */
static uint32_t draw_requests(struct cw_random *random, struct cw_plain_request *requests, uint32_t *first)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < RADIX; p++) {
        first[p] = n;
        for (uint32_t q = 0; q < QUEUES; q++)
            if (cw_random_below(random, 2) == 0)
                requests[n++] = (struct cw_plain_request){.in = p,
                                                          .out = (uint32_t)cw_random_below(random, RADIX),
                                                          .queue = q,
                                                          .out_lane = (uint8_t)cw_random_below(random, 2),
                                                          .injected = cw_random_below(random, 9)};
    }
    return first[RADIX] = n;
}

/* Every allocator gives a matching; and one to which nothing can be added, if MAXIMAL. */
static void check_matching(const char *spec, bool maximal)
{
    struct cw_flit_chosen chosen;
    assert_int_equal(cw_flit_module_choose(CW_FLIT_ALLOCATOR, spec, &chosen), 0);
    const struct cw_plain_allocator *allocator = chosen.module->operations;
    uint32_t pointers[3 * RADIX + RADIX * CW_FLIT_LANES] = {0}, first[RADIX + 1], winner[RADIX], scratch[3 * RADIX];
    struct cw_plain_request requests[RADIX * QUEUES];
    struct cw_plain_pointers of = {pointers, pointers + RADIX, pointers + 3 * RADIX, pointers + 2 * RADIX, 0};
    struct cw_random random = cw_random_of(2, CW_STREAM_TEST, 0);
    for (int trial = 0; trial < 3000; trial++) {
        const uint32_t n = draw_requests(&random, requests, first);
        struct cw_plain_match match = {.radix = RADIX,
                                       .requests = requests,
                                       .n = n,
                                       .first = first,
                                       .pointers = &of,
                                       .winner = winner,
                                       .scratch = scratch};
        for (uint32_t out = 0; out < RADIX; out++) winner[out] = CW_NONE;
        allocator->match(chosen.values, &match);
        bool in_taken[RADIX] = {false};
        for (uint32_t out = 0; out < RADIX; out++) {
            if (winner[out] == CW_NONE) continue;
            assert_true(winner[out] < n);
            assert_int_equal(requests[winner[out]].out, out);
            assert_false(in_taken[requests[winner[out]].in]);
            in_taken[requests[winner[out]].in] = true;
        }
        for (uint32_t r = 0; r < n && maximal; r++)
            assert_true(in_taken[requests[r].in] || winner[requests[r].out] != CW_NONE);
    }
    cw_flit_chosen_free(&chosen);
}

static void allocators_match(void **state)
{
    (void)state;
    check_matching("round-robin", false);
    check_matching("age", false);
    check_matching("islip", false);
    check_matching("islip:6", true);
    check_matching("wavefront", true);
}

/* By hand, with two iterations: outputs 0 and 1 both grant input 0, which accepts 0; in the second iteration output 1
 * grants input 1, and as that is no first grant its pointers stay. */
static void islip_moves_pointers_for_first_grants(void **state)
{
    (void)state;
    enum { PORTS = 3 };
    static const struct cw_plain_request requests[] = {
        {.in = 0, .out = 0, .queue = 0}, {.in = 0, .out = 1, .queue = 1}, {.in = 1, .out = 1, .queue = 1}};
    static const uint32_t first[PORTS + 1] = {0, 2, 3, 3};
    struct cw_flit_chosen chosen;
    uint32_t in_queue[PORTS] = {0}, any[PORTS] = {0}, lane[PORTS * CW_FLIT_LANES] = {0}, accept[PORTS] = {0};
    uint32_t winner[PORTS] = {CW_NONE, CW_NONE, CW_NONE}, scratch[3 * PORTS];
    struct cw_plain_pointers of = {.in_queue = in_queue, .out_any = any, .out_lane = lane, .accept = accept};
    struct cw_plain_match match = {.radix = PORTS,
                                   .requests = requests,
                                   .n = 3,
                                   .first = first,
                                   .pointers = &of,
                                   .winner = winner,
                                   .scratch = scratch};
    assert_int_equal(cw_flit_module_choose(CW_FLIT_ALLOCATOR, "islip:2", &chosen), 0);
    const struct cw_plain_allocator *allocator = chosen.module->operations;
    allocator->match(chosen.values, &match);
    assert_true(winner[0] == 0 && winner[1] == 2 && winner[2] == CW_NONE);
    assert_true(any[0] == 1 && lane[0] == 1 && accept[0] == 1);
    assert_true(any[1] == 0 && lane[CW_FLIT_LANES] == 0 && accept[1] == 0);
    cw_flit_chosen_free(&chosen);
}

/* Two lanes of 6 flits, 4 of them each one's own: what has been sent and what is promised of lane 0 takes the 4 that
 * are shared, and lane 1 has its own left. */
static void promised_flits_take_shared_room(void **state)
{
    (void)state;
    struct cw_flit_chosen chosen;
    struct cw_plain_channel channel = {.lanes = 2, .unreturned = {3}, .promised = {5}};
    assert_int_equal(cw_flit_module_choose(CW_FLIT_BUFFERS, "shared:reserve=4", &chosen), 0);
    const struct cw_plain_buffers *buffers = chosen.module->operations;
    assert_true(buffers->has_room(chosen.values, &channel, 6, 1, 4));
    assert_false(buffers->has_room(chosen.values, &channel, 6, 1, 5));
    assert_false(buffers->has_room(chosen.values, &channel, 6, 0, 1));
    channel.promised[0] = 4;
    assert_true(buffers->has_room(chosen.values, &channel, 6, 1, 5));
    cw_flit_chosen_free(&chosen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_output_needs_no_virtual_queues),
        cmocka_unit_test(virtual_queues_end_blocking_of_others),
        cmocka_unit_test(islip_of_single_queues_is_round_robin),
        cmocka_unit_test(allocators_agree_where_nobody_competes),
        cmocka_unit_test(islip_moves_pointers_for_first_grants),
        cmocka_unit_test(promised_flits_take_shared_room),
        cmocka_unit_test(nothing_shared_is_separate),
        cmocka_unit_test(idle_lanes_lend_their_space),
        cmocka_unit_test(small_reserves_are_refused),
        cmocka_unit_test(no_marks_change_nothing),
        cmocka_unit_test(collectives_do_not_feel_unused_control),
        cmocka_unit_test(marks_are_counted),
        cmocka_unit_test(rate_control_saves_the_victim),
        cmocka_unit_test(dcqcn_follows_its_equations),
        cmocka_unit_test(dcqcn_goes_by_the_clock),
        cmocka_unit_test(red_marks_by_chance),
        cmocka_unit_test(controls_need_marks),
        cmocka_unit_test(allocators_match),
        cmocka_unit_test(islip_moves_pointers_in_its_first_iteration),
        cmocka_unit_test(messages_keep_the_room_they_were_promised),
        cmocka_unit_test(one_length_is_no_mix),
        cmocka_unit_test(mixes_offer_their_load),
        cmocka_unit_test(impossible_mixes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
