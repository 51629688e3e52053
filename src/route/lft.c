#include "route/lft.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"
#include "route/switch_ways.h"

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

#define BLOCK ((size_t)1 << 24) /* bytes */

struct blank {
    uint8_t *entries;
    size_t bytes;
};

static int clear_block(void *context, size_t index, unsigned thread)
{
    const struct blank *blank = context;
    const size_t begin = index * BLOCK, left = blank->bytes - begin;
    (void)thread;
    memset(blank->entries + begin, 0xff, left < BLOCK ? left : BLOCK);
    return 0;
}

int cw_lft_new(const struct cw_network *net, struct cw_lft **out)
{
    return cw_lft_new_on(net, 1, out);
}

int cw_lft_new_on(const struct cw_network *net, unsigned n_threads, struct cw_lft **out)
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
    struct cw_lft *tables = cw_new_array(1, sizeof *tables, "forwarding tables");
    if (!tables) return CW_ENOMEM;
    *tables = (struct cw_lft){.net = net, .row_base = row_base, .rows = rows};
    const size_t bytes = (size_t)net->n_endpoints * rows * width;
    void *entries = malloc(bytes > 0 ? bytes : 1);
    if (!entries) {
        cw_lft_free(tables);
        return cw_fail_memory(bytes, "forwarding tables");
    }
    cw_use_large_pages(entries, bytes);
    struct blank blank = {entries, bytes};
    rc = cw_parallel_for(n_threads, (bytes + BLOCK - 1) / BLOCK, clear_block, &blank);
    if (width == sizeof(uint8_t))
        tables->narrow = entries;
    else
        tables->wide = entries;
    if (rc)
        cw_lft_free(tables);
    else
        *out = tables;
    return rc;
}

void cw_lft_free(struct cw_lft *tables)
{
    if (!tables) return;
    free(tables->narrow);
    free(tables->wide);
    free(tables);
}

void cw_lft_set(struct cw_lft *tables, uint32_t v, uint32_t dst, uint32_t port)
{
    if (v < tables->row_base) return; /* an endpoint with one cable has no choice */
    if (port != CW_NO_PORT && cw_network_is_closed(tables->net, tables->net->first[v] + port)) port = CW_NO_PORT;
    const size_t at = (size_t)dst * tables->rows + (v - tables->row_base);
    if (tables->narrow)
        tables->narrow[at] = (uint8_t)port; /* CW_NO_PORT becomes the narrow mark */
    else
        tables->wide[at] = (uint16_t)port;
}

uint32_t cw_lft_get(const struct cw_lft *tables, uint32_t v, uint32_t dst)
{
    const uint32_t channel = cw_lft_channel(tables, v, dst);
    return channel == CW_NONE ? CW_NO_PORT : channel - tables->net->first[v];
}

uint32_t cw_routes_table_port(const struct cw_routes *routes, uint32_t v, uint32_t dst)
{
    return cw_lft_get(routes->tables, v, dst);
}

int cw_routes_lft_entries(const struct cw_routes *routes, struct cw_lft_entries *out)
{
    if (routes->kind != CW_ROUTES_TABLE)
        return cw_fail(CW_EUSAGE, "routes \"%s\" are not forwarding tables, expected tables", routes->name);
    const struct cw_lft *tables = routes->tables;
    *out = (struct cw_lft_entries){tables->row_base, tables->rows, tables->narrow, tables->wide};
    return 0;
}

/* --- the longest route ------------------------------------------------------------------------------------------- */

