/* Separable, input-first; outputs serve the message that was injected first: the known remedy where round robin at
 * every switch is unfair to those who come from far away. */
#include "sim/flit/plain/allocator_separable.h"

static uint32_t oldest(const struct cw_plain_match *match, uint32_t out, const uint32_t *asks)
{
    (void)out;
    uint32_t winner = CW_NONE;
    uint64_t since = UINT64_MAX;
    for (uint32_t p = 0; p < match->radix; p++) {
        if (asks[p] == CW_NONE || match->requests[asks[p]].injected >= since) continue;
        winner = asks[p];
        since = match->requests[winner].injected;
    }
    return winner;
}

static void match_age(const void *values, struct cw_plain_match *match)
{
    (void)values;
    cw_plain_match_inputs_first(match, oldest);
}

static const struct cw_plain_allocator operations = {.match = match_age, .can_prefer_transit = true};

const struct cw_flit_module cw_flit_allocator_age = {
    .name = "age",
    .help = "like round-robin, but each output serves the message that was injected first",
    .tuned = true,
    .operations = &operations};
