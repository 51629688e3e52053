#include "flow/method.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/stopwatch.h"
#include "flow/fewer_paths.h"

#define ROUNDING 1e-9 /* z may be above its bound by that much, relative */

/* One line a method, in the order of help: cw_method_NAME is its descriptor. */
#define METHODS(EACH)                                                                                                  \
    EACH(default)                                                                                                      \
    EACH(heuristic)                                                                                                    \
    EACH(greedy)                                                                                                       \
    EACH(lp)                                                                                                           \
    EACH(optimum)                                                                                                      \
    EACH(approx)                                                                                                       \
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

int cw_method_solve(const struct cw_method *method, const struct cw_flow_problem *problem,
                    const struct cw_method_setup *setup, struct cw_plan *out)
{
    const int made = cw_flow_problem_check(problem);
    if (made) return made;
    struct cw_plan plan = {.bound = NAN};
    const double begin = cw_stopwatch_now();
    snprintf(plan.method, sizeof plan.method, "%s", method->name);
    int rc = check_setup(method, problem, setup);
    if (rc == 0) rc = method->solve(problem, setup, &plan);
    if (rc == 0 && setup->max_paths > 0) rc = cw_plan_limit_paths(problem, setup, &plan);
    plan.seconds = cw_stopwatch_now() - begin;
    if (rc == 0) rc = cw_plan_evaluate(problem, &plan);
    if (rc == 0) rc = check_bound(&plan, &plan.bound);
    if (rc == 0 && plan.proof.n > 0) rc = check_bound(&plan, &plan.proof.bound);
    if (rc == 0) rc = cw_plan_round(problem, &plan);
    if (rc == 0) rc = cw_plan_verify(problem, &plan);
    if (rc)
        cw_plan_free(&plan);
    else
        *out = plan;
    return rc;
}
