/* What an operation does on its own rank (mpi/nbc/nbc_buffers.c): which memory others reach, what is packed before, and
 * unpacked or reduced after. Datatypes and the user's operation are made up here: int lies densely; of what is called
 * short each element has 2 bytes, 1 behind its address, and 4 to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "mpi/nbc/nbc_buffers.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_job.h"

#define SPREAD  MPI_SHORT
#define USER_OP ((MPI_Op)(uintptr_t)0x48)

enum { N = 3, ME = 1, COUNT = 2, FIRST = 1, SIZE = 2, STEP = 4, ROOM = 64 };

struct nbc_job nbc_job;

static char node;
static char given[ROOM], taken[ROOM], device[ROOM];

static struct {
    int allocations, starved_at;
    uint64_t room; /* that a rank needs for what it passes on */
    int room_fails, reduce_fails, reductions, pack_fails;
    int packed, unpacked; /* blocks, the last time */
    size_t last;          /* bytes of the last allocation */
} world;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
    world.last = n * size;
    return ++world.allocations == world.starved_at ? NULL : __real_calloc(n, size);
}

/* --- types -------------------------------------------------------------------------------------------------------- */

enum cw_nbc_type nbc_type_of(MPI_Datatype type)
{
    return type == MPI_INT ? CW_NBC_INT32 : type == MPI_DOUBLE ? CW_NBC_DOUBLE : CW_NBC_TYPES;
}

enum cw_nbc_op nbc_op_of(MPI_Op op)
{
    return op == MPI_SUM ? CW_NBC_SUM : CW_NBC_OPS;
}

bool nbc_type_is_dense(MPI_Datatype type)
{
    assert_true(type == MPI_INT || type == SPREAD); /* nobody asks of what is not there */
    return type != SPREAD;
}

uint64_t nbc_type_bytes(MPI_Datatype type, nbc_count count)
{
    return (uint64_t)count * (type == SPREAD ? SIZE : 4);
}

uint64_t nbc_type_span(MPI_Datatype type, nbc_count count, MPI_Aint *first)
{
    *first = type == SPREAD ? FIRST : 0;
    return type == SPREAD ? (uint64_t)(count - 1) * STEP + SIZE : (uint64_t)count * 4;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent)
{
    (void)type;
    *lower = 0;
    *extent = STEP;
    return MPI_SUCCESS;
}

int nbc_type_pack(const void *buffer, int n, nbc_count count, MPI_Datatype type, char *packed)
{
    world.packed = n;
    const size_t first = type == SPREAD ? FIRST : 0, size = type == SPREAD ? SIZE : 4;
    for (nbc_count i = 0; i < n * count; i++)
        memcpy(packed + (size_t)i * size, (const char *)buffer + (size_t)i * STEP + first, size);
    return world.pack_fails ? cw_fail(CW_EIO, "it cannot be packed") : 0;
}

int nbc_type_unpack(const char *packed, void *buffer, int n, nbc_count count, MPI_Datatype type)
{
    world.unpacked = n;
    const size_t first = type == SPREAD ? FIRST : 0, size = type == SPREAD ? SIZE : 4;
    for (nbc_count i = 0; i < n * count; i++)
        memcpy((char *)buffer + (size_t)i * STEP + first, packed + (size_t)i * size, size);
    return 0;
}

/* A digit behind the others: who comes first is seen. */
int NBC_COUNTED(PMPI_Reduce_local)(const void *in, void *inout, nbc_count count, MPI_Datatype type, MPI_Op op)
{
    assert_true(count == COUNT && type == SPREAD && op == USER_OP);
    assert_true(((uintptr_t)in + FIRST) % 16 == 0 && ((uintptr_t)inout + FIRST) % 16 == 0);
    world.reductions++;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < SIZE; j++) {
            const size_t at = i * STEP + FIRST + j;
            ((char *)inout)[at] = (char)(10 * ((char *)inout)[at] + ((const char *)in)[at]);
        }
    return world.reduce_fails ? MPI_ERR_OP : MPI_SUCCESS;
}

bool nbc_device_has(const void *buffer)
{
    return (const char *)buffer >= device && (const char *)buffer < device + ROOM;
}

