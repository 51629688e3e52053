/*
 * Which cores of a machine are to run ranks and which are to carry out their nonblocking collectives, by the model of
 * split trees and slices (model/split_tree.h).
 */
#ifndef CW_STUDY_CORE_PLAN_H
#define CW_STUDY_CORE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "model/split_tree.h"
#include "study/core_costs.h"
#include "study/machine_cores.h"

CW_BEGIN_DECLS

enum cw_core_advice {
    CW_CORES_OVERLAP,  /* leave cores to communication */
    CW_CORES_NO_SPARE, /* there is none */
    CW_CORES_STAY,     /* a rank on each core, and MPI's own collectives, take less */
    CW_CORES_MEASURED  /* beside as many ranks, MPI's own collective was measured to take less than any of ours */
};

struct cw_core_plan {
    enum cw_core_advice advice;
    uint32_t usable;       /* cores that a job can keep busy: those that it may use, as far as there is time for them */
    uint32_t ranks, steps; /* N; S of the split tree */
    bool slices;           /* take less than the split tree */
    double time,
        all_cores;      /* of collective and computation, with the plan and with a rank on each core, in transfers */
    bool *communicates; /* [cores] whether a core is for communication; N others are for ranks, in order */
};

/* For MODEL, whose `cores` are ignored, with COSTS, on CORES. RANKS: so many ranks; 0: the best number, at least 2.
 * CW_EUSAGE for more ranks than cores. Communication cores are spread over packages and NUMA nodes as ranks are, the
 * last ones of each, all among the first `usable` cores. Free with cw_core_plan_free. */
int cw_core_plan_new(const struct cw_machine_cores *cores, const struct cw_split_model *model,
                     const struct cw_core_costs *costs, uint32_t ranks, struct cw_core_plan *out);
void cw_core_plan_free(struct cw_core_plan *plan);

CW_END_DECLS

#endif
