/*
 * Minimal routing under which messages of different pairs meet as rarely as possible, with virtual lanes that keep it
 * free of deadlocks.
 *
 * What a job feels is how often two messages meet on a channel. Those to one destination wait for each other anyway, at
 * its own cable at the latest; so what counts are pairs of routes to two destinations: Σ over channels of L² - Σ w²,
 * where L routes cross the channel, w of them to each destination. (Taken over all pairs of endpoints, that is the
 * expected number of meetings in a random permutation.) SSSP (Hoefler, Schneider, Lumsdaine, "Optimized routing for
 * large-scale InfiniBand networks", HotI 2009) lays one destination's tree after another along the least loaded ways,
 * and counts it when it is whole. That is one round of a descent on this sum: beside the trees of all others, the tree
 * whose ways are least loaded in sum has the fewest meetings. Here rounds go on, each tree laid anew beside all others,
 * until the sum falls no more. Destinations are laid switch by switch, the endpoints of a switch in order, so that
 * neighbours get different ways as long as there are any: on whole trees these are those of D-mod-K, and shifts are
 * free of contention. Elsewhere few meetings do not make shifts short, and a local search does that in the end
 * (shift_search.h). Slow channels count for as much more as they are slower.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engine.h"
#include "route/engines/balanced/balanced_trees.h"
#include "route/engines/balanced/lane_order.h"
#include "route/engines/balanced/shift_search.h"
#include "route/engines/minhop.h"
#include "route/engines/placed_routes.h"
#include "route/routes.h"
#include "route/routes_internal.h"
#include "route/service_levels_internal.h"

/*
 * Virtual lanes for given routes, so that those of each lane are free of deadlocks.
 *
 * One destination after another, the routes from each switch take the first lane on which they close no cycle of
 * channel dependencies with the routes there (as LASH does with pairs of switches). The routes to a destination are a
 * tree, which is gone through once for each lane, so that a dependency is looked at once and not for every route.
 * The order of destinations matters: of four the one with the fewest lanes is taken, depth first from switch to switch
 * and by the endpoints' numbers, both ways. On most networks that takes fewer lanes than when all routes begin on one
 * and those on the weakest dependency of each cycle move to the next (Domke, Hoefler, Nagel, "Deadlock-free oblivious
 * routing for arbitrary topologies", IPDPS 2011, section IV). Whether still fewer would do is not known: finding the
 * least number is NP-complete.
 */

static const char what[] = "virtual lanes of routes";

/* Switches are counted from 0. A destination is a LID: endpoint e's LID i is i · n_endpoints + e. Endpoints of one
 * switch share their routes to a destination, and so a lane. */
struct layers {
    const struct cw_network *net;
    const struct cw_routes *routes;
    uint32_t n, n_leaves, n_dst;
    uint32_t *leaf;      /* [n] its number among switches with endpoints, or CW_NONE */
    uint8_t *lane;       /* [n_leaves · n_dst] of the routes from the endpoints of a switch */
    uint32_t most, used; /* lanes that there may be, and that there are in the end */
    struct cw_lane_order order[CW_LANE_DISCARDED]; /* [lanes] */
    uint32_t lanes;

    /* The routes to the destination that is looked at, which are a tree, by switch. */
    uint32_t *next; /* [n] the channel by which it is left, or CW_NONE */
    uint32_t *tree; /* [n] switches that have one, each behind the switch that it leads to */
    uint32_t n_tree;
    uint32_t *stack; /* [n] */
    bool *met;       /* [n] by a search */
    bool *waits;     /* [n] its own routes have no lane yet */
    bool *passed;    /* [n] such routes pass here */
    bool *fits;      /* [n] its routes fit into the lane that is looked at */
};

/* The switch at the head of CHANNEL, or CW_NONE if that is an endpoint. */
static uint32_t switch_at(const struct layers *layers, uint32_t channel)
{
    const uint32_t head = layers->net->head[channel];
    return head < layers->net->n_endpoints ? CW_NONE : head - layers->net->n_endpoints;
}

/* --- the order of destinations ------------------------------------------------------------------------------------ */

