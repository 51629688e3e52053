/* What libcrosswind-record makes of each call of MPI (mpi/record/record_calls.c), by a clock that goes on as it is
 * told. Nothing is called but what says who is who: arguments, and what MPI would have answered, are made up. On three
 * ranks, each of which has the lines of its own. Prints what is wrong. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/record/record_tables.h"
#include "mpi/record/record_writer.h"
#include "preload/record_functions.h"

cw_record_start_function cw_record_start;
cw_record_stop_function cw_record_stop;
cw_record_begin_function cw_record_begin;
cw_record_end_function cw_record_end;

enum { TAG = 9, COUNT = 3, OTHER = 5 };

static int failures, rank;
static int64_t now = 1000000;
static char said[4096];
static size_t length;

/* --- the writer --------------------------------------------------------------------------------------------------- */

static __attribute__((format(printf, 1, 2))) void add(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(said + length, sizeof said - length, format, list);
    va_end(list);
    if (n > 0 && (size_t)n < sizeof said - length) length += (size_t)n;
}

int64_t record_now(void)
{
    return now;
}

bool record_open(const char *path, bool first)
{
    (void)path;
    (void)first;
    return true;
}

void record_close(void) {}

void record_begin_blocks(const char *path, int of_rank, int n)
{
    add("%s %d of %d\n", path, of_rank, n);
}

bool record_is_open(void)
{
    return true;
}

void record_line(const char *name, int64_t gap, int64_t duration)
{
    add("%s %lld %lld", name, (long long)gap, (long long)duration);
}

void record_word(const char *mark, int64_t number)
{
    add(" %s%lld", mark, (long long)number);
}

void record_text(const char *text)
{
    add(" %s", text);
}

void record_pair(const char *mark, int64_t a, int64_t b)
{
    add(" %s%lld:%lld", mark, (long long)a, (long long)b);
}

void record_end_line(int64_t moment)
{
    (void)moment;
    add("\n");
}

void record_processors(void)
{
    add("processors\n");
}

void record_waited(void)
{
    add("waited\n");
}

