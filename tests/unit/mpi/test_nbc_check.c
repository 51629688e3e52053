/* Whose a call is (mpi/nbc/nbc_check.c): what MPI and its standard refuse, what is left to MPI, and what others are
 * told of a call. MPI, drivers of devices and all that the decision rests on are made up here. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>

#include "base/error.h"
#include "mpi/locks.h"
#include "mpi/nbc/nbc_buffers.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_job.h"

#define ALONE   ((MPI_Comm)(uintptr_t)0x44)
#define USER_OP ((MPI_Op)(uintptr_t)0x48)

enum { N = 4, ROOT = 2, PLACE = 3, NEXT = 11, COUNT = 100 };

struct nbc_job nbc_job = {.lock = CW_LOCK};

static struct nbc_comm comm;
static _Atomic uint64_t broken;
static char node, a, b; /* two buffers */

/* What the decision rests on. */
static struct {
    bool no_comm, not_worth, unclaimed, gathered;
    uint64_t bytes, span;
    int asked, ops_asked; /* MPI about a buffer, an operation */
    bool refuses_op, no_dup;
    int claims, closes, errors_return, freed;
    unsigned long long loaded; /* libraries */
    const char *library;       /* that has the driver; NULL: the program itself */
    bool cuda, hip;
    int cuda_fails, hip_fails, looks, opened;
    unsigned cuda_type;
    void *on_device, *on_host;
    int managed;
    int code; /* of MPI's own collective */
} world;

/* --- MPI ---------------------------------------------------------------------------------------------------------- */

int PMPI_Comm_dup(MPI_Comm of, MPI_Comm *out)
{
    assert_true(of == MPI_COMM_SELF);
    if (world.no_dup) return MPI_ERR_OTHER;
    *out = ALONE;
    return MPI_SUCCESS;
}

int PMPI_Comm_set_errhandler(MPI_Comm of, MPI_Errhandler handler)
{
    assert_true(of == ALONE && handler == MPI_ERRORS_RETURN);
    world.errors_return++;
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *of)
{
    assert_true(*of == ALONE);
    *of = MPI_COMM_NULL;
    world.freed++;
    return MPI_SUCCESS;
}

int NBC_COUNTED(PMPI_Send)(const void *buffer, nbc_count count, MPI_Datatype type, int to, int tag, MPI_Comm on)
{
    assert_true(to == MPI_PROC_NULL && tag == 0 && on == ALONE);
    world.asked++;
    return count < 0 || type == MPI_DATATYPE_NULL || (!buffer && count > 0) ? MPI_ERR_ARG : MPI_SUCCESS;
}

int PMPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm on)
{
    assert_true(in != out && n == 0 && type != MPI_DATATYPE_NULL && op != MPI_OP_NULL && on == ALONE);
    assert_int_equal(pthread_mutex_trylock(&nbc_job.lock), EBUSY); /* calls follow each other */
    world.ops_asked++;
    return world.refuses_op ? MPI_ERR_OP : MPI_SUCCESS;
}

int NBC_COUNTED(PMPI_Ibcast)(void *buffer, nbc_count count, MPI_Datatype type, int root, MPI_Comm on, MPI_Request *out)
{
    assert_true(buffer == &b && count == COUNT && type == MPI_INT && root == ROOT && on == MPI_COMM_WORLD);
    *out = MPI_REQUEST_NULL;
    return world.code;
}

int PMPI_Error_class(int code, int *class)
{
    *class = code + 1;
    return MPI_SUCCESS;
}

int PMPI_Error_string(int class, char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "class %d", class);
    return MPI_SUCCESS;
}

/* --- the program's libraries -------------------------------------------------------------------------------------- */

static int cuda(void *data, int attribute, unsigned long long pointer)
{
    assert_true(attribute == 2 && pointer == (unsigned long long)(uintptr_t)&b);
    if (!world.cuda_fails) *(unsigned *)data = world.cuda_type;
    return world.cuda_fails;
}

/* As HIP lays it out. */
struct attributes {
    int type, device;
    void *on_device, *on_host;
    int managed;
};

