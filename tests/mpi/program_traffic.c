/*
 * Traffic that is known beforehand, for whoever looks on: program_traffic MODE TIMES BYTES [WORK].
 *
 *     ring      Isend to the next rank, Irecv, Waitall
 *     halo      both neighbours in a row of ranks, by persistent requests
 *     alltoall  MPI_Alltoall of so many bytes for each rank
 *     split     in each half of the world, a broadcast from its last rank, and Sendrecv among its ranks
 *     wild      all others send to rank 0, which takes them from any rank, the last one first
 *     parts     MPI_Alltoallv: rank r sends (r + 1) · BYTES to the next one, and nothing to others
 *     poll      a ring that asks MPI_Test until it is done
 *     probe     a ring whose messages are found by MPI_Mprobe or MPI_Improbe before they are received
 *     endless   a ring without end; rank r writes into the file done.r how many times it has been round
 *
 * WORK are microseconds that each rank computes in between. In a ring, ranks stand in the order that ORDER in the
 * environment names, "2,0,1": first rank 2, then rank 0; without it, in their own. Rank 0 prints the seconds from
 * MPI_Init to MPI_Finalize.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, n, bytes;
static MPI_Comm line = MPI_COMM_WORLD; /* ranks in the order of the ring */
static char *sent, *got;

static void compute(double microseconds)
{
    const double end = MPI_Wtime() + 1e-6 * microseconds;
    while (MPI_Wtime() < end) continue;
}

static void stand_in_line(const char *order)
{
    int place = 0;
    for (const char *at = order; at && atoi(at) != rank; place++) at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, place, &line);
}

