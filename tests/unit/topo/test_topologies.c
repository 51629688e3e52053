/* Every registered topology, by its examples: the graph is sound, connected and the one its shape promises. */
#include "net/network_internal.h"
#include "topo_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "net/files/formats.h"
#include "net/name_index.h"
#include "net/places.h"
#include "topo/metrics.h"

static void for_each_example(void (*test)(const char *spec))
{
    for (size_t i = 0; cw_topologies[i]; i++) {
        assert_non_null(cw_topologies[i]->examples[0]);
        for (size_t j = 0; cw_topologies[i]->examples[j]; j++) test(cw_topologies[i]->examples[j]);
    }
}

static void test_describes_itself(void **state)
{
    (void)state;
    for (size_t i = 0; cw_topologies[i]; i++) {
        const struct cw_topology *topology = cw_topologies[i];
        assert_true(strlen(topology->help) > 10);
        assert_memory_equal(topology->synopsis, topology->name, strlen(topology->name));
        assert_true(topology->options || topology->parse);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(topology->name, cw_topologies[j]->name);
        for (size_t j = 0; topology->examples[j]; j++)
            assert_memory_equal(topology->examples[j], topology->name, strlen(topology->name));
        for (const struct cw_option *option = topology->options; option && option->name; option++)
            assert_true(strlen(option->help) > 5);
    }
}

static void check_graph(const char *spec)
{
    struct cw_network *net = build(spec);
    if (cw_network_check(net) != 0) fail_msg("%s: %s", spec, cw_error_message());
    if (cw_network_check_shape(net) != 0) fail_msg("%s: %s", spec, cw_error_message());
    if (cw_components(net) != 1) fail_msg("%s: %u components", spec, cw_components(net));
    assert_string_equal(net->title, spec);
    for (uint32_t c = 0; c < net->n_channels; c++) assert_int_equal(net->twin[net->twin[c]], c);
    cw_network_free(net);
}

static void test_graphs(void **state)
{
    (void)state;
    for_each_example(check_graph);
}

static void check_names(const char *spec)
{
    struct cw_network *net = build(spec);
    struct cw_name_index *index = NULL;
    if (cw_name_index_new(net, &index) != 0) fail_msg("%s: %s", spec, cw_error_message());
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        char name[256];
        cw_network_name(net, v, name, sizeof name);
        assert_int_equal(cw_name_index_name(index, name), v);
    }
    cw_name_index_free(index);
    cw_network_free(net);
}

static void test_names_are_unique(void **state)
{
    (void)state;
    for_each_example(check_names);
}

/* NVLink of a machine has a rate of its own. */
static void check_link(const char *spec)
{
    const bool own = strncmp(spec, "nvl72:", 6) == 0;
    char text[128];
    snprintf(text, sizeof text, "%s@16Gbit/s,250ns", spec);
    struct cw_network *net = build(text);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double capacity = own && cw_network_is_inside(net, c) ? 900e9 : 2e9;
        assert_true(net->capacity[c] >= capacity && net->capacity[c] <= capacity);
        assert_true(net->latency[c] >= 250e-9 && net->latency[c] <= 250e-9);
    }
    cw_network_free(net);
}

static void test_link_reaches_every_channel(void **state)
{
    (void)state;
    for_each_example(check_link);
}

static void check_twice(const char *spec)
{
    struct cw_network *a = build(spec), *b = build(spec);
    if (!cw_network_equal(a, b)) fail_msg("%s: %s", spec, cw_error_message());
    cw_network_free(a);
    cw_network_free(b);
}

static void test_same_again(void **state)
{
    (void)state;
    for_each_example(check_twice);
}

/* Formats that keep everything keep the shape with each of its parameters, and find again that it is the network's. */
static void check_files(const char *spec)
{
    struct cw_network *net = build(spec);
    for (const struct cw_writer *const *writer = cw_writers; *writer; writer++) {
        if (strcmp((*writer)->name, "json") != 0 && strcmp((*writer)->name, "ibsim") != 0) continue;
        struct cw_text text = {0};
        struct cw_network *read = NULL;
        const int written = (*writer)->write(net, &text);
        if (written != 0) { /* ibsim knows hosts with one cable only */
            if (strcmp((*writer)->name, "json") == 0) fail_msg("%s: %s", spec, cw_error_message());
            assert_int_equal(written, CW_EUSAGE);
            cw_text_free(&text);
            continue;
        }
        if (cw_network_parse("file", text.data, text.length, &read) != 0) fail_msg("%s: %s", spec, cw_error_message());
        if (!cw_shape_equal(&read->shape, &net->shape)) fail_msg("%s as %s", spec, (*writer)->name);
        if (strcmp((*writer)->name, "json") == 0 && !cw_network_equal(net, read))
            fail_msg("%s: %s", spec, cw_error_message());
        cw_text_free(&text);
        cw_network_free(read);
    }
    cw_network_free(net);
}

static void test_files_keep_the_shape(void **state)
{
    (void)state;
    for_each_example(check_files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describes_itself), cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_names_are_unique), cmocka_unit_test(test_link_reaches_every_channel),
        cmocka_unit_test(test_same_again),       cmocka_unit_test(test_files_keep_the_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