static int hip(struct attributes *attributes, const void *pointer)
{
    assert_ptr_equal(pointer, &b);
    *attributes = (struct attributes){1, 1, world.on_device, world.on_host, world.managed};
    return world.hip_fails;
}

int __wrap_dl_iterate_phdr(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data);
void *__wrap_dlsym(void *handle, const char *name);
void *__wrap_dlopen(const char *name, int flags);
int __wrap_dlclose(void *handle);

int __wrap_dl_iterate_phdr(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data)
{
    struct dl_phdr_info info = {.dlpi_adds = world.loaded};
    int rc = each(&info, sizeof info, data);
    assert_int_not_equal(rc, 0); /* one is enough */
    return rc;
}

void *__wrap_dlsym(void *handle, const char *name)
{
    int (*const cuda_function)(void *, int, unsigned long long) = cuda;
    int (*const hip_function)(struct attributes *, const void *) = hip;
    void *found = NULL;
    world.looks++;
    assert_true(handle == RTLD_DEFAULT || handle == &world);
    if ((handle == RTLD_DEFAULT) == (world.library != NULL)) return NULL;
    if (world.cuda && strcmp(name, "cuPointerGetAttribute") == 0) memcpy(&found, &cuda_function, sizeof found);
    if (world.hip && strcmp(name, "hipPointerGetAttributes") == 0) memcpy(&found, &hip_function, sizeof found);
    return found;
}

void *__wrap_dlopen(const char *name, int flags)
{
    assert_int_equal(flags, RTLD_LAZY | RTLD_NOLOAD);
    if (!world.library || strcmp(name, world.library) != 0) return NULL;
    world.opened++;
    return &world;
}

int __wrap_dlclose(void *handle)
{
    assert_ptr_equal(handle, &world);
    world.opened--;
    return 0;
}

/* --- what the decision rests on ----------------------------------------------------------------------------------- */

struct nbc_comm *nbc_comm_of(MPI_Comm of)
{
    assert_true(of == MPI_COMM_WORLD);
    return world.no_comm ? NULL : &comm;
}

enum cw_nbc_type nbc_type_of(MPI_Datatype type)
{
    return type == MPI_INT ? CW_NBC_INT32 : CW_NBC_TYPES;
}

enum cw_nbc_op nbc_op_of(MPI_Op op)
{
    return op == MPI_SUM ? CW_NBC_SUM : op == MPI_PROD ? CW_NBC_PROD : CW_NBC_OPS;
}

cw_nbc_basic nbc_type_basic(MPI_Datatype type)
{
    return type == MPI_INT ? 1 : 2;
}

uint64_t nbc_type_bytes(MPI_Datatype type, nbc_count count)
{
    return (uint64_t)count * (type == MPI_INT ? 4 : 8);
}

uint64_t nbc_message_bytes(const struct cw_nbc_call *call, int me)
{
    (void)call;
    assert_int_equal(me, comm.me);
    return world.bytes;
}

bool nbc_is_gathered(const struct cw_nbc_call *call)
{
    (void)call;
    return world.gathered;
}

bool nbc_is_exact(const struct cw_nbc_call *call)
{
    return call->op != MPI_PROD;
}

uint64_t nbc_span_bytes(const struct cw_nbc_call *call)
{
    (void)call;
    return world.span;
}

bool cw_nbc_settings_choose(const struct cw_nbc_settings *settings, enum cw_collective_kind collective, bool exact,
                            uint32_t ranks, uint64_t bytes, struct cw_nbc_sharing *sharing)
{
    assert_true(settings == &nbc_job.settings && ranks == N && bytes == world.bytes);
    *sharing =
        (struct cw_nbc_sharing){.schedule = exact ? CW_NBC_SLICES : CW_NBC_SPLIT_TREE, .steps = (unsigned)collective};
    return !world.not_worth;
}

bool cw_nbc_claim(struct cw_nbc_node *of, uint32_t place, uint64_t number)
{
    assert_true((char *)of == &node && place == PLACE && number == NEXT);
    world.claims++;
    return !world.unclaimed;
}

