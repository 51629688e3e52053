#include "sim/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

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

void cw_load_free(struct cw_load *load)
{
    free(load->own.narrow);
    free(load->own.wide);
    free(load->background.narrow);
    free(load->background.wide);
    *load = (struct cw_load){0};
}

static int widen(struct cw_counters *counters, size_t n_channels)
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
        const int error = widen(counters, n_channels);
        if (error) return error;
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

void cw_load_clear_own(struct cw_load *load, const uint32_t *channels, size_t n)
{
    if (load->own.narrow)
        for (size_t i = 0; i < n; i++) load->own.narrow[channels[i]] = 0;
    else
        for (size_t i = 0; i < n; i++) load->own.wide[channels[i]] = 0;
}

void cw_load_clear_background(struct cw_load *load)
{
    if (load->background.narrow)
        memset(load->background.narrow, 0, load->n_channels);
    else
        memset(load->background.wide, 0, load->n_channels * sizeof *load->background.wide);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static struct cw_congestion narrow_congestion(const uint8_t *own, const uint8_t *background, const uint32_t *channels,
                                              size_t n)
{
    struct cw_congestion congestion = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const uint32_t alone = own[channels[i]];
        congestion.own = larger(congestion.own, alone);
        congestion.with_background = larger(congestion.with_background, alone + background[channels[i]]);
    }
    return congestion;
}

static uint32_t look_up(const struct cw_counters *counters, uint32_t channel)
{
    return counters->narrow ? counters->narrow[channel] : counters->wide[channel];
}

static struct cw_congestion any_congestion(const struct cw_load *load, const uint32_t *channels, size_t n)
{
    struct cw_congestion congestion = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const uint32_t alone = look_up(&load->own, channels[i]);
        congestion.own = larger(congestion.own, alone);
        congestion.with_background =
            larger(congestion.with_background, alone + look_up(&load->background, channels[i]));
    }
    return congestion;
}

void cw_load_congestion(const struct cw_load *load, size_t n, const uint32_t *hops, const uint32_t *channels,
                        struct cw_congestion *congestion)
{
    const bool narrow = load->own.narrow && load->background.narrow;
    for (size_t i = 0; i < n; channels += hops[i++])
        congestion[i] = narrow ? narrow_congestion(load->own.narrow, load->background.narrow, channels, hops[i])
                               : any_congestion(load, channels, hops[i]);
}
