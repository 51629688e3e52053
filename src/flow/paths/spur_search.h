/*
 * The shortest path from a vertex to a target that keeps off some vertices and does not begin with some arcs: what
 * Yen's algorithm asks again and again.
 *
 * One breadth-first search backwards from the target gives every vertex's distance, a lower bound once vertices are
 * closed. A search asks for one length only, which no path may undercut; where there is none it says which length to
 * ask for next. A walk of that length cannot cross itself: without the loop it would be shorter.
 */
#ifndef CW_FLOW_SPUR_SEARCH_H
#define CW_FLOW_SPUR_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

/*
 * The channels of a problem that exist, packed for searches.
 *
 * An arc is a channel with a capacity, called by its index here. Those leaving v are first[v] … first[v+1]-1: up to
 * switch_end[v]-1 those to switches, then those to endpoints, both by port. Two paths of equal length never part by an
 * arc to a switch and one to an endpoint, since endpoints only end paths: so ascending arcs order such paths as
 * ascending ports do.
 */
struct cw_live_arcs {
    uint32_t n_vertices, n_arcs, max_degree;
    uint32_t *first;      /* [n_vertices + 1] */
    uint32_t *switch_end; /* [n_vertices] */
    uint32_t *head;       /* [n_arcs] */
    uint32_t *channel;    /* [n_arcs] of the network */
    uint32_t *into;       /* [n_vertices + 1] the switches with an arc into v are from[into[v]] … from[into[v+1]-1] */
    uint32_t *from;
};

int cw_live_arcs_make(const struct cw_flow_problem *problem, struct cw_live_arcs *out);
void cw_live_arcs_free(struct cw_live_arcs *arcs);

#define CW_UNREACHABLE UINT32_MAX

struct cw_spur_search {
    const struct cw_live_arcs *arcs; /* borrowed */
    const uint32_t *use;             /* [arcs] borrowed; NULL: of no account */
    bool rotated;                    /* arcs to switches are tried from one that depends on `rotation` and the vertex */
    uint64_t rotation;
    uint32_t target;    /* the endpoint of `distance`, or CW_NONE */
    uint32_t *distance; /* [vertices] arcs to the target when nothing is closed, or CW_UNREACHABLE */
    bool *closed;       /* [vertices] not to be entered; the caller's to set and to clear */
    bool *banned;       /* [max_degree] by position among the spur vertex's arcs; the caller's too */

    uint32_t *layer, *queue; /* [vertices] of one search */
    uint64_t *cost;          /* [vertices] */
    uint32_t *tried;         /* [vertices + 1] */
    uint64_t *nearing;       /* [vertices] least use to the target over arcs that all lead nearer, closed or not, … */
    uint32_t *onward;        /* [vertices] … the first arc on that way (any at the target) … */
    uint64_t *known;         /* [vertices] … and both are known if this is `uses` */
    uint64_t uses;           /* counts the states of `use` and `target` */
};

int cw_spur_search_make(const struct cw_live_arcs *arcs, struct cw_spur_search *out);
void cw_spur_search_free(struct cw_spur_search *search);

/* Sets the target and its distances. O(arcs), nothing if it is the target already. */
void cw_spur_search_aim(struct cw_spur_search *search, uint32_t target);

/* To be called after changes of `use`. */
void cw_spur_search_uses_changed(struct cw_spur_search *search);

/* The least length that a path from V may have by `distance`, `closed` and `banned`, or CW_UNREACHABLE. */
uint32_t cw_spur_search_bound(const struct cw_spur_search *search, uint32_t v);

/* A path of exactly LENGTH arcs from V (which is closed) to the target; LENGTH is at least the bound, and no shorter
 * path is there. Of several the one with the least sum of `use`, then the first in the order in which arcs are tried.
 * True: its arcs are in PATH and the sum in *USE. False: *LONGER is the least length that may be possible, or
 * CW_UNREACHABLE. */
bool cw_spur_search_find(struct cw_spur_search *search, uint32_t v, uint32_t length, uint32_t *path, uint64_t *use,
                         uint32_t *longer);

/* Of arcs A and B that leave V, is A tried first? */
bool cw_spur_search_before(const struct cw_spur_search *search, uint32_t v, uint32_t a, uint32_t b);

CW_END_DECLS

#endif
