/*
 * Whether what Bui et al. say of their experiments holds for points that have run. The manuscript prints figures 4 and
 * 5 and claims little of any; experiments without a claim of their own are held to its abstract.
 */
#ifndef CW_STUDY_PAPERS_OPTIQ_FINDINGS_H
#define CW_STUDY_PAPERS_OPTIQ_FINDINGS_H

#include "base/decls.h"
#include "study/papers/findings.h"
#include "study/papers/optiq_points.h"

CW_BEGIN_DECLS

/* How a method does against the default routes, over the cases (patterns, message and chunk sizes) of a figure on one
 * network. */
struct cw_optiq_gain {
    size_t cases, slower;    /* … in which the default routes are faster */
    double z_ratio, speedup; /* z and predicted throughput / those of the default routes, geometric means */
    double speedup_min, speedup_max;
};

/* NET may be NULL: on all. Without cases all but `cases` and `slower` are NaN. */
struct cw_optiq_gain cw_optiq_gain_of(const struct cw_optiq_points *points, enum cw_optiq_figure figure,
                                      const struct cw_network *net, enum cw_optiq_method method);

/* Adds what is found of FIGURE: cw_count_optiq_findings of them. Points that have not run do not count.
 *
 *     all but 5, paths   heuristic or linear program carry several times (two at least) what default routes do, in
 *                        certain cases; in part: more, but less than twice
 *     destinations       the more destinations, the fewer paths there are to explore: z of the optimum / z of the
 *                        default routes falls
 *     distance           the longer the distance, the more: it rises
 *     5                  chunks of 64 or 128 KiB are the best for most disjoint and overlapping patterns, of 128 KiB
 *                        for most subset ones; in part: for most no other size is better
 *     paths              (announced only) the more paths are given, the better: z of the linear program rises with k
 *
 * What rises or falls does so over all pairs of points (holds), or over most (in part). Differences within 2 %, the
 * precision of an approximated optimum, are none. */
int cw_find_optiq(const struct cw_optiq_points *points, enum cw_optiq_figure figure, struct cw_findings *findings);
size_t cw_count_optiq_findings(enum cw_optiq_figure figure);

CW_END_DECLS

#endif
