/* Starting collectives under the preload library: those that cw_nbc_side gives us are ours, all others MPI's own. */
#include <stdatomic.h>
#include <stdlib.h>

#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_type.h"
#include "mpi/nbc/preload.h"
#include "mpi/nbc/preload_requests.h"

#if MPI_VERSION < 4 /* Open MPI 4 has persistent collectives under names of its own */
#include <mpi-ext.h>
#define PMPI_Bcast_init     PMPIX_Bcast_init
#define PMPI_Reduce_init    PMPIX_Reduce_init
#define PMPI_Allreduce_init PMPIX_Allreduce_init
#define PMPI_Scatter_init   PMPIX_Scatter_init
#define PMPI_Gather_init    PMPIX_Gather_init
#define PMPI_Allgather_init PMPIX_Allgather_init
#define PMPI_Alltoall_init  PMPIX_Alltoall_init
#endif

static atomic_ullong left; /* to MPI */

unsigned long long preload_calls_left(void)
{
    return left;
}

/* Threads that are here together may count once; an addition that is locked takes longer than the rest. */
static int leave(void)
{
    atomic_store_explicit(&left, atomic_load_explicit(&left, memory_order_relaxed) + 1, memory_order_relaxed);
    return CW_NBC_LEFT_TO_MPI;
}

/* What needs no closer look, for that takes as long as MPI does for a few bytes: it is MPI's, and others are told. */
static inline bool is_short(enum cw_collective_kind collective, nbc_count count, MPI_Datatype type, int root,
                            MPI_Comm handle)
{
    const uint64_t size = nbc_type_known_size(type), bytes = (uint64_t)count * size;
    if (size == 0 || bytes >= nbc_job.settings.least) return false;
    if (!nbc_job.active || !nbc_job.enabled || handle == MPI_COMM_NULL) return true;
    struct nbc_comm *comm = nbc_comm_of(handle);
    if (!comm) return true;
    if (__builtin_expect(*comm->broken && comm->calls >= *comm->broken, 0)) return false;
    struct cw_nbc_asked *asked = cw_nbc_place_left(comm->said, comm->calls); /* field by field is quickest */
    asked->bytes[0] = asked->bytes[1] = bytes;
    asked->rank = (uint32_t)comm->me;
    asked->root = (uint32_t)root;
    asked->collective = (uint8_t)collective;
    asked->op = CW_NBC_OP_UNSAID;
    asked->basic[0] = asked->basic[1] = nbc_type_known_basic(type);
    asked->refused = 0;
    nbc_comm_leave_call(comm);
    return true;
}

/* MPI itself says what is wrong, in its own way; others hear that this rank has not come. */
static int refuse(const struct cw_nbc_call *call, MPI_Request *request)
{
    const int code = nbc_start_native(call, request);
    leave();
    cw_nbc_leave(call, code != MPI_SUCCESS);
    return code;
}

static int begin(const struct cw_nbc_call *call, MPI_Request *request)
{
    struct cw_nbc_call ours = *call;
    switch (cw_nbc_side(call)) {
    case NBC_OURS:
        ours.ours = true;
        return preload_request_begin(&ours, request);
    case NBC_REFUSED:
        return refuse(call, request);
    case NBC_BROKEN:
        return preload_failed(call->comm, cw_nbc_fail_of_broken(call));
    case NBC_LEFT:
        break;
    }
    cw_nbc_leave(call, false);
    return leave();
}

/* What a rank says of a persistent collective. */
struct answer {
    struct cw_nbc_asked asked;
    int32_t side; /* enum nbc_side */
};

/* The first two of N that do not ask for the same, or the first that MPI has refused. */
static bool find_clash(const struct answer *all, int n, struct cw_nbc_clash_note *out)
{
    for (int i = 0; i < n; i++) {
        const struct cw_nbc_asked *one = &all[i].asked;
        *out = (struct cw_nbc_clash_note){.a = *one, .b = *one};
        if (!one->refused) out->clash = cw_nbc_asked_compare(one, one);
        if (out->clash) return true;
        out->a = all[i > 0 ? 0 : n - 1].asked;
        out->clash = cw_nbc_asked_compare(&out->a, one);
        if (out->clash) return true;
    }
    return false;
}

