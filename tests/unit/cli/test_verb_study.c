/* crosswind study: its figures are those of compare, of each case by itself; a store gives them again. And results. */
#include "cli_test.h"

#include <sqlite3.h>

#include "../block_executor.h"

extern const struct verb verb_study, verb_results, verb_compare, verb_route, verb_ebb;
const struct verb *const verbs[] = {&verb_study, &verb_results, &verb_compare, &verb_route, &verb_ebb, NULL};

#define LMC      CW_TEST_DATA "/golden/fabric/two-level-lmc"
#define MEASURES "ebb,noise:0.25,worst-shift,hops,lanes,deadlock-free,time:alltoall bytes=64KiB"

static double number(const struct ran *ran, const char *table, size_t row, const char *column)
{
    return json_number_value(cell(ran, table, row, column));
}

static const char *text(const struct ran *ran, const char *table, size_t row, const char *column)
{
    return json_string_value(cell(ran, table, row, column));
}

/* Row ROW of STUDY has in every column of a measure what the first of `compare ARGUMENTS` has. */
static void check_row(const struct ran *study, size_t row, const char *arguments)
{
    static const char *const columns[] = {"ebb",         "ebb_ci95", "noise_0_25", "noise_0_25_ci95",
                                          "worst_shift", "hops",     "lanes",      "time_alltoall_bytes_64kib"};
    char line[512];
    snprintf(line, sizeof line, "compare %s --measure '" MEASURES "' --format json --threads 1", arguments);
    struct ran compare = run_line(line);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const json_t *expected = cell(&compare, "comparison", 0, columns[i]);
        check_real(study, "study", row, columns[i], json_is_null(expected) ? NAN : json_number_value(expected));
    }
    check_text(study, "study", row, "deadlock_free", text(&compare, "comparison", 0, "deadlock_free"));
    ran_free(&compare);
}

static void test_figures_of_compare(void **state)
{
    (void)state;
    write_text("s.yaml", "network: [xgft:2:4,4:1,2, \"torus:4x4\"]\n"
                         "routing: [minhop, nue:lanes=2]\n"
                         "failed: ['', '10%']\n"
                         "seed: [1, 5]\n"
                         "measure: '" MEASURES "'\n");
    /* the first network needs quotes: */
    check_refused("study s.yaml", 1, "s.yaml:1: ");
    check_refused("study s.yaml", 1, "quotes keep together what has commas");
    write_text("s.yaml", "network: ['xgft:2:4,4:1,2', \"torus:4x4\"]\n"
                         "routing: [minhop, nue:lanes=2]\n"
                         "failed: ['', '10%']\n"
                         "seed: [1, 5]\n"
                         "measure: '" MEASURES "'\n");
    struct ran study = result_of("study s.yaml");
    assert_int_equal(rows_of(&study, "study"), 16);
    for (size_t row = 0; row < 16; row++) {
        static const char *const networks[] = {"xgft:2:4,4:1,2", "torus:4x4"}, *const routings[] = {"minhop",
                                                                                                    "nue:lanes=2"};
        char arguments[256];
        const bool failed = row / 2 % 2;
        check_text(&study, "study", row, "network", networks[row / 8]);
        check_text(&study, "study", row, "routing", routings[row / 4 % 2]);
        check_text(&study, "study", row, "failed", failed ? "10%" : NULL);
        check_int(&study, "study", row, "seed", row % 2 ? 5 : 1);
        snprintf(arguments, sizeof arguments, "%s --routing %s --seed %d%s", networks[row / 8], routings[row / 4 % 2],
                 row % 2 ? 5 : 1, failed ? " --failed 10%" : "");
        check_row(&study, row, arguments);
        check_real(&study, "study", row, "ebb_ratio",
                   number(&study, "study", row, "ebb") / number(&study, "study", 0, "ebb"));
    }
    ran_free(&study);
}

/* The first row of the study FILE, which has these measures, is what compare gives of ARGUMENTS, computed and stored.
 */
