/* crosswind what-if: each case is the network with --failed, the worst first. */
#include "cli_test.h"

extern const struct verb verb_what_if, verb_ebb, verb_route, verb_topo;
const struct verb *const verbs[] = {&verb_what_if, &verb_ebb, &verb_route, &verb_topo, NULL};

static double number(const struct ran *ran, const char *table, size_t row, const char *column)
{
    return json_number_value(cell(ran, table, row, column));
}

static const char *text(const struct ran *ran, const char *table, size_t row, const char *column)
{
    return json_string_value(cell(ran, table, row, column));
}

static struct ran run_json(const char *line)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s --format json --threads 1", line);
    return run_line(whole);
}

/* Row ROW of TABLE is what ebb and route say of HOW ("NETWORK --routing NAME"). */
static void check_figures(const struct ran *what_if, const char *table, size_t row, const char *how)
{
    char line[512];
    snprintf(line, sizeof line, "ebb %s --trials 100 --direction bi", how);
    struct ran ebb = run_json(line);
    check_real(what_if, table, row, "ebb", number(&ebb, "ebb", 0, "ebb_mean"));
    check_real(what_if, table, row, "ebb_ci95", number(&ebb, "ebb", 0, "ebb_ci95"));
    ran_free(&ebb);
    if (number(what_if, table, row, "cut_off") > 0) return; /* route counts all pairs */
    snprintf(line, sizeof line, "route %s", how);
    struct ran route = run_json(line);
    check_real(what_if, table, row, "busiest", number(&route, "balance", 0, "routes_max"));
    ran_free(&route);
}

/* The same of HOW with --failed. */
static void check_row(const struct ran *what_if, size_t row, const char *how)
{
    char failed[512];
    snprintf(failed, sizeof failed, "%s --failed %s", how, text(what_if, "failures", row, "case"));
    check_figures(what_if, "failures", row, failed);
}

/* Who is cut off comes first, then what costs most. */
static void check_order(const struct ran *ran)
{
    for (size_t i = 2; i < rows_of(ran, "failures"); i++) {
        const double before = number(ran, "failures", i - 1, "cut_off"), here = number(ran, "failures", i, "cut_off");
        assert_true(before >= here);
        if (before > here) continue;
        assert_true(number(ran, "failures", i - 1, "ebb_ratio") <= number(ran, "failures", i, "ebb_ratio") + 1e-9);
    }
}

static void test_each_alone(void **state)
{
    static const char *const cases[] = {"xgft:2:4,4:1,2 --routing minhop", "torus:3x4 --routing nue:lanes=2",
                                        "xgft:2:4,4:1,2"};
    static const size_t things[] = {8 + 6 + 16, 24 + 12 + 12, 8 + 6 + 16};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[512];
        snprintf(line, sizeof line, "what-if %s --fail cables,switches,endpoints", cases[i]);
        struct ran ran = result_of(line);
        assert_int_equal(rows_of(&ran, "failures"), 1 + things[i]);
        assert_false(has_table(&ran, "upgrades"));
        check_text(&ran, "failures", 0, "change", "as it is");
        check_real(&ran, "failures", 0, "ebb_ratio", 1);
        for (size_t row = 1; row < rows_of(&ran, "failures"); row++) check_row(&ran, row, cases[i]);
        check_order(&ran);
        ran_free(&ran);
    }
}

/* A leaf cuts its four endpoints off, a spine nobody. */
static void test_cut_off(void **state)
{
    (void)state;
    struct ran ran = result_of("what-if xgft:2:4,4:1,2 --routing minhop --fail switches");
    for (size_t i = 1; i <= 4; i++) {
        check_int(&ran, "failures", i, "cut_off", 4);
        assert_int_equal(strncmp(text(&ran, "failures", i, "case"), "s1.", 3), 0);
    }
    for (size_t i = 5; i <= 6; i++) check_int(&ran, "failures", i, "cut_off", 0);
    check_note(&ran, "4 of 6 failures cut endpoints off, at most 4 of 16 (s1.");
    ran_free(&ran);
    ran = result_of("what-if xgft:2:4,4:1,2 --routing minhop --fail s2.0,s2.1;s2.0;s1.[0-1]-s2.0");
    check_text(&ran, "failures", 1, "case", "s2.0,s2.1");
    check_int(&ran, "failures", 1, "cut_off", 12);
    assert_int_equal(rows_of(&ran, "failures"), 4);
    check_row(&ran, 3, "xgft:2:4,4:1,2 --routing minhop");
    ran_free(&ran);
}

