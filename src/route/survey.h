/*
 * What a check needs of all routes of a closed form, found by its structure and not route by route. Not installed.
 */
#ifndef CW_ROUTE_SURVEY_H
#define CW_ROUTE_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/selection.h"
#include "route/dependency_graph.h"

CW_BEGIN_DECLS

#define CW_SURVEY_LENGTHS 64

/* All ordered pairs of different endpoints that take part. Every one of their routes arrives. */
struct cw_survey {
    const struct cw_selection *selection; /* who takes part; NULL: all */

    /* If LOAD is not NULL: */
    uint64_t *load;                        /* [n_channels], all 0: gets the routes over each channel */
    uint64_t histogram[CW_SURVEY_LENGTHS]; /* routes by length; the last entry holds all longer ones */
    uint64_t hops;                         /* of all routes together */
    uint32_t hops_max;
    uint64_t minimal; /* routes that are shortest ones */

    /* If GRAPH is not NULL (then SELECTION is): gets every dependency of every route. */
    struct cw_dependencies *graph;
};

/* N routes of so many HOPS. */
static inline void cw_survey_routes(struct cw_survey *survey, uint64_t n, uint32_t hops)
{
    if (n == 0) return;
    survey->histogram[hops < CW_SURVEY_LENGTHS ? hops : CW_SURVEY_LENGTHS - 1] += n;
    survey->hops += n * hops;
    if (hops > survey->hops_max) survey->hops_max = hops;
}

CW_END_DECLS

#endif
