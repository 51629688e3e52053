/*
 * The dependencies that the routes of one lane make, kept free of cycles while routes are made and given up: channels
 * are kept in an order in which each comes before those it waits for. Not installed.
 *
 * A dependency that the order contradicts is allowed if the order can be mended. For that two searches go towards each
 * other, each in order, ahead from the one channel and back from the other, until they meet or one has found all there
 * is (Haeupler, Kavitha, Mathew, Sen and Tarjan, "Incremental cycle detection, topological ordering, and strong
 * component maintenance", ACM Transactions on Algorithms 8, 2012, section 4). What they have found moves to the place
 * where they met, so that nothing else is touched: the order is a list whose items have labels with room in between.
 */
#ifndef CW_ROUTE_LANE_ORDER_H
#define CW_ROUTE_LANE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* A channel that a search has met and not gone on from. */
struct cw_lane_front {
    uint64_t label;
    uint32_t channel;
};

struct cw_lane_order {
    const struct cw_network *net;
    size_t *edge;              /* [n_channels + 1] first dependency on a channel out of its head */
    uint32_t *uses;            /* [dependencies] how often it was taken and not dropped */
    size_t *row;               /* [n_channels + 1] first word of a channel in `out`; that in `in` is its twin's */
    uint64_t *out;             /* a bit for each port of its head: it is used by a dependency on the channel */
    uint64_t *in;              /* a bit for each port of its tail: the channel depends on that which comes in there */
    uint8_t *refused;          /* [dependencies] it closed a cycle when it was last asked for */
    uint64_t *label;           /* [n_channels] ascending in the order; a channel comes before those it waits for */
    uint32_t *next, *previous; /* [n_channels + 1] in the order; n_channels is before the first and behind the last */
    uint8_t *side;             /* [n_channels] which search has met a channel, while the order is mended ... */
    struct cw_lane_front *front, *rear; /* ... heaps of where the searches ahead and behind go on ... */
    size_t n_front, n_rear;
    uint32_t *ahead, *behind; /* ... and what they went on from, in their order */
    uint32_t n_ahead, n_behind;
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
