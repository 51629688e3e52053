/*
 * Freedom from deadlocks where it is claimed, on networks of every kind with failed cables: the dependencies of all
 * routes, walked one by one to all LIDs, are taken apart by Kahn's algorithm. cw_routes_deadlock, which searches depth
 * first, is not asked.
 */
#include "net/network_internal.h"
#include "route_test.h"

#include "net/faults.h"
#include "route/routes_internal.h"

/* --- dependencies ------------------------------------------------------------------------------------------------- */

/* A node is a channel and a lane; what may follow it is a port out of the channel's head, and a lane. */
struct graph {
    const struct cw_network *net;
    uint32_t lanes, ports;
    bool *edge; /* [channels][lanes][ports][lanes] */
};

static bool *edge_of(const struct graph *graph, uint32_t from, uint32_t lane, uint32_t port, uint32_t next_lane)
{
    const uint32_t lanes = graph->lanes;
    return &graph->edge[(((size_t)from * lanes + lane) * graph->ports + port) * lanes + next_lane];
}

static struct graph new_graph(const struct cw_routes *routes)
{
    struct graph graph = {.net = cw_routes_network(routes)};
    for (uint32_t lid = 0; lid < cw_routes_lids(routes); lid++)
        if (cw_routes_lanes(cw_routes_to_lid(routes, lid)) > graph.lanes)
            graph.lanes = cw_routes_lanes(cw_routes_to_lid(routes, lid));
    for (uint32_t v = 0; v < graph.net->n_vertices; v++)
        if (cw_network_degree(graph.net, v) > graph.ports) graph.ports = cw_network_degree(graph.net, v);
    const size_t edges = (size_t)graph.net->n_channels * graph.lanes * graph.ports * graph.lanes;
    graph.edge = zeros(edges, sizeof *graph.edge);
    return graph;
}

/* Adds the routes to one LID; pairs that have none are passed over. */
static void add_routes(struct graph *graph, const struct cw_routes *routes)
{
    const struct cw_network *net = graph->net;
    uint32_t *path = zeros(cw_routes_max_hops(routes), sizeof *path), hops;
    uint8_t *lane = zeros(cw_routes_max_hops(routes), sizeof *lane);
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            if (cw_routes_paths(routes, 1, &src, &dst, &hops, path, lane) != 0) continue;
            for (uint32_t h = 1; h < hops; h++)
                *edge_of(graph, path[h - 1], lane[h - 1], path[h] - net->first[net->tail[path[h]]], lane[h]) = true;
        }
    free(path);
    free(lane);
}

/* By DEGREE, how many nodes each waits for; BY is added for what may follow FROM on LANE. Nodes that wait for none are
 * appended to READY. */
static void count_followers(const struct graph *graph, uint32_t from, uint32_t lane, int by, int *degree,
                            uint32_t *ready, uint32_t *n_ready)
{
    const uint32_t v = graph->net->head[from];
    for (uint32_t port = 0; port < cw_network_degree(graph->net, v); port++)
        for (uint32_t next = 0; next < graph->lanes; next++) {
            if (!*edge_of(graph, from, lane, port, next)) continue;
            const uint32_t node = (graph->net->first[v] + port) * graph->lanes + next;
            degree[node] += by;
            if (ready && degree[node] == 0) ready[(*n_ready)++] = node;
        }
}

/* Takes out what nothing leads to, again and again: all goes unless there is a cycle. */
static bool is_acyclic(const struct graph *graph)
{
    const uint32_t n = graph->net->n_channels * graph->lanes;
    int *degree = zeros(n, sizeof *degree);
    uint32_t *ready = zeros(n, sizeof *ready), n_ready = 0;
    for (uint32_t node = 0; node < n; node++)
        count_followers(graph, node / graph->lanes, node % graph->lanes, 1, degree, NULL, NULL);
    for (uint32_t node = 0; node < n; node++)
        if (degree[node] == 0) ready[n_ready++] = node;
    for (uint32_t i = 0; i < n_ready; i++)
        count_followers(graph, ready[i] / graph->lanes, ready[i] % graph->lanes, -1, degree, ready, &n_ready);
    free(degree);
    free(ready);
    return n_ready == n;
}

static bool are_free(const struct cw_routes *routes)
{
    struct graph graph = new_graph(routes);
    for (uint32_t lid = 0; lid < cw_routes_lids(routes); lid++) add_routes(&graph, cw_routes_to_lid(routes, lid));
    const bool free_of_deadlocks = is_acyclic(&graph);
    free(graph.edge);
    return free_of_deadlocks;
}

/* --- networks ----------------------------------------------------------------------------------------------------- */

static struct cw_network *failed(const char *spec, const char *what, uint64_t seed)
{
    struct cw_network *whole = network_of(spec), *net;
    struct cw_faults *faults;
    must(cw_faults_new(whole, &faults));
    must(cw_faults_fail(faults, "--failed", what, seed));
    must(cw_network_with_faults(faults, &net));
    must(cw_faults_keep_places(faults, net));
    cw_faults_free(faults);
    cw_network_free(whole);
    return net;
}