static void check_flits(const char *file, const char *arguments, const char *pattern, const char *column)
{
    const char *const columns[] = {"hops", "saturation_tornado", "saturation_tornado_ci95", column};
    char compare[512], study[128];
    snprintf(compare, sizeof compare, "compare %s --measure hops,saturation:tornado,plan:%s", arguments, pattern);
    snprintf(study, sizeof study, "study %s --store s.db --format json --threads 1", file);
    struct ran expected = result_of(compare);
    for (size_t again = 0; again < 2; again++) {
        struct ran ran = run_line(study);
        for (size_t k = 0; k < 4; k++) {
            const json_t *figure = cell(&expected, "comparison", 0, columns[k]);
            check_real(&ran, "study", 0, columns[k], json_is_null(figure) ? NAN : json_number_value(figure));
        }
        ran_free(&ran);
    }
    ran_free(&expected);
}

/* Of the torus packets by minhop would wait for one another. */
static void test_flits_and_plans(void **state)
{
    (void)state;
    write_text("s.yaml", "network: torus:8\nrouting: ['nue:lanes=2', minhop]\n"
                         "measure: [hops, 'saturation:tornado', 'plan:shift:3']\n");
    check_flits("s.yaml", "torus:8 --routing nue:lanes=2", "shift:3", "plan_shift_3");
    struct ran ran = run_line("study s.yaml --store s.db --format json --threads 1");
    assert_int_equal(ran.status, 1);
    check_note(&ran, "minhop, saturation:tornado: minhop can deadlock");
    check_real(&ran, "study", 1, "hops", 2 + 16.0 / 7);
    ran_free(&ran);
    ran = result_of("study s.yaml --dry-run --store s.db");
    check_int(&ran, "plan", 0, "stored", 3);
    check_int(&ran, "plan", 1, "stored", 3);
    ran_free(&ran);
}

static void test_flits_by_tables(void **state)
{
    (void)state;
    write_text("s.yaml", "network: " LMC ".ibnetdiscover\nlft: " LMC ".lfts\n"
                         "measure: [hops, 'saturation:tornado', 'plan:permutation']\n");
    check_flits("s.yaml", LMC ".ibnetdiscover --lft " LMC ".lfts --routing minhop", "permutation", "plan_permutation");
}

/* Endpoints, slow cables, trials, the network's own routing, and tables with and without repair. */
static void test_other_axes(void **state)
{
    (void)state;
    struct ran made = result_of("route torus:4x4 --routing dor --write dor.lft");
    ran_free(&made);
    write_text("s.yaml", "network: torus:4x4\nendpoints: ['h[0-7]', hca]\ndegraded: ['', 's(0,0)-s(0,1)=1Gbit/s']\n"
                         "measure: '" MEASURES "'\n");
    struct ran study = result_of("study s.yaml");
    check_row(&study, 0, "torus:4x4 --routing dor --endpoints h[0-7]");
    check_row(&study, 1, "torus:4x4 --routing dor --endpoints h[0-7] --degraded s(0,0)-s(0,1)=1Gbit/s");
    check_row(&study, 2, "torus:4x4 --routing dor");
    check_row(&study, 3, "torus:4x4 --routing dor --degraded s(0,0)-s(0,1)=1Gbit/s");
    assert_string_equal(context_of(&study, "network"), "torus:4x4");
    assert_string_equal(context_of(&study, "routes"), "dor");
    ran_free(&study);

    write_text("s.yaml", "network: torus:4x4\nlft: dor.lft\nrouting: minhop\nrepair: minhop\nfailed: 's(0,0)-s(0,1)'\n"
                         "measure: '" MEASURES "'\n");
    study = result_of("study s.yaml");
    assert_int_equal(rows_of(&study, "study"), 2);
    check_text(&study, "study", 0, "routing", "dor.lft");
    check_row(&study, 0, "torus:4x4 --lft dor.lft --repair minhop --failed s(0,0)-s(0,1)");
    check_row(&study, 1, "torus:4x4 --routing minhop --failed s(0,0)-s(0,1)");
    check_note(&study, "In all cases, failed: s(0,0)-s(0,1).");
    ran_free(&study);

    write_text("s.yaml", "network: torus:4x4\nlft: dor.lft\nfailed: ['', 's(0,0)-s(0,1)']\nmeasure: hops\n");
    study = run_line("study s.yaml --format json");
    assert_int_equal(study.status, 1);
    check_real(&study, "study", 0, "hops", 2 + 32.0 / 15);
    check_real(&study, "study", 1, "hops", NAN);
    check_note(&study, "s(0,0)-s(0,1) failed: 16 of 240 pairs have no route in dor.lft");
    ran_free(&study);

    write_text("s.yaml", "network: torus:4x4\ntrials: [50, 70]\nmeasure: ebb\n");
    study = result_of("study s.yaml");
    struct ran ebb = result_of("ebb torus:4x4 --direction bi --trials 70");
    check_int(&study, "study", 1, "trials", 70);
    check_real(&study, "study", 1, "ebb", number(&ebb, "ebb", 0, "ebb_mean"));
    check_real(&study, "study", 1, "ebb_ci95", number(&ebb, "ebb", 0, "ebb_ci95"));
    ran_free(&study);
    ran_free(&ebb);
}

