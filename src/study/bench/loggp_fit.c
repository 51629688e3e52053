#include "study/bench/loggp_fit.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "study/bench/line_fit.h"

int cw_loggp_fit(const struct cw_prtt *prtt, double out[CW_LOGGP_PARAMETERS])
{
    const double follow = prtt->messages - 1;
    struct cw_line line;
    double *apart = cw_new_array(prtt->n_sizes, sizeof *apart, "round trips");
    if (!apart) return CW_ENOMEM;
    for (size_t i = 0; i < prtt->n_sizes; i++) apart[i] = (prtt->many[i] - prtt->one[i]) / follow;
    const int rc = cw_line_fit(prtt->bytes, apart, prtt->n_sizes, &line);
    free(apart);
    if (rc) return rc;
    out[CW_LOGGP_O] = (prtt->small_paced - prtt->small) / follow - prtt->delay;
    out[CW_LOGGP_SMALL_G] = (prtt->small_many - prtt->small) / follow;
    out[CW_LOGGP_G] = line.slope.value;
    out[CW_LOGGP_L] = prtt->small / 2 - 2 * out[CW_LOGGP_O];
    return 0;
}