/* Routes NET by SPEC unless that is refused; true if it was routed, free of deadlocks. */
static bool hold(const struct cw_network *net, const char *spec)
{
    struct cw_routes *routes = NULL;
    if (cw_engine_route(net, spec, 3, 1, &routes) != 0) return false;
    if (!are_free(routes)) fail_msg("%s on %s can deadlock", cw_routes_name(routes), net->title);
    cw_routes_free(routes);
    return true;
}

static const char *const networks[] = {"torus:5x4",      "torus:6x6",          "torus:3x4x3",      "mesh:5x4",
                                       "hypercube:4",    "dragonfly:2,4,2",    "jellyfish:16,4,2", "slimfly:3",
                                       "hyperx:3x4,t=2", "xgft:3:2,3,3:1,2,2", "xgft:2:4,4:1,4",   "megafly:2,2,2,2"};
#define NETWORKS (sizeof networks / sizeof *networks)

/* With other parameters than the default ones. */
static const char *const specs[] = {"dfsssp:lmc=1",           "dfsssp:lmc=2",     "nue:lanes=2,mend",
                                    "nue:lanes=5,lmc=1,mend", "nue-even:lanes=3", "lash:start=2"};
#define SPECS (sizeof specs / sizeof *specs)

/* Every engine that claims it, on what it accepts where cables are missing. */
static void claims_hold(void **state)
{
    (void)state;
    uint32_t routed[64 + SPECS] = {0}, n_engines = 0;
    while (cw_engines[n_engines]) n_engines++;
    assert_true(n_engines < 64);
    for (size_t i = 0; i < NETWORKS; i++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct cw_network *net = failed(networks[i], "7%", seed);
            for (uint32_t e = 0; e < n_engines; e++)
                if (cw_engines[e]->compile && cw_engines[e]->deadlock_freedom == CW_CLAIM_ACYCLIC &&
                    (cw_engines[e]->explains || cw_engine_accepts(cw_engines[e], net, NULL)))
                    routed[e] += hold(net, cw_engines[e]->name);
            for (size_t s = 0; s < SPECS; s++) routed[64 + s] += hold(net, specs[s]);
            if (strcmp(cw_engine_default(net), "minhop") != 0) assert_true(hold(net, NULL)); /* as mended there */
            cw_network_free(net);
        }
    static const char *const required[] = {"dfsssp", "lash", "nue-even", "torus-2qos"};
    for (size_t r = 0; r < sizeof required / sizeof *required; r++)
        for (uint32_t e = 0; e < n_engines; e++)
            if (strcmp(cw_engines[e]->name, required[r]) == 0) assert_true(routed[e] >= 3);
    for (size_t s = 0; s < SPECS; s++) assert_true(routed[64 + s] >= NETWORKS);
}

/* Up and down, and down and up, on trees that have lost cables: claimed of trees only. */
static void trees_hold(void **state)
{
    (void)state;
    static const char *const trees[] = {"xgft:2:4,4:1,4", "xgft:2:3,6:1,2", "xgft:3:2,3,3:1,2,2", "xgft:3:3,3,2:1,3,2"};
    static const char *const engines[] = {"updn", "dnup", "ftree", "updn:lmc=2", "dnup:lmc=1"};
    uint32_t routed[5] = {0};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct cw_network *net = failed(trees[i], seed == 0 ? "0%" : "5%", seed);
            for (size_t e = 0; e < 5; e++) routed[e] += hold(net, engines[e]);
            cw_network_free(net);
        }
    for (size_t e = 0; e < 5; e++) assert_true(routed[e] >= 3);
}

/* Packets on the routes that they take by default cannot deadlock, whatever has failed. */
static void defaults_hold(void **state)
{
    (void)state;
    uint32_t kept = 0;
    for (size_t i = 0; i < NETWORKS; i++)
        for (uint64_t seed = 0; seed <= 2; seed++) {
            struct cw_network *net = failed(networks[i], seed == 0 ? "0%" : "7%", seed);
            struct cw_packet_routing *packets;
            const char *spec = NULL;
            must(cw_engine_default_of_packets(net, 1, 1, &spec));
            must(cw_packet_routing_new(net, spec, 1, 1, &packets));
            must(cw_packet_routing_check(packets));
            kept += strcmp(spec, cw_engine_default(net)) == 0;
            if (seed == 0) assert_string_equal(spec, cw_engine_default(net));
            cw_packet_routing_free(packets);
            cw_network_free(net);
        }
    assert_true(kept >= 3 * NETWORKS - 4); /* a tree without a way up and down, and too many lanes, are rare */
}

/* What can deadlock is found to. */
static void cycles_are_found(void **state)
{
    (void)state;
    struct cw_network *net = network_of("torus:5x5");
    struct cw_routes *routes = routes_of(net, "minhop"), *several = routes_of(net, "sssp:lmc=1");
    assert_false(are_free(routes));
    assert_false(are_free(several));
    cw_routes_free(routes);
    cw_routes_free(several);
    cw_network_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims_hold), cmocka_unit_test(trees_hold),
                                       cmocka_unit_test(defaults_hold), cmocka_unit_test(cycles_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
