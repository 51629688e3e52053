#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"

/* Upper quantiles of chi-square; a right generator exceeds them once in ten thousand seeds, and the seeds are fixed. */
static const double CHI8_9999 = 31.828, CHI23_9999 = 57.075, CHI43_9999 = 86.281;

static double chi_square(const unsigned *counts, size_t n_cells, unsigned draws)
{
    const double expected = (double)draws / (double)n_cells;
    double sum = 0;
    for (size_t i = 0; i < n_cells; i++) sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

/* The three vectors published with Random123 (kat_vectors, philox4x32 10). The counter's first word is the block. */
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        const uint64_t seed = vectors[v].key[0] | (uint64_t)vectors[v].key[1] << 32;
        const uint64_t index = vectors[v].counter[2] | (uint64_t)vectors[v].counter[3] << 32;
        /* The vector's block is put at each place of the refill in turn: the blocks may be computed side by side. */
        for (uint32_t place = 0; place < CW_RANDOM_WORDS / 4; place++) {
            struct cw_random random = cw_random_of(seed, vectors[v].counter[1], index);
            assert_int_equal(random.counter[0], 0);
            random.counter[0] = vectors[v].counter[0] - place;
            for (uint32_t skip = 0; skip < 4 * place; skip++) cw_random_u32(&random);
            for (size_t i = 0; i < 4; i++) assert_int_equal(cw_random_u32(&random), vectors[v].answer[i]);
        }
    }
}

/* Word i of a long stream is word i mod 4 of block i / 4: nothing is skipped or repeated at a refill. */
static void blocks_follow_each_other(void **state)
{
    (void)state;
    struct cw_random random = cw_random_of(7, CW_STREAM_TEST, 9);
    for (uint32_t block = 0; block < 50; block++) {
        struct cw_random fresh = cw_random_of(7, CW_STREAM_TEST, 9);
        fresh.counter[0] = block;
        for (size_t i = 0; i < 4; i++) assert_int_equal(cw_random_u32(&random), cw_random_u32(&fresh));
    }
}

static void keys_differ(void **state)
{
    (void)state;
    const uint64_t base[3] = {1, CW_STREAM_TEST, 5};
    struct cw_random first = cw_random_of(base[0], (uint32_t)base[1], base[2]);
    const uint64_t word = cw_random_u64(&first);
    for (size_t part = 0; part < 3; part++) {
        for (unsigned bit = 0; bit < (part == 1 ? 32 : 64); bit++) {
            uint64_t key[3] = {base[0], base[1], base[2]};
            key[part] ^= (uint64_t)1 << bit;
            struct cw_random other = cw_random_of(key[0], (uint32_t)key[1], key[2]);
            assert_int_not_equal(cw_random_u64(&other), word);
        }
    }
}

static void wide_draws(void **state)
{
    (void)state;
    struct cw_random words = cw_random_of(3, CW_STREAM_TEST, 0), wide = words, unit = words;
    double sum = 0;
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t low = cw_random_u32(&words), both = low | (uint64_t)cw_random_u32(&words) << 32;
        assert_int_equal(cw_random_u64(&wide), both);
        const double u = cw_random_unit(&unit);
        assert_true(u >= 0 && u < 1);
        assert_true(u * 0x1p53 == (double)(both >> 11));
        sum += u;
    }
    /* The mean's deviation is 1/√(12·10^5) = 0.00091. */
    assert_true(fabs(sum / 100000 - 0.5) < 4 * 0.00092);
}

/* With n = 3·2^30, a plain multiplication or remainder would give a third of the values twice as often. */
static void below_has_no_bias(void **state)
{
    (void)state;
    const uint32_t n = 3u << 30;
    const unsigned draws = 300000;
    struct cw_random random = cw_random_of(11, CW_STREAM_TEST, 0);
    unsigned by_remainder[3] = {0}, by_range[3] = {0};
    for (unsigned i = 0; i < draws; i++) {
        const uint32_t value = cw_random_below(&random, n);
        assert_true(value < n);
        by_remainder[value % 3]++;
        by_range[value >> 30]++;
    }
    /* 18.42: the 0.9999 quantile for two degrees of freedom, -2 ln 0.0001. */
    assert_true(chi_square(by_remainder, 3, draws) < 18.42);
    assert_true(chi_square(by_range, 3, draws) < 18.42);
}

static void below_small(void **state)
{
    (void)state;
    struct cw_random random = cw_random_of(12, CW_STREAM_TEST, 0);
    unsigned counts[9] = {0};
    for (unsigned i = 0; i < 90000; i++) counts[cw_random_below(&random, 9)]++;
    assert_true(chi_square(counts, 9, 90000) < CHI8_9999);
    for (unsigned i = 0; i < 100; i++) assert_int_equal(cw_random_below(&random, 1), 0);
}

