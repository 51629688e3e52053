/*
 * One run of a collective on given endpoints, beside given background traffic and without it: the dependency-based
 * simulation of papers 1 and 2, section 3.
 *
 * A message begins when all that its sender received in earlier rounds has arrived; the collective's time is the last
 * arrival. What a rank sends, and what channels carry, is by one of two conventions:
 *
 *   at once    That of the papers. Every message of the schedule is annotated with its congestion in its round, alone
 *              and with the background, and takes as long as that says. A rank's own sends do not wait for one another,
 *              and channels know nothing of other rounds. So the time is the longest path through the graph of
 *              dependencies; in seconds (loggp) it is never less than a channel takes for the bytes of all rounds.
 *   in order   A rank sends one message after another. A round is done in steps in which no rank sends or receives
 *              more than one message: a message is put into the first that both of its ranks have not used yet, in the
 *              order of the schedule. Messages of one step share channels; those of later steps wait for channels that
 *              are still busy with earlier ones (sim/timing.h, cw_timing_pass). So a rank's own cable counts once, and
 *              no channel nor host carries more than its capacity in all rounds together. Steps are passed in the order
 *              of the schedule: where ranks drift apart, a message does not slow down one of an earlier step that is
 *              late.
 *
 * The background has no end: whenever messages of the collective are on a channel, its messages take their equal share
 * of it. The bounds of time with background are those of the collective's own bytes on what this leaves.
 *
 * (ORCS links a send only to receives of the level just before, and lets the last receive win; here it is the maximum
 * of all.)
 */
#ifndef CW_SIM_COLLECTIVE_H
#define CW_SIM_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"
#include "sim/round.h"
#include "sim/timing.h"
#include "sim/trace.h"
#include "traffic/schedule.h"

CW_BEGIN_DECLS

enum cw_sends { CW_SENDS_AT_ONCE, CW_SENDS_IN_ORDER };

struct cw_collective_setup {
    const struct cw_routes *routes; /* all borrowed */
    const struct cw_schedule *schedule;
    uint64_t bytes;          /* the collective's message size, as cw_schedule_total_bytes defines it; loggp only */
    struct cw_timing timing; /* its slowness is made by cw_collective_new */
    bool equal_speeds;       /* unit time: all channels count as equally fast, as in the papers */
    enum cw_sends sends;
};

struct cw_times {
    double clean, perturbed; /* in times of a message that meets nobody (unit), or seconds (loggp) */
};

/* A workspace: one a thread. Its load is all zero between runs. */
struct cw_collective;

/* Makes one. What SETUP names is borrowed. 0, CW_ENOMEM, or CW_EUSAGE for a setup without routes or a schedule and for
 * routes that are made for one round or one traffic only. */
CW_API int cw_collective_new(const struct cw_collective_setup *setup, struct cw_collective **out);
CW_API void cw_collective_free(struct cw_collective *collective);

/* Puts N messages src[i] → dst[i] (endpoints) into the background, on top of what is there. */
CW_API int cw_collective_add_background(struct cw_collective *collective, size_t n, const uint32_t *src,
                                        const uint32_t *dst);
/* Takes all background away. O(channels). */
CW_API void cw_collective_clear_background(struct cw_collective *collective);

/* Called before each level, e.g. to draw another background. */
typedef int cw_before_level(void *context, struct cw_collective *collective, uint32_t level);

/* Runs the collective with rank r on endpoint endpoints[r]. BEFORE_LEVEL may be NULL. */
CW_API int cw_collective_run(struct cw_collective *collective, uint32_t n_ranks, const uint32_t *endpoints,
                             cw_before_level *before_level, void *context, struct cw_times *times);

/* From the next run on, keep what the two functions below tell. */
CW_API void cw_collective_trace(struct cw_collective *collective);

/* Gives away what the last run saw: OUT is the caller's, cw_trace_free. */
CW_API void cw_collective_take_trace(struct cw_collective *collective, struct cw_trace *out);

/* The ranks on the longest path of the last perturbed run, from the rank it begins at to the last to arrive; of
 * several, the one to the lowest rank, reached by the message that comes first in the schedule. *PATH is the caller's.
 */
CW_API int cw_collective_longest_path(const struct cw_collective *collective, uint32_t **path, size_t *n);

CW_END_DECLS

#endif
