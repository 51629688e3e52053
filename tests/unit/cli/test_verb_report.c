/* crosswind report and --html: a page holds the very results, in their order, and nothing is overwritten by mistake. */
#include "cli_test.h"

#include <unistd.h>

#include "../skip.h"
#include "base/text.h"
#include "report/page.h"

extern const struct verb verb_topo, verb_ebb, verb_report;
const struct verb *const verbs[] = {&verb_topo, &verb_ebb, &verb_report, NULL};

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_option), cmocka_unit_test(test_report),
                                       cmocka_unit_test(test_refused)};
    const int failed = cmocka_run_group_tests(tests, enter_folder, leave_folder);
    return failed ? failed : case_skipped ? SKIPPED_STATUS : 0;
}
