/*
 * Which cores of a machine are to run ranks and which are to carry out their nonblocking collectives, by the model of
 * split trees and slices (model/split_tree.h).
 */
#ifndef CW_STUDY_OVERLAP_CORE_PLAN_H
#define CW_STUDY_OVERLAP_CORE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "model/split_tree.h"
#include "nbc/nbc_tuning.h"

CW_BEGIN_DECLS

/* --- the cores of a machine --------------------------------------------------------------------------------------- */

/* Those that a job may use, as hwloc and the kernel's control groups have it. */

struct cw_machine_core {
    uint32_t cpu;           /* the kernel's number of its first processing unit */
    uint32_t package, node; /* socket and NUMA node, from 0 */
};

struct cw_machine_cores {
    struct cw_machine_core *items; /* that this process may use, by position in the machine */
    size_t n, all;                 /* all: of the machine */
    double quota;                  /* processors' worth of time that control groups allow; INFINITY: no limit */
};

/* Of this machine (SYNTHETIC NULL), or of one that hwloc's language describes, "pack:2 numa:1 core:24 pu:2": then
 * without a limit. CW_EUSAGE for what is none. Free with cw_machine_cores_free. */
int cw_machine_cores_read(const char *synthetic, struct cw_machine_cores *out);
void cw_machine_cores_free(struct cw_machine_cores *cores);

/* The limit that the control group of a process has (MEMBERSHIP: what /proc/self/cgroup says), or one above it, in the
 * tree mounted at ROOT: cpu.max of version 2, cpu.cfs_quota_us of version 1. */
double cw_machine_quota(const char *root, const char *membership);

/* --- what collectives cost on them -------------------------------------------------------------------------------- */

/* In the terms of the model of split trees: by default as the model has it, else as `crosswind-mpi overlap --tuning`
 * has measured. */

struct cw_core_costs {
    double level;    /* of MPI's own blocking collective, in transfers by a communication core; the model: 1 */
    double hidden;   /* the part of MPI's own nonblocking collective that a computation as long hides; the model: 0 */
    double transfer; /* by a communication core [s]; NaN: not measured */
    const struct cw_nbc_choice *measured; /* where it is from, borrowed; NULL: from nowhere, this is the model */
};

/* Of the model. */
struct cw_core_costs cw_core_costs_default(void);

/* As TUNING has it of COLLECTIVE, among nearly RANKS ranks, of BYTES or the next smaller size; the default if nothing
 * of the kind was measured. */
struct cw_core_costs cw_core_costs_of(const struct cw_nbc_tuning *tuning, enum cw_collective_kind collective,
                                      uint32_t ranks, uint64_t bytes);

/* --- which are for what ------------------------------------------------------------------------------------------- */

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
