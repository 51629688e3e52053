/*
 * Progress that a long run reports, as setups have it. Who wants none leaves it zeroed. Who shows it himself gives a
 * count, and looks at it from another thread while the run goes on:
 *
 *     struct cw_progress *progress = cw_progress_count(trials);
 *     setup.progress = progress;
 *     … cw_progress_share(progress) …
 *     cw_progress_free(progress);
 */
#ifndef CW_BASE_PROGRESS_PART_H
#define CW_BASE_PROGRESS_PART_H

#include <stddef.h>

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_progress;

/* Steps FROM to TO of a bar, for work whose share is known rather than its steps. Zeroed: no bar. The bar shows no rate
 * then, for its steps are no steps of the work. */
struct cw_progress_part {
    struct cw_progress *progress;
    double from, to;
};

/* A count of TOTAL steps, which is shown nowhere. NULL, which runs and the functions below accept, if TOTAL is 0 or
 * there is no memory: progress never fails the work. */
CW_API struct cw_progress *cw_progress_count(size_t total);

/* The share of its steps that is done, 0 to 1; 0 of NULL. Any thread may ask. */
CW_API double cw_progress_share(const struct cw_progress *progress);

/* Removes the bar, if there is one, and frees it. */
CW_API void cw_progress_free(struct cw_progress *progress);

CW_END_DECLS

#endif
