/* Inputs: what is read is entered with its hash, and what cannot be text is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "base/interrupt.h"
#include "base/text.h"

/* SHA-256 of "abc" and of the empty message (FIPS 180-2, appendix B, and the standard's definition). */
static const char HASH_ABC[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char HASH_EMPTY[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/* Of a million times "a" (FIPS 180-2, appendix B.3): more than one block of every reader. */
static const char HASH_MILLION[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

/* A file with the LENGTH bytes at DATA; its path to PATH. */
static void make_file(const void *data, size_t length, char path[64])
{
    strcpy(path, "/tmp/crosswind-input-XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, data, length), length);
    close(descriptor);
}

static int read_data(const void *data, size_t length)
{
    char path[64];
    struct cw_text text = {0};
    make_file(data, length, path);
    const int rc = cw_file_read(path, &text);
    unlink(path);
    cw_text_free(&text);
    return rc;
}

static void files_are_entered_once_in_order(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    struct cw_text text = {0};
    char abc[64], empty[64];
    make_file("abc", 3, abc);
    make_file("", 0, empty);
    assert_int_equal(cw_file_read(abc, &text), 0); /* no record yet */
    cw_text_free(&text);
    cw_inputs_record(&inputs);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cw_file_read(abc, &text), 0);
        cw_text_free(&text);
        assert_int_equal(cw_file_read(empty, &text), 0);
        cw_text_free(&text);
    }
    assert_int_equal(cw_file_read("/nonexistent/file", &text), CW_EIO);
    cw_inputs_record(NULL);
    assert_int_equal(cw_file_read("/dev/null", &text), 0);
    cw_text_free(&text);
    assert_int_equal(inputs.n, 2);
    assert_string_equal(inputs.items[0].path, abc);
    assert_string_equal(inputs.items[0].sha256, HASH_ABC);
    assert_string_equal(inputs.items[1].path, empty);
    assert_string_equal(inputs.items[1].sha256, HASH_EMPTY);
    unlink(abc);
    unlink(empty);
    cw_inputs_free(&inputs);
    assert_int_equal(inputs.n, 0);
}

/* A file that was changed between two readings is two inputs. */
static void changed_files_are_entered_again(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    assert_int_equal(cw_inputs_add(&inputs, "net", HASH_ABC), 0);
    assert_int_equal(cw_inputs_add(&inputs, "net", HASH_EMPTY), 0);
    assert_int_equal(cw_inputs_add(&inputs, "net", HASH_ABC), 0);
    assert_int_equal(cw_inputs_add(&inputs, "other", HASH_ABC), 0);
    assert_int_equal(inputs.n, 3);
    cw_inputs_free(&inputs);
}

/* A file that is read twice is remarked upon once; the same words about another line are another remark. */
static void remarks_are_entered_once(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    cw_inputs_remark("net", 3, "odd");
    cw_inputs_record(&inputs);
    for (int i = 0; i < 2; i++) {
        cw_inputs_remark("net", 3, "%s", "odd");
        cw_inputs_remark("net", 4, "odd");
        cw_inputs_remark("net", 0, "odd");
    }
    cw_inputs_record(NULL);
    assert_string_equal(inputs.remarks.data, "net:3: odd\nnet:4: odd\nnet: odd\n");
    cw_inputs_free(&inputs);
}

static void *write_million(void *context)
{
    const int descriptor = *(int *)context;
    char block[1000];
    memset(block, 'a', sizeof block);
    for (int i = 0; i < 1000; i++) assert_int_equal(write(descriptor, block, sizeof block), sizeof block);
    close(descriptor);
    return NULL;
}

/* A pipe is hashed as it is read: it comes in pieces, and only once. */
static void pipes_are_hashed(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    struct cw_inputs inputs = {0};
    struct cw_text text = {0};
    pthread_t writer;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(pthread_create(&writer, NULL, write_million, &ends[1]), 0);
    cw_inputs_record(&inputs);
    assert_int_equal(cw_file_read(path, &text), 0);
    cw_inputs_record(NULL);
    pthread_join(writer, NULL);
    close(ends[0]);
    assert_int_equal(text.length, 1000000);
    assert_int_equal(inputs.n, 1);
    assert_string_equal(inputs.items[0].path, path);
    assert_string_equal(inputs.items[0].sha256, HASH_MILLION);
    cw_text_free(&text);
    cw_inputs_free(&inputs);
}

static void what_is_not_text_is_refused(void **state)
{
    (void)state;
    assert_int_equal(read_data("one\ntwo\nth\0ree\n", 15), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), ":3: a byte 0, expected text"));
    assert_int_equal(read_data("\x1f\x8b\x08\x00", 4), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), ": compressed by gzip, expected text; unpack it, as in <(zcat FILE)"));
    assert_int_equal(read_data("\xfd\x37zXZ\0", 6), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), "by xz"));
    assert_int_equal(read_data("\x28\xb5\x2f\xfd\x04", 5), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), "by zstd"));
    struct cw_text text = {0};
    assert_int_equal(cw_file_read("/dev/zero", &text), CW_EPARSE);
    assert_string_equal(cw_error_message(), "/dev/zero:1: a byte 0, expected text");
    assert_null(text.data);
}

