/* Moves: what ranks do to carry plans out, by hand and of random plans, executed chunk by chunk; the checker; files. */
#include "legs_test.h"
#include "net/network_internal.h"
#include "plan_test.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "flow/moves/moves_change.h"

static struct cw_moves moves_of(const struct cw_flow_problem *problem, const struct cw_plan *plan, uint64_t chunk_bytes,
                                uint32_t credits)
{
    struct cw_moves moves;
    must(cw_moves_make(problem, plan, chunk_bytes, credits, &moves));
    must(cw_moves_check_network(&moves, problem->net));
    return moves;
}

static struct sketch *finished_sketch(void)
{
    struct sketch *sketch = small_sketch();
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    return sketch;
}

/* --- carrying moves out, chunk by chunk --------------------------------------------------------------------------- */

/* What is at one step: chunks that came, and chunks that were sent on. */
struct doing {
    uint64_t came, sent;
};

static size_t step_of(const struct cw_moves *moves, uint32_t rank, uint32_t stream)
{
    for (size_t i = moves->first_step[rank]; i < moves->first_step[rank + 1]; i++)
        if (moves->steps[i].stream == stream) return i;
    fail_msg("rank %u has no step for stream %u", rank, stream);
    return 0;
}

/* Sends the next chunk of step I of RANK if there is one and room for it. Bytes that are at their destination are
 * counted in ARRIVED, by demand and byte. */
static bool send_chunk(const struct cw_moves *moves, uint32_t rank, size_t i, struct doing *doing, uint8_t **arrived)
{
    const struct cw_step *step = &moves->steps[i];
    if (step->kind == CW_STEP_RECEIVE || doing[i].sent == doing[i].came) return false;
    const size_t next = step_of(moves, step->to, step->stream);
    if (moves->steps[next].kind == CW_STEP_FORWARD && doing[next].came - doing[next].sent == moves->credits)
        return false;
    assert_int_equal(moves->steps[next].from, rank);
    const uint64_t chunk = doing[i].sent++, begin = chunk * moves->chunk_bytes;
    assert_true(chunk == doing[next].came);
    doing[next].came++;
    if (moves->steps[next].kind == CW_STEP_RECEIVE)
        for (uint64_t b = begin; b < step->bytes && b < begin + moves->chunk_bytes; b++)
            arrived[step->demand][moves->steps[next].offset + b]++;
    return true;
}

/* In random order, as long as anything can move; then all bytes must be there. */
static void carry_out(const struct cw_moves *moves, uint64_t seed)
{
    const size_t n = moves->first_step[moves->n_ranks];
    struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 7);
    struct doing *doing = zeros(n, sizeof *doing);
    uint8_t **arrived = zeros(moves->n_demands, sizeof *arrived);
    for (size_t d = 0; d < moves->n_demands; d++) arrived[d] = zeros((size_t)moves->demands[d].bytes, 1);
    for (size_t i = 0; i < n; i++)
        if (moves->steps[i].kind == CW_STEP_SEND) doing[i].came = cw_moves_chunks(moves, moves->steps[i].bytes);
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t k = 0; k < moves->n_ranks; k++) {
            const uint32_t r = (k + cw_random_below(&random, moves->n_ranks)) % moves->n_ranks;
            for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++)
                if (cw_random_below(&random, 2) > 0) moved = send_chunk(moves, r, i, doing, arrived) || moved;
        }
        for (uint32_t r = 0; r < moves->n_ranks && !moved; r++)
            for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++)
                moved = send_chunk(moves, r, i, doing, arrived) || moved;
    }
    for (size_t d = 0; d < moves->n_demands; d++) {
        for (uint64_t b = 0; b < moves->demands[d].bytes; b++) assert_int_equal(arrived[d][b], 1);
        free(arrived[d]);
    }
    free(arrived);
    free(doing);
}

/* --- by hand ------------------------------------------------------------------------------------------------------ */

static void assert_step(const struct cw_moves *moves, size_t i, struct cw_step expected)
{
    const struct cw_step *step = &moves->steps[i];
    assert_int_equal(step->kind, expected.kind);
    assert_int_equal(step->stream, expected.stream);
    assert_int_equal(step->demand, expected.demand);
    assert_true(step->offset == expected.offset && step->bytes == expected.bytes);
    assert_int_equal(step->from, expected.from);
    assert_int_equal(step->to, expected.to);
    assert_int_equal(step->way, CW_NONE);
}