/* What cannot be ends its case or figure; so does a file that is not there. */
static void test_cases_that_fail(void **state)
{
    (void)state;
    write_text("s.yaml", "network: ['torus:4x4', 'xgft:2:4,4:1,2']\nrouting: [dmodk, dor, minhop]\nfailed: ['', leaf]\n"
                         "measure: [hops, 'congestion:matrix:none.csv', lanes]\n");
    struct ran study = run_line("study s.yaml --format json --threads 2");
    assert_int_equal(study.status, 1);
    assert_int_equal(rows_of(&study, "study"), 12);
    check_real(&study, "study", 0, "hops", NAN);
    check_real(&study, "study", 0, "lanes", NAN);
    check_real(&study, "study", 2, "hops", 2 + 32.0 / 15);
    check_real(&study, "study", 2, "hops_ratio", NAN);
    check_real(&study, "study", 2, "congestion_matrix_none_csv", NAN);
    check_real(&study, "study", 2, "lanes", 2);
    check_note(&study, "torus:4x4 by dmodk, nothing failed: dmodk cannot route torus:4x4; ");
    check_note(&study, "torus:4x4 by dor, nothing failed, congestion:matrix:none.csv: cannot open none.csv");
    check_note(&study, "torus:4x4 by dmodk, leaf failed, and 2 more cases: failed: there is");
    assert_int_equal(notes_with(&study, "by dor, leaf failed"), 0);
    ran_free(&study);

    /* Some are cut off: that is a figure, not a failure. */
    write_text("s.yaml", "network: 'xgft:2:4,4:1,2'\nfailed: ['', 's1.0-s2.0,s1.0-s2.1']\nrouting: minhop\n"
                         "measure: [ebb, hops]\n");
    study = result_of("study s.yaml");
    struct ran ebb = run_line("ebb xgft:2:4,4:1,2 --failed s1.0-s2.0,s1.0-s2.1 --direction bi --routing minhop "
                              "--format json --threads 1");
    check_int(&study, "study", 0, "cut_off", 0);
    check_int(&study, "study", 1, "cut_off", 4);
    check_real(&study, "study", 1, "ebb", number(&ebb, "ebb", 0, "ebb_mean"));
    check_note(&study, "1 of 2 cases cut endpoints off.");
    ran_free(&study);
    ran_free(&ebb);
}

static int agree(const struct program_ranks *ranks, int rc)
{
    (void)ranks;
    return rc;
}

static void tell(const struct program_ranks *ranks)
{
    (void)ranks;
}

