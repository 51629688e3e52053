#include "mpi/nbc/nbc_check.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base/error.h"
#include "mpi/locks.h"
#include "mpi/nbc/nbc_buffers.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_type.h"
#include "preload/nbc_functions.h"

/* --- what MPI says ----------------------------------------------------------------------------------------------- */

static MPI_Comm alone = MPI_COMM_NULL; /* its errors are returned */

int nbc_check_open(void)
{
    if (PMPI_Comm_dup(MPI_COMM_SELF, &alone) != MPI_SUCCESS)
        return cw_fail(CW_EIO, "MPI could not make a communicator of one rank");
    PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    return 0;
}

void nbc_check_close(void)
{
    if (alone != MPI_COMM_NULL) PMPI_Comm_free(&alone);
}

/* MPI checks the arguments of a message before it finds that nobody is to get it. */
static bool refuses_buffer(const void *buffer, nbc_count count, MPI_Datatype type)
{
    if (buffer && count >= 0 && nbc_type_known_size(type) > 0) return false;
    return NBC_COUNTED(PMPI_Send)(buffer, count, type, MPI_PROC_NULL, 0, alone) != MPI_SUCCESS;
}

/* What was said of the last predefined pair is remembered: it lives as long as MPI. Under the lock of the job, since
 * calls on one communicator must follow each other. */
static bool refuses_op(MPI_Datatype type, MPI_Op op)
{
    static _Thread_local struct {
        MPI_Datatype type;
        MPI_Op op;
        bool known;
    } last;
    static int none, result; /* nothing is read or written there */
    if (last.known && last.type == type && last.op == op) return false;
    lock_take(&nbc_job.lock);
    const bool refused = PMPI_Allreduce(&none, &result, 0, type, op, alone) != MPI_SUCCESS;
    lock_give(&nbc_job.lock);
    const bool named = !refused && nbc_type_of(type) < CW_NBC_TYPES && nbc_op_of(op) < CW_NBC_OPS;
    if (named) {
        last.type = type;
        last.op = op;
        last.known = true;
    }
    return refused;
}

/* --- what its standard says -------------------------------------------------------------------------------------- */

static bool sends(const struct cw_nbc_call *call, int me)
{
    if (call->collective == CW_COLLECTIVE_BCAST || call->send == MPI_IN_PLACE) return false;
    return !cw_collectives[call->collective].root_gives || me == call->root;
}

static bool receives(const struct cw_nbc_call *call, int me)
{
    if (call->recv == MPI_IN_PLACE) return false;
    return !cw_collectives[call->collective].root_takes || me == call->root;
}

/* Only where the result, or a root's own block, may lie already; not where nobody looks. */
static bool misplaces(const struct cw_nbc_call *call, int me)
{
    const bool root = me == call->root, to_root = cw_collectives[call->collective].root_takes;
    if (call->recv == MPI_IN_PLACE) return call->collective == CW_COLLECTIVE_SCATTER ? !root : root || !to_root;
    if (call->collective == CW_COLLECTIVE_BCAST || call->send != MPI_IN_PLACE) return false;
    return call->collective == CW_COLLECTIVE_SCATTER ? root : to_root && !root;
}

static bool is_refused(const struct cw_nbc_call *call, const struct nbc_comm *comm)
{
    const int me = comm->me;
    if (cw_collective_is_rooted(call->collective) && (call->root < 0 || call->root >= comm->n)) return true;
    if (misplaces(call, me)) return true;
    const bool gives = sends(call, me), takes = receives(call, me);
    if (gives && refuses_buffer(call->send, call->send_count, call->send_type)) return true;
    if (takes && refuses_buffer(call->recv, call->recv_count, call->recv_type)) return true;
    const bool both = gives && takes && call->send_count > 0 && call->recv_count > 0;
    if (both && call->send && call->send == call->recv) return true; /* MPIs that do not mind carry it out */
    return cw_collectives[call->collective].reduces && refuses_op(call->recv_type, call->op);
}

/* --- what others must ask for, too ------------------------------------------------------------------------------- */

static uint8_t op_of(const struct cw_nbc_call *call)
{
    const enum cw_nbc_op op = nbc_op_of(call->op);
    return op < CW_NBC_OPS ? (uint8_t)op : CW_NBC_OP_OWN;
}

