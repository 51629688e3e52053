#include "flow/pricing/path_search.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/memory.h"
#include "net/network_internal.h"

static bool is_arc(const struct cw_flow_problem *problem, uint32_t channel, uint32_t to)
{
    return problem->capacity[channel] > 0 && cw_network_forwards(problem->net, to);
}

/* Arcs of the direction: of a vertex's port the channel that leaves there, or the one that comes in. */
static void make_arcs(struct cw_path_search *search)
{
    const struct cw_network *net = search->problem->net;
    size_t n = 0;
    for (uint32_t v = 0; v < net->n_vertices; v++) {
        search->first[v] = n;
        for (uint32_t port = net->first[v]; port < net->first[v + 1]; port++) {
            const uint32_t channel = search->backward ? net->twin[port] : port;
            if (!is_arc(search->problem, channel, net->head[port])) continue;
            search->arcs[n++] = (struct cw_search_arc){.vertex = net->head[port], .channel = channel};
        }
    }
    search->first[net->n_vertices] = n;
}

int cw_path_search_make(const struct cw_flow_problem *problem, bool backward, struct cw_path_search *out)
{
    const struct cw_network *net = problem->net;
    struct cw_path_search search = {.problem = problem, .backward = backward};
    search.first = cw_new_array((size_t)net->n_vertices + 1, sizeof *search.first, "searches");
    search.arcs = cw_new_array(net->n_channels, sizeof *search.arcs, "searches");
    search.distance = cw_new_array(net->n_vertices, sizeof *search.distance, "searches");
    search.parent = cw_new_array(net->n_vertices, sizeof *search.parent, "searches");
    search.wanted = cw_new_array(net->n_vertices, sizeof *search.wanted, "searches");
    search.heap = cw_new_array((size_t)net->n_channels + 1, sizeof *search.heap, "searches");
    search.waiting = cw_new_array((size_t)net->n_channels + 1, sizeof *search.waiting, "searches");
    if (!search.first || !search.arcs || !search.distance || !search.parent || !search.wanted || !search.heap ||
        !search.waiting) {
        cw_path_search_free(&search);
        return CW_ENOMEM;
    }
    make_arcs(&search);
    *out = search;
    return 0;
}

void cw_path_search_free(struct cw_path_search *search)
{
    if (!search) return;
    free(search->first);
    free(search->arcs);
    free(search->distance);
    free(search->parent);
    free(search->wanted);
    free(search->heap);
    free(search->waiting);
    *search = (struct cw_path_search){0};
}

uint32_t cw_path_search_root(const struct cw_flow_problem *problem, uint32_t endpoint)
{
    const struct cw_network *net = problem->net;
    if (cw_network_degree(net, endpoint) != 1) return endpoint;
    const uint32_t neighbour = net->head[net->first[endpoint]];
    return cw_network_is_endpoint(net, neighbour) ? endpoint : neighbour;
}

void cw_path_search_begin(struct cw_path_search *search)
{
    search->searches++;
    search->n_wanted = 0;
}

void cw_path_search_want(struct cw_path_search *search, uint32_t endpoint)
{
    const struct cw_network *net = search->problem->net;
    for (uint32_t port = net->first[endpoint]; port < net->first[endpoint + 1]; port++) {
        uint32_t *wanted = &search->wanted[net->head[port]];
        if (*wanted == search->searches) continue;
        *wanted = search->searches;
        search->n_wanted++;
    }
}

static inline bool is_nearer(const struct cw_search_item *a, const struct cw_search_item *b)
{
    return a->key < b->key;
}

#define IS_NEARER(search, a, b) is_nearer(a, b)
CW_HEAP(heap, struct cw_search_item, 4, struct cw_path_search *, IS_NEARER, CW_HEAP_PUT)

static void heap_add(struct cw_path_search *search, double key, uint32_t vertex)
{
    heap_push(search, search->heap, &search->heap_n, (struct cw_search_item){.key = key, .vertex = vertex});
}

/* --- buckets ------------------------------------------------------------------------------------------------------ */