void cw_nbc_close(struct cw_nbc_node *of, uint32_t place)
{
    assert_true((char *)of == &node && place == PLACE && world.claims == 0);
    world.closes++;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static int begin_world(void **state)
{
    static unsigned long long loaded; /* more each time: drivers are looked for anew */
    (void)state;
    memset(&world, 0, sizeof world);
    world.bytes = 1000;
    world.loaded = ++loaded;
    broken = 0;
    comm = (struct nbc_comm){.n = N, .me = ROOT, .place = PLACE, .next = NEXT, .broken = &broken};
    nbc_job.node = (struct cw_nbc_node *)&node;
    nbc_job.settings = (struct cw_nbc_settings){.min = 500, .least = 10};
    return nbc_check_open();
}

static int end_world(void **state)
{
    (void)state;
    nbc_check_close();
    return 0;
}

static struct cw_nbc_call call_of(enum cw_collective_kind collective)
{
    struct cw_nbc_call call =
        nbc_call(collective, &a, COUNT, MPI_INT, &b, COUNT, MPI_INT, MPI_OP_NULL, ROOT, MPI_COMM_WORLD);
    if (cw_collectives[collective].reduces) call.op = MPI_SUM;
    if (!cw_collective_is_rooted(collective)) call.root = 0;
    if (collective == CW_COLLECTIVE_BCAST) call.send = NULL;
    return call;
}

static enum nbc_side side_of(const struct cw_nbc_call *call, int me)
{
    comm.me = me;
    return cw_nbc_side(call).side;
}

static void mpi_is_asked_on_a_communicator_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(world.errors_return, 1);
    nbc_check_close();
    nbc_check_close();
    assert_int_equal(world.freed, 1);
    world.no_dup = true;
    assert_int_equal(nbc_check_open(), CW_EIO);
    assert_string_equal(cw_error_message(), "MPI could not make a communicator of one rank");
    nbc_check_close();
    assert_int_equal(world.freed, 1);
}

/* MPI_IN_PLACE stands where the result, or a root's own block, may lie already; not where nobody looks. */
static void places(void **state)
{
    static const struct {
        enum cw_collective_kind collective;
        bool root, send, recv; /* this rank is it; MPI_IN_PLACE is there */
        enum nbc_side side;
    } cases[] = {{CW_COLLECTIVE_BCAST, true, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_BCAST, false, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_BCAST, true, true, false, NBC_OURS},
                 {CW_COLLECTIVE_SCATTER, true, false, true, NBC_OURS},
                 {CW_COLLECTIVE_SCATTER, false, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_SCATTER, true, true, false, NBC_REFUSED},
                 {CW_COLLECTIVE_SCATTER, false, true, false, NBC_OURS},
                 {CW_COLLECTIVE_GATHER, true, true, false, NBC_OURS},
                 {CW_COLLECTIVE_GATHER, false, true, false, NBC_REFUSED},
                 {CW_COLLECTIVE_GATHER, true, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_GATHER, false, false, true, NBC_OURS},
                 {CW_COLLECTIVE_REDUCE, true, true, false, NBC_OURS},
                 {CW_COLLECTIVE_REDUCE, false, true, false, NBC_REFUSED},
                 {CW_COLLECTIVE_REDUCE, true, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_REDUCE, false, false, true, NBC_OURS},
                 {CW_COLLECTIVE_ALLREDUCE, false, true, false, NBC_OURS},
                 {CW_COLLECTIVE_ALLREDUCE, false, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_ALLGATHER, true, true, false, NBC_OURS},
                 {CW_COLLECTIVE_ALLGATHER, true, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_ALLTOALL, false, true, false, NBC_OURS},
                 {CW_COLLECTIVE_ALLTOALL, false, false, true, NBC_REFUSED},
                 {CW_COLLECTIVE_ALLTOALL, false, false, false, NBC_OURS}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_nbc_call call = call_of(cases[i].collective);
        if (!cw_collective_is_rooted(call.collective)) call.root = ROOT; /* which nobody looks at */
        if (cases[i].send) call.send = MPI_IN_PLACE;
        if (cases[i].recv) call.recv = MPI_IN_PLACE;
        if (side_of(&call, cases[i].root ? ROOT : 1) != cases[i].side) fail_msg("case %zu", i);
    }
    assert_int_equal(world.asked, 0); /* MPI about what is known to be right */
}

