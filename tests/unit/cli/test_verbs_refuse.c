/* What verbs refuse, and what they say of results that are not all that was wanted: routes of which lanes are unknown,
 * destinations that are lost. */
#include "cli_test.h"

extern const struct verb verb_plan, verb_model, verb_diff, verb_jobs, verb_reproduce, verb_route, verb_noise;
const struct verb *const verbs[] = {&verb_plan,      &verb_model, &verb_diff,  &verb_jobs,
                                    &verb_reproduce, &verb_route, &verb_noise, NULL};

#define TREE "xgft:2:4,4:1,2"

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"plan torus:4x4", "expected --traffic PATTERN: who sends how much to whom, e.g. matrix:FILE"},
        {"plan torus:4x4 --traffic matrix:m.csv --bytes 4KiB", "--bytes: matrix:m.csv has sizes of its own"},
        {"plan torus:4x4 --traffic matrix:m.csv --routing dor --lft t", "--routing and --lft cannot be used together"},
        {"plan " TREE " --traffic permutation --relays switches",
         "--relays switches: s1.0 has 4 endpoints, expected one, which relays in the switch's place"},
        {"plan " TREE " --traffic permutation --lft tree --lmc 1", "--lmc is for networks without tables"},
        {"plan " TREE " --traffic permutation --relays none --routing minhop:lmc=1 --lmc 2",
         "--lmc is for routings without LIDs of their own; minhop has 2 for each endpoint"},
        {"model torus:4x4 --routing dor --lft t", "only one of --routing, --lft and --paths can be given"},
        {"model torus:4x4 --paths p --lft t", "only one of --routing, --lft and --paths can be given"},
        {"model torus:4x4 --routing dor --paths p", "only one of --routing, --lft and --paths can be given"},
        {"model torus:4x4 --routing dor --repair minhop", "--repair is for the fabric's own tables, --lft"},
        {"diff torus:4x4 --before-path-records r", "--before-path-records and --before-sl2vl must be given together"},
        {"diff torus:4x4 --before-sl2vl s", "--before-path-records and --before-sl2vl must be given together"},
        {"diff torus:4x4 --before-path-records r --before-sl2vl s --failed h1",
         "--before-path-records and --before-sl2vl are for --before-lft"},
        {"jobs torus:4x4 --model flits --jobs moves:m --routing dor --lft t",
         "only one of --routing, --lft and --paths can be given"},
        {"noise torus:4x4 --trial t --bytes 4,8", "--bytes: 2 sizes, but --trial is one trial; expected one"},
    };
    write_text("m.csv", "0 5 1000\n");
    struct ran ran = result_of("route " TREE " --routing dmodk --write tree");
    ran_free(&ran);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_refused(cases[i].line, 2, cases[i].part);
    check_refused("reproduce split-tree --directory nowhere/x", 1, "cannot create nowhere/x: ");
    write_text("trial", "app 2 0 1\n");
    check_refused("noise --trial trial", 2, "trial names no network, expected a 'net' line");
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Lanes that are known, unknown but needless, unknown; or known of first LIDs only. */
static void test_deadlock(void **state)
{
    (void)state;
    struct ran ran = result_of("route torus:4x4 --routing dfsssp:lmc=1 --write tables --write-path-records records "
                               "--write-sl2vl sl2vl");
    check_note(&ran, "The routes to the first LID of each endpoint are free of deadlocks: ");
    ran_free(&ran);
    ran = result_of("route torus:4x4 --lft tables --path-records records --sl2vl sl2vl");
    check_note(&ran, "The routes to the first LID of each endpoint are free of deadlocks: ");
    check_text(&ran, "routes", 0, "deadlock_free", "unproven");
    assert_int_equal(notes_with(&ran, "The deadlock check covers the routes to all LIDs together."), 0);
    ran_free(&ran);
    ran = run_line("route torus:4x4 --lft tables --format json --threads 1");
    check_note(&ran, "Whether the routes can deadlock is unknown, because no service levels are given");
    check_note(&ran, "The deadlock check covers the routes to all LIDs together.");
    check_text(&ran, "routes", 0, "deadlock_free", "unknown");
    ran_free(&ran);
    ran = result_of("route " TREE " --routing dmodk --write tree");
    ran_free(&ran);
    ran = result_of("route " TREE " --lft tree");
    check_note(&ran, "Deadlock-free: the channel-dependency graph has no cycle even if all routes share one lane");
    check_text(&ran, "routes", 0, "deadlock_free", "yes");
    ran_free(&ran);
    ran = result_of("route torus:4x4 --routing dor");
    check_note(&ran, "Deadlock-free: the channel-dependency graph over (channel, lane) has no cycle.");
    ran_free(&ran);
    ran = run_line("route torus:4x4 --routing minhop --format json --threads 1");
    check_text(&ran, "routes", 0, "deadlock_free", "no");
    ran_free(&ran);
}

