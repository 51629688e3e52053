/* Where the hosts of a job are in the order of the fabric (mpi/nbc/nbc_places.c): what one rank does with a file, what
 * it says, and what the others get. The file, MPI and the other ranks are made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <mpi.h>

#include "base/error.h"
#include "mpi/nbc/nbc_places.h"

enum { N = 3, TREES = 5 };

/* What rank 0 tells of the file. */
struct known {
    int rc;
    bool any;
    struct cw_nbc_trees trees;
};

static struct {
    int rank;
    int unreadable, read_rc;
    int reads, frees, gathered, allocations, starved_at, other_lacks;
    int places[N]; /* of the hosts of all ranks */
    struct known known;
} world;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
int __wrap_access(const char *path, int mode);

/* What is behind it would be seen if it were used: places that are not known. */
void *__wrap_calloc(size_t n, size_t size)
{
    if (++world.allocations == world.starved_at) return NULL;
    char *block = __real_calloc(1, n * size + sizeof(int));
    memset(block + n * size, -1, sizeof(int));
    return block;
}

int __wrap_access(const char *path, int mode)
{
    assert_true(strcmp(path, "the file") == 0 && mode == R_OK);
    return world.unreadable ? -1 : 0;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    assert_true(comm == MPI_COMM_WORLD);
    *rank = world.rank;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *n)
{
    assert_true(comm == MPI_COMM_WORLD);
    *n = N;
    return MPI_SUCCESS;
}

int PMPI_Get_processor_name(char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "host-%d", world.rank);
    return MPI_SUCCESS;
}

int PMPI_Allreduce(const void *in, void *inout, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    assert_true(in == MPI_IN_PLACE && n == 1 && type == MPI_INT && op == MPI_MAX && comm == MPI_COMM_WORLD);
    if (world.other_lacks) *(int *)inout = 1;
    return MPI_SUCCESS;
}

int PMPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int n_each, MPI_Datatype type_each, int root,
                MPI_Comm comm)
{
    char own[32];
    snprintf(own, sizeof own, "host-%d", world.rank);
    assert_string_equal(in, own);
    assert_true(n == MPI_MAX_PROCESSOR_NAME && n_each == n && type == MPI_CHAR && type_each == MPI_CHAR);
    assert_true(root == 0 && comm == MPI_COMM_WORLD);
    world.gathered++;
    for (int i = 0; i < N && world.rank == root; i++)
        snprintf((char *)out + i * MPI_MAX_PROCESSOR_NAME, MPI_MAX_PROCESSOR_NAME, "host-%d", i);
    return MPI_SUCCESS;
}

int PMPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    assert_true(root == 0 && comm == MPI_COMM_WORLD);
    if (type == MPI_BYTE) {
        assert_int_equal(n, sizeof world.known);
        if (world.rank == 0) memcpy(&world.known, buffer, sizeof world.known);
        memcpy(buffer, &world.known, sizeof world.known);
        return MPI_SUCCESS;
    }
    assert_true(type == MPI_INT && n == N);
    if (world.rank == 0) assert_memory_equal(buffer, world.places, sizeof world.places);
    memcpy(buffer, world.places, sizeof world.places);
    return MPI_SUCCESS;
}

int cw_nbc_fabric_read(const char *path, struct cw_nbc_fabric *out)
{
    assert_string_equal(path, "the file");
    world.reads++;
    if (world.read_rc) return cw_fail(world.read_rc, "it is torn");
    out->n = 1;
    out->trees.n = TREES;
    return 0;
}

void cw_nbc_fabric_free(struct cw_nbc_fabric *fabric)
{
    assert_int_equal(fabric->n, world.reads > 0 && !world.read_rc); /* nothing else is to be given back */
    world.frees++;
}

