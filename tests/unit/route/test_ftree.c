/* OpenSM's fat-tree tables where OpenSM is not needed to know what is right: shifts of complete trees, what is
 * refused. tests/oracle/live_ftree.py compares entry by entry with the real one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "net/builder.h"
#include "net/network_internal.h"
#include "net/part.h"
#include "route/files/lft_file.h"
#include "route/lft.h"
#include "route/roots.h"
#include "route_test.h"
#include "topo/topology.h"

/* The most messages on one channel when every endpoint sends to the one BY after it. */
static uint32_t shift_congestion(const struct cw_network *net, const struct all_routes *all, uint32_t by)
{
    uint32_t *messages = zeros(net->n_channels, sizeof *messages), most = 0;
    for (uint32_t src = 0; src < net->n_endpoints; src++) {
        const size_t pair = (size_t)src * net->n_endpoints + (src + by) % net->n_endpoints;
        for (uint32_t h = 0; h < all->hops[pair]; h++) {
            const uint32_t n = ++messages[all->channels[pair * all->stride + h]];
            if (n > most) most = n;
        }
    }
    free(messages);
    return most;
}

/* EVERY: of how many shifts one is tried. */
static void check_shifts(const char *spec, const char *engine, uint32_t every)
{
    struct cw_network *net = network_of(spec);
    struct cw_routes *routes = routes_of(net, engine);
    struct all_routes all = all_routes_of(routes);
    for (uint32_t by = 1; by < net->n_endpoints; by += every) assert_int_equal(shift_congestion(net, &all, by), 1);
    free_all_routes(&all);
    cw_routes_free(routes);
    cw_network_free(net);
}

static void shifts_are_free_of_contention(void **state)
{
    (void)state;
    static const char *const engines[] = {"ftree", "dmodk"};
    for (size_t i = 0; i < 2; i++) {
        check_shifts("xgft(2,12,6)", engines[i], 1);
        check_shifts("xgft:3:4,4,6:1,4,4", engines[i], 1);
        check_shifts("xgft:2:7,9:1,7", engines[i], 1);
        check_shifts("xgft:3:3,5,7:1,3,5", engines[i], 1);
        check_shifts("xgft:3:2,3,5:1,2,3", engines[i], 1);
        check_shifts("xgft:4:3,2,3,4:1,3,2,3", engines[i], 1);
        check_shifts("xgft(3,12,8,12,4)", engines[i], 97);
        check_shifts("xgft(2,24,12)", engines[i], 17);
    }
}

