#include "mpi/nbc/nbc_operation.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/locks.h"
#include "mpi/nbc/nbc_buffers.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/nbc_job.h"
#include "nbc/nbc_thread_internal.h"

#define PAUSE 100000 /* ns between two looks whether there is room */
#define CHECK 512    /* naps, about half a second, between two looks whether all ranks are alive */

struct nbc_operation {
    struct cw_nbc_call call;
    struct nbc_comm *comm;
    uint64_t number;
    struct cw_nbc_work work;
    struct cw_nbc_part part;
    struct nbc_buffers buffers;
    bool posted, done, dealt_with; /* done: the bytes are there; dealt with: buffers_finish, too */
    int rc;
    bool clashes; /* ranks did not ask for the same: … */
    struct cw_nbc_clash_note clash;
    uint32_t bell;                        /* as it was before the last test */
    unsigned rounds;                      /* of waiting since there was something to do */
    struct nbc_operation *next;           /* not posted yet, of its communicator */
    struct nbc_operation *before, *after; /* posted and not done, of this process */
};

static struct nbc_operation *oldest, *newest; /* posted and not done; under nbc_job.lock */

static void unlink_posted(struct nbc_operation *o)
{
    *(o->before ? &o->before->after : &oldest) = o->after;
    *(o->after ? &o->after->before : &newest) = o->before;
}

static void note_done(struct nbc_operation *o, int rc)
{
    o->done = true;
    o->rc = rc;
    o->comm->posted[o->number % NBC_RING] = NULL;
    unlink_posted(o);
}

/* Whether the bytes of O, which was posted, are there. */
static void look(struct nbc_operation *o)
{
    bool done;
    if (o->done) return;
    int rc = cw_nbc_poll(nbc_job.node, o->comm->place, o->comm->here, o->number, &done);
    if (rc == CW_EUSAGE) o->clashes = cw_nbc_clash_of(nbc_job.node, o->comm->place, o->number, &o->clash);
    if (done) note_done(o, rc);
}

/* What a split tree leaves to the ranks before they compute. */
static void start_tree(const struct nbc_operation *o)
{
    const struct cw_nbc_executor executor = {nbc_job.node, UINT32_MAX, nbc_job.buffers};
    if (!cw_nbc_has_start(&o->work)) return;
    while (cw_nbc_advance(&executor, o->comm->place, o->comm->here, o->number)) {
    }
}

static bool post(struct nbc_operation *o)
{
    struct nbc_comm *comm = o->comm;
    struct nbc_operation *in_the_way = comm->posted[o->number % NBC_RING];
    bool posted;
    if (in_the_way) look(in_the_way);
    if (in_the_way && !in_the_way->done) return false;
    cw_nbc_post(nbc_job.node, comm->place, comm->here, o->number, &o->work, &o->part, &posted);
    if (!posted) return false;
    o->posted = true;
    comm->posted[o->number % NBC_RING] = o;
    o->before = newest;
    *(newest ? &newest->after : &oldest) = o;
    newest = o;
    start_tree(o);
    return true;
}

/* Posts those of COMM for which there was no room before, as far as there is now. Under the lock. */
static void post_waiting(struct nbc_comm *comm)
{
    while (comm->first && post(comm->first)) {
        comm->first = comm->first->next;
        if (!comm->first) comm->last = NULL;
    }
}

/* --- the thread that posts what had no room ----------------------------------------------------------------------- */

static pthread_cond_t needed = PTHREAD_COND_INITIALIZER;
static pthread_t poster;
static bool running, stopping; /* under nbc_job.lock */

/* Whether some could not be. */
static bool post_all(void)
{
    bool left = false;
    for (struct nbc_comm *comm = nbc_job.comms; comm; comm = comm->after) {
        post_waiting(comm);
        left = left || comm->first;
    }
    return left;
}

static void *run_poster(void *unused)
{
    const struct timespec pause = {0, PAUSE};
    (void)unused;
    lock_take(&nbc_job.lock);
    while (!stopping) {
        if (!post_all()) {
            pthread_cond_wait(&needed, &nbc_job.lock);
            continue;
        }
        lock_give(&nbc_job.lock);
        nanosleep(&pause, NULL);
        lock_take(&nbc_job.lock);
    }
    lock_give(&nbc_job.lock);
    return NULL;
}