void record_flush(bool last)
{
    add(last ? "end of file\n" : "block\n");
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* What was said since the last time is WANTED, lines of which each ends. */
static void expect(const char *what, const char *wanted)
{
    if (strcmp(said, wanted) != 0) {
        failures++;
        printf("record: rank %d, %s: %s--- instead of\n%s", rank, what, said, wanted);
    }
    length = 0;
    said[0] = '\0';
}

static struct cw_record_call current;
static intptr_t arguments[16];

#define WORDS(...) ((const intptr_t[]){__VA_ARGS__}), sizeof((const intptr_t[]){__VA_ARGS__}) / sizeof(intptr_t)

/* The program calls FUNCTION with WORDS, GAP after it last called one. What it is told stands in its arguments. */
static void begin(enum cw_record_function function, int64_t gap, const intptr_t *words, size_t n)
{
    memcpy(arguments, words, n * sizeof *words);
    current = (struct cw_record_call){.function = function, .arguments = arguments};
    now += gap;
    cw_record_begin(&current);
}

static void end(int64_t duration, int result)
{
    now += duration;
    cw_record_end(&current, result);
}

static void call(enum cw_record_function function, int64_t gap, int64_t duration, const intptr_t *words, size_t n)
{
    begin(function, gap, words, n);
    end(duration, MPI_SUCCESS);
}

/* MPI says in the status that stands in argument AT, of the I-th request, that a message of tag TAG has come from
 * SOURCE. */
static void tell(int at, int i, int source)
{
    MPI_Status *status = (MPI_Status *)arguments[at] + i;
    memset(status, 0, sizeof *status);
    status->MPI_SOURCE = source;
    status->MPI_TAG = TAG;
}

#define WORLD ((intptr_t)MPI_COMM_WORLD)
#define INTS  COUNT, (intptr_t)MPI_INT

static MPI_Request handles[2];

/* handles[I] becomes NUMBER, of a send to rank 1 or a receive from any rank. */
static void start_message(enum cw_record_function function, int i, uintptr_t number)
{
    const bool sends = function != CW_RECORD_Irecv;
    handles[i] = (MPI_Request)number;
    call(function, 5, 7, WORDS(0, INTS, sends ? 1 : MPI_ANY_SOURCE, TAG, WORLD, (intptr_t)&handles[i]));
}

static void check_first(void)
{
    handles[0] = (MPI_Request)(uintptr_t)40;
    call(CW_RECORD_Ibcast, 5, 7, WORDS(0, INTS, 2, WORLD, (intptr_t)&handles[0]));
    call(CW_RECORD_Wait, 5, 7, WORDS((intptr_t)&handles[0], (intptr_t)MPI_STATUS_IGNORE));
    expect("the first request", "Ibcast 5 7 *0 0 bcast 2 12\nWait 5 7 =0\n");
}

/* What is forgotten is unknown when its handle comes again. */
static void check_forgotten(void)
{
    handles[0] = (MPI_Request)(uintptr_t)50;
    call(CW_RECORD_Recv_init, 5, 7, WORDS(0, INTS, 2, TAG, WORLD, (intptr_t)&handles[0]));
    call(CW_RECORD_Request_free, 5, 7, WORDS((intptr_t)&handles[0]));
    call(CW_RECORD_Start, 5, 7, WORDS((intptr_t)&handles[0]));
    expect("one is forgotten", "Recv_init 5 7\nRequest_free 5 7\nStart 5 7\n");
}

static void check_messages(void)
{
    call(CW_RECORD_Send, 5, 7, WORDS(0, INTS, 2, TAG, WORLD));
    expect("a send", "Send 5 7 > 0 2 9 12\n");
    call(CW_RECORD_Send, 5, 7, WORDS(0, INTS, MPI_PROC_NULL, TAG, WORLD));
    expect("a send to nobody", "Send 5 7\n");
    begin(CW_RECORD_Send, 5, WORDS(0, INTS, 2, TAG, WORLD));
    end(7, MPI_ERR_OTHER);
    expect("a send that fails", "Send 5 7\n");
    begin(CW_RECORD_Recv, 5, WORDS(0, INTS, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, (intptr_t)MPI_STATUS_IGNORE));
    tell(6, 0, 1);
    end(7, MPI_SUCCESS);
    expect("a receive", "Recv 5 7 < 0 1 9\n");
    begin(CW_RECORD_Sendrecv, 5,
          WORDS(0, INTS, 1, TAG, 0, OTHER, (intptr_t)MPI_CHAR, 2, 1, WORLD, (intptr_t)MPI_STATUS_IGNORE));
    tell(11, 0, 2);
    end(7, MPI_SUCCESS);
    expect("both", "Sendrecv 5 7 > 0 1 9 12 < 0 2 9\n");
    begin(CW_RECORD_Sendrecv_replace, 5, WORDS(0, INTS, 1, TAG, 2, 1, WORLD, (intptr_t)MPI_STATUS_IGNORE));
    tell(8, 0, 2);
    end(7, MPI_SUCCESS);
    expect("both in place", "Sendrecv_replace 5 7 > 0 1 9 12 < 0 2 9\n");
}

/* Requests 0, 1, … are numbered as they begin. */
static void check_completions(void)
{
    static const struct {
        enum cw_record_function function;
        int number, positions, statuses; /* its arguments: how many, which; -1: it has none */
    } all[] = {{CW_RECORD_Waitall, -1, -1, 2},
               {CW_RECORD_Testall, 2, -1, 3},
               {CW_RECORD_Waitsome, 2, 3, 4},
               {CW_RECORD_Testsome, 2, 3, 4}};
    int n = 2, positions[2] = {1, 0}, flag = 1, id = 1;
    char wanted[256];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++, id += 2) {
        start_message(CW_RECORD_Isend, 0, 100);
        start_message(CW_RECORD_Irecv, 1, 200);
        snprintf(wanted, sizeof wanted, "Isend 5 7 >%d 0 1 9 12\nIrecv 5 7 <%d 0\n", id, id + 1);
        expect("two begin", wanted);
        intptr_t words[5] = {2, (intptr_t)handles, 0, 0, 0};
        if (all[i].number >= 0) words[all[i].number] = (intptr_t)(all[i].positions >= 0 ? &n : &flag);
        if (all[i].positions >= 0) words[all[i].positions] = (intptr_t)positions;
        words[all[i].statuses] = (intptr_t)MPI_STATUSES_IGNORE;
        begin(all[i].function, 5, words, 5);
        const int of_receive = all[i].positions >= 0 ? 0 : 1;
        tell(all[i].statuses, of_receive, 2);
        tell(all[i].statuses, 1 - of_receive, 0);
        handles[0] = handles[1] = MPI_REQUEST_NULL;
        end(7, MPI_SUCCESS);
        const char *names[] = {"Waitall", "Testall", "Waitsome", "Testsome"};
        if (of_receive)
            snprintf(wanted, sizeof wanted, "%s 5 7 =%d ~%d 2 9\n", names[i], id, id + 1);
        else
            snprintf(wanted, sizeof wanted, "%s 5 7 ~%d 2 9 =%d\n", names[i], id + 1, id);
        expect("two end", wanted);
    }
}

