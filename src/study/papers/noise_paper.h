/*
 * The points of the figures in which Hoefler, Schneider and Lumsdaine (2009) simulate network noise: a binomial tree of
 * one share of the endpoints, a random derangement of the others, in unit time (sim/noise.h).
 *
 *     11   real fabrics, by perturbation ratio      (those that are given: the papers' maps are not public)
 *     13   the fat trees of table 1, ratio 1/2
 *     15   100-ary 2-cube and 20-ary 3-cube, by ratio: 0.1 to 0.9, and 0.95
 *     16   the tori of table 2, ratio 1/2
 */
#ifndef CW_STUDY_PAPERS_NOISE_PAPER_H
#define CW_STUDY_PAPERS_NOISE_PAPER_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/trials.h"
#include "route/routes.h"
#include "sim/noise.h"
#include "study/papers/findings.h"

CW_BEGIN_DECLS

struct cw_noise_point {
    int figure;                     /* 11, 13, 15 or 16, of the journal paper */
    const char *curve;              /* which of the figure's curves: "fat trees", "2-cubes" */
    const char *network;            /* a topology's specification; with `routes` only a name */
    const struct cw_routes *routes; /* NULL: the default engine's */
    double ratio;
    const struct cw_selection *selection; /* the endpoints that take part; NULL: all */
    uint32_t endpoints;                   /* known once it has run */
    struct cw_noise_result result;        /* as well */
};

/* A list that starts zeroed; everything its points name is borrowed. */
struct cw_noise_points {
    struct cw_noise_point *items;
    size_t n, capacity;
};

/* Append the points of figure 13, 15 or 16; and those of figure 11 for one fabric called NAME, of whose
 * endpoints those in SELECTION take part. */
int cw_noise_points_add(struct cw_noise_points *points, int figure);
int cw_noise_points_add_fabric(struct cw_noise_points *points, const char *name, const struct cw_routes *routes,
                               const struct cw_selection *selection);
void cw_noise_points_free(struct cw_noise_points *points);

struct cw_noise_study {
    size_t trials;
    uint64_t seed;
    unsigned n_threads;
    const struct cw_executor *executor; /* who runs the trials; NULL: threads of this process */
    struct cw_progress *progress;       /* steps once a trial: trials · points in all */
    /* Called before each point and after it; may be NULL. An error of `after` ends the study. */
    void (*before)(void *context, size_t index, const struct cw_noise_point *point);
    int (*after)(void *context, size_t index, const struct cw_noise_point *point);
    void *context;
};

/* Runs the points in their order. A network that several in succession share is made once. */
int cw_noise_points_run(const struct cw_noise_study *study, struct cw_noise_points *points);

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

/*
 * Whether the claims that Hoefler, Schneider and Lumsdaine (2009) make of their simulated figures hold for points that
 * have run. Two means differ if their distance is more than that of 95 % confidence: √(ci₁² + ci₂²).
 */

/* Each looks at the points of its figure only, and adds one finding. */

/* 11: the slowdown grows with the ratio, on every fabric; and with the size of the fabric (of two at least). */
int cw_find_ratio(const struct cw_noise_points *points, struct cw_findings *findings);
int cw_find_fabric_size(const struct cw_noise_points *points, struct cw_findings *findings);

/* 13: the slowdown of fat trees grows with their size. */
int cw_find_tree_size(const struct cw_noise_points *points, struct cw_findings *findings);

/* 15: up to 12 times; 3 dimensions suffer less than 2. */
int cw_find_twelve_times(const struct cw_noise_points *points, struct cw_findings *findings);
int cw_find_dimensions_by_ratio(const struct cw_noise_points *points, struct cw_findings *findings);

/* 16: 3 dimensions suffer less than 2 at about the same size (within a fifth); the slowdown grows with size. */
int cw_find_dimensions_by_size(const struct cw_noise_points *points, struct cw_findings *findings);
int cw_find_torus_size(const struct cw_noise_points *points, struct cw_findings *findings);

CW_END_DECLS

#endif
