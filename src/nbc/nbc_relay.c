#include "nbc/nbc_relay.h"

#include <string.h>

#include "nbc/nbc_reach.h"
#include "nbc/nbc_segment_internal.h"

void cw_nbc_relay_note(struct cw_nbc_node *node, uint32_t comm, const struct cw_nbc_note *note)
{
    struct cw_nbc_note *here = &comm_at(node, comm)->note;
    here->inner = note->inner;
    here->n_about = note->n_about;
    here->about = note->about;
    __atomic_store_n(&here->key, note->key, __ATOMIC_RELEASE); /* the relay may be looking */
    cw_nbc_tell(node);
}

uint32_t cw_nbc_relay_comms(const struct cw_nbc_node *node)
{
    return node->segment->n_comms;
}

uint64_t cw_nbc_relay_active(const struct cw_nbc_node *node, uint32_t comm, struct cw_nbc_note *note)
{
    const uint64_t active = comm_at(node, comm)->active;
    const struct cw_nbc_note *here = &comm_at(node, comm)->note;
    if (!active || !__atomic_load_n(&here->key, __ATOMIC_ACQUIRE)) return 0;
    *note = *here;
    return active;
}

uint32_t cw_nbc_relay_members(const struct cw_nbc_node *node, uint32_t comm, const uint32_t **members)
{
    *members = members_of(node, comm);
    return comm_at(node, comm)->n;
}

bool cw_nbc_relay_look(const struct cw_nbc_node *node, uint32_t comm, uint64_t slot, uint64_t *number,
                       struct cw_nbc_work *work, uint32_t *n_posted, struct cw_nbc_clash_note *note)
{
    struct slot *here = slot_at(node, comm, slot);
    const struct post *posts = posts_at(node, comm, slot);
    uint32_t rank = 0;
    cw_nbc_acquire(&here->lock);
    *n_posted = here->n_posted;
    *number = here->number;
    *work = here->work;
    while (*n_posted > 0 && !posts[rank].posted) rank++;
    *note = (struct cw_nbc_clash_note){.a = posts[rank].part.asked};
    const bool told = here->told;
    const bool clashes = *n_posted > 0 && here->error < 0;
    cw_nbc_release(&here->lock);
    if (clashes && !cw_nbc_clash_of(node, comm, *number, note)) note->clash = CW_NBC_OTHER_SIDE;
    return *n_posted > 0 && !told;
}

bool cw_nbc_relay_part(const struct cw_nbc_node *node, uint32_t comm, uint64_t slot, uint32_t rank,
                       struct cw_nbc_part *out)
{
    struct slot *here = slot_at(node, comm, slot);
    const struct post *post = &posts_at(node, comm, slot)[rank];
    cw_nbc_acquire(&here->lock);
    const bool posted = post->posted;
    *out = post->part;
    cw_nbc_release(&here->lock);
    return posted;
}

/* In steps. Agents see only buffers of executors: then through those of the first worker, whose thread the relay is. */
static int transfer(const struct cw_nbc_node *node, uint32_t rank, bool reads, char *here, uint64_t there, size_t bytes)
{
    const bool by_agents = !cw_nbc_is_near(node, rank) && cw_nbc_by_agents(node, 1);
    int error = 0;
    for (size_t done = 0; done < bytes && !error; done += CW_NBC_CHUNK) {
        const size_t step = bytes - done < CW_NBC_CHUNK ? bytes - done : CW_NBC_CHUNK;
        char *at = by_agents ? cw_nbc_worker_buffers(node, 0) : here + done;
        if (by_agents && !reads) memcpy(at, here + done, step);
        error = (reads ? cw_nbc_read(node, rank, at, there + done, step)
                       : cw_nbc_write(node, rank, at, there + done, step));
        if (by_agents && reads && !error) memcpy(here + done, at, step);
    }
    return error;
}

int cw_nbc_relay_read(const struct cw_nbc_node *node, uint32_t rank, char *here, uint64_t there, size_t bytes)
{
    return transfer(node, rank, true, here, there, bytes);
}

int cw_nbc_relay_write(const struct cw_nbc_node *node, uint32_t rank, const char *here, uint64_t there, size_t bytes)
{
    return transfer(node, rank, false, (char *)(uintptr_t)here, there, bytes);
}
