/*
 * What each call of MPI means for the recording: lines of messages, collectives, completions and time
 * (doc/formats/recording.md). src/preload/record_forward.c calls this before and after each.
 *
 * Here all arguments are words (preload/record_functions.h). What MPI would not tell the program, such as from whom a
 * message came, it tells a status of ours instead of MPI_STATUS_IGNORE.
 */
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/locks.h"
#include "mpi/record/record_collectives.h"
#include "mpi/record/record_tables.h"
#include "mpi/record/record_writer.h"

#define SPIN 1000 /* ns: who asks again sooner has waited, not computed */

enum letter { AT_a, AT_b, AT_c, AT_d, AT_e, AT_f, AT_g, AT_h, AT_i };

#define NAMED(NAME, N, KIND, SUFFIX)     [CW_RECORD_##NAME##SUFFIX] = {#NAME #SUFFIX, KIND, N, 0},
#define COLLECTED(NAME, N, COMM, SUFFIX) [CW_RECORD_##NAME##SUFFIX] = {#NAME #SUFFIX, COLLECTIVE, N, AT_##COMM},
#define MAKES_COMMUNICATOR(NAME, N)      [CW_RECORD_##NAME] = {#NAME, COMMUNICATOR, N, 0},
#define STARTED(KIND, LOWER, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT)                                                    \
    [CW_RECORD_##IMMEDIATE##SUFFIX] = {#IMMEDIATE #SUFFIX, COLLECTIVE, CW_RECORD_N_##SHAPE, CW_RECORD_N_##SHAPE - 2},
static const struct record_function functions[CW_RECORD_ALL] = {
    CW_RECORD_FUNCTIONS(NAMED, STARTED, COLLECTED, MAKES_COMMUNICATOR)};

/* The blocking collective of which each is a form; of others itself. */
static enum cw_record_function base_of[CW_RECORD_ALL];

static pthread_mutex_t lock = CW_LOCK;
static int64_t last_end; /* of a call [ns] */
static bool line_begun;

/* Calls in a row that found nothing. */
static struct {
    enum cw_record_function function;
    int64_t n, gap, duration;
} polls;

/* What a call needs to know afterwards of the requests that it had. */
static _Thread_local struct {
    uintptr_t *handles;
    MPI_Status *statuses;
    size_t room;
} before;

void cw_record_begin(struct cw_record_call *call);
void cw_record_end(struct cw_record_call *call, int result);
int cw_record_start(void);
void cw_record_stop(int finalized);

/* --- before a call ------------------------------------------------------------------------------------------------ */

static void need_status(struct cw_record_call *call, int at)
{
    _Static_assert(sizeof call->status >= sizeof(MPI_Status), "there is no room for a status");
    if ((MPI_Status *)call->arguments[at] == MPI_STATUS_IGNORE) call->arguments[at] = (intptr_t)call->status;
}

static void keep_handles(int n, const MPI_Request *requests)
{
    if (n > 0 && (size_t)n > before.room) {
        before.room = 0;
        free(before.handles);
        free(before.statuses);
        before.handles = malloc((size_t)n * sizeof *before.handles);
        before.statuses = malloc((size_t)n * sizeof *before.statuses);
        if (before.handles && before.statuses) before.room = (size_t)n;
    }
    for (int i = 0; i < n && before.room > 0; i++) before.handles[i] = (uintptr_t)requests[i];
}

static void need_statuses(struct cw_record_call *call, int at)
{
    if ((MPI_Status *)call->arguments[at] == MPI_STATUSES_IGNORE && before.room > 0)
        call->arguments[at] = (intptr_t)before.statuses;
}

static void keep_requests(struct cw_record_call *call)
{
    intptr_t *of = call->arguments;
    switch (functions[call->function].kind) {
    case WAIT:
    case TEST:
        keep_handles(1, (const MPI_Request *)of[0]);
        need_status(call, functions[call->function].kind == WAIT ? 1 : 2);
        break;
    case WAIT_ALL:
    case TEST_ALL:
        keep_handles((int)of[0], (const MPI_Request *)of[1]);
        need_statuses(call, functions[call->function].kind == WAIT_ALL ? 2 : 3);
        break;
    case WAIT_ANY:
    case TEST_ANY:
        keep_handles((int)of[0], (const MPI_Request *)of[1]);
        need_status(call, functions[call->function].kind == WAIT_ANY ? 3 : 4);
        break;
    default: /* WAIT_SOME, TEST_SOME */
        keep_handles((int)of[0], (const MPI_Request *)of[1]);
        need_statuses(call, 4);
    }
}

void cw_record_begin(struct cw_record_call *call)
{
    intptr_t *of = call->arguments;
    switch (functions[call->function].kind) {
    case RECEIVE:
        need_status(call, 6);
        break;
    case EXCHANGE:
        need_status(call, 11);
        break;
    case EXCHANGE_IN_PLACE:
        need_status(call, 8);
        break;
    case FIND:
        need_status(call, 4);
        break;
    case FIND_NOW:
        need_status(call, 5);
        break;
    case WAIT:
    case WAIT_ALL:
    case WAIT_ANY:
    case WAIT_SOME:
    case TEST:
    case TEST_ALL:
    case TEST_ANY:
    case TEST_SOME:
        keep_requests(call);
        break;
    case FORGET:
        keep_handles(1, (const MPI_Request *)of[0]);
        break;
    case COMMUNICATOR_FREE:
        lock_take(&lock);
        record_comm_forget(*(const MPI_Comm *)of[0]);
        lock_give(&lock);
        break;
    default:
        break;
    }
    call->begun = record_now();
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void say_polls(void)
{
    if (polls.n == 0) return;
    record_line(functions[polls.function].name, polls.gap, polls.duration);
    record_word("#", polls.n);
    record_end_line(0);
    polls.n = 0;
}

/* A call that found nothing. What was between it and another such call was waiting, if that was short. */
static void poll(enum cw_record_function function, int64_t gap, int64_t duration)
{
    if (polls.n > 0 && polls.function != function) {
        say_polls();
    } else if (polls.n > 0 && gap < SPIN) {
        duration += gap;
        gap = 0;
    }
    if (polls.n == 0) polls.gap = polls.duration = 0;
    polls.function = function;
    polls.n++;
    polls.gap += gap;
    polls.duration += duration;
}

/* The line of a call; a poll right before it was waiting, too. */
static void say_call(const struct record_function *function, int64_t gap, int64_t duration)
{
    if (polls.n > 0 && gap < SPIN) {
        duration += gap;
        gap = 0;
    }
    say_polls();
    record_line(function->name, gap, duration);
    line_begun = true;
}

static void say_send(const struct record_comm *comm, int peer, int tag, int64_t bytes)
{
    const int world = record_world_rank(comm, peer);
    if (world == MPI_PROC_NULL) return;
    record_text(">");
    record_word("", comm->id);
    record_word("", world);
    record_word("", tag);
    record_word("", bytes);
}

static void say_receive(const struct record_comm *comm, const MPI_Status *status)
{
    const int world = record_world_rank(comm, status->MPI_SOURCE);
    if (world == MPI_PROC_NULL) return;
    record_text("<");
    record_word("", comm->id);
    record_word("", world);
    record_word("", status->MPI_TAG);
}

/* A message that goes on beside the program. */
static void say_later(struct record_request *request)
{
    request->id = record_next_id();
    request->active = true;
    record_word(request->what == RECORD_SEND ? ">" : "<", request->id);
    record_word("", request->comm.id);
    if (request->what == RECORD_RECEIVE) return;
    record_word("", request->peer);
    record_word("", request->tag);
    record_word("", request->bytes);
}

/* The request of HANDLE is done. */
static void say_done(uintptr_t handle, const MPI_Status *status)
{
    struct record_request *request = record_request_find(handle);
    int cancelled = 0;
    if (!request || !request->active) return;
    if (request->what != RECORD_COLLECTIVE && status) PMPI_Test_cancelled(status, &cancelled);
    if (cancelled) {
        record_word("x", request->id);
    } else if (request->what == RECORD_RECEIVE) {
        const int world = status ? record_world_rank(&request->comm, status->MPI_SOURCE) : MPI_PROC_NULL;
        record_word(world == MPI_PROC_NULL ? "x" : "~", request->id);
        if (world != MPI_PROC_NULL) {
            record_word("", world);
            record_word("", status->MPI_TAG);
        }
    } else {
        record_word("=", request->id);
    }
    record_request_done(request);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* A send or a receive by its seven arguments, the last of which is a request. */
static void begin_message(const struct record_function *function, const intptr_t *of, int64_t gap, int64_t duration)
{
    const bool send = function->kind == SEND_LATER || function->kind == SEND_OFTEN;
    const bool often = function->kind == SEND_OFTEN || function->kind == RECEIVE_OFTEN;
    struct record_request request = {.handle = (uintptr_t) * (const MPI_Request *)of[6],
                                     .what = send ? RECORD_SEND : RECORD_RECEIVE,
                                     .persistent = often,
                                     .tag = (int)of[4],
                                     .bytes = record_bytes(function, of[1], of[2])};
    const bool known = record_comm_of((MPI_Comm)(of[5]), &request.comm);
    const bool any = !send && (int)of[3] == MPI_ANY_SOURCE;
    if (known) request.peer = any ? 0 : record_world_rank(&request.comm, (int)of[3]);
    say_call(function, gap, duration);
    if (!known || (!any && request.peer == MPI_PROC_NULL)) return;
    if (!often) say_later(&request);
    record_request_add(request);
}

static void exchange(const struct record_function *function, const intptr_t *of, int64_t gap, int64_t duration)
{
    const bool place = function->kind == EXCHANGE_IN_PLACE;
    struct record_comm comm;
    const bool known = record_comm_of((MPI_Comm)(of[place ? 7 : 10]), &comm);
    say_call(function, gap, duration);
    if (!known) return;
    say_send(&comm, (int)of[3], (int)of[4], record_bytes(function, of[1], of[2]));
    say_receive(&comm, (const MPI_Status *)of[place ? 8 : 11]);
}

static void message(const struct record_function *function, const intptr_t *of, int64_t gap, int64_t duration)
{
    struct record_comm comm;
    const bool known = record_comm_of((MPI_Comm)(of[5]), &comm);
    say_call(function, gap, duration);
    if (known && function->kind == SEND)
        say_send(&comm, (int)of[3], (int)of[4], record_bytes(function, of[1], of[2]));
    else if (known)
        say_receive(&comm, (const MPI_Status *)of[6]);
}

/* A message was found, and is this rank's: for the recording it is received. */
static void find_message(const struct record_function *function, const intptr_t *of, int64_t gap, int64_t duration)
{
    const bool now = function->kind == FIND_NOW;
    const MPI_Status *status = (const MPI_Status *)of[now ? 5 : 4];
    struct record_request request = {.what = RECORD_RECEIVE};
    const bool known = record_comm_of((MPI_Comm)(of[2]), &request.comm);
    say_call(function, gap, duration);
    if (!known || record_world_rank(&request.comm, status->MPI_SOURCE) == MPI_PROC_NULL) return;
    say_later(&request);
    record_word("~", request.id);
    record_word("", record_world_rank(&request.comm, status->MPI_SOURCE));
    record_word("", status->MPI_TAG);
}

static void start(const struct record_function *function, const intptr_t *of, int64_t gap, int64_t duration)
{
    const bool all = function->kind == START_ALL;
    const MPI_Request *handles = (const MPI_Request *)of[all ? 1 : 0];
    say_call(function, gap, duration);
    for (int i = 0; i < (all ? (int)of[0] : 1); i++) {
        struct record_request *request = record_request_find((uintptr_t)handles[i]);
        if (request && request->persistent && !request->active) say_later(request);
    }
}

/* --- completions -------------------------------------------------------------------------------------------------- */

enum { FOUND_NOTHING = -1 };

/* How many requests a call has completed, or FOUND_NOTHING. *POSITIONS are which; NULL: the first ones. */
static int completed(const struct record_function *function, const intptr_t *of, const int **positions,
                     const MPI_Status **statuses)
{
    const int n = (int)of[0], *number;
    *positions = NULL;
    switch (function->kind) {
    case WAIT:
        *statuses = (const MPI_Status *)of[1];
        return 1;
    case WAIT_ALL:
        *statuses = (const MPI_Status *)of[2];
        return n;
    case TEST:
        *statuses = (const MPI_Status *)of[2];
        return *(const int *)of[1] ? 1 : FOUND_NOTHING;
    case TEST_ALL:
        *statuses = (const MPI_Status *)of[3];
        return *(const int *)of[2] ? n : FOUND_NOTHING;
    case WAIT_ANY:
    case TEST_ANY:
        *positions = (const int *)of[2];
        *statuses = (const MPI_Status *)of[function->kind == WAIT_ANY ? 3 : 4];
        if (function->kind == TEST_ANY && !*(const int *)of[3]) return FOUND_NOTHING;
        return **positions == MPI_UNDEFINED ? 0 : 1;
    default: /* WAIT_SOME, TEST_SOME */
        number = (const int *)of[2];
        *positions = (const int *)of[3];
        *statuses = (const MPI_Status *)of[4];
        return *number == MPI_UNDEFINED ? 0 : *number == 0 ? FOUND_NOTHING : *number;
    }
}

/* In Fortran positions begin at 1, but what Fortran calls is made of these functions. */
static void complete(const struct cw_record_call *call, const struct record_function *function, int64_t gap,
                     int64_t duration)
{
    const int *positions;
    const MPI_Status *statuses;
    const int n = completed(function, call->arguments, &positions, &statuses);
    const bool told = statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE;
    if (n == FOUND_NOTHING) {
        poll(call->function, gap, duration);
        return;
    }
    say_call(function, gap, duration);
    for (int i = 0; i < n && before.room > 0; i++)
        say_done(before.handles[positions ? positions[i] : i], told ? &statuses[i] : NULL);
}

/* --- collectives ------------------------------------------------------------------------------------------------- */

/* Its last argument is a request. */
static bool is_begun(const struct record_function *function)
{
    return function->comm < function->n - 1;
}

static void collective(const struct cw_record_call *call, const struct record_function *function, int64_t gap,
                       int64_t duration)
{
    const intptr_t *of = call->arguments;
    struct record_request request = {.what = RECORD_COLLECTIVE};
    const bool known = record_comm_of((MPI_Comm)(of[function->comm]), &request.comm) && !request.comm.between &&
                       !request.comm.mine->foreign;
    say_call(function, gap, duration);
    if (!known) return;
    if (is_begun(function)) {
        request.handle = (uintptr_t) * (const MPI_Request *)of[function->n - 1];
        request.id = record_next_id();
        request.active = true;
        record_request_add(request);
    }
    record_say_collective(base_of[call->function], function, of, request.comm.id, is_begun(function) ? request.id : -1);
}

/* --- after a call ------------------------------------------------------------------------------------------------- */

static void record_success(struct cw_record_call *call, const struct record_function *function, int64_t gap,
                           int64_t duration)
{
    const intptr_t *of = call->arguments;
    struct record_comm made;
    struct record_request *request;
    switch (function->kind) {
    case SEND:
    case RECEIVE:
        message(function, of, gap, duration);
        return;
    case SEND_LATER:
    case SEND_OFTEN:
    case RECEIVE_LATER:
    case RECEIVE_OFTEN:
        begin_message(function, of, gap, duration);
        return;
    case EXCHANGE:
    case EXCHANGE_IN_PLACE:
        exchange(function, of, gap, duration);
        return;
    case FIND:
        find_message(function, of, gap, duration);
        return;
    case FIND_NOW:
        if (*(const int *)of[3])
            find_message(function, of, gap, duration);
        else
            poll(call->function, gap, duration);
        return;
    case POLL:
        if (*(const int *)of[3])
            say_call(function, gap, duration);
        else
            poll(call->function, gap, duration);
        return;
    case START:
    case START_ALL:
        start(function, of, gap, duration);
        return;
    case WAIT:
    case WAIT_ALL:
    case WAIT_ANY:
    case WAIT_SOME:
    case TEST:
    case TEST_ALL:
    case TEST_ANY:
    case TEST_SOME:
        complete(call, function, gap, duration);
        return;
    case COLLECTIVE:
        collective(call, function, gap, duration);
        return;
    case FORGET:
        say_call(function, gap, duration);
        request = before.room > 0 ? record_request_find(before.handles[0]) : NULL;
        if (request) record_request_forget(request);
        return;
    case COMMUNICATOR:
        say_polls();
        record_comm_of(*(const MPI_Comm *)of[function->n - 1], &made);
        say_call(function, gap, duration);
        return;
    case TIME:
    case COMMUNICATOR_FREE:
        say_call(function, gap, duration);
        return;
    }
}

void cw_record_end(struct cw_record_call *call, int result)
{
    const struct record_function *function = &functions[call->function];
    const int64_t end = record_now(), duration = end - call->begun;
    lock_take(&lock);
    if (record_is_open()) {
        const int64_t gap = call->begun - last_end;
        line_begun = false;
        if (result == MPI_SUCCESS)
            record_success(call, function, gap, duration);
        else
            say_call(function, gap, duration);
        if (line_begun) record_end_line(end);
    }
    last_end = record_now();
    lock_give(&lock);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static void find_bases(void)
{
    for (int f = 0; f < CW_RECORD_ALL; f++) {
        char name[64];
        base_of[f] = (enum cw_record_function)f;
        if (functions[f].kind != COLLECTIVE) continue;
        snprintf(name, sizeof name, "%s", functions[f].name);
        if (record_is_large(&functions[f])) name[strlen(name) - 2] = '\0';
        if (is_begun(&functions[f])) {
            memmove(name, name + 1, strlen(name));
            name[0] = (char)(name[0] - 'a' + 'A');
        }
        for (int b = 0; b < CW_RECORD_ALL; b++)
            if (strcmp(functions[b].name, name) == 0) base_of[f] = (enum cw_record_function)b;
    }
}

/* PATH with the host's name for %h. Returns whether there was one. */
static bool name_file(const char *pattern, char *path, size_t room)
{
    char host[MPI_MAX_PROCESSOR_NAME + 1];
    int length;
    const char *mark = strstr(pattern, "%h");
    PMPI_Get_processor_name(host, &length);
    if (mark)
        snprintf(path, room, "%.*s%s%s", (int)(mark - pattern), pattern, host, mark + 2);
    else
        snprintf(path, room, "%s", pattern);
    return mark != NULL;
}

/* Whether this rank is the first one that writes to its file. */
static bool is_first(bool by_host, int rank)
{
    MPI_Comm host;
    int place = rank;
    if (!by_host) return rank == 0;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    PMPI_Comm_rank(host, &place);
    PMPI_Comm_free(&host);
    return place == 0;
}

/* Whether all ranks are WELL; if not, the first one that is not says WHY. */
static bool are_well(bool well, int rank, const char *why)
{
    int ill = well ? INT_MAX : rank, first;
    PMPI_Allreduce(&ill, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == rank) fprintf(stderr, "crosswind-record: nothing is recorded%s\n", why);
    return first == INT_MAX;
}

/* Opens the file, in all ranks or in none. */
static bool open_together(const char *pattern, int rank, char *path, size_t room)
{
    char why[PATH_MAX + 256] = "; expected CROSSWIND_RECORD=FILE";
    if (!are_well(pattern && *pattern, rank, why)) return false;
    const bool first = is_first(name_file(pattern, path, room), rank);
    for (int turn = 0; turn < 2; turn++) { /* those who empty it come first */
        const bool well = first == (turn > 0) || record_open(path, first);
        if (!well) snprintf(why, sizeof why, ": rank %d cannot write %s: %s", rank, path, strerror(errno));
        if (are_well(well, rank, why)) continue;
        record_close();
        return false;
    }
    return true;
}

/* All ranks, or none. */
int cw_record_start(void)
{
    static char path[PATH_MAX];
    struct record_comm comm;
    int rank, n;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n);
    if (!open_together(getenv("CROSSWIND_RECORD"), rank, path, sizeof path)) return 0;
    find_bases();
    record_begin_blocks(path, rank, n);
    record_comm_of(MPI_COMM_WORLD, &comm);
    record_comm_of(MPI_COMM_SELF, &comm);
    record_processors();
    record_flush(false); /* whatever comes, the file has a block of each rank */
    last_end = record_now();
    return 1;
}

void cw_record_stop(int finalized)
{
    lock_take(&lock);
    say_polls();
    if (record_is_open()) record_waited();
    if (record_is_open() && finalized) {
        record_line("end", record_now() - last_end, 0);
        record_end_line(0);
    }
    record_flush(true);
    lock_give(&lock);
}
