/* Files of explicit paths on a small network. What is accepted must be walkable. */
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "route/check.h"
#include "route/paths.h"
#include "topo/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_network *net;
    char path[64];
    struct cw_routes *routes;
    if (!net && cw_network_open("xgft:2:2,2:1,2:1,2", &net) != 0) abort();
    const int file = memory_file(data, size, path);
    if (cw_paths_read(net, path, 1, &routes) == 0) {
        struct cw_reach reach;
        if (cw_routes_reach(routes, NULL, 1000, 1, &reach) != 0) abort();
        cw_reach_free(&reach);
        cw_routes_free(routes);
    }
    close(file);
    return 0;
}
