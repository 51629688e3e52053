/* Pages: what a document holds cannot end its script and comes back whole, and what is no result is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../skip.h"
#include "base/error.h"
#include "base/json.h"
#include "report/page.h"

/* What a browser's parser of HTML finds in the only script of TEXT, as JSON. */
static const struct cw_page_more none;

static json_t *in_script(const struct cw_text *text)
{
    json_t *value;
    const char *begin = strchr(text->data, '>') + 1, *end = strstr(begin, "</script");
    assert_int_equal(strncmp(text->data, "<script type=\"application/json\" class=\"result\">", 46), 0);
    assert_string_equal(end, "</script>\n");
    assert_null(memchr(begin, '<', (size_t)(end - begin)));
    assert_int_equal(cw_json_read("page", begin, (size_t)(end - begin), &value), 0);
    return value;
}

/* Each of these stands as a value, as a key and as a source; each comes back as it was. */
static void test_hostile(void **state)
{
    (void)state;
    static const char *const hostile[] = {"</script>",
                                          "</SCRIPT ><script>alert(1)</script>",
                                          "<!-- <script>",
                                          "]]>",
                                          "\"quotes' and \\ backslashes\\u003c",
                                          "line\xe2\x80\xa8separators\xe2\x80\xa9here",
                                          "\xe2\x82\xac \xe2\x86\x92 and \xf0\x9f\x8c\xac",
                                          "<",
                                          "\xe2\x80\xa8",
                                          "\x01\x7f\t\n"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct cw_text page = {0}, json = {0};
        json_t *document = json_object();
        cw_json_set(&document, "value", cw_json_string(hostile[i]));
        cw_json_set(&document, hostile[i], json_integer(7));
        assert_int_equal(cw_json_write(document, &json), 0);
        cw_page_add(&page, hostile[i], &none, json.data, json.length);
        assert_int_equal(cw_text_check(&page), 0);
        assert_null(strstr(page.data, "\xe2\x80\xa8"));
        assert_null(strstr(page.data, "\xe2\x80\xa9"));
        json_t *back = in_script(&page), *result = json_object_get(back, "result");
        assert_string_equal(json_string_value(json_object_get(back, "source")), hostile[i]);
        assert_string_equal(json_string_value(json_object_get(result, "value")), hostile[i]);
        assert_int_equal(json_integer_value(json_object_get(result, hostile[i])), 7);
        json_decref(back);
        cw_text_free(&page);
        cw_text_free(&json);
    }
}

/* A name that is no UTF-8 is replaced, as in all JSON; what ends in the middle of a separator stays. */
static void test_bytes(void **state)
{
    (void)state;
    char map[] = "[\"</script>\"]";
    const struct cw_text more = {.data = map, .length = sizeof map - 1};
    struct cw_text page = {0};
    cw_page_add(&page, "caf\xe9.json", &none, "[\"\xe2\x80\"]", 6);
    assert_non_null(strstr(page.data, "\"caf\xef\xbf\xbd.json\""));
    assert_non_null(strstr(page.data, "[\"\xe2\x80\"]}"));
    page.length = 0;
    cw_page_add(&page, NULL, &none, "{}", 2);
    assert_string_equal(
        page.data, "<script type=\"application/json\" class=\"result\">{\"source\": null, \"result\": {}}</script>\n");
    page.length = 0;
    cw_page_add(&page, NULL, &(struct cw_page_more){.map = more, .experiments = more}, "{}", 2);
    assert_string_equal(page.data,
                        "<script type=\"application/json\" class=\"result\">{\"source\": null, \"map\": "
                        "[\"\\u003c/script>\"], \"experiments\": [\"\\u003c/script>\"], \"result\": {}}</script>\n");
    cw_text_free(&page);
}

#define HEAD   "{\"tool\": \"crosswind\", \"version\": \"1\", \"context\": {}, "
#define NOTES  "\"notes\": [\"a\"], "
#define INPUTS "\"inputs\": [{\"path\": \"a\", \"sha256\": \"b\"}], "
#define TABLES "\"tables\": {\"t\": {\"columns\": [{\"name\": \"x\", \"type\": \"int\"}], \"rows\": [{\"x\": 1}]}}"