/* The number of a permutation of n ≤ 5 items in lexicographic order. */
static size_t rank_of(const uint32_t *items, size_t n)
{
    size_t rank = 0;
    for (size_t i = 0; i < n; i++) {
        size_t smaller = 0;
        for (size_t j = i + 1; j < n; j++) smaller += items[j] < items[i];
        rank = rank * (n - i) + smaller;
    }
    return rank;
}

static void permutations_are_uniform(void **state)
{
    (void)state;
    struct cw_random random = cw_random_of(13, CW_STREAM_TEST, 0);
    unsigned permuted[24] = {0}, shuffled[24] = {0};
    uint32_t kept[4] = {0, 1, 2, 3}, out[4];
    for (unsigned i = 0; i < 120000; i++) {
        cw_random_permutation(&random, 4, out);
        permuted[rank_of(out, 4)]++;
        cw_random_shuffle(&random, kept, 4);
        shuffled[rank_of(kept, 4)]++;
    }
    assert_true(chi_square(permuted, 24, 120000) < CHI23_9999);
    assert_true(chi_square(shuffled, 24, 120000) < CHI23_9999);
}

/* Words of 32 bits whose product with PAIRS has PAIR as its upper half. */
static uint64_t words_for(uint64_t pair, uint64_t pairs)
{
    const uint64_t all = (uint64_t)1 << 32;
    return ((pair + 1) * all + pairs - 1) / pairs - (pair * all + pairs - 1) / pairs;
}

/* Of the n(n-1) ≈ 3·2^30 values of the top two picks, a third would be given by two words and so, without rejection,
 * come in half of the draws. The picks can be seen in the result: the first moves item n-1 to its place. */
static void pairs_of_picks_have_no_bias(void **state)
{
    (void)state;
    enum { N = 56756, DRAWS = 100 };
    static uint32_t items[N];
    unsigned doubled = 0, first_third[3] = {0}, second_third[3] = {0};
    for (unsigned i = 0; i < DRAWS; i++) {
        struct cw_random random = cw_random_of(18, CW_STREAM_TEST, i);
        cw_random_permutation(&random, N, items);
        const uint32_t first = items[N - 1], second = items[N - 2] == N - 1 ? first : items[N - 2];
        doubled += words_for((uint64_t)first * (N - 1) + second, (uint64_t)N * (N - 1)) == 2;
        first_third[(uint64_t)first * 3 / N]++;
        second_third[(uint64_t)second * 3 / (N - 1)]++;
    }
    /* Deviation √(100·2/9) = 4.7 around 33.3; without rejection, 50 are expected. */
    assert_true(fabs(doubled - DRAWS / 3.0) < 10);
    assert_true(chi_square(first_third, 3, DRAWS) < 18.42);
    assert_true(chi_square(second_third, 3, DRAWS) < 18.42);
}

/* Around the largest n for which two picks come from one word. */
static void large_permutations(void **state)
{
    (void)state;
    static uint32_t out[70000];
    static unsigned char seen[70000];
    static const uint32_t sizes[] = {65535, 65536, 65537, 70000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct cw_random random = cw_random_of(19, CW_STREAM_TEST, s);
        cw_random_permutation(&random, sizes[s], out);
        memset(seen, 0, sizeof seen);
        double distance = 0;
        for (uint32_t i = 0; i < sizes[s]; i++) {
            if (out[i] >= sizes[s]) fail_msg("item %u of %u", out[i], sizes[s]);
            if (seen[out[i]]++) fail_msg("item %u is there twice", out[i]);
            distance += fabs((double)out[i] - i);
        }
        /* Two uniform places are n/3 apart; the deviation of the mean over all items is near √(2/45)·√n. */
        assert_true(fabs(distance / sizes[s] - sizes[s] / 3.0) < 4 * 0.211 * sqrt(sizes[s]));
    }
}

/* Whatever the items are, a shuffle moves them like the permutation drawn by the same generator, and both leave the
 * generator at the same place. */
static void shuffle_moves_any_items(void **state)
{
    (void)state;
    enum { N = 1000 };
    uint32_t items[N], places[N];
    for (uint32_t n = 0; n <= N; n += 37) {
        struct cw_random random = cw_random_of(14, CW_STREAM_TEST, n), other = random;
        unsigned char seen[N] = {0};
        for (uint32_t i = 0; i < n; i++) items[i] = 7 + 5 * i;
        cw_random_shuffle(&random, items, n);
        cw_random_permutation(&other, n, places);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(items[i], 7 + 5 * places[i]);
            assert_int_equal(seen[places[i]]++, 0);
        }
        assert_int_equal(cw_random_u64(&random), cw_random_u64(&other));
    }
}

