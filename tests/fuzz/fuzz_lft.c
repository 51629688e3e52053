/* Forwarding tables for a small fabric that has GUIDs and LIDs. What is accepted must be safe to walk. */
#include <stdlib.h>

#include "base/error.h"
#include "fuzz.h"
#include "net/builder.h"
#include "route/check.h"
#include "route/files/lft_file.h"

/* Two switches, joined twice, with two hosts each. */
static struct cw_network *make_fabric(void)
{
    struct cw_network *net;
    struct cw_builder *builder = cw_builder_new(4, 2, 6);
    for (uint32_t v = 0; v < 6; v++) {
        const struct cw_identity identity = {.node_guid = 0x100 + 2 * v,
                                             .port_guid = v < 4 ? 0x101 + 2 * v : 0x100 + 2 * v,
                                             .lid = v + 1,
                                             .kind = v < 4 ? CW_KIND_HOST : CW_KIND_SWITCH};
        cw_builder_identity(builder, v, &identity);
    }
    for (uint32_t host = 0; host < 4; host++)
        cw_builder_cable(builder, host, 1, 4 + host / 2, 1 + host % 2, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
    for (uint32_t port = 3; port <= 4; port++)
        cw_builder_cable(builder, 4, port, 5, port, CW_DEFAULT_CAPACITY, CW_DEFAULT_LATENCY);
    if (cw_builder_finish(builder, &net) != 0) abort();
    return net;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cw_network *net;
    struct cw_routes *routes;
    struct cw_lft_report report;
    if (!net) net = make_fabric();
    if (cw_lft_parse(net, "input", (const char *)data, size, &report, &routes) != 0) return 0;
    struct cw_reach reach;
    if (cw_routes_reach(routes, NULL, 1000, 1, &reach) != 0) abort();
    if (reach.reached + reach.holes + reach.loops != reach.pairs) abort();
    cw_reach_free(&reach);
    cw_text_free(&report.details);
    cw_routes_free(routes);
    return 0;
}
