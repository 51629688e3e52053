/* What `plan` says of its plans: steps of each rank, costs of the transport, channels, added up from its files. */
#include "cli_test.h"

#include "base/units.h"
#include "flow/moves/moves.h"
#include "net/builder.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "topo/topology.h"

extern const struct verb verb_plan, verb_route;
const struct verb *const verbs[] = {&verb_plan, &verb_route, NULL};

/* --- pictures ----------------------------------------------------------------------------------------------------- */

/* The curve of each method begins at 0, rises, and ends at 1 when all is predicted to have arrived. */
static void check_arrivals(const struct ran *ran)
{
    size_t at = 0;
    for (size_t m = 0; m < rows_of(ran, "plan"); m++) {
        const char *method = json_string_value(cell(ran, "plan", m, "method"));
        double time = 0, arrived = 0;
        size_t n = 0;
        for (; at < rows_of(ran, "arrivals") &&
               strcmp(json_string_value(cell(ran, "arrivals", at, "method")), method) == 0;
             at++, n++) {
            const double now = json_number_value(cell(ran, "arrivals", at, "time"));
            const double share = json_number_value(cell(ran, "arrivals", at, "arrived"));
            assert_true(n == 0 ? now == 0 && share == 0 : now > time && share >= arrived);
            time = now;
            arrived = share;
        }
        assert_true(n > 2 && fabs(arrived - 1) < 1e-9);
        check_real(ran, "plan", m, "predicted_seconds", time);
    }
    assert_int_equal(at, rows_of(ran, "arrivals"));
}

static void test_arrivals(void **state)
{
    (void)state;
    struct ran ran =
        result_of("plan bgq:512 --traffic 3 --method default,heuristic --bytes 64KiB"); /* packets; relays */
    check_arrivals(&ran);
    ran_free(&ran);
    ran = result_of("plan torus:4x4 --traffic alltoall --bytes 64KiB --plan plan.json");
    check_arrivals(&ran); /* a method that predicts by itself */
    ran_free(&ran);
    ran = result_of("plan torus:4x4 --check plan.json");
    check_arrivals(&ran);
    ran_free(&ran);
    ran = result_of("plan bgq:512 --traffic 3 --method default --transport none");
    assert_int_equal(rows_of(&ran, "arrivals"), 0);
    ran_free(&ran);
    struct ran text = run_line("plan torus:4x4 --traffic shift:1 --method default");
    assert_null(strstr(text.out, "arrived by when"));
    ran_free(&text);
}

/* By hand: 2 MB from h0 over three channels of s(0,0) … to h2, where 1 MB of h1 join them: two of three channels. */
static void test_busiest(void **state)
{
    (void)state;
    write_text("two.csv", "0 2 2000000\n1 2 1000000\n");
    struct ran ran = result_of("plan mesh:4@1GB/s --traffic matrix:two.csv --method default --chunk 10000B");
    const double seconds = json_number_value(cell(&ran, "plan", 0, "predicted_seconds"));
    size_t three = 0;
    for (size_t i = 0; i < rows_of(&ran, "busiest"); i++) {
        const int64_t bytes = json_integer_value(cell(&ran, "busiest", i, "bytes"));
        check_real(&ran, "busiest", i, "use", (double)bytes / 1e9 / seconds);
        three += bytes == 3000000;
        if (bytes == 3000000) check_int(&ran, "busiest", i, "paths", 2);
        if (i > 0) assert_true(bytes <= json_integer_value(cell(&ran, "busiest", i - 1, "bytes")));
    }
    assert_int_equal(three, 2); /* s(1)>s(2) and s(2)>h2 */
    check_text(&ran, "busiest", 2, "from", "h0");
    ran_free(&ran);
}

/* --- what each rank does ------------------------------------------------------------------------------------------ */

