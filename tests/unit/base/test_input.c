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

/* What is entered into a part is in the whole, too, and the outputs of the whole are known there. */
static void parts_are_of_a_whole(void **state)
{
    (void)state;
    struct cw_inputs whole = {0}, part = {0};
    struct cw_text text = {0};
    char abc[64], empty[64];
    make_file("abc", 3, abc);
    make_file("", 0, empty);
    cw_inputs_record(&whole);
    assert_int_equal(cw_file_read(empty, &text), 0);
    cw_text_free(&text);
    assert_int_equal(cw_inputs_add_output("out", "--output"), 0);
    cw_inputs_begin_part(&part);
    assert_int_equal(cw_file_read(abc, &text), 0);
    cw_text_free(&text);
    cw_inputs_remark("net", 3, "odd");
    assert_int_equal(cw_inputs_check_read("out"), CW_EUSAGE);
    assert_int_equal(cw_inputs_check_write(empty), CW_EUSAGE);
    cw_inputs_end_part(&part);
    assert_int_equal(cw_file_read("/dev/null", &text), 0);
    assert_ptr_equal(cw_inputs_record(NULL), &whole);
    assert_int_equal(part.n, 1);
    assert_string_equal(part.items[0].path, abc);
    assert_int_equal(whole.n, 3);
    assert_string_equal(whole.items[1].path, abc);
    assert_string_equal(part.remarks.data, "net:3: odd\n");
    assert_string_equal(whole.remarks.data, "net:3: odd\n");
    unlink(abc);
    unlink(empty);
    cw_text_free(&text);
    cw_inputs_free(&part);
    cw_inputs_free(&whole);
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
    assert_int_equal(read_data("PK\3\4", 4), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), ": compressed by zip, expected text; unpack it"));
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

/* --- compressed files --------------------------------------------------------------------------------------------- */

static const char *const endings[] = {".gz", ".xz", ".zst", ".bz2"};

#define EACH_ENDING(I) for (size_t I = 0; I < sizeof endings / sizeof *endings; I++)

/* The text, in which no two lines are alike, as a file with ENDING. */
static struct cw_text compressed(const struct cw_text *text, const char *ending)
{
    char path[64];
    struct cw_text file = {0};
    char block[4096];
    snprintf(path, sizeof path, "/tmp/crosswind-input-%ld%s", (long)getpid(), ending);
    assert_int_equal(cw_file_write(path, text), 0);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    for (size_t n; (n = fread(block, 1, sizeof block, stream)) > 0;) cw_text_append(&file, block, n);
    fclose(stream);
    unlink(path);
    return file;
}

static struct cw_text numbers(int n)
{
    struct cw_text text = {0};
    for (int i = 0; i < n; i++) cw_text_printf(&text, "%d %u\n", i, (unsigned)i * (unsigned)i % 9973);
    return text;
}

/* Long enough for several blocks of every reader. The hash is that of the file as it is. */
static void compressed_files_are_unpacked(void **state)
{
    (void)state;
    struct cw_text text = numbers(40000);
    EACH_ENDING(i)
    {
        struct cw_text file = compressed(&text, endings[i]), back = {0}, again = compressed(&text, endings[i]);
        struct cw_inputs inputs = {0};
        char path[64], sha256[CW_SHA256_SIZE];
        assert_true(file.length < text.length);
        assert_int_equal(again.length, file.length);
        if (i == 0) assert_memory_equal(file.data + 4, "\0\0\0", 4); /* no time of writing (RFC 1952, 2.3.1) */
        assert_memory_equal(again.data, file.data, file.length);
        make_file(file.data, file.length, path);
        cw_inputs_record(&inputs);
        assert_int_equal(cw_file_read(path, &back), 0);
        cw_inputs_record(NULL);
        assert_int_equal(back.length, text.length);
        assert_memory_equal(back.data, text.data, text.length);
        cw_sha256(file.data, file.length, sha256);
        assert_int_equal(inputs.n, 1);
        assert_string_equal(inputs.items[0].sha256, sha256);
        unlink(path);
        cw_inputs_free(&inputs);
        cw_text_free(&file);
        cw_text_free(&again);
        cw_text_free(&back);
    }
    cw_text_free(&text);
}

static void nothing_can_be_compressed(void **state)
{
    (void)state;
    const struct cw_text text = {0};
    EACH_ENDING(i)
    {
        struct cw_text file = compressed(&text, endings[i]);
        if (read_data(file.data, file.length)) fail_msg("%s: %s", endings[i], cw_error_message());
        cw_text_free(&file);
    }
}

/* As pigz, pzstd and split files put together are. */
static void parts_of_compressed_files_follow_one_another(void **state)
{
    (void)state;
    struct cw_text text = numbers(100);
    EACH_ENDING(i)
    {
        struct cw_text file = compressed(&text, endings[i]), second = compressed(&text, endings[i]), back = {0};
        char path[64];
        cw_text_append(&file, second.data, second.length);
        make_file(file.data, file.length, path);
        assert_int_equal(cw_file_read(path, &back), 0);
        assert_int_equal(back.length, 2 * text.length);
        assert_memory_equal(back.data + text.length, text.data, text.length);
        unlink(path);
        cw_text_free(&file);
        cw_text_free(&second);
        cw_text_free(&back);
    }
    cw_text_free(&text);
}

