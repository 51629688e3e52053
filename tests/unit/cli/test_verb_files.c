/* Routes that `route` writes, read by other verbs: the same routes and lanes, measured alike. */
#include "cli_test.h"

#include "net/files/formats.h"
#include "topo/topology.h"

extern const struct verb verb_route, verb_diff, verb_flit;
const struct verb *const verbs[] = {&verb_route, &verb_diff, &verb_flit, NULL};

/* The row of TABLE that BEFORE and AFTER begin with is the same but for who made it. */
static void check_same_row(const struct ran *before, const struct ran *after, const char *table)
{
    json_t *a = json_deep_copy(json_array_get(table_of(before, table), 0)),
           *b = json_deep_copy(json_array_get(table_of(after, table), 0));
    json_object_del(a, "routing");
    json_object_del(b, "routing");
    json_object_del(a, "routes_are");
    json_object_del(b, "routes_are");
    if (!json_equal(a, b)) {
        char *said[] = {json_dumps(a, 0), json_dumps(b, 0)};
        fail_msg("%s instead of %s", said[1], said[0]);
    }
    json_decref(a);
    json_decref(b);
}

static void check_unchanged(const char *line)
{
    struct ran ran = result_of(line);
    for (size_t i = 0; i < rows_of(&ran, "changes"); i++) check_int(&ran, "changes", i, "changed", 0);
    ran_free(&ran);
}

/* Tables with service levels, and each file that is left out. */
static void test_levels(void **state)
{
    (void)state;
    struct ran made = result_of("route torus:4x4 --routing dfsssp --write tables --write-path-records records "
                                "--write-sl2vl sl2vl --write-json tables.json");
    struct ran plain = result_of("route torus:4x4 --routing dfsssp");
    struct ran read = result_of("route torus:4x4 --lft tables --path-records records --sl2vl sl2vl");
    struct ran json = result_of("route torus:4x4 --lft tables.json");
    check_int(&plain, "routes", 0, "reached", 16 * 15);
    check_same_row(&plain, &made, "routes");
    check_same_row(&plain, &read, "routes");
    check_same_row(&plain, &json, "routes");
    check_note(&made, "tables was read back with the lanes in records and sl2vl: the checks apply to these files.");
    assert_int_equal(notes_with(&plain, "read back"), 0);
    ran_free(&json);
    ran_free(&read);
    ran_free(&plain);
    ran_free(&made);
    check_unchanged("diff torus:4x4 --before-lft tables --lft tables.json");
    made = run_line("route torus:4x4 --routing dfsssp --write alone --format json --threads 1");
    check_note(&made, "alone was read back: the checks apply to this file.");
    check_note(&made, "dfsssp uses 8 virtual lanes, but this file holds none, so all packets share one. "
                      "--write-path-records and --write-sl2vl write the lanes beside it.");
    ran_free(&made);
    char *first = content_of("tables"), *second = content_of("alone");
    assert_string_equal(first, second);
    free(second);
    free(first);
    made = result_of("route xgft:2:4,4:1,2 --routing dmodk --write tree --write-json tree.json");
    check_note(&made, "tree was read back: the checks apply to this file."); /* of both, that which OpenSM loads */
    assert_int_equal(notes_with(&made, "virtual lanes"), 0);
    ran_free(&made);
    check_refused("route dragonfly:2,4,2 --routing minimal --write-json none.json", 2,
                  "the lanes of minimal do not follow from service levels");
    assert_int_not_equal(access("none.json", F_OK), 0);
}

/* Where the entry of switch S of a ring for LID number BITS of host H stands in TEXT: its port has three digits. */
static char *entry_of(char *text, unsigned s, unsigned h, unsigned bits)
{
    char place[32], host[8];
    snprintf(place, sizeof place, "('s(%u)')", s);
    snprintf(host, sizeof host, "'h%u'", h);
    char *at = strstr(text, place);
    for (unsigned i = 0; at && i <= bits; i++) at = strstr(at + 1, host);
    while (at && at[-1] != '\n') at--;
    assert_non_null(at);
    return at + 7;
}

/* The pairs of a ring of four whose packets to LIDs number BITS stop at a missing entry, or go round for ever. */
static void walk_ring(char *text, unsigned bits, unsigned *holes, unsigned *loops)
{
    *holes = *loops = 0;
    for (unsigned src = 0; src < 4; src++)
        for (unsigned dst = 0; dst < 4; dst++) {
            unsigned at = src, hops = 0, port = 0;
            for (; src != dst && hops < 9; hops++) {
                port = (unsigned)atoi(entry_of(text, at, dst, bits));
                if (port < 2 || port > 3) break;
                at = (at + (port == 2 ? 1 : 3)) % 4;
            }
            *holes += port > 3;
            *loops += hops == 9;
        }
}

