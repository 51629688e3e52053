/*
 * The functions of MPI that can be overlapped, and their parameters, which stand here and nowhere else. nbc_forward.c,
 * which knows no MPI, and src/mpi/nbc, which does, make theirs of this list: those of MPI's own, those to which they
 * are forwarded, and the public ones that start a collective. And all other collectives, which are only counted, and
 * what makes communicators. What is recorded of programs (record_functions.h) is more.
 */
#ifndef CW_PRELOAD_NBC_FUNCTIONS_H
#define CW_PRELOAD_NBC_FUNCTIONS_H

#include <limits.h>

/* What a function cw_preload_* returns, instead of a code of MPI, for a call that is MPI's own: the preload library
 * then makes that call as if nothing stood in between, which is quicker than from here. */
#define CW_NBC_LEFT_TO_MPI INT_MIN

/* EACH(KIND, NAME, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT) of each collective: CW_COLLECTIVE_KIND, its name, those of
 * its functions in MPI, nonblocking and persistent, and what their parameters are. Names end in SUFFIX, and elements
 * are counted in COUNT: both are handed on. */
#define CW_NBC_FUNCTIONS(EACH, SUFFIX, COUNT)                                                                          \
    EACH(BCAST, bcast, Ibcast, Bcast_init, BUFFER, SUFFIX, COUNT)                                                      \
    EACH(REDUCE, reduce, Ireduce, Reduce_init, REDUCTION, SUFFIX, COUNT)                                               \
    EACH(ALLREDUCE, allreduce, Iallreduce, Allreduce_init, REDUCTION_TO_ALL, SUFFIX, COUNT)                            \
    EACH(SCATTER, scatter, Iscatter, Scatter_init, BLOCKS, SUFFIX, COUNT)                                              \
    EACH(GATHER, gather, Igather, Gather_init, BLOCKS, SUFFIX, COUNT)                                                  \
    EACH(ALLGATHER, allgather, Iallgather, Allgather_init, BLOCKS_OF_ALL, SUFFIX, COUNT)                               \
    EACH(ALLTOALL, alltoall, Ialltoall, Alltoall_init, BLOCKS_OF_ALL, SUFFIX, COUNT)

/* Parameters of a shape. Those for the request, and for the info of persistent ones before it, are the same for all and
 * follow. */
#define CW_NBC_TYPED_BUFFER(COUNT) void *recv, COUNT recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm
#define CW_NBC_TYPED_REDUCTION(COUNT)                                                                                  \
    const void *send, void *recv, COUNT recv_count, MPI_Datatype recv_type, MPI_Op op, int root, MPI_Comm comm
#define CW_NBC_TYPED_REDUCTION_TO_ALL(COUNT)                                                                           \
    const void *send, void *recv, COUNT recv_count, MPI_Datatype recv_type, MPI_Op op, MPI_Comm comm
#define CW_NBC_TYPED_BLOCKS(COUNT)                                                                                     \
    const void *send, COUNT send_count, MPI_Datatype send_type, void *recv, COUNT recv_count, MPI_Datatype recv_type,  \
        int root, MPI_Comm comm
#define CW_NBC_TYPED_BLOCKS_OF_ALL(COUNT)                                                                              \
    const void *send, COUNT send_count, MPI_Datatype send_type, void *recv, COUNT recv_count, MPI_Datatype recv_type,  \
        MPI_Comm comm

/* The same names, each behind OF: nothing, a type, or `call->`. */
#define CW_NBC_NAMED_BUFFER(OF)           OF recv, OF recv_count, OF recv_type, OF root, OF comm
#define CW_NBC_NAMED_REDUCTION(OF)        OF send, OF recv, OF recv_count, OF recv_type, OF op, OF root, OF comm
#define CW_NBC_NAMED_REDUCTION_TO_ALL(OF) OF send, OF recv, OF recv_count, OF recv_type, OF op, OF comm
#define CW_NBC_NAMED_BLOCKS(OF)                                                                                        \
    OF send, OF send_count, OF send_type, OF recv, OF recv_count, OF recv_type, OF root, OF comm
#define CW_NBC_NAMED_BLOCKS_OF_ALL(OF)                                                                                 \
    OF send, OF send_count, OF send_type, OF recv, OF recv_count, OF recv_type, OF comm

/* EACH(NAME, N, COMM, SUFFIX) of collectives that are MPI's own whatever they move, but have a place in the order of
 * calls that all ranks of a communicator must keep: N arguments, of which COMM, by its letter, is the communicator. */
