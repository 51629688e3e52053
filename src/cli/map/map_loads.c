#include "cli/map/map_loads.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/units.h"
#include "net/network_internal.h"
#include "net/network_match.h"
#include "sim/load.h"

void map_loads_free(struct map_loads *loads)
{
    free(loads->carried);
    free(loads->load);
    free(loads->before);
    cw_text_free(&loads->against);
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

/* "Change against the whole network: messages of …" */
static int say_change(struct map_loads *loads, const char *against)
{
    struct cw_text quantity = {0};
    const char *was = loads->quantity.data;
    cw_text_add(&loads->against, against);
    cw_text_printf(&quantity, "Change against %s: %c%s", against, tolower((unsigned char)*was), was + 1);
    cw_text_free(&loads->quantity);
    loads->quantity = quantity;
    const int rc = cw_text_check(&loads->against);
    return rc ? rc : cw_text_check(&loads->quantity);
}

int map_loads_compare(struct map_loads *loads, const struct cw_network *net, const struct map_loads *other,
                      const struct cw_network *other_net, const char *against)
{
    struct cw_network_match match;
    loads->before = cw_new_array(net->n_channels, sizeof *loads->before, "loads of channels");
    int rc = loads->before ? cw_network_match_find(net, other_net, &match) : CW_ENOMEM;
    if (rc) return rc;
    /* the fastest cable of an endpoint may have failed: both sides count in that of now */
    const double reference = cw_load_reference(other_net);
    const double unit = loads->by_bytes || !(reference > 0) ? 1 : cw_load_reference(net) / reference;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (match.after_channel[c] != CW_NONE) loads->before[c] = other->load[match.after_channel[c]] * unit;
    cw_network_match_free(&match);
    loads->sampled |= other->sampled;
    return say_change(loads, against);
}

double map_loads_value(const struct map_loads *loads, uint32_t c)
{
    const double now = loads->load[c], was = loads->before ? loads->before[c] : 0;
    return fabs(now - was) <= 1e-9 * fmax(now, was) ? 0 : now - was;
}

bool map_loads_exceeds(double a, double b)
{
    return isnan(b) ? !isnan(a) : fabs(a) > fabs(b) || (fabs(a) == fabs(b) && a > b);
}

const char *map_loads_format_messages(double load, char *buffer, size_t size)
{
    snprintf(buffer, size, load < 1000 ? "%.4g" : "%.0f", load);
    return buffer;
}

const char *map_loads_format(const struct map_loads *loads, double value, char *buffer, size_t size)
{
    char number[48];
    const char *sign = !loads->before || value == 0 ? "" : value < 0 ? "−" : "+";
    if (loads->by_bytes)
        cw_format_time(fabs(value), number, sizeof number);
    else
        map_loads_format_messages(fabs(value), number, sizeof number);
    snprintf(buffer, size, "%s%s", sign, number);
    return buffer;
}
