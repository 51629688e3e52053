/*
 * What programs under the preload library hold for operations that are ours: requests that MPI knows, so that all of
 * its functions accept them.
 *
 * An operation's request is a generalised one of MPI. It is complete for MPI when the operation is, which is looked at
 * whenever the program waits for it or tests it; then MPI's own Test goes on as for its own requests. A persistent
 * operation has a persistent request of MPI's that is never started. While the operation is under way a generalised
 * request stands for it where MPI looks (a view, below), and nothing while it is not.
 *
 * Threads may use different requests at the same time, as in MPI. Functions return codes of MPI.
 */
#ifndef CW_MPI_NBC_PRELOAD_REQUESTS_H
#define CW_MPI_NBC_PRELOAD_REQUESTS_H

#include "mpi/nbc/nbc_internal.h"

/* Whether there is any. */
bool preload_requests_any(void);

/* Whether any of them is ours: where none is, a call is passed on. Takes 1 ns while there is none at all. */
bool preload_requests_among(int count, const MPI_Request requests[]);

/* What failed with RC on COMM (MPI_COMM_NULL: none) is told to the program as MPI tells of its own: a code. */
int preload_failed(MPI_Comm comm, int rc);

/* Starts CALL, which is ours as DECIDED; *OUT: its request. */
int preload_request_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, MPI_Request *out);

/* Makes INACTIVE, a persistent request of MPI for CALL, stand for a persistent operation of ours. */
int preload_request_persist(const struct cw_nbc_call *call, MPI_Request inactive);

/* Starts a persistent operation. */
int preload_request_start(MPI_Request request);

/* How many operations were started. */
unsigned long long preload_requests_started(void);

/* Waits for the operation, if it is under way, and frees the request. */
int preload_request_free(MPI_Request *request);

/* Requests of the program as MPI is to see them while it tests them. */
struct preload_view {
    MPI_Request *program, *seen; /* the same array unless some are persistent */
    int count, ours;             /* 0: none is, and there is nothing to close */
    bool mixed;                  /* with requests of MPI's own, which must be polled */
    struct preload_item *items;  /* [ours] */
    struct preload_item {
        int position;
        bool persistent;
        int code; /* of MPI: how its operation ended, once it has */
        struct preload_request *request;
    } few[4];
};

/* Takes some ns for each request. MPI_ERR_NO_MEM: nothing is open. */
int preload_view_open(int count, MPI_Request requests[], struct preload_view *out);

/* Makes requests whose operations are complete complete for MPI. Returns one that is not, as MPI sees it;
 * MPI_REQUEST_NULL: all of ours are. */
MPI_Request preload_view_look(struct preload_view *view);

/* Lets others work between two looks. */
void preload_view_rest(const struct preload_view *view);

/* Gives the program what MPI made of the requests. */
void preload_view_close(struct preload_view *view);

#endif
