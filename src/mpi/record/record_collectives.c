#include "mpi/record/record_collectives.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/record/record_writer.h"

/* --- arguments ---------------------------------------------------------------------------------------------------- */

bool record_is_large(const struct record_function *function)
{
    const char *last = strrchr(function->name, '_');
    return last && strcmp(last, "_c") == 0;
}

/* A count, of which a word has more bits than an int. */
int64_t record_count(const struct record_function *function, intptr_t argument)
{
    return record_is_large(function) ? (int64_t)argument : (int64_t)(int)argument;
}

/* The I-th of an array of counts. */
int64_t record_count_at(const struct record_function *function, intptr_t array, int i)
{
    return record_is_large(function) ? (int64_t)((const MPI_Count *)array)[i] : (int64_t)((const int *)array)[i];
}

int64_t record_size(MPI_Datatype type)
{
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
    return (int64_t)size;
}

int64_t record_bytes(const struct record_function *function, intptr_t count, intptr_t type)
{
    return record_count(function, count) * record_size((MPI_Datatype)(type));
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

static void say_flow(int peer, int64_t bytes)
{
    if (bytes > 0) record_pair("", peer, bytes);
}

/* The data of a collective in which ranks have parts of different sizes: what this rank sends to whom. */
static void say_parts(enum cw_record_function base, const struct record_function *function, const intptr_t *of,
                      MPI_Comm comm)
{
    int n, me;
    PMPI_Comm_size(comm, &n);
    PMPI_Comm_rank(comm, &me);
    if (base == CW_RECORD_Gatherv) {
        if (me != (int)of[7]) say_flow((int)of[7], record_bytes(function, of[1], of[2]));
        return;
    }
    if (base == CW_RECORD_Scatterv && me != (int)of[7]) return;
    const bool in_place = base != CW_RECORD_Scatterv && (void *)of[0] == MPI_IN_PLACE;
    const int more = in_place ? 4 : 0; /* counts and types of what is received, instead */
    for (int i = 0; i < n; i++) {
        const MPI_Datatype type =
            base == CW_RECORD_Alltoallw ? ((const MPI_Datatype *)of[3 + more])[i] : (MPI_Datatype)(of[3 + more]);
        const int64_t count = record_count_at(function, of[1 + more], i);
        if (i != me && count > 0) say_flow(i, count * record_size(type));
    }
}

/* Whom this rank sends to in collectives of neighbours, as ranks of COMM: *OUT [returned], the caller's. */
static int find_neighbours(MPI_Comm comm, int **out)
{
    int kind = MPI_UNDEFINED, n = 0, into = 0, weighted, me;
    *out = NULL;
    PMPI_Topo_test(comm, &kind);
    PMPI_Comm_rank(comm, &me);
    if (kind == MPI_CART) PMPI_Cartdim_get(comm, &n);
    if (kind == MPI_GRAPH) PMPI_Graph_neighbors_count(comm, me, &n);
    if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &into, &n, &weighted);
    if (kind == MPI_CART) n *= 2;
    int *found = malloc((size_t)(n + into + 1) * sizeof *found);
    if (!found) return 0;
    if (kind == MPI_GRAPH) PMPI_Graph_neighbors(comm, me, n, found);
    if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors(comm, into, found + n, MPI_UNWEIGHTED, n, found, MPI_UNWEIGHTED);
    for (int d = 0; kind == MPI_CART && d < n / 2; d++) PMPI_Cart_shift(comm, d, 1, &found[2 * d], &found[2 * d + 1]);
    *out = found;
    return n;
}

static void say_neighbours(enum cw_record_function base, const struct record_function *function, const intptr_t *of,
                           MPI_Comm comm)
{
    int *peers;
    const int n = find_neighbours(comm, &peers);
    const bool counts = base == CW_RECORD_Neighbor_alltoallv || base == CW_RECORD_Neighbor_alltoallw;
    for (int i = 0; peers && i < n; i++) {
        if (peers[i] < 0) continue; /* MPI_PROC_NULL */
        const MPI_Datatype type = base == CW_RECORD_Neighbor_alltoallw ? ((const MPI_Datatype *)of[3])[i]
                                                                       : (MPI_Datatype)(of[counts ? 3 : 2]);
        say_flow(peers[i],
                 (counts ? record_count_at(function, of[1], i) : record_count(function, of[1])) * record_size(type));
    }
    free(peers);
}

