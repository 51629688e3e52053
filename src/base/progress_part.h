/* Progress that a long run reports, as setups have it: the program's own. Users of the library leave it zeroed. */
#ifndef CW_BASE_PROGRESS_PART_H
#define CW_BASE_PROGRESS_PART_H

#include "base/decls.h"

CW_BEGIN_DECLS

struct cw_progress;

/* Steps FROM to TO of a bar, for work whose share is known rather than its steps. Zeroed: no bar. The bar shows no rate
 * then, for its steps are no steps of the work. */
struct cw_progress_part {
    struct cw_progress *progress;
    double from, to;
};

CW_END_DECLS

#endif
