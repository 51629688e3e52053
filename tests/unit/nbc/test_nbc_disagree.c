/* Ranks that do not ask for the same: what is the same; and that nothing moves, and all hear of it, whoever comes
 * first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_segment_internal.h"

#define BYTES 5000

static const struct cw_nbc_asked plain = {.bytes = {BYTES, BYTES},
                                          .collective = CW_COLLECTIVE_BCAST,
                                          .op = CW_NBC_OP_UNSAID,
                                          .basic = {CW_NBC_SIGNED << 3 | 2, CW_NBC_SIGNED << 3 | 2}};

static struct cw_nbc_asked with_basic(cw_nbc_basic basic)
{
    struct cw_nbc_asked asked = plain;
    asked.basic[0] = asked.basic[1] = basic;
    return asked;
}

static void test_basic_types(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes <= 32; bytes *= 2) {
        const cw_nbc_basic basic = cw_nbc_basic_of(CW_NBC_COMPLEX, bytes);
        assert_int_equal(cw_nbc_basic_kind(basic), CW_NBC_COMPLEX);
        assert_int_equal(cw_nbc_basic_bytes(basic), bytes);
    }
    assert_int_equal(cw_nbc_basic_of(CW_NBC_SIGNED, 4), plain.basic[0]);
    static const uint64_t bytes[] = {0, 1, 2, 3, 4, 5, 12, 16, 64, 65, 128, 129, 1 << 20};
    static const uint64_t rounded[] = {1, 1, 2, 4, 4, 8, 16, 16, 64, 128, 128, 128, 128};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int kind = CW_NBC_ANY; kind <= CW_NBC_TEXT; kind++) {
            const cw_nbc_basic basic = cw_nbc_basic_of((enum cw_nbc_kind)kind, bytes[i]);
            assert_int_equal(cw_nbc_basic_kind(basic), kind);
            assert_int_equal(cw_nbc_basic_bytes(basic), rounded[i]);
        }
}

/* Each difference, and that it is one in both directions. */
static void test_compare(void **state)
{
    (void)state;
    struct cw_nbc_asked others[8];
    for (int i = 0; i < 8; i++) others[i] = plain;
    others[0].collective = CW_COLLECTIVE_SCATTER;
    others[1].root = 1;
    others[2].bytes[0] = others[2].bytes[1] = BYTES - 4;
    others[3] = with_basic(cw_nbc_basic_of(CW_NBC_UNSIGNED, 4));
    others[4] = with_basic(cw_nbc_basic_of(CW_NBC_BYTES, 1));
    others[5] = with_basic(cw_nbc_basic_of(CW_NBC_MIXED, 0));
    others[6].refused = 1;
    others[7].bytes[1] = BYTES + 4;
    const enum cw_nbc_clash expected[8] = {CW_NBC_OTHER_COLLECTIVE, CW_NBC_OTHER_ROOT, CW_NBC_OTHER_BYTES,
                                           CW_NBC_OTHER_TYPE,       CW_NBC_OTHER_TYPE, CW_NBC_OTHER_TYPE,
                                           CW_NBC_OTHER_SIDE,       CW_NBC_OTHER_BYTES};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(cw_nbc_asked_compare(&plain, &others[i]), expected[i]);
        assert_int_equal(cw_nbc_asked_compare(&others[i], &plain), expected[i]);
    }
    assert_int_equal(cw_nbc_asked_compare(&others[7], &others[7]), CW_NBC_OTHER_BYTES); /* gives less than it takes */
    const struct cw_nbc_asked packed = with_basic(cw_nbc_basic_of(CW_NBC_ANY, 0));
    assert_int_equal(cw_nbc_asked_compare(&plain, &packed), CW_NBC_AGREE);
    assert_int_equal(cw_nbc_asked_compare(&plain, &plain), CW_NBC_AGREE);
    struct cw_nbc_asked none = others[4], no_number = plain; /* of nothing any type is right */
    none.bytes[0] = none.bytes[1] = no_number.bytes[0] = no_number.bytes[1] = 0;
    assert_int_equal(cw_nbc_asked_compare(&none, &no_number), CW_NBC_AGREE);
}