int cw_nbc_room(const struct cw_nbc_node *of, const struct cw_nbc_work *work, uint32_t n, uint32_t me, uint64_t *bytes)
{
    assert_true((const char *)of == &node && work->chunk == CW_NBC_CHUNK && n == N && me < N);
    *bytes = world.room;
    return world.room_fails;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static struct cw_nbc_work work;
static struct cw_nbc_part part;
static struct nbc_buffers buffers;

static int begin_world(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    nbc_job.node = (struct cw_nbc_node *)&node;
    for (int i = 0; i < ROOM; i++) {
        given[i] = (char)(i + 1);
        taken[i] = (char)(-i - 1);
        device[i] = (char)(i + 1);
    }
    return 0;
}

static struct cw_nbc_call call_of(enum cw_collective_kind collective, MPI_Datatype type)
{
    return nbc_call(collective, collective == CW_COLLECTIVE_BCAST ? NULL : given, COUNT, type, taken, COUNT, type,
                    MPI_SUM, ME, MPI_COMM_WORLD);
}

static int prepare(const struct cw_nbc_call *call, int me, bool gathered)
{
    const struct nbc_decision decided = {
        .bytes = 8,
        .gathered = gathered,
        .sharing = {.schedule = CW_NBC_SPLIT_TREE, .fraction = 0.5, .radix = 4, .steps = 2}};
    return nbc_buffers_prepare(call, N, me, &decided, &work, &part, &buffers);
}

/* Whether an address is that of a byte of the program. */
static bool is(uint64_t address, const char *buffer)
{
    return address == (uint64_t)(uintptr_t)buffer;
}

static void work_is_described(void **state)
{
    (void)state;
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE, MPI_INT);
    assert_int_equal(prepare(&call, 0, false), 0);
    assert_true(work.collective == CW_COLLECTIVE_ALLREDUCE && work.root == ME && work.bytes == 8);
    assert_true(work.chunk == CW_NBC_CHUNK && work.type == CW_NBC_INT32 && work.op == CW_NBC_SUM);
    assert_true(work.schedule == CW_NBC_SPLIT_TREE && work.fraction == 0.5 && work.radix == 4 && work.steps == 2);
    assert_true(!buffers.gathered && !buffers.room && part.room == 0);
    nbc_buffers_free(&buffers);
    call = call_of(CW_COLLECTIVE_ALLGATHER, MPI_INT);
    assert_int_equal(prepare(&call, 0, false), 0);
    assert_true(work.type == CW_NBC_TYPES && work.op == CW_NBC_OPS);
    nbc_buffers_free(&buffers);
    world.room = 40;
    assert_int_equal(prepare(&call, 0, false), 0);
    assert_true(world.last == 40 && is(part.room, buffers.room) && buffers.room);
    nbc_buffers_free(&buffers);
    world.room_fails = CW_ENOMEM;
    assert_int_equal(prepare(&call, 0, false), CW_ENOMEM);
}

