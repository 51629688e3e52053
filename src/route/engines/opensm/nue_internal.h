/*
 * The parts of the engine nue: a fabric in OpenSM's order, the tree of the ways that are in reserve, and a lane, whose
 * ways are found one destination after another. Not installed.
 *
 * Ways grow from a destination outwards: a channel stands for the packets that come back on its twin. Switches are
 * counted from 0, v - n_endpoints.
 */
#ifndef CW_ROUTE_NUE_INTERNAL_H
#define CW_ROUTE_NUE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network_internal.h"
#include "route/engines/balanced/lane_order.h"

CW_BEGIN_DECLS

#define CW_NUE_FAR UINT64_MAX

/* Things with a key, the least first. Each has up to four below it; of equal ones the last comes up, and one that is
 * added or changed stays below its equals: so ties are decided as OpenSM decides them. */
struct cw_nue_heap {
    uint64_t *key;   /* [n] */
    uint32_t *item;  /* [n] */
    uint32_t *place; /* of each item */
    uint32_t n;
};

int cw_nue_heap_new(uint32_t items, struct cw_nue_heap *heap);
void cw_nue_heap_free(struct cw_nue_heap *heap);
void cw_nue_heap_add(struct cw_nue_heap *heap, uint64_t key, uint32_t item);
void cw_nue_heap_lower(struct cw_nue_heap *heap, uint64_t key, uint32_t item); /* to KEY */
void cw_nue_heap_remove(struct cw_nue_heap *heap, uint32_t item);
uint32_t cw_nue_heap_take(struct cw_nue_heap *heap); /* the first, or CW_NONE */

/* A part of a network: switches that have ways to each other. */
struct cw_nue_part {
    const struct cw_network *net;
    uint32_t n;
    uint32_t *order;         /* [n] its switches as OpenSM sorts them */
    uint64_t *weight;        /* [n_channels] of those between switches */
    uint64_t *distance;      /* [switches] from the root of the tree */
    uint32_t *into;          /* [switches] the channel of the tree into each; CW_NONE: the root */
    struct cw_nue_heap heap; /* of switches */
};

/* Room for a part of NET with all its switches. Free it in any case. */
int cw_nue_part_new(const struct cw_network *net, struct cw_nue_part *part);
void cw_nue_part_free(struct cw_nue_part *part);

/* Grows the tree of the least weights from ROOT. O(channels · log switches). */
void cw_nue_grow(struct cw_nue_part *part, uint32_t root);

/* The switch on most of the shortest ways between destinations, of which switch v has N_HERE[v]: *OUT. Only what lies
 * on such ways is looked at. O(switches · channels). */
int cw_nue_centre(const struct cw_nue_part *part, const uint32_t *n_here, uint32_t *out);

/* One channel waits for another. FROM is CW_NONE where a way begins. */
struct cw_nue_dependency {
    uint32_t from, to;
};

/* A way to a switch that was not reached: over LINK from a neighbour, which is to be reached by VIA. */
struct cw_nue_detour {
    uint64_t distance; /* of VIA */
    uint32_t link, via, place;
};

struct cw_nue_lane {
    struct cw_nue_part *part;
    const uint32_t *n_here; /* [switches] destinations there */
    bool keeping;           /* OpenSM's oversight is mended */
    bool forgot;            /* a way has a dependency that is not known */
    struct cw_lane_order order;
    size_t n_edges;    /* dependencies of one channel on another; those where ways begin are numbered behind them */
    uint8_t *state;    /* [n_edges + n_channels] of dependencies (nue_lane.c) */
    bool *real;        /* [n_edges] some way has it */
    uint32_t *reserve; /* [switches] the channel of the tree into each */

    /* The destination. */
    uint32_t root;      /* its switch */
    uint32_t *into;     /* [switches] the channel of the way into each; CW_NONE: the root */
    uint64_t *distance; /* [switches] */
    uint32_t *step;     /* [switches] of backtracking in which it was reached; CW_NONE: by backtracking itself */
    uint32_t n_reached, now;
    uint64_t *far;     /* [n_channels] distance of the head by it, when it was last looked at */
    uint32_t *known;   /* [n_channels] those of switch v from first[v] on: other ways into it … */
    uint32_t *n_known; /* [switches] … so many */
    struct cw_nue_heap heap;
    struct cw_nue_dependency *list; /* that were taken */
    size_t n_list, list_room;
    bool *was_taken; /* [n_channels] room for the channels of a switch */
    struct cw_nue_detour *detours;
    size_t detour_room;
    int rc;
};

/* Room for any lane of PART, which is borrowed. Free it in any case. */
int cw_nue_lane_new(struct cw_nue_part *part, struct cw_nue_lane *lane);
void cw_nue_lane_free(struct cw_nue_lane *lane);

/* A lane without ways for the destinations at N_HERE, which is borrowed. KEEPING: its dependencies will have no cycle;
 * otherwise it is as OpenSM's. */
int cw_nue_lane_begin(struct cw_nue_lane *lane, const uint32_t *n_here, bool keeping);

/* Finds the ways to a destination at switch ROOT: `into`. O(channels · log channels), and what the order takes. */
int cw_nue_lane_find(struct cw_nue_lane *lane, uint32_t root);

/* True if the dependencies of all its ways have no cycle. It is over then. */
bool cw_nue_lane_is_sound(struct cw_nue_lane *lane);

/* The channel leads from its tail to another switch. */
static inline bool cw_nue_leads_on(const struct cw_network *net, uint32_t channel)
{
    return net->head[channel] >= net->n_endpoints && net->head[channel] != net->tail[channel];
}

static inline uint32_t cw_nue_head(const struct cw_network *net, uint32_t channel)
{
    return net->head[channel] - net->n_endpoints;
}

static inline uint32_t cw_nue_tail(const struct cw_network *net, uint32_t channel)
{
    return net->tail[channel] - net->n_endpoints;
}

/* The first channel of switch V; those of V + 1 follow. */
static inline uint32_t cw_nue_first(const struct cw_network *net, uint32_t v)
{
    return net->first[v + net->n_endpoints];
}

CW_END_DECLS

#endif