/* A negative count is no other length: MPI has refused it. */
static void test_no_length(void **state)
{
    (void)state;
    struct cw_nbc_asked other = plain;
    char text[CW_NBC_ASKED_SIZE];
    other.bytes[0] = other.bytes[1] = UINT64_MAX;
    other.refused = 1;
    other.rank = 1;
    assert_int_equal(cw_nbc_asked_compare(&plain, &other), CW_NBC_OTHER_SIDE);
    assert_int_equal(cw_nbc_asked_compare(&other, &plain), CW_NBC_OTHER_SIDE);
    assert_string_equal(cw_nbc_asked_format(&other, text),
                        "rank 1 calls bcast of no valid length from rank 0, which MPI refuses");
    const struct cw_nbc_clash_note note = {CW_NBC_OTHER_SIDE, false, plain, other};
    assert_int_equal(cw_nbc_fail_of_clash(&note), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "ranks call one collective, but MPI refuses the call of one: rank 0"));
}

static void test_operations(void **state)
{
    (void)state;
    struct cw_nbc_asked sum = plain, max = plain, own = plain;
    sum.collective = max.collective = own.collective = CW_COLLECTIVE_ALLREDUCE;
    sum.op = CW_NBC_SUM;
    max.op = CW_NBC_MAX;
    assert_int_equal(cw_nbc_asked_compare(&sum, &max), CW_NBC_OTHER_OP);
    assert_int_equal(cw_nbc_asked_compare(&sum, &own), CW_NBC_AGREE); /* unsaid */
    own.op = CW_NBC_OP_OWN;
    assert_int_equal(cw_nbc_asked_compare(&sum, &own), CW_NBC_OTHER_OP);
}

static void test_messages(void **state)
{
    (void)state;
    struct cw_nbc_clash_note note = {CW_NBC_OTHER_BYTES, false, plain, plain};
    note.b.rank = 3;
    note.b.bytes[0] = note.b.bytes[1] = 20;
    assert_int_equal(cw_nbc_fail_of_clash(&note), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "ranks call one collective with different lengths: rank 0 calls bcast of 5000 "
                        "bytes (int32) from rank 0, rank 3 calls bcast of 20 bytes (int32) from rank 0");
    note.left = true;
    cw_nbc_fail_of_clash(&note);
    assert_non_null(strstr(cw_error_message(), "20 bytes (int32) from rank 0, which is left to MPI"));
    note.b.collective = CW_COLLECTIVES;
    cw_nbc_fail_of_clash(&note);
    assert_non_null(strstr(cw_error_message(), "rank 3 has gone on with other calls"));
    struct cw_nbc_asked block = plain;
    char text[CW_NBC_ASKED_SIZE];
    block.collective = CW_COLLECTIVE_GATHER;
    block.root = 2;
    block.bytes[1] = 7;
    assert_string_equal(cw_nbc_asked_format(&block, text),
                        "rank 0 calls gather to rank 2 that sends blocks of 5000 bytes "
                        "(int32) and receives blocks of 7 bytes (int32)");
}

