/*
 * The collectives of MPI 4 that count in MPI_Count, on types that were made so, too: nonblocking and persistent.
 *
 *   large_counts [BYTES]      of the broadcast and the allreduce at the end: more than an int can count, say
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000 };
enum { BCAST, REDUCE, ALLREDUCE, SCATTER, GATHER, ALLGATHER, ALLTOALL, ALL };

static int rank, ranks;
static uint64_t checksum;

struct fields {
    uint32_t *given, *told, *sum, *total, *part, *all, *every, *turned; /* [N], or [ranks][N] */
};

static uint32_t *new_field(int n)
{
    uint32_t *field = calloc((size_t)n * N, sizeof *field);
    if (!field) MPI_Abort(MPI_COMM_WORLD, 1);
    return field;
}

static void fill(const struct fields *f, uint32_t round)
{
    for (uint32_t i = 0; i < (uint32_t)ranks * N; i++) f->given[i] = i * 31 + round * 7 + (uint32_t)rank;
    for (uint32_t i = 0; i < N && rank == ranks - 1; i++) f->told[i] = i ^ round;
}

static void add(const uint32_t *field, int n)
{
    for (int i = 0; i < n * N; i++) checksum = checksum * 33 + field[i];
}

static void add_all(const struct fields *f)
{
    add(f->told, 1);
    add(f->total, 1);
    add(f->part, 1);
    add(f->every, ranks);
    add(f->turned, ranks);
    if (rank != 1) return; /* the root of these */
    add(f->sum, 1);
    add(f->all, ranks);
}

/* COUNT elements of TYPE are N numbers. */
static void immediate(const struct fields *f, MPI_Count count, MPI_Datatype type, MPI_Request requests[])
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Ibcast_c(f->told, count, type, ranks - 1, comm, &requests[BCAST]);
    MPI_Ireduce_c(f->given, f->sum, N, MPI_UINT32_T, MPI_SUM, 1, comm, &requests[REDUCE]);
    MPI_Iallreduce_c(f->given, f->total, N, MPI_UINT32_T, MPI_SUM, comm, &requests[ALLREDUCE]);
    MPI_Iscatter_c(f->given, count, type, f->part, N, MPI_UINT32_T, 1, comm, &requests[SCATTER]);
    MPI_Igather_c(f->given, N, MPI_UINT32_T, f->all, count, type, 1, comm, &requests[GATHER]);
    MPI_Iallgather_c(f->given, count, type, f->every, count, type, comm, &requests[ALLGATHER]);
    MPI_Ialltoall_c(f->given, count, type, f->turned, N, MPI_UINT32_T, comm, &requests[ALLTOALL]);
}

static void persistent(const struct fields *f, MPI_Request requests[])
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    const MPI_Info info = MPI_INFO_NULL;
    const MPI_Datatype type = MPI_UINT32_T;
    MPI_Bcast_init_c(f->told, N, type, ranks - 1, comm, info, &requests[BCAST]);
    MPI_Reduce_init_c(f->given, f->sum, N, type, MPI_SUM, 1, comm, info, &requests[REDUCE]);
    MPI_Allreduce_init_c(f->given, f->total, N, type, MPI_SUM, comm, info, &requests[ALLREDUCE]);
    MPI_Scatter_init_c(f->given, N, type, f->part, N, type, 1, comm, info, &requests[SCATTER]);
    MPI_Gather_init_c(f->given, N, type, f->all, N, type, 1, comm, info, &requests[GATHER]);
    MPI_Allgather_init_c(f->given, N, type, f->every, N, type, comm, info, &requests[ALLGATHER]);
    MPI_Alltoall_init_c(f->given, N, type, f->turned, N, type, comm, info, &requests[ALLTOALL]);
}

/* As rows without gaps, and with every second number of each: what is between stays 0. */
static void try_types(const struct fields *f)
{
    MPI_Datatype row, sparse;
    MPI_Request requests[ALL];
    MPI_Type_contiguous_c(10, MPI_UINT32_T, &row);
    MPI_Type_commit(&row);
    MPI_Type_vector_c(5, 1, 2, MPI_UINT32_T, &sparse);
    MPI_Type_commit(&sparse);
    fill(f, 1);
    immediate(f, N / 10, row, requests);
    MPI_Type_free(&row);
    MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
    add_all(f);
    fill(f, 2);
    MPI_Ibcast_c(f->told, N / 10, sparse, 0, MPI_COMM_WORLD, &requests[BCAST]);
    MPI_Wait(&requests[BCAST], MPI_STATUS_IGNORE);
    MPI_Type_free(&sparse);
    add(f->told, 1);
}

/* Started once: at the second start scatters, gathers and allgathers of MPICH 4.0.2 itself bring what they brought at
 * the first. */
static void try_persistent(const struct fields *f)
{
    MPI_Request requests[ALL];
    fill(f, 3);
    persistent(f, requests);
    MPI_Startall(ALL, requests);
    MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
    add_all(f);
    for (int i = 0; i < ALL; i++) MPI_Request_free(&requests[i]);
}

/* Element I is I mod 251, and the sum over ranks. */
static void try_long(MPI_Count bytes)
{
    uint8_t *field = malloc((size_t)bytes);
    MPI_Request request;
    if (!field) MPI_Abort(MPI_COMM_WORLD, 1);
    for (MPI_Count i = 0; i < bytes; i++) field[i] = rank == 0 ? (uint8_t)(i % 251) : 0;
    MPI_Ibcast_c(field, bytes, MPI_UINT8_T, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce_c(MPI_IN_PLACE, field, bytes, MPI_UINT8_T, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    uint64_t wrong = 0;
    for (MPI_Count i = 0; i < bytes; i++) wrong += field[i] != (uint8_t)(i % 251 * ranks);
    checksum += 1000000007 * wrong;
    free(field);
}

int main(int argc, char **argv)
{
    uint64_t all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct fields f = {new_field(ranks), new_field(1),     new_field(1),     new_field(1),
                       new_field(1),     new_field(ranks), new_field(ranks), new_field(ranks)};
    try_types(&f);
    try_persistent(&f);
    try_long(argc > 1 ? atoll(argv[1]) : 100000);
    MPI_Reduce(&checksum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("large_counts: %016llx\n", (unsigned long long)all);
    uint32_t *fields[] = {f.given, f.told, f.sum, f.total, f.part, f.all, f.every, f.turned};
    for (int i = 0; i < 8; i++) free(fields[i]);
    MPI_Finalize();
    return 0;
}
