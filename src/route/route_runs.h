/*
 * Routes as runs of channels that follow one another: those along the rings of a torus are a few, however long the
 * rings are. Not installed.
 *
 * The channels are put into another order, in which each has a place, so that every route is a few stretches of places.
 */
#ifndef CW_ROUTE_ROUTE_RUNS_H
#define CW_ROUTE_ROUTE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"

CW_BEGIN_DECLS

/* The channels at the places FIRST … FIRST + N - 1; N ≥ 1. */
struct cw_run {
    uint32_t first, n;
};

/* The most runs that a route of ROUTES has; 0: they have none. */
uint32_t cw_routes_most_runs(const struct cw_routes *routes);

/* The runs of N routes src[i] → dst[i], one behind another: N_RUNS[i] of route i, in any order. RUNS has room for N of
 * the most. Returns how many there are. */
size_t cw_routes_runs(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst,
                      uint32_t *n_runs, struct cw_run *runs);

/* PLACE[c]: of channel c, in 0 … n_channels - 1, each once. */
void cw_routes_places(const struct cw_routes *routes, uint32_t *place);

CW_END_DECLS

#endif
