/* Heaps give their items in order; of equal ones the same after the same calls, as the rule of binary heaps says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/heap.h"
#include "base/random.h"

enum { N = 500 };

struct item {
    uint32_t key, number;
};

/* Places of the items by their numbers, noted as they change. */
struct places {
    size_t of[N];
};

static bool is_less(struct places *places, const struct item *a, const struct item *b)
{
    (void)places;
    return a->key < b->key;
}

static void note(struct places *places, struct item *items, size_t at, struct item item)
{
    items[at] = item;
    places->of[item.number] = at;
}

CW_HEAP(two, struct item, 2, struct places *, is_less, note)
CW_HEAP(three, struct item, 3, struct places *, is_less, CW_HEAP_PUT)
CW_HEAP(four, struct item, 4, struct places *, is_less, note)

/* Fills and empties heaps of every size up to N, and compares with a sorted list of the keys. */
static void items_come_in_order(void **state)
{
    (void)state;
    struct item items[3][N];
    struct places places;
    uint32_t left[N + 1] = {0}; /* of each key */
    size_t n[3] = {0};
    struct cw_random random = cw_random_of(1, CW_STREAM_SAMPLE, 0);
    for (uint32_t i = 0; i < N; i++) {
        const struct item item = {cw_random_below(&random, N / 3), i};
        left[item.key]++;
        two_push(&places, items[0], &n[0], item);
        three_push(&places, items[1], &n[1], item);
        four_push(&places, items[2], &n[2], item);
    }
    for (uint32_t key = 0, i = 0; i < N; i++) {
        while (left[key] == 0) key++;
        left[key]--;
        assert_int_equal(two_pop(&places, items[0], &n[0]).key, key);
        assert_int_equal(three_pop(&places, items[1], &n[1]).key, key);
        assert_int_equal(four_pop(&places, items[2], &n[2]).key, key);
    }
    assert_int_equal(n[0] + n[1] + n[2], 0);
}

/* Keys change, up and down, of items whose places are known. */
static void items_move(void **state)
{
    (void)state;
    struct item items[N];
    struct places places;
    uint32_t key[N];
    size_t n = 0;
    struct cw_random random = cw_random_of(2, CW_STREAM_SAMPLE, 0);
    for (uint32_t i = 0; i < N; i++) two_push(&places, items, &n, (struct item){key[i] = N, i});
    for (uint32_t change = 0; change < 20 * N; change++) {
        const uint32_t number = cw_random_below(&random, N), before = key[number];
        key[number] = cw_random_below(&random, 2 * N);
        const struct item item = {key[number], number};
        if (key[number] < before)
            two_rise(&places, items, places.of[number], item);
        else
            two_sink(&places, items, n, places.of[number], item);
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < N; i++) {
            assert_int_equal(items[places.of[i]].number, i);
            assert_int_equal(items[places.of[i]].key, key[i]);
            if (key[i] < least) least = key[i];
        }
        assert_int_equal(items[0].key, least);
    }
}

/* The order in which N items with KEYS come out. */
static void assert_order(const uint32_t *keys, const uint32_t *expected, size_t n)
{
    struct item items[2][8];
    struct places places;
    size_t n_two = 0, n_four = 0;
    for (uint32_t i = 0; i < n; i++) two_push(&places, items[0], &n_two, (struct item){keys[i], i});
    for (uint32_t i = 0; i < n; i++) four_push(&places, items[1], &n_four, (struct item){keys[i], i});
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(two_pop(&places, items[0], &n_two).number, expected[i]);
        assert_int_equal(four_pop(&places, items[1], &n_four).number, expected[i]);
    }
}

/* Worked out by hand: an item neither rises nor sinks past equal ones, so the last of equal ones fills a gap above
 * them; where it is greater, of equal items below the gap the left one does. */
static void equals_have_an_order(void **state)
{
    (void)state;
    assert_order((const uint32_t[]){7, 7, 7, 7}, (const uint32_t[]){0, 3, 2, 1}, 4);
    assert_order((const uint32_t[]){7, 7, 7, 9}, (const uint32_t[]){0, 1, 2, 3}, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(items_come_in_order), cmocka_unit_test(items_move),
                                       cmocka_unit_test(equals_have_an_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
