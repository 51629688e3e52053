#include "route/engines/laned_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "route/route_tree.h"
#include "route/routes_internal.h"

static const char what[] = "routes with lanes";

struct laned {
    struct cw_routes *tables; /* owned */
    struct cw_lane_rule rule;
    uint32_t *place; /* the rule's, owned */
};

/* The lanes of a route over CHANNELS. */
static void find_lanes_of(const struct laned *laned, uint32_t dst, uint32_t hops, const uint32_t *channels,
                          uint8_t *lanes)
{
    uint32_t before = CW_NONE, lane = 0;
    for (uint32_t h = 0; h < hops; h++) {
        lanes[h] = 0;
        if (h == 0 || laned->tables->net->head[channels[h]] == dst) continue;
        lane = cw_lane_next(&laned->rule, before, lane, channels[h]);
        before = channels[h];
        lanes[h] = (uint8_t)lane;
    }
}

/* Names the first of N pairs that has no route. */
static int fail_pair(const struct laned *laned, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                     uint32_t *channels)
{
    for (size_t i = 0; i < n; i++) {
        const int rc = cw_lft_paths(laned->tables, 1, &src[i], &dst[i], hops, channels);
        if (rc) return rc == CW_EROUTE ? cw_fail_hole(laned->tables->net, src[i], dst[i]) : rc;
    }
    return cw_fail(CW_EINTERNAL, "a route that failed arrives when walked again");
}

static int paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    const struct laned *laned = state;
    const uint32_t *path = channels;
    size_t at = 0;
    const int rc = cw_lft_paths(laned->tables, n, src, dst, hops, channels);
    if (rc) return rc == CW_EROUTE ? fail_pair(laned, n, src, dst, hops, channels) : rc;
    for (size_t i = 0; i < n; i++, path += laned->tables->max_hops) {
        if (stride == 0) memmove(channels + at, path, hops[i] * sizeof *path);
        if (lanes) find_lanes_of(laned, dst[i], hops[i], channels + at, lanes + at);
        at += stride > 0 ? stride : hops[i];
    }
    return 0;
}

static const struct cw_routes *tables_of(const void *state)
{
    return ((const struct laned *)state)->tables;
}

static const struct cw_lane_rule *rule_of(const void *state)
{
    return &((const struct laned *)state)->rule;
}

static void free_state(void *state)
{
    struct laned *laned = state;
    cw_routes_free(laned->tables);
    free(laned->place);
    free(laned);
}

/* --- how many lanes ----------------------------------------------------------------------------------------------- */

/* Which lane of a layer a packet takes next, and whether in the next layer, does not depend on the layer: of the
 * packets that leave a switch on a lane, those in the highest layer tell how many there must be. */
struct counter {
    struct cw_tree tree;
    uint32_t
        *layers; /* [switches · lanes] to the destination at hand: layers up to that of the highest packet; 0: none */
    uint32_t most; /* lanes */
};

struct count {
    const struct laned *laned;
    bool *begins; /* [switches] routes do */
    struct counter *counters;
};

/* Packets leave switch V (an index) on LANE, counted over all layers. */
static void note_lane(const struct laned *laned, struct counter *counter, uint32_t v, uint32_t lane)
{
    uint32_t *layers = &counter->layers[(size_t)v * laned->rule.lanes + lane % laned->rule.lanes];
    if (lane / laned->rule.lanes + 1 > *layers) *layers = lane / laned->rule.lanes + 1;
    if (lane >= counter->most) counter->most = lane + 1;
}

