/* OTF2 archives, which the library's own writer wrote: their messages, collectives and times are those that were
 * written, and what is damaged is refused. */
#include "traffic/recorded/otf2_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>
#include <math.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "traffic/recorded/recording.h"

#define RANKS    4
#define LOCATION 100 /* of rank 0 */
#define WORLD    7   /* numbers of communicators need not begin with 0 */
#define HALF     9
#define SELF     3
#define BETWEEN  12

static char folder[] = "/tmp/cw_otf2_XXXXXX";
static char anchor[64];

/* --- an archive --------------------------------------------------------------------------------------------------- */

static const char *const regions[] = {"main",         "MPI_Init",       "MPI_Finalize", "MPI_Send", "MPI_Recv",
                                      "MPI_Isend",    "MPI_Irecv",      "MPI_Waitall",  "MPI_Wait", "MPI_Sendrecv",
                                      "MPI_Alltoall", "MPI_Iallreduce", "MPI_Bcast",    "MPI_end x"};

static uint32_t region(const char *name)
{
    uint32_t i = 0;
    while (strcmp(regions[i], name) != 0) i++;
    return i;
}

static OTF2_FlushType before_flush(void *context, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final)
{
    (void)context, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *context, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)context, (void)type, (void)location;
    return 0;
}

static void write_definitions(OTF2_Archive *archive, uint64_t resolution, bool with_mpi)
{
    static const uint64_t locations[RANKS] = {LOCATION, LOCATION + 1, LOCATION + 2, LOCATION + 3};
    static const uint64_t all[RANKS] = {0, 1, 2, 3}, half[] = {3, 1}, other[] = {0, 2};
    OTF2_GlobalDefWriter *to = OTF2_Archive_GetGlobalDefWriter(archive);
    const uint32_t n = sizeof regions / sizeof *regions;
    OTF2_GlobalDefWriter_WriteClockProperties(to, resolution, 1000, 1000000, OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t i = 0; i < n; i++) OTF2_GlobalDefWriter_WriteString(to, i, regions[i]);
    OTF2_GlobalDefWriter_WriteString(to, n, "");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, n, n, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < n; i++)
        OTF2_GlobalDefWriter_WriteRegion(to, 50 + i, i, i, n, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                         OTF2_REGION_FLAG_NONE, n, 0, 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(to, r, n, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(to, LOCATION + r, n, OTF2_LOCATION_TYPE_CPU_THREAD, 100, r);
    }
    if (with_mpi)
        OTF2_GlobalDefWriter_WriteGroup(to, 0, n, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, RANKS, locations);
    OTF2_GlobalDefWriter_WriteGroup(to, 1, n, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    RANKS, all);
    OTF2_GlobalDefWriter_WriteGroup(to, 2, n, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2,
                                    half);
    OTF2_GlobalDefWriter_WriteGroup(to, 3, n, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0,
                                    NULL);
    OTF2_GlobalDefWriter_WriteGroup(to, 4, n, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2,
                                    other);
    OTF2_GlobalDefWriter_WriteComm(to, WORLD, n, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(to, HALF, n, 2, WORLD, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteComm(to, SELF, n, 3, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteInterComm(to, BETWEEN, n, 2, 4, WORLD, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive, to);
}

typedef void events(OTF2_EvtWriter *to, uint32_t rank);

/* Writes the archive whose ranks do what DO_RANK writes. */
static void write_archive(events *do_rank, uint64_t resolution, bool with_mpi)
{
    static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    assert_int_equal(system(command), 0);
    OTF2_Archive *archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 22,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t r = 0; r < RANKS; r++) {
        OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(archive, LOCATION + r);
        do_rank(to, r);
        OTF2_Archive_CloseEvtWriter(archive, to);
        OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, LOCATION + r));
    }
    OTF2_Archive_CloseDefFiles(archive);
    OTF2_Archive_CloseEvtFiles(archive);
    write_definitions(archive, resolution, with_mpi);
    assert_int_equal(OTF2_Archive_Close(archive), OTF2_SUCCESS);
}

static void enter(OTF2_EvtWriter *to, uint64_t time, const char *name)
{
    OTF2_EvtWriter_Enter(to, NULL, 1000 + time, 50 + region(name));
}

