/*
 * The events of a simulated transport, in the order of time. Events of the same time come in the order of their kind,
 * then as they were put in, so that a run depends on nothing but its inputs.
 */
#ifndef CW_FLOW_TRANSPORT_EVENTS_H
#define CW_FLOW_TRANSPORT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* What came is there before what is free asks for work. */
enum cw_transport_event_kind { CW_EVENT_ARRIVAL, CW_EVENT_CHANNEL_FREE, CW_EVENT_NODE_FREE };

struct cw_transport_event {
    double time;
    double tail;    /* arrival: when the chunk's last byte is there; else unused */
    uint64_t order; /* kind in the two highest bits, then a serial number */
    uint32_t item;  /* stage, channel or node */
};

static inline enum cw_transport_event_kind cw_transport_event_kind(const struct cw_transport_event *event)
{
    return (enum cw_transport_event_kind)(event->order >> 62);
}

/* A 4-ary heap; starts zeroed. */
struct cw_transport_events {
    struct cw_transport_event *heap;
    size_t n, capacity;
    uint64_t serial;
};

int cw_transport_events_put(struct cw_transport_events *events, double time, enum cw_transport_event_kind kind,
                            uint32_t item, double tail);

/* Takes the next event out; false if there is none. */
bool cw_transport_events_take(struct cw_transport_events *events, struct cw_transport_event *out);

void cw_transport_events_free(struct cw_transport_events *events);

CW_END_DECLS

#endif