/* Dense memory is used as it is. NULL: this rank has none. */
static void dense_memory_is_used(void **state)
{
    static const struct {
        enum cw_collective_kind collective;
        int me, in_place; /* 1: what is given, 2: what is taken */
        const char *send, *recv;
        bool is_in_place;
    } cases[] = {{CW_COLLECTIVE_BCAST, ME, 0, taken, NULL, false},
                 {CW_COLLECTIVE_BCAST, 0, 0, NULL, taken, false},
                 {CW_COLLECTIVE_REDUCE, ME, 0, given, taken, false},
                 {CW_COLLECTIVE_REDUCE, 0, 0, given, NULL, false},
                 {CW_COLLECTIVE_REDUCE, ME, 1, taken, taken, true},
                 {CW_COLLECTIVE_ALLREDUCE, 0, 1, taken, taken, true},
                 {CW_COLLECTIVE_SCATTER, ME, 0, given, taken, false},
                 {CW_COLLECTIVE_SCATTER, 0, 0, NULL, taken, false},
                 {CW_COLLECTIVE_SCATTER, ME, 2, given, NULL, true},
                 {CW_COLLECTIVE_GATHER, ME, 0, given, taken, false},
                 {CW_COLLECTIVE_GATHER, 0, 0, given, NULL, false},
                 {CW_COLLECTIVE_GATHER, ME, 1, NULL, taken, true},
                 {CW_COLLECTIVE_ALLGATHER, 2, 0, given, taken, false},
                 {CW_COLLECTIVE_ALLGATHER, 2, 1, taken + 2 * COUNT * STEP, taken, true},
                 {CW_COLLECTIVE_ALLTOALL, 2, 0, given, taken, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_nbc_call call = call_of(cases[i].collective, MPI_INT);
        if (cases[i].in_place == 1) call.send = MPI_IN_PLACE;
        if (cases[i].in_place == 2) call.recv = MPI_IN_PLACE;
        assert_int_equal(prepare(&call, cases[i].me, false), 0);
        if (!is(part.send, cases[i].send) || !is(part.recv, cases[i].recv) || part.in_place != cases[i].is_in_place)
            fail_msg("case %zu", i);
        assert_true(!buffers.sent && !buffers.received);
        assert_int_equal(nbc_buffers_finish(&call, N, cases[i].me, &buffers), 0);
        nbc_buffers_free(&buffers);
    }
    assert_int_equal(world.allocations, 0);
}

/* The bytes of N_BLOCKS blocks of spread elements from AT on, one behind the other. */
static void pack(const char *at, int n_blocks, char *packed)
{
    nbc_type_pack(at, n_blocks, COUNT, SPREAD, packed);
}

static void spread_memory_is_packed(void **state)
{
    static const struct {
        enum cw_collective_kind collective;
        int me, sent, received; /* blocks that go through memory of ours */
    } cases[] = {{CW_COLLECTIVE_BCAST, ME, 1, 0},    {CW_COLLECTIVE_BCAST, 0, 0, 1},
                 {CW_COLLECTIVE_SCATTER, ME, N, 1},  {CW_COLLECTIVE_SCATTER, 0, 0, 1},
                 {CW_COLLECTIVE_GATHER, ME, 1, N},   {CW_COLLECTIVE_GATHER, 0, 1, 0},
                 {CW_COLLECTIVE_ALLGATHER, 0, 1, N}, {CW_COLLECTIVE_ALLTOALL, 0, N, N}};
    char expected[N * COUNT * SIZE], before[ROOM];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t sent = (size_t)cases[i].sent * COUNT * SIZE, received = (size_t)cases[i].received * COUNT * SIZE;
        const struct cw_nbc_call call = call_of(cases[i].collective, SPREAD);
        begin_world(NULL);
        assert_int_equal(prepare(&call, cases[i].me, false), 0);
        assert_int_equal(buffers.sent != NULL, sent > 0);
        assert_int_equal(buffers.received != NULL, received > 0);
        assert_int_equal(world.last, received > 0 ? received : sent);
        if (sent > 0) {
            pack(call.send ? given : taken, cases[i].sent, expected);
            assert_memory_equal(buffers.sent, expected, sent);
            assert_true(is(part.send, buffers.sent));
        }
        assert_true(received == 0 || is(part.recv, buffers.received));
        for (size_t k = 0; k < received; k++) buffers.received[k] = (char)(100 + k);
        memcpy(before, taken, ROOM);
        assert_int_equal(nbc_buffers_finish(&call, N, cases[i].me, &buffers), 0);
        if (received > 0) nbc_type_unpack(buffers.received, before, cases[i].received, COUNT, SPREAD);
        assert_memory_equal(taken, before, ROOM);
        nbc_buffers_free(&buffers);
    }
}

