/*
 * Routes between GPUs (net/nodes.h): by NVLink inside a domain, and between hosts those of the fabric's tables, channel
 * by channel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/faults.h"
#include "net/network_internal.h"
#include "net/nodes.h"
#include "net/places.h"
#include "route/check.h"
#include "route/engine.h"
#include "route/files/lft_file.h"
#include "route/packets/packet_routing.h"
#include "route/repair.h"
#include "route/routes_internal.h"
#include "topo/recognise.h"
#include "topo/topology.h"

static void must(int rc)
{
    if (rc) fail_msg("%s", cw_error_message());
}

static struct cw_network *network_with(const char *fabric, const char *nodes)
{
    struct cw_network *net;
    if (cw_network_open(fabric, &net) || cw_nodes_add(net, nodes, &net) || cw_network_check(net))
        fail_msg("%s with %s: %s", fabric, nodes, cw_error_message());
    return net;
}

static struct cw_routes *route(const struct cw_network *net, const char *spec)
{
    struct cw_routes *routes;
    if (cw_engine_route(net, spec, 1, 1, &routes)) fail_msg("%s: %s", spec, cw_error_message());
    return routes;
}

/* The HCA that is near E. */
static const struct cw_node_hca *hca_of(const struct cw_nodes *nodes, uint32_t e)
{
    return &nodes->hcas[nodes->gpus[e].hca];
}

/* The channels of the fabric on PATH must be those of INNER from one endpoint of it to another. */
static void check_middle(const struct cw_nodes *nodes, const struct cw_routes *inner, const uint32_t *path,
                         uint32_t hops, uint32_t from, uint32_t to)
{
    uint32_t expected[64], n, at = 0;
    assert_true(inner->max_hops <= 64);
    assert_int_equal(cw_routes_paths(inner, 1, &from, &to, &n, expected, NULL), 0);
    while (at < hops && path[at] != nodes->channel[expected[0]]) at++;
    assert_true(at + n <= hops);
    for (uint32_t h = 0; h < n; h++) assert_int_equal(path[at + h], nodes->channel[expected[h]]);
}

/* The number of channels of the fabric on PATH. */
static uint32_t count_fabric(const struct cw_nodes *nodes, const uint32_t *path, uint32_t hops)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < hops; h++)
        for (uint32_t c = 0; c < nodes->fabric->n_channels; c++) n += path[h] == nodes->channel[c];
    return n;
}

static void check_pair(const struct cw_routes *routes, const struct cw_routes *inner, uint32_t src, uint32_t dst,
                       bool pxn)
{
    const struct cw_network *net = routes->net;
    const struct cw_nodes *nodes = net->nodes;
    const struct cw_node_hca *own = hca_of(nodes, src), *to = hca_of(nodes, dst);
    uint32_t path[64], hops;
    assert_true(routes->max_hops <= 64);
    assert_int_equal(cw_routes_paths(routes, 1, &src, &dst, &hops, path, NULL), 0);
    uint32_t at = src;
    for (uint32_t h = 0; h < hops; h++) {
        assert_int_equal(net->tail[path[h]], at);
        at = net->head[path[h]];
        assert_true(h + 1 == hops || !cw_network_is_endpoint(net, at));
    }
    assert_int_equal(at, dst);
    if (own->domain == to->domain) {
        assert_int_equal(hops, src == dst ? 0 : 4);
        assert_int_equal(count_fabric(nodes, path, hops), 0);
        return;
    }
    if (pxn) { /* by the HCA of the sender's host that is on the receiver's rail */
        const uint32_t place = (uint32_t)(to - nodes->hcas) - to->first;
        const bool same = hca_of(nodes, src) == &nodes->hcas[own->first + place];
        assert_int_equal(path[1], same ? nodes->gpus[src].pcie : nodes->gpus[src].nvlink);
        own = &nodes->hcas[own->first + place];
    }
    check_middle(nodes, inner, path, hops, own->endpoint, to->endpoint);
}

