/* Moves made of others: what they promise of bytes, and that they hold what cw_moves_verify asks of all. */
#include "plan_test.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "flow/moves/moves_change.h"
#include "route/engine.h"

/* h0 sends 100 bytes to h1, and 200 to h2: 50 by way of h1, and 150 by way of h3. */
static struct cw_moves read_file(const char *file)
{
    struct cw_moves moves;
    struct cw_text text = {0};
    must(cw_file_read(file, &text));
    must(cw_moves_parse(file, text.data, text.length, &moves));
    cw_text_free(&text);
    return moves;
}

static struct cw_moves read_moves(void)
{
    return read_file(CW_TEST_DATA "/golden/moves/two-demands.json");
}

/* h0 has 200 bytes for all. */
static struct cw_moves read_broadcast(void)
{
    return read_file(CW_TEST_DATA "/golden/moves/broadcast.json");
}

static void direct_moves_are_one_stream_a_demand(void **state)
{
    (void)state;
    struct cw_moves moves = read_moves(), direct;
    moves.seconds = 3;
    moves.default_seconds = 5;
    must(cw_moves_direct(&moves, &direct));
    assert_int_equal(direct.n_ranks, moves.n_ranks);
    assert_int_equal(direct.n_streams, 2);
    assert_int_equal(direct.first_step[direct.n_ranks], 4);
    assert_true(direct.seconds == 5);
    for (size_t i = 0; i < 4; i++) {
        const struct cw_step *step = &direct.steps[i];
        assert_true(step->kind != CW_STEP_FORWARD);
        assert_true(step->bytes == moves.demands[step->demand].bytes && step->offset == 0);
    }
    cw_moves_free(&direct);
    cw_moves_free(&moves);
}

/* Each stream has the channels of its pair's route, and the whole is of the network. */
static void routed_moves_take_the_routes(void **state)
{
    (void)state;
    struct cw_moves moves = read_moves(), routed;
    struct cw_network *net = network_of("torus:4x4@1GB/s");
    struct cw_routes *routes;
    uint32_t channels[16], hops;
    size_t n = 0;
    must(cw_engine_route(net, NULL, 1, 1, &routes));
    must(cw_moves_routed(&moves, routes, "mine", &routed));
    must(cw_moves_check_network(&routed, net));
    assert_string_equal(routed.method, "mine");
    for (size_t i = 0; i < routed.first_step[routed.n_ranks]; i++) {
        const struct cw_step *step = &routed.steps[i];
        if (step->kind != CW_STEP_SEND) continue;
        const struct cw_moves_demand *demand = &moves.demands[step->demand];
        must(cw_routes_paths(routes, 1, &moves.endpoints[demand->src], &moves.endpoints[demand->dst], &hops, channels,
                             NULL));
        assert_int_equal(step->n_channels, hops);
        assert_memory_equal(routed.channels + step->first_channel, channels, hops * sizeof *channels);
        assert_true(step->bytes == demand->bytes);
        n++;
    }
    assert_int_equal(n, moves.n_demands);
    cw_moves_free(&routed);
    cw_routes_free(routes);
    cw_network_free(net);
    cw_moves_free(&moves);
}

/* The source sends what is for all to each, beginning with the next rank; by routes, too. One rank for each takes over
 * the trees as they are; how several would is not said. */
static void what_is_for_all_goes_to_each(void **state)
{
    (void)state;
    struct cw_moves moves = read_broadcast(), direct, routed, same;
    struct cw_network *net = network_of("torus:4x4@1GB/s");
    struct cw_routes *routes;
    moves.demands[0].src = 2; /* the steps of these moves do not matter */
    must(cw_moves_direct(&moves, &direct));
    assert_int_equal(direct.n_streams, 1);
    assert_int_equal(direct.first_step[4], 6);
    static const uint32_t to[] = {3, 0, 1};
    for (size_t k = 0; k < 3; k++) {
        const struct cw_step *step = &direct.steps[direct.first_step[2] + k];
        assert_true(step->kind == CW_STEP_SEND && step->to == to[k] && step->bytes == 200);
    }
    must(cw_engine_route(net, NULL, 1, 1, &routes));
    must(cw_moves_routed(&moves, routes, "mine", &routed));
    must(cw_moves_check_network(&routed, net));
    cw_moves_free(&routed);
    cw_moves_free(&direct);
    moves.demands[0].src = 0;
    must(cw_moves_split(&moves, 1, &same));
    assert_memory_equal(same.steps, moves.steps, moves.first_step[4] * sizeof *moves.steps);
    assert_true(same.demands[0].dst == CW_NONE && same.demands[0].bytes == 200);
    cw_moves_free(&same);
    assert_int_equal(cw_moves_split(&moves, 2, &same), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "2 ranks for each of 4 endpoints, and data of all or for all: expected one for each");
    cw_moves_free(&moves);
    cw_routes_free(routes);
    cw_network_free(net);
}

