#include "flow/transport/transport_events.h"

#include <stdlib.h>

#include "base/memory.h"

#define ARITY 4

static bool comes_before(const struct cw_transport_event *a, const struct cw_transport_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

int cw_transport_events_put(struct cw_transport_events *events, double time, enum cw_transport_event_kind kind,
                            uint32_t item, double tail)
{
    if (events->n == events->capacity) {
        void *heap = events->heap;
        const int rc = cw_grow_array(&heap, &events->capacity, events->n + 1, sizeof *events->heap, "events");
        events->heap = heap;
        if (rc) return rc;
    }
    const struct cw_transport_event event = {
        .time = time, .tail = tail, .order = (uint64_t)kind << 62 | events->serial++, .item = item};
    size_t at = events->n++;
    while (at > 0 && comes_before(&event, &events->heap[(at - 1) / ARITY])) {
        events->heap[at] = events->heap[(at - 1) / ARITY];
        at = (at - 1) / ARITY;
    }
    events->heap[at] = event;
    return 0;
}

/* Sinks EVENT from the root to its place among the n that are left. */
static void sink(struct cw_transport_events *events, const struct cw_transport_event *event)
{
    size_t at = 0;
    for (;;) {
        const size_t begin = ARITY * at + 1, end = begin + ARITY < events->n ? begin + ARITY : events->n;
        size_t least = begin;
        for (size_t child = begin + 1; child < end; child++)
            if (comes_before(&events->heap[child], &events->heap[least])) least = child;
        if (begin >= end || !comes_before(&events->heap[least], event)) break;
        events->heap[at] = events->heap[least];
        at = least;
    }
    events->heap[at] = *event;
}

bool cw_transport_events_take(struct cw_transport_events *events, struct cw_transport_event *out)
{
    if (events->n == 0) return false;
    *out = events->heap[0];
    const struct cw_transport_event last = events->heap[--events->n];
    if (events->n > 0) sink(events, &last);
    return true;
}

void cw_transport_events_free(struct cw_transport_events *events)
{
    free(events->heap);
    *events = (struct cw_transport_events){0};
}
