#include "sim/timing.h"

static bool gap_of_channels(const struct cw_timing *timing)
{
    return timing->loggp && timing->gap < 0; /* a timing of units has no G */
}

/* What the N channels of a way say, on which SHARES of the message are (NULL: all of it). */
static struct cw_pace way_pace(const struct cw_network *net, const struct cw_load *load, const uint32_t *channels,
                               const double *shares, size_t n)
{
    struct cw_pace pace = {0};
    for (size_t i = 0; i < n; i++) {
        const uint32_t channel = channels[i];
        const double own = cw_load_own(load, channel);
        const double clean = own / net->capacity[channel];
        const double perturbed = (own + cw_load_background(load, channel)) / net->capacity[channel];
        pace.latency += shares ? shares[i] * net->latency[channel] : net->latency[channel];
        if (clean > pace.clean_gap) pace.clean_gap = clean;
        if (perturbed > pace.perturbed_gap) pace.perturbed_gap = perturbed;
    }
    return pace;
}

int cw_timing_pace(const struct cw_timing *timing, struct cw_round *round, const struct cw_load *load,
                   const struct cw_congestion *congestion, struct cw_pace *pace)
{
    const struct cw_network *net = cw_routes_network(round->routes);
    const bool has_ways = cw_round_has_ways(round);
    const uint32_t *channels = round->channels;
    for (size_t i = 0; i < round->n; i++) {
        const int rc = has_ways ? cw_round_find_ways(round, i) : 0;
        if (rc) return rc;
        pace[i] = has_ways ? way_pace(net, load, round->ways.channels, round->ways.shares, round->ways.n)
                           : way_pace(net, load, channels, NULL, round->hops[i]);
        if (!has_ways) channels += round->hops[i];
        if (timing->latency >= 0) pace[i].latency = timing->latency;
        if (timing->gap < 0) continue;
        pace[i].clean_gap = timing->gap * congestion[i].own;
        pace[i].perturbed_gap = timing->gap * congestion[i].with_background;
    }
    return 0;
}

uint32_t cw_timing_bottleneck(const struct cw_timing *timing, const struct cw_network *net, const struct cw_load *load,
                              const uint32_t *channels, size_t n)
{
    uint32_t bottleneck = CW_NONE;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double messages = cw_load_own(load, channels[i]) + cw_load_background(load, channels[i]);
        const double here = gap_of_channels(timing) ? messages / net->capacity[channels[i]] : messages;
        if (here <= most) continue;
        most = here;
        bottleneck = channels[i];
    }
    return bottleneck;
}
