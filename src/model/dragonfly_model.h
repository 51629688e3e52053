/*
 * The analytic model of load-imbalanced dragonflies: Prisacari et al., "Performance optimization of load imbalanced
 * workloads in large scale dragonfly systems" (2015), section III.
 */
#ifndef CW_MODEL_DRAGONFLY_MODEL_H
#define CW_MODEL_DRAGONFLY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/network.h"
#include "traffic/workload.h"

CW_BEGIN_DECLS

struct cw_dragonfly_model {
    double lower, upper; /* equation 1: N_r/(2Nh) ≤ T ≤ N_r/(Nh), that is 1/(2p) and 1/p at full size */
    double estimate;     /* equation 4: 3/(4p), the middle of the two */
    double exact; /* T from x, the number of incoming global channels of a switch that share its next local channel,
                   * counted at every intermediate switch: the analysis the paper describes and leaves out */
    double load_oblivious; /* 0.5: what perfectly balanced indirect traffic would reach */
};

/* True if NET is what the model is of: a dragonfly, of any size and wiring. */
CW_API bool cw_dragonfly_model_is_of(const struct cw_network *net);

/* For ValiantRestricted on NET (any dragonfly, whatever its wiring) under WORKLOAD with rank r on ENDPOINTS[r]. Traffic
 * that is not group to group (no single partner group for most of a group's traffic) is CW_EUSAGE: the model says
 * nothing of it. How `exact` is defined is in dragonfly_model.c. */
CW_API int cw_dragonfly_model_compute(const struct cw_network *net, const struct cw_workload *workload,
                                      const uint32_t *endpoints, struct cw_dragonfly_model *out);

CW_END_DECLS

#endif