struct search {
    const struct cw_lft *tables;
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
static uint32_t depth_of(const struct cw_lft *tables, uint32_t v, uint32_t dst, uint32_t *depth, uint32_t *trail)
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
        const uint32_t channel = cw_lft_channel(tables, v, dst);
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
static int longest_route(const struct cw_lft *tables, unsigned n_threads, uint32_t *hops)
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

int cw_lft_finish_as(struct cw_lft *tables, const char *name, uint32_t max_hops, unsigned n_threads,
                     struct cw_routes **out)
{
    struct cw_routes *routes = NULL;
    int rc = cw_routes_new(tables->net, name, CW_ROUTES_TABLE, &routes);
    if (rc == 0 && max_hops == 0) rc = longest_route(tables, n_threads, &max_hops);
    if (rc) {
        cw_routes_free(routes);
        cw_lft_free(tables);
        return rc;
    }
    routes->tables = tables;
    routes->max_hops = max_hops > 0 ? max_hops : 1; /* two endpoints joined by a cable */
    routes->by_destination = true;
    *out = routes;
    return 0;
}

int cw_lft_finish(struct cw_lft *tables, const char *name, struct cw_routes **out)
{
    return cw_lft_finish_as(tables, name, 0, 0, out);
}

/* --- tables of other routes --------------------------------------------------------------------------------------- */

/* Sources are walked in a random order. Where a source's switch already has its entry, an earlier route passed
 * there, and so did the rest of this one. In an order along the wires of a torus most routes would come before those
 * that contain them. */
struct conversion {
    const struct cw_routes *routes;
    struct cw_lft *tables;
    uint32_t *sources; /* one endpoint of each switch, or all where they have rows of their own */
    uint32_t n_sources;
    uint32_t **channels; /* for each thread: room for a block of paths */
};

static int collect_sources(struct conversion *conversion)
{
    const struct cw_network *net = conversion->tables->net;
    bool *seen = cw_new_array(net->n_vertices, sizeof *seen, "switches seen");
    conversion->sources = cw_new_array(net->n_endpoints, sizeof *conversion->sources, "sources");
    if (!seen || !conversion->sources) {
        free(seen);
        return CW_ENOMEM;
    }
    for (uint32_t e = 0; e < net->n_endpoints; e++) {
        if (cw_network_degree(net, e) == 0) continue;
        if (conversion->tables->row_base > 0) {
            const uint32_t v = net->head[net->first[e]];
            if (seen[v]) continue;
            seen[v] = true;
        }
        conversion->sources[conversion->n_sources++] = e;
    }
    free(seen);
    struct cw_random random = cw_random_of(0, CW_STREAM_SAMPLE, 0);
    cw_random_shuffle(&random, conversion->sources, conversion->n_sources);
    return 0;
}

/* Enters the path of channels until an entry that is there already. */
static void enter_path(struct cw_lft *tables, uint32_t dst, const uint32_t *path, uint32_t hops)
{
    const struct cw_network *net = tables->net;
    for (uint32_t h = 0; h < hops; h++) {
        const uint32_t v = net->tail[path[h]];
        if (v < tables->row_base) continue;
        if (cw_lft_get(tables, v, dst) != CW_NO_PORT) return;
        cw_lft_set(tables, v, dst, path[h] - net->first[v]);
    }
}

/* The switch of a destination with one cable, which may have no other source than the destination itself. */
static void enter_last_hop(struct cw_lft *tables, uint32_t dst)
{
    const struct cw_network *net = tables->net;
    if (tables->row_base == 0 || cw_network_degree(net, dst) == 0) return;
    const uint32_t last = net->twin[net->first[dst]];
    cw_lft_set(tables, net->tail[last], dst, last - net->first[net->tail[last]]);
}

/* The paths of N pairs. A pair that has none, for the network has fallen apart, has no hops: a hole in the tables. */
static int find_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                      uint32_t *hops, uint32_t *channels)
{
    int rc = cw_routes_paths(routes, n, src, dst, hops, channels, NULL);
    if (rc != CW_EROUTE || routes->kind == CW_ROUTES_TABLE) return rc;
    rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        rc = cw_routes_paths(routes, 1, &src[i], &dst[i], &hops[i], channels + i * routes->max_hops, NULL);
        if (rc != CW_EROUTE) continue;
        hops[i] = 0;
        rc = 0;
    }
    return rc;
}

