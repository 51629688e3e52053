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

static int make(MPI_Comm handle, struct nbc_comm **out)
{
    int between = 0;
    struct nbc_comm *comm = cw_new_array(1, sizeof *comm, "a communicator");
    if (!comm) return CW_ENOMEM;
    comm->handle = handle;
    comm->request = MPI_REQUEST_NULL;
    PMPI_Comm_size(handle, &comm->n);
    PMPI_Comm_rank(handle, &comm->me);
    PMPI_Comm_test_inter(handle, &between);
    uint32_t *members = between || comm->n < 2 ? NULL : members_of(handle, comm->n);
    comm->ours = members;
    free(members);
    if (PMPI_Comm_set_attr(handle, nbc_job.keyval, comm) != MPI_SUCCESS) {
        free(comm);
        return cw_fail(CW_EIO, "MPI could not keep an attribute of a communicator");
    }
    *out = comm;
    return 0;
}

int nbc_comm_of(MPI_Comm handle, struct nbc_comm **out)
{
    int found = 0;
    PMPI_Comm_get_attr(handle, nbc_job.keyval, out, &found);
    return found ? 0 : make(handle, out);
}

/* Rank 0 gives the number; everybody asks for it at the same point of the sequence of collectives. */
static int ask(struct nbc_comm *comm)
{
    uint32_t place = 0;
    comm->asked = true;
    comm->number = -1;
    if (comm->me == 0) {
        uint32_t *members = members_of(comm->handle, comm->n);
        if (members && cw_nbc_comm_new(nbc_job.node, (uint32_t)comm->n, members, &place) == 0)
            comm->number = (int32_t)place;
        free(members);
    }
    int code = PMPI_Ibcast(&comm->number, 1, MPI_INT32_T, 0, comm->handle, &comm->request);
    return code == MPI_SUCCESS ? 0 : cw_fail(CW_EIO, "MPI could not start a broadcast (its error %d)", code);
}

int nbc_comm_learn(struct nbc_comm *comm, bool *known)
{
    int rc = comm->asked ? 0 : ask(comm), flag = 0;
    *known = comm->known;
    if (rc || comm->known) return rc;
    if (PMPI_Test(&comm->request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not broadcast the number of a communicator");
    if (flag && comm->number < 0)
        return cw_fail(CW_ELIMIT, "more communicators at once with nonblocking collectives than there is room for");
    *known = comm->known = flag;
    return 0;
}

static int learn_now(struct nbc_comm *comm)
{
    bool known = false;
    int rc = comm->ours ? nbc_comm_learn(comm, &known) : 0;
    if (rc || known || !comm->ours) return rc;
    if (PMPI_Wait(&comm->request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not broadcast the number of a communicator");
    return nbc_comm_learn(comm, &known);
}

int cw_nbc_comm_prepare(MPI_Comm handle)
{
    struct nbc_comm *comm = NULL;
    if (!nbc_job.node || handle == MPI_COMM_NULL) return 0;
    pthread_mutex_lock(&nbc_job.lock);
    int rc = nbc_comm_of(handle, &comm);
    if (!rc) rc = learn_now(comm);
    if (rc && comm) comm->ours = false;
    pthread_mutex_unlock(&nbc_job.lock);
    return rc;
}

static void end(struct nbc_comm *comm)
{
    if (comm->known && nbc_job.node) cw_nbc_comm_leave(nbc_job.node, (uint32_t)comm->number); /* else all has ended */
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
    comm->freed = true;
    if (comm->n_operations == 0) end(comm);
    return MPI_SUCCESS;
}

int nbc_comm_keyval_new(int *keyval)
{
    int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, keyval, NULL);
    return code == MPI_SUCCESS ? 0 : cw_fail(CW_EIO, "MPI could not make an attribute (its error %d)", code);
}
