/* Messages between hosts (mpi/nbc/nbc_wire.c): what is sent and received, by which tags, and what becomes of letters
 * that nobody wants yet. MPI and the other hosts are made up here; memory is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "guarded.h"
#include "mpi/nbc/nbc_wire.h"

#define WIRE ((MPI_Comm)(uintptr_t)0x44)

enum { MESSAGES = 64, READY = 0, TAGS = 32767, PEER = 5 };

/* A message of MPI's, sent by this host or to it. */
struct message {
    int peer, tag;
    size_t bytes;
    char data[512];
    char *place;       /* where it is received */
    bool done, waited; /* waited: it was asked for until it was done */
    int kind;          /* 's' end, 'S' ynchronously, 'r' eceive */
};

static struct {
    struct message all[MESSAGES]; /* requests are their numbers */
    int n;
    struct message letters[MESSAGES]; /* to this host */
    int n_letters, n_taken;
    int dup_fails, opened, freed, fatal, aborted;
} world;

static jmp_buf end_of_job;

static MPI_Request request_of(int i)
{
    return (MPI_Request)(uintptr_t)(0x1000 + 0x40 * i);
}

static struct message *message_of(MPI_Request request)
{
    for (int i = 0; i < world.n; i++)
        if (request_of(i) == request) return &world.all[i];
    fail_msg("a request that is none");
    return NULL;
}

/* --- MPI ---------------------------------------------------------------------------------------------------------- */

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    assert_true(comm == MPI_COMM_WORLD);
    if (world.dup_fails) return MPI_ERR_OTHER;
    world.opened++;
    *out = WIRE;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    world.fatal += comm == WIRE && handler == MPI_ERRORS_ARE_FATAL;
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    assert_true(*comm == WIRE);
    *comm = MPI_COMM_NULL;
    world.freed++;
    return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int code)
{
    assert_true(comm == WIRE && code != 0);
    world.aborted++;
    longjmp(end_of_job, 1);
}

static int post(int kind, const void *data, int bytes, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                MPI_Request *out)
{
    assert_true(type == MPI_BYTE && comm == WIRE && world.n < MESSAGES && (size_t)bytes <= sizeof world.all->data);
    struct message *m = &world.all[world.n];
    *m = (struct message){.peer = peer, .tag = tag, .bytes = (size_t)bytes, .kind = kind};
    if (kind == 'r')
        m->place = (char *)(uintptr_t)data;
    else
        memcpy(m->data, data, (size_t)bytes);
    *out = request_of(world.n++);
    return MPI_SUCCESS;
}

int PMPI_Isend(const void *data, int bytes, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *out)
{
    return post('s', data, bytes, type, peer, tag, comm, out);
}

int PMPI_Issend(const void *data, int bytes, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *out)
{
    return post('S', data, bytes, type, peer, tag, comm, out);
}

int PMPI_Irecv(void *data, int bytes, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *out)
{
    return post('r', data, bytes, type, peer, tag, comm, out);
}

int PMPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    assert_true(status == MPI_STATUS_IGNORE);
    struct message *m = message_of(*request);
    *done = m->done;
    if (m->done) *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    assert_true(status == MPI_STATUS_IGNORE);
    message_of(*request)->waited = true;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    assert_true(source == MPI_ANY_SOURCE && tag == READY && comm == WIRE);
    *there = world.n_taken < world.n_letters;
    if (*there) status->MPI_SOURCE = world.letters[world.n_taken].peer;
    return MPI_SUCCESS;
}