/* 100 bytes 0 → 1; 50 of 200 bytes 0 → 2 by node 1 and 150 by node 3. */
static void nodes_relay(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch();
    struct cw_moves moves = moves_of(&sketch->problem, &sketch->plan, 7, 2);
    assert_int_equal(moves.n_ranks, 4);
    assert_int_equal(moves.n_streams, 3);
    static const size_t first_step[] = {0, 3, 5, 7, 8};
    assert_memory_equal(moves.first_step, first_step, sizeof first_step);
    assert_step(&moves, 0, (struct cw_step){CW_STEP_SEND, 0, 0, 0, 100, CW_NONE, 1, 0, 0, 0});
    assert_step(&moves, 1, (struct cw_step){CW_STEP_SEND, 1, 1, 0, 50, CW_NONE, 1, 0, 0, 0});
    assert_step(&moves, 2, (struct cw_step){CW_STEP_SEND, 2, 1, 50, 150, CW_NONE, 3, 0, 0, 0});
    assert_step(&moves, 3, (struct cw_step){CW_STEP_RECEIVE, 0, 0, 0, 100, 0, CW_NONE, 0, 0, 0});
    assert_step(&moves, 4, (struct cw_step){CW_STEP_FORWARD, 1, 1, 0, 50, 0, 2, 0, 0, 0});
    assert_step(&moves, 5, (struct cw_step){CW_STEP_RECEIVE, 1, 1, 0, 50, 1, CW_NONE, 0, 0, 0});
    assert_step(&moves, 6, (struct cw_step){CW_STEP_RECEIVE, 2, 1, 50, 150, 3, CW_NONE, 0, 0, 0});
    assert_step(&moves, 7, (struct cw_step){CW_STEP_FORWARD, 2, 1, 50, 150, 0, 2, 0, 0, 0});
    /* from node to node, in and out of each */
    const struct cw_step *forward = &moves.steps[4];
    const uint32_t expected[] = {channel_between(sketch->net, 1, 17), channel_between(sketch->net, 17, 18),
                                 channel_between(sketch->net, 18, 2)};
    assert_int_equal(forward->n_channels, 3);
    assert_memory_equal(moves.channels + forward->first_channel, expected, sizeof expected);
    assert_true(cw_moves_chunks(&moves, 7) == 1 && cw_moves_chunks(&moves, 8) == 2);
    carry_out(&moves, 1);
    cw_moves_free(&moves);
    sketch_free(sketch);
}

/* The network's own routes go from source to destination at once. */
static void the_network_carries_its_own(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch();
    sketch->plan.network_routes = true;
    struct cw_moves moves = moves_of(&sketch->problem, &sketch->plan, 64, 1);
    assert_int_equal(moves.n_ranks, 3);
    for (size_t i = 0; i < moves.first_step[3]; i++) assert_int_not_equal(moves.steps[i].kind, CW_STEP_FORWARD);
    assert_int_equal(moves.steps[1].n_channels, 4);
    carry_out(&moves, 2);
    cw_moves_free(&moves);
    sketch_free(sketch);
}

/* The first streams of all ranks go to different ones, and so on; without a plan, too. What has one destination stays
 * as it was listed. */
static void senders_take_turns(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("crossbar:5");
    for (uint32_t src = 0; src < 5; src++)
        for (uint32_t dst = 5; dst-- > 0;)
            if (src != dst) sketch_demand(sketch, src, dst, 10 + dst);
    sketch_begin(sketch);
    for (uint32_t d = 0; d < sketch->demands.n; d++) {
        const struct cw_demand *demand = &sketch->demands.items[d];
        must(cw_plan_add(
            &sketch->plan, d, 1,
            (uint32_t[]){channel_between(sketch->net, demand->src, 5), channel_between(sketch->net, 5, demand->dst)},
            2));
    }
    sketch->plan.network_routes = true;
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    struct cw_moves both[2] = {moves_of(&sketch->problem, &sketch->plan, 64, 1)};
    must(cw_moves_direct(&both[0], &both[1]));
    for (size_t m = 0; m < 2; m++) {
        const struct cw_moves *moves = &both[m];
        for (uint32_t r = 0; r < 5; r++) {
            uint32_t turn = 0;
            for (size_t i = moves->first_step[r]; i < moves->first_step[r + 1]; i++) {
                if (moves->steps[i].kind != CW_STEP_SEND) continue;
                assert_int_equal(moves->steps[i].to, (r + ++turn) % 5);
                assert_int_equal(moves->steps[i].stream, 4 * r + turn - 1);
                assert_true(moves->steps[i].bytes == 10 + moves->steps[i].to);
            }
            assert_int_equal(turn, 4);
        }
        carry_out(moves, m);
    }
    cw_moves_free(&both[0]);
    cw_moves_free(&both[1]);
    sketch_free(sketch);
}