static void roots(void **state)
{
    static const int all[] = {-1, 0, N - 1, N};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct cw_nbc_call call = call_of(CW_COLLECTIVE_BCAST);
        call.root = all[i];
        assert_int_equal(side_of(&call, ROOT), i == 0 || i == 3 ? NBC_REFUSED : NBC_OURS);
        call = call_of(CW_COLLECTIVE_ALLREDUCE);
        call.root = all[i];
        assert_int_equal(side_of(&call, ROOT), NBC_OURS);
    }
}

/* MPI is asked about a buffer that this rank gives or takes, unless it is known to be right. */
static void buffers(void **state)
{
    static const struct {
        enum cw_collective_kind collective;
        bool root, gives, takes;
    } cases[] = {{CW_COLLECTIVE_BCAST, true, false, true},    {CW_COLLECTIVE_BCAST, false, false, true},
                 {CW_COLLECTIVE_SCATTER, true, true, true},   {CW_COLLECTIVE_SCATTER, false, false, true},
                 {CW_COLLECTIVE_GATHER, true, true, true},    {CW_COLLECTIVE_GATHER, false, true, false},
                 {CW_COLLECTIVE_REDUCE, false, true, false},  {CW_COLLECTIVE_ALLGATHER, false, true, true},
                 {CW_COLLECTIVE_ALLTOALL, false, true, true}, {CW_COLLECTIVE_ALLREDUCE, false, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int wrong = 0; wrong < 5; wrong++) { /* nothing, a count, the type, the buffer, and one of unknown type */
            const int me = cases[i].root ? ROOT : 1, refused = wrong > 0 && wrong < 4;
            struct cw_nbc_call call = call_of(cases[i].collective);
            world.asked = 0;
            call.send_count = wrong == 1 ? -1 : COUNT;
            call.send_type = wrong == 2 ? MPI_DATATYPE_NULL : wrong == 4 ? MPI_SHORT : MPI_INT;
            if (wrong == 3) call.send = NULL;
            assert_int_equal(side_of(&call, me), cases[i].gives && refused ? NBC_REFUSED : NBC_OURS);
            assert_int_equal(world.asked, cases[i].gives && wrong > 0);
            call = call_of(cases[i].collective);
            world.asked = 0;
            call.recv_count = wrong == 1 ? -1 : COUNT;
            if (wrong == 2 && !cw_collectives[call.collective].reduces) call.recv_type = MPI_DATATYPE_NULL;
            if (wrong == 4) call.recv_type = MPI_SHORT;
            if (wrong == 3) call.recv = NULL;
            if (wrong == 2 && cw_collectives[call.collective].reduces) continue;
            assert_int_equal(side_of(&call, me), cases[i].takes && refused ? NBC_REFUSED : NBC_OURS);
            assert_int_equal(world.asked, cases[i].takes && wrong > 0);
        }
    struct cw_nbc_call nothing = call_of(CW_COLLECTIVE_ALLTOALL);
    nothing.send_count = nothing.recv_count = 0;
    nothing.send_type = nothing.recv_type = MPI_CHAR;
    world.asked = 0;
    assert_int_equal(side_of(&nothing, 1), NBC_OURS);
    assert_int_equal(world.asked, 0);
}

/* What is given and what is taken lie apart, if there is any of both. */
static void buffers_that_are_the_same(void **state)
{
    static const struct {
        int send_count, recv_count;
        enum nbc_side side;
    } cases[] = {{COUNT, COUNT, NBC_REFUSED}, {1, 1, NBC_REFUSED}, {0, COUNT, NBC_OURS}, {COUNT, 0, NBC_OURS}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_nbc_call call = call_of(CW_COLLECTIVE_GATHER);
        call.send = call.recv;
        call.send_count = cases[i].send_count;
        call.recv_count = cases[i].recv_count;
        assert_int_equal(side_of(&call, ROOT), cases[i].side);
        assert_int_equal(side_of(&call, 1), NBC_OURS);
    }
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_SCATTER);
    call.send = call.recv;
    assert_int_equal(side_of(&call, 1), NBC_OURS); /* it does not give */
    call = call_of(CW_COLLECTIVE_ALLTOALL);
    call.send_type = call.recv_type = MPI_SHORT; /* of addresses, as MPI finds */
    call.send = call.recv = MPI_BOTTOM;
    call.send_count = call.recv_count = 0;
    assert_int_equal(side_of(&call, 1), NBC_OURS);
}

