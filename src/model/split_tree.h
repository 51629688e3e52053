/*
 * The model of split-tree nonblocking collectives: A. Denis, J. Jaeger, E. Jeannot, M. Pérache, H. Taboada, "Dynamic
 * placement of progress thread for overlapping MPI non-blocking collectives on manycore processor" (2018), section 4.
 *
 * Of Nproc cores, N run ranks and compute (application cores), and P = Nproc - N communicate. A collective goes along a
 * binomial tree of height H = ⌈log2 N⌉: level i = 1 … H, counted from the root, has F(N, i) edges. The last S levels
 * run on application cores, each in one step; the others are folded on P communication cores while the application
 * computes. Times are in units of one transfer of the whole buffer; of a scatter or gather, of the part of one rank.
 *
 *     blocking        Σ over all levels of the weight of an edge (eq. 1): H
 *     non-blocking    Σ over the last S levels of the weight + Σ over the others of weight · ⌈F / P⌉ (eq. 4)
 *     compute         C(N) = Nproc / N · ratio · blocking(Nproc)
 *     overlapped      Σ over the last S levels of the weight + max(C(N), Σ over the others …) (eq. 5)
 *
 * The weight of an edge is 1, or 2^(H - i) in a scatter or gather. An allreduce is a reduction, then a broadcast: twice
 * everything. Eq. 2 is printed with N / Nproc; fixed work on fewer cores takes longer, and only so does every claim of
 * the paper hold. Eq. 3 as printed counts half an edge at the root if N is no power of two, and elsewhere one too many;
 * exact is F(N, i) = ⌊(N - 1 + d) / (2d)⌋ with d = 2^(H - i). The best S is the same.
 *
 * Slices split the data instead of the tree: communication cores take a fraction 1 - f of the bytes of each transfer,
 * application cores the rest in Wait (of a reduction: before the start), all of them at once. The whole work is W = N -
 * 1 transfers (of an allreduce twice that): f = max(0, 1 - P · C / W), T = C + f · W / N.
 */
#ifndef CW_MODEL_SPLIT_TREE_H
#define CW_MODEL_SPLIT_TREE_H

#include <stdint.h>

#include "base/decls.h"
#include "traffic/collectives.h"

CW_BEGIN_DECLS

enum cw_split_equation { CW_SPLIT_EXACT, CW_SPLIT_PRINTED };
CW_API extern const char *const cw_split_equation_names[]; /* "exact", "printed"; ended by NULL */

struct cw_split_model {
    uint32_t cores;                     /* Nproc; at least 2 */
    enum cw_collective_kind collective; /* one of cw_collective_trees */
    enum cw_split_equation equation;
    double ratio; /* computation of Nproc cores, in units of the blocking collective of Nproc ranks; the paper: 1 */
};

struct cw_split_times {
    double blocking, non_blocking, overlapped, compute;
};

struct cw_split_slices {
    double fraction;   /* f, of application cores */
    double overlapped; /* T */
};

/* H(N) = ⌈log2 N⌉, N ≥ 1. */
CW_API uint32_t cw_split_height(uint32_t n);

/* F(N, LEVEL), 1 ≤ LEVEL ≤ H(N). */
CW_API double cw_split_edges(enum cw_split_equation equation, uint32_t n, uint32_t level);

/* With 1 ≤ N ≤ cores ranks and STEPS levels on application cores, those beyond H(N) counting for nothing; with N =
 * cores all levels must be theirs. O(H). */
CW_API struct cw_split_times cw_split_times_of(const struct cw_split_model *model, uint32_t n, uint32_t steps);

/* The same where data go in slices, for N application cores. */
CW_API struct cw_split_slices cw_split_slices_of(const struct cw_split_model *model, uint32_t n);

/* The S with the least overlapped time, the smallest of several; and the N for which that is least. */
CW_API uint32_t cw_split_best_steps(const struct cw_split_model *model, uint32_t n);
CW_API uint32_t cw_split_best_ranks(const struct cw_split_model *model);

/* The N for which slices take least; the smallest of several. */
CW_API uint32_t cw_split_best_sliced(const struct cw_split_model *model);

CW_END_DECLS

#endif
