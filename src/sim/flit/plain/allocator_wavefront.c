/*
 * A wrapped wave front (Y. Tamir, H.-C. Chi, "Symmetric crossbar arbiters for VLSI communication switches", IEEE
 * Transactions on Parallel and Distributed Systems 4 (1), 1993): the cells (input, output) of a diagonal have no port
 * in common, and are granted together unless an earlier diagonal has taken one of theirs. The first diagonal moves on
 * by one every time, so that in the long run all cells are treated alike. The matching is maximal.
 */
#include "sim/flit/plain/plain.h"

static void match_wavefront(const void *values, struct cw_plain_match *match)
{
    (void)values;
    const uint32_t radix = match->radix;
    uint32_t *taken = match->scratch; /* input ports */
    for (uint32_t p = 0; p < radix; p++) taken[p] = 0;
    for (uint32_t k = 0; k < radix; k++)
        for (uint32_t in = 0; in < radix; in++) {
            const uint32_t out = (match->pointers->diagonal + k + radix - in) % radix;
            if (taken[in] || match->winner[out] != CW_NONE) continue;
            const uint32_t request = cw_plain_request_of(match, in, out);
            if (request == CW_NONE) continue;
            taken[in] = 1;
            match->winner[out] = request;
            cw_plain_move_in_pointer(match, request);
        }
    match->pointers->diagonal = (match->pointers->diagonal + 1) % radix;
}

static const struct cw_plain_allocator operations = {.match = match_wavefront};

const struct cw_flit_module cw_flit_allocator_wavefront = {
    .name = "wavefront",
    .help = "a maximal matching of inputs and outputs by a wrapped wavefront; its first diagonal rotates (Tamir and "
            "Chi 1993)",
    .operations = &operations};
