/* Service levels of a ring of three: path records before the first line "=", SL2VL tables behind it. What is accepted
 * must be safe to walk. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "route/check.h"
#include "route/engine.h"
#include "route/lft.h"
#include "route/service_levels.h"
#include "topo/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_network *net;
    static struct cw_routes *routes;
    if (!net && (cw_topology_build("torus:3", &net) != 0 || cw_engine_route(net, "minhop", 1, 1, &routes) != 0))
        abort();
    const char *text = (const char *)data, *split = memmem(text, size, "\n=\n", 3);
    const size_t length = split ? (size_t)(split - text) : size;
    const struct cw_levels_file paths = {"paths", text, length};
    const struct cw_levels_file maps = {"maps", text + length + (split ? 3 : 0), size - length - (split ? 3 : 0)};
    struct cw_service_levels *levels;
    struct cw_deadlock deadlock;
    if (cw_service_levels_parse(net, &paths, &maps, &levels) != 0) {
        if (*cw_error_message() == 0) abort();
        return 0;
    }
    if (cw_routes_set_service_levels(routes, levels) != 0 || cw_routes_deadlock(routes, 0, 1, &deadlock) != 0) abort();
    cw_deadlock_free(&deadlock);
    return 0;
}
