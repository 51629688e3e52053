#include "mpi/nbc/nbc_buffers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_check.h"
#include "mpi/nbc/nbc_job.h"
#include "mpi/nbc/nbc_type.h"

bool nbc_is_gathered(const struct cw_nbc_call *call)
{
    return cw_collectives[call->collective].reduces &&
           !cw_nbc_combine_for(nbc_type_of(call->recv_type), nbc_op_of(call->op));
}

bool nbc_is_exact(const struct cw_nbc_call *call)
{
    if (!cw_collectives[call->collective].reduces) return true;
    return cw_nbc_type_is_exact(nbc_type_of(call->recv_type)) && nbc_op_of(call->op) < CW_NBC_OPS;
}

uint64_t nbc_span_bytes(const struct cw_nbc_call *call)
{
    MPI_Aint first;
    return nbc_type_span(call->recv_type, call->recv_count, &first);
}

uint64_t nbc_message_bytes(const struct cw_nbc_call *call, int me)
{
    const bool by_send = (call->collective == CW_COLLECTIVE_SCATTER && me == call->root) ||
                         (call->collective == CW_COLLECTIVE_GATHER && me != call->root);
    return by_send ? nbc_type_bytes(call->send_type, call->send_count)
                   : nbc_type_bytes(call->recv_type, call->recv_count);
}

/* Blocks of a rank in the program's memory: those it gives, or those it gets. BUFFER is NULL where a datatype has
 * addresses of its own (MPI_BOTTOM). */
struct blocks {
    const void *buffer;
    int n; /* 0: there are none */
    nbc_count count;
    MPI_Datatype type;
};

static struct blocks given(const struct cw_nbc_call *call, int n, int me)
{
    const struct cw_collective_traits *traits = &cw_collectives[call->collective];
    const bool in_place = call->send == MPI_IN_PLACE, one_buffer = call->collective == CW_COLLECTIVE_BCAST;
    const struct blocks none = {0};
    struct blocks blocks = {call->send, 1, call->send_count, call->send_type};
    if (in_place || one_buffer) blocks = (struct blocks){call->recv, 1, call->recv_count, call->recv_type};
    if (traits->root_gives && me != call->root) return none;
    if (traits->gives_blocks) blocks.n *= n;
    if (!in_place || traits->gives_blocks || !traits->takes_blocks) return blocks;
    if (traits->root_takes) return none; /* it is where it belongs, as in an allgather: */
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(call->recv_type, &lower, &extent);
    blocks.buffer = (const char *)call->recv + (MPI_Aint)me * call->recv_count * extent;
    return blocks;
}

static struct blocks gotten(const struct cw_nbc_call *call, int n, int me)
{
    const struct cw_collective_traits *traits = &cw_collectives[call->collective];
    const bool root = me == call->root, has_it = call->collective == CW_COLLECTIVE_BCAST && root;
    const struct blocks blocks = {call->recv, traits->takes_blocks ? n : 1, call->recv_count, call->recv_type},
                        none = {0};
    if (has_it || call->recv == MPI_IN_PLACE || (traits->root_takes && !root)) return none;
    return blocks;
}

/* Where BLOCKS are, if they can be used as they are. */
static uint64_t place_of(const struct blocks *blocks)
{
    return (uint64_t)(uintptr_t)blocks->buffer;
}

/* Only MPI can reach memory of a device: it packs and unpacks what lies there. */
static bool is_usable(const struct blocks *blocks)
{
    return nbc_type_is_dense(blocks->type) && !nbc_device_has(blocks->buffer);
}

/* In an alltoall in place, what is given would be overwritten. */
static bool must_pack(const struct cw_nbc_call *call, const struct blocks *blocks)
{
    return (call->collective == CW_COLLECTIVE_ALLTOALL && call->send == MPI_IN_PLACE) || !is_usable(blocks);
}

static int new_copy(const struct blocks *blocks, char **out)
{
    *out = cw_new_array((size_t)blocks->n, nbc_type_bytes(blocks->type, blocks->count), "a packed message");
    return *out ? 0 : CW_ENOMEM;
}

static int place_blocks(const struct cw_nbc_call *call, int n, int me, struct cw_nbc_part *part,
                        struct nbc_buffers *buffers)
{
    const struct blocks give = given(call, n, me), get = gotten(call, n, me);
    int rc = 0;
    if (give.n > 0 && must_pack(call, &give)) {
        rc = new_copy(&give, &buffers->sent);
        if (!rc) rc = nbc_type_pack(give.buffer, give.n, give.count, give.type, buffers->sent);
    }
    if (!rc && get.n > 0 && !is_usable(&get)) rc = new_copy(&get, &buffers->received);
    part->send = buffers->sent ? (uint64_t)(uintptr_t)buffers->sent : place_of(&give);
    part->recv = buffers->received ? (uint64_t)(uintptr_t)buffers->received : place_of(&get);
    /* A rank that has its block where it belongs; not so if the others' go through a buffer of ours. */
    part->in_place =
        call->send == MPI_IN_PLACE || (call->collective == CW_COLLECTIVE_SCATTER && call->recv == MPI_IN_PLACE);
    if (call->collective == CW_COLLECTIVE_ALLGATHER && buffers->received) part->in_place = false;
    return rc;
}

/* Copies GIVE as it is laid out, from the memory of a device into ours, from its first byte on. */
static int fetch_span(const struct blocks *give, uint64_t bytes, MPI_Aint first, char **out)
{
    char *packed = NULL;
    *out = cw_new_array(1, bytes, "a message of a device");
    int rc = *out ? new_copy(give, &packed) : CW_ENOMEM;
    if (!rc) rc = nbc_type_pack(give->buffer, 1, give->count, give->type, packed);
    if (!rc) rc = nbc_type_unpack(packed, *out - first, 1, give->count, give->type);
    free(packed);
    return rc;
}