#define CW_NBC_COUNTED(EACH, SUFFIX)                                                                                   \
    EACH(Bcast, 5, e, SUFFIX)                                                                                          \
    EACH(Reduce, 7, g, SUFFIX)                                                                                         \
    EACH(Allreduce, 6, f, SUFFIX)                                                                                      \
    EACH(Scatter, 8, h, SUFFIX)                                                                                        \
    EACH(Gather, 8, h, SUFFIX)                                                                                         \
    EACH(Allgather, 7, g, SUFFIX)                                                                                      \
    EACH(Alltoall, 7, g, SUFFIX)                                                                                       \
    EACH(Scatterv, 9, i, SUFFIX)                                                                                       \
    EACH(Gatherv, 9, i, SUFFIX)                                                                                        \
    EACH(Allgatherv, 8, h, SUFFIX)                                                                                     \
    EACH(Alltoallv, 9, i, SUFFIX)                                                                                      \
    EACH(Alltoallw, 9, i, SUFFIX)                                                                                      \
    EACH(Scan, 6, f, SUFFIX)                                                                                           \
    EACH(Exscan, 6, f, SUFFIX)                                                                                         \
    EACH(Reduce_scatter, 6, f, SUFFIX)                                                                                 \
    EACH(Reduce_scatter_block, 6, f, SUFFIX)                                                                           \
    EACH(Neighbor_allgather, 7, g, SUFFIX)                                                                             \
    EACH(Neighbor_allgatherv, 8, h, SUFFIX)                                                                            \
    EACH(Neighbor_alltoall, 7, g, SUFFIX)                                                                              \
    EACH(Neighbor_alltoallv, 9, i, SUFFIX)                                                                             \
    EACH(Neighbor_alltoallw, 9, i, SUFFIX)                                                                             \
    EACH(Iscatterv, 10, i, SUFFIX)                                                                                     \
    EACH(Igatherv, 10, i, SUFFIX)                                                                                      \
    EACH(Iallgatherv, 9, h, SUFFIX)                                                                                    \
    EACH(Ialltoallv, 10, i, SUFFIX)                                                                                    \
    EACH(Ialltoallw, 10, i, SUFFIX)                                                                                    \
    EACH(Iscan, 7, f, SUFFIX)                                                                                          \
    EACH(Iexscan, 7, f, SUFFIX)                                                                                        \
    EACH(Ireduce_scatter, 7, f, SUFFIX)                                                                                \
    EACH(Ireduce_scatter_block, 7, f, SUFFIX)                                                                          \
    EACH(Ineighbor_allgather, 8, g, SUFFIX)                                                                            \
    EACH(Ineighbor_allgatherv, 9, h, SUFFIX)                                                                           \
    EACH(Ineighbor_alltoall, 8, g, SUFFIX)                                                                             \
    EACH(Ineighbor_alltoallv, 10, i, SUFFIX)                                                                           \
    EACH(Ineighbor_alltoallw, 10, i, SUFFIX)
/* Those without counts, of which there is one version only. */
#define CW_NBC_COUNTED_BARRIERS(EACH) EACH(Barrier, 1, a, ) EACH(Ibarrier, 2, a, )

/* EACH(NAME, N): what makes a communicator, its last argument of N. */
#define CW_NBC_COMMUNICATORS(EACH)                                                                                     \
    EACH(Comm_dup, 2)                                                                                                  \
    EACH(Comm_dup_with_info, 3)                                                                                        \
    EACH(Comm_create, 3)                                                                                               \
    EACH(Comm_create_group, 4)                                                                                         \
    EACH(Comm_split, 4)                                                                                                \
    EACH(Comm_split_type, 5)                                                                                           \
    EACH(Cart_create, 6)                                                                                               \
    EACH(Cart_sub, 3)                                                                                                  \
    EACH(Graph_create, 6)                                                                                              \
    EACH(Dist_graph_create, 9)                                                                                         \
    EACH(Dist_graph_create_adjacent, 10)                                                                               \
    EACH(Intercomm_merge, 3)

/* CW_NBC_CALLS_Bcast, … */
#define CW_NBC_CALLS_CODE(NAME, N, COMM, SUFFIX) CW_NBC_CALLS_##NAME,
enum cw_nbc_calls { CW_NBC_COUNTED(CW_NBC_CALLS_CODE, ) CW_NBC_COUNTED_BARRIERS(CW_NBC_CALLS_CODE) CW_NBC_CALLS };

#endif