static void test_explain(void **state)
{
    (void)state;
    write_text("some.csv", "0 5 1000000\n0 6 100001\n1 5 77\n");
    struct ran ran = result_of("plan torus:4x4 --traffic matrix:some.csv --method default --chunk 64KiB --explain all");
    check_note(&ran,
               "What the plan of default has each of 4 ranks do, all of it at once; a relay has room for 2 chunks "
               "of each path's:");
    check_note(&ran,
               "h0 sends all of its 976.6 KiB for h5 to h5, in 16 chunks of 64 KiB, the last of 16.56 KiB, by way of "
               "s(0,0), s(1,0) and s(1,1). It sends all of its 97.66 KiB for h6 to h6, in 2 chunks of 64 KiB, the last "
               "of 33.66 KiB, by way of s(0,0), s(1,0), s(2,0) and s(2,1).");
    check_note(&ran, "h1 sends all of its 77 B for h5 to h5, in one chunk, by way of s(1,0) and s(1,1).");
    check_note(&ran, "h5 receives all of h0's 976.6 KiB from h0, in 16 chunks of 64 KiB, the last of 16.56 KiB. It "
                     "receives all of h1's 77 B from h1, in one chunk.");
    check_note(&ran, "h6 receives all of h0's 97.66 KiB from h0, in 2 chunks");
    ran_free(&ran);
    write_text("even.csv", "0 5 131072\n");
    ran = result_of("plan torus:4x4 --traffic matrix:even.csv --method default --chunk 64KiB --explain h5");
    check_note(&ran, "h5 receives all of h0's 128 KiB from h0, in 2 chunks of 64 KiB."); /* all of one size */
    assert_int_equal(notes_with(&ran, "h0 sends"), 0);
    ran_free(&ran);
    struct cw_builder *builder = cw_builder_new(2, 1, 2); /* the longest name that there may be */
    struct cw_network *net;
    char name[CW_NAME_SIZE], said[2 * CW_NAME_SIZE + 100];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cw_builder_name(builder, 0, name);
    cw_builder_name(builder, 1, "other");
    cw_builder_name(builder, 2, "switch");
    for (uint32_t h = 0; h < 2; h++) cw_builder_cable(builder, h, 1, 2, 1 + h, 5e9, 0);
    if (cw_builder_finish(builder, &net) != 0) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_network_write(net, "long.json"), 0);
    cw_network_free(net);
    write_text("long.csv", "0 1 131072\n");
    ran = result_of("plan long.json --traffic matrix:long.csv --method default --chunk 64KiB --explain all");
    snprintf(said, sizeof said, " receives all of %s's 128 KiB from %s, in ", name, name);
    check_note(&ran, said);
    ran_free(&ran);
    check_refused("plan torus:4x4 --traffic matrix:even.csv --method default --explain h5,h1", 1,
                  "no endpoint called 'h1' has a part in this plan; expected e.g. h0");
}