/* The same bytes for any number of threads, and of processes. */
static void test_threads(void **state)
{
    struct block_executor executor = block_executor(3);
    const struct program_ranks ranks = {
        .n = 3, .threads = 1, .executor = &executor.executor, .agree = agree, .tell = tell};
    struct ran ran[5];
    (void)state;
    write_text("s.yaml", "network: ['xgft:2:4,4:1,2', torus:4x4]\nrouting: [minhop, dmodk]\nfailed: ['', '10%']\n"
                         "trials: 50\nmeasure: [ebb, noise, lanes]\n");
    ran[0] = run_line("study s.yaml --threads 1");
    ran[1] = run_line("study s.yaml --threads 3");
    ran[2] = run_line("study s.yaml --threads 16 --store s.db");
    ran[3] = run_as(&ranks, "study s.yaml");
    ran[4] = run_as(&ranks, "study s.yaml --store s.db");
    for (size_t i = 1; i < 5; i++) {
        assert_string_equal(ran[i].out, ran[0].out);
        assert_int_equal(ran[i].status, 1);
    }
    for (size_t i = 0; i < 5; i++) ran_free(&ran[i]);
    ran[0] = run_as(&ranks, "ebb torus:4x4 --store s.db"); /* a whole result: which rank would look for it? */
    assert_int_equal(ran[0].status, 2);
    if (!strstr(ran[0].err, "--store is for one process; expected crosswind ebb")) fail_msg("%s", ran[0].err);
    ran_free(&ran[0]);
}

/* How many figures of the plan are stored. */
static size_t stored(const char *line)
{
    struct ran plan = result_of(line);
    size_t n = 0;
    for (size_t i = 0; i < rows_of(&plan, "plan"); i++) n += (size_t)number(&plan, "plan", i, "stored");
    ran_free(&plan);
    return n;
}

/* A store has what was computed, and only what has changed is computed again. */
static void test_store(void **state)
{
    static const char study[] = "network: %s\nrouting: %s\nseed: %s\ntrials: 50\nmeasure: %s\n";
    static const struct {
        const char *network, *routing, *seed, *measure;
        size_t stored;
    } changes[] = {
        {"[torus:4x4, 'net.edges']", "[dor, minhop]", "1", "[ebb, lanes]", 8},
        {"[torus:4x4, 'net.edges']", "[minhop, dor]", "[1, 2]", "[lanes, hops, ebb]", 8},
        {"['net.edges']", "[minhop]", "1", "lanes", 1},
        {"[torus:4x5]", "[minhop]", "1", "[ebb, lanes]", 0},
    };
    char content[512];
    (void)state;
    write_text("net.edges", "# crosswind edge list\nh0 s0\nh1 s0\nh2 s1\nh3 s1\ns0 s1\n");
    snprintf(content, sizeof content, study, changes[0].network, changes[0].routing, changes[0].seed,
             changes[0].measure);
    write_text("s.yaml", content);
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 0);
    assert_int_equal(access("s.db", F_OK), -1);
    struct ran first = run_line("study s.yaml --store s.db"), again = run_line("study s.yaml --store s.db");
    assert_int_equal(first.status, 1); /* the second network has no dor */
    assert_string_equal(first.out, again.out);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        snprintf(content, sizeof content, study, changes[i].network, changes[i].routing, changes[i].seed,
                 changes[i].measure);
        write_text("s.yaml", content);
        assert_int_equal(stored("study s.yaml --dry-run --store s.db"), changes[i].stored);
    }
    /* The file changes, then back. */
    write_text("s.yaml", "network: ['net.edges']\nrouting: minhop\ntrials: 50\nmeasure: [ebb, lanes]\n");
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 2);
    write_text("net.edges", "# crosswind edge list\nh0 s0\nh1 s0\nh2 s1\nh3 s1\ns0 s1\ns0 s1\n");
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 0);
    ran_free(&again);
    again = run_line("study s.yaml --store s.db");
    assert_int_equal(again.status, 0);
    write_text("net.edges", "# crosswind edge list\nh0 s0\nh1 s0\nh2 s1\nh3 s1\ns0 s1\n");
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 2);
    ran_free(&first);
    ran_free(&again);
}

#define COMPARE                                                                                                        \
    "compare net --lft now.lfts --repair minhop --routing updn,dor --failed node-01-leaf-0 --degraded "                \
    "leaf-0-spine-0=4Gbit/s "                                                                                          \
    "--endpoints node-[01-14] --seed 3 --measure hops,lanes,ebb --format csv "

