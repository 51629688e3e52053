/*
 * What is kept with a communicator that was made known to us, by all its ranks at once: its place among those of the
 * host. All others are MPI's own: there is no moment at which all ranks could agree that they are ours.
 */
#ifndef CW_MPI_NBC_COMM_H
#define CW_MPI_NBC_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define NBC_RING 64 /* operations that can be posted at once */

struct nbc_operation;

struct nbc_comm {
    int n, me;
    bool spans;           /* hosts */
    uint32_t place, here; /* the communicator's number on this host; this rank among its ranks here */
    uint32_t inner;       /* if it spans hosts: nbc/nbc_relay.h */
    int *leaders;         /* [n] the same: of each rank, the rank of MPI_COMM_WORLD by which its host is known */
    uint64_t next;        /* operation */
    struct nbc_operation *first, *last;     /* not posted yet: there was no room */
    struct nbc_operation *posted[NBC_RING]; /* not complete yet, by number */
    unsigned n_operations;                  /* not freed yet */
    bool freed;                             /* by the program */
    struct nbc_comm *before, *after;        /* of this process */
};

/* NULL: MPI's own. */
struct nbc_comm *nbc_comm_of(MPI_Comm comm);

/* One operation less. Under nbc_job.lock. */
void nbc_comm_drop(struct nbc_comm *comm);

/* The key under which communicators keep it. */
int nbc_comm_keyval_new(int *keyval);

#endif
