/*
 * Methods that make a plan. Adding one: a file flow/method_NAME.c with one descriptor, one line in flow/method.c.
 */
#ifndef CW_FLOW_METHOD_H
#define CW_FLOW_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/progress_part.h"
#include "base/registry.h"
#include "flow/flow_problem.h"
#include "flow/paths/k_paths.h"
#include "flow/plan.h"
#include "flow/transport/transport.h"
#include "route/routes.h"

CW_BEGIN_DECLS

struct cw_method_setup {
    const struct cw_routes *routes; /* the machine's default routes */
    const struct cw_k_paths *paths; /* for methods with needs_paths */
    uint32_t k;
    uint32_t max_paths; /* of one demand that the plan has; 0: any number */
    uint32_t maxload;   /* heuristic: paths on a channel */
    double epsilon;     /* approx: certified gap to reach */
    double seconds;     /* optimum, approx, auto: time budget; 0: none. What was found is returned with its bound */
    const struct cw_transport *transport; /* auto: by which it predicts times; NULL: it compares plans by z */
    struct cw_transport_result *moved;    /* auto: set to how its plan moves by that, in whole chunks; or NULL */
    unsigned n_threads;
    uint64_t seed;
    struct cw_progress_part progress; /* of the search */
};

struct cw_method {
    const char *name; /* "default", "heuristic", "greedy", "lp", "optimum", "approx", "rails", "auto" */
    const char *help; /* with the source */
    bool needs_paths;
    bool (*worth_paths)(const struct cw_flow_problem *problem); /* NULL, or whether it would use the k paths, too */
    /* NULL: it solves every problem. Else false, with the reason as error, for one that it is not made for. */
    bool (*accepts)(const struct cw_flow_problem *problem);
    int (*solve)(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out);
};

CW_API extern const struct cw_method *const cw_methods[]; /* ended by NULL */
CW_API extern const struct cw_registry cw_method_registry;

/* The method called NAME; NULL after an error that names the nearest. */
CW_API const struct cw_method *cw_method_find(const char *name);

CW_API int cw_method_solve_sized(const struct cw_method *method, const struct cw_flow_problem *problem,
                                 const struct cw_method_setup *setup, size_t size, struct cw_plan *out);

/* Runs METHOD and evaluates, rounds and verifies what it gives. Within a budget the proof is verified as long as there
 * is time, but a second at least; what is not has no bound, and its proof says so (cw_proof.verified). */
static inline int cw_method_solve(const struct cw_method *method, const struct cw_flow_problem *problem,
                                  const struct cw_method_setup *setup, struct cw_plan *out)
{
    return cw_method_solve_sized(method, problem, setup, sizeof *setup, out);
}

CW_END_DECLS

#endif
