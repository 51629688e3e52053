#include "sim/timing.h"

#include "net/network_internal.h"

/* Whether a message counts for more on some channels; a timing of units has no G. */
static bool decided_by_channels(const struct cw_timing *timing)
{
    return timing->slowness || (timing->loggp && timing->gap < 0);
}

/* How long MESSAGES take on CHANNEL, a byte of each, or in unit time each as a whole. */
static double time_on(const struct cw_timing *timing, const struct cw_network *net, uint32_t channel, double messages)
{
    return timing->slowness ? messages * timing->slowness[channel] : messages / net->capacity[channel];
}

static struct cw_pace way_pace(const struct cw_timing *timing, const struct cw_network *net, const struct cw_load *load,
                               const struct cw_round_way *way)
{
    struct cw_pace pace = {0};
    for (size_t i = 0; i < way->n; i++) {
        const uint32_t channel = way->channels[i];
        const double own = cw_load_own(load, channel);
        const double clean = time_on(timing, net, channel, own);
        const double perturbed = time_on(timing, net, channel, own + cw_load_background(load, channel));
        pace.latency += way->shares ? way->shares[i] * net->latency[channel] : net->latency[channel];
        if (clean > pace.clean_gap) pace.clean_gap = clean;
        if (perturbed > pace.perturbed_gap) pace.perturbed_gap = perturbed;
    }
    return pace;
}

int cw_timing_pace(const struct cw_timing *timing, struct cw_round *round, const struct cw_load *load,
                   const struct cw_congestion *congestion, struct cw_pace *pace)
{
    const struct cw_network *net = cw_routes_network(round->routes);
    const uint32_t *next = round->channels;
    for (size_t i = 0; i < round->n; i++) {
        struct cw_round_way way;
        const int rc = cw_round_next_way(round, i, &next, &way);
        if (rc) return rc;
        pace[i] = way_pace(timing, net, load, &way);
        if (timing->latency >= 0) pace[i].latency = timing->latency;
        if (timing->gap < 0 || timing->slowness) continue;
        pace[i].clean_gap = timing->gap * congestion[i].own;
        pace[i].perturbed_gap = timing->gap * congestion[i].with_background;
    }
    return 0;
}

/* --- one step after another ----------------------------------------------------------------------------------------
 */

void cw_timing_begin(const struct cw_timing *timing, const struct cw_network *net, struct cw_channel_clock *clocks)
{
    const bool own_latency = timing->loggp && timing->latency < 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        clocks[c] = (struct cw_channel_clock){.gap = timing->slowness   ? timing->slowness[c]
                                                     : !timing->loggp   ? 1
                                                     : timing->gap >= 0 ? timing->gap
                                                                        : 1 / net->capacity[c],
                                              .latency = own_latency ? net->latency[c] : 0};
}

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* Messages on a channel. Most of what a trial in seconds costs is to look at them: IS_NARROW is known beforehand. */
static inline double count_of(const struct cw_counters *counters, bool is_narrow, uint32_t channel)
{
    return is_narrow ? counters->narrow[channel] : cw_counter(counters, channel);
}

static inline void pass(const struct cw_load *load, bool is_narrow, const struct cw_round_way *way,
                        const struct cw_channel_clock *clocks, double overhead, double bytes,
                        struct cw_passage *passage)
{
    const double begin[2] = {passage->start[0] + overhead, passage->start[1] + overhead};
    double through[2] = {begin[0], begin[1]}, latency = 0;
    for (size_t h = 0; h < way->n; h++) {
        const uint32_t channel = way->channels[h];
        const struct cw_channel_clock *clock = &clocks[channel];
        const double own = count_of(&load->own, is_narrow, channel);
        const double all = own + count_of(&load->background, is_narrow, channel), alone = bytes * clock->gap;
        through[0] = later(through[0], later(begin[0], clock->until[0]) + own * alone);
        through[1] = later(through[1], later(begin[1], clock->until[1]) + all * alone);
        latency += way->shares ? way->shares[h] * clock->latency : clock->latency;
    }
    passage->through[0] = through[0];
    passage->through[1] = through[1];
    passage->latency = latency;
}