/* Relays: each step of the file that is written, in the words that it should have. */
static void test_relays(void **state)
{
    (void)state;
    struct cw_network *net;
    struct cw_moves moves;
    size_t forwards = 0;
    write_text("one.csv", "0 5 1000000\n");
    struct ran ran = result_of("plan torus:4x4 --traffic matrix:one.csv --method default,optimum --relays switches "
                               "--host-limit no --chunk 10000B --moves moves.json --explain all");
    char *content = content_of("moves.json");
    assert_int_equal(cw_moves_parse("moves.json", content, strlen(content), &moves), 0);
    assert_int_equal(cw_topology_build("torus:4x4", &net), 0);
    for (uint32_t r = 0; r < moves.n_ranks; r++) {
        uint64_t room = 0;
        char said[300];
        for (size_t i = moves.first_step[r]; i < moves.first_step[r + 1]; i++) {
            const struct cw_step *step = &moves.steps[i];
            const unsigned long long first = step->offset, last = step->offset + step->bytes - 1;
            assert_true(step->bytes < 1000000); /* several paths */
            if (step->kind == CW_STEP_SEND)
                snprintf(said, sizeof said, " sends bytes %llu to %llu of its 976.6 KiB for h5 to %s, in %llu chunks",
                         first, last, moves.names[step->to], (last - first + 10000) / 10000);
            else if (step->kind == CW_STEP_RECEIVE)
                snprintf(said, sizeof said, " receives bytes %llu to %llu of h0's 976.6 KiB from %s, in ", first, last,
                         moves.names[step->from]);
            else
                snprintf(said, sizeof said, "%s forwards bytes %llu to %llu of h0's 976.6 KiB for h5 from %s to %s, ",
                         moves.names[r], first, last, moves.names[step->from], moves.names[step->to]);
            check_note(&ran, said);
            if (step->kind != CW_STEP_FORWARD) continue;
            room += 2;
            snprintf(said, sizeof said, " For what it forwards it has room for %d chunks.", (int)room);
        }
        if (room > 0) assert_true(notes_with(&ran, said) > 0);
        forwards += room / 2;
    }
    assert_true(forwards >= 4); /* four ways out of h0's switch, two hops at least */
    assert_int_equal(notes_with(&ran, ", each once all of it is there, by way of "), forwards);
    check_note(&ran, "Written to moves.json: what each of");
    check_real(&ran, "plan", 1, "predicted_seconds", moves.seconds);
    check_real(&ran, "plan", 0, "predicted_seconds", moves.default_seconds); /* the same data, the same way */
    check_text(&ran, "plan", 1, "method", moves.method);
    cw_network_free(net);
    cw_moves_free(&moves);
    free(content);
    ran_free(&ran);
}

/* --- the transport ------------------------------------------------------------------------------------------------ */

/* With TRANSPORT ("": none is named), costs are said to be COSTS. */
static void check_costs(const char *transport, const char *costs, bool known)
{
    char line[300], said[500];
    snprintf(line, sizeof line, "plan torus:4x4 --traffic matrix:some.csv --method default,lp %s", transport);
    struct ran ran = result_of(line);
    const json_t *notes = json_object_get(ran.json, "notes");
    size_t same = 0;
    snprintf(said, sizeof said, "Times are predicted by a simulated transport: chunks of %s", costs);
    for (size_t i = 0; i < json_array_size(notes); i++)
        same += strcmp(json_string_value(json_array_get(notes, i)), said) == 0;
    if (same != 1) fail_msg("'%s' does not say '%s' but\n%s", line, said, ran.out);
    assert_int_equal(notes_with(&ran, "The cost of relaying on this network is not known."), !known);
    const double bytes = 1100078, seconds = json_number_value(cell(&ran, "plan", 0, "predicted_seconds"));
    assert_true(seconds > json_number_value(cell(&ran, "plan", 0, "bandwidth_seconds")) * (1 - 1e-9));
    assert_true(fabs(json_number_value(cell(&ran, "plan", 0, "predicted_GBps")) / (1e-9 * bytes / seconds) - 1) < 1e-8);
    ran_free(&ran);
}