static void leave(OTF2_EvtWriter *to, uint64_t time, const char *name)
{
    OTF2_EvtWriter_Leave(to, NULL, 1000 + time, 50 + region(name));
}

/* The recording is TEXT. */
static void check(const char *expected)
{
    struct cw_text text = {0};
    assert_true(cw_otf2_is(anchor));
    if (cw_otf2_text(anchor, &text)) fail_msg("%s", cw_error_message());
    assert_string_equal(text.data, expected);
    cw_text_free(&text);
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* A ring with requests of arbitrary numbers; MPI_Init is no part of the time, nor is what comes after MPI_Finalize. */
static void do_ring(OTF2_EvtWriter *to, uint32_t rank)
{
    const uint64_t start = 100 * rank;
    enter(to, 0, "main");
    enter(to, 5, "MPI_Init");
    leave(to, start + 50, "MPI_Init");
    enter(to, start + 60, "MPI_Irecv");
    OTF2_EvtWriter_MpiIrecvRequest(to, NULL, start + 1061, 900 + rank);
    leave(to, start + 62, "MPI_Irecv");
    enter(to, start + 65, "MPI_Isend");
    OTF2_EvtWriter_MpiIsend(to, NULL, start + 1065, (rank + 1) % RANKS, WORLD, 5, 1000 + rank, 17);
    leave(to, start + 70, "MPI_Isend");
    enter(to, start + 170, "MPI_Waitall");
    OTF2_EvtWriter_MpiIsendComplete(to, NULL, start + 1180, 17);
    OTF2_EvtWriter_MpiIrecv(to, NULL, start + 1190, (rank + RANKS - 1) % RANKS, WORLD, 5,
                            1000 + (rank + RANKS - 1) % RANKS, 900 + rank);
    leave(to, start + 200, "MPI_Waitall");
    enter(to, start + 207, "MPI_Finalize");
    leave(to, start + 300, "MPI_Finalize");
    leave(to, start + 310, "main");
}

static void test_ring(void **state)
{
    struct cw_recording *recording = NULL;
    struct cw_program *program = NULL;
    struct cw_flows matrix = {0};
    uint64_t left_out;
    (void)state;
    write_archive(do_ring, 1000000000, true);
    assert_int_equal(cw_recording_read(anchor, &recording), 0);
    assert_int_equal(cw_recording_ranks(recording), RANKS);
    assert_int_equal(cw_recording_cut(recording), 0);
    assert_int_equal(cw_recording_program(recording, NULL, &program, &left_out), 0);
    assert_int_equal(left_out, 0);
    assert_int_equal(cw_program_matrix(program, &matrix), 0);
    assert_int_equal(matrix.n, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        assert_true(fabs(cw_recording_computed(recording, r) - 120e-9) < 1e-15);
        assert_true(fabs(cw_recording_in_mpi(recording, r) - 37e-9) < 1e-15);
        assert_int_equal(matrix.items[r].src, r);
        assert_int_equal(matrix.items[r].dst, (r + 1) % RANKS);
        assert_int_equal(matrix.items[r].bytes, 1000 + r);
    }
    cw_flows_free(&matrix);
    cw_program_free(program);
    cw_recording_free(recording);
}

/* Ranks of a part of the world, an exchange, a group between two, and messages outside of any region; a clock of 1 MHz.
 */
static void do_parts(OTF2_EvtWriter *to, uint32_t rank)
{
    const uint32_t me = rank == 1; /* in the half */
    if (rank % 2 == 1) {
        enter(to, 0, "MPI_Sendrecv");
        OTF2_EvtWriter_MpiSend(to, NULL, 1001, 1 - me, HALF, 2, 64);
        OTF2_EvtWriter_MpiRecv(to, NULL, 1002, 1 - me, HALF, 2, 64);
        leave(to, 3, "MPI_Sendrecv");
        OTF2_EvtWriter_MpiSend(to, NULL, 1010, me, BETWEEN, 8, 32);
    } else {
        OTF2_EvtWriter_MpiRecv(to, NULL, 1020, rank == 2 ? 1 : 0, BETWEEN, 8, 32);
    }
    OTF2_EvtWriter_MpiSend(to, NULL, 1030, 0, SELF, 1, 8);
    enter(to, 40, "MPI_end x");
    leave(to, 41, "MPI_end x");
    if (rank == 0) enter(to, 42, "MPI_Recv"); /* and was killed */
}

#define COMMS(R) "communicator 0 0 c0 " R "\ncommunicator 0 0 c1 0-3\n"

static void test_parts(void **state)
{
    (void)state;
    write_archive(do_parts, 1000000, true);
    check("crosswind-recording 1 rank 0 of 4 block 0\n" COMMS(
        "0") "communicator 0 0 c2 3,1|0,2\n"
             "Recv 0 0 < 2 3 8\nSend 10000 0 > 0 0 1 8\nend_x 10000 1000\n"
             "crosswind-recording 1 rank 1 of 4 block 0\n" COMMS(
                 "1") "communicator 0 0 c2 3,1\n"
                      "communicator 0 0 c3 3,1|0,2\n"
                      "Sendrecv 0 3000 > 2 3 2 64 < 2 3 2\nSend 7000 0 > 3 2 8 32\nSend 20000 0 > 0 1 1 8\nend_x 10000 "
                      "1000\n"
                      "end 0 0\n"
                      "crosswind-recording 1 rank 2 of 4 block 0\n" COMMS(
                          "2") "communicator 0 0 c2 3,1|0,2\n"
                               "Recv 0 0 < 2 1 8\nSend 10000 0 > 0 2 1 8\nend_x 10000 1000\nend 0 0\n"
                               "crosswind-recording 1 rank 3 of 4 block 0\n" COMMS(
                                   "3") "communicator 0 0 c2 3,1\n"
                                        "communicator 0 0 c3 3,1|0,2\n"
                                        "Sendrecv 0 3000 > 2 1 2 64 < 2 1 2\nSend 7000 0 > 3 0 8 32\nSend 20000 0 > 0 "
                                        "3 1 8\nend_x 10000 1000\n"
                                        "end 0 0\n");
    struct cw_recording *recording = NULL;
    struct cw_program *program = NULL;
    uint64_t left_out;
    assert_int_equal(cw_recording_read(anchor, &recording), 0);
    assert_int_equal(cw_recording_cut(recording), 1);
    assert_int_equal(cw_recording_program(recording, NULL, &program, &left_out), 0);
    cw_program_free(program);
    cw_recording_free(recording);
}

static void collective(OTF2_EvtWriter *to, uint64_t time, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root,
                       uint64_t sent, uint64_t received)
{
    OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, 1000 + time);
    OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, 1004 + time, op, comm, root, sent, received);
}