/* Links the waiting item I into its bucket, which comes after the current one. */
static void link_item(struct cw_path_search *search, uint32_t i)
{
    struct cw_search_item *item = &search->waiting[i];
    const double position = (item->key - search->base) / search->width;
    const uint32_t last = CW_SEARCH_BUCKETS - 1;
    const uint32_t bucket = position < last ? (uint32_t)position : last;
    item->next = search->bucket[bucket];
    search->bucket[bucket] = i;
}

static void put(struct cw_path_search *search, double key, uint32_t vertex)
{
    if (key < search->base + (search->current + 1) * search->width) {
        heap_add(search, key, vertex);
        return;
    }
    search->waiting[search->waiting_n] = (struct cw_search_item){.key = key, .vertex = vertex};
    link_item(search, search->waiting_n++);
}

/* Spreads the last bucket over all of them, twice as wide, from the nearest vertex on. */
static void spread_last(struct cw_path_search *search)
{
    const uint32_t last = CW_SEARCH_BUCKETS - 1;
    double least = INFINITY;
    for (uint32_t i = search->bucket[last]; i != CW_NONE; i = search->waiting[i].next)
        least = fmin(least, search->waiting[i].key);
    search->base = least;
    search->width *= 2;
    search->current = 0;
    uint32_t next, i = search->bucket[last];
    for (search->bucket[last] = CW_NONE; i != CW_NONE; i = next) {
        next = search->waiting[i].next;
        link_item(search, i);
    }
}

/* Fills the empty heap with the next bucket that has anything; false if none has. */
static bool next_bucket(struct cw_path_search *search)
{
    const uint32_t last = CW_SEARCH_BUCKETS - 1;
    while (search->heap_n == 0) {
        while (search->current < last && search->bucket[search->current] == CW_NONE) search->current++;
        if (search->current == last) {
            if (search->bucket[last] == CW_NONE) return false;
            spread_last(search);
        }
        uint32_t i = search->bucket[search->current];
        for (search->bucket[search->current] = CW_NONE; i != CW_NONE; i = search->waiting[i].next) {
            const struct cw_search_item *item = &search->waiting[i];
            if (!(item->key > search->distance[item->vertex])) heap_add(search, item->key, item->vertex);
        }
    }
    return true;
}

/* --- search ------------------------------------------------------------------------------------------------------- */

static void start(struct cw_path_search *search, uint32_t root, double width)
{
    for (uint32_t v = 0; v < search->problem->net->n_vertices; v++) search->distance[v] = INFINITY;
    for (uint32_t i = 0; i < CW_SEARCH_BUCKETS; i++) search->bucket[i] = CW_NONE;
    search->distance[root] = 0;
    search->parent[root] = CW_NONE;
    search->heap_n = 0;
    search->waiting_n = 0;
    search->current = 0;
    search->base = 0;
    search->width = width;
    put(search, 0, root);
}

/* Most of the time goes by waiting for arcs: those of the vertices that come next are on their way meanwhile. */
static void prefetch_next(const struct cw_path_search *search)
{
    for (size_t i = 0; i < 2 && i < search->heap_n; i++) {
        const char *arcs = (const char *)(search->arcs + search->first[search->heap[i].vertex]);
        for (unsigned line = 0; line < 3; line++) __builtin_prefetch(arcs + line * 64);
    }
}

void cw_path_search_run(struct cw_path_search *search, uint32_t root, double width)
{
    start(search, root, width);
    while (search->heap_n > 0 || next_bucket(search)) {
        const struct cw_search_item item = heap_pop(search, search->heap, &search->heap_n);
        if (item.key > search->distance[item.vertex]) continue;
        if (search->wanted[item.vertex] == search->searches && --search->n_wanted == 0) break;
        prefetch_next(search);
        for (size_t i = search->first[item.vertex]; i < search->first[item.vertex + 1]; i++) {
            const struct cw_search_arc arc = search->arcs[i];
            const double distance = item.key + arc.length;
            if (distance >= search->distance[arc.vertex]) continue;
            search->distance[arc.vertex] = distance;
            search->parent[arc.vertex] = arc.channel;
            put(search, distance, arc.vertex);
        }
    }
}