/* A switch in the middle of a path has no endpoint, or two. */
static void refuses_relays_that_are_nobody(void **state)
{
    (void)state;
    struct sketch *sketch = sketch_new("xgft:2:2,2:1,1");
    struct cw_moves moves;
    sketch_demand(sketch, 0, 2, 10);
    sketch_begin(sketch);
    const struct cw_network *net = sketch->net;
    const uint32_t leaf = net->head[net->first[0]], other = net->head[net->first[2]], top = net->n_vertices - 1;
    must(cw_plan_add(&sketch->plan, 0, 1,
                     (uint32_t[]){channel_between(net, 0, leaf), channel_between(net, leaf, top),
                                  channel_between(net, top, other), channel_between(net, other, 2)},
                     4));
    assert_int_equal(cw_moves_make(&sketch->problem, &sketch->plan, 1, 1, &moves), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "the plan's paths have no bytes; it must be rounded first");
    must(cw_plan_evaluate(&sketch->problem, &sketch->plan));
    must(cw_plan_round(&sketch->problem, &sketch->plan));
    assert_int_equal(cw_moves_make(&sketch->problem, &sketch->plan, 1, 1, &moves), CW_EUSAGE);
    assert_non_null(
        strstr(cw_error_message(), "but no rank can: that is not a switch with exactly one working endpoint"));
    assert_int_equal(cw_moves_make(&sketch->problem, &sketch->plan, 1, 0, &moves), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "chunks of 1 bytes and 0 credits, expected more than 0");
    sketch_free(sketch);
}

/* --- random plans ------------------------------------------------------------------------------------------------- */

static void round_trip(const struct cw_moves *moves)
{
    struct cw_text text = {0}, again = {0};
    struct cw_moves read;
    must(cw_moves_write(moves, &text));
    must(cw_moves_parse("moves.json", text.data, text.length, &read));
    must(cw_moves_write(&read, &again));
    assert_string_equal(text.data, again.data);
    assert_int_equal(read.n_streams, moves->n_streams);
    cw_moves_free(&read);
    cw_text_free(&text);
    cw_text_free(&again);
}

/* On legs: relays are endpoints between them, and each leg is a way of the routes. */
static void legs_are_walked(void **state)
{
    (void)state;
    size_t forwards = 0, later_ways = 0;
    for (uint64_t trial = 0; trial < 30; trial++) {
        struct leg_scene *scene = leg_scene_random(trial, 1 + (uint32_t)trial % 3);
        struct cw_plan plan = plan_by(scene->base, "optimum");
        struct cw_moves moves = moves_of(&scene->base->problem, &plan, 1 + trial % 50, 1 + (uint32_t)trial % 3);
        uint32_t relays = 0;
        for (size_t p = 0; p < plan.n_paths; p++)
            if (plan.paths[p].bytes > 0)
                relays += cw_flow_relays(&scene->base->problem, plan.channels + plan.paths[p].first, plan.paths[p].n);
        for (size_t i = 0; i < moves.first_step[moves.n_ranks]; i++) {
            const struct cw_step *step = &moves.steps[i];
            relays -= step->kind == CW_STEP_FORWARD;
            forwards += step->kind == CW_STEP_FORWARD;
            if (step->kind == CW_STEP_RECEIVE) continue;
            if (step->way == CW_NONE) { /* by none of the routes: another shortest way */
                assert_true(scene->legs->setup.adaptive);
                continue;
            }
            later_ways += step->way > 0;
            uint32_t n;
            const uint32_t *way = cw_legs_channels(
                scene->legs, scene->legs->from_index[scene->base->net->tail[moves.channels[step->first_channel]]],
                scene->legs->to_index[moves.endpoints[step->to]], step->way, &n);
            assert_int_equal(n, step->n_channels);
            assert_memory_equal(way, moves.channels + step->first_channel, n * sizeof *way);
        }
        assert_int_equal(relays, 0);
        carry_out(&moves, trial);
        round_trip(&moves);
        cw_moves_free(&moves);
        cw_plan_free(&plan);
        leg_scene_free(scene);
    }
    assert_true(forwards > 20 && later_ways > 20);
}

/* --- the checker -------------------------------------------------------------------------------------------------- */