static inline void occupy(const struct cw_load *load, bool is_narrow, const struct cw_round_way *way,
                          const struct cw_passage *passage, double overhead, double bytes,
                          struct cw_channel_clock *clocks)
{
    const double begin[2] = {passage->start[0] + overhead, passage->start[1] + overhead};
    for (size_t h = 0; h < way->n; h++) {
        const uint32_t channel = way->channels[h];
        struct cw_channel_clock *clock = &clocks[channel];
        const double own = count_of(&load->own, is_narrow, channel);
        const double all = own + count_of(&load->background, is_narrow, channel);
        const double alone = (way->shares ? way->shares[h] : 1) * bytes * clock->gap;
        clock->until[0] = later(begin[0], clock->until[0]) + alone;
        /* in this order, so that without background both are the same to the last bit */
        clock->until[1] = later(begin[1], clock->until[1]) + alone * (all / own);
    }
}

int cw_timing_pass(const struct cw_timing *timing, struct cw_round *round, const struct cw_load *load,
                   struct cw_channel_clock *clocks, struct cw_passage *passages)
{
    const bool is_narrow = load->own.narrow && load->background.narrow;
    const double overhead = timing->loggp ? timing->overhead : 0;
    struct cw_round_way way = {0};
    int rc = 0;
    const uint32_t *next = round->channels;
    for (size_t i = 0; i < round->n && !rc; i++) {
        rc = cw_round_next_way(round, i, &next, &way);
        if (rc) break;
        const double bytes = timing->loggp ? (double)passages[i].bytes : 1;
        if (is_narrow)
            pass(load, true, &way, clocks, overhead, bytes, &passages[i]);
        else
            pass(load, false, &way, clocks, overhead, bytes, &passages[i]);
        if (timing->loggp && timing->latency >= 0) passages[i].latency = timing->latency;
    }
    next = round->channels;
    for (size_t i = 0; i < round->n && !rc; i++) {
        rc = cw_round_next_way(round, i, &next, &way);
        if (rc) break;
        const double bytes = timing->loggp ? (double)passages[i].bytes : 1;
        if (is_narrow)
            occupy(load, true, &way, &passages[i], overhead, bytes, clocks);
        else
            occupy(load, false, &way, &passages[i], overhead, bytes, clocks);
    }
    return rc;
}

void cw_timing_decisive(const struct cw_timing *timing, const struct cw_round *round, const struct cw_load *load,
                        const struct cw_channel_clock *clocks, const struct cw_passage *passages, uint32_t *channels)
{
    const double overhead = timing->loggp ? timing->overhead : 0;
    const uint32_t *next = round->channels;
    for (size_t i = 0; i < round->n; next += round->hops[i++]) {
        const double begin = passages[i].start[1] + overhead, bytes = timing->loggp ? (double)passages[i].bytes : 1;
        double longest = begin;
        channels[i] = CW_NONE;
        for (size_t h = 0; h < round->hops[i]; h++) {
            const struct cw_channel_clock *clock = &clocks[next[h]];
            const double all = cw_load_own(load, next[h]) + cw_load_background(load, next[h]);
            const double here = later(begin, clock->until[1]) + all * bytes * clock->gap;
            if (here <= longest) continue;
            longest = here;
            channels[i] = next[h];
        }
    }
}

uint32_t cw_timing_bottleneck(const struct cw_timing *timing, const struct cw_network *net, const struct cw_load *load,
                              const uint32_t *channels, size_t n)
{
    uint32_t bottleneck = CW_NONE;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double messages = cw_load_own(load, channels[i]) + cw_load_background(load, channels[i]);
        const double here = decided_by_channels(timing) ? time_on(timing, net, channels[i], messages) : messages;
        if (here <= most) continue;
        most = here;
        bottleneck = channels[i];
    }
    return bottleneck;
}