/* Collectives with the sizes that Score-P gives them. What begins first is the communicator's first, though it ends
 * last.
 */
static void do_collectives(OTF2_EvtWriter *to, uint32_t rank)
{
    const bool root = rank == 2;
    enter(to, 0, "MPI_Iallreduce");
    OTF2_EvtWriter_NonBlockingCollectiveRequest(to, NULL, 1000, 4);
    leave(to, 1, "MPI_Iallreduce");
    enter(to, 10, "MPI_Alltoall");
    collective(to, 10, OTF2_COLLECTIVE_OP_ALLTOALL, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 4 * 100, 4 * 100);
    leave(to, 20, "MPI_Alltoall");
    enter(to, 20, "MPI_Wait");
    OTF2_EvtWriter_NonBlockingCollectiveComplete(to, NULL, 1021, OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD,
                                                 OTF2_COLLECTIVE_ROOT_NONE, 4 * 8, 4 * 8, 4);
    leave(to, 22, "MPI_Wait");
    if (rank % 2 == 1) collective(to, 30, OTF2_COLLECTIVE_OP_BCAST, HALF, 1, rank == 1 ? 2 * 50 : 0, 50);
    collective(to, 40, OTF2_COLLECTIVE_OP_GATHER, WORLD, 2, root ? 0 : 70, root ? 3 * 70 : 0);
    collective(to, 50, OTF2_COLLECTIVE_OP_SCATTER, WORLD, 2, root ? 3 * 60 : 0, root ? 0 : 60);
    collective(to, 60, OTF2_COLLECTIVE_OP_ALLTOALLV, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 10 * rank + 1, 9);
    collective(to, 70, OTF2_COLLECTIVE_OP_GATHERV, WORLD, 2, rank + 1, 0);
    collective(to, 80, OTF2_COLLECTIVE_OP_ALLGATHERV, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 4 * rank, 22);
    collective(to, 90, OTF2_COLLECTIVE_OP_REDUCE_SCATTER, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 44, 11);
    collective(to, 100, OTF2_COLLECTIVE_OP_EXSCAN, WORLD, OTF2_COLLECTIVE_ROOT_NONE, (3 - rank) * 8, rank * 8);
    collective(to, 110, OTF2_COLLECTIVE_OP_CREATE_HANDLE, HALF, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    collective(to, 120, OTF2_COLLECTIVE_OP_BARRIER, WORLD, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

static void test_collectives(void **state)
{
    static const char rank_3[] =
        "Iallreduce 0 1 *0 1 allreduce 0 8\nAlltoall 9 10 * 1 alltoall 0 100\nWait 0 2 =0\n"
        "Bcast 8 4 * 2 bcast 1 50\nGather 6 4 * 1 gather 2 70\nScatter 6 4 * 1 scatter 2 60\n"
        "Alltoallv 6 4 v 1 0:8 1:8 2:8\nGatherv 6 4 v 1 2:4\nAllgatherv 6 4 * 1 allgather 0 6\n"
        "Reduce_scatter 6 4 * 1 reduce-scatter 0 44\nExscan 6 4 * 1 exscan 0 8\nCollective 6 4\n"
        "Barrier 6 4 * 1 barrier 0 0\nend 0 0\n";
    struct cw_text text = {0};
    struct cw_recording *recording = NULL;
    struct cw_program *program = NULL;
    uint64_t left_out;
    (void)state;
    write_archive(do_collectives, 1000000000, true);
    assert_int_equal(cw_otf2_text(anchor, &text), 0);
    const char *last = strstr(text.data, "rank 3 of 4 block 0\n"), *calls = last ? strstr(last, "Iallreduce") : NULL;
    assert_non_null(calls);
    assert_string_equal(calls, rank_3);
    assert_int_equal(cw_recording_parse("text", text.data, text.length, &recording), 0);
    if (cw_recording_program(recording, NULL, &program, &left_out)) fail_msg("%s", cw_error_message());
    assert_int_equal(left_out, 0);
    cw_program_free(program);
    cw_recording_free(recording);
    cw_text_free(&text);
}

/* Requests that began before the archive, that were cancelled, or that are never done. */
static void do_requests(OTF2_EvtWriter *to, uint32_t rank)
{
    if (rank > 0) return;
    OTF2_EvtWriter_MpiIsendComplete(to, NULL, 1000, 55);
    OTF2_EvtWriter_MpiIrecvRequest(to, NULL, 1001, 1);
    OTF2_EvtWriter_MpiIsend(to, NULL, 1002, 1, WORLD, 0, 16, 2);
    OTF2_EvtWriter_MpiIrecvRequest(to, NULL, 1003, 3);
    OTF2_EvtWriter_MpiRequestCancelled(to, NULL, 1004, 1);
    OTF2_EvtWriter_MpiRequestCancelled(to, NULL, 1005, 2);
    OTF2_EvtWriter_MpiIrecv(to, NULL, 1006, 1, WORLD, 0, 16, 77);
}

static void test_requests(void **state)
{
    (void)state;
    write_archive(do_requests, 1000000000, true);
    check("crosswind-recording 1 rank 0 of 4 block 0\n" COMMS(
        "0") "communicator 0 0 c2 3,1|0,2\n"
             "Isend 2 0 >0 1 1 0 16\nCancel 3 0 x0\nRecv 1 0 < 1 1 0\nend 0 0\n"
             "crosswind-recording 1 rank 1 of 4 block 0\n" COMMS(
                 "1") "communicator 0 0 c2 3,1\n"
                      "communicator 0 0 c3 3,1|0,2\nend 0 0\n"
                      "crosswind-recording 1 rank 2 of 4 block 0\n" COMMS(
                          "2") "communicator 0 0 c2 3,1|0,2\nend 0 0\n"
                               "crosswind-recording 1 rank 3 of 4 block 0\n" COMMS(
                                   "3") "communicator 0 0 c2 3,1\n"
                                        "communicator 0 0 c3 3,1|0,2\nend 0 0\n");
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void do_nothing(OTF2_EvtWriter *to, uint32_t rank)
{
    (void)to, (void)rank;
}

static void do_unknown_comm(OTF2_EvtWriter *to, uint32_t rank)
{
    if (rank == 0) OTF2_EvtWriter_MpiSend(to, NULL, 1000, 1, HALF, 0, 8);
}

static void do_unknown_rank(OTF2_EvtWriter *to, uint32_t rank)
{
    if (rank == 0) OTF2_EvtWriter_MpiSend(to, NULL, 1000, 4, WORLD, 0, 8);
}

static void do_unknown_root(OTF2_EvtWriter *to, uint32_t rank)
{
    if (rank == 0) collective(to, 0, OTF2_COLLECTIVE_OP_BCAST, WORLD, 4, 8, 8);
}

static void do_long_message(OTF2_EvtWriter *to, uint32_t rank)
{
    if (rank == 0) OTF2_EvtWriter_MpiSend(to, NULL, 1000, 1, WORLD, 0, UINT64_MAX);
}

static void do_other_request(OTF2_EvtWriter *to, uint32_t rank)
{
    if (rank > 0) return;
    OTF2_EvtWriter_MpiIsend(to, NULL, 1000, 1, WORLD, 0, 8, 5);
    OTF2_EvtWriter_MpiIrecv(to, NULL, 1001, 1, WORLD, 0, 8, 5);
}

static void do_long_time(OTF2_EvtWriter *to, uint32_t rank)
{
    OTF2_EvtWriter_MpiSend(to, NULL, 1000, rank, WORLD, 0, 8);
    OTF2_EvtWriter_MpiSend(to, NULL, UINT64_C(2000000000000000), rank, WORLD, 0, 8);
}

static void test_refused(void **state)
{
    static const struct {
        events *do_rank;
        bool with_mpi;
        const char *message;
    } cases[] = {
        {do_nothing, false, "the archive has no ranks of MPI, or no clock; expected one of a program that uses MPI"},
        {do_unknown_comm, true, "rank 0 uses communicator 9 of the archive; expected one of MPI that it is in"},
        {do_unknown_rank, true, "a message of rank 0 and rank 4 of its communicator; expected one of 4"},
        {do_unknown_root, true, "a collective with root 4; expected one of 4 ranks"},
        {do_long_message, true, "a message of 18446744073709551615 bytes; expected at most 1000000000000000000"},
        {do_other_request, true, "request 5 of rank 0 sends a message and is done as something else"},
        {do_long_time, true, "rank 0 does one thing for more than 11 days; expected another clock"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_text text = {0};
        write_archive(cases[i].do_rank, 1000000000, cases[i].with_mpi);
        assert_int_equal(cw_otf2_text(anchor, &text), CW_EPARSE);
        assert_non_null(strstr(cw_error_message(), cases[i].message));
        cw_text_free(&text);
    }
}

/* Parts of the archive that are missing, cut off, or no such files. */
static void test_damaged(void **state)
{
    static const char *const parts[] = {"traces.def", "traces/100.evt", "traces/102.def"};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (int cut = 0; cut < 2; cut++) {
            struct cw_text text = {0};
            char path[128];
            write_archive(do_ring, 1000000000, true);
            snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
            assert_int_equal(cut ? truncate(path, 9) : unlink(path), 0);
            assert_int_equal(cw_otf2_text(anchor, &text), CW_EPARSE);
            assert_non_null(strstr(cw_error_message(), "the archive is damaged, or a part of it is missing ("));
            cw_text_free(&text);
        }
    assert_false(cw_otf2_is("/nowhere/traces.otf2"));
    assert_false(cw_otf2_is(folder));
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),     cmocka_unit_test(test_parts),   cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_requests), cmocka_unit_test(test_refused), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
