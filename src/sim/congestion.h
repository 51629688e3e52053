/*
 * The congestion a traffic pattern causes: how many messages share each channel, what each message sees, and how long
 * the channels take.
 *
 * Congestion counts messages, whatever a channel's capacity. Time and bandwidth count that: a channel takes its
 * congestion times the capacity of the fastest cable of an endpoint over its own, so that 1 is a message alone on such
 * a cable, and a message gets 1 / the greatest of these on its route. `equal_speeds` leaves speeds out, as the papers
 * do. Messages are of one size, all those of a round are under way at once, and latencies are ignored: a round takes as
 * long as its slowest channel, and rounds follow one another.
 *
 * Where the messages of the pattern have different sizes, bytes count in place of messages: the congestion of a channel
 * is its bytes, its time is bytes / capacity, in seconds, and a message gets the share of its slowest channel that its
 * bytes have of all the bytes there, times that channel's capacity. Means are then over bytes.
 *
 * Where packets of one message take several ways (route/packets/ways.h), a channel has the expected share of each
 * message. All figures but those that count messages and channels are then no whole numbers; the histograms have a
 * congestion of c with the next whole number.
 */
#ifndef CW_SIM_CONGESTION_H
#define CW_SIM_CONGESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/summary.h"
#include "route/routes.h"
#include "traffic/pattern.h"
#include "traffic/placement.h"

CW_BEGIN_DECLS

struct cw_executor;
struct cw_progress;

struct cw_congestion_setup {
    const struct cw_routes *routes; /* all borrowed */
    const struct cw_pattern *pattern;
    const struct cw_placement *placement;
    uint32_t ranks; /* 0: one on every endpoint of the placement */
    /* [endpoints] the parts that the network has fallen into: a message from one to another is not sent, and gets a
     * bandwidth of 0. NULL: all are connected */
    const uint32_t *parts;
    bool equal_speeds;  /* of messages of one size: all channels count as equally fast */
    bool messages_only; /* neither figures of channels nor times, which cost a look at every channel in each round */
    size_t trials;      /* repetitions with other draws; each runs all rounds of the pattern */
    uint64_t seed;
    unsigned n_threads;
    struct cw_progress *progress;       /* steps once a trial; may be NULL */
    const struct cw_executor *executor; /* who runs the trials; NULL: threads of this process */
};

/* What one trial gives, over all messages of its rounds. */
struct cw_congestion_sample {
    double congestion; /* sum */
    double bandwidth;  /* sum over messages, of shares of the fastest endpoint's cable; by bytes: of bytes times that */
    double bytes;      /* sum, where bytes count */
    double max;        /* greatest congestion */
    double time;       /* of all rounds */
    double minimal;    /* mean over rounds of the share of minimal packets, where it is by traffic */
    uint64_t messages;
    uint64_t cut_off; /* of these, messages from one part to another */
};

/* Owned by the caller; cw_congestion_free. */
struct cw_congestion_result {
    uint32_t ranks, rounds;
    uint64_t messages;     /* of all trials and rounds */
    uint64_t cut_off;      /* of these, messages from one part to another */
    bool by_bytes;         /* congestion is bytes, and times are seconds */
    double bytes;          /* by bytes: of all messages */
    double message_mean;   /* mean congestion of a message that is sent; not by bytes */
    double bandwidth_mean; /* what a message gets, of the capacity of the fastest cable of an endpoint */
    double message_max;
    uint32_t bin_max;                     /* message_max, as a whole number; by bytes there are no histograms */
    struct cw_summary max;                /* over trials, of the greatest congestion in any round */
    struct cw_summary time;               /* over trials, of the time of all rounds; 0 if messages_only */
    struct cw_summary minimal;            /* over trials, of the mean share of minimal packets in rounds */
    struct cw_congestion_sample *samples; /* [trials] */
    uint64_t *of_messages;                /* [bin_max + 1] how often a message had congestion i; NULL: by bytes */
    /* NULL if messages_only: */
    double *channel_max;      /* [channels] greatest congestion in any round of any trial */
    double *channel_time;     /* [channels] greatest time in any round of any trial */
    double *channel_messages; /* [channels] messages in all rounds and trials; shares to 2^-33 of one a round */
    uint64_t *of_channels;    /* [bin_max + 1] how often a channel had congestion i in a round; NULL: by bytes */
};

CW_API int cw_congestion_run_sized(const struct cw_congestion_setup *setup, size_t size,
                                   struct cw_congestion_result *out);

/* Time: a route for each message of every round of every trial. Memory: about 17 bytes a channel and 60 an endpoint for
 * each thread, 48 a trial. */
static inline int cw_congestion_run(const struct cw_congestion_setup *setup, struct cw_congestion_result *out)
{
    return cw_congestion_run_sized(setup, sizeof *setup, out);
}
CW_API void cw_congestion_free(struct cw_congestion_result *result);

CW_END_DECLS

#endif