/* An operation could not be posted. Under the lock. */
static void need_poster(void)
{
    if (!running) running = cw_nbc_thread_start(run_poster, NULL, NULL, &poster) == 0; /* else the rank posts, later */
    pthread_cond_signal(&needed);
}

void nbc_operation_stop_posting(void)
{
    lock_take(&nbc_job.lock);
    const bool was_running = running;
    stopping = true;
    pthread_cond_signal(&needed);
    lock_give(&nbc_job.lock);
    if (was_running) pthread_join(poster, NULL);
    running = stopping = false;
}

/* --- from the call to the end ------------------------------------------------------------------------------------- */

static int begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, struct nbc_operation *o)
{
    o->comm = decided->comm;
    int rc = nbc_buffers_prepare(call, o->comm->n, o->comm->me, decided, &o->work, &o->part, &o->buffers);
    if (rc) return rc;
    o->work.relayed = o->comm->spans;
    if (o->work.relayed) o->work.schedule = CW_NBC_AUTO; /* along a tree of hosts, not of ranks */
    o->call = *call;
    nbc_describe(call, o->comm, &o->part.asked);
    if (decided->gathered) o->part.asked.bytes[0] = o->part.asked.bytes[1] = o->work.bytes;
    o->part.index = o->comm->calls++;
    o->number = o->comm->next++;
    cw_nbc_say_begun(o->comm->said, o->part.index, o->number);
    o->comm->n_operations++;
    *(o->comm->last ? &o->comm->last->next : &o->comm->first) = o;
    o->comm->last = o;
    post_waiting(o->comm);
    if (o->comm->first) need_poster();
    return 0;
}

int nbc_operation_begin(const struct cw_nbc_call *call, const struct nbc_decision *decided, struct nbc_operation **out)
{
    struct nbc_operation *o = cw_new_array(1, sizeof *o, "a nonblocking collective");
    if (!o) return CW_ENOMEM;
    lock_take(&nbc_job.lock);
    int rc = begin(call, decided, o);
    lock_give(&nbc_job.lock);
    if (rc)
        free(o);
    else
        *out = o;
    return rc;
}

/* One piece of O, or of the oldest that has one: others may wait for those. Ranks that take turns on their cores would
 * only come between a worker and its cache. */
static bool help(const struct nbc_operation *o)
{
    if (nbc_job.cores.crowded && o->work.schedule == CW_NBC_AUTO) return false;
    const struct cw_nbc_executor executor = {nbc_job.node, UINT32_MAX, nbc_job.buffers};
    struct nbc_operation *other = oldest;
    if (o->posted && cw_nbc_advance(&executor, o->comm->place, o->comm->here, o->number)) return true;
    while (other && (other == o || !cw_nbc_advance(&executor, other->comm->place, other->comm->here, other->number)))
        other = other->after;
    return other;
}

static int test(struct nbc_operation *o)
{
    post_waiting(o->comm);
    if (o->posted) o->bell = cw_nbc_bell(nbc_job.node, o->comm->place, o->comm->here, o->number);
    if (o->posted && !o->done) cw_nbc_watch(nbc_job.node, o->comm->place, o->comm->here, o->number);
    if (o->posted) look(o);
    if (!o->done && help(o)) o->rounds = 0;
    if (o->posted) look(o);
    if (!o->done && o->rounds % CHECK == CHECK - 1) return cw_nbc_node_alive(nbc_job.node);
    return o->done ? o->rc : 0;
}

/* --- calls that others have left to MPI --------------------------------------------------------------------------- */

/* A call of MPI's own in which this rank takes part only so that others see its end. */
struct joined {
    struct joined *before;
    MPI_Request request;
    char *given, *taken;
};

static struct joined *joined; /* under nbc_job.lock */

static void free_joined(struct joined *own)
{
    if (!own) return;
    free(own->given);
    free(own->taken);
    free(own);
}