/* What is said of each kind of type, operation and collective. */
static void test_words(void **state)
{
    (void)state;
    static const char *const kinds[] = {"800 bytes",
                                        "800 bytes (mixed types)",
                                        "800 bytes",
                                        "800 bytes (int64)",
                                        "800 bytes (unsigned64)",
                                        "800 bytes (float64)",
                                        "800 bytes (complex64)",
                                        "800 bytes (logical64)",
                                        "800 bytes (characters)"};
    static const char *const ops[] = {"MPI_SUM", "MPI_PROD", "MPI_MIN",  "MPI_MAX", "MPI_LAND",
                                      "MPI_LOR", "MPI_LXOR", "MPI_BAND", "MPI_BOR", "MPI_BXOR"};
    static const char *const collectives[CW_COLLECTIVES] = {
        [CW_COLLECTIVE_BCAST] = "bcast of 800 bytes from rank 5",
        [CW_COLLECTIVE_REDUCE] = "reduce of 800 bytes to rank 5 by another operation",
        [CW_COLLECTIVE_ALLREDUCE] = "allreduce of 800 bytes by another operation",
        [CW_COLLECTIVE_SCATTER] = "scatter of blocks of 800 bytes from rank 5",
        [CW_COLLECTIVE_GATHER] = "gather of blocks of 800 bytes to rank 5",
        [CW_COLLECTIVE_ALLGATHER] = "allgather of blocks of 800 bytes",
        [CW_COLLECTIVE_ALLTOALL] = "alltoall of blocks of 800 bytes"};
    struct cw_nbc_asked asked = {.bytes = {800, 800}, .rank = 9, .root = 5, .op = CW_NBC_OP_OWN};
    char text[CW_NBC_ASKED_SIZE], expected[CW_NBC_ASKED_SIZE];
    for (int collective = 0; collective < CW_COLLECTIVES; collective++) {
        asked.collective = (uint8_t)collective;
        snprintf(expected, sizeof expected, "rank 9 calls %s", collectives[collective]);
        if (collectives[collective]) assert_string_equal(cw_nbc_asked_format(&asked, text), expected);
    }
    asked.collective = CW_COLLECTIVE_ALLREDUCE;
    for (uint8_t op = 0; op < CW_NBC_OPS; op++) {
        asked.op = op;
        snprintf(expected, sizeof expected, "rank 9 calls allreduce of 800 bytes by %s", ops[op]);
        assert_string_equal(cw_nbc_asked_format(&asked, text), expected);
    }
    asked.op = CW_NBC_OP_UNSAID;
    for (int kind = CW_NBC_ANY; kind <= CW_NBC_TEXT; kind++) {
        asked.basic[0] = asked.basic[1] = cw_nbc_basic_of((enum cw_nbc_kind)kind, 8);
        snprintf(expected, sizeof expected, "rank 9 calls allreduce of %s", kinds[kind]);
        assert_string_equal(cw_nbc_asked_format(&asked, text), expected);
    }
    asked.collective = CW_COLLECTIVE_ALLTOALL;
    asked.basic[1] = cw_nbc_basic_of(CW_NBC_BYTES, 1);
    assert_string_equal(cw_nbc_asked_format(&asked, text), "rank 9 calls alltoall that sends blocks of 800 bytes "
                                                           "(characters) and receives blocks of 800 bytes");
    asked.collective = CW_COLLECTIVES;
    assert_string_equal(cw_nbc_asked_format(&asked, text), "rank 9 has gone on with other calls");
    asked.collective = CW_NBC_OTHERS + CW_NBC_CALLS_Bcast;
    assert_string_equal(cw_nbc_asked_format(&asked, text), "rank 9 calls MPI_Bcast");
    asked.collective = CW_NBC_OTHERS + CW_NBC_CALLS_Ineighbor_alltoallw;
    assert_string_equal(cw_nbc_asked_format(&asked, text), "rank 9 calls MPI_Ineighbor_alltoallw");
    asked.collective = CW_NBC_OTHERS + CW_NBC_CALLS_Ibarrier;
    assert_string_equal(cw_nbc_asked_format(&asked, text), "rank 9 calls MPI_Ibarrier");
}

