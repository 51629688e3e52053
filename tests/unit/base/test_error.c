/* Messages of errors, and the version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"

static void test_codes_and_messages(void **state)
{
    (void)state;
    assert_int_equal(cw_fail(CW_EUSAGE, "k is %d, expected %s", 3, "more"), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "k is 3, expected more");
    assert_int_equal(cw_fail_at("a.net", 12, "no port %d", 7), CW_EPARSE);
    assert_string_equal(cw_error_message(), "a.net:12: no port 7");
    assert_int_equal(cw_fail_at("a.net", 0, "empty"), CW_EPARSE);
    assert_string_equal(cw_error_message(), "a.net: empty");
    assert_int_equal(cw_fail_memory(100, "channels"), CW_ENOMEM);
    assert_string_equal(cw_error_message(), "out of memory: 100 bytes for channels");
}

static void test_message_may_contain_the_last_one(void **state)
{
    (void)state;
    cw_fail(CW_EUSAGE, "inner");
    assert_int_equal(cw_fail(CW_EINTERNAL, "outer: %s", cw_error_message()), CW_EINTERNAL);
    assert_string_equal(cw_error_message(), "outer: inner");
}

/* Cut at every phase of a two-byte character: the end is always a whole character, then "…". */
static void test_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    char text[3000];
    for (size_t lead = 0; lead < 4; lead++) {
        memset(text, 'x', 4);
        for (size_t i = lead; i + 2 < sizeof text; i += 2) memcpy(text + i, "é", 3);
        cw_fail(CW_EUSAGE, "%s", text);
        const char *message = cw_error_message();
        const size_t length = strlen(message);
        assert_in_range(length, 1015, 1023);
        assert_string_equal(message + length - 3, "…");
        assert_memory_equal(message, text, length - 3);
        assert_int_equal((length - 3 - lead) % 2, 0);
    }
    memset(text, 'f', sizeof text);
    text[sizeof text - 1] = '\0';
    cw_fail_at(text, 5, "what is wrong");
    assert_non_null(strstr(cw_error_message(), ":5: what is wrong"));
}

static void *fail_elsewhere(void *seen)
{
    strcpy(seen, cw_error_message());
    cw_fail(CW_EIO, "elsewhere");
    return NULL;
}

static void test_message_belongs_to_its_thread(void **state)
{
    (void)state;
    char seen[1024] = "not run";
    pthread_t thread;
    cw_fail(CW_EUSAGE, "here");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, seen), 0);
    pthread_join(thread, NULL);
    assert_string_equal(seen, "");
    assert_string_equal(cw_error_message(), "here");
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(strspn(cw_version(), "0123456789."), strlen(cw_version()));
    assert_non_null(strchr(cw_version(), '.'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_and_messages),
        cmocka_unit_test(test_message_may_contain_the_last_one),
        cmocka_unit_test(test_long_message_is_cut_between_characters),
        cmocka_unit_test(test_message_belongs_to_its_thread),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
