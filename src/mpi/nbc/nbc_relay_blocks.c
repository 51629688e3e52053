/*
 * Scatters, gathers, allgathers and all-to-alls: each host sends each other host one parcel, the blocks that its ranks
 * have for the ranks there, in the order of ranks. In round r it sends to the host r places on, and receives from the
 * one r places back; a few rounds are under way at a time. What ranks of a host have for each other is its parcel for
 * itself. Blocks are copied between the ranks' memory and the segments of parcels by the relay itself.
 *
 * MPI and the kernel would take whole parcels at once. Then some hosts are sent more than their cable can bring, while
 * others wait. So a host has only so many segments under way, in all rounds together, as keep its cable busy; they are
 * until the other host receives them. All parcels of all hosts proceed alike then.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_relay_internal.h"

#define ROUNDS 4 /* under way at a time */

/* Segments; twice those of a flow, so that one that is held up leaves room for others. */
#define UNDER_WAY (2 * NBC_WIDE)

struct parcel {
    int from, to; /* hosts; one of them, or both, is this one */
    uint64_t bytes, segment;
    uint32_t n_segments, drained;
    struct nbc_flow flow;
    char *buffers; /* [NBC_WIDE] segments */
};

struct round {
    struct parcel out, in;
};

struct relay_blocks {
    struct parcel own; /* for ourselves */
    struct round rounds[ROUNDS];
    int begun, done;    /* rounds; the first is 1 */
    uint32_t under_way; /* segments that were sent and not received yet */
};

/* --- what is in a parcel ----------------------------------------------------------------------------------------- */

static uint64_t n_ranks(const struct relay *relay, int host)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    return (uint64_t)(hosts->first[host + 1] - hosts->first[host]);
}

/* The I-th rank of HOST. */
static uint32_t rank_of(const struct relay *relay, int host, uint64_t i)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    return (uint32_t)hosts->ranks[(uint64_t)hosts->first[host] + i];
}

static const struct cw_collective_traits *traits_of(const struct relay *relay)
{
    return &cw_collectives[relay->work.collective];
}

static uint64_t n_blocks(const struct relay *relay, int from, int to)
{
    const struct cw_collective_traits *traits = traits_of(relay);
    const int root = relay->comm->hosts.of_rank[relay->work.root];
    if ((traits->root_gives && from != root) || (traits->root_takes && to != root)) return 0;
    return (traits->root_gives ? 1 : n_ranks(relay, from)) * (traits->gives_blocks ? n_ranks(relay, to) : 1);
}

/* The ranks between which a block of a parcel goes; `to` is UINT32_MAX: all of the host. */
struct route {
    uint32_t from, to;
};

static struct route route_of(const struct relay *relay, const struct parcel *parcel, uint64_t block)
{
    const struct cw_collective_traits *traits = traits_of(relay);
    const uint64_t each = traits->gives_blocks ? n_ranks(relay, parcel->to) : 1; /* that a rank gives */
    const uint32_t from = traits->root_gives ? relay->work.root : rank_of(relay, parcel->from, block / each);
    if (traits->root_takes) return (struct route){from, relay->work.root};
    return (struct route){from, traits->gives_blocks ? rank_of(relay, parcel->to, block % each) : UINT32_MAX};
}

/* --- copies ------------------------------------------------------------------------------------------------------ */

static uint32_t among_host(const struct relay *relay, uint32_t rank)
{
    return (uint32_t)relay->comm->hosts.among_host[rank];
}

/* A rank has its own block where it belongs. */
static bool is_in_place(const struct relay *relay, struct route route)
{
    return route.from == route.to && relay_part(relay, among_host(relay, route.to)).in_place &&
           relay->work.collective != CW_COLLECTIVE_ALLTOALL;
}

