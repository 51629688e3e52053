#include "mpi/nbc/nbc_comm.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"
#include "nbc/nbc_relay.h"

/* The ranks of MPI_COMM_WORLD that those of COMM are; MPI_UNDEFINED: of another job. */
static void translate(MPI_Comm comm, int n, int *world_ranks)
{
    MPI_Group group, world;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    int *ranks = cw_new_array((size_t)n, sizeof *ranks, "ranks");
    for (int i = 0; i < n; i++) {
        if (ranks) ranks[i] = i;
        world_ranks[i] = MPI_UNDEFINED;
    }
    if (ranks) PMPI_Group_translate_ranks(group, n, ranks, world, world_ranks);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    free(ranks);
}

/* While a communicator is made known. */
struct making {
    MPI_Comm handle;
    struct nbc_comm *comm;
    int *world_ranks;  /* [n] */
    uint32_t *members; /* [n_here] the numbers on this host of the ranks that are here; room for one more */
    uint32_t n_here;
    int first; /* of them */
};

/* Whether it can be ours: the same answer on all ranks. */
static bool find_ranks(struct making *making)
{
    struct nbc_comm *comm = making->comm;
    translate(making->handle, comm->n, making->world_ranks);
    for (int rank = comm->n - 1; rank >= 0; rank--)
        if (making->world_ranks[rank] == MPI_UNDEFINED) return false;
    for (int rank = 0; rank < comm->n; rank++) {
        const int world_rank = making->world_ranks[rank];
        comm->leaders[rank] = nbc_job.leader_of_world[world_rank];
        if (comm->leaders[rank] != nbc_job.leader) continue;
        if (rank == comm->me) comm->here = making->n_here;
        if (making->n_here == 0) making->first = rank;
        making->members[making->n_here++] = (uint32_t)nbc_job.local_of_world[world_rank];
    }
    comm->spans = making->n_here < (uint32_t)comm->n;
    return !comm->spans || nbc_job.wired;
}

/* What each rank tells the others of a communicator. */
struct entry {
    int32_t rc;            /* whether it can take part */
    uint32_t place, inner; /* from the first rank of each host */
    uint32_t serial;       /* from rank 0: another for each communicator of which it is that */
};

static void leave(const struct nbc_comm *comm)
{
    cw_nbc_comm_leave(nbc_job.node, comm->place);
    if (comm->spans) cw_nbc_comm_leave(nbc_job.node, comm->inner);
    if (comm->spans && comm->here == 0) cw_nbc_comm_leave(nbc_job.node, comm->inner); /* for the relay */
}

/* Of the first rank on this host. */
static struct entry find_place(const struct making *making)
{
    static _Atomic uint32_t serial; /* threads may make communicators at the same time */
    struct entry entry = {0};
    if (making->comm->me == 0) entry.serial = ++serial;
    if (making->comm->here > 0) return entry;
    entry.rc = cw_nbc_comm_new(nbc_job.node, making->n_here, making->members, &entry.place);
    if (entry.rc || !making->comm->spans) return entry;
    making->members[making->n_here] = 0; /* the relay */
    entry.rc = cw_nbc_comm_new(nbc_job.node, making->n_here + 1, making->members, &entry.inner);
    if (entry.rc)
        for (uint32_t rank = 0; rank < making->n_here; rank++) cw_nbc_comm_leave(nbc_job.node, entry.place);
    return entry;
}

static void note(const struct making *making, uint32_t serial)
{
    const struct nbc_comm *comm = making->comm;
    cw_nbc_relay_note(nbc_job.node, comm->place,
                      &(struct cw_nbc_note){.key = (uint64_t)(making->world_ranks[0] + 1) << 32 | serial,
                                            .inner = comm->inner,
                                            .n_about = (uint32_t)comm->n * sizeof *comm->leaders,
                                            .about = (uint64_t)(uintptr_t)comm->leaders});
}

/* The same end on all ranks: an error of one is one of all. */
static int exchange(const struct making *making, struct entry own, struct entry *all)
{
    struct nbc_comm *comm = making->comm;
    int failed = 0;
    if (PMPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, making->handle) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not gather the places of a communicator");
    while (failed < comm->n && !all[failed].rc) failed++;
    comm->place = all[making->first].place;
    comm->inner = all[making->first].inner;
    if (failed == comm->n) return 0;
    if (!all[making->first].rc) leave(comm);
    return own.rc ? own.rc : cw_fail(all[failed].rc, "rank %d of the communicator has no room for it", failed);
}