static void test_documents(void **state)
{
    (void)state;
    static const struct {
        const char *json, *message; /* NULL: it is a result */
    } cases[] = {
        {HEAD NOTES INPUTS TABLES "}", NULL},
        {HEAD NOTES INPUTS TABLES ", \"figures\": [{}], \"measured\": {}, \"later\": 1}", NULL},
        {HEAD "\"notes\": [], \"inputs\": [], \"tables\": {}}", NULL},
        {"", "expected JSON"},
        {"ratio,slowdown\n", "expected JSON"},
        {"[]", "the member \"tool\" is not \"crosswind\""},
        {"{\"tool\": \"fairwind\"}", "the member \"tool\" is not \"crosswind\""},
        {"{\"tool\": \"crosswind\"}", "there is no version"},
        {"{\"tool\": \"crosswind\", \"version\": \"1\"}", "there is no context"},
        {HEAD "\"notes\": 3}", "the notes are no texts"},
        {HEAD "\"notes\": [3]}", "the notes are no texts"},
        {HEAD NOTES TABLES "}", "there are no inputs"},
        {HEAD NOTES "\"inputs\": [{\"path\": \"a\"}], " TABLES "}", "an input has no path or no sha256"},
        {HEAD NOTES INPUTS "\"tables\": []}", "there are no tables"},
        {HEAD NOTES INPUTS "\"tables\": {\"t\": {}}}", "table t: there are no columns"},
        {HEAD NOTES INPUTS "\"tables\": {\"t\": {\"columns\": [{\"name\": \"x\"}]}}}",
         "table t: a column has no name or no type"},
        {HEAD NOTES INPUTS "\"tables\": {\"t\": {\"columns\": [{\"name\": \"x\", \"type\": \"blob\"}]}}}",
         "table t: a column's type is none of text, int, real"},
        {HEAD NOTES INPUTS "\"tables\": {\"t\": {\"columns\": []}}}", "table t: there are no rows"},
        {HEAD NOTES INPUTS "\"tables\": {\"t\": {\"columns\": [], \"rows\": [1]}}}", "table t: a row is no object"},
        {HEAD NOTES INPUTS TABLES ", \"measured\": {\"u\": {\"columns\": []}}}", "table u: there are no rows"},
        {HEAD NOTES INPUTS TABLES ", \"measured\": []}", "there are no tables"},
        {HEAD NOTES INPUTS TABLES ", \"figures\": {}}", "the figures are no array"},
        {HEAD NOTES INPUTS TABLES "} {}", "expected JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int rc = cw_page_check_document("result.json", cases[i].json, strlen(cases[i].json));
        if (!cases[i].message && rc) fail_msg("%s: %s", cases[i].json, cw_error_message());
        if (!cases[i].message) continue;
        assert_int_equal(rc, CW_EPARSE);
        assert_int_equal(strncmp(cw_error_message(), "result.json:", 12), 0);
        if (!strstr(cw_error_message(), cases[i].message)) fail_msg("%s: %s", cases[i].json, cw_error_message());
    }
}

/* The application stands alone: it loads nothing, and the only script is its own. */
static void test_application(void **state)
{
    (void)state;
    struct cw_text page = {0};
    if (cw_page_check() != 0) {
        assert_int_equal(cw_page_begin(&page), CW_EIO);
        assert_int_equal(page.length, 0);
        skip_because("the program was built without the application of pages");
    }
    assert_int_equal(cw_page_begin(&page), 0);
    assert_int_equal(strncmp(page.data, "<!DOCTYPE html>", 15), 0);
    assert_int_equal(strlen(page.data), page.length);
    assert_non_null(strstr(page.data, "content=\"default-src 'none'; script-src 'sha256-"));
    assert_null(strstr(page.data, "<link"));
    assert_null(strstr(page.data, " src=\""));
    const char *script = strstr(page.data, "<script>");
    assert_non_null(script);
    assert_string_equal(strstr(script, "</script"), "</script>\n");
    assert_non_null(strstr(page.data, "Apache License"));
    assert_non_null(strstr(page.data, "BSD 3-Clause License"));
    cw_text_free(&page);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile), cmocka_unit_test(test_bytes),
                                              cmocka_unit_test(test_documents), cmocka_unit_test(test_application)};
    return run_cases(tests);
}
