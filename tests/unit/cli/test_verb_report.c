/* crosswind report and --html: a page holds the very results, in their order, and nothing is overwritten by mistake. */
#include "cli_test.h"

#include <sqlite3.h>
#include <unistd.h>

#include "../skip.h"
#include "base/text.h"
#include "report/page.h"

extern const struct verb verb_topo, verb_ebb, verb_report, verb_study, verb_results;
const struct verb *const verbs[] = {&verb_topo, &verb_ebb, &verb_report, &verb_study, &verb_results, NULL};

/* Element NUMBER, from 0, of the results in PAGE. */
static json_t *element(const char *page, int number)
{
    static const char tag[] = "<script type=\"application/json\" class=\"result\">";
    const char *at = strstr(page, tag);
    for (int i = 0; at && i < number; i++) at = strstr(at + 1, tag);
    if (!at) return NULL;
    json_t *value = json_loads(at + strlen(tag), JSON_DISABLE_EOF_CHECK, NULL);
    assert_non_null(value);
    return value;
}

/* Element NUMBER of the file PATH is the result of LINE, from the file SOURCE (NULL: of the run). */
static void check_element(const char *path, int number, const char *line, const char *source)
{
    struct ran ran = result_of(line);
    char *page = content_of(path);
    json_t *found = element(page, number);
    if (!found) fail_msg("%s has no result %d", path, number);
    const char *from = json_string_value(json_object_get(found, "source"));
    assert_true(source ? from && strcmp(from, source) == 0 : !from);
    assert_true(json_equal(json_object_get(found, "result"), ran.json));
    json_decref(found);
    free(page);
    ran_free(&ran);
}

static void run_well(const char *line)
{
    struct ran ran = run_line(line);
    if (ran.status != 0) fail_msg("'%s': %s", line, ran.err);
    ran_free(&ran);
}

/* Whether pages can be made. Where they cannot, that is said before anything is computed. */
static bool has_pages(void)
{
    if (cw_page_check() == 0) return true;
    check_refused("topo torus:3x3 --html page.html", 1, "was built without what pages consist of");
    check_refused("report a.json b.html", 1, "was built without what pages consist of");
    skip_because("the program was built without the application of pages");
    return false;
}

static void test_option(void **state)
{
    (void)state;
    static const char *const forms[] = {"", " --format csv", " --output topo.csv", " --output topo.json"};
    if (!has_pages()) return;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char line[200];
        snprintf(line, sizeof line, "topo torus:3x3 --html page%zu.html%s", i, forms[i]);
        run_well(line);
        snprintf(line, sizeof line, "page%zu.html", i);
        check_element(line, 0, "topo torus:3x3", NULL);
    }
    check_refused("topo torus:3x3 --html nowhere/page.html", 1, "nowhere/page.html");
    check_refused("topo torus:3x3 --html same --output same", 2, "would write the same file");
    check_refused("ebb torus:3x3 --routing nothing --html none.html", 2, "nothing");
    assert_int_not_equal(access("none.html", F_OK), 0);
}

static void test_report(void **state)
{
    (void)state;
    if (!has_pages()) return;
    run_well("topo torus:3x3 --output one.json");
    run_well("ebb torus:3x3 --trials 3 --threads 1 --output two.json");
    run_well("report two.json one.json two.json page.htm");
    check_element("page.htm", 0, "ebb torus:3x3 --trials 3", "two.json");
    check_element("page.htm", 1, "topo torus:3x3", "one.json");
    check_element("page.htm", 2, "ebb torus:3x3 --trials 3", "two.json");
    char *page = content_of("page.htm");
    assert_null(element(page, 3));
    free(page);
}

/* Result NUMBER of the page PATH. */
static json_t *result_in(const char *path, int number)
{
    char *page = content_of(path);
    json_t *found = element(page, number), *result = json_incref(json_object_get(found, "result"));
    assert_non_null(result);
    json_decref(found);
    free(page);
    return result;
}

