/* Each lane has an input buffer of its own. */
#include "sim/flit/plain/plain.h"

static bool has_room(const void *values, const struct cw_plain_channel *channel, uint32_t flits, uint32_t lane,
                     uint32_t n)
{
    (void)values;
    return channel->unreturned[lane] + n <= flits;
}

static uint32_t most(const void *values, const struct cw_plain_channel *channel, uint32_t flits)
{
    (void)values, (void)channel;
    return flits;
}

static const struct cw_plain_buffers operations = {.has_room = has_room, .most = most};

const struct cw_flit_module cw_flit_buffers_separate = {.name = "separate",
                                                        .help = "each lane of an input has a buffer of its own",
                                                        .tuned = true,
                                                        .operations = &operations};
