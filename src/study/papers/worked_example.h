/*
 * The two examples that Hoefler, Schneider and Lumsdaine (2009) work out by hand, and what they say of them: the
 * time-line of a broadcast (figure 1), and a binomial tree beside eight messages (figures 7 to 10).
 */
#ifndef CW_STUDY_PAPERS_WORKED_EXAMPLE_H
#define CW_STUDY_PAPERS_WORKED_EXAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"
#include "sim/noise_case.h"
#include "study/papers/findings.h"

CW_BEGIN_DECLS

/* --- figure 1 ----------------------------------------------------------------------------------------------------- */

/*
 * What one interrupted process or one slow message does to the others. Time in slices, processes numbered from 0. Every
 * process computes, then the data goes down a binomial tree from process 0. A message takes `latency`; a sender begins
 * its next message `gap` after the one before.
 */

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

/* --- figures 7 to 10 ---------------------------------------------------------------------------------------------- */

/*
 * By the journal paper: a binomial tree of 8 ranks on a fat tree of 16 endpoints, and eight messages that disturb it.
 *
 * The papers print mapping, messages and what comes of them, but no forwarding tables: they "assume an ideally balanced
 * routing". The tables here are one such, under which all that is printed holds; other routings give other numbers.
 */

#define CW_WORKED_RANKS    8
#define CW_WORKED_LEVELS   3
#define CW_WORKED_CHANNELS 64

/* An edge of the tree. */
struct cw_worked_message {
    uint32_t level;            /* from 0 */
    uint32_t src, dst;         /* ranks */
    uint32_t clean, perturbed; /* congestion: the greatest on its way */
    uint32_t worst;            /* the first channel of its way where `perturbed` is reached */
    bool longest;              /* on the longest path */
};

struct cw_worked_example {
    struct cw_network *net;
    struct cw_routes *routes;
    struct cw_noise_case given;    /* mapping and perturbation */
    struct cw_noise_replay replay; /* times and longest path, by the simulator */
    struct cw_worked_message messages[CW_WORKED_RANKS - 1];
    uint32_t application[CW_WORKED_LEVELS][CW_WORKED_CHANNELS]; /* messages of the tree on each channel */
    uint32_t perturbation[CW_WORKED_CHANNELS];                  /* constant over the levels */
    uint16_t targets[CW_WORKED_CHANNELS];                       /* bit e: the channel is on a route to endpoint e */
};

/* Simulates the example with the balanced tables, or with ENGINE's routes. *OUT is owned by the caller. */
int cw_worked_example_run(const char *engine, struct cw_worked_example **out);
void cw_worked_example_free(struct cw_worked_example *example);

/* Adds what the papers say of EXAMPLE; DMODK is the same under plain D-mod-k. */
int cw_find_worked_example(const struct cw_worked_example *example, const struct cw_worked_example *dmodk,
                           struct cw_findings *findings);

CW_END_DECLS

#endif
