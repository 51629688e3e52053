/* One queue a lane: a flit that cannot go holds up those behind it, whatever output they leave by. */
#include "sim/flit/plain/plain.h"

static uint32_t count(uint32_t radix)
{
    (void)radix;
    return 1;
}

/* The routing is asked about a message when its head comes to the head of the queue. */
static int advance(struct cw_flit_plain *plain, uint32_t in, uint32_t queue)
{
    struct cw_plain_in_queue *of = &plain->channels[in].in[queue];
    if (of->flits.n == 0 || of->routed) return 0;
    of->routed = true;
    return cw_plain_route(plain, in, (uint8_t)queue, cw_plain_head(&of->flits), &of->hop);
}

static int arrive(struct cw_flit_plain *plain, uint32_t in, const struct cw_plain_flit *flit)
{
    const int rc = cw_plain_push(&plain->channels[in].in[flit->lane].flits, flit);
    return rc ? rc : advance(plain, in, flit->lane);
}

static const struct cw_plain_queues operations = {.count = count, .arrive = arrive, .advance = advance};

const struct cw_flit_module cw_flit_queues_fifo = {
    .name = "fifo",
    .help =
        "the flits of a lane leave an input in the order in which they came; one that is blocked blocks all behind it",
    .tuned = true,
    .operations = &operations};