/* What CODE, of MPI's function on this rank, is when all have called theirs; *OURS: whether the call is. */
static int agree(const struct cw_nbc_call *call, int code, bool *ours)
{
    int class = MPI_SUCCESS;
    PMPI_Error_class(code, &class);
    *ours = false;
    if (!nbc_job.active || !nbc_job.enabled || call->comm == MPI_COMM_NULL || class == MPI_ERR_COMM) return code;
    const struct nbc_comm *comm = nbc_comm_of(call->comm);
    if (!comm) return code;
    struct answer own = {.side = (int32_t)(code == MPI_SUCCESS ? cw_nbc_side(call) : NBC_REFUSED)};
    struct answer *all = calloc((size_t)comm->n, sizeof *all);
    struct cw_nbc_clash_note note;
    if (!all) return MPI_ERR_NO_MEM;
    nbc_describe(call, comm, &own.asked);
    own.asked.refused = own.side == NBC_REFUSED; /* some MPIs do not look at all that they should here */
    const int told = PMPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, call->comm);
    *ours = told == MPI_SUCCESS;
    for (int rank = 0; rank < comm->n && *ours; rank++) *ours = all[rank].side == NBC_OURS;
    const bool clashes = told == MPI_SUCCESS && find_clash(all, comm->n, &note);
    free(all);
    if (code != MPI_SUCCESS) return code;
    return clashes ? preload_failed(call->comm, nbc_fail_of_clash(&note)) : told;
}

/* REQUEST is MPI's own, if CODE is MPI_SUCCESS; makes it ours if CALL is, on all ranks: these calls may wait for each
 * other, so that all know what each asks for. */
static int persist(int code, const struct cw_nbc_call *call, MPI_Request *request)
{
    bool ours = false;
    const int agreed = agree(call, code, &ours);
    if (agreed != MPI_SUCCESS && code == MPI_SUCCESS) PMPI_Request_free(request);
    if (agreed != MPI_SUCCESS) return agreed;
    if (!ours) leave();
    return ours ? preload_request_persist(call, *request) : code;
}

/* Every collective has two functions, and with large counts two more: their names end in SUFFIX, and they count in
 * COUNT. */
#define BCAST_CALL                                                                                                     \
    {                                                                                                                  \
        CW_COLLECTIVE_BCAST, .recv = buffer, .recv_count = count, .send_type = MPI_DATATYPE_NULL, .recv_type = type,   \
                             .op = MPI_OP_NULL, .root = root, .comm = comm                                             \
    }

#define BCAST(SUFFIX, COUNT)                                                                                           \
    int cw_preload_Ibcast##SUFFIX(void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm,               \
                                  MPI_Request *request)                                                                \
    {                                                                                                                  \
        if (is_short(CW_COLLECTIVE_BCAST, count, type, root, comm)) return leave();                                    \
        const struct cw_nbc_call call = BCAST_CALL;                                                                    \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_Bcast_init##SUFFIX(void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm,           \
                                      MPI_Info info, MPI_Request *request)                                             \
    {                                                                                                                  \
        const struct cw_nbc_call call = BCAST_CALL;                                                                    \
        int code = PMPI_Bcast_init##SUFFIX(buffer, count, type, root, comm, info, request);                            \
        return persist(code, &call, request);                                                                          \
    }

#define REDUCE(SUFFIX, COUNT)                                                                                          \
    int cw_preload_Ireduce##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op, int root,  \
                                   MPI_Comm comm, MPI_Request *request)                                                \
    {                                                                                                                  \
        if (is_short(CW_COLLECTIVE_REDUCE, count, type, root, comm)) return leave();                                   \
        const struct cw_nbc_call call = {                                                                              \
            CW_COLLECTIVE_REDUCE, send, recv, count, count, type, type, op, root, comm, false};                        \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_Reduce_init##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op,        \
                                       int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)                   \
    {                                                                                                                  \
        const struct cw_nbc_call call = {                                                                              \
            CW_COLLECTIVE_REDUCE, send, recv, count, count, type, type, op, root, comm, false};                        \
        int code = PMPI_Reduce_init##SUFFIX(send, recv, count, type, op, root, comm, info, request);                   \
        return persist(code, &call, request);                                                                          \
    }

