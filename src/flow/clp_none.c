/* In the place of clp_model.cpp where a build has no CLP (CW_CLP=OFF): it gives up at once, and potential reduction,
 * which has proofs of its own, comes as near to the optimum as it can. */
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/clp_model.h"

struct cw_clp {
    char unused;
};

double cw_clp_least_gap(void)
{
    return 1e-4;
}

int cw_clp_new(double tolerance, struct cw_clp **out)
{
    (void)tolerance;
    struct cw_clp *clp = cw_new_array(1, sizeof *clp, "linear programs");
    if (!clp) return CW_ENOMEM;
    *out = clp;
    return 0;
}

void cw_clp_free(struct cw_clp *clp)
{
    free(clp);
}

int cw_clp_add_rows(struct cw_clp *clp, const struct cw_clp_items *rows)
{
    (void)clp, (void)rows;
    return 0;
}

int cw_clp_add_columns(struct cw_clp *clp, const struct cw_clp_items *columns)
{
    (void)clp, (void)columns;
    return 0;
}

int cw_clp_change(struct cw_clp *clp, const double *cost, const double *upper, int most,
                  const struct cw_progress_part *progress)
{
    (void)clp, (void)cost, (void)upper, (void)most, (void)progress;
    return 0;
}

int cw_clp_start(struct cw_clp *clp, const double *x, const unsigned char *places)
{
    (void)clp, (void)x, (void)places;
    return 0;
}

int cw_clp_solve(struct cw_clp *clp, double seconds, enum cw_clp_end *end)
{
    (void)clp, (void)seconds;
    *end = CW_CLP_GAVE_UP;
    return 0;
}

const double *cw_clp_solution(const struct cw_clp *clp)
{
    (void)clp;
    return NULL;
}

const double *cw_clp_prices(const struct cw_clp *clp)
{
    (void)clp;
    return NULL;
}