/* MPI is asked once about a predefined pair of type and operation, each time about others. */
static void operations(void **state)
{
    (void)state;
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE);
    call.op = MPI_PROD;
    for (int i = 1; i < 3; i++) assert_true(side_of(&call, 1) == NBC_OURS && world.ops_asked == 1);
    call.op = MPI_SUM;
    for (int i = 1; i < 3; i++) assert_true(side_of(&call, 1) == NBC_OURS && world.ops_asked == 2);
    call.recv_type = MPI_DOUBLE; /* no plain numbers here */
    for (int i = 1; i < 3; i++) assert_true(side_of(&call, 1) == NBC_OURS && world.ops_asked == 2 + i);
    call.recv_type = MPI_INT; /* still remembered */
    assert_true(side_of(&call, 1) == NBC_OURS && world.ops_asked == 4);
    call.op = USER_OP;
    for (int i = 1; i < 3; i++) assert_true(side_of(&call, 1) == NBC_OURS && world.ops_asked == 4 + i);
    world.refuses_op = true;
    call.op = MPI_PROD;
    for (int i = 1; i < 3; i++) assert_true(side_of(&call, 1) == NBC_REFUSED && world.ops_asked == 6 + i);
    call = call_of(CW_COLLECTIVE_BCAST); /* which has none */
    assert_true(side_of(&call, 1) == NBC_OURS && world.ops_asked == 8);
}

static void lengths(void **state)
{
    const struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE);
    struct cw_nbc_call wrong = call_of(CW_COLLECTIVE_BCAST);
    wrong.root = -1;
    (void)state;
    world.bytes = 9;
    assert_int_equal(side_of(&wrong, 1), NBC_LEFT); /* what is short is not looked at */
    world.bytes = 10;
    assert_int_equal(side_of(&wrong, 1), NBC_REFUSED);
    assert_int_equal(side_of(&call, 1), NBC_OURS);
    world.bytes = NBC_LONGEST;
    assert_int_equal(side_of(&call, 1), NBC_OURS);
    world.bytes++;
    assert_int_equal(side_of(&call, 1), NBC_LEFT);
    world.bytes = 1000;
    world.not_worth = true;
    assert_int_equal(side_of(&call, 1), NBC_LEFT);
    world.no_comm = true;
    assert_int_equal(side_of(&wrong, 1), NBC_LEFT);
}

static void communicators(void **state)
{
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE);
    (void)state;
    struct nbc_decision decision = cw_nbc_side(&call);
    assert_true(decision.side == NBC_OURS && decision.comm == &comm && decision.bytes == 1000 && !decision.gathered);
    assert_true(decision.sharing.schedule == CW_NBC_SLICES && decision.sharing.steps == CW_COLLECTIVE_ALLREDUCE);
    assert_int_equal(world.claims, 1);
    call.op = MPI_PROD;
    assert_int_equal(cw_nbc_side(&call).sharing.schedule, CW_NBC_SPLIT_TREE);
    world.unclaimed = true;
    assert_int_equal(cw_nbc_side(&call).side, NBC_LEFT);
    broken = 5; /* by the call 4 */
    comm.calls = 4;
    assert_int_equal(cw_nbc_side(&call).side, NBC_LEFT);
    comm.calls = 5;
    assert_int_equal(cw_nbc_side(&call).side, NBC_BROKEN);
    comm.calls = 6;
    assert_int_equal(cw_nbc_side(&call).side, NBC_BROKEN);
    broken = 0;
    assert_int_equal(cw_nbc_side(&call).side, NBC_LEFT);

    world.claims = 0;
    world.not_worth = true; /* by what was measured of one host */
    world.cuda = true;
    world.cuda_type = 2;
    comm.spans = true;
    for (uint64_t bytes = 499; bytes < 502; bytes++) {
        world.bytes = bytes;
        decision = cw_nbc_side(&call);
        assert_int_equal(decision.side, bytes < 500 ? NBC_LEFT : NBC_OURS);
        assert_int_equal(decision.sharing.schedule, CW_NBC_AUTO);
    }
    assert_true(world.claims == 0 && world.closes == 0);
}

