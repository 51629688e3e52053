/* crosswind what-if: each case is the network with --failed, the worst first. */
#include "cli_test.h"

extern const struct verb verb_what_if, verb_ebb, verb_route;
const struct verb *const verbs[] = {&verb_what_if, &verb_ebb, &verb_route, NULL};

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

/* Row ROW of WHAT_IF, of HOW ("NETWORK --routing NAME"), is what ebb and route say with --failed. */
static void check_row(const struct ran *what_if, size_t row, const char *how)
{
    char line[512];
    const char *name = text(what_if, "failures", row, "case");
    snprintf(line, sizeof line, "ebb %s --failed %s --trials 100 --direction bi", how, name);
    struct ran ebb = run_json(line);
    check_real(what_if, "failures", row, "ebb", number(&ebb, "ebb", 0, "ebb_mean"));
    check_real(what_if, "failures", row, "ebb_ci95", number(&ebb, "ebb", 0, "ebb_ci95"));
    ran_free(&ebb);
    if (number(what_if, "failures", row, "cut_off") > 0) return; /* route counts all pairs */
    snprintf(line, sizeof line, "route %s --failed %s", how, name);
    struct ran route = run_json(line);
    check_real(what_if, "failures", row, "busiest", number(&route, "balance", 0, "routes_max"));
    ran_free(&route);
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
        cmocka_unit_test(test_each_alone), cmocka_unit_test(test_cut_off), cmocka_unit_test(test_draws),
        cmocka_unit_test(test_upgrades),   cmocka_unit_test(test_tables),  cmocka_unit_test(test_cases_that_fail),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