/* Reductions that are gathered must be laid out alike: what is taken stands for that. */
void nbc_describe(const struct cw_nbc_call *call, const struct nbc_comm *comm, struct cw_nbc_asked *out)
{
    const bool reduces = cw_collectives[call->collective].reduces;
    const bool gives = sends(call, comm->me), takes = reduces || receives(call, comm->me);
    *out = (struct cw_nbc_asked){.rank = (uint32_t)comm->me,
                                 .root = cw_collective_is_rooted(call->collective) ? (uint32_t)call->root : 0,
                                 .collective = (uint8_t)call->collective,
                                 .op = reduces ? op_of(call) : CW_NBC_OP_UNSAID};
    if (gives) out->bytes[0] = nbc_type_bytes(call->send_type, call->send_count);
    if (gives) out->basic[0] = nbc_type_basic(call->send_type);
    if (takes) out->bytes[1] = nbc_type_bytes(call->recv_type, call->recv_count);
    if (takes) out->basic[1] = nbc_type_basic(call->recv_type);
    const int known = takes ? 1 : 0;
    if (gives && takes) return;
    out->bytes[!known] = out->bytes[known];
    out->basic[!known] = out->basic[known];
}

static int class_of(enum cw_nbc_clash clash)
{
    switch (clash) {
    case CW_NBC_OTHER_ROOT:
        return MPI_ERR_ROOT;
    case CW_NBC_OTHER_BYTES:
        return MPI_ERR_TRUNCATE;
    case CW_NBC_OTHER_TYPE:
        return MPI_ERR_TYPE;
    case CW_NBC_OTHER_OP:
        return MPI_ERR_OP;
    case CW_NBC_OTHER_COLLECTIVE:
    case CW_NBC_OTHER_SIDE:
    case CW_NBC_AGREE:
        break;
    }
    return MPI_ERR_OTHER;
}

static _Thread_local int last_class = MPI_ERR_OTHER;

int nbc_fail_of_clash(const struct cw_nbc_clash_note *note)
{
    last_class = class_of(note->clash);
    return cw_nbc_fail_of_clash(note);
}

int nbc_class_of_failure(int rc)
{
    return rc == CW_EUSAGE ? last_class : MPI_ERR_OTHER;
}

/* --- memory of devices ------------------------------------------------------------------------------------------- */

typedef int cuda_attribute(void *data, int attribute, unsigned long long pointer);
typedef int hip_attributes(void *attributes, const void *pointer);

/* Functions of the drivers that the program has loaded; NULL: it has none. */
struct drivers {
    unsigned long long loaded; /* libraries so far, when we looked */
    cuda_attribute *cuda;
    hip_attributes *hip;
};

static void find(const char *const libraries[], const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    for (int i = 0; libraries[i] && !found; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!library) continue;
        found = dlsym(library, name);
        dlclose(library); /* it stays as long as the program wants it */
    }
    memcpy(function, &found, sizeof found);
}