#define ALLREDUCE(SUFFIX, COUNT)                                                                                       \
    int cw_preload_Iallreduce##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op,         \
                                      MPI_Comm comm, MPI_Request *request)                                             \
    {                                                                                                                  \
        if (is_short(CW_COLLECTIVE_ALLREDUCE, count, type, 0, comm)) return leave();                                   \
        const struct cw_nbc_call call = {                                                                              \
            CW_COLLECTIVE_ALLREDUCE, send, recv, count, count, type, type, op, 0, comm, false};                        \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_Allreduce_init##SUFFIX(const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op,     \
                                          MPI_Comm comm, MPI_Info info, MPI_Request *request)                          \
    {                                                                                                                  \
        const struct cw_nbc_call call = {                                                                              \
            CW_COLLECTIVE_ALLREDUCE, send, recv, count, count, type, type, op, 0, comm, false};                        \
        int code = PMPI_Allreduce_init##SUFFIX(send, recv, count, type, op, comm, info, request);                      \
        return persist(code, &call, request);                                                                          \
    }

/* The four that move blocks differ in their names, and two of them have a root. */
#define ROOTED(COLLECTIVE, IMMEDIATE, INIT, SUFFIX, COUNT)                                                             \
    int cw_preload_##IMMEDIATE##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,      \
                                       MPI_Datatype received, int root, MPI_Comm comm, MPI_Request *request)           \
    {                                                                                                                  \
        const struct cw_nbc_call call = {COLLECTIVE, send,        recv, sends, recvs, sent,                            \
                                         received,   MPI_OP_NULL, root, comm,  false};                                 \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_##INIT##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,           \
                                  MPI_Datatype received, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request) \
    {                                                                                                                  \
        const struct cw_nbc_call call = {COLLECTIVE, send,        recv, sends, recvs, sent,                            \
                                         received,   MPI_OP_NULL, root, comm,  false};                                 \
        int code = PMPI_##INIT##SUFFIX(send, sends, sent, recv, recvs, received, root, comm, info, request);           \
        return persist(code, &call, request);                                                                          \
    }
#define ROOTLESS(COLLECTIVE, IMMEDIATE, INIT, SUFFIX, COUNT)                                                           \
    int cw_preload_##IMMEDIATE##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,      \
                                       MPI_Datatype received, MPI_Comm comm, MPI_Request *request)                     \
    {                                                                                                                  \
        const struct cw_nbc_call call = {COLLECTIVE, send,        recv, sends, recvs, sent,                            \
                                         received,   MPI_OP_NULL, 0,    comm,  false};                                 \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_##INIT##SUFFIX(const void *send, COUNT sends, MPI_Datatype sent, void *recv, COUNT recvs,           \
                                  MPI_Datatype received, MPI_Comm comm, MPI_Info info, MPI_Request *request)           \
    {                                                                                                                  \
        const struct cw_nbc_call call = {COLLECTIVE, send,        recv, sends, recvs, sent,                            \
                                         received,   MPI_OP_NULL, 0,    comm,  false};                                 \
        int code = PMPI_##INIT##SUFFIX(send, sends, sent, recv, recvs, received, comm, info, request);                 \
        return persist(code, &call, request);                                                                          \
    }

#define COLLECTIVES(SUFFIX, COUNT)                                                                                     \
    BCAST(SUFFIX, COUNT)                                                                                               \
    REDUCE(SUFFIX, COUNT)                                                                                              \
    ALLREDUCE(SUFFIX, COUNT)                                                                                           \
    ROOTED(CW_COLLECTIVE_SCATTER, Iscatter, Scatter_init, SUFFIX, COUNT)                                               \
    ROOTED(CW_COLLECTIVE_GATHER, Igather, Gather_init, SUFFIX, COUNT)                                                  \
    ROOTLESS(CW_COLLECTIVE_ALLGATHER, Iallgather, Allgather_init, SUFFIX, COUNT)                                       \
    ROOTLESS(CW_COLLECTIVE_ALLTOALL, Ialltoall, Alltoall_init, SUFFIX, COUNT)

COLLECTIVES(, int)
#ifdef CW_NBC_LARGE
COLLECTIVES(_c, MPI_Count)
#endif

int cw_preload_Start(MPI_Request *request)
{
    return preload_requests_among(1, request) ? preload_request_start(*request) : PMPI_Start(request);
}

int cw_preload_Startall(int count, MPI_Request requests[])
{
    int code = MPI_SUCCESS;
    if (!preload_requests_among(count, requests)) return PMPI_Startall(count, requests);
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) code = cw_preload_Start(&requests[i]);
    return code;
}