/* A collective that is a schedule: its name, its root, and the bytes of it (traffic/schedule.h); NULL: it is none. */
static const char *schedule_of(enum cw_record_function base, const struct record_function *function, const intptr_t *of,
                               MPI_Comm comm, int *root, int64_t *bytes)
{
    int n, me;
    int64_t sum = 0;
    PMPI_Comm_size(comm, &n);
    PMPI_Comm_rank(comm, &me);
    *root = 0;
    *bytes = 0;
    switch (base) {
    case CW_RECORD_Barrier:
        return "barrier";
    case CW_RECORD_Bcast:
        *root = (int)of[3];
        *bytes = record_bytes(function, of[1], of[2]);
        return "bcast";
    case CW_RECORD_Reduce:
        *root = (int)of[5];
        *bytes = record_bytes(function, of[2], of[3]);
        return "reduce";
    case CW_RECORD_Allreduce:
        *bytes = record_bytes(function, of[2], of[3]);
        return "allreduce";
    case CW_RECORD_Scan:
        *bytes = record_bytes(function, of[2], of[3]);
        return "scan";
    case CW_RECORD_Exscan:
        *bytes = record_bytes(function, of[2], of[3]);
        return "exscan";
    case CW_RECORD_Scatter:
    case CW_RECORD_Gather: {
        const bool root_gives = base == CW_RECORD_Scatter;
        *root = (int)of[6];
        *bytes =
            (me == *root) == root_gives ? record_bytes(function, of[1], of[2]) : record_bytes(function, of[4], of[5]);
        return root_gives ? "scatter" : "gather";
    }
    case CW_RECORD_Allgather:
        *bytes = record_bytes(function, of[4], of[5]);
        return "allgather";
    case CW_RECORD_Alltoall:
        *bytes = record_bytes(function, of[4], of[5]);
        return "alltoall";
    case CW_RECORD_Allgatherv:
        for (int i = 0; i < n; i++) sum += record_count_at(function, of[4], i);
        *bytes = sum * record_size((MPI_Datatype)(of[6])) / n;
        return "allgather";
    case CW_RECORD_Reduce_scatter:
        for (int i = 0; i < n; i++) sum += record_count_at(function, of[2], i);
        *bytes = sum * record_size((MPI_Datatype)(of[3]));
        return "reduce-scatter";
    case CW_RECORD_Reduce_scatter_block:
        *bytes = n * record_bytes(function, of[2], of[3]);
        return "reduce-scatter";
    default:
        return NULL;
    }
}

static bool is_of_neighbours(enum cw_record_function base)
{
    return base == CW_RECORD_Neighbor_allgather || base == CW_RECORD_Neighbor_allgatherv ||
           base == CW_RECORD_Neighbor_alltoall || base == CW_RECORD_Neighbor_alltoallv ||
           base == CW_RECORD_Neighbor_alltoallw;
}

void record_say_collective(enum cw_record_function base, const struct record_function *function, const intptr_t *of,
                           int comm, int64_t id)
{
    const MPI_Comm handle = (MPI_Comm)of[function->comm];
    int root;
    int64_t bytes;
    const char *name = schedule_of(base, function, of, handle, &root, &bytes);
    if (id >= 0)
        record_word(name ? "*" : "v", id);
    else
        record_text(name ? "*" : "v");
    record_word("", comm);
    if (name) {
        record_text(name);
        record_word("", root);
        record_word("", bytes);
    } else if (is_of_neighbours(base)) {
        say_neighbours(base, function, of, handle);
    } else {
        say_parts(base, function, of, handle);
    }
}