static void add_endpoints(const struct layers *layers, uint32_t v, bool *added, uint32_t *order, uint32_t *n)
{
    const struct cw_network *net = layers->net;
    for (uint32_t c = net->first[v + net->n_endpoints]; c < net->first[v + net->n_endpoints + 1]; c++) {
        const uint32_t e = net->head[c];
        if (!cw_network_is_endpoint(net, e) || added[e]) continue;
        added[e] = true;
        order[(*n)++] = e;
    }
}

/* Pushes the switches next to V, so that the one at the lowest port comes off the stack first. */
static void push_neighbours(const struct layers *layers, uint32_t v, uint32_t *stack, size_t *n)
{
    const struct cw_network *net = layers->net;
    for (uint32_t c = net->first[v + net->n_endpoints + 1]; c-- > net->first[v + net->n_endpoints];) {
        const uint32_t u = switch_at(layers, c);
        if (u != CW_NONE && !layers->met[u]) stack[(*n)++] = u;
    }
}

/* The endpoints at switches into ORDER, depth first from switch to switch: routes to neighbours have much in common,
 * and fill a lane with few dependencies. Their number. */
static uint32_t order_destinations(struct layers *layers, bool *added, uint32_t *stack, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t root = 0; root < layers->n; root++) {
        size_t n_stack = 0;
        stack[n_stack++] = root;
        while (n_stack > 0) {
            const uint32_t v = stack[--n_stack];
            if (layers->met[v]) continue;
            layers->met[v] = true;
            add_endpoints(layers, v, added, order, &n);
            push_neighbours(layers, v, stack, &n_stack);
        }
    }
    return n;
}

/* --- the routes to a destination ---------------------------------------------------------------------------------- */

/* Puts V and the switches on the way from it that are not in the tree yet behind those that are. */
static void add_way(struct layers *layers, uint32_t v)
{
    uint32_t n = 0;
    while (v != CW_NONE && !layers->met[v] && layers->next[v] != CW_NONE) {
        layers->met[v] = true;
        layers->stack[n++] = v;
        v = switch_at(layers, layers->next[v]);
    }
    while (n > 0) layers->tree[layers->n_tree++] = layers->stack[--n];
}

/* The tree of endpoint DST by TABLES; the number of switches whose routes need a lane. */
static uint32_t find_tree(struct layers *layers, const struct cw_lft *tables, uint32_t dst)
{
    const uint32_t base = layers->net->n_endpoints;
    uint32_t waiting = 0;
    for (uint32_t v = 0; v < layers->n; v++) {
        layers->next[v] = cw_lft_channel(tables, base + v, dst);
        layers->met[v] = false;
        layers->waits[v] = layers->leaf[v] != CW_NONE && layers->next[v] != CW_NONE;
        waiting += layers->waits[v];
    }
    layers->n_tree = 0;
    for (uint32_t v = 0; v < layers->n; v++) add_way(layers, v);
    return waiting;
}

/* --- lanes -------------------------------------------------------------------------------------------------------- */

/* True if the first hop of switch V, which routes take that need a lane, may be followed by the next one. Nothing waits
 * for a channel into an endpoint. */
static bool may_go_on(struct layers *layers, struct cw_lane_order *order, uint32_t v)
{
    const uint32_t u = switch_at(layers, layers->next[v]);
    if (u == CW_NONE || switch_at(layers, layers->next[u]) == CW_NONE) return true;
    return layers->fits[u] && cw_lane_order_take(order, layers->next[v], layers->next[u]);
}

static void find_passed(struct layers *layers)
{
    memcpy(layers->passed, layers->waits, layers->n * sizeof *layers->passed);
    for (uint32_t i = layers->n_tree; i-- > 0;) {
        const uint32_t v = layers->tree[i], u = switch_at(layers, layers->next[v]);
        if (u != CW_NONE && layers->passed[v]) layers->passed[u] = true;
    }
}

/* Puts the routes to DST that fit into LANE; their number. */
static uint32_t fill_lane(struct layers *layers, uint32_t lane, uint32_t dst)
{
    uint32_t placed = 0;
    find_passed(layers);
    for (uint32_t i = 0; i < layers->n_tree; i++) {
        const uint32_t v = layers->tree[i];
        layers->fits[v] = layers->passed[v] && may_go_on(layers, &layers->order[lane], v);
        if (!layers->fits[v] || !layers->waits[v]) continue;
        layers->waits[v] = false;
        layers->lane[(size_t)layers->leaf[v] * layers->n_dst + dst] = (uint8_t)lane;
        placed++;
    }
    return placed;
}