/* In what they differ, whoever came first; one rank alone may err, too. */
static void test_notes(void **state)
{
    (void)state;
    static const char *const differ[] = {
        [CW_NBC_OTHER_COLLECTIVE] = "ranks call different collectives: rank 1",
        [CW_NBC_OTHER_ROOT] = "ranks call one collective with different roots: rank 1",
        [CW_NBC_OTHER_BYTES] = "ranks call one collective with different lengths: rank 1",
        [CW_NBC_OTHER_TYPE] = "ranks call one collective with different types: rank 1",
        [CW_NBC_OTHER_OP] = "ranks call one collective with different operations: rank 1",
        [CW_NBC_OTHER_SIDE] = "ranks call one collective in different ways, one of which only MPI knows: rank 1"};
    for (int clash = CW_NBC_OTHER_COLLECTIVE; clash <= CW_NBC_OTHER_SIDE; clash++)
        for (int turned = 0; turned < 2; turned++) {
            struct cw_nbc_clash_note note = {(enum cw_nbc_clash)clash, false, plain, plain};
            note.a.rank = turned ? 2 : 1;
            note.b.rank = turned ? 1 : 2;
            assert_int_equal(cw_nbc_fail_of_clash(&note), CW_EUSAGE);
            assert_int_equal(strncmp(cw_error_message(), differ[clash], strlen(differ[clash])), 0);
            static const char last[] = ", rank 2 calls bcast of 5000 bytes (int32) from rank 0";
            const size_t length = strlen(cw_error_message());
            assert_true(length > sizeof last);
            assert_string_equal(cw_error_message() + length + 1 - sizeof last, last);
        }
    struct cw_nbc_clash_note note = {CW_NBC_OTHER_SIDE, true, plain, plain};
    note.a.rank = 2; /* who waits is named first */
    note.b.refused = 1;
    cw_nbc_fail_of_clash(&note);
    assert_string_equal(cw_error_message(), "ranks call one collective, but MPI refuses the call of one: rank 2 calls "
                                            "bcast of 5000 bytes (int32) from rank 0, rank 0 calls bcast of 5000 bytes "
                                            "(int32) from rank 0, which MPI refuses");
    note = (struct cw_nbc_clash_note){CW_NBC_OTHER_BYTES, false, plain, plain};
    cw_nbc_fail_of_clash(&note);
    assert_string_equal(cw_error_message(), "rank 0 calls bcast of 5000 bytes (int32) from rank 0");
}

/* A call without a length that MPI has refused is another one whatever it says, in either block. */
static void test_either_length(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct cw_nbc_asked other = plain;
        other.bytes[which] = UINT64_MAX;
        assert_int_equal(cw_nbc_asked_compare(&plain, &other), CW_NBC_OTHER_BYTES); /* not refused */
        other.refused = 1;
        assert_int_equal(cw_nbc_asked_compare(&plain, &other), CW_NBC_OTHER_SIDE);
        assert_int_equal(cw_nbc_asked_compare(&other, &plain), CW_NBC_OTHER_SIDE);
        for (int side = 0; side < 2; side++) { /* given here is what is taken there */
            struct cw_nbc_asked one = plain, two = plain;
            one.bytes[which]++;
            assert_int_equal(cw_nbc_asked_compare(side ? &one : &two, side ? &two : &one), CW_NBC_OTHER_BYTES);
            one = plain;
            one.basic[which] = cw_nbc_basic_of(CW_NBC_REAL, 4);
            assert_int_equal(cw_nbc_asked_compare(side ? &one : &two, side ? &two : &one), CW_NBC_OTHER_TYPE);
        }
    }
    struct cw_nbc_asked sum = plain, max = plain; /* a broadcast has no operation */
    sum.op = CW_NBC_SUM;
    max.op = CW_NBC_MAX;
    assert_int_equal(cw_nbc_asked_compare(&sum, &max), CW_NBC_AGREE);
}

/* --- three ranks -------------------------------------------------------------------------------------------------- */

static struct cw_nbc_node *node;
static uint32_t comm;
static char data[3][BYTES];

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(cw_nbc_node_new(3, 1, &node), 0);
    for (uint32_t i = 0; i < 3; i++) cw_nbc_node_join(node, i);
    for (char i = 0; i < 3; i++) memset(data[(int)i], 1 + i, BYTES);
    return cw_nbc_comm_join(node, 7, 3, (uint32_t[]){0, 1, 2}, &comm);
}

static int tear_down(void **state)
{
    (void)state;
    cw_nbc_node_free(node);
    return 0;
}

