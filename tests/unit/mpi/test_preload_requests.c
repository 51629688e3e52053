/* What programs under the preload library hold for operations that are ours (mpi/nbc/preload_requests.c). Operations
 * and MPI's generalised requests are made up here; memory is counted, and what is behind it is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "guarded.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_handles.h"
#include "mpi/nbc/preload_requests.h"

#define USER_OP ((MPI_Op)(uintptr_t)0x48)
#define THEIRS  ((MPI_Request)(uintptr_t)0x20) /* a request of MPI's own */

enum { MOST = 3000, ROOT = 1, FAILED = 77 };

/* An operation, with the generalised request that stands for it. */
struct cw_nbc_request {
    bool used, persistent, active, done;
    int rc; /* when it is done */
    bool standing, completed;
    void *state;
};

static struct cw_nbc_request operations[MOST];
static int n_operations, n_standing;
static MPI_Request standing_of[MOST]; /* which operation it is, by its number */

static struct {
    int rank, rank_fails, type_fails, op_fails, begin_fails, start_fails, stand_in_fails;
    int types_in_use, ops_in_use;
    MPI_Datatype types[2]; /* the last two that came into use */
    int n_types;
    int completed, freed, tested, yields, rested, errors;
    MPI_Comm error_comm;
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *release;
    MPI_Grequest_cancel_function *cancel;
    bool elements, cancelled;
} world;

int __wrap_sched_yield(void);

int __wrap_sched_yield(void)
{
    world.yields++;
    return 0;
}

/* --- MPI ---------------------------------------------------------------------------------------------------------- */

static int number_of(MPI_Request request)
{
    for (int i = 0; i < n_standing; i++)
        if (standing_of[i] == request) return i;
    fail_msg("MPI gets a request that is none");
    return -1;
}

int PMPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                        MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *out)
{
    if (world.stand_in_fails) return MPI_ERR_OTHER;
    world.query = query;
    world.release = release;
    world.cancel = cancel;
    assert_true(n_standing < MOST);
    operations[n_standing].standing = true;
    operations[n_standing].completed = false;
    operations[n_standing].state = state;
    standing_of[n_standing] = (MPI_Request)(uintptr_t)(0x5000 + 0x40 * n_standing);
    *out = standing_of[n_standing++];
    return MPI_SUCCESS;
}

int PMPI_Grequest_complete(MPI_Request request)
{
    const int i = number_of(request);
    assert_true(operations[i].standing && !operations[i].completed);
    operations[i].completed = true;
    world.completed++;
    return MPI_SUCCESS;
}

/* MPI has seen that REQUEST is complete, as in its Wait. */
static void see(MPI_Request request)
{
    const int i = number_of(request);
    assert_true(operations[i].standing && operations[i].completed);
    operations[i].standing = false;
    assert_int_equal(world.release(operations[i].state), MPI_SUCCESS);
}

int PMPI_Request_free(MPI_Request *request)
{
    if ((uintptr_t)*request >= 0x5000 && (uintptr_t)*request < 0x90000) see(*request);
    *request = MPI_REQUEST_NULL;
    world.freed++;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    assert_true(comm == MPI_COMM_SELF);
    *rank = world.rank;
    return world.rank_fails;
}

int PMPI_Comm_call_errhandler(MPI_Comm comm, int code)
{
    assert_int_equal(code, FAILED);
    world.error_comm = comm;
    world.errors++;
    return MPI_SUCCESS;
}

int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count)
{
    assert_true(status && type == MPI_BYTE && count == 0);
    world.elements = true;
    return MPI_SUCCESS;
}

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    assert_true(status && flag == 0);
    world.cancelled = true;
    return MPI_SUCCESS;
}

/* --- operations --------------------------------------------------------------------------------------------------- */

int cw_nbc_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, cw_nbc_request *out)
{
    assert_true(call->comm == MPI_COMM_SELF && decided->side == NBC_OURS);
    if (world.begin_fails) return CW_EIO;
    *out = &operations[n_operations++];
    (*out)->used = (*out)->active = true;
    return 0;
}