/* Pairs are different things, each pair once; a sample is some of all; both by the seed. */
static void test_draws(void **state)
{
    (void)state;
    struct ran ran = result_of("what-if xgft:2:4,4:1,2 --routing minhop --fail cables --pairs 20"),
               again = result_of("what-if xgft:2:4,4:1,2 --routing minhop --fail cables --pairs 20 --seed 2"),
               all = result_of("what-if xgft:2:4,4:1,2 --routing minhop --fail cables --pairs 1000"),
               some = result_of("what-if torus:4x4 --routing minhop --fail cables --sample 7");
    assert_int_equal(rows_of(&ran, "failures"), 21);
    assert_int_equal(rows_of(&all, "failures"), 1 + 8 * 7 / 2);
    assert_int_equal(rows_of(&some, "failures"), 8);
    size_t same = 0;
    for (size_t i = 1; i <= 20; i++)
        for (size_t j = 1; j <= 20; j++) {
            const char *name = text(&ran, "failures", i, "case");
            if (i != j) assert_string_not_equal(name, text(&ran, "failures", j, "case"));
            same += strcmp(name, text(&again, "failures", j, "case")) == 0;
        }
    assert_true(same < 20);
    for (size_t i = 1; i < rows_of(&all, "failures"); i++) {
        const char *name = text(&all, "failures", i, "case"), *comma = strchr(name, ',');
        assert_non_null(comma);
        assert_true(strncmp(name, comma + 1, (size_t)(comma - name)) != 0);
        if (i <= 3) check_row(&all, i, "xgft:2:4,4:1,2 --routing minhop");
    }
    for (size_t i = 1; i <= 7; i++) check_row(&some, i, "torus:4x4 --routing minhop");
    ran_free(&ran);
    ran_free(&again);
    ran_free(&all);
    ran_free(&some);
}

/* Each slow cable is made as fast as most, both directions of it; one that is mended is as if it had never been slow.
 */
static void test_upgrades(void **state)
{
    (void)state;
    struct ran whole = result_of("ebb xgft:2:4,4:1,2 --trials 100 --direction bi"),
               one = result_of("what-if xgft:2:4,4:1,2 --degraded s1.0-s2.1=8Gbit/s --fail s1.3-s2.0"),
               two =
                   result_of("what-if xgft:2:4,4:1,2 --degraded s1.0-s2.1=8Gbit/s,s1.2>s2.0=10Gbit/s --fail s1.3-s2.0");
    assert_int_equal(rows_of(&one, "upgrades"), 2);
    check_text(&one, "upgrades", 1, "change", "40 Gbit/s");
    check_real(&one, "upgrades", 1, "ebb", number(&whole, "ebb", 0, "ebb_mean"));
    check_note(&one, "Mend s1.0/6-s2.1/1 first: with 40 Gbit/s");
    assert_int_equal(rows_of(&two, "upgrades"), 3);
    assert_true(number(&two, "upgrades", 1, "ebb") >= number(&two, "upgrades", 2, "ebb"));
    assert_true(number(&two, "upgrades", 1, "ebb") > number(&two, "upgrades", 0, "ebb"));
    assert_true(number(&two, "upgrades", 1, "ebb") < number(&whole, "ebb", 0, "ebb_mean"));
    ran_free(&whole);
    ran_free(&one);
    ran_free(&two);
    one = result_of("what-if xgft:2:4,4:1,2 --degraded h1=8Gbit/s --fail s1.3-s2.0");
    assert_int_equal(rows_of(&one, "upgrades"), 2);
    ran_free(&one);
    /* a level whose cables are all slower is another generation, nothing to mend */
    one = result_of("what-if xgft:3:2,2,2:1,1,1 --degraded s2.0-s3.0=10Gbit/s,s2.1-s3.0=10Gbit/s --fail s1.0");
    assert_false(has_table(&one, "upgrades"));
    ran_free(&one);
}

