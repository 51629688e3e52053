/* Maps of real machines, and generated ones, against a scan of the same file that shares no code with the readers. The
 * large ones lie beside the repository ($CW_SHARED); without them those cases are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../skip.h"
#include "ib_fixtures.h"
#include "net/name_index.h"
#include "net/network_internal.h"

/* A file of the shared folder, or a skipped test. */
static void find_shared(const char *name, char *path, size_t size)
{
    const char *folder = getenv("CW_SHARED");
    if (folder)
        snprintf(path, size, "%s/fabrics/%s", folder, name);
    else
        snprintf(path, size, CW_TEST_DATA "/../../shared/fabrics/%s", name);
    if (access(path, R_OK) == 0) return;
    skip_because("%s is missing; set CW_SHARED to the folder of real maps", path);
}

/* "4xQDR" of the maps at hand, in byte/s. */
static double rate_of(const char *text)
{
    static const struct {
        const char *name;
        double rate;
    } rates[] = {{"1xQDR", 1e9}, {"4xSDR", 1e9}, {"4xDDR", 2e9}, {"4xQDR", 4e9}, {"4xNDR", 50e9}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(text, rates[i].name) == 0) return rates[i].rate;
    fail_msg("rate %s is not in this test's table", text);
    return 0;
}

struct scan {
    const struct cw_network *net;
    struct cw_name_index *index;
    char node[64]; /* of the block */
    unsigned switches, adapters, aggregation, ports;
};

/* The vertex of the node with this id at port PORT: endpoints of one node are in the order of their ports. */
static uint32_t vertex_of(const struct scan *scan, const char *id, unsigned port)
{
    const struct cw_network *net = scan->net;
    if (id[1] != '-' || strlen(id) != 18) return vertex(net, id); /* ibsim: ids are names */
    const uint64_t guid = strtoull(id + 2, NULL, 16);
    uint32_t v = cw_name_index_node_guid(scan->index, guid);
    if (v == CW_NONE) fail_msg("no vertex of %s", id);
    while (v < net->n_endpoints && cw_network_port(net, net->first[v]) != port) v++;
    assert_true(net->identity[v].node_guid == guid);
    return v;
}

static void check_port(struct scan *scan, const char *line)
{
    unsigned port, peer_port;
    char peer[64];
    if (sscanf(line, "[%u]%*[^\"]\"%63[^\"]\"[%u]", &port, peer, &peer_port) != 3) fail_msg("port line %s", line);
    const uint32_t v = vertex_of(scan, scan->node, port), c = cw_network_channel_at(scan->net, v, port);
    if (c == CW_NONE) fail_msg("no channel for %s", line);
    assert_int_equal(scan->net->head[c], vertex_of(scan, peer, peer_port));
    assert_int_equal(cw_network_port(scan->net, scan->net->twin[c]), peer_port);
    const char *rate = strrchr(line, ' ');
    if (strchr(line, '#')) assert_true(scan->net->capacity[c] == rate_of(rate + 1));
    scan->ports++;
}

static void scan_line(struct scan *scan, const char *line)
{
    char word[16];
    unsigned ports;
    if (line[0] == '[') {
        check_port(scan, line);
    } else if (sscanf(line, "%15s %u \"%63[^\"]\"", word, &ports, scan->node) == 3) {
        scan->switches += strcmp(word, "Switch") == 0;
        scan->adapters += strcmp(word, "Switch") != 0;
        scan->aggregation += strstr(line, "Aggregation Node") != NULL;
    }
}

static void check_file(const char *path, unsigned switches, unsigned adapters, unsigned aggregation)
{
    char line[1024];
    struct cw_network *net = NULL;
    if (cw_network_read(path, &net)) fail_msg("%s", cw_error_message());
    struct scan scan = {.net = checked(net)};
    assert_int_equal(cw_name_index_new(net, &scan.index), 0);
    FILE *file = fopen(path, "r");
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        scan_line(&scan, line);
    }
    fclose(file);
    unsigned found = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) found += net->identity[v].kind == CW_KIND_AGGREGATION;
    assert_int_equal(scan.switches, switches);
    assert_int_equal(scan.adapters, adapters);
    assert_int_equal(scan.aggregation, aggregation);
    assert_int_equal(cw_network_switches(net), switches);
    assert_int_equal(net->n_endpoints, adapters); /* each has one port */
    assert_int_equal(found, aggregation);
    assert_int_equal(net->n_channels, scan.ports);
    struct cw_network *back = through_ibsim(net);
    assert_same(net, back);
    cw_network_free(back);
    cw_name_index_free(scan.index);
    cw_network_free(net);
}

static void check_map(const char *name, unsigned switches, unsigned adapters, unsigned aggregation)
{
    char path[512];
    find_shared(name, path, sizeof path);
    check_file(path, switches, adapters, aggregation);
}

static void psmn(void **state)
{
    (void)state;
    check_map("psmn_X5/psmn_X5.ibnetdiscover", 11, 89, 0);
}

static void superpod(void **state)
{
    (void)state;
    check_map("nvidia_superpod/nvidia_topograph_example.ibnetdiscover", 40, 582, 40);
}

static void discovered(void **state)
{
    (void)state;
    check_map("ft16/ibnetdiscover.txt", 6, 16, 0);
    check_map("torus_4_3/ibnetdiscover.txt", 64, 64, 0);
    check_map("xgft_2_24_12/ibnetdiscover.txt", 36, 288, 0);
}

static void simulated(void **state)
{
    (void)state;
    check_map("ft16/ft16.net", 6, 16, 0);
    check_map("torus_4_3/torus_4_3.net", 64, 64, 0);
    check_map("xgft_2_24_12/xgft_2_24_12.net", 36, 288, 0);
}

/* The project's own maps, which are always there. */
static void bundled(void **state)
{
    (void)state;
    check_file(CW_TEST_DATA "/../examples/sample/fabric.ibnetdiscover", 13, 143, 0);
    check_file(CW_TEST_DATA "/golden/fabric/two-level.ibnetdiscover", 6, 16, 0);
    check_file(CW_TEST_DATA "/golden/fabric/two-level.net", 6, 16, 0);
}

/* What the tools made of a net file is what we read from it. */
static void same_fabric_twice(void **state)
{
    (void)state;
    char path[512];
    struct cw_network *net = NULL, *seen = NULL;
    find_shared("xgft_2_24_12/xgft_2_24_12.net", path, sizeof path);
    assert_int_equal(cw_network_read(path, &net), 0);
    find_shared("xgft_2_24_12/ibnetdiscover.txt", path, sizeof path);
    assert_int_equal(cw_network_read(path, &seen), 0);
    assert_int_equal(net->n_channels, seen->n_channels);
    for (uint32_t c = 0; c < net->n_channels; c++) {
        char name[256];
        const uint32_t v = vertex(seen, cw_network_name(net, net->tail[c], name, sizeof name));
        const uint32_t d = cw_network_channel_at(seen, v, cw_network_port(net, c));
        assert_true(d != CW_NONE);
        assert_int_equal(seen->head[d], vertex(seen, cw_network_name(net, net->head[c], name, sizeof name)));
        assert_true(net->identity[net->tail[c]].port_guid == seen->identity[v].port_guid);
    }
    cw_network_free(net);
    cw_network_free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(psmn),      cmocka_unit_test(superpod),          cmocka_unit_test(discovered),
        cmocka_unit_test(simulated), cmocka_unit_test(same_fabric_twice), cmocka_unit_test(bundled),
    };
    return run_cases(tests);
}
