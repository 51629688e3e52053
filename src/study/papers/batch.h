/*
 * Points of figures that are computed side by side, figure by figure: what a figure needs is there, and can be written
 * down, while the next one is under way.
 */
#ifndef CW_STUDY_PAPERS_BATCH_H
#define CW_STUDY_PAPERS_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress.h"
#include "base/trials.h"

CW_BEGIN_DECLS

/* What is computed. The functions get `context`. */
struct cw_figure_points {
    size_t n; /* points 0 … n-1 of all figures; those of a figure stand together */
    int (*figure_of)(void *context, size_t point);
    double (*cost_of)(void *context, size_t point); /* what takes longest must not begin last; any unit, not NaN */
    size_t outcome_size; /* bytes of what comes of a point: plain data, in which pointers mean nothing */
    /* Computes a point, on one thread among others or in another process. OUTCOME is zeroed. */
    int (*compute)(void *context, size_t point, void *outcome);
    /* Takes what came of a point, in every process, before its figure's `after`. */
    void (*keep)(void *context, size_t point, const void *outcome);
    void *context;
};

/* Who has it computed. The functions get `context`, and may be NULL. */
struct cw_figure_study {
    uint64_t seed; /* of points that draw */
    unsigned n_threads;
    const struct cw_executor *executor; /* who computes them; NULL: threads of this process */
    struct cw_progress *progress;       /* steps once a point; may be NULL */
    /* Called as a point begins, one at a time: it is the BEGUN-th of all, from 1 on; of its figure only those count
     * that began in this process. */
    void (*before)(void *context, size_t begun, size_t point);
    /* Called when the N points of a figure from FIRST on have run; and, with COMPLETE false, when an error or an
     * interruption ended them, of which those that were finished count. Its error ends the study. */
    int (*after)(void *context, size_t first, size_t n, bool complete);
    void *context;
};

/* Runs all points, in the order of the figures. Which of a figure's points begins first changes no result. */
int cw_figure_points_run(const struct cw_figure_study *study, const struct cw_figure_points *points);

CW_END_DECLS

#endif
