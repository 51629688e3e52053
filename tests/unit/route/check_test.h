/*
 * What the tests of checks share: networks, tables made at random, and walks without any cleverness to compare with.
 */
#ifndef CW_TEST_CHECK_TEST_H
#define CW_TEST_CHECK_TEST_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "route/lft.h"
#include "route/paths.h"
#include "route/routes.h"
#include "topo/topology.h"

static inline void must(int rc)
{
    if (rc != 0) fail_msg("%s", cw_error_message());
}

static inline struct cw_network *network_of(const char *spec)
{
    struct cw_network *net = NULL;
    must(cw_topology_build(spec, &net));
    return net;
}

static inline void *zeros(size_t n, size_t size)
{
    void *items = calloc(n > 0 ? n : 1, size);
    assert_non_null(items);
    return items;
}

/* Distances from every vertex to DST in channels, endpoints forwarding nothing: CW_NONE where there is no way. Relaxed
 * until nothing changes. */
static inline uint32_t *distances_to(const struct cw_network *net, uint32_t dst)
{
    uint32_t *distance = zeros(net->n_vertices, sizeof *distance);
    for (uint32_t v = 0; v < net->n_vertices; v++) distance[v] = v == dst ? 0 : CW_NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = 0; c < net->n_channels; c++) {
            const uint32_t to = net->head[c], from = net->tail[c];
            if (!(net->capacity[c] > 0)) continue;
            if (distance[to] == CW_NONE || (to != dst && to < net->n_endpoints)) continue;
            if (distance[from] <= distance[to] + 1) continue;
            distance[from] = distance[to] + 1;
            changed = true;
        }
    }
    return distance;
}

/* Tables of shortest routes, each entry drawn among the ports that come nearer; but WRONG of 1000 entries are any port
 * at all, and MISSING of 1000 are missing. */
static inline struct cw_routes *random_tables(const struct cw_network *net, uint64_t seed, uint32_t wrong,
                                              uint32_t missing)
{
    struct cw_random random = cw_random_of(seed, CW_STREAM_TEST, 0);
    struct cw_lft *tables = NULL;
    struct cw_routes *routes = NULL;
    must(cw_lft_new(net, &tables));
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        uint32_t *distance = distances_to(net, dst);
        for (uint32_t v = 0; v < net->n_vertices; v++) {
            if (v == dst || cw_random_below(&random, 1000) < missing) continue;
            const bool any = cw_random_below(&random, 1000) < wrong;
            uint32_t n = 0, chosen = CW_NO_PORT;
            for (uint32_t port = 0; port < cw_network_degree(net, v); port++) {
                const uint32_t head = net->head[net->first[v] + port];
                const bool nearer = distance[head] != CW_NONE && distance[head] + 1 == distance[v] &&
                                    (head == dst || head >= net->n_endpoints);
                if ((any || nearer) && cw_random_below(&random, ++n) == 0) chosen = port;
            }
            cw_lft_set(tables, v, dst, chosen);
        }
        free(distance);
    }
    must(cw_lft_finish(tables, "random", &routes));
    return routes;
}

enum ending { ARRIVES, HOLE, LOOP };

/* The route of tables from SRC to DST, one entry after another: its channels into PATH, which has room for n_vertices.
 */
static inline enum ending follow(const struct cw_routes *routes, uint32_t src, uint32_t dst, uint32_t *path,
                                 uint32_t *hops)
{
    const struct cw_network *net = cw_routes_network(routes);
    uint32_t v = src;
    for (*hops = 0; v != dst;) {
        if (*hops > 0 && v < net->n_endpoints) return HOLE; /* another endpoint forwards nothing */
        if (*hops == net->n_vertices) return LOOP;
        const uint32_t port = cw_routes_table_port(routes, v, dst);
        if (port == CW_NO_PORT) return HOLE;
        path[(*hops)++] = net->first[v] + port;
        v = net->head[net->first[v] + port];
    }
    return ARRIVES;
}

/* The routes of tables that arrive, as explicit paths. */
static inline struct cw_routes *paths_of_tables(const struct cw_routes *tables)
{
    const struct cw_network *net = cw_routes_network(tables);
    uint32_t *path = zeros(net->n_vertices, sizeof *path), hops;
    struct cw_paths *paths = NULL;
    struct cw_routes *routes = NULL;
    must(cw_paths_new(net, &paths));
    for (uint32_t src = 0; src < net->n_endpoints; src++)
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++)
            if (src != dst && follow(tables, src, dst, path, &hops) == ARRIVES)
                must(cw_paths_add(paths, src, dst, 1, path, hops));
    must(cw_paths_finish(paths, "paths", 0, &routes));
    free(path);
    return routes;
}

#endif