static void ring(void)
{
    MPI_Request requests[2];
    int place;
    MPI_Comm_rank(line, &place);
    MPI_Irecv(got, bytes, MPI_CHAR, (place + n - 1) % n, 5, line, &requests[0]);
    MPI_Isend(sent, bytes, MPI_CHAR, (place + 1) % n, 5, line, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void poll_ring(void)
{
    MPI_Request requests[2];
    int done = 0;
    MPI_Irecv(got, bytes, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, bytes, MPI_CHAR, (rank + 1) % n, 5, MPI_COMM_WORLD, &requests[1]);
    while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
}

static void probe(void)
{
    MPI_Request requests[2];
    MPI_Message message;
    int found = rank % 2;
    MPI_Isend(sent, bytes, MPI_CHAR, (rank + 1) % n, 5, MPI_COMM_WORLD, &requests[0]);
    if (found) MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    while (!found) MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(got, bytes, MPI_CHAR, &message, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void halo(int times, double work)
{
    MPI_Request requests[4];
    const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank + 1 < n ? rank + 1 : MPI_PROC_NULL;
    MPI_Recv_init(got, bytes, MPI_CHAR, before, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(got + bytes, bytes, MPI_CHAR, after, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(sent, bytes, MPI_CHAR, before, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(sent, bytes, MPI_CHAR, after, 1, MPI_COMM_WORLD, &requests[3]);
    for (int i = 0; i < times; i++) {
        compute(work);
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; i++) MPI_Request_free(&requests[i]);
}

static void split(void)
{
    MPI_Comm half;
    int place, size;
    MPI_Comm_split(MPI_COMM_WORLD, rank < n / 2, -rank, &half);
    MPI_Comm_rank(half, &place);
    MPI_Comm_size(half, &size);
    MPI_Bcast(sent, bytes, MPI_CHAR, size - 1, half);
    MPI_Sendrecv(sent, bytes, MPI_CHAR, (place + 1) % size, 3, got, bytes, MPI_CHAR, (place + size - 1) % size, 3, half,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
}

static void wild(void)
{
    int turn = 0;
    if (rank > 0) { /* the last one first: each waits for the word of the next */
        if (rank + 1 < n) MPI_Recv(&turn, 1, MPI_INT, rank + 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(sent, bytes * rank, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
        if (rank > 1) MPI_Send(&turn, 1, MPI_INT, rank - 1, 9, MPI_COMM_WORLD);
    }
    for (int i = 1; rank == 0 && i < n; i++)
        MPI_Recv(got, bytes * n, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void parts(void)
{
    int *counts = calloc((size_t)(4 * n), sizeof *counts);
    counts[(rank + 1) % n] = (rank + 1) * bytes;
    counts[n + (rank + n - 1) % n] = ((rank + n - 1) % n + 1) * bytes;
    MPI_Alltoallv(sent, counts, counts + 2 * n, MPI_CHAR, got, counts + n, counts + 3 * n, MPI_CHAR, MPI_COMM_WORLD);
    free(counts);
}

/* Collectives in which ranks have parts of their own lengths, and types, on three ranks. A fourth stands behind what
 * MPI looks at. */
static void uneven_parts(void)
{
    static const int lengths[] = {1, 2, 3, 9}, places[] = {0, 1, 3}, threes[] = {3, 3, 3, 3};
    static const int bytes_apart[] = {0, 64, 128};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_INT};
    const MPI_Datatype own[] = {types[rank], types[rank], types[rank]};
    const int pairs[] = {rank + 1, rank + 2, rank + 3, 9}, after[] = {0, pairs[0], pairs[0] + pairs[1]};
    MPI_Scatterv(sent, lengths, places, MPI_INT, got, lengths[rank], MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Gatherv(sent, lengths[rank], MPI_INT, got, lengths, places, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_CHAR, got, pairs, after, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(sent, threes, bytes_apart, types, got, threes, bytes_apart, own, MPI_COMM_WORLD);
}

/* Those among neighbours: in a row, whose ends have one, in a star, and in one direction round a ring. */
static void neighbours(void)
{
    static const int to[] = {1, 2}, from[] = {2, 1}, places[] = {0, 2}, fives[] = {5, 5};
    static const MPI_Aint apart[] = {0, 64};
    const MPI_Datatype to_types[] = {MPI_CHAR, MPI_DOUBLE}, from_types[] = {MPI_DOUBLE, MPI_CHAR};
    const int next = (rank + 1) % n, before = (rank + n - 1) % n;
    MPI_Comm row, star, ring_of_all;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, (int[]){0}, 0, &row);
    MPI_Neighbor_allgather(sent, 14, MPI_INT, got, 14, MPI_INT, row);
    MPI_Neighbor_allgatherv(sent, 2, MPI_INT, got, (int[]){2, 2}, places, MPI_INT, row);
    MPI_Neighbor_alltoall(sent, 3, MPI_INT, got, 3, MPI_INT, row);
    MPI_Neighbor_alltoallv(sent, to, places, MPI_INT, got, from, places, MPI_INT, row);
    MPI_Neighbor_alltoallw(sent, fives, apart, to_types, got, fives, apart, from_types, row);
    MPI_Graph_create(MPI_COMM_WORLD, n, (int[]){2, 3, 4}, (int[]){1, 2, 0, 0}, 0, &star);
    MPI_Neighbor_allgather(sent, 4, MPI_INT, got, 4, MPI_INT, star);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &n, 1, &next, &n, MPI_INFO_NULL, 0, &ring_of_all);
    MPI_Neighbor_allgather(sent, 6, MPI_INT, got, 6, MPI_INT, ring_of_all);
    MPI_Comm_free(&ring_of_all);
    MPI_Comm_free(&star);
    MPI_Comm_free(&row);
}

/* Every collective that is a schedule, each of its own length, on three ranks; what MPI does not look at is wrong. */
static void each(void)
{
    static const int uneven[] = {1, 2, 6, 9}, places[] = {0, 1, 3}, uneven_too[] = {1, 2, 3, 9};
    const int first = rank == 1, last = rank == 2;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(got, 10, MPI_CHAR, 2, MPI_COMM_WORLD);
    MPI_Reduce(sent, got, 3, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Allreduce(sent, got, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(sent, got, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(sent, got, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scatter(sent, first ? 7 : 1, MPI_INT, first ? MPI_IN_PLACE : got, first ? 1 : 28, MPI_CHAR, 1, MPI_COMM_WORLD);
    MPI_Gather(last ? MPI_IN_PLACE : sent, last ? 1 : 8, MPI_INT, got, last ? 32 : 1, MPI_CHAR, 2, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_CHAR, got, 9, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 1, MPI_CHAR, got, 11, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(sent, uneven[rank], MPI_INT, got, uneven, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(sent, got, uneven_too, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(sent, got, 13, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    uneven_parts();
    neighbours();
}

static void endless(void)
{
    char name[32];
    snprintf(name, sizeof name, "done.%d", rank);
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int64_t i = 1; file >= 0; i++) {
        ring();
        const int length = snprintf(name, sizeof name, "%20lld\n", (long long)i);
        if (pwrite(file, name, (size_t)length, 0) != length) return;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const double begin = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc < 4) return 2;
    const char *mode = argv[1];
    const int times = atoi(argv[2]);
    const double work = argc > 4 ? atof(argv[4]) : 0;
    bytes = atoi(argv[3]);
    sent = calloc((size_t)(n + 2) * (size_t)n, (size_t)bytes);
    got = calloc((size_t)(n + 2) * (size_t)n, (size_t)bytes);
    if (!sent || !got) MPI_Abort(MPI_COMM_WORLD, 1);
    if (getenv("ORDER")) stand_in_line(getenv("ORDER"));
    if (strcmp(mode, "halo") == 0) halo(times, work);
    if (strcmp(mode, "endless") == 0) endless();
    for (int i = 0; strcmp(mode, "halo") != 0 && i < times; i++) {
        if (work > 0) compute(work);
        if (strcmp(mode, "ring") == 0) ring();
        if (strcmp(mode, "poll") == 0) poll_ring();
        if (strcmp(mode, "probe") == 0) probe();
        if (strcmp(mode, "alltoall") == 0) MPI_Alltoall(sent, bytes, MPI_CHAR, got, bytes, MPI_CHAR, MPI_COMM_WORLD);
        if (strcmp(mode, "split") == 0) split();
        if (strcmp(mode, "wild") == 0) wild();
        if (strcmp(mode, "parts") == 0) parts();
        if (strcmp(mode, "each") == 0) each();
    }
    const double seconds = MPI_Wtime() - begin;
    free(sent);
    free(got);
    MPI_Finalize();
    if (rank == 0) printf("%.6f\n", seconds);
    return 0;
}
