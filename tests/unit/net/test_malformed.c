/* Every file of tests/golden/malformed has one fault; what its reader says of it is in the file NAME.expected. */
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

#define FOLDER CW_TEST_DATA "/golden/malformed/"

static int is_case(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".txt") == 0;
}

static void read_whole(const char *path, struct cw_text *text)
{
    if (cw_file_read(path, text)) fail_msg("%s", cw_error_message());
}

/* True if the file's message is the expected one. */
static bool check_case(const char *name)
{
    char path[512];
    struct cw_text content = {0}, expected = {0};
    snprintf(path, sizeof path, FOLDER "%s", name);
    read_whole(path, &content);
    snprintf(path, sizeof path, FOLDER "%.*s.expected", (int)(strlen(name) - strlen(".txt")), name);
    read_whole(path, &expected);
    struct cw_network *net = NULL;
    const int rc = cw_network_parse(name, content.data, content.length, &net);
    const char *message = rc ? cw_error_message() : "accepted";
    const size_t length = strlen(message);
    const bool good = rc == CW_EPARSE && !net && expected.length == length + 1 && expected.data[length] == '\n' &&
                      memcmp(expected.data, message, length) == 0;
    if (!good) print_error("%s: %s\nexpected %s", name, message, expected.data);
    cw_network_free(net);
    cw_text_free(&content);
    cw_text_free(&expected);
    return good;
}

static void messages(void **state)
{
    (void)state;
    struct dirent **entries;
    const int n = scandir(FOLDER, &entries, is_case, alphasort);
    assert_true(n > 40);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += !check_case(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
