#include "nbc/nbc_relay.h"

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

bool cw_nbc_relay_look(const struct cw_nbc_node *node, uint32_t comm, uint64_t number, uint64_t *found,
                       struct cw_nbc_work *work, uint32_t *n_posted)
{
    struct slot *slot = slot_at(node, comm, number);
    cw_nbc_acquire(&slot->lock);
    *n_posted = slot->n_posted;
    *found = slot->number;
    *work = slot->work;
    cw_nbc_release(&slot->lock);
    return *n_posted > 0;
}

bool cw_nbc_relay_part(const struct cw_nbc_node *node, uint32_t comm, uint64_t number, uint32_t rank,
                       struct cw_nbc_part *out)
{
    struct slot *slot = slot_at(node, comm, number);
    const struct post *post = &posts_at(node, comm, number)[rank];
    cw_nbc_acquire(&slot->lock);
    const bool posted = post->posted;
    *out = post->part;
    cw_nbc_release(&slot->lock);
    return posted;
}

/* What agents might be asked for is more than a chunk. */
static size_t step(size_t bytes)
{
    return bytes < CW_NBC_CHUNK ? bytes : CW_NBC_CHUNK;
}

int cw_nbc_relay_read(const struct cw_nbc_node *node, uint32_t rank, char *here, uint64_t there, size_t bytes)
{
    int error = 0;
    for (size_t done = 0; done < bytes && !error; done += step(bytes - done))
        error = cw_nbc_read(node, rank, here + done, there + done, step(bytes - done));
    return error;
}

int cw_nbc_relay_write(const struct cw_nbc_node *node, uint32_t rank, const char *here, uint64_t there, size_t bytes)
{
    int error = 0;
    for (size_t done = 0; done < bytes && !error; done += step(bytes - done))
        error = cw_nbc_write(node, rank, here + done, there + done, step(bytes - done));
    return error;
}