static void check_single_completions(void)
{
    static const struct {
        enum cw_record_function function;
        const char *name;
        int requests, flag, position, status; /* its arguments; -1: it has none */
    } all[] = {{CW_RECORD_Wait, "Wait", 0, -1, -1, 1},
               {CW_RECORD_Test, "Test", 0, 1, -1, 2},
               {CW_RECORD_Waitany, "Waitany", 1, -1, 2, 3},
               {CW_RECORD_Testany, "Testany", 1, 3, 2, 4}};
    int flag = 1, position = 1;
    char wanted[256];
    for (int i = 0; i < 4; i++) {
        const bool one = all[i].position < 0;
        intptr_t words[5] = {2};
        start_message(CW_RECORD_Isend, 0, 300);
        start_message(CW_RECORD_Irecv, 1, 400);
        expect("two begin",
               (snprintf(wanted, sizeof wanted, "Isend 5 7 >%d 0 1 9 12\nIrecv 5 7 <%d 0\n", 9 + 2 * i, 10 + 2 * i),
                wanted));
        words[all[i].requests] = (intptr_t)(one ? &handles[1] : handles);
        if (all[i].flag >= 0) words[all[i].flag] = (intptr_t)&flag;
        if (!one) words[all[i].position] = (intptr_t)&position;
        words[all[i].status] = (intptr_t)MPI_STATUS_IGNORE;
        begin(all[i].function, 5, words, 5);
        tell(all[i].status, 0, 2);
        end(7, MPI_SUCCESS);
        snprintf(wanted, sizeof wanted, "%s 5 7 ~%d 2 9\n", all[i].name, 10 + 2 * i);
        expect("one ends", wanted);
        call(CW_RECORD_Request_free, 5, 7, WORDS((intptr_t)&handles[0]));
        expect("one is forgotten", "Request_free 5 7\n");
    }
}

/* Calls that find nothing become one line: what is short between them is waiting, too, as is what is before the call
 * that follows. */
static void check_polls(void)
{
    int flag = 0;
    start_message(CW_RECORD_Isend, 0, 500);
    expect("one begins", "Isend 5 7 >17 0 1 9 12\n");
    const intptr_t test[] = {(intptr_t)&handles[0], (intptr_t)&flag, (intptr_t)MPI_STATUS_IGNORE};
    call(CW_RECORD_Test, 100, 10, test, 3);
    call(CW_RECORD_Test, 999, 20, test, 3);
    call(CW_RECORD_Test, 1000, 30, test, 3);
    expect("tests in vain", "");
    call(CW_RECORD_Testall, 400, 40, WORDS(1, (intptr_t)handles, (intptr_t)&flag, (intptr_t)MPI_STATUSES_IGNORE));
    expect("another test in vain", "Test 1100 1059 #3\n");
    call(CW_RECORD_Iprobe, 600, 60, WORDS(MPI_ANY_SOURCE, TAG, WORLD, (intptr_t)&flag, (intptr_t)MPI_STATUS_IGNORE));
    expect("a probe in vain", "Testall 400 40 #1\n");
    flag = 1;
    begin(CW_RECORD_Test, 70, test, 3);
    tell(2, 0, 0);
    end(7, MPI_SUCCESS);
    expect("it ends, at once", "Iprobe 600 60 #1\nTest 0 77 =17\n");
    flag = 0;
    call(CW_RECORD_Test, 5, 7, test, 3);
    call(CW_RECORD_Send, 1000, 8, WORDS(0, INTS, 2, TAG, WORLD));
    expect("it ends, later", "Test 5 7 #1\nSend 1000 8 > 0 2 9 12\n");
}

