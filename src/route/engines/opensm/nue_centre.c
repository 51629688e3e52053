/*
 * Where nue's ways in reserve begin: the switch that most shortest ways between destinations pass (Brandes, "A faster
 * algorithm for betweenness centrality", Journal of Mathematical Sociology 25, 2001), and the tree from there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "route/engines/opensm/nue_internal.h"

/* --- the heap ----------------------------------------------------------------------------------------------------- */

#define BRANCHES 4u

int cw_nue_heap_new(uint32_t items, struct cw_nue_heap *heap)
{
    static const char what[] = "a heap";
    *heap = (struct cw_nue_heap){.key = cw_new_array(items, sizeof *heap->key, what),
                                 .item = cw_new_array(items, sizeof *heap->item, what),
                                 .place = cw_new_array(items, sizeof *heap->place, what)};
    return heap->key && heap->item && heap->place ? 0 : CW_ENOMEM;
}

void cw_nue_heap_free(struct cw_nue_heap *heap)
{
    free(heap->key);
    free(heap->item);
    free(heap->place);
    *heap = (struct cw_nue_heap){0};
}

static void put(struct cw_nue_heap *heap, uint32_t place, uint64_t key, uint32_t item)
{
    heap->key[place] = key;
    heap->item[place] = item;
    heap->place[item] = place;
}

static void sift_up(struct cw_nue_heap *heap, uint32_t place)
{
    const uint64_t key = heap->key[place];
    const uint32_t item = heap->item[place];
    while (place > 0 && key < heap->key[(place - 1) / BRANCHES]) {
        const uint32_t above = (place - 1) / BRANCHES;
        put(heap, place, heap->key[above], heap->item[above]);
        place = above;
    }
    put(heap, place, key, item);
}

static void sift_down(struct cw_nue_heap *heap, uint32_t place)
{
    const uint64_t key = heap->key[place];
    const uint32_t item = heap->item[place];
    for (;;) {
        const uint64_t first = (uint64_t)place * BRANCHES + 1;
        if (first >= heap->n) break;
        uint32_t least = (uint32_t)first;
        for (uint32_t i = least + 1; i < first + BRANCHES && i < heap->n; i++)
            if (heap->key[i] <= heap->key[least]) least = i;
        if (key <= heap->key[least]) break;
        put(heap, place, heap->key[least], heap->item[least]);
        place = least;
    }
    put(heap, place, key, item);
}

void cw_nue_heap_add(struct cw_nue_heap *heap, uint64_t key, uint32_t item)
{
    put(heap, heap->n, key, item);
    sift_up(heap, heap->n++);
}

void cw_nue_heap_lower(struct cw_nue_heap *heap, uint64_t key, uint32_t item)
{
    heap->key[heap->place[item]] = key;
    sift_up(heap, heap->place[item]);
}

void cw_nue_heap_remove(struct cw_nue_heap *heap, uint32_t item)
{
    const uint32_t place = heap->place[item], last = --heap->n;
    if (place == last) return;
    put(heap, place, heap->key[last], heap->item[last]);
    if (place > 0 && heap->key[place] < heap->key[(place - 1) / BRANCHES])
        sift_up(heap, place);
    else if (place == 0 || heap->key[place] > heap->key[(place - 1) / BRANCHES])
        sift_down(heap, place);
}

uint32_t cw_nue_heap_take(struct cw_nue_heap *heap)
{
    if (heap->n == 0) return CW_NONE;
    const uint32_t item = heap->item[0];
    cw_nue_heap_remove(heap, item);
    return item;
}

int cw_nue_part_new(const struct cw_network *net, struct cw_nue_part *part)
{
    static const char what[] = "a part of a fabric";
    const uint32_t n = cw_network_switches(net);
    *part = (struct cw_nue_part){.net = net};
    part->order = cw_new_array(n, sizeof *part->order, what);
    part->weight = cw_new_array(net->n_channels, sizeof *part->weight, what);
    part->distance = cw_new_array(n, sizeof *part->distance, what);
    part->into = cw_new_array(n, sizeof *part->into, what);
    if (!part->order || !part->weight || !part->distance || !part->into) return CW_ENOMEM;
    return cw_nue_heap_new(n, &part->heap);
}

