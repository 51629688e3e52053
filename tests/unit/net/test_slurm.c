/* Slurm's topology.conf as a network: who is where, how fast the cables upwards are, refusals, and trees read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "net/builder.h"
#include "reader_test.h"
#include "sample_networks.h"

/* 40 Gbit/s a node; upwards what LinkSpeed says, or else all that comes from below. */
static void test_tree(void **state)
{
    (void)state;
    struct cw_network *net = read_content(&cw_reader_slurm, "# a tree\n"
                                                            "SwitchName=core Switches=pod,leaf3 # from above\n"
                                                            "switchname=leaf1 NODES=n[1-2] LinkSpeed=100\n"
                                                            "SwitchName=leaf2 \\\r\n"
                                                            "   Nodes=n7 LinkSpeed=1\r\n"
                                                            "SwitchName=pod Switches=leaf[1-2]\n"
                                                            "SwitchName=leaf3 Nodes=n8,login");
    assert_vertices(net, "n1 n2 n7 n8 login|core pod leaf3 leaf1 leaf2");
    assert_channels(net, "n1/1>leaf1/1 5e+09 1e-07\n"
                         "n2/1>leaf1/2 5e+09 1e-07\n"
                         "n7/1>leaf2/1 5e+09 1e-07\n"
                         "n8/1>leaf3/1 5e+09 1e-07\n"
                         "login/1>leaf3/2 5e+09 1e-07\n"
                         "core/1>pod/3 1.75e+10 1e-07\n"
                         "core/2>leaf3/3 1e+10 1e-07\n"
                         "pod/1>leaf1/3 1.25e+10 1e-07\n"
                         "pod/2>leaf2/2 5e+09 1e-07\n"
                         "pod/3>core/1 1.75e+10 1e-07\n"
                         "leaf3/1>n8/1 5e+09 1e-07\n"
                         "leaf3/2>login/1 5e+09 1e-07\n"
                         "leaf3/3>core/2 1e+10 1e-07\n"
                         "leaf1/1>n1/1 5e+09 1e-07\n"
                         "leaf1/2>n2/1 5e+09 1e-07\n"
                         "leaf1/3>pod/1 1.25e+10 1e-07\n"
                         "leaf2/1>n7/1 5e+09 1e-07\n"
                         "leaf2/2>pod/2 5e+09 1e-07\n");
    cw_network_free(net);
}

/* Upper switches of scontrol list all nodes below them, which have no cable to them; those of a file may have nodes of
 * their own. */
static void test_scontrol(void **state)
{
    (void)state;
    struct cw_network *net =
        read_content(&cw_reader_slurm, "SwitchName=leaf Level=0 LinkSpeed=1 Nodes=n[1-2] \n"
                                       "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-2] Switches=leaf \n");
    assert_int_equal(net->n_channels, 6);
    cw_network_free(net);
    net = read_content(&cw_reader_slurm, "SwitchName=leaf Nodes=n[1-2]\nSwitchName=top Nodes=n3 Switches=leaf\n");
    assert_int_equal(net->n_channels, 8);
    cw_network_free(net);
}

/* A node at two leaf switches, such as one with two adapters, has a cable to each. */
static void test_two_leaves(void **state)
{
    (void)state;
    struct cw_network *net = read_content(&cw_reader_slurm, "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[2-3]\n");
    assert_vertices(net, "n1 n2 n3|a b");
    assert_int_equal(cw_network_degree(net, 1), 2);
    cw_network_free(net);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"SwitchName=a Nodes=n1\nNodes=n2\n", "file:2: expected 'SwitchName=NAME Nodes=NAMES'"},
        {"SwitchName=a LinkSpeed=5\n", "file:1: expected 'SwitchName=NAME Nodes=NAMES'"},
        {"SwitchName=a Nodes=n1 Nodes=n2\n", "file:1: 'Nodes=n2', expected 'SwitchName="},
        {"SwitchName=a Nodes=n1\nInclude more.conf\n", "file:2: 'Include', expected 'SwitchName="},
        {"SwitchName=a Nodes=n[1-\n", "file:1: 'n[1-': "},
        {"SwitchName=a Nodes=\n", "file:1: "},
        {"SwitchName= Nodes=n1\n", "file:1: a name of 0 bytes, expected 1 to 255"},
        {"SwitchName=a \\\nNodes=n1 LinkSpeed=fast\n", "file:1: LinkSpeed=fast, expected a number"},
        {"SwitchName=a Nodes=n1\n\nSwitchName=a Nodes=n2\n", "file:3: switch 'a' has line 1, too; expected one"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a\n",
         "file:3: switch 'a' is below another one in line 2, expected a tree"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Switches=c\nSwitchName=c Switches=b\n",
         "file:2: switch 'b' is below itself, expected a tree"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\n", "file:2: switch 'c' has no line of its own"},
        {"SwitchName=a Nodes=n[1-1000000]\nSwitchName=b Nodes=m\n", "file:2: more than 1000000 nodes"},
        {"# nothing\n", "file: no nodes, expected 'SwitchName="},
        {"SwitchName=a Nodes=a\n", "vertices 0 and 1 are both named 'a'"},
    };
    assert_refused(&cw_reader_slurm, cases, sizeof cases / sizeof *cases);
    struct cw_network *net = NULL;
    assert_int_equal(cw_reader_slurm.read("file", "SwitchName=a\0", 13, NULL, &net), CW_EPARSE);
    assert_string_equal(cw_error_message(), "file:1: a zero byte, expected 'SwitchName=NAME Nodes=NAMES' or "
                                            "'SwitchName=NAME Switches=NAMES'");
}

/* A tree with names that Slurm takes is the same network again. */
static void test_read_back(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(5, 4, 8);
    for (uint32_t v = 0; v < 9; v++) {
        static const char *const names[] = {"n1", "n2", "n3", "x", "y", "leaf1", "leaf2", "leaf3", "top"};
        cw_builder_name(builder, v, names[v]);
    }
    for (uint32_t e = 0; e < 5; e++)
        cw_builder_cable(builder, e, 0, e < 2 ? 5 : e < 3 ? 6 : 7, 0, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
    const double gbits[] = {100, 40, 400};
    for (uint32_t s = 5; s < 8; s++) cw_builder_cable(builder, s, 0, 8, 0, gbits[s - 5] * 125e6, CW_DEFAULT_LATENCY);
    struct cw_network *net = sample_finish(builder);
    assert_read_back(net, &cw_writer_slurm, &cw_reader_slurm, net);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),      cmocka_unit_test(test_scontrol),  cmocka_unit_test(test_two_leaves),
        cmocka_unit_test(test_malformed), cmocka_unit_test(test_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
