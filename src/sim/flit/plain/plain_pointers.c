/* Round robin over the requests of a switch. */
#include "sim/flit/plain/plain.h"

uint32_t cw_plain_request_of(const struct cw_plain_match *match, uint32_t in, uint32_t out)
{
    const uint32_t pointer = match->pointers->in_queue[in];
    uint32_t first = CW_NONE;
    for (uint32_t r = match->first[in]; r < match->first[in + 1]; r++) {
        if (out != CW_NONE && match->requests[r].out != out) continue;
        if (match->requests[r].queue >= pointer) return r;
        if (first == CW_NONE) first = r;
    }
    return first;
}

void cw_plain_prefer_transit(const struct cw_plain_match *match, uint32_t *asks)
{
    bool some = false;
    if (!match->transit_first) return;
    for (uint32_t p = 0; p < match->radix; p++) some |= asks[p] != CW_NONE && match->requests[asks[p]].transit;
    for (uint32_t p = 0; some && p < match->radix; p++)
        if (asks[p] != CW_NONE && !match->requests[asks[p]].transit) asks[p] = CW_NONE;
}

static uint32_t lane_pointer(const struct cw_plain_match *match, uint32_t out, uint8_t lane)
{
    return match->pointers->out_lane[out * CW_FLIT_LANES + lane];
}

uint32_t cw_plain_round_robin(const struct cw_plain_match *match, uint32_t out, const uint32_t *asks)
{
    const uint32_t radix = match->radix;
    uint32_t p = match->pointers->out_any[out], left = radix;
    for (; left > 0 && asks[p] == CW_NONE; left--) p = p + 1 < radix ? p + 1 : 0;
    if (left == 0) return CW_NONE;
    const uint8_t lane = match->requests[asks[p]].out_lane;
    p = lane_pointer(match, out, lane);
    while (asks[p] == CW_NONE || match->requests[asks[p]].out_lane != lane) p = p + 1 < radix ? p + 1 : 0;
    return asks[p];
}

void cw_plain_move_in_pointer(const struct cw_plain_match *match, uint32_t request)
{
    const struct cw_plain_request *served = &match->requests[request];
    match->pointers->in_queue[served->in] = served->queue + 1; /* past the end: from the first on */
}

void cw_plain_move_out_pointers(const struct cw_plain_match *match, uint32_t request)
{
    const struct cw_plain_request *served = &match->requests[request];
    const uint32_t next = served->in + 1 < match->radix ? served->in + 1 : 0;
    match->pointers->out_any[served->out] = next;
    match->pointers->out_lane[served->out * CW_FLIT_LANES + served->out_lane] = next;
}