static void complete_trees_have_shortest_routes(void **state)
{
    (void)state;
    static const char *const specs[] = {"xgft(2,12,6)", "xgft:3:4,4,2:1,4,4", "xgft:4:2,3,2,3:1,2,1,2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct cw_network *net = network_of(specs[i]);
        struct cw_routes *routes = routes_of(net, "ftree");
        struct all_routes all = all_routes_of(routes);
        assert_shortest(net, &all);
        assert_true(depends_on_destination(routes, &all));
        free_all_routes(&all);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* The network of SPEC, with a switch beside it that has ALONE hosts and no cable to any other switch. */
static struct cw_network *with_lonely_switch(const char *spec, uint32_t alone)
{
    struct cw_network *net = network_of(spec), *out;
    const uint32_t n = net->n_endpoints, lonely = net->n_vertices + alone;
    struct cw_builder *builder = cw_builder_new(n + alone, cw_network_switches(net) + 1, net->n_channels / 2 + alone);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const uint32_t a = net->tail[c], b = net->head[c];
        if (c < net->twin[c]) cw_builder_cable(builder, a < n ? a : a + alone, 0, b < n ? b : b + alone, 0, 1, 0);
    }
    for (uint32_t e = n; e < n + alone; e++) cw_builder_cable(builder, e, 0, lonely, 0, 1, 0);
    must(cw_builder_finish(builder, &out));
    cw_network_free(net);
    return out;
}

/* What the subnet manager cannot find makes no difference: hosts without a cable, switches without a way to others. */
static void what_is_cut_off_does_not_count(void **state)
{
    (void)state;
    struct cw_network *whole = network_of("xgft:2:4,4:1,2"), *failed = damaged(whole, "h15", 1), *without, *lonely;
    bool keep[16];
    for (uint32_t e = 0; e < 16; e++) keep[e] = e != 15;
    must(cw_network_keep_endpoints(whole, keep, &without));
    lonely = with_lonely_switch("xgft:2:4,4:1,2", 3);
    struct cw_routes *expected = routes_of(without, "ftree"), *found = routes_of(failed, "ftree"),
                     *tree = routes_of(whole, "ftree"), *beside = routes_of(lonely, "ftree");
    for (uint32_t s = 0; s < cw_network_switches(whole); s++)
        for (uint32_t d = 0; d < 15; d++) {
            assert_int_equal(cw_routes_table_port(found, failed->n_endpoints + s, d),
                             cw_routes_table_port(expected, without->n_endpoints + s, d));
            assert_int_equal(cw_routes_table_port(beside, lonely->n_endpoints + s, d),
                             cw_routes_table_port(tree, whole->n_endpoints + s, d));
        }
    cw_routes_free(expected);
    cw_routes_free(found);
    cw_routes_free(tree);
    cw_routes_free(beside);
    cw_network_free(whole);
    cw_network_free(failed);
    cw_network_free(without);
    cw_network_free(lonely);
}

/* The file of FOLDER as OpenSM dumped it. */
static void check_dump(const char *folder, const char *engine)
{
    struct cw_text path = {0}, dumped = {0}, written = {0};
    struct cw_network *net;
    cw_text_printf(&path, "%s/fabric.ibnetdiscover", folder);
    must(cw_network_open(path.data, &net));
    cw_text_free(&path);
    cw_text_printf(&path, "%s/opensm-lfts.dump", folder);
    must(cw_file_read(path.data, &dumped));
    struct cw_routes *routes = routes_of(net, engine);
    must(cw_engine_to_switches(routes, engine, 1));
    must(cw_lft_write(routes, &written));
    assert_string_equal(written.data, dumped.data);
    cw_text_free(&path);
    cw_text_free(&dumped);
    cw_text_free(&written);
    cw_routes_free(routes);
    cw_network_free(net);
}

#define TREES CW_TEST_DATA "/golden/fat-trees/"

/* Roots may be any switches: what they have beside leaf switches, and below them, has its share of the load. */
static void roots_may_be_no_top(void **state)
{
    (void)state;
    check_dump(TREES "hostless-leaf", "ftree:roots=" TREES "hostless-leaf/roots");
    check_dump(TREES "across", "ftree:roots=" TREES "across/roots,compute=" TREES "across/compute");
}

/* Two hosts at one root, one at another, and one at a leaf switch are I/O nodes. */
static void ways_to_io_nodes_may_turn(void **state)
{
    (void)state;
    check_dump(TREES "reverse", "ftree:roots=" TREES "reverse/roots,io=" TREES "reverse/io,max_reverse_hops=2");
}

/* A pure tree, whose roots OpenSM finds by itself: neighbours are taken in the order of their places, not of ports. */
static void order_is_that_of_places(void **state)
{
    (void)state;
    check_dump(TREES "mixed", "ftree");
}

/* Neighbours of the same rank are taken in an order of their own, and count for a way up, taken or not. */
static void ranks_may_be_joined(void **state)
{
    (void)state;
    check_dump(TREES "beside", "ftree:roots=" TREES "beside/roots,io=" TREES "beside/io");
    check_dump(TREES "beside-reverse",
               "ftree:roots=" TREES "beside-reverse/roots,io=" TREES "beside-reverse/io,max_reverse_hops=3");
}

/* Two directors of leaf and spine chips below which edge switches stand; all have aggregation nodes. OpenSM refuses the
 * map without files; these are its tables with the spines as roots, and for ftree the hosts as compute nodes. */
static void aggregation_nodes_make_no_leaves(void **state)
{
    (void)state;
    struct cw_inputs inputs = {0};
    struct cw_network *net;
    uint32_t roots[64], n = 0;
    char name[CW_NAME_SIZE];
    cw_inputs_record(&inputs);
    check_dump(TREES "directors-ftree", "ftree");
    check_dump(TREES "directors-updn", "updn");
    assert_non_null(strstr(inputs.remarks.data, "OpenSM's ftree refuses without files"));
    assert_non_null(strstr(inputs.remarks.data, "The roots are the 4 switches"));
    cw_inputs_record(NULL);
    cw_inputs_free(&inputs);
    must(cw_network_open(TREES "directors-ftree/fabric.ibnetdiscover", &net));
    must(cw_roots_add_tops(net, roots, &n));
    assert_int_equal(n, 4);
    for (uint32_t i = 0; i < n; i++) assert_non_null(strstr(cw_network_name(net, roots[i], name, sizeof name), "/S"));
    cw_network_free(net);
}

/* A file that names all hosts as I/O nodes leaves none for the leaf switches. */
static void compute_nodes_are_needed(void **state)
{
    (void)state;
    struct cw_network *net = network_of("xgft:2:2,2:1,2");
    struct cw_routes *routes = NULL;
    struct cw_text engine = {0}, hosts = {0};
    char path[] = "/tmp/crosswind-io-XXXXXX";
    close(mkstemp(path));
    cw_text_printf(&hosts, "h0\nh1\nh2\nh3\n");
    must(cw_file_write(path, &hosts));
    cw_text_printf(&engine, "ftree:io=%s", path);
    assert_int_equal(cw_engine_route(net, engine.data, 1, 1, &routes), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "no host is a compute node"));
    unlink(path);
    cw_text_free(&hosts);
    cw_text_free(&engine);
    cw_network_free(net);
}