/* Of the moves of finished_sketch: what is changed in a step, and what the checker says then. */
static void checker_sees(void **state)
{
    (void)state;
    static const struct {
        size_t step;
        size_t member;
        uint32_t value;
        const char *message;
    } changes[] = {
        {0, offsetof(struct cw_step, stream), 9, "moves: ranks[0].steps[0], stream 9: there are not so many streams"},
        {1, offsetof(struct cw_step, stream), 2,
         "moves: ranks[0].steps[1], stream 2: it is sent to a rank that has no step for it"},
        {2, offsetof(struct cw_step, stream), 0,
         "moves: ranks[0].steps[2], stream 0: the steps of a rank are not in the order of their streams"},
        {4, offsetof(struct cw_step, stream), 0,
         "moves: ranks[1].steps[1], stream 0: a second step of a stream; expected a send, of what the rank has or "
         "receives"},
        {1, offsetof(struct cw_step, demand), 2, "moves: ranks[0].steps[1], stream 1: there are not so many demands"},
        {1, offsetof(struct cw_step, to), 0,
         "moves: ranks[0].steps[1], stream 1: it does not say which other rank it is from, or to, as its kind needs"},
        {1, offsetof(struct cw_step, from), 1,
         "moves: ranks[0].steps[1], stream 1: it does not say which other rank it is from, or to, as its kind needs"},
        {1, offsetof(struct cw_step, to), 3,
         "moves: ranks[0].steps[1], stream 1: it is sent to a rank that has no step for it"},
        {4, offsetof(struct cw_step, from), 2,
         "moves: ranks[0].steps[1], stream 1: it is sent to a rank that does not expect it from this one"},
        {5, offsetof(struct cw_step, demand), 0,
         "moves: ranks[1].steps[1], stream 1: who sends and who receives do not agree on its bytes"},
        {4, offsetof(struct cw_step, n_channels), 1000,
         "moves: ranks[1].steps[1], stream 1: its channels are beyond those of the moves"},
    };
    struct sketch *sketch = finished_sketch();
    struct cw_moves moves = moves_of(&sketch->problem, &sketch->plan, 64, 1);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct cw_step kept = moves.steps[changes[i].step];
        memcpy((char *)&moves.steps[changes[i].step] + changes[i].member, &changes[i].value, sizeof(uint32_t));
        assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
        assert_string_equal(cw_error_message(), changes[i].message);
        moves.steps[changes[i].step] = kept;
        must(cw_moves_verify(&moves));
    }
    cw_moves_free(&moves);
    sketch_free(sketch);
}

static void set_part(struct cw_moves *moves, uint32_t stream, uint64_t offset, uint64_t bytes)
{
    for (size_t i = 0; i < moves->first_step[moves->n_ranks]; i++)
        if (moves->steps[i].stream == stream) {
            moves->steps[i].offset = offset;
            moves->steps[i].bytes = bytes;
        }
}

/* Bytes that nobody brings, or two, or beyond the end; data that a rank does not have; a ring that nobody feeds. */
static void checker_misses_no_byte(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch();
    struct cw_moves moves = moves_of(&sketch->problem, &sketch->plan, 64, 1);
    set_part(&moves, 1, 0, 49);
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: byte 49 of demands[1] never arrives");
    set_part(&moves, 1, 0, 51);
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: byte 50 of demands[1] arrives twice");
    set_part(&moves, 1, 0, 50);
    set_part(&moves, 2, 50, 149);
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: byte 199 of demands[1] never arrives");
    set_part(&moves, 2, 50, 151);
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(),
                        "moves: ranks[0].steps[2], stream 2: its bytes are none, or beyond those of its demand");
    set_part(&moves, 2, 50, 150);
    moves.demands[1].src = 3;
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: ranks[0].steps[1], stream 1: it sends what it does not have");
    moves.demands[1].src = 0;
    moves.demands[1].dst = 3;
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: ranks[2].steps[0], stream 1: it receives what is for another rank");
    moves.demands[1].dst = 2;
    moves.steps[2].to = 2; /* past the relay, which then waits for ever */
    moves.steps[6].from = 0;
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: ranks[3].steps[0], stream 2: it waits for what nobody sends");
    cw_moves_free(&moves);
    sketch_free(sketch);
}

/* Two trees from h0 to all: 150 bytes over h1 to h2, and to h3; 50 over h3 and h2 to h1. */
static struct cw_moves broadcast(void)
{
    struct cw_text text = {0};
    struct cw_moves moves;
    must(cw_file_read(CW_TEST_DATA "/golden/moves/broadcast.json", &text));
    must(cw_moves_parse("broadcast.json", text.data, text.length, &moves));
    cw_text_free(&text);
    return moves;
}

