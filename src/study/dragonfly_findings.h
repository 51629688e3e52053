/*
 * Whether what Prisacari et al. (2015) say of figure 3 holds for points that have run. Limits are compared
 * with means, rounded as the paper prints them. Two accepted loads differ if their distance is more than that of 99 %
 * confidence, √(ci₁² + ci₂²); if they do not, and that is more than 5 % of the first, nothing is decided.
 */
#ifndef CW_STUDY_DRAGONFLY_FINDINGS_H
#define CW_STUDY_DRAGONFLY_FINDINGS_H

#include "base/decls.h"
#include "study/dragonfly_points.h"
#include "study/findings.h"

CW_BEGIN_DECLS

/* Adds what is found of PANEL (0: 3a): cw_count_dragonfly_findings of them. Points that have not run do not count. 3b,
 * 3d and 3f compare with ValiantRestricted on the panel before them: without it that claim is not tested.
 *
 *     3a, 3c, 3e   the traffic is adversarial: of all, shortest paths accept the least
 *                  ValiantRestricted accepts ever less as the network grows
 *                  … about as much as 3/(4p): between 1/(2p) and 1/p, the limits of equation 1
 *                  … below 15 % (neighbour: 20 %) with more than 512 switches
 *     3b, 3d, 3f   ValiantAny accepts 33 to 43 %
 *                  random groups give ValiantRestricted about 10 points more, in large networks above all: there by 10
 *                  at least, and nowhere less than without them */
int cw_find_dragonfly_panel(const struct cw_dragonfly_points *points, int panel, struct cw_findings *findings);
size_t cw_count_dragonfly_findings(int panel);

CW_END_DECLS

#endif
