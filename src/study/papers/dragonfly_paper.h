/*
 * Figure 3 of Prisacari et al., "Performance optimization of load imbalanced workloads in large scale dragonfly
 * systems" (2015): what dragonflies of growing size accept of three adversarial traffics at full offered load.
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
#include <stdint.h>

#include "base/decls.h"
#include "study/papers/paper.h"

CW_BEGIN_DECLS

extern const struct cw_paper cw_paper_dragonfly_fig3;

#define CW_DRAGONFLY_PANELS 6 /* figures 3a … 3f */

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

struct cw_dragonfly_point {
    struct cw_point point;
    enum cw_dragonfly_curve curve;
    uint32_t p, a, h, nodes, switches; /* full size: a·h + 1 groups */
    char network[32], traffic[64];     /* specifications */
    double estimate;                   /* 3/(4p), equation 4 of the paper */
    double share;                      /* of the usual cycles */
    /* results */
    double accepted, accepted_ci99; /* share of the injection bandwidth of the endpoints that send */
    double bound;                   /* link-load bound of the accepted load */
    uint64_t cycles, warmup_cycles; /* measured, and before */
    bool steady;
};

CW_END_DECLS

#endif
