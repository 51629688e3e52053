#include <stdlib.h>

#include "base/error.h"
#include "net/network_internal.h"
#include "route/routes_internal.h"

/* A walk is a chain of cache misses: the entry tells the channel, the channel the next switch, that the next entry.
 * So many are walked in turns, and each asks for its next entry a whole turn before it needs it. */
#define IN_FLIGHT 32

struct flight {
    size_t row; /* of the destination: where the entry of vertex row_base is */
    uint32_t vertex, dst;
    uint32_t hops;
    uint32_t index; /* of the route in the batch */
};

struct batch {
    const struct cw_routes *routes;
    const struct cw_lft *tables;
    const uint32_t *src, *dst;
    uint32_t *hops, *channels;
    size_t n, next; /* routes, and the first that has not begun */
    size_t failed;  /* the lowest that failed, or n */
};

static inline void prefetch_entry(const struct cw_lft *tables, const struct flight *flight)
{
    const size_t at = flight->row + flight->vertex - tables->row_base;
    if (tables->narrow)
        __builtin_prefetch(tables->narrow + at);
    else
        __builtin_prefetch(tables->wide + at);
}

/* Begins the next route that is not empty; false if there is none. An endpoint without a row has one port at most. */
static bool begin(struct batch *batch, struct flight *flight)
{
    const struct cw_network *net = batch->tables->net;
    while (batch->next < batch->n && batch->failed == batch->n) {
        const size_t i = batch->next++;
        const uint32_t src = batch->src[i], dst = batch->dst[i];
        batch->hops[i] = 0;
        if (src == dst) continue;
        *flight = (struct flight){(size_t)dst * batch->tables->rows, src, dst, 0, (uint32_t)i};
        if (src < batch->tables->row_base) {
            const uint32_t channel = net->first[src];
            if (channel == net->first[src + 1]) {
                batch->failed = i;
                return false;
            }
            batch->channels[i * batch->routes->max_hops] = channel;
            flight->hops = 1;
            flight->vertex = net->head[channel];
            if (flight->vertex == dst) {
                batch->hops[i] = 1;
                continue;
            }
            if (flight->vertex < net->n_endpoints) {
                batch->failed = i;
                return false;
            }
        }
        prefetch_entry(batch->tables, flight);
        return true;
    }
    return false;
}

enum progress { ON_ITS_WAY, ARRIVED, FAILED };

/* Takes one hop. */
static inline enum progress step(const struct batch *batch, struct flight *flight)
{
    const struct cw_network *net = batch->tables->net;
    const uint32_t channel = cw_lft_channel(batch->tables, flight->vertex, flight->dst);
    if (channel == CW_NONE || flight->hops == batch->routes->max_hops) return FAILED;
    batch->channels[(size_t)flight->index * batch->routes->max_hops + flight->hops++] = channel;
    flight->vertex = net->head[channel];
    if (flight->vertex == flight->dst) {
        batch->hops[flight->index] = flight->hops;
        return ARRIVED;
    }
    if (flight->vertex < net->n_endpoints) return FAILED;
    prefetch_entry(batch->tables, flight);
    return ON_ITS_WAY;
}

/* Says why the route from SRC to DST does not arrive, by walking it again. */
static int explain(const struct cw_routes *routes, uint32_t src, uint32_t dst)
{
    struct cw_walk walk = {0};
    struct cw_hop hop;
    int rc = cw_walk_begin(&walk, routes, src, dst);
    if (rc == 0) {
        while ((rc = cw_walk_candidates(&walk, &hop, 1)) > 0) cw_walk_take(&walk, hop);
    }
    cw_walk_end(&walk);
    return rc < 0 ? rc
                  : cw_fail(CW_EINTERNAL, "a route of %u hops; at most %u were expected", walk.hops, routes->max_hops);
}

int cw_lft_paths(const struct cw_routes *routes, size_t n, const uint32_t *src, const uint32_t *dst, uint32_t *hops,
                 uint32_t *channels)
{
    struct batch batch = {routes, routes->tables, src, dst, hops, channels, n, 0, n};
    struct flight flights[IN_FLIGHT];
    unsigned in_flight = 0;
    while (in_flight < IN_FLIGHT && begin(&batch, &flights[in_flight])) in_flight++;
    while (in_flight > 0) {
        for (unsigned i = 0; i < in_flight; i++) {
            const enum progress progress = step(&batch, &flights[i]);
            if (progress == ON_ITS_WAY) continue;
            if (progress == FAILED && flights[i].index < batch.failed) batch.failed = flights[i].index;
            if (!begin(&batch, &flights[i])) flights[i--] = flights[--in_flight];
        }
    }
    return batch.failed < n ? explain(routes, src[batch.failed], dst[batch.failed]) : 0;
}
