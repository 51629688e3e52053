/* Operations between hosts: their beginning and end, and the vector of those that have one. */
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
