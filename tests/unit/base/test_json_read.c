/* JSON that is right, wrong, or too much for the memory there is: three things that must not be confused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

/* gcc has a macro for each sanitizer, clang features. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

static void right_and_wrong(void **state)
{
    (void)state;
    static const char right[] = "{\"a\": [1, 2.5, \"x\"]}", wrong[] = "{\n\"a\": }", twice[] = "{\"a\": 1, \"a\": 2}";
    json_t *root = NULL;
    assert_int_equal(cw_json_read("f.json", right, strlen(right), &root), 0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(root, "a"), 0)), 1);
    json_decref(root);
    root = NULL;
    assert_int_equal(cw_json_read("f.json", wrong, strlen(wrong), &root), CW_EPARSE);
    assert_memory_equal(cw_error_message(), "f.json:2: ", 10);
    assert_int_equal(cw_json_read("f.json", twice, strlen(twice), &root), CW_EPARSE);
    assert_int_equal(cw_json_read("f.json", NULL, 0, &root), CW_EPARSE);
    assert_null(root);
}

#if !SANITIZED

enum { N = 4000 };

static void write_items(struct cw_text *text)
{
    cw_text_add(text, "[");
    for (int i = 0; i < N; i++)
        cw_text_printf(text, "%s{\"number\": %d, \"words\": \"the number of this is %d, as one says\"}", i ? "," : "",
                       1000000 + i, i);
    cw_text_add(text, "]");
    assert_int_equal(cw_text_check(text), 0);
}

static void assert_items(const json_t *root)
{
    assert_int_equal(json_array_size(root), N);
    for (int i = 0; i < N; i++) {
        char words[64];
        const json_t *item = json_array_get(root, (size_t)i);
        snprintf(words, sizeof words, "the number of this is %d, as one says", i);
        assert_int_equal(json_integer_value(json_object_get(item, "number")), 1000000 + i);
        assert_string_equal(json_string_value(json_object_get(item, "words")), words);
    }
}

/* What this process has of its address space, in bytes. */
static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#endif

/* Whatever the limit is, all that is wrong is the memory; and what is read is right. */
static void out_of_memory(void **state)
{
    (void)state;
#if SANITIZED
    print_message("sanitizers need more address space than can be limited\n");
    skip();
#else
    struct cw_text text = {0};
    struct rlimit limit, tight;
    unsigned failed = 0, read = 0;
    write_items(&text);
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    for (size_t room = 0; room < 6000000; room += 37000) {
        json_t *root = NULL;
        malloc_trim(0);
        tight = limit;
        tight.rlim_cur = address_space() + room;
        assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
        const int code = cw_json_read("f.json", text.data, text.length, &root);
        assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
        if (code == 0) {
            assert_items(root);
            json_decref(root);
            read++;
        } else {
            if (code != CW_ENOMEM) fail_msg("with %zu bytes: %s", room, cw_error_message());
            failed++;
        }
    }
    assert_true(failed > 10 && read > 10);
    cw_text_free(&text);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_and_wrong),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
