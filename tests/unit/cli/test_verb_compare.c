/* crosswind compare: its figures are those of the verbs, and what is called best is. */
#include "cli_test.h"

extern const struct verb verb_compare, verb_ebb, verb_noise, verb_congestion, verb_jobs, verb_route, verb_flit,
    verb_plan;
const struct verb *const verbs[] = {&verb_compare, &verb_ebb,  &verb_noise, &verb_congestion, &verb_jobs, &verb_route,
                                    &verb_flit,    &verb_plan, NULL};

static double number(const struct ran *ran, const char *table, size_t row, const char *column)
{
    return json_number_value(cell(ran, table, row, column));
}

/* Column COLUMN of --measure MEASURE is what LINE, with the network and each routing, has in ROW of TABLE as OTHER. */
static void check_measure(const char *measure, const char *column, const char *line, const char *table, size_t row,
                          const char *other)
{
    static const char *const cases[][2] = {
        {"xgft:2:4,4:1,2", "minhop"}, {"xgft:2:4,4:1,2", "dmodk"}, {"torus:4x4", "dor"}, {"torus:4x4", "nue:lanes=2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char compare[512], alone[512];
        snprintf(compare, sizeof compare, "compare %s --routing %s --measure '%s'", cases[i][0], cases[i][1], measure);
        snprintf(alone, sizeof alone, line, cases[i][0]);
        snprintf(alone + strlen(alone), sizeof alone - strlen(alone), " --routing %s", cases[i][1]);
        struct ran ran = result_of(compare), expected = result_of(alone);
        check_text(&ran, "comparison", 0, "routing", cases[i][1]);
        check_real(&ran, "comparison", 0, column, number(&expected, table, row, other));
        ran_free(&ran);
        ran_free(&expected);
    }
}

static void test_figures_of_verbs(void **state)
{
    (void)state;
    check_measure("ebb", "ebb", "ebb %s --direction bi", "ebb", 0, "ebb_mean");
    check_measure("ebb", "ebb_ci95", "ebb %s --direction bi", "ebb", 0, "ebb_ci95");
    check_measure("ebb:uni", "ebb_uni", "ebb %s --direction uni", "ebb", 0, "ebb_mean");
    check_measure("noise", "noise", "noise %s --ratio 0.5", "noise", 0, "slowdown_mean");
    check_measure("noise:0.25", "noise_0_25_ci95", "noise %s --ratio 0.25", "noise", 0, "slowdown_ci95");
    check_measure("congestion:shift:3", "congestion_shift_3", "congestion %s --traffic shift:3", "congestion", 0,
                  "time_mean");
    check_measure("congestion:permutation", "congestion_permutation_ci95", "congestion %s --traffic permutation",
                  "congestion", 0, "time_ci95");
    check_measure("worst-shift", "worst_shift", "route %s", "quality", 5, "routes");
    check_measure("alltoall", "alltoall", "route %s", "quality", 6, "routes");
    check_measure("hops", "hops", "route %s", "routes", 0, "hops_mean");
    check_measure("busiest", "busiest", "route %s", "balance", 0, "routes_max");
    check_measure("lanes", "lanes", "route %s", "routes", 0, "lanes");
    check_measure("time:alltoall bytes=64KiB", "time_alltoall_bytes_64kib", "jobs %s --jobs 'alltoall bytes=64KiB'",
                  "jobs", 0, "time_mean");
    check_measure("time:bcast ranks=8 bytes=64KiB placement=random;shift:1 ranks=8",
                  "time_bcast_ranks_8_bytes_64kib_placement_random_shift_1",
                  "jobs %s --jobs 'bcast ranks=8 bytes=64KiB placement=random;shift:1 ranks=8'", "jobs", 0,
                  "time_mean");
}

/* Panel I of the figure is of MEASURE and its interval; of the rows it marks the one that the best are said to be. */
static void check_panel(const struct ran *ran, size_t i, const char *measure, const char *interval)
{
    const json_t *panel =
        json_array_get(json_object_get(json_array_get(json_object_get(ran->json, "figures"), 0), "panels"), i);
    const json_t *ci95 = json_object_get(panel, "ci95"), *best = json_object_get(panel, "best_rows");
    const char *is = json_string_value(json_object_get(panel, "y"));
    if (!is || strcmp(is, measure) != 0) fail_msg("panel %zu is of %s, not of %s", i, is ? is : "nothing", measure);
    assert_int_equal(ci95 != NULL, interval != NULL);
    if (interval) assert_string_equal(json_string_value(ci95), interval);
    assert_int_equal(json_array_size(best), 1);
    const size_t row = (size_t)json_integer_value(json_array_get(best, 0));
    check_text(ran, "best", i, "best", json_string_value(cell(ran, "comparison", row, "routing")));
}

/* What is words has no panel. */
static void test_figure(void **state)
{
    (void)state;
    struct ran ran = result_of("compare torus:4x4 --routing dor,minhop --measure ebb,worst-shift,lanes,deadlock-free");
    const json_t *figure = json_array_get(json_object_get(ran.json, "figures"), 0);
    assert_int_equal(json_array_size(json_object_get(figure, "panels")), 3);
    assert_string_equal(json_string_value(json_object_get(figure, "rows")), "routing");
    check_panel(&ran, 0, "ebb", "ebb_ci95");
    check_panel(&ran, 1, "worst_shift", "worst_shift_ci95");
    check_panel(&ran, 2, "lanes", NULL);
    ran_free(&ran);
}

static void test_saturation(void **state)
{
    (void)state;
    struct ran ran = result_of("compare torus:8 --routing nue:lanes=2 --measure saturation:tornado"),
               alone = result_of("flit torus:8 --routing nue:lanes=2 --traffic tornado");
    check_real(&ran, "comparison", 0, "saturation_tornado", number(&alone, "saturation", 0, "accepted_load"));
    check_real(&ran, "comparison", 0, "saturation_tornado_ci95",
               number(&alone, "saturation", 0, "refused_load") - number(&alone, "saturation", 0, "accepted_load"));
    ran_free(&ran);
    ran_free(&alone);
    ran = result_of("compare torus:4 --routing minhop --measure saturation --allow-deadlock");
    alone = result_of("flit torus:4 --routing minhop --allow-deadlock");
    check_real(&ran, "comparison", 0, "saturation", number(&alone, "saturation", 0, "accepted_load"));
    ran_free(&ran);
    ran_free(&alone);
}

/* The fastest of the rows of `plan`, of which one may not be there. */
static void check_plan(const char *network, const char *routes, const char *traffic, size_t plans)
{
    char compare[512], alone[512];
    snprintf(compare, sizeof compare, "compare %s %s --measure plan:%s --format json --threads 1", network, routes,
             traffic);
    snprintf(alone, sizeof alone, "plan %s %s --traffic %s", network, routes, traffic);
    struct ran ran = run_line(compare), expected = result_of(alone); /* compare fails if some are cut off */
    double least = INFINITY;
    assert_int_equal(rows_of(&expected, "plan"), plans);
    for (size_t i = 0; i < plans; i++) least = fmin(least, number(&expected, "plan", i, "predicted_seconds"));
    char column[64];
    snprintf(column, sizeof column, "plan_%s", traffic);
    for (char *c = column; *c; c++)
        if (*c == ':') *c = '_';
    check_real(&ran, "comparison", 0, column, least);
    ran_free(&ran);
    ran_free(&expected);
}

static void test_plan(void **state)
{
    (void)state;
    check_plan("xgft:2:4,4:1,2", "--routing minhop", "permutation", 2); /* who is drawn depends on the seed */
    check_plan("torus:4x4", "--routing dor", "shift:5", 2);
    check_plan("bgq:512", "--routing dor", "disjoint:8x8", 2); /* every node may relay, and that costs something */
    check_plan("torus:3x3", "--routing nue:lanes=4,lmc=1", "alltoall", 2); /* two routes a pair */
    /* a and c meet by way of b alone, which has a port on each switch: of the network's own there is no plan */
    write_text("bridge", "# crosswind edge list\nendpoint a\nendpoint b\nendpoint c\na s1\nb s1\nb s2\nc s2\n");
    check_plan("bridge", "--routing minhop", "shift:1", 1);
    struct ran ran = run_line("compare torus:4x4 --routing adaptive,dor --measure plan:shift:1 --format json");
    assert_int_equal(ran.status, 1);
    check_note(&ran, "plan:shift:1: adaptive sends the packets of a message over several paths");
    check_real(&ran, "comparison", 1, "plan_shift_1", number(&ran, "comparison", 1, "plan_shift_1"));
    ran_free(&ran);
}

#define LMC CW_TEST_DATA "/golden/fabric/two-level-lmc"

/* A plan has the routes to all LIDs. */
static void test_plan_of_tables(void **state)
{
    (void)state;
    check_plan(LMC ".ibnetdiscover", "--lft " LMC ".lfts", "permutation", 2);
}

#define FABRIC CW_TEST_DATA "/golden/fabric/two-level"

/* Of a fabric the column says it, and a sentence which of those that can be installed are the best. */
static void test_install(void **state)
{
    (void)state;
    struct ran ran =
        run_line("compare " FABRIC ".ibnetdiscover --lft " FABRIC
                 ".lfts --routing minhop,adaptive,dor,min-contention,nue --measure deadlock-free,ebb --format json");
    assert_int_equal(ran.status, 1);
    check_text(&ran, "comparison", 0, "install", NULL);
    check_text(&ran, "comparison", 1, "install", "routing_engine minhop");
    check_text(&ran, "comparison", 2, "install", "no: packets take several ways");
    check_text(&ran, "comparison", 3, "install", NULL);
    check_text(&ran, "comparison", 4, "install", "opensm -R file -U FILE");
    check_text(&ran, "best", 0, "best", "adaptive");
    check_note(&ran, ".lfts, minhop, min-contention, by ebb.");
    assert_int_equal(notes_with(&ran, "missing:"), 0);
    ran_free(&ran);
    ran = result_of("compare " FABRIC
                    ".ibnetdiscover --failed leaf-0/5,leaf-0/6,leaf-1/7 --routing minhop --measure lanes");
    check_note(&ran, "3 cables are missing: crosswind what-if " FABRIC ".ibnetdiscover --add missing");
    ran_free(&ran);
    ran = result_of("compare torus:4x4 --routing dor,minhop --measure hops"); /* is no fabric */
    assert_int_equal(notes_with(&ran, "install"), 0);
    ran_free(&ran);
}

/* 4 by 4 endpoints: 4 leaves with 2 cables each to 2 spines. */
static void test_parts(void **state)
{
    (void)state;
    write_text("prices", "# each\nswitch 1000\nport 10 # in use\n\ncable 3\nendpoint 0.5\n");
    struct ran ran = result_of("compare xgft:2:4,4:1,2 torus:4x4 --measure "
                               "switches,cables,radix,price:prices,deadlock-free");
    check_text(&ran, "comparison", 0, "network", "xgft:2:4,4:1,2");
    check_int(&ran, "comparison", 0, "endpoints", 16);
    check_real(&ran, "comparison", 0, "switches", 6);
    check_real(&ran, "comparison", 0, "cables", 8);
    check_real(&ran, "comparison", 0, "radix", 6);
    check_real(&ran, "comparison", 0, "price_prices", 6 * 1000 + (4 * 6 + 2 * 4) * 10 + 8 * 3 + 16 * 0.5);
    check_text(&ran, "comparison", 0, "deadlock_free", "yes");
    check_real(&ran, "comparison", 1, "switches", 16);
    check_real(&ran, "comparison", 1, "cables", 32);
    check_real(&ran, "comparison", 1, "cables_ratio", 4);
    check_text(&ran, "comparison", 1, "deadlock_free", "yes");
    check_text(&ran, "best", 0, "best", "xgft:2:4,4:1,2 by dmodk");
    check_real(&ran, "best", 0, "next_value", 16);
    assert_int_equal(notes_with(&ran, "endpoints. A job"), 0);
    ran_free(&ran);
    ran = result_of("compare torus:4x4 --routing minhop --measure deadlock-free,hops");
    check_text(&ran, "comparison", 0, "deadlock_free", "no");
    assert_false(has_table(&ran, "best"));
    ran_free(&ran);
    ran = result_of("compare xgft:2:4,4:1,2 torus:4x8 --measure switches");
    check_note(&ran, "The networks have from 16 to 32 endpoints.");
    ran_free(&ran);
}

/* A routing that a network does not have ends its row, not the others; nor does a figure that it does not have. */
static void test_cases_that_fail(void **state)
{
    (void)state;
    struct ran ran = run_line("compare torus:6 --routing dmodk,dor,minhop --measure saturation,hops "
                              "--format json --threads 1");
    assert_int_equal(ran.status, 1);
    assert_int_equal(rows_of(&ran, "comparison"), 3);
    check_text(&ran, "comparison", 0, "routing", "dmodk");
    check_real(&ran, "comparison", 0, "hops", NAN);
    check_real(&ran, "comparison", 1, "hops", 2 + 9.0 / 5);
    check_real(&ran, "comparison", 2, "saturation", NAN);
    check_real(&ran, "comparison", 2, "hops", 2 + 9.0 / 5);
    check_note(&ran, "dmodk: ");
    check_note(&ran, "minhop, saturation: ");
    ran_free(&ran);
}

/* Without a routing there are the network's own and those that OpenSM has. */
static void test_usual(void **state)
{
    (void)state;
    struct ran ran = result_of("compare xgft:2:4,4:1,2 --measure hops");
    check_text(&ran, "comparison", 0, "routing", "dmodk");
    check_text(&ran, "comparison", 1, "routing", "minhop");
    assert_true(rows_of(&ran, "comparison") > 2);
    assert_string_equal(context_of(&ran, "network"), "xgft:2:4,4:1,2");
    check_text(&ran, "best", 0, "best", NULL);
    ran_free(&ran);
}

/* Those that are cut off count as 0 in ebb, and take no part in the others, as in the verbs. */
static void test_cut_off(void **state)
{
    (void)state;
    struct ran ran = run_line("compare xgft:2:4,4:1,2 --failed s1.0-s2.0,s1.0-s2.1 --measure ebb,noise --routing "
                              "minhop --format json --threads 1"),
               ebb = run_line("ebb xgft:2:4,4:1,2 --failed s1.0-s2.0,s1.0-s2.1 --direction bi --routing minhop "
                              "--format json --threads 1"),
               noise = result_of("noise xgft:2:4,4:1,2 --failed s1.0-s2.0,s1.0-s2.1 --ratio 0.5 --routing minhop");
    assert_int_equal(ran.status, 1);
    check_real(&ran, "comparison", 0, "ebb", number(&ebb, "ebb", 0, "ebb_mean"));
    check_real(&ran, "comparison", 0, "noise", number(&noise, "noise", 0, "slowdown_mean"));
    ran_free(&ran);
    ran_free(&ebb);
    ran_free(&noise);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("compare", 2, "NETWORK");
    check_refused("compare torus:4x4 --measure ebbs", 2, "no measure is called 'ebbs'; did you mean 'ebb'?");
    check_refused("compare torus:4x4 --measure ebb,ebb", 2, "ebb is there twice");
    check_refused("compare torus:4x4 --measure ebb,,noise", 2, "one of the names is empty");
    check_refused("compare torus:4x4 --measure ebb:both", 2, "expected uni or bi");
    check_refused("compare torus:4x4 --measure noise:1", 2, "between 0 and 1");
    check_refused("compare torus:4x4 --measure lanes:2", 2, "lanes has no parameters");
    check_refused("compare torus:4x4 --measure time", 2, "expected time:JOB");
    check_refused("compare torus:4x4 --measure congestion:", 2, "expected congestion:PATTERN");
    check_refused("compare torus:4x4 --measure 'time:bcast bytes=1,time:bcast  bytes=1'", 2,
                  "columns called time_bcast_bytes_1");
    check_refused("compare torus:4x4 --repair minhop", 2, "own tables, --lft");
    check_refused("compare torus:4x4 --routing minhops", 2, "did you mean 'minhop'?");
    check_refused("compare torus:4x4 --routing minhop,", 2, "one of the names is empty");
    check_refused("compare torus:4x4 torus:4x8 --lft x", 2, "expected one NETWORK");
    check_refused("compare torus:4x4 --measure price:none", 1, "none");
    write_text("prices", "switch 1\ncable -3\n");
    check_refused("compare torus:4x4 --measure price:prices", 1, "prices:2: expected switch, port");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_of_verbs),
        cmocka_unit_test(test_figure),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test_setup_teardown(test_plan, enter_folder, leave_folder),
        cmocka_unit_test(test_plan_of_tables),
        cmocka_unit_test(test_install),
        cmocka_unit_test_setup_teardown(test_parts, enter_folder, leave_folder),
        cmocka_unit_test(test_cases_that_fail),
        cmocka_unit_test(test_usual),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test_setup_teardown(test_refused, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
