/* What is predicted of a fabric: its file, the hosts in it, and which tree counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "nbc/nbc_fabric.h"

#define PATH "fabric_test.txt"

static void put(struct cw_nbc_trees *trees, enum cw_collective_kind collective, uint32_t hosts, uint64_t bytes,
                const char *tree, bool by_fabric)
{
    struct cw_nbc_tree_choice choice = {.collective = collective, .hosts = hosts, .bytes = bytes, .time = 1e-3};
    assert_int_equal(cw_nbc_between_parse("tree", tree, &choice.between), 0);
    choice.between.by_fabric = by_fabric;
    assert_int_equal(cw_nbc_trees_put(trees, &choice), 0);
}

/* In no order; the last one instead of an earlier one. */
static void fill(struct cw_nbc_trees *trees)
{
    *trees = (struct cw_nbc_trees){.n = 0};
    put(trees, CW_COLLECTIVE_REDUCE, 4, 65536, "k-nomial:4", true);
    put(trees, CW_COLLECTIVE_BCAST, 64, 65536, "k-nomial:8", true);
    put(trees, CW_COLLECTIVE_BCAST, 8, 1 << 20, "binomial", false);
    put(trees, CW_COLLECTIVE_BCAST, 8, 65536, "binomial", false);
    put(trees, CW_COLLECTIVE_BCAST, 8, 1 << 20, "chain", true);
}

