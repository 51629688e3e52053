/*
 * Distances by breadth-first search, 64 sources at a time.
 *
 * Endpoints with the same neighbours are one class: a vertex that only sends at the start and only receives later, with
 * the number of its endpoints as weight. In most networks that is one class a leaf switch; endpoints with several ports
 * need no special case. What is counted is a histogram of distances, in whole numbers, so the order of batches does not
 * matter.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "topo/metrics.h"

#define BATCH 64 /* sources: bits of a word */

/* Classes 0 … n_classes-1, then switches. */
struct graph {
    uint32_t n_classes, n_vertices;
    uint32_t *class_of; /* [endpoints] */
    uint32_t *member;   /* [classes] an endpoint of each */
    uint64_t *weight;   /* [classes] */
    size_t *first;      /* [vertices + 1] */
    uint32_t *next;     /* neighbours, each once */
};

static void graph_free(struct graph *graph)
{
    free(graph->class_of);
    free(graph->member);
    free(graph->weight);
    free(graph->first);
    free(graph->next);
}

/* True if E is cabled to an endpoint: then it is a class of its own. */
static bool is_direct(const struct cw_network *net, uint32_t e)
{
    for (uint32_t c = net->first[e]; c < net->first[e + 1]; c++)
        if (cw_network_is_endpoint(net, net->head[c])) return true;
    return false;
}

/* Orders endpoints by their neighbours; equal ones belong to one class. */
static int compare_neighbours(const void *left, const void *right, void *context)
{
    const struct cw_network *net = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const uint32_t n = cw_network_degree(net, a), m = cw_network_degree(net, b);
    if (a == b) return 0;
    if (n != m) return n < m ? -1 : 1;
    if (n > 0) {
        const int order = memcmp(net->head + net->first[a], net->head + net->first[b], n * sizeof *net->head);
        if (order != 0) return order;
    }
    return !is_direct(net, a) ? 0 : a < b ? -1 : 1;
}

static int make_classes(const struct cw_network *net, struct graph *graph)
{
    const uint32_t n = net->n_endpoints;
    uint32_t *order = cw_new_array(n, sizeof *order, "endpoints");
    graph->class_of = cw_new_array(n, sizeof *graph->class_of, "classes of endpoints");
    graph->member = cw_new_array(n, sizeof *graph->member, "classes of endpoints");
    graph->weight = cw_new_array(n, sizeof *graph->weight, "classes of endpoints");
    if (!order || !graph->class_of || !graph->member || !graph->weight) {
        free(order);
        return CW_ENOMEM;
    }
    for (uint32_t e = 0; e < n; e++) order[e] = e;
    qsort_r(order, n, sizeof *order, compare_neighbours, (void *)net);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || compare_neighbours(&order[i - 1], &order[i], (void *)net) != 0)
            graph->member[graph->n_classes++] = order[i];
        graph->class_of[order[i]] = graph->n_classes - 1;
        graph->weight[graph->n_classes - 1]++;
    }
    free(order);
    return 0;
}

/* The vertex of GRAPH that network vertex V is, or CW_NONE for an endpoint that another stands for. */
static uint32_t vertex_of(const struct graph *graph, const struct cw_network *net, uint32_t v)
{
    if (!cw_network_is_endpoint(net, v)) return graph->n_classes + (v - net->n_endpoints);
    return graph->member[graph->class_of[v]] == v ? graph->class_of[v] : CW_NONE;
}

/* Copies the neighbours of each class and switch, each once. LAST[v] is the last vertex v was a neighbour of. */
static void copy_neighbours(const struct cw_network *net, uint32_t *last, struct graph *graph)
{
    size_t n = 0;
    for (uint32_t v = 0; v < graph->n_vertices; v++) last[v] = CW_NONE;
    for (uint32_t v = 0; v < graph->n_vertices; v++) {
        const uint32_t own = v < graph->n_classes ? graph->member[v] : net->n_endpoints + (v - graph->n_classes);
        graph->first[v] = n;
        for (uint32_t c = net->first[own]; c < net->first[own + 1]; c++) {
            const uint32_t u = vertex_of(graph, net, net->head[c]);
            if (u == CW_NONE || last[u] == v || cw_network_is_closed(net, c)) continue;
            last[u] = v;
            graph->next[n++] = u;
        }
    }
    graph->first[graph->n_vertices] = n;
}

static int graph_new(const struct cw_network *net, struct graph *graph)
{
    memset(graph, 0, sizeof *graph);
    int rc = make_classes(net, graph);
    if (rc == 0) {
        graph->n_vertices = graph->n_classes + cw_network_switches(net);
        uint32_t *last = cw_new_array(graph->n_vertices, sizeof *last, "neighbours");
        graph->first = cw_new_array((size_t)graph->n_vertices + 1, sizeof *graph->first, "neighbours");
        graph->next = cw_new_array(net->n_channels, sizeof *graph->next, "neighbours");
        if (last && graph->first && graph->next)
            copy_neighbours(net, last, graph);
        else
            rc = CW_ENOMEM;
        free(last);
    }
    if (rc) graph_free(graph);
    return rc;
}