static int count_libraries(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

/* Looks again only when the program has loaded more. */
static const struct drivers *find_drivers(void)
{
    static _Thread_local struct drivers drivers;
    unsigned long long loaded = 0;
    dl_iterate_phdr(count_libraries, &loaded);
    if (loaded == drivers.loaded) return &drivers;
    drivers.loaded = loaded;
    find((const char *const[]){"libcuda.so.1", "libcuda.so", NULL}, "cuPointerGetAttribute", &drivers.cuda);
    find((const char *const[]){"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", NULL},
         "hipPointerGetAttributes", &drivers.hip);
    return &drivers;
}

#define CUDA_MEMORY_TYPE 2 /* CU_POINTER_ATTRIBUTE_MEMORY_TYPE; what it gives: */
#define CUDA_HOST        1 /* CU_MEMORYTYPE_HOST; others are those of devices. Memory that is no driver's is an error. */

/* hipPointerAttribute_t. Its first field has had two meanings; what a processor can reach has an address on the host,
 * unless it moves to and fro (managed). */
struct hip_pointer {
    int type, device;
    void *on_device, *on_host;
    int managed;
    char room[128]; /* for what later versions add */
};

bool nbc_device_has(const void *buffer)
{
    const struct drivers *drivers = find_drivers();
    unsigned type = 0;
    struct hip_pointer hip = {0};
    if (!buffer || buffer == MPI_IN_PLACE) return false;
    if (drivers->cuda && drivers->cuda(&type, CUDA_MEMORY_TYPE, (unsigned long long)(uintptr_t)buffer) == 0)
        return type != CUDA_HOST;
    if (!drivers->hip || drivers->hip(&hip, buffer) != 0) return false;
    return hip.managed || (hip.on_device && !hip.on_host);
}

static bool is_on_device(const struct cw_nbc_call *call, int me)
{
    return (sends(call, me) && nbc_device_has(call->send)) || (receives(call, me) && nbc_device_has(call->recv));
}

/* --- whose it is ------------------------------------------------------------------------------------------------- */

#define GATHERED (64ull << 20) /* bytes of all contributions to a reduction that ranks apply themselves, at most */

/* As far as its length decides, and in which way. */
static bool is_worth_it(const struct cw_nbc_call *call, struct nbc_decision *decision)
{
    const struct nbc_comm *comm = decision->comm;
    if (comm->spans) { /* what was measured is of one host */
        decision->sharing = (struct cw_nbc_sharing){.schedule = CW_NBC_AUTO};
        return decision->bytes >= nbc_job.settings.min;
    }
    return cw_nbc_settings_choose(&nbc_job.settings, call->collective, nbc_is_exact(call), (uint32_t)comm->n,
                                  decision->bytes, &decision->sharing);
}

static bool can_gather(const struct cw_nbc_call *call, const struct nbc_comm *comm)
{
    return nbc_span_bytes(call) * (uint64_t)comm->n <= GATHERED;
}

/* What MPI refuses comes first; what is short needs no look at all. */
static enum nbc_side side_of(const struct cw_nbc_call *call, struct nbc_decision *decision)
{
    const struct nbc_comm *comm = decision->comm;
    if (!comm) return NBC_LEFT;
    if (*comm->broken && comm->calls >= *comm->broken) return NBC_BROKEN;
    decision->bytes = nbc_message_bytes(call, comm->me);
    if (decision->bytes < nbc_job.settings.least) return NBC_LEFT;
    if (is_refused(call, comm)) return NBC_REFUSED;
    if (decision->bytes > NBC_LONGEST || !is_worth_it(call, decision)) return NBC_LEFT;
    decision->gathered = nbc_is_gathered(call);
    if (decision->gathered && !can_gather(call, comm)) return NBC_LEFT;
    if (comm->spans) return NBC_OURS;
    if (is_on_device(call, comm->me)) cw_nbc_close(nbc_job.node, comm->place);
    return cw_nbc_claim(nbc_job.node, comm->place, comm->next) ? NBC_OURS : NBC_LEFT;
}

struct nbc_decision cw_nbc_side(const struct cw_nbc_call *call)
{
    struct nbc_decision decision = {.comm = nbc_comm_of(call->comm)};
    decision.side = side_of(call, &decision);
    return decision;
}

/* --- MPI's own --------------------------------------------------------------------------------------------------- */

int nbc_start_native(const struct cw_nbc_call *call, MPI_Request *request)
{
#define START(KIND, NAME, IMMEDIATE, INIT, SHAPE, SUFFIX, COUNT)                                                       \
    case CW_COLLECTIVE_##KIND:                                                                                         \
        return NBC_COUNTED(PMPI_##IMMEDIATE)(CW_NBC_NAMED_##SHAPE(call->), request);
    switch (call->collective) {
        CW_NBC_FUNCTIONS(START, , )
    case CW_COLLECTIVE_REDUCE_SCATTER: /* not carried */
    case CW_COLLECTIVE_BARRIER:
        break;
    }
#undef START
    return MPI_ERR_ARG;
}

int nbc_fail_of_mpi(const char *what, int code)
{
    char why[MPI_MAX_ERROR_STRING];
    int class, length;
    PMPI_Error_class(code, &class);
    PMPI_Error_string(class, why, &length);
    return cw_fail(CW_EIO, "%s: %s", what, why);
}

int cw_nbc_begin_native(const struct cw_nbc_call *call, MPI_Request *request)
{
    int code = nbc_start_native(call, request);
    return code == MPI_SUCCESS ? 0 : nbc_fail_of_mpi("MPI could not start a collective", code);
}
