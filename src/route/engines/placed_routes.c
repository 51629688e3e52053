#include "route/engines/placed_routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "net/places.h"
#include "route/engines/balanced/shift_search.h"
#include "route/engines/laned_tables.h"
#include "route/routes_internal.h"

#define MOST_SPREAD (UINT64_C(1) << 22) /* endpoints · channels of networks whose detours are tried one by one */

static const char what[] = "routes of a regular shape";

/* The switch of endpoint E, or CW_NONE. */
static uint32_t switch_of(const struct cw_network *net, uint32_t e)
{
    if (cw_network_degree(net, e) == 0) return CW_NONE;
    const uint32_t v = net->head[net->first[e]];
    return cw_network_is_endpoint(net, v) ? CW_NONE : v;
}

/* The endpoint of the shape that stands for E, which is on switch V: beside a torus, that of the switch's node. */
static uint32_t ideal_of(const struct cw_network *net, uint32_t e, uint32_t v)
{
    const struct cw_places *places = net->places;
    return places->place[e] != CW_NONE ? places->place[e] : places->place[v] - places->ideal->n_endpoints;
}

/* --- nothing missing ---------------------------------------------------------------------------------------------- */

struct carried {
    const struct cw_network *net;
    struct cw_routes *ideal; /* owned */
};

static void carried_free(void *state)
{
    struct carried *carried = state;
    cw_routes_free(carried->ideal);
    free(carried);
}

/* One route, which may begin or end beside the shape. */
static int carry(const struct carried *carried, uint32_t src, uint32_t dst, uint32_t *hops, uint32_t *channels,
                 uint8_t *lanes)
{
    const struct cw_network *net = carried->net;
    const uint32_t from = switch_of(net, src), to = switch_of(net, dst);
    *hops = 0;
    if (src == dst) return 0;
    if (from == CW_NONE || to == CW_NONE) return cw_fail_hole(net, src, dst);
    const uint32_t s = ideal_of(net, src, from), d = ideal_of(net, dst, to);
    if (s != d) {
        const int rc = cw_routes_paths(carried->ideal, 1, &s, &d, hops, channels, lanes);
        if (rc) return rc;
    } else {
        *hops = 2;
        for (uint32_t i = 0; i < 2 && lanes; i++) lanes[i] = 0;
    }
    for (uint32_t i = 1; i + 1 < *hops; i++) channels[i] = net->places->channel[channels[i]];
    channels[0] = net->first[src];
    channels[*hops - 1] = net->twin[net->first[dst]];
    return 0;
}

static int carried_paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                         uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    for (size_t i = 0; i < n; i++) {
        const int rc = carry(state, src[i], dst[i], &hops[i], channels, lanes);
        if (rc) return rc;
        const uint32_t step = stride > 0 ? stride : hops[i];
        channels += step;
        if (lanes) lanes += step;
    }
    return 0;
}

static const struct cw_formula formula = {.name = "carried", .paths = carried_paths, .free_state = carried_free};

static int carry_over(struct cw_routes *ideal, const struct cw_network *net, struct cw_routes **out)
{
    struct carried *carried = cw_new_array(1, sizeof *carried, what);
    if (!carried) {
        cw_routes_free(ideal);
        return CW_ENOMEM;
    }
    *carried = (struct carried){net, ideal};
    struct cw_routes *routes;
    const uint32_t max_hops = ideal->max_hops > 2 ? ideal->max_hops : 2;
    int rc = cw_routes_from_formula(net, &formula, carried, max_hops, ideal->lanes, ideal->by_destination, &routes);
    if (rc) return rc;
    free(routes->name);
    routes->name = cw_copy_text(ideal->name, strlen(ideal->name));
    if (!routes->name) {
        cw_routes_free(routes);
        return CW_ENOMEM;
    }
    *out = routes;
    return 0;
}

/* --- gaps --------------------------------------------------------------------------------------------------------- */

enum state { UNKNOWN, UNDER_WAY, WHOLE, BROKEN, MENDED };

struct mending {
    const struct cw_network *net;
    const struct cw_routes *ideal; /* tables */
    struct cw_lft *tables;
    struct cw_lft *kept; /* … of ways that are whole only */
    uint32_t *hosted;    /* [switches] endpoints */
    double *load;        /* [n_channels] routes by it over its capacity */
    double mean;         /* … of channels between switches that have routes */

