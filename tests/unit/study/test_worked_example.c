/* The worked example: its tables are those of tests/golden/worked-example, its figures those found by other code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "net/files/formats.h"
#include "net/network_internal.h"
#include "paper_example.h"
#include "route/files/lft_file.h"
#include "study/papers/noise_paper.h"
#include "topo/topology.h"

static struct cw_worked_example *run_with(const char *engine)
{
    struct cw_worked_example *example = NULL;
    if (cw_worked_example_run(engine, &example)) fail_msg("%s", cw_error_message());
    return example;
}

/* Which of the parallel cables to its head CHANNEL is: ports are ordered otherwise in the file. */
static uint32_t parallel_index(const struct cw_network *net, uint32_t channel)
{
    uint32_t index = 0;
    for (uint32_t c = net->first[net->tail[channel]]; c < channel; c++) index += net->head[c] == net->head[channel];
    return index;
}

static void test_tables(void **state)
{
    (void)state;
    struct cw_worked_example *example = run_with(NULL);
    struct cw_network *net = NULL;
    struct cw_routes *routes = NULL;
    if (cw_network_open(CW_TEST_DATA "/golden/worked-example/fabric.net", &net) ||
        cw_lft_read(net, CW_TEST_DATA "/golden/worked-example/tables.lfts", NULL, &routes))
        fail_msg("%s", cw_error_message());
    size_t hops_compared = 0;
    for (uint32_t src = 0; src < 16; src++)
        for (uint32_t dst = 0; dst < 16; dst++) {
            uint32_t hops, expected_hops, channels[8], expected[8];
            assert_int_equal(cw_routes_paths(example->routes, 1, &src, &dst, &hops, channels, NULL), 0);
            assert_int_equal(cw_routes_paths(routes, 1, &src, &dst, &expected_hops, expected, NULL), 0);
            assert_int_equal(hops, expected_hops);
            for (uint32_t i = 0; i < hops; i++, hops_compared++) {
                assert_int_equal(example->net->head[channels[i]], net->head[expected[i]]);
                assert_int_equal(parallel_index(example->net, channels[i]), parallel_index(net, expected[i]));
            }
        }
    assert_int_equal(hops_compared, 16 * 3 * 2 + 16 * 12 * 4);
    cw_routes_free(routes);
    cw_network_free(net);
    cw_worked_example_free(example);
}

/* By an independent program: every edge of the tree with its congestion, alone and perturbed. */
static void test_congestion(void **state)
{
    (void)state;
    static const struct cw_worked_message expected[] = {
        {0, 0, 1, 1, 2, 0, true},  {1, 0, 2, 1, 1, 0, false}, {1, 1, 3, 1, 1, 0, true}, {2, 0, 4, 1, 2, 0, false},
        {2, 1, 5, 1, 1, 0, false}, {2, 2, 6, 1, 2, 0, false}, {2, 3, 7, 1, 2, 0, true}};
    struct cw_worked_example *example = run_with(NULL);
    for (size_t i = 0; i < 7; i++) {
        const struct cw_worked_message *is = &example->messages[i];
        size_t k = 0;
        while (k < 7 && (expected[k].src != is->src || expected[k].dst != is->dst)) k++;
        assert_true(k < 7);
        assert_int_equal(is->level, expected[k].level);
        assert_int_equal(is->clean, expected[k].clean);
        assert_int_equal(is->perturbed, expected[k].perturbed);
        assert_int_equal(is->longest, expected[k].longest);
    }
    assert_true(example->replay.times.clean == 3 && example->replay.times.perturbed == 5);
    uint32_t perturbing = 0, tree = 0;
    for (uint32_t c = 0; c < CW_WORKED_CHANNELS; c++) {
        perturbing += example->perturbation[c];
        for (int level = 0; level < CW_WORKED_LEVELS; level++) tree += example->application[level][c];
    }
    assert_int_equal(perturbing, 8 * 4); /* no pair is under one leaf: four channels each */
    assert_int_equal(tree, 7 * 4);
    cw_worked_example_free(example);
}

/* Claim CLAIM of EXAMPLES: balanced, and by D-mod-k. */
static void check(size_t claim, struct cw_worked_example *const *examples, enum cw_verdict verdict, const char *found)
{
    check_claim(&cw_paper_noise, CW_NOISE_WORKED, claim, examples, verdict, INFINITY, found);
}

static void test_findings(void **state)
{
    (void)state;
    struct cw_worked_example *example = run_with(NULL), *dmodk = run_with("dmodk");
    struct cw_worked_example *const examples[] = {example, dmodk}, *const others[] = {dmodk, dmodk};
    for (size_t i = 0; i < 5; i++) check(i, examples, CW_HOLDS, i == 3 ? "D-mod-k takes 4, 3 without" : "");

    /* Planted: D-mod-k leads every channel down to one endpoint, and its longest path takes 4. */
    check(0, others, CW_HOLDS_NOT, "");
    check(1, others, CW_HOLDS, "");
    check(3, others, CW_HOLDS_NOT, "");

    /* Planted: two messages of the tree on one channel; a message that nothing disturbs; congestion nobody absorbs. */
    example->application[1][5] = 2;
    for (size_t i = 0; i < 7; i++) {
        struct cw_worked_message *message = &example->messages[i];
        if (message->src == 0 && message->dst == 4) message->perturbed = 7;
    }
    check(1, examples, CW_HOLDS_NOT, "");
    check(2, examples, CW_HOLDS_NOT, "");
    check(4, examples, CW_HOLDS_NOT, "");
    cw_worked_example_free(example);
    cw_worked_example_free(dmodk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables), cmocka_unit_test(test_congestion),
                                       cmocka_unit_test(test_findings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