/* The table FROM without the first line that begins with ENTRY. */
static void write_hole(const char *from, const char *to, const char *entry)
{
    char *content = content_of(from), *at = strstr(content, entry);
    assert_non_null(at);
    char *next = strchr(at, '\n') + 1;
    memmove(at, next, strlen(next) + 1);
    write_text(to, content);
    free(content);
}

/* An entry that is missing at the first leaf: for its own host, or for another one's, whom only its hosts then miss. */
static void test_holes(void **state)
{
    (void)state;
    static const struct {
        const char *entry, *said;
        int64_t lost;
    } cases[] = {
        {"\n0x0009 ", "To LIDs with path bits 1, the routes leave 15 pairs unconnected: s1.0 has no route to h3", 15},
        {"\n0x0017 ", "To LIDs with path bits 1, the routes leave 4 pairs unconnected: s1.0 has no route to h10", 4}};
    struct ran ran = result_of("route " TREE " --routing minhop:lmc=1 --write tables");
    assert_int_equal(notes_with(&ran, "unconnected"), 0);
    ran_free(&ran);
    for (size_t i = 0; i < 2; i++) {
        char said[80];
        write_hole("tables", "hole", cases[i].entry);
        ran = run_line("route " TREE " --lft hole --format json --threads 1");
        assert_int_equal(ran.status, 1);
        check_note(&ran, cases[i].said);
        check_int(&ran, "lids", 1, "holes", cases[i].lost);
        check_int(&ran, "lids", 1, "reached", 240 - cases[i].lost);
        check_int(&ran, "lids", 0, "holes", 0);
        check_int(&ran, "routes", 0, "holes", 0);
        ran_free(&ran);
        ran = run_line("diff " TREE " --before-lft tables --lft hole --format json --threads 1");
        snprintf(said, sizeof said, "%d routes to further LIDs no longer arrive.", (int)cases[i].lost);
        check_note(&ran, said);
        assert_int_equal(ran.status, 1);
        ran_free(&ran);
        ran = result_of("diff " TREE " --before-lft hole --lft tables"); /* the other way there is no harm */
        assert_int_equal(notes_with(&ran, "no longer arrive"), 0);
        ran_free(&ran);
    }
    write_hole("tables", "hole", "\n0x0008 "); /* a first LID */
    ran = run_line("route " TREE " --lft hole --format json --threads 1");
    assert_int_equal(ran.status, 1);
    check_note(&ran, "The routes leave 15 pairs unconnected: s1.0 has no route to h3");
    check_int(&ran, "routes", 0, "holes", 15);
    ran_free(&ran);
    ran = result_of("route " TREE " --routing minhop --write one");
    ran_free(&ran);
    ran = result_of("diff " TREE " --before-lft one --lft tables");
    check_note(&ran, "Endpoints had 1 LID each before, and now have 2.");
    ran_free(&ran);
    ran = result_of("diff " TREE " --before-lft tables --lft one");
    check_note(&ran, "Endpoints had 2 LIDs each before, and now have 1.");
    ran_free(&ran);
}

/* --- what else is said -------------------------------------------------------------------------------------------- */

static void test_said(void **state)
{
    (void)state;
    struct ran ran = result_of("model dragonfly:2,4,2 --traffic bitcomp --routing ugal-mix");
    check_note(&ran, " of the packets minimally: the share with the highest link-load bound at equal service.");
    ran_free(&ran);
    ran = result_of("model dragonfly:2,4,2 --traffic bitcomp --routing minimal");
    assert_int_equal(notes_with(&ran, "of the packets minimally"), 0);
    ran_free(&ran);
    ran = result_of("noise torus:4x4 --trials 10 --degraded s(0,0)-s(1,0)=8Gbit/s");
    check_note(
        &ran, "Capacities range from 8 Gbit/s to 40 Gbit/s. 1 stands for the fastest cable of an endpoint, 40 Gbit/s;");
    ran_free(&ran);
    ran = result_of("noise torus:4x4 --trials 10");
    assert_int_equal(notes_with(&ran, "Capacities range"), 0);
    ran_free(&ran);
    write_text("one.csv", "0 5 1000000\n");
    ran = result_of("plan torus:4x4 --traffic matrix:one.csv --method default,optimum --relays none");
    check_note(&ran, "No endpoint relays: all data take the routes of dor");
    check_note(&ran, "Nothing here is faster than the default routes, which have z = 1.");
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_said),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