/* A source of the search: WEIGHT endpoints of class SOURCE. */
struct source {
    uint32_t source;
    uint64_t weight;
};

/* One thread's. Bit i of a word belongs to source i of the batch. */
struct workspace {
    uint64_t *seen, *frontier, *arriving; /* [vertices] */
    uint64_t *pairs;                      /* [vertices + 2] ordered pairs of endpoints by distance */
    uint64_t steps;                       /* vertices and edges looked at */
};

struct search {
    const struct graph *graph;
    const struct source *sources;
    size_t n_sources, first_batch;
    struct workspace *workspaces;
};

/* Sends the words of the frontier to all neighbours. */
static void expand(const struct graph *graph, struct workspace *w)
{
    for (uint32_t v = 0; v < graph->n_vertices; v++) {
        const uint64_t word = w->frontier[v];
        if (word == 0) continue;
        for (size_t i = graph->first[v]; i < graph->first[v + 1]; i++) w->arriving[graph->next[i]] |= word;
        w->steps += graph->first[v + 1] - graph->first[v];
    }
    w->steps += graph->n_vertices;
}

/* The endpoints among the sources in WORD; EQUAL if all N of the batch weigh the same. */
static uint64_t endpoints_of(uint64_t word, const struct source *sources, bool equal)
{
    if (equal) return (uint64_t)__builtin_popcountll(word) * sources->weight;
    uint64_t sum = 0;
    for (; word; word &= word - 1) sum += sources[__builtin_ctzll(word)].weight;
    return sum;
}

/* Takes in what arrived; classes pass nothing on. False if it was nothing new. */
static bool settle(const struct graph *graph, const struct source *sources, bool equal, uint32_t distance,
                   struct workspace *w)
{
    uint64_t any = 0;
    for (uint32_t v = 0; v < graph->n_vertices; v++) {
        const uint64_t word = w->arriving[v] & ~w->seen[v];
        w->arriving[v] = 0;
        w->seen[v] |= word;
        any |= word;
        w->frontier[v] = v < graph->n_classes ? 0 : word;
        if (v < graph->n_classes && word) w->pairs[distance] += graph->weight[v] * endpoints_of(word, sources, equal);
    }
    return any != 0;
}

static int search_batch(void *context, size_t index, unsigned thread)
{
    const struct search *search = context;
    const struct graph *graph = search->graph;
    const size_t begin = (search->first_batch + index) * BATCH;
    const struct source *sources = search->sources + begin;
    const size_t n = search->n_sources - begin < BATCH ? search->n_sources - begin : BATCH;
    struct workspace *w = &search->workspaces[thread];
    const size_t bytes = graph->n_vertices * sizeof(uint64_t);
    memset(w->seen, 0, bytes);
    memset(w->frontier, 0, bytes);
    memset(w->arriving, 0, bytes);
    bool equal = true;
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = sources[i].source;
        w->seen[v] |= UINT64_C(1) << i;
        w->frontier[v] |= UINT64_C(1) << i;
        equal = equal && sources[i].weight == sources->weight;
        /* Others of the same class are reached through any of their common switches. */
        if (graph->first[v] < graph->first[v + 1]) w->pairs[2] += sources[i].weight * (graph->weight[v] - 1);
    }
    uint32_t distance = 0;
    do expand(graph, w);
    while (settle(graph, sources, equal, ++distance, w));
    return 0;
}

static void workspaces_free(struct workspace *workspaces, unsigned n)
{
    for (unsigned i = 0; workspaces && i < n; i++) {
        free(workspaces[i].seen);
        free(workspaces[i].frontier);
        free(workspaces[i].arriving);
        free(workspaces[i].pairs);
    }
    free(workspaces);
}

static struct workspace *workspaces_new(const struct graph *graph, unsigned n)
{
    struct workspace *workspaces = cw_new_array(n, sizeof *workspaces, "workspaces");
    bool complete = workspaces != NULL;
    for (unsigned i = 0; i < n && complete; i++) {
        struct workspace *w = &workspaces[i];
        w->seen = cw_new_array(graph->n_vertices, sizeof *w->seen, "workspaces");
        w->frontier = cw_new_array(graph->n_vertices, sizeof *w->frontier, "workspaces");
        w->arriving = cw_new_array(graph->n_vertices, sizeof *w->arriving, "workspaces");
        w->pairs = cw_new_array((size_t)graph->n_vertices + 3, sizeof *w->pairs, "workspaces");
        complete = w->seen && w->frontier && w->arriving && w->pairs;
    }
    if (complete) return workspaces;
    workspaces_free(workspaces, n);
    return NULL;
}

/* Adds up the histograms of the N workspaces in that of the first, and reads the figures off. ALL: ordered pairs that
 * begin at the sources. */
