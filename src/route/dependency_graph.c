#include "route/dependency_graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

/* Vertices are numbered channel · lanes + lane. 32 bits do for them: rows of more would not fit into memory. */
#define NO_VERTEX UINT32_MAX

int cw_dependencies_new(const struct cw_network *net, uint32_t lanes, struct cw_dependencies *graph)
{
    const uint64_t n = (uint64_t)net->n_channels * lanes;
    if (n >= NO_VERTEX)
        return cw_fail(CW_ELIMIT, "%u channels with %u lanes make too many dependencies", net->n_channels, lanes);
    struct cw_dependencies made = {.net = net, .lanes = lanes};
    made.row = cw_new_array((size_t)n + 1, sizeof *made.row, "channel dependencies");
    if (!made.row) return CW_ENOMEM;
    size_t at = 0;
    for (uint32_t vertex = 0; vertex < n; vertex++) {
        const uint32_t head = net->head[vertex / lanes];
        made.row[vertex] = at;
        if (cw_network_forwards(net, head)) at += ((size_t)cw_network_degree(net, head) * lanes + 63) / 64;
    }
    made.row[n] = at;
    made.words = cw_new_array(at, sizeof *made.words, "channel dependencies");
    if (!made.words) {
        free(made.row);
        return CW_ENOMEM;
    }
    *graph = made;
    return 0;
}

void cw_dependencies_free(struct cw_dependencies *graph)
{
    if (!graph) return;
    free(graph->row);
    free(graph->words);
    *graph = (struct cw_dependencies){0};
}