    uint32_t ideal_dst; /* the destination at hand, in the ideal */

    /* Of it, by switch: */
    uint8_t *state;
    uint32_t *leave; /* the channel by which it is left, or CW_NONE */
    double *cost;    /* … and the price of the way from there */
    uint32_t *order; /* those with a way, each behind the one that it leads to */
    uint32_t n_order;
    uint32_t *queue; /* room for all; a ring */
    uint64_t *passing;
};

/* Adds N routes to CHANNEL. */
static void add_load(struct mending *mending, uint32_t channel, uint64_t n)
{
    mending->load[channel] += (double)n / mending->net->capacity[channel];
}

/* What a hop by CHANNEL costs: by four times the mean load as much as 257 hops by channels that nobody uses. */
static double price(const struct mending *mending, uint32_t channel)
{
    const double ratio = mending->mean > 0 ? mending->load[channel] / mending->mean : 0;
    return 1 + ratio * ratio * ratio * ratio;
}

/* The channel by which the ideal's tables leave switch V of the network towards DST of the ideal. */
static uint32_t own_channel(const struct mending *mending, uint32_t v, uint32_t dst)
{
    const struct cw_places *places = mending->net->places;
    const uint32_t place = places->place[v], port = cw_routes_table_port(mending->ideal, place, dst);
    return port == CW_NO_PORT ? CW_NONE : places->channel[places->ideal->first[place] + port];
}

/* Finds out whether switch S (an index) still arrives by the ideal's tables, and all on its way. */
static void follow(struct mending *mending, uint32_t s, uint32_t ideal_dst)
{
    const struct cw_network *net = mending->net;
    uint32_t n = 0, at = s;
    while (mending->state[at] == UNKNOWN) {
        mending->state[at] = UNDER_WAY;
        mending->queue[n++] = at;
        const uint32_t channel = own_channel(mending, net->n_endpoints + at, ideal_dst);
        if (channel == CW_NONE || !cw_network_forwards(net, net->head[channel])) break;
        mending->leave[at] = channel;
        at = net->head[channel] - net->n_endpoints;
    }
    const bool whole = mending->state[at] == WHOLE;
    while (n > 0) {
        s = mending->queue[--n];
        mending->state[s] = whole ? WHOLE : BROKEN;
        if (whole) {
            const uint32_t channel = mending->leave[s];
            mending->cost[s] = mending->cost[net->head[channel] - net->n_endpoints] + price(mending, channel);
            mending->order[mending->n_order++] = s;
        } else {
            mending->leave[s] = CW_NONE;
        }
    }
}

/* The ways to DST, at switch TO, that are whole. Switches that they do not pass are free to choose. */
static void follow_all(struct mending *mending, uint32_t dst, uint32_t to)
{
    const struct cw_network *net = mending->net;
    const uint32_t n = cw_network_switches(net), ideal_dst = ideal_of(net, dst, to), last = to - net->n_endpoints;
    mending->ideal_dst = ideal_dst;
    for (uint32_t s = 0; s < n; s++) mending->state[s] = UNKNOWN;
    mending->state[last] = WHOLE;
    mending->leave[last] = net->twin[net->first[dst]];
    mending->cost[last] = 0;
    mending->order[0] = last;
    mending->n_order = 1;
    for (uint32_t s = 0; s < n; s++)
        if (mending->hosted[s] > 0) follow(mending, s, ideal_dst);
    for (uint32_t s = 0; s < n; s++) {
        if (mending->state[s] != UNKNOWN) continue;
        mending->state[s] = BROKEN;
        mending->leave[s] = CW_NONE;
    }
}

/* Counts the routes of all endpoints on whole ways. */
static void count_whole(struct mending *mending)
{
    const struct cw_network *net = mending->net;
    for (uint32_t i = 0; i < mending->n_order; i++)
        mending->passing[mending->order[i]] = mending->hosted[mending->order[i]];
    for (uint32_t i = mending->n_order; i-- > 1;) {
        const uint32_t s = mending->order[i], channel = mending->leave[s];
        add_load(mending, channel, mending->passing[s]);
        mending->passing[net->head[channel] - net->n_endpoints] += mending->passing[s];
    }
}

