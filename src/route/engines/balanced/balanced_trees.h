/*
 * Shortest routes to one destination after another, each laid where the routes before it are fewest. Not installed.
 *
 * The routes to a destination are a tree. Every channel has a price, which grows with the routes that use it. One
 * switch after another, the nearest to the destination first, takes the cheapest of its shortest ways. The tree's own
 * routes count when it is whole: they do not disturb each other, for they go to one destination, and switches that
 * choose alike share a way instead of filling one each. Where the number of routes on a channel is what matters, they
 * count at once. O(channels · length of the ways). For a destination: lift what
 * was laid before, search, lay, enter.
 */
#ifndef CW_ROUTE_BALANCED_TREES_H
#define CW_ROUTE_BALANCED_TREES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "route/lft.h"
#include "route/pair_weights.h"

CW_BEGIN_DECLS

#define CW_TREES_FAR UINT32_MAX

struct cw_balanced_trees {
    const struct cw_network *net;
    double (*price)(uint64_t load); /* NULL: the load itself */
    bool at_once;                   /* routes count as soon as their switch has chosen */
    double *slowness;               /* [n_channels] what prices are multiplied by; NULL: 1 */
    uint32_t *order;                /* destinations, switch by switch, those of a switch in order */
    uint32_t n_order;               /* endpoints with a cable to a switch */
    uint32_t *hosted;               /* [n_switches] endpoints there with no other cable */
    uint32_t *several;              /* endpoints with several cables */
    uint32_t n_several;
    uint64_t *load; /* [n_channels] routes that are laid, by weight */
    double *cost;   /* [n_channels] their prices */

    /* Only where pairs have weights of their own (cw_trees_weigh); else every route counts once. */
    struct cw_pair_weight *pairs; /* by destination */
    size_t *first_pair;           /* [n_endpoints + 1] … where those of each begin; NULL: no weights */
    uint32_t *home;               /* [n_endpoints] switch (index), or n_switches + place in SEVERAL */
    uint64_t *sources;            /* [n_switches + n_several] weight that comes from there to the destination */

    /* The tree of DST, by switch (v - n_endpoints). */
    uint32_t dst;
    uint32_t *hops;    /* to a switch that has the destination, or CW_TREES_FAR */
    uint32_t *reached; /* switches (indices), the nearest first */
    uint32_t n_reached;
    uint32_t *channel; /* by which the switch is left */
    double laid_price; /* of its routes from other switches, each by what was there before */
    uint32_t *start;   /* [n_several] by which the endpoint is left; CW_NONE: no way, or it is the destination */
};

/* No routes are laid; the price of a channel is its load. */
int cw_trees_new(const struct cw_network *net, struct cw_balanced_trees *trees);
void cw_trees_free(struct cw_balanced_trees *trees);

/* Prices are those of time: of a slower channel by as much more. Before any is laid. */
int cw_trees_count_speeds(struct cw_balanced_trees *trees);

/* From now on routes count by the weights of PAIRS, which is copied; others count nothing. Before any is laid. */
int cw_trees_weigh(struct cw_balanced_trees *trees, const struct cw_pair_weights *pairs);

/* Other prices from now on. */
void cw_trees_reprice(struct cw_balanced_trees *trees, double (*price)(uint64_t load));

/* Who reaches DST in how many hops. */
void cw_trees_search(struct cw_balanced_trees *trees, uint32_t dst);

/* Lays its routes, all of which arrive, and adds them to the loads. */
void cw_trees_lay(struct cw_balanced_trees *trees);

/* Takes the routes to DST that are in TABLES (cw_trees_enter) off the loads. */
void cw_trees_lift(struct cw_balanced_trees *trees, uint32_t dst, const struct cw_lft *tables);

/* Adds them once more, until they are lifted: others avoid their channels. */
void cw_trees_repeat(struct cw_balanced_trees *trees, uint32_t dst, const struct cw_lft *tables);

/* Puts the tree into TABLES. */
void cw_trees_enter(const struct cw_balanced_trees *trees, struct cw_lft *tables);

/* Hops of the longest route of the tree, those of the endpoints' own channels included; 0: there is none. */
uint32_t cw_trees_longest(const struct cw_balanced_trees *trees);

/* The meetings of ROUTES, which go by destination: pairs of routes on a channel between switches with neither source
 * nor destination in common, each by the time that it costs there. O(switches with endpoints · endpoints) routes. */
int cw_trees_meetings(const struct cw_balanced_trees *trees, const struct cw_routes *routes, double *out);

/* --- for those who choose ways by themselves: they fill what there is of a tree, in order ------------------------- */

/* Routes of endpoints of switch V (an index) with no other cable, without the destination; and of several[I]. */
uint64_t cw_trees_sources(const struct cw_balanced_trees *trees, uint32_t v);
uint64_t cw_trees_source(const struct cw_balanced_trees *trees, uint32_t i);

/* Fewest hops of a switch that endpoint E has a cable to, or CW_TREES_FAR. */
uint32_t cw_trees_nearest(const struct cw_balanced_trees *trees, uint32_t e);

/* The price of the way that begins with CHANNEL and follows the tree. */
double cw_trees_price(const struct cw_balanced_trees *trees, uint32_t channel);

/* SIGN · N more routes on that way. */
void cw_trees_load(struct cw_balanced_trees *trees, uint32_t channel, uint64_t n, int sign);

/* The cheapest channel from switch V (a vertex) into the destination. */
uint32_t cw_trees_into(const struct cw_balanced_trees *trees, uint32_t v);

/* Lays the routes of the endpoints with several cables, when the switches have theirs. */
void cw_trees_lay_several(struct cw_balanced_trees *trees);

CW_END_DECLS

#endif