static void post(uint32_t rank, uint64_t number, uint64_t index, uint64_t bytes)
{
    const struct cw_nbc_work work = {.collective = CW_COLLECTIVE_BCAST, .bytes = bytes, .chunk = 1000};
    struct cw_nbc_part part = {.send = (uint64_t)(uintptr_t)data[rank],
                               .recv = (uint64_t)(uintptr_t)data[rank],
                               .index = index,
                               .asked = plain};
    bool posted;
    part.asked.bytes[0] = part.asked.bytes[1] = bytes;
    part.asked.rank = rank;
    cw_nbc_say_begun(cw_nbc_said_of(node, comm, rank), index, number);
    cw_nbc_post(node, comm, rank, number, &work, &part, &posted);
    assert_true(posted);
}

static void leave(uint32_t rank, uint64_t index, uint64_t bytes)
{
    struct cw_nbc_said *said = cw_nbc_said_of(node, comm, rank);
    *cw_nbc_place_left(said, index) = plain;
    cw_nbc_place_left(said, index)->rank = rank;
    cw_nbc_place_left(said, index)->bytes[0] = cw_nbc_place_left(said, index)->bytes[1] = bytes;
    cw_nbc_say_left(said, index);
}

/* 0: not done; 1: done; -1: it failed, since ranks did not ask for the same. */
static int end_of(uint32_t rank, uint64_t number)
{
    bool done;
    const int rc = cw_nbc_poll(node, comm, rank, number, &done);
    assert_true(rc == 0 || rc == CW_EUSAGE);
    assert_true(done || rc == 0);
    return rc ? -1 : done;
}

static bool serve(void)
{
    const struct cw_nbc_executor worker = {node, 0, cw_nbc_worker_buffers(node, 0)};
    bool any = false;
    for (uint64_t slot = 0; slot < CW_NBC_RING; slot++)
        while (cw_nbc_serve(&worker, comm, slot)) any = true;
    return any;
}

static void test_nothing_moves(void **state)
{
    (void)state;
    post(0, 0, 0, BYTES);
    post(2, 0, 0, BYTES);
    assert_false(serve()); /* rank 1 may ask for something else */
    post(1, 0, 0, BYTES - 1000);
    assert_false(serve());
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(end_of(rank, 0), -1);
    assert_non_null(strstr(cw_error_message(), "rank 0 calls bcast of 5000"));
    assert_non_null(strstr(cw_error_message(), "rank 1 calls bcast of 4000"));
    for (int rank = 0; rank < 3; rank++)
        for (int i = 0; i < BYTES; i++) assert_int_equal(data[rank][i], 1 + rank);
    for (uint32_t rank = 0; rank < 3; rank++) post(rank, 1, 1, BYTES); /* the next one is none the worse */
    assert_true(serve());
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(end_of(rank, 1), 1);
    assert_int_equal(data[2][BYTES - 1], 1);
}

/* Those who are there hear at once. */
static void test_first_two(void **state)
{
    (void)state;
    post(1, 0, 0, BYTES - 1);
    post(2, 0, 0, BYTES);
    assert_int_equal(end_of(1, 0), -1);
    assert_int_equal(end_of(2, 0), -1);
    post(0, 0, 0, BYTES);
    assert_int_equal(end_of(0, 0), -1);
    for (uint64_t number = 1; number <= CW_NBC_RING; number++) /* the slot is free again */
        for (uint32_t rank = 0; rank < 3; rank++) {
            post(rank, number, number, 0);
            serve();
        }
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(end_of(rank, CW_NBC_RING), 1);
}

