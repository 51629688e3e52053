/*
 * Which pairs of endpoints a check looks at: all ordered pairs of different ones that take part, or an even random
 * sample. Not installed.
 */
#ifndef CW_ROUTE_ROUTE_PAIRS_H
#define CW_ROUTE_ROUTE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/random.h"
#include "net/selection.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_pairs {
    const struct cw_selection *selection; /* borrowed; NULL: all */
    uint32_t n_endpoints;                 /* that take part */
    uint32_t *destinations;               /* those on one switch follow one another */
    uint32_t n_destinations;
    uint32_t n_sources; /* of each destination */
    uint64_t total;     /* ordered pairs of different endpoints that take part */
    bool sampled;
};

/* All pairs among SELECTION (NULL: all endpoints), or about MAX_PAIRS (0: no limit) of seed 0: every destination with
 * as many random sources, or where even that is too much, destinations spread evenly over the endpoints with one source
 * each. */
int cw_pairs_new(const struct cw_network *net, const struct cw_selection *selection, uint64_t max_pairs,
                 struct cw_pairs *pairs);
void cw_pairs_free(struct cw_pairs *pairs);

/* The endpoint at PLACE among those that take part. */
uint32_t cw_pairs_endpoint(const struct cw_pairs *pairs, uint32_t place);

struct cw_pair_cursor {
    uint32_t dst, next, left; /* places among those that take part */
    struct cw_random random;
};

/* The sources of one destination, at most ROOM at a time; 0 after the last. */
struct cw_pair_cursor cw_pairs_begin(const struct cw_pairs *pairs, uint32_t dst);
uint32_t cw_pairs_next(const struct cw_pairs *pairs, struct cw_pair_cursor *cursor, uint32_t room, uint32_t *src);

/* The switch that V, an endpoint with one cable, is connected to; CW_NONE for any other endpoint. */
uint32_t cw_pairs_switch(const struct cw_network *net, uint32_t v);

/* Tables to check in place of ROUTES: themselves if they are tables; those that they have; tables made of them (*MADE,
 * to be freed) if routes depend on the destination only, there are more pairs than MAX_PAIRS, and tables are of
 * bearable size, or the routing has a quick way to make them; else NULL. */
int cw_pairs_tables(const struct cw_routes *routes, uint64_t max_pairs, unsigned n_threads,
                    const struct cw_routes **tables, struct cw_routes **made);

CW_END_DECLS

#endif