static void copy_file(const char *from, const char *to)
{
    char *content = content_of(from);
    write_text(to, content);
    free(content);
}

/* An empty one, which changes nothing but the file. */
static void append_line(const char *path)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("\n", file);
    fclose(file);
}

/* What is stored of updn's lanes becomes 7. */
static void change_lanes(void)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open("s.db", &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "UPDATE figures SET value = 7 WHERE measure = 'lanes' AND routing = 'updn'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_changes(database), 1);
    sqlite3_close(database);
}

/* Compare and study have the same figures in a store: one takes what the other has stored. Of tables that have changed
 * nothing is taken, of others all. */
static void test_store_of_compare(void **state)
{
    (void)state;
    copy_file(LMC ".ibnetdiscover", "net");
    copy_file(LMC ".lfts", "now.lfts");
    write_text("s.yaml", "network: net\nlft: now.lfts\nrepair: minhop\nrouting: [updn, dor]\nfailed: node-01-leaf-0\n"
                         "degraded: leaf-0-spine-0=4Gbit/s\nendpoints: 'node-[01-14]'\nseed: 3\n"
                         "measure: [hops, lanes, ebb]\n");
    struct ran alone = run_line(COMPARE), stores = run_line(COMPARE "--store s.db");
    assert_int_equal(alone.status, 1); /* there is no such dor */
    assert_non_null(strstr(alone.out, ",updn,"));
    assert_string_equal(stores.out, alone.out);
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 6);
    struct ran study = run_line("study s.yaml --store s.db --format json");
    check_int(&study, "study", 0, "cut_off", 1);
    change_lanes();
    struct ran takes = run_line(COMPARE "--store s.db");
    assert_string_not_equal(takes.out, alone.out);
    append_line("now.lfts");
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 6); /* as many, with dor's */
    append_line("net");
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 0);
    ran_free(&takes);
    ran_free(&study);
    ran_free(&stores);
    ran_free(&alone);
    check_refused("compare torus:4 --measure hops,saturation:tornado --buffers 64 --store s.db", 2,
                  "--buffers is not for --store");
}

/* A file that only a measure or an engine reads counts, too. */
static void test_files_of_parameters(void **state)
{
    (void)state;
    write_text("prices", "switch 10\n");
    write_text("s.yaml", "network: torus:4x4\nmeasure: ['price:prices', hops]\n");
    struct ran ran = result_of("study s.yaml --store s.db");
    check_real(&ran, "study", 0, "price_prices", 160);
    ran_free(&ran);
    write_text("prices", "switch 11\n");
    assert_int_equal(stored("study s.yaml --dry-run --store s.db"), 1);
    ran = result_of("study s.yaml --store s.db");
    check_real(&ran, "study", 0, "price_prices", 176);
    ran_free(&ran);
}

static void test_cost(void **state)
{
    (void)state;
    write_text("s.yaml", "network: torus:4x4\nseed: 1\nmeasure: hops\n");
    struct ran ran = result_of("study s.yaml --dry-run");
    check_note(&ran, "1 case of 1 figure each: 1 figure, of which 0 are stored.");
    check_note(&ran, "How long the other 1 will take is not known: there is no --store with others.");
    ran_free(&ran);
    ran = result_of("study s.yaml --dry-run --store s.db");
    check_note(&ran, "the store has no figures of the kind.");
    ran_free(&ran);
    ran = result_of("study s.yaml --store s.db");
    ran_free(&ran);
    write_text("s.yaml", "network: torus:4x4\nseed: [1, 2, 3]\nmeasure: hops\n");
    ran = result_of("study s.yaml --dry-run --store s.db");
    check_note(&ran, "3 cases of 1 figure each: 3 figures, of which 1 is stored.");
    check_note(&ran, "The other 2 will take about ");
    ran_free(&ran);
}

