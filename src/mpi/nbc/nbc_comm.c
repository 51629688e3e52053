#include "mpi/nbc/nbc_comm.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc.h"
#include "mpi/nbc/nbc_job.h"

/* The numbers on this host of the ranks of COMM, or NULL if one is elsewhere. The caller frees it. */
static uint32_t *members_of(MPI_Comm comm, int n)
{
    MPI_Group group, world;
    int *ranks = cw_new_array((size_t)n, sizeof *ranks, "ranks"), *all = cw_new_array((size_t)n, sizeof *all, "ranks");
    uint32_t *members = cw_new_array((size_t)n, sizeof *members, "ranks of a communicator");
    bool here = ranks && all && members;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; here && i < n; i++) ranks[i] = i;
    if (here) PMPI_Group_translate_ranks(group, n, ranks, world, all);
    for (int i = 0; here && i < n; i++) {
        here = all[i] != MPI_UNDEFINED && nbc_job.local_of_world[all[i]] >= 0;
        if (here) members[i] = (uint32_t)nbc_job.local_of_world[all[i]];
    }
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    free(ranks);
    free(all);
    if (!here) free(members);
    return here ? members : NULL;
}

struct nbc_comm *nbc_comm_of(MPI_Comm handle)
{
    struct nbc_comm *comm = NULL;
    int found = 0;
    PMPI_Comm_get_attr(handle, nbc_job.keyval, &comm, &found);
    return found ? comm : NULL;
}

/* What each rank tells the others of a communicator. */
struct entry {
    int32_t rc;     /* whether it can take part */
    uint32_t place; /* from the first rank */
};

/* The same on all ranks: an error of one is one of all. */
static int exchange(struct nbc_comm *comm, MPI_Comm handle, struct entry own, struct entry *all)
{
    if (PMPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, handle) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not gather the places of a communicator");
    for (int rank = 0; rank < comm->n; rank++)
        if (all[rank].rc) return own.rc ? own.rc : cw_fail(all[rank].rc, "rank %d of the communicator failed", rank);
    comm->place = all[0].place;
    return 0;
}

static int make(MPI_Comm handle, struct nbc_comm *comm, const uint32_t *members)
{
    struct entry own = {0}, *all = cw_new_array((size_t)comm->n, sizeof *all, "ranks of a communicator");
    if (!all) return CW_ENOMEM; /* others wait in vain; memory is out */
    if (comm->me == 0) own.rc = cw_nbc_comm_new(nbc_job.node, (uint32_t)comm->n, members, &own.place);
    int rc = exchange(comm, handle, own, all);
    if (rc && comm->me == 0 && !own.rc)
        for (int rank = 0; rank < comm->n; rank++) cw_nbc_comm_leave(nbc_job.node, own.place);
    if (!rc && PMPI_Comm_set_attr(handle, nbc_job.keyval, comm) != MPI_SUCCESS)
        rc = cw_fail(CW_EIO, "MPI could not keep an attribute of a communicator");
    free(all);
    return rc;
}

static void insert(struct nbc_comm *comm)
{
    pthread_mutex_lock(&nbc_job.lock);
    comm->after = nbc_job.comms;
    if (comm->after) comm->after->before = comm;
    nbc_job.comms = comm;
    pthread_mutex_unlock(&nbc_job.lock);
}

int cw_nbc_comm_prepare(MPI_Comm handle)
{
    int between = 0, n = 0;
    if (!nbc_job.node || handle == MPI_COMM_NULL || nbc_comm_of(handle)) return 0;
    PMPI_Comm_test_inter(handle, &between);
    PMPI_Comm_size(handle, &n);
    uint32_t *members = between || n < 2 ? NULL : members_of(handle, n);
    if (!members) return 0;
    struct nbc_comm *comm = cw_new_array(1, sizeof *comm, "a communicator");
    int rc = comm ? 0 : CW_ENOMEM;
    if (comm) comm->n = n;
    if (comm) PMPI_Comm_rank(handle, &comm->me);
    if (!rc) rc = make(handle, comm, members);
    if (rc) free(comm);
    if (!rc) insert(comm);
    free(members);
    return rc;
}

static void end(struct nbc_comm *comm)
{
    *(comm->before ? &comm->before->after : &nbc_job.comms) = comm->after;
    if (comm->after) comm->after->before = comm->before;
    if (nbc_job.node) cw_nbc_comm_leave(nbc_job.node, comm->place); /* else all has ended */
    free(comm);
}

void nbc_comm_drop(struct nbc_comm *comm)
{
    if (--comm->n_operations == 0 && comm->freed) end(comm);
}

/* The program frees the communicator, or ends. */
static int forget(MPI_Comm handle, int keyval, void *attribute, void *extra)
{
    struct nbc_comm *comm = attribute;
    (void)handle;
    (void)keyval;
    (void)extra;
    pthread_mutex_lock(&nbc_job.lock);
    comm->freed = true;
    if (comm->n_operations == 0) end(comm);
    pthread_mutex_unlock(&nbc_job.lock);
    return MPI_SUCCESS;
}

int nbc_comm_keyval_new(int *keyval)
{
    int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, keyval, NULL);
    return code == MPI_SUCCESS ? 0 : cw_fail(CW_EIO, "MPI could not make an attribute (its error %d)", code);
}