/* Of two that were looked at together none ends at first, then one, and no other. */
static void check_one_of_two(void)
{
    int flag = 0, position = MPI_UNDEFINED, n = MPI_UNDEFINED, positions[2] = {0, 1};
    const intptr_t some[] = {2, (intptr_t)handles, (intptr_t)&n, (intptr_t)positions, (intptr_t)MPI_STATUSES_IGNORE};
    start_message(CW_RECORD_Isend, 0, 510);
    start_message(CW_RECORD_Isend, 1, 520);
    call(CW_RECORD_Testany, 5, 7,
         WORDS(2, (intptr_t)handles, (intptr_t)&position, (intptr_t)&flag, (intptr_t)MPI_STATUS_IGNORE));
    call(CW_RECORD_Waitsome, 1000, 7, some, 5);
    expect("none of two", "Isend 5 7 >18 0 1 9 12\nIsend 5 7 >19 0 1 9 12\nTestany 5 7 #1\nWaitsome 1000 7\n");
    n = 0;
    call(CW_RECORD_Testsome, 5, 7, some, 5);
    begin(CW_RECORD_Wait, 1000, WORDS((intptr_t)&handles[0], (intptr_t)MPI_STATUS_IGNORE));
    tell(1, 0, 0);
    end(7, MPI_SUCCESS);
    expect("one of two", "Testsome 5 7 #1\nWait 1000 7 =18\n");
    begin(CW_RECORD_Wait, 5, WORDS((intptr_t)&handles[1], (intptr_t)MPI_STATUS_IGNORE));
    tell(1, 0, 0);
    MPI_Status_set_cancelled((MPI_Status *)arguments[1], 1);
    end(7, MPI_SUCCESS);
    expect("the other is cancelled", "Wait 5 7 x19\n");
    flag = 1;
    call(CW_RECORD_Iprobe, 5, 8, WORDS(0, TAG, WORLD, (intptr_t)&flag, (intptr_t)MPI_STATUS_IGNORE));
    expect("a message is there", "Iprobe 5 8\n");
}

static void check_persistent(void)
{
    handles[0] = (MPI_Request)(uintptr_t)600;
    handles[1] = (MPI_Request)(uintptr_t)700;
    call(CW_RECORD_Send_init, 5, 7, WORDS(0, INTS, 2, TAG, WORLD, (intptr_t)&handles[0]));
    call(CW_RECORD_Recv_init, 5, 7, WORDS(0, INTS, 2, TAG, WORLD, (intptr_t)&handles[1]));
    expect("two that last", "Send_init 5 7\nRecv_init 5 7\n");
    call(CW_RECORD_Start, 5, 7, WORDS((intptr_t)&handles[0]));
    expect("one starts", "Start 5 7 >20 0 2 9 12\n");
    call(CW_RECORD_Startall, 5, 7, WORDS(2, (intptr_t)handles));
    expect("the other starts", "Startall 5 7 <21 0\n");
    begin(CW_RECORD_Waitall, 5, WORDS(2, (intptr_t)handles, (intptr_t)MPI_STATUSES_IGNORE));
    tell(2, 0, 0);
    tell(2, 1, MPI_PROC_NULL);
    end(7, MPI_SUCCESS);
    expect("both end, one of nobody", "Waitall 5 7 =20 x21\n");
    call(CW_RECORD_Start, 5, 7, WORDS((intptr_t)&handles[0]));
    expect("one starts again", "Start 5 7 >22 0 2 9 12\n");
}