int cw_nbc_prepare(const struct cw_nbc_call *call, cw_nbc_request *out)
{
    assert_true(call->comm == MPI_COMM_SELF);
    if (world.begin_fails) return CW_EIO;
    *out = &operations[n_operations++];
    (*out)->used = (*out)->persistent = true;
    return 0;
}

int cw_nbc_start(cw_nbc_request *request)
{
    assert_true((*request)->persistent && !(*request)->active);
    if (world.start_fails) return CW_EIO;
    (*request)->active = true;
    (*request)->done = false;
    return 0;
}

int cw_nbc_test(cw_nbc_request *request, int *done)
{
    assert_true((*request)->active);
    world.tested++;
    *done = (*request)->done;
    if (!*done) return 0;
    (*request)->active = false;
    return (*request)->rc;
}

int cw_nbc_request_free(cw_nbc_request *request)
{
    assert_true((*request)->used);
    (*request)->used = (*request)->active = false;
    *request = NULL;
    return 0;
}

void cw_nbc_rest(int count, const cw_nbc_request requests[])
{
    assert_true(count == 1 && (*requests)->active);
    world.rested = 1 + (int)(*requests - operations);
}

const char *cw_nbc_error_message(void)
{
    return "as it should";
}

int nbc_class_of_failure(int rc)
{
    assert_int_equal(rc, CW_EIO);
    return FAILED;
}

static void assert_type(MPI_Datatype type)
{
    assert_true(type == MPI_INT || type == MPI_DOUBLE || type == MPI_DATATYPE_NULL);
}