/* A root above A with 2 leaf switches and B with 3, each of which has a compute node; A has IO_A I/O nodes, B IO_B.
 * What routing it gives; the message is cw_error_message. */
static int route_uneven(uint32_t io_a, uint32_t io_b)
{
    const uint32_t n = 5 + io_a + io_b, leaf = n, a = n + 5, b = n + 6, root = n + 7;
    struct cw_builder *builder = cw_builder_new(n, 8, n + 7);
    struct cw_network *net;
    struct cw_routes *routes = NULL;
    struct cw_text engine = {0}, hosts = {0};
    char path[] = "/tmp/crosswind-io-XXXXXX";
    for (uint32_t i = 0; i < 5; i++) cw_builder_cable(builder, i, 0, leaf + i, 0, 1, 0);
    for (uint32_t i = 5; i < n; i++) {
        cw_builder_cable(builder, i, 0, i < 5 + io_a ? a : b, 0, 1, 0);
        cw_text_printf(&hosts, "h%u\n", i);
    }
    for (uint32_t i = 0; i < 5; i++) cw_builder_cable(builder, leaf + i, 0, i < 2 ? a : b, 0, 1, 0);
    cw_builder_cable(builder, a, 0, root, 0, 1, 0);
    cw_builder_cable(builder, b, 0, root, 0, 1, 0);
    must(cw_builder_finish(builder, &net));
    close(mkstemp(path));
    must(cw_file_write(path, &hosts));
    cw_text_printf(&engine, "ftree:io=%s", path);
    const int rc = cw_engine_route(net, engine.data, 1, 1, &routes);
    unlink(path);
    cw_routes_free(routes);
    cw_text_free(&hosts);
    cw_text_free(&engine);
    cw_network_free(net);
    return rc;
}

/* Above the leaf switches neighbours below and hosts count together. */
static void switches_and_hosts_count_together(void **state)
{
    (void)state;
    must(route_uneven(2, 1));
    must(route_uneven(3, 2));
    static const struct {
        uint32_t io_a, io_b;
        const char *why;
    } cases[] = {{1, 1, "s5 has cables down to 3 switches and hosts, and s6 to 4; expected as many of all at rank 1"},
                 {2, 3, "s5 has cables down to 4 switches and hosts, and s6 to 6; expected as many of all at rank 1"},
                 {4, 1, "s5 has cables down to 6 switches and hosts, and s6 to 4; expected as many of all at rank 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(route_uneven(cases[i].io_a, cases[i].io_b), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i].why)) fail_msg("%s", cw_error_message());
    }
}

/* Where leaf switches have not as many ways up, or a pair not as many cables, both are named. */
static void irregular_trees_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *failed, *why;
    } cases[] = {{"s1.2-s2.1", "s1.0 has cables up to 3 switches, and s1.2 to 2; expected as many of all at rank 1"},
                 {"s2.1/3", "s1.0 has 2 cables to s2.0, and s1.1 1 to s2.1; expected as many of all at rank 1"}};
    struct cw_network *whole = network_of("xgft:2:3,4:1,3:1,2");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = damaged(whole, cases[i].failed, 1);
        struct cw_routes *routes = NULL;
        assert_int_equal(cw_engine_route(net, "ftree", 1, 1, &routes), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i].why)) fail_msg("%s", cw_error_message());
        cw_network_free(net);
    }
    cw_network_free(whole);
}

static void refusals_say_which_switch(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *why;
    } cases[] = {
        {"crossbar:5", "there are 1 switches; expected 2 or more"},
        {"torus:4x3", "switches have ranks 0 to 0, counted from the roots; expected 0 to 1 … 7"},
        {"xgft:2:3,4:2,2", "h0 has not one cable to a switch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_of(cases[i].spec);
        struct cw_routes *routes = NULL;
        assert_int_equal(cw_engine_route(net, "ftree", 1, 1, &routes), CW_EUSAGE);
        if (!strstr(cw_error_message(), cases[i].why)) fail_msg("%s", cw_error_message());
        cw_network_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_free_of_contention),
        cmocka_unit_test(complete_trees_have_shortest_routes),
        cmocka_unit_test(what_is_cut_off_does_not_count),
        cmocka_unit_test(roots_may_be_no_top),
        cmocka_unit_test(ways_to_io_nodes_may_turn),
        cmocka_unit_test(aggregation_nodes_make_no_leaves),
        cmocka_unit_test(ranks_may_be_joined),
        cmocka_unit_test(compute_nodes_are_needed),
        cmocka_unit_test(refusals_say_which_switch),
        cmocka_unit_test(order_is_that_of_places),
        cmocka_unit_test(switches_and_hosts_count_together),
        cmocka_unit_test(irregular_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