static int make(const struct making *making)
{
    struct nbc_comm *comm = making->comm;
    struct entry *all = cw_new_array((size_t)comm->n, sizeof *all, "ranks of a communicator");
    if (!all) return CW_ENOMEM; /* others wait in vain; memory is out */
    int rc = exchange(making, find_place(making), all);
    if (!rc && comm->spans && comm->here == 0) note(making, all[0].serial);
    if (!rc && PMPI_Comm_set_attr(making->handle, nbc_job.keyval, comm) != MPI_SUCCESS)
        rc = cw_fail(CW_EIO, "MPI could not keep an attribute of a communicator");
    free(all);
    return rc;
}

#define KNOWN 16 /* communicators that a thread remembers */

static _Atomic unsigned changes = 1; /* of what any communicator is to us */

/* To ask MPI may mean to wait for a relay that is in MPI just then: with MPICH, as long as a message takes. */
struct nbc_comm *nbc_comm_of(MPI_Comm handle)
{
    static _Thread_local struct {
        MPI_Comm handle;
        struct nbc_comm *comm;
        unsigned changes;
    } known[KNOWN];
    const uintptr_t number = (uintptr_t)handle;
    const size_t i = (number ^ number >> 6 ^ number >> 12) % KNOWN;
    const unsigned now = changes;
    if (known[i].changes != now || known[i].handle != handle) {
        struct nbc_comm *comm = NULL;
        int found = 0;
        PMPI_Comm_get_attr(handle, nbc_job.keyval, &comm, &found);
        known[i].handle = handle;
        known[i].comm = found ? comm : NULL;
        known[i].changes = now;
    }
    return known[i].comm;
}

static void insert(struct nbc_comm *comm)
{
    pthread_mutex_lock(&nbc_job.lock);
    comm->after = nbc_job.comms;
    if (comm->after) comm->after->before = comm;
    nbc_job.comms = comm;
    changes++;
    pthread_mutex_unlock(&nbc_job.lock);
}

static void free_comm(struct nbc_comm *comm)
{
    if (comm) free(comm->leaders);
    free(comm);
}

/* *OUT: NULL where it is MPI's own. */
static int prepare(MPI_Comm handle, int n, struct nbc_comm **out)
{
    struct making making = {.handle = handle,
                            .comm = cw_new_array(1, sizeof *making.comm, "a communicator"),
                            .world_ranks = cw_new_array((size_t)n, sizeof(int), "ranks"),
                            .members = cw_new_array((size_t)n + 1, sizeof(uint32_t), "ranks of a communicator")};
    bool ours = false;
    if (making.comm) making.comm->leaders = cw_new_array((size_t)n, sizeof(int), "hosts of ranks");
    int rc = making.comm && making.world_ranks && making.members && making.comm->leaders ? 0 : CW_ENOMEM;
    if (!rc) {
        making.comm->n = n;
        PMPI_Comm_rank(handle, &making.comm->me);
        ours = find_ranks(&making);
    }
    if (ours) rc = make(&making);
    if (rc || !ours) {
        free_comm(making.comm);
        making.comm = NULL;
    }
    *out = making.comm;
    free(making.world_ranks);
    free(making.members);
    return rc;
}

int cw_nbc_comm_prepare(MPI_Comm handle)
{
    int between = 0, n = 0;
    struct nbc_comm *comm = NULL;
    if (!nbc_job.node || handle == MPI_COMM_NULL || nbc_comm_of(handle)) return 0;
    PMPI_Comm_test_inter(handle, &between);
    PMPI_Comm_size(handle, &n);
    if (between || n < 2) return 0;
    int rc = prepare(handle, n, &comm);
    if (comm) insert(comm);
    return rc;
}

static void end(struct nbc_comm *comm)
{
    *(comm->before ? &comm->before->after : &nbc_job.comms) = comm->after;
    if (comm->after) comm->after->before = comm->before;
    if (nbc_job.node) leave(comm); /* else all has ended */
    free_comm(comm);
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
    changes++;
    if (comm->n_operations == 0) end(comm);
    pthread_mutex_unlock(&nbc_job.lock);
    return MPI_SUCCESS;
}

int nbc_comm_keyval_new(int *keyval)
{
    changes++;
    int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, keyval, NULL);
    return code == MPI_SUCCESS ? 0 : nbc_fail_of_mpi("MPI could not make an attribute", code);
}
