/*
 * How evenly a measurement served the endpoints, and which of them starved.
 */
#ifndef CW_STUDY_FAIRNESS_H
#define CW_STUDY_FAIRNESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "net/selection.h"
#include "study/flit/flit_case.h"

CW_BEGIN_DECLS

/* The loads of some endpoints, in flits a cycle. */
struct cw_shares {
    size_t n;
    double least, mean, most;
    double jain; /* (Σx)² / (n Σx²): 1 if all are equal, 1/n if one has all; R. Jain, D. Chiu, W. Hawe, "A quantitative
                    measure of fairness and discrimination", DEC-TR-301, 1984. NaN if all are 0 */
};

/* Of N VALUES, none negative; all NaN of none. */
struct cw_shares cw_shares_of(const double *values, size_t n);

struct cw_fairness {
    struct cw_shares injected; /* by the endpoints that have something to send */
    struct cw_shares accepted; /* by all endpoints of the case's selection */
    size_t n_starved;
    uint32_t *starved; /* [n_starved] endpoints, job by job in the order of ranks; owned */
};

/* What RUN, a measurement of MADE, did to its endpoints. A sender is starved if it injected nothing in all the cycles
 * measured, in which it had at least 30 messages to send on average (so that chance leaves one in 10^13 without any).
 * Free with cw_fairness_free. */
int cw_fairness_of(const struct cw_flit_case *made, const struct cw_flit_measurement *run, struct cw_fairness *out);
void cw_fairness_free(struct cw_fairness *fairness);

CW_END_DECLS

#endif