/* What is for all others is at each of them, once. */
static void checker_follows_trees(void **state)
{
    (void)state;
    static const struct {
        size_t step, member;
        uint32_t value;
        const char *message;
    } changes[] = {
        {1, offsetof(struct cw_step, to), 1,
         "moves: ranks[0].steps[1], stream 0: it is sent to a rank that has it already"},
        {4, offsetof(struct cw_step, to), 3,
         "moves: ranks[1].steps[1], stream 0: it is sent to a rank that does not expect it from this one"},
        {4, offsetof(struct cw_step, kind), CW_STEP_RECEIVE,
         "moves: ranks[1].steps[1], stream 0: a second step of a stream; expected a send, of what the rank has or "
         "receives"},
        {9, offsetof(struct cw_step, from), 1,
         "moves: ranks[0].steps[1], stream 0: it is sent to a rank that does not expect it from this one"},
    };
    struct cw_network *net = network_of("torus:4x4@1GB/s");
    struct cw_moves moves = broadcast();
    must(cw_moves_check_network(&moves, net));
    assert_int_equal(moves.n_streams, 2);
    assert_false(cw_moves_are_for(&moves, 0, 0));
    for (uint32_t r = 1; r < 4; r++) assert_true(cw_moves_are_for(&moves, 0, r));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct cw_step kept = moves.steps[changes[i].step];
        memcpy((char *)&moves.steps[changes[i].step] + changes[i].member, &changes[i].value, sizeof(uint32_t));
        assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
        assert_string_equal(cw_error_message(), changes[i].message);
        moves.steps[changes[i].step] = kept;
        must(cw_moves_verify(&moves));
    }
    const struct cw_step kept = moves.steps[3]; /* a relay does not keep what it would send on */
    moves.steps[3].kind = CW_STEP_FORWARD;
    moves.steps[3].to = 2;
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_non_null(strstr(cw_error_message(), "ranks[1].steps[1], stream 0: a second step of a stream"));
    moves.steps[3] = kept;
    moves.demands[0].bytes = 201;
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: byte 200 of demands[0] never arrives at rank 1");
    moves.demands[0].bytes = 200;
    set_part(&moves, 1, 149, 51);
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: byte 149 of demands[0] arrives twice at rank 1");
    set_part(&moves, 1, 151, 49);
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: byte 150 of demands[0] never arrives at rank 1");
    set_part(&moves, 1, 150, 50);
    moves.demands[0].dst = 1; /* then the other ranks get what is not theirs */
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_non_null(strstr(cw_error_message(), "stream 0: it receives what is for another rank"));
    moves.demands[0].dst = CW_NONE;
    moves.demands[0].src = 1;
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: ranks[0].steps[0], stream 0: it sends what it does not have");
    cw_moves_free(&moves);
    cw_network_free(net);
}

/* Without the send to h3 nobody feeds it, and so for each other edge of the trees. */
static void checker_misses_no_rank(void **state)
{
    (void)state;
    for (size_t gone = 0;; gone++) {
        struct cw_moves moves = broadcast();
        const size_t n = moves.first_step[4];
        if (gone < n && moves.steps[gone].kind == CW_STEP_SEND) {
            memmove(moves.steps + gone, moves.steps + gone + 1, (n - gone - 1) * sizeof *moves.steps);
            for (uint32_t r = 0; r < 4; r++) moves.first_step[r + 1] -= moves.first_step[r + 1] > gone;
            assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
            assert_non_null(strstr(cw_error_message(), ": it waits for what nobody sends"));
        }
        cw_moves_free(&moves);
        if (gone == n) break;
    }
}

/* Nobody sends h3 the first tree's data, and it expects none. */
static void checker_misses_no_branch(void **state)
{
    (void)state;
    struct cw_moves moves = broadcast();
    struct cw_step *steps = moves.steps;
    assert_true(steps[1].to == 3 && steps[9].kind == CW_STEP_RECEIVE && steps[9].stream == 0);
    memmove(steps + 9, steps + 10, 2 * sizeof *steps);
    memmove(steps + 1, steps + 2, 9 * sizeof *steps);
    for (uint32_t r = 1; r <= 4; r++) moves.first_step[r] -= r == 4 ? 2 : 1;
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: byte 0 of demands[0] never arrives at rank 3");
    cw_moves_free(&moves);
}

