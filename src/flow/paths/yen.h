/*
 * The k shortest loopless paths of one pair after another (Yen 1971, with Lawler's refinement 1972).
 *
 * The paths found form a tree from the source. At each of its vertices (a spur) wait the paths that come this far and
 * then leave by an arc no found path took: sets without a path in common, so nothing is found twice. A spur's best path
 * is searched only when its lower bound of (length, use) comes first. The next path is the least of all by
 *
 *     length, then the sum of the uses of its arcs, then the first arc in which it differs from others, in the order of
 * trial
 *
 * where uses may grow while paths are found, which makes what was known a lower bound.
 */
#ifndef CW_FLOW_YEN_H
#define CW_FLOW_YEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "flow/paths/spur_search.h"

CW_BEGIN_DECLS

#define CW_NO_PATH SIZE_MAX

struct cw_candidate {
    uint64_t use;    /* the best path's, or a lower bound */
    size_t path;     /* where the best path is, or CW_NO_PATH while it is not known */
    uint32_t length; /* the best path's, or a lower bound */
    uint32_t spur;   /* whose set of paths it is */
};

/* A vertex of the tree of found paths. */
struct cw_spur {
    uint32_t parent, child, sibling; /* or CW_NONE */
    uint32_t arc;                    /* from the parent, CW_NONE at the root */
    uint32_t vertex, depth;
};

struct cw_found_path {
    size_t begin; /* of its arcs in `paths` */
    uint32_t length;
};

/* A workspace. Results are in found[0 … n_found-1] until the next pair. */
struct cw_yen {
    const struct cw_live_arcs *arcs; /* borrowed */
    const double *capacity;          /* [channels] borrowed: those without a limit are not counted in `use` */
    uint32_t *use;                   /* [arcs] borrowed, NULL if uses are of no account; every path found is added */
    uint32_t k, source, max_length;
    struct cw_spur_search search;
    struct cw_candidate *candidates; /* a heap of the sets of paths that are still to be looked into */
    size_t n_candidates, candidates_capacity;
    struct cw_spur *spurs;
    size_t n_spurs, spurs_capacity;
    uint32_t *paths; /* arcs of found and candidate paths */
    size_t n_paths, paths_capacity;
    struct cw_found_path *found;
    size_t n_found, found_capacity;
};

/* ROTATED: see struct cw_spur_search. */
int cw_yen_make(const struct cw_live_arcs *arcs, const double *capacity, uint32_t k, bool rotated, uint32_t *use,
                struct cw_yen **out);
void cw_yen_free(struct cw_yen *yen);

/* Finds the paths from SRC to DST of at most MAX_LENGTH arcs. */
int cw_yen_run(struct cw_yen *yen, uint32_t src, uint32_t dst, uint32_t max_length);

/* Takes the paths found back out of `use`. */
void cw_yen_forget(struct cw_yen *yen);

CW_END_DECLS

#endif