static void derangements_are_uniform(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        size_t derangements, permutations;
        const double *limit;
    } cases[] = {{4, 9, 24, &CHI8_9999}, {5, 44, 120, &CHI43_9999}};
    for (size_t c = 0; c < 2; c++) {
        const unsigned draws = 5000 * (unsigned)cases[c].derangements;
        struct cw_random random = cw_random_of(15, CW_STREAM_TEST, c);
        unsigned counts[120] = {0}, met[120];
        uint32_t out[5];
        for (unsigned i = 0; i < draws; i++) {
            assert_int_equal(cw_random_derangement(&random, cases[c].n, out), 0);
            for (uint32_t j = 0; j < cases[c].n; j++) assert_int_not_equal(out[j], j);
            counts[rank_of(out, cases[c].n)]++;
        }
        size_t n_met = 0;
        for (size_t i = 0; i < cases[c].permutations; i++)
            if (counts[i] > 0) met[n_met++] = counts[i];
        assert_int_equal(n_met, cases[c].derangements);
        assert_true(chi_square(met, n_met, draws) < *cases[c].limit);
    }
}

static void derangements_of_all_sizes(void **state)
{
    (void)state;
    struct cw_random random = cw_random_of(16, CW_STREAM_TEST, 0);
    uint32_t out[300] = {77};
    assert_int_equal(cw_random_derangement(&random, 0, out), 0);
    assert_int_equal(cw_random_derangement(&random, 1, out), CW_EUSAGE);
    assert_int_equal(out[0], 77);
    for (uint32_t n = 2; n <= 300; n++) {
        unsigned char seen[300] = {0};
        assert_int_equal(cw_random_derangement(&random, n, out), 0);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(out[i] < n && out[i] != i);
            assert_int_equal(seen[out[i]]++, 0);
        }
    }
}

/* One flipped bit of either word changes each bit of the hash in half of the cases. */
static void hash_mixes(void **state)
{
    (void)state;
    enum { PAIRS = 100 };
    unsigned flips[64] = {0};
    struct cw_random random = cw_random_of(17, CW_STREAM_TEST, 0);
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        const uint64_t a = cw_random_below(&random, 1000), b = cw_random_below(&random, 1000);
        const uint64_t hash = cw_random_hash(a, b);
        assert_int_equal(hash, cw_random_hash(a, b));
        for (unsigned bit = 0; bit < 128; bit++) {
            const uint64_t a2 = bit < 64 ? a ^ (uint64_t)1 << bit : a,
                           b2 = bit < 64 ? b : b ^ (uint64_t)1 << (bit - 64);
            const uint64_t change = hash ^ cw_random_hash(a2, b2);
            for (unsigned i = 0; i < 64; i++) flips[i] += (unsigned)(change >> i & 1);
        }
    }
    /* 12,800 changes: the share has a deviation of 0.0044. */
    for (unsigned i = 0; i < 64; i++) assert_true(fabs(flips[i] / (128.0 * PAIRS) - 0.5) < 5 * 0.0044);
}

/* Small consecutive numbers, the usual arguments, choose evenly among few. */
static void hash_chooses_evenly(void **state)
{
    (void)state;
    unsigned low[9] = {0}, high[9] = {0};
    for (uint64_t a = 0; a < 300; a++) {
        for (uint64_t b = 0; b < 300; b++) {
            low[cw_random_hash(a, b) % 9]++;
            high[(cw_random_hash(b, a) >> 32) * 9 >> 32]++;
        }
    }
    assert_true(chi_square(low, 9, 90000) < CHI8_9999);
    assert_true(chi_square(high, 9, 90000) < CHI8_9999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(blocks_follow_each_other),
        cmocka_unit_test(keys_differ),
        cmocka_unit_test(wide_draws),
        cmocka_unit_test(below_has_no_bias),
        cmocka_unit_test(below_small),
        cmocka_unit_test(permutations_are_uniform),
        cmocka_unit_test(pairs_of_picks_have_no_bias),
        cmocka_unit_test(large_permutations),
        cmocka_unit_test(shuffle_moves_any_items),
        cmocka_unit_test(derangements_are_uniform),
        cmocka_unit_test(derangements_of_all_sizes),
        cmocka_unit_test(hash_mixes),
        cmocka_unit_test(hash_chooses_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
