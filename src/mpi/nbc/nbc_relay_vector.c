/* Operations between hosts: their beginning and end, and the vector of those that have one. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/nbc/nbc_relay_internal.h"
#include "nbc/nbc_reach.h"

#define ALIGNED 64 /* bytes: a multiple of the size of any number */

/* --- what was posted --------------------------------------------------------------------------------------------- */

static uint64_t slot_of(const struct relay *relay)
{
    return relay->number % 64;
}

struct cw_nbc_part relay_part(const struct relay *relay, uint32_t rank)
{
    struct cw_nbc_part part = {0};
    cw_nbc_relay_part(relay->node, relay->comm->place, slot_of(relay), rank, &part);
    return part;
}

uint32_t relay_number(const struct relay *relay, uint32_t rank)
{
    return relay->comm->members[rank];
}

void relay_note_error(struct relay *relay, int error, uint32_t rank)
{
    if (!error || relay->error) return;
    relay->error = error;
    relay->error_rank = rank;
}

/* --- the vector -------------------------------------------------------------------------------------------------- */

uint64_t relay_offset(const struct relay *relay, uint32_t position)
{
    const uint32_t n = relay->n_blocks, step = position / relay->per_block % n;
    const uint32_t block = (relay->place + n - step) % n;
    return ((uint64_t)block * relay->per_block + position % relay->per_block) * relay->segment;
}

size_t relay_bytes(const struct relay *relay, uint32_t position)
{
    const uint64_t offset = relay_offset(relay, position), bytes = relay->work.bytes;
    const uint64_t left = offset < bytes ? bytes - offset : 0;
    return left < relay->segment ? left : relay->segment;
}

char *relay_data(const struct relay *relay, uint32_t position)
{
    return relay->vector + relay_offset(relay, position);
}

void relay_combine(const struct relay *relay, uint32_t position, const char *other)
{
    cw_nbc_combine_for(relay->work.type, relay->work.op)(
        relay_data(relay, position), other, relay_bytes(relay, position) / cw_nbc_type_size(relay->work.type));
}

void relay_send_on(const struct relay *relay, struct nbc_flow *flow, uint32_t available, bool *any)
{
    nbc_flow_look(flow, any);
    while (flow->begun < available && nbc_flow_has_room(flow))
        nbc_flow_begin(flow, relay_data(relay, flow->begun), relay_bytes(relay, flow->begun));
}

/* The root's own memory where this process has it, else ours. */
static int find_vector(struct relay *relay)
{
    const bool near = relay->rooted && cw_nbc_is_near(relay->node, relay_number(relay, relay->root));
    if (near) {
        const struct cw_nbc_part part = relay_part(relay, relay->root);
        relay->vector = (char *)(uintptr_t)(relay->reduces ? part.recv : part.send);
        if (!relay->reduces) relay->fetched = relay->n_segments;
        if (relay->reduces) relay->handed = relay->n_segments;
    } else {
        relay->own = cw_new_pages(relay->work.bytes, "a message between hosts");
        relay->vector = relay->own;
    }
    return relay->vector || relay->work.bytes == 0 ? 0 : CW_ENOMEM;
}

/* --- the ranks of this host and the vector, a segment at a time --------------------------------------------------- */

/* The part of rank I of the inner communicator in what is done with a segment of ours. */
static struct cw_nbc_part inner_part(const struct relay *relay, uint32_t i, uint64_t offset, bool gathers)
{
    const bool relays = i == relay->comm->n;
    const uint64_t here = (uint64_t)(uintptr_t)relay->vector + offset;
    const struct cw_nbc_part part = relays ? (struct cw_nbc_part){0} : relay_part(relay, i);
    if (gathers) return (struct cw_nbc_part){.send = part.send + offset, .recv = here, .absent = relays};
    if (relays) return (struct cw_nbc_part){.send = here, .absent = relay->rooted};
    return (struct cw_nbc_part){.send = part.send + offset, .recv = part.recv + offset};
}

/* Where the host's reductions end, and what is spread there begins: the relay, or the root itself. */
static uint32_t inner_root(const struct relay *relay, bool gathers)
{
    return relay->rooted && !gathers ? relay->root : relay->comm->n;
}