int preload_type_use(MPI_Datatype type)
{
    assert_type(type);
    if (++world.n_types == world.type_fails) return MPI_ERR_NO_MEM;
    world.types[0] = world.types[1];
    world.types[1] = type;
    world.types_in_use += type != MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

void preload_type_leave(MPI_Datatype type)
{
    assert_type(type);
    world.types_in_use -= type != MPI_DATATYPE_NULL;
}

int preload_op_use(MPI_Op op)
{
    assert_true(op == USER_OP || op == MPI_OP_NULL);
    if (world.op_fails) return MPI_ERR_NO_MEM;
    world.ops_in_use += op != MPI_OP_NULL;
    return MPI_SUCCESS;
}

void preload_op_leave(MPI_Op op)
{
    assert_true(op == USER_OP || op == MPI_OP_NULL);
    world.ops_in_use -= op != MPI_OP_NULL;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static char given, taken;

static int begin_world(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    renew_memory();
    memset(operations, 0, sizeof operations);
    n_operations = n_standing = 0;
    world.rank = ROOT;
    return 0;
}

/* Everything has been given back. */
static int end_world(void **state)
{
    (void)state;
    return preload_requests_any() || memory.live != 0 || world.types_in_use != 0 || world.ops_in_use != 0;
}

static struct cw_nbc_call call_of(enum cw_collective_kind collective)
{
    return nbc_call(collective, &given, 1, MPI_INT, &taken, 1, MPI_DOUBLE, USER_OP, ROOT, MPI_COMM_SELF);
}

static MPI_Request begin(void)
{
    MPI_Request request;
    const struct nbc_decision decided = {.side = NBC_OURS};
    const struct cw_nbc_call call = call_of(CW_COLLECTIVE_GATHER);
    assert_int_equal(preload_request_begin(&call, &decided, &request), MPI_SUCCESS);
    return request;
}

/* A persistent one, which the program knows as REQUEST. */
static void persist(MPI_Request request)
{
    const struct cw_nbc_call call = call_of(CW_COLLECTIVE_GATHER);
    assert_int_equal(preload_request_persist(&call, request), MPI_SUCCESS);
}

#define INACTIVE(I) ((MPI_Request)(uintptr_t)(0x90000 + 0x40 * (I)))

/* A view, behind which memory is looked at. */
static struct {
    struct preload_view view;
    char guard[256];
} room;

static struct preload_view *open_view(int count, MPI_Request *requests)
{
    memset(&room, 0x5a, sizeof room);
    assert_int_equal(preload_view_open(count, requests, &room.view), MPI_SUCCESS);
    return &room.view;
}

static void close_view(void)
{
    preload_view_close(&room.view);
    for (size_t i = 0; i < sizeof room.guard; i++) assert_int_equal(room.guard[i], 0x5a);
}

/* The program waits for REQUEST, whose operation is done. */
static void wait_for(MPI_Request request)
{
    struct preload_view *view = open_view(1, &request);
    assert_true(view->ours == 1 && preload_view_look(view) == MPI_REQUEST_NULL);
    see(view->seen[0]);
    close_view();
}

static void one_operation(void **state)
{
    MPI_Status status;
    const unsigned long long before = preload_requests_started();
    (void)state;
    assert_false(preload_requests_any());
    MPI_Request request = begin(), both[] = {THEIRS, request};
    assert_true(preload_requests_any() && request == standing_of[0] && preload_requests_started() == before + 1);
    assert_true(preload_requests_among(2, both) && preload_requests_among(1, &request));
    assert_true(!preload_requests_among(1, both) && !preload_requests_among(0, &request));
    assert_true(world.types_in_use == 2 && world.ops_in_use == 1);
    struct preload_view *view = open_view(2, both);
    assert_true(view->ours == 1 && view->mixed && view->seen == both && view->items[0].position == 1);
    assert_true(!view->items[0].persistent && view->items[0].code == MPI_SUCCESS);
    assert_true(preload_view_look(view) == request && world.completed == 0);
    preload_view_rest(view);
    assert_true(world.yields == 1 && world.rested == 0); /* MPI's own are polled */
    operations[0].done = true;
    assert_true(preload_view_look(view) == MPI_REQUEST_NULL && world.completed == 1);
    assert_true(preload_view_look(view) == MPI_REQUEST_NULL && world.completed == 1 && world.tested == 2);
    see(request);
    assert_false(preload_requests_any());
    assert_int_equal(world.types_in_use, 2); /* not within a function of MPI */
    assert_true(preload_view_look(view) == MPI_REQUEST_NULL && world.tested == 2);
    close_view();
    assert_int_equal(world.types_in_use, 0);
    memset(&status, 0, sizeof status);
    assert_int_equal(world.query(NULL, &status), MPI_SUCCESS);
    assert_true(world.elements && world.cancelled && status.MPI_SOURCE == MPI_UNDEFINED);
    assert_true(status.MPI_TAG == MPI_UNDEFINED && status.MPI_ERROR == MPI_SUCCESS);
    assert_int_equal(world.cancel(NULL, 0), MPI_SUCCESS);
}

/* What this rank gives or takes has a type that must live. */
static void types_that_are_in_use(void **state)
{
    static const struct {
        enum cw_collective_kind collective;
        bool root, in_place, sends, receives; /* in place: what it gives, or, in a scatter, what it takes */
    } cases[] = {
        {CW_COLLECTIVE_GATHER, true, false, true, true},     {CW_COLLECTIVE_GATHER, false, false, true, false},
        {CW_COLLECTIVE_GATHER, true, true, false, true},     {CW_COLLECTIVE_SCATTER, true, false, true, true},
        {CW_COLLECTIVE_SCATTER, false, false, false, true},  {CW_COLLECTIVE_SCATTER, true, true, true, false},
        {CW_COLLECTIVE_ALLGATHER, false, false, true, true}, {CW_COLLECTIVE_ALLGATHER, false, true, false, true},
        {CW_COLLECTIVE_BCAST, false, false, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_nbc_call call = call_of(cases[i].collective);
        const struct nbc_decision decided = {.side = NBC_OURS};
        MPI_Request request;
        world.rank = cases[i].root ? ROOT : ROOT + 1;
        if (cases[i].in_place && cases[i].collective == CW_COLLECTIVE_SCATTER) call.recv = MPI_IN_PLACE;
        if (cases[i].in_place && cases[i].collective != CW_COLLECTIVE_SCATTER) call.send = MPI_IN_PLACE;
        assert_int_equal(preload_request_begin(&call, &decided, &request), MPI_SUCCESS);
        assert_true(world.types[0] == (cases[i].sends ? MPI_INT : MPI_DATATYPE_NULL));
        assert_true(world.types[1] == (cases[i].receives ? MPI_DOUBLE : MPI_DATATYPE_NULL));
        assert_int_equal(world.types_in_use, cases[i].sends + cases[i].receives);
        operations[n_operations - 1].done = true;
        wait_for(request);
        assert_int_equal(world.types_in_use, 0);
    }
}

/* Starts one; *SAID: what is on the standard error. */
static int try_to(bool persistently, char said[64])
{
    char *text;
    size_t n;
    MPI_Request request = MPI_REQUEST_NULL;
    FILE *before = stderr;
    const struct nbc_decision decided = {.side = NBC_OURS};
    const struct cw_nbc_call call = call_of(CW_COLLECTIVE_GATHER);
    stderr = open_memstream(&text, &n);
    const int code =
        persistently ? preload_request_persist(&call, INACTIVE(0)) : preload_request_begin(&call, &decided, &request);
    fclose(stderr);
    stderr = before;
    snprintf(said, 64, "%s", text);
    __real_free(text);
    assert_true(request == MPI_REQUEST_NULL && !preload_requests_any());
    assert_true(memory.live == 0 && world.types_in_use == 0 && world.ops_in_use == 0);
    return code;
}

static void what_cannot_begin(void **state)
{
    char said[64];
    for (int persistently = 0; persistently < 2; persistently++) {
        begin_world(state);
        memory.starved_at = 1;
        assert_int_equal(try_to(persistently, said), MPI_ERR_NO_MEM);
        memory.starved_at = 0;
        world.rank_fails = MPI_ERR_COMM;
        assert_int_equal(try_to(persistently, said), MPI_ERR_COMM);
        world.rank_fails = 0;
        for (int at = 1; at < 3; at++) {
            world.n_types = 0;
            world.type_fails = at;
            assert_int_equal(try_to(persistently, said), MPI_ERR_NO_MEM);
            assert_int_equal(world.n_types, at);
        }
        world.type_fails = 0;
        world.op_fails = true;
        assert_int_equal(try_to(persistently, said), MPI_ERR_NO_MEM);
        world.op_fails = false;
        assert_int_equal(world.errors, 0);
        world.begin_fails = true;
        assert_int_equal(try_to(persistently, said), FAILED);
        assert_string_equal(said, "crosswind-nbc: as it should\n");
        assert_true(world.errors == 1 && world.error_comm == MPI_COMM_SELF);
    }
    begin_world(state);
    world.stand_in_fails = true;
    assert_int_equal(try_to(false, said), MPI_ERR_OTHER);
}

/* Errors go to the handler of the communicator, or of the world. */
static void failures(void **state)
{
    FILE *before = stderr;
    (void)state;
    MPI_Request request = begin();
    operations[0].done = true;
    operations[0].rc = CW_EIO;
    struct preload_view *view = open_view(1, &request);
    stderr = fopen("/dev/null", "w");
    assert_true(preload_view_look(view) == MPI_REQUEST_NULL && view->items[0].code == FAILED);
    assert_true(world.errors == 1 && world.error_comm == MPI_COMM_SELF && world.completed == 1);
    close_view();
    view = open_view(1, &request); /* the program has not asked MPI yet: it is told of again, and not tested */
    assert_true(preload_view_look(view) == MPI_REQUEST_NULL && view->items[0].code == FAILED);
    assert_true(world.errors == 1 && world.completed == 1);
    see(request);
    close_view();
    assert_int_equal(preload_failed(MPI_COMM_NULL, CW_EIO), FAILED);
    assert_true(world.error_comm == MPI_COMM_WORLD);
    persist(INACTIVE(0));
    world.start_fails = true;
    assert_int_equal(preload_request_start(INACTIVE(0)), FAILED);
    fclose(stderr);
    stderr = before;
    request = INACTIVE(0);
    assert_int_equal(preload_request_free(&request), MPI_SUCCESS);
}

/* A persistent operation has a request that stays, for which others stand while it is active. */
static void persistent_operations(void **state)
{
    (void)state;
    persist(THEIRS);
    assert_true(preload_requests_any() && preload_requests_started() > 0);
    MPI_Request requests[] = {MPI_REQUEST_NULL, THEIRS};
    struct preload_view *view = open_view(2, requests); /* inactive: MPI sees nothing */
    assert_true(view->ours == 1 && !view->mixed && view->seen != requests && view->items[0].persistent);
    assert_true(view->seen[0] == MPI_REQUEST_NULL && view->seen[1] == MPI_REQUEST_NULL);
    assert_true(preload_view_look(view) == MPI_REQUEST_NULL && world.tested == 0);
    preload_view_rest(view);
    assert_true(world.yields == 1 && world.rested == 0);
    close_view();
    assert_true(requests[0] == MPI_REQUEST_NULL && requests[1] == THEIRS);
    for (int round = 0; round < 3; round++) {
        const unsigned long long before = preload_requests_started();
        assert_int_equal(preload_request_start(THEIRS), MPI_SUCCESS);
        assert_int_equal(preload_requests_started(), before + 1);
        view = open_view(2, requests);
        const MPI_Request standing = standing_of[n_standing - 1];
        assert_true(view->seen[1] == standing && preload_view_look(view) == standing);
        preload_view_rest(view);
        assert_int_equal(world.rested, 1);
        operations[0].done = true;
        assert_true(preload_view_look(view) == MPI_REQUEST_NULL);
        preload_view_rest(view);
        assert_int_equal(world.yields, 2 + round); /* it is complete */
        see(view->seen[1]);
        view->seen[1] = MPI_REQUEST_NULL; /* as MPI does */
        close_view();
        assert_true(requests[1] == THEIRS && preload_requests_any());
    }
    for (int active = 0; active < 3; active++) { /* not, under way, complete */
        if (active > 0) assert_int_equal(preload_request_start(THEIRS), MPI_SUCCESS);
        if (active == 2) {
            operations[n_operations - 1].done = true;
            assert_true(preload_view_look(open_view(2, requests)) == MPI_REQUEST_NULL);
            close_view();
        }
        MPI_Request request = THEIRS;
        world.freed = 0;
        assert_int_equal(preload_request_free(&request), MPI_SUCCESS);
        assert_true(request == MPI_REQUEST_NULL && world.freed == (active > 0) + 1);
        assert_true(!preload_requests_any() && memory.live == 0 && world.types_in_use == 0);
        persist(THEIRS);
    }
    MPI_Request request = THEIRS;
    assert_int_equal(preload_request_free(&request), MPI_SUCCESS);
}

/* Single ones are freed whether they are complete or not. */
static void requests_are_freed(void **state)
{
    (void)state;
    for (int complete = 0; complete < 2; complete++) {
        MPI_Request request = begin();
        operations[n_operations - 1].done = complete;
        struct preload_view *view = open_view(1, &request);
        assert_true(preload_view_look(view) == (complete ? MPI_REQUEST_NULL : request));
        close_view();
        assert_int_equal(preload_request_free(&request), MPI_SUCCESS);
        assert_true(request == MPI_REQUEST_NULL && !preload_requests_any());
        assert_true(memory.live == 0 && world.types_in_use == 0 && world.completed == complete + 1);
    }
}

/* Any number of requests are seen, ours and MPI's. */
static void many_requests(void **state)
{
    static MPI_Request requests[200];
    (void)state;
    for (int n = 1; n <= 70; n++) {
        begin_world(NULL);
        for (int i = 0; i < n; i++) requests[i] = i % 5 == 3 ? MPI_REQUEST_NULL : begin();
        const int ours = n - (n + 1) / 5;
        requests[n] = n > 1 ? requests[0] : THEIRS; /* which is not meant */
        struct preload_view *view = open_view(n, requests);
        assert_true(view->ours == ours && !view->mixed && view->seen == requests);
        for (int i = 0, k = 0; i < n; i++)
            if (i % 5 != 3) assert_int_equal(view->items[k++].position, i);
        assert_true(preload_view_look(view) != MPI_REQUEST_NULL && world.tested == ours);
        operations[0].done = true;
        assert_true(preload_view_look(view) == (ours > 1 ? requests[n - 1 - (n % 5 == 4)] : MPI_REQUEST_NULL));
        world.rested = 0;
        preload_view_rest(view);
        assert_int_equal(world.rested, ours > 1 ? 2 : 0); /* the first that is not complete */
        for (int i = 1; i < n_operations; i++) operations[i].done = true;
        assert_true(preload_view_look(view) == MPI_REQUEST_NULL && world.completed == ours);
        for (int i = 0; i < n; i++)
            if (i % 5 != 3) see(requests[i]);
        close_view();
        assert_true(!preload_requests_any() && memory.live == 0 && world.types_in_use == 0);
    }
}

/* They are found however many there are, and in whichever order they end. */
static void very_many_requests(void **state)
{
    static MPI_Request requests[MOST];
    (void)state;
    for (int i = 0; i < MOST; i++) requests[i] = begin();
    for (int i = 0; i < MOST; i += 7) assert_true(preload_requests_among(1, &requests[i]));
    for (int k = 0; k < MOST; k++) {
        const int i = k * 7 % MOST;
        assert_true(preload_requests_any() && preload_requests_among(1, &requests[i]));
        operations[i].done = true;
        wait_for(requests[i]);
        if (k % 100 == 0) assert_false(preload_requests_among(1, &requests[i]));
    }
}

static void memory_that_is_out(void **state)
{
    MPI_Request requests[9];
    (void)state;
    for (int i = 0; i < 8; i++) requests[i] = begin();
    persist(INACTIVE(1));
    requests[8] = INACTIVE(1);
    const int live = memory.live;
    for (int at = 1; at <= 4; at++) { /* of items, twice, and of what MPI sees */
        memory.allocations = 0;
        memory.starved_at = at;
        struct preload_view view;
        assert_int_equal(preload_view_open(9, requests, &view), at < 4 ? MPI_ERR_NO_MEM : MPI_SUCCESS);
        if (at == 4) preload_view_close(&view);
        assert_int_equal(memory.live, live);
    }
    memory.starved_at = 0;
    struct preload_view *view = open_view(9, NULL); /* MPI says that this is wrong */
    assert_true(view->count == 0 && view->ours == 0 && !view->seen);
    close_view();
    view = open_view(9, requests);
    assert_true(view->ours == 9 && view->seen != requests);
    for (int i = 0; i < 8; i++) assert_true(view->seen[i] == requests[i]);
    for (int i = 0; i < 8; i++) operations[i].done = true;
    assert_true(preload_view_look(view) == MPI_REQUEST_NULL);
    for (int i = 0; i < 8; i++) {
        see(requests[i]);
        view->seen[i] = MPI_REQUEST_NULL;
    }
    close_view();
    for (int i = 0; i < 8; i++) assert_true(requests[i] == MPI_REQUEST_NULL); /* what MPI made of them */
    assert_true(requests[8] == INACTIVE(1));
    assert_int_equal(preload_request_free(&requests[8]), MPI_SUCCESS);
}

#define CASE(NAME) cmocka_unit_test_setup_teardown(NAME, begin_world, end_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(one_operation), CASE(types_that_are_in_use), CASE(what_cannot_begin),
        CASE(failures),      CASE(persistent_operations), CASE(requests_are_freed),
        CASE(many_requests), CASE(very_many_requests),    CASE(memory_that_is_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