/* The routes to LID number LID of endpoint E, those of each switch into the first lane that they fit into. CW_ELIMIT,
 * without a message, if none of MOST does. */
static int place_destination(struct layers *layers, const struct cw_routes *routes, uint32_t lid, uint32_t e,
                             uint32_t most)
{
    uint32_t waiting = find_tree(layers, routes->tables, e);
    int rc = cw_interrupt_check();
    for (uint32_t lane = 0; waiting > 0 && rc == 0; lane++) {
        if (lane == most) return CW_ELIMIT;
        if (lane == layers->lanes) rc = cw_lane_order_new(layers->net, &layers->order[layers->lanes++]);
        if (rc == 0) waiting -= fill_lane(layers, lane, lid * layers->net->n_endpoints + e);
    }
    return rc;
}

static void clear_lanes(struct layers *layers)
{
    while (layers->lanes > 0) cw_lane_order_free(&layers->order[--layers->lanes]);
}

/* All routes, to the N destinations of ORDER one after another, from the last on if BACK. */
static int place_all(struct layers *layers, const uint32_t *order, uint32_t n, bool back, uint32_t most)
{
    int rc = 0;
    clear_lanes(layers);
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        uint32_t lid = 0;
        for (const struct cw_routes *routes = layers->routes; routes && rc == 0; routes = routes->next_lid)
            rc = place_destination(layers, routes, lid++, order[back ? n - 1 - i : i], most);
    }
    return rc;
}

/* Tries ORDER both ways, and that of the endpoints' numbers, which BY_NUMBER has room for; each with fewer lanes than
 * the ones before took. With two, no order does better: those with one have no cycles. */
static int try_orders(struct layers *layers, const uint32_t *order, uint32_t n, uint32_t *by_number, uint8_t *lane)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < n; i++) by_number[i] = order[i];
    cw_sort_numbers(by_number, n);
    for (unsigned attempt = 0; attempt < 4 && (best == 0 || best > 2); attempt++) {
        const int rc =
            place_all(layers, attempt < 2 ? order : by_number, n, attempt % 2 == 1, best > 0 ? best - 1 : layers->most);
        if (rc == CW_ELIMIT) continue;
        if (rc) return rc;
        best = layers->lanes > 0 ? layers->lanes : 1;
        memcpy(lane, layers->lane, (size_t)layers->n_leaves * layers->n_dst * sizeof *lane);
    }
    memcpy(layers->lane, lane, (size_t)layers->n_leaves * layers->n_dst * sizeof *lane);
    layers->used = best;
    if (best > 0) return 0;
    return cw_fail(CW_ELIMIT,
                   "the routes of %s need more than %u virtual lane%s to be free of deadlocks; expected %snue, which "
                   "makes routes for any number of lanes (or, on a torus, torus-2qos)",
                   layers->routes->name, layers->most, cw_plural(layers->most),
                   layers->most < CW_LANE_DISCARDED ? "lanes=N with more of them, or " : "");
}

