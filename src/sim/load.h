/*
 * The messages on each channel: a round's own ones, and the background's.
 *
 * Where packets of one message take several ways, the load is not counted but added up: shares of messages.
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
#include "net/network.h"

CW_BEGIN_DECLS

struct cw_counters {
    uint8_t *narrow; /* [n_channels], or NULL once wide */
    uint32_t *wide;  /* [n_channels], or NULL while narrow */
    double *shares;  /* [n_channels] instead of both, once shares were added */
};

/* Makes narrow ones wide. 0 or CW_ENOMEM. */
CW_API int cw_counters_widen(struct cw_counters *counters, size_t n_channels);

/* Counts stay below 2^32: no more messages than that are ever under way. */
struct cw_load {
    size_t n_channels;
    struct cw_counters own, background;
};

/* All zero. Free with cw_load_free, which accepts a zeroed one. */
CW_API int cw_load_init(struct cw_load *load, size_t n_channels);
CW_API void cw_load_free(struct cw_load *load);

/* One more message on each of N channels, which may repeat. 0 or CW_ENOMEM. */
CW_API int cw_load_add_own(struct cw_load *load, const uint32_t *channels, size_t n);
CW_API int cw_load_add_background(struct cw_load *load, const uint32_t *channels, size_t n);

/* SHARES[i] of a message more on CHANNELS[i]; once for all, LOAD has shares only: messages are not counted on it any
 * more. 0 or CW_ENOMEM. */
CW_API int cw_load_share_own(struct cw_load *load, const uint32_t *channels, const double *shares, size_t n);
CW_API int cw_load_share_background(struct cw_load *load, const uint32_t *channels, const double *shares, size_t n);

/* No own messages any more on each of N channels; on any. */
CW_API void cw_load_clear_own(struct cw_load *load, const uint32_t *channels, size_t n);
CW_API void cw_load_clear_all_own(struct cw_load *load);

/* No background at all any more. O(channels). */
CW_API void cw_load_clear_background(struct cw_load *load);

/* The congestion of a message: the greatest number of messages on any of its channels; a whole number unless messages
 * are shared out. */
struct cw_congestion {
    double own;             /* of own messages only */
    double with_background; /* of all */
};

/* That of the N channels that a message takes. */
CW_API struct cw_congestion cw_load_congestion_on(const struct cw_load *load, const uint32_t *channels, size_t n);

/* Those of N messages whose paths lie one behind another in CHANNELS, that of message i with hops[i] channels. */
CW_API void cw_load_congestion(const struct cw_load *load, size_t n, const uint32_t *hops, const uint32_t *channels,
                               struct cw_congestion *congestion);

/* What a message on each channel counts for where bandwidth is shared: *SLOWNESS [channels] is the capacity of NET's
 * fastest channel from an endpoint / the channel's own, 0 for closed ones; NULL where all channels are equally fast.
 * The caller's, free(). */
CW_API int cw_load_slowness(const struct cw_network *net, double **slowness);

/* The capacity that a slowness of 1 stands for [byte/s]. */
CW_API double cw_load_reference(const struct cw_network *net);

/* What COUNTERS have of CHANNEL, in whichever form they keep it. */
static inline double cw_counter(const struct cw_counters *counters, size_t channel)
{
    if (counters->narrow) return counters->narrow[channel];
    return counters->wide ? counters->wide[channel] : counters->shares[channel];
}

/* What the application's own messages on CHANNEL amount to, and those of its background. */
static inline double cw_load_own(const struct cw_load *load, size_t channel)
{
    return cw_counter(&load->own, channel);
}
static inline double cw_load_background(const struct cw_load *load, size_t channel)
{
    return cw_counter(&load->background, channel);
}

CW_END_DECLS

#endif
