/*
 * How routes are represented, for the files that make and walk them. Not installed.
 */
#ifndef CW_ROUTE_ROUTES_INTERNAL_H
#define CW_ROUTE_ROUTES_INTERNAL_H

#include "base/decls.h"
#include "net/network_internal.h"
#include "route/lft.h"
#include "route/packets/packet_routing.h"
#include "route/paths.h"
#include "route/route_runs.h"
#include "route/routes.h"
#include "route/service_levels.h"
#include "route/survey.h"

CW_BEGIN_DECLS

/* Lanes of tables by rule, in layers of LANES. Each channel has a place, from 1 on, on each lane of a layer,
 * PLACE[channel · LANES + lane]; NULL: all have the same, and LANES is 1. From one switch to the next a packet takes
 * the lane with the least place above the one that it has, or, where there is none, the lane with the least of all in
 * the next layer. Channels of endpoints are on lane 0.
 *
 * So along each route the pairs of layer and place rise, and they are those of the channel and the lane, whatever the
 * route: routes with such lanes cannot deadlock (Gopal 1985; Merlin and Schweitzer 1980). */
struct cw_lane_rule {
    const uint32_t *place;
    uint32_t lanes;
};

/* The lane, counted over all layers, that a packet takes on CHANNEL between switches after BEFORE on LANE (CW_NONE:
 * CHANNEL is the first between switches). */
static inline uint32_t cw_lane_next(const struct cw_lane_rule *rule, uint32_t before, uint32_t lane, uint32_t channel)
{
    const uint32_t lanes = rule->lanes;
    if (!rule->place) return before == CW_NONE ? 0 : lane + 1;
    uint32_t layer = before == CW_NONE ? 0 : lane / lanes, next = 0, least = UINT32_MAX;
    uint32_t at = before == CW_NONE ? 0 : rule->place[(size_t)before * lanes + lane % lanes];
    for (int again = 0; again < 2 && least == UINT32_MAX; again++) {
        layer += (uint32_t)again;
        if (again) at = 0;
        for (uint32_t l = 0; l < lanes; l++) {
            const uint32_t place = rule->place[(size_t)channel * lanes + l];
            if (place <= at || place >= least) continue;
            least = place;
            next = l;
        }
    }
    return layer * lanes + next;
}

/* A closed form. PATHS has the contract of cw_routes_paths (n ≤ CW_FORMULA_BLOCK, route i from channels[i · stride]
 * on; stride 0: each behind the one before, where there is room for N of the longest); it cannot fail for valid
 * endpoints. LANES is NULL where nobody asks, and always for routes with one lane. */
#define CW_FORMULA_BLOCK 128
struct cw_formula {
    const char *name;
    int (*paths)(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels, uint32_t stride, uint8_t *lanes);
    /* All routes at once (survey.h), where that is possible in less time than route by route; both NULL: it never is.
     */
    bool (*can_survey)(const void *state, const struct cw_survey *survey);
    int (*survey)(const void *state, struct cw_survey *survey);
    /* Those of route_runs.h; most_runs NULL: there are none. */
    uint32_t (*most_runs)(const void *state);
    size_t (*runs)(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *n_runs,
                   struct cw_run *runs);
    void (*places)(const void *state, uint32_t *place);
    /* Tables with the same ways, the state's own, and the rule of their lanes. Both NULL: there are none. */
    const struct cw_routes *(*tables)(const void *state);
    const struct cw_lane_rule *(*lane_rule)(const void *state);
    /* Tables with the same routes, and the entries of switches that no route passes. NULL: these have none. */
    int (*make_tables)(const void *state, unsigned n_threads, struct cw_routes **out);
    void (*free_state)(void *state);
};

/* A closed form's paths, one by one: PATH gives the channels of a route and their number. For routes with one lane. */
static inline int cw_formula_each(uint32_t (*path)(const void *state, uint32_t src, uint32_t dst, uint32_t *channels),
                                  const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                                  uint32_t *channels, uint32_t stride)
{
    for (size_t i = 0; i < n; i++) {
        hops[i] = path(state, src[i], dst[i], channels);
        channels += stride > 0 ? stride : hops[i];
    }
    return 0;
}

/* Makes routes of a closed form; takes STATE over, also on failure. */
int cw_routes_from_formula(const struct cw_network *net, const struct cw_formula *formula, void *state,
                           uint32_t max_hops, uint32_t lanes, bool by_destination, struct cw_routes **out);

/* Routes between the GPUs of NET (net/nodes.h) over INNER, those of its fabric: inside a domain by NVLink; else out by
 * the near HCA of the sender, as INNER say to the receiver's, and in. With pxn first by NVLink to a GPU of the same
 * host whose HCA is on the receiver's rail. Called as INNER, which are taken over, also on failure; CW_EUSAGE if
 * packets of a pair take several ways there. */
int cw_routes_of_nodes(struct cw_routes *inner, const struct cw_network *net, struct cw_routes **out);

/* INNER of such ROUTES; NULL: they are others. */
const struct cw_routes *cw_routes_of_fabric(const struct cw_routes *routes);

