#include "route/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/units.h"
#include "route/routes_internal.h"

#define MOST_NARROW_PORTS 254u
#define MOST_PORTS        65534u

static int check_memory(const struct cw_network *net, uint32_t rows, size_t width)
{
    const double bytes = (double)net->n_endpoints * rows * (double)width;
    const uint64_t available = cw_memory_available();
    if (bytes <= (double)available) return 0;
    char needed[32], had[32];
    return cw_fail(CW_ELIMIT, "forwarding tables of %u endpoints at %u vertices need %s of memory; %s are available",
                   net->n_endpoints, rows, cw_format_bytes((uint64_t)bytes, needed, sizeof needed),
                   cw_format_bytes(available, had, sizeof had));
}

int cw_tables_new(const struct cw_network *net, struct cw_tables **out)
{
    uint32_t most_ports = 0, most_cables = 0; /* of a switch, of an endpoint */
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        uint32_t *most = cw_network_is_endpoint(net, v) ? &most_cables : &most_ports;
        if (cw_network_degree(net, v) > *most) *most = cw_network_degree(net, v);
    }
    if (most_cables > most_ports) most_ports = most_cables;
    if (most_ports > MOST_PORTS)
        return cw_fail(CW_ELIMIT, "a vertex with %u ports; forwarding tables can tell %u apart", most_ports,
                       MOST_PORTS);
    const uint32_t row_base = most_cables > 1 ? 0 : net->n_endpoints;
    const uint32_t rows = net->n_vertices - row_base;
    const size_t width = most_ports > MOST_NARROW_PORTS ? sizeof(uint16_t) : sizeof(uint8_t);
    int rc = check_memory(net, rows, width);
    if (rc) return rc;
    struct cw_tables *tables = cw_new_array(1, sizeof *tables, "forwarding tables");
    if (!tables) return CW_ENOMEM;
    *tables = (struct cw_tables){.net = net, .row_base = row_base, .rows = rows};
    const size_t bytes = (size_t)net->n_endpoints * rows * width;
    void *entries = malloc(bytes > 0 ? bytes : 1);
    if (!entries) {
        cw_tables_free(tables);
        return cw_fail_memory(bytes, "forwarding tables");
    }
    memset(entries, 0xff, bytes);
    if (width == sizeof(uint8_t))
        tables->narrow = entries;
    else
        tables->wide = entries;
    *out = tables;
    return 0;
}

void cw_tables_free(struct cw_tables *tables)
{
    if (!tables) return;
    free(tables->narrow);
    free(tables->wide);
    free(tables);
}

void cw_tables_set(struct cw_tables *tables, uint32_t v, uint32_t dst, uint32_t port)
{
    if (v < tables->row_base) return; /* an endpoint with one cable has no choice */
    if (port != CW_NO_PORT && cw_network_is_closed(tables->net, tables->net->first[v] + port)) port = CW_NO_PORT;
    const size_t at = (size_t)dst * tables->rows + (v - tables->row_base);
    if (tables->narrow)
        tables->narrow[at] = (uint8_t)port; /* CW_NO_PORT becomes the narrow mark */
    else
        tables->wide[at] = (uint16_t)port;
}

uint32_t cw_tables_get(const struct cw_tables *tables, uint32_t v, uint32_t dst)
{
    const uint32_t channel = cw_tables_channel(tables, v, dst);
    return channel == CW_NONE ? CW_NO_PORT : channel - tables->net->first[v];
}

uint32_t cw_routes_table_port(const struct cw_routes *routes, uint32_t v, uint32_t dst)
{
    return cw_tables_get(routes->tables, v, dst);
}

/* --- the longest route ------------------------------------------------------------------------------------------- */

struct search {
    const struct cw_tables *tables;
    uint32_t *starts; /* where routes enter the rows: switches with endpoints, or the endpoints */
    uint32_t n_starts;
    uint32_t **depth;  /* for each thread: [rows] hops to the destination, or a mark */
    uint32_t **trail;  /* for each thread: [rows] vertices of the walk under way */
    uint32_t *longest; /* for each thread */
};

/* Marks in depth: from an endpoint nothing is 0 hops away. */
#define UNKNOWN 0u
#define NEVER   UINT32_MAX

/* Hops from V to DST, or NEVER; fills DEPTH for all it passes. A vertex on the trail has depth NEVER meanwhile, which
 * is what it is if the walk comes back to it. */
