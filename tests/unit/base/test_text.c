/* The buffer, files, lines, names in natural order, and the nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "base/random.h"
#include "base/text.h"

static void test_buffer(void **state)
{
    (void)state;
    struct cw_text text = {0};
    char expected[6000] = "";
    for (int i = 0; i < 200; i++) {
        cw_text_printf(&text, "%d,", i);
        sprintf(expected + strlen(expected), "%d,", i);
    }
    cw_text_append(&text, "abc", 2);
    strcat(expected, "ab");
    cw_text_printf(&text, "%1000d|", 7); /* more than a small piece */
    sprintf(expected + strlen(expected), "%1000d|", 7);
    assert_int_equal(cw_text_check(&text), 0);
    assert_string_equal(text.data, expected);
    assert_int_equal(text.length, strlen(expected));
    cw_text_free(&text);
    assert_null(text.data);
    cw_text_free(NULL);
}

static void test_buffer_remembers_failure(void **state)
{
    (void)state;
    struct cw_text text = {0};
    cw_text_add(&text, "kept");
    cw_text_append(&text, "", SIZE_MAX - 2);
    cw_text_add(&text, "ignored");
    cw_text_printf(&text, "%1000d", 1);
    assert_int_equal(cw_text_check(&text), CW_ENOMEM);
    assert_string_equal(text.data, "kept");
    cw_text_free(&text);
}

static void test_wrap(void **state)
{
    (void)state;
    struct cw_text text = {0};
    cw_text_wrap(&text, "  aa bb\ncc  dd extraordinary é é é é ", 0, 2, 8);
    assert_string_equal(text.data, "aa bb cc\n  dd\n  extraordinary\n  é é é\n  é");
    cw_text_free(&text);
    cw_text_wrap(&text, "ab cd", 5, 5, 9);
    assert_string_equal(text.data, "ab\n     cd");
    cw_text_free(&text);
    assert_int_equal(cw_text_width("µs … é"), 6);
}

/* A directory for a test's files, made for it and removed at its end. */
static int make_directory(void **state)
{
    const char *base = getenv("TMPDIR");
    char *path = malloc(4096);
    snprintf(path, 4096, "%s/crosswind-XXXXXX", base ? base : P_tmpdir);
    *state = path;
    return mkdtemp(path) ? 0 : -1;
}

static int remove_directory(void **state)
{
    const int rc = rmdir(*state); /* fails if a file was left behind */
    free(*state);
    return rc;
}

static void test_file_round_trip(void **state)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/file", (char *)*state);
    struct cw_text text = {0}, back = {0};
    struct cw_random random = cw_random_of(1, CW_STREAM_TEST, 0);
    for (int i = 0; i < 200000; i++) {
        const char byte = (char)(1 + cw_random_below(&random, 255)); /* all but 0, which no text has */
        cw_text_append(&text, &byte, 1);
    }
    assert_int_equal(cw_file_write(path, &text), 0);
    assert_int_equal(cw_file_read(path, &back), 0);
    assert_int_equal(back.length, text.length);
    assert_memory_equal(back.data, text.data, text.length + 1);
    cw_text_free(&back);
    const struct cw_text empty = {0};
    assert_int_equal(cw_file_write(path, &empty), 0);
    assert_int_equal(cw_file_read(path, &back), 0);
    assert_string_equal(back.data, "");
    cw_text_free(&back);
    cw_text_free(&text);
    unlink(path);
}

static void test_file_write_keeps_links_modes_and_devices(void **state)
{
    char path[4200], link[4200];
    struct stat status;
    struct cw_text text = {0}, back = {0};
    snprintf(path, sizeof path, "%s/file", (char *)*state);
    snprintf(link, sizeof link, "%s/link", (char *)*state);
    cw_text_add(&text, "new");
    assert_int_equal(cw_file_write(path, &text), 0);
    chmod(path, 0600);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(cw_file_write(link, &text), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(cw_file_read(link, &back), 0);
    assert_string_equal(back.data, "new");
    assert_int_equal(cw_file_write("/dev/null", &text), 0);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    unlink(link);
    unlink(path);
    cw_text_free(&back);
    cw_text_free(&text);
}

/* What the program syncs, kept for the test: folders. */
static unsigned folders_synced;

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) folders_synced++;
    return __real_fsync(descriptor);
}

