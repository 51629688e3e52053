/*
 * Legs: what a plan may do where switches cannot copy data.
 *
 * Every vertex of a network has a role. In Blue Gene's machines a node is switch and computer in one
 * (cw_network_node_is_switch): every switch may relay, and a path may take any channels (Bui et al.). On all other
 * networks switches only forward, along the routes that the fabric has, and those who may relay are endpoints: hosts
 * and GPUs, by whose cables all that they relay comes in and leaves. A path is then a sequence of
 * legs, each from an endpoint to another by one of the network's own routes; the endpoints between two legs receive the
 * data and send them on. So the endpoints that a path passes are its relays, and cut its channels into legs.
 *
 * A problem says which it is: legs == NULL, every switch relays; else these legs are all there is.
 */
#ifndef CW_FLOW_LEGS_H
#define CW_FLOW_LEGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"
#include "net/network_internal.h"
#include "net/selection.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_legs_setup {
    const struct cw_selection *relays; /* endpoints that may relay; NULL: none */
    uint32_t max_relays;               /* on one path */
    /* A leg takes the way that any one of these routes has for its pair: forwarding tables, one for each LID of the
     * destination, say. The first are those of messages that nobody plans. A pair without a route in one of them has
     * that many ways less. */
    const struct cw_routes *const *routes; /* [n_routes] */
    size_t n_routes;
    /* Or switches route adaptively: a leg is spread over all shortest ways of its pair, as suits the plan best. Methods
     * of k paths choose among the routes only. */
    bool adaptive;
};

/* Immutable once made. Leg (f, t, r), from from[f] to to[t] by routes[r], is number (f · n_to + t) · n_routes + r, and
 * has the channels channels[begin[leg]] … channels[begin[leg + 1] - 1]; none where there is no such route. */
struct cw_legs {
    const struct cw_network *net; /* borrowed, as all that the setup names */
    struct cw_legs_setup setup;
    bool *may_relay; /* [endpoints] */
    uint32_t n_relays, n_from, n_to;
    uint32_t *from, *to; /* endpoints at which legs begin, and end: relays, then other sources, or destinations */
    uint32_t *from_index, *to_index; /* [endpoints] place in these, or CW_NONE */
    size_t *begin;
    uint32_t *channels;
};

/* The legs that DEMANDS, between endpoints of NET, can use. Time and memory: n_from · n_to · n_routes routes; CW_ELIMIT
 * if that is more than can be had. The way of a route is the same however often it is asked for. */
int cw_legs_make(const struct cw_network *net, const struct cw_demands *demands, const struct cw_legs_setup *setup,
                 unsigned n_threads, struct cw_legs **out);
void cw_legs_free(struct cw_legs *legs);

/* CW_EUSAGE names a demand of PROBLEM, which has legs, that no sequence of legs over channels with capacity carries. */
int cw_legs_check_connected(const struct cw_flow_problem *problem);

/* True if the N channels are a leg's whose every channel has capacity: there is such a way, and it works. */
bool cw_legs_works(const struct cw_flow_problem *problem, const uint32_t *channels, uint32_t n);

/* The channels of a leg. */
static inline const uint32_t *cw_legs_channels(const struct cw_legs *legs, uint32_t f, uint32_t t, size_t r,
                                               uint32_t *n)
{
    const size_t leg = ((size_t)f * legs->n_to + t) * legs->setup.n_routes + r;
    *n = (uint32_t)(legs->begin[leg + 1] - legs->begin[leg]);
    return legs->channels + legs->begin[leg];
}

/* The shortest ways to an endpoint, all of them: what switches that route adaptively may use. HOPS [vertices] from each
 * vertex to the endpoint DST over channels with capacity, CW_NONE where no way leads; and the vertices with one in
 * ORDER [vertices], nearest first. Returns their number. Endpoints forward nothing. */
uint32_t cw_shortest_hops(const struct cw_flow_problem *problem, uint32_t dst, uint32_t *hops, uint32_t *order);

/* True if channel C is the first of a shortest way, which passes no endpoint. */
static inline bool cw_is_shortest(const struct cw_flow_problem *problem, const uint32_t *hops, uint32_t c)
{
    const struct cw_network *net = problem->net;
    const uint32_t left = hops[net->head[c]];
    if (left > 0 && !cw_network_forwards(net, net->head[c])) return false;
    return problem->capacity[c] > 0 && hops[net->tail[c]] != CW_NONE && left + 1 == hops[net->tail[c]];
}

CW_END_DECLS

#endif