int PMPI_Recv(void *data, int bytes, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    const struct message *m = &world.letters[world.n_taken++];
    assert_true(source == m->peer && tag == READY && type == MPI_BYTE && comm == WIRE && status == MPI_STATUS_IGNORE);
    assert_int_equal(bytes, m->bytes);
    memcpy(data, m->data, m->bytes);
    return MPI_SUCCESS;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static int begin_world(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    renew_memory();
    return nbc_wire_open();
}

static int end_world(void **state)
{
    (void)state;
    nbc_wire_close();
    return memory.live != 0;
}

/* What this host has sent last comes to it, from PEER, as if another host had sent it. */
static void come_back(int peer)
{
    world.letters[world.n_letters] = world.all[world.n - 1];
    world.letters[world.n_letters++].peer = peer;
}

static bool look(void)
{
    bool any = false;
    nbc_wire_look(&any);
    return any;
}

static void it_is_opened_and_closed(void **state)
{
    (void)state;
    assert_true(world.opened == 1 && world.fatal == 1);
    nbc_wire_close();
    nbc_wire_close();
    assert_int_equal(world.freed, 1);
    world.dup_fails = 1;
    assert_int_equal(nbc_wire_open(), CW_EIO);
    assert_string_equal(cw_error_message(), "MPI could not make a communicator for messages between hosts");
    world.dup_fails = 0;
    assert_int_equal(nbc_wire_open(), 0);
}

/* What hosts think is heard once, by whoever waits for just that. */
static void opinions_and_verdicts(void **state)
{
    struct cw_nbc_clash_note heard;
    (void)state;
    assert_false(look());
    nbc_wire_tell(PEER, 7, 3, false, &(struct cw_nbc_clash_note){.a.rank = 1});
    assert_true(world.n == 1 && world.all[0].peer == PEER && world.all[0].tag == READY && world.all[0].kind == 's');
    come_back(6);
    nbc_wire_tell(PEER, 7, 3, true, &(struct cw_nbc_clash_note){.a.rank = 2});
    come_back(6);
    nbc_wire_tell(PEER, 7, 4, true, &(struct cw_nbc_clash_note){.a.rank = 3});
    come_back(6);
    nbc_wire_tell(PEER, 8, 3, true, &(struct cw_nbc_clash_note){.a.rank = 4});
    come_back(6);
    assert_false(nbc_wire_hear(7, 3, false, &heard));
    assert_true(look());
    assert_false(look());
    assert_false(nbc_wire_hear(8, 4, true, &heard));
    assert_false(nbc_wire_hear(7, 4, false, &heard));
    assert_true(nbc_wire_hear(7, 3, true, &heard) && heard.a.rank == 2);
    assert_false(nbc_wire_hear(7, 3, true, &heard));
    assert_true(nbc_wire_hear(7, 3, false, &heard) && heard.a.rank == 1);
    assert_true(nbc_wire_hear(7, 4, true, &heard) && heard.a.rank == 3);
    assert_true(nbc_wire_hear(8, 3, true, &heard) && heard.a.rank == 4);
    assert_false(nbc_wire_hear(8, 3, true, &heard));
}

/* What was sent is kept until it is gone, also at the end. */
static void letters_are_kept(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) nbc_wire_tell(PEER, 1, (uint64_t)i, false, &(struct cw_nbc_clash_note){.left = true});
    assert_int_equal(memory.live, 4);
    look();
    assert_int_equal(memory.live, 4);
    world.all[1].done = world.all[3].done = true;
    look();
    assert_int_equal(memory.live, 2);
    world.all[0].done = true;
    look();
    assert_int_equal(memory.live, 1);
    come_back(6);
    look();
    nbc_wire_close(); /* and what has come is forgotten */
    assert_int_equal(memory.live, 0);
    for (int i = 0; i < 4; i++) assert_int_equal(world.all[i].waited, i == 2);
}

static int n_answered;

static bool answer(void *state, const struct nbc_question *question)
{
    assert_true(state == &world && question->key == 7 && question->index == 9 && question->asked.root == 2);
    assert_true(question->answered && question->peer == (int)question->number + 10);
    n_answered++;
    return question->number != 4; /* not yet */
}

static void questions(void **state)
{
    struct cw_nbc_clash_note heard;
    (void)state;
    for (int i = 3; i < 6; i++) {
        nbc_wire_ask(PEER,
                     &(struct nbc_question){
                         .key = 7, .number = (uint64_t)i, .index = 9, .asked.root = 2, .peer = 99, .answered = true});
        assert_true(world.all[world.n - 1].peer == PEER && world.all[world.n - 1].tag == READY);
        come_back(i + 10);
        nbc_wire_tell(PEER, 7, (uint64_t)i, false, &(struct cw_nbc_clash_note){.left = true});
        come_back(i + 10);
    }
    look();
    n_answered = 0;
    nbc_wire_answer(answer, &world);
    assert_int_equal(n_answered, 3);
    nbc_wire_answer(answer, &world);
    assert_int_equal(n_answered, 4);                                                  /* that one again */
    for (uint64_t i = 3; i < 6; i++) assert_true(nbc_wire_hear(7, i, false, &heard)); /* which are no questions */
}

