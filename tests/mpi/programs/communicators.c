/*
 * Communicators made by all functions of MPI, some from others, some by a part of the ranks; collectives on all of them
 * at once, which ranks begin in different orders, and which must not take one another's data; and again after half of
 * them were freed. Nobody waits for others when he begins the first collective on a communicator.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32, COUNT = 12000, ROUNDS = 6 };

static MPI_Comm comms[MOST];
static int n_comms, rank, ranks;
static uint64_t checksum;

static void add(MPI_Comm comm)
{
    comms[n_comms++] = comm; /* or MPI_COMM_NULL: others have it */
}

/* The same calls in the same order on all ranks of PARENT. */
static void make_from(MPI_Comm parent)
{
    MPI_Comm comm;
    MPI_Group group, first, part;
    int me, n, periodic = 1, kept = 1, from, to, weight = 1;
    MPI_Comm_rank(parent, &me);
    MPI_Comm_size(parent, &n);
    MPI_Comm_dup(parent, &comm);
    add(comm);
    MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &comm);
    add(comm);
    MPI_Comm_split(parent, me % 2, -me, &comm); /* two at once */
    add(comm);
    MPI_Comm_split(parent, me > 0 ? 0 : MPI_UNDEFINED, me, &comm);
    add(comm);
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &comm);
    add(comm);
    MPI_Comm_group(parent, &group);
    MPI_Group_incl(group, 1, (int[]){0}, &first);
    MPI_Group_difference(group, first, &part);
    MPI_Comm_create(parent, part, &comm);
    add(comm);
    for (int i = 0; i < 2; i++) { /* by the others alone: they know of more than the first does */
        comm = MPI_COMM_NULL;
        if (me > 0) MPI_Comm_create_group(parent, part, 3, &comm);
        add(comm);
    }
    MPI_Cart_create(parent, 1, &n, &periodic, 0, &comm);
    add(comm);
    MPI_Cart_sub(comms[n_comms - 1], &kept, &comm);
    add(comm);
    from = (me + n - 1) % n;
    to = (me + 1) % n;
    MPI_Dist_graph_create_adjacent(parent, 1, &from, &weight, 1, &to, &weight, MPI_INFO_NULL, 0, &comm);
    add(comm);
    MPI_Comm_dup(comms[n_comms - 1], &comm);
    add(comm);
    MPI_Group_free(&first);
    MPI_Group_free(&part);
    MPI_Group_free(&group);
}

static void make_merged(void)
{
    MPI_Comm half, between, comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &between);
    MPI_Intercomm_merge(between, rank % 2, &comm);
    add(half);
    add(comm);
    MPI_Comm_dup(comm, &comm);
    add(comm);
    MPI_Comm_free(&between);
}

static uint32_t given(int round, int i, int who)
{
    return (uint32_t)(round * 1000003 + i * 10007 + who * 101 + 1);
}

static void sum_all(int round)
{
    static uint32_t in[MOST][COUNT], out[MOST][COUNT];
    MPI_Request requests[MOST];
    int token = 0;
    for (int k = 0; k < n_comms; k++) { /* every rank in another order */
        const int i = (rank % 2 ? n_comms - 1 - k : k + rank) % n_comms;
        requests[i] = MPI_REQUEST_NULL;
        for (int j = 0; j < COUNT; j++) out[i][j] = given(round, i, rank) + (uint32_t)j;
        if (comms[i] != MPI_COMM_NULL)
            MPI_Iallreduce(out[i], in[i], COUNT, MPI_UINT32_T, MPI_SUM, comms[i], &requests[i]);
    }
    if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 9, MPI_COMM_WORLD); /* nobody has waited */
    if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(n_comms, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n_comms; i++)
        for (int j = 0; j < COUNT && comms[i] != MPI_COMM_NULL; j++) checksum = checksum * 31 + in[i][j];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    make_from(MPI_COMM_WORLD);
    make_merged();
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm parent = round % 2 ? comms[0] : MPI_COMM_WORLD;
        sum_all(round);
        for (int i = n_comms / 2; i < n_comms; i++)
            if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
        n_comms /= 2;
        make_from(parent);
    }
    uint64_t all;
    MPI_Reduce(&checksum, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("communicators: %016llx\n", (unsigned long long)all);
    for (int i = 0; i < n_comms; i++)
        if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