static const json_t *rows_in(const json_t *result, const char *table)
{
    return json_object_get(json_object_get(json_object_get(result, "tables"), table), "rows");
}

/* The row of CASES that is called NAME has the same in each of COLUMNS as row I of the study. */
static void check_case(const json_t *cases, const char *name, const struct ran *study, size_t i,
                       const char *const *columns)
{
    const json_t *found = NULL, *row;
    for (size_t k = 0; k < json_array_size(cases); k++) {
        row = json_array_get(cases, k);
        if (strcmp(json_string_value(json_object_get(row, "case")), name) == 0) found = row;
    }
    if (!found) fail_msg("there is no case '%s'", name);
    for (; *columns; columns++)
        if (!json_equal(json_object_get(found, *columns), cell(study, "study", i, *columns)))
            fail_msg("%s of '%s' is not that of the study", *columns, name);
}

/* The first panel of FIGURE marks those of CASES that BEST, a list, names. */
static void check_marks(const json_t *cases, const json_t *figure, const char *best)
{
    const json_t *rows = json_object_get(json_array_get(json_object_get(figure, "panels"), 0), "best_rows");
    char names[1024] = "";
    assert_true(json_array_size(rows) > 0);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(cases, (size_t)json_integer_value(json_array_get(rows, i)));
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 json_string_value(json_object_get(row, "case")));
    }
    assert_string_equal(names, best);
}

/* A store is all of its figures, as results lists them, and by case, as study has them; those of one case only once. */
static void test_store(void **state)
{
    (void)state;
    static const char *const columns[] = {"alltoall", "ebb", "ebb_ci95", "deadlock_free", NULL};
    if (!has_pages()) return;
    write_text("s.yaml", "network: torus:4x4\nrouting: [dor, minhop]\nseed: [1, 2]\nfailed: [\"\", \"s(0,0)-s(1,0)\"]\n"
                         "trials: 20\nleave out: [{routing: dor, failed: \"s(0,0)-s(1,0)\"}]\n"
                         "measure: [alltoall, ebb, deadlock-free]\n");
    struct ran study = result_of("study s.yaml --store s.db"), listed = result_of("results s.db");
    run_well("topo torus:3x3 --output one.json");
    run_well("report one.json s.db store.html");
    json_t *result = result_in("store.html", 1);
    assert_true(json_equal(rows_in(result, "figures"), table_of(&listed, "figures")));
    assert_string_equal(json_string_value(json_object_get(result, "command")), "crosswind results s.db");
    const json_t *cases = rows_in(result, "cases"), *figures = json_object_get(result, "figures");
    assert_int_equal(json_array_size(cases), rows_of(&study, "study"));
    assert_int_equal(json_array_size(figures), 1);
    assert_true(json_equal(rows_in(result, "best"), table_of(&listed, "best")));
    check_marks(cases, json_array_get(figures, 0), json_string_value(cell(&listed, "best", 0, "best")));
    for (size_t i = 0; i < rows_of(&study, "study"); i++) {
        char name[256];
        const char *failed = json_string_value(cell(&study, "study", i, "failed"));
        snprintf(name, sizeof name, "%s%s%s%s, seed %lld", json_string_value(cell(&study, "study", i, "routing")),
                 failed ? ", " : "", failed ? failed : "", failed ? " failed" : "",
                 (long long)json_integer_value(cell(&study, "study", i, "seed")));
        check_case(cases, name, &study, i, columns);
    }
    json_decref(result);
    ran_free(&study);
    ran_free(&listed);
}

static void change(const char *path, const char *statement)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, statement, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* A figure that is missing stays so, whatever the next case has. */
static void test_missing_figures(void **state)
{
    (void)state;
    if (!has_pages()) return;
    write_text("s.yaml", "network: torus:4x4\nrouting: [dor, minhop]\nmeasure: [hops, lanes]\n");
    run_well("study s.yaml --store u.db");
    change("u.db", "DELETE FROM figures WHERE routing = 'dor' AND measure = 'lanes'");
    run_well("report u.db store.html");
    json_t *result = result_in("store.html", 0);
    const json_t *cases = rows_in(result, "cases");
    assert_int_equal(json_array_size(cases), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(cases, 0), "case")), "dor");
    assert_true(json_is_null(json_object_get(json_array_get(cases, 0), "lanes")));
    assert_true(json_is_number(json_object_get(json_array_get(cases, 1), "lanes")));
    json_decref(result);
}

