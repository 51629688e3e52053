/*
 * What a rank that is recorded knows of its communicators and requests, by their handles. Not for threads: the caller
 * locks.
 */
#ifndef CW_MPI_RECORD_TABLES_H
#define CW_MPI_RECORD_TABLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Ranks in MPI_COMM_WORLD; kept to the end, and shared by communicators that have the same. */
struct record_members {
    int n;
    int *world;   /* [n]; MPI_UNDEFINED: of another world, */
    bool foreign; /* … which some are */
    struct record_members *next;
};

struct record_comm {
    int id;                                    /* from 0; MPI_COMM_WORLD is 0 */
    bool between;                              /* an intercommunicator: */
    const struct record_members *mine, *peers; /* PEERS: those whom ranks of messages name */
};

enum record_what { RECORD_SEND, RECORD_RECEIVE, RECORD_COLLECTIVE };

struct record_request {
    uintptr_t handle;
    enum record_what what;
    int64_t id;
    bool persistent, active;
    struct record_comm comm;
    int peer, tag; /* of a message: rank in the world, or MPI_PROC_NULL where there is nothing to record */
    int64_t bytes;
};

/* What COMM is. One that was not known is from now on, and a line says who is in it. False without memory. */
bool record_comm_of(MPI_Comm comm, struct record_comm *out);
/* Its handle will be another one's. */
void record_comm_forget(MPI_Comm comm);

/* The world's rank of rank PEER of COMM; MPI_PROC_NULL if it is none. */
int record_world_rank(const struct record_comm *comm, int peer);

int64_t record_next_id(void);
void record_request_add(struct record_request request);
/* One of this handle, which may change until the next call of this header; NULL: there is none. */
struct record_request *record_request_find(uintptr_t handle);
/* The request is done: it is forgotten, or, if persistent, not active. */
void record_request_done(struct record_request *request);
void record_request_forget(struct record_request *request);

#endif
