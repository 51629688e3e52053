/* The file of a recording (mpi/record/record_writer.c): what was said stands in it, block by block, whatever ends the
 * process, and what it cannot take ends the recording alone. Each test writes in a process of its own, for the writer
 * is one to a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "base/stopwatch.h"
#include "mpi/record/record_writer.h"

#define BLOCK  65536
#define SECOND INT64_C(1000000000)

enum { ROOM = 8 << 20 };

static char folder[] = "/tmp/record-XXXXXX", path[100], said[100];
static char text[ROOM];

/* --- processes that write, and what they leave -------------------------------------------------------------------- */

/* Leaks are looked for once, in the end. */
static bool writing;

int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return writing;
}

/* Runs WRITES in a process that goes on to its normal end; what it says on stderr is in file SAID. Returns its status.
 */
static int run(void (*writes)(void))
{
    const pid_t child = fork();
    int status;
    if (child == 0) {
        writing = true;
        if (!freopen(said, "w", stderr)) exit(9);
        writes();
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static size_t read_file(const char *of, char *out, size_t room)
{
    FILE *file = fopen(of, "rb");
    assert_non_null(file);
    const size_t n = fread(out, 1, room - 1, file);
    fclose(file);
    out[n] = '\0';
    return n;
}

/* The file's text. */
static const char *written(void)
{
    static char packed[ROOM];
    const size_t n = ZSTD_decompress(text, sizeof text - 1, packed, read_file(path, packed, sizeof packed));
    assert_false(ZSTD_isError(n));
    text[n] = '\0';
    return text;
}

static off_t size(void)
{
    struct stat found;
    return stat(path, &found) == 0 ? found.st_size : -1;
}

static void check(bool well)
{
    if (!well) _exit(8);
}

static void begin(bool first)
{
    check(record_open(path, first));
    record_begin_blocks(path, 2, 5);
}

static void say(const char *word)
{
    record_line(word, 0, 0);
    record_end_line(0);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void write_lines(void)
{
    begin(true);
    record_line("Send", 12, 345);
    record_word(">", 7);
    record_word("", -60);
    record_text("0-3,5");
    record_pair("", 1, 22);
    record_pair("q", INT64_MIN, INT64_MAX);
    record_end_line(0);
    record_line("early", -1, 1);
    record_end_line(0);
    record_line("less", 1, -1);
    record_end_line(0);
    check(size() == 0); /* not yet */
}

static void test_lines(void **state)
{
    (void)state;
    assert_int_equal(run(write_lines), 0);
    assert_string_equal(written(), "crosswind-recording 1 rank 2 of 5 block 0\n"
                                   "Send 12 345 >7 -60 0-3,5 1:22 q-9223372036854775808:9223372036854775807\n"
                                   "early 0 1\nless 1 0\n");
}

/* Numbers have all their digits. */
static void write_numbers(void)
{
    begin(true);
    record_line("n", 1234567890123456789, 1000000000000000000);
    record_word("", 0);
    record_word("", 9);
    record_word("", 10);
    record_word("", -10);
    record_end_line(0);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(run(write_numbers), 0);
    assert_non_null(strstr(written(), "\nn 1234567890123456789 1000000000000000000 0 9 10 -10\n"));
}

/* However long: the list of a large communicator's ranks. */
static char long_word[3000001];

static void write_long(void)
{
    begin(true);
    memset(long_word, 'x', sizeof long_word - 1);
    say("before");
    record_line("long", 0, 0);
    record_text(long_word);
    record_end_line(0);
    say("behind");
}

static void test_long(void **state)
{
    (void)state;
    assert_int_equal(run(write_long), 0);
    const char *long_line = strstr(written(), "before 0 0\nlong 0 0 x");
    assert_non_null(long_line);
    const char *end = strchr(strchr(long_line, 'x'), '\n');
    assert_int_equal(end - strchr(long_line, 'x'), sizeof long_word - 1);
    assert_string_equal(end, "\ncrosswind-recording 1 rank 2 of 5 block 1\nbehind 0 0\n");
}

/* Where the room ends: with sanitizers, what is beyond would be noticed. */
static size_t word_length;

static void write_to_the_end(void)
{
    begin(true);
    memset(long_word, 'z', word_length);
    record_line("a", 0, 0);
    record_text(long_word);
    record_end_line(0);
}

static void test_ends_of_room(void **state)
{
    (void)state;
    for (word_length = 455; word_length < 475; word_length++) {
        assert_int_equal(run(write_to_the_end), 0);
        assert_int_equal(strlen(written()),
                         strlen("crosswind-recording 1 rank 2 of 5 block 0\na 0 0 \n") + word_length);
    }
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* A line of N bytes. */
static void say_bytes(size_t n)
{
    record_line("a", 0, 0); /* "a 0 0" */
    long_word[0] = '\0';
    memset(long_word, 'y', n - 7);
    long_word[n - 7] = '\0';
    record_text(long_word);
    record_end_line(0);
}

/* A block is written when it has its size, not before. */
static void write_by_size(void)
{
    begin(true);
    size_t length = strlen("crosswind-recording 1 rank 2 of 5 block 0\n");
    for (; length + 1000 < BLOCK; length += 1000) say_bytes(1000);
    say_bytes(BLOCK - 1 - 7 - length);
    check(size() == 0);
    say_bytes(7 + 1); /* BLOCK bytes */
    check(size() > 0);
    const off_t one = size();
    say("next");
    check(size() == one);
    _exit(0); /* what a signal ends loses the block that is under way */
}

static void test_by_size(void **state)
{
    (void)state;
    assert_int_equal(run(write_by_size), 0);
    assert_int_equal(strlen(written()), BLOCK);
    assert_null(strstr(text, "next"));
}

/* … or when its first line has waited for a second. */
static void write_by_time(void)
{
    const int64_t before = record_now();
    begin(true);
    const int64_t after = record_now();
    record_line("soon", 0, 0);
    record_end_line(before + SECOND);
    check(size() == 0);
    record_line("late", 0, 0);
    record_end_line(after + SECOND + 1);
    check(size() > 0);
    const off_t one = size();
    record_line("again", 0, 0);
    record_end_line(before + SECOND);
    check(size() == one);
    record_flush(false);
    check(size() > one);
    const off_t two = size();
    record_flush(true);
    check(size() > two && !record_is_open()); /* one without lines */
    say("nothing");
}

static void test_by_time(void **state)
{
    (void)state;
    assert_int_equal(run(write_by_time), 0);
    assert_string_equal(written(), "crosswind-recording 1 rank 2 of 5 block 0\nsoon 0 0\nlate 0 0\n"
                                   "crosswind-recording 1 rank 2 of 5 block 1\nagain 0 0\n"
                                   "crosswind-recording 1 rank 2 of 5 block 2\n");
}

static void write_more(void)
{
    struct stat found;
    umask(022);
    begin(false);
    check(stat(path, &found) == 0 && (found.st_mode & 07777) == 0644);
    say("more");
}

static void write_and_fork(void)
{
    begin(true);
    say("parent");
    const pid_t child = fork();
    if (child == 0) {
        say("child");
        record_flush(false);
        exit(0); /* as processes end */
    }
    int status;
    check(waitpid(child, &status, 0) == child && status == 0 && size() == 0);
}

/* Who comes first empties the file, others append; a process that a rank starts writes nothing. */
static void test_appended(void **state)
{
    (void)state;
    assert_int_equal(run(write_more), 0);
    assert_int_equal(run(write_and_fork), 0);
    assert_string_equal(written(), "crosswind-recording 1 rank 2 of 5 block 0\nparent 0 0\n");
    assert_int_equal(run(write_more), 0);
    assert_string_equal(written(), "crosswind-recording 1 rank 2 of 5 block 0\nparent 0 0\n"
                                   "crosswind-recording 1 rank 2 of 5 block 0\nmore 0 0\n");
    read_file(said, text, sizeof text);
    assert_string_equal(text, "");
}

static void close_it(void)
{
    const int next = dup(1);
    close(next);
    begin(true);
    check(record_is_open());
    say("lost");
    record_close();
    check(!record_is_open() && dup(1) == next);
    say("after");
    check(!record_open("/nowhere/file", true) && !record_is_open());
    record_close();
    check(fcntl(0, F_GETFD) >= 0); /* nothing else was closed */
}

static void test_closed(void **state)
{
    (void)state;
    assert_int_equal(run(close_it), 0);
    assert_int_equal(size(), 0);
}

/* --- files that take nothing more --------------------------------------------------------------------------------- */

static void fill_disk(void)
{
    check(record_open("/dev/full", false));
    record_begin_blocks("/dev/full", 2, 5);
    say("lost");
    record_flush(false);
    check(!record_is_open());
    for (int i = 0; i < 100000; i++) say("after");
}

static void test_full(void **state)
{
    (void)state;
    assert_int_equal(run(fill_disk), 0);
    read_file(said, text, sizeof text);
    assert_string_equal(text, "crosswind-record: rank 2 is not recorded any further: /dev/full: "
                              "No space left on device\n");
}

/* A file that has room for a part of the block. */
static void fill_part(void)
{
    signal(SIGXFSZ, SIG_IGN);
    check(truncate(path, 4076) == 0);
    begin(false);
    say("all");
    check(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}) == 0);
    record_flush(false);
    check(!record_is_open() && size() == 4096);
}

static void test_part(void **state)
{
    char wanted[300];
    (void)state;
    assert_int_equal(run(fill_part), 0);
    read_file(said, text, sizeof text);
    snprintf(wanted, sizeof wanted,
             "crosswind-record: rank 2 is not recorded any further: %s: the file takes no more\n", path);
    assert_string_equal(text, wanted);
}

/* --- processors --------------------------------------------------------------------------------------------------- */

/* How long this process was ready and did not run [ns]. */
static int64_t delay(void)
{
    int64_t ran, waited = -1;
    FILE *file = fopen("/proc/self/schedstat", "r");
    check(file && fscanf(file, "%" SCNd64 " %" SCNd64, &ran, &waited) == 2);
    fclose(file);
    return waited;
}

static int64_t least, most;

/* It has one processor, the second one if there are two, and loses it now and then to another process. */
static void write_processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    begin(true);
    check(sched_setaffinity(0, sizeof set, &set) == 0);
    const int64_t before = delay();
    record_processors();
    const int64_t between = delay();
    const pid_t other = fork();
    if (other == 0)
        for (;;) {
        }
    const int64_t end = cw_stopwatch_ns() + SECOND / 20;
    while (cw_stopwatch_ns() < end) {
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    least = delay() - between;
    record_waited();
    most = delay() - before;
    record_line("bounds", least, most);
    record_end_line(0);
    CPU_SET(1, &set);
    if (sched_setaffinity(0, sizeof set, &set) == 0) record_processors();
}

static void test_processors(void **state)
{
    int64_t id, waited;
    int at = 0;
    uint32_t hash = 2166136261u; /* FNV-1a, of 32 bits, of the machine's name */
    (void)state;
    assert_int_equal(run(write_processors), 0);
    if (access("/proc/self/schedstat", R_OK) != 0 || access("/proc/sys/kernel/random/boot_id", R_OK) != 0) skip();
    read_file("/proc/sys/kernel/random/boot_id", text, 64);
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    const char *line = strchr(written(), '\n') + 1;
    assert_int_equal(
        sscanf(line, "processors 0 0 p%" SCNd64 " 0:0\nprocessors 0 0 w%" SCNd64 "\nbounds %" SCNd64 " %" SCNd64 "\n%n",
               &id, &waited, &least, &most, &at),
        4);
    assert_int_equal(id, hash);
    assert_true(least > 0 && waited >= least && waited <= most);
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    char wanted[100];
    snprintf(wanted, sizeof wanted, "processors 0 0 p%u 0:%d\n", hash, CPU_ISSET(1, &set) ? 1 : 0);
    if (CPU_ISSET(0, &set)) assert_string_equal(line + at, wanted);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/rec", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(said);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_long),
        cmocka_unit_test(test_ends_of_room), cmocka_unit_test(test_by_size),    cmocka_unit_test(test_by_time),
        cmocka_unit_test(test_appended),     cmocka_unit_test(test_closed),     cmocka_unit_test(test_full),
        cmocka_unit_test(test_part),         cmocka_unit_test(test_processors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
