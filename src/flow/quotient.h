/*
 * The quotient of a problem by its symmetries: one demand stands for all that are alike, and one channel, too.
 *
 * Symmetries are the translations of a lattice, such as a torus, that change nothing: capacities are the same, each
 * demand is carried to one of as many bytes, and where paths consist of legs these are carried to legs. Then some
 * optimum is the same everywhere, and so are the best lengths of channels: the average of a plan over all its
 * translations is no worse. In each dimension d the translations by multiples of step[d] are symmetries, which divides
 * k[d]; step[d] = k[d]: none.
 *
 * The quotient is a problem on the same network: of the demands that become one another it has the one whose source
 * lies nearest to the origin, below step[d] in each dimension, and of channels that with such a tail; the others have
 * no limit there. A path through the network is folded: the channels that stand for its own, perhaps some several
 * times. What a folded path's demand loads there, all demands that it stands for load on each channel of the whole.
 * Lengths of the quotient are those of channels that stand for others, and 0 on all others. z, bounds and the sums of
 * loads and lengths along paths are those of the whole.
 */
#ifndef CW_FLOW_QUOTIENT_H
#define CW_FLOW_QUOTIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

struct cw_quotient {
    const struct cw_flow_problem *whole; /* borrowed */
    struct cw_flow_problem problem; /* its quotient, whose `quotient` is this; the whole itself, borrowed, if n is 1 */
    struct cw_demands demands;      /* of the quotient */
    const uint32_t *k;              /* sizes of the lattice, the network's */
    uint32_t n_dimensions;
    uint32_t step[CW_TORUS_DIMENSIONS];
    uint32_t n;           /* symmetries, with the one that moves nothing; 1: there is no other */
    uint32_t *stands_for; /* [demands of the whole] the demand of the quotient; NULL if n is 1 */
};

/* *OUT, which must stay where it is, is made for WHOLE: n is 1 unless its network is a lattice (net/shape.h). Time:
 * demands for each divisor of each size, the channels of all legs for each dimension. 0 or CW_ENOMEM. */
int cw_quotient_make(const struct cw_flow_problem *whole, struct cw_quotient *out);
void cw_quotient_free(struct cw_quotient *quotient);

/* The node that A becomes if the origin of a lattice of sizes K [N] becomes B. */
uint32_t cw_lattice_sum(const uint32_t *k, uint32_t n, uint32_t a, uint32_t b);

/* Makes lengths [channels] of the whole those of the quotient: the mean of all that one stands for. */
void cw_quotient_fold(const struct cw_quotient *quotient, double *length);

/* Lengths of the quotient as those of the whole. Both may be the same array. */
void cw_quotient_unfold(const struct cw_quotient *quotient, const double *length, double *out);

/* Folds a path of N channels, in place. */
void cw_quotient_fold_path(const struct cw_quotient *quotient, uint32_t *channels, uint32_t n);

/* Makes a folded path, in place, the path of the whole that begins at the endpoint FROM. */
void cw_quotient_unfold_path(const struct cw_quotient *quotient, uint32_t from, uint32_t *channels, uint32_t n);

CW_END_DECLS

#endif