void cw_dependencies_copy(struct cw_dependencies *graph, uint32_t from, uint32_t to, uint32_t without)
{
    const size_t source = graph->row[(size_t)from * graph->lanes], target = graph->row[(size_t)to * graph->lanes];
    const size_t length = graph->row[(size_t)from * graph->lanes + 1] - source;
    const uint32_t bit = (without - graph->net->first[graph->net->tail[without]]) * graph->lanes;
    memmove(graph->words + target, graph->words + source, length * sizeof *graph->words);
    graph->words[target + bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

uint64_t cw_dependencies_count(const struct cw_dependencies *graph)
{
    const size_t n = graph->row[(size_t)graph->net->n_channels * graph->lanes];
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) count += (uint64_t)__builtin_popcountll(graph->words[i]);
    return count;
}

/* --- cycles ------------------------------------------------------------------------------------------------------- */

/* Where a loop over the edges of a vertex has come to. */
struct edges {
    uint32_t vertex;
    size_t word;
    uint64_t bits; /* of that word, not yet seen */
};

static struct edges edges_of(const struct cw_dependencies *graph, uint32_t vertex)
{
    const size_t word = graph->row[vertex];
    return (struct edges){vertex, word, word < graph->row[vertex + 1] ? graph->words[word] : 0};
}

/* The next vertex that an edge leads to, or NO_VERTEX. */
static uint32_t next_edge(const struct cw_dependencies *graph, struct edges *edges)
{
    const size_t end = graph->row[edges->vertex + 1];
    while (edges->bits == 0) {
        if (edges->word + 1 >= end) return NO_VERTEX;
        edges->bits = graph->words[++edges->word];
    }
    const uint32_t bit =
        (uint32_t)(edges->word - graph->row[edges->vertex]) * 64 + (uint32_t)__builtin_ctzll(edges->bits);
    edges->bits &= edges->bits - 1;
    return graph->net->first[graph->net->head[edges->vertex / graph->lanes]] * graph->lanes + bit;
}

struct search {
    const struct cw_dependencies *graph;
    uint32_t n;
    uint8_t *state;      /* of a vertex in the depth-first search */
    struct edges *stack; /* its vertices in progress */
    uint32_t *before;    /* in the breadth-first search: from where a vertex was met, or NO_VERTEX */
    uint32_t *queue;
    uint32_t *cycle;
    uint32_t length;
};

enum { NEW, IN_PROGRESS, DONE };

/* Depth-first from ROOT: a vertex on a cycle, or NO_VERTEX. */
static uint32_t meet_cycle(struct search *search, uint32_t root)
{
    size_t depth = 0;
    search->stack[depth++] = edges_of(search->graph, root);
    search->state[root] = IN_PROGRESS;
    while (depth > 0) {
        const uint32_t next = next_edge(search->graph, &search->stack[depth - 1]);
        if (next == NO_VERTEX) {
            search->state[search->stack[--depth].vertex] = DONE;
        } else if (search->state[next] == IN_PROGRESS) {
            return next;
        } else if (search->state[next] == NEW) {
            search->state[next] = IN_PROGRESS;
            search->stack[depth++] = edges_of(search->graph, next);
        }
    }
    return NO_VERTEX;
}

/* Breadth-first from START, which is on a cycle, until it is met again: finds a shortest cycle through it. */
static void shortest_through(struct search *search, uint32_t start)
{
    uint32_t n = 0, done = 0;
    memset(search->before, 0xff, search->n * sizeof *search->before); /* NO_VERTEX */
    search->queue[n++] = start;
    while (search->before[start] == NO_VERTEX && done < n) {
        struct edges edges = edges_of(search->graph, search->queue[done++]);
        for (uint32_t next; (next = next_edge(search->graph, &edges)) != NO_VERTEX;) {
            if (search->before[next] != NO_VERTEX) continue;
            search->before[next] = edges.vertex;
            if (next != start) search->queue[n++] = next;
        }
    }
    search->length = 1;
    for (uint32_t v = search->before[start]; v != start; v = search->before[v]) search->length++;
    uint32_t v = start;
    for (uint32_t i = search->length; i-- > 0;) search->cycle[i] = v = search->before[v];
}

static int give_cycle(const struct search *search, uint32_t **channels, uint8_t **lanes, uint32_t *length)
{
    uint32_t *c = cw_new_array(search->length, sizeof *c, "a cycle");
    uint8_t *l = cw_new_array(search->length, sizeof *l, "a cycle");
    if (!c || !l) {
        free(c);
        free(l);
        return CW_ENOMEM;
    }
    for (uint32_t i = 0; i < search->length; i++) {
        c[i] = search->cycle[i] / search->graph->lanes;
        l[i] = (uint8_t)(search->cycle[i] % search->graph->lanes);
    }
    *channels = c;
    *lanes = l;
    *length = search->length;
    return 0;
}

static int search_cycle(struct search *search, uint32_t **channels, uint8_t **lanes, uint32_t *length)
{
    static const char what[] = "the search for a cycle";
    uint32_t start = NO_VERTEX;
    search->state = cw_new_array(search->n, sizeof *search->state, what);
    search->stack = cw_new_array(search->n, sizeof *search->stack, what);
    if (!search->state || !search->stack) return CW_ENOMEM;
    for (uint32_t v = 0; v < search->n && start == NO_VERTEX; v++)
        if (search->state[v] == NEW) start = meet_cycle(search, v);
    if (start == NO_VERTEX) {
        *channels = NULL;
        *lanes = NULL;
        *length = 0;
        return 0;
    }
    search->before = cw_new_array(search->n, sizeof *search->before, what);
    search->queue = cw_new_array(search->n, sizeof *search->queue, what);
    search->cycle = cw_new_array(search->n, sizeof *search->cycle, what);
    if (!search->before || !search->queue || !search->cycle) return CW_ENOMEM;
    shortest_through(search, start);
    return give_cycle(search, channels, lanes, length);
}

int cw_dependencies_cycle(const struct cw_dependencies *graph, uint32_t **channels, uint8_t **lanes, uint32_t *length)
{
    struct search search = {.graph = graph, .n = graph->net->n_channels * graph->lanes};
    const int rc = search_cycle(&search, channels, lanes, length);
    free(search.state);
    free(search.stack);
    free(search.before);
    free(search.queue);
    free(search.cycle);
    return rc;
}

/* --- chains ------------------------------------------------------------------------------------------------------- */

int cw_dependencies_chains(const struct cw_dependencies *graph, uint32_t **chain)
{
    static const char what[] = "chains of dependencies";
    const uint32_t n = graph->net->n_channels * graph->lanes;
    uint32_t *length = cw_new_array(n, sizeof *length, what), *before = cw_new_array(n, sizeof *before, what);
    uint32_t *queue = cw_new_array(n, sizeof *queue, what), in_queue = 0;
    const int rc = length && before && queue ? 0 : CW_ENOMEM;
    for (uint32_t v = 0; rc == 0 && v < n; v++) {
        struct edges edges = edges_of(graph, v);
        length[v] = 1;
        for (uint32_t next; (next = next_edge(graph, &edges)) != NO_VERTEX;) before[next]++;
    }
    for (uint32_t v = 0; rc == 0 && v < n; v++)
        if (before[v] == 0) queue[in_queue++] = v;
    for (uint32_t i = 0; i < in_queue; i++) {
        struct edges edges = edges_of(graph, queue[i]);
        for (uint32_t next; (next = next_edge(graph, &edges)) != NO_VERTEX;) {
            if (length[next] <= length[queue[i]]) length[next] = length[queue[i]] + 1;
            if (--before[next] == 0) queue[in_queue++] = next;
        }
    }
    free(before);
    free(queue);
    if (rc)
        free(length);
    else
        *chain = length;
    return rc;
}