static void check_left(bool left_first)
{
    struct cw_nbc_asked asked;
    leave(0, 0, 8); /* all leave the first call to MPI, … */
    leave(1, 0, 8);
    leave(2, 0, 8);
    if (left_first) leave(1, 1, 40); /* … and one the second */
    post(0, 0, 1, BYTES);
    cw_nbc_watch(node, comm, 0, 0);
    if (!left_first) {
        assert_int_equal(end_of(0, 0), 0);
        assert_int_equal(*cw_nbc_broken(node, comm), 0);
        leave(1, 1, 40);
        cw_nbc_watch(node, comm, 0, 0);
    }
    assert_int_equal(end_of(0, 0), -1);
    assert_non_null(
        strstr(cw_error_message(), "rank 1 calls bcast of 40 bytes (int32) from rank 0, which is left to MPI"));
    assert_int_equal(*cw_nbc_broken(node, comm), 2);
    assert_int_equal(*cw_nbc_alarm(node, 1), 1);
    assert_int_equal(*cw_nbc_alarm(node, 0), 0);
    assert_int_equal(*cw_nbc_alarm(node, 2), 0);
    assert_true(cw_nbc_left_call(node, comm, 0, 1, &asked));
    assert_int_equal(asked.bytes[0], 40);
    post(2, 0, 1, BYTES);
    assert_int_equal(end_of(2, 0), -1);
    post(0, 1, 2, BYTES); /* the communicator is broken */
    cw_nbc_watch(node, comm, 0, 1);
    assert_int_equal(end_of(0, 1), -1);
}

static void test_left_first(void **state)
{
    (void)state;
    check_left(true);
}

static void test_left_last(void **state)
{
    (void)state;
    check_left(false);
}

/* Rank 1 has begun its operation, and had no room for it. */
static void test_not_left(void **state)
{
    (void)state;
    post(0, 0, 0, BYTES);
    cw_nbc_say_begun(cw_nbc_said_of(node, comm, 1), 0, 0);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(end_of(0, 0), 0);
    assert_int_equal(*cw_nbc_broken(node, comm), 0);
}

/* What another host is told that waits for operation NUMBER, the ranks' call INDEX. */
static enum cw_nbc_turn turn(uint64_t key, uint64_t number, uint64_t index, struct cw_nbc_clash_note *note)
{
    *note = (struct cw_nbc_clash_note){.a = plain};
    return cw_nbc_relay_turn(node, key, number, index, note);
}

/* Rank 1 leaves to MPI what ranks of another host wait for. */
static void test_other_host_waits(void **state)
{
    (void)state;
    struct cw_nbc_clash_note note;
    leave(0, 0, 8);
    leave(1, 0, 8);
    leave(2, 0, 8);
    assert_int_equal(turn(7, 0, 1, &note), CW_NBC_TO_COME);
    assert_int_equal(*cw_nbc_broken(node, comm), 0);
    leave(1, 1, 40);
    assert_int_equal(turn(7, 1, 2, &note), CW_NBC_TO_COME); /* that is not what it has left */
    assert_int_equal(turn(7, 0, 1, &note), CW_NBC_LEFT_BY_US);
    assert_int_equal(note.clash, CW_NBC_OTHER_BYTES);
    assert_true(note.left);
    assert_int_equal(note.b.rank, 1);
    assert_int_equal(note.b.bytes[0], 40);
    assert_int_equal(*cw_nbc_broken(node, comm), 2);
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(*cw_nbc_alarm(node, rank), rank == 1);
    *cw_nbc_alarm(node, 1) = 0; /* heard; */
    assert_int_equal(turn(7, 0, 1, &note), CW_NBC_LEFT_BY_US); /* a second host asks */
    assert_int_equal(note.b.bytes[0], 40);
    assert_int_equal(*cw_nbc_alarm(node, 1), 0);
    post(0, 0, 1, BYTES);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(end_of(0, 0), -1); /* it is broken here, too */
}

/* Without a rank that has left it, others only have to wait. */
static void test_other_host_must_wait(void **state)
{
    (void)state;
    struct cw_nbc_clash_note note;
    cw_nbc_say_begun(cw_nbc_said_of(node, comm, 0), 0, 0); /* there was no room yet, for two */
    cw_nbc_say_begun(cw_nbc_said_of(node, comm, 2), 0, 0);
    assert_int_equal(turn(7, 0, 0, &note), CW_NBC_TO_COME);
    cw_nbc_say_begun(cw_nbc_said_of(node, comm, 1), 0, 0);
    assert_int_equal(turn(7, 0, 0, &note), CW_NBC_BEGUN);
    assert_int_equal(turn(7, 1, 1, &note), CW_NBC_TO_COME);
    post(1, 1, 1, BYTES);
    assert_int_equal(turn(7, 1, 1, &note), CW_NBC_BEGUN); /* ranks here find out by themselves */
    assert_int_equal(*cw_nbc_broken(node, comm), 0);
}