int cw_nbc_fabric_place(const struct cw_nbc_fabric *fabric, const char *name)
{
    int rank;
    assert_int_equal(fabric->n, 1);
    assert_int_equal(sscanf(name, "host-%d", &rank), 1);
    assert_true(rank < N);
    return world.places[rank];
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static struct cw_nbc_settings settings;
static struct nbc_places places;

static void begin(int rank, bool kept)
{
    memset(&world, 0, sizeof world);
    world.rank = rank;
    memcpy(world.places, (const int[]){-1, 7, -1}, sizeof world.places);
    settings = (struct cw_nbc_settings){.fabric = "the file", .fabric_kept = kept, .verbose = true};
    cw_fail(CW_EIO, "something else");
}

/* What is said on the standard error. */
static int find(const char *said)
{
    char *text;
    size_t n;
    FILE *before = stderr;
    stderr = open_memstream(&text, &n);
    const int rc = nbc_places_find(&settings, &places);
    fclose(stderr);
    stderr = before;
    assert_string_equal(text, said);
    assert_int_equal(world.frees, 1);
    free(text);
    return rc;
}

static void expect_places(void)
{
    assert_int_equal(places.trees.n, TREES);
    assert_memory_equal(places.of_world, world.places, sizeof world.places);
    assert_int_equal(world.gathered, 1);
    nbc_places_free(&places);
    assert_true(!places.of_world && places.trees.n == 0);
}

static void expect_nothing(void)
{
    assert_true(!places.of_world && places.trees.n == 0 && world.gathered == 0);
}

#define FLOATING "; sums of floating-point numbers and the like by the order of ranks (CROSSWIND_NBC_HOSTS)"

static void the_first_rank_reads(void **state)
{
    (void)state;
    begin(0, false);
    assert_int_equal(find("crosswind-nbc: hosts of 1 of 3 ranks pass on messages as is predicted to be fastest for a "
                          "network, routed by unknown routes (the file)" FLOATING "\n"),
                     0);
    assert_int_equal(world.reads, 1);
    expect_places();
    begin(0, true);
    settings.between.by_fabric = true;
    world.places[0] = 0;
    assert_int_equal(find("crosswind-nbc: hosts of 2 of 3 ranks pass on messages as is predicted to be fastest for a "
                          "network, routed by unknown routes (the file)\n"),
                     0);
    expect_places();
    begin(0, true);
    settings.verbose = false;
    world.places[0] = 0; /* the first place of all is one */
    world.places[1] = -1;
    assert_int_equal(find(""), 0);
    expect_places();
}

static void others_are_told(void **state)
{
    (void)state;
    for (int rank = 1; rank < N; rank++) {
        begin(rank, false);
        world.known = (struct known){.any = true, .trees.n = TREES};
        assert_int_equal(find(""), 0);
        assert_int_equal(world.reads, 0);
        expect_places();
        world.known = (struct known){.any = false};
        begin(rank, false);
        assert_int_equal(find(""), 0);
        expect_nothing();
        begin(rank, false);
        world.known.rc = CW_EPARSE;
        assert_int_equal(find(""), CW_EPARSE);
        assert_string_equal(cw_error_message(), "rank 0 could not read the file");
        expect_nothing();
    }
}

/* Trees of a network in which none of these hosts is. */
static void none_is_known(void **state)
{
    (void)state;
    for (int rank = 0; rank < N; rank++) {
        begin(rank, false);
        world.known = (struct known){.any = true, .trees.n = TREES};
        world.places[1] = -1;
        assert_int_equal(find(rank == 0 ? "crosswind-nbc: the file knows none of these hosts\n" : ""), 0);
        assert_true(!places.of_world && places.trees.n == 0 && world.gathered == 1);
    }
    begin(0, false);
    world.places[1] = -1;
    world.places[2] = 3; /* the last is */
    settings.verbose = false;
    assert_int_equal(find(""), 0);
    expect_places();
}

/* A file that the user names must be there and be right; what is kept is left out if it is not. */
static void files_that_are_not_right(void **state)
{
    (void)state;
    begin(0, false);
    *settings.fabric = 0;
    assert_int_equal(find(""), 0);
    assert_int_equal(world.reads, 0);
    assert_string_equal(cw_error_message(), "something else");
    expect_nothing();
    begin(0, true);
    world.unreadable = 1;
    assert_int_equal(find(""), 0);
    assert_int_equal(world.reads, 0);
    expect_nothing();
    begin(0, false);
    world.unreadable = 1;
    world.read_rc = CW_EIO;
    assert_int_equal(find(""), CW_EIO);
    assert_string_equal(cw_error_message(), "it is torn");
    expect_nothing();
    begin(0, true);
    world.read_rc = CW_EPARSE;
    assert_int_equal(find("crosswind-nbc: the order of hosts that is kept is not used: it is torn\n"), 0);
    expect_nothing();
    begin(0, true);
    world.read_rc = CW_EPARSE;
    settings.verbose = false;
    assert_int_equal(find(""), 0);
    begin(0, true);
    world.read_rc = CW_ENOMEM;
    assert_int_equal(find(""), CW_ENOMEM);
}

static void memory_that_is_out(void **state)
{
    (void)state;
    for (int rank = 0; rank < 2; rank++)
        for (int at = 1; at <= 2; at++) { /* of names, which the first has alone, and places */
            begin(rank, false);
            settings.verbose = false;
            world.known = (struct known){.any = true, .trees.n = TREES};
            world.starved_at = at;
            world.other_lacks = rank == 1 && at == 2; /* it lacks none itself */
            assert_int_equal(find(""), CW_ENOMEM);
            assert_string_equal(cw_error_message(), "a rank has no memory for the places of hosts");
            assert_int_equal(world.gathered, 0);
            nbc_places_free(&places);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rank_reads), cmocka_unit_test(others_are_told),
        cmocka_unit_test(none_is_known),        cmocka_unit_test(files_that_are_not_right),
        cmocka_unit_test(memory_that_is_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