void cw_nue_part_free(struct cw_nue_part *part)
{
    free(part->order);
    free(part->weight);
    free(part->distance);
    free(part->into);
    cw_nue_heap_free(&part->heap);
    *part = (struct cw_nue_part){0};
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

void cw_nue_grow(struct cw_nue_part *part, uint32_t root)
{
    const struct cw_network *net = part->net;
    for (uint32_t i = 0; i < part->n; i++) {
        part->distance[part->order[i]] = CW_NUE_FAR;
        part->into[part->order[i]] = CW_NONE;
        cw_nue_heap_add(&part->heap, CW_NUE_FAR, part->order[i]);
    }
    part->distance[root] = 0;
    cw_nue_heap_lower(&part->heap, 0, root);
    for (uint32_t v; (v = cw_nue_heap_take(&part->heap)) != CW_NONE;)
        for (uint32_t c = cw_nue_first(net, v); c < cw_nue_first(net, v + 1); c++) {
            if (!cw_nue_leads_on(net, c)) continue;
            const uint32_t u = cw_nue_head(net, c);
            const uint64_t distance = part->distance[v] + part->weight[c];
            if (distance >= part->distance[u]) continue;
            part->into[u] = c;
            part->distance[u] = distance;
            cw_nue_heap_lower(&part->heap, distance, u);
        }
}

/* --- the centre --------------------------------------------------------------------------------------------------- */

struct centre {
    const struct cw_nue_part *part;
    const uint32_t *n_here;
    bool *inside; /* [switches] on a shortest way between destinations */
    bool *passed;
    uint32_t *hops, *queue, *before, *n_before; /* BEFORE: [n_channels] the switches one hop nearer, those of v from
                                                   first[v] on, one for each cable */
    uint64_t *ways;
    double *share, *all; /* of the ways from one switch, of all */
};

static void centre_free(struct centre *centre)
{
    free(centre->inside);
    free(centre->passed);
    free(centre->hops);
    free(centre->queue);
    free(centre->before);
    free(centre->n_before);
    free(centre->ways);
    free(centre->share);
    free(centre->all);
}

static int centre_new(const struct cw_nue_part *part, const uint32_t *n_here, struct centre *centre)
{
    static const char what[] = "the centre of a network";
    const uint32_t n = cw_network_switches(part->net);
    *centre = (struct centre){.part = part, .n_here = n_here};
    centre->inside = cw_new_array(n, sizeof *centre->inside, what);
    centre->passed = cw_new_array(n, sizeof *centre->passed, what);
    centre->hops = cw_new_array(n, sizeof *centre->hops, what);
    centre->queue = cw_new_array(n, sizeof *centre->queue, what);
    centre->before = cw_new_array(part->net->n_channels, sizeof *centre->before, what);
    centre->n_before = cw_new_array(n, sizeof *centre->n_before, what);
    centre->ways = cw_new_array(n, sizeof *centre->ways, what);
    centre->share = cw_new_array(n, sizeof *centre->share, what);
    centre->all = cw_new_array(n, sizeof *centre->all, what);
    return centre->inside && centre->passed && centre->hops && centre->queue && centre->before && centre->n_before &&
                   centre->ways && centre->share && centre->all
               ? 0
               : CW_ENOMEM;
}

/* Breadth first from START, through what is inside if INSIDE, with the number of ways and who is before whom. */
static uint32_t search(struct centre *centre, uint32_t start, bool inside)
{
    const struct cw_network *net = centre->part->net;
    uint32_t n = 0;
    for (uint32_t i = 0; i < centre->part->n; i++) {
        const uint32_t v = centre->part->order[i];
        centre->hops[v] = CW_NONE;
        centre->ways[v] = 0;
        centre->n_before[v] = 0;
    }
    centre->hops[start] = 0;
    centre->ways[start] = 1;
    centre->queue[n++] = start;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = centre->queue[i];
        for (uint32_t c = cw_nue_first(net, v); c < cw_nue_first(net, v + 1); c++) {
            const uint32_t u = cw_nue_head(net, c);
            if (!cw_nue_leads_on(net, c) || (inside && !centre->inside[u])) continue;
            if (centre->hops[u] == CW_NONE) {
                centre->hops[u] = centre->hops[v] + 1;
                centre->queue[n++] = u;
            }
            if (centre->hops[u] != centre->hops[v] + 1) continue;
            centre->ways[u] += centre->ways[v];
            centre->before[cw_nue_first(net, u) + centre->n_before[u]++] = v;
        }
    }
    return n;
}

