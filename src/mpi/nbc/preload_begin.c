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
static int refuse(const struct cw_nbc_call *call, struct nbc_comm *comm, MPI_Request *request)
{
    const int code = nbc_start_native(call, request);
    leave();
    cw_nbc_leave(call, comm, code != MPI_SUCCESS);
    return code;
}

static int begin(const struct cw_nbc_call *call, MPI_Request *request)
{
    const struct nbc_decision decision = cw_nbc_side(call);
    switch (decision.side) {
    case NBC_OURS:
        return preload_request_begin(call, &decision, request);
    case NBC_REFUSED:
        return refuse(call, decision.comm, request);
    case NBC_BROKEN:
        return preload_failed(call->comm, cw_nbc_fail_of_broken(decision.comm));
    case NBC_LEFT:
        break;
    }
    cw_nbc_leave(call, decision.comm, false);
    return leave();
}

void cw_preload_count(MPI_Comm comm, int which)
{
    nbc_comm_count(comm, (uint8_t)(CW_NBC_OTHERS + which));
}

/* What a rank says of a persistent collective. */
struct answer {
    struct cw_nbc_asked asked;
    int32_t side; /* enum nbc_side */
};

/* The first of N that does not ask for the same as another, or that MPI has refused. */
static bool find_clash(const struct answer *all, int n, struct cw_nbc_clash_note *out)
{
    for (int i = 0; i < n; i++) {
        const struct cw_nbc_asked *one = &all[i].asked;
        *out = (struct cw_nbc_clash_note){.a = *one, .b = *one};
        if (!one->refused) out->clash = cw_nbc_asked_compare(one, one);
        if (out->clash) return true;
        out->a = all[n > 1 && i == 0].asked;
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
    const struct nbc_comm *comm = class == MPI_ERR_COMM ? NULL : nbc_comm_of(call->comm);
    if (!comm) return code;
    struct answer own = {.side = (int32_t)(code == MPI_SUCCESS ? cw_nbc_side(call).side : NBC_REFUSED)};
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

/* The four that move blocks are looked at closely. */
#define SHORT_BUFFER(KIND)           is_short(CW_COLLECTIVE_##KIND, recv_count, recv_type, root, comm)
#define SHORT_REDUCTION(KIND)        is_short(CW_COLLECTIVE_##KIND, recv_count, recv_type, root, comm)
#define SHORT_REDUCTION_TO_ALL(KIND) is_short(CW_COLLECTIVE_##KIND, recv_count, recv_type, 0, comm)
#define SHORT_BLOCKS(KIND)           false
#define SHORT_BLOCKS_OF_ALL(KIND)    false

/* The two functions of each collective, and with large counts two more. */
#define BOTH(KIND, NAME, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT)                                                        \
    int cw_preload_##IMMEDIATE##SUFFIX(CW_NBC_TYPED_##SHAPE(COUNT), MPI_Request *request)                              \
    {                                                                                                                  \
        if (SHORT_##SHAPE(KIND)) return leave();                                                                       \
        const struct cw_nbc_call call = NBC_CALL_##SHAPE(KIND);                                                        \
        return begin(&call, request);                                                                                  \
    }                                                                                                                  \
    int cw_preload_##INIT##SUFFIX(CW_NBC_TYPED_##SHAPE(COUNT), MPI_Info info, MPI_Request *request)                    \
    {                                                                                                                  \
        const struct cw_nbc_call call = NBC_CALL_##SHAPE(KIND);                                                        \
        const int code = PMPI_##INIT##SUFFIX(CW_NBC_NAMED_##SHAPE(), info, request);                                   \
        return persist(code, &call, request);                                                                          \
    }
CW_NBC_FUNCTIONS(BOTH, , int)
#ifdef CW_NBC_LARGE
CW_NBC_FUNCTIONS(BOTH, _c, MPI_Count)
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
