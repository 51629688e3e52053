#include "flow/fewer_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flow/column_plan.h"

/* Best first. */
static int compare_paths(const void *a, const void *b)
{
    const struct cw_plan_path *x = a, *y = b;
    if (x->demand != y->demand) return x->demand < y->demand ? -1 : 1;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* The first MOST of each demand of PLAN, whose paths are in that order. */
static int keep_best(const struct cw_plan *plan, size_t n_demands, uint32_t most, struct cw_k_paths *out)
{
    struct cw_k_paths kept = {.n_demands = n_demands};
    kept.first = cw_new_array(n_demands + 1, sizeof *kept.first, "paths");
    kept.begin = cw_new_array(plan->n_paths + 1, sizeof *kept.begin, "paths");
    kept.channel = cw_new_array(plan->n_channels, sizeof *kept.channel, "paths");
    if (!kept.first || !kept.begin || !kept.channel) {
        cw_k_paths_free(&kept);
        return CW_ENOMEM;
    }
    uint32_t of_demand = 0;
    for (size_t i = 0; i < plan->n_paths; i++) {
        const struct cw_plan_path *path = &plan->paths[i];
        of_demand = i > 0 && plan->paths[i - 1].demand == path->demand ? of_demand + 1 : 0;
        if (of_demand >= most) continue;
        const size_t at = kept.begin[kept.n_paths];
        memcpy(kept.channel + at, plan->channels + path->first, path->n * sizeof *kept.channel);
        kept.begin[++kept.n_paths] = at + path->n;
        kept.first[path->demand + 1] = kept.n_paths;
    }
    *out = kept;
    return 0;
}

int cw_plan_limit_paths(const struct cw_flow_problem *problem, const struct cw_method_setup *setup,
                        struct cw_plan *plan)
{
    struct cw_k_paths kept;
    struct cw_plan limited = {.bound = 0};
    if (plan->n_paths > 1) qsort(plan->paths, plan->n_paths, sizeof *plan->paths, compare_paths);
    int rc = keep_best(plan, problem->demands->n, setup->max_paths, &kept);
    if (rc) return rc;
    if (kept.n_paths < plan->n_paths) rc = cw_column_plan(problem, &kept, setup, CW_EXACT_GAP, &limited);
    if (!rc && kept.n_paths < plan->n_paths) cw_plan_take_paths(plan, &limited);
    cw_plan_free(&limited);
    cw_k_paths_free(&kept);
    return rc;
}
