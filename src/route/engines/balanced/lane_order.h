/*
 * The dependencies that the routes of one lane make, kept free of cycles while routes are made and given up: channels
 * are kept in an order in which each comes before those it waits for. Not installed.
 *
 * A dependency that the order contradicts is allowed if the order can be mended, for which only what lies between the
 * two channels is looked at (Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", ACM
 * Journal of Experimental Algorithmics 11, 2006).
 */
#ifndef CW_ROUTE_LANE_ORDER_H
#define CW_ROUTE_LANE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_lane_order {
    const struct cw_network *net;
    size_t *edge;     /* [n_channels + 1] first dependency on a channel out of its head */
    uint32_t *uses;   /* [dependencies] how often it was taken and not dropped */
    size_t *row;      /* [n_channels + 1] first word of a channel in `out`; that in `in` is its twin's */
    uint64_t *out;    /* a bit for each port of its head: it is used by a dependency on the channel */
    uint64_t *in;     /* a bit for each port of its tail: the channel depends on that which comes in there */
    uint8_t *refused; /* [dependencies] it closed a cycle when it was last asked for */
    uint32_t *place;  /* [n_channels] in the order; a channel comes before those it waits for */
    uint32_t *at;     /* [n_channels] the channel at a place */
    uint32_t *ahead;  /* while the order is mended: channels that must come later */
    uint32_t *behind; /* ... and earlier */
    uint64_t *places_ahead, *places_behind; /* a bit for each place: that of such a channel */
};

int cw_lane_order_new(const struct cw_network *net, struct cw_lane_order *order);
void cw_lane_order_free(struct cw_lane_order *order);

/* No dependencies. */
void cw_lane_order_clear(struct cw_lane_order *order);

/* Forgets what was refused: after dependencies were dropped, it may be allowed. */
void cw_lane_order_forgive(struct cw_lane_order *order);

/* One more use of the dependency of channel TO on FROM, at whose head it begins. False if it closes a cycle, also if it
 * did before. */
bool cw_lane_order_take(struct cw_lane_order *order, uint32_t from, uint32_t to);
void cw_lane_order_drop(struct cw_lane_order *order, uint32_t from, uint32_t to);

/* Forgets that TO was refused on FROM. */
void cw_lane_order_forgive_one(struct cw_lane_order *order, uint32_t from, uint32_t to);

/* Drops all uses of the dependencies of and on CHANNEL. */
void cw_lane_order_cut(struct cw_lane_order *order, uint32_t channel);

/* What is known of a dependency before it is asked for. */
enum cw_lane_dependency { CW_DEPENDENCY_NEW, CW_DEPENDENCY_TAKEN, CW_DEPENDENCY_REFUSED };
enum cw_lane_dependency cw_lane_order_state(const struct cw_lane_order *order, uint32_t from, uint32_t to);

CW_END_DECLS

#endif
