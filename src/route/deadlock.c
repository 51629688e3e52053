#include "route/check.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "route/dependency_graph.h"
#include "route/route_pairs.h"
#include "route/route_tree.h"

#define CHUNK          32    /* destinations of a task */
#define BATCH_CHANNELS 65536 /* channels of a batch of paths */

struct worker {
    struct cw_tree tree; /* for tables */
    bool *used;          /* [n_switches] a route passes here */

    uint32_t *src, *dst, *hops, *channels; /* for other routes: a batch */
    uint8_t *lanes;
};

struct check {
    const struct cw_network *net;
    const struct cw_routes *routes;
    bool by_tree;
    struct cw_pairs pairs;
    struct cw_dependencies graph;
    uint32_t *first_source; /* [n_switches] the channel of an endpoint there with no other cable, or CW_NONE */
    uint32_t *others;       /* endpoints that are not counted there */
    uint32_t n_others;
    uint32_t batch;
    struct worker *workers;
};

/* --- tables: all routes to a destination at once ---------------------------------------------------------------------
 */

/* Endpoints on one switch go the same way but for the destination among them. So only one of them is given what all
 * depend on; spread_sources does the rest. */
static void enter_sources(struct check *check, struct worker *worker, uint32_t dst)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t n = cw_network_switches(net), base = net->n_endpoints;
    for (uint32_t i = 0; i < n; i++) {
        worker->used[i] = check->first_source[i] != CW_NONE && tree->hops[i] < CW_TREE_LOOP;
        if (worker->used[i]) cw_dependencies_add(&check->graph, check->first_source[i], 0, tree->channel[i], 0);
    }
    for (uint32_t i = 0; i < check->n_others; i++) {
        const uint32_t src = check->others[i];
        if (src == dst || cw_tree_route(tree, src) >= CW_TREE_LOOP) continue;
        const uint32_t channel = cw_tree_start(tree, src), head = net->head[channel];
        if (cw_network_is_endpoint(net, head)) continue;
        worker->used[head - base] = true;
        cw_dependencies_add(&check->graph, channel, 0, tree->channel[head - base], 0);
    }
}

static void check_tree(struct check *check, struct worker *worker, uint32_t dst)
{
    const struct cw_network *net = check->net;
    const struct cw_tree *tree = &worker->tree;
    const uint32_t base = net->n_endpoints;
    cw_tree_fill(&worker->tree, dst);
    enter_sources(check, worker, dst);
    for (uint32_t i = 0; i < tree->n_order; i++) {
        const uint32_t v = tree->order[i] - base;
        if (!worker->used[v] || cw_network_is_endpoint(net, net->head[tree->channel[v]])) continue;
        const uint32_t next = net->head[tree->channel[v]] - base;
        cw_dependencies_add(&check->graph, tree->channel[v], 0, tree->channel[next], 0);
        worker->used[next] = true;
    }
}

/* Every endpoint depends on what the first one of its switch was given, but never on the channel to itself: with one
 * cable, that is used by routes to it only. */
static void spread_sources(struct check *check)
{
    const struct cw_network *net = check->net;
    for (uint32_t v = net->n_endpoints; v-- > 0;) { /* the first one comes last */
        const uint32_t at = cw_pairs_switch(net, v), channel = net->first[v];
        if (at != CW_NONE)
            cw_dependencies_copy(&check->graph, check->first_source[at - net->n_endpoints], channel,
                                 net->twin[channel]);
    }
}

/* --- other routes: in batches ----------------------------------------------------------------------------------------
 */

static int find_batch(const struct check *check, struct worker *worker, uint32_t n)
{
    const uint32_t stride = cw_routes_max_hops(check->routes);
    int rc = cw_routes_paths(check->routes, n, worker->src, worker->dst, worker->hops, worker->channels, worker->lanes);
    if (rc != CW_EROUTE) return rc;
    for (uint32_t i = 0; i < n; i++) { /* some pair has no route: one by one */
        rc = cw_routes_paths(check->routes, 1, &worker->src[i], &worker->dst[i], &worker->hops[i],
                             worker->channels + (size_t)i * stride, worker->lanes + (size_t)i * stride);
        if (rc == CW_EROUTE)
            worker->hops[i] = 0;
        else if (rc)
            return rc;
    }
    return 0;
}

static int check_paths(struct check *check, struct worker *worker, uint32_t dst)
{
    const uint32_t stride = cw_routes_max_hops(check->routes);
    struct cw_pair_cursor cursor = cw_pairs_begin(&check->pairs, dst);
    for (uint32_t i = 0; i < check->batch; i++) worker->dst[i] = dst;
    for (uint32_t n; (n = cw_pairs_next(&check->pairs, &cursor, check->batch, worker->src)) > 0;) {
        const int rc = find_batch(check, worker, n);
        if (rc) return rc;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t *path = worker->channels + (size_t)i * stride;
            const uint8_t *lanes = worker->lanes + (size_t)i * stride;
            for (uint32_t h = 1; h < worker->hops[i]; h++)
                cw_dependencies_add(&check->graph, path[h - 1], lanes[h - 1], path[h], lanes[h]);
        }
    }
    return 0;
}

/* --- workers
 * ----------------------------------------------------------------------------------------------------------- */

