#include "mpi/nbc/nbc_comm.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "mpi/locks.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_internal.h"
#include "mpi/nbc/nbc_job.h"
#include "nbc/nbc_relay.h"

#define KNOWN 16 /* communicators that a thread remembers */

static _Atomic unsigned changes = 1; /* of what any communicator is to us */

struct known {
    MPI_Comm handle;
    struct nbc_comm *comm;
    unsigned changes;
};

/* What is kept with HANDLE, or NULL. To ask MPI may mean to wait for a relay that is in MPI just then: with MPICH, as
 * long as a message takes. */
static __attribute__((noinline)) struct known look_up(MPI_Comm handle)
{
    static _Thread_local struct known known[KNOWN];
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
    return known[i];
}

/* The last one is where a thread finds it at once. */
static struct nbc_comm *kept_with(MPI_Comm handle)
{
    static _Thread_local struct known last __attribute__((tls_model("initial-exec")));
    if (last.handle != handle || last.changes != atomic_load_explicit(&changes, memory_order_relaxed))
        last = look_up(handle);
    return last.comm;
}

/* The ranks of MPI_COMM_WORLD that the first N of COMM are; MPI_UNDEFINED: of another job. */
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

/* Where the ranks are, WORLD_RANKS[n]; whether it can be ours: the same answer on all of them. */
static enum nbc_comm_state place_ranks(struct nbc_comm *comm, const int *world_ranks)
{
    comm->n_here = 0;
    for (int rank = 0; rank < comm->n; rank++) {
        const int world_rank = world_ranks[rank];
        if (world_rank == MPI_UNDEFINED) return NBC_COMM_NATIVE;
        comm->leaders[rank] = nbc_job.leader_of_world[world_rank];
        if (comm->leaders[rank] != nbc_job.leader) continue;
        if (rank == comm->me) comm->here = comm->n_here;
        comm->members[comm->n_here++] = (uint32_t)nbc_job.local_of_world[world_rank];
    }
    comm->spans = comm->n_here < (uint32_t)comm->n;
    return !comm->spans || nbc_job.wired ? NBC_COMM_OURS : NBC_COMM_NATIVE;
}

/* Once; asks MPI before it takes the lock. Where memory is out it stays unknown: others wait in vain. */
static void learn(MPI_Comm handle, struct nbc_comm *comm)
{
    int *world_ranks = cw_new_array((size_t)comm->n, sizeof *world_ranks, "ranks");
    if (world_ranks) translate(handle, comm->n, world_ranks);
    lock_take(&nbc_job.lock);
    if (world_ranks && comm->state == NBC_COMM_UNKNOWN) {
        if (!comm->members) comm->members = cw_new_array((size_t)comm->n + 1, sizeof *comm->members, "ranks of a host");
        if (!comm->leaders) comm->leaders = cw_new_array((size_t)comm->n, sizeof *comm->leaders, "hosts of ranks");
        if (comm->members && comm->leaders) comm->state = place_ranks(comm, world_ranks);
    }
    lock_give(&nbc_job.lock);
    free(world_ranks);
}

static bool is_ours(MPI_Comm handle, struct nbc_comm *comm)
{
    if (comm->state == NBC_COMM_UNKNOWN) learn(handle, comm);
    return comm->state == NBC_COMM_OURS;
}

/* Apart from what every call takes. */
static __attribute__((noinline)) struct nbc_comm *use_first(MPI_Comm handle, struct nbc_comm *comm)
{
    if (!comm || !comm->name || !is_ours(handle, comm)) return NULL;
    lock_take(&nbc_job.lock);
    const int rc = nbc_comm_join(comm); /* short calls, too, must be known to those that wait for them */
    lock_give(&nbc_job.lock);
    return rc ? NULL : comm;
}

struct nbc_comm *nbc_comm_of(MPI_Comm handle)
{
    if (!nbc_job.active || !nbc_job.enabled || handle == MPI_COMM_NULL) return NULL;
    struct nbc_comm *comm = kept_with(handle);
    return __builtin_expect(comm && comm->joined, 1) ? comm : use_first(handle, comm);
}

