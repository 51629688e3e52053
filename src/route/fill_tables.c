/* Entries that no route between endpoints uses, but that a fabric's management does. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/routes_internal.h"
#include "route/switch_ways.h"

struct filling {
    const struct cw_routes *routes;
    struct cw_tables *tables;
    uint32_t **queue; /* for each thread: [switches] */
};

/* Copies what there is towards DST, then goes breadth-first from the switches that have an entry to those that have
 * none: these send to the neighbour from which they were met, so that new entries lead into old ones and cannot form a
 * loop. */
static int fill_destination(void *context, size_t index, unsigned thread)
{
    const struct filling *filling = context;
    const struct cw_network *net = filling->routes->net;
    const uint32_t dst = (uint32_t)index;
    uint32_t *queue = filling->queue[thread], n = 0;
    for (uint32_t v = filling->tables->row_base; v < net->n_vertices; v++) {
        const uint32_t port = cw_routes_table_port(filling->routes, v, dst);
        if (port == CW_NO_PORT) continue;
        cw_tables_set(filling->tables, v, dst, port);
        if (!cw_network_is_endpoint(net, v)) queue[n++] = v;
    }
    for (uint32_t i = 0; i < n && !filling->routes->complete; i++)
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            const uint32_t v = net->head[c];
            if (cw_network_is_endpoint(net, v) || cw_tables_get(filling->tables, v, dst) != CW_NO_PORT) continue;
            if (cw_network_is_closed(net, net->twin[c])) continue;
            cw_tables_set(filling->tables, v, dst, net->twin[c] - net->first[v]);
            queue[n++] = v;
        }
    return 0;
}

static int fill_all(struct filling *filling, unsigned n_threads)
{
    const struct cw_network *net = filling->routes->net;
    const unsigned n = cw_parallel_threads(n_threads, net->n_endpoints);
    filling->queue = cw_new_array(n, sizeof *filling->queue, "queues");
    if (!filling->queue) return CW_ENOMEM;
    int rc = 0;
    for (unsigned i = 0; i < n && rc == 0; i++) {
        filling->queue[i] = cw_new_array(cw_network_switches(net), sizeof **filling->queue, "a queue");
        if (!filling->queue[i]) rc = CW_ENOMEM;
    }
    if (rc == 0) rc = cw_parallel_for(n_threads, net->n_endpoints, fill_destination, filling);
    for (unsigned i = 0; i < n; i++) free(filling->queue[i]);
    free(filling->queue);
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
        return cw_fail(CW_EUSAGE, "routes \"%s\" are no forwarding tables, expected tables", routes->name);
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
