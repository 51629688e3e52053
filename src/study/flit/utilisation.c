#include "study/flit/utilisation.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

const char *const cw_channel_classes[] = {"injection", "ejection", "local", "global"};

enum cw_channel_class cw_channel_class_of(const struct cw_network *net, uint32_t channel)
{
    if (cw_network_is_endpoint(net, net->tail[channel])) return CW_CHANNEL_INJECTION;
    if (cw_network_is_endpoint(net, net->head[channel])) return CW_CHANNEL_EJECTION;
    return cw_network_is_global(net, channel) ? CW_CHANNEL_GLOBAL : CW_CHANNEL_LOCAL;
}

static bool between_switches(const struct cw_network *net, uint32_t channel)
{
    return cw_channel_class_of(net, channel) >= CW_CHANNEL_LOCAL;
}

double cw_utilisation_of(const struct cw_network *net, const struct cw_flit_measurement *run, uint32_t channel)
{
    const double flits = (double)run->channel_flits[channel] / (double)run->steady.cycles;
    return flits * run->setup.hardware.reference_capacity / net->capacity[channel];
}

void cw_utilisation_by_class(const struct cw_network *net, const struct cw_flit_measurement *run,
                             struct cw_utilisation *out)
{
    double sum[CW_CHANNEL_CLASSES] = {0}, n[CW_CHANNEL_CLASSES] = {0};
    *out = (struct cw_utilisation){0};
    for (uint32_t c = 0; c < net->n_channels; c++) {
        const double utilisation = cw_utilisation_of(net, run, c);
        sum[cw_channel_class_of(net, c)] += utilisation;
        n[cw_channel_class_of(net, c)]++;
        if (between_switches(net, c) && utilisation > out->busiest) out->busiest = utilisation;
    }
    for (int class = 0; class < CW_CHANNEL_CLASSES; class ++) out->mean[class] = sum[class] / n[class];
}

static int compare_heat(const void *a, const void *b)
{
    const struct cw_hot_channel *x = a, *y = b;
    if (x->utilisation != y->utilisation) return x->utilisation < y->utilisation ? 1 : -1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

int cw_utilisation_hottest(const struct cw_network *net, const struct cw_flit_measurement *run, size_t *n,
                           struct cw_hot_channel **out)
{
    size_t found = 0;
    struct cw_hot_channel *hot = cw_new_array(net->n_channels, sizeof *hot, "channels by utilisation");
    if (!hot) return CW_ENOMEM;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (between_switches(net, c)) hot[found++] = (struct cw_hot_channel){cw_utilisation_of(net, run, c), c};
    qsort(hot, found, sizeof *hot, compare_heat);
    *n = found;
    *out = hot;
    return 0;
}
