#include "topo/refine.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/interrupt.h"
#include "base/memory.h"

#define ABSENT UINT32_MAX

/* Vertices that may still move, the one with the greatest gain first; of equal ones the lowest. */
struct heap {
    uint32_t *items, n;
    uint32_t *position; /* [vertices] in items, or ABSENT; shared by all heaps, since a vertex is in one at most */
    const double *gain; /* [vertices] */
};

static bool before(const struct heap *heap, const uint32_t *a, const uint32_t *b)
{
    if (heap->gain[*a] > heap->gain[*b]) return true;
    return !(heap->gain[*a] < heap->gain[*b]) && *a < *b;
}

static void put(const struct heap *heap, uint32_t *items, size_t at, uint32_t v)
{
    items[at] = v;
    heap->position[v] = (uint32_t)at;
}

CW_HEAP(heap, uint32_t, 2, const struct heap *, before, put)

/* Moves V, at place AT, to where its gain belongs. */
static void sift(struct heap *heap, uint32_t at, uint32_t v)
{
    if (at > 0 && before(heap, &v, &heap->items[(at - 1) / 2]))
        heap_rise(heap, heap->items, at, v);
    else
        heap_sink(heap, heap->items, heap->n, at, v);
}

static void heap_remove(struct heap *heap, uint32_t v)
{
    const uint32_t at = heap->position[v], last = heap->items[--heap->n];
    heap->position[v] = ABSENT;
    if (last != v) sift(heap, at, last);
}

/* Vertices with weight change the balance and others do not, so that gains compare only within a kind and a side. */
#define N_HEAPS 4

struct refinement {
    const struct cw_graph *graph;
    double price;
    uint8_t *side;
    double *gain;       /* [n] by how much the cut shrinks if the vertex changes sides */
    double excess;      /* weight of side 0 less that of side 1 */
    uint32_t *position; /* [n] */
    struct heap heap[N_HEAPS];
    uint32_t *moved; /* [n] in this pass, in order */
};

static struct heap *heap_of(struct refinement *r, uint32_t v)
{
    return &r->heap[2 * (r->graph->weight[v] > 0) + r->side[v]];
}

/* What imbalance costs once V has changed sides, less what it costs now. */
static double balance_change(const struct refinement *r, uint32_t v)
{
    const double shift = 2.0 * r->graph->weight[v], after = r->excess + (r->side[v] == 0 ? -shift : shift);
    return r->price * (fabs(after) - fabs(r->excess)) / 2;
}

/* The best of the heaps' first vertices, and what moving it gains in all. ABSENT if there are none. */
static uint32_t best_move(const struct refinement *r, double *gain)
{
    uint32_t best = ABSENT;
    for (unsigned h = 0; h < N_HEAPS; h++) {
        if (r->heap[h].n == 0) continue;
        const uint32_t v = r->heap[h].items[0];
        const double here = r->gain[v] - balance_change(r, v);
        if (best != ABSENT && here <= *gain) continue;
        best = v;
        *gain = here;
    }
    return best;
}

/* V changes sides, and the gains of its neighbours with it. */
static void move_vertex(struct refinement *r, uint32_t v)
{
    const struct cw_graph *graph = r->graph;
    r->excess += (r->side[v] == 0 ? -2.0 : 2.0) * graph->weight[v];
    r->side[v] ^= 1;
    r->gain[v] = -r->gain[v];
    for (size_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
        const uint32_t u = graph->next[i];
        r->gain[u] += (r->side[u] == r->side[v] ? -2 : 2) * graph->cost[i];
        if (r->position[u] != ABSENT) sift(heap_of(r, u), r->position[u], u);
    }
}

static void fill_heaps(struct refinement *r)
{
    for (unsigned h = 0; h < N_HEAPS; h++) r->heap[h].n = 0;
    for (uint32_t v = 0; v < r->graph->n; v++) {
        struct heap *heap = heap_of(r, v);
        sift(heap, heap->n++, v);
    }
}

/* Moves every vertex once, or until nothing was gained for long; then takes back what came after the best moment. The
 * gain. */
static double pass(struct refinement *r)
{
    const uint32_t patience = 100 + r->graph->n / 4;
    uint32_t n_moved = 0, best_moved = 0;
    double sum = 0, best = 0, gain;
    fill_heaps(r);
    for (uint32_t v; n_moved - best_moved < patience && (v = best_move(r, &gain)) != ABSENT;) {
        if (cw_interrupted()) return 0;
        heap_remove(heap_of(r, v), v);
        move_vertex(r, v);
        r->moved[n_moved++] = v;
        sum += gain;
        if (sum <= best * (1 + 1e-12)) continue; /* no more than rounding */
        best = sum;
        best_moved = n_moved;
    }
    for (uint32_t v = 0; v < r->graph->n; v++) r->position[v] = ABSENT;
    while (n_moved > best_moved) move_vertex(r, r->moved[--n_moved]);
    return best;
}

static void begin(struct refinement *r)
{
    const struct cw_graph *graph = r->graph;
    for (uint32_t v = 0; v < graph->n; v++) {
        r->excess += r->side[v] == 0 ? graph->weight[v] : -(double)graph->weight[v];
        for (size_t i = graph->first[v]; i < graph->first[v + 1]; i++)
            r->gain[v] += r->side[graph->next[i]] == r->side[v] ? -graph->cost[i] : graph->cost[i];
    }
}

int cw_refine(const struct cw_graph *graph, double price, unsigned n_passes, uint8_t *side)
{
    struct refinement r = {.graph = graph, .price = price, .side = side};
    r.gain = cw_new_array(graph->n, sizeof *r.gain, "gains");
    r.position = cw_new_array(graph->n, sizeof *r.position, "gains");
    r.moved = cw_new_array(graph->n, sizeof *r.moved, "moves");
    bool complete = r.gain && r.position && r.moved;
    for (unsigned h = 0; h < N_HEAPS; h++) {
        uint32_t *items = cw_new_array(graph->n, sizeof *items, "gains");
        complete = complete && items;
        r.heap[h] = (struct heap){.items = items, .position = r.position, .gain = r.gain};
    }
    if (complete) {
        begin(&r);
        while (n_passes-- > 0 && pass(&r) > 0) continue;
    }
    free(r.gain);
    free(r.position);
    free(r.moved);
    for (unsigned h = 0; h < N_HEAPS; h++) free(r.heap[h].items);
    return complete ? cw_interrupt_check() : CW_ENOMEM;
}