#define FABRIC CW_TEST_DATA "/golden/fabric/two-level.ibnetdiscover"
#define TABLES " --lft " CW_TEST_DATA "/golden/fabric/two-level-updn.lfts --repair nue-even"

/* The fabric's own tables are mended where they no longer lead, and stay as they are elsewhere. */
static void test_tables(void **state)
{
    (void)state;
    struct ran ran = result_of("what-if " FABRIC TABLES " --fail cables,switches"),
               anew = result_of("what-if " FABRIC " --routing nue-even --fail cables,switches");
    size_t other = 0;
    for (size_t row = 1; row < rows_of(&ran, "failures"); row++) {
        if (number(&ran, "failures", row, "cut_off") == 0) check_row(&ran, row, FABRIC TABLES);
        other += number(&ran, "failures", row, "ebb") != number(&anew, "failures", row, "ebb");
    }
    assert_true(rows_of(&ran, "failures") > 5);
    assert_true(other > 0);
    struct ran again = run_line("what-if " FABRIC TABLES " --fail cables,switches --format json --threads 3");
    assert_string_equal(ran.out, again.out);
    ran_free(&again);
    ran_free(&ran);
    ran_free(&anew);
}

/* An engine that refuses the changed network costs that case its figures. */
static void test_cases_that_fail(void **state)
{
    (void)state;
    struct ran ran =
        run_json("what-if torus:4x4 --routing torus-2qos --fail 's(0,0),s(0,2),s(1,0),s(2,2);s(0,0)-s(0,1)'");
    assert_int_equal(ran.status, 1);
    check_text(&ran, "failures", 1, "case", "s(0,0)-s(0,1)");
    check_text(&ran, "failures", 2, "case", "s(0,0),s(0,2),s(1,0),s(2,2)");
    check_int(&ran, "failures", 2, "cut_off", 4);
    check_real(&ran, "failures", 2, "ebb", NAN);
    check_note(&ran, "1 case is without figures. s(0,0),s(0,2),s(1,0),s(2,2): torus-2qos refuses");
    check_note(&ran, "1 of 2 failures cut endpoints off, at most 4 of 16 (s(0,0),s(0,2),s(1,0),s(2,2))");
    ran_free(&ran);
}

/* --- cables that are added ---------------------------------------------------------------------------------------- */

/* Writes NETWORK as a map. */
static void write_map(const char *network, const char *file)
{
    char line[512];
    snprintf(line, sizeof line, "topo %s --write %s", network, file);
    struct ran ran = result_of(line);
    ran_free(&ran);
}

/* The map FROM with CABLES, "[12, 5, 17, 1],", in it: TO. */
static void put_into(const char *from, const char *cables, const char *to)
{
    static const char before[] = "\"cables\": [";
    char *map = content_of(from), *at = strstr(map, before);
    FILE *file = fopen(to, "w");
    assert_non_null(at);
    assert_non_null(file);
    at += sizeof before - 1;
    fprintf(file, "%.*s%s%s", (int)(at - map), map, cables, at);
    assert_int_equal(fclose(file), 0);
    free(map);
}

/* The row of TABLE whose case is NAME. */
static size_t row_of(const struct ran *ran, const char *table, const char *name)
{
    size_t row = 0;
    while (row < rows_of(ran, table) && strcmp(text(ran, table, row, "case"), name) != 0) row++;
    if (row == rows_of(ran, table)) fail_msg("there is no case '%s'", name);
    return row;
}

