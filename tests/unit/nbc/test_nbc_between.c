/* Trees of hosts: their names, their schedules, segments, and what is taken where nothing is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "nbc/nbc_between.h"

#define TREE(WORD, NAME, CONSTANT, RADIX, NOTE) {(NAME), {.shape = CW_NBC_##CONSTANT, .radix = (RADIX)}},
static const struct {
    const char *name;
    struct cw_nbc_between between;
} trees[] = {CW_NBC_SHAPES(CW_NBC_NO_SHAPE, TREE)};
#define TREES (sizeof trees / sizeof *trees)

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < TREES; i++) {
        struct cw_nbc_between between;
        char text[CW_NBC_BETWEEN_SIZE];
        assert_int_equal(cw_nbc_between_parse("tree", trees[i].name, &between), 0);
        assert_int_equal(between.shape, trees[i].between.shape);
        assert_int_equal(between.radix, trees[i].between.radix);
        assert_string_equal(cw_nbc_between_format(&between, text), trees[i].name);
    }
    struct cw_nbc_between other;
    char text[CW_NBC_BETWEEN_SIZE];
    assert_int_equal(cw_nbc_between_parse("tree", "k-nomial:2", &other), 0);
    assert_string_equal(cw_nbc_between_format(&other, text), "binomial");
    assert_int_equal(cw_nbc_between_parse("tree", "k-nomial:5", &other), 0);
    assert_string_equal(cw_nbc_between_format(&other, text), "k-nomial:5");
    assert_int_equal(cw_nbc_between_parse("tree", "fabric", &other), 0);
    assert_true(other.shape == CW_NBC_SHAPE_AUTO && other.by_fabric);
}

#define TYPED(CONSTANT, TEXT, FAMILY) TEXT ", "

static void test_names_that_are_none(void **state)
{
    (void)state;
    struct cw_nbc_between between;
    assert_int_equal(cw_nbc_between_parse("X", "bush", &between), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "X: 'bush' is not a tree of hosts; expected auto, fabric, " CW_NBC_SHAPES(
                                                TYPED, CW_NBC_NO_TREE) "or native");
    assert_int_equal(cw_nbc_between_parse("X", "chain:2", &between), CW_EUSAGE);
    assert_int_equal(cw_nbc_between_parse("X", "k-nomial", &between), CW_EUSAGE);
    assert_int_equal(cw_nbc_between_parse("X", "k-nomial:1", &between), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "X: 1 is not between 2 and 1024");
}

/* What a tree is named for is a schedule of that collective among any number of hosts; segments that follow one another
 * do so in all collectives, and else a host has to do with one message each way in a round. */
static void test_schedules(void **state)
{
    (void)state;
    for (size_t i = 0; i < TREES; i++) {
        int n_kinds = 0, n_follow = 0;
        for (int c = 0; c < CW_COLLECTIVES; c++) {
            const enum cw_collective_kind collective = (enum cw_collective_kind)c;
            const struct cw_schedule_kind *kind = cw_nbc_between_kind(trees[i].between.shape, collective);
            if (!kind) continue;
            struct cw_schedule *schedule;
            uint32_t rounds, blocks;
            n_kinds++;
            n_follow += kind->options != NULL;
            assert_int_equal(kind->result, collective);
            assert_true(cw_nbc_between_passes(collective));
            assert_int_equal(cw_nbc_between_schedule(&trees[i].between, collective, 5, &schedule), 0);
            for (uint32_t n = 1; n < 70; n++) {
                assert_int_equal(cw_schedule_plan(schedule, n, &rounds, &blocks), 0);
                if (kind->options) assert_int_equal(blocks, 5);
                if (!kind->options) assert_int_equal(kind->ports, CW_PORTS_ONE);
            }
            cw_schedule_free(schedule);
        }
        assert_true(n_kinds > 0 && (n_follow == 0 || n_follow == 3));
    }
    for (int c = 0; c < CW_COLLECTIVES; c++)
        assert_int_equal(cw_nbc_between_passes((enum cw_collective_kind)c),
                         c == CW_COLLECTIVE_BCAST || c == CW_COLLECTIVE_REDUCE || c == CW_COLLECTIVE_ALLREDUCE);
}

