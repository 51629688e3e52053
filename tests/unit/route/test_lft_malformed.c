/*
 * Malformed files of forwarding tables: golden/malformed-lft/NAME.txt gives exactly the message in NAME.expected, and
 * no damage that cuts a file anywhere goes unnoticed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "net/files/formats.h"
#include "route/files/lft_file.h"

#define FABRIC    CW_TEST_DATA "/golden/fabric/two-level"
#define MALFORMED CW_TEST_DATA "/golden/malformed-lft"

static struct cw_text content_of(const char *directory, const char *name)
{
    struct cw_text path = {0}, text = {0};
    cw_text_printf(&path, "%s%s", directory, name);
    if (cw_file_read(path.data, &text)) fail_msg("%s", cw_error_message());
    cw_text_free(&path);
    return text;
}

static int read_network(void **state)
{
    struct cw_network *net = NULL;
    if (cw_network_read(FABRIC ".ibnetdiscover", &net)) fail_msg("%s", cw_error_message());
    *state = net;
    return 0;
}

static int free_network(void **state)
{
    cw_network_free(*state);
    return 0;
}

static void check_file(const struct cw_network *net, const char *name)
{
    struct cw_text text = content_of(MALFORMED "/", name), expected = {0}, file = {0};
    struct cw_routes *routes = NULL;
    struct cw_lft_report report = {.format = "untouched"};
    const size_t length = strlen(name) - strlen(".txt");
    cw_text_append(&file, name, length);
    cw_text_add(&file, ".expected");
    expected = content_of(MALFORMED "/", file.data);
    const int rc = cw_lft_parse(net, name, text.data, text.length, &report, &routes);
    if (rc == 0) fail_msg("%s was read", name);
    assert_int_equal(rc, CW_EPARSE);
    assert_null(routes);
    assert_string_equal(report.format, "untouched");
    assert_int_equal(expected.data[expected.length - 1], '\n');
    expected.data[expected.length - 1] = '\0';
    assert_string_equal(cw_error_message(), expected.data);
    cw_text_free(&text);
    cw_text_free(&expected);
    cw_text_free(&file);
}

static void test_corpus(void **state)
{
    DIR *directory = opendir(MALFORMED);
    assert_non_null(directory);
    unsigned n = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".txt") != 0) continue;
        check_file(*state, entry->d_name);
        n++;
    }
    closedir(directory);
    assert_true(n > 30);
}

static int parse(const struct cw_network *net, const char *data, size_t length)
{
    struct cw_routes *routes = NULL;
    const int rc = cw_lft_parse(net, "cut", data, length, NULL, &routes);
    cw_routes_free(routes);
    return rc;
}

/* Cut off anywhere but behind a whole table, a dump is refused. */
static void check_cuts(const struct cw_network *net, const char *name, const char *trailer)
{
    struct cw_text text = content_of(FABRIC, name);
    unsigned whole = 0;
    for (size_t length = 1; length < text.length; length += length + 300 < text.length ? 37 : 1) {
        char *copy = malloc(length); /* exactly, so that a byte read behind it is noticed */
        assert_non_null(copy);
        memcpy(copy, text.data, length);
        const size_t spaces = copy[length - 1] == '\n';
        const size_t end = length - spaces;
        const char *line = memrchr(copy, '\n', end);
        const size_t at = line ? (size_t)(line + 1 - copy) : 0;
        const bool complete = end - at >= strlen(trailer) && memcmp(copy + at, trailer, strlen(trailer)) == 0;
        const int rc = parse(net, copy, length);
        if (complete != (rc == 0)) fail_msg("%s cut to %zu bytes: %d", name, length, rc);
        whole += complete;
        free(copy);
    }
    assert_true(whole > 0);
    cw_text_free(&text);
}

static void test_cuts(void **state)
{
    check_cuts(*state, ".lfts", "22 lids dumped");
    check_cuts(*state, ".dump_fts", "22 valid lids dumped");
}

/* Any byte changed to any other: read or refused, but nothing worse. */
static void test_changed_bytes(void **state)
{
    static const char *const names[] = {".lfts", ".dump_fts-n", ".fdbs"};
    static const char bytes[] = {'\0', '\n', ' ', '0', '9', 'f', ':', '[', '\xff'};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct cw_text text = content_of(FABRIC, names[i]);
        if (text.length > 1500) text.length = 1500;
        for (size_t at = 0; at < text.length; at += 11) {
            const char before = text.data[at];
            text.data[at] = bytes[at % sizeof bytes];
            const int rc = parse(*state, text.data, text.length);
            assert_true(rc == 0 || rc == CW_EPARSE);
            text.data[at] = before;
        }
        cw_text_free(&text);
    }
}

static void test_missing_file(void **state)
{
    struct cw_routes *routes = NULL;
    assert_int_equal(cw_lft_read(*state, MALFORMED "/there-is-none", NULL, &routes), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "there-is-none"));
    assert_int_equal(cw_lft_read(*state, MALFORMED, NULL, &routes), CW_EIO); /* a directory */
    assert_null(routes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, read_network, free_network);
}
