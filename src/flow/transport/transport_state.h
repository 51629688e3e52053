/*
 * A plan that is being carried out by the simulated transport: its paths as legs and stages, and the state of channels
 * and nodes. flow/transport/transport.c moves the chunks.
 */
#ifndef CW_FLOW_TRANSPORT_STATE_H
#define CW_FLOW_TRANSPORT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/transport/transport.h"

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

/* A first-in first-out list of stages or channels, linked through their `next`. Empty: both CW_NONE. */
struct cw_transport_queue {
    uint32_t head, tail;
};

/* Channels of a path between two vertices that handle its chunks: its source, its relays and its destination. The legs
 * of a path follow one another. */
struct cw_transport_leg {
    uint32_t from, to; /* vertices */
    uint32_t path;     /* in the plan */
    uint32_t begin;    /* its first stage */
    uint32_t credits;  /* free buffers at its end */
    bool inside;       /* a host, all of it */
    bool first, last;  /* of the path: at its source; leads to its destination */
};

/* One channel with a limit on one path: where its chunks wait to be sent. The stages of a path follow one another. */
struct cw_transport_stage {
    double tail; /* when the last byte of the chunk that came last is there */
    uint32_t channel, leg;
    uint32_t came, sent; /* chunks */
    uint32_t next;       /* in the channel's queue */
    bool begins, ends;   /* its leg */
    bool queued;
};

struct cw_transport_channel {
    double rate;                     /* byte/s */
    struct cw_transport_queue of[2]; /* stages that could send, the preferred ones and the others */
    uint32_t chosen;                 /* the stage that sends or waits for the node to let it; CW_NONE: idle */
    uint32_t next;                   /* in the node's queue */
};

/* The lists in which a node keeps its chunks: its own, those it relays, and those that are for it. */
enum cw_transport_state_list { CW_LIST_OWN, CW_LIST_RELAYED, CW_LIST_RECEIVED, CW_LISTS };

struct cw_transport_node {
    struct cw_transport_queue of[2]; /* channels whose chosen stage waits, the preferred ones and the others */
    double receives;                 /* until then, with the chunks that are on their last channel to here */
    double works;                    /* until then, on chunks that it handles */
    uint64_t handled[CW_LISTS];      /* so far */
    uint32_t buffered;               /* chunks under way that are here */
    bool busy;
};

struct cw_transport_state {
    const struct cw_flow_problem *problem;
    const struct cw_plan *plan;
    struct cw_transport transport;
    bool direct;     /* carried by the network: each path is one leg */
    uint32_t pieces; /* of a chunk: each is simulated as a chunk is */
    bool forwards;   /* switches forward within legs, which take the latency of cables */
    struct cw_transport_stage *stages;
    struct cw_transport_leg *legs; /* at most one a stage */
    size_t n_stages;
    struct cw_transport_channel *channels; /* [channels of the network] */
    struct cw_transport_node *nodes;       /* [vertices] */
    uint64_t *arrived;                     /* [demands] bytes at their destination */
    double *done;                          /* [demands] s */
    double delivered;                      /* bytes that have arrived, all told */
    struct cw_transport_event *events;     /* a heap, by time, then order */
    size_t n_events, events_capacity;
    uint64_t serial;
    double now;
    struct cw_transport_result result;
};

/* CW_EUSAGE for senseless parameters. */
int cw_transport_state_check(const struct cw_transport *transport);

/* Sets up a zeroed STATE for PLAN; `together` and chunks of whole messages are taken into account. Free it
 * also after an error. */
int cw_transport_state_begin(const struct cw_flow_problem *problem, const struct cw_plan *plan,
                             const struct cw_transport *transport, struct cw_transport_state *state);
void cw_transport_state_free(struct cw_transport_state *state);

/* What will happen to ITEM. Events are taken in the order of time; those of the same time in the order of their kind,
 * then as they were put in, so that a run depends on nothing but its inputs. Taking gives false if there are none. */
int cw_transport_put_event(struct cw_transport_state *state, double time, enum cw_transport_event_kind kind,
                           uint32_t item, double tail);
bool cw_transport_take_event(struct cw_transport_state *state, struct cw_transport_event *out);

CW_END_DECLS

#endif
