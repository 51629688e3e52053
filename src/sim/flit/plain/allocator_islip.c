/*
 * iSLIP (N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM Transactions on Networking
 * 7 (2), 1999): every input asks all outputs that it has flits for; an output grants round-robin, an input accepts
 * round-robin; both move their pointers only where a grant of the first iteration was accepted, which takes the
 * pointers of the outputs apart under load. Ports that are left over try again in the next iteration.
 *
 * Outputs have a pointer for each of their lanes, as all allocators here (sim/flit/flit.h, rule 4). With one lane that
 * is the published rule; and if inputs are first in, first out, it is the round robin of the tuned implementation.
 */
#include "sim/flit/plain/plain.h"

struct islip {
    int64_t iterations;
};

static const struct cw_option options[] = {
    {.name = "iterations",
     .type = CW_OPTION_INT,
     .offset = offsetof(struct islip, iterations),
     .value_name = "N",
     .default_text = "1",
     .min = 1,
     .max = 16,
     .positional = true,
     .help = "iterations in each allocation; each tries to match the ports that the one before left unmatched"},
    {.name = NULL},
};

/* Each output port that is left grants one request: GRANTS, by output port. */
static void grant(const struct cw_plain_match *match, const uint32_t *taken, uint32_t *grants, uint32_t *asks)
{
    for (uint32_t out = 0; out < match->radix; out++) {
        grants[out] = CW_NONE;
        if (match->winner[out] != CW_NONE) continue;
        for (uint32_t p = 0; p < match->radix; p++) asks[p] = taken[p] ? CW_NONE : cw_plain_request_of(match, p, out);
        cw_plain_prefer_transit(match, asks);
        grants[out] = cw_plain_round_robin(match, out, asks);
    }
}

/* Each input port that is left accepts one of GRANTS. False if there is none. */
static bool accept(struct cw_plain_match *match, uint32_t *taken, const uint32_t *grants, bool first)
{
    bool some = false;
    for (uint32_t in = 0; in < match->radix; in++) {
        uint32_t out = match->pointers->accept[in], left = taken[in] ? 0 : match->radix;
        for (; left > 0 && (grants[out] == CW_NONE || match->requests[grants[out]].in != in); left--)
            out = out + 1 < match->radix ? out + 1 : 0;
        if (left == 0) continue;
        some = true;
        taken[in] = 1;
        match->winner[out] = grants[out];
        cw_plain_move_in_pointer(match, grants[out]);
        if (!first) continue;
        cw_plain_move_out_pointers(match, grants[out]);
        match->pointers->accept[in] = out + 1 < match->radix ? out + 1 : 0;
    }
    return some;
}

static void match_islip(const void *values, struct cw_plain_match *match)
{
    const struct islip *islip = values;
    uint32_t *taken = match->scratch, *grants = taken + match->radix, *asks = grants + match->radix;
    for (uint32_t p = 0; p < match->radix; p++) taken[p] = 0;
    for (int64_t i = 0; i < islip->iterations; i++) {
        grant(match, taken, grants, asks);
        if (!accept(match, taken, grants, i == 0)) return;
    }
}

static const struct cw_plain_allocator operations = {.match = match_islip, .can_prefer_transit = true};

const struct cw_flit_module cw_flit_allocator_islip = {
    .name = "islip",
    .help = "outputs grant and inputs accept round-robin, in one or more iterations (McKeown 1999)",
    .options = options,
    .size = sizeof(struct islip),
    .operations = &operations};
