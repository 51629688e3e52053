/*
 * What this process knows of the ranks of its host: made by cw_nbc_init, ended by cw_nbc_finalize.
 */
#ifndef CW_MPI_NBC_JOB_H
#define CW_MPI_NBC_JOB_H

#include <mpi.h>
#include <pthread.h>

#include "mpi/nbc/nbc_cores.h"
#include "nbc/nbc_worker.h"

struct nbc_job {
    bool active, enabled; /* active: there are workers; both: operations may be ours */
    struct cw_nbc_settings settings;
    struct cw_nbc_node *node;
    int n_local, local_rank; /* ranks of this host; this one among them */
    int *local_of_world;     /* [ranks of MPI_COMM_WORLD] its number on this host, or -1 */
    struct nbc_cores cores;  /* communication cores of this host */
    int keyval;              /* of what is kept with communicators */
    struct nbc_comm *comms;  /* of this process; under the lock */
    pthread_mutex_t lock;    /* of operations and communicators of this process */
    char *buffers;           /* of ranks that help; held with the lock */
};

extern struct nbc_job nbc_job; /* one a process, as MPI itself is */

#endif