/* The word where archives have it means nothing in a text. */
static void archives_are_refused(void **state)
{
    (void)state;
    char data[512];
    memset(data, 'x', sizeof data);
    memcpy(data + 257, "ustar", 5);
    assert_int_equal(read_data(data, sizeof data), 0);
    memset(data + 20, 0, 80);
    assert_int_equal(read_data(data, sizeof data), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), "an archive, expected text"));
}

/* The line of a 0 far into a file counts those of the blocks before it. */
static void lines_are_counted_over_blocks(void **state)
{
    (void)state;
    enum { LENGTH = 300000 };
    char *data = malloc(LENGTH);
    assert_non_null(data);
    for (int i = 0; i < LENGTH; i++) data[i] = i % 10 == 9 ? '\n' : 'x';
    data[LENGTH - 5] = 0;
    assert_int_equal(read_data(data, LENGTH), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), ":30000: a byte 0"));
    free(data);
}

static void reading_is_interrupted(void **state)
{
    (void)state;
    char path[64];
    struct cw_text text = {0};
    make_file("abc", 3, path);
    cw_interrupt();
    assert_int_equal(cw_file_read(path, &text), CW_EINTERRUPTED);
    assert_null(text.data);
    cw_interrupt_clear();
    assert_int_equal(cw_file_read(path, &text), 0);
    cw_text_free(&text);
    unlink(path);
}

static void files_are_read_up_to_a_limit(void **state)
{
    (void)state;
    static char data[3 << 20];
    char path[64];
    struct cw_text text = {0};
    memset(data, '\n', sizeof data);
    make_file(data, sizeof data, path);
    assert_int_equal(cw_file_read_at_most(path, sizeof data, &text), 0);
    assert_int_equal(text.length, sizeof data);
    cw_text_free(&text);
    assert_int_equal(cw_file_read_at_most(path, 2 << 20, &text), CW_ELIMIT);
    assert_non_null(strstr(cw_error_message(), ": more than 2 MiB, expected a file that fits into memory"));
    assert_null(text.data);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_entered_once_in_order),
        cmocka_unit_test(changed_files_are_entered_again),
        cmocka_unit_test(remarks_are_entered_once),
        cmocka_unit_test(pipes_are_hashed),
        cmocka_unit_test(what_is_not_text_is_refused),
        cmocka_unit_test(lines_are_counted_over_blocks),
        cmocka_unit_test(archives_are_refused),
        cmocka_unit_test(reading_is_interrupted),
        cmocka_unit_test(files_are_read_up_to_a_limit),
    };
    return cmocka_run_group_tests_name("inputs", tests, NULL, NULL);
}
