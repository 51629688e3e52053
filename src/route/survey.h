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

/* N routes over CHANNEL, unless loads are not asked for. */
static inline void cw_survey_load(struct cw_survey *survey, uint32_t channel, uint64_t n)
{
    if (survey->load) survey->load[channel] += n;
}

/* A dependency, unless they are not asked for. */
static inline void cw_survey_edge(struct cw_survey *survey, uint32_t from, uint32_t lane, uint32_t to, uint32_t to_lane)
{
    if (survey->graph) cw_dependencies_add(survey->graph, from, lane, to, to_lane);
}

/* What remains when all between switches has been added, with the dependencies of the first endpoint of each switch,
 * where each endpoint has one cable and those of a switch are on its first ports: the loads of their channels, and to
 * every endpoint the dependencies of the first on its switch, but none on the channel to itself. */
static inline void cw_survey_hosts(struct cw_survey *survey, const struct cw_network *net)
{
    for (uint32_t v = net->n_endpoints; v-- > 0;) { /* the first of a switch comes last */
        const uint32_t own = net->first[v], first = net->first[net->head[net->first[net->head[own]]]];
        cw_survey_load(survey, own, net->n_endpoints - 1);
        cw_survey_load(survey, net->twin[own], net->n_endpoints - 1);
        if (survey->graph) cw_dependencies_copy(survey->graph, first, own, net->twin[own]);
    }
}

CW_END_DECLS

#endif
