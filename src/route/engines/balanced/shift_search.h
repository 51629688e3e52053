/*
 * Tables under which shifts are done sooner: a local search. Not installed.
 *
 * In the shift by k every endpoint sends to the one k places further on, endpoints being in the order of their
 * switches; all shifts, one after another, are an all-to-all. A shift takes as long as its busiest channel, so that few
 * meetings do not make it short by themselves. Here one entry of the tables after another is tried with each of its
 * ways of the same length, and keeps the one that lowers a sum of two parts most: Σ over shifts of a smooth maximum
 * over channels of their times, log2 Σ 2^(steepness · time) / steepness, in which shifts that take long count for more;
 * and the meetings of routes to two destinations (min_contention.c). For one destination the shift is another one for
 * each source, so what an entry changes is found exactly in O(sources that pass it · length of the ways).
 */
#ifndef CW_ROUTE_SHIFT_SEARCH_H
#define CW_ROUTE_SHIFT_SEARCH_H

#include <stdint.h>

#include "base/decls.h"
#include "route/engines/balanced/balanced_trees.h"
#include "route/lft.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_shift_setup {
    const struct cw_lft *kept; /* entries that stay as they are; NULL: none do */
    double by_shifts;          /* what a share of the time of all shifts costs, where that of the meetings costs 1 */
    double steepest;           /* from 2 on the steepness is doubled up to this, each time when sweeps gain no more */
};

/* Makes tables under which all shifts are done sooner than by ROUTES, and the longest is no longer, by the same name
 * but without lanes. Routes stay as long as they are. *OUT is NULL if none are found, if ROUTES do not go by
 * destination or do not all arrive, if endpoints have several cables, or if endpoints · channels are more than 2^26.
 * Entries of switches that no route passes are filled. TREES is used to search; what it has laid stays. Deterministic.
 * Each of 20 sweeps at most, at each steepness, takes O(endpoints² · length² · ways), of entries that may change.
 * Memory: endpoints · channels between switches · 2 byte. */
int cw_shift_search(struct cw_balanced_trees *trees, const struct cw_routes *routes, const struct cw_shift_setup *setup,
                    unsigned n_threads, struct cw_routes **out);

CW_END_DECLS

#endif