/* However much is missing, it is noticed. */
static void cut_off_files_are_refused(void **state)
{
    (void)state;
    struct cw_text text = numbers(300);
    EACH_ENDING(i)
    {
        struct cw_text file = compressed(&text, endings[i]);
        for (size_t length = 6; length < file.length; length += length < 100 || length + 40 > file.length ? 1 : 37) {
            const int rc = read_data(file.data, length);
            if (rc != CW_EPARSE) fail_msg("%s of %zu bytes cut to %zu: %d", endings[i], file.length, length, rc);
            assert_non_null(strstr(cw_error_message(), "what follows is cut off or damaged"));
        }
        cw_text_free(&file);
    }
    cw_text_free(&text);
}

/* A place in a long file is told by its line, as far as blocks of the unpacked text let it. */
static void damage_is_told_by_its_line(void **state)
{
    (void)state;
    struct cw_text text = numbers(100000), file = compressed(&text, ".xz");
    file.data[file.length * 3 / 4] ^= 0x55;
    assert_int_equal(read_data(file.data, file.length), CW_EPARSE);
    const char *place = strstr(cw_error_message(), ": what follows");
    assert_non_null(place);
    while (place[-1] != ':') place--;
    const long line = strtol(place, NULL, 10);
    if (line < 60000 || line > 80000) fail_msg("%s", cw_error_message());
    cw_text_free(&file);
    cw_text_free(&text);
}

/* What unpacks to more than may be is given up on at the limit, not when it is whole. */
static void bombs_are_refused(void **state)
{
    (void)state;
    struct cw_text text = {0};
    char *line = malloc(1 << 20);
    assert_non_null(line);
    memset(line, '\n', 1 << 20);
    for (int i = 0; i < 8; i++) cw_text_append(&text, line, 1 << 20);
    EACH_ENDING(i)
    {
        struct cw_text file = compressed(&text, endings[i]), back = {0};
        char path[64];
        make_file(file.data, file.length, path);
        assert_int_equal(cw_file_read_at_most(path, 1 << 20, &back), CW_ELIMIT);
        assert_null(back.data);
        unlink(path);
        cw_text_free(&file);
    }
    free(line);
    cw_text_free(&text);
}

/* A pipe may give its bytes one by one. */
static void pieces_may_be_small(void **state)
{
    (void)state;
    struct cw_text text = numbers(40);
    EACH_ENDING(i)
    {
        struct cw_text file = compressed(&text, endings[i]), back = {0};
        int ends[2];
        char path[64];
        assert_int_equal(pipe2(ends, O_DIRECT), 0); /* each write comes in a read of its own */
        assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) > 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        for (size_t at = 0; at < file.length; at += 2) /* the pipe has room for 256 pieces */
            assert_true(write(ends[1], file.data + at, at + 2 < file.length ? 2 : file.length - at) > 0);
        close(ends[1]);
        assert_true(file.length < 512);
        assert_int_equal(cw_file_read(path, &back), 0);
        assert_int_equal(back.length, text.length);
        assert_memory_equal(back.data, text.data, text.length);
        close(ends[0]);
        cw_text_free(&back);
        cw_text_free(&file);
    }
    cw_text_free(&text);
}

static void what_is_no_text_unpacked_is_refused(void **state)
{
    (void)state;
    struct cw_text text = {0};
    cw_text_append(&text,
                   "\xff\xfe"
                   "a",
                   3);
    struct cw_text file = compressed(&text, ".gz");
    assert_int_equal(read_data(file.data, file.length), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), "text in UTF-16, expected UTF-8"));
    cw_text_free(&file);
    cw_text_append(&text, "\n\0", 2);
    memset(text.data, 'a', 3);
    file = compressed(&text, ".xz");
    assert_int_equal(read_data(file.data, file.length), CW_EPARSE);
    assert_non_null(strstr(cw_error_message(), ":2: a byte 0, expected text"));
    cw_text_free(&file);
    cw_text_free(&text);
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
        cmocka_unit_test(parts_are_of_a_whole),
        cmocka_unit_test(pipes_are_hashed),
        cmocka_unit_test(what_is_not_text_is_refused),
        cmocka_unit_test(lines_are_counted_over_blocks),
        cmocka_unit_test(archives_are_refused),
        cmocka_unit_test(compressed_files_are_unpacked),
        cmocka_unit_test(nothing_can_be_compressed),
        cmocka_unit_test(parts_of_compressed_files_follow_one_another),
        cmocka_unit_test(cut_off_files_are_refused),
        cmocka_unit_test(damage_is_told_by_its_line),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(pieces_may_be_small),
        cmocka_unit_test(what_is_no_text_unpacked_is_refused),
        cmocka_unit_test(reading_is_interrupted),
        cmocka_unit_test(files_are_read_up_to_a_limit),
    };
    return cmocka_run_group_tests_name("inputs", tests, NULL, NULL);
}
