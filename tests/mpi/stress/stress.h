/*
 * Nonblocking collectives under stress: operations drawn from a seed, alike on all ranks, are started and completed in
 * ways that are drawn for each rank; what they leave in memory, gaps included, must be what MPI's blocking collectives
 * leave. A program of plain MPI: it tests whatever library it runs with.
 */
#ifndef STRESS_H
#define STRESS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Draws: the next number of a state that a key began; one of 0 … n-1. */
uint64_t draw(uint64_t *state);
unsigned below(uint64_t *state, unsigned n);
uint64_t key(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* A datatype, and what is known of it. */
struct sort {
    const char *name;
    size_t size;      /* bytes of data in one */
    ptrdiff_t extent; /* from one to the next */
    size_t span;      /* bytes that one takes, from its lower bound */
    int parts;        /* it consists of so many of `part`, or 0 if they differ */
    MPI_Datatype part;
};
extern const struct sort sorts[];
extern const int n_sorts;
MPI_Datatype sort_make(int sort); /* committed; the caller's, to be freed with sort_free */
void sort_free(int sort, MPI_Datatype *type);

/* A reduction: on which datatype, by which operation, of what numbers. */
struct reduction {
    const char *name;
    int sort;
    void (*fill)(uint64_t *state, void *data, size_t bytes);
    bool padded; /* data have gaps that may change */
};
extern const struct reduction reductions[];
extern const int n_reductions;
MPI_Op reduction_make(int reduction);
void reduction_free(int reduction, MPI_Op *op);
void fill_raw(uint64_t *state, void *data, size_t bytes);

enum kind { BCAST, REDUCE, ALLREDUCE, SCATTER, GATHER, ALLGATHER, ALLTOALL, MESSAGE, KINDS };

/* One operation. What is above the buffers is alike on all ranks. */
struct operation {
    uint64_t key;
    enum kind kind;
    int what; /* sort, or reduction */
    int count, root, comm;
    bool in_place, persistent, parted; /* parted: those that receive blocks count parts of the datatype */
    int rank;                          /* in the communicator, which may be freed before the operation is complete */
    unsigned char *send, *recv, *expected_send, *expected_recv; /* whole allocations */
    size_t send_bytes, recv_bytes;
    MPI_Datatype kept_type; /* of persistent ones */
    MPI_Op kept_op;
    MPI_Request *requests; /* two; the second is of messages only */
};

extern MPI_Comm comms[], references[]; /* what operations run on, and what the blocking ones run on */
extern const char *const comm_names[];

/* Allocates buffers for OPERATION; gives them back. */
void operation_prepare(struct operation *operation);
void operation_free(struct operation *operation);

/* Gives the buffers the data of WAVE. */
void operation_fill(struct operation *operation, unsigned wave);

/* Makes the request of a persistent operation; starts it; starts one that is not. */
void operation_init(struct operation *operation);
void operation_start(struct operation *operation);

/* Carries it out by blocking functions on the reference communicator. Stops everything if the buffers differ; WHERE
 * says how to repeat it. */
void operation_check(const struct operation *operation, const char *where);

#endif