static void test_costs(void **state)
{
    (void)state;
    write_text("some.csv", "0 5 1000000\n0 6 100001\n1 5 77\n");
    check_costs("--chunk 64KiB",
                "64 KiB, store and forward, buffers for 2 chunks of each path at each relay, its own chunks first, "
                "100 % of a channel's capacity.",
                false);
    check_costs(
        "--transport bgq:chunk=4KiB",
        "4 KiB, store and forward, buffers for 1 chunk of each path at each relay, its own chunks first, 1 µs a "
        "chunk, at most 32 Gbit/s copied by a relay in all, 5 µs a hop, 10 ns a chunk for each that the node "
        "handled before, 85 % of a channel's capacity.",
        true);
    check_costs("--transport ideal:chunk=1KiB,credits=3,copy=2GB/s,injection=4GB/s,reception=3GB/s,efficiency=0.5,"
                "order=forward",
                "1 KiB, store and forward, buffers for 3 chunks of each path at each relay, chunks to forward first, "
                "copies at 16 Gbit/s, at most 24 Gbit/s received by a node, at most 32 Gbit/s a node, 50 % of a "
                "channel's capacity.",
                true);
    check_costs("--transport ideal:chunk=1KiB,cut-through=yes,copy=2GB/s,node-copy=1GB/s,order=first-come",
                "1 KiB, cut-through, buffers for 2 chunks of each path at each relay, chunks as they come, 100 % of a "
                "channel's capacity.",
                true);
    struct ran ran = result_of("plan torus:4x4 --traffic matrix:some.csv --method default --transport none");
    check_text(&ran, "plan", 0, "predicted_seconds", NULL);
    check_note(&ran, "--transport none does not predict how much longer.");
    ran_free(&ran);
    write_text("much.csv", "0 5 1000000000000\n");
    ran = result_of("plan torus:4x4 --traffic matrix:much.csv --method default --chunk 1B");
    check_note(&ran, "1 plan was not simulated: too many chunks.");
    assert_int_equal(notes_with(&ran, "Times are predicted"), 0);
    ran_free(&ran);
    ran = result_of("plan torus:4x4 --traffic matrix:much.csv --method default,lp --chunk 1B");
    check_note(&ran, "2 plans were not simulated: too many chunks.");
    ran_free(&ran);
}

/* So many chunks that some are simulated as one: the least power of 2 that leaves at most 8 million hops. */
static void test_many_chunks(void **state)
{
    (void)state;
    const uint64_t bytes[] = {131072000000, 131072065536}, chunk = 65536;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        char content[64], said[100];
        unsigned together = 1;
        snprintf(content, sizeof content, "0 5 %llu\n", (unsigned long long)bytes[i]);
        write_text("many.csv", content);
        struct ran ran = result_of("plan torus:4x4 --traffic matrix:many.csv --method default");
        const int64_t hops = json_integer_value(cell(&ran, "plan", 0, "hops_max"));
        assert_int_equal(hops, 4); /* with the cables of both hosts */
        while ((bytes[i] + chunk - 1) / chunk * (uint64_t)hops > UINT64_C(8000000) * together) together *= 2;
        snprintf(said, sizeof said, "The data are so many chunks that %u of a path are simulated as one", together);
        if (together > 1) check_note(&ran, said);
        if (together > 1) check_note(&ran, "--chunk 65536B simulates each.");
        assert_int_equal(notes_with(&ran, "simulated as one"), together > 1);
        ran_free(&ran);
    }
}

/* The packets of the machine choose their ways, unless routes are named that they are to keep to. */
static void test_bgq_adaptive(void **state)
{
    (void)state;
    struct ran ran = result_of("route torus:4x4 --routing dor --write dor.lfts");
    ran_free(&ran);
    const char *const options[] = {"", "--routing dor", "--lft dor.lfts", "--routing dor --transport bgq:adaptive=yes",
                                   "--transport bgq:adaptive=no"};
    const size_t chosen[] = {1, 0, 0, 1, 0};
    write_text("some.csv", "0 5 1000000\n0 6 100001\n1 5 77\n");
    for (size_t i = 0; i < 5; i++) {
        char line[300];
        snprintf(line, sizeof line, "plan torus:4x4 --traffic matrix:some.csv --method default %s %s",
                 i < 3 ? "--transport bgq" : "", options[i]);
        ran = result_of(line);
        if (notes_with(&ran, "the packets of a message choose their ways") != chosen[i]) fail_msg("%s", line);
        ran_free(&ran);
    }
}

