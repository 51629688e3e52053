/* The index finds what a search would, and the table of names numbers them in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/name_index.h"
#include "net/name_table.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_names_of_a_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
