/*
 * The lanes of an input share its space, which is as large as separate buffers would be together: each has a reserve,
 * and takes more from what is left as long as there is some (dynamic allocation; Tamir and Frazier 1988 for queues, and
 * W. J. Dally, B. Towles, "Principles and practices of interconnection networks", 2004, section 17.3 on buffers shared
 * by virtual channels). The sender keeps the account, so that credits are as before: one for each flit that has left.
 *
 * A reserve that holds the longest message keeps lanes independent of each other, and with that the proof that a
 * routing is free of deadlocks: whatever other lanes hold, a message that waits for this one will find room.
 */
#include "base/error.h"
#include "sim/flit/plain/plain.h"

struct shared {
    int64_t reserve;
};

static const struct cw_option options[] = {
    {.name = "reserve",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct shared, reserve),
     .value_name = "FLITS",
     .default_text = "8",
     .min = 1,
     .max = CW_FLIT_BUFFER_MAX,
     .positional = true,
     .help = "flits that are reserved for each lane, at least the longest message; all lanes share the rest. If the "
             "reserve is the whole input buffer, nothing is shared"},
    {.name = NULL},
};

static uint32_t beyond(uint32_t flits, uint32_t reserve)
{
    return flits > reserve ? flits - reserve : 0;
}

static bool has_room(const void *values, const struct cw_plain_channel *channel, uint32_t flits, uint32_t lane,
                     uint32_t n)
{
    const uint32_t reserve = (uint32_t)((const struct shared *)values)->reserve;
    uint32_t used = 0;
    for (uint32_t l = 0; l < channel->lanes; l++)
        used += beyond(channel->unreturned[l] + channel->promised[l] + (l == lane ? n : 0), reserve);
    return used <= channel->lanes * (flits - reserve);
}

static uint32_t most(const void *values, const struct cw_plain_channel *channel, uint32_t flits)
{
    const uint32_t reserve = (uint32_t)((const struct shared *)values)->reserve;
    return reserve + channel->lanes * (flits - reserve);
}

static int check(const void *values, uint32_t flits, uint32_t longest)
{
    const uint32_t reserve = (uint32_t)((const struct shared *)values)->reserve;
    if (reserve > flits)
        return cw_fail(CW_EUSAGE, "shared buffers: a reserve of %u flits for each lane; input buffers have %u", reserve,
                       flits);
    if (reserve < longest)
        return cw_fail(CW_EUSAGE,
                       "shared buffers: a reserve of %u flits for each lane, but messages of %u: one might wait for "
                       "ever; expected a reserve of %u or more",
                       reserve, longest, longest);
    return 0;
}

static const struct cw_plain_buffers operations = {.has_room = has_room, .most = most, .check = check};

const struct cw_flit_module cw_flit_buffers_shared = {
    .name = "shared",
    .help = "the lanes of an input share its buffer: each has a reserve, and all share the rest",
    .options = options,
    .size = sizeof(struct shared),
    .operations = &operations};