/* Nobody has joined the communicator 9. */
static void test_other_host_waits_aside(void **state)
{
    (void)state;
    struct cw_nbc_clash_note note;
    const uint8_t barrier = CW_NBC_OTHERS + CW_NBC_CALLS_Barrier;
    assert_int_equal(turn(9, 0, 2, &note), CW_NBC_TO_COME);
    cw_nbc_say_aside(node, 2, 9, 2, 5, barrier);
    assert_int_equal(turn(9, 0, 2, &note), CW_NBC_TO_COME);
    cw_nbc_say_aside(node, 2, 9, 3, 5, barrier);
    assert_int_equal(turn(9, 0, 2, &note), CW_NBC_LEFT_BY_US);
    assert_int_equal(note.clash, CW_NBC_OTHER_COLLECTIVE);
    assert_int_equal(note.b.rank, 5);
    assert_int_equal(note.b.collective, barrier);
    cw_nbc_say_aside(node, 2, 9, 4, 5, barrier);
    assert_int_equal(turn(9, 0, 2, &note), CW_NBC_LEFT_BY_US); /* by a call that is not known any more */
    assert_int_equal(note.clash, CW_NBC_OTHER_SIDE);
    assert_int_equal(note.b.collective, CW_NBC_UNKNOWN);
}

/* A relay hears from another host: the communicator is broken from that call on. */
static void test_relay_hears(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) leave(rank, 0, 8);
    post(0, 0, 1, BYTES);
    struct cw_nbc_clash_note note = {CW_NBC_OTHER_SIDE, true, plain, plain};
    note.b.rank = 9;
    cw_nbc_relay_fail(node, comm, 0, &note);
    assert_int_equal(end_of(0, 0), -1);
    assert_int_equal(*cw_nbc_broken(node, comm), 2);
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(*cw_nbc_alarm(node, rank), 0);
}

/* Rank 1 has not joined, and calls what is MPI's own. */
static void test_aside(void **state)
{
    (void)state;
    const uint8_t barrier = CW_NBC_OTHERS + CW_NBC_CALLS_Barrier, scan = CW_NBC_OTHERS + CW_NBC_CALLS_Iscan;
    cw_nbc_say_aside(node, 1, 7, 3, 1, barrier); /* the same as the others, its last */
    cw_nbc_say_aside(node, 2, 8, 4, 2, barrier); /* on another communicator */
    post(0, 0, 3, BYTES);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(end_of(0, 0), 0);
    cw_nbc_say_aside(node, 1, 7, 4, 1, scan);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(end_of(0, 0), -1);
    assert_string_equal(cw_error_message(),
                        "ranks call different collectives: rank 0 calls bcast of 5000 bytes (int32) "
                        "from rank 0, rank 1 calls MPI_Iscan, which is left to MPI");
    assert_int_equal(*cw_nbc_broken(node, comm), 4);
    post(2, 0, 3, BYTES);
    assert_int_equal(end_of(2, 0), -1);
}

/* It has gone on since. */
static void test_aside_later(void **state)
{
    (void)state;
    post(0, 0, 3, BYTES);
    cw_nbc_say_aside(node, 1, 7, 5, 1, CW_NBC_OTHERS + CW_NBC_CALLS_Ibarrier);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(end_of(0, 0), -1);
    assert_non_null(strstr(cw_error_message(), "rank 1 has gone on with other calls"));
    assert_null(strstr(cw_error_message(), "left to MPI"));
}

