#include "study/bench/ebb_shares.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

/* The most messages on any of the channels of a route. */
static uint32_t congestion(const uint32_t *channels, uint32_t hops, const uint32_t *load)
{
    uint32_t most = 1;
    for (uint32_t h = 0; h < hops; h++)
        if (load[channels[h]] > most) most = load[channels[h]];
    return most;
}

int cw_ebb_shares(const struct cw_routes *routes, const struct cw_flows *flows, const uint32_t *endpoints,
                  double *shares)
{
    const size_t n = flows->n, room = cw_routes_max_hops(routes);
    uint32_t *ends = cw_new_array(3 * n, sizeof *ends, "messages"), *dst = ends + n, *hops = dst + n;
    uint32_t *channels = cw_new_array(n * room, sizeof *channels, "routes");
    uint32_t *load = cw_new_array(cw_routes_network(routes)->n_channels, sizeof *load, "channels");
    int rc = ends && channels && load ? 0 : CW_ENOMEM;
    for (size_t i = 0; !rc && i < n; i++) {
        ends[i] = endpoints[flows->items[i].src];
        dst[i] = endpoints[flows->items[i].dst];
    }
    if (!rc) rc = cw_routes_paths(routes, n, ends, dst, hops, channels, NULL);
    for (size_t i = 0; !rc && i < n; i++)
        for (uint32_t h = 0; h < hops[i]; h++) load[channels[i * room + h]]++;
    for (size_t i = 0; !rc && i < n; i++) shares[i] = 1. / congestion(channels + i * room, hops[i], load);
    free(ends);
    free(channels);
    free(load);
    return rc;
}
