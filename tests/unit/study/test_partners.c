/* Partners of the rounds of each perturbation, for any number of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/network.h"
#include "study/bench/partners.h"

#define MOST 40

static const struct cw_perturbation *find(const char *name)
{
    return cw_registry_find(&cw_perturbation_registry, name);
}

static void all_in_one(uint32_t n, uint32_t *groups)
{
    for (uint32_t rank = 0; rank < n; rank++) groups[rank] = 0;
}

/* Who receives from how many. */
static uint32_t receivers(const uint32_t *to, uint32_t n, uint32_t *from)
{
    uint32_t sending = 0;
    memset(from, 0, n * sizeof *from);
    for (uint32_t rank = 0; rank < n; rank++)
        if (to[rank] != CW_NONE) {
            assert_true(to[rank] < n && to[rank] != rank);
            from[to[rank]]++;
            sending++;
        }
    return sending;
}

static void check_round(const struct cw_perturbation *kind, const uint32_t *to, uint32_t n)
{
    uint32_t from[MOST], most = 0;
    const uint32_t sending = receivers(to, n, from);
    const bool pairs = strcmp(kind->name, "bisection") == 0 || strcmp(kind->name, "neighbour") == 0;
    for (uint32_t rank = 0; rank < n; rank++) most = from[rank] > most ? from[rank] : most;
    if (strcmp(kind->name, "incast") == 0) {
        assert_int_equal(sending, n - 1);
        assert_int_equal(most, n - 1);
        return;
    }
    assert_int_equal(sending, pairs ? n - n % 2 : n);
    assert_int_equal(most, 1);
    for (uint32_t rank = 0; pairs && rank < n; rank++)
        if (to[rank] != CW_NONE) assert_int_equal(to[to[rank]], rank);
}

static void test_every_kind(void **state)
{
    (void)state;
    uint32_t groups[MOST], to[MOST], again[MOST];
    for (const struct cw_perturbation *kind = cw_perturbations; kind->name; kind++)
        for (uint32_t n = 2; n < MOST; n++) {
            struct cw_partners partners, other;
            all_in_one(n, groups);
            assert_int_equal(cw_partners_init(kind, groups, n, 5, 1, &partners), 0);
            assert_int_equal(cw_partners_init(kind, groups, n, 5, 1, &other), 0);
            for (uint32_t round = 0; round < 2 * n; round++) {
                cw_partners_of_round(&partners, round, to);
                check_round(kind, to, n);
                /* Another rank, which has come to this round by itself, finds the same. */
                cw_partners_of_round(&other, round, again);
                assert_memory_equal(to, again, n * sizeof *to);
            }
            cw_partners_free(&partners);
            cw_partners_free(&other);
        }
}

/* Partners change with the round, the block and the seed. */
static void test_new_each_round(void **state)
{
    (void)state;
    uint32_t groups[MOST], first[MOST], to[MOST];
    static const struct {
        uint64_t seed;
        uint32_t block, round;
    } others[] = {{5, 1, 1}, {5, 2, 0}, {6, 1, 0}};
    all_in_one(MOST, groups);
    struct cw_partners partners;
    assert_int_equal(cw_partners_init(find("permutation"), groups, MOST, 5, 1, &partners), 0);
    cw_partners_of_round(&partners, 0, first);
    cw_partners_free(&partners);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(
            cw_partners_init(find("permutation"), groups, MOST, others[i].seed, others[i].block, &partners), 0);
        cw_partners_of_round(&partners, others[i].round, to);
        assert_memory_not_equal(first, to, sizeof to);
        cw_partners_free(&partners);
    }
    assert_int_equal(cw_partners_init(find("shift"), groups, 4, 5, 1, &partners), 0);
    cw_partners_of_round(&partners, 4, to);
    assert_int_equal(to[3], 1);
    cw_partners_free(&partners);
}

/* Ranks exchange within their group only, and those without one or alone in it not at all. */
static void test_groups(void **state)
{
    (void)state;
    static const uint32_t groups[10] = {0, CW_NONE, 2, 0, 2, 0, CW_NONE, 7, 2, 0};
    uint32_t to[10], from[10];
    for (const struct cw_perturbation *kind = cw_perturbations; kind->name; kind++) {
        struct cw_partners partners;
        assert_int_equal(cw_partners_init(kind, groups, 10, 5, 1, &partners), 0);
        assert_int_equal(partners.n_members, 8);
        for (uint32_t round = 0; round < 20; round++) {
            cw_partners_of_round(&partners, round, to);
            assert_true(receivers(to, 10, from) >= 4);
            assert_true(to[1] == CW_NONE && to[6] == CW_NONE && to[7] == CW_NONE && from[7] == 0);
            for (uint32_t rank = 0; rank < 10; rank++)
                if (to[rank] != CW_NONE) assert_int_equal(groups[to[rank]], groups[rank]);
        }
        cw_partners_free(&partners);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kind), cmocka_unit_test(test_new_each_round),
                                       cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
