/*
 * A linear program in CLP: minimise cost · x with lower ≤ A x ≤ upper and bounds of x.
 *
 * CLP is C++. What it throws for want of memory becomes CW_ENOMEM here, where its C interface would end the program;
 * and cw_interrupt (base/interrupt.h) ends a solution at its next iteration. That is why this module, alone, is written
 * in C++ behind a C header.
 */
#ifndef CW_FLOW_CLP_MODEL_H
#define CW_FLOW_CLP_MODEL_H

#include <stdbool.h>

#include "base/decls.h"
#include "base/progress.h"

CW_BEGIN_DECLS

struct cw_clp;

/* Where a variable is when a solution starts, in CLP's words. */
enum cw_clp_place { CW_CLP_BASIC = 1, CW_CLP_AT_LOWER = 3, CW_CLP_SUPERBASIC = 4 };

/* Rows or columns to be added: N of them, each with bounds, the entries of item i from start[i] to start[i + 1] - 1.
 * Cost is of columns only. All borrowed. */
struct cw_clp_items {
    int n;
    const double *lower, *upper, *cost;
    const int *start, *index;
    const double *value;
};

/* The smallest gap between a plan and its bound, relative, that can be asked for: 0; without CLP, what methods without
 * a linear program reach (flow/potential_reduction.h). */
double cw_clp_least_gap(void);

/* An empty program that takes a violation of TOLERANCE, absolute, for none. */
int cw_clp_new(double tolerance, struct cw_clp **out);
void cw_clp_free(struct cw_clp *clp);

int cw_clp_add_rows(struct cw_clp *clp, const struct cw_clp_items *rows);
int cw_clp_add_columns(struct cw_clp *clp, const struct cw_clp_items *columns);

/* Changes cost and upper bound of all columns, and lets solutions have MOST iterations at most, of which PROGRESS
 * (borrowed; NULL: none) is told how many are done. */
int cw_clp_change(struct cw_clp *clp, const double *cost, const double *upper, int most,
                  const struct cw_progress_part *progress);

/* The next solution starts from X [columns]; PLACES [columns + rows] are of enum cw_clp_place. */
int cw_clp_start(struct cw_clp *clp, const double *x, const unsigned char *places);

enum cw_clp_end { CW_CLP_OPTIMAL, CW_CLP_STOPPED, CW_CLP_GAVE_UP }; /* stopped: time or iterations are over */

/* Solves by the primal simplex in at most SECONDS (infinite: no limit). CW_EINTERRUPTED, CW_ENOMEM, or how it ended. */
int cw_clp_solve(struct cw_clp *clp, double seconds, enum cw_clp_end *end);

/* The last solution [columns], and the prices of its rows [rows]; CLP's until the next change. */
const double *cw_clp_solution(const struct cw_clp *clp);
const double *cw_clp_prices(const struct cw_clp *clp);

CW_END_DECLS

#endif