/* Everything that all ranks have, to the root or to all. */
static int place_gathered(const struct cw_nbc_call *call, int n, int me, struct cw_nbc_work *work,
                          struct cw_nbc_part *part, struct nbc_buffers *buffers)
{
    MPI_Aint first;
    const struct blocks give = given(call, n, me);
    work->bytes = nbc_type_span(call->recv_type, call->recv_count, &first);
    work->collective = call->collective == CW_COLLECTIVE_REDUCE ? CW_COLLECTIVE_GATHER : CW_COLLECTIVE_ALLGATHER;
    part->send = place_of(&give) + (uint64_t)first;
    if (nbc_device_has(give.buffer)) {
        const int rc = fetch_span(&give, work->bytes, first, &buffers->sent);
        if (rc) return rc;
        part->send = (uint64_t)(uintptr_t)buffers->sent;
    }
    if (work->collective == CW_COLLECTIVE_GATHER && me != call->root) return 0;
    buffers->received = cw_new_array((size_t)n, work->bytes, "the contributions of all ranks to a reduction");
    part->recv = (uint64_t)(uintptr_t)buffers->received;
    return buffers->received ? 0 : CW_ENOMEM;
}

static int place_room(int n, int me, const struct cw_nbc_work *work, struct cw_nbc_part *part,
                      struct nbc_buffers *buffers)
{
    uint64_t bytes;
    int rc = cw_nbc_room(nbc_job.node, work, (uint32_t)n, (uint32_t)me, &bytes);
    if (rc || bytes == 0) return rc;
    buffers->room = cw_new_array(bytes, 1, "what a rank passes on");
    part->room = (uint64_t)(uintptr_t)buffers->room;
    return buffers->room ? 0 : CW_ENOMEM;
}

int nbc_buffers_prepare(const struct cw_nbc_call *call, int n, int me, const struct nbc_decision *decided,
                        struct cw_nbc_work *work, struct cw_nbc_part *part, struct nbc_buffers *buffers)
{
    const struct cw_nbc_sharing *sharing = &decided->sharing;
    *work = (struct cw_nbc_work){.collective = call->collective,
                                 .root = (uint32_t)call->root,
                                 .bytes = decided->bytes,
                                 .chunk = CW_NBC_CHUNK,
                                 .type = cw_collectives[call->collective].reduces ? nbc_type_of(call->recv_type)
                                                                                  : CW_NBC_TYPES,
                                 .op = cw_collectives[call->collective].reduces ? nbc_op_of(call->op) : CW_NBC_OPS,
                                 .schedule = sharing->schedule,
                                 .fraction = sharing->fraction,
                                 .radix = sharing->radix,
                                 .steps = sharing->steps};
    *part = (struct cw_nbc_part){0};
    *buffers = (struct nbc_buffers){.gathered = decided->gathered};
    int rc =
        decided->gathered ? place_gathered(call, n, me, work, part, buffers) : place_blocks(call, n, me, part, buffers);
    if (!rc) rc = place_room(n, me, work, part, buffers);
    if (rc) nbc_buffers_free(buffers);
    return rc;
}

/* a(0) op (a(1) op (… op a(n-1))), each in memory that is aligned for any type. */
static int reduce_gathered(const struct cw_nbc_call *call, int n, const char *all)
{
    MPI_Aint first;
    const uint64_t bytes = nbc_type_span(call->recv_type, call->recv_count, &first);
    char *left = cw_new_array(1, bytes, "a reduction"), *right = cw_new_array(1, bytes, "a reduction"), *packed = NULL;
    int rc = left && right ? 0 : CW_ENOMEM;
    if (!rc) memcpy(right, all + (uint64_t)(n - 1) * bytes, bytes);
    for (int rank = n - 2; rank >= 0 && !rc; rank--) {
        memcpy(left, all + (uint64_t)rank * bytes, bytes);
        if (NBC_COUNTED(PMPI_Reduce_local)(left - first, right - first, call->recv_count, call->recv_type, call->op) !=
            MPI_SUCCESS)
            rc = cw_fail(CW_EIO, "MPI could not apply the operation of a reduction");
    }
    if (!rc) rc = new_copy(&(struct blocks){right, 1, call->recv_count, call->recv_type}, &packed);
    if (!rc) rc = nbc_type_pack(right - first, 1, call->recv_count, call->recv_type, packed);
    if (!rc) rc = nbc_type_unpack(packed, call->recv, 1, call->recv_count, call->recv_type);
    free(left);
    free(right);
    free(packed);
    return rc;
}

int nbc_buffers_finish(const struct cw_nbc_call *call, int n, int me, const struct nbc_buffers *buffers)
{
    if (!buffers->received) return 0;
    if (buffers->gathered) return reduce_gathered(call, n, buffers->received);
    const struct blocks get = gotten(call, n, me);
    const bool skip = call->collective == CW_COLLECTIVE_GATHER && call->send == MPI_IN_PLACE; /* the root's own */
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(get.type, &lower, &extent);
    const uint64_t bytes = nbc_type_bytes(get.type, get.count);
    int rc = 0;
    for (int block = 0; block < get.n && !rc; block++) {
        if (skip && block == me) continue;
        rc = nbc_type_unpack(buffers->received + (uint64_t)block * bytes,
                             (char *)call->recv + (MPI_Aint)block * get.count * extent, 1, get.count, get.type);
    }
    return rc;
}

void nbc_buffers_free(struct nbc_buffers *buffers)
{
    free(buffers->sent);
    free(buffers->received);
    free(buffers->room);
}
