#include "cli/map/map_loads.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"
#include "sim/load.h"

void map_loads_free(struct map_loads *loads)
{
    free(loads->carried);
    free(loads->load);
    cw_text_free(&loads->quantity);
}

int map_loads_of_congestion(const struct cw_congestion_result *result, const struct cw_network *net,
                            const char *pattern, size_t trials, struct map_loads *loads)
{
    loads->by_bytes = result->by_bytes;
    loads->carried = cw_new_array(net->n_channels, sizeof *loads->carried, "loads of channels");
    if (!loads->carried) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++) loads->carried[c] = result->channel_messages[c] / (double)trials;
    cw_text_printf(&loads->quantity, "%s of %s on a channel, in all rounds", loads->by_bytes ? "Bytes" : "Messages",
                   pattern);
    if (trials > 1) cw_text_printf(&loads->quantity, ", mean of %zu trials", trials);
    return 0;
}

int map_loads_weigh(const struct cw_network *net, bool equal, struct map_loads *loads)
{
    double *slowness = NULL;
    const int rc = equal ? 0 : cw_load_slowness(net, &slowness);
    if (rc) return rc;
    loads->load = cw_new_array(net->n_channels, sizeof *loads->load, "loads of channels");
    for (uint32_t c = 0; loads->load && c < net->n_channels; c++) {
        if (cw_network_is_closed(net, c)) continue;
        loads->load[c] =
            loads->by_bytes ? loads->carried[c] / net->capacity[c] : loads->carried[c] * (slowness ? slowness[c] : 1);
    }
    loads->unlike = slowness != NULL;
    free(slowness);
    if (!loads->load) return CW_ENOMEM;
    if (loads->by_bytes)
        cw_text_add(&loads->quantity, " / its capacity, in time");
    else if (loads->unlike)
        cw_text_add(&loads->quantity, ", times the capacity of the fastest endpoint cable / its own");
    return cw_text_check(&loads->quantity);
}
