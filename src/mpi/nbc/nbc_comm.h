/*
 * What is kept with a communicator. Its number among those of the host is given by its rank 0 and told by a nonblocking
 * broadcast of MPI's own, so that nobody waits; operations are posted when it has come.
 */
#ifndef CW_MPI_NBC_COMM_H
#define CW_MPI_NBC_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define NBC_RING 64 /* operations that can be posted at once */

struct nbc_operation;

struct nbc_comm {
    bool ours; /* at least two ranks, all of them on this host */
    int n, me;
    MPI_Comm handle;
    bool asked, known, failed; /* the number was asked for; has come; could not be given */
    MPI_Request request;       /* of `number` */
    int32_t number;
    uint64_t next;                          /* operation */
    struct nbc_operation *first, *last;     /* not posted yet */
    struct nbc_operation *posted[NBC_RING]; /* not complete yet, by number */
    unsigned n_operations;                  /* not freed yet */
    bool freed;                             /* by the program */
};

/* *OUT is NULL where MPI keeps nothing (out of memory). */
int nbc_comm_of(MPI_Comm comm, struct nbc_comm **out);

/* Asks for the number, or looks whether it has come. Waits for nobody; *KNOWN: it has. CW_ELIMIT, CW_EIO. */
int nbc_comm_learn(struct nbc_comm *comm, bool *known);

/* One operation less. */
void nbc_comm_drop(struct nbc_comm *comm);

/* The key under which communicators keep it. */
int nbc_comm_keyval_new(int *keyval);

#endif
