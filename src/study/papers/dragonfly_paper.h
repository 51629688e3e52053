/*
 * The points of figure 3 of Prisacari et al., "Performance optimization of load imbalanced workloads in large scale
 * dragonfly systems" (2015): what dragonflies of growing size accept of three adversarial traffics at full offered
 * load.
 *
 *     3a, 3b   bit complement: rank k sends to K - 1 - k
 *     3c, 3d   shift by h + 1 groups
 *     3e, 3f   3-D nearest neighbour, the third dimension: a third of the machine away
 *
 * a, c and e: shortest paths and ValiantRestricted; b, d and f: ValiantAny, and ValiantRestricted with the groups in
 * random order. Two curves are added: the two other routings with random groups.
 */
#ifndef CW_STUDY_PAPERS_DRAGONFLY_PAPER_H
#define CW_STUDY_PAPERS_DRAGONFLY_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "study/papers/batch.h"
#include "study/papers/findings.h"

CW_BEGIN_DECLS

enum cw_dragonfly_curve {
    CW_DRAGONFLY_MINIMAL,
    CW_DRAGONFLY_RESTRICTED,
    CW_DRAGONFLY_MINIMAL_RANDOM, /* … with random groups, as the others whose names end so */
    CW_DRAGONFLY_ANY,
    CW_DRAGONFLY_RESTRICTED_RANDOM,
    CW_DRAGONFLY_ANY_RANDOM,
    CW_DRAGONFLY_CURVES
};

/* [CW_DRAGONFLY_CURVES] */
extern const struct cw_dragonfly_way {
    const char *routing, *placement, *label;
    bool right; /* it is on panels b, d and f */
} cw_dragonfly_ways[];

/* Which networks, and how long each point is measured. */
enum cw_dragonfly_sizes {
    CW_DRAGONFLY_QUICK, /* the two smallest, a twentieth of the time: to see how it works */
    CW_DRAGONFLY_SMALL, /* the four smallest: 42 to 1,056 nodes */
    CW_DRAGONFLY_ALL    /* all of the paper: to 16,512 nodes */
};

#define CW_DRAGONFLY_PANELS 6 /* 3a … 3f */

struct cw_dragonfly_point {
    int panel; /* 0: 3a … */
    enum cw_dragonfly_curve curve;
    uint32_t p, a, h, nodes, switches; /* full size: a·h + 1 groups */
    char network[32], traffic[64];     /* specifications */
    double estimate;                   /* 3/(4p), equation 4 of the paper */
    double share;                      /* of the usual cycles */
    /* results */
    bool done;
    double accepted, accepted_ci99; /* share of the injection bandwidth of the endpoints that send */
    double bound;                   /* link-load bound of the accepted load */
    uint64_t cycles, warmup_cycles; /* measured, and before */
    bool steady;
};

/* A list that starts zeroed. */
struct cw_dragonfly_points {
    struct cw_dragonfly_point *items;
    size_t n, capacity;
};

/* Appends the points of PANEL, curve by curve, each by growing size. */
int cw_dragonfly_points_add(struct cw_dragonfly_points *points, int panel, enum cw_dragonfly_sizes sizes);
void cw_dragonfly_points_free(struct cw_dragonfly_points *points);

/* Runs the points panel by panel, those of a panel side by side. */
int cw_dragonfly_points_run(const struct cw_figure_study *study, struct cw_dragonfly_points *points);

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

/*
 * Whether what Prisacari et al. (2015) say of figure 3 holds for points that have run. Limits are compared
 * with means, rounded as the paper prints them. Two accepted loads differ if their distance is more than that of 99 %
 * confidence, √(ci₁² + ci₂²); if they do not, and that is more than 5 % of the first, nothing is decided.
 */

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
