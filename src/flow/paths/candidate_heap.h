/* A binary heap of the sets of paths that Yen's algorithm still has to look into; which comes first is the owner's
 * affair. */
#ifndef CW_FLOW_CANDIDATE_HEAP_H
#define CW_FLOW_CANDIDATE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CW_BEGIN_DECLS

#define CW_NO_PATH SIZE_MAX

struct cw_candidate {
    uint64_t use;    /* the best path's, or a lower bound */
    size_t path;     /* where the best path is, or CW_NO_PATH while it is not known */
    uint32_t length; /* the best path's, or a lower bound */
    uint32_t spur;   /* whose set of paths it is */
};

/* True if A comes before B; never for A = B. */
typedef bool cw_candidate_order(const void *context, const struct cw_candidate *a, const struct cw_candidate *b);

/* Starts zeroed but for `before` and `context`; items[0] comes first. */
struct cw_candidate_heap {
    cw_candidate_order *before;
    const void *context;
    struct cw_candidate *items;
    size_t n, capacity;
};

int cw_candidate_heap_push(struct cw_candidate_heap *heap, struct cw_candidate candidate);
void cw_candidate_heap_pop(struct cw_candidate_heap *heap);
/* Puts CANDIDATE in the place of the first one. */
void cw_candidate_heap_replace(struct cw_candidate_heap *heap, struct cw_candidate candidate);
void cw_candidate_heap_free(struct cw_candidate_heap *heap);

CW_END_DECLS

#endif
