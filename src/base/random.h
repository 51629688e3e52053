/*
 * Random numbers: counter-based and keyed by (seed, stream, index).
 *
 * Every trial, rank or row owns the generator of its key, so it can be computed alone, in any order, on any thread or
 * MPI rank, and gives the same numbers. The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as
 * easy as 1, 2, 3", SC'11) from the Random123 library.
 */
#ifndef CW_BASE_RANDOM_H
#define CW_BASE_RANDOM_H

#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* A stream names the purpose of the draws, so that two uses with the same seed and index stay independent. */
enum cw_stream {
    CW_STREAM_PLACEMENT = 1,
    CW_STREAM_PATTERN = 2,
    CW_STREAM_PERTURBATION = 3,
    CW_STREAM_ROUTING = 4,
    CW_STREAM_TOPOLOGY = 5,
    CW_STREAM_SAMPLE = 6,
    CW_STREAM_TEST = 7,
    CW_STREAM_MARKING = 8,
    CW_STREAM_FAULTS = 9,
    CW_STREAM_SPLIT = 10,
    CW_STREAM_ORDER = 11,
    CW_STREAM_BOOTSTRAP = 12,
    CW_STREAM_PATHS = 13
};

#define CW_RANDOM_WORDS 16

struct cw_random {
    uint32_t key[2];
    uint32_t counter[4]; /* [0]: the next block; [1]: stream; [2], [3]: index */
    uint32_t words[CW_RANDOM_WORDS];
    uint32_t used; /* words of the buffer that were given out */
};

/* The generator of key (SEED, STREAM, INDEX). It gives 2^34 words before it would repeat. */
CW_API struct cw_random cw_random_of(uint64_t seed, uint32_t stream, uint64_t index);

CW_API void cw_random_refill(struct cw_random *random); /* internal to the draws below */

/* The next 32 bits. */
static inline uint32_t cw_random_u32(struct cw_random *random)
{
    if (random->used == CW_RANDOM_WORDS) cw_random_refill(random);
    return random->words[random->used++];
}

/* The next 64 bits. */
CW_API uint64_t cw_random_u64(struct cw_random *random);

/* Uniform on 0 … n-1, without bias (Lemire, ACM TOMACS 29(1), 2019). n > 0. */
static inline uint32_t cw_random_below(struct cw_random *random, uint32_t n)
{
    uint64_t product = (uint64_t)cw_random_u32(random) * n;
    if ((uint32_t)product < n) {
        const uint32_t threshold = (0u - n) % n;
        while ((uint32_t)product < threshold) product = (uint64_t)cw_random_u32(random) * n;
    }
    return (uint32_t)(product >> 32);
}

/* Uniform on [0, 1), a multiple of 2^-53. */
CW_API double cw_random_unit(struct cw_random *random);

/* Puts the N items in uniformly random order (Fisher and Yates). */
CW_API void cw_random_shuffle(struct cw_random *random, uint32_t *items, uint32_t n);

/* Uniformly random among the permutations of 0 … n-1. OUT has room for N. */
CW_API void cw_random_permutation(struct cw_random *random, uint32_t n, uint32_t *out);

/* Uniformly random among the permutations of 0 … n-1 without a fixed point, by rejection as soon as a fixed point
 * is certain (about e-1 shuffles expected). n = 1 has none: OUT is left alone and the result is CW_EUSAGE. */
CW_API int cw_random_derangement(struct cw_random *random, uint32_t n, uint32_t *out);

/* Word N of the stream of KEY by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): stateless, and inlined for where
 * every step needs one. Keys must be independent of each other, which words of a generator above are. */
static inline uint64_t cw_random_word(uint64_t key, uint64_t n)
{
    uint64_t x = key + (n + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A well mixed 64-bit hash of two words: a stateless random choice, e.g. of one among equal next hops. */
CW_API uint64_t cw_random_hash(uint64_t a, uint64_t b);

CW_END_DECLS

#endif