/* The lanes of the routes to one destination. They do not depend on the endpoint of a switch at which they begin. */
static int count_lanes(void *context, size_t dst, unsigned thread)
{
    const struct count *count = context;
    const struct laned *laned = count->laned;
    const struct cw_network *net = laned->tables->net;
    struct counter *counter = &count->counters[thread];
    const struct cw_tree *tree = &counter->tree;
    cw_tree_fill(&counter->tree, (uint32_t)dst);
    memset(counter->layers, 0, (size_t)cw_network_switches(net) * laned->rule.lanes * sizeof *counter->layers);
    for (uint32_t i = 0; i < tree->n_order; i++) {
        const uint32_t v = tree->order[i] - net->n_endpoints, channel = tree->channel[v];
        if (channel == CW_NONE || !cw_network_forwards(net, net->head[channel])) continue;
        if (count->begins[v]) note_lane(laned, counter, v, cw_lane_next(&laned->rule, CW_NONE, 0, channel));
        const uint32_t w = net->head[channel] - net->n_endpoints, next = tree->channel[w];
        if (next == CW_NONE || !cw_network_forwards(net, net->head[next])) continue;
        for (uint32_t l = 0; l < laned->rule.lanes; l++) {
            const uint32_t layers = counter->layers[(size_t)v * laned->rule.lanes + l];
            if (layers > 0)
                note_lane(laned, counter, w,
                          cw_lane_next(&laned->rule, channel, (layers - 1) * laned->rule.lanes + l, next));
        }
    }
    return 0;
}

static int new_counters(const struct laned *laned, unsigned threads, struct counter *counters)
{
    const size_t n = (size_t)cw_network_switches(laned->tables->net) * laned->rule.lanes;
    int rc = counters ? 0 : CW_ENOMEM;
    for (unsigned t = 0; rc == 0 && t < threads; t++) {
        rc = cw_tree_new(laned->tables, &counters[t].tree);
        counters[t].layers = cw_new_array(n, sizeof *counters[t].layers, what);
        if (!counters[t].layers) rc = CW_ENOMEM;
    }
    return rc;
}

static int find_lanes(const struct laned *laned, unsigned n_threads, uint32_t *lanes)
{
    const struct cw_network *net = laned->tables->net;
    const unsigned threads = cw_parallel_threads(n_threads, net->n_endpoints);
    struct count count = {.laned = laned,
                          .begins = cw_new_array(cw_network_switches(net), sizeof *count.begins, what),
                          .counters = cw_new_array(threads, sizeof *count.counters, what)};
    int rc = count.begins ? new_counters(laned, threads, count.counters) : CW_ENOMEM;
    for (uint32_t e = 0; rc == 0 && e < net->n_endpoints; e++) {
        const uint32_t v = cw_network_degree(net, e) > 0 ? net->head[net->first[e]] : e;
        if (!cw_network_is_endpoint(net, v)) count.begins[v - net->n_endpoints] = true;
    }
    if (rc == 0) rc = cw_parallel_for(n_threads, net->n_endpoints, count_lanes, &count);
    *lanes = 1;
    for (unsigned t = 0; rc == 0 && t < threads; t++)
        if (count.counters[t].most > *lanes) *lanes = count.counters[t].most;
    for (unsigned t = 0; count.counters && t < threads; t++) {
        cw_tree_free(&count.counters[t].tree);
        free(count.counters[t].layers);
    }
    free(count.counters);
    free(count.begins);
    return rc;
}

int cw_routes_with_places(struct cw_routes *tables, const char *name, uint32_t *place, uint32_t lanes,
                          unsigned n_threads, struct cw_routes **out)
{
    static const struct cw_formula formula = {
        .name = "lanes", .paths = paths, .tables = tables_of, .lane_rule = rule_of, .free_state = free_state};
    const uint32_t hops = cw_routes_max_hops(tables);
    uint32_t all = hops > 3 ? hops - 2 : 1;
    struct laned *laned = cw_new_array(1, sizeof *laned, what);
    char *copy = laned ? cw_copy_text(name, strlen(name)) : NULL;
    if (!copy) {
        free(laned);
        free(place);
        cw_routes_free(tables);
        return CW_ENOMEM;
    }
    *laned = (struct laned){tables, {place, lanes}, place};
    int rc = place ? find_lanes(laned, n_threads, &all) : 0;
    if (rc == 0 && all > UINT8_MAX)
        rc = cw_fail(CW_ELIMIT, "the routes of %s need %u lanes; at most %d are possible", name, all, UINT8_MAX);
    struct cw_routes *routes = NULL;
    if (rc == 0 && all == 1) {
        routes = tables;
        laned->tables = NULL;
    }
    if (rc || all == 1)
        free_state(laned);
    else
        rc = cw_routes_from_formula(tables->net, &formula, laned, hops, all, true, &routes);
    if (rc) {
        free(copy);
        return rc;
    }
    free(routes->name);
    routes->name = copy;
    *out = routes;
    return 0;
}