/* A rank's own block, which is in place already. */
static void blocks_in_place(void **state)
{
    char expected[N * COUNT * SIZE], before[ROOM];
    (void)state;
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_GATHER, SPREAD); /* the root's stays as it is */
    call.send = MPI_IN_PLACE;
    assert_int_equal(prepare(&call, ME, false), 0);
    assert_true(part.in_place && part.send == 0 && !buffers.sent && buffers.received);
    memset(buffers.received, 9, N * COUNT * SIZE);
    memcpy(before, taken, ROOM);
    assert_int_equal(nbc_buffers_finish(&call, N, ME, &buffers), 0);
    memset(expected, 9, sizeof expected);
    for (int block = 0; block < N; block++)
        if (block != ME) nbc_type_unpack(expected, before + block * COUNT * STEP, 1, COUNT, SPREAD);
    assert_memory_equal(taken, before, ROOM);
    nbc_buffers_free(&buffers);

    call = call_of(CW_COLLECTIVE_ALLGATHER, SPREAD); /* goes through the buffer with the others' */
    call.send = MPI_IN_PLACE;
    assert_int_equal(prepare(&call, 2, false), 0);
    pack(taken + 2 * COUNT * STEP, 1, expected);
    assert_memory_equal(buffers.sent, expected, COUNT * SIZE);
    assert_true(!part.in_place && is(part.recv, buffers.received));
    nbc_buffers_free(&buffers);

    call = call_of(CW_COLLECTIVE_ALLTOALL, MPI_INT); /* would be overwritten */
    call.send = MPI_IN_PLACE;
    assert_int_equal(prepare(&call, 0, false), 0);
    assert_memory_equal(buffers.sent, taken, N * COUNT * 4);
    assert_true(part.in_place && is(part.send, buffers.sent) && is(part.recv, taken));
    nbc_buffers_free(&buffers);

    call = call_of(CW_COLLECTIVE_ALLTOALL, SPREAD); /* all blocks are taken from ours */
    call.send = MPI_IN_PLACE;
    begin_world(NULL);
    assert_int_equal(prepare(&call, ME, false), 0);
    memset(buffers.received, 9, N * COUNT * SIZE);
    memcpy(before, taken, ROOM);
    memset(expected, 9, sizeof expected);
    nbc_type_unpack(expected, before, N, COUNT, SPREAD);
    assert_int_equal(nbc_buffers_finish(&call, N, ME, &buffers), 0);
    assert_memory_equal(taken, before, ROOM);
    nbc_buffers_free(&buffers);
}

/* Only MPI reaches memory of a device: it is packed, however it lies. */
static void devices_are_packed(void **state)
{
    (void)state;
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLGATHER, MPI_INT);
    call.send = device;
    assert_int_equal(prepare(&call, 0, false), 0);
    assert_memory_equal(buffers.sent, device, COUNT * 4);
    assert_true(!buffers.received && is(part.recv, taken));
    nbc_buffers_free(&buffers);
    call.send = given;
    call.recv = device;
    assert_int_equal(prepare(&call, 0, false), 0);
    assert_true(!buffers.sent && buffers.received && is(part.send, given));
    nbc_buffers_free(&buffers);
}

/* Reductions that ranks apply: a gather of what all have, as it lies, and then in the order of ranks. */
static void reductions_of_ranks(void **state)
{
    (void)state;
    for (int to_all = 0; to_all < 2; to_all++)
        for (int me = 0; me < 2; me++) {
            const uint64_t span = STEP + SIZE;
            const bool takes = to_all || me == ME;
            struct cw_nbc_call call = call_of(to_all ? CW_COLLECTIVE_ALLREDUCE : CW_COLLECTIVE_REDUCE, SPREAD);
            call.op = USER_OP;
            begin_world(NULL);
            assert_int_equal(prepare(&call, me, true), 0);
            assert_int_equal(work.collective, to_all ? CW_COLLECTIVE_ALLGATHER : CW_COLLECTIVE_GATHER);
            assert_true(work.bytes == span && is(part.send, given + FIRST) && buffers.gathered && !buffers.sent);
            assert_true(takes ? buffers.received && is(part.recv, buffers.received) && world.last == N * span
                              : !buffers.received && part.recv == 0);
            for (uint64_t i = 0; takes && i < N * span; i++) buffers.received[i] = (char)(i / span + 1);
            assert_int_equal(nbc_buffers_finish(&call, N, me, &buffers), 0);
            assert_int_equal(world.reductions, takes ? N - 1 : 0);
            assert_true(world.packed == takes && world.unpacked == takes);
            for (int i = 0; i < ROOM; i++) { /* 1 op (2 op 3), and nothing between elements */
                const bool in = takes && i < COUNT * STEP && (i % STEP == FIRST || i % STEP == FIRST + 1);
                assert_int_equal(taken[i], in ? (char)321 : (char)(-i - 1));
            }
            nbc_buffers_free(&buffers);
        }
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE, SPREAD);
    call.op = USER_OP;
    call.send = device;
    assert_int_equal(prepare(&call, 0, true), 0); /* a copy of it, as it lies */
    assert_true(world.packed == 1 && world.unpacked == 1);
    assert_true(is(part.send, buffers.sent) && memcmp(buffers.sent, device + FIRST, SIZE) == 0);
    assert_memory_equal(buffers.sent + STEP, device + STEP + FIRST, SIZE);
    world.reduce_fails = 1;
    assert_int_equal(nbc_buffers_finish(&call, N, 0, &buffers), CW_EIO);
    assert_string_equal(cw_error_message(), "MPI could not apply the operation of a reduction");
    world.reduce_fails = 0;
    world.pack_fails = 1;
    assert_int_equal(nbc_buffers_finish(&call, N, 0, &buffers), CW_EIO);
    assert_string_equal(cw_error_message(), "it cannot be packed");
    nbc_buffers_free(&buffers);
    assert_int_equal(prepare(&call, 0, true), CW_EIO);
    call = call_of(CW_COLLECTIVE_ALLGATHER, SPREAD);
    assert_int_equal(prepare(&call, 0, false), CW_EIO);
}