/* Takes in what lies between START and all that is inside. As with OpenSM, what comes in on the way may be too late to
 * be a start itself. */
static void enclose(struct centre *centre, uint32_t start)
{
    const struct cw_nue_part *part = centre->part;
    search(centre, start, false);
    memset(centre->passed, 0, cw_network_switches(part->net) * sizeof *centre->passed);
    centre->passed[start] = true;
    for (uint32_t i = 0; i < part->n; i++) {
        uint32_t n = 0;
        if (!centre->inside[part->order[i]] || centre->passed[part->order[i]]) continue;
        centre->passed[part->order[i]] = true;
        centre->queue[n++] = part->order[i];
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t v = centre->queue[k];
            const uint32_t *before = centre->before + cw_nue_first(part->net, v);
            for (uint32_t j = 0; j < centre->n_before[v]; j++) {
                if (centre->passed[before[j]]) continue;
                centre->passed[before[j]] = centre->inside[before[j]] = true;
                centre->queue[n++] = before[j];
            }
        }
    }
}

/* The share of each of the first N of the queue in the ways of one start, with HERE destinations at the start itself.
 * The sums are made one by one, as OpenSM makes them: their last digits may decide. */
static void spread(struct centre *centre, uint32_t n, uint32_t here)
{
    for (uint32_t i = 0; i < n; i++) centre->share[centre->queue[i]] = 0;
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t v = centre->queue[i], ends = i == 0 ? here : centre->n_here[v];
        const uint32_t *before = centre->before + cw_nue_first(centre->part->net, v);
        for (uint32_t k = 0; k < ends; k++) centre->share[v] += 1;
        for (uint32_t k = 0; k < centre->n_before[v]; k++)
            centre->share[before[k]] +=
                (double)centre->ways[before[k]] / (double)centre->ways[v] * (1 + centre->share[v]);
    }
}

/* Adds the ways from START and from each of its destinations. */
static void add_ways(struct centre *centre, uint32_t start)
{
    const uint32_t n = search(centre, start, true), here = centre->n_here[start];
    spread(centre, n, here);
    for (uint32_t i = 1; i < n; i++) centre->all[centre->queue[i]] += centre->share[centre->queue[i]];
    if (here == 0) return;
    spread(centre, n, here - 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < here; k++) centre->all[centre->queue[i]] += centre->share[centre->queue[i]];
}

int cw_nue_centre(const struct cw_nue_part *part, const uint32_t *n_here, uint32_t *out)
{
    struct centre centre;
    int rc = centre_new(part, n_here, &centre);
    for (uint32_t i = 0; i < part->n && rc == 0; i++) centre.inside[part->order[i]] = n_here[part->order[i]] > 0;
    for (uint32_t i = 0; i < part->n && rc == 0; i++) {
        if (centre.inside[part->order[i]]) enclose(&centre, part->order[i]);
        rc = cw_interrupt_check();
    }
    for (uint32_t i = 0; i < part->n && rc == 0; i++) {
        if (centre.inside[part->order[i]]) add_ways(&centre, part->order[i]);
        rc = cw_interrupt_check();
    }
    double most = -1;
    for (uint32_t i = 0; i < part->n && rc == 0; i++) {
        const uint32_t v = part->order[i];
        if (!centre.inside[v] || centre.all[v] <= most) continue;
        most = centre.all[v];
        *out = v;
    }
    centre_free(&centre);
    return rc;
}