/* One rank in the place of each leaves them as they are; more, or direct ways, they have none. */
static void sums_stay_as_they_are(void **state)
{
    (void)state;
    struct cw_text file = {0};
    struct cw_moves moves, made;
    must(cw_file_read(CW_TEST_DATA "/golden/moves/sums.json", &file));
    must(cw_moves_parse("sums.json", file.data, file.length, &moves));
    must(cw_moves_split(&moves, 1, &made));
    assert_memory_equal(made.steps, moves.steps, moves.first_step[3] * sizeof *moves.steps);
    assert_memory_equal(made.demands, moves.demands, moves.n_demands * sizeof *moves.demands);
    cw_moves_free(&made);
    assert_int_equal(cw_moves_split(&moves, 2, &made), CW_EUSAGE);
    assert_int_equal(cw_moves_direct(&moves, &made), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "data that ranks add up have no direct way: they are combined where trees meet");
    cw_moves_free(&moves);
    cw_text_free(&file);
}

/* Verified by cw_moves_verify; what it does not know is how evenly chunks are shared out, and where they were before.
 */
static void lanes_share_chunks_out(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 5; n++) {
        struct cw_moves moves = read_moves(), lanes;
        moves.chunk_bytes = 20;
        must(cw_moves_split(&moves, n, &lanes));
        assert_int_equal(lanes.n_ranks, 4 * n);
        for (size_t d = 0; d < moves.n_demands; d++) {
            uint64_t bytes = 0;
            for (uint32_t j = 0; j < n; j++) {
                const struct cw_moves_demand *part = &lanes.demands[d * n + j];
                assert_int_equal(part->src, moves.demands[d].src * n + j);
                assert_int_equal(part->dst, moves.demands[d].dst * n + j);
                bytes += part->bytes;
            }
            assert_true(bytes == moves.demands[d].bytes);
        }
        for (size_t i = 0; i < lanes.first_step[lanes.n_ranks]; i++) {
            const struct cw_step *step = &lanes.steps[i];
            const size_t whole = cw_moves_find(&moves, 0, step->stream / n); /* h0 sends all */
            const uint64_t chunks = cw_moves_chunks(&moves, moves.steps[whole].bytes);
            const uint64_t own = cw_moves_chunks(&moves, step->bytes);
            assert_true(own == chunks / n || own == chunks / n + 1);
        }
        assert_string_equal(lanes.names[n], n > 1 ? "h1.0" : "h1");
        cw_moves_free(&lanes);
        cw_moves_free(&moves);
    }
}

static void lines_are_one_stream(void **state)
{
    (void)state;
    struct cw_moves moves = read_moves(), line;
    must(cw_moves_line(&moves, NODES(2, 0, 3), 10, 7, &line));
    assert_int_equal(line.first_step[4], 3);
    assert_int_equal(line.steps[line.first_step[0]].kind, CW_STEP_FORWARD);
    assert_int_equal(line.demands[0].bytes, 70);
    assert_int_equal(line.chunk_bytes, 10);
    cw_moves_free(&line);
    cw_moves_free(&moves);
}

static void refuses_too_many_lanes(void **state)
{
    (void)state;
    struct cw_moves moves = read_moves(), lanes;
    assert_int_equal(cw_moves_split(&moves, 0, &lanes), CW_ELIMIT);
    assert_int_equal(cw_moves_split(&moves, UINT32_MAX, &lanes), CW_ELIMIT);
    /* 65537 · 65535 = 2^32 - 1: the last endpoint that there can be, and one stream too many */
    moves.endpoints[3] = 65536;
    must(cw_moves_split(&moves, 65535, &lanes));
    assert_true(lanes.endpoints[lanes.n_ranks - 1] == CW_NONE - 1);
    cw_moves_free(&lanes);
    assert_int_equal(cw_moves_split(&moves, 65536, &lanes), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "65536 ranks in the place of each of 4");
    moves.endpoints[3] = 3;
    moves.n_streams = 65537;
    assert_int_equal(cw_moves_split(&moves, 65535, &lanes), CW_ELIMIT);
    assert_string_equal(cw_error_message(), "65535 ranks in the place of each of 4");
    cw_moves_free(&moves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_moves_are_one_stream_a_demand),
        cmocka_unit_test(routed_moves_take_the_routes),
        cmocka_unit_test(what_is_for_all_goes_to_each),
        cmocka_unit_test(lanes_share_chunks_out),
        cmocka_unit_test(sums_stay_as_they_are),
        cmocka_unit_test(lines_are_one_stream),
        cmocka_unit_test(refuses_too_many_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
