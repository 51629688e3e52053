#include "nbc/nbc_pieces_internal.h"

#include <string.h>

#include "nbc/nbc_reach.h"

uint32_t cw_nbc_message_chunks(const struct cw_nbc_work *work)
{
    uint64_t chunks = work->bytes / work->chunk + (work->bytes % work->chunk > 0);
    return chunks > 0 ? (uint32_t)chunks : 1;
}

uint32_t cw_nbc_chunks(const struct cw_nbc_work *work, uint32_t n)
{
    const struct cw_collective_traits *traits = &cw_collectives[work->collective];
    const uint32_t chunks = cw_nbc_message_chunks(work);
    if (is_apart(work->collective)) return chunks;
    return chunks * (traits->gives_blocks ? n : 1) * (traits->takes_blocks ? n : 1);
}

/* A move: from FROM's send buffer to the receive buffers of N ranks TO. */
struct move {
    uint32_t from, n;
    const uint32_t *to;
    uint64_t read, write; /* offsets in the two */
    size_t bytes;
};

static bool is_near(const struct operation *o, uint32_t rank)
{
    return cw_nbc_is_near(o->node, host_rank(o, rank));
}

/* What arrives in a buffer of this process serves for the others, too, else what lies in one, else the executor's.
 * Agents see only that one. */
static int carry(const struct cw_nbc_executor *executor, const struct operation *o, const struct move *move,
                 uint32_t *error_rank)
{
    const uint64_t source = o->posts[move->from].part.send + move->read;
    const bool agents = cw_nbc_by_agents(o->node, move->bytes), there = !agents && is_near(o, move->from);
    char *here = there ? (char *)(uintptr_t)source : executor->buffers;
    uint32_t own = move->n;
    int error = 0;
    if (!there) {
        if (!agents) own = 0;
        while (own < move->n && !is_near(o, move->to[own])) own++;
        if (own < move->n) here = (char *)(uintptr_t)(o->posts[move->to[own]].part.recv + move->write);
        error = cw_nbc_read(o->node, host_rank(o, move->from), here, source, move->bytes);
        *error_rank = move->from;
    }
    for (uint32_t i = 0; i < move->n && !error; i++) {
        const uint32_t to = move->to[i];
        if (i == own) continue;
        error = cw_nbc_write(o->node, host_rank(o, to), here, o->posts[to].part.recv + move->write, move->bytes);
        *error_rank = to;
    }
    return error;
}

/* The same for all ranks but those that have it; FAN at a time. */
static int carry_to_all(const struct cw_nbc_executor *executor, const struct operation *o, struct move *move,
                        uint32_t *error_rank)
{
    uint32_t to[FAN];
    int error = 0;
    move->to = to;
    for (uint32_t rank = 0; rank < o->n && !error;) {
        for (move->n = 0; rank < o->n && move->n < FAN; rank++)
            if (rank != move->from || !o->posts[rank].part.in_place) to[move->n++] = rank;
        error = carry(executor, o, move, error_rank);
    }
    return error;
}

/* Combines the chunk at OFFSET of all ranks, in their order, in the first of the executor's buffers. */
static int combine(const struct cw_nbc_executor *executor, const struct operation *o, uint64_t offset, size_t bytes,
                   uint32_t *error_rank)
{
    const struct cw_nbc_work *work = &o->slot->work;
    char *into = executor->buffers, *other = executor->buffers + CW_NBC_BATCH;
    int error = 0;
    for (uint32_t rank = 0; rank < o->n && !error; rank++) {
        if (o->posts[rank].part.absent) continue; /* the last one */
        const uint64_t from = o->posts[rank].part.send + offset;
        *error_rank = rank;
        error = rank == 0
                    ? cw_nbc_read(o->node, host_rank(o, rank), into, from, bytes)
                    : cw_nbc_combine_in(o->node, host_rank(o, rank), work->type, work->op, into, other, from, bytes);
    }
    return error;
}

static int reduce(const struct cw_nbc_executor *executor, const struct operation *o, uint64_t offset, size_t bytes,
                  uint32_t *error_rank)
{
    const struct cw_nbc_work *work = &o->slot->work;
    int error = combine(executor, o, offset, bytes, error_rank);
    for (uint32_t rank = 0; rank < o->n && !error; rank++) {
        if (cw_collectives[work->collective].root_takes && rank != work->root) continue;
        error = cw_nbc_write(o->node, host_rank(o, rank), executor->buffers, o->posts[rank].part.recv + offset, bytes);
        *error_rank = rank;
    }
    return error;
}

int cw_nbc_execute(const struct cw_nbc_executor *executor, const struct operation *o, const struct piece *piece,
                   uint32_t *error_rank)
{
    const struct cw_nbc_work *work = &o->slot->work;
    const struct cw_collective_traits *traits = &cw_collectives[work->collective];
    const uint32_t chunks = cw_nbc_message_chunks(work), block = piece->chunk / chunks;
    const uint64_t offset = (uint64_t)(piece->chunk % chunks) * work->chunk;
    const uint64_t most = (uint64_t)piece->n_chunks * work->chunk;
    const size_t bytes = work->bytes - offset < most ? work->bytes - offset : most;
    if (traits->reduces) return reduce(executor, o, offset, bytes, error_rank);
    struct move move = {.n = piece->n_strands, .to = piece->strands, .read = offset, .write = offset, .bytes = bytes};
    const uint32_t to = traits->root_takes ? work->root : block % o->n;
    if (traits->root_gives)
        move.from = work->root;
    else if (traits->root_takes)
        move.from = piece->strands[0];
    else
        move.from = traits->gives_blocks ? block / o->n : block;
    if (!traits->root_gives) { /* one block, to one rank or to all */
        move.to = &to;
        move.n = 1;
    }
    if (traits->gives_blocks) move.read += move.to[0] * work->bytes;
    if (traits->takes_blocks) move.write += move.from * work->bytes;
    const bool to_all = !cw_collective_is_rooted(work->collective) && !traits->gives_blocks;
    return to_all ? carry_to_all(executor, o, &move, error_rank) : carry(executor, o, &move, error_rank);
}