static int find_lanes(struct layers *layers)
{
    const struct cw_network *net = layers->net;
    uint32_t *order = cw_new_array(net->n_endpoints, sizeof *order, what);
    uint32_t *by_number = cw_new_array(net->n_endpoints, sizeof *by_number, what);
    uint32_t *stack = cw_new_array((size_t)net->n_channels + 1, sizeof *stack, what);
    bool *added = cw_new_array(net->n_endpoints, sizeof *added, what);
    uint8_t *lane = cw_new_array((size_t)layers->n_leaves * layers->n_dst, sizeof *lane, what);
    int rc = order && by_number && stack && added && lane ? 0 : CW_ENOMEM;
    if (rc == 0) {
        const uint32_t n = order_destinations(layers, added, stack, order);
        rc = try_orders(layers, order, n, by_number, lane);
    }
    free(order);
    free(by_number);
    free(stack);
    free(added);
    free(lane);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static int new_layers(struct layers *layers)
{
    const struct cw_network *net = layers->net;
    layers->leaf = cw_new_array(layers->n, sizeof *layers->leaf, what);
    layers->next = cw_new_array(layers->n, sizeof *layers->next, what);
    layers->tree = cw_new_array(layers->n, sizeof *layers->tree, what);
    layers->stack = cw_new_array(layers->n, sizeof *layers->stack, what);
    layers->met = cw_new_array(layers->n, sizeof *layers->met, what);
    layers->waits = cw_new_array(layers->n, sizeof *layers->waits, what);
    layers->passed = cw_new_array(layers->n, sizeof *layers->passed, what);
    layers->fits = cw_new_array(layers->n, sizeof *layers->fits, what);
    if (!layers->leaf || !layers->next || !layers->tree || !layers->stack || !layers->met || !layers->waits ||
        !layers->passed || !layers->fits)
        return CW_ENOMEM;
    for (uint32_t v = 0; v < layers->n; v++) {
        uint32_t c = net->first[v + net->n_endpoints];
        while (c < net->first[v + net->n_endpoints + 1] && switch_at(layers, c) != CW_NONE) c++;
        layers->leaf[v] = c < net->first[v + net->n_endpoints + 1] ? layers->n_leaves++ : CW_NONE;
    }
    layers->lane = cw_new_array((size_t)layers->n_leaves * layers->n_dst, sizeof *layers->lane, what);
    return layers->lane ? 0 : CW_ENOMEM;
}

static void free_layers(struct layers *layers)
{
    clear_lanes(layers);
    free(layers->leaf);
    free(layers->lane);
    free(layers->next);
    free(layers->tree);
    free(layers->stack);
    free(layers->met);
    free(layers->waits);
    free(layers->passed);
    free(layers->fits);
}

/* The switch where the route from endpoint E to DST by TABLES goes on; CW_NONE: it has none, or meets no switch. */
static uint32_t start_of(const struct layers *layers, const struct cw_lft *tables, uint32_t e, uint32_t dst)
{
    const uint32_t channel = cw_lft_channel(tables, e, dst);
    return channel == CW_NONE ? CW_NONE : switch_at(layers, channel);
}

/* To the LID of ROUTES, whose number is LID. */
static int give_levels(const struct layers *layers, uint32_t lid, struct cw_routes *routes)
{
    const uint32_t n = layers->net->n_endpoints;
    const uint8_t *lane = layers->lane + (size_t)lid * n;
    struct cw_service_levels *levels;
    const int rc = cw_service_levels_new(layers->net, layers->used, &levels);
    if (rc) return rc;
    for (uint32_t src = 0; src < n; src++)
        for (uint32_t dst = 0; dst < n; dst++) {
            const uint32_t v = src == dst ? CW_NONE : start_of(layers, routes->tables, src, dst);
            if (v != CW_NONE)
                cw_service_levels_set(levels, src, dst, lane[(size_t)layers->leaf[v] * layers->n_dst + dst]);
        }
    return cw_routes_set_service_levels(routes, levels);
}

/* Gives ROUTES, which are tables without holes on the way or loops, to all LIDs, service levels of at most MOST lanes
 * (CW_LANE_DISCARDED at most), of which level n is lane n everywhere; nothing if they need one lane only. The routes to
 * all LIDs together are free of deadlocks then. CW_ELIMIT if MOST are not enough. O(LIDs · switches · lanes), and what
 * the orders of channels take to be mended. */
static int layer_lanes(struct cw_routes *routes, uint32_t most)
{
    struct layers layers = {.net = routes->net, .routes = routes, .n = cw_network_switches(routes->net), .most = most};
    layers.n_dst = layers.net->n_endpoints * cw_routes_lids(routes);
    int rc = new_layers(&layers);
    if (rc == 0) rc = find_lanes(&layers);
    for (uint32_t lid = 0; routes && rc == 0 && layers.used > 1; routes = routes->next_lid)
        rc = give_levels(&layers, lid++, routes);
    free_layers(&layers);
    return rc;
}

/* --- routes ------------------------------------------------------------------------------------------------------- */

#define ROUNDS 8u    /* at most */
#define GAIN   0.001 /* of the sum, less than which is not worth a round */

/* Lays the routes of one destination to the LID behind those of LAID, on other channels if that costs little. */
static void lay_one(struct cw_balanced_trees *trees, uint32_t dst, const struct cw_routes *laid)
{
    for (const struct cw_routes *before = laid; before; before = before->next_lid)
        cw_trees_repeat(trees, dst, before->tables);
    cw_trees_search(trees, dst);
    cw_trees_lay(trees);
    for (const struct cw_routes *before = laid; before; before = before->next_lid)
        cw_trees_lift(trees, dst, before->tables);
}

/* Lays the routes of all destinations; AGAIN: anew, beside those of all others. *MEETINGS: pairs of routes to two
 * destinations that met when the later one was laid, each by the time that it costs. */
static int lay_all(struct cw_balanced_trees *trees, bool again, const struct cw_routes *laid, struct cw_lft *tables,
                   uint32_t *longest, double *meetings)
{
    int rc = 0;
    *meetings = 0;
    for (uint32_t i = 0; i < trees->n_order && rc == 0; i++) {
        if (again) cw_trees_lift(trees, trees->order[i], tables);
        lay_one(trees, trees->order[i], laid);
        *meetings += trees->laid_price;
        cw_trees_enter(trees, tables);
        if (cw_trees_longest(trees) > *longest) *longest = cw_trees_longest(trees);
        rc = cw_interrupt_check();
    }
    return rc;
}

/* The routes to one more LID than LAID has of each endpoint. */
static int add_lid(struct cw_balanced_trees *trees, unsigned n_threads, struct cw_routes **laid)
{
    struct cw_lft *tables;
    struct cw_routes *routes;
    uint32_t longest = 0;
    double before = 0, now;
    int rc = cw_lft_new(trees->net, &tables);
    if (rc) return rc;
    rc = lay_all(trees, false, *laid, tables, &longest, &now);
    for (uint32_t round = 1; round < ROUNDS && rc == 0; round++) {
        rc = lay_all(trees, true, *laid, tables, &longest, &now);
        /* the first round laid trees beside those that were there: its sum is not comparable */
        if (round > 1 && now > before * (1 - GAIN)) break;
        before = now;
    }
    if (rc) {
        cw_lft_free(tables);
        return rc;
    }
    rc = cw_lft_finish_as(tables, "min-contention", longest, n_threads, &routes);
    if (rc) return rc;
    if (*laid)
        cw_routes_add_lid(*laid, routes);
    else
        *laid = routes;
    return 0;
}

/* --- the better of two -------------------------------------------------------------------------------------------- */

/* Puts OTHERS, which it takes over, in place of *ROUTES and under their name; or frees them, unless BETTER. */
static void replace(bool better, struct cw_routes *others, struct cw_routes **routes)
{
    if (better) {
        struct cw_routes *worse = *routes;
        char *name = others->name;
        others->name = worse->name;
        worse->name = name;
        *routes = others;
        others = worse;
    }
    cw_routes_free(others);
}

/* Takes OTHERS over: they replace *ROUTES, which have *MEETINGS, if they go by destination, arrive, are free of
 * deadlocks on so many LANES, and meet more rarely. */
static int consider(const struct cw_balanced_trees *trees, struct cw_routes *others, uint32_t lanes, double *meetings,
                    struct cw_routes **routes)
{
    double found = 0;
    int rc = cw_routes_by_destination(others) ? cw_trees_meetings(trees, others, &found) : CW_EUSAGE;
    const bool rarer = rc == 0 && found < *meetings * (1 - GAIN);
    if (rarer && others->tables && cw_routes_lanes(others) == 1) rc = layer_lanes(others, lanes);
    const bool better = rc == 0 && rarer && cw_routes_lanes(others) <= lanes;
    if (better) *meetings = found;
    replace(better, others, routes);
    return rc == CW_ENOMEM || rc == CW_EINTERRUPTED ? rc : 0; /* else these are no candidates */
}

/* The routes of ENGINE, if it has shortest ones. */
static int consider_engine(const struct cw_balanced_trees *trees, const char *engine, uint64_t seed, unsigned n_threads,
                           uint32_t lanes, double *meetings, struct cw_routes **routes)
{
    const struct cw_engine *named = cw_registry_find(&cw_engine_registry, engine);
    struct cw_routes *others;
    if (!named || !named->minimal || cw_engine_route(trees->net, engine, seed, n_threads, &others)) return 0;
    if (named->deadlock_freedom == CW_CLAIM_ACYCLIC || others->tables)
        return consider(trees, others, lanes, meetings, routes);
    cw_routes_free(others);
    return 0;
}

/* Regular networks have regular routes, which a descent may miss: those of their own engine; on networks without
 * leaves, those by the order of ports; and, where a map is a torus whose cables stand in any order, those that the
 * torus itself would have. */
static int consider_regular(const struct cw_balanced_trees *trees, uint32_t lanes, uint64_t seed, unsigned n_threads,
                            struct cw_routes **routes)
{
    const struct cw_network *net = trees->net;
    const char *own = cw_engine_default(net);
    struct cw_routes *others;
    char spec[64];
    double meetings;
    int rc = cw_trees_meetings(trees, *routes, &meetings);
    if (rc == 0) rc = consider_engine(trees, own, seed, n_threads, lanes, &meetings, routes);
    if (rc == 0) rc = consider_engine(trees, "dor-ports", seed, n_threads, lanes, &meetings, routes);
    if (rc || !net->places || strcmp(net->places->ideal->shape.kind->name, "torus") != 0) return rc;
    snprintf(spec, sizeof spec, "min-contention:lanes=%u", (unsigned)lanes);
    if (cw_engine_route(net->places->ideal, spec, seed, n_threads, &others) == 0 &&
        cw_routes_of_places(others, net, n_threads, &others) == 0)
        rc = consider(trees, others, lanes, &meetings, routes);
    return rc;
}

/* Puts tables under which shifts are done sooner in place of *ROUTES, if there are some and LANES are enough. */
static int shorten_shifts(struct cw_balanced_trees *trees, uint32_t lanes, unsigned n_threads,
                          struct cw_routes **routes)
{
    static const struct cw_shift_setup setup = {.by_shifts = 0.12, .steepest = 2};
    struct cw_routes *others;
    int rc = cw_shift_search(trees, *routes, &setup, n_threads, &others);
    if (rc || !others) return rc;
    rc = layer_lanes(others, lanes);
    replace(rc == 0, others, routes);
    return rc == CW_ELIMIT ? 0 : rc;
}

struct parameters {
    int64_t lanes;
    int lmc;
};

static const struct cw_option options[] = {{.name = "lanes",
                                            .type = CW_OPTION_INT,
                                            .offset = offsetof(struct parameters, lanes),
                                            .value_name = "N",
                                            .default_text = "8",
                                            .min = 1,
                                            .max = CW_LANE_DISCARDED,
                                            .help = "virtual lanes that there are; as few as possible are used"},
                                           CW_OPENSM_LMC(struct parameters, lmc),
                                           {.name = NULL}};

static int compile(const struct cw_network *net, const void *values, uint64_t seed, unsigned n_threads,
                   struct cw_routes **out)
{
    const struct parameters *parameters = values;
    struct cw_balanced_trees trees;
    struct cw_routes *routes = NULL;
    const uint32_t lids = cw_opensm_lids(net, parameters->lmc);
    int rc = cw_trees_new(net, &trees);
    if (rc == 0) rc = cw_trees_count_speeds(&trees);
    for (uint32_t lid = 0; lid < lids && rc == 0; lid++) rc = add_lid(&trees, n_threads, &routes);
    if (rc == 0) rc = layer_lanes(routes, (uint32_t)parameters->lanes);
    if (rc == 0 && lids == 1) rc = consider_regular(&trees, (uint32_t)parameters->lanes, seed, n_threads, &routes);
    if (rc == 0 && lids == 1) rc = shorten_shifts(&trees, (uint32_t)parameters->lanes, n_threads, &routes);
    cw_trees_free(&trees);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    return rc;
}

const struct cw_engine cw_engine_min_contention = {
    .name = "min-contention",
    .help = "any network: shortest paths, laid so that messages of different pairs meet as rarely as possible; virtual "
            "lanes (service levels) keep them free of deadlocks",
    .needs = "any network",
    .options = options,
    .size = sizeof(struct parameters),
    .minimal = true,
    .deadlock_freedom = CW_CLAIM_ACYCLIC,
    .compile = compile};
