/* What the ranks of this host do with the vector of an operation, a segment at a time. */
#include <errno.h>

#include "mpi/nbc/nbc_relay_internal.h"

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
