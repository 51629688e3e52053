/*
 * The messages on each channel: a round's own ones, and the background's.
 *
 * Counting and looking them up is most of what a congestion simulation does, at random places of memory. So counters
 * are one byte each, which keeps them in the first caches, until one is full; then all become four bytes wide, for
 * good.
 */
#ifndef CW_SIM_LOAD_H
#define CW_SIM_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_counters {
    uint8_t *narrow; /* [n_channels], or NULL once wide */
    uint32_t *wide;  /* [n_channels], or NULL while narrow */
};

/* Counts stay below 2^32: no more messages than that are ever under way. */
struct cw_load {
    size_t n_channels;
    struct cw_counters own, background;
};

/* All zero. Free with cw_load_free, which accepts a zeroed one. */
int cw_load_init(struct cw_load *load, size_t n_channels);
void cw_load_free(struct cw_load *load);

/* One more message on each of N channels, which may repeat. 0 or CW_ENOMEM. */
int cw_load_add_own(struct cw_load *load, const uint32_t *channels, size_t n);
int cw_load_add_background(struct cw_load *load, const uint32_t *channels, size_t n);

/* No own messages any more on each of N channels. */
void cw_load_clear_own(struct cw_load *load, const uint32_t *channels, size_t n);

/* No background at all any more. O(channels). */
void cw_load_clear_background(struct cw_load *load);

/* The congestion of a message: the greatest number of messages on any of its channels. */
struct cw_congestion {
    uint32_t own;             /* of own messages only */
    uint32_t with_background; /* of all */
};

/* Those of N messages whose paths lie one behind another in CHANNELS, that of message i with hops[i] channels. */
void cw_load_congestion(const struct cw_load *load, size_t n, const uint32_t *hops, const uint32_t *channels,
                        struct cw_congestion *congestion);

static inline uint32_t cw_load_own(const struct cw_load *load, size_t channel)
{
    return load->own.narrow ? load->own.narrow[channel] : load->own.wide[channel];
}

static inline uint32_t cw_load_background(const struct cw_load *load, size_t channel)
{
    return load->background.narrow ? load->background.narrow[channel] : load->background.wide[channel];
}

CW_END_DECLS

#endif