/* Whichever memory is out, it is said, and the rest is given back. */
static void memory_that_is_out(void **state)
{
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLTOALL, SPREAD);
    (void)state;
    world.room = 8;
    for (int at = 1; at <= 4; at++) { /* of what is sent, what is received, what is passed on; no other */
        world.allocations = 0;
        world.starved_at = at;
        assert_int_equal(prepare(&call, 0, false), at < 4 ? CW_ENOMEM : 0);
    }
    nbc_buffers_free(&buffers);
    call = call_of(CW_COLLECTIVE_ALLREDUCE, SPREAD);
    call.op = USER_OP;
    call.send = device;
    for (int at = 1; at <= 5; at++) { /* of a copy, another, what all give, what is passed on; no other */
        world.allocations = 0;
        world.starved_at = at;
        assert_int_equal(prepare(&call, 0, true), at < 5 ? CW_ENOMEM : 0);
    }
    for (int at = 1; at <= 4; at++) { /* of two vectors, and what is packed */
        world.allocations = 0;
        world.starved_at = at;
        assert_int_equal(nbc_buffers_finish(&call, N, 0, &buffers), at < 4 ? CW_ENOMEM : 0);
    }
    nbc_buffers_free(&buffers);
}

static void what_is_known_of_a_call(void **state)
{
    (void)state;
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE, MPI_INT);
    assert_true(!nbc_is_gathered(&call) && nbc_is_exact(&call) && nbc_span_bytes(&call) == COUNT * 4);
    call.op = USER_OP;
    assert_true(nbc_is_gathered(&call) && !nbc_is_exact(&call));
    call = call_of(CW_COLLECTIVE_ALLREDUCE, SPREAD);
    assert_true(nbc_is_gathered(&call) && !nbc_is_exact(&call) && nbc_span_bytes(&call) == STEP + SIZE);
    call = call_of(CW_COLLECTIVE_ALLREDUCE, MPI_DOUBLE);
    assert_true(!nbc_is_gathered(&call) && !nbc_is_exact(&call));
    call = call_of(CW_COLLECTIVE_GATHER, SPREAD);
    assert_true(!nbc_is_gathered(&call) && nbc_is_exact(&call));
    call.send_count = 5;
    assert_true(nbc_message_bytes(&call, ME) == COUNT * SIZE && nbc_message_bytes(&call, 0) == 5 * SIZE);
    call.collective = CW_COLLECTIVE_SCATTER;
    assert_true(nbc_message_bytes(&call, ME) == 5 * SIZE && nbc_message_bytes(&call, 0) == COUNT * SIZE);
    call.collective = CW_COLLECTIVE_ALLGATHER;
    assert_true(nbc_message_bytes(&call, ME) == COUNT * SIZE && nbc_message_bytes(&call, 0) == COUNT * SIZE);
}

#define CASE(NAME) cmocka_unit_test_setup(NAME, begin_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(work_is_described),  CASE(dense_memory_is_used),    CASE(spread_memory_is_packed),
        CASE(blocks_in_place),    CASE(devices_are_packed),      CASE(reductions_of_ranks),
        CASE(memory_that_is_out), CASE(what_is_known_of_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
