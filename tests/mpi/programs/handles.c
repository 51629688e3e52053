/*
 * An operation of the program's own that knows its datatype by handle, attribute and name, while datatypes and the
 * operation are freed before it is applied; one of the datatypes is freed twice, as often as the program got it.
 *
 *   handles [COUNT]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Datatype point;
static int key, copies, deletions, strange;

static int copy(MPI_Datatype type, int keyval, void *extra, void *value, void *out, int *flag)
{
    (void)type, (void)keyval, (void)extra;
    copies++;
    *(void **)out = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete (MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type, (void)keyval, (void)value, (void)extra;
    deletions++;
    return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, found;
    void *value;
    MPI_Type_get_attr(*type, key, &value, &found);
    MPI_Type_get_name(*type, name, &length);
    strange += *type != point || !found || strcmp(name, "point") != 0;
    for (int i = 0; i < 2 * *count; i++) ((long *)inout)[i] += ((long *)in)[i];
}

static void make_point(void)
{
    MPI_Type_contiguous(2, MPI_LONG, &point);
    MPI_Type_commit(&point);
    MPI_Type_set_name(point, "point");
    MPI_Type_set_attr(point, key, &key);
}

/* From a type that is made of it: MPI hands the same one out, or another. */
static void get_again(MPI_Datatype *type)
{
    MPI_Datatype pair, none[1];
    int integer;
    MPI_Aint no_address;
    MPI_Type_contiguous(2, *type, &pair);
    MPI_Type_get_contents(pair, 1, 0, 1, &integer, &no_address, none);
    MPI_Type_free(&pair);
    *type = none[0];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int count = argc > 1 ? atoi(argv[1]) : 10000;
    int rank, wrong = 0;
    long *own = malloc(2 * (size_t)count * sizeof *own), *sum = malloc(2 * (size_t)count * sizeof *sum);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 * count; i++) own[i] = i * (rank + 1L);
    MPI_Type_create_keyval(copy, delete, &key, NULL);
    for (int round = 0; round < 20; round++) {
        MPI_Request request;
        MPI_Op op;
        make_point();
        MPI_Datatype once = point, again = point;
        if (round % 2) get_again(&again);
        MPI_Op_create(add, round % 4 < 2, &op);
        MPI_Iallreduce(own, sum, count, point, op, MPI_COMM_WORLD, &request);
        MPI_Op_free(&op);
        MPI_Type_free(&once);
        if (round % 2) MPI_Type_free(&again);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong += op != MPI_OP_NULL || once != MPI_DATATYPE_NULL;
        for (int i = 0; i < 2 * count; i++) wrong += sum[i] % (i ? i : 1) != 0;
    }
    MPI_Type_free_keyval(&key);
    long last = sum[2 * count - 1], all;
    MPI_Reduce(&last, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    wrong += strange;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("handles: %ld, %d wrong, copied %d, deleted %d\n", all, wrong, copies, deletions);
    free(own);
    free(sum);
    MPI_Finalize();
    return 0;
}