/* Who receives says by which tag; who sends waits for that. */
static void flows_have_tags(void **state)
{
    struct nbc_flow in, other, out;
    struct {
        struct nbc_flow flow;
        char guard[16];
    } guarded;
    (void)state;
    memset(&guarded, GUARD_BYTE, sizeof guarded);
    nbc_flow_send(&guarded.flow, 6, 9, 9);
    for (size_t i = 0; i < sizeof guarded.guard; i++) assert_int_equal(guarded.guard[i], GUARD_BYTE);
    nbc_flow_receive(&in, PEER, 7, 3);
    assert_true(in.tag == 1 && in.incoming && in.peer == PEER && world.n == 1 && world.all[0].peer == PEER);
    assert_true(nbc_flow_has_room(&in) && in.requests[0] == MPI_REQUEST_NULL &&
                in.requests[NBC_WIDE - 1] == MPI_REQUEST_NULL);
    nbc_flow_receive(&other, PEER, 7, 4);
    assert_int_equal(other.tag, 2);
    come_back(6);
    nbc_flow_end(&in);
    nbc_flow_receive(&in, PEER, 7, 5);
    assert_int_equal(in.tag, 1); /* it is free again */
    nbc_flow_end(&in);

    nbc_flow_send(&out, 6, 7, 4);
    assert_true(!nbc_flow_has_room(&out) && out.tag == 0 && !out.incoming);
    nbc_wire_tell(PEER, 7, 4, true, &(struct cw_nbc_clash_note){.left = true}); /* no tag */
    come_back(6);
    look();
    const struct nbc_flow wrong[] = {{.peer = PEER, .key = 7, .number = 4}, /* none is meant for these */
                                     {.peer = 6, .key = 8, .number = 4},
                                     {.peer = 6, .key = 7, .number = 3}};
    for (int i = 0; i < 3; i++) {
        struct nbc_flow flow;
        nbc_flow_send(&flow, wrong[i].peer, wrong[i].key, wrong[i].number);
        assert_false(nbc_flow_has_room(&flow));
    }
    assert_true(nbc_flow_has_room(&out) && out.tag == 2);
    assert_true(nbc_flow_has_room(&out)); /* it is known */
    nbc_flow_end(&out);
    nbc_flow_receive(&in, PEER, 7, 6);
    assert_int_equal(in.tag, 1); /* that of what is sent is another host's */
    nbc_flow_end(&in);
    nbc_flow_end(&other);
}

/* So many segments are under way at a time, one behind the other. */
static void segments_flow(void **state)
{
    char data[NBC_WIDE] = {1, 2, 3, 4, 5, 6, 7, 8};
    (void)state;
    for (int kind = 0; kind < 3; kind++) { /* that come, that are sent, that are sent widely */
        struct nbc_flow flow;
        bool any = false;
        const uint32_t window = kind == 2 ? NBC_WIDE : NBC_WINDOW;
        nbc_flow_receive(&flow, 6, 7, 3);
        flow.incoming = kind == 0;
        flow.wide = kind == 2;
        const int first = world.n;
        for (uint32_t i = 0; i < window; i++) {
            assert_true(nbc_flow_has_room(&flow));
            nbc_flow_begin(&flow, data, i + 1);
        }
        assert_false(nbc_flow_has_room(&flow));
        for (uint32_t i = 0; i < window; i++) {
            const struct message *m = &world.all[first + (int)i];
            assert_true(m->peer == 6 && m->tag == flow.tag && m->bytes == i + 1 && m->kind == "rsS"[kind]);
            assert_true(kind == 0 ? m->place == data : memcmp(m->data, data, i + 1) == 0);
        }
        nbc_flow_look(&flow, &any);
        assert_true(!any && flow.done == 0);
        world.all[first + 1].done = true; /* it waits for the one before */
        nbc_flow_look(&flow, &any);
        assert_true(!any && flow.done == 0);
        world.all[first].done = true;
        nbc_flow_look(&flow, &any);
        assert_true(any && flow.done == 2 && nbc_flow_has_room(&flow));
        for (int i = 0; i < 9; i++) { /* requests are used again */
            nbc_flow_begin(&flow, data, 1);
            for (int k = first; k < world.n; k++) world.all[k].done = true;
            nbc_flow_look(&flow, &any);
            assert_int_equal(flow.done, flow.begun);
        }
        flow.incoming = true;
        nbc_flow_end(&flow);
        for (int k = 0; k < world.n; k++) world.all[k].done = true;
        look();
        world.n = 0;
    }
}

/* The job ends where there is no memory for a letter, or no tag: nothing could go on. */
static void nothing_is_left(void **state)
{
    static struct nbc_flow flows[TAGS + 1];
    volatile int n = 0;
    (void)state;
    memory.allocations = 0;
    memory.starved_at = 1;
    if (setjmp(end_of_job) == 0) {
        nbc_wire_tell(PEER, 7, 3, false, &(struct cw_nbc_clash_note){.left = true});
        fail_msg("it goes on");
    }
    assert_int_equal(world.aborted, 1);
    memory.starved_at = 0;
    if (setjmp(end_of_job) == 0)
        for (; n <= TAGS; n++) {
            nbc_flow_receive(&flows[n], PEER, 7, (uint64_t)n);
            assert_int_equal(flows[n].tag, n + 1);
            world.all[0].done = true;
            look();
            world.n = 0;
        }
    assert_true(world.aborted == 2 && n == TAGS);
    for (int i = 0; i < TAGS; i++) nbc_flow_end(&flows[i]);
}

#define CASE(NAME) cmocka_unit_test_setup_teardown(NAME, begin_world, end_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(it_is_opened_and_closed), CASE(opinions_and_verdicts), CASE(letters_are_kept), CASE(questions),
        CASE(flows_have_tags),         CASE(segments_flow),         CASE(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
