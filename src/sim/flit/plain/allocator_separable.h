/*
 * What separable, input-first allocators share. Not installed.
 */
#ifndef CW_SIM_FLIT_PLAIN_ALLOCATOR_SEPARABLE_H
#define CW_SIM_FLIT_PLAIN_ALLOCATOR_SEPARABLE_H

#include "sim/flit/plain/plain.h"

CW_BEGIN_DECLS

/* Each input port asks with one of its requests, round-robin over its queues; each output port, in order, serves the
 * one of ASKS (by input port, CW_NONE: it does not ask) that SERVE names, or none. */
static inline void cw_plain_match_inputs_first(struct cw_plain_match *match,
                                               uint32_t (*serve)(const struct cw_plain_match *match, uint32_t out,
                                                                 const uint32_t *asks))
{
    uint32_t *choices = match->scratch, *asks = match->scratch + match->radix;
    for (uint32_t p = 0; p < match->radix; p++) choices[p] = cw_plain_request_of(match, p, CW_NONE);
    for (uint32_t out = 0; out < match->radix; out++) {
        for (uint32_t p = 0; p < match->radix; p++)
            asks[p] = choices[p] != CW_NONE && match->requests[choices[p]].out == out ? choices[p] : CW_NONE;
        cw_plain_prefer_transit(match, asks);
        const uint32_t winner = match->winner[out] = serve(match, out, asks);
        if (winner != CW_NONE) cw_plain_move_in_pointer(match, winner);
    }
}

CW_END_DECLS

#endif