/* Reductions that ranks apply are ours as long as all contributions have room. */
static void reductions_of_ranks(void **state)
{
    const struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE);
    (void)state;
    world.span = (64u << 20) / N + 1;
    assert_int_equal(cw_nbc_side(&call).side, NBC_OURS);
    world.gathered = true;
    assert_int_equal(cw_nbc_side(&call).side, NBC_LEFT);
    world.span--;
    const struct nbc_decision decision = cw_nbc_side(&call);
    assert_true(decision.side == NBC_OURS && decision.gathered);
}

static void what_others_are_told(void **state)
{
    static const struct {
        enum cw_collective_kind collective;
        bool root;
        uint64_t given, taken; /* bytes */
    } cases[] = {{CW_COLLECTIVE_BCAST, true, 8, 8},    {CW_COLLECTIVE_SCATTER, true, 4, 8},
                 {CW_COLLECTIVE_SCATTER, false, 8, 8}, {CW_COLLECTIVE_GATHER, true, 4, 8},
                 {CW_COLLECTIVE_GATHER, false, 4, 4},  {CW_COLLECTIVE_REDUCE, false, 4, 8},
                 {CW_COLLECTIVE_REDUCE, true, 4, 8},   {CW_COLLECTIVE_ALLTOALL, false, 4, 8}};
    struct cw_nbc_asked asked;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_nbc_call call = call_of(cases[i].collective);
        call.send_count = call.recv_count = 1;
        call.recv_type = MPI_DOUBLE;
        comm.me = cases[i].root ? ROOT : 1;
        nbc_describe(&call, &comm, &asked);
        assert_true(asked.rank == (uint32_t)comm.me && asked.collective == cases[i].collective && !asked.refused);
        assert_int_equal(asked.root, cw_collective_is_rooted(call.collective) ? ROOT : 0);
        assert_true(asked.bytes[0] == cases[i].given && asked.bytes[1] == cases[i].taken);
        assert_true(asked.basic[0] == cases[i].given / 4 && asked.basic[1] == cases[i].taken / 4);
        assert_int_equal(asked.op, cw_collectives[call.collective].reduces ? CW_NBC_SUM : CW_NBC_OP_UNSAID);
    }
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_ALLREDUCE);
    call.op = USER_OP;
    nbc_describe(&call, &comm, &asked);
    assert_int_equal(asked.op, CW_NBC_OP_OWN);
    call.send = MPI_IN_PLACE; /* it gives what it takes */
    call.recv_type = MPI_DOUBLE;
    nbc_describe(&call, &comm, &asked);
    assert_true(asked.bytes[0] == 8 * COUNT && asked.basic[0] == 2);
}

static void classes_of_failures(void **state)
{
    static const int classes[] = {[CW_NBC_OTHER_COLLECTIVE] = MPI_ERR_OTHER,
                                  [CW_NBC_OTHER_ROOT] = MPI_ERR_ROOT,
                                  [CW_NBC_OTHER_BYTES] = MPI_ERR_TRUNCATE,
                                  [CW_NBC_OTHER_TYPE] = MPI_ERR_TYPE,
                                  [CW_NBC_OTHER_OP] = MPI_ERR_OP,
                                  [CW_NBC_OTHER_SIDE] = MPI_ERR_OTHER};
    (void)state;
    assert_int_equal(nbc_class_of_failure(CW_EUSAGE), MPI_ERR_OTHER);
    for (int clash = CW_NBC_OTHER_COLLECTIVE; clash <= CW_NBC_OTHER_SIDE; clash++) {
        const struct cw_nbc_clash_note note = {.clash = (enum cw_nbc_clash)clash};
        assert_int_equal(nbc_fail_of_clash(&note), CW_EUSAGE);
        assert_int_equal(nbc_class_of_failure(CW_EUSAGE), classes[clash]);
        assert_int_equal(nbc_class_of_failure(CW_EIO), MPI_ERR_OTHER);
    }
}

