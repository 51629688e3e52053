/* Separable, input-first: each input port asks for one output, and each output serves one of those that ask. */
#include "sim/flit/plain/allocator_separable.h"

static uint32_t in_turn(const struct cw_plain_match *match, uint32_t out, const uint32_t *asks)
{
    const uint32_t winner = cw_plain_round_robin(match, out, asks);
    if (winner != CW_NONE) cw_plain_move_out_pointers(match, winner);
    return winner;
}

static void match_round_robin(const void *values, struct cw_plain_match *match)
{
    (void)values;
    cw_plain_match_inputs_first(match, in_turn);
}

static const struct cw_plain_allocator operations = {.match = match_round_robin, .can_prefer_transit = true};

const struct cw_flit_module cw_flit_allocator_round_robin = {
    .name = "round-robin",
    .help = "separable, input-first: each input requests one output, each output grants one of the requests; both "
            "round-robin",
    .tuned = true,
    .operations = &operations};
