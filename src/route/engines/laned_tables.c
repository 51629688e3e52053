#include "route/engines/laned_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/network_internal.h"
#include "route/routes_internal.h"

static const char what[] = "routes with lanes";

struct laned {
    struct cw_routes *tables; /* owned */
    uint32_t *place;          /* owned; NULL: all the same */
    uint32_t lanes;           /* of a layer */
};

/* Where a packet is in the order of channels and lanes; all 0 at its source. */
struct progress {
    uint32_t layer, place;
};

/* The lane on which a packet takes CHANNEL, between two switches. */
static uint32_t next_lane(const struct laned *laned, uint32_t channel, struct progress *at)
{
    uint32_t lane = 0, least = UINT32_MAX;
    for (int again = 0; again < 2 && least == UINT32_MAX; again++) {
        if (again) *at = (struct progress){at->layer + 1, 0};
        for (uint32_t l = 0; l < laned->lanes; l++) {
            const uint32_t place = laned->place ? laned->place[(size_t)channel * laned->lanes + l] : 1;
            if (place <= at->place || place >= least) continue;
            least = place;
            lane = l;
        }
    }
    at->place = least;
    return at->layer * laned->lanes + lane;
}

/* One route into CHANNELS and LANES, unless NULL; its hops, 0 if there is none (or SRC is DST). */
static uint32_t walk(const struct laned *laned, uint32_t src, uint32_t dst, uint32_t *channels, uint8_t *lanes)
{
    const struct cw_lft *tables = laned->tables->tables;
    const struct cw_network *net = tables->net;
    struct progress at = {0, 0};
    uint32_t hops = 0;
    for (uint32_t v = src; v != dst; v = net->head[channels[hops - 1]]) {
        channels[hops] = cw_lft_channel(tables, v, dst);
        if (channels[hops] == CW_NONE || hops + 1 > laned->tables->max_hops) return 0;
        const bool host = hops == 0 || net->head[channels[hops]] == dst;
        if (lanes) lanes[hops] = host ? 0 : (uint8_t)next_lane(laned, channels[hops], &at);
        hops++;
    }
    return hops;
}

static int paths(const void *state, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels, uint32_t stride, uint8_t *lanes)
{
    const struct laned *laned = state;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        hops[i] = walk(laned, src[i], dst[i], channels + at, lanes ? lanes + at : NULL);
        if (hops[i] == 0 && src[i] != dst[i]) return cw_fail_hole(laned->tables->net, src[i], dst[i]);
        at += stride > 0 ? stride : hops[i];
    }
    return 0;
}

static void free_state(void *state)
{
    struct laned *laned = state;
    cw_routes_free(laned->tables);
    free(laned->place);
    free(laned);
}

/* --- how many lanes ----------------------------------------------------------------------------------------------- */

struct count {
    const struct laned *laned;
    uint32_t *first; /* [n_sources] an endpoint of each switch that has any */
    uint32_t n_sources;
    uint32_t *most; /* [threads] lanes */
};

/* The lanes of the routes to one destination. They do not depend on the endpoint of a switch at which they begin. */
static int count_lanes(void *context, size_t index, unsigned thread)
{
    const struct count *count = context;
    const struct laned *laned = count->laned;
    const struct cw_lft *tables = laned->tables->tables;
    const struct cw_network *net = tables->net;
    const uint32_t dst = (uint32_t)index;
    for (uint32_t i = 0; i < count->n_sources; i++) {
        struct progress at = {0, 0};
        uint32_t v = net->head[net->first[count->first[i]]];
        for (uint32_t hops = 0; hops < laned->tables->max_hops; hops++) {
            const uint32_t channel = cw_lft_channel(tables, v, dst);
            if (channel == CW_NONE || cw_network_is_endpoint(net, net->head[channel])) break;
            const uint32_t lane = next_lane(laned, channel, &at);
            if (lane >= count->most[thread]) count->most[thread] = lane + 1;
            v = net->head[channel];
        }
    }
    return 0;
}

static int find_lanes(const struct laned *laned, unsigned n_threads, uint32_t *lanes)
{
    const struct cw_network *net = laned->tables->net;
    const unsigned threads = cw_parallel_threads(n_threads, net->n_endpoints);
    struct count count = {.laned = laned,
                          .first = cw_new_array(net->n_endpoints, sizeof *count.first, what),
                          .most = cw_new_array(threads, sizeof *count.most, what)};
    bool *met = cw_new_array(net->n_vertices, sizeof *met, what);
    int rc = count.first && count.most && met ? 0 : CW_ENOMEM;
    for (uint32_t e = 0; rc == 0 && e < net->n_endpoints; e++) {
        if (cw_network_degree(net, e) == 0 || met[net->head[net->first[e]]]) continue;
        met[net->head[net->first[e]]] = true;
        count.first[count.n_sources++] = e;
    }
    if (rc == 0) rc = cw_parallel_for(n_threads, net->n_endpoints, count_lanes, &count);
    *lanes = 1;
    for (unsigned t = 0; rc == 0 && t < threads; t++)
        if (count.most[t] > *lanes) *lanes = count.most[t];
    free(count.first);
    free(count.most);
    free(met);
    return rc;
}

int cw_routes_with_places(struct cw_routes *tables, const char *name, uint32_t *place, uint32_t lanes,
                          unsigned n_threads, struct cw_routes **out)
{
    static const struct cw_formula formula = {.name = "lanes", .paths = paths, .free_state = free_state};
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
    *laned = (struct laned){tables, place, lanes};
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