/* Offers switch S a way by CHANNEL to one that arrives; true if it is cheaper than what it had. Of equally cheap
 * channels the ideal's own is taken, else the last: rules of shapes deal destinations out to channels in order, so that
 * the last is the one whose turn comes latest. */
static bool offer(struct mending *mending, uint32_t s, uint32_t channel)
{
    const struct cw_network *net = mending->net;
    const double cost = mending->cost[net->head[channel] - net->n_endpoints] + price(mending, channel);
    if (mending->state[s] == MENDED && cost > mending->cost[s]) return false;
    if (mending->state[s] == MENDED && cost >= mending->cost[s]) {
        const uint32_t own = own_channel(mending, net->n_endpoints + s, mending->ideal_dst);
        if (mending->leave[s] == own || (channel != own && channel <= mending->leave[s])) return false;
    }
    mending->leave[s] = channel;
    mending->cost[s] = cost;
    return true;
}

/* Finds the cheapest ways of broken switches to such that arrive. A ring holds those from which others may go on;
 * PASSING marks who is in it. */
static void mend_ways(struct mending *mending)
{
    const struct cw_network *net = mending->net;
    const uint32_t base = net->n_endpoints, n = cw_network_switches(net);
    uint32_t begin = 0, held = 0;
    for (uint32_t s = 0; s < n; s++) mending->passing[s] = 0;
    for (uint32_t s = 0; s < n; s++) {
        if (mending->state[s] != BROKEN) continue;
        for (uint32_t c = net->first[base + s]; c < net->first[base + s + 1]; c++) {
            const uint32_t head = net->head[c];
            if (head < base || mending->state[head - base] != WHOLE || !offer(mending, s, c)) continue;
            mending->state[s] = MENDED;
        }
        if (mending->state[s] != MENDED) continue;
        mending->queue[held++] = s;
        mending->passing[s] = 1;
    }
    for (; held > 0; held--, begin = (begin + 1) % n) {
        const uint32_t at = mending->queue[begin];
        mending->passing[at] = 0;
        for (uint32_t c = net->first[base + at]; c < net->first[base + at + 1]; c++) {
            const uint32_t s = net->head[c] - base;
            if (net->head[c] < base || mending->state[s] == WHOLE || !offer(mending, s, net->twin[c])) continue;
            mending->state[s] = MENDED;
            if (mending->passing[s]) continue;
            mending->passing[s] = 1;
            mending->queue[(begin + held++) % n] = s;
        }
    }
}

/* Counts the routes that were mended, from one switch after another. */
static void count_mended(struct mending *mending, uint32_t to)
{
    const struct cw_network *net = mending->net;
    for (uint32_t s = 0; s < cw_network_switches(net); s++) {
        if (mending->state[s] != MENDED || mending->hosted[s] == 0) continue;
        for (uint32_t v = net->n_endpoints + s; v != to; v = net->head[mending->leave[v - net->n_endpoints]])
            add_load(mending, mending->leave[v - net->n_endpoints], mending->hosted[s]);
    }
}

/* Enters the ways to DST that there are into TABLES. */
static void enter(const struct mending *mending, uint32_t dst, struct cw_lft *tables)
{
    const struct cw_network *net = mending->net;
    for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++)
        if (mending->leave[v - net->n_endpoints] != CW_NONE)
            cw_lft_set(tables, v, dst, mending->leave[v - net->n_endpoints] - net->first[v]);
}

/* Lays the routes to all destinations: first those that are whole are counted, then the others find their ways between
 * them, one destination after another. */
static int mend_all(struct mending *mending)
{
    const struct cw_network *net = mending->net;
    for (int mend = 0; mend < 2; mend++) {
        uint32_t used = 0;
        double sum = 0;
        for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
            const uint32_t to = switch_of(net, dst);
            const int rc = cw_interrupt_check();
            if (rc) return rc;
            if (to == CW_NONE) continue;
            follow_all(mending, dst, to);
            if (!mend) {
                count_whole(mending);
                enter(mending, dst, mending->kept);
                continue;
            }
            if (mending->n_order < cw_network_switches(net)) {
                mend_ways(mending);
                count_mended(mending, to);
            }
            enter(mending, dst, mending->tables);
        }
        for (uint32_t c = 0; c < net->n_channels; c++) {
            used += mending->load[c] > 0;
            sum += mending->load[c];
        }
        mending->mean = used > 0 ? sum / used : 0;
    }
    return 0;
}