static void write_file(const char *content)
{
    FILE *file = fopen(PATH, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static void test_file(void **state)
{
    (void)state;
    char names[4][16] = {"node7", "node12.cluster", "node1", "node10"};
    char *hosts[] = {names[0], names[1], names[2], names[3]};
    struct cw_nbc_fabric fabric = {
        .network = "two\nleaves", .routes = "ftree", .placement = "random", .n = 4, .hosts = hosts};
    struct cw_nbc_fabric back;
    fill(&fabric.trees);
    assert_int_equal(cw_nbc_fabric_write(PATH, &fabric), 0);
    struct cw_text text = {0};
    cw_nbc_fabric_print(&fabric, &text);
    assert_string_equal(text.data, "# Predicted by crosswind tree: doc/formats/fabric.md\n"
                                   "network two\\x0aleaves\nroutes ftree\nplacement random\n"
                                   "collective,hosts,bytes,order,tree,time\n"
                                   "bcast,8,65536,ranks,binomial,0.001\n"
                                   "bcast,8,1048576,fabric,chain,0.001\n"
                                   "bcast,64,65536,fabric,k-nomial:8,0.001\n"
                                   "reduce,4,65536,fabric,k-nomial:4,0.001\n"
                                   "host node7\nhost node12.cluster\nhost node1\nhost node10\n");
    cw_text_free(&text);
    assert_int_equal(cw_nbc_fabric_read(PATH, &back), 0);
    assert_string_equal(back.network, "two\\x0aleaves"); /* what a file may be called */
    assert_string_equal(back.routes, "ftree");
    assert_string_equal(back.placement, "random");
    assert_int_equal(back.trees.n, 4);
    assert_memory_equal(&back.trees, &fabric.trees, sizeof back.trees);
    assert_int_equal(back.n, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(back.hosts[i], hosts[i]);
        assert_int_equal(cw_nbc_fabric_place(&back, hosts[i]), i);
    }
    assert_int_equal(cw_nbc_fabric_place(&back, "node7.cluster"), 0); /* without a domain, or with one */
    assert_int_equal(cw_nbc_fabric_place(&back, "node12"), 1);
    assert_int_equal(cw_nbc_fabric_place(&back, "node12.other"), -1);
    assert_int_equal(cw_nbc_fabric_place(&back, "node"), -1);
    assert_int_equal(cw_nbc_fabric_place(&back, "node100"), -1);
    assert_int_equal(cw_nbc_fabric_place(&back, ""), -1);
    cw_nbc_fabric_free(&back);
    unlink(PATH);
}

static void test_wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *content, *message;
    } cases[] = {
        {"host a\nhost b\nhost a\n", PATH ": host 'a' is listed twice"},
        {"network\nhost\n",
         PATH ":2: 'host' is not a line of a fabric; expected host NAME or collective,hosts,bytes,order,tree,time"},
        {"host a\nhost b\rc\n", PATH ":2: a control character, expected text"},
        {"bcast,8,65536,fabric,chain\n", NULL},
        {"bcast,8,65536,chain,0.1\n", NULL},
        {"bcast,8,65536,fabrics,chain,0.1\n", NULL},
        {"bcast,1,65536,fabric,chain,0.1\n", NULL},
        {"bcast,8,65536,ranks,star,0.1\n", NULL},
        {"bcast,8,65536,ranks,auto,0.1\n", NULL},
        {"scatter,8,65536,fabric,chain,0.1\n", NULL},
        {"bcast,8,65536,fabric,chain,-1\n", NULL},
        {"bcast,8,65536,ranks,chain,0.1 \n\nx\n",
         PATH ":3: 'x' is not a line of a fabric; expected host NAME or collective,hosts,bytes,order,tree,time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_nbc_fabric fabric;
        write_file(cases[i].content);
        assert_int_equal(cw_nbc_fabric_read(PATH, &fabric), CW_EPARSE);
        if (cases[i].message) assert_string_equal(cw_error_message(), cases[i].message);
    }
    unlink(PATH);
}

static struct cw_nbc_between choose(const char *asked, enum cw_collective_kind collective, bool exact, uint32_t hosts,
                                    uint64_t bytes)
{
    struct cw_nbc_trees trees;
    struct cw_nbc_between between;
    fill(&trees);
    assert_int_equal(cw_nbc_between_parse("asked", asked, &between), 0);
    return cw_nbc_trees_choose(&trees, &between, collective, exact, hosts, bytes);
}

static void check(struct cw_nbc_between chosen, enum cw_nbc_shape shape, unsigned radix, bool by_fabric)
{
    assert_int_equal(chosen.shape, shape);
    if (shape == CW_NBC_KNOMIAL) assert_int_equal(chosen.radix, radix);
    assert_int_equal(chosen.by_fabric, by_fabric);
}

static void test_choice(void **state)
{
    (void)state;
    check(choose("auto", CW_COLLECTIVE_BCAST, true, 8, 1 << 20), CW_NBC_CHAIN, 0, true);
    check(choose("auto", CW_COLLECTIVE_BCAST, true, 8, (1 << 20) - 1), CW_NBC_KNOMIAL, 2, false);
    check(choose("auto", CW_COLLECTIVE_BCAST, true, 22, 1 << 20), CW_NBC_CHAIN, 0, true); /* 22/8 < 64/22 */
    check(choose("auto", CW_COLLECTIVE_BCAST, true, 23, 1 << 20), CW_NBC_KNOMIAL, 8, true);
    check(choose("k-nomial:3", CW_COLLECTIVE_BCAST, true, 8, 1 << 20), CW_NBC_KNOMIAL, 3, true); /* in that order */
    check(choose("chain", CW_COLLECTIVE_BCAST, true, 8, 65536), CW_NBC_CHAIN, 0, false);
    check(choose("chain", CW_COLLECTIVE_REDUCE, true, 4, 65536), CW_NBC_CHAIN, 0, true);
}

/* What nobody has found better stays as it is. */
static void test_nothing_predicted(void **state)
{
    (void)state;
    check(choose("auto", CW_COLLECTIVE_BCAST, true, 8, 65535), CW_NBC_SHAPE_AUTO, 0, false);
    check(choose("fabric", CW_COLLECTIVE_BCAST, true, 8, 65535), CW_NBC_SHAPE_AUTO, 0, false);
    check(choose("chain", CW_COLLECTIVE_BCAST, true, 8, 65535), CW_NBC_CHAIN, 0, false);
    check(choose("auto", CW_COLLECTIVE_ALLREDUCE, true, 8, 65536), CW_NBC_SHAPE_AUTO, 0, false);
}

/* The order of hosts decides the last bits of a sum: only who asks for it gets one that depends on the fabric. */
static void test_sums_of_floating_point_numbers(void **state)
{
    (void)state;
    check(choose("auto", CW_COLLECTIVE_REDUCE, false, 4, 65536), CW_NBC_SHAPE_AUTO, 0, false);
    check(choose("binomial", CW_COLLECTIVE_REDUCE, false, 4, 65536), CW_NBC_KNOMIAL, 2, false);
    check(choose("fabric", CW_COLLECTIVE_REDUCE, false, 4, 65536), CW_NBC_KNOMIAL, 4, true);
}

static void test_limit(void **state)
{
    (void)state;
    struct cw_nbc_trees trees = {.n = 0};
    struct cw_nbc_tree_choice choice = {.hosts = 2};
    for (uint64_t i = 0; i < CW_NBC_TREES; i++) {
        choice.bytes = i * 7 % CW_NBC_TREES;
        assert_int_equal(cw_nbc_trees_put(&trees, &choice), 0);
    }
    for (uint32_t i = 0; i < trees.n; i++) assert_int_equal(trees.items[i].bytes, i);
    choice.bytes = CW_NBC_TREES;
    assert_int_equal(cw_nbc_trees_put(&trees, &choice), CW_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),   cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_choice), cmocka_unit_test(test_sums_of_floating_point_numbers),
        cmocka_unit_test(test_limit),  cmocka_unit_test(test_nothing_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