/* Drivers are looked for in the program and in libraries that it has loaded, again when it has loaded more. */
static void drivers(void **state)
{
    static const struct {
        const char *library;
        bool cuda;
    } cases[] = {{NULL, true},
                 {"libcuda.so.1", true},
                 {"libcuda.so", true},
                 {NULL, false},
                 {"libamdhip64.so.7", false},
                 {"libamdhip64.so.6", false},
                 {"libamdhip64.so.5", false},
                 {"libamdhip64.so", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_world(NULL);
        assert_false(nbc_device_has(&b)); /* nothing is loaded yet */
        world.library = cases[i].library;
        world.cuda = cases[i].cuda;
        world.hip = !world.cuda;
        world.cuda_type = 2;
        world.on_device = &a;
        const int looks = world.looks;
        assert_false(nbc_device_has(&b));
        assert_int_equal(world.looks, looks);
        world.loaded += 1000;
        assert_true(nbc_device_has(&b));
        assert_true(world.looks > looks && world.opened == 0);
        assert_true(!nbc_device_has(NULL) && !nbc_device_has(MPI_IN_PLACE));
        world.loaded += 1000000 * (i + 1); /* the next is looked for in any case */
        world.cuda = world.hip = false;
        assert_false(nbc_device_has(&b)); /* they are gone */
    }
}

static void memory_of_devices(void **state)
{
    (void)state;
    world.loaded += 1u << 30;
    world.cuda = world.hip = true;
    world.cuda_type = 2;
    assert_true(nbc_device_has(&b));
    world.cuda_type = 1; /* of the host, whatever the other driver says */
    world.on_device = &a;
    assert_false(nbc_device_has(&b));
    world.cuda_fails = 1; /* it is not that driver's */
    assert_true(nbc_device_has(&b));
    world.on_host = &a; /* the host can reach it, too, … */
    assert_false(nbc_device_has(&b));
    world.managed = 1; /* … but it moves to and fro */
    assert_true(nbc_device_has(&b));
    world.hip_fails = 1;
    assert_false(nbc_device_has(&b));
    world.hip_fails = world.managed = 0;
    world.on_host = world.on_device = NULL;
    assert_false(nbc_device_has(&b));

    world.managed = 1; /* and a communicator on which it is used is left to MPI from then on */
    for (int gives = 0; gives < 2; gives++)
        for (int root = 0; root < 2; root++) {
            struct cw_nbc_call call = call_of(gives ? CW_COLLECTIVE_SCATTER : CW_COLLECTIVE_REDUCE);
            if (gives) call.send = &b, call.recv = NULL, call.recv_count = 0, call.recv_type = MPI_SHORT;
            if (!gives) call.send = NULL, call.send_count = 0, call.send_type = MPI_SHORT;
            world.claims = world.closes = 0;
            assert_int_equal(side_of(&call, root ? ROOT : 1), NBC_OURS);
            assert_int_equal(world.closes, root);
        }
}

static void calls_of_mpi(void **state)
{
    MPI_Request request;
    struct cw_nbc_call call = call_of(CW_COLLECTIVE_BCAST);
    (void)state;
    assert_int_equal(cw_nbc_begin_native(&call, &request), 0);
    world.code = 7;
    assert_int_equal(cw_nbc_begin_native(&call, &request), CW_EIO);
    assert_string_equal(cw_error_message(), "MPI could not start a collective: class 8");
    call.collective = CW_COLLECTIVE_BARRIER;
    assert_int_equal(nbc_start_native(&call, &request), MPI_ERR_ARG);
}

#define CASE(NAME) cmocka_unit_test_setup_teardown(NAME, begin_world, end_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(classes_of_failures), /* before any */
        CASE(mpi_is_asked_on_a_communicator_of_its_own),
        CASE(places),
        CASE(roots),
        CASE(buffers),
        CASE(buffers_that_are_the_same),
        CASE(operations),
        CASE(lengths),
        CASE(communicators),
        CASE(reductions_of_ranks),
        CASE(what_others_are_told),
        CASE(drivers),
        CASE(memory_of_devices),
        CASE(calls_of_mpi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