/* The algorithm of MPI may depend on the size of an element. */
static MPI_Datatype type_of(cw_nbc_basic basic, uint64_t *bytes)
{
    const enum cw_nbc_kind kind = cw_nbc_basic_kind(basic);
    *bytes = cw_nbc_basic_bytes(basic);
    if (kind == CW_NBC_REAL && *bytes == sizeof(double)) return MPI_DOUBLE;
    if (kind == CW_NBC_REAL && *bytes == sizeof(float)) return MPI_FLOAT;
    if (kind == CW_NBC_SIGNED && *bytes == sizeof(int)) return MPI_INT;
    *bytes = 1;
    return MPI_BYTE;
}

/* Who has left to MPI the call for which O failed waits there for this rank: so that takes its part, with memory of
 * nobody, and does not wait for the end. */
static void join(const struct nbc_operation *o)
{
    struct cw_nbc_asked asked = o->clash.b; /* of another host, unless one of this has left it */
    uint64_t size;
    if (!cw_nbc_left_call(nbc_job.node, o->comm->place, o->comm->here, o->part.index, &asked) &&
        *o->comm->broken != o->part.index + 1)
        return; /* it has failed by an earlier one */
    if (asked.refused) return;
    if (asked.collective >= CW_COLLECTIVES) return; /* nobody but MPI knows what that would take */
    const MPI_Datatype type = type_of(asked.basic[0], &size);
    const nbc_count count = (nbc_count)(asked.bytes[0] / size);
    const size_t n = (size_t)o->comm->n, bytes = asked.bytes[0] + 1;
    struct joined *own = cw_new_array(1, sizeof *own, "a collective of others");
    if (own)
        *own = (struct joined){NULL, MPI_REQUEST_NULL, cw_new_array(n, bytes, "a message of others"),
                               cw_new_array(n, bytes, "a message of others")};
    if (!own || !own->given || !own->taken) { /* they may wait */
        free_joined(own);
        return;
    }
    const struct cw_nbc_call call =
        nbc_call((enum cw_collective_kind)asked.collective, own->given, count, type, own->taken, count, type,
                 type == MPI_BYTE ? MPI_BOR : MPI_SUM, (int)asked.root, o->comm->handle);
    nbc_start_native(&call, &own->request);
    lock_take(&nbc_job.lock);
    own->before = joined;
    joined = own;
    lock_give(&nbc_job.lock);
}

void nbc_operation_end(void)
{
    while (joined) {
        struct joined *own = joined;
        int done = 1;
        joined = own->before;
        if (own->request != MPI_REQUEST_NULL) PMPI_Test(&own->request, &done, MPI_STATUS_IGNORE);
        if (done) free_joined(own); /* else MPI may still use it */
    }
}

int nbc_operation_test(struct nbc_operation *o, bool *done)
{
    lock_take(&nbc_job.lock);
    int rc = test(o);
    *done = o->done || rc;
    const bool alone = o->clashes && o->clash.left && !o->comm->freed;
    lock_give(&nbc_job.lock);
    if (alone) join(o);
    if (o->clashes) return nbc_fail_of_clash(&o->clash);
    if (!*done || rc || o->dealt_with) return rc;
    o->dealt_with = true;
    return nbc_buffers_finish(&o->call, o->comm->n, o->comm->me, &o->buffers);
}

/* MPI's own messages, which others may wait for, go on in between. */
void nbc_operation_sleep(struct nbc_operation *o)
{
    const double seconds = cw_nbc_nap(o->rounds++, nbc_job.cores.crowded);
    int flag;
    if (seconds == 0) return;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    if (o->posted)
        cw_nbc_sleep(nbc_job.node, o->comm->place, o->comm->here, o->number, o->bell, seconds);
    else
        sched_yield();
}

/* One that has failed before it was done is left alone: others may still use its memory. */
void nbc_operation_free(struct nbc_operation *o)
{
    if (!o || !o->done) return;
    nbc_buffers_free(&o->buffers);
    lock_take(&nbc_job.lock);
    nbc_comm_drop(o->comm);
    lock_give(&nbc_job.lock);
    free(o);
}