static int new_workspace(struct mending *mending)
{
    const struct cw_network *net = mending->net;
    const uint32_t n = cw_network_switches(net);
    mending->hosted = cw_new_array(n, sizeof *mending->hosted, what);
    mending->load = cw_new_array(net->n_channels, sizeof *mending->load, what);
    mending->state = cw_new_array(n, sizeof *mending->state, what);
    mending->leave = cw_new_array(n, sizeof *mending->leave, what);
    mending->cost = cw_new_array(n, sizeof *mending->cost, what);
    mending->order = cw_new_array(n, sizeof *mending->order, what);
    mending->queue = cw_new_array(n, sizeof *mending->queue, what);
    mending->passing = cw_new_array(n, sizeof *mending->passing, what);
    if (!mending->hosted || !mending->load || !mending->state || !mending->leave || !mending->cost || !mending->order ||
        !mending->queue || !mending->passing)
        return CW_ENOMEM;
    for (uint32_t e = 0; e < net->n_endpoints; e++)
        if (switch_of(net, e) != CW_NONE) mending->hosted[switch_of(net, e) - net->n_endpoints]++;
    return 0;
}

static void free_workspace(struct mending *mending)
{
    free(mending->hosted);
    free(mending->load);
    free(mending->state);
    free(mending->leave);
    free(mending->cost);
    free(mending->order);
    free(mending->queue);
    free(mending->passing);
}

/* --- lanes -------------------------------------------------------------------------------------------------------- */

/* What may wait for what if all packets of TABLES are on lane 0. */
static int add_dependencies(const struct cw_routes *tables, struct cw_dependencies *graph)
{
    const struct cw_network *net = tables->net;
    for (uint32_t dst = 0; dst < net->n_endpoints; dst++) {
        const int rc = cw_interrupt_check();
        if (rc) return rc;
        for (uint32_t v = net->n_endpoints; v < net->n_vertices; v++) {
            const uint32_t channel = cw_lft_channel(tables->tables, v, dst);
            if (channel == CW_NONE || !cw_network_forwards(net, net->head[channel])) continue;
            const uint32_t next = cw_lft_channel(tables->tables, net->head[channel], dst);
            if (next != CW_NONE) cw_dependencies_add(graph, channel, 0, next, 0);
        }
    }
    return 0;
}

/* The places of the network's channels and lanes in chains of the ideal's dependencies, as cw_routes_with_places wants
 * them: whole routes then keep to the lanes that the ideal has, or need no more. TABLES are the ideal's. */
static int find_places(const struct cw_network *net, const struct cw_routes *ideal, const struct cw_routes *tables,
                       uint32_t **out)
{
    const size_t lanes = ideal->lanes, n = net->n_channels * lanes;
    struct cw_dependencies graph = {.net = NULL};
    struct cw_survey survey = {.graph = &graph};
    const bool by_form = ideal->formula && !ideal->formula->make_tables; /* rules among shortest paths: by entries */
    uint32_t *chain = NULL, *place = cw_new_array(n, sizeof *place, what);
    int rc = place ? cw_dependencies_new(ideal->net, ideal->lanes, &graph) : CW_ENOMEM;
    if (rc == 0)
        rc = by_form && cw_routes_can_survey(ideal, &survey) ? ideal->formula->survey(ideal->state, &survey)
                                                             : add_dependencies(tables, &graph);
    if (rc == 0) rc = cw_dependencies_chains(&graph, &chain);
    for (size_t i = 0; rc == 0 && i < n; i++) place[i] = 1;
    for (size_t i = 0; rc == 0 && i < ideal->net->n_channels * lanes; i++)
        if (net->places->channel[i / lanes] != CW_NONE)
            place[net->places->channel[i / lanes] * lanes + i % lanes] = chain[i];
    cw_dependencies_free(&graph);
    free(chain);
    if (rc)
        free(place);
    else
        *out = place;
    return rc;
}

/* Tables under which shifts over detours are done sooner than by ROUTES; NULL if none are found, or if that would take
 * more than some seconds. */
