/*
 * The master of column generation: Model 1 of Bui et al. over the columns found so far, solved by CLP.
 *
 *     minimise u   with  Σ x(p) = 1 over the paths p of each demand,  Σ demand · x(p) / capacity ≤ u for each channel
 *
 * where x(p) is the share of the demand on p, and z = 1/u. Channels that carry little have no row until a solution
 * overloads them. The duals of the rows are the lengths of the channels (times capacity).
 *
 * Every solution starts from the flows of the columns (CLP's "values pass"). These problems are degenerate in the
 * extreme, many channels being full at once: from nearly optimal flows CLP needs a tenth of a second where it needs
 * minutes from an empty basis, or from the one before by the dual simplex.
 */
#ifndef CW_FLOW_MASTER_LP_H
#define CW_FLOW_MASTER_LP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/clp_model.h"
#include "flow/columns.h"

CW_BEGIN_DECLS

struct cw_master {
    struct cw_columns *columns; /* borrowed */
    struct cw_clp *model;
    uint32_t *row;     /* [channels] row, or CW_NONE */
    uint32_t *channel; /* [rows - demands] whose row it is */
    size_t n_rows;     /* of channels */
    uint32_t *member;  /* the column of `columns` that is column 1 + i of the model */
    size_t n_members, members_capacity;
    bool *is_member; /* [columns] */
    size_t is_member_capacity;
    double *load; /* [channels] of the last solution */
    double most;  /* greatest load / capacity of it */
};

/* The master over those of COLUMNS that have flow. */
int cw_master_make(struct cw_columns *columns, struct cw_master *out);
void cw_master_free(struct cw_master *master);

/* Adds the columns of the pool whose reduced cost by LENGTH [channels] and DISTANCE [demands], what a demand pays for
 * its cheapest column of the master, is negative by more than a rounding error. *ADDED is their number. */
int cw_master_add_columns(struct cw_master *master, const double *length, const double *distance, size_t *added);

/* Solves, with rows added until no channel is overloaded, or until the DEADLINE. *SOLVED: to optimality. */
int cw_master_solve(struct cw_master *master, double deadline, bool *solved);

/* Goes from the flows of the columns to others of the least PRICE, the sum over all flow of that of its channels
 * [channels], at which no channel is loaded more than MOST. Stops early on purpose (CW_CLP_STOPPED in *END): most of
 * the gain comes at the beginning. PROGRESS is told how far it is. Unless *END is CW_CLP_GAVE_UP, cw_master_flows gives
 * the flows, and of an optimum cw_master_duals what the channels cost beside the price. The master may be given columns
 * again, but solves for nothing else any more. */
int cw_master_shorten(struct cw_master *master, const double *price, double most, double deadline,
                      const struct cw_progress_part *progress, enum cw_clp_end *end);

/* The last solution as flows [columns]; every demand's add up to it exactly. False if it is not one (CLP gave up). */
bool cw_master_flows(const struct cw_master *master, double *flow);

/* The duals of the last solution as LENGTH [channels] and DISTANCE [demands]. */
void cw_master_duals(const struct cw_master *master, double *length, double *distance);

CW_END_DECLS

#endif
