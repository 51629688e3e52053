/*
 * The search by size and time budget, and the machine's own routes where those are faster.
 *
 * Within a budget, or where demands × switches are at most LARGE, the search is that of the optimum; else of epsilon's
 * approximation. Balanced channels are not all: relaying costs the nodes time, and with short messages the network's
 * own routing may beat any plan. So the plan and the default are run by the simulated transport (flow/transport.h) and
 * the faster one is the answer, the default on a tie. The search's bound holds for either.
 */
#include <stdio.h>

#include "base/error.h"
#include "flow/method.h"

#define LARGE 4e6

#define SEARCHED  0.7 /* of the progress of a method: the rest is its transport; */
#define OPTIMISED 0.8 /* and of the whole: the rest is the default */

static const char *choose_search(const struct cw_flow_problem *problem, const struct cw_method_setup *setup)
{
    const double n_switches = problem->net->n_vertices - problem->net->n_endpoints;
    const bool large = (double)problem->demands->n * n_switches > LARGE;
    return large && !(setup->seconds > 0) ? "approx" : "optimum";
}

/* Makes a plan by the method called NAME and predicts its time. */
static int try_method(const char *name, const struct cw_flow_problem *problem, const struct cw_method_setup *setup,
                      const struct cw_progress_part *progress, struct cw_plan *plan, double *seconds)
{
    const struct cw_method *method = cw_method_find(name);
    struct cw_method_setup own = *setup;
    struct cw_transport transport = setup->transport ? *setup->transport : cw_transport_default();
    struct cw_transport_result result;
    own.progress = cw_progress_within(progress, 0, SEARCHED);
    transport.progress = cw_progress_within(progress, SEARCHED, 1);
    int rc = cw_method_solve(method, problem, &own, plan);
    if (rc == 0) rc = cw_transport_run(problem, plan, &transport, &result);
    if (rc == 0) *seconds = result.seconds;
    return rc;
}

/* Puts the default in place of PLAN if it is predicted to take no more than SECONDS. There may be none: no routes were
 * given, or they take channels that have failed. */
static int prefer_default(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, double seconds,
                          struct cw_plan *plan)
{
    struct cw_plan machine = {.bound = 0};
    double machine_seconds = 0;
    if (!setup->routes) return 0;
    const struct cw_progress_part rest = cw_progress_within(&setup->progress, OPTIMISED, 1);
    int rc = try_method("default", problem, setup, &rest, &machine, &machine_seconds);
    if (rc == CW_EUSAGE || rc == CW_EROUTE) return 0;
    if (rc == 0 && machine_seconds <= seconds) {
        struct cw_plan other = *plan;
        machine.bound = plan->bound;
        machine.proof = plan->proof;
        machine.k = plan->k;
        *plan = machine;
        other.proof = (struct cw_proof){0};
        machine = other;
    }
    cw_plan_free(&machine);
    return rc;
}

static int solve(const struct cw_flow_problem *problem, const struct cw_method_setup *setup, struct cw_plan *out)
{
    double seconds = 0;
    const struct cw_progress_part first = cw_progress_within(&setup->progress, 0, OPTIMISED);
    int rc = try_method(choose_search(problem, setup), problem, setup, &first, out, &seconds);
    if (rc == 0) rc = prefer_default(problem, setup, seconds, out);
    if (rc) return rc;
    char chosen[sizeof out->method];
    snprintf(chosen, sizeof chosen, "auto: %.24s", out->method);
    snprintf(out->method, sizeof out->method, "%s", chosen);
    return 0;
}

const struct cw_method cw_method_auto = {
    .name = "auto",
    .help = "optimum or approx, by size and time budget, or the default where a simulated transport predicts that "
            "it is as fast",
    .solve = solve};