static int check_chunk(void *context, size_t index, unsigned thread)
{
    struct check *check = context;
    struct worker *worker = &check->workers[thread];
    int rc = 0;
    for (size_t i = index * CHUNK; i < (index + 1) * CHUNK && i < check->pairs.n_destinations && rc == 0; i++) {
        if (check->by_tree)
            check_tree(check, worker, check->pairs.destinations[i]);
        else
            rc = check_paths(check, worker, check->pairs.destinations[i]);
    }
    return rc;
}

static int new_worker(const struct check *check, struct worker *worker)
{
    static const char what[] = "a check of routes";
    if (check->by_tree) {
        worker->used = cw_new_array(cw_network_switches(check->net), sizeof *worker->used, what);
        return worker->used ? cw_tree_new(check->routes, &worker->tree) : CW_ENOMEM;
    }
    const size_t n_channels = (size_t)check->batch * cw_routes_max_hops(check->routes);
    worker->src = cw_new_array(check->batch, sizeof *worker->src, what);
    worker->dst = cw_new_array(check->batch, sizeof *worker->dst, what);
    worker->hops = cw_new_array(check->batch, sizeof *worker->hops, what);
    worker->channels = cw_new_array(n_channels, sizeof *worker->channels, what);
    worker->lanes = cw_new_array(n_channels, sizeof *worker->lanes, what);
    return worker->src && worker->dst && worker->hops && worker->channels && worker->lanes ? 0 : CW_ENOMEM;
}

static void free_workers(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; workers && i < n; i++) {
        cw_tree_free(&workers[i].tree);
        free(workers[i].used);
        free(workers[i].src);
        free(workers[i].dst);
        free(workers[i].hops);
        free(workers[i].channels);
        free(workers[i].lanes);
    }
    free(workers);
}

static int find_sources(struct check *check)
{
    const struct cw_network *net = check->net;
    const uint32_t n_switches = cw_network_switches(net);
    check->first_source = cw_new_array(n_switches, sizeof *check->first_source, "sources");
    check->others = cw_new_array(net->n_endpoints, sizeof *check->others, "sources");
    if (!check->first_source || !check->others) return CW_ENOMEM;
    for (uint32_t i = 0; i < n_switches; i++) check->first_source[i] = CW_NONE;
    for (uint32_t v = 0; v < net->n_endpoints; v++) {
        const uint32_t at = cw_pairs_switch(net, v);
        if (at == CW_NONE)
            check->others[check->n_others++] = v;
        else if (check->first_source[at - net->n_endpoints] == CW_NONE)
            check->first_source[at - net->n_endpoints] = net->first[v];
    }
    return 0;
}

static int find_dependencies(struct check *check, uint64_t max_pairs, unsigned n_threads)
{
    int rc = cw_pairs_new(check->net, NULL, check->by_tree ? 0 : max_pairs, &check->pairs);
    if (rc == 0) rc = cw_dependencies_new(check->net, cw_routes_lanes(check->routes), &check->graph);
    if (rc == 0) rc = find_sources(check);
    if (rc) return rc;
    const size_t n_chunks = (check->pairs.n_destinations + (size_t)CHUNK - 1) / CHUNK;
    const unsigned threads = cw_parallel_threads(n_threads, n_chunks);
    const uint32_t stride = cw_routes_max_hops(check->routes);
    check->batch = stride > 0 && stride < BATCH_CHANNELS ? BATCH_CHANNELS / stride : 1;
    check->workers = cw_new_array(threads, sizeof *check->workers, "a check of routes");
    if (!check->workers) return CW_ENOMEM;
    for (unsigned i = 0; i < threads && rc == 0; i++) rc = new_worker(check, &check->workers[i]);
    if (rc == 0) rc = cw_parallel_for(n_threads, n_chunks, check_chunk, check);
    if (rc == 0 && check->by_tree) spread_sources(check);
    free_workers(check->workers, threads);
    return rc;
}

int cw_routes_deadlock(const struct cw_routes *routes, uint64_t max_pairs, unsigned n_threads, struct cw_deadlock *out)
{
    const struct cw_routes *tables = NULL;
    struct cw_routes *made = NULL;
    int rc = cw_routes_lanes(routes) == 1 ? cw_pairs_tables(routes, max_pairs, n_threads, &tables, &made) : 0;
    if (rc) return rc;
    struct check check = {
        .net = cw_routes_network(routes), .routes = tables ? tables : routes, .by_tree = tables != NULL};
    rc = find_dependencies(&check, max_pairs, n_threads);
    struct cw_deadlock found = {.sampled = check.pairs.sampled};
    if (rc == 0) rc = cw_dependencies_cycle(&check.graph, &found.cycle, &found.cycle_lanes, &found.cycle_length);
    if (rc == 0) {
        found.acyclic = found.cycle_length == 0;
        found.dependencies = cw_dependencies_count(&check.graph);
        *out = found;
    }
    cw_pairs_free(&check.pairs);
    cw_dependencies_free(&check.graph);
    free(check.first_source);
    free(check.others);
    cw_routes_free(made);
    return rc;
}

void cw_deadlock_free(struct cw_deadlock *deadlock)
{
    if (!deadlock) return;
    free(deadlock->cycle);
    free(deadlock->cycle_lanes);
    *deadlock = (struct cw_deadlock){0};
}
