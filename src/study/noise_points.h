/*
 * The points of the figures in which Hoefler, Schneider and Lumsdaine (2009) simulate network noise: a binomial tree of
 * one share of the endpoints, a random derangement of the others, in unit time (sim/noise.h).
 *
 *     11   real fabrics, by perturbation ratio      (those that are given: the papers' maps are not public)
 *     13   the fat trees of table 1, ratio 1/2
 *     15   100-ary 2-cube and 20-ary 3-cube, by ratio: 0.1 to 0.9, and 0.95
 *     16   the tori of table 2, ratio 1/2
 */
#ifndef CW_STUDY_NOISE_POINTS_H
#define CW_STUDY_NOISE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "route/routes.h"
#include "sim/noise.h"

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

CW_END_DECLS

#endif