void nbc_comm_count(MPI_Comm handle, uint8_t collective)
{
    if (!nbc_job.active || !nbc_job.enabled || handle == MPI_COMM_NULL) return;
    struct nbc_comm *comm = kept_with(handle);
    if (!comm) return;
    if (!comm->joined) {
        comm->last_call = collective;
        cw_nbc_say_aside(nbc_job.node, (uint32_t)nbc_job.local_rank, comm->name, ++comm->calls, (uint32_t)comm->me,
                         collective);
        return;
    }
    struct cw_nbc_asked *asked = cw_nbc_place_left(comm->said, comm->calls); /* the rest says nothing of such a call */
    asked->rank = (uint32_t)comm->me;
    asked->collective = collective;
    asked->refused = 0;
    nbc_comm_leave_call(comm);
}

static void free_comm(struct nbc_comm *comm)
{
    if (!comm) return;
    free(comm->leaders);
    free(comm->members);
    free(comm);
}

/* A name that no other has, in all likelihood: of 64 bits that depend on all of A and B. */
static uint64_t name_of(uint64_t a, uint64_t b)
{
    const uint64_t name = cw_random_word(a, b);
    return name ? name : 1;
}

/* NUMBER: of the communicators that all ranks of PARENT have made of it. Those that are made at once have different
 * first ranks. */
static uint64_t derive_name(const struct nbc_comm *parent, uint64_t number, MPI_Comm handle, int n)
{
    int first = -1;
    if (n < parent->n) translate(handle, 1, &first);
    return name_of(name_of(parent->name, number), (uint64_t)(int64_t)first);
}

/* Of rank 0, for all. */
static int agree_on_name(MPI_Comm handle, struct nbc_comm *comm)
{
    static _Atomic uint64_t serial; /* threads may make communicators at the same time */
    int me;
    if (!is_ours(handle, comm)) return 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &me);
    uint64_t name = comm->me == 0 ? name_of(name_of(0, (uint64_t)me), ++serial) : 0;
    if (PMPI_Bcast(&name, (int)sizeof name, MPI_BYTE, 0, handle) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not tell the name of a communicator");
    comm->name = name;
    return 0;
}

int nbc_comm_made(MPI_Comm parent, bool by_all, MPI_Comm child)
{
    int between = 0, n = 0, rc = 0;
    if (!nbc_job.node) return 0;
    struct nbc_comm *from = by_all ? kept_with(parent) : NULL;
    const uint64_t number = from && from->name ? ++from->children : 0;
    if (child == MPI_COMM_NULL) return 0;
    PMPI_Comm_test_inter(child, &between);
    PMPI_Comm_size(child, &n);
    if (between || n < 2) return 0;

    struct nbc_comm *comm = cw_new_array(1, sizeof *comm, "a communicator");
    if (!comm) return CW_ENOMEM;
    comm->n = n;
    comm->handle = child;
    PMPI_Comm_rank(child, &comm->me);
    if (number > 0)
        comm->name = derive_name(from, number, child, n);
    else if (child == MPI_COMM_WORLD)
        comm->name = 1;
    else
        rc = agree_on_name(child, comm);
    if (!rc && PMPI_Comm_set_attr(child, nbc_job.keyval, comm) != MPI_SUCCESS)
        rc = cw_fail(CW_EIO, "MPI could not keep an attribute of a communicator");
    if (rc) free_comm(comm);
    changes++;
    return rc;
}

int cw_nbc_comm_prepare(MPI_Comm handle)
{
    if (!nbc_job.node || handle == MPI_COMM_NULL || kept_with(handle)) return 0;
    return nbc_comm_made(MPI_COMM_NULL, false, handle);
}

static void leave(const struct nbc_comm *comm)
{
    cw_nbc_comm_leave(nbc_job.node, comm->place);
    if (comm->spans) cw_nbc_comm_leave(nbc_job.node, comm->inner);
    if (comm->spans && comm->here == 0) cw_nbc_comm_leave(nbc_job.node, comm->inner); /* for the relay */
}

/* The inner communicator has the relay besides. */
static int join_inner(struct nbc_comm *comm)
{
    comm->members[comm->n_here] = 0;
    int rc = cw_nbc_comm_join(nbc_job.node, name_of(comm->name, 0), comm->n_here + 1, comm->members, &comm->inner);
    if (rc) cw_nbc_comm_leave(nbc_job.node, comm->place);
    if (rc || comm->here > 0) return rc;
    const struct cw_nbc_note note = {.key = comm->name,
                                     .inner = comm->inner,
                                     .n_about = (uint32_t)comm->n * sizeof *comm->leaders,
                                     .about = (uint64_t)(uintptr_t)comm->leaders};
    cw_nbc_relay_note(nbc_job.node, comm->place, &note);
    return 0;
}