/* BYTES from OFFSET on of a block, from the rank that sends it. */
static void fill(struct relay *relay, struct route route, uint64_t offset, char *data, size_t bytes)
{
    const bool one_of_many = traits_of(relay)->gives_blocks;
    const uint32_t local = among_host(relay, route.from);
    if (is_in_place(relay, route)) return;
    const uint64_t at = relay_part(relay, local).send + (one_of_many ? route.to * relay->work.bytes : 0) + offset;
    relay_note_error(relay, cw_nbc_relay_read(relay->node, relay_number(relay, local), data, at, bytes), local);
}

static void drain_to(struct relay *relay, struct route route, uint64_t offset, const char *data, size_t bytes)
{
    const bool one_of_many = traits_of(relay)->takes_blocks;
    const uint32_t local = among_host(relay, route.to);
    if (is_in_place(relay, route)) return;
    const uint64_t at = relay_part(relay, local).recv + (one_of_many ? route.from * relay->work.bytes : 0) + offset;
    relay_note_error(relay, cw_nbc_relay_write(relay->node, relay_number(relay, local), data, at, bytes), local);
}

static void drain(struct relay *relay, struct route route, uint64_t offset, char *data, size_t bytes)
{
    const int me = relay->comm->hosts.me;
    if (route.to != UINT32_MAX) {
        drain_to(relay, route, offset, data, bytes);
        return;
    }
    for (uint64_t i = 0; i < n_ranks(relay, me); i++)
        drain_to(relay, (struct route){route.from, rank_of(relay, me, i)}, offset, data, bytes);
}

static char *buffer_of(const struct parcel *parcel, uint32_t segment)
{
    return parcel->buffers + segment % NBC_WIDE * parcel->segment;
}

static size_t bytes_of(const struct parcel *parcel, uint32_t segment)
{
    const uint64_t left = parcel->bytes - segment * parcel->segment;
    return left < parcel->segment ? left : parcel->segment;
}

typedef void copy(struct relay *relay, struct route route, uint64_t offset, char *data, size_t bytes);

/* Copies what a segment has of each block. */
static void copy_segment(struct relay *relay, const struct parcel *parcel, uint32_t segment, copy *function)
{
    const uint64_t block = relay->work.bytes, first = segment * parcel->segment, n = bytes_of(parcel, segment);
    for (uint64_t done = 0; done < n;) {
        const uint64_t offset = (first + done) % block, left = block - offset;
        const size_t bytes = left < n - done ? left : n - done;
        function(relay, route_of(relay, parcel, (first + done) / block), offset, buffer_of(parcel, segment) + done,
                 bytes);
        done += bytes;
    }
}

/* --- parcels ----------------------------------------------------------------------------------------------------- */

static int open_parcel(struct relay *relay, struct parcel *parcel, int from, int to)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    *parcel = (struct parcel){.from = from, .to = to, .bytes = n_blocks(relay, from, to) * relay->work.bytes};
    if (parcel->bytes == 0) return 0;
    const struct cw_nbc_cut cut = cw_nbc_cut_of(parcel->bytes, 1);
    parcel->segment = cut.segment;
    parcel->n_segments = cut.per_block;
    parcel->buffers = cw_new_pages(NBC_WIDE * parcel->segment, "messages between hosts");
    if (!parcel->buffers) return CW_ENOMEM;
    if (from != hosts->me)
        nbc_flow_receive(&parcel->flow, hosts->leaders[from], relay->comm->key, relay->number);
    else if (to != hosts->me)
        nbc_flow_send(&parcel->flow, hosts->leaders[to], relay->comm->key, relay->number);
    parcel->flow.wide = true;
    return 0;
}

static void close_parcel(struct parcel *parcel)
{
    nbc_flow_end(&parcel->flow);
    free(parcel->buffers);
    parcel->buffers = NULL;
}

