/* The index finds what a search would, and the table of names numbers them in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "net/name_index.h"
#include "net/name_table.h"

#include "net/network_internal.h"
#include "sample_networks.h"

static void test_table(void **state)
{
    (void)state;
    enum { NAMES = 5000 };
    struct cw_name_table *table = NULL;
    assert_int_equal(cw_name_table_new(&table), 0);
    assert_int_equal(cw_name_table_find(table, "n0", 2), CW_NONE);
    char name[16];
    uint32_t id = 0;
    for (uint32_t i = 0; i < 2 * NAMES; i++) { /* each twice */
        snprintf(name, sizeof name, "n%u", i % NAMES);
        assert_int_equal(cw_name_table_add(table, name, strlen(name), &id), 0);
        assert_int_equal(id, i % NAMES);
    }
    assert_int_equal(cw_name_table_count(table), NAMES);
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(cw_name_table_find(table, name, strlen(name)), i);
        assert_string_equal(cw_name_table_name(table, i), name);
    }
    assert_int_equal(cw_name_table_find(table, "n12", 1), CW_NONE);
    assert_int_equal(cw_name_table_find(table, "n1\0x", 4), CW_NONE);
    cw_name_table_free(table);
    cw_name_table_free(NULL);
}

static void test_identities(void **state)
{
    (void)state;
    struct cw_network *net = sample_fabric();
    struct cw_name_index *index = NULL;
    assert_int_equal(cw_name_index_new(net, &index), 0);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[CW_NAME_SIZE];
        const struct cw_identity *identity = net->identity + v;
        assert_int_equal(cw_name_index_name(index, cw_network_name(net, v, name, sizeof name)), v);
        assert_int_equal(cw_name_index_node_guid(index, identity->node_guid), v == 3 ? 2 : v);
        assert_int_equal(cw_name_index_port_guid(index, identity->port_guid), v);
        assert_int_equal(cw_name_index_vertex(index, name), v);
        snprintf(name, sizeof name, "0x%llx", (unsigned long long)identity->port_guid);
        assert_int_equal(cw_name_index_vertex(index, name), v);
        snprintf(name, sizeof name, "%u", v);
        assert_int_equal(cw_name_index_vertex(index, name), v < net->n_endpoints ? v : CW_NONE);
    }
    static const char *const nothing[] = {"",   "leaf", "-1",  " 1",         "1 ",
                                          "1a", "0x",   "0xg", "4294967296", "99999999999999999999"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_int_equal(cw_name_index_vertex(index, nothing[i]), CW_NONE);
    assert_int_equal(cw_name_index_name(index, "leaf"), CW_NONE);
    assert_int_equal(cw_name_index_name(index, ""), CW_NONE);
    assert_int_equal(cw_name_index_node_guid(index, 0), CW_NONE);
    assert_int_equal(cw_name_index_port_guid(index, 77), CW_NONE);
    for (uint32_t lid = 0; lid < 100; lid++) {
        uint32_t expected = CW_NONE;
        for (uint32_t v = 0; v < net->n_vertices; v++)
            if (lid >= net->identity[v].lid && lid < net->identity[v].lid + (1u << net->identity[v].lmc)) expected = v;
        assert_int_equal(cw_name_index_lid(index, lid), expected);
    }
    cw_name_index_free(index);
    cw_name_index_free(NULL);
    cw_network_free(net);
}

static void test_names_of_a_shape(void **state)
{
    (void)state;
    struct cw_network *net = sample_torus(&(struct cw_torus){.n = 3, .k = {3, 4, 2}, .wrap = true});
    struct cw_name_index *index = NULL;
    assert_int_equal(cw_name_index_new(net, &index), 0);
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[CW_NAME_SIZE];
        assert_int_equal(cw_name_index_name(index, cw_network_name(net, v, name, sizeof name)), v);
    }
    assert_int_equal(cw_name_index_node_guid(index, 1), CW_NONE);
    assert_int_equal(cw_name_index_port_guid(index, 1), CW_NONE);
    assert_int_equal(cw_name_index_lid(index, 1), CW_NONE);
    cw_name_index_free(index);
    cw_network_free(net);
}

