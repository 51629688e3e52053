#include "flow/paths/candidate_heap.h"

#include <stdlib.h>

#include "base/memory.h"

int cw_candidate_heap_push(struct cw_candidate_heap *heap, struct cw_candidate candidate)
{
    void *items = heap->items;
    const int rc = cw_grow_array(&items, &heap->capacity, heap->n + 1, sizeof *heap->items, "candidate paths");
    heap->items = items;
    if (rc) return rc;
    size_t i = heap->n++;
    while (i > 0 && heap->before(heap->context, &candidate, &heap->items[(i - 1) / 2])) {
        heap->items[i] = heap->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->items[i] = candidate;
    return 0;
}

void cw_candidate_heap_pop(struct cw_candidate_heap *heap)
{
    heap->n--;
    if (heap->n > 0) cw_candidate_heap_replace(heap, heap->items[heap->n]);
}

void cw_candidate_heap_replace(struct cw_candidate_heap *heap, struct cw_candidate candidate)
{
    size_t i = 0;
    for (size_t child = 1; child < heap->n; child = 2 * i + 1) {
        if (child + 1 < heap->n && heap->before(heap->context, &heap->items[child + 1], &heap->items[child])) child++;
        if (!heap->before(heap->context, &heap->items[child], &candidate)) break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = candidate;
}

void cw_candidate_heap_free(struct cw_candidate_heap *heap)
{
    if (!heap) return;
    free(heap->items);
    *heap = (struct cw_candidate_heap){0};
}
