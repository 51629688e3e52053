#include "sim/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "net/network_internal.h"

static const char what[] = "channel loads";

int cw_load_init(struct cw_load *load, size_t n_channels)
{
    struct cw_load made = {.n_channels = n_channels};
    made.own.narrow = cw_new_array(n_channels, 1, what);
    made.background.narrow = cw_new_array(n_channels, 1, what);
    if (!made.own.narrow || !made.background.narrow) {
        cw_load_free(&made);
        return CW_ENOMEM;
    }
    *load = made;
    return 0;
}

static void free_counters(struct cw_counters *counters)
{
    free(counters->narrow);
    free(counters->wide);
    free(counters->shares);
}

void cw_load_free(struct cw_load *load)
{
    free_counters(&load->own);
    free_counters(&load->background);
    *load = (struct cw_load){0};
}

int cw_counters_widen(struct cw_counters *counters, size_t n_channels)
{
    uint32_t *wide = cw_new_array(n_channels, sizeof *wide, what);
    if (!wide) return CW_ENOMEM;
    for (size_t c = 0; c < n_channels; c++) wide[c] = counters->narrow[c];
    free(counters->narrow);
    *counters = (struct cw_counters){.wide = wide};
    return 0;
}

/* Adds until a counter is full; the result is how many channels were counted. */
static size_t add_narrow(uint8_t *count, const uint32_t *channels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t here = count[channels[i]];
        if (here == UINT8_MAX) return i;
        count[channels[i]] = (uint8_t)(here + 1);
    }
    return n;
}

static int add(struct cw_counters *counters, size_t n_channels, const uint32_t *channels, size_t n)
{
    size_t done = 0;
    if (counters->narrow) {
        done = add_narrow(counters->narrow, channels, n);
        if (done == n) return 0;
        const int rc = cw_counters_widen(counters, n_channels);
        if (rc) return rc;
    }
    for (size_t i = done; i < n; i++) counters->wide[channels[i]]++;
    return 0;
}

int cw_load_add_own(struct cw_load *load, const uint32_t *channels, size_t n)
{
    return add(&load->own, load->n_channels, channels, n);
}

int cw_load_add_background(struct cw_load *load, const uint32_t *channels, size_t n)
{
    return add(&load->background, load->n_channels, channels, n);
}

/* Makes room for shares; what was counted stays. */
static int use_shares(struct cw_counters *counters, size_t n_channels)
{
    if (counters->shares) return 0;
    double *shares = cw_new_array(n_channels, sizeof *shares, what);
    if (!shares) return CW_ENOMEM;
    for (size_t c = 0; c < n_channels; c++) shares[c] = cw_counter(counters, c);
    free_counters(counters);
    *counters = (struct cw_counters){.shares = shares};
    return 0;
}

static int share(struct cw_counters *counters, size_t n_channels, const uint32_t *channels, const double *shares,
                 size_t n)
{
    const int rc = use_shares(counters, n_channels);
    for (size_t i = 0; !rc && i < n; i++) counters->shares[channels[i]] += shares[i];
    return rc;
}

int cw_load_share_own(struct cw_load *load, const uint32_t *channels, const double *shares, size_t n)
{
    return share(&load->own, load->n_channels, channels, shares, n);
}

int cw_load_share_background(struct cw_load *load, const uint32_t *channels, const double *shares, size_t n)
{
    return share(&load->background, load->n_channels, channels, shares, n);
}

void cw_load_clear_own(struct cw_load *load, const uint32_t *channels, size_t n)
{
    if (load->own.narrow)
        for (size_t i = 0; i < n; i++) load->own.narrow[channels[i]] = 0;
    else
        for (size_t i = 0; i < n; i++) load->own.wide[channels[i]] = 0;
}

static void clear(struct cw_counters *counters, size_t n_channels)
{
    if (counters->narrow) memset(counters->narrow, 0, n_channels);
    if (counters->wide) memset(counters->wide, 0, n_channels * sizeof *counters->wide);
    for (size_t c = 0; counters->shares && c < n_channels; c++) counters->shares[c] = 0;
}

void cw_load_clear_all_own(struct cw_load *load)
{
    clear(&load->own, load->n_channels);
}

void cw_load_clear_background(struct cw_load *load)
{
    clear(&load->background, load->n_channels);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static struct cw_congestion narrow_congestion(const uint8_t *own, const uint8_t *background, const uint32_t *channels,
                                              size_t n)
{
    uint32_t most = 0, with_background = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t alone = own[channels[i]];
        most = larger(most, alone);
        with_background = larger(with_background, alone + background[channels[i]]);
    }
    return (struct cw_congestion){most, with_background};
}

struct cw_congestion cw_load_congestion_on(const struct cw_load *load, const uint32_t *channels, size_t n)
{
    struct cw_congestion congestion = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const double alone = cw_load_own(load, channels[i]);
        const double all = alone + cw_load_background(load, channels[i]);
        if (alone > congestion.own) congestion.own = alone;
        if (all > congestion.with_background) congestion.with_background = all;
    }
    return congestion;
}

void cw_load_congestion(const struct cw_load *load, size_t n, const uint32_t *hops, const uint32_t *channels,
                        struct cw_congestion *congestion)
{
    const bool narrow = load->own.narrow && load->background.narrow;
    for (size_t i = 0; i < n; channels += hops[i++])
        congestion[i] = narrow ? narrow_congestion(load->own.narrow, load->background.narrow, channels, hops[i])
                               : cw_load_congestion_on(load, channels, hops[i]);
}

double cw_load_reference(const struct cw_network *net)
{
    double reference = 0;
    for (uint32_t c = 0; c < net->n_channels; c++)
        if (cw_network_is_endpoint(net, net->tail[c]) && !cw_network_is_closed(net, c) && net->capacity[c] > reference)
            reference = net->capacity[c];
    return reference;
}

int cw_load_slowness(const struct cw_network *net, double **slowness)
{
    double slowest, fastest, *made = NULL;
    cw_network_capacities(net, &slowest, &fastest);
    if (slowest < fastest) {
        const double reference = cw_load_reference(net);
        made = cw_new_array(net->n_channels, sizeof *made, "speeds of channels");
        if (!made) return CW_ENOMEM;
        for (uint32_t c = 0; c < net->n_channels; c++)
            made[c] = cw_network_is_closed(net, c) ? 0 : reference / net->capacity[c];
    }
    *slowness = made;
    return 0;
}