/* Of tables with a loop, and entries for which there is no port: how many pairs do without, to each LID. */
static void test_problems(void **state)
{
    (void)state;
    for (unsigned lmc = 0; lmc < 2; lmc++)
        for (unsigned bits = 0; bits <= lmc; bits++) {
            char line[100], said[100];
            unsigned holes, loops;
            snprintf(line, sizeof line, "route torus:4 --routing minhop:lmc=%u --write tables", lmc);
            struct ran ran = result_of(line);
            assert_int_equal(notes_with(&ran, "unconnected"), 0);
            ran_free(&ran);
            char *content = content_of("tables");
            memcpy(entry_of(content, 1, 2, bits), "003", 3); /* back, and from there on again */
            memcpy(entry_of(content, 0, 2, bits), "002", 3);
            memcpy(entry_of(content, 3, 0, bits), "255", 3);
            write_text("tables", content);
            walk_ring(content, bits, &holes, &loops);
            assert_true(holes > 0 && loops > 1);
            ran = run_line("route torus:4 --lft tables --format json --threads 1");
            assert_int_equal(ran.status, 1);
            check_int(&ran, bits ? "lids" : "routes", bits, "holes", holes);
            check_int(&ran, bits ? "lids" : "routes", bits, "loops", loops);
            snprintf(said, sizeof said,
                     "%s routes leave %u pairs unconnected: ", bits ? "To LIDs with path bits 1, the" : "The",
                     holes + loops);
            check_note(&ran, said);
            free(content);
            ran_free(&ran);
        }
}

/* What of tables has no place in the network is counted by kind, one or more. */
static void test_unmatched(void **state)
{
    (void)state;
    struct ran ran = result_of("route torus:4 --routing minhop --write tables");
    ran_free(&ran);
    ran = result_of("route torus:4 --lft tables");
    check_note(&ran, ": 16 entries for 4 switches were read.");
    assert_int_equal(notes_with(&ran, "Not matched"), 0);
    ran_free(&ran);
    char *content = content_of("tables");
    memcpy(entry_of(content, 1, 2, 0), "077", 3);
    write_text("tables", content);
    ran = run_line("route torus:4 --lft tables --format json --threads 1");
    check_note(&ran, "Not matched: 1 entry to an unconnected port");
    ran_free(&ran);
    memcpy(entry_of(content, 1, 3, 0), "078", 3);
    *strstr(content, "Unicast lids [0-8] of switch Lid 8") = '\0'; /* that of s(3) */
    write_text("tables", content);
    ran = run_line("route torus:4 --lft tables --format json --threads 1");
    check_note(&ran, "Not matched: 1 switch without a table, 2 entries to unconnected ports");
    free(content);
    ran_free(&ran);
}

/* A lane that a switch has not: what goes that way is thrown away. */
static void test_discarded(void **state)
{
    (void)state;
    struct ran ran = result_of("route torus:4 --routing dfsssp --write tables --write-path-records records "
                               "--write-sl2vl sl2vl");
    assert_int_equal(notes_with(&ran, "never arrive"), 0);
    ran_free(&ran);
    char *content = content_of("sl2vl"), *from = strstr(content, "\n1   2   : 0 ");
    assert_non_null(from);
    for (char *at = from + 11; at[2] != '\n'; at += 3) memcpy(at, "15", 2);
    write_text("sl2vl", content);
    free(content);
    ran = run_line("route torus:4 --lft tables --path-records records --sl2vl sl2vl --format json --threads 1");
    assert_int_equal(ran.status, 1);
    check_note(&ran, "Some packets never arrive: ");
    ran_free(&ran);
}

