#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "route/routes_internal.h"

/* Sources are walked in a random order. Where a source's switch already has its entry, an earlier route passed
 * there, and so did the rest of this one. In an order along the wires of a torus most routes would come before those
 * that contain them. */
struct conversion {
    const struct cw_routes *routes;
    struct cw_tables *tables;
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
static void enter_path(struct cw_tables *tables, uint32_t dst, const uint32_t *path, uint32_t hops)
{
    const struct cw_network *net = tables->net;
    for (uint32_t h = 0; h < hops; h++) {
        const uint32_t v = net->tail[path[h]];
        if (v < tables->row_base) continue;
        if (cw_tables_get(tables, v, dst) != CW_NO_PORT) return;
        cw_tables_set(tables, v, dst, path[h] - net->first[v]);
    }
}

/* The switch of a destination with one cable, which may have no other source than the destination itself. */
static void enter_last_hop(struct cw_tables *tables, uint32_t dst)
{
    const struct cw_network *net = tables->net;
    if (tables->row_base == 0 || cw_network_degree(net, dst) == 0) return;
    const uint32_t last = net->twin[net->first[dst]];
    cw_tables_set(tables, net->tail[last], dst, last - net->first[net->tail[last]]);
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
        if (cw_tables_get(conversion->tables, v, dst) == CW_NO_PORT) {
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
    if (!routes->by_destination)
        return cw_fail(CW_EUSAGE, "%s routes depend on more than the destination; forwarding tables cannot hold them",
                       routes->name);
    struct conversion conversion = {.routes = routes};
    int rc = cw_tables_new(routes->net, &conversion.tables);
    if (rc) return rc;
    rc = convert(&conversion, n_threads);
    if (rc) {
        cw_tables_free(conversion.tables);
        return rc;
    }
    return cw_tables_finish_as(conversion.tables, routes->name, routes->max_hops, n_threads, out);
}
