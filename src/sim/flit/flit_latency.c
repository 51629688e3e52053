/* Bins of latencies. */
#include "sim/flit/flit_task.h"

enum { EXACT = CW_FLIT_LATENCY_EXACT, EXACT_BITS = 4, STEPS = 8 };

/* 2^63 · 2^(i/8), rounded up. */
static const uint64_t thresholds[STEPS] = {0x8000000000000000, 0x8b95c1e3ea8bd6e7, 0x9837f0518db8a970,
                                           0xa5fed6a9b15138eb, 0xb504f333f9de6485, 0xc5672a115506dade,
                                           0xd744fccad69d6af5, 0xeac0c6e7dd24392f};

uint32_t cw_flit_latency_bin(uint64_t latency)
{
    if (latency < EXACT) return (uint32_t)latency;
    const uint32_t shift = (uint32_t)__builtin_clzll(latency);
    const uint64_t mantissa = latency << shift;
    uint32_t step = 0;
    for (uint32_t i = 1; i < STEPS; i++) step += mantissa >= thresholds[i];
    return EXACT + (63 - EXACT_BITS - shift) * STEPS + step;
}

uint64_t cw_flit_latency_bin_start(size_t bin)
{
    if (bin < EXACT) return bin;
    const size_t octave = (bin - EXACT) / STEPS + EXACT_BITS;
    if (octave > 63) return UINT64_MAX;
    const uint32_t shift = (uint32_t)(63 - octave);
    const uint64_t threshold = thresholds[(bin - EXACT) % STEPS];
    return (threshold >> shift) + ((threshold & ((UINT64_C(1) << shift) - 1)) != 0);
}
