/*
 * Virtual output queues (Y. Tamir, G. L. Frazier, "High-performance multiqueue buffers for VLSI communication
 * switches", ISCA 1988): the flits of a lane wait apart for each output, in the buffer of the lane, which they share.
 * The routing is asked when a message's head arrives, since its output says where it waits.
 */
#include "net/network_internal.h"
#include "sim/flit/plain/plain.h"

static uint32_t count(uint32_t radix)
{
    return radix;
}

static int advance(struct cw_flit_plain *plain, uint32_t in, uint32_t queue)
{
    (void)plain;
    struct cw_plain_in_queue *of = &plain->channels[in].in[queue];
    if (of->flits.n == 0 || of->routed) return 0;
    of->routed = true;
    of->hop = cw_plain_head(&of->flits)->hop;
    return 0;
}

static int arrive(struct cw_flit_plain *plain, uint32_t in, const struct cw_plain_flit *flit)
{
    struct cw_plain_channel *channel = &plain->channels[in];
    struct cw_plain_flit filed = *flit;
    if (flit->length > 0) {
        const uint32_t first = plain->net->first[plain->net->head[in]];
        const int rc = cw_plain_route(plain, in, flit->lane, &filed, &filed.hop);
        if (rc) return rc;
        channel->filing[flit->lane] = flit->lane * channel->queues + filed.hop.channel - first;
    }
    const uint32_t queue = channel->filing[flit->lane];
    const int rc = cw_plain_push(&channel->in[queue].flits, &filed);
    return rc ? rc : advance(plain, in, queue);
}

static const struct cw_plain_queues operations = {.count = count, .arrive = arrive, .advance = advance};

const struct cw_flit_module cw_flit_queues_voq = {
    .name = "voq",
    .help = "virtual output queues: each lane of an input has a queue for each output; these share the lane's buffer",
    .operations = &operations};
