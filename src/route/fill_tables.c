/* Entries that no route between endpoints uses, but that a fabric's management does. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"
#include "route/switch_ways.h"

struct filling {
    const struct cw_routes *routes;
    struct cw_tables *tables;
    struct worker {
        struct cw_tree tree; /* the routes as they are */
        uint32_t *queue;     /* [switches] */
    } * worker;
};

/* Copies what there is towards DST, then goes breadth-first from the switches that reach it to those that have no
 * entry: these send to the neighbour from which they were met, so that new entries lead to where packets arrive and
 * cannot form a loop. Nobody can arrive at an endpoint without a cable, so nothing leads to it. */
static int fill_destination(void *context, size_t index, unsigned thread)
{
    const struct filling *filling = context;
    const struct cw_network *net = filling->routes->net;
    const uint32_t dst = (uint32_t)index, base = net->n_endpoints;
    struct cw_tree *tree = &filling->worker[thread].tree;
    uint32_t *queue = filling->worker[thread].queue, n = 0;
    if (cw_network_degree(net, dst) == 0) return 0;
    cw_tree_fill(tree, dst);
    for (uint32_t v = filling->tables->row_base; v < net->n_vertices; v++) {
        const uint32_t port = cw_routes_table_port(filling->routes, v, dst);
        if (port == CW_NO_PORT) continue;
        cw_tables_set(filling->tables, v, dst, port);
        if (v >= base && tree->hops[v - base] < CW_TREE_LOOP) queue[n++] = v;
    }
    for (uint32_t i = 0; i < n && !filling->routes->complete; i++)
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            const uint32_t v = net->head[c], back = net->twin[c];
            if (v < base || tree->hops[v - base] < CW_TREE_LOOP || cw_network_is_closed(net, back)) continue;
            const uint32_t port = cw_tables_get(filling->tables, v, dst);
            if (port != CW_NO_PORT && net->first[v] + port != back) continue;
            cw_tables_set(filling->tables, v, dst, back - net->first[v]);
            tree->hops[v - base] = tree->hops[queue[i] - base] + 1;
            queue[n++] = v;
        }
    return 0;
}

static int fill_all(struct filling *filling, unsigned n_threads)
{
    const struct cw_network *net = filling->routes->net;
    const unsigned n = cw_parallel_threads(n_threads, net->n_endpoints);
    filling->worker = cw_new_array(n, sizeof *filling->worker, "tables that are filled");
    int rc = filling->worker ? 0 : CW_ENOMEM;
    for (unsigned i = 0; i < n && rc == 0; i++) {
        rc = cw_tree_new(filling->routes, &filling->worker[i].tree);
        if (rc) break;
        filling->worker[i].queue = cw_new_array(cw_network_switches(net), sizeof(uint32_t), "a queue");
        if (!filling->worker[i].queue) rc = CW_ENOMEM;
    }
    if (rc == 0) rc = cw_parallel_for(n_threads, net->n_endpoints, fill_destination, filling);
    for (unsigned i = 0; filling->worker && i < n; i++) {
        cw_tree_free(&filling->worker[i].tree);
        free(filling->worker[i].queue);
    }
    free(filling->worker);
    return rc;
}

static int fill_lid(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out)
{
    struct filling filling = {.routes = routes};
    int rc = cw_tables_new(routes->net, &filling.tables);
    if (rc == 0) rc = fill_all(&filling, n_threads);
    if (rc == 0) return cw_tables_finish(filling.tables, routes->name, out);
    cw_tables_free(filling.tables);
    return rc;
}

int cw_routes_fill_tables(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out)
{
    if (routes->kind != CW_ROUTES_TABLE)
        return cw_fail(CW_EUSAGE, "routes \"%s\" are not forwarding tables, expected tables", routes->name);
    struct cw_routes *filled = NULL;
    uint8_t *ways = NULL;
    int rc = fill_lid(routes, n_threads, &filled);
    for (uint32_t lid = 1; rc == 0 && lid < cw_routes_lids(routes); lid++) {
        struct cw_routes *next;
        rc = fill_lid(cw_routes_to_lid(routes, lid), n_threads, &next);
        if (rc == 0) cw_routes_add_lid(filled, next);
    }
    if (rc == 0 && routes->switch_ways) rc = cw_switch_ways(routes, &ways);
    if (rc) {
        cw_routes_free(filled);
        return rc;
    }
    cw_routes_set_switch_ways(filled, ways);
    *out = filled;
    return 0;
}