void cw_path_search_set(struct cw_path_search *search, const double *length)
{
    for (size_t i = 0; i < search->first[search->problem->net->n_vertices]; i++)
        search->arcs[i].length = length[search->arcs[i].channel];
}

double cw_path_search_width(const struct cw_path_search *search, const double *length)
{
    double sum = 0;
    size_t n = 0;
    for (uint32_t v = 0; v < search->problem->net->n_vertices; v++) {
        double least = INFINITY;
        for (size_t i = search->first[v]; i < search->first[v + 1]; i++) {
            const double l = length[search->arcs[i].channel];
            if (l > 0) least = fmin(least, l);
        }
        if (isinf(least)) continue;
        sum += least;
        n++;
    }
    return n > 0 ? sum / (double)n : 1;
}

double cw_path_search_distance(const struct cw_path_search *search, uint32_t endpoint, const double *length,
                               uint32_t *channel)
{
    const struct cw_network *net = search->problem->net;
    double best = INFINITY;
    for (uint32_t port = net->first[endpoint]; port < net->first[endpoint + 1]; port++) {
        const uint32_t c = search->backward ? port : net->twin[port];
        if (!(search->problem->capacity[c] > 0)) continue;
        const double distance = search->distance[net->head[port]] + length[c];
        if (distance >= best) continue;
        best = distance;
        *channel = c;
    }
    return best;
}

static void reverse(uint32_t *items, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        const uint32_t item = items[i];
        items[i] = items[n - 1 - i];
        items[n - 1 - i] = item;
    }
}

static uint32_t onwards(const struct cw_path_search *search, uint32_t channel)
{
    const struct cw_network *net = search->problem->net;
    return search->backward ? net->head[channel] : net->tail[channel];
}

/* The channel by which a path to the root goes on from VERTEX: where it is DRAWn, one that takes no more than *SLACK.
 */
static uint32_t next_channel(const struct cw_path_search *search, uint32_t vertex, const struct cw_path_draw *draw,
                             double *slack)
{
    const struct cw_network *net = search->problem->net;
    const double here = search->distance[vertex];
    uint32_t chosen = search->parent[vertex], n = 0;
    if (!draw || chosen == CW_NONE) return chosen;
    double chosen_takes = 0;
    for (uint32_t port = net->first[vertex]; port < net->first[vertex + 1]; port++) {
        const double before = search->distance[net->head[port]];
        if (!(before < here)) continue;
        const uint32_t c = search->backward ? port : net->twin[port];
        const double takes = before + draw->length[c] - here;
        if (takes > *slack || !(search->problem->capacity[c] > 0) || cw_random_below(draw->random, ++n) != 0) continue;
        chosen = c;
        chosen_takes = fmax(takes, 0);
    }
    *slack -= chosen_takes;
    return chosen;
}

/* Puts the channels from VERTEX to the root into CHANNELS, in this order; how many there are. */
static uint32_t to_root(const struct cw_path_search *search, uint32_t vertex, const struct cw_path_draw *draw,
                        double *slack, uint32_t *channels)
{
    uint32_t n = 0;
    for (uint32_t c; (c = next_channel(search, vertex, draw, slack)) != CW_NONE; vertex = onwards(search, c))
        channels[n++] = c;
    return n;
}

uint32_t cw_path_search_path(const struct cw_path_search *search, uint32_t near, uint32_t channel,
                             const struct cw_path_draw *draw, uint32_t *channels)
{
    const struct cw_network *net = search->problem->net;
    double slack = draw ? draw->slack : 0;
    channels[0] = channel;
    uint32_t n = 1 + to_root(search, onwards(search, channel), draw, &slack, channels + 1);
    const uint32_t port = net->first[near];
    if (cw_path_search_root(search->problem, near) != near) channels[n++] = search->backward ? net->twin[port] : port;
    if (!search->backward) reverse(channels, n);
    return n;
}