/* One segment at a time: others wait, too. */
static void step_out(struct relay *relay, struct parcel *parcel, bool *any)
{
    struct nbc_flow *flow = &parcel->flow;
    uint32_t *under_way = &relay->blocks->under_way;
    const uint32_t done = flow->done;
    if (parcel->bytes == 0) return;
    nbc_flow_look(flow, any);
    *under_way -= flow->done - done;
    if (*under_way == UNDER_WAY || flow->begun == parcel->n_segments || !nbc_flow_has_room(flow)) return;
    copy_segment(relay, parcel, flow->begun, fill);
    nbc_flow_begin(flow, buffer_of(parcel, flow->begun), bytes_of(parcel, flow->begun));
    ++*under_way;
    *any = true;
}

static void step_in(struct relay *relay, struct parcel *parcel, bool *any)
{
    struct nbc_flow *flow = &parcel->flow;
    if (parcel->bytes == 0) return;
    while (flow->begun < parcel->n_segments && flow->begun - parcel->drained < NBC_WIDE && nbc_flow_has_room(flow))
        nbc_flow_begin(flow, buffer_of(parcel, flow->begun), bytes_of(parcel, flow->begun));
    nbc_flow_look(flow, any);
    if (parcel->drained == flow->done) return;
    copy_segment(relay, parcel, parcel->drained++, drain);
    *any = true;
}

static void step_own(struct relay *relay, struct parcel *parcel, bool *any)
{
    if (parcel->drained == parcel->n_segments) return;
    copy_segment(relay, parcel, parcel->drained, fill);
    copy_segment(relay, parcel, parcel->drained++, drain);
    *any = true;
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */

static struct round *round_at(struct relay_blocks *blocks, int number)
{
    return &blocks->rounds[number % ROUNDS];
}

/* Later, if memory is out. */
static void begin_rounds(struct relay *relay, struct relay_blocks *blocks)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    const int n = hosts->n, me = hosts->me;
    while (blocks->begun < n - 1 && blocks->begun - blocks->done < ROUNDS) {
        const int number = blocks->begun + 1;
        struct round *round = round_at(blocks, number);
        if (open_parcel(relay, &round->out, me, cw_nbc_hosts_next(hosts, true, me, number))) return;
        if (open_parcel(relay, &round->in, cw_nbc_hosts_next(hosts, true, me, -number), me)) {
            close_parcel(&round->out);
            return;
        }
        blocks->begun = number;
    }
}

static bool is_round_done(const struct round *round)
{
    return round->out.flow.done == round->out.n_segments && round->in.drained == round->in.n_segments;
}

int relay_blocks_new(struct relay *relay)
{
    struct relay_blocks *blocks = cw_new_array(1, sizeof *blocks, "an operation between hosts");
    const int me = relay->comm->hosts.me;
    if (!blocks) return CW_ENOMEM;
    relay->blocks = blocks;
    return open_parcel(relay, &blocks->own, me, me);
}

void relay_blocks_free(struct relay_blocks *blocks)
{
    if (!blocks) return;
    close_parcel(&blocks->own);
    for (int number = blocks->done + 1; number <= blocks->begun; number++) {
        close_parcel(&round_at(blocks, number)->out);
        close_parcel(&round_at(blocks, number)->in);
    }
    free(blocks);
}

static void step_rounds(struct relay *relay, struct relay_blocks *blocks, bool *any)
{
    for (int number = blocks->done + 1; number <= blocks->begun; number++) {
        struct round *round = round_at(blocks, number);
        step_out(relay, &round->out, any);
        step_in(relay, &round->in, any);
    }
}

bool relay_blocks_step(struct relay *relay, bool *any)
{
    struct relay_blocks *blocks = relay->blocks;
    begin_rounds(relay, blocks);
    step_rounds(relay, blocks, any);
    step_own(relay, &blocks->own, any);
    while (blocks->done < blocks->begun && is_round_done(round_at(blocks, blocks->done + 1))) {
        struct round *round = round_at(blocks, ++blocks->done);
        close_parcel(&round->out);
        close_parcel(&round->in);
        *any = true;
    }
    return blocks->done == relay->comm->hosts.n - 1 && blocks->own.drained == blocks->own.n_segments;
}
