/*
 * Arithmetic on 64 places at once: bytes in arrays of 64, one for each port of a switch or of a few, and numbers in
 * bytes with a bit for each lane. Not installed.
 *
 * Loops over all places have no surprises and become vector instructions: with these it costs less to do something for
 * all ports than to find out which ones need it. The files that include this are compiled for several processors; what
 * a compiler does not find by itself is written for each.
 */
#ifndef CW_SIM_FLIT_FLIT_PLACES_H
#define CW_SIM_FLIT_FLIT_PLACES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "sim/flit/flit_internal.h"

CW_BEGIN_DECLS

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A loop over 64 places, I, no step of which writes what another one reads. Conditions are best written as masks. */
#if defined(__clang__)
#define ALL_PLACES(I) _Pragma("clang loop vectorize(assume_safety)") for (uint32_t I = 0; I < CW_FLIT_BLOCK; I++)
#else
#define ALL_PLACES(I) _Pragma("GCC ivdep") for (uint32_t I = 0; I < CW_FLIT_BLOCK; I++)
#endif

/* BITS if SO, else 0. */
ALWAYS_INLINE uint8_t bits_if(bool so, uint8_t bits)
{
    return (uint8_t)(0u - so) & bits;
}

/* --- masks -------------------------------------------------------------------------------------------------------- */

/* A bit for each of eight BYTES that is not 0. */
ALWAYS_INLINE uint64_t bits_of(uint64_t bytes)
{
    const uint64_t low = (bytes & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f;
    return (((bytes | low) >> 7 & 0x0101010101010101) * 0x0102040810204080) >> 56;
}

/* A bit for each of 64 BYTES that is not 0. */
ALWAYS_INLINE uint64_t places_of(const uint8_t *bytes)
{
#if defined(__AVX512BW__)
    const __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
#elif defined(__AVX2__)
    const __m256i zero = _mm256_setzero_si256();
    const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)bytes), zero);
    const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32)), zero);
    return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32);
#else
    uint64_t mask = 0;
    for (uint32_t i = 0; i < CW_FLIT_BLOCK; i += 8) {
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        mask |= bits_of(eight) << i;
    }
    return mask;
#endif
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

#if defined(__AVX2__) && !defined(__AVX512VBMI__)
/* For 32 indices below 64: those of the four quarters of the table that each is in, looked up in all of them. */
ALWAYS_INLINE __m256i look_up_half(const uint8_t *table, __m256i index)
{
    __m256i found = _mm256_setzero_si256();
    for (int quarter = 0; quarter < 4; quarter++) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(table + 16 * quarter));
        const __m256i distance = _mm256_xor_si256(index, _mm256_set1_epi8((char)(16 * quarter)));
        const __m256i elsewhere = _mm256_cmpgt_epi8(distance, _mm256_set1_epi8(15));
        const __m256i here = _mm256_or_si256(distance, elsewhere); /* a negative index finds 0 */
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(part), here));
    }
    return found;
}
#endif

/* FOUND[i] = TABLE[INDEX[i]], indices below 64. */
ALWAYS_INLINE void look_up(uint8_t *found, const uint8_t *table, const uint8_t *index)
{
#if defined(__AVX512VBMI__)
    const __m512i all = _mm512_permutexvar_epi8(_mm512_loadu_si512(index), _mm512_loadu_si512(table));
    _mm512_storeu_si512(found, all);
#elif defined(__AVX2__)
    for (uint32_t i = 0; i < CW_FLIT_BLOCK; i += 32) {
        const __m256i half = _mm256_loadu_si256((const __m256i *)(const void *)(index + i));
        _mm256_storeu_si256((__m256i *)(void *)(found + i), look_up_half(table, half));
    }
#else
    for (uint32_t i = 0; i < CW_FLIT_BLOCK; i++) found[i] = table[index[i]];
#endif
}

/* --- round robin -------------------------------------------------------------------------------------------------- */

/* Of each byte of READY the first bit from its pointer on, cyclically: LATER has the bits from there on. 0 if it is 0.
 */
ALWAYS_INLINE void round_robin(uint8_t *first, const uint8_t *ready, const uint8_t *later)
{
    ALL_PLACES (i) {
        const uint8_t from_here = ready[i] & later[i], candidates = from_here | bits_if(from_here == 0, ready[i]);
        first[i] = candidates & (uint8_t)-candidates;
    }
}

/* The bits after the one of SERVED. */
ALWAYS_INLINE uint8_t pointer_after(uint8_t served)
{
    return (uint8_t) ~(served | (served - 1));
}

/* --- squares ------------------------------------------------------------------------------------------------------ */

typedef uint8_t cw_flit_bytes __attribute__((vector_size(16)));
typedef uint16_t cw_flit_pairs __attribute__((vector_size(16)));
typedef uint32_t cw_flit_fours __attribute__((vector_size(16)));

/* Eight rows of eight bytes become the columns of SQUARE. */
ALWAYS_INLINE void transpose(uint64_t square[8])
{
    cw_flit_pairs pairs[4];
    cw_flit_fours fours[4];
    for (int i = 0; i < 4; i++) {
        cw_flit_bytes two;
        memcpy(&two, &square[2 * i], sizeof two);
        pairs[i] =
            (cw_flit_pairs)__builtin_shufflevector(two, two, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; i += 2) {
        fours[i] = (cw_flit_fours)__builtin_shufflevector(pairs[i], pairs[i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
        fours[i + 1] = (cw_flit_fours)__builtin_shufflevector(pairs[i], pairs[i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        const cw_flit_fours first = __builtin_shufflevector(fours[i], fours[i + 2], 0, 4, 1, 5);
        const cw_flit_fours last = __builtin_shufflevector(fours[i], fours[i + 2], 2, 6, 3, 7);
        memcpy(&square[4 * i], &first, sizeof first);
        memcpy(&square[4 * i + 2], &last, sizeof last);
    }
}

CW_END_DECLS

#endif