static void knows_its_network(void **state)
{
    (void)state;
    struct sketch *sketch = finished_sketch();
    struct cw_moves moves = moves_of(&sketch->problem, &sketch->plan, 64, 1);
    struct cw_network *other = network_of("torus:5x5");
    assert_int_equal(cw_moves_check_network(&moves, other), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "these moves are of another network, torus:4x4@1GB/s");
    moves.channels[moves.steps[4].first_channel + 1]++;
    assert_int_equal(cw_moves_check_network(&moves, sketch->net), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "ranks[1].steps[1].channels do not lead from endpoint 1 to 2");
    cw_network_free(other);
    cw_moves_free(&moves);
    sketch_free(sketch);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static const char written[] =
    "{\n"
    "  \"format\": \"crosswind-moves\",\n"
    "  \"version\": 1,\n"
    "  \"network\": {\"title\": \"torus:4x4@1GB/s\", \"fingerprint\": "
    "\"689299bca4a33b24fbd27e17c7567bc0f6797cd4aade8690430687be798bf5fb\"},\n"
    "  \"method\": \"test\",\n"
    "  \"chunk_bytes\": 64,\n"
    "  \"credits\": 2,\n"
    "  \"predicted_seconds\": 0.125,\n"
    "  \"demands\": [\n"
    "    {\"src\": 0, \"dst\": 1, \"bytes\": 100},\n"
    "    {\"src\": 0, \"dst\": 2, \"bytes\": 200}],\n"
    "  \"ranks\": [\n"
    "    {\"rank\": 0, \"endpoint\": 0, \"name\": \"h0\", \"steps\": [\n"
    "      {\"do\": \"send\", \"stream\": 0, \"demand\": 0, \"offset\": 0, \"bytes\": 100, \"to\": 1, \"way\": null, "
    "\"channels\": [0, 17, 21]},\n"
    "      {\"do\": \"send\", \"stream\": 1, \"demand\": 1, \"offset\": 0, \"bytes\": 50, \"to\": 1, \"way\": null, "
    "\"channels\": [0, 17, 21]},\n"
    "      {\"do\": \"send\", \"stream\": 2, \"demand\": 1, \"offset\": 50, \"bytes\": 150, \"to\": 3, \"way\": null, "
    "\"channels\": [0, 18, 31]}]},\n"
    "    {\"rank\": 1, \"endpoint\": 1, \"name\": \"h1\", \"steps\": [\n"
    "      {\"do\": \"receive\", \"stream\": 0, \"demand\": 0, \"offset\": 0, \"bytes\": 100, \"from\": 0},\n"
    "      {\"do\": \"forward\", \"stream\": 1, \"demand\": 1, \"offset\": 0, \"bytes\": 50, \"from\": 0, \"to\": 2, "
    "\"way\": null, \"channels\": [1, 22, 26]}]},\n"
    "    {\"rank\": 2, \"endpoint\": 2, \"name\": \"h2\", \"steps\": [\n"
    "      {\"do\": \"receive\", \"stream\": 1, \"demand\": 1, \"offset\": 0, \"bytes\": 50, \"from\": 1},\n"
    "      {\"do\": \"receive\", \"stream\": 2, \"demand\": 1, \"offset\": 50, \"bytes\": 150, \"from\": 3}]},\n"
    "    {\"rank\": 3, \"endpoint\": 3, \"name\": \"h3\", \"steps\": [\n"
    "      {\"do\": \"forward\", \"stream\": 2, \"demand\": 1, \"offset\": 50, \"bytes\": 150, \"from\": 0, \"to\": 2, "
    "\"way\": null, \"channels\": [3, 33, 26]}]}]\n"
    "}\n";

static void written_form(void **state)
{
    (void)state;
    struct cw_moves trees = broadcast();
    round_trip(&trees);
    cw_moves_free(&trees);
    struct sketch *sketch = finished_sketch();
    struct cw_moves moves = moves_of(&sketch->problem, &sketch->plan, 64, 2);
    struct cw_text text = {0};
    moves.seconds = 0.125;
    must(cw_moves_write(&moves, &text));
    assert_string_equal(text.data, written);
    round_trip(&moves);
    memcpy(moves.model, "flits", sizeof "flits");
    moves.default_seconds = 0.25;
    round_trip(&moves);
    moves.model[0] = 0;
    moves.chunk_bytes = UINT64_C(1) << 63;
    moves.seconds = moves.default_seconds = NAN;
    free(moves.title);
    moves.title = NULL;
    round_trip(&moves);
    cw_text_free(&text);
    cw_moves_free(&moves);
    sketch_free(sketch);
}

static const struct {
    const char *from, *to, *message;
} malformed[] = {
    {"crosswind-moves", "crosswind-plan", "moves.json: format is \"crosswind-plan\", expected \"crosswind-moves\""},
    {"0.125,", "0.125, \"datatype\": \"uint64\",",
     "moves.json: datatype is \"uint64\", expected no such key, for no demand is a sum (\"src\": null)"},
    {"\"version\": 1", "\"version\": 2", "moves.json: version is 2, expected 1"},
    {"\"credits\": 2", "\"credits\": 0", "moves.json: credits is 0, expected a whole number from 1 to 4294967295"},
    {"\"credits\": 2", "\"x\": 2", "moves.json: x is 2, expected no such key"},
    {"\"chunk_bytes\": 64", "\"chunk_bytes\": 0", "moves.json: chunk_bytes is 0, expected more than 0"},
    {"\"method\": \"test\"", "\"method\": \"\"", "moves.json: method is \"\", expected a text of 1 to 31 bytes"},
    {"\"title\"", "\"titel\"", "moves.json: network.titel is \"torus:4x4@1GB/s\", expected no such key"},
    {"\"6892", "\"892", "moves.json: network.fingerprint is \"892"},
    {"\"6892", "\"6\\b92", "moves.json: network.fingerprint is \"6\\b92"},
    {"seconds\": 0.125", "seconds\": -1", "moves.json: predicted_seconds is -1, expected a number, 0 or more, or null"},
    {"0.125,", "0.125, \"predicted_by\": \"counts\",",
     "moves.json: predicted_by is \"counts\", expected flows or flits"},
    {"\"dst\": 1", "\"dst\": 4", "moves.json: demands[0].dst is 4, expected a whole number from 0 to 3"},
    {"\"dst\": 1", "\"dst\": null", "moves.json: byte 0 of demands[0] never arrives at rank 2"},
    {"\"dst\": 1, ", "", "moves.json: demands[0].dst is missing, expected a whole number from 0 to 3"},
    {"\"dst\": 1", "\"dst\": 0", "moves.json: demands[0] is not between two of the 4 ranks"},
    {"\"rank\": 1", "\"rank\": 2", "moves.json: ranks[1].rank is 2, expected 1"},
    {"\"endpoint\": 1", "\"endpoint\": 0", "moves.json: ranks[1].endpoint is 0, expected them in ascending order"},
    {"\"name\": \"h1\"", "\"name\": 1", "moves.json: ranks[1].name is 1, expected a text of 1 to 255 bytes"},
    {"\"do\": \"forward\"", "\"do\": \"wait\"",
     "moves.json: ranks[1].steps[1].do is \"wait\", expected \"send\", \"forward\", \"receive\" or \"combine\""},
    {"\"do\": \"forward\"", "\"do\": \"receive\"", "moves.json: ranks[1].steps[1].to is 2, expected no such key"},
    {"100, \"from\": 0}", "100, \"from\": 9}",
     "moves.json: ranks[1].steps[0].from is 9, expected a whole number from 0 to 3"},
    {", \"from\": 0}", "}", "moves.json: ranks[1].steps[0].from is missing, expected a whole number from 0 to 3"},
    {"\"way\": null", "\"way\": -1",
     "moves.json: ranks[0].steps[0].way is -1, expected a whole number from 0 to 4294967294"},
    {"[0, 17, 21]", "[]", "moves.json: ranks[0].steps[0].channels is [], expected a list of one or more channels"},
    {"[0, 17, 21]", "[0, 1.5]",
     "moves.json: ranks[0].steps[0].channels[1] is 1.5, expected a whole number from 0 to 4294967294"},
    {"\"offset\": 50, \"bytes\": 150", "\"offset\": 51, \"bytes\": 150",
     "moves.json: ranks[0].steps[2], stream 2: its bytes are none, or beyond those of its demand"},
    {"\"bytes\": 200", "\"bytes\": 201", "moves.json: byte 200 of demands[1] never arrives"},
    {"\"ranks\": [", "\"ranks\": [], \"r\": [", "moves.json: r is ["},
};

static void refuses_malformed_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        const char *at = strstr(written, malformed[i].from);
        struct cw_text text = {0};
        struct cw_moves moves;
        assert_non_null(at);
        cw_text_append(&text, written, (size_t)(at - written));
        cw_text_add(&text, malformed[i].to);
        cw_text_add(&text, at + strlen(malformed[i].from));
        must(cw_text_check(&text));
        assert_int_equal(cw_moves_parse("moves.json", text.data, text.length, &moves), CW_EPARSE);
        if (strncmp(cw_error_message(), malformed[i].message, strlen(malformed[i].message)) != 0)
            fail_msg("%s, expected %s", cw_error_message(), malformed[i].message);
        cw_text_free(&text);
    }
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* FROM of the file, wherever it is, is TO instead. */
static const struct {
    const char *from, *to, *message;
} breaches[] = {
    /* each rank's data once */
    {"\"bytes\": 16, \"from\": 2", "\"bytes\": 16, \"from\": 0",
     "ranks[1].steps[5], stream 2: it combines what has been added already"},
    {",\n      {\"do\": \"combine\", \"stream\": 2, \"demand\": 1, \"offset\": 0, \"bytes\": 16, \"from\": 2}", "",
     "ranks[1].steps[4], stream 2: the data of rank 2 are never added"},
    {"\"bytes\": 32, \"to\": 0", "\"bytes\": 32, \"to\": 2",
     "ranks[0].steps[0], stream 0: it waits for what nobody sends"},
    {"\"stream\": 2, \"demand\": 1", "\"stream\": 2, \"demand\": 0", "byte 0 of demands[0] is added up twice"},
    {"\"dst\": 1", "\"dst\": 0",
     "ranks[1].steps[4], stream 2: it combines what is for another rank, and does not send it on"},
    {"\"dst\": null, \"bytes\": 32", "\"dst\": null, \"bytes\": 40", "byte 32 of demands[0] never arrives at rank 0"},
    {"\"dst\": 1, \"bytes\": 16", "\"dst\": 1, \"bytes\": 24", "byte 16 of demands[1] never arrives"},
    /* only the sum is for all */
    {"\"stream\": 0, \"demand\": 0, \"offset\": 0, \"bytes\": 32",
     "\"stream\": 0, \"demand\": 0, \"offset\": 0, \"bytes\": 16",
     "ranks[0].steps[1], stream 1: it sends what it does not have"},
    {"\"stream\": 1, \"demand\": 0, \"offset\": 0, \"bytes\": 32",
     "\"stream\": 1, \"demand\": 1, \"offset\": 0, \"bytes\": 16",
     "ranks[1].steps[2], stream 1: it takes in what is to be added up; expected that it combines it"},
    {"[2, 11, 6]}]}]",
     "[2, 11, 6]}, {\"do\": \"send\", \"stream\": 3, \"demand\": 0, \"offset\": 0, \"bytes\": 32, \"to\": 1, "
     "\"way\": null, \"channels\": [2, 11, 6]}]}]",
     "ranks[2].steps[3], stream 3: it sends what it does not have"},
    {"{\"src\": null, \"dst\": 1", "{\"src\": 0, \"dst\": 1",
     "ranks[1].steps[4], stream 2: it combines data that nobody adds up: their demand has a src"},
    /* whole numbers, and room for them */
    {"\"chunk_bytes\": 16", "\"chunk_bytes\": 12",
     "chunk_bytes is 12, expected whole numbers of 8 bytes, which demands[0] adds up"},
    {"\"bytes\": 16, \"to\"", "\"bytes\": 12, \"to\"",
     "ranks[0].steps[2], stream 2: its bytes are not whole numbers of 8 bytes, which can be added up"},
    {"\"bytes\": 16, \"to\"", "\"bytes\": 8, \"to\"",
     "ranks[1].steps[4], stream 2: who sends and who receives do not agree on its bytes"},
    {"\"credits\": 2", "\"credits\": 0", "credits is 0, expected a whole number from 1 to 4294967295"},
    {"  \"datatype\": \"uint64\",\n", "", "datatype is missing, expected \"uint64\""},
    {"uint64", "double", "datatype is \"double\", expected \"uint64\""},
};