/* Pairs that have fewer paths than were wished for: between neighbours of a ring there are two. */
static void test_fewer_paths(void **state)
{
    (void)state;
    write_text("ring.csv", "0 1 1000\n0 2 1000\n");
    struct ran ran = result_of("plan torus:6 --traffic matrix:ring.csv --method heuristic --k 3 --relays switches");
    check_note(&ran, "2 of 2 pairs have fewer than k = 3 paths, the least 2.");
    ran_free(&ran);
    ran = result_of("plan torus:6 --traffic matrix:ring.csv --method heuristic --k 2 --relays switches");
    assert_int_equal(notes_with(&ran, "have fewer than k"), 0);
    ran_free(&ran);
    ran = result_of("plan torus:6 --traffic matrix:ring.csv --method heuristic --k 2 --relays switches --max-hops 4");
    check_note(&ran, "1 of 2 pairs have fewer than k = 2 paths within --max-hops, the least 1.");
    ran_free(&ran);
}

/* --- who and where ------------------------------------------------------------------------------------------------ */

static void test_channels(void **state)
{
    (void)state;
    struct cw_network *net;
    uint64_t bytes[200] = {0};
    unsigned paths[200] = {0};
    char name[2 * CW_NAME_SIZE];
    assert_int_equal(cw_topology_build("torus:4x4", &net), 0);
    assert_true(net->n_channels <= 200);
    write_text("two.csv", "0 5 1000000\n2 9 300000\n");
    struct ran ran = result_of("plan torus:4x4 --traffic matrix:two.csv --method optimum --plan plan.json "
                               "--channels channels.csv");
    json_t *plan = json_load_file("plan.json", 0, NULL);
    const json_t *demands = json_object_get(plan, "demands");
    for (size_t d = 0; d < json_array_size(demands); d++) {
        const json_t *list = json_object_get(json_array_get(demands, d), "paths");
        for (size_t p = 0; p < json_array_size(list); p++) {
            const json_t *channels = json_object_get(json_array_get(list, p), "channels");
            const json_int_t part = json_integer_value(json_object_get(json_array_get(list, p), "bytes"));
            for (size_t c = 0; part > 0 && c < json_array_size(channels); c++) {
                const json_int_t channel = json_integer_value(json_array_get(channels, c));
                bytes[channel] += (uint64_t)part;
                paths[channel]++;
            }
        }
    }
    char *content = content_of("channels.csv"), *line = strchr(content, '\n') + 1;
    for (uint32_t c = 0; c < net->n_channels; c++) {
        char said[300];
        snprintf(said, sizeof said, ",%u,\"%s\",5000000000,%llu,%u\n", c,
                 cw_network_channel_name(net, c, name, sizeof name), (unsigned long long)bytes[c], paths[c]);
        char *end = strchr(line, '\n') + 1, *at = strstr(line, said);
        if (!at || at + strlen(said) != end) fail_msg("'%.*s' does not end with '%s'", (int)(end - line), line, said);
        line = end;
    }
    assert_int_equal(*line, 0);
    free(content);
    json_decref(plan);
    cw_network_free(net);
    ran_free(&ran);
}

static void test_who(void **state)
{
    (void)state;
    write_text("first.csv", "0 5 1000\n1 2 1000\n");
    struct ran ran = result_of("plan torus:4x4 --traffic matrix:first.csv --method default --plan plan.json");
    ran_free(&ran);
    check_refused("plan torus:4x4 --check plan.json --endpoints h1,h2,h5", 2,
                  "demand 0: h0 is not among the 3 of 16 endpoints that take part");
    check_refused("plan torus:4x4 --check plan.json --endpoints h0,h5,h1", 2,
                  "demand 1: h2 is not among the 3 of 16 endpoints that take part");
    check_refused("plan torus:4x4 --check plan.json --explain h7", 1, "expected e.g. h0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrivals),    cmocka_unit_test(test_busiest),     cmocka_unit_test(test_explain),
        cmocka_unit_test(test_relays),      cmocka_unit_test(test_costs),       cmocka_unit_test(test_channels),
        cmocka_unit_test(test_who),         cmocka_unit_test(test_many_chunks), cmocka_unit_test(test_bgq_adaptive),
        cmocka_unit_test(test_fewer_paths),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