static void test_results(void **state)
{
    (void)state;
    write_text("s.yaml",
               "network: torus:4x4\nrouting: [dor, minhop, dmodk]\nseed: [1, 2]\nmeasure: [hops, deadlock-free]\n");
    struct ran ran = run_line("study s.yaml --store s.db");
    assert_int_equal(ran.status, 1);
    ran_free(&ran);
    ran = result_of("results s.db");
    assert_int_equal(rows_of(&ran, "figures"), 12);
    check_note(&ran, "12 figures.");
    ran_free(&ran);
    ran = result_of("results s.db routing=minhop measure=deadlock-free seed=2");
    assert_int_equal(rows_of(&ran, "figures"), 1);
    check_text(&ran, "figures", 0, "word", "no");
    check_real(&ran, "figures", 0, "value", NAN);
    check_text(&ran, "figures", 0, "failed", NULL);
    check_text(&ran, "figures", 0, "endpoints", "hca");
    check_text(&ran, "figures", 0, "error", NULL);
    check_note(&ran, "1 figure.");
    ran_free(&ran);
    ran = result_of("results s.db measure=hops routing=dor seed=1");
    check_real(&ran, "figures", 0, "value", 2 + 32.0 / 15);
    assert_true(number(&ran, "figures", 0, "took") > 0);
    ran_free(&ran);
    ran = result_of("results s.db routing=dmodk measure=hops seed=1");
    assert_non_null(strstr(text(&ran, "figures", 0, "error"), "dmodk cannot route torus:4x4"));
    ran_free(&ran);
    ran = result_of("results s.db routing=nue");
    assert_int_equal(rows_of(&ran, "figures"), 0);
    ran_free(&ran);
    check_refused("results s.db engine=dor", 2, "no column is called 'engine'");
    check_refused("results s.db dor", 2, "'dor' is no condition; expected COLUMN=VALUE");
    check_refused("results s.db =dor", 2, "is no condition");
    check_refused("results none.db", 1, "cannot open none.db: No such file or directory");
    check_refused("results s.yaml", 1, "s.yaml is no store");
    check_refused("results", 2, "FILE.db");
}

/* The row of table `best` that is of MEASURE. */
static size_t best_of(const struct ran *ran, const char *measure)
{
    size_t row = 0;
    while (row < rows_of(ran, "best") && strcmp(text(ran, "best", row, "measure"), measure) != 0) row++;
    if (row == rows_of(ran, "best")) fail_msg("nothing is said of '%s'", measure);
    return row;
}

/* Row ROW of `best`: the next is the best in COLUMN, the greatest if MORE, of the routings that are not named there. */
static void check_next(const struct ran *compare, size_t row, const char *column, bool more)
{
    double next = more ? -INFINITY : INFINITY;
    for (size_t i = 0; i < rows_of(compare, "comparison"); i++) {
        if (strstr(text(compare, "best", row, "best"), text(compare, "comparison", i, "routing"))) continue;
        const double value = number(compare, "comparison", i, column);
        next = more ? fmax(next, value) : fmin(next, value);
    }
    check_real(compare, "best", row, "next_value", next);
}

/* Of the cases that are alike but for the routing, those are the best that compare finds. Others are warned of. */
static void test_best(void **state)
{
    static const char *const measures[] = {"ebb", "alltoall", "lanes", "worst-shift"}, *const columns_of[] = {
                                                                                           "ebb", "alltoall", "lanes",
                                                                                           "worst_shift"};
    (void)state;
    write_text("s.yaml", "network: torus:4x4\nrouting: [dor, minhop, nue, updn]\nfailed: ['', 's(0,0)-s(0,1)']\n"
                         "seed: [1, 2]\nmeasure: [ebb, alltoall, lanes, worst-shift, hops]\n");
    struct ran ran = run_line("study s.yaml --store s.db"),
               compare = result_of("compare torus:4x4 --routing dor,minhop,nue,updn --seed 2 --measure "
                                   "ebb,alltoall,lanes,worst-shift");
    ran_free(&ran);
    ran = result_of("results s.db failed= seed=2");
    size_t known = 0;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        const size_t row = best_of(&ran, measures[i]);
        static const char *const columns[] = {"best", "value", "next", "next_value"};
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            assert_true(json_equal(cell(&ran, "best", row, columns[c]), cell(&compare, "best", i, columns[c])));
        if (json_is_null(cell(&ran, "best", row, "best"))) continue;
        check_next(&compare, i, columns_of[i], i == 0);
        known++;
    }
    assert_true(known >= 2);
    check_note(&ran, "Which are best is said of the 4 cases that the conditions choose.");
    assert_int_equal(notes_with(&ran, "The cases differ in"), 0);
    ran_free(&ran);
    ran = result_of("results s.db measure=worst-shift");
    assert_int_equal(rows_of(&ran, "best"), 1);
    check_note(&ran, "said of the 16 cases that the conditions choose.");
    check_note(&ran, "The cases differ in failed, seed, and may be better or worse for that reason alone");
    ran_free(&ran);
    ran = result_of("results s.db");
    check_note(&ran, "said of the 16 cases that are stored.");
    ran_free(&ran);
    ran = result_of("results s.db failed= seed=2 routing=dor");
    assert_false(has_table(&ran, "best"));
    assert_int_equal(notes_with(&ran, "best"), 0);
    ran_free(&ran);
    ran_free(&compare);
}