static void check_found(void)
{
    int flag = 1;
    begin(CW_RECORD_Mprobe, 5, WORDS(MPI_ANY_SOURCE, TAG, WORLD, 0, (intptr_t)MPI_STATUS_IGNORE));
    tell(4, 0, 1);
    end(7, MPI_SUCCESS);
    expect("a message is found", "Mprobe 5 7 <23 0 ~23 1 9\n");
    begin(CW_RECORD_Improbe, 5, WORDS(MPI_ANY_SOURCE, TAG, WORLD, (intptr_t)&flag, 0, (intptr_t)MPI_STATUS_IGNORE));
    tell(5, 0, 2);
    end(7, MPI_SUCCESS);
    expect("another is found", "Improbe 5 7 <24 0 ~24 2 9\n");
    handles[0] = (MPI_Request)(uintptr_t)610;
    call(CW_RECORD_Ibcast, 5, 7, WORDS(0, INTS, 2, WORLD, (intptr_t)&handles[0]));
    expect("a collective begins", "Ibcast 5 7 *25 0 bcast 2 12\n");
    call(CW_RECORD_Wait, 5, 7, WORDS((intptr_t)&handles[0], (intptr_t)MPI_STATUS_IGNORE));
    expect("it ends", "Wait 5 7 =25\n");
    call(CW_RECORD_Bcast, 5, 7, WORDS(0, INTS, 1, WORLD));
    expect("a collective", "Bcast 5 7 * 0 bcast 1 12\n");
    call(CW_RECORD_Ibcast_c, 5, 7,
         WORDS(0, COUNT + (INT64_C(1) << 40), (intptr_t)MPI_CHAR, 2, WORLD, (intptr_t)&handles[0]));
    expect("a large collective", "Ibcast_c 5 7 *26 0 bcast 2 1099511627779\n");
}

/* Communicators are numbered as they are seen, by whom they are of. */
static void check_communicators(void)
{
    MPI_Comm part, between, same;
    char wanted[128];
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &part); /* 0 and 2; 1 */
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 1 ? 0 : 1, 1, &between);
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    call(CW_RECORD_Barrier, 5, 7, WORDS((intptr_t)part));
    snprintf(wanted, sizeof wanted, "communicator 0 0 c2 %s\nBarrier 5 7 * 2 barrier 0 0\n", rank == 1 ? "1" : "0,2");
    expect("a part of the ranks", wanted);
    call(CW_RECORD_Intercomm_create, 5, 7, WORDS((intptr_t)part, 0, WORLD, 0, 1, (intptr_t)&between));
    expect("two parts", "communicator 0 0 c3 0,2|1\nIntercomm_create 5 7\n");
    call(CW_RECORD_Send, 5, 7, WORDS(0, INTS, 0, TAG, (intptr_t)between));
    snprintf(wanted, sizeof wanted, "Send 5 7 > 3 %d 9 12\n", rank == 1 ? 0 : 1);
    expect("a send to the other part", wanted);
    call(CW_RECORD_Bcast, 5, 7, WORDS(0, INTS, MPI_ROOT, (intptr_t)between));
    expect("a collective of both", "Bcast 5 7\n");
    call(CW_RECORD_Comm_free, 5, 7, WORDS((intptr_t)&part));
    expect("one is forgotten", "Comm_free 5 7\n");
    call(CW_RECORD_Barrier, 5, 7, WORDS((intptr_t)same));
    expect("all ranks", "communicator 0 0 c4 0-2\nBarrier 5 7 * 4 barrier 0 0\n");
    call(CW_RECORD_Send, 5, 7, WORDS(0, INTS, 0, TAG, (intptr_t)part));
    snprintf(wanted, sizeof wanted, "communicator 0 0 c5 %s\nSend 5 7 > 5 %d 9 12\n", rank == 1 ? "1" : "0,2",
             rank == 1);
    expect("it is another", wanted);
    MPI_Comm_free(&same);
    MPI_Comm_free(&between);
    MPI_Comm_free(&part);
}

int main(int argc, char **argv)
{
    char wanted[128];
    int n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    setenv("CROSSWIND_RECORD", "file", 1);
    cw_record_start();
    snprintf(wanted, sizeof wanted,
             "file %d of %d\ncommunicator 0 0 c0 0-2\ncommunicator 0 0 c1 %d\nprocessors\nblock\n", rank, n, rank);
    expect("the beginning", wanted);
    check_forgotten();
    check_first();
    check_messages();
    check_completions();
    check_single_completions();
    check_polls();
    check_one_of_two();
    check_persistent();
    check_found();
    check_communicators();
    call(CW_RECORD_Iprobe, 5, 7, WORDS(MPI_ANY_SOURCE, TAG, WORLD, (intptr_t) & (int){0}, (intptr_t)MPI_STATUS_IGNORE));
    now += 50;
    cw_record_stop(1);
    expect("the end", "Iprobe 5 7 #1\nwaited\nend 50 0\nend of file\n");
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0 && failures == 0) printf("record: as it is\n");
    return failures > 0;
}
