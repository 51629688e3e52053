#include "study/bench/ebb_shares.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/estimate.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network_internal.h"
#include "study/bench/sample_tests.h"

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

/* --- bisections that were measured -------------------------------------------------------------------------------- */

int cw_ebb_messages(const struct cw_ebb_bisections *bisections, size_t trial, struct cw_flows *flows)
{
    struct cw_random random = cw_random_of(bisections->seed, CW_STREAM_PATTERN, trial);
    flows->n = 0;
    const int rc = cw_pattern_append(bisections->pattern, bisections->n_members, 0, bisections->bytes, &random, flows);
    for (size_t i = 0; i < flows->n; i++) {
        flows->items[i].src = bisections->members[flows->items[i].src];
        flows->items[i].dst = bisections->members[flows->items[i].dst];
    }
    return rc;
}

/* Shares of a message alone: of each message, one trial after another, and the mean of each trial. */
struct shares {
    size_t n;
    double *measured, *predicted;          /* [n] */
    double *of_trial, *predicted_of_trial; /* [trials] */
};

static int new_shares(size_t n_trials, size_t n_messages, struct shares *out)
{
    double *room = cw_new_array(2 * (n_trials + n_messages), sizeof *room, "messages");
    if (!room) return CW_ENOMEM;
    *out = (struct shares){.of_trial = room,
                           .predicted_of_trial = room + n_trials,
                           .measured = room + 2 * n_trials,
                           .predicted = room + 2 * n_trials + n_messages};
    return 0;
}

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

/* ALONE: what a message alone takes, in s. */
static int read_trial(const struct cw_ebb_times *times, size_t trial, double alone, const struct cw_flows *flows,
                      const struct cw_routes *routes, const uint32_t *endpoints, struct shares *shares)
{
    double *measured = shares->measured + shares->n, *predicted = shares->predicted + shares->n;
    for (size_t i = 0; i < flows->n; i++) {
        const struct cw_flow *message = &flows->items[i];
        measured[i] = alone / (times->all[message->dst * times->stride + trial].ended -
                               times->all[message->src * times->stride + trial].begun);
    }
    shares->n += flows->n;
    shares->of_trial[trial] = mean(measured, flows->n);
    if (!routes) return 0;
    const int rc = cw_ebb_shares(routes, flows, endpoints, predicted);
    shares->predicted_of_trial[trial] = mean(predicted, flows->n);
    return rc;
}

int cw_ebb_find(const struct cw_ebb_bisections *bisections, const struct cw_ebb_times *times,
                const struct cw_routes *routes, const uint32_t *endpoints, struct cw_ebb_found *out)
{
    struct cw_ebb_found found = {.alone = 0};
    struct cw_spearman spearman = {.r = 0};
    struct cw_flows flows = {0};
    struct shares shares;
    double alone[CW_EBB_ALONE];
    for (size_t i = 0; i < times->n_alone; i++) alone[i] = times->alone[i];
    cw_sort_reals(alone, times->n_alone);
    const double seconds = cw_quantile(alone, times->n_alone, 0.5);
    found.alone = (double)bisections->bytes / seconds;
    int rc = new_shares(times->n, times->n * bisections->n_members, &shares);
    if (rc) return rc;
    for (size_t t = 0; !rc && t < times->n; t++) {
        rc = cw_ebb_messages(bisections, t, &flows);
        if (!rc) rc = read_trial(times, t, seconds, &flows, routes, endpoints, &shares);
    }
    if (!rc) rc = cw_summarise(shares.of_trial, times->n, &found.measured);
    if (!rc && routes) rc = cw_summarise(shares.predicted_of_trial, times->n, &found.predicted);
    if (!rc && routes) rc = cw_spearman_of(shares.measured, shares.predicted, shares.n, &spearman);
    found.correlation = spearman.r;
    cw_flows_free(&flows);
    free(shares.of_trial);
    if (!rc) *out = found;
    return rc;
}