static void summarise(struct workspace *workspaces, unsigned n, size_t n_distances, uint64_t all,
                      struct cw_distances *out)
{
    uint64_t reached = 0;
    double sum = 0;
    for (size_t d = 0; d < n_distances; d++) {
        for (unsigned i = 1; i < n; i++) workspaces[0].pairs[d] += workspaces[i].pairs[d];
        const uint64_t pairs = workspaces[0].pairs[d];
        if (pairs > 0) out->diameter = (uint32_t)d;
        reached += pairs;
        sum += (double)d * (double)pairs;
    }
    out->mean_distance = reached > 0 ? sum / (double)reached : 0;
    out->unreachable = all - reached;
}

/* Replaces the sources, one a class, by N random endpoints of their own weight. */
static int draw_sources(const struct cw_network *net, const struct graph *graph, uint64_t seed, size_t n,
                        struct source *sources)
{
    uint32_t *endpoints = cw_new_array(net->n_endpoints, sizeof *endpoints, "a sample of endpoints");
    if (!endpoints) return CW_ENOMEM;
    struct cw_random random = cw_random_of(seed, CW_STREAM_SAMPLE, 0);
    for (uint32_t e = 0; e < net->n_endpoints; e++) endpoints[e] = e;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = i + cw_random_below(&random, net->n_endpoints - i), chosen = endpoints[j];
        endpoints[j] = endpoints[i];
        sources[i] = (struct source){graph->class_of[chosen], 1};
    }
    free(endpoints);
    return 0;
}

/* Searches from all sources, or from a sample if the first batch shows that all would be too many steps. */
static int search_all(const struct cw_network *net, const struct graph *graph, unsigned n_threads, uint64_t seed,
                      double max_steps, struct source *sources, struct cw_distances *out, uint64_t **counts)
{
    struct search search = {.graph = graph, .sources = sources, .n_sources = graph->n_classes};
    size_t batches = (search.n_sources + BATCH - 1) / BATCH;
    const unsigned threads = cw_parallel_threads(n_threads, batches);
    struct workspace *workspaces = workspaces_new(graph, threads);
    if (!workspaces) return CW_ENOMEM;
    search.workspaces = workspaces;
    const uint64_t n = net->n_endpoints;
    const size_t n_distances = (size_t)graph->n_vertices + 3;
    struct cw_distances distances = {.exact = true, .sources = graph->n_classes};
    int rc = search_batch(&search, 0, 0);
    const double most = max_steps / (double)workspaces[0].steps;
    if ((double)batches > most) {
        batches = most < 1 ? 1 : (size_t)most;
        search.n_sources = batches * BATCH;
        distances.exact = false;
        distances.sources = (uint32_t)search.n_sources;
        memset(workspaces[0].pairs, 0, n_distances * sizeof *workspaces[0].pairs);
        rc = draw_sources(net, graph, seed, search.n_sources, sources);
    } else {
        search.first_batch = 1;
    }
    if (rc == 0) rc = cw_parallel_for(threads, batches - search.first_batch, search_batch, &search);
    if (rc == 0) {
        summarise(workspaces, threads, n_distances, (distances.exact ? n : distances.sources) * (n - 1), &distances);
        if (!distances.exact)
            distances.unreachable = (uint64_t)((double)distances.unreachable * (double)n / distances.sources);
        *out = distances;
    }
    if (rc == 0 && counts) {
        *counts = workspaces[0].pairs;
        workspaces[0].pairs = NULL;
    }
    workspaces_free(workspaces, threads);
    return rc;
}

/* COUNTS gets the pairs by distance, unless it is NULL. NET has endpoints. */
static int search_network(const struct cw_network *net, unsigned n_threads, uint64_t seed, double max_steps,
                          struct cw_distances *out, uint64_t **counts)
{
    struct graph graph;
    int rc = graph_new(net, &graph);
    if (rc) return rc;
    struct source *sources = cw_new_array(graph.n_classes, sizeof *sources, "sources");
    for (uint32_t i = 0; sources && i < graph.n_classes; i++) sources[i] = (struct source){i, graph.weight[i]};
    rc = sources ? search_all(net, &graph, n_threads, seed, max_steps, sources, out, counts) : CW_ENOMEM;
    free(sources);
    graph_free(&graph);
    return rc;
}

int cw_network_distances_by_search(const struct cw_network *net, unsigned n_threads, uint64_t seed, double max_steps,
                                   struct cw_distances *out)
{
    if (net->n_endpoints > 0) return search_network(net, n_threads, seed, max_steps, out, NULL);
    *out = (struct cw_distances){.exact = true};
    return 0;
}

int cw_network_distance_counts(const struct cw_network *net, unsigned n_threads, uint64_t seed, double max_steps,
                               uint64_t **out, uint32_t *n, struct cw_distances *distances)
{
    if (net->n_endpoints == 0) return cw_fail(CW_EUSAGE, "a network without endpoints has no distances");
    const int rc = search_network(net, n_threads, seed, max_steps, distances, out);
    if (!rc) *n = distances->diameter + 1;
    return rc;
}

int cw_network_distances(const struct cw_network *net, unsigned n_threads, uint64_t seed, struct cw_distances *out)
{
    const int rc = cw_network_distances_by_formula(net, out);
    return rc == CW_EUSAGE ? cw_network_distances_by_search(net, n_threads, seed, CW_DISTANCES_STEPS, out) : rc;
}
