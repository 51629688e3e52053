/*
 * The most that a set of sources can send through shared channels: a packing problem, bounded from above. Not
 * installed.
 *
 *     maximise Σ_r worth_r · x_r   subject to   Σ_r use_{r,c} · x_r ≤ 1 for every channel c,   0 ≤ x_r ≤ limit.
 *
 * By duality every set of prices y_c ≥ 0 of channels gives an upper bound, whatever they are:
 *
 *     Σ_c y_c + limit · Σ_r max(0, worth_r - Σ_c use_{r,c} · y_c)
 *
 * (a channel's capacity is worth at most its price, and what a source is worth beyond the prices of what it uses, it
 * can add at most `limit` times). Only such values are returned, so that the bound holds to rounding even where the
 * search for the best prices was cut short.
 *
 * Prices are searched by the primal-dual hybrid gradient method with diagonal preconditioning (Pock and Chambolle,
 * "Diagonal preconditioning for first order primal-dual algorithms in convex optimization", ICCV 2011), restarted at
 * the average of its iterates (Applegate et al., "Practical large-scale linear programming using primal-dual hybrid
 * gradient", NeurIPS 2021). It needs nothing but products of the matrix and vectors.
 */
#ifndef CW_MODEL_PACKING_H
#define CW_MODEL_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

/* A row for every source, or for several that are alike; columns are channels. */
struct cw_packing {
    size_t n_rows;
    uint32_t n_columns;
    size_t *first;    /* [n_rows + 1] where the entries of each row begin */
    uint32_t *column; /* of each entry */
    double *use;      /* of each entry, of one of the row's sources; more than 0 */
    double *worth;    /* [n_rows] of each of the row's sources; more than 0 */
    uint32_t *count;  /* [n_rows] sources; more than 0 */
};

struct cw_packing_bound {
    double most;    /* the upper bound */
    double reached; /* by sources that do not overload any channel: the optimum is between the two */
};

/* Frees what PACKING points to. */
void cw_packing_free(struct cw_packing *packing);

/* LIMIT > 0. Ends when the two agree to five digits, or after some thousand million multiplications (seconds). The same
 * for any number of threads. */
int cw_packing_bound(const struct cw_packing *packing, double limit, unsigned n_threads, struct cw_packing_bound *out);

CW_END_DECLS

#endif