static void test_pairs(void **state)
{
    static const struct {
        const char *fabric, *nodes, *routing;
        bool pxn;
    } cases[] = {{"xgft:2:4,4:1,2", "dgx-h100:hcas=4", "dmodk", false},
                 {"xgft:2:4,4:1,2", "dgx-h100:hcas=4,pxn", "minhop", true},
                 {"xgft:2:4,4:1,2", "dgx-a100:hcas=2,gpus=2,domain=3", "dmodk", false},
                 {"xgft:1:24:1", "gb200-nvl72:domain=3,pxn", "minhop", true},
                 {"torus:4x4", "dgx-a100:hcas=1,gpus=1", "dor", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *net = network_with(cases[i].fabric, cases[i].nodes);
        struct cw_routes *routes = route(net, cases[i].routing);
        struct cw_routes *inner = route(net->nodes->fabric, cases[i].routing);
        for (uint32_t src = 0; src < net->n_endpoints; src++)
            for (uint32_t dst = 0; dst < net->n_endpoints; dst++) check_pair(routes, inner, src, dst, cases[i].pxn);
        for (uint32_t c = 0; c < net->n_channels; c++) /* what is not of the fabric */
            assert_int_equal(cw_network_is_inside(net, c), count_fabric(net->nodes, &c, 1) == 0);
        cw_routes_free(inner);
        cw_routes_free(routes);
        cw_network_free(net);
    }
}

/* What holds of the fabric's lanes and deadlocks holds between GPUs, also for packets. */
static void test_deadlock(void **state)
{
    static const char *const routings[] = {"dor", "nue-even:lanes=2", "minhop", NULL};
    (void)state;
    struct cw_network *net = network_with("torus:5x5", "dgx-h100:hcas=1,gpus=2");
    for (const char *const *spec = routings; *spec; spec++) {
        struct cw_routes *routes = route(net, *spec), *inner = route(net->nodes->fabric, *spec);
        struct cw_deadlock outer_check, inner_check;
        assert_int_equal(cw_routes_lanes(routes), cw_routes_lanes(inner));
        assert_int_equal(cw_routes_deadlock(routes, 0, 1, &outer_check), 0);
        assert_int_equal(cw_routes_deadlock(inner, 0, 1, &inner_check), 0);
        assert_int_equal(outer_check.acyclic, inner_check.acyclic);
        cw_deadlock_free(&outer_check);
        cw_deadlock_free(&inner_check);
        cw_routes_free(inner);
        cw_routes_free(routes);
    }
    struct cw_packet_routing *packets;
    if (cw_packet_routing_new(net, "nue-even:lanes=2", 1, 1, &packets)) fail_msg("%s", cw_error_message());
    assert_int_equal(cw_packet_routing_check(packets), 0);
    cw_packet_routing_free(packets);
    assert_int_equal(cw_packet_routing_new(net, "adaptive", 1, 1, &packets), CW_EUSAGE);
    cw_network_free(net);
}

/* The network with what LIST names failed in its fabric. */
static struct cw_network *without(const struct cw_network *net, const char *list)
{
    struct cw_faults *faults;
    struct cw_network *fabric, *out;
    if (cw_faults_new(cw_network_fabric(net), &faults) || cw_faults_fail(faults, "failed", list, 1) ||
        cw_network_changed(faults, &fabric) || cw_nodes_renew(net, fabric, &out) || cw_network_check(out))
        fail_msg("%s: %s", list, cw_error_message());
    cw_faults_free(faults);
    return out;
}

/* GPUs keep their numbers and domains: those of an HCA that has failed go by the others of their host, and a host
 * without any that works keeps all. */
static void test_failures(void **state)
{
    (void)state;
    struct cw_network *net = network_with("xgft:2:4,4:1,2", "dgx-h100:hcas=4");
    struct cw_network *less = without(net, "h1,h8,h9,h10,h11"), *same = without(net, "s2.0");
    static const uint32_t near[] = {0, 0, 2, 2, 2, 3, 3, 3}; /* 8 GPUs by three HCAs: 2, 3, 3 */
    assert_int_equal(less->nodes->n_gpus, net->nodes->n_gpus);
    assert_int_equal(less->n_endpoints, net->n_endpoints + 1); /* HCA h1, which nothing is behind */
    for (uint32_t g = 0; g < net->nodes->n_gpus; g++) {
        assert_int_equal(cw_nodes_endpoint(less->nodes, g), g < 8 ? near[g] : cw_nodes_endpoint(net->nodes, g));
        assert_int_equal(cw_nodes_endpoint(same->nodes, g), cw_nodes_endpoint(net->nodes, g));
        assert_int_equal(hca_of(less->nodes, g)->domain, hca_of(net->nodes, g)->domain);
        char name[CW_NAME_SIZE], other[CW_NAME_SIZE];
        assert_string_equal(cw_network_name(net, g, name, sizeof name), cw_network_name(less, g, other, sizeof other));
    }
    cw_network_free(net);
    cw_network_free(less);
    cw_network_free(same);
}

/* Tables of a fabric that has lost cables are mended between GPUs as they are between HCAs. */
static void test_repair(void **state)
{
    static const char tables[] = CW_TEST_DATA "/golden/fabric/two-level.lfts";
    (void)state;
    struct cw_network *whole =
        network_with(CW_TEST_DATA "/golden/fabric/two-level.ibnetdiscover", "dgx-h100:gpus=2,hcas=1");
    struct cw_network *net = without(whole, "30%");
    const struct cw_network *fabric = cw_network_fabric(net);
    struct cw_lft_report report;
    struct cw_routes *routes, *inner, *mended, *mended_inner;
    struct cw_selection *gpus, *hcas;
    struct cw_lost_routes lost, lost_inner;
    uint64_t changed, changed_inner;
    must(cw_lft_read(net, tables, &report, &routes));
    cw_text_free(&report.details);
    must(cw_lft_read(fabric, tables, &report, &inner));
    cw_text_free(&report.details);
    must(cw_selection_new(net, "all", &gpus));
    must(cw_selection_new(fabric, "all", &hcas));
    must(cw_routes_lost(routes, gpus, 3, 1, &lost));
    must(cw_routes_lost(inner, hcas, 3, 1, &lost_inner));
    assert_true(lost.lost > 0 && lost.lost == lost_inner.lost && lost.pairs == lost_inner.pairs);
    assert_string_equal(lost.first.data, lost_inner.first.data);
    must(cw_routes_repair_by(routes, "minhop", 1, 1, &changed, &mended));
    must(cw_routes_repair_by(inner, "minhop", 1, 1, &changed_inner, &mended_inner));
    assert_true(changed > 0 && changed == changed_inner);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) check_pair(mended, mended_inner, src, dst, false);
    cw_lost_routes_free(&lost);
    cw_lost_routes_free(&lost_inner);
    cw_selection_free(gpus);
    cw_selection_free(hcas);
    cw_routes_free(routes);
    cw_routes_free(inner);
    cw_routes_free(mended);
    cw_routes_free(mended_inner);
    cw_network_free(net);
    cw_network_free(whole);
}