static void check_settled(const char *asked, enum cw_collective_kind collective, uint32_t hosts, uint64_t bytes,
                          enum cw_nbc_shape shape, unsigned radix)
{
    struct cw_nbc_between between;
    assert_int_equal(cw_nbc_between_parse("tree", asked, &between), 0);
    const struct cw_nbc_between settled = cw_nbc_between_settle(&between, collective, hosts, bytes);
    assert_int_equal(settled.shape, shape);
    assert_int_equal(settled.radix, radix);
    assert_int_equal(settled.by_fabric, between.by_fabric);
}

/* Many segments fill a chain; one goes faster down a binomial tree; long vectors go round. */
static void test_what_suits(void **state)
{
    (void)state;
    check_settled("auto", CW_COLLECTIVE_BCAST, 16, 1, CW_NBC_KNOMIAL, 2);
    check_settled("auto", CW_COLLECTIVE_BCAST, 16, 16 << 14, CW_NBC_CHAIN, 0);
    check_settled("fabric", CW_COLLECTIVE_REDUCE, 16, 4 << 14, CW_NBC_KNOMIAL, 2); /* 4 + 14 > 4 · 4 */
    check_settled("fabric", CW_COLLECTIVE_REDUCE, 16, 5 << 14, CW_NBC_CHAIN, 0);
    check_settled("auto", CW_COLLECTIVE_REDUCE, 2, 1, CW_NBC_CHAIN, 0);
    check_settled("auto", CW_COLLECTIVE_ALLREDUCE, 16, (16 << 13) - 1, CW_NBC_CHAIN, 0);
    check_settled("auto", CW_COLLECTIVE_ALLREDUCE, 16, 16 << 13, CW_NBC_HOST_RING, 0);
    check_settled("auto", CW_COLLECTIVE_ALLREDUCE, 2, 0, CW_NBC_CHAIN, 0);
    check_settled("ring", CW_COLLECTIVE_ALLREDUCE, 16, 1, CW_NBC_HOST_RING, 0);
    check_settled("ring", CW_COLLECTIVE_BCAST, 16, 1, CW_NBC_KNOMIAL, 2); /* what does not go round */
    check_settled("chain", CW_COLLECTIVE_BCAST, 16, 1, CW_NBC_CHAIN, 0);
    check_settled("k-nomial:7", CW_COLLECTIVE_ALLREDUCE, 16, 1 << 30, CW_NBC_KNOMIAL, 7);
}

static void check_cut(uint64_t bytes, uint32_t n_blocks, uint64_t segment, uint32_t per_block)
{
    const struct cw_nbc_cut cut = cw_nbc_cut_of(bytes, n_blocks);
    assert_int_equal(cut.segment, segment);
    assert_int_equal(cut.per_block, per_block);
    assert_true(cut.segment * cut.n_blocks * cut.per_block >= bytes && cut.segment % 64 == 0);
}

static void test_segments(void **state)
{
    (void)state;
    check_cut(1, 1, 16 << 10, 1);
    check_cut(2 << 20, 1, 16 << 10, 128);
    check_cut((2 << 20) + 128, 1, 32 << 10, 65);
    check_cut(16 << 20, 1, 128 << 10, 128);
    check_cut(UINT64_C(1) << 40, 1, 1 << 20, 1 << 20);
    check_cut(1, 4, 64, 1);
    check_cut(1 << 20, 8, 16 << 10, 8);
    check_cut((1 << 20) + 1, 8, 14592, 9);
    assert_int_equal(cw_nbc_cut_of(0, 1).per_block, 0);
    assert_int_equal(cw_nbc_cut_of(0, 5).per_block, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),     cmocka_unit_test(test_names_that_are_none),
        cmocka_unit_test(test_schedules), cmocka_unit_test(test_what_suits),
        cmocka_unit_test(test_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