static int convert_destination(void *context, size_t index, unsigned thread)
{
    const struct conversion *conversion = context;
    const struct cw_network *net = conversion->tables->net;
    const uint32_t dst = (uint32_t)index, stride = conversion->routes->max_hops;
    uint32_t *channels = conversion->channels[thread];
    uint32_t src[CW_FORMULA_BLOCK], to[CW_FORMULA_BLOCK], hops[CW_FORMULA_BLOCK];
    size_t n = 0;
    enter_last_hop(conversion->tables, dst);
    for (uint32_t i = 0; i < conversion->n_sources; i++) {
        const uint32_t e = conversion->sources[i];
        const uint32_t v = e < conversion->tables->row_base ? net->head[net->first[e]] : e;
        if (cw_lft_get(conversion->tables, v, dst) == CW_NO_PORT) {
            src[n] = e;
            to[n++] = dst;
        }
        if (n < CW_FORMULA_BLOCK && i + 1 < conversion->n_sources) continue;
        const int rc = find_paths(conversion->routes, n, src, to, hops, channels);
        if (rc) return rc;
        for (size_t j = 0; j < n; j++) enter_path(conversion->tables, dst, channels + j * stride, hops[j]);
        n = 0;
    }
    return 0;
}

static int convert(struct conversion *conversion, unsigned n_threads)
{
    const struct cw_routes *routes = conversion->routes;
    const unsigned threads = cw_parallel_threads(n_threads, routes->net->n_endpoints);
    conversion->channels = cw_new_array(threads, sizeof *conversion->channels, "paths");
    if (!conversion->channels) return CW_ENOMEM;
    int rc = collect_sources(conversion);
    for (unsigned t = 0; t < threads && rc == 0; t++) {
        const size_t room = (size_t)CW_FORMULA_BLOCK * routes->max_hops;
        conversion->channels[t] = cw_new_array(room, sizeof **conversion->channels, "paths");
        if (!conversion->channels[t]) rc = CW_ENOMEM;
    }
    if (rc == 0) rc = cw_parallel_for(n_threads, routes->net->n_endpoints, convert_destination, conversion);
    for (unsigned t = 0; t < threads; t++) free(conversion->channels[t]);
    free(conversion->channels);
    free(conversion->sources);
    return rc;
}

int cw_routes_to_tables(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out)
{
    if (routes->formula && routes->formula->make_tables)
        return routes->formula->make_tables(routes->state, n_threads, out);
    return cw_routes_to_used_tables(routes, n_threads, out);
}

int cw_routes_to_used_tables(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out)
{
    if (!routes->by_destination)
        return cw_fail(CW_EUSAGE, "%s routes depend on more than the destination; forwarding tables cannot hold them",
                       routes->name);
    struct conversion conversion = {.routes = routes};
    int rc = cw_lft_new(routes->net, &conversion.tables);
    if (rc) return rc;
    rc = convert(&conversion, n_threads);
    if (rc) {
        cw_lft_free(conversion.tables);
        return rc;
    }
    return cw_lft_finish_as(conversion.tables, routes->name, routes->max_hops, n_threads, out);
}

/* --- entries that no route between endpoints uses, but that a fabric's management does ---------------------------- */

struct filling {
    const struct cw_routes *routes;
    struct cw_lft *tables;
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
        cw_lft_set(filling->tables, v, dst, port);
        if (v >= base && tree->hops[v - base] < CW_TREE_LOOP) queue[n++] = v;
    }
    for (uint32_t i = 0; i < n && !filling->routes->complete; i++)
        for (uint32_t c = net->first[queue[i]]; c < net->first[queue[i] + 1]; c++) {
            const uint32_t v = net->head[c], back = net->twin[c];
            if (v < base || tree->hops[v - base] < CW_TREE_LOOP || cw_network_is_closed(net, back)) continue;
            const uint32_t port = cw_lft_get(filling->tables, v, dst);
            if (port != CW_NO_PORT && net->first[v] + port != back) continue;
            cw_lft_set(filling->tables, v, dst, back - net->first[v]);
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
    int rc = cw_lft_new(routes->net, &filling.tables);
    if (rc == 0) rc = fill_all(&filling, n_threads);
    if (rc == 0) return cw_lft_finish(filling.tables, routes->name, out);
    cw_lft_free(filling.tables);
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