struct cw_routes {
    const struct cw_network *net;
    char *name;
    enum cw_routes_kind kind;
    uint32_t max_hops, lanes;
    bool lanes_unknown; /* of a fabric's tables whose service levels were not given */
    bool by_destination;
    uint64_t load_bound;               /* cw_routes_load_bound */
    bool complete;                     /* tables whose holes no way may fill: the rule that made them forbids it */
    struct cw_lft *tables;             /* CW_ROUTES_TABLE, else NULL */
    struct cw_paths *paths;            /* CW_ROUTES_PATHS, else NULL */
    struct cw_packet_routing *packets; /* CW_ROUTES_WAYS, unless over LIDs, else NULL */
    bool by_round;                     /* of packets that choose their ways by queues */
    struct cw_routes *lids;            /* CW_ROUTES_WAYS over the LIDs of these, which it owns, else NULL */
    struct cw_service_levels *levels;  /* lanes of tables by service level, or NULL: lane 0 */
    struct cw_routes *next_lid;        /* tables to the next LID of each endpoint, or NULL; owned */
    uint8_t *switch_ways;              /* route/switch_ways.h; NULL: pieces of the routes */
    const struct cw_formula *formula;
    void *state; /* the formula's */
};

/* cw_routes_to_tables, but without entries that no route between endpoints uses. */
int cw_routes_to_used_tables(const struct cw_routes *routes, unsigned n_threads, struct cw_routes **out);

/* Routes of the ways of PACKETS, which it takes over, also on failure. BY_ROUND: cw_routes_by_round. */
int cw_routes_from_packets(struct cw_packet_routing *packets, bool by_round, struct cw_routes **out);

/* Routes of KIND with one lane and nothing behind them yet. NAME is copied. */
int cw_routes_new(const struct cw_network *net, const char *name, enum cw_routes_kind kind, struct cw_routes **out);

/* Adds the routes to the LID behind those that ROUTES lead to; takes NEXT over. */
void cw_routes_add_lid(struct cw_routes *routes, struct cw_routes *next);

/* The entries of destination d are entry[d · rows] …; that of vertex v is at v - row_base. */
struct cw_lft {
    const struct cw_network *net;
    uint32_t row_base; /* first vertex with a row: 0 or n_endpoints */
    uint32_t rows;
    uint8_t *narrow; /* UINT8_MAX: no port */
    uint16_t *wide;  /* UINT16_MAX: no port; the one that is not used is NULL */
};

/* As cw_lft_new, on N_THREADS: gigabytes take seconds when they are first touched. */
int cw_lft_new_on(const struct cw_network *net, unsigned n_threads, struct cw_lft **out);

/* As cw_lft_finish, for tables of which the longest route is known (MAX_HOPS) or may be searched for (0) on
 * N_THREADS. */
int cw_lft_finish_as(struct cw_lft *tables, const char *name, uint32_t max_hops, unsigned n_threads,
                     struct cw_routes **out);

/* The channel by which tables leave V towards DST, or CW_NONE. */
static inline uint32_t cw_lft_channel(const struct cw_lft *tables, uint32_t v, uint32_t dst)
{
    const struct cw_network *net = tables->net;
    if (v < tables->row_base) return net->first[v] < net->first[v + 1] ? net->first[v] : CW_NONE;
    const size_t at = (size_t)dst * tables->rows + (v - tables->row_base);
    if (tables->narrow) return tables->narrow[at] == UINT8_MAX ? CW_NONE : net->first[v] + tables->narrow[at];
    return tables->wide[at] == UINT16_MAX ? CW_NONE : net->first[v] + tables->wide[at];
}

/* cw_lft_set, faster, for a switch and a port that is not closed. */
static inline void cw_lft_enter(struct cw_lft *tables, uint32_t v, uint32_t dst, uint32_t port)
{
    const size_t at = (size_t)dst * tables->rows + (v - tables->row_base);
    if (tables->narrow)
        tables->narrow[at] = (uint8_t)port;
    else
        tables->wide[at] = (uint16_t)port;
}

/* True if SURVEY can be made of ROUTES. */
static inline bool cw_routes_can_survey(const struct cw_routes *routes, const struct cw_survey *survey)
{
    return routes->formula && routes->formula->survey && routes->formula->can_survey(routes->state, survey);
}

/* Tables that have the ways of ROUTES, but for lanes: themselves, or their own; NULL: there are none. */
static inline const struct cw_routes *cw_routes_own_tables(const struct cw_routes *routes)
{
    if (routes->kind == CW_ROUTES_TABLE) return routes;
    return routes->formula && routes->formula->tables ? routes->formula->tables(routes->state) : NULL;
}

/* cw_routes_paths for tables. */
int cw_lft_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels);

/* The path that a pair uses and its length, or NULL if it has none. */
const uint32_t *cw_paths_of_pair(const struct cw_paths *paths, uint32_t src, uint32_t dst, uint32_t *length);

/* CW_EROUTE, in the same words everywhere. */
int cw_fail_hole(const struct cw_network *net, uint32_t v, uint32_t dst);
int cw_fail_loop(const struct cw_network *net, uint32_t src, uint32_t v, uint32_t dst);
/* The packets of level SL that came by BEFORE and leave by CHANNEL. */
int cw_fail_discarded(const struct cw_network *net, uint32_t before, uint32_t channel, uint32_t sl);

CW_END_DECLS

#endif
