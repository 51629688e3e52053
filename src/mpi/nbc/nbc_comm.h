/*
 * What is kept with a communicator: its name, which all its ranks derive alike, so that each of them finds its place
 * among those of the host when it begins the first operation there, and waits for nobody. A name follows from that of
 * the communicator it was made from, and which of those it is: all ranks of that one make them in the same order. Where
 * not all make it, or that one has no name, one rank tells the others a name when it is made.
 *
 * Communicators without a name are MPI's own: there is no moment at which all ranks could agree that they are ours.
 */
#ifndef CW_MPI_NBC_COMM_H
#define CW_MPI_NBC_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "nbc/nbc_node.h"

#define NBC_RING 32 /* operations that can be posted at once */

struct nbc_operation;

enum nbc_comm_state { NBC_COMM_UNKNOWN, NBC_COMM_NATIVE, NBC_COMM_OURS };

struct nbc_comm {
    uint64_t name;             /* 0: none */
    _Atomic uint64_t children; /* made by all of its ranks, so far */
    int n, me;
    _Atomic enum nbc_comm_state state; /* once it is known: */
    bool spans;                        /* hosts */
    uint32_t n_here, here;             /* ranks on this host; this one among them */
    uint32_t *members;                 /* [n_here + 1] their numbers on this host */
    int *leaders;             /* [n] the same: of each rank, the rank of MPI_COMM_WORLD by which its host is known */
    bool joined;              /* since the first nonblocking collective: */
    uint32_t place;           /* the communicator's number on this host */
    uint32_t inner;           /* if it spans hosts: nbc/nbc_relay.h */
    uint64_t next;            /* operation */
    MPI_Comm handle;          /* valid until it is freed */
    uint64_t calls;           /* of collectives, ours and MPI's; also before it is joined, when … */
    uint8_t last_call;        /* … the last was this (struct cw_nbc_asked); all were MPI's */
    struct cw_nbc_said *said; /* what this rank tells the others of them */
    const _Atomic uint64_t *broken;         /* nbc/nbc_node.h */
    struct nbc_operation *first, *last;     /* not posted yet: there was no room */
    struct nbc_operation *posted[NBC_RING]; /* not complete yet, by number */
    unsigned n_operations;                  /* not freed yet */
    bool freed;                             /* by the program */
    struct nbc_comm *before, *after;        /* of this process, joined */
};

/* Raises this rank's own alarm. */
void nbc_comm_alarm(struct nbc_comm *comm);

/* NULL: MPI's own, or all are just now. */
struct nbc_comm *nbc_comm_of(MPI_Comm comm);

/* CHILD was made from PARENT, BY_ALL ranks of that; MPI_COMM_NULL: not for this one. Without BY_ALL, or a name of
 * PARENT, all ranks of CHILD wait for one of them. */
int nbc_comm_made(MPI_Comm parent, bool by_all, MPI_Comm child);

/* Before the first operation. Under nbc_job.lock. CW_ELIMIT. */
int nbc_comm_join(struct nbc_comm *comm);

/* One operation less. Under nbc_job.lock. */
void nbc_comm_drop(struct nbc_comm *comm);

/* This rank leaves a call to MPI; what it asks for has been written where cw_nbc_place_left says. Who comes to one that
 * has broken the communicator after others have found out hears of it as they do. A few ns: for short messages. */
static inline void nbc_comm_leave_call(struct nbc_comm *comm)
{
    cw_nbc_say_left(comm->said, comm->calls++);
    if (__builtin_expect(*comm->broken == comm->calls, 0)) nbc_comm_alarm(comm);
}

/* This rank makes a call of COLLECTIVE (struct cw_nbc_asked), which is MPI's own whatever it moves, on HANDLE. A few
 * ns; the communicator is not joined for that. */
void nbc_comm_count(MPI_Comm handle, uint8_t collective);

/* The key under which communicators keep it. */
int nbc_comm_keyval_new(int *keyval);

#endif