/* Links between two sockets on PATH. */
static uint32_t count_crossings(const struct cw_network *net, const uint32_t *path, uint32_t hops)
{
    uint32_t n = 0;
    char tail[CW_NAME_SIZE], head[CW_NAME_SIZE];
    for (uint32_t h = 0; h < hops; h++) {
        const bool both = strstr(cw_network_name(net, net->tail[path[h]], tail, sizeof tail), "socket") &&
                          strstr(cw_network_name(net, net->head[path[h]], head, sizeof head), "socket");
        if (both) assert_true(net->capacity[path[h]] == 30e9);
        n += both;
    }
    return n;
}

/* Whether GPU E of 8 a host and its HCA are at two sockets of two. */
static bool is_far(const struct cw_network *net, uint32_t e)
{
    return hca_of(net->nodes, e)->socket != e % 8 / 4;
}

/* The link between sockets is passed where no NVLink leads to the other side, and only there. What holds of the
 * fabric's deadlocks holds of the routes. */
static void test_sockets(void **state)
{
    static const struct {
        const char *nodes, *failed;
        bool nvlink;
    } cases[] = {{"dgx-h100:hcas=4,sockets=2,intersocket=30GB/s", "s2.0", true},
                 {"dgx-h100:hcas=4,sockets=2,intersocket=30GB/s", "h2,h3,h4,h5,h10", true},
                 {"dgx-h100:hcas=4,nvlink=0,sockets=2,intersocket=30GB/s", "s2.0", false},
                 {"dgx-h100:hcas=4,nvlink=0,sockets=2,intersocket=30GB/s", "h2,h3,h4,h5,h10", false},
                 {"dgx-h100:hcas=1,nvlink=0,sockets=2,intersocket=30GB/s", "s2.0", false},
                 {"dgx-h100:hcas=1,pxn,sockets=2,intersocket=30GB/s", "s2.0", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cw_network *whole = network_with("xgft:2:4,4:1,2", cases[i].nodes);
        struct cw_network *net = without(whole, cases[i].failed);
        struct cw_routes *routes = route(net, "minhop");
        for (uint32_t g = 0; i == 3 && g < 8; g++) /* those of a socket without an HCA share those of the other */
            assert_int_equal(cw_nodes_endpoint(net->nodes, g), g % 4 / 2);
        for (uint32_t src = 0; src < net->nodes->n_gpus; src++)
            for (uint32_t dst = 0; dst < net->nodes->n_gpus; dst++) {
                uint32_t path[64], hops, at = src;
                must(cw_routes_paths(routes, 1, &src, &dst, &hops, path, NULL));
                for (uint32_t h = 0; h < hops; h++) {
                    assert_int_equal(net->tail[path[h]], at);
                    at = net->head[path[h]];
                }
                assert_int_equal(at, dst);
                const bool inside = src / 8 == dst / 8;
                const uint32_t must_cross = cases[i].nvlink ? 0
                                            : inside        ? src % 8 / 4 != dst % 8 / 4
                                                            : is_far(net, src) + is_far(net, dst);
                assert_int_equal(count_crossings(net, path, hops), must_cross);
                if (inside) assert_int_equal(count_fabric(net->nodes, path, hops), 0);
            }
        struct cw_deadlock deadlock;
        must(cw_routes_deadlock(routes, 0, 1, &deadlock));
        assert_true(deadlock.acyclic);
        cw_deadlock_free(&deadlock);
        cw_routes_free(routes);
        cw_network_free(net);
        cw_network_free(whole);
    }
}

/* A switch of the fabric is one of the boxes' network, at the same place behind the boxes. */
static void test_boxes(void **state)
{
    (void)state;
    struct cw_network *net = network_with("xgft:2:4,4:1,2", "dgx-h100:hcas=4,pcie=2GB/s,domain=2"), *boxes;
    struct cw_network *less = without(net, "h1"), *others;
    const struct cw_network *fabric = cw_network_fabric(net);
    const uint32_t n = net->n_endpoints, domains = net->nodes->n_domains;
    must(cw_nodes_to_boxes(net, &boxes));
    must(cw_network_check(boxes));
    assert_int_equal(boxes->n_endpoints, n);
    assert_int_equal(boxes->n_channels, 2 * n + fabric->n_channels);
    for (uint32_t g = 0; g < n; g++) {
        assert_int_equal(cw_network_degree(boxes, g), 1);
        assert_int_equal(boxes->head[boxes->first[g]], n + g / 16);
        assert_true(boxes->capacity[boxes->first[g]] == 450e9);
    }
    for (uint32_t box = 0; box < domains; box++) { /* 8 HCAs, at 4 leaves a box: two hosts, each at a leaf of its own */
        uint32_t ports = 0;
        for (uint32_t c = boxes->first[n + box]; c < boxes->first[n + box + 1]; c++) {
            if (cw_network_is_endpoint(boxes, boxes->head[c])) continue;
            ports++;
            assert_true(boxes->capacity[c] == 2e9 && boxes->capacity[boxes->twin[c]] == 2e9);
            assert_int_equal((boxes->head[c] - n - domains) / 2, box);
        }
        assert_int_equal(ports, 8);
    }
    must(cw_nodes_to_boxes(less, &others)); /* an HCA that has failed is an endpoint, and no port */
    assert_int_equal(others->n_endpoints, n + 1);
    assert_int_equal(cw_network_degree(others, n), 0);
    assert_int_equal(others->n_channels, boxes->n_channels - 2);
    cw_network_free(others);
    cw_network_free(less);
    cw_network_free(boxes);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs),    cmocka_unit_test(test_deadlock),
                                       cmocka_unit_test(test_failures), cmocka_unit_test(test_repair),
                                       cmocka_unit_test(test_boxes),    cmocka_unit_test(test_sockets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