/* A figure that was computed twice, of other files, is two cases; a measure that is gone leaves the list. */
static void test_old_stores(void **state)
{
    (void)state;
    if (!has_pages()) return;
    write_text("s.yaml", "network: torus:4x4\nmeasure: [hops, lanes]\n");
    run_well("study s.yaml --store t.db");
    change("t.db",
           "INSERT INTO figures SELECT key || 'x', definition, inputs, network, routing, endpoints, failed, degraded, "
           "seed, trials, measure, unit, value + 1, ci95, word, code, error, cut_off, finished, seconds, version "
           "FROM figures WHERE measure = 'hops'");
    run_well("report t.db store.html");
    json_t *result = result_in("store.html", 0);
    const json_t *cases = rows_in(result, "cases");
    assert_int_equal(json_array_size(cases), 2);
    assert_true(json_number_value(json_object_get(json_array_get(cases, 1), "hops")) ==
                json_number_value(json_object_get(json_array_get(cases, 0), "hops")) + 1);
    assert_true(json_is_null(json_object_get(json_array_get(cases, 1), "lanes")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(cases, 0), "case")), "dor");
    json_decref(result);
    change("t.db", "UPDATE figures SET measure = 'gone' WHERE measure = 'lanes'");
    run_well("report t.db store.html");
    result = result_in("store.html", 0);
    assert_null(rows_in(result, "cases"));
    assert_int_equal(json_array_size(rows_in(result, "figures")), 3);
    assert_non_null(strstr(json_string_value(json_array_get(json_object_get(result, "notes"), 0)), "'gone'"));
    json_decref(result);
    change("t.db", "DELETE FROM figures");
    run_well("report t.db store.html");
    result = result_in("store.html", 0);
    assert_int_equal(json_array_size(rows_in(result, "figures")), 0);
    json_decref(result);
    change("t.db", "PRAGMA application_id = 7");
    check_refused("report t.db none.html", 1, "t.db is the database of another program");
    write_text("half.db", "SQLite format 3");
    check_refused("report half.db none.html", 1, "half.db");
    assert_int_not_equal(access("none.html", F_OK), 0);
}

static void test_refused(void **state)
{
    (void)state;
    if (!has_pages()) return;
    run_well("topo torus:3x3 --output one.json");
    run_well("topo torus:3x3 --output two.json");
    run_well("topo torus:3x3 --output table.csv");
    check_refused("report one.json two.json", 2, "'two.json', does not end in .html");
    check_refused("report one.json html", 2, "'html', does not end in .html");
    check_refused("report one.json table.csv", 2, "'table.csv', does not end in .html");
    check_refused("report one.html", 2, "expected FILE");
    check_refused("report", 2, "expected RESULT");
    check_refused("report table.csv page.html", 1, "table.csv:1:");
    check_refused("report one.json table.csv-metadata.json page.html", 1, "table.csv-metadata.json: ");
    assert_int_not_equal(access("page.html", F_OK), 0);
    assert_int_equal(rename("one.json", "one.html"), 0);
    check_refused("report one.html ./one.html", 2, "expected another file to write");
    struct ran ran = run_line("topo torus:3x3 --format json");
    char *kept = content_of("two.json");
    assert_string_equal(kept, ran.out);
    free(kept);
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_option),          cmocka_unit_test(test_report),
                                       cmocka_unit_test(test_store),           cmocka_unit_test(test_old_stores),
                                       cmocka_unit_test(test_missing_figures), cmocka_unit_test(test_refused)};
    const int failed = cmocka_run_group_tests(tests, enter_folder, leave_folder);
    return failed ? failed : case_skipped ? SKIPPED_STATUS : 0;
}