static uint32_t depth_of(const struct cw_tables *tables, uint32_t v, uint32_t dst, uint32_t *depth, uint32_t *trail)
{
    const uint32_t base = tables->row_base, n_endpoints = tables->net->n_endpoints;
    uint32_t length = 0, hops = NEVER;
    for (;;) {
        if (depth[v - base] != UNKNOWN) {
            hops = depth[v - base];
            break;
        }
        depth[v - base] = NEVER;
        trail[length++] = v;
        const uint32_t channel = cw_tables_channel(tables, v, dst);
        if (channel == CW_NONE) break;
        v = tables->net->head[channel];
        if (v == dst) hops = 0;
        if (v < n_endpoints) break;
    }
    while (length > 0) {
        if (hops != NEVER) hops++;
        depth[trail[--length] - base] = hops;
    }
    return hops;
}

static int search_destination(void *context, size_t dst, unsigned thread)
{
    const struct search *search = context;
    uint32_t *depth = search->depth[thread];
    memset(depth, 0, search->tables->rows * sizeof *depth);
    for (uint32_t i = 0; i < search->n_starts; i++) {
        if (search->starts[i] == dst) continue;
        const uint32_t hops = depth_of(search->tables, search->starts[i], (uint32_t)dst, depth, search->trail[thread]);
        if (hops != NEVER && hops > search->longest[thread]) search->longest[thread] = hops;
    }
    return 0;
}

static void collect_starts(struct search *search)
{
    const struct cw_network *net = search->tables->net;
    const uint32_t base = search->tables->row_base;
    for (uint32_t v = base; v < net->n_vertices; v++) {
        bool start = v < net->n_endpoints;
        for (uint32_t c = net->first[v]; v >= net->n_endpoints && c < net->first[v + 1] && !start; c++)
            start = cw_network_is_endpoint(net, net->head[c]);
        if (start) search->starts[search->n_starts++] = v;
    }
}

static void free_search(struct search *search, unsigned n_threads)
{
    for (unsigned t = 0; t < n_threads; t++) {
        if (search->depth) free(search->depth[t]);
        if (search->trail) free(search->trail[t]);
    }
    free(search->depth);
    free(search->trail);
    free(search->longest);
    free(search->starts);
}

static int new_search(struct search *search, unsigned n_threads)
{
    static const char what[] = "the longest route";
    const uint32_t rows = search->tables->rows;
    search->starts = cw_new_array(rows, sizeof *search->starts, what);
    search->depth = cw_new_array(n_threads, sizeof *search->depth, what);
    search->trail = cw_new_array(n_threads, sizeof *search->trail, what);
    search->longest = cw_new_array(n_threads, sizeof *search->longest, what);
    if (!search->starts || !search->depth || !search->trail || !search->longest) return CW_ENOMEM;
    for (unsigned t = 0; t < n_threads; t++) {
        search->depth[t] = cw_new_array(rows, sizeof **search->depth, what);
        search->trail[t] = cw_new_array(rows, sizeof **search->trail, what);
        if (!search->depth[t] || !search->trail[t]) return CW_ENOMEM;
    }
    collect_starts(search);
    return 0;
}

/* *HOPS becomes the length of the longest route that arrives; an endpoint's own channel leads to the first row. */
static int longest_route(const struct cw_tables *tables, unsigned n_threads, uint32_t *hops)
{
    const uint32_t n_endpoints = tables->net->n_endpoints;
    const unsigned threads = cw_parallel_threads(n_threads, n_endpoints);
    struct search search = {.tables = tables};
    int rc = new_search(&search, threads);
    if (rc == 0) rc = cw_parallel_for(n_threads, n_endpoints, search_destination, &search);
    if (rc == 0) {
        *hops = 0;
        for (unsigned t = 0; t < threads; t++)
            if (search.longest[t] > *hops) *hops = search.longest[t];
        if (tables->row_base > 0) *hops += 1;
    }
    free_search(&search, threads);
    return rc;
}

int cw_tables_finish_as(struct cw_tables *tables, const char *name, uint32_t max_hops, unsigned n_threads,
                        struct cw_routes **out)
{
    struct cw_routes *routes = NULL;
    int rc = cw_routes_new(tables->net, name, CW_ROUTES_TABLE, &routes);
    if (rc == 0 && max_hops == 0) rc = longest_route(tables, n_threads, &max_hops);
    if (rc) {
        cw_routes_free(routes);
        cw_tables_free(tables);
        return rc;
    }
    routes->tables = tables;
    routes->max_hops = max_hops > 0 ? max_hops : 1; /* two endpoints joined by a cable */
    routes->by_destination = true;
    *out = routes;
    return 0;
}

int cw_tables_finish(struct cw_tables *tables, const char *name, struct cw_routes **out)
{
    return cw_tables_finish_as(tables, name, 0, 0, out);
}
