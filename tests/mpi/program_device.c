/*
 * Collectives whose buffers are in the memory of a device: of no rank, of all, or of one that comes to the first of two
 * after the others. The driver is that of preload_cuda.c or preload_hip.c, which the program loads for itself; the
 * memory is not really one's, so that any MPI can use it. Prints the sum of all results.
 *
 *   program_device DRIVER none|all|one [careful]
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COUNT = 20000, COLLECTIVES = 9, RANKS = 3 };

#define FAKE_DEVICE 0x500000000000ull

static int rank;
static MPI_Datatype shifted; /* a number behind one that is left alone: it does not begin where its buffer does */

static void add(void *from, void *into, int *n, MPI_Datatype *type)
{
    const int first = *type == shifted;
    for (int i = first; i < *n + first; i++) ((uint32_t *)into)[i] += ((uint32_t *)from)[i];
}

static void start(int collective, uint32_t *give, uint32_t *take, MPI_Comm comm, MPI_Op own, MPI_Request *request)
{
    switch (collective) {
    case 0:
        MPI_Ibcast(take, COUNT, MPI_UINT32_T, 0, comm, request);
        break;
    case 1:
        MPI_Ireduce(give, take, COUNT, MPI_UINT32_T, MPI_SUM, 1, comm, request);
        break;
    case 2:
        MPI_Iallreduce(MPI_IN_PLACE, take, COUNT, MPI_UINT32_T, MPI_SUM, comm, request);
        break;
    case 3:
        MPI_Iscatter(give, COUNT, MPI_UINT32_T, take, COUNT, MPI_UINT32_T, 1, comm, request);
        break;
    case 4:
        MPI_Igather(give, COUNT, MPI_UINT32_T, take, COUNT, MPI_UINT32_T, 1, comm, request);
        break;
    case 5:
        MPI_Iallgather(give, COUNT, MPI_UINT32_T, take, COUNT, MPI_UINT32_T, comm, request);
        break;
    case 6:
        MPI_Ialltoall(give, COUNT, MPI_UINT32_T, take, COUNT, MPI_UINT32_T, comm, request);
        break;
    case 7:
        MPI_Iallreduce(give, take, COUNT, MPI_UINT32_T, own, comm, request);
        break;
    default:
        MPI_Iallreduce(give, take, COUNT, shifted, own, comm, request);
    }
}

/* Rank 1 comes last. CAREFUL: until it waits nothing has come into its memory, which is that of a device. */
static void run(int collective, uint32_t *give, uint32_t *take, MPI_Comm comm, MPI_Op own, int careful)
{
    MPI_Request request;
    const uint32_t before = take[COUNT - 1];
    int token = 0;
    if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    start(collective, give, take, comm, own, &request);
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (careful && rank == 1) {
        MPI_Recv(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (take[COUNT - 1] != before) MPI_Abort(MPI_COMM_WORLD, 4);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (careful && rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    if (argc < 3 || !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) return 2;
    const size_t bytes = (size_t)RANKS * COUNT * sizeof(uint32_t);
    MPI_Op own;
    uint64_t checksum = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &own);
    MPI_Type_create_indexed_block(1, 1, (const int[]){1}, MPI_UINT32_T, &shifted);
    MPI_Type_commit(&shifted);
    const int device = strcmp(argv[2], "all") == 0 || (strcmp(argv[2], "one") == 0 && rank == 1);
    char *memory = device ? mmap((void *)FAKE_DEVICE, 2 * bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)
                          : malloc(2 * bytes);
    if (!memory || memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 3);
    uint32_t *give = (uint32_t *)(void *)memory, *take = (uint32_t *)(void *)(memory + bytes);
    for (int i = 0; i < 2 * COLLECTIVES; i++) {
        static MPI_Comm comm;
        if (i % 2 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (uint32_t j = 0; j < RANKS * COUNT; j++) {
            give[j] = j * 7 + (uint32_t)(rank + i);
            take[j] = j * 3 + (uint32_t)(rank * 5 + i);
        }
        run(i / 2, give, take, comm, own, argc > 3 && i == 0);
        for (uint32_t j = 0; j < RANKS * COUNT; j++) checksum = checksum * 31 + take[j];
        if (i % 2) MPI_Comm_free(&comm);
    }
    MPI_Reduce(&checksum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("device: %016llx\n", (unsigned long long)all);
    MPI_Op_free(&own);
    MPI_Type_free(&shifted);
    MPI_Finalize();
    return 0;
}
