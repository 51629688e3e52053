/*
 * What collectives cost on a machine, in the terms of the model of split trees: by default as the model has it, else as
 * `crosswind-mpi overlap --tuning` has measured.
 */
#ifndef CW_STUDY_CORE_COSTS_H
#define CW_STUDY_CORE_COSTS_H

#include <stdbool.h>

#include "base/decls.h"
#include "model/split_tree.h"
#include "nbc/nbc_tuning.h"

CW_BEGIN_DECLS

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

CW_END_DECLS

#endif
