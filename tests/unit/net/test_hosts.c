/* Hosts as resource managers know them: names, files that say where ranks run, and Slurm's tree of switches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/files/formats.h"
#include "net/hosts.h"
#include "net/network_internal.h"
#include "sample_networks.h"

static void test_names(void **state)
{
    (void)state;
    static const char *const expected[] = {"node1", "node2", "node3_a", "node3", "knoten-", "node_5_x"};
    struct cw_network *net = sample_fabric();
    struct cw_hosts *hosts;
    assert_int_equal(cw_hosts_new(net, &hosts), 0);
    assert_int_equal(cw_hosts_count(hosts), 6);
    for (uint32_t e = 0; e < 6; e++) assert_string_equal(cw_hosts_name(hosts, cw_hosts_of(hosts, e)), expected[e]);
    assert_int_equal(cw_hosts_of(hosts, 6), CW_NONE); /* an aggregation node */
    cw_hosts_free(hosts);
    cw_network_free(net);
}

/* COUNT hosts with two adapters each, on the leaf switches "leaf A" and "leaf B"; below "spine". NAMES are those of
 * adapters. */
static struct cw_network *two_rails(const char *const *names, uint32_t count, bool same)
{
    struct cw_builder *builder = cw_builder_new(2 * count, 3, 0);
    const uint32_t leaf = 2 * count;
    for (uint32_t e = 0; e < 2 * count; e++) {
        cw_builder_name(builder, e, names[e]);
        cw_builder_cable(builder, e, 1, leaf + (same ? e % 2 : e / count), 0, 1e9, 0);
    }
    static const char *const switches[] = {"leaf A", "leaf B", "spine"};
    for (uint32_t s = 0; s < 3; s++) cw_builder_name(builder, leaf + s, switches[s]);
    for (uint32_t s = 0; s < 2; s++) cw_builder_cable(builder, leaf + s, 0, leaf + 2, 0, 25e9, 0);
    return sample_finish(builder);
}

static const char *const rails[] = {"n1 HCA-1", "n1 HCA-2", "n2 HCA-1", "n2 HCA-2", "n10 HCA-1", "n10 HCA-2"};
static const char *const singles[] = {"a b c", "a_b_c", "a  b.c ", "n2", "n1", "n3"};

static void assert_form(const struct cw_network *net, enum cw_hosts_form form, const char *expected)
{
    static const uint32_t endpoints[] = {4, 0, 1, 2, 5};
    struct cw_text text = {0};
    assert_int_equal(cw_hosts_write(net, form, endpoints, 5, &text), 0);
    assert_string_equal(text.data, expected);
    cw_text_free(&text);
}

static void test_forms(void **state)
{
    (void)state;
    struct cw_network *net = two_rails(rails, 3, true);
    assert_form(net, CW_HOSTS_ENDPOINTS, "n10 HCA-1\nn1 HCA-1\nn1 HCA-2\nn2 HCA-1\nn10 HCA-2\n");
    assert_form(net, CW_HOSTS_HOSTFILE, "n10\nn1\nn1\nn2\nn10\n");
    assert_form(net, CW_HOSTS_NODELIST, "n[1-2,10]\n");
    assert_form(net, CW_HOSTS_RANKFILE,
                "rank 0=n10 slot=0\nrank 1=n1 slot=0\nrank 2=n1 slot=1\nrank 3=n2 slot=0\nrank 4=n10 slot=1\n");
    cw_network_free(net);
    net = two_rails(singles, 3, true);
    assert_form(net, CW_HOSTS_HOSTFILE, "n1\na_b_c\na_b_c_2\na_b.c\nn3\n");
    cw_network_free(net);
}

static void test_no_host(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_text text = {0};
    assert_int_equal(cw_hosts_write(net, CW_HOSTS_NODELIST, (uint32_t[]){0, 6}, 2, &text), CW_EUSAGE);
    assert_string_equal(cw_error_message(), "rank 1 would run on 'Aggregation Node', which is no host");
    cw_text_free(&text);
    cw_network_free(net);
}

/* --- Slurm's tree ------------------------------------------------------------------------------------------------- */

static void assert_tree(struct cw_network *net, const char *expected)
{
    const struct cw_writer *writer = cw_writer_of("topology.conf.gz");
    struct cw_text text = {0};
    assert_non_null(writer);
    if (writer->write(net, &text)) fail_msg("%s", cw_error_message());
    assert_string_equal(strchr(text.data, '\n') + 1, expected); /* the first line is a comment */
    cw_text_free(&text);
    cw_network_free(net);
}

/* Leaf switches that all hosts share are one; those that one host of several shares are not, and it is at the first. */
static void test_shared_leaves(void **state)
{
    (void)state;
    static const char *const one[] = {"n1", "n2", "login HCA-1", "login HCA-2", "n3", "n4"};
    static const char *const half[] = {"n1 H-1", "n2 H-1", "login1", "n1 H-2", "n2 H-2", "login2"};
    assert_tree(two_rails(rails, 3, true), "SwitchName=leaf_A_x2 Nodes=n[1-2,10]\n");
    assert_tree(two_rails(half, 3, false), "SwitchName=leaf_A_x2 Nodes=login[1-2],n[1-2]\n");
    assert_tree(two_rails(one, 3, false), "SwitchName=leaf_A Nodes=login,n[1-2] LinkSpeed=200\n"
                                          "SwitchName=leaf_B Nodes=n[3-4] LinkSpeed=200\n"
                                          "SwitchName=spine Switches=leaf_A,leaf_B\n");
}

/* Two pods of two leaf switches: what cables up to a level connect is one switch. */
static void test_levels(void **state)
{
    (void)state;
    assert_tree(sample_xgft(3, (uint32_t[]){2, 2, 2}, (uint32_t[]){1, 2, 2}, (uint32_t[]){1, 2, 2}),
                "SwitchName=s1.0 Nodes=h[0-1] LinkSpeed=80\n"
                "SwitchName=s1.1 Nodes=h[2-3] LinkSpeed=80\n"
                "SwitchName=s1.2 Nodes=h[4-5] LinkSpeed=80\n"
                "SwitchName=s1.3 Nodes=h[6-7] LinkSpeed=80\n"
                "SwitchName=s2.0_x2 Switches=s1.[0-1] LinkSpeed=160\n"
                "SwitchName=s2.2_x2 Switches=s1.[2-3] LinkSpeed=160\n"
                "SwitchName=s3.0_x4 Switches=s2.0_x2,s2.2_x2\n");
}

/* A host without a switch has no place; a network of such is refused. */
static void test_no_switch(void **state)
{
    (void)state;
    struct cw_text text = {0};
    struct cw_builder *builder = cw_builder_new(2, 0, 0);
    cw_builder_cable(builder, 0, 0, 1, 0, 1e9, 0);
    struct cw_network *net = sample_finish(builder);
    assert_int_equal(cw_writer_of("x.conf")->write(net, &text), CW_EUSAGE);
    cw_text_free(&text);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_forms),  cmocka_unit_test(test_no_host),
        cmocka_unit_test(test_shared_leaves), cmocka_unit_test(test_levels), cmocka_unit_test(test_no_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