/* What is measured on tables that were read is what is measured by the engine that wrote them; it comes first. */
static void test_flit(void **state)
{
    (void)state;
#define MEASURED "--load 0.3,0.6 --cycles 800 --warmup 400 --unsteady"
    struct ran made = result_of("route torus:4x4 --routing dfsssp --write tables --write-path-records records "
                                "--write-sl2vl sl2vl");
    ran_free(&made);
    made = result_of("flit torus:4x4 --routing dfsssp " MEASURED);
    struct ran read = result_of("flit torus:4x4 --lft tables --path-records records --sl2vl sl2vl " MEASURED);
    struct ran both =
        result_of("flit torus:4x4 --lft tables --path-records records --sl2vl sl2vl --routing dor,dfsssp " MEASURED);
    assert_int_equal(rows_of(&read, "flit"), 2);
    assert_int_equal(rows_of(&both, "flit"), 6);
    check_same_row(&made, &read, "flit");
    check_same_row(&made, &both, "flit");
    check_text(&both, "flit", 0, "routing", "tables");
    check_text(&both, "flit", 2, "routing", "dor");
    check_text(&both, "flit", 5, "routing", "dfsssp");
    for (size_t i = 0; i < 2; i++)
        assert_true(json_number_value(cell(&made, "flit", i, "latency_mean")) ==
                    json_number_value(cell(&both, "flit", 4 + i, "latency_mean")));
    assert_null(context_of(&both, "routes"));
    ran_free(&both);
    ran_free(&read);
    ran_free(&made);
    check_refused("flit torus:4x4 --lft tables --threads 1 " MEASURED, 1,
                  "these routes are not deadlock-free on 1 virtual lane, so a simulation could stop for ever; their "
                  "service levels may avoid that (--path-records and --sl2vl); --allow-deadlock simulates them");
    made = run_line("flit torus:4x4 --lft tables --allow-deadlock --threads 1 --format json --load 0.01 --cycles 800 "
                    "--warmup 400 --unsteady");
    check_note(&made,
               "Simulated all the same (--allow-deadlock), on one virtual lane, because no service levels are given: "
               "tables can deadlock: ");
    assert_int_equal(rows_of(&made, "flit"), 1);
    ran_free(&made);
    made = result_of("flit torus:4x4 --routing dor --allow-deadlock " MEASURED);
    assert_int_equal(notes_with(&made, "Simulated all the same"), 0);
    ran_free(&made);
    check_refused("flit torus:4x4 --routing dor,,minhop --load 0.1", 2, "--routing: one of the names is empty");
    check_refused("flit torus:4x4 --routing dor,dorr --load 0.1", 2, "no routing is called 'dorr'");
    check_refused("flit torus:4x4 --repair minhop --load 0.1", 2, "--repair is for the fabric's own tables, --lft");
}

/* A file of a network in which some have no LID: of those it says how many. */
static void test_without_lids(void **state)
{
    (void)state;
    struct cw_network *net;
    assert_int_equal(cw_topology_build("xgft:2:2,3:1,2", &net), 0);
    assert_int_equal(cw_network_write(net, "net.json"), 0);
    struct ran ran = result_of("route net.json --routing minhop --write tables");
    assert_int_equal(notes_with(&ran, "gives no LID"), 0); /* nobody has one, none is missed */
    ran_free(&ran);
    cw_network_free(net);
    static const char *const cases[][2] = {{"0", "1 switch and 0 endpoints."}, {"9", NULL}};
    for (size_t i = 0; i < 2; i++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "vendid=0x1\nswitchguid=0xa0(a0)\nSwitch 3 \"S-00000000000000a0\" # \"leaf\" base port 0 lid %s lmc 0\n"
            "[1] \"H-00000000000000b0\"[1](b1) # \"one HCA-1\" lid 2 4xQDR\n"
            "[2] \"H-00000000000000c0\"[1](c1) # \"two HCA-1\" lid 3 4xQDR\n\n"
            "caguid=0xb0\nCa 1 \"H-00000000000000b0\" # \"one HCA-1\"\n"
            "[1](b1) \"S-00000000000000a0\"[1] # lid 2 lmc 0 \"leaf\" lid %s 4xQDR\n\n"
            "caguid=0xc0\nCa 1 \"H-00000000000000c0\" # \"two HCA-1\"\n"
            "[1](c1) \"S-00000000000000a0\"[2] # lid 3 lmc 0 \"leaf\" lid %s 4xQDR\n",
            cases[i][0], cases[i][0], cases[i][0]);
        write_text("map.ibnetdiscover", text);
        ran = result_of("route map.ibnetdiscover --routing minhop --write tables");
        assert_int_equal(notes_with(&ran, "The network file gives no LID to "), cases[i][1] != NULL);
        if (cases[i][1]) check_note(&ran, cases[i][1]);
        ran_free(&ran);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),    cmocka_unit_test(test_problems), cmocka_unit_test(test_unmatched),
        cmocka_unit_test(test_discarded), cmocka_unit_test(test_flit),     cmocka_unit_test(test_without_lids),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