/* The endpoints of a host by its name, as readers of maps name them; what is no host's adapter has no host. */
static void test_hosts(void **state)
{
    (void)state;
    static const char *const names[] = {"node001 HCA-2",
                                        "MT25408 ConnectX Mellanox Technologies",
                                        "node001 HCA-1",
                                        "node002 mlx5_0/P1",
                                        "node002 mlx5_0/P2",
                                        "node003 [0002c90300048208]",
                                        "node003 [0002c903000481fc]/P2",
                                        "node004/P1",
                                        "node005  hfi1_0 [0002c90300048209]",
                                        "node006",
                                        "node006 HCA-2",
                                        "MT25408 ConnectX [0002c90300048300]",
                                        "MT4129 ConnectX7   Mellanox Technologies [e09d730300155c4a]",
                                        "node007 HCA-1",
                                        "a [7]",
                                        "[0002c90300048301]",
                                        "leaf1 SHARP0",
                                        "gate HCA-1",
                                        "trailing ",
                                        "leaf2 HCA-1"};
    enum { N = sizeof names / sizeof *names };
    struct cw_builder *builder = cw_builder_new(N - 1, 1, N - 1);
    for (uint32_t v = 0; v < N; v++) {
        const struct cw_identity identity = {.kind = v == 16      ? CW_KIND_AGGREGATION
                                                     : v == 17    ? CW_KIND_ROUTER
                                                     : v == N - 1 ? CW_KIND_SWITCH
                                                                  : CW_KIND_HOST};
        cw_builder_name(builder, v, names[v]);
        cw_builder_identity(builder, v, &identity);
        if (v < N - 1) cw_builder_cable(builder, v, 1, N - 1, v + 1, 1, 0);
    }
    struct cw_network *net = sample_finish(builder);
    struct cw_name_index *index = NULL;
    assert_int_equal(cw_name_index_new(net, &index), 0);
    static const struct {
        const char *host;
        uint32_t endpoints[3]; /* ended by CW_NONE */
    } cases[] = {{"node001", {0, 2, CW_NONE}},
                 {"node002", {3, 4, CW_NONE}},
                 {"node003", {5, 6, CW_NONE}},
                 {"node004", {7, CW_NONE}},
                 {"node005", {8, CW_NONE}},
                 {"node006", {10, CW_NONE}},
                 {"node007", {13, CW_NONE}},
                 {"a", {14, CW_NONE}},
                 {"MT25408", {CW_NONE}},
                 {"MT4129", {CW_NONE}},
                 {"node00", {CW_NONE}},
                 {"node0011", {CW_NONE}},
                 {"leaf1", {CW_NONE}},
                 {"gate", {CW_NONE}},
                 {"leaf2", {CW_NONE}},
                 {"trailing", {CW_NONE}},
                 {"", {CW_NONE}},
                 {"node001 HCA-1", {CW_NONE}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t v = cw_name_index_host(index, cases[i].host), only = 99;
        const bool several = cases[i].endpoints[0] != CW_NONE && cases[i].endpoints[1] != CW_NONE;
        assert_int_equal(cw_name_index_host_only(index, cases[i].host, &only), several ? CW_EUSAGE : 0);
        assert_int_equal(only, several ? 99 : v);
        for (size_t k = 0; k == 0 || v != CW_NONE; k++) {
            assert_int_equal(v, cases[i].endpoints[k]);
            if (v != CW_NONE) v = cw_name_index_host_next(index, v);
        }
    }
    uint32_t only;
    assert_int_equal(cw_name_index_host_only(index, "node001", &only), CW_EUSAGE);
    assert_string_equal(cw_error_message(),
                        "host 'node001' has 2 endpoints; expected one of them: 'node001 HCA-2', 'node001 HCA-1'");
    cw_name_index_free(index);
    cw_network_free(net);
}

/* A message does not list more endpoints than one can read. */
static void test_many_adapters(void **state)
{
    (void)state;
    struct cw_builder *builder = cw_builder_new(20, 1, 20);
    for (uint32_t v = 0; v < 20; v++) {
        char name[32];
        snprintf(name, sizeof name, "big mlx5_%u", v);
        cw_builder_name(builder, v, name);
        cw_builder_cable(builder, v, 1, 20, v + 1, 1, 0);
    }
    cw_builder_name(builder, 20, "leaf");
    struct cw_network *net = sample_finish(builder);
    struct cw_name_index *index = NULL;
    uint32_t only;
    assert_int_equal(cw_name_index_new(net, &index), 0);
    assert_int_equal(cw_name_index_host_only(index, "big", &only), CW_EUSAGE);
    assert_non_null(strstr(cw_error_message(), "host 'big' has 20 endpoints"));
    assert_non_null(strstr(cw_error_message(), "'big mlx5_7' and 12 more"));
    cw_name_index_free(index);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_identities),    cmocka_unit_test(test_names_of_a_shape),
        cmocka_unit_test(test_hosts), cmocka_unit_test(test_many_adapters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
