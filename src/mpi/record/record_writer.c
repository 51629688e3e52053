#include "mpi/record/record_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/stopwatch.h"

#define BLOCK   (64 << 10)          /* bytes of text that are written together … */
#define PATIENT INT64_C(1000000000) /* … or what came in so many ns */
#define LONGEST 256                 /* of a word, or of what stands before the first */
#define UNKNOWN INT64_C(-1)
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define DELAYS  "/proc/self/schedstat"

static struct {
    const char *path;
    int file, rank, n;
    pid_t process; /* a fork writes nothing */
    unsigned long block;
    int64_t written; /* when [ns] */
    char *text;
    size_t length, room;
    void *packed;
    size_t packed_room;
    ZSTD_CCtx *packer;
} writer = {.file = -1};

int64_t record_now(void)
{
    return cw_stopwatch_ns();
}

bool record_open(const char *path, bool first)
{
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    writer.file = open(path, first ? flags | O_TRUNC : flags, 0666);
    return record_is_open();
}

bool record_is_open(void)
{
    return writer.file != -1;
}

void record_close(void)
{
    if (record_is_open()) close(writer.file);
    writer.file = -1;
    writer.length = 0;
}

static void fall_silent(const char *why)
{
    fprintf(stderr, "crosswind-record: rank %d is not recorded any further: %s: %s\n", writer.rank, writer.path, why);
    record_close();
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Room for so many more bytes. */
static bool make_room(size_t more)
{
    if (writer.length + more <= writer.room) return true;
    const size_t room = 2 * (writer.length + more);
    char *text = realloc(writer.text, room);
    if (!text) {
        if (record_is_open()) fall_silent("no memory");
        return false;
    }
    writer.text = text;
    writer.room = room;
    return true;
}

static void begin_block(void)
{
    if (!make_room(LONGEST)) return;
    writer.length = (size_t)snprintf(writer.text, LONGEST, "crosswind-recording 1 rank %d of %d block %lu\n",
                                     writer.rank, writer.n, writer.block++);
}

void record_begin_blocks(const char *path, int rank, int n)
{
    writer.path = path;
    writer.rank = rank;
    writer.n = n;
    writer.process = getpid();
    writer.written = record_now();
    writer.packer = ZSTD_createCCtx();
    if (!writer.packer && record_is_open()) fall_silent("no memory");
    begin_block();
}

static size_t pack(void)
{
    const size_t room = ZSTD_compressBound(writer.length);
    if (room > writer.packed_room) {
        free(writer.packed);
        writer.packed = malloc(room);
        writer.packed_room = writer.packed ? room : 0;
    }
    if (!writer.packed) return 0;
    const size_t n = ZSTD_compressCCtx(writer.packer, writer.packed, room, writer.text, writer.length, 1);
    return ZSTD_isError(n) ? 0 : n;
}

/* NULL, or why the block is not in the file. */
static const char *write_block(void)
{
    const size_t n = pack();
    if (n == 0) return "no memory";
    const ssize_t done = write(writer.file, writer.packed, n);
    if (done < 0) return strerror(errno);
    return (size_t)done < n ? "the file takes no more" : NULL;
}

void record_flush(bool last)
{
    if (!record_is_open() || getpid() != writer.process) return;
    const char *why = write_block();
    if (why) {
        fall_silent(why);
        return;
    }
    writer.written = record_now();
    begin_block();
    if (!last) return;
    if (close(writer.file) != 0) fprintf(stderr, "crosswind-record: %s: %s\n", writer.path, strerror(errno));
    writer.file = -1;
}

/* What ends without MPI_Finalize. */
__attribute__((destructor)) static void end_process(void)
{
    record_flush(true);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void put(const char *text, size_t length)
{
    memcpy(writer.text + writer.length, text, length);
    writer.length += length;
}

static void put_number(int64_t number)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = (uint64_t)number;
    if (number < 0) {
        put("-", 1);
        left = 0 - left;
    }
    do *--at = (char)('0' + left % 10);
    while (left /= 10);
    put(at, (size_t)(digits + sizeof digits - at));
}

/* Clocks of two processors may differ. */
static void put_duration(int64_t ns)
{
    put(" ", 1);
    put_number(ns > 0 ? ns : 0);
}

void record_line(const char *name, int64_t gap, int64_t duration)
{
    if (!make_room(LONGEST)) return;
    put(name, strlen(name));
    put_duration(gap);
    put_duration(duration);
}

void record_word(const char *mark, int64_t number)
{
    if (!make_room(LONGEST)) return;
    put(" ", 1);
    put(mark, strlen(mark));
    put_number(number);
}

void record_text(const char *text)
{
    const size_t length = strlen(text);
    if (!make_room(length + 1)) return;
    put(" ", 1);
    put(text, length);
}

void record_pair(const char *mark, int64_t a, int64_t b)
{
    record_word(mark, a);
    if (!make_room(LONGEST)) return;
    put(":", 1);
    put_number(b);
}

void record_end_line(int64_t now)
{
    if (!make_room(1)) return;
    put("\n", 1);
    if (writer.length >= BLOCK || now - writer.written > PATIENT) record_flush(false);
    if (!record_is_open()) writer.length = 0;
}

/* --- processors --------------------------------------------------------------------------------------------------- */

static int64_t delay_at_first;

/* The first bytes of a file, if there is one, in TEXT [room], which is empty. */
static void read_text(const char *path, char *text, size_t room)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file == -1) return;
    if (read(file, text, room - 1) == -1) text[0] = '\0';
    close(file);
}

/* How long the process' first thread was ready and did not run, since it began [ns], or UNKNOWN. */
static int64_t delay(void)
{
    char text[128] = {0};
    int64_t ran, waited;
    read_text(DELAYS, text, sizeof text);
    return sscanf(text, "%" SCNd64 " %" SCNd64, &ran, &waited) == 2 ? waited : UNKNOWN;
}

/* Namespaces and containers of one machine share its processors: its name is what is drawn when it starts. */
static int64_t machine(void)
{
    char text[64] = {0};
    uint32_t hash = 2166136261u;
    read_text(BOOT_ID, text, sizeof text);
    for (const char *at = text; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}

void record_processors(void)
{
    cpu_set_t set;
    delay_at_first = delay();
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    record_line("processors", 0, 0);
    record_word("p", machine());
    for (size_t first = 0; first < CPU_SETSIZE; first++) {
        size_t last = first;
        if (!CPU_ISSET(first, &set)) continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) last++;
        record_pair("", (int64_t)first, (int64_t)last);
        first = last;
    }
    record_end_line(0);
}

void record_waited(void)
{
    const int64_t now = delay();
    if (now == UNKNOWN) return;
    record_line("processors", 0, 0);
    record_word("w", now - delay_at_first);
    record_end_line(0);
}