/* A name that was made from another is nobody's link to follow, and every rename is on the disk before it is success.
 */
static void test_file_beside(void **state)
{
    char path[4200], link[4200];
    struct stat status;
    struct cw_text text = {0}, back = {0};
    int descriptor = -1;
    snprintf(path, sizeof path, "%s/file", (char *)*state);
    snprintf(link, sizeof link, "%s/link", (char *)*state);
    cw_text_add(&text, "old");
    folders_synced = 0;
    assert_int_equal(cw_file_write(path, &text), 0);
    assert_int_equal(folders_synced, 1);
    cw_text_add(&text, " and new");
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(cw_file_write_beside(link, &text), 0);
    assert_int_equal(folders_synced, 2);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    unlink(link);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(cw_file_begin(link, true, &descriptor), 0);
    assert_int_equal(cw_file_append(descriptor, link, &text), 0);
    assert_int_equal(close(descriptor), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(cw_file_read(path, &back), 0);
    assert_string_equal(back.data, "old");
    cw_text_free(&back);
    assert_int_equal(cw_file_begin(path, false, &descriptor), 0); /* rows, twice */
    assert_int_equal(cw_file_append(descriptor, path, &text), 0);
    assert_int_equal(cw_file_append(descriptor, path, &text), 0);
    assert_int_equal(close(descriptor), 0);
    assert_int_equal(cw_file_read(path, &back), 0);
    assert_string_equal(back.data, "old and newold and new");
    cw_text_free(&back);
    cw_text_free(&text);
    unlink(link);
    unlink(path);
}

/* Where a file system cannot do without names, kept for the test: nothing is found by its descriptor. */
static bool only_names;

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    return only_names && strncmp(path, "/proc/", 6) == 0 ? -1 : __real_access(path, mode);
}

static unsigned files_in(const char *folder)
{
    DIR *directory = opendir(folder);
    unsigned n = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) n += entry->d_name[0] != '.';
    closedir(directory);
    return n;
}

/* A draft of PATH of two pieces, which can be read; until it is committed PATH holds BEFORE (NULL: it is not there). */
static void draft(const char *folder, const char *path, const char *before, bool commit)
{
    struct cw_draft *made;
    const char *name;
    struct cw_text text = {0}, back = {0};
    cw_text_add(&text, "piece ");
    const unsigned files = files_in(folder);
    assert_int_equal(cw_draft_begin(path, &made), 0);
    assert_int_equal(cw_draft_append(made, &text), 0);
    assert_int_equal(cw_draft_append(made, &text), 0);
    assert_int_equal(cw_draft_end(made, &name), 0);
    assert_int_equal(files_in(folder), files + only_names);
    assert_int_equal(cw_file_read(name, &back), 0);
    assert_string_equal(back.data, "piece piece ");
    cw_text_free(&back);
    assert_int_equal(cw_file_read(path, &back), before ? 0 : CW_EIO);
    if (before) assert_string_equal(back.data, before);
    cw_text_free(&back);
    if (commit) assert_int_equal(cw_draft_commit(made), 0);
    cw_draft_free(made);
    assert_int_equal(files_in(folder), files + (commit && !before));
    cw_text_free(&text);
}

static void test_drafts(void **state)
{
    static const char *const names[] = {"file", "file.gz", "file.zst"};
    char path[4200];
    struct cw_text back = {0};
    for (int i = 0; i < 6; i++) {
        only_names = i % 2;
        snprintf(path, sizeof path, "%s/%s", (char *)*state, names[i / 2]);
        draft(*state, path, NULL, false);
        draft(*state, path, NULL, true);
        draft(*state, path, "piece piece ", false);
        draft(*state, path, "piece piece ", true);
        assert_int_equal(cw_file_read(path, &back), 0);
        assert_string_equal(back.data, "piece piece ");
        cw_text_free(&back);
        unlink(path);
    }
    only_names = false;
    draft(*state, "/dev/null", "", true);
}

