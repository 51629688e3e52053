/* The inside of hosts, of a small network: what is accepted is a valid network that can be routed. */
#include <stdlib.h>

#include "base/error.h"
#include "fuzz.h"
#include "net/nodes.h"
#include "route/engine.h"
#include "topo/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_network *fabric, *net;
    struct cw_routes *routes;
    if (cw_topology_build("xgft:1:8:1", &fabric) != 0) abort();
    if (cw_nodes_parse(fabric, "nodes", (const char *)data, size, &net) != 0) {
        if (*cw_error_message() == 0) abort();
        return 0;
    }
    if (cw_network_check(net) != 0 || cw_engine_route(net, NULL, 1, 1, &routes) != 0) abort();
    const uint32_t src = 0, dst = cw_network_endpoints(net) - 1;
    uint32_t *channels = calloc(cw_routes_max_hops(routes), sizeof *channels), hops;
    if (!channels || cw_routes_paths(routes, 1, &src, &dst, &hops, channels, NULL) != 0) abort();
    free(channels);
    cw_routes_free(routes);
    cw_network_free(net);
    return 0;
}
