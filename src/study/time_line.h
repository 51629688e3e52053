/*
 * The time-line of a broadcast: what one interrupted process or one slow message does to the others (figure 1 of
 * Hoefler, Schneider and Lumsdaine, 2009). Time in slices, processes numbered from 0.
 *
 * Every process computes, then the data goes down a binomial tree from process 0. A message takes `latency`; a sender
 * begins its next message `gap` after the one before.
 */
#ifndef CW_STUDY_TIME_LINE_H
#define CW_STUDY_TIME_LINE_H

#include <stdint.h>

#include "base/decls.h"
#include "study/findings.h"

CW_BEGIN_DECLS

#define CW_TIME_LINE_PROCESSES 4

enum cw_time_line_noise { CW_NOISELESS, CW_OS_NOISE, CW_NETWORK_NOISE, CW_TIME_LINES };

/* The example's: 1 slice of computation, latency 2, gap 1. Operating-system noise holds up process 1 for 2 slices when
 * its data arrives; network noise doubles the latency of the message to it. */
struct cw_time_line {
    double computed; /* when the computation ends */
    struct cw_time_line_message {
        uint32_t src, dst;
        double sent, arrived, clean; /* clean: when it would arrive without congestion */
    } messages[CW_TIME_LINE_PROCESSES - 1];
    uint32_t interrupted; /* the process held up, CW_NONE if there is none, … */
    double from, to;      /* … and when */
    double finish[CW_TIME_LINE_PROCESSES];
};

int cw_time_line_run(enum cw_time_line_noise noise, struct cw_time_line *out);

/* Adds what the papers say of the three LINES, by enum cw_time_line_noise. */
int cw_find_time_lines(const struct cw_time_line lines[CW_TIME_LINES], struct cw_findings *findings);

CW_END_DECLS

#endif