/* Cables are taken from NETWORK; each that is put back is as if it were in the map, whatever routes it. */
static void check_additions(const char *network, const char *how, const char *const (*cables)[3], size_t n)
{
    char line[512], all[256] = "";
    write_map(network, "without.json");
    snprintf(line, sizeof line, "what-if without.json%s --add missing", how);
    struct ran ran = result_of(line);
    assert_false(has_table(&ran, "failures"));
    assert_int_equal(rows_of(&ran, "additions"), n > 1 ? n + 2 : n + 1);
    snprintf(line, sizeof line, "without.json%s", how);
    check_figures(&ran, "additions", 0, line);
    snprintf(line, sizeof line, "with.json%s", how);
    for (size_t i = 0; i < n; i++) {
        const size_t row = row_of(&ran, "additions", cables[i][0]);
        check_text(&ran, "additions", row, "change", cables[i][1]);
        put_into("without.json", cables[i][2], "with.json");
        check_figures(&ran, "additions", row, line);
        strcat(all, cables[i][2]);
    }
    put_into("without.json", all, "with.json");
    if (n > 1) check_figures(&ran, "additions", row_of(&ran, "additions", "all of these"), line);
    for (size_t i = 2; i < rows_of(&ran, "additions"); i++)
        assert_true(number(&ran, "additions", i - 1, "ebb") >= number(&ran, "additions", i, "ebb") - 1e-9);
    unlink("without.json");
    unlink("with.json");
    ran_free(&ran);
}

static void test_additions(void **state)
{
    /* a tree with one gap, one of parallel cables in another speed than the usual, and one of which the shape is lost
     */
    static const char *const one[][3] = {{"s1.0-s2.1", "0 → 1 cable", "[12, 5, 17, 1],"}};
    static const char *const parallel[][3] = {{"s1.0-s2.1", "1 → 2 cables", "[16, 8, 21, 2],"},
                                              {"s1.1-s2.0", "0 → 2 cables", "[17, 5, 20, 3], [17, 7, 20, 4],"}};
    static const char *const unknown[][3] = {{"s1.0-s2.1", "0 → 1 cable", "[12, 5, 17, 1],"},
                                             {"s1.1-s2.2", "0 → 1 cable", "[13, 6, 18, 2],"},
                                             {"s1.2-s2.0", "0 → 1 cable", "[14, 4, 16, 3],"}};
    static const char *const routings[] = {"", " --routing minhop", " --routing nue:lanes=2"};
    (void)state;
    for (size_t i = 0; i < sizeof routings / sizeof *routings; i++) {
        check_additions("xgft:2:3,4:1,3 --failed s1.0-s2.1", routings[i], one, 1);
        check_additions("xgft:2:4,4:1,2:1,2@10Gbit/s,200ns --failed s1.0/8,s1.1-s2.0 --degraded "
                        "s1.0/6=8Gbit/s",
                        routings[i], parallel, 2);
        check_additions("xgft:2:3,4:1,3 --failed s1.0-s2.1,s1.1-s2.2,s1.2-s2.0", routings[i], unknown, 3);
    }
}

