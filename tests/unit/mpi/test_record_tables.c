/* Communicators and requests of a rank that is recorded (mpi/record/record_tables.c). Who is in a communicator is made
 * up; lines are kept as the writer would write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "mpi/record/record_tables.h"
#include "mpi/record/record_writer.h"

/* --- what MPI says ------------------------------------------------------------------------------------------------ */

/* A communicator's handle, and those of its groups, are its place here and in which half: no MPI has such ones. */
enum { COMMS = 200, MEMBERS = 40, REMOTE = 1000, OTHER = MPI_UNDEFINED };

static struct {
    int n, mine[MEMBERS], n_peers, peers[MEMBERS]; /* 0: not an intercommunicator */
} comms[COMMS];

static int open_groups; /* that were not given back */

static MPI_Comm comm_of(int i)
{
    return (MPI_Comm)(intptr_t)(i + 1);
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    *flag = comms[(intptr_t)comm - 1].n_peers > 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    *group = (MPI_Group)(intptr_t)comm;
    open_groups++;
    return MPI_SUCCESS;
}

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    *group = (MPI_Group)((intptr_t)comm + REMOTE);
    open_groups++;
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    open_groups--;
    return MPI_SUCCESS;
}

static const int *members(MPI_Group group, int *n)
{
    const intptr_t handle = (intptr_t)group;
    *n = handle > REMOTE ? comms[handle - REMOTE - 1].n_peers : comms[handle - 1].n;
    return handle > REMOTE ? comms[handle - REMOTE - 1].peers : comms[handle - 1].mine;
}

int PMPI_Group_size(MPI_Group group, int *n)
{
    members(group, n);
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group world, int out[])
{
    int all;
    const int *is = members(group, &all);
    assert_int_equal((intptr_t)world, (intptr_t)MPI_COMM_WORLD);
    assert_int_equal(n, all);
    for (int i = 0; i < n; i++) {
        assert_int_equal(ranks[i], i);
        out[i] = is[i];
    }
    return MPI_SUCCESS;
}

/* --- the writer --------------------------------------------------------------------------------------------------- */

static char said[1000];

void record_line(const char *name, int64_t gap, int64_t duration)
{
    snprintf(said, sizeof said, "%s %d %d", name, (int)gap, (int)duration);
}

void record_word(const char *mark, int64_t number)
{
    snprintf(said + strlen(said), sizeof said - strlen(said), " %s%d", mark, (int)number);
}

void record_text(const char *text)
{
    snprintf(said + strlen(said), sizeof said - strlen(said), " %s", text);
}

