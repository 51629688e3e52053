/*
 * Whether the claims that Hoefler, Schneider and Lumsdaine (2009) make of their simulated figures hold for points that
 * have run. Two means differ if their distance is more than that of 95 % confidence: √(ci₁² + ci₂²).
 */
#ifndef CW_STUDY_NOISE_FINDINGS_H
#define CW_STUDY_NOISE_FINDINGS_H

#include "base/decls.h"
#include "study/findings.h"
#include "study/noise_points.h"

CW_BEGIN_DECLS

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