static void replace_all(const char *text, const char *from, const char *to, struct cw_text *out)
{
    const char *at;
    assert_non_null(strstr(text, from));
    for (; (at = strstr(text, from)); text = at + strlen(from)) {
        cw_text_append(out, text, (size_t)(at - text));
        cw_text_add(out, to);
    }
    cw_text_add(out, text);
    must(cw_text_check(out));
}

/* Who combines waits for the rank before it, which does, too. */
static void checker_sees_circles(void **state)
{
    (void)state;
    struct cw_moves_demand demand = {CW_NONE, 0, 8};
    uint32_t endpoints[] = {0, 1, 2};
    size_t first_step[] = {0, 2, 4, 6};
    struct cw_step steps[6];
    const struct cw_moves moves = {.chunk_bytes = 8,
                                   .credits = 1,
                                   .demands = &demand,
                                   .n_demands = 1,
                                   .n_ranks = 3,
                                   .n_streams = 1,
                                   .endpoints = endpoints,
                                   .first_step = first_step,
                                   .steps = steps};
    for (uint32_t r = 0; r < 3; r++) {
        steps[2 * r] =
            (struct cw_step){.kind = CW_STEP_COMBINE, .bytes = 8, .from = (r + 2) % 3, .to = CW_NONE, .way = CW_NONE};
        steps[2 * r + 1] =
            (struct cw_step){.kind = CW_STEP_SEND, .bytes = 8, .from = CW_NONE, .to = (r + 1) % 3, .way = CW_NONE};
    }
    assert_int_equal(cw_moves_verify(&moves), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "moves: ranks[0].steps[0], stream 0: it waits for what nobody sends");
}