/* A list of prices that is gone costs the table of the best, not the figures. */
static void test_best_unknown(void **state)
{
    (void)state;
    write_text("prices", "switch 10\ncable 1\n");
    write_text("s.yaml", "network: torus:4x4\nrouting: [dor, minhop]\nmeasure: ['price:prices', lanes]\n");
    struct ran ran = result_of("study s.yaml --store s.db");
    ran_free(&ran);
    unlink("prices");
    ran = result_of("results s.db");
    assert_int_equal(rows_of(&ran, "figures"), 4);
    assert_false(has_table(&ran, "best"));
    check_note(&ran, "Which are best is not known: cannot open prices");
    ran_free(&ran);
    ran = result_of("results s.db measure=lanes");
    check_text(&ran, "best", 0, "measure", "lanes");
    ran_free(&ran);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("study", 2, "FILE.yaml");
    check_refused("study none.yaml", 1, "cannot open none.yaml");
    write_text("s.yaml", "network: [torus:4x4, torus:0]\nmeasure: ebb\n");
    check_refused("study s.yaml", 1, "s.yaml:1: ");
    write_text("s.yaml", "network: torus:4x4\nmeasure: [lanes, ebbs]\n");
    check_refused("study s.yaml", 1, "s.yaml:2: no measure is called 'ebbs'; did you mean 'ebb'?");
    write_text("s.yaml", "network: torus:4x4\nmeasure: ebb\nrouting:\n - dor\n - minhopp\n");
    check_refused("study s.yaml", 1, "s.yaml:5: ");
    check_refused("study s.yaml", 1, "did you mean 'minhop'?");
    write_text("s.yaml", "network: torus:4x4\nmeasure: ebb\nlft: none.lfts\nrepair: minhop\n");
    check_refused("study s.yaml", 1, "s.yaml:3: cannot open none.lfts");
    write_text("s.yaml", "network: torus:4x4\nmeasure: ebb\nseed: 2\n");
    check_refused("study s.yaml --seed 3", 2, "s.yaml has a seed; expected no --seed, too");
    write_text("net.edges", "# crosswind edge list\nh0 s0\nh1 s0\n");
    write_text("s.yaml", "network: net.edges\nmeasure: hops\n");
    check_refused("study s.yaml --output net.edges", 1, "s.yaml:1: net.edges is read, and --output would write it");
    check_refused("study s.yaml --store s.yaml", 2, "s.yaml is read, and --store would write it");
    check_refused("study s.yaml --store net.edges", 1, "net.edges is read, and --store would write it");
    write_text("other",
               "no database at all, and more than a hundred bytes of it, as a file needs that is not to be taken "
               "for one\n");
    check_refused("study s.yaml --store other", 1, "other is no store");
    check_refused("study s.yaml --store other --dry-run", 1, "other is no store");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_figures_of_compare, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_flits_and_plans, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_flits_by_tables, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_other_axes, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_cases_that_fail, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_threads, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_store, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_store_of_compare, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_files_of_parameters, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_cost, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_results, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_best, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_best_unknown, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_refused, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
