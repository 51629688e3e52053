/*
 * Proofs: lengths of channels, and the bound of z that follows from them.
 *
 * Whatever the lengths, no plan moves more than Σ capacity · length / Σ demand · distance (weak duality of Model 1,
 * flow/pricing/pricing.h), if distances are those of the shortest among all paths that a plan may take. So whoever has
 * the lengths can compute the bound, and need not believe who found them.
 */
#ifndef CW_FLOW_PROOF_H
#define CW_FLOW_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/flow_problem.h"

CW_BEGIN_DECLS

/* Zeroed: nothing is proven. Lengths are numbers of at most 9 digits, so that a file keeps them as they are. */
struct cw_proof {
    double bound;      /* no plan whatever has a greater z; counts only if there are lengths */
    uint32_t n;        /* channels with a length */
    uint32_t *channel; /* [n] ascending; each has a limit */
    double *length;    /* [n] above 0 */
    bool verified;     /* by cw_proof_verify: until then it is a claim */
};

CW_API void cw_proof_free(struct cw_proof *proof);
/* Makes OUT a proof of its own. 0 or CW_ENOMEM. */
CW_API int cw_proof_copy(const struct cw_proof *proof, struct cw_proof *out);

/* The proof by LENGTH [channels], scaled so that the greatest is 1, and rounded. Its bound is that of the rounded
 * lengths, over all paths; where they prove none it is INFINITY, and there are no lengths. Of a quotient
 * (flow/quotient.h) LENGTH is the quotient's, and the proof that of the whole. Time: one pricing. */
CW_API int cw_proof_make(const struct cw_flow_problem *problem, const double *length, unsigned n_threads,
                         struct cw_proof *out);

/* The same until DEADLINE, a moment of base/stopwatch.h, or INFINITY: then it is CW_ELIMIT. */
CW_API int cw_proof_make_until(const struct cw_flow_problem *problem, const double *length, unsigned n_threads,
                               double deadline, struct cw_proof *out);

/* The proof of the least cut that is found without a search (flow/cuts.h), without a pricing; no lengths, and INFINITY,
 * where there is none. 0 or CW_ENOMEM. */
CW_API int cw_proof_by_cut(const struct cw_flow_problem *problem, struct cw_proof *out);

/* An independent checker, which shares no code with pricing: the lengths prove that z is at most the bound (1e-9
 * relative). A bound above what they prove is true as well; so is one whose proof was made before channels failed,
 * which leaves fewer paths. CW_EINTERNAL says what is wrong: "plan: lengths[3]: …". Time: Bellman and Ford's algorithm
 * from every source (or to every destination, if those are fewer); where paths consist of legs, a walk for each of
 * these. */
CW_API int cw_proof_verify(const struct cw_flow_problem *problem, const struct cw_proof *proof);

/* The same on N_THREADS threads (one, where paths consist of legs) until DEADLINE, a moment of base/stopwatch.h, or
 * INFINITY. *VERIFIED: the check has come to its end. After cw_interrupt it ends with CW_EINTERRUPTED. */
CW_API int cw_proof_verify_until(const struct cw_flow_problem *problem, const struct cw_proof *proof,
                                 unsigned n_threads, double deadline, bool *verified);

CW_END_DECLS

#endif