int nbc_comm_join(struct nbc_comm *comm)
{
    if (comm->joined) return 0;
    int rc = cw_nbc_comm_join(nbc_job.node, comm->name, comm->n_here, comm->members, &comm->place);
    if (!rc && comm->spans) rc = join_inner(comm);
    if (rc) return rc;
    comm->said = cw_nbc_said_of(nbc_job.node, comm->place, comm->here);
    for (uint64_t i = 0; i < CW_NBC_SAID; i++)
        *cw_nbc_place_left(comm->said, i) =
            (struct cw_nbc_asked){.rank = (uint32_t)comm->me, .collective = CW_NBC_UNKNOWN};
    if (comm->calls > 0) cw_nbc_place_left(comm->said, comm->calls - 1)->collective = comm->last_call;
    comm->said->calls = comm->calls;
    comm->broken = cw_nbc_broken(nbc_job.node, comm->place);
    comm->joined = true;
    comm->after = nbc_job.comms;
    if (comm->after) comm->after->before = comm;
    nbc_job.comms = comm;
    free(comm->members);
    comm->members = NULL;
    return 0;
}

static void end(struct nbc_comm *comm)
{
    if (comm->joined) {
        *(comm->before ? &comm->before->after : &nbc_job.comms) = comm->after;
        if (comm->after) comm->after->before = comm->before;
        if (nbc_job.node) leave(comm); /* else all has ended */
    }
    free_comm(comm);
}

void nbc_comm_drop(struct nbc_comm *comm)
{
    if (--comm->n_operations == 0 && comm->freed) end(comm);
}

/* --- a communicator that is broken -------------------------------------------------------------------------------- */

int cw_nbc_fail_of_broken(const struct nbc_comm *comm)
{
    struct cw_nbc_clash_note note;
    cw_nbc_clash_of(nbc_job.node, comm->place, 0, &note);
    return nbc_fail_of_clash(&note);
}

int cw_nbc_hear_alarm(MPI_Comm *out)
{
    if (!nbc_job.active || !*cw_nbc_alarm(nbc_job.node, (uint32_t)nbc_job.local_rank)) return 0;
    int rc = 0;
    lock_take(&nbc_job.lock);
    *cw_nbc_alarm(nbc_job.node, (uint32_t)nbc_job.local_rank) = 0;
    for (struct nbc_comm *comm = nbc_job.comms; comm; comm = comm->after) {
        if (!comm->said->alarm) continue;
        comm->said->alarm = 0;
        *out = comm->freed ? MPI_COMM_NULL : comm->handle;
        rc = cw_nbc_fail_of_broken(comm);
    }
    lock_give(&nbc_job.lock);
    return rc;
}

void nbc_comm_alarm(struct nbc_comm *comm)
{
    comm->said->alarm = 1;
    *cw_nbc_alarm(nbc_job.node, (uint32_t)nbc_job.local_rank) = 1;
}

void cw_nbc_leave(const struct cw_nbc_call *call, struct nbc_comm *comm, bool refused)
{
    if (!comm) return;
    struct cw_nbc_asked *asked = cw_nbc_place_left(comm->said, comm->calls);
    nbc_describe(call, comm, asked);
    asked->refused = refused;
    nbc_comm_leave_call(comm);
}

/* The program frees the communicator, or ends. */
static int forget(MPI_Comm handle, int keyval, void *attribute, void *extra)
{
    struct nbc_comm *comm = attribute;
    (void)handle;
    (void)keyval;
    (void)extra;
    lock_take(&nbc_job.lock);
    comm->freed = true;
    changes++;
    if (comm->n_operations == 0) end(comm);
    lock_give(&nbc_job.lock);
    return MPI_SUCCESS;
}

int nbc_comm_keyval_new(int *keyval)
{
    changes++;
    int code = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, keyval, NULL);
    return code == MPI_SUCCESS ? 0 : nbc_fail_of_mpi("MPI could not make an attribute", code);
}