void record_end_line(int64_t now)
{
    assert_int_equal(now, 0);
    strcat(said, "\n");
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

#define RANKS(...) (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int)

static int n_comms;

static void put(int *n, int *world, const int *ranks, size_t of)
{
    *n = (int)of;
    memcpy(world, ranks, of * sizeof *ranks);
}

/* A communicator of these ranks that was not known; a line says WHO they are. */
static struct record_comm look(const char *who)
{
    struct record_comm comm;
    char wanted[500];
    said[0] = '\0';
    assert_true(record_comm_of(comm_of(n_comms), &comm));
    snprintf(wanted, sizeof wanted, "communicator 0 0 c%d %s\n", comm.id, who);
    assert_string_equal(said, wanted);
    assert_int_equal(open_groups, 0);
    n_comms++;
    return comm;
}

static struct record_comm of_ranks(const char *who, const int *ranks, size_t n)
{
    put(&comms[n_comms].n, comms[n_comms].mine, ranks, n);
    return look(who);
}

static struct record_comm of_two(const char *who, const int *ranks, size_t n, const int *others, size_t n_others)
{
    put(&comms[n_comms].n_peers, comms[n_comms].peers, others, n_others);
    return of_ranks(who, ranks, n);
}

static void test_members(void **state)
{
    (void)state;
    struct record_comm comm = of_ranks("0-7,9,12", RANKS(0, 1, 2, 3, 4, 5, 6, 7, 9, 12));
    assert_int_equal(comm.id, 0);
    assert_false(comm.between || comm.mine->foreign);
    assert_ptr_equal(comm.mine, comm.peers);
    assert_int_equal(record_world_rank(&comm, 0), 0);
    assert_int_equal(record_world_rank(&comm, 8), 9);
    assert_int_equal(record_world_rank(&comm, 9), 12);
    assert_int_equal(record_world_rank(&comm, 10), MPI_PROC_NULL);
    assert_int_equal(record_world_rank(&comm, -1), MPI_PROC_NULL);

    const struct record_comm same = of_ranks("0-7,9,12", RANKS(0, 1, 2, 3, 4, 5, 6, 7, 9, 12));
    assert_int_equal(same.id, 1);
    assert_ptr_equal(same.mine, comm.mine);
    assert_ptr_not_equal(of_ranks("0-7,9", RANKS(0, 1, 2, 3, 4, 5, 6, 7, 9)).mine, comm.mine);
    assert_ptr_not_equal(of_ranks("0-7,9,13", RANKS(0, 1, 2, 3, 4, 5, 6, 7, 9, 13)).mine, comm.mine);
    of_ranks("3", RANKS(3));
    of_ranks("5,4,3", RANKS(5, 4, 3));
    of_ranks("100000,300000,2000000000", RANKS(100000, 300000, 2000000000));

    comm = of_ranks("1-2,?,?,8-9", RANKS(1, 2, OTHER, OTHER, 8, 9));
    assert_true(comm.mine->foreign);
    assert_int_equal(record_world_rank(&comm, 2), MPI_PROC_NULL);
    assert_int_equal(record_world_rank(&comm, 4), 8);
    assert_true(of_ranks("?,3", RANKS(OTHER, 3)).mine->foreign);
    assert_false(record_comm_of(MPI_COMM_NULL, &comm));
}

/* Both sides have one line, whoever writes it. */
static void test_between(void **state)
{
    (void)state;
    const struct record_comm left = of_two("0-1|4-5", RANKS(4, 5), RANKS(0, 1));
    const struct record_comm right = of_two("0-1|4-5", RANKS(0, 1), RANKS(4, 5));
    assert_true(left.between && right.between);
    assert_int_equal(record_world_rank(&left, 1), 1);
    assert_int_equal(record_world_rank(&right, 1), 5);
    assert_ptr_equal(left.mine, right.peers);
    of_two("2|7", RANKS(7), RANKS(2));
    of_two("0,9|4-5", RANKS(4, 5), RANKS(0, 9));
    of_two("0,9|4-5", RANKS(0, 9), RANKS(4, 5));
}

/* However many there are, each is found; one that is forgotten is another one when its handle comes again. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 120 };
    static struct record_comm known[MANY];
    const int first = n_comms;
    struct record_comm comm;
    char who[20];
    for (int i = 0; i < MANY; i++) {
        snprintf(who, sizeof who, "%d,%d", 2 * i, 2 * i + 100);
        known[i] = of_ranks(who, RANKS(2 * i, 2 * i + 100));
    }
    said[0] = '\0';
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < n_comms; i++) {
            assert_true(record_comm_of(comm_of(i), &comm));
            assert_string_equal(said, "");
            assert_int_equal(comm.id, i);
            if (i < first) continue;
            assert_int_equal(comm.id, known[i - first].id);
            assert_int_equal(record_world_rank(&comm, 1), 2 * (i - first) + 100);
        }
    const int gone[] = {0, first + MANY - 1, first}; /* the very first one, the last one, one between */
    for (int i = 0; i < 3; i++) {
        record_comm_forget(comm_of(gone[i]));
        said[0] = '\0';
        assert_true(record_comm_of(comm_of(gone[i]), &comm));
        assert_int_equal(comm.id, known[MANY - 1].id + 1 + i);
        assert_int_equal(strncmp(said, "communicator", 12), 0);
    }
    assert_true(record_comm_of(comm_of(first + 1), &comm));
    assert_int_equal(comm.id, known[1].id);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

/* What is found is what a list would find, with many requests at once, some of one handle. */
static void test_requests(void **state)
{
    (void)state;
    enum { LIVE = 3000, STEPS = 40000, HANDLES = 4000 };
    static int of_handle[HANDLES]; /* how many there are */
    static bool alive[STEPS];      /* by number */
    static int handle_of[STEPS];
    struct cw_random random = cw_random_of(5, 0, 0);
    int n = 0;
    for (int step = 0; step < STEPS; step++) {
        const int handle = (int)cw_random_below(&random, HANDLES);
        const bool grows = step / 10000 % 2 == 0;
        struct record_request *request = record_request_find((uintptr_t)handle * 64);
        assert_true(!request == (of_handle[handle] == 0));
        if (request) {
            assert_int_equal(request->handle, (uintptr_t)handle * 64);
            assert_true(alive[request->id] && handle_of[request->id] == handle);
        }
        if (n < LIVE && (grows || !request)) {
            handle_of[step] = handle;
            alive[step] = true;
            record_request_add((struct record_request){.handle = (uintptr_t)handle * 64, .id = step});
            of_handle[handle]++;
            n++;
        } else if (request) {
            alive[request->id] = false;
            record_request_done(request);
            of_handle[handle]--;
            n--;
        }
    }
    for (int handle = 0; handle < HANDLES; handle++) {
        struct record_request *request;
        while ((request = record_request_find((uintptr_t)handle * 64))) {
            record_request_forget(request);
            of_handle[handle]--;
        }
        assert_int_equal(of_handle[handle], 0);
    }
}

static void test_persistent(void **state)
{
    (void)state;
    assert_int_equal(record_next_id(), 0);
    assert_int_equal(record_next_id(), 1);
    record_request_add((struct record_request){.handle = 7, .id = 1, .persistent = true, .active = true});
    record_request_done(record_request_find(7));
    assert_non_null(record_request_find(7));
    assert_false(record_request_find(7)->active);
    record_request_forget(record_request_find(7));
    assert_null(record_request_find(7));
}

static void test_none(void **state)
{
    (void)state;
    assert_null(record_request_find(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none), cmocka_unit_test(test_members),  cmocka_unit_test(test_between),
        cmocka_unit_test(test_many), cmocka_unit_test(test_requests), cmocka_unit_test(test_persistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
