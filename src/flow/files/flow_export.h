/*
 * Model 1 of Bui et al. for other solvers: proof by a third party.
 */
#ifndef CW_FLOW_FLOW_EXPORT_H
#define CW_FLOW_FLOW_EXPORT_H

#include "base/buffer.h"
#include "base/decls.h"
#include "flow/flow_problem.h"
#include "flow/paths/k_paths.h"

CW_BEGIN_DECLS

enum cw_export { CW_EXPORT_LP, CW_EXPORT_MPS, CW_EXPORT_AMPL }; /* CPLEX LP, free MPS, AMPL model and data in one */

/* Appends the linear program over the given paths: maximise Z with normalised capacities and demands, as in
 * flow_problem.h. */
CW_API int cw_flow_export(const struct cw_flow_problem *problem, const struct cw_k_paths *paths, enum cw_export form,
                          struct cw_text *text);

CW_END_DECLS

#endif