/* What has failed is put back: the network is whole again, also a shape that no map is recognised as. */
static void test_whole_again(void **state)
{
    static const char *const cases[][3] = {{"xgft:2:4,4:1,2", "s1.0-s2.1", "s1.0-s2.1"},
                                           {"torus:3x4", "s(0,0)-s(0,1),s(1,2)-s(2,2)", "all of these"},
                                           {"dragonfly:2,4,2", "g1s1-g4s2,g7s1-g7s2,g6s0-g6s2", "all of these"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[512];
        snprintf(line, sizeof line, "what-if %s --failed %s --add missing", cases[i][0], cases[i][1]);
        struct ran ran = result_of(line);
        check_figures(&ran, "additions", row_of(&ran, "additions", cases[i][2]), cases[i][0]);
        ran_free(&ran);
    }
}

/* Tables do not lead over a new cable: an engine routes both sides, and a sentence says so. */
static void test_additions_to_tables(void **state)
{
    (void)state;
    write_map("xgft:2:3,4:1,3 --failed s1.0-s2.1", "without.json");
    struct ran route = result_of("route without.json --routing updn --write updn.lft"),
               ran = result_of("what-if without.json --lft updn.lft --repair nue --add missing --fail s2.0"),
               none = result_of("what-if xgft:2:3,4:1,3 --add missing");
    put_into("without.json", "[12, 5, 17, 1],", "with.json");
    check_figures(&ran, "additions", 0, "without.json --routing nue");
    check_figures(&ran, "additions", 1, "with.json --routing nue");
    check_row(&ran, 1, "without.json --lft updn.lft --repair nue");
    check_note(&ran,
               "The tables of updn.lft lead over no cable that is added. So nue (--repair) routes the network in");
    check_note(&ran, "1 cable is missing, between 1 pair. ");
    assert_int_equal(rows_of(&none, "additions"), 1);
    check_note(&none, "No cable is missing between two of xgft:2:3,4:1,3");
    ran_free(&none);
    ran_free(&ran);
    ran_free(&route);
    unlink("without.json");
    unlink("with.json");
    unlink("updn.lft");
}

/* The map FILE with NEW in place of OLD. */
static void put_instead(const char *file, const char *old, const char *new)
{
    char *map = content_of(file), *at = strstr(map, old);
    FILE *out = fopen(file, "w");
    assert_non_null(at);
    assert_non_null(out);
    fprintf(out, "%.*s%s%s", (int)(at - map), map, new, at + strlen(old));
    assert_int_equal(fclose(out), 0);
    free(map);
}

/* Where a switch has no free port that case has no figures. Missing switches are not added. */
static void test_additions_that_fail(void **state)
{
    (void)state;
    write_map("xgft:2:3,4:1,3 --failed s1.0-s2.1,s1.1-s2.1", "full.net");
    put_instead("full.net", "Switch\t6 \"s1.0\"", "Switch\t5 \"s1.0\"");
    put_instead("full.net", "[6]\t\"s2.2\"[1]", "[5]\t\"s2.2\"[1]");
    put_instead("full.net", "\"s1.0\"[6]", "\"s1.0\"[5]");
    struct ran full = run_json("what-if full.net --add missing");
    assert_int_equal(full.status, 1);
    check_note(&full, "2 cases are without figures.");
    check_note(&full, "s1.0 has no free port: all 5 are taken.");
    check_note(&full, "2 cables are missing, between 2 pairs. Add s1.1-s2.1 first: with it, ebb is");
    check_text(&full, "additions", 1, "case", "s1.1-s2.1");
    check_real(&full, "additions", 3, "ebb", NAN);
    ran_free(&full);
    unlink("full.net");
    struct ran switches = result_of("what-if xgft:3:2,2,2:1,2,2 --failed s2.0 --add missing");
    check_note(&switches, "1 switch is missing in the shape; no row adds it.");
    ran_free(&switches);
    check_refused("what-if torus:4x4 --add s1/2>s2/3", 2, "--add s1/2>s2/3; expected the word missing");
    check_refused("what-if torus:4x4 --add missing --pairs 3", 2, "with --add, expected --fail, too");
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("what-if torus:4x4 --fail s1.0-s2.0", 2, "there is no 's1.0-s2.0'");
    check_refused("what-if torus:4x4 --fail cables;switches", 2, "there is no 'cables'");
    check_refused("what-if torus:4x4 --fail 's(0,0);'", 2, "");
    check_refused("what-if torus:4x4 --fail 's(0,0);;s(0,1)'", 2, "one of the cases is empty");
    check_refused("what-if torus:4x4 --fail 's(0,0)' --pairs 2", 2, "draw from cables, switches and endpoints");
    check_refused("what-if crossbar:4 --fail cables", 2, "has nothing of what is to fail");
    check_refused("what-if torus:4x4 --measure saturation", 2, "is not for what-if");
    check_refused("what-if torus:4x4 --measure deadlock-free", 2, "is not for what-if");
    check_refused("what-if torus:4x4 --repair minhop", 2, "own tables, --lft");
    check_refused("what-if torus:4x4 --routing minhops", 2, "did you mean");
    check_refused("what-if torus:4x4 --tables", 2, "--tables is not for what-if");
    check_refused("what-if torus:4x4 --routing dmodk --threads 1", 2, "dmodk cannot route");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_alone),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_upgrades),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_cases_that_fail),
        cmocka_unit_test(test_additions),
        cmocka_unit_test(test_whole_again),
        cmocka_unit_test(test_additions_to_tables),
        cmocka_unit_test(test_additions_that_fail),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