static int spread_detours(const struct cw_routes *routes, const struct cw_lft *kept, unsigned n_threads,
                          struct cw_routes **out)
{
    const struct cw_shift_setup setup = {.kept = kept, .by_shifts = 0.5, .steepest = 8};
    struct cw_balanced_trees trees;
    if ((uint64_t)routes->net->n_endpoints * routes->net->n_channels > MOST_SPREAD) return 0;
    int rc = cw_trees_new(routes->net, &trees);
    if (rc == 0) rc = cw_trees_count_speeds(&trees);
    if (rc == 0) rc = cw_shift_search(&trees, routes, &setup, n_threads, out);
    cw_trees_free(&trees);
    return rc;
}

/* Mends TABLES, the ideal's, as MENDED and, if that can be done better, as SPREAD. */
static int mend_tables(const struct cw_network *net, const struct cw_routes *tables, unsigned n_threads,
                       struct cw_routes **mended, struct cw_routes **spread)
{
    struct mending mending = {.net = net, .ideal = tables};
    int rc = cw_lft_new(net, &mending.tables);
    if (rc == 0) rc = cw_lft_new(net, &mending.kept);
    if (rc == 0) rc = new_workspace(&mending);
    if (rc == 0) rc = mend_all(&mending);
    if (rc == 0)
        rc = cw_lft_finish(mending.tables, tables->name, mended);
    else
        cw_lft_free(mending.tables);
    if (rc == 0) rc = spread_detours(*mended, mending.kept, n_threads, spread);
    free_workspace(&mending);
    cw_lft_free(mending.kept);
    if (rc) cw_routes_free(*mended);
    return rc;
}

/* TABLES, which it takes over, with lanes that ascend by PLACE, which it does not. */
static int lay_lanes(struct cw_routes *tables, const struct cw_routes *ideal, const uint32_t *place, unsigned n_threads,
                     struct cw_routes **out)
{
    const size_t n = (size_t)tables->net->n_channels * ideal->lanes;
    uint32_t *copy = cw_new_array(n, sizeof *copy, what);
    if (!copy) {
        cw_routes_free(tables);
        return CW_ENOMEM;
    }
    memcpy(copy, place, n * sizeof *copy);
    return cw_routes_with_places(tables, ideal->name, copy, ideal->lanes, n_threads, out);
}

/* Puts SPREAD, which it takes over, in place of *ROUTES, unless that takes more lanes. */
static int prefer(struct cw_routes *spread, const struct cw_routes *ideal, const uint32_t *place, unsigned n_threads,
                  struct cw_routes **routes)
{
    struct cw_routes *others;
    int rc = lay_lanes(spread, ideal, place, n_threads, &others);
    if (rc) return rc == CW_ELIMIT ? 0 : rc;
    const bool better = cw_routes_lanes(others) <= cw_routes_lanes(*routes);
    cw_routes_free(better ? *routes : others);
    if (better) *routes = others;
    return 0;
}

static int mend_over(struct cw_routes *ideal, const struct cw_network *net, unsigned n_threads, struct cw_routes **out)
{
    struct cw_routes *used = NULL, *tables = NULL, *mended = NULL, *spread = NULL, *routes = NULL;
    uint32_t *place = NULL;
    int rc = cw_routes_to_used_tables(ideal, n_threads, &used);
    if (rc == 0) rc = find_places(net, ideal, used, &place);
    cw_routes_free(used);
    if (rc == 0) rc = cw_routes_to_tables(ideal, n_threads, &tables);
    if (rc == 0) rc = mend_tables(net, tables, n_threads, &mended, &spread);
    if (rc == 0) {
        rc = lay_lanes(mended, ideal, place, n_threads, &routes);
        if (rc) cw_routes_free(spread);
    }
    if (rc == 0 && spread) rc = prefer(spread, ideal, place, n_threads, &routes);
    free(place);
    cw_routes_free(tables);
    cw_routes_free(ideal);
    if (rc)
        cw_routes_free(routes);
    else
        *out = routes;
    return rc;
}

int cw_routes_of_places(struct cw_routes *ideal, const struct cw_network *net, unsigned n_threads,
                        struct cw_routes **out)
{
    if (cw_places_have_all_routes(net->places)) return carry_over(ideal, net, out);
    return mend_over(ideal, net, n_threads, out);
}