static void checker_adds_up(void **state)
{
    (void)state;
    struct cw_text file = {0};
    struct cw_moves moves;
    must(cw_file_read(CW_TEST_DATA "/golden/moves/sums.json", &file));
    must(cw_moves_parse("sums.json", file.data, file.length, &moves));
    assert_int_equal(moves.n_streams, 3);
    round_trip(&moves);
    cw_moves_free(&moves);
    for (size_t i = 0; i < sizeof breaches / sizeof *breaches; i++) {
        struct cw_text text = {0};
        char message[256];
        replace_all(file.data, breaches[i].from, breaches[i].to, &text);
        snprintf(message, sizeof message, "sums.json: %s", breaches[i].message);
        assert_int_equal(cw_moves_parse("sums.json", text.data, text.length, &moves), CW_EPARSE);
        assert_string_equal(cw_error_message(), message);
        cw_text_free(&text);
    }
    cw_text_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_relay),
        cmocka_unit_test(the_network_carries_its_own),
        cmocka_unit_test(senders_take_turns),
        cmocka_unit_test(refuses_relays_that_are_nobody),
        cmocka_unit_test(legs_are_walked),
        cmocka_unit_test(checker_sees),
        cmocka_unit_test(checker_misses_no_byte),
        cmocka_unit_test(checker_follows_trees),
        cmocka_unit_test(checker_misses_no_rank),
        cmocka_unit_test(checker_misses_no_branch),
        cmocka_unit_test(knows_its_network),
        cmocka_unit_test(written_form),
        cmocka_unit_test(refuses_malformed_files),
        cmocka_unit_test(checker_adds_up),
        cmocka_unit_test(checker_sees_circles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
