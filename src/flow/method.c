#include "flow/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry_internal.h"
#include "base/setup.h"
#include "base/stopwatch.h"
#include "flow/column_plan.h"
#include "flow/files/plan_file.h"

/*
 * Plans with few paths: what hardware or software can hold of them.
 */

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

/* Leaves each demand of PLAN at most SETUP's max_paths, those of the greatest shares (of equal ones the shortest, then
 * the first), over which its bytes are split anew by the linear program. What is said of PLAN stays, its bound
 * included. */
static int limit_paths(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *plan)
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

#define ROUNDING 1e-9 /* z may be above its bound by that much, relative */

/* One line a method, in the order of help: cw_method_NAME is its descriptor. */
#define METHODS(EACH)                                                                                                  \
    EACH(default)                                                                                                      \
    EACH(heuristic)                                                                                                    \
    EACH(greedy)                                                                                                       \
    EACH(lp)                                                                                                           \
    EACH(optimum)                                                                                                      \
    EACH(approx)                                                                                                       \
    EACH(rails)                                                                                                        \
    EACH(auto)

#define DECLARE(NAME) extern const struct cw_method cw_method_##NAME;
#define ENTER(NAME)   &cw_method_##NAME,

METHODS(DECLARE)

const struct cw_method *const cw_methods[] = {METHODS(ENTER) NULL};

const struct cw_registry cw_method_registry = {.items = cw_methods,
                                               .near = "no method is called '%s'; did you mean '%s'?",
                                               .none = "no method is called '%s'; expected one of %s"};

const struct cw_method *cw_method_find(const char *name)
{
    const struct cw_method *method = cw_registry_find(&cw_method_registry, name);
    if (!method) cw_registry_unknown(&cw_method_registry, name);
    return method;
}

static int check_setup(const struct cw_method *method, const struct cw_flow_problem *problem,
                       const struct cw_method_setup *setup)
{
    if (!method->needs_paths) return 0;
    if (!setup->paths || setup->paths->n_demands != problem->demands->n)
        return cw_fail(CW_EUSAGE, "method %s chooses among given paths of every demand, and got none", method->name);
    for (size_t d = 0; d < setup->paths->n_demands; d++)
        if (setup->paths->first[d] == setup->paths->first[d + 1])
            return cw_fail(CW_EUSAGE, "method %s: none of the given paths is for demand %zu; allow longer ones",
                           method->name, d);
    return 0;
}

/* A bound that rounding put just below z becomes z; one that is really below it is wrong. */
static int check_bound(const struct cw_plan *plan, double *bound)
{
    if (!(*bound < plan->z)) return 0;
    if (*bound < plan->z * (1 - ROUNDING))
        return cw_fail(CW_EINTERNAL, "method %s: z is %.17g, above its bound %.17g", plan->method, plan->z, *bound);
    *bound = plan->z;
    return 0;
}

int cw_method_make(const struct cw_method *method, const struct cw_flow_problem *problem,
                   const struct cw_method_setup *setup, struct cw_plan *out)
{
    const int made = cw_flow_problem_check(problem);
    if (made) return made;
    struct cw_plan plan = {.bound = NAN};
    const double begin = cw_stopwatch_now();
    snprintf(plan.method, sizeof plan.method, "%s", method->name);
    int rc = check_setup(method, problem, setup);
    if (rc == 0) rc = method->solve(problem, setup, &plan);
    if (rc == 0 && setup->max_paths > 0) rc = limit_paths(problem, setup, &plan);
    plan.seconds = cw_stopwatch_now() - begin;
    if (rc == 0) rc = cw_plan_evaluate(problem, &plan);
    if (rc == 0) rc = check_bound(&plan, &plan.bound);
    if (rc == 0 && plan.proof.n > 0) rc = check_bound(&plan, &plan.proof.bound);
    if (rc == 0) rc = cw_plan_round(problem, &plan);
    if (rc == 0) rc = cw_plan_verify_paths(problem, &plan);
    if (rc)
        cw_plan_free(&plan);
    else
        *out = plan;
    return rc;
}

#define KEPT     0.1 /* of a budget for verifying the proof, … */
#define PATIENCE 1   /* … which in any case may take so many seconds */

/* Verifies the proof of PLAN until DEADLINE. A bound that rests on it is none if that is too soon. */
static int verify_proof(const struct cw_flow_problem *problem, unsigned n_threads, double deadline,
                        struct cw_plan *plan)
{
    struct cw_proof *proof = &plan->proof;
    const double latest = fmax(deadline, cw_stopwatch_now() + PATIENCE);
    const int rc = cw_proof_verify_until(problem, proof, n_threads, latest, &proof->verified);
    if (!rc && !proof->verified && plan->bound == proof->bound) plan->bound = NAN;
    return rc;
}

int cw_method_solve_sized(const struct cw_method *method, const struct cw_flow_problem *problem,
                          const struct cw_method_setup *given, size_t size, struct cw_plan *out)
{
    struct cw_method_setup setup;
    struct cw_plan plan;
    int rc = cw_setup_read(given, size, &setup, sizeof setup);
    if (rc) return rc;
    const double deadline = cw_stopwatch_deadline(setup.seconds);
    setup.seconds *= 1 - KEPT;
    rc = cw_method_make(method, problem, &setup, &plan);
    if (rc) return rc;
    rc = verify_proof(problem, setup.n_threads, deadline, &plan);
    if (rc)
        cw_plan_free(&plan);
    else
        *out = plan;
    return rc;
}
