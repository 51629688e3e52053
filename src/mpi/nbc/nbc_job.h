/*
 * What this process knows of the ranks of its host, and of the others: made by cw_nbc_init, ended by cw_nbc_finalize.
 */
#ifndef CW_MPI_NBC_JOB_H
#define CW_MPI_NBC_JOB_H

#include <mpi.h>
#include <pthread.h>

#include "mpi/nbc/nbc_cores.h"
#include "nbc/nbc_settings.h"
#include "nbc/nbc_worker.h"

struct nbc_job {
    bool active, enabled; /* active: there are workers; both: operations may be ours */
    bool works;           /* this rank needs its core */
    struct cw_nbc_settings settings;
    struct cw_nbc_node *node;
    int n_local, local_rank; /* ranks of this host; this one among them */
    int *local_of_world;     /* [ranks of MPI_COMM_WORLD] its number on its host */
    int *leader_of_world;    /* [the same] the first rank of its host */
    int leader;              /* that of this host */
    bool wired;              /* communicators that span hosts may be ours */
    struct nbc_cores cores;  /* communication cores of this host */
    int keyval;              /* of what is kept with communicators */
    struct nbc_comm *comms;  /* of this process; under the lock */
    pthread_mutex_t lock;    /* of operations and communicators of this process */
    char *buffers;           /* of ranks that help; held with the lock */
};

extern struct nbc_job nbc_job; /* one a process, as MPI itself is */

/* Ends it, if it has begun, and begins again, with the cores of ranks for which WORKS is false as communication cores.
 * Collective over MPI_COMM_WORLD, with nothing under way. For measurements. */
int nbc_job_renew(bool works);

#endif