static void test_file_same(void **state)
{
    char path[4][4200];
    const struct cw_text text = {0};
    snprintf(path[0], sizeof path[0], "%s/file", (char *)*state);
    snprintf(path[1], sizeof path[1], "%s/./other", (char *)*state);
    snprintf(path[2], sizeof path[2], "%s/other", (char *)*state);
    snprintf(path[3], sizeof path[3], "%s/third", (char *)*state);
    assert_int_equal(cw_file_write(path[0], &text), 0);
    assert_true(cw_file_same(path[0], path[0]));
    assert_false(cw_file_same(path[0], path[1]));
    assert_true(cw_file_same(path[1], path[2])); /* neither is there */
    assert_false(cw_file_same(path[1], path[3]));
    assert_int_equal(link(path[0], path[2]), 0);
    assert_int_equal(symlink("other", path[3]), 0);
    assert_true(cw_file_same(path[0], path[1]));
    assert_true(cw_file_same(path[0], path[3]));
    assert_false(cw_file_same("/dev/null", "/dev/null"));
    assert_false(cw_file_same(*state, *state));
    assert_false(cw_file_same("/no/such/a", "/no/such/a")); /* nothing can be made there */
    for (int i = 0; i < 4; i++) unlink(path[i]);
}

/* What was read is not written over, what will be written is not read, and nothing is written twice. */
static void test_file_is_read_or_written(void **state)
{
    char path[4200], other[4200];
    struct cw_text text = {0};
    struct cw_inputs inputs = {0};
    int descriptor;
    snprintf(path, sizeof path, "%s/file", (char *)*state);
    snprintf(other, sizeof other, "%s/other", (char *)*state);
    const struct cw_text empty = {0};
    assert_int_equal(cw_file_write(path, &empty), 0);
    cw_inputs_record(&inputs);
    assert_int_equal(cw_file_read(path, &text), 0);
    cw_text_free(&text);
    assert_int_equal(link(path, other), 0);
    assert_int_equal(cw_file_write(other, &empty), CW_EUSAGE);
    assert_int_equal(cw_file_write_beside(other, &empty), CW_EUSAGE);
    assert_int_equal(cw_file_begin(other, false, &descriptor), CW_EUSAGE);
    unlink(other);
    assert_int_equal(cw_file_write(other, &empty), 0);
    assert_int_equal(cw_inputs_add_output(other, "--plan"), 0);
    assert_int_equal(cw_file_read(other, &text), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "--plan"));
    assert_int_equal(cw_inputs_add_output(other, "--moves"), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "--plan and --moves would write the same file"));
    cw_inputs_record(NULL);
    cw_inputs_free(&inputs);
    unlink(path);
    unlink(other);
}

static void test_file_errors(void **state)
{
    char path[4200];
    struct cw_text text = {0};
    snprintf(path, sizeof path, "%s/none/file", (char *)*state);
    assert_int_equal(cw_file_read(path, &text), CW_EIO);
    assert_non_null(strstr(cw_error_message(), "none/file"));
    assert_int_equal(cw_file_read(*state, &text), CW_EIO);
    assert_int_equal(cw_file_write(path, &text), CW_EIO);
    assert_null(text.data);
    text.failed = true;
    assert_int_equal(cw_file_write(path, &text), CW_ENOMEM);
}

static void test_lines(void **state)
{
    (void)state;
    static const char data[] = "\xef\xbb\xbf"
                               "one\r\n\r\ntwo\rtoo\nlast\r";
    static const char *const expected[] = {"one", "", "two\rtoo", "last\r"};
    struct cw_lines lines = cw_lines_of("f", data, sizeof data - 1);
    for (size_t i = 0; i < 4; i++) {
        assert_true(cw_lines_next(&lines));
        assert_int_equal(lines.number, i + 1);
        assert_int_equal(lines.length, strlen(expected[i]));
        assert_memory_equal(lines.line, expected[i], lines.length);
    }
    assert_false(cw_lines_next(&lines));
    lines = cw_lines_of("f", NULL, 0);
    assert_false(cw_lines_next(&lines));
    lines = cw_lines_of("f", "\n", 1);
    assert_true(cw_lines_next(&lines));
    assert_int_equal(lines.length, 0);
    assert_false(cw_lines_next(&lines));
}

