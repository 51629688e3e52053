#include "base/random.h"

#include <Random123/philox.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

enum { BLOCK_WORDS = 4, BLOCKS = CW_RANDOM_WORDS / BLOCK_WORDS };

struct cw_random cw_random_of(uint64_t seed, uint32_t stream, uint64_t index)
{
    struct cw_random random = {
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, stream, (uint32_t)index, (uint32_t)(index >> 32)},
        .used = CW_RANDOM_WORDS,
    };
    return random;
}

/* The blocks do not depend on each other: unrolled, their chains of multiplications overlap. */
static inline void refill(struct cw_random *random)
{
    const philox4x32_key_t key = {{random->key[0], random->key[1]}};
    philox4x32_ctr_t blocks[BLOCKS];
    for (uint32_t b = 0; b < BLOCKS; b++) {
        const philox4x32_ctr_t counter = {
            {random->counter[0] + b, random->counter[1], random->counter[2], random->counter[3]}};
        blocks[b] = philox4x32_R(10, counter, key);
    }
    memcpy(random->words, blocks, sizeof blocks);
    random->counter[0] += BLOCKS;
    random->used = 0;
}

void cw_random_refill(struct cw_random *random)
{
    refill(random);
}

uint64_t cw_random_u64(struct cw_random *random)
{
    const uint64_t low = cw_random_u32(random);
    return low | (uint64_t)cw_random_u32(random) << 32;
}

double cw_random_unit(struct cw_random *random)
{
    return (double)(cw_random_u64(random) >> 11) * 0x1p-53;
}

/* The largest n with n(n-1) < 2^32: up to here, one word holds two picks. */
static const uint32_t PAIR_LIMIT = 65536;

/* Picks for the top places of a shuffle of which LEFT > 1 are not settled: PICKS[0] uniform on 0 … LEFT-1 and, if the
 * result is 2, PICKS[1] on 0 … LEFT-2. The fraction left over by the first pick serves the second, and one rejection
 * unbiases both (Brackett-Rozinsky and Lemire, "Batched ranged random integer generation", 2024). */
static inline uint32_t draw_picks(struct cw_random *random, uint32_t left, uint32_t picks[2])
{
    if (left > PAIR_LIMIT) {
        picks[0] = cw_random_below(random, left);
        return 1;
    }
    const uint32_t pairs = left * (left - 1);
    uint64_t first, second;
    do {
        first = (uint64_t)cw_random_u32(random) * left;
        second = (uint64_t)(uint32_t)first * (left - 1);
    } while ((uint32_t)second < pairs && (uint32_t)second < (0u - pairs) % pairs);
    picks[0] = (uint32_t)(first >> 32);
    picks[1] = (uint32_t)(second >> 32);
    return 2;
}

void cw_random_shuffle(struct cw_random *random, uint32_t *items, uint32_t n)
{
    uint32_t picks[2], n_picks;
    for (uint32_t left = n; left > 1; left -= n_picks) {
        n_picks = draw_picks(random, left, picks);
        for (uint32_t i = 0; i < n_picks; i++) {
            const uint32_t place = left - 1 - i, item = items[picks[i]];
            items[picks[i]] = items[place];
            items[place] = item;
        }
    }
}

void cw_random_permutation(struct cw_random *random, uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) out[i] = i;
    cw_random_shuffle(random, out, n);
}

/* One shuffle that stops as soon as a fixed point is certain (Martínez, Panholzer and Prodinger, "Generating random
 * derangements", ANALCO 2008). Each place of OUT is settled once and for all, so the early end skews nothing. */
static bool try_derangement(struct cw_random *random, uint32_t n, uint32_t *out)
{
    uint32_t picks[2], n_picks;
    for (uint32_t i = 0; i < n; i++) out[i] = i;
    for (uint32_t left = n; left > 1; left -= n_picks) {
        n_picks = draw_picks(random, left, picks);
        for (uint32_t i = 0; i < n_picks; i++) {
            const uint32_t place = left - 1 - i, item = out[picks[i]];
            if (item == place) return false;
            out[picks[i]] = out[place];
            out[place] = item;
        }
    }
    return n == 0 || out[0] != 0; /* no pick settles place 0 if n is odd */
}

int cw_random_derangement(struct cw_random *random, uint32_t n, uint32_t *out)
{
    if (n == 1) return cw_fail(CW_EUSAGE, "one item alone has no derangement: at least 2 are needed");
    while (!try_derangement(random, n, out)) continue;
    return 0;
}

uint64_t cw_random_hash(uint64_t a, uint64_t b)
{
    return cw_random_word(cw_random_word(a, 0) ^ b, 0);
}