/* A short call and a long one in two orders. */
static void test_order(void **state)
{
    (void)state;
    post(0, 0, 0, BYTES);
    leave(0, 1, 8);
    leave(1, 0, 8);
    post(1, 0, 1, BYTES);
    assert_int_equal(end_of(0, 0), -1);
    assert_int_equal(end_of(1, 0), -1);
    assert_int_equal(*cw_nbc_broken(node, comm), 1);
}

static void test_place_is_new(void **state)
{
    (void)state;
    post(0, 0, 0, BYTES);
    leave(1, 0, 8);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(*cw_nbc_broken(node, comm), 1);
    const uint32_t before = comm;
    for (uint32_t rank = 0; rank < 3; rank++) cw_nbc_comm_leave(node, comm);
    assert_int_equal(cw_nbc_comm_join(node, 7, 3, (uint32_t[]){0, 1, 2}, &comm), 0);
    assert_int_equal(comm, before);
    assert_int_equal(*cw_nbc_broken(node, comm), 0);
    for (uint32_t rank = 0; rank < 3; rank++) post(rank, 0, 0, BYTES);
    assert_true(serve());
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(end_of(rank, 0), 1);
}

/* It is broken from the call on that was left, also for who waits for something else by that very call. */
static void test_broken_from_that_call(void **state)
{
    (void)state;
    post(0, 0, 0, BYTES);
    leave(1, 0, 8);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(*cw_nbc_broken(node, comm), 1);
    for (uint32_t rank = 0; rank < 2; rank++) /* and both go on, without room for it yet */
        cw_nbc_say_begun(cw_nbc_said_of(node, comm, rank), 1, 1);
    post(2, 1, 0, BYTES);
    cw_nbc_watch(node, comm, 2, 1);
    assert_int_equal(end_of(2, 1), -1);
}

/* What all have posted goes on, even where the communicator is broken: nobody waits for anybody. */
static void test_all_are_there(void **state)
{
    (void)state;
    post(0, 0, 0, BYTES);
    leave(1, 0, 8);
    cw_nbc_watch(node, comm, 0, 0);
    assert_int_equal(*cw_nbc_broken(node, comm), 1);
    for (uint32_t rank = 0; rank < 3; rank++) post(rank, 1, 1, BYTES);
    for (uint32_t rank = 0; rank < 3; rank++) cw_nbc_watch(node, comm, rank, 1);
    assert_true(serve());
    for (uint32_t rank = 0; rank < 3; rank++) assert_int_equal(end_of(rank, 1), 1);
}

/* What has been claimed is carried out, and nothing else once one rank has closed it. */
static void test_claims(void **state)
{
    (void)state;
    assert_true(cw_nbc_claim(node, comm, 0));
    assert_true(cw_nbc_claim(node, comm, 1));
    cw_nbc_close(node, comm);
    assert_true(cw_nbc_claim(node, comm, 1));
    assert_true(cw_nbc_claim(node, comm, 0));
    assert_false(cw_nbc_claim(node, comm, 2));
    assert_false(cw_nbc_claim(node, comm, 3));
}

int main(void)
{
#define ON_NODE(TEST) cmocka_unit_test_setup_teardown(TEST, set_up, tear_down)
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_basic_types),
                                       cmocka_unit_test(test_compare),
                                       cmocka_unit_test(test_no_length),
                                       cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_notes),
                                       cmocka_unit_test(test_either_length),
                                       ON_NODE(test_nothing_moves),
                                       ON_NODE(test_first_two),
                                       ON_NODE(test_left_first),
                                       ON_NODE(test_left_last),
                                       ON_NODE(test_not_left),
                                       ON_NODE(test_other_host_waits),
                                       ON_NODE(test_other_host_must_wait),
                                       ON_NODE(test_other_host_waits_aside),
                                       ON_NODE(test_relay_hears),
                                       ON_NODE(test_aside),
                                       ON_NODE(test_aside_later),
                                       ON_NODE(test_order),
                                       ON_NODE(test_place_is_new),
                                       ON_NODE(test_broken_from_that_call),
                                       ON_NODE(test_all_are_there),
                                       ON_NODE(test_claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