static void test_natural_order(void **state)
{
    (void)state;
    static const char *const names[] = {"",    "-",    "0",     "00",     "1",  "01",  "2",
                                        "10",  "a0b9", "a0b10", "a00b9",  "a1", "a01", "a2",
                                        "a2b", "a10",  "a10b2", "a10b10", "aa", "b",   "é"};
    const size_t n = sizeof names / sizeof *names;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(cw_natural_compare(names[i], names[i]), 0);
        for (size_t j = 0; j < n; j++) {
            const int forth = cw_natural_compare(names[i], names[j]), back = cw_natural_compare(names[j], names[i]);
            assert_int_equal((forth > 0) - (forth < 0), (back < 0) - (back > 0));
            assert_true(i == j || forth != 0);
        }
    }
    assert_true(cw_natural_compare("switch2", "switch10") < 0);
    assert_true(cw_natural_compare("n9.p10", "n9.p9") > 0);
    assert_true(cw_natural_compare("n007", "n8") < 0);
    assert_true(cw_natural_compare("n08", "n7") > 0);
    assert_true(cw_natural_compare("n1", "n1a") < 0);
    assert_true(cw_natural_compare("18446744073709551617", "18446744073709551616") > 0);
}

/* The order of random names is transitive: sorted triples stay sorted. */
static void test_natural_order_is_transitive(void **state)
{
    (void)state;
    static const char letters[] = "0012a-";
    for (uint64_t trial = 0; trial < 20000; trial++) {
        struct cw_random random = cw_random_of(7, CW_STREAM_TEST, trial);
        char names[3][6] = {{0}};
        for (size_t i = 0; i < 3; i++) {
            const uint32_t length = cw_random_below(&random, 6);
            for (uint32_t k = 0; k < length; k++) names[i][k] = letters[cw_random_below(&random, 6)];
        }
        if (cw_natural_compare(names[0], names[1]) <= 0 && cw_natural_compare(names[1], names[2]) <= 0)
            assert_true(cw_natural_compare(names[0], names[2]) <= 0);
    }
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"ratio", "seed", "threads", "routing", "valiant-any", "g", NULL};
    assert_string_equal(cw_nearest("ratoi", names), "ratio");
    assert_string_equal(cw_nearest("rato", names), "ratio");
    assert_string_equal(cw_nearest("sede", names), "seed");
    assert_string_equal(cw_nearest("thread", names), "threads");
    assert_string_equal(cw_nearest("THREADS", names), "threads");
    assert_string_equal(cw_nearest("valiant", names), "valiant-any");
    assert_null(cw_nearest("k", names));
    assert_null(cw_nearest("perturbation", names));
    assert_null(cw_nearest("", names));
    char long_name[400];
    memset(long_name, 'r', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(cw_nearest(long_name, names));
    /* swapping neighbours is one edit, so it is nearer than two replacements */
    static const char *const near[] = {"abxyef", "abdcef", NULL};
    assert_string_equal(cw_nearest("abcdef", near), "abdcef");
}

/* Words are what is between blanks, whichever these are and wherever they stand. */
static void test_next_word(void **state)
{
    (void)state;
    char text[] = " \tone two\r\n  three=3 ", none[] = "", blank[] = " \f\v ";
    char *rest = text, *nothing = none, *blanks = blank;
    assert_string_equal(cw_next_word(&rest), "one");
    assert_string_equal(rest, "two\r\n  three=3 ");
    assert_string_equal(cw_next_word(&rest), "two");
    assert_string_equal(cw_next_word(&rest), "three=3");
    for (int again = 0; again < 2; again++) assert_null(cw_next_word(&rest));
    assert_null(cw_next_word(&nothing));
    assert_null(cw_next_word(&blanks));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_buffer_remembers_failure),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test_setup_teardown(test_file_round_trip, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_file_write_keeps_links_modes_and_devices, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(test_file_beside, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_drafts, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_file_same, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_file_is_read_or_written, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_file_errors, make_directory, remove_directory),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_natural_order),
        cmocka_unit_test(test_natural_order_is_transitive),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_next_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
