/* What verbs do with a network before they compute: who takes part, which routes, and what is said of it. */
#include "cli_test.h"

#include "net/builder.h"
#include "net/files/formats.h"

extern const struct verb verb_route, verb_ebb, verb_congestion, verb_topo;
const struct verb *const verbs[] = {&verb_route, &verb_ebb, &verb_congestion, &verb_topo, NULL};

/* Two switches that two cables join, three hosts at each; what the last endpoints are is given. */
static void write_fabric(const char *path, uint32_t n_aggregation, uint32_t n_routers, double second)
{
    const uint32_t n = 6;
    struct cw_builder *builder = cw_builder_new(n, 2, n + 2);
    struct cw_network *net;
    for (uint32_t v = 0; v < n + 2; v++) {
        struct cw_identity identity = {
            .node_guid = 0x1000 + v, .port_guid = 0x2000 + v, .lid = v + 1, .kind = CW_KIND_HOST, .ports = 1};
        char name[32];
        if (v >= n) identity.kind = CW_KIND_SWITCH;
        if (v < n && v >= n - n_routers)
            identity.kind = CW_KIND_ROUTER;
        else if (v < n && v >= n - n_routers - n_aggregation)
            identity.kind = CW_KIND_AGGREGATION;
        if (v >= n) identity.ports = 8;
        snprintf(name, sizeof name, v < n ? "node%u" : "switch%u", v < n ? v : v - n);
        cw_builder_name(builder, v, name);
        cw_builder_identity(builder, v, &identity);
    }
    for (uint32_t h = 0; h < n; h++) cw_builder_cable(builder, h, 1, n + h / 3, 1 + h % 3, 5e9, 1e-7);
    cw_builder_cable(builder, n, 4, n + 1, 4, 5e9, 1e-7);
    cw_builder_cable(builder, n, 5, n + 1, 5, second, 1e-7);
    assert_int_equal(cw_builder_finish(builder, &net), 0);
    assert_int_equal(cw_network_write(net, path), 0);
    cw_network_free(net);
}

static void check_pairs(const char *line, int64_t endpoints, int64_t pairs)
{
    struct ran ran = result_of(line);
    const json_t *context = json_object_get(json_object_get(ran.json, "context"), "endpoints");
    assert_int_equal(json_integer_value(context), endpoints);
    check_int(&ran, "routes", 0, "pairs", pairs);
    ran_free(&ran);
}

/* --- endpoints ---------------------------------------------------------------------------------------------------- */

/* Who is named; hosts alone where traffic is sent. */
static void test_endpoints(void **state)
{
    (void)state;
    write_fabric("f.json", 1, 2, 5e9);
    check_pairs("route f.json", 6, 30);
    check_pairs("route f.json --endpoints all", 6, 30);
    check_pairs("route f.json --endpoints hca", 3, 6);
    check_pairs("route f.json --endpoints node[1-4]", 4, 12);
    check_pairs("route f.json --endpoints node0,node5", 2, 2);
    write_text("names", "node1\nnode2\nnode3\n");
    check_pairs("route f.json --endpoints names", 3, 6);
    struct ran ran = result_of("ebb f.json --trials 10");
    check_note(
        &ran,
        "1 of 6 endpoints is an aggregation node inside a switch and neither sends nor receives. --endpoints all");
    check_note(&ran, "2 of 6 endpoints are routers and neither send nor receive. --endpoints all includes them.");
    check_note(&ran, "3 of 6 endpoints take part. The routes are those of the whole network.");
    ran_free(&ran);
    write_fabric("f.json", 2, 1, 5e9);
    ran = result_of("ebb f.json --trials 10");
    check_note(&ran, "2 of 6 endpoints are aggregation nodes inside switches and neither send nor receive.");
    check_note(&ran, "1 of 6 endpoints is a router and neither sends nor receives.");
    ran_free(&ran);
    ran = result_of("ebb f.json --trials 10 --endpoints all");
    assert_int_equal(notes_with(&ran, "neither send"), 0);
    assert_int_equal(notes_with(&ran, "take part"), 0);
    ran_free(&ran);
    ran = result_of("topo f.json --endpoints node[0-3]");
    check_int(&ran, "topology", 0, "endpoints", 4);
    check_int(&ran, "topology", 0, "cables", 6);
    check_note(&ran, "4 of 6 endpoints are left. The others are removed with their cables.");
    ran_free(&ran);
}