/* Lets the host reduce a segment into our vector, or spread it from there, or from the root. */
static bool begin_inner(struct relay *relay, struct local_stage *stage, bool gathers)
{
    struct relay_comm *comm = relay->comm;
    const uint64_t offset = relay_offset(relay, stage->first + stage->begun);
    const struct cw_nbc_work work = {.collective = gathers ? CW_COLLECTIVE_REDUCE : CW_COLLECTIVE_BCAST,
                                     .root = inner_root(relay, gathers),
                                     .bytes = relay_bytes(relay, stage->first + stage->begun),
                                     .chunk = CW_NBC_CHUNK,
                                     .type = relay->work.type,
                                     .op = relay->work.op,
                                     .schedule = CW_NBC_AUTO};
    bool posted = true;
    for (uint32_t i = 0; i <= comm->n && posted; i++) {
        const struct cw_nbc_part part = inner_part(relay, i, offset, gathers);
        cw_nbc_post(relay->node, comm->inner, i, comm->next, &work, &part, &posted); /* the first one or none */
    }
    if (posted) stage->numbers[stage->begun++ % NBC_WINDOW] = comm->next++;
    return posted;
}

/* For its root an operation is done when it is for all. */
void relay_stage_step(struct relay *relay, struct local_stage *stage, uint32_t available, bool gathers, bool *any)
{
    const struct relay_comm *comm = relay->comm;
    while (stage->done < stage->begun) {
        bool done;
        if (cw_nbc_poll(relay->node, comm->inner, inner_root(relay, gathers), stage->numbers[stage->done % NBC_WINDOW],
                        &done))
            relay_note_error(relay, EIO, 0);
        if (!done) break;
        stage->done++;
        *any = true;
    }
    while (stage->begun < available && stage->begun - stage->done < NBC_WINDOW && begin_inner(relay, stage, gathers))
        *any = true;
}

/* --- beginning and end ------------------------------------------------------------------------------------------- */

/* Cuts the vector into N_BLOCKS of as many segments each. */
static void cut(struct relay *relay, uint32_t n_blocks)
{
    const uint64_t bytes = relay->work.bytes;
    relay->n_blocks = n_blocks;
    relay->per_block = cw_nbc_hosts_segments(bytes, n_blocks);
    relay->n_segments = n_blocks * relay->per_block;
    relay->segment = cw_nbc_hosts_segment(bytes);
    if (n_blocks == 1) return;
    relay->segment = (bytes + relay->n_segments - 1) / relay->n_segments;
    relay->segment = (relay->segment + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* A vector, along a tree or a ring; else blocks. */
static int begin(struct relay *relay, const struct cw_nbc_between *between, int root)
{
    const struct cw_nbc_hosts *hosts = &relay->comm->hosts;
    const struct cw_collective_traits *traits = &cw_collectives[relay->work.collective];
    if (cw_collective_has_blocks(relay->work.collective)) return relay_blocks_new(relay);
    const bool round = cw_nbc_hosts_go_round(between, relay->work.collective, hosts->n, relay->work.bytes);
    cut(relay, round ? (uint32_t)hosts->n : 1);
    relay->by_fabric = between->by_fabric;
    relay->place = (uint32_t)(between->by_fabric ? hosts->places[hosts->me] : hosts->me);
    relay->reduces = traits->reduces;
    relay->spreads = !traits->root_takes;
    relay->is_root = hosts->me == root;
    relay->rooted = relay->is_root && !(relay->reduces && relay->spreads);
    if (relay->rooted) relay->root = (uint32_t)hosts->among_host[relay->work.root];
    const int rc = find_vector(relay);
    if (rc) return rc;
    return round ? relay_ring_new(relay) : relay_tree_new(relay, between, root);
}

int relay_new(struct cw_nbc_node *node, struct relay_comm *comm, uint64_t number, const struct cw_nbc_work *work,
              const struct cw_nbc_between *between, struct relay **out)
{
    const bool rooted = cw_collective_is_rooted(work->collective); /* a tree begins at the host of the root */
    struct relay *relay = cw_new_array(1, sizeof *relay, "an operation between hosts");
    if (!relay) return CW_ENOMEM;
    *relay = (struct relay){.node = node, .comm = comm, .number = number, .work = *work};
    const int rc = begin(relay, between, rooted ? comm->hosts.of_rank[work->root] : 0);
    if (rc)
        relay_free(relay);
    else
        *out = relay;
    return rc;
}

void relay_free(struct relay *relay)
{
    if (!relay) return;
    relay_blocks_free(relay->blocks);
    free(relay->branch.children);
    free(relay->own);
    free(relay->inbox);
    free(relay->children);
    free(relay->outlets);
    free(relay);
}

bool relay_step(struct relay *relay, bool *any)
{
    if (relay->blocks) return relay_blocks_step(relay, any);
    return relay->n_blocks > 1 ? relay_ring_step(relay, any) : relay_tree_step(relay, any);
}