/* Speeds that are not alike are said to be. */
static void test_speeds(void **state)
{
    (void)state;
    write_fabric("f.json", 0, 0, 1.25e9);
    struct ran ran = result_of("congestion f.json --traffic shift:3");
    check_note(
        &ran,
        "Capacities range from 10 Gbit/s to 40 Gbit/s. 1 stands for the fastest cable of an endpoint, 40 Gbit/s;");
    ran_free(&ran);
    ran = result_of("ebb f.json --trials 5");
    check_note(&ran, "Capacities range from 10 Gbit/s to 40 Gbit/s. 1 stands for");
    ran_free(&ran);
    ran = result_of("ebb f.json --trials 5 --equal-speeds");
    check_note(&ran, "Capacities range from 10 Gbit/s to 40 Gbit/s, but all channels count as equally fast");
    ran_free(&ran);
    write_fabric("f.json", 0, 0, 5e9);
    ran = result_of("ebb f.json --trials 5");
    assert_int_equal(notes_with(&ran, "Capacities range"), 0);
    ran_free(&ran);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Tables that were written are the same routes when they are read; after a failure pairs have lost theirs, and a repair
 * gives them others. */
static void test_tables(void **state)
{
    (void)state;
    write_fabric("f.json", 0, 0, 5e9);
    struct ran made = result_of("route f.json --routing minhop --write-json lft.json");
    struct ran read = result_of("route f.json --lft lft.json");
    assert_true(json_equal(table_of(&made, "balance"), table_of(&read, "balance")));
    check_text(&made, "routes", 0, "routes_are", "made");
    check_text(&read, "routes", 0, "routes_are", "read");
    json_object_del(json_array_get(table_of(&made, "routes"), 0), "routes_are");
    json_object_del(json_array_get(table_of(&read, "routes"), 0), "routes_are");
    assert_true(json_equal(table_of(&made, "routes"), table_of(&read, "routes")));
    check_note(&read, "for 2 switches were read.");
    ran_free(&made);
    ran_free(&read);
    struct ran ran = run_line("route f.json --lft lft.json --failed switch0/4 --format json --threads 1");
    assert_int_equal(ran.status, 1);
    const int64_t reached = json_integer_value(cell(&ran, "routes", 0, "reached")),
                  holes = json_integer_value(cell(&ran, "routes", 0, "holes"));
    assert_true(holes > 0 && reached + holes == 30 && reached >= 12);
    char said[120];
    snprintf(said, sizeof said, "%lld of 30 pairs have lost their route: ", (long long)holes);
    check_note(&ran, said);
    ran_free(&ran);
    snprintf(said, sizeof said, "%lld of 30 pairs have no route in lft.json", (long long)holes);
    check_refused("ebb f.json --lft lft.json --failed switch0/4", 1, said);
    ran = result_of("route f.json --lft lft.json --failed switch0/4 --repair minhop");
    check_int(&ran, "routes", 0, "reached", 30);
    int64_t entries = 0;
    for (size_t i = 0; i < rows_of(&ran, "changes"); i++)
        entries += json_integer_value(cell(&ran, "changes", i, "entries"));
    snprintf(said, sizeof said,
             "By lft.json, %lld of 30 pairs had lost their route. %lld table entries now come from minhop",
             (long long)holes, (long long)entries);
    check_note(&ran, said);
    ran_free(&ran);
}

static void test_refusals(void **state)
{
    (void)state;
    write_fabric("f.json", 0, 0, 5e9);
    write_text("some", "");
    static const char *const cases[][2] = {
        {"route f.json --routing minhop --lft some", "only one of --routing, --lft and --paths can be given"},
        {"route f.json --paths some --lft some", "only one of --routing, --lft and --paths can be given"},
        {"route f.json --tables --lft some", "--tables is for --routing, not for --lft or --paths"},
        {"route f.json --repair minhop", "--repair is for the fabric's own tables, --lft"},
        {"route f.json --path-records some", "--path-records and --sl2vl must be given together"},
        {"route f.json --path-records some --sl2vl some", "--path-records and --sl2vl are for the fabric's own tables"},
        {"ebb f.json --endpoints node9", "node9"},
        {"ebb f.json --routing nonesuch", "nonesuch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_refused(cases[i][0], 2, cases[i][1]);
}

/* --- faults ------------------------------------------------------------------------------------------------------- */

/* Who is cut off does not take part, or counts as 0, or is a pair without a route. */
static void test_cut_off(void **state)
{
    (void)state;
    write_fabric("f.json", 0, 0, 5e9);
    struct ran ran = result_of("congestion f.json --traffic shift:1 --failed node5");
    check_int(&ran, "congestion", 0, "ranks", 5);
    check_note(&ran, "1 of 6 endpoints has no path to the other 5 and does not take part: node5.");
    check_note(&ran, "10 of 30 pairs of endpoints cannot communicate. No figure counts them.");
    ran_free(&ran);
    ran = result_of("congestion f.json --traffic shift:1 --failed node5,node4");
    check_note(&ran, "2 of 6 endpoints have no path to the other 4 and do not take part: node4, node5.");
    check_note(&ran, "18 of 30 pairs of endpoints cannot communicate.");
    ran_free(&ran);
    ran = run_line("ebb f.json --trials 20 --failed node5 --format json --threads 1");
    assert_int_equal(ran.status, 1);
    check_note(&ran, "1 of 6 endpoints has no path to the other 5: node5.");
    check_note(&ran, "10 of 30 pairs of endpoints cannot communicate. They count as 0.");
    ran_free(&ran);
    ran = result_of("route f.json --failed 'switch0/4>switch1' --routing minhop");
    check_note(&ran, "1 cable works in one direction only: switch1/4>switch0/4.");
    check_int(&ran, "routes", 0, "reached", 30);
    ran_free(&ran);
    ran = result_of("route f.json --failed 'switch0/4>switch1,switch1/5>switch0' --routing minhop");
    check_note(&ran, "2 cables work in one direction only: ");
    ran_free(&ran);
}

/* A fabric whose routes nobody has said is not called one that deadlocks: those that were assumed are. */
static void test_assumed_routes(void **state)
{
    (void)state;
    struct ran ran = run_line("topo jellyfish:16,4,2 --failed 3% --write some.json --format json");
    ran_free(&ran);
    ran = result_of("route some.json");
    check_note(&ran, "The routes that are assumed here, not the fabric's own, are not free of deadlocks: ");
    check_text(&ran, "routes", 0, "routes_are", "assumed");
    ran_free(&ran);
    ran = result_of("route some.json --routing minhop");
    check_note(&ran, "Not deadlock-free: ");
    check_text(&ran, "routes", 0, "routes_are", "made");
    ran_free(&ran);
    ran = run_line("topo xgft:2:4,4:1,4 --failed 8% --write tree.json --format json");
    ran_free(&ran);
    ran = result_of("route tree.json");
    check_note(&ran, "The routes that are assumed here, not the fabric's own, are free of deadlocks: ");
    ran_free(&ran);
    ran = result_of("route crossbar:4");
    check_text(&ran, "routes", 0, "routes_are", "made");
    check_note(&ran, "Deadlock-free: ");
    ran_free(&ran);
}

/* Where the routing of a shape is given up for a failure, figures of the whole network by that routing say nothing. */
static void test_other_engine(void **state)
{
    (void)state;
    struct ran ran = result_of("ebb xgft:2:4,4:1,2 --trials 5 --failed 's1.0>s2.0'");
    check_note(&ran, "The whole network is routed by dmodk, this one by minhop. ");
    check_note(&ran, "compare with the whole network by --routing minhop.");
    ran_free(&ran);
    struct ran by_is = result_of("route xgft:2:4,4:1,2 --routing minhop"), by_was = result_of("route xgft:2:4,4:1,2");
    char sentence[200];
    snprintf(sentence, sizeof sentence, "messages, dmodk %.3f and %.4g.",
             json_number_value(cell(&by_was, "quality", 3, "routes")),
             json_number_value(cell(&by_was, "quality", 6, "routes")));
    ran = result_of("ebb xgft:2:4,4:1,2 --trials 5 --failed 's1.0>s2.0'");
    check_note(&ran, sentence);
    snprintf(
        sentence, sizeof sentence,
        "Of the whole network minhop makes an effective bisection bandwidth of %.3f both ways and an all-to-all in the "
        "time of %.4g messages, ",
        json_number_value(cell(&by_is, "quality", 3, "routes")),
        json_number_value(cell(&by_is, "quality", 6, "routes")));
    check_note(&ran, sentence);
    ran_free(&by_is);
    ran_free(&by_was);
    ran_free(&ran);
    ran = result_of("ebb rail:4,4,4,pods=2,spines=4 --trials 5 --failed p0r0");
    assert_int_equal(notes_with(&ran, "The whole network is routed by"), 0);
    ran_free(&ran);
}

/* All shifts of 512 GPUs without FAILED, after which a pod has CABLES to spines, and a node so many PORTS. Of the shift
 * by k, min(k, 512 - k) messages enter a pod, and at most 8 a node: so it takes no less than LEAST. Routes that go
 * round take two hundredths more at most. */
static void check_shifts(const char *failed, int cables, int ports, double least)
{
    char line[100];
    double sum = 0;
    for (int k = 1; k < 512; k++) {
        const int n = k < 512 - k ? k : 512 - k;
        sum += fmax(ceil(n / (double)cables), ceil((n < 8 ? n : 8) / (double)ports));
    }
    snprintf(line, sizeof line, "route rail:64,8,8,pods=2,spines=8 --failed %s", failed);
    struct ran ran = result_of(line);
    const double all = json_number_value(cell(&ran, "quality", 6, "routes"));
    if (sum != least || all < least || all > 1.02 * least)
        fail_msg("without %s: %g, at least %g (%g)", failed, all, sum, least);
    ran_free(&ran);
}

static void test_mended_shifts(void **state)
{
    (void)state;
    check_shifts("s0", 56, 8, 1435);
    check_shifts("p0r0", 56, 7, 1533);
    check_shifts("p0r0-s0", 63, 8, 1295);
}

/* Ten are named, the others counted. */
static void test_many(void **state)
{
    (void)state;
    struct ran ran = result_of("topo torus:4x4 --failed 's([0-2],[0-3])'");
    check_note(&ran, " and 2 more.");
    ran_free(&ran);
    ran = result_of("topo torus:4x4 --failed 's([0-1],[0-3]),s(2,[0-1])'");
    assert_int_equal(notes_with(&ran, "Failed: switch s(0,0), switch s(1,0), "), 1);
    assert_int_equal(notes_with(&ran, "more."), 0);
    ran_free(&ran);
}

/* Routings that send a message over several ways say what that means. */
static void test_ways(void **state)
{
    (void)state;
    struct ran ran = result_of("congestion xgft:2:2,2:1,2 --traffic shift:2 --routing spray");
    check_note(&ran, "spray sends the packets of one message over several paths.");
    ran_free(&ran);
    ran = result_of("congestion dragonfly:2,4,2 --traffic group-shift --routing ugal-mix");
    check_note(&ran, "The share of minimal packets is the one with the least time");
    check_real(&ran, "minimal", 0, "minimal_mean", 2.0 / 9); /* of nine groups that each send to one */
    check_real(&ran, "minimal", 0, "minimal_min", 2.0 / 9);
    check_real(&ran, "minimal", 0, "minimal_max", 2.0 / 9);
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endpoints),     cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_tables),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cut_off),       cmocka_unit_test(test_assumed_routes),
        cmocka_unit_test(test_mended_shifts), cmocka_unit_test(test_other_engine),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_ways),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
